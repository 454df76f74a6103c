//! From weight files to a model on some arithmetic.

use candle_core::Device;
use candle_core::quantized::{GgmlDType, QStorage, QTensor};

use super::DecoderError;
use super::cpu::block_bytes;
use super::forward::{Layer, Model};
use super::ops::{FeedForward, FeedForwardBlock, GatedNetwork, Ops, Weight};
use super::precision::Precision;
use super::spec::DecoderSpec;
use super::tensors::Product;
use super::weights::{Stack, Weights, place_in_pairs, rows_and_columns};

/// Reads the tensors of one model by their place in the skeleton.
struct Reader<'a> {
    spec: &'a DecoderSpec,
    weights: &'a mut Weights,
    precision: Precision,
}

/// Read all weights. Each tensor is converted and given back before the next is read.
pub(super) fn model<O: Ops>(
    ops: O,
    spec: DecoderSpec,
    mut weights: Weights,
    precision: Precision,
) -> Result<Model<O>, DecoderError> {
    check_precision(&weights, precision)?;
    let mut reader = Reader { spec: &spec, weights: &mut weights, precision };
    let hidden = spec.hidden;
    let embedding = ops.table(reader.vocabulary(spec.naming.embedding)?, hidden)?;
    let layers = (0..spec.layers).map(|layer| reader.layer(&ops, layer)).collect::<Result<Vec<_>, _>>()?;
    let final_norm = reader.vector(spec.naming.final_norm, &[hidden])?;
    let final_norm = reader.norm_weight(&ops, final_norm)?;
    let head =
        if spec.tied_head { ops.tied(&embedding)? } else { ops.head(reader.vocabulary(spec.naming.head)?, hidden)? };
    Ok(Model { ops, spec, embedding, layers, final_norm, head })
}

/// Bytes of all weights once loaded, read off the table of contents.
pub(super) fn weight_bytes(
    spec: &DecoderSpec,
    weights: &Weights,
    on_cpu: bool,
    precision: Precision,
) -> Result<u64, DecoderError> {
    check_precision(weights, precision)?;
    let bytes = match (precision, weights.as_gguf()) {
        (Precision::F16 | Precision::BF16, _) => 2 * spec.weights(),
        (Precision::Quantized, Some(gguf)) => {
            let tensors = gguf.content().tensor_infos.iter();
            tensors
                .map(|(name, info)| {
                    let (elements, dtype) = (info.shape.elem_count(), info.ggml_dtype);
                    let (outputs, inputs) = rows_and_columns(info.shape.dims());
                    // Other devices expand the embedding matrix.
                    let expanded = weights.is_adapted(name) || (!on_cpu && name == spec.naming.embedding);
                    match keeps_blocks(precision, dtype) && !expanded {
                        true if on_cpu => block_bytes(dtype, outputs, inputs),
                        true => elements / dtype.block_size() * dtype.type_size(),
                        false => 4 * elements,
                    }
                })
                .sum()
        }
        (Precision::F32 | Precision::Quantized, _) => 4 * spec.weights(),
    };
    Ok(bytes as u64)
}

fn check_precision(weights: &Weights, precision: Precision) -> Result<(), DecoderError> {
    if precision == Precision::Quantized && weights.as_gguf().is_none() {
        let reason = "only GGUF files hold quantised weights; use f32, f16 or bf16".to_string();
        return Err(DecoderError::Precision { precision: precision.name(), reason });
    }
    Ok(())
}

/// The kinds of blocks in which matrices of a file stay, each once.
pub(super) fn kept_blocks(weights: &Weights, precision: Precision) -> Vec<GgmlDType> {
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
            query_key_value: self.product(ops, layer, &spec.query_key_value())?,
            query_norm,
            key_norm,
            output: self.product(ops, layer, &spec.attention_output())?,
            after_attention,
            feed_forward: FeedForwardBlock {
                before: before_mlp,
                network: FeedForward::Dense(GatedNetwork {
                    gate_up: self.product(ops, layer, &spec.gate_up())?,
                    down: self.product(ops, layer, &spec.down())?,
                }),
                after: after_mlp,
            },
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

    /// A product of one or several matrices side by side.
    fn product<O: Ops>(&mut self, ops: &O, layer: usize, product: &Product) -> Result<O::Linear, DecoderError> {
        let spec = self.spec;
        let named: Vec<(String, usize, Option<usize>)> = product
            .parts
            .iter()
            .map(|part| (spec.tensor_name(layer, part.name, "weight"), part.outputs, part.paired))
            .collect();
        let inputs = product.inputs;
        let weights = self.side_by_side(&named, inputs)?;
        let mut bias = None;
        if product.bias {
            let mut values = Vec::new();
            for part in &product.parts {
                let bias = self.vector(&spec.tensor_name(layer, part.name, "bias"), &[part.outputs])?;
                values.extend(match part.paired {
                    Some(head_dim) => halves_from_pairs(&bias, 1, head_dim),
                    None => bias,
                });
            }
            bias = Some(values);
        }
        ops.linear(weights, inputs, bias)
    }

    /// A matrix with a row for each token.
    fn vocabulary(&mut self, name: &str) -> Result<Weight, DecoderError> {
        let tokens = self.spec.vocab_size;
        Ok(self.side_by_side(&[(name.to_string(), tokens, None)], self.spec.hidden)?.swap_remove(0))
    }

    /// Matrices side by side: one stack where none stays in blocks.
    fn side_by_side(
        &mut self,
        named: &[(String, usize, Option<usize>)],
        inputs: usize,
    ) -> Result<Vec<Weight>, DecoderError> {
        let mut weights: Vec<Weight> = Vec::new();
        for (name, outputs, paired) in named {
            let shape = [*outputs, inputs];
            let kept = self.weights.block_type(name).is_some_and(|dtype| keeps_blocks(self.precision, dtype));
            if kept && let Some(tensor) = self.weights.blocks(name, &shape)? {
                weights.push(Weight::Blocks(match paired {
                    Some(head_dim) => unpaired_blocks(&tensor, *head_dim)?,
                    None => tensor,
                }));
                continue;
            }
            let mut matrix = self.weights.matrix(name, &shape)?;
            if let Some(head_dim) = paired {
                matrix = matrix.unpaired(*head_dim);
            }
            match weights.last_mut() {
                Some(Weight::Dense(stack)) => stack.push(matrix),
                _ => weights.push(Weight::Dense(Stack::new(matrix))),
            }
        }
        Ok(weights)
    }
}

/// Bring the rows of each head from pair order (dimension `i` beside `i + half`) into half order. `row` elements per row.
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
