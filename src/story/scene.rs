//! Who is where, and where the objects are, event by event; who perceives what.

use std::collections::HashMap;

use super::{Event, Story};

/// What an agent gets to know of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Perceived {
    /// The agent is in the room where it happens. Asides and looks are known to the agent they are about alone.
    Seen,
    /// It is a claim, and the agent makes or hears it.
    Heard,
    /// Neither: the agent is elsewhere, has not come yet, or has left.
    Missed,
}

/// Location of an object.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'s> {
    pub room: Option<&'s str>,
    pub container: &'s str,
}

/// The state of a story between two events.
#[derive(Debug, Default)]
pub(super) struct Scene<'s> {
    /// Rooms of the objects that somebody moves.
    homes: HashMap<&'s str, &'s str>,
    /// The room entered last.
    pub room: Option<&'s str>,
    /// Agents who entered it since it was empty, in leaving order.
    group: Vec<&'s str>,
    /// The room of each agent; agents who left are absent.
    inside: HashMap<&'s str, &'s str>,
    /// Location of every object named so far.
    pub places: HashMap<&'s str, Place<'s>>,
}

impl<'s> Scene<'s> {
    /// The state before the first event. An announcement names no room: it is where the object is moved later, and for
    /// objects that nobody moves the room entered last.
    pub fn before(story: &'s Story) -> Self {
        let mut scene = Scene::default();
        let mut homes = HashMap::new();
        for event in &story.events {
            if let Event::Move { agent, object, .. } = event
                && let Some(room) = scene.inside.get(agent.as_str())
            {
                homes.entry(object.as_str()).or_insert(*room);
            }
            scene.read(event);
        }
        Scene { homes, ..Scene::default() }
    }

    /// Brings the state to after an event.
    pub fn read(&mut self, event: &'s Event) {
        match event {
            Event::Enter { agents, room } => {
                let empty = !self.inside.values().any(|occupied| occupied == room);
                if empty || self.room != Some(room) {
                    self.group.clear();
                }
                self.room = Some(room);
                self.group.extend(agents.iter().map(String::as_str));
                self.inside.extend(agents.iter().map(|agent| (agent.as_str(), room.as_str())));
            }
            Event::Gather { .. } => self.inside.clear(),
            Event::Announce { object, container } => {
                let room = self.homes.get(object.as_str()).copied().or(self.room);
                self.places.insert(object, Place { room, container });
            }
            Event::Move { agent, object, container } => {
                let room = self.inside.get(agent.as_str()).copied();
                self.places.insert(object, Place { room, container });
            }
            Event::Exit { agent, .. } => {
                self.inside.remove(agent.as_str());
            }
            Event::Claim { .. } | Event::Stay { .. } | Event::Peek { .. } | Event::Aside { .. } => {}
        }
    }

    /// Whether an agent is in a room.
    pub fn is_in(&self, agent: &str, room: Option<&str>) -> bool {
        room.is_some() && self.inside.get(agent).copied() == room
    }

    /// An agent's position in the leaving order of the current chapter, from 0; `None` if he took no part.
    pub fn turn(&self, agent: &str) -> Option<usize> {
        self.group.iter().position(|&member| member == agent)
    }

    /// What an agent gets to know of the event read last; `was_in` is the room he was in before it.
    fn perceived(&self, agent: &str, event: &Event, was_in: Option<&str>) -> Perceived {
        let seen = match event {
            Event::Enter { agents, room } => agents.iter().any(|one| one == agent) || self.is_in(agent, Some(room)),
            Event::Gather { agents } => agents.iter().any(|one| one == agent),
            Event::Announce { object, .. } => {
                self.places.get(object.as_str()).is_some_and(|place| self.is_in(agent, place.room))
            }
            Event::Move { agent: mover, .. } => {
                mover == agent || self.is_in(agent, self.inside.get(mover.as_str()).copied())
            }
            Event::Stay { agent: stays, room } => stays == agent || self.is_in(agent, Some(room)),
            Event::Exit { agent: leaves, room } => leaves == agent || was_in == Some(room.as_str()),
            Event::Peek { agent: about, .. } | Event::Aside { agent: about, .. } => about == agent,
            Event::Claim { speaker, listener, .. } => {
                let hears = listener.as_ref().is_none_or(|listener| listener == agent) || speaker == agent;
                return if hears { Perceived::Heard } else { Perceived::Missed };
            }
        };
        if seen { Perceived::Seen } else { Perceived::Missed }
    }
}

impl Story {
    /// What an agent gets to know of each event.
    pub fn perceived(&self, agent: &str) -> Vec<Perceived> {
        let mut scene = Scene::before(self);
        let of = |event| {
            let was_in = scene.inside.get(agent).copied();
            scene.read(event);
            scene.perceived(agent, event, was_in)
        };
        self.events.iter().map(of).collect()
    }

    /// The container of an object in the first announcement of it.
    pub fn first_place(&self, object: &str) -> Option<&str> {
        self.events.iter().find_map(|event| match event {
            Event::Announce { object: named, container } if named == object => Some(container.as_str()),
            _ => None,
        })
    }

    /// The containers in which events have an object, in the order told, with repetitions.
    pub fn places<'a>(&'a self, object: &'a str) -> impl Iterator<Item = &'a str> {
        self.events.iter().filter_map(move |event| match event {
            Event::Announce { object: named, container }
            | Event::Move { object: named, container, .. }
            | Event::Claim { object: named, container, .. } => (named == object).then_some(container.as_str()),
            _ => None,
        })
    }

    /// The room of an object; `None` where no event names the object, or it is in no room.
    pub fn room_of(&self, object: &str) -> Option<&str> {
        let mut scene = Scene::before(self);
        self.events.iter().for_each(|event| scene.read(event));
        scene.places.get(object)?.room
    }
}
