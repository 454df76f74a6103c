//! Tensors that count every operation and reject those that CUDA would reject.
//!
//! The methods have the names of candle's tensor methods. No other file of `portable` computes with candle, so that the
//! counts are complete. The rules follow candle 0.11's `cuda_backend`: a non-contiguous operand costs a transfer of its
//! sizes and strides, as do all reductions and selections; products and selections accept only some layouts, where the
//! CPU accepts all.

use candle_core::quantized::QTensor;
use candle_core::{D, DType, Device, Result, Shape, Tensor, WithDType};
use half::{bf16, f16};
use rayon::prelude::*;

use super::kernels;
use super::work::{Work, add, timed};
use crate::decoder::spec::Activation;

/// A tensor on a device.
#[derive(Debug, Clone)]
pub struct Array(Tensor);

/// Cost of an operation in addition to its bytes.
#[derive(Clone, Copy)]
enum Kind {
    /// Sizes and strides are sent if an operand is not contiguous.
    Mapped,
    /// Sizes and strides are always sent.
    Reduced,
    /// Nothing is sent.
    Fused,
}

impl From<Tensor> for Array {
    fn from(tensor: Tensor) -> Array {
        Array(tensor)
    }
}

impl Array {
    /// Sends values to a device.
    #[track_caller]
    pub fn send<T: WithDType>(values: Vec<T>, shape: impl Into<Shape>, device: &Device) -> Result<Array> {
        let shape = shape.into();
        let sent = timed("upload", device, &[&shape], || Tensor::from_vec(values, &shape, device))?;
        let sent = Array(sent);
        add(Work { uploads: 1, bytes: sent.bytes(), ..Work::default() });
        Ok(sent)
    }

    /// Sends indices of rows or columns to a device.
    #[track_caller]
    pub fn places(places: impl IntoIterator<Item = usize>, device: &Device) -> Result<Array> {
        let places: Vec<u32> = places.into_iter().map(|place| place as u32).collect();
        let count = places.len();
        Array::send(places, count, device)
    }

    /// Sends f32 values in another type. All threads of the host round them, so that half the bytes are sent and the
    /// device holds only one copy.
    #[track_caller]
    pub fn send_as(values: Vec<f32>, shape: impl Into<Shape>, dtype: DType, device: &Device) -> Result<Array> {
        match dtype {
            DType::BF16 => Array::send(values.into_par_iter().map(bf16::from_f32).collect::<Vec<_>>(), shape, device),
            DType::F16 => Array::send(values.into_par_iter().map(f16::from_f32).collect::<Vec<_>>(), shape, device),
            _ => Array::send(values, shape, device)?.to_dtype(dtype),
        }
    }

    /// Zeros on a device.
    #[track_caller]
    pub fn zeros(shape: impl Into<Shape>, dtype: DType, device: &Device) -> Result<Array> {
        let shape = shape.into();
        let zeros = Array(timed("zeros", device, &[&shape], || Tensor::zeros(&shape, dtype, device))?);
        add(Work { launches: 1, bytes: zeros.bytes(), ..Work::default() });
        Ok(zeros)
    }

    /// Expands blocks to f32.
    #[track_caller]
    pub fn expand(blocks: &QTensor) -> Result<Array> {
        let device = blocks.device();
        let expanded = Array(timed("expand", &device, &[blocks.shape()], || blocks.dequantize(&device))?);
        let bytes = blocks.storage_size_in_bytes() as u64 + expanded.bytes();
        add(Work { launches: 1, bytes, ..Work::default() });
        Ok(expanded)
    }

    /// The tensor itself; its further use is not counted.
    pub fn into_tensor(self) -> Tensor {
        self.0
    }

    pub fn dtype(&self) -> DType {
        self.0.dtype()
    }

    pub fn device(&self) -> &Device {
        self.0.device()
    }

    pub fn dim(&self, dim: impl candle_core::shape::Dim) -> Result<usize> {
        self.0.dim(dim)
    }

    /// Size of the last dimension.
    pub fn width(&self) -> usize {
        self.0.dims().last().copied().unwrap_or(1)
    }

    /// Bytes read when it is an operand: a broadcast dimension is read once.
    fn bytes(&self) -> u64 {
        let sizes = self.0.dims().iter().zip(self.0.stride());
        let elements: usize = sizes.filter(|(_, stride)| **stride > 0).map(|(size, _)| *size).product();
        (elements * self.0.dtype().size_in_bytes()) as u64
    }

    /// Computes with one kernel, and counts it.
    #[track_caller]
    fn launch(
        operation: &'static str,
        kind: Kind,
        operands: &[&Array],
        of: impl FnOnce() -> Result<Tensor>,
    ) -> Result<Array> {
        let shapes: Vec<&Shape> = operands.iter().map(|operand| operand.0.shape()).collect();
        let out = Array(timed(operation, operands[0].device(), &shapes, of)?);
        let uploads = match kind {
            Kind::Mapped => u64::from(operands.iter().any(|operand| !operand.0.is_contiguous())),
            Kind::Reduced => 1,
            Kind::Fused => 0,
        };
        let bytes = out.bytes() + operands.iter().map(|operand| operand.bytes()).sum::<u64>();
        add(Work { launches: 1, uploads, bytes, ..Work::default() });
        Ok(out)
    }

    /// Moves values with one kernel, and counts it.
    #[track_caller]
    fn moved(&self, operation: &'static str, uploads: u64, of: impl FnOnce() -> Result<Tensor>) -> Result<Array> {
        let out = Array(timed(operation, self.device(), &[self.0.shape()], of)?);
        add(Work { launches: 1, copies: 1, uploads, bytes: 2 * out.bytes(), ..Work::default() });
        Ok(out)
    }

    /// Rejects layouts that CUDA kernels do not accept.
    fn check_contiguous(&self, op: &'static str) -> Result<()> {
        match self.0.is_contiguous() {
            true => Ok(()),
            false => Err(candle_core::Error::RequiresContiguous { op }),
        }
    }

    fn check_f32(&self, op: &'static str) -> Result<()> {
        self.check_contiguous(op)?;
        match self.dtype() {
            DType::F32 => Ok(()),
            got => Err(candle_core::Error::UnexpectedDType { msg: op, expected: DType::F32, got }),
        }
    }

    // Views, which are free.

    pub fn narrow(&self, dim: usize, start: usize, len: usize) -> Result<Array> {
        self.0.narrow(dim, start, len).map(Array)
    }

    pub fn transpose(&self, one: usize, other: usize) -> Result<Array> {
        self.0.transpose(one, other).map(Array)
    }

    pub fn t(&self) -> Result<Array> {
        self.0.t().map(Array)
    }

    pub fn squeeze(&self, dim: usize) -> Result<Array> {
        self.0.squeeze(dim).map(Array)
    }

    pub fn unsqueeze(&self, dim: usize) -> Result<Array> {
        self.0.unsqueeze(dim).map(Array)
    }

    pub fn broadcast_as(&self, shape: impl Into<Shape>) -> Result<Array> {
        self.0.broadcast_as(shape).map(Array)
    }

    // Copies.

    /// Copies if not contiguous.
    #[track_caller]
    pub fn reshape(&self, shape: impl candle_core::shape::ShapeWithOneHole) -> Result<Array> {
        Ok(Array(self.contiguous()?.0.reshape(shape)?))
    }

    /// Copies if not contiguous.
    #[track_caller]
    pub fn contiguous(&self) -> Result<Array> {
        match self.0.is_contiguous() {
            true => Ok(self.clone()),
            false => self.moved("contiguous", 1, || kernels::contiguous(&self.0)),
        }
    }

    #[track_caller]
    pub fn cat(parts: &[Array], dim: usize) -> Result<Array> {
        if let [one] = parts {
            return Ok(one.clone());
        }
        let tensors: Vec<&Tensor> = parts.iter().map(|part| &part.0).collect();
        let shapes: Vec<&Shape> = tensors.iter().map(|tensor| tensor.shape()).collect();
        let device = parts.first().map_or(&Device::Cpu, Array::device);
        let joined = Array(timed("cat", device, &shapes, || Tensor::cat(&tensors, dim))?);
        let kept_order = joined.0.is_contiguous();
        let filled = parts.iter().filter(|part| part.0.elem_count() > 0);
        let (launches, strided) = filled.fold((0, 0), |(count, strided), part| {
            (count + 1, strided + u64::from(!kept_order && !part.0.is_contiguous()))
        });
        let bytes = 2 * joined.bytes();
        add(Work { launches, copies: launches, uploads: strided, bytes, ..Work::default() });
        Ok(joined)
    }

    #[track_caller]
    pub fn stack(parts: &[Array], dim: usize) -> Result<Array> {
        let parts: Vec<Array> = parts.iter().map(|part| part.unsqueeze(dim)).collect::<Result<_>>()?;
        Array::cat(&parts, dim)
    }

    /// Writes `source` in place, from `offset` of `dim` on.
    #[track_caller]
    pub fn slice_set(&self, source: &Array, dim: usize, offset: usize) -> Result<()> {
        timed("slice-set", self.device(), &[source.0.shape()], || self.0.slice_set(&source.0, dim, offset))?;
        add(Work { launches: 1, copies: 1, bytes: 2 * source.bytes(), ..Work::default() });
        Ok(())
    }

    #[track_caller]
    pub fn index_select(&self, places: &Array, dim: usize) -> Result<Array> {
        self.check_contiguous("index-select")?;
        self.moved("index-select", 1, || self.0.index_select(&places.0, dim))
    }

    #[track_caller]
    pub fn index_add(&self, places: &Array, source: &Array, dim: usize) -> Result<Array> {
        self.check_contiguous("index-add")?;
        source.check_contiguous("index-add")?;
        // The whole tensor is copied first.
        let copied = self.moved("index-add", 0, || self.0.index_add(&places.0, &source.0, dim))?;
        add(Work { launches: 1, bytes: copied.bytes() + source.bytes(), ..Work::default() });
        Ok(copied)
    }

    /// Values copied to the host, row by row.
    #[track_caller]
    pub fn values<T: WithDType>(&self) -> Result<Vec<T>> {
        let flat = self.reshape(self.0.elem_count())?;
        add(Work { downloads: 1, downloaded: flat.bytes(), bytes: flat.bytes(), ..Work::default() });
        timed("download", self.device(), &[flat.0.shape()], || flat.0.to_vec1())
    }

    // Arithmetic.

    /// Costs a launch if the type changes.
    #[track_caller]
    pub fn to_dtype(&self, dtype: DType) -> Result<Array> {
        match self.dtype() == dtype {
            true => Ok(self.clone()),
            false => Array::launch("to-dtype", Kind::Mapped, &[self], || self.0.to_dtype(dtype)),
        }
    }

    /// `self * factor + term`.
    #[track_caller]
    pub fn affine(&self, factor: f64, term: f64) -> Result<Array> {
        Array::launch("affine", Kind::Mapped, &[self], || self.0.affine(factor, term))
    }

    #[track_caller]
    fn unary(&self, operation: &'static str, of: impl Fn(&Tensor) -> Result<Tensor>) -> Result<Array> {
        Array::launch(operation, Kind::Mapped, &[self], || of(&self.0))
    }

    #[track_caller]
    pub fn sqr(&self) -> Result<Array> {
        self.unary("sqr", Tensor::sqr)
    }

    #[track_caller]
    pub fn sqrt(&self) -> Result<Array> {
        self.unary("sqrt", Tensor::sqrt)
    }

    #[track_caller]
    pub fn tanh(&self) -> Result<Array> {
        self.unary("tanh", Tensor::tanh)
    }

    #[track_caller]
    pub fn exp(&self) -> Result<Array> {
        self.unary("exp", Tensor::exp)
    }

    #[track_caller]
    pub fn log(&self) -> Result<Array> {
        self.unary("log", Tensor::log)
    }

    #[track_caller]
    fn binary(
        &self,
        operation: &'static str,
        other: &Array,
        of: impl Fn(&Tensor, &Tensor) -> Result<Tensor>,
    ) -> Result<Array> {
        // A broadcast operand is not contiguous.
        let shape = self.0.shape().broadcast_shape_binary_op(other.0.shape(), operation)?;
        let expanded = [self, other].map(|operand| operand.broadcast_as(&shape));
        let [one, another] = expanded;
        Array::launch(operation, Kind::Mapped, &[&one?, &another?], || of(&self.0, &other.0))
    }

    #[track_caller]
    pub fn add(&self, other: &Array) -> Result<Array> {
        self.binary("add", other, Tensor::broadcast_add)
    }

    #[track_caller]
    pub fn sub(&self, other: &Array) -> Result<Array> {
        self.binary("sub", other, Tensor::broadcast_sub)
    }

    #[track_caller]
    pub fn mul(&self, other: &Array) -> Result<Array> {
        self.binary("mul", other, Tensor::broadcast_mul)
    }

    #[track_caller]
    pub fn maximum(&self, other: &Array) -> Result<Array> {
        self.binary("maximum", other, Tensor::broadcast_maximum)
    }

    /// 1 where `self >= other`, else 0.
    #[track_caller]
    pub fn ge(&self, other: &Array) -> Result<Array> {
        self.binary("ge", other, Tensor::broadcast_ge)
    }

    /// 1 where `self < other`, else 0.
    #[track_caller]
    pub fn lt(&self, other: &Array) -> Result<Array> {
        self.binary("lt", other, Tensor::broadcast_lt)
    }

    #[track_caller]
    fn reduced(&self, operation: &'static str, of: impl FnOnce(&Tensor) -> Result<Tensor>) -> Result<Array> {
        Array::launch(operation, Kind::Reduced, &[self], || of(&self.0))
    }

    #[track_caller]
    pub fn sum(&self, dim: impl candle_core::shape::Dims) -> Result<Array> {
        self.reduced("sum", |tensor| tensor.sum(dim.to_indexes(tensor.shape(), "sum")?))
    }

    #[track_caller]
    pub fn sum_keepdim(&self, dim: D) -> Result<Array> {
        self.reduced("sum", |tensor| tensor.sum_keepdim(dim))
    }

    #[track_caller]
    pub fn max_keepdim(&self, dim: D) -> Result<Array> {
        self.reduced("max", |tensor| tensor.max_keepdim(dim))
    }

    #[track_caller]
    pub fn min_keepdim(&self, dim: D) -> Result<Array> {
        self.reduced("min", |tensor| tensor.min_keepdim(dim))
    }

    /// `softmax(cap * tanh(self) + mask)` of f32 scores `(_, _, width)` along the last dimension, rounded to `dtype`;
    /// the rows of the mask `(queries, width)` repeat cyclically. Without a cap there is no tanh.
    #[track_caller]
    pub fn softmax(&self, mask: Option<&Array>, cap: Option<f32>, dtype: DType) -> Result<Array> {
        self.check_f32("softmax")?;
        mask.map_or(Ok(()), |mask| mask.check_f32("softmax"))?;
        let operands: Vec<&Array> = [self].into_iter().chain(mask).collect();
        add(Work { scores: self.0.elem_count() as u64, ..Work::default() });
        Array::launch("softmax", Kind::Fused, &operands, || {
            kernels::softmax(&self.0, mask.map(|mask| &mask.0), cap, dtype)
        })
    }

    /// `activation(gate) * up` of rows `(gate, up)`, in f32 and rounded once.
    #[track_caller]
    pub fn gate(&self, activation: Activation) -> Result<Array> {
        self.check_contiguous("gate")?;
        Array::launch("gate", Kind::Fused, &[self], || kernels::gate(&self.0, activation))
    }

    /// `self / rms(self) * weight` along the last dimension. In 16 bits it is computed in f32 and rounded once.
    #[track_caller]
    pub fn rms_norm(&self, weight: &Array, eps: f32) -> Result<Array> {
        self.check_contiguous("rms-norm")?;
        Array::launch("rms-norm", Kind::Fused, &[self, weight], || match self.dtype() {
            // Candle's CUDA kernel reads and writes 16 bits and computes in f32; its CPU version computes in 16 bits.
            dtype @ (DType::BF16 | DType::F16) if self.device().is_cpu() => {
                let [x, weight] = [&self.0, &weight.0].map(|tensor| tensor.to_dtype(DType::F32));
                candle_nn::ops::rms_norm(&x?, &weight?, eps)?.to_dtype(dtype)
            }
            _ => candle_nn::ops::rms_norm(&self.0, &weight.0, eps),
        })
    }

    /// Rotates heads `(tokens, heads, size)` by angles `(tokens, 1, pairs)`, in f32 and rounded once to `dtype`: the
    /// two columns of a pair are adjacent, or `pairs` columns apart, and columns after all pairs are unchanged. Rows
    /// may have other columns between them.
    #[track_caller]
    pub fn rotate(&self, cos: &Array, sin: &Array, side_by_side: bool, dtype: DType) -> Result<Array> {
        cos.check_f32("rope")?;
        sin.check_f32("rope")?;
        if self.0.stride()[1..] != [self.width(), 1] {
            return Err(candle_core::Error::RequiresContiguous { op: "rope" });
        }
        Array::launch("rotate", Kind::Fused, &[self, cos, sin], || {
            kernels::rotate(&self.0, &cos.0, &sin.0, side_by_side, dtype)
        })
    }

    /// Log-sum-exp along the last dimension.
    #[track_caller]
    pub fn log_sum_exp(&self) -> Result<Array> {
        let max = self.max_keepdim(D::Minus1)?;
        let sum = self.sub(&max)?.exp()?.sum_keepdim(D::Minus1)?.log()?.add(&max)?;
        Ok(Array(sum.0.squeeze(D::Minus1)?))
    }

    /// `scale * self other^T` in f32, whatever the type of both: matrices, or a batch of them, with contiguous rows.
    #[track_caller]
    pub fn product_in_f32(&self, other: &Array, scale: f64) -> Result<Array> {
        if self.dtype() != other.dtype() {
            let (lhs, rhs) = (self.dtype(), other.dtype());
            return Err(candle_core::Error::DTypeMismatchBinaryOp { lhs, rhs, op: "product" });
        }
        self.check_matrix()?;
        other.t()?.check_matrix()?;
        Array::launch("product-in-f32", Kind::Fused, &[self, other], || {
            kernels::product_in_f32(&self.0, &other.0, scale)
        })
    }

    /// Matrix product. Layouts that candle does not pass to cuBLAS are rejected on every device.
    #[track_caller]
    pub fn matmul(&self, other: &Array) -> Result<Array> {
        self.check_matrix()?;
        other.check_matrix()?;
        Array::launch("product", Kind::Fused, &[self, other], || self.0.matmul(&other.0))
    }

    /// Rejects matrices that are neither row-major nor column-major without gaps.
    fn check_matrix(&self) -> Result<()> {
        let (sizes, strides) = (self.0.dims(), self.0.stride());
        let [.., rows, columns] = *sizes else { return self.check_contiguous("matmul") };
        let [.., of_row, of_column] = *strides else { return self.check_contiguous("matmul") };
        let by_rows = (of_column == 1 || columns == 1) && (of_row == columns || rows == 1);
        let by_columns = (of_column == rows || columns == 1) && (of_row == 1 || rows == 1);
        match (by_rows || by_columns) && sizes.len() <= 3 {
            true => Ok(()),
            false => Err(candle_core::Error::RequiresContiguous { op: "matmul" }),
        }
    }
}
