//! The pull of what is unseen: what answerers with known habits get.

use crate::support::trials::chosen;
use std::borrow::Cow;

use indexmap::IndexMap;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::support::context::{Run, TestContext};
use crate::support::tiny_models::tiny_model_of;
use tomeval::internal::{
    Condition, HiToMSettings, HiToMWording, Pull, TrialOutcome, WrongPlace, hi_tom_items, make_hi_tom, seeded,
};
use tomeval::{Answer, Benchmark, Item, Layout, OrderPolicy, Outcome, Respondent, Setting, Ties, evaluate};

const REPETITIONS: u64 = 20;
const STORIES: usize = 200;

/// Which option of an item as shown an answerer prefers.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Habit {
    /// Where those asked about take the object to be.
    Belief,
    /// Where the last line about the object puts it.
    Reality,
    /// The container named last.
    LastNamed,
    /// A slot.
    Letter,
}

/// Stories of one chapter, and half as many of two, with one question about a false belief each, of some order.
fn items() -> Vec<Item> {
    let made = |chapters, stories| {
        let settings = HiToMSettings {
            chapters,
            size: Default::default(),
            deception: false,
            stories,
            seed: 1,
            answers: 15,
            wording: HiToMWording::English,
            claims: Default::default(),
        };
        hi_tom_items(&make_hi_tom(&settings).unwrap())
    };
    let mut stories: IndexMap<String, Vec<Item>> = IndexMap::new();
    for item in made(1, STORIES).into_iter().chain(made(2, 3 * STORIES)) {
        stories.entry(item.story.clone()).or_default().push(item);
    }
    let has_all = |item: &Item| {
        [Condition::SeenOnly, Condition::MentionKept, Condition::OthersLeftOut, Condition::TrueBelief]
            .iter()
            .all(|condition| matches!(condition.apply(item), Cow::Owned(_)))
    };
    let of_order = |(number, items): (usize, Vec<Item>)| {
        let order = (1 + number % 3).to_string();
        items.into_iter().find(|item| item.facet("order") == Some(&order) && has_all(item))
    };
    let items: Vec<Item> = stories.into_values().enumerate().filter_map(of_order).take(STORIES).collect();
    assert_eq!(items.len(), STORIES);
    items
}

/// The last container that a line of the story puts the asked object into, and the last one named at all.
fn told(item: &Item) -> (Option<usize>, Option<usize>) {
    let object = item.question.split(" the ").last().unwrap().split(' ').next().unwrap();
    let (mut real, mut named) = (None, None);
    for line in item.context[0].text.lines() {
        let stands = |name: &String| line.ends_with(&format!(" {name}."));
        let Some(container) = item.options.iter().position(stands) else { continue };
        named = Some(container);
        if line.contains(&format!("the {object} ")) || line.contains(&format!("The {object} ")) {
            real = Some(container);
        }
    }
    (real, named)
}

/// An item under a condition, with what its story as told says.
struct Asked<'a> {
    item: &'a Item,
    condition: Option<Condition>,
    told: (Option<usize>, Option<usize>),
}

fn outcome<'a>(asked: &Asked<'a>, habit: Habit, seed: u64) -> Outcome<'a> {
    let &Asked { item, condition, told: (real, named) } = asked;
    let Answer::Single(gold) = item.gold else { panic!("{}", item.id) };
    let name = condition.map(|condition| condition.name().to_string());
    let mut random: ChaCha8Rng = seeded(seed, &format!("{}{name:?}", item.id), 0);
    let drawn = OrderPolicy::Random(5).draw(seed, &item.id, item.options.len()).unwrap();
    let trials = drawn.iter().map(|drawn| {
        let order = condition.map_or_else(|| drawn.order.clone(), |condition| condition.order(item, &drawn.order));
        let preferred = match habit {
            Habit::Belief => Some(gold.0),
            Habit::Reality => real,
            Habit::LastNamed => named,
            Habit::Letter => Some(order.as_slice()[0]),
        };
        // Half of the answers follow the habit, with noise on every option.
        let strength = if random.random_bool(0.5) { 3.0 } else { 0.0 };
        let scores: Vec<f64> = (0..item.options.len())
            .map(|option| random.random::<f64>() + if Some(option) == preferred { strength } else { 0.0 })
            .collect();
        let best = (0..scores.len()).max_by(|&one, &other| scores[one].total_cmp(&scores[other])).unwrap();
        TrialOutcome { order: Some(order), count: drawn.count, logprobs: Some(scores), ..chosen(best) }
    });
    let trials: Vec<TrialOutcome> = trials.collect();
    Outcome::new(item, "vanilla", name, trials, Ties::default())
}

/// What is found of an answerer.
struct Found {
    /// The pull of events.
    events: bool,
    /// The pull of their mention.
    mention: bool,
    /// Answers that change without what is unseen, beyond those that change without other lines.
    changes: bool,
    /// Wrong choices of where the object is, where another container is named last.
    reality: bool,
    /// Wrong choices of the container named last.
    last: bool,
    /// Share that is right in both, in percent.
    both: f64,
}

fn found(items: &[Item], asked: &[Asked<'_>], habit: Habit, seed: u64) -> Found {
    let outcomes: Vec<Outcome<'_>> = asked.iter().map(|asked| outcome(asked, habit, seed)).collect();
    let layout = Layout::parse("stratum = \"order\"").unwrap();
    let by = Respondent { label: "made up", answers: "letters" };
    let setting = Setting { benchmark: Benchmark::HiToM, title: "Hi-ToM", by, items, layout: &layout, seed };
    let results = evaluate(&setting, &outcomes);
    let rows = results.unseen;
    assert_eq!(rows.len(), 6, "all, by three orders, and by two lengths");
    let all = &rows[0];
    assert_eq!((all.items, all.stories, all.true_belief), (STORIES, STORIES, STORIES));
    let holds = |p: Option<f64>, change: Option<f64>| p.is_some_and(|p| p < 0.05) && change.unwrap() > 0.0;
    let pulled = |pull: &Pull| holds(pull.p, pull.log_odds.value);
    let preferred = |place: WrongPlace| {
        // Whoever is seldom wrong may have no such choice.
        let row = results.wrong_choices.iter().find(|row| row.key.is_empty() && row.place == place);
        row.is_some_and(|row| holds(row.p, row.difference.value))
    };
    Found {
        events: pulled(&all.events),
        mention: pulled(&all.mention),
        changes: all.beyond_others_interval.is_some_and(|(low, _)| low > 0.0),
        reality: preferred(WrongPlace::RealityNotLast),
        last: preferred(WrongPlace::LastNamed),
        both: all.both_right.value.unwrap(),
    }
}

#[test]
fn each_habit_has_the_pulls_that_it_must_and_no_other() {
    let items = items();
    let conditions = [
        None,
        Some(Condition::SeenOnly),
        Some(Condition::MentionKept),
        Some(Condition::OthersLeftOut),
        Some(Condition::TrueBelief),
    ];
    let asked: Vec<Asked<'_>> = conditions
        .into_iter()
        .flat_map(|condition| items.iter().map(move |item| (item, condition)))
        .map(|(item, condition)| Asked { item, condition, told: told(&Condition::shown(condition, item)) })
        .collect();
    for habit in [Habit::Belief, Habit::Reality, Habit::LastNamed, Habit::Letter] {
        let found: Vec<Found> =
            (0..REPETITIONS).into_par_iter().map(|seed| found(&items, &asked, habit, seed)).collect();
        let is_found = |what: &str, of: fn(&Found) -> bool, by: &[Habit]| {
            let share = found.iter().filter(|each| of(each)).count() as f64 / REPETITIONS as f64;
            let holds = if by.contains(&habit) { share >= 0.9 } else { share <= 0.1 };
            assert!(holds, "{habit:?}: {what} {share}");
        };
        let both = found.iter().map(|each| each.both).sum::<f64>() / REPETITIONS as f64;
        is_found("events", |each| each.events, &[Habit::Reality]);
        is_found("mention", |each| each.mention, &[Habit::LastNamed]);
        // Leaving out the last line about the object also leaves out the last container named.
        is_found("changes", |each| each.changes, &[Habit::Reality, Habit::LastNamed]);
        // Where the object is, is named last in many stories.
        is_found("wrong choices of the last named", |each| each.last, &[Habit::Reality, Habit::LastNamed]);
        is_found("wrong choices of reality", |each| each.reality, &[Habit::Reality]);
        assert!(if habit == Habit::Belief { both > 70.0 } else { both < 20.0 }, "{habit:?}: both {both}");
    }
}

#[test]
fn a_run_under_all_conditions_is_read_back_and_its_table_stands_in_the_report() {
    let context = TestContext::new();
    let model = tiny_model_of(context.folder(), "llama");
    let model = model.to_str().unwrap();
    context.run(&["make", "hi-tom", "--stories", "4", "--chapters", "1,2", "--out", "made.json"]).success();
    for scoring in ["letter", "generate"] {
        let mut command = context.command(&["run", "--offline", "--benchmark", "hi-tom", "--data", "made.json"]);
        for condition in ["plain", "seen-only", "mention-kept", "others-left-out", "true-belief"] {
            command.args(["--condition", condition]);
        }
        command.args(["--model", model, "--scoring", scoring, "--orders", "random:2", "--out", scoring]);
        if scoring == "generate" {
            command.args(["--max-new-tokens", "4"]);
        }
        command.run().success();
        let report = context.run(&["report", scoring, "--json"]).success().json();
        let all = &report["results"][0]["unseen"][0];
        assert!(all["items"].as_u64().unwrap() > 10, "{all}");
        let odds = &all["events"]["log_odds"];
        assert_eq!(odds["value"].is_null(), scoring == "generate", "{odds}");
        let changed = &all["other_order"]["to_right"]["value"];
        assert!(changed.is_number(), "{all}");
        let table = context.run(&["report", scoring, "--table", "unseen-changes"]).success().stdout;
        assert!(table.contains("beyond orders"), "{table}");
        if scoring == "letter" {
            let table = context.run(&["report", scoring, "--table", "wrong-choices"]).success().stdout;
            assert!(table.contains("where it is, not named last"), "{table}");
        }
        let table = context.run(&["report", scoring, "--table", "unseen"]).success().stdout;
        assert!(table.contains("mention kept"), "{table}");
    }
}
