//! The gated feed-forward non-linearity (Shazeer 2020, "GLU variants improve Transformer", section 2).

use multiversion::multiversion;

use super::Rows;
use super::math::{by_rows, gelu_tanh, silu};
use crate::decoder::spec::Activation;

/// `activation(gate) * up`, overwriting the gate: the result is a view of the rows' first half.
pub(super) fn gate(mut gate_up: Rows, activation: Activation) -> Rows {
    let (stride, half) = (gate_up.stride, gate_up.width / 2);
    by_rows(&mut gate_up.values, stride, |_, rows| gate_rows(rows, stride, half, activation));
    Rows { width: half, ..gate_up }
}

#[cfg_attr(feature = "avx512", multiversion(targets = "simd"))]
#[cfg_attr(
    not(feature = "avx512"),
    multiversion(targets("x86_64+avx2+bmi1+bmi2+f16c+fma+lzcnt+popcnt", "aarch64+neon"))
)]
pub(super) fn gate_rows(rows: &mut [f32], stride: usize, half: usize, activation: Activation) {
    for row in rows.chunks_exact_mut(stride) {
        let (gate, up) = row.split_at_mut(half);
        match activation {
            Activation::Silu => gate_row(gate, up, silu),
            Activation::GeluTanh => gate_row(gate, up, gelu_tanh),
        }
    }
}

#[inline(always)]
fn gate_row(gate: &mut [f32], up: &[f32], activation: impl Fn(f32) -> f32) {
    for (gate, up) in gate.iter_mut().zip(up) {
        *gate = activation(*gate) * *up;
    }
}
