//! Figures of reports, and their rendering as pictures.

use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::canary::CANARY;
use crate::figure::{About, Chart, Layout, Painter, PictureError, Scheme, Width};
use crate::report::Report;
use crate::report::figures::{NamedChart, Speed, charts, speed_charts};
use crate::run::Spent;
use crate::safe_text::for_tex;
use crate::terminal::files::write;

/// Pixels per figure unit: 300 dots per inch.
const SCALE: f32 = 300.0 / 96.0;

/// Width in units from which a figure spans both columns of a paper.
const BOTH_COLUMNS: f64 = 380.0;

/// Writes a file; `save` also names it on stderr.
type Keep = fn(&Path, &[u8]) -> anyhow::Result<()>;

/// Where to write figures, and their look.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Figures")]
pub struct FigureArgs {
    /// Also write all figures to this folder, each as SVG, PNG and PDF, with its caption for LaTeX
    /// (NAME.caption.tex).
    #[arg(long, value_name = "DIR")]
    figures: Option<PathBuf>,
    /// Colours of the figures.
    #[arg(long, value_name = "light|dark", default_value = "light", requires = "figures")]
    theme: Scheme,
    #[command(flatten)]
    layout: LayoutArgs,
}

/// Size of figures and what is drawn in them.
#[derive(Debug, Clone, Copy, clap::Args)]
#[command(next_help_heading = "Figures")]
pub struct LayoutArgs {
    /// Width of the figures in print; their text has 7 to 9 points at it. Of a paper in two columns: 77mm for one, 160mm
    /// for both [default: 160mm].
    #[arg(long, value_name = "WIDTH")]
    width: Option<Width>,
    /// Draw title and remarks in the figures; without it, they are in a caption file beside each, a LaTeX figure to copy
    /// or \input.
    #[arg(long)]
    title: bool,
}

impl LayoutArgs {
    /// The chosen layout.
    pub fn layout(self) -> Layout {
        Layout::Paper { width: self.width(), titled: self.title }
    }

    fn width(self) -> Width {
        self.width.unwrap_or(Width::TEXT)
    }

    /// Fails if a layout is given for no figure.
    pub fn check(self, figures: bool, option: &str) -> anyhow::Result<()> {
        anyhow::ensure!(
            figures || self.width.is_none() && !self.title,
            "--width and --title are of figures: add {option}"
        );
        Ok(())
    }

    /// Writes the caption of a figure with `keep`, unless the figure holds it.
    pub fn write_caption(self, figure: &Path, caption: &str, keep: Keep) -> anyhow::Result<()> {
        match self.title {
            true => Ok(()),
            false => keep(&figure.with_extension("caption.tex"), self.latex(figure, caption).as_bytes()),
        }
    }

    /// A LaTeX figure with its caption.
    fn latex(self, figure: &Path, caption: &str) -> String {
        let name = figure.file_stem().unwrap_or_default().to_string_lossy();
        let float = if self.width().units() > BOTH_COLUMNS { "figure*" } else { "figure" };
        let (width, caption) = (self.width(), for_tex(caption));
        format!(
            "% {CANARY}\n% needs \\usepackage{{graphicx}}, and \\graphicspath with this folder\n\\begin{{{float}}}\n  \\centering\n  \
             \\includegraphics[width={width}]{{{name}.pdf}}\n  \\caption{{{caption}}}\n  \\label{{fig:{name}}}\n\\end{{{float}}}\n"
        )
    }
}

impl FigureArgs {
    /// Whether figures are requested.
    pub fn wanted(&self) -> bool {
        self.figures.is_some()
    }

    /// Checks the options of figures.
    pub fn check(&self) -> anyhow::Result<()> {
        self.layout.check(self.wanted(), "--figures DIR")
    }

    /// Writes the figures of a report; `speeds` are those of its runs.
    pub fn write(&self, report: &Report, speeds: &[Speed]) -> anyhow::Result<()> {
        let mut all: Vec<NamedChart> = charts(report);
        all.extend(speed_charts(report, speeds));
        self.write_charts(all.iter().map(|each| (each.name.as_str(), &each.chart)))
    }

    /// Writes charts, each with its file name.
    pub fn write_charts<'a>(&self, charts: impl Iterator<Item = (&'a str, &'a Chart)>) -> anyhow::Result<()> {
        let Some(folder) = &self.figures else { return Ok(()) };
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        let mut pictures = Pictures::default();
        let painted = pictures.painter().map(drop);
        if let Err(error) = &painted {
            eprintln!("tomeval: {error}");
        }
        let kinds = if painted.is_ok() { "SVG, PNG and PDF" } else { "SVG" };
        let mut count = 0;
        for (name, chart) in charts {
            let figure = chart.svg(self.theme.theme(), self.layout.layout(), name);
            let path = folder.join(format!("{name}.svg"));
            let keep: Keep = |path, bytes| write(path, bytes);
            keep(&path, figure.as_bytes())?;
            self.layout.write_caption(&path, &chart.caption(), keep)?;
            if painted.is_ok() {
                pictures.write(&figure, Some(&path.with_extension("png")), Some(&path.with_extension("pdf")), keep)?;
            }
            count += 1;
        }
        match count {
            0 => eprintln!("No figures: no table has values to plot."),
            1 => eprintln!("1 figure, as {kinds}, is in {}", folder.display()),
            count => eprintln!("{count} figures, each as {kinds}, are in {}", folder.display()),
        }
        Ok(())
    }
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
}

impl Pictures {
    /// Writes a figure to these files with `keep`. One with characters that no font of this machine has is refused on stderr, and
    /// not written.
    pub fn write(&mut self, figure: &str, png: Option<&Path>, pdf: Option<&Path>, keep: Keep) -> anyhow::Result<()> {
        let Some(first) = png.or(pdf) else { return Ok(()) };
        let painter = self.painter()?;
        if let Some(reason) = refusal(painter, figure) {
            let kinds = if png.and(pdf).is_some() { "PNG and PDF are" } else { "it is" };
            eprintln!("tomeval: {}: {kinds} not drawn: {reason}", first.display());
            return Ok(());
        }
        if let Some(path) = png {
            keep(path, &painter.png(figure, SCALE).with_context(|| path.display().to_string())?)?;
        }
        if let Some(path) = pdf {
            let about = About { program: concat!("tomeval ", env!("CARGO_PKG_VERSION")), subject: CANARY };
            keep(path, &painter.pdf(figure, about).with_context(|| path.display().to_string())?)?;
        }
        Ok(())
    }

    /// Returns the painter; an error in a build without picture support.
    fn painter(&mut self) -> Result<&Painter, PictureError> {
        match &mut self.painter {
            Some(painter) => Ok(painter),
            none => Ok(none.insert(Painter::open()?)),
        }
    }
}

/// Why this machine's fonts cannot draw a text, and what to install; `None` if they can.
pub fn refusal(painter: &Painter, text: &str) -> Option<String> {
    if painter.lacks_fonts() {
        return Some(
            "this machine has no fonts; install some (on Debian and Ubuntu: fonts-noto-core), or use the SVG".into(),
        );
    }
    let fontless: Vec<String> = painter.fontless(text).iter().map(ToString::to_string).collect();
    (!fontless.is_empty()).then(|| {
        format!("no installed font has these characters: {}. Install the package, or use the SVG", fontless.join("; "))
    })
}
