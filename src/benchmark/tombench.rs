//! ToMBench (Chen et al. 2024): 20 JSON lines files, each row one question in English and in Chinese.
//!
//! Ids are `tombench/<file>/<row from 0>/<language>`; each language of a row is a separate item, because they can
//! differ in their number of options. Facets: `task` (the eight task files only, named as in the paper), `file`,
//! `dimension`, `ability` (the paper's 31), `label` (as [`super::ability`] describes: the data split one ability in
//! two, and the published means are over the split), `index` (number of the question within its story).
//!
//! Stories are numbered within each file by the INDEX column; for the two files in which INDEX is always 1 the card lists
//! the rows where stories begin.

use std::path::{Path, PathBuf};

use indexmap::IndexMap;

use super::definition::{Definition, card};
use super::folder::{absent, is_there, own_folder};
use super::inventory::{
    CHINESE, FILES, Head, PLAIN, Question, StoryCounter, changed_story, facets, read_head, read_question, renumber,
};
use super::rows::{self, DataRow};
use super::{
    Answer, Benchmark, Card, Flag, Item, LabelSet, LoadError, LoadOptions, Loaded, RepairAction, RowProblem, Segment,
    SegmentKind,
};
use crate::language::Language;

pub(super) static TOMBENCH: Definition = Definition {
    benchmark: Benchmark::ToMBench,
    card: card!("tombench"),
    choices: &[],
    is_at: |data| own(data).is_ok(),
    load,
};

/// Load the files that exist, all English items before all Chinese ones. A missing file is a problem; it is an error
/// when all are missing.
pub(super) fn load(data: &Path, options: &LoadOptions) -> Result<Loaded, LoadError> {
    let folder = own(data)?;
    let card = TOMBENCH.card();
    let mut loaded = Loaded::default();
    for (file, _) in FILES {
        let path = folder.join(format!("{file}.jsonl"));
        if !is_there(&path)? {
            let message = absent(&TOMBENCH, path.clone()).to_string();
            loaded.problems.push(RowProblem { file: path, row: None, field: None, message });
            continue;
        }
        let found = rows::read(&path)?;
        loaded.problems.extend(found.problems);
        read_file(&card, file, &found.rows, options.labels, &mut loaded);
    }
    loaded.items.retain(|item| options.wants(item.language));
    loaded.items.sort_by_key(|item| item.language);
    Ok(loaded)
}

fn own(data: &Path) -> Result<PathBuf, LoadError> {
    let names: Vec<String> = FILES.iter().map(|(file, _)| format!("{file}.jsonl")).collect();
    let marks: Vec<&str> = names.iter().map(String::as_str).collect();
    own_folder(&TOMBENCH, data, &["tombench"], &marks)
}

/// Both languages of all rows of one file, row by row.
fn read_file(card: &Card, file: &str, rows: &[DataRow], labels: LabelSet, loaded: &mut Loaded) {
    let mut stories = StoryCounter::new(card, file);
    let mut shown: IndexMap<Language, (usize, String)> = IndexMap::new();
    for row in rows {
        let mut head = match read_head(row) {
            Ok(head) => head,
            Err(problem) => {
                loaded.problems.push(problem);
                continue;
            }
        };
        renumber(&mut head, card, file, row.index, labels);
        let story = stories.next(row.index, head.index);
        let questions = [(Language::En, &PLAIN), (Language::Zh, &CHINESE)].map(|(language, keys)| {
            let question = read_question(row, keys).map_err(|problem| loaded.problems.push(problem)).ok();
            question.map(|question| (language, question))
        });
        let counts: Vec<usize> = questions.iter().flatten().map(|(_, question)| question.options.len()).collect();
        for (language, mut question) in questions.into_iter().flatten() {
            if counts.iter().any(|&count| count != question.options.len()) {
                let detail = format!("English and Chinese differ in their number of options: {counts:?}");
                question.flags.push(Flag { name: "option-count-differs".into(), detail });
            }
            let mut excluded = false;
            for repair in card.repairs_of(file, row.index + 1, language) {
                if repair.action == RepairAction::Exclude {
                    question.flags.push(Flag { name: repair.action.flag().into(), detail: repair.reason.clone() });
                    excluded = labels == LabelSet::Repaired;
                }
            }
            if let Some((before, text)) = shown.insert(language, (story, question.story.clone()))
                && before == story
                && text != question.story
            {
                question.flags.push(changed_story());
            }
            if !excluded {
                loaded.items.push(item(file, row.index, story, language, &head, question));
            }
        }
    }
}

fn item(file: &str, row: usize, story: usize, language: Language, head: &Head, question: Question) -> Item {
    let parallel = format!("tombench/{file}/{row}");
    Item {
        id: format!("{parallel}/{language}"),
        benchmark: Benchmark::ToMBench,
        language,
        parallel,
        story: format!("tombench/{file}/s{story}/{language}"),
        context: vec![Segment { kind: SegmentKind::Story, text: question.story.into() }],
        question: question.question,
        options: question.options,
        gold: Answer::Single(question.gold),
        facets: facets(file, head),
        fields: IndexMap::new(),
        flags: [question.flags, head.flags.clone()].concat(),
    }
}
