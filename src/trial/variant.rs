//! Variants within one command: every style under every scoring that it supports.

use indexmap::IndexMap;

use crate::benchmark::Benchmark;
use crate::prompt::{Pack, Scoring};

/// One way of asking the items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variant {
    /// Scoring of options, or written answers.
    pub scoring: Scoring,
    /// Prompt style.
    pub style: String,
    /// Whether answers are scored after the model's own reasoning, which the variant before it has written.
    pub after_reasoning: bool,
}

impl Variant {
    /// Returns its name, also of its folder: for instance `letter-cot-after-reasoning`.
    pub fn name(&self) -> String {
        let plain = |letter: char| letter.is_alphanumeric() || "._-".contains(letter);
        let style: String = self.style.chars().map(|letter| if plain(letter) { letter } else { '-' }).collect();
        format!("{}-{style}{}", self.scoring, if self.after_reasoning { "-after-reasoning" } else { "" })
    }
}

/// The variants named by a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variants {
    /// Variants to run, in this order: reasoning comes before the scoring that needs it.
    pub asked: Vec<Variant>,
    /// Skipped variants, whose style reasons first: a likelihood right after its prompt is not that of an answer.
    pub left_out: Vec<Variant>,
}

/// Invalid variants.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VariantError {
    /// A scoring or style is named twice.
    #[error("{argument} names {name} twice; name each once")]
    Twice {
        argument: &'static str,
        /// The duplicate name.
        name: String,
    },
    /// No style reasons, or nothing is scored.
    #[error(
        "--after-reasoning scores answers after written reasoning: it needs a style that reasons first (as `cot`) and a scoring \
         besides `generate` (as `letter`)"
    )]
    NothingReasoned,
}

impl Variants {
    /// Combines every style with every scoring. With `after_reasoning`, combinations that a reasoning style does not
    /// support right after its prompt are scored after the reasoning, which is written first even if not requested.
    pub fn new(
        scorings: &[Scoring],
        styles: &[String],
        after_reasoning: bool,
        packs: &IndexMap<Benchmark, Pack>,
    ) -> Result<Variants, VariantError> {
        once("--scoring", scorings.iter().map(Scoring::to_string))?;
        once("--style", styles.iter().cloned())?;
        let mut variants = Variants { asked: Vec::new(), left_out: Vec::new() };
        for style in styles {
            let reasons = packs.values().any(|pack| pack.reasons(style));
            let of = |scoring: Scoring, after_reasoning| Variant { scoring, style: style.clone(), after_reasoning };
            let (written, scored): (Vec<Scoring>, Vec<Scoring>) =
                scorings.iter().partition(|&&scoring| scoring == Scoring::Generate);
            match reasons {
                false => variants.asked.extend(scored.into_iter().chain(written).map(|scoring| of(scoring, false))),
                true if after_reasoning && !scored.is_empty() => {
                    variants.asked.push(of(Scoring::Generate, false));
                    variants.asked.extend(scored.into_iter().map(|scoring| of(scoring, true)));
                }
                true => {
                    variants.left_out.extend(scored.into_iter().map(|scoring| of(scoring, false)));
                    variants.asked.extend(written.into_iter().map(|scoring| of(scoring, false)));
                }
            }
        }
        if after_reasoning && !variants.asked.iter().any(|variant| variant.after_reasoning) {
            return Err(VariantError::NothingReasoned);
        }
        // If nothing else is run, the pack has the best error.
        if variants.asked.is_empty() {
            variants.asked.append(&mut variants.left_out);
        }
        Ok(variants)
    }
}

fn once(argument: &'static str, names: impl Iterator<Item = String>) -> Result<(), VariantError> {
    let mut seen = Vec::new();
    for name in names {
        if seen.contains(&name) {
            return Err(VariantError::Twice { argument, name });
        }
        seen.push(name);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::Benchmark;

    fn names(scorings: &[Scoring], styles: &[&str], after: bool) -> Result<(Vec<String>, usize), VariantError> {
        let packs = IndexMap::from([(Benchmark::ToMBench, Pack::built_in(Benchmark::ToMBench))]);
        let styles: Vec<String> = styles.iter().map(|style| style.to_string()).collect();
        let found = Variants::new(scorings, &styles, after, &packs)?;
        Ok((found.asked.iter().map(Variant::name).collect(), found.left_out.len()))
    }

    #[test]
    fn each_style_is_asked_by_each_scoring_it_serves() {
        use Scoring::{Generate, Letter};
        let both = ["vanilla", "cot"];
        let expected = ["letter-vanilla", "generate-vanilla", "generate-cot"].map(String::from).to_vec();
        assert_eq!(names(&[Letter, Generate], &both, false), Ok((expected.clone(), 1)));
        let mut after = expected;
        after.push("letter-cot-after-reasoning".to_string());
        assert_eq!(names(&[Letter, Generate], &both, true), Ok((after, 0)));
        let alone = ["generate-cot", "letter-cot-after-reasoning"].map(String::from).to_vec();
        assert_eq!(names(&[Letter], &["cot"], true), Ok((alone, 0)), "the reasoning is written first");
        assert_eq!(
            names(&[Letter], &["cot"], false),
            Ok((vec!["letter-cot".to_string()], 0)),
            "for the pack to refuse"
        );
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        use Scoring::{Generate, Letter};
        assert_eq!(names(&[Letter], &["vanilla"], true), Err(VariantError::NothingReasoned));
        assert_eq!(names(&[Generate], &["cot"], true), Err(VariantError::NothingReasoned));
        let twice = names(&[Letter, Letter], &["vanilla"], false).unwrap_err().to_string();
        assert_eq!(twice, "--scoring names letter twice; name each once");
        assert!(names(&[Letter], &["cot", "cot"], false).is_err());
    }
}
