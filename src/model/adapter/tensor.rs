//! The tensors of an adapter by their names.

/// A tensor of an adapter by the module it is for.
pub(super) struct Tensor<'a> {
    pub module: &'a str,
    pub part: Part,
}

/// What a tensor is to its module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// The factor that takes the inputs.
    First,
    /// The same of an embedding, turned.
    FirstOfEmbedding,
    /// The other factor.
    Second,
    /// The weight itself.
    Weight,
    /// The bias itself.
    Bias,
}

impl<'a> Tensor<'a> {
    /// The module that a name, without its beginning, is for.
    pub fn from_name(name: &'a str) -> Self {
        const ENDINGS: [(&str, Part); 8] = [
            (".lora_A.weight", Part::First),
            (".lora_B.weight", Part::Second),
            (".lora_embedding_A", Part::FirstOfEmbedding),
            (".lora_embedding_B", Part::Second),
            (".base_layer.weight", Part::Weight),
            (".base_layer.bias", Part::Bias),
            (".weight", Part::Weight),
            (".bias", Part::Bias),
        ];
        let found = ENDINGS.iter().find_map(|(ending, part)| Some((name.strip_suffix(ending)?, *part)));
        let (module, part) = found.unwrap_or((name, Part::Weight));
        Tensor { module, part }
    }
}
