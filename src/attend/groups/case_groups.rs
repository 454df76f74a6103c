//! Groups of cases: recurring keywords of each group, and differences of keywords and numbers between two groups.

use indexmap::IndexMap;

use super::aggregate::{Checked, Finding, GroupSettings, aggregate};
use super::places::Place;
use super::sides::Grouping;
use super::within::Sides;
use crate::attend::results::{
    Case, DifferencesRecord, GroupRecord, QueryRecord, ShiftRecord, ShiftWordRecord, rounded, rounded_ends,
};
use crate::attend::words::chance_below_5_percent;
use crate::language::Language;
use crate::stats::holm_of_known;

/// Recurring keywords kept per group, and shifts per direction.
const GROUP_WORDS: usize = 20;
const SHIFT_WORDS: usize = 8;

/// Fewest cases that must have a word as a keyword for it to be tested.
const FEWEST_ITEMS: usize = 5;

/// Values of a case that are counted in groups.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupedFinding {
    /// Index of its place.
    place: usize,
    finding: Finding,
}

impl GroupedFinding {
    /// Collects the values of a case; `None` for a case read only for comparison.
    pub fn new(case: &Case, place: usize, grouping: &GroupSettings) -> Option<Self> {
        let row = case.rows.first().filter(|_| !case.compared_only)?;
        Some(GroupedFinding { place, finding: finding(case, row, grouping) })
    }
}

/// Groups and their differences.
#[derive(Debug, Default)]
pub struct Compared {
    /// Groups.
    pub groups: Vec<GroupRecord>,
    /// Words that are keywords more often in one group than in another.
    pub shifts: Vec<ShiftRecord>,
    /// Differences of numbers between two groups.
    pub differences: Vec<DifferencesRecord>,
}

/// Compares right with wrong answers, language with language, model with model, and values of the requested facet.
pub fn compare_groups(places: &[Place], found: &[GroupedFinding], facet: Option<&String>) -> Compared {
    let mut compared = Compared::default();
    if found.len() < 2 {
        return compared;
    }
    let ways =
        [Grouping::Verdict, Grouping::Language, Grouping::Model].into_iter().chain(facet.cloned().map(Grouping::Facet));
    for way in ways {
        let name = |place: &Place| way.group(place).unwrap_or_else(|| of_no_group(&way));
        let rendered = found.iter().map(|grouped| {
            let place = &places[grouped.place];
            (name(place), (place.story, &grouped.finding))
        });
        let groups = aggregate(rendered, GROUP_WORDS);
        if groups.len() < 2 && way != Grouping::Verdict {
            continue;
        }
        compared.groups.extend(groups);
        let models = match way {
            // Neither words nor numbers are comparable: languages are cut into different words and tokens.
            Grouping::Language => Vec::new(),
            Grouping::Model => vec![None],
            _ => models(places, found).into_iter().map(Some).collect(),
        };
        for model in models {
            let own = |grouped: &&GroupedFinding| model.is_none_or(|model| places[grouped.place].model == model);
            let own: Vec<&GroupedFinding> = found.iter().filter(own).collect();
            let own_places: Vec<&Place> = own.iter().map(|grouped| &places[grouped.place]).collect();
            let Some(sides) = Sides::new(&way, &own_places) else { continue };
            compared.differences.push(sides.differences(model, &numbers(&own)));
            compared.shifts.extend(shifts(model, &sides, &own));
        }
    }
    compared
}

/// Group name of cases that the grouping does not classify.
fn of_no_group(way: &Grouping) -> String {
    match way {
        Grouping::Facet(facet) => format!("{facet}: none"),
        _ => "not judged".to_string(),
    }
}

fn models(places: &[Place], found: &[GroupedFinding]) -> Vec<usize> {
    let mut models: Vec<usize> = found.iter().map(|grouped| places[grouped.place].model).collect();
    models.sort_unstable();
    models.dedup();
    models
}

/// Numbers of cases in which groups are compared.
fn numbers(own: &[&GroupedFinding]) -> Vec<(String, &'static str, Vec<Option<f64>>)> {
    let values = |value: &dyn Fn(&Finding) -> Option<f64>| own.iter().map(|grouped| value(&grouped.finding)).collect();
    let mut numbers = vec![
        ("first token".to_string(), "share", values(&|finding| Some(finding.sink))),
        ("words".to_string(), "share", values(&|finding| Some(finding.words))),
        ("entropy".to_string(), "bits", values(&|finding| Some(finding.entropy_bits))),
        ("half-way".to_string(), "place", values(&|finding| finding.half_way)),
        ("overlap with people".to_string(), "share", values(&|finding| finding.overlap)),
        (
            "fall without keywords, minus random words".to_string(),
            "nats",
            values(&|finding| finding.deletion.map(|check| check.keywords - check.random)),
        ),
    ];
    let mut parts: Vec<&str> = Vec::new();
    for (name, ..) in own.iter().flat_map(|grouped| &grouped.finding.knocked_out) {
        if !parts.contains(&name.as_str()) {
            parts.push(name);
        }
    }
    numbers.extend(parts.into_iter().map(|part| {
        let fall =
            |finding: &Finding| finding.knocked_out.iter().find(|(name, ..)| name == part).map(|(_, fall, _)| *fall);
        (format!("fall without {part}"), "nats", values(&fall))
    }));
    numbers
}

/// Tests words of each language within strata by the share of cases that have them as keywords.
fn shifts(model: Option<usize>, sides: &Sides<'_>, own: &[&GroupedFinding]) -> Vec<ShiftRecord> {
    let mut languages: Vec<Language> = Vec::new();
    for (_, place, _) in &sides.members {
        if !languages.contains(&place.language) {
            languages.push(place.language);
        }
    }
    let of_language = |language: Language| {
        let sides = sides.only(|number| own[number].finding.language == language);
        sides.are_two().then(|| shift(model, language, &sides, own))
    };
    languages.into_iter().filter_map(of_language).collect()
}

/// A word with the members that have it as a keyword.
struct Counted<'a> {
    text: &'a str,
    members: Vec<usize>,
}

fn shift(model: Option<usize>, language: Language, sides: &Sides<'_>, own: &[&GroupedFinding]) -> ShiftRecord {
    let within = sides.within();
    let mut words: IndexMap<&str, Counted<'_>> = IndexMap::new();
    for member in within.compared() {
        for (key, text, _) in &own[sides.members[member].0].finding.keywords {
            let word = words.entry(key).or_insert_with(|| Counted { text, members: Vec::new() });
            // If occurrences are separate, a word may be a keyword twice.
            if word.members.last() != Some(&member) {
                word.members.push(member);
            }
        }
    }
    words.retain(|_, word| word.members.len() >= FEWEST_ITEMS);
    let mut tested: Vec<ShiftWordRecord> = Vec::new();
    let mut values = vec![0.0; sides.members.len()];
    for word in words.into_values() {
        word.members.iter().for_each(|&member| values[member] = 1.0);
        if let Some(found) = within.difference(&values) {
            let second = word.members.iter().filter(|&&member| sides.members[member].2).count();
            tested.push(ShiftWordRecord {
                text: word.text.to_string(),
                items: (word.members.len() - second, second),
                difference: rounded(found.difference()),
                interval: found.interval().map(rounded_ends),
                p: found.p_value(),
                holm: None,
            });
        }
        word.members.iter().for_each(|&member| values[member] = 0.0);
    }
    let holm = holm_of_known(&tested.iter().map(|word| word.p).collect::<Vec<_>>());
    tested.iter_mut().zip(&holm).for_each(|(word, holm)| word.holm = *holm);
    let count = tested.len();
    tested.retain(|word| word.difference != 0.0);
    tested.sort_by(|a, b| b.difference.total_cmp(&a.difference).then_with(|| a.text.cmp(&b.text)));
    let tail = tested.len().saturating_sub(SHIFT_WORDS);
    let wanted = tested.into_iter().enumerate().filter(|(index, _)| *index < SHIFT_WORDS || *index >= tail);
    ShiftRecord {
        model,
        first: sides.names.0.clone(),
        second: sides.names.1.clone(),
        language,
        within: within.record,
        tested: count,
        significant: holm.iter().flatten().filter(|p| **p < 0.05).count(),
        words: wanted.map(|(_, word)| word).collect(),
    }
}

fn finding(case: &Case, row: &QueryRecord, grouping: &GroupSettings) -> Finding {
    let overlaps: Vec<f64> = case.humans.iter().filter_map(|human| human.overlap).collect();
    let deletion = case.deletion.as_ref().map(|check| Checked {
        keywords: check.without.fall,
        random: check.without.mean,
        p: check.without.p,
        below_by_chance: chance_below_5_percent(grouping.deletion_draws),
        flips: check.without.flips,
        random_flips: check.without.random_flips as f64 / check.without.described as f64,
    });
    let keywords = row.ranking.iter().take(grouping.top);
    Finding {
        language: case.language,
        keywords: keywords.map(|word| (word.key.clone(), word.text.clone(), word.weight)).collect(),
        sink: row.sink,
        words: row.on_words,
        entropy_bits: row.entropy_bits,
        half_way: row.half_way,
        overlap: (!overlaps.is_empty()).then(|| overlaps.iter().sum::<f64>() / overlaps.len() as f64),
        deletion,
        knocked_out: case.knocked_out.iter().map(|off| (off.parts.clone(), off.fall, off.flips)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::within::tests::place;
    use super::*;

    fn grouped(number: usize, language: Language, words: &[&str]) -> GroupedFinding {
        let finding = Finding {
            language,
            keywords: words.iter().map(|word| (word.to_lowercase(), word.to_string(), 0.5)).collect(),
            sink: 0.25 + 0.01 * (number % 3) as f64,
            words: 0.25,
            entropy_bits: 2.0,
            half_way: None,
            overlap: None,
            deletion: None,
            knocked_out: Vec::new(),
        };
        GroupedFinding { place: number, finding }
    }

    #[test]
    fn a_word_of_the_harder_benchmark_is_no_word_of_wrong_answers() {
        // "claim" occurs only in Hi-ToM, where most answers are wrong; "box" goes with wrong answers in both.
        let made = (0..80).map(|number| {
            let (stratum, right) = if number < 40 { ("tomi", number % 4 > 0) } else { ("hi-tom", number % 4 == 0) };
            let words: Vec<&str> = [
                (number >= 40 && number % 7 > 0).then_some("claim"),
                (!right && number % 9 > 0 || number % 11 == 0).then_some("box"),
                (number == 3).then_some("rare"),
            ]
            .into_iter()
            .flatten()
            .collect();
            (place(stratum, number, right), grouped(number, Language::En, &words))
        });
        let (places, found): (Vec<Place>, Vec<GroupedFinding>) = made.unzip();
        let compared = compare_groups(&places, &found, None);
        let [shift] = &compared.shifts[..] else { panic!("{:?}", compared.shifts) };
        assert_eq!((shift.first.as_str(), shift.second.as_str()), ("wrong answers", "right answers"));
        assert_eq!((shift.tested, shift.significant, shift.within.strata), (2, 1, 2), "{shift:?}");
        let word = |text: &str| shift.words.iter().find(|word| word.text == text);
        assert!(word("box").unwrap().holm.unwrap() < 0.001 && word("rare").is_none(), "{shift:?}");
        let claim = word("claim").unwrap();
        assert!(claim.difference.abs() < 0.1 && claim.holm.unwrap() > 0.3, "{claim:?}");
        let [numbers] = &compared.differences[..] else { panic!("{:?}", compared.differences) };
        let names: Vec<&str> = numbers.quantities.iter().map(|one| one.quantity.as_str()).collect();
        assert_eq!(names, ["first token", "words", "entropy"]);
        let names: Vec<&str> = compared.groups.iter().map(|group| group.name.as_str()).collect();
        assert_eq!(names, ["wrong answers", "right answers"], "one language and one model are no groups");
    }

    #[test]
    fn words_of_two_languages_are_compared_apart_and_models_across_the_same_items() {
        let made = (0..48).map(|number| {
            let language = if number % 2 == 0 { Language::En } else { Language::Zh };
            let model = number / 24;
            let words = [if language == Language::En { "box" } else { "\u{76d2}\u{5b50}" }];
            let mut place = place("tombench", (number % 24) / 2, number % 3 == 0);
            place.language = language;
            place.stratum.insert("language".into(), language.name().into());
            (place.model, place.model_name) = (model, format!("m{model}"));
            let words = if number % 4 < 2 || model == 1 { &words[..] } else { &[] };
            (place, grouped(number, language, words))
        });
        let (places, found): (Vec<Place>, Vec<GroupedFinding>) = made.unzip();
        let compared = compare_groups(&places, &found, None);
        let rendered: Vec<(Option<usize>, &str, Language)> =
            compared.shifts.iter().map(|shift| (shift.model, shift.first.as_str(), shift.language)).collect();
        let wrong = "wrong answers";
        let expected = [
            (Some(0), wrong, Language::En),
            (Some(0), wrong, Language::Zh),
            (Some(1), wrong, Language::En),
            (Some(1), wrong, Language::Zh),
            (None, "m0", Language::En),
            (None, "m0", Language::Zh),
        ];
        assert_eq!(rendered, expected);
        let models = &compared.shifts[4];
        assert_eq!((models.within.items, models.within.stories), ((12, 12), (12, 12)), "paired by story");
        assert!(models.words[0].difference < -0.4 && models.words[0].p.unwrap() < 0.05, "{models:?}");
    }
}
