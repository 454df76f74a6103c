//! Matrices in f32 arranged for products that keep their sums in registers.
//!
//! A panel holds 32 outputs, input by input, so that it is read from its first byte to its last for each tile of rows. A
//! product's sum runs over the inputs in their order, whatever rows are beside it, so that it has the same bits in every pass.

use std::cell::RefCell;
use std::ops::Range;

use bytemuck::Zeroable;
use bytemuck::allocation::zeroed_vec;
use rayon::prelude::*;

use super::avx512::Avx512;
use super::tiles::{Strip, TILE, Tiles, blocks, parts};
use crate::decoder::DecoderError;
use crate::decoder::host::Rows;
use crate::decoder::host::math::in_order;
use crate::decoder::host::matmul::{Onto, ViewMut};
use crate::decoder::host::norm::Norm;
use crate::decoder::weights::Stack;

/// Outputs in a panel.
pub(in crate::decoder::host) const LANES: usize = 32;

/// Inputs arranged at one time: so many of a panel fit the first-level cache.
const TURNED: usize = 64;

/// Tasks for each thread, so that one held up elsewhere is relieved by the others.
const TASKS: usize = 8;

/// Multiplications below which the work is not worth waking a second thread.
const ALONE: usize = 1 << 18;

/// The weights of one input.
#[derive(Debug, Clone, Copy, Zeroable)]
#[repr(align(64))]
pub(in crate::decoder::host) struct Lanes(pub [f32; LANES]);

/// A matrix `(outputs, inputs)`.
#[derive(Debug)]
pub(in crate::decoder) struct Panels {
    avx512: Avx512,
    inputs: usize,
    /// `(panels, inputs)`; outputs behind the last one are zero.
    values: Vec<Lanes>,
}

/// Some rows with some panels.
struct Task<'a> {
    rows: Range<usize>,
    panels: Range<usize>,
    /// Where the products of each row go.
    out: Vec<&'a mut [f32]>,
}

/// Write the weights of one output of a panel.
fn write_lane(panel: &[Lanes], lane: usize, to: &mut [f32]) {
    for (to, weights) in to.iter_mut().zip(panel) {
        *to = weights.0[lane];
    }
}

/// The first `len`, whatever they hold; new ones where there are too few.
pub(in crate::decoder::host) fn room(lanes: &mut Vec<Lanes>, len: usize) -> &mut [Lanes] {
    if lanes.len() < len {
        *lanes = zeroed_vec(len);
    }
    &mut lanes[..len]
}

thread_local! {
    static TILES: RefCell<Tiles> = RefCell::default();
}

impl Panels {
    /// Expand a matrix into panels; none where this processor has no instructions for them.
    pub fn new(stack: &Stack) -> Result<Option<Panels>, DecoderError> {
        let Some(avx512) = Avx512::detect() else { return Ok(None) };
        let inputs = stack.columns();
        // Zeros that the system gives: all threads write them first, and wait for new pages together.
        let mut values = zeroed_vec::<Lanes>(stack.rows().div_ceil(LANES) * inputs);
        values.par_chunks_mut(inputs.max(1)).enumerate().try_for_each_init(Vec::new, |rows, (panel, to)| {
            let outputs = panel * LANES..stack.rows().min((panel + 1) * LANES);
            rows.resize(outputs.len() * inputs, 0.0);
            stack.expand(outputs, rows)?;
            for first in (0..inputs).step_by(TURNED) {
                let to = &mut to[first..inputs.min(first + TURNED)];
                for (lane, row) in rows.chunks_exact(inputs).enumerate() {
                    for (to, value) in to.iter_mut().zip(&row[first..]) {
                        to.0[lane] = *value;
                    }
                }
            }
            Ok::<(), DecoderError>(())
        })?;
        Ok(Some(Panels { avx512, inputs, values }))
    }

    /// All values, `(outputs, inputs)`, as many outputs as `to` holds.
    pub fn by_rows(&self, to: &mut [f32]) {
        to.par_chunks_mut((LANES * self.inputs).max(1)).zip(self.values.par_chunks(self.inputs.max(1))).for_each(
            |(to, panel)| {
                for (lane, row) in to.chunks_exact_mut(self.inputs).enumerate() {
                    write_lane(panel, lane, row);
                }
            },
        );
    }

    /// The weights of one output.
    pub fn output(&self, output: usize, to: &mut [f32]) {
        let panel = &self.values[output / LANES * self.inputs..][..self.inputs];
        write_lane(panel, output % LANES, to);
    }

    /// `out = factor * x W^T`, or the same added to `out`. With a norm, of the rows after that norm.
    pub fn multiply(&self, out: ViewMut, onto: Onto, factor: f32, x: &Rows, norm: Option<&Norm>) {
        let threads = rayon::current_num_threads();
        let alone = out.rows * out.columns * self.inputs < ALONE || threads == 1;
        let work = |mut task: Task<'_>| {
            TILES.with_borrow_mut(|tiles| {
                tiles.pack(&x.values[task.rows.start * x.stride..], x.stride, task.rows.len(), self.inputs, norm);
                self.products(task.panels, tiles, &mut task.out, onto, factor);
            });
        };
        match alone {
            true => tasks(out, 1).into_iter().for_each(work),
            false => in_order(tasks(out, threads), work),
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

    /// Products of some panels with all rows of `tiles`, to the slices of `out`, one for each row.
    pub fn products(&self, panels: Range<usize>, tiles: &Tiles, out: &mut [&mut [f32]], mut onto: Onto, factor: f32) {
        for inputs in tiles.inputs() {
            for (number, panel) in panels.clone().enumerate() {
                let panel = &self.values[panel * self.inputs..][inputs.clone()];
                for (rows, values) in tiles.of(&inputs) {
                    self.avx512.tile(panel, inputs.len(), values, &mut out[rows], number * LANES, onto, factor);
                }
            }
            onto = Onto::Add;
        }
    }
}

impl Avx512 {
    /// Products of a tile of rows, `(inputs / 16, rows)`, with some panels, to the columns of `out` from `first` on. The last
    /// panel may be wider than what is left of the rows.
    #[allow(clippy::too_many_arguments)]
    pub fn tile(
        self,
        panels: &[Lanes],
        inputs: usize,
        rows: &[Strip],
        out: &mut [&mut [f32]],
        first: usize,
        onto: Onto,
        factor: f32,
    ) {
        match out.len() {
            1 => self.tile_of::<1>(panels, inputs, rows, out, first, onto, factor),
            2 => self.tile_of::<2>(panels, inputs, rows, out, first, onto, factor),
            3 => self.tile_of::<3>(panels, inputs, rows, out, first, onto, factor),
            4 => self.tile_of::<4>(panels, inputs, rows, out, first, onto, factor),
            5 => self.tile_of::<5>(panels, inputs, rows, out, first, onto, factor),
            6 => self.tile_of::<6>(panels, inputs, rows, out, first, onto, factor),
            7 => self.tile_of::<7>(panels, inputs, rows, out, first, onto, factor),
            8 => self.tile_of::<8>(panels, inputs, rows, out, first, onto, factor),
            9 => self.tile_of::<9>(panels, inputs, rows, out, first, onto, factor),
            10 => self.tile_of::<10>(panels, inputs, rows, out, first, onto, factor),
            11 => self.tile_of::<11>(panels, inputs, rows, out, first, onto, factor),
            _ => self.tile_of::<TILE>(panels, inputs, rows, out, first, onto, factor),
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn tile_of<const ROWS: usize>(
        self,
        panels: &[Lanes],
        inputs: usize,
        rows: &[Strip],
        out: &mut [&mut [f32]],
        first: usize,
        onto: Onto,
        factor: f32,
    ) {
        let rows = rows.as_chunks().0;
        let out: &mut [&mut [f32]; ROWS] = out.try_into().expect("a row for each of the tile");
        let columns = out.iter().map(|row| row.len() - first).min().unwrap_or(0);
        let whole = panels.len().min(columns / LANES * inputs);
        self.products(&panels[..whole], inputs, rows, out, first, onto, factor);
        if whole < panels.len() {
            let first = first + whole / inputs * LANES;
            let mut last = [[0.0; LANES]; ROWS];
            for (last, row) in last.iter_mut().zip(&*out) {
                last[..row.len() - first].copy_from_slice(&row[first..]);
            }
            let mut each = last.each_mut().map(|row| &mut row[..]);
            self.products(&panels[whole..], inputs, rows, &mut each, 0, onto, factor);
            for (last, row) in last.iter().zip(out) {
                let columns = row.len() - first;
                row[first..].copy_from_slice(&last[..columns]);
            }
        }
    }
}

/// Divide a product among threads: by its rows, and where these are few by its panels too.
fn tasks(out: ViewMut<'_>, threads: usize) -> Vec<Task<'_>> {
    let panels = out.columns.div_ceil(LANES);
    let blocks = blocks(out.rows, threads);
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
