//! Names and things by culture that models may choose from when they adapt a story: an addition of this project.

use indexmap::IndexMap;
use serde::Deserialize;

use crate::model::sha256_bytes;
use crate::parse_error::in_words;

/// The project's own tables.
const BUILT_IN: &str = include_str!("../../datasets/making/entities.toml");

/// The table of one culture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entities {
    /// The file.
    pub file: String,
    /// SHA-256 of the file.
    pub sha256: String,
    /// Entries by kind, for instance `food`.
    kinds: IndexMap<String, Vec<String>>,
}

#[derive(Deserialize)]
struct File {
    #[serde(rename = "source")]
    _source: String,
    #[serde(flatten)]
    cultures: IndexMap<String, IndexMap<String, Vec<String>>>,
}

/// Tables that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EntitiesError {
    /// Not the format of tables.
    #[error("{file}: {message}")]
    Format {
        /// The file.
        file: String,
        /// Position and reason.
        message: String,
    },
    /// No such culture.
    #[error("{file} has no table for `{culture}`; it has {}", known.join(", "))]
    Unknown {
        /// The file.
        file: String,
        /// The culture asked for.
        culture: String,
        /// Those it has.
        known: Vec<String>,
    },
}

impl Entities {
    /// Reads the table of a culture, by default of the project's own.
    ///
    /// # Errors
    /// The text is not in the format, or has no such culture.
    pub fn of(culture: &str, file: Option<(&str, &str)>) -> Result<Self, EntitiesError> {
        let (file, text) = file.unwrap_or(("built-in entities.toml", BUILT_IN));
        let file = file.to_string();
        let mut read: File = toml::from_str(text)
            .map_err(|error| EntitiesError::Format { file: file.clone(), message: in_words(error) })?;
        let sha256 = sha256_bytes(text);
        match read.cultures.swap_remove(culture) {
            Some(kinds) => Ok(Entities { file, sha256, kinds }),
            None => {
                let known = read.cultures.into_keys().collect();
                Err(EntitiesError::Unknown { file, culture: culture.to_string(), known })
            }
        }
    }

    /// The table for a prompt.
    pub fn told(&self) -> String {
        let lines = self.kinds.iter().map(|(kind, entries)| format!("{kind}: {}", entries.join(", ")));
        let head = "Where the story needs such a name or thing, choose from these:".to_string();
        [head].into_iter().chain(lines).collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_culture_has_its_table_and_an_unknown_one_names_the_others() {
        let table = Entities::of("Bangladeshi", None).unwrap();
        assert!(table.told().contains("men: Arif, "), "{}", table.told());
        let unknown = Entities::of("Martian", None).unwrap_err().to_string();
        assert!(unknown.contains("no table for `Martian`; it has ") && unknown.contains("Egyptian"), "{unknown}");
    }
}
