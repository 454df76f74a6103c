//! The report of a study: models x tasks with means, intervals and possible ranks.

use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use serde::Serialize;

use crate::cli::ranks::{FigureResult, PairTests, figures};
use crate::cli::reading::{open_run, read_run};
use crate::compare::Standing;
use crate::reopen::exchange::with_overall;
use crate::reopen::{ReadOptions, ReadRun};
use crate::report::{interval, number};
use crate::table::{Format, Grid, GridRow, Screen, Value, cells, render_grids};

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
        let headlines = |run: &ReadRun<'_>| Ok(run.report(false)?.headlines());
        let headlines = read.iter().map(headlines).collect::<anyhow::Result<Vec<_>>>()?;
        let tests = PairTests::new(&read.iter().collect::<Vec<_>>(), &headlines, &names)?;
        self.figures.extend(figures([task, way], &tests, &headlines, &names));
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
            let group = found.and_then(|model| model.standing.as_ref()).map_or("-", |standing| &standing.group);
            number(found.and_then(|model| model.value)).unit(format!(" {group}"))
        };
        let row = |name: &str| {
            std::iter::once(name.into()).chain(self.figures.iter().map(|it| cell(it, name))).collect::<Vec<_>>()
        };
        let header = self.figures.iter().map(|figure| format!("{} {} {}", figure.task, figure.way, figure.figure));
        let header = std::iter::once(String::new()).chain(header);
        let rows = names.keys().map(|name| row(name));
        Grid::new("Models by task: mean in percent, and groups", 1, header, rows).with_notes([LETTERS])
    }

    /// Every figure with its interval, group and possible ranks, grouped by task.
    fn details(&self) -> Grid {
        let rows = self.figures.iter().flat_map(|figure| {
            figure.models.iter().enumerate().map(|(at, model)| {
                let first = |text: &str| Value::from(if at == 0 { text } else { "" });
                let standing = |value: fn(&Standing) -> Value| model.standing.as_ref().map(value);
                GridRow {
                    cells: cells![
                        first(&figure.task),
                        first(&format!("{} {}", figure.way, figure.figure)),
                        &model.model,
                        number(model.value),
                        interval(model.interval),
                        model.n,
                        number(figure.chance),
                        standing(|it| Value::from(&it.group)),
                        standing(|it| Value::rank(it.rank)),
                    ],
                    starts_group: at == 0,
                }
            })
        });
        let header = ["task", "asked, figure", "model", "mean", "95 % interval", "n", "chance", "group", "rank"];
        let missing = self.missing.iter().map(|folder| format!("Missing or unfinished: {folder}"));
        Grid::new("Ranks", 3, header, rows).with_notes([RANKS.to_string()].into_iter().chain(missing))
    }
}

const LETTERS: &str = "Models that share a letter do not differ significantly: all pairs on the same items, clustered by story as in \
                       `tomeval compare`, Holm-adjusted p below 0.05 within a column; - marks a model that has no answers to the same items, and a \
                       figure that is not a mean of right answers.";

const RANKS: &str = "Rank: from 1 plus the models significantly better, to all models minus those significantly worse.";

fn shown(out: &Path, folder: &Path) -> String {
    folder.strip_prefix(out).unwrap_or(folder).display().to_string()
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
