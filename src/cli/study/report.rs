//! The report of a study: models x tasks with means, intervals and possible ranks.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use serde::Serialize;

use crate::cli::reading::{open_run, read_run};
use crate::compare::{ComparisonRow, PairTest, Settings, Side, Standing, compare, standings};
use crate::reopen::exchange::with_overall;
use crate::reopen::{ReadOptions, ReadRun};
use crate::report::{Headline, interval, number};
use crate::table::{Format, Grid, GridRow, Screen, render_grids};

/// Comparison of models on the tasks of a study.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StudyReport {
    /// Format version, 1.
    version: u32,
    /// Figures: each task in each way of asking, and each row of its main table.
    figures: Vec<FigureResult>,
    /// Missing or unfinished runs, by folder.
    missing: Vec<String>,
}

/// Models on one figure.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct FigureResult {
    /// Name of the task.
    task: String,
    /// How it was asked: SCORING-STYLE.
    way: String,
    /// Column of the main table and facet values of its row.
    figure: String,
    /// Chance level of uniform guessing, in percent; null if undefined.
    chance: Option<f64>,
    /// Models by figure, the best first.
    models: Vec<ModelResult>,
}

/// A model's figure.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ModelResult {
    /// Name of the model.
    model: String,
    /// Figure in percent; null if the run's report has none.
    value: Option<f64>,
    /// 95 % interval.
    interval: Option<(f64, f64)>,
    /// Number of items.
    n: usize,
    /// Standing among the models asked the same items; null for a model asked other items.
    standing: Option<Standing>,
}

/// Runs of a study by task, in file order, with model names.
type Runs = IndexMap<String, Vec<(String, PathBuf)>>;

impl StudyReport {
    /// Reads the runs below the folder of a study, task by task.
    pub fn read(out: &Path, runs: &Runs) -> anyhow::Result<Self> {
        let mut report = StudyReport { version: 1, figures: Vec::new(), missing: Vec::new() };
        for (task, folders) in runs {
            let mut by_way: IndexMap<String, Vec<(String, PathBuf)>> = IndexMap::new();
            for (model, folder) in folders {
                let found = crate::arguments::paths::runs_in(folder, 2).unwrap_or_default();
                if found.is_empty() {
                    report.missing.push(shown(out, folder));
                }
                for run in found {
                    let way = run.strip_prefix(folder).unwrap_or(&run).display().to_string();
                    by_way.entry(way).or_default().push((model.clone(), run));
                }
            }
            for (way, models) in by_way {
                report.add(out, task, &way, models)?;
            }
        }
        Ok(report)
    }

    /// Whether every run exists and is finished.
    pub fn is_whole(&self) -> bool {
        self.missing.is_empty()
    }

    fn add(&mut self, out: &Path, task: &str, way: &str, models: Vec<(String, PathBuf)>) -> anyhow::Result<()> {
        let how = with_overall(ReadOptions::default());
        let mut opened = Vec::new();
        for (model, run) in models {
            match open_run(&run, None, &how)? {
                (recorded, Some(loaded)) if recorded.manifest.shard.is_none_or(|shard| shard.of == 1) => {
                    opened.push((model, run, recorded, loaded));
                }
                _ => self.missing.push(shown(out, &run)),
            }
        }
        let mut names = Vec::new();
        let mut read: Vec<ReadRun<'_>> = Vec::new();
        for (model, run, recorded, loaded) in &opened {
            let one = read_run(recorded.clone(), loaded, &how)?;
            if one.is_finished() {
                names.push(model.clone());
                read.push(one);
            } else {
                self.missing.push(shown(out, run));
            }
        }
        let headlines =
            read.iter().map(|run| Ok(run.report(false)?.headlines())).collect::<anyhow::Result<Vec<_>>>()?;
        let Some(all) = headlines.iter().max_by_key(|each| each.len()).filter(|all| !all.is_empty()) else {
            return Ok(());
        };
        let comparable = comparable(&read);
        let tests = tests(&read, &names, &comparable)?;
        for Headline { name, chance, .. } in all {
            let of_model = |at: usize| headlines[at].iter().find(|headline| headline.name == *name);
            let ranked: Vec<usize> =
                comparable.iter().copied().filter(|&at| of_model(at).is_some_and(|it| it.value.is_some())).collect();
            let figures: Vec<f64> = ranked.iter().filter_map(|&at| of_model(at)?.value).collect();
            let standings = tests_of(&tests, name, &ranked).map(|tests| standings(&figures, &tests));
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
            self.figures.push(FigureResult {
                task: task.to_string(),
                way: way.to_string(),
                figure: name.clone(),
                chance: *chance,
                models,
            });
        }
        Ok(())
    }

    /// Renders the report in a table format.
    pub fn text(&self, format: Format, screen: Screen) -> String {
        render_grids(&[], &[self.overview(), self.details()], format, screen)
    }

    /// The document as JSON.
    pub fn to_json(&self) -> serde_json::Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// Models x figures: each mean with its group letters.
    fn overview(&self) -> Grid {
        let names: IndexMap<&str, ()> =
            self.figures.iter().flat_map(|figure| &figure.models).map(|model| (model.model.as_str(), ())).collect();
        let cell = |figure: &FigureResult, name: &str| {
            let found = figure.models.iter().find(|model| model.model == name);
            match found.and_then(|model| Some((model.value?, &model.standing))) {
                Some((value, Some(standing))) => format!("{value:.1} {}", standing.group),
                Some((value, None)) => format!("{value:.1} -"),
                None => "-".to_string(),
            }
        };
        let row = |name: &str| {
            std::iter::once(name.to_string()).chain(self.figures.iter().map(|it| cell(it, name))).collect()
        };
        let header = self.figures.iter().map(|figure| format!("{} {} {}", figure.task, figure.way, figure.figure));
        let header: Vec<String> = std::iter::once(String::new()).chain(header).collect();
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        let mut grid =
            Grid::new("Models by task: mean in percent, and groups", 1, &header, names.keys().map(|name| row(name)));
        grid.notes = vec![LETTERS.to_string()];
        grid
    }

    /// Every figure with its interval, group and possible ranks, grouped by task.
    fn details(&self) -> Grid {
        let rows = self.figures.iter().flat_map(|figure| {
            figure.models.iter().enumerate().map(|(at, model)| {
                let first = |text: &str| if at == 0 { text.to_string() } else { String::new() };
                let standing =
                    |text: fn(&Standing) -> String| model.standing.as_ref().map_or_else(|| "-".to_string(), text);
                GridRow {
                    cells: vec![
                        first(&figure.task),
                        first(&format!("{} {}", figure.way, figure.figure)),
                        model.model.clone(),
                        number(model.value),
                        interval(model.interval),
                        model.n.to_string(),
                        number(figure.chance),
                        standing(|it| it.group.clone()),
                        standing(|it| match it.rank {
                            (from, to) if from == to => from.to_string(),
                            (from, to) => format!("{from} to {to}"),
                        }),
                    ],
                    starts_group: at == 0,
                }
            })
        });
        let header = ["task", "asked, figure", "model", "mean", "95 % interval", "n", "chance", "group", "rank"];
        let mut grid = Grid::new("Ranks", 3, &header, std::iter::empty());
        grid.rows = rows.collect();
        grid.notes = vec![RANKS.to_string()];
        grid.notes.extend(self.missing.iter().map(|folder| format!("Missing or unfinished: {folder}")));
        grid
    }
}

/// Facet of the accuracies that replace headlines without a value.
const LANGUAGE: &str = "language";

const LETTERS: &str = "Models that share a letter do not differ significantly: all pairs on the same items, clustered by story as in \
                       `tomeval compare`, Holm-adjusted p below 0.05 within a column; - marks a model that has no answers to the same items, and a \
                       figure that is not a mean of right answers.";

const RANKS: &str = "Rank: from 1 plus the models significantly better, to all models minus those significantly worse.";

fn shown(out: &Path, folder: &Path) -> String {
    folder.strip_prefix(out).unwrap_or(folder).display().to_string()
}

/// Indices of the models that have answers to the same items: the largest such group; of equals the first.
fn comparable(read: &[ReadRun<'_>]) -> Vec<usize> {
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
    read: &[ReadRun<'_>],
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

/// Groups the runs of combinations by task.
pub fn by_task<'a>(combinations: impl Iterator<Item = (&'a str, &'a str, PathBuf)>) -> Runs {
    let mut runs = Runs::new();
    for (task, model, folder) in combinations {
        let folders = runs.entry(task.to_string()).or_default();
        if !folders.iter().any(|(_, known)| *known == folder) {
            folders.push((model.to_string(), folder));
        }
    }
    runs
}
