//! Shares of a whole, as segments of bars.

use super::canvas::{Anchor, Canvas, Face};
use super::text::{lines, text_width};
use super::{Theme, number};

/// Bars of segments; the series of the chart are the segments.
#[derive(Debug, Clone, PartialEq)]
pub struct Stack {
    pub bars: Vec<StackBar>,
}

/// One bar.
#[derive(Debug, Clone, PartialEq)]
pub struct StackBar {
    /// Name of the whole.
    pub name: String,
    /// Shares in percent, one per series.
    pub shares: Vec<f64>,
    /// Sample size, for instance `60 items`.
    pub rests_on: String,
}

const THICK: f64 = 22.0;
const LEADING: f64 = 14.0;

pub(super) fn draw(canvas: &mut Canvas<'_>, stack: &Stack) {
    let Theme { ink, soft, line, .. } = *canvas.theme;
    let widest = stack.bars.iter().map(|bar| text_width(&bar.name) * 12.0).fold(0.0, f64::max);
    let right_text = stack.bars.iter().map(|bar| text_width(&bar.rests_on) * 10.0).fold(50.0, f64::max);
    // Without room for names at the left, they stand above their bars.
    let above = canvas.layout.is_narrow();
    let named = if above { canvas.inner() } else { widest.clamp(40.0, 210.0) };
    let left = canvas.left + if above { 4.0 } else { named + 12.0 };
    let right = canvas.right - right_text - 10.0;
    let wide = right - left;
    let top = canvas.y;
    let heights: Vec<(Vec<String>, f64)> = stack
        .bars
        .iter()
        .map(|bar| lines(&bar.name, named / 12.0))
        .map(|name| (name.len() as f64 * LEADING, name))
        .map(|(tall, name)| (name, if above { tall + THICK + 2.0 } else { tall.max(THICK) } + 8.0))
        .collect();
    let all: f64 = heights.iter().map(|(_, tall)| tall).sum();
    for tick in [0.0, 25.0, 50.0, 75.0, 100.0] {
        let x = left + wide * tick / 100.0;
        canvas.line((x, top), (x, top + all), line, "");
        canvas.text(x, top + all + 13.0, &format!("{tick:.0}"), Face::new(10.0, soft).at(Anchor::Middle));
    }
    canvas.text(right + 16.0, top + all + 13.0, "percent", Face::new(10.0, soft));
    for (bar, (name, tall)) in stack.bars.iter().zip(&heights) {
        let middle = canvas.y + if above { tall - THICK / 2.0 - 4.0 } else { tall / 2.0 };
        let first = if above { canvas.y + 4.0 } else { middle - name.len() as f64 * LEADING / 2.0 } + 11.0;
        let (beside, anchor) = if above { (canvas.left, Anchor::Start) } else { (left - 10.0, Anchor::End) };
        for (number, text) in name.iter().enumerate() {
            let y = first + number as f64 * LEADING;
            canvas.text(beside, y, text, Face::new(12.0, ink).at(anchor));
        }
        let mut x = left;
        for (series, share) in bar.shares.iter().enumerate() {
            let long = wide * share.clamp(0.0, 100.0) / 100.0;
            let fill = canvas.fill(series);
            canvas.rect((x, middle - THICK / 2.0), (long, THICK), &fill);
            let text = number(*share);
            // Shares too narrow for their number are in the table.
            if long > text_width(&text) * 11.0 + 6.0 {
                canvas.text_on(x + long / 2.0, middle + 4.0, &text, 11.0);
            }
            x += long;
        }
        canvas.text(canvas.right, middle + 4.0, &bar.rests_on, Face::new(10.0, soft).at(Anchor::End));
        canvas.y += tall;
    }
    canvas.y += 18.0;
}
