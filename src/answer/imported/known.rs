//! Matches rows to items by id, or by the question and the set of option texts.

use std::collections::HashMap;

use super::problem::{ImportedProblem, ProblemKind};
use super::request_map::RequestMap;
use crate::benchmark::Item;
use crate::prompt::Order;

/// Number of ids listed for an ambiguous row.
const NAMED: usize = 3;

/// The items that rows are matched to.
pub struct KnownItems<'a> {
    pub(super) items: &'a [Item],
    pub(super) by_id: HashMap<&'a str, usize>,
    pub(super) stories: HashMap<&'a str, Vec<usize>>,
    /// Requests by short id, if requests were written to files.
    pub(super) requests: Option<&'a RequestMap>,
    /// By the id in the data file, between the benchmark's name and the language; `None` if several items share it.
    by_own_id: HashMap<&'a str, Option<usize>>,
    /// Question of each item.
    questions: Vec<String>,
    /// By sorted option texts.
    by_options: HashMap<Vec<String>, Vec<usize>>,
}

/// Identifying data of a row's item.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Names {
    /// Ids given in the row, except row numbers.
    pub(super) ids: Vec<String>,
    /// Texts, one of which is or ends with the question.
    pub(super) texts: Vec<String>,
    /// Lists, one of which contains the options as shown.
    pub(super) lists: Vec<Vec<String>>,
}

/// The item of a row.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    /// Index into the known items.
    pub(super) item: usize,
    /// Distinct orders in which the row's lists contain its options; empty if the row has no lists.
    pub(super) orders: Vec<Order>,
}

impl<'a> KnownItems<'a> {
    /// Indexes the items that rows are matched to; `requests` are the requests written for other programs.
    pub fn new(items: &'a [Item], requests: Option<&'a RequestMap>) -> Self {
        let mut stories: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut by_own_id: HashMap<&str, Option<usize>> = HashMap::new();
        let mut by_options: HashMap<Vec<String>, Vec<usize>> = HashMap::new();
        for (position, item) in items.iter().enumerate() {
            stories.entry(item.story.as_str()).or_default().push(position);
            let within = item.id.strip_prefix(item.benchmark.name()).and_then(|rest| rest.strip_prefix('/'));
            let own = within.and_then(|rest| rest.strip_suffix(item.language.code())?.strip_suffix('/'));
            if let Some(own) = own {
                by_own_id.entry(own).and_modify(|known| *known = None).or_insert(Some(position));
            }
            by_options.entry(sorted(&item.options)).or_default().push(position);
        }
        let by_id = items.iter().enumerate().map(|(position, item)| (item.id.as_str(), position)).collect();
        let questions = items.iter().map(|item| plain(&item.question)).collect();
        KnownItems { items, by_id, stories, requests, by_own_id, questions, by_options }
    }

    /// Whether an item has this id.
    pub fn has(&self, id: &str) -> bool {
        self.by_id.contains_key(id)
    }

    /// The item of an id: the whole one, or that of the data's own file where it is unique.
    pub(super) fn by_any_id(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied().or_else(|| self.by_own_id.get(id).copied().flatten())
    }

    /// The item that a key of a map under `id` names: by its full id, or by the part after `id`.
    pub(super) fn question(&self, id: &str, key: &str) -> Option<usize> {
        self.by_id.get(key).or_else(|| self.by_id.get(format!("{id}/{key}").as_str())).copied()
    }

    /// Finds the item of a row.
    ///
    /// # Errors
    /// No item matches, several do, or the row's lists do not contain the options of the item it names.
    pub(super) fn find(&self, names: &Names) -> Result<Found, Box<ImportedProblem>> {
        let by_id = names.ids.iter().find_map(|id| self.by_any_id(id));
        if let Some(item) = by_id {
            let orders = orders_in(&names.lists, &self.items[item]);
            if orders.is_empty() && !names.lists.is_empty() {
                let message =
                    format!("no list of the row contains each option of `{}` exactly once", self.items[item].id);
                return Err(ImportedProblem::mistake(None, message).of_kind(ProblemKind::Unmatched));
            }
            return Ok(Found { item, orders });
        }
        let item = self.by_question(names).map_err(|problem| match names.ids.first() {
            Some(id) => problem.of_unknown(id),
            None => problem,
        })?;
        let orders = orders_in(&names.lists, &self.items[item]);
        match orders.is_empty() {
            false => Ok(Found { item, orders }),
            true => {
                let message = format!(
                    "two options of `{}` have the same text, so the row's options are ambiguous",
                    self.items[item].id
                );
                Err(ImportedProblem::mistake(None, message).of_kind(ProblemKind::Ambiguous))
            }
        }
    }

    fn by_question(&self, names: &Names) -> Result<usize, Box<ImportedProblem>> {
        let unmatched = |message: String| Err(ImportedProblem::mistake(None, message).of_kind(ProblemKind::Unmatched));
        if names.texts.is_empty() || names.lists.is_empty() {
            return match names.ids.first() {
                Some(id) => unmatched(format!("no item `{id}`; `tomeval data items` prints the ids")),
                None => unmatched("it has neither an item id nor a question with its options".to_string()),
            };
        }
        let texts: Vec<String> = names.texts.iter().map(|text| plain(text)).collect();
        let sets = names.lists.iter().filter_map(|list| self.by_options.get(&sorted(list)));
        let mut among: Vec<usize> = sets.flatten().copied().collect();
        among.sort_unstable();
        among.dedup();
        let asks = |&item: &usize| {
            let question = &self.questions[item];
            let ends = |text: &String| {
                let before = text.strip_suffix(question).filter(|_| !question.is_empty());
                before.is_some_and(|before| !before.ends_with(|last: char| last.is_ascii_alphanumeric()))
            };
            texts.iter().any(ends)
        };
        let of_question: Vec<usize> = among.iter().copied().filter(asks).collect();
        let shows = |&item: &usize| {
            let context = &self.items[item].context;
            context.iter().all(|segment| texts.iter().any(|text| text.contains(&plain(&segment.text))))
        };
        match &of_question[..] {
            [] if among.is_empty() => unmatched("no item has its options".to_string()),
            [] => unmatched("no item has its question with its options".to_string()),
            [item] => Ok(*item),
            several => match several.iter().copied().filter(shows).collect::<Vec<_>>()[..] {
                [item] => Ok(item),
                [] => Err(ambiguous(several, self.items)),
                ref several => Err(ambiguous(several, self.items)),
            },
        }
    }
}

fn ambiguous(several: &[usize], items: &[Item]) -> Box<ImportedProblem> {
    let named: Vec<String> = several.iter().take(NAMED).map(|&item| format!("`{}`", items[item].id)).collect();
    let more = match several.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let message = format!("its question and options match {}{more}; give the id", named.join(", "));
    ImportedProblem::mistake(None, message).of_kind(ProblemKind::Ambiguous)
}

/// Distinct orders in which the lists contain an item's options. Skips lists with other texts or ambiguous option
/// positions.
fn orders_in(lists: &[Vec<String>], item: &Item) -> Vec<Order> {
    let mut orders = Vec::new();
    for order in lists.iter().filter_map(|list| order_of_texts(list, item)) {
        if !orders.contains(&order) {
            orders.push(order);
        }
    }
    orders
}

/// The order in which the texts are an item's options; `None` if they are not exactly those options, or two are equal.
pub(super) fn order_of_texts(texts: &[String], item: &Item) -> Option<Order> {
    if texts.len() != item.options.len() {
        return None;
    }
    let options: HashMap<String, usize> = item.options.iter().enumerate().map(|(at, text)| (plain(text), at)).collect();
    let numbers: Option<Vec<usize>> = texts.iter().map(|text| options.get(&plain(text)).copied()).collect();
    Order::try_from(numbers?).ok()
}

/// Text with normalised white space.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn sorted(texts: &[String]) -> Vec<String> {
    let mut texts: Vec<String> = texts.iter().map(|text| plain(text)).collect();
    texts.sort_unstable();
    texts
}
