//! The tiny models of the fixtures, with room for prompts of ordinary length: a longer context changes nothing else in models
//! with plain rotary positions.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde_json::json;
use tempfile::TempDir;

use super::files::{copy_folder, edit_json};
use super::fixture;

/// The Llama, in the folder `tiny`.
pub fn tiny_model(folder: &Path) -> PathBuf {
    copy("llama", &folder.join("tiny"))
}

/// The model of a family, in a folder of that name.
pub fn tiny_model_of(folder: &Path, family: &str) -> PathBuf {
    copy(family, &folder.join(family))
}

fn copy(family: &str, to: &Path) -> PathBuf {
    copy_folder(&fixture(family), to);
    edit_json(&to.join("config.json"), |config| config["max_position_embeddings"] = json!(16384));
    to.to_path_buf()
}

/// The model of the family Qwen 3, which several tests read and none changes.
pub fn shared_tiny_model() -> &'static Path {
    static MODEL: OnceLock<(TempDir, PathBuf)> = OnceLock::new();
    let (_, model) = MODEL.get_or_init(|| {
        let folder = TempDir::new().unwrap();
        let model = tiny_model_of(folder.path(), "qwen3");
        (folder, model)
    });
    model
}

/// The Llama without a chat template.
pub fn base_model(folder: &Path) -> PathBuf {
    let model = tiny_model(folder);
    edit_json(&model.join("tokenizer_config.json"), |settings| {
        settings.as_object_mut().unwrap().remove("chat_template");
    });
    model
}
