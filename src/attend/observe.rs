//! A prompt as one model reads it: its tokens and parts, what its positions look at, how likely answers are.

use std::ops::Range;

use jiff::civil::DateTime;

use super::rollout::rollout;
use super::{Block, Capture, CaptureError, Part, PartKind, PlaceError, Reading, ReadingToken, place};
use crate::benchmark::Language;
use crate::decoder::{self, Branch, CapturedAttention, Decoder, DecoderError, Pass};
use crate::engine::{Packing, Request, RequestError, ScoreError, Tokenizer, TokenizerError, score};
use crate::prompt::template::{ChatTemplate, RenderSettings, TemplateError, render_or_merge};
use crate::prompt::{Prompt, SlotIx, SpanKind};

/// Tokens forwarded in one pass; longer prompts take several, so that activations stay small.
const PASS_TOKENS: usize = 512;
/// Bytes of attention held at once while rollout walks down the layers.
const ROLLOUT_BYTES: usize = 512 << 20;

/// A model that can be watched.
pub struct Observer<'a> {
    /// Its weights.
    pub decoder: &'a Decoder,
    /// Its tokenizer.
    pub tokenizer: &'a Tokenizer,
    /// Its chat template, where it has one.
    pub template: Option<&'a ChatTemplate>,
    /// The date that templates print.
    pub now: Option<DateTime>,
    /// Bytes of keys, values and activations that scoring may take.
    pub budget: u64,
}

/// A prompt that could not be read or watched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ObserveError {
    /// The chat template refuses it.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// The template changes messages, so that parts cannot be told apart.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// It cannot be tokenized.
    #[error(transparent)]
    Tokenizer(#[from] TokenizerError),
    /// An answer cannot be scored behind it.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The decoder failed.
    #[error(transparent)]
    Decoder(#[from] DecoderError),
    /// Scoring failed.
    #[error(transparent)]
    Score(#[from] ScoreError),
    /// The decoder returned attention of another shape than asked for.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// It is longer than the model takes.
    #[error(
        "the prompt has {tokens} tokens and the model takes {limit}; use a shorter style or a model with a longer context"
    )]
    TooLong {
        /// Tokens of the prompt.
        tokens: usize,
        /// Tokens the model takes.
        limit: usize,
    },
}

/// A rendered and tokenized prompt.
#[derive(Debug, Clone)]
pub struct Shown {
    /// Text, parts, tokens and words.
    pub reading: Reading,
    /// Token ids.
    pub ids: Vec<u32>,
    /// Whether the tokenizer's own leading tokens stand in front.
    pub add_special: bool,
}

impl Shown {
    /// The position that predicts the answer: the last token.
    pub fn answer_position(&self) -> usize {
        self.ids.len() - 1
    }

    /// The last token of the option shown in `slot`; `None` where it is not shown.
    pub fn option_position(&self, slot: SlotIx) -> Option<usize> {
        let part = self.reading.parts().iter().find(|part| part.kind == PartKind::Option(slot))?;
        let inside = |range: &Range<usize>| range.start < part.range.end && range.end > part.range.start;
        self.reading.tokens().iter().rposition(|token| inside(&token.range))
    }
}

/// Which weights of a captured row are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weighting {
    /// Attention probabilities.
    Attention,
    /// Norms of the value-weighted contributions, as shares of each layer (Kobayashi et al. 2020).
    ValueNorms,
}

impl Observer<'_> {
    /// Render and tokenize a prompt and find its parts.
    pub fn show(&self, prompt: &Prompt, language: Language) -> Result<Shown, ObserveError> {
        let settings = RenderSettings { now: self.now, ..RenderSettings::for_generation() };
        let rendered = render_or_merge(self.template, &prompt.messages, &settings)?;
        let text = format!("{}{}", rendered.text, prompt.answer_prefix);
        let parts = place(&text, &blocks(prompt), &prompt.answer_prefix)?;
        let tokens = self.tokenizer.encode_with_offsets(&text, rendered.add_special)?;
        let limit = self.decoder.spec().max_position;
        if tokens.len() >= limit {
            return Err(ObserveError::TooLong { tokens: tokens.len(), limit });
        }
        let ids = tokens.iter().map(|(id, _)| *id).collect();
        let tokens = tokens.into_iter().map(|(id, range)| ReadingToken { id, range }).collect();
        Ok(Shown { reading: Reading::new(text, parts, tokens, language), ids, add_special: rendered.add_special })
    }

    /// The rows of some positions, all layers and heads, in the order of `queries`. One forward of the prompt; only the
    /// rows asked for are ever held.
    pub fn captures(&self, ids: &[u32], queries: &[usize], weighting: Weighting) -> Result<Vec<Capture>, ObserveError> {
        let found = self.forward(ids, queries, None, weighting == Weighting::ValueNorms)?;
        let heads = self.decoder.spec().heads;
        found
            .into_iter()
            .map(|(layers, query)| match weighting {
                Weighting::Attention => Ok(Capture::new(layers, heads, query.keys, query.weights)?),
                Weighting::ValueNorms => {
                    let norms = query.value_norms.unwrap_or_default();
                    Ok(Capture::new(layers, heads, query.keys, norms)?.into_shares())
                }
            })
            .collect()
    }

    /// Attention rollout of a position. Layers are captured from the last to the first, as many at a time as fit in
    /// memory, so a long prompt is forwarded several times.
    pub fn rollout(&self, ids: &[u32], query: usize) -> Result<Vec<f64>, ObserveError> {
        let ids = &ids[..=query];
        let tokens = ids.len();
        let spec = self.decoder.spec();
        let bytes_per_layer = spec.heads * tokens * (tokens + 1) / 2 * size_of::<f32>();
        let at_once = (ROLLOUT_BYTES / bytes_per_layer.max(1)).clamp(1, spec.layers);
        let queries: Vec<usize> = (0..tokens).collect();
        let mut below = spec.layers;
        let mut pending: Vec<Vec<f32>> = Vec::new();
        let matrices = std::iter::from_fn(|| {
            if pending.is_empty() && below > 0 {
                let layers: Vec<usize> = (below.saturating_sub(at_once)..below).collect();
                below = layers[0];
                match self.forward(ids, &queries, Some(layers.clone()), false) {
                    // `pop` takes the last layer first.
                    Ok(rows) => {
                        pending =
                            (0..layers.len()).map(|layer| mean_over_heads(&rows, layer, spec.heads, tokens)).collect()
                    }
                    Err(error) => {
                        below = 0;
                        return Some(Err(error));
                    }
                }
            }
            pending.pop().map(Ok)
        });
        rollout(tokens, query, matrices)
    }

    /// Log-likelihood of each continuation after each text, in nats.
    pub fn log_likelihoods(
        &self,
        texts: &[String],
        continuations: &[String],
        add_special: bool,
    ) -> Result<Vec<Vec<f64>>, ObserveError> {
        let request = |text: &String| -> Result<Request, ObserveError> {
            let context = self.tokenizer.context(text.as_str(), add_special)?;
            let sequences: Result<Vec<_>, _> = continuations.iter().map(|text| context.continue_with(text)).collect();
            Ok(Request::new(context.ids().to_vec(), sequences?)?)
        };
        let requests = texts.iter().map(request).collect::<Result<Vec<Request>, ObserveError>>()?;
        let scores = score(self.decoder, &requests, Packing::default(), self.budget)?;
        Ok(scores.iter().map(|scores| scores.iter().map(|tokens| tokens.sum()).collect()).collect())
    }

    /// Forward a prompt in passes of bounded size; rows of the queries in their order, with their layers.
    fn forward(
        &self,
        ids: &[u32],
        queries: &[usize],
        layers: Option<Vec<usize>>,
        value_norms: bool,
    ) -> Result<Vec<(Vec<usize>, decoder::CapturedQuery)>, ObserveError> {
        let last = queries.iter().copied().max().map_or(0, |query| query + 1).min(ids.len());
        let mut cache = self.decoder.cache();
        let mut found: Vec<Option<(Vec<usize>, decoder::CapturedQuery)>> = vec![None; queries.len()];
        let mut done = 0;
        while done < last {
            let end = last.min(done + PASS_TOKENS);
            let here: Vec<usize> = (0..queries.len()).filter(|&index| (done..end).contains(&queries[index])).collect();
            let capture = (!here.is_empty()).then(|| decoder::Capture {
                queries: here.iter().map(|&index| queries[index] - done).collect(),
                layers: layers.clone(),
                heads: None,
                value_norms,
            });
            let prefix = if done > 0 { vec![Range { start: 0, end: done }] } else { Vec::new() };
            let branches = vec![Branch { tokens: 0..end - done, prefix }];
            let pass = Pass { tokens: ids[done..end].to_vec(), branches, rows: Vec::new(), capture };
            let output = self.decoder.forward(&mut cache, &pass)?;
            if let Some(CapturedAttention { layers, queries: rows, .. }) = output.attention {
                for (&index, row) in here.iter().zip(rows) {
                    found[index] = Some((layers.clone(), row));
                }
            }
            done = end;
        }
        Ok(found.into_iter().flatten().collect())
    }
}

/// One layer's `(S, S)` matrix, averaged over heads, from the captured rows of all positions.
fn mean_over_heads(
    rows: &[(Vec<usize>, decoder::CapturedQuery)],
    layer: usize,
    heads: usize,
    tokens: usize,
) -> Vec<f32> {
    let mut matrix = vec![0.0; tokens * tokens];
    for ((_, row), line) in rows.iter().zip(matrix.chunks_mut(tokens)) {
        for head in 0..heads {
            for (sum, weight) in line.iter_mut().zip(row.row(layer, head, heads)) {
                *sum += weight / heads as f32;
            }
        }
    }
    matrix
}

/// The messages with what the prompt builder knows of them.
fn blocks(prompt: &Prompt) -> Vec<Block> {
    prompt
        .messages
        .iter()
        .enumerate()
        .map(|(index, message)| {
            let spans = prompt.spans.iter().filter(|span| span.message == index);
            let parts = spans.map(|span| Part { kind: part_kind(&span.kind), range: span.bytes.clone() }).collect();
            Block { content: message.content.clone(), parts }
        })
        .collect()
}

fn part_kind(kind: &SpanKind) -> PartKind {
    match kind {
        SpanKind::Instruction | SpanKind::Field(_) => PartKind::Instruction,
        SpanKind::Segment(kind) => PartKind::Context(*kind),
        SpanKind::Question => PartKind::Question,
        SpanKind::Option(slot) => PartKind::Option(*slot),
    }
}
