//! Linked questions and twins of the released files: the tables beside counts that are made here, item by item, of the
//! facets of the items and, in stories of Hi-ToM, of their sentences. Nothing here reads a card's `[[links]]` or `[[twins]]`.

use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::FRAC_PI_2;

use rand::Rng;

use tomeval::internal::{LinkResult, Linked, seeded};
use tomeval::{Benchmark, Item, LoadOptions};

use super::linked::{answers, gold, linked};
use crate::support::released::released;

/// Both rights of a pair, its story, and what it may be exchanged within.
type Pair<'a> = ([bool; 2], &'a str, Vec<String>);

/// A link: which items are on either side, in which row an item stands, what both must share, the condition, and what the
/// options of an item are.
struct Link {
    id: &'static str,
    sides: [fn(&Item) -> bool; 2],
    row: fn(&Item) -> &str,
    same: fn(&Item) -> Vec<&str>,
    within: fn(&Item) -> Vec<&str>,
}

const PLAIN: Link =
    Link { id: "", sides: [|_| false, |_| false], row: |_| "", same: |_| Vec::new(), within: |_| Vec::new() };

fn is(item: &Item, facet: &str, value: &str) -> bool {
    item.facet(facet) == Some(value)
}

fn of<'a>(item: &'a Item, facet: &str) -> &'a str {
    item.facet(facet).unwrap_or_default()
}

/// Probability that Student's t with these degrees of freedom exceeds a value, by the midpoint rule after t = tan.
fn tail(value: f64, freedom: f64) -> f64 {
    const STEPS: usize = 20_000;
    let start = (value / freedom.sqrt()).atan();
    let height = |angle: f64| angle.cos().powf(freedom - 1.0);
    let sum = |from: f64| {
        let width = (FRAC_PI_2 - from) / STEPS as f64;
        (0..STEPS).map(|step| height(from + width * (step as f64 + 0.5))).sum::<f64>() * width
    };
    sum(start) / sum(0.0) / 2.0
}

#[track_caller]
fn near(found: Option<f64>, counted: Option<f64>, of: &str) {
    match (found, counted) {
        (Some(found), Some(counted)) => assert!((found - counted).abs() < 1e-8, "{of}: {found}, counted {counted}"),
        _ => assert_eq!(found, counted, "{of}"),
    }
}

/// Whether the interval is the value and the quantile of Student's t times this standard error on either side, cut at 100.
#[track_caller]
fn is_interval(ends: Option<(f64, f64)>, value: f64, error: f64, freedom: f64, of: &str) {
    let (low, high) = ends.unwrap_or_else(|| panic!("{of}: no interval"));
    for (end, cut) in [(value - low, low <= -100.0), (high - value, high >= 100.0)] {
        let beyond = tail(end / error, freedom);
        assert!(cut || (beyond - 0.025).abs() < 1e-5, "{of}: {low} to {high} around {value}, {error}, {beyond}");
    }
}

fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.into_iter().collect();
    values.iter().sum::<f64>() / values.len() as f64
}

/// The figures of a link by its pairs.
fn check(link: &LinkResult, pairs: &[Pair<'_>], left_out: usize, of: &str) {
    let count = |wanted: [bool; 2]| pairs.iter().filter(|(right, ..)| *right == wanted).count();
    let kinds = [[true, true], [true, false], [false, true], [false, false]].map(count);
    let found = [link.both_right, link.only_first_right, link.only_second_right, link.neither_right];
    assert_eq!((link.pairs, link.left_out, found), (pairs.len(), left_out, kinds), "{of}");
    let groups = [true, false].map(|first| pairs.iter().filter(|(right, ..)| right[0] == first).collect::<Vec<_>>());
    let rate = |group: &Vec<&Pair<'_>>| {
        (group.len() >= 10).then(|| 100.0 * mean(group.iter().map(|(right, ..)| f64::from(right[1]))))
    };
    let rates = [rate(&groups[0]), rate(&groups[1])];
    near(link.second_if_first.value, rates[0], of);
    near(link.second_if_not_first.value, rates[1], of);
    let difference = rates[0].zip(rates[1]).map(|(one, other)| one - other);
    near(link.difference.value, difference, of);
    let mut strata: BTreeMap<&Vec<String>, Vec<&Pair<'_>>> = BTreeMap::new();
    pairs.iter().for_each(|pair| strata.entry(&pair.2).or_default().push(pair));
    let seconds = |pairs: &[&Pair<'_>]| mean(pairs.iter().map(|(right, ..)| f64::from(right[1])));
    let exchanged = |group: &Vec<&Pair<'_>>| 100.0 * mean(group.iter().map(|pair| seconds(&strata[&pair.2])));
    near(link.expected.value, difference.map(|_| exchanged(&groups[0]) - exchanged(&groups[1])), of);

    // The difference as a sum over stories.
    let stories = |group: &[&Pair<'_>]| group.iter().map(|pair| pair.1).collect::<BTreeSet<_>>().len() as f64;
    let mut shares: BTreeMap<&str, f64> = BTreeMap::new();
    for (group, sign) in groups.iter().zip([1.0, -1.0]) {
        let several = stories(group);
        for pair in group {
            let beyond = f64::from(pair.0[1]) - seconds(group);
            *shares.entry(pair.1).or_default() +=
                sign * beyond / group.len() as f64 * (several / (several - 1.0)).sqrt();
        }
    }
    let error = 100.0 * shares.values().map(|share| share * share).sum::<f64>().sqrt();
    let fewer = stories(&groups[0]).min(stories(&groups[1]));
    match difference.filter(|_| fewer >= 5.0 && error > 1e-9) {
        Some(value) => is_interval(link.interval, value, error, fewer - 1.0, of),
        None => assert_eq!(link.interval, None, "{of}"),
    }

    // Mantel and Haenszel over strata that have two stories in either group.
    let (mut weights, mut sum, mut both) = (0.0, 0.0, [BTreeSet::new(), BTreeSet::new()]);
    for pairs in strata.values() {
        let (one, other): (Vec<_>, Vec<_>) = pairs.iter().partition(|(right, ..)| right[0]);
        if stories(&one).min(stories(&other)) < 2.0 {
            continue;
        }
        let weight = 1.0 / (1.0 / one.len() as f64 + 1.0 / other.len() as f64);
        (weights, sum) = (weights + weight, sum + weight * (seconds(&one) - seconds(&other)));
        both[0].extend(one.iter().map(|pair| pair.1));
        both[1].extend(other.iter().map(|pair| pair.1));
    }
    let enough = both.iter().all(|stories| stories.len() >= 5);
    near(link.within_gold.value, enough.then(|| 100.0 * sum / weights), of);
}

/// Answers that know everything, nothing, and half.
fn patterns(items: &[Item]) -> [(&'static str, Vec<usize>); 3] {
    let mut rng = seeded(8, "recounted", 0);
    let half = |item: &Item| if rng.random_bool(0.5) { gold(item) } else { rng.random_range(0..item.options.len()) };
    let half = items.iter().map(half).collect();
    [("perfect", items.iter().map(gold).collect()), ("always the first", vec![0; items.len()]), ("half", half)]
}

/// Runs `check` on the tables of each pattern of answers.
fn each_pattern(benchmark: Benchmark, items: &[Item], check: impl Fn(&Linked, &dyn Fn(&Item) -> usize, &str)) {
    let card = benchmark.card_text();
    let tables = card.find("[[tables]]").unwrap_or(card.len());
    let start = ["[[links]]", "[[twins]]"].iter().filter_map(|head| card.find(head)).min().unwrap();
    // What belongs together, without tables, which take longest.
    let card = if start > tables { &card[start..] } else { &card[start..tables] };
    for (name, choices) in patterns(items) {
        let by_id: BTreeMap<&str, usize> = items.iter().map(|item| &*item.id).zip(choices).collect();
        let choose = |item: &Item| by_id[item.id.as_str()];
        check(&linked(card, items, &answers(items, choose)), &choose, &format!("{benchmark}, {name}"));
    }
}

/// Checks links in all their rows; `role` says what an option is, `left_out` which items are.
fn check_links(
    (benchmark, items): (Benchmark, &[Item]),
    links: &[Link],
    left_out: fn(&Item) -> bool,
    role: &dyn Fn(&Item, usize) -> String,
) {
    each_pattern(benchmark, items, |found, choose, name| {
        let mut rows = 0;
        for link in links {
            let keys: BTreeSet<&str> = items.iter().filter(|item| link.sides[0](item)).map(link.row).collect();
            for key in keys {
                let mut by_story: BTreeMap<&str, [Vec<&Item>; 2]> = BTreeMap::new();
                for item in items.iter().filter(|item| (link.row)(item) == key) {
                    for side in [0, 1] {
                        if link.sides[side](item) {
                            by_story.entry(&item.story).or_default()[side].push(item);
                        }
                    }
                }
                let (mut pairs, mut out) = (Vec::new(), 0);
                for (story, [firsts, seconds]) in &by_story {
                    for first in firsts {
                        for second in seconds.iter().filter(|second| (link.same)(second) == (link.same)(first)) {
                            let both = [*first, *second];
                            out += usize::from(both.iter().any(|item| left_out(item)));
                            if both.iter().any(|item| left_out(item)) {
                                continue;
                            }
                            let mut stratum: Vec<String> = (link.within)(first).into_iter().map(String::from).collect();
                            stratum.extend(both.map(|item| role(item, gold(item))));
                            pairs.push((both.map(|item| choose(item) == gold(item)), *story, stratum));
                        }
                    }
                }
                let is_row = |each: &&LinkResult| {
                    each.id == link.id && each.key.values().next().map_or("", String::as_str) == key
                };
                let result = found.links.iter().find(is_row).unwrap_or_else(|| panic!("{name}: no {} {key}", link.id));
                check(result, &pairs, out, &format!("{name}: {} {key}", link.id));
                rows += 1;
            }
        }
        assert_eq!(found.links.len(), rows, "{name}");
    });
}

fn by_place(_: &Item, option: usize) -> String {
    option.to_string()
}

fn load(benchmark: Benchmark, folder: &str) -> Option<Vec<Item>> {
    Some(benchmark.load(&released(folder)?, &LoadOptions::default()).unwrap().items)
}

/// What an option is in a story of Hi-ToM, by its sentences and the answer to its question of order 0.
fn role_in_hi_tom(item: &Item, option: usize, real: &str) -> String {
    let text = &item.options[option];
    let sentences = || {
        let lines = item.context[0].text.lines().map(|line| line.split_once(' ').unwrap_or_default().1);
        lines.map(|sentence| sentence.trim_end_matches('.').split(' ').collect::<Vec<_>>())
    };
    let is_event = |words: &[&str]| words.contains(&"in") && words.contains(&"is") || words.get(1) == Some(&"moved");
    let is_aside = |words: &[&str]| matches!(words.get(1), Some(&("likes" | "dislikes")));
    let first = sentences().find(|words| is_event(words)).unwrap().last().unwrap().to_string();
    if *text == real || *text == first {
        return format!("{} {}", *text == real, *text == first);
    }
    let mut others: Vec<&str> = Vec::new();
    for wanted in [is_event as fn(&[&str]) -> bool, is_aside] {
        for words in sentences().filter(|words| wanted(words)) {
            let last = *words.last().unwrap();
            let is_container = wanted(&["", "moved"]) || item.options.iter().any(|option| option == last);
            if is_container && last != real && last != first && !others.contains(&last) {
                others.push(last);
            }
        }
    }
    others.iter().position(|other| other == text).map_or("not named".to_string(), |at| at.to_string())
}

#[test]
fn hi_tom() {
    let Some(items) = load(Benchmark::HiToM, "hi-tom") else { return };
    let link = |id, sides| Link {
        id,
        sides,
        row: |item| of(item, "prompting"),
        within: |item| vec![of(item, "length"), of(item, "deception")],
        ..PLAIN
    };
    let links = [
        link("order-0-order-1", [|item| is(item, "order", "0"), |item| is(item, "order", "1")]),
        link("order-1-order-2", [|item| is(item, "order", "1"), |item| is(item, "order", "2")]),
        link("order-2-order-3", [|item| is(item, "order", "2"), |item| is(item, "order", "3")]),
        link("order-3-order-4", [|item| is(item, "order", "3"), |item| is(item, "order", "4")]),
    ];
    let facts = items.iter().filter(|item| is(item, "order", "0"));
    let real: BTreeMap<&str, &str> = facts.map(|item| (&*item.story, &*item.options[gold(item)])).collect();
    let role = |item: &Item, option: usize| role_in_hi_tom(item, option, real[item.story.as_str()]);
    check_links((Benchmark::HiToM, &items), &links, |item| is(item, "rules", "differ"), &role);
    let part = |item: &Item| is(item, "rules", "agree").then(|| of(item, "order").parse().unwrap());
    let (set, row): (fn(&Item) -> String, fn(&Item) -> &str) =
        (|item| item.story.clone(), |item| of(item, "prompting"));
    check_twins((Benchmark::HiToM, &items), &[Twins { id: "orders", part: Box::new(part), set, row }]);
    // Labels that the rules of the file do not give: 17 and 130 of 600, as `data audit` says.
    let differ = |kind| items.iter().filter(|item| is(item, "prompting", kind) && is(item, "rules", "differ")).count();
    assert_eq!(["CoTP", "VP"].map(differ), [17, 130]);
}

#[test]
fn tomi() {
    let Some(items) = load(Benchmark::ToMi, "tomi") else { return };
    let link = |id, sides| Link { id, sides, within: |item| vec![of(item, "story_type")], ..PLAIN };
    let (memory, reality): (fn(&Item) -> bool, fn(&Item) -> bool) =
        (|item| is(item, "dimension", "memory"), |item| is(item, "dimension", "reality"));
    let links = [
        link("reality-belief", [reality, |item| is(item, "order", "1")]),
        link("memory-belief", [memory, |item| is(item, "order", "1")]),
        link("memory-reality", [memory, reality]),
        link("belief-belief-about-a-belief", [|item| is(item, "order", "1"), |item| is(item, "order", "2")]),
    ];
    check_links((Benchmark::ToMi, &items), &links, |item| is(item, "rules", "differ"), &by_place);
    let second = |at: usize| {
        let asked = ["second_order_0_tom", "second_order_1_tom"];
        let belief = [["first_order_1_tom", "first_order_1_no_tom"], ["first_order_0_tom", "first_order_0_no_tom"]];
        move |item: &Item| {
            let kind = of(item, "question_type");
            let original = kind == asked[at] && is(item, "rules", "agree");
            [original, belief[at].contains(&kind), kind == "reality"].iter().position(|is| *is)
        }
    };
    let false_belief =
        |item: &Item| ["first_order_1_tom", "first_order_0_no_tom"].iter().position(|it| is(item, "question_type", it));
    let twins = [
        Twins { id: "beliefs", part: Box::new(false_belief), set: |item| item.story.clone(), row: |_| "" },
        Twins { id: "second-order-0", part: Box::new(second(0)), set: |item| item.story.clone(), row: |_| "" },
        Twins { id: "second-order-1", part: Box::new(second(1)), set: |item| item.story.clone(), row: |_| "" },
    ];
    check_twins((Benchmark::ToMi, &items), &twins);
}

#[test]
fn percept_tomi() {
    let Some(items) = load(Benchmark::PerceptToMi, "percepttom") else { return };
    let link = Link {
        id: "belief-belief-about-a-belief",
        sides: [|item| is(item, "order", "1"), |item| is(item, "order", "2")],
        within: |item| vec![of(item, "kind")],
        ..PLAIN
    };
    check_links((Benchmark::PerceptToMi, &items), &[link], |_| false, &by_place);
}

#[test]
fn bigtom() {
    let Some(items) = load(Benchmark::BigToM, "bigtom") else { return };
    let percept: fn(&Item) -> bool = |item| is(item, "variable", "percept_to_belief");
    let links = [
        Link {
            id: "percept-belief-after-a-seen-change",
            sides: [percept, |item| {
                is(item, "variable", "forward_belief") && is(item, "story_condition", "true_belief")
            }],
            ..PLAIN
        },
        Link {
            id: "percept-belief-after-an-unseen-change",
            sides: [percept, |item| {
                is(item, "variable", "forward_belief") && is(item, "story_condition", "false_belief")
            }],
            ..PLAIN
        },
        Link {
            id: "belief-action",
            sides: [|item| is(item, "variable", "forward_belief"), |item| is(item, "variable", "forward_action")],
            row: |item| of(item, "initial_belief"),
            same: |item| vec![of(item, "story_condition")],
            within: |item| vec![of(item, "story_condition")],
        },
    ];
    check_links((Benchmark::BigToM, &items), &links, |_| false, &by_place);
    let part = |item: &Item| {
        let at = ["false_belief", "true_belief", "false_control", "true_control"];
        let at = at.iter().position(|condition| is(item, "story_condition", condition))?;
        (!is(item, "variable", "percept_to_belief") && (at < 2 || is(item, "repeat", "no"))).then_some(at)
    };
    let set = |item: &Item| format!("{} {} {}", item.story, of(item, "variable"), of(item, "initial_belief"));
    check_twins(
        (Benchmark::BigToM, &items),
        &[Twins { id: "controls", part: Box::new(part), set, row: |item| of(item, "variable") }],
    );
}

#[test]
fn adv_csfb() {
    let Some(items) = load(Benchmark::AdvCsfb, "adv-csfb") else { return };
    let links = [Link {
        id: "belief-action",
        sides: [|item| is(item, "kind", "belief"), |item| is(item, "kind", "action")],
        row: |item| of(item, "file"),
        same: |item| vec![of(item, "type")],
        within: |item| vec![of(item, "type")],
    }];
    check_links((Benchmark::AdvCsfb, &items), &links, |_| false, &by_place);
    let part = |item: &Item| {
        let types = ["fb", "tb", "trusted testimony", "transparent access", "late label", "other person", "in->on"];
        types.iter().position(|kind| is(item, "type", kind))
    };
    let set = |item: &Item| format!("{} {}", item.story, of(item, "kind"));
    check_twins(
        (Benchmark::AdvCsfb, &items),
        &[Twins { id: "alterations", part: Box::new(part), set, row: |item| of(item, "file") }],
    );
}

#[test]
fn tomvalley() {
    let Some(mut items) = load(Benchmark::ToMValley, "tomvalley") else { return };
    items.retain(|item| is(item, "kind", "what"));
    let link = |id, sides| Link {
        id,
        sides,
        same: |item| vec![of(item, "scenario")],
        within: |item| vec![of(item, "scenario")],
        ..PLAIN
    };
    let links = [
        link("belief-emotion", [|item| is(item, "item", "belief"), |item| is(item, "item", "emotion")]),
        link("belief-intention", [|item| is(item, "item", "belief"), |item| is(item, "item", "intention")]),
        link("emotion-intention", [|item| is(item, "item", "emotion"), |item| is(item, "item", "intention")]),
        link("intention-action", [|item| is(item, "item", "intention"), |item| is(item, "item", "action")]),
    ];
    check_links((Benchmark::ToMValley, &items), &links, |_| false, &by_place);
}

/// Twins: which version an item is, in which set, and in which row, by the first of the facets that make rows.
struct Twins {
    id: &'static str,
    part: Box<dyn Fn(&Item) -> Option<usize>>,
    set: fn(&Item) -> String,
    row: fn(&Item) -> &str,
}

/// Checks twins over all their rows of one value of the first facet together.
fn check_twins((benchmark, items): (Benchmark, &[Item]), twins: &[Twins]) {
    each_pattern(benchmark, items, |found, choose, name| {
        for each in twins {
            let rows: BTreeSet<&str> = items.iter().filter(|item| (each.part)(item).is_some()).map(each.row).collect();
            for row in rows {
                let mut sets: BTreeMap<String, Vec<(usize, &Item)>> = BTreeMap::new();
                for item in items.iter().filter(|item| (each.row)(item) == row) {
                    let Some(part) = (each.part)(item) else { continue };
                    sets.entry((each.set)(item)).or_default().push((part, item));
                }
                sets.retain(|_, set| {
                    let has = |wanted: fn(usize) -> bool| set.iter().any(|(part, _)| wanted(*part));
                    has(|part| part == 0) && has(|part| part > 0)
                });
                let is_right = |item: &Item| choose(item) == gold(item);
                let all = sets.values().filter(|set| set.iter().all(|(_, item)| is_right(item))).count();
                let guess = |(_, item): &(usize, &Item)| 1.0 / item.options.len() as f64;
                let guessed: f64 = sets.values().map(|set| set.iter().map(guess).product::<f64>()).sum();
                let is_row = |result: &&tomeval::internal::TwinResult| {
                    result.id == each.id && result.key.values().next().map_or("", String::as_str) == row
                };
                let results: Vec<_> = found.twins.iter().filter(is_row).collect();
                let of = format!("{name}: {} {row}", each.id);
                assert_eq!(results.iter().map(|result| result.sets).sum::<usize>(), sets.len(), "{of}");
                let shares = |value: &dyn Fn(&tomeval::internal::TwinResult) -> Option<f64>| -> f64 {
                    results.iter().map(|result| value(result).unwrap() * result.sets as f64 / 100.0).sum()
                };
                near(Some(shares(&|result| result.all_right.value)), Some(all as f64), &of);
                near(Some(shares(&|result| result.chance.value)), Some(guessed), &of);
                let mut sizes: BTreeMap<usize, usize> = BTreeMap::new();
                sets.values().for_each(|set| *sizes.entry(set.len()).or_default() += 1);
                let mut counted: BTreeMap<usize, usize> = BTreeMap::new();
                let by_size = results.iter().flat_map(|result| &result.by_size);
                by_size.for_each(|size| *counted.entry(size.questions).or_default() += size.sets);
                assert_eq!(counted, sizes, "{of}");
                if let [result] = results[..] {
                    check_changes(result, &sets, &is_right, &of);
                }
            }
        }
    });
}

/// The changes of each version from its original, one question of either a set.
fn check_changes(
    result: &tomeval::internal::TwinResult,
    sets: &BTreeMap<String, Vec<(usize, &Item)>>,
    is_right: &dyn Fn(&Item) -> bool,
    of: &str,
) {
    for (at, part) in result.parts.iter().enumerate().skip(1) {
        let (mut changes, mut stories) = (Vec::new(), BTreeSet::new());
        for set in sets.values() {
            let item = |wanted: usize| set.iter().find(|(part, _)| *part == wanted).map(|(_, item)| *item);
            let (Some(original), Some(version)) = (item(0), item(at)) else { continue };
            changes.push(f64::from(is_right(version)) - f64::from(is_right(original)));
            assert!(stories.insert(&version.story), "{of}: one set a story");
        }
        assert_eq!(part.pairs, changes.len(), "{of}, {}", part.name);
        if changes.is_empty() {
            continue;
        }
        let change = mean(changes.iter().copied());
        near(part.change.value, Some(100.0 * change), of);
        let (risen, fallen) = (changes.iter().filter(|it| **it > 0.0), changes.iter().filter(|it| **it < 0.0));
        let (risen, fallen) = (risen.count(), fallen.count());
        // By chance either sign is as likely: the share of draws at least as uneven.
        let (all, fewer) = (risen + fallen, risen.min(fallen));
        let mut chance = 0.5f64.powi(i32::try_from(all).unwrap());
        let mut p = 0.0;
        for least in 0..=fewer {
            p += 2.0 * chance;
            chance *= (all - least) as f64 / (least + 1) as f64;
        }
        // Of several versions it is adjusted.
        let p = if risen == fallen { 1.0 } else { p.min(1.0) };
        match result.parts.len() {
            2 => near(part.change_p, Some(p), of),
            _ => assert!(part.change_p.unwrap() >= p - 1e-9, "{of}"),
        }
        let several = changes.len() as f64;
        let squares: f64 = changes.iter().map(|it| (it - change).powi(2)).sum();
        let error = 100.0 * (squares / (several - 1.0) / several).sqrt();
        if error > 1e-9 && p < 0.05 && several >= 6.0 {
            is_interval(part.change_interval, 100.0 * change, error, several - 1.0, of);
        }
    }
}
