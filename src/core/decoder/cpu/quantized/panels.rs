//! Matrices of GGUF blocks packed for integer products.

use candle_core::quantized::{GgmlDType, QTensor};
use half::f16;
use multiversion::multiversion;
use rayon::prelude::*;

use super::integers::Integers;
use super::numbers::{Format, Zero};
use super::panel::{Line, OUTPUTS, Panel, SPAN, dequantize};
use super::rounded::Rounded;
use crate::decoder::DecoderError;
use crate::decoder::cpu::Rows;
use crate::decoder::cpu::math::by_rows;
use crate::decoder::cpu::matmul::{Onto, ViewMut};

/// Rows of activations that are rounded and multiplied together, so that their products stay in the cache.
const ROWS: usize = 128;

/// A matrix `(outputs, inputs)`.
pub(in crate::decoder::cpu) struct QuantizedPanels {
    integers: Integers,
    format: Format,
    outputs: usize,
    inputs: usize,
    panels: Vec<Panel>,
}

impl QuantizedPanels {
    /// Packs a matrix; `None` if its format does not consist of scaled integers or this processor has no instructions
    /// for their products.
    pub fn new(tensor: &QTensor) -> Result<Option<QuantizedPanels>, DecoderError> {
        Integers::detect().map_or(Ok(None), |integers| QuantizedPanels::with(integers, tensor))
    }

    /// Like [`QuantizedPanels::new`], for products by these instructions.
    pub(super) fn with(integers: Integers, tensor: &QTensor) -> Result<Option<QuantizedPanels>, DecoderError> {
        let Some(format) = Format::from_dtype(tensor.dtype()) else { return Ok(None) };
        let (outputs, inputs) = tensor.shape().dims2()?;
        let bytes = tensor.data()?;
        let rows: Vec<&[u8]> = bytes.chunks_exact(inputs / format.values * format.bytes).collect();
        let panels = rows.par_chunks(OUTPUTS).map(|rows| Panel::new(format, rows, inputs)).collect();
        Ok(Some(QuantizedPanels { integers, format, outputs, inputs, panels }))
    }

    /// Bytes of a packed matrix; `None` if [`QuantizedPanels::new`] returns `None`.
    pub fn bytes(dtype: GgmlDType, outputs: usize, inputs: usize) -> Option<usize> {
        let (format, _) = Format::from_dtype(dtype).zip(Integers::detect())?;
        let span = format.lines() * size_of::<Line>() + format.factors() * size_of::<[i8; OUTPUTS]>();
        let block = format.kinds() * size_of::<[f16; OUTPUTS]>();
        Some(outputs.div_ceil(OUTPUTS) * (inputs / SPAN * span + inputs / format.values * block))
    }

    /// Bytes actually used.
    pub fn kept_bytes(&self) -> usize {
        let bytes = |panel: &Panel| {
            size_of_val(&panel.lines[..]) + size_of_val(&panel.halves[..]) + size_of_val(&panel.factors[..])
        };
        self.panels.iter().map(bytes).sum()
    }

    /// Number of outputs.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Writes the rows from `first` on in f32, as many as `to` holds.
    pub fn dequantize(&self, first: usize, to: &mut [f32]) {
        let (mut row, mut rest) = (first, to);
        while !rest.is_empty() {
            let lanes = row % OUTPUTS..OUTPUTS.min(row % OUTPUTS + rest.len() / self.inputs);
            let (to, after) = rest.split_at_mut(lanes.len() * self.inputs);
            dequantize(&self.panels[row / OUTPUTS], self.format, lanes.clone(), to);
            (row, rest) = (row + lanes.len(), after);
        }
    }

    /// `out = factor * x W^T`, or adds this to `out`.
    pub fn multiply(&self, out: ViewMut, onto: Onto, factor: f32, x: &Rows) {
        let mut products = vec![[0.0; OUTPUTS]; self.panels.len() * ROWS.min(out.rows)];
        for first in (0..out.rows).step_by(ROWS) {
            let rows = first..out.rows.min(first + ROWS);
            let rounded = Rounded::new(x, rows.clone(), self.format);
            // (panels, rows, OUTPUTS)
            let products = &mut products[..self.panels.len() * rows.len()];
            let panels = self.panels.par_iter().zip(products.par_chunks_mut(rows.len()));
            panels.enumerate().for_each(|(at, (panel, products))| {
                let next = self.panels.get(at + 1).map_or(&[][..], |next| &next.lines);
                self.products(panel, next, &rounded, products);
            });
            let end = out.values.len().min(rows.end * out.row);
            by_rows(&mut out.values[first * out.row..end], out.row, |start, values| {
                for (row, values) in (start..).zip(values.chunks_mut(out.row)) {
                    put(&mut values[..out.columns], onto, factor, &products[row..], rows.len());
                }
            });
        }
    }

    fn products(&self, panel: &Panel, next: &[Line], rows: &Rounded, out: &mut [[f32; OUTPUTS]]) {
        let integers = self.integers;
        // Fours whose products fit into 16 bits: numbers are at most 15 in 4 bits, 31 in formats of 5, 63 of 6.
        let Format { bits, sharing, zero, factors, .. } = self.format;
        match (bits, sharing, zero, factors) {
            (4, 16, Zero::Minimum, _) => integers.products::<8, true, 2, true>(panel, next, rows, out),
            (4, 16, Zero::Offset(_), _) => integers.products::<8, true, 2, false>(panel, next, rows, out),
            (4, _, Zero::Minimum, true) => integers.products::<8, true, 1, true>(panel, next, rows, out),
            (4, _, Zero::Minimum, false) => integers.products::<8, true, 0, true>(panel, next, rows, out),
            (4, _, Zero::Offset(_), _) => integers.products::<8, true, 0, false>(panel, next, rows, out),
            (_, 16, Zero::Minimum, _) => integers.products::<2, false, 2, true>(panel, next, rows, out),
            (_, 16, Zero::Offset(_), _) => integers.products::<2, false, 2, false>(panel, next, rows, out),
            (_, _, Zero::Minimum, true) => integers.products::<4, false, 1, true>(panel, next, rows, out),
            (_, _, Zero::Minimum, false) => integers.products::<4, false, 0, true>(panel, next, rows, out),
            (_, _, Zero::Offset(128), _) => integers.products::<0, false, 0, false>(panel, next, rows, out),
            (_, _, Zero::Offset(_), _) => integers.products::<4, false, 0, false>(panel, next, rows, out),
        }
    }
}

/// Writes a row's products, `step` apart from panel to panel, to their destination.
#[cfg_attr(feature = "avx512", multiversion(targets = "simd"))]
#[cfg_attr(
    not(feature = "avx512"),
    multiversion(targets("x86_64+avx2+bmi1+bmi2+f16c+fma+lzcnt+popcnt", "aarch64+neon"))
)]
fn put(values: &mut [f32], onto: Onto, factor: f32, products: &[[f32; OUTPUTS]], step: usize) {
    for (values, product) in values.chunks_mut(OUTPUTS).zip(products.iter().step_by(step)) {
        for (value, product) in values.iter_mut().zip(product) {
            onto.put(factor * product, value);
        }
    }
}
