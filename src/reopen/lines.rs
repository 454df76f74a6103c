//! Reads items as written by `--format items`: results without texts.

use indexmap::{IndexMap, IndexSet};
use serde::Deserialize;

use crate::answer::{Outcome, Ties, TrialOutcome};
use crate::benchmark::{Answer, Benchmark, Facets, Item};
use crate::compare::Side;
use crate::extract::Kind;
use crate::language::Language;
use crate::metric::{Header, Subject};
use crate::parse_error::in_words;
use crate::prompt::{NotAPermutation, Order};

/// The items that one respondent answered, from a file; they have no texts.
#[derive(Debug)]
pub struct ItemLines {
    /// One item per line.
    pub items: Vec<Item>,
    /// Whether the lines come from an unfinished run.
    pub unfinished: bool,
    lines: Vec<Line>,
}

/// An invalid line.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct LineError {
    /// The line, counted from 1.
    pub line: usize,
    /// The error.
    pub problem: LineProblem,
}

/// Error of a line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LineProblem {
    /// Not JSON, or a required key is missing.
    #[error("not a line of `--format items`: {}", in_words(_0))]
    Malformed(serde_json::Error),
    /// The order is not a permutation.
    #[error(transparent)]
    Order(NotAPermutation),
    /// Options that do not fit the kind of answer.
    #[error("`{0}` does not fit the kind of answer")]
    Answer(&'static str),
    /// The file has no lines.
    #[error(
        "the file is empty; `tomeval report RUN --format items` and `tomeval score --format items` write such lines"
    )]
    Empty,
}

/// Upper limit for the number of options of an item.
const MOST_OPTIONS: usize = 10_000;

#[derive(Debug, Deserialize)]
struct Line {
    id: String,
    benchmark: Benchmark,
    #[serde(flatten)]
    header: Header,
    #[serde(default)]
    rater: Option<String>,
    language: Language,
    story: String,
    parallel: String,
    facets: IndexMap<String, String>,
    gold_kind: Kind,
    gold: Vec<usize>,
    choice: Option<Vec<usize>>,
    tied: bool,
    orders: Vec<LineOrder>,
    unfinished: Option<serde::de::IgnoredAny>,
}

#[derive(Debug, Deserialize)]
struct LineOrder {
    order: Option<Vec<usize>>,
    count: usize,
    choice: Option<Vec<usize>>,
    tied: bool,
    scores: Option<Vec<f64>>,
    failure: Option<String>,
}

/// The answer of a kind with these options; the error names `key` if they do not fit the kind.
fn answer(kind: Kind, options: &[usize], key: &'static str) -> Result<Answer, LineProblem> {
    Answer::from_options(kind.name(), options).ok_or(LineProblem::Answer(key))
}

impl Line {
    fn item(&self) -> Result<Item, LineProblem> {
        let known = self
            .gold
            .iter()
            .chain(self.choice.iter().flatten())
            .chain(self.orders.iter().flat_map(|order| order.choice.iter().flatten()));
        let shown = self.orders.iter().filter_map(|order| order.order.as_ref().map(Vec::len)).max();
        let scored = self.orders.iter().filter_map(|order| order.scores.as_ref().map(Vec::len)).max();
        let scored = scored.filter(|_| !matches!(self.gold_kind, Kind::Slots));
        let last = known.max().copied().unwrap_or(0);
        if last >= MOST_OPTIONS {
            return Err(LineProblem::Answer("gold` or `choice"));
        }
        let options = shown.max(scored).unwrap_or(0).max(last + 1);
        Ok(Item {
            id: self.id.clone(),
            benchmark: self.benchmark,
            language: self.language,
            parallel: self.parallel.clone(),
            story: self.story.clone(),
            context: Vec::new(),
            question: String::new(),
            options: vec![String::new(); options],
            gold: answer(self.gold_kind, &self.gold, "gold")?,
            facets: self.facets.iter().map(|(name, value)| (name.clone(), value.clone())).collect::<Facets>(),
            fields: IndexMap::new(),
            flags: Vec::new(),
        })
    }

    fn outcome<'a>(&self, item: &'a Item) -> Result<Outcome<'a>, LineProblem> {
        let chosen = |choice: &Option<Vec<usize>>| {
            choice.as_deref().map(|options| answer(self.gold_kind, options, "choice")).transpose()
        };
        let trial = |order: &LineOrder| -> Result<TrialOutcome, LineProblem> {
            Ok(TrialOutcome {
                order: order.order.clone().map(Order::try_from).transpose().map_err(LineProblem::Order)?,
                count: order.count,
                choice: chosen(&order.choice)?,
                logprobs: order.scores.clone(),
                tied: order.tied,
                failure: order.failure.clone(),
                reading: None,
            })
        };
        Ok(Outcome {
            item,
            style: self.header.style.clone(),
            condition: self.header.condition.clone(),
            rater: self.rater.clone(),
            irrelevant: None,
            trials: self.orders.iter().map(trial).collect::<Result<_, _>>()?,
            choice: chosen(&self.choice)?,
            tied: self.tied,
            ties: Ties::default(),
        })
    }

    /// The label of the respondent, with the person who answered.
    fn label(&self) -> String {
        std::iter::once(&self.header.label).chain(&self.rater).cloned().collect::<Vec<_>>().join(", ")
    }
}

impl ItemLines {
    /// Reads the output of `--format items`: the items of each respondent.
    pub fn read(text: &str) -> Result<Vec<Self>, LineError> {
        let mut by_respondent: IndexMap<(String, String), ItemLines> = IndexMap::new();
        for (number, text) in text.lines().enumerate().filter(|(_, text)| !text.trim().is_empty()) {
            let at = |problem| LineError { line: number + 1, problem };
            let line: Line = serde_json::from_str(text).map_err(|error| at(LineProblem::Malformed(error)))?;
            let item = line.item().map_err(at)?;
            // Checked here so that the error has its line.
            line.outcome(&item).map_err(at)?;
            let new = || ItemLines { items: Vec::new(), unfinished: false, lines: Vec::new() };
            let read = by_respondent.entry((line.label(), line.header.answers.clone())).or_insert_with(new);
            read.unfinished |= line.unfinished.is_some();
            read.items.push(item);
            read.lines.push(line);
        }
        match by_respondent.is_empty() {
            true => Err(LineError { line: 1, problem: LineProblem::Empty }),
            false => Ok(by_respondent.into_values().collect()),
        }
    }

    /// The outcome of each item.
    pub fn outcomes(&self) -> Vec<Outcome<'_>> {
        self.lines.iter().zip(&self.items).filter_map(|(line, item)| line.outcome(item).ok()).collect()
    }

    /// The benchmarks of the items.
    pub fn benchmarks(&self) -> IndexSet<Benchmark> {
        self.items.iter().map(|item| item.benchmark).collect()
    }

    /// The respondent, and how the answers were produced.
    pub fn respondent(&self) -> (String, String) {
        self.lines.first().map(|line| (line.label(), line.header.answers.clone())).unwrap_or_default()
    }

    /// The answers as a side called `label`; their model is known by its name only.
    pub fn side<'a>(&self, label: String, outcomes: &'a [Outcome<'a>]) -> Side<'a> {
        let (name, answers) = self.respondent();
        Side { label, answers, model: Subject { name, weights: None }, outcomes: outcomes.iter().collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::OptionIx;
    use crate::metric::Respondent;
    use crate::report::View;
    use crate::report::{ItemOutcome, Report, render};
    use crate::table::Format;

    fn item() -> Item {
        Item {
            id: "test/0/en".into(),
            benchmark: Benchmark::ToMBench,
            language: Language::En,
            parallel: "test/0".into(),
            story: "story".into(),
            context: Vec::new(),
            question: "?".into(),
            options: ["one", "two", "three"].map(String::from).to_vec(),
            gold: Answer::Single(OptionIx(1)),
            facets: [("task".to_string(), "x".to_string())].into(),
            fields: Default::default(),
            flags: Vec::new(),
        }
    }

    fn written(label: &str, item: &Item) -> String {
        let trial = TrialOutcome {
            order: Some(Order::try_from(vec![2, 0, 1]).unwrap()),
            count: 2,
            choice: Some(Answer::Single(OptionIx(1))),
            logprobs: Some(vec![-2.0, -0.5, -1.0]),
            tied: false,
            failure: None,
            reading: None,
        };
        let outcome = Outcome::new(item, "vanilla", None, vec![trial], Ties::default());
        let items = vec![ItemOutcome::new(&outcome, Respondent { label, answers: "letters" })];
        let report = Report { items, ..Report::new(label, IndexMap::new(), Vec::new()) };
        render(&report, Format::Items, &View::WHOLE)
    }

    #[test]
    fn what_a_report_writes_is_read_again() {
        let item = item();
        let read = &ItemLines::read(&written("model", &item)).unwrap()[0];
        let outcomes = read.outcomes();
        assert_eq!((outcomes.len(), read.unfinished), (1, false));
        let (found, trial) = (&outcomes[0], &outcomes[0].trials[0]);
        assert!(found.is_right());
        assert_eq!((&found.item.id, &found.item.story, &found.item.facets), (&item.id, &item.story, &item.facets));
        assert_eq!((found.item.options.len(), &found.item.gold), (3, &item.gold));
        assert_eq!((trial.count, trial.logprobs.as_deref()), (2, Some(&[-2.0, -0.5, -1.0][..])));
        assert_eq!(read.side("a".into(), &outcomes).answers, "letters");
    }

    #[test]
    fn a_file_of_several_models_is_read_by_model() {
        let item = item();
        let lines = [written("one", &item), written("other", &item), written("one", &Item { id: "b".into(), ..item })];
        let read = ItemLines::read(&lines.concat()).unwrap();
        let found: Vec<_> = read.iter().map(|read| (read.respondent().0, read.items.len())).collect();
        assert_eq!(found, [("one".to_string(), 2), ("other".to_string(), 1)]);
    }

    #[test]
    fn other_lines_are_refused_with_their_number() {
        let item = item();
        let one = written("model", &item);
        let check = |text: String, line: usize, part: &str| {
            let error = ItemLines::read(&text).unwrap_err();
            assert!(error.line == line && error.to_string().contains(part), "{error}");
        };
        check(format!("{one}{{}}"), 2, "missing");
        check(String::new(), 1, "empty");
        check(one.replace("\"gold\":[1]", "\"gold\":[1,2]"), 1, "`gold` does not fit");
        check(one.replace("\"gold\":[1]", "\"gold\":[99999999999999]"), 1, "does not fit");
        check(one.replace("[2,0,1]", "[2,0,0]"), 1, "not an order");
    }
}
