//! Builds an SVG drawing from the top down.

use std::fmt::Write;

use super::text::{escape, lines, text_width};
use super::{LATIN, Layout, Theme};

/// Alignment of a text relative to its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// Style of a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Face {
    pub size: f64,
    pub colour: &'static str,
    pub bold: bool,
    pub anchor: Anchor,
}

impl Face {
    pub fn new(size: f64, colour: &'static str) -> Self {
        Face { size, colour, bold: false, anchor: Anchor::Start }
    }

    pub fn at(self, anchor: Anchor) -> Self {
        Face { anchor, ..self }
    }

    pub fn bold(self) -> Self {
        Face { bold: true, ..self }
    }
}

/// Shape of a series in the legend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Patch,
    Point,
}

/// Dash patterns of lines, by series.
const DASHES: [&str; super::theme::SERIES] = ["", "7 3", "2 3", "9 3 2 3", "5 5", "12 4", "1 4"];

pub(super) struct Canvas<'a> {
    pub theme: &'a Theme,
    pub layout: Layout,
    /// Where the left margin ends, and where the right one starts.
    pub left: f64,
    pub right: f64,
    /// Current vertical position.
    pub y: f64,
    name: String,
    out: String,
}

impl<'a> Canvas<'a> {
    pub fn new(theme: &'a Theme, layout: Layout, name: &str) -> Self {
        let name = name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' }).collect();
        let (left, right) = (layout.margin(), layout.width() - layout.margin());
        Canvas { theme, layout, left, right, y: left, name, out: String::new() }
    }

    /// Width between the margins.
    pub fn inner(&self) -> f64 {
        self.right - self.left
    }

    pub fn push(&mut self, element: &str) {
        writeln!(self.out, "{element}").expect("writing to a string cannot fail");
    }

    pub fn text(&mut self, x: f64, y: f64, text: &str, face: Face) {
        self.text_turned((x, y), text, face, "");
    }

    /// Text that is read from below.
    pub fn upwards(&mut self, x: f64, y: f64, text: &str, face: Face) {
        self.text_turned((x, y), text, face, &format!(" transform=\"rotate(-90 {x:.1} {y:.1})\""));
    }

    fn text_turned(&mut self, (x, y): (f64, f64), text: &str, face: Face, turn: &str) {
        let anchor = match face.anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let weight = if face.bold { " font-weight=\"600\"" } else { "" };
        let (size, colour) = (round(self.layout.text(face.size)), face.colour);
        self.push(&format!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" fill=\"{colour}\"{anchor}{weight}{turn}>{}</text>",
            escape(text)
        ));
    }

    /// Text over other drawing.
    pub fn text_on(&mut self, x: f64, y: f64, text: &str, size: f64) {
        let (Theme { ink, paper, .. }, size) = (*self.theme, round(self.layout.text(size)));
        self.push(&format!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" fill=\"{ink}\" text-anchor=\"middle\" stroke=\"{paper}\" \
             stroke-width=\"3\" stroke-linejoin=\"round\" paint-order=\"stroke\">{}</text>",
            escape(text)
        ));
    }

    /// Text in lines of at most `width`; returns its height.
    pub fn paragraph(&mut self, x: f64, y: f64, text: &str, width: f64, leading: f64, face: Face) -> f64 {
        // Bold faces of common families are up to a fifth wider.
        let size = self.layout.text(face.size) * if face.bold { 1.2 } else { 1.0 };
        let lines = lines(text, width / size);
        for (number, line) in lines.iter().enumerate() {
            self.text(x, y + leading * number as f64, line, face);
        }
        leading * lines.len() as f64
    }

    pub fn heading(&mut self, title: &str, subtitle: &str) {
        let (Theme { ink, soft, .. }, x, inner) = (*self.theme, self.left, self.inner());
        self.y += 14.0;
        self.y += self.paragraph(x, self.y, title, inner, 20.0, Face::new(15.0, ink).bold());
        self.y += self.paragraph(x, self.y, subtitle, inner, 16.0, Face::new(11.5, soft)) + 6.0;
    }

    /// Legend of the series.
    pub fn legend(&mut self, series: &[String], mark: Mark) {
        let (start, inner) = (self.left, self.inner());
        let mut x = start;
        for (number, name) in series.iter().enumerate() {
            // A name as long as the chart is wide gets lines of its own.
            let wide = 22.0 + (text_width(name) * 12.0).min(inner - 22.0) + 18.0;
            if x + wide - 18.0 > self.right && x > start {
                x = start;
                self.y += 18.0;
            }
            match mark {
                Mark::Patch => {
                    let fill = self.fill(number);
                    self.rect((x, self.y - 9.0), (15.0, 11.0), &fill);
                }
                Mark::Point => {
                    self.path(number, &[(x, self.y - 4.0), (x + 16.0, self.y - 4.0)], false);
                    self.marker(number, x + 8.0, self.y - 4.0, 4.0);
                }
            }
            let tall = self.paragraph(x + 22.0, self.y, name, inner - 22.0, 16.0, Face::new(12.0, self.theme.ink));
            x += wide;
            if tall > 16.0 {
                x = self.right;
                self.y += tall - 16.0;
            }
        }
        if !series.is_empty() {
            self.y += 20.0;
        }
    }

    pub fn remarks(&mut self, notes: &[String]) {
        self.y += 20.0;
        for note in notes {
            self.y += self.paragraph(self.left, self.y, note, self.inner(), 13.5, Face::new(10.0, self.theme.soft));
        }
        self.y -= 8.0;
    }

    /// Fill of a series: its colour, with a pattern from the second series on.
    pub fn fill(&self, series: usize) -> String {
        pattern_fill(self.theme, &self.name, series)
    }

    pub fn rect(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), fill: &str) {
        self.push(&format!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{height:.1}\" fill=\"{fill}\"/>",
            width.max(0.0)
        ));
    }

    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), colour: &str, more: &str) {
        let ((x1, y1), (x2, y2)) = (from, to);
        let gap = if more.is_empty() { "" } else { " " };
        self.push(&format!(
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{colour}\"{gap}{more}/>"
        ));
    }

    /// A line through points in the colour and dash of a series.
    pub fn path(&mut self, series: usize, points: &[(f64, f64)], closed: bool) {
        let colour = self.theme.series[series];
        let dash = match DASHES[series] {
            "" => String::new(),
            dash => format!(" stroke-dasharray=\"{dash}\""),
        };
        let placed: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let element = if closed { "polygon" } else { "polyline" };
        self.push(&format!(
            "<{element} points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dash}/>",
            placed.join(" ")
        ));
    }

    /// A point of a series; each series has its own shape.
    pub fn marker(&mut self, series: usize, x: f64, y: f64, radius: f64) {
        let colour = self.theme.series[series];
        let r = radius;
        let closed = |points: &[(f64, f64)]| {
            let placed: Vec<String> =
                points.iter().map(|(dx, dy)| format!("{:.1},{:.1}", x + dx * r, y + dy * r)).collect();
            format!("<polygon points=\"{}\" fill=\"{colour}\"/>", placed.join(" "))
        };
        let crossed = |arms: [(f64, f64); 2]| {
            let arms: String = arms
                .iter()
                .map(|(dx, dy)| format!("M{:.1},{:.1}L{:.1},{:.1}", x - dx * r, y - dy * r, x + dx * r, y + dy * r))
                .collect();
            format!("<path d=\"{arms}\" stroke=\"{colour}\" stroke-width=\"2.2\"/>")
        };
        let element = match series {
            0 => format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{r:.1}\" fill=\"{colour}\"/>"),
            1 => closed(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
            2 => closed(&[(0.0, -1.1), (1.05, 0.8), (-1.05, 0.8)]),
            3 => closed(&[(0.0, -1.2), (1.2, 0.0), (0.0, 1.2), (-1.2, 0.0)]),
            4 => closed(&[(0.0, 1.1), (1.05, -0.8), (-1.05, -0.8)]),
            5 => crossed([(0.9, 0.9), (0.9, -0.9)]),
            _ => crossed([(1.1, 0.0), (0.0, 1.1)]),
        };
        self.push(&element);
    }

    /// A vertical interval.
    pub fn whisker(&mut self, x: f64, from: f64, to: f64, colour: &str) {
        self.line((x, from), (x, to), colour, "");
        self.line((x - 3.0, from), (x + 3.0, from), colour, "");
        self.line((x - 3.0, to), (x + 3.0, to), colour, "");
    }

    /// The whole drawing, with fills for this many series.
    pub fn finish(self, title: &str, series: usize) -> String {
        let size = self.layout.size(self.y + if self.layout == Layout::Page { self.left } else { 3.0 });
        let background = match self.theme.background {
            Some(colour) => format!("<rect width=\"100%\" height=\"100%\" fill=\"{colour}\"/>\n"),
            None => String::new(),
        };
        let title = escape(title);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" role=\"img\" aria-label=\"{title}\" \
             {size} font-family=\"{LATIN}\">\n\
             <title>{title}</title>\n{}{background}{}</svg>\n",
            patterns(self.theme, &self.name, series),
            self.out
        )
    }
}

/// Fill of a series among [`patterns`] of this name.
pub fn pattern_fill(theme: &Theme, name: &str, series: usize) -> String {
    match series {
        0 => theme.series[0].to_string(),
        more => format!("url(#{name}-{more})"),
    }
}

/// Patterns of the second series and those after it, so that colours are not all that tells series apart.
pub fn patterns(theme: &Theme, name: &str, series: usize) -> String {
    if series < 2 {
        return String::new();
    }
    let paper = theme.paper;
    let stripe = |width: f64, height: f64| {
        format!("<rect width=\"{width}\" height=\"{height}\" fill=\"{paper}\" fill-opacity=\".55\"/>")
    };
    let one = |number: usize| {
        let (turn, drawn) = match number {
            1 => (45, stripe(2.0, 7.0)),
            2 => (0, format!("<circle cx=\"3.5\" cy=\"3.5\" r=\"1.5\" fill=\"{paper}\" fill-opacity=\".8\"/>")),
            3 => (-45, stripe(2.0, 7.0)),
            4 => (45, stripe(1.6, 7.0) + &stripe(7.0, 1.6)),
            5 => (0, stripe(7.0, 2.4)),
            _ => (0, stripe(2.4, 7.0)),
        };
        format!(
            "<pattern id=\"{name}-{number}\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\" \
             patternTransform=\"rotate({turn})\"><rect width=\"7\" height=\"7\" fill=\"{}\"/>{drawn}</pattern>\n",
            theme.series[number]
        )
    };
    let all: String = (1..series.min(super::MOST_SERIES)).map(one).collect();
    format!("<defs>\n{all}</defs>\n")
}

/// A size with two decimals at most.
fn round(size: f64) -> f64 {
    (size * 100.0).round() / 100.0
}
