//! GGUF models that are split into several files.

use std::fs;
use std::path::{Path, PathBuf};

use candle_core::Device;
use candle_core::quantized::QTensor;
use candle_core::quantized::gguf_file::{Content, Value, write};
use tempfile::TempDir;
use tomeval::{ModelFiles, Pass, Precision};

use crate::support::fixture;

/// The tiny llama in `count` files, laid out as llama-gguf-split does: settings in the first alone, tensors in all.
fn split(folder: &Path, count: usize) -> Vec<PathBuf> {
    let mut file = fs::File::open(fixture("gguf/llama-f32.gguf")).unwrap();
    let content = Content::read(&mut file).unwrap();
    let mut names: Vec<&String> = content.tensor_infos.keys().collect();
    names.sort();
    let per_part = names.len().div_ceil(count);
    let mut paths = Vec::new();
    for (number, names) in names.chunks(per_part).enumerate() {
        let tensors: Vec<(&str, QTensor)> =
            names.iter().map(|name| (name.as_str(), content.tensor(&mut file, name, &Device::Cpu).unwrap())).collect();
        let tensors: Vec<(&str, &QTensor)> = tensors.iter().map(|(name, tensor)| (*name, tensor)).collect();
        let own = [("split.no", Value::U16(number as u16)), ("split.count", Value::U16(count as u16))];
        let of_model: Vec<(&str, &Value)> = match number {
            0 => content.metadata.iter().map(|(key, value)| (key.as_str(), value)).collect(),
            _ => Vec::new(),
        };
        let metadata: Vec<(&str, &Value)> =
            of_model.into_iter().chain(own.iter().map(|(key, value)| (*key, value))).collect();
        let path = folder.join(format!("m-{:05}-of-{count:05}.gguf", number + 1));
        write(&mut fs::File::create(&path).unwrap(), &metadata, &tensors).unwrap();
        paths.push(path);
    }
    assert_eq!(paths.len(), count);
    paths
}

fn logits(path: &Path) -> Vec<f32> {
    let decoder = ModelFiles::from_path(path).unwrap().decoder(&Device::Cpu, Precision::F32).unwrap();
    let output = decoder.forward(&mut decoder.cache(), &Pass::sequence(&[5, 17, 200, 3, 90], 0)).unwrap();
    decoder.logits(&output.hidden).unwrap().flatten_all().unwrap().to_vec1().unwrap()
}

fn said(path: &Path) -> String {
    let opened = ModelFiles::from_path(path).and_then(|files| files.open());
    opened.err().map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn parts_are_the_whole() {
    let folder = TempDir::new().unwrap();
    let parts = split(folder.path(), 3);
    let whole = logits(&fixture("gguf/llama-f32.gguf"));
    assert_eq!(logits(&parts[0]), whole, "by the first part");
    assert_eq!(logits(folder.path()), whole, "by the folder");
    let files = ModelFiles::from_path(&parts[0]).unwrap();
    assert_eq!(files.hashes().unwrap().len(), 3, "every part is among the hashes of a run");
    assert!(files.text_parts().is_ok());
}

#[test]
fn what_is_not_whole_is_told_with_its_parts() {
    let folder = TempDir::new().unwrap();
    let parts = split(folder.path(), 3);
    let later = said(&parts[1]);
    assert!(later.contains("a later part") && later.contains("m-00001-of-00003.gguf"), "{later}");
    let third = fs::read(&parts[2]).unwrap();
    fs::remove_file(&parts[2]).unwrap();
    let missing = said(&parts[0]);
    assert!(missing.contains("m-00003-of-00003.gguf is missing"), "{missing}");
    // A part under another's name, and one that has its tensors from another.
    fs::write(&parts[2], fs::read(&parts[1]).unwrap()).unwrap();
    let confused = said(&parts[0]);
    assert!(
        confused.contains("m-00003-of-00003.gguf") && confused.contains("its metadata say part 2 of 3"),
        "{confused}"
    );
    fs::write(&parts[2], &third[..third.len() - 100]).unwrap();
    let cut = said(&parts[0]);
    assert!(cut.contains("m-00003-of-00003.gguf") && cut.contains("cut short"), "{cut}");
    // One part alone under a plain name.
    let alone = folder.path().join("alone.gguf");
    fs::copy(&parts[0], &alone).unwrap();
    let one = said(&alone);
    assert!(one.contains("part 1 of 3") && one.contains("-00001-of-00003.gguf"), "{one}");
}
