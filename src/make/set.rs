//! A made set as files: items in the schema of the user's own files, and what became of each unit.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::flag::Flag;
use super::own_item::OwnItem;
use super::texts::Texts;
use super::translate::{Review, Round, Translated, Unit};
use crate::benchmark::Item;
use crate::canary::CANARY;
use crate::language::Language;

/// Name of the file of items.
pub const ITEMS: &str = "items.jsonl";

/// Name of the file of units.
pub const UNITS: &str = "made.jsonl";

/// How a unit came about, one line of `made.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MadeUnit {
    /// Id of its story, or of its item where each question was asked about on its own.
    pub id: String,
    /// The `id` of its items in `items.jsonl`, in the order of the questions; they are missing there if there are no
    /// texts.
    pub items: Vec<String>,
    /// Language of the source.
    pub from: Language,
    /// Language of the made texts.
    pub to: Language,
    /// The texts that it was made from.
    pub source: Texts,
    /// The translation before it was refined; absent where it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<Texts>,
    /// The made texts; null if there are none.
    pub texts: Option<Texts>,
    /// The translation by a second translator, until people choose; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second: Option<Texts>,
    /// What the reviewer said: `okay`, `{"feedback": ..}` or `{"unclear": ..}`; null if nobody was asked.
    pub review: Option<Review>,
    /// The made texts translated back; null if they were not.
    pub back: Option<Texts>,
    /// chrF of the back-translation against the source, from 0 to 100; none for texts that are not wholly in the language,
    /// as a copy of the source comes back unchanged.
    pub chrf_back: Option<f64>,
    /// chrF of the second translation against the first, from 0 to 100; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chrf_second: Option<f64>,
    /// chrF against the texts named by `--against`, from 0 to 100.
    pub chrf_against: Option<f64>,
    /// Replies that the texts came from, in order.
    pub rounds: Vec<Round>,
    /// What somebody must look at.
    pub flags: Vec<Flag>,
    /// The canary line, only in the first line of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canary: Option<String>,
}

impl MadeUnit {
    /// What became of a unit, without scores.
    pub fn new(unit: &Unit, made: &Translated, items: &[Item], (from, to): (Language, Language)) -> Self {
        MadeUnit {
            id: unit.id.clone(),
            items: unit.items.iter().map(|&number| made_id(&items[number]).to_string()).collect(),
            from,
            to,
            source: unit.source.clone(),
            first: made.first.clone(),
            texts: made.texts.clone(),
            second: made.second.clone(),
            review: made.review.clone(),
            back: made.back.clone(),
            chrf_back: None,
            chrf_second: None,
            chrf_against: None,
            rounds: made.rounds.clone(),
            flags: made.flags.clone(),
            canary: None,
        }
    }
}

/// What all items of a set have in common.
#[derive(Debug, Clone, Copy)]
pub struct Made<'a> {
    /// The pipeline, for instance `translate`.
    pub pipeline: &'a str,
    /// Language of the made texts.
    pub language: Language,
    /// File of the prompts and its SHA-256.
    pub prompts: (&'a str, &'a str),
    /// Who translated back: `by another model`, `by the translator` or `none`.
    pub back_translation: &'a str,
    /// Facets of all items.
    pub facets: &'a [(&'a str, &'a str)],
}

impl Made<'_> {
    /// Returns the lines of `items.jsonl` with the right answers of the source items, the first with the canary line.
    /// Units without texts have none.
    pub fn items(&self, items: &[Item], units: &[Unit], made: &[Translated]) -> serde_json::Result<Vec<String>> {
        let mut lines: Vec<(usize, OwnItem<'_, Value>)> = Vec::new();
        for (unit, made) in units.iter().zip(made) {
            let Some(texts) = &made.texts else { continue };
            for (&number, question) in unit.items.iter().zip(&texts.questions) {
                let item = &items[number];
                let line = OwnItem {
                    id: made_id(item).into(),
                    language: self.language,
                    parallel: Some(made_id(item)),
                    story_id: story_id(item).into(),
                    made: self.history(item, made),
                    ..OwnItem::new(item)
                };
                let mut line = line.with_texts(&texts.story, question);
                let checks = ("checks", if made.flags.iter().all(Flag::is_note) { "clean" } else { "flagged" });
                let facets = self.facets.iter().chain([&checks]);
                line.facets.extend(facets.map(|(facet, value)| (facet.to_string(), value.to_string())));
                lines.push((number, line));
            }
        }
        lines.sort_by_key(|(number, _)| *number);
        if let Some((_, first)) = lines.first_mut() {
            first.made[0]["canary"] = Value::from(CANARY);
        }
        lines.iter().map(|(_, line)| serde_json::to_string(line)).collect()
    }

    /// How an item came about: a list, which readers of own files do not take for facets.
    fn history(&self, item: &Item, made: &Translated) -> Vec<Value> {
        let (file, sha256) = self.prompts;
        let mut history = vec![json!({
            "by": format!("tomeval {}", env!("CARGO_PKG_VERSION")),
            "pipeline": self.pipeline,
            "from": item.id,
            "prompts": file,
            "prompts_sha256": sha256,
            "back_translation": self.back_translation,
        })];
        history.extend(made.rounds.iter().map(|round| json!(round)));
        history.extend(made.flags.iter().map(|flag| json!(flag)));
        history
    }
}

/// Returns the one right option of an item, if there is one.
pub fn gold_of(item: &Item) -> Option<usize> {
    match (item.gold.kind(), &item.gold.options()[..]) {
        ("single", [one]) => Some(*one),
        _ => None,
    }
}

/// Returns the id under which a set has the version of an item that was made: the id of all its versions.
pub fn made_id(item: &Item) -> &str {
    without_custom(&item.parallel)
}

/// The id in the user's own file, which the reader of such files begins with the name of the benchmark.
fn without_custom(id: &str) -> &str {
    id.strip_prefix("custom/").unwrap_or(id)
}

/// The story's id without its language.
fn story_id(item: &Item) -> String {
    let ending = format!("/{}", item.language.code());
    let middle = format!("{ending}/");
    let story = without_custom(&item.story);
    match story.strip_suffix(&ending) {
        Some(story) => story.to_string(),
        None => story.replacen(&middle, "/", 1),
    }
}

/// Returns the lines of `made.jsonl`, the first with the canary line.
pub fn unit_lines(units: &[MadeUnit]) -> Result<String, serde_json::Error> {
    let line = |(at, unit): (usize, &MadeUnit)| {
        let canary = (at == 0).then(|| CANARY.to_string());
        Ok(serde_json::to_string(&MadeUnit { canary, ..unit.clone() })? + "\n")
    };
    units.iter().enumerate().map(line).collect()
}
