//! 16-bit arithmetic against f32: no further off than 1.2 times what transformers' own 16-bit arithmetic is.

use candle_core::{D, DType, Device, Tensor};
use serde_json::Value;
use tomeval::internal::fallbacks;
use tomeval::{Decoder, ModelFiles, Pass, Precision};

use crate::support::files::read_json;
use crate::support::fixture;

/// How much further from f32 than transformers the arithmetic may be.
const FACTOR: f64 = 1.2;

/// How many more positions of a mixture than with transformers may go to other experts than in f32: so many times as many, and so
/// many besides, since there are few.
const REROUTED: (f64, f64) = (1.5, 3.0);

/// What a sequence gives.
struct Found {
    /// Log-probabilities of the whole vocabulary at every position.
    log_probs: Vec<Vec<f64>>,
    /// Of every layer, the experts of every position.
    experts: Vec<Vec<Vec<usize>>>,
}

/// The sequences of a fixture.
fn sequences(decoder: &Decoder, family: &str) -> Vec<Found> {
    let stored = candle_core::safetensors::load(fixture(family).join("expected.safetensors"), &Device::Cpu).unwrap();
    let of_sequence = |name: &str| {
        let ids: Vec<i64> = stored[name].flatten_all().unwrap().to_vec1().unwrap();
        let ids: Vec<u32> = ids.into_iter().map(|id| id as u32).collect();
        let pass = Pass { experts: true, ..Pass::sequence(&ids, 0) };
        let output = decoder.forward(&mut decoder.cache(), &pass).unwrap();
        let logits: Tensor = decoder.logits(&output.hidden).unwrap().to_dtype(DType::F64).unwrap();
        let normaliser = logits.log_sum_exp(D::Minus1).unwrap().unsqueeze(1).unwrap();
        let log_probs = logits.broadcast_sub(&normaliser).unwrap().to_vec2().unwrap();
        Found { log_probs, experts: output.experts }
    };
    ["input_ids", "ids_b0", "ids_b1", "ids_b2"].map(of_sequence).into()
}

/// Whether a position's experts differ, layer by layer: `[position][layer]`.
fn other_experts(found: &Found, exact: &Found) -> Vec<Vec<bool>> {
    let differs = |layer: usize, position| found.experts[layer][position] != exact.experts[layer][position];
    let layers = exact.experts.len();
    (0..exact.log_probs.len()).map(|position| (0..layers).map(|layer| differs(layer, position)).collect()).collect()
}

/// Positions of sequences in another arithmetic, as `make_precisions.py` has them.
#[derive(Default)]
struct Compared {
    /// Log-probabilities where no other choice of experts reaches them, and the exact ones.
    found: Vec<f64>,
    exact: Vec<f64>,
    /// All positions, those that another choice reaches, and those that go to other experts themselves.
    positions: usize,
    others: usize,
    rerouted: usize,
}

impl Compared {
    fn of(found: &[Found], exact: &[Found]) -> Compared {
        let mut compared = Compared::default();
        for (found, exact) in found.iter().zip(exact) {
            // A choice reaches the position itself, and through attention of later layers those behind it.
            let mut reached = false;
            for (position, others) in other_experts(found, exact).into_iter().enumerate() {
                let rerouted = others.contains(&true);
                compared.positions += 1;
                compared.rerouted += usize::from(rerouted);
                if reached || rerouted {
                    compared.others += 1;
                } else {
                    compared.found.extend(&found.log_probs[position]);
                    compared.exact.extend(&exact.log_probs[position]);
                }
                reached |= others[..others.len() - 1].contains(&true);
            }
        }
        compared
    }
}

/// All log-probabilities, one after the other.
fn log_probs(decoder: &Decoder, family: &str) -> Vec<f64> {
    sequences(decoder, family).into_iter().flat_map(|found| found.log_probs).flatten().collect()
}

/// Mean and 99th percentile of the absolute differences.
fn differences(found: &[f64], exact: &[f64]) -> (f64, f64) {
    assert_eq!(found.len(), exact.len());
    let mut differences: Vec<f64> = found.iter().zip(exact).map(|(found, exact)| (found - exact).abs()).collect();
    assert!(differences.iter().all(|difference| difference.is_finite()));
    differences.sort_by(f64::total_cmp);
    let mean = differences.iter().sum::<f64>() / differences.len() as f64;
    (mean, differences[(0.99 * (differences.len() - 1) as f64) as usize])
}

type Load = fn(tomeval::internal::DecoderSpec, tomeval::internal::Weights, &Device, Precision) -> LoadResult;
type LoadResult = Result<Decoder, tomeval::internal::DecoderError>;

#[test]
fn bf16_and_f16_are_as_close_to_f32_as_those_of_transformers() {
    let reference = read_json(&fixture("precisions.json"));
    let families = reference["families"].as_object().unwrap();
    let mixtures = families.values().filter(|measured| measured["bf16"]["eager"].get("rerouted").is_some());
    assert_eq!((families.len(), mixtures.count()), (23, 5));
    let mut missed = Vec::new();
    for (family, measured) in families {
        let load = |load: Load, precision| {
            let (spec, weights) = ModelFiles::from_path(&fixture(family)).unwrap().open().unwrap();
            load(spec, weights, &Device::Cpu, precision).unwrap()
        };
        let exact = sequences(&load(Decoder::load, Precision::F32), family);
        for precision in [Precision::BF16, Precision::F16] {
            // Its default attention where the family has one beside the plain one.
            let of_dtype = measured[precision.name()].as_object().unwrap();
            let own = of_dtype.get("sdpa").unwrap_or(&of_dtype["eager"]);
            for (form, loader) in [("plain", Decoder::load_portable as Load), ("fused", Decoder::load as Load)] {
                let compared = Compared::of(&sequences(&load(loader, precision), family), &exact);
                let (line, within) = judge(&compared, own);
                let line = format!("{family} {} {form}: {line}", precision.name());
                println!("{line}");
                if !within {
                    missed.push(line);
                }
                // The fused operations round weights alone, and those of a bf16 checkpoint are rounded already.
                assert!(form == "fused" || compared.found != compared.exact, "{family}: nothing was rounded");
            }
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

/// What was found beside transformers' `own` figures, and whether it is within the bounds.
fn judge(compared: &Compared, own: &Value) -> (String, bool) {
    let [own_mean, own_p99] = ["mean", "p99"].map(|figure| own[figure].as_f64().unwrap());
    let (mean, p99) = differences(&compared.found, &compared.exact);
    let shares = [mean / own_mean, p99 / own_p99];
    let line = format!("mean {mean:.5}, {:.2} of transformers'; 99th percentile {p99:.5}, {:.2}", shares[0], shares[1]);
    let close = shares.iter().all(|share| *share <= FACTOR);
    let &Compared { positions, others, rerouted, .. } = compared;
    if own.get("rerouted").is_none() {
        return (line, close && others == 0);
    }
    let of_positions = |figure: &str| (own[figure].as_f64().unwrap() * positions as f64).round();
    let (own_rerouted, own_others) = (of_positions("rerouted"), of_positions("others"));
    let line = format!(
        "{line}; of {positions} positions {rerouted} go to other experts, with transformers {own_rerouted}, and {others} are not \
         compared, {own_others}"
    );
    // Of less than half of the positions nothing would be said.
    let few = 2 * others > positions;
    (line, close && rerouted as f64 <= REROUTED.0 * own_rerouted + REROUTED.1 && !few)
}

#[test]
fn other_experts_reach_their_position_and_those_behind_it() {
    let with = |layer: usize, position: usize| {
        let exact = Found {
            log_probs: (0..4).map(|position| vec![f64::from(position)]).collect(),
            experts: vec![vec![vec![0, 1]; 4]; 2],
        };
        let mut experts = exact.experts.clone();
        experts[layer][position] = vec![0, 2];
        let found = Found { log_probs: exact.log_probs.clone(), experts };
        let compared = Compared::of(&[found], &[exact]);
        assert_eq!((compared.positions, compared.rerouted, compared.found.len()), (4, 1, 4 - compared.others));
        compared.exact
    };
    assert_eq!(with(0, 1), [0.0]);
    assert_eq!(with(1, 1), [0.0, 2.0, 3.0]);
}

/// Blocks made at load against those that a quantised file holds: the same values of the same matrices.
#[test]
fn weights_quantised_at_load_are_those_of_their_blocks() {
    let cases = [("llama", Precision::Q8_0), ("llama", Precision::Q4_0), ("baichuan2_7b", Precision::Q8_0)];
    for (family, precision) in cases {
        let (spec, weights) = ModelFiles::from_path(&fixture(family)).unwrap().open().unwrap();
        let exact = log_probs(&Decoder::load(spec, weights, &Device::Cpu, Precision::F32).unwrap(), family);
        for loader in [Decoder::load_portable as Load, Decoder::load as Load] {
            let (spec, weights) = ModelFiles::from_path(&fixture(family)).unwrap().open().unwrap();
            let bytes = Decoder::weight_bytes(&spec, &weights, &Device::Cpu, precision).unwrap();
            let whole = Decoder::weight_bytes(&spec, &weights, &Device::Cpu, Precision::F32).unwrap();
            let rounded = loader(spec, weights, &Device::Cpu, precision).unwrap();
            let (mean, p99) = differences(&log_probs(&rounded, family), &exact);
            println!("{family} {precision}: mean {mean:.4}, 99 % {p99:.4}, {bytes} of {whole} bytes");
            assert!(mean > 1e-4, "nothing was rounded");
            let most = if precision == Precision::Q8_0 { 0.1 } else { 1.5 };
            assert!(mean < most, "{family} {precision}: {mean}");
            assert!(2 * bytes < whole, "{family} {precision}: {bytes} of {whole} bytes");
        }
    }
}

#[test]
fn rows_that_blocks_do_not_divide_are_told() {
    let (spec, _) = ModelFiles::from_path(&fixture("llama")).unwrap().open().unwrap();
    let found = fallbacks(&spec, Precision::Q4K);
    assert!(!found.is_empty() && found.iter().all(|fallback| fallback.block == 256), "{found:?}");
    assert!(fallbacks(&spec, Precision::F32).is_empty());
}
