//! Tests over cells: the differences between two languages, variants or styles within several models, task by task.
//!
//! ToMBench (section 4.2) tests such differences of all models and tasks together with Wilcoxon's signed-rank test.
//! Since the same items answer for every model, the cells are not independent, and that test finds differences too
//! often. So the mean difference has an interval from resampling stories, with the same draw for all models.

use std::collections::BTreeMap;

use indexmap::{IndexMap, IndexSet};
use serde::{Deserialize, Serialize};

use super::headline::{Answers, changes, name, several_presentations, shares};
use super::pair::{Paired, paired};
use super::row::SidePair;
use super::side::weights_once;
use super::trend::{FEWEST, signed_ranks, without_rounding};
use super::{
    BenchmarkItems, Between, CompareError, PERCENT, Settings, Side, SideResult, benchmarks, side_results, split,
};
use crate::benchmark::Benchmark;
use crate::counted::counted;
use crate::metric::cell_pairs;
use crate::seed::seeded;
use crate::stats::{
    Cluster, FEWEST_FLIPPED, FEWEST_STORIES, PairedChange, WeightedChange, clustered_bootstrap, holm, weighted_change,
};

/// Format version of this document.
const VERSION: u32 = 1;

/// Tests over the cells of several models: the content of `compare --cells --json`. Shares are in percent and
/// differences in percentage points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CellComparison {
    /// Format version, 1.
    pub version: u32,
    /// The property compared.
    pub between: String,
    /// Items compared, by benchmark.
    pub benchmarks: IndexMap<Benchmark, usize>,
    /// Properties in which the sides differ; items are paired regardless of these.
    pub differs: Vec<String>,
    /// Differences below this count as zero (`--margin`).
    pub margin: f64,
    /// One side for each model and value of the property.
    pub sides: Vec<SideResult>,
    /// Runs left out because their weights answer the same items in an earlier run.
    pub left_out: Vec<SameWeights>,
    /// One entry for each table and value of the property, except the first value.
    pub tests: Vec<CellTest>,
}

/// A run left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SameWeights {
    /// Name of the run.
    pub run: String,
    /// Name of the earlier run of the same weights.
    pub same_as: String,
}

/// Two values of the property over the cells of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CellTest {
    /// The benchmark.
    pub benchmark: Benchmark,
    /// Id of the card's table whose columns are the cells, or `by-` and the facets (`--by`).
    pub table: String,
    /// The first value.
    pub side_a: String,
    /// The second value.
    pub side_b: String,
    /// Verdict in words; the interval over all cells decides it.
    pub verdict: String,
    /// The mean over the cells of all models.
    pub all: MeanOfCells,
    /// The mean over the cells of each model.
    pub models: Vec<CellModel>,
    /// The cells, by model.
    pub cells: Vec<CellRow>,
}

/// A model's mean over its cells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CellModel {
    /// Name of the model.
    pub model: String,
    /// `p_stories`, adjusted for the number of models by Holm's method.
    pub p_holm: f64,
    /// The mean.
    pub mean: MeanOfCells,
}

/// A mean over cells, each counted once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MeanOfCells {
    /// Number of cells.
    pub cells: usize,
    /// Number of stories of their items.
    pub stories: usize,
    /// Mean accuracy of the first value.
    pub a: f64,
    /// Mean accuracy of the second value.
    pub b: f64,
    /// `b` minus `a`.
    pub difference: f64,
    /// Its 95 % interval from 2,000 draws of stories, the same draw for all models: low, then high; null if fewer than
    /// six stories differ between the values, or if a part of a cell has fewer than five stories.
    pub interval: Option<(f64, f64)>,
    /// Two-sided p-value of flipping the signs of the stories' sums, over all cells together.
    pub p_stories: f64,
    /// Number of cells without a difference; the signed-rank test excludes them.
    pub zeros: usize,
    /// Smaller rank sum of Wilcoxon's signed-rank test; null below six cells, or if all differences are zero.
    pub rank_statistic: Option<f64>,
    /// Its two-sided p-value; too small, since cells share their items or stories.
    pub rank_p: Option<f64>,
    /// Whether it is exact; otherwise the normal approximation, corrected for ties and continuity.
    pub rank_exact: bool,
}

/// A cell: one model on one task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CellRow {
    /// Name of the model.
    pub model: String,
    /// Column of the table, with what tells its rows apart.
    pub cell: String,
    /// Number of items or stories that it is the share of.
    pub n: usize,
    /// Accuracy of the first value.
    pub a: f64,
    /// Accuracy of the second value.
    pub b: f64,
    /// `b` minus `a`.
    pub difference: f64,
}

impl CellComparison {
    /// The document as JSON: indented, keys in a fixed order, a newline at the end.
    pub fn to_json(&self) -> String {
        let mut json = serde_json::to_string_pretty(self).expect("it holds only strings, numbers and lists");
        json.push('\n');
        json
    }

    /// Whether items were skipped because all their trials failed.
    pub fn has_failures(&self) -> bool {
        self.sides.iter().any(|side| side.failed > 0)
    }
}

/// Compares the values of a property within each model over the cells of the benchmarks' tables. `against` is the value
/// that the others are compared with: if not given, English for languages, otherwise the first.
pub fn cells(
    sides: &[Side<'_>],
    between: Between,
    against: Option<&str>,
    settings: &Settings<'_>,
) -> Result<CellComparison, CompareError> {
    let (sides, left_out) = weights_once(sides);
    let sides = split(&sides, between)?;
    let mut models: IndexMap<&str, IndexMap<&str, usize>> = IndexMap::new();
    for (position, side) in sides.iter().enumerate() {
        let value = side.outcomes.first().and_then(|outcome| between.value(outcome)).unwrap_or_default();
        models.entry(&side.model.name).or_default().insert(value, position);
    }
    let values: IndexSet<&str> = models.values().flat_map(|values| values.keys().copied()).collect();
    let first = against.or_else(|| between.reference(values.iter().copied())).unwrap_or_default();
    if !values.contains(first) {
        let known = values.iter().copied().collect::<Vec<_>>().join(", ");
        return Err(CompareError::Against { value: first.to_string(), known });
    }
    let paired = paired(&sides, settings.common)?;
    let mut tests = Vec::new();
    for benchmark in &settings.benchmarks {
        for &second in values.iter().filter(|value| **value != first) {
            let pairs = models.iter().map(|(&model, of)| (model, [of[first], of[second]]));
            tests.push(test(&paired, &sides, benchmark, [first, second], pairs, settings.margin)?);
        }
    }
    Ok(CellComparison {
        version: VERSION,
        between: between.name().to_string(),
        benchmarks: benchmarks(&paired),
        differs: paired.differs.iter().map(|name| name.to_string()).collect(),
        margin: settings.margin,
        sides: side_results(&sides, &paired),
        left_out: left_out.into_iter().map(|(run, same_as)| SameWeights { run, same_as }).collect(),
        tests,
    })
}

/// A cell and its changes by part.
struct Cell {
    row: CellRow,
    parts: Vec<(f64, Vec<WeightedChange>)>,
}

fn test<'m>(
    paired: &Paired<'_>,
    sides: &[Side<'_>],
    benchmark: &BenchmarkItems<'_>,
    [side_a, side_b]: [&str; 2],
    models: impl Iterator<Item = (&'m str, [usize; 2])>,
    margin: f64,
) -> Result<CellTest, CompareError> {
    let (mut table, mut cells) = (String::new(), Vec::new());
    let mut ends = Vec::new();
    for (model, positions) in models {
        let pair = SidePair::new(paired, positions, sides, margin);
        let Answers { outcomes: [first, second], stories } = Answers::new(&pair, benchmark.benchmark);
        let drawn_by = benchmark.drawn_by.as_deref();
        let found = cell_pairs(&benchmark.layout, benchmark.items, drawn_by, [&first, &second]);
        let styles = several_presentations(&found);
        for figure in &found {
            let [a, b] = shares(&figure.parts);
            let n = figure.parts.iter().map(|(_, units)| units.len()).sum();
            let (model, cell) = (model.to_string(), name(figure, pair.differs, styles));
            let row = CellRow { model, cell, n, a, b, difference: without_rounding(b - a) };
            cells.push(Cell { row, parts: changes(&figure.parts, &stories) });
            table.clone_from(&figure.table);
        }
        ends.push((model, cells.len()));
    }
    let starts = std::iter::once(0).chain(ends.iter().map(|(_, end)| *end));
    let groups: Vec<&[Cell]> =
        std::iter::once(&cells[..]).chain(starts.zip(&ends).map(|(start, (_, end))| &cells[start..*end])).collect();
    if groups.iter().any(|cells| cells.is_empty()) {
        return Err(CompareError::NoCells { benchmark: benchmark.benchmark });
    }
    let intervals = intervals(&cells, &groups);
    let mut means = groups.iter().zip(intervals).filter_map(|(cells, interval)| mean(cells, interval));
    let none = || CompareError::NoCells { benchmark: benchmark.benchmark };
    let all = means.next().ok_or_else(none)?;
    let means: Vec<MeanOfCells> = means.collect();
    let p_holm = holm(&means.iter().map(|mean| mean.p_stories).collect::<Vec<_>>());
    let models: Vec<CellModel> = ends
        .iter()
        .zip(means.into_iter().zip(p_holm))
        .map(|((model, _), (mean, p_holm))| CellModel { model: model.to_string(), p_holm, mean })
        .collect();
    Ok(CellTest {
        benchmark: benchmark.benchmark,
        table,
        side_a: side_a.to_string(),
        side_b: side_b.to_string(),
        verdict: verdict(&all, models.len(), [side_a, side_b], margin),
        all,
        models,
        cells: cells.into_iter().map(|cell| cell.row).collect(),
    })
}

/// The mean over cells, with its tests; `None` if a part is empty.
fn mean(cells: &[Cell], interval: Option<(f64, f64)>) -> Option<MeanOfCells> {
    let count = cells.len() as f64;
    let parts = cells.iter().flat_map(|cell| &cell.parts).map(|(weight, units)| (weight / count, units.clone()));
    let change = weighted_change(&parts.collect::<Vec<_>>())?;
    let PairedChange { stories, fewest_stories, risen, fallen, p_stories, .. } = change;
    let enough = risen + fallen >= FEWEST_FLIPPED && fewest_stories >= FEWEST_STORIES;
    let of = |value: fn(&CellRow) -> f64| cells.iter().map(|cell| value(&cell.row)).sum::<f64>() / count;
    let differences: Vec<f64> = cells.iter().map(|cell| cell.row.difference).collect();
    let (ranks, rank_exact) = if cells.len() < FEWEST { (None, false) } else { signed_ranks(&differences) };
    let (a, b) = (of(|row| row.a), of(|row| row.b));
    Some(MeanOfCells {
        cells: cells.len(),
        stories,
        a,
        b,
        difference: b - a,
        interval: interval.filter(|_| enough),
        p_stories,
        zeros: differences.iter().filter(|difference| **difference == 0.0).count(),
        rank_statistic: ranks.map(|test| test.statistic),
        rank_p: ranks.map(|test| test.p_value),
        rank_exact,
    })
}

/// Intervals of the mean differences of groups of cells from the same draws of stories, in percentage points. A story
/// brings the answers of all models.
fn intervals(cells: &[Cell], groups: &[&[Cell]]) -> Vec<Option<(f64, f64)>> {
    let mut clusters: BTreeMap<usize, BTreeMap<usize, f64>> = BTreeMap::new();
    // Two sums a part: of weighted changes, and of weights.
    let mut width = 0;
    let mut sums_of = IndexMap::new();
    for (number, cell) in cells.iter().enumerate() {
        for (weight, units) in &cell.parts {
            for unit in units {
                let sums = clusters.entry(unit.story).or_default();
                *sums.entry(width).or_default() += unit.weight * f64::from(unit.change);
                *sums.entry(width + 1).or_default() += unit.weight;
            }
            sums_of.entry(number).or_insert_with(Vec::new).push((*weight, width));
            width += 2;
        }
    }
    let clusters: Vec<Cluster> =
        clusters.into_values().map(|sums| Cluster { adds: sums.into_iter().collect() }).collect();
    let statistics = |sums: &[f64]| -> Vec<Option<f64>> {
        let part = |&(weight, at): &(f64, usize)| (sums[at + 1] > 0.0).then(|| weight * sums[at] / sums[at + 1]);
        let cell = |parts: &Vec<(f64, usize)>| parts.iter().map(part).sum::<Option<f64>>();
        let values: Vec<Option<f64>> = sums_of.values().map(cell).collect();
        let mean =
            |values: &[Option<f64>]| Some(values.iter().copied().sum::<Option<f64>>()? / values.len() as f64 * PERCENT);
        let mut rest = &values[..];
        let mut means = vec![mean(&values)];
        for group in &groups[1..] {
            let (own, others) = rest.split_at(group.len());
            means.push(mean(own));
            rest = others;
        }
        means
    };
    clustered_bootstrap(&clusters, width, seeded(0, "stories of all models", 0), statistics)
}

/// The verdict in words. The interval decides, since cells are not independent.
fn verdict(all: &MeanOfCells, models: usize, [a, b]: [&str; 2], margin: f64) -> String {
    let of = format!("{} of {}", counted(all.cells, "cell"), counted(models, "model"));
    let Some((low, high)) = all.interval else {
        return format!(
            "No verdict over {of}: fewer than six stories differ between {a} and {b}, or a cell has fewer than five."
        );
    };
    let small = if -margin < low && high < margin {
        format!("; one of {margin} points or more is excluded")
    } else {
        String::new()
    };
    let (better, [low, high]) = if high < 0.0 { (a, [-high, -low]) } else { (b, [low, high]) };
    if low <= 0.0 {
        return format!("No difference shown over {of}: 95 % {low:+.1} to {high:+.1} from resampling stories{small}.");
    }
    format!(
        "{better} is better by {:.1} points on average over {of}: 95 % {low:.1} to {high:.1} from resampling \
         stories{small}.",
        all.difference.abs()
    )
}

#[cfg(test)]
mod tests {
    use rand::Rng;
    use rayon::prelude::*;

    use super::super::tests::{item, outcomes, side};
    use super::*;
    use crate::answer::Outcome;
    use crate::benchmark::Item;
    use crate::language::Language;
    use crate::metric::Layout;
    use crate::metric::Subject;

    /// Eight tasks of twelve questions, each with its own story, in English and Chinese.
    const TASKS: usize = 8;
    const QUESTIONS: usize = 12;

    fn versions(language: Language) -> Vec<Item> {
        let of_task = |number: usize| Item {
            facets: [("task".to_string(), format!("t{}", number / QUESTIONS))].into(),
            ..item(number, number, language)
        };
        (0..TASKS * QUESTIONS).map(of_task).collect()
    }

    /// The number of questions right in each task.
    fn pattern(right: [usize; TASKS]) -> String {
        right.iter().map(|&right| "1".repeat(right) + &"0".repeat(QUESTIONS - right)).collect()
    }

    fn settings(items: &[Item]) -> Settings<'_> {
        let columns = (0..TASKS).map(|task| format!("{{name = 'T{task}', where = {{task = 't{task}'}}}}"));
        let columns = columns.chain(["{name = 'AVG', mean = ['T0', 'T1']}".to_string()]).collect::<Vec<_>>().join(", ");
        let card = format!("[[tables]]\nid = 'tasks'\ntitle = 'Tasks'\nrows = ['language']\ncolumns = [{columns}]");
        let layout = Layout::parse(&card).unwrap();
        let benchmarks = vec![BenchmarkItems { benchmark: Benchmark::Custom, layout, items, drawn_by: None }];
        Settings { benchmarks, ..Settings::default() }
    }

    fn both<'a>(english: &'a [Item], chinese: &'a [Item], right: [[usize; TASKS]; 2]) -> Vec<Outcome<'a>> {
        let [en, zh] = right.map(pattern);
        outcomes(english, &en).into_iter().chain(outcomes(chinese, &zh)).collect()
    }

    #[test]
    fn a_planted_difference_is_found_and_its_cells_are_those_counted_by_hand() {
        let (english, chinese) = (versions(Language::En), versions(Language::Zh));
        let one = both(&english, &chinese, [[9, 8, 10, 7, 6, 9, 11, 5], [6, 6, 6, 6, 6, 6, 6, 6]]);
        let other = both(&english, &chinese, [[8, 9, 8, 7, 10, 6, 5, 7], [5, 5, 9, 2, 7, 4, 1, 4]]);
        let sides = [side("one", &one), side("other", &other)];
        let found = cells(&sides, Between::Language, None, &settings(&english)).unwrap();
        assert_eq!(
            (&*found.between, &found.differs[..], found.sides.len()),
            ("language", &["language".to_string()][..], 4)
        );
        let [test] = &found.tests[..] else { panic!("{:?}", found.tests) };
        assert_eq!((&*test.table, &*test.side_a, &*test.side_b), ("tasks", "en", "zh"));
        // The average of others is no cell.
        assert_eq!((test.all.cells, test.models.len(), test.cells.len()), (16, 2, 16));
        let cell = &test.cells[8];
        assert_eq!((&*cell.model, &*cell.cell, cell.n), ("other", "T0", 12));
        assert!((cell.a - 800.0 / 12.0).abs() < 1e-9 && (cell.difference + 25.0).abs() < 1e-5, "{cell:?}");
        // Over twelfths: -3 -2 -4 -1 0 -3 -5 1 and -3 -4 1 -5 -3 -2 -4 -3, in all -40 of 192.
        assert!((test.all.difference + 4000.0 / 192.0).abs() < 1e-9, "{:?}", test.all);
        // scipy 1.17.1: wilcoxon(differences, correction=True, method="approx"), and method="auto" for each model.
        let near = |found: Option<f64>, expected: f64| assert!((found.unwrap() - expected).abs() < 1e-9, "{found:?}");
        assert_eq!((test.all.zeros, test.all.rank_statistic, test.all.rank_exact), (1, Some(4.0), false));
        near(test.all.rank_p, 0.001_516_911_677_321_646_2);
        near(test.models[0].mean.rank_p, 0.046875);
        near(test.models[1].mean.rank_p, 0.015625);
        let (low, high) = test.all.interval.unwrap();
        assert!(low < -20.8 && high < -10.0 && low > -32.0, "{low} {high}");
        assert!(
            test.verdict.starts_with("en is better by 20.8 points on average over 16 cells of 2 models"),
            "{}",
            test.verdict
        );
        assert!(test.all.p_stories < 0.001 && test.models.iter().all(|model| model.p_holm >= model.mean.p_stories));
        // The other way round.
        let found = cells(&sides, Between::Language, Some("zh"), &settings(&english)).unwrap();
        assert!((found.tests[0].all.difference - 4000.0 / 192.0).abs() < 1e-9);
        let error = cells(&sides, Between::Language, Some("fr"), &settings(&english)).unwrap_err().to_string();
        assert!(error.contains("--against fr") && error.contains("en, zh"), "{error}");
    }

    #[test]
    fn weights_count_once_and_few_stories_have_no_verdict() {
        let (english, chinese) = (versions(Language::En), versions(Language::Zh));
        let answers = both(&english, &chinese, [[6; TASKS], [6; TASKS]]);
        let named = |label: &str, weights: &str| {
            let model = Subject { name: "qwen".into(), weights: Some(weights.into()) };
            Side { model, ..side(label, &answers) }
        };
        let sides = [named("f32", "abc"), named("bf16", "abc"), named("other", "def")];
        let found = cells(&sides, Between::Language, None, &settings(&english)).unwrap();
        assert_eq!(found.left_out, [SameWeights { run: "bf16".into(), same_as: "f32".into() }]);
        // Models of one name go by the labels of their runs.
        let models: Vec<&str> = found.tests[0].models.iter().map(|model| model.model.as_str()).collect();
        assert_eq!(models, ["f32", "other"]);
        let test = &found.tests[0];
        assert_eq!((test.all.interval, test.all.rank_p, test.all.zeros), (None, None, 16));
        assert!(test.verdict.starts_with("No verdict over 16 cells of 2 models"), "{}", test.verdict);
        assert_eq!(serde_json::from_str::<CellComparison>(&found.to_json()).unwrap(), found);
    }

    /// Cells of models that answer the same stories in two languages, without a difference of the languages, but with
    /// stories that are easier in one language for all models alike.
    fn null(draw: usize) -> Vec<Cell> {
        const MODELS: usize = 6;
        let mut rng = seeded(1, "cells without a difference", draw);
        let easier: Vec<f64> = (0..TASKS * QUESTIONS).map(|_| rng.random_range(-0.35..0.35)).collect();
        let mut cells = Vec::new();
        for model in 0..MODELS {
            for task in 0..TASKS {
                let change = |number: usize| {
                    let story = task * QUESTIONS + number;
                    let chance = 0.5 + 0.03 * (model as f64 - 2.5);
                    let mut right = |sign: f64| i32::from(rng.random_bool(chance + sign * easier[story]));
                    WeightedChange { change: right(1.0) - right(-1.0), weight: 1.0, story }
                };
                let units: Vec<WeightedChange> = (0..QUESTIONS).map(change).collect();
                let sum: i32 = units.iter().map(|unit| unit.change).sum();
                let difference = without_rounding(f64::from(sum) / QUESTIONS as f64 * PERCENT);
                let (model, cell) = (model.to_string(), task.to_string());
                let row = CellRow { model, cell, n: QUESTIONS, a: 0.0, b: 0.0, difference };
                cells.push(Cell { row, parts: vec![(1.0, units)] });
            }
        }
        cells
    }

    #[test]
    fn without_a_difference_the_interval_holds_zero_and_wilcoxon_finds_one_too_often() {
        const DRAWS: usize = 400;
        let of_draw = |draw| {
            let cells = null(draw);
            let (low, high) = intervals(&cells, &[&cells[..]])[0].unwrap();
            let differences: Vec<f64> = cells.iter().map(|cell| cell.row.difference).collect();
            (low <= 0.0 && 0.0 <= high, signed_ranks(&differences).0.unwrap().p_value < 0.05)
        };
        let found: Vec<(bool, bool)> = (0..DRAWS).into_par_iter().map(of_draw).collect();
        let share = |of: fn(&(bool, bool)) -> bool| {
            found.iter().filter(|found| of(found)).count() as f64 / DRAWS as f64 * PERCENT
        };
        let (holds, rejects) = (share(|found| found.0), share(|found| found.1));
        println!("{DRAWS} draws: the interval holds 0 in {holds:.1} %, Wilcoxon is below 0.05 in {rejects:.1} %");
        assert!((93.0..=97.5).contains(&holds), "{holds}");
        assert!(rejects > 20.0, "{rejects}");
    }
}
