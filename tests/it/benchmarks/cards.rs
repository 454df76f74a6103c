//! The cards of all benchmarks: their tables parse, and where the released files are there, right answers fill them.

use crate::support::released::{absent, data};
use tomeval::internal::LoadError;
use tomeval::internal::TrialOutcome;
use tomeval::{Benchmark, Layout, LoadOptions, Outcome, Respondent, Setting, Ties, evaluate};

#[test]
fn the_tables_of_every_card_are_valid() {
    for benchmark in Benchmark::ALL {
        let layout = Layout::parse(benchmark.card_text()).unwrap_or_else(|error| panic!("{benchmark}: {error}"));
        assert!(!layout.tables.is_empty(), "{benchmark} has at least one table");
    }
}

/// Columns whose data are not released.
const NOT_RELEASED: [(Benchmark, &str); 1] = [(Benchmark::MultiToM, "cultural")];

/// Every column that filters items must find some in the released data: a misspelt facet would be an empty column.
#[test]
fn no_column_of_any_card_is_empty_on_the_released_data() {
    for benchmark in Benchmark::ALL {
        if benchmark == Benchmark::Custom {
            continue;
        }
        // Some of ToMValley's tables are about contexts beyond the headline, and about contexts cut short.
        let choices: &[(&str, &str)] = match benchmark {
            Benchmark::ToMValley => &[("trials", "all"), ("scenarios", "both")],
            Benchmark::PerceptToMi => &[("questions", "all")],
            _ => &[],
        };
        let choices = choices.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        let loaded = match benchmark.load(&data(), &LoadOptions { choices, ..LoadOptions::default() }) {
            Ok(loaded) => loaded,
            Err(LoadError::Absent { .. }) => {
                absent(benchmark.name());
                continue;
            }
            Err(error) => panic!("{benchmark}: {error}"),
        };
        let outcomes: Vec<Outcome<'_>> = loaded
            .items
            .iter()
            .map(|item| {
                let choice = Some(item.gold.clone());
                let trial = TrialOutcome {
                    order: None,
                    count: 1,
                    choice,
                    logprobs: None,
                    tied: false,
                    failure: None,
                    reading: None,
                };
                Outcome::new(item, "vanilla", None, vec![trial], Ties::default())
            })
            .collect();
        let layout = Layout::parse(benchmark.card_text()).unwrap();
        let setting = Setting {
            benchmark,
            title: benchmark.name(),
            by: Respondent { label: "all right", answers: "letters" },
            items: &loaded.items,
            layout: &layout,
            seed: 0,
        };
        let results = evaluate(&setting, &outcomes);
        for table in &layout.tables {
            let found = results.tables.iter().find(|found| found.id == table.id);
            let found = found.unwrap_or_else(|| panic!("{benchmark}: table `{}` has no row", table.id));
            for (position, column) in found.columns.iter().enumerate() {
                if NOT_RELEASED.contains(&(benchmark, column.as_str())) {
                    continue;
                }
                let empty = found.rows.iter().all(|row| row.cells[position].reason.as_deref() == Some("no items"));
                assert!(!empty, "{benchmark}: column `{column}` of table `{}` has no items in any row", table.id);
            }
        }
    }
}
