//! Figures of several runs with the ranks that tests of all pairs leave.

use std::borrow::Borrow;
use std::collections::BTreeSet;

use indexmap::IndexMap;
use serde::Serialize;

use crate::compare::{ComparisonRow, PairTest, Settings, Side, Standing, compare, standings};
use crate::reopen::ReadRun;
use crate::report::{Headline, Rank, Report, TestedPair, TestedRuns, labels_of};
use crate::terminal::progress::Shown;

/// Models on one figure.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FigureResult {
    /// Name of the task.
    pub task: String,
    /// How it was asked: SCORING-STYLE.
    pub way: String,
    /// Column of the main table and facet values of its row.
    pub figure: String,
    /// Chance level of uniform guessing, in percent; null if undefined.
    pub chance: Option<f64>,
    /// Models by figure, the best first.
    pub models: Vec<ModelResult>,
}

/// A model's figure.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ModelResult {
    /// Name of the model.
    pub model: String,
    /// Figure in percent; null if the run's report has none.
    pub value: Option<f64>,
    /// 95 % interval.
    pub interval: Option<(f64, f64)>,
    /// Number of items.
    pub n: usize,
    /// Standing among the models asked the same items; null for a model asked other items.
    pub standing: Option<Standing>,
}

/// Facet of the accuracies that replace headlines without a value.
const LANGUAGE: &str = "language";

/// Tests of all pairs of the models that were asked the same items.
#[derive(Default)]
pub struct PairTests {
    /// Indices of the models.
    comparable: Vec<usize>,
    /// Comparison rows of each pair, with the tests of its figures.
    pairs: Vec<([usize; 2], Vec<ComparisonRow>)>,
    /// Number of models that were asked other items.
    left_out: usize,
}

impl PairTests {
    /// Tests all pairs; none without a figure.
    pub fn new(read: &[&ReadRun<'_>], headlines: &[Vec<Headline>], names: &[String]) -> anyhow::Result<Self> {
        if headlines.iter().all(Vec::is_empty) {
            return Ok(PairTests::default());
        }
        let comparable = comparable(read);
        let left_out = read.len() - comparable.len();
        Ok(PairTests { pairs: tests(read, names, &comparable)?, comparable, left_out })
    }
}

/// The figures of runs of one task asked in one way, each with its models and their standings.
pub fn figures(
    [task, way]: [&str; 2],
    tests: &PairTests,
    headlines: &[Vec<Headline>],
    names: &[String],
) -> Vec<FigureResult> {
    let all = headlines.iter().max_by_key(|each| each.len()).map_or(&[][..], Vec::as_slice);
    let mut found = Vec::new();
    for Headline { name, chance, .. } in all {
        let of_model = |at: usize| headlines[at].iter().find(|headline| headline.name == *name);
        let ranked: Vec<usize> =
            tests.comparable.iter().copied().filter(|&at| of_model(at).is_some_and(|it| it.value.is_some())).collect();
        let figures: Vec<f64> = ranked.iter().filter_map(|&at| of_model(at)?.value).collect();
        let standings = tests_of(&tests.pairs, name, &ranked).map(|tests| standings(&figures, &tests));
        let result = |at: usize| {
            let headline = of_model(at);
            let place = ranked.iter().position(|&ranked| ranked == at);
            ModelResult {
                model: names[at].clone(),
                value: headline.and_then(|headline| headline.value),
                interval: headline.and_then(|headline| headline.interval),
                n: headline.map_or(0, |headline| headline.n),
                standing: standings.as_ref().zip(place).map(|(standings, place)| standings[place].clone()),
            }
        };
        let mut models: Vec<ModelResult> = (0..names.len()).map(result).collect();
        let value = |model: &ModelResult| model.value.unwrap_or(f64::NEG_INFINITY);
        models.sort_by(|one, other| value(other).total_cmp(&value(one)));
        found.push(FigureResult {
            task: task.to_string(),
            way: way.to_string(),
            figure: name.clone(),
            chance: *chance,
            models,
        });
    }
    found
}

/// Tests between several finished runs of one benchmark, for their page; none where they cannot be tested.
pub fn tested_runs(read: &[&ReadRun<'_>], reports: &[impl Borrow<Report>]) -> TestedRuns {
    let benchmark = |report: &Report| match &report.results[..] {
        [only] if report.unfinished.is_none() => Some(only.benchmark),
        _ => None,
    };
    let mut benchmarks = reports.iter().map(|report| benchmark(report.borrow()));
    let first = benchmarks.next().flatten();
    let alike = first.is_some() && benchmarks.all(|benchmark| benchmark == first);
    if read.len() < 2 || read.len() != reports.len() || !alike {
        return TestedRuns::default();
    }
    Shown::during("comparing all pairs", || of_all_pairs(read, reports)).unwrap_or_else(|error| {
        eprintln!("note: no ranks in the page: {error:#}");
        TestedRuns::default()
    })
}

fn of_all_pairs(read: &[&ReadRun<'_>], reports: &[impl Borrow<Report>]) -> anyhow::Result<TestedRuns> {
    let headlines: Vec<Vec<Headline>> = reports.iter().map(|report| report.borrow().headlines()).collect();
    let names = labels_of(reports);
    let tests = PairTests::new(read, &headlines, &names)?;
    let mut found = TestedRuns { left_out: tests.left_out, ..TestedRuns::default() };
    if tests.pairs.is_empty() {
        return Ok(found);
    }
    for FigureResult { figure, models, .. } in figures([""; 2], &tests, &headlines, &names) {
        let of_pair = |([one, other], rows): &([usize; 2], Vec<ComparisonRow>)| {
            let row = rows.iter().find(|row| row.value == figure)?;
            let ComparisonRow { difference, interval, p_stories: p, stories, detectable, .. } = *row;
            let runs = [one, other].map(|&at| names[at].clone());
            Some(TestedPair { figure: figure.clone(), runs, difference, interval, p, stories, detectable })
        };
        found.pairs.extend(tests.pairs.iter().filter_map(of_pair));
        let of_model =
            |model: ModelResult| Some(Rank { run: model.model, figure: figure.clone(), ends: model.standing?.rank });
        found.ranks.extend(models.into_iter().filter_map(of_model));
    }
    Ok(found)
}

/// Indices of the models that have answers to the same items: the largest such group; of equals the first.
fn comparable(read: &[&ReadRun<'_>]) -> Vec<usize> {
    let mut groups: IndexMap<BTreeSet<&str>, Vec<usize>> = IndexMap::new();
    for (at, run) in read.iter().enumerate() {
        let asked = run.outcomes.iter().filter(|outcome| !outcome.failed());
        let items = asked.map(|outcome| outcome.item.id.as_str()).collect();
        groups.entry(items).or_default().push(at);
    }
    groups.into_values().reduce(|most, other| if other.len() > most.len() { other } else { most }).unwrap_or_default()
}

/// Comparison rows of all pairs, with the tests of their figures.
fn tests(
    read: &[&ReadRun<'_>],
    names: &[String],
    comparable: &[usize],
) -> anyhow::Result<Vec<([usize; 2], Vec<ComparisonRow>)>> {
    let mut tests = Vec::new();
    for (place, &one) in comparable.iter().enumerate() {
        let benchmarks = read[one].compared()?;
        for &other in &comparable[place + 1..] {
            let sides: [Side<'_>; 2] = [one, other].map(|at| read[at].side(names[at].clone()));
            let (facets, benchmarks) = (vec![LANGUAGE.to_string()], benchmarks.clone());
            let settings = Settings { common: true, facets, every_value: true, benchmarks, ..Settings::default() };
            let found = compare(&sides, &settings)?;
            let by_language = found.rows.into_iter().filter(|row| row.facet == LANGUAGE);
            let by_language = by_language.map(|row| ComparisonRow { value: format!("Accuracy, {}", row.value), ..row });
            let headlines = found.pairs.into_iter().flat_map(|pair| pair.headlines);
            tests.push(([one, other], headlines.chain(by_language).collect()));
        }
    }
    Ok(tests)
}

/// Tests of a figure between models; `None` if any pair has none.
fn tests_of(tests: &[([usize; 2], Vec<ComparisonRow>)], figure: &str, ranked: &[usize]) -> Option<Vec<PairTest>> {
    let place = |at: usize| ranked.iter().position(|&ranked| ranked == at);
    let of_pair = |(models, rows): &([usize; 2], Vec<ComparisonRow>)| {
        let row = rows.iter().find(|row| row.value == figure);
        let [one, other] = *models;
        Some(([place(one)?, place(other)?], row.map(|row| (row.difference, row.p_stories))))
    };
    let found: Vec<_> = tests.iter().filter_map(of_pair).collect();
    let test = |(models, test): ([usize; 2], Option<(f64, f64)>)| {
        let (difference, p) = test?;
        Some(PairTest { models, difference, p })
    };
    found.into_iter().map(test).collect()
}
