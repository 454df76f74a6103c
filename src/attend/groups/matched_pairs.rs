//! Matched pairs: cases that differ in one respect, with each pair as an observation.

use indexmap::IndexMap;

use super::places::{Places, distinct};
use crate::attend::results::{Case, MatchedPairQuantityRecord, MatchedPairsRecord, ModelRecord, rounded, rounded_ends};
use crate::benchmark::Role;
use crate::language::Language;
use crate::stats::{clustered_mean, holm_of_known};

/// Values of a case for matched pairs: the fields it is paired by, and the compared values. Uses that case only.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchedPairFinding {
    /// Index of its place.
    place: usize,
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

impl MatchedPairFinding {
    /// Collects the values of a case; `None` without a row.
    pub fn new(case: &Case, place: usize) -> Option<Self> {
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
        Some(MatchedPairFinding {
            place,
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

type Pair<'a> = (&'a MatchedPairFinding, &'a MatchedPairFinding);

/// All kinds of matched pairs among the cases of each model.
pub fn matched_pairs(
    places: &Places,
    findings: &[MatchedPairFinding],
    models: &[ModelRecord],
) -> Vec<MatchedPairsRecord> {
    let mut found = Vec::new();
    for model in 0..models.len() {
        let own: Vec<&MatchedPairFinding> = findings.iter().filter(|finding| finding.model == model).collect();
        let shown: Vec<&MatchedPairFinding> = own.iter().copied().filter(|finding| !finding.compared_only).collect();
        let beliefs = ("false belief".to_string(), "true belief".to_string());
        let sides = |kind: &str, sides, (pairs, alone): (Vec<Pair<'_>>, usize)| {
            record(places, kind, model, sides, (&pairs, alone))
        };
        let by_story = |finding: &MatchedPairFinding| Some(format!("{} {}", finding.story, finding.order?));
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

/// Pairs cases with a false and with a true belief that have the same key, in order.
fn by_belief<'a>(
    shown: &[&'a MatchedPairFinding],
    key: impl Fn(&MatchedPairFinding) -> Option<String>,
) -> (Vec<Pair<'a>>, usize) {
    let mut keyed: IndexMap<String, [Vec<&'a MatchedPairFinding>; 2]> = IndexMap::new();
    for finding in shown {
        if let (Some(belief), Some(key)) = (finding.belief, key(finding)) {
            keyed.entry(key).or_default()[usize::from(belief)].push(finding);
        }
    }
    paired(keyed)
}

fn by_language<'a>(shown: &[&'a MatchedPairFinding]) -> Option<(Language, Language, (Vec<Pair<'a>>, usize))> {
    let first = shown.first()?.language;
    let second = shown.iter().map(|finding| finding.language).find(|language| *language != first)?;
    let mut keyed: IndexMap<String, [Vec<&'a MatchedPairFinding>; 2]> = IndexMap::new();
    for finding in shown.iter().filter(|finding| !finding.parallel.is_empty()) {
        let Some(side) = [first, second].iter().position(|language| *language == finding.language) else { continue };
        keyed.entry(finding.parallel.clone()).or_default()[side].push(finding);
    }
    Some((first, second, paired(keyed)))
}

fn by_order<'a>(own: &[&'a MatchedPairFinding]) -> (Vec<Pair<'a>>, usize) {
    let mut keyed: IndexMap<String, [Vec<&'a MatchedPairFinding>; 2]> = IndexMap::new();
    for finding in own {
        if !finding.compared_only {
            keyed.entry(finding.item.clone()).or_default()[0].push(finding);
        } else if finding.reordered {
            keyed.entry(finding.item.clone()).or_default()[1].push(finding);
        }
    }
    paired(keyed)
}

/// Pairs the first of one side with the first of the other, and so on; also returns how many are left unpaired.
fn paired<'a>(keyed: IndexMap<String, [Vec<&'a MatchedPairFinding>; 2]>) -> (Vec<Pair<'a>>, usize) {
    let all: usize = keyed.values().flatten().map(Vec::len).sum();
    let pairs: Vec<Pair<'a>> = keyed.into_values().flat_map(|[first, second]| first.into_iter().zip(second)).collect();
    let alone = all - 2 * pairs.len();
    (pairs, alone)
}

fn record(
    places: &Places,
    kind: &str,
    model: usize,
    sides: (String, String),
    (pairs, alone): (&[Pair<'_>], usize),
) -> Option<MatchedPairsRecord> {
    if pairs.is_empty() {
        return None;
    }
    // A pair depends on both of its stories.
    let stories = places.tied(&pairs.iter().map(|(first, second)| (first.place, second.place)).collect::<Vec<_>>());
    let clusters: Vec<usize> = pairs.iter().map(|(first, _)| stories[first.place]).collect();
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in pairs.iter().flat_map(|(first, _)| &first.values) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let value = |finding: &MatchedPairFinding, name: &str| {
        finding.values.iter().find(|(known, _)| known == name).map(|(_, value)| *value)
    };
    let mut quantities: Vec<MatchedPairQuantityRecord> = names
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
            (!both.is_empty()).then(|| MatchedPairQuantityRecord {
                quantity: name.to_string(),
                pairs: both.len(),
                first: rounded(mean(&|pair| pair.0)),
                second: rounded(mean(&|pair| pair.1)),
                difference: rounded(mean(&|pair| pair.0 - pair.1)),
                interval: test.map(|test| test.unbounded_interval()).map(rounded_ends),
                p: test.and_then(|test| test.p_value()),
                holm: None,
            })
        })
        .collect();
    let holm = holm_of_known(&quantities.iter().map(|quantity| quantity.p).collect::<Vec<_>>());
    quantities.iter_mut().zip(holm).for_each(|(quantity, holm)| quantity.holm = holm);
    Some(MatchedPairsRecord {
        kind: kind.to_string(),
        model,
        sides,
        pairs: pairs.len(),
        stories: distinct(&clusters),
        alone,
        quantities,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attend::view::examples::document;

    /// Builds findings from item, story, belief, form and mass on the original location, with their places.
    fn findings(made: &[(&str, &str, bool, &str, f64)]) -> (Places, Vec<MatchedPairFinding>) {
        let mut places = Places::default();
        let case = document().cases.remove(0);
        let finding = |&(item, story, belief, form, original): &(&str, &str, bool, &str, f64)| {
            let parallel = item.split('/').next().unwrap_or(item).to_string();
            let case = Case { story: story.into(), parallel: parallel.clone(), ..case.clone() };
            MatchedPairFinding {
                place: places.add(&case, &[]),
                item: item.into(),
                reordered: false,
                compared_only: false,
                model: 0,
                language: if item.ends_with("/zh") { Language::Zh } else { Language::En },
                parallel,
                story: story.into(),
                belief: Some(belief),
                order: Some(1),
                form: Some(form.into()),
                values: vec![("original".into(), original), ("actual".into(), 0.25)],
            }
        };
        let findings = made.iter().map(finding).collect();
        (places, findings)
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
        let (places, findings) = findings(&[
            ("1", "a", false, "x", 0.5),
            ("2", "a", true, "y", 0.25),
            ("3", "b", false, "x", 0.75),
            ("4", "b", true, "y", 0.25),
            ("5", "c", true, "x", 0.5),
            ("6", "d", false, "z", 0.5),
        ]);
        let found = matched_pairs(&places, &findings, &model());
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
        let made = [("1/en", "a/en", false, "", 0.5), ("1/zh", "a/zh", false, "", 0.25)];
        let (mut places, mut found) = findings(&made);
        found[1].belief = None;
        let case = Case { story: "a/en".into(), parallel: "1".into(), ..document().cases.remove(0) };
        let other = MatchedPairFinding {
            place: places.add(&case, &[]),
            compared_only: true,
            reordered: true,
            ..found[0].clone()
        };
        let without = MatchedPairFinding { place: places.add(&case, &[]), compared_only: true, ..found[0].clone() };
        found.extend([other, without]);
        let found = matched_pairs(&places, &found, &model());
        let kinds: Vec<(&str, usize, usize)> =
            found.iter().map(|record| (record.kind.as_str(), record.pairs, record.alone)).collect();
        assert_eq!(kinds, [("language", 1, 0), ("order", 1, 1)]);
        assert_eq!(found[0].sides, ("English".to_string(), "Chinese".to_string()));
    }

    #[test]
    fn pairs_in_two_languages_are_one_story() {
        // The same two stories in English and in Chinese: four pairs, but only two independent stories.
        let made = [
            ("1/en", "a/en", false, "", 0.5),
            ("2/en", "a/en", true, "", 0.25),
            ("1/zh", "a/zh", false, "", 0.5),
            ("2/zh", "a/zh", true, "", 0.25),
            ("3/en", "b/en", false, "", 0.75),
            ("4/en", "b/en", true, "", 0.25),
            ("3/zh", "b/zh", false, "", 0.75),
            ("4/zh", "b/zh", true, "", 0.25),
        ];
        let of = |made: &[_]| {
            let (places, findings) = findings(made);
            matched_pairs(&places, &findings, &model()).remove(0)
        };
        let english: Vec<_> = made.iter().filter(|(item, ..)| item.ends_with("/en")).copied().collect();
        let (both, one) = (of(&made), of(&english));
        assert_eq!((both.kind.as_str(), both.pairs, both.stories, one.stories), ("story", 4, 2, 2));
        assert_eq!(both.quantities[0].interval, one.quantities[0].interval);
    }
}
