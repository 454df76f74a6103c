//! Checks that a device computes correct products.

use candle_core::quantized::GgmlDType;
use candle_core::{DType, Device};
use serde::Serialize;

use super::{Precision, portable};

/// One product of a kind of weights on a device, compared with the CPU's.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckedProduct {
    /// Kind of weights: a dtype or a GGUF block type.
    pub weights: String,
    /// Largest absolute difference from the CPU's product, relative to the largest value; null if it exceeds rounding
    /// error.
    pub difference: Option<f32>,
    /// The error; null if there is none.
    pub problem: Option<String>,
}

/// GGUF block types that are used in products without expansion.
pub(super) const BLOCKS: [GgmlDType; 10] = [
    GgmlDType::Q4_0,
    GgmlDType::Q4_1,
    GgmlDType::Q5_0,
    GgmlDType::Q5_1,
    GgmlDType::Q8_0,
    GgmlDType::Q2K,
    GgmlDType::Q3K,
    GgmlDType::Q4K,
    GgmlDType::Q5K,
    GgmlDType::Q6K,
];

/// Multiplies once by each kind of weights that a device can hold, in tensor operations, and compares with the CPU in
/// f32. Blocks are multiplied in the dtype that the device uses for models in blocks.
pub fn checked_products(device: &Device) -> Vec<CheckedProduct> {
    let dense = [Precision::F32, Precision::BF16, Precision::F16];
    let dense = dense.into_iter().filter_map(|precision| portable::dtype(precision, device).ok());
    let in_blocks = portable::dtype(Precision::Quantized, device).unwrap_or(DType::F32);
    let kinds = dense.map(|dtype| (dtype, None)).chain(BLOCKS.map(|block| (in_blocks, Some(block))));
    let product = |(dtype, block): (DType, Option<GgmlDType>)| {
        let weights = block.map_or(dtype.as_str().to_string(), |block| format!("{block:?}"));
        match portable::check(device, dtype, block.as_slice()) {
            Ok(checked) => {
                let difference = checked.last().map(|(_, difference)| *difference);
                CheckedProduct { weights, difference, problem: None }
            }
            Err(error) => CheckedProduct { weights, difference: None, problem: Some(error.to_string()) },
        }
    };
    kinds.map(product).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_weights_has_a_product() {
        let products = checked_products(&Device::Cpu);
        assert_eq!(products.len(), 3 + BLOCKS.len());
        assert!(products.iter().all(|product| product.problem.is_none()), "{products:?}");
        let of =
            |weights: &str| products.iter().find(|product| product.weights == weights).unwrap().difference.unwrap();
        assert!(of("f32") < of("f16") && of("f16") < of("bf16"), "{products:?}");
    }
}
