use super::*;
use crate::attend::groups::Places;
use crate::attend::results::{Case, ChanceRecord};
use crate::attend::view::examples::document;
use crate::attend::witness::table::{WitnessFinding, WitnessTable};
use crate::benchmark::SentenceKind;
use crate::seed::seeded;
use rand::Rng;

/// A story of four sentences about one agent who left before the last: what each gets, and whether the last is missed.
fn case(story: usize, per_word: [f64; 4], missed: bool, twin: Option<f64>) -> Case {
    let sentence = |number: usize, per_word: f64, kind, place| WitnessSentenceRecord {
        start: 0,
        end: 1,
        kind,
        short: String::new(),
        agents: vec!["Ann".into()],
        place,
        perceived: Some(if missed && number == 3 { Perceived::Missed } else { Perceived::Seen }),
        missed_by: Vec::new(),
        lanes: vec![place, place],
        words: 5,
        attention: 5.0 * per_word,
        per_word,
        chance: None,
    };
    let [enter, put, exit, moved] = per_word;
    let record = WitnessRecord {
        object: "fig".into(),
        chain: vec!["Ann".into()],
        belief: Some(!missed),
        places: ["box", "bag"].map(|name| PlaceRecord { name: name.into(), letter: "A".into() }).into(),
        sentences: vec![
            sentence(0, enter, SentenceKind::Enter, None),
            sentence(1, put, SentenceKind::Announce, Some(0)),
            sentence(2, exit, SentenceKind::Exit, None),
            sentence(3, moved, SentenceKind::Move, Some(1)),
        ],
        true_belief: twin.map(|per_word| TrueBeliefRecord { sentence: 3, counterpart: 2, per_word, right: None }),
        ..WitnessRecord::default()
    };
    let name = format!("story {story}");
    Case {
        item: name.clone(),
        story: name.clone(),
        parallel: name,
        witness: Some(record),
        ..document().cases.remove(0)
    }
}

fn table(cases: &[Case]) -> WitnessTable {
    let mut places = Places::default();
    let findings: Vec<WitnessFinding> =
        cases.iter().filter_map(|case| WitnessFinding::new(case, places.add(case, &[]))).collect();
    WitnessTable::new(&places.settled(), &findings)
}

#[test]
fn chance_is_what_seen_sentences_get_at_the_same_place_of_other_stories() {
    let mut cases = vec![
        case(0, [0.01, 0.02, 0.03, 0.14], true, None),
        case(1, [0.05, 0.05, 0.05, 0.05], false, None),
        case(1, [0.01, 0.05, 0.05, 0.09], false, None),
        case(2, [0.04, 0.08, 0.03, 0.05], false, None),
        case(3, [0.03, 0.03, 0.05, 0.09], false, None),
    ];
    let chance = |cases: &[Case], of: usize, number: usize| table(cases).strips[of].each[number];
    // Story 1 is asked twice and counts once: the mean of 0.07, 0.05 and 0.09.
    assert_eq!(chance(&cases, 0, 3), Some(ChanceRecord { per_word: 0.07, stories: 3 }));
    // The unseen move of story 0 is no chance for that of story 1.
    assert_eq!(chance(&cases, 1, 3), Some(ChanceRecord { per_word: 0.07, stories: 2 }));
    cases[3].witness.as_mut().unwrap().sentences[3].words = 6;
    assert_eq!(chance(&cases, 0, 3).unwrap().stories, 2, "another length");
    assert_eq!(chance(&cases, 3, 3), None, "no other story has one of this length");
    cases[1].witness.as_mut().unwrap().released = Some("bag".into());
    cases[2].witness.as_mut().unwrap().chain.clear();
    assert_eq!(chance(&cases, 0, 3), None, "disputed answers and questions of fact are no chance, nor is one story");
    let left_out = table(&cases).left_out;
    let counted = |reason: &str| left_out.iter().find(|(known, _)| known.contains(reason)).map(|(_, count)| *count);
    assert_eq!([counted("released"), counted("fact"), counted("no chance")], [Some(1); 3]);
    assert_eq!(counted("is true"), Some(2));
}

/// Stories with and without an unseen move; `pull` is added to what an unseen move gets, and taken from the rest.
fn stories(pull: f64, seed: u64) -> Vec<Case> {
    let mut random = seeded(seed, "witness", 0);
    let mut of = |story: usize| {
        let missed = story.is_multiple_of(2);
        let mut raw: Vec<f64> = [1.0, 1.2, 0.9, 1.6].iter().map(|mean| mean + random.random_range(-0.3..0.3)).collect();
        let twin = (raw[3] + random.random_range(-0.3..0.3)) / raw.iter().sum::<f64>() / 5.0;
        raw[3] += if missed { pull } else { 0.0 };
        let total: f64 = raw.iter().sum::<f64>() * 5.0;
        case(story, [0, 1, 2, 3].map(|at| raw[at] / total), missed, missed.then_some(twin))
    };
    (0..200).map(&mut of).collect()
}

#[test]
fn mass_planted_on_unseen_sentences_is_found_and_none_where_none_is() {
    let rows = |pull: f64, seed: u64| table(&stories(pull, seed)).rows;
    let holm = |pull: f64, seed: u64, at: usize| rows(pull, seed)[0].comparisons[at].holm;
    for seed in 0..10 {
        let [chance, twin] = [1, 2].map(|at| holm(0.3, seed, at).unwrap());
        assert!(chance < 0.01 && twin < 0.01, "{seed}: {chance} {twin}");
    }
    let level = |at: usize| {
        let p = (0..100).filter_map(|seed| rows(0.0, seed)[0].comparisons[at].p);
        p.filter(|p| *p < 0.05).count()
    };
    // Of 100 tables without anything planted, 5 are expected, and more than 12 in one of 600.
    assert!(level(1) <= 12 && level(2) <= 12, "{} {}", level(1), level(2));
    // The move is last and gets more for that: unseen minus seen holds recency.
    assert!(holm(0.0, 1, 0).unwrap() < 0.001);
    let rows = rows(0.3, 1);
    let names: Vec<&str> = rows.iter().map(|row| row.group.as_str()).collect();
    assert_eq!((names, rows[0].items, rows[0].stories), (vec!["all"], 100, 100), "all have one order and verdict");
    assert!(rows[0].comparisons.iter().all(|each| each.items == 100 && each.holm >= each.p));
}

#[test]
fn the_headline_says_who_left_and_whose_lane_was_chosen() {
    let mut case = case(0, [0.01, 0.02, 0.03, 0.14], true, None);
    let record = case.witness.as_mut().unwrap();
    record.lanes = ["reality", "Ann"].map(String::from).into();
    record.sentences[3].missed_by = vec!["Ann".into()];
    record.sentences[3].lanes = vec![Some(1), Some(0)];
    record.sentences[3].short = "Ben moves fig: bag".into();
    case.options[0].text = "bag".into();
    case.options[1].text = "box".into();
    let chosen = case.options.iter().find(|option| option.chosen).unwrap();
    let told = record.headline(&case.options);
    let whose = if chosen.text == "bag" { "reality" } else { "Ann" };
    let expected = format!(
        "Ann left in sentence 3, before sentence 4 (Ben moves fig: bag). The model chose {} ({}), where the lane of {whose} ends.",
        chosen.label, chosen.text
    );
    assert_eq!(told, expected);
    let chances = vec![None, None, None, Some(ChanceRecord { per_word: 0.07, stories: 3 })];
    assert_eq!(
        record.attention_told(&chances).unwrap(),
        "Attention per word: 14.00 % on unseen sentences about the fig, 2.00 % on seen ones. Where chance is known (1 of 1): \
         14.00 % against 7.00 %."
    );
    assert!(
        record
            .attention_told(&[])
            .unwrap()
            .ends_with("No chance: fewer than two other analysed stories have such a sentence at that place, seen.")
    );
}
