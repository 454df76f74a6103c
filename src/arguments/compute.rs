//! Compute arguments, and the decoder loaded accordingly.

use std::sync::{Mutex, PoisonError};

use anyhow::Context;
use candle_core::Device;
use indicatif::HumanBytes;

use super::devices::{DeviceChoice, Devices};
use super::numbers::{THREADS, within};
use crate::decoder::{Arithmetic, DecoderSpec, DeviceMemory, ExpertPlacement, Precision, open_cuda};
use crate::engine::{MemoryCosts, Packing};
use crate::terminal::error_chain::error_chain;

/// Device, precision, threads and memory.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Computing")]
pub struct Compute {
    /// Device: cpu, cuda, cuda:N or metal; in `run` also several separated by commas or cuda:all, with one worker each
    /// [default: the first GPU found, else cpu].
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<Devices>,
    /// Weight format: f32, f16, bf16, quantized (the blocks of a GGUF file), or q8_0, q4_0, q4_k, quantised when
    /// loaded; the CPU then also rounds activations to 8 bits, see --quantize [default: f32 on the CPU, bf16 elsewhere].
    #[arg(long, value_name = "TYPE")]
    pub dtype: Option<Precision>,
    /// Quantise weights when loaded: q8_0, q4_0 or q4_k; the same as --dtype. On the CPU activations are also rounded
    /// to 8 bits, which can change more answers than 8-bit weights do: `tomeval bench drift` measures both.
    #[arg(long, value_name = "TYPE", conflicts_with = "dtype", value_parser = blocks)]
    pub quantize: Option<Precision>,
    /// Placement of a mixture's experts: loaded (in memory) or mapped (read from their files in every pass that needs
    /// them, with the same results; slow, for models larger than memory) [default: loaded].
    #[arg(long, value_name = "WHERE")]
    pub experts: Option<ExpertPlacement>,
    /// CPU threads [default: physical cores].
    #[arg(long, value_name = "N", value_parser = within(THREADS))]
    pub threads: Option<usize>,
    /// Memory for keys, values and activations, in bytes or with K, M or G after the number [default: 1G, on GPUs what the
    /// model's shape needs for passes of 4096 tokens].
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub memory: Option<u64>,
}

/// Default budget for keys, values and activations on the CPU.
const CPU_BUDGET: u64 = 1 << 30;

/// Resolved compute settings.
#[derive(Debug, Clone)]
pub struct Computing {
    /// Device name for records.
    pub choice: DeviceChoice,
    /// The device.
    pub device: Device,
    /// Weight format.
    pub precision: Precision,
    /// Placement of experts.
    pub experts: ExpertPlacement,
    /// CPU threads.
    pub threads: usize,
    /// Arithmetic of the computation.
    pub arithmetic: Arithmetic,
    /// Bytes for keys, values and activations, if given.
    memory: Option<u64>,
}

impl Compute {
    /// Returns the device named, if any; several are refused.
    pub fn check_device(&self) -> anyhow::Result<Option<DeviceChoice>> {
        match &self.device {
            Some(Devices::One(choice)) => Ok(Some(*choice)),
            Some(several) => {
                anyhow::bail!("--device {several}: only `run` uses several devices, one worker each; name one")
            }
            None => Ok(None),
        }
    }

    /// Resolves defaults, opens the device and sets the number of threads for the whole process. Call it before any
    /// parallel work, which loading items may start.
    pub fn begin(&self) -> anyhow::Result<Computing> {
        let (choice, device) = match self.check_device()? {
            Some(choice) => (choice, open(choice)?),
            None => default_device(),
        };
        let by_device = Precision::of_device(&device);
        let asked = self.dtype.or(self.quantize);
        if asked.is_none() && by_device == Precision::F16 {
            eprintln!("note: {choice} has no bf16 arithmetic; computing in f16");
        }
        let threads = self.set_threads()?;
        let precision = asked.unwrap_or(by_device);
        if device.is_cpu() && precision.is_quantised() {
            eprintln!(
                "warning: in {} the CPU rounds activations to 8 bits as well, which can change more answers than 8-bit \
                 weights do; `tomeval bench drift` with the same --model and type measures it",
                precision.name()
            );
        }
        let arithmetic = Arithmetic::on(&device, precision)?;
        let experts = self.experts.unwrap_or_default();
        Ok(Computing { choice, device, precision, experts, threads, arithmetic, memory: self.memory })
    }

    /// Sets the number of threads for the whole process, and returns it.
    pub fn set_threads(&self) -> anyhow::Result<usize> {
        let threads = self.threads.unwrap_or_else(crate::machine::cores);
        let processors = crate::machine::threads();
        if threads > processors {
            eprintln!("warning: --threads {threads}: this machine has {processors} hardware threads; more do not help");
        }
        // The runs of a study share them.
        static SET: Mutex<Option<usize>> = Mutex::new(None);
        let mut set = SET.lock().unwrap_or_else(PoisonError::into_inner);
        match *set {
            Some(before) => anyhow::ensure!(
                before == threads,
                "--threads {threads}: this process computes with {before}; give all runs of a study the same"
            ),
            None => {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
                pool.build_global().context("setting the number of threads")?;
                *set = Some(threads);
            }
        }
        Ok(threads)
    }
}

impl Computing {
    /// Returns the bytes for keys, values and activations of a model of this shape. They do not depend on free memory,
    /// so that a run is planned alike wherever its parts are computed.
    pub fn memory(&self, spec: &DecoderSpec) -> u64 {
        let by_shape =
            || MemoryCosts::new(spec, self.arithmetic).gpu_budget(spec, Packing::on(self.arithmetic).pass_tokens);
        self.memory.unwrap_or_else(|| if self.device.is_cpu() { CPU_BUDGET } else { by_shape() })
    }

    /// Refuses weights that, with their working memory, do not fit the device.
    pub fn check_room(&self, weight_bytes: u64, memory: u64) -> anyhow::Result<()> {
        DeviceMemory::from_device(&self.device).map_or(Ok(()), |found| fits(found, weight_bytes, memory, self.choice))
    }
}

/// Parses a format to which weights can be quantised.
fn blocks(given: &str) -> Result<Precision, String> {
    let known = || format!("unknown type `{given}`; use q8_0, q4_0 or q4_k");
    given.parse().ok().filter(|precision: &Precision| precision.quantises()).ok_or_else(known)
}

/// Returns an error if a device has too little free memory.
fn fits(found: DeviceMemory, weight_bytes: u64, memory: u64, choice: DeviceChoice) -> anyhow::Result<()> {
    let needed = weight_bytes.saturating_add(memory);
    anyhow::ensure!(
        needed <= found.free,
        "{choice} has {} of {} free, but {} are needed: {} for the weights and {} for keys, values and activations; stop \
         other programs on it, lower --memory, or choose another --device or --dtype",
        HumanBytes(found.free),
        HumanBytes(found.total),
        HumanBytes(needed),
        HumanBytes(weight_bytes),
        HumanBytes(memory),
    );
    Ok(())
}

/// Opens a device.
pub fn open(choice: DeviceChoice) -> anyhow::Result<Device> {
    let built = |compiled: bool, feature: &str| {
        anyhow::ensure!(compiled, "this build has no {feature} support; build with `--features {feature}`");
        Ok(())
    };
    match choice {
        DeviceChoice::Cpu => Ok(Device::Cpu),
        DeviceChoice::Cuda(number) => {
            built(cfg!(feature = "cuda"), "cuda")?;
            open_cuda(number).with_context(|| format!("opening {choice}"))
        }
        DeviceChoice::Metal(number) => {
            built(cfg!(feature = "metal"), "metal")?;
            Device::new_metal(number).with_context(|| format!("opening {choice}"))
        }
    }
}

/// Returns the default device: the first GPU found, if the build supports it, else the CPU.
pub fn default_device() -> (DeviceChoice, Device) {
    first_gpu().unwrap_or_else(|| {
        print_gpu_program();
        (DeviceChoice::Cpu, Device::Cpu)
    })
}

/// Notes that the CPU is used although the GPU program beside this one starts.
pub fn print_gpu_program() {
    #[cfg(not(feature = "cuda"))]
    super::cuda::print_if_it_starts();
}

/// Returns the first GPU found, if the build supports it.
fn first_gpu() -> Option<(DeviceChoice, Device)> {
    let choices = [(cfg!(feature = "cuda"), DeviceChoice::Cuda(0)), (cfg!(feature = "metal"), DeviceChoice::Metal(0))];
    for (_, choice) in choices.into_iter().filter(|(compiled, _)| *compiled) {
        match open(choice) {
            Ok(device) => return Some((choice, device)),
            Err(error) => {
                eprintln!(
                    "warning: {}; computing on the CPU (--device cpu silences this warning)",
                    error_chain(&error)
                );
            }
        }
    }
    None
}

/// Parses a number of bytes, with K, M or G for powers of 1024.
fn bytes(given: &str) -> Result<u64, String> {
    let text = given.trim().trim_end_matches("iB").trim_end_matches('B');
    let (number, unit) = match text.char_indices().last() {
        Some((at, 'K' | 'k')) => (&text[..at], 1 << 10),
        Some((at, 'M' | 'm')) => (&text[..at], 1 << 20),
        Some((at, 'G' | 'g')) => (&text[..at], 1 << 30),
        _ => (text, 1),
    };
    let number: f64 =
        number.trim().parse().map_err(|_| format!("invalid size `{given}`; write for instance 512M or 2G"))?;
    let size = number * f64::from(unit);
    if size >= 1.0 && size < u64::MAX as f64 { Ok(size as u64) } else { Err(format!("size `{given}` is out of range")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_in_powers_of_1024() {
        let cases = [("4096", 4096), ("512M", 512 << 20), ("2G", 2 << 30), ("1.5 GiB", 3 << 29), ("64kB", 64 << 10)];
        for (text, expected) in cases {
            assert_eq!(bytes(text), Ok(expected), "{text}");
        }
        for text in ["", "G", "-1", "0", "much", "1T"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn too_little_memory_is_told_with_what_takes_it() {
        let found = DeviceMemory { free: 10 << 30, total: 16 << 30 };
        assert!(fits(found, 8 << 30, 2 << 30, DeviceChoice::Cuda(0)).is_ok());
        let error = fits(found, 8 << 30, 3 << 30, DeviceChoice::Cuda(1)).unwrap_err().to_string();
        for part in ["cuda:1 has 10.00 GiB of 16.00 GiB free", "11.00 GiB are needed", "--memory"] {
            assert!(error.contains(part), "{error}");
        }
    }
}
