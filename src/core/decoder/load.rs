//! Loads weight files into a model on one arithmetic.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use candle_core::Device;
use candle_core::quantized::{GgmlDType, QStorage, QTensor};
use rayon::prelude::*;

use super::cpu::block_bytes;
use super::layers::{Layer, Model};
use super::ops::{Expert, FeedForward, FeedForwardBlock, GatedNetwork, Mixture, Ops, ReadNetwork, Shared, Weight};
use super::precision::{ExpertPlacement, Precision};
use super::projection::{LatentProjection, Projection, QueryProjection};
use super::spec::DecoderSpec;
use super::tensors::{
    LatentProducts, LayerNetwork, MixtureProducts, NetworkProducts, Product, ProductPart, ProjectionProducts,
    QueryProducts,
};
use super::weights::{Matrix, Stack, Weights, place_in_pairs, rows_and_columns};
use super::{DecoderError, quantise};

/// Reads the tensors of one model by their place in the skeleton.
struct Reader<'a> {
    spec: &'a DecoderSpec,
    weights: &'a mut Weights,
    precision: Precision,
    /// Source of routed experts that are not loaded.
    mapped: Option<&'a Arc<ExpertFiles>>,
}

/// An expert whose weights stay in their file.
struct MappedExpert {
    layer: usize,
    products: NetworkProducts,
    files: Arc<ExpertFiles>,
}

/// The files that experts are read from.
struct ExpertFiles {
    spec: DecoderSpec,
    weights: Mutex<Weights>,
    precision: Precision,
}

impl<O: Ops> ReadNetwork<O> for MappedExpert {
    fn network(&self, ops: &O) -> Result<GatedNetwork<O>, DecoderError> {
        let ExpertFiles { spec, weights, precision } = &*self.files;
        let mut weights = weights.lock().unwrap_or_else(PoisonError::into_inner);
        Reader { spec, weights: &mut weights, precision: *precision, mapped: None }.gated(
            ops,
            self.layer,
            &self.products,
        )
    }
}

/// Reads all weights. Each tensor is converted and released before the next is read.
pub(super) fn model<O: Ops>(
    ops: O,
    spec: DecoderSpec,
    weights: Weights,
    precision: Precision,
) -> Result<Model<O>, DecoderError> {
    check_precision(&weights, precision)?;
    let mapped = spec.experts.is_some() && weights.experts() == ExpertPlacement::Mapped;
    let files = Arc::new(ExpertFiles { spec: spec.clone(), weights: Mutex::new(weights), precision });
    let mut weights = files.weights.lock().unwrap_or_else(PoisonError::into_inner);
    let mapped = mapped.then_some(&files);
    let mut reader = Reader { spec: &spec, weights: &mut weights, precision, mapped };
    let hidden = spec.hidden;
    let embedding = ops.table(reader.vocabulary(spec.naming.embedding)?, hidden)?;
    let layers = (0..spec.layers).map(|layer| reader.layer(&ops, layer)).collect::<Result<Vec<_>, _>>()?;
    let final_norm = reader.vector(spec.naming.final_norm, &[hidden])?;
    let final_norm = reader.norm_weight(&ops, final_norm)?;
    let head = match spec.tied_head {
        true => ops.tied(&embedding)?,
        false if spec.normalised_head => ops.head(reader.normalised(spec.naming.head)?, hidden)?,
        false => ops.head(reader.vocabulary(spec.naming.head)?, hidden)?,
    };
    drop(weights);
    Ok(Model { ops, spec, embedding, layers, final_norm, head })
}

/// Bytes of all weights once loaded, computed from the files' table of contents.
pub(super) fn weight_bytes(
    spec: &DecoderSpec,
    weights: &Weights,
    on_cpu: bool,
    precision: Precision,
) -> Result<u64, DecoderError> {
    check_precision(weights, precision)?;
    let mapped = weights.experts() == ExpertPlacement::Mapped;
    // Of experts that stay in their files, one at a time is in memory, expanded.
    let (kept, one_expert) = match (mapped, &spec.experts) {
        (true, Some(experts)) => (spec.weights() - spec.expert_weights(), 3 * spec.hidden * experts.intermediate),
        _ => (spec.weights(), 0),
    };
    let in_files: HashSet<String> = if mapped { spec.expert_tensors().collect() } else { HashSet::new() };
    let bytes = match (precision, weights.as_gguf()) {
        (Precision::F16 | Precision::BF16, _) => 2 * kept,
        (Precision::Quantized, Some(gguf)) => {
            let tensors = gguf.content().tensor_infos.iter().filter(|(name, _)| !in_files.contains(*name));
            tensors
                .map(|(name, info)| {
                    let (elements, dtype) = (info.shape.elem_count(), info.ggml_dtype);
                    let (outputs, inputs) = rows_and_columns(info.shape.dims());
                    // Other devices expand the embedding matrix.
                    let expanded = weights.is_adapted(name)
                        || (!on_cpu && name == spec.naming.embedding)
                        || (spec.normalised_head && name == spec.naming.head);
                    match keeps_blocks(precision, dtype) && !expanded {
                        true if on_cpu => block_bytes(dtype, outputs, inputs),
                        true => elements / dtype.block_size() * dtype.type_size(),
                        false => 4 * elements,
                    }
                })
                .sum()
        }
        (Precision::Q8_0 | Precision::Q4_0 | Precision::Q4K, _) => {
            let bytes = |(rows, columns, in_layer): (usize, usize, bool)| {
                let expanded = !on_cpu && !in_layer;
                match quantise::format(precision, columns, in_layer).filter(|_| !expanded) {
                    None => 4 * rows * columns,
                    Some(format) if on_cpu => block_bytes(format, rows, columns),
                    Some(format) => rows * columns / format.block_size() * format.type_size(),
                }
            };
            let matrices: usize = quantise::matrices(spec, &in_files).map(bytes).sum();
            matrices + 4 * spec.vectors()
        }
        (Precision::F32 | Precision::Quantized, _) => 4 * kept,
    };
    Ok((bytes + 4 * one_expert) as u64)
}

/// Temporary memory of loading in addition to the weights: on a CPU, the blocks of the widest product, which are
/// repacked. Blocks of a file are counted at 8 bits per weight, which few exceed.
pub(super) fn loading_bytes(spec: &DecoderSpec, on_cpu: bool, precision: Precision) -> u64 {
    let rounded = match precision {
        _ if !on_cpu => return 0,
        Precision::F32 | Precision::F16 | Precision::BF16 => return 0,
        Precision::Quantized => Precision::Q8_0,
        Precision::Q8_0 | Precision::Q4_0 | Precision::Q4K => precision,
    };
    let bytes = |(rows, columns, in_layer): (usize, usize, bool)| {
        let format = quantise::format(rounded, columns, in_layer)?;
        // Gate and up are one product.
        let matrices = if in_layer { 2 } else { 1 };
        Some(matrices * rows * columns / format.block_size() * format.type_size())
    };
    quantise::matrices(spec, &HashSet::new()).filter_map(bytes).max().unwrap_or(0) as u64
}

fn check_precision(weights: &Weights, precision: Precision) -> Result<(), DecoderError> {
    if precision == Precision::Quantized && weights.as_gguf().is_none() {
        let reason = "only GGUF files hold quantised weights; use f32, f16 or bf16".to_string();
        return Err(DecoderError::Precision { precision: precision.name(), reason });
    }
    Ok(())
}

/// The block types in which matrices are kept or quantised, each once.
pub(super) fn kept_blocks(weights: &Weights, precision: Precision) -> Vec<GgmlDType> {
    if precision.quantises() {
        return quantise::formats(precision);
    }
    let mut kinds: Vec<GgmlDType> = Vec::new();
    for info in weights.as_gguf().into_iter().flat_map(|gguf| gguf.content().tensor_infos.values()) {
        if keeps_blocks(precision, info.ggml_dtype) && !kinds.contains(&info.ggml_dtype) {
            kinds.push(info.ggml_dtype);
        }
    }
    kinds
}

/// Whether a matrix stays in the blocks of its GGUF file.
fn keeps_blocks(precision: Precision, dtype: GgmlDType) -> bool {
    precision == Precision::Quantized && !matches!(dtype, GgmlDType::F32 | GgmlDType::F16 | GgmlDType::BF16)
}

impl Reader<'_> {
    fn layer<O: Ops>(&mut self, ops: &O, layer: usize) -> Result<Layer<O>, DecoderError> {
        let spec = self.spec;
        let mut norm = |name: Option<&str>| match name {
            None => Ok(None),
            Some(name) => self.norm(ops, layer, name, spec.hidden).map(Some),
        };
        let [before_attention, after_attention, before_mlp, after_mlp] = spec.naming.norms;
        let (before_attention, after_attention) = (norm(before_attention)?, norm(after_attention)?);
        let (before_mlp, after_mlp) = (norm(before_mlp)?, norm(after_mlp)?);
        let (query_norm, key_norm) = match spec.query_key_norms() {
            None => (None, None),
            Some([(query, query_width), (key, key_width)]) => {
                (Some(self.norm(ops, layer, query, query_width)?), Some(self.norm(ops, layer, key, key_width)?))
            }
        };
        Ok(Layer {
            before_attention,
            query_key_value: self.projection(ops, layer)?,
            query_norm,
            key_norm,
            output: self.product(ops, layer, &spec.attention_output())?,
            after_attention,
            feed_forward: FeedForwardBlock { before: before_mlp, network: self.network(ops, layer)?, after: after_mlp },
        })
    }

    /// Queries, keys and values.
    fn projection<O: Ops>(&mut self, ops: &O, layer: usize) -> Result<Projection<O>, DecoderError> {
        let LatentProducts { latent, query, down, norm, up } = match self.spec.projection() {
            ProjectionProducts::Direct(product) => return Ok(Projection::Direct(self.product(ops, layer, &product)?)),
            ProjectionProducts::Latent(products) => *products,
        };
        let query = match query {
            QueryProducts::Direct(product) => QueryProjection::Direct(self.product(ops, layer, &product)?),
            QueryProducts::Latent(down, (norm, width), up) => QueryProjection::Latent {
                down: self.product(ops, layer, &down)?,
                norm: self.norm(ops, layer, norm, width)?,
                up: self.product(ops, layer, &up)?,
            },
        };
        Ok(Projection::Latent(Box::new(LatentProjection {
            latent,
            query,
            down: self.product(ops, layer, &down)?,
            norm: self.norm(ops, layer, norm.0, norm.1)?,
            up: self.product(ops, layer, &up)?,
        })))
    }

    /// The feed-forward network of a layer.
    fn network<O: Ops>(&mut self, ops: &O, layer: usize) -> Result<FeedForward<O>, DecoderError> {
        let MixtureProducts { router, experts, shared } = match self.spec.network(layer) {
            LayerNetwork::Dense(network) => return Ok(FeedForward::Dense(self.gated(ops, layer, &network)?)),
            LayerNetwork::Mixture(mixture) => mixture,
        };
        let router = self.exact(ops, layer, &router)?;
        let networks = experts.into_iter().map(|products| match self.mapped {
            None => self.gated(ops, layer, &products).map(Expert::Loaded),
            Some(files) => Ok(Expert::Mapped(Box::new(MappedExpert { layer, products, files: Arc::clone(files) }))),
        });
        let networks = networks.collect::<Result<Vec<_>, _>>()?;
        let shared = match shared {
            None => None,
            Some((network, gate)) => Some(Shared {
                network: self.gated(ops, layer, &network)?,
                gate: gate.map(|gate| self.exact(ops, layer, &gate)).transpose()?,
            }),
        };
        let correction = match self.spec.correction(layer) {
            None => Vec::new(),
            Some((name, count)) => self.vector(&name, &[count])?,
        };
        let experts = self.spec.experts_of(layer).cloned().ok_or_else(|| candle_core::Error::msg("no experts"))?;
        Ok(FeedForward::Mixture(Box::new(Mixture { experts, router, correction, networks, shared })))
    }

    fn gated<O: Ops>(
        &mut self,
        ops: &O,
        layer: usize,
        network: &NetworkProducts,
    ) -> Result<GatedNetwork<O>, DecoderError> {
        Ok(GatedNetwork {
            gate_up: self.product(ops, layer, &network.gate_up)?,
            down: self.product(ops, layer, &network.down)?,
        })
    }

    /// A norm of a layer over `width` numbers.
    fn norm<O: Ops>(&mut self, ops: &O, layer: usize, name: &str, width: usize) -> Result<O::Norm, DecoderError> {
        let weight = self.vector(&self.spec.tensor_name(layer, name, "weight"), &[width])?;
        self.norm_weight(ops, weight)
    }

    /// A tensor of exactly `shape` in f32.
    fn vector(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>, DecoderError> {
        Stack::new(self.weights.matrix(name, shape)?).by_rows()
    }

    fn norm_weight<O: Ops>(&self, ops: &O, mut weight: Vec<f32>) -> Result<O::Norm, DecoderError> {
        weight.iter_mut().for_each(|weight| *weight += self.spec.norm_offset);
        ops.norm_weight(weight, self.spec.norm_eps)
    }

    /// A product of one or more matrices side by side.
    fn product<O: Ops>(&mut self, ops: &O, layer: usize, product: &Product) -> Result<O::Linear, DecoderError> {
        self.product_in(ops, layer, product, quantise::format(self.precision, product.inputs, true))
    }

    /// Like `product`, but not quantised at load: a router has few outputs, and much depends on them.
    fn exact<O: Ops>(&mut self, ops: &O, layer: usize, product: &Product) -> Result<O::Linear, DecoderError> {
        self.product_in(ops, layer, product, None)
    }

    fn product_in<O: Ops>(
        &mut self,
        ops: &O,
        layer: usize,
        product: &Product,
        format: Option<GgmlDType>,
    ) -> Result<O::Linear, DecoderError> {
        let spec = self.spec;
        let named: Vec<(String, &ProductPart)> =
            product.parts.iter().map(|part| (spec.tensor_name(layer, &part.name, "weight"), part)).collect();
        let inputs = product.inputs;
        let weights = self.side_by_side(&named, inputs)?;
        let weights = self.rounded(weights, format)?;
        let mut bias = None;
        if product.bias {
            let mut values = Vec::new();
            for part in &product.parts {
                let bias = self.vector(&spec.tensor_name(layer, &part.name, "bias"), &[part.outputs])?;
                values.extend(match part.paired {
                    Some(head_dim) => halves_from_pairs(&bias, 1, head_dim),
                    None => bias,
                });
            }
            bias = Some(values);
        }
        ops.linear(weights, inputs, bias)
    }

    /// A matrix with one row per token id.
    fn vocabulary(&mut self, name: &str) -> Result<Weight, DecoderError> {
        let part = ProductPart::new(name, self.spec.vocab_size);
        let format = quantise::format(self.precision, self.spec.hidden, false);
        let weights = self.side_by_side(&[(name.to_string(), &part)], self.spec.hidden)?;
        Ok(self.rounded(weights, format)?.swap_remove(0))
    }

    /// Like `vocabulary`, with rows scaled to length 1.
    fn normalised(&mut self, name: &str) -> Result<Weight, DecoderError> {
        let shape = [self.spec.vocab_size, self.spec.hidden];
        let mut values = Stack::new(self.weights.matrix(name, &shape)?).by_rows()?;
        values.par_chunks_mut(shape[1]).for_each(|row| {
            let length = row.iter().map(|&value| f64::from(value).powi(2)).sum::<f64>().sqrt().max(1e-12);
            row.iter_mut().for_each(|value| *value = (f64::from(*value) / length) as f32);
        });
        let head = Weight::Dense(Stack::new(Matrix::plain(values, &shape)));
        Ok(self.rounded(vec![head], quantise::format(self.precision, self.spec.hidden, false))?.swap_remove(0))
    }

    /// Rounds weights that are not in blocks to `format`, and expands them again if products are to be exact.
    fn rounded(&self, weights: Vec<Weight>, format: Option<GgmlDType>) -> Result<Vec<Weight>, DecoderError> {
        let exact = self.weights.exact_products();
        let round = |weight| match (weight, format) {
            (Weight::Dense(stack), Some(format)) => quantise::quantised(&stack, format).map(Weight::Blocks),
            (weight, _) => Ok(weight),
        };
        let expand = |weight| match weight {
            Weight::Blocks(tensor) if exact => {
                let values = tensor.dequantize(&Device::Cpu)?.flatten_all()?.to_vec1::<f32>()?;
                Ok(Weight::Dense(Stack::new(Matrix::plain(values, tensor.shape().dims()))))
            }
            weight => Ok(weight),
        };
        weights.into_iter().map(|weight| round(weight).and_then(expand)).collect()
    }

    /// Matrices side by side: one stack if none stays in blocks.
    fn side_by_side(&mut self, named: &[(String, &ProductPart)], inputs: usize) -> Result<Vec<Weight>, DecoderError> {
        let mut weights: Vec<Weight> = Vec::new();
        // Blocks run along the rows of a file: a transposed part cannot keep them, nor can the parts beside it.
        let turned = named.iter().any(|(_, part)| part.transposed);
        for (name, ProductPart { outputs, paired, among, transposed, .. }) in named {
            let shape = if *transposed { [inputs, *outputs] } else { [*outputs, inputs] };
            let kept =
                !turned && self.weights.block_type(name).is_some_and(|dtype| keeps_blocks(self.precision, dtype));
            if kept && let Some(tensor) = self.weights.blocks(name, &shape, *among)? {
                weights.push(Weight::Blocks(match paired {
                    Some(head_dim) => unpaired_blocks(&tensor, *head_dim)?,
                    None => tensor,
                }));
                continue;
            }
            let mut matrix = self.weights.one_of(name, &shape, *among)?;
            if let Some(head_dim) = paired {
                matrix = matrix.unpaired(*head_dim);
            }
            if *transposed {
                matrix = Matrix::plain(Stack::new(matrix).by_columns()?, &[*outputs, inputs]);
            }
            match weights.last_mut() {
                Some(Weight::Dense(stack)) => stack.push(matrix),
                _ => weights.push(Weight::Dense(Stack::new(matrix))),
            }
        }
        Ok(weights)
    }
}

/// Reorders the rows of each head from pair order (dimension `i` beside `i + half`) to half order, `row` elements per
/// row.
fn halves_from_pairs<T: Copy>(values: &[T], row: usize, head_dim: usize) -> Vec<T> {
    let places = (0..values.len() / row).map(|at| place_in_pairs(at, head_dim));
    places.flat_map(|place| &values[place * row..(place + 1) * row]).copied().collect()
}

fn unpaired_blocks(tensor: &QTensor, head_dim: usize) -> Result<QTensor, DecoderError> {
    let bytes = tensor.data()?;
    let rows = tensor.shape().dims().first().copied().unwrap_or(1).max(1);
    let ordered = halves_from_pairs(&bytes, bytes.len() / rows, head_dim);
    let storage = QStorage::from_data(ordered.into(), &Device::Cpu, tensor.dtype())?;
    Ok(QTensor::new(storage, tensor.shape().clone())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pair_order_is_undone_head_by_head() {
        // Two heads of four dimensions: the file has 0, 2, 1, 3 where the model has 0, 1, 2, 3.
        assert_eq!(halves_from_pairs(&[0, 2, 1, 3, 4, 6, 5, 7], 1, 4), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(
            halves_from_pairs(&['a', 'b', 'e', 'f', 'c', 'd', 'g', 'h'], 2, 4),
            ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
        );
    }
}
