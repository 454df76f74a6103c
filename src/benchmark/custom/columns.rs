//! Maps columns to question fields and reads them from rows.

use std::collections::HashSet;

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::likely;
use crate::benchmark::own::{OwnData, QuestionField};
use crate::benchmark::rows::DataRow;
use crate::benchmark::{Facets, RowProblem};

/// Where the parts of a file's questions are.
#[derive(Debug)]
pub(super) struct Columns {
    of: IndexMap<QuestionField, Source>,
    /// Names of columns that hold parts, and so are no facets.
    taken: HashSet<String>,
}

/// Names of columns, each with the line it occurs in first and what it has there.
#[derive(Debug, Default)]
pub(super) struct Names(IndexMap<String, (usize, Value)>);

impl Names {
    /// Note the columns of a row.
    pub fn add(&mut self, row: &DataRow) {
        for (name, value) in &row.cells {
            if !self.0.contains_key(name) {
                self.0.insert(name.clone(), (row.line, value.clone()));
            }
        }
    }
}

/// What every outcome has beside the facets of its item; a column of such a name is a facet with `file.` before it.
const OF_REPORTS: [&str; 4] = ["style", "condition", "language", "options"];

/// Where a part is.
#[derive(Debug)]
enum Source {
    Column(String),
    Text(Vec<Piece>),
}

/// A piece of a text that is filled from other columns.
#[derive(Debug)]
enum Piece {
    Words(String),
    Column(String),
}

impl Columns {
    /// Find every part in a file with these columns; `Err` says what is missing or unclear, and what the file has.
    pub fn find(own: &OwnData, names: &Names) -> Result<Self, String> {
        let known = |column: &str, flag: &str| match names.0.contains_key(column) {
            true => Ok(()),
            false => Err(format!("{flag}: the file has no column `{column}`; it has {}", listed(names))),
        };
        let mut found = Columns { of: IndexMap::new(), taken: HashSet::new() };
        for (&part, column) in &own.columns {
            let column = plain(column);
            known(&column, &format!("--column {part}={column}"))?;
            if !found.taken.insert(column.clone()) {
                return Err(format!("--column {part}={column}: the column is another part already; leave out one"));
            }
            found.of.insert(part, Source::Column(column));
        }
        for (&part, text) in &own.texts {
            let flag = format!("--text {part}");
            let pieces = pieces(text).map_err(|message| format!("{flag}: {message}"))?;
            for piece in &pieces {
                if let Piece::Column(column) = piece {
                    known(column, &flag)?;
                }
            }
            if found.of.insert(part, Source::Text(pieces)).is_some() {
                return Err(format!("--column and --text both set `{part}`; leave out one"));
            }
        }
        let mut declared = HashSet::new();
        for column in &own.facets {
            let column = plain(column);
            known(&column, &format!("--facet {column}"))?;
            if found.taken.contains(&column) {
                return Err(format!("--facet {column}: --column says that it is a part; leave out one"));
            }
            declared.insert(column);
        }
        found.take_by_name(names, &declared)?;
        found.check(names)?;
        found.refuse_likely_parts(names, &declared)?;
        Ok(found)
    }

    /// Take the columns that have a part's own name, where nothing else is said.
    fn take_by_name(&mut self, names: &Names, declared: &HashSet<String>) -> Result<(), String> {
        let said: HashSet<QuestionField> = self.of.keys().copied().collect();
        for name in names.0.keys() {
            if self.taken.contains(name) || declared.contains(name) {
                continue;
            }
            match likely::by_name(name) {
                Some(part) if said.contains(&part) => {}
                Some(part) => {
                    if let Some(Source::Column(other)) = self.of.insert(part, Source::Column(name.to_string())) {
                        return Err(format!(
                            "the columns `{other}` and `{name}` both hold the {part}; remove one, or say which with \
                             --column {part}=NAME"
                        ));
                    }
                    self.taken.insert(name.to_string());
                }
                None => {}
            }
        }
        Ok(())
    }

    /// Refuse names that are likely meant to be a part that the file lacks: as facets they would be left out of every
    /// prompt.
    fn refuse_likely_parts(&self, names: &Names, declared: &HashSet<String>) -> Result<(), String> {
        for (name, (line, value)) in &names.0 {
            if self.taken.contains(name) || declared.contains(name) {
                continue;
            }
            let free = |part: QuestionField| !self.of.contains_key(&part);
            if let Some(meant) = likely::meant(name, Some(value), free) {
                return Err(format!("line {line}: the column `{name}` {meant}, or --facet {name} if it is neither"));
            }
        }
        Ok(())
    }

    fn check(&self, names: &Names) -> Result<(), String> {
        let has = |part: QuestionField| self.of.contains_key(&part);
        let mut missing = Vec::new();
        if !has(QuestionField::Question) {
            missing.push("question");
        }
        if !has(QuestionField::Options) && !has(QuestionField::Option(0)) {
            missing.push("options (option_a, option_b, .., or a list in options)");
        }
        if !has(QuestionField::Answer) {
            missing.push("answer");
        }
        if missing.is_empty() {
            return Ok(());
        }
        Err(format!(
            "no column for: {}. The file has {}. Say which is which, for instance --column answer=NAME, or --text \
             question=\"..\" for a text that no column holds",
            missing.join(", "),
            listed(names)
        ))
    }

    /// The single options that the file has.
    pub fn options(&self) -> Vec<QuestionField> {
        let mut options: Vec<QuestionField> =
            self.of.keys().copied().filter(|part| matches!(part, QuestionField::Option(_))).collect();
        options.sort_unstable();
        options
    }

    /// The name of the column that holds a part, for messages.
    pub fn name(&self, part: QuestionField) -> String {
        match self.of.get(&part) {
            Some(Source::Column(name)) => name.clone(),
            _ => part.to_string(),
        }
    }

    /// What a row has for a part; `None` for nothing, null, empty text and `nan`.
    pub fn value(&self, row: &DataRow, part: QuestionField) -> Result<Option<Value>, RowProblem> {
        let value = match self.of.get(&part) {
            None => return Ok(None),
            Some(Source::Column(name)) => row.cells.get(name).cloned(),
            Some(Source::Text(pieces)) => Some(Value::String(filled(pieces, row, part)?)),
        };
        Ok(value.filter(|value| match value {
            Value::Null => false,
            Value::String(text) => !text.trim().is_empty() && !text.trim().eq_ignore_ascii_case("nan"),
            _ => true,
        }))
    }

    /// What a row has for a part that is a text; numbers and truth values are texts, too.
    pub fn text(&self, row: &DataRow, part: QuestionField) -> Result<Option<String>, RowProblem> {
        match self.value(row, part)? {
            None => Ok(None),
            Some(value) => scalar(&value)
                .map(Some)
                .ok_or_else(|| row.problem(Some(&self.name(part)), "a list or an object where a text is needed")),
        }
    }

    /// The columns of a row that hold no part: its facets.
    pub fn facets(&self, row: &DataRow) -> Facets {
        let free = row.cells.iter().filter(|(name, _)| !self.taken.contains(*name));
        let text = |value: &Value| scalar(value).map(|text| text.trim().to_string()).filter(|text| !text.is_empty());
        let name = |name: &str| match OF_REPORTS.contains(&name) {
            true => format!("file.{name}"),
            false => name.to_string(),
        };
        free.filter_map(|(column, value)| Some((name(column), text(value)?))).collect()
    }
}

/// A row with plain names: lower case, `_` for `-` and blanks. What stands in an object has the object's name, a full
/// stop and its own name; the object stays as well. `Err` names two columns of one plain name.
pub(super) fn with_plain_names(mut row: DataRow) -> Result<DataRow, String> {
    let mut cells = Map::new();
    let mut spelled: IndexMap<String, String> = IndexMap::new();
    for (name, value) in std::mem::take(&mut row.cells) {
        let plain = plain(&name);
        if let Some(other) = spelled.insert(plain.clone(), name.clone()) {
            return Err(format!(
                "line {}: `{other}` and `{name}` are the same column (case, `-` and `_` make no difference); rename one",
                row.line
            ));
        }
        flatten(&plain, value, &mut cells);
    }
    Ok(DataRow { cells, ..row })
}

fn flatten(name: &str, value: Value, cells: &mut Map<String, Value>) {
    if let Value::Object(inner) = &value {
        for (key, value) in inner {
            flatten(&format!("{name}.{}", plain(key)), value.clone(), cells);
        }
    }
    cells.insert(name.to_string(), value);
}

fn plain(name: &str) -> String {
    name.trim().to_lowercase().replace(['-', ' '], "_")
}

/// Names as a list in words; long lists are cut.
fn listed(names: &Names) -> String {
    const SHOWN: usize = 30;
    let Names(names) = names;
    if names.is_empty() {
        return "no columns at all".to_string();
    }
    let mut text = names.keys().take(SHOWN).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        text.push_str(&format!(" and {} more", names.len() - SHOWN));
    }
    text
}

/// The text of a text, number or truth value.
pub(super) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Cut a text at its `{column}`s; `{{` and `}}` are braces.
fn pieces(text: &str) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let mut words = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        words.push_str(&rest[..at]);
        let brace = &rest[at..=at];
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix(brace) {
            words.push_str(brace);
            rest = after;
            continue;
        }
        let name = (brace == "{").then(|| rest.split_once('}')).flatten();
        let Some((name, after)) = name else {
            return Err(format!("unmatched `{brace}`; double a literal brace"));
        };
        pieces.push(Piece::Words(std::mem::take(&mut words)));
        pieces.push(Piece::Column(plain(name)));
        rest = after;
    }
    words.push_str(rest);
    pieces.push(Piece::Words(words));
    Ok(pieces)
}

fn filled(pieces: &[Piece], row: &DataRow, part: QuestionField) -> Result<String, RowProblem> {
    let mut text = String::new();
    for piece in pieces {
        match piece {
            Piece::Words(words) => text.push_str(words),
            Piece::Column(column) => {
                let value = row.cells.get(column).and_then(scalar).filter(|value| !value.trim().is_empty());
                let value =
                    value.ok_or_else(|| row.problem(Some(column), format!("no text, which --text {part} needs")))?;
                text.push_str(value.trim());
            }
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn row(cells: Value) -> DataRow {
        let Value::Object(cells) = cells else { panic!("an object") };
        with_plain_names(DataRow { index: 0, line: 2, file: "own.jsonl".into(), cells, nan_tokens: false }).unwrap()
    }

    fn names(row: &DataRow) -> Names {
        let mut names = Names::default();
        names.add(row);
        names
    }

    fn own(columns: &[(&str, &str)], texts: &[(&str, &str)]) -> OwnData {
        let parsed = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(part, name)| (part.parse().unwrap(), name.to_string())).collect()
        };
        OwnData { columns: parsed(columns), texts: parsed(texts), ..OwnData::default() }
    }

    fn error(cells: Value, own: &OwnData) -> String {
        Columns::find(own, &names(&row(cells))).unwrap_err()
    }

    #[test]
    fn columns_are_found_by_name_and_by_what_is_said() {
        let row = row(
            json!({"Q": "Where?", "Context": "It rains.", "option-a": "x", "Option B": "y", "gold": 1, "level": 2}),
        );
        let found = Columns::find(&own(&[("question", "q"), ("answer", "Gold")], &[]), &names(&row)).unwrap();
        let text = |part| found.text(&row, part).unwrap();
        assert_eq!(text(QuestionField::Question).as_deref(), Some("Where?"));
        assert_eq!(text(QuestionField::Story).as_deref(), Some("It rains."));
        assert_eq!(text(QuestionField::Answer).as_deref(), Some("1"));
        assert_eq!(found.options(), [QuestionField::Option(0), QuestionField::Option(1)]);
        assert_eq!(found.facets(&row), Facets::from([("level".to_string(), "2".to_string())]));
    }

    #[test]
    fn parts_may_stand_in_objects_or_be_texts() {
        let row = row(json!({"who": "Mia", "choices": {"text": ["x", "y"], "label": ["A", "B"]}, "key": "A",
                               "question": {"type": "first"}}));
        let said =
            own(&[("options", "choices.text"), ("answer", "key")], &[("question", "What does {who} {{think}}?")]);
        let found = Columns::find(&said, &names(&row)).unwrap();
        assert_eq!(found.value(&row, QuestionField::Options).unwrap(), Some(json!(["x", "y"])));
        assert_eq!(found.text(&row, QuestionField::Question).unwrap().as_deref(), Some("What does Mia {think}?"));
        assert_eq!(found.facets(&row).get("question.type").map(String::as_str), Some("first"));
    }

    #[test]
    fn what_is_missing_or_unclear_is_said_with_what_the_file_has() {
        let none = OwnData::default();
        let options = json!({"question": "?", "option_a": "x", "option_b": "y"});
        let message = error(options.clone(), &none);
        assert!(
            message.contains("no column for: answer. The file has `question`, `option_a`, `option_b`"),
            "{message}"
        );
        let with = |name: &str| {
            let mut cells = options.clone();
            cells["answer"] = json!("A");
            cells[name] = json!("z");
            cells
        };
        for name in ["option_aa", "option3", "optionc", "options_c", "option"] {
            let message = error(with(name), &none);
            assert!(message.contains(&format!("line 2: the column `{name}` looks like an option")), "{message}");
            let declared = OwnData { facets: vec![name.to_string()], ..OwnData::default() };
            assert!(Columns::find(&declared, &names(&row(with(name)))).is_ok(), "{name}");
        }
        assert!(Columns::find(&none, &names(&row(with("option_count")))).is_ok());
        let mut both = with("story");
        both["context"] = json!("z");
        assert!(error(both, &none).contains("`story` and `context` both hold the story"));
        let said = own(&[("answer", "gold")], &[]);
        assert!(
            error(with("x"), &said).contains("--column answer=gold: the file has no column `gold`; it has `question`")
        );
        let said = own(&[], &[("question", "What does {who} think?")]);
        assert!(error(with("x"), &said).contains("--text question: the file has no column `who`"));
        for text in ["a { b", "a } b"] {
            assert!(error(with("x"), &own(&[], &[("question", text)])).contains("unmatched"));
        }
    }

    #[test]
    fn two_spellings_of_one_column_are_refused() {
        let Value::Object(cells) = json!({"Option A": "x", "option_a": "y"}) else { panic!("an object") };
        let row = DataRow { index: 0, line: 2, file: "own.jsonl".into(), cells, nan_tokens: false };
        let message = with_plain_names(row).unwrap_err();
        assert!(message.contains("line 2: `Option A` and `option_a` are the same column"), "{message}");
    }
}
