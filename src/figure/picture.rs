//! Figures as files of pixels or pages.

/// A drawn figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// The file's bytes.
    pub bytes: Vec<u8>,
    /// Characters that no font of this machine has, each once, in order of appearance: drawn as empty boxes.
    pub missing: Vec<char>,
}

/// What a file says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct About<'a> {
    /// The program that made it, with its version.
    pub program: &'a str,
    /// What it holds, for programs that read descriptions.
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
    /// The figure is no SVG.
    #[error("the figure cannot be read: {0}")]
    Figure(String),
    /// The picture would be empty or too large.
    #[error("a picture of {width} x {height} pixels cannot be made")]
    Size {
        /// Pixels across.
        width: u32,
        /// Pixels down.
        height: u32,
    },
    /// The picture cannot be written as PNG.
    #[error("the picture cannot be written: {0}")]
    Png(String),
    /// The picture cannot be written as PDF.
    #[error("the figure cannot be written as PDF: {0}")]
    Pdf(String),
}
