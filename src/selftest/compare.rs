//! The comparisons: one fixture in one arithmetic and type after the other.

use candle_core::{D, DType, Device};

use super::fixtures::{Expected, Fixture};
use super::references::{Distance, Precisions, Tensors};
use super::{Check, Figure, Fixtures, FixturesError, Part, Row, SelfTest, Skipped, VERSION};
use crate::decoder::{Branch, Capture, Decoder, DecoderError, Gpu, Pass, Precision, RowRanges};
use crate::engine::{GenerateError, GenerateRequest, Limits, Sampling, generate_all};
use crate::model::{ModelError, ModelFiles};

/// Largest difference of logits, hidden states and log-probabilities in f32 (`tests/fixtures/README.md`).
const LOGITS: f64 = 1e-4;
/// Largest difference of attention probabilities in f32.
const ATTENTION: f64 = 1e-5;
/// How much further from f32 than transformers 16-bit arithmetic may be.
const FACTOR: f64 = 1.2;
/// Mean and largest difference of logits where blocks are multiplied with rounded activations.
const BLOCKS: (f64, f64) = (0.06, 0.4);

/// Why nothing could be compared.
#[derive(Debug, thiserror::Error)]
enum Problem {
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error(transparent)]
    Decoder(#[from] DecoderError),
    #[error(transparent)]
    Generate(#[from] GenerateError),
    #[error("what is expected: {0}")]
    Expected(#[from] candle_core::Error),
    #[error("what is expected has another size: {0}")]
    Size(String),
}

/// Compare all fixtures on a device, called `name`; `starting` is told how many rows there are, and each as it begins.
pub fn selftest(
    fixtures: &Fixtures,
    name: String,
    device: &Device,
    mut starting: impl FnMut(usize, usize, &str),
) -> Result<SelfTest, FixturesError> {
    let (list, mut skipped) = fixtures.list()?;
    let precisions = Precisions::of(fixtures)?;
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
                                format!("{precision}: precisions.json has no distance of transformers' own from f32");
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
        rows.push(Row {
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
        gpu: Gpu::of(device),
        fixtures: fixtures.place(),
        passed: rows.iter().all(|row| row.passed),
        rows,
        skipped,
    })
}

/// The types that a fixture is computed in.
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
    let (spec, weights) = ModelFiles::from_path(&fixture.model)?.open()?;
    let decoder = match plain {
        true => Decoder::load_portable(spec, weights, device, precision)?,
        false => Decoder::load(spec, weights, device, precision)?,
    };
    match &fixture.expected {
        Expected::Family { file, .. } => of_family(&decoder, &Tensors::read(file)?, own),
        Expected::Logits { ids, logits, name, .. } => {
            let found = run(&decoder, &Tensors::read(ids)?.ids("input_ids")?)?.logits;
            let differences = Differences::of(&found, &Tensors::read(logits)?.values(name)?)?;
            Ok(match precision {
                Precision::Quantized => {
                    vec![differences.mean(Part::Logits, BLOCKS.0), differences.largest(Part::Logits, BLOCKS.1)]
                }
                _ => vec![differences.largest(Part::Logits, LOGITS)],
            })
        }
    }
}

/// A forward of one sequence.
struct Forward {
    hidden: Vec<f32>,
    logits: Vec<f32>,
}

fn run(decoder: &Decoder, ids: &[u32]) -> Result<Forward, Problem> {
    let output = decoder.forward(&mut decoder.cache(), &Pass::sequence(ids, 0))?;
    let hidden = output.hidden.to_dtype(DType::F32)?.flatten_all()?.to_vec1()?;
    Ok(Forward { hidden, logits: decoder.logits(&output.hidden)?.flatten_all()?.to_vec1()? })
}

/// A family in f32, or in 16 bits, where `own` is what transformers' own arithmetic loses.
fn of_family(decoder: &Decoder, expected: &Tensors, own: Option<Distance>) -> Result<Vec<Check>, Problem> {
    let sequence = run(decoder, &expected.ids("input_ids")?)?;
    let batch = ["ids_b0", "ids_b1", "ids_b2"].map(|name| expected.ids(name));
    let batch = batch.into_iter().collect::<Result<Vec<_>, _>>()?;
    let found = [sequence.logits, together(decoder, &batch)?].concat();
    let names = ["logits", "logits_b0", "logits_b1", "logits_b2"];
    let logits = names.map(|name| expected.values(name)).into_iter().collect::<Result<Vec<_>, _>>()?.concat();
    let capture = captured(decoder, expected)?;
    let reply = forced_reply(decoder, expected)?;
    let Some(own) = own else {
        let mut checks = vec![Differences::of(&found, &logits)?.largest(Part::Logits, LOGITS)];
        // Not every fixture has them.
        if let Ok(hidden) = expected.values("hidden_last") {
            checks.push(Differences::of(&sequence.hidden, &hidden)?.largest(Part::Hidden, LOGITS));
        }
        checks.push(capture.largest(Part::Capture, ATTENTION));
        checks.push(reply.largest(Part::Reply, LOGITS));
        checks.push(Check::new(Part::ReplyTokens, Figure::Count, other_tokens(decoder, expected)?, 0.0));
        return Ok(checks);
    };
    let vocabulary = decoder.spec().vocab_size;
    let differences = Differences::of(&normalised(&found, vocabulary)?, &normalised(&logits, vocabulary)?)?;
    // Of attention and of so few tokens there is no such data: they are held to the same distance.
    Ok(vec![
        differences.mean(Part::Logits, FACTOR * own.mean),
        differences.p99(Part::Logits, FACTOR * own.p99),
        capture.largest(Part::Capture, FACTOR * own.p99),
        reply.mean(Part::Reply, FACTOR * own.p99),
    ])
}

/// Logits of several sequences as branches of one pass.
fn together(decoder: &Decoder, sequences: &[Vec<u32>]) -> Result<Vec<f32>, Problem> {
    let mut pass = Pass::default();
    for sequence in sequences {
        let start = pass.tokens.len();
        pass.tokens.extend(sequence);
        pass.branches.push(Branch { tokens: start..pass.tokens.len(), prefix: RowRanges::default() });
    }
    pass.rows = (0..pass.tokens.len()).collect();
    let output = decoder.forward(&mut decoder.cache(), &pass)?;
    Ok(decoder.logits(&output.hidden)?.flatten_all()?.to_vec1()?)
}

/// Attention rows of every query, captured in one pass.
fn captured(decoder: &Decoder, expected: &Tensors) -> Result<Differences, Problem> {
    let ids = expected.ids("input_ids")?;
    let (dims, wanted) = (expected.dims("attentions")?, expected.values("attentions")?);
    let &[layers, heads, length, _] = &dims[..] else {
        return Err(Problem::Size(format!("attentions {dims:?}")));
    };
    if length != ids.len() {
        return Err(Problem::Size(format!("attentions {dims:?} of {} tokens", ids.len())));
    }
    let mut pass = Pass::sequence(&ids, 0);
    pass.capture = Some(Capture { queries: (0..length).collect(), ..Capture::default() });
    let output = decoder.forward(&mut decoder.cache(), &pass)?;
    let (mut found, mut exact) = (Vec::new(), Vec::new());
    for query in output.attention.iter().flat_map(|attention| &attention.queries) {
        for (layer, head) in (0..layers).flat_map(|layer| (0..heads).map(move |head| (layer, head))) {
            let row = ((layer * heads + head) * length + query.token) * length;
            found.extend(query.row(layer, head, heads));
            exact.extend(&wanted[row..row + query.keys]);
        }
    }
    let rows = layers * heads * length * (length + 1) / 2;
    if found.len() != rows {
        return Err(Problem::Size(format!("{} captured weights of {rows}", found.len())));
    }
    Differences::of(&found, &exact)
}

/// Log-probabilities of the reply's tokens, each computed over the cache of those before.
fn forced_reply(decoder: &Decoder, expected: &Tensors) -> Result<Differences, Problem> {
    let (mut input, reply) = (expected.ids("greedy_prompt")?, expected.ids("greedy_ids")?);
    let mut cache = decoder.cache();
    let mut found = Vec::with_capacity(reply.len());
    for &id in &reply {
        let pass = Pass { rows: vec![input.len() - 1], ..Pass::sequence(&input, cache.rows()) };
        let output = decoder.forward(&mut cache, &pass)?;
        found.extend(decoder.log_probs(&output.hidden, &[(0, id)])?);
        input = vec![id];
    }
    Differences::of(&found, &expected.values("greedy_logprobs")?)
}

/// How many tokens of the greedy reply are others.
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

/// Absolute differences, ascending; what is no number comes last.
struct Differences(Vec<f64>);

impl Differences {
    fn of(found: &[f32], expected: &[f32]) -> Result<Differences, Problem> {
        if found.len() != expected.len() || found.is_empty() {
            return Err(Problem::Size(format!("{} numbers instead of {}", expected.len(), found.len())));
        }
        let pairs = found.iter().zip(expected);
        let mut all: Vec<f64> =
            pairs.map(|(found, expected)| f64::from((found - expected).abs())).map(without_sign).collect();
        all.sort_by(f64::total_cmp);
        Ok(Differences(all))
    }

    fn largest(&self, part: Part, bound: f64) -> Check {
        Check::new(part, Figure::Largest, self.0.last().copied().unwrap_or(f64::NAN), bound)
    }

    fn mean(&self, part: Part, bound: f64) -> Check {
        Check::new(part, Figure::Mean, self.0.iter().sum::<f64>() / self.0.len() as f64, bound)
    }

    fn p99(&self, part: Part, bound: f64) -> Check {
        let at = (0.99 * (self.0.len() - 1) as f64) as usize;
        Check::new(part, Figure::P99, self.0.get(at).copied().unwrap_or(f64::NAN), bound)
    }
}

/// Of values that are no numbers one with a sign would be sorted first.
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
        let differences = Differences::of(&found, &exact).unwrap();
        let found = |check: Check| (check.difference.unwrap(), check.passed);
        assert_eq!(found(differences.largest(Part::Logits, 1.0)), (1.0, true));
        let (p99, passed) = found(differences.p99(Part::Logits, 0.9));
        assert!((p99 - 0.99).abs() < 1e-6 && !passed);
        assert!((found(differences.mean(Part::Logits, 1.0)).0 - 0.5).abs() < 1e-6);

        for value in [f32::NAN, -f32::NAN, f32::INFINITY] {
            let differences = Differences::of(&[0.0, value], &[0.0, 0.0]).unwrap();
            for check in [differences.largest(Part::Logits, 1.0), differences.mean(Part::Logits, 1.0)] {
                assert!(!check.passed && check.difference.is_none() && check.share().is_infinite(), "{value}");
            }
        }
        assert!(Differences::of(&[0.0], &[0.0, 0.0]).is_err());
        assert!(Differences::of(&[], &[]).is_err());
    }
}
