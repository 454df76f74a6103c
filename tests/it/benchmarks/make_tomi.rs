//! `tomeval make tomi`: what it writes is what the ToMi loader reads.

use tomeval::internal::make_tomi;
use tomeval::{Answer, Benchmark, LoadOptions};

use crate::support::context::{Run, TestContext};

#[test]
fn the_generated_folder_loads_with_the_generated_answers() {
    let context = TestContext::new();
    let mut command = context.command(&["make", "tomi", "--stories", "12", "--seed", "3", "--out"]);
    command.arg(context.folder()).run().success();
    let loaded = Benchmark::ToMi.load(context.folder(), &LoadOptions::default()).unwrap();
    assert!(loaded.problems.is_empty(), "{:?}", loaded.problems);
    let made = make_tomi(12, 3);
    let questions: Vec<_> = made.iter().flat_map(|story| &story.questions).collect();
    assert_eq!(loaded.items.len(), questions.len());
    for (item, asked) in loaded.items.iter().zip(questions) {
        let Answer::Single(gold) = item.gold else { panic!("one container is right") };
        assert_eq!(item.options[gold.0], asked.answer);
        assert_eq!(item.question, asked.text);
        assert_eq!(item.facet("question_type"), Some(asked.question_type.as_str()));
    }
    let types: std::collections::BTreeSet<_> =
        loaded.items.iter().filter_map(|item| item.facet("story_type")).collect();
    assert_eq!(types.len(), 3);
}
