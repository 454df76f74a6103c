//! Keys and values on the device.

use candle_core::Tensor;

use crate::decoder::DecoderError;
use crate::decoder::rows::RowRanges;

/// Keys and values of one layer.
///
/// Rows are gathered at the next store, which can report errors of the device.
#[derive(Debug)]
pub(crate) struct LayerCache {
    buffers: Option<Buffers>,
    /// Rows of the buffers that are the rows of the cache, where they are not simply the first ones.
    gathered: Option<Vec<u32>>,
    rows: usize,
    /// Rows that a new buffer has room for at least.
    room: usize,
    kv_heads: usize,
    head_dim: usize,
}

/// `(capacity, kv heads, head size)` each.
#[derive(Debug)]
struct Buffers {
    keys: Tensor,
    values: Tensor,
}

/// Rows by which a full buffer grows at least.
const GROWTH: usize = 256;

impl LayerCache {
    /// An empty cache.
    pub fn new(kv_heads: usize, head_dim: usize) -> LayerCache {
        LayerCache { buffers: None, gathered: None, rows: 0, room: 0, kv_heads, head_dim }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Make room for `rows` rows in all, once some are stored.
    pub fn reserve(&mut self, rows: usize) {
        self.room = self.room.max(rows);
    }

    /// Append rows `(tokens, kv heads * head size)`.
    pub fn store(&mut self, keys: &Tensor, values: &Tensor) -> Result<(), DecoderError> {
        let tokens = keys.dim(0)?;
        self.make_room(tokens, keys)?;
        let buffers = self.buffers.as_ref().expect("room was just made");
        let shape = (tokens, self.kv_heads, self.head_dim);
        buffers.keys.slice_set(&keys.reshape(shape)?.contiguous()?, 0, self.rows)?;
        buffers.values.slice_set(&values.reshape(shape)?.contiguous()?, 0, self.rows)?;
        self.rows += tokens;
        Ok(())
    }

    /// Bring the rows into place, with room for `tokens` more.
    fn make_room(&mut self, tokens: usize, like: &Tensor) -> Result<(), DecoderError> {
        let capacity = self.buffers.as_ref().map_or(Ok(0), |buffers| buffers.keys.dim(0))?;
        if self.gathered.is_none() && self.rows + tokens <= capacity {
            return Ok(());
        }
        let capacity = capacity.max((self.rows + tokens).next_multiple_of(GROWTH)).max(self.room);
        let moved = |old: Option<&Tensor>| -> Result<Tensor, DecoderError> {
            let new = Tensor::zeros((capacity, self.kv_heads, self.head_dim), like.dtype(), like.device())?;
            if let Some(old) = old.filter(|_| self.rows > 0) {
                let kept = match &self.gathered {
                    Some(rows) => old.index_select(&Tensor::new(&rows[..], old.device())?, 0)?,
                    None => old.narrow(0, 0, self.rows)?.contiguous()?,
                };
                new.slice_set(&kept, 0, 0)?;
            }
            Ok(new)
        };
        let old = self.buffers.as_ref();
        let keys = moved(old.map(|old| &old.keys))?;
        let values = moved(old.map(|old| &old.values))?;
        self.buffers = Some(Buffers { keys, values });
        self.gathered = None;
        Ok(())
    }

    /// Keys and values of all rows, `(rows, kv heads, head size)`, after a store.
    pub fn all(&self) -> Result<(Tensor, Tensor), DecoderError> {
        match (&self.buffers, &self.gathered) {
            (Some(buffers), None) => {
                Ok((buffers.keys.narrow(0, 0, self.rows)?, buffers.values.narrow(0, 0, self.rows)?))
            }
            _ => Err(DecoderError::Pass("attention before keys and values were stored".to_string())),
        }
    }

    /// Drop all rows from `rows` on.
    pub fn truncate(&mut self, rows: usize) {
        self.rows = self.rows.min(rows);
        if let Some(gathered) = &mut self.gathered {
            gathered.truncate(rows);
        }
    }

    /// Keep the given rows in the given order.
    pub fn keep(&mut self, rows: &RowRanges) {
        let old = self.gathered.take();
        let numbers: Vec<u32> = rows.rows().map(|row| old.as_ref().map_or(row as u32, |old| old[row])).collect();
        self.rows = numbers.len();
        self.gathered = Some(numbers);
    }
}
