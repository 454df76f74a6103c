//! Charts as SVG and as pictures: a chart is data, and all charts share one look.
//!
//! Text stays text, so that it can be searched and edited. Colours suit any colour vision (Okabe and Ito), and
//! patterns, shapes and dashes repeat what they show.

mod bars;
mod canvas;
mod heat;
mod layout;
#[cfg(feature = "figures")]
mod painter;
#[cfg(not(feature = "figures"))]
#[path = "unpainted.rs"]
mod painter;
#[cfg(feature = "figures")]
mod pdf;
mod picture;
mod plane;
#[cfg(feature = "figures")]
mod png;
mod radar;
mod scripts;
#[cfg(feature = "figures")]
mod shaping;
mod stack;
mod text;
mod theme;

use crate::safe_text::for_terminal;
use canvas::{Canvas, Mark};

pub use bars::{Bar, Block};
pub use canvas::{pattern_fill, patterns};
pub use heat::{Heat, Panel};
pub use layout::{Layout, Width};
pub use painter::Painter;
pub use picture::{About, PictureError};
pub use plane::{Axis, Line, Plane, Point};
pub use radar::Radar;
pub use stack::{Stack, StackBar};
pub use text::{escape, lines, text_width};
pub use theme::{Scheme, Theme};

/// Font families of a figure's own texts.
pub const LATIN: &str = "Noto Sans, Helvetica, Arial, sans-serif";

/// Most series in one chart; more cannot be told apart.
pub const MOST_SERIES: usize = theme::SERIES;

/// A chart with its content and remarks.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// Heading.
    pub title: String,
    /// Quantity with its unit, and kind of interval.
    pub subtitle: String,
    /// Names of the series, at most [`MOST_SERIES`]; the `series` of drawn elements are indices into this list.
    pub series: Vec<String>,
    /// The drawing.
    pub body: Body,
    /// Remarks below it.
    pub notes: Vec<String>,
}

/// Kinds of drawings. Values are percentages unless an axis says otherwise.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// Horizontal bars in blocks.
    Bars(Vec<Block>),
    /// Values on axes around a centre.
    Radar(Radar),
    /// Values as shades.
    Heat(Heat),
    /// Shares that make a whole.
    Stack(Stack),
    /// Points and lines over two axes.
    Plane(Plane),
}

impl Chart {
    /// Renders the chart as SVG. `name` must be unique within a document. Names of data and models cannot change the
    /// reading direction of the text after them.
    pub fn svg(&self, theme: &Theme, layout: Layout, name: &str) -> String {
        let mut canvas = Canvas::new(theme, layout, name);
        match layout.is_titled() {
            true => canvas.heading(&self.title, &self.subtitle),
            // The first text's height.
            false => canvas.y += 10.0,
        }
        let mark = match &self.body {
            Body::Plane(_) | Body::Radar(_) => Mark::Point,
            _ => Mark::Patch,
        };
        canvas.legend(&self.series, mark);
        match &self.body {
            Body::Bars(blocks) => bars::draw(&mut canvas, blocks),
            Body::Radar(radar) => radar::draw(&mut canvas, radar),
            Body::Heat(heat) => heat::draw(&mut canvas, heat),
            Body::Stack(stack) => stack::draw(&mut canvas, stack),
            Body::Plane(plane) => plane::draw(&mut canvas, plane),
        }
        if layout.is_titled() {
            canvas.remarks(&self.notes);
        }
        for_terminal(&canvas.finish(&self.title, self.series.len())).into_owned()
    }

    /// Title and notes in sentences, for the caption of a figure without them.
    pub fn caption(&self) -> String {
        let key = match &self.body {
            Body::Radar(radar) => Some(radar::key(radar)),
            _ => None,
        };
        let parts =
            [self.title.clone(), self.subtitle.clone()].into_iter().chain(key).chain(self.notes.iter().cloned());
        let sentence = |part: String| if part.ends_with(['.', '!', '?', '。']) { part } else { part + "." };
        parts.filter(|part| !part.is_empty()).map(sentence).collect::<Vec<_>>().join(" ")
    }
}

/// A value as printed in charts.
fn number(value: f64) -> String {
    format!("{value:.1}")
}

#[cfg(all(test, feature = "figures"))]
mod tests;
