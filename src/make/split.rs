//! Divides stories between training and test.

use std::collections::BTreeMap;

use rand::seq::SliceRandom;

use crate::benchmark::{Item, TiedStories};
use crate::seed::seeded;

/// For each item whether it is for testing. All items of a story, and all versions of it in other languages or variants, are on one
/// side; `share` of the stories are for testing, rounded, but at least one is on either side. `None` with fewer than two stories. The same
/// items and seed give the same sides in any order of the items.
pub fn for_test(items: &[Item], share: f64, seed: u64) -> Option<Vec<bool>> {
    let mut tied = TiedStories::default();
    let added: Vec<usize> =
        items.iter().map(|item| tied.add(item.benchmark.name(), &item.story, &item.parallel)).collect();
    let numbers = tied.numbers(&added);
    let mut names: BTreeMap<usize, &str> = BTreeMap::new();
    for (item, number) in items.iter().zip(&numbers) {
        let name = names.entry(*number).or_insert(&item.parallel);
        *name = (*name).min(&item.parallel);
    }
    let mut stories: Vec<(&str, usize)> = names.into_iter().map(|(number, name)| (name, number)).collect();
    if stories.len() < 2 {
        return None;
    }
    stories.sort_unstable();
    stories.shuffle(&mut seeded(seed, "split", 0));
    let tested = ((share * stories.len() as f64).round() as usize).clamp(1, stories.len() - 1);
    let tested: Vec<usize> = stories.into_iter().take(tested).map(|(_, number)| number).collect();
    Some(numbers.iter().map(|number| tested.contains(number)).collect())
}

#[cfg(test)]
mod tests {
    use super::super::examples::stories_of;
    use super::*;
    use crate::language::Language;

    /// Items in two languages with the sides of each.
    fn sides(reversed: bool, seed: u64) -> BTreeMap<String, bool> {
        let mut items = stories_of(&[(2, 10), (1, 10)]);
        let other = items.clone().into_iter().map(|item| Item {
            id: item.id.replace("/en", "/zh"),
            language: Language::Zh,
            story: item.story.replace("/en", "/zh"),
            ..item
        });
        items.extend(other.collect::<Vec<_>>());
        if reversed {
            items.reverse();
        }
        let sides = for_test(&items, 0.3, seed).unwrap();
        items.iter().zip(sides).map(|(item, side)| (item.id.clone(), side)).collect()
    }

    #[test]
    fn all_languages_and_questions_of_a_story_are_on_one_side() {
        let sides = sides(false, 4);
        let story = |id: &str| id.split('/').nth(1).unwrap().splitn(3, '-').take(2).collect::<Vec<_>>().join("-");
        let mut by_story: BTreeMap<String, Vec<bool>> = BTreeMap::new();
        sides.iter().for_each(|(id, &side)| by_story.entry(story(id)).or_default().push(side));
        assert_eq!(by_story.len(), 20);
        assert!(by_story.values().all(|sides| sides.iter().all(|side| side == &sides[0])));
        assert_eq!(by_story.values().filter(|sides| sides[0]).count(), 6);
    }

    #[test]
    fn a_seed_gives_one_division_in_any_order_of_the_items() {
        assert_eq!(sides(false, 4), sides(true, 4));
        assert_ne!(sides(false, 4), sides(false, 5));
        assert_eq!(for_test(&stories_of(&[(3, 1)]), 0.5, 0), None);
        assert_eq!(for_test(&stories_of(&[(1, 2)]), 0.0, 0).unwrap().iter().filter(|side| **side).count(), 1);
    }
}
