//! Sketches of a changing mind for drawn backgrounds, as ToMValley's steps 1 and 2.
//!
//! A model invents how two people know each other, then what one of them believes, feels, intends and does in each scenario,
//! how these bring one another about, and why they change. Kept is what passes the paper's principles 1 and 2: the number of
//! scenarios asked for, each with every state. [`super::contexts`] writes the dialogues.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::background::Background;
use super::contexts::{Check, Refusal, only_object};
use super::prompts::{Prompts, PromptsError};
use super::{Ask, MakeError, Reply, Request};
use crate::story::tomvalley::{RELATIONS, Sketch};

/// The project's own prompts.
const BUILT_IN: &str = include_str!("../../datasets/making/sketches.toml");

/// What sketches are written from.
const PLACEHOLDERS: [&str; 7] = [
    "characters_information",
    "main_character",
    "other_character",
    "social_setting",
    "scenario_number",
    "step_number",
    RELATION,
];

const RELATION: &str = "relation";

/// The prompts by which sketches are written, by default the project's own. A style that shows no `{relation}` has its model
/// invent the relation with the sketch.
pub fn prompts(file: Option<(&str, &str)>, style: &str) -> Result<Prompts, PromptsError> {
    Prompts::new(("sketches.toml", BUILT_IN), file, style, &PLACEHOLDERS)
}

/// What became of a background.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Sketched {
    /// Number of the trial.
    pub trial: u32,
    /// Its place and people.
    pub background: Background,
    /// How the people know each other; `null` where no model said.
    pub relation: Option<String>,
    /// The sketch as in a released `story.json`; `null` where it was refused.
    pub sketch: Option<Value>,
    /// Why it was refused.
    pub refused: Option<Refusal>,
    /// SHA-256 of the requests that it came from, under which `replies.jsonl` has the replies.
    pub requests: Vec<String>,
}

impl Sketched {
    /// The `story.json` of the trial, without dialogues; `None` where the sketch was refused.
    pub fn story(&self, scenarios: usize) -> Option<Map<String, Value>> {
        let story = json!({
            "main character": self.background.main.full_name(),
            "scenario numbers": scenarios,
            "social setting": self.background.place,
            "social setting type": self.background.place_type,
            "characters information": self.background.characters(),
            "sketch": self.sketch.as_ref()?,
        });
        story.as_object().cloned()
    }
}

/// Who writes, in which words, and how many scenarios.
#[derive(Debug, Clone, Copy)]
pub struct Sketching<'a> {
    /// The prompts.
    pub prompts: &'a Prompts,
    /// Name of the model that writes.
    pub writer: &'a str,
    /// Scenarios of each sketch.
    pub scenarios: usize,
    /// Maximum tokens of a reply.
    pub most_tokens: usize,
}

impl Sketching<'_> {
    /// Writes a sketch for each background, given with the number of its trial.
    ///
    /// # Errors
    /// The model cannot be asked, or the work was stopped.
    pub fn run(&self, backgrounds: Vec<(u32, Background)>, ask: &mut Ask<'_>) -> Result<Vec<Sketched>, MakeError> {
        let new = |(trial, background)| Sketched {
            trial,
            background,
            relation: None,
            sketch: None,
            refused: None,
            requests: Vec::new(),
        };
        let mut all: Vec<Sketched> = backgrounds.into_iter().map(new).collect();
        if self.prompts.shows(RELATION) {
            let turns = |one: &Sketched| self.prompts.own("relation", |name| self.value(one, name));
            let requests: Vec<Request> = all.iter().map(|one| self.request("relation", one, turns(one))).collect();
            for (one, reply) in all.iter_mut().zip(ask(self.writer, &requests)?) {
                one.relation = self.whole(one, &reply);
            }
        }
        let open: Vec<usize> = (0..all.len()).filter(|&at| all[at].refused.is_none()).collect();
        let turns = |one: &Sketched| self.prompts.write(|name| self.value(one, name));
        let requests: Vec<Request> = open.iter().map(|&at| self.request("sketch", &all[at], turns(&all[at]))).collect();
        if requests.is_empty() {
            return Ok(all);
        }
        for (&at, reply) in open.iter().zip(ask(self.writer, &requests)?) {
            let one = &mut all[at];
            let Some(text) = self.whole(one, &reply) else { continue };
            match self.read(one, &text) {
                Ok((relation, sketch)) => {
                    one.sketch = Some(sketch.released_form(&relation));
                    one.relation = Some(relation);
                }
                Err(refused) => one.refused = Some(refused),
            }
        }
        Ok(all)
    }

    /// The text of a whole reply; where there is none, the context is refused.
    fn whole(&self, one: &mut Sketched, reply: &Reply) -> Option<String> {
        one.requests.push(reply.request.clone());
        match reply.whole() {
            Ok(text) => Some(text.trim().to_string()),
            Err(why) => {
                one.refused = Some(refuse(Check::Form, why));
                None
            }
        }
    }

    fn request(&self, step: &str, one: &Sketched, messages: Vec<crate::chat::Message>) -> Request {
        Request {
            step: step.to_string(),
            id: format!("tomvalley/{}", one.trial),
            messages,
            most_tokens: self.most_tokens,
            sample: 0,
        }
    }

    fn value(&self, one: &Sketched, name: &str) -> Option<String> {
        Some(match name {
            "characters_information" => one.background.characters(),
            "main_character" => one.background.main.full_name(),
            "other_character" => one.background.other.full_name(),
            "social_setting" => one.background.place.clone(),
            "scenario_number" => self.scenarios.to_string(),
            "step_number" => (self.scenarios - 1).to_string(),
            RELATION => one.relation.clone().unwrap_or_default(),
            _ => return None,
        })
    }

    /// Reads a sketch in the project's form or in the released one, with the relation.
    fn read(&self, one: &Sketched, text: &str) -> Result<(String, Sketch), Refusal> {
        let mut written = only_object(text).map_err(|why| refuse(Check::Form, why))?;
        let main = one.background.main.full_name();
        let released = written.get("mental states analysis in every scenario").cloned();
        let scenarios = released.as_ref().or(written.get("scenarios"));
        let found = match scenarios {
            Some(Value::Array(scenarios)) => scenarios.len(),
            Some(Value::Object(scenarios)) => scenarios.len(),
            _ => return Err(refuse(Check::Form, "the object has no scenarios".to_string())),
        };
        if found != self.scenarios {
            return Err(refuse(Check::Scenarios, format!("{found} scenarios; {} were asked for", self.scenarios)));
        }
        let not_whole = |why: String| refuse(Check::Sketch, why);
        let relation = written.get(RELATIONS.0).and_then(|relations| relations.get(RELATIONS.1)?.as_str());
        let relation = relation.map(str::to_string).or(one.relation.clone());
        let relation = relation.ok_or_else(|| refuse(Check::Form, "no relation".to_string()))?;
        if released.is_none() {
            written.insert("main_character".to_string(), Value::from(main));
            let sketch =
                serde_json::from_value(Value::Object(written)).map_err(|error| not_whole(error.to_string()))?;
            return Ok((relation, sketch));
        }
        let story = json!({ "main character": main, "scenario numbers": self.scenarios, "sketch": written });
        let sketch = Sketch::from_release(&story).map_err(|error| not_whole(error.to_string()))?;
        Ok((relation, sketch))
    }
}

fn refuse(check: Check, why: String) -> Refusal {
    Refusal { check, why }
}
