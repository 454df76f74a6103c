//! Tables of quotas: how many stories and questions of each part of a benchmark a sample has.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use serde::Deserialize;

use crate::benchmark::Benchmark;
use crate::counted::counted;
use crate::model::sha256_bytes;
use crate::parse_error::in_words;

/// A table.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quotas {
    /// Name in files.
    pub name: String,
    /// Source of its numbers.
    pub source: String,
    /// How stories are drawn.
    pub draw: Draw,
    /// The facets whose values make a category within a quota. A story belongs to one category, also where its questions
    /// have several values.
    #[serde(default)]
    pub category: Vec<String>,
    /// A released sample of the same benchmark, shown beside this one.
    #[serde(default)]
    pub beside: Option<Benchmark>,
    /// The quotas; they share no story.
    pub quotas: Vec<Quota>,
    /// SHA-256 of the file.
    #[serde(skip)]
    pub sha256: String,
}

/// How stories are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Draw {
    /// A baseline story in each category, then one story of each quantile bin of the distance to it.
    Distance,
    /// With equal chances.
    Random,
}

/// The wanted part of some stories.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quota {
    /// Name in tables.
    pub name: String,
    /// The benchmark it is of; all without one.
    #[serde(default)]
    pub benchmark: Option<Benchmark>,
    /// Facets of its stories.
    #[serde(default, rename = "where")]
    pub facets: IndexMap<String, String>,
    /// Number of stories.
    pub stories: usize,
    /// Number of their questions.
    #[serde(default)]
    pub questions: Option<usize>,
    /// Whether questions of a story may be left out, at random, to have that number. Each story keeps one.
    #[serde(default)]
    pub cut_stories: bool,
    /// Where its numbers are not those of the table's source: what they are.
    #[serde(default)]
    pub note: Option<String>,
}

/// An invalid table.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QuotasError {
    /// Neither built in nor a file.
    #[error("--quotas {0}: neither a file nor a built-in table; built-in are {known}", known = BUILT_IN.map(|(name, _)| name).join(", "))]
    Unknown(String),
    /// The file cannot be read.
    #[error("{}: cannot be read: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason given by the system.
        source: std::io::Error,
    },
    /// The file does not have this format.
    #[error("{}: invalid table of quotas: {}", path.display(), in_words(source))]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Position and reason.
        source: toml::de::Error,
    },
    /// No quota is of the benchmark.
    #[error("--quotas {name}: has no quota of {benchmark}")]
    NotOf {
        /// Name of the table.
        name: String,
        /// The benchmark.
        benchmark: Benchmark,
    },
}

const BUILT_IN: [(&str, &str); 2] = [
    ("multi-tom", include_str!("../../datasets/subsample/multi-tom.toml")),
    ("xtom", include_str!("../../datasets/subsample/xtom.toml")),
];

impl Quotas {
    /// A built-in table by name, or one from a file, with its quotas of a benchmark.
    pub fn named(name: &str, benchmark: Benchmark) -> Result<Self, QuotasError> {
        let path = Path::new(name);
        let built_in = BUILT_IN.iter().find(|(known, _)| *known == name).map(|(_, text)| text.to_string());
        let text = match built_in {
            Some(text) => text,
            None if !path.exists() => return Err(QuotasError::Unknown(name.to_string())),
            None => std::fs::read_to_string(path)
                .map_err(|source| QuotasError::Unreadable { path: path.to_path_buf(), source })?,
        };
        let table: Quotas =
            toml::from_str(&text).map_err(|source| QuotasError::Malformed { path: path.to_path_buf(), source })?;
        let quotas: Vec<Quota> =
            table.quotas.into_iter().filter(|quota| quota.benchmark.is_none_or(|of| of == benchmark)).collect();
        if quotas.is_empty() {
            return Err(QuotasError::NotOf { name: name.to_string(), benchmark });
        }
        Ok(Quotas { quotas, sha256: sha256_bytes(text), ..table })
    }
}

/// How many stories of each number of questions make a quota.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Composition {
    /// Stories by number of questions.
    pub stories: BTreeMap<usize, usize>,
    /// Why the quota is not met; `None` where it is.
    pub unmet: Option<String>,
}

impl Composition {
    /// Chooses among the available stories, counted by their number of questions, as near to their shares as the quota
    /// allows: the sum of squared differences from the shares is least. Where whole stories cannot have that number of
    /// questions, the nearest number is taken, of two the lower. Where stories may be cut, the shares decide as long as they
    /// have enough questions.
    pub fn of(quota: &Quota, available: &BTreeMap<usize, usize>) -> Self {
        if let (true, Some(wanted)) = (quota.cut_stories, quota.questions) {
            let by_shares = Composition::of(&Quota { questions: None, ..quota.clone() }, available);
            if by_shares.questions() >= wanted {
                return by_shares;
            }
        }
        let all: usize = available.values().sum();
        let stories = quota.stories.min(all);
        let mut unmet = (stories < quota.stories).then(|| format!("there are only {}", of_stories(all)));
        let wanted = quota.questions;
        let (mut reachable, mut found) = (BTreeMap::new(), None);
        // Far from the shares only where near them the number of questions cannot be had.
        for reach in [8, 64, usize::MAX] {
            reachable = compositions(available, stories, reach);
            found = match wanted {
                Some(wanted) => reachable.remove(&wanted),
                None => reachable.values().min_by(|one, other| one.0.total_cmp(&other.0)).cloned(),
            };
            if found.is_some() {
                break;
            }
        }
        let (_, counts) = found.unwrap_or_else(|| {
            let wanted = wanted.unwrap_or_default();
            let nearest = reachable.into_iter().min_by_key(|(questions, _)| (questions.abs_diff(wanted), *questions));
            let (questions, nearest) = nearest.unwrap_or_default();
            let kinds: Vec<String> = available
                .iter()
                .map(|(size, count)| format!("{} with {}", of_stories(*count), counted(*size, "question")))
                .collect();
            let why = format!(
                "no {} of {} have {wanted} questions together; the nearest is {questions}",
                of_stories(stories),
                kinds.join(", ")
            );
            unmet = Some(unmet.take().map_or(why.clone(), |before| format!("{before}, and {why}")));
            nearest
        });
        let stories = available.keys().copied().zip(counts).filter(|(_, count)| *count > 0).collect();
        Composition { stories, unmet }
    }

    fn questions(&self) -> usize {
        self.stories.iter().map(|(size, count)| size * count).sum()
    }
}

fn of_stories(count: usize) -> String {
    match count {
        1 => "1 story".to_string(),
        count => format!("{count} stories"),
    }
}

/// For every number of questions that so many stories can have together: the counts, by number of questions of a story, that
/// are nearest to the shares, and their distance. No count is further than `reach` from its share.
fn compositions(
    available: &BTreeMap<usize, usize>,
    stories: usize,
    reach: usize,
) -> BTreeMap<usize, (f64, Vec<usize>)> {
    let all: usize = available.values().sum();
    let mut known = BTreeMap::from([((0, 0), (0.0, Vec::new()))]);
    for (at, (&size, &count)) in available.iter().enumerate() {
        let share = stories as f64 * count as f64 / all as f64;
        let last = at + 1 == available.len();
        let mut next: BTreeMap<(usize, usize), (f64, Vec<usize>)> = BTreeMap::new();
        for ((taken, questions), (cost, counts)) in known {
            let rest = stories - taken;
            let fewest = if last { rest } else { (share as usize).saturating_sub(reach) };
            let most = count.min(rest).min((share.ceil() as usize).saturating_add(reach));
            for number in fewest..=most {
                let cost: f64 = cost + (number as f64 - share).powi(2);
                let place = (taken + number, questions + number * size);
                if next.get(&place).is_none_or(|(known, _)| cost < *known) {
                    next.insert(place, (cost, [&counts[..], &[number]].concat()));
                }
            }
        }
        known = next;
    }
    known.into_iter().filter(|((taken, _), _)| *taken == stories).map(|((_, asked), found)| (asked, found)).collect()
}

/// Divides a number over parts in proportion to their sizes, by largest remainders; of equal ones the first.
pub fn shares(number: usize, sizes: &[usize]) -> Vec<usize> {
    let all: usize = sizes.iter().sum();
    if all == 0 {
        return vec![0; sizes.len()];
    }
    let mut parts: Vec<usize> = sizes.iter().map(|size| number * size / all).collect();
    let mut by_rest: Vec<usize> = (0..sizes.len()).collect();
    by_rest.sort_by_key(|&at| std::cmp::Reverse(number * sizes[at] % all));
    let rest = number - parts.iter().sum::<usize>();
    by_rest.iter().take(rest).for_each(|&at| parts[at] += 1);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quota(stories: usize, questions: impl Into<Option<usize>>) -> Quota {
        let facets = IndexMap::new();
        let questions = questions.into();
        Quota { name: "q".into(), benchmark: None, facets, stories, questions, cut_stories: false, note: None }
    }

    fn check(quota: Quota, available: &[(usize, usize)], expected: &[(usize, usize)]) {
        let found = Composition::of(&quota, &available.iter().copied().collect());
        assert_eq!(found, Composition { stories: expected.iter().copied().collect(), unmet: None });
    }

    #[test]
    fn quotas_are_met_exactly_where_whole_stories_can() {
        check(quota(17, 20), &[(1, 83), (2, 10)], &[(1, 14), (2, 3)]);
        check(quota(25, 97), &[(1, 1), (3, 1), (4, 139)], &[(1, 1), (4, 24)]);
        check(quota(36, 72), &[(2, 197), (3, 3), (4, 1)], &[(2, 36)]);
        check(quota(10, None), &[(1, 80), (2, 20)], &[(1, 8), (2, 2)]);
        // Stories that may be cut have their shares, or else just enough questions.
        let cut = |questions: usize| Quota { cut_stories: true, ..quota(10, questions) };
        check(cut(12), &[(1, 50), (3, 50)], &[(1, 5), (3, 5)]);
        check(cut(26), &[(1, 50), (3, 50)], &[(1, 2), (3, 8)]);
        // Far from the shares.
        check(quota(100, 200), &[(1, 1000), (2, 100)], &[(2, 100)]);
    }

    #[test]
    fn what_cannot_be_met_has_the_nearest_and_its_reason() {
        let found = Composition::of(&quota(7, 7), &BTreeMap::from([(2, 20)]));
        assert_eq!((found.stories.clone(), found.questions()), (BTreeMap::from([(2, 7)]), 14));
        let why = found.unmet.unwrap();
        assert!(
            why.contains("no 7 stories of 20 stories with 2 questions have 7 questions") && why.contains("14"),
            "{why}"
        );
        let few = Composition::of(&quota(9, 9), &BTreeMap::from([(1, 4)]));
        assert_eq!(few.stories, BTreeMap::from([(1, 4)]));
        assert!(few.unmet.unwrap().starts_with("there are only 4 stories, and no"));
        assert_eq!(Composition::of(&quota(3, 3), &BTreeMap::new()).questions(), 0);
    }

    #[test]
    fn built_in_tables_are_read() {
        let multi = Quotas::named("multi-tom", Benchmark::ToMBench).unwrap();
        assert_eq!(
            multi.quotas.iter().take(8).map(|quota| quota.stories).collect::<Vec<_>>(),
            [18, 18, 18, 18, 18, 17, 36, 25]
        );
        assert_eq!(multi.quotas.iter().take(8).filter_map(|quota| quota.questions).sum::<usize>(), 441);
        assert_eq!(Quotas::named("xtom", Benchmark::ToMi).unwrap().quotas.len(), 1);
        assert!(Quotas::named("xtom", Benchmark::HiToM).is_err() && Quotas::named("none", Benchmark::ToMi).is_err());
    }

    #[test]
    fn shares_add_up_and_are_near_the_sizes() {
        assert_eq!(shares(36, &[32, 21, 20, 20, 20, 20, 20, 20, 18, 6]), [6, 4, 4, 4, 4, 4, 3, 3, 3, 1]);
        assert_eq!(shares(3, &[1, 1]), [2, 1]);
        assert_eq!(shares(3, &[0, 0]), [0, 0]);
    }
}
