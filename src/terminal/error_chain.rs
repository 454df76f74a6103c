//! Error texts that name each cause once.

use crate::parse_error::in_words;

/// Formats an error with its causes, outermost first. Skips a cause that the message above it already contains, also in
/// this program's words for a parser's.
pub fn error_chain(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) && !text.contains(&in_words(&cause)) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::attend::HumanKeywords;
    use crate::benchmark::{Benchmark, LoadOptions};
    use crate::metric::Layout;
    use crate::model::Tokenizer;
    use crate::report::Report;
    use anyhow::Context;

    use super::*;

    /// Checks that every cause of an error is in its text exactly once.
    fn check(error: anyhow::Error) {
        let text = error_chain(&error);
        for cause in error.chain().map(ToString::to_string).filter(|cause| !cause.is_empty()) {
            let found = text.matches(&cause).count().max(text.matches(&in_words(&cause)).count());
            assert!(found == 1 && (in_words(&cause) == cause || !text.contains(&cause)), "`{cause}` in: {text}");
        }
    }

    #[test]
    fn typical_errors_tell_each_cause_once() {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        for (name, text) in [("bad.json", "{"), ("tokenizer.json", "{"), ("questions.jsonl", "{")] {
            std::fs::write(here.join(name), text).unwrap();
        }
        std::fs::write(here.join("latin.csv"), b"id,caf\xe9\n").unwrap();
        let absent = here.join("absent");
        let custom = |path: &Path| Benchmark::Custom.load(path, &LoadOptions::default());
        let errors = [
            custom(&absent).map(drop).map_err(anyhow::Error::from),
            custom(&here.join("latin.csv")).map(drop).map_err(anyhow::Error::from),
            Benchmark::ToMBench.load(here, &LoadOptions::default()).map(drop).map_err(anyhow::Error::from),
            HumanKeywords::read(&absent).map(drop).map_err(anyhow::Error::from),
            HumanKeywords::read(&here.join("bad.json")).map(drop).map_err(anyhow::Error::from),
            Tokenizer::from_folder(here).map(drop).map_err(anyhow::Error::from),
            Layout::parse("tables = 3").map(drop).map_err(anyhow::Error::from),
            Report::parse("{").map(drop).map_err(anyhow::Error::from).context("results.json"),
            crate::run::read_run(&absent).map(drop).map_err(anyhow::Error::from).context("--run absent"),
            crate::model::read_config(&here.join("bad.json")).map(drop).map_err(anyhow::Error::from),
        ];
        for result in errors {
            check(result.unwrap_err());
        }
    }

    #[test]
    fn a_cause_that_is_told_already_is_left_out_and_others_are_not() {
        let cause = std::io::Error::other("disk on fire");
        let error = anyhow::Error::from(cause).context("a.csv: cannot be read: disk on fire").context("--data a.csv");
        assert_eq!(error_chain(&error), "--data a.csv: a.csv: cannot be read: disk on fire");
    }
}
