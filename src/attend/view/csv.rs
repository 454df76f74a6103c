//! Keywords as CSV: one line per prompt, query position and keyword.

use crate::attend::Document;

/// Columns: `item, variant, model, language, right, query, rank, word, weight, occurrences`. `right` is empty where
/// there is nothing to judge; `weight` is a share from 0 to 1.
pub fn csv(document: &Document) -> Result<String, ::csv::Error> {
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
    for case in &document.cases {
        let right = case.right.map_or(String::new(), |right| right.to_string());
        for row in &case.rows {
            for (rank, word) in row.ranking.iter().take(document.settings.top).enumerate() {
                writer.write_record([
                    &case.item,
                    &case.variant,
                    &document.models[case.model].name,
                    case.language.code(),
                    &right,
                    &row.query,
                    &(rank + 1).to_string(),
                    &word.text,
                    &format!("{:.7}", word.weight),
                    &word.words.len().to_string(),
                ])?;
            }
        }
    }
    let bytes = writer.into_inner().map_err(|error| ::csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::super::examples::document;

    #[test]
    fn one_line_per_keyword() {
        insta::assert_snapshot!(super::csv(&document()).unwrap());
    }
}
