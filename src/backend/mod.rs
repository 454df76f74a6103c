//! Who answers.

mod imported;

pub use imported::{ImportedAnswer, ImportedProblem, UNNAMED_STYLE, imported_outcomes, read_answers};
