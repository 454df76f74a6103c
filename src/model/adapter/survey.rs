//! Maps every tensor of an adapter to its place in the model.

use std::collections::BTreeMap;

use super::super::spec;
use super::base::{Base, Rows, rows_and_columns};
use super::config::Config;
use super::tensor::{Factor, Tensor};
use crate::decoder::{Change, DecoderSpec, Effect, TensorEntry};

/// Prefix of the names of a model's own modules.
const PREFIX: &str = "base_model.model.";

/// The settings file, as named in messages.
const SETTINGS: &str = "adapter_config.json";

/// An adapter's effects on a model, and reasons why it cannot be merged.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// Changes to the tensors of the model's file.
    pub changes: Vec<(String, Change)>,
    /// The changed modules.
    pub modules: Vec<Changed>,
    /// Obstacles to merging; empty for a sound adapter.
    pub faults: Vec<Fault>,
}

/// A module that an adapter changes.
#[derive(Debug)]
pub(super) struct Changed {
    /// Its layer; `None` outside of layers.
    pub layer: Option<usize>,
    /// Its name, within its layer if it has one.
    pub name: String,
    /// The product's scale and rank; `None` where the module itself is replaced.
    pub product: Option<(f32, usize)>,
}

/// Reason why an adapter cannot be merged.
#[derive(Debug, PartialEq)]
pub(super) enum Fault {
    /// A tensor has no place in the model, or is missing.
    Tensor { tensor: String, problem: String },
    /// The settings contradict themselves.
    Setting(String),
}

impl Fault {
    fn new(tensor: &str, problem: String) -> Fault {
        Fault::Tensor { tensor: tensor.to_string(), problem }
    }
}

/// The tensors of an adapter and of a model's file, with their shapes.
struct Both<'a> {
    config: &'a Config,
    spec: &'a DecoderSpec,
    base: Base<'a>,
    entries: BTreeMap<String, Vec<usize>>,
    read: BTreeMap<String, Vec<usize>>,
}

impl Survey {
    /// Locate each tensor of an adapter in the model.
    pub fn new<'a>(config: &Config, spec: &DecoderSpec, entries: impl Iterator<Item = TensorEntry<'a>>) -> Survey {
        let both = Both {
            config,
            spec,
            base: Base::from_spec(spec),
            entries: entries.map(|entry| (entry.name.to_string(), entry.shape.to_vec())).collect(),
            read: spec.tensors().collect(),
        };
        let mut survey = Survey::default();
        let mut with_product = Vec::new();
        for (name, shape) in &both.entries {
            match both.place(name, shape) {
                Ok(None) => {}
                Ok(Some((module, product, changes))) => {
                    if product.is_some() {
                        with_product.push(module.clone());
                    }
                    let (layer, name) = both.base.layer_of(&module);
                    survey.modules.push(Changed { layer, name: name.to_string(), product });
                    survey.changes.extend(changes);
                }
                Err(fault) if survey.faults.contains(&fault) => {}
                Err(fault) => survey.faults.push(fault),
            }
        }
        survey.faults.extend(both.cut_short(&with_product));
        survey
    }
}

/// A module, the scale and rank of its product, and the changes by tensor.
type Placed = (String, Option<(f32, usize)>, Vec<(String, Change)>);

impl Both<'_> {
    /// The change made by a tensor; `None` for a second factor, which counts with its first.
    fn place(&self, name: &str, shape: &[usize]) -> Result<Option<Placed>, Fault> {
        let Both { config, spec, base, entries, read } = self;
        let refused = |problem: String| Fault::new(name, problem);
        let Some(inner) = name.strip_prefix(PREFIX) else {
            return Err(refused(format!(
                "its name does not begin with {PREFIX}, as those of causal language models do"
            )));
        };
        let Tensor { module, part } = Tensor::from_name(inner);
        if part == Factor::Second {
            let first = name.replace("lora_B.", "lora_A.").replace("lora_embedding_B", "lora_embedding_A");
            return match entries.contains_key(&first) {
                true => Ok(None),
                false => Err(refused(format!("its other factor {first} is missing"))),
            };
        }
        let kind = if part == Factor::Bias { "bias" } else { "weight" };
        let target = base.rows(module, kind).ok_or_else(|| {
            refused(match spec::is_part(spec) {
                true => format!(
                    "{module}.{kind} is not supported: adapters can only be merged into text-only models; merge it into its base with PEFT"
                ),
                false => format!("the model has no {module}.{kind}; the adapter is for another model"),
            })
        })?;
        if spec.tied_head && [base.names.embedding, base.names.head].contains(&format!("{module}.weight").as_str()) {
            let problem = "the model ties its head to its embedding; changing only one is not supported";
            return Err(refused(format!("{problem}; merge the adapter into its base with PEFT")));
        }
        let (rows, columns) = (target.rows.iter().map(|part| part.rows.len()).sum::<usize>(), target.columns);
        let fits = |name: &str, found: &[usize], expected: &[usize]| match found == expected {
            true => Ok(()),
            false => Err(Fault::new(
                name,
                format!(
                    "its shape is {found:?}, but {module} of the model needs {expected:?}; the adapter is for another model"
                ),
            )),
        };
        let mut product = None;
        let effect = match part {
            Factor::Bias => {
                fits(name, shape, &[rows])?;
                Effect::Replace(name.to_string())
            }
            Factor::Weight => {
                let whole = if columns == 1 { vec![rows] } else { vec![rows, columns] };
                fits(name, shape, &whole)?;
                Effect::Replace(name.to_string())
            }
            Factor::First | Factor::FirstOfEmbedding | Factor::Second => {
                if !config.targets(module, base.head()).map_err(Fault::Setting)? {
                    return Err(refused(format!("`target_modules` of {SETTINGS} does not name {module}")));
                }
                let (scale, rank) = config.scale(module).map_err(Fault::Setting)?;
                let turned = part == Factor::FirstOfEmbedding;
                let second = name.replace("lora_A.", "lora_B.").replace("lora_embedding_A", "lora_embedding_B");
                let Some(second_shape) = entries.get(&second) else {
                    return Err(refused(format!("its other factor {second} is missing")));
                };
                let shapes = if turned { [[rank, rows], [columns, rank]] } else { [[rank, columns], [rows, rank]] };
                fits(name, shape, &shapes[0])?;
                fits(&second, second_shape, &shapes[1])?;
                product = Some((scale, rank));
                let first = name.to_string();
                let (left, right) = if turned { (first, second) } else { (second, first) };
                Effect::Add { left, right, scale, turned }
            }
        };
        let mut changes = Vec::new();
        for Rows { tensor, rows, from, paired } in target.rows {
            let of_file = read.get(&tensor).map(|shape| rows_and_columns(shape));
            if of_file.is_none_or(|(above, across)| rows.end > above || across != columns) {
                return Err(refused(format!("{module} has a layout that does not support adapters")));
            }
            changes.push((tensor, Change { rows, from, paired, effect: effect.clone() }));
        }
        Ok(Some((module.to_string(), product, changes)))
    }

    /// Matrices that lack the product given by the settings.
    fn cut_short(&self, with_product: &[String]) -> Vec<Fault> {
        let Both { config, spec, base, entries, read } = self;
        let mut faults = Vec::new();
        for module in base.matrices(spec.layers) {
            let target = base.rows(&module, "weight");
            let is_there = target.is_some_and(|target| target.rows.iter().all(|part| read.contains_key(&part.tensor)));
            let first = format!("{PREFIX}{module}.lora_A.weight");
            match config.targets(&module, base.head()) {
                // Tensors that exist with another fault were reported before.
                Ok(true) if is_there && !with_product.contains(&module) && !entries.contains_key(&first) => {
                    let problem = "`target_modules` names it, but it is missing; the file is truncated".to_string();
                    faults.push(Fault::new(&first, problem));
                }
                Ok(_) => {}
                Err(problem) => {
                    faults.push(Fault::Setting(problem));
                    break;
                }
            }
        }
        faults
    }
}
