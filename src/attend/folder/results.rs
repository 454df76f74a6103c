//! Results of a complete folder: tables, groups and the page, computed from manifest and lines alone.

use std::fs;
use std::path::Path;

use super::error::AnalysisError;
use super::lines::read_lines;
use super::manifest::FolderManifest;
use super::names::ANALYSIS;
use super::write;
use crate::attend::over_cases::Collected;
use crate::attend::results::Document;
use crate::attend::view::{FolderPage, ItemTable, KeywordTable, RolesTable, group_tables, heads_csv, witness_csv};
use crate::ledger::{own_folder, present_manifest, refused};
use crate::page::is_chunk_name;

/// The page, and the folder of the files beside it.
const PAGE: &str = "attention.html";
const BESIDE: &str = "attention";

/// Results of an analysis in a folder.
#[derive(Debug)]
pub struct Results {
    /// The document without its cases, which are in the lines.
    pub document: Document,
    /// Number of items read.
    pub items: usize,
    /// Items with failed analyses, and the reasons.
    pub failures: Vec<(String, String)>,
    /// Number of items without any successful analysis.
    pub failed: usize,
    /// Warnings about the folder, a sentence each.
    pub warnings: Vec<String>,
    /// Names of the files written, the page first.
    pub files: Vec<&'static str>,
}

/// Writes the results of a folder with all items of an analysis: `attention.html` with the files beside it,
/// `items.csv`, `keywords.csv`, `groups.json` and `groups.tex`, and `roles.csv`, `witness.csv` and `heads.csv` if requested. Lines are
/// read one after the other, and little of each is kept.
pub fn write_results(folder: &Path) -> Result<Results, AnalysisError> {
    let (manifest, warnings) = present_manifest::<FolderManifest>(folder)?;
    let settings = &manifest.settings;
    let mut document = settings.document(vec![manifest.model.record.clone()]);
    let mut collected = Collected::new(&settings.inside, settings.grouping());
    let (mut items, mut keywords, mut roles) = (ItemTable::default(), KeywordTable::default(), RolesTable::default());
    let mut page = FolderPage::new(&document);
    let (mut failures, mut failed) = (Vec::new(), 0);
    let mut lines = read_lines(folder, &manifest)?;
    let beside = folder.join(BESIDE);
    clear(&beside)?;
    let mut read = 0;
    while lines.next_known()?.is_some() {
        let line = lines.item()?;
        read += 1;
        failed += usize::from(line.cases.is_empty());
        for case in &line.cases {
            items.add(case, line.benchmark, &document);
            keywords.add(case, &document);
            roles.add(case, &document);
            collected.add(case, &document.models);
        }
        for failure in &line.failures {
            items.add_failure(&line.item, line.benchmark, failure);
            failures.push((line.item.clone(), failure.clone()));
        }
        if let Some((name, text)) = page.add(&line.cases, &line.maps, &line.contrasts)? {
            write(&beside, &name, &text)?;
        }
    }
    whole(folder, &manifest, read)?;
    let strips = collected.add_to(&mut document, &[]);
    if let Some((name, text)) = page.last()? {
        write(&beside, &name, &text)?;
    }
    write(folder, PAGE, &page.html(&document, &failures, &strips, BESIDE)?)?;
    write(folder, "items.csv", &items.text())?;
    write(folder, "keywords.csv", &keywords.text())?;
    write(
        folder,
        "groups.json",
        &(serde_json::to_string_pretty(&document).map_err(crate::page::PageError::from)? + "\n"),
    )?;
    write(folder, "groups.tex", &group_tables(&document))?;
    let mut files = vec![PAGE, "items.csv", "keywords.csv"];
    if settings.inside.roles {
        write(folder, "roles.csv", &roles.text())?;
        files.push("roles.csv");
    }
    if settings.inside.witness {
        write(folder, "witness.csv", &witness_csv(&document))?;
        files.push("witness.csv");
    }
    if !settings.inside.head_maps.is_empty() {
        write(folder, "heads.csv", &heads_csv(&document))?;
        files.push("heads.csv");
    }
    files.extend(["groups.json", "groups.tex", ANALYSIS.lines]);
    Ok(Results { document, items: read, failures, failed, warnings, files })
}

/// Refuses a folder with `read` items if its analysis has more.
pub fn whole(folder: &Path, manifest: &FolderManifest, read: usize) -> Result<(), AnalysisError> {
    if read < manifest.numbers().count() || manifest.shard.is_some_and(|shard| shard.of > 1) {
        let (path, lines) = (folder.display(), ANALYSIS.lines);
        return Err(AnalysisError::Parts(format!(
            "{path}: {lines} holds {read} of {} items; finish it, and merge shards with `tomeval merge`",
            manifest.items
        )));
    }
    Ok(())
}

/// Creates an empty folder for the files beside the page.
fn clear(beside: &Path) -> Result<(), AnalysisError> {
    own_folder(beside).map_err(refused(beside, "made"))?;
    for entry in fs::read_dir(beside).map_err(refused(beside, "listed"))? {
        let path = entry.map_err(refused(beside, "listed"))?.path();
        if path.file_name().is_some_and(|name| is_chunk_name(&name.to_string_lossy())) {
            fs::remove_file(&path).map_err(refused(&path, "removed"))?;
        }
    }
    Ok(())
}
