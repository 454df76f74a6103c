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
    /// Its part where the prompts of one run contain replies of another.
    pub part: RunPart,
}

/// Part of a run where the prompts of one contain replies of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunPart {
    /// Its prompts contain no replies.
    Whole,
    /// Answers are scored after the model's own reasoning, which the written answers in the same style contain.
    AfterReasoning,
    /// Answers are scored or written behind the thoughts of the written answers in the same style, cut to each of these
    /// numbers of tokens.
    CutThoughts(Vec<usize>),
    /// The replies are the first phase of other styles and state no answer.
    First,
    /// The prompts contain the replies in this style.
    Second(String),
}

impl RunPart {
    /// Whether answers follow replies of the written answers in the same style.
    pub fn follows_replies(&self) -> bool {
        matches!(self, RunPart::AfterReasoning | RunPart::CutThoughts(_))
    }

    /// Returns the numbers of tokens to which thoughts are cut; none if they are not.
    pub fn budgets(&self) -> &[usize] {
        match self {
            RunPart::CutThoughts(budgets) => budgets,
            _ => &[],
        }
    }

    /// Returns the part of runs in a style.
    fn of(style: &str, packs: &IndexMap<Benchmark, Pack>) -> Result<RunPart, VariantError> {
        let mut parts =
            packs.values().flat_map(|pack| pack.named(style)).map(|style| match (&style.first, style.is_first) {
                (Some(first), _) => RunPart::Second(first.clone()),
                (None, true) => RunPart::First,
                (None, false) => RunPart::Whole,
            });
        let part = parts.next().unwrap_or(RunPart::Whole);
        match parts.all(|other| other == part) {
            true => Ok(part),
            false => Err(VariantError::OtherPhases { style: style.to_string() }),
        }
    }
}

impl Variant {
    /// Returns its name, also of its folder: for instance `letter-cot-after-reasoning`.
    pub fn name(&self) -> String {
        let plain = |letter: char| letter.is_alphanumeric() || "._-".contains(letter);
        let style: String = self.style.chars().map(|letter| if plain(letter) { letter } else { '-' }).collect();
        format!(
            "{}-{style}{}",
            self.scoring,
            match self.part {
                RunPart::AfterReasoning => "-after-reasoning",
                RunPart::CutThoughts(_) => "-cut-thoughts",
                _ => "",
            }
        )
    }

    /// Returns the variant whose replies its prompts contain, if any.
    pub fn written_by(&self) -> Option<Variant> {
        let (style, part) = match &self.part {
            RunPart::Whole | RunPart::First => return None,
            RunPart::AfterReasoning | RunPart::CutThoughts(_) => (&self.style, RunPart::Whole),
            RunPart::Second(first) => (first, RunPart::First),
        };
        Some(Variant { scoring: Scoring::Generate, style: style.clone(), part })
    }
}

/// The variants named by a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variants {
    /// Variants to run, in this order: replies come before the variants whose prompts contain them.
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
    /// Budgets of thoughts and reasoning.
    #[error(
        "--thinking with several budgets cuts thoughts, --after-reasoning uses replies whole; leave out one of them"
    )]
    CutAndReasoned,
    /// Thoughts of a style that asks in two phases.
    #[error(
        "--thinking with several budgets: the style `{style}` asks in two phases; use a style that asks once, or one budget"
    )]
    CutSecondPhase { style: String },
    /// Reasoning after a first phase.
    #[error(
        "--after-reasoning: the style `{style}` reasons after its first phase, and a third phase is not supported; use \
         --scoring generate, or leave out --after-reasoning"
    )]
    ThreePhases { style: String },
    /// A style with different first phases in several packs.
    #[error(
        "the style `{style}` has different first phases in the packs of these benchmarks; run the benchmarks one by one"
    )]
    OtherPhases { style: String },
}

impl Variants {
    /// Combines every style with every scoring. Styles in two phases are asked after their first one, which is written
    /// first even if not requested. With `after_reasoning`, combinations that a reasoning style does not support right
    /// after its prompt are scored after the reasoning, which is also written first. With `budgets`, answers of each style
    /// are asked for behind thoughts cut to these numbers of tokens, which are written first.
    pub fn new(
        scorings: &[Scoring],
        styles: &[String],
        (after_reasoning, budgets): (bool, &[usize]),
        packs: &IndexMap<Benchmark, Pack>,
    ) -> Result<Variants, VariantError> {
        if after_reasoning && !budgets.is_empty() {
            return Err(VariantError::CutAndReasoned);
        }
        once("--scoring", scorings.iter().map(Scoring::to_string))?;
        once("--style", styles.iter().cloned())?;
        let mut variants = Variants { asked: Vec::new(), left_out: Vec::new() };
        for style in styles {
            let part = RunPart::of(style, packs)?;
            let reasons = |scoring| packs.values().any(|pack| pack.reasons(style, scoring));
            let of = |scoring: &Scoring, part: &RunPart| Variant {
                scoring: *scoring,
                style: style.clone(),
                part: part.clone(),
            };
            let (written, scored): (Vec<&Scoring>, Vec<&Scoring>) =
                scorings.iter().partition(|&&scoring| scoring == Scoring::Generate);
            let (reasoned, plain): (Vec<&Scoring>, Vec<&Scoring>) =
                scored.into_iter().partition(|&&scoring| reasons(scoring));
            if !budgets.is_empty() {
                if part != RunPart::Whole {
                    return Err(VariantError::CutSecondPhase { style: style.clone() });
                }
                let cut = RunPart::CutThoughts(budgets.to_vec());
                variants.asked.push(of(&Scoring::Generate, &part));
                variants.asked.extend(plain.into_iter().chain(written).map(|scoring| of(scoring, &cut)));
                variants.left_out.extend(reasoned.into_iter().map(|scoring| of(scoring, &part)));
                continue;
            }
            let mut asked: Vec<Variant> = plain.into_iter().map(|scoring| of(scoring, &part)).collect();
            match after_reasoning && !reasoned.is_empty() {
                true if matches!(part, RunPart::Second(_)) => {
                    return Err(VariantError::ThreePhases { style: style.clone() });
                }
                true => {
                    asked.push(of(&Scoring::Generate, &part));
                    asked.extend(reasoned.into_iter().map(|scoring| of(scoring, &RunPart::AfterReasoning)));
                }
                false => {
                    variants.left_out.extend(reasoned.into_iter().map(|scoring| of(scoring, &part)));
                    asked.extend(written.into_iter().map(|scoring| of(scoring, &part)));
                }
            }
            let first = asked.iter().find(|variant| variant.part == part).and_then(Variant::written_by);
            asked.splice(0..0, first);
            asked.retain(|variant| !variants.asked.contains(variant));
            variants.asked.append(&mut asked);
        }
        if after_reasoning && !variants.asked.iter().any(|variant| variant.part == RunPart::AfterReasoning) {
            return Err(VariantError::NothingReasoned);
        }
        // If nothing else is run, the pack has the best error.
        if variants.asked.is_empty() {
            let refused = variants.left_out.drain(..);
            variants.asked.extend(refused.map(|variant| Variant { part: RunPart::Whole, ..variant }));
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
        let found = Variants::new(scorings, &styles, (after, &[]), &packs)?;
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
    fn a_first_phase_is_written_before_the_styles_that_need_it() {
        use Scoring::{Generate, Letter};
        let all = ["generate-simtom-perspective", "letter-simtom", "generate-simtom"].map(String::from).to_vec();
        assert_eq!(names(&[Letter, Generate], &["simtom"], false), Ok((all.clone(), 0)));
        assert_eq!(names(&[Letter], &["simtom"], false), Ok((all[..2].to_vec(), 0)));
        assert_eq!(names(&[Generate], &["simtom-perspective", "simtom"], false).unwrap().0, [&*all[0], &*all[2]]);
        assert_eq!(names(&[Generate], &["simtom", "simtom-perspective"], false).unwrap().0, [&*all[0], &*all[2]]);
        let reflected = ["generate-foresee", "letter-foresee-reflect", "generate-foresee-reflect"];
        assert_eq!(names(&[Letter, Generate], &["foresee-reflect"], false).unwrap().0, reflected);
        assert_eq!(names(&[Letter], &["simtom"], true), Err(VariantError::NothingReasoned));
    }

    #[test]
    fn thoughts_are_written_once_and_cut_for_each_scoring() {
        use Scoring::{Generate, Letter};
        let packs = IndexMap::from([(Benchmark::ToMBench, Pack::built_in(Benchmark::ToMBench))]);
        let of = |scorings: &[Scoring], style: &str, after| {
            let found = Variants::new(scorings, &[style.to_string()], (after, &[0, 8]), &packs)?;
            Ok(found.asked.iter().map(Variant::name).collect::<Vec<_>>())
        };
        let all =
            ["generate-vanilla", "letter-vanilla-cut-thoughts", "generate-vanilla-cut-thoughts"].map(String::from);
        assert_eq!(of(&[Letter], "vanilla", false), Ok(all[..2].to_vec()));
        assert_eq!(of(&[Letter, Generate], "vanilla", false), Ok(all.to_vec()));
        assert_eq!(of(&[Letter], "vanilla", true), Err(VariantError::CutAndReasoned));
        assert!(matches!(of(&[Letter], "simtom", false), Err(VariantError::CutSecondPhase { .. })));
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
