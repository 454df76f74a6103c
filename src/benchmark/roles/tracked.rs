//! Roles in stories that the belief tracker reads.

use std::ops::Range;

use super::super::{Benchmark, tomi};
use super::{Item, Mention, NoRoles, Place, Role, Roles, Standing, standing};
use crate::benchmark::OptionIx;
use crate::language::Language;
use crate::story::{ClaimRule, Event, Line, NoVersion, Question, Rules, Story, Version, Wording};

/// A story with its question.
#[derive(Clone)]
pub struct Told {
    pub wording: Wording,
    pub story: Story,
    pub question: Question,
    /// The rules that yield the item's answer.
    pub rules: Rules,
    /// Where the chain believes the object to be; `None` for a question of fact.
    believed: Option<String>,
    actual: String,
    original: String,
    /// Whether the question asks where the object was at first.
    of_memory: bool,
}

/// The story of an item with its question, where its benchmark's stories are tracked.
pub(super) fn tracked(item: &Item) -> Result<Told, NoRoles> {
    match item.benchmark {
        Benchmark::HiToM => hi_tom(item),
        Benchmark::ToMi | Benchmark::XToMi => tomi(item),
        _ => Err(NoRoles::NotTracked(item.benchmark)),
    }
}

/// A question of Hi-ToM, with the claim rule that yields the item's answer; the published one is tried first, the other
/// only where the loader found the label to be that of its file's rules: some labels that no rule of their file gives are
/// by chance those of the other rule.
fn hi_tom(item: &Item) -> Result<Told, NoRoles> {
    let wording = Wording::from_language(item.language).ok_or(NoRoles::Language(item.language.name()))?;
    let story = wording.story(only_text(item)?)?;
    let question = wording.question(&item.question).ok_or(NoRoles::UnreadQuestion)?;
    let gold = item.gold.options().first().and_then(|&option| item.options.get(option));
    let [published, common] = [ClaimRule::Published, ClaimRule::CommonKnowledge]
        .map(|claims| story.answer(&question, Rules { claims, ..Rules::default() }));
    let is_other = item.facet("rules") != Some("differ") && published != common && common == gold.map(String::as_str);
    let (asked, claims) = match is_other {
        true => (common, ClaimRule::CommonKnowledge),
        false => (published, ClaimRule::Published),
    };
    let believed = asked.ok_or(NoRoles::UnreadQuestion)?.to_string();
    Told::new(wording, story, question, (believed, Rules { claims, ..Rules::default() }), false)
}

/// A question of ToMi, tracked by sight.
fn tomi(item: &Item) -> Result<Told, NoRoles> {
    if item.language != Language::En {
        return Err(NoRoles::Language(item.language.name()));
    }
    let dimension = item.facet("dimension");
    let read = tomi::read(only_text(item)?, &item.question, dimension != Some("belief"))?;
    let (story, question) = read.ok_or(NoRoles::UnreadQuestion)?;
    let believed = story.answer(&question, Rules::default()).ok_or(NoRoles::UnreadQuestion)?.to_string();
    Told::new(Wording::English, story, question, (believed, Rules::default()), dimension == Some("memory"))
}

/// The only text of an item's context, ignoring assumptions.
fn only_text(item: &Item) -> Result<&str, NoRoles> {
    match &item.context[..] {
        [story] => Ok(&story.text),
        _ => Err(NoRoles::NoStory),
    }
}

impl Told {
    /// `believed` is what the tracker answers under the rules.
    fn new(
        wording: Wording,
        story: Story,
        question: Question,
        (believed, rules): (String, Rules),
        of_memory: bool,
    ) -> Result<Told, NoRoles> {
        let fact = Question { object: question.object.clone(), chain: Vec::new() };
        let actual = story.answer(&fact, Rules::default()).ok_or(NoRoles::UnreadQuestion)?.to_string();
        let original = story.first_place(&question.object).ok_or(NoRoles::UnreadQuestion)?.to_string();
        let believed = (!question.chain.is_empty()).then_some(believed);
        Ok(Told { wording, question, rules, believed, actual, original, of_memory, story })
    }

    /// The container that the question asks for.
    pub fn asked(&self) -> &str {
        match &self.believed {
            _ if self.of_memory => &self.original,
            Some(believed) => believed,
            None => &self.actual,
        }
    }

    /// Whether the question asks for a belief about another place than where the object is.
    pub fn is_about_a_false_belief(&self) -> bool {
        self.believed.as_ref().is_some_and(|believed| *believed != self.actual)
    }

    /// The option that names where the object is.
    pub fn actual_option(&self, options: &[String]) -> Option<OptionIx> {
        options.iter().position(|option| *option == self.actual).map(OptionIx)
    }

    /// The options that the story names, in order of first mention.
    pub fn standings(&self, options: &[String]) -> Vec<(OptionIx, Standing)> {
        let lanes = self.story.lanes(&self.question, self.rules);
        let inner = lanes.get(1..self.question.order()).unwrap_or_default();
        let ends_in = |lane: &Vec<Option<&str>>, option: &str| lane.last().copied().flatten() == Some(option);
        let mut found: Vec<(OptionIx, Standing)> = Vec::new();
        for (number, name) in self.story.mentions(options).enumerate() {
            let Some(option) = options.iter().position(|option| option == name).map(OptionIx) else { continue };
            match found.iter_mut().find(|(known, _)| *known == option) {
                Some((_, known)) => (known.mentions, known.last_mention) = (known.mentions + 1, number),
                None => {
                    let is_of_inner_mind = inner.iter().any(|lane| ends_in(lane, name));
                    let is_actual = name == self.actual;
                    found.push((option, Standing { is_actual, is_of_inner_mind, mentions: 1, last_mention: number }));
                }
            }
        }
        found
    }

    /// Where a version of the story has a sentence of the original; `None` if it lacks it.
    pub fn place_in(&self, item: &Item, version: Version, number: usize) -> Result<Option<usize>, NoVersion> {
        let lines = self.story.version(&self.question, self.rules, version, &item.options)?;
        Ok(lines.iter().position(|line| *line == Line::Kept(number)))
    }

    /// The item with a version of its story, in the words of its lines. Where the belief is made true, the right option and
    /// the one that names where the object is change places, so that the place of the right one stays.
    pub fn version(&self, item: &Item, version: Version) -> Result<Item, NoVersion> {
        let lines = self.story.version(&self.question, self.rules, version, &item.options)?;
        let mut made = item.clone();
        let text = &item.context[0].text;
        let told: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let is_digit = |letter: char| letter.is_ascii_digit();
        let numbered = told.iter().all(|line| line.starts_with(is_digit));
        let line = |(index, line): (usize, &Line)| {
            let sentence = match line {
                Line::Kept(number) => told[*number].trim().trim_start_matches(is_digit).trim_start().to_string(),
                Line::Said(event) => self.wording.sentence(event),
            };
            if numbered { format!("{} {sentence}", index + 1) } else { sentence }
        };
        let lines = lines.iter().enumerate().map(line).collect::<Vec<_>>().join("\n");
        made.context[0].text = (lines + &text[text.trim_end().len()..]).into();
        if version == Version::TrueBelief {
            let (Some(gold), Some(actual)) = (item.gold.options().first().copied(), self.actual_option(&item.options))
            else {
                return Err(NoVersion::NotTrue);
            };
            made.options.swap(gold, actual.0);
        }
        Ok(made)
    }

    /// The role of each option, the same in all stories.
    pub fn option_roles(&self, options: &[String]) -> Vec<String> {
        let mut others = self.containers(options);
        others.retain(|name| *name != self.actual && *name != self.original);
        let role = |option: &String| match (*option == self.actual, *option == self.original) {
            (true, true) => "where it is and was at first".to_string(),
            (true, false) => "where it is".to_string(),
            (false, true) => "where it was at first".to_string(),
            (false, false) => match others.iter().position(|name| name == option) {
                Some(at) => format!("other container {}", at + 1),
                None => "not named".to_string(),
            },
        };
        options.iter().map(role).collect()
    }

    /// Roles with their mentions.
    pub fn roles(&self, item: &Item) -> Result<Roles, NoRoles> {
        let agents = self.story.agents().into_iter().map(str::to_string);
        let containers = self.containers(&item.options);
        let chain = &self.question.chain;
        let taken = [self.believed.as_ref(), Some(&self.actual), Some(&self.original)];
        let names = [
            (Role::Believed, self.believed.iter().cloned().collect()),
            (Role::Actual, vec![self.actual.clone()]),
            (Role::Original, vec![self.original.clone()]),
            (Role::Distractor, containers.into_iter().filter(|name| !taken.contains(&Some(name))).collect()),
            (Role::Agent, unique(chain.iter().cloned())),
            (Role::Bystander, agents.filter(|name| !chain.contains(name)).collect()),
            (Role::Object, vec![self.question.object.clone()]),
        ];
        let names: Vec<(Role, Vec<String>)> =
            names.into_iter().filter(|(_, names): &(Role, Vec<String>)| !names.is_empty()).collect();
        let plays = |name: &str| names.iter().any(|(_, names)| names.iter().any(|known| known == name));
        let mut mentions = Vec::new();
        let mut mention = |place, text: &str, bytes: Range<usize>| {
            if plays(&text[bytes.clone()]) {
                mentions.push(Mention { place, name: text[bytes.clone()].to_string(), bytes });
            }
        };
        let text = &item.context[0].text;
        let mut at = 0;
        for (number, line) in text.split_inclusive('\n').enumerate() {
            let unread = || NoRoles::UnreadLine { line: number + 1, text: line.trim_end().to_string() };
            for bytes in self.names_in_line(line).ok_or_else(unread)? {
                mention(Place::Context(0), text, at + bytes.start..at + bytes.end);
            }
            at += line.len();
        }
        let asked = names.iter().flat_map(|(_, names)| names).flat_map(|name| standing(&item.question, name));
        let mut asked: Vec<Range<usize>> = asked.collect();
        asked.sort_by_key(|range| (range.start, range.end));
        asked.dedup();
        asked.into_iter().for_each(|bytes| mention(Place::Question, &item.question, bytes));
        for (index, option) in item.options.iter().enumerate() {
            mention(Place::Option(OptionIx(index)), option, 0..option.len());
        }
        let belief = self.believed.as_ref().map(|believed| *believed == self.actual);
        Ok(Roles { mentions, names, belief, order: chain.len(), form: self.form() })
    }

    /// Names in a line, which may be numbered and, in ToMi, lack its full stop.
    fn names_in_line(&self, line: &str) -> Option<Vec<Range<usize>>> {
        let sentence = line.trim_end().trim_start_matches(|letter: char| letter.is_ascii_digit()).trim_start();
        if sentence.is_empty() {
            return Some(Vec::new());
        }
        let start = line.trim_end().len() - sentence.len();
        let found = self.wording.names_in(sentence);
        Some(found?.into_iter().map(|range| start + range.start..start + range.end).collect())
    }

    /// Containers that the story names: those of events, and options that it mentions.
    fn containers(&self, options: &[String]) -> Vec<String> {
        let held = self.story.events.iter().filter_map(|event| match event {
            Event::Announce { container, .. } | Event::Move { container, .. } | Event::Claim { container, .. } => {
                Some(container.clone())
            }
            _ => None,
        });
        unique(held.chain(self.story.mentions(options).map(str::to_string)))
    }

    /// The events by the roles of agents, independent of order and without remarks.
    fn form(&self) -> String {
        let moves = || {
            self.story.events.iter().enumerate().filter_map(|(at, event)| match event {
                Event::Move { agent, object, .. } if *object == self.question.object => Some((at, agent)),
                _ => None,
            })
        };
        let mover = moves().next_back();
        let home = mover.and_then(|(at, mover)| {
            self.story.events[..at].iter().rev().find_map(|event| match event {
                Event::Enter { agents, room } if agents.contains(mover) => Some(room.as_str()),
                _ => None,
            })
        });
        let part = |agent: &String| match self.question.chain.iter().position(|member| member == agent) {
            Some(place) => format!("asked {}", place + 1),
            None if mover.is_some_and(|(_, mover)| mover == agent) => "mover".to_string(),
            None => "other".to_string(),
        };
        let place = |room: &String| if home == Some(room.as_str()) { "home" } else { "elsewhere" };
        let object = |named: &String| if *named == self.question.object { "it" } else { "another" };
        let mut events: Vec<String> = Vec::new();
        for event in &self.story.events {
            match event {
                Event::Enter { agents, room } => {
                    events.extend(agents.iter().map(|agent| format!("{} enters {}", part(agent), place(room))));
                }
                Event::Announce { object: named, .. } => events.push(format!("{} is told", object(named))),
                Event::Move { agent, object: named, .. } => {
                    events.push(format!("{} moves {}", part(agent), object(named)));
                }
                Event::Exit { agent, room } => events.push(format!("{} leaves {}", part(agent), place(room))),
                Event::Claim { speaker, listener, object: named, .. } => {
                    let to = listener.as_ref().map_or("all".to_string(), part);
                    events.push(format!("{} claims {} to {to}", part(speaker), object(named)));
                }
                Event::Peek { agent, room } => events.push(format!("{} looks into {}", part(agent), place(room))),
                Event::Gather { .. } | Event::Stay { .. } | Event::Aside { .. } => {}
            }
        }
        events.sort();
        format!("order {}: {}", self.question.order(), events.join(", "))
    }
}

fn unique(names: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for name in names {
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}
