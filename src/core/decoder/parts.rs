//! Decomposition of the residual stream: what each part of a model adds to it, and to the difference of two logits.
//!
//! In a model with norms before its blocks, the stream is a sum (Elhage et al. 2021, "A Mathematical Framework for
//! Transformer Circuits"):
//!
//! ```text
//! x[L] = embedding + sum over layers of (sum over heads of W_O[h] z[h]) + bias + network
//! ```
//!
//! where `z[h]` is the attention-weighted mean of a head's values and `W_O[h]` the columns of the output product that
//! read it.

use super::DecoderError;
use super::layers::{Layer, Model};
use super::ops::Ops;
use super::stream::{Contributions, StreamParts};

impl<O: Ops> Model<O> {
    /// Rejects families whose stream is not a sum of head outputs.
    pub(super) fn check_parts(&self) -> Result<(), DecoderError> {
        let reason = "a norm follows its attention, so its heads do not add up";
        match self.layers.iter().any(|layer| layer.after_attention.is_some()) {
            true => Err(DecoderError::NoContributions { family: self.spec.family, reason }),
            false => Ok(()),
        }
    }

    /// See [`Decoder::check_contributions`](super::Decoder::check_contributions).
    pub(super) fn check_contributions(&self) -> Result<(), DecoderError> {
        let reason = "its logits are capped, so its parts do not add up";
        match self.spec.logit_cap {
            Some(_) => Err(DecoderError::NoContributions { family: self.spec.family, reason }),
            None => self.check_parts(),
        }
    }

    /// Starts the parts of some rows from their embedding.
    pub(super) fn begin_parts(&self, embedding: &O::Rows) -> Result<Vec<StreamParts>, DecoderError> {
        let rows = self.ops.values(embedding)?;
        let begin = |row: &[f32]| StreamParts { embedding: row.to_vec(), last: row.to_vec(), ..StreamParts::default() };
        Ok(rows.chunks(self.spec.hidden).map(begin).collect())
    }

    /// Adds the output of a layer's heads; `mixed` holds the input of the output product, `(rows, heads * value size)`.
    pub(super) fn add_heads(
        &self,
        parts: &mut [StreamParts],
        mixed: &O::Rows,
        layer: &Layer<O>,
        silent: bool,
    ) -> Result<(), DecoderError> {
        let (ops, heads, width) = (&self.ops, self.spec.heads, self.spec.value_dim());
        for (row, parts) in parts.iter_mut().enumerate() {
            // One row per head with only its own columns, and one of zeros, which gives the bias.
            let mut alone = ops.select(mixed, &vec![row; heads + 1])?;
            for head in 0..heads {
                let factors: Vec<f32> = (0..=heads).map(|own| if own == head && !silent { 1.0 } else { 0.0 }).collect();
                ops.scale_columns(&mut alone, head * width..(head + 1) * width, &factors)?;
            }
            let written = ops.values(&ops.product(&alone, None, &layer.output)?)?;
            let scale = self.spec.residual_scale;
            let mut written: Vec<Vec<f32>> = written
                .chunks(self.spec.hidden)
                .map(|row| row.iter().map(|value| if silent { 0.0 } else { scale * value }).collect())
                .collect();
            let bias = written.pop().unwrap_or_default();
            for head in &mut written {
                head.iter_mut().zip(&bias).for_each(|(value, bias)| *value -= bias);
            }
            parts.heads.push(written);
            parts.biases.push(bias);
        }
        Ok(())
    }

    /// Adds the output of a feed-forward block, from the stream before and after it.
    pub(super) fn add_network(
        &self,
        parts: &mut [StreamParts],
        before: &O::Rows,
        after: &O::Rows,
    ) -> Result<(), DecoderError> {
        let (before, after) = (self.ops.values(before)?, self.ops.values(after)?);
        let width = self.spec.hidden;
        for ((parts, before), after) in parts.iter_mut().zip(before.chunks(width)).zip(after.chunks(width)) {
            parts.networks.push(after.iter().zip(before).map(|(after, before)| after - before).collect());
            parts.last = after.to_vec();
        }
        Ok(())
    }

    /// See [`Decoder::contributions`](super::Decoder::contributions).
    pub(super) fn contributions(&self, parts: &StreamParts, tokens: (u32, u32)) -> Result<Contributions, DecoderError> {
        let (ops, spec) = (&self.ops, &self.spec);
        self.check_contributions()?;
        if let Some(token) = [tokens.0, tokens.1].into_iter().find(|&token| token as usize >= spec.vocab_size) {
            let problem = format!("token {token} is outside the vocabulary of {}", spec.vocab_size);
            return Err(DecoderError::Pass(problem));
        }
        let eps = f64::from(spec.norm_eps);
        // The weight of the final norm, obtained by applying it to ones.
        let like = ops.embed(&self.embedding, &[tokens.0], 1.0)?;
        let ones = ops.rows(&like, vec![1.0; spec.hidden], spec.hidden)?;
        let ones: Vec<f32> = self.read(&ones)?.flatten_all()?.to_vec1()?;
        let square = parts.last.iter().map(|&value| f64::from(value).powi(2)).sum::<f64>() / spec.hidden as f64;
        let scale = f64::from(spec.logit_scale) * (1.0 + eps).sqrt() / (square + eps).sqrt();
        let (first, second) = (ops.head_row(&self.head, tokens.0)?, ops.head_row(&self.head, tokens.1)?);
        let direction: Vec<f64> = ones
            .iter()
            .zip(first.iter().zip(&second))
            .map(|(&weight, (&first, &second))| scale * f64::from(weight) * (f64::from(first) - f64::from(second)))
            .collect();
        let along = |part: &Vec<f32>| -> f64 {
            part.iter().zip(&direction).map(|(&value, direction)| f64::from(value) * direction).sum()
        };
        Ok(Contributions {
            difference: along(&parts.last),
            embedding: along(&parts.embedding),
            heads: parts.heads.iter().map(|heads| heads.iter().map(along).collect()).collect(),
            biases: parts.biases.iter().map(along).collect(),
            networks: parts.networks.iter().map(along).collect(),
        })
    }
}
