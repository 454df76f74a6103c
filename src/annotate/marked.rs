//! Marks of several readers: keywords for `tomeval attend`, and their agreement.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use indexmap::{IndexMap, IndexSet};
use serde::Serialize;
use serde_json::{Value, json};

use super::{Export, MarkRecord};
use crate::canary::CANARY;
use crate::metric::{RaterAgreement, rater_agreement_of_runs};
use crate::report::agreement_grid;
use crate::stats::{Weights, jaccard_by_chance, median};
use crate::table::{Format, Grid, Screen, Value as Shown, cells, render_grids};

/// Marks of several readers.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Marked {
    /// Name and version of the format.
    pub format: &'static str,
    /// [`CANARY`].
    pub canary: &'static str,
    /// Readers, in the order of their files.
    pub readers: Vec<ReaderFacts>,
    /// Each pair of readers with items in common.
    pub pairs: Vec<ReaderPair>,
    /// Agreement on all words of the items with several readers: marked or not.
    pub words: RaterAgreement,
    #[serde(skip)]
    items: IndexMap<String, Vec<MarkRecord>>,
}

/// One reader.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ReaderFacts {
    /// A reader's code.
    pub rater: String,
    /// Items read.
    pub items: usize,
    /// Items among them in which no words decide.
    pub without_words: usize,
    /// Mean number of words marked, over items with marks.
    pub mean_words: Option<f64>,
    /// Mean share of the words read before the reader was sure.
    pub mean_read_to: Option<f64>,
    /// Median of the seconds that an item was in view.
    pub median_seconds: Option<f64>,
}

/// Two readers, on the items that both read.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ReaderPair {
    /// First of two readers.
    pub first: String,
    /// Second reader.
    pub second: String,
    /// Items in which both marked words.
    pub items: usize,
    /// Mean Jaccard index of the words marked, compared by place.
    pub jaccard: Option<f64>,
    /// Expected Jaccard index if one reader had marked as many words at random.
    pub jaccard_by_chance: Option<f64>,
    /// Mean distance between the points at which they were sure, as a share of the words.
    pub read_to_apart: Option<f64>,
    /// Items in which both marked that point.
    pub read_to_items: usize,
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The indices of the words marked, as sorted ranges without overlaps.
fn words_of(record: &MarkRecord) -> Vec<Range<usize>> {
    let all = record.keywords.iter().filter_map(|mark| mark.words);
    let mut ranges: Vec<Range<usize>> = all
        .map(|(first, last)| first..last.saturating_add(1).min(record.words))
        .filter(|range| !range.is_empty())
        .collect();
    ranges.sort_by_key(|range| (range.start, range.end));
    ranges.dedup_by(|next, before| {
        let joins = next.start <= before.end;
        if joins {
            before.end = before.end.max(next.end);
        }
        joins
    });
    ranges
}

fn number_of(words: &[Range<usize>]) -> usize {
    words.iter().map(Range::len).sum()
}

fn holds(words: &[Range<usize>], word: usize) -> bool {
    words.get(words.partition_point(|range| range.end <= word)).is_some_and(|range| range.contains(&word))
}

/// Number of words in both.
fn in_both(left: &[Range<usize>], right: &[Range<usize>]) -> usize {
    let (mut left, mut right, mut both) = (left, right, 0);
    while let ([one, ..], [other, ..]) = (left, right) {
        both += one.end.min(other.end).saturating_sub(one.start.max(other.start));
        match one.end <= other.end {
            true => left = &left[1..],
            false => right = &right[1..],
        }
    }
    both
}

/// Splits the words of an item into ranges that each reader marked completely or not at all: each range with the
/// readers whose text was long enough, and whether they marked it. Time depends on the number of marks, not of words.
fn stretches(records: &[MarkRecord]) -> Vec<(Range<usize>, Vec<(&str, bool)>)> {
    // If a reader read an item twice, the last time counts.
    let last: IndexMap<&str, (usize, Vec<Range<usize>>)> =
        records.iter().map(|record| (record.rater.as_str(), (record.words, words_of(record)))).collect();
    let ends = |(words, marked): &(usize, Vec<Range<usize>>)| {
        marked.iter().flat_map(|range| [range.start, range.end]).chain([0, *words]).collect::<Vec<_>>()
    };
    let ends: BTreeSet<usize> = last.values().flat_map(ends).collect();
    let of = |(start, end): (&usize, &usize)| {
        let had = last.iter().filter(|(_, (words, _))| end <= words);
        (*start..*end, had.map(|(rater, (_, marked))| (*rater, holds(marked, *start))).collect())
    };
    ends.iter().zip(ends.iter().skip(1)).map(of).collect()
}

/// The share of the words read before the reader was sure.
fn read_to(record: &MarkRecord) -> Option<f64> {
    let (_, last) = record.read_to.as_ref()?.words?;
    (record.words > 0).then(|| (last as f64 + 1.0) / record.words as f64)
}

impl Marked {
    /// Combines the marks in these exports.
    pub fn from_exports(exports: &[Export]) -> Self {
        let mut items: IndexMap<String, Vec<MarkRecord>> = IndexMap::new();
        let mut readers: IndexMap<&str, Vec<&MarkRecord>> = IndexMap::new();
        for export in exports {
            for record in export.marks().unwrap_or_default() {
                items.entry(record.id.clone()).or_default().push(record.clone());
                readers.entry(record.rater.as_str()).or_default().push(record);
            }
        }
        let names: IndexSet<&str> = readers.keys().copied().collect();
        let mut pairs = Vec::new();
        for (at, &first) in names.iter().enumerate() {
            pairs.extend(names.iter().skip(at + 1).filter_map(|second| pair(&items, first, second)));
        }
        let mut counts: HashMap<String, usize> = HashMap::new();
        let mut numbered: Vec<(String, &str, bool)> = Vec::new();
        for (id, records) in items.iter().filter(|(_, records)| records.len() > 1) {
            for (words, marked) in stretches(records) {
                let unit = format!("{id}#{}", words.start);
                numbered.extend(marked.into_iter().map(|(rater, is)| (unit.clone(), rater, is)));
                counts.insert(unit, words.len());
            }
        }
        let ratings: Vec<(&str, &str, bool)> =
            numbered.iter().map(|(word, rater, marked)| (word.as_str(), *rater, *marked)).collect();
        let words = rater_agreement_of_runs(&ratings, |unit| counts.get(unit).copied().unwrap_or(0), Weights::Equal);
        let readers = readers.iter().map(|(rater, records)| facts(rater, records)).collect();
        Marked { format: "tomeval-marks/1", canary: CANARY, readers, pairs, words, items }
    }

    /// The file that `tomeval attend --human` reads.
    pub fn keywords(&self) -> String {
        let reader = |record: &MarkRecord| -> Value {
            let mut reader = json!({ "name": record.rater, "keywords": record.keywords });
            if let (Some(point), Some(reader)) = (&record.read_to, reader.as_object_mut()) {
                reader.insert("read_to".into(), json!(point));
            }
            reader
        };
        let item = |(id, records): (&String, &Vec<MarkRecord>)| {
            let readers: Vec<Value> = records.iter().filter(|record| !record.unknown).map(reader).collect();
            json!({ "id": id, "readers": readers })
        };
        let items: Vec<Value> = self.items.iter().map(item).collect();
        let file = json!({ "format": "tomeval-human-keywords/2", "canary": CANARY, "items": items });
        format!("{file:#}\n")
    }

    /// Renders readers, pairs and agreement as tables, or everything as JSON.
    pub fn render(&self, format: Format, screen: Screen) -> Result<String, serde_json::Error> {
        match format {
            Format::Json => Ok(serde_json::to_string_pretty(self)? + "\n"),
            _ => Ok(render_grids(&[], &self.grids(), format, screen)),
        }
    }

    /// Readers, pairs and agreement.
    pub fn grids(&self) -> Vec<Grid> {
        let figure = |value: Option<f64>| Shown::places(value, 1);
        let percent = |share: Option<f64>| figure(share.map(|share| 100.0 * share));
        let reader = |each: &ReaderFacts| {
            let means = [figure(each.mean_words), percent(each.mean_read_to), figure(each.median_seconds)];
            [cells![&each.rater, each.items, each.without_words], means.to_vec()].concat()
        };
        let pair = |each: &ReaderPair| {
            let [overlap, chance] = [each.jaccard, each.jaccard_by_chance].map(percent);
            let readers = format!("{}, {}", each.first, each.second);
            cells![readers, each.items, overlap, chance, percent(each.read_to_apart), each.read_to_items]
        };
        let header = ["reader", "items", "no words", "words", "read to %", "seconds"];
        let readers = Grid::new("Readers", 1, header, self.readers.iter().map(reader));
        let header = ["readers", "items", "Jaccard %", "by chance %", "sure apart %", "items"];
        let pairs = Grid::new("Words marked by two readers", 1, header, self.pairs.iter().map(pair)).with_notes([
            "Words: mean number marked per item. Jaccard: words that both marked over words that either marked, \
             compared by place, mean over items; by chance: if one had marked as many at random. Sure apart: mean \
             distance between the points at which they were sure, in percent of the item's words.",
        ]);
        let mut grids = vec![readers];
        if !self.pairs.is_empty() {
            grids.push(pairs);
        }
        if let Some(mut grid) = agreement_grid("Agreement on words: marked or not", "words", &self.words) {
            grid.header[0] = "readers".to_string();
            grids.push(grid);
        }
        grids
    }
}

fn facts(rater: &str, records: &[&MarkRecord]) -> ReaderFacts {
    let with_words = records.iter().filter(|record| !record.keywords.is_empty());
    ReaderFacts {
        rater: rater.to_string(),
        items: records.len(),
        without_words: records.iter().filter(|record| record.unknown).count(),
        mean_words: mean(&with_words.map(|record| number_of(&words_of(record)) as f64).collect::<Vec<_>>()),
        mean_read_to: mean(&records.iter().filter_map(|record| read_to(record)).collect::<Vec<_>>()),
        median_seconds: median(records.iter().map(|record| record.seconds).collect()),
    }
}

fn pair(items: &IndexMap<String, Vec<MarkRecord>>, first: &str, second: &str) -> Option<ReaderPair> {
    let (mut found, mut chance, mut apart) = (Vec::new(), Vec::new(), Vec::new());
    let mut common = 0;
    for records in items.values() {
        let of = |rater: &str| records.iter().find(|record| record.rater.as_str() == rater);
        let (Some(one), Some(other)) = (of(first), of(second)) else { continue };
        common += 1;
        if let (Some(one), Some(other)) = (read_to(one), read_to(other)) {
            apart.push((one - other).abs());
        }
        let (left, right) = (words_of(one), words_of(other));
        if left.is_empty() || right.is_empty() {
            continue;
        }
        let both = in_both(&left, &right);
        let (left, right) = (number_of(&left), number_of(&right));
        found.push(both as f64 / (left + right - both) as f64);
        chance.extend(jaccard_by_chance(left, right, one.words));
    }
    (common > 0).then(|| ReaderPair {
        first: first.to_string(),
        second: second.to_string(),
        items: found.len(),
        jaccard: mean(&found),
        jaccard_by_chance: mean(&chance),
        read_to_apart: mean(&apart),
        read_to_items: apart.len(),
    })
}

#[cfg(test)]
mod tests {
    use rand::Rng;

    use super::super::export::tests::written;
    use super::*;

    fn record(rater: &str, marks: &[(usize, usize)], read_to: usize, words: usize) -> Value {
        let place = |(first, last): &(usize, usize)| json!({ "text": "x", "part": "story", "occurrence": 1, "words": [first, last] });
        let keywords: Vec<Value> = marks.iter().map(place).collect();
        json!({
            "id": "a", "rater": rater, "keywords": keywords, "read_to": place(&(read_to, read_to)), "words": words, "seconds": 4.0,
        })
    }

    fn export(rater: &str, marks: &[(usize, usize)], read_to: usize, words: usize) -> Export {
        Export::read(&written("mark", rater, json!({}), &[record(rater, marks, read_to, words)])).unwrap()
    }

    #[test]
    fn ranges_are_counted_as_their_words_would_be() {
        let mut random = crate::seed::seeded(0, "ranges of words", 0);
        for _ in 0..500 {
            let mut drawn = |rater: &str| {
                let words = random.random_range(1..30);
                let mut mark = || (random.random_range(0..30), random.random_range(0..30));
                let marks = (0..4).map(|_| mark()).collect::<Vec<(usize, usize)>>();
                // Marks that no page writes, without reading an export.
                let record = serde_json::from_value::<MarkRecord>(record(rater, &marks, 0, words)).unwrap();
                let all = marks.iter().flat_map(|&(first, last)| first..=last).filter(|&word| word < words);
                (record, all.collect::<BTreeSet<usize>>())
            };
            let ((first, one), (second, other)) = (drawn("p1"), drawn("p2"));
            let (left, right) = (words_of(&first), words_of(&second));
            assert_eq!((number_of(&left), number_of(&right)), (one.len(), other.len()));
            assert_eq!(in_both(&left, &right), one.intersection(&other).count());
            let records = [first.clone(), second.clone()];
            let taken = stretches(&records)
                .into_iter()
                .flat_map(|(words, marked)| words.map(move |word| (word, marked.clone())));
            for (word, marked) in taken {
                let expected = [("p1", first.words, &one), ("p2", second.words, &other)].into_iter();
                let expected =
                    expected.filter(|(_, words, _)| word < *words).map(|(rater, _, set)| (rater, set.contains(&word)));
                assert_eq!(marked, expected.collect::<Vec<_>>(), "{word}");
            }
        }
    }

    #[test]
    fn an_item_of_a_million_words_takes_no_more_than_its_marks() {
        let found =
            Marked::from_exports(&[export("p1", &[(0, 1)], 4, 1_000_000), export("p2", &[(1, 999_999)], 9, 1_000_000)]);
        assert_eq!((found.words.units, found.words.fleiss_units), (1_000_000, 1_000_000));
        assert_eq!(found.pairs[0].jaccard, Some(1e-6));
    }

    #[test]
    fn two_readers_are_compared_word_by_word_with_what_chance_gives() {
        let found = Marked::from_exports(&[export("p1", &[(0, 1), (4, 4)], 4, 10), export("p2", &[(4, 5)], 9, 10)]);
        let pair = &found.pairs[0];
        // 0, 1, 4 and 4, 5: one of four.
        assert_eq!((pair.jaccard, pair.items), (Some(0.25), 1));
        // 0, 1, 2 in common when two are drawn from ten with three marked: 21/45, 21/45, 3/45.
        let chance = (21.0 / 4.0 + 3.0 * 2.0 / 3.0) / 45.0;
        assert!((pair.jaccard_by_chance.unwrap() - chance).abs() < 1e-12);
        assert!((pair.read_to_apart.unwrap() - 0.5).abs() < 1e-12);
        // Ten words: 7 alike; by chance 0.3 * 0.2 + 0.7 * 0.8 = 0.62; kappa (0.7 - 0.62) / 0.38.
        assert!((found.words.pairs[0].kappa.unwrap() - 0.08 / 0.38).abs() < 1e-12);
        assert_eq!(found.readers[0].mean_words, Some(3.0));
        let keywords: Value = serde_json::from_str(&found.keywords()).unwrap();
        assert_eq!(keywords["items"][0]["readers"][1]["keywords"][0]["words"], json!([4, 5]));
    }
}
