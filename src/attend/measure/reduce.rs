//! From `(layer, head, position)` to one weight per position, a layer x head map, or one number per head.

use super::Capture;

/// Mean weight of each position over the given layers and heads, scaled to sum to 1; all zeros stay zeros.
///
/// `layers` index into [`Capture::layers`], `heads` count from 0; both must exist and not be empty.
pub fn profile(capture: &Capture, layers: &[usize], heads: &[usize]) -> Vec<f64> {
    let mut sums = vec![0.0; capture.tokens()];
    for &layer in layers {
        for &head in heads {
            for (sum, &weight) in sums.iter_mut().zip(capture.row(layer, head)) {
                *sum += f64::from(weight);
            }
        }
    }
    let total: f64 = sums.iter().sum();
    if total > 0.0 {
        sums.iter_mut().for_each(|sum| *sum /= total);
    }
    sums
}

/// Mass of each head on a stretch of the text, `(layer, head)`. `share[position]`, from 0 to 1, is the share of a token
/// inside the stretch.
pub fn head_map(capture: &Capture, share: &[f64]) -> Vec<f64> {
    per_head(capture, |row| row.iter().zip(share).map(|(&weight, share)| f64::from(weight) * share).sum())
}

/// Entropy of each head's row in bits, `(layer, head)`: 0 if all attention is on one token, log2 S if it is uniform.
pub fn head_entropy(capture: &Capture) -> Vec<f64> {
    per_head(capture, |row| entropy_bits(row.iter().map(|&weight| f64::from(weight))))
}

/// Share of the first token in each head's row, `(layer, head)`: the attention sink of Xiao et al. (2024).
pub fn head_sink(capture: &Capture) -> Vec<f64> {
    per_head(capture, |row| {
        let total: f64 = row.iter().map(|&weight| f64::from(weight)).sum();
        if total > 0.0 { f64::from(row[0]) / total } else { 0.0 }
    })
}

/// Entropy in bits of weights that need not sum to 1; 0 when they are all zero.
pub fn entropy_bits(weights: impl Iterator<Item = f64> + Clone) -> f64 {
    let total: f64 = weights.clone().sum();
    if total <= 0.0 {
        return 0.0;
    }
    let entropy: f64 =
        weights.filter(|&weight| weight > 0.0).map(|weight| -(weight / total) * (weight / total).log2()).sum();
    entropy.max(0.0)
}

fn per_head(capture: &Capture, value: impl Fn(&[f32]) -> f64) -> Vec<f64> {
    let layers = 0..capture.layers().len();
    layers
        .flat_map(|layer| (0..capture.heads()).map(move |head| (layer, head)))
        .map(|(l, h)| value(capture.row(l, h)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two layers, two heads, three positions; each row sums to 1.
    fn capture() -> Capture {
        let weights = vec![
            0.5, 0.25, 0.25, /**/ 1.0, 0.0, 0.0, // layer 4
            0.0, 0.5, 0.5, /**/ 0.25, 0.25, 0.5, // layer 5
        ];
        Capture::new(vec![4, 5], 2, 3, weights).unwrap()
    }

    #[test]
    fn profile_is_the_mean_over_layers_and_heads() {
        assert_eq!(profile(&capture(), &[0, 1], &[0, 1]), [1.75 / 4.0, 1.0 / 4.0, 1.25 / 4.0]);
        assert_eq!(profile(&capture(), &[1], &[0]), [0.0, 0.5, 0.5]);
        assert_eq!(profile(&capture(), &[0, 1], &[1]), [0.625, 0.125, 0.25]);
    }

    #[test]
    fn head_map_counts_tokens_by_their_share() {
        assert_eq!(head_map(&capture(), &[0.0, 1.0, 0.5]), [0.375, 0.0, 0.75, 0.5]);
    }

    #[test]
    fn entropy_is_in_bits() {
        assert_eq!(head_entropy(&capture()), [1.5, 0.0, 1.0, 1.5]);
        assert_eq!(entropy_bits([2.0, 2.0, 2.0, 2.0].into_iter()), 2.0);
        assert_eq!(entropy_bits([0.0].into_iter()), 0.0);
    }

    #[test]
    fn sink_is_the_first_tokens_share() {
        assert_eq!(head_sink(&capture()), [0.5, 1.0, 0.0, 0.25]);
    }
}
