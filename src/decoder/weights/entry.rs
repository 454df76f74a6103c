//! A weight file's table of contents entry for one tensor.

use std::path::Path;

/// An entry of the table of tensors.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TensorEntry<'a> {
    pub name: &'a str,
    pub shape: &'a [usize],
    /// The file that contains it.
    pub file: &'a Path,
}
