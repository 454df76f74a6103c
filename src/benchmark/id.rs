//! The benchmarks by name.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use crate::name::{did_you_mean, named, nearest};

/// The benchmarks, for a macro that makes something of them: those with loaders and their definitions, those that a card
/// alone describes, and the user's.
macro_rules! benchmarks {
    ($then:ident) => {
        $then! {
            loaders {
                /// The built-in inventory, written for this project.
                Demo = "demo", demo::DEMO;
                /// ToMBench (Chen et al. 2024).
                ToMBench = "tombench", tombench::TOMBENCH;
                /// Hi-ToM (He et al. 2023).
                HiToM = "hi-tom", hi_tom::HI_TOM;
                /// Multi-ToM (Sadhu et al. 2024).
                MultiToM = "multi-tom", multi_tom::MULTI_TOM;
                /// ToMi (Le et al. 2019), English text and trace files.
                ToMi = "tomi", tomi::TOMI;
                /// XToM's ToMi part (Chan et al. 2025).
                XToMi = "xtomi", tomi::XTOMI;
                /// FANToM (Kim et al. 2023).
                FanToM = "fantom", fantom::FANTOM;
                /// XToM's FANToM part.
                XFanToM = "xfantom", fantom::XFANTOM;
                /// NegotiationToM (Chan et al. 2024).
                NegotiationToM = "negotiationtom", negotiationtom::NEGOTIATIONTOM;
                /// XToM's NegotiationToM part.
                XNegotiationToM = "xnegotiationtom", negotiationtom::XNEGOTIATIONTOM;
                /// ToMValley, later published as DynToM.
                ToMValley = "tomvalley", tomvalley::TOMVALLEY;
                /// BigToM (Gandhi et al. 2023).
                BigToM = "bigtom", bigtom::BIGTOM;
            }
            cards {
                /// Ullman's variations of false-belief stories (Ullman 2023), as in BigToM's repository.
                Ullman = "ullman";
                /// Unexpected contents after Kosinski (2023), as in BigToM's repository.
                Kosinski = "kosinski";
                /// False beliefs after Dodell-Feder et al. (2011), as in BigToM's repository.
                DodellFeder = "dodell-feder";
                /// OpenToM (Xu et al. 2024).
                OpenToM = "opentom";
                /// ToMATO (Shinoda et al. 2025).
                ToMato = "tomato";
                /// PersuasiveToM (Yu et al. 2025).
                PersuasiveToM = "persuasivetom";
                /// TactfulToM (Liu et al. 2025).
                TactfulToM = "tactfultom";
                /// Adversarial false-belief stories (Shapira et al. 2024).
                AdvCsfb = "adv-csfb";
                /// Percept-ToMi (Jung et al. 2024).
                PerceptToMi = "percept-tomi";
                /// EmoBench (Sabour et al. 2024).
                EmoBench = "emobench";
                /// SimpleToM (Gu et al. 2024).
                SimpleToM = "simpletom";
            }
            own {
                /// Questions of your own, from one CSV or JSON lines file.
                Custom = "custom", custom::CUSTOM;
            }
        }
    };
}
pub(super) use benchmarks;

macro_rules! names {
    (
        loaders { $($(#[$doc:meta])* $name:ident = $text:literal, $definition:path;)* }
        cards { $($(#[$card_doc:meta])* $set:ident = $card:literal;)* }
        own { $(#[$own_doc:meta])* $own:ident = $own_text:literal, $own_definition:path; }
    ) => {
        /// A supported benchmark; serialised, and ordered in maps, by name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr, VariantArray, Serialize, Deserialize)]
        #[cfg_attr(test, derive(schemars::JsonSchema))]
        #[serde(into = "&'static str", try_from = "String")]
        pub enum Benchmark {
            $($(#[$doc])* #[strum(serialize = $text)] $name,)*
            $($(#[$card_doc])* #[strum(serialize = $card)] $set,)*
            $(#[$own_doc])* #[strum(serialize = $own_text)] $own,
        }
    };
}
benchmarks!(names);

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
