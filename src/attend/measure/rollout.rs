//! Attention rollout (Abnar and Zuidema 2020, section 3) through the layers.
//!
//! At each layer the mean over heads A is mixed with the residual stream, 0.5 A + 0.5 I, and the matrices are
//! multiplied from the last layer to the first. Only the query's row of the product is needed, so a row vector is
//! carried down, and only one layer's matrix is needed at a time.

/// Follows `query` (a position) down through layers given from the last to the first.
///
/// Each layer is its attention averaged over heads, `(S, S)` row-major in f32, rows summing to 1 over the keys up to
/// the query. Returns S weights that sum to 1. Errors come from `matrices`.
pub fn rollout<E>(
    tokens: usize,
    query: usize,
    matrices: impl IntoIterator<Item = Result<Vec<f32>, E>>,
) -> Result<Vec<f64>, E> {
    let mut row = vec![0.0; tokens];
    row[query] = 1.0;
    for matrix in matrices {
        let matrix = matrix?;
        assert_eq!(matrix.len(), tokens * tokens, "one square matrix per layer");
        let mut below: Vec<f64> = row.iter().map(|weight| 0.5 * weight).collect();
        for (weight, attention) in row.iter().zip(matrix.chunks(tokens)) {
            if *weight > 0.0 {
                for (sum, &attended) in below.iter_mut().zip(attention) {
                    *sum += 0.5 * weight * f64::from(attended);
                }
            }
        }
        row = below;
    }
    Ok(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layers(matrices: Vec<Vec<f32>>) -> Vec<Result<Vec<f32>, std::convert::Infallible>> {
        matrices.into_iter().map(Ok).collect()
    }

    #[test]
    fn one_layer_is_half_attention_half_residual() {
        let Ok(row) = rollout(2, 1, layers(vec![vec![1.0, 0.0, 0.25, 0.75]]));
        assert_eq!(row, [0.125, 0.875]);
    }

    #[test]
    fn two_layers_multiply_from_the_top() {
        // Top: token 2 attends only to token 1. Bottom: token 1 attends only to token 0.
        let top = vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0];
        let bottom = vec![1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
        let Ok(row) = rollout(3, 2, layers(vec![top, bottom]));
        // After the top: half on 1, half on 2. Of the half on 1, half goes on to 0.
        assert_eq!(row, [0.25, 0.25, 0.5]);
        assert_eq!(row.iter().sum::<f64>(), 1.0);
    }

    #[test]
    fn a_failed_layer_is_reported() {
        assert_eq!(rollout(1, 0, vec![Ok(vec![1.0]), Err("gone")]), Err("gone"));
    }
}
