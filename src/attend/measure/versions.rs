//! The prompts of one item: as selected, in another option order, without a stretch of its story.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use icu_segmenter::SentenceSegmenter;
use icu_segmenter::options::SentenceBreakInvariantOptions;

use super::ParseChoiceError;
use super::written::{Written, WrittenError};
use crate::benchmark::Item;
use crate::prompt::Order;

/// A contrast.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Contrast {
    /// The right option's last token against that of the likeliest wrong option.
    Options,
    /// The first two orders drawn.
    Orders,
    /// Another model on the same prompts.
    Model(String),
    /// The same prompt without a stretch of its story.
    Without(Stretch),
}

/// A stretch of the story.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stretch {
    /// These words.
    Text(String),
    /// A sentence, counted from 1.
    Sentence(usize),
}

impl fmt::Display for Stretch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stretch::Text(text) => write!(f, "without \u{201c}{text}\u{201d}"),
            Stretch::Sentence(number) => write!(f, "without sentence {number}"),
        }
    }
}

/// Formats as on the command line.
impl fmt::Display for Contrast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Contrast::Options => f.write_str("options"),
            Contrast::Orders => f.write_str("orders"),
            Contrast::Model(name) => write!(f, "model={name}"),
            Contrast::Without(Stretch::Text(text)) => write!(f, "without={text}"),
            Contrast::Without(Stretch::Sentence(number)) => write!(f, "without={number}"),
        }
    }
}

impl FromStr for Contrast {
    type Err = ParseChoiceError;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        match given.split_once('=') {
            None if given == "options" => Ok(Contrast::Options),
            None if given == "orders" => Ok(Contrast::Orders),
            Some(("model", name)) if !name.is_empty() => Ok(Contrast::Model(name.to_string())),
            Some(("without", text)) if !text.trim().is_empty() => Ok(Contrast::Without(match text.parse() {
                Ok(number) if number > 0 => Stretch::Sentence(number),
                _ => Stretch::Text(text.to_string()),
            })),
            _ => Err(ParseChoiceError { given: given.into(), expected: "options, orders, model=NAME or without=TEXT" }),
        }
    }
}

/// A contrast that an item does not support.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VersionError {
    /// The item was presented in only one order.
    #[error("has one option order, so there are none to compare")]
    OneOrder,
    /// Its story does not contain the stretch, or consists of nothing else.
    #[error("no prompt {0} to compare with: that text is not in the story, or is the whole story")]
    NotInStory(Stretch),
    /// Its written reply has no answer letter to analyse.
    #[error(transparent)]
    Written(#[from] WrittenError),
}

/// One presentation of an item.
#[derive(Debug, Clone)]
pub struct Version<'a> {
    /// The item, changed where a stretch is left out.
    pub item: Cow<'a, Item>,
    /// Its option order.
    pub order: &'a Order,
    /// Distinguishes it from other versions; empty for the file's order.
    pub name: String,
    /// The reply whose answer letter is analysed, instead of the letter right after the prompt.
    pub written: Option<&'a Written>,
}

/// Name of the version for the written reply.
pub const IN_REPLY: &str = "in the written reply";

/// Versions of an item: in the first of `orders`, then in its written reply, then for each contrast; and the versions
/// that are not possible. `orders` is not empty.
pub fn versions<'a>(
    item: &'a Item,
    orders: &'a [Order],
    written: Option<&'a Result<Written, WrittenError>>,
    contrasts: &[Contrast],
) -> (Vec<Version<'a>>, Vec<VersionError>) {
    let plain = Order::identity(item.options.len());
    let named = |order: &Order| {
        let slots = order.as_slice().iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
        if *order == plain { String::new() } else { format!("options in order {slots}") }
    };
    let first = &orders[0];
    let mut versions = vec![Version { item: Cow::Borrowed(item), order: first, name: named(first), written: None }];
    let mut absent = Vec::new();
    match written {
        None => {}
        Some(Ok(written)) => {
            let name = IN_REPLY.to_string();
            versions.push(Version { item: Cow::Borrowed(item), order: first, name, written: Some(written) });
        }
        Some(Err(error)) => absent.push(error.clone().into()),
    }
    for contrast in contrasts {
        match (contrast, orders.get(1)) {
            (Contrast::Orders, Some(order)) => {
                let name = if *order == plain { "options in file order".to_string() } else { named(order) };
                versions.push(Version { item: Cow::Borrowed(item), order, name, written: None });
            }
            (Contrast::Orders, None) => absent.push(VersionError::OneOrder),
            (Contrast::Without(stretch), _) => match without(item, stretch) {
                Some((changed, left_out)) => {
                    let name = format!("without \u{201c}{left_out}\u{201d}");
                    versions.push(Version { item: Cow::Owned(changed), order: first, name, written: None });
                }
                None => absent.push(VersionError::NotInStory(stretch.clone())),
            },
            (Contrast::Options | Contrast::Model(_), _) => {}
        }
    }
    (versions, absent)
}

/// The item without a stretch of its context, and that stretch; `None` if the item does not contain it.
fn without(item: &Item, stretch: &Stretch) -> Option<(Item, String)> {
    let mut changed = item.clone();
    for segment in &mut changed.context {
        let range = match stretch {
            Stretch::Text(text) => segment.text.find(text.as_str()).map(|start| start..start + text.len()),
            Stretch::Sentence(number) => {
                let segmenter = SentenceSegmenter::new(SentenceBreakInvariantOptions::default());
                let ends: Vec<usize> = segmenter.segment_str(&segment.text).collect();
                ends.windows(2).nth(number - 1).map(|ends| ends[0]..ends[1])
            }
        };
        if let Some(range) = range {
            let left_out = segment.text[range.clone()].trim().to_string();
            let rest = [&segment.text[..range.start], &segment.text[range.end..]].concat();
            segment.text = rest.trim().into();
            return (!segment.text.is_empty()).then_some((changed, left_out));
        }
    }
    None
}
