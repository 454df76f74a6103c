//! One prompt as an SVG figure for papers: story by weight, options, keywords, parts, layers and heads.

use super::caption::read_from;
use super::drawing::{BODY, Canvas, Drawn, HEAT, LEADING, Look, SOFT, family, ink_on, line_count};
use crate::attend::prompts::PartKind;
use crate::attend::results::{Case, Document, OptionRecord, QueryRecord};
use crate::figure::{Layout, lines, text_width};

/// Space between two columns.
pub(super) const GUTTER: f64 = 16.0;

/// Draws the figure of one prompt's answer position (its first row). `None` if there is no such prompt or it has no
/// row.
pub fn svg(document: &Document, case: usize, layout: Layout) -> Option<Drawn> {
    let case = document.cases.get(case)?;
    let row = case.rows.first()?;
    let mut canvas = Canvas::new(layout);
    canvas.heading(case, &document.models[case.model].name);
    canvas.story(document, case, row);
    canvas.options(case);
    let wide = if canvas.is_narrow() { canvas.inner } else { (canvas.inner - GUTTER) / 2.0 };
    let top = canvas.y;
    canvas.keywords(document, case, row, (canvas.left, wide));
    if row.drops.is_empty() {
        let end = canvas.y;
        let beside = canvas.left + canvas.inner - wide;
        if !canvas.is_narrow() {
            canvas.y = top;
        }
        canvas.parts(document, case, row, (beside, wide));
        canvas.y = canvas.y.max(end);
    }
    canvas.y += 12.0;
    canvas.head_map(row);
    Some(canvas.finish(&format!("{}, {}", case.heading(), case.verdict())))
}

impl Canvas {
    fn story(&mut self, document: &Document, case: &Case, row: &QueryRecord) {
        let column = (self.left, self.inner);
        self.prose(case, column, 12.0, by_weight(document, row));
        self.y -= 6.0;
        let scope = if document.settings.keywords.keep_sink { "the whole row" } else { "all words shown" };
        self.footnote(&format!("Darkest: {:.1} % of {scope}. Small numbers: rank.", 100.0 * largest(row)), column);
        self.footnote(&format!("Measure: {}.", read_from(&document.settings)), column);
        self.y += 4.0;
    }

    /// Draws the question and the options, each with its probability among the options shown, at equal distances.
    pub(super) fn options(&mut self, case: &Case) {
        let column = (self.left, self.inner);
        if let Some(part) = case.parts.iter().find(|part| part.name == PartKind::Question.name()) {
            self.paragraph(case, &case.text[part.start..part.end], "font-weight=\"600\"", column);
            self.y += 5.0;
        }
        let labels: Vec<String> = case.options.iter().map(label).collect();
        let bar = if self.is_narrow() { 60.0 } else { 90.0 };
        let labelled = labels.iter().map(|label| text_width(label) * BODY).fold(0.0, f64::max);
        let aside = bar + 8.0 + labelled + 10.0;
        // Without room at the right, the text is below its label.
        let (indent, below) = if self.is_narrow() { (12.0, LEADING) } else { (aside, 0.0) };
        let text = (self.left + indent, self.inner - indent);
        let most = case.options.iter().map(|option| line_count(case, &option.text, text.1)).max().unwrap_or(1);
        let pitch = LEADING * most as f64 + below + 5.0;
        let start = self.y;
        for (number, (option, label)) in case.options.iter().zip(&labels).enumerate() {
            let top = start + pitch * number as f64;
            let probability = option.probability.unwrap_or(0.0);
            self.push(format!(
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{bar}\" height=\"8\" rx=\"2\" fill=\"#eceae4\"/>\
                 <rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"8\" rx=\"2\" fill=\"{HEAT}\"/>",
                self.left,
                top + LEADING - 8.0,
                self.left,
                top + LEADING - 8.0,
                bar * probability
            ));
            self.text(self.left + bar + 8.0, top + LEADING, label, "");
            self.y = top + below;
            self.paragraph(case, &option.text, "", text);
        }
        self.y = start + pitch * case.options.len() as f64 + 6.0;
    }

    fn keywords(&mut self, document: &Document, case: &Case, row: &QueryRecord, (x, wide): (f64, f64)) {
        self.y += 14.0;
        self.text(x, self.y, "Keywords", "font-weight=\"600\"");
        let people: Vec<&str> = case.humans.iter().flat_map(|human| &human.keywords).map(String::as_str).collect();
        let largest = row.ranking.first().map_or(0.0, |word| word.weight);
        for (rank, word) in row.ranking.iter().take(document.settings.top).enumerate() {
            self.y += LEADING;
            let length = if largest > 0.0 { 70.0 * word.weight / largest } else { 0.0 };
            self.push(format!(
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{length:.1}\" height=\"8\" rx=\"2\" fill=\"{HEAT}\"/>",
                x + 64.0,
                self.y - 8.0
            ));
            self.text(x, self.y, &format!("{}", rank + 1), &format!("fill=\"{SOFT}\""));
            self.text(x + 58.0, self.y, &format!("{:.1} %", 100.0 * word.weight), "text-anchor=\"end\"");
            let mark = if people.contains(&word.key.as_str()) { " (person too)" } else { "" };
            let named = format!("font-family=\"{}\"", family(case.language));
            for (line, text) in lines(&format!("{}{mark}", word.text), (wide - 140.0) / BODY).iter().enumerate() {
                self.y += if line > 0 { LEADING } else { 0.0 };
                self.text(x + 140.0, self.y, text, &named);
            }
        }
        self.y += 8.0;
    }

    fn parts(&mut self, document: &Document, case: &Case, row: &QueryRecord, (x, wide): (f64, f64)) {
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
        let bar = wide - 105.0 - 48.0;
        self.y += 14.0;
        self.text(x, self.y, "Where the weight went", "font-weight=\"600\"");
        for (name, share) in merged {
            self.y += LEADING;
            let length = if largest > 0.0 { bar * share / largest } else { 0.0 };
            self.text(x, self.y, name, "");
            self.push(format!(
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{length:.1}\" height=\"8\" rx=\"2\" fill=\"{HEAT}\"/>",
                x + 105.0,
                self.y - 8.0
            ));
            self.text(x + wide, self.y, &format!("{:.1} %", 100.0 * share), "text-anchor=\"end\"");
        }
        self.y += 8.0;
    }
}

/// An option's label with its probability, and whether it is chosen or gold.
fn label(option: &OptionRecord) -> String {
    let mark = match option.remark() {
        "" => String::new(),
        remark => format!(" ({remark})"),
    };
    let chance = option.probability.map_or(String::new(), |probability| format!("{:.1} %", 100.0 * probability));
    format!("{}  {chance}{mark}", option.label)
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
    use crate::figure::Width;

    const PAPER: Layout = Layout::Paper { width: Width::TEXT, titled: false };

    #[test]
    fn the_figure_is_well_formed_and_holds_every_word() {
        let document = document();
        let figure = svg(&document, 0, PAPER).unwrap().svg;
        let tree = resvg::usvg::roxmltree::Document::parse(&figure).unwrap();
        let texts: Vec<&str> =
            tree.descendants().filter(|node| node.has_tag_name("text")).filter_map(|node| node.text()).collect();
        for word in ["Mia", "box", "Tom", "Where will Mia look?", "B  75.0 % (chosen)", "story", "first token (sink)"] {
            assert!(texts.contains(&word), "{word} in {texts:?}");
        }
        assert!(svg(&document, 1, PAPER).is_none());
    }
}
