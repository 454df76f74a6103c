//! Splits a pass that runs out of device memory into halves, recursively.

use std::ops::Range;

use super::schedule::Target;
use crate::decoder::{Branch, DecoderError, Pass};

/// Forwards a pass over `cached` rows, split in halves if memory runs out, and returns the number of splits. The cache
/// then holds the same rows as after the whole pass; numbers differ by rounding.
///
/// # Errors
/// Errors of `forward`; a pass of one token cannot be split.
pub(super) fn forward_in_halves(
    pass: &Pass,
    targets: &[Target],
    cached: usize,
    forward: &mut dyn FnMut(&Pass, &[Target]) -> Result<(), DecoderError>,
) -> Result<usize, DecoderError> {
    let tokens = pass.tokens.len();
    match forward(pass, targets) {
        Err(error) if error.is_out_of_memory() && tokens > 1 => {}
        done => return done.map(|()| 0),
    }
    let mut cuts = 1;
    for half in [0..tokens / 2, tokens / 2..tokens] {
        let (part, its_targets) = part(pass, targets, cached, half.clone());
        cuts += forward_in_halves(&part, &its_targets, cached + half.start, forward)?;
    }
    Ok(cuts)
}

/// Part of a pass with its targets; the tokens before it are in the cache.
fn part(pass: &Pass, targets: &[Target], cached: usize, tokens: Range<usize>) -> (Pass, Vec<Target>) {
    let branches = pass.branches.iter().filter_map(|branch| {
        let within = branch.tokens.start.max(tokens.start)..branch.tokens.end.min(tokens.end);
        let mut prefix = branch.prefix.clone();
        prefix.push(cached + branch.tokens.start..cached + within.start.max(branch.tokens.start));
        let own = within.start.wrapping_sub(tokens.start)..within.end.wrapping_sub(tokens.start);
        (!within.is_empty()).then_some(Branch { tokens: own, prefix })
    });
    let mut rows = Vec::new();
    let mut its_targets = Vec::new();
    for (row, _) in pass.rows.iter().enumerate().filter(|(_, token)| tokens.contains(token)) {
        let renumbered = targets.iter().filter(|target| target.row == row);
        its_targets.extend(renumbered.map(|target| Target { row: rows.len(), ..*target }));
        rows.push(pass.rows[row] - tokens.start);
    }
    let part = Pass {
        tokens: pass.tokens[tokens.clone()].to_vec(),
        branches: branches.collect(),
        rows,
        capture: None,
        lens: false,
        states: false,
        parts: false,
        experts: false,
        stage: pass.stage,
    };
    (part, its_targets)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use candle_core::Device;
    use proptest::prelude::*;

    use super::*;
    use crate::decoder::{Decoder, Precision, RowRanges};

    fn decoder() -> Decoder {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/llama");
        let spec = crate::model::read_config(&folder.join("config.json")).unwrap();
        Decoder::random(spec, 1, &Device::Cpu, Precision::F32).unwrap()
    }

    fn no_memory() -> DecoderError {
        DecoderError::Tensor(candle_core::Error::Cuda("CUDA_ERROR_OUT_OF_MEMORY".into()))
    }

    /// Log-probabilities of a small tree over a prefix of five rows, with memory for at most `most` tokens at once.
    fn scores(decoder: &Decoder, most: usize) -> (Vec<f32>, usize) {
        let mut cache = decoder.cache();
        decoder.forward(&mut cache, &Pass::sequence(&[3, 4, 5, 6, 7], 0)).unwrap();
        let branch = |tokens: Range<usize>, prefix: &[Range<usize>]| Branch {
            tokens,
            prefix: prefix.iter().cloned().collect::<RowRanges>(),
        };
        let pass = Pass {
            tokens: vec![8, 9, 10, 11, 12, 13, 14],
            branches: vec![branch(0..3, &[0..5]), branch(3..4, &[0..8]), branch(4..7, &[0..2, 2..5, 5..7])],
            rows: vec![6, 0, 3, 2],
            ..Pass::default()
        };
        let targets: Vec<Target> =
            (0..4).flat_map(|row| [20, 21].map(|token| Target { row, token, path: row, index: 0 })).collect();
        let mut found = vec![f32::NAN; 8];
        let cuts = forward_in_halves(&pass, &targets, cache.rows(), &mut |pass, targets| {
            if pass.tokens.len() > most {
                return Err(no_memory());
            }
            let output = decoder.forward(&mut cache, pass)?;
            let wanted: Vec<(usize, u32)> = targets.iter().map(|target| (target.row, target.token)).collect();
            for (target, score) in targets.iter().zip(decoder.log_probs(&output.hidden, &wanted)?) {
                found[2 * target.path + (target.token - 20) as usize] = score;
            }
            Ok(())
        });
        let cuts = cuts.unwrap();
        assert_eq!(cache.rows(), 12, "the cache is that of the whole pass");
        (found, cuts)
    }

    proptest! {
        #[test]
        fn halves_give_the_numbers_of_the_whole(most in 1usize..7) {
            let decoder = decoder();
            let (whole, cuts) = scores(&decoder, 7);
            prop_assert_eq!(cuts, 0);
            let (halves, cuts) = scores(&decoder, most);
            prop_assert!(cuts > 0);
            for (one, other) in whole.iter().zip(&halves) {
                prop_assert!((one - other).abs() < 1e-4, "{} {}", one, other);
            }
        }
    }

    #[test]
    fn a_token_that_does_not_fit_and_other_errors_are_told() {
        let pass = Pass::sequence(&[1, 2, 3], 0);
        let mut asked = 0;
        let error = forward_in_halves(&pass, &[], 0, &mut |_, _| {
            asked += 1;
            Err(no_memory())
        });
        assert!(error.unwrap_err().is_out_of_memory());
        assert_eq!(asked, 2, "the whole, and its first token");
        let error = forward_in_halves(&pass, &[], 0, &mut |_, _| Err(DecoderError::ForeignCache));
        assert!(matches!(error, Err(DecoderError::ForeignCache)));
    }
}
