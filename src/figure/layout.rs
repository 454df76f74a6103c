//! Width of a figure and what is drawn in it beside its data.

use std::fmt;
use std::str::FromStr;

/// Units per millimetre: 96 are an inch, as in browsers.
const UNITS: f64 = 96.0 / 25.4;
/// Sizes of text on paper, in units: 7 and 9 points.
pub(crate) const LEAST_TEXT: f64 = 7.0 * 96.0 / 72.0;
pub(crate) const MOST_TEXT: f64 = 9.0 * 96.0 / 72.0;

/// Width of a figure on paper.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Width {
    millimetres: f64,
}

impl Width {
    /// The text of a page.
    pub const TEXT: Width = Width { millimetres: 160.0 };
    /// One of two columns.
    #[cfg(test)]
    pub const COLUMN: Width = Width { millimetres: 77.0 };
    /// Limits in millimetres: narrower has no room for text of 7 points, wider is no page.
    const LIMITS: std::ops::RangeInclusive<f64> = 60.0..=420.0;

    /// In units of a figure.
    pub fn units(self) -> f64 {
        self.millimetres * UNITS
    }
}

impl fmt::Display for Width {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}mm", self.millimetres)
    }
}

/// A width that is no number of millimetres within the limits.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{given}: not a width; write millimetres from {} to {}, such as 77mm or 160mm", Width::LIMITS.start(), Width::LIMITS.end())]
pub struct NotAWidth {
    given: String,
}

impl FromStr for Width {
    type Err = NotAWidth;

    fn from_str(given: &str) -> Result<Self, NotAWidth> {
        let millimetres = given.strip_suffix("mm").and_then(|number| number.trim_end().parse::<f64>().ok());
        let within = millimetres.filter(|number| Width::LIMITS.contains(number));
        within.map(|millimetres| Width { millimetres }).ok_or_else(|| NotAWidth { given: given.to_string() })
    }
}

/// Where a figure stands, which decides its size and texts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Layout {
    /// On a page of this program: 760 units wide, with its title and notes.
    Page,
    /// On paper: text of 7 to 9 points at this width.
    Paper {
        width: Width,
        /// Whether title and notes are drawn; otherwise they are for the caption.
        titled: bool,
    },
}

impl Layout {
    /// Width in units.
    pub fn width(self) -> f64 {
        match self {
            Layout::Page => 760.0,
            Layout::Paper { width, .. } => width.units(),
        }
    }

    /// Margin on each side; paper has its own.
    pub fn margin(self) -> f64 {
        match self {
            Layout::Page => 16.0,
            Layout::Paper { .. } => 2.0,
        }
    }

    /// Width between the margins.
    pub fn inner(self) -> f64 {
        self.width() - 2.0 * self.margin()
    }

    /// Whether title and notes are drawn.
    pub fn is_titled(self) -> bool {
        matches!(self, Layout::Page | Layout::Paper { titled: true, .. })
    }

    /// Whether there is no room for names beside what they name.
    pub fn is_narrow(self) -> bool {
        self.width() < 420.0
    }

    /// Text size within the limits of paper.
    pub fn text(self, size: f64) -> f64 {
        match self {
            Layout::Page => size,
            Layout::Paper { .. } => size.clamp(LEAST_TEXT, MOST_TEXT),
        }
    }

    /// Attributes of the root element that give the size of a figure.
    pub fn size(self, height: f64) -> String {
        let box_of = |width: f64| format!("viewBox=\"0 0 {} {height:.0}\"", (width * 100.0).round() / 100.0);
        match self {
            Layout::Page => format!("{} width=\"{}\" height=\"{height:.0}\"", box_of(self.width()), self.width()),
            Layout::Paper { width, .. } => {
                format!("{} width=\"{width}\" height=\"{:.2}mm\"", box_of(self.width()), height.round() / UNITS)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_millimetres_that_a_page_has() {
        assert_eq!("77mm".parse(), Ok(Width::COLUMN));
        assert_eq!("160mm".parse(), Ok(Width::TEXT));
        assert_eq!("82.5 mm".parse::<Width>().unwrap().to_string(), "82.5mm");
        for wrong in ["77", "7mm", "9000mm", "-77mm", "NaNmm", "infmm", "77 cm", ""] {
            let error = wrong.parse::<Width>().unwrap_err().to_string();
            assert!(error.contains("such as 77mm or 160mm"), "{error}");
        }
    }

    #[test]
    fn a_unit_of_a_figure_is_the_96th_part_of_an_inch() {
        let layout = Layout::Paper { width: Width::COLUMN, titled: false };
        assert_eq!(layout.size(100.0), "viewBox=\"0 0 291.02 100\" width=\"77mm\" height=\"26.46mm\"");
        assert_eq!((layout.text(8.0), layout.text(10.0), layout.text(15.0)), (LEAST_TEXT, 10.0, 12.0));
    }
}
