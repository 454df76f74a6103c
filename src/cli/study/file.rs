//! The file of a study: models and tasks as tables of arguments of `tomeval run`.
//!
//! Each key is an argument of `run` (`max_new_tokens` for `--max-new-tokens`), so a study can do whatever `run` can,
//! and arguments are checked and suggested in one place.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Parser;
use indexmap::{IndexMap, IndexSet};
use serde::Deserialize;
use toml::Value;

use crate::benchmark::Benchmark;
use crate::cli::command_line::refusal;
use crate::cli::run;
use crate::metric::Layout;
use crate::report::file_name;

/// Arguments by name; a list repeats the argument.
type Table = IndexMap<String, Value>;

/// A study file as written.
#[derive(Deserialize)]
struct StudyFile {
    /// What the file is for.
    #[serde(rename = "about")]
    _about: Option<String>,
    #[serde(default, rename = "model")]
    models: Vec<Table>,
    #[serde(default, rename = "task")]
    tasks: Vec<Table>,
    #[serde(default, rename = "skip")]
    skips: Vec<Skip>,
    /// Arguments of every run, unless overridden by a task or model.
    #[serde(flatten)]
    all: Table,
}

/// An exclusion: skips every combination that matches all fields given.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Skip {
    model: Option<String>,
    task: Option<String>,
    style: Option<String>,
    scoring: Option<String>,
}

/// A run of a study: one model, one task, and the ways of asking in its folder.
pub struct Combination {
    pub model: String,
    pub task: String,
    /// MODEL/TASK, below the study's folder.
    pub folder: PathBuf,
    /// Tables to print at the end.
    pub report: Vec<String>,
    /// Arguments of the file in whose place stand others.
    pub replaced: Vec<String>,
    pub args: run::Args,
}

/// Parses the arguments of `tomeval run` alone.
#[derive(Debug, Parser)]
#[command(name = "tomeval run", args_override_self = true)]
struct RunLine {
    #[command(flatten)]
    args: run::Args,
}

/// Keys that name files or folders, relative to the study file.
const PATHS: [&str; 9] =
    ["model", "data", "prompts", "system", "adapter", "chat-template", "server-tokenizer", "card", "from"];

/// Plural keys that hold several values.
const PLURALS: [(&str, &str); 6] = [
    ("languages", "language"),
    ("styles", "style"),
    ("scorings", "scoring"),
    ("benchmarks", "benchmark"),
    ("conditions", "condition"),
    ("adapters", "adapter"),
];

/// The combinations of a study file, with `more` arguments of `run` for each.
pub fn combinations(file: &Path, out: &Path, more: &[OsString]) -> anyhow::Result<Vec<Combination>> {
    let text = std::fs::read_to_string(file).with_context(|| format!("{}: cannot be read", file.display()))?;
    combined(&text, file, &[], &[], out, more)
}

/// The combinations of a file's text, with its own models or those given, and its tasks on all benchmarks or on those
/// given.
pub fn combined(
    text: &str,
    file: &Path,
    models: &[String],
    benchmarks: &[Benchmark],
    out: &Path,
    more: &[OsString],
) -> anyhow::Result<Vec<Combination>> {
    let mut study: StudyFile = toml::from_str(text).map_err(|error| anyhow::anyhow!("{}: {error}", file.display()))?;
    if !models.is_empty() {
        anyhow::ensure!(
            study.models.is_empty(),
            "{}: a preset has no [[model]]: models are named on the command line; `tomeval study` runs files with models",
            file.display()
        );
        let of = |model: &String| Table::from([("model".to_string(), Value::String(model.clone()))]);
        study.models = models.iter().map(of).collect();
    }
    if !benchmarks.is_empty() {
        let names: Vec<&str> = benchmarks.iter().map(|benchmark| benchmark.name()).collect();
        let known: IndexSet<String> = study.tasks.iter().flat_map(benchmarks_of).collect();
        if let Some(unknown) = names.iter().find(|name| !known.contains(**name)) {
            let known = known.into_iter().collect::<Vec<_>>().join(", ");
            anyhow::bail!("{}: has no task on {unknown}; it has {known}", file.display());
        }
        study.tasks.retain(|task| benchmarks_of(task).iter().any(|name| names.contains(&name.as_str())));
    }
    let here = file.parent().unwrap_or(Path::new(""));
    let all = arguments(study.all, here)?;
    let models = study.models.into_iter().map(|table| arguments(table, here)).collect::<anyhow::Result<Vec<_>>>()?;
    let models: Vec<Named> = models.into_iter().flat_map(by_dtype).map(|table| Named::new(table, "model")).collect();
    let tasks = study.tasks.into_iter().map(|table| arguments(table, here)).collect::<anyhow::Result<Vec<_>>>()?;
    let tasks: Vec<Named> = tasks.into_iter().map(|table| Named::new(table, "benchmark")).collect();
    for (kind, named) in [("model", &models), ("task", &tasks)] {
        anyhow::ensure!(!named.is_empty(), "{}: has no [[{kind}]]", file.display());
        let mut folders: IndexMap<String, &str> = IndexMap::new();
        for Named { name, .. } in named {
            if let Some(other) = folders.insert(file_name(name).to_lowercase(), name) {
                anyhow::bail!(
                    "{}: the {kind}s `{other}` and `{name}` would share a folder; give one a different `name`",
                    file.display()
                );
            }
        }
    }
    for Skip { model, task, .. } in &study.skips {
        for (kind, wanted, known) in [("model", model, &models), ("task", task, &tasks)] {
            let is_known = |wanted: &String| known.iter().any(|named| named.name == *wanted);
            anyhow::ensure!(
                wanted.as_ref().is_none_or(is_known),
                "{}: [[skip]] names the {kind} `{}`, which the study does not have",
                file.display(),
                wanted.as_deref().unwrap_or_default()
            );
        }
    }
    let mut combinations = Vec::new();
    for model in &models {
        for task in &tasks {
            let mut table = all.clone();
            table.extend(task.table.clone());
            table.extend(model.table.clone());
            let of_both = |skip: &&Skip| {
                skip.model.as_ref().is_none_or(|name| *name == model.name)
                    && skip.task.as_ref().is_none_or(|name| *name == task.name)
            };
            let skips: Vec<&Skip> = study.skips.iter().filter(of_both).collect();
            for table in without(table, &skips) {
                combinations
                    .push(combination(&model.name, &task.name, &table, out, more).with_context(|| {
                        format!("{}: model `{}`, task `{}`", file.display(), model.name, task.name)
                    })?);
            }
        }
    }
    Ok(combinations)
}

/// The benchmarks that a task names.
fn benchmarks_of(task: &Table) -> Vec<String> {
    let text = |value: &Value| value.as_str().map(String::from);
    match task.get("benchmark").or(task.get("benchmarks")) {
        Some(Value::Array(values)) => values.iter().filter_map(text).collect(),
        value => value.and_then(text).into_iter().collect(),
    }
}

/// Several models asked in the same way, as combinations of one task.
pub fn of_models(args: &run::Args, command_line: &[OsString], out: &Path) -> anyhow::Result<Vec<Combination>> {
    let models = &args.workload.model.models;
    let folders: IndexSet<String> = models.iter().map(|model| file_name(last(model)).to_lowercase()).collect();
    anyhow::ensure!(
        folders.len() == models.len(),
        "--model: two of the models would share a folder; give them different names in a file for `tomeval study`"
    );
    let combination = |model: &String| {
        let folder = PathBuf::from(file_name(last(model)));
        let mut command_line = command_line.to_vec();
        command_line.extend([format!("--model={model}").into(), argument("--out=", &out.join(&folder))]);
        let mut args = args.clone();
        args.workload.model.models = vec![model.clone()];
        args.out = Some(out.join(&folder));
        args.in_study = true;
        args.command_line = Some(command_line);
        let benchmarks = &args.workload.data.benchmarks;
        let names: Vec<String> = benchmarks.iter().map(ToString::to_string).collect();
        let task = if names.is_empty() { Benchmark::Demo.to_string() } else { names.join("-") };
        Combination { model: last(model).to_string(), task, folder, report: Vec::new(), replaced: Vec::new(), args }
    };
    Ok(models.iter().map(combination).collect())
}

/// A model or task with its name.
struct Named {
    name: String,
    table: IndexMap<String, Vec<String>>,
}

impl Named {
    /// Uses the given name, else the last part of the key's value.
    fn new(mut table: IndexMap<String, Vec<String>>, key: &str) -> Self {
        let given = table.shift_remove("name").and_then(|mut names| names.pop());
        let named = || {
            let value = table.get(key).or(table.get("data"))?;
            Some(value.iter().map(|value| last(value)).collect::<Vec<_>>().join("-"))
        };
        Named { name: given.or_else(named).unwrap_or_else(|| Benchmark::Demo.to_string()), table }
    }
}

/// The last part of a path, hub id or address.
fn last(value: &str) -> &str {
    let value = value.trim_end_matches('/');
    value.rsplit(['/', '#']).next().unwrap_or(value).trim_end_matches(".gguf")
}

/// Converts a table to arguments: hyphenated names, each with its values.
fn arguments(table: Table, here: &Path) -> anyhow::Result<IndexMap<String, Vec<String>>> {
    let mut arguments = IndexMap::new();
    for (key, value) in table {
        let name = key.replace('_', "-");
        let name = PLURALS.iter().find(|(plural, _)| *plural == name).map_or(name, |(_, one)| one.to_string());
        let values = match value {
            Value::Array(values) => values,
            value => vec![value],
        };
        // A text for `system` may be the name of a folder by chance.
        let is_there = |path: &Path| if name == "system" { path.is_file() } else { path.exists() };
        let text = |value: Value| {
            Ok(match value {
                Value::String(text) if PATHS.contains(&name.as_str()) && is_there(&here.join(&text)) => {
                    here.join(text).to_string_lossy().into_owned()
                }
                Value::String(text) => text,
                Value::Integer(number) => number.to_string(),
                Value::Float(number) => number.to_string(),
                Value::Boolean(truth) => truth.to_string(),
                other => anyhow::bail!("`{key}`: a {} cannot be an argument's value", other.type_str()),
            })
        };
        let values = values.into_iter().map(text).collect::<anyhow::Result<Vec<_>>>()?;
        arguments.insert(name, values);
    }
    Ok(arguments)
}

/// Splits a model by precision, naming each after it.
fn by_dtype(table: IndexMap<String, Vec<String>>) -> Vec<IndexMap<String, Vec<String>>> {
    match table.get("dtype").cloned().unwrap_or_default() {
        dtypes if dtypes.len() > 1 => {
            let name = Named::new(table.clone(), "model").name;
            let one = |dtype: String| {
                let mut table = table.clone();
                table.insert("name".to_string(), vec![format!("{name}-{dtype}")]);
                table.insert("dtype".to_string(), vec![dtype]);
                table
            };
            dtypes.into_iter().map(one).collect()
        }
        _ => vec![table],
    }
}

/// Arguments left after skips: of one run, or of one run per remaining way of asking.
fn without(table: IndexMap<String, Vec<String>>, skips: &[&Skip]) -> Vec<IndexMap<String, Vec<String>>> {
    if skips.iter().any(|skip| skip.style.is_none() && skip.scoring.is_none()) {
        return Vec::new();
    }
    if skips.is_empty() {
        return vec![table];
    }
    let values = |key: &str, usual: &str| table.get(key).cloned().unwrap_or_else(|| vec![usual.to_string()]);
    let (scorings, styles) = (values("scoring", "letter"), values("style", "vanilla"));
    let mut left = Vec::new();
    for scoring in &scorings {
        let is_skipped = |style: &String| {
            skips.iter().any(|skip| {
                skip.style.as_ref().is_none_or(|name| name == style)
                    && skip.scoring.as_ref().is_none_or(|name| name == scoring)
            })
        };
        let styles: Vec<String> = styles.iter().filter(|style| !is_skipped(style)).cloned().collect();
        if !styles.is_empty() {
            let mut table = table.clone();
            table.insert("scoring".to_string(), vec![scoring.clone()]);
            table.insert("style".to_string(), styles);
            left.push(table);
        }
    }
    left
}

fn combination(
    model: &str,
    task: &str,
    table: &IndexMap<String, Vec<String>>,
    out: &Path,
    more: &[OsString],
) -> anyhow::Result<Combination> {
    let folder = Path::new(&file_name(model)).join(file_name(task));
    let mut table = table.clone();
    let report = table.shift_remove("report").unwrap_or_default();
    // An argument given with the command stands in the place of the file's; conditions on items add up.
    let given: Vec<String> = more.iter().filter_map(long_name).collect();
    let is_limit = |name: &String| LIMITS.contains(&name.as_str());
    let limits = given.iter().any(is_limit);
    let is_replaced = |name: &String| (name != "where" && given.contains(name)) || (limits && is_limit(name));
    let replaced = table.keys().filter(|name| is_replaced(name)).cloned().collect();
    table.retain(|name, _| !is_replaced(name));
    let mut command_line: Vec<OsString> = vec!["run".into(), "--in-study".into()];
    command_line.push(format!("--name={model}").into());
    for (name, values) in &table {
        match values.as_slice() {
            [value] if value == "true" => command_line.push(format!("--{name}").into()),
            [value] if value == "false" => {}
            values => command_line.extend(values.iter().map(|value| format!("--{name}={value}").into())),
        }
    }
    command_line.push(argument("--out=", &out.join(&folder)));
    command_line.extend(more.iter().cloned());
    let (model, task) = (model.to_string(), task.to_string());
    let args = parsed(command_line)?;
    check_tables(&report, &args).with_context(|| format!("task {task}"))?;
    Ok(Combination { model, task, folder, report, replaced, args })
}

/// Arguments that exclude each other.
const LIMITS: [&str; 2] = ["limit", "limit-stories"];

/// Refuses tables that none of the benchmarks has.
fn check_tables(report: &[String], args: &run::Args) -> anyhow::Result<()> {
    let own = args.workload.data.source.own.own_data()?;
    let mut known: IndexSet<String> = IndexSet::new();
    for benchmark in &args.workload.data.benchmarks {
        known.extend(Layout::parse(&benchmark.card_text_with(&own))?.tables.into_iter().map(|table| table.id));
    }
    match report.iter().find(|name| !known.contains(*name)) {
        Some(unknown) if !known.is_empty() => {
            let known = known.into_iter().collect::<Vec<_>>().join(", ");
            anyhow::bail!("report: no table `{unknown}`; there are {known}")
        }
        _ => Ok(()),
    }
}

/// The name of an argument as in the file; `None` of a value.
fn long_name(argument: &OsString) -> Option<String> {
    let text = argument.to_string_lossy();
    match &*text {
        "-l" => Some("language".to_string()),
        text => Some(text.strip_prefix("--")?.split('=').next()?.to_string()),
    }
}

fn argument(name: &str, path: &Path) -> OsString {
    let mut argument = OsString::from(name);
    argument.push(path);
    argument
}

/// Parses the arguments of a command line.
fn parsed(command_line: Vec<OsString>) -> anyhow::Result<run::Args> {
    match RunLine::try_parse_from(&command_line) {
        Ok(RunLine { args }) => Ok(run::Args { command_line: Some(command_line), ..args }),
        Err(error) => anyhow::bail!("{}", refusal(&error, &command_line)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> anyhow::Result<Vec<Combination>> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("weights")).unwrap();
        let file = folder.path().join("study.toml");
        std::fs::write(&file, text).unwrap();
        combinations(&file, Path::new("out"), &[])
    }

    fn lines(text: &str) -> Vec<String> {
        let line = |each: Combination| {
            let line: Vec<String> =
                each.args.command_line.unwrap().iter().map(|it| it.to_string_lossy().into_owned()).collect();
            line.join(" ")
        };
        read(text).unwrap().into_iter().map(line).collect()
    }

    #[test]
    fn models_times_tasks_become_runs() {
        let found = lines(
            "orders = 'random:2'\nscorings = ['letter', 'generate']\n\
             [[model]]\nmodel = 'smollm2-135m-instruct'\ndtype = ['f32', 'q8_0']\n[[model]]\nname = 'own'\nmodel = 'weights'\n\
             [[task]]\nbenchmark = 'demo'\nlimit = 3\n[[task]]\nbenchmark = 'hi-tom'\nscorings = ['letter']\n\
             [[skip]]\nmodel = 'own'\ntask = 'hi-tom'\n[[skip]]\nmodel = 'own'\nscoring = 'generate'\n",
        );
        assert_eq!(found.len(), 5, "{found:?}");
        assert_eq!(
            found[0],
            "run --in-study --name=smollm2-135m-instruct-f32 --orders=random:2 --scoring=letter --scoring=generate \
             --benchmark=demo --limit=3 --model=smollm2-135m-instruct --dtype=f32 --out=out/smollm2-135m-instruct-f32/demo"
        );
        assert!(found[1].contains("--scoring=letter --benchmark=hi-tom"), "{}", found[1]);
        let own = found.last().unwrap();
        assert!(
            own.contains("--scoring=letter --benchmark=demo") && own.ends_with("--style=vanilla --out=out/own/demo"),
            "{own}"
        );
        assert!(own.contains("/weights "), "paths are relative to the file: {own}");
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        let error = |text: &str| format!("{:#}", read(text).err().unwrap());
        let model = "[[model]]\nmodel = 'a/b'\n";
        let task = "[[task]]\nbenchmark = 'demo'\n";
        assert!(error(model).contains("task"), "{}", error(model));
        let typo = error(&format!("{model}{task}limt = 3\n"));
        assert!(typo.contains("model `b`, task `demo`") && typo.contains("--limit"), "{typo}");
        let twice = error(&format!("{model}[[model]]\nmodel = 'c/B'\n{task}"));
        assert!(twice.contains("`b` and `B` would share a folder"), "{twice}");
        let skip = error(&format!("{model}{task}[[skip]]\nmodel = 'x'\n"));
        assert!(skip.contains("names the model `x`"), "{skip}");
    }
}
