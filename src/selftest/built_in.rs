//! Fixtures inside the program: one of each kind of computation, about 5 MB.

use std::io;
use std::path::Path;

macro_rules! files {
    ($($path:literal),* $(,)?) => {
        [$(($path, include_bytes!(concat!("../../tests/fixtures/", $path)).as_slice())),*]
    };
}

/// Files by their path below the fixtures folder.
const FILES: [(&str, &[u8]); 39] = files![
    "precisions.json",
    "llama/config.json",
    "llama/model.safetensors",
    "llama/expected.safetensors",
    "qwen2/config.json",
    "qwen2/model.safetensors",
    "qwen2/expected.safetensors",
    "qwen3/config.json",
    "qwen3/model.safetensors",
    "qwen3/expected.safetensors",
    "gemma2/config.json",
    "gemma2/model.safetensors",
    "gemma2/expected.safetensors",
    "gemma3_text/config.json",
    "gemma3_text/model.safetensors",
    "gemma3_text/expected.safetensors",
    "phi3_longrope/config.json",
    "phi3_longrope/model.safetensors",
    "phi3_longrope/expected.safetensors",
    "glm4/config.json",
    "glm4/model.safetensors",
    "glm4/expected.safetensors",
    "olmo2/config.json",
    "olmo2/model.safetensors",
    "olmo2/expected.safetensors",
    "mixtral/config.json",
    "mixtral/model.safetensors",
    "mixtral/expected.safetensors",
    "deepseek_v3/config.json",
    "deepseek_v3/model.safetensors",
    "deepseek_v3/expected.safetensors",
    "baichuan2_13b/config.json",
    "baichuan2_13b/model.safetensors",
    "baichuan2_13b/expected.safetensors",
    "gguf/llama-f32.gguf",
    "gguf/llama-q8_0.gguf",
    "gguf/llama-q8_0.expected.safetensors",
    "gguf/qwen3-moe-f16.gguf",
    "gguf/qwen3-moe.expected.safetensors",
];

/// Writes all of them below a folder.
pub(super) fn write(folder: &Path) -> io::Result<()> {
    for (path, bytes) in FILES {
        let path = folder.join(path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, bytes)?;
    }
    Ok(())
}
