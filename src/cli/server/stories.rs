//! Generated stories for the checks of servers, the same in every version of the program.

use crate::story::hi_tom::MadeStory;
use crate::story::{ClaimRule, Settings, Wording, generate};

/// Seed of the stories.
const SEED: u64 = 24;

/// Answers that each question offers.
pub const ANSWERS: usize = 3;

/// Returns one of the stories.
pub fn story(number: usize, wording: Wording) -> MadeStory {
    let settings = Settings {
        chapters: 1 + number % 3,
        size: Default::default(),
        deception: number % 2 == 1,
        stories: 1,
        seed: SEED + number as u64,
        answers: ANSWERS,
        wording,
        claims: ClaimRule::default(),
    };
    generate(&settings).ok().and_then(|mut made| made.pop()).expect("the settings are within the generator's limits")
}
