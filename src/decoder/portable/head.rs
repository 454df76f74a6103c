//! From hidden states to logits and log-probabilities.

use super::array::Array;
use super::linear::Linear;
use super::{Portable, soft_cap};
use crate::decoder::DecoderError;
use crate::decoder::ops::Logits;

/// Rows whose logits over the whole vocabulary memory is planned for, twice.
const HEAD_ROWS: usize = 64;

/// Logits from the products of the head.
pub(super) fn logits(products: Array, logits: &Logits) -> Result<Array, DecoderError> {
    let scaled = if logits.scale == 1.0 { products } else { products.affine(f64::from(logits.scale), 0.0)? };
    soft_cap(scaled, logits.cap)
}

/// Natural log-probabilities of `(row of hidden, token)`.
///
/// Of the vocabulary some tokens are computed at a time, and so many rows of them as fit where 64 rows of all would, so that
/// 16-bit weights are expanded for many rows at once. The host waits once, at the end.
pub(super) fn log_probs(
    ops: &Portable,
    hidden: &Array,
    head: &Linear,
    of_head: &Logits,
    targets: &[(usize, u32)],
) -> Result<Vec<f32>, DecoderError> {
    let rows_at_once = (HEAD_ROWS * head.outputs()? / (2 * head.widest_piece()?.max(1))).max(HEAD_ROWS);
    // Results on the device, and to which target each belongs.
    let (mut chosen, mut places) = (Vec::new(), Vec::new());
    let mut normalisers = Vec::new();
    for first in (0..targets.len()).step_by(rows_at_once) {
        let targets = &targets[first..targets.len().min(first + rows_at_once)];
        let rows = hidden.index_select(&ops.send_places(targets.iter().map(|&(row, _)| row))?, 0)?;
        let mut of_pieces = Vec::new();
        for piece in head.pieces_in_f32(&rows)? {
            let (start, products) = piece?;
            let logits = logits(products, of_head)?;
            let width = logits.width();
            let within = |&(_, token): &(usize, u32)| (token as usize).checked_sub(start).filter(|&at| at < width);
            let found = targets.iter().enumerate().filter_map(|(row, target)| Some((row, within(target)?)));
            let found: Vec<(usize, usize)> = found.collect();
            if !found.is_empty() {
                let flat = logits.reshape(targets.len() * width)?;
                chosen.push(flat.index_select(&ops.send_places(found.iter().map(|(row, at)| row * width + at))?, 0)?);
                places.extend(found.iter().map(|(row, _)| first + row));
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
    places.iter().zip(chosen).for_each(|(&place, logit)| log_probs[place] = logit - normalisers[place]);
    Ok(log_probs)
}
