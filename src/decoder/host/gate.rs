//! The gated feed-forward non-linearity (Shazeer 2020, "GLU variants improve Transformer", section 2).

use super::Rows;
use super::math::{by_rows, gelu_tanh, silu};
use crate::decoder::spec::Activation;

/// `activation(gate) * up`, written over the gate: the result is a view of the rows' first half.
pub(super) fn gate(mut gate_up: Rows, activation: Activation) -> Rows {
    match activation {
        Activation::Silu => apply(&mut gate_up, silu),
        Activation::GeluTanh => apply(&mut gate_up, gelu_tanh),
    }
    Rows { width: gate_up.width / 2, ..gate_up }
}

#[inline(always)]
fn apply<F: Fn(f32) -> f32 + Sync>(gate_up: &mut Rows, activation: F) {
    let (stride, half) = (gate_up.stride, gate_up.width / 2);
    by_rows(&mut gate_up.values, stride, |_, chunk| {
        for row in chunk.chunks_exact_mut(stride) {
            let (gate, up) = row.split_at_mut(half);
            for (gate, up) in gate.iter_mut().zip(up) {
                *gate = activation(*gate) * *up;
            }
        }
    });
}
