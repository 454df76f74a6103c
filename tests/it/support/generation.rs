//! Replies of a decoder to prompts of token ids.

use tomeval::internal::generate_all;
use tomeval::{Decoder, GenerateRequest, Limits, Sampling, Written};

/// So many samples of each prompt, whose keys are their places.
pub fn requests(prompts: &[Vec<u32>], samples: usize, max_tokens: usize) -> Vec<GenerateRequest> {
    let of_prompt = |(place, prompt): (usize, &Vec<u32>)| {
        let request = GenerateRequest { prompt: prompt[..].into(), key: place.to_string(), sample: 0, max_tokens };
        (0..samples).map(move |sample| GenerateRequest { sample, ..request.clone() })
    };
    prompts.iter().enumerate().flat_map(of_prompt).collect()
}

/// The likeliest replies.
pub fn greedy(decoder: &Decoder, prompts: &[Vec<u32>], max_tokens: usize, limits: Limits) -> Vec<Written> {
    generate_all(decoder, None, &requests(prompts, 1, max_tokens), &Sampling::greedy(Vec::new()), limits).unwrap()
}
