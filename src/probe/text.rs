//! Items as running text, close to the form in their files.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::benchmark::{Benchmark, Item, Listing, SegmentKind};
use crate::name::option_letter;
use crate::prompt::Order;

/// The format of option lists in a benchmark's files, by its card; `None` if they contain no option order of their own,
/// so that the order in items is this program's or the same for every question.
pub(super) fn listing(benchmark: Benchmark) -> Option<Listing> {
    static LISTINGS: LazyLock<BTreeMap<Benchmark, Listing>> =
        LazyLock::new(|| Benchmark::ALL.map(|benchmark| (benchmark, benchmark.card().listing)).into());
    Some(LISTINGS[&benchmark]).filter(|&listing| listing != Listing::No)
}

/// The context of an item, without the notes that papers add in their prompts.
pub(super) fn context(item: &Item) -> String {
    let shown = item.context.iter().filter(|segment| segment.kind != SegmentKind::Note);
    shown.map(|segment| segment.text.trim()).collect::<Vec<_>>().join("\n")
}

/// The text before an item's options: context and question, with the line break after them.
pub(super) fn before_options(item: &Item) -> String {
    let context = context(item);
    let question = item.question.trim();
    match context.is_empty() {
        true => format!("{question}\n"),
        false => format!("{context}\n{question}\n"),
    }
}

/// An item's options in an order. Labels stay in place.
pub(super) fn options(item: &Item, order: &Order, listing: Listing) -> String {
    let shown = order.as_slice().iter().enumerate().map(|(slot, &option)| {
        let letter = match listing {
            Listing::SmallLines => option_letter(slot).to_lowercase(),
            _ => option_letter(slot),
        };
        format!("{letter}. {}", item.options[option].trim())
    });
    let between = if listing == Listing::Inline { ", " } else { "\n" };
    shown.collect::<Vec<_>>().join(between)
}

/// A whole item: context, question and, if the files list them, options.
pub(super) fn whole(item: &Item) -> String {
    let mut text = before_options(item);
    if let Some(listing) = listing(item.benchmark) {
        text.push_str(&options(item, &Order::identity(item.options.len()), listing));
    }
    text.trim_end().to_string()
}
