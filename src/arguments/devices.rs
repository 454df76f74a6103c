//! One device by name, or several for as many workers.

use std::fmt;
use std::str::FromStr;

/// A device by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceChoice {
    /// The CPU.
    Cpu,
    /// An NVIDIA GPU by number.
    Cuda(usize),
    /// An Apple GPU by number.
    Metal(usize),
}

/// Value of `--device`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Devices {
    /// One device.
    One(DeviceChoice),
    /// Several, one per worker.
    Several(Vec<DeviceChoice>),
    /// All NVIDIA GPUs of this machine.
    AllCuda,
}

impl FromStr for DeviceChoice {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        let unknown = || format!("unknown device `{given}`; use cpu, cuda, cuda:N, metal or metal:N");
        let (kind, number) = given.split_once(':').unwrap_or((given, "0"));
        let number = number.parse().map_err(|_| unknown())?;
        match kind {
            "cpu" if !given.contains(':') => Ok(DeviceChoice::Cpu),
            "cuda" => Ok(DeviceChoice::Cuda(number)),
            "metal" => Ok(DeviceChoice::Metal(number)),
            _ => Err(unknown()),
        }
    }
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeviceChoice::Cpu => f.write_str("cpu"),
            DeviceChoice::Cuda(number) => write!(f, "cuda:{number}"),
            DeviceChoice::Metal(number) => write!(f, "metal:{number}"),
        }
    }
}

impl FromStr for Devices {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        match given {
            "cuda:all" => Ok(Devices::AllCuda),
            _ if given.contains(',') => {
                let devices = given.split(',').map(|one| one.trim().parse()).collect::<Result<Vec<_>, _>>()?;
                match devices.iter().enumerate().find(|&(at, one)| devices[..at].contains(one)) {
                    Some((_, twice)) => Err(format!("duplicate device {twice}; a device has one worker")),
                    None => Ok(Devices::Several(devices)),
                }
            }
            _ => Ok(Devices::One(given.parse()?)),
        }
    }
}

impl fmt::Display for Devices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Devices::One(device) => device.fmt(f),
            Devices::Several(devices) => {
                f.write_str(&devices.iter().map(ToString::to_string).collect::<Vec<_>>().join(","))
            }
            Devices::AllCuda => f.write_str("cuda:all"),
        }
    }
}

impl Devices {
    /// Returns the devices, each of which gets a worker.
    pub fn list(&self) -> anyhow::Result<Vec<DeviceChoice>> {
        match self {
            Devices::One(device) => Ok(vec![*device]),
            Devices::Several(devices) => Ok(devices.clone()),
            Devices::AllCuda => Ok((0..gpus()?).map(DeviceChoice::Cuda).collect()),
        }
    }
}

/// Returns the number of NVIDIA GPUs that a process sees.
#[cfg(feature = "cuda")]
fn gpus() -> anyhow::Result<usize> {
    use anyhow::Context;
    // Invisible GPUs have no number.
    if let Ok(visible) = std::env::var("CUDA_VISIBLE_DEVICES") {
        let visible = visible.split(',').filter(|entry| !entry.trim().is_empty() && entry.trim() != "-1").count();
        anyhow::ensure!(visible > 0, "--device cuda:all: CUDA_VISIBLE_DEVICES shows no GPU");
        return Ok(visible);
    }
    let driver = nvml_wrapper::Nvml::init().context("--device cuda:all: asking the driver for its GPUs")?;
    let count = driver.device_count().context("--device cuda:all: asking the driver for its GPUs")?;
    anyhow::ensure!(count > 0, "--device cuda:all: no GPU found");
    Ok(count as usize)
}

#[cfg(not(feature = "cuda"))]
fn gpus() -> anyhow::Result<usize> {
    anyhow::bail!("--device cuda:all: this build has no cuda support; build with `--features cuda`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_read_and_printed_alike() {
        for text in ["cpu", "cuda:0", "cuda:3", "metal:0", "cuda:0,cuda:2", "cuda:all"] {
            assert_eq!(text.parse::<Devices>().map(|choice| choice.to_string()).as_deref(), Ok(text));
        }
        assert_eq!("cuda".parse(), Ok(DeviceChoice::Cuda(0)));
        for text in ["gpu", "cpu:1", "cuda:x", "", "cuda:0,cuda:0", "cuda:0,"] {
            assert!(text.parse::<Devices>().is_err(), "{text}");
        }
    }
}
