//! From weight files to a model on some arithmetic.

use candle_core::Device;
use candle_core::quantized::{GgmlDType, QStorage, QTensor};

use super::DecoderError;
use super::cpu::block_bytes;
use super::forward::{Layer, Model};
use super::ops::{FeedForward, FeedForwardBlock, GatedNetwork, Ops, Weight};
use super::precision::Precision;
use super::spec::{Block, DecoderSpec, Part, QueryKeyNorm};
use super::weights::{Source, Stack, place_in_pairs, rows_and_columns};

/// Reads the tensors of one model by their part in the skeleton.
struct Reader<'a> {
    spec: &'a DecoderSpec,
    source: &'a mut Source,
    precision: Precision,
}

/// Read all weights. Each tensor is converted and given back before the next is read.
pub(super) fn model<O: Ops>(
    ops: O,
    spec: DecoderSpec,
    source: &mut Source,
    precision: Precision,
) -> Result<Model<O>, DecoderError> {
    let mut reader = Reader { spec: &spec, source, precision };
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
pub(super) fn weight_bytes(spec: &DecoderSpec, source: &Source, on_cpu: bool, precision: Precision) -> u64 {
    let bytes = match (precision, source) {
        (Precision::F16 | Precision::BF16, _) => 2 * spec.weights(),
        (Precision::Quantized, Source::Gguf(gguf)) => {
            let tensors = gguf.content().tensor_infos.iter();
            tensors
                .map(|(name, info)| {
                    let (elements, dtype) = (info.shape.elem_count(), info.ggml_dtype);
                    let (outputs, inputs) = rows_and_columns(info.shape.dims());
                    // Other devices expand the embedding matrix.
                    match keeps_blocks(precision, dtype) && (on_cpu || name != spec.naming.embedding) {
                        true if on_cpu => block_bytes(dtype, outputs, inputs),
                        true => elements / dtype.block_size() * dtype.type_size(),
                        false => 4 * elements,
                    }
                })
                .sum()
        }
        (Precision::F32 | Precision::Quantized, _) => 4 * spec.weights(),
    };
    bytes as u64
}

/// Whether a matrix stays in the blocks of its GGUF file.
fn keeps_blocks(precision: Precision, dtype: GgmlDType) -> bool {
    precision == Precision::Quantized && !matches!(dtype, GgmlDType::F32 | GgmlDType::F16 | GgmlDType::BF16)
}

impl Reader<'_> {
    fn layer<O: Ops>(&mut self, ops: &O, layer: usize) -> Result<Layer<O>, DecoderError> {
        let spec = self.spec;
        let (hidden, queries, keys) = (spec.hidden, spec.query_width(), spec.kv_width());
        let mut norm = |block: Block| match spec.naming.norm(layer, block) {
            None => Ok(None),
            Some(name) => {
                let weight = self.vector(&name, &[hidden])?;
                self.norm_weight(ops, weight).map(Some)
            }
        };
        let before_attention = norm(Block::BeforeAttention)?;
        let after_attention = norm(Block::AfterAttention)?;
        let before_mlp = norm(Block::BeforeMlp)?;
        let after_mlp = norm(Block::AfterMlp)?;
        let widths = match spec.query_key_norm {
            QueryKeyNorm::Absent => None,
            QueryKeyNorm::EachHead => Some((spec.head_dim, spec.head_dim)),
            QueryKeyNorm::WholeProjection => Some((queries, keys)),
        };
        let (query_norm, key_norm) = match widths {
            None => (None, None),
            Some((query, key)) => {
                let query = self.vector(&self.name(layer, Part::QueryNorm, "weight"), &[query])?;
                let key = self.vector(&self.name(layer, Part::KeyNorm, "weight"), &[key])?;
                (Some(self.norm_weight(ops, query)?), Some(self.norm_weight(ops, key)?))
            }
        };
        let paired = |width: usize| spec.naming.paired_rows.then_some(width);
        let qkv = match spec.naming.fused_qkv {
            Some(_) => vec![(Part::QueryKeyValue, queries + 2 * keys, None)],
            None => vec![
                (Part::Query, queries, paired(spec.head_dim)),
                (Part::Key, keys, paired(spec.head_dim)),
                (Part::Value, keys, None),
            ],
        };
        let gate_up = match spec.naming.fused_gate_up {
            Some(_) => vec![(Part::GateUp, 2 * spec.intermediate, None)],
            None => vec![(Part::Gate, spec.intermediate, None), (Part::Up, spec.intermediate, None)],
        };
        Ok(Layer {
            before_attention,
            query_key_value: self.product(ops, layer, &qkv, hidden, spec.qkv_bias)?,
            query_norm,
            key_norm,
            output: self.product(ops, layer, &[(Part::Output, hidden, None)], queries, spec.output_bias)?,
            after_attention,
            feed_forward: FeedForwardBlock {
                before: before_mlp,
                network: FeedForward::Dense(GatedNetwork {
                    gate_up: self.product(ops, layer, &gate_up, hidden, spec.mlp_bias)?,
                    down: self.product(ops, layer, &[(Part::Down, hidden, None)], spec.intermediate, spec.mlp_bias)?,
                }),
                after: after_mlp,
            },
        })
    }

    fn name(&self, layer: usize, part: Part, kind: &str) -> String {
        let name = self.spec.naming.part(layer, part).expect("a fused part is asked for only where the family has it");
        format!("{name}.{kind}")
    }

    /// A tensor of exactly `shape` in f32.
    fn vector(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>, DecoderError> {
        Stack::new(self.source.matrix(name, shape)?).by_rows()
    }

    fn norm_weight<O: Ops>(&self, ops: &O, mut weight: Vec<f32>) -> Result<O::Norm, DecoderError> {
        weight.iter_mut().for_each(|weight| *weight += self.spec.norm_offset);
        ops.norm_weight(weight, self.spec.norm_eps)
    }

    /// A product of one or several parts side by side: part, outputs, and head size where the rows are in pair order.
    fn product<O: Ops>(
        &mut self,
        ops: &O,
        layer: usize,
        parts: &[(Part, usize, Option<usize>)],
        inputs: usize,
        biased: bool,
    ) -> Result<O::Linear, DecoderError> {
        let named: Vec<(String, usize, Option<usize>)> =
            parts.iter().map(|&(part, outputs, paired)| (self.name(layer, part, "weight"), outputs, paired)).collect();
        let weights = self.weights(&named, inputs)?;
        let mut bias = None;
        if biased {
            let mut values = Vec::new();
            for &(part, outputs, paired) in parts {
                let part = self.vector(&self.name(layer, part, "bias"), &[outputs])?;
                values.extend(match paired {
                    Some(head_dim) => halves_from_pairs(&part, 1, head_dim),
                    None => part,
                });
            }
            bias = Some(values);
        }
        ops.linear(weights, inputs, bias)
    }

    /// A matrix with a row for each token.
    fn vocabulary(&mut self, name: &str) -> Result<Weight, DecoderError> {
        let tokens = self.spec.vocab_size;
        Ok(self.weights(&[(name.to_string(), tokens, None)], self.spec.hidden)?.swap_remove(0))
    }

    /// Matrices side by side: one stack where none stays in blocks.
    fn weights(
        &mut self,
        named: &[(String, usize, Option<usize>)],
        inputs: usize,
    ) -> Result<Vec<Weight>, DecoderError> {
        let mut weights: Vec<Weight> = Vec::new();
        for (name, outputs, paired) in named {
            let shape = [*outputs, inputs];
            let kept = self.source.block_type(name).is_some_and(|dtype| keeps_blocks(self.precision, dtype));
            if kept && let Some(tensor) = self.source.blocks(name, &shape)? {
                weights.push(Weight::Blocks(match paired {
                    Some(head_dim) => unpaired_blocks(&tensor, *head_dim)?,
                    None => tensor,
                }));
                continue;
            }
            let mut matrix = self.source.matrix(name, &shape)?;
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
