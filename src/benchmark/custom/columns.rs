//! Maps columns to question fields and reads them from rows.

use std::collections::HashSet;

use indexmap::IndexMap;
use serde_json::Value;

use super::likely;
use super::plain_names::plain;
use super::shape::{OptionColumns, SHAPES, Shape};
use crate::benchmark::own::{GoldBase, OwnData, QuestionField};
use crate::benchmark::recipe::template::{Blank, Template, is_something, scalar};
use crate::benchmark::rows::DataRow;
use crate::benchmark::{Facets, RowProblem};

/// Sources of the question fields of a file.
#[derive(Debug)]
pub(super) struct Columns {
    of: IndexMap<QuestionField, Source>,
    /// Names of columns that hold parts; neither they nor values nested in them are facets.
    taken: HashSet<String>,
    /// The column with the labels of a list of options.
    labels: Option<String>,
    /// The column with a score for each option, used in place of an answer.
    scores: Option<String>,
    /// The number of the first option, and the shape that determines it.
    counts_from: Option<(GoldBase, &'static str)>,
    /// Shape the file was recognised as, where its columns have other names than the parts.
    recognised: Option<&'static str>,
    /// Names as spelled in the header.
    spelled: IndexMap<String, String>,
}

/// Column names, each with the first line it occurs in and its value there.
#[derive(Debug, Default)]
pub(super) struct Names {
    first: IndexMap<String, (usize, Value)>,
    spelled: IndexMap<String, String>,
}

impl Names {
    /// Record how a row spells its columns.
    pub fn note_spelling(&mut self, row: &DataRow) {
        for name in row.cells.keys() {
            let plain = plain(name);
            if plain != *name && !self.spelled.contains_key(&plain) {
                self.spelled.insert(plain, name.clone());
            }
        }
    }

    /// Record the columns of a row with plain names.
    pub fn add(&mut self, row: &DataRow) {
        for (name, value) in &row.cells {
            if !self.first.contains_key(name) {
                self.first.insert(name.clone(), (row.line, value.clone()));
            }
        }
    }
}

/// Keys that every outcome has besides item facets; a column of such a name becomes a facet prefixed with `file.`.
const OF_REPORTS: [&str; 4] = ["style", "condition", "language", "options"];

/// Shape of a file whose parts have other names.
const BY_OTHER_NAMES: &str = "a table of questions";

/// The source of a part.
#[derive(Debug)]
enum Source {
    Column(String),
    Text(Template),
}

impl Columns {
    /// Find every part among these columns; `Err` names missing or ambiguous parts and the file's columns.
    pub fn find(own: &OwnData, names: &Names) -> Result<Self, String> {
        let known = |column: &str, flag: &str| match names.first.contains_key(column) {
            true => Ok(()),
            false => Err(format!("{flag}: the file has no column `{column}`; it has {}", listed(names))),
        };
        let mut found = Columns {
            of: IndexMap::new(),
            taken: HashSet::new(),
            labels: None,
            scores: None,
            counts_from: None,
            recognised: None,
            spelled: names.spelled.clone(),
        };
        for (&part, column) in &own.columns {
            let column = plain(column);
            known(&column, &format!("--column {part}={column}"))?;
            if !found.taken.insert(column.clone()) {
                return Err(format!("--column {part}={column}: the column already holds another part; leave out one"));
            }
            found.of.insert(part, Source::Column(column));
        }
        for (&part, text) in &own.texts {
            let flag = format!("--text {part}");
            let text = Template::parse(text, |name| Blank::of(plain(name)));
            let text = text.map_err(|message| format!("{flag}: {message}"))?;
            for column in text.names() {
                known(column, &flag)?;
            }
            if found.of.insert(part, Source::Text(text)).is_some() {
                return Err(format!("--column and --text both set `{part}`; leave out one"));
            }
        }
        let mut declared = HashSet::new();
        for column in &own.facets {
            let column = plain(column);
            known(&column, &format!("--facet {column}"))?;
            if found.taken.contains(&column) {
                return Err(format!("--facet {column}: --column already uses it for a part; leave out one"));
            }
            declared.insert(column);
        }
        let said: HashSet<QuestionField> = found.of.keys().copied().collect();
        found.take_by_name(names, &declared)?;
        if !found.is_complete() {
            found.take_by_shape(names, &declared, &said)?;
        }
        if !found.is_complete() {
            found.take_by_other_names(names, &declared)?;
        }
        found.take_labels(names);
        found.check(names)?;
        found.refuse_likely_parts(names, &declared)?;
        Ok(found)
    }

    /// Assign columns named after a part, unless the user declared another source.
    fn take_by_name(&mut self, names: &Names, declared: &HashSet<String>) -> Result<(), String> {
        let said: HashSet<QuestionField> = self.of.keys().copied().collect();
        for name in names.first.keys() {
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

    fn has(&self, part: QuestionField) -> bool {
        self.of.contains_key(&part)
    }

    fn has_options(&self) -> bool {
        self.has(QuestionField::Options) || self.options().len() > 1
    }

    fn has_answer(&self) -> bool {
        self.has(QuestionField::Answer) || self.scores.is_some()
    }

    fn is_complete(&self) -> bool {
        self.has(QuestionField::Question) && self.has_options() && self.has_answer()
    }

    /// Assign the columns of a known shape, except for the parts in `said`.
    fn take_by_shape(
        &mut self,
        names: &Names,
        declared: &HashSet<String>,
        said: &HashSet<QuestionField>,
    ) -> Result<(), String> {
        let is_other = |part: QuestionField, column: &str| {
            said.iter().any(|said| *said != part && matches!(&self.of[said], Source::Column(own) if own == column))
        };
        let mut fitting = SHAPES.fitting(|column| names.first.contains_key(column) && !declared.contains(column));
        fitting.retain(|shape| !shape.columns.iter().any(|(&part, column)| is_other(part, column)));
        fitting.dedup_by_key(|shape| &shape.name);
        let shape: &'static Shape = match fitting[..] {
            [] => return Ok(()),
            [shape] => shape,
            [one, other, ..] => {
                return Err(format!(
                    "the columns match both {} and {}; say which hold question, options and answer with --column",
                    one.name, other.name
                ));
            }
        };
        for (&part, column) in &shape.columns {
            match self.of.get(&part) {
                _ if said.contains(&part) => continue,
                // The object that contains the column has the part's name.
                Some(Source::Column(own)) if own == column || column.starts_with(&format!("{own}.")) => {}
                Some(Source::Column(own)) => return Err(self.unclear(part, &[own, column])),
                Some(Source::Text(_)) | None => {}
            }
            self.taken.insert(column.clone());
            self.of.insert(part, Source::Column(column.clone()));
        }
        for (&part, text) in &shape.texts {
            self.of.entry(part).or_insert_with(|| Source::Text(Template::words(text)));
        }
        let answer_of_shape = match self.of.get(&QuestionField::Answer) {
            None => shape.scores.is_some(),
            Some(Source::Column(own)) => shape.columns.get(&QuestionField::Answer) == Some(own),
            Some(Source::Text(_)) => false,
        };
        if answer_of_shape {
            self.scores.clone_from(&shape.scores);
            self.counts_from = shape.counts_from.map(|base| (base, shape.name.as_str()));
        }
        self.taken.extend(shape.scores.iter().chain(&shape.unused).cloned());
        self.recognised = Some(&shape.name);
        Ok(())
    }

    /// Assign missing parts to columns with alternative names, where exactly one fits each.
    fn take_by_other_names(&mut self, names: &Names, declared: &HashSet<String>) -> Result<(), String> {
        let taken = self.taken.clone();
        let is_there = |name: &str| names.first.contains_key(name) && !declared.contains(name);
        if !self.has_options() && self.options().is_empty() {
            let answer = match self.of.get(&QuestionField::Answer) {
                Some(Source::Column(column)) => Some(column.clone()),
                _ => None,
            };
            let is_free = |name: &str| is_there(name) && (!taken.contains(name) || answer.as_deref() == Some(name));
            match &SHAPES.options(is_free)[..] {
                [] => {}
                [options] => self.take_options(options),
                several => {
                    let several: Vec<String> = several.iter().map(|options| self.span(options.columns())).collect();
                    return Err(format!(
                        "the options may be in {}; say which with --column options=NAME, or --column option_a=NAME \
                         --column option_b=NAME .. for columns with one option each",
                        several.join(", or in ")
                    ));
                }
            }
        }
        for part in [QuestionField::Question, QuestionField::Answer] {
            if self.has(part) || part == QuestionField::Answer && self.has_answer() {
                continue;
            }
            match &SHAPES.candidates(part, |name| is_there(name) && !self.taken.contains(name))[..] {
                [] => {}
                [column] => {
                    self.taken.insert(column.to_string());
                    self.of.insert(part, Source::Column(column.to_string()));
                    self.recognised.get_or_insert(BY_OTHER_NAMES);
                }
                several => return Err(self.unclear(part, several)),
            }
        }
        Ok(())
    }

    fn take_options(&mut self, options: &OptionColumns) {
        self.recognised.get_or_insert(BY_OTHER_NAMES);
        self.taken.extend(options.columns().iter().cloned());
        if let OptionColumns::List(column) = options {
            self.of.insert(QuestionField::Options, Source::Column(column.clone()));
            return;
        }
        for (at, column) in (0..QuestionField::OPTIONS).zip(options.columns()) {
            self.of.insert(QuestionField::Option(at), Source::Column(column.clone()));
        }
        if let OptionColumns::RightFirst(_) = options {
            self.of.insert(QuestionField::Answer, Source::Text(Template::words("A")));
        }
    }

    /// Find option labels in `choices.label` for options in `choices.text`.
    fn take_labels(&mut self, names: &Names) {
        if let Some(Source::Column(column)) = self.of.get(&QuestionField::Options) {
            let labels = column.strip_suffix(".text").map(|list| format!("{list}.label"));
            self.labels = labels.filter(|labels| names.first.contains_key(labels));
            self.taken.extend(self.labels.clone());
        }
    }

    fn unclear(&self, part: QuestionField, columns: &[impl AsRef<str>]) -> String {
        let columns: Vec<String> =
            columns.iter().map(|column| format!("`{}`", self.spelling(column.as_ref()))).collect();
        format!("the {part} may be in {}; say which with --column {part}=NAME", columns.join(" or in "))
    }

    fn spelling<'a>(&'a self, column: &'a str) -> &'a str {
        self.spelled.get(column).map_or(column, String::as_str)
    }

    /// Columns for a message: `A` to `D`, or each by name.
    fn span(&self, columns: &[String]) -> String {
        let named = |column: &String| format!("`{}`", self.spelling(column));
        match columns {
            [first, _, _, .., last] => format!("{} to {}", named(first), named(last)),
            columns => columns.iter().map(named).collect::<Vec<_>>().join(" and "),
        }
    }

    /// The recognised shape and the sources of its parts; `None` where every part has its own name or was declared.
    pub fn recognised(&self) -> Option<String> {
        let named = |part: QuestionField| match self.of.get(&part)? {
            Source::Column(column) => Some(format!("{part} in `{}`", self.spelling(column))),
            Source::Text(text) => text.as_words().map(|words| format!("{part} \"{words}\"")),
        };
        let options: Vec<String> = self.options().into_iter().map(|part| self.name(part)).collect();
        let options = match options.is_empty() {
            true => named(QuestionField::Options),
            false => Some(format!("options in {}", self.span(&options))),
        };
        let answer = match (&self.scores, self.counts_from, self.of.get(&QuestionField::Answer)) {
            (Some(scores), ..) => Some(format!("the right one has the highest number in `{}`", self.spelling(scores))),
            (None, Some((base, _)), _) => {
                named(QuestionField::Answer).map(|text| format!("{text}, counted from {base}"))
            }
            (None, None, Some(Source::Text(_))) => Some("the first option is right".to_string()),
            (None, None, _) => named(QuestionField::Answer),
        };
        let parts = [named(QuestionField::Story), named(QuestionField::Question), options, answer];
        Some(format!("read as {}: {}", self.recognised?, parts.into_iter().flatten().collect::<Vec<_>>().join(", ")))
    }

    /// The number of the first option, and the shape that determines it.
    pub fn counts_from(&self) -> Option<(GoldBase, &'static str)> {
        self.counts_from
    }

    /// The labels of a row's options, where a column holds them.
    pub fn labels<'r>(&self, row: &'r DataRow) -> Option<&'r Value> {
        row.cells.get(self.labels.as_ref()?).filter(|labels| !labels.is_null())
    }

    /// The column with a score for each option.
    pub fn scores(&self) -> Option<&str> {
        self.scores.as_deref()
    }

    /// Refuse names that are likely meant as a part that the file lacks: as facets they would be left out of every
    /// prompt.
    fn refuse_likely_parts(&self, names: &Names, declared: &HashSet<String>) -> Result<(), String> {
        for (name, (line, value)) in &names.first {
            if self.taken.contains(name) || declared.contains(name) {
                continue;
            }
            let free = |part: QuestionField| match part {
                QuestionField::Answer => !self.has_answer(),
                QuestionField::Options => !self.has_options(),
                part => !self.has(part),
            };
            if let Some(meant) = likely::meant(name, Some(value), free) {
                return Err(format!("line {line}: the column `{name}` {meant}, or --facet {name} if it is neither"));
            }
        }
        Ok(())
    }

    fn check(&self, names: &Names) -> Result<(), String> {
        let mut missing = Vec::new();
        if !self.has(QuestionField::Question) {
            missing.push("question");
        }
        if !self.has(QuestionField::Options) && !self.has(QuestionField::Option(0)) {
            missing.push("options (option_a, option_b, .., or a list in options)");
        }
        if !self.has_answer() {
            missing.push("answer");
        }
        if missing.is_empty() {
            return Ok(());
        }
        let headless =
            if missing.len() == 3 { "; pass --no-header if the first line of a CSV file is a question" } else { "" };
        Err(format!(
            "no column for: {}. The file has {}. Say which is which, for instance --column answer=NAME, or --text \
             question=\"..\" for a text that no column holds{headless}",
            missing.join(", "),
            listed(names)
        ))
    }

    /// Single options of the file.
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

    /// A row's value for a part; `None` if absent, null, empty or `nan`.
    pub fn value(&self, row: &DataRow, part: QuestionField) -> Result<Option<Value>, RowProblem> {
        let value =
            match self.of.get(&part) {
                None => return Ok(None),
                Some(Source::Column(name)) => row.cells.get(name).cloned(),
                Some(Source::Text(text)) => {
                    let get = |column: &str| row.cells.get(column).cloned();
                    Some(text.value(&get).map_err(|column| {
                        row.problem(Some(&column), format!("empty, but --text {part} needs a text"))
                    })?)
                }
            };
        Ok(value.filter(is_something))
    }

    /// A row's text for a part; numbers and booleans are converted to text.
    pub fn text(&self, row: &DataRow, part: QuestionField) -> Result<Option<String>, RowProblem> {
        match self.value(row, part)? {
            None => Ok(None),
            Some(value) => scalar(&value)
                .map(Some)
                .ok_or_else(|| row.problem(Some(&self.name(part)), "a list or an object where a text is needed")),
        }
    }

    /// A row's facets: the columns that hold no part.
    pub fn facets(&self, row: &DataRow) -> Facets {
        let is_taken = |name: &str| {
            self.taken.contains(name) || name.rmatch_indices('.').any(|(at, _)| self.taken.contains(&name[..at]))
        };
        let free = row.cells.iter().filter(|(name, value)| !is_taken(name) && **value != crate::canary::CANARY);
        let text = |value: &Value| scalar(value).map(|text| text.trim().to_string()).filter(|text| !text.is_empty());
        let name = |name: &str| match OF_REPORTS.contains(&name) {
            true => format!("file.{name}"),
            false => name.to_string(),
        };
        free.filter_map(|(column, value)| Some((name(column), text(value)?))).collect()
    }
}

/// Names as a list for messages; long lists are cut.
fn listed(names: &Names) -> String {
    const SHOWN: usize = 30;
    let Names { first, spelled } = names;
    if first.is_empty() {
        return "no columns at all".to_string();
    }
    let spelling = |name: &String| format!("`{}`", spelled.get(name).unwrap_or(name));
    let mut text = first.keys().take(SHOWN).map(spelling).collect::<Vec<_>>().join(", ");
    if first.len() > SHOWN {
        text.push_str(&format!(" and {} more", first.len() - SHOWN));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::custom::plain_names::with_plain_names;
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
}
