//! Measures all cases and both ceilings in turns.

use std::time::Instant;

use candle_core::DType;
use serde::{Deserialize, Serialize};

use super::case::Work;
use super::ceiling::Ceiling;
use super::data_sheet;
use super::energy::EnergyMeter;
use super::{BenchError, Bound, Case, Measure, Prompts, Roofline, Scored, Settings, Skipped, Summary};
use crate::decoder::{Decoder, DecoderSpec, DeviceMemory, Gpu, OperationTime, Precision, profiled};
use crate::machine;

/// Results of [`measure`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// Rate of the fastest matrix product, in floating-point operations per second: a large one, or on a CPU one of the
    /// model's own.
    pub product: Summary,
    /// Rate of the fastest way through memory, in bytes per second: a large copy, counting both read and written bytes, or on
    /// a CPU reading as many bytes as the weights have.
    pub copy: Summary,
    /// Peak resident memory after one turn of all cases, in bytes; absent if the system does not report it.
    pub peak_resident_bytes: Option<u64>,
    /// Device memory in use after that turn, by all programs; absent for devices without their own memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_bytes: Option<u64>,
    /// The cases, in order.
    pub measures: Vec<Measure>,
    /// Skipped cases.
    pub skipped: Vec<Skipped>,
    /// Floating-point operations per second that the device's data sheet gives for dense 16-bit matrix products; absent
    /// if the measured product has another dtype, or the device is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak: Option<f64>,
    /// Time spent per operation in each case (`--profile`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub profiles: Vec<Profile>,
}

/// Time spent per operation in one case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// The case's name.
    pub name: String,
    /// Seconds of the turn with synchronisation after each operation.
    pub seconds: f64,
    /// Its operations, longest first.
    pub operations: Vec<OperationTime>,
}

/// Tokens per prompt of the synthetic trie, limited to the longest prompt requested.
const TRIE_TOKENS: usize = 512;

impl Settings {
    /// Tokens per prompt of the synthetic trie.
    pub fn trie_tokens(&self) -> usize {
        self.prompt.iter().copied().max().unwrap_or(0).min(TRIE_TOKENS)
    }
}

/// The cases of these settings that fit into the model's context, and those that do not.
pub fn cases(settings: &Settings, spec: &DecoderSpec) -> (Vec<Case>, Vec<Skipped>) {
    let prefill = settings.prompt.iter().map(|&tokens| Case::Prefill { tokens });
    let decode = settings.batch.iter().map(|&batch| Case::Decode { batch, tokens: settings.generate });
    let score = [false, true].map(|sharing| match (settings.random, settings.trie) {
        // A shape has no tokenizer for questions.
        (Some(_), None) => Case::Trie { prompts: None, tokens: settings.trie_tokens(), sharing },
        // Scoring a whole run prompt by prompt takes far too long.
        (Some(_), Some(Prompts { prompts, tokens })) => Case::Trie { prompts: Some(prompts), tokens, sharing: true },
        (None, _) => Case::Score { sharing },
    });
    let mut fitting = Vec::new();
    let mut skipped = Vec::new();
    for case in prefill.chain(decode).chain(score) {
        match case.depth() {
            Some(0) => {}
            Some(depth) if depth > spec.max_position => skipped.push(Skipped {
                name: case.name(),
                reason: format!("{depth} tokens are beyond the model's context of {}", spec.max_position),
            }),
            _ if fitting.contains(&case) => {}
            _ => fitting.push(case),
        }
    }
    (fitting, skipped)
}

/// Measurements of one case over the turns that count.
struct Taken {
    case: Case,
    work: Work,
    seconds: Vec<f64>,
    joules: Option<f64>,
}

/// Measures the cases of `settings`. `scored` is the scoring workload, or the reason why there is none; `starting`
/// receives each turn, from 0 for the warm-up, and the case about to run.
pub fn measure(
    decoder: &Decoder,
    precision: Precision,
    settings: &Settings,
    scored: Result<&Scored<'_>, String>,
    mut starting: impl FnMut(usize, Case),
) -> Result<Measured, BenchError> {
    let (mut cases, mut skipped) = cases(settings, decoder.spec());
    if let Err(reason) = &scored {
        let (scoring, rest): (Vec<Case>, Vec<Case>) = cases.into_iter().partition(|case| case.scores());
        skipped.extend(scoring.into_iter().map(|case| Skipped { name: case.name(), reason: reason.clone() }));
        cases = rest;
    }
    let scored = scored.ok();
    let meter = EnergyMeter::find();

    let mut taken = Vec::with_capacity(cases.len());
    for &case in &cases {
        starting(0, case);
        let work = case.run(decoder, precision, scored)?;
        let joules = meter.as_ref().map(|_| 0.0);
        taken.push(Taken { case, work, seconds: Vec::new(), joules });
    }
    // The ceilings need memory of their own, which must not count for the model.
    let peak_resident_bytes = machine::peak_resident_bytes();
    let device_bytes = DeviceMemory::from_device(&decoder.device()).map(|memory| memory.used());
    let mut ceiling = Ceiling::new(decoder, product_dtype(decoder, precision))?;
    ceiling.product()?;
    ceiling.memory()?;

    let (mut products, mut copies) = (Vec::new(), Vec::new());
    for turn in 1..=settings.repeat {
        for taken in &mut taken {
            starting(turn, taken.case);
            let before = meter.as_ref().and_then(EnergyMeter::read);
            let started = Instant::now();
            taken.work = taken.case.run(decoder, precision, scored)?;
            taken.seconds.push(started.elapsed().as_secs_f64());
            let after = meter.as_ref().and_then(EnergyMeter::read);
            taken.joules = match (&meter, before, after, taken.joules) {
                (Some(meter), Some(before), Some(after), Some(sum)) => Some(sum + meter.joules(&before, &after)),
                _ => None,
            };
        }
        products.push(ceiling.product()?);
        copies.push(ceiling.memory()?);
    }
    let (product, copy) =
        Summary::from_values(&products).zip(Summary::from_values(&copies)).ok_or(BenchError::NoRepeats)?;
    let measures = taken.iter().filter_map(|taken| taken.measure(product.median, copy.median)).collect();
    let mut profiles = Vec::new();
    for &case in cases.iter().filter(|_| settings.profile) {
        starting(settings.repeat + 1, case);
        let started = Instant::now();
        let (ran, operations) = profiled(|| case.run(decoder, precision, scored));
        ran?;
        profiles.push(Profile { name: case.name(), seconds: started.elapsed().as_secs_f64(), operations });
    }
    let gpu = Gpu::from_device(&decoder.device()).filter(|_| product_dtype(decoder, precision) != DType::F32);
    let peak = gpu.and_then(|gpu| data_sheet::peak(&gpu.name));
    Ok(Measured { product, copy, peak_resident_bytes, device_bytes, measures, skipped, peak, profiles })
}

/// dtype of the decoder's products: that of the weights on devices, f32 on the CPU.
fn product_dtype(decoder: &Decoder, precision: Precision) -> DType {
    match precision {
        Precision::F16 if !decoder.device().is_cpu() => DType::F16,
        Precision::BF16 if !decoder.device().is_cpu() => DType::BF16,
        _ => DType::F32,
    }
}

impl Taken {
    fn measure(&self, product: f64, copy: f64) -> Option<Measure> {
        let Work { amount, flops, bytes } = self.work;
        let rates: Vec<f64> = self.seconds.iter().map(|seconds| amount as f64 / seconds).collect();
        let seconds = Summary::from_values(&self.seconds)?;
        Some(Measure {
            name: self.case.name(),
            case: self.case,
            unit: self.case.unit().to_string(),
            amount,
            rate: Summary::from_values(&rates)?,
            flops: flops / seconds.median,
            mfu: Some(flops / seconds.median / product),
            bytes: bytes.map(|bytes| bytes / seconds.median),
            roofline: Roofline::new(self.work, seconds.median, product, copy),
            watts: self.joules.map(|joules| joules / self.seconds.iter().sum::<f64>()),
            seconds,
        })
    }
}

impl Roofline {
    /// Position of work done in `seconds` under a compute and a memory ceiling, both per second.
    fn new(work: Work, seconds: f64, product: f64, copy: f64) -> Self {
        let compute = work.flops / product;
        let memory = work.bytes.map_or(0.0, |bytes| bytes / copy);
        let bound = if memory > compute { Bound::Memory } else { Bound::Compute };
        Roofline { bound, share: compute.max(memory) / seconds }
    }
}

/// Seconds after which loading is not repeated.
const LOADING_SECONDS: f64 = 30.0;

/// Loads weights `repeat` times after a first time that warms the file cache; fewer times if loading is slow.
pub fn time_loading<E>(repeat: usize, mut load: impl FnMut() -> Result<Decoder, E>) -> Result<(Decoder, Summary), E> {
    let begin = Instant::now();
    let mut decoder = load()?;
    let mut seconds = Vec::new();
    loop {
        // Two copies at once would count towards peak memory.
        drop(decoder);
        let started = Instant::now();
        decoder = load()?;
        seconds.push(started.elapsed().as_secs_f64());
        if let Some(summary) = Summary::from_values(&seconds)
            && (seconds.len() >= repeat || begin.elapsed().as_secs_f64() >= LOADING_SECONDS)
        {
            return Ok((decoder, summary));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearer_ceiling_bounds() {
        let work = |flops, bytes| Work { amount: 1, flops, bytes };
        let share = |work| {
            let roofline = Roofline::new(work, 4.0, 10.0, 5.0);
            (roofline.bound, roofline.share)
        };
        assert_eq!(share(work(20.0, Some(5.0))), (Bound::Compute, 0.5));
        assert_eq!(share(work(20.0, Some(15.0))), (Bound::Memory, 0.75));
        assert_eq!(share(work(20.0, None)), (Bound::Compute, 0.5));
    }
}
