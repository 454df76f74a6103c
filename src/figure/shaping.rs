//! Splits texts of figures into runs of one script and font, each glyph where a browser puts it. usvg 0.45 shapes a text
//! by the script of its first letter, and gives a letter with its signs the width of the widest glyph, not of all.

use std::borrow::Cow;
use std::fmt::Write;

use resvg::usvg::fontdb::{Family, ID, Query, Weight};
use resvg::usvg::roxmltree::{Document, Node};
use unicode_script::{Script, UnicodeScript};

use super::text::escape;
use super::{Painter, PictureError};

/// Scripts with vowel signs beside their letters, all written from left to right.
fn has_signs_beside(script: Script) -> bool {
    matches!(
        script,
        Script::Devanagari
            | Script::Bengali
            | Script::Gurmukhi
            | Script::Gujarati
            | Script::Oriya
            | Script::Tamil
            | Script::Telugu
            | Script::Kannada
            | Script::Malayalam
            | Script::Sinhala
            | Script::Myanmar
            | Script::Khmer
    )
}

fn is_right_to_left(script: Script) -> bool {
    matches!(script, Script::Arabic | Script::Hebrew | Script::Syriac | Script::Thaana | Script::Nko)
}

/// Consecutive characters of one script and font.
struct Run {
    text: String,
    script: Script,
    font: Option<ID>,
}

/// Places of a run's glyphs, in units of the figure.
struct Shaped {
    /// Shift before each character, beyond what usvg advances.
    shifts: Vec<f64>,
    /// Full width.
    width: f64,
}

impl Painter {
    /// The figure with its texts in runs. Texts that usvg places itself, which are most, stay as they are.
    pub(super) fn in_runs<'a>(&self, figure: &'a str) -> Result<Cow<'a, str>, PictureError> {
        if !figure.chars().any(|character| has_signs_beside(character.script())) {
            return Ok(figure.into());
        }
        let tree = Document::parse(figure).map_err(|error| PictureError::Figure(error.to_string()))?;
        let (mut out, mut end) = (String::with_capacity(figure.len()), 0);
        for node in tree.descendants().filter(|node| node.has_tag_name("text")) {
            let text = node.text().unwrap_or_default();
            let has = |of: fn(Script) -> bool| text.chars().any(|character| of(character.script()));
            if has(has_signs_beside) && !has(is_right_to_left) {
                out.push_str(&figure[end..node.range().start]);
                out.push_str(&self.text_in_runs(&node, text));
                end = node.range().end;
            }
        }
        out.push_str(&figure[end..]);
        Ok(out.into())
    }

    fn text_in_runs(&self, node: &Node<'_, '_>, text: &str) -> String {
        let inherited = |name: &str| node.ancestors().find_map(|up| up.attribute(name));
        let number = |name: &str| inherited(name).and_then(|value| value.parse::<f64>().ok());
        let size = number("font-size").unwrap_or(16.0);
        let weight = Weight(number("font-weight").map_or(400, |weight| weight as u16));
        let families: Vec<&str> = inherited("font-family").unwrap_or_default().split(',').map(str::trim).collect();
        // As SVG does, which drops other white space.
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let runs = self.runs(&text, &families, weight);
        let shaped: Vec<Shaped> = runs.iter().map(|run| self.shaped(run, size)).collect();
        let width: f64 = shaped.iter().map(|run| run.width).sum();
        let mut x = number("x").unwrap_or(0.0)
            - match inherited("text-anchor") {
                Some("middle") => width / 2.0,
                Some("end") => width,
                _ => 0.0,
            };
        let mut out = "<text".to_string();
        for attribute in node.attributes().filter(|each| !["x", "text-anchor"].contains(&each.name())) {
            write!(out, " {}=\"{}\"", attribute.name(), escape(attribute.value())).expect("a string");
        }
        out.push('>');
        for (run, Shaped { shifts, width }) in runs.iter().zip(shaped) {
            let family = match run.font.and_then(|font| self.fonts.face(font)).and_then(|face| face.families.first()) {
                Some((name, _)) => format!(" font-family=\"'{}'\"", escape(name)),
                None => String::new(),
            };
            let shifts = shifts.iter().map(|shift| format!("{shift:.3}")).collect::<Vec<_>>().join(" ");
            write!(out, "<tspan x=\"{x:.3}\" dx=\"{shifts}\"{family}>{}</tspan>", escape(&run.text)).expect("a string");
            x += width;
        }
        out + "</text>"
    }

    fn runs(&self, text: &str, families: &[&str], weight: Weight) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        for character in text.chars() {
            let of = character.script();
            if let Some(last) = runs.last_mut() {
                let joins = of == Script::Inherited || matches!(character, '\u{200c}' | '\u{200d}');
                let font = if joins { last.font } else { self.font_of(character, families, weight) };
                let script = if matches!(of, Script::Common | Script::Inherited) { last.script } else { of };
                if (font, script) == (last.font, last.script) {
                    last.text.push(character);
                    continue;
                }
            }
            runs.push(Run { text: character.into(), script: of, font: self.font_of(character, families, weight) });
        }
        runs
    }

    /// The first of the families that has the character, or any font.
    fn font_of(&self, character: char, families: &[&str], weight: Weight) -> Option<ID> {
        let named = |name: &str| {
            let family = if name == "sans-serif" { Family::SansSerif } else { Family::Name(name) };
            self.fonts.query(&Query { families: &[family], weight, ..Query::default() })
        };
        let has = |font: &ID| super::painter::has(&self.fonts, *font, character);
        families.iter().filter_map(|name| named(name)).find(has).or_else(|| {
            let other = super::painter::fallback(&self.fonts, character, weight, &[])?;
            let name = &self.fonts.face(other)?.families.first()?.0;
            named(name).filter(has).or(Some(other))
        })
    }

    fn shaped(&self, run: &Run, size: f64) -> Shaped {
        let shaped = run.font.and_then(|font| {
            self.fonts.with_face_data(font, |data, index| {
                let face = rustybuzz::Face::from_slice(data, index)?;
                let mut buffer = rustybuzz::UnicodeBuffer::new();
                buffer.push_str(&run.text);
                buffer.guess_segment_properties();
                let scale = size / f64::from(face.units_per_em());
                Some(clusters(&run.text, &rustybuzz::shape(&face, &[], buffer), scale))
            })?
        });
        shaped.unwrap_or_else(|| Shaped { shifts: Vec::new(), width: super::text_width(&run.text) * size })
    }
}

/// usvg advances a cluster by its widest glyph; the rest shifts what follows.
fn clusters(text: &str, glyphs: &rustybuzz::GlyphBuffer, scale: f64) -> Shaped {
    let advances: Vec<(u32, f64)> = glyphs
        .glyph_infos()
        .iter()
        .zip(glyphs.glyph_positions())
        .map(|(info, place)| (info.cluster, f64::from(place.x_advance) * scale))
        .collect();
    let mut shifts = vec![0.0; text.chars().count()];
    let (mut width, mut beyond) = (0.0, 0.0);
    for cluster in advances.chunk_by(|one, other| one.0 == other.0) {
        let character = text[..cluster[0].0 as usize].chars().count();
        shifts[character] = beyond;
        let all: f64 = cluster.iter().map(|(_, advance)| advance).sum();
        beyond = all - cluster.iter().map(|(_, advance)| *advance).fold(0.0, f64::max);
        width += all;
    }
    Shaped { shifts, width }
}
