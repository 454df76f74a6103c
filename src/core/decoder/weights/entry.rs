//! A weight file's table of contents entry for one tensor.

use std::path::Path;

/// An entry of the table of tensors.
#[derive(Debug, Clone, Copy)]
pub struct TensorEntry<'a> {
    /// Name of the tensor.
    pub name: &'a str,
    /// Its dimensions, the slowest first.
    pub shape: &'a [usize],
    /// The file that contains it.
    pub file: &'a Path,
}
