//! Arguments for reading a user's own data file.

use std::fmt::Display;
use std::hash::Hash;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use indexmap::IndexMap;

use crate::benchmark::{
    AnswerKind, Benchmark, Delimiter, GoldBase, OwnCard, OwnData, QuestionField, UnknownQuestionField, check_rows,
};
use crate::metric::Layout;

/// Arguments for reading a user's own data file.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Own questions (docs/own-data.md)")]
pub struct OwnArgs {
    /// Column with a part of a question, for instance answer=gold or option_a=choices.a; may be repeated.
    #[arg(long = "column", value_name = "PART=COLUMN", value_parser = part_and_text)]
    own_columns: Vec<(QuestionField, String)>,
    /// Text for a part without a column, with {column} for a row's own text, for instance question="What does {name}
    /// think?"; may be repeated.
    #[arg(long = "text", value_name = "PART=TEXT", value_parser = part_and_text)]
    own_texts: Vec<(QuestionField, String)>,
    /// Treat this column as a facet, whatever its name looks like; may be repeated. Columns that are neither part of a
    /// question nor like one are facets by default.
    #[arg(long = "facet", value_name = "COLUMN")]
    own_facets: Vec<String>,
    /// Kind of answers: one option (single), a set of options (labels), or one option for each of several slots (slots)
    /// [default: labels for lists, else single].
    #[arg(long = "answers-are", value_name = "single|labels|slots")]
    own_answers: Option<AnswerKind>,
    /// Number of the first option, if answers are numbers and the file is ambiguous.
    #[arg(long = "gold-base", value_name = "0|1")]
    own_gold_base: Option<GoldBase>,
    /// Field delimiter of a CSV file [default: the most frequent one in the first line].
    #[arg(long = "delimiter", value_name = "comma|semicolon|tab|pipe")]
    own_delimiter: Option<Delimiter>,
    /// The CSV file has no header: its columns are named 1, 2, 3.
    #[arg(long = "no-header")]
    own_no_header: bool,
    /// Card with title, stratum and tables for the report, or with a section on the rows of a folder's files
    /// (docs/cards.md).
    #[arg(long = "card", value_name = "FILE")]
    own_card: Option<PathBuf>,
}

impl OwnArgs {
    /// Whether a card is given.
    pub fn has_card(&self) -> bool {
        self.own_card.is_some()
    }

    /// Returns the settings of these arguments.
    pub fn own_data(&self) -> anyhow::Result<OwnData> {
        Ok(OwnData {
            columns: once_each("--column", &self.own_columns)?,
            texts: once_each("--text", &self.own_texts)?,
            facets: self.own_facets.clone(),
            answers: self.own_answers,
            gold_base: self.own_gold_base,
            delimiter: self.own_delimiter,
            no_header: self.own_no_header,
            card: self.own_card.as_deref().map(read_card).transpose()?,
        })
    }
}

/// Reads a user's own card and checks that its tables can be made.
fn read_card(path: &Path) -> anyhow::Result<OwnCard> {
    let named = || format!("--card {}", path.display());
    let card = OwnCard::try_from(std::fs::read_to_string(path).with_context(named)?).with_context(named)?;
    let own = OwnData { card: Some(card.clone()), ..OwnData::default() };
    Layout::parse(&Benchmark::Custom.card_text_with(&own)).with_context(named)?;
    check_rows(&own).map_err(|error| anyhow::anyhow!("invalid card: rows: {error}")).with_context(named)?;
    Ok(card)
}

/// Parses a pair NAME=VALUE.
pub fn name_and_value(text: &str) -> Result<(String, String), String> {
    text.split_once('=')
        .map(|(name, value)| (name.to_string(), value.to_string()))
        .ok_or_else(|| format!("`{text}` has no `=`; write NAME=VALUE"))
}

fn part_and_text(text: &str) -> Result<(QuestionField, String), String> {
    let (part, text) = name_and_value(text)?;
    Ok((part.parse().map_err(|error: UnknownQuestionField| error.to_string())?, text))
}

/// Returns pairs as a map; an error if a name is given twice.
pub fn once_each<K: Clone + Eq + Hash + Display, V: Clone>(
    flag: &str,
    pairs: &[(K, V)],
) -> anyhow::Result<IndexMap<K, V>> {
    let mut map = IndexMap::new();
    for (name, value) in pairs {
        let before = map.insert(name.clone(), value.clone());
        anyhow::ensure!(before.is_none(), "{flag} {name}= is given twice; leave out one");
    }
    Ok(map)
}
