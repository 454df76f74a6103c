//! Generates one fresh item for each released one, in the benchmark's form.

use indexmap::IndexMap;

use crate::benchmark::{Benchmark, Item, hi_tom, tomi};
use crate::language::Language;
use crate::story::hi_tom::{Settings as HiToMSettings, SettingsError, generate as make_hi_tom};
use crate::story::tomi::{StoryType, generate as make_tomi};
use crate::story::{ClaimRule, Wording};

/// Items for which no fresh ones can be generated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FreshError {
    /// No generator for the benchmark in the language.
    #[error(
        "no fresh items can be made for {benchmark} in {language}: there are generators for hi-tom (en, zh) and tomi (en); \
         choose one of them with --benchmark, and the languages with --language"
    )]
    NoGenerator { benchmark: Benchmark, language: Language },
    /// Invalid story settings.
    #[error(transparent)]
    Stories(#[from] SettingsError),
}

/// Facets that determine the form of a benchmark's items.
fn deciding(benchmark: Benchmark) -> &'static [&'static str] {
    match benchmark {
        Benchmark::HiToM => &["length", "deception", "order"],
        Benchmark::ToMi => &["story_type", "question_type"],
        _ => &[],
    }
}

/// Values of the facets that an item is matched by.
fn kind(item: &Item, deciding: &[&str]) -> String {
    let values = deciding.iter().map(|name| format!("{name} {}", item.facet(name).unwrap_or("-")));
    values.collect::<Vec<_>>().join(", ")
}

/// One fresh item of the same form for each released one, in order, with the form they share; `None` for a kind of item
/// that the generator does not make. All items belong to one benchmark and language; no story is used twice.
pub(super) fn matched(
    benchmark: Benchmark,
    language: Language,
    released: &[&Item],
    seed: u64,
) -> Result<Vec<Option<(Item, String)>>, FreshError> {
    let none = || FreshError::NoGenerator { benchmark, language };
    let deciding = deciding(benchmark);
    let mut made: IndexMap<String, Vec<Item>> = IndexMap::new();
    for item in match benchmark {
        Benchmark::HiToM => fresh_hi_tom(released, seed, Wording::from_language(language).ok_or_else(none)?)?,
        Benchmark::ToMi if language == Language::En => {
            tomi::items(&make_tomi(StoryType::ALL.len() * released.len(), seed))
        }
        _ => return Err(none()),
    } {
        made.entry(kind(&item, deciding)).or_default().push(item);
    }
    let mut used: IndexMap<String, usize> = IndexMap::new();
    let one = |item: &&Item| {
        let kind = kind(item, deciding);
        let number = used.entry(kind.clone()).or_default();
        let fresh = made.get(&kind).and_then(|made| made.get(*number)).cloned();
        *number += 1;
        fresh.map(|fresh| (fresh, kind))
    };
    Ok(released.iter().map(one).collect())
}

/// As many stories of each length, with and without claims, as there are released items.
fn fresh_hi_tom(released: &[&Item], seed: u64, wording: Wording) -> Result<Vec<Item>, SettingsError> {
    let mut counts: IndexMap<(usize, bool), usize> = IndexMap::new();
    for item in released {
        let length = item.facet("length").and_then(|length| length.parse().ok()).unwrap_or(0);
        *counts.entry((length, item.facet("deception") == Some("yes"))).or_default() += 1;
    }
    let mut items = Vec::new();
    for ((chapters, deception), stories) in counts {
        let answers = released.iter().map(|item| item.options.len()).max().unwrap_or(0);
        let claims = ClaimRule::Published;
        let settings =
            HiToMSettings { chapters, size: Default::default(), deception, stories, seed, answers, wording, claims };
        match make_hi_tom(&settings) {
            Ok(made) => items.extend(hi_tom::items(&made)),
            // No story has this length: its items get no fresh ones and are skipped individually.
            Err(SettingsError::Chapters { .. }) => {}
            Err(other) => return Err(other),
        }
    }
    Ok(items)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fresh_items_have_the_form_of_released_ones_and_stories_of_their_own() {
        let mut released = Vec::new();
        for (chapters, deception) in [(1, false), (2, true), (2, true)] {
            let settings = HiToMSettings {
                chapters,
                size: Default::default(),
                deception,
                stories: 1,
                seed: released.len() as u64 + 100,
                answers: 15,
                wording: Wording::English,
                claims: ClaimRule::Published,
            };
            released.push(hi_tom::items(&make_hi_tom(&settings).unwrap()).swap_remove(2));
        }
        let released: Vec<&Item> = released.iter().collect();
        let fresh = matched(Benchmark::HiToM, Language::En, &released, 5).unwrap();
        let fresh: Vec<(Item, String)> = fresh.into_iter().map(Option::unwrap).collect();
        for (released, (fresh, kind)) in released.iter().zip(&fresh) {
            for facet in ["length", "deception", "order"] {
                assert_eq!(released.facet(facet), fresh.facet(facet), "{kind}");
            }
            assert_ne!(released.context, fresh.context);
            assert_eq!(released.options.len(), fresh.options.len());
        }
        assert_ne!(fresh[1].0.context, fresh[2].0.context);
    }

    #[test]
    fn tomi_stories_are_matched_by_type() {
        let released = tomi::items(&make_tomi(7, 1));
        let released: Vec<&Item> =
            released.iter().filter(|item| item.id.ends_with('2') || item.id.ends_with('9')).collect();
        let fresh = matched(Benchmark::ToMi, Language::En, &released, 2).unwrap();
        for (released, (fresh, _)) in released.iter().zip(fresh.into_iter().map(Option::unwrap)) {
            assert_eq!(released.facet("story_type"), fresh.facet("story_type"));
            assert_eq!(released.facet("question_type"), fresh.facet("question_type"));
        }
    }

    #[test]
    fn an_item_of_another_kind_has_no_counterpart_and_stops_no_other() {
        let mut released = tomi::items(&make_tomi(7, 1));
        released.retain(|item| item.id.ends_with('2'));
        released[0].facets.insert("story_type".into(), "third_kind".into());
        let released: Vec<&Item> = released.iter().collect();
        let fresh = matched(Benchmark::ToMi, Language::En, &released, 2).unwrap();
        assert!(fresh[0].is_none() && fresh[1..].iter().all(Option::is_some) && fresh.len() > 1, "{}", fresh.len());
        let settings = HiToMSettings {
            chapters: 1,
            size: Default::default(),
            deception: false,
            stories: 2,
            seed: 100,
            answers: 15,
            wording: Wording::English,
            claims: ClaimRule::Published,
        };
        let mut released = hi_tom::items(&make_hi_tom(&settings).unwrap());
        released[0].facets.insert("length".into(), "none".into());
        let released: Vec<&Item> = released.iter().collect();
        let fresh = matched(Benchmark::HiToM, Language::En, &released, 2).unwrap();
        assert!(fresh[0].is_none() && fresh[1..].iter().all(Option::is_some));
    }

    #[test]
    fn what_cannot_be_made_is_refused() {
        let refused = |benchmark: Benchmark, language| matched(benchmark, language, &[], 0).unwrap_err().to_string();
        assert!(refused(Benchmark::ToMBench, Language::En).contains("generators for hi-tom"));
        assert!(refused(Benchmark::ToMi, Language::Zh).contains("tomi in zh"));
        assert!(refused(Benchmark::HiToM, Language::Fr).contains("--language"));
    }
}
