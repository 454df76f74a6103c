//! Adapters of PEFT (LoRA, arXiv:2106.09685): merged into the weights of a model as these are read.
//!
//! A module `W` of the base becomes `W + scale * B A`. An adapter names the modules of transformers; how a file of weights
//! names and lays out the same rows is told by both [`Naming`]s.

mod config;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::ModelError;
use super::small::{SETTINGS, read_small};
use super::spec;
use crate::decoder::{Adapted, Change, DecoderSpec, Effect, Naming, Weights};
use config::Config;

/// The files of an adapter.
const FILES: [&str; 2] = ["adapter_config.json", "adapter_model.safetensors"];

/// What stands before the names of a model's own modules.
const PREFIX: &str = "base_model.model.";

/// An adapter of PEFT in a folder.
#[derive(Debug, Clone, PartialEq)]
pub struct AdapterFolder {
    /// The folder's name.
    pub name: String,
    /// The folder.
    pub path: PathBuf,
    /// What the model is called without it.
    pub base: String,
    config: Config,
}

/// Rows of a tensor of the file. Heads of `paired` rows are in pair order.
struct Rows {
    tensor: String,
    rows: Range<usize>,
    /// The first of the module's own rows that is meant.
    from: usize,
    paired: Option<usize>,
}

impl AdapterFolder {
    /// Read the settings of an adapter.
    ///
    /// # Errors
    /// Files that are absent or unreadable, and settings that are not computed.
    pub fn open(path: &Path, base: &str) -> Result<Self, ModelError> {
        if let Some(missing) = FILES.iter().find(|name| !path.join(name).is_file()) {
            return Err(ModelError::NoAdapter { folder: path.to_path_buf(), missing });
        }
        let file = path.join(FILES[0]);
        let text = read_small(&file, SETTINGS).map_err(|source| ModelError::Read { path: file.clone(), source })?;
        let config = Config::read(&text).map_err(|problem| ModelError::Malformed { path: file, problem })?;
        let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        Ok(AdapterFolder { name, base: base.to_string(), config, path })
    }

    /// Rank of its products, but for modules that the configuration gives another.
    pub fn rank(&self) -> usize {
        self.config.rank
    }

    /// What its products are scaled by, over their rank.
    pub fn alpha(&self) -> f64 {
        self.config.alpha
    }

    /// Its files: settings and tensors.
    pub fn files(&self) -> [PathBuf; 2] {
        FILES.map(|name| self.path.join(name))
    }

    /// Have the weights of a model read with the changes of this adapter.
    pub(super) fn adapt(&self, spec: &DecoderSpec, weights: Weights) -> Result<Weights, ModelError> {
        let [config, file] = self.files();
        let mut adapted = Adapted::open(&file)?;
        let refused = |tensor: &str, problem: String| ModelError::Adapter {
            file: file.clone(),
            tensor: tensor.to_string(),
            problem,
        };
        let setting = |problem: String| ModelError::Malformed { path: config.clone(), problem };
        let base = Base::of(spec);
        let entries: BTreeMap<String, Vec<usize>> =
            adapted.entries().map(|entry| (entry.name.to_string(), entry.shape.to_vec())).collect();
        let read: BTreeMap<String, Vec<usize>> = spec.tensors().collect();
        let mut with_product = Vec::new();
        for (name, shape) in &entries {
            let Some(inner) = name.strip_prefix(PREFIX) else {
                let problem = format!("its name does not begin with {PREFIX}, as those of causal language models do");
                return Err(refused(name, problem));
            };
            let Tensor { module, part } = Tensor::of(inner);
            if part == Part::Second {
                let first = name.replace("lora_B.", "lora_A.").replace("lora_embedding_B", "lora_embedding_A");
                if !entries.contains_key(&first) {
                    return Err(refused(name, format!("{first} is not there, with which it forms a product")));
                }
                continue;
            }
            let kind = if part == Part::Bias { "bias" } else { "weight" };
            let target = base.rows(module, kind).ok_or_else(|| {
                let problem = format!("the model has no {module}.{kind}; the adapter is one for another model");
                refused(name, problem)
            })?;
            if spec.tied_head && [base.names.embedding, base.names.head].contains(&format!("{module}.weight").as_str())
            {
                let problem = "the model's head is its embedding, and changes to one of them are not computed";
                return Err(refused(name, format!("{problem}; merge the adapter into its base with PEFT")));
            }
            let (rows, columns) = (target.rows.iter().map(|part| part.rows.len()).sum::<usize>(), target.columns);
            let fits = |found: &[usize], expected: &[usize]| match found == expected {
                true => Ok(()),
                false => Err(format!(
                    "its shape is {found:?}, and {module} of the model asks for {expected:?}; the adapter is one for another model"
                )),
            };
            let effect = match part {
                Part::Bias => {
                    fits(shape, &[rows]).map_err(|problem| refused(name, problem))?;
                    Effect::Replace(name.clone())
                }
                Part::Weight => {
                    let whole = if columns == 1 { vec![rows] } else { vec![rows, columns] };
                    fits(shape, &whole).map_err(|problem| refused(name, problem))?;
                    Effect::Replace(name.clone())
                }
                Part::First | Part::FirstOfEmbedding | Part::Second => {
                    if !self.config.targets(module, base.head()).map_err(setting)? {
                        return Err(refused(name, format!("`target_modules` of {} does not name {module}", FILES[0])));
                    }
                    let (scale, rank) = self.config.scale(module).map_err(setting)?;
                    let turned = part == Part::FirstOfEmbedding;
                    let second = name.replace("lora_A.", "lora_B.").replace("lora_embedding_A", "lora_embedding_B");
                    let Some(second_shape) = entries.get(&second) else {
                        return Err(refused(name, format!("{second} is not there, with which it forms a product")));
                    };
                    let shapes = if turned { [[rank, rows], [columns, rank]] } else { [[rank, columns], [rows, rank]] };
                    fits(shape, &shapes[0]).map_err(|problem| refused(name, problem))?;
                    fits(second_shape, &shapes[1]).map_err(|problem| refused(&second, problem))?;
                    with_product.push(module.to_string());
                    let (left, right) = if turned { (name.clone(), second) } else { (second, name.clone()) };
                    Effect::Add { left, right, scale, turned }
                }
            };
            for Rows { tensor, rows, from, paired } in target.rows {
                let of_file = read.get(&tensor).map(|shape| rows_and_columns(shape));
                if of_file.is_none_or(|(above, across)| rows.end > above || across != columns) {
                    return Err(refused(
                        name,
                        format!("{module} is laid out in a way that adapters are not merged into"),
                    ));
                }
                adapted.change(&tensor, Change { rows, from, paired, effect: effect.clone() });
            }
        }
        for module in base.matrices(spec.layers) {
            let target = base.rows(&module, "weight");
            let is_there = target.is_some_and(|target| target.rows.iter().all(|part| read.contains_key(&part.tensor)));
            if is_there
                && self.config.targets(&module, base.head()).map_err(setting)?
                && !with_product.contains(&module)
            {
                let problem = "`target_modules` names it, and it is not there; the file is cut short".to_string();
                return Err(refused(&format!("{PREFIX}{module}.lora_A.weight"), problem));
            }
        }
        Ok(weights.adapted(adapted))
    }
}

/// A tensor of an adapter by the module it is for.
struct Tensor<'a> {
    module: &'a str,
    part: Part,
}

/// What a tensor is to its module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// The factor that takes the inputs.
    First,
    /// The same of an embedding, turned.
    FirstOfEmbedding,
    /// The other factor.
    Second,
    /// The weight itself.
    Weight,
    /// The bias itself.
    Bias,
}

impl<'a> Tensor<'a> {
    fn of(name: &'a str) -> Self {
        const ENDINGS: [(&str, Part); 8] = [
            (".lora_A.weight", Part::First),
            (".lora_B.weight", Part::Second),
            (".lora_embedding_A", Part::FirstOfEmbedding),
            (".lora_embedding_B", Part::Second),
            (".base_layer.weight", Part::Weight),
            (".base_layer.bias", Part::Bias),
            (".weight", Part::Weight),
            (".bias", Part::Bias),
        ];
        let found = ENDINGS.iter().find_map(|(ending, part)| Some((name.strip_suffix(ending)?, *part)));
        let (module, part) = found.unwrap_or((name, Part::Weight));
        Tensor { module, part }
    }
}

/// Where the rows of a module stand.
struct Target {
    rows: Vec<Rows>,
    columns: usize,
}

/// One product of a layer: its matrices one above the other, as transformers has them and as the file has them.
struct Stacked {
    own: Vec<(&'static str, usize)>,
    file: Vec<(&'static str, usize, Option<usize>)>,
    columns: usize,
    bias: bool,
}

/// The modules of a model by the names of transformers.
struct Base<'a> {
    spec: &'a DecoderSpec,
    names: Naming,
}

impl<'a> Base<'a> {
    fn of(spec: &'a DecoderSpec) -> Self {
        Base { spec, names: spec::module_names(spec) }
    }

    /// The module of the head.
    fn head(&self) -> &'static str {
        self.names.head.trim_end_matches(".weight")
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
    fn matrices(&self, layers: usize) -> Vec<String> {
        let products = self.products();
        let names: Vec<&str> = products.iter().flat_map(|product| product.own.iter().map(|(name, _)| *name)).collect();
        let of_layer = |layer: usize| names.iter().map(move |name| format!("{}{layer}.{name}", self.names.layer));
        let embedding = self.names.embedding.trim_end_matches(".weight");
        let outside = [embedding, self.head()].map(str::to_string);
        (0..layers).flat_map(of_layer).chain(outside).collect()
    }

    /// Where the rows of a module's weight or bias stand in the file; `None` where the model has no such module.
    fn rows(&self, module: &str, kind: &str) -> Option<Target> {
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
        // Norms of GGUF files hold what is added to them.
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

/// Rows and columns of a tensor of the model, where a vector has rows of one number.
fn rows_and_columns(shape: &[usize]) -> (usize, usize) {
    match shape {
        [rows] => (*rows, 1),
        [rows, columns] => (*rows, *columns),
        _ => (0, 0),
    }
}
