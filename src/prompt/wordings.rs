//! Further wordings of the instruction of the built-in packs.

use serde::Deserialize;

use super::error::PackError;
use super::pack::Pack;
use super::pattern::PARAGRAPH_BREAK;
use super::style::Style;
use crate::language::Language;

const FILE: &str = "built-in wordings.toml";
const TEXT: &str = include_str!("../../datasets/prompts/wordings.toml");

/// The style whose instruction is worded otherwise.
const STYLE: &str = "vanilla";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "source")]
    _source: String,
    task: Vec<Task>,
    wording: Vec<Wording>,
}

/// What some packs ask about in a language.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Task {
    /// Names of the packs.
    packs: Vec<String>,
    /// Part of the family of benchmarks; `None` for any.
    subset: Option<String>,
    language: Language,
    /// Value of `{text}`.
    text: String,
    /// Value of `{answer}` where the answer is given in words.
    answer: String,
    /// Whether texts may leave room for doubt; `{doubt}` is empty otherwise.
    doubt: bool,
}

/// A wording.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wording {
    language: Language,
    /// The instruction where options are shown.
    letter: String,
    /// The instruction where they are not.
    words: String,
    /// Value of `{doubt}`.
    doubt: String,
}

impl Wording {
    /// The instruction of a style.
    fn instruction(&self, style: &Style, task: &Task) -> String {
        let pattern = if style.shows_options() { &self.letter } else { &self.words };
        let doubt = if task.doubt { &self.doubt } else { "" };
        pattern.replace("{doubt}", doubt).replace("{text}", &task.text).replace("{answer}", &task.answer)
    }
}

fn file() -> File {
    toml::from_str(TEXT).expect("a test parses `datasets/prompts/wordings.toml`")
}

impl Pack {
    /// Returns the pack with its single-choice styles `vanilla` in English and Chinese in `count` wordings, of which the
    /// first is its own. A further one is a style with the key `wording`, whose instruction, the first paragraph of the
    /// system turn, is another; they stand in the pack's text, so that runs keep them with their prompts.
    ///
    /// # Errors
    /// There are fewer wordings.
    pub fn with_wordings(self, count: usize) -> Result<Pack, PackError> {
        let File { task: tasks, wording: wordings, .. } = file();
        let syntax = |message| PackError::Syntax { file: self.file().to_string(), message };
        let table: toml::Table = toml::from_str(self.text()).map_err(|error| syntax(error.to_string()))?;
        let written = table.get("style").and_then(toml::Value::as_array).cloned().unwrap_or_default();
        let mut text = self.text().to_string();
        for (style, written) in self.styles.iter().zip(&written) {
            let is_of_task = |task: &&Task| {
                task.packs.contains(&self.benchmark) && task.subset == style.subset && task.language == style.language
            };
            let Some(task) = tasks.iter().find(is_of_task).filter(|_| is_worded(style)) else { continue };
            let Some(system) = written.get("system").and_then(toml::Value::as_str) else { continue };
            let mut of_language = wordings.iter().filter(|wording| wording.language == style.language);
            for number in 2..=count {
                let Some(wording) = of_language.next() else {
                    return Err(PackError::Key {
                        place: FILE.to_string(),
                        key: "wording",
                        message: format!(
                            "there are {} with the pack's own; --paraphrase takes at most so many",
                            number - 1
                        ),
                    });
                };
                let rest = system.split_once(PARAGRAPH_BREAK).map(|(_, rest)| rest.to_string());
                let system: Vec<String> = std::iter::once(wording.instruction(style, task)).chain(rest).collect();
                let mut style = written.as_table().cloned().unwrap_or_default();
                style.insert("system".to_string(), system.join(PARAGRAPH_BREAK).into());
                style.insert("wording".to_string(), toml::Value::Integer(number as i64));
                let styles = toml::Table::from_iter([("style".to_string(), vec![style].into())]);
                text.push('\n');
                text.push_str(&toml::to_string(&styles).map_err(|error| syntax(error.to_string()))?);
            }
        }
        self.parsed_again(&text)
    }
}

impl Style {
    /// Whether it is another wording of a style.
    pub(super) fn rewords(&self, other: &Style) -> bool {
        fn items(style: &Style) -> impl PartialEq + '_ {
            let Style { name, language, subset, dimension, options, answer, scoring, .. } = style;
            (name, language, subset, dimension, options, answer, scoring, style.asks_several())
        }
        self.wording.is_some() && items(self) == items(other)
    }
}

/// Whether further wordings are for this style.
fn is_worded(style: &Style) -> bool {
    style.name == STYLE
        && style.answer.as_deref().is_none_or(|answer| answer == "single")
        && !style.asks_several()
        && style.yes_no.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::{Benchmark, LoadOptions};
    use crate::prompt::{Instructions, OrderPolicy, Placeholders, Scoring, SpanKind, asks};

    const ALL: usize = 10;

    #[test]
    fn both_languages_have_wordings_that_differ_and_ask_for_the_same_format() {
        let File { task: tasks, wording: wordings, .. } = file();
        for (language, format) in [("en", "[[letter]]"), ("zh", "[[字母]]")] {
            let of_language: Vec<&Wording> =
                wordings.iter().filter(|wording| wording.language.code() == language).collect();
            assert_eq!(of_language.len(), ALL - 1);
            for (at, wording) in of_language.iter().enumerate() {
                assert_eq!(wording.letter.matches(format).count(), 1, "{}", wording.letter);
                assert!(wording.letter.contains("{doubt}") && !wording.words.contains("[["));
                assert!(wording.words.contains("{answer}"), "{}", wording.words);
                for other in &of_language[..at] {
                    assert!(wording.letter != other.letter && wording.words != other.words);
                }
            }
            assert!(tasks.iter().any(|task| task.language.code() == language));
        }
    }

    #[test]
    fn every_style_for_one_option_is_worded_in_every_built_in_pack() {
        for benchmark in Benchmark::ALL {
            let own = Pack::built_in(benchmark);
            let worded = own.clone().with_wordings(ALL).unwrap();
            assert_eq!(worded.styles[..own.styles.len()], own.styles);
            for style in own.styles.iter().filter(|style| is_worded(style)) {
                let is_covered =
                    ["en", "zh"].contains(&style.language.code()) && style.subset.as_deref() != Some("negotiation");
                for number in 2..=ALL {
                    let found = worded.worded(style, Some(number));
                    assert_eq!(found.is_ok(), is_covered, "{style}, wording {number}");
                    let Ok(found) = found else { continue };
                    let filled = |style: &Style| {
                        let value = |name: &str| Some(vec![(SpanKind::Instruction, format!("<{name}>"))]);
                        style.fill(value).unwrap().messages
                    };
                    let (own, found) = (filled(style), filled(found));
                    assert_eq!(own[1..], found[1..], "the item's text");
                    assert!(own[0] != found[0] && !found[0].content.contains(['{', '}']), "{}", found[0].content);
                    let after = |text: &str| text.split_once("\n\n").map(|(_, after)| after.to_string());
                    assert_eq!(after(&own[0].content), after(&found[0].content), "notes stay");
                }
            }
        }
    }

    #[test]
    fn items_are_asked_in_another_wording_and_nothing_else_changes() {
        let items = Benchmark::Demo.load(std::path::Path::new(""), &LoadOptions::default()).unwrap().items;
        let pack = Pack::built_in(Benchmark::Demo).with_wordings(3).unwrap().with_system("Be brief.").unwrap();
        for item in items.iter().filter(|item| item.gold.kind() == "single") {
            let order = &OrderPolicy::Random(1).draw(0, &item.id, item.options.len()).unwrap()[0].order;
            for scoring in [Scoring::Letter, Scoring::Text, Scoring::Hybrid, Scoring::Generate] {
                let own = pack.style_for(item, STYLE, scoring, Instructions::Item).unwrap();
                assert_eq!(own.wording, None);
                let [one, other] =
                    [own, pack.worded(own, Some(3)).unwrap()].map(|style| asks(style, item, order, scoring).unwrap());
                assert_eq!(one.len(), other.len());
                for (one, other) in one.iter().zip(&other) {
                    assert_eq!(one.continuations, other.continuations);
                    assert_eq!(one.prompt.answer_prefix, other.prompt.answer_prefix);
                    assert_eq!(one.prompt.messages[1..], other.prompt.messages[1..]);
                    assert!(other.prompt.messages[0].content.starts_with("Be brief.\n\n"));
                    assert_ne!(one.prompt.messages[0], other.prompt.messages[0]);
                }
            }
        }
    }

    #[test]
    fn absent_wordings_are_named() {
        let pack = Pack::built_in(Benchmark::Demo);
        let error = pack.clone().with_wordings(ALL + 1).unwrap_err().to_string();
        insta::assert_snapshot!(error, @"built-in wordings.toml: `wording`: there are 10 with the pack's own; --paraphrase takes at most so many");
        let cot = pack.named("cot").next().unwrap();
        let error = pack.worded(cot, Some(2)).unwrap_err().to_string();
        insta::assert_snapshot!(error, @"built-in demo.toml: style `cot`, language en: there is no wording 2 of it; --paraphrase has those of the style vanilla for one right option, in English and Chinese: choose such items (--language, --where) or --instructions en, or write a pack with the key `wording`");
        let first = pack.with_wordings(3).unwrap().text().replace("wording = 2", "wording = 1");
        let error = Pack::parse("p.toml", &first, Placeholders::OfItems).unwrap_err().to_string();
        assert!(error.contains("wording 1: `wording`: expected at least 2"), "{error}");
    }
}
