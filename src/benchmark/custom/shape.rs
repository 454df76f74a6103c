//! Common file layouts, recognised by their column names; the table is `shapes.toml`.

use std::sync::LazyLock;

use indexmap::IndexMap;
use serde::Deserialize;

use crate::benchmark::own::{GoldBase, QuestionField};

/// The table.
pub(super) static SHAPES: LazyLock<Shapes> =
    LazyLock::new(|| toml::from_str(include_str!("shapes.toml")).expect("a test reads the table"));

/// All known column names.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Shapes {
    /// Shapes recognised by all their columns.
    pub shape: Vec<Shape>,
    names: IndexMap<QuestionField, Vec<String>>,
    options: OptionNames,
}

/// Columns with one option each: `#` stands for a letter or number.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct OptionNames {
    /// Any option.
    each: Vec<String>,
    /// The right option, in files with separate columns for the wrong ones.
    right: Vec<String>,
    /// A wrong option.
    wrong: Vec<String>,
}

/// A file layout with a name.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Shape {
    /// Its common name.
    pub name: String,
    /// The column of each part.
    pub columns: IndexMap<QuestionField, String>,
    /// Texts for parts that no column holds.
    #[serde(default)]
    pub texts: IndexMap<QuestionField, String>,
    /// The number of the first option, where the shape determines it.
    #[serde(default)]
    pub counts_from: Option<GoldBase>,
    /// The column with a score for each option, highest for the right one.
    #[serde(default)]
    pub scores: Option<String>,
    /// Columns that are neither parts nor facets.
    #[serde(default)]
    pub unused: Vec<String>,
}

/// A possible source of options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum OptionColumns {
    /// All in one column.
    List(String),
    /// One in each column.
    Each(Vec<String>),
    /// The right one in the first of these columns.
    RightFirst(Vec<String>),
}

impl OptionColumns {
    /// The columns, in the order of the options.
    pub fn columns(&self) -> &[String] {
        match self {
            OptionColumns::List(column) => std::slice::from_ref(column),
            OptionColumns::Each(columns) | OptionColumns::RightFirst(columns) => columns,
        }
    }
}

impl Shapes {
    /// The shapes whose columns are all present.
    pub fn fitting(&self, is_there: impl Fn(&str) -> bool) -> Vec<&Shape> {
        let fits = |shape: &&Shape| shape.columns.values().chain(&shape.scores).all(|column| is_there(column));
        self.shape.iter().filter(fits).collect()
    }

    /// The columns that may hold a part under an alternative name.
    pub fn candidates(&self, part: QuestionField, is_there: impl Fn(&str) -> bool) -> Vec<&str> {
        self.names.get(&part).into_iter().flatten().map(String::as_str).filter(|name| is_there(name)).collect()
    }

    /// All possible sources of a question's options.
    pub fn options(&self, is_there: impl Fn(&str) -> bool) -> Vec<OptionColumns> {
        let lists = self.candidates(QuestionField::Options, &is_there).into_iter();
        let mut found: Vec<OptionColumns> = lists
            .map(|name| {
                let texts = format!("{name}.text");
                OptionColumns::List(if is_there(&texts) { texts } else { name.to_string() })
            })
            .collect();
        let each = self.options.each.iter().map(|pattern| in_turn(pattern, &is_there));
        found.extend(each.filter(|columns| columns.len() >= 2).map(OptionColumns::Each));
        let right: Vec<&String> = self.options.right.iter().filter(|name| is_there(name)).collect();
        for wrong in self.options.wrong.iter().map(|pattern| in_turn(pattern, &is_there)) {
            if !wrong.is_empty() {
                let with = |right: &&String| [vec![(*right).clone()], wrong.clone()].concat();
                found.extend(right.iter().map(with).map(OptionColumns::RightFirst));
            }
        }
        found
    }
}

/// The columns of a pattern, without gaps: letters from a, or numbers from 0 or 1.
fn in_turn(pattern: &str, is_there: impl Fn(&str) -> bool) -> Vec<String> {
    let most = usize::from(QuestionField::OPTIONS);
    let named = |part: String| pattern.replace('#', &part);
    let letters = (b'a'..=b'z').map(|letter| named(char::from(letter).to_string()));
    let letters: Vec<String> = letters.take_while(|name| is_there(name)).collect();
    // A number alone is the name of a column without a header.
    if !letters.is_empty() || pattern == "#" {
        return letters;
    }
    let first = usize::from(!is_there(&named("0".to_string())));
    (first..first + most).map(|number| named(number.to_string())).take_while(|name| is_there(name)).collect()
}

/// Whether the members of an object of this name are option texts rather than columns.
pub(super) fn holds_options(name: &str) -> bool {
    SHAPES.shape.iter().any(|shape| shape.scores.as_deref() == Some(name) || shape.unused.iter().any(|own| own == name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_is_sound() {
        for shape in &SHAPES.shape {
            let has = |part: QuestionField| shape.columns.contains_key(&part) || shape.texts.contains_key(&part);
            assert!(has(QuestionField::Question), "{}", shape.name);
            assert!(has(QuestionField::Options) || has(QuestionField::Option(1)), "{}", shape.name);
            assert!(has(QuestionField::Answer) != shape.scores.is_some(), "{}", shape.name);
            assert!(shape.counts_from.is_none() || has(QuestionField::Answer), "{}", shape.name);
        }
    }

    #[test]
    fn options_are_columns_in_turn() {
        let options = |names: &[&str]| SHAPES.options(|name| names.contains(&name));
        let each = |names: &[&str]| OptionColumns::Each(names.iter().map(|name| name.to_string()).collect());
        assert_eq!(options(&["a", "b", "c", "e"]), [each(&["a", "b", "c"])]);
        assert_eq!(options(&["ending0", "ending1"]), [each(&["ending0", "ending1"])]);
        assert_eq!(options(&["choice_1", "choice_2", "choice_4"]), [each(&["choice_1", "choice_2"])]);
        assert_eq!(options(&["1", "2", "3", "option_1"]), []);
        assert_eq!(
            options(&["correct", "distractor1", "distractor2"]),
            [OptionColumns::RightFirst(["correct", "distractor1", "distractor2"].map(String::from).to_vec())]
        );
        assert_eq!(options(&["choices", "choices.text", "a", "b"]).len(), 2);
    }
}
