//! Drawing primitives for figures in papers: text, words in lines, tints that keep text readable.
//!
//! All text stays text, so it can be searched and edited. Widths are estimated; each word of a story is centred in its
//! box.

use std::fmt::Write;
use std::ops::Range;

use super::flow::{Piece, Place, flow};
use crate::attend::prompts::WordKind;
use crate::attend::results::Case;
use crate::canary::CANARY;
use crate::figure::{LATIN, Layout, escape, lines};
use crate::language::Language;

/// Text size in units, of which 96 are an inch: 8.25 points.
pub(super) const BODY: f64 = 11.0;
/// Text size of less prominent text: 7.1 points.
pub(super) const SMALL: f64 = 9.5;
/// Distance of lines of [`BODY`] text.
pub(super) const LEADING: f64 = 14.5;
/// Dark blue of the page's light theme; white text is readable on it, black text on its tints.
pub(super) const HEAT: &str = "#00509e";
/// Text.
pub(super) const INK: &str = "#1c1e21";
/// Less prominent text.
pub(super) const SOFT: &str = "#5d636b";
/// Tint strength of [`HEAT`] at which black and white text have the same contrast, 4.58 to 1.
const TURN: f64 = 0.766;

/// Font families that cover a language's script, the plainest first: a renderer that takes the first available family
/// must not fall back to an arbitrary face for the story.
pub(super) fn family(language: Language) -> &'static str {
    match language {
        Language::Zh => "Noto Sans CJK SC, PingFang SC, Microsoft YaHei, sans-serif",
        Language::Ja => "Noto Sans CJK JP, Hiragino Sans, Yu Gothic, sans-serif",
        Language::Ar => "Noto Sans Arabic, Geeza Pro, Tahoma, sans-serif",
        Language::Hi => "Noto Sans Devanagari, Kohinoor Devanagari, Nirmala UI, sans-serif",
        Language::Bn => "Noto Sans Bengali, Kohinoor Bangla, Nirmala UI, sans-serif",
        Language::En | Language::Fr | Language::De | Language::Ru | Language::Other(_) => LATIN,
    }
}

/// The text colour on a tint of [`HEAT`] of this strength, from 0 to 1: contrast is at least 4.5 to 1 on all of them.
pub(super) fn ink_on(strength: f64) -> &'static str {
    match strength {
        strength if strength > TURN => "#ffffff",
        strength if strength > 0.35 => "#000000",
        _ => INK,
    }
}

/// Appearance of one word of a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    /// Background: a colour and its strength, from 0 to 1.
    pub tint: Option<(&'static str, f64)>,
    /// Colour of the underline.
    pub underline: Option<&'static str>,
    /// Text colour.
    pub ink: &'static str,
    /// Number above it; words with one are bold.
    pub rank: Option<usize>,
    /// Whether a reader stopped after it.
    pub last_read: bool,
}

/// Builds a figure: elements from top to bottom.
pub(super) struct Canvas {
    out: String,
    layout: Layout,
    /// Texts for the caption, where the figure does not hold them.
    caption: Vec<String>,
    /// Left margin, and width between the margins.
    pub left: f64,
    pub inner: f64,
    /// Current vertical position.
    pub y: f64,
}

/// A drawn figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawn {
    pub svg: String,
    /// Title and remarks that the figure does not hold.
    pub caption: String,
}

impl Canvas {
    pub fn new(layout: Layout) -> Self {
        let left = layout.margin();
        Canvas { out: String::new(), layout, caption: Vec::new(), left, inner: layout.inner(), y: left }
    }

    /// Whether there is no room for two columns.
    pub fn is_narrow(&self) -> bool {
        self.layout.is_narrow()
    }

    /// The whole figure; `title` is metadata and is not drawn.
    pub fn finish(self, title: &str) -> Drawn {
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" {} font-family=\"{LATIN}\" font-size=\"{BODY}\" fill=\"{INK}\">\n\
             <title>{}</title>\n<desc>{CANARY}</desc>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{}</svg>\n",
            self.layout.size(self.y + self.left),
            escape(title),
            self.out
        );
        Drawn { svg, caption: self.caption.join(" ") }
    }

    /// The figure's title: item, model and outcome.
    pub fn heading(&mut self, case: &Case, model: &str) {
        let (title, line) = (case.heading(), format!("{model} | {}", case.verdict()));
        if !self.layout.is_titled() {
            self.caption.push(format!("{title}. {model}: {}.", case.verdict()));
            return;
        }
        self.y += 12.0;
        for part in lines(&title, self.inner / (1.2 * 12.0)) {
            self.text(self.left, self.y, &part, "font-size=\"12\" font-weight=\"600\"");
            self.y += 16.0;
        }
        for part in lines(&line, self.inner / BODY) {
            self.text(self.left, self.y, &part, &format!("fill=\"{SOFT}\""));
            self.y += LEADING;
        }
        self.y -= 6.0;
    }

    /// A sentence about the figure, below what it is about.
    pub fn footnote(&mut self, text: &str, column: (f64, f64)) {
        if self.layout.is_titled() {
            self.remark(text, column);
        } else if !self.caption.iter().any(|said| said == text) {
            self.caption.push(text.to_string());
        }
    }

    /// Draws small text in lines of at most the column's width.
    pub fn remark(&mut self, text: &str, (x, width): (f64, f64)) {
        for line in lines(text, width / SMALL) {
            self.text(x, self.y, &line, &format!("font-size=\"{SMALL}\" fill=\"{SOFT}\""));
            self.y += 12.5;
        }
    }

    /// Draws the words in scope in a column at `x`, at font size `size`, with line breaks for the language.
    pub fn prose(&mut self, case: &Case, (x, width): (f64, f64), size: f64, look: impl Fn(usize) -> Look) {
        let leading = 2.1 * size;
        let family = family(case.language);
        let dense = matches!(case.language, Language::Zh | Language::Ja);
        let in_scope = |&index: &usize| case.words[index].part.is_some_and(|part| case.parts[part].in_scope);
        let shown: Vec<usize> = (0..case.words.len()).filter(in_scope).collect();
        let looks: Vec<Look> = shown.iter().map(|&index| look(index)).collect();
        let pieces: Vec<Piece<'_>> = shown
            .iter()
            .zip(&looks)
            .map(|(&index, look)| Piece {
                text: case.word_text(index),
                breaks_before: dense && case.words[index].kind == WordKind::Word,
                // Bold Chinese and Japanese text has normal width.
                bold: look.rank.is_some() && !dense,
            })
            .collect();
        let right_to_left = case.language.is_right_to_left();
        let (places, lines) = flow(&pieces, width, size, right_to_left);
        for place in places {
            let look = looks[place.index];
            let (left, y) = (x + place.x, self.y + leading * (place.line + 1) as f64);
            // Without spaces between words, their tints leave a gap.
            let beyond = if dense { -0.6 } else { 1.0 };
            let (from, wide, centre) = (left - beyond, place.width + 2.0 * beyond, left + place.width / 2.0);
            if let Some((colour, strength)) = look.tint.filter(|(_, strength)| *strength >= 0.01) {
                self.push(format!(
                    "<rect x=\"{from:.1}\" y=\"{:.1}\" width=\"{wide:.1}\" height=\"{:.1}\" rx=\"3\" fill=\"{colour}\" \
                     fill-opacity=\"{strength:.3}\"/>",
                    y - size,
                    1.34 * size
                ));
            }
            if let Some(colour) = look.underline {
                self.push(format!(
                    "<rect x=\"{from:.1}\" y=\"{:.1}\" width=\"{wide:.1}\" height=\"1.6\" fill=\"{colour}\"/>",
                    y + 0.34 * size
                ));
            }
            let weight = if look.rank.is_some() { " font-weight=\"600\"" } else { "" };
            self.push(format!(
                "<text x=\"{centre:.1}\" y=\"{y:.1}\" text-anchor=\"middle\" font-size=\"{size}\" font-family=\"{family}\" \
                 fill=\"{}\"{weight}>{}</text>",
                look.ink,
                escape(pieces[place.index].text)
            ));
            if let Some(rank) = look.rank {
                self.push(format!(
                    "<text x=\"{centre:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"9.34\" fill=\"{SOFT}\">{rank}</text>",
                    y - 1.06 * size
                ));
            }
            if look.last_read {
                let end = if right_to_left { left - 0.25 * size } else { left + place.width + 0.25 * size };
                self.push(format!(
                    "<line x1=\"{end:.1}\" x2=\"{end:.1}\" y1=\"{:.1}\" y2=\"{:.1}\" stroke=\"{INK}\" stroke-width=\"2\"/>",
                    y - 1.1 * size,
                    y + 0.5 * size
                ));
            }
        }
        self.y += leading * lines as f64 + 1.5 * size;
    }

    /// Draws a scale of [`HEAT`] from none to full, at `x`.
    pub fn scale(&mut self, x: f64, width: f64) {
        let (steps, top) = (20, self.y - 8.0);
        let step = width / f64::from(steps);
        for number in 0..steps {
            self.push(format!(
                "<rect x=\"{:.1}\" y=\"{top:.1}\" width=\"{step:.1}\" height=\"9\" fill=\"{HEAT}\" fill-opacity=\"{:.3}\"/>",
                x + f64::from(number) * step,
                (f64::from(number) + 0.5) / f64::from(steps)
            ));
        }
        self.push(format!(
            "<rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"9\" fill=\"none\" stroke=\"#dfdcd4\"/>"
        ));
    }

    /// Draws text of a case in lines of at most `width`.
    pub fn paragraph(&mut self, case: &Case, text: &str, style: &str, (x, width): (f64, f64)) {
        let bold = style.contains("600");
        let style = format!("font-family=\"{}\" {style}", family(case.language));
        let (ranges, places, lines) = in_lines(case, text, bold, width);
        let y = |line: usize| self.y + LEADING * (line + 1) as f64;
        let drawn: Vec<(f64, f64, String, &str)> = if case.language.is_right_to_left() {
            let word = |place: &Place| {
                (x + place.x + place.width / 2.0, y(place.line), text[ranges[place.index].clone()].into(), "middle")
            };
            places.iter().map(word).collect()
        } else {
            // A line is one text, so that its words are evenly spaced in any font.
            let line = |places: &[Place]| {
                let (first, last) = (&ranges[places[0].index], &ranges[places[places.len() - 1].index]);
                (x, y(places[0].line), text[first.start..last.end].replace('\n', " "), "start")
            };
            places.chunk_by(|one, other| one.line == other.line).map(line).collect()
        };
        for (x, y, text, anchor) in drawn {
            self.text(x, y, &text, &format!("text-anchor=\"{anchor}\" {style}"));
        }
        self.y += LEADING * lines as f64;
    }

    pub fn text(&mut self, x: f64, y: f64, text: &str, style: &str) {
        let gap = if style.is_empty() { "" } else { " " };
        self.push(format!("<text x=\"{x:.1}\" y=\"{y:.1}\"{gap}{style}>{}</text>", escape(text)));
    }

    pub fn push(&mut self, element: String) {
        writeln!(self.out, "{element}").expect("writing to a string cannot fail");
    }
}

/// Words of a text of a case in lines of at most `width`: their ranges, places and the number of lines.
fn in_lines(case: &Case, text: &str, bold: bool, width: f64) -> (Vec<Range<usize>>, Vec<Place>, usize) {
    let ranges = crate::segment::segment_names(text, case.language);
    let dense = matches!(case.language, Language::Zh | Language::Ja);
    let piece = |range: &Range<usize>| {
        let text = &text[range.clone()];
        Piece { text, breaks_before: dense && text.chars().any(char::is_alphanumeric), bold: bold && !dense }
    };
    let pieces: Vec<Piece<'_>> = ranges.iter().map(piece).collect();
    let (places, lines) = flow(&pieces, width, BODY, case.language.is_right_to_left());
    (ranges, places, lines)
}

/// Number of lines of a text of a case.
pub(super) fn line_count(case: &Case, text: &str, width: f64) -> usize {
    in_lines(case, text, false, width).2
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance of a colour (WCAG 2).
    fn luminance(rgb: [f64; 3]) -> f64 {
        let linear = rgb.map(|value| value / 255.0).map(|value| match value <= 0.03928 {
            true => value / 12.92,
            false => ((value + 0.055) / 1.055).powf(2.4),
        });
        0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }

    fn rgb(colour: &str) -> [f64; 3] {
        [1, 3, 5].map(|at| f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()))
    }

    #[test]
    fn text_on_every_tint_can_be_read() {
        for step in 0..=1000 {
            let strength = f64::from(step) / 1000.0;
            let heat = rgb(HEAT);
            let below = luminance([0, 1, 2].map(|at| 255.0 * (1.0 - strength) + heat[at] * strength));
            let above = luminance(rgb(ink_on(strength)));
            let ratio = (below.max(above) + 0.05) / (below.min(above) + 0.05);
            assert!(ratio >= 4.5, "{strength}: {ratio}");
        }
    }
}
