//! What the analysis of each prompt shows, by rules. A conclusion tells what was seen, never why.
//!
//! Where the labels have less than half of the probability, that is said before all else. Then:
//!
//! 1. Where the chosen label won under more option orders than the chosen option did, the letter won, and nothing is
//!    said of words.
//! 2. How far the chosen option leads: over the right one if it is wrong, over the second if it is right.
//! 3. Whether leaving out the keywords lowered its log-odds more than leaving out random words did: p below
//!    [`LEVEL`], by Holm over all prompts that were checked. The check cannot tell where no p could be below it, or
//!    where random sets hold over half of the keywords.

use super::document::{Case, Conclusion, ConclusionKind, OptionRecord, OrdersRecord};
use crate::answer::LOW_LABEL_MASS;
use crate::attend::words::{DeletionRecord, KeywordOptions};
use crate::page::words::Said;
use crate::stats::holm;

/// Level of the tests.
const LEVEL: f64 = 0.05;

/// What a conclusion looks at.
#[derive(Debug, Clone)]
pub struct Basis {
    label: String,
    label_mass: Option<f64>,
    lead: Option<Said>,
    orders: Option<OrdersRecord>,
    check: Option<Check>,
}

/// What a conclusion looks at of a deletion check: [`DeletionRecord`] and its effect without the keywords.
#[derive(Debug, Clone, Copy)]
struct Check {
    words: usize,
    shared: f64,
    fall: f64,
    interval: (f64, f64),
    p: f64,
    smallest_p: f64,
    counted: usize,
}

impl From<&DeletionRecord> for Check {
    fn from(DeletionRecord { words, shared, without, .. }: &DeletionRecord) -> Self {
        Check {
            words: *words,
            shared: *shared,
            fall: without.fall,
            interval: without.interval,
            p: without.p,
            smallest_p: without.smallest_p,
            counted: without.counted,
        }
    }
}

impl Basis {
    /// What is needed of a case; `None` where function words are among the keywords, and for a case that was read for
    /// comparison only or chose nothing.
    pub fn new(case: &Case, keywords: KeywordOptions) -> Option<Basis> {
        let concludes = keywords.drop_stop_words && !case.compared_only;
        let chosen = case.options.iter().find(|option| option.chosen).filter(|_| concludes)?;
        Some(Basis {
            label: chosen.label.clone(),
            label_mass: case.label_mass(),
            lead: lead(case, chosen),
            orders: case.orders,
            check: case.deletion.as_ref().map(Check::from),
        })
    }

    fn conclusion(&self, p: f64, checked: usize) -> Conclusion {
        let low = self.label_mass.filter(|mass| *mass < LOW_LABEL_MASS);
        let of_mass = |mass: f64| Said::new("conclusion_label_mass", [("mass", format!("{:.1}", mass * 100.0))]);
        let mut sentences = Vec::from_iter(low.map(of_mass));
        if let Some(OrdersRecord { orders, same_option, same_label }) = self.orders {
            if same_label > same_option {
                let values = [
                    ("label", self.label.clone()),
                    ("same_label", same_label.to_string()),
                    ("orders", orders.to_string()),
                    ("same_option", same_option.to_string()),
                ];
                sentences.push(Said::new("conclusion_letter", values));
                return Conclusion { kind: ConclusionKind::Letter, sentences };
            }
            let values = [("same_option", same_option.to_string()), ("orders", orders.to_string())];
            sentences.push(Said::new("conclusion_same_option", values));
        }
        sentences.extend(self.lead.clone());
        let (kind, sentence) = self.of_check(p, checked);
        sentences.push(sentence);
        Conclusion { kind, sentences }
    }

    fn of_check(&self, p: f64, checked: usize) -> (ConclusionKind, Said) {
        let Some(Check { words, shared, fall, interval: (low, high), smallest_p, counted, .. }) = self.check else {
            return (ConclusionKind::NotChecked, Said::new("conclusion_not_checked", []));
        };
        let keywords = if words == 1 { "conclusion_keyword" } else { "conclusion_keywords" };
        let among = if checked > 1 { "conclusion_among" } else { "" };
        let (keywords, words_said) = (("keywords", keywords.to_string()), ("words", words.to_string()));
        let (among, over) = (("among", among.to_string()), ("checked", checked.to_string()));
        if smallest_p * checked as f64 >= LEVEL {
            let p = ("p", format!("{:.3}", (smallest_p * checked as f64).min(1.0)));
            let said = Said::new("conclusion_too_few", [keywords, words_said, among, over, p]);
            return (ConclusionKind::CouldNotTell, said);
        }
        if shared > words as f64 / 2.0 {
            let said = Said::new("conclusion_shared", [keywords, words_said, ("shared", format!("{shared:.1}"))]);
            return (ConclusionKind::CouldNotTell, said);
        }
        let (kind, name, fall) = match p < LEVEL {
            true => (ConclusionKind::MoreThanRandom, "conclusion_more", format!("{fall:.2}")),
            false => (ConclusionKind::NoMoreThanRandom, "conclusion_no_more", format!("{:+.2}", -fall)),
        };
        let values = [
            keywords,
            words_said,
            among,
            over,
            ("label", self.label.clone()),
            ("fall", fall),
            ("low", format!("{low:+.2}")),
            ("high", format!("{high:+.2}")),
            ("p", format!("{p:.3}")),
            ("draws", counted.to_string()),
        ];
        (kind, Said::new(name, values))
    }
}

/// A conclusion for each basis; p-values are adjusted over all of them.
pub fn conclusions(bases: &[Option<Basis>]) -> Vec<Option<Conclusion>> {
    let checks = || bases.iter().flatten().filter_map(|basis| basis.check.as_ref());
    let mut adjusted = holm(&checks().map(|check| check.p).collect::<Vec<_>>()).into_iter();
    let checked = checks().count();
    let mut of = |basis: &Basis| {
        let p = if basis.check.is_some() { adjusted.next() } else { None };
        basis.conclusion(p.unwrap_or(1.0), checked)
    };
    bases.iter().map(|basis| basis.as_ref().map(&mut of)).collect()
}

/// How far the chosen option leads.
fn lead(case: &Case, chosen: &OptionRecord) -> Option<Said> {
    let own = chosen.logprob?;
    let ahead = |option: &OptionRecord| Some(own - option.logprob?);
    if !chosen.gold {
        let gold = case.options.iter().find(|option| option.gold)?;
        let nats = ahead(gold)?;
        let values = [("label", chosen.label.clone()), ("nats", format!("{nats:.2}")), ("gold", gold.label.clone())];
        return Some(Said::new("conclusion_ahead_of_gold", values));
    }
    let others = case.options.iter().filter(|option| !option.chosen);
    let second =
        others.max_by(|one, other| one.logprob.unwrap_or(f64::MIN).total_cmp(&other.logprob.unwrap_or(f64::MIN)))?;
    let nats = ahead(second)?;
    let values = [("label", chosen.label.clone()), ("nats", format!("{nats:.2}")), ("second", second.label.clone())];
    Some(Said::new("conclusion_gold_ahead", values))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attend::view::examples::document;

    fn basis(p: f64, same: Option<(usize, usize)>) -> Option<Basis> {
        let mut case = document().cases.remove(0);
        let check = case.deletion.as_mut().unwrap();
        (check.without.p, check.without.smallest_p) = (p, 0.005);
        case.orders = same.map(|(same_option, same_label)| OrdersRecord { orders: 4, same_option, same_label });
        Basis::new(&case, KeywordOptions { drop_stop_words: true, ..Default::default() })
    }

    fn kinds(bases: &[Option<Basis>]) -> Vec<ConclusionKind> {
        conclusions(bases).into_iter().flatten().map(|found| found.kind).collect()
    }

    #[test]
    fn a_letter_that_wins_ends_the_conclusion() {
        let found = conclusions(&[basis(0.005, Some((1, 4)))]).remove(0).unwrap();
        assert_eq!((found.kind, found.sentences.len()), (ConclusionKind::Letter, 1));
        assert!(
            found.sentences[0].as_str().ends_with("4 of 4 option orders, the option it names here in 1."),
            "{found:?}"
        );
        assert_eq!(kinds(&[basis(0.005, Some((4, 1)))]), [ConclusionKind::MoreThanRandom]);
    }

    #[test]
    fn p_values_are_adjusted_over_all_prompts() {
        assert_eq!(kinds(&[basis(0.02, None)]), [ConclusionKind::MoreThanRandom]);
        let three = [basis(0.02, None), None, basis(0.01, None), basis(0.6, None)];
        // 0.01 x 3 and 0.02 x 2.
        assert_eq!(
            kinds(&three),
            [ConclusionKind::MoreThanRandom, ConclusionKind::MoreThanRandom, ConclusionKind::NoMoreThanRandom]
        );
        assert_eq!(kinds(&[basis(0.03, None), basis(0.6, None)]), [ConclusionKind::NoMoreThanRandom; 2]);
        // Of ten prompts none can stand out.
        assert_eq!(kinds(&vec![basis(0.005, None); 10]), [ConclusionKind::CouldNotTell; 10]);
    }

    #[test]
    fn what_a_check_cannot_tell_is_said() {
        let mut crowded = basis(0.01, None);
        crowded.as_mut().unwrap().check.as_mut().unwrap().shared = 3.0;
        assert_eq!(kinds(&[crowded]), [ConclusionKind::CouldNotTell], "three of five words");
        let mut none = basis(0.01, None);
        none.as_mut().unwrap().check = None;
        assert_eq!(kinds(&[none, basis(0.01, None)]), [ConclusionKind::NotChecked, ConclusionKind::MoreThanRandom]);
    }

    #[test]
    fn conclusions_never_explain() {
        let bases = [basis(0.005, Some((4, 4))), basis(0.9, Some((1, 2)))];
        for sentence in conclusions(&bases).into_iter().flatten().flat_map(|found| found.sentences) {
            let sentence = sentence.as_str();
            assert!(!sentence.contains("because") && !sentence.contains("explain"), "{sentence}");
        }
    }
}
