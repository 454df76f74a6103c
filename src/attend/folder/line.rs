//! One item as a line of the folder.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::attend::comparisons::contrasts;
use crate::attend::item_reader::ItemRead;
use crate::attend::results::{Case, ContrastRecord, ModelRecord, WordMass};
use crate::attend::view::stored_map;
use crate::attend::{ExperimentSettings, SelectedItem};
use crate::benchmark::Benchmark;

/// A line of `items.jsonl`: the results for one item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ItemLine {
    /// Index of the item in the analysis, from 0.
    pub number: usize,
    /// Its id.
    pub item: String,
    /// Its benchmark.
    pub benchmark: Benchmark,
    /// Its prompts, as `cases[]` of `attend --json`; empty if none could be analysed.
    pub cases: Vec<Case>,
    /// For each case and query: means over heads and over layers of the mass on each word, and the mass of each head on
    /// the parts, as stored in the page; null for measures without heads.
    pub maps: Vec<Vec<Option<Value>>>,
    /// Comparisons between these cases, as `contrasts[]` of `attend --json`; case indices refer to this line.
    pub contrasts: Vec<ContrastRecord>,
    /// Errors of the analysis, a sentence each.
    pub failures: Vec<String>,
}

impl ItemLine {
    /// Creates the line of an item.
    pub fn new(
        number: usize,
        chosen: &SelectedItem,
        read: ItemRead,
        settings: &ExperimentSettings,
        models: &[ModelRecord],
    ) -> Self {
        let contrasts = contrasts(settings, models, &read.prompts);
        let mut cases: Vec<Case> = read.prompts.into_iter().map(|prompt| prompt.case).collect();
        let maps = cases.iter().map(|case| case.rows.iter().map(|row| stored_map(row, case)).collect()).collect();
        for map in cases.iter_mut().flat_map(|case| &mut case.rows).filter_map(|row| row.heads_map.as_mut()) {
            map.words = WordMass::Absent;
        }
        ItemLine {
            number,
            item: chosen.item.id.clone(),
            benchmark: chosen.item.benchmark,
            cases,
            maps,
            contrasts,
            failures: read.failures.iter().map(|failure| failure.error.to_string()).collect(),
        }
    }

    /// The line as stored in the file, without the line end.
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).expect("a line holds only strings, finite numbers and lists")
    }

    /// Checks that this can be the line of an item; the error describes the fault.
    pub fn check(&self) -> Result<(), String> {
        let rows = |case: usize| self.cases.get(case).map_or(0, |case| case.rows.len());
        if self.maps.len() != self.cases.len() || (0..self.cases.len()).any(|case| self.maps[case].len() != rows(case))
        {
            return Err("does not have one map per query of its prompts".to_string());
        }
        let exists = |(case, row): (usize, usize)| row < rows(case);
        if self.contrasts.iter().any(|contrast| !exists(contrast.first) || !exists(contrast.second)) {
            return Err("compares queries that it does not hold".to_string());
        }
        for case in &self.cases {
            let holds = |start: usize, end: usize| case.text.get(start..end).is_some();
            let words = case
                .words
                .iter()
                .all(|word| holds(word.start, word.end) && word.part.is_none_or(|part| part < case.parts.len()));
            if !words || !case.parts.iter().all(|part| holds(part.start, part.end)) || case.model != 0 {
                return Err("has words or parts outside its text".to_string());
            }
            let ranked = case.rows.iter().flat_map(|row| &row.ranking).flat_map(|word| &word.words);
            let marked = case.humans.iter().flat_map(|human| &human.words);
            if ranked.chain(marked).any(|&word| word >= case.words.len()) {
                return Err("ranks words that its text does not have".to_string());
            }
        }
        match self.cases.is_empty() && self.failures.is_empty() {
            true => Err("holds neither a prompt nor a failure".to_string()),
            false => Ok(()),
        }
    }
}
