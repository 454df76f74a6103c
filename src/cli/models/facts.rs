//! Facts of a card, combined with this machine's resources.

use serde::Serialize;

use crate::engine::{Kept, PROMPT_TOKENS, Room};
use crate::machine;
use crate::model::{self, Card};

/// A card and derived facts.
#[derive(Serialize)]
pub(in crate::cli) struct Facts<'a> {
    #[serde(flatten)]
    pub card: &'a Card,
    /// Number of weights.
    pub parameters: Option<u64>,
    /// Weights used per token, for a mixture of experts.
    pub active_parameters: Option<u64>,
    /// Memory at each precision, from the widest.
    pub memory: Vec<Room>,
    /// Widest precision at which the model fits the free memory; `None` if none does or the model cannot be run.
    pub fits: Option<Kept>,
    /// Why the model cannot be run.
    pub cannot_be_run: Option<String>,
    /// Where the model is on this machine.
    pub path: Option<String>,
}

/// Memory of this machine, in bytes.
#[derive(Clone, Copy, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::cli) struct Memory {
    pub free: u64,
    pub total: u64,
}

impl Memory {
    pub fn of_this_machine() -> Memory {
        let (total, free) = machine::memory();
        Memory { free, total }
    }
}

impl<'a> Facts<'a> {
    pub fn new(card: &'a Card, memory: Memory) -> Facts<'a> {
        let parameters = card.parameters();
        let spec = card.spec().and_then(Result::ok);
        let rooms = parameters
            .map(|parameters| Room::at_all_precisions(parameters, spec.as_ref(), PROMPT_TOKENS))
            .unwrap_or_default();
        let cannot_be_run = card.obstacle();
        let runs = cannot_be_run.is_none();
        let mixture = card.shape.as_ref().filter(|shape| shape.experts.is_some());
        Facts {
            card,
            parameters,
            active_parameters: mixture.map(|shape| shape.active_parameters(&card.family)),
            fits: rooms.iter().find(|room| runs && room.bytes() <= memory.free).map(|room| room.precision),
            memory: rooms,
            cannot_be_run,
            path: model::is_cached(card).map(|path| path.display().to_string()),
        }
    }

    /// Returns the memory at a precision.
    pub fn at(&self, kept: Kept) -> Option<&Room> {
        self.memory.iter().find(|room| room.precision == kept)
    }
}

/// Formats a number of weights with three digits: `135M`, `8.03B`.
pub(super) fn weights(number: u64) -> String {
    match number {
        0..999_500_000 => format!("{:.0}M", number as f64 / 1e6),
        _ => format!("{}B", three_digits(number as f64 / 1e9)),
    }
}

/// Formats bytes as GiB, with three digits.
pub(super) fn gib(bytes: u64) -> String {
    three_digits(bytes as f64 / (1u64 << 30) as f64)
}

/// Formats a context length in units of 1,024 tokens.
pub(super) fn context(tokens: usize) -> String {
    format!("{}k", tokens / 1024)
}

fn three_digits(number: f64) -> String {
    match number {
        100.0.. => format!("{number:.0}"),
        10.0.. => format!("{number:.1}"),
        _ => format!("{number:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_three_digits() {
        assert_eq!([134_515_008, 8_030_261_248, 70_553_706_496].map(weights), ["135M", "8.03B", "70.6B"]);
        assert_eq!([671_026_419_200, 999_885_952].map(weights), ["671B", "1.00B"]);
        assert_eq!([1 << 29, 15 << 30, 1250 << 30].map(gib), ["0.50", "15.0", "1250"]);
        assert_eq!([2048, 131_072].map(context), ["2k", "128k"]);
    }

    #[test]
    fn a_model_fits_at_the_widest_precision_that_leaves_room() {
        let card = model::card("qwen3-8b").expect("cards can be read").expect("the card is there");
        let fits = |gib: u64| Facts::new(card, Memory { free: gib << 30, total: 64 << 30 }).fits;
        assert_eq!(
            [4, 8, 12, 24, 48].map(fits),
            [None, Some(Kept::Q4K), Some(Kept::Q80), Some(Kept::Bf16), Some(Kept::F32)]
        );
        let adapter = model::card("guanaco-65b").expect("cards can be read").expect("the card is there");
        assert_eq!(Facts::new(adapter, Memory { free: 1 << 50, total: 1 << 50 }).fits, None);
    }
}
