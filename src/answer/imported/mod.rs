//! Answers produced by other programs or people; the file format is detected.
//!
//! JSON lines hold the item's id and a choice or a reply ([`line`]); the other formats are batch output of the OpenAI
//! protocol ([`batch`]), samples of lm-evaluation-harness ([`lm_eval`]) and logs of inspect_ai ([`inspect`]). Their
//! rows ([`row`]) are matched to items by id, or by the question and the set of option texts ([`known`]), never by row
//! number.

mod batch;
mod inspect;
mod known;
mod line;
mod lm_eval;
mod problem;
mod reply_key;
mod request_map;
mod row;

use std::collections::{HashMap, HashSet};

use indexmap::{IndexMap, IndexSet};

use super::{BestAnswer, Outcome, Ties, TrialOutcome, best_answer};
use crate::benchmark::Item;
use crate::json::{MOST_VALUES, within};
use crate::language::Language;
use crate::parse_error::in_words_of_line;
use crate::prompt::{Order, UNNAMED_STYLE};
use serde::Deserialize;
use serde_json::Value;

pub use known::KnownItems;
pub use line::ReplyReading;
use line::{ImportedTrial, read_line};
pub use problem::{FailedRow, ImportedProblem, Place, ProblemKind};
pub use reply_key::reply_of_line;
pub use request_map::{MappedRequest, RequestMap};
use row::{Row, Said};

/// Answers produced elsewhere. Each line is a trial with its item, style, condition and order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Imported {
    lines: Vec<ImportedTrial>,
}

/// The contents of an answer file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ImportedFile {
    /// Answers of the valid rows.
    pub answers: Imported,
    /// The invalid rows.
    pub problems: Vec<ImportedProblem>,
    /// Row formats in words, with their counts; excludes rows with option numbers or a `text`.
    pub shapes: IndexMap<String, usize>,
    /// Rows with the reason for a missing answer.
    pub failures: Vec<FailedRow>,
    /// Short ids of answered requests.
    pub answered: Vec<String>,
}

impl ImportedFile {
    /// Reads a file. Its first object determines the format:
    ///
    /// - a line with `custom_id`, and `response` or `error`: batch output of the OpenAI protocol;
    /// - a line with `doc_id`, `doc` and `filtered_resps`: samples of lm-evaluation-harness, of which only the rows of
    ///   one filter are read;
    /// - a zip archive, or one document with `eval` and `status`: a log of inspect_ai;
    /// - otherwise one line per answer. It has the `id` of an item, or `question` and `options`; and one of `choice` or
    ///   `answer` (a zero-based canonical option number, or the label of the slot shown; a list of them for label sets
    ///   and slots; `null` for no answer), a reply under one of six keys ([`reply_key`]) (with `labels` of each
    ///   displayed slot and `cut`, whether a length limit ended it), and `answers` (the answers to several questions,
    ///   by full question id or its part after `id`; a reply under a story's `id` may contain such a map too).
    ///   Optionally `order` (the canonical option of each slot), `logprobs` (natural logarithms: per canonical option;
    ///   per joint choice for slots, with the last slot varying fastest; log-odds of yes per label), `style`,
    ///   `condition` and `rater`. Other keys are ignored.
    ///
    /// Empty lines are skipped. Every row yields answers or a problem, except rows of other filters.
    ///
    /// # Errors
    /// The reason why the whole file is invalid.
    pub fn read(
        bytes: &[u8],
        known: &KnownItems<'_>,
        reading: &ReplyReading<'_>,
        filter: Option<&str>,
    ) -> Result<Self, String> {
        let unfiltered = || match filter {
            None => Ok(()),
            Some(_) => Err("--filter selects samples of lm-evaluation-harness, but the file contains none".to_string()),
        };
        if inspect::is_archive(bytes) {
            unfiltered()?;
            return Ok(Self::of_rows(inspect::of_archive(bytes)?, "log of inspect_ai", known, reading));
        }
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let text = std::str::from_utf8(bytes).map_err(|error| {
            format!("not UTF-8 text from its byte {} on; convert the file", error.valid_up_to() + 1)
        })?;
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        if inspect::is_log(first) || first.trim() == "{" && inspect::is_log(text) {
            unfiltered()?;
            let log = inspect::document(bytes)?;
            return Ok(Self::of_rows(inspect::of_document(&log)?, "log of inspect_ai", known, reading));
        }
        let first = within(first.as_bytes(), MOST_VALUES).unwrap_or_default();
        if lm_eval::is_sample(&first) {
            return Self::of_lm_eval(text, known, reading, filter);
        }
        unfiltered()?;
        if batch::is_batch(&first) {
            let rows = rows_of(text, |line, place| batch::row(&line, place));
            return Ok(Self::of_rows(rows, "batch output of the OpenAI protocol", known, reading));
        }
        Ok(Self::of_lines(text, known, reading))
    }

    fn of_lm_eval(
        text: &str,
        known: &KnownItems<'_>,
        reading: &ReplyReading<'_>,
        wanted: Option<&str>,
    ) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Filter {
            filter: Option<String>,
        }
        let named =
            |line| serde_json::from_str::<Filter>(line).ok().map(|row| row.filter.unwrap_or("none".to_string()));
        let filters: IndexSet<String> = text.lines().filter_map(named).collect();
        let filter = lm_eval::chosen_filter(&filters, wanted)?;
        let rows = rows_of(text, |line, place| match lm_eval::filter_of(&line) == filter {
            true => lm_eval::row(&line, place).map(Some),
            false => Ok(None),
        });
        let rows = rows.into_iter().filter_map(Result::transpose).collect();
        let shape = format!("samples of lm-evaluation-harness under the filter `{filter}`");
        Ok(Self::of_rows(rows, &shape, known, reading))
    }

    fn of_rows(
        rows: Vec<Result<Row, ImportedProblem>>,
        shape: &str,
        known: &KnownItems<'_>,
        reading: &ReplyReading<'_>,
    ) -> Self {
        let mut file = ImportedFile { shapes: [(shape.to_string(), rows.len())].into(), ..ImportedFile::default() };
        for row in rows {
            let trials = row.and_then(|row| match row.trials(known, reading) {
                Ok(trials) => Ok((row, trials)),
                Err(problem) => Err(problem.at(row.place)),
            });
            match trials {
                Ok((row, trials)) => {
                    file.answers.lines.extend(trials);
                    let failed = row.said.iter().filter_map(|said| match said {
                        Said::Failed { reason } => Some(reason.clone()),
                        _ => None,
                    });
                    let failed: Vec<String> = failed.collect();
                    let is_answered = failed.len() < row.said.len();
                    let failed = failed.into_iter().map(|reason| {
                        let (place, requests) = (row.place.clone(), row.names.ids.clone());
                        FailedRow { place, reason, requests }
                    });
                    file.failures.extend(failed);
                    file.answered.extend(row.names.ids.iter().filter(|_| is_answered).cloned());
                }
                Err(problem) => file.problems.push(problem),
            }
        }
        file
    }

    fn of_lines(text: &str, known: &KnownItems<'_>, reading: &ReplyReading<'_>) -> Self {
        let mut file = ImportedFile::default();
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            match read_line(line, known, reading) {
                Ok(line) => {
                    file.answers.lines.extend(line.trials);
                    line.form.into_iter().for_each(|form| *file.shapes.entry(form).or_default() += 1);
                    file.answered.extend(line.request);
                }
                Err(problem) => file.problems.push(problem.at(Place::Line(number))),
            }
        }
        file
    }
}

/// Converts the values of each line.
fn rows_of<T>(
    text: &str,
    row: impl Fn(Value, Place) -> Result<T, Box<ImportedProblem>>,
) -> Vec<Result<T, ImportedProblem>> {
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let of_line = |(number, line): (usize, &str)| {
        let values = within(line.as_bytes(), MOST_VALUES)
            .map_err(|error| ImportedProblem::mistake(None, in_words_of_line(error)));
        values.and_then(|values| row(values, Place::Line(number))).map_err(|problem| problem.at(Place::Line(number)))
    };
    lines.map(of_line).collect()
}

/// Style, condition and rater.
type Presentation<'a> = (&'a str, Option<&'a str>, Option<&'a str>);

impl Imported {
    /// Appends the answers of another file.
    pub fn append(&mut self, other: Imported) {
        self.lines.extend(other.lines);
    }

    /// Codes of the people who answered, in the order of their first lines.
    pub fn raters(&self) -> Vec<&str> {
        let raters: IndexSet<&str> = self.lines.iter().filter_map(|line| line.rater.as_deref()).collect();
        raters.into_iter().collect()
    }

    /// The outcomes of imported answers: the lines of each item, style, condition and rater are voted like option
    /// orders; different raters are never voted together. Each item has an outcome under every style and condition that
    /// occurs: an item without a line has no answer, and items in a language without any line have no outcome
    /// ([`languages_left_out`]). A rater has outcomes only for items with a line, the items assigned to them. Styles,
    /// conditions and raters are in the order of their first line, items in their own order. Equal lines with an order
    /// are one trial with their count, as in a run, where an order that is drawn twice is scored once.
    pub fn outcomes<'a>(&self, items: &'a [Item], ties: Ties) -> Vec<Outcome<'a>> {
        let mut presentations: IndexMap<Presentation<'_>, HashMap<usize, Vec<TrialOutcome>>> = IndexMap::new();
        for line in &self.lines {
            let key = (line.style.as_str(), line.condition.as_deref(), line.rater.as_deref());
            let best = line.best(&items[line.item], ties);
            let new = TrialOutcome {
                order: line.order.clone(),
                count: line.count,
                choice: line.choice.clone().or_else(|| best.as_ref().map(|best| best.answer.clone())),
                logprobs: line.logprobs.clone().filter(|values| values.iter().all(|value| value.is_finite())),
                tied: best.is_some_and(|best| best.tied),
                failure: line.failure.map(str::to_string),
                reading: line.reading.clone(),
            };
            add(presentations.entry(key).or_default().entry(line.item).or_default(), new);
        }
        if presentations.is_empty() {
            presentations.insert((UNNAMED_STYLE, None, None), HashMap::new());
        }
        let mut outcomes = Vec::new();
        for ((style, condition, rater), mut trials) in presentations {
            let spoken: HashSet<Language> = trials.keys().map(|&position| items[position].language).collect();
            for (position, item) in items.iter().enumerate() {
                let trials = match (trials.remove(&position), rater) {
                    (None, Some(_)) => continue,
                    (None, None) if !spoken.is_empty() && !spoken.contains(&item.language) => continue,
                    (trials, _) => trials.unwrap_or_default(),
                };
                let outcome = Outcome::new(item, style, condition.map(str::to_string), trials, ties);
                outcomes.push(outcome.of_rater(rater.map(str::to_string)));
            }
        }
        outcomes
    }
}

impl ImportedTrial {
    /// The option with the highest log-likelihood, if that is the choice.
    fn best(&self, item: &Item, ties: Ties) -> Option<BestAnswer> {
        let logprobs = self.logprobs.as_ref().filter(|_| self.scored)?;
        let identity = Order::identity(logprobs.len());
        let order = self.order.as_ref().unwrap_or(&identity);
        let displayed: Vec<f64> = order.as_slice().iter().map(|&option| logprobs[option]).collect();
        best_answer(&displayed, item, order, ties)
    }
}

/// The languages of items without an outcome, in order of first occurrence.
pub fn languages_left_out(items: &[Item], outcomes: &[Outcome<'_>]) -> Vec<Language> {
    let answered: HashSet<Language> = outcomes.iter().map(|outcome| outcome.item.language).collect();
    let all: IndexSet<Language> = items.iter().map(|item| item.language).collect();
    all.into_iter().filter(|language| !answered.contains(language)).collect()
}

/// Adds a trial. Equal trials in one order are merged and counted; an answer replaces failed trials in the same order.
fn add(trials: &mut Vec<TrialOutcome>, new: TrialOutcome) {
    let in_order = |known: &TrialOutcome| new.order.is_some() && known.order == new.order;
    if new.failure.is_some() && trials.iter().any(in_order) {
        return;
    }
    trials.retain(|known| known.failure.is_none() || !in_order(known));
    let same = |known: &&mut TrialOutcome| {
        new.order.is_some()
            && (&known.order, &known.choice, &known.logprobs, &known.reading, &known.failure)
                == (&new.order, &new.choice, &new.logprobs, &new.reading, &new.failure)
    };
    match trials.iter_mut().find(same) {
        Some(known) => known.count += new.count,
        None => trials.push(new),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::{Answer, Benchmark, OptionIx};
    use crate::extract::{self, Rules};
    use crate::language::Language;

    fn items() -> Vec<Item> {
        let item = |id: &str, gold: Answer| Item {
            id: id.into(),
            benchmark: Benchmark::Custom,
            language: Language::En,
            parallel: id.into(),
            story: id.into(),
            context: Vec::new(),
            question: "?".into(),
            options: ["w", "x", "y", "z"].map(String::from).to_vec(),
            gold,
            facets: Default::default(),
            fields: Default::default(),
            flags: Vec::new(),
        };
        vec![
            item("single", Answer::Single(OptionIx(1))),
            item("labels", Answer::Labels([OptionIx(0), OptionIx(2)].into())),
            item("slots", Answer::Slots(vec![OptionIx(0), OptionIx(3)])),
        ]
    }

    fn read(text: &str, items: &[Item], reading: &ReplyReading<'_>) -> (Imported, Vec<ImportedProblem>) {
        let known = KnownItems::new(items, None);
        let file = ImportedFile::read(text.as_bytes(), &known, reading, None).unwrap();
        (file.answers, file.problems)
    }

    fn problem_of(line: &str) -> String {
        let (answers, problems) = read(line, &items(), &ReplyReading::default());
        assert!(answers.lines.is_empty(), "{line} was accepted");
        problems[0].to_string()
    }

    #[test]
    fn every_kind_of_answer_is_read() {
        let text = "\u{feff}{\"id\":\"single\",\"choice\":1,\"seconds\":2}\r\n\n\
            {\"id\":\"labels\",\"choice\":[2,0]}\n{\"id\":\"slots\",\"choice\":[0,3]}\n";
        let items = items();
        let (answers, problems) = read(text, &items, &ReplyReading::default());
        assert_eq!(problems, []);
        let outcomes = answers.outcomes(&items, Ties::default());
        assert!(outcomes.iter().all(Outcome::is_right) && outcomes.len() == 3);
    }

    #[test]
    fn a_letter_is_the_label_of_the_slot_shown_and_a_number_an_option_of_the_data() {
        let mut items = items();
        items[0].options.pop();
        let chosen = |line: &str| {
            let (answers, problems) = read(line, &items, &ReplyReading::default());
            assert_eq!(problems, [], "{line}");
            answers.lines[0].choice.as_ref().map(Answer::options)
        };
        for (line, expected) in [
            (r#"{"id":"single","order":[2,0,1],"choice":"A"}"#, vec![2]),
            (r#"{"id":"single","order":[2,0,1],"answer":"b"}"#, vec![0]),
            (r#"{"id":"single","order":[2,0,1],"choice":1}"#, vec![1]),
            (r#"{"id":"single","choice":"C"}"#, vec![2]),
            (r#"{"id":"single","answer":"1","labels":["3","2","1"]}"#, vec![2]),
            (r#"{"id":"single","choice":"A","options":["z","x","w"]}"#, vec![]),
            (r#"{"id":"labels","answer":["A","D"]}"#, vec![0, 3]),
            (r#"{"id":"slots","choice":["B",3]}"#, vec![1, 3]),
            (r#"{"question":"?","choices":["y","w","x"],"answer":"A"}"#, vec![2]),
            (r#"{"question":"?","options":["w","x","y"],"choice":2}"#, vec![2]),
        ] {
            if expected.is_empty() {
                assert!(
                    read(line, &items, &ReplyReading::default()).1[0].to_string().contains("`options`: do not contain")
                );
            } else {
                assert_eq!(chosen(line), Some(expected), "{line}");
            }
        }
        let wrong = |line: &str| read(line, &items, &ReplyReading::default()).1[0].to_string();
        assert!(wrong(r#"{"id":"single","choice":"D"}"#).contains("not among the labels A, B, C"));
        assert!(wrong(r#"{"question":"?","options":["y","w","x"],"choice":0}"#).contains("write the letter"));
        assert!(wrong(r#"{"id":"single","answer":"A","reply":"B"}"#).contains("exclude each other"));
        assert!(wrong(r#"{"id":"single","output":"A","response":"B"}"#).contains("exclude each other"));
    }

    #[test]
    fn replies_stand_under_any_of_their_keys() {
        let items = items();
        for key in ["text", "reply", "response", "output", "completion", "generation"] {
            let line = format!("{{\"id\":\"single\",\"{key}\":\"Answer: B\"}}");
            let (answers, problems) = read(&line, &items, &ReplyReading::default());
            assert_eq!(problems, [], "{line}");
            assert_eq!(answers.lines[0].choice, Some(Answer::Single(OptionIx(1))));
        }
    }

    #[test]
    fn questions_find_their_item_by_text_and_options_and_stories_tell_them_apart() {
        let mut items = items();
        items.truncate(1);
        items.push(Item { id: "other".into(), ..items[0].clone() });
        let problem = |line: &str, items: &[Item]| read(line, items, &ReplyReading::default()).1.remove(0);
        let line = r#"{"question":"A story.  ?","options":["z","y","x","w"],"answer":"A"}"#;
        let found = problem(line, &items);
        assert_eq!(found.kind, ProblemKind::Ambiguous);
        assert!(found.to_string().contains("match `single`, `other`; give the id"), "{found}");
        let story =
            |text: &str| crate::benchmark::Segment { kind: crate::benchmark::SegmentKind::Story, text: text.into() };
        items[0].context = vec![story("Another story.")];
        items[1].context = vec![story("A story.")];
        let (answers, problems) = read(line, &items, &ReplyReading::default());
        assert_eq!(problems, []);
        assert_eq!((answers.lines[0].item, &answers.lines[0].choice), (1, &Some(Answer::Single(OptionIx(3)))));
        let none = problem(r#"{"question":"Why","options":["z","y","x","w"],"answer":"A"}"#, &items);
        assert_eq!(none.kind, ProblemKind::Unmatched);
        assert_eq!(problem(r#"{"question":"?","options":["z"],"answer":"A"}"#, &items).kind, ProblemKind::Unmatched);
    }

    #[test]
    fn a_map_gives_item_order_style_and_count() {
        let items = items();
        let map = r#"{"custom_id":"r1","id":"single","style":"vanilla","order":[2,1,0,3],"count":3,"labels":["A","B","C","D"]}"#;
        let requests = RequestMap::read(map).unwrap();
        let known = KnownItems::new(&items, Some(&requests));
        for line in [
            r#"{"custom_id":"r1","response":{"status_code":200,"body":{"choices":[{"message":{"content":"Answer: A"},"finish_reason":"stop"}]}},"error":null}"#,
            r#"{"custom_id":"r1","reply":"Answer: A"}"#,
            r#"{"id":"r1","choice":"A"}"#,
        ] {
            let file = ImportedFile::read(line.as_bytes(), &known, &ReplyReading::default(), None).unwrap();
            assert_eq!((file.problems, file.answered), (vec![], vec!["r1".to_string()]), "{line}");
            let trial = &file.answers.lines[0];
            assert_eq!((trial.count, trial.style.as_str()), (3, "vanilla"));
            assert_eq!(trial.choice, Some(Answer::Single(OptionIx(2))), "{line}");
        }
        assert!(RequestMap::read(&map.replace("\"count\":3", "\"count\":0")).unwrap_err().contains("line 1, `count`"));
        assert!(RequestMap::read(&[map, map].join("\n")).unwrap_err().contains("duplicate request `r1`"));
    }

    #[test]
    fn replies_are_read_in_the_order_they_were_shown_in() {
        let text = [
            r#"{"id":"single","text":"It says \"x\" there. Answer: A","order":[1,0,2,3]}"#,
            r#"{"id":"labels","text":"Answer: 1 and 3","labels":["1","2","3","4"]}"#,
            r#"{"id":"slots","text":"[[A, D]]"}"#,
        ];
        let items = items();
        let (answers, problems) = read(&text.join("\n"), &items, &ReplyReading::default());
        assert_eq!(problems, []);
        let outcomes = answers.outcomes(&items, Ties::default());
        assert!(outcomes.iter().all(Outcome::is_right), "{outcomes:#?}");
        assert_eq!(outcomes[0].trials[0].reading.as_ref().unwrap().rule.as_deref(), Some("cue-colon"));
    }

    #[test]
    fn a_reply_without_an_answer_says_why() {
        let text = r#"{"id":"single","text":"I'm sorry, but I cannot answer that."}"#;
        let items = items();
        let outcomes = read(text, &items, &ReplyReading::default()).0.outcomes(&items, Ties::default());
        let trial = &outcomes[0].trials[0];
        assert_eq!((&trial.choice, &trial.failure), (&None, &None));
        assert_eq!(trial.reading.as_ref().unwrap().outcome, extract::Outcome::Refused);
        let released = ReplyReading { rules: Rules::Released, ..ReplyReading::default() };
        let outcomes = read(text, &items, &released).0.outcomes(&items, Ties::default());
        assert_eq!(outcomes[0].choice, Some(Answer::Single(OptionIx(0))), "the scripts fall back to A");
    }

    #[test]
    fn one_line_may_answer_all_questions_of_a_story() {
        let mut items = items();
        items.truncate(1);
        items.push(Item { id: "story/b".into(), ..items[0].clone() });
        items[0].id = "story/a".into();
        items.push(Item { id: "story/c".into(), ..items[0].clone() });
        items.iter_mut().for_each(|item| item.story = "story".into());
        for line in [
            r#"{"id":"story","answers":{"a":"B","story/b":"b. x"}}"#,
            r#"{"id":"story","text":"Here:\n{\"a\": \"B\", \"b\": \"b\", \"z\": \"c\"}"}"#,
        ] {
            let (answers, problems) = read(line, &items, &ReplyReading::default());
            assert_eq!(problems, [], "{line}");
            let outcomes = answers.outcomes(&items, Ties::default());
            assert_eq!(outcomes.iter().map(Outcome::is_right).collect::<Vec<_>>(), [true, true, false], "{line}");
        }
        let message = |line: &str| read(line, &items, &ReplyReading::default()).1[0].to_string();
        assert!(message(r#"{"id":"story","answers":{"z":"B"}}"#).contains("no question `z` below `story`"));
        assert!(message(r#"{"id":"story","answers":{"a":"B"},"order":[0,1]}"#).contains("a line for each"));
    }

    #[test]
    fn mistakes_are_named_with_line_and_key() {
        let check = |line: &str, message: &str| {
            let found = problem_of(line);
            assert!(found.starts_with(message), "{found}");
        };
        check("{\"id\":\"single\"}", "line 1, `choice`: is missing");
        check("{\"id\":\"single\",\"choice\":1,\"text\":\"B\"}", "line 1: `choice`, `text` and `answers` exclude");
        check("{\"id\":\"single\",\"text\":\"B\",\"labels\":[\"A\"]}", "line 1, `labels`: has 1 label, but");
        check("{\"id\":\"single\",\"choice\":4}", "line 1, `choice`: is 4, but the item has options 0 to 3");
        check("{\"id\":\"single\",\"choice\":[1]}", "line 1, `choice`: is a list");
        check("{\"id\":\"labels\",\"choice\":1}", "line 1, `choice`: is one number");
        check("{\"id\":\"slots\",\"choice\":[1]}", "line 1, `choice`: must be a list of 2");
        check("{\"id\":\"single\",\"choice\":1,\"order\":[0,1]}", "line 1, `order`: has 2 slots");
        check("{\"id\":\"single\",\"choice\":1,\"order\":[0,1,1,2]}", "line 1, `order`: [0, 1, 1, 2] is not an order");
        check("{\"id\":\"slots\",\"choice\":null,\"logprobs\":[0.0]}", "line 1, `logprobs`: has 1 value, but needs 16");
        check("\n{\"id\":\"other\",\"choice\":1}", "line 2, `id`: no item `other`");
        check("{\"id\":\"single\",\"choice\":NaN}", "line 1: ");
    }

    #[test]
    fn lines_of_one_item_are_voted_and_absent_items_have_no_answer() {
        let text = [1, 2, 2].map(|choice| format!("{{\"id\":\"single\",\"choice\":{choice}}}")).join("\n");
        let items = items();
        let outcomes = read(&text, &items, &ReplyReading::default()).0.outcomes(&items, Ties::default());
        let choices: Vec<_> = outcomes.iter().map(|outcome| outcome.choice.clone()).collect();
        assert_eq!(choices, [Some(Answer::Single(OptionIx(2))), None, None]);
        assert_eq!(outcomes[0].trials.len(), 3);
    }

    #[test]
    fn a_language_without_a_line_is_left_out() {
        let mut items = items();
        items[1].language = Language::Zh;
        let of = |text: &str| {
            let outcomes = read(text, &items, &ReplyReading::default()).0.outcomes(&items, Ties::default());
            let ids: Vec<String> = outcomes.iter().map(|outcome| outcome.item.id.clone()).collect();
            (ids.join(" "), languages_left_out(&items, &outcomes))
        };
        assert_eq!(of(r#"{"id":"single","choice":1}"#), ("single slots".to_string(), vec![Language::Zh]));
        assert_eq!(of(r#"{"id":"labels","choice":[1]}"#), ("labels".to_string(), vec![Language::En]));
        assert_eq!(of(""), ("single labels slots".to_string(), Vec::new()));
    }

    #[test]
    fn raters_are_never_voted_together() {
        let line =
            |rater: &str, choice: usize| format!("{{\"id\":\"single\",\"choice\":{choice},\"rater\":\"{rater}\"}}");
        let text = [line("p1", 2), line("p2", 1), line("p1", 2), line("p3", 2)].join("\n");
        let items = items();
        let outcomes = read(&text, &items, &ReplyReading::default()).0.outcomes(&items, Ties::default());
        let found: Vec<_> = outcomes
            .iter()
            .map(|it| (it.rater.as_deref().unwrap(), it.item.id.as_str(), it.is_right(), it.draws()))
            .collect();
        assert_eq!(found, [("p1", "single", false, 2), ("p2", "single", true, 1), ("p3", "single", false, 1)]);
    }

    #[test]
    fn equal_lines_are_one_order_drawn_several_times() {
        let line =
            |choice: usize, order: [usize; 4]| format!("{{\"id\":\"single\",\"choice\":{choice},\"order\":{order:?}}}");
        let text = [line(2, [0, 1, 2, 3]), line(1, [1, 0, 2, 3]), line(2, [0, 1, 2, 3])].join("\n");
        let items = items();
        let outcomes = read(&text, &items, &ReplyReading::default()).0.outcomes(&items, Ties::default());
        let counts: Vec<usize> = outcomes[0].trials.iter().map(|trial| trial.count).collect();
        assert_eq!((counts, outcomes[0].choice.clone()), (vec![2, 1], Some(Answer::Single(OptionIx(2)))));
    }

    #[test]
    fn a_request_that_is_asked_again_has_its_later_answer() {
        let items = items();
        let request = MappedRequest {
            custom_id: "r1".into(),
            id: "single".into(),
            style: "vanilla".into(),
            condition: None,
            order: Order::identity(4),
            count: 2,
            labels: (0..4).map(crate::name::option_letter).collect(),
        };
        let map = RequestMap::read(&serde_json::to_string(&request).unwrap()).unwrap();
        let failed = r#"{"custom_id":"r1","response":null,"error":{"message":"late"}}"#;
        let answered = r#"{"custom_id":"r1","response":{"status_code":200,"body":{"choices":[
            {"message":{"content":"B"},"finish_reason":"stop"}]}},"error":null}"#
            .replace('\n', "");
        for text in [format!("{failed}\n{answered}"), format!("{answered}\n{failed}"), failed.to_string()] {
            let known = KnownItems::new(&items, Some(&map));
            let file = ImportedFile::read(text.as_bytes(), &known, &ReplyReading::default(), None).unwrap();
            assert_eq!(file.problems, []);
            let outcomes = file.answers.outcomes(&items, Ties::default());
            let trials: Vec<_> =
                outcomes[0].trials.iter().map(|trial| (trial.count, trial.failure.is_some())).collect();
            assert_eq!(trials, [(2, text == failed)], "{text}");
        }
    }

    #[test]
    fn no_answer_at_all_still_has_every_item() {
        let items = items();
        assert_eq!(Imported::default().outcomes(&items, Ties::default()).len(), 3);
    }
}
