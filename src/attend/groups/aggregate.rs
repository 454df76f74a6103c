//! Keywords over many items: recurring words, and statistics of groups of items.

use indexmap::IndexMap;

use super::places::{distinct, mean_by_story};
use crate::attend::results::{GroupRecord, RecurringRecord, rounded};
use crate::attend::words::{AblationGroupRecord, ChecksRecord};
use crate::language::Language;

/// How cases are grouped, and what is counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupSettings {
    /// Number of keywords of each case.
    pub top: usize,
    /// Most random draws of a deletion check.
    pub deletion_draws: usize,
    /// Facet whose values also form groups.
    pub facet: Option<String>,
}

/// Aggregated values of one item.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// Language of the item.
    pub language: Language,
    /// Keys and texts of its keywords, with their weights, heaviest first.
    pub keywords: Vec<(String, String, f64)>,
    /// Share of the row on the first token.
    pub sink: f64,
    /// Share of the row on the words in scope.
    pub words: f64,
    /// Entropy over the scope's words, bits.
    pub entropy_bits: f64,
    /// Position in the scope at which half of its weight is reached.
    pub half_way: Option<f64>,
    /// Overlap with human keywords at the same depth, if any.
    pub overlap: Option<f64>,
    /// The deletion check, if done.
    pub deletion: Option<Checked>,
    /// Effects of ablations: name of the parts, fall of the log-odds in nats, whether another option becomes the
    /// likeliest.
    pub knocked_out: Vec<(String, f64, bool)>,
}

/// Result of a deletion check in one item; falls in nats.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Checked {
    /// Fall of the chosen option's log-odds without the keywords.
    pub keywords: f64,
    /// Mean fall without random words.
    pub random: f64,
    /// One-sided Monte Carlo p value.
    pub p: f64,
    /// Probability that p falls below 0.05 by chance.
    pub below_by_chance: f64,
    /// Whether another option becomes the likeliest without the keywords.
    pub flips: bool,
    /// Share of random sets that make another option the likeliest.
    pub random_flips: f64,
}

/// A finding with the index of its story.
pub type Told<'a> = (usize, &'a Finding);

/// Groups findings by name, in order of first appearance, with the first `words` recurring keywords of each language.
pub fn aggregate<'a>(findings: impl IntoIterator<Item = (String, Told<'a>)>, words: usize) -> Vec<GroupRecord> {
    let mut groups: IndexMap<String, Vec<Told<'_>>> = IndexMap::new();
    for (name, finding) in findings {
        groups.entry(name).or_default().push(finding);
    }
    groups.into_iter().map(|(name, findings)| group(name, &findings, words)).collect()
}

fn group(name: String, findings: &[Told<'_>], words: usize) -> GroupRecord {
    let mean = |value: &dyn Fn(&Finding) -> Option<f64>| {
        let values: Vec<f64> = findings.iter().filter_map(|(_, finding)| value(finding)).collect();
        (!values.is_empty()).then(|| rounded(values.iter().sum::<f64>() / values.len() as f64))
    };
    GroupRecord {
        name,
        items: findings.len(),
        sink: mean(&|finding| Some(finding.sink)).unwrap_or(0.0),
        on_words: mean(&|finding| Some(finding.words)).unwrap_or(0.0),
        entropy_bits: mean(&|finding| Some(finding.entropy_bits)).unwrap_or(0.0),
        half_way: mean(&|finding| finding.half_way),
        overlap: mean(&|finding| finding.overlap),
        deletion: checks(findings),
        knocked_out: knocked_out(findings),
        keywords: recurring(findings, words),
    }
}

/// Most frequent keywords of each language, in order of first appearance; on ties the heavier one, then the one seen
/// first.
fn recurring(findings: &[Told<'_>], most: usize) -> Vec<RecurringRecord> {
    let mut languages: IndexMap<Language, IndexMap<&str, (String, usize, f64)>> = IndexMap::new();
    for (_, finding) in findings {
        let words = languages.entry(finding.language).or_default();
        for (key, text, weight) in &finding.keywords {
            let (_, items, sum) = words.entry(key).or_insert_with(|| (text.clone(), 0, 0.0));
            *items += 1;
            *sum += weight;
        }
    }
    let first = |(language, words): (Language, IndexMap<&str, (String, usize, f64)>)| {
        let mean = |(text, items, sum): (String, usize, f64)| (text, items, sum / items as f64);
        let mut words: Vec<(String, usize, f64)> = words.into_values().map(mean).collect();
        words.sort_by(|a, b| b.1.cmp(&a.1).then(b.2.total_cmp(&a.2)));
        words.truncate(most);
        words.iter_mut().for_each(|(.., weight)| *weight = rounded(*weight));
        RecurringRecord { language, words }
    };
    languages.into_iter().map(first).collect()
}

fn checks(findings: &[Told<'_>]) -> Option<ChecksRecord> {
    let made: Vec<(usize, Checked)> =
        findings.iter().filter_map(|(story, finding)| Some((*story, finding.deletion?))).collect();
    if made.is_empty() {
        return None;
    }
    let sum = |value: fn(&Checked) -> f64| made.iter().map(|(_, check)| value(check)).sum::<f64>();
    let mean = |value| rounded(sum(value) / made.len() as f64);
    let (stories, differences): (Vec<usize>, Vec<f64>) =
        made.iter().map(|(story, check)| (*story, check.keywords - check.random)).unzip();
    Some(ChecksRecord {
        items: made.len(),
        stories: distinct(&stories),
        keywords: mean(|check| check.keywords),
        random: mean(|check| check.random),
        difference: mean_by_story(&differences, &stories).1,
        leaning: made.iter().filter(|(_, check)| check.p < 0.05).count(),
        expected: rounded(sum(|check| check.below_by_chance)),
        flips: made.iter().filter(|(_, check)| check.flips).count(),
        random_flips: mean(|check| check.random_flips),
    })
}

/// Summarises each ablation over the items that had it, in the order of the first item.
fn knocked_out(findings: &[Told<'_>]) -> Vec<AblationGroupRecord> {
    let mut kinds: IndexMap<&str, Vec<(usize, f64, bool)>> = IndexMap::new();
    for (story, finding) in findings {
        for (parts, fall, flips) in &finding.knocked_out {
            kinds.entry(parts).or_default().push((*story, *fall, *flips));
        }
    }
    let summary = |(parts, items): (&str, Vec<(usize, f64, bool)>)| {
        let (stories, falls): (Vec<usize>, Vec<f64>) = items.iter().map(|(story, fall, _)| (*story, *fall)).unzip();
        let (fall, interval) = mean_by_story(&falls, &stories);
        AblationGroupRecord {
            parts: parts.to_string(),
            items: items.len(),
            stories: distinct(&stories),
            fall,
            interval,
            flips: items.iter().filter(|(.., flips)| *flips).count(),
        }
    };
    kinds.into_iter().map(summary).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(words: &[(&str, f64)], sink: f64, overlap: Option<f64>) -> Finding {
        Finding {
            language: Language::En,
            keywords: words.iter().map(|(text, weight)| (text.to_lowercase(), text.to_string(), *weight)).collect(),
            sink,
            words: 0.25,
            entropy_bits: 2.0,
            half_way: None,
            overlap,
            deletion: overlap.map(|overlap| checked(overlap, 0.25, 0.04)),
            knocked_out: overlap.map(|overlap| ("layers=1".to_string(), overlap, true)).into_iter().collect(),
        }
    }

    fn checked(keywords: f64, random: f64, p: f64) -> Checked {
        Checked { keywords, random, p, below_by_chance: 0.0498, flips: p < 0.05, random_flips: 0.25 }
    }

    #[test]
    fn keywords_are_counted_once_an_item() {
        let findings = [
            finding(&[("Box", 0.5), ("Ann", 0.25)], 0.2, Some(0.5)),
            Finding {
                deletion: Some(checked(0.0, 0.75, 0.9)),
                knocked_out: vec![("layers=1".to_string(), 1.5, false)],
                ..finding(&[("ann", 0.75)], 0.4, None)
            },
            finding(&[("Bob", 0.9)], 0.6, None),
        ];
        let rendered = [("wrong", 0), ("wrong", 1), ("right", 0)].into_iter().zip(&findings);
        let groups = aggregate(rendered.map(|((name, story), finding)| (name.to_string(), (story, finding))), 20);
        assert_eq!(groups.len(), 2);
        let wrong = &groups[0];
        assert_eq!((wrong.name.as_str(), wrong.items), ("wrong", 2));
        assert!((wrong.sink - 0.3).abs() < 1e-12);
        assert_eq!((wrong.overlap, wrong.half_way), (Some(0.5), None));
        let checks = wrong.deletion.unwrap();
        assert_eq!((checks.items, checks.stories, checks.leaning, checks.flips), (2, 2, 1, 1));
        assert_eq!((checks.keywords, checks.random, checks.random_flips), (0.25, 0.5, 0.25));
        assert!((checks.expected - 0.0996).abs() < 1e-12);
        // Differences 0.25 and -0.75: mean -0.25, standard error 0.5, Student's t with one degree of freedom 12.706.
        let off = &wrong.knocked_out[..];
        assert_eq!((off.len(), off[0].items, off[0].stories, off[0].fall, off[0].flips), (1, 2, 2, 1.0, 1));
        assert!((off[0].interval.unwrap().1 - 1.0 - 6.353).abs() < 1e-3, "{:?}", off[0].interval);
        let (low, high) = checks.difference.unwrap();
        assert!((low + 0.25 + 6.353).abs() < 1e-3 && (high + 0.25 - 6.353).abs() < 1e-3, "{low} {high}");
        assert_eq!(groups[1].deletion, None);
        let [RecurringRecord { language: Language::En, words }] = &wrong.keywords[..] else {
            panic!("{:?}", wrong.keywords)
        };
        assert_eq!(words[..], [("Ann".to_string(), 2, 0.5), ("Box".to_string(), 1, 0.5)]);
    }

    #[test]
    fn words_of_two_languages_are_two_lists() {
        let english = finding(&[("Box", 0.5)], 0.2, None);
        let chinese = Finding { language: Language::Zh, ..finding(&[("盒子", 0.5)], 0.2, None) };
        let group =
            aggregate([&english, &chinese, &chinese].map(|finding| ("all".to_string(), (0, finding))), 20).remove(0);
        let lists: Vec<(Language, &str, usize)> =
            group.keywords.iter().map(|found| (found.language, found.words[0].0.as_str(), found.words[0].1)).collect();
        assert_eq!(lists, [(Language::En, "Box", 1), (Language::Zh, "盒子", 2)]);
    }
}
