//! The benchmarks by name.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use crate::name::{did_you_mean, named, nearest};

/// A supported benchmark; serialised, and ordered in maps, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr, VariantArray, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
    /// BigToM (Gandhi et al. 2023).
    #[strum(serialize = "bigtom")]
    BigToM,
    /// Ullman's variations of false-belief stories (Ullman 2023), as in BigToM's repository.
    #[strum(serialize = "ullman")]
    Ullman,
    /// Unexpected contents after Kosinski (2023), as in BigToM's repository.
    #[strum(serialize = "kosinski")]
    Kosinski,
    /// False beliefs after Dodell-Feder et al. (2011), as in BigToM's repository.
    #[strum(serialize = "dodell-feder")]
    DodellFeder,
    /// OpenToM (Xu et al. 2024).
    #[strum(serialize = "opentom")]
    OpenToM,
    /// ToMATO (Shinoda et al. 2025).
    #[strum(serialize = "tomato")]
    ToMato,
    /// PersuasiveToM (Yu et al. 2025).
    #[strum(serialize = "persuasivetom")]
    PersuasiveToM,
    /// TactfulToM (Liu et al. 2025).
    #[strum(serialize = "tactfultom")]
    TactfulToM,
    /// Adversarial false-belief stories (Shapira et al. 2024).
    #[strum(serialize = "adv-csfb")]
    AdvCsfb,
    /// Percept-ToMi (Jung et al. 2024).
    #[strum(serialize = "percept-tomi")]
    PerceptToMi,
    /// EmoBench (Sabour et al. 2024).
    #[strum(serialize = "emobench")]
    EmoBench,
    /// SimpleToM (Gu et al. 2024).
    #[strum(serialize = "simpletom")]
    SimpleToM,
    /// Questions of your own, from one CSV or JSON lines file.
    #[strum(serialize = "custom")]
    Custom,
}

named!(Benchmark);

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

/// An unknown benchmark name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown benchmark `{given}`{}; `tomeval data list` shows all", did_you_mean(*nearest))]
pub struct UnknownBenchmark {
    /// The name as given.
    pub given: String,
    /// A similar known name.
    pub nearest: Option<&'static str>,
}

impl FromStr for Benchmark {
    type Err = UnknownBenchmark;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        Benchmark::ALL.into_iter().find(|benchmark| benchmark.name() == given).ok_or_else(|| UnknownBenchmark {
            given: given.to_string(),
            nearest: nearest(given, Benchmark::ALL.map(Benchmark::name)),
        })
    }
}
