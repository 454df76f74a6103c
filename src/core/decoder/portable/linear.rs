//! Matrix products with dense weights and GGUF blocks.

use candle_core::quantized::{QStorage, QTensor};
use candle_core::{DType, Device};

use super::array::Array;
use crate::decoder::DecoderError;
use crate::decoder::ops::Weight;

/// `x W^T + b`; the outputs may come from several matrices side by side.
#[derive(Debug)]
pub struct Linear {
    parts: Vec<LinearWeight>,
    bias: Option<Array>,
}

/// `(outputs, inputs)`.
#[derive(Debug)]
enum LinearWeight {
    Dense(Array),
    /// GGUF blocks, expanded for every product. candle can multiply blocks directly, but its CUDA kernels for that are
    /// machine code of one architecture whose failed launches go unnoticed, and their sums depend on the number of
    /// rows.
    Blocks(QTensor),
}

/// Outputs of a matrix whose f32 products are computed at once.
const OUTPUTS_AT_ONCE: usize = 8192;

/// Some outputs of a matrix.
enum Piece<'a> {
    Dense(Array),
    Blocks(&'a QTensor),
}

impl Piece<'_> {
    fn expanded(&self, dtype: DType) -> Result<Array, DecoderError> {
        Ok(match self {
            Piece::Dense(weight) => weight.to_dtype(dtype)?,
            Piece::Blocks(blocks) => Array::expand(blocks)?.to_dtype(dtype)?,
        })
    }

    fn outputs(&self) -> Result<usize, DecoderError> {
        Ok(match self {
            Piece::Dense(weight) => weight.dim(0)?,
            Piece::Blocks(blocks) => blocks.shape().dims2()?.0,
        })
    }
}

impl Linear {
    /// A product with these weights side by side; dense ones are stored in `dtype`.
    pub fn new(
        weights: Vec<Weight>,
        inputs: usize,
        bias: Option<Vec<f32>>,
        dtype: DType,
        device: &Device,
    ) -> Result<Linear, DecoderError> {
        let part = |weight| {
            Ok(match weight {
                Weight::Dense(stack) => {
                    let shape = (stack.rows(), inputs);
                    LinearWeight::Dense(Array::send_as(stack.by_rows()?, shape, dtype, device)?)
                }
                Weight::Blocks(blocks) => LinearWeight::Blocks(sent(&blocks, device)?),
            })
        };
        let parts = weights.into_iter().map(part).collect::<Result<Vec<_>, DecoderError>>()?;
        let bias = bias
            .map(|bias| Ok::<_, DecoderError>(Array::send(bias.clone(), bias.len(), device)?.to_dtype(dtype)?))
            .transpose()?;
        Ok(Linear { parts, bias })
    }

    /// A product with a matrix that is already on the device.
    pub fn of_tensor(weight: Array) -> Linear {
        Linear { parts: vec![LinearWeight::Dense(weight)], bias: None }
    }

    /// A product with one matrix of many outputs: blocks are stored in pieces, which are expanded one at a time.
    pub fn of_many_outputs(
        weight: Weight,
        inputs: usize,
        dtype: DType,
        device: &Device,
    ) -> Result<Linear, DecoderError> {
        let pieces = match weight {
            Weight::Blocks(blocks) => in_pieces(&blocks, OUTPUTS_AT_ONCE)?.into_iter().map(Weight::Blocks).collect(),
            dense => vec![dense],
        };
        Linear::new(pieces, inputs, None, dtype, device)
    }

    /// `x W^T + b` in the type of `x`.
    pub fn of(&self, x: &Array) -> Result<Array, DecoderError> {
        let products = self.wholes()?.into_iter().map(|part| Ok(x.matmul(&part.expanded(x.dtype())?.t()?)?));
        self.joined(products.collect::<Result<_, DecoderError>>()?)
    }

    /// `x W^T + b`, with sums and results in f32 whatever the type of the weights.
    pub fn in_f32(&self, x: &Array) -> Result<Array, DecoderError> {
        let dtype = self.multiplied_in();
        let x = x.to_dtype(dtype)?;
        let products = self.wholes()?.into_iter().map(|piece| Ok(x.product_in_f32(&piece.expanded(dtype)?, 1.0)?));
        self.joined(products.collect::<Result<_, DecoderError>>()?)
    }

    /// Products in f32 with some outputs at a time, without the bias: yields the index of the first output and
    /// `(rows, outputs)`.
    pub fn pieces_in_f32<'a>(
        &'a self,
        x: &Array,
    ) -> Result<impl Iterator<Item = Result<(usize, Array), DecoderError>> + use<'a>, DecoderError> {
        let dtype = self.multiplied_in();
        let x = x.to_dtype(dtype)?;
        let mut first = 0;
        let of_piece = move |piece: Piece<'a>| {
            let product = x.product_in_f32(&piece.expanded(dtype)?, 1.0)?;
            first += product.width();
            Ok((first - product.width(), product))
        };
        Ok(self.pieces(OUTPUTS_AT_ONCE)?.into_iter().map(of_piece))
    }

    /// Operand dtype of products with f32 results: that of dense weights, which represents hidden states exactly, or
    /// f32 for expanded blocks.
    fn multiplied_in(&self) -> DType {
        match &self.parts[..] {
            [LinearWeight::Dense(weight)] => weight.dtype(),
            _ => DType::F32,
        }
    }

    /// Number of outputs.
    pub fn outputs(&self) -> Result<usize, DecoderError> {
        self.wholes()?.iter().map(Piece::outputs).sum()
    }

    /// Maximum number of outputs of one piece.
    pub fn widest_piece(&self) -> Result<usize, DecoderError> {
        let pieces = self.pieces(OUTPUTS_AT_ONCE)?;
        pieces.iter().try_fold(0, |widest, piece| Ok(piece.outputs()?.max(widest)))
    }

    /// The weights as stored.
    fn wholes(&self) -> Result<Vec<Piece<'_>>, DecoderError> {
        self.pieces(usize::MAX)
    }

    /// The weights in pieces; `at_once` outputs of dense ones at a time.
    fn pieces(&self, at_once: usize) -> Result<Vec<Piece<'_>>, DecoderError> {
        let mut pieces = Vec::new();
        for part in &self.parts {
            match part {
                LinearWeight::Blocks(blocks) => pieces.push(Piece::Blocks(blocks)),
                LinearWeight::Dense(weight) => {
                    let outputs = weight.dim(0)?;
                    for start in (0..outputs).step_by(at_once) {
                        pieces.push(Piece::Dense(weight.narrow(0, start, at_once.min(outputs - start))?));
                    }
                }
            }
        }
        Ok(pieces)
    }

    /// Joins products side by side and adds the bias.
    fn joined(&self, mut products: Vec<Array>) -> Result<Array, DecoderError> {
        let product = if products.len() == 1 { products.swap_remove(0) } else { Array::cat(&products, 1)? };
        Ok(match &self.bias {
            Some(bias) => product.add(&bias.to_dtype(product.dtype())?)?,
            None => product,
        })
    }

    /// The weight `(outputs, inputs)` in f32.
    pub fn dense(&self) -> Result<Array, DecoderError> {
        let parts = self.wholes()?.into_iter().map(|part| part.expanded(DType::F32));
        Ok(Array::cat(&parts.collect::<Result<Vec<_>, _>>()?, 0)?)
    }
}

/// Sends blocks to the device.
fn sent(blocks: &QTensor, device: &Device) -> Result<QTensor, DecoderError> {
    let storage = QStorage::from_data(blocks.data()?, device, blocks.dtype())?;
    Ok(QTensor::new(storage, blocks.shape().clone())?)
}

/// Splits blocks into pieces of at most `rows` rows.
fn in_pieces(blocks: &QTensor, rows: usize) -> Result<Vec<QTensor>, DecoderError> {
    let (outputs, inputs) = blocks.shape().dims2()?;
    let bytes = blocks.data()?;
    let row = bytes.len() / outputs.max(1);
    let piece = |start: usize| {
        let count = rows.min(outputs - start);
        let bytes = bytes[start * row..(start + count) * row].to_vec();
        Ok(QTensor::new(QStorage::from_data(bytes.into(), &Device::Cpu, blocks.dtype())?, (count, inputs))?)
    };
    (0..outputs).step_by(rows).map(piece).collect()
}

#[cfg(test)]
mod tests {
    use candle_core::Tensor;
    use candle_core::quantized::GgmlDType;

    use super::*;

    #[test]
    fn pieces_of_blocks_are_the_rows_of_the_whole() {
        let values: Vec<f32> = (0..10 * 64).map(|at| ((at * 37) % 101) as f32 / 50.0 - 1.0).collect();
        let weight = Tensor::from_vec(values, (10, 64), &Device::Cpu).unwrap();
        let blocks = QTensor::quantize(&weight, GgmlDType::Q8_0).unwrap();
        let whole = blocks.dequantize(&Device::Cpu).unwrap().to_vec2::<f32>().unwrap();
        let pieces = in_pieces(&blocks, 4).unwrap();
        assert_eq!(pieces.iter().map(|piece| piece.shape().dims()[0]).collect::<Vec<_>>(), [4, 4, 2]);
        let rows = pieces.iter().flat_map(|piece| piece.dequantize(&Device::Cpu).unwrap().to_vec2::<f32>().unwrap());
        assert_eq!(rows.collect::<Vec<_>>(), whole);
    }

    #[test]
    fn logits_of_16_bit_weights_are_not_rounded_to_16_bits() {
        let weight = |dtype| {
            let values: Vec<f32> = (0..600).map(|at| 1.0 + (at % 7) as f32 / 128.0).collect();
            Linear::of_tensor(Array::send(values, (200, 3), &Device::Cpu).unwrap().to_dtype(dtype).unwrap())
        };
        let x = Array::send(vec![5.0f32, 7.0, 11.0], (1, 3), &Device::Cpu).unwrap();
        let exact = weight(DType::F32).of(&x).unwrap().values::<f32>().unwrap();
        for dtype in [DType::BF16, DType::F16] {
            assert_eq!(weight(dtype).in_f32(&x).unwrap().values::<f32>().unwrap(), exact);
        }
    }
}
