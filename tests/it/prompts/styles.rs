//! The styles in our own words: each is there for every benchmark and language, and asks for an answer that can be found.

use tomeval::internal::{Style, unconditional};
use tomeval::{Benchmark, Instructions, Item, Order, Pack, Scoring, asks};

use crate::support::prompts::{all_kinds, check_spans, shown};

const STYLES: [&str; 4] = ["vanilla", "cot", "cot-answer-first", "perspective"];

fn pack(item: &Item) -> Pack {
    Pack::built_in(item.benchmark)
}

fn written<'a>(pack: &'a Pack, item: &Item, name: &str) -> &'a Style {
    pack.style_for(item, name, Scoring::Generate, Instructions::Item).unwrap()
}

/// The prompt of a written answer: its system text, and the whole.
fn prompt_of(style: &Style, item: &Item) -> (String, String) {
    let order = Order::identity(item.options.len());
    let asked = asks(style, item, &order, Scoring::Generate).unwrap_or_else(|error| panic!("{}: {error}", item.id));
    let [ask] = &asked[..] else { panic!("{}: one reply answers all", item.id) };
    assert!(ask.continuations.is_empty() && ask.prompt.answer_prefix.is_empty(), "{}", item.id);
    check_spans(item, &order, &ask.prompt);
    (ask.prompt.messages[0].content.clone(), shown(&ask.prompt))
}

#[test]
fn every_style_asks_for_a_written_answer_in_every_language() {
    for item in all_kinds() {
        let pack = pack(&item);
        let mut systems = Vec::new();
        for name in STYLES {
            let style = written(&pack, &item, name);
            assert_eq!(style.language, item.language, "{} {name}", item.id);
            assert_eq!(style.answer_prefix, "[[", "{} {name}", item.id);
            let (system, whole) = prompt_of(style, &item);
            for option in &item.options {
                assert_eq!(whole.matches(option.as_str()).count(), 1, "{} {name}: {option}", item.id);
            }
            let (_, form) = system.split_once("[[").expect("the form of the answer is stated");
            let (form, after) = form.split_once("]]").expect("and ends");
            assert!(!form.contains("[[") && !after.contains("[["), "{} {name}: one form", item.id);
            assert!(
                form.chars().count() > 1 && !style.labels.iter().any(|label| label == form),
                "{form} names no option"
            );
            let parts = if item.benchmark == Benchmark::NegotiationToM && item.gold.kind() == "slots" { 3 } else { 1 };
            assert_eq!(form.split(", ").count(), parts, "{} {name}: {form}", item.id);
            systems.push(system);
        }
        systems.dedup();
        assert_eq!(systems.len(), STYLES.len(), "{}: no two styles say the same", item.id);
    }
}

#[test]
fn reasons_stand_before_the_answer_or_after_it_as_the_style_says() {
    for item in all_kinds() {
        let pack = pack(&item);
        let after = |name: &str| {
            let (system, _) = prompt_of(written(&pack, &item, name), &item);
            let instruction = system.split("\n\n").next().unwrap_or_default();
            let (before, after) = instruction.rsplit_once("]]").unwrap();
            (before.to_string(), after.to_string())
        };
        let [(plain, rest), (steps, end), (_, reasons), (view, view_end)] = STYLES.map(after);
        assert_eq!(end, view_end, "{}: both end with the form", item.id);
        assert!(reasons.len() > end.len() + 20, "{}: reasons follow the answer: {reasons}", item.id);
        assert!(rest.len() <= end.len() + 3 && steps.len() > plain.len() && view.len() > steps.len(), "{}", item.id);
        let kept = STYLES.map(|name| written(&pack, &item, name));
        assert_eq!(kept.map(|style| style.reasoning), [false, true, false, true], "{}", item.id);
        assert_eq!(kept.map(|style| style.max_new_tokens), [128, 512, 512, 512], "{}", item.id);
    }
}

#[test]
fn letters_right_after_a_prompt_that_asks_for_reasoning_are_refused() {
    for item in all_kinds() {
        let pack = pack(&item);
        for scoring in [Scoring::Letter, Scoring::Text, Scoring::Hybrid] {
            for name in ["cot", "perspective"] {
                let error = pack.style_for(&item, name, scoring, Instructions::Item).unwrap_err().to_string();
                for part in
                    [name, scoring.name(), "reasons before it answers", "--scoring generate", "--after-reasoning"]
                {
                    assert!(error.contains(part), "{} {name} {scoring}: {part}: {error}", item.id);
                }
            }
        }
        if item.gold.kind() != "labels" {
            let after = pack.style_after_reasoning(&item, "cot", Scoring::Letter, Instructions::Item).unwrap();
            let asked = asks(after, &item, &Order::identity(item.options.len()), Scoring::Letter).unwrap();
            assert_eq!(asked[0].prompt.answer_prefix, "[[", "{}", item.id);
            assert!(pack.style_for(&item, "cot-answer-first", Scoring::Letter, Instructions::Item).is_ok());
        }
    }
}

#[test]
fn styles_in_two_phases_are_there_for_every_kind_of_question() {
    for item in all_kinds() {
        let pack = pack(&item);
        for (name, keeps_story) in [("simtom", false), ("foresee-reflect", true)] {
            let style = written(&pack, &item, name);
            let first = pack.first_of(style, &item, Instructions::Item).unwrap().expect("two phases");
            assert_eq!((style.language, first.language), (item.language, item.language), "{} {name}", item.id);
            let (system, whole) = prompt_of(first, &item);
            assert!(!system.contains("[[") && whole.contains(&item.question), "{} {name}: {system}", item.id);
            let long = |option: &&String| option.chars().count() > 12 && !item.question.contains(option.as_str());
            let context: String = item.context.iter().map(|segment| &*segment.text).collect();
            for option in item.options.iter().filter(long).filter(|option| !context.contains(option.as_str())) {
                assert!(!whole.contains(option.as_str()), "{} {name}: {option}", item.id);
            }
            let mut answered = item.clone();
            answered.fields.insert("first_reply".into(), "What was written before.".into());
            let (system, whole) = prompt_of(style, &answered);
            assert_eq!(system.matches("[[").count(), 1, "{} {name}", item.id);
            assert!(whole.contains("What was written before."), "{} {name}", item.id);
            let segments = item.context.iter().map(|segment| &*segment.text);
            let about = item.context.iter().filter(|segment| ["target", "note"].contains(&segment.kind.name()));
            let about: Vec<&str> = about.map(|segment| &*segment.text).collect();
            for text in segments.filter(|text| !about.contains(text) && !item.question.contains(text)) {
                assert_eq!(whole.contains(text), keeps_story, "{} {name}: {text}", item.id);
            }
            assert_eq!(style.reasoning, name == "foresee-reflect", "{} {name}", item.id);
            if item.gold.kind() != "labels" {
                let scored = pack.style_for(&item, name, Scoring::Letter, Instructions::Item).unwrap();
                let asked = asks(scored, &answered, &Order::identity(item.options.len()), Scoring::Letter).unwrap();
                assert_eq!(asked[0].prompt.answer_prefix, "[[", "{} {name}", item.id);
            }
        }
    }
}

#[test]
fn single_choices_are_answered_freely_and_then_matched_to_their_options_or_scored_without_them() {
    for item in all_kinds().into_iter().filter(|item| item.gold.kind() == "single") {
        let pack = pack(&item);
        let order = Order::identity(item.options.len());
        let mut answered = item.clone();
        answered.fields.insert("first_reply".into(), "What was written before.".into());
        let ask = |name: &str, scoring: Scoring| {
            let style = pack.style_for(&item, name, scoring, Instructions::Item).unwrap();
            assert_eq!(style.language, item.language, "{} {name}", item.id);
            assert!(style.hides_options(), "{} {name}", item.id);
            asks(style, &answered, &order, scoring).unwrap().remove(0)
        };
        let shows = |text: &str| item.options.iter().filter(|option| text.contains(option.as_str())).count();
        let free = ask("open-answer", Scoring::Generate);
        let (whole, system) = (shown(&free.prompt), &free.prompt.messages[0].content);
        assert!(!system.contains("[[") && whole.contains(&item.question) && shows(&whole) == 0, "{}: {whole}", item.id);
        for segment in &item.context {
            assert!(whole.contains(&*segment.text), "{}: {}", item.id, segment.text);
        }
        for scoring in [Scoring::Letter, Scoring::Generate, Scoring::Hybrid] {
            let matched = shown(&ask("options-after", scoring).prompt);
            assert!(matched.contains("What was written before.") && shows(&matched) == item.options.len(), "{matched}");
            let story = item.context.iter().find(|segment| ["story", "dialogue"].contains(&segment.kind.name()));
            assert!(story.is_none_or(|story| !matched.contains(&*story.text)), "{}: {matched}", item.id);
        }
        let scored = ask("options-never", Scoring::Text);
        assert_eq!(scored.prompt.messages, free.prompt.messages, "{}: the same question", item.id);
        let after = scored.prompt.answer_prefix.strip_prefix("What was written before.\n\n").unwrap();
        assert!(after.chars().count() < 12 && after.trim_end().ends_with([':', '：']), "{}: {after}", item.id);
        assert_eq!(scored.continuations, item.options, "{}", item.id);
        let style = pack.style_for(&item, "options-never", Scoring::Text, Instructions::Item).unwrap();
        assert_eq!(unconditional(style, &answered, Scoring::Text).unwrap().prompt.answer_prefix, after, "{}", item.id);
        let missing = asks(style, &item, &order, Scoring::Text).unwrap_err().to_string();
        assert!(missing.contains("no value for `{first_reply}`"), "{missing}");
    }
}
