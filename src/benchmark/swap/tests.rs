use indexmap::IndexMap;

use super::*;
use crate::benchmark::{Answer, Benchmark, OptionIx};
use crate::language::Language;

const PROFILE: &str = "**Main Character**: Ann Okafor, woman, is a Nurse whose race is Black. Ann Okafor obtained a degree, and \
     has a enfj personality..**Supporting Characters**:- **1**: Carl Her, man, is a Chef whose race is Asian. Carl Her obtained a \
     degree, and has a intj personality.";

fn item(dialogue: &str, question: &str) -> Item {
    let segment = |kind, text: &str| Segment { kind, text: text.into() };
    Item {
        id: "tomvalley/1/q".into(),
        benchmark: Benchmark::ToMValley,
        language: Language::En,
        parallel: "tomvalley/1/q".into(),
        story: "tomvalley/1".into(),
        context: vec![segment(SegmentKind::Profile, PROFILE), segment(SegmentKind::Dialogue, dialogue)],
        question: question.into(),
        options: vec!["Her trust in Carl".into(), "Okafor's job".into()],
        gold: Answer::Single(OptionIx(0)),
        facets: IndexMap::new(),
        fields: IndexMap::new(),
        flags: Vec::new(),
    }
}

fn swap(kind: SwapKind, control: Option<usize>, item: &Item) -> Result<Item, SwapProblem> {
    Swapper::new(Swap { kind, control }, item, &NameLists::default(), 7)?.swapped(item)
}

/// The profiles and the rest of a swapped item.
fn texts(item: &Item) -> (String, String) {
    let asked = [&item.question].into_iter().chain(&item.options).cloned().collect::<Vec<_>>().join("|");
    (item.context[0].text.to_string(), format!("{}|{asked}", item.context[1].text))
}

#[test]
fn ordinary_words_are_no_short_names() {
    let own = ["Theresa", "Howe", "Shen"].map(String::from);
    assert_eq!(people::other_person("There he is. How is she? She is well.", &own), None);
    assert!(people::other_person("Hello, The. Hello, Emily.", &own).is_some());
}

fn group_of(kind: &str, name: &str) -> String {
    let found = NameLists::built_in().names().find(|(of, _, known)| *of == kind && *known == name);
    found.map_or_else(|| format!("no group of {name}"), |(_, group, _)| group.to_string())
}

/// What stands between two texts.
fn between<'t>(text: &'t str, before: &str, after: &str) -> &'t str {
    text.split_once(before).unwrap().1.split_once(after).unwrap().0
}

#[test]
fn the_stated_race_becomes_one_of_another_group_and_nothing_else_changes() {
    let original = item("Ann: Hi, Carl!", "What does Ann Okafor believe?");
    let (profile, rest) = texts(&swap(SwapKind::Race, None, &original).unwrap());
    let race = between(&profile, "race is ", ".");
    assert_ne!(group_of("race", race), "black");
    assert_ne!(group_of("race", profile.rsplit_once("race is ").unwrap().1.split_once('.').unwrap().0), "asian");
    assert_eq!(rest, texts(&original).1);
    let named = item("Ann: Hi! I met a Latina.", "?");
    assert_eq!(swap(SwapKind::Race, None, &named), Err(SwapProblem::RaceElsewhere));
}

#[test]
fn surnames_become_others_wherever_they_are_names() {
    let original = item("Ann: Ms. Okafor and Carl Her. Her plan is hers.", "What does Ann Okafor believe?");
    for (control, is_own) in [(None, false), (Some(1), true), (Some(5), true)] {
        let (profile, rest) = texts(&swap(SwapKind::Surname, control, &original).unwrap());
        let (ann, carl) = (between(&profile, "Ann ", ","), between(&profile, "Carl ", ","));
        assert_eq!((group_of("surname", ann) == "black", group_of("surname", carl) == "asian"), (is_own, is_own));
        let expected = format!(
            "Ann: Ms. {ann} and Carl {carl}. Her plan is hers.|What does Ann {ann} believe?|Her trust in Carl|{ann}'s job"
        );
        assert_eq!(rest, expected);
        assert!(!profile.contains("Okafor") && !profile.contains("Carl Her"));
    }
    let controls: Vec<String> =
        (1..=5).map(|number| texts(&swap(SwapKind::Surname, Some(number), &original).unwrap()).0).collect();
    assert!((1..5).all(|at| !controls[..at].contains(&controls[at])), "each control has other names");
    let plural = item("Ann: The Okafors are here.", "?");
    assert_eq!(swap(SwapKind::Surname, None, &plural), Err(SwapProblem::Inflected("Okafors".into())));
}

#[test]
fn the_gender_changes_with_first_names_pronouns_and_titles() {
    let original = item("Ann: Hi, Carl!\nCarl: My wife likes her, Ms. Okafor.", "Why does Ann ask him about her job?");
    let (profile, rest) = texts(&swap(SwapKind::Gender, None, &original).unwrap());
    let (ann, carl) =
        (between(&profile, "Character**: ", " Okafor, man, is a"), between(&profile, "1**: ", " Her, woman, is a"));
    assert_eq!((group_of("name", ann), group_of("name", carl)), ("men".into(), "women".into()));
    let expected = format!(
        "{ann}: Hi, {carl}!\n{carl}: My husband likes him, Mr. Okafor.|Why does {ann} ask her about his job?|His trust in \
         {carl}|Okafor's job"
    );
    assert_eq!(rest, expected);
    let (profile, rest) = texts(&swap(SwapKind::Gender, Some(2), &original).unwrap());
    assert_eq!(group_of("name", between(&profile, "Character**: ", " Okafor, woman")), "women");
    assert!(rest.contains("My wife likes her, Ms. Okafor."), "{rest}");
}

#[test]
fn what_no_rule_settles_is_left_out() {
    let problem = |dialogue: &str, question: &str| swap(SwapKind::Gender, None, &item(dialogue, question)).unwrap_err();
    assert_eq!(problem("Ann: Tommy is late, he says.", "?"), SwapProblem::OtherPerson("Tommy".into()));
    assert_eq!(problem("Ann: Thanks, man.", "?"), SwapProblem::Unclear("man".into()));
    assert_eq!(problem("Ann: Hi.", "Does Carl offer her support?"), SwapProblem::Unclear("offer her support".into()));
    let mut without = item("Ann: Hi.", "?");
    without.context.remove(0);
    assert_eq!(swap(SwapKind::Surname, None, &without), Err(SwapProblem::NoProfiles));
}

#[test]
fn names_of_a_list_are_exchanged_in_any_item() {
    let lists = NameLists::parse(
        "[women]\na = [\"Ann\", \"Eve\"]\nb = [\"Aya\"]\n[men]\na = [\"Carl\", \"Bob\"]\nb = [\"Omar\"]",
    )
    .unwrap();
    let original = item("Ann: Hi, Carl!", "Why does Ann ask?");
    let made = |control| {
        let swap = Swap { kind: SwapKind::Names, control };
        texts(&Swapper::new(swap, &original, &lists, 0).unwrap().swapped(&original).unwrap()).1
    };
    assert_eq!(made(None), "Aya: Hi, Omar!|Why does Aya ask?|Her trust in Omar|Okafor's job");
    assert_eq!(made(Some(1)), "Eve: Hi, Bob!|Why does Eve ask?|Her trust in Bob|Okafor's job");
    let known = item("Ann: Hi!", "Is Aya here?");
    let swap = Swap { kind: SwapKind::Names, control: None };
    let swapper = Swapper::new(swap, &known, &lists, 0).unwrap();
    let expected = "Aya: Hi!|Is Eve here?|Her trust in Omar|Okafor's job";
    assert_eq!(texts(&swapper.swapped(&known).unwrap()).1, expected, "names of the story have the first choice");
    let full = item("Ann: Hi, Aya!", "?");
    assert_eq!(Swapper::new(swap, &full, &lists, 0), Err(SwapProblem::TooFewNames));
}

#[test]
fn controls_are_others_each_time_and_the_same_in_all_questions_of_a_story() {
    let lists = NameLists::parse(
        "[women]\na = [\"Ann\", \"Eve\", \"Kim\", \"Amy\", \"Sue\"]\nb = [\"Aya\", \"Mei\", \"Noor\", \"Priya\", \"Lin\"]",
    )
    .unwrap();
    let told = |question: &str, control: usize| {
        let item = item("Ann: Hi, Eve!", question);
        let swapper = Swapper::new(Swap { kind: SwapKind::Names, control: Some(control) }, &item, &lists, 0)?;
        Ok(swapper.swapped(&item)?.context[1].text.to_string())
    };
    let controls: Vec<String> = (1..=3).map(|control| told("Why?", control).unwrap()).collect();
    assert!((1..3).all(|at| !controls[..at].contains(&controls[at])), "{controls:?}");
    assert_eq!(told("Why?", 4), Err(SwapProblem::TooFewNames), "two of five names stand in the story");
    for (at, control) in controls.iter().enumerate() {
        assert_eq!(&told("Does Kim know?", at + 1).unwrap(), control);
    }
}

#[test]
fn the_name_of_a_presentation_holds_a_swap() {
    for swap in [Swap { kind: SwapKind::Race, control: None }, Swap { kind: SwapKind::Names, control: Some(3) }] {
        let name = format!("no-profile+{}", swap.name());
        assert_eq!(Swap::and_rest(Some(&name)), (Some(swap), Some("no-profile".to_string())));
    }
    assert_eq!(Swap::and_rest(Some("5-shots")), (None, Some("5-shots".to_string())));
    assert_eq!(Swap::and_rest(None), (None, None));
}
