//! Generation on a real decoder: batches, shared prompts and ended neighbours change no reply.

use crate::support::fixture;

use candle_core::D;
use tomeval::decoder::{Decoder, Pass};
use tomeval::engine::{GenerateError, Reply, ReplyEnd, Sampling, generate};

fn decoder() -> Decoder {
    crate::support::decoder(&fixture("llama"))
}

/// Prompts with a shared beginning, one inside another, one twice, and one of its own.
fn prompts() -> Vec<Vec<u32>> {
    vec![vec![5, 9, 3, 17, 4], vec![5, 9, 3], vec![30, 8], vec![5, 9, 3, 17, 4], vec![5, 9, 21, 6, 7, 8, 9, 10]]
}

/// The likeliest continuation, every token from a forward of the whole text.
fn by_hand(decoder: &Decoder, prompt: &[u32], tokens: usize) -> Vec<u32> {
    let mut text = prompt.to_vec();
    for _ in 0..tokens {
        let pass = Pass { rows: vec![text.len() - 1], ..Pass::sequence(&text, 0) };
        let hidden = decoder.forward(&mut decoder.cache(), &pass).unwrap().hidden;
        let next: Vec<u32> = decoder.logits(&hidden).unwrap().argmax(D::Minus1).unwrap().to_vec1().unwrap();
        text.push(next[0]);
    }
    text.split_off(prompt.len())
}

#[test]
fn the_likeliest_replies_are_those_of_whole_forwards() {
    let decoder = decoder();
    let prompts = prompts();
    // More tokens than the steps after which the cache is tidied.
    let expected: Vec<Vec<u32>> = prompts.iter().map(|prompt| by_hand(&decoder, prompt, 40)).collect();
    for pass_tokens in [1, 3, 512] {
        let sampling = Sampling { pass_tokens, ..Sampling::greedy(40, Vec::new()) };
        let replies = generate(&decoder, &prompts, &sampling).unwrap();
        for (replies, expected) in replies.iter().zip(&expected) {
            assert_eq!(*replies, [Reply { tokens: expected.clone(), end: ReplyEnd::Length }], "{pass_tokens}");
        }
    }
}

#[test]
fn a_stop_token_ends_its_reply_alone() {
    let decoder = decoder();
    let prompts = prompts();
    let whole: Vec<Vec<u32>> = prompts.iter().map(|prompt| by_hand(&decoder, prompt, 12)).collect();
    // A token that the first reply has in its middle.
    let stop = whole[0][5];
    let replies = generate(&decoder, &prompts, &Sampling::greedy(12, vec![stop])).unwrap();
    for (replies, whole) in replies.iter().zip(&whole) {
        let expected = match whole.iter().position(|&token| token == stop) {
            Some(at) => Reply { tokens: whole[..at].to_vec(), end: ReplyEnd::Stop },
            None => Reply { tokens: whole.clone(), end: ReplyEnd::Length },
        };
        assert_eq!(*replies, [expected]);
    }
    assert!(replies.iter().any(|replies| replies[0].end == ReplyEnd::Stop));
    assert!(replies.iter().any(|replies| replies[0].end == ReplyEnd::Length), "the stop token is in every reply");
}

#[test]
fn draws_depend_on_seed_prompt_and_sample_only() {
    let decoder = decoder();
    let prompts = prompts();
    let sampling = Sampling { samples: 3, temperature: 1.0, seed: 7, ..Sampling::greedy(10, Vec::new()) };
    let together = generate(&decoder, &prompts, &sampling).unwrap();
    assert!(together.iter().all(|replies| replies.len() == 3));
    assert_ne!(together[0][0], together[0][1], "samples of one prompt are drawn apart");
    assert_ne!(together[0], together[3], "equal prompts are different questions");
    // A budget for one prompt at a time.
    let spec = decoder.spec();
    let costs = tomeval::engine::MemoryCosts::of(spec, tomeval::decoder::Arithmetic::CPU);
    let memory = costs.pass_bytes(8 + 3 * 10, sampling.pass_tokens);
    let apart = generate(&decoder, &prompts, &Sampling { memory, ..sampling.clone() }).unwrap();
    assert_eq!(apart, together);
    assert_eq!(generate(&decoder, &prompts, &sampling).unwrap(), together);
    let other = generate(&decoder, &prompts, &Sampling { seed: 8, ..sampling }).unwrap();
    assert_ne!(other, together);
}

#[test]
fn what_cannot_be_continued_is_refused() {
    let decoder = decoder();
    let empty = generate(&decoder, &[vec![1], Vec::new()], &Sampling::greedy(4, Vec::new()));
    assert!(matches!(empty, Err(GenerateError::EmptyPrompt { index: 1 })), "{empty:?}");
    let small = Sampling { memory: 1000, ..Sampling::greedy(4, Vec::new()) };
    let message = generate(&decoder, &[vec![1]], &small).unwrap_err().to_string();
    assert!(message.contains("--memory"), "{message}");
}

#[test]
fn a_reply_ends_where_the_context_does() {
    let decoder = decoder();
    let context = decoder.spec().max_position;
    let prompt: Vec<u32> = (0..context - 2).map(|at| 3 + (at % 30) as u32).collect();
    let replies = generate(&decoder, &[prompt], &Sampling::greedy(10, Vec::new())).unwrap();
    // Two more tokens can be forwarded; the token that the last of them predicts is the third.
    assert_eq!(replies[0][0].tokens.len(), 3);
    assert_eq!(replies[0][0].end, ReplyEnd::Length);
}
