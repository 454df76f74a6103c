//! SimToM beside the tracker: which sentences of a story a model kept of what those asked about know, and what it answers
//! from its own cut and from the right one.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::Outcome;
use super::figure::{Figure, percent};
use super::respondent::{Header, Respondent};
use super::ways::{Way, by_way, fits, keys};
use crate::benchmark::{Item, TiedStories, Told, told, version};
use crate::prompt::Condition;
use crate::seed::seeded;
use crate::stats::{Cluster, clustered_bootstrap, clustered_mean, clustered_wilson};
use crate::story::{Event, Perceived, Version};

/// The first phase whose replies are compared with the tracker.
pub const FIRST_PHASE: &str = "simtom-perspective";

/// The style that is asked on the right cut.
const PLAIN_STYLE: &str = "vanilla";

const PERCENT: f64 = 100.0;

/// Least share of common words (Dice) of a sentence that is not kept word for word.
const SIMILAR: f64 = 0.6;

const NO_CUT: &str = "no cut of its own in this style";
const NOT_ASKED: &str = "not asked; add --style vanilla --condition seen-only";
const NOTHING: &str = "no sentences";

/// Three numbers that say which half of perspective taking fails, over the items of tracked stories with events that those
/// asked about do not perceive.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Perspective {
    /// The respondent and the presentation.
    #[serde(flatten)]
    pub header: Header,
    /// Language of the items.
    pub language: String,
    /// Facet values of the row; empty for all items.
    pub key: IndexMap<String, String>,
    /// Number of items.
    pub items: usize,
    /// Number of their stories.
    pub stories: usize,
    /// Perception: F1 of the sentences kept against those that all minds asked about perceive, in percent.
    pub f1: Estimated,
    /// Share of the sentences kept that they perceive.
    pub precision: Estimated,
    /// Share of the sentences that they perceive that were kept.
    pub recall: Estimated,
    /// Sentences written that are none of the story's.
    pub others: usize,
    /// Items of whose story no sentence was kept.
    pub empty: usize,
    /// Accuracy given the model's own cut: the answers of this style.
    pub own_cut: Estimated,
    /// Inference: accuracy given the right cut, the answers of the style `vanilla` under `seen-only`.
    pub right_cut: Estimated,
}

/// A share in percent with its interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Estimated {
    /// The share.
    pub share: Figure,
    /// Its 95 % interval over stories; null for fewer than five stories, and for F1, precision and recall where all are
    /// alike.
    pub interval: Option<(f64, f64)>,
}

impl Estimated {
    fn missing(reason: &str) -> Self {
        Estimated { share: Figure::from(Err(reason)), interval: None }
    }
}

/// Sentences of an item's story that a reply kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cut {
    /// Kept.
    pub kept: usize,
    /// Perceived by all minds asked about.
    pub perceived: usize,
    /// Both.
    pub both: usize,
    /// Sentences of the reply that are none of the story's.
    pub others: usize,
}

/// The cut of a reply in a style and condition, by item.
pub type Cuts = IndexMap<(String, Option<String>, String), Vec<Cut>>;

/// Compares the sentences of a reply with what all minds asked about perceive of the item's story. A sentence is kept where
/// one of the reply has the same words, or else where the reply has one with all its names and a Dice share of common words
/// of at least 0.6, the most alike first; each sentence of the reply keeps one of the story, the first of equal ones. Asides,
/// which nobody but whom they are about perceives, are left out. `None` for items that are not tracked, or where nothing
/// is unseen.
pub fn cut(item: &Item, reply: &str) -> Option<Cut> {
    let Told { wording, story, question, .. } = told(item).ok()?;
    version(item, Version::SeenOnly).ok()?;
    let is_digit = |letter: char| letter.is_ascii_digit();
    let lines = item.context[0].text.lines().filter(|line| !line.trim().is_empty());
    let sentences: Vec<&str> = lines.map(|line| line.trim().trim_start_matches(is_digit).trim_start()).collect();
    let by_member: Vec<Vec<Perceived>> = question.chain.iter().map(|member| story.perceived(member)).collect();
    let perceived = |at: usize| by_member.iter().all(|of| of[at] != Perceived::Missed);
    let counts = |at: usize| !matches!(story.events[at], Event::Aside { .. });
    let of_story: Vec<Vec<String>> = sentences.iter().map(|sentence| words(sentence)).collect();
    let distinct = |words: &[String]| -> BTreeSet<String> { words.iter().cloned().collect() };
    let names = |at: usize| -> BTreeSet<String> {
        let ranges = wording.names_in(sentences[at]).unwrap_or_default();
        ranges.into_iter().flat_map(|range| words(&sentences[at][range])).collect()
    };
    let mut is_kept = vec![false; sentences.len()];
    let mut others = Vec::new();
    for written in reply.split(['\n', '.', '!', '?', '。', '！', '？']) {
        let written = words(written.trim().trim_start_matches(|letter: char| !letter.is_alphabetic()));
        match (0..sentences.len()).find(|&at| !is_kept[at] && of_story[at] == written) {
            Some(at) => is_kept[at] = true,
            None if written.is_empty() => {}
            None => others.push(written),
        }
    }
    others.retain(|written: &Vec<String>| {
        let in_reply = distinct(written);
        let alike = |at: &usize| {
            let in_story = distinct(&of_story[*at]);
            2.0 * in_story.intersection(&in_reply).count() as f64 / (in_story.len() + in_reply.len()) as f64
        };
        let able = (0..sentences.len()).filter(|&at| !is_kept[at] && names(at).is_subset(&in_reply));
        let nearest = able.fold(None, |best: Option<usize>, at| match best {
            Some(known) if alike(&known) >= alike(&at) => best,
            _ => Some(at),
        });
        match nearest.filter(|at| alike(at) >= SIMILAR) {
            Some(at) => {
                is_kept[at] = true;
                false
            }
            // A sentence that repeats one of the story adds nothing to it.
            None => !of_story.contains(written),
        }
    });
    let all = || (0..sentences.len()).filter(|&at| counts(at));
    Some(Cut {
        kept: all().filter(|&at| is_kept[at]).count(),
        perceived: all().filter(|&at| perceived(at)).count(),
        both: all().filter(|&at| is_kept[at] && perceived(at)).count(),
        others: others.len(),
    })
}

/// The words of a sentence, in lower case and without punctuation; of scripts without spaces, its characters.
fn words(sentence: &str) -> Vec<String> {
    let parts =
        sentence.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|part| !part.is_empty());
    let each = |part: &str| -> Vec<String> {
        match part.is_ascii() {
            true => vec![part.to_lowercase()],
            false => part.chars().map(|letter| letter.to_string()).collect(),
        }
    };
    parts.flat_map(each).collect()
}

/// The numbers by style and condition: all items, then by order of the question. `cuts` has what the first phase of a style
/// kept of each item.
pub fn perspectives<'a>(outcomes: &[&'a Outcome<'a>], cuts: &Cuts, by: Respondent<'_>, seed: u64) -> Vec<Perspective> {
    let split = |outcome: &'a Outcome<'a>| {
        let (condition, rest) = Condition::and_rest(outcome.condition.as_deref());
        let has_cut = cuts.contains_key(&(outcome.style.clone(), outcome.condition.clone(), outcome.item.id.clone()));
        let is_right_cut = outcome.style == PLAIN_STYLE && condition == Some(Condition::SeenOnly);
        let counts = has_cut || (is_right_cut && version(outcome.item, Version::SeenOnly).is_ok());
        (counts && outcome.rater.is_none()).then_some(((), rest))
    };
    let rows = |(way, own): (Way<'a>, Vec<((), &'a Outcome<'a>)>)| {
        let row = |key: IndexMap<String, String>| {
            let own: Vec<&Outcome<'_>> =
                own.iter().map(|(_, outcome)| *outcome).filter(|outcome| fits(outcome.item, &key)).collect();
            row(&own, cuts, way.header(by), way.language, key, seed)
        };
        keys(own.iter().map(|(_, outcome)| outcome.item), &["order"]).into_iter().map(row).collect::<Vec<_>>()
    };
    by_way(outcomes, split).into_iter().flat_map(rows).collect()
}

fn row(
    own: &[&Outcome<'_>],
    cuts: &Cuts,
    header: Header,
    language: &str,
    key: IndexMap<String, String>,
    seed: u64,
) -> Perspective {
    let (stories, of_stories) = TiedStories::of_items(own.iter().map(|outcome| outcome.item));
    let right: Vec<f64> = own.iter().map(|outcome| f64::from(u8::from(outcome.is_right()))).collect();
    let accuracy = match clustered_mean(&right, &stories) {
        Some(mean) => Estimated {
            share: Figure::from(Ok::<f64, &str>(mean.mean * PERCENT)),
            interval: clustered_wilson(&mean).map(percent),
        },
        None => Estimated { share: Figure::mean(&right, 1, NOTHING), interval: None },
    };
    let of =
        |outcome: &&Outcome<'_>| cuts.get(&(outcome.style.clone(), outcome.condition.clone(), outcome.item.id.clone()));
    let (mut sums, mut others, mut empty) = (vec![[0.0; 3]; of_stories], 0, 0);
    let mut has_cuts = false;
    for (outcome, &story) in own.iter().zip(&stories) {
        for cut in of(outcome).into_iter().flatten() {
            has_cuts = true;
            let adds = [cut.kept, cut.perceived, cut.both].map(|count| count as f64);
            sums[story].iter_mut().zip(adds).for_each(|(sum, add)| *sum += add);
            others += cut.others;
            empty += usize::from(cut.kept == 0);
        }
    }
    let base = Perspective {
        header,
        language: language.to_string(),
        items: own.len(),
        stories: of_stories,
        f1: Estimated::missing(NO_CUT),
        precision: Estimated::missing(NO_CUT),
        recall: Estimated::missing(NO_CUT),
        others,
        empty,
        own_cut: Estimated::missing(NO_CUT),
        right_cut: Estimated::missing(NOT_ASKED),
        key,
    };
    if !has_cuts {
        return Perspective { right_cut: accuracy, ..base };
    }
    let shares = |sums: &[f64]| {
        let share = |above: f64, below: f64| (below > 0.0).then(|| above / below);
        vec![share(2.0 * sums[2], sums[0] + sums[1]), share(sums[2], sums[0]), share(sums[2], sums[1])]
    };
    let all: Vec<f64> = (0..3).map(|at| sums.iter().map(|of| of[at]).sum()).collect();
    let clusters: Vec<Cluster> =
        sums.iter().map(|of| Cluster { adds: of.iter().copied().enumerate().collect() }).collect();
    let intervals = clustered_bootstrap(&clusters, 3, seeded(seed, "perspective", 0), shares);
    let mut found = shares(&all).into_iter().zip(intervals).map(|(share, interval)| Estimated {
        share: Figure::from(share.map(|share| share * PERCENT).ok_or(NOTHING)),
        // Where all stories are alike, resampling them says nothing.
        interval: interval.filter(|(low, high)| share.is_some() && low < high).map(percent),
    });
    let mut next = || found.next().unwrap_or_else(|| Estimated::missing(NOTHING));
    Perspective { f1: next(), precision: next(), recall: next(), own_cut: accuracy, ..base }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::hi_tom::items;
    use crate::story::hi_tom::{Settings, generate};
    use crate::story::{ClaimRule, Wording};

    fn made() -> Vec<Item> {
        let settings = Settings {
            chapters: 1,
            size: Default::default(),
            deception: false,
            stories: 12,
            seed: 4,
            answers: 15,
            wording: Wording::English,
            claims: ClaimRule::Published,
        };
        items(&generate(&settings).unwrap())
    }

    /// The sentences of an item's story, and whether all minds asked about perceive each, by another way than the one under
    /// test: asides apart, with the events that the tracker says that each member perceives.
    fn sentences(item: &Item) -> (Vec<String>, Vec<Option<bool>>) {
        let told = told(item).unwrap();
        let lines = item.context[0].text.lines();
        let sentences = lines.map(|line| line.split_once(' ').unwrap().1.to_string()).collect();
        let perceives = |at: usize| {
            let missed = |member: &String| told.story.perceived(member)[at] == Perceived::Missed;
            !told.question.chain.iter().any(missed)
        };
        let aside = |at: usize| matches!(told.story.events[at], Event::Aside { .. });
        (sentences, (0..told.story.events.len()).map(|at| (!aside(at)).then(|| perceives(at))).collect())
    }

    #[test]
    fn replies_are_compared_with_what_all_minds_asked_about_perceive() {
        let mut compared = 0;
        for item in made() {
            let Some(empty) = cut(&item, "") else { continue };
            compared += 1;
            let (sentences, perceived) = sentences(&item);
            let right = perceived.iter().filter(|each| **each == Some(true)).count();
            let all = perceived.iter().flatten().count();
            assert_eq!(empty, Cut { kept: 0, perceived: right, both: 0, others: 0 });
            assert!(right < all, "something is unseen");
            let kept: Vec<&str> = sentences
                .iter()
                .zip(&perceived)
                .filter(|(_, perceived)| **perceived == Some(true))
                .map(|(sentence, _)| sentence.as_str())
                .collect();
            let perfect = Cut { kept: right, perceived: right, both: right, others: 0 };
            assert_eq!(cut(&item, &kept.join("\n")), Some(perfect));
            assert_eq!(cut(&item, &format!("- {}", kept.join(" ").to_uppercase())), Some(perfect));
            let whole = Cut { kept: all, perceived: right, both: right, others: 0 };
            assert_eq!(cut(&item, &sentences.join(" ")), Some(whole));
            assert_eq!(cut(&item, &item.context[0].text), Some(whole), "numbers of lines do not matter");
            let with_more = format!("{}\nHere is what she knows. I am not sure!", kept.join("\n"));
            assert_eq!(cut(&item, &with_more), Some(Cut { others: 2, ..perfect }));
            // Other words with the same names keep a sentence; another agent does not.
            let moved = |sentence: &&&str| sentence.contains(" moved the ");
            if let Some(sentence) = kept.iter().find(moved) {
                let other = sentence.replace(" moved the ", " then moved over the ");
                assert_eq!(cut(&item, &other), Some(Cut { kept: 1, both: 1, ..empty }), "{other}");
                let agent = sentence.split_once(' ').unwrap().0;
                let somebody = sentence.replace(agent, "Somebody");
                assert_eq!(cut(&item, &somebody), Some(Cut { others: 1, ..empty }), "{somebody}");
            }
        }
        assert!(compared > 20, "{compared}");
    }
}
