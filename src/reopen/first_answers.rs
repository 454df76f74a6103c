//! Answers of a run to the first questions of a link, for reminders.

use std::collections::{BTreeSet, HashMap};

use indexmap::IndexMap;

use super::ReadRun;
use crate::benchmark::{Benchmark, Item, OwnData};
use crate::metric::{Layout, LayoutError, Link};
use crate::trial::{FirstAnswers, LoadedItems};

/// Answers that cannot be used for reminders.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FirstAnswersError {
    /// No card has the link.
    #[error("--remind {link}: no such link; {known}")]
    NoLink {
        link: String,
        /// The links that there are.
        known: String,
    },
    /// The name of a presentation cannot hold the link's.
    #[error(
        "--remind {0}: a `+` in the name of a link cannot be told from that between names; give it an `id` in its card"
    )]
    Name(String),
    /// The card's tables are invalid.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// The answers are to other questions.
    #[error(
        "--from: `{0}` is another question there than here; ask the same data in both runs (--data, --choose, and --seed \
         where stories are made)"
    )]
    OtherQuestion(String),
    /// No presentation has the answers.
    #[error("--from: its items were asked in several ways, none of them plain ({0}); name a run that asked plainly")]
    NotPlain(String),
}

/// The link of this name in the card of each benchmark that has it.
///
/// # Errors
/// None has it.
pub fn links_named(
    name: &str,
    benchmarks: &[Benchmark],
    own: &OwnData,
) -> Result<IndexMap<Benchmark, Link>, FirstAnswersError> {
    let (mut found, mut known) = (IndexMap::new(), Vec::new());
    for &benchmark in benchmarks {
        let links = Layout::parse(&benchmark.card_text_with(own))?.links;
        let names: Vec<&str> = links.iter().map(|link| link.id.as_str()).collect();
        known.push(match names.is_empty() {
            true => format!("{benchmark} has none"),
            false => format!("{benchmark} has {}", names.join(", ")),
        });
        found.extend(links.into_iter().find(|link| link.id == name).map(|link| (benchmark, link)));
    }
    match found.is_empty() {
        true => Err(FirstAnswersError::NoLink { link: name.to_string(), known: known.join("; ") }),
        false if name.contains('+') => Err(FirstAnswersError::Name(name.to_string())),
        false => Ok(found),
    }
}

/// The answers of a run to the first questions of links, and the loaded items that are linked to them: paired as in the table
/// of linked questions.
///
/// # Errors
/// The run asked other questions of these names, or none plainly.
pub fn first_answers(
    read: &ReadRun<'_>,
    links: &IndexMap<Benchmark, Link>,
    loaded: &LoadedItems,
) -> Result<FirstAnswers, FirstAnswersError> {
    let ways: BTreeSet<Option<&str>> = read.outcomes.iter().map(|outcome| outcome.condition.as_deref()).collect();
    let is_plain = ways.contains(&None);
    if !is_plain && ways.len() > 1 {
        let ways: Vec<&str> = ways.into_iter().flatten().collect();
        return Err(FirstAnswersError::NotPlain(ways.join(", ")));
    }
    let here: HashMap<&str, &Item> = loaded.in_data().iter().map(|item| (item.id.as_str(), item)).collect();
    let mut firsts: HashMap<&str, Vec<&Item>> = HashMap::new();
    let mut found = FirstAnswers::default();
    for outcome in read.outcomes.iter().filter(|outcome| !is_plain || outcome.condition.is_none()) {
        let there = outcome.item;
        let Some(&item) = here.get(there.id.as_str()) else { continue };
        if !links.get(&item.benchmark).is_some_and(|link| link.first.holds(item)) {
            continue;
        }
        if (&item.context, &item.question, &item.options) != (&there.context, &there.question, &there.options) {
            return Err(FirstAnswersError::OtherQuestion(item.id.clone()));
        }
        firsts.entry(&item.story).or_default().push(item);
        found.answers.insert(item.id.clone(), outcome.choice.clone());
    }
    for item in &loaded.items {
        let Some(link) = links.get(&item.benchmark).filter(|link| link.second.holds(item)) else { continue };
        let of_story = firsts.get(item.story.as_str()).map_or(&[][..], Vec::as_slice);
        let linked = of_story.iter().filter(|first| link.pairs(first, item)).map(|first| first.id.clone());
        found.linked.insert(item.id.clone(), linked.collect());
    }
    Ok(found)
}
