//! New dialogues to sketches of a changing mind, as ToMValley's steps 3 and 4.
//!
//! A model writes the dialogues of a released sketch; the sketch's questions and right answers stay. What is kept has passed
//! the paper's principles: the sketch is whole (1), the scenarios are as many as the sketch has (2), and, where a second model
//! is asked, it finds the dialogues coherent with the sketch (3). A dialogue that has eight consecutive words of the sketch is refused too.

use std::collections::HashSet;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::prompts::{Prompts, PromptsError};
use super::{Ask, MakeError, Request};
use crate::story::tomvalley::{ReasoningItem, Sketch};

/// The project's own prompts.
const BUILT_IN: &str = include_str!("../../datasets/making/contexts.toml");

/// Consecutive words of a sketch that no dialogue may have.
const COPIED: usize = 8;

/// A released trial.
#[derive(Debug, Clone)]
pub struct Trial {
    /// Its number.
    pub number: u32,
    /// Its `story.json`.
    pub story: Value,
}

/// What became of a trial.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Context {
    /// Number of the trial.
    pub trial: u32,
    /// The new `story` of its `story.json`; `null` where it was refused.
    pub story: Option<Value>,
    /// Why it was refused.
    pub refused: Option<Refusal>,
    /// Consecutive stretches of eight words of the sketch in its backgrounds, which are not refused.
    pub copied_in_backgrounds: usize,
    /// SHA-256 of the requests that it came from, under which `replies.jsonl` has the replies.
    pub requests: Vec<String>,
}

/// Why a context was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Refusal {
    /// The check that it failed.
    pub check: Check,
    /// The reason.
    pub why: String,
}

/// Checks; a context is refused by the first that it fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Check {
    /// Principle 1: the sketch has every state of every scenario.
    Sketch,
    /// The reply is whole and has the form asked for.
    Form,
    /// Principle 2: as many scenarios as the sketch has.
    Scenarios,
    /// The main character and somebody else speak in every scenario.
    Speakers,
    /// No eight consecutive words of the sketch in a dialogue.
    Copied,
    /// Principle 3: the dialogues are coherent with the sketch.
    Coherence,
}

impl Check {
    /// Checks of a sketch that a model wrote, in order.
    pub const OF_SKETCHES: [Check; 3] = [Check::Form, Check::Scenarios, Check::Sketch];

    /// Checks of dialogues, in order.
    pub const OF_DIALOGUES: [Check; 6] =
        [Check::Sketch, Check::Form, Check::Scenarios, Check::Speakers, Check::Copied, Check::Coherence];

    /// What a table calls it.
    pub fn title(self) -> &'static str {
        match self {
            Check::Sketch => "principle 1: a whole sketch",
            Check::Form => "a whole reply in the form asked for",
            Check::Scenarios => "principle 2: number of scenarios",
            Check::Speakers => "main character and another speak",
            Check::Copied => "no eight words of the sketch",
            Check::Coherence => "principle 3: coherent, by a second model",
        }
    }
}

/// What dialogues are written from.
const PLACEHOLDERS: [&str; 4] = ["characters_information", "story_sketch", "main_character", "scenario_number"];

/// The prompts by which dialogues are written, by default the project's own; a second model is asked in the project's own
/// words in any case.
pub fn prompts(file: Option<(&str, &str)>, style: &str) -> Result<Prompts, PromptsError> {
    Prompts::new(("contexts.toml", BUILT_IN), file, style, &PLACEHOLDERS)
}

/// Who writes and who judges.
#[derive(Debug, Clone, Copy)]
pub struct Pipeline<'a> {
    /// The prompts.
    pub prompts: &'a Prompts,
    /// Name of the model that writes.
    pub writer: &'a str,
    /// Name of the model that judges; nobody judges without one.
    pub judge: Option<&'a str>,
    /// Maximum tokens of a reply.
    pub most_tokens: usize,
}

impl Pipeline<'_> {
    /// Writes a new context for each trial.
    ///
    /// # Errors
    /// A model cannot be asked, or the work was stopped.
    pub fn run(&self, trials: &[Trial], ask: &mut Ask<'_>) -> Result<Vec<Context>, MakeError> {
        let sketches: Vec<Result<Sketch, String>> =
            trials.iter().map(|trial| Sketch::from_release(&trial.story).map_err(|error| error.to_string())).collect();
        let mut made: Vec<Context> = trials
            .iter()
            .zip(&sketches)
            .map(|(trial, sketch)| Context {
                trial: trial.number,
                story: None,
                refused: sketch.as_ref().err().map(|why| Refusal { check: Check::Sketch, why: why.clone() }),
                copied_in_backgrounds: 0,
                requests: Vec::new(),
            })
            .collect();
        let whole: Vec<(usize, &Sketch)> =
            sketches.iter().enumerate().filter_map(|(at, sketch)| Some((at, sketch.as_ref().ok()?))).collect();
        let request = |step: &str, trial: &Trial, messages| Request {
            step: step.to_string(),
            id: format!("tomvalley/{}", trial.number),
            messages,
            most_tokens: self.most_tokens,
            sample: 0,
        };
        let requests: Vec<Request> = whole
            .iter()
            .map(|&(at, sketch)| {
                request("contexts", &trials[at], self.prompts.write(|name| value(&trials[at], sketch, name)))
            })
            .collect();
        for (&(at, sketch), reply) in whole.iter().zip(ask(self.writer, &requests)?) {
            made[at].requests.push(reply.request.clone());
            let read = reply.whole().map_err(|why| Refusal { check: Check::Form, why });
            match read.and_then(|text| scenes(text, sketch)) {
                Ok((story, copied)) => {
                    made[at].story = Some(story);
                    made[at].copied_in_backgrounds = copied;
                }
                Err(refused) => made[at].refused = Some(refused),
            }
        }
        let Some(judge) = self.judge else { return Ok(made) };
        let judged: Vec<(usize, &Sketch)> = whole.into_iter().filter(|(at, _)| made[*at].story.is_some()).collect();
        let requests: Vec<Request> = judged
            .iter()
            .map(|&(at, sketch)| {
                let dialogues = made[at].story.as_ref().map(Value::to_string).unwrap_or_default();
                let value = |name: &str| match name {
                    "dialogues" => Some(dialogues.clone()),
                    name => value(&trials[at], sketch, name),
                };
                request("judge", &trials[at], self.prompts.own("judge", value))
            })
            .collect();
        for (&(at, _), reply) in judged.iter().zip(ask(judge, &requests)?) {
            made[at].requests.push(reply.request.clone());
            let verdict = reply.whole().map(|text| text.trim().to_string());
            let coherent =
                verdict.as_ref().is_ok_and(|text| text.trim_end_matches('.').eq_ignore_ascii_case("coherent"));
            if !coherent {
                // Neither word is no verdict, and never a good one.
                made[at].refused = Some(Refusal { check: Check::Coherence, why: verdict.unwrap_or_else(|why| why) });
                made[at].story = None;
            }
        }
        Ok(made)
    }
}

fn value(trial: &Trial, sketch: &Sketch, name: &str) -> Option<String> {
    let text = |key: &str| trial.story.get(key).and_then(Value::as_str).unwrap_or_default().to_string();
    match name {
        "characters_information" => Some(text("characters information")),
        "story_sketch" => trial.story.get("sketch").map(Value::to_string),
        "main_character" => Some(sketch.main_character().to_string()),
        "scenario_number" => Some(sketch.scenarios().len().to_string()),
        _ => None,
    }
}

/// The JSON object that is all of a reply, a fence around it aside.
pub(super) fn only_object(reply: &str) -> Result<Map<String, Value>, String> {
    let text = reply.trim();
    let text = text.strip_prefix("```json").or_else(|| text.strip_prefix("```")).unwrap_or(text);
    let text = text.strip_suffix("```").unwrap_or(text).trim();
    serde_json::from_str(text).map_err(|error| format!("not one JSON object and nothing else: {error}"))
}

/// The scenarios of a reply in the released form, and the stretches that backgrounds copy from the sketch.
fn scenes(reply: &str, sketch: &Sketch) -> Result<(Value, usize), Refusal> {
    let refuse = |check: Check, why: String| Refusal { check, why };
    let form = |why: String| refuse(Check::Form, why);
    let written = only_object(reply).map_err(form)?;
    let expected = sketch.scenarios().len();
    if written.len() != expected {
        return Err(refuse(Check::Scenarios, format!("{} scenarios; the sketch has {expected}", written.len())));
    }
    let forbidden: HashSet<Vec<String>> = sketch_texts(sketch).iter().flat_map(|text| stretches(text)).collect();
    let copied = |text: &str| stretches(text).into_iter().filter(|words| forbidden.contains(words)).collect::<Vec<_>>();
    let (mut scenes, mut copied_in_backgrounds) = (Map::new(), 0);
    for number in 1..=expected {
        let key = format!("scenario {number}");
        let scene = written.get(&key).ok_or_else(|| form(format!("no key `{key}`")))?;
        let background = scene.get("background").and_then(Value::as_str).map(str::trim).unwrap_or_default();
        if background.is_empty() {
            return Err(form(format!("{key}: no background")));
        }
        let turns = scene.get("dialogue").and_then(Value::as_array).and_then(|turns| turns.iter().map(turn).collect());
        let turns: Vec<(String, String)> =
            turns.ok_or_else(|| form(format!("{key}: `dialogue` is no list of objects with a name and words each")))?;
        let speakers: HashSet<&str> = turns.iter().map(|(name, _)| name.as_str()).collect();
        let is_main = |name: &&str| stands_in(name, sketch.main_character());
        if speakers.len() < 2 || !speakers.iter().any(is_main) {
            let mut speakers: Vec<&str> = speakers.into_iter().collect();
            speakers.sort_unstable();
            return Err(refuse(Check::Speakers, format!("{key}: {} speak", speakers.join(", "))));
        }
        if let Some(words) = turns.iter().find_map(|(_, words)| copied(words).into_iter().next()) {
            return Err(refuse(Check::Copied, format!("{key}: {}", words.join(" "))));
        }
        copied_in_backgrounds += copied(background).len();
        let dialogue: Vec<Value> = turns.into_iter().map(|(name, words)| json!({ name: words })).collect();
        scenes.insert(key, json!({ "background": background, "dialogue": dialogue }));
    }
    Ok((Value::Object(scenes), copied_in_backgrounds))
}

/// A turn: an object of one name with words, or of `speaker` and `line`.
fn turn(value: &Value) -> Option<(String, String)> {
    let text = |value: &Value| value.as_str().map(|text| text.trim().to_string()).filter(|text| !text.is_empty());
    let object = value.as_object()?;
    let (name, words) = match (object.get("speaker"), object.get("line")) {
        (Some(name), Some(words)) if object.len() == 2 => (text(name)?, text(words)?),
        _ if object.len() == 1 => object.iter().next().and_then(|(name, words)| Some((name.clone(), text(words)?)))?,
        _ => return None,
    };
    (!name.trim().is_empty()).then(|| (name.trim().to_string(), words))
}

/// Whether all words of a name are words of another.
fn stands_in(name: &str, whole: &str) -> bool {
    let of_whole: Vec<String> = words(whole);
    words(name).iter().all(|word| of_whole.contains(word))
}

fn words(text: &str) -> Vec<String> {
    let split = text.split(|letter: char| !letter.is_alphanumeric() && letter != '\'' && letter != '’');
    split.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

fn stretches(text: &str) -> Vec<Vec<String>> {
    words(text).windows(COPIED).map(<[String]>::to_vec).collect()
}

/// States, influences and reasons of a sketch.
fn sketch_texts(sketch: &Sketch) -> Vec<&str> {
    let mut texts = Vec::new();
    for item in ReasoningItem::ALL {
        for scenario in sketch.scenarios() {
            texts.push(scenario.state(item));
            texts.extend(scenario.influence_of(item));
        }
        texts.extend(sketch.reasons(item).iter().flatten().map(String::as_str));
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sketch() -> Sketch {
        let scenario = r#"{"belief": "Ada believes that the old bridge will not carry the heavy cart", "emotion": "e", "intention": "i",
            "action": "a", "influence": {"emotion": "x", "intention": "y", "action": "z"}}"#;
        let reasons =
            r#"{"belief": [null, null], "emotion": [null, null], "intention": [null, null], "action": [null, null]}"#;
        let scenarios = [scenario; 3].join(",");
        serde_json::from_str(&format!(
            r#"{{"main_character": "Ada Holm", "scenarios": [{scenarios}], "reasons": {reasons}}}"#
        ))
        .unwrap()
    }

    fn reply(scenarios: usize, words: &str) -> String {
        let scene = |number: usize| {
            format!(
                r#""scenario {number}": {{"background": "At the river.", "dialogue": [{{"Ada": "{words}"}}, {{"speaker": "Bo", "line": "Yes?"}}]}}"#
            )
        };
        format!("{{{}}}", (1..=scenarios).map(scene).collect::<Vec<_>>().join(", "))
    }

    fn check(reply: &str, expected: Check) {
        let refused = scenes(reply, &sketch()).unwrap_err();
        assert_eq!(refused.check, expected, "{}", refused.why);
    }

    #[test]
    fn whole_replies_become_the_released_form() {
        let (story, copied) = scenes(&format!("```json\n{}\n```", reply(3, "Not with that load.")), &sketch()).unwrap();
        assert_eq!(story["scenario 3"]["dialogue"][1], json!({ "Bo": "Yes?" }));
        assert_eq!((story.as_object().unwrap().len(), copied), (3, 0));
    }

    #[test]
    fn every_fault_is_refused_by_its_check() {
        check("Here it is: {}", Check::Form);
        check(&format!("{} I hope this helps.", reply(3, "Hi.")), Check::Form);
        check(&reply(2, "Hi."), Check::Scenarios);
        check(&reply(4, "Hi."), Check::Scenarios);
        check(&reply(3, "Hi.").replace("scenario 2", "scene 2"), Check::Form);
        check(&reply(3, "Hi.").replace("\"Ada\"", "\"Cy\""), Check::Speakers);
        check(&reply(3, "Hi.").replace("\"Bo\"", "\"Ada Holm\"").replace("\"Ada\"", "\"Ada Holm\""), Check::Speakers);
        check(&reply(3, "I think that the old bridge will not carry the heavy cart."), Check::Copied);
        check(&reply(3, ""), Check::Form);
    }

    #[test]
    fn seven_words_of_the_sketch_are_not_eight() {
        let seven = "the old bridge will not carry the";
        assert!(scenes(&reply(3, seven), &sketch()).is_ok());
        let background =
            reply(3, "Hi.").replacen("At the river.", "She sees that the old bridge will not carry the heavy cart.", 1);
        assert_eq!(scenes(&background, &sketch()).unwrap().1, 3);
    }
}
