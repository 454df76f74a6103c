//! `tomeval report --format parquet` and `every-eval-ever`: exports runs for other programs.

use std::path::{Path, PathBuf};

use anyhow::Context;
use strum::{IntoStaticStr, VariantArray};

use super::page::open;
use super::reading::read_run;
use crate::reopen::ReadOptions;
use crate::reopen::exchange::{with_overall, write_exchange};
#[cfg(feature = "parquet")]
use crate::reopen::parquet::write_parquet;
use crate::report::Report;
use crate::terminal::progress::Shown;

/// File formats written to a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Files {
    /// One row per trial, and one row per item.
    Parquet,
    /// Documents for exchange between frameworks.
    EveryEvalEver,
}

/// Runs to export.
pub struct FilesOf<'a> {
    /// Run folders.
    pub runs: &'a [PathBuf],
    /// Data of the runs.
    pub data: Option<&'a Path>,
    /// Options for reading records.
    pub how: ReadOptions,
}

impl Files {
    /// Checks that this build writes the files, and returns their folder.
    pub fn check(self, output: Option<&Path>) -> anyhow::Result<&Path> {
        let name: &str = self.into();
        let folder =
            output.with_context(|| format!("--format {name} writes files; name their folder with --output DIR"))?;
        anyhow::ensure!(!folder.is_file(), "--output {}: is a file; name a folder", folder.display());
        #[cfg(not(feature = "parquet"))]
        anyhow::ensure!(self != Files::Parquet, "this build writes no Parquet; build with `--features parquet`");
        Ok(folder)
    }
}

impl FilesOf<'_> {
    /// Writes the files, and returns the report of all runs.
    pub fn write(&self, files: Files, folder: &Path, with_texts: bool) -> anyhow::Result<Report> {
        let how = match files {
            Files::Parquet => self.how.clone(),
            Files::EveryEvalEver => with_overall(self.how.clone()),
        };
        let opened = self.runs.iter().map(|run| {
            open(run, self.data, &how)?.with_context(|| {
                format!(
                    "{}: single items are read from a run folder and its data; pass both, with --data DIR",
                    run.display()
                )
            })
        });
        let opened = opened.collect::<anyhow::Result<Vec<_>>>()?;
        let read = opened.iter().map(|(recorded, loaded)| read_run(recorded.clone(), loaded, &how));
        let read = read.collect::<anyhow::Result<Vec<_>>>()?;
        let compute = || read.iter().map(|run| run.report(false)).collect::<Result<Vec<Report>, _>>();
        let reports = Shown::during("computing metrics", compute)?;
        let write = || match files {
            #[cfg(feature = "parquet")]
            Files::Parquet => write_parquet(&read, &reports, folder, with_texts),
            #[cfg(not(feature = "parquet"))]
            Files::Parquet => unreachable!("refused above"),
            Files::EveryEvalEver => write_exchange(&read, &reports, folder, with_texts),
        };
        let written = Shown::during("writing files", write)?;
        for path in written {
            eprintln!("Written: {}", path.display());
        }
        Ok(Report::merge(reports))
    }
}
