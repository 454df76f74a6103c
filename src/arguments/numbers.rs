//! Whole numbers from the command line, each with its valid range.

use std::ops::RangeInclusive;

/// Maximum items, stories or trials: more than any benchmark has.
pub const ITEMS: RangeInclusive<usize> = 1..=10_000_000;
/// Trials asked again; 0 for none.
pub const AUDITED: RangeInclusive<usize> = 0..=10_000_000;
/// Stories generated at once.
pub const STORIES: RangeInclusive<usize> = 1..=100_000;
/// Threads: more than any machine has processors.
pub const THREADS: RangeInclusive<usize> = 1..=4096;
/// Tokens of a pass, a batch of passes, a prompt or a reply.
pub const TOKENS: RangeInclusive<usize> = 1..=10_000_000;
/// Wordings of an instruction.
pub const WORDINGS: RangeInclusive<usize> = 2..=100;
/// Sequences decoded together.
pub const SEQUENCES: RangeInclusive<usize> = 1..=4096;
/// Repetitions of a measurement.
pub const TURNS: RangeInclusive<usize> = 1..=10_000;

/// Returns a parser of whole numbers in a range; its error names the range.
pub fn within(range: RangeInclusive<usize>) -> impl Fn(&str) -> Result<usize, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number = text.trim().parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| format!("give a whole number from {} to {}", range.start(), range.end()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_outside_the_range_are_told_it() {
        let read = within(1..=100);
        assert_eq!((read("1"), read(" 100 ")), (Ok(1), Ok(100)));
        for text in ["0", "101", "-1", "1.5", "many", "", "99999999999999999999999"] {
            assert_eq!(read(text), Err("give a whole number from 1 to 100".to_string()), "{text}");
        }
    }
}
