//! Summary of a run's timings.

use std::path::Path;

use serde::Deserialize;

use super::folder::TIMINGS;

/// Totals over all stretches of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
pub struct Spent {
    /// Time without loading.
    pub seconds: f64,
    /// Tokens forwarded.
    pub tokens: usize,
    /// Tokens written; 0 if answers were scored.
    #[serde(default)]
    pub written_tokens: usize,
}

impl Spent {
    /// Reads the totals of the run in this folder; `None` if its timings are missing or unreadable, since nothing
    /// depends on them.
    pub fn from_folder(folder: &Path) -> Option<Self> {
        let text = std::fs::read_to_string(folder.join(TIMINGS)).ok()?;
        Self::of_lines(&text)
    }

    fn of_lines(text: &str) -> Option<Self> {
        let mut all = Spent::default();
        for line in text.lines() {
            let stretch: Spent = serde_json::from_str(line).ok()?;
            all.seconds += stretch.seconds;
            all.tokens += stretch.tokens;
            all.written_tokens += stretch.written_tokens;
        }
        (all.seconds > 0.0).then_some(all)
    }

    /// Returns tokens per second without loading, and whether these are written tokens rather than forwarded ones.
    pub fn speed(&self) -> (f64, bool) {
        let written = self.written_tokens > 0;
        let tokens = if written { self.written_tokens } else { self.tokens };
        (tokens as f64 / self.seconds, written)
    }

    /// Describes time and speed.
    pub fn in_words(&self) -> String {
        let (speed, written) = self.speed();
        let what = if written { "written tokens" } else { "tokens" };
        format!("{:.0} s without loading, {speed:.0} {what}/s", self.seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_are_added_up() {
        let line = r#"{"finished":false,"seconds":10.0,"forward_seconds":9.0,"tokens":400,"passes":3}"#;
        let spent = Spent::of_lines(&format!("{line}\n{line}\n")).unwrap();
        assert_eq!(spent.in_words(), "20 s without loading, 40 tokens/s");
        let written = line.replace("}", r#","written_tokens":50}"#);
        assert_eq!(Spent::of_lines(&written).unwrap().in_words(), "10 s without loading, 5 written tokens/s");
    }

    #[test]
    fn timings_that_cannot_be_read_are_none() {
        assert_eq!(Spent::of_lines(""), None);
        assert_eq!(Spent::of_lines("{\"seconds\":1.0"), None);
        assert_eq!(Spent::from_folder(Path::new("no such folder")), None);
    }
}
