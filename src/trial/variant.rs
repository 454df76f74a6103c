//! Variants within one command: every style under every scoring that it supports.

use indexmap::IndexMap;

use crate::benchmark::Benchmark;
use crate::prompt::{OptionsShown, Pack, Scoring};

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

/// Style of a command that names none.
pub const USUAL_STYLE: &str = "vanilla";

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
    /// No scoring shows options.
    #[error("--options after shows the options to be matched; use --scoring letter, hybrid or generate")]
    NothingShown,
    /// A style for questions with their options where none are asked.
    #[error(
        "--style {style} is asked with its options (--options before); add `before`, or leave out --style: --options \
         {shown} has the style `{own}`"
    )]
    OtherStyle {
        style: String,
        shown: OptionsShown,
        /// The style of the options.
        own: &'static str,
    },
    /// A pack that cannot ask with the options hidden.
    #[error(
        "{file}: --options {shown} needs the style `{own}`, which this pack has not; add it (datasets/prompts/README.md), or leave \
         out --prompts"
    )]
    NoOptionsStyle {
        file: String,
        shown: OptionsShown,
        /// The style of the options.
        own: &'static str,
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
    /// Combines every style with every scoring, where options are shown before; where they are not, their own style with the
    /// scorings that it serves. Styles in two phases are asked after their first one, which is written
    /// first even if not requested. With `after_reasoning`, combinations that a reasoning style does not support right
    /// after its prompt are scored after the reasoning, which is also written first. With `budgets`, answers of each style
    /// are asked for behind thoughts cut to these numbers of tokens, which are written first.
    pub fn new(
        scorings: &[Scoring],
        styles: &[String],
        options: &[OptionsShown],
        (after_reasoning, budgets): (bool, &[usize]),
        packs: &IndexMap<Benchmark, Pack>,
    ) -> Result<Variants, VariantError> {
        if after_reasoning && !budgets.is_empty() {
            return Err(VariantError::CutAndReasoned);
        }
        once("--scoring", scorings.iter().map(Scoring::to_string))?;
        once("--style", styles.iter().cloned())?;
        once("--options", options.iter().map(OptionsShown::to_string))?;
        let mut variants = Variants { asked: Vec::new(), left_out: Vec::new() };
        for (style, scorings) in asked_styles(scorings, styles, options, packs)? {
            let part = RunPart::of(style, packs)?;
            let reasons = |scoring| packs.values().any(|pack| pack.reasons(style, scoring));
            let of = |scoring: &Scoring, part: &RunPart| Variant {
                scoring: *scoring,
                style: style.to_string(),
                part: part.clone(),
            };
            let (written, scored): (Vec<&Scoring>, Vec<&Scoring>) =
                scorings.iter().partition(|&&scoring| scoring == Scoring::Generate);
            let (reasoned, plain): (Vec<&Scoring>, Vec<&Scoring>) =
                scored.into_iter().partition(|&&scoring| reasons(scoring));
            if !budgets.is_empty() {
                if part != RunPart::Whole {
                    return Err(VariantError::CutSecondPhase { style: style.to_string() });
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
                    return Err(VariantError::ThreePhases { style: style.to_string() });
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

/// Styles with the scorings of each.
fn asked_styles<'s>(
    scorings: &[Scoring],
    styles: &'s [String],
    options: &[OptionsShown],
    packs: &IndexMap<Benchmark, Pack>,
) -> Result<Vec<(&'s str, Vec<Scoring>)>, VariantError> {
    let mut asked = Vec::new();
    for &shown in options {
        let Some(own) = shown.style() else {
            asked.extend(styles.iter().map(|style| (style.as_str(), scorings.to_vec())));
            continue;
        };
        if let (Some(style), false) =
            (styles.iter().find(|style| *style != USUAL_STYLE), options.contains(&OptionsShown::Before))
        {
            return Err(VariantError::OtherStyle { style: style.clone(), shown, own });
        }
        if let Some(pack) = packs.values().find(|pack| pack.named(own).next().is_none()) {
            return Err(VariantError::NoOptionsStyle { file: pack.file().to_string(), shown, own });
        }
        let served: Vec<Scoring> = match shown {
            OptionsShown::Never => vec![Scoring::Text],
            _ => scorings.iter().copied().filter(|&scoring| shown.serves(scoring)).collect(),
        };
        match served.is_empty() {
            true => return Err(VariantError::NothingShown),
            false => asked.push((own, served)),
        }
    }
    Ok(asked)
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
    use crate::prompt::Placeholders;

    fn names(scorings: &[Scoring], styles: &[&str], after: bool) -> Result<(Vec<String>, usize), VariantError> {
        let packs = IndexMap::from([(Benchmark::ToMBench, Pack::built_in(Benchmark::ToMBench))]);
        let styles: Vec<String> = styles.iter().map(|style| style.to_string()).collect();
        let found = Variants::new(scorings, &styles, &[OptionsShown::Before], (after, &[]), &packs)?;
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
            let styles = [style.to_string()];
            let found = Variants::new(scorings, &styles, &[OptionsShown::Before], (after, &[0, 8]), &packs)?;
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
    fn options_after_and_never_follow_one_free_answer() {
        use OptionsShown::{After, Before, Never};
        use Scoring::{Generate, Letter, Text};
        let packs = IndexMap::from([(Benchmark::ToMBench, Pack::built_in(Benchmark::ToMBench))]);
        let of = |scorings: &[Scoring], style: &str, options: &[OptionsShown]| {
            let found = Variants::new(scorings, &[style.to_string()], options, (false, &[]), &packs)?;
            Ok(found.asked.iter().map(Variant::name).collect::<Vec<_>>())
        };
        let all = ["letter-vanilla", "generate-open-answer", "letter-options-after", "text-options-never"];
        assert_eq!(of(&[Letter], "vanilla", &[Before, After, Never]).unwrap(), all);
        assert_eq!(of(&[Letter], "vanilla", &[Never]).unwrap(), [all[1], all[3]]);
        let written = ["generate-open-answer", "letter-options-after", "generate-options-after"];
        assert_eq!(of(&[Letter, Text, Generate], "vanilla", &[After]).unwrap(), written);
        assert_eq!(of(&[Text], "vanilla", &[After]), Err(VariantError::NothingShown));
        let error = of(&[Letter], "cot", &[After]).unwrap_err().to_string();
        assert!(error.contains("--style cot") && error.contains("add `before`"), "{error}");
        let bare = Pack::parse("p.toml", "benchmark = 'b'\nsource = 's'\nstyle = []", Placeholders::OfItems).unwrap();
        let packs = IndexMap::from([(Benchmark::ToMBench, bare)]);
        let refused = Variants::new(&[Letter], &["vanilla".to_string()], &[Never], (false, &[]), &packs);
        let error = refused.unwrap_err().to_string();
        assert!(error.starts_with("p.toml: --options never needs the style `options-never`"), "{error}");
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
