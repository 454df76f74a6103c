//! Converts events to lines of a language, and lines back to events.

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::{Aside, Event, Lexicon, Question, Story};
use crate::language::Language;

/// Sentence forms of stories: one per kind of event, in one language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wording {
    /// English. Reads the sentence forms of the released Hi-ToM and ToMi stories as well as its own.
    English,
    /// Simplified Chinese.
    Chinese,
}

/// A line that matches no known sentence form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("story line {line}: `{text}` matches no known sentence form")]
pub struct UnreadLine {
    /// The line, counted from 1.
    pub line: usize,
    pub text: String,
}

impl Wording {
    /// The wording of a language, if it has one.
    pub fn from_language(language: Language) -> Option<Self> {
        match language {
            Language::En => Some(Wording::English),
            Language::Zh => Some(Wording::Chinese),
            _ => None,
        }
    }

    /// The language.
    pub fn language(self) -> Language {
        match self {
            Wording::English => Language::En,
            Wording::Chinese => Language::Zh,
        }
    }

    /// The words that stories are made of.
    pub fn lexicon(self) -> &'static Lexicon {
        match self {
            Wording::English => &Lexicon::ENGLISH,
            Wording::Chinese => &Lexicon::CHINESE,
        }
    }

    /// Read a story of lines `number sentence`; blank lines are skipped.
    pub fn story(self, text: &str) -> Result<Story, UnreadLine> {
        let lines = text.lines().enumerate().filter(|(_, text)| !text.trim().is_empty());
        let events = lines.map(|(number, text)| {
            let sentence = text.trim().trim_start_matches(|letter: char| letter.is_ascii_digit()).trim_start();
            self.event(sentence).ok_or_else(|| UnreadLine { line: number + 1, text: text.to_string() })
        });
        Ok(Story { events: events.collect::<Result<_, _>>()? })
    }

    /// Tell a story in lines `number sentence`, counted from 1 and joined by newlines.
    pub fn tell(self, story: &Story) -> String {
        let lines = story.events.iter().enumerate();
        lines.map(|(index, event)| format!("{} {}", index + 1, self.sentence(event))).collect::<Vec<_>>().join("\n")
    }

    /// Parse one sentence, `None` if its form is unknown. Likes and dislikes of ToMi lack their full stop.
    pub fn event(self, sentence: &str) -> Option<Event> {
        let read = |sentence: &str| {
            let mut forms = self.forms().iter();
            forms.find_map(|form| form.pattern.captures(sentence).map(|parts| self.build(form.kind, &parts)))
        };
        read(sentence).or_else(|| read(&format!("{sentence}.")).filter(|event| matches!(event, Event::Aside { .. })))
    }

    /// Byte ranges of the names of agents, objects, containers, rooms or things in one sentence, in order. `None` if
    /// its form is unknown.
    pub fn names_in(self, sentence: &str) -> Option<Vec<Range<usize>>> {
        self.names_of(sentence).or_else(|| self.names_of(&format!("{sentence}.")))
    }

    fn names_of(self, sentence: &str) -> Option<Vec<Range<usize>>> {
        let (form, parts) = self.forms().iter().find_map(|form| Some((form, form.pattern.captures(sentence)?)))?;
        let mut found = Vec::new();
        for name in form.pattern.capture_names().flatten() {
            let Some(part) = parts.name(name) else { continue };
            if name != "agents" {
                found.push(part.range());
                continue;
            }
            let mut from = part.start();
            for agent in self.names(part.as_str()) {
                let at = from + sentence[from..].find(&agent)?;
                from = at + agent.len();
                found.push(at..from);
            }
        }
        found.sort_by_key(|range| range.start);
        Some(found)
    }

    /// One event as a sentence.
    pub fn sentence(self, event: &Event) -> String {
        match self {
            Wording::English => english(event),
            Wording::Chinese => chinese(event),
        }
    }

    /// Ask a question.
    pub fn ask(self, question: &Question) -> String {
        let Question { object, chain } = question;
        match (self, chain.split_first()) {
            (Wording::English, None) => format!("Where is the {object} really?"),
            (Wording::English, Some((outer, inner))) => {
                let inner: String = inner.iter().map(|agent| format!(" {agent} thinks")).collect();
                format!("Where does {outer} think{inner} the {object} is?")
            }
            (Wording::Chinese, None) => format!("{object}实际上在哪里？"),
            (Wording::Chinese, Some(_)) => {
                let chain: String = chain.iter().map(|agent| format!("{agent}认为")).collect();
                format!("{chain}{object}在哪里？")
            }
        }
    }

    /// State that the chain of a question has its object in a container; for an empty chain, that it is there.
    pub fn state(self, question: &Question, container: &str) -> String {
        let Question { object, chain } = question;
        let announced = self.sentence(&Event::Announce { object: object.clone(), container: container.to_string() });
        match self {
            Wording::English if chain.is_empty() => announced,
            Wording::English => {
                format!("{} thinks the {object} is in the {container}.", chain.join(" thinks "))
            }
            Wording::Chinese => chain.iter().map(|agent| format!("{agent}认为")).collect::<String>() + &announced,
        }
    }

    /// Parse a question, `None` if its form is unknown.
    pub fn question(self, text: &str) -> Option<Question> {
        static ENGLISH: LazyLock<[Regex; 3]> = LazyLock::new(|| {
            [
                regex(r"^Where is the (\S+) really\?$"),
                regex(r"^Where does (\S+ .*)the (\S+) is\?$"),
                regex(r"(\S+) (?:really )?thinks? "),
            ]
        });
        static CHINESE: LazyLock<[Regex; 3]> = LazyLock::new(|| {
            [regex(r"^(.+?)实际上在哪里？$"), regex(r"^((?:.+?认为)+)(.+?)在哪里？$"), regex(r"(.+?)认为")]
        });
        let [fact, belief, member] = match self {
            Wording::English => &*ENGLISH,
            Wording::Chinese => &*CHINESE,
        };
        let text = text.trim();
        if let Some(parts) = fact.captures(text) {
            return Some(Question { object: parts[1].to_string(), chain: Vec::new() });
        }
        let parts = belief.captures(text)?;
        let members = parts.get(1)?.as_str();
        let chain: Vec<String> = member.captures_iter(members).map(|agent| agent[1].to_string()).collect();
        let read: usize = member.find_iter(members).map(|found| found.len()).sum();
        (read == members.len()).then(|| Question { object: parts[2].to_string(), chain })
    }

    fn forms(self) -> &'static [Form] {
        match self {
            Wording::English => &ENGLISH,
            Wording::Chinese => &CHINESE,
        }
    }

    fn build(self, kind: Kind, parts: &Captures) -> Event {
        let part = |name: &str| parts.name(name).map_or_else(String::new, |found| found.as_str().to_string());
        let (agent, object, container, room) = (part("agent"), part("object"), part("container"), part("room"));
        let aside = |aside: fn(String) -> Aside| Event::Aside { agent: agent.clone(), aside: aside(part("thing")) };
        match kind {
            Kind::Enter => {
                let agents = self.names(&part("agents"));
                if room == self.waiting_room() { Event::Gather { agents } } else { Event::Enter { agents, room } }
            }
            Kind::Announce => Event::Announce { object, container },
            Kind::Move => Event::Move { agent, object, container },
            Kind::Stay => Event::Stay { agent, room },
            Kind::Exit => Event::Exit { agent, room },
            Kind::Peek => Event::Peek { agent, room },
            Kind::Public => Event::Claim { speaker: agent, listener: None, object, container },
            Kind::Private => Event::Claim { speaker: agent, listener: Some(part("listener")), object, container },
            Kind::Saw => aside(Aside::Saw),
            Kind::Lost => aside(Aside::Lost),
            Kind::Likes => aside(Aside::Likes),
            Kind::Dislikes => aside(Aside::Dislikes),
        }
    }

    fn waiting_room(self) -> &'static str {
        match self {
            Wording::English => "waiting_room",
            Wording::Chinese => "等候室",
        }
    }

    fn names(self, list: &str) -> Vec<String> {
        let (comma, and) = match self {
            Wording::English => (", ", " and "),
            Wording::Chinese => ("、", "和"),
        };
        list.split(comma).flat_map(|names| names.split(and)).map(str::to_string).collect()
    }
}

/// The meaning of a sentence form.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Enter,
    Announce,
    Move,
    Stay,
    Exit,
    Peek,
    Public,
    Private,
    Saw,
    Lost,
    Likes,
    Dislikes,
}

struct Form {
    kind: Kind,
    pattern: Regex,
}

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the patterns of this file are fixed")
}

fn forms(patterns: &[(Kind, &str)]) -> Vec<Form> {
    patterns.iter().map(|&(kind, pattern)| Form { kind, pattern: regex(pattern) }).collect()
}

static ENGLISH: LazyLock<Vec<Form>> = LazyLock::new(|| {
    forms(&[
        (Kind::Enter, r"^(?<agents>.+) entered the (?<room>\S+)\.$"),
        (Kind::Exit, r"^(?<agent>\S+) exited the (?<room>\S+)\.$"),
        (Kind::Peek, r"^(?<agent>\S+) looked into the (?<room>\S+), and nobody noticed\.$"),
        (Kind::Move, r"^(?<agent>\S+) moved the (?<object>\S+) to the (?<container>\S+)\.$"),
        (Kind::Stay, r"^(?<agent>\S+) made no movements and stayed in the (?<room>\S+) for 1 minute\.$"),
        (Kind::Stay, r"^(?<agent>\S+) stayed in the (?<room>\S+) and moved nothing\.$"),
        (Kind::Public, r"^(?<agent>\S+) publicly claimed that (?:the )?(?<object>\S+) is in the (?<container>\S+)\.$"),
        (
            Kind::Private,
            r"^(?<agent>\S+) privately told (?<listener>\S+) that the (?<object>\S+) is in the (?<container>\S+)\.$",
        ),
        (Kind::Announce, r"^The (?<object>\S+) is in the (?<container>\S+)\.$"),
        (Kind::Saw, r"^(?<agent>\S+) saw an? (?<thing>\S+)\.$"),
        (Kind::Lost, r"^(?<agent>\S+) lost (?:his|her|an?) (?<thing>\S+)\.$"),
        (Kind::Likes, r"^(?<agent>\S+) (?:likes|loves) the (?<thing>\S+)\.$"),
        (Kind::Dislikes, r"^(?<agent>\S+) (?:dislikes|hates) the (?<thing>\S+)\.$"),
    ])
});

/// Tried in order: a claim contains the words of an announcement, a dislike those of a like.
static CHINESE: LazyLock<Vec<Form>> = LazyLock::new(|| {
    forms(&[
        (Kind::Enter, r"^(?<agents>.+)走进了(?<room>.+)。$"),
        (Kind::Exit, r"^(?<agent>.+?)离开了(?<room>.+)。$"),
        (Kind::Peek, r"^(?<agent>.+?)往(?<room>.+)里看了一眼，没有人发觉。$"),
        (Kind::Move, r"^(?<agent>.+?)把(?<object>.+?)移到了(?<container>.+)里。$"),
        (Kind::Stay, r"^(?<agent>.+?)留在(?<room>.+)里，什么也没有动。$"),
        (Kind::Public, r"^(?<agent>.+?)公开声称：(?<object>.+?)在(?<container>.+)里。$"),
        (Kind::Private, r"^(?<agent>.+?)私下告诉(?<listener>.+?)：(?<object>.+?)在(?<container>.+)里。$"),
        (Kind::Announce, r"^(?<object>.+?)在(?<container>.+)里。$"),
        (Kind::Saw, r"^(?<agent>.+?)看见了一只(?<thing>.+)。$"),
        (Kind::Lost, r"^(?<agent>.+?)丢了(?<thing>.+)。$"),
        (Kind::Dislikes, r"^(?<agent>.+?)不喜欢(?<thing>.+)。$"),
        (Kind::Likes, r"^(?<agent>.+?)喜欢(?<thing>.+)。$"),
    ])
});

/// `names` as a list: `Ann, Ben and Cleo`.
fn list(names: &[String], comma: &str, and: &str) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{}{and}{last}", first.join(comma)),
    }
}

fn english(event: &Event) -> String {
    let waiting_room = Wording::English.waiting_room();
    match event {
        Event::Enter { agents, room } => format!("{} entered the {room}.", list(agents, ", ", " and ")),
        Event::Gather { agents } => format!("{} entered the {waiting_room}.", list(agents, ", ", " and ")),
        Event::Announce { object, container } => format!("The {object} is in the {container}."),
        Event::Move { agent, object, container } => format!("{agent} moved the {object} to the {container}."),
        Event::Stay { agent, room } => format!("{agent} stayed in the {room} and moved nothing."),
        Event::Exit { agent, room } => format!("{agent} exited the {room}."),
        Event::Peek { agent, room } => format!("{agent} looked into the {room}, and nobody noticed."),
        Event::Claim { speaker, listener: None, object, container } => {
            format!("{speaker} publicly claimed that the {object} is in the {container}.")
        }
        Event::Claim { speaker, listener: Some(listener), object, container } => {
            format!("{speaker} privately told {listener} that the {object} is in the {container}.")
        }
        Event::Aside { agent, aside: Aside::Saw(thing) } => format!("{agent} saw a {thing}."),
        Event::Aside { agent, aside: Aside::Lost(thing) } => format!("{agent} lost a {thing}."),
        Event::Aside { agent, aside: Aside::Likes(thing) } => format!("{agent} likes the {thing}."),
        Event::Aside { agent, aside: Aside::Dislikes(thing) } => format!("{agent} dislikes the {thing}."),
    }
}

fn chinese(event: &Event) -> String {
    let waiting_room = Wording::Chinese.waiting_room();
    match event {
        Event::Enter { agents, room } => format!("{}走进了{room}。", list(agents, "、", "和")),
        Event::Gather { agents } => format!("{}走进了{waiting_room}。", list(agents, "、", "和")),
        Event::Announce { object, container } => format!("{object}在{container}里。"),
        Event::Move { agent, object, container } => format!("{agent}把{object}移到了{container}里。"),
        Event::Stay { agent, room } => format!("{agent}留在{room}里，什么也没有动。"),
        Event::Exit { agent, room } => format!("{agent}离开了{room}。"),
        Event::Peek { agent, room } => format!("{agent}往{room}里看了一眼，没有人发觉。"),
        Event::Claim { speaker, listener: None, object, container } => {
            format!("{speaker}公开声称：{object}在{container}里。")
        }
        Event::Claim { speaker, listener: Some(listener), object, container } => {
            format!("{speaker}私下告诉{listener}：{object}在{container}里。")
        }
        Event::Aside { agent, aside: Aside::Saw(thing) } => format!("{agent}看见了一只{thing}。"),
        Event::Aside { agent, aside: Aside::Lost(thing) } => format!("{agent}丢了{thing}。"),
        Event::Aside { agent, aside: Aside::Likes(thing) } => format!("{agent}喜欢{thing}。"),
        Event::Aside { agent, aside: Aside::Dislikes(thing) } => format!("{agent}不喜欢{thing}。"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every kind of event, with each word of the lexicon in each of its places.
    fn events(lexicon: &Lexicon) -> Vec<Event> {
        let word = |list: &[&str], index: usize| list[index % list.len()].to_string();
        let most =
            [lexicon.agents, lexicon.rooms, lexicon.objects, lexicon.containers, lexicon.animals, lexicon.belongings];
        let rounds = most.iter().map(|list| list.len()).max().unwrap();
        (0..rounds)
            .flat_map(|round| {
                let (agent, listener) = (word(lexicon.agents, round), word(lexicon.agents, round + 1));
                let agents = (0..5).map(|next| word(lexicon.agents, round + next)).collect::<Vec<_>>();
                let (room, object) = (word(lexicon.rooms, round), word(lexicon.objects, round));
                let container = word(lexicon.containers, round);
                let aside = |aside| Event::Aside { agent: agent.clone(), aside };
                let claim = |listener| Event::Claim {
                    speaker: agent.clone(),
                    listener,
                    object: object.clone(),
                    container: container.clone(),
                };
                vec![
                    Event::Enter { agents: agents.clone(), room: room.clone() },
                    Event::Gather { agents: agents[..3].to_vec() },
                    Event::Announce { object: object.clone(), container: container.clone() },
                    Event::Move { agent: agent.clone(), object: object.clone(), container: container.clone() },
                    Event::Stay { agent: agent.clone(), room: room.clone() },
                    Event::Exit { agent: agent.clone(), room: room.clone() },
                    Event::Peek { agent: agent.clone(), room },
                    claim(None),
                    claim(Some(listener)),
                    aside(Aside::Saw(word(lexicon.animals, round))),
                    aside(Aside::Lost(word(lexicon.belongings, round))),
                    aside(Aside::Likes(container.clone())),
                    aside(Aside::Dislikes(object.clone())),
                ]
            })
            .collect()
    }

    #[test]
    fn every_sentence_reads_back_with_every_word() {
        for wording in [Wording::English, Wording::Chinese] {
            let story = Story { events: events(wording.lexicon()) };
            assert_eq!(wording.story(&wording.tell(&story)).unwrap(), story);
        }
    }

    #[test]
    fn names_are_found_where_they_stand() {
        let check = |wording: Wording, sentence: &str, expected: &[&str]| {
            let found = wording.names_in(sentence).unwrap();
            let names: Vec<&str> = found.into_iter().map(|range| &sentence[range]).collect();
            assert_eq!(names, expected, "{sentence}");
        };
        check(Wording::English, "Ann, Annie and Ben entered the hall.", &["Ann", "Annie", "Ben", "hall"]);
        check(Wording::English, "Ben moved the fig to the tin_box.", &["Ben", "fig", "tin_box"]);
        check(Wording::English, "Ben privately told Ann that the fig is in the bag.", &["Ben", "Ann", "fig", "bag"]);
        check(Wording::Chinese, "小明把无花果移到了红盒里。", &["小明", "无花果", "红盒"]);
        assert_eq!(Wording::English.names_in("Ann sneezed."), None);
        for wording in [Wording::English, Wording::Chinese] {
            for event in events(wording.lexicon()) {
                let sentence = wording.sentence(&event);
                assert!(!wording.names_in(&sentence).unwrap().is_empty(), "{sentence}");
            }
        }
    }

    #[test]
    fn every_question_reads_back_with_every_word() {
        for wording in [Wording::English, Wording::Chinese] {
            let lexicon = wording.lexicon();
            for (round, object) in lexicon.objects.iter().enumerate() {
                for order in 0..=4 {
                    let chain =
                        (0..order).map(|next| lexicon.agents[(round + next) % lexicon.agents.len()].to_string());
                    let question = Question { object: object.to_string(), chain: chain.collect() };
                    assert_eq!(wording.question(&wording.ask(&question)), Some(question));
                }
            }
        }
    }

    #[test]
    fn an_unknown_sentence_is_named_with_its_line() {
        let error = Wording::English.story("1 The fig is in the jug.\n2 Ann sneezed.").unwrap_err();
        assert_eq!((error.line, error.text.as_str()), (2, "2 Ann sneezed."));
        assert_eq!(Wording::English.question("Who is Ann?"), None);
        assert_eq!(Wording::English.question("Where does Ann think about the fig is?"), None);
    }
}
