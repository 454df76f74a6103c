//! Figures of prompts: kind, panels and formats.

use std::path::PathBuf;

use clap::ValueEnum;
use indexmap::IndexMap;

use super::files::numbered;
use crate::attend::{Document, HumanKeywords, SelectedItem, view};
use crate::cli::figures::{LayoutArgs, Pictures, refusal};
use crate::figure::Painter;
use crate::safe_text::for_terminal;
use crate::terminal::files::save;
use view::{Drawn, Panel};

/// Maximum items named per missing thing.
const NAMED: usize = 3;

/// Figures to write. With several prompts, file names get a number before the extension.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Figures")]
pub struct PictureArgs {
    /// Figure as SVG, one per prompt, with its caption for LaTeX beside it (FILE with the ending .caption.tex).
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// The same figure as PNG, drawn with this machine's fonts.
    #[arg(long, value_name = "FILE")]
    pub png: Option<PathBuf>,
    /// The same figure as PDF, with this machine's fonts embedded.
    #[arg(long, value_name = "FILE")]
    pub pdf: Option<PathBuf>,
    /// Kind of figure: prompt (all results of one prompt), person (a person's words beside the model's, as ToMBench's
    /// Figure 5), or witness (the strip of --witness).
    #[arg(
        long,
        value_enum,
        default_value = "prompt",
        value_name = "prompt|person|witness",
        hide_possible_values = true
    )]
    pub figure: Kind,
    /// Panels of `--figure person`, in this order: person (one per reader), model, keywords, options, map.
    #[arg(long, value_name = "PANEL", value_delimiter = ',', default_values_t = Panel::USUAL)]
    pub panels: Vec<Panel>,
    #[command(flatten)]
    pub layout: LayoutArgs,
}

/// Kind of figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// All results of one prompt.
    Prompt,
    /// A person's words beside the model's.
    Person,
    /// The story sentence by sentence, with who perceives it.
    Witness,
}

impl PictureArgs {
    /// Whether figures set a person's words beside the model's.
    pub fn is_of_person(&self) -> bool {
        self.figure == Kind::Person
    }

    /// Whether figures are witness strips.
    pub fn is_of_witness(&self) -> bool {
        self.figure == Kind::Witness
    }

    /// Iterates over the requested files.
    pub fn files(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.svg, &self.png, &self.pdf].into_iter().flatten()
    }

    /// Refuses options of figures if none is requested.
    pub fn check(&self) -> anyhow::Result<()> {
        let figures = self.files().next().is_some();
        self.layout.check(figures, "--svg, --png or --pdf FILE")?;
        let asked = if self.is_of_witness() { "witness" } else { "person" };
        anyhow::ensure!(figures || self.figure == Kind::Prompt, "--figure {asked} needs a file: --svg, --png or --pdf");
        Ok(())
    }

    /// Checks before loading a model that the requested figures can be drawn for these items.
    pub fn check_items(&self, items: &[SelectedItem], human: &HumanKeywords) -> anyhow::Result<()> {
        if self.figure == Kind::Person {
            let without: Vec<&str> =
                items.iter().map(|item| item.item.id.as_str()).filter(|id| human.readers(id).is_empty()).collect();
            anyhow::ensure!(
                !self.panels.contains(&Panel::Person) || without.len() < items.len(),
                "no marked words for {}; pass a file with --human FILE, or leave out the panel `person`",
                for_terminal(&named(&without))
            );
            if self.panels.contains(&Panel::Person) && !without.is_empty() {
                eprintln!(
                    "tomeval: no marked words for {}: their figures show only the model (--human FILE names a file with \
                     marked words)",
                    for_terminal(&named(&without))
                );
            }
        }
        if self.png.is_some() || self.pdf.is_some() {
            self.check_fonts(items, human)?;
        }
        Ok(())
    }

    /// Pictures use the installed fonts, so a script without a font is an error before any work, unless there is an SVG.
    fn check_fonts(&self, items: &[SelectedItem], human: &HumanKeywords) -> anyhow::Result<()> {
        let painter = Painter::open()?;
        let mut text = String::new();
        for SelectedItem { item, .. } in items {
            item.context.iter().for_each(|segment| text.push_str(&segment.text));
            text.push_str(&item.question);
            item.options.iter().for_each(|option| text.push_str(option));
            human.readers(&item.id).iter().for_each(|reader| text.push_str(&reader.name));
        }
        match refusal(&painter, &text) {
            Some(reason) if self.svg.is_none() => anyhow::bail!("--png and --pdf cannot be drawn: {reason} with --svg"),
            _ => Ok(()),
        }
    }

    /// Writes every requested file.
    pub fn write(&self, document: &Document) -> anyhow::Result<()> {
        if self.files().next().is_none() {
            return Ok(());
        }
        let mut pictures = Pictures::default();
        let mut absent: IndexMap<(&str, &str), Vec<&str>> = IndexMap::new();
        for (case, shown) in document.cases.iter().enumerate() {
            let layout = self.layout.layout();
            let figure = match self.figure {
                Kind::Prompt => view::svg(document, case, layout),
                Kind::Person => view::person_svg(document, case, &self.panels, layout),
                Kind::Witness => view::witness_svg(document, case, layout),
            };
            let Some(Drawn { svg, caption }) = figure else {
                if let Some(reason) = shown.witness.as_ref().and_then(|record| record.absent.as_ref()) {
                    eprintln!("tomeval: no figure of {}: {}", for_terminal(&shown.item), for_terminal(reason));
                }
                continue;
            };
            let place = |path: &PathBuf| numbered(path, case, document.cases.len());
            let [svg_file, png, pdf] = [&self.svg, &self.png, &self.pdf].map(|path| path.as_ref().map(place));
            if let Some(path) = &svg_file {
                save(path, &svg)?;
            }
            pictures.write(&svg, png.as_deref(), pdf.as_deref(), |path, bytes| save(path, bytes))?;
            if let Some(path) = pdf.or(svg_file).or(png) {
                self.layout.write_caption(&path, &caption, |path, bytes| save(path, bytes))?;
            }
            if self.figure == Kind::Person {
                for human in &shown.humans {
                    for word in &human.missing {
                        absent.entry((&shown.item, &human.reader)).or_default().push(word);
                    }
                }
            }
        }
        for ((item, reader), words) in absent {
            let rendered = format!("{item}: {reader} marked words not in the text: {}", words.join(", "));
            eprintln!("tomeval: {}", for_terminal(&rendered));
        }
        Ok(())
    }
}

/// Names the first items and the number of the others.
fn named(items: &[&str]) -> String {
    let first = items.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    match items.len() {
        0..=NAMED => first,
        all => format!("{first} and {} more", all - NAMED),
    }
}
