//! Reads records: turns results per displayed slot into scores and a choice in canonical options.

use super::normalisation::Normalisation;
use super::ties::Ties;
use super::trial::{TrialOutcome, TrialReading, displayed_joint_choice, joint_choice, joint_index};
use crate::benchmark::{Answer, Item, OptionIx};
use crate::extract::{self, Kind, Reading, Rules};
use crate::prompt::{Order, SlotIx};
use crate::record::{ContinuationRecord, ReplyRecord, TrialRecord};

/// A record that does not fit the items.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// A record of an unknown item.
    #[error("record of `{id}`: no such item in the data; read a run with the data and label set it was made from")]
    UnknownItem {
        /// The record's item id.
        id: String,
    },
    /// The number of results or options differs from what the item needs.
    #[error("record of `{id}`: {found} {what}, but the item needs {expected}; the data changed since the run was made")]
    Shape {
        /// The record's item id.
        id: String,
        /// Name of the counted parts.
        what: &'static str,
        /// Number found.
        found: usize,
        /// Number that the item needs.
        expected: usize,
    },
    /// The item has no options to choose from.
    #[error("record of `{id}`: its item has no options; the data changed since the run was made")]
    NoOptions {
        /// The record's item id.
        id: String,
    },
    /// The rules do not support questions of this kind.
    #[error("record of `{id}`: the {rules} rules read single answers only, but this item takes {}; use --extract ours", kind.name(), rules = rules.name())]
    NoRules {
        /// The record's item id.
        id: String,
        rules: Rules,
        /// Kind of answer that the item takes.
        kind: Kind,
    },
    /// The record lacks data for the normalisation.
    #[error("record of `{id}`: no score under `{normalisation}`: {reason}")]
    NoScore {
        /// The record's item id.
        id: String,
        /// The requested normalisation.
        normalisation: Normalisation,
        /// The missing data.
        reason: &'static str,
    },
}

/// Reads one record, undoing the option order.
///
/// A single choice is the option with the highest score, slots the joint choice with the highest score, a label set the
/// labels whose yes scores above their no; `ties` breaks ties. A written reply contains its reading.
pub fn read(
    record: &TrialRecord,
    item: &Item,
    normalisation: Normalisation,
    ties: Ties,
) -> Result<TrialOutcome, ReadError> {
    if record.id != item.id {
        return Err(ReadError::UnknownItem { id: record.id.clone() });
    }
    let mut trial = TrialOutcome {
        order: Some(record.order.clone()),
        count: record.count,
        choice: None,
        logprobs: None,
        tied: false,
        failure: None,
        reading: None,
    };
    if let Some(failure) = &record.failure {
        trial.failure = Some(failure.kind.name().to_string());
        return Ok(trial);
    }
    let options = item.options.len();
    expect_count(record, "options in its order", record.order.len(), options)?;
    if let Some(reply) = record.asks.first().and_then(|ask| ask.reply.as_ref()) {
        return match &reply.reading {
            Some(reading) => read_reply(record, (reply, reading), item, trial),
            None => Ok(trial),
        };
    }
    let best = |displayed: &[f64]| {
        best_answer(displayed, item, &record.order, ties).ok_or_else(|| ReadError::NoOptions { id: record.id.clone() })
    };
    let (choice, scores, tied) = match &item.gold {
        Answer::Single(_) => {
            let by_slot = ask_scores(record, 0, options, normalisation)?;
            let BestAnswer { answer, tied } = best(&by_slot)?;
            (answer, record.order.to_canonical(&by_slot), tied)
        }
        Answer::Slots(gold) => {
            let joint = options.pow(u32::try_from(gold.len()).unwrap_or(u32::MAX));
            let displayed = ask_scores(record, 0, joint, normalisation)?;
            let BestAnswer { answer, tied } = best(&displayed)?;
            (answer, joint_to_canonical(&displayed, gold.len(), &record.order), tied)
        }
        Answer::Labels(_) => {
            expect_count(record, "yes/no prompts", record.asks.len(), options)?;
            let by_slot = (0..options)
                .map(|slot| ask_scores(record, slot, 2, normalisation).map(|yes_no| yes_no[0] - yes_no[1]))
                .collect::<Result<Vec<f64>, _>>()?;
            let odds = record.order.to_canonical(&by_slot);
            let (chosen, tied) = ties.labels(&odds, &item.id, &record.order);
            (Answer::Labels((0..options).filter(|&label| chosen[label]).map(OptionIx).collect()), odds, tied)
        }
    };
    trial.choice = Some(choice);
    // If a server omits some, the others do not give probabilities.
    trial.logprobs = scores.iter().all(|score| score.is_finite()).then_some(scores);
    trial.tied = tied;
    Ok(trial)
}

/// A trial with the reading of its reply.
fn read_reply(
    record: &TrialRecord,
    (reply, reading): (&ReplyRecord, &Reading),
    item: &Item,
    trial: TrialOutcome,
) -> Result<TrialOutcome, ReadError> {
    let choice = match reading.outcome {
        extract::Outcome::Answer => {
            let answer = displayed_answers(&reading.slots, &item.gold, &record.order);
            let expected = if let Answer::Slots(gold) = &item.gold { gold.len() } else { 1 };
            let found = reading.slots.len();
            Some(answer.ok_or_else(|| ReadError::Shape {
                id: record.id.clone(),
                what: "slots read",
                found,
                expected,
            })?)
        }
        _ => None,
    };
    let ReplyRecord { tokens, cut, part, .. } = *reply;
    let tokens = tokens.filter(|_| part.is_none());
    let reading = Some(TrialReading { outcome: reading.outcome, rule: reading.rule.clone(), tokens, cut });
    Ok(TrialOutcome { choice, reading, ..trial })
}

/// The canonical answer of displayed slots; `None` if their number differs from that of `gold`, or a slot was not
/// displayed.
pub fn displayed_answers(slots: &[usize], gold: &Answer, order: &Order) -> Option<Answer> {
    let mut options = slots.iter().map(|&slot| (slot < order.len()).then(|| order.option_at(SlotIx(slot))));
    match gold {
        Answer::Single(_) if slots.len() == 1 => Some(Answer::Single(options.next()??)),
        Answer::Slots(gold) if slots.len() == gold.len() => Some(Answer::Slots(options.collect::<Option<_>>()?)),
        Answer::Labels(_) => Some(Answer::Labels(options.collect::<Option<_>>()?)),
        Answer::Single(_) | Answer::Slots(_) => None,
    }
}

/// The answer with the highest score of one trial.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BestAnswer {
    /// The answer, in canonical options.
    pub answer: Answer,
    /// Whether others have the same score, so that the tie rule decided.
    pub tied: bool,
}

/// The best answer to an item by the scores of its displayed answers: slots for a single choice, joint choices
/// for an item with slots. `ties` breaks ties. `None` without options, and for label sets, which are not one answer
/// among several.
pub fn best_answer(displayed: &[f64], item: &Item, order: &Order, ties: Ties) -> Option<BestAnswer> {
    let (scores, slots) = match &item.gold {
        Answer::Single(_) => (order.to_canonical(displayed), None),
        Answer::Slots(gold) => (joint_to_canonical(displayed, gold.len(), order), Some(gold.len())),
        Answer::Labels(_) => return None,
    };
    let best = ties.best_score(&scores, &item.id, order)?;
    let answer = match slots {
        None => Answer::Single(OptionIx(best.at)),
        Some(slots) => Answer::Slots(joint_choice(best.at, slots, order.len())),
    };
    Some(BestAnswer { answer, tied: best.tied })
}

/// Scores of the continuations of one prompt, in displayed order.
fn ask_scores(
    record: &TrialRecord,
    ask: usize,
    expected: usize,
    normalisation: Normalisation,
) -> Result<Vec<f64>, ReadError> {
    let results: &[ContinuationRecord] = record.asks.get(ask).map_or(&[], |ask| &ask.results);
    expect_count(record, "scored continuations", results.len(), expected)?;
    let neutral = match (&record.unconditional, normalisation) {
        (Some(neutral), Normalisation::Pmi) => {
            expect_count(record, "continuations after the neutral context", neutral.len(), expected)?;
            Some(neutral)
        }
        _ => None,
    };
    let no_score = |reason| ReadError::NoScore { id: record.id.clone(), normalisation, reason };
    let best = results.iter().filter_map(ContinuationRecord::sum).reduce(f64::max);
    if results.iter().filter_map(|result| result.at_most).any(|bound| best.is_none_or(|best| f64::from(bound) > best)) {
        return Err(no_score("the server returns no log-probability of the likeliest label"));
    }
    results
        .iter()
        .enumerate()
        .map(|(index, result)| {
            if normalisation == Normalisation::Pmi && neutral.is_none() {
                return Err(no_score("the run has no scores after a neutral context; rerun with them or use another"));
            }
            // It is below all returned values, by an unknown amount.
            if result.at_most.is_some() {
                return Ok(f64::NEG_INFINITY);
            }
            normalisation
                .score(result, neutral.map(|neutral| &neutral[index]))
                .ok_or_else(|| no_score("a continuation is empty or its log-probability is not finite"))
        })
        .collect()
}

/// Reorders the scores of all joint choices from displayed to canonical options in every slot.
fn joint_to_canonical(displayed: &[f64], slots: usize, order: &Order) -> Vec<f64> {
    let options = order.len();
    let mut scores = vec![f64::NEG_INFINITY; displayed.len()];
    for (index, score) in displayed.iter().enumerate() {
        scores[joint_index(&displayed_joint_choice(index, slots, order), options)] = *score;
    }
    scores
}

fn expect_count(record: &TrialRecord, what: &'static str, found: usize, expected: usize) -> Result<(), ReadError> {
    match found == expected {
        true => Ok(()),
        false => Err(ReadError::Shape { id: record.id.clone(), what, found, expected }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{Outcome, outcomes, reread};
    use crate::benchmark::Benchmark;
    use crate::language::Language;
    use crate::prompt::Scoring;
    use crate::record::{self, AskRecord, Failure, FailureKind, Shown};
    use proptest::prelude::*;

    fn item(id: &str, options: usize, gold: Answer) -> Item {
        Item {
            id: id.into(),
            benchmark: Benchmark::Custom,
            language: Language::En,
            parallel: id.into(),
            story: id.into(),
            context: Vec::new(),
            question: "?".into(),
            options: (0..options).map(|option| format!("option {option}")).collect(),
            gold,
            facets: Default::default(),
            fields: Default::default(),
            flags: Vec::new(),
        }
    }

    fn continuations(sums: &[f32]) -> Vec<ContinuationRecord> {
        sums.iter()
            .map(|&sum| ContinuationRecord {
                text: "ab".into(),
                token_ids: None,
                logprobs: vec![sum],
                at_most: None,
                bytes: 2,
            })
            .collect()
    }

    fn record(id: &str, order: Vec<usize>, asks: &[Vec<f32>]) -> TrialRecord {
        let ask = |sums: &Vec<f32>| AskRecord {
            shown: Shown::Text("?".into()),
            answer_prefix: String::new(),
            prompt_tokens: 1,
            results: continuations(sums),
            reply: None,
        };
        TrialRecord {
            version: record::VERSION,
            id: id.into(),
            style: "vanilla".into(),
            condition: None,
            language: Language::En,
            order: Order::try_from(order).unwrap(),
            count: 1,
            sample: None,
            scoring: Scoring::Letter,
            labels: Vec::new(),
            system_merged: false,
            asks: asks.iter().map(ask).collect(),
            unconditional: None,
            failure: None,
            served: None,
        }
    }

    fn single(option: usize) -> Answer {
        Answer::Single(OptionIx(option))
    }

    fn written(item_id: &str, order: Vec<usize>, text: &str, slots: &[usize]) -> TrialRecord {
        let mut record = record(item_id, order, &[vec![]]);
        record.scoring = Scoring::Generate;
        record.labels = ["A", "B", "C"].map(String::from).to_vec();
        let outcome = if slots.is_empty() { extract::Outcome::None } else { extract::Outcome::Answer };
        record.asks[0].reply = Some(ReplyRecord {
            text: text.into(),
            thinking: None,
            tokens: None,
            cut: false,
            part: None,
            reading: Some(Reading { outcome, slots: slots.to_vec(), rule: None, start: None, end: None }),
        });
        record
    }

    #[test]
    fn a_written_reply_says_what_was_read_in_it_and_may_be_read_again() {
        let item = item("q", 3, Answer::Single(OptionIx(0)));
        let mut record = written("q", vec![2, 0, 1], "The option is B, say I", &[1]);
        let trial = read(&record, &item, Normalisation::Sum, Ties::default()).unwrap();
        assert_eq!(trial.choice, Some(Answer::Single(OptionIx(0))), "the order is undone");
        assert_eq!(trial.reading.unwrap().outcome, extract::Outcome::Answer);
        let changed = reread(&mut record, &item, Rules::Released).unwrap().unwrap();
        assert_eq!((changed.is_other_answer(), changed.after.slots), (false, vec![1]));
        let mut silent = written("q", vec![2, 0, 1], "Nothing.", &[]);
        let trial = read(&silent, &item, Normalisation::Sum, Ties::default()).unwrap();
        assert_eq!((trial.choice, trial.failure), (None, None));
        let changed = reread(&mut silent, &item, Rules::Released).unwrap().unwrap();
        assert!(changed.is_other_answer(), "the scripts take A");
        let trial = read(&silent, &item, Normalisation::Sum, Ties::default()).unwrap();
        assert_eq!(trial.choice, Some(Answer::Single(OptionIx(2))));
        let labels = Item { gold: Answer::Labels(Default::default()), ..item.clone() };
        let refused = reread(&mut silent, &labels, Rules::Released).unwrap_err().to_string();
        assert!(refused.contains("single answers only"), "{refused}");
    }

    #[test]
    fn the_displayed_best_becomes_its_canonical_option() {
        let item = item("q", 3, single(0));
        let trial =
            read(&record("q", vec![2, 0, 1], &[vec![-3.0, -1.0, -2.0]]), &item, Normalisation::Sum, Ties::default())
                .unwrap();
        assert_eq!(trial.choice, Some(single(0)));
        assert_eq!(trial.logprobs, Some(vec![-1.0, -2.0, -3.0]));
    }

    #[test]
    fn labels_are_chosen_where_yes_beats_no() {
        let item = item("q", 3, Answer::Labels(Default::default()));
        let asks = [vec![-1.0, -2.0], vec![-2.0, -1.0], vec![-1.0, -1.0]];
        let trial = read(&record("q", vec![1, 0, 2], &asks), &item, Normalisation::Sum, Ties::default()).unwrap();
        let Some(Answer::Labels(chosen)) = &trial.choice else { panic!("labels are chosen") };
        assert!(chosen.contains(&OptionIx(1)) && !chosen.contains(&OptionIx(0)), "the third is drawn");
        assert_eq!((trial.logprobs, trial.tied), (Some(vec![-1.0, 1.0, 0.0]), true));
    }

    proptest! {
        #[test]
        fn slots_take_the_best_of_all_joint_choices(best in 0usize..64, seed: u64) {
            let item = item("q", 4, Answer::Slots(vec![OptionIx(0); 3]));
            let order = crate::prompt::OrderPolicy::Random(1).draw(seed, "q", 4).unwrap().remove(0).order;
            let mut sums = vec![-5.0; 64];
            sums[best] = -1.0;
            let trial = read(&record("q", order.as_slice().to_vec(), &[sums]), &item, Normalisation::Sum, Ties::default()).unwrap();
            let digits = [best / 16, best / 4 % 4, best % 4];
            let expected: Vec<OptionIx> = digits.iter().map(|&digit| OptionIx(order.as_slice()[digit])).collect();
            prop_assert_eq!(trial.choice, Some(Answer::Slots(expected)));
        }
    }

    #[test]
    fn pointwise_mutual_information_needs_the_neutral_scores() {
        let item = item("q", 2, single(0));
        let mut record = record("q", vec![0, 1], &[vec![-1.0, -2.0]]);
        assert!(matches!(read(&record, &item, Normalisation::Pmi, Ties::default()), Err(ReadError::NoScore { .. })));
        record.unconditional = Some(continuations(&[-1.0, -4.0]));
        assert_eq!(read(&record, &item, Normalisation::Pmi, Ties::default()).unwrap().choice, Some(single(1)));
        assert_eq!(read(&record, &item, Normalisation::Sum, Ties::default()).unwrap().choice, Some(single(0)));
    }

    #[test]
    fn a_model_that_tells_nothing_apart_is_right_as_often_as_guessing() {
        let right = (0..1000).filter(|number| {
            let id = format!("q{number}");
            let record = record(&id, vec![2, 3, 0, 1], &[vec![-1.5; 4]]);
            let trial = read(&record, &item(&id, 4, single(0)), Normalisation::Sum, Ties::default()).unwrap();
            assert!(trial.tied);
            trial.choice == Some(single(0))
        });
        let right = right.count();
        assert!((200..300).contains(&right), "{right} of 1000");
    }

    #[test]
    fn a_failed_trial_has_no_choice_and_its_reason() {
        let mut record = record("q", vec![0, 1], &[]);
        record.failure = Some(Failure { kind: FailureKind::TooLong, message: "9 tokens, limit 8".into() });
        let trial = read(&record, &item("q", 2, single(0)), Normalisation::Sum, Ties::default()).unwrap();
        assert_eq!((trial.choice, trial.failure.as_deref()), (None, Some("too-long")));
    }

    #[test]
    fn a_record_of_another_shape_is_refused() {
        let item = item("q", 3, single(0));
        let short = record("q", vec![0, 1], &[vec![-1.0, -2.0]]);
        assert!(matches!(
            read(&short, &item, Normalisation::Sum, Ties::default()),
            Err(ReadError::Shape { found: 2, expected: 3, .. })
        ));
        let other = record("p", vec![0, 1, 2], &[vec![-1.0; 3]]);
        assert!(matches!(read(&other, &item, Normalisation::Sum, Ties::default()), Err(ReadError::UnknownItem { .. })));
    }

    #[test]
    fn outcomes_follow_items_within_each_style() {
        let items = [item("a", 2, single(0)), item("b", 2, single(0)), item("c", 2, single(0))];
        let mut other = record("a", vec![0, 1], &[vec![-2.0, -1.0]]);
        other.style = "cot".into();
        let records = [
            record("b", vec![0, 1], &[vec![-1.0, -2.0]]),
            other,
            record("a", vec![0, 1], &[vec![-1.0, -2.0]]),
            record("b", vec![1, 0], &[vec![-2.0, -1.0]]),
        ];
        let outcomes = outcomes(&records, &items, Normalisation::Sum, Ties::default()).unwrap();
        let seen: Vec<_> = outcomes.iter().map(|o| (o.style.as_str(), o.item.id.as_str(), o.trials.len())).collect();
        assert_eq!(seen, [("vanilla", "a", 1), ("vanilla", "b", 2), ("cot", "a", 1)]);
        assert_eq!(outcomes.iter().map(Outcome::is_right).collect::<Vec<_>>(), [true, true, false]);
    }
}
