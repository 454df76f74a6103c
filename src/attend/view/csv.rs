//! Keywords as CSV: one line per prompt, query position and keyword.

use crate::attend::Document;
use crate::attend::document::Case;
use crate::untrusted::for_cell;

/// Columns: `item, variant, model, language, right, query, rank, word, weight, occurrences`. `right` is empty where
/// there is nothing to judge; `weight` is a share from 0 to 1. Text that a spreadsheet would take for a formula begins
/// with an apostrophe.
pub fn csv(document: &Document) -> Result<String, ::csv::Error> {
    let mut table = KeywordTable::new()?;
    document.cases.iter().try_for_each(|case| table.add(case, document))?;
    table.text()
}

/// The table in the making, prompt by prompt.
pub struct KeywordTable {
    writer: ::csv::Writer<Vec<u8>>,
}

impl KeywordTable {
    /// A table without lines.
    pub fn new() -> Result<Self, ::csv::Error> {
        let mut writer = ::csv::Writer::from_writer(Vec::new());
        writer.write_record([
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
        ])?;
        Ok(KeywordTable { writer })
    }

    /// Add the keywords of a prompt; `document` names its model and the number of keywords.
    pub fn add(&mut self, case: &Case, document: &Document) -> Result<(), ::csv::Error> {
        let right = case.right.map_or(String::new(), |right| right.to_string());
        for row in &case.rows {
            for (rank, word) in row.ranking.iter().take(document.settings.top).enumerate() {
                let (rank, occurrences) = ((rank + 1).to_string(), word.words.len().to_string());
                let cells = [
                    case.item.as_str(),
                    &case.variant,
                    &document.models[case.model].name,
                    case.language.code(),
                    &right,
                    &row.query,
                    &rank,
                    &word.text,
                    &format!("{:.7}", word.weight),
                    &occurrences,
                ];
                self.writer.write_record(cells.map(for_cell).iter().map(|cell| cell.as_bytes()))?;
            }
        }
        Ok(())
    }

    /// The whole table.
    pub fn text(self) -> Result<String, ::csv::Error> {
        let bytes = self.writer.into_inner().map_err(|error| ::csv::Error::from(error.into_error()))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::super::examples::document;

    #[test]
    fn one_line_per_keyword() {
        insta::assert_snapshot!(super::csv(&document()).unwrap());
    }

    #[test]
    fn no_cell_is_a_formula() {
        let mut document = document();
        document.cases[0].item = "=HYPERLINK(\"http://x\")".into();
        document.models[0].name = "@m".into();
        document.cases[0].rows[0].ranking[0].text = "+1".into();
        let text = super::csv(&document).unwrap();
        let line = text.lines().nth(1).unwrap();
        assert!(line.starts_with("\"'=HYPERLINK(\"\"http://x\"\")\",,'@m,en,false,answer,1,'+1,0."), "{line}");
    }
}
