//! Colours of charts.

use strum::{IntoStaticStr, VariantArray};

use crate::name::named;

/// Number of series with a distinct colour, pattern, shape and dash.
pub(super) const SERIES: usize = 7;

/// Light or dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Scheme {
    /// Dark on white.
    #[default]
    Light,
    /// Light on dark.
    Dark,
}

named!(Scheme, "theme");

impl Scheme {
    /// Its colours.
    pub fn theme(self) -> &'static Theme {
        match self {
            Scheme::Light => &Theme::LIGHT,
            Scheme::Dark => &Theme::DARK,
        }
    }
}

/// Colours of a chart, as SVG and CSS write them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Theme {
    /// Background; `None` for a chart on a page.
    pub(super) background: Option<&'static str>,
    /// Colour of the background around text.
    pub(super) paper: &'static str,
    /// Text.
    pub(super) ink: &'static str,
    /// Secondary text.
    pub(super) soft: &'static str,
    /// Axes and grid lines.
    pub(super) line: &'static str,
    /// Heat map colour at full strength.
    pub(super) heat: &'static str,
    /// Text on the darkest shade.
    pub(super) heat_ink: &'static str,
    /// Series colours, in order.
    pub(super) series: [&'static str; SERIES],
}

impl Theme {
    /// For white paper.
    pub const LIGHT: Theme = Theme {
        background: Some("#ffffff"),
        paper: "#ffffff",
        ink: "#1c1e21",
        soft: "#5d636b",
        line: "#d9d6ce",
        heat: "#00509e",
        heat_ink: "#ffffff",
        series: ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#4d4d4d"],
    };

    /// For dark slides.
    pub const DARK: Theme = Theme {
        background: Some("#1c1f25"),
        paper: "#1c1f25",
        ink: "#e9e7e2",
        soft: "#a3a9b3",
        line: "#3d434d",
        heat: "#ffc44d",
        heat_ink: "#17130a",
        series: ["#4a9fdc", "#e69f00", "#2cc295", "#e29bc4", "#ff8a4c", "#a6dcff", "#d0d0d0"],
    };

    /// For a page, following its colour scheme through its style sheet's variables.
    pub const PAGE: Theme = Theme {
        background: None,
        paper: "var(--card)",
        ink: "var(--ink)",
        soft: "var(--soft)",
        line: "var(--line)",
        heat: "rgb(var(--heat))",
        heat_ink: "var(--heat-ink)",
        series: [
            "var(--series-1)",
            "var(--series-2)",
            "var(--series-3)",
            "var(--series-4)",
            "var(--series-5)",
            "var(--series-6)",
            "var(--series-7)",
        ],
    };
}
