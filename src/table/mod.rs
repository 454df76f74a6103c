//! Tables of text, written for terminals, Markdown, LaTeX and spreadsheets; nothing here knows what they hold.

mod csv;
mod grid;
mod latex;
mod markdown;
mod terminal;
mod wrap;

use strum::{IntoStaticStr, VariantArray};

use crate::name::named;

pub use csv::{CsvTable, comma_separated};
pub use grid::{Grid, GridRow};
pub use markdown::escaped;
pub use terminal::Screen;
pub use wrap::{LINE, hanging, wrap, wrap_to};

/// How results are written.
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
    /// One JSON line an item.
    Items,
    /// A page for a browser.
    Html,
}

named!(Format, "report format");

/// One way of writing.
pub trait GridWriter {
    /// A table; `screen` matters to a terminal only.
    fn table(&self, grid: &Grid, screen: Screen) -> String;

    /// A line before such a table; names are `width` wide.
    fn fact(&self, name: &str, value: &str, width: usize) -> String {
        format!("{name:<width$}  {value}\n")
    }

    /// Such lines, values standing below each other.
    fn facts(&self, facts: &[(&str, String)]) -> String {
        let width = facts.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        facts.iter().map(|(name, value)| self.fact(name, value, width)).collect()
    }

    /// All of a text that is no report, with what must stand before it.
    fn document(&self, text: String) -> String {
        text
    }

    /// A line after such a table.
    fn remark(&self, text: &str) -> String {
        format!("{text}\n")
    }
}

impl Format {
    /// What writes tables. Formats not made of text tables (CSV, JSON, items, HTML) take the terminal's writer.
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

/// One table that holds no results, with lines before and after it.
pub fn render_grid(before: &[(&str, String)], grid: &Grid, after: &[String], format: Format, screen: Screen) -> String {
    format.writer().document(part_of(before, grid, after, format, screen))
}

/// Several tables that hold no results, each below its title and above its notes, with lines before them.
pub fn render_grids(before: &[(&str, String)], grids: &[Grid], format: Format, screen: Screen) -> String {
    let writer = format.writer();
    let mut text = writer.facts(before);
    for grid in grids {
        if !text.is_empty() {
            text.push('\n');
        }
        // Where a remark is an entry of a list, it ends before a table begins.
        let apart = if matches!(format, Format::Markdown) { "\n" } else { "" };
        text.push_str(&format!("{}{apart}", writer.remark(&grid.title)));
        text.push_str(&format!("{}{apart}", writer.table(grid, screen)));
        for note in &grid.notes {
            let note = if matches!(format, Format::Terminal) { wrap(note) } else { note.clone() };
            text.push_str(&writer.remark(&note));
        }
    }
    writer.document(text)
}

/// Like [`render_grid`], without what stands around a document: for a part of a longer text.
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
