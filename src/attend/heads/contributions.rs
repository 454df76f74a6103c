//! Direct contribution of each head to the difference of two labels' logits.

use crate::attend::results::{ContributionsRecord, OptionRecord, rounded};
use crate::decoder::Contributions;

/// Converts contributions to their record.
pub fn contributions_record(
    labels: (&str, &str),
    found: &Contributions,
    first_tokens_only: bool,
) -> ContributionsRecord {
    let all = |values: &[f64]| values.iter().copied().map(rounded).collect::<Vec<f64>>();
    ContributionsRecord {
        first: labels.0.to_string(),
        second: labels.1.to_string(),
        difference: rounded(found.difference),
        embedding: rounded(found.embedding),
        heads: found.heads.iter().flatten().copied().map(rounded).collect(),
        biases: all(&found.biases),
        networks: all(&found.networks),
        heads_per_layer: found.heads.first().map_or(0, Vec::len),
        first_tokens_only,
    }
}

/// Slots of the right option and of the likeliest wrong one; `None` if either is missing or there is no single right
/// option.
pub fn labels_compared(options: &[OptionRecord]) -> Option<(usize, usize)> {
    let right = options.iter().position(|option| option.gold && option.logprob.is_some())?;
    let wrong = (0..options.len()).filter(|&slot| !options[slot].gold);
    let logprob = |slot: &usize| options[*slot].logprob.unwrap_or(f64::NEG_INFINITY);
    // The first on ties.
    let wrong = wrong.reduce(|best, slot| if logprob(&slot) > logprob(&best) { slot } else { best })?;
    Some((right, wrong))
}
