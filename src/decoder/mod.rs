//! The transformer itself: weights in, hidden states, log-probabilities and attention rows out.
//!
//! One skeleton ([`forward`]) serves all families; what differs between them is data in a [`DecoderSpec`]. It runs on
//! one of two arithmetics: fused loops over slices on the CPU, plain tensor operations on other devices. The unit of
//! work is a [`Pass`]: any number of branches of a token trie, packed side by side, each attending to its own path.
//!
//! - **Decoder**: one skeleton (`forward.rs`) for all families; their differences are data in `DecoderSpec`. What is read
//!   of a pass on its way (attention rows, lens, parts, experts) is shown to `readings.rs`, which looks at what was asked
//!   for. How GGUF files of each architecture name and lay out their tensors is a table (`model/spec/family.rs`). It is
//!   generic over `Ops`, with two implementations: `cpu` (fused, threaded loops over f32 slices) and `portable` (plain
//!   candle operations on any device, GPUs among them). Both run the same passes and tests.
//! - **Named parts** of the skeleton: from the residual stream to queries, keys and values directly or through latents
//!   (`projection.rs`; heads are expanded and the narrower of keys and values padded, so that one attention serves all),
//!   linear biases as four columns of queries and keys (`biases.rs`), one feed-forward network or several with a router
//!   (`experts.rs`: equal scores go to the lower number; a row's sum runs over its experts in their order, whatever rows
//!   are beside it).
//!
//! Configurations of models that see images too are reduced to their text model first (`spec/nested.rs`), defaults of its
//! class included; the names of tensors follow from the files.
//!
//! Recurrent and hybrid layers (Mamba, RWKV, Qwen3-Next) are refused by the name of their family. What they would take: a
//! state of fixed size per layer in the place of keys and values, copied at every branch of the trie and kept for each open
//! path; a scan over each edge, so that a child cannot be in its parent's pass; sharing cut to whole edges; a part beside
//! attention in the skeleton, with its own capture (there are no attention rows to show).
//!
//! Experts that stay in their files (`ExpertPlacement::Mapped`) are read through the same code as at load, for each pass
//! that has tokens for them: numbers are the same, the time is that of reading and converting. Quantising at load
//! (`quantise.rs`) rounds a layer's matrices as they are read; embedding and head get 8 bits, routers stay as they are, and
//! what blocks do not divide falls back to 8-bit blocks or f32, and is printed.

use std::fmt;
use std::sync::Arc;

use candle_core::{Device, Tensor};
use rayon::prelude::*;

mod ablation;
mod argmax;
mod arithmetic;
mod biases;
mod cache;
mod capture;
mod checked_products;
mod cpu;
mod error;
mod experts;
mod forward;
mod latent;
mod layers;
mod load;
mod ops;
mod parts;
mod pass;
mod portable;
mod precision;
mod projection;
mod quantise;
mod readings;
mod rotary;
mod rows;
mod spec;
mod stream;
mod tensors;
#[cfg(test)]
mod tests;
mod weights;

pub use ablation::Ablation;
pub(crate) use argmax::argmax;
pub use arithmetic::{Arithmetic, DeviceMemory};
pub(crate) use biases::slopes;
pub use cache::KvCache;
pub use capture::{CapturedAttention, CapturedQuery};
pub use checked_products::{CheckedProduct, checked_products};
pub use error::DecoderError;
pub use experts::{ExpertGroups, ExpertScore, Experts, SharedExpert};
pub use latent::Latent;
pub use pass::{Branch, Capture, Pass};
pub use precision::{ExpertPlacement, Precision};
pub use quantise::{Fallback, fallbacks};
pub use readings::PassOutput;
pub use rotary::{Pairing, Rotary, Scaling, Stages};
pub use rows::RowRanges;
pub use spec::{Activation, DecoderSpec, LayerAttention, QueryKeyNorm};
pub use stream::{Contributions, StreamParts};
pub use weights::Weights;

use cache::Layers;
use cpu::Cpu;
use forward::Keep;
use layers::Model;
use ops::Ops;
use pass::Layout;
use portable::Portable;
pub(crate) use portable::open_cuda;
pub use portable::{Gpu, OperationTime, Work, counted, profiled};
pub(crate) use spec::{ExpertNaming, LatentNaming, Naming};
pub(crate) use weights::{Adapted, Change, Effect, FP8_SQUARE, Gguf, TensorEntry, same_shape};

/// A loaded model.
pub struct Decoder {
    model: AnyModel,
    /// What is switched off in every pass.
    knocked_out: Ablation,
}

#[derive(Clone)]
enum AnyModel {
    Cpu(Arc<Model<Cpu>>),
    Portable(Arc<Model<Portable>>),
}

impl Decoder {
    /// Load a model for `device`.
    ///
    /// Peak memory is that of the weights as they are kept, plus [`Decoder::loading_bytes`]; matrices that an adapter changes,
    /// that are stored turned, or whose rows are normalised are held once more in f32. Errors name the file or the tensor that is
    /// wrong.
    pub fn load(
        spec: DecoderSpec,
        weights: Weights,
        device: &Device,
        precision: Precision,
    ) -> Result<Decoder, DecoderError> {
        if !device.is_cpu() {
            return Decoder::load_portable(spec, weights, device, precision);
        }
        let model = load::model(Cpu::new(precision), spec, weights, precision)?;
        Ok(Decoder { model: AnyModel::Cpu(Arc::new(model)), knocked_out: Ablation::default() })
    }

    /// Bytes of a model's weights once loaded, known before they are read.
    pub fn weight_bytes(
        spec: &DecoderSpec,
        weights: &Weights,
        device: &Device,
        precision: Precision,
    ) -> Result<u64, DecoderError> {
        load::weight_bytes(spec, weights, device.is_cpu(), precision)
    }

    /// Bytes of main memory that loading takes for a time beside the weights.
    pub fn loading_bytes(spec: &DecoderSpec, device: &Device, precision: Precision) -> u64 {
        load::loading_bytes(spec, device.is_cpu(), precision)
    }

    /// Load a model on plain tensor operations: what devices other than the CPU use, and on the CPU the slow reference
    /// for the fused operations. On other devices one product of each kind of weight is compared with the CPU's first.
    pub fn load_portable(
        spec: DecoderSpec,
        weights: Weights,
        device: &Device,
        precision: Precision,
    ) -> Result<Decoder, DecoderError> {
        let dtype = portable::dtype(precision, device)?;
        if !device.is_cpu() {
            portable::check(device, dtype, &load::kept_blocks(&weights, precision))?;
        }
        let ops = Portable::new(device.clone(), dtype);
        let model = AnyModel::Portable(Arc::new(load::model(ops, spec, weights, precision)?));
        Ok(Decoder { model, knocked_out: Ablation::default() })
    }

    /// A model of the given shape with random weights, for measurements: its answers mean nothing, its speed is real.
    /// The same seed gives the same weights. `Precision::Quantized` is refused, there being no blocks.
    pub fn random(
        spec: DecoderSpec,
        seed: u64,
        device: &Device,
        precision: Precision,
    ) -> Result<Decoder, DecoderError> {
        Decoder::load(spec, Weights::random(seed), device, precision)
    }

    /// The same model, on the same weights, with parts switched off in every pass. Its caches are its own: what it stores follows
    /// from what is left of it.
    ///
    /// # Errors
    /// Parts that the model does not have.
    pub fn without(&self, parts: Ablation) -> Result<Decoder, DecoderError> {
        parts.check(self.spec())?;
        Ok(Decoder { model: self.model.clone(), knocked_out: parts })
    }

    /// Sizes and settings.
    pub fn spec(&self) -> &DecoderSpec {
        match &self.model {
            AnyModel::Cpu(model) => &model.spec,
            AnyModel::Portable(model) => &model.spec,
        }
    }

    /// The type of activations on plain tensors; `None` for the CPU's own arithmetic.
    fn portable_dtype(&self) -> Option<candle_core::DType> {
        match &self.model {
            AnyModel::Cpu(_) => None,
            AnyModel::Portable(model) => Some(model.ops.dtype),
        }
    }

    /// Whether a row's logits have the same bits whatever else is in its pass: on CPUs with AVX-512 in f32, and with GGUF
    /// blocks that are multiplied in whole numbers. Elsewhere near ties of greedy replies may fall differently with other
    /// neighbours.
    pub fn rows_are_independent(&self) -> bool {
        match &self.model {
            AnyModel::Cpu(model) => model.rows_are_independent(),
            AnyModel::Portable(_) => false,
        }
    }

    /// The device the weights are on.
    pub fn device(&self) -> Device {
        match &self.model {
            AnyModel::Cpu(_) => Device::Cpu,
            AnyModel::Portable(model) => model.ops.device.clone(),
        }
    }

    /// An empty cache.
    pub fn cache(&self) -> KvCache {
        fn layers<O: Ops>(model: &Model<O>) -> Vec<O::LayerCache> {
            model.layers.iter().map(|_| model.ops.layer_cache(&model.heads())).collect()
        }
        KvCache::new(match &self.model {
            AnyModel::Cpu(model) => Layers::Cpu(layers(model)),
            AnyModel::Portable(model) => Layers::Portable(layers(model)),
        })
    }

    /// Run one pass and append its keys and values to `cache`, one row per pass token.
    ///
    /// Fails on a malformed pass, on tokens outside the vocabulary, and on paths that leave the context; `cache` is
    /// then as it was before.
    ///
    /// ```
    /// use tomeval::{Device, ModelFiles, Pass, Precision};
    /// let files = ModelFiles::from_path("tests/fixtures/llama".as_ref())?;
    /// let decoder = files.decoder(&Device::Cpu, Precision::F32)?;
    /// let mut cache = decoder.cache();
    /// let output = decoder.forward(&mut cache, &Pass::sequence(&[1, 5, 9], 0))?;
    /// let logits = decoder.logits(&output.hidden)?;
    /// assert_eq!(logits.dims(), [3, decoder.spec().vocab_size]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn forward(&self, cache: &mut KvCache, pass: &Pass) -> Result<PassOutput, DecoderError> {
        self.run(cache, pass, Keep::Everything)
    }

    /// Run one pass that no other one continues, and keep none of its keys and values: those of a layer are dropped
    /// before the next one is computed, so that a long sequence takes the memory of its activations alone. Fails as
    /// [`Decoder::forward`] does.
    pub fn forward_once(&self, pass: &Pass) -> Result<PassOutput, DecoderError> {
        self.run(&mut self.cache(), pass, Keep::Nothing)
    }

    fn run(&self, cache: &mut KvCache, pass: &Pass, keep: Keep) -> Result<PassOutput, DecoderError> {
        let spec = self.spec();
        let mut layout = Layout::check(pass, cache.rows(), spec.vocab_size)?;
        check_depth(spec, layout.depth)?;
        if let Some(stages) = spec.stages() {
            layout.stages = stages_of(stages, &layout, &cache.stages, pass.stage)?;
        }
        let _span = tracing::debug_span!(
            "forward",
            tokens = pass.tokens.len(),
            branches = pass.branches.len(),
            cached = layout.cached,
            depth = layout.depth
        )
        .entered();
        let result = match (&self.model, &mut cache.layers) {
            (AnyModel::Cpu(model), Layers::Cpu(layers)) if layers.len() == spec.layers => {
                // On one of the threads that share the work, so that no operation has to wake it.
                rayon::scope(|_| model.forward(layers, pass, &layout, keep, &self.knocked_out))
            }
            (AnyModel::Portable(model), Layers::Portable(layers)) if layers.len() == spec.layers => {
                model.forward(layers, pass, &layout, keep, &self.knocked_out)
            }
            _ => return Err(DecoderError::ForeignCache),
        };
        cache.settle();
        let output = result?;
        if keep == Keep::Everything {
            cache.stages.extend(layout.stages);
        }
        Ok(output)
    }

    /// Wait until the device has done what it was given, for times that mean something; the CPU always has.
    pub fn wait(&self) -> Result<(), DecoderError> {
        match &self.model {
            AnyModel::Cpu(_) => Ok(()),
            AnyModel::Portable(model) => Ok(model.ops.device.synchronize()?),
        }
    }

    /// Natural log-probabilities of `targets`, pairs of a row of `hidden` and a token, normalised in f32 over the whole
    /// vocabulary. Only some of the logits exist at a time.
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
            AnyModel::Cpu(model) => model.ops.log_probs(hidden, &model.head, &model.logits(), targets),
            AnyModel::Portable(model) => model.ops.log_probs(hidden, &model.head, &model.logits(), targets),
        }
    }

    /// What each part of the model contributes to the difference of two tokens' logits at a row, in nats: direct logit
    /// attribution (Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits": what a head writes reaches the logits
    /// through the unembedding), with the final norm's scale frozen at what the whole stream gives.
    ///
    /// # Errors
    /// Families whose logits are capped, so that parts do not add up; tokens outside the vocabulary.
    pub fn contributions(&self, parts: &StreamParts, tokens: (u32, u32)) -> Result<Contributions, DecoderError> {
        match &self.model {
            AnyModel::Cpu(model) => model.contributions(parts, tokens),
            AnyModel::Portable(model) => model.contributions(parts, tokens),
        }
    }

    /// Whether the model's parts add up, so that it has [contributions](Decoder::contributions).
    ///
    /// # Errors
    /// Why they do not.
    pub fn check_contributions(&self) -> Result<(), DecoderError> {
        match &self.model {
            AnyModel::Cpu(model) => model.check_contributions(),
            AnyModel::Portable(model) => model.check_contributions(),
        }
    }

    /// Logits `(rows, vocab)` in f32. Meant for few rows, as in generation; [`Decoder::log_probs`] is for scoring.
    pub fn logits(&self, hidden: &Tensor) -> Result<Tensor, DecoderError> {
        match &self.model {
            AnyModel::Cpu(model) => model.ops.logits(hidden, &model.head, &model.logits()),
            AnyModel::Portable(model) => model.ops.logits(hidden, &model.head, &model.logits()),
        }
    }

    /// The same row by row on the host.
    pub(crate) fn logit_rows(&self, hidden: &Tensor) -> Result<Vec<Vec<f32>>, DecoderError> {
        let logits = self.logits(hidden)?;
        Ok(match &self.model {
            AnyModel::Cpu(_) => logits.to_vec2()?,
            AnyModel::Portable(_) => portable::rows_on_host(logits)?,
        })
    }

    /// For each row of `hidden`, the token with the largest logit among the first `among` of the vocabulary, of equals the
    /// one with the lowest number; `None` where a logit of them is NaN or the largest is not finite. From a device one number
    /// a row is copied, not the logits.
    ///
    /// # Errors
    /// `among` is 0 or more than the vocabulary; what the device says.
    pub fn argmax(&self, hidden: &Tensor, among: usize) -> Result<Vec<Option<u32>>, DecoderError> {
        let vocab = self.spec().vocab_size;
        if !(1..=vocab).contains(&among) {
            return Err(DecoderError::Pass(format!("the likeliest of {among} tokens, in a vocabulary of {vocab}")));
        }
        match &self.model {
            AnyModel::Cpu(_) => {
                let rows = self.logit_rows(hidden)?;
                Ok(rows.par_iter().map(|row| argmax(&row[..among]).map(|(token, _)| token)).collect())
            }
            AnyModel::Portable(model) => portable::argmax(&model.ops, self.logits(hidden)?, among),
        }
    }
}

fn check_depth(spec: &DecoderSpec, depth: usize) -> Result<(), DecoderError> {
    if depth > spec.max_position {
        return Err(DecoderError::TooLong { depth, limit: spec.max_position, what: "model's context" });
    }
    spec.rotaries.iter().try_for_each(|rotary| rotary.check_depth(depth))
}

/// The stage of each pass token: that of the longest sequence of the pass which runs through it, and at least `least`.
/// `cached` tells the same of the rows in the cache. A sequence whose rows differ would be computed with several sets of rotary
/// factors and is refused.
fn stages_of(stages: Stages, layout: &Layout, cached: &[u8], least: u8) -> Result<Vec<u8>, DecoderError> {
    let mut rows = cached.to_vec();
    rows.resize(layout.cached + layout.positions.len(), least);
    for branch in &layout.branches {
        let stage = stages.of(branch.length());
        for row in branch.path.rows().filter(|&row| row >= layout.cached) {
            rows[row] = rows[row].max(stage);
        }
    }
    for branch in &layout.branches {
        let own = rows[layout.cached + branch.tokens.start];
        if branch.path.rows().any(|row| rows[row] != own) {
            return Err(DecoderError::RotaryFactors { original: stages.original(), depth: branch.length() });
        }
    }
    Ok(rows.split_off(layout.cached))
}

impl fmt::Debug for Decoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decoder").field("spec", self.spec()).finish_non_exhaustive()
    }
}
