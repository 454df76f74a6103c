//! Lists of names by kind and group.

use std::sync::LazyLock;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::parse_error::in_words;

/// The project's own lists.
const BUILT_IN: &str = include_str!("../../../datasets/swap/names.toml");

/// Names by group.
pub type Groups = IndexMap<String, Vec<String>>;

/// Names by kind and group, as in a file for `--swap names=FILE`: a name is replaced by one of its kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct NameLists(IndexMap<String, Groups>);

/// Lists that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameListError {
    /// Not the format of lists.
    #[error("{0}; write names as `[kind]` and lines `group = [\"Name\", \"Name\"]`")]
    Format(String),
    /// A kind with a single group, or none.
    #[error("`[{0}]` has fewer than two groups; a name is replaced by one of another group of its kind")]
    OneGroup(String),
    /// A group without names.
    #[error("the group `{0}` has no names; name some, or leave it out")]
    NoNames(String),
    /// A name without letters, or with a space around it.
    #[error("`{0}` is not a name: names begin and end with a letter")]
    NoName(String),
    /// A name in two places.
    #[error("the name `{0}` is listed twice; each name belongs to one group")]
    Twice(String),
}

impl NameLists {
    /// Reads lists from the text of a file.
    ///
    /// # Errors
    /// The text is not in the format, or a kind has a single group.
    pub fn parse(text: &str) -> Result<NameLists, NameListError> {
        let lists: NameLists = toml::from_str(text).map_err(|error| NameListError::Format(in_words(error)))?;
        if lists.0.is_empty() {
            return Err(NameListError::Format("the file has no names".to_string()));
        }
        let mut seen: Vec<&String> = Vec::new();
        for (kind, groups) in &lists.0 {
            if groups.len() < 2 {
                return Err(NameListError::OneGroup(kind.clone()));
            }
            for (group, names) in groups {
                if names.is_empty() {
                    return Err(NameListError::NoNames(group.clone()));
                }
                for name in names {
                    let letter = |end: Option<char>| end.is_some_and(char::is_alphabetic);
                    if !letter(name.chars().next()) || !letter(name.chars().next_back()) {
                        return Err(NameListError::NoName(name.clone()));
                    }
                    if seen.contains(&name) {
                        return Err(NameListError::Twice(name.clone()));
                    }
                    seen.push(name);
                }
            }
        }
        Ok(lists)
    }

    /// The project's own lists; a test reads their file.
    pub(super) fn built_in() -> &'static NameLists {
        static LISTS: LazyLock<NameLists> = LazyLock::new(|| NameLists::parse(BUILT_IN).unwrap_or_default());
        &LISTS
    }

    /// The groups of a kind.
    pub(super) fn groups(&self, kind: &str) -> Option<&Groups> {
        self.0.get(kind)
    }

    /// Every name with its kind and group.
    pub(super) fn names(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        self.0.iter().flat_map(|(kind, groups)| {
            groups.iter().flat_map(move |(group, names)| {
                names.iter().map(move |name| (kind.as_str(), group.as_str(), name.as_str()))
            })
        })
    }

    /// How many controls each name can have: half of the names of the smallest group, so that a story may have the other half;
    /// at most `most`.
    pub fn controls(&self, most: usize) -> usize {
        let sizes = self.0.values().flat_map(IndexMap::values).map(Vec::len);
        sizes.min().map_or(0, |fewest| (fewest / 2).min(most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_of_the_project_have_every_kind_and_enough_names_for_controls() {
        let lists = NameLists::parse(BUILT_IN).unwrap();
        for (kind, fewest) in [("race", 1), ("surname", 2 * 5 + 1), ("name", 2 * 5 + 1), ("other", 1)] {
            assert!(lists.groups(kind).unwrap().values().all(|names| names.len() >= fewest), "{kind}");
        }
        assert!(
            lists
                .names()
                .all(|(_, _, name)| !name.ends_with('s') || lists.0["other"].values().flatten().any(|it| it == name))
        );
    }

    #[test]
    fn lists_that_cannot_be_used_say_how_to_mend_them() {
        let message = |text: &str| NameLists::parse(text).unwrap_err().to_string();
        assert!(message("[a]\nb = [\"Ann\"]").contains("fewer than two groups"));
        assert!(message("[a]\nb = [\"Ann\"]\nc = [\"Ann\"]").contains("`Ann` is listed twice"));
        assert!(message("[a]\nb = [\" Ann\"]\nc = []").contains("is not a name"));
        assert!(message("[a]\nb = []\nc = [\"Ann\"]").contains("has no names"));
        assert!(message("a = 1").contains("write names as"));
        let lists = NameLists::parse("[a]\nb = [\"Ann\", \"Eve\"]\nc = [\"Bo\", \"Al\", \"Cy\"]").unwrap();
        assert_eq!((lists.controls(5), lists.names().count()), (1, 5));
    }
}
