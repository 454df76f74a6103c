//! Views of a [`Document`](super::Document): a page, a figure, tables, tensors and terminal text.

mod caption;
mod csv;
mod figure;
mod flow;
mod inside_csv;
mod inside_latex;
mod inside_terminal;
mod latex;
mod page;
mod tensors;
mod terminal;

pub use csv::csv;
pub use figure::svg;
pub use inside_csv::{heads_csv, roles_csv};
pub use latex::latex;
pub use page::{FULL_PAGE, html};
pub use tensors::tensors;
pub use terminal::{Colour, terminal};

#[cfg(test)]
mod examples;
#[cfg(test)]
mod examples_inside;
