//! Figures as image or PDF files.

/// Metadata of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct About<'a> {
    /// Creating program, with its version.
    pub program: &'a str,
    /// Description of its content.
    pub subject: &'a str,
}

/// A figure that cannot be drawn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PictureError {
    /// Built without the feature `figures`.
    #[cfg(not(feature = "figures"))]
    #[error("this build draws no pictures; build with `--features figures` for PNG and PDF")]
    NotBuilt,
    /// The figure is not valid SVG.
    #[error("the figure cannot be read: {0}")]
    Figure(String),
    /// The picture would be empty or too large.
    #[error("a picture of {width} x {height} pixels cannot be made")]
    Size {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
    },
    /// The picture cannot be written as PNG.
    #[error("the picture cannot be written: {0}")]
    Png(String),
    /// The picture cannot be written as PDF.
    #[error("the figure cannot be written as PDF: {0}")]
    Pdf(String),
}
