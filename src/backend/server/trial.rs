//! One trial: sends its requests in turn and reads the answers.

use rand::Rng;
use serde_json::Value;

use super::prompts::Sent;
use super::token_trie::TokenTrie;
use super::{ReplyDraws, Server};
use crate::backend::{AskScores, ContinuationScores, GeneratedReply, Replies, TrialReplies};
use crate::engine::TokenScores;
use crate::model::{Rendered, Sequence, Tokenizer, split_thinking};
use crate::record::{Failure, FailureKind, Served};
use crate::seed::seeded;
use crate::server::{
    Alternatives, Answer, Answered, Draws, Given, NotGiven, PromptScores, ScoreMode, Scored, ServerError, Usage, chat,
    complete, complete_ids, generate_named, generate_scored, has_same_length, named_ids, of_chat, of_completion, post,
    prompt_scores_of, top, with_neutral,
};
use crate::trial::{KeptAsk, TrialAsks};

/// Number of attempts at a trial whose answers cannot be used.
const TRIES: usize = 3;

/// Usage of a trial's requests, and the server that last answered.
#[derive(Default)]
struct Taken {
    usage: Vec<Usage>,
    served: Option<Served>,
    system_merged: bool,
}

/// Why a trial has no reply although it was asked.
enum NoReply {
    /// The server failed.
    Server(ServerError),
    /// The answer does not determine the requested result.
    Failure(Failure),
}

impl From<ServerError> for NoReply {
    fn from(error: ServerError) -> Self {
        NoReply::Server(error)
    }
}

impl From<Failure> for NoReply {
    fn from(failure: Failure) -> Self {
        NoReply::Failure(failure)
    }
}

impl Server<'_> {
    /// Returns the answers to a trial, with the usage of each of its requests. Unusable answers may have been damaged
    /// in transit, so they are requested again.
    pub(super) fn answered(&self, trial: usize) -> Result<(TrialReplies<Replies>, Vec<Usage>), ServerError> {
        for _ in 1..TRIES {
            match self.asked_once(trial) {
                Err(ServerError::Odd { reason }) => tracing::debug!(trial, reason, "asking again"),
                answered => return answered,
            }
        }
        self.asked_once(trial)
    }

    fn asked_once(&self, trial: usize) -> Result<(TrialReplies<Replies>, Vec<Usage>), ServerError> {
        let mut taken = Taken::default();
        let replies = match &self.asked[trial] {
            Ok(asked) => match self.replies(trial, asked, &mut taken) {
                Ok(replies) => Ok(replies),
                Err(NoReply::Server(error)) => return Err(error),
                Err(NoReply::Failure(failure)) => Err(failure),
            },
            Err(failure) => Err(failure.clone()),
        };
        let Taken { system_merged, served, usage, .. } = taken;
        Ok((TrialReplies { trial, system_merged, replies, served }, usage))
    }

    fn replies(&self, trial: usize, asked: &TrialAsks, taken: &mut Taken) -> Result<Replies, NoReply> {
        let nothing = || ServerError::odd("nothing was asked of it");
        match (&self.setup.draws, self.setup.mode) {
            // A reply is requested once.
            (Some(draws), _) => {
                let ask = asked.asks.first().ok_or_else(nothing)?;
                self.written(trial, ask, draws, taken).map(Replies::Text)
            }
            (None, Some(mode)) => {
                let scores = asked.asks.iter().map(|ask| self.scored(ask, mode, taken));
                Ok(Replies::Scores(scores.collect::<Result<_, _>>()?))
            }
            (None, None) => Err(nothing().into()),
        }
    }

    /// Sends a request, and checks that the answer is from the model of the run.
    fn send(&self, body: &Value, taken: &mut Taken) -> Result<Value, ServerError> {
        let Answer { json, .. } = post(&self.setup.client, body)?;
        let answered = Answered::from_json(&json);
        self.check(&answered)?;
        taken.usage.push(Usage::from_json(&json)?);
        taken.served = self.served(answered);
        Ok(json)
    }

    fn sent(&self, ask: &KeptAsk, taken: &mut Taken) -> Result<Sent, NoReply> {
        let sent = self.setup.prompts.sent(ask).map_err(Failure::from)?;
        taken.system_merged |= match &sent {
            Sent::Turns { system_merged, .. } => *system_merged,
            Sent::Text { rendered, .. } => rendered.system_merged,
        };
        Ok(sent)
    }

    fn written(
        &self,
        trial: usize,
        ask: &KeptAsk,
        ReplyDraws { all, neutral, seed, requests, budgets }: &ReplyDraws,
        taken: &mut Taken,
    ) -> Result<GeneratedReply, NoReply> {
        let (key, sample, max_tokens) = &requests[trial];
        // Some servers read the seed as a signed 32-bit number.
        let seed = seed.map(|seed| seeded(seed, key, *sample).random_range(0..1 << 31));
        let draws = Draws { max_tokens: *max_tokens, seed, ..all.clone() };
        let model = &self.setup.model;
        let (wrote, opened) = match self.sent(ask, taken)? {
            Sent::Turns { messages, .. } => {
                let body = chat(model, &messages, self.setup.prompts.variables, &draws);
                let json = self.send(&with_neutral(body, neutral), taken)?;
                (of_chat(&json)?, None)
            }
            Sent::Text { rendered, opened, left_out } => {
                let prompt = &rendered.text[left_out..];
                let body = complete(model, prompt, !rendered.add_special, &draws);
                let json = self.send(&with_neutral(body, neutral), taken)?;
                self.has_same_tokens(&rendered, &json)?;
                (of_completion(&json)?, opened)
            }
        };
        let longest_token = self.setup.prompts.tokenizer.map(Tokenizer::longest_token);
        let wrote = wrote.within(*max_tokens, longest_token);
        let (thinking, text) = match opened {
            None => (wrote.thinking, wrote.text),
            opened => split_thinking(wrote.text, opened),
        };
        let Usage { prompt_tokens, completion_tokens, .. } = wrote.usage;
        let tokens = (completion_tokens > 0 || text.is_empty()).then_some(completion_tokens);
        let mut reply = GeneratedReply { prompt_tokens, text, thinking, tokens, cut: wrote.cut, shorter: Vec::new() };
        for &most in budgets {
            if let Some(shorter) = self.cut(&reply, most)? {
                reply.shorter.push((most, shorter));
            }
        }
        Ok(reply)
    }

    /// Returns a reply cut to a number of tokens, thoughts first, as the model's tokenizer counts them; `None` if it has fewer.
    fn cut(&self, reply: &GeneratedReply, most: usize) -> Result<Option<GeneratedReply>, NoReply> {
        let failed = |message: String| Failure { kind: FailureKind::Tokens, message };
        let Some(tokenizer) = self.setup.prompts.tokenizer else {
            return Err(failed("replies are cut only by the model's tokenizer; name it with --tokenizer".into()).into());
        };
        if reply.tokens.is_some_and(|tokens| tokens < most) {
            return Ok(None);
        }
        let (mut left, mut cut) = (most, false);
        let mut part = |text: &str| {
            let tokens = tokenizer.encode_with_offsets(text, false).map_err(|error| failed(error.to_string()))?;
            let end = tokens.get(left).map_or(text.len(), |(_, range)| range.start);
            cut |= end < text.len();
            left = left.saturating_sub(tokens.len());
            Ok::<String, Failure>(text[..end].to_string())
        };
        let thinking = reply.thinking.as_deref().map(&mut part).transpose()?;
        let text = part(&reply.text)?;
        let whole = GeneratedReply { tokens: Some(most), cut: true, ..reply.clone() };
        Ok(cut.then_some(GeneratedReply { text, thinking, shorter: Vec::new(), ..whole }))
    }

    fn scored(&self, ask: &KeptAsk, mode: ScoreMode, taken: &mut Taken) -> Result<AskScores, NoReply> {
        let one = Draws::one_token();
        let model = &self.setup.model;
        match (self.sent(ask, taken)?, mode) {
            (Sent::Text { .. }, ScoreMode::PromptLogprobs | ScoreMode::Echo) if ask.is_of_whole_texts() => {
                self.whole_texts(ask, mode == ScoreMode::Echo, taken)
            }
            (Sent::Text { rendered, left_out, .. }, ScoreMode::PromptLogprobs | ScoreMode::Echo) => {
                self.texts(&rendered, left_out, ask, mode == ScoreMode::Echo, taken)
            }
            (Sent::Text { rendered, .. }, ScoreMode::TokenTrie | ScoreMode::SglangPrompt) => {
                let mut sequences = Vec::new();
                for request in self.setup.prompts.requests(&rendered, ask)? {
                    sequences.extend(request.sequences());
                }
                let scored = match mode {
                    ScoreMode::TokenTrie => self.along_trie(&sequences, taken)?,
                    _ => self.by_sglang(&sequences, taken)?,
                };
                Ok(scores_of(scored))
            }
            (Sent::Text { rendered, left_out, .. }, ScoreMode::NamedIds | ScoreMode::SglangIds) => {
                let ids = self.label_ids(&rendered, ask)?.ok_or_else(|| {
                    let message = "a label is not one token, so no token can be named for it; score by prompt log-probabilities, or \
                                   choose other labels";
                    Failure { kind: FailureKind::Tokens, message: message.to_string() }
                })?;
                let by_sglang = mode == ScoreMode::SglangIds;
                let body = match by_sglang {
                    true => generate_named(&self.setup.prompts.tokens(&rendered)?, &ids),
                    false => named_ids(complete(model, &rendered.text[left_out..], !rendered.add_special, &one), &ids),
                };
                let json = self.send(&body, taken)?;
                let found = match by_sglang {
                    true => Alternatives::of_sglang(&json, ids.len())?,
                    false => Alternatives::from_json(&json)?,
                };
                self.has_same_tokens(&rendered, &json)?;
                let score = |&id: &u32| Ok(one_token(found.requested(id)?, Some(id)));
                let continuations = ids.iter().map(score).collect::<Result<_, ServerError>>()?;
                Ok(AskScores { prompt_tokens: Usage::from_json(&json)?.prompt_tokens, continuations })
            }
            (Sent::Text { rendered, left_out, .. }, ScoreMode::Top(most)) => {
                let ids = self.label_ids(&rendered, ask)?;
                let prompt = &rendered.text[left_out..];
                let json = self.send(&top(complete(model, prompt, !rendered.add_special, &one), most), taken)?;
                self.has_same_tokens(&rendered, &json)?;
                labels(&json, ask, ids)
            }
            (Sent::Turns { messages, .. }, ScoreMode::ChatTop(most)) => {
                let body = top(chat(model, &messages, self.setup.prompts.variables, &one), most);
                labels(&self.send(&body, taken)?, ask, None)
            }
            _ => Err(ServerError::odd("the scoring and prompt modes are incompatible").into()),
        }
    }

    /// Returns the token of each continuation, if a tokenizer is known and each is one token after the prompt's own.
    fn label_ids(&self, rendered: &Rendered, ask: &KeptAsk) -> Result<Option<Vec<u32>>, NoReply> {
        let Some(request) = self.setup.prompts.request(rendered, &ask.continuations)? else { return Ok(None) };
        let own = self.setup.prompts.tokens(rendered).is_ok_and(|prompt| prompt == *request.context());
        let ids: Option<Vec<u32>> =
            request.continuations().map(|tokens| if let [id] = tokens { Some(*id) } else { None }).collect();
        Ok(ids.filter(|_| own && request.longest() == request.context_tokens() + 1))
    }

    /// Checks that the server read as many tokens in a prompt as the tokenizer finds, if known.
    fn has_same_tokens(&self, rendered: &Rendered, json: &Value) -> Result<(), NoReply> {
        if self.setup.prompts.tokenizer.is_none() {
            return Ok(());
        }
        Ok(has_same_length(Usage::from_json(json)?.prompt_tokens, self.setup.prompts.tokens(rendered)?.len())?)
    }

    /// Scores continuations of any length, each sent after the prompt.
    fn texts(
        &self,
        rendered: &Rendered,
        left_out: usize,
        ask: &KeptAsk,
        echo: bool,
        taken: &mut Taken,
    ) -> Result<AskScores, NoReply> {
        let one = Draws::one_token();
        let request = self.setup.prompts.request(rendered, &ask.continuations)?;
        let texts: Vec<String> =
            ask.continuations.iter().map(|tail| [rendered.text.as_str(), tail.as_str()].concat()).collect();
        let mut answers = Vec::with_capacity(texts.len());
        for text in &texts {
            let body = complete(&self.setup.model, &text[left_out..], !rendered.add_special, &one);
            answers.push(PromptScores::from_json(&self.send(&prompt_scores_of(body, echo), taken)?)?);
        }
        let scored = match (&request, self.setup.prompts.tokenizer) {
            (Some(request), Some(tokenizer)) => {
                let mut scored: Vec<Scored> = Vec::with_capacity(texts.len());
                for ((text, tokens), answer) in texts.iter().zip(request.continuations()).zip(&answers) {
                    let all = tokenizer.encode(text, rendered.add_special);
                    let all = all.map_err(|error| Failure { kind: FailureKind::Tokens, message: error.to_string() })?;
                    scored.push(answer.by_ids(&all, tokens.len())?);
                }
                scored
            }
            _ => PromptScores::by_texts(&answers, &texts, rendered.text.len())?,
        };
        Ok(scores_of(scored))
    }

    /// Scores sequences by one request for each inner node of their token trie.
    fn along_trie(&self, sequences: &[Sequence], taken: &mut Taken) -> Result<Vec<Scored>, NoReply> {
        let mut trie = TokenTrie::new(sequences);
        for request in trie.requests() {
            let body = named_ids(complete_ids(&self.setup.model, &request.prompt), &request.next);
            let json = self.send(&body, taken)?;
            has_same_length(Usage::from_json(&json)?.prompt_tokens, request.prompt.len())?;
            let found = Alternatives::from_json(&json)?;
            for &id in &request.next {
                trie.set(&request, id, found.requested(id)?);
            }
        }
        let scored = |sequence: &Sequence| {
            let (before, tokens) = sequence.tokens.split_at(sequence.scored_from);
            let logprobs = trie.of(sequence)?;
            Ok(Scored { prompt_tokens: before.len(), token_ids: Some(tokens.to_vec()), logprobs })
        };
        sequences.iter().map(scored).collect()
    }

    /// Scores sequences by SGLang's own route, one request each.
    fn by_sglang(&self, sequences: &[Sequence], taken: &mut Taken) -> Result<Vec<Scored>, NoReply> {
        let mut scored = Vec::with_capacity(sequences.len());
        for Sequence { tokens, scored_from } in sequences {
            let wanted = tokens.len() - scored_from;
            let json = self.send(&generate_scored(tokens, wanted), taken)?;
            scored.push(PromptScores::of_sglang(&json, wanted)?.by_ids(tokens, wanted)?);
        }
        Ok(scored)
    }

    /// Scores texts without a prompt, each from its first token that has one before it: all tokens if the tokenizer
    /// begins with one of its own.
    fn whole_texts(&self, ask: &KeptAsk, echo: bool, taken: &mut Taken) -> Result<AskScores, NoReply> {
        let one = Draws::one_token();
        let mut scored: Vec<Scored> = Vec::with_capacity(ask.continuations.len());
        for text in ask.continuations.iter() {
            let body = complete(&self.setup.model, text, false, &one);
            let answer = PromptScores::from_json(&self.send(&prompt_scores_of(body, echo), taken)?)?;
            scored.push(match self.setup.prompts.tokenizer {
                Some(tokenizer) => {
                    let (tokens, from) = tokenizer
                        .encode_whole(text)
                        .map_err(|error| Failure { kind: FailureKind::Tokens, message: error.to_string() })?;
                    answer.by_ids(&tokens, tokens.len() - from)?
                }
                None => answer.all()?,
            });
        }
        Ok(scores_of(scored))
    }
}

fn scores_of(scored: Vec<Scored>) -> AskScores {
    let prompt_tokens = scored.iter().map(|scored| scored.prompt_tokens).max().unwrap_or(0);
    let continuations = scored.into_iter().map(|Scored { token_ids, logprobs, .. }| ContinuationScores {
        token_ids,
        scores: TokenScores { logprobs },
        at_most: None,
    });
    AskScores { prompt_tokens, continuations: continuations.collect() }
}

/// Reads the scores of an ask's labels; `ids` are their tokens, if known.
fn labels(json: &Value, ask: &KeptAsk, ids: Option<Vec<u32>>) -> Result<AskScores, NoReply> {
    let found = Alternatives::from_json(json)?;
    let given = found.labels(&ask.continuations, ids.as_deref())?.map_err(|error| not_given(&error))?;
    let continuations = given.into_iter().enumerate().map(|(at, given)| match given {
        Given::Is(logprob) => one_token(logprob, ids.as_ref().map(|ids| ids[at])),
        Given::AtMost(bound) => {
            ContinuationScores { token_ids: None, scores: TokenScores { logprobs: Vec::new() }, at_most: Some(bound) }
        }
    });
    Ok(AskScores { prompt_tokens: Usage::from_json(json)?.prompt_tokens, continuations: continuations.collect() })
}

fn one_token(logprob: f32, id: Option<u32>) -> ContinuationScores {
    ContinuationScores {
        token_ids: id.map(|id| vec![id]),
        scores: TokenScores { logprobs: vec![logprob] },
        at_most: None,
    }
}

fn not_given(error: &NotGiven) -> Failure {
    Failure { kind: FailureKind::NotGiven, message: error.to_string() }
}
