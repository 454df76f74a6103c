//! Who answered.

/// Who answered, and how the answers came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Respondent<'a> {
    /// The name of a run, its model, or the name of an answer file.
    pub label: &'a str,
    /// For instance `letters` or `written, greedy`.
    pub answers: &'a str,
}

impl Respondent<'_> {
    /// Subject and answers, to be kept.
    pub(super) fn named(self) -> (String, String) {
        (self.label.to_string(), self.answers.to_string())
    }
}
