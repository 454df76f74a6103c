//! Parts of a model that are switched off to see what depends on them.

use super::{DecoderError, DecoderSpec};

/// Heads whose output is zero, and layers whose attention adds nothing, at every position. Later layers are computed
/// from the remaining stream; nothing is rescaled (Michel, Levy and Neubig 2019, "Are Sixteen Heads Really Better than
/// One?", section 2.3).
///
/// The bias of the output product stays when heads are switched off, and goes when a whole layer's attention does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ablation {
    /// Layer and head, counted from 0.
    pub heads: Vec<(usize, usize)>,
    /// Layers, counted from 0.
    pub attention: Vec<usize>,
}

impl Ablation {
    /// Checks that the model has these parts.
    ///
    /// # Errors
    /// Names the first part that the model does not have.
    pub fn check(&self, spec: &DecoderSpec) -> Result<(), DecoderError> {
        let absent = |layer: usize, head: Option<usize>| DecoderError::NoSuchPart {
            layer,
            head,
            layers: spec.layers,
            heads: spec.heads,
        };
        let head = self.heads.iter().find(|(layer, head)| *layer >= spec.layers || *head >= spec.heads);
        if let Some(&(layer, head)) = head {
            return Err(absent(layer, Some(head)));
        }
        match self.attention.iter().find(|&&layer| layer >= spec.layers) {
            Some(&layer) => Err(absent(layer, None)),
            None => Ok(()),
        }
    }

    /// Whether a layer's attention is switched off.
    pub(super) fn silences(&self, layer: usize) -> bool {
        self.attention.contains(&layer)
    }

    /// Heads of a layer that are switched off.
    pub(super) fn heads_of(&self, layer: usize) -> impl Iterator<Item = usize> + '_ {
        self.heads.iter().filter(move |(of, _)| *of == layer).map(|(_, head)| *head)
    }
}
