//! Activations of a pass.

use std::ops::Range;

use candle_core::DType;

use super::array::Array;
use crate::decoder::DecoderError;

/// Activations `(tokens, width)`: columns side by side, in parts that are joined when a product reads them.
///
/// Results between two products stay in f32, and the queries, keys and values of a layer in parts of their own, so that
/// nothing is copied just to be contiguous.
#[derive(Debug, Clone)]
pub struct Activations {
    parts: Vec<ColumnSlice>,
}

/// Some columns of an array.
#[derive(Debug, Clone)]
struct ColumnSlice {
    /// `(tokens, width)`, contiguous.
    array: Array,
    columns: Range<usize>,
}

impl ColumnSlice {
    fn view(&self) -> Result<Array, DecoderError> {
        Ok(self.array.narrow(1, self.columns.start, self.columns.len())?)
    }
}

impl From<Array> for Activations {
    fn from(array: Array) -> Activations {
        let width = array.width();
        Activations { parts: vec![ColumnSlice { array, columns: 0..width }] }
    }
}

impl Activations {
    /// Number of tokens.
    pub fn tokens(&self) -> Result<usize, DecoderError> {
        Ok(self.parts[0].array.dim(0)?)
    }

    /// Number of columns.
    pub fn width(&self) -> usize {
        self.parts.iter().map(|part| part.columns.len()).sum()
    }

    /// All columns in one array `(tokens, width)` of this type.
    pub fn whole(&self, dtype: DType) -> Result<Array, DecoderError> {
        let parts = self.parts.iter().map(|part| Ok(part.view()?.to_dtype(dtype)?));
        Ok(Array::cat(&parts.collect::<Result<Vec<_>, DecoderError>>()?, 1)?.contiguous()?)
    }

    /// Some columns `(tokens, columns)`: a view if they are in one part, else joined in f32.
    pub fn columns(&self, columns: Range<usize>) -> Result<Array, DecoderError> {
        let parts = self.within(&columns);
        match &parts[..] {
            [part] => part.view(),
            parts => Activations { parts: parts.to_vec() }.whole(DType::F32),
        }
    }

    /// Columns of heads of `size`: `(tokens, heads, size)`, a view if they are in one part that can be split into
    /// heads.
    pub fn heads(&self, columns: Range<usize>, size: usize) -> Result<Array, DecoderError> {
        let (tokens, heads) = (self.tokens()?, columns.len() / size);
        match &self.within(&columns)[..] {
            [ColumnSlice { array, columns }]
                if columns.start.is_multiple_of(size) && array.width().is_multiple_of(size) =>
            {
                let all = array.reshape((tokens, array.width() / size, size))?;
                Ok(all.narrow(1, columns.start / size, heads)?)
            }
            _ => Ok(self.columns(columns)?.reshape((tokens, heads, size))?),
        }
    }

    /// Replaces some columns.
    pub fn replace(&mut self, columns: Range<usize>, array: Array) {
        let after = columns.end..self.width();
        let mut parts = self.within(&(0..columns.start));
        parts.push(ColumnSlice { array, columns: 0..columns.len() });
        parts.extend(self.within(&after));
        self.parts = parts;
    }

    /// Whether some columns are in one part.
    pub fn together(&self, columns: &Range<usize>) -> bool {
        self.within(columns).len() == 1
    }

    fn within(&self, columns: &Range<usize>) -> Vec<ColumnSlice> {
        let mut start = 0;
        let mut parts = Vec::new();
        for ColumnSlice { array, columns: of_part } in &self.parts {
            let from = columns.start.max(start);
            let to = columns.end.min(start + of_part.len());
            if from < to {
                let columns = of_part.start + from - start..of_part.start + to - start;
                parts.push(ColumnSlice { array: array.clone(), columns });
            }
            start += of_part.len();
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use candle_core::Device;

    use super::*;

    fn values(array: &Array) -> Vec<f32> {
        array.values().unwrap()
    }

    #[test]
    fn parts_are_columns_of_the_whole() {
        let numbers = |from: usize| (0..12).map(|at| (from + at) as f32).collect::<Vec<f32>>();
        let array = |from| Array::send(numbers(from), (2, 6), &Device::Cpu).unwrap();
        let mut x = Activations::from(array(0));
        x.replace(2..4, array(100).narrow(1, 0, 2).unwrap().contiguous().unwrap());
        assert_eq!((x.tokens().unwrap(), x.width()), (2, 6));
        let whole = [0.0, 1.0, 100.0, 101.0, 4.0, 5.0, 6.0, 7.0, 106.0, 107.0, 10.0, 11.0];
        assert_eq!(values(&x.whole(DType::F32).unwrap()), whole);
        assert_eq!(values(&x.columns(1..5).unwrap()), [1.0, 100.0, 101.0, 4.0, 7.0, 106.0, 107.0, 10.0]);
        for (columns, together) in [(0..2, true), (1..3, false), (2..4, true), (4..6, true)] {
            assert_eq!(x.together(&columns), together);
            let heads = x.heads(columns.clone(), 1).unwrap();
            assert_eq!(values(&heads), values(&x.columns(columns).unwrap()));
        }
        x.replace(0..6, array(50));
        assert_eq!(values(&x.whole(DType::F32).unwrap()), numbers(50));
    }
}
