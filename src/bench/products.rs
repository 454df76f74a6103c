//! The rate of f32 matrix products: the ceiling for scoring on this CPU.

use std::fmt;
use std::time::Duration;

use candle_core::{DType, Device};
use serde::Serialize;

use super::ceiling::product_rates;

/// A matrix product `(rows, inner) x (inner, columns)` and its rate.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Product {
    /// A matrix product at the shapes of the demo model or a large one (`--gemm`); `gemm` is absent without it.
    what: &'static str,
    /// Its rows.
    rows: usize,
    /// Its inner size.
    inner: usize,
    /// Its columns.
    columns: usize,
    /// Number of repetitions.
    repetitions: usize,
    /// Median rate, in billions of floating-point operations per second.
    median_gflops: f64,
    /// Best rate.
    best_gflops: f64,
}

impl fmt::Display for Product {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:<22} {:>4} x {:>4} x {:>5}: {:6.1} GFLOP/s (best {:.1}, {} repetitions)",
            self.what, self.rows, self.inner, self.columns, self.median_gflops, self.best_gflops, self.repetitions
        )
    }
}

/// Rows of a packed pass.
const ROWS: usize = 512;

/// The demo model's linear layers for one pass of [`ROWS`] tokens, its head for the few scored rows, and a
/// product large enough to hide all overhead.
const SHAPES: [(&str, usize, usize, usize); 6] = [
    ("query, key, value", ROWS, 576, 960),
    ("attention output", ROWS, 576, 576),
    ("gate and up", ROWS, 576, 3072),
    ("down", ROWS, 1536, 576),
    ("head", 16, 576, 49152),
    ("large", 2048, 2048, 2048),
];

/// Measures every shape for about a quarter of a second.
pub fn measure_products() -> candle_core::Result<Vec<Product>> {
    SHAPES.into_iter().map(|(what, rows, inner, columns)| product(what, rows, inner, columns)).collect()
}

fn product(what: &'static str, rows: usize, inner: usize, columns: usize) -> candle_core::Result<Product> {
    const LEAST: usize = 5;
    let rates = product_rates((rows, inner, columns), &Device::Cpu, DType::F32, LEAST, Duration::from_millis(250))?;
    Ok(Product {
        what,
        rows,
        inner,
        columns,
        repetitions: rates.len(),
        median_gflops: rates[rates.len() / 2] / 1e9,
        best_gflops: rates[rates.len() - 1] / 1e9,
    })
}
