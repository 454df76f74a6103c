//! Generation: many replies at a time. The prompts of a batch form a token trie like scored sequences do, so that what
//! they share, and the prompt of several samples, is forwarded once; each reply is a branch of one token a step and
//! leaves the batch when it ends.
//!
//! Each token is drawn from a forward of the whole text before it. Where a model has other rotary factors beyond its
//! original context, the keys and values of a reply are therefore computed anew when its text grows beyond it, which is
//! what transformers does with a Phi-3 cache.

use std::collections::BTreeMap;
use std::ops::Range;

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::memory::MemoryCosts;
use super::plan::PlanError;
use super::request::Path;
use super::trie::{Shared, Trie};
use crate::decoder::{Branch, Decoder, DecoderError, KvCache, Pass, RowRanges};
use crate::seed::seeded;

/// How replies are drawn, and when they end.
#[derive(Debug, Clone, PartialEq)]
pub struct Sampling {
    /// Replies to each prompt.
    pub samples: usize,
    /// Most tokens of a reply.
    pub max_tokens: usize,
    /// Tokens that end a reply; they are not part of it.
    pub stop: Vec<u32>,
    /// Logits are divided by it before they become probabilities; at 0 the likeliest token is taken, of equals the one
    /// with the lower id.
    pub temperature: f32,
    /// Seed of all draws. A reply depends on it, its prompt's number and its own number, not on what is drawn beside it.
    pub seed: u64,
    /// Most tokens in one pass.
    pub pass_tokens: usize,
    /// Bytes for keys, values and activations.
    pub memory: u64,
}

impl Sampling {
    /// One reply to each prompt, always the likeliest token.
    pub fn greedy(max_tokens: usize, stop: Vec<u32>) -> Sampling {
        Sampling { samples: 1, max_tokens, stop, temperature: 0.0, seed: 0, pass_tokens: 512, memory: 1 << 30 }
    }
}

/// A reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// Its tokens.
    pub tokens: Vec<u32>,
    /// Why it ended.
    pub end: ReplyEnd,
}

/// Why a reply ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyEnd {
    /// A stop token was drawn.
    Stop,
    /// It has as many tokens as asked for, or fills the model's context.
    Length,
}

/// Replies that could not be generated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// A prompt without tokens.
    #[error("prompt {index} has no tokens; give it text, or a tokenizer with a BOS token")]
    EmptyPrompt {
        /// Which prompt, from 0.
        index: usize,
    },
    /// One prompt with its replies does not fit the memory budget.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The decoder failed.
    #[error(transparent)]
    Decoder(#[from] DecoderError),
    /// Logits could not be read.
    #[error("reading logits: {0}")]
    Tensor(#[from] candle_core::Error),
}

/// Steps after which rows of ended replies are dropped and those of each reply brought side by side.
const TIDY: usize = 32;

/// Replies to each prompt, in the order of the prompts.
pub fn generate(
    decoder: &Decoder,
    prompts: &[Vec<u32>],
    sampling: &Sampling,
) -> Result<Vec<Vec<Reply>>, GenerateError> {
    if let Some(index) = prompts.iter().position(Vec::is_empty) {
        return Err(GenerateError::EmptyPrompt { index });
    }
    let mut replies: Vec<Vec<Reply>> = vec![Vec::new(); prompts.len()];
    for batch in batches(decoder, prompts, sampling)? {
        for (prompt, of_prompt) in Batch::start(decoder, prompts, batch, sampling)?.run()? {
            replies[prompt] = of_prompt;
        }
    }
    Ok(replies)
}

/// Prompts in depth-first order of their trie, cut so that each batch fits the memory budget.
fn batches(decoder: &Decoder, prompts: &[Vec<u32>], sampling: &Sampling) -> Result<Vec<Vec<usize>>, PlanError> {
    let costs = MemoryCosts::of(decoder.spec(), decoder.arithmetic());
    // A reply that grows beyond the original context leaves the rows of its prompt and has its own.
    let own_rows = |prompt: usize| {
        let tokens = prompts[prompt].len();
        let crosses = |original| tokens <= original && tokens + sampling.max_tokens > original;
        let anew = if costs.original_context.is_some_and(crosses) { tokens } else { 0 };
        sampling.samples * (sampling.max_tokens + anew)
    };
    let needed = |rows: usize| costs.pass_bytes(rows, sampling.pass_tokens.max(1));
    let path = |prompt: usize| Path::of_prompt(&prompts[prompt], costs.original_context);
    let mut order: Vec<usize> = (0..prompts.len()).collect();
    order.sort_by(|&left, &right| path(left).compare(&path(right)).then(left.cmp(&right)));
    let mut batches: Vec<Vec<usize>> = Vec::new();
    let mut rows = 0;
    for prompt in order {
        let (tokens, own) = (prompts[prompt].len(), own_rows(prompt));
        if needed(tokens + own) > sampling.memory {
            let needed = needed(tokens + own);
            let tokens = tokens + sampling.max_tokens;
            return Err(PlanError::BudgetTooSmall { budget: sampling.memory, tokens, needed });
        }
        if let Some(batch) = batches.last_mut()
            && let Some(&last) = batch.last()
        {
            let fresh = tokens - path(last).common_prefix(&path(prompt));
            if needed(rows + fresh + own) <= sampling.memory {
                rows += fresh + own;
                batch.push(prompt);
                continue;
            }
        }
        batches.push(vec![prompt]);
        rows = tokens + own;
    }
    Ok(batches)
}

/// Prompts whose replies are generated together.
struct Batch<'a> {
    decoder: &'a Decoder,
    prompts: &'a [Vec<u32>],
    sampling: &'a Sampling,
    cache: KvCache,
    /// Rows of the prompts' trie, from the first row of the cache on.
    trie_rows: usize,
    live: Vec<Live>,
    ended: BTreeMap<(usize, usize), Reply>,
}

/// A reply that has not ended.
struct Live {
    prompt: usize,
    sample: usize,
    /// Most tokens it may have.
    limit: usize,
    /// Cache rows of the prompt, in depth order.
    above: RowRanges,
    /// Cache rows of its own tokens but the last, which is not forwarded yet; of the whole text but that where the text
    /// has grown beyond the original context.
    own: RowRanges,
    tokens: Vec<u32>,
    random: ChaCha8Rng,
}

impl<'a> Batch<'a> {
    /// Forward the prompts and draw the first token of each reply.
    fn start(
        decoder: &'a Decoder,
        prompts: &'a [Vec<u32>],
        batch: Vec<usize>,
        sampling: &'a Sampling,
    ) -> Result<Self, GenerateError> {
        let original_context = decoder.spec().original_context();
        let paths: Vec<Path<'_>> =
            batch.iter().map(|&prompt| Path::of_prompt(&prompts[prompt], original_context)).collect();
        let trie = Trie::new(&paths, &Shared::default(), true);
        let rows = edge_rows(&trie);
        let above = |edge: usize| -> RowRanges {
            let mut edges: Vec<usize> =
                std::iter::successors(trie.edges[edge].parent, |&above| trie.edges[above].parent).collect();
            edges.reverse();
            edges.into_iter().map(|edge| rows[edge].clone()).collect()
        };
        let mut batch_now = Batch {
            decoder,
            prompts,
            sampling,
            cache: decoder.cache(),
            trie_rows: trie.tokens(),
            live: Vec::new(),
            ended: BTreeMap::new(),
        };
        let context = decoder.spec().max_position;
        for pieces in pieces(&trie, &rows, sampling.pass_tokens.max(1)) {
            let mut pass = Pass { beyond: pieces.iter().any(|&(edge, _)| trie.edges[edge].beyond), ..Pass::default() };
            let mut wanted: Vec<usize> = Vec::new();
            for (edge, piece) in pieces {
                let start = pass.tokens.len();
                let from = trie.edges[edge].from + piece.start - rows[edge].start;
                pass.tokens.extend(paths[trie.edges[edge].path].slice(from..from + piece.len()));
                let mut prefix = above(edge);
                prefix.push(rows[edge].start..piece.start);
                pass.branches.push(Branch { tokens: start..pass.tokens.len(), prefix });
                if piece.end == rows[edge].end {
                    for place in (0..paths.len()).filter(|&place| trie.last_edge[place] == edge) {
                        wanted.push(place);
                        pass.rows.push(pass.tokens.len() - 1);
                    }
                }
            }
            let logits = batch_now.forward(&pass)?;
            for (&place, logits) in wanted.iter().zip(&logits) {
                let (edge, prompt) = (trie.last_edge[place], batch[place]);
                let limit = sampling.max_tokens.min(context.saturating_sub(prompts[prompt].len()) + 1);
                for sample in 0..sampling.samples {
                    let mut above = above(edge);
                    above.push(rows[edge].clone());
                    let live = Live {
                        prompt,
                        sample,
                        limit,
                        above,
                        own: RowRanges::default(),
                        tokens: Vec::new(),
                        random: seeded(sampling.seed, &prompt.to_string(), sample),
                    };
                    batch_now.take(live, logits);
                }
            }
        }
        Ok(batch_now)
    }

    /// Step until every reply has ended: replies by prompt.
    fn run(mut self) -> Result<BTreeMap<usize, Vec<Reply>>, GenerateError> {
        for step in 1usize.. {
            if self.live.is_empty() {
                break;
            }
            if step.is_multiple_of(TIDY) {
                self.tidy();
            }
            let mut waiting = std::mem::take(&mut self.live);
            for live in &mut waiting {
                self.start_anew_beyond_original_context(live)?;
            }
            while !waiting.is_empty() {
                let rest = waiting.split_off(waiting.len().min(self.sampling.pass_tokens.max(1)));
                self.step(waiting)?;
                waiting = rest;
            }
        }
        let mut replies: BTreeMap<usize, Vec<Reply>> = BTreeMap::new();
        for ((prompt, _), reply) in self.ended {
            replies.entry(prompt).or_default().push(reply);
        }
        Ok(replies)
    }

    /// Forward the whole text of a reply but its last token once more, where that token is the first beyond the original
    /// context: all keys before it then have other rotary factors.
    fn start_anew_beyond_original_context(&mut self, live: &mut Live) -> Result<(), GenerateError> {
        let text = [&self.prompts[live.prompt][..], &live.tokens].concat();
        if self.decoder.spec().original_context().is_none_or(|original| text.len() != original + 1) {
            return Ok(());
        }
        let first = self.cache.rows();
        (live.above, live.own) = (RowRanges::default(), RowRanges::default());
        for tokens in text[..text.len() - 1].chunks(self.sampling.pass_tokens.max(1)) {
            let branch = Branch { tokens: 0..tokens.len(), prefix: live.own.clone() };
            let pass = Pass { tokens: tokens.to_vec(), branches: vec![branch], beyond: true, ..Pass::default() };
            self.forward(&pass)?;
            live.own = std::iter::once(first..self.cache.rows()).collect();
        }
        Ok(())
    }

    /// Forward the last token of each reply and draw the next.
    fn step(&mut self, replies: Vec<Live>) -> Result<(), GenerateError> {
        let first = self.cache.rows();
        let branch = |(number, live): (usize, &Live)| Branch {
            tokens: number..number + 1,
            prefix: live.above.iter().chain(&live.own).cloned().collect(),
        };
        let pass = Pass {
            tokens: replies.iter().filter_map(|live| live.tokens.last().copied()).collect(),
            branches: replies.iter().enumerate().map(branch).collect(),
            rows: (0..replies.len()).collect(),
            ..Pass::default()
        };
        let logits = self.forward(&pass)?;
        for (number, (mut live, logits)) in replies.into_iter().zip(logits).enumerate() {
            let row = first + number;
            live.own.push(row..row + 1);
            self.take(live, &logits);
        }
        Ok(())
    }

    /// Draw a reply's next token, and end it or keep it.
    fn take(&mut self, mut live: Live, logits: &[f32]) {
        let end = if live.tokens.len() >= live.limit {
            Some(ReplyEnd::Length)
        } else {
            let token = draw(logits, self.sampling.temperature, &mut live.random);
            match self.sampling.stop.contains(&token) {
                true => Some(ReplyEnd::Stop),
                false => {
                    live.tokens.push(token);
                    (live.tokens.len() == live.limit).then_some(ReplyEnd::Length)
                }
            }
        };
        match end {
            Some(end) => {
                self.ended.insert((live.prompt, live.sample), Reply { tokens: live.tokens, end });
            }
            None => self.live.push(live),
        }
    }

    /// Drop the rows of ended replies and bring those of each other one side by side.
    fn tidy(&mut self) {
        let mut keep = RowRanges::first(self.trie_rows);
        for live in &mut self.live {
            let at = keep.len();
            keep.extend(live.own.iter().cloned());
            live.own = std::iter::once(at..keep.len()).collect();
        }
        self.cache.keep(&keep);
    }

    fn forward(&mut self, pass: &Pass) -> Result<Vec<Vec<f32>>, GenerateError> {
        let output = self.decoder.forward(&mut self.cache, pass)?;
        if pass.rows.is_empty() {
            return Ok(Vec::new());
        }
        Ok(self.decoder.logits(&output.hidden)?.to_vec2()?)
    }
}

/// Cache rows of each edge: edges are stored one after the other in depth-first order.
fn edge_rows(trie: &Trie) -> Vec<Range<usize>> {
    let mut at = 0;
    trie.edges
        .iter()
        .map(|edge| {
            let start = at;
            at += edge.to - edge.from;
            start..at
        })
        .collect()
}

/// Edges with their rows, cut into passes of at most `pass_tokens` on one side of the original context.
fn pieces(trie: &Trie, rows: &[Range<usize>], pass_tokens: usize) -> Vec<Vec<(usize, Range<usize>)>> {
    let mut passes: Vec<Vec<(usize, Range<usize>)>> = Vec::new();
    let (mut room, mut beyond) = (0, false);
    for (edge, rows) in rows.iter().enumerate() {
        let mut from = rows.start;
        if trie.edges[edge].beyond != beyond {
            (room, beyond) = (0, trie.edges[edge].beyond);
        }
        while from < rows.end {
            if room == 0 {
                passes.push(Vec::new());
                room = pass_tokens;
            }
            let to = rows.end.min(from + room);
            if let Some(pass) = passes.last_mut() {
                pass.push((edge, from..to));
            }
            room -= to - from;
            from = to;
        }
    }
    passes
}

/// A token by its logits.
fn draw(logits: &[f32], temperature: f32, random: &mut ChaCha8Rng) -> u32 {
    let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let likeliest = logits.iter().position(|&logit| logit == largest).unwrap_or(0);
    if temperature <= 0.0 {
        return likeliest as u32;
    }
    let weight = |logit: f32| (f64::from(logit - largest) / f64::from(temperature)).exp();
    let total: f64 = logits.iter().map(|&logit| weight(logit)).sum();
    let mut left = random.random::<f64>() * total;
    for (token, &logit) in logits.iter().enumerate() {
        left -= weight(logit);
        if left < 0.0 {
            return token as u32;
        }
    }
    likeliest as u32
}
