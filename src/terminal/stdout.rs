//! Output to stdout.

use std::io::Write;

use crate::safe_text::for_terminal;

/// Writes text for people to stdout, with control sequences in data escaped.
pub fn print_text(text: &str) -> std::io::Result<()> {
    print(&for_terminal(text))
}

/// Formats a table without frames: a header and rows. Columns are as wide as their widest cell; in a terminal, cells wrap
/// where the table would be wider.
pub fn table(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = comfy_table::Table::new();
    table.load_preset(comfy_table::presets::NOTHING).set_header(header.to_vec());
    table.set_content_arrangement(comfy_table::ContentArrangement::Dynamic);
    for row in rows {
        table.add_row(row);
    }
    for (at, column) in table.column_iter_mut().enumerate() {
        column.set_padding((if at == 0 { 0 } else { 2 }, 0));
    }
    table.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// Writes text to stdout; a closed pipe is an error that the caller passes on.
pub fn print(text: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}
