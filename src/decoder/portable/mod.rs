//! The arithmetic as plain tensor operations, on any device candle supports.
//!
//! Weights, activations, keys and values are in the given type. Products sum in f32 and round once; everything between
//! them is computed in f32 and rounded once, and scores, masks, softmax and logits stay in f32. On the CPU this is the
//! reference that the fused operations of `cpu` are compared with.

use std::ops::Range;

use candle_core::{D, DType, Device, Tensor};

use super::DecoderError;
use super::capture::LayerQuery;
use super::ops::{AttentionInput, Columns, Heads, Logits, Ops, Weight};
use super::pass::Layout;
use super::rotary::{Angles, Pairing};
use super::spec::Activation;

mod attention;
mod cache;
mod capture;
mod check;
mod device;
mod linear;

use attention::AncestorMask;
pub(crate) use attention::MOST_SCORE_BYTES;
pub(crate) use cache::LayerCache;
pub(crate) use check::check;
pub(crate) use device::{device_memory, dtype};
use linear::Linear;

/// A device.
#[derive(Debug, Clone)]
pub(crate) struct Portable {
    pub device: Device,
    /// Type of weights, activations, keys and values.
    pub dtype: DType,
}

/// A norm's weight in f32.
#[derive(Debug)]
pub(crate) struct Norm {
    weight: Tensor,
    eps: f64,
}

/// Rows whose logits exist at one time.
const HEAD_ROWS: usize = 64;

impl Portable {
    fn send(&self, values: Vec<f32>, shape: impl Into<candle_core::Shape>) -> Result<Tensor, DecoderError> {
        Ok(Tensor::from_vec(values, shape.into(), &self.device)?)
    }
}

impl Norm {
    /// `x / rms(x) * weight` along the last dimension, in f32.
    fn of(&self, x: &Tensor) -> Result<Tensor, DecoderError> {
        let x = x.to_dtype(DType::F32)?;
        let mean_square = x.sqr()?.mean_keepdim(D::Minus1)?;
        Ok(x.broadcast_div(&(mean_square + self.eps)?.sqrt()?)?.broadcast_mul(&self.weight)?)
    }
}

/// `cap * tanh(values / cap)`, where there is a cap.
fn soft_cap(values: Tensor, cap: Option<f32>) -> Result<Tensor, DecoderError> {
    Ok(match cap {
        None => values,
        Some(cap) => ((values / f64::from(cap))?.tanh()? * f64::from(cap))?,
    })
}

impl Ops for Portable {
    type Rows = Tensor;
    type Table = Tensor;
    type Linear = Linear;
    type Head = Linear;
    type Norm = Norm;
    type LayerCache = LayerCache;
    type AttentionPlan = AncestorMask;
    /// Cosines and sines, `(tokens, 1, width / 2)` each.
    type Angles = (Tensor, Tensor);

    fn table(&self, weight: Weight, width: usize) -> Result<Tensor, DecoderError> {
        let table = match weight {
            Weight::Dense(stack) => self.send(stack.by_rows()?, (stack.rows(), width))?,
            Weight::Blocks(blocks) => blocks.dequantize(&self.device)?,
        };
        Ok(table.to_dtype(self.dtype)?)
    }

    fn linear(&self, weights: Vec<Weight>, inputs: usize, bias: Option<Vec<f32>>) -> Result<Linear, DecoderError> {
        Linear::new(weights, inputs, bias, self.dtype, &self.device)
    }

    fn norm_weight(&self, values: Vec<f32>, eps: f32) -> Result<Norm, DecoderError> {
        let width = values.len();
        Ok(Norm { weight: self.send(values, width)?, eps: f64::from(eps) })
    }

    fn layer_cache(&self, heads: &Heads) -> LayerCache {
        LayerCache::new(heads.kv_heads, heads.head_dim)
    }

    fn plan(&self, layout: &Layout, _heads: &Heads, window: Option<usize>) -> Result<AncestorMask, DecoderError> {
        attention::mask(layout, window, &self.device)
    }

    fn angles(&self, angles: Angles) -> Result<(Tensor, Tensor), DecoderError> {
        let shape = (angles.tokens, 1, angles.cos.len() / angles.tokens.max(1));
        Ok((self.send(angles.cos, shape)?, self.send(angles.sin, shape)?))
    }

    fn embed(&self, table: &Tensor, tokens: &[u32], scale: f32) -> Result<Tensor, DecoderError> {
        let rows = table.index_select(&Tensor::new(tokens, &self.device)?, 0)?;
        if scale == 1.0 {
            return Ok(rows);
        }
        Ok((rows.to_dtype(DType::F32)? * f64::from(scale))?.to_dtype(self.dtype)?)
    }

    fn norm(&self, x: &Tensor, norm: &Norm) -> Result<Tensor, DecoderError> {
        Ok(norm.of(x)?.to_dtype(self.dtype)?)
    }

    fn norm_columns(
        &self,
        x: &mut Tensor,
        columns: Range<usize>,
        width: usize,
        norm: &Norm,
    ) -> Result<(), DecoderError> {
        let (tokens, total) = x.dims2()?;
        let part = x.narrow(1, columns.start, columns.len())?;
        let normed = norm.of(&part.reshape((tokens, columns.len() / width, width))?)?;
        let normed = normed.reshape((tokens, columns.len()))?.to_dtype(self.dtype)?;
        let before = x.narrow(1, 0, columns.start)?;
        let after = x.narrow(1, columns.end, total - columns.end)?;
        *x = Tensor::cat(&[before, normed, after], 1)?;
        Ok(())
    }

    fn product(&self, x: &Tensor, norm: Option<&Norm>, linear: &Linear) -> Result<Tensor, DecoderError> {
        match norm {
            None => linear.of(x),
            Some(norm) => linear.of(&self.norm(x, norm)?),
        }
    }

    fn add_product(&self, residual: &mut Tensor, x: &Tensor, linear: &Linear, scale: f32) -> Result<(), DecoderError> {
        self.add(residual, &linear.of(x)?, scale)
    }

    fn add(&self, residual: &mut Tensor, x: &Tensor, scale: f32) -> Result<(), DecoderError> {
        *residual = if scale == 1.0 {
            (&*residual + x)?
        } else {
            let scaled = (x.to_dtype(DType::F32)? * f64::from(scale))?;
            (residual.to_dtype(DType::F32)? + scaled)?.to_dtype(self.dtype)?
        };
        Ok(())
    }

    fn rotate(
        &self,
        qkv: &mut Tensor,
        (cos, sin): &(Tensor, Tensor),
        pairing: Pairing,
        heads: &Heads,
    ) -> Result<(), DecoderError> {
        let (tokens, total) = qkv.dims2()?;
        let (rotated, head_dim) = (heads.keys().end, heads.head_dim);
        let half = cos.dim(2)?;
        let x = qkv.narrow(1, 0, rotated)?.reshape((tokens, rotated / head_dim, head_dim))?;
        let turned = x.narrow(2, 0, 2 * half)?.to_dtype(DType::F32)?;
        let (a, b) = match pairing {
            Pairing::Halves => (turned.narrow(2, 0, half)?, turned.narrow(2, half, half)?),
            Pairing::Interleaved => {
                let pairs = turned.reshape((tokens, rotated / head_dim, half, 2))?;
                (pairs.narrow(3, 0, 1)?.squeeze(3)?, pairs.narrow(3, 1, 1)?.squeeze(3)?)
            }
        };
        let first = (a.broadcast_mul(cos)? - b.broadcast_mul(sin)?)?;
        let second = (b.broadcast_mul(cos)? + a.broadcast_mul(sin)?)?;
        let turned = match pairing {
            Pairing::Halves => Tensor::cat(&[first, second], 2)?,
            Pairing::Interleaved => {
                Tensor::stack(&[first, second], 3)?.reshape((tokens, rotated / head_dim, 2 * half))?
            }
        };
        let still = x.narrow(2, 2 * half, head_dim - 2 * half)?;
        let x = Tensor::cat(&[turned.to_dtype(self.dtype)?, still], 2)?.reshape((tokens, rotated))?;
        *qkv = Tensor::cat(&[x, qkv.narrow(1, rotated, total - rotated)?], 1)?;
        Ok(())
    }

    fn store(&self, cache: &mut LayerCache, qkv: &Tensor, heads: &Heads) -> Result<(), DecoderError> {
        let columns = |range: Range<usize>| qkv.narrow(1, range.start, range.len());
        cache.store(&columns(heads.keys())?, &columns(heads.values())?)
    }

    fn clear(&self, cache: &mut LayerCache) {
        cache.truncate(0);
    }

    fn attend(&self, input: &AttentionInput<Tensor, LayerCache>, mask: &AncestorMask) -> Result<Tensor, DecoderError> {
        attention::attend(input, mask)
    }

    fn gate(&self, gate_up: Tensor, activation: Activation) -> Result<Tensor, DecoderError> {
        let width = gate_up.dim(1)? / 2;
        let gate = gate_up.narrow(1, 0, width)?.to_dtype(DType::F32)?;
        let gate = match activation {
            Activation::Silu => gate.silu()?,
            Activation::GeluTanh => gate.gelu()?,
        };
        let up = gate_up.narrow(1, width, width)?.to_dtype(DType::F32)?;
        Ok((gate * up)?.to_dtype(self.dtype)?)
    }

    fn add_rows(&self, onto: &mut Tensor, x: &Tensor, rows: &[usize], weights: &[f32]) -> Result<(), DecoderError> {
        let places: Vec<u32> = rows.iter().map(|&row| row as u32).collect();
        let places = Tensor::from_vec(places, rows.len(), &self.device)?;
        let weights = self.send(weights.to_vec(), (weights.len(), 1))?;
        let weighed = x.to_dtype(DType::F32)?.broadcast_mul(&weights)?;
        *onto = onto.to_dtype(DType::F32)?.index_add(&places, &weighed, 0)?.to_dtype(self.dtype)?;
        Ok(())
    }

    fn copy(&self, x: &Tensor) -> Result<Tensor, DecoderError> {
        Ok(x.clone())
    }

    fn zeros_like(&self, x: &Tensor) -> Result<Tensor, DecoderError> {
        Ok(x.zeros_like()?)
    }

    fn values(&self, x: &Tensor) -> Result<Vec<f32>, DecoderError> {
        Ok(x.to_dtype(DType::F32)?.flatten_all()?.to_vec1()?)
    }

    fn rows(&self, _like: &Tensor, values: Vec<f32>, width: usize) -> Result<Tensor, DecoderError> {
        let rows = values.len() / width.max(1);
        Ok(self.send(values, (rows, width))?.to_dtype(self.dtype)?)
    }

    fn scale_columns(&self, x: &mut Tensor, columns: Range<usize>, factors: &[f32]) -> Result<(), DecoderError> {
        let total = x.dim(1)?;
        let factors = self.send(factors.to_vec(), (factors.len(), 1))?;
        let part = x.narrow(1, columns.start, columns.len())?.to_dtype(DType::F32)?;
        let scaled = part.broadcast_mul(&factors)?.to_dtype(self.dtype)?;
        let before = x.narrow(1, 0, columns.start)?;
        let after = x.narrow(1, columns.end, total - columns.end)?;
        *x = Tensor::cat(&[before, scaled, after], 1)?;
        Ok(())
    }

    fn columns(&self, x: &[&Tensor], columns: &[Columns]) -> Result<Tensor, DecoderError> {
        // Picked from all of them side by side, with a column of zeros behind.
        let rows = x[0].dim(0)?;
        let zeros = Tensor::zeros((rows, 1), self.dtype, &self.device)?;
        let mut starts = Vec::with_capacity(x.len());
        let mut width = 0;
        for x in x {
            starts.push(width);
            width += x.dim(1)?;
        }
        let all: Vec<&Tensor> = x.iter().copied().chain([&zeros]).collect();
        let places = columns.iter().flat_map(|columns| match columns {
            Columns::Of(which, range) => {
                let start = starts[*which];
                (start + range.start..start + range.end).collect::<Vec<_>>()
            }
            Columns::Zeros(count) => vec![width; *count],
        });
        let places: Vec<u32> = places.map(|place| place as u32).collect();
        let count = places.len();
        Ok(Tensor::cat(&all, 1)?.index_select(&Tensor::from_vec(places, count, &self.device)?, 1)?)
    }

    fn select(&self, x: &Tensor, rows: &[usize]) -> Result<Tensor, DecoderError> {
        let rows: Vec<u32> = rows.iter().map(|&row| row as u32).collect();
        Ok(x.index_select(&Tensor::from_vec(rows.clone(), rows.len(), &self.device)?, 0)?)
    }

    fn capture(
        &self,
        queries: Vec<LayerQuery>,
        input: &AttentionInput<Tensor, LayerCache>,
        output: Option<&Linear>,
    ) -> Result<(), DecoderError> {
        capture::capture(queries, input, output)
    }

    fn tensor(&self, x: Tensor) -> Result<Tensor, DecoderError> {
        Ok(x.to_dtype(DType::F32)?)
    }

    fn head(&self, weight: Weight, inputs: usize) -> Result<Linear, DecoderError> {
        Linear::of_many_outputs(weight, inputs, self.dtype, &self.device)
    }

    fn tied(&self, table: &Tensor) -> Result<Linear, DecoderError> {
        Ok(Linear::of_tensor(table.clone()))
    }

    fn head_row(&self, head: &Linear, token: u32) -> Result<Vec<f32>, DecoderError> {
        Ok(head.dense()?.get(token as usize)?.to_vec1()?)
    }

    fn logits(&self, hidden: &Tensor, head: &Linear, logits: &Logits) -> Result<Tensor, DecoderError> {
        soft_cap((head.in_f32(hidden)? * f64::from(logits.scale))?, logits.cap)
    }

    fn log_probs(
        &self,
        hidden: &Tensor,
        head: &Linear,
        logits: &Logits,
        targets: &[(usize, u32)],
    ) -> Result<Vec<f32>, DecoderError> {
        let mut out = Vec::with_capacity(targets.len());
        for targets in targets.chunks(HEAD_ROWS) {
            let rows: Vec<u32> = targets.iter().map(|&(row, _)| row as u32).collect();
            let tokens: Vec<u32> = targets.iter().map(|&(_, token)| token).collect();
            let count = targets.len();
            let chosen = hidden.index_select(&Tensor::from_vec(rows, count, &self.device)?, 0)?;
            let logits = self.logits(&chosen, head, logits)?;
            let normaliser = logits.log_sum_exp(D::Minus1)?;
            let tokens = Tensor::from_vec(tokens, (count, 1), &self.device)?;
            let picked = logits.gather(&tokens, 1)?.squeeze(1)?;
            out.extend((picked - normaliser)?.to_vec1::<f32>()?);
        }
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decoder::pass::Pass;

    fn ops(dtype: DType) -> Portable {
        Portable { device: Device::Cpu, dtype }
    }

    fn row(values: &[f32], dtype: DType) -> Tensor {
        Tensor::from_slice(values, (1, values.len()), &Device::Cpu).unwrap().to_dtype(dtype).unwrap()
    }

    fn values(x: &Tensor) -> Vec<f32> {
        x.to_dtype(DType::F32).unwrap().flatten_all().unwrap().to_vec1().unwrap()
    }

    /// Values that a 16-bit type holds exactly, of many sizes.
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
        let qkv = Tensor::from_vec([token(1.0), token(3.0)].concat(), (2, 192), &Device::Cpu).unwrap();
        let qkv = qkv.to_dtype(DType::F16).unwrap();
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

            let table = row(&x, dtype);
            let embedded = ops.embed(&table, &[0], 55.425_625).unwrap();
            assert_eq!(values(&embedded), rounded(x.iter().map(|x| x * 55.425_625), dtype));

            for activation in [Activation::Silu, Activation::GeluTanh] {
                let gate_up = row(&[&x[..], &y].concat(), dtype);
                let exact = Portable { dtype: DType::F32, ..ops.clone() }
                    .gate(row(&[&x[..], &y].concat(), DType::F32), activation);
                let exact = rounded(values(&exact.unwrap()).into_iter(), dtype);
                assert_eq!(values(&ops.gate(gate_up, activation).unwrap()), exact, "{activation:?}");
            }
        }
    }
}
