//! Reading exports of `tomeval annotate` pages.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Context;

use crate::annotate::{Export, Judged, Scheme, is_export};
use crate::arguments::stdin;

/// Reads exports, each as its page wrote it.
pub fn exports(files: &[PathBuf]) -> anyhow::Result<Vec<Export>> {
    let mut exports: Vec<Export> = Vec::new();
    for file in files {
        let name = stdin::name(file).to_string();
        let text = String::from_utf8(stdin::read(file)?)
            .with_context(|| format!("{name}: not UTF-8 text; export it again"))?;
        anyhow::ensure!(is_export(&text), "{name}: line 1: not an export of a page of `tomeval annotate`");
        let export = Export::read(&text).with_context(|| name.clone())?;
        if let Some(first) = exports.first() {
            anyhow::ensure!(
                first.header.mode == export.header.mode,
                "{name}: an export of `annotate {}`, and the first file is one of `annotate {}`; read them separately",
                export.header.mode,
                first.header.mode
            );
        }
        let twice = exports
            .iter()
            .any(|other| (&other.header.rater, &other.header.page) == (&export.header.rater, &export.header.page));
        anyhow::ensure!(
            !twice,
            "{name}: a second file of {} from the same page; pass the later one alone",
            export.header.rater
        );
        exports.push(export);
    }
    Ok(exports)
}

/// Maps run and item to whether most people judged the reply irrelevant to the question.
pub fn irrelevant(files: &[PathBuf]) -> anyhow::Result<BTreeMap<(String, String), bool>> {
    if files.is_empty() {
        return Ok(BTreeMap::new());
    }
    let exports = exports(files).context("--judged")?;
    let scheme = Scheme::named("xtom-irrelevant")?;
    let shares = Judged::shares(&scheme, &exports, "relevance", "irrelevant").context("--judged")?;
    // Majority over several replies to an item and several people.
    Ok(shares.into_iter().map(|(of, share)| (of, share > 0.5)).collect())
}
