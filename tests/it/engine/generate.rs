//! Generation on a real decoder: neighbours, shared prompts, ended replies and short memory change no reply.

use std::ops::ControlFlow;
use std::path::Path;

use candle_core::{D, Device, Tensor};
use tomeval::internal::{GenerateError, GenerateProgress, MemoryCosts, ReplyEnd, ThinkingBudget, generate_all};
use tomeval::{Decoder, GenerateRequest, Limits, ModelFiles, Pass, Precision, Sampling, Tokenizer, Written, generate};

use crate::support::fixture;
use crate::support::generation::{greedy, requests};

fn decoder() -> Decoder {
    crate::support::decoder(&fixture("llama"))
}

fn tokenizer() -> Tokenizer {
    Tokenizer::from_folder(Path::new(&fixture("llama"))).unwrap()
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

fn whole(tokens: Vec<u32>) -> Written {
    Written { tokens, text: None, end: ReplyEnd::Length, thinking: 0 }
}

#[test]
fn the_likeliest_replies_are_those_of_whole_forwards() {
    let decoder = decoder();
    let prompts = prompts();
    // More tokens than the steps after which the cache is tidied.
    let expected: Vec<Written> = prompts.iter().map(|prompt| whole(by_hand(&decoder, prompt, 70))).collect();
    for pass_tokens in [1, 3, 512] {
        for replies in [1, 2, 64] {
            let limits = Limits { pass_tokens, replies, ..Limits::default() };
            assert_eq!(greedy(&decoder, &prompts, 70, limits), expected, "{limits:?}");
        }
    }
}

/// The fixture with every row of its head twice, so that every likeliest token has an equal.
fn with_equal_tokens(folder: &Path) {
    for name in ["config.json", "tokenizer.json"] {
        std::fs::copy(fixture("llama").join(name), folder.join(name)).unwrap();
    }
    let mut weights = candle_core::safetensors::load(fixture("llama").join("model.safetensors"), &Device::Cpu).unwrap();
    let head = weights.get_mut("lm_head.weight").unwrap();
    let half = head.narrow(0, 0, head.dim(0).unwrap() / 2).unwrap();
    *head = Tensor::cat(&[&half, &half], 0).unwrap();
    candle_core::safetensors::save(&weights, folder.join("model.safetensors")).unwrap();
}

#[test]
fn greedy_replies_are_the_same_on_devices_and_from_whole_rows_ties_included() {
    let folder = tempfile::tempdir().unwrap();
    with_equal_tokens(folder.path());
    let prompts = prompts();
    for (path, tied) in [(fixture("llama"), false), (folder.path().to_path_buf(), true)] {
        let load = |load: fn(_, _, &Device, _) -> Result<Decoder, _>| {
            let (spec, weights) = ModelFiles::from_path(&path).unwrap().open().unwrap();
            load(spec, weights, &Device::Cpu, Precision::F32).unwrap()
        };
        let (fused, plain) = (load(Decoder::load), load(Decoder::load_portable));
        let half = plain.spec().vocab_size / 2;
        for decoder in [&fused, &plain] {
            let output = decoder.forward(&mut decoder.cache(), &Pass::sequence(&prompts[0], 0)).unwrap();
            let logits = decoder.logits(&output.hidden).unwrap();
            let [low, high] = [0, half].map(|first| logits.narrow(1, first, half).unwrap().to_vec2::<f32>().unwrap());
            assert_eq!(low == high, tied);
        }
        // Draws of the one likeliest token read whole rows; of equals they may take any.
        let greedy_on = |decoder: &Decoder| greedy(decoder, &prompts, 40, Limits::default());
        let expected = greedy_on(&fused);
        assert_eq!(greedy_on(&plain), expected);
        if tied {
            let drawn = |reply: &Written| reply.tokens.iter().all(|&token| (token as usize) < half);
            assert!(expected.iter().all(drawn), "of equals the lower");
        } else {
            let of_one = Sampling { temperature: 1.0, top_k: Some(1), ..Sampling::greedy(Vec::new()) };
            let from_rows = generate_all(&plain, None, &requests(&prompts, 1, 40), &of_one, Limits::default()).unwrap();
            assert_eq!(from_rows, expected);
        }
    }
}

#[test]
fn a_stop_token_ends_its_reply_alone_and_others_take_its_place() {
    let decoder = decoder();
    let prompts = prompts();
    let written: Vec<Vec<u32>> = prompts.iter().map(|prompt| by_hand(&decoder, prompt, 12)).collect();
    // A token that the first reply has in its middle.
    let stop = written[0][5];
    let expected: Vec<Written> = written
        .into_iter()
        .map(|tokens| match tokens.iter().position(|&token| token == stop) {
            Some(at) => Written { end: ReplyEnd::Stop, ..whole(tokens[..at].to_vec()) },
            None => whole(tokens),
        })
        .collect();
    assert!(expected.iter().any(|reply| reply.end == ReplyEnd::Stop));
    assert!(expected.iter().any(|reply| reply.end == ReplyEnd::Length), "the stop token is in every reply");
    let sampling = Sampling::greedy(vec![stop]);
    for replies in [1, 2, 64] {
        let limits = Limits { replies, ..Limits::default() };
        let found = generate_all(&decoder, None, &requests(&prompts, 1, 12), &sampling, limits).unwrap();
        assert_eq!(found, expected, "{replies} side by side");
    }
}

#[test]
fn draws_depend_on_seed_key_and_sample_only() {
    let decoder = decoder();
    let sampling = Sampling { temperature: 1.0, seed: 7, ..Sampling::greedy(Vec::new()) };
    let requests = requests(&prompts(), 3, 40);
    let replies = |requests: &[GenerateRequest], sampling: &Sampling, limits: Limits| {
        generate_all(&decoder, None, requests, sampling, limits).unwrap()
    };
    let together = replies(&requests, &sampling, Limits::default());
    assert_ne!(together[0], together[1], "samples of one prompt are drawn apart");
    assert_ne!(together[0], together[9], "equal prompts are different questions");
    let backwards: Vec<GenerateRequest> = requests.iter().rev().cloned().collect();
    let mut found = replies(&backwards, &sampling, Limits { replies: 4, ..Limits::default() });
    found.reverse();
    assert_eq!(found, together);
    for (request, expected) in requests.iter().zip(&together) {
        assert_eq!(
            replies(std::slice::from_ref(request), &sampling, Limits::default()),
            std::slice::from_ref(expected)
        );
    }
    assert_ne!(replies(&requests, &Sampling { seed: 8, ..sampling }, Limits::default()), together);
}

#[test]
fn replies_that_were_put_back_are_the_same() {
    let decoder = decoder();
    let sampling = Sampling { temperature: 1.0, seed: 7, repetition_penalty: 1.2, ..Sampling::greedy(Vec::new()) };
    let requests = requests(&prompts(), 4, 60);
    let expected = generate_all(&decoder, None, &requests, &sampling, Limits::default()).unwrap();
    // Room for two whole replies: twenty begin side by side, and most must wait.
    let costs = MemoryCosts::new(decoder.spec(), decoder.arithmetic());
    let memory = costs.pass_bytes(2 * 68 + 120, 512);
    let (mut found, mut again, mut most) = (Vec::new(), 0, 0);
    let mut on_reply = |request, reply| {
        found.push((request, reply));
        ControlFlow::Continue(())
    };
    let mut after_step = |progress: &GenerateProgress| {
        again = progress.tokens_again;
        most = most.max(progress.live);
        assert_eq!(progress.ended + progress.live + progress.waiting, requests.len());
        ControlFlow::Continue(())
    };
    let limits = Limits { memory, ..Limits::default() };
    let end = generate(&decoder, None, &requests, &sampling, limits, &mut on_reply, &mut after_step).unwrap();
    assert_eq!(end, ControlFlow::Continue(()));
    assert!(again > 0 && most > 2, "{again} tokens again, {most} side by side");
    found.sort_by_key(|(request, _)| *request);
    let found: Vec<Written> = found.into_iter().map(|(_, reply)| reply).collect();
    assert_eq!(found, expected);
}

#[test]
fn what_prompts_share_is_forwarded_once() {
    let decoder = decoder();
    let last = |replies: usize| {
        let mut last = GenerateProgress::default();
        let mut after_step = |progress: &GenerateProgress| {
            last = *progress;
            ControlFlow::Continue(())
        };
        let limits = Limits { replies, ..Limits::default() };
        let mut on_reply = |_, _| ControlFlow::Continue(());
        let sampling = Sampling::greedy(Vec::new());
        let requests = requests(&prompts(), 2, 6);
        let _ = generate(&decoder, None, &requests, &sampling, limits, &mut on_reply, &mut after_step).unwrap();
        last
    };
    let together = last(64);
    assert_eq!((together.prompt_tokens, together.prompt_tokens_forwarded), (2 * 23, 3 + 2 + 6 + 2));
    assert_eq!((together.ended, together.ended_tokens, together.live, together.waiting), (10, 60, 0, 0));
    // One after the other, too: the next prompt in order begins as the one before.
    assert_eq!(last(1).prompt_tokens_forwarded, 3 + 2 + 6 + 2);
}

#[test]
fn stop_strings_end_the_text_before_them() {
    let (decoder, tokenizer) = (decoder(), tokenizer());
    let requests = requests(&prompts(), 1, 30);
    let replies = |stop_strings: Vec<String>| {
        let sampling = Sampling { stop_strings, ..Sampling::greedy(Vec::new()) };
        generate_all(&decoder, Some(&tokenizer), &requests, &sampling, Limits::default()).unwrap()
    };
    let whole = replies(Vec::new());
    let text = whole[0].text.clone().unwrap();
    assert_eq!(text, tokenizer.decode(&whole[0].tokens).unwrap());
    // From the middle of the first text, so that it spans tokens.
    let stop: String = text.chars().skip(text.chars().count() / 2).take(4).collect();
    for (reply, whole) in replies(vec![stop.clone()]).iter().zip(&whole) {
        let text = whole.text.as_ref().unwrap();
        match text.find(&stop) {
            Some(at) => {
                assert_eq!((reply.end, reply.text.as_deref()), (ReplyEnd::StopString, Some(&text[..at])));
                assert!(whole.tokens.starts_with(&reply.tokens) && reply.tokens.len() < whole.tokens.len());
                assert!(tokenizer.decode(&reply.tokens).unwrap().contains(&stop));
            }
            None => assert_eq!(reply, whole),
        }
    }
    assert!(matches!(
        generate_all(
            &decoder,
            None,
            &requests,
            &Sampling { stop_strings: vec!["x".into()], ..Sampling::greedy(Vec::new()) },
            Limits::default()
        ),
        Err(GenerateError::NoTokenizer)
    ));
}

#[test]
fn thinking_that_is_used_up_is_closed() {
    let decoder = decoder();
    let (open, close) = (5, 11);
    let thinking = ThinkingBudget { open: vec![open], close: vec![close], forced: vec![12, close], budget: Some(4) };
    let sampling = Sampling { thinking: Some(thinking), ..Sampling::greedy(Vec::new()) };
    let prompts = prompts();
    let replies = generate_all(&decoder, None, &requests(&prompts, 1, 20), &sampling, Limits::default()).unwrap();
    for (prompt, reply) in prompts.iter().zip(&replies).filter(|(prompt, _)| prompt[0] == open) {
        let free = by_hand(&decoder, prompt, 4);
        assert!(!free.contains(&close), "{free:?}");
        assert_eq!((&reply.tokens[..4], &reply.tokens[4..6], reply.thinking), (&free[..], &[12, close][..], 4));
        let after = [&prompt[..], &reply.tokens[..6]].concat();
        assert_eq!(reply.tokens[6..], by_hand(&decoder, &after, 14));
    }
}

#[test]
fn either_callback_ends_the_work() {
    let decoder = decoder();
    let requests = requests(&prompts(), 1, 8);
    let sampling = Sampling::greedy(Vec::new());
    let limits = Limits { replies: 2, ..Limits::default() };
    let mut ended = 0;
    let mut first = |_, _| {
        ended += 1;
        ControlFlow::Break(())
    };
    let end =
        generate(&decoder, None, &requests, &sampling, limits, &mut first, &mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!((end, ended), (ControlFlow::Break(()), 1));
    let mut steps = 0;
    let mut third = |_: &GenerateProgress| {
        steps += 1;
        if steps == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let end = generate(&decoder, None, &requests, &sampling, limits, &mut |_, _| ControlFlow::Continue(()), &mut third)
        .unwrap();
    assert_eq!((end, steps), (ControlFlow::Break(()), 3));
}

/// Replies written alone, together in any order and any number side by side, with little memory, and in two runs of which
/// the first was stopped.
fn check_independence(decoder: &Decoder, requests: &[GenerateRequest], sampling: &Sampling) {
    let replies =
        |requests: &[GenerateRequest], limits: Limits| generate_all(decoder, None, requests, sampling, limits).unwrap();
    let alone: Vec<Written> = requests
        .iter()
        .flat_map(|request| replies(std::slice::from_ref(request), Limits { replies: 1, ..Limits::default() }))
        .collect();
    assert_eq!(replies(requests, Limits::default()), alone);
    let longest = requests.iter().map(|request| request.prompt.len() + request.max_tokens).max().unwrap_or(0);
    let memory = MemoryCosts::new(decoder.spec(), decoder.arithmetic()).pass_bytes(2 * longest + 64, 7);
    assert_eq!(replies(requests, Limits { pass_tokens: 7, memory, replies: 5 }), alone);

    let mut kept: Vec<(usize, Written)> = Vec::new();
    let mut on_reply = |request, reply| {
        kept.push((request, reply));
        if kept.len() == requests.len() / 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let limits = Limits { replies: 3, ..Limits::default() };
    let _ = generate(decoder, None, requests, sampling, limits, &mut on_reply, &mut |_| ControlFlow::Continue(()));
    let rest: Vec<usize> =
        (0..requests.len()).filter(|place| kept.iter().all(|(request, _)| request != place)).collect();
    let of_rest: Vec<GenerateRequest> = rest.iter().rev().map(|&place| requests[place].clone()).collect();
    kept.extend(rest.into_iter().rev().zip(replies(&of_rest, Limits::default())));
    kept.sort_by_key(|(request, _)| *request);
    assert!(kept.into_iter().map(|(_, reply)| reply).eq(alone));
}

#[test]
fn replies_do_not_depend_on_what_is_written_beside_them() {
    for family in ["llama", "qwen2", "gemma2", "qwen3", "phi3_longrope"] {
        let decoder = crate::support::decoder(&fixture(family));
        let hot = Sampling { temperature: 1.5, seed: 3, ..Sampling::greedy(Vec::new()) };
        for sampling in [Sampling::greedy(vec![7]), Sampling { stop: (3..9).collect(), ..hot }] {
            check_independence(&decoder, &requests(&prompts(), 2, 40), &sampling);
        }
    }
}

#[test]
fn replies_of_the_demo_model_do_not_depend_on_what_is_written_beside_them() {
    let files = match tomeval::resolve_model(tomeval::DEMO_MODEL, &tomeval::Fetch::offline()) {
        Ok(files) => files,
        Err(error) => return crate::support::skipped("TOMEVAL_REQUIRE_MODEL", &error.to_string()),
    };
    let tokenizer = files.text_parts().unwrap().tokenizer;
    let decoder = files.decoder(&candle_core::Device::Cpu, tomeval::Precision::F32).unwrap();
    let prompts: Vec<Vec<u32>> = ["Sally puts the ball in the", "Sally puts the ball in the basket. Anne", "Where is"]
        .iter()
        .map(|text| tokenizer.encode(text, true).unwrap())
        .collect();
    let hot = Sampling { temperature: 1.0, seed: 3, ..Sampling::greedy(Vec::new()) };
    check_independence(&decoder, &requests(&prompts, 1, 5), &Sampling::greedy(Vec::new()));
    check_independence(&decoder, &requests(&prompts[..2], 2, 4), &hot);
}

#[test]
fn what_cannot_be_continued_is_refused() {
    let decoder = decoder();
    let sampling = Sampling::greedy(Vec::new());
    let refused = |prompts: &[Vec<u32>], sampling: &Sampling, limits: Limits| {
        generate_all(&decoder, None, &requests(prompts, 1, 4), sampling, limits).unwrap_err()
    };
    let empty = refused(&[vec![1], Vec::new()], &sampling, Limits::default());
    assert!(matches!(empty, GenerateError::EmptyPrompt { index: 1 }), "{empty:?}");
    let context = decoder.spec().max_position;
    let long = refused(&[vec![1; context + 1]], &sampling, Limits::default()).to_string();
    assert!(long.contains(&format!("{} tokens", context + 1)), "{long}");
    let small = refused(&[vec![1]], &sampling, Limits { memory: 1000, ..Limits::default() }).to_string();
    assert!(small.contains("--memory"), "{small}");
    let hot = Sampling { temperature: f64::INFINITY, ..sampling };
    assert!(refused(&[vec![1]], &hot, Limits::default()).to_string().contains("temperature"));
}

#[test]
fn a_reply_ends_where_the_context_does() {
    let decoder = decoder();
    let context = decoder.spec().max_position;
    let prompt: Vec<u32> = (0..context - 2).map(|at| 3 + (at % 30) as u32).collect();
    let replies = greedy(&decoder, &[prompt], 10, Limits::default());
    // Two more tokens can be forwarded; the token that the last of them predicts is the third.
    assert_eq!((replies[0].tokens.len(), replies[0].end), (3, ReplyEnd::Context));
}
