//! What this arithmetic reaches at best with a model, and what a pass must read: the ceilings of its measurements.

use std::time::Instant;

use super::float::FloatMatrix;
use super::linear::Linear;
use super::matmul::{Onto, ViewMut};
use super::{Cpu, Rows};
use crate::decoder::DecoderError;
use crate::decoder::layers::{Layer, Model};
use crate::decoder::ops::{FeedForward, GatedNetwork, Ops};
use crate::decoder::weights::{Matrix, Stack};

/// Rows of a product: those of a pass of prefill.
const ROWS: usize = 512;

/// Outputs and inputs of a product in f32 that is large enough to hide what is around it.
const LARGE: usize = 2048;

/// Repetitions, of which the best counts.
const TRIES: usize = 3;

impl Model<Cpu> {
    /// Bytes of weights that every pass reads: all matrices and the head, not the embedding. `None` with experts, of which a
    /// pass reads some.
    pub fn bytes_per_pass(&self) -> Option<usize> {
        let of_layer = |layer: &Layer<Cpu>| match &layer.feed_forward.network {
            FeedForward::Dense(network) => {
                let attention = layer.query_key_value.products().into_iter().chain([&layer.output]);
                Some(attention.chain([&network.gate_up, &network.down]).map(Linear::bytes).sum::<usize>())
            }
            FeedForward::Mixture(_) => None,
        };
        self.layers.iter().map(of_layer).sum::<Option<usize>>().map(|layers| layers + self.head.bytes())
    }

    /// Floating-point operations per second of the fastest of these: the attention products of the first layer, its
    /// feed-forward network, a large product in f32. No pass can be faster for long, since it consists of such products.
    ///
    /// # Errors
    /// Errors of the products.
    pub fn product_rate(&self) -> Result<f64, DecoderError> {
        let values: Vec<f32> = (0..LARGE * LARGE).map(|at| (at * 7919 % 1009) as f32 / 504.0 - 1.0).collect();
        let x = |width: usize| Rows::new((0..ROWS).flat_map(|row| &values[row..row + width]).copied().collect(), width);
        let large = FloatMatrix::new(&Stack::new(Matrix::plain(values.clone(), &[LARGE, LARGE])))?;
        let (rows, mut out) = (x(LARGE), vec![0.0; ROWS * LARGE]);
        let mut best = rate(LARGE * LARGE, || {
            large.multiply(ViewMut::by_rows(&mut out, ROWS, LARGE, LARGE), Onto::Replace, 1.0, &rows);
            Ok(())
        })?;
        let Some(layer) = self.layers.first() else { return Ok(best) };
        for linear in layer.query_key_value.products().into_iter().chain([&layer.output]) {
            let (outputs, inputs) = linear.sizes();
            let rows = x(inputs);
            best = best.max(rate(outputs * inputs, || linear.product(&rows, None).map(drop))?);
        }
        if let FeedForward::Dense(GatedNetwork { gate_up, down }) = &layer.feed_forward.network {
            let products = [gate_up, down].map(Linear::sizes);
            let weights = products.iter().map(|(outputs, inputs)| outputs * inputs).sum();
            let mut rows = x(gate_up.sizes().1);
            let forward = || {
                self.ops.feed_forward(&mut rows, &layer.feed_forward, self.spec.activation, self.spec.residual_scale)
            };
            best = best.max(rate(weights, forward)?);
        }
        Ok(best)
    }
}

/// Operations per second of a product of [`ROWS`] rows with so many weights.
fn rate(weights: usize, mut product: impl FnMut() -> Result<(), DecoderError>) -> Result<f64, DecoderError> {
    product()?;
    let mut best = 0.0f64;
    for _ in 0..TRIES {
        let started = Instant::now();
        product()?;
        best = best.max((2 * ROWS * weights) as f64 / started.elapsed().as_secs_f64());
    }
    Ok(best)
}
