//! Horizontal bars from 0 to 100, in blocks.

use super::canvas::{Anchor, Canvas, Face};
use super::text::{lines, text_width};
use super::{Theme, number};

/// Related bars, for instance those of one task.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// Subject of the bars.
    pub name: String,
    pub bars: Vec<Bar>,
}

/// One bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    pub series: usize,
    /// Its length in percent; without one, only a dash is drawn.
    pub value: Option<f64>,
    /// The interval of the value.
    pub interval: Option<(f64, f64)>,
    /// Chance level.
    pub chance: Option<f64>,
    /// The best published value.
    pub published: Option<f64>,
    /// Human level.
    pub people: Option<f64>,
}

const THICK: f64 = 12.0;
const APART: f64 = 3.0;
const LEADING: f64 = 14.0;
/// Width for the values on the right.
const VALUES: f64 = 124.0;

pub(super) fn draw(canvas: &mut Canvas<'_>, blocks: &[Block]) {
    let Theme { ink, soft, line, .. } = *canvas.theme;
    let widest = blocks.iter().map(|block| text_width(&block.name) * 12.0).fold(0.0, f64::max);
    // Without room for names at the left, they stand above their bars.
    let above = canvas.layout.is_narrow();
    let named = if above { canvas.inner() } else { widest.clamp(40.0, 190.0) };
    let left = canvas.left + if above { 4.0 } else { named + 12.0 };
    let right = canvas.right - VALUES;
    let at = |value: f64| left + (right - left) * value.clamp(0.0, 100.0) / 100.0;
    marks_legend(canvas, blocks);
    let top = canvas.y;
    let names: Vec<Vec<String>> = blocks.iter().map(|block| lines(&block.name, named / 12.0)).collect();
    let height = |block: &Block, name: &[String]| {
        let (bars, name) = (block.bars.len() as f64 * (THICK + APART) - APART, name.len() as f64 * LEADING);
        if above { bars + name + 2.0 } else { bars.max(name) }
    };
    let all: f64 = blocks.iter().zip(&names).map(|(block, name)| height(block, name) + 10.0).sum();
    for tick in [0.0, 25.0, 50.0, 75.0, 100.0] {
        canvas.line((at(tick), top), (at(tick), top + all), line, "");
        canvas.text(at(tick), top + all + 13.0, &format!("{tick:.0}"), Face::new(10.0, soft).at(Anchor::Middle));
    }
    canvas.text(right + 16.0, top + all + 13.0, "percent", Face::new(10.0, soft));
    for (block, name) in blocks.iter().zip(&names) {
        canvas.y += 5.0;
        let tall = height(block, name);
        let first = canvas.y + if above { 11.0 } else { (tall - name.len() as f64 * LEADING) / 2.0 + 11.0 };
        let (x, anchor) = if above { (canvas.left, Anchor::Start) } else { (left - 10.0, Anchor::End) };
        for (number, name) in name.iter().enumerate() {
            let y = first + number as f64 * LEADING;
            canvas.text(x, y, name, Face::new(12.0, ink).at(anchor));
        }
        let bars = block.bars.len() as f64 * (THICK + APART) - APART;
        let mut y = canvas.y + if above { tall - bars } else { (tall - bars) / 2.0 };
        for bar in &block.bars {
            one(canvas, bar, y, &at, right);
            y += THICK + APART;
        }
        canvas.y += tall + 5.0;
    }
    canvas.y += 18.0;
}

fn one(canvas: &mut Canvas<'_>, bar: &Bar, y: f64, at: &impl Fn(f64) -> f64, right: f64) {
    let Theme { ink, soft, paper, .. } = *canvas.theme;
    let middle = y + THICK / 2.0;
    let Some(value) = bar.value else {
        canvas.text(right + 44.0, y + 10.0, "-", Face::new(11.0, soft).at(Anchor::End));
        return;
    };
    if at(value) > at(0.0) {
        let fill = canvas.fill(bar.series);
        canvas.rect((at(0.0), y), (at(value) - at(0.0), THICK), &fill);
    }
    if let Some((low, high)) = bar.interval {
        // A halo separates the whisker from a dark bar.
        canvas.line((at(low), middle), (at(high), middle), paper, "stroke-width=\"3.4\" stroke-opacity=\".6\"");
        canvas.line((at(low), middle), (at(high), middle), ink, "stroke-width=\"1.4\"");
        for end in [low, high] {
            canvas.line((at(end), middle - 3.0), (at(end), middle + 3.0), ink, "stroke-width=\"1.4\"");
        }
        let text = format!("{low:.1} to {high:.1}");
        canvas.text(right + 50.0, y + 10.0, &text, Face::new(10.0, soft));
    }
    if let Some(chance) = bar.chance {
        chance_mark(canvas, at(chance), y);
    }
    if let Some(published) = bar.published {
        published_mark(canvas, at(published), middle);
    }
    if let Some(people) = bar.people {
        people_mark(canvas, at(people), middle);
    }
    canvas.text(right + 44.0, y + 10.0, &number(value), Face::new(11.0, ink).at(Anchor::End));
}

fn chance_mark(canvas: &mut Canvas<'_>, x: f64, y: f64) {
    let ink = canvas.theme.ink;
    canvas.line((x, y - 1.5), (x, y + THICK + 1.5), ink, "stroke-width=\"1.6\" stroke-dasharray=\"3 2\"");
}

fn published_mark(canvas: &mut Canvas<'_>, x: f64, middle: f64) {
    let Theme { ink, paper, .. } = *canvas.theme;
    let (top, low) = (middle - 4.5, middle + 4.0);
    canvas.push(&format!(
        "<polygon points=\"{x:.1},{top:.1} {:.1},{low:.1} {:.1},{low:.1}\" fill=\"{paper}\" stroke=\"{ink}\" stroke-width=\"1.4\"/>",
        x + 5.0,
        x - 5.0
    ));
}

fn people_mark(canvas: &mut Canvas<'_>, x: f64, middle: f64) {
    let Theme { ink, paper, .. } = *canvas.theme;
    canvas.push(&format!(
        "<circle cx=\"{x:.1}\" cy=\"{middle:.1}\" r=\"4.2\" fill=\"{paper}\" stroke=\"{ink}\" stroke-width=\"1.6\"/>"
    ));
}

/// Legend of the marks at the bars, if there are any.
fn marks_legend(canvas: &mut Canvas<'_>, blocks: &[Block]) {
    let has = |of: fn(&Bar) -> bool| blocks.iter().flat_map(|block| &block.bars).any(of);
    let marks: [(bool, &str); 3] = [
        (has(|bar| bar.chance.is_some()), "guessing"),
        (has(|bar| bar.published.is_some()), "best published model"),
        (has(|bar| bar.people.is_some()), "people"),
    ];
    let (start, mut x) = (canvas.left, canvas.left);
    for (number, (_, name)) in marks.iter().enumerate().filter(|(_, (shown, _))| *shown) {
        let wide = 18.0 + text_width(name) * 11.0;
        if x + wide > canvas.right && x > start {
            x = start;
            canvas.y += 18.0;
        }
        let middle = canvas.y - 4.0;
        match number {
            0 => chance_mark(canvas, x + 7.0, middle - THICK / 2.0),
            1 => published_mark(canvas, x + 7.0, middle),
            _ => people_mark(canvas, x + 7.0, middle),
        }
        canvas.text(x + 18.0, canvas.y, name, Face::new(11.0, canvas.theme.soft));
        x += wide + 18.0;
    }
    if x > start {
        canvas.y += 12.0;
    }
}
