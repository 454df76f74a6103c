//! The witness strip as a figure for papers: time runs downward, a short line an event.

use std::ops::Range;

use super::caption::read_from;
use super::drawing::{Canvas, Drawn, HEAT, INK, LEADING, SMALL, SOFT, family};
use super::witness_terminal::lane;
use crate::attend::results::{COLOURS, Case, Document, WitnessRecord, WitnessSentenceRecord, per_word};
use crate::benchmark::{Perceived, SentenceKind};
use crate::figure::{Layout, Theme, lines, pattern_fill, patterns};

/// Name of the patterns.
const NAME: &str = "witness";
/// Colour of places beyond the first five.
const GREY: &str = "#b9b7b1";
/// Height of a line of text.
const LINE: f64 = 12.5;

/// Draws the strip of one prompt. `None` if there is no such prompt, or it has no strip.
pub fn witness_svg(document: &Document, case: usize, layout: Layout) -> Option<Drawn> {
    let case = document.cases.get(case)?;
    let record = case.witness.as_ref().filter(|record| record.absent.is_none())?;
    let mut canvas = Canvas::new(layout);
    canvas.push(patterns(&Theme::LIGHT, NAME, COLOURS));
    canvas.heading(case, &document.models[case.model].name);
    let column = (canvas.left, canvas.inner);
    canvas.y += LINE;
    let chances: Vec<_> = record.sentences.iter().map(|sentence| sentence.chance).collect();
    let told = [Some(record.headline(&case.options)), record.attention_told(&chances), record.true_belief_told()];
    told.iter().flatten().for_each(|sentence| canvas.footnote(sentence, column));
    let lanes: Vec<String> = record.lanes.iter().enumerate().map(|(at, name)| format!("{} {name}", lane(at))).collect();
    canvas.footnote(&format!("Bands: the container of the {}: {}.", record.object, lanes.join(", ")), column);
    canvas.strip(case, record);
    canvas.places(case, record);
    canvas.footnote(
        "Dot: seen by all asked about; ring: heard by all; cross: missed by one. Bars: attention per word; line: chance.",
        column,
    );
    canvas.footnote(&format!("Measure: {}.", read_from(&document.settings)), column);
    Some(canvas.finish(&format!("{}, {}", case.heading(), case.verdict())))
}

/// Lines of the figure: a sentence, or a run of asides, stays and exits.
fn folded(record: &WitnessRecord) -> Vec<Range<usize>> {
    let idle =
        |at: usize| matches!(record.sentences[at].kind, SentenceKind::Aside | SentenceKind::Stay | SentenceKind::Exit);
    let mut lines: Vec<Range<usize>> = Vec::new();
    for at in 0..record.sentences.len() {
        match lines.last_mut() {
            Some(last) if idle(at) && idle(last.start) => last.end = at + 1,
            _ => lines.push(at..at + 1),
        }
    }
    lines
}

/// A line's text: an event in few words, its container by its letter; a run by what is in it, those asked about by name.
fn text(record: &WitnessRecord, sentences: &[WitnessSentenceRecord]) -> String {
    if let [one] = sentences {
        let Some(place) = one.place.map(|place| &record.places[place]) else { return one.short.clone() };
        return one.short.replace(&place.name, &place.letter);
    }
    let leaves = |each: &&WitnessSentenceRecord| {
        each.kind == SentenceKind::Exit && each.agents.iter().any(|agent| record.chain.contains(agent))
    };
    let mut parts: Vec<String> = sentences.iter().filter(leaves).map(|each| each.short.clone()).collect();
    for (kind, one, several) in [
        (SentenceKind::Exit, "exit", "exits"),
        (SentenceKind::Stay, "stay", "stays"),
        (SentenceKind::Aside, "aside", "asides"),
    ] {
        match sentences.iter().filter(|each| each.kind == kind && !leaves(each)).count() {
            0 => {}
            1 => parts.push(format!("1 {one}")),
            count => parts.push(format!("{count} {several}")),
        }
    }
    format!("{} lines: {}", sentences.len(), parts.join(", "))
}

/// Fill of a place.
fn fill(place: usize) -> String {
    if place < COLOURS { pattern_fill(&Theme::LIGHT, NAME, place) } else { GREY.to_string() }
}

impl Canvas {
    fn strip(&mut self, case: &Case, record: &WitnessRecord) {
        let minds = record.lanes.len();
        let wide = if self.is_narrow() { 15.0 } else { 22.0 };
        let bar = if self.is_narrow() { 42.0 } else { 200.0 };
        let (number, lanes) = (16.0, wide * minds as f64);
        let mark = self.left + number + lanes + 8.0;
        let words = (mark + 9.0, self.inner - number - lanes - 17.0 - bar - 6.0);
        let bars = self.left + self.inner - bar;
        for order in 0..minds {
            let x = self.left + number + wide * (order as f64 + 0.5);
            self.small(x, self.y, &lane(order), "middle", "font-weight=\"600\"");
        }
        self.small(self.left + self.inner, self.y, "% per word", "end", &format!("fill=\"{SOFT}\""));
        self.y += 4.0;
        let runs = folded(record);
        let value = |run: &Range<usize>| per_word(record.sentences[run.clone()].iter()).unwrap_or(0.0);
        let chance = |run: &Range<usize>| record.sentences[run.start].chance.filter(|_| run.len() == 1);
        let chances = runs.iter().filter_map(&chance).map(|chance| chance.per_word);
        let most = runs.iter().map(value).chain(chances).fold(0.0, f64::max).max(1e-9);
        let mut before: Vec<Option<Option<usize>>> = vec![None; minds];
        for (line, run) in runs.iter().enumerate() {
            let sentences = &record.sentences[run.clone()];
            let told = lines(&text(record, sentences), words.1 / SMALL);
            let high = LINE * told.len().max(1) as f64 + 2.0;
            let (top, base) = (self.y, self.y + LINE - 2.5);
            self.small(
                self.left + number - 5.0,
                base,
                &(run.start + 1).to_string(),
                "end",
                &format!("fill=\"{SOFT}\""),
            );
            for (order, place) in sentences[sentences.len() - 1].lanes.iter().enumerate() {
                let x = self.left + number + wide * order as f64;
                let colour = place.map_or("#ffffff".to_string(), fill);
                let edge = if place.is_some() { "none" } else { "#dfdcd4" };
                self.push(format!(
                    "<rect x=\"{:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{high:.1}\" fill=\"{colour}\" stroke=\"{edge}\"/>",
                    x + 0.8,
                    wide - 1.6
                ));
                // Letters stand where a lane changes, and at its end.
                if before[order] != Some(*place) || line + 1 == runs.len() {
                    let letter = place.map_or("-", |place| record.places[place].letter.as_str());
                    let centre = x + wide / 2.0;
                    self.push(format!(
                        "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"10\" height=\"10.4\" rx=\"2\" fill=\"#ffffff\"/>",
                        centre - 5.0,
                        top + 1.2
                    ));
                    self.small(centre, base, letter, "middle", "font-weight=\"600\"");
                }
                before[order] = Some(*place);
            }
            if sentences.iter().all(|each| each.perceived == sentences[0].perceived) {
                self.mark(mark, top + LINE / 2.0, sentences[0].perceived);
            }
            let style = format!("font-family=\"{}\"", family(case.language));
            for (at, part) in told.iter().enumerate() {
                self.small(words.0, base + LINE * at as f64, part, "start", &style);
            }
            self.push(format!(
                "<rect x=\"{bars:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"7\" fill=\"{HEAT}\"/>",
                top + 3.0,
                (bar - 26.0) * value(run) / most
            ));
            if let Some(chance) = chance(run) {
                let x = bars + (bar - 26.0) * chance.per_word / most;
                self.push(format!(
                    "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{:.1}\" y2=\"{:.1}\" stroke=\"{INK}\" stroke-width=\"1.6\"/>",
                    top + 0.6,
                    top + 12.4
                ));
            }
            self.small(self.left + self.inner, base, &format!("{:.2}", 100.0 * value(run)), "end", "");
            self.y += high;
        }
        self.y += LEADING;
    }

    /// Draws the places with the options that name them: probability, chosen and gold; other options together.
    fn places(&mut self, case: &Case, record: &WitnessRecord) {
        let percent =
            |probability: Option<f64>| probability.map_or(String::new(), |share| format!(" {:.1} %", 100.0 * share));
        let mut rows: Vec<(String, String)> = Vec::new();
        for (at, place) in record.places.iter().enumerate() {
            let option = case.options.iter().find(|option| option.text == place.name);
            let mark = option.map(|option| option.remark()).filter(|remark| !remark.is_empty());
            let mark = mark.map_or(String::new(), |remark| format!(" ({remark})"));
            let share = option.map_or(String::new(), |option| percent(option.probability));
            rows.push((fill(at), format!("{} {}{share}{mark}", place.letter, place.name)));
        }
        let (marked, others): (Vec<_>, Vec<_>) = case
            .options
            .iter()
            .filter(|option| record.place_of(option).is_none())
            .partition(|option| !option.remark().is_empty());
        for option in marked {
            rows.push((
                GREY.to_string(),
                format!("{} {}{} ({})", option.label, option.text, percent(option.probability), option.remark()),
            ));
        }
        if !others.is_empty() {
            let share: Option<f64> = others.iter().map(|option| option.probability).sum();
            rows.push((GREY.to_string(), format!("{} other options{}", others.len(), percent(share))));
        }
        let columns = if self.is_narrow() { 1 } else { 2 };
        let wide = self.inner / columns as f64;
        for pair in rows.chunks(columns) {
            for (at, (colour, name)) in pair.iter().enumerate() {
                let x = self.left + wide * at as f64;
                self.push(format!(
                    "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"14\" height=\"9\" fill=\"{colour}\"/>",
                    self.y - 8.0
                ));
                self.small(x + 19.0, self.y, name, "start", &format!("font-family=\"{}\"", family(case.language)));
            }
            self.y += LINE + 1.0;
        }
        self.y += 2.0;
    }

    /// A dot for what is seen, a ring for what is heard, a cross for what is missed.
    fn mark(&mut self, x: f64, y: f64, perceived: Option<Perceived>) {
        let drawn = match perceived {
            Some(Perceived::Seen) => format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.6\" fill=\"{INK}\"/>"),
            Some(Perceived::Heard) => {
                format!(
                    "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.6\" fill=\"#ffffff\" stroke=\"{INK}\" stroke-width=\"1.2\"/>"
                )
            }
            Some(Perceived::Missed) => format!(
                "<path d=\"M{:.1} {:.1}l5 5m0 -5l-5 5\" stroke=\"{INK}\" stroke-width=\"1.4\"/>",
                x - 2.5,
                y - 2.5
            ),
            None => return,
        };
        self.push(drawn);
    }

    fn small(&mut self, x: f64, y: f64, text: &str, anchor: &str, style: &str) {
        self.text(x, y, text, &format!("text-anchor=\"{anchor}\" font-size=\"{SMALL}\" {style}"));
    }
}
