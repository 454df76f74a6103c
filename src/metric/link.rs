//! What a card says of questions that belong together: links of items of one story, and twins.

use serde::Deserialize;

use crate::benchmark::{Filter, Item};

/// Two kinds of items of one story, as a card links them.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// Short name, unique within the card; `first-second` where the card gives none.
    #[serde(default)]
    pub id: String,
    /// The items whose answers come first.
    pub first: Side,
    /// The items whose answers are looked at where the first are right, and where they are not.
    pub second: Side,
    /// Facets whose values form the rows.
    #[serde(default)]
    pub rows: Vec<String>,
    /// Facets in which both items of a pair must agree, besides the story.
    #[serde(default)]
    pub same: Vec<String>,
    /// Facets of the condition: second answers are exchanged only among stories that are alike in them.
    #[serde(default)]
    pub within: Vec<String>,
    /// Whether both answers name the same thing exactly where the right answers do.
    #[serde(default)]
    pub consistency: bool,
}

impl Link {
    /// Whether an item of the first side is paired with one of the second: another item of its story and row that is alike.
    pub fn pairs(&self, first: &Item, second: &Item) -> bool {
        let alike = |name: &String| first.grouped_by(name) == second.grouped_by(name);
        first.story == second.story && first.id != second.id && self.same.iter().chain(&self.rows).all(alike)
    }
}

impl Side {
    /// Whether an item is on this side.
    pub fn holds(&self, item: &Item) -> bool {
        self.filter.passes(|name| item.grouped_by(name))
    }
}

/// Items on one side of a link.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "WrittenSide")]
pub struct Side {
    pub name: String,
    pub filter: Filter,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "a side of a link is a value of the facet `link`, or a table of `name` and `where`")]
enum WrittenSide {
    Link(String),
    Table(WrittenTable),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenTable {
    name: String,
    #[serde(rename = "where")]
    filter: Filter,
}

impl From<WrittenSide> for Side {
    fn from(written: WrittenSide) -> Self {
        match written {
            WrittenSide::Link(name) => Side { filter: Filter::of("link", &name), name },
            WrittenSide::Table(WrittenTable { name, filter }) => Side { name, filter },
        }
    }
}

/// Versions of one question, as a card names them.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Twins {
    /// Short name, unique within the card.
    pub id: String,
    /// Heading.
    pub title: String,
    /// Facets whose values the items of one set share; `story` and `parallel` are those of the item.
    pub set: Vec<String>,
    /// Facets whose values form the rows.
    #[serde(default)]
    pub rows: Vec<String>,
    /// The versions; the first is the original, from which the others are told apart.
    pub parts: Vec<Part>,
}

/// One version of the questions of a set.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    pub name: String,
    #[serde(rename = "where")]
    pub filter: Filter,
    /// The edit that makes it of the original.
    pub edit: Option<String>,
}

/// Checks what a card says of links and twins, and gives links without a name theirs.
pub(super) fn check(links: &mut [Link], twins: &[Twins]) -> Result<(), (String, String)> {
    for link in links.iter_mut().filter(|link| link.id.is_empty()) {
        link.id = format!("{}-{}", link.first.name, link.second.name).replace(' ', "-");
    }
    let ids: Vec<&String> = links.iter().map(|link| &link.id).chain(twins.iter().map(|twins| &twins.id)).collect();
    if let Some((_, id)) = ids.iter().enumerate().find(|(at, id)| ids[..*at].contains(id)) {
        return Err((id.to_string(), "the id is used twice among links and twins; give each its own".to_string()));
    }
    match twins.iter().find(|twins| twins.parts.len() < 2 || twins.set.is_empty()) {
        Some(twins) => {
            Err((twins.id.clone(), "twins need a `set` and two `parts` or more, the original first".to_string()))
        }
        None => Ok(()),
    }
}
