//! One device in detail, for `tomeval doctor --device`.

use candle_core::Device;
use serde::Serialize;

use crate::decoder::{CheckedProduct, Gpu, checked_products};
use crate::libraries::{self, Library};

/// A device that was asked about.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DeviceCheck {
    /// The device, for instance `cuda:0`.
    pub name: String,
    /// Whether it can be opened and multiplies rightly.
    pub usable: bool,
    /// Why it cannot be opened; null where it can.
    pub problem: Option<String>,
    /// What it says of itself, if it is an NVIDIA GPU.
    pub gpu: Option<Gpu>,
    /// The libraries that computing on NVIDIA GPUs takes: loaded, or where they would be loaded from.
    pub libraries: Vec<Library>,
    /// One product of each kind of weights against the CPU's.
    pub products: Vec<CheckedProduct>,
}

impl DeviceCheck {
    /// Look at a device, which was opened or could not be; `cuda` where it is an NVIDIA GPU.
    pub fn new(name: String, cuda: bool, opened: Result<Device, String>) -> Self {
        let (products, gpu) = match &opened {
            Ok(device) => (checked_products(device), Gpu::from_device(device)),
            Err(_) => (Vec::new(), None),
        };
        // A build for GPUs has loaded them, or it would not be here.
        let libraries = match cuda {
            true if cfg!(feature = "cuda") => libraries::loaded(),
            true => libraries::searched(),
            false => Vec::new(),
        };
        DeviceCheck {
            name,
            usable: opened.is_ok() && products.iter().all(|product| product.problem.is_none()),
            problem: opened.err(),
            gpu,
            libraries,
            products,
        }
    }
}
