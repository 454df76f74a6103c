//! Hi-ToM (He et al. 2023): one JSON file of 1,200 rows, each story and question once for each of two prompting types.
//!
//! The file is `{"data": [..]}` as released; files of [`Release`], which the generator writes, add a `generator` object
//! that names their language and rules. Ids are `hi-tom/<sample_id>`, of generated files `hi-tom/made-<seed>/<sample_id>`
//! with `/zh` after it where the language is Chinese. The twins of the two prompting types stay separate, because their
//! released answers differ in 138 of 600 pairs; they share `parallel`.
//!
//! Facets: `prompting` (`VP`, `CoTP`), `order` (0 to 4), `length` (chapters), `deception` (`yes`, `no`), `claims` (number
//! of claims in the story), `claims-on-object` (those about the object asked for), `cell` (length, deception and order
//! together), `gold-letter` (position in the file's choices), `agents` and `containers` (how many the story names,
//! distractors included), `gold-place` (place of the gold among them by first mention, from 1), `first-container` and
//! `last-container` (`yes` where the gold is the first or last one mentioned), `gold-quarter` (quarter of the story's lines
//! in which the gold is named last, from 1), `gold-is-first-order` (orders 2 to 4: `yes` where the gold equals that of the
//! story's first-order question), `twin-labels` (`same`, `different`: the released
//! answers of the two prompting types) and `rules` (`agree`, `differ`: the released answer against the belief tracker).
//!
//! Choices: `prompting` = `vp`, `cotp` or `both` (default); `claims` = `published` or `common-knowledge`, the tracker's
//! rule, by default the one the file names, else `published`. Under [`LabelSet::Repaired`] the gold answers of both types
//! are the tracker's.

mod audit;
mod release;
mod released;

use std::collections::HashMap;
use std::path::Path;

use indexmap::IndexMap;

pub use audit::{Audit, audit};
pub use release::{Generator, Prompting, Release};
use released::{Entry, Released};

use super::choices::duplicate_options;
use super::definition::{Definition, card};
use super::{
    Answer, Benchmark, Facets, Flag, Item, LabelSet, LoadError, LoadOptions, Loaded, OptionIx, Segment, SegmentKind,
};
use crate::language::Language;
use crate::name::option_letter;
use crate::story::hi_tom::MadeStory;
use crate::story::{ClaimRule, Rules};

pub(super) static HI_TOM: Definition = Definition {
    benchmark: Benchmark::HiToM,
    card: card!("hi-tom"),
    choices: &["prompting", "claims"],
    is_at: released::is_at,
    load,
};

/// Load the released file, or one of the same format.
pub(super) fn load(data: &Path, options: &LoadOptions) -> Result<Loaded, LoadError> {
    let prompting = wanted_prompting(options)?;
    let released = Released::read(data)?;
    let claims = match options.choices.get("claims") {
        None => released.claims(),
        Some(given) => {
            given.parse().map_err(|_| HI_TOM.unknown_choice("claims", given, "published or common-knowledge"))?
        }
    };
    let items =
        if options.wants(released.language()) { items_of(&released, options.labels, claims) } else { Vec::new() };
    let items = items.into_iter().filter(|item| prompting.is_none_or(|wanted| item.facet("prompting") == Some(wanted)));
    Ok(Loaded { items: items.collect(), problems: released.problems, read_as: None })
}

/// The questions of generated stories, as they would load from a file of prompting type VP.
pub fn items(stories: &[MadeStory]) -> Vec<Item> {
    let released = Released::from(Release::new(stories, &[Prompting::Vp]));
    items_of(&released, LabelSet::Published, released.claims())
}

fn wanted_prompting(options: &LoadOptions) -> Result<Option<&'static str>, LoadError> {
    match options.choices.get("prompting").map(String::as_str) {
        None | Some("both") => Ok(None),
        Some("vp") => Ok(Some(Prompting::Vp.name())),
        Some("cotp") => Ok(Some(Prompting::CoTP.name())),
        Some(other) => Err(HI_TOM.unknown_choice("prompting", other, "vp, cotp or both")),
    }
}

fn items_of(released: &Released, labels: LabelSet, claims: ClaimRule) -> Vec<Item> {
    let rules = Rules { claims, ..Rules::default() };
    let golds: Vec<OptionIx> = released
        .entries
        .iter()
        .map(|entry| match labels {
            LabelSet::Published => entry.gold,
            LabelSet::Repaired => entry.option_by_rules(rules).unwrap_or(entry.gold),
        })
        .collect();
    let mut first_orders: HashMap<&str, &str> = HashMap::new();
    for (entry, gold) in released.entries.iter().zip(&golds) {
        if entry.order == 1 {
            first_orders.insert(released.story_of(entry), &entry.options[gold.0]);
        }
    }
    let item = |(entry, &gold): (&Entry, &OptionIx)| {
        let first_order = first_orders.get(released.story_of(entry)).copied();
        item(released, entry, gold, first_order, rules)
    };
    released.entries.iter().zip(&golds).map(item).collect()
}

fn item(released: &Released, entry: &Entry, gold: OptionIx, first_order: Option<&str>, rules: Rules) -> Item {
    let language = released.language();
    let localised = |id: &str| if language == Language::En { id.to_string() } else { format!("{id}/{language}") };
    Item {
        id: localised(&entry.id),
        benchmark: Benchmark::HiToM,
        language,
        parallel: released.question_of(entry).to_string(),
        story: localised(released.story_of(entry)),
        context: vec![Segment { kind: SegmentKind::Story, text: entry.lines.as_str().into() }],
        question: entry.question_text.clone(),
        options: entry.options.clone(),
        gold: Answer::Single(gold),
        facets: facets(released, entry, gold, first_order, rules),
        fields: IndexMap::new(),
        flags: flags(released, entry, rules),
    }
}

fn facets(released: &Released, entry: &Entry, gold: OptionIx, first_order: Option<&str>, rules: Rules) -> Facets {
    let mut facets = Facets::new();
    let mut facet = |name: &str, value: String| facets.insert(name.to_string(), value);
    let yes_or_no = |is: bool| if is { "yes" } else { "no" }.to_string();
    let gold_text = entry.options[gold.0].as_str();

    facet("prompting", entry.prompting.name().to_string());
    facet("order", entry.order.to_string());
    facet("length", entry.length.to_string());
    facet("deception", yes_or_no(entry.deception));
    let deception = if entry.deception { "with" } else { "without" };
    facet("cell", format!("length {}, {deception} deception, order {}", entry.length, entry.order));
    if let Ok(story) = &entry.story {
        let object = entry.question.as_ref().map(|question| question.object.as_str());
        facet("claims", story.claims().count().to_string());
        facet("claims-on-object", story.claims().filter(|(claimed, _)| Some(*claimed) == object).count().to_string());
    }
    facet("gold-letter", option_letter(gold.0));
    if let Ok(story) = &entry.story {
        let mentions: Vec<&str> = story.mentions(&entry.options).collect();
        let mut distinct: Vec<&str> = Vec::new();
        for &name in &mentions {
            if !distinct.contains(&name) {
                distinct.push(name);
            }
        }
        facet("agents", story.agents().len().to_string());
        facet("containers", distinct.len().to_string());
        if let Some(place) = distinct.iter().position(|&name| name == gold_text) {
            facet("gold-place", (place + 1).to_string());
        }
        facet("first-container", yes_or_no(mentions.first() == Some(&gold_text)));
        facet("last-container", yes_or_no(mentions.last() == Some(&gold_text)));
    }
    let lines: Vec<&str> = entry.lines.lines().collect();
    if let Some(line) = lines.iter().rposition(|line| line.contains(gold_text)) {
        facet("gold-quarter", (line * 4 / lines.len() + 1).to_string());
    }
    if let (2.., Some(first_order)) = (entry.order, first_order) {
        facet("gold-is-first-order", yes_or_no(first_order == gold_text));
    }
    if let Some(twin) = released.twin_of(entry) {
        let same = twin.gold_text() == entry.gold_text();
        facet("twin-labels", if same { "same" } else { "different" }.to_string());
    }
    if let Some(answer) = entry.by_rules(rules) {
        facet("rules", if answer == entry.gold_text() { "agree" } else { "differ" }.to_string());
    }
    facets
}

fn flags(released: &Released, entry: &Entry, rules: Rules) -> Vec<Flag> {
    let mut flags = entry.flags.clone();
    flags.extend(duplicate_options(&entry.options));
    let mut flag = |name: &'static str, detail| flags.push(Flag { name: name.into(), detail });
    if let Some(twin) = released.twin_of(entry)
        && twin.gold_text() != entry.gold_text()
    {
        let (own, other) = (entry.gold_text(), twin.gold_text());
        flag("twin-labels-differ", format!("released answer {own}; {}, the same question, has {other}", twin.id));
    }
    match entry.by_rules(rules) {
        Some(answer) if answer != entry.gold_text() => {
            flag("label-against-rules", format!("released answer {}, by the rules {answer}", entry.gold_text()));
        }
        _ => {}
    }
    if let (Ok(story), Some(question), true) = (&entry.story, &entry.question, entry.deception)
        && story.claims().all(|(object, _)| object != question.object)
    {
        let asked = &question.object;
        flag("claims-elsewhere", format!("story with deception, but without a claim about the {asked}"));
    }
    flags
}
