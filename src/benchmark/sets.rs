//! Benchmarks that their cards alone describe: how rows become items stands in `[rows]` there.

use super::definition::{Definition, card};
use super::{Benchmark, recipe};

/// Definitions of benchmarks by their cards.
macro_rules! of_cards {
    ($($name:ident = $benchmark:ident, $card:literal;)*) => {$(
        pub(super) static $name: Definition = Definition {
            benchmark: Benchmark::$benchmark,
            card: card!($card),
            choices: &[],
            is_at: |data| $name.recipe().is_some_and(|recipe| recipe::is_at(&recipe, data)),
            load: |data, options| match $name.recipe() {
                Some(recipe) => recipe::load(&$name, &recipe, data, options),
                None => unreachable!("a test finds the section [rows] of every card here"),
            },
        };
    )*

    #[cfg(test)]
    const ALL: &[&Definition] = &[$(&$name),*];
    };
}

of_cards! {
    ULLMAN = Ullman, "ullman";
    KOSINSKI = Kosinski, "kosinski";
    DODELL_FEDER = DodellFeder, "dodell-feder";
    OPENTOM = OpenToM, "opentom";
    TOMATO = ToMato, "tomato";
    PERSUASIVETOM = PersuasiveToM, "persuasivetom";
    TACTFULTOM = TactfulToM, "tactfultom";
    ADV_CSFB = AdvCsfb, "adv-csfb";
    PERCEPT_TOMI = PerceptToMi, "percept-tomi";
    EMOBENCH = EmoBench, "emobench";
    SIMPLETOM = SimpleToM, "simpletom";
}

impl Definition {
    /// How rows become items, where the card says so. Panics if that is invalid; a test reads all cards here.
    fn recipe(&self) -> Option<recipe::Recipe> {
        let read = |rows| recipe::Recipe::try_from(rows);
        self.card().rows.map(|rows| read(rows).unwrap_or_else(|error| panic!("datasets/{self}.toml: {error}")))
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_card_says_how_rows_become_items() {
        for definition in super::ALL {
            assert!(definition.recipe().is_some(), "{definition}");
        }
    }
}
