//! The benchmarks by name.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use super::{
    Card, LoadError, LoadOptions, Loaded, custom, demo, fantom, hi_tom, multi_tom, negotiationtom, tombench, tomi,
    tomvalley,
};

/// A benchmark the program can load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Benchmark {
    /// The built-in inventory, written for this project.
    Demo,
    /// ToMBench (Chen et al. 2024).
    ToMBench,
    /// Hi-ToM (He et al. 2023).
    HiToM,
    /// Multi-ToM (Sadhu et al. 2024).
    MultiToM,
    /// ToMi (Le et al. 2019), English text and trace files.
    ToMi,
    /// XToM's ToMi part (Chan et al. 2025).
    XToMi,
    /// FANToM (Kim et al. 2023).
    FanToM,
    /// XToM's FANToM part.
    XFanToM,
    /// NegotiationToM (Chan et al. 2024).
    NegotiationToM,
    /// XToM's NegotiationToM part.
    XNegotiationToM,
    /// ToMValley, later published as DynToM.
    ToMValley,
    /// Questions of your own, from one CSV or JSON lines file.
    Custom,
}

impl Benchmark {
    /// Every benchmark, in the order of help texts.
    pub const ALL: [Benchmark; 12] = [
        Benchmark::Demo,
        Benchmark::ToMBench,
        Benchmark::HiToM,
        Benchmark::MultiToM,
        Benchmark::ToMi,
        Benchmark::XToMi,
        Benchmark::FanToM,
        Benchmark::XFanToM,
        Benchmark::NegotiationToM,
        Benchmark::XNegotiationToM,
        Benchmark::ToMValley,
        Benchmark::Custom,
    ];

    /// The name on the command line, in ids and in file names.
    pub fn name(self) -> &'static str {
        match self {
            Benchmark::Demo => "demo",
            Benchmark::ToMBench => "tombench",
            Benchmark::HiToM => "hi-tom",
            Benchmark::MultiToM => "multi-tom",
            Benchmark::ToMi => "tomi",
            Benchmark::XToMi => "xtomi",
            Benchmark::FanToM => "fantom",
            Benchmark::XFanToM => "xfantom",
            Benchmark::NegotiationToM => "negotiationtom",
            Benchmark::XNegotiationToM => "xnegotiationtom",
            Benchmark::ToMValley => "tomvalley",
            Benchmark::Custom => "custom",
        }
    }

    /// The text of the benchmark's card, built into the program from `datasets/`.
    pub fn card_text(self) -> &'static str {
        match self {
            Benchmark::Demo => include_str!("../../datasets/demo.toml"),
            Benchmark::ToMBench => include_str!("../../datasets/tombench.toml"),
            Benchmark::HiToM => include_str!("../../datasets/hi-tom.toml"),
            Benchmark::MultiToM => include_str!("../../datasets/multi-tom.toml"),
            Benchmark::Custom => include_str!("../../datasets/custom.toml"),
            Benchmark::ToMi => include_str!("../../datasets/tomi.toml"),
            Benchmark::XToMi => include_str!("../../datasets/xtomi.toml"),
            Benchmark::FanToM => include_str!("../../datasets/fantom.toml"),
            Benchmark::XFanToM => include_str!("../../datasets/xfantom.toml"),
            Benchmark::NegotiationToM => include_str!("../../datasets/negotiationtom.toml"),
            Benchmark::XNegotiationToM => include_str!("../../datasets/xnegotiationtom.toml"),
            Benchmark::ToMValley => include_str!("../../datasets/tomvalley.toml"),
        }
    }

    /// The benchmark's card.
    pub fn card(self) -> Card {
        toml::from_str(self.card_text()).expect("the cards in `datasets/` are parsed by a test")
    }

    /// Whether its items are part of the program, so that no files need to be named.
    pub fn is_built_in(self) -> bool {
        self == Benchmark::Demo
    }

    /// The names of the choices that its loader knows.
    pub fn choices(self) -> &'static [&'static str] {
        match self {
            Benchmark::HiToM => &["prompting", "claims"],
            Benchmark::MultiToM => &["variant", "base"],
            Benchmark::Custom => &["language"],
            Benchmark::ToMi => &["split", "questions"],
            Benchmark::XToMi => &["questions"],
            Benchmark::FanToM | Benchmark::XFanToM => &["context", "questions"],
            Benchmark::ToMValley => &["trials", "scenarios"],
            Benchmark::Demo | Benchmark::ToMBench | Benchmark::NegotiationToM | Benchmark::XNegotiationToM => &[],
        }
    }

    /// Load the benchmark from its own folder or that folder's parent. The demo inventory is built in and needs none.
    pub fn load(self, data: &Path, options: &LoadOptions) -> Result<Loaded, LoadError> {
        match self {
            Benchmark::Demo => demo::load(options),
            Benchmark::ToMBench => tombench::load(data, options),
            Benchmark::HiToM => hi_tom::load(data, options),
            Benchmark::MultiToM => multi_tom::load(data, options),
            Benchmark::Custom => custom::load(data, options),
            Benchmark::ToMi => tomi::load(data, options),
            Benchmark::XToMi => tomi::load_translated(data, options),
            Benchmark::FanToM => fantom::load(data, options),
            Benchmark::XFanToM => fantom::load_translated(data, options),
            Benchmark::NegotiationToM => negotiationtom::load(data, options),
            Benchmark::XNegotiationToM => negotiationtom::load_translated(data, options),
            Benchmark::ToMValley => tomvalley::load(data, options),
        }
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
