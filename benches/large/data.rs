//! Questions of no meaning with texts as long as ToMBench's English ones.

use rand::Rng;
use serde_json::json;
use tomeval::internal::seeded;

/// Words of a story, a question and an option: with words of this length, some 370, 56 and 44 characters, which are the
/// means over ToMBench's 2,860 questions.
const STORY: usize = 63;
const QUESTION: usize = 9;
const OPTION: usize = 7;

/// Questions about one story.
const A_STORY: usize = 2;

/// A facet of so many values, as ToMBench has tasks.
pub const TASKS: usize = 8;

const SYLLABLES: [&str; 16] =
    ["ba", "den", "ki", "lor", "ma", "nu", "pes", "qui", "ro", "sal", "ti", "ul", "ven", "wo", "yar", "zem"];

/// So many questions as JSON lines.
pub fn questions(count: usize) -> String {
    let mut lines = String::new();
    for story in 0..count.div_ceil(A_STORY) {
        let mut draw = seeded(0, "large run", story);
        let context = sentence(STORY, &mut draw);
        for question in story * A_STORY..count.min((story + 1) * A_STORY) {
            let options = [(); 4].map(|()| sentence(OPTION, &mut draw));
            let answer = ["A", "B", "C", "D"][draw.random_range(0..4)];
            let line = json!({
                "id": question,
                "story": context,
                "question": sentence(QUESTION, &mut draw),
                "options": options,
                "answer": answer,
                "task": format!("task {}", story % TASKS),
            });
            lines.push_str(&format!("{line}\n"));
        }
    }
    lines
}

fn sentence(words: usize, draw: &mut impl Rng) -> String {
    let mut word = || {
        let syllables = draw.random_range(1..=3);
        (0..syllables).map(|_| SYLLABLES[draw.random_range(0..SYLLABLES.len())]).collect::<String>()
    };
    (0..words).map(|_| word()).collect::<Vec<_>>().join(" ") + "."
}
