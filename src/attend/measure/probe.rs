//! Probes one model: a prompt's tokens and parts, the attention of its positions, and log-likelihoods of answers.

use std::ops::{Add, Range};

use candle_core::Tensor;
use jiff::civil::DateTime;
use serde::{Deserialize, Serialize};

use super::rollout::rollout;
use super::{Capture, CaptureError, reduce};
use crate::attend::prompts::{AnnotatedPrompt, MessageParts, PartKind, PlaceError, PromptPart, PromptToken, place};
use crate::decoder::{self, CapturedAttention, CapturedQuery, Contributions, Decoder, DecoderError, Pass};
use crate::engine::{PlanError, Request, RequestError, ScoreError, score, score_once};
use crate::language::Language;
use crate::model::{
    ChatTemplate, RenderSettings, TemplateError, TemplateVariables, Tokenizer, TokenizerError, open_thinking,
    render_or_merge,
};
use crate::prompt::{Prompt, SlotIx, SpanKind};

/// Memory for the attention of many positions, in bytes.
const CAPTURE_BYTES: usize = 512 << 20;

/// A model whose attention can be captured.
pub struct Probe<'a> {
    /// Its weights.
    pub decoder: &'a Decoder,
    /// Its tokenizer.
    pub tokenizer: &'a Tokenizer,
    /// Its chat template, if it has one.
    pub template: Option<&'a ChatTemplate>,
    /// Variables passed to the template besides the messages.
    pub variables: TemplateVariables,
    /// The date that templates print.
    pub now: Option<DateTime>,
    /// Memory budget for the KV cache and activations while scoring, in bytes.
    pub budget: u64,
}

/// A prompt that could not be tokenized or run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProbeError {
    /// The chat template rejects the prompt.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// The template opens a thinking section where the answer is expected.
    #[error(
        "the chat template opens a thinking section ({mark}) that the prompt does not close; close it by the template's own \
         switch (--template-var NAME=VALUE), or by a style whose answer_prefix does"
    )]
    OpenThinking {
        /// The opening mark of the section.
        mark: &'static str,
    },
    /// The template changes messages, so that parts cannot be located.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// The prompt cannot be tokenized.
    #[error(transparent)]
    Tokenizer(#[from] TokenizerError),
    /// An answer cannot be scored after the prompt.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The decoder failed.
    #[error(transparent)]
    Decoder(#[from] DecoderError),
    /// Scoring failed.
    #[error(transparent)]
    Score(#[from] ScoreError),
    /// The decoder returned attention of the wrong shape.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// A log-likelihood or an attention weight is infinite or NaN.
    #[error("{what} is not a finite number; try --dtype f32, or check the weights")]
    NotFinite {
        /// Description of the value.
        what: &'static str,
    },
    /// The prompt exceeds the context length.
    #[error(
        "the prompt has {tokens} tokens, but the model takes at most {limit}; use a shorter style or a model with a \
         longer context"
    )]
    TooLong {
        /// Number of tokens of the prompt, as text.
        tokens: String,
        /// Context length of the model in tokens.
        limit: usize,
    },
}

/// A rendered and tokenized prompt.
#[derive(Debug, Clone)]
pub struct TokenizedPrompt {
    /// Text, parts, tokens and words.
    pub annotated: AnnotatedPrompt,
    /// Whether the tokenizer adds its own leading tokens.
    pub add_special: bool,
}

impl TokenizedPrompt {
    /// The last token of the option displayed in `slot`; `None` if it is not displayed.
    pub fn option_position(&self, slot: SlotIx) -> Option<usize> {
        let part = self.annotated.parts().iter().find(|part| part.kind == PartKind::Option(slot))?;
        let inside = |range: &Range<usize>| range.start < part.range.end && range.end > part.range.start;
        self.annotated.tokens().iter().rposition(|token| inside(&token.range))
    }
}

/// Tokens of prompts, and those of them that were forwarded: beginnings that prompts share are forwarded once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TokensRead {
    /// Tokens of the prompts.
    pub tokens: usize,
    /// Tokens forwarded.
    pub forwarded: usize,
}

impl Add for TokensRead {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        TokensRead { tokens: self.tokens + other.tokens, forwarded: self.forwarded + other.forwarded }
    }
}

/// Kind of weights of a captured row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weighting {
    /// Attention probabilities.
    Attention,
    /// Norms of the value-weighted contributions, as shares of each layer (Kobayashi et al. 2020).
    ValueNorms,
}

impl Probe<'_> {
    /// Renders and tokenizes a prompt and locates its parts.
    pub fn tokenize(&self, prompt: &Prompt, language: Language) -> Result<TokenizedPrompt, ProbeError> {
        let variables = self.variables.clone();
        let settings = RenderSettings { now: self.now, variables, ..RenderSettings::for_generation() };
        let rendered = render_or_merge(self.template, &prompt.messages, &settings)?;
        let text = format!("{}{}", rendered.text, prompt.answer_prefix);
        let last = prompt.messages.last().map_or("", |message| &message.content);
        if let (Some(_), Some(mark)) = (self.template, open_thinking(&text, last)) {
            return Err(ProbeError::OpenThinking { mark });
        }
        let parts = place(&text, &message_parts(prompt), &prompt.answer_prefix)?;
        let limit = self.decoder.spec().max_position;
        if let Some(tokens) = self.tokenizer.far_more_than(limit, &text)? {
            return Err(ProbeError::TooLong { tokens: format!("at least {tokens}"), limit });
        }
        let tokens = self.tokenizer.encode_with_offsets(&text, rendered.add_special)?;
        if tokens.len() >= limit {
            return Err(ProbeError::TooLong { tokens: tokens.len().to_string(), limit });
        }
        let tokens = tokens.into_iter().map(|(id, range)| PromptToken { id, range }).collect();
        let annotated = AnnotatedPrompt::new(text, parts, tokens, language);
        Ok(TokenizedPrompt { annotated, add_special: rendered.add_special })
    }

    /// Position of a prompt that predicts the first token of its answers: the last token, or the one before if the
    /// prompt's end and the start of an answer form one token.
    pub fn answer_position(&self, text: &str, add_special: bool, answers: &[String]) -> Result<usize, ProbeError> {
        let context = self.tokenizer.context(text, add_special)?;
        let mut position = context.ids().len() - 1;
        for answer in answers {
            position = position.min(context.continue_with(answer)?.scored_from.saturating_sub(1));
        }
        Ok(position)
    }

    /// Captures the rows of some positions, all layers and heads, in the order of `queries`, in one forward pass. Only
    /// the requested rows are ever held in memory.
    pub fn captures(&self, ids: &[u32], queries: &[usize], weighting: Weighting) -> Result<Vec<Capture>, ProbeError> {
        captures_of(self.forward(ids, queries, None, weighting == Weighting::ValueNorms)?.attention, weighting)
    }

    /// Like [`Probe::captures`], with the log-likelihoods of the answers, in nats, from the same forward pass; `None`
    /// if an answer is not a single token right after the first query, which is the answer position.
    /// [`Probe::log_likelihoods`] agrees with it to rounding.
    pub fn read_once(
        &self,
        text: &str,
        (ids, queries): (&[u32], &[usize]),
        weighting: Weighting,
        answers: &[String],
        add_special: bool,
    ) -> Result<Option<(Vec<f64>, Vec<Capture>)>, ProbeError> {
        let Some(&position) = queries.first() else { return Ok(None) };
        let context = self.tokenizer.context(text, add_special)?;
        let mut targets = Vec::with_capacity(answers.len());
        for answer in answers {
            let sequence = context.continue_with(answer)?;
            let before = ids.get(..=position);
            match sequence.tokens.split_last() {
                Some((&token, rest)) if sequence.scored_from == rest.len() && before == Some(rest) => {
                    targets.push((0, token));
                }
                _ => return Ok(None),
            }
        }
        let forwarded = self.forward(ids, queries, Some(position), weighting == Weighting::ValueNorms)?;
        let found = self.decoder.log_probs(&forwarded.hidden, &targets)?;
        let found: Vec<f64> = found.into_iter().map(f64::from).collect();
        match found.iter().all(|logprob| logprob.is_finite()) {
            true => Ok(Some((found, captures_of(forwarded.attention, weighting)?))),
            false => Err(ProbeError::NotFinite { what: "a log-likelihood" }),
        }
    }

    /// What each position pays to those up to it, mean over layers and heads given by number and summing to 1, in the
    /// order of `queries`. As many layers are captured in one forward pass as fit in memory.
    pub fn profiles(
        &self,
        ids: &[u32],
        queries: &[usize],
        weighting: Weighting,
        (layers, heads): (&[usize], &[usize]),
    ) -> Result<Vec<Vec<f64>>, ProbeError> {
        let Some(longest) = queries.iter().max().map(|query| query + 1) else { return Ok(Vec::new()) };
        let bytes_per_layer = self.decoder.spec().heads * queries.len() * longest * size_of::<f32>();
        let at_once = (CAPTURE_BYTES / bytes_per_layer.max(1)).clamp(1, layers.len().max(1));
        let mut means: Vec<Vec<f64>> = queries.iter().map(|query| vec![0.0; query + 1]).collect();
        for some in layers.chunks(at_once) {
            let norms = weighting == Weighting::ValueNorms;
            let found = self.forward_layers(ids, queries, Some(some.to_vec()), None, norms)?;
            let share = some.len() as f64 / layers.len() as f64;
            let own: Vec<usize> = (0..some.len()).collect();
            for (mean, capture) in means.iter_mut().zip(captures_of(found.attention, weighting)?) {
                let profile = reduce::profile(&capture, &own, heads);
                mean.iter_mut().zip(profile).for_each(|(sum, weight)| *sum += share * weight);
            }
        }
        Ok(means)
    }

    /// Attention rollout of a position. Layers are captured from the last to the first, as many at a time as fit in
    /// memory, so a long prompt needs several forward passes.
    pub fn rollout(&self, ids: &[u32], query: usize) -> Result<Vec<f64>, ProbeError> {
        let tokens = query + 1;
        let spec = self.decoder.spec();
        let bytes_per_layer = spec.heads * tokens * (tokens + 1) / 2 * size_of::<f32>();
        let at_once = (CAPTURE_BYTES / bytes_per_layer.max(1)).clamp(1, spec.layers);
        let queries: Vec<usize> = (0..tokens).collect();
        let mut below = spec.layers;
        let mut pending: Vec<Vec<f32>> = Vec::new();
        let matrices = std::iter::from_fn(|| {
            if pending.is_empty() && below > 0 {
                let layers: Vec<usize> = (below.saturating_sub(at_once)..below).collect();
                below = layers[0];
                match self.forward_layers(ids, &queries, Some(layers.clone()), None, false) {
                    // `pop` returns the last layer first.
                    Ok(Forwarded { attention: found, .. }) => {
                        pending = (0..layers.len()).map(|layer| mean_over_heads(&found, layer)).collect()
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

    /// Log-likelihood of each continuation after each text, in nats, all of them finite.
    pub fn log_likelihoods(
        &self,
        texts: &[String],
        continuations: &[String],
        add_special: bool,
    ) -> Result<Vec<Vec<f64>>, ProbeError> {
        Ok(self.log_likelihoods_counted(texts, continuations, add_special)?.0)
    }

    /// As [`Probe::log_likelihoods`], and the tokens that this took: texts share their common beginnings.
    pub fn log_likelihoods_counted(
        &self,
        texts: &[String],
        continuations: &[String],
        add_special: bool,
    ) -> Result<(Vec<Vec<f64>>, TokensRead), ProbeError> {
        let request = |text: &String| -> Result<Request, ProbeError> {
            let context = self.tokenizer.context(text.as_str(), add_special)?;
            let sequences: Result<Vec<_>, _> = continuations.iter().map(|text| context.continue_with(text)).collect();
            Ok(Request::new(context.ids().to_vec(), sequences?)?)
        };
        let requests = texts.iter().map(request).collect::<Result<Vec<Request>, ProbeError>>()?;
        let tokens: usize = requests.iter().map(|request| request.context_tokens()).sum();
        let mut forwarded = tokens;
        let scores = match score(self.decoder, &requests, self.budget, |_, planned| forwarded = planned) {
            // The KV cache of all layers does not fit; that of one layer at a time may.
            Err(ScoreError::Plan(PlanError::BudgetTooSmall { .. })) => requests
                .iter()
                .map(|request| score_once(self.decoder, request, self.budget))
                .collect::<Result<_, _>>()?,
            scores => scores?,
        };
        let sums: Vec<Vec<f64>> =
            scores.iter().map(|scores| scores.iter().map(|tokens| tokens.sum()).collect()).collect();
        match sums.iter().flatten().all(|sum| sum.is_finite()) {
            true => Ok((sums, TokensRead { tokens, forwarded })),
            false => Err(ProbeError::NotFinite { what: "a log-likelihood" }),
        }
    }

    /// Logit lens of a position after the embedding and after each layer: log-likelihoods of the first tokens of
    /// `labels`, in nats, and whether a label has more than one token.
    pub fn lens(
        &self,
        text: &str,
        ids: &[u32],
        position: usize,
        labels: &[String],
        add_special: bool,
    ) -> Result<(Vec<Vec<f64>>, bool), ProbeError> {
        let (first, longer) = self.first_tokens(text, position, labels, add_special)?;
        let first: Vec<(usize, u32)> = first.into_iter().map(|token| (0, token)).collect();
        let pass = Pass { lens: true, ..self.up_to(ids, position) };
        let mut found: Vec<Vec<f64>> = Vec::new();
        for hidden in &self.decoder.forward_once(&pass)?.lens {
            found.push(self.decoder.log_probs(hidden, &first)?.into_iter().map(f64::from).collect());
        }
        match found.iter().flatten().all(|logprob| logprob.is_finite()) {
            true => Ok((found, longer)),
            false => Err(ProbeError::NotFinite { what: "a log-likelihood of the logit lens" }),
        }
    }

    /// The residual stream of a position after the embedding and after each layer, `(layers + 1, hidden)` row by row,
    /// before the final norm.
    pub fn states(&self, ids: &[u32], position: usize) -> Result<Vec<f32>, ProbeError> {
        let pass = Pass { states: true, ..self.up_to(ids, position) };
        let found = self.decoder.forward_once(&pass)?.states.concat();
        match found.iter().all(|value| value.is_finite()) {
            true => Ok(found),
            false => Err(ProbeError::NotFinite { what: "a number of the residual stream" }),
        }
    }

    /// Contribution of each part of the model at a position to the logit difference of the first tokens of two labels,
    /// in nats, and whether a label has more than one token.
    pub fn contributions(
        &self,
        text: &str,
        ids: &[u32],
        position: usize,
        labels: &[String; 2],
        add_special: bool,
    ) -> Result<(Contributions, bool), ProbeError> {
        let (first, longer) = self.first_tokens(text, position, labels, add_special)?;
        let pass = Pass { parts: true, ..self.up_to(ids, position) };
        let parts = self.decoder.forward_once(&pass)?.parts;
        let none = || DecoderError::Pass("no parts came back".to_string());
        let found = self.decoder.contributions(parts.first().ok_or_else(none)?, (first[0], first[1]))?;
        match found.difference.is_finite() && found.heads.iter().flatten().all(|part| part.is_finite()) {
            true => Ok((found, longer)),
            false => Err(ProbeError::NotFinite { what: "a contribution" }),
        }
    }

    /// First tokens of labels after a position, and whether a label has more than one.
    fn first_tokens(
        &self,
        text: &str,
        position: usize,
        labels: &[String],
        add_special: bool,
    ) -> Result<(Vec<u32>, bool), ProbeError> {
        let context = self.tokenizer.context(text, add_special)?;
        let mut first = Vec::with_capacity(labels.len());
        let mut longer = false;
        for label in labels {
            let sequence = context.continue_with(label)?;
            // Labels whose tokens start earlier share the tokens up to the position.
            let token = sequence.tokens.get(position + 1).copied();
            let none = || TokenizerError::EmptyContinuation { continuation: label.clone() };
            first.push(token.ok_or_else(none)?);
            longer |= sequence.tokens.len() > position + 2;
        }
        Ok((first, longer))
    }

    /// A pass over a prompt up to a position, with that position as its only row.
    fn up_to(&self, ids: &[u32], position: usize) -> Pass {
        let stage = self.decoder.spec().stages().map_or(0, |stages| stages.of(ids.len()));
        Pass { rows: vec![position], stage, ..Pass::sequence(&ids[..=position], 0) }
    }

    /// Runs a prompt up to its last query with all layers captured, and returns the residual stream of `row` if given.
    fn forward(
        &self,
        ids: &[u32],
        queries: &[usize],
        row: Option<usize>,
        value_norms: bool,
    ) -> Result<Forwarded, ProbeError> {
        self.forward_layers(ids, queries, None, row, value_norms)
    }

    /// Runs a prompt up to its last query, in one pass without a KV cache.
    fn forward_layers(
        &self,
        ids: &[u32],
        queries: &[usize],
        layers: Option<Vec<usize>>,
        row: Option<usize>,
        value_norms: bool,
    ) -> Result<Forwarded, ProbeError> {
        let last = queries.iter().copied().max().map_or(0, |query| query + 1).min(ids.len());
        let capture = decoder::Capture { queries: queries.to_vec(), layers, heads: None, value_norms };
        // The forwarded text may end before the next stage begins, but the rows are those of the whole prompt.
        let stage = self.decoder.spec().stages().map_or(0, |stages| stages.of(ids.len()));
        let rows = row.into_iter().collect();
        let pass = Pass { rows, capture: Some(capture), stage, ..Pass::sequence(&ids[..last], 0) };
        let output = self.decoder.forward_once(&pass)?;
        let none = || CapturedAttention { layers: vec![], heads: vec![], queries: vec![] };
        let attention = output.attention.unwrap_or_else(none);
        let finite = |query: &CapturedQuery| {
            query.weights.iter().chain(query.value_norms.iter().flatten()).all(|weight| weight.is_finite())
        };
        match attention.queries.iter().all(finite) {
            true => Ok(Forwarded { attention, hidden: output.hidden }),
            false => Err(ProbeError::NotFinite { what: "an attention weight" }),
        }
    }
}

/// Result of one forward pass of a prompt.
struct Forwarded {
    /// Rows of the queries in their order, with their layers.
    attention: CapturedAttention,
    /// The residual stream of the requested row, as input to the model's head.
    hidden: Tensor,
}

/// Captured rows, one capture per query.
fn captures_of(found: CapturedAttention, weighting: Weighting) -> Result<Vec<Capture>, ProbeError> {
    let heads = found.heads.len();
    let capture = |query: CapturedQuery| match weighting {
        Weighting::Attention => Ok(Capture::new(found.layers.clone(), heads, query.keys, query.weights)?),
        Weighting::ValueNorms => {
            let norms = query.value_norms.unwrap_or_default();
            Ok(Capture::new(found.layers.clone(), heads, query.keys, norms)?.into_shares())
        }
    };
    found.queries.into_iter().map(capture).collect()
}

/// One layer's `(S, S)` matrix, averaged over heads, from the captured rows of all S positions.
fn mean_over_heads(found: &CapturedAttention, layer: usize) -> Vec<f32> {
    let (tokens, heads) = (found.queries.len(), found.heads.len());
    let mut matrix = vec![0.0; tokens * tokens];
    for (query, line) in found.queries.iter().zip(matrix.chunks_mut(tokens)) {
        for head in 0..heads {
            for (sum, weight) in line.iter_mut().zip(query.row(layer, head, heads)) {
                *sum += weight / heads as f32;
            }
        }
    }
    matrix
}

/// The messages with the parts known to the prompt builder.
fn message_parts(prompt: &Prompt) -> Vec<MessageParts> {
    prompt
        .messages
        .iter()
        .enumerate()
        .map(|(index, message)| {
            let spans = prompt.spans.iter().filter(|span| span.message == index);
            let parts =
                spans.map(|span| PromptPart { kind: part_kind(&span.kind), range: span.bytes.clone() }).collect();
            MessageParts { content: message.content.clone(), parts }
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
