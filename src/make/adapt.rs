//! Cultural adaptation of items within their language, as in Multi-ToM (Table 2, Figure 2): each story once, then each of
//! its questions for the adapted story. Right answers and their places stay those of the source.

use super::flag::{Check, Flag};
use super::texts::{Part, QuestionTexts, Texts};
use super::translate::{Kind, Step, Translated, Unit, Values, Wording, Writing};
use crate::language::Language;
use crate::make::{Ask, MakeError};

/// Who adapts to which culture, in which words.
#[derive(Debug, Clone)]
pub struct Adaptation<'a> {
    /// Language of the items.
    pub language: Language,
    /// The culture, as the prompts name it.
    pub culture: &'a str,
    /// Names and things of the culture that the assistant may choose from.
    pub entities: Option<&'a str>,
    pub wording: &'a Wording,
    /// Name of the model that adapts stories.
    pub assistant: &'a str,
    /// Name of the model that adapts questions.
    pub adapter: &'a str,
    /// Maximum tokens of a reply.
    pub most_tokens: usize,
}

impl Adaptation<'_> {
    /// Adapts all units, each a story with all its questions.
    ///
    /// # Errors
    /// A model cannot be asked, or the work was stopped.
    pub fn run(&self, units: &[Unit], ask: &mut Ask<'_>) -> Result<Vec<Translated>, MakeError> {
        let writing = Writing { wording: self.wording, most_tokens: self.most_tokens };
        let values = || Values::new(self.language, self.language, &Default::default()).with_culture(self.culture);
        // Questions that come with the story: none, or the first one.
        let with_story = usize::from(self.wording.adapts_first_question());
        let story_of = |unit: &Unit| {
            let questions = unit.source.questions.iter().take(with_story).cloned().collect();
            Unit { source: Texts { questions, ..unit.source.clone() }, ..unit.clone() }
        };
        let stories: Vec<Unit> = units.iter().map(story_of).collect();
        let mut all = vec![Translated::default(); units.len()];
        let step = Step { name: "adapt-story", style: self.wording.name(Kind::AdaptStory), model: self.assistant };
        let job = |(at, story): (usize, &Unit)| {
            let values = values().with_texts(&story.source, self.wording).with_entities(self.entities);
            (at, self.wording.turns(Kind::AdaptStory, &values))
        };
        let jobs = stories.iter().enumerate().filter(|(_, story)| !story.source.story.is_empty()).map(job).collect();
        for (at, read) in writing.written(step, jobs, &stories, &mut all, ask)? {
            let Some(mut texts) = read else { continue };
            for (number, (source, read)) in stories[at].source.questions.iter().zip(&mut texts.questions).enumerate() {
                keep(number, source, read, &mut all[at].flags);
            }
            all[at].texts = Some(texts);
        }
        // One request a question; a story's own text is never written again.
        let mut questions: Vec<(usize, Unit)> = Vec::new();
        for (at, unit) in units.iter().enumerate().filter(|(at, _)| all[*at].texts.is_some()) {
            let each = unit.source.questions.iter().zip(&unit.items).enumerate();
            for (number, (question, &item)) in each.skip(with_story) {
                let source = Texts { story: String::new(), questions: vec![question.clone()] };
                questions.push((
                    at,
                    Unit { id: format!("{}, question {}", unit.id, number + 1), items: vec![item], source },
                ));
            }
        }
        let own: Vec<Unit> = questions.iter().map(|(_, unit)| unit.clone()).collect();
        let mut adapted = vec![Translated::default(); own.len()];
        let step = Step { name: "adapt-question", style: self.wording.name(Kind::AdaptQuestion), model: self.adapter };
        let job = |(number, (at, question)): (usize, &(usize, Unit))| {
            let story = all[*at].texts.as_ref().map_or("", |texts| &texts.story);
            let values = values().with_texts(&question.source, self.wording);
            let values = values.with_stories(&units[*at].source.story, story);
            (number, self.wording.turns(Kind::AdaptQuestion, &values))
        };
        let jobs = questions.iter().enumerate().map(job).collect();
        for (number, read) in writing.written(step, jobs, &own, &mut adapted, ask)? {
            adapted[number].texts = read;
        }
        for ((at, question), adapted) in questions.iter().zip(adapted) {
            let unit = &mut all[*at];
            unit.rounds.extend(adapted.rounds);
            unit.flags.extend(adapted.flags);
            match (adapted.texts.and_then(|mut texts| texts.questions.pop()), &mut unit.texts) {
                (Some(mut read), Some(texts)) => {
                    keep(texts.questions.len(), &question.source.questions[0], &mut read, &mut unit.flags);
                    texts.questions.push(read);
                }
                // A story is adapted whole or not at all.
                (None, texts) => *texts = None,
                (_, None) => {}
            }
        }
        Ok(all)
    }
}

/// Puts back options of a question that state knowledge, which an adaptation must not change, and notes it.
fn keep(question: usize, source: &QuestionTexts, adapted: &mut QuestionTexts, flags: &mut Vec<Flag>) {
    for (option, (before, after)) in source.options.iter().zip(&mut adapted.options).enumerate() {
        if states_knowledge(before) && before != after {
            let message = format!("`{before}` states knowledge and was put back");
            flags.push(Flag::new(Check::Knowledge, Part::Option(question, option), after, message));
            after.clone_from(before);
        }
    }
}

/// Whether an option says nothing except whether something is known, as `Knows` and `Does not know`, or is `Yes`, `No`
/// or `None`.
pub fn states_knowledge(option: &str) -> bool {
    const WHOLE: [&str; 14] = [
        "knows",
        "does not know",
        "doesn't know",
        "know",
        "do not know",
        "don't know",
        "none",
        "yes",
        "no",
        "remembers",
        "does not remember",
        "doesn't remember",
        "none of them",
        "none of the above",
    ];
    WHOLE.contains(&option.trim().trim_end_matches('.').to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_state_knowledge_stay() {
        for option in ["Knows", "Does not know.", "None", "no"] {
            assert!(states_knowledge(option), "{option}");
        }
        assert!(!states_knowledge("Nora knows") && !states_knowledge("Nobody"));
        let options = |options: [&str; 2]| QuestionTexts {
            question: String::new(),
            options: options.map(str::to_string).to_vec(),
        };
        let (mut read, mut flags) = (options(["Is aware", "Chest"]), Vec::new());
        keep(1, &options(["Knows", "Box"]), &mut read, &mut flags);
        assert_eq!(read, options(["Knows", "Chest"]));
        assert_eq!((flags.len(), &*flags[0].part, &*flags[0].span), (1, "question 2, option A", "Is aware"));
    }
}
