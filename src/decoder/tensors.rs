//! Which tensors a model of some shape consists of. Loading reads by this list, and files are checked against it.

use super::spec::{DecoderSpec, QueryKeyNorm};

/// Matrices with the same inputs that form one product, each with a bias of its own or none with any.
pub(super) struct Product {
    /// The matrices, one below the other.
    pub parts: Vec<Part>,
    /// Columns of each.
    pub inputs: usize,
    /// Whether they have biases.
    pub bias: bool,
}

/// One matrix of a product.
pub(super) struct Part {
    /// Its name within the layer.
    pub name: &'static str,
    /// Its rows.
    pub outputs: usize,
    /// Size of the heads whose rows are in pair order in the file.
    pub paired: Option<usize>,
}

impl Part {
    fn new(name: &'static str, outputs: usize) -> Part {
        Part { name, outputs, paired: None }
    }
}

impl DecoderSpec {
    /// Queries, keys and values.
    pub(super) fn query_key_value(&self) -> Product {
        let (names, queries, keys) = (&self.naming, self.query_width(), self.kv_width());
        let paired = names.paired_rows.then_some(self.head_dim);
        let parts = match names.fused_qkv {
            Some(fused) => vec![Part::new(fused, queries + 2 * keys)],
            None => vec![
                Part { paired, ..Part::new(names.query, queries) },
                Part { paired, ..Part::new(names.key, keys) },
                Part::new(names.value, keys),
            ],
        };
        Product { parts, inputs: self.hidden, bias: self.qkv_bias }
    }

    /// The product after attention.
    pub(super) fn attention_output(&self) -> Product {
        let parts = vec![Part::new(self.naming.output, self.hidden)];
        Product { parts, inputs: self.query_width(), bias: self.output_bias }
    }

    /// The first products of the feed-forward network.
    pub(super) fn gate_up(&self) -> Product {
        let (names, width) = (&self.naming, self.intermediate);
        let parts = match names.fused_gate_up {
            Some(fused) => vec![Part::new(fused, 2 * width)],
            None => vec![Part::new(names.gate, width), Part::new(names.up, width)],
        };
        Product { parts, inputs: self.hidden, bias: self.mlp_bias }
    }

    /// The last product of the feed-forward network.
    pub(super) fn down(&self) -> Product {
        let parts = vec![Part::new(self.naming.down, self.hidden)];
        Product { parts, inputs: self.intermediate, bias: self.mlp_bias }
    }

    /// Names and widths of the norms on queries and keys.
    pub(super) fn query_key_norms(&self) -> Option<[(&'static str, usize); 2]> {
        let (query, key) = match self.query_key_norm {
            QueryKeyNorm::Absent => return None,
            QueryKeyNorm::EachHead => (self.head_dim, self.head_dim),
            QueryKeyNorm::WholeProjection => (self.query_width(), self.kv_width()),
        };
        Some([(self.naming.query_norm, query), (self.naming.key_norm, key)])
    }

    /// Full name of a tensor of a layer; `kind` is `weight` or `bias`.
    pub(super) fn tensor_name(&self, layer: usize, name: &str, kind: &str) -> String {
        format!("{}{layer}.{name}.{kind}", self.naming.layer)
    }

    /// Name and shape of every tensor that loading reads.
    pub(crate) fn tensors(&self) -> impl Iterator<Item = (String, Vec<usize>)> + '_ {
        let table = |name: &str| (name.to_string(), vec![self.vocab_size, self.hidden]);
        let outside = [table(self.naming.embedding), (self.naming.final_norm.to_string(), vec![self.hidden])];
        let head = (!self.tied_head).then(|| table(self.naming.head));
        outside.into_iter().chain(head).chain((0..self.layers).flat_map(|layer| self.tensors_of_layer(layer)))
    }

    fn tensors_of_layer(&self, layer: usize) -> Vec<(String, Vec<usize>)> {
        let mut tensors = Vec::new();
        let block_norms = self.naming.norms.into_iter().flatten().map(|name| (name, self.hidden));
        for (name, width) in block_norms.chain(self.query_key_norms().into_iter().flatten()) {
            tensors.push((self.tensor_name(layer, name, "weight"), vec![width]));
        }
        for product in [self.query_key_value(), self.attention_output(), self.gate_up(), self.down()] {
            for part in product.parts {
                tensors.push((self.tensor_name(layer, part.name, "weight"), vec![part.outputs, product.inputs]));
                if product.bias {
                    tensors.push((self.tensor_name(layer, part.name, "bias"), vec![part.outputs]));
                }
            }
        }
        tensors
    }
}
