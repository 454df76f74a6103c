//! Prompts for a server: written here by a template, raw, or left to the server as chat turns.

use std::collections::HashSet;

use rayon::prelude::*;

use super::choice::SourceChoice;
use super::prefixes::{PrefixFinder, SharedPrefixes};
use super::token_trie::{NodeRequest, TokenTrie};
use crate::chat::{Message, Role};
use crate::engine::{Request, RequestError};
use crate::model::{
    ChatTemplate, RenderSettings, Rendered, Sequence, TemplateError, TemplateVariables, Tokenizer, common_length,
    open_thinking, render_or_merge,
};
use crate::progress::Tracker;
use crate::record::{Failure, FailureKind};
use crate::server::ScoreMode;
use crate::trial::{KeptAsk, TrialAsks};

/// Route of prompts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// As chat turns, which the server's template renders.
    Chat,
    /// As text, written here.
    Completions,
}

/// Writes prompts.
#[derive(Clone, Copy)]
pub struct PromptWriter<'a> {
    /// Their route.
    pub route: Route,
    /// Template that renders them here; raw without one.
    pub template: Option<&'a ChatTemplate>,
    /// Variables of the template besides the messages, here or on the server.
    pub variables: &'a TemplateVariables,
    /// Date printed by templates, if they receive one.
    pub now: Option<jiff::civil::DateTime>,
    /// Tokenizer of the server's model, if known.
    pub tokenizer: Option<&'a Tokenizer>,
    /// Whether the server's template takes no system message, so that its text begins the first user turn.
    pub merge_system: bool,
    /// Longest sequence of the model, in tokens, if known.
    pub context_length: Option<usize>,
    /// Text that the server puts in front of every prompt although told not to, as llama.cpp's servers do; empty if
    /// unknown. It is left out of the request, so that it does not appear twice.
    pub server_begins: Option<&'a str>,
}

/// A prompt as sent.
pub(super) enum Sent {
    /// Chat turns.
    Turns { messages: Vec<Message>, system_merged: bool },
    /// Text; `opened` is the mark of a thinking section that it leaves open, and its first `left_out` bytes are added
    /// by the server.
    Text { rendered: Rendered, opened: Option<&'static str>, left_out: usize },
}

/// Trials for a server, in the order in which they are sent.
#[derive(Debug, Default)]
pub struct ServedTrials {
    /// Why a trial cannot be asked, one entry per trial.
    pub failures: Vec<Option<Failure>>,
    /// Trials that can be asked, by story, and within one in the order of their prompts' text: the prefix that a prompt
    /// shares with the one before is still in the server's cache.
    pub batches: Vec<Vec<usize>>,
    /// Prefixes that several trials share.
    pub prefixes: SharedPrefixes,
    /// Whether the model is shown chat turns.
    pub chat: bool,
    /// Source of log-likelihoods; `None` if replies are written.
    pub mode: Option<ScoreMode>,
    /// How the source was chosen, if there was a choice.
    pub choice: Option<SourceChoice>,
    /// Another source that the run may take instead, by trials before it.
    pub undecided: Option<ScoreMode>,
    pub requests: usize,
    /// Tokens of all requests, if a tokenizer is known.
    pub tokens: Option<usize>,
    /// Tokens that a prompt does not share with the one sent before.
    pub fresh_tokens: Option<usize>,
    /// Maximum tokens to write.
    pub most_written: usize,
}

/// One trial prepared for sending.
struct PreparedTrial {
    /// Its prompts, concatenated.
    text: String,
    /// Tokens of each prompt, if a tokenizer is known.
    tokens: Vec<Vec<u32>>,
    requests: usize,
}

impl PromptWriter<'_> {
    /// Returns the prompt of an ask.
    pub(super) fn sent(&self, ask: &KeptAsk) -> Result<Sent, TemplateError> {
        let messages = ask.messages();
        if self.route == Route::Chat {
            let merged = if self.merge_system { merged(&messages) } else { None };
            let system_merged = merged.is_some();
            return Ok(Sent::Turns { messages: merged.unwrap_or(messages), system_merged });
        }
        let settings =
            RenderSettings { now: self.now, variables: self.variables.clone(), ..RenderSettings::for_generation() };
        let mut rendered = render_or_merge(self.template, &messages, &settings)?;
        rendered.text.push_str(&ask.answer_prefix);
        let last = messages.last().map_or("", |message| &message.content);
        let opened = open_thinking(&rendered.text, last);
        let begins = self.server_begins.filter(|begins| !rendered.add_special && rendered.text.starts_with(begins));
        Ok(Sent::Text { rendered, opened, left_out: begins.map_or(0, str::len) })
    }

    /// Returns the mark of the thinking section within which an ask's answers would be.
    pub fn open_thinking(&self, ask: &KeptAsk) -> Option<&'static str> {
        match self.sent(ask) {
            Ok(Sent::Text { opened, .. }) => opened,
            _ => None,
        }
    }

    /// Returns the tokens of a prompt that is written here, if the tokenizer is known.
    pub fn prompt_ids(&self, ask: &KeptAsk) -> Option<Vec<u32>> {
        match self.sent(ask).ok()? {
            Sent::Text { rendered, .. } => {
                Some(self.request(&rendered, &ask.continuations).ok()??.context().into_owned())
            }
            Sent::Turns { .. } => None,
        }
    }

    /// Writes all prompts once, to find which cannot be sent and the best order of sending.
    pub fn prepare(
        &self,
        asked: &[Result<TrialAsks, Failure>],
        mode: Option<ScoreMode>,
        tracker: &Tracker,
    ) -> ServedTrials {
        tracker.count("ordering prompts", asked.len(), "trials");
        let mut all = ServedTrials {
            failures: vec![None; asked.len()],
            chat: self.route == Route::Chat || self.template.is_some(),
            mode,
            ..ServedTrials::default()
        };
        let (mut tokens, mut fresh) = (0, 0);
        let mut prefixes = PrefixFinder::default();
        for trials in stories(asked) {
            let one = |&trial: &usize| (trial, self.prepare_one(&asked[trial], mode));
            let prepared: Vec<(usize, Result<PreparedTrial, Failure>)> = trials.par_iter().map(one).collect();
            tracker.step(trials.len());
            let mut ready = Vec::new();
            for (trial, prepared) in prepared {
                match prepared {
                    Ok(prepared) => ready.push((trial, prepared)),
                    Err(failure) => all.failures[trial] = Some(failure),
                }
            }
            ready.sort_by(|(one, of_one), (next, of_next)| (&of_one.text, one).cmp(&(&of_next.text, next)));
            let mut before: &[u32] = &[];
            let mut together = HashSet::new();
            for (trial, prepared) in &ready {
                let asked = asked[*trial].as_ref().ok();
                // Questions that share a prompt are asked once.
                if let Some(shared) = asked.and_then(|asked| asked.together)
                    && !together.insert(shared.first)
                {
                    prefixes.add_same(*trial, shared.first);
                    continue;
                }
                prefixes.add(*trial, &prepared.tokens, &prepared.text);
                all.requests += prepared.requests;
                all.most_written += asked.map_or(0, |asked| asked.most_tokens);
                for prompt in &prepared.tokens {
                    tokens += prompt.len();
                    fresh += prompt.len() - common_length(prompt, before);
                    before = prompt;
                }
            }
            all.batches.extend(
                Some(ready.iter().map(|(trial, _)| *trial).collect::<Vec<_>>()).filter(|ready| !ready.is_empty()),
            );
        }
        let known = self.tokenizer.is_some() && self.route == Route::Completions;
        all.prefixes = prefixes.found(asked.len());
        (all.tokens, all.fresh_tokens) = (known.then_some(tokens), known.then_some(fresh));
        all
    }

    fn prepare_one(
        &self,
        asked: &Result<TrialAsks, Failure>,
        mode: Option<ScoreMode>,
    ) -> Result<PreparedTrial, Failure> {
        let asked = asked.as_ref().map_err(Clone::clone)?;
        let mut prepared = PreparedTrial { text: String::new(), tokens: Vec::new(), requests: 0 };
        for ask in &asked.asks {
            if self.route == Route::Chat && !ask.answer_prefix.is_empty() {
                let message = format!(
                    "chat completions cannot begin the model's turn with {:?}, as the style does; render prompts here with \
                     --chat-template MODEL or --tokenizer MODEL, or choose another style",
                    ask.answer_prefix
                );
                return Err(Failure { kind: FailureKind::Prompt, message });
            }
            let each = if mode.is_some_and(ScoreMode::takes_texts) { ask.continuations.len() } else { 1 };
            let mut requests = each;
            match self.sent(ask)? {
                Sent::Turns { messages, .. } => {
                    messages.iter().for_each(|message| prepared.text.push_str(&message.content))
                }
                Sent::Text { rendered, left_out, .. } => {
                    if self.server_begins.is_some() && !rendered.add_special && left_out == 0 {
                        let message = "the server always adds a start token to prompts, but this template has none; \
                                       use the server's template (chats: neither --tokenizer nor --chat-template), \
                                       or name the model's own template";
                        return Err(Failure { kind: FailureKind::Prompt, message: message.to_string() });
                    }
                    prepared.text.push_str(&rendered.text);
                    if let Some(tokenizer) = self.tokenizer {
                        let tails = if each == 1 { &[][..] } else { &ask.continuations[..] };
                        let mut tokens = Vec::with_capacity(each);
                        self.count(tokenizer, &rendered, tails, &mut tokens)?;
                        if mode == Some(ScoreMode::TokenTrie) {
                            // What cannot be scored fails when it is asked, as in other modes.
                            let nodes = self.requests(&rendered, ask).map_or_else(|_| Vec::new(), |all| nodes(&all));
                            requests = nodes.len();
                            tokens = nodes.into_iter().map(|node| node.prompt).collect();
                        }
                        prepared.tokens.append(&mut tokens);
                    }
                }
            }
            prepared.requests += requests;
        }
        Ok(prepared)
    }

    /// Adds the tokens of a prompt with each of its continuations.
    fn count(
        &self,
        tokenizer: &Tokenizer,
        rendered: &Rendered,
        tails: &[String],
        tokens: &mut Vec<Vec<u32>>,
    ) -> Result<(), Failure> {
        let alone = [String::new()];
        let tails = if tails.is_empty() { &alone[..] } else { tails };
        for tail in tails {
            let text = [rendered.text.as_str(), tail.as_str()].concat();
            let ids = tokenizer
                .encode(&text, rendered.add_special)
                .map_err(|error| Failure { kind: FailureKind::Tokens, message: error.to_string() })?;
            if let Some(limit) = self.context_length.filter(|&limit| ids.len() >= limit) {
                let length = ids.len();
                let message = format!(
                    "the prompt of {length} tokens leaves no room in the server's context of {limit}; use a shorter style or a server \
                     with a longer context"
                );
                return Err(Failure { kind: FailureKind::TooLong, message });
            }
            tokens.push(ids);
        }
        Ok(())
    }

    /// Returns the tokens of a prompt.
    pub(super) fn tokens(&self, rendered: &Rendered) -> Result<Vec<u32>, Failure> {
        let tokens = self.known_tokenizer()?.encode(&rendered.text, rendered.add_special);
        tokens.map_err(|error| Failure { kind: FailureKind::Tokens, message: error.to_string() })
    }

    /// Returns an ask's prompt and continuations as tokens; whole texts are each a request of their own.
    pub(super) fn requests(&self, rendered: &Rendered, ask: &KeptAsk) -> Result<Vec<Request>, Failure> {
        let tokenizer = self.known_tokenizer()?;
        if !ask.is_of_whole_texts() {
            return Ok(self.request(rendered, &ask.continuations)?.into_iter().collect());
        }
        let whole = |text: &String| -> Result<Request, Failure> {
            let (tokens, scored_from) = tokenizer.encode_whole(text).map_err(RequestError::from)?;
            Ok(Request::new(tokens[..scored_from].to_vec(), vec![Sequence { tokens, scored_from }])?)
        };
        ask.continuations.iter().map(whole).collect()
    }

    fn known_tokenizer(&self) -> Result<&Tokenizer, Failure> {
        let unknown = || "token ids are unknown; name the model's tokenizer with --tokenizer".to_string();
        self.tokenizer.ok_or_else(|| Failure { kind: FailureKind::Tokens, message: unknown() })
    }

    /// Returns prompt and continuations as tokens, if the tokenizer is known.
    pub(super) fn request(&self, rendered: &Rendered, continuations: &[String]) -> Result<Option<Request>, Failure> {
        let Some(tokenizer) = self.tokenizer else { return Ok(None) };
        let prompt = crate::engine::ContextRequest {
            context: rendered.text.clone(),
            continuations: continuations.to_vec(),
            add_special: rendered.add_special,
        };
        Ok(Some(Request::encode(tokenizer, &prompt)?))
    }
}

/// Returns the requests for the token trie of scored sequences.
fn nodes(requests: &[Request]) -> Vec<NodeRequest> {
    TokenTrie::new(&requests.iter().flat_map(Request::sequences).collect::<Vec<_>>()).requests()
}

/// Groups trial numbers by story, if those of one are consecutive.
fn stories(asked: &[Result<TrialAsks, Failure>]) -> Vec<Vec<usize>> {
    let mut stories: Vec<Vec<usize>> = Vec::new();
    let story = |trial: usize| asked[trial].as_ref().ok().map(|asked| asked.story.as_str());
    for trial in 0..asked.len() {
        match stories.last_mut() {
            Some(last) if last.last().is_some_and(|&before| story(before) == story(trial)) => last.push(trial),
            _ => stories.push(vec![trial]),
        }
    }
    stories
}

/// Returns the turns with the system text at the beginning of the first user turn; `None` if there is no system text.
fn merged(messages: &[Message]) -> Option<Vec<Message>> {
    let (system, rest) = messages.split_first().filter(|(first, _)| first.role == Role::System)?;
    let (user, rest) = rest.split_first().filter(|(first, _)| first.role == Role::User)?;
    Some([&[Message::user(format!("{}\n\n{}", system.content, user.content))], rest].concat())
}
