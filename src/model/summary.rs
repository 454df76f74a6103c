//! What a model's files say of it, without loading weights.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use candle_core::quantized::gguf_file::{Content, Value as GgufValue};
use serde::Serialize;
use serde_json::Value;

use super::{ModelError, ModelFiles, Weights, gguf_header};

/// Shapes and sizes of a model. What the files do not say is `None`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// `safetensors` or `gguf`.
    pub format: &'static str,
    /// Architecture family as the files name it, for instance `llama`.
    pub family: Option<String>,
    /// Transformer layers.
    pub layers: Option<u64>,
    /// Width of the residual stream.
    pub hidden: Option<u64>,
    /// Width inside the MLP.
    pub intermediate: Option<u64>,
    /// Query heads.
    pub heads: Option<u64>,
    /// Key and value heads.
    pub key_value_heads: Option<u64>,
    /// Width of a head.
    pub head_size: Option<u64>,
    /// Rows of the embedding.
    pub vocabulary: Option<u64>,
    /// Longest sequence the model was made for.
    pub context: Option<u64>,
    /// Base of the rotary embedding.
    pub rope_base: Option<f64>,
    /// Tensors in the files.
    pub tensors: usize,
    /// Numbers in those tensors.
    pub parameters: u64,
    /// Numbers by how they are stored.
    pub stored_as: BTreeMap<String, u64>,
    /// Bytes of the weight files.
    pub file_bytes: u64,
    /// Bytes of all weights as 32-bit floats, which is how the CPU computes by default.
    pub f32_bytes: u64,
}

/// A tensor as a file's header lists it.
struct Tensor {
    name: String,
    shape: Vec<u64>,
    stored_as: String,
}

impl Summary {
    /// Read configuration and headers.
    ///
    /// # Errors
    /// Files that cannot be read, are malformed or cut short.
    pub fn of(files: &ModelFiles) -> Result<Self, ModelError> {
        let file_bytes = files.weight_bytes()?;
        match &files.weights {
            Weights::Safetensors { config, files, .. } => {
                let mut tensors = Vec::new();
                for file in files {
                    tensors.extend(safetensors_header(file)?);
                }
                let text = std::fs::read(config).map_err(|source| ModelError::Read { path: config.clone(), source })?;
                let config: Value = serde_json::from_slice(&text)
                    .map_err(|error| ModelError::Malformed { path: config.clone(), problem: error.to_string() })?;
                Ok(Summary::of_config(&config, &tensors, file_bytes))
            }
            Weights::Gguf { path } => Ok(Summary::of_gguf(&gguf_header(path)?, file_bytes)),
        }
    }

    fn of_config(config: &Value, tensors: &[Tensor], file_bytes: u64) -> Self {
        // ChatGLM's configuration has names of its own.
        let number = |names: &[&str]| names.iter().find_map(|name| config.get(name).and_then(Value::as_u64));
        let hidden = number(&["hidden_size"]);
        let heads = number(&["num_attention_heads"]);
        let rope = config.get("rope_parameters").and_then(|rope| rope.get("rope_theta")).or(config.get("rope_theta"));
        Summary {
            format: "safetensors",
            family: config.get("model_type").and_then(Value::as_str).map(str::to_string),
            layers: number(&["num_hidden_layers", "num_layers"]),
            hidden,
            intermediate: number(&["intermediate_size", "ffn_hidden_size"]),
            heads,
            key_value_heads: number(&["num_key_value_heads", "multi_query_group_num"]).or(heads),
            head_size: number(&["head_dim", "kv_channels"]).or_else(|| hidden?.checked_div(heads?)),
            vocabulary: embedding_rows(tensors).or(number(&["vocab_size", "padded_vocab_size"])),
            context: number(&["max_position_embeddings", "seq_length"]),
            rope_base: rope.and_then(Value::as_f64),
            ..Summary::of_tensors("safetensors", tensors, file_bytes)
        }
    }

    fn of_gguf(content: &Content, file_bytes: u64) -> Self {
        let family = match content.metadata.get("general.architecture") {
            Some(GgufValue::String(family)) => Some(family.clone()),
            _ => None,
        };
        let tensors: Vec<Tensor> = content
            .tensor_infos
            .iter()
            .map(|(name, info)| Tensor {
                name: name.clone(),
                shape: info.shape.dims().iter().map(|&size| size as u64).collect(),
                stored_as: format!("{:?}", info.ggml_dtype),
            })
            .collect();
        let value = |key: &str| content.metadata.get(&format!("{}.{key}", family.as_deref()?));
        let number = |key: &str| value(key).and_then(|value| value.to_u32().ok()).map(u64::from);
        let (hidden, heads) = (number("embedding_length"), number("attention.head_count"));
        Summary {
            layers: number("block_count"),
            hidden,
            intermediate: number("feed_forward_length"),
            heads,
            key_value_heads: number("attention.head_count_kv").or(heads),
            head_size: number("attention.key_length").or_else(|| hidden?.checked_div(heads?)),
            vocabulary: embedding_rows(&tensors).or(number("vocab_size")),
            context: number("context_length"),
            rope_base: value("rope.freq_base").and_then(|value| value.to_f32().ok()).map(f64::from),
            ..Summary { family: family.clone(), ..Summary::of_tensors("gguf", &tensors, file_bytes) }
        }
    }

    fn of_tensors(format: &'static str, tensors: &[Tensor], file_bytes: u64) -> Self {
        let mut stored_as = BTreeMap::new();
        for tensor in tensors {
            *stored_as.entry(tensor.stored_as.clone()).or_default() += tensor.shape.iter().product::<u64>();
        }
        let parameters = stored_as.values().sum();
        Summary {
            format,
            family: None,
            layers: None,
            hidden: None,
            intermediate: None,
            heads: None,
            key_value_heads: None,
            head_size: None,
            vocabulary: None,
            context: None,
            rope_base: None,
            tensors: tensors.len(),
            parameters,
            stored_as,
            file_bytes,
            f32_bytes: parameters * 4,
        }
    }
}

fn embedding_rows(tensors: &[Tensor]) -> Option<u64> {
    const NAMES: [&str; 3] =
        ["model.embed_tokens.weight", "token_embd.weight", "transformer.embedding.word_embeddings.weight"];
    tensors.iter().find(|tensor| NAMES.contains(&tensor.name.as_str()))?.shape.first().copied()
}

/// The header of a safetensors file: eight bytes of length, JSON, and offsets that must lie inside the file.
fn safetensors_header(path: &Path) -> Result<Vec<Tensor>, ModelError> {
    #[derive(serde::Deserialize)]
    struct Entry {
        dtype: String,
        shape: Vec<u64>,
        data_offsets: (u64, u64),
    }
    /// Larger headers do not occur; a longer one is a broken file, not something to make room for.
    const LONGEST: u64 = 100_000_000;
    let read = |source| ModelError::Read { path: path.to_path_buf(), source };
    let malformed = |problem: String| ModelError::Malformed { path: PathBuf::from(path), problem };
    let file = File::open(path).map_err(read)?;
    let size = file.metadata().map_err(read)?.len();
    let mut reader = BufReader::new(file);
    let mut length = [0; 8];
    reader.read_exact(&mut length).map_err(|_| malformed("cut short: it has no header".to_string()))?;
    let length = u64::from_le_bytes(length);
    if length > LONGEST || length + 8 > size {
        return Err(malformed(format!("not a safetensors file, or cut short: a header of {length} bytes in {size}")));
    }
    let mut header = vec![0; length as usize];
    reader.read_exact(&mut header).map_err(read)?;
    let mut header: serde_json::Map<String, Value> =
        serde_json::from_slice(&header).map_err(|error| malformed(format!("header: {error}")))?;
    header.remove("__metadata__");
    let mut tensors = Vec::with_capacity(header.len());
    for (name, entry) in header {
        let entry: Entry =
            serde_json::from_value(entry).map_err(|error| malformed(format!("header, tensor {name}: {error}")))?;
        if 8 + length + entry.data_offsets.1 > size {
            return Err(malformed(format!(
                "cut short: tensor {name} ends behind the file's {size} bytes; fetch it again"
            )));
        }
        tensors.push(Tensor { name, shape: entry.shape, stored_as: entry.dtype });
    }
    Ok(tensors)
}
