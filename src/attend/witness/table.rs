//! Attention to what is unseen over many cases: chance for each sentence, and the table.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use indexmap::IndexMap;
use serde::Serialize;

use crate::attend::groups::{Place, distinct};
use crate::attend::results::{
    Case, ChanceRecord, WitnessComparisonRecord, WitnessRecord, WitnessRowRecord, per_word, rounded, rounded_ends,
    unseen_and_chance,
};
use crate::benchmark::SentenceKind;
use crate::language::Language;
use crate::stats::{FEWEST_STORIES_A_GROUP, Membership, Stratified, clustered_mean, holm_of_known};

/// The strip of a case. Uses that case only.
#[derive(Debug, Clone, PartialEq)]
pub struct WitnessFinding {
    /// Index of its place.
    pub place: usize,
    benchmark: String,
    /// Without sentences where the case is left out of all.
    record: WitnessRecord,
}

/// What sentences share that are compared with each other as chance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Like<'a> {
    model: usize,
    benchmark: &'a str,
    language: Language,
    sentences: usize,
    number: usize,
    words: usize,
    kind: SentenceKind,
    tells: bool,
}

/// What is known of a strip beside the others.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct StripChances {
    /// Chance of each sentence.
    pub each: Vec<Option<ChanceRecord>>,
    /// Attention and chance in a sentence.
    pub told: Option<String>,
}

/// All that strips tell over many cases.
#[derive(Debug, Default)]
pub struct WitnessTable {
    /// By finding.
    pub strips: Vec<StripChances>,
    pub rows: Vec<WitnessRowRecord>,
    /// Reasons why cases are not in the rows, or only in part, with their counts.
    pub left_out: Vec<(String, usize)>,
}

impl WitnessFinding {
    /// Keeps what is compared of a case; `None` without a strip's record, and for a case read only for comparison.
    pub fn new(case: &Case, place: usize) -> Option<Self> {
        let found = case.witness.as_ref().filter(|_| !case.compared_only)?;
        let mut record = found.clone();
        for sentence in &mut record.sentences {
            sentence.short.clear();
            sentence.agents.clear();
            sentence.missed_by.clear();
            sentence.lanes.clear();
        }
        let benchmark = case.stratum.get("benchmark").cloned().unwrap_or_default();
        Some(WitnessFinding { place, benchmark, record })
    }

    /// Whether the case counts in chance and table: its right answer is the story's, and it asks about a mind.
    fn counts(&self) -> bool {
        self.record.absent.is_none() && self.record.released.is_none() && !self.record.chain.is_empty()
    }

    fn like<'a>(&'a self, number: usize, place: &Place) -> Like<'a> {
        let sentence = &self.record.sentences[number];
        Like {
            model: place.model,
            benchmark: &self.benchmark,
            language: place.language,
            sentences: self.record.sentences.len(),
            number,
            words: sentence.words,
            kind: sentence.kind,
            tells: sentence.tells(),
        }
    }

    /// Why the case is in no row; `None` if it is in one.
    fn left_out(&self) -> Option<String> {
        let WitnessRecord { absent, released, chain, belief, sentences, .. } = &self.record;
        match (absent, released) {
            (Some(reason), _) => return Some(format!("no strip: {}", without_detail(reason))),
            (_, Some(_)) => return Some("the released right answer is not the story's".to_string()),
            _ => {}
        }
        let unseen = || sentences.iter().any(|each| each.tells() && each.is_missed());
        match belief {
            _ if chain.is_empty() => Some("questions of fact or memory".to_string()),
            Some(true) => Some("the belief asked about is true".to_string()),
            _ if !unseen() => Some("every sentence about the object is perceived".to_string()),
            _ => None,
        }
    }
}

/// A reason without what is of one item alone.
fn without_detail(reason: &str) -> &str {
    reason.split(" (line ").next().unwrap_or(reason)
}

impl WitnessTable {
    /// From the findings of cases at these places.
    pub fn new(places: &[Place], findings: &[WitnessFinding]) -> Self {
        let chances = chances(places, findings);
        let mut left_out: IndexMap<String, usize> = IndexMap::new();
        let mut in_rows: Vec<usize> = Vec::new();
        for (at, finding) in findings.iter().enumerate() {
            match finding.left_out() {
                Some(reason) => *left_out.entry(reason).or_default() += 1,
                None => {
                    in_rows.push(at);
                    if let Some(reason) = &finding.record.no_true_belief {
                        *left_out.entry(format!("no version with a true belief: {reason}")).or_default() += 1;
                    }
                    if unseen_and_chance(&finding.record, &chances[at]).is_none() {
                        let reason = "no chance: fewer than two other stories have such a sentence at that place, seen"
                            .to_string();
                        *left_out.entry(reason).or_default() += 1;
                    }
                }
            }
        }
        left_out.sort_keys();
        let models: BTreeMap<usize, ()> = in_rows.iter().map(|&at| (places[findings[at].place].model, ())).collect();
        let rows = models.into_keys().flat_map(|model| {
            let own: Vec<usize> =
                in_rows.iter().copied().filter(|&at| places[findings[at].place].model == model).collect();
            rows(model, places, findings, &own)
        });
        let rows = rows.collect();
        let strip = |(finding, each): (&WitnessFinding, Vec<Option<ChanceRecord>>)| StripChances {
            told: finding.record.attention_told(&each),
            each,
        };
        let strips = findings.iter().zip(chances).map(strip).collect();
        WitnessTable { rows, left_out: left_out.into_iter().collect(), strips }
    }
}

/// For each sentence of a case that counts: mean over the other stories that have seen sentences like it, each by the mean
/// of its own.
fn chances(places: &[Place], findings: &[WitnessFinding]) -> Vec<Vec<Option<ChanceRecord>>> {
    let mut seen: HashMap<Like<'_>, BTreeMap<usize, (f64, usize)>> = HashMap::new();
    for finding in findings.iter().filter(|finding| finding.counts()) {
        let place = &places[finding.place];
        for (number, sentence) in finding.record.sentences.iter().enumerate().filter(|(_, each)| !each.is_missed()) {
            let story = seen.entry(finding.like(number, place)).or_default().entry(place.story).or_default();
            story.0 += sentence.per_word;
            story.1 += 1;
        }
    }
    let chance = |finding: &WitnessFinding, number: usize| {
        let place = &places[finding.place];
        let stories = seen.get(&finding.like(number, place))?.iter().filter(|(story, _)| **story != place.story);
        let means: Vec<f64> = stories.map(|(_, (sum, count))| sum / *count as f64).collect();
        let per_word = rounded(means.iter().sum::<f64>() / means.len() as f64);
        (means.len() > 1).then_some(ChanceRecord { per_word, stories: means.len() })
    };
    let of = |finding: &WitnessFinding| match finding.counts() {
        true => (0..finding.record.sentences.len()).map(|number| chance(finding, number)).collect(),
        false => vec![None; finding.record.sentences.len()],
    };
    findings.iter().map(of).collect()
}

/// The rows of a model: all, by order, by verdict; with p by Holm over all of them.
fn rows(model: usize, places: &[Place], findings: &[WitnessFinding], own: &[usize]) -> Vec<WitnessRowRecord> {
    let place = |at: usize| &places[findings[at].place];
    let order = |at: usize| findings[at].record.chain.len();
    let mut groups: Vec<(String, Vec<usize>)> = vec![("all".to_string(), own.to_vec())];
    let mut group = |name: String, holds: &dyn Fn(usize) -> bool| {
        let of_it: Vec<usize> = own.iter().copied().filter(|&at| holds(at)).collect();
        if !of_it.is_empty() && of_it.len() < own.len() {
            groups.push((name, of_it));
        }
    };
    for wanted in 1..=own.iter().map(|&at| order(at)).max().unwrap_or(0) {
        group(format!("order {wanted}"), &|at| order(at) == wanted);
    }
    for (name, right) in [("right answers", true), ("wrong answers", false)] {
        group(name.to_string(), &|at| place(at).right == Some(right));
    }
    let row = |(group, of_it): (String, Vec<usize>)| {
        let stories: Vec<usize> = of_it.iter().map(|&at| place(at).story).collect();
        let compared = |name: &str, pair: &dyn Fn(usize) -> Option<(f64, f64)>| {
            let pairs: Vec<(f64, f64, usize)> = of_it
                .iter()
                .filter_map(|&at| pair(at).map(|(first, second)| (first, second, place(at).story)))
                .collect();
            compare(name, &pairs)
        };
        let sentences = |at: usize, missed: bool| {
            let all = findings[at].record.sentences.iter();
            per_word(all.filter(|each| each.tells() && each.is_missed() == missed))
        };
        WitnessRowRecord {
            model,
            group,
            items: of_it.len(),
            stories: distinct(&stories),
            comparisons: vec![
                compared("unseen - seen", &|at| Some((sentences(at, true)?, sentences(at, false)?))),
                against_chance(places, findings, &of_it),
                compared("unseen - true belief", &|at| {
                    let record = &findings[at].record;
                    let other = record.true_belief.as_ref()?;
                    Some((record.sentences.get(other.sentence)?.per_word, other.per_word))
                }),
            ],
        }
    };
    let mut rows: Vec<WitnessRowRecord> = groups.into_iter().map(row).collect();
    let all: Vec<Option<f64>> = rows.iter().flat_map(|row| &row.comparisons).map(|each| each.p).collect();
    let holm = holm_of_known(&all);
    rows.iter_mut().flat_map(|row| &mut row.comparisons).zip(holm).for_each(|(each, holm)| each.holm = holm);
    rows
}

/// Compares the unseen sentences about the object of some cases with the seen ones of all, within strata of sentences alike:
/// what chance is, is itself uncertain, so that a mean of differences to it would have too short an interval.
fn against_chance(places: &[Place], findings: &[WitnessFinding], of_it: &[usize]) -> WitnessComparisonRecord {
    let mut strata: IndexMap<Like<'_>, ()> = IndexMap::new();
    let (mut members, mut values, mut cases) = (Vec::new(), Vec::new(), Vec::new());
    let mut add = |at: usize, missed: bool| {
        let (finding, place) = (&findings[at], &places[findings[at].place]);
        for (number, sentence) in finding.record.sentences.iter().enumerate() {
            if sentence.tells() && sentence.is_missed() == missed {
                let stratum = strata.insert_full(finding.like(number, place), ()).0;
                members.push(Membership { stratum, story: place.story, second: !missed });
                values.push(sentence.per_word);
                cases.push(at);
            }
        }
    };
    of_it.iter().for_each(|&at| add(at, true));
    (0..findings.len()).filter(|&at| findings[at].counts()).for_each(|at| add(at, false));
    let design = Stratified::new(&members);
    let compared: BTreeSet<usize> =
        design.places().filter(|&number| !members[number].second).map(|number| cases[number]).collect();
    let found = design.difference(&values);
    WitnessComparisonRecord {
        comparison: "unseen - chance".to_string(),
        items: compared.len(),
        stories: design.stories().0,
        first: found.map(|found| rounded(found.first)),
        second: found.map(|found| rounded(found.second)),
        difference: found.map(|found| rounded(found.difference())),
        interval: found.and_then(|found| found.interval()).map(rounded_ends),
        p: found.and_then(|found| found.p_value()),
        holm: None,
    }
}

/// Compares both values of items, clustered by story.
fn compare(name: &str, pairs: &[(f64, f64, usize)]) -> WitnessComparisonRecord {
    let differences: Vec<f64> = pairs.iter().map(|(first, second, _)| first - second).collect();
    let stories: Vec<usize> = pairs.iter().map(|(.., story)| *story).collect();
    let count = distinct(&stories);
    let test = clustered_mean(&differences, &stories).filter(|_| count >= FEWEST_STORIES_A_GROUP);
    let mean = |value: &dyn Fn(&(f64, f64, usize)) -> f64| {
        (!pairs.is_empty()).then(|| rounded(pairs.iter().map(value).sum::<f64>() / pairs.len() as f64))
    };
    WitnessComparisonRecord {
        comparison: name.to_string(),
        items: pairs.len(),
        stories: count,
        first: mean(&|pair| pair.0),
        second: mean(&|pair| pair.1),
        difference: mean(&|pair| pair.0 - pair.1),
        interval: test.map(|test| rounded_ends(test.unbounded_interval())),
        p: test.and_then(|test| test.p_value()),
        holm: None,
    }
}
