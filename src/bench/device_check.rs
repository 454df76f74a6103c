//! Details of one device, for `tomeval doctor --device`.

use candle_core::Device;
use serde::Serialize;

use crate::decoder::{CheckedProduct, Gpu, checked_products};
use crate::libraries::{self, Library};

/// A checked device.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DeviceCheck {
    /// The device, for instance `cuda:0`.
    pub name: String,
    /// Whether it can be opened and multiplies correctly.
    pub usable: bool,
    /// Why it cannot be opened; null if it can.
    pub problem: Option<String>,
    /// Properties it reports, if it is an NVIDIA GPU.
    pub gpu: Option<Gpu>,
    /// The libraries needed for NVIDIA GPUs: loaded ones, or where they would be loaded from.
    pub libraries: Vec<Library>,
    /// One product per kind of weights, compared with the CPU.
    pub products: Vec<CheckedProduct>,
}

impl DeviceCheck {
    /// Checks a device that was opened or failed to open; `cuda` if it is an NVIDIA GPU.
    pub fn new(name: String, cuda: bool, opened: Result<Device, String>) -> Self {
        let (products, gpu) = match &opened {
            Ok(device) => (checked_products(device), Gpu::from_device(device)),
            Err(_) => (Vec::new(), None),
        };
        // A CUDA build has loaded them, or it would not have started.
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
