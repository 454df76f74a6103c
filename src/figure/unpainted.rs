//! Stand-in for the painter in builds without pictures.

use std::collections::BTreeSet;

use super::{About, PictureError};

/// Draws figures; never constructed without the feature `figures`.
pub enum Painter {}

impl Painter {
    /// Fails with [`PictureError::NotBuilt`].
    pub fn open() -> Result<Painter, PictureError> {
        Err(PictureError::NotBuilt)
    }

    /// Draws an SVG figure at `scale` pixels per unit.
    pub fn png(&self, _: &str, _: f32) -> Result<Vec<u8>, PictureError> {
        match *self {}
    }

    /// Draws an SVG figure on a page of its size.
    pub fn pdf(&self, _: &str, _: About<'_>) -> Result<Vec<u8>, PictureError> {
        match *self {}
    }

    /// Whether no fonts are installed.
    pub fn lacks_fonts(&self) -> bool {
        match *self {}
    }

    /// Characters of a text that no font has.
    pub(super) fn lacking(&self, _: &str) -> BTreeSet<char> {
        match *self {}
    }
}
