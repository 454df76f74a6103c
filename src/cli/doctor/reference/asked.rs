//! The server's side of the comparison.

use super::prompts::Group;
use crate::chat::Message;
use crate::cli::server::Connected;
use crate::engine::Request;
use crate::model::{Sequence, Tokenizer};
use crate::server::{
    Alternatives, Draws, PromptScores, ScoreMode, ServerError, Usage, chat, complete, has_same_length, of_chat,
    of_completion, post, prompt_scores_of, top, with_neutral,
};

/// Tokens of each greedy reply.
pub const REPLY_TOKENS: usize = 16;

/// A prompt, as both sides are asked.
pub struct Prompt {
    pub group: Group,
    /// Turns that the server's template writes; `None` for a raw text.
    pub messages: Option<Vec<Message>>,
    /// The text, written here.
    pub text: String,
    /// Whether the tokenizer puts its own tokens in front.
    pub add_special: bool,
    pub tokens: Vec<u32>,
    /// Number of the first token with another before it, besides those that the tokenizer puts in front.
    pub scored_from: usize,
}

/// How the server is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// By the log-probabilities of all tokens of a text.
    Tokens(ScoreMode),
    /// By those of the likeliest tokens after a text.
    Ends(usize),
    /// By greedy replies.
    Replies,
}

/// A reply.
pub struct Reply {
    pub text: String,
    /// Whether the length limit ended it.
    pub cut: bool,
}

/// The server's answer to a prompt.
pub enum Answer {
    /// Log-probabilities, and the request that computes the same here.
    Values {
        request: Request,
        values: Vec<f32>,
    },
    Reply(Reply),
}

/// Why a prompt cannot be compared.
pub enum NoAnswer {
    /// The server reads other tokens than the reference.
    Tokens(String),
    /// The server does not answer it.
    Failed(String),
}

impl From<ServerError> for NoAnswer {
    fn from(error: ServerError) -> Self {
        NoAnswer::Failed(error.to_string())
    }
}

impl Way {
    /// Returns the closest comparison that the server allows; `only_top` passes over log-probabilities of the prompt.
    pub fn new(connected: &Connected, only_top: bool) -> Way {
        match (&connected.abilities.prompt, &connected.abilities.top) {
            (Ok(mode), _) if !only_top => Way::Tokens(*mode),
            (_, Ok(most)) => Way::Ends(*most),
            _ => Way::Replies,
        }
    }

    /// Asks the server one prompt.
    pub fn ask(self, connected: &Connected, tokenizer: &Tokenizer, prompt: &Prompt) -> Result<Answer, NoAnswer> {
        let one = Draws::one_token();
        let Connected { client, model, abilities, variables, .. } = connected;
        let text = |draws: &Draws| complete(model, &prompt.text, !prompt.add_special, draws);
        let foreign = |error: ServerError| NoAnswer::Tokens(error.to_string());
        let all = &prompt.tokens;
        match (self, &prompt.messages) {
            (Way::Tokens(mode), None) => {
                let body = prompt_scores_of(text(&one), mode == ScoreMode::Echo);
                let scores = PromptScores::from_json(&post(client, &body)?.json)?;
                let values = scores.by_ids(all, all.len() - prompt.scored_from).map_err(foreign)?.logprobs;
                let from = all.len() - values.len();
                let whole = Sequence { tokens: all.clone(), scored_from: from };
                Ok(Answer::Values { request: request(all[..from].to_vec(), vec![whole])?, values })
            }
            (Way::Ends(most), None) => {
                let json = post(client, &top(text(&one), most))?.json;
                has_same_length(Usage::from_json(&json)?.prompt_tokens, all.len()).map_err(foreign)?;
                let found = Alternatives::from_json(&json)?;
                let (mut sequences, mut values) = (Vec::new(), Vec::new());
                for (piece, logprob) in found.each() {
                    // A piece that is no token of its own after this text names none.
                    let longer = tokenizer.encode(&format!("{}{piece}", prompt.text), prompt.add_special);
                    let Ok(tokens) = longer else { continue };
                    let is_next = tokens.len() == all.len() + 1 && tokens.starts_with(all);
                    let twice = found.each().filter(|(other, _)| *other == piece).count() > 1;
                    if is_next && !twice {
                        sequences.push(Sequence { tokens, scored_from: all.len() });
                        values.push(logprob);
                    }
                }
                Ok(Answer::Values { request: request(all.clone(), sequences)?, values })
            }
            (_, messages) => {
                let draws = Draws { max_tokens: REPLY_TOKENS, ..Draws::default() };
                let body = match messages {
                    Some(messages) => chat(model, messages, variables, &draws),
                    None => text(&draws),
                };
                let json = post(client, &with_neutral(body, &abilities.neutral))?.json;
                let wrote = if messages.is_some() { of_chat(&json) } else { of_completion(&json) }?;
                has_same_length(wrote.usage.prompt_tokens, all.len()).map_err(|error| match messages {
                    Some(_) => NoAnswer::Tokens(format!(
                        "the server's template makes {} tokens of a chat, the reference's {}",
                        wrote.usage.prompt_tokens,
                        all.len()
                    )),
                    None => foreign(error),
                })?;
                let wrote = wrote.within(REPLY_TOKENS, Some(tokenizer.longest_token()));
                Ok(Answer::Reply(Reply { text: wrote.text, cut: wrote.cut }))
            }
        }
    }
}

fn request(context: Vec<u32>, sequences: Vec<Sequence>) -> Result<Request, NoAnswer> {
    if sequences.is_empty() {
        return Err(NoAnswer::Failed("none of the likeliest tokens is known to the reference's tokenizer".to_string()));
    }
    Request::new(context, sequences).map_err(|error| NoAnswer::Failed(error.to_string()))
}
