//! Answers with planted properties, scored, compared and probed two hundred times: how often intervals hold the truth, how often
//! something is said that is not there, and whether yardsticks are where the property puts them. The table of `docs/truth.md`.

use crate::support::trials::chosen;
use indexmap::IndexMap;
use rand::Rng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use tomeval::internal::Cell;
use tomeval::internal::ContextRequest;
use tomeval::internal::SlotIx;
use tomeval::internal::limit_items;
use tomeval::internal::seeded;
use tomeval::internal::summary;
use tomeval::internal::{CompareSettings, Side, compare};
use tomeval::internal::{OrderProbeSettings, TrialOutcome, probe_orders};
use tomeval::internal::{ProbeAfter, ProbeAnswers, ProbeScores};
use tomeval::{
    Answer, Benchmark, Item, Language, Layout, OptionIx, Order, Outcome, Report, Respondent, Results, Screen, Setting,
    Ties, TokenScores, evaluate,
};

const REPETITIONS: usize = 200;

/// A share of 200 that is missed is drawn again as often as this: 92 % of 200 is missed by one in fifty answerers of 95 %.
const REPETITIONS_OF_MISSED: usize = 1000;

/// Of fewer values of a size, for instance where few samples hold a complete story, nothing is said.
const FEWEST: usize = 50;

/// Questions asked; `None` for all.
const SIZES: [Option<usize>; 3] = [Some(40), Some(100), None];

/// Tasks by name: stories, questions of each, options of each.
const TASKS: [(&str, usize, usize, usize); 4] =
    [("single", 60, 1, 4), ("double", 30, 2, 4), ("triple", 20, 3, 4), ("two options", 30, 2, 2)];

/// Accuracy of tasks and their mean.
const BY_TASK: &str = r#"
stratum = "task"

[[tables]]
id = "tasks"
title = "Tasks"
rows = ["language"]
columns = [
  { name = "single", where = { task = "single" } },
  { name = "double", where = { task = "double" } },
  { name = "triple", where = { task = "triple" } },
  { name = "two options", where = { task = "two options" } },
  { name = "AVG", mean = ["single", "double", "triple", "two options"] },
  { name = "All" },
]
"#;

/// Whole stories, beside [`BY_TASK`].
const BY_STORY: &str = r#"
[[tables]]
id = "stories"
title = "Stories"
rows = ["language"]
columns = [
  { name = "coherent", measure = "coherent", where = { task = "triple" } },
  { name = "drop", measure = "coherent-drop", where = { task = ["double", "triple", "two options"] } },
]
"#;

const BY_LANGUAGE: &str = r#"
stratum = "task"

[[tables]]
id = "tasks"
title = "Tasks"
rows = ["language"]
columns = [{ name = "All" }]

[[tables]]
id = "languages"
title = "Languages"
columns = [
  { name = "en", where = { language = "en" } },
  { name = "zh", where = { language = "zh" } },
  { name = "de", where = { language = "de" } },
  { name = "fr", where = { language = "fr" } },
  { name = "ja", where = { language = "ja" } },
  { name = "range", range = ["en", "zh", "de", "fr", "ja"] },
  { name = "mixed", measure = "mixed" },
]
"#;

const FIVE: [Language; 5] = [Language::En, Language::Zh, Language::De, Language::Fr, Language::Ja];

/// A benchmark whose right answers stand anywhere, but in half of the questions of one task at the first place. The longest
/// option is right in half of the questions with four.
fn data(languages: &[Language], draw: usize) -> Vec<Item> {
    let mut items = Vec::new();
    let mut rng = seeded(1, "planted data", draw);
    for (task, stories, questions, options) in TASKS {
        for (story, question) in (0..stories).flat_map(|story| (0..questions).map(move |question| (story, question))) {
            let mut gold = rng.random_range(0..options);
            if task == "single" && rng.random_bool(1.0 / 3.0) {
                gold = 0;
            }
            let longest = if rng.random_bool(1.0 / 3.0) { gold } else { rng.random_range(0..options) };
            for &language in languages {
                let text = |option: usize| {
                    format!("{story} {question} {option}{}", if option == longest { ", long" } else { "" })
                };
                items.push(Item {
                    id: format!("planted/{task}/{story}/{question}/{language}"),
                    benchmark: Benchmark::Custom,
                    language,
                    parallel: format!("planted/{task}/{story}/{question}"),
                    story: format!("planted/{task}/{story}/{language}"),
                    context: Vec::new(),
                    question: format!("{task} {story} {question}?"),
                    options: (0..options).map(text).collect(),
                    gold: Answer::Single(OptionIx(gold)),
                    facets: [("task".to_string(), task.to_string())].into(),
                    fields: Default::default(),
                    flags: Vec::new(),
                });
            }
        }
    }
    items
}

/// The items that a run of this size asks about.
fn asked(items: &[Item], size: Option<usize>, draw: usize) -> Vec<Item> {
    match size {
        Some(questions) => limit_items(items.to_vec(), questions, draw as u64, "task"),
        None => items.to_vec(),
    }
}

fn gold(item: &Item) -> usize {
    item.gold.options()[0]
}

/// A wrong option, any as likely as another.
fn wrong(item: &Item, rng: &mut ChaCha8Rng) -> usize {
    (gold(item) + rng.random_range(1..item.options.len())) % item.options.len()
}

fn trial(choice: usize, order: Option<Order>, probabilities: Option<&[f64]>) -> TrialOutcome {
    let logprobs = probabilities.map(|all| all.iter().map(|p| p.ln()).collect());
    TrialOutcome { order, logprobs, ..chosen(choice) }
}

fn outcome(item: &Item, trials: Vec<TrialOutcome>) -> Outcome<'_> {
    Outcome::new(item, "vanilla", None, trials, Ties::default())
}

fn answers<'a>(items: &'a [Item], mut choose: impl FnMut(&Item) -> usize) -> Vec<Outcome<'a>> {
    items.iter().map(|item| outcome(item, vec![trial(choose(item), None, None)])).collect()
}

/// Right with probability `p`, each answer for itself, or all answers of a story alike.
fn right_with<'a>(items: &'a [Item], p: f64, by_story: bool, rng: &mut ChaCha8Rng) -> Vec<Outcome<'a>> {
    let mut stories: IndexMap<String, bool> = IndexMap::new();
    answers(items, |item| {
        let own = rng.random_bool(p);
        let right = match by_story {
            true => *stories.entry(item.story.clone()).or_insert(own),
            false => own,
        };
        if right { gold(item) } else { wrong(item, rng) }
    })
}

/// Under five orders drawn at random, what is chosen by order.
fn five_orders<'a>(
    items: &'a [Item],
    rng: &mut ChaCha8Rng,
    mut choose: impl FnMut(&Item, &Order, &mut ChaCha8Rng) -> usize,
) -> Vec<Outcome<'a>> {
    let of = |item: &'a Item| {
        let mut trials: Vec<TrialOutcome> = Vec::new();
        for _ in 0..5 {
            let mut order: Vec<usize> = (0..item.options.len()).collect();
            order.shuffle(rng);
            let order = Order::try_from(order).unwrap();
            match trials.iter_mut().find(|known| known.order.as_ref() == Some(&order)) {
                Some(known) => known.count += 1,
                None => trials.push(trial(choose(item, &order, rng), Some(order), None)),
            }
        }
        outcome(item, trials)
    };
    items.iter().map(of).collect()
}

fn results(card: &str, items: &[Item], outcomes: &[Outcome<'_>]) -> Results {
    let layout = Layout::parse(card).unwrap();
    let by = Respondent { label: "planted", answers: "letters" };
    evaluate(&Setting { benchmark: Benchmark::Custom, title: "Planted", by, items, layout: &layout, seed: 0 }, outcomes)
}

fn cell<'a>(results: &'a Results, table: &str, column: &str) -> &'a Cell {
    let table = results.tables.iter().find(|found| found.id == table).unwrap();
    &table.rows[0].cells[table.columns.iter().position(|name| name == column).unwrap()]
}

/// What is said on the screen of a run.
fn said(results: Results) -> String {
    summary(&Report::new("planted", IndexMap::new(), vec![results]), Screen { width: None })
}

fn speaks_of_slots(text: &str) -> bool {
    text.contains("recall by slot deviates")
}

/// What one repetition shows of a statement.
#[derive(Debug, Clone, Copy)]
enum Shown {
    /// Whether an interval holds the truth; `None` where there is no interval.
    Holds(Option<bool>),
    /// Whether something is said that is not there.
    Alarm(bool),
    /// Whether something is said that is there.
    Found(bool),
    /// How far a value is from the yardstick that should be its mean.
    Gap(Option<f64>),
}

use Shown::{Alarm, Found, Gap, Holds};

type Findings = Vec<(&'static str, Shown)>;

fn holds(cell: &Cell, truth: f64) -> Shown {
    Holds(cell.interval.map(|(low, high)| low <= truth + 1e-9 && truth <= high + 1e-9))
}

fn gap(cell: &Cell) -> Shown {
    Gap(cell.value.zip(cell.expected).map(|(value, expected)| value - expected))
}

fn mean_of_tasks(of: impl Fn(usize) -> f64) -> f64 {
    TASKS.iter().map(|(.., options)| of(*options)).sum::<f64>() / TASKS.len() as f64 * 100.0
}

fn guesser(items: &[Item], asked: &[Item], rng: &mut ChaCha8Rng) -> Findings {
    let outcomes = five_orders(asked, rng, |item, _, rng| rng.random_range(0..item.options.len()));
    let found = results(&[BY_TASK, BY_STORY].concat(), items, &outcomes);
    let average = cell(&found, "tasks", "AVG");
    let truth = mean_of_tasks(|options| 1.0 / options as f64);
    let mut shown = vec![
        ("interval of AVG holds chance", holds(average, truth)),
        ("AVG - chance", Gap(average.value.zip(average.chance).map(|(value, chance)| value - chance))),
        ("coherent - if independent", gap(cell(&found, "stories", "coherent"))),
        ("drop - if independent", gap(cell(&found, "stories", "drop"))),
    ];
    let calibration = &found.calibration[0];
    let changing = calibration.changing_with_order.value.zip(calibration.changing_if_independent);
    shown.push(("changing - if independent", Gap(changing.map(|(share, expected)| share - expected))));
    let text = said(found);
    shown.push(("\"below chance\"", Alarm(text.contains("below chance"))));
    shown.push(("\"slots are preferred\"", Alarm(speaks_of_slots(&text))));
    shown
}

fn constant(items: &[Item], asked: &[Item], rng: &mut ChaCha8Rng) -> Findings {
    let found = results(BY_TASK, items, &five_orders(asked, rng, |_, _, _| 0));
    let single = cell(&found, "tasks", "single");
    let mut shown = vec![
        ("interval of single holds its share", holds(single, 50.0)),
        ("its value is the best constant", Found(single.value == single.constant)),
    ];
    shown.push(("\"slots are preferred\"", Alarm(speaks_of_slots(&said(found)))));
    shown
}

fn longest(items: &[Item], asked: &[Item], _: &mut ChaCha8Rng) -> Findings {
    let long = |item: &Item| item.options.iter().position(|option| option.ends_with("long")).unwrap();
    let found = results(BY_TASK, items, &answers(asked, long));
    vec![("interval of double holds its share", holds(cell(&found, "tasks", "double"), 50.0))]
}

fn always_first(items: &[Item], asked: &[Item], rng: &mut ChaCha8Rng) -> Findings {
    let found = results(BY_TASK, items, &five_orders(asked, rng, |_, order, _| order.option_at(SlotIx(0)).0));
    let truth = mean_of_tasks(|options| 1.0 / options as f64);
    let mut shown = vec![("interval of AVG holds chance", holds(cell(&found, "tasks", "AVG"), truth))];
    shown.push(("\"slots are preferred\"", Found(speaks_of_slots(&said(found)))));
    shown
}

fn independent(p: f64) -> impl Fn(&[Item], &[Item], &mut ChaCha8Rng) -> Findings {
    move |items, asked, rng| {
        let found = results(&[BY_TASK, BY_STORY].concat(), items, &right_with(asked, p, false, rng));
        vec![
            ("interval of AVG holds p", holds(cell(&found, "tasks", "AVG"), 100.0 * p)),
            ("interval of All holds p", holds(cell(&found, "tasks", "All"), 100.0 * p)),
            ("interval of coherent holds p^3", holds(cell(&found, "stories", "coherent"), 100.0 * p.powi(3))),
            ("coherent - if independent", gap(cell(&found, "stories", "coherent"))),
            ("drop - if independent", gap(cell(&found, "stories", "drop"))),
            ("\"below chance\"", Alarm(said(found).contains("below chance"))),
        ]
    }
}

fn all_or_nothing(p: f64) -> impl Fn(&[Item], &[Item], &mut ChaCha8Rng) -> Findings {
    move |items, asked, rng| {
        let found = results(&[BY_TASK, BY_STORY].concat(), items, &right_with(asked, p, true, rng));
        vec![
            ("interval of AVG holds p", holds(cell(&found, "tasks", "AVG"), 100.0 * p)),
            ("interval of All holds p", holds(cell(&found, "tasks", "All"), 100.0 * p)),
            ("interval of coherent holds p", holds(cell(&found, "stories", "coherent"), 100.0 * p)),
        ]
    }
}

/// Two sides, right with these probabilities.
fn sides(p: [f64; 2], by_story: bool) -> impl Fn(&[Item], &[Item], &mut ChaCha8Rng) -> Findings {
    move |_, asked, rng| {
        let both = p.map(|p| right_with(asked, p, by_story, rng));
        let side = |label: &str, outcomes| Side {
            label: label.into(),
            answers: "letters".into(),
            model: label.into(),
            outcomes,
        };
        let both = ["A", "B"].into_iter().zip(&both).map(|(label, outcomes)| side(label, outcomes.iter().collect()));
        let settings = CompareSettings { facets: vec!["task".into()], ..CompareSettings::default() };
        let found = compare(&both.collect::<Vec<_>>(), &settings).unwrap();
        let verdict = &found.pairs[0].verdict;
        let excludes =
            |row: &tomeval::internal::CompareRow| row.interval.is_some_and(|(low, high)| low > 0.0 || high < 0.0);
        let all = found.rows.iter().find(|row| row.facet == "all").unwrap();
        let mut shown = vec![("\"5 points or more is excluded\"", Alarm(verdict.contains("is excluded")))];
        if p[0] == p[1] {
            let agreement = &found.pairs[0].agreement;
            shown = vec![
                ("\"is better by\"", Alarm(verdict.contains("is better by"))),
                (
                    "same choice - expected",
                    Gap(agreement.same.zip(agreement.same_expected).map(|(same, by)| same - by)),
                ),
                ("interval of all without 0", Alarm(excludes(all))),
                ("some Holm p below 0.05", Alarm(found.rows.iter().any(|row| row.p_holm.is_some_and(|p| p < 0.05)))),
            ];
        }
        shown
    }
}

fn languages(by_story: bool) -> impl Fn(&[Item], &[Item], &mut ChaCha8Rng) -> Findings {
    move |items, asked, rng| {
        let found = results(BY_LANGUAGE, items, &right_with(asked, 0.7, by_story, rng));
        let range = cell(&found, "languages", "range");
        let above = range.value.zip(range.expected_up_to).is_some_and(|(value, high)| value > high + 1e-9);
        vec![
            ("range above 95 % of permuted ones", Alarm(above)),
            ("range with an interval", Alarm(range.interval.is_some())),
            ("range - if alike", gap(range)),
            ("mixed - if independent", gap(cell(&found, "languages", "mixed"))),
        ]
    }
}

fn one_language(items: &[Item], asked: &[Item], rng: &mut ChaCha8Rng) -> Findings {
    let english: Vec<Item> = asked.iter().filter(|item| item.language == Language::En).cloned().collect();
    let found = results(BY_LANGUAGE, items, &right_with(&english, 0.7, false, rng));
    let rows = &found.tables.iter().find(|table| table.id == "tasks").unwrap().rows;
    vec![
        ("rows of other languages", Alarm(rows.iter().any(|row| row.key["language"] != "en"))),
        ("interval of All holds p", holds(cell(&found, "tasks", "All"), 70.0)),
        ("a value for another language", Alarm(cell(&found, "languages", "zh").value.is_some())),
    ]
}

/// Ten people whose skills spread by ten points; nine answer twenty questions each, the first all.
fn people(items: &[Item], asked: &[Item], rng: &mut ChaCha8Rng) -> Findings {
    let mut outcomes = Vec::new();
    for person in 0..10 {
        // A normal draw as a sum of twelve uniform ones.
        let normal = (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
        let skill = (0.7 + 0.1 * normal).clamp(0.0, 1.0);
        let mut hand: Vec<&Item> = asked.iter().collect();
        if person > 0 {
            hand.shuffle(rng);
            hand.truncate(20);
        }
        for item in hand {
            let choice = if rng.random_bool(skill) { gold(item) } else { wrong(item, rng) };
            outcomes.push(outcome(item, vec![trial(choice, None, None)]).of_rater(Some(format!("p{person}"))));
        }
    }
    vec![(
        "interval of All holds the mean person",
        holds(cell(&results(BY_TASK, items, &outcomes), "tasks", "All"), 70.0),
    )]
}

/// An answer with the probabilities of its options; where confidence is right, the right option is drawn by them.
fn with_confidence<'a>(item: &'a Item, calibrated: bool, rng: &mut ChaCha8Rng) -> Outcome<'a> {
    let mut p: Vec<f64> = item.options.iter().map(|_| rng.random_range(-2.0..2.0f64).exp()).collect();
    let all: f64 = p.iter().sum();
    p.iter_mut().for_each(|p| *p /= all);
    if calibrated {
        let mut left = rng.random::<f64>();
        let drawn = p.iter().position(|p| {
            left -= p;
            left < 0.0
        });
        p.swap(drawn.unwrap_or(0), gold(item));
    }
    let choice = (0..p.len()).fold(0, |best, at| if p[at] > p[best] { at } else { best });
    outcome(item, vec![trial(choice, None, Some(&p))])
}

fn confident(calibrated: bool) -> impl Fn(&[Item], &[Item], &mut ChaCha8Rng) -> Findings {
    move |items, asked, rng| {
        let outcomes: Vec<Outcome<'_>> = asked.iter().map(|item| with_confidence(item, calibrated, rng)).collect();
        let found = results("", items, &outcomes).calibration.remove(0);
        let error = found.calibration_error.value.zip(found.calibration_error_if_calibrated);
        match calibrated {
            true => vec![("ECE - calibrated", Gap(error.map(|(error, expected)| error - expected)))],
            false => {
                let best = found.selective.first().map(|best| best.accuracy);
                vec![
                    ("best 25 % - accuracy", Gap(best.zip(found.accuracy.value).map(|(best, all)| best - all))),
                    ("ECE above calibrated", Found(error.is_some_and(|(error, expected)| error > expected))),
                ]
            }
        }
    }
}

/// A model to which every text is as likely as chance has it, whatever its order; equal texts are equally likely.
struct Blind(usize);

impl ProbeScores for Blind {
    fn continuations(&self, texts: &[ContextRequest], _: ProbeAfter<'_>) -> ProbeAnswers<Vec<TokenScores>> {
        let score = |context: &str, text: &String| {
            let logprob = -seeded(4, &format!("{context}{text}"), self.0).random_range(10.0..20.0f32);
            TokenScores { logprobs: vec![logprob] }
        };
        Ok(texts
            .iter()
            .map(|text| Ok(text.continuations.iter().map(|it| score(&text.context, it)).collect()))
            .collect())
    }

    fn whole(&self, texts: &[String], _: ProbeAfter<'_>) -> ProbeAnswers<Vec<TokenScores>> {
        Ok(texts.iter().map(|_| Ok(Vec::new())).collect())
    }
}

/// The released order is no likelier than others; a third of the questions stand in the data twice, under two names.
fn unread(_: &[Item], asked: &[Item], rng: &mut ChaCha8Rng) -> Findings {
    let named = |item: &Item, name: &str| Item {
        id: format!("{}{name}", item.id),
        benchmark: Benchmark::Demo,
        story: format!("{}{name}", item.story),
        ..item.clone()
    };
    let twice = asked.iter().filter(|item| item.facet("task") == Some("double")).map(|item| named(item, "/again"));
    let items: Vec<Item> = asked.iter().map(|item| named(item, "")).chain(twice).collect();
    let settings = OrderProbeSettings { orders: 23, draws: 999, seed: 0 };
    let found = probe_orders(&Blind(rng.random_range(0..usize::MAX)), &items, &settings, &mut |_, _| {}).unwrap();
    vec![("p of `probe orders` below 0.05", Alarm(found.groups[0].test.is_some_and(|test| test.p < 0.05)))]
}

type Answerer = Box<dyn Fn(&[Item], &[Item], &mut ChaCha8Rng) -> Findings + Sync>;

fn answerers() -> Vec<(&'static str, &'static [Language], Answerer)> {
    const EN: &[Language] = &[Language::En];
    vec![
        ("guesser, five orders", EN, Box::new(guesser)),
        ("always option A, five orders", EN, Box::new(constant)),
        ("always the longest", EN, Box::new(longest)),
        ("always the first slot, five orders", EN, Box::new(always_first)),
        ("right with 0.5", EN, Box::new(independent(0.5))),
        ("right with 0.8", EN, Box::new(independent(0.8))),
        ("right with 0.9", EN, Box::new(independent(0.9))),
        ("stories all right or all wrong, 0.5", EN, Box::new(all_or_nothing(0.5))),
        ("stories all right or all wrong, 0.8", EN, Box::new(all_or_nothing(0.8))),
        ("equal sides", EN, Box::new(sides([0.7, 0.7], false))),
        ("equal sides, stories all or nothing", EN, Box::new(sides([0.7, 0.7], true))),
        ("sides 5 points apart", EN, Box::new(sides([0.7, 0.75], false))),
        ("five equal languages", &FIVE, Box::new(languages(false))),
        ("five equal languages, stories all or nothing", &FIVE, Box::new(languages(true))),
        ("one language of five", &FIVE, Box::new(one_language)),
        ("ten people, sd 10", EN, Box::new(people)),
        ("calibrated confidence", EN, Box::new(confident(true))),
        ("blind confidence", EN, Box::new(confident(false))),
        ("orders never seen", EN, Box::new(unread)),
    ]
}

/// All repetitions of a statement.
#[derive(Default)]
struct Tally {
    kind: &'static str,
    /// Whether it was missed, or another statement of the answerer, and drawn again.
    repeated: bool,
    values: Vec<f64>,
}

impl Tally {
    fn add(&mut self, shown: Shown) {
        let (kind, value) = match shown {
            Holds(holds) => ("holds", holds.map(f64::from)),
            Alarm(said) => ("alarm", Some(f64::from(said))),
            Found(said) => ("found", Some(f64::from(said))),
            Gap(gap) => ("gap", gap),
        };
        self.kind = kind;
        self.values.extend(value);
    }

    fn mean(&self) -> f64 {
        self.values.iter().sum::<f64>() / self.values.len() as f64
    }

    /// Whether it is as it should be, over so many repetitions as there are.
    fn is_right(&self) -> bool {
        let n = self.values.len() as f64;
        let mean = self.mean();
        let deviation = (self.values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0) / n).sqrt();
        match self.kind {
            "holds" => n < FEWEST as f64 || mean >= 0.92,
            "alarm" => mean <= 0.07,
            "found" => mean >= 0.9,
            _ => n < FEWEST as f64 || mean.abs() <= 3.5 * deviation.max(0.05),
        }
    }

    fn rendered(&self) -> String {
        match (self.values.len() < FEWEST, self.kind) {
            (true, _) => "-".to_string(),
            (_, "gap") => format!("{:+.1}", self.mean()).replace("-0.0", "+0.0"),
            _ if self.repeated => format!("{:.1} % (of {REPETITIONS_OF_MISSED})", self.mean() * 100.0),
            _ => format!("{:.1} %", self.mean() * 100.0),
        }
    }
}

#[test]
fn nothing_is_said_that_was_not_planted() {
    let mut table = String::new();
    let mut wrong = Vec::new();
    for (name, languages, answerer) in answerers() {
        let mut tallies: IndexMap<&str, [Tally; SIZES.len()]> = IndexMap::new();
        for (at, size) in SIZES.into_iter().enumerate() {
            let one = |draw: usize| {
                let items = data(languages, draw);
                let asked = asked(&items, size, draw);
                answerer(&items, &asked, &mut seeded(2, name, draw))
            };
            let mut of_size: IndexMap<&str, Tally> = IndexMap::new();
            for draws in [0..REPETITIONS, REPETITIONS..REPETITIONS_OF_MISSED] {
                let repeated = draws.start > 0;
                if repeated && of_size.values().all(Tally::is_right) {
                    break;
                }
                let all: Vec<Findings> = draws.into_par_iter().map(one).collect();
                for (statement, shown) in all.into_iter().flatten() {
                    let tally = of_size.entry(statement).or_default();
                    tally.repeated |= repeated;
                    tally.add(shown);
                }
            }
            for (statement, tally) in of_size {
                tallies.entry(statement).or_default()[at] = tally;
            }
        }
        for (statement, tallies) in tallies {
            let wanted = match tallies[0].kind {
                "holds" => "92 % or more",
                "alarm" => "7 % or fewer",
                "found" => "90 % or more",
                _ => "0",
            };
            let rendered: Vec<String> = tallies.iter().map(Tally::rendered).collect();
            let line = format!("| {name} | {statement} | {} | {wanted} |\n", rendered.join(" | "));
            if !tallies.iter().all(Tally::is_right) {
                wrong.push(line.clone());
            }
            table.push_str(&line);
        }
    }
    assert!(wrong.is_empty(), "not as planted:\n{}\nof\n{table}", wrong.concat());
    let document = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/truth.md")).unwrap();
    assert!(document.contains(&table), "docs/truth.md must hold:\n{table}");
}
