//! Attention rows of one query token, and the choice of layers and heads.

use std::fmt;
use std::str::FromStr;

/// Attention of one query token over all positions up to itself, for some layers and all their heads.
#[derive(Debug, Clone, PartialEq)]
pub struct Capture {
    /// Numbers of the captured layers in ascending order, counted from 0.
    layers: Vec<usize>,
    /// Heads per layer.
    heads: usize,
    /// Positions: the query's own index plus one.
    tokens: usize,
    /// `(layer, head, position)`, row-major.
    weights: Vec<f32>,
}

/// Values that do not form a capture.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a capture of {layers} layers x {heads} heads x {tokens} positions cannot hold {found} weights")]
pub struct CaptureError {
    /// Captured layers.
    pub layers: usize,
    /// Heads per layer.
    pub heads: usize,
    /// Positions per row.
    pub tokens: usize,
    /// Number of weights given.
    pub found: usize,
}

impl Capture {
    /// Creates a capture of `layers.len() x heads x tokens` weights; none of these factors may be zero.
    pub fn new(layers: Vec<usize>, heads: usize, tokens: usize, weights: Vec<f32>) -> Result<Self, CaptureError> {
        let expected = layers.len() * heads * tokens;
        if expected == 0 || weights.len() != expected {
            return Err(CaptureError { layers: layers.len(), heads, tokens, found: weights.len() });
        }
        Ok(Capture { layers, heads, tokens, weights })
    }

    /// Numbers of the captured layers, counted from 0.
    pub fn layers(&self) -> &[usize] {
        &self.layers
    }

    /// Heads per layer.
    pub fn heads(&self) -> usize {
        self.heads
    }

    /// Positions per row.
    pub fn tokens(&self) -> usize {
        self.tokens
    }

    /// All weights, `(layer, head, position)`.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// The row of one head. `layer` is an index into [`Capture::layers`]. Panics when either does not exist.
    pub fn row(&self, layer: usize, head: usize) -> &[f32] {
        assert!(head < self.heads, "head {head} of {}", self.heads);
        let start = (layer * self.heads + head) * self.tokens;
        &self.weights[start..start + self.tokens]
    }

    /// The capture with each layer scaled so that its weights sum to the number of heads.
    ///
    /// Attention probabilities already do. Value-weighted norms (Kobayashi et al. 2020) do not; after this, they are
    /// shares and every reduction treats them alike. A layer of zeros is left as it is.
    pub fn into_shares(mut self) -> Self {
        let heads = self.heads as f64;
        for layer in self.weights.chunks_mut(self.heads * self.tokens) {
            let sum: f64 = layer.iter().map(|&weight| f64::from(weight)).sum();
            if sum > 0.0 {
                let scale = (heads / sum) as f32;
                layer.iter_mut().for_each(|weight| *weight *= scale);
            }
        }
        self
    }
}

/// The largest layer or head number accepted in arguments: far above any model's, and small enough to list.
const LARGEST: usize = 9999;

/// Layers to average.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layers {
    /// All.
    All,
    /// The last N, or all if the model has fewer.
    Last(usize),
    /// From the first to the second number, counted from 0, inclusive.
    Range(usize, usize),
}

impl Layers {
    /// Layer numbers for a model with `count` layers.
    pub fn resolve(self, count: usize) -> Result<Vec<usize>, ChoiceError> {
        match self {
            Layers::All => Ok((0..count).collect()),
            Layers::Last(last) => Ok((count.saturating_sub(last)..count).collect()),
            Layers::Range(first, last) if last < count => Ok((first..=last).collect()),
            Layers::Range(..) => Err(ChoiceError::new("layers", self, count)),
        }
    }
}

impl Default for Layers {
    /// The last 20: ToMBench averages over 20 layers without naming them.
    fn default() -> Self {
        Layers::Last(20)
    }
}

/// Heads to average.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Heads {
    /// All.
    #[default]
    All,
    /// These, counted from 0, in ascending order without repetition.
    Only(Vec<usize>),
}

impl Heads {
    /// Head numbers for a model with `count` heads.
    pub fn resolve(&self, count: usize) -> Result<Vec<usize>, ChoiceError> {
        match self {
            Heads::All => Ok((0..count).collect()),
            Heads::Only(heads) if heads.iter().all(|&head| head < count) => Ok(heads.clone()),
            Heads::Only(_) => Err(ChoiceError::new("heads", self, count)),
        }
    }
}

/// Layers or heads that the model does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("--{what} {asked}: the model's {what} are numbered 0 to {last}")]
pub struct ChoiceError {
    /// `layers` or `heads`.
    pub what: &'static str,
    /// The choice as given.
    pub asked: String,
    /// The largest number.
    pub last: usize,
}

impl ChoiceError {
    fn new(what: &'static str, asked: impl fmt::Display, count: usize) -> Self {
        ChoiceError { what, asked: asked.to_string(), last: count.saturating_sub(1) }
    }
}

/// An argument that cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid value `{given}`; use {expected}")]
pub struct ParseChoiceError {
    /// The argument.
    pub given: String,
    /// The accepted forms.
    pub expected: &'static str,
}

impl FromStr for Layers {
    type Err = ParseChoiceError;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        let bad = || ParseChoiceError {
            given: given.into(),
            expected: "all, last:N or A-B, layers counted from 0 and below 10000",
        };
        if given == "all" {
            return Ok(Layers::All);
        }
        if let Some(count) = given.strip_prefix("last:") {
            return count.parse().ok().filter(|&count| count > 0).map(Layers::Last).ok_or_else(bad);
        }
        let (first, last) = parse_range(given).ok_or_else(bad)?;
        Ok(Layers::Range(first, last))
    }
}

impl FromStr for Heads {
    type Err = ParseChoiceError;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        let bad = || ParseChoiceError {
            given: given.into(),
            expected: "all, A-B or a list A,B,C, heads counted from 0 and below 10000",
        };
        if given == "all" {
            return Ok(Heads::All);
        }
        let mut heads = Vec::new();
        for piece in given.split(',') {
            let (first, last) = parse_range(piece.trim()).ok_or_else(bad)?;
            heads.extend(first..=last);
        }
        heads.sort_unstable();
        heads.dedup();
        Ok(Heads::Only(heads))
    }
}

/// `7` or `3-7`, none above [`LARGEST`].
fn parse_range(text: &str) -> Option<(usize, usize)> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    (first <= last && last <= LARGEST).then_some((first, last))
}

impl fmt::Display for Layers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Layers::All => f.write_str("all"),
            Layers::Last(count) => write!(f, "last:{count}"),
            Layers::Range(first, last) => write!(f, "{first}-{last}"),
        }
    }
}

impl fmt::Display for Heads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Heads::All => f.write_str("all"),
            Heads::Only(heads) => {
                let runs = heads.chunk_by(|one, next| one + 1 == *next).map(|run| match run {
                    [first, _, .., last] => format!("{first}-{last}"),
                    few => few.iter().map(usize::to_string).collect::<Vec<_>>().join(","),
                });
                f.write_str(&runs.collect::<Vec<_>>().join(","))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layer_choices_resolve_against_the_model() {
        assert_eq!("last:20".parse::<Layers>().unwrap().resolve(28).unwrap(), (8..28).collect::<Vec<_>>());
        assert_eq!(Layers::Last(20).resolve(6).unwrap(), vec![0, 1, 2, 3, 4, 5]);
        assert_eq!("2-4".parse::<Layers>().unwrap().resolve(5).unwrap(), vec![2, 3, 4]);
        assert_eq!("2-5".parse::<Layers>().unwrap().resolve(5).unwrap_err().last, 4);
        assert_eq!("3".parse::<Layers>().unwrap(), Layers::Range(3, 3));
    }

    #[test]
    fn choices_print_as_they_are_written() {
        for text in ["all", "last:20", "0-11"] {
            assert_eq!(text.parse::<Layers>().unwrap().to_string(), text);
        }
        for (text, shown) in [("5,1-2,2", "1,2,5"), ("9,0-3,4,7-8", "0-4,7-9"), ("0-9999", "0-9999")] {
            assert_eq!(text.parse::<Heads>().unwrap().to_string(), shown);
        }
        for bad in ["", "last:0", "4-2", "x", "first:3", "0-99999999999"] {
            assert!(bad.parse::<Layers>().is_err(), "{bad}");
        }
        for bad in ["", "1,,2", "3-1", "0-10000", "0-18446744073709551615"] {
            assert!(bad.parse::<Heads>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_head_the_model_lacks_is_refused() {
        assert_eq!(Heads::Only(vec![0, 9]).resolve(9).unwrap_err().last, 8);
        assert_eq!(Heads::Only(vec![0, 8]).resolve(9).unwrap(), [0, 8]);
    }

    #[test]
    fn sizes_must_agree() {
        assert!(Capture::new(vec![0], 2, 3, vec![0.0; 6]).is_ok());
        assert!(Capture::new(vec![0], 2, 3, vec![0.0; 5]).is_err());
        assert!(Capture::new(vec![], 2, 3, vec![]).is_err());
    }

    #[test]
    fn shares_sum_to_the_number_of_heads_in_each_layer() {
        let norms = vec![1.0, 3.0, 4.0, 8.0, 0.0, 0.0, 0.0, 0.0];
        let shares = Capture::new(vec![0, 1], 2, 2, norms).unwrap().into_shares();
        assert_eq!(shares.row(0, 0), [0.125, 0.375]);
        assert_eq!(shares.row(0, 1), [0.5, 1.0]);
        assert_eq!(shares.row(1, 1), [0.0, 0.0]);
    }
}
