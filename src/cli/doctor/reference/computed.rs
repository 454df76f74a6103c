//! The reference's side of the comparison.

use super::asked::{Prompt, REPLY_TOKENS, Reply};
use crate::decoder::Decoder;
use crate::engine::{self, GenerateRequest, Limits, Request, Sampling, TokenScores, generate_all};
use crate::model::{Sequence, Tokenizer, common_length};

/// What the reference computes in one precision.
pub struct Computed {
    /// Log-probabilities of each request.
    pub values: Vec<Vec<f32>>,
    /// A greedy reply to each prompt that is replied to.
    pub replies: Vec<Reply>,
}

/// Computes log-probabilities of requests and greedy replies to prompts, within `memory` bytes of keys, values and
/// activations.
///
/// # Errors
/// A log-probability is not finite; errors of the engine.
pub fn compute(
    decoder: &Decoder,
    tokenizer: &Tokenizer,
    memory: u64,
    requests: &[Request],
    replied: &[&Prompt],
    after: impl FnMut(usize, usize),
) -> anyhow::Result<Computed> {
    let scores = if requests.is_empty() { Vec::new() } else { engine::score(decoder, requests, memory, after)? };
    let values: Vec<Vec<f32>> = scores.into_iter().map(|scores| flat(&scores)).collect();
    anyhow::ensure!(
        values.iter().flatten().all(|value| value.is_finite()),
        "the reference has log-probabilities that are not finite; check its weights"
    );
    let request = |(number, prompt): (usize, &&Prompt)| GenerateRequest {
        prompt: prompt.tokens.as_slice().into(),
        key: format!("reference {number}"),
        sample: 0,
        max_tokens: REPLY_TOKENS,
    };
    let greedy: Vec<GenerateRequest> = replied.iter().enumerate().map(request).collect();
    let sampling = Sampling::greedy(tokenizer.stop_ids().to_vec());
    let limits = Limits { memory, ..Limits::default() };
    let replies = match greedy.is_empty() {
        true => Vec::new(),
        false => generate_all(decoder, Some(tokenizer), &greedy, &sampling, limits)?,
    };
    let reply = |reply: engine::Reply| Reply { cut: reply.end.is_cut(), text: reply.text.unwrap_or_default() };
    Ok(Computed { values, replies: replies.into_iter().map(reply).collect() })
}

fn flat(scores: &[TokenScores]) -> Vec<f32> {
    scores.iter().flat_map(|scores| scores.logprobs.iter().copied()).collect()
}

/// Returns how much likelier the reference finds its own next token than that of `other`, in nats, where the two
/// replies first differ; 0 where they do not.
pub fn margins(
    decoder: &Decoder,
    tokenizer: &Tokenizer,
    memory: u64,
    prompts: &[&Prompt],
    own: &[Reply],
    other: &[&Reply],
) -> anyhow::Result<Vec<f64>> {
    let mut requests = Vec::new();
    // Of each reply that differs, its number and how many of the scored tokens are the reference's.
    let mut places = Vec::new();
    for (number, ((prompt, own), other)) in prompts.iter().zip(own).zip(other).enumerate() {
        let tokens =
            |reply: &Reply| tokenizer.encode(&[&prompt.text, reply.text.as_str()].concat(), prompt.add_special);
        let (mine, theirs) = (tokens(own)?, tokens(other)?);
        let both = common_length(&mine, &theirs);
        let next = |tokens: &[u32], cut: bool| match (tokens.get(both), cut) {
            (Some(&token), _) => vec![token],
            (None, false) => tokenizer.stop_ids().to_vec(),
            (None, true) => Vec::new(),
        };
        let (mine, next) = (next(&mine, own.cut), (next(&theirs, other.cut), &mine[..both]));
        let (theirs, context) = next;
        if mine.is_empty() || theirs.is_empty() || mine == theirs {
            continue;
        }
        let sequence = |&token: &u32| Sequence { tokens: [context, &[token]].concat(), scored_from: both };
        places.push((number, mine.len()));
        requests.push(Request::new(context.to_vec(), mine.iter().chain(&theirs).map(sequence).collect())?);
    }
    let mut margins = vec![0.0; prompts.len()];
    if requests.is_empty() {
        return Ok(margins);
    }
    let scores = engine::score(decoder, &requests, memory, |_, _| ())?;
    for ((number, own), scores) in places.into_iter().zip(scores) {
        let values = flat(&scores);
        let best = |values: &[f32]| values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        // Where the other's token is the likelier one, sums in another order decided.
        margins[number] = f64::from(best(&values[..own]) - best(&values[own..])).max(0.0);
    }
    Ok(margins)
}
