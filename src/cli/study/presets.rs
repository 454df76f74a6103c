//! `--preset`: the tasks of a study file, asked of the models of the command line; `tomeval presets` shows the files
//! that are built in.

use std::path::{Path, PathBuf};

use anyhow::Context;
use indexmap::{IndexMap, IndexSet};

use super::file::{self, Combination};
use super::{given_without, run_all};
use crate::arguments::paths::runs_in;
use crate::cli::reading::{open_run, read_run};
use crate::cli::report::{COLUMNS, screen};
use crate::cli::workload::WorkloadArgs;
use crate::cli::{Outcome, plan, run};
use crate::reopen::ReadOptions;
use crate::report::{Published, Report, Tables, View, render};
use crate::table::{Format, Grid, Screen, cells};
use crate::terminal::stdout::{print, print_text};

/// The built-in files, by name.
const BUILT_IN: [(&str, &str); 1] = [("paper", include_str!("../../../datasets/presets/paper.toml"))];

/// Arguments of `tomeval presets`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Preset to print, as a file to change: `tomeval presets paper > mine.toml`, then `--preset mine.toml`.
    name: Option<String>,
}

/// Lists the presets, or prints one.
pub fn show(args: &Args) -> anyhow::Result<Outcome> {
    if let Some(name) = &args.name {
        print(built_in(name).with_context(|| unknown(name))?)?;
        return Ok(Outcome::Done);
    }
    let mut rows = Vec::new();
    for (name, text) in BUILT_IN {
        // Nothing is asked of this model.
        let model = ["none".to_string()];
        for Combination { task, args, report, .. } in
            file::combined(text, Path::new(name), &model, &[], Path::new(""), &[])?
        {
            let WorkloadArgs { prompts, choice, writing, .. } = &args.workload;
            let mut asked = vec![prompts.styles.join(", "), prompts.orders.to_string()];
            asked.extend(choice.facets.iter().map(ToString::to_string));
            asked.extend(writing.questions_per_prompt.map(|_| "all questions of a context in one prompt".to_string()));
            rows.push(cells![name, task, asked.join("; "), report.join(", ")]);
        }
    }
    let grid = Grid::new("", 4, ["preset", "task", "asked", "tables"], rows.into_iter());
    print_text(&Format::Terminal.table(&grid, screen()))?;
    Ok(Outcome::Done)
}

fn built_in(name: &str) -> Option<&'static str> {
    BUILT_IN.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

fn unknown(name: &str) -> String {
    let known = BUILT_IN.map(|(name, _)| name).join(", ");
    if Path::new(name).is_file() {
        return format!("`{name}` is a file of your own: pass it to --preset; built in: {known}");
    }
    format!("no preset `{name}`; built in: {known}; a file of your own is named with its path")
}

/// The combinations of a preset with the models and benchmarks of the command line.
fn combinations(workload: &WorkloadArgs, preset: &str, out: &Path) -> anyhow::Result<Vec<Combination>> {
    let text = match built_in(preset) {
        Some(text) => text.to_string(),
        None => std::fs::read_to_string(preset).with_context(|| unknown(preset))?,
    };
    let more = given_without(&["model", "out", "preset", "benchmark"]);
    let models = &workload.model.models;
    anyhow::ensure!(!models.is_empty(), "--preset: pass --model");
    let all = file::combined(&text, Path::new(preset), models, &workload.data.benchmarks, out, &more)?;
    let replaced: IndexSet<&String> = all.iter().flat_map(|each| &each.replaced).collect();
    replaced.iter().for_each(|name| eprintln!("note: --{name} replaces what the preset says"));
    Ok(all)
}

/// Refuses arguments that do not apply to presets; returns the folder of the runs.
fn check(args: &run::Args) -> anyhow::Result<&Path> {
    anyhow::ensure!(args.name.is_none(), "--name: runs of a preset are named after their models");
    args.out.as_deref().context("--preset needs a folder for its runs: pass --out DIR")
}

/// Runs a preset.
pub fn run(args: &run::Args, preset: &str) -> anyhow::Result<Outcome> {
    let out = check(args)?;
    run_all(args, out, &combinations(&args.workload, preset, out)?)
}

/// Plans a preset.
pub fn plan(args: &plan::Args, preset: &str) -> anyhow::Result<Outcome> {
    let all = combinations(&args.workload, preset, Path::new(""))?;
    plan::several::plan(all.iter().map(|each| (each.folder.display().to_string(), &each.args.workload)), args.json)
}

/// The tables that the tasks name, of all models side by side, benchmark by benchmark; nothing if they name none.
pub fn tables(all: &[&Combination], out: &Path, format: Format, screen: Screen) -> anyhow::Result<String> {
    let mut by_benchmark: IndexMap<String, (IndexSet<String>, IndexSet<PathBuf>)> = IndexMap::new();
    for each in all.iter().filter(|each| !each.report.is_empty()) {
        for benchmark in &each.args.workload.data.benchmarks {
            let (names, folders) = by_benchmark.entry(benchmark.to_string()).or_default();
            names.extend(each.report.iter().cloned());
            folders.insert(out.join(&each.folder));
        }
    }
    let mut texts = Vec::new();
    for (names, folders) in by_benchmark.values() {
        let mut reports = Vec::new();
        for run in folders.iter().flat_map(|folder| runs_in(folder, 2).unwrap_or_default()) {
            let (recorded, Some(loaded)) = open_run(&run, None, &ReadOptions::default())? else { continue };
            reports.push(read_run(recorded, &loaded, &ReadOptions::default())?.report(true)?);
        }
        let report = Report::merge(reports);
        let has = |name: &String| report.results.iter().flat_map(|results| &results.tables).any(|it| it.id == *name);
        let names: Vec<String> = names.iter().filter(|name| has(name)).cloned().collect();
        if !names.is_empty() {
            let screen = Screen { width: screen.width.or(Some(COLUMNS)) };
            let view = View { tables: Tables::Named(names), published: Published::Best, only_values: true, screen };
            texts.push(render(&report, format, &view));
        }
    }
    Ok(texts.join("\n"))
}
