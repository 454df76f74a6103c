//! Performance ceilings of the machine: the fastest matrix product and the fastest way through memory.

use std::time::{Duration, Instant};

use candle_core::{DType, Device, Tensor};
use rayon::prelude::*;

use super::BenchError;
use crate::decoder::Decoder;

/// Rows, inner size and columns of the product whose rate is the ceiling on a CPU.
const PRODUCT: (usize, usize, usize) = (2048, 2048, 2048);

/// The same on other devices, where launch overhead dominates a smaller product.
const PRODUCT_OF_A_DEVICE: (usize, usize, usize) = (8192, 8192, 8192);

/// Numbers per copy: 256 MiB in f32, more than the caches of most processors.
const COPIED: usize = 64 << 20;

/// Repetitions within a turn; the best counts, since a ceiling is the reachable maximum.
const TRIES: usize = 3;

/// Rates of a matrix product `(rows, inner) x (inner, columns)` in floating-point operations per second, ascending: at
/// least `least` repetitions and at least `time`, after a warm-up. The right side is stored as `(columns, inner)`, like
/// weights in model files.
pub fn product_rates(
    (rows, inner, columns): (usize, usize, usize),
    device: &Device,
    dtype: DType,
    least: usize,
    time: Duration,
) -> candle_core::Result<Vec<f64>> {
    let left = Tensor::randn(0f32, 1.0, (rows, inner), device)?.to_dtype(dtype)?;
    let right = Tensor::randn(0f32, 1.0, (columns, inner), device)?.to_dtype(dtype)?.t()?;
    let operations = 2.0 * rows as f64 * inner as f64 * columns as f64;
    let once = || -> candle_core::Result<f64> {
        let started = Instant::now();
        left.matmul(&right)?;
        device.synchronize()?;
        Ok(operations / started.elapsed().as_secs_f64())
    };
    once()?;
    let begin = Instant::now();
    let mut rates = Vec::new();
    while rates.len() < least || begin.elapsed() < time {
        rates.push(once()?);
    }
    rates.sort_by(f64::total_cmp);
    Ok(rates)
}

/// The two ceilings of a decoder's device, for measuring in turns.
#[derive(Debug)]
pub(super) struct Ceiling<'a> {
    decoder: &'a Decoder,
    dtype: DType,
    memory: Memory,
}

#[derive(Debug)]
enum Memory {
    Host { from: Vec<f32>, to: Vec<f32> },
    Device(Tensor),
}

impl<'a> Ceiling<'a> {
    /// Ceilings of a decoder's device for products in `dtype`.
    pub fn new(decoder: &'a Decoder, dtype: DType) -> candle_core::Result<Self> {
        let device = &decoder.device();
        let memory = match device.is_cpu() {
            true => Memory::Host { from: vec![1.0; COPIED], to: vec![0.0; COPIED] },
            false => Memory::Device(Tensor::ones(COPIED, DType::F32, device)?),
        };
        Ok(Ceiling { decoder, dtype, memory })
    }

    /// Floating-point operations per second of a large product; on a CPU, of the decoder's own if one is faster.
    pub fn product(&self) -> Result<f64, BenchError> {
        let device = self.decoder.device();
        let sizes = if device.is_cpu() { PRODUCT } else { PRODUCT_OF_A_DEVICE };
        let rates = product_rates(sizes, &device, self.dtype, TRIES, Duration::ZERO)?;
        let own = self.decoder.product_rate()?;
        Ok(rates.into_iter().chain(own).fold(0.0, f64::max))
    }

    /// Bytes per second of the large copy, read and written bytes together; on a CPU, of reading as many bytes as the
    /// decoder's weights have if that is faster.
    pub fn memory(&mut self) -> candle_core::Result<f64> {
        let threads = rayon::current_num_threads();
        // All numbers where it is not known what a pass reads: few of them would be read from a cache.
        let read = self.decoder.bytes_per_pass().map_or(COPIED, |bytes| (bytes / size_of::<f32>()).clamp(1, COPIED));
        let mut best = 0f64;
        for _ in 0..TRIES {
            let started = Instant::now();
            match &mut self.memory {
                Memory::Host { from, to } => {
                    let piece = COPIED.div_ceil(threads);
                    to.par_chunks_mut(piece)
                        .zip(from.par_chunks(piece))
                        .for_each(|(to, from)| to.copy_from_slice(from));
                    std::hint::black_box(&to[COPIED - 1]);
                }
                Memory::Device(tensor) => {
                    tensor.copy()?;
                    tensor.device().synchronize()?;
                }
            }
            best = best.max((2 * COPIED * size_of::<f32>()) as f64 / started.elapsed().as_secs_f64());
            if let Memory::Host { from, .. } = &self.memory {
                let started = Instant::now();
                std::hint::black_box(from[..read].par_chunks(read.div_ceil(threads)).map(bits).sum::<u64>());
                best = best.max((read * size_of::<f32>()) as f64 / started.elapsed().as_secs_f64());
            }
        }
        Ok(best)
    }
}

/// Reads every number, in sums that do not wait for each other.
fn bits(numbers: &[f32]) -> u64 {
    let mut sums = [0u32; 64];
    for numbers in numbers.as_chunks::<64>().0 {
        for (sum, number) in sums.iter_mut().zip(numbers) {
            *sum = sum.wrapping_add(number.to_bits());
        }
    }
    sums.into_iter().map(u64::from).sum()
}
