//! What is shown of results: tables in every format, pages, figures, exports, names and published rows.

mod exports;
mod figures;
mod formats;
mod headline;
mod names;
mod page;
mod published_rows;
mod shaping;
mod views;
