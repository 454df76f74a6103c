//! Attention of a pass, a block of queries at a time, batched over heads.

use std::ops::Range;

use candle_core::{DType, Device};

use super::activations::Activations;
use super::array::Array;
use super::cache::LayerCache;
use super::intervals::Intervals;
use super::tiles::{Block, blocks};
use crate::decoder::DecoderError;
use crate::decoder::ops::{AttentionInput, Heads};
use crate::decoder::pass::Layout;

/// The attended rows of a pass's queries.
#[derive(Debug)]
pub struct AttentionPlan {
    blocks: Vec<PlannedBlock>,
}

/// A block with its data on the device.
#[derive(Debug)]
struct PlannedBlock {
    queries: Range<usize>,
    keys: Keys,
    mask: Option<Array>,
}

/// Cache rows of a block.
#[derive(Debug)]
enum Keys {
    /// Consecutive rows.
    Range(Range<usize>),
    /// Indices of other rows.
    Places(Array),
}

/// Maximum bytes of f32 scores in memory at once.
pub const MOST_SCORE_BYTES: usize = 256 * 1024 * 1024;

/// Maximum queries computed at once. Fewer skip more of the rows that no query sees, but take more launches.
const MOST_QUERIES: usize = 512;

impl AttentionPlan {
    /// Cuts a pass into blocks of queries, each with the rows that any of them sees, and a mask unless all see all.
    pub fn new(
        layout: &Layout,
        heads: &Heads,
        window: Option<usize>,
        device: &Device,
    ) -> Result<AttentionPlan, DecoderError> {
        let intervals = Intervals::new(layout, window);
        let at_once = MOST_SCORE_BYTES / (heads.heads * intervals.rows() * size_of::<f32>()).max(1);
        let blocks = blocks(&intervals, at_once.clamp(1, MOST_QUERIES));
        let sent = match blocks.iter().all(|block| block.whole) {
            true => None,
            false => Some(intervals.send(device)?),
        };
        let planned = |Block { queries, rows, whole }: Block| {
            let masks = sent.as_ref().filter(|_| !whole).map(|sent| {
                let of_rows = rows.iter().map(|rows| sent.mask(&queries, rows));
                Ok::<_, DecoderError>(Array::cat(&of_rows.collect::<Result<Vec<_>, _>>()?, 1)?.contiguous()?)
            });
            let keys = match &rows[..] {
                [one] => Keys::Range(one.clone()),
                several => Keys::Places(Array::places(several.iter().cloned().flatten(), device)?),
            };
            Ok(PlannedBlock { queries, keys, mask: masks.transpose()? })
        };
        Ok(AttentionPlan { blocks: blocks.into_iter().map(planned).collect::<Result<_, DecoderError>>()? })
    }
}

/// Attention of every token: `(tokens, heads * head size)`.
pub(super) fn attend(
    input: &AttentionInput<Activations, LayerCache>,
    plan: &AttentionPlan,
) -> Result<Array, DecoderError> {
    let &AttentionInput { qkv, cache, heads } = input;
    let (kv_heads, group, head_dim) = (heads.kv_heads, heads.group(), heads.head_dim);
    let (keys, values) = cache.all()?; // (kv heads, rows, head size)
    let queries = qkv.heads(heads.queries(), head_dim)?; // (tokens, heads, head size)
    let mut mixed = Vec::with_capacity(plan.blocks.len());
    for PlannedBlock { queries: asked, keys: seen, mask } in &plan.blocks {
        let (keys, values) = match seen {
            Keys::Range(rows) => (keys.narrow(1, rows.start, rows.len())?, values.narrow(1, rows.start, rows.len())?),
            Keys::Places(places) => cache.at(places)?,
        };
        // Copied into head order while being rounded: (kv heads, group * queries, head size).
        let queries = queries.narrow(0, asked.start, asked.len())?.transpose(0, 1)?.to_dtype(keys.dtype())?;
        let queries = queries.reshape((kv_heads, group * asked.len(), head_dim))?;
        let part = weights(&queries, &keys, mask.as_ref(), heads, values.dtype())?.matmul(&values)?.reshape((
            heads.heads,
            asked.len(),
            head_dim,
        ))?;
        mixed.push(part.transpose(0, 1)?.reshape((asked.len(), heads.queries().len()))?);
    }
    Ok(Array::cat(&mixed, 0)?)
}

/// Attention `(kv heads, queries, rows)`, rounded to `dtype`, of queries `(kv heads, queries, head size)` to keys
/// `(kv heads, rows, head size)` of the same type. Scores are in f32, because scores around 10 have steps of 0.06 in
/// bf16, and an unscaled score may not fit into f16.
pub(super) fn weights(
    queries: &Array,
    keys: &Array,
    mask: Option<&Array>,
    heads: &Heads,
    dtype: DType,
) -> Result<Array, DecoderError> {
    let scale = f64::from(heads.scale) / heads.cap.map_or(1.0, f64::from);
    Ok(queries.product_in_f32(keys, scale)?.softmax(mask, heads.cap, dtype)?)
}
