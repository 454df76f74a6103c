//! The benchmarks by name.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

use strum::{IntoStaticStr, VariantArray};

use super::definition::Definition;
use super::{
    Card, LoadError, LoadOptions, Loaded, OwnData, custom, demo, fantom, hi_tom, multi_tom, negotiationtom, tombench,
    tomi, tomvalley,
};
use crate::name::named;

/// A benchmark the program can load; in files, and in the order of maps, its name.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr, VariantArray, serde::Serialize, serde::Deserialize,
)]
#[serde(into = "&'static str", try_from = "String")]
pub enum Benchmark {
    /// The built-in inventory, written for this project.
    #[strum(serialize = "demo")]
    Demo,
    /// ToMBench (Chen et al. 2024).
    #[strum(serialize = "tombench")]
    ToMBench,
    /// Hi-ToM (He et al. 2023).
    #[strum(serialize = "hi-tom")]
    HiToM,
    /// Multi-ToM (Sadhu et al. 2024).
    #[strum(serialize = "multi-tom")]
    MultiToM,
    /// ToMi (Le et al. 2019), English text and trace files.
    #[strum(serialize = "tomi")]
    ToMi,
    /// XToM's ToMi part (Chan et al. 2025).
    #[strum(serialize = "xtomi")]
    XToMi,
    /// FANToM (Kim et al. 2023).
    #[strum(serialize = "fantom")]
    FanToM,
    /// XToM's FANToM part.
    #[strum(serialize = "xfantom")]
    XFanToM,
    /// NegotiationToM (Chan et al. 2024).
    #[strum(serialize = "negotiationtom")]
    NegotiationToM,
    /// XToM's NegotiationToM part.
    #[strum(serialize = "xnegotiationtom")]
    XNegotiationToM,
    /// ToMValley, later published as DynToM.
    #[strum(serialize = "tomvalley")]
    ToMValley,
    /// Questions of your own, from one CSV or JSON lines file.
    #[strum(serialize = "custom")]
    Custom,
}

named!(Benchmark);

impl Benchmark {
    fn definition(self) -> &'static Definition {
        match self {
            Benchmark::Demo => &demo::DEMO,
            Benchmark::ToMBench => &tombench::TOMBENCH,
            Benchmark::HiToM => &hi_tom::HI_TOM,
            Benchmark::MultiToM => &multi_tom::MULTI_TOM,
            Benchmark::ToMi => &tomi::TOMI,
            Benchmark::XToMi => &tomi::XTOMI,
            Benchmark::FanToM => &fantom::FANTOM,
            Benchmark::XFanToM => &fantom::XFANTOM,
            Benchmark::NegotiationToM => &negotiationtom::NEGOTIATIONTOM,
            Benchmark::XNegotiationToM => &negotiationtom::XNEGOTIATIONTOM,
            Benchmark::ToMValley => &tomvalley::TOMVALLEY,
            Benchmark::Custom => &custom::CUSTOM,
        }
    }

    /// The text of the benchmark's card, built into the program from `datasets/`.
    pub fn card_text(self) -> &'static str {
        self.definition().card
    }

    /// The benchmark's card.
    pub fn card(self) -> Card {
        self.definition().card()
    }

    /// The text of the card with what the user's own card says, where this is the benchmark of own questions.
    pub fn card_text_with(self, own: &OwnData) -> Cow<'static, str> {
        match &own.card {
            Some(card) if self == Benchmark::Custom => Cow::Owned(card.over(self.card_text())),
            _ => Cow::Borrowed(self.card_text()),
        }
    }

    /// The card with what the user's own card says, where this is the benchmark of own questions.
    pub fn card_with(self, own: &OwnData) -> Card {
        match &own.card {
            Some(card) if self == Benchmark::Custom => card.card_over(self.card_text()),
            _ => self.card(),
        }
    }

    /// Whether its items are part of the program, so that no files need to be named.
    pub fn is_built_in(self) -> bool {
        self == Benchmark::Demo
    }

    /// The names of the choices that its loader knows.
    pub fn choices(self) -> &'static [&'static str] {
        self.definition().choices
    }

    /// The benchmarks whose files lie at a path, by name and place alone. A file is either one benchmark's own or a file of
    /// rows.
    pub fn at(data: &Path) -> Vec<Benchmark> {
        let mut found: Vec<Benchmark> =
            Benchmark::ALL.into_iter().filter(|benchmark| (benchmark.definition().is_at)(data)).collect();
        if found.len() > 1 {
            found.retain(|&benchmark| benchmark != Benchmark::Custom);
        }
        found
    }

    /// Load the benchmark from its own folder or that folder's parent. The demo inventory is built in and needs none.
    pub fn load(self, data: &Path, options: &LoadOptions) -> Result<Loaded, LoadError> {
        (self.definition().load)(data, options)
    }
}

/// The names of benchmarks, joined.
pub(crate) fn joined(benchmarks: &[Benchmark], between: &str) -> String {
    benchmarks.iter().map(|benchmark| benchmark.name()).collect::<Vec<_>>().join(between)
}

impl Ord for Benchmark {
    fn cmp(&self, other: &Self) -> Ordering {
        self.name().cmp(other.name())
    }
}

impl PartialOrd for Benchmark {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl TryFrom<String> for Benchmark {
    type Error = UnknownBenchmark;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        name.parse()
    }
}

impl fmt::Display for Benchmark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no benchmark's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown benchmark `{given}`; did you mean `{nearest}`? `tomeval data list` shows all")]
pub struct UnknownBenchmark {
    /// The name as given.
    pub given: String,
    /// The most similar known name.
    pub nearest: &'static str,
}

impl FromStr for Benchmark {
    type Err = UnknownBenchmark;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        let similarity = |benchmark: &Benchmark| strsim::jaro_winkler(benchmark.name(), &given.to_lowercase());
        Benchmark::ALL.into_iter().find(|benchmark| benchmark.name() == given).ok_or_else(|| UnknownBenchmark {
            given: given.to_string(),
            nearest: Benchmark::ALL
                .into_iter()
                .max_by(|left, right| similarity(left).total_cmp(&similarity(right)))
                .map_or("demo", Benchmark::name),
        })
    }
}
