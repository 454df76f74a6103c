//! Estimates the remaining tokens from the replies written so far.

use super::GenerateProgress;

/// Estimate of the tokens still to be written.
///
/// Reply lengths are taken as exponential, with unfinished replies as censored observations: the mean is all tokens
/// written over the number of finished replies (Lawless 2003, "Statistical Models and Methods for Lifetime Data",
/// section 4.1). Finished replies alone would give too low a mean at first, since short ones finish first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LengthEstimate {
    /// Mean tokens per reply; the token limit until the first reply has finished.
    pub mean: f64,
    /// Tokens still to be written by all replies.
    pub remaining: f64,
}

impl LengthEstimate {
    /// Estimate from `progress`, for replies of at most `max_tokens` tokens each.
    pub fn new(progress: &GenerateProgress, max_tokens: usize) -> LengthEstimate {
        let most = max_tokens as f64;
        let written = (progress.ended_tokens + progress.live_tokens) as f64;
        let mean = match progress.ended {
            0 => most,
            ended => (written / ended as f64).min(most),
        };
        let of_live = (progress.live as f64 * mean).min(progress.live as f64 * most - progress.live_tokens as f64);
        LengthEstimate { mean, remaining: of_live.max(0.0) + progress.waiting as f64 * mean }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(ended: (usize, usize), live: (usize, usize), waiting: usize) -> GenerateProgress {
        GenerateProgress {
            ended: ended.0,
            ended_tokens: ended.1,
            live: live.0,
            live_tokens: live.1,
            waiting,
            ..GenerateProgress::default()
        }
    }

    #[test]
    fn replies_are_as_long_as_allowed_until_one_has_ended() {
        let estimate = LengthEstimate::new(&progress((0, 0), (4, 40), 6), 100);
        assert_eq!(estimate, LengthEstimate { mean: 100.0, remaining: 360.0 + 600.0 });
    }

    #[test]
    fn unfinished_replies_count_as_longer_than_they_are() {
        // Two short replies have finished, while eight others have ten tokens each.
        let early = LengthEstimate::new(&progress((2, 10), (8, 80), 0), 1000);
        assert_eq!(early.mean, 45.0);
        assert_eq!(early.remaining, 360.0);
    }

    #[test]
    fn no_reply_is_expected_beyond_its_limit() {
        let estimate = LengthEstimate::new(&progress((10, 1000), (2, 190), 0), 100);
        assert_eq!(estimate, LengthEstimate { mean: 100.0, remaining: 10.0 });
        assert_eq!(LengthEstimate::new(&progress((12, 1200), (0, 0), 0), 100).remaining, 0.0);
    }

    #[test]
    fn the_estimate_comes_true_for_replies_of_mixed_lengths() {
        // Lengths 1 to 100 in scrambled order, eight at a time: at every moment the estimate is near the tokens left.
        let lengths: Vec<usize> = (0..400).map(|number| number * 37 % 100 + 1).collect();
        let total: usize = lengths.iter().sum();
        let mut live: Vec<(usize, usize)> = Vec::new();
        let (mut next, mut ended, mut written) = (0, (0, 0), 0);
        let mut worst: f64 = 0.0;
        while next < lengths.len() || !live.is_empty() {
            while live.len() < 8 && next < lengths.len() {
                live.push((lengths[next], 0));
                next += 1;
            }
            live.iter_mut().for_each(|(_, tokens)| *tokens += 1);
            written += live.len();
            let over = |(length, tokens): &(usize, usize)| tokens == length;
            ended = live.iter().filter(|live| over(live)).fold(ended, |ended, live| (ended.0 + 1, ended.1 + live.0));
            live.retain(|live| !over(live));
            let so_far = live.iter().map(|live| live.1).sum();
            let estimate = LengthEstimate::new(&progress(ended, (live.len(), so_far), lengths.len() - next), 500);
            if (50..350).contains(&ended.0) {
                let off = (estimate.remaining - (total - written) as f64).abs() / (total - written) as f64;
                worst = worst.max(off);
            }
        }
        assert!(worst < 0.25, "off by {worst} of what is left");
    }
}
