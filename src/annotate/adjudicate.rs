//! Pages on which an adjudicator decides what people disagree on.

use std::collections::BTreeSet;

use indexmap::{IndexMap, IndexSet};
use serde::Deserialize;

use super::task::{TextPiece, licensed};
use super::{Export, Judged, Mode, Scheme, Task, Unit};
use crate::benchmark::Benchmark;
use crate::language::Language;
use crate::page::unpacked;

/// A file that is not a page of `tomeval annotate`, or of another version.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PageReadError {
    /// Not such a page.
    #[error("not a page of `tomeval annotate`: {0}")]
    NotAPage(String),
    /// Changed since, or made by another version.
    #[error("the page was changed, or made by another version of this program; make it again")]
    Changed,
    /// A unit that people judged is not on it.
    #[error("unit `{0}` is not on this page; pass the page that the files are from")]
    NoUnit(String),
}

#[derive(Deserialize)]
struct Head {
    mode: Mode,
    page: String,
    benchmarks: Vec<Benchmark>,
    #[serde(default)]
    scheme: Option<Scheme>,
}

#[derive(Deserialize)]
struct Body {
    texts: Vec<TextPiece>,
    units: Vec<Unit>,
}

/// Most bytes of a page's units: far more than a browser opens.
const MOST_BYTES: u64 = 256_000_000;

impl Task {
    /// The task of a page that people worked on.
    pub fn of_page(html: &str) -> Result<Self, PageReadError> {
        let head: Head = serde_json::from_str(element(html, "head")?).map_err(not)?;
        let json = unpacked(element(html, "units")?, MOST_BYTES).map_err(not)?;
        let body: Body = serde_json::from_str(&json).map_err(not)?;
        let task = Task {
            mode: head.mode,
            texts: body.texts,
            units: body.units,
            scheme: head.scheme,
            benchmarks: head.benchmarks.into_iter().map(|each| licensed(each, each.card())).collect(),
            adjudicates: false,
        };
        if task.fingerprint() == head.page { Ok(task) } else { Err(PageReadError::Changed) }
    }

    /// A task of these exports without texts: the units that people judged. Marks have none.
    pub fn without_texts(mode: Mode, exports: &[Export]) -> Self {
        let mut units: IndexMap<&str, Unit> = IndexMap::new();
        for record in exports.iter().filter_map(Export::judgements).flatten() {
            let language = record.facts.get("language").and_then(|code| code.parse::<Language>().ok());
            units.entry(&record.id).or_insert_with(|| Unit {
                language: language.unwrap_or(Language::En).code().to_string(),
                rtl: language.is_some_and(Language::is_right_to_left),
                facts: record.facts.clone(),
                words: record.words,
                ..Unit::new(&record.id, &record.id)
            });
        }
        let benchmarks: IndexSet<Benchmark> =
            exports.iter().flat_map(|export| export.header.benchmarks.iter().copied()).collect();
        Task {
            mode,
            texts: Vec::new(),
            units: units.into_values().collect(),
            scheme: None,
            benchmarks: benchmarks.into_iter().map(|each| licensed(each, each.card())).collect(),
            adjudicates: false,
        }
    }

    /// Keeps only the units on which people disagree, with what each of them said.
    pub fn adjudicate(&mut self, judged: &Judged, exports: &[Export]) -> Result<(), PageReadError> {
        let disputed: BTreeSet<&str> = judged.disagreements.iter().map(|each| each.unit.as_str()).collect();
        self.units.retain(|unit| disputed.contains(unit.id.as_str()));
        let known: BTreeSet<&str> = self.units.iter().map(|unit| unit.id.as_str()).collect();
        if let Some(missing) = disputed.difference(&known).next() {
            return Err(PageReadError::NoUnit(missing.to_string()));
        }
        for unit in &mut self.units {
            for export in exports.iter().filter(|export| !export.header.adjudicates) {
                let records = export.judgements().unwrap_or_default().iter().filter(|record| record.id == unit.id);
                unit.before.extend(records.map(|record| {
                    serde_json::json!({
                        "rater": record.rater, "judgements": record.judgements, "comment": record.comment,
                    })
                }));
            }
        }
        self.adjudicates = true;
        Ok(())
    }
}

fn not(what: impl ToString) -> PageReadError {
    PageReadError::NotAPage(what.to_string())
}

/// The text of a page's data element.
fn element<'h>(html: &'h str, id: &str) -> Result<&'h str, PageReadError> {
    let (_, rest) = html.split_once(&format!("id=\"{id}\">")).ok_or_else(|| not("it holds no data"))?;
    Ok(rest.split_once("</script>").ok_or_else(|| not("it was cut"))?.0)
}
