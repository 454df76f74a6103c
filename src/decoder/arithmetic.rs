//! What memory depends on in the arithmetic of a device.

use candle_core::Device;

use super::precision::Precision;
use super::{Decoder, DecoderError, portable};

/// How a device computes, as far as its memory depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arithmetic {
    /// Bytes of a key, a value and an activation.
    pub value_bytes: usize,
    /// The most bytes of f32 attention scores at one time, where scores and masks are whole tensors; the CPU's attention
    /// keeps a tile of them, which counts nothing.
    pub most_score_bytes: Option<usize>,
}

impl Arithmetic {
    /// The CPU's: f32 throughout, attention in tiles.
    pub const CPU: Arithmetic = Arithmetic { value_bytes: size_of::<f32>(), most_score_bytes: None };

    /// What a decoder of this precision computes in on a device.
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
    /// How it computes, as far as memory depends on it.
    pub fn arithmetic(&self) -> Arithmetic {
        match self.portable_dtype() {
            None => Arithmetic::CPU,
            Some(dtype) => {
                Arithmetic { value_bytes: dtype.size_in_bytes(), most_score_bytes: Some(portable::MOST_SCORE_BYTES) }
            }
        }
    }
}

/// The memory of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceMemory {
    /// Free bytes.
    pub free: u64,
    /// All bytes.
    pub total: u64,
}

impl DeviceMemory {
    /// Of a device that has memory of its own and tells; `None` for others, the CPU among them.
    pub fn from_device(device: &Device) -> Option<DeviceMemory> {
        portable::device_memory(device).map(|(free, total)| DeviceMemory { free, total })
    }

    /// Bytes in use, by whatever program.
    pub fn used(&self) -> u64 {
        self.total.saturating_sub(self.free)
    }
}
