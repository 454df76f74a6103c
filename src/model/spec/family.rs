//! The families of models, and their names for tensors.

use strum::{EnumIter, EnumString, IntoStaticStr};

use crate::decoder::{ExpertNaming, LatentNaming, Naming, QueryKeyNorm};

/// A supported family, by the `model_type` of its configuration.
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
    Mixtral,
    #[strum(serialize = "qwen2_moe")]
    Qwen2Moe,
    #[strum(serialize = "qwen3_moe")]
    Qwen3Moe,
    #[strum(serialize = "deepseek_v2")]
    DeepseekV2,
    #[strum(serialize = "deepseek_v3")]
    DeepseekV3,
    /// Baichuan 1 and 2.
    Baichuan,
    /// The first Qwen.
    Qwen,
}

impl Family {
    pub fn is_gemma(self) -> bool {
        matches!(self, Family::Gemma2 | Family::Gemma3Text)
    }

    pub fn is_deepseek(self) -> bool {
        matches!(self, Family::DeepseekV2 | Family::DeepseekV3)
    }

    pub fn is_glm(self) -> bool {
        matches!(self, Family::Glm | Family::Glm4)
    }

    pub fn query_key_norm(self) -> QueryKeyNorm {
        match self {
            Family::Qwen3 | Family::Qwen3Moe | Family::Gemma3Text => QueryKeyNorm::EachHead,
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
            Family::Qwen => QWEN,
            Family::Baichuan => Naming { norms, fused_qkv: Some("self_attn.W_pack"), ..HUB },
            Family::Phi3 => {
                Naming { norms, fused_qkv: Some("self_attn.qkv_proj"), fused_gate_up: Some("mlp.gate_up_proj"), ..HUB }
            }
            Family::Mixtral => Naming { norms, experts: Some(MIXTRAL_EXPERTS), ..HUB },
            Family::Qwen2Moe | Family::Qwen3Moe => Naming { norms, experts: Some(HUB_EXPERTS), ..HUB },
            Family::DeepseekV2 | Family::DeepseekV3 => {
                Naming { norms, latent: Some(HUB_LATENT), experts: Some(DEEPSEEK_EXPERTS), ..HUB }
            }
            Family::Glm | Family::Glm4 => Naming { norms, fused_gate_up: Some("mlp.gate_up_proj"), ..HUB },
            _ => Naming { norms, ..HUB },
        }
    }
}

/// Families with layers other than attention, by `model_type` and by the architecture of GGUF files.
const RECURRENT: [&str; 30] = [
    "bamba",
    "falcon-h1",
    "falcon_h1",
    "falcon_mamba",
    "granitehybrid",
    "granitemoehybrid",
    "jamba",
    "kimi-linear",
    "kimi_linear",
    "lfm2",
    "lfm2_moe",
    "lfm2moe",
    "mamba",
    "mamba2",
    "minimax",
    "nemotron_h",
    "plamo2",
    "qwen35",
    "qwen35moe",
    "qwen3_5",
    "qwen3_5_moe",
    "qwen3_next",
    "qwen3next",
    "recurrent_gemma",
    "rwkv",
    "rwkv6",
    "rwkv7",
    "xlstm",
    "zamba",
    "zamba2",
];

/// Families whose positions have three parts: time, height and width.
const PLACED_IN_IMAGES: [&str; 6] = ["qwen2_vl", "qwen2vl", "qwen2_5_vl", "qwen3_vl", "qwen3vl", "qwen3_vl_moe"];

/// The unsupported feature of a family's models, where known.
pub(super) fn what_is_not_computed(family: &str) -> Option<&'static str> {
    if RECURRENT.contains(&family) {
        return Some("recurrent layers, which keep a state and no keys and values");
    }
    PLACED_IN_IMAGES.contains(&family).then_some("positions of three parts, for images")
}

/// An architecture of GGUF files: its name there, its family, and differences in the layout of its files. Layouts are
/// those written by llama.cpp's converter.
#[derive(Debug)]
pub(super) struct Architecture {
    /// `general.architecture`, and the prefix of the names of its settings.
    pub name: &'static str,
    pub family: Family,
    /// Names of its tensors.
    pub naming: Naming,
    /// Whether queries, keys and values may be one matrix (`attn_qkv`).
    pub may_fuse_qkv: bool,
}

impl Architecture {
    const fn new(name: &'static str, family: Family, naming: Naming) -> Self {
        Architecture { name, family, naming, may_fuse_qkv: false }
    }
}

/// Files of Mistral and InternLM3 say `llama`; those of InternLM2 split its fused matrix into three, laid out as
/// Llama's.
pub(super) const ARCHITECTURES: [Architecture; 17] = [
    // Files of Mixtral also use this name, and have experts.
    Architecture::new("llama", Family::Llama, Naming { paired_rows: true, experts: Some(GGUF_EXPERTS), ..GGUF }),
    Architecture::new("qwen2", Family::Qwen2, GGUF),
    Architecture::new("qwen3", Family::Qwen3, GGUF),
    Architecture::new("qwen2moe", Family::Qwen2Moe, Naming { experts: Some(GGUF_EXPERTS), ..GGUF }),
    Architecture::new("qwen3moe", Family::Qwen3Moe, Naming { experts: Some(GGUF_EXPERTS), ..GGUF }),
    Architecture::new(
        "deepseek2",
        Family::DeepseekV2,
        Naming { latent: Some(GGUF_LATENT), experts: Some(GGUF_EXPERTS), ..GGUF },
    ),
    Architecture::new("gemma2", Family::Gemma2, Naming { norms: GGUF_SANDWICH, ..GGUF }),
    Architecture::new("gemma3", Family::Gemma3Text, Naming { norms: GGUF_SANDWICH, ..GGUF }),
    Architecture {
        may_fuse_qkv: true,
        ..Architecture::new("phi3", Family::Phi3, Naming { fused_gate_up: Some("ffn_up"), ..GGUF })
    },
    Architecture {
        may_fuse_qkv: true,
        ..Architecture::new(
            "glm4",
            Family::Glm4,
            Naming { norms: GGUF_SANDWICH, fused_gate_up: Some("ffn_up"), ..GGUF },
        )
    },
    Architecture {
        may_fuse_qkv: true,
        ..Architecture::new("chatglm", Family::ChatGlm, Naming { fused_gate_up: Some("ffn_up"), ..GGUF })
    },
    Architecture::new("baichuan", Family::Baichuan, Naming { paired_rows: true, ..GGUF }),
    Architecture { may_fuse_qkv: true, ..Architecture::new("qwen", Family::Qwen, GGUF) },
    Architecture::new("granite", Family::Granite, Naming { paired_rows: true, ..GGUF }),
    Architecture::new(
        "olmo2",
        Family::Olmo2,
        Naming { norms: [None, Some("post_attention_norm"), None, Some("post_ffw_norm")], ..GGUF },
    ),
    Architecture::new("smollm3", Family::SmolLm3, Naming { paired_rows: true, ..GGUF }),
    Architecture::new("internlm2", Family::Llama, Naming { paired_rows: true, ..GGUF }),
];

/// Queries, keys and values in one matrix of a GGUF file.
pub(super) const GGUF_FUSED_QKV: &str = "attn_qkv";

/// The tensor of GGUF files that holds divisors of the rotary frequencies.
pub(super) const ROPE_DIVISORS: &str = "rope_freqs.weight";

/// The tensors of GGUF files that hold the factors of LongRoPE: for short sequences, for long ones.
pub(super) const LONG_FACTORS: [&str; 2] = ["rope_factors_short.weight", "rope_factors_long.weight"];

/// Norms before and after attention and feed-forward, in GGUF files.
const GGUF_SANDWICH: [Option<&str>; 4] =
    [Some("attn_norm"), Some("post_attention_norm"), Some("ffn_norm"), Some("post_ffw_norm")];

/// Norms before attention and feed-forward.
const NORMS_BEFORE: [Option<&str>; 4] = [Some("input_layernorm"), None, Some("post_attention_layernorm"), None];

/// The names in most published checkpoints.
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
    latent: None,
    experts: None,
};

/// The names in most mixtures.
const HUB_EXPERTS: ExpertNaming = ExpertNaming {
    router: "mlp.gate",
    numbered: Some("mlp.experts."),
    products: ["gate_proj", "up_proj", "down_proj"],
    shared: ["mlp.shared_expert.gate_proj", "mlp.shared_expert.up_proj", "mlp.shared_expert.down_proj"],
    shared_gate: "mlp.shared_expert_gate",
    correction: "",
};

const DEEPSEEK_EXPERTS: ExpertNaming = ExpertNaming {
    shared: ["mlp.shared_experts.gate_proj", "mlp.shared_experts.up_proj", "mlp.shared_experts.down_proj"],
    correction: "mlp.gate.e_score_correction_bias",
    ..HUB_EXPERTS
};

/// The names of latent attention in published checkpoints.
const HUB_LATENT: LatentNaming = LatentNaming {
    query: ["self_attn.q_a_proj", "self_attn.q_a_layernorm", "self_attn.q_b_proj"],
    key_value: ["self_attn.kv_a_proj_with_mqa", "self_attn.kv_a_layernorm", "self_attn.kv_b_proj"],
    apart: None,
};

const GGUF_LATENT: LatentNaming = LatentNaming {
    query: ["attn_q_a", "attn_q_a_norm", "attn_q_b"],
    key_value: ["attn_kv_a_mqa", "attn_kv_a_norm", "attn_kv_b"],
    apart: None,
};

/// Separate tensors for keys and values from the latent, as in newer GGUF files.
pub(super) const GGUF_APART: [&str; 2] = ["attn_k_b", "attn_v_b"];

const GGUF_EXPERTS: ExpertNaming = ExpertNaming {
    router: "ffn_gate_inp",
    numbered: None,
    products: ["ffn_gate_exps", "ffn_up_exps", "ffn_down_exps"],
    shared: ["ffn_gate_shexp", "ffn_up_shexp", "ffn_down_shexp"],
    shared_gate: "ffn_gate_inp_shexp",
    correction: "exp_probs_b.bias",
};

const MIXTRAL_EXPERTS: ExpertNaming = ExpertNaming {
    router: "block_sparse_moe.gate",
    numbered: Some("block_sparse_moe.experts."),
    products: ["w1", "w3", "w2"],
    ..HUB_EXPERTS
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
    latent: None,
    experts: None,
};

/// Of its two input matrices of the feed-forward block, `w2` is the gate.
const QWEN: Naming = Naming {
    embedding: "transformer.wte.weight",
    final_norm: "transformer.ln_f.weight",
    layer: "transformer.h.",
    norms: [Some("ln_1"), None, Some("ln_2"), None],
    fused_qkv: Some("attn.c_attn"),
    output: "attn.c_proj",
    gate: "mlp.w2",
    up: "mlp.w1",
    down: "mlp.c_proj",
    ..HUB
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
    latent: None,
    experts: None,
};
