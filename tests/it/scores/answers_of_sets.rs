//! Answers to every question of a set, given by a rule, get in each table of its card what a plain recomputation gets:
//! for every set whose files are there.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;
use toml::{Table, Value as Toml};

use crate::support::context::{Run, TestContext};
use crate::support::released::{absent, data};
use tomeval::internal::LoadError;
use tomeval::{Benchmark, Item, LoadOptions};

/// An item and the options that a rule chose.
type Answered<'a> = (&'a Item, Vec<usize>);

#[test]
fn perfect_first_and_last_answers_to_every_set_get_what_a_plain_recomputation_gets() {
    for benchmark in Benchmark::ALL {
        if benchmark == Benchmark::Custom {
            continue;
        }
        let items = match benchmark.load(&data(), &LoadOptions::default()) {
            Ok(loaded) => loaded.items,
            Err(LoadError::Absent { .. }) => {
                absent(benchmark.name());
                continue;
            }
            Err(error) => panic!("{benchmark}: {error}"),
        };
        let rules: [(&str, fn(&Item) -> Vec<usize>); 3] = [
            ("perfect", |item| item.gold.options()),
            ("first", |item| everywhere(item, 0)),
            ("last", |item| everywhere(item, item.options.len() - 1)),
        ];
        for (name, rule) in rules {
            // ToMValley's 78,100 questions take as long as those of all other sets together: one rule recomputes each cell.
            if benchmark == Benchmark::ToMValley && name != "first" {
                continue;
            }
            let answered: Vec<Answered<'_>> = items.iter().map(|item| (item, rule(item))).collect();
            let checked = check(benchmark, name, &answered);
            assert!(checked > 0, "{benchmark}, {name}: no cell was recomputed");
        }
    }
}

/// The same option, in every slot.
fn everywhere(item: &Item, option: usize) -> Vec<usize> {
    let slots = if item.gold.kind() == "slots" { item.gold.options().len() } else { 1 };
    vec![option; slots]
}

/// Scores the answers by the command and compares each cell; the number of cells compared.
fn check(benchmark: Benchmark, rule: &str, answered: &[Answered<'_>]) -> usize {
    let context = TestContext::new();
    let line = |(item, chosen): &Answered<'_>| match item.gold.kind() {
        "single" => json!({"id": item.id, "choice": chosen[0]}).to_string(),
        _ => json!({"id": item.id, "choice": chosen}).to_string(),
    };
    let file = context.write("answers.jsonl", answered.iter().map(|answer| line(answer) + "\n").collect::<String>());
    let mut command = context.command(&["score", "--json", "--quiet", "--benchmark", benchmark.name(), "--data"]);
    let scored = command.arg(data()).arg("--answers").arg(file).run().success().json();
    let card: Table = benchmark.card_text().parse().unwrap();
    let mut checked = 0;
    for table in card["tables"].as_array().unwrap() {
        let found = scored["results"][0]["tables"].as_array().unwrap();
        let Some(found) = found.iter().find(|found| found["id"].as_str() == table["id"].as_str()) else {
            let any = answered.iter().any(|(item, _)| passes(item, table.get("where")));
            assert!(!any, "{benchmark}, {rule}: no table {}", table["id"]);
            continue;
        };
        let facets: Vec<&str> =
            table.get("rows").and_then(Toml::as_array).into_iter().flatten().filter_map(Toml::as_str).collect();
        for row in found["rows"].as_array().unwrap() {
            let in_row = |item: &Item| {
                facets.iter().all(|facet| {
                    let value = of(item, facet);
                    value.is_some() && value.as_deref() == row["key"][facet].as_str()
                })
            };
            for (name, cell) in found["columns"].as_array().unwrap().iter().zip(row["cells"].as_array().unwrap()) {
                let columns = table["columns"].as_array().unwrap();
                let column = columns.iter().find(|column| column["name"].as_str() == name.as_str()).unwrap();
                if ["mean", "difference", "range", "both", "unavailable"].iter().any(|key| column.get(key).is_some()) {
                    continue;
                }
                let measure =
                    column.get("measure").or(table.get("measure")).and_then(Toml::as_str).unwrap_or("accuracy");
                let chosen: Vec<&Answered<'_>> = answered
                    .iter()
                    .filter(|(item, _)| {
                        in_row(item) && passes(item, table.get("where")) && passes(item, column.get("where"))
                    })
                    .collect();
                let Some(expected) = value(measure, &chosen, answered) else { continue };
                let place = format!("{benchmark}, {rule}: {} of table {} in {}", name, table["id"], row["key"]);
                let Some(got) = cell["value"].as_f64() else {
                    panic!("{place}: no value, expected {expected}: {cell}")
                };
                assert!((got - expected).abs() < 1e-6, "{place}: {got}, expected {expected}");
                // A label that nobody should choose has an F1 of 0.
                let below = ["coherent-drop", "macro-f1"].contains(&measure);
                assert!(rule != "perfect" || below || got == 100.0, "{place}: {got}");
                checked += 1;
            }
        }
    }
    checked
}

/// The value of an item for a card's `rows` and `where`.
fn of(item: &Item, facet: &str) -> Option<String> {
    match facet {
        "language" => Some(item.language.to_string()),
        "options" => Some(item.options.len().to_string()),
        "style" => Some("vanilla".to_string()),
        "condition" => Some("plain".to_string()),
        _ => item.facet(facet).map(str::to_string),
    }
}

fn passes(item: &Item, filter: Option<&Toml>) -> bool {
    filter.and_then(Toml::as_table).into_iter().flatten().all(|(facet, wanted)| {
        let wanted = wanted.as_array().cloned().unwrap_or_else(|| vec![wanted.clone()]);
        let wanted: Vec<String> =
            wanted.iter().map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_string)).collect();
        of(item, facet).is_some_and(|value| wanted.iter().any(|wanted| *wanted == value || wanted == "*"))
    })
}

fn is_right((item, chosen): &Answered<'_>) -> bool {
    let gold = item.gold.options();
    match item.gold.kind() {
        "labels" => chosen.iter().collect::<BTreeSet<_>>() == gold.iter().collect(),
        _ => *chosen == gold,
    }
}

fn percent(of: f64, all: usize) -> Option<f64> {
    (all > 0).then(|| 100.0 * of / all as f64)
}

/// The value of a measure, in percent; `None` for measures that are not recomputed here, and without items.
fn value(measure: &str, chosen: &[&Answered<'_>], all: &[Answered<'_>]) -> Option<f64> {
    let right = |answers: &[&Answered<'_>]| answers.iter().filter(|answer| is_right(answer)).count();
    match measure {
        "accuracy" => percent(right(chosen) as f64, chosen.len()),
        "exact-match" => {
            let slots: Vec<_> = chosen.iter().copied().filter(|(item, _)| item.gold.kind() == "slots").collect();
            percent(right(&slots) as f64, slots.len())
        }
        "coherent" | "coherent-drop" => {
            let mut sets: BTreeMap<_, Vec<&Answered<'_>>> = BTreeMap::new();
            for answer in chosen {
                let set = item_set(answer).filter(|_| measure == "coherent");
                sets.entry((&answer.0.story, set)).or_default().push(answer);
            }
            let of_set = |set: &Vec<&Answered<'_>>| {
                let whole = f64::from(u8::from(right(set) == set.len()));
                if measure == "coherent" { whole } else { right(set) as f64 / set.len() as f64 - whole }
            };
            percent(sets.values().map(of_set).sum(), sets.len())
        }
        "joint-accuracy" => {
            let order = |item: &Item| item.facet("order").and_then(|order| order.parse::<usize>().ok());
            let lower = |(item, _): &Answered<'_>, than| order(item).is_some_and(|order| order < than);
            let mut stories: BTreeMap<&str, Vec<&Answered<'_>>> = BTreeMap::new();
            all.iter().for_each(|answer| stories.entry(&answer.0.story).or_default().push(answer));
            let ordered: Vec<_> = chosen.iter().filter_map(|answer| Some((*answer, order(answer.0)?))).collect();
            let is_joint = |(answer, order): &&(&Answered<'_>, usize)| {
                let below = stories[&*answer.0.story].iter().filter(|other| lower(other, *order));
                is_right(answer) && below.into_iter().all(|other| is_right(other))
            };
            percent(ordered.iter().filter(is_joint).count() as f64, ordered.len())
        }
        "macro-f1" | "micro-f1" | "weighted-f1" => f1(measure, chosen),
        _ => None,
    }
}

fn item_set<'a>((item, _): &Answered<'a>) -> Option<&'a str> {
    item.facet("question_set")
}

fn f1(measure: &str, chosen: &[&Answered<'_>]) -> Option<f64> {
    let one_of_several: Vec<_> = chosen.iter().filter(|(item, _)| item.gold.kind() != "slots").collect();
    let labels = one_of_several.iter().map(|(item, _)| item.options.len()).max()?;
    let mut counts = vec![[0.0; 3]; labels];
    for (item, chosen) in one_of_several {
        let gold: BTreeSet<usize> = item.gold.options().into_iter().collect();
        chosen.iter().for_each(|&label| counts[label][1] += 1.0);
        gold.iter().for_each(|&label| counts[label][2] += 1.0);
        chosen.iter().filter(|label| gold.contains(label)).for_each(|&label| counts[label][0] += 1.0);
    }
    let of = |[both, chosen, gold]: [f64; 3]| if chosen + gold == 0.0 { 0.0 } else { 200.0 * both / (chosen + gold) };
    let sum = |at: usize| counts.iter().map(|count| count[at]).sum::<f64>();
    Some(match measure {
        "micro-f1" => of([sum(0), sum(1), sum(2)]),
        "macro-f1" => counts.iter().map(|&count| of(count)).sum::<f64>() / labels as f64,
        _ => counts.iter().map(|&count| of(count) * count[2]).sum::<f64>() / sum(2),
    })
}
