//! The sides of a comparison.

use std::collections::HashSet;

use indexmap::{IndexMap, IndexSet};
use strum::{IntoStaticStr, VariantArray};

use super::CompareError;
use crate::answer::Outcome;
use crate::metric::Subject;
use crate::name::named;

/// One side of a comparison.
#[derive(Debug, Clone)]
pub struct Side<'a> {
    /// Name of the side, unique among all sides.
    pub label: String,
    /// How the answers were obtained, for instance `letters`. Log-probabilities of sides with different methods are not
    /// compared.
    pub answers: String,
    /// The model that answered.
    pub model: Subject,
    /// Outcome of each item.
    pub outcomes: Vec<&'a Outcome<'a>>,
}

/// Property that splits the outcomes of one or several runs into sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Between {
    /// The language of an item.
    Language,
    /// Its variant, for instance direct or cultural.
    Variant,
    /// The style of the prompt.
    Style,
    /// Changed presentation; `plain` if unchanged.
    Condition,
}

named!(Between, "property that sides differ in");

impl Between {
    /// The value of an outcome; `None` if its item has none.
    pub(super) fn value<'o>(self, outcome: &'o Outcome<'_>) -> Option<&'o str> {
        match self {
            Between::Language => Some(outcome.item.language.code()),
            Between::Variant => outcome.item.facet("variant"),
            Between::Style => Some(&outcome.style),
            Between::Condition => Some(outcome.condition.as_deref().unwrap_or("plain")),
        }
    }

    /// The value that others are compared with unless another is chosen: English for languages, otherwise the first.
    pub(super) fn reference<'v>(self, mut values: impl Iterator<Item = &'v str> + Clone) -> Option<&'v str> {
        let english = values.clone().find(|value| matches!(self, Between::Language) && *value == "en");
        english.or_else(|| values.next())
    }
}

/// One side for each value of a property and each model, from the outcomes of all given sides, in order of first
/// occurrence. Sides of several models are named by model and value. Outcomes without a value are dropped.
pub fn split<'a>(sides: &[Side<'a>], between: Between) -> Result<Vec<Side<'a>>, CompareError> {
    let mut split: IndexMap<&str, IndexMap<&'a str, Side<'a>>> = IndexMap::new();
    let mut answers: IndexMap<(&str, &str), IndexSet<&str>> = IndexMap::new();
    for side in sides {
        let of_model = split.entry(side.model.key()).or_default();
        for &outcome in &side.outcomes {
            let Some(value) = between.value(outcome) else { continue };
            let entry = || Side { label: value.to_string(), outcomes: Vec::new(), ..side.clone() };
            let of_value = of_model.entry(value).or_insert_with(entry);
            if answers.entry((side.model.key(), value)).or_default().insert(&side.answers)
                && !of_value.outcomes.is_empty()
            {
                of_value.answers = format!("{}; {}", of_value.answers, side.answers);
            }
            of_value.outcomes.push(outcome);
        }
    }
    let values: IndexSet<&str> = split.values().flat_map(|of_model| of_model.keys().copied()).collect();
    if values.len() < 2 {
        let value = values.first().map(|value| value.to_string());
        return Err(CompareError::OneValue { between: between.name(), value });
    }
    let names = model_names(sides);
    let lacks = |(of_model, name): (&IndexMap<&str, Side<'a>>, &String)| {
        let lacking: Vec<&str> = values.iter().copied().filter(|value| !of_model.contains_key(value)).collect();
        (!lacking.is_empty()).then(|| format!("{name}: {}", lacking.join(", ")))
    };
    let lacking: Vec<String> = split.values().zip(&names).filter_map(lacks).collect();
    if !lacking.is_empty() {
        return Err(CompareError::Lacking { between: between.name(), lacking });
    }
    let several = names.len() > 1;
    let of_model = |(of_model, name): (IndexMap<&str, Side<'a>>, String)| {
        let named = move |(value, side): (&str, Side<'a>)| Side {
            label: if several { format!("{name}, {value}") } else { side.label },
            model: Subject { name: name.clone(), ..side.model },
            ..side
        };
        of_model.into_iter().map(named).collect::<Vec<_>>()
    };
    Ok(split.into_values().zip(names).flat_map(of_model).collect())
}

/// A distinct name for each model, in order of first occurrence: its own, or the label of its first side.
fn model_names(sides: &[Side<'_>]) -> Vec<String> {
    let mut first: IndexMap<&str, &Side<'_>> = IndexMap::new();
    for side in sides {
        first.entry(side.model.key()).or_insert(side);
    }
    let named_alike = |name: &str| first.values().filter(|side| side.model.name == name).count() > 1;
    let name = |side: &&Side<'_>| if named_alike(&side.model.name) { &side.label } else { &side.model.name }.clone();
    first.values().map(name).collect()
}

/// The sides without those whose model has already answered some of the same items on an earlier one (as in another
/// precision), and for each of these its label and that of the earlier one.
pub fn weights_once<'a>(sides: &[Side<'a>]) -> (Vec<Side<'a>>, Vec<(String, String)>) {
    let (mut kept, mut left_out): (Vec<Side<'a>>, Vec<(String, String)>) = (Vec::new(), Vec::new());
    let asked = |side: &Side<'a>| -> HashSet<(&'a str, &'a str, Option<&'a str>)> {
        side.outcomes.iter().map(|one| (&*one.item.id, &*one.style, one.condition.as_deref())).collect()
    };
    for side in sides {
        let own = asked(side);
        let same = |earlier: &&Side<'a>| earlier.model.is_same_as(&side.model) && !own.is_disjoint(&asked(earlier));
        match kept.iter().find(same) {
            Some(earlier) => left_out.push((side.label.clone(), earlier.label.clone())),
            None => kept.push(side.clone()),
        }
    }
    (kept, left_out)
}
