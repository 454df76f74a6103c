//! The program for NVIDIA GPUs beside this one. A CUDA build does not start without NVIDIA's libraries, so this
//! program, which starts everywhere, finds it, checks that it starts, and replaces itself by it.
//!
//! candle's `cuda` feature uses cudarc with `dynamic-linking`, so a CUDA build names libcuda, libcudart, libcublas
//! (which needs libcublasLt) and libcurand among the libraries that the loader must find before `main`. Hence two
//! programs: `arguments/cuda.rs`, in builds without CUDA, finds `tomeval-cuda` beside the program, queries its version,
//! and becomes it (`exec`). If it does not start, the loader, which lists a program's libraries without starting it,
//! says why (`libraries`). A single program would need cudarc's `dynamic-loading` (each library opened at its first
//! call), which excludes `dynamic-linking` and which candle-core would have to offer as a feature; and candle-kernels
//! without its static `libmoe.a` (fused GGUF and mixture kernels, not called here), which calls libcudart directly.
//! Both are changes to candle, not to this program, which would need a fork of candle-core and candle-kernels until
//! then.

use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use anyhow::Context;
use clap::ArgMatches;

use super::devices::{DeviceChoice, Devices};
use crate::libraries;
use crate::run::Program;

/// Name of the GPU program beside this one.
const NAME: &str = "tomeval-cuda";

/// Returns the devices named by the arguments, if they include NVIDIA GPUs.
pub fn asked_for(arguments: &ArgMatches) -> Option<Devices> {
    let mut deepest = arguments;
    while let Some((_, below)) = deepest.subcommand() {
        deepest = below;
    }
    let devices = deepest.try_get_one::<Devices>("device").ok().flatten()?;
    let on_cuda = match devices {
        Devices::One(device) => matches!(device, DeviceChoice::Cuda(_)),
        Devices::Several(devices) => devices.iter().any(|device| matches!(device, DeviceChoice::Cuda(_))),
        Devices::AllCuda => true,
    };
    on_cuda.then(|| devices.clone())
}

/// Runs the GPU program with the same arguments in place of this one; returns only if that fails.
pub fn hand_over(devices: &Devices) -> anyhow::Error {
    let replaced = program().and_then(|program| {
        check(&program)?;
        replace(&program)
    });
    match replaced {
        Ok(never) => match never {},
        Err(error) => error.context(format!("--device {devices}")),
    }
}

/// Notes that the GPU program could be used, if it starts. Otherwise `doctor --device cuda` explains why not.
pub fn print_if_it_starts() {
    let answer = program().ok().and_then(|program| version(&program).ok());
    if answer.is_some_and(|answer| answer.status.success() && of_version(&answer) == this_version()) {
        eprintln!("note: computing on the CPU; --device cuda uses the GPU, by {NAME} beside this program");
    }
}

/// Returns its path in the folder of this program, as started or with links resolved.
fn program() -> anyhow::Result<PathBuf> {
    let name = format!("{NAME}{}", std::env::consts::EXE_SUFFIX);
    let folders = libraries::own_folders();
    let Some(program) = folders.iter().map(|folder| folder.join(&name)).find(|program| program.is_file()) else {
        let folders = folders.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(" and ");
        anyhow::bail!(
            "this build is for the CPU only, and {NAME} is missing from {folders}; install the wheel `tomeval-cuda13` beside \
             that of tomeval, or build it with `scripts/build-cuda.sh` on any Linux machine (docs/gpu.md) and put it there, or \
             pass --device cpu"
        );
    };
    // It would otherwise call itself forever.
    let this = std::env::current_exe().and_then(|this| this.canonicalize()).ok();
    anyhow::ensure!(
        program.canonicalize().ok() != this,
        "{} was built without CUDA; build it with `scripts/build-cuda.sh`",
        program.display()
    );
    Ok(program)
}

/// Runs it with `--version`, which succeeds if it starts.
fn version(program: &Path) -> std::io::Result<Output> {
    libraries::start(program).arg("--version").stdin(Stdio::null()).output()
}

/// The first line tells version and commit, the others the features, in which the two differ.
fn of_version(answer: &Output) -> String {
    String::from_utf8_lossy(&answer.stdout).lines().next().unwrap_or_default().trim().to_string()
}

fn this_version() -> String {
    format!("tomeval {}", Program::this())
}

/// Checks that it starts and has this version.
fn check(program: &Path) -> anyhow::Result<()> {
    let answer = version(program).with_context(|| format!("{}: cannot be started", program.display()))?;
    if !answer.status.success() {
        let libraries = libraries::of_program(program);
        let missing: Vec<&str> =
            libraries.iter().filter(|library| library.path.is_none()).map(|library| library.name.as_str()).collect();
        let reason = match missing.is_empty() {
            true => String::from_utf8_lossy(&answer.stderr).trim().to_string(),
            false => format!("these libraries are missing: {}", missing.join(", ")),
        };
        let mends = libraries::how_to_get(&libraries);
        let mends =
            if mends.is_empty() { vec!["docs/gpu.md names the libraries that it needs".to_string()] } else { mends };
        anyhow::bail!("{} does not start: {reason}\n{}", program.display(), mends.join("\n"));
    }
    let (found, this) = (of_version(&answer), this_version());
    anyhow::ensure!(
        found == this,
        "{} is `{found}`, but this is `{this}`: version and commit must match, since results record them; build both from \
         one checkout, or install both wheels of one release",
        program.display()
    );
    Ok(())
}

#[cfg(unix)]
fn replace(program: &Path) -> anyhow::Result<std::convert::Infallible> {
    use std::os::unix::process::CommandExt;
    let error = libraries::start(program).args(std::env::args_os().skip(1)).exec();
    Err(error).with_context(|| format!("{}: cannot be started", program.display()))
}

#[cfg(not(unix))]
fn replace(program: &Path) -> anyhow::Result<std::convert::Infallible> {
    let status = libraries::start(program).args(std::env::args_os().skip(1)).status();
    let status = status.with_context(|| format!("{}: cannot be started", program.display()))?;
    std::process::exit(status.code().unwrap_or(2))
}
