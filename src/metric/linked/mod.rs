//! Questions that belong together. A card links items of one story by what they ask ([`Link`]): how often the second is
//! right where the first is, and whether both answers fit together; and it names twins ([`Twins`]): versions of one
//! question, of which each is told apart by the edit that makes it.
//!
//! What is found is an association of answers. It does not say that one answer was used for the other.

mod association;
mod consistency;
mod pairs;
mod twins;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

pub use association::LinkResult;
pub use consistency::{ConsistencyPart, ConsistencyResult};
pub use twins::{TwinMoves, TwinResult};

use super::respondent::{Header, Respondent};
use super::table::Presentation;
use super::world::{World, row_keys};
use crate::benchmark::{Filter, Item};
use pairs::{Roles, pairs};

/// Fewest answers of which a rate is given.
const FEWEST: usize = 10;

const TOO_FEW: &str = "fewer than 10 answers";

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

/// Answers to questions that belong together.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Linked {
    /// Answers to linked questions of one story; absent if the card links none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<LinkResult>,
    /// Whether answers of one story fit together, be they right or wrong; absent if the card asks for none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub consistency: Vec<ConsistencyResult>,
    /// Versions of the same questions; absent if the card names none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub twins: Vec<TwinResult>,
}

impl Linked {
    /// The results of all links and twins, for each style and condition. Answers of several people are pooled.
    pub(super) fn new(
        (links, twins): (&[Link], &[Twins]),
        items: &[Item],
        presentations: &[Presentation<'_>],
        by: Respondent<'_>,
    ) -> Self {
        let mut found = Linked::default();
        let mut roles = Roles::default();
        for presentation in presentations {
            let worlds = &presentation.worlds;
            let Some((style, condition)) = worlds.first().map(World::presentation) else { continue };
            let header = by.header(style, condition);
            for link in links {
                for key in row_keys(worlds, &link.rows, &Filter::default()) {
                    let pairs = pairs(link, worlds, &key, &mut roles);
                    found.links.extend(association::result(link, header.clone(), &key, &pairs));
                    let consistency = link.consistency.then(|| consistency::result(link, header.clone(), &key, &pairs));
                    found.consistency.extend(consistency.flatten());
                }
            }
            for each in twins {
                for key in row_keys(worlds, &each.rows, &Filter::default()) {
                    found.twins.extend(twins::result(each, header.clone(), &key, items, worlds));
                }
            }
        }
        found
    }

    /// Whether the card names nothing that belongs together, or nothing of it was answered.
    pub fn is_empty(&self) -> bool {
        self.links.is_empty() && self.consistency.is_empty() && self.twins.is_empty()
    }

    /// Adds the results of another run.
    pub fn add(&mut self, more: Linked) {
        self.links.extend(more.links);
        self.consistency.extend(more.consistency);
        self.twins.extend(more.twins);
    }

    /// Keeps the rows whose facet values pass.
    pub fn retain(&mut self, mut keeps: impl FnMut(&IndexMap<String, String>) -> bool) {
        self.links.retain(|each| keeps(&each.key));
        self.consistency.retain(|each| keeps(&each.key));
        self.twins.retain(|each| keeps(&each.key));
    }

    /// The headers of all results.
    pub(super) fn headers(&mut self) -> impl Iterator<Item = &mut Header> {
        let links = self.links.iter_mut().map(|each| &mut each.header);
        let consistency = self.consistency.iter_mut().map(|each| &mut each.header);
        links.chain(consistency).chain(self.twins.iter_mut().map(|each| &mut each.header))
    }
}
