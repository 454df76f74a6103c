//! Unexpected contents: a container holds other things than its label says, and an agent knows more or less of it. A small
//! grammar with words and sentences of its own, in English, and a tracker that keeps for a chain of minds the strongest
//! evidence that all of them got together.
//!
//! The task is that of Perner, Leekam and Wimmer (1987); transparent containers, testimony and labels that cannot be read are
//! alterations of Ullman (2023), true labels and exchanged contents controls of Kosinski (2023).

use rand::Rng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::Lexicon;
use super::edit::{Edit, Twin};
use super::hi_tom::draw;
use crate::seed::seeded;

/// What a reader of a story is to assume.
pub const ASSUMPTIONS: &str = "Agents see and hear everything that happens in a room while they are in it, and everybody can \
    read unless it is said otherwise. They believe what they have seen in a container; else what they are told by somebody who has \
    looked into it; else what its label says. Where none of these tells them what is in it, they do not guess.";

/// The option of one who has no reason to believe anything.
const NO_GUESS: &str = "no guess";

#[rustfmt::skip]
const ROOMS: &[&str] = &[
    "kitchen", "library", "bakery", "studio", "canteen", "lobby", "cloakroom", "classroom", "laboratory", "storeroom", "nursery",
    "office",
];

const CONTAINERS: &[&str] = &["box", "bag", "jar", "tub", "case", "packet", "canister", "sack"];

#[rustfmt::skip]
const CONTENTS: &[&str] = &[
    "biscuits", "buttons", "candles", "coins", "nuts", "marbles", "raisins", "pebbles", "pencils", "seeds", "shells", "sweets",
    "beads", "screws", "stamps", "dates",
];

/// Why something is believed, the weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Evidence {
    /// The label, or the word of somebody who has only read it.
    Label,
    /// The word of somebody who has looked into the container.
    Word,
    Sight,
}

/// The words of a story.
#[derive(Debug, Clone)]
struct Words {
    /// The agent asked about, one who comes along with him and leaves, and one who may come later.
    agents: [String; 3],
    room: String,
    container: String,
    inside: String,
    /// What the label says.
    label: String,
    /// What is said not to be in the container.
    absent: String,
}

/// What happens or is told. Agents are numbered as in [`Words::agents`].
#[derive(Debug, Clone, PartialEq, Eq)]
enum Event {
    /// What is in the container, and what is not.
    Holds,
    /// Whether one can see into it.
    Walls {
        transparent: bool,
    },
    /// What the label says, and whether the agents can read it.
    Label {
        readable: bool,
    },
    /// The agent alone filled the container and wrote its label before all else.
    Filled,
    Enter {
        agents: Vec<usize>,
        again: bool,
    },
    /// Both agents look at the label.
    Look,
    Exit {
        agent: usize,
    },
    Open {
        agent: usize,
    },
    /// The third agent comes to the first, or to the second outside, and tells what is in the container.
    Tell {
        to: usize,
        has_looked: bool,
    },
    /// A remark that changes nothing.
    Aside {
        agent: usize,
        animal: String,
    },
}

impl Event {
    fn sentence(&self, words: &Words) -> String {
        let Words { agents, room, container, inside, label, absent } = words;
        let [agent, outer, third] = agents;
        match self {
            Event::Holds => {
                format!(
                    "In the {room} there is a {container} full of {inside}. There are no {absent} in the {container}."
                )
            }
            Event::Walls { transparent: false } => format!("Nobody can see into the {container} while it is closed."),
            Event::Walls { transparent: true } => {
                format!("The {container} is transparent, so that everybody in the {room} sees what is in it.")
            }
            Event::Label { readable: true } => format!("The label on the {container} says \"{label}\"."),
            Event::Label { readable: false } => format!(
                "The label on the {container} says \"{label}\", but in a language that neither {agent} nor {outer} can read."
            ),
            Event::Filled => format!(
                "Earlier, when nobody else was there, {agent} filled the {container} with the {inside}, closed it and put \
                 the label on it."
            ),
            Event::Enter { agents: who, again } => {
                let who: Vec<&str> = who.iter().map(|&who| agents[who].as_str()).collect();
                let verb = if who.len() > 1 { "come" } else { "comes" };
                format!("{} {verb} {}into the {room}.", who.join(" and "), if *again { "back " } else { "" })
            }
            Event::Look => format!("{agent} and {outer} look at the label."),
            Event::Exit { agent } => format!("{} leaves the {room}.", agents[*agent]),
            Event::Open { agent } => {
                format!("{} opens the {container}, looks inside and closes it again.", agents[*agent])
            }
            Event::Tell { to, has_looked } => {
                let (known, what) = match has_looked {
                    true => (format!("who has looked into the {container}"), inside),
                    false => (format!("who has read the label and never looked into the {container}"), label),
                };
                match to {
                    0 => {
                        format!("{third}, {known}, comes into the {room} and tells {agent} that it is full of {what}.")
                    }
                    _ => {
                        format!("Outside, {third}, {known}, meets {outer} and tells {outer} that it is full of {what}.")
                    }
                }
            }
            Event::Aside { agent, animal } => format!("{} saw a {animal} this morning.", agents[*agent]),
        }
    }
}

/// What a chain of agents, outermost first, believes to be in the container; `None` where nothing tells.
fn believed<'w>(events: &[Event], words: &'w Words, chain: &[usize]) -> Option<&'w str> {
    let (mut transparent, mut readable) = (false, true);
    let mut present: Vec<usize> = Vec::new();
    let mut best: Option<(Evidence, &str)> = None;
    for event in events {
        // What is learned, and by whom together.
        let (evidence, what, by) = match event {
            Event::Walls { transparent: is } => {
                transparent = *is;
                continue;
            }
            Event::Label { readable: is } => {
                readable = *is;
                continue;
            }
            Event::Holds | Event::Aside { .. } => continue,
            Event::Exit { agent } => {
                present.retain(|one| one != agent);
                continue;
            }
            Event::Enter { agents, .. } => {
                present.extend(agents);
                if !transparent {
                    continue;
                }
                (Evidence::Sight, words.inside.as_str(), present.clone())
            }
            Event::Filled => (Evidence::Sight, words.inside.as_str(), vec![0]),
            Event::Look if readable => (Evidence::Label, words.label.as_str(), present.clone()),
            Event::Look => continue,
            Event::Open { .. } => (Evidence::Sight, words.inside.as_str(), present.clone()),
            Event::Tell { to, has_looked } => {
                let by = if present.contains(to) { present.clone() } else { vec![*to] };
                match has_looked {
                    true => (Evidence::Word, words.inside.as_str(), by),
                    false => (Evidence::Label, words.label.as_str(), by),
                }
            }
        };
        if chain.iter().all(|member| by.contains(member)) && best.is_none_or(|(known, _)| known <= evidence) {
            best = Some((evidence, what));
        }
    }
    best.map(|(_, what)| what)
}

/// Questions of first and second order about one who has read a false label, with a twin for each edit. Story number k
/// depends only on the seed and k.
pub(super) fn twins(stories: usize, seed: u64) -> Vec<Twin> {
    (0..stories).flat_map(|number| sets(number, &mut seeded(seed, "twins/contents", number))).collect()
}

fn sets(number: usize, rng: &mut ChaCha8Rng) -> Vec<Twin> {
    let lexicon = &Lexicon::ENGLISH;
    let mut agents = draw(lexicon.agents, 6, rng).into_iter();
    let mut three = || [(); 3].map(|()| agents.next().unwrap_or_default());
    let (agents, other_agents) = (three(), three());
    let contents = draw(CONTENTS, 4, rng);
    let [inside, label, other_inside, other_label] = std::array::from_fn(|at| contents[at].clone());
    let containers = draw(CONTAINERS, 2, rng);
    let room = draw(ROOMS, 1, rng).concat();
    let words = Words { agents, room, container: containers[0].clone(), absent: label.clone(), inside, label };
    // Places of what is in the container, what the label says, and no guess: the same in all twins.
    let mut places = [0, 1, 2];
    places.shuffle(rng);
    let whose = rng.random_range(0..2);
    let animals = draw(lexicon.animals, 2, rng);
    // Before the second agent leaves.
    let aside_at = rng.random_range(0..=5);
    let mut told: Vec<(Edit, Words, Vec<Event>)> = Vec::new();
    for edit in Edit::ALL {
        let mut words = words.clone();
        let mut events = vec![
            Event::Holds,
            Event::Walls { transparent: edit == Edit::Transparent },
            Event::Label { readable: edit != Edit::Unreadable },
            Event::Enter { agents: vec![0, 1], again: false },
            Event::Look,
            Event::Exit { agent: 1 },
        ];
        let animal = animals[usize::from(edit == Edit::Asides)].clone();
        events.insert(aside_at, Event::Aside { agent: whose, animal });
        match edit {
            Edit::Original | Edit::Transparent | Edit::Unreadable | Edit::Asides => {}
            Edit::LabelsIt => {
                let label = events.iter().position(|event| matches!(event, Event::Label { .. }));
                events.insert(label.map_or(0, |at| at + 1), Event::Filled);
            }
            Edit::Opens => events.push(Event::Open { agent: 0 }),
            Edit::OpenedByAnother => events.extend([
                Event::Exit { agent: 0 },
                Event::Enter { agents: vec![2], again: false },
                Event::Open { agent: 2 },
                Event::Exit { agent: 2 },
                Event::Enter { agents: vec![0], again: true },
            ]),
            Edit::ToldByOneWhoLooked => events.push(Event::Tell { to: 0, has_looked: true }),
            Edit::ToldByOneWhoRead => events.push(Event::Tell { to: 0, has_looked: false }),
            Edit::ToldAnother => events.push(Event::Tell { to: 1, has_looked: true }),
            Edit::TrueLabel => words.label = words.inside.clone(),
            Edit::Reversed => {
                std::mem::swap(&mut words.inside, &mut words.label);
                words.absent = words.label.clone();
            }
            Edit::Names => words.agents = other_agents.clone(),
            Edit::Containers => words.container = containers[1].clone(),
            Edit::Contents => {
                let (label, absent) = (other_label.clone(), other_label.clone());
                words = Words { inside: other_inside.clone(), label, absent, ..words };
            }
            Edit::Stays | Edit::ComesBack | Edit::Peeks | Edit::ToldByLater | Edit::ToldByEarlier => continue,
        }
        told.push((edit, words, events));
    }
    let mut found = Vec::new();
    for order in [1, 2] {
        let chain: &[usize] = if order == 1 { &[0] } else { &[1, 0] };
        for (edit, words, events) in &told {
            let two = match edit {
                Edit::Contents => [&other_inside, &other_label],
                _ => [&told[0].1.inside, &told[0].1.label],
            };
            let options = places.iter().map(|&at| two.get(at).map_or(NO_GUESS, |text| text.as_str()).to_string());
            let options: Vec<String> = options.collect();
            let answer = believed(events, words, chain).unwrap_or(NO_GUESS);
            let Some(gold) = options.iter().position(|option| option == answer) else { continue };
            let [agent, outer, _] = &words.agents;
            let container = &words.container;
            found.push(Twin {
                set: 2 * number + order - 1,
                number,
                edit: *edit,
                order,
                text: events.iter().map(|event| event.sentence(words)).collect::<Vec<_>>().join(" "),
                question: match order {
                    1 => format!("What does {agent} think is in the {container}?"),
                    _ => format!("What does {outer} think that {agent} thinks is in the {container}?"),
                },
                options,
                gold,
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Right answers of first and second order: what is in the container, what the label says, or no guess.
    fn expected(edit: Edit) -> [&'static str; 2] {
        match edit {
            Edit::Transparent | Edit::TrueLabel | Edit::Reversed => ["inside", "inside"],
            Edit::Opens | Edit::ToldByOneWhoLooked | Edit::LabelsIt => ["inside", "label"],
            Edit::Unreadable => ["none", "none"],
            _ => ["label", "label"],
        }
    }

    #[test]
    fn edits_change_the_right_answer_where_they_must_and_nowhere_else() {
        let twins = twins(40, 3);
        assert_eq!(twins.len(), 40 * 2 * 15);
        for twin in &twins {
            let original = twins.iter().find(|other| other.set == twin.set).unwrap();
            assert_eq!(original.edit, Edit::Original);
            // The original names the contents first, and its answer is what the label says.
            let label = original.gold;
            let none = original.options.iter().position(|option| option == NO_GUESS).unwrap();
            let said = if twin.gold == label {
                "label"
            } else if twin.gold == none {
                "none"
            } else {
                "inside"
            };
            assert_eq!(said, expected(twin.edit)[twin.order - 1], "{}: {} {}", twin.edit, twin.text, twin.question);
            assert!(twin.options.iter().all(|option| option == NO_GUESS || twin.text.contains(option.as_str())));
        }
    }

    #[test]
    fn a_story_does_not_depend_on_how_many_follow() {
        let few = twins(3, 1);
        assert_eq!(few, twins(9, 1)[..few.len()]);
        assert_ne!(few, twins(3, 2));
    }
}
