//! Made sets, and the pairs of them that people see.

use std::path::Path;

use anyhow::Context;
use serde_json::Value;

use crate::annotate::MadeTexts;
use crate::make::set::MadeUnit;
use crate::make::texts::{Part, Texts};

/// Returns the lines of a file of a made set.
pub fn read_lines(path: &Path) -> anyhow::Result<Vec<Value>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{}: cannot be read", path.display()))?;
    let line = |(number, line): (usize, &str)| {
        serde_json::from_str(line).with_context(|| format!("{}, line {}", path.display(), number + 1))
    };
    text.lines().enumerate().map(line).collect()
}

/// Returns the units of a set's `made.jsonl`.
pub fn read_units(path: &Path) -> anyhow::Result<Vec<MadeUnit>> {
    let unit = |(number, line): (usize, Value)| {
        serde_json::from_value(line).with_context(|| format!("{}, line {}", path.display(), number + 1))
    };
    read_lines(path)?.into_iter().enumerate().map(unit).collect()
}

/// Returns the made texts of a set's `made.jsonl` beside their sources, for a page.
pub fn made_pairs(path: &Path) -> anyhow::Result<Vec<MadeTexts>> {
    let listed = |texts: &Texts| -> Vec<(&'static str, String)> {
        let kind = |part: Part| match part {
            Part::Story => "story",
            Part::Question(_) => "question",
            Part::Option(..) => "option",
        };
        texts.parts().into_iter().map(|(part, text)| (kind(part), text.to_string())).collect()
    };
    let pair = |unit: MadeUnit| {
        let texts = unit.texts.as_ref()?;
        Some(MadeTexts {
            source: (unit.from, listed(&unit.source)),
            made: (unit.to, listed(texts)),
            back: unit.back.as_ref().map(listed),
            other: unit.second.as_ref().map(listed),
            id: unit.id,
        })
    };
    Ok(read_units(path)?.into_iter().filter_map(pair).collect())
}
