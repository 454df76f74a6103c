//! Conditions on facets, as cards write them.

use std::borrow::Cow;

use indexmap::IndexMap;
use serde::Deserialize;

/// A condition on facets: every named facet must have one of the listed values. `*` matches any value, so `{ task = "*"
/// }` keeps the items that have a task.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "IndexMap<String, OneOrMany>")]
pub struct Filter {
    wanted: IndexMap<String, Vec<String>>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "a facet's value is a text, a whole number, true or false, or a list of them")]
enum OneOrMany {
    One(Scalar),
    Many(Vec<Scalar>),
}

/// A facet's value as written in a card.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged, expecting = "a facet's value is a text, a whole number, true or false")]
pub(crate) enum Scalar {
    Text(String),
    Number(i64),
    Truth(bool),
}

impl Scalar {
    /// The value as facets have it.
    pub(crate) fn text(self) -> String {
        match self {
            Scalar::Text(text) => text,
            Scalar::Number(number) => number.to_string(),
            Scalar::Truth(truth) => truth.to_string(),
        }
    }
}

impl From<IndexMap<String, OneOrMany>> for Filter {
    fn from(written: IndexMap<String, OneOrMany>) -> Self {
        let values = |values| match values {
            OneOrMany::One(value) => vec![Scalar::text(value)],
            OneOrMany::Many(values) => values.into_iter().map(Scalar::text).collect(),
        };
        Filter { wanted: written.into_iter().map(|(facet, wanted)| (facet, values(wanted))).collect() }
    }
}

impl Filter {
    /// The filter for one value of one facet.
    pub fn of(facet: &str, value: &str) -> Self {
        Filter { wanted: IndexMap::from([(facet.to_string(), vec![value.to_string()])]) }
    }

    /// Whether facets, looked up by name, pass.
    pub fn passes<'a>(&self, facet: impl Fn(&str) -> Option<Cow<'a, str>>) -> bool {
        self.wanted.iter().all(|(name, values)| {
            facet(name).is_some_and(|value| values.iter().any(|wanted| wanted == "*" || *wanted == *value))
        })
    }

    /// Names of the facets.
    pub fn facets(&self) -> impl Iterator<Item = &String> {
        self.wanted.keys()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_need_one_of_the_values_of_every_facet() {
        let facets = |name: &str| match name {
            "order" => Some("2".into()),
            "task" => Some("x".into()),
            _ => None,
        };
        let check = |text: &str, passes| {
            assert_eq!(toml::from_str::<Filter>(text).unwrap().passes(facets), passes, "{text}");
        };
        check("", true);
        check("order = 2", true);
        check("order = [1, 2]\ntask = '*'", true);
        check("order = '3'", false);
        check("order = 2\nlength = '*'", false);
    }
}
