//! Figures of reports, and their rendering as pictures.

use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::canary::CANARY;
use crate::figure::{About, Chart, Painter, PictureError, Scheme};
use crate::report::Report;
use crate::report::figures::{NamedChart, Speed, charts, speed_charts};
use crate::run::Spent;
use crate::safe_text::for_terminal;
use crate::terminal::files;

/// Pixels per figure unit.
const SCALE: f32 = 2.0;

/// Maximum characters named that no font has.
const NAMED: usize = 20;

/// Where to write figures, and their theme.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Figures")]
pub struct FigureArgs {
    /// Also write the figures of all tables to this folder, each as SVG and PNG.
    #[arg(long, value_name = "DIR")]
    figures: Option<PathBuf>,
    /// Colours of the figures.
    #[arg(long, value_name = "light|dark", default_value = "light", requires = "figures")]
    theme: Scheme,
}

impl FigureArgs {
    /// Whether figures are requested.
    pub fn wanted(&self) -> bool {
        self.figures.is_some()
    }

    /// Writes the figures of a report; `speeds` are those of its runs.
    pub fn write(&self, report: &Report, speeds: &[Speed]) -> anyhow::Result<()> {
        let Some(folder) = &self.figures else { return Ok(()) };
        let mut all: Vec<NamedChart> = charts(report);
        all.extend(speed_charts(report, speeds));
        save_figures(folder, all.iter().map(|chart| (chart.name.as_str(), chart.svg(self.theme.theme()))))
    }
}

/// Writes charts to a folder, each with its file name.
pub fn write_charts(folder: &Path, colours: Scheme, charts: &[(String, Chart)]) -> anyhow::Result<()> {
    let svg = |name: &str, chart: &Chart| for_terminal(&chart.svg(colours.theme(), name)).into_owned();
    save_figures(folder, charts.iter().map(|(name, chart)| (name.as_str(), svg(name, chart))))
}

/// Writes figures to a folder, each as SVG and PNG.
fn save_figures<'a>(folder: &Path, figures: impl Iterator<Item = (&'a str, String)>) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let mut pictures = Pictures::default();
    let painted = pictures.painter().map(drop);
    if let Err(error) = &painted {
        eprintln!("tomeval: {error}");
    }
    let kinds = if painted.is_ok() { "SVG and PNG" } else { "SVG" };
    let mut count = 0;
    for (name, figure) in figures {
        files::write(&folder.join(format!("{name}.svg")), &figure)?;
        if painted.is_ok() {
            files::write(&folder.join(format!("{name}.png")), pictures.png(&figure)?)?;
        }
        count += 1;
    }
    pictures.print_missing();
    match count {
        0 => eprintln!("No figures: no table has values to plot."),
        1 => eprintln!("1 figure, as {kinds}, is in {}", folder.display()),
        count => eprintln!("{count} figures, each as {kinds}, are in {}", folder.display()),
    }
    Ok(())
}

/// Returns the speed of the run at a path under the label of its rows; `None` if unknown.
pub fn speed(path: &Path, label: &str) -> Option<Speed> {
    let folder = if path.is_dir() { path } else { path.parent()? };
    let (tokens_per_second, written) = Spent::from_folder(folder)?.speed();
    Some(Speed { label: label.to_string(), tokens_per_second, written })
}

/// Renders figures as pictures.
#[derive(Default)]
pub struct Pictures {
    painter: Option<Painter>,
    missing: Vec<char>,
}

impl Pictures {
    /// Renders a figure as PNG.
    pub fn png(&mut self, figure: &str) -> anyhow::Result<Vec<u8>> {
        let picture = self.painter()?.png(figure, SCALE)?;
        self.note(picture.missing);
        Ok(picture.bytes)
    }

    /// Renders a figure as PDF.
    pub fn pdf(&mut self, figure: &str) -> anyhow::Result<Vec<u8>> {
        let about = About { program: concat!("tomeval ", env!("CARGO_PKG_VERSION")), subject: CANARY };
        let page = self.painter()?.pdf(figure, about)?;
        self.note(page.missing);
        Ok(page.bytes)
    }

    /// Returns the painter; an error in a build without picture support.
    fn painter(&mut self) -> Result<&Painter, PictureError> {
        match &mut self.painter {
            Some(painter) => Ok(painter),
            none => Ok(none.insert(Painter::open()?)),
        }
    }

    fn note(&mut self, missing: Vec<char>) {
        for character in missing {
            if !self.missing.contains(&character) {
                self.missing.push(character);
            }
        }
    }

    /// Warns about missing fonts.
    pub fn print_missing(&self) {
        if self.painter.as_ref().is_some_and(Painter::lacks_fonts) {
            eprintln!(
                "warning: this machine has no fonts, so the pictures have no text: install some, or use the SVG."
            );
        }
        if !self.missing.is_empty() {
            let missing: String = self.missing.iter().take(NAMED).collect();
            let missing = for_terminal(&missing);
            eprintln!("No font here has {missing}: install Noto fonts for the script, or use the SVG.");
        }
    }
}
