//! The transformer itself: weights in, hidden states, log-probabilities and attention rows out.
//!
//! One skeleton ([`forward`]) serves all families; what differs between them is data in a [`DecoderSpec`]. It runs on one of
//! two arithmetics: fused loops over slices on the CPU, plain tensor operations on other devices. The unit of work is a
//! [`Pass`]: any number of branches of a token trie, packed side by side, each attending to its own path.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use candle_core::quantized::GgmlDType;
use candle_core::{DType, Device, Tensor};

mod cache;
mod capture;
#[cfg(test)]
#[allow(clippy::single_range_in_vec_init)] // prefixes of one range are meant
mod compare;
mod error;
mod forward;
mod host;
mod load;
mod ops;
mod pass;
mod rotary;
mod spec;
mod tensors;
mod weights;

pub use cache::KvCache;
pub use capture::{Capture, CapturedAttention, CapturedQuery};
pub use error::DecoderError;
pub use pass::{Branch, Pass};
pub use rotary::{Pairing, Rotary, Scaling};
pub use spec::{Activation, DecoderSpec, LayerAttention, QueryKeyNorm};
pub use weights::Weights;

use cache::Layers;
use forward::{Keep, Model};
use host::Host;
use ops::Ops;
use pass::Layout;
pub(crate) use spec::Naming;
use tensors::Tensors;
pub(crate) use weights::Gguf;

/// How weights are kept. Softmax, norms and log-probabilities are computed in f32 in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Precision {
    /// 32-bit floating point; GGUF blocks are expanded when they are loaded.
    F32,
    /// IEEE half precision. On CPU the weights alone; activations are f32 there.
    F16,
    /// bfloat16. On CPU the weights alone; activations are f32 there.
    BF16,
    /// GGUF blocks as they are (Q4_0 and Q5_0 as the same values in Q8_0). On CPU, formats with fast products in candle are
    /// multiplied so, with activations rounded to 8 bits, which moves scores with packing and machine; other formats, rows
    /// that are no multiple of 256 and the head are widened to f32 for each product and give the scores of `F32`. On other
    /// devices all products are candle's own.
    Quantized,
}

impl Precision {
    /// All precisions.
    pub const ALL: [Precision; 4] = [Precision::F32, Precision::F16, Precision::BF16, Precision::Quantized];

    /// The name used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Precision::F32 => "f32",
            Precision::F16 => "f16",
            Precision::BF16 => "bf16",
            Precision::Quantized => "quantized",
        }
    }

    /// Which matrices of a GGUF file stay in their blocks.
    fn keeps_blocks(self) -> load::KeepBlocks {
        match self {
            Precision::Quantized => |dtype| !matches!(dtype, GgmlDType::F32 | GgmlDType::F16 | GgmlDType::BF16),
            _ => |_| false,
        }
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A precision that is not known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown precision `{given}`; use f32, f16, bf16 or quantized")]
pub struct UnknownPrecision {
    /// The text as given.
    pub given: String,
}

impl FromStr for Precision {
    type Err = UnknownPrecision;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        let known = Precision::ALL.into_iter().find(|precision| precision.name() == given);
        known.ok_or_else(|| UnknownPrecision { given: given.to_string() })
    }
}

/// A loaded model.
pub struct Decoder {
    model: AnyModel,
}

enum AnyModel {
    Host(Box<Model<Host>>),
    Tensors(Box<Model<Tensors>>),
}

/// What a pass returns.
#[derive(Debug)]
pub struct PassOutput {
    /// Hidden states after the final norm, `(rows, hidden)` in f32, in the order of [`Pass::rows`].
    pub hidden: Tensor,
    /// The attention rows asked for.
    pub attention: Option<CapturedAttention>,
    /// Time spent on attention, over all layers. On devices that work by themselves it is the time to hand the work over.
    pub attending: Duration,
}

impl Decoder {
    /// Load a model for `device`.
    ///
    /// Peak memory is that of the weights as they are kept, plus the largest matrix in f32 where it is not kept so. Errors
    /// name the file or the tensor that is wrong.
    pub fn load(
        spec: DecoderSpec,
        weights: Weights,
        device: &Device,
        precision: Precision,
    ) -> Result<Decoder, DecoderError> {
        check_precision(&weights, precision)?;
        Decoder::build(spec, weights, device, precision)
    }

    /// Bytes of a model's weights once loaded, known before they are read.
    pub fn weight_bytes(
        spec: &DecoderSpec,
        weights: &Weights,
        device: &Device,
        precision: Precision,
    ) -> Result<u64, DecoderError> {
        check_precision(weights, precision)?;
        Ok(load::weight_bytes(spec, weights, device.is_cpu(), precision))
    }

    /// Load a model on plain tensor operations: what devices other than the CPU use, and on the CPU the slow reference for
    /// the fused operations.
    pub fn load_plain(
        spec: DecoderSpec,
        weights: Weights,
        device: &Device,
        precision: Precision,
    ) -> Result<Decoder, DecoderError> {
        check_precision(&weights, precision)?;
        Decoder::build_plain(spec, weights, device, precision)
    }

    fn build(
        spec: DecoderSpec,
        mut weights: Weights,
        device: &Device,
        precision: Precision,
    ) -> Result<Decoder, DecoderError> {
        if !device.is_cpu() {
            return Decoder::build_plain(spec, weights, device, precision);
        }
        let model = load::model(Host::new(precision), spec, &mut weights, precision.keeps_blocks())?;
        Ok(Decoder { model: AnyModel::Host(Box::new(model)) })
    }

    fn build_plain(
        spec: DecoderSpec,
        mut weights: Weights,
        device: &Device,
        precision: Precision,
    ) -> Result<Decoder, DecoderError> {
        let dtype = match precision {
            Precision::F32 => DType::F32,
            Precision::F16 => DType::F16,
            Precision::BF16 => DType::BF16,
            Precision::Quantized => DType::F32,
        };
        let ops = Tensors { device: device.clone(), dtype };
        Ok(Decoder {
            model: AnyModel::Tensors(Box::new(load::model(ops, spec, &mut weights, precision.keeps_blocks())?)),
        })
    }

    /// A model of the given shape with random weights, for measurements: it says nothing, at the speed of a real one. The
    /// same seed gives the same weights. `Precision::Quantized` is refused, there being no blocks.
    pub fn random(
        spec: DecoderSpec,
        seed: u64,
        device: &Device,
        precision: Precision,
    ) -> Result<Decoder, DecoderError> {
        if precision == Precision::Quantized {
            let reason = "random weights have no blocks; use f32, f16 or bf16";
            return Err(DecoderError::Precision { precision: precision.name(), reason });
        }
        Decoder::build(spec, Weights::random(seed), device, precision)
    }

    /// Sizes and settings.
    pub fn spec(&self) -> &DecoderSpec {
        match &self.model {
            AnyModel::Host(model) => &model.spec,
            AnyModel::Tensors(model) => &model.spec,
        }
    }

    /// The device the weights are on.
    pub fn device(&self) -> Device {
        match &self.model {
            AnyModel::Host(_) => Device::Cpu,
            AnyModel::Tensors(model) => model.ops.device.clone(),
        }
    }

    /// An empty cache.
    pub fn cache(&self) -> KvCache {
        fn layers<O: Ops>(model: &Model<O>) -> Vec<O::LayerCache> {
            model.layers.iter().map(|_| model.ops.layer_cache(&model.heads())).collect()
        }
        KvCache::new(match &self.model {
            AnyModel::Host(model) => Layers::Host(layers(model)),
            AnyModel::Tensors(model) => Layers::Tensors(layers(model)),
        })
    }

    /// Run one pass and append its keys and values to `cache`, one row per pass token.
    ///
    /// Fails on a malformed pass, on tokens outside the vocabulary, and on paths that leave the context; `cache` is then as it
    /// was before.
    pub fn forward(&self, cache: &mut KvCache, pass: &Pass) -> Result<PassOutput, DecoderError> {
        self.run(cache, pass, Keep::Everything)
    }

    /// Run one pass that no other one continues, and keep none of its keys and values: those of a layer are dropped before
    /// the next one is computed, so that a long sequence takes the memory of its activations alone. Fails as
    /// [`Decoder::forward`] does.
    pub fn forward_once(&self, pass: &Pass) -> Result<PassOutput, DecoderError> {
        self.run(&mut self.cache(), pass, Keep::Nothing)
    }

    fn run(&self, cache: &mut KvCache, pass: &Pass, keep: Keep) -> Result<PassOutput, DecoderError> {
        let spec = self.spec();
        let layout = Layout::check(pass, cache.rows(), spec.vocab_size)?;
        let beyond = check_depth(spec, cache, layout.depth)?;
        let _span = tracing::debug_span!(
            "forward",
            tokens = pass.tokens.len(),
            branches = pass.branches.len(),
            cached = layout.cached,
            depth = layout.depth
        )
        .entered();
        let result = match (&self.model, &mut cache.layers) {
            (AnyModel::Host(model), Layers::Host(layers)) if layers.len() == spec.layers => {
                // As one of the threads that share the work, so that none is woken for each operation.
                rayon::scope(|_| model.forward(layers, pass, &layout, keep))
            }
            (AnyModel::Tensors(model), Layers::Tensors(layers)) if layers.len() == spec.layers => {
                model.forward(layers, pass, &layout, keep)
            }
            _ => return Err(DecoderError::ForeignCache),
        };
        cache.settle();
        let output = result?;
        cache.beyond = beyond;
        Ok(output)
    }

    /// Natural log-probabilities of `targets`, pairs of a row of `hidden` and a token, normalised in f32 over the whole
    /// vocabulary. The logits are formed a piece at a time and never exist together.
    pub fn log_probs(&self, hidden: &Tensor, targets: &[(usize, u32)]) -> Result<Vec<f32>, DecoderError> {
        let (rows, vocab) = (hidden.dim(0)?, self.spec().vocab_size);
        if let Some(target) = targets.iter().find(|&&(row, token)| row >= rows || token as usize >= vocab) {
            let problem = format!("target {target:?} is outside {rows} rows or the vocabulary of {vocab}");
            return Err(DecoderError::Pass(problem));
        }
        if targets.is_empty() {
            return Ok(Vec::new());
        }
        match &self.model {
            AnyModel::Host(model) => model.ops.log_probs(hidden, &model.head, &model.logits(), targets),
            AnyModel::Tensors(model) => model.ops.log_probs(hidden, &model.head, &model.logits(), targets),
        }
    }

    /// Logits `(rows, vocab)` in f32. Meant for few rows, as in generation; [`Decoder::log_probs`] is for scoring.
    pub fn logits(&self, hidden: &Tensor) -> Result<Tensor, DecoderError> {
        match &self.model {
            AnyModel::Host(model) => model.ops.logits(hidden, &model.head, &model.logits()),
            AnyModel::Tensors(model) => model.ops.logits(hidden, &model.head, &model.logits()),
        }
    }
}

fn check_precision(weights: &Weights, precision: Precision) -> Result<(), DecoderError> {
    if precision == Precision::Quantized && weights.as_gguf().is_none() {
        let reason = "only GGUF files hold quantised weights; use f32, f16 or bf16";
        return Err(DecoderError::Precision { precision: precision.name(), reason });
    }
    Ok(())
}

/// Whether the pass lies beyond the original context, where that changes the rotary factors.
fn check_depth(spec: &DecoderSpec, cache: &KvCache, depth: usize) -> Result<Option<bool>, DecoderError> {
    if depth > spec.max_position {
        return Err(DecoderError::TooLong { depth, limit: spec.max_position, what: "model's context" });
    }
    let mut beyond = cache.beyond;
    for rotary in &spec.rotaries {
        rotary.check_depth(depth)?;
        if let Some(original) = rotary.split() {
            let now = depth > original;
            if let Some(before) = cache.beyond.filter(|&before| before != now) {
                let cached = if before { "beyond" } else { "within" };
                return Err(DecoderError::RotaryFactors { cached, original, depth });
            }
            beyond = Some(now);
        }
    }
    Ok(beyond)
}

impl fmt::Debug for Decoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decoder").field("spec", self.spec()).finish_non_exhaustive()
    }
}
