//! Pages of `tomeval attend` with the rows that they show.

use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::Value;

use super::context::{Run, TestContext};
use super::tiny_models::tiny_model_of;

/// An analysis on disk, with its JSON document and its rows.
pub struct Written {
    context: TestContext,
    pub document: Value,
    tensors: Vec<u8>,
}

impl Written {
    /// Of one English item and one Chinese, with more of the inventory where `arguments` ask for them.
    pub fn new(model: &Path, arguments: &[&str]) -> Written {
        let context = TestContext::new();
        let mut command = context.command(&["attend", "--offline", "--json", "--language", "en"]);
        command.args(["--language", "zh", "--model"]).arg(model).args(arguments);
        if !arguments.contains(&"--deletion-draws") {
            command.args(["--deletion-draws", "2"]);
        }
        if !arguments.contains(&"--limit") {
            command.args(["--item", "demo/cake-tin/0/en", "--item", "demo/cake-tin/0/zh"]);
        }
        for (flag, name) in [("--html", "page.html"), ("--tensors", "rows.safetensors")] {
            command.arg(flag).arg(context.path(name));
        }
        let document = command.run().success().json();
        let tensors = fs::read(context.path("rows.safetensors")).unwrap();
        Written { document, tensors, context }
    }

    pub fn page(&self) -> PathBuf {
        self.context.path("page.html")
    }

    /// Rows of a query, `(layer, head, position)`, with their numbers of layers and heads.
    pub fn rows(&self, case: usize, query: &str) -> (usize, usize, Vec<f64>) {
        let file = safetensors::SafeTensors::deserialize(&self.tensors).unwrap();
        let tensor = file.tensor(&format!("{case}/{query}/weights")).unwrap();
        let values = tensor.data().chunks(4).map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap()).into());
        (tensor.shape()[0], tensor.shape()[1], values.collect())
    }

    /// Whether a setting is on.
    pub fn asks(&self, key: &str) -> bool {
        self.document["settings"][key].as_bool().unwrap()
    }
}

/// The data that a page holds packed.
pub fn data_of(page: &str) -> Value {
    let (_, rest) = page.split_once(r#"id="data">"#).unwrap();
    let (packed, _) = rest.split_once("</script>").unwrap();
    let bytes = BASE64.decode(packed).unwrap();
    serde_json::from_reader(flate2::read::ZlibDecoder::new(&bytes[..])).unwrap()
}

/// A tiny model whose heads look at few tokens, as those of trained models do: random weights look nearly everywhere alike.
pub fn sharp_model(folder: &Path) -> PathBuf {
    let model = tiny_model_of(folder, "llama");
    let path = model.join("model.safetensors");
    let mut bytes = fs::read(&path).unwrap();
    let start = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let header: Value = serde_json::from_slice(&bytes[8..start]).unwrap();
    for (_, tensor) in header.as_object().unwrap().iter().filter(|(name, _)| name.contains("q_proj")) {
        let place = |end: usize| start + tensor["data_offsets"][end].as_u64().unwrap() as usize;
        for value in bytes[place(0)..place(1)].chunks_exact_mut(4) {
            let sharp = 40.0 * f32::from_le_bytes(value.try_into().unwrap());
            value.copy_from_slice(&sharp.to_le_bytes());
        }
    }
    fs::write(path, bytes).unwrap();
    model
}
