//! Prompts of random tokens, for weights without a tokenizer: a synthetic run with letters, or the lengths and shared
//! prefixes of a real run's prompts.

use std::io::{Read, Write};

use rand::Rng;
use serde::{Deserialize, Serialize};

use super::BenchError;
use crate::decoder::Decoder;
use crate::engine::{Counts, Packing, Request, TrialRequests, score_trials};
use crate::model::Sequence;
use crate::seed::seeded;

/// Number of stories, and of orders of each story's question.
const STORIES: usize = 4;
const ORDERS: usize = 5;

/// Letters scored after each prompt.
const LETTERS: usize = 4;

/// Makes a synthetic run. A prompt is a quarter instructions, half story and a quarter question with its options; only
/// the last part differs by order.
pub fn synthetic_trie(vocabulary: usize, tokens: usize) -> Result<Vec<TrialRequests>, BenchError> {
    let draw = |key: &str, number: usize, count: usize| -> Vec<u32> {
        let mut random = seeded(0, key, number);
        (0..count).map(|_| random.random_range(0..vocabulary) as u32).collect()
    };
    let question = (tokens / 4).max(1);
    let instructions = draw("instructions", 0, tokens / 4);
    let mut trials = Vec::with_capacity(STORIES * ORDERS);
    for story in 0..STORIES {
        let rendered = draw("story", story, tokens - instructions.len() - question);
        for order in 0..ORDERS {
            let asked = draw("question", story * ORDERS + order, question);
            let context = [&instructions[..], &rendered, &asked].concat();
            trials.push(trial(story.to_string(), context, &[1; LETTERS], vocabulary)?);
        }
    }
    Ok(trials)
}

/// A trial of one prompt and continuations of the given lengths, whose first tokens differ.
fn trial(
    story: String,
    context: Vec<u32>,
    continuations: &[usize],
    vocabulary: usize,
) -> Result<TrialRequests, BenchError> {
    let after = |(number, &length): (usize, &usize)| Sequence {
        tokens: context.iter().copied().chain((0..length).map(|at| ((number + at) % vocabulary) as u32)).collect(),
        scored_from: context.len(),
    };
    let sequences = continuations.iter().enumerate().map(after).collect();
    Ok(TrialRequests { story, draws: 1, requests: vec![Request::new(context, sequences)?] })
}

/// One prompt of a run, as a line of the file that `tomeval plan --trie` writes. Prompts are in trie order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Line {
    /// Number of its story, in the order of the file.
    story: usize,
    /// Leading tokens shared with the prompt of the previous line.
    shared: usize,
    /// Number of tokens.
    tokens: usize,
    /// Number of tokens of each continuation, separated by spaces.
    continuations: String,
}

/// Writes the lengths and shared prefixes of a run's prompts. Ignores a model's different calculation of long
/// sequences; assumes that continuations differ from their first token on.
pub fn write_trie(trials: &[TrialRequests], to: impl Write) -> csv::Result<()> {
    let mut prompts: Vec<(&str, &Request)> =
        trials.iter().flat_map(|trial| trial.requests.iter().map(|request| (trial.story.as_str(), request))).collect();
    prompts.sort_by_cached_key(|(_, request)| request.context().into_owned());
    let mut writer = csv::Writer::from_writer(to);
    let (mut stories, mut before) = (indexmap::IndexSet::new(), Vec::new());
    for (story, request) in prompts {
        let context = request.context().into_owned();
        let shared = before.iter().zip(&context).take_while(|(before, now)| before == now).count();
        let lengths = request.continuations().map(|tokens| tokens.len().to_string()).collect::<Vec<_>>();
        writer.serialize(Line {
            story: stories.insert_full(story).0,
            shared,
            tokens: context.len(),
            continuations: lengths.join(" "),
        })?;
        before = context;
    }
    Ok(writer.flush()?)
}

/// Reads such a file into prompts of random tokens.
pub fn read_trie(from: impl Read, vocabulary: usize, longest: usize) -> Result<Vec<TrialRequests>, BenchError> {
    let (mut trials, mut before) = (Vec::new(), Vec::new());
    for (number, line) in csv::Reader::from_reader(from).into_deserialize::<Line>().enumerate() {
        let at = number + 2;
        let wrong = |reason: String| BenchError::Trie(format!("line {at}: {reason}"));
        let Line { story, shared, tokens, continuations } = line.map_err(|error| wrong(error.to_string()))?;
        let lengths: Result<Vec<usize>, _> = continuations.split(' ').map(str::parse).collect();
        let lengths = lengths.map_err(|_| wrong(format!("not lengths of continuations: {continuations}")))?;
        let whole = tokens.saturating_add(lengths.iter().copied().max().unwrap_or(0));
        match () {
            () if tokens == 0 || lengths.contains(&0) => return Err(wrong("a length is 0".to_string())),
            () if whole > longest => {
                return Err(wrong(format!("{whole} tokens are beyond the model's context of {longest}")));
            }
            () if shared > tokens.min(before.len()) => {
                return Err(wrong(format!("{shared} shared tokens are more than there are")));
            }
            () => {}
        }
        let mut random = seeded(0, "trie", number);
        let mut context: Vec<u32> = before[..shared].to_vec();
        context.extend((shared..tokens).map(|_| random.random_range(0..vocabulary) as u32));
        // Otherwise the prompts would share more.
        if let (Some(own), Some(other)) = (context.get_mut(shared), before.get(shared))
            && own == other
        {
            *own = (*own + 1) % vocabulary as u32;
        }
        trials.push(trial(story.to_string(), context.clone(), &lengths, vocabulary)?);
        before = context;
    }
    match trials.is_empty() {
        true => Err(BenchError::Trie("no prompts".to_string())),
        false => Ok(trials),
    }
}

/// Tokens per prompt, the mean rounded down.
pub(super) fn mean_tokens(trials: &[TrialRequests]) -> usize {
    let tokens = trials.iter().flat_map(|trial| &trial.requests).map(Request::context_tokens);
    tokens.sum::<usize>() / trials.len().max(1)
}

/// Scores the prompts, with or without prefix sharing; returns counts of forwarded tokens.
pub(super) fn score(decoder: &Decoder, trials: &[TrialRequests], sharing: bool) -> Result<Counts, BenchError> {
    let packing = Packing { sharing, ..Packing::on(decoder.arithmetic()) };
    // Unlimited memory, as for the other cases.
    let scored = score_trials(decoder, trials, packing, u64::MAX, |_, _| ())?;
    std::hint::black_box(scored.trials);
    Ok(scored.counts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{MemoryCosts, Plan};

    #[test]
    fn prompts_share_instructions_and_stories_alone() {
        let trials = synthetic_trie(1000, 64).unwrap();
        assert_eq!(trials.len(), STORIES * ORDERS);
        let context = |at: usize| trials[at].requests[0].context().into_owned();
        let shared = |a: usize, b: usize| context(a).iter().zip(&context(b)).take_while(|(a, b)| a == b).count();
        assert!((0..trials.len()).all(|at| context(at).len() == 64));
        assert!((48..52).contains(&shared(0, 1)) && (16..20).contains(&shared(0, ORDERS)));
        assert_eq!(synthetic_trie(1000, 1).unwrap()[0].requests[0].context_tokens(), 1);
    }

    #[test]
    fn what_is_read_forwards_as_much_as_what_was_written() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/llama/config.json");
        let costs = MemoryCosts::new(&crate::model::read_config(&folder).unwrap(), crate::decoder::Arithmetic::CPU);
        let counts = |trials: &[TrialRequests]| {
            let Counts { sequences, distinct, forwarded, passes, attention_pairs, .. } =
                Plan::new(trials, Packing::default(), &costs).counts;
            (sequences, distinct, forwarded, passes, attention_pairs)
        };
        let written = synthetic_trie(5000, 400).unwrap();
        let mut file = Vec::new();
        write_trie(&written, &mut file).unwrap();
        assert!(file.starts_with(b"story,shared,tokens,continuations\n0,0,400,1 1 1 1\n"));
        let read = read_trie(&file[..], 70, 401).unwrap();
        assert_eq!(counts(&read), counts(&written));
    }

    #[test]
    fn a_wrong_line_is_named() {
        let error = |lines: &str| {
            let file = format!("story,shared,tokens,continuations\n{lines}");
            read_trie(file.as_bytes(), 100, 20).unwrap_err().to_string()
        };
        assert!(error("").contains("no prompts"));
        for (line, expected) in [
            ("0,3,9,1 1\n", "3 shared tokens"),
            ("0,0,0,1\n", "length is 0"),
            ("0,0,9,0\n", "length is 0"),
            ("0,0,20,1\n", "21 tokens are beyond the model's context of 20"),
            ("0,0,18446744073709551615,1\n", "beyond the model's context"),
            ("0,0,9,one\n", "one"),
            ("0,0\n", "fields"),
        ] {
            let told = error(line);
            assert!(told.contains("line 2: ") && told.contains(expected), "{told}");
        }
    }
}
