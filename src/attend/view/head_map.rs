//! The map of layers and heads in figures, with numbers along both axes.

use super::drawing::{Canvas, HEAT, SMALL, SOFT};
use crate::attend::results::{HeadsMap, QueryRecord};

/// Space for head numbers on the left.
const LEFT: f64 = 30.0;
/// Most numbers along an axis.
const MOST_TICKS: usize = 16;

impl Canvas {
    /// Draws the share of each head of each layer on the scope, layers across and heads down, with a bracket at the
    /// averaged layers. Draws nothing for measures without heads.
    pub fn head_map(&mut self, row: &QueryRecord) {
        let Some(map) = &row.heads_map else { return };
        let (layers, heads) = (map.layers.len(), map.heads);
        if layers == 0 || heads == 0 {
            return;
        }
        let largest = map.scope.iter().copied().fold(0.0, f32::max);
        let (x, top) = (self.left + LEFT, self.y + 14.0);
        let across = self.inner - LEFT;
        let wide = across / layers as f64;
        let tall = (160.0 / heads as f64).clamp(3.0, 12.0);
        let height = tall * heads as f64;
        self.text(self.left, top - 6.0, "Head", &format!("font-size=\"{SMALL}\" fill=\"{SOFT}\""));
        for (index, share) in map.scope.iter().enumerate() {
            let (layer, head) = (index / heads, index % heads);
            let strength = if largest > 0.0 { share / largest } else { 0.0 };
            self.push(format!(
                "<rect x=\"{:.2}\" y=\"{:.2}\" width=\"{:.2}\" height=\"{:.2}\" fill=\"{HEAT}\" fill-opacity=\"{strength:.3}\"/>",
                x + layer as f64 * wide,
                top + head as f64 * tall,
                wide - 0.5,
                tall - 0.5
            ));
        }
        self.push(format!(
            "<rect x=\"{x}\" y=\"{top:.1}\" width=\"{across}\" height=\"{height:.1}\" fill=\"none\" stroke=\"#dfdcd4\"/>"
        ));
        // Head numbers need ten units each, layer numbers twenty.
        for head in ticks(heads, (height / 10.0) as usize) {
            let y = top + (head as f64 + 0.5) * tall;
            self.tick((x - 3.0, y), (x, y));
            self.text(
                x - 6.0,
                y + 3.5,
                &head.to_string(),
                &format!("text-anchor=\"end\" font-size=\"{SMALL}\" fill=\"{SOFT}\""),
            );
        }
        let below = top + height;
        self.bracket(map, &row.layers, x, wide, below + 3.0);
        for layer in ticks(layers, (across / 20.0) as usize) {
            let centre = x + (layer as f64 + 0.5) * wide;
            self.tick((centre, below), (centre, below + 6.0));
            let style = format!("text-anchor=\"middle\" font-size=\"{SMALL}\" fill=\"{SOFT}\"");
            self.text(centre, below + 16.0, &map.layers[layer].to_string(), &style);
        }
        self.y = below + 32.0;
        let averaged = if row.layers.is_empty() { "" } else { "; line: layers averaged" };
        self.text(x, self.y, &format!("Layer{averaged}"), &format!("font-size=\"{SMALL}\" fill=\"{SOFT}\""));
        self.y += 16.0;
        self.scale(x, 80.0);
        let text = format!("0 to {:.1} %: share of each head's row on the scope", 100.0 * largest);
        self.remark(&text, (x + 88.0, across - 88.0));
    }

    fn tick(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        self.push(format!("<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{SOFT}\"/>"));
    }

    /// A line below the averaged layers, one for each contiguous range.
    fn bracket(&mut self, map: &HeadsMap, averaged: &[usize], x: f64, wide: f64, y: f64) {
        for (place, _) in map.layers.iter().enumerate().filter(|(_, layer)| averaged.contains(layer)) {
            self.push(format!(
                "<rect x=\"{:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"2.4\" fill=\"{HEAT}\"/>",
                x + place as f64 * wide,
                wide
            ));
        }
    }
}

/// Positions of numbers along an axis of `count`: all, or every second, fifth, tenth and so on, so that at most `room`
/// appear.
fn ticks(count: usize, room: usize) -> impl Iterator<Item = usize> {
    let most = room.clamp(1, MOST_TICKS);
    let decades = (0..).map(|power| 10usize.saturating_pow(power));
    let mut steps = decades.flat_map(|ten| [ten, 2usize.saturating_mul(ten), 5usize.saturating_mul(ten)]);
    let step = steps.find(|step| count.div_ceil(*step) <= most).unwrap_or(count.max(1));
    (0..count).step_by(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_stand_at_round_numbers_and_leave_room() {
        let check = |count, room, expected: &[usize]| assert_eq!(ticks(count, room).collect::<Vec<_>>(), expected);
        check(4, 20, &[0, 1, 2, 3]);
        check(30, 34, &[0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28]);
        check(32, 10, &[0, 5, 10, 15, 20, 25, 30]);
        check(100, 16, &[0, 10, 20, 30, 40, 50, 60, 70, 80, 90]);
        check(5, 0, &[0]);
        check(0, 5, &[]);
    }
}
