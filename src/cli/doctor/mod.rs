//! `tomeval doctor`: reports what this machine and build can do, and what is missing; with `--server`, what a server
//! can do and whether it can be trusted.

#[cfg(feature = "server")]
mod reference;
#[cfg(feature = "server")]
pub mod server;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use indicatif::HumanBytes;

use super::Outcome;
use crate::arguments::compute::open;
use crate::arguments::devices::{DeviceChoice, Devices};
use crate::arguments::paths::or_environment;
use crate::arguments::place::{Place, check_local};
use crate::arguments::server_args::ServerArgs;
use crate::arguments::template::TemplateArgs;
use crate::bench::{Checkup, DeviceCheck, measure_products};
use crate::counted::{counted, to_two_places};
use crate::decoder::Decoder;
use crate::terminal::error_chain::error_chain;

/// Arguments of `tomeval doctor`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Measure the rate of f32 matrix products at the demo model's shapes and at one large shape.
    #[arg(long)]
    gemm: bool,
    /// Check this device in detail: libraries, compute capability, free memory, driver, and one product for each kind
    /// of weights against the CPU.
    #[arg(long, value_name = "DEVICE")]
    device: Option<Devices>,
    /// Folder with benchmark data [default: the folder in the variable TOMEVAL_DATA].
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
    /// Check a model on a server instead of this machine: what it is, whether it reads long prompts whole, and whether it
    /// repeats itself at 1, 8 and 32 prompts in flight.
    #[arg(long, value_name = "openai:URL[#NAME]", conflicts_with_all = ["gemm", "data"])]
    server: Option<String>,
    /// Compare the server's model with these weights, computed here, instead of asking whether it repeats itself: a
    /// folder, a .gguf file, a card's name or a hub id; exits with 2 if the server runs something else, and with 1 if that
    /// remains open.
    #[arg(long, value_name = "MODEL", requires = "server")]
    reference: Option<String>,
    /// Use only files and servers on this machine.
    #[arg(long, requires = "server")]
    offline: bool,
    #[command(flatten)]
    asking: ServerArgs,
    #[command(flatten)]
    template: TemplateArgs,
}

impl Args {
    fn check(&self) -> anyhow::Result<()> {
        match self.server.as_deref() {
            Some(server) => drop(Place::from_name(server)?),
            None => {
                self.asking.check_without_server()?;
                anyhow::ensure!(
                    self.template == TemplateArgs::default(),
                    "--template-var and --chat-template need a server; write --server openai:URL#NAME"
                );
            }
        }
        self.reference.as_deref().map_or(Ok(()), check_local)
    }
}

/// Runs the command. `no_gpu_program` says why the program for NVIDIA GPUs did not run, if a GPU was requested.
pub fn run(args: Args, no_gpu_program: Option<anyhow::Error>) -> anyhow::Result<Outcome> {
    args.check()?;
    #[cfg(feature = "server")]
    if let Some(server) = &args.server {
        return server::run(server, &args);
    }
    let gemm = args.gemm.then(measure_products).transpose()?;
    let checked = match (&args.device, no_gpu_program) {
        (None, _) => Vec::new(),
        (Some(devices), Some(problem)) => vec![DeviceCheck::new(devices.to_string(), true, Err(error_chain(&problem)))],
        (Some(devices), None) => devices.list()?.into_iter().map(check).collect(),
    };
    let checkup = Checkup::new(or_environment(args.data.clone()).as_deref(), gemm, checked)?;
    let text = if args.json { serde_json::to_string_pretty(&checkup)? } else { text(&checkup) };
    writeln!(std::io::stdout(), "{text}")?;
    let usable = checkup.checked.iter().all(|device| device.usable);
    Ok(if usable { Outcome::Done } else { Outcome::Incomplete })
}

fn check(choice: DeviceChoice) -> DeviceCheck {
    let on_cuda = matches!(choice, DeviceChoice::Cuda(_));
    DeviceCheck::new(choice.to_string(), on_cuda, open(choice).map_err(|error| error_chain(&error)))
}

/// Describes the results of a device check.
fn device_lines(device: &DeviceCheck) -> Vec<String> {
    let mut lines = vec![match &device.problem {
        Some(problem) => format!("checked    {problem}"),
        None if device.usable => format!("checked    {}: its products are correct", device.name),
        None => format!("checked    {}: its products are wrong", device.name),
    }];
    if let Some(gpu) = &device.gpu {
        lines.push(format!("           {}, compute capability {}", gpu.name, gpu.capability));
        lines.push(format!("           {} of {} free", HumanBytes(gpu.free_bytes), HumanBytes(gpu.total_bytes)));
        let driver = gpu.driver.as_deref().unwrap_or("unknown");
        lines.push(format!("           driver {driver}; kernels built for {}", gpu.built_for));
    }
    for library in &device.libraries {
        let place = library.path.as_ref().map_or("not found".to_string(), |path| path.display().to_string());
        lines.push(format!("library    {}: {place}", library.name));
    }
    for product in &device.products {
        let found = match (&product.problem, product.difference) {
            (Some(problem), _) => problem.clone(),
            (None, difference) => {
                format!("correct, to {} of the largest value", to_two_places(f64::from(difference.unwrap_or_default())))
            }
        };
        lines.push(format!("product    {:<5} {found}", product.weights));
    }
    lines
}

/// The block formats of each path of products.
fn products(paths: &BTreeMap<String, String>) -> String {
    let named = [
        ("vnni", format!("as integers by {}, fastest", Decoder::integer_instructions().unwrap_or("no instructions"))),
        ("candle", "as integers by candle, slower".to_string()),
        ("dequantised", "in f32, slower still".to_string()),
    ];
    let of =
        |path: &str| paths.iter().filter(|(_, own)| *own == path).map(|(kind, _)| kind.as_str()).collect::<Vec<_>>();
    let lines = named.map(|(path, how)| (of(path), format!("{how} ({path})")));
    let lines = lines.iter().filter(|(kinds, _)| !kinds.is_empty());
    lines.map(|(kinds, how)| format!("{}: {how}", kinds.join(" "))).collect::<Vec<_>>().join("\n           ")
}

fn text(checkup: &Checkup) -> String {
    let mut lines = vec![
        format!("tomeval    {}", checkup.program),
        format!("CPU        {} ({})", checkup.cpu.model, checkup.cpu.architecture),
        format!(
            "           {}, {}",
            counted(checkup.cpu.physical_cores, "core"),
            counted(checkup.cpu.threads, "thread")
        ),
        format!("           {}", checkup.cpu.features.join(" ")),
        format!("f32        by {}", Decoder::float_instructions().unwrap_or("gemm")),
        format!("quantised  {}", products(&checkup.cpu.products)),
        format!(
            "memory     {}, {} available",
            HumanBytes(checkup.memory.total_bytes),
            HumanBytes(checkup.memory.available_bytes)
        ),
    ];
    for device in &checkup.devices {
        let state = match (device.compiled, device.usable) {
            (true, true) => "ready",
            (true, false) => "compiled in, but none found",
            (false, _) => "not compiled in",
        };
        lines.push(format!("device     {}: {state}", device.name));
    }
    lines.extend(checkup.checked.iter().flat_map(device_lines));
    let hub = if checkup.hub_download { "compiled in" } else { "not compiled in" };
    lines.push(format!("Hub        downloads {hub}"));
    for cache in &checkup.caches {
        let state = match (cache.exists, cache.writable) {
            (false, true) => "does not exist yet",
            (_, false) => "cannot be written",
            (true, true) if cache.models.is_empty() => "no models",
            (true, true) => &cache.models.join(", "),
        };
        lines.push(format!("cache      {} ({}): {state}", cache.path, cache.what));
    }
    let answer = |answer: &Option<String>| answer.clone().unwrap_or_else(|| "not found".to_string());
    lines.push(format!("python3    {}", answer(&checkup.python)));
    lines.push(format!("pip        {}", answer(&checkup.pip)));
    lines.push(match &checkup.data {
        Some(data) => format!("data       {}: {}", data.path, data.benchmarks.join(", ")),
        None => "data       no folder found".to_string(),
    });
    for product in checkup.gemm.iter().flatten() {
        lines.push(format!("gemm       {product}"));
    }
    for missing in &checkup.missing {
        lines.push(format!("missing    {missing}"));
    }
    let model = crate::model::DEMO;
    lines.push(format!("next       `tomeval run` uses {model} here; `tomeval models list` shows which others fit"));
    lines.join("\n")
}
