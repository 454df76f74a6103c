//! Items as CSV: one line per prompt with facets, gold answer, choice, agreement with human keywords and deletion
//! check.

use indexmap::{IndexMap, IndexSet};

use crate::attend::results::{Case, Document};
use crate::attend::words::DeletionRecord;
use crate::benchmark::Benchmark;
use crate::table::CsvTable;

/// Columns before and after the facet columns, which are called `facet_NAME`.
const BEFORE: [&str; 6] = ["item", "benchmark", "variant", "model", "language", "story"];
const AFTER: [&str; 25] = [
    "gold",
    "chosen",
    "right",
    "tied",
    "label_mass",
    "readers",
    "overlap",
    "jaccard",
    "rank_biased_overlap",
    "sink",
    "on_words",
    "entropy_bits",
    "half_way",
    "keywords",
    "without_fall",
    "without_random",
    "without_p",
    "without_flips",
    "only_fall",
    "only_random",
    "only_p",
    "only_flips",
    "draws",
    "compared_only",
    "failure",
];

/// Builds the table, prompt by prompt. Its facet columns are those of all items in order of first appearance.
#[derive(Debug, Default)]
pub struct ItemTable {
    facets: IndexSet<String>,
    lines: Vec<Line>,
}

#[derive(Debug, Default)]
struct Line {
    before: [String; BEFORE.len()],
    facets: IndexMap<String, String>,
    after: IndexMap<&'static str, String>,
}

impl ItemTable {
    /// Adds a prompt; `document` gives the model's name and the number of keywords. Values are means over several
    /// readers.
    pub fn add(&mut self, case: &Case, benchmark: Benchmark, document: &Document) {
        let labels = |wanted: &dyn Fn(usize) -> bool| {
            let found = case.options.iter().enumerate().filter(|(at, _)| wanted(*at));
            found.map(|(_, option)| option.label.as_str()).collect::<Vec<_>>().join(";")
        };
        let mut after: IndexMap<&'static str, String> = IndexMap::new();
        after.insert("gold", labels(&|at| case.options[at].gold));
        after.insert("chosen", labels(&|at| case.options[at].chosen));
        after.insert("right", case.right.map(|right| right.to_string()).unwrap_or_default());
        after.insert("tied", case.tied.to_string());
        after.insert("label_mass", share(case.label_mass()));
        let readers: Vec<&str> = case.humans.iter().map(|human| human.reader.as_str()).collect();
        after.insert("readers", readers.join(";"));
        after.insert("overlap", share(case.mean_over_readers(|human| human.overlap)));
        after.insert("jaccard", share(case.mean_over_readers(|human| human.jaccard)));
        after.insert("rank_biased_overlap", share(case.mean_over_readers(|human| human.rank_biased_overlap)));
        if let Some(row) = case.rows.first() {
            after.insert("sink", share(Some(row.sink)));
            after.insert("on_words", share(Some(row.on_words)));
            after.insert("entropy_bits", share(Some(row.entropy_bits)));
            after.insert("half_way", share(row.half_way));
            let words = row.ranking.iter().take(document.settings.top).map(|word| word.text.as_str());
            after.insert("keywords", words.collect::<Vec<_>>().join(" "));
        }
        if let Some(DeletionRecord { without, only, .. }) = &case.deletion {
            after.insert("without_fall", share(Some(without.fall)));
            after.insert("without_random", share(Some(without.mean)));
            after.insert("without_p", share(Some(without.p)));
            after.insert("without_flips", without.flips.to_string());
            after.insert("only_fall", share(Some(only.fall)));
            after.insert("only_random", share(Some(only.mean)));
            after.insert("only_p", share(Some(only.p)));
            after.insert("only_flips", only.flips.to_string());
            after.insert("draws", without.random.len().to_string());
        }
        after.insert("compared_only", case.compared_only.to_string());
        let model = document.models.get(case.model).map_or("", |model| &model.name);
        let before = [&case.item, benchmark.name(), &case.variant, model, case.language.code(), &case.story];
        self.facets.extend(case.facets.keys().cloned());
        self.lines.push(Line { before: before.map(str::to_string), facets: case.facets.clone(), after });
    }

    /// Adds an item that could not be analysed, with the reason.
    pub fn add_failure(&mut self, item: &str, benchmark: Benchmark, why: &str) {
        let before = [item, benchmark.name(), "", "", "", ""].map(str::to_string);
        let after = [("failure", why.to_string())].into_iter().collect();
        self.lines.push(Line { before, after, ..Line::default() });
    }

    /// The whole table. Text that a spreadsheet would read as a formula gets a leading apostrophe; numbers do not.
    pub fn text(self) -> String {
        let facets = self.facets.iter().map(|facet| format!("facet_{facet}"));
        let columns = BEFORE.iter().map(ToString::to_string).chain(facets).chain(AFTER.iter().map(ToString::to_string));
        let mut table = CsvTable::new(columns);
        for line in &self.lines {
            let before = line.before.iter().map(String::as_str);
            let facets = self.facets.iter().map(|facet| line.facets.get(facet).map_or("", String::as_str));
            let after = AFTER.iter().map(|name| line.after.get(name).map_or("", String::as_str));
            table.line(before.chain(facets).chain(after));
        }
        table.text()
    }
}

fn share(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| format!("{value:.7}"))
}

#[cfg(test)]
mod tests {
    use super::super::examples::document;
    use super::*;

    #[test]
    fn one_line_per_prompt() {
        let mut document = document();
        document.cases[0].facets.insert("task".into(), "=cmd".into());
        let mut table = ItemTable::default();
        table.add(&document.cases[0], Benchmark::Demo, &document);
        table.add_failure("demo/other", Benchmark::Demo, "too long");
        insta::assert_snapshot!(table.text());
    }
}
