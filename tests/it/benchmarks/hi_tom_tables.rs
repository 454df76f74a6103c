//! Hi-ToM's tables for a perfect reasoner, who answers every question by the rules. Expected values were computed from
//! the released file by a script of its own, as counts.

use crate::support::released::released;
use tomeval::internal::{StoryRules, Wording};
use tomeval::{
    Answer, Benchmark, Item, Layout, LoadOptions, OptionIx, Outcome, Respondent, Results, Setting, evaluate,
};

fn items() -> Option<Vec<Item>> {
    let folder = released("hi-tom")?;
    Some(Benchmark::HiToM.load(&folder, &LoadOptions::default()).unwrap().items)
}

fn by_the_rules(item: &Item) -> Outcome<'_> {
    let story = Wording::English.story(&item.context[0].text).unwrap();
    let question = Wording::English.question(&item.question).unwrap();
    let answer = story.answer(&question, StoryRules::default()).unwrap();
    let option = item.options.iter().position(|option| option == answer).unwrap();
    Outcome {
        item,
        style: "vanilla".to_string(),
        condition: None,
        rater: None,
        irrelevant: None,
        trials: Vec::new(),
        choice: Some(Answer::Single(OptionIx(option))),
        tied: false,
        ties: Default::default(),
    }
}

fn results(items: &[Item]) -> Results {
    let layout = Layout::parse(Benchmark::HiToM.card_text()).unwrap();
    let setting = Setting {
        benchmark: Benchmark::HiToM,
        title: "Hi-ToM",
        by: Respondent { label: "perfect reasoner", answers: "letters" },
        items,
        layout: &layout,
        seed: 0,
    };
    evaluate(&setting, &items.iter().map(by_the_rules).collect::<Vec<_>>())
}

/// The cells of the row with these facet values, as counts of right answers.
fn counts(results: &Results, table: &str, key: &[(&str, &str)]) -> Vec<(usize, usize)> {
    let table = results.tables.iter().find(|known| known.id == table).unwrap();
    let has = |row: &&tomeval::internal::ResultRow| key.iter().all(|(facet, value)| row.key[*facet] == **value);
    let row = table.rows.iter().find(has).unwrap();
    let count = |value: f64, n: usize| ((value / 100.0 * n as f64).round() as usize, n);
    row.cells.iter().map(|cell| count(cell.value.unwrap(), cell.n)).collect()
}

#[test]
fn accuracy_and_joint_accuracy_are_those_of_the_released_labels() {
    let Some(items) = items() else { return };
    let results = results(&items);
    let accuracy = |prompting| counts(&results, "accuracy", &[("prompting", prompting)])[..2].to_vec();
    assert_eq!(accuracy("VP"), [(228, 300), (242, 300)]);
    assert_eq!(accuracy("CoTP"), [(292, 300), (291, 300)]);
    let joint = |prompting| {
        let key = [("prompting", prompting), ("deception", "yes"), ("length", "3")];
        counts(&results, "joint", &key).iter().map(|(right, _)| *right).collect::<Vec<_>>()
    };
    assert_eq!(joint("VP"), [20, 20, 16, 11, 9]);
    assert_eq!(joint("CoTP"), [20, 20, 19, 19, 18]);
}

#[test]
fn claims_and_repeated_answers_are_counted_as_in_the_file() {
    let Some(items) = items() else { return };
    let results = results(&items);
    let claims = |number| counts(&results, "claims", &[("prompting", "VP"), ("claims", number)]);
    assert_eq!(claims("0"), [(60, 60), (43, 60), (32, 60), (26, 60)]);
    assert_eq!(claims("2"), [(40, 40), (31, 40), (22, 40), (20, 40)]);
    assert_eq!(claims("4"), [(20, 20), (16, 20), (11, 20), (9, 20)]);
    let repeats = counts(&results, "repeats", &[("prompting", "CoTP")]);
    assert_eq!(repeats, [(60, 120), (47, 120), (39, 120), (58, 120), (46, 120), (41, 120)]);
}

#[test]
fn a_label_against_the_rules_is_never_met_and_the_others_always() {
    let Some(items) = items() else { return };
    let labels = counts(&results(&items), "labels", &[("prompting", "CoTP")]);
    assert_eq!(labels[..2], [(583, 583), (0, 17)]);
}
