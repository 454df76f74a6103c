//! Checkpoints of 8-bit floats with a factor for each square, as DeepSeek publishes them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use candle_core::{DType, Device, Tensor};
use safetensors::tensor::{Dtype, TensorView};
use serde_json::{Value, json};
use tomeval::{Decoder, ModelFiles, Pass, Precision};

use crate::support::files::read_json;
use crate::support::fixture;

const FAMILY: &str = "deepseek_v3";
const SQUARE: usize = 128;

struct Stored {
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

fn f32s(values: &[f32], shape: &[usize]) -> Stored {
    let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    Stored { dtype: Dtype::F32, shape: shape.to_vec(), bytes }
}

/// The tiny DeepSeek-V3 with the matrices of its layers in 8 bits, and the same with what these stand for.
fn write(eight_bits: &Path, expanded: &Path) {
    let tensors = candle_core::safetensors::load(fixture(FAMILY).join("model.safetensors"), &Device::Cpu).unwrap();
    let (mut reduced, mut whole) = (BTreeMap::new(), BTreeMap::new());
    for (name, tensor) in tensors {
        let shape = tensor.dims().to_vec();
        let values: Vec<f32> = tensor.flatten_all().unwrap().to_vec1().unwrap();
        // The router is not quantised.
        if !name.contains("_proj") {
            whole.insert(name.clone(), f32s(&values, &shape));
            reduced.insert(name, f32s(&values, &shape));
            continue;
        }
        assert!(shape.iter().all(|&size| size <= SQUARE), "one square");
        let factor = values.iter().fold(0f32, |largest, value| largest.max(value.abs())) / 448.0;
        let scaled: Vec<f32> = values.iter().map(|value| value / factor).collect();
        let rounded =
            Tensor::from_vec(scaled, shape.as_slice(), &Device::Cpu).unwrap().to_dtype(DType::F8E4M3).unwrap();
        let back: Vec<f32> = rounded.to_dtype(DType::F32).unwrap().flatten_all().unwrap().to_vec1().unwrap();
        let codes: Vec<u8> = back.iter().map(|&value| code(value)).collect();
        let values: Vec<f32> = back.iter().map(|value| value * factor).collect();
        whole.insert(name.clone(), f32s(&values, &shape));
        reduced.insert(format!("{name}_scale_inv"), f32s(&[factor], &[1, 1]));
        reduced.insert(name, Stored { dtype: Dtype::F8_E4M3, shape, bytes: codes });
    }
    for (folder, tensors) in [(eight_bits, &reduced), (expanded, &whole)] {
        for entry in fs::read_dir(fixture(FAMILY)).unwrap() {
            let path = entry.unwrap().path();
            fs::copy(&path, folder.join(path.file_name().unwrap())).unwrap();
        }
        save(folder, tensors);
    }
    configure(
        eight_bits,
        Some(json!({
            "activation_scheme": "dynamic", "fmt": "e4m3", "quant_method": "fp8", "weight_block_size": [SQUARE, SQUARE]
        })),
    );
}

/// The byte of a value that 8 bits hold exactly.
fn code(value: f32) -> u8 {
    let sign = if value.is_sign_negative() { 0x80 } else { 0 };
    let size = value.abs();
    if size < 2f32.powi(-6) {
        return sign | (size * 512.0) as u8;
    }
    let exponent = size.log2().floor();
    sign | (((exponent as i32 + 7) as u8) << 3) | ((size / exponent.exp2() - 1.0) * 8.0) as u8
}

fn save(folder: &Path, tensors: &BTreeMap<String, Stored>) {
    let views = tensors.iter().map(|(name, stored)| {
        (name.as_str(), TensorView::new(stored.dtype, stored.shape.clone(), &stored.bytes).unwrap())
    });
    let bytes = safetensors::serialize(views, None).unwrap();
    fs::write(folder.join("model.safetensors"), bytes).unwrap();
}

fn configure(folder: &Path, quantisation: Option<Value>) {
    let path = folder.join("config.json");
    let mut config = read_json(&path);
    config["quantization_config"] = quantisation.unwrap_or(Value::Null);
    fs::write(path, config.to_string()).unwrap();
}

fn logits(folder: &Path) -> Vec<f32> {
    let decoder: Decoder = ModelFiles::from_path(folder).unwrap().decoder(&Device::Cpu, Precision::F32).unwrap();
    let tokens: Vec<u32> = (0..30).map(|at| at * 37 % 320).collect();
    let output = decoder.forward(&mut decoder.cache(), &Pass::sequence(&tokens, 0)).unwrap();
    decoder.logits(&output.hidden).unwrap().flatten_all().unwrap().to_vec1().unwrap()
}

fn said(folder: &Path) -> String {
    ModelFiles::from_path(folder)
        .and_then(|files| files.open())
        .err()
        .map(|error| error.to_string())
        .unwrap_or_default()
}

#[test]
fn eight_bit_checkpoints_compute_what_their_bytes_stand_for() {
    let [eight_bits, expanded] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    write(eight_bits.path(), expanded.path());
    let [found, expected, exact] = [eight_bits.path(), expanded.path(), &fixture(FAMILY)].map(logits);
    assert_eq!(found, expected);
    assert_ne!(found, exact, "nothing was rounded: nothing was tested");
}

#[test]
fn what_is_wrong_with_eight_bit_checkpoints_is_said() {
    let [folder, other] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    write(folder.path(), other.path());
    let says = |quantisation: Value, parts: &[&str]| {
        configure(folder.path(), Some(quantisation));
        let message = said(folder.path());
        parts.iter().for_each(|part| assert!(message.contains(part), "`{part}` is not said: {message}"));
    };
    for method in ["gptq", "awq", "mxfp4", "bitsandbytes"] {
        says(json!({"quant_method": method}), &["quantization_config.quant_method", method, "GGUF"]);
    }
    says(json!({"quant_method": "fp8", "weight_block_size": [64, 64]}), &["weight_block_size", "[128, 128]"]);
    says(json!({"quant_method": "fp8"}), &["weight_block_size", "[128, 128]"]);
    says(json!({"quant_method": "fp8", "fmt": "e5m2", "weight_block_size": [128, 128]}), &["fmt", "e5m2", "e4m3"]);

    // A matrix whose factors are not there.
    let bytes = fs::read(folder.path().join("model.safetensors")).unwrap();
    let file = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    let lost = "model.layers.0.self_attn.o_proj.weight_scale_inv";
    let kept = file.iter().filter(|(name, _)| *name != lost).map(|(name, view)| {
        let stored = Stored { dtype: view.dtype(), shape: view.shape().to_vec(), bytes: view.data().to_vec() };
        (name.to_string(), stored)
    });
    let kept: BTreeMap<String, Stored> = kept.collect();
    save(folder.path(), &kept);
    says(json!({"quant_method": "fp8", "weight_block_size": [128, 128]}), &["model.safetensors", lost]);
}
