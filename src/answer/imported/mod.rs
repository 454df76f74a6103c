//! Answers produced elsewhere: JSON lines with an item's id and a choice in canonical option numbers, or a reply to read.

mod line;

use std::collections::{HashMap, HashSet};

use indexmap::{IndexMap, IndexSet};

use super::{Outcome, Ties, TrialOutcome};
use crate::benchmark::Item;
use crate::language::Language;
use crate::prompt::UNNAMED_STYLE;

pub use line::{ImportedProblem, ReplyReading};
use line::{ImportedTrial, Known, read_line};

/// Answers produced elsewhere. Its trials are the lines: each names its item, and has a style, a condition and an order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Imported {
    lines: Vec<ImportedTrial>,
}

/// Style, condition and rater.
type Presentation<'a> = (&'a str, Option<&'a str>, Option<&'a str>);

impl Imported {
    /// Read an answer file: one JSON object a line with `id` and one of
    ///
    /// - `choice`: a zero-based canonical option number; a list of them for label sets and slots; `null` for no answer;
    /// - `text`: a reply, which is read; with it, `labels` (of each displayed slot) and `cut` (whether a length limit ended it);
    /// - `answers`: what was answered to each of several questions, by question id below `id` or as a whole. A `text` that
    ///   holds such a map, under the `id` of a story, is read in the same way.
    ///
    /// Optionally `order` (the canonical option of each slot), `logprobs` (natural logarithms: per canonical option; per
    /// joint choice for slots, the last slot varying fastest; log-odds of yes per label), `style`, `condition` and `rater`.
    /// Other keys are ignored, empty lines skipped. Every line is either answers or a problem.
    pub fn read(text: &str, items: &[Item], reading: &ReplyReading<'_>) -> (Self, Vec<ImportedProblem>) {
        let known = Known::from_items(items);
        let (mut lines, mut problems) = (Vec::new(), Vec::new());
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            match read_line(line, &known, reading) {
                Ok(trials) => lines.extend(trials),
                Err(problem) => problems.push(ImportedProblem { line: index + 1, ..*problem }),
            }
        }
        (Imported { lines }, problems)
    }

    /// Take in the answers of another file as well, which stand after those of this one.
    pub fn append(&mut self, other: Imported) {
        self.lines.extend(other.lines);
    }

    /// Codes of the people who answered, in the order of their first lines.
    pub fn raters(&self) -> Vec<&str> {
        let raters: IndexSet<&str> = self.lines.iter().filter_map(|line| line.rater.as_deref()).collect();
        raters.into_iter().collect()
    }

    /// The outcomes of imported answers: the lines of each item, style, condition and rater voted as option orders; different
    /// raters are never voted together. Under every style and condition that occurs, each item has an outcome; one without a
    /// line has no answer, but for items in a language of which there is no line at all: who answers in English alone has said
    /// nothing of Chinese ([`languages_left_out`]). Of a rater there are outcomes of the items with a line alone: others were not theirs to answer.
    /// Styles, conditions and raters stand in the order of their first line, items in their own order. Equal lines with an order are one trial, counted as often as
    /// they stand there: as in a run, where an order that is drawn twice is scored once.
    pub fn outcomes<'a>(&self, items: &'a [Item], ties: Ties) -> Vec<Outcome<'a>> {
        let mut presentations: IndexMap<Presentation<'_>, HashMap<usize, Vec<TrialOutcome>>> = IndexMap::new();
        for line in &self.lines {
            let key = (line.style.as_str(), line.condition.as_deref(), line.rater.as_deref());
            let new = TrialOutcome {
                order: line.order.clone(),
                count: 1,
                choice: line.choice.clone(),
                logprobs: line.logprobs.clone(),
                tied: false,
                failure: None,
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

/// The languages of items in which there is no outcome, in the order in which they first occur.
pub fn languages_left_out(items: &[Item], outcomes: &[Outcome<'_>]) -> Vec<Language> {
    let answered: HashSet<Language> = outcomes.iter().map(|outcome| outcome.item.language).collect();
    let all: IndexSet<Language> = items.iter().map(|item| item.language).collect();
    all.into_iter().filter(|language| !answered.contains(language)).collect()
}

fn add(trials: &mut Vec<TrialOutcome>, new: TrialOutcome) {
    let same = |known: &&mut TrialOutcome| {
        new.order.is_some()
            && (&known.order, &known.choice, &known.logprobs, &known.reading)
                == (&new.order, &new.choice, &new.logprobs, &new.reading)
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

    fn problem_of(line: &str) -> String {
        let (answers, problems) = Imported::read(line, &items(), &ReplyReading::default());
        assert!(answers.lines.is_empty(), "{line} was accepted");
        problems[0].to_string()
    }

    #[test]
    fn every_kind_of_answer_is_read() {
        let text = "\u{feff}{\"id\":\"single\",\"choice\":1,\"seconds\":2}\r\n\n\
            {\"id\":\"labels\",\"choice\":[2,0]}\n{\"id\":\"slots\",\"choice\":[0,3]}\n";
        let items = items();
        let (answers, problems) = Imported::read(text, &items, &ReplyReading::default());
        assert_eq!(problems, []);
        let outcomes = answers.outcomes(&items, Ties::default());
        assert!(outcomes.iter().all(Outcome::is_right) && outcomes.len() == 3);
    }

    #[test]
    fn replies_are_read_in_the_order_they_were_shown_in() {
        let text = [
            r#"{"id":"single","text":"It says \"x\" there. Answer: A","order":[1,0,2,3]}"#,
            r#"{"id":"labels","text":"Answer: 1 and 3","labels":["1","2","3","4"]}"#,
            r#"{"id":"slots","text":"[[A, D]]"}"#,
        ];
        let items = items();
        let (answers, problems) = Imported::read(&text.join("\n"), &items, &ReplyReading::default());
        assert_eq!(problems, []);
        let outcomes = answers.outcomes(&items, Ties::default());
        assert!(outcomes.iter().all(Outcome::is_right), "{outcomes:#?}");
        assert_eq!(outcomes[0].trials[0].reading.as_ref().unwrap().rule.as_deref(), Some("cue-colon"));
    }

    #[test]
    fn a_reply_without_an_answer_says_why() {
        let text = r#"{"id":"single","text":"I'm sorry, but I cannot answer that."}"#;
        let items = items();
        let outcomes = Imported::read(text, &items, &ReplyReading::default()).0.outcomes(&items, Ties::default());
        let trial = &outcomes[0].trials[0];
        assert_eq!((&trial.choice, &trial.failure), (&None, &None));
        assert_eq!(trial.reading.as_ref().unwrap().outcome, extract::Outcome::Refused);
        let released = ReplyReading { rules: Rules::Released, ..ReplyReading::default() };
        let outcomes = Imported::read(text, &items, &released).0.outcomes(&items, Ties::default());
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
            let (answers, problems) = Imported::read(line, &items, &ReplyReading::default());
            assert_eq!(problems, [], "{line}");
            let outcomes = answers.outcomes(&items, Ties::default());
            assert_eq!(outcomes.iter().map(Outcome::is_right).collect::<Vec<_>>(), [true, true, false], "{line}");
        }
        let message = |line: &str| Imported::read(line, &items, &ReplyReading::default()).1[0].to_string();
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
        check("{\"id\":\"single\",\"text\":\"B\",\"labels\":[\"A\"]}", "line 1, `labels`: has 1 labels");
        check("{\"id\":\"single\",\"choice\":4}", "line 1, `choice`: is 4, but the item has options 0 to 3");
        check("{\"id\":\"single\",\"choice\":[1]}", "line 1, `choice`: is a list");
        check("{\"id\":\"labels\",\"choice\":1}", "line 1, `choice`: is one number");
        check("{\"id\":\"slots\",\"choice\":[1]}", "line 1, `choice`: must be a list of 2");
        check("{\"id\":\"single\",\"choice\":1,\"order\":[0,1]}", "line 1, `order`: has 2 slots");
        check("{\"id\":\"single\",\"choice\":1,\"order\":[0,1,1,2]}", "line 1, `order`: [0, 1, 1, 2] is not an order");
        check("{\"id\":\"slots\",\"choice\":null,\"logprobs\":[0.0]}", "line 1, `logprobs`: has 1 values, 16");
        check("\n{\"id\":\"other\",\"choice\":1}", "line 2, `id`: no item `other`");
        check("{\"id\":\"single\",\"choice\":NaN}", "line 1: ");
    }

    #[test]
    fn lines_of_one_item_are_voted_and_absent_items_have_no_answer() {
        let text = [1, 2, 2].map(|choice| format!("{{\"id\":\"single\",\"choice\":{choice}}}")).join("\n");
        let items = items();
        let outcomes = Imported::read(&text, &items, &ReplyReading::default()).0.outcomes(&items, Ties::default());
        let choices: Vec<_> = outcomes.iter().map(|outcome| outcome.choice.clone()).collect();
        assert_eq!(choices, [Some(Answer::Single(OptionIx(2))), None, None]);
        assert_eq!(outcomes[0].trials.len(), 3);
    }

    #[test]
    fn a_language_without_a_line_is_left_out() {
        let mut items = items();
        items[1].language = Language::Zh;
        let of = |text: &str| {
            let outcomes = Imported::read(text, &items, &ReplyReading::default()).0.outcomes(&items, Ties::default());
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
        let outcomes = Imported::read(&text, &items, &ReplyReading::default()).0.outcomes(&items, Ties::default());
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
        let outcomes = Imported::read(&text, &items, &ReplyReading::default()).0.outcomes(&items, Ties::default());
        let counts: Vec<usize> = outcomes[0].trials.iter().map(|trial| trial.count).collect();
        assert_eq!((counts, outcomes[0].choice.clone()), (vec![2, 1], Some(Answer::Single(OptionIx(2)))));
    }

    #[test]
    fn no_answer_at_all_still_has_every_item() {
        let items = items();
        assert_eq!(Imported::default().outcomes(&items, Ties::default()).len(), 3);
    }
}
