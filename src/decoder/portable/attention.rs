//! Attention of a pass, some queries at a time, batched over heads.

use candle_core::{DType, Device};

use super::activations::Activations;
use super::array::Array;
use super::cache::LayerCache;
use super::intervals::Intervals;
use super::tiles::{Tile, blocks};
use crate::decoder::DecoderError;
use crate::decoder::ops::{AttentionInput, Heads};
use crate::decoder::pass::Layout;

/// Where the queries of a pass look.
#[derive(Debug)]
pub(crate) struct AttentionPlan {
    blocks: Vec<(Tile, Option<Array>)>,
}

/// Bytes of f32 scores that exist at one time.
pub(crate) const MOST_SCORE_BYTES: usize = 256 * 1024 * 1024;

/// Queries computed at one time at most. Fewer skip more of the rows that no query sees, and take more launches.
const MOST_QUERIES: usize = 512;

impl AttentionPlan {
    /// Cut a pass into blocks of queries, each with the rows that some of them see, and a mask where not all see all.
    pub fn new(
        layout: &Layout,
        heads: &Heads,
        window: Option<usize>,
        device: &Device,
    ) -> Result<AttentionPlan, DecoderError> {
        let intervals = Intervals::of(layout, window);
        let at_once = MOST_SCORE_BYTES / (heads.heads * intervals.rows() * size_of::<f32>()).max(1);
        let blocks = blocks(&intervals, at_once.clamp(1, MOST_QUERIES));
        let sent = match blocks.iter().all(|block| block.whole) {
            true => None,
            false => Some(intervals.send(device)?),
        };
        let masked = |block: Tile| {
            let sent = sent.as_ref().filter(|_| !block.whole);
            let mask = sent.map(|sent| sent.mask(&block.queries, &block.rows)).transpose()?;
            Ok((block, mask))
        };
        Ok(AttentionPlan { blocks: blocks.into_iter().map(masked).collect::<Result<_, DecoderError>>()? })
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
    for (Tile { queries: asked, rows, .. }, mask) in &plan.blocks {
        let keys = keys.narrow(1, rows.start, rows.len())?;
        let values = values.narrow(1, rows.start, rows.len())?;
        let queries = queries.narrow(0, asked.start, asked.len())?.to_dtype(DType::F32)?;
        // Copied into the order of heads by the multiplication: (kv heads, group * queries, head size).
        let queries =
            queries.transpose(0, 1)?.affine(scale(heads), 0.0)?.reshape((kv_heads, group * asked.len(), head_dim))?;
        let mut scores = scores(&queries, &keys, heads)?;
        if let Some(mask) = mask {
            let by_query = scores.reshape((heads.heads, asked.len(), rows.len()))?;
            scores = by_query.add(mask)?.reshape((kv_heads, group * asked.len(), rows.len()))?;
        }
        let weights = scores.softmax()?.to_dtype(values.dtype())?;
        let part = weights.matmul(&values)?.reshape((heads.heads, asked.len(), head_dim))?;
        mixed.push(part.transpose(0, 1)?.reshape((asked.len(), heads.queries().len()))?);
    }
    Ok(Array::cat(&mixed, 0)?)
}

/// Scores `(kv heads, queries, rows)` of [scaled](scale) queries `(kv heads, queries, head size)` and keys `(kv heads, rows, head
/// size)`, capped and not masked. In f32, because a score of 10 has steps of 0.06 in bf16, and one before its scale may not fit
/// into f16.
pub(super) fn scores(queries: &Array, keys: &Array, heads: &Heads) -> Result<Array, DecoderError> {
    let scores = queries.matmul(&keys.to_dtype(DType::F32)?.transpose(1, 2)?)?;
    Ok(match heads.cap {
        None => scores,
        Some(cap) => scores.tanh()?.affine(f64::from(cap), 0.0)?,
    })
}

/// What queries are multiplied by: scores are then scaled, and divided by the soft cap.
pub(super) fn scale(heads: &Heads) -> f64 {
    f64::from(heads.scale) / heads.cap.map_or(1.0, f64::from)
}
