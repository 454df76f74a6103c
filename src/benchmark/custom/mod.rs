//! Your own questions, from one file: CSV, JSON lines, one JSON list or Parquet. `docs/own-data.md` shows how.
//!
//! Columns or keys (case is ignored and `-` equals `_`; [`OwnData`] maps other names):
//!
//! | name | holds |
//! |---|---|
//! | `question` | the question |
//! | `option_a`, `option_b`, .. | the options, at least two, without gaps; or `options`, a list of texts |
//! | `answer` | the right option: its letter, text or number; several for label sets and slots |
//! | `story` or `context` | optional: the story, shown before the question |
//! | `id` | optional: unique within a language; by default the row number from 0 |
//! | `language` | optional: ISO 639 code; by default the choice `language`, the one requested language, or `en` |
//! | `parallel` | optional: equal for versions of one question in several languages; by default the `id` |
//! | `story_id` | optional: questions of one story; by default those with the same story text |
//! | `kind` | optional: `single`, `labels` (a set of options) or `slots` (one option for each of several) |
//!
//! Common file layouts are also recognised by their column names: see `shapes.toml`.
//!
//! Every other column with a text, number or boolean is a facet, unless its name is likely meant to be one of these:
//! then the file is refused, and the message suggests the likely name. Item ids are `custom/<id>/<language>`.

mod columns;
mod headless;
mod likely;
mod plain_names;
mod shape;

use std::path::Path;

use indexmap::IndexSet;
use serde_json::Value;

use self::columns::{Columns, Names};
pub(super) use self::plain_names::plain;
use self::plain_names::with_plain_names;
use super::choices::strip_labels;
use super::definition::{Definition, card};
use super::folder::{absent, is_there};
use super::own::{AnswerKind, Delimiter, GoldBase, OwnData, QuestionField};
use super::problem::row_unit;
use super::recipe::draft::{Draft, Place, Stories, few_enough, listed, parsed};
use super::recipe::gold::{Counting, Gold, Shown};
use super::recipe::{self, Recipe};
use super::rows::{DataRow, RowFile, Shape};
use super::unique::Ids;
use super::{Benchmark, Item, LoadError, LoadOptions, Loaded, RowProblem, SegmentKind};
use crate::counted::counted;
use crate::language::Language;

/// Limit on reported unreadable rows; a file with more does not hold questions.
const MOST_PROBLEMS: usize = 100_000;

pub(super) static CUSTOM: Definition =
    Definition { benchmark: Benchmark::Custom, card: card!("custom"), choices: &["language"], is_at, load };

/// Whether a path is a file of rows, by its extension.
fn is_at(path: &Path) -> bool {
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    path.is_file() && ["csv", "tsv", "json", "jsonl", "ndjson", "parquet"].contains(&ending.as_str())
}

/// Load a file.
pub(super) fn load(file: &Path, options: &LoadOptions) -> Result<Loaded, LoadError> {
    if !is_there(file)? {
        return Err(absent(&CUSTOM, file.to_path_buf()));
    }
    let malformed = |message: String| LoadError::Malformed { path: file.to_path_buf(), message };
    if let Some(rows) = Benchmark::Custom.card_with(&options.own).rows {
        let said = OwnData { card: None, ..options.own.clone() };
        if !said.is_empty() {
            return Err(malformed(format!("the card's [rows] says how rows are read; leave out {said}")));
        }
        if !file.is_dir() {
            return Err(malformed("a file; pass the folder that holds the files of the card's [rows]".to_string()));
        }
        let recipe = Recipe::try_from(rows).map_err(|error| malformed(format!("the card's [rows]: {error}")))?;
        return recipe::load(&CUSTOM, &recipe, file, options);
    }
    if file.is_dir() {
        return Err(malformed("a folder; pass a card that says how to read its files (docs/cards.md), or the .csv, .jsonl or .parquet file itself with --data".to_string()));
    }
    let shape =
        Shape { delimiter: options.own.delimiter.map(Delimiter::byte), header: !options.own.no_header, members: false };
    let mut rows = RowFile::open(file, shape)?;
    let headless = headless::columns(&mut rows, &options.own)?;
    let own = headless.as_ref().unwrap_or(&options.own);
    // Three passes, since a row takes many times the memory of its line: columns, the number of the first option,
    // items.
    let (mut loaded, mut names, mut any, mut twice) = (Loaded::default(), Names::default(), false, None);
    rows.each(&mut |row| match row {
        Ok(row) => {
            any = true;
            names.note_spelling(&row);
            match with_plain_names(row) {
                Ok(row) => names.add(&row),
                Err(message) => twice = twice.take().or(Some(message)),
            }
        }
        Err(problem) => note(&mut loaded.problems, problem),
    })?;
    few(&loaded.problems).map_err(malformed)?;
    if !any {
        if loaded.problems.is_empty() {
            return Err(malformed("no rows; write a header and rows, or one JSON object per line".to_string()));
        }
        return Ok(loaded);
    }
    twice.map_or(Ok(()), Err).map_err(malformed)?;
    let columns = Columns::find(own, &names).map_err(malformed)?;
    let reader = Reader { own, columns, language: default_language(options)? };
    let each_row = |each: &mut dyn FnMut(&DataRow)| {
        rows.each(&mut |row| {
            // Unreadable rows were recorded in the first pass.
            if let Some(Ok(row)) = row.ok().map(with_plain_names) {
                each(&row);
            }
        })
    };
    let unit = row_unit(file);
    let counted = || {
        let mut counting = Counting::default();
        each_row(&mut |row| {
            if let Ok(draft) = reader.draft(row) {
                counting.add(row.line, &draft.gold, draft.options.len());
            }
        })?;
        Ok::<_, LoadError>(counting)
    };
    let mut read_as = match &headless {
        Some(own) => vec![headless::in_words(own)],
        None => Vec::from_iter(reader.columns.recognised()),
    };
    let base = match (own.gold_base, reader.columns.counts_from()) {
        (Some(base), _) => Some(base),
        (None, Some((base, shape))) => {
            counted()?.check(base, shape, unit).map_err(malformed)?;
            Some(base)
        }
        (None, None) => counted()?.base(unit).map_err(malformed)?.map(|(base, why)| {
            read_as.push(why);
            base
        }),
    };
    loaded.read_as = (!read_as.is_empty()).then(|| format!("{}: {}", file.display(), read_as.join("; ")));
    let mut ids = Ids::default();
    let mut stories = Stories::default();
    each_row(&mut |row| {
        let item =
            reader.draft(row).and_then(|draft| reader.item(row, draft, base.unwrap_or(GoldBase::Zero), &mut stories));
        match item {
            Ok(item) => loaded.add(item, &mut ids, file, Some(row.line)),
            Err(problem) => note(&mut loaded.problems, problem),
        }
    })?;
    few(&loaded.problems).map_err(malformed)?;
    loaded.problems.sort_by_key(|problem| problem.row);
    let codes: IndexSet<&str> = loaded.items.iter().map(|item| item.language.code()).collect();
    if !codes.is_empty() && !loaded.items.iter().any(|item| options.wants(item.language)) {
        let has = codes.into_iter().collect::<Vec<_>>().join(", ");
        return Err(malformed(format!("no questions in the requested languages; it has {has}")));
    }
    loaded.items.retain(|item| options.wants(item.language));
    Ok(loaded)
}

/// Check what the user's card says of rows; `Err` says what is wrong.
pub fn check_rows(own: &OwnData) -> Result<(), String> {
    let rows = Benchmark::Custom.card_with(own).rows;
    rows.map_or(Ok(()), |rows| Recipe::try_from(rows).map(drop))
}

/// Record a problem, up to the limit.
fn note(problems: &mut Vec<RowProblem>, problem: RowProblem) {
    if problems.len() <= MOST_PROBLEMS {
        problems.push(problem);
    }
}

fn few(problems: &[RowProblem]) -> Result<(), String> {
    match problems {
        [first, ..] if problems.len() > MOST_PROBLEMS => {
            Err(format!("more than {MOST_PROBLEMS} rows cannot be read; the first is {first}"))
        }
        _ => Ok(()),
    }
}

/// The language of rows that do not name one.
fn default_language(options: &LoadOptions) -> Result<Language, LoadError> {
    match (options.choices.get("language"), &options.languages[..]) {
        (None, [only]) => Ok(*only),
        (None, _) => Ok(Language::En),
        (Some(given), _) => given
            .parse()
            .map_err(|_| CUSTOM.unknown_choice("language", given, "an ISO 639 code, for instance en, es or swa")),
    }
}

struct Reader<'a> {
    own: &'a OwnData,
    columns: Columns,
    language: Language,
}

impl Reader<'_> {
    fn draft(&self, row: &DataRow) -> Result<Draft, RowProblem> {
        let at = |part: QuestionField| self.columns.name(part);
        let needed = |part: QuestionField| row.problem(Some(&at(part)), "empty; a text is needed");
        let language = match self.columns.text(row, QuestionField::Language)? {
            None => self.language,
            Some(code) => code.trim().parse().map_err(|error: crate::language::UnknownLanguage| {
                row.problem(Some(&at(QuestionField::Language)), error.to_string())
            })?,
        };
        let question =
            self.columns.text(row, QuestionField::Question)?.ok_or_else(|| needed(QuestionField::Question))?;
        let story = self.columns.text(row, QuestionField::Story)?;
        let (raw, scores) = match self.columns.scores() {
            None => (self.options(row)?, None),
            Some(column) => self.scored(row, column).map(|(options, scores)| (options, Some(scores)))?,
        };
        let raw: Vec<&str> = raw.iter().map(String::as_str).collect();
        let (options, labelled) = strip_labels(&raw);
        let kind = match self.columns.text(row, QuestionField::Kind)? {
            None => self.own.answers,
            Some(kind) => {
                let parsed: Result<AnswerKind, _> = kind.trim().to_lowercase().parse();
                Some(parsed.map_err(|error| row.problem(Some(&at(QuestionField::Kind)), error.to_string()))?)
            }
        };
        let gold = match scores {
            Some(scores) => Gold::scored(&scores, kind),
            None => {
                let cell = self.columns.value(row, QuestionField::Answer)?;
                let cell = cell.ok_or_else(|| needed(QuestionField::Answer))?;
                let labels = self.labels(row, options.len())?;
                let numbers = self.own.gold_base.is_some() || self.columns.counts_from().is_some();
                Gold::read(&cell, kind, &Shown { options: &options, labels: labels.as_deref(), numbers })
            }
        };
        let gold = gold.map_err(|message| row.problem(Some(&at(QuestionField::Answer)), message))?;
        let context = story.into_iter().map(|text| (SegmentKind::Story, text)).collect();
        Ok(Draft { language, context, question, options, labelled, gold })
    }

    /// The options of a row, from a list or from lettered columns.
    fn options(&self, row: &DataRow) -> Result<Vec<String>, RowProblem> {
        let mut given: Vec<(QuestionField, String)> = Vec::new();
        for part in self.columns.options() {
            if let Some(text) = self.columns.text(row, part)? {
                given.push((part, text));
            }
        }
        let name = self.columns.name(QuestionField::Options);
        let list = self.columns.value(row, QuestionField::Options)?;
        let options: Vec<String> = match (list, given.is_empty()) {
            (Some(_), false) => {
                return Err(row.problem(Some(&name), "both a list of options and single options; leave one empty"));
            }
            (Some(list), true) => listed(&list).map_err(|message| row.problem(Some(&name), message))?,
            (None, _) => {
                if let Some(gap) = (0..given.len()).find(|&at| given[at].0 != QuestionField::Option(at as u8)) {
                    let name = self.columns.name(QuestionField::Option(gap as u8));
                    return Err(row.problem(Some(&name), "empty, although a later option is there; fill the gap"));
                }
                given.into_iter().map(|(_, text)| text).collect()
            }
        };
        few_enough(options).map_err(|message| row.problem(Some(&name), message))
    }

    /// The options of a row and their scores in another column: two lists, or one object.
    fn scored(&self, row: &DataRow, column: &str) -> Result<(Vec<String>, Vec<f64>), RowProblem> {
        let name = self.columns.name(QuestionField::Options);
        let wrong = |message: String| row.problem(Some(&name), message);
        let list = self.columns.value(row, QuestionField::Options)?;
        let list = list.ok_or_else(|| wrong("empty; options are needed".to_string()))?;
        let scores = row.cells.get(column).cloned().unwrap_or(Value::Null);
        let (options, scores) = match (parsed(list), parsed(scores)) {
            (Value::Object(of_each), _) => of_each.into_iter().unzip(),
            (list, Value::Array(scores)) => (listed(&list).map_err(wrong)?, scores),
            (_, other) => return Err(wrong(format!("{other} in `{column}`, where a list of numbers is needed"))),
        };
        if options.len() != scores.len() {
            return Err(wrong(format!(
                "{}, but {} in `{column}`",
                counted(options.len(), "option"),
                counted(scores.len(), "number")
            )));
        }
        let number = |value: &Value| match value {
            Value::Bool(truth) => Some(f64::from(*truth)),
            other => other.as_f64().or_else(|| other.as_str()?.trim().parse().ok()),
        };
        let scores = scores.iter().map(|value| {
            number(value).ok_or_else(|| wrong(format!("{value} in `{column}`, where a number is needed")))
        });
        let scores = scores.collect::<Result<_, _>>()?;
        Ok((few_enough(options).map_err(wrong)?, scores))
    }

    /// The labels of a row's options: from their own column, or from option objects.
    fn labels(&self, row: &DataRow, options: usize) -> Result<Option<Vec<String>>, RowProblem> {
        let labels = match self.columns.labels(row) {
            Some(labels) => parsed(labels.clone()),
            None => match self.columns.value(row, QuestionField::Options)?.map(parsed) {
                Some(Value::Array(list)) => match list.iter().map(|option| option.get("label").cloned()).collect() {
                    Some(labels) => Value::Array(labels),
                    None => return Ok(None),
                },
                _ => return Ok(None),
            },
        };
        let name = self.columns.name(QuestionField::Options);
        let labels = listed(&labels).map_err(|message| row.problem(Some(&name), format!("labels: {message}")))?;
        match labels.len() == options {
            true => Ok(Some(labels)),
            false => Err(row.problem(
                Some(&name),
                format!("{}, but {}", counted(options, "option"), counted(labels.len(), "label")),
            )),
        }
    }

    fn item(&self, row: &DataRow, draft: Draft, base: GoldBase, stories: &mut Stories) -> Result<Item, RowProblem> {
        let language = draft.language;
        let text =
            |part: QuestionField| self.columns.text(row, part).map(|text| text.map(|text| text.trim().to_string()));
        let id = text(QuestionField::Id)?.unwrap_or_else(|| row.index.to_string());
        let parallel = text(QuestionField::Parallel)?.unwrap_or_else(|| id.clone());
        let place = Place {
            id: format!("custom/{id}/{language}"),
            parallel: format!("custom/{parallel}"),
            story: text(QuestionField::StoryId)?.map(|story| format!("custom/{story}/{language}")),
            facets: self.columns.facets(row),
            flags: Vec::new(),
        };
        draft
            .item(Benchmark::Custom, base, place, stories)
            .map_err(|message| row.problem(Some(&self.columns.name(QuestionField::Answer)), message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load_text(name: &str, text: &str, own: OwnData) -> Result<Loaded, LoadError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        load(&path, &LoadOptions { own, ..LoadOptions::default() })
    }

    #[test]
    fn csv_columns_become_an_item() {
        let text = "ID,Story,Question,Option-A,Option-B,Option-C,Answer,level\n\
                    q1,\"Mia hides, then waits.\",Where?,A. box,B. bed,,B,2\n\
                    q2,\"Mia hides, then waits.\",Why?,fun,fear,both,C,\n";
        let loaded = load_text("a.csv", text, OwnData::default()).unwrap();
        assert_eq!(loaded.problems, []);
        let [first, second] = &loaded.items[..] else { panic!("two items") };
        assert_eq!(first.id, "custom/q1/en");
        assert_eq!(first.options, ["box", "bed"]);
        assert_eq!(first.gold.options(), [1]);
        assert_eq!(first.facet("level"), Some("2"));
        assert_eq!(second.facet("level"), None);
        assert_eq!(first.story, second.story);
        assert_eq!(&*first.context[0].text, "Mia hides, then waits.");
    }

    #[test]
    fn json_lists_are_options_and_bad_rows_are_named() {
        let text = concat!(
            r#"{"id": 1, "language": "zh", "question": "谁?", "options": ["甲", "乙"], "answer": "A", "hard": true}"#,
            "\n",
            r#"{"id": 2, "question": "Who?", "options": ["x", "y"], "answer": "C"}"#,
            "\n",
            r#"{"id": 3, "question": "Who?", "option_a": "x", "option_c": "y", "answer": "A"}"#,
            "\n",
            r#"{"id": 1, "language": "zh", "question": "谁?", "options": ["甲", "乙"], "answer": "A"}"#,
            "\n",
            r#"{"id": 4, "question": "Who?", "options": ["x", "x"], "answer": "A"}"#,
            "\n",
        );
        let loaded = load_text("a.jsonl", text, OwnData::default()).unwrap();
        let ids: Vec<&str> = loaded.items.iter().map(|item| item.id.as_str()).collect();
        assert_eq!(ids, ["custom/1/zh", "custom/4/en"]);
        assert_eq!(loaded.items[0].facet("hard"), Some("true"));
        assert_eq!(loaded.items[1].flags[0].name, "duplicate-options");
        let fields: Vec<_> = loaded.problems.iter().map(|problem| (problem.row, problem.field.as_deref())).collect();
        assert_eq!(fields, [(Some(2), Some("answer")), (Some(3), Some("option_b")), (Some(4), Some("id"))]);
    }

    #[test]
    fn a_delimiter_is_found_or_said() {
        let row = |mark: &str| {
            ["question", "option_a", "option_b", "answer"].join(mark)
                + "\n"
                + &["Who, me?", "x", "y", "b"].join(mark)
                + "\n"
        };
        for (name, text, delimiter) in [
            ("a.csv", row(";"), None),
            ("a.csv", row("\t"), None),
            ("a.tsv", row("\t"), None),
            ("a.csv", row("|"), Some(Delimiter::Pipe)),
        ] {
            let loaded = load_text(name, &text, OwnData { delimiter, ..OwnData::default() }).unwrap();
            assert_eq!((loaded.items.len(), loaded.items[0].question.as_str()), (1, "Who, me?"), "{text}");
        }
        let loaded = load_text("a.csv", "Who?;x;y;b\n", {
            let columns = [
                (QuestionField::Question, "1"),
                (QuestionField::Option(0), "2"),
                (QuestionField::Option(1), "3"),
                (QuestionField::Answer, "4"),
            ];
            let columns = columns.into_iter().map(|(part, name)| (part, name.to_string())).collect();
            OwnData { columns, no_header: true, delimiter: Some(Delimiter::Semicolon), ..OwnData::default() }
        });
        assert_eq!(loaded.unwrap().items[0].gold.options(), [1]);
    }

    #[test]
    fn numbers_of_the_whole_file_tell_where_they_count_from() {
        let row = |answer: usize| {
            format!("{{\"question\": \"Who?\", \"options\": [\"x\", \"y\", \"z\"], \"answer\": {answer}}}\n")
        };
        let golds = |answers: &[usize], gold_base| {
            let text: String = answers.iter().map(|&answer| row(answer)).collect();
            let loaded = load_text("a.jsonl", &text, OwnData { gold_base, ..OwnData::default() })?;
            Ok::<_, LoadError>(loaded.items.iter().map(|item| item.gold.options()[0]).collect::<Vec<_>>())
        };
        assert_eq!(golds(&[0, 2, 1], None).unwrap(), [0, 2, 1]);
        assert_eq!(golds(&[1, 3, 1], None).unwrap(), [0, 2, 0]);
        assert!(golds(&[1, 2], None).unwrap_err().to_string().contains("--gold-base"));
        assert_eq!(golds(&[1, 2], Some(GoldBase::One)).unwrap(), [0, 1]);
        assert_eq!(golds(&[1, 3], Some(GoldBase::Zero)).unwrap(), [1], "the other is beyond the options");
    }

    #[test]
    fn label_sets_slots_and_every_way_to_write_options() {
        let text = concat!(
            r#"[{"question": "Which?", "options": {"A": "x", "B": "y"}, "answer": ["A", "B"]},"#,
            r#" {"question": "Which?", "options": [{"label": "A", "text": "x"}, {"label": "B", "text": "y"}], "answer": "B,A", "kind": "slots"},"#,
            r#" {"question": "Which?", "options": "[\"x\", \"y\"]", "answer": "y"}]"#
        );
        let loaded = load_text("a.json", text, OwnData::default()).unwrap();
        assert_eq!(loaded.problems, []);
        let golds: Vec<_> = loaded.items.iter().map(|item| (item.gold.kind(), item.gold.options())).collect();
        assert_eq!(golds, [("labels", vec![0, 1]), ("slots", vec![1, 0]), ("single", vec![1])]);
        assert!(loaded.items.iter().all(|item| item.options == ["x", "y"]));
    }
}
