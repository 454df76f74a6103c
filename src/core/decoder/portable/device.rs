//! Properties of a device and its supported dtypes.

#[cfg(feature = "cuda")]
use candle_core::cuda_backend::WrapErr;
#[cfg(feature = "cuda")]
use candle_core::cuda_backend::cudarc::driver::{DriverError, result, sys};
use candle_core::{DType, Device};
use serde::{Deserialize, Serialize};

use crate::decoder::{DecoderError, Precision};

/// The compute capability of an NVIDIA GPU, major and minor; `None` for other devices.
#[cfg(feature = "cuda")]
fn capability(device: &Device) -> Option<(i32, i32)> {
    device.as_cuda_device().ok()?.cuda_stream().context().compute_capability().ok()
}

#[cfg(not(feature = "cuda"))]
fn capability(_device: &Device) -> Option<(i32, i32)> {
    None
}

/// Free and total memory of a device in bytes; `None` if it does not report it.
#[cfg(feature = "cuda")]
pub fn device_memory(device: &Device) -> Option<(u64, u64)> {
    let context = device.as_cuda_device().ok()?.cuda_stream().context().clone();
    let (free, total) = context.mem_get_info().ok()?;
    Some((free as u64 + released(context.cu_device()).unwrap_or(0), total as u64))
}

/// Bytes that the program has released but keeps pooled ([`open_cuda`]).
#[cfg(feature = "cuda")]
fn released(device: sys::CUdevice) -> Result<u64, DriverError> {
    use sys::CUmemPool_attribute::{CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, CU_MEMPOOL_ATTR_USED_MEM_CURRENT};

    let [mut reserved, mut used] = [0u64; 2];
    // SAFETY: the pool is the device's, and both attributes are a `u64`.
    unsafe {
        let pool = result::device::get_default_mem_pool(device)?;
        result::mem_pool::get_attribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, (&raw mut reserved).cast())?;
        result::mem_pool::get_attribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, (&raw mut used).cast())?;
    }
    Ok(reserved.saturating_sub(used))
}

#[cfg(not(feature = "cuda"))]
pub fn device_memory(_device: &Device) -> Option<(u64, u64)> {
    None
}

/// Opens an NVIDIA GPU by its number.
#[cfg(feature = "cuda")]
pub fn open_cuda(number: usize) -> candle_core::Result<Device> {
    // One stream for all host threads. candle's other constructor gives each thread its own, unordered with the rest.
    let device = Device::new_cuda_with_stream(number)?;
    let cuda = device.as_cuda_device()?;
    // SAFETY: nothing that is tracked is used on another stream, as there is none; the pool is the device's, and the
    // attribute is a `u64`.
    unsafe {
        cuda.disable_event_tracking();
        let pool = result::device::get_default_mem_pool(cuda.cuda_stream().context().cu_device()).w()?;
        // Memory that a pass releases stays with the program, which would otherwise request it from the driver again in
        // the next pass.
        let mut kept = u64::MAX;
        let attribute = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        result::mem_pool::set_attribute(pool, attribute, (&raw mut kept).cast()).w()?;
    }
    Ok(device)
}

/// Opens an NVIDIA GPU by its number.
#[cfg(not(feature = "cuda"))]
pub fn open_cuda(number: usize) -> candle_core::Result<Device> {
    Device::new_cuda(number)
}

/// Lowest compute capability with bf16 arithmetic.
const BF16_FROM: (i32, i32) = (8, 0);

/// A device's name for error messages, with its compute capability if it has one.
#[cfg(feature = "cuda")]
pub(super) fn named(device: &Device) -> String {
    let name = device.as_cuda_device().ok().and_then(|cuda| cuda.cuda_stream().context().name().ok());
    match (name, capability(device)) {
        (Some(name), Some((major, minor))) => format!("{name} (compute capability {major}.{minor})"),
        _ => format!("{:?}", device.location()),
    }
}

#[cfg(not(feature = "cuda"))]
pub(super) fn named(device: &Device) -> String {
    format!("{:?}", device.location())
}

/// GPU architecture that this build's CUDA kernels target, as far as the build knew.
pub(super) fn built_for() -> &'static str {
    option_env!("CUDA_COMPUTE_CAP").unwrap_or("the GPU of the machine it was built on")
}

/// An NVIDIA GPU.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Gpu {
    /// Name of the GPU.
    pub name: String,
    /// Its compute capability, for instance `9.0`.
    pub capability: String,
    /// GPU architecture that the program's kernels are compiled for.
    pub built_for: String,
    /// Driver version, if reported.
    pub driver: Option<String>,
    /// Free bytes when the document was created.
    pub free_bytes: u64,
    /// Total bytes.
    pub total_bytes: u64,
}

impl Gpu {
    /// An NVIDIA GPU as reported by itself and its driver; `None` for other devices.
    #[cfg(feature = "cuda")]
    pub fn from_device(device: &Device) -> Option<Gpu> {
        let context = device.as_cuda_device().ok()?.cuda_stream().context().clone();
        let (major, minor) = capability(device)?;
        let (free_bytes, total_bytes) = device_memory(device)?;
        let driver = nvml_wrapper::Nvml::init().and_then(|driver| driver.sys_driver_version()).ok();
        Some(Gpu {
            name: context.name().ok()?,
            capability: format!("{major}.{minor}"),
            built_for: built_for().to_string(),
            driver,
            free_bytes,
            total_bytes,
        })
    }

    /// An NVIDIA GPU as reported by itself and its driver; `None` for other devices.
    #[cfg(not(feature = "cuda"))]
    pub fn from_device(_device: &Device) -> Option<Gpu> {
        None
    }
}

/// Dtype of activations, keys, values and dense weights on a device.
pub fn dtype(precision: Precision, device: &Device) -> Result<DType, DecoderError> {
    dtype_with(precision, device.is_cuda(), capability(device))
}

fn dtype_with(precision: Precision, cuda: bool, capability: Option<(i32, i32)>) -> Result<DType, DecoderError> {
    let without_bf16 = capability.filter(|&capability| capability < BF16_FROM);
    match (precision, without_bf16) {
        (Precision::F32, _) => Ok(DType::F32),
        (Precision::F16, _) => Ok(DType::F16),
        (Precision::BF16, None) => Ok(DType::BF16),
        (Precision::BF16, Some((major, minor))) => Err(DecoderError::Precision {
            precision: precision.name(),
            reason: format!("this GPU has no bf16 arithmetic (compute capability {major}.{minor}); use f16 or f32"),
        }),
        // Blocks are expanded to 16 bits on a GPU, where f32 products are slow.
        (_, None) if cuda => Ok(DType::BF16),
        (_, Some(_)) => Ok(DType::F16),
        (_, None) => Ok(DType::F32),
    }
}

impl Precision {
    /// Default precision of a device: f32 on the CPU, bf16 on GPUs, f16 on those without bf16 arithmetic.
    pub fn of_device(device: &Device) -> Precision {
        of_device_with(device.is_cpu(), capability(device))
    }
}

fn of_device_with(cpu: bool, capability: Option<(i32, i32)>) -> Precision {
    match capability {
        _ if cpu => Precision::F32,
        Some(capability) if capability < BF16_FROM => Precision::F16,
        _ => Precision::BF16,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_gpu_computes_in_f16_and_refuses_bf16() {
        let old = Some((7, 5));
        assert_eq!(of_device_with(false, old), Precision::F16);
        assert_eq!(dtype_with(Precision::Quantized, true, old).unwrap(), DType::F16);
        let error = dtype_with(Precision::BF16, true, old).unwrap_err().to_string();
        assert!(error.contains("capability 7.5") && error.contains("f16 or f32"), "{error}");
        assert_eq!(dtype_with(Precision::F16, true, old).unwrap(), DType::F16);
    }

    #[test]
    fn other_devices_have_bf16() {
        for capability in [Some((8, 0)), Some((9, 0)), Some((12, 0)), None] {
            assert_eq!(of_device_with(false, capability), Precision::BF16);
            assert_eq!(dtype_with(Precision::BF16, capability.is_some(), capability).unwrap(), DType::BF16);
        }
        assert_eq!(dtype_with(Precision::Quantized, true, Some((9, 0))).unwrap(), DType::BF16);
        assert_eq!(dtype_with(Precision::Quantized, false, None).unwrap(), DType::F32);
        assert_eq!(of_device_with(true, None), Precision::F32);
    }
}
