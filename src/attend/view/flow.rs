//! Lays out words in lines for figures. Widths are estimated, so a figure is the same on every machine.

use crate::figure::text_width;

/// A word to lay out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece<'a> {
    /// Its text; white space separates words and is not drawn.
    pub text: &'a str,
    /// Whether a line may break before it without white space (Chinese, Japanese).
    pub breaks_before: bool,
    /// Whether it is bold, which is wider.
    pub bold: bool,
}

/// Position of a piece. `y` is its line number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Place {
    pub index: usize,
    pub x: f64,
    pub width: f64,
    pub line: usize,
}

/// Lays out pieces in lines of `width` at `size` (both in the figure's units), mirrored for right-to-left scripts.
/// Returns positions and the number of lines.
pub(super) fn flow(pieces: &[Piece<'_>], width: f64, size: f64, right_to_left: bool) -> (Vec<Place>, usize) {
    let mut places: Vec<Place> = Vec::new();
    let (mut x, mut line) = (0.0, 0);
    let mut unit_start = 0;
    let mut space = false;
    for (index, piece) in pieces.iter().enumerate() {
        if piece.text.trim().is_empty() {
            if piece.text.contains('\n') && x > 0.0 {
                (x, line) = (0.0, line + 1);
                unit_start = places.len();
                space = false;
            } else {
                space = x > 0.0;
            }
            continue;
        }
        let wide = text_width(piece.text) * size * if piece.bold { 1.07 } else { 1.0 };
        if space || piece.breaks_before {
            unit_start = places.len();
        }
        if space {
            x += 0.3 * size;
            space = false;
        }
        if x + wide > width && x > 0.0 {
            // The unbroken unit that contains this piece moves to the next line as a whole, if it does not fill the
            // line.
            let shift = places.get(unit_start).map_or(x, |first| first.x);
            if shift > 0.0 {
                for moved in &mut places[unit_start..] {
                    moved.x -= shift;
                    moved.line += 1;
                }
                x -= shift;
            } else {
                x = 0.0;
                unit_start = places.len();
            }
            line += 1;
        }
        places.push(Place { index, x, width: wide, line });
        x += wide;
    }
    if right_to_left {
        for place in &mut places {
            place.x = width - place.x - place.width;
        }
    }
    (places, line + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces<'a>(texts: &[&'a str], breaks_before: bool) -> Vec<Piece<'a>> {
        texts.iter().map(|text| Piece { text, breaks_before, bold: false }).collect()
    }

    #[test]
    fn lines_end_at_spaces_and_marks_stay_with_their_word() {
        // Each `aaaa` is 4 x 0.62 em wide.
        let (places, lines) = flow(&pieces(&["aaaa", " ", "aaaa", "!", " ", "aaaa"], false), 5.4, 1.0, false);
        let found: Vec<(usize, usize)> = places.iter().map(|place| (place.index, place.line)).collect();
        assert_eq!(found, [(0, 0), (2, 1), (3, 1), (5, 2)]);
        assert_eq!(lines, 3);
        assert_eq!(places[1].x, 0.0);
        assert!((places[2].x - places[1].width).abs() < 1e-12);
    }

    #[test]
    fn chinese_breaks_between_words() {
        let (places, lines) = flow(&pieces(&["小明", "把", "苹果"], true), 3.0, 1.0, false);
        assert_eq!(lines, 2);
        assert_eq!(places.iter().map(|place| place.line).collect::<Vec<_>>(), [0, 0, 1]);
    }

    #[test]
    fn right_to_left_is_mirrored() {
        let (places, _) = flow(&pieces(&["aa", " ", "bb"], false), 10.0, 1.0, true);
        assert!(places[0].x > places[1].x);
        assert!((places[0].x + places[0].width - 10.0).abs() < 1e-12);
    }

    #[test]
    fn a_word_wider_than_the_line_ends_the_line_once() {
        let (places, lines) = flow(&pieces(&["aaaaaaaaaaaa", " ", "a"], false), 3.0, 1.0, false);
        assert_eq!((places[0].line, places[1].line, lines), (0, 1, 2));
    }
}
