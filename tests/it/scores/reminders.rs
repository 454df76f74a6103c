//! Reminders: who applies what it is reminded of is found, and who does not read it is not.

use crate::support::trials::chosen;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use tomeval::internal::{Reminder, seeded};
use tomeval::{Answer, Benchmark, Item, Language, Layout, OptionIx, Outcome, Respondent, Setting, Ties, evaluate};

const REPETITIONS: u64 = 20;
const STORIES: usize = 100;

/// Presentations of an item, the plain one first.
const ASKED: [Option<Reminder>; 4] = [None, Some(Reminder::Own), Some(Reminder::Other), Some(Reminder::Unrelated)];

/// One question of each story about what somebody does, with whether the answer about their belief was right, as in three of
/// five stories.
fn items(seed: u64) -> Vec<Item> {
    let item = |story: usize| {
        let mut random: ChaCha8Rng = seeded(seed, &format!("own answer {story}"), 0);
        let own = if random.random_bool(0.6) { "right" } else { "wrong" };
        Item {
            id: format!("planted/{story}/action"),
            benchmark: Benchmark::Custom,
            language: Language::En,
            parallel: format!("planted/{story}/action"),
            story: format!("planted/{story}"),
            context: Vec::new(),
            question: "What will they do?".to_string(),
            options: vec!["look".to_string(), "wait".to_string()],
            gold: Answer::Single(OptionIx(story % 2)),
            facets: [("first_answer".to_string(), own.to_string())].into(),
            fields: Default::default(),
            flags: Vec::new(),
        }
    };
    (0..STORIES).map(item).collect()
}

/// Whether a respondent is right about an item with a reminder; the last is a number drawn for both.
type Answering = fn(&Item, Option<Reminder>, f64) -> bool;

fn is_own_right(item: &Item) -> bool {
    item.facets["first_answer"] == "right"
}

/// Follows what it is reminded of: right with a true belief, wrong with a false one; guesses otherwise.
fn applies(item: &Item, reminder: Option<Reminder>, drawn: f64) -> bool {
    match reminder {
        Some(Reminder::Own) => is_own_right(item),
        // Of two beliefs the other is right where the own is wrong.
        Some(Reminder::Other) => !is_own_right(item),
        _ => drawn < 0.5,
    }
}

/// Knows more where its first answer is right, whatever stands in the prompt.
fn ignores(item: &Item, _: Option<Reminder>, drawn: f64) -> bool {
    drawn < if is_own_right(item) { 0.8 } else { 0.4 }
}

/// Is right less often with any reminder.
fn is_distracted(_: &Item, reminder: Option<Reminder>, drawn: f64) -> bool {
    drawn < if reminder.is_some() { 0.4 } else { 0.8 }
}

/// Differences that are found, by name: those of each row, after Holm.
fn found(answering: Answering, seed: u64) -> Vec<String> {
    let items = items(seed);
    let outcome = |item: &'_ Item, reminder: Option<Reminder>| {
        let mut random: ChaCha8Rng = seeded(seed, &format!("{} {reminder:?}", item.id), 0);
        let gold = item.gold.options()[0];
        chosen(if answering(item, reminder, random.random()) { gold } else { 1 - gold })
    };
    let of_item = |item| {
        ASKED.map(|reminder| {
            let condition = reminder.map(|reminder| reminder.part("belief-action"));
            Outcome::new(item, "vanilla", condition, vec![outcome(item, reminder)], Ties::default())
        })
    };
    let outcomes: Vec<Outcome<'_>> = items.iter().flat_map(of_item).collect();
    let layout = Layout::parse("stratum = \"first_answer\"").unwrap();
    let by = Respondent { label: "planted", answers: "letters" };
    let setting = Setting { benchmark: Benchmark::Custom, title: "Planted", by, items: &items, layout: &layout, seed };
    let rows = evaluate(&setting, &outcomes).reminded;
    let right = items.iter().filter(|item| is_own_right(item)).count();
    assert_eq!(rows.iter().map(|row| row.items).collect::<Vec<_>>(), [STORIES, right, STORIES - right]);
    let mut found = Vec::new();
    for row in &rows {
        assert_eq!((row.link.as_str(), row.left_out, row.stories), ("belief-action", 0, row.items));
        let of = row.key.get("first_answer").map_or("all", String::as_str);
        for asked in &row.asked {
            let reminder = asked.reminder.as_ref().map(|name| name.parse::<Reminder>().unwrap());
            let own = outcomes.iter().filter(|outcome| {
                outcome.condition == reminder.map(|reminder| reminder.part("belief-action"))
                    && (of == "all" || outcome.item.facets["first_answer"] == of)
            });
            let share = own.filter(|outcome| outcome.is_right()).count() as f64 / row.items as f64 * 100.0;
            assert!((asked.accuracy.value.unwrap() - share).abs() < 1e-9);
            if asked.change.p.is_some_and(|p| p < 0.05) {
                found.push(format!("{of}: {}", reminder.unwrap().name()));
            }
        }
        for (name, shift) in
            [("beyond unrelated", &row.beyond_unrelated), ("right beyond wrong", &row.right_beyond_wrong)]
        {
            assert_eq!(shift.points.value.is_some(), name == "beyond unrelated" || of == "all");
            if shift.p.is_some_and(|p| p < 0.05) {
                found.push(format!("{of}: {name}"));
            }
        }
    }
    found
}

#[test]
fn who_applies_a_reminder_is_found_and_who_does_not_is_not() {
    let all = |answering| (0..REPETITIONS).map(|seed| found(answering, seed)).collect::<Vec<Vec<String>>>();
    let finds = |all: &[Vec<String>], name: &str| all.iter().filter(|found| found.iter().any(|it| it == name)).count();
    let applying = all(applies);
    for name in
        ["all: right beyond wrong", "right: beyond unrelated", "wrong: beyond unrelated", "right: own", "wrong: own"]
    {
        assert!(finds(&applying, name) >= 19, "{name}: {applying:?}");
    }
    assert!(finds(&applying, "all: unrelated") <= 1, "{applying:?}");
    let ignoring = all(ignores);
    assert!(ignoring.iter().filter(|found| found.is_empty()).count() >= 19, "{ignoring:?}");
    // What any reminder does is not what an own answer does.
    let distracted = all(is_distracted);
    assert!(finds(&distracted, "all: unrelated") >= 19, "{distracted:?}");
    for name in ["all: beyond unrelated", "all: right beyond wrong"] {
        assert!(finds(&distracted, name) <= 1, "{name}: {distracted:?}");
    }
}
