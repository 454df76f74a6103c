//! Events of Hi-ToM stories.

/// One line of a story. Agents, rooms, objects and containers are single words as spelled in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A group enters a room. The names are in the order in which the members will act and leave.
    Enter {
        /// The group.
        agents: Vec<String>,
        room: String,
    },
    /// A group enters the waiting room, where nothing is kept and claims are made.
    Gather {
        /// The group.
        agents: Vec<String>,
    },
    /// The narrator says where an object of the current room is.
    Announce { object: String, container: String },
    /// An agent moves an object of the current room.
    Move {
        /// The mover.
        agent: String,
        object: String,
        /// Its new container.
        container: String,
    },
    /// An agent passes his turn.
    Stay {
        agent: String,
        /// The current room.
        room: String,
    },
    /// An agent leaves the current room.
    Exit { agent: String, room: String },
    /// An agent looks into a room, and nobody sees him.
    Peek { agent: String, room: String },
    /// An agent says where an object is, truthfully or not.
    Claim {
        /// The speaker.
        speaker: String,
        /// The only hearer of a private claim; `None` is a public claim, which everybody hears.
        listener: Option<String>,
        object: String,
        /// The claimed container.
        container: String,
    },
    /// A remark that changes nothing.
    Aside {
        /// The agent it is about.
        agent: String,
        /// The remark.
        aside: Aside,
    },
}

impl Event {
    /// The event with other names of agents, containers and things.
    pub(super) fn renamed(self, name: impl Fn(&str) -> String) -> Event {
        let each = |names: Vec<String>| names.iter().map(|one| name(one)).collect();
        match self {
            Event::Enter { agents, room } => Event::Enter { agents: each(agents), room },
            Event::Gather { agents } => Event::Gather { agents: each(agents) },
            Event::Announce { object, container } => Event::Announce { object, container: name(&container) },
            Event::Move { agent, object, container } => {
                Event::Move { agent: name(&agent), object, container: name(&container) }
            }
            Event::Stay { agent, room } => Event::Stay { agent: name(&agent), room },
            Event::Exit { agent, room } => Event::Exit { agent: name(&agent), room },
            Event::Peek { agent, room } => Event::Peek { agent: name(&agent), room },
            Event::Claim { speaker, listener, object, container } => Event::Claim {
                speaker: name(&speaker),
                listener: listener.map(|listener| name(&listener)),
                object,
                container: name(&container),
            },
            Event::Aside { agent, aside } => Event::Aside {
                agent: name(&agent),
                aside: match aside {
                    Aside::Saw(thing) => Aside::Saw(thing),
                    Aside::Lost(thing) => Aside::Lost(thing),
                    Aside::Likes(thing) => Aside::Likes(name(&thing)),
                    Aside::Dislikes(thing) => Aside::Dislikes(name(&thing)),
                },
            },
        }
    }
}

/// A distractor: it may name containers and objects, but moves none of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Aside {
    /// The agent saw an animal.
    Saw(String),
    /// The agent lost a belonging.
    Lost(String),
    /// The agent likes an object or container.
    Likes(String),
    /// The agent dislikes an object or container.
    Dislikes(String),
}

/// A story: its events in the order told.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Story {
    /// The events.
    pub events: Vec<Event>,
}

impl Story {
    /// The object of the first announcement: the one that Hi-ToM's questions are about.
    pub fn first_object(&self) -> Option<&str> {
        self.events.iter().find_map(|event| match event {
            Event::Announce { object, .. } => Some(object.as_str()),
            _ => None,
        })
    }

    /// The agents, in order of first mention.
    pub fn agents(&self) -> Vec<&str> {
        let mut found: Vec<&str> = Vec::new();
        for event in &self.events {
            let named: Vec<&str> = match event {
                Event::Enter { agents, .. } | Event::Gather { agents } => agents.iter().map(String::as_str).collect(),
                Event::Move { agent, .. }
                | Event::Stay { agent, .. }
                | Event::Exit { agent, .. }
                | Event::Peek { agent, .. }
                | Event::Aside { agent, .. } => vec![agent],
                Event::Claim { speaker, listener, .. } => {
                    std::iter::once(speaker).chain(listener).map(String::as_str).collect()
                }
                Event::Announce { .. } => Vec::new(),
            };
            for agent in named {
                if !found.contains(&agent) {
                    found.push(agent);
                }
            }
        }
        found
    }

    /// All claims, as pairs of claimed object and container.
    pub fn claims(&self) -> impl Iterator<Item = (&str, &str)> {
        self.events.iter().filter_map(|event| match event {
            Event::Claim { object, container, .. } => Some((object.as_str(), container.as_str())),
            _ => None,
        })
    }

    /// Those of `words` that the story names, line by line, with repetitions, including distractors.
    pub fn mentions<'a>(&'a self, words: &'a [String]) -> impl Iterator<Item = &'a str> {
        let named = |event: &'a Event| match event {
            Event::Announce { container, .. } | Event::Move { container, .. } | Event::Claim { container, .. } => {
                Some(container.as_str())
            }
            Event::Aside { aside: Aside::Likes(thing) | Aside::Dislikes(thing), .. } => Some(thing.as_str()),
            _ => None,
        };
        self.events.iter().filter_map(named).filter(|name| words.iter().any(|word| word == name))
    }
}
