//! Logits and log-probabilities from hidden states.

use candle_core::{D, DType, Tensor};

use super::array::Array;
use super::linear::Linear;
use super::{Portable, soft_cap};
use crate::decoder::DecoderError;
use crate::decoder::argmax::argmax as likeliest_on_host;
use crate::decoder::ops::Logits;

/// Number of rows for which memory is planned for two copies of the logits over the whole vocabulary.
const HEAD_ROWS: usize = 64;

/// Converts products of the head to logits.
pub(super) fn logits(products: Array, logits: &Logits) -> Result<Array, DecoderError> {
    let scaled = if logits.scale == 1.0 { products } else { products.affine(f64::from(logits.scale), 0.0)? };
    soft_cap(scaled, logits.cap)
}

/// Natural log-probabilities of `(row of hidden, token)` pairs.
///
/// Computes some tokens of the vocabulary at a time, for as many rows as fit in the memory of 64 rows of the whole
/// vocabulary. A row is computed once, however many of its tokens are requested. The host waits once, at the end.
pub(super) fn log_probs(
    ops: &Portable,
    hidden: &Array,
    head: &Linear,
    of_head: &Logits,
    targets: &[(usize, u32)],
) -> Result<Vec<f32>, DecoderError> {
    let rows_at_once = (HEAD_ROWS * head.outputs()? / (2 * head.widest_piece()?.max(1))).max(HEAD_ROWS);
    let mut all_rows: Vec<usize> = targets.iter().map(|&(row, _)| row).collect();
    all_rows.sort_unstable();
    all_rows.dedup();
    // For each target, the index of its row among all rows.
    let row_of: Vec<usize> = targets.iter().map(|(row, _)| all_rows.partition_point(|other| other < row)).collect();
    // Results on the device, and the target that each belongs to.
    let (mut chosen, mut places) = (Vec::new(), Vec::new());
    let mut normalisers = Vec::new();
    for first in (0..all_rows.len()).step_by(rows_at_once) {
        let rows_now = first..all_rows.len().min(first + rows_at_once);
        let rows = hidden.index_select(&ops.send_places(all_rows[rows_now.clone()].iter().copied())?, 0)?;
        let mut of_pieces = Vec::new();
        for piece in head.pieces_in_f32(&rows)? {
            let (start, products) = piece?;
            let logits = logits(products, of_head)?;
            let width = logits.width();
            // The target, and the index of its logit among those computed now.
            let here = |(target, &(_, token)): (usize, &(usize, u32))| {
                let row = Some(row_of[target]).filter(|row| rows_now.contains(row))? - first;
                let token = (token as usize).checked_sub(start).filter(|&token| token < width)?;
                Some((target, row * width + token))
            };
            let found: Vec<(usize, usize)> = targets.iter().enumerate().filter_map(here).collect();
            if !found.is_empty() {
                let flat = logits.reshape(rows_now.len() * width)?;
                chosen.push(flat.index_select(&ops.send_places(found.iter().map(|(_, at)| *at))?, 0)?);
                places.extend(found.iter().map(|(target, _)| *target));
            }
            of_pieces.push(logits.log_sum_exp()?);
        }
        normalisers.push(match &of_pieces[..] {
            [one] => one.clone(),
            several => Array::stack(several, 1)?.log_sum_exp()?,
        });
    }
    chosen.extend(normalisers);
    let found: Vec<f32> = Array::cat(&chosen, 0)?.values()?;
    let (chosen, normalisers) = found.split_at(targets.len());
    let mut log_probs = vec![0.0; targets.len()];
    for (&target, logit) in places.iter().zip(chosen) {
        log_probs[target] = logit - normalisers[row_of[target]];
    }
    Ok(log_probs)
}

/// Copies rows of logits to the host.
pub fn rows_on_host(logits: Tensor) -> Result<Vec<Vec<f32>>, DecoderError> {
    let logits = Array::from(logits);
    let width = logits.width().max(1);
    Ok(logits.values::<f32>()?.chunks_exact(width).map(<[f32]>::to_vec).collect())
}

/// Largest integer up to which all integers are exact in f32.
const EXACT: usize = 1 << 24;

/// For each row of `(rows, vocabulary)`, the first of the largest logits among the first `among`; `None` if any of them
/// is NaN or the largest is not finite. Same result as [`likeliest_on_host`], but only one number per row is copied.
///
/// The index that candle's max reduction returns may be that of any of several ties, so it is not used. Instead, each
/// logit equal to the maximum is mapped to the number of tokens from it to the end, any other to 0; the largest count
/// is that of the first maximum. Counts are in f32, since candle's integer reductions start at an infinity that
/// integers do not have.
pub fn argmax(ops: &Portable, logits: Tensor, among: usize) -> Result<Vec<Option<u32>>, DecoderError> {
    if among > EXACT {
        let rows = rows_on_host(logits)?;
        return Ok(rows.iter().map(|row| likeliest_on_host(&row[..among]).map(|(token, _)| token)).collect());
    }
    let logits = Array::from(logits).narrow(1, 0, among)?;
    let (countdown, limits) = (ops.countdown(among)?, ops.send(vec![f32::MIN, f32::INFINITY], (1, 2))?);
    let (lowest, infinity) = (limits.narrow(1, 0, 1)?, limits.narrow(1, 1, 1)?);
    let count = logits.dim(0)?;
    // Copies of this many rows use the other half of the planned memory.
    let at_once = HEAD_ROWS / 2;
    let mut found = Vec::new();
    for first in (0..count).step_by(at_once) {
        let rows = logits.narrow(0, first, at_once.min(count - first))?;
        // If all are -inf, none reaches this.
        let largest = rows.max_keepdim(D::Minus1)?.maximum(&lowest)?;
        let counts = rows.ge(&largest)?.to_dtype(DType::F32)?.mul(&countdown)?.max_keepdim(D::Minus1)?;
        // NaN is not less than anything.
        let usable = rows.lt(&infinity)?.to_dtype(DType::F32)?.min_keepdim(D::Minus1)?;
        found.push(counts.mul(&usable)?);
    }
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let counts: Vec<u32> = Array::cat(&found, 0)?.to_dtype(DType::U32)?.values()?;
    Ok(counts.into_iter().map(|count| (count > 0).then(|| among as u32 - count)).collect())
}

#[cfg(test)]
mod tests {
    use candle_core::Device;
    use proptest::prelude::*;

    use super::*;
    use crate::decoder::portable::counted;

    fn on_device(rows: &[Vec<f32>], among: usize) -> Vec<Option<u32>> {
        let width = rows.first().map_or(1, Vec::len);
        let logits = Tensor::from_vec(rows.concat(), (rows.len(), width), &Device::Cpu).unwrap();
        argmax(&Portable::new(Device::Cpu, DType::F32), logits, among).unwrap()
    }

    fn on_host(rows: &[Vec<f32>], among: usize) -> Vec<Option<u32>> {
        rows.iter().map(|row| likeliest_on_host(&row[..among]).map(|(token, _)| token)).collect()
    }

    #[test]
    fn the_first_of_equals_is_taken_and_what_is_no_number_is_told() {
        const NAN: f32 = f32::NAN;
        const INF: f32 = f32::INFINITY;
        let check = |row: &[f32], among: usize, expected: Option<u32>| {
            let rows = [row.to_vec()];
            assert_eq!(on_device(&rows, among), [expected], "{row:?}, {among}");
            assert_eq!(on_host(&rows, among), [expected], "{row:?}, {among} on the host");
        };
        check(&[1.0, 3.0, 2.0, 3.0, 3.0], 5, Some(1));
        check(&[-1.0, -2.0, -1.0], 3, Some(0));
        check(&[-0.0, 0.0, -1.0], 3, Some(0));
        check(&[-1.0, 0.0, -0.0], 3, Some(1));
        check(&[2.0, 1.0, 9.0, NAN], 2, Some(0));
        check(&[-INF, 1.0, -INF], 3, Some(1));
        check(&[-INF, f32::MIN], 2, Some(1));
        check(&[f32::MAX, f32::MAX], 2, Some(0));
        check(&[-INF, -INF], 2, None);
        check(&[1.0, INF, 2.0], 3, None);
        check(&[1.0, 2.0, NAN], 3, None);
        check(&[NAN, 2.0, 1.0], 3, None);
        check(&[NAN, NAN], 2, None);
        assert_eq!(on_device(&[], 1), []);
    }

    proptest! {
        #[test]
        fn a_device_finds_what_the_host_finds(
            rows in (1usize..90, 1usize..60).prop_flat_map(|(rows, width)| {
                let logit = prop_oneof![
                    40 => (-3i8..4).prop_map(|value| f32::from(value) / 2.0),
                    1 => proptest::sample::select(vec![f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0]),
                ];
                proptest::collection::vec(proptest::collection::vec(logit, width), rows)
            }),
            left_out in 0usize..5,
        ) {
            let among = rows[0].len().saturating_sub(left_out).max(1);
            prop_assert_eq!(on_device(&rows, among), on_host(&rows, among));
        }
    }

    #[test]
    fn one_number_a_row_is_copied_however_many_rows_there_are() {
        let rows = vec![vec![0.5; 300]; 70];
        let ((), work) = counted(|| assert_eq!(on_device(&rows, 300), vec![Some(0); 70]));
        assert_eq!((work.downloads, work.downloaded), (1, 4 * 70));
    }
}
