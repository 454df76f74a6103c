//! Judgements of several people: the papers' tables, agreement and disagreements.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Export, JudgeRecord, Kind, Question, Scheme};
use crate::canary::CANARY;
use crate::stats::median;

mod agreement;
mod group;
mod interval;
mod unit;

pub use agreement::{AgreementOn, Decision, Disagreement};
pub use group::{Faults, GroupResult, Share};
pub use unit::JudgedError;

use agreement::{agreement, decisions, disagreements};
use group::{average, groups, of_group};
use unit::{labels_of, units};

/// Judgements by a scheme.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Judged {
    /// Name and version: `tomeval-marks/1`, or `tomeval-judgements/1`.
    pub format: &'static str,
    /// The canary line; see the end of this page.
    pub canary: &'static str,
    /// The scheme's name.
    pub scheme: String,
    /// Source of the scheme.
    pub source: String,
    /// The facet of its groups; null if there is none.
    pub by: Option<String>,
    /// Judges, in the order of their files.
    pub raters: Vec<RaterFacts>,
    /// Units judged by anyone.
    pub units: usize,
    /// Adjudicated units.
    pub adjudicated: usize,
    /// The scheme's questions.
    pub questions: Vec<QuestionResult>,
    /// Unadjudicated disagreements, in unit order.
    pub disagreements: Vec<Disagreement>,
    /// Decisions of the adjudicator on each unit where people did not all say the same, in unit order.
    pub decisions: Vec<Decision>,
}

/// One person.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RaterFacts {
    /// Code of the judge.
    pub rater: String,
    /// Units judged.
    pub units: usize,
    /// Units dealt.
    pub dealt: usize,
    /// Whether they adjudicate disagreements of others.
    pub adjudicates: bool,
    /// Median of the seconds that a unit was in view.
    pub median_seconds: Option<f64>,
}

/// A question.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct QuestionResult {
    /// A question's id.
    pub id: String,
    /// Title that people read, in English.
    pub title: String,
    /// `label`, `labels`, `scale` or `spans`.
    pub kind: Kind,
    /// Each run (if answers were judged) and value of the scheme's facet; then the whole run.
    pub groups: Vec<GroupResult>,
    /// Agreement between judges.
    pub agreement: Vec<AgreementOn>,
}

impl Judged {
    /// Combines judgements by a scheme.
    pub fn new(scheme: &Scheme, exports: &[Export]) -> Result<Self, JudgedError> {
        let units = units(scheme, exports)?;
        let rater = |export: &Export| {
            let (header, records) = (&export.header, export.judgements().unwrap_or_default());
            RaterFacts {
                rater: header.rater.to_string(),
                units: records.len(),
                dealt: header.items,
                adjudicates: header.adjudicates,
                median_seconds: median(records.iter().map(|record| record.seconds).collect()),
            }
        };
        let raters = exports.iter().map(rater).collect();
        let groups = groups(scheme, &units);
        let result = |question: &Question| QuestionResult {
            id: question.id.clone(),
            title: question.title.english().to_string(),
            kind: question.kind,
            groups: groups.iter().map(|group| of_group(question, group)).collect(),
            agreement: agreement(scheme, question, &units),
        };
        let questions = scheme.questions.iter().map(result).collect();
        Ok(Judged {
            format: "tomeval-judgements/1",
            canary: CANARY,
            scheme: scheme.name.clone(),
            source: scheme.source.clone(),
            by: scheme.by.clone(),
            raters,
            units: units.len(),
            adjudicated: units.iter().filter(|unit| unit.adjudicated.is_some()).count(),
            questions,
            disagreements: units.iter().flat_map(|unit| disagreements(scheme, unit)).collect(),
            decisions: units.iter().flat_map(|unit| decisions(scheme, unit)).collect(),
        })
    }

    /// Share of judgements of each run's item that give a label, from 0 to 1: the mean over its units.
    pub fn shares(
        scheme: &Scheme,
        exports: &[Export],
        question: &str,
        label: &str,
    ) -> Result<BTreeMap<(String, String), f64>, JudgedError> {
        let Some(question) = scheme.question(question) else { return Ok(BTreeMap::new()) };
        let mut found: BTreeMap<(String, String), Vec<f64>> = BTreeMap::new();
        for unit in units(scheme, exports)? {
            let given = |record: &JudgeRecord| f64::from(labels_of(record, question).contains(label));
            let of = (unit.fact("run").unwrap_or_default(), unit.fact("item").unwrap_or(unit.id));
            let share = average(unit.counted().into_iter().map(given));
            found.entry((of.0.to_string(), of.1.to_string())).or_default().push(share);
        }
        Ok(found.into_iter().map(|(of, shares)| (of, average(shares.into_iter()))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::export::tests::written;
    use super::*;
    use crate::table::{Format, Screen};
    use serde_json::json;

    /// Judgements of Hi-ToM's errors: per unit the order, and the labels given.
    fn export(rater: &str, more: serde_json::Value, units: &[(&str, &str, &[&str])]) -> Export {
        let scheme = Scheme::named("hi-tom-errors").unwrap();
        let record = |(id, order, labels): &(&str, &str, &[&str])| {
            json!({
                "id": id, "rater": rater, "judgements": { "errors": labels }, "words": 40, "seconds": 9.0,
                "facts": { "item": id, "story": id, "run": "m", "order": order },
            })
        };
        let records: Vec<serde_json::Value> = units.iter().map(record).collect();
        let mut head = json!({ "scheme": scheme.name, "scheme_sha256": scheme.sha256 });
        head.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        Export::read(&written("judge", rater, head, &records)).unwrap()
    }

    const DEPTH: &str = "insufficient-depth";
    const TIME: &str = "temporal-ignorance";

    fn two() -> [Export; 2] {
        [
            export(
                "p1",
                json!({}),
                &[("a", "1", &[]), ("b", "1", &[DEPTH]), ("c", "10", &[DEPTH, TIME]), ("d", "2", &[])],
            ),
            export(
                "p2",
                json!({}),
                &[("a", "1", &[]), ("b", "1", &[]), ("c", "10", &[DEPTH, TIME]), ("d", "2", &[DEPTH])],
            ),
        ]
    }

    #[test]
    fn ratios_by_order_are_means_over_units_of_the_share_of_annotators() {
        let judged = Judged::new(&Scheme::named("hi-tom-errors").unwrap(), &two()).unwrap();
        let groups = &judged.questions[0].groups;
        let shown: Vec<(&str, f64, f64)> =
            groups.iter().map(|it| (it.group.as_str(), it.labels[0].percent, it.labels[3].percent)).collect();
        // Orders by number; for order 1, one of two judges gives b the error.
        assert_eq!(shown, [("1", 25.0, 0.0), ("2", 50.0, 0.0), ("10", 100.0, 100.0), ("all", 50.0, 25.0)]);
        assert_eq!(judged.disagreements.iter().map(|it| it.unit.as_str()).collect::<Vec<_>>(), ["b", "d"]);
        let agreement = &judged.questions[0].agreement;
        assert_eq!((agreement[0].what.as_str(), agreement[0].agreement.same), (DEPTH, Some(50.0)));
        // Depth: both give it twice in four and agree in two: kappa (0.5 - 0.5) / 0.5.
        assert_eq!(agreement[0].agreement.pairs[0].kappa, Some(0.0));
        assert_eq!(agreement[3].agreement.pairs[0].kappa, Some(1.0));
    }

    #[test]
    fn what_is_adjudicated_counts_as_adjudicated() {
        let adjudicated = export("s", json!({ "adjudicates": true }), &[("b", "1", &[DEPTH]), ("d", "2", &[])]);
        let exports = [two().to_vec(), vec![adjudicated]].concat();
        let judged = Judged::new(&Scheme::named("hi-tom-errors").unwrap(), &exports).unwrap();
        let depth: Vec<f64> = judged.questions[0].groups.iter().map(|group| group.labels[0].percent).collect();
        assert_eq!(depth, [50.0, 0.0, 100.0, 50.0]);
        assert!(judged.disagreements.is_empty() && judged.adjudicated == 2);
        assert_eq!(judged.questions[0].agreement[0].agreement.pairs.len(), 1, "who adjudicates is no rater");
        let decided: Vec<(&str, &str, usize)> =
            judged.decisions.iter().map(|it| (it.unit.as_str(), it.adjudicated_by.as_str(), it.by.len())).collect();
        assert_eq!(decided, [("b", "s", 2), ("d", "s", 2)]);
        let scheme = Scheme::named("hi-tom-errors").unwrap();
        let text = judged.render(&scheme, Format::Markdown, Screen { width: None }).unwrap();
        assert!(text.contains("2 adjudicated by s") && text.contains("s: Insufficient reasoning depth"), "{text}");
        let other = export("t", json!({ "adjudicates": true }), &[("b", "1", &[])]);
        let error = Judged::new(&scheme, &[exports.to_vec(), vec![other]].concat()).unwrap_err().to_string();
        assert!(error.contains("s and t adjudicate unit `b` differently"), "{error}");
    }

    /// Judgements of translations: benchmark, language and faults per unit, all of 100 words.
    fn translations(rater: &str, units: &[(&str, &str, &[(&str, &str)])]) -> Export {
        let scheme = Scheme::named("xtom-mqm").unwrap();
        let fault = |(label, severity): &(&str, &str)| json!({ "place": { "text": "x", "part": "story", "occurrence": 1 }, "label": label, "severity": severity });
        let record = |(number, (benchmark, language, faults)): (usize, &(&str, &str, &[(&str, &str)]))| {
            let id = format!("{benchmark}/{number}/{language}");
            json!({
                "id": id, "rater": rater, "words": 100, "seconds": 9.0,
                "judgements": { "faults": faults.iter().map(fault).collect::<Vec<_>>() },
                "facts": { "item": id, "story": id, "benchmark": benchmark, "language": language },
            })
        };
        let records: Vec<serde_json::Value> = units.iter().enumerate().map(record).collect();
        let head = json!({ "scheme": scheme.name, "scheme_sha256": scheme.sha256 });
        Export::read(&written("judge", rater, head, &records)).unwrap()
    }

    #[test]
    fn translations_are_told_by_benchmark_and_language_as_in_the_paper() {
        let scheme = Scheme::named("xtom-mqm").unwrap();
        let (none, minor, major): (&[(&str, &str)], &[(&str, &str)], &[(&str, &str)]) =
            (&[], &[("style", "minor")], &[("accuracy", "major"), ("style", "minor")]);
        let one = [("xtomi", "de", none), ("xtomi", "fr", minor), ("xfantom", "de", major), ("xfantom", "fr", none)];
        let other = [("xtomi", "de", none), ("xtomi", "fr", none), ("xfantom", "de", none), ("xfantom", "fr", none)];
        let judged = Judged::new(&scheme, &[translations("p1", &one), translations("p2", &other)]).unwrap();
        let faults = &judged.questions[0];
        let means: Vec<(&str, f64)> = faults.groups.iter().map(|it| (it.group.as_str(), it.mean.unwrap())).collect();
        // xfantom in German: 94 by one judge and 100 by the other.
        assert_eq!(
            means,
            [
                ("xtomi, de", 100.0),
                ("xtomi, fr", 99.5),
                ("xtomi", 99.75),
                ("xfantom, de", 97.0),
                ("xfantom, fr", 100.0),
                ("xfantom", 98.5),
                ("de", 98.5),
                ("fr", 99.75),
                ("all", 99.125)
            ]
        );
        let on = |what: &str, group: &str| {
            let found = faults.agreement.iter().find(|on| (on.what.as_str(), on.group.as_str()) == (what, group));
            found.unwrap().agreement.same.unwrap()
        };
        assert_eq!((on("passed", "xfantom"), on("passed", "xtomi"), on("passed", "all")), (50.0, 100.0, 75.0));
        assert_eq!((on("style", "all"), on("accuracy", "all"), on("design", "all")), (50.0, 75.0, 100.0));
        let charts = judged.charts(&scheme);
        let names: Vec<&str> = charts.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["xtom-mqm-faults", "xtom-mqm-faults-severities"]);
    }

    #[test]
    fn agreement_on_passing_is_told_by_task_and_language() {
        let scheme = Scheme::named("xtom-mqm").unwrap();
        let (pass, fail): (&[(&str, &str)], &[(&str, &str)]) = (&[], &[("accuracy", "critical")]);
        // Whether each of four texts in German passes, by person; of others one passes and one fails.
        let said = [[true, true, false, true], [true, true, false, true], [true, false, false, true]];
        let exports: Vec<Export> = (1..)
            .zip(said)
            .map(|(number, said)| {
                let of = |passes: bool| if passes { pass } else { fail };
                let german = said.map(|passes| ("tomi", "de", of(passes)));
                let others = [("tomi", "fr"), ("fantom", "de"), ("fantom", "fr")];
                let others = others.map(|(task, language)| [(task, language, pass), (task, language, fail)]);
                translations(&format!("p{number}"), &[&german[..], &others.concat()].concat())
            })
            .collect();
        let judged = Judged::new(&scheme, &exports).unwrap();
        let kappa = |group: &str| {
            let all = &judged.questions[0].agreement;
            let found = all.iter().find(|on| on.what == "passed" && on.group == group);
            found.unwrap_or_else(|| panic!("{group}")).agreement.fleiss.unwrap()
        };
        // By hand: 5/6 of pairs agree, of 8 passes among 12 one expects 5/9.
        assert!((kappa("tomi, de") - 0.625).abs() < 1e-12);
        assert_eq!(["tomi, fr", "fantom, de", "fantom, fr", "fantom", "fr"].map(kappa), [1.0; 5]);
    }

    #[test]
    fn an_interval_that_leaves_its_scale_is_missing_with_the_reason() {
        let scheme = Scheme::named("xtom-mqm").unwrap();
        let all = |units: &[(&str, &str, &[(&str, &str)])]| {
            let judged = Judged::new(&scheme, &[translations("p1", units)]).unwrap();
            let table = judged.render(&scheme, Format::Markdown, Screen { width: None }).unwrap();
            let all = judged.questions[0].groups.iter().find(|group| group.group == "all").unwrap();
            (all.mean_interval, all.interval_missing.clone().unwrap_or_default(), table)
        };
        let critical: &[(&str, &str)] = &[("accuracy", "critical")];
        let minor: &[(&str, &str)] = &[("style", "minor")];
        // 75 and 100 by Student's t with one degree of freedom: 87.5 - 158.8 to 87.5 + 158.8.
        let (interval, why, table) = all(&[("xtomi", "de", critical), ("xtomi", "de", &[])]);
        assert_eq!(interval, None);
        assert!(why.contains("over 2 stories would leave the scale, 0 to 100"), "{why}");
        assert!(table.contains("too few texts"), "{table}");
        let (_, why, table) = all(&[("xtomi", "de", minor)]);
        assert!(why.contains("fewer than two stories") && table.contains("too few texts"), "{why}");
        let four =
            [("xtomi", "de", critical), ("xtomi", "de", critical), ("xtomi", "de", minor), ("xtomi", "de", minor)];
        assert!(all(&four).1.contains("over 4 stories"), "the upper end would be above 100");
        let (interval, why, _) = all(&[&four[..], &four, &four].concat());
        let (low, high) = interval.unwrap();
        assert!(why.is_empty() && low > 78.0 && low < high && high < 96.0, "{low} {high}");
    }

    #[test]
    fn agreement_has_intervals_from_five_stories_on() {
        let units = |other: &'static [&'static str], count: usize| -> Vec<(String, &'static [&'static str])> {
            let labels = |number: usize| -> &'static [&'static str] {
                match (number % 2, number % 3) {
                    (0, _) => &[],
                    (_, 0) => other,
                    _ => &[DEPTH],
                }
            };
            (0..count).map(|number| (format!("u{number}"), labels(number))).collect()
        };
        let judged = |count: usize| {
            let of = |rater: &str, units: &[(String, &'static [&'static str])]| {
                let units: Vec<(&str, &str, &[&str])> =
                    units.iter().map(|(id, labels)| (id.as_str(), "1", *labels)).collect();
                export(rater, json!({}), &units)
            };
            let exports = [of("p1", &units(&[DEPTH], count)), of("p2", &units(&[], count))];
            Judged::new(&Scheme::named("hi-tom-errors").unwrap(), &exports).unwrap()
        };
        let few = judged(4);
        assert_eq!(few.questions[0].agreement[0].pairs[0].kappa, None);
        let many = judged(30);
        let on = &many.questions[0].agreement[0];
        let (low, high) = on.pairs[0].kappa.unwrap();
        let kappa = on.agreement.pairs[0].kappa.unwrap();
        assert!(-1.0 < low && low < kappa && kappa < high && high < 1.0, "{low} {kappa} {high}");
        let (low, high) = on.all.same.unwrap();
        assert!(low < on.agreement.same.unwrap() && on.agreement.same.unwrap() < high, "{low} {high}");
        // Nobody gives this label: nothing varies.
        assert_eq!(many.questions[0].agreement[3].pairs[0].kappa, None);
    }

    #[test]
    fn other_schemes_and_values_are_refused() {
        let other = Judged::new(&Scheme::named("xtom-irrelevant").unwrap(), &two()).unwrap_err();
        assert!(other.to_string().contains("p1 used scheme `hi-tom-errors`"), "{other}");
        let wrong = export("p1", json!({}), &[("a", "1", &["laziness"])]);
        let error = Judged::new(&Scheme::named("hi-tom-errors").unwrap(), &[wrong]).unwrap_err().to_string();
        assert!(error.contains("has no label `laziness`"), "{error}");
        let changed = Scheme { sha256: "0".into(), ..Scheme::named("hi-tom-errors").unwrap() };
        assert!(matches!(Judged::new(&changed, &two()), Err(JudgedError::ChangedScheme(..))));
    }
}
