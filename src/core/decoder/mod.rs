//! The transformer: weights in; hidden states, log-probabilities and attention rows out.
//!
//! One skeleton ([`forward`]) serves all families; their differences are data in a [`DecoderSpec`]. It runs on one of
//! two arithmetics: fused loops over slices on the CPU, plain tensor operations on other devices. The unit of work is a
//! [`Pass`]: any number of branches of a token trie, packed side by side, each attending to its own path.
//!
//! - **Decoder**: one skeleton (`forward.rs`) for all families; their differences are data in `DecoderSpec`.
//!   Intermediate results of a pass (attention rows, lens, parts, experts) are shown to `readings.rs`, which keeps
//!   those that were requested. A table (`model/spec/family.rs`) describes how GGUF files of each architecture name and
//!   lay out their tensors. The skeleton is generic over `Ops`, with two implementations: `cpu` (fused, threaded loops
//!   over f32 slices) and `portable` (plain candle operations on any device, GPUs included). Both run the same passes
//!   and tests.
//! - **Named parts** of the skeleton: the projection of the residual stream to queries, keys and values, directly or
//!   through latents (`projection.rs`; heads are expanded and the narrower of keys and values padded, so that one
//!   attention serves all), linear biases as four columns of queries and keys (`biases.rs`), and one feed-forward
//!   network or several with a router (`experts.rs`: ties go to the lower number; a row's sum runs over its experts in
//!   order, whatever the other rows).
//!
//! Configurations of multimodal (vision) models are first reduced to their text model (`spec/nested.rs`), including the
//! defaults of its class; tensor names follow from the files.
//!
//! Recurrent and hybrid layers (Mamba, RWKV, Qwen3-Next) are rejected by family name. Supporting them would take: a
//! state of fixed size per layer in place of keys and values, copied at every branch of the trie and kept for each open
//! path; a scan over each edge, so that a child cannot be in its parent's pass; sharing cut to whole edges; and a
//! component beside attention in the skeleton, with its own capture (there are no attention rows to show).
//!
//! Experts that stay in their files (`ExpertPlacement::Mapped`) are read by the loading code, in each pass that has
//! tokens for them: results are identical, at the cost of reading and converting. Quantising at load (`quantise.rs`)
//! rounds a layer's matrices as they are read; embedding and head get 8 bits, and routers are not quantised. Matrices
//! whose rows are not a multiple of the block size fall back to 8-bit blocks or f32, which is reported.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use candle_core::quantized::GgmlDType;
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
pub use argmax::argmax;
pub use arithmetic::{Arithmetic, DeviceMemory};
pub use biases::slopes;
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
pub use portable::open_cuda;
pub use portable::{Gpu, OperationTime, Work, counted, profiled};
pub use spec::{ExpertNaming, LatentNaming, Naming};
pub use weights::{Adapted, Change, Effect, FP8_SQUARE, Gguf, TensorEntry, same_shape};

/// A loaded model.
pub struct Decoder {
    model: AnyModel,
    /// Parts that are switched off in every pass.
    knocked_out: Ablation,
}

#[derive(Clone)]
enum AnyModel {
    Cpu(Arc<Model<Cpu>>),
    Portable(Arc<Model<Portable>>),
}

fn product_paths(kinds: &[GgmlDType]) -> BTreeMap<String, String> {
    let name = |kind: GgmlDType| match format!("{kind:?}").to_lowercase() {
        // candle's `Q4K` is `q4_k` everywhere else.
        name if name.ends_with('k') => format!("{}_k", name.trim_end_matches('k')),
        name => name,
    };
    kinds.iter().map(|&kind| (name(kind), cpu::product_path(kind).to_string())).collect()
}

impl Decoder {
    /// Loads a model for `device`.
    ///
    /// Peak memory is that of the weights in their final form plus [`Decoder::loading_bytes`]; matrices that an adapter
    /// changes, that are stored transposed, or whose rows are normalised are held once more in f32. Errors name the
    /// wrong file or tensor.
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

    /// Bytes of a model's weights once loaded, computed without reading them.
    pub fn weight_bytes(
        spec: &DecoderSpec,
        weights: &Weights,
        device: &Device,
        precision: Precision,
    ) -> Result<u64, DecoderError> {
        load::weight_bytes(spec, weights, device.is_cpu(), precision)
    }

    /// How a CPU multiplies a model's quantised matrices, by block format: `vnni`, `candle` or `dequantised`. Scores of
    /// processors with the same paths differ by rounding alone.
    pub fn product_paths(weights: &Weights, precision: Precision) -> BTreeMap<String, String> {
        product_paths(&load::kept_blocks(weights, precision))
    }

    /// The same for every block format that has integer products on some processor.
    pub fn all_product_paths() -> BTreeMap<String, String> {
        use GgmlDType::{Q2K, Q3K, Q4_0, Q4_1, Q4K, Q5_0, Q5_1, Q5K, Q6K, Q8_0};
        product_paths(&[Q2K, Q3K, Q4_0, Q4_1, Q4K, Q5_0, Q5_1, Q5K, Q6K, Q8_0])
    }

    /// The instructions of this processor that multiply integers on the path `vnni`, as makers of processors name them; all
    /// give the same bits.
    pub fn integer_instructions() -> Option<&'static str> {
        cpu::integer_instructions()
    }

    /// The instructions of this processor for products in f32, as makers of processors name them; all give the same bits.
    /// `None` if these products are `gemm`'s, whose sums have another order.
    pub fn float_instructions() -> Option<&'static str> {
        cpu::float_instructions()
    }

    /// Bytes of main memory that loading takes temporarily in addition to the weights.
    pub fn loading_bytes(spec: &DecoderSpec, device: &Device, precision: Precision) -> u64 {
        load::loading_bytes(spec, device.is_cpu(), precision)
    }

    /// Loads a model on plain tensor operations: the implementation for devices other than the CPU, and on the CPU the
    /// slow reference for the fused operations. On other devices one product of each kind of weight is first compared
    /// with the CPU's.
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

    /// A model of the given shape with random weights, for benchmarks: its answers are meaningless, its speed is real.
    /// The same seed gives the same weights. `Precision::Quantized` is rejected, as there are no blocks.
    pub fn random(
        spec: DecoderSpec,
        seed: u64,
        device: &Device,
        precision: Precision,
    ) -> Result<Decoder, DecoderError> {
        Decoder::load(spec, Weights::random(seed), device, precision)
    }

    /// The same model, sharing its weights, with parts switched off in every pass. It needs its own caches: stored keys
    /// and values depend on the ablation.
    ///
    /// # Errors
    /// The model does not have one of the parts.
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

    /// Dtype of activations on plain tensors; `None` for the CPU's own arithmetic.
    fn portable_dtype(&self) -> Option<candle_core::DType> {
        match &self.model {
            AnyModel::Cpu(_) => None,
            AnyModel::Portable(model) => Some(model.ops.dtype),
        }
    }

    /// Whether a row's logits are bit-identical whatever else is in its pass: true on CPUs with AVX-512 in f32, and
    /// with GGUF blocks that are multiplied in integers. Elsewhere near ties in greedy decoding may resolve differently
    /// depending on the other rows.
    pub fn rows_are_independent(&self) -> bool {
        match &self.model {
            AnyModel::Cpu(model) => model.rows_are_independent(),
            AnyModel::Portable(_) => false,
        }
    }

    /// Bytes of weights that every pass reads on a CPU: all matrices and the head, not the embedding. `None` on other devices
    /// and with experts, of which a pass reads some.
    pub fn bytes_per_pass(&self) -> Option<usize> {
        match &self.model {
            AnyModel::Cpu(model) => model.bytes_per_pass(),
            AnyModel::Portable(_) => None,
        }
    }

    /// Floating-point operations per second of the CPU's fastest products with this model's weights or in f32: no pass is
    /// faster for long. `None` on other devices.
    ///
    /// # Errors
    /// Errors of the products.
    pub fn product_rate(&self) -> Result<Option<f64>, DecoderError> {
        match &self.model {
            AnyModel::Cpu(model) => rayon::scope(|_| model.product_rate()).map(Some),
            AnyModel::Portable(_) => Ok(None),
        }
    }

    /// The device that holds the weights.
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

    /// Runs one pass and appends its keys and values to `cache`, one row per pass token.
    ///
    /// Fails on a malformed pass, on tokens outside the vocabulary, and on paths longer than the context; `cache` is
    /// then unchanged.
    pub fn forward(&self, cache: &mut KvCache, pass: &Pass) -> Result<PassOutput, DecoderError> {
        self.run(cache, pass, Keep::Everything)
    }

    /// Runs one pass that no other pass continues, and keeps none of its keys and values: those of a layer are dropped
    /// before the next layer is computed, so that a long sequence takes only the memory of its activations. Fails as
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
                // Run on one of the threads that share the work, so that no operation has to wake it.
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

    /// Waits until the device has finished its queued work, so that timings are meaningful; a no-op on the CPU.
    pub fn wait(&self) -> Result<(), DecoderError> {
        match &self.model {
            AnyModel::Cpu(_) => Ok(()),
            AnyModel::Portable(model) => Ok(model.ops.device.synchronize()?),
        }
    }

    /// Natural log-probabilities of `targets`, pairs of a row of `hidden` and a token, normalised in f32 over the whole
    /// vocabulary. Only part of the logits is in memory at a time.
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

    /// Contribution of each part of the model to the difference of two tokens' logits at a row, in nats: direct logit
    /// attribution (Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits": head outputs reach the
    /// logits through the unembedding), with the final norm's scale frozen at its value for the full stream.
    ///
    /// # Errors
    /// The family caps its logits, so that parts do not add up; or a token is outside the vocabulary.
    pub fn contributions(&self, parts: &StreamParts, tokens: (u32, u32)) -> Result<Contributions, DecoderError> {
        match &self.model {
            AnyModel::Cpu(model) => model.contributions(parts, tokens),
            AnyModel::Portable(model) => model.contributions(parts, tokens),
        }
    }

    /// Checks that the model's parts add up, so that it has [contributions](Decoder::contributions).
    ///
    /// # Errors
    /// Says why they do not.
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

    /// Logits row by row on the host.
    pub fn logit_rows(&self, hidden: &Tensor) -> Result<Vec<Vec<f32>>, DecoderError> {
        let logits = self.logits(hidden)?;
        Ok(match &self.model {
            AnyModel::Cpu(_) => logits.to_vec2()?,
            AnyModel::Portable(_) => portable::rows_on_host(logits)?,
        })
    }

    /// For each row of `hidden`, the token with the largest logit among the first `among` of the vocabulary, the lowest
    /// id on ties; `None` if one of these logits is NaN or the largest is not finite. Only one number per row is copied
    /// from a device, not the logits.
    ///
    /// # Errors
    /// `among` is 0 or exceeds the vocabulary; device errors.
    pub fn argmax(&self, hidden: &Tensor, among: usize) -> Result<Vec<Option<u32>>, DecoderError> {
        let vocab = self.spec().vocab_size;
        if !(1..=vocab).contains(&among) {
            return Err(DecoderError::Pass(format!("argmax over {among} tokens in a vocabulary of {vocab}")));
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

/// The stage of each pass token: that of the longest sequence of the pass through it, and at least `least`. `cached`
/// holds the stages of the rows in the cache. A sequence with rows of different stages would mix several sets of rotary
/// factors and is rejected.
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
