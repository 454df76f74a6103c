//! The beginning of a run: locks its folder before reading it, and first does all checks that need no tokens or
//! weights.

use std::path::Path;

use super::folder::{ClaimedFolder, RunFolder};
use super::manifest::Shard;
use super::workload::{Inputs, Preparation, Workload, WorkloadError, created};

/// Settings for beginning a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Beginning {
    /// Part of the work to do; `None` for all of it.
    pub shard: Option<Shard>,
    /// Whether a run may continue with settings that change numbers by more than rounding.
    pub allow_mixed: bool,
    /// Whether a finished run's workload is needed anyway.
    pub even_if_finished: bool,
}

/// A run that has begun.
pub enum Begun<'a, P: Preparation> {
    /// Everything is already recorded.
    Finished(RunFolder),
    /// There is work to do.
    Ready(Box<Workload<'a, P>>, RunFolder),
}

/// Begins or continues a run in `out`, by default a folder below `runs/` with a name made of the settings.
pub fn begin<'a, P: Preparation>(
    inputs: Inputs<'a, P>,
    out: Option<&Path>,
    how: Beginning,
) -> Result<Begun<'a, P>, WorkloadError> {
    let Beginning { shard, allow_mixed, even_if_finished } = how;
    let listed = inputs.list()?;
    let path = out.map_or_else(|| inputs.default_folder(&listed, shard), Path::to_path_buf);
    let mut claimed = ClaimedFolder::claim(&path)?;
    if let Some(existing) = claimed.manifest()
        && let Some(plan) = inputs.model.plan_of(existing)
    {
        let manifest = inputs.manifest(&listed, created(&path, Some(existing))?, shard, plan);
        claimed.compare(&manifest, allow_mixed)?;
        if !even_if_finished {
            claimed = match claimed.finished(&manifest)? {
                Ok(folder) => {
                    inputs.keep(folder.path())?;
                    return Ok(Begun::Finished(folder));
                }
                Err(claimed) => claimed,
            };
        }
    }
    let workload = Workload::prepare(inputs, listed, path, claimed.manifest())?;
    let folder = claimed.open(&workload.manifest(shard), allow_mixed)?;
    workload.inputs.keep(folder.path())?;
    Ok(Begun::Ready(Box::new(workload), folder))
}
