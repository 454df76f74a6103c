//! Views of a [`Document`](super::Document): a page, a figure, tables, tensors and terminal text.

mod caption;
mod csv;
mod drawing;
mod figure;
mod flow;
mod head_map;
mod latex;
mod page;
mod person;
mod tensors;
mod terminal;

pub use csv::csv;
pub use figure::svg;
pub use latex::latex;
pub use page::{FULL_PAGE, html};
pub use person::{Panel, person_svg};
pub use tensors::tensors;
pub use terminal::{Colour, terminal};

#[cfg(test)]
mod examples;
