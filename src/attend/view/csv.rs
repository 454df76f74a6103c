//! Keywords as CSV: one line per prompt, query position and keyword.

use crate::attend::results::{Case, Document};
use crate::safe_text::for_cell;
use crate::table::CsvTable;

/// Columns: `item, variant, model, language, right, query, rank, word, weight, occurrences`. `right` is empty if there
/// is nothing to judge; `weight` is a share from 0 to 1. Text that a spreadsheet would read as a formula gets a leading
/// apostrophe.
pub fn csv(document: &Document) -> String {
    let mut table = KeywordTable::default();
    document.cases.iter().for_each(|case| table.add(case, document));
    table.text()
}

/// Builds the table, prompt by prompt.
pub struct KeywordTable(CsvTable);

impl Default for KeywordTable {
    fn default() -> Self {
        KeywordTable(CsvTable::new([
            "item",
            "variant",
            "model",
            "language",
            "right",
            "query",
            "rank",
            "word",
            "weight",
            "occurrences",
        ]))
    }
}

impl KeywordTable {
    /// Adds the keywords of a prompt; `document` gives the model's name and the number of keywords.
    pub fn add(&mut self, case: &Case, document: &Document) {
        let right = case.right.map_or(String::new(), |right| right.to_string());
        for row in &case.rows {
            for (rank, word) in row.ranking.iter().take(document.settings.top).enumerate() {
                self.0.line([
                    case.item.as_str(),
                    &case.variant,
                    &document.models[case.model].name,
                    case.language.code(),
                    &right,
                    &row.query,
                    &(rank + 1).to_string(),
                    // Always text, even if it consists of digits.
                    &for_cell(&word.text),
                    &format!("{:.7}", word.weight),
                    &word.words.len().to_string(),
                ]);
            }
        }
    }

    /// The whole table.
    pub fn text(self) -> String {
        self.0.text()
    }
}

#[cfg(test)]
mod tests {
    use super::super::examples::document;

    #[test]
    fn one_line_per_keyword() {
        insta::assert_snapshot!(super::csv(&document()));
    }

    #[test]
    fn no_cell_is_a_formula() {
        let mut document = document();
        document.cases[0].item = "=HYPERLINK(\"http://x\")".into();
        document.models[0].name = "@m".into();
        document.cases[0].rows[0].ranking[0].text = "+1".into();
        let text = super::csv(&document);
        let line = text.lines().nth(1).unwrap();
        assert!(line.starts_with("\"'=HYPERLINK(\"\"http://x\"\")\",,'@m,en,false,answer,1,'+1,0."), "{line}");
    }
}
