//! Translation of items by models that translate, review and refine, as in Multi-ToM (Figure 4).
//!
//! Each step asks about all units before the next begins: translate; ask again once where a tag was lost; have a second
//! model translate, if one is named, as in XToM (3.2); review; refine where the review has feedback, once; translate back, if
//! a model for that is named. Whatever a reply is not (a verdict, all tags) is a recorded failure.

mod form;
mod wording;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::check::refusal;
use super::flag::{Check, Flag};
use super::texts::{Part, QuestionTexts, Texts};
use super::{Ask, MakeError, Reply, Request};
use crate::benchmark::Item;
use crate::chat::Message;
use crate::language::Language;

pub(super) use wording::Values;
pub use wording::{Kind, Wording};

/// Texts that are translated in one request: a story with all its questions, or a single question with its story.
#[derive(Debug, Clone)]
pub struct Unit {
    /// Id of the story or item.
    pub id: String,
    /// Numbers of its items, in the order of the questions.
    pub items: Vec<usize>,
    /// Its texts in the source language.
    pub source: Texts,
}

impl Unit {
    /// Makes units of items: one a story where `whole_stories`, else one an item. Questions that differ in gold or
    /// facets alone still are questions of their own.
    pub fn of(items: &[Item], whole_stories: bool) -> Vec<Unit> {
        let mut units: IndexMap<(&str, String), Unit> = IndexMap::new();
        for (number, item) in items.iter().enumerate() {
            let story = item.context.iter().map(|segment| &*segment.text).collect::<Vec<_>>().join("\n\n");
            let id = if whole_stories { &item.story } else { &item.id };
            let new = || Unit {
                id: id.clone(),
                items: Vec::new(),
                source: Texts { story: story.clone(), questions: Vec::new() },
            };
            let unit = units.entry((id, story.clone())).or_insert_with(new);
            unit.items.push(number);
            let options = item.options.clone();
            unit.source.questions.push(QuestionTexts { question: item.question.clone(), options });
        }
        units.into_values().collect()
    }
}

/// Who does what, between which languages, in which words.
#[derive(Debug, Clone)]
pub struct Translation<'a> {
    pub source: Language,
    pub target: Language,
    pub wording: &'a Wording,
    /// Fixed translations, shown to translators and required by the checks: source term to target term.
    pub terms: &'a IndexMap<String, String>,
    /// Names of the models.
    pub translator: &'a str,
    /// Translates on its own, for people to choose; `None` where nobody does.
    pub second_translator: Option<&'a str>,
    /// `None` where nobody reviews.
    pub reviewer: Option<&'a str>,
    pub refiner: &'a str,
    pub back_translator: Option<&'a str>,
    /// Maximum tokens of a reply.
    pub most_tokens: usize,
}

/// A reply that a made text came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Round {
    /// `translate`, `second` (by the second translator), `review`, `refine` or `back`, all but the review also with `-again` where a
    /// lost tag was asked for; of adaptations `adapt-story` and `adapt-question`.
    pub step: String,
    /// Style of the prompt.
    pub style: String,
    /// Name of the model.
    pub model: String,
    /// SHA-256 of the request, under which `replies.jsonl` has it.
    pub request: String,
}

/// What a reviewer said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Review {
    /// Nothing is to be changed.
    Okay,
    /// What is to be changed.
    Feedback(String),
    /// Neither; never taken for okay.
    Unclear(String),
}

impl Review {
    /// Reads a review: either `###Quality: okay` or `###Feedback:` with a text.
    pub fn read(reply: &str) -> Review {
        // Of the same length, whatever the script.
        let lower = reply.to_ascii_lowercase();
        let after = |tag: &str| {
            let at = lower.find(tag)? + tag.len();
            let rest = reply.get(at..)?.trim_start_matches(['*', ' ']);
            Some(rest.trim_start_matches([':', '：', '*']).trim())
        };
        let verdict = |text: &str| text.trim_matches(|sign: char| !sign.is_alphanumeric()).to_lowercase();
        match (after("###quality"), after("###feedback")) {
            (Some(quality), None) if verdict(quality) == "okay" => Review::Okay,
            (None, Some(feedback)) if !feedback.is_empty() => Review::Feedback(feedback.to_string()),
            _ => Review::Unclear(reply.trim().to_string()),
        }
    }
}

/// What became of a unit.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Translated {
    /// The translation before it was refined; absent where it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<Texts>,
    /// The translation; absent if there is none.
    pub texts: Option<Texts>,
    /// That of the second translator; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second: Option<Texts>,
    /// What the reviewer said; absent if nobody was asked.
    pub review: Option<Review>,
    /// The translation back into the source language; absent if there is none.
    pub back: Option<Texts>,
    /// Replies in the order of the steps.
    pub rounds: Vec<Round>,
    /// What somebody must look at.
    pub flags: Vec<Flag>,
}

impl Translation<'_> {
    /// Translates all units.
    ///
    /// # Errors
    /// A model cannot be asked, or the work was stopped.
    pub fn run(&self, units: &[Unit], ask: &mut Ask<'_>) -> Result<Vec<Translated>, MakeError> {
        let mut all = vec![Translated::default(); units.len()];
        let style = self.wording.name(Kind::Translate);
        let jobs: Vec<(usize, Vec<Message>)> =
            (0..units.len()).map(|unit| (unit, self.translate(&units[unit].source, false))).collect();
        let step = Step { name: "translate", style, model: self.translator };
        for (unit, read) in self.writing().written(step, jobs.clone(), units, &mut all, ask)? {
            all[unit].texts = read;
        }
        if let Some(model) = self.second_translator {
            let step = Step { name: "second", style, model };
            for (unit, read) in self.writing().written(step, jobs, units, &mut all, ask)? {
                all[unit].second = read;
            }
        }
        if let Some(reviewer) = self.reviewer {
            self.review(reviewer, units, &mut all, ask)?;
            self.refine(units, &mut all, ask)?;
        }
        if let Some(model) = self.back_translator {
            let texts = |unit: usize| Some((unit, self.translate(all[unit].texts.as_ref()?, true)));
            let jobs = (0..units.len()).filter_map(texts).collect();
            let step = Step { name: "back", style, model };
            for (unit, read) in self.writing().written(step, jobs, units, &mut all, ask)? {
                all[unit].back = read;
            }
        }
        Ok(all)
    }

    fn review(
        &self,
        reviewer: &str,
        units: &[Unit],
        all: &mut [Translated],
        ask: &mut Ask<'_>,
    ) -> Result<(), MakeError> {
        let step = Step { name: "review", style: self.wording.name(Kind::Review), model: reviewer };
        let job = |unit: usize| {
            let values = self.values(false).with_both(&units[unit].source, all[unit].texts.as_ref()?);
            Some((unit, self.wording.turns(Kind::Review, &values)))
        };
        let jobs: Vec<(usize, Vec<Message>)> = (0..units.len()).filter_map(job).collect();
        let replies = self.writing().ask_all(step.name, &step, &jobs, units, ask)?;
        for ((unit, _), reply) in jobs.iter().zip(&replies) {
            let review = match reply.whole() {
                Ok(text) => Review::read(text),
                Err(why) => Review::Unclear(why),
            };
            if let Review::Unclear(text) = &review {
                let message = "the reviewer said neither okay nor feedback";
                all[*unit].flags.push(Flag::new(Check::Review, Part::Story, text, message));
            }
            all[*unit].review = Some(review);
            all[*unit].rounds.push(step.round(step.name, reply));
        }
        Ok(())
    }

    fn refine(&self, units: &[Unit], all: &mut [Translated], ask: &mut Ask<'_>) -> Result<(), MakeError> {
        let step = Step { name: "refine", style: self.wording.name(Kind::Refine), model: self.refiner };
        let job = |unit: usize| {
            let Some(Review::Feedback(feedback)) = &all[unit].review else { return None };
            let values = self.values(false).with_both(&units[unit].source, all[unit].texts.as_ref()?);
            Some((unit, self.wording.turns(Kind::Refine, &values.with_feedback(feedback))))
        };
        let jobs = (0..units.len()).filter_map(job).collect();
        for (unit, read) in self.writing().written(step, jobs, units, all, ask)? {
            match read {
                Some(read) => all[unit].first = all[unit].texts.replace(read),
                // The fault is flagged; what the reviewer found fault with stays as it was.
                None => all[unit].flags.push(Flag::new(
                    Check::Review,
                    Part::Story,
                    "",
                    "the reviewer's feedback was not carried out: the refined translation could not be read",
                )),
            }
        }
        Ok(())
    }

    fn writing(&self) -> Writing<'_> {
        Writing { wording: self.wording, most_tokens: self.most_tokens }
    }

    fn values(&self, back: bool) -> Values {
        let (source, target) = if back { (self.target, self.source) } else { (self.source, self.target) };
        let swapped = |(source, target): (&String, &String)| (target.clone(), source.clone());
        let terms = if back { self.terms.iter().map(swapped).collect() } else { self.terms.clone() };
        Values::new(source, target, &terms)
    }

    fn translate(&self, texts: &Texts, back: bool) -> Vec<Message> {
        self.wording.turns(Kind::Translate, &self.values(back).with_texts(texts, self.wording))
    }
}

/// Has texts written: the words of its prompts, and the length of replies.
#[derive(Debug, Clone, Copy)]
pub(super) struct Writing<'a> {
    pub wording: &'a Wording,
    /// Maximum tokens of a reply.
    pub most_tokens: usize,
}

impl Writing<'_> {
    /// Asks for texts, and once more where a tag was lost.
    pub fn written(
        &self,
        step: Step<'_>,
        jobs: Vec<(usize, Vec<Message>)>,
        units: &[Unit],
        all: &mut [Translated],
        ask: &mut Ask<'_>,
    ) -> Result<Vec<(usize, Option<Texts>)>, MakeError> {
        let again = format!("{}-again", step.name);
        let mut read = Vec::with_capacity(jobs.len());
        let mut open = jobs;
        for (name, is_last) in [(step.name, false), (again.as_str(), true)] {
            let replies = self.ask_all(name, &step, &open, units, ask)?;
            let mut lost = Vec::new();
            for ((unit, messages), reply) in open.into_iter().zip(replies) {
                all[unit].rounds.push(step.round(name, &reply));
                match self.texts_of(&units[unit].source, &reply) {
                    Ok((texts, flags)) => {
                        all[unit].flags.extend(flags.into_iter().map(|flag| flag.of_step(step.name)));
                        read.push((unit, Some(texts)));
                    }
                    Err(flag) if !is_last && flag.check.is_worth_asking_again() => {
                        let said = Message::assistant(reply.text.unwrap_or_default());
                        let values = Values::default().with_fault(&flag);
                        let more = self.wording.turns(Kind::Again, &values);
                        lost.push((unit, [messages, vec![said], more].concat()));
                    }
                    Err(flag) => {
                        all[unit].flags.push(flag.of_step(step.name));
                        read.push((unit, None));
                    }
                }
            }
            open = lost;
        }
        read.sort_by_key(|(unit, _)| *unit);
        Ok(read)
    }

    fn texts_of(&self, like: &Texts, reply: &Reply) -> Result<form::Read, Flag> {
        let text = match reply.whole() {
            Ok(text) => text,
            Err(why) => {
                let check = if reply.cut { Check::Cut } else { Check::NoReply };
                let said = reply.text.as_deref().unwrap_or_default();
                let tail = said.char_indices().rev().nth(39).map_or(said, |(at, _)| &said[at..]);
                return Err(Flag::new(check, Part::Story, tail, why));
            }
        };
        like.read(self.wording.form(), text).map_err(|flag| match refusal(text) {
            Some(span) => Flag::new(Check::Refusal, Part::Story, span, "the reply refuses"),
            None => flag,
        })
    }

    fn ask_all(
        &self,
        name: &str,
        step: &Step<'_>,
        jobs: &[(usize, Vec<Message>)],
        units: &[Unit],
        ask: &mut Ask<'_>,
    ) -> Result<Vec<Reply>, MakeError> {
        let request = |(unit, messages): &(usize, Vec<Message>)| Request {
            step: name.to_string(),
            id: units[*unit].id.clone(),
            messages: messages.clone(),
            most_tokens: self.most_tokens,
            sample: 0,
        };
        match jobs.is_empty() {
            true => Ok(Vec::new()),
            false => ask(step.model, &jobs.iter().map(request).collect::<Vec<_>>()),
        }
    }
}

/// A step: its name, the style of its prompt, and the model asked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step<'a> {
    pub name: &'a str,
    pub style: &'a str,
    pub model: &'a str,
}

impl Step<'_> {
    fn round(&self, name: &str, reply: &Reply) -> Round {
        Round {
            step: name.to_string(),
            style: self.style.to_string(),
            model: reply.model.clone(),
            request: reply.request.clone(),
        }
    }
}
