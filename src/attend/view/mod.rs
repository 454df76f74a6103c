//! Views of a [`Document`](super::results::Document): a page, a figure, tables, tensors and terminal text.

mod caption;
mod csv;
mod differences;
mod drawing;
mod figure;
mod flow;
mod folder_page;
mod group_tables;
mod head_map;
mod items;
mod latex;
mod page;
mod person;
mod plain;
mod stored_table;
mod tensors;
mod terminal;
mod witness;
mod witness_csv;
mod witness_terminal;

pub use csv::{KeywordTable, csv};
pub use drawing::Drawn;
pub use figure::svg;
pub use folder_page::{FolderPage, html_of_stored};
pub use head_analysis_csv::{RolesTable, heads_csv, roles_csv};
pub use items::ItemTable;
pub use latex::{group_tables, latex};
pub use page::{FULL_PAGE, html, stored_map};
pub use person::{Panel, person_svg};
pub use tensors::tensors;
pub use terminal::{Colour, terminal};
pub use witness::witness_svg;
pub use witness_csv::witness_csv;

#[cfg(test)]
pub(super) mod examples;
#[cfg(test)]
mod examples_head_analysis;
mod head_analysis_csv;
mod head_analysis_latex;
mod head_analysis_terminal;
