//! Keys and values on the device.

use candle_core::{DType, Device};

use super::array::Array;
use crate::decoder::DecoderError;
use crate::decoder::rows::RowRanges;

/// Keys and values of one layer, head by head, with spare capacity after the rows of each head: a pass writes its rows
/// in place, and attention reads the existing rows without copying them.
///
/// Kept rows at the start that do not move stay untouched. Others are moved at the next store, which can report device
/// errors.
#[derive(Debug)]
pub struct LayerCache {
    buffers: Option<Buffers>,
    /// Buffer rows that are the rows of the cache from `settled` on.
    moved: Vec<u32>,
    /// Number of rows in place.
    settled: usize,
    /// Minimum capacity of a new buffer, in rows.
    room: usize,
    kv_heads: usize,
    head_dim: usize,
}

/// `(kv heads, capacity, head size)` each, contiguous.
#[derive(Debug)]
struct Buffers {
    keys: Array,
    values: Array,
}

/// Minimum growth of a full buffer, in rows.
const GROWTH: usize = 256;

impl LayerCache {
    /// An empty cache.
    pub fn new(kv_heads: usize, head_dim: usize) -> LayerCache {
        LayerCache { buffers: None, moved: Vec::new(), settled: 0, room: 0, kv_heads, head_dim }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.settled + self.moved.len()
    }

    /// Requests capacity for `rows` rows in total, allocated once some are stored.
    pub fn reserve(&mut self, rows: usize) {
        self.room = self.room.max(rows);
    }

    /// Appends rows `(tokens, kv heads, head size)`, in this type.
    pub fn store(&mut self, keys: &Array, values: &Array, dtype: DType) -> Result<(), DecoderError> {
        let tokens = keys.dim(0)?;
        self.settle()?;
        self.make_room(tokens, dtype, keys.device())?;
        let by_head = |rows: &Array| rows.transpose(0, 1)?.to_dtype(dtype)?.contiguous();
        let (new_keys, new_values) = (by_head(keys)?, by_head(values)?);
        let Buffers { keys, values } = self.buffers.as_ref().expect("room was just made");
        keys.slice_set(&new_keys, 1, self.settled)?;
        values.slice_set(&new_values, 1, self.settled)?;
        self.settled += tokens;
        Ok(())
    }

    /// Moves displaced rows into place.
    fn settle(&mut self) -> Result<(), DecoderError> {
        if self.moved.is_empty() {
            return Ok(());
        }
        if let Some(Buffers { keys, values }) = &self.buffers {
            let places = Array::send(self.moved.clone(), self.moved.len(), keys.device())?;
            // Both are allocated before either is written: if memory runs out, the cache is unchanged.
            let moved = (keys.index_select(&places, 1)?, values.index_select(&places, 1)?);
            keys.slice_set(&moved.0, 1, self.settled)?;
            values.slice_set(&moved.1, 1, self.settled)?;
        }
        self.settled += self.moved.len();
        self.moved.clear();
        Ok(())
    }

    /// Makes room for `tokens` more rows after those in place.
    fn make_room(&mut self, tokens: usize, dtype: DType, device: &Device) -> Result<(), DecoderError> {
        let capacity = self.buffers.as_ref().map_or(Ok(0), |buffers| buffers.keys.dim(1))?;
        if self.settled + tokens <= capacity {
            return Ok(());
        }
        let capacity = capacity.max((self.settled + tokens).next_multiple_of(GROWTH)).max(self.room);
        let larger = |old: Option<&Array>| -> Result<Array, DecoderError> {
            let new = Array::zeros((self.kv_heads, capacity, self.head_dim), dtype, device)?;
            if let Some(old) = old.filter(|_| self.settled > 0) {
                new.slice_set(&old.narrow(1, 0, self.settled)?.contiguous()?, 1, 0)?;
            }
            Ok(new)
        };
        let old = self.buffers.as_ref();
        let keys = larger(old.map(|old| &old.keys))?;
        let values = larger(old.map(|old| &old.values))?;
        self.buffers = Some(Buffers { keys, values });
        Ok(())
    }

    /// Keys and values of all rows, `(kv heads, rows, head size)`, as views of the cache; call after a store.
    pub fn all(&self) -> Result<(Array, Array), DecoderError> {
        match &self.buffers {
            Some(Buffers { keys, values }) if self.moved.is_empty() => {
                Ok((keys.narrow(1, 0, self.settled)?, values.narrow(1, 0, self.settled)?))
            }
            _ => Err(DecoderError::Pass("attention before keys and values were stored".to_string())),
        }
    }

    /// Keys and values of some rows in the given order; call after a store.
    pub fn some(&self, rows: &RowRanges) -> Result<(Array, Array), DecoderError> {
        let (keys, values) = self.all()?;
        let mut ranges = rows.iter();
        if let (Some(range), None) = (ranges.next(), ranges.next()) {
            return Ok((keys.narrow(1, range.start, range.len())?, values.narrow(1, range.start, range.len())?));
        }
        self.at(&Array::places(rows.rows(), keys.device())?)
    }

    /// Keys and values of the rows at some indices, in their order; call after a store.
    pub fn at(&self, places: &Array) -> Result<(Array, Array), DecoderError> {
        match &self.buffers {
            Some(Buffers { keys, values }) => Ok((keys.index_select(places, 1)?, values.index_select(places, 1)?)),
            None => self.all(),
        }
    }

    /// Drops all rows from `rows` on.
    pub fn truncate(&mut self, rows: usize) {
        self.moved.truncate(rows.saturating_sub(self.settled));
        self.settled = self.settled.min(rows);
    }

    /// Keeps the given rows in the given order.
    pub fn keep(&mut self, rows: &RowRanges) {
        let place = |row: usize| match row.checked_sub(self.settled) {
            None => row as u32,
            Some(moved) => self.moved[moved],
        };
        let places: Vec<u32> = rows.rows().map(place).collect();
        let in_place = places.iter().enumerate().take_while(|(row, place)| *row == **place as usize).count();
        self.settled = in_place;
        self.moved = places[in_place..].to_vec();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decoder::portable::work::counted;

    /// A cache in which the key of row `i` is `i`, stored in two passes, for two heads of size 1.
    fn cache(rows: usize) -> LayerCache {
        let mut cache = LayerCache::new(2, 1);
        cache.reserve(64);
        store(&mut cache, 0..rows / 2);
        store(&mut cache, rows / 2..rows);
        cache
    }

    fn store(cache: &mut LayerCache, numbers: std::ops::Range<usize>) {
        let values: Vec<f32> = numbers.clone().flat_map(|row| [row as f32, -(row as f32)]).collect();
        let rows = Array::send(values, (numbers.len(), 2, 1), &Device::Cpu).unwrap();
        cache.store(&rows, &rows, DType::F32).unwrap();
    }

    fn rows(cache: &LayerCache) -> Vec<f32> {
        let (keys, values) = cache.all().unwrap();
        let keys: Vec<f32> = keys.values().unwrap();
        assert_eq!(keys, values.values::<f32>().unwrap());
        let (first, second) = keys.split_at(keys.len() / 2);
        assert!(first.iter().zip(second).all(|(one, other)| *one == -other));
        first.to_vec()
    }

    fn ranges(ranges: &[std::ops::Range<usize>]) -> RowRanges {
        ranges.iter().cloned().collect()
    }

    #[test]
    fn a_prefix_is_kept_without_a_copy() {
        let mut cache = cache(10);
        cache.keep(&RowRanges::first(4));
        let ((), work) = counted(|| store(&mut cache, 20..22));
        assert_eq!(rows(&cache), [0.0, 1.0, 2.0, 3.0, 20.0, 21.0]);
        // Only the new rows are brought into head order and written.
        assert_eq!(work.copies, 4);
        assert_eq!(work.bytes, 2 * 2 * 2 * (2 * 4) * 2 + 16);
    }

    #[test]
    fn rows_behind_a_kept_prefix_are_moved_alone() {
        let mut cache = cache(10);
        cache.keep(&ranges(&[0..4, 6..7, 9..10]));
        let (before, work) = counted(|| cache.rows());
        assert_eq!((before, work.launches), (6, 0));
        cache.keep(&ranges(&[0..3, 4..6]));
        store(&mut cache, 20..21);
        assert_eq!(rows(&cache), [0.0, 1.0, 2.0, 6.0, 9.0, 20.0]);
        cache.keep(&ranges(&[3..6, 0..1]));
        cache.truncate(2);
        store(&mut cache, 30..31);
        assert_eq!(rows(&cache), [6.0, 9.0, 30.0]);
    }

    #[test]
    fn a_full_cache_grows() {
        let mut cache = cache(10);
        store(&mut cache, 10..400);
        assert_eq!(rows(&cache), (0..400).map(|row| row as f32).collect::<Vec<_>>());
        let some = ranges(&[3..5, 399..400]);
        assert_eq!(cache.some(&some).unwrap().0.values::<f32>().unwrap(), [3.0, 4.0, 399.0, -3.0, -4.0, -399.0]);
    }
}
