//! The first screen of a page: the mean of each run beside chance, published models and people; from three runs on a
//! table of runs by task.

use indexmap::{IndexMap, IndexSet};
use minijinja::context;
use minijinja::value::Value;

use super::bars::{above_chance, beside};
use super::grid::{Lines, table};
use super::runs::Runs;
use super::{Rank, TestedPair, TestedRuns, is_small, plain, said};
use crate::metric::{AskedPart, Cell, ResultRow, Results, TableResult};
use crate::page::words::Said;
use crate::report::Report;
use crate::report::sheets::{self, Beside};
use crate::report::words::{interval, number, thousands};
use crate::stats::holm;
use crate::table::{Grid, Value as Shown, cells};

/// Runs from which on a table replaces single figures.
const AS_TABLE: usize = 3;

/// Mark of a value that rests on few items, as bars are hollow.
const FEW: &str = " *";

/// Who leads, and the figures or the table of the first screen.
pub(super) fn headline(report: &Report, runs: &Runs, tested: &TestedRuns) -> Value {
    let leaders: Vec<Vec<Value>> = leaders(tested).iter().map(|each| each.iter().map(said).collect()).collect();
    if runs.len() >= AS_TABLE {
        let (table, small) = matrix(report, runs, &tested.ranks);
        return context! { leaders, table, small };
    }
    let of = |results: &Results| {
        let Some((table, column)) = sheets::valued_headline(results) else { return Vec::new() };
        let rows = table.rows.iter().filter(|row| row.over.is_none() && row.cells[column].value.is_some());
        rows.map(|row| figure(results, table, row, column, runs)).collect::<Vec<_>>()
    };
    context! { leaders, figures => report.results.iter().flat_map(of).collect::<Vec<_>>() }
}

/// What the tests of all pairs tell and leave open, in sentences for each figure.
fn leaders(tested: &TestedRuns) -> Vec<Vec<Said>> {
    let left_out = ("count", tested.left_out.to_string());
    if tested.left_out > 0 && tested.pairs.is_empty() {
        return vec![vec![Said::new("say_not_tested", [])]];
    }
    let mut figures: IndexMap<&str, Vec<&Rank>> = IndexMap::new();
    for rank in &tested.ranks {
        figures.entry(&rank.figure).or_default().push(rank);
    }
    let of = |(figure, all): (&str, Vec<&Rank>)| {
        let first: Vec<&str> = all.iter().filter(|rank| rank.ends.0 == 1).map(|rank| rank.run.as_str()).collect();
        let named = ("figure", figure.to_string());
        let pairs: Vec<&TestedPair> = tested.pairs.iter().filter(|pair| pair.figure == figure).collect();
        let alike = first.len() == all.len();
        let leads = all.iter().any(|rank| rank.ends == (1, 1));
        let mut sentences = vec![match () {
            _ if alike => Said::new("say_no_leader", [named]),
            _ if leads => Said::new("say_leads", [named, ("runs", first.join("; "))]),
            _ => Said::new("say_leaders", [named, ("runs", first.join("; "))]),
        }];
        match &pairs[..] {
            [pair] => sentences.push(difference(pair)),
            _ if alike => sentences.extend(smallest_p(&pairs)),
            _ => {}
        }
        let least = pairs.iter().filter_map(|pair| pair.detectable).reduce(f64::max).filter(|_| alike);
        sentences
            .extend(least.map(|points| Said::new("say_detectable", [("points", number(Some(points)).to_string())])));
        sentences
    };
    let beside = (tested.left_out > 0).then(|| vec![Said::new("say_left_out", [left_out])]);
    figures.into_iter().map(of).chain(beside).collect()
}

/// The difference of two runs, the higher figure first.
fn difference(pair: &TestedPair) -> Said {
    let TestedPair { difference, interval, .. } = *pair;
    let (lower, higher, interval) = match difference < 0.0 {
        true => (1, 0, interval.map(|(low, high)| (-high, -low))),
        false => (0, 1, interval),
    };
    let points = |name: &'static str, value: f64| (name, number(Some(value)).to_string());
    let figure = ("figure", pair.figure.clone());
    let (first, second) = (("first", pair.runs[higher].clone()), ("second", pair.runs[lower].clone()));
    let difference = points("difference", difference.abs());
    let (p, stories) = (("p", format!("{:.3}", pair.p)), ("stories", thousands(pair.stories)));
    match interval {
        Some((low, high)) => {
            let (low, high) = (points("low", low), points("high", high));
            Said::new("say_pair", [figure, first, second, difference, low, high, p, stories])
        }
        None => Said::new("say_pair_no_interval", [figure, first, second, difference, p, stories]),
    }
}

/// The pair that tests nearest to a difference.
fn smallest_p(pairs: &[&TestedPair]) -> Option<Said> {
    let adjusted = holm(&pairs.iter().map(|pair| pair.p).collect::<Vec<_>>());
    let (pair, p) = pairs.iter().zip(adjusted).min_by(|one, other| one.1.total_cmp(&other.1))?;
    let values = [
        ("figure", pair.figure.clone()),
        ("pairs", pairs.len().to_string()),
        ("p", format!("{p:.3}")),
        ("first", pair.runs[0].clone()),
        ("second", pair.runs[1].clone()),
        ("stories", thousands(pair.stories)),
    ];
    Some(Said::new("say_smallest_p", values))
}

fn figure(results: &Results, table: &TableResult, row: &ResultRow, column: usize, runs: &Runs) -> Value {
    let cell = &row.cells[column];
    let Beside { best, people } = beside(table, row, column);
    let of = row.part.map(|AskedPart { of, .. }| said(&Said::new("paper_all", [("of", thousands(of))])));
    let name = sheets::row_name(row, sheets::several_styles(table), false);
    let place = std::iter::once(results.title.as_str()).chain(row.key.values().map(String::as_str));
    let asked = row.part.map(|AskedPart { asked, of }| {
        said(&Said::new("asked_of", [("asked", thousands(asked)), ("of", thousands(of))]))
    });
    context! {
        mark => runs.mark(row),
        name => plain(&name),
        place => plain(&place.collect::<Vec<_>>().join(", ")),
        column => plain(&table.columns[column]),
        value => number(cell.value),
        interval => cell.interval.map(|ends| interval(Some(ends))),
        n => said(&counted(cell)),
        asked,
        small => is_small(cell),
        verdict => verdict(cell).as_ref().map(said),
        chance => cell.chance.map(|chance| number(Some(chance))),
        best => best.map(|(value, label)| plain(&format!("{value:.1} ({label})"))),
        people => people.map(|(value, _)| format!("{value:.1}")),
        of,
    }
}

fn counted(cell: &Cell) -> Said {
    let n = thousands(cell.n);
    match cell.unit.as_ref() {
        "items" => Said::new("count_items", [("n", n)]),
        "stories" => Said::new("count_stories", [("n", n)]),
        unit => Said::from(format!("{n} {unit}")),
    }
}

/// How an interval lies to what needs no reading: chance, or the best constant answer where that gets more.
fn verdict(cell: &Cell) -> Option<Said> {
    let (chance, (low, high)) = cell.chance.zip(cell.interval)?;
    let value = |value: f64| [("value", number(Some(value)).to_string())];
    let constant = above_chance(cell);
    let bar = constant.unwrap_or(chance);
    Some(match constant {
        Some(_) if low > bar => Said::new("say_above_constant", value(bar)),
        None if low > bar => Said::new("say_above_chance", value(bar)),
        _ if high < chance => Said::new("say_below_chance", value(chance)),
        _ if high < bar => Said::new("say_below_constant", value(bar)),
        Some(_) => Said::new("say_not_from_constant", value(bar)),
        None => Said::new("say_not_from_chance", value(bar)),
    })
}

/// A column of the table of runs.
#[derive(Clone)]
struct Task<'a> {
    heading: String,
    table: &'a TableResult,
    column: usize,
    /// Facet values of its rows.
    key: Vec<&'a str>,
    rows: Vec<&'a ResultRow>,
}

/// Runs by task: the headline of each benchmark and language; of a single one, its other columns, too. And whether a
/// value rests on few items; those have a mark.
fn matrix(report: &Report, runs: &Runs, ranks: &[Rank]) -> (Value, bool) {
    let mut tasks: Vec<Task<'_>> = Vec::new();
    let several = report.results.len() > 1;
    for results in &report.results {
        let Some((table, column)) = sheets::valued_headline(results) else { continue };
        for (key, mut rows) in sheets::groups(table) {
            rows.retain(|row| row.over.is_none());
            let named = [if several { results.title.as_str() } else { "" }, table.columns[column].as_str()];
            let words = named.into_iter().chain(key.iter().copied()).filter(|word| !word.is_empty());
            tasks.push(Task { heading: words.collect::<Vec<_>>().join(" "), table, column, key, rows });
        }
    }
    if let [task] = &tasks[..] {
        let task = task.clone();
        let others =
            (0..task.table.columns.len()).filter(|&other| other != task.column && sheets::has_value(task.table, other));
        tasks.extend(others.map(|other| Task {
            heading: task.table.columns[other].clone(),
            column: other,
            ..task.clone()
        }));
    }
    let mut found: IndexMap<String, (Option<Value>, Vec<Option<&ResultRow>>)> = IndexMap::new();
    for (at, task) in tasks.iter().enumerate() {
        for &row in &task.rows {
            let name = sheets::row_name(row, sheets::several_styles(task.table), true);
            let line = found.entry(name).or_insert_with(|| (runs.mark(row), vec![None; tasks.len()]));
            line.1[at] = Some(row);
        }
    }
    let mut lines = Lines::default();
    let mut rows = Vec::new();
    let mut small = false;
    let mut add = |name: &str, cells: Vec<Shown>, under: bool, mark: Option<Value>| {
        if !cells.iter().all(Shown::is_blank) {
            rows.push([cells![name], cells].concat());
            lines.under.push(under);
            lines.marks.push(mark);
        }
    };
    // Runs of other items have other chances.
    let of_task = |task: &Task<'_>| {
        let chances = task.rows.iter().map(|row| number(row.cells[task.column].chance).to_string());
        chances.collect::<IndexSet<_>>().len() < 2
    };
    let same_chance = tasks.iter().all(of_task);
    for (name, (mark, cells)) in found {
        let each = |value: &dyn Fn(&Cell) -> Shown| -> Vec<Shown> {
            let of = |(row, task): (&Option<&ResultRow>, &Task<'_>)| {
                Shown::from(row.map(|row| value(&row.cells[task.column])))
            };
            cells.iter().zip(&tasks).map(of).collect()
        };
        let label = cells.iter().flatten().next().map_or("", |row| row.header.label.as_str());
        let rank = |task: &Task<'_>| {
            let words = std::iter::once(task.table.columns[task.column].as_str()).chain(task.key.iter().copied());
            let figure = words.collect::<Vec<_>>().join(", ");
            let rank = ranks.iter().find(|rank| rank.run == label && rank.figure == figure);
            rank.map(|rank| Shown::rank(rank.ends)).unwrap_or_default()
        };
        let with_mark = |cell: &Cell| number(cell.value).unit(if is_small(cell) { FEW } else { "" });
        small |= cells.iter().zip(&tasks).any(|(row, task)| row.is_some_and(|row| is_small(&row.cells[task.column])));
        add(&name, each(&with_mark), false, mark);
        add("95 % interval", each(&|cell| interval(cell.interval)), true, None);
        add("n", each(&|cell| Shown::grouped(cell.n)), true, None);
        add("possible rank", tasks.iter().map(rank).collect(), true, None);
        if !same_chance {
            add("chance", each(&|cell| number(cell.chance)), true, None);
        }
    }
    let published = |of: &dyn Fn(&TableResult, &ResultRow, usize) -> Option<f64>| -> Vec<Shown> {
        let one = |task: &Task<'_>| number(task.rows.iter().find_map(|row| of(task.table, row, task.column)));
        tasks.iter().map(one).collect()
    };
    if same_chance {
        add("chance", published(&|_, row, column| row.cells[column].chance), false, None);
    }
    let constant = |_: &TableResult, row: &ResultRow, column: usize| {
        Some(&row.cells[column]).filter(|cell| !is_small(cell)).and_then(above_chance)
    };
    add("best constant", published(&constant), false, None);
    let best = |table: &TableResult, row: &ResultRow, column: usize| Some(beside(table, row, column).best?.0);
    add("best published", published(&best), false, None);
    let people = |table: &TableResult, row: &ResultRow, column: usize| Some(beside(table, row, column).people?.0);
    add("people, published", published(&people), false, None);
    let header = std::iter::once("").chain(tasks.iter().map(|task| task.heading.as_str()));
    let grid = Grid::new("Runs by task", 1, header, rows.into_iter());
    (table("runs", &grid, lines, Vec::new(), Vec::new()), small)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_leads_is_told_as_far_as_tests_tell() {
        let said = |ends: [(usize, usize); 3]| {
            let runs = ["a", "b", "c"].into_iter().zip(ends);
            let ranks: Vec<Rank> =
                runs.map(|(run, ends)| Rank { run: run.into(), figure: "AVG, en".into(), ends }).collect();
            leaders(&TestedRuns { ranks, ..TestedRuns::default() })[0][0].to_string()
        };
        assert_eq!(said([(2, 3), (1, 1), (2, 3)]), "b leads on AVG, en: significantly better than every other run");
        assert_eq!(said([(1, 2), (1, 2), (3, 3)]), "No run is significantly better on AVG, en than a; b");
        assert_eq!(said([(1, 3); 3]), "No run is significantly better than another on AVG, en");
        assert!(leaders(&TestedRuns::default()).is_empty());
    }

    #[test]
    fn what_tests_leave_open_is_said_with_what_they_could_see() {
        let pair = |runs: [&str; 2], interval, p| TestedPair {
            figure: "AVG, en".into(),
            runs: runs.map(String::from),
            difference: -4.0,
            interval,
            p,
            stories: 24,
            detectable: Some(21.3),
        };
        let said = |names: &[&str], pairs: Vec<TestedPair>| {
            let rank = |run: &&str| Rank { run: run.to_string(), figure: "AVG, en".into(), ends: (1, names.len()) };
            let ranks = names.iter().map(rank).collect();
            leaders(&TestedRuns { ranks, pairs, left_out: 0 })[0][1..].iter().map(Said::to_string).collect::<Vec<_>>()
        };
        let detectable =
            "A true difference below 21.3 points would be missed in more than one of five such comparisons";
        assert_eq!(
            said(&["a", "b"], vec![pair(["a", "b"], Some((-19.0, 11.0)), 0.625)]),
            ["AVG, en: a minus b is 4.0 points (95 % interval -11.0 to 19.0; p 0.625 over 24 stories)", detectable]
        );
        let few = said(&["a", "b"], vec![pair(["a", "b"], None, 1.0)]);
        assert!(few[0].ends_with("24 stories are too few for an interval"), "{few:?}");
        let others = TestedRuns { left_out: 2, ..TestedRuns::default() };
        assert!(leaders(&others)[0][0].as_str().starts_with("The runs were asked different items"));
        let three = vec![pair(["a", "b"], None, 0.4), pair(["a", "c"], None, 0.02), pair(["b", "c"], None, 0.9)];
        assert_eq!(
            said(&["a", "b", "c"], three),
            ["AVG, en: smallest p of 3 pairs 0.060 by Holm (a and c), over 24 stories", detectable]
        );
    }

    #[test]
    fn a_figure_is_told_beside_what_needs_no_reading() {
        let said = |interval: (f64, f64), constant: Option<f64>| {
            verdict(&Cell { interval: Some(interval), chance: Some(25.0), constant, ..Cell::default() })
                .unwrap()
                .to_string()
        };
        assert_eq!(said((25.1, 40.0), None), "Above chance (25.0)");
        assert_eq!(said((25.0, 40.0), Some(20.0)), "Not told apart from chance (25.0)");
        assert_eq!(said((26.0, 40.0), Some(30.0)), "Not told apart from the best constant answer (30.0)");
        assert_eq!(said((26.0, 29.0), Some(30.0)), "Below the best constant answer (30.0)");
        assert_eq!(said((10.0, 24.9), Some(30.0)), "Below chance (25.0)");
        assert_eq!(
            verdict(&Cell { chance: Some(25.0), ..Cell::default() }),
            None,
            "without an interval nothing is told"
        );
    }
}
