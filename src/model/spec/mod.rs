//! From a configuration to the [`DecoderSpec`] that the decoder computes by.

mod family;
mod gguf;
mod hub;
mod keys;

use std::path::Path;

use super::ModelError;
use crate::decoder::DecoderSpec;

pub(super) use gguf::read as of_gguf;
pub use hub::read as read_config;

/// Check that the sizes fit each other; `file` is named in the error.
fn checked(spec: DecoderSpec, file: &Path) -> Result<DecoderSpec, ModelError> {
    let wrong = |key: &str, value: String, expected: String| {
        Err(ModelError::Setting { file: file.to_path_buf(), key: key.to_string(), value, expected })
    };
    for (key, value) in [
        ("vocabulary size", spec.vocab_size),
        ("hidden size", spec.hidden),
        ("number of layers", spec.layers),
        ("number of heads", spec.heads),
        ("number of key-value heads", spec.kv_heads),
        ("head size", spec.head_dim),
        ("intermediate size", spec.intermediate),
        ("context length", spec.max_position),
    ] {
        if value == 0 {
            return wrong(key, "0".to_string(), "expected at least 1".to_string());
        }
    }
    if !spec.heads.is_multiple_of(spec.kv_heads) {
        return wrong("number of heads", spec.heads.to_string(), format!("expected a multiple of {}", spec.kv_heads));
    }
    for rotary in &spec.rotaries {
        if rotary.width == 0 || rotary.width > spec.head_dim || !rotary.width.is_multiple_of(2) {
            let expected = format!("expected an even number up to the head size {}", spec.head_dim);
            return wrong("rotary dimensions", rotary.width.to_string(), expected);
        }
    }
    Ok(spec)
}
