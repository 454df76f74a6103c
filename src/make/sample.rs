//! Samples of whole stories along their distances to a baseline.

use std::collections::BTreeMap;

use rand::Rng;
use rand::seq::{IndexedRandom, SliceRandom};

use super::quotas::shares;
use super::{Composition, Draw, Embedded, Quota, Quotas, StoryUnit, cosine_distance};
use crate::benchmark::Item;
use crate::seed::seeded;

/// A sample of stories.
#[derive(Debug, Clone)]
pub struct Sample {
    /// What became of each quota, in the order of the table.
    pub met: Vec<Met>,
    /// The categories of all quotas.
    pub categories: Vec<Category>,
    /// Drawn stories, in the order of the data.
    pub drawn: Vec<Drawn>,
}

/// A quota and its result.
#[derive(Debug, Clone)]
pub struct Met {
    /// The quota.
    pub quota: Quota,
    /// Stories that it could draw from.
    pub available: usize,
    /// Drawn stories.
    pub stories: usize,
    /// Their questions that are kept.
    pub questions: usize,
    /// Why the quota is not met; `None` where it is.
    pub unmet: Option<String>,
    /// Categories of which no story was drawn.
    pub left_out: Vec<String>,
}

/// The stories of a quota with the same values of the table's facets. Stories are numbers in the order of the data.
#[derive(Debug, Clone)]
pub struct Category {
    /// The quota, by its place in the table.
    pub quota: usize,
    /// The values.
    pub name: String,
    /// All its stories.
    pub members: Vec<usize>,
    /// The baseline story, where distances are measured and the category has a drawn story.
    pub baseline: Option<usize>,
    /// The other stories with their distances to it, nearest first; equal distances by id.
    pub others: Vec<(usize, f64)>,
    /// The parts that are drawn from.
    pub cells: Vec<Cell>,
}

/// The stories of a category with one number of questions, without the baseline.
#[derive(Debug, Clone)]
pub struct Cell {
    /// The stories, nearest first where distances are measured.
    pub stories: Vec<usize>,
    /// How many of them are drawn.
    pub drawn: usize,
}

/// A drawn story.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawn {
    /// The story, by its place in the data.
    pub story: usize,
    /// Its category, by its place in the sample.
    pub category: usize,
    /// Distance to the baseline; of the baseline itself 0.
    pub distance: Option<f64>,
    /// Quantile bin, from 1, and the number of bins; `None` of the baseline and of random draws.
    pub bin: Option<(usize, usize)>,
    /// The questions that are kept, by their place in the story.
    pub questions: Vec<usize>,
}

/// Quotas that do not fit the stories.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SampleError {
    /// A story that is partly in a quota.
    #[error("--quotas: `{quota}` fits some questions of the story `{story}` and not others; stories are never divided")]
    Divided {
        /// Name of the quota.
        quota: String,
        /// Id of the story.
        story: String,
    },
    /// A story in two quotas.
    #[error("--quotas: the story `{story}` is in `{one}` and in `{other}`; a story counts once")]
    Twice {
        /// Id of the story.
        story: String,
        /// Name of a quota.
        one: String,
        /// Name of the other.
        other: String,
    },
    /// Distances are wanted without vectors.
    #[error("the quotas draw along distances: pass --embeddings FILE.npy, or --model for a model that computes them")]
    NoVectors,
}

/// Draws a sample; the same stories, vectors, quotas and seed give the same one.
pub fn sample(
    stories: &[StoryUnit<'_>],
    vectors: Option<&Embedded>,
    quotas: &Quotas,
    seed: u64,
) -> Result<Sample, SampleError> {
    let vectors = match quotas.draw {
        Draw::Random => None,
        Draw::Distance => Some(vectors.ok_or(SampleError::NoVectors)?),
    };
    let members = members(stories, &quotas.quotas)?;
    let mut found = Sample { met: Vec::new(), categories: Vec::new(), drawn: Vec::new() };
    for (place, (quota, members)) in quotas.quotas.iter().zip(&members).enumerate() {
        let mut sizes: BTreeMap<usize, usize> = BTreeMap::new();
        members.iter().for_each(|&story| *sizes.entry(stories[story].items.len()).or_default() += 1);
        let composition = Composition::of(quota, &sizes);
        let mut categories: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for &story in members {
            categories.entry(category(&stories[story], &quotas.category)).or_default().push(story);
        }
        let of_size = |members: &[usize], size: usize| -> Vec<usize> {
            members.iter().copied().filter(|&story| stories[story].items.len() == size).collect()
        };
        // Number drawn of each category, for each number of questions.
        let counts = composition.stories.iter().map(|(&size, &count)| {
            let there: Vec<usize> = categories.values().map(|members| of_size(members, size).len()).collect();
            (size, shares(count, &there))
        });
        let counts: Vec<(usize, Vec<usize>)> = counts.collect();
        let first = found.drawn.len();
        let mut left_out = Vec::new();
        for (at, (name, members)) in categories.iter().enumerate() {
            let cells: Vec<Cell> = counts
                .iter()
                .map(|(size, counts)| Cell { stories: of_size(members, *size), drawn: counts[at] })
                .filter(|cell| cell.drawn > 0)
                .collect();
            if cells.is_empty() {
                left_out.push(name.clone());
            }
            let key = format!("subsample/{}/{name}", quota.name);
            let (name, members) = (name.clone(), members.clone());
            let mut category = Category { quota: place, name, members, baseline: None, others: Vec::new(), cells };
            match vectors {
                Some(vectors) => category.measure(stories, vectors, seed, &key),
                None => category.cells.iter_mut().for_each(|cell| by_id(&mut cell.stories, stories)),
            }
            let number = found.categories.len();
            found.drawn.extend(category.draw(number, seed, &key));
            found.categories.push(category);
        }
        let drawn = &mut found.drawn[first..];
        drawn.iter_mut().for_each(|drawn| drawn.questions = (0..stories[drawn.story].items.len()).collect());
        let cut = quota.questions.filter(|_| quota.cut_stories).and_then(|wanted| {
            cut(drawn, wanted, &mut seeded(seed, &format!("subsample/{}/questions", quota.name), 0))
        });
        let unmet: Vec<String> = composition.unmet.into_iter().chain(cut).collect();
        found.met.push(Met {
            quota: quota.clone(),
            available: members.len(),
            stories: drawn.len(),
            questions: drawn.iter().map(|drawn| drawn.questions.len()).sum(),
            unmet: (!unmet.is_empty()).then(|| unmet.join("; ")),
            left_out,
        });
    }
    found.drawn.sort_by_key(|drawn| drawn.story);
    Ok(found)
}

/// The stories of each quota.
fn members(stories: &[StoryUnit<'_>], quotas: &[Quota]) -> Result<Vec<Vec<usize>>, SampleError> {
    let mut members = vec![Vec::new(); quotas.len()];
    for (number, story) in stories.iter().enumerate() {
        let mut of: Option<&Quota> = None;
        for (quota, members) in quotas.iter().zip(&mut members) {
            let fits = |item: &&&Item| {
                quota.facets.iter().all(|(facet, value)| item.grouped_by(facet).as_deref() == Some(value))
            };
            let fitting = story.items.iter().filter(fits).count();
            if fitting == 0 {
                continue;
            }
            let (story, quota_name) = (|| story.id.to_string(), || quota.name.clone());
            if fitting < stories[number].items.len() {
                return Err(SampleError::Divided { quota: quota_name(), story: story() });
            }
            if let Some(one) = of.replace(quota) {
                return Err(SampleError::Twice { story: story(), one: one.name.clone(), other: quota_name() });
            }
            members.push(number);
        }
    }
    Ok(members)
}

/// The category of a story: the values of each facet over its questions, each once and sorted.
fn category(story: &StoryUnit<'_>, facets: &[String]) -> String {
    let values = facets.iter().map(|facet| {
        let mut values = story.values(facet);
        values.sort();
        values.join(" + ")
    });
    values.collect::<Vec<_>>().join(" / ")
}

fn by_id(members: &mut [usize], stories: &[StoryUnit<'_>]) {
    members.sort_by_key(|&story| stories[story].id);
}

impl Category {
    /// Draws the baseline among the stories of cells that are drawn from, measures the others, and takes it out of its cell.
    fn measure(&mut self, stories: &[StoryUnit<'_>], vectors: &Embedded, seed: u64, key: &str) {
        let mut open: Vec<usize> = self.cells.iter().flat_map(|cell| cell.stories.iter().copied()).collect();
        by_id(&mut open, stories);
        let Some(&baseline) = open.choose(&mut seeded(seed, &format!("{key}/baseline"), 0)) else { return };
        let distance = |story: usize| cosine_distance(&vectors.rows[baseline], &vectors.rows[story]);
        let others = self.members.iter().copied().filter(|&story| story != baseline);
        self.others = others.map(|story| (story, distance(story))).collect();
        self.others.sort_by(|(one, near), (other, far)| {
            near.total_cmp(far).then_with(|| stories[*one].id.cmp(stories[*other].id))
        });
        for cell in &mut self.cells {
            let before = cell.stories.len();
            let others = self.others.iter().map(|(story, _)| *story);
            cell.stories = others.filter(|story| cell.stories.contains(story)).collect();
            cell.drawn -= before - cell.stories.len();
        }
        self.baseline = Some(baseline);
    }

    /// The distance of a story to the baseline.
    pub fn distance(&self, story: usize) -> Option<f64> {
        match self.baseline {
            Some(baseline) if baseline == story => Some(0.0),
            _ => self.others.iter().find(|(other, _)| *other == story).map(|(_, distance)| *distance),
        }
    }

    /// Draws one story of each bin of each cell: as many bins as stories are drawn, of as many stories each as rounding
    /// allows. Random draws are those of one shuffle.
    fn draw(&self, number: usize, seed: u64, key: &str) -> Vec<Drawn> {
        let of = |story: usize, bin| {
            let distance = self.distance(story);
            Drawn { story, category: number, distance, bin, questions: Vec::new() }
        };
        let mut drawn: Vec<Drawn> = self.baseline.map(|baseline| of(baseline, None)).into_iter().collect();
        for (at, Cell { stories, drawn: bins }) in self.cells.iter().enumerate() {
            let key = format!("{key}/{at}");
            if self.baseline.is_none() {
                let mut shuffled = stories.clone();
                shuffled.shuffle(&mut seeded(seed, &key, 0));
                drawn.extend(shuffled.into_iter().take(*bins).map(|story| of(story, None)));
                continue;
            }
            for bin in 0..*bins {
                let (from, to) = (bin * stories.len() / bins, (bin + 1) * stories.len() / bins);
                let place = seeded(seed, &key, bin).random_range(from..to);
                drawn.push(of(stories[place], Some((bin + 1, *bins))));
            }
        }
        drawn
    }
}

/// Leaves out questions at random until so many are left; each story keeps one. Says why, where that is not possible.
fn cut(drawn: &mut [Drawn], wanted: usize, rng: &mut impl Rng) -> Option<String> {
    let there: usize = drawn.iter().map(|drawn| drawn.questions.len()).sum();
    if there < wanted || wanted < drawn.len() {
        return Some(format!("the {} stories drawn have {there} questions, of which {wanted} are wanted", drawn.len()));
    }
    let mut spare: Vec<(usize, usize)> = Vec::new();
    for (story, drawn) in drawn.iter_mut().enumerate() {
        let kept = rng.random_range(0..drawn.questions.len());
        spare
            .extend(drawn.questions.iter().enumerate().filter(|(at, _)| *at != kept).map(|(_, &asked)| (story, asked)));
    }
    spare.shuffle(rng);
    for &(story, question) in spare.iter().take(there - wanted) {
        drawn[story].questions.retain(|&asked| asked != question);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::examples::{quotas, stories_of, vectors};
    use super::super::story_units;
    use super::*;

    fn ids(items: &[Item], quotas: &Quotas, seed: u64) -> Vec<String> {
        let stories = story_units(items);
        let found = sample(&stories, Some(&vectors(&stories)), quotas, seed).unwrap();
        let mut ids: Vec<String> = found.drawn.iter().map(|drawn| stories[drawn.story].id.to_string()).collect();
        ids.sort();
        ids
    }

    #[test]
    fn quotas_are_met_with_whole_stories() {
        let items = stories_of(&[(1, 83), (2, 10)]);
        let stories = story_units(&items);
        let found = sample(&stories, Some(&vectors(&stories)), &quotas(17, 20), 3).unwrap();
        assert_eq!((found.met[0].stories, found.met[0].questions, found.met[0].unmet.as_ref()), (17, 20, None));
        assert_eq!(found.drawn.iter().map(|drawn| drawn.questions.len()).sum::<usize>(), 20);
        let mut twice: Vec<usize> = found.drawn.iter().map(|drawn| drawn.story).collect();
        twice.dedup();
        assert_eq!(twice.len(), 17);
    }

    #[test]
    fn a_seed_gives_one_sample_whatever_the_order_of_the_data() {
        let mut items = stories_of(&[(1, 40), (2, 20)]);
        let one = ids(&items, &quotas(12, 16), 7);
        assert_eq!(one, ids(&items, &quotas(12, 16), 7));
        assert_ne!(one, ids(&items, &quotas(12, 16), 8));
        items.reverse();
        assert_eq!(one, ids(&items, &quotas(12, 16), 7));
    }

    #[test]
    fn one_story_is_drawn_of_each_bin_and_the_baseline_counts() {
        let items = stories_of(&[(1, 100)]);
        let stories = story_units(&items);
        let found = sample(&stories, Some(&vectors(&stories)), &quotas(10, 10), 2).unwrap();
        let category = &found.categories[0];
        assert_eq!(found.drawn.iter().filter(|drawn| drawn.bin.is_none()).count(), 1);
        for drawn in &found.drawn {
            let Some((bin, bins)) = drawn.bin else {
                assert_eq!((Some(drawn.story), drawn.distance), (category.baseline, Some(0.0)));
                continue;
            };
            assert_eq!(bins, 9);
            let rank = category.others.iter().position(|(story, _)| *story == drawn.story).unwrap();
            assert!(((bin - 1) * 11..bin * 11).contains(&rank), "rank {rank} in bin {bin}");
        }
    }

    #[test]
    fn categories_have_their_shares_and_those_without_a_story_are_named() {
        let mut items = stories_of(&[(1, 100)]);
        for (at, item) in items.iter_mut().enumerate() {
            let ability = if at < 60 {
                "first"
            } else if at < 98 {
                "second"
            } else {
                "third"
            };
            item.facets.insert("ability".into(), ability.into());
        }
        let stories = story_units(&items);
        let table = Quotas { category: vec!["ability".into()], ..quotas(10, 10) };
        let found = sample(&stories, Some(&vectors(&stories)), &table, 0).unwrap();
        let count =
            |name: &str| found.drawn.iter().filter(|drawn| found.categories[drawn.category].name == name).count();
        assert_eq!((count("first"), count("second"), count("third")), (6, 4, 0));
        assert_eq!(found.met[0].left_out, ["third"]);
    }

    #[test]
    fn questions_are_left_out_only_where_the_table_says_so() {
        let items = stories_of(&[(2, 20)]);
        let stories = story_units(&items);
        let mut table = quotas(7, 9);
        let whole = sample(&stories, Some(&vectors(&stories)), &table, 0).unwrap();
        assert_eq!((whole.met[0].stories, whole.met[0].questions), (7, 14));
        assert!(whole.met[0].unmet.as_ref().unwrap().contains("the nearest is 14"));
        table.quotas[0].cut_stories = true;
        let cut = sample(&stories, Some(&vectors(&stories)), &table, 0).unwrap();
        assert_eq!((cut.met[0].questions, cut.met[0].unmet.as_ref()), (9, None));
        assert!(cut.drawn.iter().all(|drawn| !drawn.questions.is_empty()));
        table.quotas[0].questions = Some(99);
        assert!(sample(&stories, Some(&vectors(&stories)), &table, 0).unwrap().met[0].unmet.is_some());
    }

    #[test]
    fn quotas_that_divide_or_share_stories_are_refused() {
        let mut items = stories_of(&[(2, 4)]);
        items[0].facets.insert("part".into(), "a".into());
        let stories = story_units(&items);
        let mut table = quotas(1, None);
        table.draw = Draw::Random;
        table.quotas.push(table.quotas[0].clone());
        let twice = sample(&stories, None, &table, 0).unwrap_err().to_string();
        assert!(twice.contains("counts once"), "{twice}");
        table.quotas.pop();
        table.quotas[0].facets.insert("part".into(), "a".into());
        let divided = sample(&stories, None, &table, 0).unwrap_err().to_string();
        assert!(divided.contains("never divided"), "{divided}");
        assert!(matches!(sample(&stories, None, &quotas(1, 1), 0), Err(SampleError::NoVectors)));
    }
}
