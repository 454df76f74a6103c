//! Comparison of two groups of cases within strata.

use indexmap::IndexMap;

use super::places::Place;
use super::sides::Grouping;
use crate::attend::results::{DifferenceRecord, DifferencesRecord, LeftOutRecord, WithinRecord, rounded, rounded_ends};
use crate::benchmark::Facets;
use crate::stats::{FEWEST_STORIES_A_GROUP, Membership, Stratified, StratifiedDifference, holm_of_known};

/// The cases of two groups.
#[derive(Debug, Clone)]
pub struct Sides<'a> {
    way: &'a Grouping,
    /// The first and second group.
    pub names: (String, String),
    /// Cases with their index among the given ones, and whether they belong to the second group.
    pub members: Vec<(usize, &'a Place, bool)>,
}

impl<'a> Sides<'a> {
    /// The two sides of these cases; `None` unless there are two.
    pub fn new(way: &'a Grouping, cases: &[&'a Place]) -> Option<Self> {
        let groups: Vec<Option<String>> = cases.iter().map(|place| way.group(place)).collect();
        let names = way.sides(groups.iter().flatten().map(String::as_str))?;
        let members = cases.iter().zip(&groups).enumerate().filter_map(|(number, (place, group))| {
            let second = group.as_ref() == Some(&names.1);
            (second || group.as_ref() == Some(&names.0)).then_some((number, *place, second))
        });
        Some(Sides { way, members: members.collect(), names })
    }

    /// These sides, restricted to cases whose index satisfies `has`.
    pub fn only(&self, has: impl Fn(usize) -> bool) -> Self {
        let members = self.members.iter().filter(|(number, ..)| has(*number)).copied().collect();
        Sides { way: self.way, names: self.names.clone(), members }
    }

    /// Whether both sides have cases.
    pub fn are_two(&self) -> bool {
        [true, false].iter().all(|side| self.members.iter().any(|(.., second)| second == side))
    }

    /// Compares the sides within strata. The facet that defines the groups is not part of a stratum.
    pub fn within(&self) -> Within {
        let mut strata: IndexMap<String, (usize, usize)> = IndexMap::new();
        let mut memberships = Vec::with_capacity(self.members.len());
        for &(_, place, second) in &self.members {
            let entry = strata.entry(described(&place.stratum, self.way.facet()));
            let stratum = entry.index();
            let (first_items, second_items) = entry.or_default();
            *(if second { second_items } else { first_items }) += 1;
            memberships.push(Membership { stratum, story: place.story, second });
        }
        let design = Stratified::new(&memberships);
        let left_out = strata
            .into_iter()
            .enumerate()
            .filter(|(number, _)| !design.strata().contains(number))
            .map(|(_, (stratum, items))| LeftOutRecord { stratum, items });
        let record = WithinRecord {
            strata: design.strata().len(),
            items: design.items(),
            stories: design.stories(),
            left_out: left_out.collect(),
            reason: self.reason(&design),
        };
        Within { record, design }
    }

    fn reason(&self, design: &Stratified) -> Option<String> {
        let (first, second) = design.stories();
        let (fewer, name) = if first <= second { (first, &self.names.0) } else { (second, &self.names.1) };
        match fewer {
            0 => Some("no stratum has two stories of each group".to_string()),
            FEWEST_STORIES_A_GROUP.. => None,
            _ => Some(format!(
                "{fewer} stories of {name} in strata that have both groups; {FEWEST_STORIES_A_GROUP} are needed"
            )),
        }
    }

    /// Compares numbers of the cases, with Holm adjustment over all of them. Each has a name, a unit, and the values of
    /// all given cases; numbers missing from a whole group are left out.
    pub fn differences(
        &self,
        model: Option<usize>,
        quantities: &[(String, &str, Vec<Option<f64>>)],
    ) -> DifferencesRecord {
        let record = |(name, unit, values): &(String, &str, Vec<Option<f64>>)| {
            let sides = self.only(|number| values[number].is_some());
            if !sides.are_two() {
                return None;
            }
            let within = sides.within();
            let own: Vec<f64> = sides.members.iter().filter_map(|(number, ..)| values[*number]).collect();
            let found = within.difference(&own);
            let interval = found.and_then(|found| found.interval());
            Some(DifferenceRecord {
                quantity: name.clone(),
                unit: unit.to_string(),
                within: within.record,
                first: found.map(|found| rounded(found.first)),
                second: found.map(|found| rounded(found.second)),
                difference: found.map(|found| rounded(found.difference())),
                interval: interval.map(rounded_ends),
                p: found.and_then(|found| found.p_value()),
                holm: None,
            })
        };
        let mut quantities: Vec<DifferenceRecord> = quantities.iter().filter_map(record).collect();
        let holm = holm_of_known(&quantities.iter().map(|quantity| quantity.p).collect::<Vec<_>>());
        quantities.iter_mut().zip(holm).for_each(|(quantity, holm)| quantity.holm = holm);
        DifferencesRecord { model, groups: self.names.clone(), quantities }
    }
}

/// Two groups of cases within strata, for comparing any number of values.
#[derive(Debug, Clone)]
pub struct Within {
    /// Basis of the comparison.
    pub record: WithinRecord,
    design: Stratified,
}

impl Within {
    /// Combined difference of values, given for each member of the sides in order; `None` if the record has a reason.
    pub fn difference(&self, values: &[f64]) -> Option<StratifiedDifference> {
        self.design.difference(values)
    }

    /// Indices of the compared members.
    pub fn compared(&self) -> impl Iterator<Item = usize> {
        self.design.places()
    }
}

/// Describes a stratum without the facet `but`: `hi-tom, English, 15 options, prompting VP, order 2`.
fn described(stratum: &Facets, but: Option<&str>) -> String {
    let part = |(name, value): (&String, &String)| match name.as_str() {
        "benchmark" | "language" => value.clone(),
        "options" => format!("{value} options"),
        _ => format!("{name} {value}"),
    };
    stratum.iter().filter(|(name, _)| Some(name.as_str()) != but).map(part).collect::<Vec<_>>().join(", ")
}

/// Cases for tests.
#[cfg(test)]
pub mod tests {
    use super::super::places::Places;
    use super::*;
    use crate::attend::results::Case;
    use crate::attend::view::examples::document;
    use crate::language::Language;

    /// A case in a stratum and a story, answered rightly or wrongly.
    pub fn place(stratum: &str, story: usize, right: bool) -> Place {
        Place {
            model: 0,
            model_name: "m".into(),
            story,
            stratum: [("benchmark", stratum), ("language", "English")]
                .map(|(name, value)| (name.into(), value.into()))
                .into(),
            language: Language::En,
            right: Some(right),
            belief: None,
            facets: Facets::new(),
        }
    }

    #[test]
    fn strata_are_told_with_what_is_left_out() {
        // Five stories of each side in one stratum, and one with only right answers.
        let mut places: Vec<Place> = (0..10).map(|story| place("tomi", story, story > 4)).collect();
        places.extend((10..13).map(|story| place("hi-tom", story, true)));
        let sides = Sides::new(&Grouping::Verdict, &places.iter().collect::<Vec<_>>()).unwrap();
        let found = sides.within();
        assert_eq!((found.record.strata, found.record.items, found.record.stories), (1, (5, 5), (5, 5)));
        assert_eq!(found.record.reason, None);
        let left: Vec<(&str, (usize, usize))> =
            found.record.left_out.iter().map(|left| (left.stratum.as_str(), left.items)).collect();
        assert_eq!(left, [("hi-tom, English", (0, 3))]);
        let few = sides.only(|number| number > 0).within().record.reason.unwrap();
        assert_eq!(few, "4 stories of wrong answers in strata that have both groups; 5 are needed");
        let none = sides.only(|number| number > 3).within().record.reason.unwrap();
        assert_eq!(none, "no stratum has two stories of each group");
    }

    #[test]
    fn a_facet_that_makes_the_groups_is_no_part_of_their_strata() {
        let with = |story: usize, order: &str| {
            let mut place = place("hi-tom", story, true);
            place.facets.insert("order".into(), order.into());
            place.stratum.insert("order".into(), order.into());
            place
        };
        let places: Vec<Place> = (0..10).map(|story| with(story, if story < 5 { "1" } else { "2" })).collect();
        let way = Grouping::Facet("order".into());
        let found = Sides::new(&way, &places.iter().collect::<Vec<_>>()).unwrap().within().record;
        assert_eq!((found.strata, found.reason), (1, None));
        assert_eq!(described(&places[0].stratum, None), "hi-tom, English, order 1");
    }

    #[test]
    fn numbers_of_two_groups_are_adjusted_among_themselves() {
        let places: Vec<Place> = (0..12).map(|story| place("tomi", story, story > 5)).collect();
        let sides = Sides::new(&Grouping::Verdict, &places.iter().collect::<Vec<_>>()).unwrap();
        let values = |of: &dyn Fn(usize) -> Option<f64>| (0..12).map(of).collect::<Vec<_>>();
        let quantities = [
            (
                "differs".to_string(),
                "share",
                values(&|at| Some((if at > 5 { 0.1 } else { 0.5 }) + 0.01 * (at % 3) as f64)),
            ),
            ("does not".to_string(), "share", values(&|at| Some(0.1 * (at % 3) as f64))),
            ("few".to_string(), "bits", values(&|at| (at > 2).then_some(1.0))),
            ("one side".to_string(), "bits", values(&|at| (at > 5).then_some(1.0))),
        ];
        let found = sides.differences(Some(0), &quantities);
        let names: Vec<&str> = found.quantities.iter().map(|one| one.quantity.as_str()).collect();
        assert_eq!(names, ["differs", "does not", "few"]);
        let [differs, same, few] = &found.quantities[..] else { panic!("{found:?}") };
        assert!((differs.difference.unwrap() - 0.4).abs() < 1e-6 && differs.holm == differs.p.map(|p| 2.0 * p));
        assert_eq!((same.difference, same.p), (Some(0.0), Some(1.0)));
        assert!(few.difference.is_none() && few.within.reason.as_ref().unwrap().starts_with("3 stories of wrong"));
    }

    /// Twelve stories with two questions in one language and presentation, whose texts and answers vary with the story.
    fn half(places: &mut Places, name: &str, facet: &str) -> Vec<Option<f64>> {
        let mut value = |number: usize| {
            let story = number / 2;
            let mut case = Case { right: Some(!(number * 5).is_multiple_of(3)), ..document().cases.remove(0) };
            case.stratum.insert(facet.into(), name.into());
            (case.story, case.parallel) = (format!("{story}/{name}"), format!("{story}/{}", number % 2));
            places.add(&case, &[]);
            Some(f64::from((number * 7) as u32 % 11))
        };
        (0..24).map(&mut value).collect()
    }

    #[test]
    fn the_same_items_in_another_language_or_presentation_narrow_no_interval() {
        for (facet, names) in [("language", ["English", "Chinese"]), ("prompting", ["VP", "CoTP"])] {
            let of = |names: &[&str]| {
                let mut places = Places::default();
                let values: Vec<Option<f64>> = names.iter().flat_map(|name| half(&mut places, name, facet)).collect();
                let places = places.settled();
                let sides = Sides::new(&Grouping::Verdict, &places.iter().collect::<Vec<_>>()).unwrap();
                sides.differences(None, &[("value".to_string(), "share", values)]).quantities.remove(0)
            };
            let (once, twice) = (of(&names[..1]), of(&names));
            assert_eq!((once.within.strata, twice.within.strata), (1, 2));
            assert_eq!(once.within.stories, twice.within.stories, "{facet}");
            let ((low, high), (other_low, other_high)) = (once.interval.unwrap(), twice.interval.unwrap());
            assert!((low - other_low).abs() < 1e-6 && (high - other_high).abs() < 1e-6, "{once:?} {twice:?}");
        }
    }
}
