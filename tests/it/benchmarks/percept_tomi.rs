//! Who perceives what in the stories of Percept-ToMi, by its annotators and by the belief tracker.

use std::collections::BTreeSet;

use tomeval::internal::{Perceived, Wording};

use crate::support::released::released;

/// A sentence in the form that stories of ToMi have: names are one word, agents enter, and where a container stands is said
/// as where the object is, which those see who are there.
fn sentence(text: &str, object: &str) -> String {
    let word = |name: &str| name.replace(' ', "_");
    let split = |middle| text.split_once(middle);
    if let Some((agent, room)) =
        split(" entered the ").or_else(|| split(" is in the ").filter(|_| !text.starts_with("The ")))
    {
        return format!("{agent} entered the {}.", word(room));
    }
    if let Some((agent, room)) = split(" exited the ") {
        return format!("{agent} exited the {}.", word(room));
    }
    if let Some((agent, (_, container))) =
        split(" moved the ").and_then(|(who, rest)| Some((who, rest.split_once(" to the ")?)))
    {
        return format!("{agent} moved the {} to the {}.", word(object), word(container));
    }
    match text.strip_prefix("The ").and_then(|rest| rest.split_once(" is in the ")) {
        Some((thing, container)) if thing == object => format!("The {} is in the {}.", word(object), word(container)),
        Some((container, _)) => format!("The {} is in the {}.", word(object), word(container)),
        None => {
            let (start, thing) = split(" the ").unwrap_or_else(|| panic!("{text} has a form of its own"));
            format!("{start} the {}", word(thing))
        }
    }
}

/// A list in the notation of Python whose texts hold no quotes.
fn list<T: serde::de::DeserializeOwned>(text: &str) -> T {
    serde_json::from_str(&text.replace('\'', "\"")).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn annotators_and_the_tracker_differ_in_the_sentences_that_are_listed() {
    let Some(folder) = released("percepttom") else { return };
    let mut file = csv::Reader::from_path(folder.join("Percept-ToMi.csv")).unwrap();
    let header = file.headers().unwrap().clone();
    let column = |name: &str| header.iter().position(|known| known == name).unwrap();
    let [index, told, perceivers] = ["index", "story", "perceivers"].map(column);
    let (mut sentences, mut rows) = (0, BTreeSet::new());
    let (mut nobody, mut not_named, mut named_too) = (0, 0, 0);
    for row in file.records() {
        let row = row.unwrap();
        let (texts, named): (Vec<String>, Vec<BTreeSet<String>>) = (list(&row[told]), list(&row[perceivers]));
        let moved = texts.iter().find_map(|text| text.split_once(" moved the ")?.1.split_once(" to the ")).unwrap();
        let lines: Vec<String> = texts.iter().map(|text| sentence(text, moved.0)).collect();
        let story = Wording::English.story(&lines.join("\n")).unwrap();
        let agents = story.agents();
        let seen: Vec<(&str, Vec<Perceived>)> = agents.iter().map(|agent| (*agent, story.perceived(agent))).collect();
        sentences += texts.len();
        for (at, named) in named.iter().enumerate() {
            let by_tracker = seen.iter().filter(|(_, each)| each[at] != Perceived::Missed);
            let by_tracker: BTreeSet<&str> = by_tracker.map(|(agent, _)| *agent).collect();
            let named: BTreeSet<&str> = named.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
            if by_tracker == named {
                continue;
            }
            rows.insert(row[index].to_string());
            match () {
                () if named.is_empty() => nobody += 1,
                () if named.is_subset(&by_tracker) => not_named += 1,
                () if by_tracker.is_subset(&named) => named_too += 1,
                () => panic!("{}: {} has {named:?}, by the tracker {by_tracker:?}", &row[index], texts[at]),
            }
        }
    }
    // docs/truth.md says what these are.
    assert_eq!((sentences, rows.len()), (5934, 32));
    assert_eq!([nobody, not_named, named_too], [29, 19, 18]);
}
