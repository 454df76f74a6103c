//! Plain tensor operations, on any device that candle supports.
//!
//! Weights, activations, keys and values are in the given dtype. Products sum in f32 and round once; everything between
//! them is computed in f32 and rounded once, and scores, masks, softmax and logits stay in f32. On the CPU this is the
//! reference for the fused operations of `cpu`.
//!
//! On a GPU the time goes into launches and data movement, so both are counted ([`counted`]) and timed ([`profiled`]):
//! no operation bypasses [`Array`].
//!
//! [`Array`] (`portable/array.rs`) counts launches, copies, transfers and bytes by the rules of candle's CUDA backend,
//! even on the CPU, and rejects layouts that CUDA would reject; `tests/it/engine/launches.toml` holds the limits for a
//! layer of each family. Keys and values are stored head by head with spare capacity: a pass writes its rows in place,
//! attention reads views, and a kept prefix is not copied (`cache.rs`). In depth-first order the queries that see a
//! cache row are consecutive, so that two numbers per row, plus a depth under windows, describe what all queries see
//! (`intervals.rs`); masks are computed from them on the device. A pass is computed in blocks of queries, each over the
//! rows from the first to the last that one of them sees, except wide gaps, without a mask if all see all, batched over
//! heads: the number of kernels does not depend on the number of branches. The list of non-empty tiles behind these
//! blocks (`tiles.rs`) is the input that a custom tree-attention kernel would need; its design is documented there. In
//! 16 bits, products take 16-bit rows and return 16-bit rows, or f32 for scores and logits (one cuBLAS call), always
//! with f32 sums; masks, softmax, rotations, gates and everything else between products are computed in f32 and rounded
//! once. Softmax, rotation, gate and head reordering are custom kernels (`portable/kernels/kernels.cu`, compiled to PTX
//! by `build.rs`); `portable/kernels.rs` has the equivalent tensor operations, which other devices use, and a test
//! compiles the kernels with a C++ compiler and compares. All work goes through one stream whichever thread submits it,
//! and memory that a pass releases stays with the program (`portable/device.rs`). Greedy decoding without a repetition
//! penalty takes the likeliest token on the device (`portable/head.rs`): the lowest on ties, none if a logit is NaN or
//! the largest infinite, as on the CPU; one number per row is copied, and the whole row only for sampling or if its
//! logits are modified. GGUF blocks are expanded for every product; candle's fused quantised kernels, machine code for
//! one architecture, are not used. There is no `flash-attn` feature: those kernels do not accept an ancestor mask, and
//! building candle-flash-attn fetches CUTLASS with git, which an offline machine cannot. candle-transformers' models
//! only return the last position, do not return attention rows, and take one offset for a whole batch; they serve as a
//! reference in tests.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use candle_core::{DType, Device, Tensor};

use super::DecoderError;
use super::capture::LayerQuery;
use super::experts::Share;
use super::ops::{AttentionInput, Columns, ExpertNetwork, Heads, Logits, Ops, Weight};
use super::pass::Layout;
use super::rotary::{Angles, Pairing};
use super::spec::Activation;

mod activations;
mod array;
mod attention;
mod cache;
mod capture;
mod check;
mod device;
mod head;
mod intervals;
mod kernels;
mod linear;
mod mixture;
mod tiles;
#[cfg(test)]
mod tries;
mod work;

pub use activations::Activations;
pub use array::Array;
use attention::AttentionPlan;
pub use attention::MOST_SCORE_BYTES;
pub use cache::LayerCache;
pub use check::check;
pub use device::Gpu;
pub use device::{device_memory, dtype, open_cuda};
pub use head::{argmax, rows_on_host};
use linear::Linear;
pub use work::{OperationTime, Work, counted, profiled};

/// A device.
#[derive(Debug, Clone)]
pub struct Portable {
    pub device: Device,
    /// Type of weights, activations, keys and values.
    pub dtype: DType,
    /// Indices of chosen columns on the device, shared by all layers and passes.
    places: Arc<Mutex<HashMap<ChosenColumns, Array>>>,
    /// The numbers from a count down to 1, in f32, keyed by the count.
    countdowns: Arc<Mutex<HashMap<usize, Array>>>,
}

/// Widths of activations, and the columns chosen from them.
type ChosenColumns = (Vec<usize>, Vec<Columns>);

/// A norm's weight.
#[derive(Debug)]
pub struct Norm {
    in_f32: Array,
    /// In the dtype of activations, if that is exact.
    exact: Option<Array>,
    eps: f32,
}

impl Portable {
    /// A device that computes in this dtype.
    pub fn new(device: Device, dtype: DType) -> Portable {
        Portable { device, dtype, places: Arc::default(), countdowns: Arc::default() }
    }

    fn send(&self, values: Vec<f32>, shape: impl Into<candle_core::Shape>) -> Result<Array, DecoderError> {
        Ok(Array::send(values, shape, &self.device)?)
    }

    fn send_places(&self, places: impl IntoIterator<Item = usize>) -> Result<Array, DecoderError> {
        Ok(Array::places(places, &self.device)?)
    }

    /// The numbers from `count` down to 1, `(1, count)` in f32, sent once.
    fn countdown(&self, count: usize) -> Result<Array, DecoderError> {
        let mut known = self.countdowns.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(countdown) = known.get(&count) {
            return Ok(countdown.clone());
        }
        let countdown = self.send((1..=count).rev().map(|number| number as f32).collect(), (1, count))?;
        known.insert(count, countdown.clone());
        Ok(countdown)
    }

    /// All columns in the dtype of activations.
    fn whole(&self, x: &Activations) -> Result<Array, DecoderError> {
        x.whole(self.dtype)
    }

    /// Columns in f32, contiguous.
    fn in_f32(&self, x: &Activations, columns: Range<usize>, width: usize) -> Result<Array, DecoderError> {
        Ok(x.heads(columns, width)?.to_dtype(DType::F32)?.contiguous()?)
    }
}

impl Norm {
    /// `x / rms(x) * weight` along the last dimension, rounded once to the dtype of `x`.
    fn of(&self, x: &Array) -> Result<Array, DecoderError> {
        let dtype = x.dtype();
        Ok(match &self.exact {
            Some(weight) if weight.dtype() == dtype => x.rms_norm(weight, self.eps)?,
            _ => x.to_dtype(DType::F32)?.rms_norm(&self.in_f32, self.eps)?.to_dtype(dtype)?,
        })
    }
}

/// `cap * tanh(values / cap)`, if there is a cap.
fn soft_cap(values: Array, cap: Option<f32>) -> Result<Array, DecoderError> {
    Ok(match cap {
        None => values,
        Some(cap) => values.affine(1.0 / f64::from(cap), 0.0)?.tanh()?.affine(f64::from(cap), 0.0)?,
    })
}

impl Ops for Portable {
    type Rows = Activations;
    type Table = Array;
    type Linear = Linear;
    type Head = Linear;
    type Norm = Norm;
    type LayerCache = LayerCache;
    type AttentionPlan = AttentionPlan;
    /// Cosines and sines, `(tokens, 1, width / 2)` each.
    type Angles = (Array, Array);

    fn table(&self, weight: Weight, width: usize) -> Result<Array, DecoderError> {
        Ok(match weight {
            Weight::Dense(stack) => Array::send_as(stack.by_rows()?, (stack.rows(), width), self.dtype, &self.device)?,
            Weight::Blocks(blocks) => Array::from(blocks.dequantize(&self.device)?).to_dtype(self.dtype)?,
        })
    }

    fn linear(&self, weights: Vec<Weight>, inputs: usize, bias: Option<Vec<f32>>) -> Result<Linear, DecoderError> {
        Linear::new(weights, inputs, bias, self.dtype, &self.device)
    }

    fn norm_weight(&self, values: Vec<f32>, eps: f32) -> Result<Norm, DecoderError> {
        let exactly = |kept: fn(f32) -> f32| values.iter().all(|&value| kept(value) == value);
        let exact = match self.dtype {
            DType::BF16 => exactly(|value| half::bf16::from_f32(value).to_f32()),
            DType::F16 => exactly(|value| half::f16::from_f32(value).to_f32()),
            dtype => dtype == DType::F32,
        };
        let in_f32 = self.send(values.clone(), values.len())?;
        Ok(Norm { exact: exact.then(|| in_f32.to_dtype(self.dtype)).transpose()?, in_f32, eps })
    }

    fn layer_cache(&self, heads: &Heads) -> LayerCache {
        LayerCache::new(heads.kv_heads, heads.head_dim)
    }

    fn plan(&self, layout: &Layout, heads: &Heads, window: Option<usize>) -> Result<AttentionPlan, DecoderError> {
        AttentionPlan::new(layout, heads, window, &self.device)
    }

    fn angles(&self, angles: Angles) -> Result<(Array, Array), DecoderError> {
        let shape = (angles.tokens, 1, angles.cos.len() / angles.tokens.max(1));
        Ok((self.send(angles.cos, shape)?, self.send(angles.sin, shape)?))
    }

    fn embed(&self, table: &Array, tokens: &[u32], scale: f32) -> Result<Activations, DecoderError> {
        let rows = table.index_select(&Array::send(tokens.to_vec(), tokens.len(), &self.device)?, 0)?;
        if scale == 1.0 {
            return Ok(rows.into());
        }
        Ok(rows.to_dtype(DType::F32)?.affine(f64::from(scale), 0.0)?.to_dtype(self.dtype)?.into())
    }

    fn norm(&self, x: &Activations, norm: &Norm) -> Result<Activations, DecoderError> {
        Ok(norm.of(&self.whole(x)?)?.into())
    }

    fn norm_columns(
        &self,
        x: &mut Activations,
        columns: Range<usize>,
        width: usize,
        norm: &Norm,
    ) -> Result<(), DecoderError> {
        let normed = self.in_f32(x, columns.clone(), width)?.rms_norm(&norm.in_f32, norm.eps)?;
        x.replace(columns.clone(), normed.reshape((x.tokens()?, columns.len()))?);
        Ok(())
    }

    fn product(&self, x: &Activations, norm: Option<&Norm>, linear: &Linear) -> Result<Activations, DecoderError> {
        let x = self.whole(x)?;
        Ok(match norm {
            None => linear.of(&x)?.into(),
            Some(norm) => linear.of(&norm.of(&x)?)?.into(),
        })
    }

    fn add_product(
        &self,
        residual: &mut Activations,
        x: &Activations,
        linear: &Linear,
        scale: f32,
    ) -> Result<(), DecoderError> {
        self.add(residual, &linear.of(&self.whole(x)?)?.into(), scale)
    }

    fn add(&self, residual: &mut Activations, x: &Activations, scale: f32) -> Result<(), DecoderError> {
        let (onto, x) = (self.whole(residual)?, self.whole(x)?);
        let sum = if scale == 1.0 {
            onto.add(&x)?
        } else {
            let scaled = x.to_dtype(DType::F32)?.affine(f64::from(scale), 0.0)?;
            onto.to_dtype(DType::F32)?.add(&scaled)?.to_dtype(self.dtype)?
        };
        *residual = sum.into();
        Ok(())
    }

    fn rotate(
        &self,
        qkv: &mut Activations,
        (cos, sin): &(Array, Array),
        pairing: Pairing,
        heads: &Heads,
    ) -> Result<(), DecoderError> {
        let both = 0..heads.keys().end;
        // Queries and keys together, unless norms have separated them.
        let parts = if qkv.together(&both) { vec![both] } else { vec![heads.queries(), heads.keys()] };
        for columns in parts {
            let x = qkv.heads(columns.clone(), heads.head_dim)?; // (tokens, heads, head size)
            let turned = x.rotate(cos, sin, pairing == Pairing::Interleaved, self.dtype)?;
            qkv.replace(columns.clone(), turned.reshape((qkv.tokens()?, columns.len()))?);
        }
        Ok(())
    }

    fn store(&self, cache: &mut LayerCache, qkv: &Activations, heads: &Heads) -> Result<(), DecoderError> {
        let of_heads = |columns| qkv.heads(columns, heads.head_dim);
        cache.store(&of_heads(heads.keys())?, &of_heads(heads.values())?, self.dtype)
    }

    fn clear(&self, cache: &mut LayerCache) {
        cache.truncate(0);
    }

    fn attend(
        &self,
        input: &AttentionInput<Activations, LayerCache>,
        plan: &AttentionPlan,
    ) -> Result<Activations, DecoderError> {
        Ok(attention::attend(input, plan)?.into())
    }

    fn gate(&self, gate_up: Activations, activation: Activation) -> Result<Activations, DecoderError> {
        Ok(self.whole(&gate_up)?.gate(activation)?.into())
    }

    fn add_rows(
        &self,
        onto: &mut Activations,
        x: &Activations,
        rows: &[usize],
        weights: &[f32],
    ) -> Result<(), DecoderError> {
        let places = self.send_places(rows.iter().copied())?;
        let weights = self.send(weights.to_vec(), (weights.len(), 1))?;
        let weighed = x.whole(DType::F32)?.mul(&weights)?;
        *onto = onto.whole(DType::F32)?.index_add(&places, &weighed, 0)?.to_dtype(self.dtype)?.into();
        Ok(())
    }

    fn add_shares(
        &self,
        onto: &mut Activations,
        x: &Activations,
        shares: Vec<Share>,
        scale: f32,
        network: &ExpertNetwork<Portable>,
    ) -> Result<(), DecoderError> {
        mixture::add_shares(self, onto, x, &shares, scale, network)
    }

    fn copy(&self, x: &Activations) -> Result<Activations, DecoderError> {
        Ok(x.clone())
    }

    fn zeros_like(&self, x: &Activations) -> Result<Activations, DecoderError> {
        Ok(Array::zeros((x.tokens()?, x.width()), self.dtype, &self.device)?.into())
    }

    fn values(&self, x: &Activations) -> Result<Vec<f32>, DecoderError> {
        Ok(x.whole(DType::F32)?.values()?)
    }

    fn rows(&self, _like: &Activations, values: Vec<f32>, width: usize) -> Result<Activations, DecoderError> {
        let rows = values.len() / width.max(1);
        Ok(self.send(values, (rows, width))?.to_dtype(self.dtype)?.into())
    }

    fn scale_columns(&self, x: &mut Activations, columns: Range<usize>, factors: &[f32]) -> Result<(), DecoderError> {
        let factors = self.send(factors.to_vec(), (factors.len(), 1))?;
        let scaled = x.columns(columns.clone())?.to_dtype(DType::F32)?.mul(&factors)?;
        x.replace(columns, scaled);
        Ok(())
    }

    fn columns(&self, x: &[&Activations], columns: &[Columns]) -> Result<Activations, DecoderError> {
        if let [Columns::Of(which, range)] = columns {
            return Ok(x[*which].columns(range.clone())?.contiguous()?.into());
        }
        // Selected from all of them side by side, followed by a column of zeros if needed.
        let widths: Vec<usize> = x.iter().map(|x| x.width()).collect();
        let starts: Vec<usize> = (0..widths.len()).map(|which| widths[..which].iter().sum()).collect();
        let behind: usize = widths.iter().sum();
        let mut all = x.iter().map(|x| self.whole(x)).collect::<Result<Vec<_>, DecoderError>>()?;
        if columns.iter().any(|columns| matches!(columns, Columns::Zeros(_))) {
            all.push(Array::zeros((all[0].dim(0)?, 1), self.dtype, &self.device)?);
        }
        let key = (widths, columns.to_vec());
        let mut known = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let places = match known.get(&key) {
            Some(places) => places.clone(),
            None => {
                let places = columns.iter().flat_map(|columns| match columns {
                    Columns::Of(which, range) => (starts[*which] + range.start..starts[*which] + range.end).collect(),
                    Columns::Zeros(count) => vec![behind; *count],
                });
                let places = self.send_places(places)?;
                known.insert(key, places.clone());
                places
            }
        };
        Ok(Array::cat(&all, 1)?.index_select(&places, 1)?.into())
    }

    fn select(&self, x: &Activations, rows: &[usize]) -> Result<Activations, DecoderError> {
        let x = self.whole(x)?;
        let all = rows.len() == x.dim(0)? && rows.iter().enumerate().all(|(place, row)| place == *row);
        match (rows, all) {
            (_, true) => Ok(x.into()),
            ([row], _) => Ok(x.narrow(0, *row, 1)?.into()),
            _ => Ok(x.index_select(&self.send_places(rows.iter().copied())?, 0)?.into()),
        }
    }

    fn capture(
        &self,
        queries: Vec<LayerQuery>,
        input: &AttentionInput<Activations, LayerCache>,
        output: Option<&Linear>,
    ) -> Result<(), DecoderError> {
        capture::capture(queries, input, output)
    }

    fn tensor(&self, x: Activations) -> Result<Tensor, DecoderError> {
        Ok(x.whole(DType::F32)?.into_tensor())
    }

    fn head(&self, weight: Weight, inputs: usize) -> Result<Linear, DecoderError> {
        Linear::of_many_outputs(weight, inputs, self.dtype, &self.device)
    }

    fn tied(&self, table: &Array) -> Result<Linear, DecoderError> {
        Ok(Linear::of_tensor(table.clone()))
    }

    fn head_row(&self, head: &Linear, token: u32) -> Result<Vec<f32>, DecoderError> {
        Ok(head.dense()?.narrow(0, token as usize, 1)?.values()?)
    }

    fn logits(&self, hidden: &Tensor, head: &Linear, logits: &Logits) -> Result<Tensor, DecoderError> {
        let products = head.in_f32(&Array::from(hidden.clone()))?;
        Ok(head::logits(products, logits)?.into_tensor())
    }

    fn log_probs(
        &self,
        hidden: &Tensor,
        head: &Linear,
        logits: &Logits,
        targets: &[(usize, u32)],
    ) -> Result<Vec<f32>, DecoderError> {
        head::log_probs(self, &Array::from(hidden.clone()), head, logits, targets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decoder::pass::Pass;

    fn ops(dtype: DType) -> Portable {
        Portable::new(Device::Cpu, dtype)
    }

    fn row(values: &[f32], dtype: DType) -> Activations {
        Array::send_as(values.to_vec(), (1, values.len()), dtype, &Device::Cpu).unwrap().into()
    }

    fn values(x: &Activations) -> Vec<f32> {
        x.whole(DType::F32).unwrap().values().unwrap()
    }

    /// Values of many magnitudes that a 16-bit type represents exactly.
    fn sample(dtype: DType, factor: f32) -> Vec<f32> {
        let drawn: Vec<f32> = (1..400).map(|at| factor * ((at * 73) % 211 - 105) as f32 / 31.0).collect();
        values(&row(&drawn, dtype))
    }

    /// Each value rounded once.
    fn rounded(values_in_f32: impl Iterator<Item = f32>, dtype: DType) -> Vec<f32> {
        values(&row(&values_in_f32.collect::<Vec<f32>>(), dtype))
    }

    #[test]
    fn scores_that_do_not_fit_into_f16_before_their_scale_are_computed() {
        let ops = ops(DType::F16);
        let heads = Heads { heads: 1, kv_heads: 1, head_dim: 64, value_dim: 64, scale: 0.125, cap: None };
        let token = |value: f32| [vec![300.0f32; 128], vec![value; 64]].concat();
        let qkv = Array::send([token(1.0), token(3.0)].concat(), (2, 192), &Device::Cpu).unwrap();
        let qkv = Activations::from(qkv.to_dtype(DType::F16).unwrap());
        let layout = Layout::check(&Pass::sequence(&[0, 0], 0), 0, 1).unwrap();
        let mut cache = ops.layer_cache(&heads);
        ops.store(&mut cache, &qkv, &heads).unwrap();
        let input = AttentionInput { qkv: &qkv, cache: &cache, heads: &heads };
        let mixed = ops.attend(&input, &ops.plan(&layout, &heads, None).unwrap()).unwrap();
        assert_eq!(values(&mixed), [[1.0f32; 64], [2.0; 64]].concat());
    }

    #[test]
    fn scales_and_gates_round_once() {
        for dtype in [DType::BF16, DType::F16] {
            let ops = ops(dtype);
            let (x, y) = (sample(dtype, 1.0), sample(dtype, 0.7));
            let mut residual = row(&y, dtype);
            ops.add(&mut residual, &row(&x, dtype), 0.22).unwrap();
            assert_eq!(values(&residual), rounded(x.iter().zip(&y).map(|(x, y)| y + x * 0.22f32), dtype));

            let table = row(&x, dtype).whole(dtype).unwrap();
            let embedded = ops.embed(&table, &[0], 55.425_625).unwrap();
            assert_eq!(values(&embedded), rounded(x.iter().map(|x| x * 55.425_625), dtype));

            for activation in [Activation::Silu, Activation::GeluTanh] {
                let gate_up = row(&[&x[..], &y].concat(), dtype);
                let exact =
                    Portable::new(Device::Cpu, DType::F32).gate(row(&[&x[..], &y].concat(), DType::F32), activation);
                let exact = rounded(values(&exact.unwrap()).into_iter(), dtype);
                assert_eq!(values(&ops.gate(gate_up, activation).unwrap()), exact, "{activation:?}");
            }
        }
    }
}
