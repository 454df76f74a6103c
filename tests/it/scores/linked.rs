//! Questions that belong together, answered in planted ways: tables are those that the plan makes, intervals hold the
//! truth, and nothing is found that is not there.

use crate::support::trials::chosen;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use tomeval::internal::{ClaimRule, HiToMSettings, Linked, Wording, hi_tom_items, make_hi_tom, seeded};
use tomeval::{
    Answer, Benchmark, Item, Language, Layout, LoadOptions, OptionIx, Outcome, Respondent, Setting, Ties, evaluate,
};

use crate::support::released::released;

const REPETITIONS: usize = 200;

const STORIES: usize = 200;

/// Of this many of 200 repetitions an interval of 95 % holds the truth but for one in a hundred such intervals.
const MOST_HELD: usize = 183;

pub(super) fn linked(card: &str, items: &[Item], outcomes: &[Outcome<'_>]) -> Linked {
    let layout = Layout::parse(card).unwrap();
    let by = Respondent { label: "planted", answers: "letters" };
    let benchmark = items[0].benchmark;
    evaluate(&Setting { benchmark, title: "Planted", by, items, layout: &layout, seed: 0 }, outcomes).linked
}

pub(super) fn answers<'a>(items: &'a [Item], mut choose: impl FnMut(&Item) -> usize) -> Vec<Outcome<'a>> {
    items.iter().map(|item| Outcome::new(item, "vanilla", None, vec![chosen(choose(item))], Ties::default())).collect()
}

pub(super) fn gold(item: &Item) -> usize {
    item.gold.options()[0]
}

/// A yes or no question of a story.
fn question(story: usize, name: &str, facets: &[(&str, &str)], gold: bool) -> Item {
    Item {
        id: format!("planted/{story}/{name}"),
        benchmark: Benchmark::Custom,
        language: Language::En,
        parallel: format!("planted/{story}/{name}"),
        story: format!("planted/{story}"),
        context: Vec::new(),
        question: format!("{name}?"),
        options: vec!["yes".to_string(), "no".to_string()],
        gold: Answer::Single(OptionIx(usize::from(!gold))),
        facets: facets.iter().map(|(facet, value)| (facet.to_string(), value.to_string())).collect(),
        fields: Default::default(),
        flags: Vec::new(),
    }
}

const LINK: &str = r#"links = [{ first = "percept", second = "belief", within = ["level"], consistency = true }]"#;

/// Two questions a story whose right answers are the same in four stories of five.
fn percepts_and_beliefs(rng: &mut ChaCha8Rng) -> Vec<Item> {
    let mut items = Vec::new();
    for story in 0..STORIES {
        let (percept, same) = (rng.random_bool(0.5), rng.random_bool(0.8));
        let level = if story % 2 == 0 { "easy" } else { "hard" };
        items.push(question(story, "percept", &[("link", "percept"), ("level", level)], percept));
        items.push(question(story, "belief", &[("link", "belief"), ("level", level)], percept == same));
    }
    items
}

/// The first answer is right with one probability where its right answer is yes and another where it is no; the second with
/// its own, where the first was right, and where it was not.
fn answered_in_turn<'a>(items: &'a [Item], if_right: f64, if_wrong: f64, rng: &mut ChaCha8Rng) -> Vec<Outcome<'a>> {
    let mut before = false;
    answers(items, |item| {
        let likely = match (item.facets["link"].as_str(), gold(item)) {
            ("percept", 0) => 0.8,
            ("percept", _) => 0.4,
            (_, gold) => (if before { if_right } else { if_wrong }) + if gold == 0 { 0.1 } else { -0.1 },
        };
        before = rng.random_bool(likely);
        if before { gold(item) } else { 1 - gold(item) }
    })
}

#[test]
fn an_association_is_found_where_it_is_planted_and_nowhere_else() {
    // Whether the interval holds the truth, whether zero is outside of it, and how far the plain difference is from the one
    // that exchanged answers have.
    let of = |if_right: f64, if_wrong: f64| {
        let each = |draw: usize| {
            let rng = &mut seeded(1, "linked answers", draw);
            let items = percepts_and_beliefs(rng);
            let link = linked(LINK, &items, &answered_in_turn(&items, if_right, if_wrong, rng)).links.remove(0);
            let (low, high) = link.within_gold_interval.unwrap();
            let truth = (if_right - if_wrong) * 100.0;
            let gap = link.difference.value.unwrap() - link.expected.value.unwrap();
            (low <= truth && truth <= high, low > 0.0 || high < 0.0, gap, link.difference.value.unwrap())
        };
        let all: Vec<_> = (0..REPETITIONS).into_par_iter().map(each).collect();
        let count = |of: fn(&(bool, bool, f64, f64)) -> bool| all.iter().filter(|each| of(each)).count();
        let mean = |of: fn(&(bool, bool, f64, f64)) -> f64| all.iter().map(of).sum::<f64>() / all.len() as f64;
        (count(|each| each.0), count(|each| each.1), mean(|each| each.2), mean(|each| each.3))
    };
    let (held, alarms, gap, plain) = of(0.6, 0.6);
    assert!(held >= MOST_HELD && alarms <= REPETITIONS - MOST_HELD, "{held} {alarms}");
    assert!(plain > 2.0 && gap.abs() < 0.7, "right answers make a difference of {plain}, {gap} of it not theirs");
    let (held, found, ..) = of(0.8, 0.5);
    assert!(held >= MOST_HELD && found >= 180, "{held} {found}");
}

#[test]
fn constant_and_perfect_answers_have_no_association_within_right_answers() {
    let items = percepts_and_beliefs(&mut seeded(2, "linked answers", 0));
    let always_yes = linked(LINK, &items, &answers(&items, |_| 0));
    let link = &always_yes.links[0];
    let [percept, belief] = [0, 1].map(|side| items.iter().skip(side).step_by(2));
    let both = percept.zip(belief).filter(|(one, other)| gold(one) == 0 && gold(other) == 0).count();
    assert_eq!((link.pairs, link.both_right), (STORIES, both));
    assert!((link.difference.value.unwrap() - link.expected.value.unwrap()).abs() < 1e-9);
    assert!(link.difference.value.unwrap() > 40.0 && link.within_gold.value.is_none(), "{link:?}");
    let fits = link.consistency.as_ref().unwrap();
    assert_eq!(
        (fits.agree.share.value, fits.differ.share.value, fits.mean.value),
        (Some(100.0), Some(0.0), Some(50.0))
    );
    let excesses = [&fits.agree, &fits.differ].map(|part| part.excess.value.unwrap());
    assert_eq!(excesses, [0.0, 0.0]);

    let perfect = linked(LINK, &items, &answers(&items, gold));
    let link = &perfect.links[0];
    assert_eq!((link.both_right, link.second_if_first.value), (STORIES, Some(100.0)));
    assert!(link.second_if_not_first.reason.as_ref().unwrap().contains("fewer than 10"), "{link:?}");
    assert_eq!(link.consistency.as_ref().unwrap().mean.value, Some(100.0));
}

#[test]
fn few_answers_have_counts_and_no_rates() {
    let items = percepts_and_beliefs(&mut seeded(3, "linked answers", 0));
    let few = &items[..18];
    let found = linked(LINK, few, &answers(few, gold));
    assert_eq!((found.links[0].both_right, found.links[0].second_if_first.value), (9, None));
    assert_eq!(found.links[0].consistency.as_ref().unwrap().mean.value, None);
}

/// Questions of made Hi-ToM stories, in whose card orders follow each other.
fn hi_tom(stories: usize) -> (Vec<Item>, String) {
    let settings = HiToMSettings {
        chapters: 2,
        size: Default::default(),
        deception: true,
        stories,
        seed: 5,
        answers: 15,
        wording: Wording::English,
        claims: ClaimRule::Published,
    };
    let link = |order: usize| {
        format!(
            "[[links]]\nfirst = {{ name = '{order}', where = {{ order = {order} }} }}\n\
             second = {{ name = '{0}', where = {{ order = {0} }} }}\nconsistency = true\n",
            order + 1
        )
    };
    (hi_tom_items(&make_hi_tom(&settings).unwrap()), (0..4).map(link).collect())
}

/// The option of an item with a text.
fn option(item: &Item, text: &str) -> usize {
    item.options.iter().position(|option| option == text).unwrap_or(0)
}

/// The options of an item that its story names, in the order of first mention.
fn named(item: &Item) -> Vec<usize> {
    let text = &item.context[0].text;
    let mut found: Vec<usize> = (0..item.options.len()).filter(|&at| text.contains(&item.options[at])).collect();
    found.sort_by_key(|&at| text.find(&item.options[at]));
    found
}

#[test]
fn consistency_is_that_of_the_answers_whether_right_or_wrong() {
    let (items, card) = hi_tom(STORIES);
    let shares = |choose: &dyn Fn(&Item) -> usize| {
        let found = linked(&card, &items, &answers(&items, choose));
        let found: Vec<_> = found.links.into_iter().map(|link| link.consistency.unwrap()).collect();
        assert_eq!((found.len(), found[0].left_out), (4, 0));
        let share = |each: &tomeval::internal::Consistency| {
            [each.agree.share.value.unwrap(), each.differ.share.value.unwrap(), each.mean.value.unwrap()]
        };
        found.iter().map(share).collect::<Vec<_>>()
    };
    let of_story = |item: &Item, order: &str| {
        let asked = items.iter().find(|other| other.story == item.story && other.facets["order"] == order).unwrap();
        asked.options[gold(asked)].clone()
    };
    assert_eq!(shares(&gold), [[100.0, 100.0, 100.0]; 4]);
    // All questions of a story get one answer: they agree everywhere.
    for constant in ["0", "1"] {
        let one = shares(&|item: &Item| match item.options.contains(&of_story(item, constant)) {
            true => option(item, &of_story(item, constant)),
            false => gold(item),
        });
        assert!(
            one.iter().all(|[agree, differ, mean]| *agree > 99.0 && *differ < 1.0 && (*mean - 50.0).abs() < 1.0),
            "{one:?}"
        );
    }
    // Every answer is wrong by the same mistake, the next container of the story in place of the right one.
    let shifted = |item: &Item| {
        let named = named(item);
        let at = named.iter().position(|&option| option == gold(item)).unwrap();
        named[(at + 1) % named.len()]
    };
    let wrong = shares(&shifted);
    assert!(items.iter().all(|item| shifted(item) != gold(item)));
    assert!(wrong.iter().all(|[agree, differ, _]| *agree > 95.0 && *differ > 95.0), "{wrong:?}");
}

#[test]
fn answers_that_do_not_know_of_each_other_fit_no_better_than_those_of_other_stories() {
    // Stories are read again in every repetition.
    let (items, card) = hi_tom(60);
    let held: Vec<[bool; 2]> = (0..REPETITIONS)
        .into_par_iter()
        .map(|draw| {
            let rng = &mut seeded(4, "consistent answers", draw);
            let chosen = answers(&items, |item| {
                let named = named(item);
                if rng.random_bool(0.5) { gold(item) } else { named[rng.random_range(0..named.len())] }
            });
            let found = linked(&card, &items, &chosen).links.remove(1).consistency.unwrap();
            [found.agree, found.differ].map(|part| {
                let (low, high) = part.excess_interval.unwrap();
                low <= 0.0 && 0.0 <= high
            })
        })
        .collect();
    for part in [0, 1] {
        let held = held.iter().filter(|each| each[part]).count();
        assert!(held >= MOST_HELD, "part {part}: {held}");
    }
}

const TWINS: &str = r#"
[[twins]]
id = "edits"
title = "Edits"
set = ["set"]
parts = [
  { name = "original", where = { edit = "none" } },
  { name = "control", where = { edit = "control" }, edit = "the agent stays" },
  { name = "perturbed", where = { edit = "perturbed" }, edit = "the box is of glass" },
]
"#;

/// Sets of an original, a control with the other right answer, and in two of three sets a perturbed version.
fn twins() -> Vec<Item> {
    let mut items = Vec::new();
    for story in 0..STORIES {
        let set = story.to_string();
        let facets = |edit| vec![("set", set.as_str()), ("edit", edit)];
        items.push(question(story, "original", &facets("none"), story % 2 == 0));
        items.push(question(story, "control", &facets("control"), story % 2 == 1));
        if story % 3 > 0 {
            items.push(question(story, "perturbed", &facets("perturbed"), story % 4 < 2));
        }
    }
    items
}

#[test]
fn twins_have_credit_only_together() {
    let items = twins();
    let of = |choose: &dyn Fn(&Item) -> usize| linked(TWINS, &items, &answers(&items, choose)).twins.remove(0);
    let perfect = of(&gold);
    let thirds = (0..STORIES).filter(|story| story % 3 > 0).count();
    assert_eq!((perfect.sets, perfect.incomplete, perfect.all_right.value), (STORIES, 0, Some(100.0)));
    let sizes: Vec<(usize, usize, f64)> =
        perfect.by_size.iter().map(|size| (size.questions, size.sets, size.chance)).collect();
    assert_eq!(sizes, [(2, STORIES - thirds, 25.0), (3, thirds, 12.5)]);
    assert!(perfect.parts.iter().all(|part| part.accuracy.value == Some(100.0)));
    assert_eq!(perfect.parts[2].edit.as_deref(), Some("the box is of glass"));
    // An original and its control have different right answers, so that no constant is right in both.
    let yes = of(&|_| 0);
    assert_eq!((yes.all_right.value, yes.parts[0].accuracy.value), (Some(0.0), Some(50.0)));
    assert!(yes.rules.iter().any(|rule| rule.answer == "option A" && rule.all_right == 0.0), "{:?}", yes.rules);
    let brittle = of(&|item| if item.facets["edit"] == "perturbed" { 1 - gold(item) } else { gold(item) });
    let [original, control, perturbed] = &brittle.parts[..] else { panic!("three parts") };
    assert_eq!((original.pairs, original.change.value), (0, None));
    assert_eq!((control.pairs, control.change.value), (STORIES, Some(0.0)));
    assert_eq!((perturbed.pairs, perturbed.change.value), (thirds, Some(-100.0)));
    assert!(perturbed.change_interval.unwrap().1 < -90.0 && perturbed.change_p.unwrap() < 1e-9);
    let asked = answers(&items[..9], gold);
    let part = linked(TWINS, &items, &asked).twins.remove(0);
    assert_eq!((part.sets, part.incomplete), (3, STORIES - 3), "the fourth set has only its original");
}

#[test]
fn a_drop_is_found_where_it_is_planted_and_nowhere_else() {
    let items = twins();
    let of = |drop: f64| {
        let found: Vec<(bool, bool)> = (0..REPETITIONS)
            .into_par_iter()
            .map(|draw| {
                let rng = &mut seeded(6, "twin answers", draw);
                let mut base = 0.0;
                let chosen = answers(&items, |item| {
                    let edit = item.facets["edit"].as_str();
                    if edit == "none" {
                        base = if rng.random_bool(0.5) { 0.95 } else { 0.55 };
                    }
                    let right = rng.random_bool(base - if edit == "perturbed" { drop } else { 0.0 });
                    if right { gold(item) } else { 1 - gold(item) }
                });
                let part = linked(TWINS, &items, &chosen).twins[0].parts[2].clone();
                let (low, high) = part.change_interval.unwrap();
                let truth = -drop * 100.0;
                (low <= truth && truth <= high, high < 0.0)
            })
            .collect();
        let count = |of: fn(&(bool, bool)) -> bool| found.iter().filter(|each| of(each)).count();
        (count(|each| each.0), count(|each| each.1))
    };
    let (held, alarms) = of(0.0);
    assert!(held >= MOST_HELD && alarms <= 10, "{held} {alarms}");
    let (held, found) = of(0.2);
    assert!(held >= MOST_HELD && found >= 180, "{held} {found}");
}

#[test]
fn released_tomi_questions_answered_by_the_last_container_have_the_counts_of_the_files() {
    let Some(folder) = released("tomi") else { return };
    let items = Benchmark::ToMi.load(&folder, &LoadOptions::default()).unwrap().items;
    let card = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/datasets/tomi.toml")).unwrap();
    // Of two containers the last named is where the object really is.
    let found = linked(&card, &items, &answers(&items, |_| 1));
    let link = |first: &str, second: &str| {
        found.links.iter().find(|link| (link.first.as_str(), link.second.as_str()) == (first, second)).unwrap()
    };
    let reality = link("reality", "belief");
    let kinds = [reality.both_right, reality.only_first_right, reality.only_second_right, reality.neither_right];
    assert_eq!((reality.pairs, reality.left_out, kinds), (1998, 0, [1594, 404, 0, 0]));
    let memory = link("memory", "belief");
    assert_eq!([memory.both_right, memory.only_second_right, memory.neither_right], [0, 1594, 404]);
    assert_eq!(link("belief", "belief about a belief").left_out, 2 * 464);
    let fits = reality.consistency.as_ref().unwrap();
    assert_eq!((fits.agree.pairs, fits.differ.pairs), (1594, 404));
    assert_eq!(
        (fits.agree.share.value, fits.differ.share.value, fits.mean.value),
        (Some(100.0), Some(0.0), Some(50.0))
    );
    let twins = &found.twins[0];
    assert_eq!((twins.sets, twins.all_right.value, twins.chance.value), (404, Some(0.0), Some(25.0)));
    assert_eq!((twins.parts[1].change.value, twins.parts[1].pairs), (Some(100.0), 404));
}
