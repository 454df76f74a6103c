//! Items as running text, close to the form in their files.

use crate::benchmark::{Benchmark, Item, SegmentKind};
use crate::name::option_letter;
use crate::prompt::Order;

/// Format of option lists in a benchmark's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Listing {
    /// One per line, `A. text`.
    Lines,
    /// One per line, `a. text`.
    SmallLines,
    /// All in one line, `A. text, B. text`.
    Inline,
}

/// The format of option lists in a benchmark's files; `None` if they contain no option order of their own, so that the
/// order in items is this program's or the same for every question.
pub(super) fn listing(benchmark: Benchmark) -> Option<Listing> {
    match benchmark {
        Benchmark::Demo | Benchmark::ToMBench | Benchmark::MultiToM | Benchmark::Custom => Some(Listing::Lines),
        Benchmark::HiToM => Some(Listing::Inline),
        Benchmark::ToMValley => Some(Listing::SmallLines),
        Benchmark::ToMato | Benchmark::PersuasiveToM | Benchmark::EmoBench | Benchmark::SimpleToM => {
            Some(Listing::Lines)
        }
        Benchmark::ToMi
        | Benchmark::XToMi
        | Benchmark::FanToM
        | Benchmark::XFanToM
        | Benchmark::NegotiationToM
        | Benchmark::XNegotiationToM
        | Benchmark::BigToM
        | Benchmark::Ullman
        | Benchmark::Kosinski
        | Benchmark::DodellFeder
        | Benchmark::OpenToM
        | Benchmark::TactfulToM
        | Benchmark::AdvCsfb
        | Benchmark::PerceptToMi => None,
    }
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
            Listing::Lines | Listing::Inline => option_letter(slot),
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
