//! FANToM (Kim et al. 2023) from `fantom_v1.json`, and XToM's translated part of it (Chan et al. 2025).
//!
//! A conversation part with its questions is a *set*, the story of its items. Kinds, as in the ids:
//!
//! | kind | options | gold |
//! |---|---|---|
//! | `belief` | the right and the wrong belief | one |
//! | `fact` | the right and the wrong answer, where the file has a wrong one | one |
//! | `answerability-list`, `info-access-list` | every character, in order of first mention | the set of those who know |
//! | `answerability-binary`, `info-access-binary` | yes, no | one |
//!
//! The files name a right and a wrong answer instead of an order of options: which comes first is drawn from a hash of
//! the question's id, the same in every language. FANToM's paper has facts answered in free text; the file nevertheless
//! has wrong answers for them, some identical to the right one. Those items carry the flag `identical-answers` and the
//! facet `answers` = `identical`: their choice is meaningless.
//!
//! Facets: `subset` = `fantom`, `dimension` (`belief`, `fact`, `answerability`, `info-access`), `form` (`choice`,
//! `list`, `binary`), `order` (1, 2) and `cycle` (`acyclic`, `cyclic`) of beliefs, `accessibility`
//! (`inaccessible`, `accessible`; absent for facts), `question_type` as released, `context`, and for
//! beliefs `depends`: the id of the set's fact question where that is an item. A set contributes to the ALL score
//! through its items with `accessibility` = `inaccessible`. Lists and binaries without their own label take the set's:
//! inaccessible where any belief of the set is.
//!
//! Choices: `context` = `short` (default; binary questions answered `no:long` are dropped) or `full`; `questions` =
//! `paper` (XToM: facts and inaccessible beliefs) or `all`. FANToM defaults to `all`, XToM's part to `paper`.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use indexmap::IndexMap;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::choices::duplicate_options;
use super::definition::{Definition, card};
use super::files::{self, Key};
use super::unique::Ids;
use super::{
    Answer, Benchmark, Facets, Flag, Item, LoadError, LoadOptions, Loaded, OptionIx, RowProblem, Segment, SegmentKind,
    folder, xtom,
};
use crate::language::Language;

pub(super) static FANTOM: Definition = Definition {
    benchmark: Benchmark::FanToM,
    card: card!("fantom"),
    choices: &["context", "questions"],
    is_at: |data| folder::holds(data, &["fantom"], &[FILE]),
    load,
};
pub(super) static XFANTOM: Definition = Definition {
    benchmark: Benchmark::XFanToM,
    card: card!("xfantom"),
    choices: &["context", "questions"],
    is_at: |data| xtom::are_at(data, "Xfantom"),
    load: load_translated,
};

/// FANToM's only file.
const FILE: &str = "fantom_v1.json";

/// A row of the file: a conversation part with its questions.
#[derive(Debug, Deserialize)]
struct Set {
    set_id: Key,
    short_context: Option<String>,
    full_context: Option<String>,
    #[serde(rename = "factQA")]
    fact: Option<Question>,
    #[serde(rename = "beliefQAs", default)]
    beliefs: Vec<Question>,
    #[serde(rename = "answerabilityQA_list")]
    answerability_list: Option<ListQuestion>,
    #[serde(rename = "infoAccessibilityQA_list")]
    info_access_list: Option<ListQuestion>,
    #[serde(rename = "answerabilityQAs_binary", default)]
    answerability_binary: Vec<Question>,
    #[serde(rename = "infoAccessibilityQAs_binary", default)]
    info_access_binary: Vec<Question>,
}

/// A question with one right answer.
#[derive(Debug, Deserialize)]
struct Question {
    question: String,
    correct_answer: String,
    wrong_answer: Option<String>,
    #[serde(default)]
    question_type: String,
    tom_type: Option<String>,
    missed_info_accessibility: Option<String>,
}

/// A question that asks which characters know.
#[derive(Debug, Deserialize)]
struct ListQuestion {
    question: String,
    correct_answer: Vec<String>,
    wrong_answer: Vec<String>,
    #[serde(default)]
    question_type: String,
    missed_info_accessibility: Option<String>,
}

/// Load `fantom_v1.json`.
pub(super) fn load(data: &Path, options: &LoadOptions) -> Result<Loaded, LoadError> {
    let benchmark = &FANTOM;
    let path = folder::own_folder(benchmark, data, &["fantom"], &[FILE])?.join(FILE);
    let choices = Choices {
        full: files::choose(options, benchmark, "context", &["short", "full"])? == "full",
        paper_only: files::choose(options, benchmark, "questions", &["all", "paper"])? == "paper",
    };
    let mut loaded = Loaded::default();
    if options.wants(Language::En) {
        load_file(benchmark, &path, Language::En, choices, &mut Ids::default(), &mut loaded)?;
    }
    Ok(loaded)
}

/// Load XToM's five files `Xfantom_<language>.json`.
pub(super) fn load_translated(data: &Path, options: &LoadOptions) -> Result<Loaded, LoadError> {
    let benchmark = &XFANTOM;
    let choices = Choices {
        full: files::choose(options, benchmark, "context", &["short", "full"])? == "full",
        paper_only: files::choose(options, benchmark, "questions", &["paper", "all"])? == "paper",
    };
    let mut loaded = Loaded::default();
    let mut ids = Ids::default();
    for (language, path) in xtom::files(benchmark, "Xfantom", data, options)? {
        if options.wants(language) {
            load_file(benchmark, &path, language, choices, &mut ids, &mut loaded)?;
        }
    }
    Ok(loaded)
}

#[derive(Debug, Clone, Copy)]
struct Choices {
    full: bool,
    paper_only: bool,
}

fn load_file(
    benchmark: &'static Definition,
    path: &Path,
    language: Language,
    choices: Choices,
    ids: &mut Ids,
    loaded: &mut Loaded,
) -> Result<(), LoadError> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for (row, set) in files::json_rows::<Set>(path)? {
        let problem = |field: &str, message: String| RowProblem {
            file: path.to_path_buf(),
            row: Some(row),
            field: Some(field.to_string()),
            message,
        };
        let set = match set {
            Ok(set) => set,
            Err(problem) => {
                loaded.problems.push(problem);
                continue;
            }
        };
        let (key, context) =
            if choices.full { ("full_context", &set.full_context) } else { ("short_context", &set.short_context) };
        let Some(context) = context.as_deref().map(str::trim).filter(|context| !context.is_empty()) else {
            loaded.problems.push(problem(key, format!("set {} has no {key}; choose the other context", set.set_id)));
            continue;
        };
        let times = seen.entry(set.set_id.to_string()).and_modify(|times| *times += 1).or_insert(1);
        let maker = ItemMaker::new(benchmark, &set, language, choices, context, *times);
        for made in maker.items(&set) {
            match made {
                Ok(item) => loaded.add(item, ids, path, Some(row)),
                Err((field, message)) => loaded.problems.push(problem(field, message)),
            }
        }
    }
    Ok(())
}

/// Data shared by all items of one set.
struct ItemMaker<'a> {
    benchmark: &'static Definition,
    language: Language,
    choices: Choices,
    context: &'a str,
    /// Set id, made unique where the file repeats it.
    set_id: String,
    set_accessibility: &'static str,
    /// Whether the set's fact question is a choice, and so an item.
    has_fact: bool,
    flags: Vec<Flag>,
}

type Made = Result<Item, (&'static str, String)>;

impl<'a> ItemMaker<'a> {
    fn new(
        benchmark: &'static Definition,
        set: &Set,
        language: Language,
        choices: Choices,
        context: &'a str,
        times: usize,
    ) -> Self {
        let mut set_id = set.set_id.to_string();
        let mut flags = Vec::new();
        if times > 1 {
            flags.push(Flag {
                name: "duplicate-set".into(),
                detail: format!("set {set_id} occurs {times} times in the file; this one is numbered #{times}"),
            });
            set_id = format!("{set_id}#{times}");
        }
        let inaccessible =
            set.beliefs.iter().any(|belief| accessibility(&belief.question_type) == Some("inaccessible"));
        let set_accessibility = if inaccessible { "inaccessible" } else { "accessible" };
        let has_fact = set.fact.as_ref().is_some_and(|fact| fact.wrong_answer.is_some());
        ItemMaker { benchmark, language, choices, context, set_id, set_accessibility, has_fact, flags }
    }

    fn items(&self, set: &Set) -> Vec<Made> {
        let mut made = Vec::new();
        if let Some(fact) = set.fact.as_ref().filter(|fact| fact.wrong_answer.is_some()) {
            made.push(self.choice("factQA", "fact", 0, fact));
        }
        for (number, belief) in set.beliefs.iter().enumerate() {
            if !self.choices.paper_only || accessibility(&belief.question_type) == Some("inaccessible") {
                made.push(self.choice("beliefQAs", "belief", number, belief));
            }
        }
        if self.choices.paper_only {
            return made;
        }
        let fact = set.fact.as_ref();
        let asked = fact.map(|fact| format!("{}: {}", target_word(self.language).0, fact.question.trim()));
        let rendered = fact.map(|fact| {
            format!("{}: {} {}", target_word(self.language).1, fact.question.trim(), fact.correct_answer.trim())
        });
        made.extend(set.answerability_list.iter().map(|list| self.list("answerability", list, &asked)));
        made.extend(set.info_access_list.iter().map(|list| self.list("info-access", list, &rendered)));
        let binaries = [
            ("answerabilityQAs_binary", "answerability", &set.answerability_binary, &asked),
            ("infoAccessibilityQAs_binary", "info-access", &set.info_access_binary, &rendered),
        ];
        for (field, dimension, questions, target) in binaries {
            for (number, question) in questions.iter().enumerate() {
                made.extend(self.binary(field, dimension, number, question, target));
            }
        }
        made
    }

    fn choice(&self, field: &'static str, kind: &str, number: usize, question: &Question) -> Made {
        let mut item = self.item(kind, number, &question.question, &question.question_type);
        let right = question.correct_answer.trim().to_string();
        let Some(wrong) = question.wrong_answer.as_deref().map(|wrong| wrong.trim().to_string()) else {
            return Err((
                field,
                format!("question {number} has no `wrong_answer`, so there is nothing to choose from"),
            ));
        };
        let right_first = Sha256::digest(item.parallel.as_bytes())[0].is_multiple_of(2);
        item.options = if right_first { vec![right, wrong] } else { vec![wrong, right] };
        item.gold = Answer::Single(OptionIx(usize::from(!right_first)));
        let same = duplicate_options(&item.options);
        if kind == "fact" && same.is_some() {
            item.facets.insert("answers".into(), "identical".into());
            let detail = "the right and the wrong answer have the same text, so the choice is meaningless";
            item.flags.push(Flag { name: "identical-answers".into(), detail: detail.to_string() });
        } else {
            item.flags.extend(same);
        }
        item.facets.insert("dimension".into(), kind.into());
        item.facets.insert("form".into(), "choice".into());
        if let Some((order, cycle)) = question.tom_type.as_deref().and_then(order_and_cycle) {
            item.facets.insert("order".into(), order.into());
            item.facets.extend(cycle.map(|cycle| ("cycle".to_string(), cycle.to_string())));
        }
        if let Some(accessibility) = accessibility(&question.question_type) {
            item.facets.insert("accessibility".into(), accessibility.into());
        }
        if kind == "belief" && self.has_fact {
            let fact = format!("{}/{}/fact/0/{}", self.benchmark, self.set_id, self.language);
            item.facets.insert("depends".into(), fact);
        }
        Ok(item)
    }

    fn list(&self, dimension: &str, list: &ListQuestion, target: &Option<String>) -> Made {
        let mut item = self.item(&format!("{dimension}-list"), 0, &list.question, &list.question_type);
        let knows: BTreeSet<&str> = list.correct_answer.iter().map(|name| name.trim()).collect();
        let mut names: BTreeSet<&str> = list.wrong_answer.iter().map(|name| name.trim()).collect();
        if !names.is_disjoint(&knows) {
            let detail = "a name is listed as knowing and as not knowing; it counts as knowing".to_string();
            item.flags.push(Flag { name: "name-on-both-lists".into(), detail });
        }
        names.extend(&knows);
        let mut names: Vec<&str> = names.into_iter().collect();
        names.sort_by_key(|name| self.context.find(name).unwrap_or(usize::MAX));
        item.gold = Answer::Labels((0..names.len()).filter(|&at| knows.contains(names[at])).map(OptionIx).collect());
        item.options = names.into_iter().map(str::to_string).collect();
        if item.options.is_empty() {
            let field = if dimension == "answerability" { "answerabilityQA_list" } else { "infoAccessibilityQA_list" };
            return Err((field, "no names are given, neither right nor wrong".to_string()));
        }
        self.about_knowledge(&mut item, dimension, "list", list.missed_info_accessibility.as_deref(), target);
        Ok(item)
    }

    /// Returns `None` where the question does not apply to the chosen context.
    fn binary(
        &self,
        field: &'static str,
        dimension: &str,
        number: usize,
        question: &Question,
        target: &Option<String>,
    ) -> Option<Made> {
        let (yes, no) = yes_no(self.language);
        let given = question.correct_answer.trim().to_lowercase();
        let gold = match given.as_str() {
            "no:long" if !self.choices.full => return None,
            "no" | "no:long" => 1,
            "yes" => 0,
            text if text == yes.to_lowercase() => 0,
            text if text == no.to_lowercase() => 1,
            _ => return Some(Err((field, format!("question {number}: `{given}` is not yes, no or no:long")))),
        };
        let mut item = self.item(&format!("{dimension}-binary"), number, &question.question, &question.question_type);
        item.options = vec![yes.to_string(), no.to_string()];
        item.gold = Answer::Single(OptionIx(gold));
        self.about_knowledge(&mut item, dimension, "binary", question.missed_info_accessibility.as_deref(), target);
        Some(Ok(item))
    }

    fn about_knowledge(
        &self,
        item: &mut Item,
        dimension: &str,
        form: &str,
        own_accessibility: Option<&str>,
        target: &Option<String>,
    ) {
        let accessibility = own_accessibility.unwrap_or(self.set_accessibility);
        for (facet, value) in [("dimension", dimension), ("form", form), ("accessibility", accessibility)] {
            item.facets.insert(facet.into(), value.into());
        }
        item.context
            .extend(target.iter().map(|text| Segment { kind: SegmentKind::Target, text: text.as_str().into() }));
    }

    fn item(&self, kind: &str, number: usize, question: &str, question_type: &str) -> Item {
        let (benchmark, set_id, language) = (self.benchmark.benchmark, &self.set_id, self.language);
        let parallel = format!("{benchmark}/{set_id}/{kind}/{number}");
        Item {
            id: format!("{parallel}/{language}"),
            benchmark,
            language,
            parallel,
            story: format!("{benchmark}/{set_id}/{language}"),
            context: vec![Segment { kind: SegmentKind::Dialogue, text: self.context.into() }],
            question: question.trim().into(),
            options: Vec::new(),
            gold: Answer::Single(OptionIx(0)),
            facets: Facets::from_iter(
                [
                    ("subset", "fantom"),
                    ("question_type", question_type),
                    ("context", if self.choices.full { "full" } else { "short" }),
                ]
                .map(|(facet, value)| (facet.to_string(), value.to_string())),
            ),
            fields: IndexMap::new(),
            flags: self.flags.clone(),
        }
    }
}

/// Maps `tom:belief:inaccessible` to `inaccessible`; `None` for fact questions.
fn accessibility(question_type: &str) -> Option<&'static str> {
    let last = question_type.rsplit(':').next()?;
    ["inaccessible", "accessible"].into_iter().find(|name| *name == last)
}

/// Maps `second-order:acyclic` to (`2`, `acyclic`).
fn order_and_cycle(tom_type: &str) -> Option<(&'static str, Option<&str>)> {
    let (order, cycle) = tom_type.split_once(':').map_or((tom_type, None), |(order, cycle)| (order, Some(cycle)));
    match order {
        "first-order" => Some(("1", cycle)),
        "second-order" => Some(("2", cycle)),
        _ => None,
    }
}

/// Words that introduce the question whose answerability is asked, and the information itself.
fn target_word(language: Language) -> (&'static str, &'static str) {
    match language {
        Language::Zh => ("目标问题", "信息"),
        Language::De => ("Zielfrage", "Information"),
        Language::Fr => ("Question visée", "Information"),
        Language::Ja => ("対象の質問", "情報"),
        _ => ("Target", "Information"),
    }
}

fn yes_no(language: Language) -> (&'static str, &'static str) {
    match language {
        Language::Zh => ("是", "否"),
        Language::De => ("ja", "nein"),
        Language::Fr => ("oui", "non"),
        Language::Ja => ("はい", "いいえ"),
        _ => ("yes", "no"),
    }
}
