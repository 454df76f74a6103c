//! Twins against each other: cases that differ in one thing, each pair an observation.

use indexmap::IndexMap;

use super::document::{Case, ModelRecord};
use super::head_maps::adjusted;
use super::records::rounded;
use super::role_records::{TwinQuantityRecord, TwinsRecord};
use super::stories::Stories;
use crate::benchmark::Role;
use crate::language::Language;
use crate::metric::stats::clustered_mean;

/// What a case tells its twins: its places in pairs, and what is compared. Everything is from the case alone.
#[derive(Debug, Clone, PartialEq)]
pub struct TwinFinding {
    item: String,
    reordered: bool,
    compared_only: bool,
    model: usize,
    language: Language,
    parallel: String,
    story: String,
    belief: Option<bool>,
    order: Option<usize>,
    form: Option<String>,
    values: Vec<(String, f64)>,
}

impl TwinFinding {
    /// What a case tells; `None` without a row.
    pub fn of(case: &Case) -> Option<Self> {
        let row = case.rows.first()?;
        let roles = case.roles.as_ref();
        let mut values = vec![("words in scope".to_string(), row.on_words)];
        values.extend(row.half_way.map(|half_way| ("half-way".to_string(), half_way)));
        let mass = |role: Role| {
            roles.and_then(|roles| roles.role(role)).filter(|record| record.mentions > 0).map(|record| record.story)
        };
        values.extend(Role::ALL.into_iter().filter_map(|role| Some((role.name().to_string(), mass(role)?))));
        if let (Some(original), Some(actual)) = (mass(Role::Original), mass(Role::Actual)) {
            values.push(("original-actual".to_string(), original - actual));
        }
        Some(TwinFinding {
            item: case.item.clone(),
            reordered: case.variant.starts_with("options in"),
            compared_only: case.compared_only,
            model: case.model,
            language: case.language,
            parallel: case.parallel.clone(),
            story: case.story.clone(),
            belief: roles.and_then(|roles| roles.belief),
            order: roles.and_then(|roles| roles.order),
            form: roles.and_then(|roles| roles.form.clone()),
            values,
        })
    }
}

type Pair<'a> = (&'a TwinFinding, &'a TwinFinding);

/// Every kind of twins that the cases of a model have.
pub fn twins(findings: &[TwinFinding], models: &[ModelRecord]) -> Vec<TwinsRecord> {
    let mut found = Vec::new();
    for model in 0..models.len() {
        let own: Vec<&TwinFinding> = findings.iter().filter(|finding| finding.model == model).collect();
        let shown: Vec<&TwinFinding> = own.iter().copied().filter(|finding| !finding.compared_only).collect();
        let beliefs = ("false belief".to_string(), "true belief".to_string());
        let sides =
            |kind: &str, sides, (pairs, alone): (Vec<Pair<'_>>, usize)| record(kind, model, sides, &pairs, alone);
        let by_story = |finding: &TwinFinding| Some(format!("{} {}", finding.story, finding.order?));
        found.extend(sides("story", beliefs.clone(), by_belief(&shown, by_story)));
        found.extend(sides("form", beliefs, by_belief(&shown, |finding| finding.form.clone())));
        if let Some((first, second, pairs)) = by_language(&shown) {
            found.extend(sides("language", (first.name().to_string(), second.name().to_string()), pairs));
        }
        let orders = ("order shown".to_string(), "other order".to_string());
        found.extend(sides("order", orders, by_order(&own)));
    }
    found
}

/// Cases with a false and with a true belief that have one key, paired in their order.
fn by_belief<'a>(shown: &[&'a TwinFinding], key: impl Fn(&TwinFinding) -> Option<String>) -> (Vec<Pair<'a>>, usize) {
    let mut keyed: IndexMap<String, [Vec<&'a TwinFinding>; 2]> = IndexMap::new();
    for finding in shown {
        if let (Some(belief), Some(key)) = (finding.belief, key(finding)) {
            keyed.entry(key).or_default()[usize::from(belief)].push(finding);
        }
    }
    paired(keyed)
}

fn by_language<'a>(shown: &[&'a TwinFinding]) -> Option<(Language, Language, (Vec<Pair<'a>>, usize))> {
    let first = shown.first()?.language;
    let second = shown.iter().map(|finding| finding.language).find(|language| *language != first)?;
    let mut keyed: IndexMap<String, [Vec<&'a TwinFinding>; 2]> = IndexMap::new();
    for finding in shown.iter().filter(|finding| !finding.parallel.is_empty()) {
        let Some(side) = [first, second].iter().position(|language| *language == finding.language) else { continue };
        keyed.entry(finding.parallel.clone()).or_default()[side].push(finding);
    }
    Some((first, second, paired(keyed)))
}

fn by_order<'a>(own: &[&'a TwinFinding]) -> (Vec<Pair<'a>>, usize) {
    let mut keyed: IndexMap<String, [Vec<&'a TwinFinding>; 2]> = IndexMap::new();
    for finding in own {
        if !finding.compared_only {
            keyed.entry(finding.item.clone()).or_default()[0].push(finding);
        } else if finding.reordered {
            keyed.entry(finding.item.clone()).or_default()[1].push(finding);
        }
    }
    paired(keyed)
}

/// The first of one side with the first of the other, and so on; and how many are left alone.
fn paired<'a>(keyed: IndexMap<String, [Vec<&'a TwinFinding>; 2]>) -> (Vec<Pair<'a>>, usize) {
    let all: usize = keyed.values().flatten().map(Vec::len).sum();
    let pairs: Vec<Pair<'a>> = keyed.into_values().flat_map(|[first, second]| first.into_iter().zip(second)).collect();
    let alone = all - 2 * pairs.len();
    (pairs, alone)
}

fn record(kind: &str, model: usize, sides: (String, String), pairs: &[Pair<'_>], alone: usize) -> Option<TwinsRecord> {
    if pairs.is_empty() {
        return None;
    }
    let mut stories = Stories::default();
    for (first, second) in pairs {
        let (one, other) = (stories.number(&first.story), stories.number(&second.story));
        stories.tie(one, other);
    }
    let mut clusters: Vec<usize> = Vec::new();
    for (first, _) in pairs {
        let number = stories.number(&first.story);
        clusters.push(stories.root(number));
    }
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in pairs.iter().flat_map(|(first, _)| &first.values) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let value = |finding: &TwinFinding, name: &str| {
        finding.values.iter().find(|(known, _)| known == name).map(|(_, value)| *value)
    };
    let mut quantities: Vec<TwinQuantityRecord> = names
        .into_iter()
        .filter_map(|name| {
            let both: Vec<(f64, f64, usize)> = pairs
                .iter()
                .zip(&clusters)
                .filter_map(|((first, second), story)| Some((value(first, name)?, value(second, name)?, *story)))
                .collect();
            let mean =
                |number: &dyn Fn(&(f64, f64, usize)) -> f64| both.iter().map(number).sum::<f64>() / both.len() as f64;
            let differences: Vec<f64> = both.iter().map(|(first, second, _)| first - second).collect();
            let stories: Vec<usize> = both.iter().map(|(.., story)| *story).collect();
            let test = clustered_mean(&differences, &stories);
            (!both.is_empty()).then(|| TwinQuantityRecord {
                quantity: name.to_string(),
                pairs: both.len(),
                first: rounded(mean(&|pair| pair.0)),
                second: rounded(mean(&|pair| pair.1)),
                difference: rounded(mean(&|pair| pair.0 - pair.1)),
                interval: test.map(|test| test.unbounded_interval()).map(|(low, high)| (rounded(low), rounded(high))),
                p: test.and_then(|test| test.p_value()),
                holm: None,
            })
        })
        .collect();
    let holm = adjusted(&quantities.iter().map(|quantity| quantity.p).collect::<Vec<_>>());
    quantities.iter_mut().zip(holm).for_each(|(quantity, holm)| quantity.holm = holm);
    clusters.sort_unstable();
    clusters.dedup();
    Some(TwinsRecord {
        kind: kind.to_string(),
        model,
        sides,
        pairs: pairs.len(),
        stories: clusters.len(),
        alone,
        quantities,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(item: &str, story: &str, belief: bool, form: &str, original: f64) -> TwinFinding {
        TwinFinding {
            item: item.into(),
            reordered: false,
            compared_only: false,
            model: 0,
            language: Language::En,
            parallel: item.into(),
            story: story.into(),
            belief: Some(belief),
            order: Some(1),
            form: Some(form.into()),
            values: vec![("original".into(), original), ("actual".into(), 0.25)],
        }
    }

    fn model() -> Vec<ModelRecord> {
        let model = ModelRecord {
            name: "m".into(),
            sha256: IndexMap::new(),
            layers: 2,
            heads: 2,
            dtype: "f32".into(),
            template_variables: Default::default(),
            chat_template: None,
        };
        vec![model]
    }

    #[test]
    fn twins_of_one_story_and_of_one_form_are_paired_once_each() {
        let findings = [
            finding("1", "a", false, "x", 0.5),
            finding("2", "a", true, "y", 0.25),
            finding("3", "b", false, "x", 0.75),
            finding("4", "b", true, "y", 0.25),
            finding("5", "c", true, "x", 0.5),
            finding("6", "d", false, "z", 0.5),
        ];
        let found = twins(&findings, &model());
        let kinds: Vec<(&str, usize, usize, usize)> =
            found.iter().map(|record| (record.kind.as_str(), record.pairs, record.stories, record.alone)).collect();
        assert_eq!(kinds, [("story", 2, 2, 2), ("form", 1, 1, 4)]);
        let original = &found[0].quantities[0];
        assert_eq!((original.first, original.second, original.difference), (0.625, 0.25, 0.375));
        // Differences 0.25 and 0.5: standard error 0.125, t = 3 with one degree of freedom, p = 2 atan(1/3) / pi.
        assert!((original.p.unwrap() - 2.0 * (1.0f64 / 3.0).atan() / std::f64::consts::PI).abs() < 1e-9);
        assert_eq!(original.holm, original.p, "the other quantity does not vary and has no test");
        assert_eq!(found[0].quantities[1].p, None);
        assert_eq!(found[1].quantities[0].interval, None, "one story has no interval");
    }

    #[test]
    fn languages_and_orders_make_twins() {
        let en = TwinFinding { parallel: "1".into(), ..finding("1/en", "a/en", false, "", 0.5) };
        let zh = TwinFinding {
            parallel: "1".into(),
            language: Language::Zh,
            belief: None,
            ..finding("1/zh", "a/zh", false, "", 0.25)
        };
        let other = TwinFinding { compared_only: true, reordered: true, ..en.clone() };
        let without = TwinFinding { compared_only: true, ..en.clone() };
        let found = twins(&[en, zh, other, without], &model());
        let kinds: Vec<(&str, usize, usize)> =
            found.iter().map(|record| (record.kind.as_str(), record.pairs, record.alone)).collect();
        assert_eq!(kinds, [("language", 1, 0), ("order", 1, 1)]);
        assert_eq!(found[0].sides, ("English".to_string(), "Chinese".to_string()));
    }
}
