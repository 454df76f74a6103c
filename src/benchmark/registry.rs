//! Card, choices and loader of each benchmark.

use std::borrow::Cow;
use std::path::Path;

use super::definition::{Definition, card};
use super::id::benchmarks;
use super::{Benchmark, Card, LoadError, LoadOptions, Loaded, OwnData};
use super::{bigtom, custom, demo, fantom, hi_tom, multi_tom, negotiationtom, sets, tombench, tomi, tomvalley};

macro_rules! definitions {
    (
        loaders { $($(#[$doc:meta])* $name:ident = $text:literal, $definition:path;)* }
        cards { $($(#[$card_doc:meta])* $set:ident = $card:literal;)* }
        own { $(#[$own_doc:meta])* $own:ident = $own_text:literal, $own_definition:path; }
    ) => {
        impl Benchmark {
            fn definition(self) -> &'static Definition {
                match self {
                    $(Benchmark::$name => &$definition,)*
                    $(Benchmark::$set => {
                        static SET: Definition = Definition {
                            benchmark: Benchmark::$set,
                            card: card!($card),
                            choices: &[],
                            is_at: |data| sets::is_at(&SET, data),
                            load: |data, options| sets::load(&SET, data, options),
                        };
                        &SET
                    })*
                    Benchmark::$own => &$own_definition,
                }
            }
        }
    };
}
benchmarks!(definitions);

impl Benchmark {
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

    /// Names of the choices that its loader accepts, or its card, which for own questions is the user's.
    pub fn choices(self, own: &OwnData) -> Vec<String> {
        let rows = self.card_with(own).rows.unwrap_or_default();
        let of_card = rows.get("choices").and_then(toml::Value::as_table).into_iter().flat_map(toml::Table::keys);
        self.definition().choices.iter().map(|name| name.to_string()).chain(of_card.cloned()).collect()
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
        let mut loaded = (self.definition().load)(data, options)?;
        if let Some(canary) = self.card_with(&options.own).canary {
            for item in &mut loaded.items {
                item.fields.insert("canary".to_string(), canary.clone());
            }
        }
        Ok(loaded)
    }
}
