//! One prompt as an SVG figure for papers: story by weight, options, keywords, parts, layers and heads.

use super::caption::read_from;
use super::drawing::{Canvas, HEAT, INNER, Look, MARGIN, SOFT, WIDTH, family, ink_on};
use crate::attend::results::{Case, Document, QueryRecord};

/// Draws the figure of one prompt's answer position (its first row). `None` if there is no such prompt or it has no
/// row.
pub fn svg(document: &Document, case: usize) -> Option<String> {
    let case = document.cases.get(case)?;
    let row = case.rows.first()?;
    let mut canvas = Canvas::new();
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
    canvas.y += 12.0;
    canvas.head_map(row);
    Some(canvas.finish(&format!("{}, {}", case.heading(), case.verdict())))
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
        self.prose(case, (MARGIN, INNER), 15.0, by_weight(document, row));
        let scope = if document.settings.keywords.keep_sink { "the whole row" } else { "all words shown" };
        let legend = format!(
            "Darkest: {:.1} % of {scope}. Small numbers: rank. Measure: {}.",
            100.0 * largest(row),
            read_from(&document.settings)
        );
        self.text(MARGIN, self.y, &legend, &format!("font-size=\"10\" fill=\"{SOFT}\""));
        self.y += 12.0;
    }

    /// Draws the question and the options, each with its probability among the options shown.
    pub(super) fn options(&mut self, case: &Case) {
        if let Some(part) = case.parts.iter().find(|part| part.name == "question") {
            self.paragraph(case, &case.text[part.start..part.end], 13.0, "font-weight=\"600\"", (MARGIN, INNER));
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
            self.paragraph(case, &option.text, 13.0, "", (MARGIN + 300.0, INNER - 300.0));
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
        // A kept first token is included in its part's share.
        let sink = (!document.settings.keywords.keep_sink).then_some(("first token (sink)", row.sink));
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
}

/// The weight of the heaviest word.
pub(super) fn largest(row: &QueryRecord) -> f64 {
    row.weights.iter().copied().fold(0.0, f64::max)
}

/// Appearance of words by their weight; the first keywords with their rank.
pub(super) fn by_weight<'a>(document: &Document, row: &'a QueryRecord) -> impl Fn(usize) -> Look + use<'a> {
    let ranked = &row.ranking[..document.settings.top.min(row.ranking.len())];
    let largest = largest(row);
    move |index| {
        let strength = if largest > 0.0 { row.weights[index] / largest } else { 0.0 };
        let rank = ranked.iter().position(|word| word.words.contains(&index)).map(|rank| rank + 1);
        Look { tint: Some((HEAT, strength)), underline: None, ink: ink_on(strength), rank, last_read: false }
    }
}

#[cfg(all(test, feature = "figures"))]
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
