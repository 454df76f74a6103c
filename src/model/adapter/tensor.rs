//! Classifies the tensors of an adapter by name.

/// A tensor of an adapter, with its module.
pub(super) struct Tensor<'a> {
    pub module: &'a str,
    pub part: Factor,
}

/// The role of a tensor for its module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Factor {
    /// The factor applied to the inputs.
    First,
    /// The same for an embedding, transposed.
    FirstOfEmbedding,
    /// The other factor.
    Second,
    /// The weight itself.
    Weight,
    /// The bias itself.
    Bias,
}

impl<'a> Tensor<'a> {
    /// Parse a name without its prefix.
    pub fn from_name(name: &'a str) -> Self {
        const ENDINGS: [(&str, Factor); 8] = [
            (".lora_A.weight", Factor::First),
            (".lora_B.weight", Factor::Second),
            (".lora_embedding_A", Factor::FirstOfEmbedding),
            (".lora_embedding_B", Factor::Second),
            (".base_layer.weight", Factor::Weight),
            (".base_layer.bias", Factor::Bias),
            (".weight", Factor::Weight),
            (".bias", Factor::Bias),
        ];
        let found = ENDINGS.iter().find_map(|(ending, part)| Some((name.strip_suffix(ending)?, *part)));
        let (module, part) = found.unwrap_or((name, Factor::Weight));
        Tensor { module, part }
    }
}
