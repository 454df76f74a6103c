//! Prompt packs: every built-in style, and the papers' prompts where they are at hand, put items of every kind.

use std::collections::BTreeSet;
use std::path::PathBuf;

use tomeval::Language;
use tomeval::internal::{Ask, Condition, Placeholders, PromptError, ask_several, unconditional};
use tomeval::internal::{pack_in, read_pack};
use tomeval::{Benchmark, Instructions, Item, LoadOptions, Order, OrderPolicy, Pack, Scoring, asks};

use crate::support::prompts::{STORY, VALLEY, all_kinds, check_spans, item, knowers, negotiation, shown, single};
use crate::support::released::{REQUIRE_DATA, absent, data};
use crate::support::skipped;

fn ask_all(pack: &Pack, item: &Item, order: &Order, scoring: Scoring) -> Vec<Ask> {
    let style = pack.style_for(item, "vanilla", scoring, Instructions::Item).unwrap();
    asks(style, item, order, scoring).unwrap_or_else(|error| panic!("{}: {error}", item.id))
}

#[test]
fn built_in_packs_put_items_of_every_kind_under_every_scoring() {
    for item in all_kinds() {
        let pack = Pack::built_in(item.benchmark);
        for scoring in Scoring::ALL {
            let style = pack.style_for(&item, "vanilla", scoring, Instructions::Item).unwrap();
            assert_eq!(style.language, item.language, "{}: our packs have every published language", item.id);
            let policy =
                if style.takes_orders(&item, scoring) { OrderPolicy::Random(3) } else { OrderPolicy::Identity };
            for drawn in policy.draw(7, &item.id, item.options.len()).unwrap() {
                for ask in ask_all(&pack, &item, &drawn.order, scoring) {
                    check_spans(&item, &drawn.order, &ask.prompt);
                    let text = shown(&ask.prompt);
                    for segment in &item.context {
                        assert_eq!(text.matches(&*segment.text).count(), 1, "{}: {}", item.id, segment.text);
                    }
                    assert_eq!(text.matches("<the question>").count(), 1, "{}", item.id);
                    let one_by_one = item.gold.kind() == "labels" && scoring != Scoring::Generate;
                    let options = item.options.iter().filter(|option| text.contains(*option)).count();
                    let expected = match scoring {
                        _ if one_by_one => 1,
                        Scoring::Text => 0,
                        _ => item.options.len(),
                    };
                    assert_eq!(options, expected, "{} {scoring}", item.id);
                    assert_eq!(ask.continuations.is_empty(), scoring == Scoring::Generate);
                    let distinct: BTreeSet<&String> = ask.continuations.iter().collect();
                    assert_eq!(distinct.len(), ask.continuations.len(), "{}", item.id);
                    assert!(ask.continuations.iter().all(|continuation| !continuation.is_empty()));
                }
            }
            let alone = unconditional(style, &item, scoring).unwrap();
            let order = Order::identity(item.options.len());
            assert_eq!(alone.continuations, ask_all(&pack, &item, &order, scoring)[0].continuations);
            assert!(!shown(&alone.prompt).contains('<'), "nothing of the item is shown");
        }
    }
}

#[test]
fn what_is_shuffled_stands_last_in_our_packs() {
    for item in all_kinds() {
        let pack = Pack::built_in(item.benchmark);
        for scoring in [Scoring::Letter, Scoring::Hybrid, Scoring::Generate] {
            let style = pack.style_for(&item, "vanilla", scoring, Instructions::Item).unwrap();
            if !style.takes_orders(&item, scoring) {
                continue;
            }
            let forward = Order::identity(item.options.len());
            let backward = Order::try_from((0..item.options.len()).rev().collect::<Vec<_>>()).unwrap();
            let [one, other] =
                [&forward, &backward].map(|order| shown(&ask_all(&pack, &item, order, scoring)[0].prompt));
            let common = one.bytes().zip(other.bytes()).take_while(|(left, right)| left == right).count();
            let (shared, rest) = one.split_at(common);
            assert!(shared.contains("<the question>"), "{}", item.id);
            assert!(item.context.iter().all(|segment| shared.contains(&*segment.text)), "{}", item.id);
            assert!(!rest.contains("\n\n"), "{}: something follows the options: {rest}", item.id);
        }
    }
}

#[test]
fn questions_of_one_story_share_everything_before_the_question() {
    for item in all_kinds() {
        let mut sibling = item.clone();
        sibling.question = "?".into();
        let pack = Pack::built_in(item.benchmark);
        let order = Order::identity(item.options.len());
        let [one, other] =
            [&item, &sibling].map(|item| shown(&ask_all(&pack, item, &order, Scoring::Letter)[0].prompt));
        let common = one.bytes().zip(other.bytes()).take_while(|(left, right)| left == right).count();
        assert!(item.context.iter().all(|segment| one[..common].contains(&*segment.text)), "{}", item.id);
    }
}

#[test]
fn continuations_follow_the_displayed_order() {
    let pack = Pack::built_in(Benchmark::ToMBench);
    let item = item(Benchmark::ToMBench, Language::En, 4, single(), STORY);
    let order = Order::try_from(vec![2, 0, 3, 1]).unwrap();
    let letters = &ask_all(&pack, &item, &order, Scoring::Letter)[0];
    assert_eq!(letters.continuations, ["A", "B", "C", "D"]);
    assert_eq!(letters.prompt.answer_prefix, "[[");
    assert!(letters.prompt.messages[1].content.contains("A. <option number 2>\nB. <option number 0>"));
    let hybrid = &ask_all(&pack, &item, &order, Scoring::Hybrid)[0];
    assert_eq!(hybrid.continuations[..2], ["<option number 2>", "<option number 0>"]);
    assert_eq!(hybrid.prompt.answer_prefix, "");
    assert_eq!(hybrid.prompt.messages, letters.prompt.messages);
}

#[test]
fn slots_are_scored_jointly_and_labels_one_by_one() {
    let pack = Pack::built_in(Benchmark::NegotiationToM);
    let belief = negotiation("belief", Language::En);
    let joint = ask_all(&pack, &belief, &Order::identity(4), Scoring::Letter);
    assert_eq!((joint.len(), joint[0].continuations.len()), (1, 64));
    assert_eq!(joint[0].continuations[..5], ["A, A, A", "A, A, B", "A, A, C", "A, A, D", "A, B, A"]);
    assert_eq!(joint[0].continuations[63], "D, D, D");

    let intention = negotiation("intention", Language::Zh);
    let one_by_one = ask_all(&pack, &intention, &Order::identity(9), Scoring::Letter);
    assert_eq!(one_by_one.len(), 9);
    assert!(one_by_one.iter().all(|ask| ask.continuations == ["是", "否"]));
    let texts: BTreeSet<String> = one_by_one.iter().map(|ask| shown(&ask.prompt)).collect();
    assert_eq!(texts.len(), 9, "each asks about another label, with its own description");
}

#[test]
fn conditions_leave_out_their_paragraphs() {
    let pack = Pack::built_in(Benchmark::ToMValley);
    let item = item(Benchmark::ToMValley, Language::En, 5, single(), VALLEY);
    let order = Order::identity(5);
    let texts = Condition::ALL
        .map(|condition| shown(&ask_all(&pack, &condition.apply(&item), &order, Scoring::Letter)[0].prompt));
    assert!(!texts[0].contains("Characters:") && texts[0].contains("<background") && !texts[0].contains("\n\n\n"));
    assert!(texts[1].contains("<profile") && !texts[1].contains("<background") && texts[1].contains("<dialogue 4"));
}

#[test]
fn english_instructions_serve_every_language() {
    let pack = Pack::built_in(Benchmark::MultiToM);
    let item = item(Benchmark::MultiToM, Language::Ar, 4, single(), STORY);
    let by = |instructions| pack.style_for(&item, "vanilla", Scoring::Letter, instructions).unwrap().language;
    assert_eq!((by(Instructions::Item), by(Instructions::En)), (Language::Ar, Language::En));
}

#[test]
fn labels_too_few_and_orders_that_cannot_be_shown_are_errors() {
    let pack = Pack::built_in(Benchmark::ToMi);
    let three = item(Benchmark::ToMi, Language::En, 3, single(), STORY);
    let style = pack.style_for(&three, "vanilla", Scoring::Letter, Instructions::Item).unwrap();
    let error = asks(style, &three, &Order::identity(3), Scoring::Letter).unwrap_err();
    assert!(matches!(error, PromptError::TooFewLabels { options: 3, labels: 2, .. }), "{error}");
    let error = asks(style, &three, &Order::identity(2), Scoring::Letter).unwrap_err();
    assert!(matches!(error, PromptError::WrongOrder { .. }), "{error}");
}

/// The folder of the papers' prompts; a test that needs it says when it is not there.
fn papers() -> Option<PathBuf> {
    let folder = data().join("../prompts");
    let found = folder.join("tombench.toml").is_file();
    if !found {
        skipped(REQUIRE_DATA, "there is no folder `prompts` with the papers' packs beside the benchmarks");
    }
    found.then_some(folder)
}

#[test]
fn the_papers_prompts_put_the_items_they_can_and_name_the_way_out_otherwise() {
    let Some(folder) = papers() else { return };
    for item in all_kinds() {
        if [Benchmark::Demo, Benchmark::Custom].contains(&item.benchmark) {
            continue;
        }
        let pack = pack_in(&folder, item.benchmark).unwrap();
        let order = Order::identity(item.options.len());
        if item.benchmark == Benchmark::ToMValley {
            // The paper puts all questions of a context into one prompt.
            let style = pack.style_for_several(&item, "vanilla", Instructions::Item).unwrap();
            let asked = ask_several(style, &[(&item, &order), (&item, &order)]).unwrap();
            assert_eq!(shown(&asked.prompt).matches(&item.question).count(), 2, "{}", item.id);
            let error = pack.style_for(&item, "vanilla", Scoring::Letter, Instructions::Item).unwrap_err().to_string();
            assert!(error.contains("add --questions-per-prompt") && error.contains("leave out --prompts"), "{error}");
            continue;
        }
        for scoring in [Scoring::Letter, Scoring::Hybrid, Scoring::Generate] {
            let style = pack.style_for(&item, "vanilla", scoring, Instructions::Item).unwrap_or_else(|error| {
                panic!("{}: {error}", item.id);
            });
            let asked = asks(style, &item, &order, scoring);
            let expected_error = match (item.benchmark.name(), item.gold.kind()) {
                ("fantom", "labels") => Some("no prompt for lists in print"),
                (_, "labels") if scoring != Scoring::Generate => Some("all labels in one prompt"),
                _ => None,
            };
            match (asked, expected_error) {
                (Ok(asked), None) => asked.iter().for_each(|ask| check_spans(&item, &order, &ask.prompt)),
                (Err(error), Some(_)) => assert!(
                    error.to_string().contains("leave out --prompts") || error.to_string().contains("add "),
                    "{error}"
                ),
                (Ok(_), Some(reason)) => panic!("{} {scoring}: expected an error: {reason}", item.id),
                (Err(error), None) => panic!("{} {scoring}: {error}", item.id),
            }
        }
        let error = pack.style_for(&item, "vanilla", Scoring::Text, Instructions::Item).unwrap_err().to_string();
        assert!(error.contains("use --scoring letter or hybrid"), "{error}");
    }
    for file in ["making.toml", "contamination.toml"] {
        let pack = read_pack(&folder.join(file), Placeholders::Any).unwrap();
        assert!(!pack.styles.is_empty());
    }
}

#[test]
fn the_papers_fixed_options_refuse_other_orders() {
    let Some(folder) = papers() else { return };
    let item = negotiation("belief", Language::En);
    let pack = pack_in(&folder, Benchmark::NegotiationToM).unwrap();
    let style = pack.style_for(&item, "vanilla", Scoring::Letter, Instructions::Item).unwrap();
    assert!(!style.takes_orders(&item, Scoring::Letter));
    let order = Order::try_from(vec![1, 0, 2, 3]).unwrap();
    assert!(matches!(asks(style, &item, &order, Scoring::Letter), Err(PromptError::FixedOptions { .. })));
}

#[test]
fn real_items_of_every_benchmark_can_be_put() {
    let names = ["demo", "tombench", "hi-tom", "multi-tom", "tomi", "negotiationtom", "tomvalley"];
    for benchmark in names.map(|name| name.parse::<Benchmark>().unwrap()) {
        let mut folder = data().join(benchmark.name());
        let mut options = LoadOptions::default();
        if benchmark == Benchmark::ToMValley {
            folder.push("sample");
            options.choices.insert("trials".into(), "all".into());
        }
        if !benchmark.is_built_in() && !folder.is_dir() {
            absent(benchmark.name());
            continue;
        }
        let items = benchmark.load(&folder, &options).unwrap().items;
        assert!(!items.is_empty());
        let pack = Pack::built_in(benchmark);
        for (at, item) in items.iter().enumerate().step_by(1 + items.len() / 500) {
            for scoring in Scoring::ALL {
                let style = pack.style_for(item, "vanilla", scoring, Instructions::Item).unwrap();
                let policy = match style.takes_orders(item, scoring) {
                    true => OrderPolicy::Random(1),
                    false => OrderPolicy::Identity,
                };
                let order = &policy.draw(at as u64, &item.id, item.options.len()).unwrap()[0].order;
                for ask in asks(style, item, order, scoring).unwrap() {
                    check_spans(item, order, &ask.prompt);
                    let text = shown(&ask.prompt);
                    assert!(text.contains(&item.question), "{}", item.id);
                    assert!(item.context.iter().all(|segment| text.contains(&*segment.text)), "{}", item.id);
                }
            }
        }
    }
}

#[test]
fn one_prompt_of_each_pack_reads_like_this() {
    let items = [
        item(Benchmark::Demo, Language::En, 2, single(), STORY),
        item(Benchmark::ToMBench, Language::Zh, 4, single(), STORY),
        item(Benchmark::HiToM, Language::En, 15, single(), STORY),
        item(Benchmark::MultiToM, Language::Fr, 2, single(), STORY),
        knowers(Language::De),
        negotiation("desire", Language::En),
        negotiation("intention", Language::Ja),
        item(Benchmark::ToMValley, Language::En, 5, single(), VALLEY),
    ];
    let mut pages = String::new();
    for item in items {
        let pack = Pack::built_in(item.benchmark);
        let order = Order::identity(item.options.len());
        let asked = ask_all(&pack, &item, &order, Scoring::Letter);
        let Ask { prompt, continuations } = &asked[0];
        let (id, prefix) = (&item.id, &prompt.answer_prefix);
        let scored = &continuations[..continuations.len().min(3)];
        pages.push_str(&format!("=== {id}, 1 of {}\n{}[scored] {prefix}{scored:?}\n\n", asked.len(), shown(prompt)));
    }
    insta::assert_snapshot!(pages);
}

/// Without a story the paragraph that holds it is gone, and nothing else.
#[test]
fn an_item_without_a_story_is_put_without_one() {
    let mut styles = 0;
    for item in all_kinds() {
        let bare = Item { context: Vec::new(), ..item.clone() };
        let pack = Pack::built_in(item.benchmark);
        let order = Order::identity(item.options.len());
        for scoring in [Scoring::Letter, Scoring::Text, Scoring::Hybrid] {
            let (with, without) = (ask_all(&pack, &item, &order, scoring), ask_all(&pack, &bare, &order, scoring));
            for (with, without) in with.iter().zip(&without) {
                check_spans(&bare, &order, &without.prompt);
                let text = |ask: &Ask| ask.prompt.messages.last().unwrap().content.clone();
                let (with, without) = (text(with), text(without));
                assert!(with.ends_with(&without) && without.contains(&item.question), "{}: {without}", item.id);
                styles += 1;
            }
        }
    }
    assert!(styles > 100, "{styles}");
}
