//! Pairs of answers to two linked items of one story.

use std::collections::HashMap;

use indexmap::{IndexMap, IndexSet};

use crate::answer::Outcome;
use crate::benchmark::{Answer, Item, NoRoles, option_roles};
use crate::metric::link::Link;
use crate::metric::world::{Group, World};

/// Fewest answers of which a rate is given.
pub(super) const FEWEST: usize = 10;

pub(super) const TOO_FEW: &str = "fewer than 10 answers";

/// What each option of an item stands for, so that answers of different stories can be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum OptionRoles {
    /// Roles of the containers that the options name.
    InStory(Vec<String>),
    /// Stories of the benchmark are not tracked: the place of the option in the data.
    ByPlace,
    /// The tracker does not agree with the answer, or cannot read the story.
    Unknown,
}

/// The roles of the items seen so far.
#[derive(Default)]
pub(super) struct Roles {
    known: HashMap<String, OptionRoles>,
}

impl Roles {
    fn of(&mut self, item: &Item) -> &OptionRoles {
        self.known.entry(item.id.clone()).or_insert_with(|| match option_roles(item) {
            Ok(roles) => OptionRoles::InStory(roles),
            Err(NoRoles::NotTracked(_) | NoRoles::Language(_)) => OptionRoles::ByPlace,
            Err(_) => OptionRoles::Unknown,
        })
    }
}

impl OptionRoles {
    /// The role of an option, with the number of options of the item that share it.
    pub fn role(&self, option: usize) -> (String, usize) {
        match self {
            OptionRoles::InStory(roles) => {
                let role = roles.get(option).cloned().unwrap_or_default();
                let sharing = roles.iter().filter(|other| **other == role).count();
                (role, sharing.max(1))
            }
            OptionRoles::ByPlace | OptionRoles::Unknown => (option.to_string(), 1),
        }
    }

    /// Role of the right answer; one for all answers of several options.
    fn gold(&self, item: &Item) -> String {
        match &item.gold {
            Answer::Single(option) => self.role(option.0).0,
            Answer::Labels(_) | Answer::Slots(_) => String::new(),
        }
    }
}

/// Two answers.
pub(super) struct Pair<'a> {
    pub first: &'a Outcome<'a>,
    pub second: &'a Outcome<'a>,
    pub roles: [OptionRoles; 2],
    /// Number of its story.
    pub story: usize,
    /// Number of its stratum: the facets of the condition, and the roles of both right answers.
    pub stratum: usize,
}

/// The pairs of one row.
pub(super) struct Pairs<'a> {
    pub pairs: Vec<Pair<'a>>,
    pub stories: usize,
    /// Pairs left out: an item of them could not be asked, or its answer is not that of its story.
    pub left_out: usize,
}

/// Pairs of answers of the same story and respondent that the link names, in the order of the answers.
pub(super) fn pairs<'a>(
    link: &'a Link,
    worlds: &'a [World<'a>],
    key: &'a [(String, String)],
    roles: &mut Roles,
) -> Pairs<'a> {
    let mut stories: IndexSet<&str> = IndexSet::new();
    let mut strata: IndexSet<Vec<String>> = IndexSet::new();
    let mut found = Pairs { pairs: Vec::new(), stories: 0, left_out: 0 };
    for world in worlds {
        let [firsts, seconds] = [&link.first, &link.second].map(|side| Group::new(world, vec![&side.filter], key));
        let mut by_story: IndexMap<&str, Vec<&Outcome<'_>>> = IndexMap::new();
        for second in seconds.outcomes {
            by_story.entry(&second.item.story).or_default().push(second);
        }
        for first in firsts.outcomes {
            let others = by_story.get(first.item.story.as_str()).map_or(&[][..], Vec::as_slice);
            let facet = |outcome: &Outcome<'_>, name: &String| outcome.item.grouped_by(name).map(String::from);
            for &second in others.iter().filter(|second| link.pairs(first.item, second.item)) {
                let both = [first, second].map(|outcome| roles.of(outcome.item).clone());
                if first.failed() || second.failed() || both.contains(&OptionRoles::Unknown) {
                    found.left_out += 1;
                    continue;
                }
                let condition = link.within.iter().map(|name| facet(first, name).unwrap_or_default());
                let golds = [both[0].gold(first.item), both[1].gold(second.item)];
                found.pairs.push(Pair {
                    first,
                    second,
                    roles: both,
                    story: stories.insert_full(&first.item.story).0,
                    stratum: strata.insert_full(condition.chain(golds).collect()).0,
                });
            }
        }
    }
    found.stories = stories.len();
    found
}
