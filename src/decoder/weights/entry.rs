//! What the table of contents of a weight file says of one tensor.

use std::path::Path;

/// A line of the table of tensors.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TensorEntry<'a> {
    pub name: &'a str,
    pub shape: &'a [usize],
    /// The file it is in.
    pub file: &'a Path,
}
