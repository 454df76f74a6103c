//! Output of an analysis: to the requested files, else the terminal.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use indexmap::IndexMap;

use super::pictures::PictureArgs;
use crate::arguments::setup::LoadedModel;
use crate::attend::view::{self, Colour};
use crate::attend::{Analysis, Case, Failure, SelectedItem};
use crate::cli::states::{Row, StatesFile};
use crate::run::{ATTENTION_PAGE, attention_page_of};
use crate::safe_text::for_terminal;
use crate::terminal::files::save;

/// Maximum items named per failure cause.
const NAMED: usize = 3;

/// Files to write.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// One self-contained page with all results [default with --run: attention.html in its folder].
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Keywords as LaTeX tables.
    #[arg(long, value_name = "FILE")]
    pub latex: Option<PathBuf>,
    /// Keywords as CSV.
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Attention on roles as CSV, one line per prompt and role.
    #[arg(long, value_name = "FILE", requires = "roles")]
    pub roles_csv: Option<PathBuf>,
    /// Attention to unseen sentences over all prompts as CSV, one line per group and comparison.
    #[arg(long, value_name = "FILE", requires = "witness")]
    pub witness_csv: Option<PathBuf>,
    /// Head maps of groups as CSV, one line per map and head.
    #[arg(long, value_name = "FILE", requires = "head_maps")]
    pub heads_csv: Option<PathBuf>,
    /// Captured rows of every layer and head, unrounded, as safetensors.
    #[arg(long, value_name = "FILE")]
    pub tensors: Option<PathBuf>,
    /// Residual stream of the answer position after the embedding and each layer, before the final norm, as a file of numpy
    /// (FILE.npy), one row per prompt; FILE.json names the rows.
    #[arg(long, value_name = "FILE.npy")]
    pub states: Option<PathBuf>,
    /// The whole analysis as one JSON document on stdout.
    #[arg(long)]
    pub json: bool,
    /// Colours on the terminal: auto, always or never.
    #[arg(long, default_value = "auto", value_parser = ["auto", "always", "never"])]
    pub color: String,
    #[command(flatten)]
    pub pictures: PictureArgs,
}

impl OutputArgs {
    /// Checks before any work that every file can be created, and the options of figures.
    pub fn check(&self) -> anyhow::Result<()> {
        self.pictures.check()?;
        let tables = [&self.latex, &self.csv, &self.roles_csv, &self.witness_csv, &self.heads_csv];
        self.states.as_deref().map_or(Ok(()), StatesFile::check)?;
        let files = [&self.html, &self.tensors, &self.states].into_iter().chain(tables).flatten();
        for path in files.chain(self.pictures.files()) {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            anyhow::ensure!(
                folder.is_dir(),
                "{}: the folder {} does not exist; create it first",
                path.display(),
                folder.display()
            );
            anyhow::ensure!(!path.is_dir(), "{} is a folder; name a file", path.display());
        }
        Ok(())
    }

    /// The file of residual streams of a model, if requested.
    pub fn states_of(&self, model: &LoadedModel) -> Option<StatesFile> {
        self.states.as_deref().map(|path| StatesFile::new(path, model.spec.layers, model.spec.hidden))
    }

    /// Writes the page into the run's folder if no other place is named. The run's report links to the analysis of its
    /// own model, so the page of another model has that model's name.
    pub fn write_below(&mut self, run: &Path, other_model: Option<&String>) -> anyhow::Result<()> {
        let own = run.join(ATTENTION_PAGE);
        let page = other_model.map_or_else(|| own.clone(), |model| run.join(attention_page_of(model)));
        let page = self.html.get_or_insert(page);
        anyhow::ensure!(
            other_model.is_none() || *page != own,
            "--html {}: the run's report links to this file for its own model; name another file",
            page.display()
        );
        Ok(())
    }

    /// Returns the colour setting of the terminal view.
    pub fn colour(&self) -> Colour {
        let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        match self.color.as_str() {
            "always" => Colour::Palette256,
            "auto" if std::io::stdout().is_terminal() && !plain => Colour::Palette256,
            _ => Colour::Plain,
        }
    }
}

/// Writes every requested file, and text or JSON on stdout. The report in the folder `linked` will link to the page.
pub fn write(output: &OutputArgs, analysis: &Analysis, linked: Option<&Path>) -> anyhow::Result<()> {
    let document = &analysis.document;
    if let Some(path) = &output.html {
        save(path, view::html(document)?)?;
        if let Some(run) = linked.filter(|run| run.join(ATTENTION_PAGE) == *path) {
            crate::cli::reading::link_page(run)?;
        }
    }
    if let Some(path) = &output.latex {
        save(path, view::latex(document))?;
    }
    if let Some(path) = &output.csv {
        save(path, view::csv(document))?;
    }
    if let Some(path) = &output.roles_csv {
        save(path, view::roles_csv(document))?;
    }
    if let Some(path) = &output.witness_csv {
        save(path, view::witness_csv(document))?;
    }
    if let Some(path) = &output.heads_csv {
        save(path, view::heads_csv(document))?;
    }
    if let Some(path) = &output.tensors {
        save(path, view::tensors(document, &analysis.captures).context("--tensors")?)?;
    }
    output.pictures.write(document)?;
    print_failures(failure_lines(&analysis.failures));
    let mut stdout = std::io::stdout().lock();
    if output.json {
        serde_json::to_writer(&mut stdout, document)?;
        writeln!(stdout)?;
    } else {
        write!(stdout, "{}", view::terminal(document, output.colour()))?;
    }
    Ok(())
}

/// What the residual stream of a prompt is of.
pub fn state_row(chosen: &SelectedItem, case: &Case) -> Row {
    Row {
        variant: Some(case.variant.clone()),
        style: Some(chosen.style.name.clone()),
        order: case.options.iter().map(|option| option.canonical).collect(),
        token: case.rows.first().map_or(0, |row| row.position),
        ..Row::of(&chosen.item)
    }
}

/// Iterates over failed items with their errors.
pub fn failure_lines(failures: &[Failure]) -> impl Iterator<Item = (&str, String)> {
    failures.iter().map(|failure| (failure.item.as_str(), failure.error.to_string()))
}

/// Prints the items that were not analysed, each cause once.
pub fn print_failures<'a>(failures: impl Iterator<Item = (&'a str, String)>) {
    let mut causes: IndexMap<String, Vec<&str>> = IndexMap::new();
    for (item, cause) in failures {
        causes.entry(cause).or_default().push(item);
    }
    for (cause, items) in causes {
        let more = match items.len() {
            1..=NAMED => String::new(),
            all => format!(" and {} more", all - NAMED),
        };
        let named = items.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
        eprintln!("tomeval: not analysed: {}{more}: {}", for_terminal(&named), for_terminal(&cause));
    }
}
