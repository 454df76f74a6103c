//! Adapters as named on the command line.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::language::Language;

/// The adapter to merge into a model's weights.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AdapterChoice {
    /// None: the model as it is.
    None,
    /// An adapter.
    Named(NamedAdapter),
}

/// An adapter's folder, with the user's description.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedAdapter {
    /// The languages it was trained in, in their usual order; empty if not given.
    pub trained_in: Vec<Language>,
    pub folder: PathBuf,
}

impl From<&Path> for NamedAdapter {
    /// The adapter in a folder, without a description.
    fn from(folder: &Path) -> Self {
        NamedAdapter { trained_in: Vec::new(), folder: folder.to_path_buf() }
    }
}

impl FromStr for AdapterChoice {
    type Err = String;

    /// `none`, `DIR`, `en=DIR`, or `en+zh=DIR` for an adapter trained in several languages.
    fn from_str(given: &str) -> Result<Self, String> {
        if given == "none" {
            return Ok(AdapterChoice::None);
        }
        let codes =
            |(codes, _): &(&str, &str)| codes.chars().all(|letter| letter.is_ascii_alphabetic() || letter == '+');
        let (codes, folder) = given.split_once('=').filter(codes).unwrap_or(("", given));
        if folder.is_empty() {
            return Err("name the folder of an adapter, or none for the model without one".to_string());
        }
        let mut trained_in: Vec<Language> = Vec::new();
        for code in codes.split('+').filter(|_| given != folder) {
            let language = code.parse::<Language>().map_err(|error| {
                format!("{error}; write several as en+zh=DIR, and a folder with = in its name as ./{given}")
            })?;
            if trained_in.contains(&language) {
                return Err(format!("names the language {language} twice"));
            }
            trained_in.push(language);
        }
        trained_in.sort_unstable();
        Ok(AdapterChoice::Named(NamedAdapter { trained_in, folder: PathBuf::from(folder) }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_may_stand_before_a_folder() {
        let named = |languages: &[Language], folder: &str| {
            Ok(AdapterChoice::Named(NamedAdapter { trained_in: languages.to_vec(), folder: folder.into() }))
        };
        let check = |given: &str, expected| assert_eq!(given.parse::<AdapterChoice>(), expected, "{given}");
        check("none", Ok(AdapterChoice::None));
        check("./none", named(&[], "./none"));
        check("adapters/en", named(&[], "adapters/en"));
        check("en=a", named(&[Language::En], "a"));
        check("zh+en=a/b=c", named(&[Language::En, Language::Zh], "a/b=c"));
        check("./x=1/a", named(&[], "./x=1/a"));
        for (given, part) in [
            ("", "name the folder"),
            ("en=", "name the folder"),
            ("xx=a", "unknown language `xx`"),
            ("xx=a", "./xx=a"),
            ("=a", "unknown language ``"),
            ("en+en=a", "names the language en twice"),
        ] {
            let problem = given.parse::<AdapterChoice>().unwrap_err();
            assert!(problem.contains(part), "{given}: {problem}");
        }
    }
}
