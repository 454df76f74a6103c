//! The sketch of a changing mind from which questions are made.

use regex::Regex;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{QuestionKey, ReasoningItem};

/// Minimum number of scenarios: with two, reversing a sequence equals swapping two states.
const MIN_SCENARIOS: usize = 3;

/// Maximum number of scenarios: with eight, a `why` question would have more options than the alphabet has labels.
const MAX_SCENARIOS: usize = 7;

/// The main character's belief, emotion, intention and action over several scenarios, and why they change.
///
/// `tomeval make tomvalley --help` shows one as JSON.
///
/// There are three to seven scenarios, and for each item one reason fewer than scenarios. A reason is `null` if and
/// only if the item has the same text in both scenarios.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Written")]
pub struct Sketch {
    main_character: String,
    scenarios: Vec<Scenario>,
    reasons: Reasons,
}

/// The main character's mind in one scenario.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// The character's belief.
    #[serde(default, deserialize_with = "text_if_any")]
    pub belief: String,
    /// The character's emotion.
    #[serde(default, deserialize_with = "text_if_any")]
    pub emotion: String,
    /// The character's intention.
    #[serde(default, deserialize_with = "text_if_any")]
    pub intention: String,
    /// The character's action.
    #[serde(default, deserialize_with = "text_if_any")]
    pub action: String,
    /// How these influence each other.
    pub influence: Influences,
}

/// Reads an absent or null state as empty, so that [`Sketch::new`] refuses it by scenario and name.
fn text_if_any<'de, D: serde::Deserializer<'de>>(value: D) -> Result<String, D::Error> {
    Option::deserialize(value).map(Option::unwrap_or_default)
}

/// How items influence each other within a scenario, by the affected item.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Influences {
    /// How the belief influences the emotion.
    pub emotion: String,
    /// How belief and emotion influence the intention.
    pub intention: String,
    /// How the intention influences the action.
    pub action: String,
}

/// Why each item changes from each scenario to the next; `None` where it does not.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reasons {
    /// Reasons of the belief's changes.
    pub belief: Vec<Option<String>>,
    /// Reasons of the emotion's changes.
    pub emotion: Vec<Option<String>>,
    /// Reasons of the intention's changes.
    pub intention: Vec<Option<String>>,
    /// Reasons of the action's changes.
    pub action: Vec<Option<String>>,
}

/// The JSON document before validation.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    main_character: String,
    scenarios: Vec<Scenario>,
    reasons: Reasons,
}

/// A sketch from which no questions can be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SketchError {
    /// Too few or too many scenarios.
    #[error("the sketch has {found} scenarios; {MIN_SCENARIOS} to {MAX_SCENARIOS} are needed")]
    Scenarios {
        /// The number found.
        found: usize,
    },
    /// A scenario lacks one of the four states (the paper's first principle of validation, section 3, step 4).
    #[error(
        "scenario {scenario} has no {state}; a sketch needs the belief, emotion, intention and action of every scenario"
    )]
    State {
        /// The scenario, from 1.
        scenario: usize,
        /// Name of the state.
        state: &'static str,
    },
    /// A text is empty.
    #[error("scenario {scenario}: `{field}` is empty; every part of a sketch is an answer and needs words")]
    Empty {
        /// The scenario, from 1; 0 for parts outside of scenarios.
        scenario: usize,
        field: String,
    },
    /// The number of reasons differs from the number of steps between neighbouring scenarios.
    #[error("`reasons.{item}` has {found} entries; one for each of the {expected} steps between scenarios is needed")]
    Reasons {
        /// Name of the item.
        item: &'static str,
        /// The number found.
        found: usize,
        /// The number needed.
        expected: usize,
    },
    /// A reason for an unchanged item, or none for a changed one.
    #[error(
        "`reasons.{item}`, step from scenario {scenario}: the texts of the two scenarios are {}; {}",
        if *.changes { "different" } else { "the same" },
        if *.changes { "give the reason" } else { "write null" }
    )]
    Reason {
        /// Name of the item.
        item: &'static str,
        /// The earlier scenario, from 1.
        scenario: usize,
        /// Whether the texts differ.
        changes: bool,
    },
    /// A part of a released file is missing or invalid.
    #[error("the released file has no text at `{path}`")]
    Release {
        /// Its expected location.
        path: String,
    },
}

impl Scenario {
    /// The text of an item.
    pub fn state(&self, item: ReasoningItem) -> &str {
        match item {
            ReasoningItem::Belief => &self.belief,
            ReasoningItem::Emotion => &self.emotion,
            ReasoningItem::Intention => &self.intention,
            ReasoningItem::Action => &self.action,
        }
    }

    /// How an item, as last cause, influences another; `None` for the action, which influences nothing.
    pub fn influence_of(&self, item: ReasoningItem) -> Option<&str> {
        match item {
            ReasoningItem::Belief => Some(&self.influence.emotion),
            ReasoningItem::Emotion => Some(&self.influence.intention),
            ReasoningItem::Intention => Some(&self.influence.action),
            ReasoningItem::Action => None,
        }
    }
}

impl TryFrom<Written> for Sketch {
    type Error = SketchError;

    fn try_from(written: Written) -> Result<Self, SketchError> {
        Sketch::new(written.main_character, written.scenarios, written.reasons)
    }
}

impl Sketch {
    /// A sketch in which every question has an answer; see the type for the rules.
    pub fn new(main_character: String, scenarios: Vec<Scenario>, reasons: Reasons) -> Result<Self, SketchError> {
        let sketch = Sketch { main_character, scenarios, reasons };
        sketch.check()?;
        Ok(sketch)
    }

    fn check(&self) -> Result<(), SketchError> {
        let empty = |scenario, field: &str| SketchError::Empty { scenario, field: field.to_string() };
        if !(MIN_SCENARIOS..=MAX_SCENARIOS).contains(&self.scenarios.len()) {
            return Err(SketchError::Scenarios { found: self.scenarios.len() });
        }
        if self.main_character.trim().is_empty() {
            return Err(empty(0, "main_character"));
        }
        for (index, scenario) in self.scenarios.iter().enumerate() {
            for item in ReasoningItem::ALL {
                if scenario.state(item).trim().is_empty() {
                    return Err(SketchError::State { scenario: index + 1, state: item.name() });
                }
                if scenario.influence_of(item).is_some_and(|text| text.trim().is_empty()) {
                    let moved = item.influence().map_or("", |(_, effect)| effect.name());
                    return Err(empty(index + 1, &format!("influence.{moved}")));
                }
            }
        }
        for item in ReasoningItem::ALL {
            let (reasons, expected) = (self.reasons(item), self.scenarios.len() - 1);
            if reasons.len() != expected {
                return Err(SketchError::Reasons { item: item.name(), found: reasons.len(), expected });
            }
            for (index, reason) in reasons.iter().enumerate() {
                let changes = self.scenarios[index].state(item) != self.scenarios[index + 1].state(item);
                if reason.as_deref().is_some_and(|reason| reason.trim().is_empty()) {
                    return Err(empty(index + 1, &format!("reasons.{}", item.name())));
                }
                if reason.is_some() != changes {
                    return Err(SketchError::Reason { item: item.name(), scenario: index + 1, changes });
                }
            }
        }
        Ok(())
    }

    /// Full name of the main character.
    pub fn main_character(&self) -> &str {
        &self.main_character
    }

    /// The scenarios in order: three to seven.
    pub fn scenarios(&self) -> &[Scenario] {
        &self.scenarios
    }

    /// Reasons of an item's changes, one for each step between neighbouring scenarios.
    pub fn reasons(&self, item: ReasoningItem) -> &[Option<String>] {
        match item {
            ReasoningItem::Belief => &self.reasons.belief,
            ReasoningItem::Emotion => &self.reasons.emotion,
            ReasoningItem::Intention => &self.reasons.intention,
            ReasoningItem::Action => &self.reasons.action,
        }
    }

    /// Whether the item of a `whether` or `why` question changes from its scenario to the next.
    pub(super) fn changes(&self, key: QuestionKey) -> bool {
        self.reasons(key.item).get(key.scenario - 1).is_some_and(Option::is_some)
    }

    /// The sketch in a released `story.json`. Its states are those of `analysis of mental states across scenarios`,
    /// from which the released options were drawn; its reasons are one text there, `1->2: ..; 2->3: ..`. A state must
    /// be in both analyses, the one across scenarios and that of its scenario.
    pub fn from_release(story: &Value) -> Result<Self, SketchError> {
        let text = |path: &[&str]| {
            let found = path.iter().try_fold(story, |value, key| value.get(key)).and_then(Value::as_str);
            found.map(|text| text.trim().to_string()).ok_or_else(|| SketchError::Release { path: path.join("/") })
        };
        let across = |item: &str, key: &str| {
            let item = item[..1].to_uppercase() + &item[1..];
            text(&["sketch", "analysis of mental states across scenarios", &item, key])
        };
        let within = |scenario: usize, path: &[&str]| {
            let scenario = format!("scenario {scenario}");
            text(&[&["sketch", "mental states analysis in every scenario", &scenario], path].concat())
        };
        let count = story.get("scenario numbers").and_then(Value::as_u64).unwrap_or_default() as usize;
        let scenario = |number: usize| {
            let state = |item: ReasoningItem| match (
                across(item.name(), &number.to_string()),
                within(number, &[item.name()]),
            ) {
                (Ok(text), Ok(here)) if !text.is_empty() && !here.is_empty() => Ok(text),
                _ => Err(SketchError::State { scenario: number, state: item.name() }),
            };
            Ok(Scenario {
                belief: state(ReasoningItem::Belief)?,
                emotion: state(ReasoningItem::Emotion)?,
                intention: state(ReasoningItem::Intention)?,
                action: state(ReasoningItem::Action)?,
                influence: Influences {
                    emotion: within(number, &["influence", "belief->emotion"])?,
                    intention: within(number, &["influence", "belief&emotion->intention"])?,
                    action: within(number, &["influence", "intention->action"])?,
                },
            })
        };
        let scenarios = (1..=count).map(scenario).collect::<Result<Vec<_>, _>>()?;
        let reasons = |item: ReasoningItem| {
            let path = || SketchError::Release { path: format!("analysis of mental states/{}/Reasons", item.name()) };
            let parts = split_reasons(&across(item.name(), "Reasons")?, count).ok_or_else(path)?;
            let steps = parts.into_iter().zip(scenarios.windows(2));
            Ok(steps.map(|(part, pair)| (pair[0].state(item) != pair[1].state(item)).then_some(part)).collect())
        };
        let reasons = Reasons {
            belief: reasons(ReasoningItem::Belief)?,
            emotion: reasons(ReasoningItem::Emotion)?,
            intention: reasons(ReasoningItem::Intention)?,
            action: reasons(ReasoningItem::Action)?,
        };
        Sketch::new(text(&["main character"])?, scenarios, reasons)
    }
}

/// Keys of the relation in a released sketch.
pub(crate) const RELATIONS: (&str, &str) =
    ("relationships among characters", "main character with supporting character 1");

/// The relation's place in a released `story.json`.
pub const RELATION: &str = "/sketch/relationships among characters/main character with supporting character 1";

impl Sketch {
    /// The sketch in words, for people: place and relation where there is one, then each scenario with its states and how they bring
    /// one another about, then why they change.
    pub fn told(&self, place: &str, relation: &str) -> Vec<String> {
        let head = [("Place", place), ("Relation", relation)].into_iter().filter(|(_, text)| !text.trim().is_empty());
        let mut told: Vec<String> = head.map(|(name, text)| format!("{name}: {text}")).collect();
        for (number, scenario) in (1..).zip(&self.scenarios) {
            let mut lines = vec![format!("Scenario {number}")];
            for item in ReasoningItem::ALL {
                lines.push(format!("{}: {}", item.name(), scenario.state(item)));
                lines.extend(scenario.influence_of(item).map(|influence| format!("  so: {influence}")));
            }
            told.push(lines.join("\n"));
        }
        for item in ReasoningItem::ALL {
            let reason = |(step, reason): (usize, &Option<String>)| {
                Some(format!("{step} to {}: {}", step + 1, reason.as_deref()?))
            };
            let mut lines = vec![format!("Why the {} changes", item.name())];
            lines.extend((1..).zip(self.reasons(item)).filter_map(reason));
            if lines.len() > 1 {
                told.push(lines.join("\n"));
            }
        }
        told
    }

    /// The sketch as the `sketch` of a released `story.json`, with how the characters know each other;
    /// [`Sketch::from_release`] reads it back.
    pub fn released_form(&self, relation: &str) -> Value {
        let scenario = |(number, scenario): (usize, &Scenario)| {
            let Influences { emotion, intention, action } = &scenario.influence;
            let mut states: Map<String, Value> = ReasoningItem::ALL
                .map(|item| (item.name().to_string(), Value::from(scenario.state(item))))
                .into_iter()
                .collect();
            let influence = json!({
                "belief->emotion": emotion, "belief&emotion->intention": intention, "intention->action": action,
            });
            states.insert("influence".to_string(), influence);
            (format!("scenario {number}"), Value::Object(states))
        };
        let across = |item: ReasoningItem| {
            let reasons = self.reasons(item);
            let changed = if reasons.iter().any(Option::is_some) { "True" } else { "False" };
            let mut all = Map::from_iter([("Changed".to_string(), Value::from(changed))]);
            let states = (1..).zip(&self.scenarios);
            all.extend(states.map(|(number, scenario)| (number.to_string(), Value::from(scenario.state(item)))));
            let reason = |(step, reason): (usize, &Option<String>)| {
                format!("{step}->{}: {}", step + 1, reason.as_deref().unwrap_or("unchanged"))
            };
            let reasons: Vec<String> = (1..).zip(reasons).map(reason).collect();
            all.insert("Reasons".to_string(), Value::from(reasons.join("; ")));
            (item.name()[..1].to_uppercase() + &item.name()[1..], Value::Object(all))
        };
        let scenarios: Map<String, Value> = (1..).zip(&self.scenarios).map(scenario).collect();
        let items: Map<String, Value> = ReasoningItem::ALL.map(across).into_iter().collect();
        json!({
            RELATIONS.0: { RELATIONS.1: relation },
            "mental states analysis in every scenario": scenarios,
            "analysis of mental states across scenarios": items,
        })
    }
}

/// Splits `1->2: a; 2->3: b` at its marks, which some files write `Scenario 1 -> Scenario 2:`. `None` if a mark is
/// missing.
fn split_reasons(text: &str, scenarios: usize) -> Option<Vec<String>> {
    let mut marks = Vec::new();
    for step in 1..scenarios {
        let mark = format!(r"(?i)(?:scenario\s*)?\b{step}\s*->\s*(?:scenario\s*)?{}\s*:", step + 1);
        let from = marks.last().map_or(0, |&(_, end)| end);
        let found = Regex::new(&mark).ok()?.find_at(text, from)?;
        marks.push((found.start(), found.end()));
    }
    let ends = marks.iter().skip(1).map(|&(start, _)| start).chain([text.len()]);
    let parts = marks.iter().zip(ends).map(|(&(_, start), end)| &text[start..end]);
    Some(parts.map(|part| part.trim().trim_end_matches(';').trim().to_string()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCENARIO: &str = r#"{"belief": "b", "emotion": "e", "intention": "i", "action": "a",
        "influence": {"emotion": "x", "intention": "y", "action": "z"}}"#;

    fn parse(scenarios: &str, reasons: &str) -> Result<Sketch, String> {
        let text = format!(r#"{{"main_character": "Ada", "scenarios": [{scenarios}], "reasons": {reasons}}}"#);
        serde_json::from_str(&text).map_err(|error| error.to_string())
    }

    fn check_refused(scenarios: &str, reasons: &str, expected: &str) {
        let message = parse(scenarios, reasons).unwrap_err();
        assert!(message.contains(expected), "{message}");
    }

    #[test]
    fn a_sketch_is_refused_with_what_is_wrong() {
        let same = r#"{"belief": [null, null], "emotion": [null, null], "intention": [null, null],
            "action": [null, null]}"#;
        let three = [SCENARIO; 3].join(",");
        assert!(parse(&three, same).is_ok());
        check_refused(SCENARIO, same, "1 scenarios; 3 to 7");
        check_refused(&[SCENARIO; 8].join(","), same, "8 scenarios");
        check_refused(&three, &same.replacen("[null, null]", "[null]", 1), "`reasons.belief` has 1 entries");
        check_refused(&three, &same.replacen("[null, null]", r#"[null, "r"]"#, 1), "are the same; write null");
        let changed = [SCENARIO, &SCENARIO.replace(r#""e""#, r#""other""#), SCENARIO].join(",");
        check_refused(
            &changed,
            same,
            "`reasons.emotion`, step from scenario 1: the texts of the two scenarios are dif",
        );
        check_refused(&three.replacen(r#""z""#, r#"" ""#, 1), same, "scenario 1: `influence.action` is empty");
        check_refused(&three.replacen("belief", "beleif", 1), same, "beleif");
        for state in ["belief", "emotion", "intention", "action"] {
            let line = format!(r#""{state}": "{}","#, &state[..1]);
            let lacking = SCENARIO.replacen(&line, "", 1);
            assert_ne!(lacking, SCENARIO);
            for lacking in [lacking, SCENARIO.replacen(&line, &format!(r#""{state}": null,"#), 1)] {
                let scenarios = [SCENARIO, SCENARIO, &lacking].join(",");
                check_refused(&scenarios, same, &format!("scenario 3 has no {state}"));
            }
        }
    }

    #[test]
    fn reasons_are_split_at_their_marks() {
        let check = |text: &str, expected: &[&str]| assert_eq!(split_reasons(text, 3).unwrap(), expected);
        check("1->2: one; and more; 2->3: two.", &["one; and more", "two."]);
        check("Scenario 1 -> Scenario 2: one;Scenario 2->Scenario 3: two", &["one", "two"]);
        assert_eq!(split_reasons("1->2: one; then two", 3), None);
    }
}
