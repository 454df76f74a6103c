//! Edits of tracked stories: twins that differ from their original in one respect, with gold by the belief tracker.

use rand::Rng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand_chacha::ChaCha8Rng;
use strum::{IntoStaticStr, VariantArray};

pub use super::edit::{Edit, Twin};
use super::hi_tom::draw;
use super::{Aside, Event, Lexicon, Question, Rules, Story, Wording, contents, hi_tom, tomi};
use crate::name::named;
use crate::seed::seeded;

/// The kind of stories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantArray)]
pub enum Kind {
    /// Stories of one chapter, as in Hi-ToM.
    #[strum(serialize = "hi-tom")]
    HiToM,
    /// Stories with one move, as in ToMi.
    #[strum(serialize = "tomi")]
    ToMi,
    /// Stories of unexpected contents.
    #[strum(serialize = "contents")]
    Contents,
}

named!(Kind, "kind of stories");

/// Questions about agents with a false belief, of first and of second order, with a twin for each edit that applies.
/// Story number k depends only on the seed and k.
pub fn twins(kind: Kind, stories: usize, seed: u64, wording: Wording) -> Vec<Twin> {
    if kind == Kind::Contents {
        return contents::twins(stories, seed);
    }
    let mut found = Vec::new();
    let (mut number, mut drawn) = (0, 0);
    while number < stories {
        let mut rng = seeded(seed, &format!("twins/{}", kind.name()), drawn);
        if let Some((story, chain)) = original(kind, drawn, seed, wording) {
            found.extend(sets(kind, &story, &chain, number, wording, &mut rng));
            number += 1;
        }
        drawn += 1;
    }
    found
}

/// A story with a chain of two whose last member has a false belief; `None` where the draw gives none.
fn original(kind: Kind, drawn: usize, seed: u64, wording: Wording) -> Option<(Story, [String; 2])> {
    let mut rng = seeded(seed, "twins/chain", drawn);
    match kind {
        Kind::HiToM => {
            let settings = hi_tom::Settings {
                chapters: 1,
                size: hi_tom::Size::default(),
                deception: false,
                stories: 1,
                seed,
                answers: 2,
                wording,
                claims: Default::default(),
            };
            let story = hi_tom::make(&settings, drawn).story;
            let leaving: Vec<String> = leaving(&story).into_iter().map(str::to_string).collect();
            // One left before him and one after, who are not asked about.
            let agent = leaving.get(1..leaving.len() - 1)?.choose(&mut rng)?.clone();
            let place = leaving.iter().position(|name| *name == agent)?;
            let earlier = leaving[..place].choose(&mut rng)?.clone();
            let later = leaving[place + 1..].choose(&mut rng)?.clone();
            let others: Vec<String> =
                leaving.into_iter().filter(|name| ![&agent, &earlier, &later].contains(&name)).collect();
            let outer = others.choose(&mut rng)?.clone();
            is_false(&story, &agent).then_some((story, [outer, agent]))
        }
        Kind::Contents => None,
        Kind::ToMi => {
            let story = tomi::make(tomi::StoryType::FalseBelief, &mut seeded(seed, "twins/story", drawn)).story;
            let mover = story.events.iter().find_map(|event| match event {
                Event::Move { agent, .. } => Some(agent.clone()),
                _ => None,
            })?;
            let agent = leaving(&story).into_iter().find(|agent| is_false(&story, agent))?.to_string();
            Some((story, [mover, agent]))
        }
    }
}

/// Agents in the order in which they leave for the first time.
fn leaving(story: &Story) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for event in &story.events {
        if let Event::Exit { agent, .. } = event
            && !found.contains(&agent.as_str())
        {
            found.push(agent);
        }
    }
    found
}

/// Whether an agent knows of a place of the first object, and it is not there.
fn is_false(story: &Story, agent: &str) -> bool {
    let Some(object) = story.first_object().map(str::to_string) else { return false };
    let ask = |chain: Vec<String>| story.answer(&Question { object: object.clone(), chain }, Rules::default());
    let believed = ask(vec![agent.to_string()]);
    believed.is_some() && believed != ask(Vec::new())
}

fn sets(
    kind: Kind,
    story: &Story,
    chain: &[String; 2],
    number: usize,
    wording: Wording,
    rng: &mut ChaCha8Rng,
) -> Vec<Twin> {
    let Some(object) = story.first_object() else { return Vec::new() };
    let mut containers: Vec<String> = Vec::new();
    for event in &story.events {
        if let Event::Announce { object: named, container } | Event::Move { object: named, container, .. } = event
            && named == object
            && !containers.contains(container)
        {
            containers.push(container.clone());
        }
    }
    containers.shuffle(rng);
    let edited: Vec<(Edit, Renamed)> = Edit::ALL
        .iter()
        .filter_map(|&edit| Some((edit, apply(edit, kind, story, chain, wording.lexicon(), rng)?)))
        .collect();
    let mut found = Vec::new();
    for order in 1..=chain.len() {
        let question = Question { object: object.to_string(), chain: chain[chain.len() - order..].to_vec() };
        for (edit, renamed) in &edited {
            let question =
                Question { chain: question.chain.iter().map(|name| renamed.name(name)).collect(), ..question.clone() };
            let options: Vec<String> = containers.iter().map(|name| renamed.name(name)).collect();
            let answer = renamed.story.answer(&question, Rules::default());
            let Some(gold) = answer.and_then(|answer| options.iter().position(|option| option == answer)) else {
                continue;
            };
            let (text, question) = (wording.tell(&renamed.story), wording.ask(&question));
            found.push(Twin { set: 2 * number + order - 1, number, edit: *edit, order, text, question, options, gold });
        }
    }
    found
}

/// An edited story, and the names that stand for others in it.
struct Renamed {
    story: Story,
    names: Vec<(String, String)>,
}

impl Renamed {
    fn name(&self, name: &str) -> String {
        self.names.iter().find(|(old, _)| old == name).map_or(name, |(_, new)| new).to_string()
    }
}

/// The story after an edit that concerns the last member of the chain; `None` where the edit does not apply.
fn apply(
    edit: Edit,
    kind: Kind,
    story: &Story,
    [outer, agent]: &[String; 2],
    lexicon: &Lexicon,
    rng: &mut ChaCha8Rng,
) -> Option<Renamed> {
    let mut events = story.events.clone();
    let object = story.first_object()?.to_string();
    let room = story.room_of(&object)?.to_string();
    let real = story.answer(&Question { object: object.clone(), chain: Vec::new() }, Rules::default())?.to_string();
    // Where the last event in a room ends; in Hi-ToM all gather after it.
    let gather = events.iter().position(|event| matches!(event, Event::Gather { .. }));
    let end = gather.unwrap_or(events.len());
    let mut names = Vec::new();
    match edit {
        Edit::Original => {}
        Edit::Stays => {
            let mut numbers: Vec<usize> = (0..events.len()).collect();
            story.stay(&mut numbers, agent, &room);
            events = numbers.into_iter().map(|number| story.events[number].clone()).collect();
        }
        Edit::ComesBack => {
            let enter = Event::Enter { agents: vec![agent.clone()], room: room.clone() };
            events.insert(end, enter);
            if gather.is_some() {
                events.insert(end + 1, Event::Exit { agent: agent.clone(), room });
            }
        }
        Edit::Peeks => events.insert(end, Event::Peek { agent: agent.clone(), room }),
        Edit::ToldByLater | Edit::ToldByEarlier => {
            // Who believes whom is said of Hi-ToM's stories alone.
            if kind != Kind::HiToM {
                return None;
            }
            let order = leaving(story);
            let own = order.iter().position(|name| name == agent)?;
            let side = if edit == Edit::ToldByLater { &order[own + 1..] } else { &order[..own] };
            let speakers: Vec<&str> = side.iter().copied().filter(|name| name != outer).collect();
            let speaker = speakers.choose(rng)?.to_string();
            events.push(Event::Claim { speaker, listener: Some(agent.clone()), object, container: real });
        }
        Edit::Names => {
            let known = story.agents();
            let mut fresh = draw(lexicon.agents, lexicon.agents.len(), rng);
            fresh.retain(|name| !known.contains(&name.as_str()));
            names.extend(known.into_iter().map(str::to_string).zip(fresh));
        }
        Edit::Containers => {
            let all: Vec<String> = lexicon.containers.iter().map(|name| name.to_string()).collect();
            let known: Vec<String> = story.mentions(&all).map(str::to_string).collect();
            let mut fresh = draw(lexicon.containers, lexicon.containers.len(), rng);
            fresh.retain(|name| !known.contains(name));
            for name in known {
                if names.iter().all(|(old, _)| *old != name) {
                    names.extend(fresh.pop().map(|new| (name, new)));
                }
            }
        }
        Edit::Asides => {
            events.retain(|event| !matches!(event, Event::Aside { .. }));
            let cast: Vec<String> = story.agents().into_iter().map(str::to_string).collect();
            for _ in 0..2 {
                let about = draw(&cast, 1, rng).pop()?;
                let other: Vec<&str> = lexicon.objects.iter().copied().filter(|name| *name != object).collect();
                let aside = Aside::Likes(draw(&other, 1, rng).pop()?);
                events.insert(rng.random_range(0..=events.len()), Event::Aside { agent: about, aside });
            }
        }
        // Those of unexpected contents.
        _ => return None,
    }
    let renamed = Renamed { story: Story::default(), names };
    let events = events.into_iter().map(|event| event.renamed(|name| renamed.name(name))).collect();
    Some(Renamed { story: Story { events }, ..renamed })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the right answer of the twin is another one than that of its original.
    fn changes(twins: &[Twin], edit: Edit, order: usize) -> Vec<bool> {
        let original = |twin: &Twin| {
            twins.iter().find(|other| other.set == twin.set && other.edit == Edit::Original).unwrap().gold
        };
        let of_edit = twins.iter().filter(|twin| twin.edit == edit && twin.order == order);
        of_edit.map(|twin| twin.gold != original(twin)).collect()
    }

    #[test]
    fn edits_change_the_right_answer_where_they_must_and_nowhere_else() {
        for (kind, wording) in
            [(Kind::HiToM, Wording::English), (Kind::HiToM, Wording::Chinese), (Kind::ToMi, Wording::English)]
        {
            let twins = twins(kind, 60, 3, wording);
            for &edit in &Edit::ALL[..9] {
                let told = matches!(edit, Edit::ToldByLater | Edit::ToldByEarlier);
                let flips = matches!(edit, Edit::Stays | Edit::ComesBack | Edit::Peeks | Edit::ToldByLater);
                let first = changes(&twins, edit, 1);
                assert_eq!(first.len(), if told && kind == Kind::ToMi { 0 } else { 60 }, "{edit} {}", kind.name());
                assert!(first.iter().all(|changed| *changed == flips), "{edit} {}", kind.name());
                // Nobody knows of a look or of what one was told in private.
                let second = changes(&twins, edit, 2);
                let unknown = told || edit == Edit::Peeks || !flips;
                assert!(!unknown || second.iter().all(|changed| !changed), "{edit} {}", kind.name());
            }
            for twin in &twins {
                let (story, question) = (wording.story(&twin.text).unwrap(), wording.question(&twin.question).unwrap());
                assert_eq!(wording.tell(&story), twin.text);
                assert_eq!(story.answer(&question, Rules::default()), Some(twin.options[twin.gold].as_str()));
            }
        }
    }

    #[test]
    fn a_story_does_not_depend_on_how_many_follow() {
        let few = twins(Kind::HiToM, 3, 1, Wording::English);
        assert_eq!(few, twins(Kind::HiToM, 9, 1, Wording::English)[..few.len()]);
        assert_ne!(few, twins(Kind::HiToM, 3, 2, Wording::English));
    }
}
