//! NegotiationToM (Chan et al. 2024) and XToM's translated part of it (Chan et al. 2025).
//!
//! A row is a *round*: the dialogue so far, with what each agent is known to want (`desire`), believes the other to want
//! (`belief`) and intends with the round's one or two new turns (`intention`). A desire or belief is one item with three
//! slots - high, medium and low priority - over four options: not given, water, food, firewood. An intention is a set
//! over nine labels. `"None"` in the file means that there is no question.
//!
//! Ids: `negotiationtom/<dialogue_id>/<agent1|agent2|utterance1|utterance2>/<belief|desire|intention>`, in the translated
//! files with `/<language>` after it. The story is the whole dialogue: its rounds repeat each other's turns. The
//! question texts are ours; the files hold none. Facets: `subset` = `negotiation`, `dimension`, `asked`, `round`. Fields:
//! `agent` (the speaker's name in the dialogue), `other` (the other's), `agent_number`, `other_number`, and `utterance`.

mod words;

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use indexmap::IndexMap;
use serde::Deserialize;

use self::words::{INTENTIONS, ITEMS, Words};
use super::definition::{Definition, card};
use super::unique::Ids;
use super::{
    Answer, Benchmark, Facets, Flag, Item, LoadError, LoadOptions, Loaded, OptionIx, RowProblem, Segment, SegmentKind,
    files, folder, xtom,
};
use crate::language::Language;

pub(super) static NEGOTIATIONTOM: Definition = Definition {
    benchmark: Benchmark::NegotiationToM,
    card: card!("negotiationtom"),
    choices: &[],
    is_at: |data| folder::holds(data, &["negotiationtom"], &[FILE]),
    load,
};
pub(super) static XNEGOTIATIONTOM: Definition = Definition {
    benchmark: Benchmark::XNegotiationToM,
    card: card!("xnegotiationtom"),
    choices: &[],
    is_at: |data| xtom::are_at(data, "Xnegtom"),
    load: load_translated,
};

/// NegotiationToM's only file.
const FILE: &str = "NegotiationToM.json";

/// Value in the file where nothing is asked.
const NO_QUESTION: &str = "None";

/// The slots of a desire or belief, in order.
const PRIORITIES: [&str; 3] = ["high", "medium", "low"];

/// A row of the file. The answers are read by their key, `agent1_desire_high` and so on.
#[derive(Debug, Clone, Deserialize)]
struct Round {
    dialogue_id: String,
    dialogue: Vec<String>,
    #[serde(flatten)]
    answers: HashMap<String, serde_json::Value>,
}

impl Round {
    /// The answer under a key; `None` for `"None"`, null, empty and absent values.
    fn answer(&self, key: &str) -> Option<&str> {
        self.answers.get(key)?.as_str().map(str::trim).filter(|text| !text.is_empty() && *text != NO_QUESTION)
    }

    /// Name of agent `number` (1 or 2) in the dialogue: the speaker whose name ends in that number.
    fn speaker(&self, number: usize) -> Option<&str> {
        self.dialogue.iter().find_map(|turn| speaker_of(turn).filter(|name| number_of(name) == Some(number)))
    }
}

/// The text before a turn's first colon.
fn speaker_of(turn: &str) -> Option<&str> {
    turn.split_once([':', '：']).map(|(name, _)| name.trim())
}

fn number_of(name: &str) -> Option<usize> {
    name.chars().rev().find_map(|character| character.to_digit(10)).map(|digit| digit as usize)
}

/// Load `NegotiationToM.json`.
pub(super) fn load(data: &Path, options: &LoadOptions) -> Result<Loaded, LoadError> {
    let benchmark = &NEGOTIATIONTOM;
    let path = folder::own_folder(benchmark, data, &["negotiationtom"], &[FILE])?.join(FILE);
    let mut loaded = Loaded::default();
    if options.wants(Language::En) {
        let reader = Reader { benchmark, language: Language::En, english: &HashMap::new(), path: &path };
        reader.read(&mut Ids::default(), &mut loaded)?;
    }
    Ok(loaded)
}

/// Load XToM's five files `Xnegtom_<language>.json`. A label unknown in a translation is taken from the English row of
/// the same dialogue and flagged `label-from-english`.
pub(super) fn load_translated(data: &Path, options: &LoadOptions) -> Result<Loaded, LoadError> {
    let benchmark = &XNEGOTIATIONTOM;
    let mut loaded = Loaded::default();
    let mut english: HashMap<String, Round> = HashMap::new();
    let mut ids = Ids::default();
    for (language, path) in xtom::files(benchmark, "Xnegtom", data, options)? {
        if language == Language::En {
            let rows = files::json_rows::<Round>(&path)?.into_iter().filter_map(|(_, round)| round.ok());
            for round in rows {
                english.entry(round.dialogue_id.clone()).or_insert(round);
            }
        }
        if options.wants(language) {
            Reader { benchmark, language, english: &english, path: &path }.read(&mut ids, &mut loaded)?;
        }
    }
    Ok(loaded)
}

/// Reads one file.
struct Reader<'a> {
    benchmark: &'static Definition,
    language: Language,
    /// Rounds of the English file by dialogue id, to fill gaps of a translation.
    english: &'a HashMap<String, Round>,
    path: &'a Path,
}

/// A question asked in a round.
#[derive(Debug, Clone, Copy)]
enum Asked {
    /// Priorities of agent 1 or 2: its own (`desire`) or those it ascribes to the other (`belief`).
    Priorities { agent: usize, dimension: &'static str },
    /// Intentions of the first or second new turn.
    Intentions { utterance: usize },
}

/// A field of the row, and its problem.
type FieldProblem = (String, String);

impl Reader<'_> {
    fn read(&self, ids: &mut Ids, loaded: &mut Loaded) -> Result<(), LoadError> {
        for (row, round) in files::json_rows::<Round>(self.path)? {
            let round = match round {
                Ok(round) => round,
                Err(problem) => {
                    loaded.problems.push(problem);
                    continue;
                }
            };
            for asked in questions() {
                match self.item(&round, asked) {
                    Ok(None) => {}
                    Ok(Some(item)) => loaded.add(item, ids, self.path, Some(row)),
                    Err((field, message)) => loaded.problems.push(RowProblem {
                        file: self.path.to_path_buf(),
                        row: Some(row),
                        field: Some(field),
                        message,
                    }),
                }
            }
        }
        Ok(())
    }

    /// Returns `None` where the round does not ask this.
    fn item(&self, round: &Round, asked: Asked) -> Result<Option<Item>, FieldProblem> {
        match asked {
            Asked::Priorities { agent, dimension } => self.priorities(round, agent, dimension),
            Asked::Intentions { utterance } => self.intentions(round, utterance),
        }
    }

    fn priorities(&self, round: &Round, agent: usize, dimension: &str) -> Result<Option<Item>, FieldProblem> {
        let keys = PRIORITIES.map(|priority| format!("agent{agent}_{dimension}_{priority}"));
        if keys.iter().all(|key| round.answer(key).is_none()) {
            return Ok(None);
        }
        let mut flags = Vec::new();
        let mut slots = Vec::new();
        for key in &keys {
            slots.push(OptionIx(self.label(round, key, round.answer(key), &ITEMS, &mut flags)?));
        }
        let other = 3 - agent;
        let name = |number: usize| round.speaker(number).map_or_else(|| format!("agent_{number}"), str::to_string);
        let words = Words::from_language(self.language);
        let question = if dimension == "belief" { words.belief } else { words.desire };
        let mut item = self.blank(round, &format!("agent{agent}"), dimension, flags);
        item.question = question.replace("{agent}", &name(agent)).replace("{other}", &name(other));
        item.options = words.items.map(str::to_string).to_vec();
        item.gold = Answer::Slots(slots);
        item.fields = fields(&name(agent), &name(other), agent);
        Ok(Some(item))
    }

    fn intentions(&self, round: &Round, utterance: usize) -> Result<Option<Item>, FieldProblem> {
        let key = format!("utterance{utterance}_intent");
        let Some(given) = round.answer(&key) else { return Ok(None) };
        let mut flags = Vec::new();
        let mut labels = BTreeSet::new();
        for label in given.split([',', '，', '、']).map(str::trim).filter(|label| !label.is_empty()) {
            labels.insert(OptionIx(self.label(round, &key, Some(label), &INTENTIONS, &mut flags)?));
        }
        let turn = self.turn(round, utterance).ok_or_else(|| {
            (key.clone(), format!("dialogue {} has too few turns for utterance {utterance}", round.dialogue_id))
        })?;
        let (speaker, text) =
            turn.split_once([':', '：']).map_or(("", turn), |(name, text)| (name.trim(), text.trim()));
        if let Some(named) = round.answer(&format!("utterance{utterance}_agent"))
            && number_of(named) != number_of(speaker)
        {
            flags.push(Flag {
                name: "speaker-mismatch".into(),
                detail: format!("the row names `{named}` as speaker, the turn begins with `{speaker}`, which is shown"),
            });
        }
        let words = Words::from_language(self.language);
        let mut item = self.blank(round, &format!("utterance{utterance}"), "intention", flags);
        item.question = words.intention.replace("{agent}", speaker).replace("{utterance}", text);
        item.options = words.intentions.map(str::to_string).to_vec();
        item.gold = Answer::Labels(labels);
        let number = number_of(speaker).unwrap_or(1);
        item.fields = fields(speaker, round.speaker(3 - number.min(2)).unwrap_or_default(), number);
        item.fields.insert("utterance".into(), text.into());
        Ok(Some(item))
    }

    /// The turn of the round's first or second utterance: the last two turns, or the last one where only one is new.
    fn turn<'r>(&self, round: &'r Round, utterance: usize) -> Option<&'r str> {
        let new = if round.answer("utterance2_intent").is_some() { 2 } else { 1 };
        let index = (round.dialogue.len() + utterance).checked_sub(new + 1)?;
        round.dialogue.get(index).map(String::as_str)
    }

    /// Number of a label among the known spellings, from the English row where the translation's is unknown.
    fn label(
        &self,
        round: &Round,
        key: &str,
        given: Option<&str>,
        spellings: &[&[&str]],
        flags: &mut Vec<Flag>,
    ) -> Result<usize, FieldProblem> {
        if let Some(label) = given.and_then(|given| words::find(given, spellings)) {
            return Ok(label);
        }
        let shown = given.unwrap_or(NO_QUESTION);
        let english = self.english.get(&round.dialogue_id).and_then(|round| round.answer(key));
        match english.and_then(|english| words::find(english, spellings)) {
            Some(label) if self.language != Language::En => {
                flags.push(Flag {
                    name: "label-from-english".into(),
                    detail: format!("`{shown}` under {key} is not a known label; the English row's is used"),
                });
                Ok(label)
            }
            _ => {
                let known: Vec<&str> = spellings.iter().map(|spellings| spellings[0]).collect();
                Err((key.to_string(), format!("`{shown}` is not a known label; known are {}", known.join(", "))))
            }
        }
    }

    fn blank(&self, round: &Round, asked: &str, dimension: &str, flags: Vec<Flag>) -> Item {
        let (benchmark, id) = (self.benchmark.benchmark, round.dialogue_id.as_str());
        let (dialogue, number) = id.rsplit_once('-').unwrap_or((id, "0"));
        let parallel = format!("{benchmark}/{id}/{asked}/{dimension}");
        let of_language = |text: &str| match self.benchmark.benchmark == Benchmark::XNegotiationToM {
            true => format!("{text}/{}", self.language),
            false => text.to_string(),
        };
        let facets = [("subset", "negotiation"), ("dimension", dimension), ("asked", asked), ("round", number)];
        Item {
            id: of_language(&parallel),
            benchmark,
            language: self.language,
            story: of_language(&format!("{benchmark}/{dialogue}")),
            parallel,
            context: vec![Segment { kind: SegmentKind::Dialogue, text: round.dialogue.join("\n").into() }],
            question: String::new(),
            options: Vec::new(),
            gold: Answer::Slots(Vec::new()),
            facets: Facets::from_iter(facets.map(|(facet, value)| (facet.to_string(), value.to_string()))),
            fields: IndexMap::new(),
            flags,
        }
    }
}

fn questions() -> impl Iterator<Item = Asked> {
    let priorities = [1, 2]
        .into_iter()
        .flat_map(|agent| ["desire", "belief"].map(|dimension| Asked::Priorities { agent, dimension }));
    priorities.chain([1, 2].map(|utterance| Asked::Intentions { utterance }))
}

fn fields(agent: &str, other: &str, number: usize) -> IndexMap<String, String> {
    let values = [
        ("agent", agent.to_string()),
        ("other", other.to_string()),
        ("agent_number", number.to_string()),
        ("other_number", (3 - number.clamp(1, 2)).to_string()),
    ];
    values.map(|(name, value)| (name.to_string(), value)).into_iter().collect()
}
