//! Figures of prompts: kind, panels and formats.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::ValueEnum;
use indexmap::IndexMap;

use super::files::numbered;
use crate::attend::{Document, HumanKeywords, SelectedItem, view};
use crate::cli::figures::Pictures;
use crate::figure::{Painter, set_too_close};
use crate::safe_text::for_terminal;
use crate::terminal::files::save;
use view::Panel;

/// Maximum items named per missing thing.
const NAMED: usize = 3;

/// Figures to write. With several prompts, file names get a number before the extension.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Figures")]
pub struct PictureArgs {
    /// Figure as SVG, one per prompt.
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// The same figure as PNG, drawn with this machine's fonts.
    #[arg(long, value_name = "FILE")]
    pub png: Option<PathBuf>,
    /// The same figure as PDF, with this machine's fonts embedded.
    #[arg(long, value_name = "FILE")]
    pub pdf: Option<PathBuf>,
    /// Kind of figure: prompt (all results of one prompt), or person (a person's words beside the model's, as
    /// ToMBench's Figure 5).
    #[arg(long, value_enum, default_value = "prompt", value_name = "prompt|person", hide_possible_values = true)]
    pub figure: Kind,
    /// Panels of `--figure person`, in this order: person (one per reader), model, keywords, options, map.
    #[arg(long, value_name = "PANEL", value_delimiter = ',', default_values_t = Panel::USUAL)]
    pub panels: Vec<Panel>,
}

/// Kind of figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// All results of one prompt.
    Prompt,
    /// A person's words beside the model's.
    Person,
}

impl PictureArgs {
    /// Whether figures set a person's words beside the model's.
    pub fn is_of_person(&self) -> bool {
        self.figure == Kind::Person
    }

    /// Iterates over the requested files.
    pub fn files(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.svg, &self.png, &self.pdf].into_iter().flatten()
    }

    /// Checks before loading a model that the requested figures can be drawn for these items.
    pub fn check(&self, items: &[SelectedItem], human: &HumanKeywords) -> anyhow::Result<()> {
        if self.figure == Kind::Person {
            anyhow::ensure!(self.files().next().is_some(), "--figure person needs a file: --svg, --png or --pdf");
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

    /// Pictures use the installed fonts, so a script without a font is an error before any work.
    fn check_fonts(&self, items: &[SelectedItem], human: &HumanKeywords) -> anyhow::Result<()> {
        let painter = Painter::open()?;
        anyhow::ensure!(
            !painter.lacks_fonts(),
            "this machine has no fonts, so --png and --pdf would have no text: install some (on Debian and Ubuntu: fonts-noto-core), \
             or write --svg alone"
        );
        let mut text = String::new();
        for SelectedItem { item, .. } in items {
            item.context.iter().for_each(|segment| text.push_str(&segment.text));
            text.push_str(&item.question);
            item.options.iter().for_each(|option| text.push_str(option));
            human.readers(&item.id).iter().for_each(|reader| text.push_str(&reader.name));
        }
        let close = set_too_close(&text);
        if !close.is_empty() {
            eprintln!(
                "warning: PNG and PDF set vowel signs of {} too close to their letters; write --svg and convert it with a browser",
                close.join(" and ")
            );
        }
        let fontless = painter.fontless(&text);
        let rendered: Vec<String> = fontless
            .iter()
            .map(|each| {
                format!("{} ({}; on Debian and Ubuntu: {})", each.script, for_terminal(&each.characters), each.package)
            })
            .collect();
        anyhow::ensure!(
            rendered.is_empty(),
            "no installed font has these characters, which --png and --pdf would draw as boxes: {}. Install the package and run \
             this again, or write --svg alone",
            rendered.join("; ")
        );
        Ok(())
    }

    /// Writes every requested file.
    pub fn write(&self, document: &Document) -> anyhow::Result<()> {
        if self.files().next().is_none() {
            return Ok(());
        }
        let mut pictures = Pictures::default();
        let mut absent: IndexMap<(&str, &str), Vec<&str>> = IndexMap::new();
        for (case, shown) in document.cases.iter().enumerate() {
            let figure = match self.figure {
                Kind::Prompt => view::svg(document, case),
                Kind::Person => view::person_svg(document, case, &self.panels),
            };
            let Some(figure) = figure else { continue };
            let place = |path: &Path| numbered(path, case, document.cases.len());
            if let Some(path) = &self.svg {
                save(&place(path), &figure)?;
            }
            if let Some(path) = &self.png {
                save(&place(path), pictures.png(&figure)?)?;
            }
            if let Some(path) = &self.pdf {
                let bytes = pictures.pdf(&figure).with_context(|| path.display().to_string())?;
                save(&place(path), bytes)?;
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
        pictures.print_missing();
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
