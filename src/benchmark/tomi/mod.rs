//! ToMi (Le et al. 2019) from text and trace files, and XToM's translated part of it (Chan et al. 2025) from JSON.
//!
//! A question has exactly two options: the containers its story names. Facets of both: `subset` = `tomi`, `dimension`
//! (`belief`, `reality`, `memory`), `order` (1, 2) and `tom` (`tom`, `no-tom`) of belief questions,
//! `question_type` as released, and for the English files `story_type` and `split`.
//!
//! Choices: `split` = `test` (default), `val`, `train`, `all`; `questions` = `paper` (what XToM asks: reality and the
//! belief questions of type `_tom`) or `all`. The English files default to `all`, XToM's to `paper`.
//!
//! Some released second-order answers differ from those by sight: these items are flagged `label-against-rules`, have
//! the facet `rules` = `differ` (else `agree`), and `--labels repaired` gives them the answer and type by sight.

mod audit;
mod sight;

use std::collections::HashMap;
use std::path::Path;

use indexmap::IndexMap;
use serde::Deserialize;

use super::definition::{Definition, card};
use super::files::{self, Key};
use super::unique::Ids;
use super::{
    Answer, Benchmark, Facets, Flag, Item, LabelSet, LoadError, LoadOptions, Loaded, OptionIx, RowProblem, Segment,
    SegmentKind, folder, xtom,
};
use crate::language::Language;
use crate::story::tomi::{self as story, MadeStory};

pub use audit::{Audit, audit};
pub(super) use sight::read;

pub(super) static TOMI: Definition = Definition {
    benchmark: Benchmark::ToMi,
    card: card!("tomi"),
    choices: &["split", "questions"],
    is_at: |data| folder::holds(data, &["tomi"], &["fb_all_test.txt", "fb_all_val.txt", "fb_all_train.txt"]),
    load,
};
pub(super) static XTOMI: Definition = Definition {
    benchmark: Benchmark::XToMi,
    card: card!("xtomi"),
    choices: &["questions"],
    is_at: |data| xtom::are_at(data, "XToMi"),
    load: load_translated,
};

/// Questions that share one story in the English files.
const QUESTIONS_PER_STORY: usize = 6;

/// Load the English text and trace files `fb_all_<split>.txt` and `.trace`.
pub(super) fn load(data: &Path, options: &LoadOptions) -> Result<Loaded, LoadError> {
    let splits: &[&str] = match files::choose(options, &TOMI, "split", &["test", "val", "train", "all"])? {
        "val" => &["val"],
        "train" => &["train"],
        "all" => &["train", "val", "test"],
        _ => &["test"],
    };
    let selection = Selection::from_name(files::choose(options, &TOMI, "questions", &["all", "paper"])?);
    let mut loaded = Loaded::default();
    if options.wants(Language::En) {
        for split in splits {
            load_split(data, split, selection, options.labels, &mut loaded)?;
        }
    }
    Ok(loaded)
}

/// The questions of generated stories, as they would load from their text and trace files.
pub fn items(stories: &[MadeStory]) -> Vec<Item> {
    let (text, trace) = (story::text(stories), story::trace(stories));
    let questions = blocks(&text).into_iter().zip(trace.lines()).enumerate();
    let item = |(number, (block, trace)): (usize, (Vec<Line<'_>>, &str))| {
        parse_block(&block, trace).ok().map(|question| question.into_item("made", number))
    };
    questions.filter_map(item).collect()
}

/// The selected question types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Selection {
    All,
    Paper,
}

impl Selection {
    fn from_name(name: &str) -> Self {
        if name == "paper" { Selection::Paper } else { Selection::All }
    }

    fn takes(self, question_type: &str) -> bool {
        self == Selection::All
            || question_type == "reality"
            || (question_type.ends_with("_tom") && !question_type.ends_with("_no_tom"))
    }
}

fn load_split(
    data: &Path,
    split: &str,
    selection: Selection,
    labels: LabelSet,
    loaded: &mut Loaded,
) -> Result<(), LoadError> {
    let (text_name, trace_name) = (format!("fb_all_{split}.txt"), format!("fb_all_{split}.trace"));
    let own = folder::own_folder(&TOMI, data, &["tomi"], &[&text_name])?;
    let (text_path, trace_path) = (own.join(text_name), own.join(trace_name));
    if !folder::is_there(&trace_path)? {
        return Err(folder::absent(&TOMI, trace_path));
    }
    let (text, trace) = (files::read_text(&text_path)?, files::read_text(&trace_path)?);
    let blocks = blocks(&text);
    let traces: Vec<&str> = trace.lines().filter(|line| !line.trim().is_empty()).collect();
    if blocks.len() != traces.len() {
        return Err(LoadError::Malformed {
            path: trace_path,
            message: format!(
                "{} traces for {} questions of {}; both files of one release are needed",
                traces.len(),
                blocks.len(),
                text_path.display()
            ),
        });
    }
    for (number, (block, trace)) in blocks.iter().zip(traces).enumerate() {
        match parse_block(block, trace).map(|question| question.under(labels)) {
            Ok(question) if !selection.takes(&question.question_type) => {}
            Ok(question) => loaded.items.push(question.into_item(split, number)),
            Err((row, message)) => {
                loaded.problems.push(RowProblem { file: text_path.clone(), row: Some(row), field: None, message });
            }
        }
    }
    Ok(())
}

/// A line of the text file: its number in the file from 1, and its words after the running number.
type Line<'a> = (usize, &'a str);

/// Splits the text at every line numbered 1.
fn blocks(text: &str) -> Vec<Vec<Line<'_>>> {
    let mut blocks: Vec<Vec<Line<'_>>> = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let (number, words) = line.split_once(' ').unwrap_or((line, ""));
        match blocks.last_mut() {
            Some(block) if number != "1" => block.push((index + 1, words)),
            _ => blocks.push(vec![(index + 1, words)]),
        }
    }
    blocks
}

/// One question of the English files.
struct Question<'a> {
    story: Vec<&'a str>,
    question: &'a str,
    containers: Vec<&'a str>,
    gold: usize,
    /// The option by sight, where story and question are understood.
    by_sight: Option<usize>,
    question_type: String,
    story_type: &'a str,
    flags: Vec<Flag>,
}

fn parse_block<'a>(block: &[Line<'a>], trace: &'a str) -> Result<Question<'a>, (usize, String)> {
    let Some((&(row, last), story)) = block.split_last() else {
        return Err((0, "an empty question".to_string()));
    };
    let mut columns = last.split('\t').map(str::trim);
    let (Some(question), Some(answer)) = (columns.next(), columns.next()) else {
        return Err((row, "the last line of a question must be text, tab, answer".to_string()));
    };
    let mut tail = trace.trim().rsplitn(3, ',');
    let (Some(story_type), Some(question_type)) = (tail.next(), tail.next()) else {
        return Err((row, format!("the trace `{trace}` must end in question type and story type")));
    };
    let story: Vec<&str> = story.iter().map(|&(_, words)| words).collect();
    let containers = containers(&story);
    if containers.len() != 2 {
        return Err((row, format!("expected two containers, the story names {}: {containers:?}", containers.len())));
    }
    let gold = containers
        .iter()
        .position(|&container| container == answer)
        .ok_or_else(|| (row, format!("the answer `{answer}` is neither container of the story: {containers:?}")))?;
    let by_sight = sight::answers(&story, question, question_type)
        .and_then(|answers| containers.iter().position(|&container| container == answers.sight));
    let differs = by_sight.filter(|&option| option != gold);
    let flag = differs.map(|option| Flag {
        name: "label-against-rules".into(),
        detail: format!("released answer {answer}, by sight {}", containers[option]),
    });
    let (question_type, flags) = (question_type.to_string(), flag.into_iter().collect());
    Ok(Question { story, question, containers, gold, by_sight, question_type, story_type, flags })
}

/// Containers in order of first mention: `The O is in the C.` and `X moved the O to the C.`
fn containers<'a>(story: &[&'a str]) -> Vec<&'a str> {
    let mut found = Vec::new();
    for line in story.iter().filter_map(|line| line.strip_suffix('.')) {
        let place = match line.split_once(" moved the ") {
            Some((_, rest)) => rest.split_once(" to the "),
            None => line.strip_prefix("The ").and_then(|rest| rest.split_once(" is in the ")),
        };
        if let Some((_, container)) = place
            && !found.contains(&container)
        {
            found.push(container);
        }
    }
    found
}

impl Question<'_> {
    /// The question with the answer and the type of these labels: of two containers, one is where the object really is.
    fn under(mut self, labels: LabelSet) -> Self {
        if let (LabelSet::Repaired, Some(right)) = (labels, self.by_sight.filter(|&option| option != self.gold)) {
            self.gold = right;
            self.question_type = match self.question_type.strip_suffix("_no_tom") {
                Some(start) => format!("{start}_tom"),
                None => self.question_type.replace("_tom", "_no_tom"),
            };
        }
        self
    }

    fn into_item(self, split: &str, number: usize) -> Item {
        let id = format!("tomi/{split}/{number}");
        let mut facets = facets(&self.question_type);
        if self.by_sight.is_some() {
            facets.insert("rules".into(), if self.flags.is_empty() { "agree" } else { "differ" }.into());
        }
        facets.insert("story_type".into(), self.story_type.into());
        facets.insert("split".into(), split.into());
        Item {
            parallel: id.clone(),
            id,
            benchmark: Benchmark::ToMi,
            language: Language::En,
            story: format!("tomi/{split}/story-{}", number / QUESTIONS_PER_STORY),
            context: vec![Segment { kind: SegmentKind::Story, text: self.story.join("\n").into() }],
            question: self.question.into(),
            options: self.containers.into_iter().map(str::to_string).collect(),
            gold: Answer::Single(OptionIx(self.gold)),
            facets,
            fields: IndexMap::new(),
            flags: self.flags,
        }
    }
}

fn facets(question_type: &str) -> Facets {
    let mut facets = Facets::from([("subset".to_string(), "tomi".to_string())]);
    let orders = [("first_order", "1"), ("second_order", "2")];
    let order = orders.into_iter().find(|(start, _)| question_type.starts_with(start)).map(|(_, order)| order);
    facets.insert("dimension".into(), order.map_or(question_type, |_| "belief").into());
    if let Some(order) = order {
        facets.insert("order".into(), order.into());
        facets.insert("tom".into(), if question_type.ends_with("_no_tom") { "no-tom" } else { "tom" }.into());
    }
    facets.insert("question_type".into(), question_type.into());
    facets
}

/// A story of XToM's ToMi files.
#[derive(Debug, Deserialize)]
struct XStory {
    id: Key,
    story: String,
    question_types: IndexMap<String, XQuestion>,
}

#[derive(Debug, Deserialize)]
struct XQuestion {
    question: String,
    answer: String,
    containers: Vec<String>,
}

impl XQuestion {
    /// The container that equals the answer.
    fn gold(&self) -> Option<usize> {
        self.containers.iter().position(|container| container.trim() == self.answer.trim())
    }
}

/// Load XToM's five files `XToMi_<language>.json`. An answer that equals neither container takes the position of the
/// English answer and is flagged `answer-not-a-container`.
pub(super) fn load_translated(data: &Path, options: &LoadOptions) -> Result<Loaded, LoadError> {
    let selection = Selection::from_name(files::choose(options, &XTOMI, "questions", &["paper", "all"])?);
    let mut loaded = Loaded::default();
    let mut english = HashMap::new();
    let mut ids = Ids::default();
    for (language, path) in xtom::files(&XTOMI, "XToMi", data, options)? {
        for (row, story) in files::json_rows::<XStory>(&path)? {
            let story = match story {
                Ok(story) => story,
                Err(problem) => {
                    loaded.problems.push(problem);
                    continue;
                }
            };
            let types = story.question_types.iter().filter(|(question_type, _)| selection.takes(question_type));
            for (question_type, question) in types {
                let parallel = format!("xtomi/{}/{question_type}/0", story.id);
                if language == Language::En
                    && let Some(gold) = question.gold()
                {
                    english.entry(parallel.clone()).or_insert(gold);
                }
                if !options.wants(language) {
                    continue;
                }
                match translated_item(&story, question_type, question, language, &parallel, english.get(&parallel)) {
                    Ok(item) => loaded.add(item, &mut ids, &path, Some(row)),
                    Err((field, message)) => loaded.problems.push(RowProblem {
                        file: path.clone(),
                        row: Some(row),
                        field: Some(format!("question_types.{question_type}.{field}")),
                        message,
                    }),
                }
            }
        }
    }
    Ok(loaded)
}

fn translated_item(
    story: &XStory,
    question_type: &str,
    question: &XQuestion,
    language: Language,
    parallel: &str,
    english: Option<&usize>,
) -> Result<Item, (&'static str, String)> {
    if question.containers.len() != 2 {
        return Err(("containers", format!("expected two containers, found {}", question.containers.len())));
    }
    let mut flags = Vec::new();
    let gold = match (question.gold(), english) {
        (Some(gold), _) => gold,
        (None, Some(&gold)) => {
            flags.push(Flag {
                name: "answer-not-a-container".into(),
                detail: format!("`{}` is neither container; the English answer's position is used", question.answer),
            });
            gold
        }
        (None, None) => {
            let message =
                format!("`{}` is neither of {:?}, and no English row decides", question.answer, question.containers);
            return Err(("answer", message));
        }
    };
    Ok(Item {
        id: format!("{parallel}/{language}"),
        benchmark: Benchmark::XToMi,
        language,
        parallel: parallel.into(),
        story: format!("xtomi/{}/{language}", story.id),
        context: vec![Segment { kind: SegmentKind::Story, text: story.story.trim().into() }],
        question: question.question.trim().into(),
        options: question.containers.iter().map(|container| container.trim().to_string()).collect(),
        gold: Answer::Single(OptionIx(gold)),
        facets: facets(question_type),
        fields: IndexMap::new(),
        flags,
    })
}
