//! Modules of a model by their transformers names, and their rows in the model's file.

use std::ops::Range;

use super::super::spec;
use crate::decoder::{DecoderSpec, Naming};

/// Rows of a tensor in the file. Heads of `paired` rows are in pair order.
pub(super) struct Rows {
    pub tensor: String,
    pub rows: Range<usize>,
    /// First of the module's rows that these are.
    pub from: usize,
    pub paired: Option<usize>,
}

/// Location of a module's rows.
pub(super) struct Target {
    pub rows: Vec<Rows>,
    pub columns: usize,
}

/// One product of a layer: its stacked matrices, as in transformers and as in the file.
struct Stacked {
    own: Vec<(&'static str, usize)>,
    file: Vec<(&'static str, usize, Option<usize>)>,
    columns: usize,
    bias: bool,
}

/// The modules of a model by their transformers names.
pub(super) struct Base<'a> {
    spec: &'a DecoderSpec,
    pub names: Naming,
}

impl<'a> Base<'a> {
    pub fn from_spec(spec: &'a DecoderSpec) -> Self {
        Base { spec, names: spec::module_names(spec) }
    }

    /// The module of the head.
    pub fn head(&self) -> &'static str {
        self.names.head.trim_end_matches(".weight")
    }

    /// The layer of a module, if any, and its name there.
    pub fn layer_of<'m>(&self, module: &'m str) -> (Option<usize>, &'m str) {
        let inner = module.strip_prefix(self.names.layer).and_then(|inner| inner.split_once('.'));
        match inner.and_then(|(layer, name)| Some((layer.parse().ok()?, name))) {
            Some((layer, name)) => (Some(layer), name),
            None => (None, module),
        }
    }

    fn products(&self) -> [Stacked; 4] {
        let spec = self.spec;
        let (queries, keys, width) = (spec.query_width(), spec.kv_width(), spec.intermediate);
        let attention = |names: &Naming| {
            let paired = names.paired_rows.then_some(spec.head_dim);
            match names.fused_qkv {
                Some(fused) => vec![(fused, queries + 2 * keys, None)],
                None => vec![(names.query, queries, paired), (names.key, keys, paired), (names.value, keys, None)],
            }
        };
        let gate_up = |names: &Naming| match names.fused_gate_up {
            Some(fused) => vec![(fused, 2 * width, None)],
            None => vec![(names.gate, width, None), (names.up, width, None)],
        };
        let one = |name: &'static str| vec![(name, spec.hidden, None)];
        let stacked = |own: Vec<(&'static str, usize, Option<usize>)>, file, columns, bias| Stacked {
            own: own.into_iter().map(|(name, rows, _)| (name, rows)).collect(),
            file,
            columns,
            bias,
        };
        let (own, file) = (&self.names, &spec.naming);
        [
            stacked(attention(own), attention(file), spec.hidden, spec.qkv_bias),
            stacked(one(own.output), one(file.output), spec.query_width(), spec.output_bias),
            stacked(gate_up(own), gate_up(file), spec.hidden, spec.mlp_bias),
            stacked(one(own.down), one(file.down), width, spec.mlp_bias),
        ]
    }

    /// All matrices of the layers, and the head.
    pub fn matrices(&self, layers: usize) -> Vec<String> {
        let products = self.products();
        let names: Vec<&str> = products.iter().flat_map(|product| product.own.iter().map(|(name, _)| *name)).collect();
        let of_layer = |layer: usize| names.iter().map(move |name| format!("{}{layer}.{name}", self.names.layer));
        let embedding = self.names.embedding.trim_end_matches(".weight");
        let outside = [embedding, self.head()].map(str::to_string);
        (0..layers).flat_map(of_layer).chain(outside).collect()
    }

    /// Location of a module's weight or bias rows in the file; `None` where the model has no such module.
    pub fn rows(&self, module: &str, kind: &str) -> Option<Target> {
        let spec = self.spec;
        let whole = |tensor: &str, rows: usize, columns: usize| {
            let rows = vec![Rows { tensor: tensor.to_string(), rows: 0..rows, from: 0, paired: None }];
            Some(Target { rows, columns })
        };
        let full = format!("{module}.{kind}");
        if full == self.names.embedding {
            return whole(spec.naming.embedding, spec.vocab_size, spec.hidden);
        }
        if full == self.names.head {
            return whole(spec.naming.head, spec.vocab_size, spec.hidden);
        }
        // Norms of GGUF files hold the offset added to them.
        let same_norms = spec.naming == self.names;
        if full == self.names.final_norm {
            return same_norms.then(|| whole(spec.naming.final_norm, spec.hidden, 1)).flatten();
        }
        let (layer, name) = module.strip_prefix(self.names.layer)?.split_once('.')?;
        let layer: usize = layer.parse().ok().filter(|layer| *layer < spec.layers)?;
        let tensor = |name: &str| format!("{}{layer}.{name}.{kind}", spec.naming.layer);
        if self.names.norms.contains(&Some(name)) {
            return (same_norms && kind == "weight").then(|| whole(&tensor(name), spec.hidden, 1)).flatten();
        }
        for product in self.products() {
            let Some(at) = product.own.iter().position(|(own, _)| *own == name) else { continue };
            if kind == "bias" && !product.bias {
                return None;
            }
            let columns = if kind == "bias" { 1 } else { product.columns };
            let above: usize = product.own[..at].iter().map(|(_, rows)| rows).sum();
            let meant = above..above + product.own[at].1;
            let (mut rows, mut start) = (Vec::new(), 0);
            for &(file, count, paired) in &product.file {
                let common = meant.start.max(start)..meant.end.min(start + count);
                if !common.is_empty() {
                    let from = common.start - meant.start;
                    let rows_of_file = common.start - start..common.end - start;
                    rows.push(Rows { tensor: tensor(file), rows: rows_of_file, from, paired });
                }
                start += count;
            }
            return Some(Target { rows, columns });
        }
        None
    }
}

/// Rows and columns of a model tensor; the rows of a vector have one number each.
pub(super) fn rows_and_columns(shape: &[usize]) -> (usize, usize) {
    match shape {
        [rows] => (*rows, 1),
        [rows, columns] => (*rows, *columns),
        _ => (0, 0),
    }
}
