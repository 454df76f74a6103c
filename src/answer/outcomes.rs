//! Turns the records of a run into the outcomes of its items.

use std::collections::{BTreeMap, HashMap};

use indexmap::IndexMap;

use super::normalisation::Normalisation;
use super::outcome::Outcome;
use super::read::{ReadError, read};
use super::ties::Ties;
use super::trial::TrialOutcome;
use crate::benchmark::Item;
use crate::record::TrialRecord;

/// Builds the outcomes of a run from its records one by one, without keeping them. Styles and conditions are in the
/// order of their first record, items in their own order, trials in the order of their records. An item without a
/// record under a style and condition has no outcome there: it was not part of the run.
pub struct Outcomes<'a> {
    items: &'a [Item],
    by_id: HashMap<&'a str, usize>,
    presentations: IndexMap<(String, Option<String>), BTreeMap<usize, Vec<TrialOutcome>>>,
    normalisation: Normalisation,
    ties: Ties,
}

/// Key of the outcome that a record is a trial of; outcomes are sorted by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct OutcomeKey {
    presentation: usize,
    item: usize,
}

impl<'a> Outcomes<'a> {
    /// Starts without outcomes.
    pub fn new(items: &'a [Item], normalisation: Normalisation, ties: Ties) -> Self {
        let by_id = items.iter().enumerate().map(|(position, item)| (item.id.as_str(), position)).collect();
        Outcomes { items, by_id, presentations: IndexMap::new(), normalisation, ties }
    }

    /// The item of a record.
    pub fn item(&self, record: &TrialRecord) -> Result<&'a Item, ReadError> {
        self.position(record).map(|position| &self.items[position])
    }

    fn position(&self, record: &TrialRecord) -> Result<usize, ReadError> {
        self.by_id.get(record.id.as_str()).copied().ok_or_else(|| ReadError::UnknownItem { id: record.id.clone() })
    }

    /// Adds a record.
    pub fn add(&mut self, record: &TrialRecord) -> Result<OutcomeKey, ReadError> {
        let item = self.position(record)?;
        let trial = read(record, &self.items[item], self.normalisation, self.ties)?;
        let of_record = |(style, condition): &(String, Option<String>)| {
            (style, condition.as_deref()) == (&record.style, record.condition.as_deref())
        };
        let presentation = match self.presentations.keys().position(of_record) {
            Some(known) => known,
            None => self.presentations.insert_full((record.style.clone(), record.condition.clone()), BTreeMap::new()).0,
        };
        self.presentations[presentation].entry(item).or_default().push(trial);
        Ok(OutcomeKey { presentation, item })
    }

    /// The outcomes, each voted.
    pub fn finish(self) -> Vec<Outcome<'a>> {
        let Outcomes { items, presentations, ties, .. } = self;
        let of_presentation = |((style, condition), asked): ((String, Option<String>), BTreeMap<_, _>)| {
            asked.into_iter().map(move |(position, trials): (usize, Vec<TrialOutcome>)| {
                Outcome::new(&items[position], style.clone(), condition.clone(), trials, ties)
            })
        };
        presentations.into_iter().flat_map(of_presentation).collect()
    }
}

/// The outcomes of all records of a run.
pub fn outcomes<'a>(
    records: &[TrialRecord],
    items: &'a [Item],
    normalisation: Normalisation,
    ties: Ties,
) -> Result<Vec<Outcome<'a>>, ReadError> {
    let mut outcomes = Outcomes::new(items, normalisation, ties);
    records.iter().try_for_each(|record| outcomes.add(record).map(drop))?;
    Ok(outcomes.finish())
}
