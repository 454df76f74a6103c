//! CSV files without a header in the shape of MMLU's: a question, its options, the letter of the right one.

use crate::benchmark::LoadError;
use crate::benchmark::own::{OwnData, QuestionField};
use crate::benchmark::rows::RowFile;

use super::likely;

/// The columns of a file with that shape, unless the user declared any; its rows are then read without a header.
pub(super) fn columns(rows: &mut RowFile<'_>, own: &OwnData) -> Result<Option<OwnData>, LoadError> {
    if own.no_header || !own.columns.is_empty() || !own.texts.is_empty() || !rows.set_header(false) {
        return Ok(None);
    }
    // Every row is checked: the last field of a header, or of some rows, may happen to be a letter.
    let (mut first, mut fits) = (None, true);
    rows.each(&mut |row| {
        let Some(row) = row.ok().filter(|_| fits) else { return };
        let fields: Vec<&str> = row.cells.values().filter_map(|cell| cell.as_str()).map(str::trim).collect();
        let options = fields.len().saturating_sub(2);
        let is_letter = match fields.last().map_or(&[][..], |last| last.as_bytes()) {
            [letter @ b'A'..=b'Z'] => usize::from(letter - b'A') < options,
            _ => false,
        };
        let is_header = first.is_none() && fields.iter().any(|field| likely::by_name(&super::plain(field)).is_some());
        fits &= options >= 2 && is_letter && !is_header;
        first.get_or_insert(options);
    })?;
    let options = match first {
        Some(options) if fits && options <= usize::from(QuestionField::OPTIONS) => options,
        _ => {
            rows.set_header(true);
            return Ok(None);
        }
    };
    let mut parts = vec![QuestionField::Question];
    parts.extend((0..QuestionField::OPTIONS).map(QuestionField::Option).take(options));
    parts.push(QuestionField::Answer);
    let columns = parts.into_iter().zip(1..).map(|(part, column)| (part, column.to_string())).collect();
    Ok(Some(OwnData { columns, no_header: true, ..own.clone() }))
}

/// Describes how such a file was read.
pub(super) fn in_words(own: &OwnData) -> String {
    let last = own.columns.len();
    format!(
        "read as MMLU's CSV without a header: question in column 1, options in columns 2 to {}, answer in column {last}",
        last - 1
    )
}
