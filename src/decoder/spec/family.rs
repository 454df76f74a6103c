//! Names of the weights: which tensor of which file is which part of the skeleton.

/// A norm's place in a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Block {
    BeforeAttention,
    AfterAttention,
    BeforeMlp,
    AfterMlp,
}

impl Block {
    pub const ALL: [Block; 4] = [Block::BeforeAttention, Block::AfterAttention, Block::BeforeMlp, Block::AfterMlp];
}

/// A matrix product of a layer, or one of its pieces where a family stores them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Query,
    Key,
    Value,
    /// Queries, keys and values in one matrix.
    QueryKeyValue,
    Output,
    Gate,
    Up,
    /// Gate rows, then up rows.
    GateUp,
    Down,
    QueryNorm,
    KeyNorm,
}

/// A family's names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Naming {
    pub embedding: &'static str,
    pub final_norm: &'static str,
    pub head: &'static str,
    /// What stands before the layer's number.
    pub layer: &'static str,
    /// Norm names by [`Block`]; absent where the family has no norm there.
    pub norms: [Option<&'static str>; 4],
    pub fused_qkv: Option<&'static str>,
    pub fused_gate_up: Option<&'static str>,
    /// Query, key, value, output, gate, up, down, query norm, key norm.
    pub parts: [&'static str; 9],
    /// Whether query and key rows of each head stand in the pair order of GGUF's `llama` files.
    pub paired_rows: bool,
}

/// Norms before attention and feed-forward.
pub(super) const NORMS_BEFORE: [Option<&str>; 4] =
    [Some("input_layernorm"), None, Some("post_attention_layernorm"), None];

/// The names most published checkpoints use.
pub(super) const HUB: Naming = Naming {
    embedding: "model.embed_tokens.weight",
    final_norm: "model.norm.weight",
    head: "lm_head.weight",
    layer: "model.layers.",
    norms: NORMS_BEFORE,
    fused_qkv: None,
    fused_gate_up: None,
    parts: [
        "self_attn.q_proj",
        "self_attn.k_proj",
        "self_attn.v_proj",
        "self_attn.o_proj",
        "mlp.gate_proj",
        "mlp.up_proj",
        "mlp.down_proj",
        "self_attn.q_norm",
        "self_attn.k_norm",
    ],
    paired_rows: false,
};

/// ChatGLM2, ChatGLM3 and the first GLM-4 release.
pub(super) const CHATGLM: Naming = Naming {
    embedding: "transformer.embedding.word_embeddings.weight",
    final_norm: "transformer.encoder.final_layernorm.weight",
    head: "transformer.output_layer.weight",
    layer: "transformer.encoder.layers.",
    norms: NORMS_BEFORE,
    fused_qkv: Some("self_attention.query_key_value"),
    fused_gate_up: Some("mlp.dense_h_to_4h"),
    parts: ["", "", "", "self_attention.dense", "", "", "mlp.dense_4h_to_h", "", ""],
    paired_rows: false,
};

/// GGUF files.
pub(super) const GGUF: Naming = Naming {
    embedding: "token_embd.weight",
    final_norm: "output_norm.weight",
    head: "output.weight",
    layer: "blk.",
    norms: [Some("attn_norm"), None, Some("ffn_norm"), None],
    fused_qkv: None,
    fused_gate_up: None,
    parts: [
        "attn_q",
        "attn_k",
        "attn_v",
        "attn_output",
        "ffn_gate",
        "ffn_up",
        "ffn_down",
        "attn_q_norm",
        "attn_k_norm",
    ],
    paired_rows: false,
};

impl Naming {
    /// The name of a norm, if the family has it.
    pub fn norm_of(&self, block: Block) -> Option<&'static str> {
        self.norms[block as usize]
    }

    /// Full name of a norm's weight in a layer.
    pub fn norm(&self, layer: usize, block: Block) -> Option<String> {
        self.norm_of(block).map(|name| format!("{}{layer}.{name}.weight", self.layer))
    }

    /// Full name of a part in a layer, without `.weight` or `.bias`; fused parts only where the family has them.
    pub fn part(&self, layer: usize, part: Part) -> Option<String> {
        let name = match part {
            Part::Query => Some(self.parts[0]),
            Part::Key => Some(self.parts[1]),
            Part::Value => Some(self.parts[2]),
            Part::QueryKeyValue => self.fused_qkv,
            Part::Output => Some(self.parts[3]),
            Part::Gate => Some(self.parts[4]),
            Part::Up => Some(self.parts[5]),
            Part::GateUp => self.fused_gate_up,
            Part::Down => Some(self.parts[6]),
            Part::QueryNorm => Some(self.parts[7]),
            Part::KeyNorm => Some(self.parts[8]),
        };
        name.map(|name| format!("{}{layer}.{name}", self.layer))
    }
}
