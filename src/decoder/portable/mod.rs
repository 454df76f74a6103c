//! The arithmetic as plain tensor operations, on any device candle supports.
//!
//! Weights, activations, keys and values are in the given precision; norms, rotations, scores, softmax and logits are
//! computed in f32. On the CPU this is the reference that the fused operations of `cpu` are compared with.

use std::ops::Range;

use candle_core::quantized::{QMatMul, QTensor};
use candle_core::{D, DType, Device, Module, Tensor};

use super::DecoderError;
use super::capture::LayerQuery;
use super::ops::{AttentionInput, Heads, Logits, Ops, Weight};
use super::pass::Layout;
use super::rotary::{Angles, Pairing};
use super::spec::Activation;

mod attention;
mod cache;
mod capture;

use attention::AncestorMask;
pub(crate) use cache::LayerCache;

/// A device.
#[derive(Debug, Clone)]
pub(crate) struct Portable {
    pub device: Device,
    /// Type of weights, activations, keys and values.
    pub dtype: DType,
}

/// `x W^T + b`, where the outputs may come from several matrices side by side.
#[derive(Debug)]
pub(crate) struct Linear {
    parts: Vec<LinearWeight>,
    bias: Option<Tensor>,
}

#[derive(Debug)]
enum LinearWeight {
    /// `(outputs, inputs)`.
    Dense(Tensor),
    /// GGUF blocks.
    Blocks(QMatMul, std::sync::Arc<QTensor>),
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

impl Linear {
    /// `x W^T + b`.
    fn of(&self, x: &Tensor) -> Result<Tensor, DecoderError> {
        let mut products = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            products.push(match part {
                LinearWeight::Dense(weight) => x.matmul(&weight.t()?)?,
                LinearWeight::Blocks(product, _) => product.forward(&x.to_dtype(DType::F32)?)?.to_dtype(x.dtype())?,
            });
        }
        let product = if products.len() == 1 { products.swap_remove(0) } else { Tensor::cat(&products, D::Minus1)? };
        Ok(match &self.bias {
            Some(bias) => product.broadcast_add(bias)?,
            None => product,
        })
    }

    /// The weight `(outputs, inputs)` in f32.
    fn dense(&self) -> Result<Tensor, DecoderError> {
        let parts = self.parts.iter().map(|part| match part {
            LinearWeight::Dense(weight) => weight.to_dtype(DType::F32),
            LinearWeight::Blocks(_, blocks) => blocks.dequantize(&blocks.device()),
        });
        Ok(Tensor::cat(&parts.collect::<Result<Vec<_>, _>>()?, 0)?)
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
        let parts = weights.into_iter().map(|weight| match weight {
            Weight::Dense(stack) => {
                Ok(LinearWeight::Dense(self.send(stack.by_rows()?, (stack.rows(), inputs))?.to_dtype(self.dtype)?))
            }
            Weight::Blocks(blocks) => {
                let shape = blocks.shape().clone();
                let storage =
                    candle_core::quantized::QStorage::from_data(blocks.data()?, &self.device, blocks.dtype())?;
                let blocks = std::sync::Arc::new(QTensor::new(storage, shape)?);
                Ok(LinearWeight::Blocks(QMatMul::from_arc(blocks.clone())?, blocks))
            }
        });
        let parts = parts.collect::<Result<Vec<_>, DecoderError>>()?;
        let bias = match bias {
            None => None,
            Some(bias) => {
                let width = bias.len();
                Some(self.send(bias, width)?.to_dtype(self.dtype)?)
            }
        };
        Ok(Linear { parts, bias })
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
        Ok(if scale == 1.0 { rows } else { (rows * f64::from(scale))? })
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
        *residual = if scale == 1.0 { (&*residual + x)? } else { (&*residual + (x * f64::from(scale))?)? };
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
        let gate = gate_up.narrow(1, 0, width)?;
        let gate = match activation {
            Activation::Silu => gate.silu()?,
            Activation::GeluTanh => gate.gelu()?,
        };
        Ok((gate * gate_up.narrow(1, width, width)?)?)
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
        self.linear(vec![weight], inputs, None)
    }

    fn tied(&self, table: &Tensor) -> Result<Linear, DecoderError> {
        Ok(Linear { parts: vec![LinearWeight::Dense(table.clone())], bias: None })
    }

    fn logits(&self, hidden: &Tensor, head: &Linear, logits: &Logits) -> Result<Tensor, DecoderError> {
        let product = head.of(&hidden.to_dtype(self.dtype)?)?.to_dtype(DType::F32)?;
        soft_cap((product * f64::from(logits.scale))?, logits.cap)
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
