//! Trials of made-up answers.

use tomeval::internal::TrialOutcome;
use tomeval::{Answer, OptionIx};

/// One trial without an order that chose an option; others are made of it by `..chosen(option)`.
pub fn chosen(option: usize) -> TrialOutcome {
    TrialOutcome {
        order: None,
        count: 1,
        choice: Some(Answer::Single(OptionIx(option))),
        logprobs: None,
        tied: false,
        failure: None,
        reading: None,
    }
}
