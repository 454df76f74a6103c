//! Compares one product of each kind of weight on a device with the CPU's before a model is loaded, so that a faulty
//! device is reported instead of producing wrong scores.

use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::{DType, Device, Tensor};
use rand::Rng;

use super::array::Array;
use super::device::{built_for, named};
use super::linear::Linear;
use crate::decoder::DecoderError;
use crate::decoder::ops::Weight;
use crate::decoder::weights::{Matrix, Stack};
use crate::seed::seeded;

/// Rows, outputs and inputs of the products: more than one tile, and whole blocks of every GGUF type.
const SIZES: [usize; 3] = [9, 96, 256];

/// Compares products of dense weights in `dtype` and of these GGUF types with the CPU's. Returns each type with its
/// largest difference, relative to the largest exact value.
pub fn check(device: &Device, dtype: DType, blocks: &[GgmlDType]) -> Result<Vec<(String, f32)>, DecoderError> {
    let [rows, outputs, inputs] = SIZES;
    let mut random = seeded(0, "products", 0);
    let mut draw = |count: usize| (0..count).map(|_| random.random_range(-1.0..1.0)).collect::<Vec<f32>>();
    let (x, weight) = (draw(rows * inputs), draw(outputs * inputs));
    let x = Tensor::from_vec(x, (rows, inputs), &Device::Cpu)?.to_dtype(dtype)?;
    let dense = Tensor::from_vec(weight.clone(), (outputs, inputs), &Device::Cpu)?;
    let mut kinds: Vec<(String, Weight, Tensor)> = Vec::new();
    let stack = Stack::new(Matrix::plain(weight, &[outputs, inputs]));
    kinds.push((dtype.as_str().to_string(), Weight::Dense(stack), dense.to_dtype(dtype)?));
    for &block in blocks {
        let quantized = QTensor::quantize(&dense, block)?;
        let expanded = quantized.dequantize(&Device::Cpu)?;
        kinds.push((format!("{block:?}"), Weight::Blocks(quantized), expanded));
    }
    let mut checked = Vec::with_capacity(kinds.len());
    for (kind, weight, expanded) in kinds {
        let exact = x.to_dtype(DType::F32)?.matmul(&expanded.to_dtype(DType::F32)?.t()?)?;
        let linear = Linear::new(vec![weight], inputs, None, dtype, device)?;
        let sent = Array::from(x.to_device(device)?);
        let rounded = compare(device, &kind, &linear.of(&sent)?.into_tensor(), &exact, dtype)?;
        let in_f32 = compare(device, &kind, &linear.in_f32(&sent)?.into_tensor(), &exact, dtype)?;
        checked.push((kind, rounded.max(in_f32)));
    }
    Ok(checked)
}

/// The largest difference of a product, relative to the largest exact value. A difference larger than rounding to
/// `dtype` explains is an error.
fn compare(device: &Device, kind: &str, found: &Tensor, exact: &Tensor, dtype: DType) -> Result<f32, DecoderError> {
    let flat = |tensor: &Tensor| tensor.to_device(&Device::Cpu)?.to_dtype(DType::F32)?.flatten_all()?.to_vec1::<f32>();
    let (found, exact) = (flat(found)?, flat(exact)?);
    let largest = exact.iter().fold(0.0f32, |largest, value| largest.max(value.abs()));
    let bound = largest * if dtype == DType::F32 { 1e-3 } else { 2e-2 };
    let differences: Vec<f32> = found.iter().zip(&exact).map(|(found, exact)| (found - exact).abs()).collect();
    match differences.iter().copied().find(|difference| difference.is_nan() || *difference > bound) {
        None => Ok(differences.into_iter().fold(0.0, f32::max) / largest),
        Some(difference) => Err(DecoderError::WrongProduct {
            device: named(device),
            kind: kind.to_string(),
            difference,
            built_for: built_for(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_weight_passes_where_products_are_right() {
        use GgmlDType::{Q2K, Q3K, Q4_0, Q4_1, Q4K, Q5_0, Q5_1, Q5K, Q6K, Q8_0};
        for dtype in [DType::F32, DType::BF16, DType::F16] {
            let blocks = [Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q2K, Q3K, Q4K, Q5K, Q6K];
            let checked = check(&Device::Cpu, dtype, &blocks).unwrap();
            assert_eq!(checked.len(), 1 + blocks.len());
            assert!(dtype == DType::F32 || checked.iter().all(|(_, difference)| *difference > 0.0), "{checked:?}");
        }
    }

    #[test]
    fn a_wrong_product_is_an_error_that_names_the_kind() {
        let exact = Tensor::new(&[[4.0f32, -2.0]], &Device::Cpu).unwrap();
        for wrong in [[4.0f32, 2.0], [4.0, f32::NAN], [f32::INFINITY, -2.0]] {
            let found = Tensor::new(&[wrong], &Device::Cpu).unwrap();
            let error = compare(&Device::Cpu, "Q4K", &found, &exact, DType::BF16).unwrap_err().to_string();
            assert!(error.contains("Q4K") && error.contains("--device cpu"), "{error}");
        }
        compare(&Device::Cpu, "Q4K", &exact, &exact, DType::F32).unwrap();
    }
}
