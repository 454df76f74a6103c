//! The feed-forward block of a layer, computed for some rows at a time from norm to residual addition, so that gate and
//! up stay in the cache.

use std::cell::RefCell;

use super::layout::TILE;
use super::panels::FloatPanels;
use super::tiles::{Tiles, blocks};
use crate::decoder::cpu::Rows;
use crate::decoder::cpu::gate::gate_rows;
use crate::decoder::cpu::math::{in_order, split};
use crate::decoder::cpu::matmul::Onto;
use crate::decoder::cpu::norm::Norm;
use crate::decoder::spec::Activation;

/// Rows per thread from which reading the weights, which every thread does in full, is no longer the bottleneck.
const ROWS: usize = 4 * TILE;

/// A matrix with its bias.
#[derive(Clone, Copy)]
pub(in crate::decoder) struct Biased<'a> {
    pub weight: &'a FloatPanels,
    pub bias: Option<&'a [f32]>,
}

/// Buffers of one thread.
#[derive(Default)]
struct Scratch {
    tiles: Tiles,
    /// `(rows, gate and up)`.
    gate_up: Vec<f32>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// `x += factor * down(activation(gate) * up)`, where gate and up are products of the normed rows. Returns false and
/// does nothing if there are few rows: dividing the weights among threads is then faster.
pub(in crate::decoder::cpu) fn feed_forward(
    x: &mut Rows,
    norm: Option<&Norm>,
    gate_up: Biased,
    activation: Activation,
    down: Biased,
    factor: f32,
) -> bool {
    let threads = rayon::current_num_threads();
    if x.len() < ROWS * threads {
        return false;
    }
    let (stride, half) = (x.stride, down.weight.inputs());
    let blocks = blocks(x.len(), threads);
    let tasks = split(&mut x.values, blocks.iter().map(|rows| rows.len() * stride)).collect();
    let work = |x: &mut [f32]| {
        let rows = x.len() / stride;
        SCRATCH.with_borrow_mut(|Scratch { tiles, gate_up: gated }| {
            tiles.pack(x, stride, rows, gate_up.weight.inputs(), norm);
            gated.resize(rows * 2 * half, 0.0);
            let mut each: Vec<&mut [f32]> = gated.chunks_exact_mut(2 * half).collect();
            gate_up.products(tiles, &mut each, Onto::Replace, 1.0);
            gate_rows(gated, 2 * half, half, activation);
            tiles.pack(gated, 2 * half, rows, half, None);
            let mut each: Vec<&mut [f32]> = x.chunks_exact_mut(stride).collect();
            down.products(tiles, &mut each, Onto::Add, factor);
        });
    };
    in_order(tasks, work);
    true
}

impl Biased<'_> {
    /// `out = factor * (x W^T + b)`, or adds this to `out`.
    fn products(&self, tiles: &Tiles, out: &mut [&mut [f32]], mut onto: Onto, factor: f32) {
        if let Some(bias) = self.bias {
            for (out, bias) in out.iter_mut().flat_map(|row| row.iter_mut().zip(bias)) {
                onto.put(factor * bias, out);
            }
            onto = Onto::Add;
        }
        self.weight.products(0..self.weight.len(), tiles, out, onto, factor);
    }
}
