//! The experts of a layer.

use candle_core::DType;

use super::Portable;
use super::activations::Activations;
use super::array::Array;
use crate::decoder::DecoderError;
use crate::decoder::experts::Share;
use crate::decoder::ops::ExpertNetwork;

/// `onto += scale * weight * network(x)` for each token and each of its experts.
///
/// Tokens are sorted by expert once, so that each expert reads a view. The results of a token's experts are summed in
/// f32, in the order of the experts, and rounded once.
pub(super) fn add_shares(
    ops: &Portable,
    onto: &mut Activations,
    x: &Activations,
    shares: &[Share],
    scale: f32,
    network: &ExpertNetwork<Portable>,
) -> Result<(), DecoderError> {
    let x = ops.whole(x)?;
    let (tokens, width) = (x.dim(0)?, x.width());
    let sorted = x.index_select(&ops.send_places(shares.iter().flat_map(|share| share.rows.iter().copied()))?, 0)?;
    // For each token, the rows of its experts' results and their weights.
    let mut of_tokens: Vec<Vec<(usize, f32)>> = vec![Vec::new(); tokens];
    let results = Array::zeros((sorted.dim(0)?, width), ops.dtype, &ops.device)?;
    let mut start = 0;
    for Share { expert, rows, weights } in shares {
        let result = network(*expert, &sorted.narrow(0, start, rows.len())?.into())?;
        results.slice_set(&ops.whole(&result)?, 0, start)?;
        for (at, (&row, weight)) in rows.iter().zip(weights).enumerate() {
            of_tokens[row].push((start + at, scale * weight));
        }
        start += rows.len();
    }
    drop(sorted);
    let most = of_tokens.iter().map(Vec::len).max().unwrap_or(0);
    // Tokens with fewer experts are padded with an arbitrary result of weight 0.
    of_tokens.iter_mut().for_each(|of_token| of_token.resize(most, (0, 0.0)));
    let places = ops.send_places(of_tokens.iter().flatten().map(|(place, _)| *place))?;
    let weights = ops.send(of_tokens.iter().flatten().map(|(_, weight)| *weight).collect(), (tokens, most, 1))?;
    let of_experts = results.index_select(&places, 0)?.to_dtype(DType::F32)?;
    let sum = of_experts.reshape((tokens, most, width))?.mul(&weights)?.sum(1)?; // (tokens, width)
    *onto = onto.whole(DType::F32)?.add(&sum)?.to_dtype(ops.dtype)?.into();
    Ok(())
}
