//! The families of models, and how each names its tensors.

use strum::{EnumIter, EnumString, IntoStaticStr};

use crate::decoder::{Naming, QueryKeyNorm};

/// A family whose forward is computed, by the `model_type` of its configuration. GGUF files call a few of them by the same
/// names; Mistral and Llama files both say `llama` there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumIter, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(super) enum Family {
    Llama,
    Mistral,
    #[strum(serialize = "qwen2")]
    Qwen2,
    #[strum(serialize = "qwen3")]
    Qwen3,
    #[strum(serialize = "phi3")]
    Phi3,
    Glm,
    #[strum(serialize = "glm4")]
    Glm4,
    /// ChatGLM2, ChatGLM3 and the first GLM-4 release, in the authors' own configuration format.
    #[strum(serialize = "chatglm")]
    ChatGlm,
    #[strum(serialize = "olmo2")]
    Olmo2,
    Granite,
    #[strum(serialize = "smollm3")]
    SmolLm3,
    #[strum(serialize = "internlm3")]
    InternLm3,
    #[strum(serialize = "gemma2")]
    Gemma2,
    #[strum(serialize = "gemma3_text")]
    Gemma3Text,
}

impl Family {
    pub fn is_gemma(self) -> bool {
        matches!(self, Family::Gemma2 | Family::Gemma3Text)
    }

    pub fn is_glm(self) -> bool {
        matches!(self, Family::Glm | Family::Glm4)
    }

    pub fn query_key_norm(self) -> QueryKeyNorm {
        match self {
            Family::Qwen3 | Family::Gemma3Text => QueryKeyNorm::EachHead,
            Family::Olmo2 => QueryKeyNorm::WholeProjection,
            _ => QueryKeyNorm::Absent,
        }
    }

    /// Names in published safetensors files.
    pub fn naming(self) -> Naming {
        let norms = match self {
            Family::Gemma2 | Family::Gemma3Text => [
                Some("input_layernorm"),
                Some("post_attention_layernorm"),
                Some("pre_feedforward_layernorm"),
                Some("post_feedforward_layernorm"),
            ],
            Family::Glm4 => [
                Some("input_layernorm"),
                Some("post_self_attn_layernorm"),
                Some("post_attention_layernorm"),
                Some("post_mlp_layernorm"),
            ],
            Family::Olmo2 => [None, Some("post_attention_layernorm"), None, Some("post_feedforward_layernorm")],
            _ => NORMS_BEFORE,
        };
        match self {
            Family::ChatGlm => CHATGLM,
            Family::Phi3 => {
                Naming { norms, fused_qkv: Some("self_attn.qkv_proj"), fused_gate_up: Some("mlp.gate_up_proj"), ..HUB }
            }
            Family::Glm | Family::Glm4 => Naming { norms, fused_gate_up: Some("mlp.gate_up_proj"), ..HUB },
            _ => Naming { norms, ..HUB },
        }
    }

    /// Names in GGUF files; `None` for families that are not read from them.
    pub fn gguf_naming(self) -> Option<Naming> {
        match self {
            Family::Llama => Some(Naming { paired_rows: true, ..GGUF }),
            Family::Qwen2 | Family::Qwen3 => Some(GGUF),
            _ => None,
        }
    }
}

/// The tensor of GGUF files that holds divisors of the rotary frequencies.
pub(super) const ROPE_DIVISORS: &str = "rope_freqs.weight";

/// Norms before attention and feed-forward.
const NORMS_BEFORE: [Option<&str>; 4] = [Some("input_layernorm"), None, Some("post_attention_layernorm"), None];

/// The names most published checkpoints use.
const HUB: Naming = Naming {
    embedding: "model.embed_tokens.weight",
    final_norm: "model.norm.weight",
    head: "lm_head.weight",
    layer: "model.layers.",
    norms: NORMS_BEFORE,
    fused_qkv: None,
    fused_gate_up: None,
    query: "self_attn.q_proj",
    key: "self_attn.k_proj",
    value: "self_attn.v_proj",
    output: "self_attn.o_proj",
    gate: "mlp.gate_proj",
    up: "mlp.up_proj",
    down: "mlp.down_proj",
    query_norm: "self_attn.q_norm",
    key_norm: "self_attn.k_norm",
    paired_rows: false,
};

const CHATGLM: Naming = Naming {
    embedding: "transformer.embedding.word_embeddings.weight",
    final_norm: "transformer.encoder.final_layernorm.weight",
    head: "transformer.output_layer.weight",
    layer: "transformer.encoder.layers.",
    norms: NORMS_BEFORE,
    fused_qkv: Some("self_attention.query_key_value"),
    fused_gate_up: Some("mlp.dense_h_to_4h"),
    query: "",
    key: "",
    value: "",
    output: "self_attention.dense",
    gate: "",
    up: "",
    down: "mlp.dense_4h_to_h",
    query_norm: "",
    key_norm: "",
    paired_rows: false,
};

const GGUF: Naming = Naming {
    embedding: "token_embd.weight",
    final_norm: "output_norm.weight",
    head: "output.weight",
    layer: "blk.",
    norms: [Some("attn_norm"), None, Some("ffn_norm"), None],
    fused_qkv: None,
    fused_gate_up: None,
    query: "attn_q",
    key: "attn_k",
    value: "attn_v",
    output: "attn_output",
    gate: "ffn_gate",
    up: "ffn_up",
    down: "ffn_down",
    query_norm: "attn_q_norm",
    key_norm: "attn_k_norm",
    paired_rows: false,
};
