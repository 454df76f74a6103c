//! Counting items against what a card expects.

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

use indexmap::IndexMap;

use super::Item;
use crate::language::Language;

/// A count in a card, taken for each language (and variant) separately. Written
///
/// - `items` or `stories`: their number;
/// - `stories/<facet>`: the number of stories, each counted once for every value of the facet among its items;
/// - the name of a facet: its number of distinct values;
/// - `<facet>=<value>`: the number of items with it, or `flag=<name>`: the number of items with this flag;
///
/// each optionally followed by `@<language>` to count that language only.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CountKey {
    what: What,
    language: Option<Language>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum What {
    Items,
    Stories,
    StoriesBy { facet: String },
    Values { facet: String },
    WithValue { facet: String, value: String },
    WithFlag { flag: String },
}

/// Beginning of a count of stories by a facet.
const BY: &str = "stories/";

/// An unknown or empty count.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown count `{given}`; use items, stories, stories/facet, a facet, facet=value or flag=name, with @language where \
     needed"
)]
pub struct UnknownCount {
    /// The text as given.
    pub given: String,
}

impl FromStr for CountKey {
    type Err = UnknownCount;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        let language = given.rsplit_once('@').and_then(|(_, code)| code.parse().ok());
        let name = if language.is_some() { given.rsplit_once('@').map_or(given, |(name, _)| name) } else { given };
        let what = match name.split_once('=') {
            _ if name.is_empty() => return Err(UnknownCount { given: given.to_string() }),
            Some(("flag", flag)) => What::WithFlag { flag: flag.to_string() },
            Some((facet, value)) => What::WithValue { facet: facet.to_string(), value: value.to_string() },
            None if name == "items" => What::Items,
            None if name == "stories" => What::Stories,
            None if name.starts_with(BY) => What::StoriesBy { facet: name[BY.len()..].to_string() },
            None => What::Values { facet: name.to_string() },
        };
        Ok(CountKey { what, language })
    }
}

impl fmt::Display for CountKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.what {
            What::Items => f.write_str("items")?,
            What::Stories => f.write_str("stories")?,
            What::StoriesBy { facet } => write!(f, "{BY}{facet}")?,
            What::Values { facet } => f.write_str(facet)?,
            What::WithValue { facet, value } => write!(f, "{facet}={value}")?,
            What::WithFlag { flag } => write!(f, "flag={flag}")?,
        }
        match self.language {
            Some(language) => write!(f, "@{language}"),
            None => Ok(()),
        }
    }
}

impl CountKey {
    /// Whether the count holds for items of this language.
    pub fn concerns(&self, language: Language) -> bool {
        self.language.is_none_or(|own| own == language)
    }

    /// The count over these items.
    pub fn count(&self, items: &[&Item]) -> usize {
        match &self.what {
            What::Items => items.len(),
            What::Stories => items.iter().map(|item| &item.story).collect::<HashSet<_>>().len(),
            What::StoriesBy { facet } => {
                items.iter().map(|item| (&item.story, item.facet(facet))).collect::<HashSet<_>>().len()
            }
            What::Values { facet } => items.iter().filter_map(|item| item.facet(facet)).collect::<HashSet<_>>().len(),
            What::WithValue { facet, value } => items.iter().filter(|item| item.facet(facet) == Some(value)).count(),
            What::WithFlag { flag } => {
                items.iter().filter(|item| item.flags.iter().any(|known| known.name == **flag)).count()
            }
        }
    }
}

/// Items of one language and, where the benchmark has variants, one variant.
#[derive(Debug, Clone)]
pub struct Version<'a> {
    pub language: Language,
    /// The value of the facet `variant`, for instance `cultural`.
    pub variant: Option<&'a str>,
    /// The items, in file order.
    pub items: Vec<&'a Item>,
}

/// The versions of a benchmark, in the order in which they first occur.
pub fn versions(items: &[Item]) -> Vec<Version<'_>> {
    let mut versions: Vec<Version<'_>> = Vec::new();
    for item in items {
        let (language, variant) = (item.language, item.facet("variant"));
        match versions.iter_mut().find(|version| version.language == language && version.variant == variant) {
            Some(version) => version.items.push(item),
            None => versions.push(Version { language, variant, items: vec![item] }),
        }
    }
    versions
}

/// A card's count beside the count found.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    /// The count's name in the card.
    pub count: String,
    /// The language counted.
    pub language: Language,
    /// The variant counted, where the benchmark has any.
    pub variant: Option<String>,
    /// Count expected by the card.
    pub expected: usize,
    /// Count found.
    pub found: usize,
}

impl Comparison {
    /// Whether a count of rows differs from the card's: a file may correct anomalies, but must not lack rows.
    pub fn is_of_other_rows(&self) -> bool {
        self.found != self.expected && !self.count.starts_with("flag=")
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let variant = self.variant.as_ref().map(|variant| format!(", {variant}")).unwrap_or_default();
        let name = self.count.split('@').next().unwrap_or_default();
        write!(f, "{} ({}{variant}): {} here, {} released", name, self.language, self.found, self.expected)
    }
}

/// Compare the counts that a card expects with every version of the items that they concern.
pub fn compare(expected: &IndexMap<String, usize>, items: &[Item]) -> Result<Vec<Comparison>, UnknownCount> {
    let keys = expected
        .iter()
        .map(|(name, expected)| Ok((name.parse::<CountKey>()?, *expected)))
        .collect::<Result<Vec<_>, UnknownCount>>()?;
    let versions = versions(items);
    let compared = versions.iter().flat_map(|version| {
        keys.iter().filter(|(key, _)| key.concerns(version.language)).map(|(key, expected)| Comparison {
            count: key.to_string(),
            language: version.language,
            variant: version.variant.map(str::to_string),
            expected: *expected,
            found: key.count(&version.items),
        })
    });
    Ok(compared.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_print_as_they_were_written() {
        for text in [
            "items",
            "stories@en",
            "stories/ability",
            "ability",
            "task=False Belief Task@zh",
            "flag=duplicate-options",
            "a=b@c",
        ] {
            assert_eq!(text.parse::<CountKey>().unwrap().to_string(), text);
        }
        assert!("".parse::<CountKey>().is_err());
        assert!("@en".parse::<CountKey>().is_err());
    }

    #[test]
    fn a_language_narrows_a_count() {
        let key: CountKey = "items@zh".parse().unwrap();
        assert!(key.concerns(Language::Zh));
        assert!(!key.concerns(Language::En));
        assert!("items".parse::<CountKey>().unwrap().concerns(Language::En));
    }
}
