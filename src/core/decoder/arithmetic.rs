//! Properties of a device's arithmetic that determine its memory use.

use candle_core::Device;

use super::precision::Precision;
use super::{Decoder, DecoderError, portable};

/// A device's arithmetic, as far as memory use depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arithmetic {
    /// Bytes per key, value or activation element.
    pub value_bytes: usize,
    /// Upper bound on the bytes of f32 attention scores in memory at once, on devices that materialise scores and masks
    /// as whole tensors. The CPU's attention keeps one negligible tile.
    pub most_score_bytes: Option<usize>,
}

impl Arithmetic {
    /// CPU arithmetic: f32 throughout, attention in tiles.
    pub const CPU: Arithmetic = Arithmetic { value_bytes: size_of::<f32>(), most_score_bytes: None };

    /// Arithmetic of a decoder with this precision on a device.
    pub fn on(device: &Device, precision: Precision) -> Result<Arithmetic, DecoderError> {
        match device.is_cpu() {
            true => Ok(Arithmetic::CPU),
            false => {
                let value_bytes = portable::dtype(precision, device)?.size_in_bytes();
                Ok(Arithmetic { value_bytes, most_score_bytes: Some(portable::MOST_SCORE_BYTES) })
            }
        }
    }
}

impl Decoder {
    /// Arithmetic of this decoder, as far as memory use depends on it.
    pub fn arithmetic(&self) -> Arithmetic {
        match self.portable_dtype() {
            None => Arithmetic::CPU,
            Some(dtype) => {
                Arithmetic { value_bytes: dtype.size_in_bytes(), most_score_bytes: Some(portable::MOST_SCORE_BYTES) }
            }
        }
    }
}

/// Memory of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceMemory {
    /// Free bytes.
    pub free: u64,
    /// Total bytes.
    pub total: u64,
}

impl DeviceMemory {
    /// Memory of a device that has its own and reports it; `None` for others, the CPU included.
    pub fn from_device(device: &Device) -> Option<DeviceMemory> {
        portable::device_memory(device).map(|(free, total)| DeviceMemory { free, total })
    }

    /// Bytes in use by any program.
    pub fn used(&self) -> u64 {
        self.total.saturating_sub(self.free)
    }
}
