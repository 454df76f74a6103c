//! Tables for terminals, Markdown, LaTeX and spreadsheets, independent of their content.

mod csv;
mod grid;
mod latex;
mod markdown;
mod terminal;
mod value;
mod wrap;

use strum::{IntoStaticStr, VariantArray};

use crate::name::named;

pub use csv::{CsvTable, comma_separated};
pub use grid::{Grid, GridRow};
pub use markdown::escaped;
pub(crate) use value::cells;
pub use value::{Number, Value};
pub use wrap::{LINE, Screen, hanging, wrap, wrap_to};

/// Output formats of results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Format {
    /// Tables for a terminal.
    #[default]
    Terminal,
    /// Markdown with pipe tables.
    Markdown,
    /// One line per cell.
    Csv,
    /// The content of `results.json`.
    Json,
    /// Tables for the booktabs package.
    Latex,
    /// One JSON line per item.
    Items,
    /// A page for a browser.
    Html,
}

named!(Format, "report format");

/// Writes grids in one format.
pub trait GridWriter {
    /// A table; `screen` matters only to a terminal.
    fn table(&self, grid: &Grid, screen: Screen) -> String;

    /// A line before a table; names are padded to `width`.
    fn fact(&self, name: &str, value: &str, width: usize) -> String {
        format!("{name:<width$}  {value}\n")
    }

    /// Such lines, with aligned values.
    fn facts(&self, facts: &[(&str, String)]) -> String {
        let width = facts.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        facts.iter().map(|(name, value)| self.fact(name, value, width)).collect()
    }

    /// A complete document, with the preamble it needs.
    fn document(&self, text: String) -> String {
        text
    }

    /// A line after a table.
    fn remark(&self, text: &str) -> String {
        format!("{text}\n")
    }
}

impl Format {
    /// The writer of tables. Formats not made of text tables (CSV, JSON, items, HTML) use the terminal's.
    pub fn writer(self) -> &'static dyn GridWriter {
        match self {
            Format::Markdown => &markdown::Markdown,
            Format::Latex => &latex::Latex,
            Format::Terminal | Format::Csv | Format::Json | Format::Items | Format::Html => &terminal::Terminal,
        }
    }

    /// A table in this format.
    pub fn table(self, grid: &Grid, screen: Screen) -> String {
        self.writer().table(grid, screen)
    }
}

/// Renders one table, with lines before and after it.
pub fn render_grid(before: &[(&str, String)], grid: &Grid, after: &[String], format: Format, screen: Screen) -> String {
    format.writer().document(part_of(before, grid, after, format, screen))
}

/// Renders several tables, each below its title and above its notes, with lines before them.
pub fn render_grids(before: &[(&str, String)], grids: &[Grid], format: Format, screen: Screen) -> String {
    let writer = format.writer();
    let mut text = writer.facts(before);
    for grid in grids {
        if !text.is_empty() {
            text.push('\n');
        }
        // In Markdown, remarks are list entries, so a blank line must precede a table.
        let apart = if matches!(format, Format::Markdown) { "\n" } else { "" };
        text.push_str(&format!("{}{apart}", writer.remark(&grid.title)));
        text.push_str(&format!("{}{apart}", writer.table(grid, screen)));
        for note in grid.remarks("") {
            let note = if matches!(format, Format::Terminal) { wrap(&note) } else { note };
            text.push_str(&writer.remark(&note));
        }
    }
    writer.document(text)
}

/// Like [`render_grid`], without the document's frame: for part of a longer text.
pub fn part_of(before: &[(&str, String)], grid: &Grid, after: &[String], format: Format, screen: Screen) -> String {
    let writer = format.writer();
    let mut text = writer.facts(before);
    if !before.is_empty() {
        text.push('\n');
    }
    text.push_str(&writer.table(grid, screen));
    if !after.is_empty() {
        text.push('\n');
    }
    text.extend(after.iter().map(|line| writer.remark(line)));
    text
}
