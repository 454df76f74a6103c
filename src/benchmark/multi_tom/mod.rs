//! Multi-ToM (Sadhu et al. 2024): 502 ToMBench questions in seven languages, translated (`direct`) and adapted to a
//! culture (`cultural`).
//!
//! Ids are `multi-tom/<INDEX>/<language>/<direct|cultural>`, INDEX from 0 over the twenty files in alphabetical order.
//! Facets: those of [`super::tombench`] and `variant`. Read from the benchmark's folder:
//!
//! - `RawData/*.jsonl`: the released base set, English and Chinese, direct;
//! - `RefinedData/data.csv` or `data_2.csv`: the same in English only, read where `RawData` is absent or the choice
//!   `base` = `csv` is made (`base` = `jsonl` is the default);
//! - any other folder of `.jsonl` files with the base set's file names, and any other `.csv` file, whose name or folder
//!   names the language (English name or ISO code, as in `ToMFiltration-russian` or `hindi_data_destructured.csv`). It is
//!   cultural where the path says `cultur..` or `ToMFiltration`, else direct.
//!
//! Rows have ToMBench's keys or plain ones. A CSV row is matched to the base set by its INDEX and takes from there what
//! it does not repeat (ABILITY, DATA_INDEX, ANSWER); rows of JSON lines are matched by file and position.
//! The choice `variant` = `direct`, `cultural` or `both` (default) selects.
//!
//! Only the base set is public. The other shapes follow the scripts of the authors' working repository.

mod source;

use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::definition::{Definition, card};
use super::folder::{holds, own_folder};
use super::inventory::{
    CHINESE, Head, PLAIN, Question, StoryCounter, TextKeys, changed_story, facets, read_head, read_question, renumber,
};
use super::rows::{self, DataRow};
use super::unique::Ids;
use super::{
    Answer, Benchmark, Card, Flag, Item, LabelSet, LoadError, LoadOptions, Loaded, RowProblem, Segment, SegmentKind,
};
use crate::language::Language;
use source::{Shape, Source, Variant};

pub(super) static MULTI_TOM: Definition =
    Definition { benchmark: Benchmark::MultiToM, card: card!("multi-tom"), choices: &["variant", "base"], is_at, load };

/// Names of the benchmark's own folder, and the folders of its base set.
const NAMES: [&str; 3] = ["multi-tom", "Multi-ToM", "Data"];
const MARKS: [&str; 2] = ["RawData", "RefinedData"];

/// The files in alphabetical order with their number of rows: INDEX counts through them.
const FILES: [(&str, usize); 20] = [
    ("Ambiguous Story Task", 36),
    ("Completion of Failed Actions", 3),
    ("Discrepant Desires", 3),
    ("Discrepant Emotions", 6),
    ("Discrepant Intentions", 7),
    ("Emotion Regulation", 3),
    ("False Belief Task", 108),
    ("Faux-pas Recognition Test", 97),
    ("Hidden Emotions", 12),
    ("Hinting Task Test", 20),
    ("Knowledge-Attention Links", 3),
    ("Knowledge-Pretend Play Links", 5),
    ("Moral Emotions", 7),
    ("Multiple Desires", 3),
    ("Percepts-Knowledge Links", 6),
    ("Persuasion Story Task", 18),
    ("Prediction of Actions", 3),
    ("Scalar Implicature Test", 36),
    ("Strange Story Task", 72),
    ("Unexpected Outcome Test", 54),
];

/// Load every set that exists in the requested languages and variants.
pub(super) fn load(data: &Path, options: &LoadOptions) -> Result<Loaded, LoadError> {
    let wanted = source::wanted(options)?;
    let folder = find_folder(data)?;
    let reader = Reader { card: MULTI_TOM.card(), labels: options.labels };
    let mut loaded = Loaded::default();
    let mut ids = Ids::default();
    let mut base: IndexMap<usize, Map<String, Value>> = IndexMap::new();
    let mut read: Vec<(Language, Variant)> = Vec::new();
    let mut sources = source::find(&folder)?;
    source::choose_base(&mut sources, options)?;
    for source in sources {
        let rows = reader.rows(&source, &mut base, &mut loaded.problems)?;
        for (language, keys) in &source.languages {
            if !options.wants(*language) || !wanted.contains(&source.variant) {
                continue;
            }
            if read.contains(&(*language, source.variant)) {
                let message = format!(
                    "a second {} set in {}; the first one found is used, remove either",
                    source.variant.name(),
                    language.name()
                );
                loaded.problems.push(RowProblem { file: source.path.clone(), row: None, field: None, message });
                continue;
            }
            read.push((*language, source.variant));
            reader.items(&rows, *language, keys, source.variant, &mut ids, &mut loaded);
        }
    }
    loaded.items.sort_by_key(|item| item.language);
    Ok(loaded)
}

/// The benchmark's own folder: where the base set is, else where any other set is.
fn find_folder(data: &Path) -> Result<PathBuf, LoadError> {
    own_folder(&MULTI_TOM, data, &NAMES, &MARKS).or_else(|absent| {
        let candidates = NAMES.iter().map(|name| data.join(name)).chain([data.to_path_buf()]);
        for folder in candidates {
            if !source::find(&folder)?.is_empty() {
                return Ok(folder);
            }
        }
        Err(absent)
    })
}

/// Whether the base set is at a path.
fn is_at(data: &Path) -> bool {
    holds(data, &NAMES, &MARKS)
}

/// A row with its place in the base set.
struct PlacedRow {
    row: DataRow,
    /// INDEX, from 0.
    index: usize,
    file: &'static str,
    /// Row of the file, from 0.
    within: usize,
}

struct Reader {
    card: Card,
    labels: LabelSet,
}

impl Reader {
    /// The rows of a source in INDEX order, each with its place; rows of the base set are added to `base`.
    fn rows(
        &self,
        source: &Source,
        base: &mut IndexMap<usize, Map<String, Value>>,
        problems: &mut Vec<RowProblem>,
    ) -> Result<Vec<PlacedRow>, LoadError> {
        let mut placed = Vec::new();
        match source.shape {
            Shape::JsonLines => {
                let mut offset = 0;
                for (file, length) in FILES {
                    let path = source.path.join(format!("{file}.jsonl"));
                    if path.is_file() {
                        let found = rows::read(&path)?;
                        problems.extend(found.problems);
                        for row in found.rows {
                            let within = row.index;
                            if within >= length {
                                let message = format!("the base set's {file} ends at row {length}; remove the row");
                                problems.push(row.problem(None, message));
                            } else {
                                placed.push(PlacedRow { row, index: offset + within, file, within });
                            }
                        }
                    }
                    offset += length;
                }
            }
            Shape::Csv => {
                let found = rows::read(&source.path)?;
                problems.extend(found.problems);
                for row in found.rows {
                    match place(row, base) {
                        Ok(row) => placed.push(row),
                        Err(problem) => problems.push(problem),
                    }
                }
                placed.sort_by_key(|row| row.index);
            }
        }
        if source.base {
            for placed in &placed {
                base.entry(placed.index).or_insert_with(|| placed.row.cells.clone());
            }
        }
        Ok(placed)
    }

    /// The items of one language of these rows.
    fn items(
        &self,
        rows: &[PlacedRow],
        language: Language,
        keys: &[TextKeys],
        variant: Variant,
        ids: &mut Ids,
        loaded: &mut Loaded,
    ) {
        let mut counter = StoryCounter::new(&self.card, "");
        let mut previous: Option<(&str, usize, String)> = None;
        for placed in rows {
            let PlacedRow { row, index, file, within } = placed;
            if previous.as_ref().is_none_or(|(before, ..)| before != file) {
                counter = StoryCounter::new(&self.card, file);
            }
            let keys = keys.iter().find(|keys| row.cells.contains_key(keys.story)).unwrap_or(&PLAIN);
            let read = read_head(row).and_then(|head| Ok((head, read_question(row, keys)?)));
            let (mut head, mut question) = match read {
                Ok(read) => read,
                Err(problem) => {
                    loaded.problems.push(problem);
                    continue;
                }
            };
            renumber(&mut head, &self.card, file, *within, self.labels);
            let story = counter.next(*within, head.index);
            if let Some((before, number, text)) = &previous
                && (*before, *number) == (*file, story)
                && *text != question.story
            {
                question.flags.push(changed_story());
            }
            question.flags.extend(untranslated(language, &question));
            previous = Some((file, story, question.story.clone()));
            let item = item(*index, file, story, language, variant, head, question);
            loaded.add(item, ids, &row.file, Some(row.line));
        }
    }
}

/// Find a CSV row's place by its INDEX and fill in what it omits from the base set.
fn place(mut row: DataRow, base: &IndexMap<usize, Map<String, Value>>) -> Result<PlacedRow, RowProblem> {
    let index = row.number(&["INDEX"])?;
    let mut within = index;
    let file = FILES.iter().find_map(|(file, length)| match within.checked_sub(*length) {
        None => Some(*file),
        Some(rest) => {
            within = rest;
            None
        }
    });
    let Some(file) = file else {
        return Err(row.problem(Some("INDEX"), format!("{index} is beyond the base set, which ends at 501")));
    };
    if let Some(origin) = row.optional_text(&["ORIGIN_FILE"])?
        && origin.trim() != file
    {
        return Err(row.problem(Some("ORIGIN_FILE"), format!("`{origin}`, but INDEX {index} belongs to `{file}`")));
    }
    let supplied = base.get(&index);
    for (key, long) in [("ABILITY", "能力\nABILITY"), ("DATA_INDEX", "序号\nINDEX"), ("ANSWER", "答案\nANSWER")] {
        if row.optional_text(&[key]).ok().flatten().is_some() {
            continue;
        }
        let value = supplied.and_then(|cells| cells.get(key).or_else(|| cells.get(long)));
        match value {
            Some(value) => row.cells.insert(key.to_string(), value.clone()),
            None => {
                let message = "missing, and no base set beside this file supplies it; add RawData";
                return Err(row.problem(Some(key), message));
            }
        };
    }
    Ok(PlacedRow { row, index, file, within })
}

/// A flag for texts without a single letter of their language's script: the working repository writes its cultural sets
/// in English before they are translated.
fn untranslated(language: Language, question: &Question) -> Option<Flag> {
    let in_script: fn(char) -> bool = match language {
        Language::Ar => |letter| matches!(letter, '\u{600}'..='\u{6ff}' | '\u{750}'..='\u{77f}'),
        Language::Hi => |letter| matches!(letter, '\u{900}'..='\u{97f}'),
        Language::Bn => |letter| matches!(letter, '\u{980}'..='\u{9ff}'),
        Language::Ru => |letter| matches!(letter, '\u{400}'..='\u{4ff}'),
        Language::Zh => |letter| matches!(letter, '\u{4e00}'..='\u{9fff}'),
        _ => return None,
    };
    let written = question.story.chars().chain(question.question.chars()).any(in_script);
    (!written).then(|| Flag {
        name: "untranslated".into(),
        detail: format!("story and question hold no letter of the script of {}", language.name()),
    })
}

fn item(
    index: usize,
    file: &str,
    story: usize,
    language: Language,
    variant: Variant,
    head: Head,
    question: Question,
) -> Item {
    let variant = variant.name();
    let mut facets = facets(file, &head);
    facets.insert("variant".to_string(), variant.to_string());
    Item {
        id: format!("multi-tom/{index}/{language}/{variant}"),
        benchmark: Benchmark::MultiToM,
        language,
        parallel: format!("multi-tom/{index}"),
        story: format!("multi-tom/{file}/s{story}/{language}/{variant}"),
        context: vec![Segment { kind: SegmentKind::Story, text: question.story.into() }],
        question: question.question,
        options: question.options,
        gold: Answer::Single(question.gold),
        facets,
        fields: IndexMap::new(),
        flags: [question.flags, head.flags].concat(),
    }
}

/// Keys of a language's texts in a row: Chinese has its own in ToMBench's layout.
fn keys_of(language: Language) -> Vec<TextKeys> {
    match language {
        Language::Zh => vec![CHINESE, PLAIN],
        _ => vec![PLAIN],
    }
}
