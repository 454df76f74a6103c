//! Kernels on an NVIDIA GPU.

use std::path::Path;
use std::sync::LazyLock;

use candle_core::cuda_backend::cudarc::cublas::{result, sys};
use candle_core::cuda_backend::cudarc::driver::{
    CudaFunction, CudaSlice, CudaView, DevicePtr, DevicePtrMut, DeviceRepr, LaunchConfig, PushKernelArg,
};
use candle_core::cuda_backend::{CudaDType, CudaDevice, CudaStorage, WrapErr};
use candle_core::op::BackpropOp;
use candle_core::{DType, Layout, Result, Shape, Storage, Tensor, bail};
use half::{bf16, f16};

use crate::decoder::spec::Activation;

/// `kernels.cu` as PTX, which the driver compiles for the GPU.
const PTX: &str = include_str!(concat!(env!("OUT_DIR"), "/kernels.ptx"));

/// Environment variable with a folder whose `kernels.ptx` replaces the embedded one, for machines with `nvcc` but
/// without Rust.
const PTX_FOLDER: &str = "TOMEVAL_PTX";

/// Scores of a row that a thread holds: `HELD` in `kernels.cu`.
const HELD: usize = 16;

/// Element types of the kernels.
trait Element: CudaDType + DeviceRepr {
    /// Type name in the kernels' names.
    const NAME: &'static str;
    const TYPE: sys::cudaDataType;
}

impl Element for f32 {
    const NAME: &'static str = "f32";
    const TYPE: sys::cudaDataType = sys::cudaDataType_t::CUDA_R_32F;
}

impl Element for bf16 {
    const NAME: &'static str = "bf16";
    const TYPE: sys::cudaDataType = sys::cudaDataType_t::CUDA_R_16BF;
}

impl Element for f16 {
    const NAME: &'static str = "f16";
    const TYPE: sys::cudaDataType = sys::cudaDataType_t::CUDA_R_16F;
}

/// See [`softmax`](super::softmax).
pub(super) fn softmax(scores: &Tensor, mask: Option<&Tensor>, cap: Option<f32>, dtype: DType) -> Result<Tensor> {
    match dtype {
        DType::F32 => softmax_in::<f32>(scores, mask, cap),
        DType::BF16 => softmax_in::<bf16>(scores, mask, cap),
        DType::F16 => softmax_in::<f16>(scores, mask, cap),
        dtype => bail!("softmax is not supported in {}", dtype.as_str()),
    }
}

fn softmax_in<T: Element>(scores: &Tensor, mask: Option<&Tensor>, cap: Option<f32>) -> Result<Tensor> {
    let rows = scores.elem_count() / scores.dim(2)?.max(1);
    let width = scores.dim(2)?;
    let device = scores.device().as_cuda_device()?;
    // SAFETY: the kernel writes all of it.
    let mut weights = unsafe { device.alloc::<T>(scores.elem_count())? };
    // Without a mask the kernel gets 0 queries and reads none.
    let queries = mask.map_or(Ok(0), |mask| mask.dim(0))? as u32;
    let config = by_row(rows, width.div_ceil(HELD));
    let (width, cap) = (width as u32, cap.unwrap_or(0.0));
    let (of_scores, layout) = scores.storage_and_layout();
    let values = view::<f32>(&of_scores, layout)?;
    let (of_mask, layout) = mask.unwrap_or(scores).storage_and_layout();
    let mask = view::<f32>(&of_mask, layout)?;
    let (kernel, stream) = (kernel(device, &format!("softmax_{}", T::NAME))?, device.cuda_stream());
    let mut launch = stream.launch_builder(&kernel);
    launch.arg(&values).arg(&mask).arg(&mut weights).arg(&queries).arg(&width).arg(&cap);
    if rows > 0 {
        // SAFETY: the arguments are those of the kernel, and it stays within these sizes.
        unsafe { launch.launch(config) }.w()?;
    }
    Ok(tensor(weights, device, scores.shape()))
}

/// See [`gate`](super::gate).
pub(super) fn gate(gate_up: &Tensor, activation: Activation) -> Result<Tensor> {
    match gate_up.dtype() {
        DType::F32 => gate_in::<f32>(gate_up, activation),
        DType::BF16 => gate_in::<bf16>(gate_up, activation),
        DType::F16 => gate_in::<f16>(gate_up, activation),
        dtype => bail!("gate is not supported in {}", dtype.as_str()),
    }
}

fn gate_in<T: Element>(gate_up: &Tensor, activation: Activation) -> Result<Tensor> {
    let (rows, both) = gate_up.dims2()?;
    let width = both / 2;
    let device = gate_up.device().as_cuda_device()?;
    // SAFETY: the kernel writes all of it.
    let mut product = unsafe { device.alloc::<T>(rows * width)? };
    let (columns, tanh) = (width as u32, u32::from(activation == Activation::GeluTanh));
    let (of_gate_up, layout) = gate_up.storage_and_layout();
    let values = view::<T>(&of_gate_up, layout)?;
    let (kernel, stream) = (kernel(device, &format!("gate_{}", T::NAME))?, device.cuda_stream());
    let mut launch = stream.launch_builder(&kernel);
    launch.arg(&values).arg(&mut product).arg(&columns).arg(&tanh);
    if rows > 0 {
        // SAFETY: the arguments are those of the kernel, and it stays within these sizes.
        unsafe { launch.launch(by_row(rows, width.div_ceil(8))) }.w()?;
    }
    Ok(tensor(product, device, (rows, width)))
}

/// See [`rotate`](super::rotate).
pub(super) fn rotate(x: &Tensor, cos: &Tensor, sin: &Tensor, side_by_side: bool, dtype: DType) -> Result<Tensor> {
    match (x.dtype(), dtype) {
        (DType::F32, DType::F32) => rotate_in::<f32, f32>(x, cos, sin, side_by_side),
        (DType::F32, DType::BF16) => rotate_in::<f32, bf16>(x, cos, sin, side_by_side),
        (DType::F32, DType::F16) => rotate_in::<f32, f16>(x, cos, sin, side_by_side),
        (DType::BF16, DType::BF16) => rotate_in::<bf16, bf16>(x, cos, sin, side_by_side),
        (DType::F16, DType::F16) => rotate_in::<f16, f16>(x, cos, sin, side_by_side),
        (from, to) => bail!("rotation from {} to {} is not supported", from.as_str(), to.as_str()),
    }
}

fn rotate_in<In: Element, T: Element>(x: &Tensor, cos: &Tensor, sin: &Tensor, side_by_side: bool) -> Result<Tensor> {
    let (tokens, heads, size) = x.dims3()?;
    let device = x.device().as_cuda_device()?;
    // SAFETY: the kernel writes all of it.
    let mut turned = unsafe { device.alloc::<T>(x.elem_count())? };
    let (of_x, layout) = x.storage_and_layout();
    let (values, stride) = (view::<In>(&of_x, layout)?, layout.stride()[0]);
    let (of_cos, layout) = cos.storage_and_layout();
    let cosines = view::<f32>(&of_cos, layout)?;
    let (of_sin, layout) = sin.storage_and_layout();
    let sines = view::<f32>(&of_sin, layout)?;
    let (kernel, stream) = (kernel(device, &format!("rotate_{}_{}", In::NAME, T::NAME))?, device.cuda_stream());
    let sizes = [heads, size, cos.elem_count() / tokens.max(1), usize::from(side_by_side)].map(|size| size as u32);
    let mut launch = stream.launch_builder(&kernel);
    launch.arg(&values).arg(&cosines).arg(&sines).arg(&mut turned).arg(&stride);
    for size in &sizes {
        launch.arg(size);
    }
    if tokens > 0 {
        // SAFETY: the arguments are those of the kernel, and it stays within these sizes.
        unsafe { launch.launch(by_row(tokens, heads * size / 8)) }.w()?;
    }
    Ok(tensor(turned, device, (tokens, heads, size)))
}

/// See [`contiguous`](super::contiguous); `None` for layouts that are left to candle.
pub(super) fn contiguous(x: &Tensor) -> Result<Option<Tensor>> {
    match x.dtype() {
        DType::F32 => copy_in::<f32>(x),
        DType::BF16 => copy_in::<bf16>(x),
        DType::F16 => copy_in::<f16>(x),
        _ => Ok(None),
    }
}

fn copy_in<T: Element>(x: &Tensor) -> Result<Option<Tensor>> {
    let (storage, layout) = x.storage_and_layout();
    let (&[rows, others, width], &[of_row, of_other, 1]) = (layout.dims(), layout.stride()) else { return Ok(None) };
    // Sixteen bytes at a time.
    let at_once = 16 / size_of::<T>();
    if [width, of_row, of_other, layout.start_offset()].iter().any(|size| !size.is_multiple_of(at_once)) {
        return Ok(None);
    }
    let device = x.device().as_cuda_device()?;
    // SAFETY: the kernel writes all of it.
    let mut copy = unsafe { device.alloc::<T>(x.elem_count())? };
    let values = view::<T>(&storage, layout)?;
    let (kernel, stream) = (kernel(device, &format!("copy_{}", T::NAME))?, device.cuda_stream());
    let sizes = [rows, others, width].map(|size| size as u32);
    let mut launch = stream.launch_builder(&kernel);
    launch.arg(&values).arg(&mut copy).arg(&sizes[0]).arg(&sizes[1]).arg(&sizes[2]).arg(&of_row).arg(&of_other);
    // SAFETY: the arguments are those of the kernel, and it stays within these sizes.
    unsafe { launch.launch(by_row((x.elem_count() / at_once).div_ceil(256).max(1), 256)) }.w()?;
    Ok(Some(tensor(copy, device, (rows, others, width))))
}

/// See [`product_in_f32`](super::product_in_f32).
pub(super) fn product_in_f32(x: &Tensor, y: &Tensor, scale: f64) -> Result<Tensor> {
    match x.dtype() {
        DType::F32 => product_of::<f32>(x, y, scale as f32),
        DType::BF16 => product_of::<bf16>(x, y, scale as f32),
        DType::F16 => product_of::<f16>(x, y, scale as f32),
        dtype => bail!("product is not supported in {}", dtype.as_str()),
    }
}

fn product_of<T: Element>(x: &Tensor, y: &Tensor, scale: f32) -> Result<Tensor> {
    let (m, k, n) = (x.dim(x.rank() - 2)?, x.dim(x.rank() - 1)?, y.dim(y.rank() - 2)?);
    // Contiguous rows; matrices of a batch may have gaps between them.
    for operand in [x, y] {
        let strides = operand.stride();
        if operand.rank() > 3 || strides[strides.len() - 1] != 1 || strides[strides.len() - 2] != k {
            return Err(candle_core::Error::RequiresContiguous { op: "product in f32" });
        }
    }
    let batch = if x.rank() == 3 { x.dim(0)? } else { 1 };
    let of_batch = |operand: &Tensor| if operand.rank() == 3 { operand.stride()[0] as i64 } else { 0 };
    let device = x.device().as_cuda_device()?;
    let stream = device.cuda_stream();
    // SAFETY: cuBLAS writes all of it.
    let mut product = unsafe { device.alloc::<f32>(batch * m * n)? };
    let (of_x, layout) = x.storage_and_layout();
    let x_values = view::<T>(&of_x, layout)?;
    let (of_y, layout) = y.storage_and_layout();
    let y_values = view::<T>(&of_y, layout)?;
    let (zero, blas) = (0f32, device.cublas_handle());
    {
        let (x_at, _x) = x_values.device_ptr(&stream);
        let (y_at, _y) = y_values.device_ptr(&stream);
        let (product_at, _product) = product.device_ptr_mut(&stream);
        // In cuBLAS's column-major order, the product is y x^T.
        // SAFETY: sizes and strides are those of the operands, checked above.
        unsafe {
            result::gemm_strided_batched_ex(
                *blas.handle(),
                sys::cublasOperation_t::CUBLAS_OP_T,
                sys::cublasOperation_t::CUBLAS_OP_N,
                n as i32,
                m as i32,
                k as i32,
                (&raw const scale).cast(),
                y_at as *const _,
                T::TYPE,
                k as i32,
                of_batch(y),
                x_at as *const _,
                T::TYPE,
                k as i32,
                of_batch(x),
                (&raw const zero).cast(),
                product_at as *mut _,
                f32::TYPE,
                n as i32,
                (m * n) as i64,
                batch as i32,
                sys::cublasComputeType_t::CUBLAS_COMPUTE_32F,
                sys::cublasGemmAlgo_t::CUBLAS_GEMM_DEFAULT,
            )
        }
        .w()?;
    }
    let shape: Shape = if x.rank() == 3 { (batch, m, n).into() } else { (m, n).into() };
    Ok(tensor(product, device, shape))
}

fn kernel(device: &CudaDevice, name: &str) -> Result<CudaFunction> {
    static GIVEN: LazyLock<std::io::Result<Option<String>>> = LazyLock::new(|| {
        let folder = std::env::var_os(PTX_FOLDER);
        folder.map(|folder| std::fs::read_to_string(Path::new(&folder).join("kernels.ptx"))).transpose()
    });
    let ptx = match &*GIVEN {
        Ok(given) => given.as_deref().unwrap_or(PTX),
        Err(error) => bail!("{PTX_FOLDER}: kernels.ptx: {error}"),
    };
    Ok(device.get_or_load_custom_func(name, "tomeval", ptx)?.into_cuda_function())
}

/// One block of threads per row.
fn by_row(rows: usize, threads: usize) -> LaunchConfig {
    LaunchConfig {
        grid_dim: (rows as u32, 1, 1),
        block_dim: (threads.next_multiple_of(32).clamp(32, 512) as u32, 1, 1),
        shared_mem_bytes: 0,
    }
}

/// A tensor's values on the device.
fn view<'a, T: Element>(storage: &'a Storage, layout: &Layout) -> Result<CudaView<'a, T>> {
    match storage {
        Storage::Cuda(storage) => Ok(storage.as_cuda_slice::<T>()?.slice(layout.start_offset()..)),
        _ => bail!("the tensor is not on the GPU"),
    }
}

fn tensor<T: Element>(values: CudaSlice<T>, device: &CudaDevice, shape: impl Into<Shape>) -> Tensor {
    let storage = Storage::Cuda(CudaStorage::wrap_cuda_slice(values, device.clone()));
    Tensor::from_storage(storage, shape, BackpropOp::none(), false)
}
