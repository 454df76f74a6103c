//! The format of Hi-ToM's file, for writing generated stories.

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use crate::canary::CANARY;
use crate::language::Language;
use crate::name::named;
use crate::story::hi_tom::MadeStory;
use crate::story::{ClaimRule, Wording};

/// The two prompting types of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, IntoStaticStr, VariantArray)]
pub enum Prompting {
    /// Chain of thought.
    CoTP,
    /// Vanilla.
    #[serde(rename = "VP")]
    #[strum(serialize = "VP")]
    Vp,
}

named!(Prompting);

/// One row of the file: a story, one question and its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Instance {
    /// Prompting type of the answer.
    pub prompting_type: Prompting,
    /// Whether the story contains claims.
    pub deception: bool,
    /// Chapters of the story.
    pub story_length: usize,
    /// Order of the question, 0 to 4.
    pub question_order: usize,
    /// Position in the file, from 0.
    pub sample_id: usize,
    /// Numbered lines.
    pub story: String,
    pub question: String,
    /// Labelled containers, joined by commas.
    pub choices: String,
    /// The right container.
    pub answer: String,
}

/// Provenance of a generated file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Generator {
    /// Name and version of the program.
    pub program: String,
    /// Seed of the stories.
    pub seed: u64,
    /// Language of the stories.
    pub language: Language,
    /// The tracker's claim rule.
    pub claims: ClaimRule,
}

/// A whole file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Release {
    pub canary: &'static str,
    /// Provenance of the stories.
    pub generator: Generator,
    /// The rows.
    pub data: Vec<Instance>,
}

impl Release {
    /// Arrange stories like the released file: without and with deception, then by prompting type, length, order and
    /// story. The stories share seed, language and rules; the file states those of the first.
    pub fn new(stories: &[MadeStory], prompting: &[Prompting]) -> Self {
        let first = stories.first();
        let generator = Generator {
            program: concat!("tomeval ", env!("CARGO_PKG_VERSION")).to_string(),
            seed: first.map_or(0, |made| made.seed),
            language: first.map_or(Wording::English, |made| made.wording).language(),
            claims: first.map_or_else(ClaimRule::default, |made| made.claims),
        };
        let mut rows: Vec<(Prompting, &MadeStory, usize)> = Vec::new();
        for made in stories {
            for &prompting in prompting {
                rows.extend((0..made.questions.len()).map(|order| (prompting, made, order)));
            }
        }
        rows.sort_by_key(|(prompting, made, order)| {
            (made.deception, *prompting == Prompting::Vp, made.chapters, *order)
        });
        let rows = rows.into_iter().enumerate();
        let data = rows.map(|(sample_id, (prompting, made, order))| instance(sample_id, prompting, made, order));
        Release { canary: CANARY, generator, data: data.collect() }
    }
}

fn instance(sample_id: usize, prompting_type: Prompting, made: &MadeStory, order: usize) -> Instance {
    let asked = &made.questions[order];
    Instance {
        prompting_type,
        deception: made.deception,
        story_length: made.chapters,
        question_order: order,
        sample_id,
        story: format!("{}\n", made.wording.tell(&made.story)),
        question: made.wording.ask(&asked.question),
        choices: asked.labelled_choices(),
        answer: asked.choices[asked.answer].clone(),
    }
}
