//! Who is in a story, and who stands in their places.

use rand::seq::SliceRandom;

use super::lists::NameLists;
use super::{Swap, SwapKind, SwapProblem, pronouns, rename};
use crate::benchmark::{Item, SegmentKind};
use crate::seed::seeded;

/// The name of a person that is exchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Person {
    /// The name, surname or race.
    pub name: String,
    /// The kind and group of lists to which it belongs.
    pub kind: String,
    pub group: String,
    /// The whole name, if a profile states it.
    pub full: Option<String>,
}

/// Words that are surnames too: as such they are read behind a first name or a title alone.
const ALSO_WORDS: &[&str] = &[
    "Her", "He", "Do", "Oh", "So", "An", "In", "My", "No", "You", "Will", "May", "Case", "Claw", "Song", "Sun", "Long",
    "Crane", "Stark", "Wolf", "Stout", "Peck", "Fry", "Laughing", "Cowboy", "Smalls", "Leaks", "Day", "Young", "Ha",
    "Ho", "Le", "Lo", "Ma", "Tan", "Pan",
];

/// Titles before a surname.
const TITLES: [&str; 10] = ["Mr.", "Ms.", "Mrs.", "Miss", "Mr", "Ms", "Mrs", "Dr.", "Professor", "Officer"];

/// What begins the race in a profile.
const RACE: &str = "whose race is ";

impl Person {
    /// Every form of the name, with that of the new name.
    pub fn forms(&self, new: &str, item: &Item) -> Vec<(String, String)> {
        let Person { name, full, .. } = self;
        let first = full.as_deref().and_then(|full| full.split_once(' ')).map(|(first, _)| first);
        let pair = |before: &str| (format!("{before}{name}"), format!("{before}{new}"));
        match (&*self.kind, first) {
            ("race", _) => vec![pair(RACE)],
            ("surname", Some(first)) => {
                let mut forms = vec![pair(&format!("{first} "))];
                forms.extend(TITLES.iter().map(|title| pair(&format!("{title} "))));
                let lower = name.to_lowercase();
                let is_word = ALSO_WORDS.contains(&&**name)
                    || item.context.iter().any(|segment| rename::contains(&segment.text, &lower));
                if !is_word {
                    forms.push(pair(""));
                }
                forms
            }
            _ => vec![pair("")],
        }
    }
}

/// The characters whose profiles an item shows.
pub(super) fn in_profiles(item: &Item, swap: SwapKind) -> Result<Vec<Person>, SwapProblem> {
    let profile = item.context.iter().find(|segment| segment.kind == SegmentKind::Profile);
    let profile = profile.ok_or(SwapProblem::NoProfiles)?;
    let lists = NameLists::built_in();
    let mut found: Vec<Person> = Vec::new();
    for part in profile.text.split("**: ").skip(1) {
        let Some((name, rest)) = part.split_once(", ") else { continue };
        let Some((gender, rest)) = rest.split_once(", is a") else { continue };
        let race = rest.split_once(RACE).and_then(|(_, race)| race.split_once('.'));
        let ((first, surname), (race, _)) = name.split_once(' ').zip(race).ok_or(SwapProblem::NoProfiles)?;
        let of_race = lists.names().find(|(kind, _, known)| *kind == "race" && *known == race);
        let (_, group, _) = of_race.ok_or(SwapProblem::NoProfiles)?;
        let of_gender = match gender {
            "woman" => "women",
            "man" => "men",
            _ => return Err(SwapProblem::NoProfiles),
        };
        let full = Some(name.to_string());
        let (name, group) = match swap {
            SwapKind::Race => (race, group),
            SwapKind::Surname => (surname, group),
            SwapKind::Gender | SwapKind::Names => (first, of_gender),
        };
        found.push(Person { name: name.into(), kind: swap.list().into(), group: group.into(), full });
    }
    if found.is_empty() { Err(SwapProblem::NoProfiles) } else { Ok(found) }
}

/// The names of a list that stand in an item; those of its story first, so that all its questions give them the same names.
pub(super) fn listed(item: &Item, lists: &NameLists) -> Vec<Person> {
    let in_story = |name: &str| item.context.iter().any(|segment| rename::contains(&segment.text, name));
    let in_question = |name: &str| asked(item).any(|text| rename::contains(text, name));
    let person = |(kind, group, name): (&str, &str, &str)| Person {
        name: name.into(),
        kind: kind.into(),
        group: group.into(),
        full: None,
    };
    let of_story = lists.names().filter(|(_, _, name)| in_story(name));
    let of_question = lists.names().filter(|(_, _, name)| !in_story(name) && in_question(name));
    of_story.chain(of_question).map(person).collect()
}

/// The texts of an item beside its story.
fn asked(item: &Item) -> impl Iterator<Item = &String> {
    [&item.question].into_iter().chain(&item.options).chain(item.fields.values())
}

/// A new name for each person: of another group for a swap, of the same one for a control, none that stands in the story or
/// twice. Persons of one name keep one.
pub(super) fn drawn<'p>(
    persons: &'p [Person],
    swap: Swap,
    lists: &NameLists,
    item: &Item,
    seed: u64,
) -> Result<Vec<(&'p Person, String)>, SwapProblem> {
    if persons.is_empty() {
        return Err(SwapProblem::NoNames);
    }
    let mut found: Vec<(&Person, String)> = Vec::new();
    for person in persons {
        if let Some((_, new)) = found.iter().find(|(known, _)| known.name == person.name && known.kind == person.kind) {
            let new = new.clone();
            found.push((person, new));
            continue;
        }
        let groups = lists.groups(&person.kind).into_iter().flatten();
        let is_control = swap.control.is_some();
        let of_groups =
            groups.filter(|(group, _)| (**group == person.group) == is_control).flat_map(|(_, names)| names);
        let is_free = |name: &&String| {
            swap.kind == SwapKind::Race || !item.context.iter().any(|segment| rename::contains(&segment.text, name))
        };
        let mut names: Vec<&String> = of_groups.filter(is_free).collect();
        // The same order for every control.
        let key = format!("swap {}\n{}\n{}\n{is_control}", person.kind, person.group, item.story);
        names.shuffle(&mut seeded(seed, &key, 0));
        let alike = |known: &Person| known.kind == person.kind && (!is_control || known.group == person.group);
        let taken = found.iter().filter(|(known, _)| alike(known)).count();
        // Each control begins one name further on: as many as there are names differ for everybody.
        let turn = swap.control.map_or(0, |number| number - 1);
        if is_control && turn >= names.len() {
            return Err(SwapProblem::TooFewNames);
        }
        let first = turn + taken;
        let is_taken = |name: &String| swap.kind != SwapKind::Race && found.iter().any(|(_, new)| new == name);
        let in_turn = (0..names.len()).map(|at| names[(first + at) % names.len()]);
        let new = in_turn.into_iter().find(|name| !is_taken(name)).ok_or(SwapProblem::TooFewNames)?;
        found.push((person, new.clone()));
    }
    Ok(found)
}

/// Words that name a race or an origin beside those that profiles state. Not `race`: it is a competition.
const RACES: &[&str] = &[
    "Latina",
    "Latinas",
    "Latinos",
    "Hispanics",
    "Asians",
    "Native",
    "Hawaiian",
    "Islander",
    "Kushtaka",
    "Indian",
    "Alaska",
    "Alaskan",
    "Caucasian",
    "Mexican",
    "Chinese",
    "Korean",
    "Vietnamese",
    "Navajo",
    "Indigenous",
    "indigenous",
    "African",
    "Haitian",
    "Nigerian",
    "ethnicity",
    "ethnic",
    "racial",
    "racism",
    "racist",
    "tribe",
    "tribal",
];

/// Whether a text names a race.
pub(super) fn names_race(text: &str) -> bool {
    let stated = NameLists::built_in().names().filter(|(kind, ..)| *kind == "race").map(|(_, _, name)| name);
    stated.chain(RACES.iter().copied()).any(|word| rename::contains(text, word))
}

/// A name in the plural, or in a possessive without s.
pub(super) fn inflected(text: &str, name: &str) -> Option<String> {
    let plural = format!("{name}s");
    let bare = [format!("{name}' "), format!("{name}’ ")];
    let bare = bare.iter().find(|form| {
        let after = |(at, form): (usize, &str)| text[at + form.len()..].starts_with(char::is_lowercase);
        name.ends_with('s') && text.match_indices(form.as_str()).any(after)
    });
    let plural = (rename::contains(text, &plural)).then_some(&plural);
    plural.or(bare).cloned()
}

/// Beginnings of names that are words.
const ORDINARY: &[&str] = &[
    "And", "Ann", "Art", "Ash", "Bar", "Car", "Con", "Den", "Even", "Her", "How", "Just", "Law", "Mad", "Mar", "Ray",
    "Rose", "She", "The", "There", "White", "Will",
];

/// A first name in a text that is none of `own`, or the beginning of one of these.
pub(super) fn other_person(text: &str, own: &[String]) -> Option<String> {
    let known = |word: &str| {
        NameLists::built_in().names().any(|(kind, _, name)| ["name", "other"].contains(&kind) && name == word)
    };
    let is_short = |word: &str| {
        word.len() > 2
            && !ORDINARY.contains(&word)
            && own.iter().any(|name| name.strip_prefix(word).is_some_and(|rest| !rest.is_empty()))
    };
    let is_other = |word: &&str| {
        word.starts_with(char::is_uppercase) && !own.iter().any(|name| name == word) && (known(word) || is_short(word))
    };
    let words = pronouns::words(text).into_iter().map(|range| {
        let word = &text[range];
        word.strip_suffix("'s").or(word.strip_suffix("’s")).unwrap_or(word)
    });
    words.into_iter().find(is_other).map(str::to_string)
}
