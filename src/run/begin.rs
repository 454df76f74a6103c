//! The beginning of a run: locks its folder before reading it, and first does all checks that need no tokens or
//! weights.

use std::path::Path;

use super::folder::{ClaimedFolder, RunFolder};
use super::manifest::Shard;
use super::workload::{Inputs, Preparation, Workload, WorkloadError, created};

/// Settings for beginning a run.
#[derive(Clone, Copy, Default)]
pub struct Beginning<'h> {
    /// Part of the work to do; `None` for all of it.
    pub shard: Option<Shard>,
    /// Whether a run may continue with settings that change numbers by more than rounding.
    pub allow_mixed: bool,
    /// Whether a finished run's workload is needed anyway, by its folder.
    pub even_if_finished: Option<&'h dyn Fn(&Path) -> bool>,
}

/// A run that has begun.
pub enum Begun<'a, P: Preparation> {
    /// Everything is already recorded.
    Finished(RunFolder),
    /// The same, but the workload is needed anyway.
    Again(Box<Workload<'a, P>>, RunFolder),
    /// There is work to do.
    Ready(Box<Workload<'a, P>>, RunFolder),
}

/// Begins or continues a run in `out`, by default a folder below `runs/` with a name made of the settings.
pub fn begin<'a, P: Preparation>(
    inputs: Inputs<'a, P>,
    out: Option<&Path>,
    how: Beginning<'_>,
) -> Result<Begun<'a, P>, WorkloadError> {
    let Beginning { shard, allow_mixed, even_if_finished } = how;
    let listed = inputs.list()?;
    let path = out.map_or_else(|| inputs.default_folder(&listed, shard), Path::to_path_buf);
    let claimed = ClaimedFolder::claim(&path)?;
    let mut finished = false;
    if let Some(existing) = claimed.manifest()
        && let Some(plan) = inputs.model.plan_of(existing)
    {
        let manifest = inputs.manifest(&listed, created(&path, Some(existing))?, shard, plan);
        claimed.compare(&manifest, allow_mixed)?;
        finished = claimed.is_finished()?;
        if finished && !even_if_finished.is_some_and(|needed| needed(&path)) {
            let folder = claimed.open_finished(&manifest)?;
            inputs.keep(folder.path())?;
            return Ok(Begun::Finished(folder));
        }
    }
    let workload = Box::new(Workload::prepare(inputs, listed, path, claimed.manifest())?);
    let folder = claimed.open(&workload.manifest(shard), allow_mixed)?;
    workload.inputs.keep(folder.path())?;
    Ok(if finished { Begun::Again(workload, folder) } else { Begun::Ready(workload, folder) })
}
