//! Continuous batching: prompts in trie order, simultaneous replies, finished ones replaced at once.
//!
//! Each user of cache rows holds their indices in depth order. An incoming prompt reuses the rows of the longest prefix
//! it shares with any text in the cache; unused rows are dropped now and then.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;

use rayon::prelude::*;

use super::live::{Live, Next, Rules};
use super::placing::Placing;
use super::sampling::Sampling;
use super::{GenerateError, GenerateProgress, GenerateRequest, Limits, Reply, ReplyEnd};
use crate::decoder::{Branch, Decoder, KvCache, Pass, RowRanges, Stages};
use crate::engine::memory::MemoryCosts;
use crate::engine::plan::PlanError;
use crate::engine::request::Path;
use crate::model::{Tokenizer, common_length};

/// Rows that must be free per reply before another is admitted, so that it is not evicted soon after.
const AHEAD: usize = 32;

/// Number of steps after which each reply's rows are made consecutive.
const TIDY: usize = 32;

/// Rows whose logits exist at the same time.
const HEAD_ROWS: usize = 64;

pub(super) struct Queue<'a> {
    decoder: &'a Decoder,
    requests: &'a [GenerateRequest],
    rules: Rules<'a>,
    limits: Limits,
    stages: Option<Stages>,
    /// Most rows of the cache.
    rows: usize,
    cache: KvCache,
    /// Replies not begun or put back, in order of admission.
    waiting: VecDeque<Waiting>,
    /// Replies in progress, the oldest first.
    live: Vec<Live>,
    last: Option<LastPrompt>,
    /// Rows up to here are consecutive for each text.
    tidied: usize,
    /// Whether there may be unused rows.
    loose: bool,
    /// Whether replies were put back since the last one finished: until then none is admitted, as it would only be put
    /// back again.
    closed: bool,
    progress: GenerateProgress,
}

enum Waiting {
    New(usize),
    Again(Box<Live>),
}

/// The prompt forwarded last; the next one probably shares its prefix or is the same.
struct LastPrompt {
    tokens: Arc<[u32]>,
    path: RowRanges,
    stage: u8,
    /// Prediction of the token after it.
    next: Next,
}

/// Texts whose rows are computed in one pass, and those admitted before it in the same round.
#[derive(Default)]
struct Incoming {
    pass: Pass,
    replies: Vec<(Live, First)>,
}

/// Source of the logits of a reply's next token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum First {
    /// Its next token is already known.
    Known,
    /// A row of the pass, as an index into the wanted rows.
    Row(usize),
    /// The prompt equals that of [`LastPrompt`].
    Last,
}

impl<'a> Queue<'a> {
    /// Checks all requests and sorts them.
    pub fn new(
        decoder: &'a Decoder,
        tokenizer: Option<&'a Tokenizer>,
        requests: &'a [GenerateRequest],
        sampling: &'a Sampling,
        limits: Limits,
    ) -> Result<Queue<'a>, GenerateError> {
        let limits = Limits { pass_tokens: limits.pass_tokens.max(1), replies: limits.replies.max(1), ..limits };
        let spec = decoder.spec();
        let costs = MemoryCosts::new(spec, decoder.arithmetic());
        let (context, stages) = (spec.max_position, costs.stages);
        for (index, GenerateRequest { prompt, max_tokens, .. }) in requests.iter().enumerate() {
            let tokens = prompt.len();
            if tokens == 0 {
                return Err(GenerateError::EmptyPrompt { index });
            }
            if tokens > context {
                return Err(GenerateError::TooLong { index, tokens, limit: context });
            }
            let tokens = tokens.saturating_add(*max_tokens).min(context);
            let needed = costs.pass_bytes(tokens, limits.pass_tokens);
            if needed > limits.memory {
                return Err(PlanError::BudgetTooSmall { budget: limits.memory, tokens, needed }.into());
            }
        }
        let path = |request: usize| Path::of_prompt(&requests[request].prompt, stages);
        let mut order: Vec<usize> = (0..requests.len()).collect();
        order.sort_by(|&left, &right| path(left).compare(&path(right)).then(left.cmp(&right)));
        let for_rows = limits.memory.saturating_sub(costs.pass_bytes(0, limits.pass_tokens));
        let rows = usize::try_from(for_rows / costs.kv_bytes_per_token.max(1) as u64).unwrap_or(usize::MAX);
        let all = requests.iter().map(|request| request.prompt.len().saturating_add(request.max_tokens));
        let mut cache = decoder.cache();
        // Growing would copy the cache and hold it twice meanwhile.
        cache.reserve_lazily(rows.min(all.fold(0, usize::saturating_add)));
        Ok(Queue {
            decoder,
            requests,
            rules: Rules { sampling, tokenizer, context },
            limits,
            stages,
            rows,
            cache,
            waiting: order.into_iter().map(Waiting::New).collect(),
            live: Vec::new(),
            last: None,
            tidied: 0,
            loose: false,
            closed: false,
            progress: GenerateProgress { waiting: requests.len(), ..GenerateProgress::default() },
        })
    }

    /// Writes all replies.
    pub fn run(
        mut self,
        on_reply: &mut dyn FnMut(usize, Reply) -> ControlFlow<()>,
        after_step: &mut dyn FnMut(&GenerateProgress) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, GenerateError> {
        for step in 1usize.. {
            // Replies that end with their first token make room for others.
            loop {
                let ended = self.take_in(after_step)?;
                let again = self.start_anew_in_next_stage();
                if ended.is_empty() && !again {
                    break;
                }
                if self.hand_over(ended, on_reply)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            if self.live.is_empty() && self.waiting.is_empty() {
                break;
            }
            self.make_room(step)?;
            let ended = self.step()?;
            let stop = self.hand_over(ended, on_reply)?;
            let _ = self.start_anew_in_next_stage();
            self.progress.live = self.live.len();
            self.progress.live_tokens = self.live.iter().map(|live| live.tokens.len()).sum();
            self.progress.waiting = self.waiting.len();
            if stop.is_break() || after_step(&self.progress).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn hand_over(
        &mut self,
        ended: Vec<(Live, ReplyEnd)>,
        on_reply: &mut dyn FnMut(usize, Reply) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, GenerateError> {
        for (live, end) in ended {
            let request = live.request;
            let reply = live.end(end, self.rules)?;
            self.progress.ended += 1;
            self.progress.ended_tokens += reply.tokens.len();
            if on_reply(request, reply).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Admits as many waiting replies as fit; those that end with their first token are returned.
    fn take_in(
        &mut self,
        after_step: &mut dyn FnMut(&GenerateProgress) -> ControlFlow<()>,
    ) -> Result<Vec<(Live, ReplyEnd)>, GenerateError> {
        let mut incoming = Incoming::default();
        let mut ended = Vec::new();
        let mut tidied = false;
        while self.live.len() + incoming.replies.len() < self.limits.replies && (!self.closed || self.live.is_empty()) {
            let Some(next) = self.waiting.front() else { break };
            let prompt: &'a [u32] = match next {
                Waiting::New(request) => &self.requests[*request].prompt,
                Waiting::Again(live) => &self.requests[live.request].prompt,
            };
            let (tokens, whole) = match next {
                Waiting::New(_) => (prompt.len(), prompt.len()),
                Waiting::Again(live) => (live.in_cache(prompt), prompt.len() + live.tokens.len()),
            };
            let stage = self.stages.map_or(0, |stages| stages.of(whole));
            let text: Vec<u32> = match next {
                Waiting::New(_) => prompt.to_vec(),
                Waiting::Again(live) => live.slice(prompt, 0..tokens).collect(),
            };
            let is_new = matches!(next, Waiting::New(_));
            let (mut shared, mut path) = self.shared(&text, stage, &incoming);
            let first = match () {
                () if !is_new => First::Known,
                () if shared < tokens => First::Row(incoming.pass.rows.len()),
                () => match self.logits_of(&text, stage, &incoming) {
                    Some(first) => first,
                    None => {
                        // The rows are cached, but not the prediction after the last one.
                        shared -= 1;
                        path = path.slice(0..shared);
                        First::Row(incoming.pass.rows.len())
                    }
                },
            };
            if !self.has_room(tokens - shared, &incoming) {
                // Moving all rows takes as long as some steps, so only if some can be dropped.
                if incoming.pass.tokens.is_empty() && !tidied && self.loose {
                    tidied = true;
                    self.tidy(&mut incoming.replies);
                    continue;
                }
                // A single reply fits once nothing else is held, as checked at the start.
                if !self.live.is_empty() || !incoming.replies.is_empty() {
                    break;
                }
                if self.last.take().is_some() {
                    self.tidy(&mut incoming.replies);
                    continue;
                }
            }
            let Some(next) = self.waiting.pop_front() else { break };
            let mut live = match next {
                Waiting::New(request) => Live::begin(request, &self.requests[request], self.rules),
                Waiting::Again(live) => *live,
            };
            match is_new {
                true => {
                    self.progress.prompt_tokens += tokens;
                    self.progress.prompt_tokens_forwarded += tokens - shared;
                }
                false => self.progress.tokens_again += tokens - shared,
            }
            let mut first = first;
            while shared < tokens {
                if incoming.pass.tokens.len() == self.limits.pass_tokens
                    || (incoming.pass.stage != stage && !incoming.pass.tokens.is_empty())
                {
                    ended.extend(self.forward_incoming(&mut incoming)?);
                    // Prompts may take minutes. Work that is to end does so after the next step.
                    let _ = after_step(&self.progress);
                    if let First::Row(row) = &mut first {
                        *row = 0;
                    }
                }
                incoming.pass.stage = stage;
                let start = incoming.pass.tokens.len();
                let fresh = (tokens - shared).min(self.limits.pass_tokens - start);
                incoming.pass.tokens.extend(&text[shared..shared + fresh]);
                let row = self.cache.rows() + start;
                incoming.pass.branches.push(Branch { tokens: start..start + fresh, prefix: path.clone() });
                path.push(row..row + fresh);
                shared += fresh;
            }
            if let First::Row(row) = first
                && row == incoming.pass.rows.len()
            {
                incoming.pass.rows.push(incoming.pass.tokens.len() - 1);
            }
            (live.path, live.stage) = (path, stage);
            incoming.replies.push((live, first));
        }
        ended.extend(self.forward_incoming(&mut incoming)?);
        Ok(ended)
    }

    /// Forwards the incoming texts and draws the first token of each reply.
    fn forward_incoming(&mut self, incoming: &mut Incoming) -> Result<Vec<(Live, ReplyEnd)>, GenerateError> {
        let Incoming { pass, replies } = std::mem::take(incoming);
        let nexts = match pass.tokens.is_empty() {
            true => Vec::new(),
            false => self.forward(&pass)?,
        };
        let mut ended = Vec::new();
        let before = self.last.take();
        for (live, first) in &replies {
            if let First::Row(row) = *first {
                let tokens = Arc::clone(&self.requests[live.request].prompt);
                let (path, next) = (live.path.clone(), nexts[row].clone());
                self.last = Some(LastPrompt { tokens, path, stage: live.stage, next });
            }
        }
        for (mut live, first) in replies {
            let request = &self.requests[live.request];
            let first = match first {
                First::Known => None,
                First::Row(row) => Some(nexts[row].clone()),
                First::Last => before.as_ref().map(|last| last.next.clone()),
            };
            let end = match first {
                Some(mut next) => live.take(&mut next, request, self.rules)?,
                None => None,
            };
            match end {
                Some(end) => ended.push((live, end)),
                None => self.live.push(live),
            }
        }
        // The previous last prompt and finished replies release their rows.
        self.loose |= !pass.tokens.is_empty() || !ended.is_empty();
        self.closed &= ended.is_empty();
        self.last = self.last.take().or(before);
        Ok(ended)
    }

    /// The longest prefix of a text whose rows are in the cache, or will be before its own.
    fn shared(&self, text: &[u32], stage: u8, incoming: &Incoming) -> (usize, RowRanges) {
        let held = self.live.iter().chain(incoming.replies.iter().map(|(live, _)| live));
        let of_live = held.filter(|live| live.stage == stage).map(|live| {
            let prompt = &self.requests[live.request].prompt;
            let in_prompt = common_length(text, prompt);
            let rows = live.path.len();
            let common = match in_prompt < prompt.len() {
                true => in_prompt,
                false => in_prompt + common_length(&text[in_prompt..], &live.tokens),
            };
            (common.min(rows), &live.path)
        });
        let last = self.last.iter().filter(|last| last.stage == stage);
        let of_last = last.map(|last| (common_length(text, &last.tokens), &last.path));
        let longest = of_last.chain(of_live).reduce(|best, next| if next.0 > best.0 { next } else { best });
        longest.map_or((0, RowRanges::default()), |(common, path)| (common, path.slice(0..common)))
    }

    /// Source of the logits after a prompt that is already in the cache.
    fn logits_of(&self, prompt: &[u32], stage: u8, incoming: &Incoming) -> Option<First> {
        let same = incoming.replies.iter().rev().find_map(|(live, first)| {
            (*first != First::Known && live.stage == stage && *self.requests[live.request].prompt == *prompt)
                .then_some(*first)
        });
        let last = self.last.as_ref().filter(|last| last.stage == stage && *last.tokens == *prompt);
        same.or(last.map(|_| First::Last))
    }

    /// Whether `rows` more rows fit, with room for every reply to grow.
    fn has_room(&self, rows: usize, incoming: &Incoming) -> bool {
        let replies = self.live.len() + incoming.replies.len() + 1;
        self.cache.rows().saturating_add(incoming.pass.tokens.len() + rows + replies * AHEAD) <= self.rows
    }

    /// Makes room for the next token of each reply: drops unused rows, then puts back the youngest replies.
    fn make_room(&mut self, step: usize) -> Result<(), GenerateError> {
        let fits = |queue: &Self| queue.cache.rows().saturating_add(queue.live.len()) <= queue.rows;
        if step.is_multiple_of(TIDY) {
            self.bring_together();
        }
        if !fits(self) && self.loose {
            self.tidy(&mut []);
        }
        if !fits(self) && self.last.take().is_some() {
            self.tidy(&mut []);
        }
        if !fits(self) {
            // Makes room for several steps at once, since all rows are moved each time.
            let mut free = self.rows.saturating_sub(self.cache.rows());
            while free < self.live.len() * AHEAD
                && let Some(freed) = self.put_back_youngest()
            {
                free += freed;
            }
            self.tidy(&mut []);
        }
        while !fits(self) && self.put_back_youngest().is_some() {
            self.tidy(&mut []);
        }
        Ok(())
    }

    /// Puts back the newest reply, unless it is the only one, and returns a lower bound on the rows that it alone held.
    fn put_back_youngest(&mut self) -> Option<usize> {
        if self.live.len() < 2 {
            return None;
        }
        let mut youngest = self.live.pop()?;
        let freed = youngest.path.len().saturating_sub(self.requests[youngest.request].prompt.len());
        youngest.path = RowRanges::default();
        self.waiting.push_front(Waiting::Again(Box::new(youngest)));
        (self.loose, self.closed) = (true, true);
        Some(freed)
    }

    /// Forwards the last token of each reply and draws the next; replies that end with it are returned.
    fn step(&mut self) -> Result<Vec<(Live, ReplyEnd)>, GenerateError> {
        let mut ended = Vec::new();
        let mut waiting = std::mem::take(&mut self.live);
        while !waiting.is_empty() {
            let rest = waiting.split_off(waiting.len().min(self.limits.pass_tokens));
            let first = self.cache.rows();
            let branch =
                |(number, live): (usize, &Live)| Branch { tokens: number..number + 1, prefix: live.path.clone() };
            let pass = Pass {
                tokens: waiting.iter().filter_map(|live| live.tokens.last().copied()).collect(),
                branches: waiting.iter().enumerate().map(branch).collect(),
                rows: (0..waiting.len()).collect(),
                ..Pass::default()
            };
            let mut nexts = self.forward(&pass)?;
            let (requests, rules) = (self.requests, self.rules);
            let ends: Vec<Option<ReplyEnd>> = waiting
                .par_iter_mut()
                .zip(&mut nexts)
                .map(|(live, next)| live.take(next, &requests[live.request], rules))
                .collect::<Result<_, _>>()?;
            for (number, (mut live, end)) in waiting.into_iter().zip(ends).enumerate() {
                live.path.push(first + number..first + number + 1);
                match end {
                    Some(end) => ended.push((live, end)),
                    None => self.live.push(live),
                }
            }
            waiting = rest;
        }
        self.loose |= !ended.is_empty();
        self.closed &= ended.is_empty();
        Ok(ended)
    }

    /// Puts back replies whose text has just grown into another stage, where all earlier keys have other rotary
    /// factors. Returns whether there were any.
    fn start_anew_in_next_stage(&mut self) -> bool {
        let Some(stages) = self.stages else { return false };
        let grown =
            |live: &mut Live| stages.of(self.requests[live.request].prompt.len() + live.tokens.len()) > live.stage;
        let grown: Vec<Live> = self.live.extract_if(.., grown).collect();
        let some = !grown.is_empty();
        self.loose |= some;
        for mut live in grown.into_iter().rev() {
            live.path = RowRanges::default();
            self.waiting.push_front(Waiting::Again(Box::new(live)));
        }
        some
    }

    /// Makes the newest rows of each reply consecutive, and drops unused rows if there are many.
    fn bring_together(&mut self) {
        let rows = self.cache.rows();
        let mut held = vec![false; rows];
        let paths = || self.last.iter().map(|last| &last.path).chain(self.live.iter().map(|live| &live.path));
        paths().flat_map(RowRanges::rows).for_each(|row| held[row] = true);
        let dropped = held[..self.tidied].iter().filter(|held| !**held).count();
        if 3 * dropped > self.tidied || self.tidied == 0 {
            self.tidy(&mut []);
            return;
        }
        let mut keep = RowRanges::first(self.tidied);
        let mut place = Placing::new(rows, self.tidied);
        for path in self.paths_mut(&mut []) {
            place.path(path, &mut keep);
        }
        self.cache.keep(&keep);
        self.tidied = self.cache.rows();
    }

    /// Drops all unused rows and makes each text's rows consecutive.
    fn tidy(&mut self, incoming: &mut [(Live, First)]) {
        let mut keep = RowRanges::default();
        let mut place = Placing::new(self.cache.rows(), 0);
        for path in self.paths_mut(incoming) {
            place.path(path, &mut keep);
        }
        self.cache.keep(&keep);
        self.tidied = self.cache.rows();
        self.loose = false;
    }

    /// Rows of all users, the oldest first.
    fn paths_mut<'b>(&'b mut self, incoming: &'b mut [(Live, First)]) -> impl Iterator<Item = &'b mut RowRanges> {
        let last = self.last.iter_mut().map(|last| &mut last.path);
        let live = self.live.iter_mut().map(|live| &mut live.path);
        last.chain(live).chain(incoming.iter_mut().map(|(live, _)| &mut live.path))
    }

    /// Predictions after the rows that the pass wants.
    fn forward(&mut self, pass: &Pass) -> Result<Vec<Next>, GenerateError> {
        let output = self.decoder.forward(&mut self.cache, pass)?;
        self.progress.passes += 1;
        let known = self.rules.known(self.decoder.spec().vocab_size);
        let mut nexts = Vec::with_capacity(pass.rows.len());
        for first in (0..pass.rows.len()).step_by(HEAD_ROWS) {
            let hidden = output.hidden.narrow(0, first, HEAD_ROWS.min(pass.rows.len() - first))?;
            match self.rules.sampling.takes_likeliest() {
                true => nexts.extend(self.decoder.argmax(&hidden, known)?.into_iter().map(Next::Likeliest)),
                false => nexts.extend(self.decoder.logit_rows(&hidden)?.into_iter().map(Next::Logits)),
            }
        }
        Ok(nexts)
    }
}
