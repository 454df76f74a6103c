//! Matrices in f32 packed for products with sums in registers.
//!
//! A panel holds 32 outputs, input by input, so that it is read sequentially for each tile of rows. A product sums over
//! the inputs in order, whatever other rows are multiplied with it, so that it is bit-identical in every pass.

use std::cell::RefCell;
use std::ops::Range;

use bytemuck::allocation::zeroed_vec;
use rayon::prelude::*;

use super::layout::{LANES, Lanes, TileProduct};
use super::multiply::multiply_tile;
use super::tiles::{Tiles, blocks, parts};
use super::vectors::Floats;
use crate::decoder::DecoderError;
use crate::decoder::cpu::Rows;
use crate::decoder::cpu::math::{in_order, side_by_side};
use crate::decoder::cpu::matmul::{Onto, ViewMut};
use crate::decoder::cpu::norm::Norm;
use crate::decoder::weights::Stack;

/// Inputs packed at a time: this part of a panel fits the L1 cache.
const PACKED: usize = 64;

/// Tasks per thread, so that other threads can take over from one that is delayed.
const TASKS: usize = 8;

/// Number of rows up to which threads share the panels rather than the rows: reading the weights then takes longer than
/// multiplying them, so each panel is read once for all rows.
const FEW: usize = 48;

/// Number of multiplications below which waking a second thread does not pay.
const ALONE: usize = 1 << 18;

/// A matrix `(outputs, inputs)`.
#[derive(Debug)]
pub(in crate::decoder) struct FloatPanels {
    floats: Floats,
    inputs: usize,
    /// `(panels, inputs)`; outputs after the last one are zero.
    values: Vec<Lanes>,
}

/// A range of rows and panels.
struct Task<'a> {
    rows: Range<usize>,
    panels: Range<usize>,
    /// Destination of each row's products.
    out: Vec<&'a mut [f32]>,
}

/// Writes the weights of one output of a panel.
fn write_lane(panel: &[Lanes], lane: usize, to: &mut [f32]) {
    for (to, weights) in to.iter_mut().zip(panel) {
        *to = weights.0[lane];
    }
}

thread_local! {
    static TILES: RefCell<Tiles> = RefCell::default();
}

impl FloatPanels {
    /// Expands a matrix into panels; `None` if this processor has no instructions for them.
    pub fn new(stack: &Stack) -> Result<Option<FloatPanels>, DecoderError> {
        Floats::detect().map(|floats| FloatPanels::with(floats, stack)).transpose()
    }

    /// Like [`FloatPanels::new`], for products by these instructions.
    pub(super) fn with(floats: Floats, stack: &Stack) -> Result<FloatPanels, DecoderError> {
        let inputs = stack.columns();
        // Zeroed pages from the system: all threads write to them first, and so share the page faults.
        let mut values = zeroed_vec::<Lanes>(stack.rows().div_ceil(LANES) * inputs);
        values.par_chunks_mut(inputs.max(1)).enumerate().try_for_each_init(Vec::new, |rows, (panel, to)| {
            let outputs = panel * LANES..stack.rows().min((panel + 1) * LANES);
            rows.resize(outputs.len() * inputs, 0.0);
            stack.expand(outputs, rows)?;
            for first in (0..inputs).step_by(PACKED) {
                let to = &mut to[first..inputs.min(first + PACKED)];
                for (lane, row) in rows.chunks_exact(inputs).enumerate() {
                    for (to, value) in to.iter_mut().zip(&row[first..]) {
                        to.0[lane] = *value;
                    }
                }
            }
            Ok::<(), DecoderError>(())
        })?;
        Ok(FloatPanels { floats, inputs, values })
    }

    /// Writes all values, `(outputs, inputs)`, up to as many outputs as `to` holds.
    pub fn by_rows(&self, to: &mut [f32]) {
        to.par_chunks_mut((LANES * self.inputs).max(1)).zip(self.values.par_chunks(self.inputs.max(1))).for_each(
            |(to, panel)| {
                for (lane, row) in to.chunks_exact_mut(self.inputs).enumerate() {
                    write_lane(panel, lane, row);
                }
            },
        );
    }

    /// Writes the weights of one output.
    pub fn output(&self, output: usize, to: &mut [f32]) {
        let panel = &self.values[output / LANES * self.inputs..][..self.inputs];
        write_lane(panel, output % LANES, to);
    }

    /// `out = factor * x W^T`, or adds this to `out`; with a norm, `x` is normed first.
    pub fn multiply(&self, out: ViewMut, onto: Onto, factor: f32, x: &Rows, norm: Option<&Norm>) {
        let threads = rayon::current_num_threads();
        let alone = out.rows * out.columns * self.inputs < ALONE || threads == 1;
        let work = |mut task: Task<'_>| {
            TILES.with_borrow_mut(|tiles| {
                tiles.pack(&x.values[task.rows.start * x.stride..], x.stride, task.rows.len(), self.inputs, norm);
                self.products(task.panels, tiles, &mut task.out, onto, factor);
            });
        };
        match (alone, out.rows <= FEW) {
            (true, _) => tasks(out, 1).into_iter().for_each(work),
            (false, true) => side_by_side(tasks(out, threads), work),
            (false, false) => in_order(tasks(out, threads), work),
        }
    }

    /// Number of panels.
    pub fn len(&self) -> usize {
        self.values.len() / self.inputs.max(1)
    }

    /// Number of inputs.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Products of some panels with all rows of `tiles`, written to the slices of `out`, one per row.
    pub fn products(&self, panels: Range<usize>, tiles: &Tiles, out: &mut [&mut [f32]], mut onto: Onto, factor: f32) {
        for inputs in tiles.inputs() {
            let of = |panel: usize| &self.values[panel * self.inputs..][inputs.clone()];
            for (number, panel) in panels.clone().enumerate() {
                // Also of the task that follows, which this thread is likely to take.
                let next = if panel + 1 < self.len() { of(panel + 1) } else { &[] };
                let count = tiles.of(&inputs).count();
                for ((rows, values), next) in tiles.of(&inputs).zip(parts(next.len(), count).map(|part| &next[part])) {
                    let product = TileProduct {
                        panels: of(panel),
                        inputs: inputs.len(),
                        rows: values,
                        onto,
                        factor,
                        resumed: false,
                        next,
                    };
                    multiply_tile(self.floats, product, &mut out[rows], number * LANES);
                }
            }
            onto = Onto::Add;
        }
    }
}

/// Divides a product among threads: by rows and panels, or by panels alone if there are few rows.
fn tasks(out: ViewMut<'_>, threads: usize) -> Vec<Task<'_>> {
    let panels = out.columns.div_ceil(LANES);
    let blocks =
        if (1..=FEW).contains(&out.rows) { std::iter::once(0..out.rows).collect() } else { blocks(out.rows, threads) };
    let groups = if threads == 1 { 1 } else { (TASKS * threads).div_ceil(blocks.len().max(1)).min(panels) };
    let mut tasks = Vec::with_capacity(blocks.len() * groups);
    let mut each_row = out.values.chunks_mut(out.row.max(1)).map(|row| &mut row[..out.columns]);
    for rows in blocks {
        let start = tasks.len();
        tasks.extend(parts(panels, groups).map(|panels| Task { rows: rows.clone(), panels, out: Vec::new() }));
        for mut row in each_row.by_ref().take(rows.len()) {
            for task in &mut tasks[start..] {
                let (own, rest) = row.split_at_mut(row.len().min(task.panels.len() * LANES));
                task.out.push(own);
                row = rest;
            }
        }
    }
    tasks
}
