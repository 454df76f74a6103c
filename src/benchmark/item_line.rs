//! Items as JSON lines, as `data items` prints and run folders keep them.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{Answer, Benchmark, Facets, Flag, Item, Segment, SegmentKind};
use crate::canary::CANARY;
use crate::language::Language;

/// Maximum number of options of an item.
const MOST_OPTIONS: usize = 10_000;

/// An item as one JSON line.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ItemLine<'a> {
    /// Stable id.
    id: Cow<'a, str>,
    /// The benchmark.
    benchmark: Benchmark,
    /// Language code.
    language: Language,
    /// The id without language and variant: equal for all versions of a question.
    parallel: Cow<'a, str>,
    /// Id of its story, shared with other items.
    story: Cow<'a, str>,
    /// Context shown before the question, in segments; in a run folder absent where it equals that of the previous
    /// line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    context: Option<Vec<SegmentLine<'a>>>,
    /// The question.
    question: Cow<'a, str>,
    /// Options in the order of the file.
    options: Cow<'a, [String]>,
    /// Right options, numbered from 0.
    gold: Vec<usize>,
    /// `single`, `labels` or `slots`.
    gold_kind: Cow<'a, str>,
    /// Facets that divide tables.
    facets: Cow<'a, Facets>,
    /// Values that only some prompts need, and as `canary` the line of a card with one.
    fields: Cow<'a, Facets>,
    /// Data anomalies that affect it.
    flags: Cow<'a, [Flag]>,
    /// The canary line, only in the first line of the file; see the end of this page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    canary: Option<Cow<'static, str>>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct SegmentLine<'a> {
    /// Kind of the segment, for instance `story` or `dialogue`.
    kind: SegmentKind,
    /// Its text.
    text: Cow<'a, str>,
}

impl<'a> From<&'a Item> for ItemLine<'a> {
    fn from(item: &'a Item) -> Self {
        let segment = |segment: &'a Segment| SegmentLine { kind: segment.kind, text: Cow::from(&*segment.text) };
        ItemLine {
            id: Cow::from(&item.id),
            benchmark: item.benchmark,
            language: item.language,
            parallel: Cow::from(&item.parallel),
            story: Cow::from(&item.story),
            context: Some(item.context.iter().map(segment).collect()),
            question: Cow::from(&item.question),
            options: Cow::from(&item.options),
            gold: item.gold.options(),
            gold_kind: item.gold.kind().into(),
            facets: Cow::Borrowed(&item.facets),
            fields: Cow::Borrowed(&item.fields),
            flags: Cow::from(&item.flags),
            canary: None,
        }
    }
}

impl<'a> ItemLine<'a> {
    /// The lines of a file of items, the first with the canary line, each with its context.
    pub fn whole(items: &'a [Item]) -> impl Iterator<Item = Self> {
        let canary = |at: usize| (at == 0).then_some(CANARY.into());
        items.iter().enumerate().map(move |(at, item)| ItemLine { canary: canary(at), ..ItemLine::from(item) })
    }

    /// The same, without contexts that equal the previous item's.
    pub fn short(items: &'a [Item]) -> impl Iterator<Item = Self> {
        items.iter().enumerate().map(|(at, item)| {
            let known = at > 0 && items[at - 1].context == item.context;
            let line = ItemLine { canary: (at == 0).then_some(CANARY.into()), ..ItemLine::from(item) };
            if known { ItemLine { context: None, ..line } } else { line }
        })
    }

    /// Convert the line to its item; `Err` says what is wrong. `before` is the context of the previous line.
    pub fn item(self, before: &[Segment]) -> Result<Item, String> {
        let gold = Answer::from_options(&self.gold_kind, &self.gold)
            .ok_or_else(|| format!("`gold` is not an answer of the kind `{}`", self.gold_kind))?;
        let options = self.options.len();
        if let Some(beyond) = self.gold.iter().find(|&&option| option >= options) {
            return Err(format!("`gold` names option {beyond} (from 0), but there are only {options}"));
        }
        if options > MOST_OPTIONS {
            return Err(format!("has {options} options; the limit is {MOST_OPTIONS}"));
        }
        let segment = |line: SegmentLine<'_>| Segment { kind: line.kind, text: line.text.into() };
        Ok(Item {
            id: self.id.into_owned(),
            benchmark: self.benchmark,
            language: self.language,
            parallel: self.parallel.into_owned(),
            story: self.story.into_owned(),
            context: self.context.map_or_else(|| before.to_vec(), |lines| lines.into_iter().map(segment).collect()),
            question: self.question.into_owned(),
            options: self.options.into_owned(),
            gold,
            facets: self.facets.into_owned(),
            fields: self.fields.into_owned(),
            flags: self.flags.into_owned(),
        })
    }
}
