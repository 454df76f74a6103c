//! The papers whose evaluations name models.

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use crate::name::named;

/// A paper, by the name of its benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr, VariantArray, Serialize, Deserialize)]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum Paper {
    /// ToMBench (Chen et al. 2024).
    #[strum(serialize = "tombench")]
    #[serde(rename = "tombench")]
    ToMBench,
    /// Hi-ToM (He et al. 2023).
    HiTom,
    /// Multi-ToM (Sadhu et al. 2024).
    MultiTom,
    /// ToMValley, later DynToM (Xiao et al. 2025).
    #[strum(serialize = "tomvalley")]
    #[serde(rename = "tomvalley")]
    ToMValley,
    /// XToM (Chan et al. 2025).
    Xtom,
}

named!(Paper, "paper");

impl Paper {
    /// Its name in running text.
    pub fn title(self) -> &'static str {
        match self {
            Paper::ToMBench => "ToMBench",
            Paper::HiTom => "Hi-ToM",
            Paper::MultiTom => "Multi-ToM",
            Paper::ToMValley => "ToMValley",
            Paper::Xtom => "XToM",
        }
    }

    /// Its letter in tables, unique among papers.
    pub fn letter(self) -> char {
        match self {
            Paper::ToMBench => 'B',
            Paper::HiTom => 'H',
            Paper::MultiTom => 'M',
            Paper::ToMValley => 'V',
            Paper::Xtom => 'X',
        }
    }
}
