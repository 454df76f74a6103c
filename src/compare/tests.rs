//! Comparisons of hand-made outcomes.

use super::*;
use crate::answer::{Outcome, Ties, TrialOutcome};
use crate::benchmark::{Answer, Item, OptionIx};
use crate::language::Language;
use crate::prompt::Order;

const GOLD: usize = 1;

pub(super) fn item(number: usize, story: usize, language: Language) -> Item {
    let code = language.code();
    Item {
        id: format!("test/{number}/{code}"),
        benchmark: Benchmark::Custom,
        language,
        parallel: format!("test/{number}"),
        story: format!("story {story}/{code}"),
        context: Vec::new(),
        question: "?".into(),
        options: ["one", "two", "three"].map(String::from).to_vec(),
        gold: Answer::Single(OptionIx(GOLD)),
        facets: [("task".to_string(), if number.is_multiple_of(2) { "even" } else { "odd" }.to_string())].into(),
        fields: Default::default(),
        flags: Vec::new(),
    }
}

pub(super) fn items(count: usize) -> Vec<Item> {
    (0..count).map(|number| item(number, number / 2, Language::En)).collect()
}

fn trial(choice: Option<usize>, logprobs: Option<[f64; 3]>) -> TrialOutcome {
    TrialOutcome {
        order: Some(Order::identity(3)),
        count: 1,
        choice: choice.map(|option| Answer::Single(OptionIx(option))),
        logprobs: logprobs.map(|scores| scores.to_vec()),
        tied: false,
        failure: None,
        reading: None,
    }
}

fn outcome<'a>(item: &'a Item, trials: Vec<TrialOutcome>) -> Outcome<'a> {
    Outcome::new(item, "vanilla", None, trials, Ties::default())
}

/// Outcomes by pattern: `1` is right, `0` is wrong, `-` has no answer.
pub(super) fn outcomes<'a>(items: &'a [Item], pattern: &str) -> Vec<Outcome<'a>> {
    let choice = |mark| match mark {
        '1' => Some(GOLD),
        '0' => Some(0),
        '2' => Some(2),
        _ => None,
    };
    items.iter().zip(pattern.chars()).map(|(item, mark)| outcome(item, vec![trial(choice(mark), None)])).collect()
}

pub(super) fn side<'a>(label: &str, outcomes: &'a [Outcome<'a>]) -> Side<'a> {
    let outcomes = outcomes.iter().collect();
    Side { label: label.into(), answers: "letters".into(), model: label.into(), outcomes }
}

fn by_task() -> Settings<'static> {
    Settings { facets: vec!["task".into()], ..Settings::default() }
}

#[test]
fn accuracies_flips_and_tests_are_of_the_same_items() {
    let items = items(8);
    let (a, b) = (outcomes(&items, "11110000"), outcomes(&items, "1110111-"));
    let found = compare(&[side("a", &a), side("b", &b)], &by_task()).unwrap();
    let all = &found.rows[0];
    assert_eq!((all.facet.as_str(), all.n, all.stories), ("all", 8, 4));
    assert_eq!((all.a, all.b, all.difference), (50.0, 75.0, 25.0));
    assert_eq!((all.right_to_wrong, all.wrong_to_right), (1, 3));
    // At most one of four discordant pairs on one side, under a fair coin, two-sided: 2 * (1 + 4) / 16.
    assert!((all.p - 0.625).abs() < 1e-12);
    // Stories sum to 0, -1, 2 and 1: of eight sign assignments, six are at least as far from 0 as 2.
    assert_eq!((all.p_stories, all.interval), (0.75, None), "four stories");
    let named: Vec<(&str, &str, usize)> =
        found.rows.iter().map(|row| (row.facet.as_str(), row.value.as_str(), row.n)).collect();
    assert_eq!(named, [("all", "all", 8), ("task", "even", 4), ("task", "odd", 4)]);
    assert_eq!((found.family, all.p_holm), (2, None));
    assert!(found.rows[1].p_holm.unwrap() >= found.rows[1].p_stories);
    assert_eq!(found.sides[1].unanswered, 1);
    assert_eq!(found.benchmarks[&Benchmark::Custom], 8);
    // The item without an answer is excluded from comparisons of choices.
    assert_eq!(found.pairs[0].agreement.items, 7);
}

#[test]
fn the_same_answers_show_no_difference_and_say_how_sure_that_is() {
    let items = items(40);
    let a = outcomes(&items, &"10".repeat(20));
    let found = compare(&[side("a", &a), side("b", &a)], &Settings::default()).unwrap();
    let all = &found.rows[0];
    assert_eq!((all.difference, all.p, all.detectable), (0.0, 1.0, None));
    let (low, high) = all.interval.unwrap();
    assert!(low == -high && high > 5.0, "twenty stories do not exclude everything");
    assert!(found.pairs[0].verdict.contains("not excluded"), "{}", found.pairs[0].verdict);
    assert_eq!(found.pairs[0].agreement.kappa, Some(1.0));
    let wide = Settings { margin: 20.0, ..Settings::default() };
    let found = compare(&[side("a", &a), side("b", &a)], &wide).unwrap();
    assert!(found.pairs[0].verdict.contains("is excluded"), "{}", found.pairs[0].verdict);
}

#[test]
fn a_sure_difference_is_told_by_who_is_better() {
    let items = items(40);
    let (a, b) = (outcomes(&items, &"1110".repeat(10)), outcomes(&items, &"0100".repeat(10)));
    let found = compare(&[side("first", &a), side("second", &b)], &Settings::default()).unwrap();
    assert_eq!(found.pairs[0].verdict, "first is better by 50.0 points: p by story is below 0.05.");
}

#[test]
fn sides_that_were_asked_different_items_are_refused_with_what_differs() {
    let items = items(8);
    let (a, b) = (outcomes(&items[..6], "111100"), outcomes(&items[2..], "110000"));
    let sides = [side("a", &a), side("b", &b)];
    let error = compare(&sides, &Settings::default()).unwrap_err().to_string();
    for part in ["2 items that a has", "test/0/en, test/1/en", "2 items that b has", "test/6/en", "--common"] {
        assert!(error.contains(part), "{error}");
    }
    let found = compare(&sides, &Settings { common: true, ..Settings::default() }).unwrap();
    assert_eq!((found.rows[0].n, found.sides[0].fell_out, found.sides[1].fell_out), (4, 2, 2));
    assert_eq!(found.sides[1].first_fell_out, ["test/6/en", "test/7/en"]);
    let (a, b) = (outcomes(&items[..2], "11"), outcomes(&items[2..], "110000"));
    let sides = [side("a", &a), side("b", &b)];
    let error = compare(&sides, &Settings { common: true, ..Settings::default() }).unwrap_err();
    assert!(matches!(error, CompareError::NothingInCommon(_)), "{error}");
}

#[test]
fn other_right_answers_or_texts_are_refused() {
    let items = items(4);
    let mut others = items.clone();
    others[1].gold = Answer::Single(OptionIx(0));
    others[2].question = "Why?".into();
    let (a, b) = (outcomes(&items, "1111"), outcomes(&others, "1111"));
    let sides = [side("a", &a), side("b", &b)];
    let error = compare(&sides, &Settings::default()).unwrap_err().to_string();
    assert!(error.contains("1 items with different right answers") && error.contains("--labels"), "{error}");
    assert!(error.contains("different texts") && error.contains("test/2/en"), "{error}");
    let found = compare(&sides, &Settings { common: true, ..Settings::default() }).unwrap();
    assert_eq!((found.rows[0].n, found.sides[0].fell_out), (2, 2));
}

#[test]
fn languages_are_paired_by_question_and_their_stories_are_one() {
    let english: Vec<Item> = (0..6).map(|number| item(number, number / 3, Language::En)).collect();
    let chinese: Vec<Item> = (0..6).map(|number| item(number, number, Language::Zh)).collect();
    let (a, b) = (outcomes(&english, "111000"), outcomes(&chinese, "110100"));
    let both: Vec<Outcome<'_>> = a.iter().chain(&b).cloned().collect();
    let run = side("run", &both);
    let settings = Settings { facets: vec!["language".into(), "task".into()], ..Settings::default() };
    for sides in [vec![side("en", &a), side("zh", &b)], split(std::slice::from_ref(&run), Between::Language).unwrap()] {
        let found = compare(&sides, &settings).unwrap();
        assert_eq!(found.differs, ["language"]);
        assert_eq!((found.sides[0].label.as_str(), found.sides[1].label.as_str()), ("en", "zh"));
        let all = &found.rows[0];
        assert_eq!((all.n, all.right_to_wrong, all.wrong_to_right), (6, 1, 1));
        // Three questions of one English story stay one story, though their Chinese stories differ.
        assert_eq!(all.stories, 2);
        assert!(found.rows.iter().all(|row| row.facet != "language"));
    }
    // Both languages on both sides: versions of a question are also one story.
    let found = compare(&[run.clone(), side("again", &both)], &settings).unwrap();
    assert_eq!((found.differs.len(), found.rows[0].n, found.rows[0].stories), (0, 12, 2));
    assert_eq!(found.rows[1].facet, "language");
    // Several models: each is compared within itself.
    let settings = Settings { within: true, ..settings };
    let one = Side { label: "one".into(), model: "one".into(), ..run.clone() };
    let other = Side { label: "other".into(), model: "other".into(), ..run };
    let sides = split(&[one.clone(), other.clone()], Between::Language).unwrap();
    let found = compare(&sides, &settings).unwrap();
    let pairs: Vec<(&str, &str)> = found.pairs.iter().map(|pair| (pair.a.as_str(), pair.b.as_str())).collect();
    assert_eq!(pairs, [("one, en", "one, zh"), ("other, en", "other, zh")]);
    let lacking = [one, Side { model: "english".into(), ..side("english", &a) }];
    let error = split(&lacking, Between::Language).unwrap_err().to_string();
    assert!(error.contains("english: zh"), "{error}");
    // Runs of the same weights are one model.
    let mut halves = [side("en run", &a), side("zh run", &b)];
    halves.iter_mut().for_each(|half| half.model.weights = Some("abc".into()));
    assert_eq!(split(&halves, Between::Language).unwrap().len(), 2);
    let error = split(&[side("en", &a)], Between::Variant).unwrap_err().to_string();
    assert!(error.contains("--between variant: no item has one"), "{error}");
    let error = split(&[side("en", &a)], Between::Language).unwrap_err().to_string();
    assert!(error.contains("everything is `en`"), "{error}");
}

#[test]
fn an_item_that_a_side_answers_twice_is_refused() {
    let items = items(4);
    let a = outcomes(&items, "1111");
    let twice: Vec<Outcome<'_>> = a.iter().chain(&a[..1]).cloned().collect();
    let error = compare(&[side("a", &a), side("b", &twice)], &Settings::default()).unwrap_err().to_string();
    assert!(error.contains("b answers test/0/en more than once"), "{error}");
    let error = compare(&[side("a", &a), side("a", &a)], &Settings::default()).unwrap_err().to_string();
    assert!(error.contains("two sides are called `a`"), "{error}");
    assert!(matches!(compare(&[side("a", &a)], &Settings::default()), Err(CompareError::TooFew(1))));
}

#[test]
fn failed_items_are_left_out_and_counted() {
    let items = items(6);
    let a = outcomes(&items, "111000");
    let mut b = outcomes(&items, "110000");
    b[0].trials[0].failure = Some("too-long".into());
    let found = compare(&[side("a", &a), side("b", &b)], &Settings::default()).unwrap();
    assert_eq!((found.rows[0].n, found.sides[1].failed, found.has_failures()), (5, 1, true));
    b.iter_mut().for_each(|outcome| outcome.trials[0].failure = Some("too-long".into()));
    let error = compare(&[side("a", &a), side("b", &b)], &Settings::default()).unwrap_err();
    assert!(matches!(error, CompareError::AllFailed), "{error}");
}

#[test]
fn log_probabilities_are_compared_in_the_same_order_only() {
    let items = items(2);
    let scored = |shift: f64, second: Order| {
        let scores = |choice, scores| trial(Some(choice), Some(scores));
        let other = TrialOutcome { order: Some(second), ..scores(0, [0.0, -9.0, -9.0]) };
        vec![
            outcome(&items[0], vec![scores(1, [-2.0, -1.0, -3.0 + shift]), other]),
            outcome(&items[1], vec![scores(if shift > 0.0 { 0 } else { 1 }, [-1.1 + 2.0 * shift, -1.0, -3.0])]),
        ]
    };
    let turned = Order::try_from(vec![1, 0, 2]).unwrap();
    let (a, b) = (scored(0.0, turned.clone()), scored(0.25, Order::try_from(vec![2, 0, 1]).unwrap()));
    let found = compare(&[side("a", &a), side("b", &b)], &Settings { flips: 5, ..Settings::default() }).unwrap();
    let scores = found.pairs[0].scores.as_ref().unwrap();
    assert_eq!((scores.prompts, scores.options, scores.choice_flips, scores.vote_flips), (2, 6, 1, 1));
    assert!((scores.mean - 0.125).abs() < 1e-12 && (scores.largest - 0.5).abs() < 1e-12);
    assert_eq!(scores.largest_at, "test/1/en");
    let flips = &found.pairs[0].flips;
    assert_eq!(flips.len(), 1);
    assert_eq!(
        (flips[0].id.as_str(), flips[0].a.as_deref(), flips[0].b.as_deref()),
        ("test/1/en", Some(&[1][..]), Some(&[0][..]))
    );
    assert!(flips[0].right_to_wrong && flips[0].probability_change.unwrap() < 0.0);
    let texts = Side { answers: "texts".into(), ..side("b", &b) };
    assert_eq!(compare(&[side("a", &a), texts], &Settings::default()).unwrap().pairs[0].scores, None);
}

#[test]
fn choices_over_orders_have_a_kappa() {
    let items = items(4);
    let rotated = |by: usize| Order::try_from((0..3).map(|slot| (slot + by) % 3).collect::<Vec<_>>()).ok();
    let seen = |item, choices: &[usize]| {
        let in_order = |(by, &choice)| TrialOutcome { order: rotated(by), ..trial(Some(choice), None) };
        outcome(item, choices.iter().enumerate().map(in_order).collect())
    };
    let steady: Vec<Outcome<'_>> = items.iter().zip([1, 0, 1, 2]).map(|(item, c)| seen(item, &[c, c, c])).collect();
    let torn: Vec<Outcome<'_>> = items.iter().map(|item| seen(item, &[0, 1, 2])).collect();
    let found = compare(&[side("steady", &steady), side("torn", &torn)], &Settings::default()).unwrap();
    let orders = |position: usize| found.sides[position].orders.clone().unwrap();
    assert_eq!((orders(0).orders, orders(0).changing, orders(0).kappa), (3, 0.0, Some(1.0)));
    assert_eq!((orders(1).items, orders(1).changing), (4, 100.0));
    assert!(orders(1).kappa.unwrap() < 0.0);
    // Of twelve answers four are right: three drawn are all right in 24 of 1,320 ways, all wrong in 336, a quarter of
    // them equal.
    assert!((orders(1).changing_expected - 100.0 * (1.0 - 108.0 / 1320.0)).abs() < 1e-9);
    // Several replies in one order are unrelated to order effects.
    let sampled: Vec<Outcome<'_>> =
        items.iter().map(|item| outcome(item, [0, 1, 2].map(|choice| trial(Some(choice), None)).to_vec())).collect();
    let found = compare(&[side("sampled", &sampled), side("torn", &torn)], &Settings::default()).unwrap();
    assert_eq!(found.sides[0].orders, None);
}

#[test]
fn agreement_stands_beside_what_independence_gives() {
    let items = items(100);
    // Each right in 80 of 100, independently: both in 64. Wrong answers are split equally between the two other
    // options.
    let a = outcomes(&items, &("1".repeat(80) + &"02".repeat(10)));
    let b = outcomes(&items, &("1".repeat(64) + &"02".repeat(8) + &"1".repeat(16) + "0022"));
    let found = compare(&[side("a", &a), side("b", &b)], &Settings::default()).unwrap();
    let ChoiceAgreement { same, same_expected, kappa, kappa_expected, .. } = found.pairs[0].agreement;
    let near =
        |found: Option<f64>, expected: f64| assert!((found.unwrap() - expected).abs() < 1e-9, "{found:?} {expected}");
    near(same, 66.0);
    near(same_expected, 66.0);
    // Chance: 0.8 0.8 + 0.1 0.1 + 0.1 0.1.
    near(kappa, 0.0);
    near(kappa_expected, 0.0);
}

#[test]
fn a_difference_takes_six_stories_that_changed() {
    let items = items(40);
    let pattern = |changed: usize| "0".repeat(40 - changed) + &"1".repeat(changed);
    let all = |changed| {
        let (a, b) = (outcomes(&items, &"0".repeat(40)), outcomes(&items, &pattern(changed)));
        compare(&[side("a", &a), side("b", &b)], &Settings::default()).unwrap()
    };
    // Ten flips in five stories: McNemar's test treats them as ten observations.
    let five = all(10);
    assert!(five.rows[0].p < 0.01 && five.rows[0].p_stories == 0.0625, "{:?}", five.rows[0]);
    assert_eq!(five.rows[0].interval.unwrap().0, 0.0);
    assert!(five.pairs[0].verdict.starts_with("No difference shown"), "{}", five.pairs[0].verdict);
    let six = all(12);
    assert!(six.rows[0].interval.unwrap().0 > 0.0 && six.pairs[0].verdict.starts_with("b is better"), "{six:?}");
    // Equally many flips each way in every story.
    let (a, b) = (outcomes(&items, &"10".repeat(20)), outcomes(&items, &"01".repeat(20)));
    let verdict = compare(&[side("a", &a), side("b", &b)], &Settings::default()).unwrap().pairs[0].verdict.clone();
    assert!(verdict.contains("as many items turn right as wrong"), "{verdict}");
}

/// A benchmark of two tasks, the first with the given number of items, each with its own story; its headline is the
/// mean of both tasks.
fn two_tasks(first: usize, all: usize) -> Vec<Item> {
    let task = |number: usize| if number < first { "large" } else { "small" };
    let with_task = |number| Item {
        facets: [("task".to_string(), task(number).to_string())].into(),
        ..item(number, number, Language::En)
    };
    (0..all).map(with_task).collect()
}

fn with_headline<'a>(items: &'a [Item], drawn_by: Option<&str>) -> Settings<'a> {
    let card = "[[tables]]\nid = 'tasks'\ntitle = 'Tasks'\nrows = ['language']\ncolumns = [\
                {name = 'L', where = {task = 'large'}}, {name = 'S', where = {task = 'small'}}, {name = 'AVG', mean = ['L', 'S']}]";
    let layout = crate::metric::Layout::parse(card).unwrap();
    let drawn_by = drawn_by.map(str::to_string);
    Settings { benchmarks: vec![BenchmarkItems { benchmark: Benchmark::Custom, layout, items, drawn_by }], ..by_task() }
}

#[test]
fn the_verdict_is_about_the_cards_headline() {
    let items = two_tasks(80, 100);
    let a = outcomes(&items, &("0".repeat(80) + &"1".repeat(20)));
    let b = outcomes(&items, &("1".repeat(24) + &"0".repeat(76)));
    let found = compare(&[side("a", &a), side("b", &b)], &with_headline(&items, None)).unwrap();
    // Over items, b is better by 4 points; by the mean of tasks, 0 and 100 against 30 and 0, a is better by 35.
    assert_eq!(found.rows[0].difference, 4.0);
    let [headline] = &found.pairs[0].headlines[..] else { panic!("{:?}", found.pairs[0].headlines) };
    assert_eq!((headline.facet.as_str(), headline.value.as_str(), headline.n), ("headline", "AVG, en", 100));
    assert!((headline.a - 50.0).abs() < 1e-9 && (headline.b - 15.0).abs() < 1e-9, "{headline:?}");
    assert!(headline.p_stories < 0.05 && headline.interval.unwrap().1 < 0.0, "{headline:?}");
    let verdict = &found.pairs[0].verdict;
    assert_eq!(verdict, "AVG, en: a is better by 35.0 points: p by story is below 0.05.");
    // A part with four stories shows too little of the variation between stories.
    let found = compare(&[side("a", &a[..84]), side("b", &b[..84])], &with_headline(&items, None)).unwrap();
    assert_eq!(found.pairs[0].headlines[0].interval, None);
    // Without one of the tasks there is no mean of tasks, and the verdict is about items.
    let found = compare(&[side("a", &a[..80]), side("b", &b[..80])], &with_headline(&items, None)).unwrap();
    assert!(found.pairs[0].headlines.is_empty() && found.pairs[0].verdict.starts_with("b is better by 30.0"));
}

#[test]
fn a_stratified_sample_is_weighted_to_the_whole() {
    let all = two_tasks(90, 100);
    let asked: Vec<Item> = all[80..].to_vec();
    let (a, b) = (outcomes(&asked, &"0".repeat(20)), outcomes(&asked, &("1".repeat(10) + &"0".repeat(10))));
    let found = compare(&[side("a", &a), side("b", &b)], &with_headline(&all, Some("task"))).unwrap();
    let rendered: Vec<(&str, f64)> =
        found.pairs[0].headlines.iter().map(|row| (row.facet.as_str(), row.difference)).collect();
    // Ten of ninety and ten of ten were asked: extrapolated to 100, 90 would turn right.
    assert!(rendered[0].0 == "headline" && (rendered[0].1 - 50.0).abs() < 1e-9, "{rendered:?}");
    assert!(rendered[1].0 == "weighted" && (rendered[1].1 - 90.0).abs() < 1e-9, "{rendered:?}");
    assert_eq!(found.rows[0].difference, 50.0, "the item mean is that of the items asked");
    let plain = compare(&[side("a", &a), side("b", &b)], &with_headline(&all, None)).unwrap();
    assert_eq!(plain.pairs[0].headlines.len(), 1);
}

#[test]
fn rows_by_facet_are_adjusted_by_story() {
    // Sixteen stories of two items of one task each, with both or neither answered correctly.
    let mut items = items(32);
    for (number, item) in items.iter_mut().enumerate() {
        item.facets["task"] = if number < 16 { "even" } else { "odd" }.to_string();
    }
    let (a, b) = (outcomes(&items, &"0".repeat(32)), outcomes(&items, &("1".repeat(10) + &"0".repeat(22))));
    let found = compare(&[side("a", &a), side("b", &b)], &by_task()).unwrap();
    let row = &found.rows[1];
    // Holm would adjust McNemar's p, 2 / 1024, to 0.0039.
    assert!((row.p - 2.0 / 1024.0).abs() < 1e-12);
    assert_eq!((row.p_stories, row.p_holm), (2.0 / 32.0, Some(4.0 / 32.0)));
}

#[test]
fn several_sides_are_all_compared_with_the_first() {
    let items = items(8);
    let (a, b, c) = (outcomes(&items, "11110000"), outcomes(&items, "11111000"), outcomes(&items, "00000000"));
    let found = compare(&[side("a", &a), side("b", &b), side("c", &c)], &by_task()).unwrap();
    let all: Vec<&ComparisonRow> = found.rows.iter().filter(|row| row.facet == "all").collect();
    assert_eq!(
        all.iter().map(|row| (row.side_a.as_str(), row.side_b.as_str())).collect::<Vec<_>>(),
        [("a", "b"), ("a", "c")]
    );
    assert_eq!((found.family, found.pairs.len()), (4, 2));
    // Two comparisons over all items are a separate family.
    assert!((all[1].p_holm.unwrap() - (2.0 * all[1].p_stories).min(1.0)).abs() < 1e-12);
}

#[test]
fn a_difference_over_columns_needs_six_of_them() {
    assert_eq!(Trend::new("task", &[1.0; 5]), None);
    let trend = Trend::new("task", &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
    assert_eq!((trend.pairs, trend.zeros, trend.rank_statistic, trend.rank_exact), (6, 0, Some(0.0), true));
    assert!((trend.rank_p.unwrap() - 0.03125).abs() < 1e-12);
    assert_eq!(Trend::new("task", &[0.0; 6]).unwrap().rank_p, None);
}

#[test]
fn a_document_can_be_read_again() {
    let items = items(8);
    let (a, b) = (outcomes(&items, "11110000"), outcomes(&items, "11101110"));
    let found = compare(&[side("a", &a), side("b", &b)], &Settings { flips: 3, ..by_task() }).unwrap();
    assert_eq!(serde_json::from_str::<Comparison>(&found.to_json()).unwrap(), found);
}

/// Standings of models that answer items of `count` stories in twos, with these chances of being right and what a story adds to all.
fn simulated(seed: u64, count: usize, chances: &[f64]) -> Vec<Standing> {
    use rand::{Rng, SeedableRng};
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    let items = items(2 * count);
    let harder: Vec<f64> = (0..count).map(|_| rng.random_range(-0.3..0.3)).collect();
    let patterns: Vec<String> = chances
        .iter()
        .map(|chance| {
            let right = |number: usize| rng.random_bool((chance + harder[number / 2]).clamp(0.0, 1.0));
            (0..2 * count).map(right).map(|right| if right { '1' } else { '0' }).collect()
        })
        .collect();
    let answered: Vec<Vec<Outcome<'_>>> = patterns.iter().map(|pattern| outcomes(&items, pattern)).collect();
    let (mut pairs, mut p_values, mut figures) = (Vec::new(), Vec::new(), vec![0.0; chances.len()]);
    for one in 0..chances.len() {
        for other in one + 1..chances.len() {
            let sides = [side("one", &answered[one]), side("other", &answered[other])];
            let row = compare(&sides, &Settings::default()).unwrap().rows.remove(0);
            (figures[one], figures[other]) = (row.a, row.b);
            pairs.push(([one, other], row.difference));
            p_values.push(row.p_stories);
        }
    }
    let test = |((models, difference), p)| PairTest { models, difference, p };
    standings(&figures, &pairs.into_iter().zip(p_values).map(test).collect::<Vec<_>>())
}

#[test]
fn equal_models_share_a_letter_and_a_planted_difference_is_found() {
    let alike = (0..200).filter(|&seed| {
        let found = simulated(seed, 60, &[0.5, 0.5, 0.5]);
        found.iter().all(|standing| standing.group == "a" && standing.rank == (1, 3))
    });
    let alike = alike.count();
    assert!(alike >= 190, "{alike} of 200");
    let found = (0..200).filter(|&seed| {
        let found = simulated(seed, 60, &[0.45, 0.7, 0.45]);
        found[1].group == "a" && found[1].rank == (1, 1) && found[0].group == "b" && found[2].group == "b"
    });
    let found = found.count();
    assert!((160..).contains(&found), "{found} of 200");
}
