//! Decoder errors, from reading weight files to computing hidden states.

use std::path::PathBuf;

/// A decoder error: names the file, key, tensor or pass that is wrong, and the remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DecoderError {
    /// A part to be switched off does not exist.
    #[error("the model has no {}: it has layers 0 to {}, each with heads 0 to {}", part(*layer, *head), layers - 1, heads - 1)]
    NoSuchPart {
        /// The layer.
        layer: usize,
        /// The head; `None` for the layer's whole attention.
        head: Option<usize>,
        /// Layers of the model.
        layers: usize,
        /// Heads of a layer.
        heads: usize,
    },
    /// The parts of a model do not add up to its logits.
    #[error("head contributions are not supported for {family}: {reason}")]
    NoContributions {
        /// The model's family.
        family: &'static str,
        /// The reason.
        reason: &'static str,
    },
    /// A file could not be opened or read.
    #[error("{}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// A file does not have the format its name suggests, or is truncated.
    #[error("{}: {problem}; fetch the file again", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// The parser's message.
        problem: String,
    },
    /// A weight is missing from the files.
    #[error("{}: weight `{tensor}` is missing; the files are incomplete or of another model family: fetch them again", file.display())]
    MissingWeight {
        /// The weight file or index.
        file: PathBuf,
        /// The tensor's name.
        tensor: String,
    },
    /// A weight's shape does not match the configuration.
    #[error(
        "{}: weight `{tensor}` has shape {found:?}, but the configuration requires {expected:?}; \
         weights and configuration do not match", file.display()
    )]
    Shape {
        /// The weight file.
        file: PathBuf,
        /// The tensor's name.
        tensor: String,
        /// Its shape in the file.
        found: Vec<usize>,
        /// The shape the configuration implies.
        expected: Vec<usize>,
    },
    /// A weight is stored in an unsupported number format.
    #[error("{}: weight `{tensor}` is stored as {dtype}; {expected}", file.display())]
    WeightType {
        /// The weight file.
        file: PathBuf,
        /// The tensor's name.
        tensor: String,
        /// The format in the file.
        dtype: String,
        /// The supported formats.
        expected: &'static str,
    },
    /// The precision cannot be used with these weights or on this device.
    #[error("precision {precision} cannot be used: {reason}")]
    Precision {
        /// The requested precision.
        precision: &'static str,
        /// The reason, and an alternative.
        reason: String,
    },
    /// A device computes wrong products.
    #[error(
        "{device} computes wrong products of {kind} weights, off by {difference} in a test of values around 10; this build's \
         CUDA kernels are for {built_for}: build with CUDA_COMPUTE_CAP set for this GPU, or use --device cpu"
    )]
    WrongProduct {
        /// The device.
        device: String,
        /// Kind of the weights.
        kind: String,
        /// Largest difference from the CPU's result.
        difference: f32,
        /// The GPU architecture of this build.
        built_for: &'static str,
    },
    /// A sequence is longer than the model accepts.
    #[error("a sequence of {depth} tokens exceeds the {limit} tokens of the {what}")]
    TooLong {
        /// Length of the longest path in the pass.
        depth: usize,
        /// The largest length accepted.
        limit: usize,
        /// Which limit was exceeded.
        what: &'static str,
    },
    /// Rows computed with different rotary factors would have to attend to each other.
    #[error(
        "a sequence of {depth} tokens shares a prefix with one on the other side of the original context of {original} \
         tokens: the rotary factors differ, so they cannot share keys and values"
    )]
    RotaryFactors {
        /// The original context.
        original: usize,
        /// Length of the sequence.
        depth: usize,
    },
    /// A pass contradicts itself or the cache.
    #[error("malformed pass: {0}")]
    Pass(String),
    /// A cache belongs to a decoder on another device or of another shape.
    #[error("the cache belongs to another decoder")]
    ForeignCache,
    /// The tensor library failed.
    #[error(transparent)]
    Tensor(#[from] candle_core::Error),
}

impl DecoderError {
    /// Whether a device ran out of memory.
    pub fn is_out_of_memory(&self) -> bool {
        let DecoderError::Tensor(error) = self else { return false };
        let mut causes = std::iter::successors(Some(error as &dyn std::error::Error), |&error| error.source());
        // Drivers report named codes, cuBLAS a status; neither is typed by the time it arrives here.
        causes.any(|cause| {
            let text = cause.to_string().to_ascii_lowercase();
            text.contains("out_of_memory")
                || text.contains("out of memory")
                || text.contains("cublas_status_alloc_failed")
        })
    }
}

fn part(layer: usize, head: Option<usize>) -> String {
    match head {
        Some(head) => format!("head {head} in layer {layer}"),
        None => format!("layer {layer}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_driver_says_of_its_memory_is_known() {
        let driver = |text: &str| DecoderError::Tensor(candle_core::Error::Cuda(text.to_string().into()));
        assert!(driver("DriverError(CUDA_ERROR_OUT_OF_MEMORY, \"out of memory\")").is_out_of_memory());
        assert!(driver("CublasError(CUBLAS_STATUS_ALLOC_FAILED)").is_out_of_memory());
        assert!(!driver("DriverError(CUDA_ERROR_ILLEGAL_ADDRESS)").is_out_of_memory());
        assert!(!DecoderError::ForeignCache.is_out_of_memory());
    }
}
