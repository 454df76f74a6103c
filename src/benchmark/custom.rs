//! Your own questions, from one CSV or JSON lines file.
//!
//! Columns or keys (case and `-` against `_` do not matter):
//!
//! | name | holds |
//! |---|---|
//! | `question` | the question |
//! | `option_a`, `option_b`, .. | the options, at least two, without gaps; or `options`, in JSON a list of texts |
//! | `answer` | the letter of the right option |
//! | `story` | optional: the story, shown before the question |
//! | `id` | optional: unique within a language; by default the row number from 0 |
//! | `language` | optional: ISO code; by default the choice `language`, by default `en` |
//! | `parallel` | optional: equal for versions of one question in several languages; by default the `id` |
//! | `story_id` | optional: questions of one story; by default those with the same story text |
//!
//! Every other column with a text, number or truth value is a facet. Item ids are `custom/<id>/<language>`.

use std::path::Path;

use indexmap::{IndexMap, IndexSet};
use serde_json::Value;

use super::choices::{answer_letter, duplicate_options, strip_labels};
use super::definition::{Definition, card};
use super::folder::{absent, is_there};
use super::rows::{self, Row};
use super::unique::Ids;
use super::{Answer, Facets, Flag, Item, LoadError, LoadOptions, Loaded, RowProblem, Segment, SegmentKind};
use crate::language::Language;
use crate::name::option_letter;

pub(super) static CUSTOM: Definition =
    Definition { name: "custom", card: card!("custom"), choices: &["language"], is_at, load };

const KNOWN: [&str; 8] = ["id", "language", "parallel", "story_id", "story", "question", "options", "answer"];

/// Whether a path is a file of rows, by its ending.
fn is_at(path: &Path) -> bool {
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    path.is_file() && ["csv", "tsv", "json", "jsonl", "ndjson"].contains(&ending.as_str())
}

/// Load a file.
pub(super) fn load(file: &Path, options: &LoadOptions) -> Result<Loaded, LoadError> {
    if !is_there(file)? {
        return Err(absent(&CUSTOM, file.to_path_buf()));
    }
    if file.is_dir() {
        let message = "a folder; pass the .csv or .jsonl file itself with --data".to_string();
        return Err(LoadError::Malformed { path: file.to_path_buf(), message });
    }
    let default = match options.choices.get("language") {
        None => Language::En,
        Some(given) => given
            .parse()
            .map_err(|_| CUSTOM.unknown_choice("language", given, Language::ALL.map(Language::code).join(", ")))?,
    };
    let found = rows::read(file)?;
    let mut loaded = Loaded { items: Vec::new(), problems: found.problems };
    let mut ids = Ids::default();
    let mut stories: IndexSet<(Language, String)> = IndexSet::new();
    for row in found.rows {
        let row = with_plain_names(row);
        match read_item(&row, default, &mut stories) {
            Ok(item) => loaded.add(item, &mut ids, file, Some(row.line)),
            Err(problem) => loaded.problems.push(problem),
        }
    }
    loaded.items.retain(|item| options.wants(item.language));
    Ok(loaded)
}

/// The row with lower-case names in which `-` and blanks are `_`.
fn with_plain_names(mut row: Row) -> Row {
    let plain = |name: String| name.trim().to_lowercase().replace(['-', ' '], "_");
    row.cells = std::mem::take(&mut row.cells).into_iter().map(|(name, value)| (plain(name), value)).collect();
    row
}

fn read_item(row: &Row, default: Language, stories: &mut IndexSet<(Language, String)>) -> Result<Item, RowProblem> {
    let language = match row.optional_text(&["language"])? {
        None => default,
        Some(code) => code
            .trim()
            .parse()
            .map_err(|error: crate::language::UnknownLanguage| row.problem(Some("language"), error.to_string()))?,
    };
    let question = row.text(&["question"])?.to_string();
    let story = row.optional_text(&["story"])?;
    let raw = options_of(row)?;
    let raw: Vec<&str> = raw.iter().map(String::as_str).collect();
    let (options, labelled) = strip_labels(&raw);
    let cell = row.text(&["answer"])?;
    let answer = answer_letter(cell).filter(|answer| answer.option.0 < options.len()).ok_or_else(|| {
        let last = option_letter(options.len() - 1);
        row.problem(Some("answer"), format!("`{cell}` is no letter from A to {last}; name an option that is there"))
    })?;
    let id = scalar(row.cells.get("id")).unwrap_or_else(|| row.index.to_string());
    let parallel = scalar(row.cells.get("parallel")).unwrap_or_else(|| id.clone());
    let story_id = scalar(row.cells.get("story_id")).unwrap_or_else(|| {
        let text = story.map_or_else(|| format!("row {}", row.index), |story| format!("text {story}"));
        format!("s{}", stories.insert_full((language, text)).0)
    });
    let is_facet = |name: &str| !KNOWN.contains(&name) && option_number(name).is_none();
    let facets: Facets = row
        .cells
        .iter()
        .filter(|(name, _)| is_facet(name))
        .filter_map(|(name, value)| Some((name.clone(), scalar(Some(value))?)))
        .collect();
    let mut flags: Vec<Flag> = duplicate_options(&options).into_iter().collect();
    if labelled {
        let detail = "the option texts carried their letters, which were taken off".to_string();
        flags.push(Flag { name: "labelled-options", detail });
    }
    Ok(Item {
        id: format!("custom/{id}/{language}"),
        benchmark: CUSTOM.name.to_string(),
        language,
        parallel: format!("custom/{parallel}"),
        story: format!("custom/{story_id}/{language}"),
        context: story.map(|text| Segment { kind: SegmentKind::Story, text: text.into() }).into_iter().collect(),
        question,
        options,
        gold: Answer::Single(answer.option),
        facets,
        fields: IndexMap::new(),
        flags,
    })
}

/// The options of a row, from a list or from lettered columns.
fn options_of(row: &Row) -> Result<Vec<String>, RowProblem> {
    let options: Vec<String> = match row.cells.get("options") {
        Some(Value::Array(list)) => list
            .iter()
            .map(|option| match option {
                Value::String(text) if !text.trim().is_empty() => Ok(text.clone()),
                other => Err(row.problem(Some("options"), format!("{other} where the text of an option is needed"))),
            })
            .collect::<Result<_, _>>()?,
        Some(Value::Null) | None => {
            let mut given: Vec<(usize, String)> = Vec::new();
            for name in row.cells.keys() {
                if let Some(number) = option_number(name)
                    && let Some(text) = row.optional_text(&[name])?
                {
                    given.push((number, text.to_string()));
                }
            }
            given.sort();
            if let Some(gap) = (0..given.len()).find(|&at| given[at].0 != at) {
                let name = format!("option_{}", option_letter(gap).to_lowercase());
                return Err(row.problem(Some(&name), "empty, although a later option is there; fill the gap"));
            }
            given.into_iter().map(|(_, text)| text).collect()
        }
        Some(_) => {
            return Err(row.problem(Some("options"), "not a list of texts; in CSV use columns option_a, option_b, .."));
        }
    };
    match options.len() {
        2..=26 => Ok(options),
        count => Err(row.problem(Some("options"), format!("{count} options; from 2 to 26 are needed"))),
    }
}

/// The number, from 0, that a column name like `option_c` stands for.
fn option_number(name: &str) -> Option<usize> {
    match name.strip_prefix("option_")?.as_bytes() {
        [letter @ b'a'..=b'z'] => Some(usize::from(letter - b'a')),
        _ => None,
    }
}

/// The text of a text, number or truth value; `None` for nothing, for empty texts, lists and objects.
fn scalar(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::String(text) if !text.trim().is_empty() => Some(text.trim().to_string()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load_text(name: &str, text: &str) -> Loaded {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        load(&path, &LoadOptions::default()).unwrap()
    }

    #[test]
    fn csv_columns_become_an_item() {
        let text = "ID,Story,Question,Option-A,Option-B,Option-C,Answer,level\n\
                    q1,\"Mia hides, then waits.\",Where?,A. box,B. bed,,B,2\n\
                    q2,\"Mia hides, then waits.\",Why?,fun,fear,both,C,\n";
        let loaded = load_text("a.csv", text);
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
        let loaded = load_text("a.jsonl", text);
        let ids: Vec<&str> = loaded.items.iter().map(|item| item.id.as_str()).collect();
        assert_eq!(ids, ["custom/1/zh", "custom/4/en"]);
        assert_eq!(loaded.items[0].facet("hard"), Some("true"));
        assert_eq!(loaded.items[1].flags[0].name, "duplicate-options");
        let fields: Vec<_> = loaded.problems.iter().map(|problem| (problem.row, problem.field.as_deref())).collect();
        assert_eq!(fields, [(Some(2), Some("answer")), (Some(3), Some("option_b")), (Some(4), Some("id"))]);
    }
}
