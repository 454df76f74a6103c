//! Accuracy with options shown before the reasoning, after it, or never.

use std::collections::HashMap;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::paired_accuracy::{PairedAccuracy, paired};
use super::respondent::Header;
use crate::answer::Normalisation;
use crate::benchmark::{Benchmark, TiedStories};
use crate::prompt::OptionsShown;

/// Accuracy of one way of showing the options, over the items of one language that were asked in all ways of the comparison.
/// The free reply behind `after` and `never` is the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OptionsResult {
    /// The respondent and the presentation: those of the answers with options shown before, if any.
    #[serde(flatten)]
    pub header: Header,
    /// Language of the items.
    pub language: String,
    /// When the options were shown.
    pub options: OptionsShown,
    /// How the answers of this row came about: `letters`, `texts, sum`.
    pub by: String,
    /// Accuracy, and its change from options shown before.
    #[serde(flatten)]
    pub found: PairedAccuracy,
}

/// When the options of an answer were shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WhenShown {
    pub options: OptionsShown,
    /// Normalisation of the choice, where options are never shown.
    pub normalisation: Option<Normalisation>,
    /// Whether the choice by `pmi` is right, where options are never shown and it has scores after a neutral context.
    pub right_by_pmi: Option<bool>,
}

/// An answer to be compared. All are of one benchmark.
#[derive(Debug, Clone, Copy)]
pub struct OptionsAnswer<'a> {
    pub header: &'a Header,
    /// Number of its run, since runs of one model may differ in what a header does not say.
    pub run: usize,
    pub language: &'a str,
    /// The item's id, its story's, and its id without language and variant.
    pub item: [&'a str; 3],
    pub when: WhenShown,
    /// Whether it is right; `None` if it failed.
    pub right: Option<bool>,
}

/// One way of answering, with its answers by item.
struct Way<'a> {
    header: &'a Header,
    options: OptionsShown,
    by: String,
    right: HashMap<&'a str, bool>,
}

const NOT_BEFORE: &str = "not asked with options shown before; add --options before";
const NO_ITEMS: &str = "no item was asked in all ways";

/// Compares each way of answering with options shown before with those of the same respondent, language and condition
/// with options shown after the reply (answered in the same way, or else in the first one) and never.
pub fn options<'a>(benchmark: Benchmark, answers: impl IntoIterator<Item = OptionsAnswer<'a>>) -> Vec<OptionsResult> {
    type Group<'a> = (&'a str, Option<&'a str>, &'a str);
    let mut groups: IndexMap<
        Group<'a>,
        IndexMap<(usize, &Header, OptionsShown, Option<Normalisation>), HashMap<&'a str, bool>>,
    > = IndexMap::new();
    let mut stories: HashMap<&str, [&str; 2]> = HashMap::new();
    for OptionsAnswer { header, run, language, item: [id, story, parallel], when, right } in answers {
        let group = groups.entry((&header.label, header.condition.as_deref(), language)).or_default();
        stories.insert(id, [story, parallel]);
        let by_pmi = (right.and(when.right_by_pmi), Some(Normalisation::Pmi));
        for (right, normalisation) in [(right, when.normalisation), by_pmi] {
            if let Some(right) = right {
                group.entry((run, header, when.options, normalisation)).or_default().insert(id, right);
            }
        }
    }
    let mut found = Vec::new();
    for ((_, _, language), ways) in groups {
        let named = |header: &Header, normalisation: Option<Normalisation>| match normalisation {
            Some(normalisation) => format!("{}, {normalisation}", header.answers),
            None => header.answers.clone(),
        };
        let ways: Vec<Way<'_>> = ways
            .into_iter()
            .map(|((_, header, options, normalisation), right)| Way {
                header,
                options,
                by: named(header, normalisation),
                right,
            })
            .collect();
        let of = |options| ways.iter().filter(move |way| way.options == options);
        let compared = |before: Option<&Way<'_>>| {
            let same = |way: &&Way<'_>| before.is_some_and(|before| before.by == way.by);
            let after = of(OptionsShown::After).find(same).or_else(|| of(OptionsShown::After).next());
            let rest: Vec<&Way<'_>> = after.into_iter().chain(of(OptionsShown::Never)).collect();
            rows(benchmark, language, before, &rest, &stories)
        };
        match of(OptionsShown::Before).next() {
            Some(_) => found.extend(of(OptionsShown::Before).flat_map(|before| compared(Some(before)))),
            None => found.extend(compared(None)),
        }
    }
    found
}

/// The rows of one comparison; none without options shown after or never.
fn rows(
    benchmark: Benchmark,
    language: &str,
    before: Option<&Way<'_>>,
    rest: &[&Way<'_>],
    stories: &HashMap<&str, [&str; 2]>,
) -> Vec<OptionsResult> {
    let Some(header) = before.or(rest.first().copied()).filter(|_| !rest.is_empty()).map(|way| way.header) else {
        return Vec::new();
    };
    let all: Vec<&Way<'_>> = before.into_iter().chain(rest.iter().copied()).collect();
    let mut ids: Vec<&str> = all[0].right.keys().copied().collect();
    ids.retain(|id| all.iter().all(|way| way.right.contains_key(id)));
    ids.sort_unstable();
    let mut tied = TiedStories::default();
    let numbers: Vec<usize> = ids
        .iter()
        .map(|id| {
            let [story, parallel] = stories[id];
            tied.add(benchmark.name(), story, parallel)
        })
        .collect();
    let numbers = tied.numbers(&numbers);
    let right = |way: &&Way<'_>| ids.iter().map(|id| f64::from(u8::from(way.right[id]))).collect();
    let right: Vec<Vec<f64>> = all.iter().map(right).collect();
    let base = before.map(|_| "shown before").ok_or(NOT_BEFORE);
    let row = |(way, found): (&&Way<'_>, PairedAccuracy)| OptionsResult {
        header: header.clone(),
        language: language.to_string(),
        options: way.options,
        by: way.by.clone(),
        found,
    };
    all.iter().zip(paired(&right, base, &numbers, NO_ITEMS)).map(row).collect()
}

#[cfg(test)]
mod tests {
    use rand::Rng;

    use super::*;
    use crate::seed::seeded;

    const REPETITIONS: u64 = 20;
    const STORIES: usize = 100;

    fn header(answers: &str, style: &str) -> Header {
        Header { label: "m".into(), answers: answers.into(), style: style.into(), condition: None }
    }

    /// The ways of which a change is found over one question of each of a hundred stories, answered rightly with a
    /// probability by way.
    fn found(right: fn(OptionsShown) -> f64, seed: u64) -> Vec<String> {
        let ids: Vec<String> = (0..STORIES).map(|number| number.to_string()).collect();
        let ways = [
            (OptionsShown::Before, header("letters", "vanilla")),
            (OptionsShown::After, header("letters", "options-after")),
            (OptionsShown::Never, header("texts", "options-never")),
        ];
        let answer = |id: &str, options: OptionsShown, by: &str| {
            // What is drawn for an item is the same in every way; a tenth of the answers depend on the way alone.
            let drawn: f64 = seeded(seed, id, 0).random();
            let mut other = seeded(seed, &format!("{id} {} {by}", options.name()), 0);
            let drawn = if other.random_bool(0.1) { other.random() } else { drawn };
            drawn < right(options)
        };
        let answers = ways.iter().flat_map(|(shown, header)| {
            ids.iter().map(|id| {
                let options = *shown;
                let right_by_pmi = (options == OptionsShown::Never).then(|| answer(id, options, "pmi"));
                let normalisation = right_by_pmi.map(|_| Normalisation::Sum);
                let when = WhenShown { options, normalisation, right_by_pmi };
                let right = Some(answer(id, options, "sum"));
                OptionsAnswer { header, run: 0, language: "en", item: [id, id, id], when, right }
            })
        });
        let answers: Vec<OptionsAnswer<'_>> = answers.collect();
        let rows = options(Benchmark::Demo, answers.iter().copied());
        assert_eq!(
            rows.iter().map(|row| row.by.as_str()).collect::<Vec<_>>(),
            ["letters", "letters", "texts, sum", "texts, pmi"]
        );
        for (row, shown) in rows.iter().zip(&answers.chunks(STORIES).collect::<Vec<_>>()) {
            let right = shown.iter().filter(|answer| answer.right == Some(true)).count();
            assert!((row.found.accuracy.value.unwrap() - right as f64).abs() < 1e-9 && row.found.items == STORIES);
        }
        rows.iter().filter(|row| row.found.p.is_some_and(|p| p < 0.05)).map(|row| row.by.clone()).collect()
    }

    #[test]
    fn whoever_needs_the_options_is_found_and_whoever_does_not_is_not() {
        let all = |right: fn(OptionsShown) -> f64| (0..REPETITIONS).map(|seed| found(right, seed)).collect::<Vec<_>>();
        let matching = all(|shown| if shown == OptionsShown::Before { 0.7 } else { 0.25 });
        assert!(matching.iter().filter(|found| found.len() == 3).count() >= 19, "{matching:?}");
        let late = all(|shown| if shown == OptionsShown::Never { 0.25 } else { 0.7 });
        assert!(late.iter().filter(|found| found.ends_with(&["texts, sum".into(), "texts, pmi".into()])).count() >= 19);
        // Beside two changes that are found, the third test is at 5 % alone: two of twenty are no surprise.
        assert!(late.iter().filter(|found| found.contains(&"letters".into())).count() <= 2, "{late:?}");
        let steady = all(|_| 0.5);
        assert!(steady.iter().filter(|found| found.is_empty()).count() >= 19, "{steady:?}");
    }

    #[test]
    fn items_are_those_asked_in_all_ways_and_answers_are_compared_with_their_own_kind() {
        let headers = [
            header("letters", "vanilla"),
            header("written, greedy", "vanilla"),
            header("letters", "options-after"),
            header("written, greedy", "options-after"),
        ];
        let answer = |way: usize, id: &'static str, right: Option<bool>| OptionsAnswer {
            header: &headers[way],
            run: way,
            language: "en",
            item: [id, id, id],
            when: WhenShown {
                options: if way < 2 { OptionsShown::Before } else { OptionsShown::After },
                normalisation: None,
                right_by_pmi: None,
            },
            right,
        };
        let all = |way: usize, right: [Option<bool>; 3]| {
            ["a", "b", "c"].into_iter().zip(right).map(move |(id, right)| (way, id, right))
        };
        let (yes, no) = (Some(true), Some(false));
        let asked = [all(0, [yes, yes, yes]), all(1, [no, no, yes]), all(2, [yes, no, None]), all(3, [no, yes, yes])];
        let rows = options(Benchmark::Demo, asked.into_iter().flatten().map(|(way, id, right)| answer(way, id, right)));
        let told: Vec<_> = rows
            .iter()
            .map(|row| {
                (
                    row.header.answers.as_str(),
                    row.by.as_str(),
                    row.found.items,
                    row.found.accuracy.value,
                    row.found.change.value,
                )
            })
            .collect();
        let third = 100.0 / 3.0;
        let expected = [
            ("letters", "letters", 2, Some(100.0), None),
            ("letters", "letters", 2, Some(50.0), Some(-50.0)),
            ("written, greedy", "written, greedy", 3, Some(third), None),
            ("written, greedy", "written, greedy", 3, Some(2.0 * third), Some(third)),
        ];
        assert_eq!(told.len(), expected.len());
        for (told, expected) in told.iter().zip(expected) {
            let near = |one: Option<f64>, other: Option<f64>| match (one, other) {
                (Some(one), Some(other)) => (one - other).abs() < 1e-9,
                (one, other) => one == other,
            };
            assert!((told.0, told.1, told.2) == (expected.0, expected.1, expected.2), "{told:?}");
            assert!(near(told.3, expected.3) && near(told.4, expected.4), "{told:?}");
        }
        // Without options before there is nothing to compare with.
        let alone = options(Benchmark::Demo, all(2, [yes, no, yes]).map(|(way, id, right)| answer(way, id, right)));
        assert_eq!((alone.len(), alone[0].found.items, alone[0].found.change.value), (1, 3, None));
        assert!(alone[0].found.change.reason.as_ref().is_some_and(|reason| reason.contains("--options before")));
        assert!(
            options(Benchmark::Demo, all(0, [yes, no, yes]).map(|(way, id, right)| answer(way, id, right))).is_empty()
        );
    }
}
