//! Benchmarks that their cards alone describe: how rows become items stands in `[rows]` there.

use std::path::Path;

use super::definition::Definition;
use super::recipe::{self, Recipe};
use super::{LoadError, LoadOptions, Loaded};

/// How rows become items. Panics if the card does not say it; a test reads all cards.
fn recipe(set: &Definition) -> Recipe {
    let rows = set.card().rows.ok_or_else(|| "it has no [rows]".to_string());
    rows.and_then(Recipe::try_from).unwrap_or_else(|error| panic!("datasets/{set}.toml: {error}"))
}

pub(super) fn is_at(set: &Definition, data: &Path) -> bool {
    recipe::is_at(&recipe(set), data)
}

pub(super) fn load(set: &Definition, data: &Path, options: &LoadOptions) -> Result<Loaded, LoadError> {
    recipe::load(set, &recipe(set), data, options)
}

#[cfg(test)]
mod tests {
    use crate::benchmark::Benchmark;

    #[test]
    fn every_card_says_how_rows_become_items_and_is_named_as_its_file() {
        for benchmark in Benchmark::ALL {
            let card = benchmark.card();
            assert_eq!(card.name, benchmark);
            assert!(card.rows.is_none_or(|rows| super::Recipe::try_from(rows).is_ok()), "{benchmark}");
        }
    }
}
