//! Tables of accuracy by facets of the user's choice, in addition to those of a benchmark's card.

use std::collections::BTreeSet;

use crate::benchmark::{Item, facet_name};
use crate::metric::Layout;

/// Facets that all outcomes have.
const OF_EVERY_ITEM: [&str; 4] = ["language", "options", "style", "condition"];

/// Facets for accuracy tables: one table per entry, which names one facet or several, as in `order,task`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facets(pub Vec<String>);

/// A facet that no item has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("--by {facet}: no item has this facet; known facets: {known}")]
pub struct UnknownFacet {
    /// The given facet.
    pub facet: String,
    /// The facets that items have.
    pub known: String,
}

impl Facets {
    /// Rejects facets that no item has.
    pub fn check(&self, items: &[Item]) -> Result<(), UnknownFacet> {
        for facet in self.0.iter().flat_map(|by| names(by, items)) {
            if !items.iter().any(|item| has_facet(item, &facet)) {
                let known: BTreeSet<&str> =
                    items.iter().flat_map(|item| item.facets.keys().map(String::as_str)).collect();
                let known = OF_EVERY_ITEM.into_iter().chain(known).collect::<Vec<_>>().join(", ");
                return Err(UnknownFacet { facet, known });
            }
        }
        Ok(())
    }

    /// Adds the tables for which these items of one benchmark have facets.
    pub fn add_to(&self, layout: &mut Layout, items: &[Item]) {
        for facets in self.0.iter().map(|by| names(by, items)) {
            if items.iter().any(|item| facets.iter().all(|facet| has_facet(item, facet))) {
                layout.add_accuracy_by(&facets);
            }
        }
    }
}

fn has_facet(item: &Item, facet: &str) -> bool {
    OF_EVERY_ITEM.contains(&facet) || item.facet(facet).is_some()
}

/// The named facets that items have.
fn names(by: &str, items: &[Item]) -> Vec<String> {
    let names = by.split(',').map(str::trim).filter(|name| !name.is_empty());
    names.map(|name| facet_name(name, items).unwrap_or_else(|| name.to_string())).collect()
}
