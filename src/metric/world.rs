//! Lookup structures of the measures: the outcomes of one presentation, and all items of the data.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};

use indexmap::IndexSet;

use super::{AskedPart, Filter, Outcome};
use crate::benchmark::Item;
use crate::language::Language;

/// All items of the data, whether or not they were run; they decide which stories are complete.
pub(super) struct Population<'a> {
    items: &'a [Item],
    stories: HashMap<&'a str, Vec<&'a Item>>,
    versions: HashMap<(&'a str, Option<&'a str>), Vec<&'a Item>>,
    stratum: Option<&'a str>,
}

/// Properties shared by items that are right about equally often: the card's stratum, the language and the number of
/// options.
pub(super) type Kind<'a> = (Option<&'a str>, &'a str, usize);

impl<'a> Population<'a> {
    /// Indexes the items of the data; `stratum` is the facet by which the card samples them.
    pub(super) fn new(items: &'a [Item], stratum: Option<&'a str>) -> Self {
        let mut population = Population { items, stories: HashMap::new(), versions: HashMap::new(), stratum };
        for item in items {
            population.stories.entry(&item.story).or_default().push(item);
            population.versions.entry((&item.parallel, item.facet("variant"))).or_default().push(item);
        }
        population
    }

    /// The kind of an item.
    pub(super) fn kind<'i>(&self, item: &'i Item) -> Kind<'i> {
        (self.stratum.and_then(|facet| item.facet(facet)), item.language.code(), item.options.len())
    }

    /// All items of a story.
    pub(super) fn story(&self, story: &str) -> &[&'a Item] {
        self.stories.get(story).map_or(&[], Vec::as_slice)
    }

    /// All language versions of an item's question, in its variant.
    pub(super) fn versions(&self, item: &'a Item) -> &[&'a Item] {
        self.versions.get(&(item.parallel.as_str(), item.facet("variant"))).map_or(&[], Vec::as_slice)
    }
}

/// The outcomes of one style and condition, and of one person if several answered.
pub(super) struct World<'a> {
    pub(super) population: &'a Population<'a>,
    pub(super) outcomes: Vec<&'a Outcome<'a>>,
    by_id: HashMap<&'a str, &'a Outcome<'a>>,
    style: &'a str,
    condition: Option<&'a str>,
}

impl<'a> World<'a> {
    pub(super) fn new(population: &'a Population<'a>, outcomes: Vec<&'a Outcome<'a>>) -> Self {
        let by_id = outcomes.iter().map(|outcome| (outcome.item.id.as_str(), *outcome)).collect();
        let (style, condition) =
            outcomes.first().map_or(("", None), |first| (first.style.as_str(), first.condition.as_deref()));
        World { population, outcomes, by_id, style, condition }
    }

    pub(super) fn outcome(&self, id: &str) -> Option<&'a Outcome<'a>> {
        self.by_id.get(id).copied()
    }

    /// The style and condition of its outcomes.
    pub(super) fn presentation(&self) -> (&'a str, Option<&'a str>) {
        (self.style, self.condition)
    }

    /// The value of a facet: the item's own, or a facet that every item has.
    fn facet<'i>(&'i self, item: &'i Item, name: &str) -> Option<Cow<'i, str>> {
        match name {
            "style" => Some(self.style.into()),
            "condition" => Some(self.condition.unwrap_or("plain").into()),
            _ => item.grouped_by(name),
        }
    }
}

/// The outcomes of one cell, and the filter that selected them.
pub(super) struct Group<'a> {
    pub(super) world: &'a World<'a>,
    pub(super) outcomes: Vec<&'a Outcome<'a>>,
    filters: Vec<&'a Filter>,
    key: &'a [(String, String)],
}

impl<'a> Group<'a> {
    /// All outcomes in the world with these row facets that pass all filters.
    pub(super) fn new(world: &'a World<'a>, filters: Vec<&'a Filter>, key: &'a [(String, String)]) -> Self {
        let mut group = Group { world, outcomes: Vec::new(), filters, key };
        group.outcomes = world.outcomes.iter().copied().filter(|outcome| group.wants(outcome.item)).collect();
        group
    }

    /// The subset that passes another filter.
    pub(super) fn within(&self, filter: &'a Filter) -> Self {
        let passes = |outcome: &&Outcome<'_>| filter.passes(|name| self.world.facet(outcome.item, name));
        Group {
            world: self.world,
            outcomes: self.outcomes.iter().copied().filter(passes).collect(),
            filters: self.filters.iter().copied().chain([filter]).collect(),
            key: self.key,
        }
    }

    /// The languages of the cell's items, run or not.
    pub(super) fn languages(&self) -> BTreeSet<Language> {
        let items = self.world.population.items.iter();
        items.filter(|item| self.wants(item)).map(|item| item.language).collect()
    }

    /// Whether an item belongs to the cell, run or not.
    pub(super) fn wants(&self, item: &Item) -> bool {
        self.key.iter().all(|(name, value)| self.world.facet(item, name).as_deref() == Some(value.as_str()))
            && self.filters.iter().all(|filter| filter.passes(|name| self.world.facet(item, name)))
    }
}

/// The number of a row's items that were asked, if not all; an item answered by several people counts once.
pub(super) fn part(worlds: &[World<'_>], filter: &Filter, key: &[(String, String)]) -> Option<AskedPart> {
    let groups: Vec<Group<'_>> = worlds.iter().map(|world| Group::new(world, vec![filter], key)).collect();
    let first = groups.first()?;
    let of = first.world.population.items.iter().filter(|item| first.wants(item)).count();
    let answered = groups.iter().flat_map(|group| &group.outcomes).map(|outcome| outcome.item.id.as_str());
    let asked = answered.collect::<HashSet<_>>().len();
    (asked < of).then_some(AskedPart { asked, of })
}

/// Facet values of the outcomes that form the rows of a table, sorted facet by facet in the order in which the values
/// first occur in the data, so that a sample of the items has its rows in the order of the whole.
pub(super) fn row_keys(worlds: &[World<'_>], facets: &[String], filter: &Filter) -> Vec<Vec<(String, String)>> {
    let Some(world) = worlds.first() else { return Vec::new() };
    let values_of = |item| {
        let passes = filter.passes(|name| world.facet(item, name));
        passes.then(|| facets.iter().map(|name| world.facet(item, name)).collect::<Option<Vec<Cow<'_, str>>>>())?
    };
    let run: IndexSet<Vec<Cow<'_, str>>> =
        worlds.iter().flat_map(|world| &world.outcomes).filter_map(|outcome| values_of(outcome.item)).collect();
    let mut known: Vec<IndexSet<Cow<'_, str>>> = vec![IndexSet::new(); facets.len()];
    for values in world.population.items.iter().filter_map(values_of).chain(run.iter().cloned()) {
        for (known, value) in known.iter_mut().zip(values) {
            known.insert(value);
        }
    }
    let mut keys: Vec<Vec<Cow<'_, str>>> = run.into_iter().collect();
    keys.sort_by_cached_key(|values| {
        values.iter().zip(&known).map(|(value, known)| known.get_index_of(value)).collect::<Vec<_>>()
    });
    keys.into_iter()
        .map(|values| facets.iter().cloned().zip(values.into_iter().map(Cow::into_owned)).collect())
        .collect()
}
