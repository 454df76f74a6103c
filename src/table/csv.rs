//! CSV.

use std::borrow::Cow;

use crate::safe_text::for_cell;

/// CSV lines below a header, all with the same number of cells, each cell safe for spreadsheet programs.
pub struct CsvTable(csv::Writer<Vec<u8>>);

impl CsvTable {
    /// An empty table.
    pub fn new<S: AsRef<str>>(header: impl IntoIterator<Item = S>) -> Self {
        let mut table = CsvTable(csv::Writer::from_writer(Vec::new()));
        table.line(header);
        table
    }

    /// Adds a line.
    pub fn line<S: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = S>) {
        let cells = cells.into_iter().map(|cell| harmless(cell.as_ref()).into_owned());
        self.0.write_record(cells.collect::<Vec<_>>()).expect("lines are of one length, in memory");
    }

    /// The whole table.
    pub fn text(self) -> String {
        let bytes = self.0.into_inner().expect("writing to memory does not fail");
        String::from_utf8(bytes).expect("fields are UTF-8")
    }
}

/// A whole table of these lines.
pub fn comma_separated<S: AsRef<str>>(header: &[&str], lines: impl Iterator<Item = impl AsRef<[S]>>) -> String {
    let mut table = CsvTable::new(header);
    lines.for_each(|line| table.line(line.as_ref()));
    table.text()
}

/// Numbers stay as they are, so that programs can read them back; formulas are marked as text ([`for_cell`]).
fn harmless(cell: &str) -> Cow<'_, str> {
    match cell.parse::<f64>() {
        Ok(_) => Cow::Borrowed(cell),
        Err(_) => for_cell(cell),
    }
}
