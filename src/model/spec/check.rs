//! Checks that apply to configurations of every format.

use std::path::Path;

use crate::decoder::{DecoderSpec, Latent, Rotary, Scaling};
use crate::model::ModelError;

/// More layers than any model has. Lists of this length are built before the sizes can be checked against the weights.
pub(super) const MOST_LAYERS: usize = 10_000;

/// More experts than any layer has.
pub(super) const MOST_EXPERTS: usize = 4096;

/// Larger factors and bases would overflow to infinity.
const LARGEST: f64 = 1e12;

/// Range of a setting.
#[derive(Clone, Copy)]
enum Within {
    /// Above zero.
    Positive,
    /// One or more.
    FromOne,
    /// Above one.
    AboveOne,
    /// From zero to a tenth.
    Small,
}

impl Within {
    fn holds(self, number: f64) -> bool {
        match self {
            Within::Positive => (1e-10..=LARGEST).contains(&number),
            Within::FromOne => (1.0..=LARGEST).contains(&number),
            Within::AboveOne => number > 1.0 && number <= LARGEST,
            Within::Small => (0.0..=0.1).contains(&number),
        }
    }

    fn expected(self) -> &'static str {
        match self {
            Within::Positive => "expected a number above 0 and at most 1e12",
            Within::FromOne => "expected a number from 1 to 1e12",
            Within::AboveOne => "expected a number above 1 and at most 1e12",
            Within::Small => "expected a number from 0 to 0.1",
        }
    }
}

struct Checker<'a> {
    file: &'a Path,
}

/// Check that all numbers are in range and all sizes are consistent; `file` is named in the error.
pub(super) fn checked(spec: DecoderSpec, file: &Path) -> Result<DecoderSpec, ModelError> {
    let check = Checker { file };
    check.sizes(&spec)?;
    let number = |key: &str, number: f32, within: Within| check.number(key, f64::from(number), within);
    number("epsilon of the norms", spec.norm_eps, Within::Small)?;
    number("factor on the embedding", spec.embedding_scale, Within::Positive)?;
    number("factor on the residual", spec.residual_scale, Within::Positive)?;
    number("factor on attention scores", spec.score_scale, Within::Positive)?;
    number("factor on the logits", spec.logit_scale, Within::Positive)?;
    for (key, cap) in [("cap of attention scores", spec.score_cap), ("cap of the logits", spec.logit_cap)] {
        cap.map_or(Ok(()), |cap| number(key, cap, Within::Positive))?;
    }
    spec.rotaries.iter().try_for_each(|rotary| check.rotary(rotary, spec.head_dim))?;
    Ok(spec)
}

impl Checker<'_> {
    fn wrong(&self, key: &str, value: String, expected: impl Into<String>) -> Result<(), ModelError> {
        let (file, key, expected) = (self.file.to_path_buf(), key.to_string(), expected.into());
        Err(ModelError::Setting { file, key, value, expected })
    }

    fn number(&self, key: &str, number: f64, within: Within) -> Result<(), ModelError> {
        if within.holds(number) { Ok(()) } else { self.wrong(key, number.to_string(), within.expected()) }
    }

    fn numbers(&self, key: &str, numbers: impl IntoIterator<Item = f64>, within: Within) -> Result<(), ModelError> {
        numbers.into_iter().try_for_each(|number| self.number(key, number, within))
    }

    fn sizes(&self, spec: &DecoderSpec) -> Result<(), ModelError> {
        for (key, value) in [
            ("vocabulary size", spec.vocab_size),
            ("hidden size", spec.hidden),
            ("number of layers", spec.layers),
            ("number of heads", spec.heads),
            ("number of key-value heads", spec.kv_heads),
            ("head size", spec.head_dim),
            ("intermediate size", spec.intermediate),
            ("context length", spec.max_position),
        ] {
            if value == 0 {
                return self.wrong(key, "0".to_string(), "expected at least 1");
            }
        }
        for (key, value) in spec.experts.iter().flat_map(|experts| {
            let shared = experts.shared.map_or(1, |shared| shared.intermediate);
            [("intermediate size of the experts", experts.intermediate), ("size of the shared expert", shared)]
        }) {
            if value == 0 {
                return self.wrong(key, "0".to_string(), "expected at least 1");
            }
        }
        let latent = |latent: Latent| {
            [
                ("width of the latent of queries", latent.query_rank.unwrap_or(1)),
                ("width of the latent of keys and values", latent.rank),
                ("columns of a head's keys without rotation", latent.still),
                ("columns of a head's values", latent.value),
            ]
        };
        for (key, value) in spec.latent.into_iter().flat_map(latent) {
            if value == 0 {
                return self.wrong(key, "0".to_string(), "expected at least 1");
            }
        }
        if !spec.heads.is_multiple_of(spec.kv_heads) {
            let expected = format!("expected a multiple of {}", spec.kv_heads);
            return self.wrong("number of heads", spec.heads.to_string(), expected);
        }
        Ok(())
    }

    fn rotary(&self, rotary: &Rotary, head_dim: usize) -> Result<(), ModelError> {
        if rotary.width == 0 || rotary.width > head_dim || !rotary.width.is_multiple_of(2) {
            let expected = format!("expected an even number up to the head size {head_dim}");
            return self.wrong("rotary dimensions", rotary.width.to_string(), expected);
        }
        self.number("base of the rotary frequencies", rotary.theta, Within::AboveOne)?;
        let factor = |number: &f64| self.number("factor of the rope scaling", *number, Within::FromOne);
        let context = |number: &f64| self.number("original context of the rope scaling", *number, Within::FromOne);
        let attention = |number: &f64| self.number("attention factor of the rope scaling", *number, Within::Positive);
        match &rotary.scaling {
            Scaling::Unscaled => Ok(()),
            Scaling::Linear { factor: number } => factor(number),
            Scaling::Dynamic { original } | Scaling::Ntk { original } => context(&(*original as f64)),
            Scaling::Llama3 { factor: number, low, high, original } => {
                factor(number)?;
                context(original)?;
                self.ascending("low and high frequency factor of the rope scaling", *low, *high)
            }
            Scaling::Yarn { factor: number, beta_fast, beta_slow, original, attention: scale, truncate: _ } => {
                factor(number)?;
                context(original)?;
                attention(scale)?;
                self.ascending("slow and fast beta of the rope scaling", *beta_slow, *beta_fast)
            }
            Scaling::Divisors { divisors } => {
                let divisors = divisors.iter().map(|&divisor| f64::from(divisor));
                self.numbers("divisor of a rotary frequency", divisors, Within::Positive)
            }
            Scaling::Long { short, long, original, attention: scale } => {
                context(&(*original as f64))?;
                attention(scale)?;
                self.numbers("factor of a rotary frequency", short.iter().chain(long).copied(), Within::Positive)
            }
        }
    }

    fn ascending(&self, key: &str, low: f64, high: f64) -> Result<(), ModelError> {
        if Within::Positive.holds(low) && high.is_finite() && low < high {
            return Ok(());
        }
        self.wrong(key, format!("{low} and {high}"), "expected two numbers above 0, the first one smaller")
    }
}
