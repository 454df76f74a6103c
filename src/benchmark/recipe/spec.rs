//! The section `[rows]` of a card: how the rows of files become items. `docs/cards.md` explains its keys.

use indexmap::IndexMap;
use regex::Regex;
use serde::Deserialize;
use toml::{Table, Value as Toml};

use super::template::Template;
use super::text::{Text, checked_pattern, template};
use crate::benchmark::SegmentKind;
use crate::benchmark::own::{AnswerKind, Delimiter, GoldBase};
use crate::parse_error::in_words;

/// How the rows of files become items.
#[derive(Debug, Clone)]
pub(in crate::benchmark) struct Recipe {
    /// Name of the folder that holds the files.
    pub(super) folder: Option<String>,
    /// What users can choose, by name; the first value is the default.
    pub(super) choices: IndexMap<String, Vec<String>>,
    /// Files whose rows belong to rows of others, by name.
    pub(super) joins: IndexMap<String, Join>,
    pub(super) questions: Vec<Question>,
}

/// One or several.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged, expecting = "a text or a list of texts")]
pub(super) enum Several<T> {
    One(T),
    Many(Vec<T>),
}

impl<T> Several<T> {
    pub fn as_slice(&self) -> &[T] {
        match self {
            Several::One(one) => std::slice::from_ref(one),
            Several::Many(many) => many,
        }
    }
}

/// Files of one form.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Files {
    /// Paths below the folder; `*` in a file's name stands for any text.
    pub patterns: Vec<String>,
    pub delimiter: Option<Delimiter>,
    pub header: bool,
    /// Whether each file is one object whose members are the rows.
    pub members: bool,
}

/// A file whose rows belong to rows of others.
#[derive(Debug, Clone)]
pub(super) struct Join {
    pub files: Files,
    /// The key of its own rows.
    pub key: Text,
    /// The key that a row of another file has.
    pub on: Text,
}

/// A question asked of each row, or of each entry of one of its lists.
#[derive(Debug, Clone)]
pub(super) struct Question {
    pub files: Files,
    /// The list with an entry for each question.
    pub each: Option<String>,
    pub when: Vec<Condition>,
    pub language: Text,
    pub id: Text,
    pub parallel: Option<Text>,
    pub story: Option<Text>,
    pub context: IndexMap<SegmentKind, Text>,
    pub question: Text,
    pub options: Options,
    pub kind: Option<AnswerKind>,
    pub base: Option<GoldBase>,
    /// Texts in context, question and options that others take the place of.
    pub fill: IndexMap<String, Text>,
    pub facets: IndexMap<String, Text>,
    pub flags: Vec<FlagOfCard>,
    pub repairs: Vec<RepairOfCard>,
}

/// The options of a question and which of them is right.
#[derive(Debug, Clone)]
pub(super) enum Options {
    /// Options in order, and what names the right ones.
    Named { options: OptionTexts, answer: Text },
    /// The right ones and the wrong ones, in no order of their own.
    Apart { right: Text, wrong: Vec<Text> },
}

/// The texts of options.
#[derive(Debug, Clone)]
pub(super) enum OptionTexts {
    List(Text),
    Each(Vec<Text>),
}

/// What must be so of a row.
#[derive(Debug, Clone)]
pub(super) struct Condition {
    pub of: Text,
    pub is: Option<Vec<String>>,
    pub is_not: Option<Vec<String>>,
    pub matches: Option<Regex>,
    pub lacks: Option<Template>,
}

/// An anomaly of the items whose rows fulfil all conditions.
#[derive(Debug, Clone)]
pub(super) struct FlagOfCard {
    pub name: String,
    pub detail: String,
    pub when: Vec<Condition>,
}

/// What repaired labels do to the items whose rows fulfil all conditions of its flag, which they have under both labels.
#[derive(Debug, Clone)]
pub(super) struct RepairOfCard {
    pub flag: FlagOfCard,
    /// What names the right option; without it the item is left out.
    pub answer: Option<Text>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct WrittenJoin {
    file: Several<String>,
    #[serde(default)]
    members: bool,
    delimiter: Option<Delimiter>,
    #[serde(default)]
    no_header: bool,
    key: Text,
    on: Text,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct WrittenQuestion {
    files: Option<Several<String>>,
    #[serde(default)]
    members: bool,
    delimiter: Option<Delimiter>,
    #[serde(default)]
    no_header: bool,
    each: Option<String>,
    #[serde(default)]
    when: Vec<WrittenCondition>,
    language: Option<Text>,
    id: Option<Text>,
    parallel: Option<Text>,
    story_id: Option<Text>,
    #[serde(default)]
    context: IndexMap<SegmentKind, Text>,
    question: Option<Text>,
    options: Option<Toml>,
    answer: Option<Text>,
    right: Option<Text>,
    wrong: Option<Toml>,
    answers_are: Option<AnswerKind>,
    gold_base: Option<u8>,
    #[serde(default)]
    fill: IndexMap<String, Text>,
    #[serde(default)]
    facets: IndexMap<String, Text>,
    #[serde(default)]
    flags: Vec<WrittenFlag>,
    #[serde(default)]
    repairs: Vec<WrittenRepair>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct WrittenCondition {
    of: Text,
    is: Option<Toml>,
    is_not: Option<Toml>,
    matches: Option<String>,
    lacks: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenFlag {
    name: String,
    detail: String,
    #[serde(default)]
    when: Vec<WrittenCondition>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRepair {
    name: String,
    detail: String,
    #[serde(default)]
    when: Vec<WrittenCondition>,
    answer: Option<Text>,
}

/// Facets that every outcome has besides those of its item.
const OF_REPORTS: [&str; 4] = ["style", "condition", "language", "options"];

/// Tables whose keys a question adds to those of all questions, and lists that it lengthens.
const ADDED: [&str; 5] = ["context", "facets", "fill", "flags", "repairs"];

impl TryFrom<Table> for Recipe {
    type Error = String;

    fn try_from(mut table: Table) -> Result<Self, String> {
        let folder = match table.remove("folder") {
            None => None,
            Some(Toml::String(folder)) => Some(folder),
            Some(other) => return Err(format!("folder: {} where a name is needed", other.type_str())),
        };
        let choices = match table.remove("choices") {
            None => IndexMap::new(),
            Some(choices) => IndexMap::<String, Vec<String>>::deserialize(choices)
                .map_err(|error| format!("choices: {}", in_words(error)))?,
        };
        if let Some((name, _)) = choices.iter().find(|(_, values)| values.is_empty()) {
            return Err(format!("choices: `{name}` has no value; the first of its list is the default"));
        }
        let joins = match table.remove("join") {
            None => IndexMap::new(),
            Some(joins) => IndexMap::<String, WrittenJoin>::deserialize(joins)
                .map_err(|error| format!("join: {}", in_words(error)))?
                .into_iter()
                .map(|(name, join)| Ok((name.clone(), join.checked().map_err(|why| format!("join.{name}: {why}"))?)))
                .collect::<Result<_, String>>()?,
        };
        let written = match table.remove("item") {
            None => vec![Toml::Table(Table::new())],
            Some(Toml::Array(several)) => several,
            Some(_) => return Err("item: write [[rows.item]]".to_string()),
        };
        let questions = (1..).zip(written).map(|(number, own)| {
            let Toml::Table(own) = own else { return Err("item: write [[rows.item]]".to_string()) };
            Question::of(&table, own).map_err(|why| format!("item {number}: {why}"))
        });
        Ok(Recipe { folder, choices, joins, questions: questions.collect::<Result<_, String>>()? })
    }
}

impl Question {
    /// A question with its own keys and, for the others, those of all questions.
    fn of(all: &Table, own: Table) -> Result<Self, String> {
        let mut merged = all.clone();
        for (key, value) in own {
            let value = match (merged.remove(&key), value) {
                (Some(Toml::Table(mut shared)), Toml::Table(own)) if ADDED.contains(&key.as_str()) => {
                    shared.extend(own);
                    Toml::Table(shared)
                }
                (Some(Toml::Array(mut shared)), Toml::Array(own)) if ADDED.contains(&key.as_str()) => {
                    shared.extend(own);
                    Toml::Array(shared)
                }
                (_, value) => value,
            };
            merged.insert(key, value);
        }
        WrittenQuestion::deserialize(merged).map_err(in_words)?.checked()
    }
}

fn files(
    patterns: &Several<String>,
    delimiter: Option<Delimiter>,
    no_header: bool,
    members: bool,
) -> Result<Files, String> {
    let patterns = patterns.as_slice().to_vec();
    let is_outside = |pattern: &String| {
        pattern.starts_with(['/', '\\']) || pattern.split(['/', '\\']).any(|part| part == "..") || pattern.contains(':')
    };
    if let Some(outside) = patterns.iter().find(|pattern| is_outside(pattern)) {
        return Err(format!("files: `{outside}` is not below the data's folder"));
    }
    if let Some(wild) = patterns.iter().find(|pattern| {
        let name = pattern.rsplit('/').next().unwrap_or(pattern);
        pattern.matches('*').count() > 1 || pattern.contains('*') && !name.contains('*')
    }) {
        return Err(format!("files: `{wild}` has a `*` elsewhere than once in the file's name"));
    }
    match patterns.is_empty() {
        true => Err("files: name at least one".to_string()),
        false => Ok(Files { patterns, delimiter, header: !no_header, members }),
    }
}

impl WrittenJoin {
    fn checked(self) -> Result<Join, String> {
        let files = files(&self.file, self.delimiter, self.no_header, self.members)?;
        Ok(Join { files, key: self.key, on: self.on })
    }
}

fn texts(value: Toml) -> Result<Vec<Text>, String> {
    match value {
        Toml::Array(list) => list.into_iter().map(Text::try_from).collect(),
        one => Ok(vec![Text::try_from(one)?]),
    }
}

impl WrittenQuestion {
    fn checked(self) -> Result<Question, String> {
        let needed = |key: &str| format!("the key `{key}` is missing");
        let patterns = self.files.ok_or_else(|| needed("files"))?;
        let options = match (self.options, self.answer, self.right, self.wrong) {
            (Some(options), Some(answer), None, None) => {
                let options = match options {
                    Toml::Array(list) => OptionTexts::Each(texts(Toml::Array(list))?),
                    one => OptionTexts::List(Text::try_from(one)?),
                };
                Options::Named { options, answer }
            }
            (None, None, Some(right), Some(wrong)) => Options::Apart { right, wrong: texts(wrong)? },
            _ => {
                return Err("give either `options` with `answer`, or `right` with `wrong`".to_string());
            }
        };
        if matches!((&options, self.answers_are), (Options::Apart { .. }, Some(AnswerKind::Slots))) {
            return Err("answers-are: slots need `options` and `answer`".to_string());
        }
        let base = match self.gold_base {
            None => None,
            Some(0) => Some(GoldBase::Zero),
            Some(1) => Some(GoldBase::One),
            Some(other) => return Err(format!("gold-base: {other}; options count from 0 or from 1")),
        };
        let repairs: Vec<RepairOfCard> =
            self.repairs.into_iter().map(WrittenRepair::checked).collect::<Result<_, _>>()?;
        if matches!(options, Options::Apart { .. }) && repairs.iter().any(|repair| repair.answer.is_some()) {
            return Err(
                "repairs: an `answer` needs `options`; with `right` and `wrong`, leave the item out".to_string()
            );
        }
        if let Some(taken) = self.facets.keys().find(|name| OF_REPORTS.contains(&name.as_str())) {
            return Err(format!("facets: every result has a `{taken}` already; choose another name"));
        }
        Ok(Question {
            files: files(&patterns, self.delimiter, self.no_header, self.members)?,
            each: self.each,
            when: conditions(self.when)?,
            language: self.language.unwrap_or_else(|| Text::words("en")),
            id: self.id.ok_or_else(|| needed("id"))?,
            parallel: self.parallel,
            story: self.story_id,
            context: self.context,
            question: self.question.ok_or_else(|| needed("question"))?,
            options,
            kind: self.answers_are,
            base,
            fill: self.fill,
            facets: self.facets,
            flags: self.flags.into_iter().map(WrittenFlag::checked).collect::<Result<_, _>>()?,
            repairs,
        })
    }
}

fn conditions(written: Vec<WrittenCondition>) -> Result<Vec<Condition>, String> {
    written.into_iter().map(WrittenCondition::checked).collect()
}

impl WrittenCondition {
    fn checked(self) -> Result<Condition, String> {
        let values = |value: Toml| -> Result<Vec<String>, String> {
            let list = match value {
                Toml::Array(list) => list,
                one => vec![one],
            };
            list.into_iter()
                .map(|value| match value {
                    Toml::String(text) => Ok(text),
                    Toml::Integer(number) => Ok(number.to_string()),
                    Toml::Boolean(truth) => Ok(truth.to_string()),
                    other => Err(format!("{} where a value is needed", other.type_str())),
                })
                .collect()
        };
        let condition = Condition {
            of: self.of,
            is: self.is.map(values).transpose()?,
            is_not: self.is_not.map(values).transpose()?,
            matches: self.matches.as_deref().map(checked_pattern).transpose()?,
            lacks: self.lacks.map(|text| template(&Toml::String(text))).transpose()?,
        };
        let Condition { is, is_not, matches, lacks, .. } = &condition;
        if is.is_some() || is_not.is_some() || matches.is_some() || lacks.is_some() {
            return Ok(condition);
        }
        Err("a condition needs one of is, is-not, matches, lacks".to_string())
    }
}

impl WrittenFlag {
    fn checked(self) -> Result<FlagOfCard, String> {
        Ok(FlagOfCard { name: self.name, detail: self.detail, when: conditions(self.when)? })
    }
}

impl WrittenRepair {
    fn checked(self) -> Result<RepairOfCard, String> {
        let WrittenRepair { name, detail, when, answer } = self;
        Ok(RepairOfCard { flag: WrittenFlag { name, detail, when }.checked()?, answer })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recipe(toml: &str) -> Result<Recipe, String> {
        match toml.parse::<Table>().unwrap().remove("rows") {
            Some(Toml::Table(rows)) => Recipe::try_from(rows),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn questions_share_what_they_do_not_say_themselves() {
        let found = recipe(
            "[rows]\nfiles = 'a.csv'\nid = '{n}'\noptions = ['yes', 'no']\nanswer = '{gold}'\ncontext.story = '{s}'\n\
             facets.level = 1\n[[rows.item]]\nquestion = 'one?'\n[[rows.item]]\nquestion = 'two?'\nid = '{n}b'\n\
             context.target = '{t}'\nfacets.kind = 'second'\n",
        )
        .unwrap();
        let kinds: Vec<Vec<&str>> =
            found.questions.iter().map(|own| own.context.keys().map(|kind| kind.name()).collect()).collect();
        assert_eq!(kinds, [vec!["story"], vec!["story", "target"]]);
        assert_eq!(found.questions[1].facets.len(), 2);
        assert!(recipe("[rows]\nfiles='a.csv'\nid='{n}'\nright='{a}'\nwrong='{b}'\nquestion='{q}'\n").is_ok());
    }

    #[test]
    fn mistakes_are_named() {
        let whole = "files='a.csv'\nid='{n}'\nquestion='{q}'\n";
        let error = |keys: &str| recipe(&format!("[rows]\n{whole}{keys}")).unwrap_err();
        for (keys, said) in [
            ("options='{o}'\n", "either `options` with `answer`, or `right` with `wrong`"),
            ("options='{o}'\nanswer='{a}'\nanser='{b}'\n", "unknown key `anser`"),
            ("options='{o}'\nanswer='{a}'\ngold-base=2\n", "gold-base: 2"),
            ("options='{o}'\nanswer='{a'\n", "unmatched `{`"),
            ("options='{o}'\nanswer='{a}'\nfacets.style='x'\n", "every result has a `style` already"),
            ("options='{o}'\nanswer='{a}'\nwhen=[{of='{a}'}]\n", "a condition needs one of"),
            ("options='{o}'\nanswer='{a}'\ncontext.storry='x'\n", "storry"),
            ("right='{o}'\nwrong='{a}'\nanswers-are='slots'\n", "slots need `options`"),
        ] {
            let message = error(keys);
            assert!(message.contains(said), "{keys}: {message}");
        }
        let outside = "is not below the data's folder";
        let paths = [
            ("../a.csv", outside),
            ("/a.csv", outside),
            ("x/../../a.csv", outside),
            ("*/*.csv", "has a `*` elsewhere"),
        ];
        for (path, said) in paths {
            let card = format!("[rows]\nfiles='{path}'\nid='1'\nquestion='?'\nright='a'\nwrong='b'\n");
            assert!(recipe(&card).unwrap_err().contains(said), "{path}");
        }
        assert!(recipe("[rows]\nid='1'\n").unwrap_err().contains("the key `files` is missing"));
    }
}
