//! ToMi, FANToM, NegotiationToM and XToM's translated parts: the small files of this project in every language, and
//! the released English files where they are present.

use std::collections::{BTreeMap, BTreeSet};

use tomeval::internal::{LabelSet, LoadError, Loaded, audit_tomi, compare_counts};
use tomeval::{Answer, Benchmark, Item, Language, Layout, LoadOptions};

use crate::support::context::{Run, TestContext};
use crate::support::files::read_json;
use crate::support::released::{count_by, counts, find, flag_names, released, small};

fn with(choices: &[(&str, &str)]) -> LoadOptions {
    let choices = choices.iter().map(|(choice, value)| (choice.to_string(), value.to_string())).collect();
    LoadOptions { choices, ..LoadOptions::default() }
}

fn load(benchmark: Benchmark, choices: &[(&str, &str)]) -> Loaded {
    benchmark.load(&small(), &with(choices)).unwrap()
}

/// An item's value of a facet, `-` for none.
fn facet(name: &'static str) -> impl Fn(&Item) -> String {
    move |item| item.facet(name).unwrap_or("-").to_string()
}

/// The text of the one right option.
fn gold(item: &Item) -> &str {
    &item.options[item.gold.options()[0]]
}

/// Properties every loader owes the rest of the program.
fn check_items(loaded: &Loaded) {
    let ids: BTreeSet<&str> = loaded.items.iter().map(|item| item.id.as_str()).collect();
    assert_eq!(ids.len(), loaded.items.len(), "ids are unique");
    for item in &loaded.items {
        assert!(item.id.starts_with(&item.parallel), "{}", item.id);
        assert!(!item.question.is_empty() && item.context.iter().all(|segment| !segment.text.is_empty()));
        assert!(item.gold.options().iter().all(|&option| option < item.options.len()), "{}", item.id);
        assert!(item.options.iter().all(|option| option.trim() == option && !option.is_empty()), "{}", item.id);
    }
}

/// Every translated item has its English twin under the same `parallel` id.
fn check_parallel(loaded: &Loaded) {
    let of = |language| -> BTreeSet<&str> {
        let items = loaded.items.iter().filter(|item| item.language == language && item.flags.is_empty());
        items.map(|item| item.parallel.as_str()).collect()
    };
    for item in loaded.items.iter().filter(|item| !flag_names(item).contains(&"duplicate-set")) {
        assert!(of(Language::En).contains(item.parallel.as_str()), "{}", item.id);
    }
}

#[test]
fn tomi_offers_the_two_containers_of_the_story() {
    let loaded = load(Benchmark::ToMi, &[]);
    check_items(&loaded);
    assert!(loaded.problems.is_empty());
    assert_eq!(loaded.items.len(), 12);
    let item = find(&loaded.items, "tomi/test/2");
    assert_eq!(item.question, "Where does Nora think that Piet searches for the radish?");
    assert_eq!((item.options.as_slice(), gold(item)), (&["tin_bucket".into(), "oak_drawer".into()][..], "tin_bucket"));
    assert!(item.context[0].text.contains("\nNora likes the radish\n"), "noise lines stay as they are");
    for (facet, value) in [("dimension", "belief"), ("order", "2"), ("tom", "tom"), ("story_type", "false_belief")] {
        assert_eq!(item.facet(facet), Some(value));
    }
    assert_eq!(find(&loaded.items, "tomi/test/5").story, item.story);
    assert_ne!(find(&loaded.items, "tomi/test/6").story, item.story);
    let paper = load(Benchmark::ToMi, &[("questions", "paper")]);
    assert_eq!(
        count_by(&paper.items, facet("question_type")),
        counts([("first_order_1_tom", 1), ("reality", 2), ("second_order_0_tom", 1), ("second_order_1_tom", 1)])
    );
}

#[test]
fn xtomi_reads_five_languages_and_takes_a_lost_answer_from_english() {
    let loaded = load(Benchmark::XToMi, &[]);
    check_items(&loaded);
    check_parallel(&loaded);
    assert!(loaded.problems.is_empty());
    assert_eq!(loaded.items.len(), 5 * 4);
    assert_eq!(count_by(&loaded.items, facet("dimension")), counts([("belief", 10), ("reality", 10)]));
    let french = find(&loaded.items, "xtomi/12/reality/0/fr");
    assert_eq!((gold(french), flag_names(french)), ("caisse bleue", vec!["answer-not-a-container"]));
    assert_eq!(loaded.items.iter().filter(|item| !item.flags.is_empty()).count(), 1);
    assert_eq!(gold(find(&loaded.items, "xtomi/7/second_order_0_tom/0/zh")), "锡桶");
    assert_eq!(load(Benchmark::XToMi, &[("questions", "all")]).items.len(), 5 * 6);
}

#[test]
fn one_language_needs_only_its_own_file() {
    let context = TestContext::new();
    std::fs::copy(small().join("xtom/XToMi_ja.json"), context.path("XToMi_ja.json")).unwrap();
    let japanese = LoadOptions { languages: vec![Language::Ja], ..LoadOptions::default() };
    assert_eq!(Benchmark::XToMi.load(context.folder(), &japanese).unwrap().items.len(), 4);
    let missing = Benchmark::XToMi.load(context.folder(), &LoadOptions::default()).unwrap_err().to_string();
    assert!(missing.contains("XToMi_en.json") && missing.contains("HKUST-KnowComp/XToM"), "{missing}");
}

#[test]
fn fantom_asks_beliefs_lists_and_binaries() {
    let loaded = load(Benchmark::FanToM, &[]);
    check_items(&loaded);
    assert!(loaded.problems.is_empty());
    assert_eq!(count_by(&loaded.items, facet("form")), counts([("binary", 6), ("choice", 4), ("list", 4)]));
    assert_eq!(count_by(&loaded.items, facet("accessibility")), counts([("accessible", 6), ("inaccessible", 8)]));
    assert_eq!(count_by(&loaded.items, facet("cycle")), counts([("-", 12), ("acyclic", 1), ("cyclic", 1)]));
    let belief = find(&loaded.items, "fantom/3-0-0/belief/0/en");
    assert_eq!(gold(belief), "Iva has not heard what happens to the bread.");
    let list = find(&loaded.items, "fantom/3-0-0/answerability-list/0/en");
    assert_eq!(list.options, ["Ines", "Tom", "Iva"], "in order of first mention");
    assert_eq!((list.gold.kind(), list.gold.options()), ("labels", vec![0, 1]));
    let target = &list.context[1].text;
    assert!(target.contains("unsold bread?") && !target.contains("school"), "the answer is not shown: {target}");
    let rendered = &find(&loaded.items, "fantom/3-0-0/info-access-list/0/en").context[1].text;
    assert!(rendered.contains("It gives the bread to the school."), "the information is shown: {rendered}");
    assert_eq!(gold(find(&loaded.items, "fantom/3-0-0/answerability-binary/1/en")), "no");
    let everyone = find(&loaded.items, "fantom/3-0-1/info-access-list/0/en");
    assert_eq!((everyone.gold.options().len(), everyone.facet("accessibility")), (3, Some("accessible")));
}

#[test]
fn facts_whose_wrong_answer_is_the_right_one_are_marked() {
    let context = TestContext::new();
    let mut sets = read_json(&small().join("fantom/fantom_v1.json"));
    sets[0]["factQA"]["wrong_answer"] = "It throws the bread away.".into();
    sets[1]["factQA"]["wrong_answer"] = sets[1]["factQA"]["correct_answer"].clone();
    context.write("fantom_v1.json", sets.to_string());
    let loaded = Benchmark::FanToM.load(context.folder(), &LoadOptions::default()).unwrap();
    let [apart, same] = ["3-0-0", "3-0-1"].map(|set| find(&loaded.items, &format!("fantom/{set}/fact/0/en")));
    assert_eq!((flag_names(apart), apart.facet("answers")), (vec![], None));
    assert_eq!((flag_names(same), same.facet("answers")), (vec!["identical-answers"], Some("identical")));
    assert!(Benchmark::FanToM.card_text().contains("13 facts of the released file"));
    assert_eq!(Benchmark::FanToM.card().expected["flag=identical-answers"], 13);
}

#[test]
fn the_full_context_keeps_questions_about_it() {
    let full = load(Benchmark::FanToM, &[("context", "full")]);
    assert_eq!(full.items.len(), 15);
    assert_eq!(gold(find(&full.items, "fantom/3-0-0/answerability-binary/2/en")), "no");
    assert!(full.items[0].context[0].text.starts_with("Tom: Morning"));
    let wrong = Benchmark::FanToM.load(&small(), &with(&[("context", "long")])).unwrap_err().to_string();
    assert!(wrong.contains("`long`") && wrong.contains("short, full"), "{wrong}");
}

#[test]
fn xfantom_keeps_facts_and_inaccessible_beliefs_of_every_set() {
    let loaded = load(Benchmark::XFanToM, &[]);
    check_items(&loaded);
    check_parallel(&loaded);
    assert!(loaded.problems.is_empty());
    assert_eq!(loaded.items.len(), 5 * 5 + 3, "one Chinese set occurs twice");
    assert_eq!(count_by(&loaded.items, facet("order")), counts([("-", 11), ("1", 11), ("2", 6)]));
    let again = find(&loaded.items, "xfantom/24-0-0#2/belief/0/zh");
    assert_eq!(flag_names(again), ["duplicate-set"]);
    assert_eq!(loaded.items.iter().filter(|item| !item.flags.is_empty()).count(), 3);
    let slots: BTreeSet<_> = loaded
        .items
        .iter()
        .filter(|item| item.parallel == "xfantom/24-0-0/fact/0")
        .map(|item| item.gold.options())
        .collect();
    assert_eq!(slots.len(), 1, "the right answer stands in the same place in every language");
    let all = load(Benchmark::XFanToM, &[("questions", "all")]);
    check_items(&all);
    assert_eq!(gold(find(&all.items, "xfantom/24-0-0/info-access-binary/0/ja")), "いいえ");
    assert_eq!(find(&all.items, "xfantom/24-0-0/info-access-list/0/zh").options, ["伊内丝", "汤姆", "伊娃"]);
}

#[test]
fn negotiations_ask_triples_and_label_sets() {
    let loaded = load(Benchmark::NegotiationToM, &[]);
    check_items(&loaded);
    assert!(loaded.problems.is_empty());
    assert_eq!(count_by(&loaded.items, facet("dimension")), counts([("belief", 3), ("desire", 3), ("intention", 3)]));
    let belief = find(&loaded.items, "negotiationtom/61-2/agent1/belief");
    assert_eq!(belief.gold, Answer::Slots([1, 3, 2].map(tomeval::OptionIx).to_vec()));
    assert!(belief.question.contains("agent_1") && belief.question.contains("agent_2"), "{}", belief.question);
    assert_eq!((belief.fields["agent_number"].as_str(), belief.fields["other_number"].as_str()), ("1", "2"));
    let first = find(&loaded.items, "negotiationtom/61-0/utterance1/intention");
    assert_eq!(first.gold.options(), [2, 6]);
    assert_eq!((first.fields["agent"].as_str(), first.fields["other"].as_str()), ("agent_1", "agent_2"));
    assert!(first.fields["utterance"].starts_with("Hi! Shall we"), "{:?}", first.fields);
    let only = find(&loaded.items, "negotiationtom/61-2/utterance1/intention");
    assert!(only.fields["utterance"].starts_with("Deal"), "the last turn where only one is new: {:?}", only.fields);
    assert_eq!(first.story, only.story);
}

#[test]
fn translated_labels_are_known_or_taken_from_english() {
    let loaded = load(Benchmark::XNegotiationToM, &[]);
    check_items(&loaded);
    assert!(loaded.problems.is_empty(), "{:?}", loaded.problems);
    assert_eq!(loaded.items.len(), 5 * (4 + 2 + 4 + 2 + 2 + 1));
    for language in [Language::En, Language::Zh, Language::De, Language::Fr, Language::Ja] {
        let gold = |id: &str| find(&loaded.items, &format!("xnegotiationtom/{id}/{language}")).gold.options();
        assert_eq!(gold("61-1/agent1/belief"), [1, 0, 2]);
        assert_eq!(gold("61-1/agent1/desire"), [3, 0, 0]);
        assert_eq!(gold("61-1/utterance2/intention"), [3, 7]);
    }
    let flagged: Vec<_> = loaded.items.iter().filter(|item| !item.flags.is_empty()).collect();
    let names: Vec<_> = flagged.iter().map(|item| (item.id.as_str(), &*item.flags[0].name)).collect();
    assert_eq!(
        names,
        [
            ("xnegotiationtom/61-0/utterance1/intention/zh", "speaker-mismatch"),
            ("xnegotiationtom/61-1/agent1/desire/ja", "label-from-english"),
        ]
    );
    let french = find(&loaded.items, "xnegotiationtom/61-0/agent2/belief/fr");
    assert!(french.question.contains("Personne 1") && french.question.contains("Personne 2"), "{}", french.question);
}

#[test]
fn absent_files_are_named_with_where_to_get_them() {
    let empty = tempfile::tempdir().unwrap();
    for (benchmark, file, place) in [
        (Benchmark::ToMi, "fb_all_test.txt", "facebookresearch/ToMi"),
        (Benchmark::XToMi, "XToMi_en.json", "HKUST-KnowComp/XToM"),
        (Benchmark::FanToM, "fantom_v1.json", "skywalker023/fantom"),
        (Benchmark::XFanToM, "Xfantom_en.json", "HKUST-KnowComp/XToM"),
        (Benchmark::NegotiationToM, "NegotiationToM.json", "HKUST-KnowComp/NegotiationToM"),
        (Benchmark::XNegotiationToM, "Xnegtom_en.json", "HKUST-KnowComp/XToM"),
        (Benchmark::ToMValley, "all_trials.tar.xz", "GAIR-NLP/DynToM"),
    ] {
        let error = benchmark.load(empty.path(), &LoadOptions::default()).unwrap_err();
        let message = error.to_string();
        assert!(
            matches!(error, LoadError::Absent { .. }) && message.contains(file) && message.contains(place),
            "{message}"
        );
    }
}

#[test]
fn a_row_that_does_not_fit_is_named_and_the_rest_is_kept() {
    let context = TestContext::new();
    let text = std::fs::read_to_string(small().join("negotiationtom/NegotiationToM.json")).unwrap();
    let mut rows: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    rows[0]["agent1_belief_high"] = "Stone".into();
    rows[1].as_object_mut().unwrap().remove("dialogue");
    context.write("NegotiationToM.json", serde_json::to_string(&rows).unwrap());
    let loaded = Benchmark::NegotiationToM.load(context.folder(), &LoadOptions::default()).unwrap();
    let places: Vec<_> = loaded.problems.iter().map(|p| (p.row, p.field.as_deref())).collect();
    assert_eq!(places, [(Some(1), Some("agent1_belief_high")), (Some(2), Some("dialogue"))]);
    assert!(loaded.problems[0].message.contains("`Stone`"), "{:?}", loaded.problems);
    assert_eq!(loaded.items.len(), 5);
}

#[test]
fn released_tomi_has_the_counts_of_its_paper() {
    let Some(folder) = released("tomi") else { return };
    let loaded = Benchmark::ToMi.load(&folder, &with(&[("split", "all")])).unwrap();
    check_items(&loaded);
    assert!(loaded.problems.is_empty());
    assert_eq!(count_by(&loaded.items, facet("split")), counts([("test", 5994), ("train", 5994), ("val", 5994)]));
    let test = Benchmark::ToMi.load(folder.parent().unwrap(), &LoadOptions::default()).unwrap();
    assert_eq!(
        count_by(&test.items, facet("question_type")),
        counts([
            ("first_order_0_no_tom", 999),
            ("first_order_1_no_tom", 595),
            ("first_order_1_tom", 404),
            ("memory", 999),
            ("reality", 999),
            ("second_order_0_no_tom", 724),
            ("second_order_0_tom", 275),
            ("second_order_1_no_tom", 724),
            ("second_order_1_tom", 275),
        ])
    );
    let types = [("false_belief", 1998), ("second_order_false_belief", 1998), ("true_belief", 1998)];
    assert_eq!(count_by(&test.items, facet("story_type")), counts(types));
    let mut stories: BTreeMap<&str, Vec<&Item>> = BTreeMap::new();
    test.items.iter().for_each(|item| stories.entry(&item.story).or_default().push(item));
    assert_eq!(stories.len(), 999);
    for questions in stories.values() {
        assert_eq!(questions.len(), 6);
        assert!(
            questions.iter().all(|item| item.context == questions[0].context && item.options == questions[0].options)
        );
    }
}

#[test]
fn released_tomi_answers_follow_sight_or_the_rule_of_the_audit() {
    let context = TestContext::new();
    let Some(folder) = released("tomi") else { return };
    let audit = audit_tomi(&folder).unwrap();
    assert!(audit.unread.is_empty() && audit.problems.is_empty());
    for counts in &audit.types {
        assert_eq!(counts.by_released_rule, counts.rows, "{}", counts.question_type);
        let against = match counts.question_type.as_str() {
            "second_order_0_no_tom" | "second_order_1_no_tom" => 232,
            _ => 0,
        };
        assert_eq!(counts.by_sight, counts.rows - against, "{}", counts.question_type);
    }
    assert_eq!(audit.disagreements.len(), 464);
    let repaired = LoadOptions { labels: LabelSet::Repaired, ..LoadOptions::default() };
    let repaired = Benchmark::ToMi.load(&folder, &repaired).unwrap();
    let second = |index: usize, tom: &str| {
        let question_type = format!("second_order_{index}_{tom}");
        repaired.items.iter().filter(|item| item.facet("question_type") == Some(&question_type)).count()
    };
    assert_eq!([second(0, "tom"), second(0, "no_tom"), second(1, "tom")], [275 + 232, 724 - 232, 275 + 232]);
    let first = audit.disagreements.first().unwrap();
    let item = repaired.items.iter().find(|item| item.id == first.id).unwrap();
    assert_eq!(
        (gold(item), item.facet("tom"), item.facet("rules")),
        (first.sight.as_str(), Some("tom"), Some("differ"))
    );
    let mut command = context.command(&["data", "audit", "--benchmark", "tomi", "--data"]);
    let output = command.arg(&folder).run();
    let text = output.stdout;
    assert!(
        output.status.success() && text.contains("differ from sight: 464") && text.contains("492 of 724"),
        "{text}"
    );
}

#[test]
fn released_negotiations_have_the_counts_of_their_paper() {
    let Some(folder) = released("negotiationtom") else { return };
    let loaded = Benchmark::NegotiationToM.load(&folder, &LoadOptions::default()).unwrap();
    check_items(&loaded);
    assert!(loaded.problems.is_empty());
    assert_eq!(
        count_by(&loaded.items, facet("dimension")),
        counts([("belief", 4604), ("desire", 4604), ("intention", 4618)])
    );
    let stories: BTreeSet<&str> = loaded.items.iter().map(|item| item.story.as_str()).collect();
    assert_eq!(stories.len(), 396);
    let rounds: BTreeSet<&str> = loaded.items.iter().filter_map(|item| item.id.split('/').nth(1)).collect();
    assert_eq!(rounds.len(), 2380);
    let mut labels = BTreeMap::new();
    let mut sizes = BTreeMap::new();
    for item in loaded.items.iter().filter(|item| item.facet("dimension") == Some("intention")) {
        *sizes.entry(item.gold.options().len()).or_insert(0) += 1;
        item.gold.options().iter().for_each(|&label| *labels.entry(item.options[label].clone()).or_default() += 1);
    }
    assert_eq!(sizes, BTreeMap::from([(1, 3779), (2, 689), (3, 138), (4, 11), (5, 1)]));
    assert_eq!(
        labels,
        counts([
            ("Build-Rapport", 1054),
            ("Callout-Fairness", 439),
            ("Describe-Need", 1132),
            ("Discover-Preference", 377),
            ("No-Intention", 1457),
            ("No-Need", 196),
            ("Promote-Coordination", 580),
            ("Show-Empathy", 254),
            ("Undermine-Requirements", 131),
        ])
    );
    assert!(loaded.items.iter().all(|item| item.flags.is_empty()), "every speaker agrees with its turn");
}

#[test]
fn cards_lay_out_tables_over_facets_the_items_have() {
    for (benchmark, choices) in [
        (Benchmark::ToMi, &[][..]),
        (Benchmark::XToMi, &[]),
        (Benchmark::FanToM, &[]),
        (Benchmark::XFanToM, &[("questions", "all")]),
        (Benchmark::NegotiationToM, &[]),
        (Benchmark::XNegotiationToM, &[]),
        (Benchmark::ToMValley, &[]),
    ] {
        let layout = Layout::parse(benchmark.card_text()).unwrap_or_else(|error| panic!("{benchmark}: {error}"));
        assert!(!layout.tables.is_empty(), "{benchmark}");
        let loaded = load(benchmark, choices);
        let stratum = benchmark.card().stratum;
        assert!(loaded.items.iter().all(|item| item.facet(&stratum).is_some()), "{benchmark}: {stratum}");
        for facet in layout.tables.iter().flat_map(|table| &table.rows).filter(|facet| *facet != "language") {
            assert!(loaded.items.iter().any(|item| item.facet(facet).is_some()), "{benchmark}: {facet}");
        }
    }
}

#[test]
fn released_files_hold_what_the_cards_count() {
    for (folder, benchmark) in
        [("tomi", Benchmark::ToMi), ("negotiationtom", Benchmark::NegotiationToM), ("tomvalley", Benchmark::ToMValley)]
    {
        let Some(folder) = released(folder) else { continue };
        let loaded = benchmark.load(&folder, &LoadOptions::default()).unwrap();
        let compared = compare_counts(&benchmark.card().expected, &loaded.items).unwrap();
        assert!(compared.len() >= 5, "{benchmark}");
        for count in compared {
            assert_eq!(count.found, count.expected, "{benchmark}: {}", count.count);
        }
    }
}
