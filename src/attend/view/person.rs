//! A person's keywords beside the model's, as in ToMBench's Figure 5: the story once for each, marked or shaded.

use strum::{IntoStaticStr, VariantArray};

use super::caption::read_from;
use super::drawing::{BODY, Canvas, Drawn, INK, LEADING, Look, SOFT};
use super::figure::{GUTTER, by_weight, largest};
use crate::attend::results::{Case, Document, HumanRecord, QueryRecord};
use crate::attend::words::key;
use crate::figure::{Layout, lines};
use crate::name::named;

/// A part of the figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Panel {
    /// The story with human marks, one for each reader.
    Person,
    /// The story with the model's weights.
    Model,
    /// Both lists of keywords.
    Keywords,
    /// Question and options with the model's probabilities.
    Options,
    /// The share of each head of each layer on the scope.
    Map,
}

named!(Panel, "panel");

impl Panel {
    /// Default panels.
    pub const USUAL: [Panel; 3] = [Panel::Person, Panel::Model, Panel::Options];
}

/// Yellow background of marked words, and the brown underline that distinguishes them without colour.
const MARK: (&str, f64) = ("#e69f00", 0.32);
const LINE: &str = "#8a5600";
/// Font size of a story in half the width, and in the full width.
const SIZES: (f64, f64) = (10.5, 12.0);

/// Draws the figure of one prompt's answer position with these panels, in this order; stories are placed in two
/// columns, if the layout has room for them. `None` if there is no such prompt, it has no row, or nothing is left to draw: only marks were requested and
/// there are none.
pub fn person_svg(document: &Document, case: usize, panels: &[Panel], layout: Layout) -> Option<Drawn> {
    let case = document.cases.get(case)?;
    let row = case.rows.first()?;
    let stories = |panel: &Panel| -> Vec<Story<'_>> {
        match panel {
            Panel::Person => case.humans.iter().map(Story::Person).collect(),
            Panel::Model => vec![Story::Model],
            _ => Vec::new(),
        }
    };
    let nobody = panels.iter().all(|panel| *panel == Panel::Person) && case.humans.is_empty();
    if panels.is_empty() || nobody {
        return None;
    }
    let mut canvas = Canvas::new(layout);
    canvas.heading(case, &document.models[case.model].name);
    for group in panels.chunk_by(|one, other| one.is_story() && other.is_story()) {
        match group[0] {
            Panel::Person | Panel::Model => {
                let beside: Vec<Story<'_>> = group.iter().flat_map(stories).collect();
                canvas.stories(document, case, row, &beside);
            }
            Panel::Keywords => canvas.lists(document, case, row),
            Panel::Options => canvas.options(case),
            Panel::Map => canvas.head_map(row),
        }
    }
    Some(canvas.finish(&format!("{}, {}", case.heading(), case.verdict())))
}

impl Panel {
    fn is_story(self) -> bool {
        matches!(self, Panel::Person | Panel::Model)
    }
}

/// Source of the words shown in a story.
#[derive(Debug, Clone, Copy)]
enum Story<'a> {
    Person(&'a HumanRecord),
    Model,
}

impl Canvas {
    /// Draws stories in two columns; a single one takes the full width.
    fn stories(&mut self, document: &Document, case: &Case, row: &QueryRecord, stories: &[Story<'_>]) {
        let beside = stories.len() > 1 && !self.is_narrow();
        let (width, size) = match beside {
            false => (self.inner, SIZES.1),
            true => ((self.inner - GUTTER) / 2.0, SIZES.0),
        };
        for pair in stories.chunks(if beside { 2 } else { 1 }) {
            let (top, mut end) = (self.y, self.y);
            for (column, story) in pair.iter().enumerate() {
                self.y = top;
                let x = self.left + column as f64 * (width + GUTTER);
                match story {
                    Story::Person(human) => self.person(case, row, human, (x, width), size),
                    Story::Model => self.model(document, case, row, (x, width), size),
                }
                end = end.max(self.y);
            }
            self.y = end + 10.0;
        }
    }

    fn person(&mut self, case: &Case, row: &QueryRecord, human: &HumanRecord, column: (f64, f64), size: f64) {
        self.name(&format!("Person: {}", human.reader), column);
        let last = last_read(row, human);
        self.prose(case, column, size, |index| {
            let marked = human.words.contains(&index);
            let key = key(case.word_text(index));
            Look {
                tint: marked.then_some(MARK),
                underline: marked.then_some(LINE),
                ink: if marked { "#000000" } else { INK },
                rank: human.keywords.iter().position(|keyword| marked && *keyword == key).map(|rank| rank + 1),
                last_read: last == Some(index),
            }
        });
        let of = |text: String| if case.humans.len() > 1 { format!("{}: {text}", human.reader) } else { text };
        self.footnote("Yellow: marked words. Small numbers beside them: order of importance.", column);
        if let Some(share) = human.read_to {
            self.footnote(&of(format!("Bar: sure of the answer after {:.0} % of the words.", 100.0 * share)), column);
        }
        if !human.missing.is_empty() {
            self.footnote(&of(format!("Marked, but not in the text: {}.", human.missing.join(", "))), column);
        }
    }

    fn model(&mut self, document: &Document, case: &Case, row: &QueryRecord, column: (f64, f64), size: f64) {
        self.name(&document.models[case.model].name, column);
        self.prose(case, column, size, by_weight(document, row));
        let scope = if document.settings.keywords.keep_sink { "the whole row" } else { "all words shown" };
        self.scale(column.0, 60.0);
        self.remark(&format!("0 to {:.1} % of {scope}", 100.0 * largest(row)), (column.0 + 68.0, column.1 - 68.0));
        self.footnote("Blue: the model's weights. Small numbers beside them: rank.", column);
        self.footnote(&format!("Measure: {}.", read_from(&document.settings)), column);
    }

    /// Draws the keywords of each reader and of the model, in columns.
    fn lists(&mut self, document: &Document, case: &Case, row: &QueryRecord) {
        let top = document.settings.top;
        let as_written = |wanted: &String| {
            let found = row.ranking.iter().find(|word| word.key == *wanted);
            found.map_or(wanted.clone(), |word| word.text.clone())
        };
        let mut lists: Vec<(String, Vec<(String, String)>)> = Vec::new();
        for human in &case.humans {
            let words = human.keywords.iter().take(top).map(|word| (as_written(word), word.clone())).collect();
            lists.push((format!("Person: {}", human.reader), words));
        }
        let words = row.ranking.iter().take(top).map(|word| (word.text.clone(), word.key.clone())).collect();
        lists.push((document.models[case.model].name.clone(), words));
        let keys: Vec<Vec<String>> =
            lists.iter().map(|(_, words)| words.iter().map(|(_, key)| key.clone()).collect()).collect();
        let beside = if self.is_narrow() { 2 } else { 4 }.min(lists.len().max(2));
        let wide = self.inner / beside as f64;
        let (mut above, mut end) = (self.y, self.y);
        let model = lists.len() - 1;
        for (number, (name, words)) in lists.iter().enumerate() {
            let column = number % beside;
            if column == 0 && number > 0 {
                above = end + 8.0;
            }
            self.y = above;
            let x = self.left + column as f64 * wide;
            self.name(name, (x, wide - 8.0));
            for (rank, (text, key)) in words.iter().enumerate() {
                self.y += LEADING;
                let shared = match number == model {
                    true => keys[..model].iter().any(|list| list.contains(key)),
                    false => keys[model].contains(key),
                };
                let style = format!(
                    "font-family=\"{}\"{}",
                    super::drawing::family(case.language),
                    if shared { " font-weight=\"600\"" } else { "" }
                );
                self.text(x, self.y, &(rank + 1).to_string(), &format!("fill=\"{SOFT}\""));
                for (line, part) in lines(text, (wide - 28.0) / (1.1 * BODY)).iter().enumerate() {
                    self.y += if line > 0 { LEADING } else { 0.0 };
                    self.text(x + 20.0, self.y, part, &style);
                }
            }
            end = end.max(self.y);
        }
        self.y = end + LEADING;
        if !case.humans.is_empty() {
            self.footnote("Bold keywords: in a person's list and in the model's.", (self.left, self.inner));
        }
        self.y += 4.0;
    }

    /// Draws the name of a column.
    fn name(&mut self, name: &str, (x, width): (f64, f64)) {
        for line in lines(name, width / (1.2 * BODY)) {
            self.y += LEADING;
            self.text(x, self.y, &line, "font-weight=\"600\"");
        }
    }
}

/// The last word that a reader needed, among the ranked words.
fn last_read(row: &QueryRecord, human: &HumanRecord) -> Option<usize> {
    let mut competing: Vec<usize> = row.ranking.iter().flat_map(|word| word.words.iter().copied()).collect();
    competing.sort_unstable();
    let read = (human.read_to? * competing.len() as f64).round() as usize;
    competing.get(read.checked_sub(1)?).copied()
}

#[cfg(all(test, feature = "figures"))]
mod tests {
    use super::super::examples::document;
    use super::*;
    use crate::figure::Width;

    /// The figure for the text of a page.
    fn person_svg(document: &Document, case: usize, panels: &[Panel]) -> Option<String> {
        drawn(document, case, panels, false).map(|drawn| drawn.svg)
    }

    fn drawn(document: &Document, case: usize, panels: &[Panel], titled: bool) -> Option<Drawn> {
        super::person_svg(document, case, panels, Layout::Paper { width: Width::TEXT, titled })
    }

    /// Texts with their positions and attributes.
    fn texts(figure: &str) -> Vec<(String, f64, bool)> {
        let tree = resvg::usvg::roxmltree::Document::parse(figure).unwrap();
        tree.descendants()
            .filter(|node| node.has_tag_name("text"))
            .map(|node| {
                let x: f64 = node.attribute("x").unwrap().parse().unwrap();
                (node.text().unwrap_or("").to_string(), x, node.attribute("font-weight").is_some())
            })
            .collect()
    }

    #[test]
    fn the_person_stands_at_the_left_and_the_model_at_the_right() {
        let document = document();
        let figure = person_svg(&document, 0, &Panel::USUAL).unwrap();
        let texts = texts(&figure);
        let places = |word: &str, bold| -> Vec<f64> {
            texts.iter().filter(|(text, _, is)| text == word && *is == bold).map(|(_, x, _)| *x).collect()
        };
        // The person marked `box`, once in the story; the model's first keyword is bold too.
        let marked = places("box", true);
        assert!(marked.len() == 2 && marked[0] < 302.0 && marked[1] > 302.0, "{texts:?}");
        assert_eq!((places("Person: author", true), places("tiny_model", true).len()), (vec![2.0], 1));
        assert_eq!(places("Tom", true).len() + places("Tom", false).len(), 2, "two stories");
        assert!(!texts.iter().any(|(text, ..)| text.contains("test/1/en")), "a title is the paper's");
        assert_eq!(figure.matches(MARK.0).count(), document.cases[0].humans[0].words.len());
    }

    #[test]
    fn panels_are_drawn_as_asked() {
        let document = document();
        let drawn = |panels: &[Panel]| person_svg(&document, 0, panels);
        let count = |figure: &str, word: &str| texts(figure).iter().filter(|(text, ..)| text == word).count();
        let all = drawn(Panel::VARIANTS).unwrap();
        // In both stories and in the person's list; the model may have it too.
        assert!(count(&all, "left") >= 3);
        assert_eq!((count(&all, "Where will Mia look?"), count(&all, "Head")), (1, 1));
        let model = drawn(&[Panel::Model]).unwrap();
        assert_eq!((count(&model, "left"), count(&model, "Where will Mia look?")), (1, 0));
        assert!(drawn(&[]).is_none() && person_svg(&document, 1, &Panel::USUAL).is_none());
    }

    #[test]
    fn each_reader_has_a_panel_and_absent_words_are_told() {
        let mut document = document();
        let mut other = document.cases[0].humans[0].clone();
        other.reader = "reviewer".into();
        other.missing = vec!["dragon".into()];
        document.cases[0].humans.push(other);
        let figure = person_svg(&document, 0, &Panel::USUAL).unwrap();
        for name in ["Person: author", "Person: reviewer"] {
            assert!(texts(&figure).iter().any(|(text, ..)| text == name), "{name}");
        }
        let absent = "reviewer: Marked, but not in the text: dragon.";
        assert!(drawn(&document, 0, &Panel::USUAL, false).unwrap().caption.contains(absent));
        let titled = drawn(&document, 0, &Panel::USUAL, true).unwrap();
        assert!(texts(&titled.svg).iter().any(|(text, ..)| text == absent) && titled.caption.is_empty());
        document.cases[0].humans.clear();
        assert!(person_svg(&document, 0, &[Panel::Person]).is_none(), "nobody marked anything");
    }

    #[test]
    fn a_bar_stands_where_the_reader_was_sure() {
        let document = document();
        let (case, row) = (&document.cases[0], &document.cases[0].rows[0]);
        let last = last_read(row, &case.humans[0]).unwrap();
        // `Mia left.` is the quote; its last word is `left`.
        assert_eq!(case.word_text(last), "left");
    }

    /// Left and right end of each text by the estimated widths, its height, and its size in points.
    fn placed(figure: &str) -> Vec<(String, [f64; 4])> {
        let tree = resvg::usvg::roxmltree::Document::parse(figure).unwrap();
        let nodes = tree.descendants().filter(|node| node.has_tag_name("text"));
        nodes
            .map(|node| {
                let number = |name: &str| node.ancestors().find_map(|up| up.attribute(name)).unwrap().parse().unwrap();
                let (x, y, size): (f64, f64, f64) = (number("x"), number("y"), number("font-size"));
                let text = node.text().unwrap();
                let wide = crate::figure::text_width(text) * size;
                let before = match node.attribute("text-anchor") {
                    Some("middle") => wide / 2.0,
                    Some("end") => wide,
                    _ => 0.0,
                };
                (text.to_string(), [x - before, x - before + wide, y, 0.75 * size])
            })
            .collect()
    }

    #[test]
    fn both_figures_fit_a_column_and_a_page_with_text_of_7_to_9_points() {
        let document = document();
        for (width, titled) in
            [(Width::COLUMN, false), (Width::TEXT, false), (Width::COLUMN, true), (Width::TEXT, true)]
        {
            let layout = Layout::Paper { width, titled };
            let person = super::person_svg(&document, 0, Panel::VARIANTS, layout).unwrap();
            let prompt = super::super::figure::svg(&document, 0, layout).unwrap();
            for Drawn { svg, caption } in [person, prompt] {
                for (text, [left, right, _, points]) in placed(&svg) {
                    assert!(left >= -1.0 && right <= width.units() + 1.0, "{width}: {text} from {left} to {right}");
                    assert!((6.99..=9.01).contains(&points), "{text}: {points}");
                }
                let held = |text: &str| placed(&svg).iter().any(|(drawn, _)| drawn.contains(text));
                assert_eq!(held("Measure: "), titled);
                assert_eq!(caption.contains("Measure: ") && caption.contains("test/1/en"), !titled, "{caption}");
            }
        }
    }

    #[test]
    fn options_are_evenly_spaced_whatever_their_length() {
        let mut document = document();
        let options = &mut document.cases[0].options;
        let long =
            "somewhere that takes so many words to describe that they need a second line in the figure, and a third";
        let more = [("C", long), ("D", "in the box")].map(|(label, text)| {
            let mut option = options[0].clone();
            (option.label, option.text) = (label.into(), text.into());
            option
        });
        options.extend(more);
        for width in [Width::COLUMN, Width::TEXT] {
            let layout = Layout::Paper { width, titled: false };
            let figure = super::person_svg(&document, 0, &[Panel::Options], layout).unwrap().svg;
            let labelled = |text: &str| ["A  ", "B  ", "C  ", "D  "].iter().any(|label| text.starts_with(label));
            let lines: Vec<f64> =
                placed(&figure).iter().filter(|(text, _)| labelled(text)).map(|(_, place)| place[2]).collect();
            let steps: Vec<f64> = lines.windows(2).map(|pair| pair[1] - pair[0]).collect();
            assert_eq!(steps.len(), 3);
            assert!(steps.iter().all(|step| (step - steps[0]).abs() < 0.15), "{steps:?}");
        }
    }
}
