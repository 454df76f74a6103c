//! Compares fixtures one by one, each in every arithmetic and dtype.

use candle_core::{D, DType, Device};

use super::fixtures::{Expected, Fixture};
use super::references::{Distance, Precisions, Tensors};
use super::routing::{Choices, Routing};
use super::{Check, Compared, Figure, Fixtures, FixturesError, SelfTest, SelftestRow, Skipped, VERSION};
use crate::decoder::{Branch, Capture, Decoder, DecoderError, Gpu, Pass, Precision, RowRanges};
use crate::engine::{GenerateError, GenerateRequest, Limits, Sampling, generate_all};
use crate::model::{ModelError, ModelFiles};

/// Largest difference of logits, hidden states and log-probabilities in f32 (`tests/fixtures/README.md`).
const LOGITS: f64 = 1e-4;
/// Largest difference of attention probabilities in f32.
const ATTENTION: f64 = 1e-5;
/// Largest distance of 16-bit arithmetic from f32, relative to that of transformers.
const FACTOR: f64 = 1.2;
/// Most positions of a mixture that may be routed to other experts than in f32: this factor times the number for
/// transformers, plus this constant, since there are few.
const REROUTED: (f64, f64) = (1.5, 3.0);
/// Mean and largest difference of logits where blocks are multiplied by rounded activations.
const BLOCKS: (f64, f64) = (0.06, 0.4);

/// Reason why nothing could be compared.
#[derive(Debug, thiserror::Error)]
enum Problem {
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error(transparent)]
    Decoder(#[from] DecoderError),
    #[error(transparent)]
    Generate(#[from] GenerateError),
    #[error("expected results: {0}")]
    Expected(#[from] candle_core::Error),
    #[error("expected results have a different size: {0}")]
    Size(String),
}

/// Compares all fixtures on a device called `name`; `starting` receives the index of each row as it starts, the number
/// of rows, and the fixture's name.
pub fn selftest(
    fixtures: &Fixtures,
    name: String,
    device: &Device,
    mut starting: impl FnMut(usize, usize, &str),
) -> Result<SelfTest, FixturesError> {
    let (list, mut skipped) = fixtures.list()?;
    let precisions = Precisions::from_fixtures(fixtures)?;
    let arithmetics: &[&'static str] = if device.is_cpu() { &["fused", "plain"] } else { &["plain"] };
    let mut wanted = Vec::new();
    for fixture in &list {
        for &precision in types(fixture) {
            let own = match (&fixture.expected, precision) {
                (Expected::Family { family, .. }, Precision::BF16 | Precision::F16) => {
                    match precisions.of_family(family, precision) {
                        Some(own) => Some(own),
                        None => {
                            let reason =
                                format!("{precision}: precisions.json lacks the distance of transformers from f32");
                            skipped.push(Skipped { fixture: fixture.name.clone(), reason });
                            continue;
                        }
                    }
                }
                _ => None,
            };
            wanted.extend(arithmetics.iter().map(|&arithmetic| (fixture, precision, own, arithmetic)));
        }
    }
    let mut rows = Vec::with_capacity(wanted.len());
    for (at, (fixture, precision, own, arithmetic)) in wanted.iter().enumerate() {
        starting(at, wanted.len(), &fixture.name);
        let compared = compare(fixture, *precision, *own, device, *arithmetic == "plain");
        let (checks, problem) = match compared {
            Ok(checks) => (checks, None),
            Err(problem) => (Vec::new(), Some(problem.to_string())),
        };
        rows.push(SelftestRow {
            fixture: fixture.name.clone(),
            arithmetic,
            dtype: precision.name().to_string(),
            passed: problem.is_none() && checks.iter().all(|check| check.passed),
            checks,
            problem,
        });
    }
    Ok(SelfTest {
        version: VERSION,
        program: env!("CARGO_PKG_VERSION").to_string(),
        device: name,
        gpu: Gpu::from_device(device),
        fixtures: fixtures.place(),
        passed: rows.iter().all(|row| row.passed),
        rows,
        skipped,
    })
}

/// The dtypes in which a fixture is computed.
fn types(fixture: &Fixture) -> &'static [Precision] {
    match fixture.expected {
        Expected::Family { .. } => &[Precision::F32, Precision::BF16, Precision::F16],
        Expected::Logits { blocks: true, .. } => &[Precision::F32, Precision::Quantized],
        Expected::Logits { blocks: false, .. } => &[Precision::F32],
    }
}

fn compare(
    fixture: &Fixture,
    precision: Precision,
    own: Option<Distance>,
    device: &Device,
    plain: bool,
) -> Result<Vec<Check>, Problem> {
    let load = |precision| -> Result<Decoder, Problem> {
        let (spec, weights) = ModelFiles::from_path(&fixture.model)?.open()?;
        Ok(match plain {
            true => Decoder::load_portable(spec, weights, device, precision)?,
            false => Decoder::load(spec, weights, device, precision)?,
        })
    };
    let decoder = load(precision)?;
    match (&fixture.expected, own) {
        (Expected::Family { file, .. }, None) => in_f32(&decoder, &Tensors::read(file)?),
        (Expected::Family { file, .. }, Some(own)) => {
            let exact = match decoder.spec().experts {
                Some(_) => Some(load(Precision::F32)?),
                None => None,
            };
            in_16_bits(&decoder, exact.as_ref(), &Tensors::read(file)?, own)
        }
        (Expected::Logits { ids, logits, name, .. }, _) => {
            let sequence = Pass::sequence(&Tensors::read(ids)?.ids("input_ids")?, 0);
            let found = run(&decoder, &sequence)?.logits;
            let differences = Differences::new(&found, &Tensors::read(logits)?.values(name)?)?;
            Ok(match precision {
                Precision::Quantized => {
                    vec![differences.mean(Compared::Logits, BLOCKS.0), differences.largest(Compared::Logits, BLOCKS.1)]
                }
                _ => vec![differences.largest(Compared::Logits, LOGITS)],
            })
        }
    }
}

/// Result of a forward pass.
struct Forward {
    hidden: Vec<f32>,
    logits: Vec<f32>,
    experts: Choices,
}

fn run(decoder: &Decoder, pass: &Pass) -> Result<Forward, Problem> {
    let output = decoder.forward(&mut decoder.cache(), &Pass { experts: true, ..pass.clone() })?;
    let hidden = output.hidden.to_dtype(DType::F32)?.flatten_all()?.to_vec1()?;
    Ok(Forward { hidden, logits: decoder.logits(&output.hidden)?.flatten_all()?.to_vec1()?, experts: output.experts })
}

/// The sequence of a family, and its batch as branches of one pass.
fn passes(expected: &Tensors) -> Result<[Pass; 2], Problem> {
    let batch = ["ids_b0", "ids_b1", "ids_b2"].map(|name| expected.ids(name));
    let batch = batch.into_iter().collect::<Result<Vec<_>, _>>()?;
    Ok([Pass::sequence(&expected.ids("input_ids")?, 0), side_by_side(&batch)])
}

/// Reference logits of both passes.
fn logits(expected: &Tensors) -> Result<Vec<f32>, Problem> {
    let names = ["logits", "logits_b0", "logits_b1", "logits_b2"];
    Ok(names.map(|name| expected.values(name)).into_iter().collect::<Result<Vec<_>, _>>()?.concat())
}

/// Compares a family in f32.
fn in_f32(decoder: &Decoder, expected: &Tensors) -> Result<Vec<Check>, Problem> {
    let [sequence, batch] = &passes(expected)?;
    let (sequence, batch) = (run(decoder, sequence)?, run(decoder, batch)?);
    let found = [sequence.logits, batch.logits].concat();
    let mut checks = vec![Differences::new(&found, &logits(expected)?)?.largest(Compared::Logits, LOGITS)];
    // Not every fixture has hidden states.
    if let Ok(hidden) = expected.values("hidden_last") {
        checks.push(Differences::new(&sequence.hidden, &hidden)?.largest(Compared::Hidden, LOGITS));
    }
    let (found, exact) = captured(decoder, expected, |_| true)?;
    checks.push(Differences::new(&found, &exact)?.largest(Compared::Capture, ATTENTION));
    let reply = Reply::compute(decoder, expected)?;
    let reply = Differences::new(&reply.log_probs, &expected.values("greedy_logprobs")?)?;
    checks.push(reply.largest(Compared::Reply, LOGITS));
    checks.push(Check::new(Compared::ReplyTokens, Figure::Count, other_tokens(decoder, expected)?, 0.0));
    Ok(checks)
}

/// Compares a family in 16 bits, where `own` is the error of transformers' own arithmetic. For a mixture, whose f32
/// decoder is `exact`, only positions unaffected by differing expert choices are compared.
fn in_16_bits(
    decoder: &Decoder,
    exact: Option<&Decoder>,
    expected: &Tensors,
    own: Distance,
) -> Result<Vec<Check>, Problem> {
    let (mut found, mut routings) = (Vec::new(), Vec::new());
    for pass in &passes(expected)? {
        let forward = run(decoder, pass)?;
        let lengths: Vec<usize> = pass.branches.iter().map(|branch| branch.tokens.len()).collect();
        let exact = exact.map(|exact| run(exact, pass)).transpose()?;
        let choices = exact.as_ref().map_or(&forward.experts, |exact| &exact.experts);
        routings.push(Routing::new(&forward.experts, choices, &lengths));
        found.extend(forward.logits);
    }
    let of_sequence = &routings[0].unreached;
    let routing = Routing {
        unreached: routings.iter().flat_map(|routing| &routing.unreached).copied().collect(),
        rerouted: routings.iter().map(|routing| routing.rerouted).sum(),
    };
    let vocabulary = decoder.spec().vocab_size;
    let log_probs = |logits: &[f32]| Ok::<_, Problem>(routing.kept(&normalised(logits, vocabulary)?));
    let differences = Differences::new(&log_probs(&found)?, &log_probs(&logits(expected)?)?)?;
    let mut checks = vec![
        differences.mean(Compared::Logits, FACTOR * own.mean),
        differences.p99(Compared::Logits, FACTOR * own.p99),
    ];
    // There are no such data for attention and for so few tokens, so they get the same bound.
    let (found, attention) = captured(decoder, expected, |position| of_sequence[position])?;
    if !found.is_empty() {
        checks.push(Differences::new(&found, &attention)?.largest(Compared::Capture, FACTOR * own.p99));
    }
    let reply = Reply::compute(decoder, expected)?;
    let exact_reply = exact.map(|exact| Reply::compute(exact, expected)).transpose()?;
    let unreached = reply.unreached(exact_reply.as_ref().unwrap_or(&reply));
    let found = unreached.kept(&reply.log_probs);
    if !found.is_empty() {
        let log_probs = unreached.kept(&expected.values("greedy_logprobs")?);
        checks.push(Differences::new(&found, &log_probs)?.mean(Compared::Reply, FACTOR * own.p99));
    }
    if exact.is_some() {
        let positions = routing.unreached.len() as f64;
        let most = (REROUTED.0 * own.rerouted * positions + REROUTED.1).round();
        checks.push(Check::new(Compared::Experts, Figure::Count, routing.rerouted as f64, most));
    }
    Ok(checks)
}

/// Sequences as branches of one pass.
fn side_by_side(sequences: &[Vec<u32>]) -> Pass {
    let mut pass = Pass::default();
    for sequence in sequences {
        let start = pass.tokens.len();
        pass.tokens.extend(sequence);
        pass.branches.push(Branch { tokens: start..pass.tokens.len(), prefix: RowRanges::default() });
    }
    pass.rows = (0..pass.tokens.len()).collect();
    pass
}

/// Attention rows of some queries, captured in one pass, and the expected rows.
fn captured(
    decoder: &Decoder,
    expected: &Tensors,
    wanted: impl Fn(usize) -> bool,
) -> Result<(Vec<f32>, Vec<f32>), Problem> {
    let ids = expected.ids("input_ids")?;
    let (dims, attentions) = (expected.dims("attentions")?, expected.values("attentions")?);
    let &[layers, heads, length, _] = &dims[..] else {
        return Err(Problem::Size(format!("attentions {dims:?}")));
    };
    if length != ids.len() {
        return Err(Problem::Size(format!("attentions {dims:?} of {} tokens", ids.len())));
    }
    let mut pass = Pass::sequence(&ids, 0);
    pass.capture = Some(Capture { queries: (0..length).collect(), ..Capture::default() });
    let output = decoder.forward(&mut decoder.cache(), &pass)?;
    let queries = output.attention.iter().flat_map(|attention| &attention.queries);
    let (mut found, mut exact) = (Vec::new(), Vec::new());
    for query in queries.filter(|query| wanted(query.token)) {
        for (layer, head) in (0..layers).flat_map(|layer| (0..heads).map(move |head| (layer, head))) {
            let row = ((layer * heads + head) * length + query.token) * length;
            found.extend(query.row(layer, head, heads));
            exact.extend(&attentions[row..row + query.keys]);
        }
    }
    let keys: usize = (0..length).filter(|&query| wanted(query)).map(|query| query + 1).sum();
    let rows = layers * heads * keys;
    if found.len() != rows {
        return Err(Problem::Size(format!("{} captured weights of {rows}", found.len())));
    }
    Ok((found, exact))
}

/// The greedy reply, with each token computed over the KV cache of the previous ones.
struct Reply {
    /// Log-probabilities of its tokens.
    log_probs: Vec<f32>,
    /// Experts for the prompt and the tokens run through the model.
    experts: Choices,
    /// Number of these positions.
    forwarded: usize,
}

impl Reply {
    fn compute(decoder: &Decoder, expected: &Tensors) -> Result<Reply, Problem> {
        let (mut input, reply) = (expected.ids("greedy_prompt")?, expected.ids("greedy_ids")?);
        let mut cache = decoder.cache();
        let mut log_probs = Vec::with_capacity(reply.len());
        let mut experts: Choices = vec![Vec::new(); decoder.spec().layers];
        for &id in &reply {
            let pass = Pass { experts: true, ..Pass::sequence(&input, cache.rows()) };
            let output = decoder.forward(&mut cache, &pass)?;
            log_probs.extend(decoder.log_probs(&output.hidden, &[(input.len() - 1, id)])?);
            experts.iter_mut().zip(output.experts).for_each(|(all, of_pass)| all.extend(of_pass));
            input = vec![id];
        }
        Ok(Reply { log_probs, experts, forwarded: cache.rows() })
    }

    /// Its tokens that are unaffected by expert choices that differ from `exact`.
    fn unreached(&self, exact: &Reply) -> Routing {
        let mut routing = Routing::new(&self.experts, &exact.experts, &[self.forwarded]);
        routing.unreached.drain(..self.forwarded - self.log_probs.len());
        routing
    }
}

/// Number of tokens of the greedy reply that differ.
fn other_tokens(decoder: &Decoder, expected: &Tensors) -> Result<f64, Problem> {
    let (prompt, wanted) = (expected.ids("greedy_prompt")?, expected.ids("greedy_ids")?);
    let request = GenerateRequest { prompt: prompt.into(), key: String::new(), sample: 0, max_tokens: wanted.len() };
    let greedy = Sampling::greedy(Vec::new());
    let replies = generate_all(decoder, None, &[request], &greedy, Limits::default())?;
    let tokens = replies.first().map(|reply| &reply.tokens[..]).unwrap_or_default();
    let missing = wanted.len().saturating_sub(tokens.len());
    Ok((missing + tokens.iter().zip(&wanted).filter(|(found, wanted)| found != wanted).count()) as f64)
}

/// Log-probabilities from logits, normalised in f64.
fn normalised(logits: &[f32], vocabulary: usize) -> Result<Vec<f32>, Problem> {
    let shape = (logits.len() / vocabulary.max(1), vocabulary);
    let logits = candle_core::Tensor::from_slice(logits, shape, &Device::Cpu)?.to_dtype(DType::F64)?;
    let normaliser = logits.log_sum_exp(D::Minus1)?.unsqueeze(1)?;
    Ok(logits.broadcast_sub(&normaliser)?.to_dtype(DType::F32)?.flatten_all()?.to_vec1()?)
}

/// Absolute differences, ascending; NaN last.
struct Differences(Vec<f64>);

impl Differences {
    fn new(found: &[f32], expected: &[f32]) -> Result<Differences, Problem> {
        if found.len() != expected.len() || found.is_empty() {
            return Err(Problem::Size(format!("{} numbers instead of {}", expected.len(), found.len())));
        }
        let pairs = found.iter().zip(expected);
        let mut all: Vec<f64> =
            pairs.map(|(found, expected)| f64::from((found - expected).abs())).map(without_sign).collect();
        all.sort_by(f64::total_cmp);
        Ok(Differences(all))
    }

    fn largest(&self, part: Compared, bound: f64) -> Check {
        Check::new(part, Figure::Largest, self.0.last().copied().unwrap_or(f64::NAN), bound)
    }

    fn mean(&self, part: Compared, bound: f64) -> Check {
        Check::new(part, Figure::Mean, self.0.iter().sum::<f64>() / self.0.len() as f64, bound)
    }

    fn p99(&self, part: Compared, bound: f64) -> Check {
        let at = (0.99 * (self.0.len() - 1) as f64) as usize;
        Check::new(part, Figure::P99, self.0.get(at).copied().unwrap_or(f64::NAN), bound)
    }
}

/// A NaN with a sign would be sorted first.
fn without_sign(value: f64) -> f64 {
    if value.is_nan() { f64::NAN.copysign(1.0) } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_of_all_differences_and_no_number_passes_nothing() {
        let exact = [0.0f32; 101];
        let found: Vec<f32> = (0..101).map(|at| at as f32 / 100.0).rev().collect();
        let differences = Differences::new(&found, &exact).unwrap();
        let found = |check: Check| (check.difference.unwrap(), check.passed);
        assert_eq!(found(differences.largest(Compared::Logits, 1.0)), (1.0, true));
        let (p99, passed) = found(differences.p99(Compared::Logits, 0.9));
        assert!((p99 - 0.99).abs() < 1e-6 && !passed);
        assert!((found(differences.mean(Compared::Logits, 1.0)).0 - 0.5).abs() < 1e-6);

        for value in [f32::NAN, -f32::NAN, f32::INFINITY] {
            let differences = Differences::new(&[0.0, value], &[0.0, 0.0]).unwrap();
            for check in [differences.largest(Compared::Logits, 1.0), differences.mean(Compared::Logits, 1.0)] {
                assert!(!check.passed && check.difference.is_none() && check.share().is_infinite(), "{value}");
            }
        }
        assert!(Differences::new(&[0.0], &[0.0, 0.0]).is_err());
        assert!(Differences::new(&[], &[]).is_err());
    }
}
