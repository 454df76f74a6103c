//! Card, choices and loader of each benchmark.

use std::borrow::Cow;
use std::path::Path;

use super::definition::Definition;
use super::{
    Benchmark, Card, LoadError, LoadOptions, Loaded, OwnData, bigtom, custom, demo, fantom, hi_tom, multi_tom,
    negotiationtom, sets, tombench, tomi, tomvalley,
};

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
            Benchmark::BigToM => &bigtom::BIGTOM,
            Benchmark::Ullman => &sets::ULLMAN,
            Benchmark::Kosinski => &sets::KOSINSKI,
            Benchmark::DodellFeder => &sets::DODELL_FEDER,
            Benchmark::OpenToM => &sets::OPENTOM,
            Benchmark::ToMato => &sets::TOMATO,
            Benchmark::PersuasiveToM => &sets::PERSUASIVETOM,
            Benchmark::TactfulToM => &sets::TACTFULTOM,
            Benchmark::AdvCsfb => &sets::ADV_CSFB,
            Benchmark::PerceptToMi => &sets::PERCEPT_TOMI,
            Benchmark::EmoBench => &sets::EMOBENCH,
            Benchmark::SimpleToM => &sets::SIMPLETOM,
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

    /// The text of the card; for own questions, overridden by the user's card.
    pub fn card_text_with(self, own: &OwnData) -> Cow<'static, str> {
        match &own.card {
            Some(card) if self == Benchmark::Custom => Cow::Owned(card.over(self.card_text())),
            _ => Cow::Borrowed(self.card_text()),
        }
    }

    /// The card; for own questions, overridden by the user's card.
    pub fn card_with(self, own: &OwnData) -> Card {
        match &own.card {
            Some(card) if self == Benchmark::Custom => card.card_over(self.card_text()),
            _ => self.card(),
        }
    }

    /// Whether its items are built into the program, so that no files are needed.
    pub fn is_built_in(self) -> bool {
        self == Benchmark::Demo
    }

    /// Names of the choices that its loader accepts.
    pub fn choices(self) -> &'static [&'static str] {
        self.definition().choices
    }

    /// The benchmarks whose files are at a path, by names and locations alone. A path that fits a released benchmark is
    /// not taken for own questions.
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
