//! One prompt as an SVG figure for papers: story by weight, options, keywords, parts, layers and heads.
//!
//! All text is text, so that it can be searched and edited. Widths are estimated; each word is centred in its box, and
//! a word whose box is too narrow in the reader's font is squeezed into it.

use std::fmt::Write;

use super::caption::read_from;
use super::flow::{Piece, flow};
use crate::attend::Document;
use crate::attend::document::{Case, QueryRecord};
use crate::canary::CANARY;
use crate::figure::{LATIN, escape, text_width};
use crate::language::Language;

const WIDTH: f64 = 760.0;
const MARGIN: f64 = 16.0;
const INNER: f64 = WIDTH - 2.0 * MARGIN;
/// Dark blue of the page's light theme; white text is read on it, black on its tints.
const HEAT: &str = "#00509e";

/// Families that cover a language's script, the plainest first: a renderer that takes the first family it has must not
/// fall back to an arbitrary face for the story.
fn family(language: Language) -> &'static str {
    match language {
        Language::Zh => "Noto Sans CJK SC, PingFang SC, Microsoft YaHei, sans-serif",
        Language::Ja => "Noto Sans CJK JP, Hiragino Sans, Yu Gothic, sans-serif",
        Language::Ar => "Noto Sans Arabic, Geeza Pro, Tahoma, sans-serif",
        Language::Hi => "Noto Sans Devanagari, Kohinoor Devanagari, Nirmala UI, sans-serif",
        Language::Bn => "Noto Sans Bengali, Kohinoor Bangla, Nirmala UI, sans-serif",
        Language::En | Language::Fr | Language::De | Language::Ru | Language::Other(_) => LATIN,
    }
}

/// The figure of one prompt's answer position (its first row). `None` when there is no such prompt or it has no row.
pub fn svg(document: &Document, case: usize) -> Option<String> {
    let case = document.cases.get(case)?;
    let row = case.rows.first()?;
    let mut canvas = Canvas { out: String::new(), y: MARGIN };
    canvas.heading(document, case);
    canvas.story(document, case, row);
    canvas.options(case);
    let top = canvas.y;
    canvas.keywords(document, case, row, MARGIN);
    let left_end = std::mem::replace(&mut canvas.y, top);
    if row.drops.is_empty() {
        canvas.parts(document, case, row, WIDTH / 2.0 + 8.0);
    }
    canvas.y = canvas.y.max(left_end);
    canvas.heads(row);
    let height = canvas.y + MARGIN;
    Some(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height:.0}\" width=\"{WIDTH}\" height=\"{height:.0}\" \
         font-family=\"{LATIN}\" font-size=\"13\" fill=\"#1c1e21\">\n<title>{}</title>\n\
         <desc>{CANARY}</desc>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{}</svg>\n",
        escape(&format!("{}, {}", case.heading(), case.verdict())),
        canvas.out
    ))
}

struct Canvas {
    out: String,
    y: f64,
}

impl Canvas {
    fn heading(&mut self, document: &Document, case: &Case) {
        self.y += 12.0;
        self.text(MARGIN, self.y, &case.heading(), "font-size=\"15\" font-weight=\"600\"");
        self.y += 18.0;
        let line = format!("{} | {}", document.models[case.model].name, case.verdict());
        self.text(MARGIN, self.y, &line, "fill=\"#5d636b\"");
        self.y += 12.0;
    }

    fn story(&mut self, document: &Document, case: &Case, row: &QueryRecord) {
        let (size, leading) = (15.0, 30.0);
        let family = family(case.language);
        let dense = matches!(case.language, Language::Zh | Language::Ja);
        let shown: Vec<usize> = (0..case.words.len())
            .filter(|&index| case.words[index].part.is_some_and(|part| case.parts[part].in_scope))
            .collect();
        let ranked = &row.ranking[..document.settings.top.min(row.ranking.len())];
        let rank_of = |index: usize| ranked.iter().position(|word| word.words.contains(&index));
        let pieces: Vec<Piece<'_>> = shown
            .iter()
            .map(|&index| Piece {
                text: case.word_text(index),
                breaks_before: dense && case.words[index].kind == "word",
                bold: rank_of(index).is_some(),
            })
            .collect();
        let (places, lines) = flow(&pieces, INNER, size, case.language.is_right_to_left());
        let largest = row.weights.iter().copied().fold(0.0, f64::max);
        for place in places {
            let index = shown[place.index];
            let strength = if largest > 0.0 { row.weights[index] / largest } else { 0.0 };
            let (x, y) = (MARGIN + place.x, self.y + leading * (place.line + 1) as f64);
            if strength >= 0.01 {
                self.push(format!(
                    "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"20\" rx=\"3\" fill=\"{HEAT}\" fill-opacity=\"{strength:.3}\"/>",
                    x - 1.0,
                    y - 15.0,
                    place.width + 2.0
                ));
            }
            let rank = rank_of(index);
            let colour = if strength > 0.5 { "#ffffff" } else { "#1c1e21" };
            let weight = if rank.is_some() { " font-weight=\"600\"" } else { "" };
            self.push(format!(
                "<text x=\"{:.1}\" y=\"{y:.1}\" text-anchor=\"middle\" font-size=\"{size}\" font-family=\"{family}\" fill=\"{colour}\"{weight}>{}</text>",
                x + place.width / 2.0,
                escape(pieces[place.index].text)
            ));
            if let Some(rank) = rank {
                self.push(format!(
                    "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"8\" fill=\"#5d636b\">{}</text>",
                    x + place.width / 2.0,
                    y - 16.5,
                    rank + 1
                ));
            }
        }
        self.y += leading * lines as f64 + 14.0;
        let scope = if document.settings.keep_sink { "the whole row" } else { "all words shown" };
        let legend = format!(
            "Darkest: {:.1} % of {scope}. Small figures: rank. Measure: {}.",
            100.0 * largest,
            read_from(&document.settings)
        );
        self.text(MARGIN, self.y, &legend, "font-size=\"10\" fill=\"#5d636b\"");
        self.y += 12.0;
    }

    fn options(&mut self, case: &Case) {
        if let Some(part) = case.parts.iter().find(|part| part.name == "question") {
            self.paragraph(case, &case.text[part.start..part.end], 13.0, "font-weight=\"600\"", MARGIN, INNER);
        }
        for option in &case.options {
            let probability = option.probability.unwrap_or(0.0);
            let top = self.y;
            self.push(format!(
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"120\" height=\"9\" rx=\"2\" fill=\"#eceae4\"/>\
                 <rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"9\" rx=\"2\" fill=\"{HEAT}\"/>",
                MARGIN,
                top + 10.0,
                MARGIN,
                top + 10.0,
                120.0 * probability
            ));
            let mark = match (option.chosen, option.gold) {
                (true, true) => " (chosen, gold)",
                (true, false) => " (chosen)",
                (false, true) => " (gold)",
                (false, false) => "",
            };
            let chance =
                option.probability.map_or(String::new(), |probability| format!("{:.1} %", 100.0 * probability));
            self.text(MARGIN + 128.0, top + 18.0, &format!("{}  {chance}{mark}", option.label), "");
            self.paragraph(case, &option.text, 13.0, "", MARGIN + 300.0, INNER - 300.0);
        }
        self.y += 10.0;
    }

    fn keywords(&mut self, document: &Document, case: &Case, row: &QueryRecord, x: f64) {
        self.y += 14.0;
        self.text(x, self.y, "Keywords", "font-weight=\"600\"");
        let people: Vec<&str> = case.humans.iter().flat_map(|human| &human.keywords).map(String::as_str).collect();
        let largest = row.ranking.first().map_or(0.0, |word| word.weight);
        for (rank, word) in row.ranking.iter().take(document.settings.top).enumerate() {
            self.y += 17.0;
            let length = if largest > 0.0 { 90.0 * word.weight / largest } else { 0.0 };
            self.push(format!(
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{length:.1}\" height=\"9\" rx=\"2\" fill=\"{HEAT}\"/>",
                x + 66.0,
                self.y - 9.0
            ));
            self.text(x, self.y, &format!("{}", rank + 1), "fill=\"#5d636b\"");
            self.text(x + 60.0, self.y, &format!("{:.1} %", 100.0 * word.weight), "text-anchor=\"end\"");
            let mark = if people.contains(&word.key.as_str()) { " (person too)" } else { "" };
            self.text(
                x + 164.0,
                self.y,
                &format!("{}{mark}", word.text),
                &format!("font-family=\"{}\"", family(case.language)),
            );
        }
        self.y += 8.0;
    }

    fn parts(&mut self, document: &Document, case: &Case, row: &QueryRecord, x: f64) {
        // A kept first token is among its part's share.
        let sink = (!document.settings.keep_sink).then_some(("first token (sink)", row.sink));
        let mut merged: Vec<(&str, f64)> = sink.into_iter().collect();
        for (part, share) in case.parts.iter().zip(&row.parts) {
            match merged.iter_mut().find(|(name, _)| *name == part.name) {
                Some((_, sum)) => *sum += share,
                None => merged.push((&part.name, *share)),
            }
        }
        let largest = merged.iter().map(|(_, share)| *share).fold(0.0, f64::max);
        self.y += 14.0;
        self.text(x, self.y, "Where the weight went", "font-weight=\"600\"");
        for (name, share) in merged {
            self.y += 17.0;
            let length = if largest > 0.0 { 130.0 * share / largest } else { 0.0 };
            self.text(x, self.y, name, "");
            self.push(format!(
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{length:.1}\" height=\"9\" rx=\"2\" fill=\"{HEAT}\"/>",
                x + 130.0,
                self.y - 9.0
            ));
            self.text(WIDTH - MARGIN, self.y, &format!("{:.1} %", 100.0 * share), "text-anchor=\"end\"");
        }
        self.y += 8.0;
    }

    fn heads(&mut self, row: &QueryRecord) {
        let Some(map) = &row.heads_map else { return };
        let largest = map.scope.iter().copied().fold(0.0, f32::max);
        self.y += 20.0;
        let title = format!(
            "Share on the scope by layer (across, 0 to {}) and head (down); darkest {:.1} %",
            map.layers.len() - 1,
            100.0 * largest
        );
        self.text(MARGIN, self.y, &title, "font-weight=\"600\" font-size=\"12\"");
        self.y += 8.0;
        let wide = INNER / map.layers.len() as f64;
        let tall = (160.0 / map.heads as f64).clamp(3.0, 12.0);
        for (index, share) in map.scope.iter().enumerate() {
            let (layer, head) = (index / map.heads, index % map.heads);
            let strength = if largest > 0.0 { share / largest } else { 0.0 };
            self.push(format!(
                "<rect x=\"{:.2}\" y=\"{:.2}\" width=\"{:.2}\" height=\"{:.2}\" fill=\"{HEAT}\" fill-opacity=\"{strength:.3}\"/>",
                MARGIN + layer as f64 * wide,
                self.y + head as f64 * tall,
                wide - 0.5,
                tall - 0.5
            ));
        }
        let height = tall * map.heads as f64;
        self.push(format!("<rect x=\"{MARGIN}\" y=\"{:.1}\" width=\"{INNER}\" height=\"{height:.1}\" fill=\"none\" stroke=\"#dfdcd4\"/>", self.y));
        self.y += height;
    }

    fn paragraph(&mut self, case: &Case, text: &str, size: f64, style: &str, x: f64, width: f64) {
        let ranges = crate::segment::segment_names(text, case.language);
        let bold = style.contains("600");
        let family = family(case.language);
        let dense = matches!(case.language, Language::Zh | Language::Ja);
        let pieces: Vec<Piece<'_>> = ranges
            .iter()
            .map(|range| &text[range.clone()])
            .map(|text| Piece { text, breaks_before: dense && text.chars().any(char::is_alphanumeric), bold })
            .collect();
        let (places, lines) = flow(&pieces, width, size, case.language.is_right_to_left());
        for place in places {
            let centre = x + place.x + place.width / 2.0;
            let y = self.y + 18.0 * (place.line + 1) as f64;
            self.text(
                centre,
                y,
                pieces[place.index].text,
                &format!("text-anchor=\"middle\" font-family=\"{family}\" {style}"),
            );
        }
        self.y += 18.0 * lines as f64 + 4.0;
    }

    fn text(&mut self, x: f64, y: f64, text: &str, style: &str) {
        let gap = if style.is_empty() { "" } else { " " };
        let squeezed = match x + text_width(text) * 13.0 > WIDTH && !style.contains("anchor") {
            true => format!(" textLength=\"{:.1}\" lengthAdjust=\"spacingAndGlyphs\"", WIDTH - MARGIN - x),
            false => String::new(),
        };
        self.push(format!("<text x=\"{x:.1}\" y=\"{y:.1}\"{gap}{style}{squeezed}>{}</text>", escape(text)));
    }

    fn push(&mut self, element: String) {
        writeln!(self.out, "{element}").expect("writing to a string cannot fail");
    }
}

#[cfg(test)]
mod tests {
    use super::super::examples::document;
    use super::*;

    #[test]
    fn the_figure_is_well_formed_and_holds_every_word() {
        let document = document();
        let figure = svg(&document, 0).unwrap();
        let tree = resvg::usvg::roxmltree::Document::parse(&figure).unwrap();
        let texts: Vec<&str> =
            tree.descendants().filter(|node| node.has_tag_name("text")).filter_map(|node| node.text()).collect();
        for word in ["Mia", "box", "Tom", "Where", "B  75.0 % (chosen)", "story", "first token (sink)"] {
            assert!(texts.contains(&word), "{word} in {texts:?}");
        }
        assert!(svg(&document, 1).is_none());
    }
}
