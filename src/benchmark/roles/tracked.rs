//! Roles in stories that the belief tracker reads.

use std::ops::Range;

use super::super::tomi::{Seen, seen};
use super::{Item, Mention, NoRoles, Place, Role, Roles, standing};
use crate::benchmark::OptionIx;
use crate::language::Language;
use crate::story::{ClaimRule, Event, Question, Rules, Story, UnreadLine, Wording};

/// A story with its question.
pub(super) struct Told {
    wording: Wording,
    story: Story,
    question: Question,
    /// Where the chain believes the object to be; `None` for a question of fact.
    believed: Option<String>,
    actual: String,
    original: String,
    /// Whether the question asks where the object was at first.
    of_memory: bool,
}

/// A question of Hi-ToM, with the claim rule that yields the item's answer; the published one is tried first.
pub(super) fn hi_tom(item: &Item) -> Result<Told, NoRoles> {
    let wording = Wording::from_language(item.language).ok_or(NoRoles::Language(item.language.name()))?;
    let unread = |unread: UnreadLine| NoRoles::UnreadLine { line: unread.line, text: unread.text };
    let story = wording.story(only_text(item)?).map_err(unread)?;
    let question = wording.question(&item.question).ok_or(NoRoles::UnreadQuestion)?;
    let gold = item.gold.options().first().and_then(|&option| item.options.get(option));
    let answer = |claims| story.answer(&question, Rules { claims, ..Rules::default() });
    let [published, common] = [ClaimRule::Published, ClaimRule::CommonKnowledge].map(answer);
    let asked = if common == gold.map(String::as_str) && published != common { common } else { published };
    let asked = asked.ok_or(NoRoles::UnreadQuestion)?.to_string();
    let fact = Question { object: question.object.clone(), chain: Vec::new() };
    let actual = story.answer(&fact, Rules::default()).ok_or(NoRoles::UnreadQuestion)?.to_string();
    let believed = (!question.chain.is_empty()).then_some(asked);
    let original = first_place(&story, &question.object).ok_or(NoRoles::UnreadQuestion)?;
    Ok(Told { wording, question, believed, actual, original, of_memory: false, story })
}

/// A question of ToMi, tracked by sight.
pub(super) fn tomi(item: &Item) -> Result<Told, NoRoles> {
    if item.language != Language::En {
        return Err(NoRoles::Language(item.language.name()));
    }
    let lines: Vec<&str> = only_text(item)?.lines().collect();
    let dimension = item.facet("dimension");
    let unread = lines.iter().position(|line| line.ends_with('.') && Wording::English.event(line).is_none());
    if let Some(line) = unread {
        return Err(NoRoles::UnreadLine { line: line + 1, text: lines[line].to_string() });
    }
    let seen = seen(&lines, &item.question, dimension != Some("belief"));
    let Seen { story, question, believed, actual } = seen.ok_or(NoRoles::UnreadQuestion)?;
    let original = first_place(&story, &question.object).ok_or(NoRoles::UnreadQuestion)?;
    let of_memory = dimension == Some("memory");
    Ok(Told { wording: Wording::English, question, believed, actual, original, of_memory, story })
}

/// The only text of an item's context, ignoring assumptions.
fn only_text(item: &Item) -> Result<&str, NoRoles> {
    match &item.context[..] {
        [story] => Ok(&story.text),
        _ => Err(NoRoles::NoStory),
    }
}

fn first_place(story: &Story, object: &str) -> Option<String> {
    story.events.iter().find_map(|event| match event {
        Event::Announce { object: named, container } if named == object => Some(container.clone()),
        _ => None,
    })
}

impl Told {
    /// The container that the question asks for.
    pub fn asked(&self) -> &str {
        match &self.believed {
            _ if self.of_memory => &self.original,
            Some(believed) => believed,
            None => &self.actual,
        }
    }

    /// Roles with their mentions.
    pub fn roles(&self, item: &Item) -> Result<Roles, NoRoles> {
        let agents = self.agents();
        let containers = self.containers(&item.options);
        let chain = &self.question.chain;
        let taken = [self.believed.as_ref(), Some(&self.actual), Some(&self.original)];
        let names = [
            (Role::Believed, self.believed.iter().cloned().collect()),
            (Role::Actual, vec![self.actual.clone()]),
            (Role::Original, vec![self.original.clone()]),
            (Role::Distractor, containers.into_iter().filter(|name| !taken.contains(&Some(name))).collect()),
            (Role::Agent, unique(chain.iter().cloned())),
            (Role::Bystander, agents.into_iter().filter(|name| !chain.contains(name)).collect()),
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
        let found = self.wording.names_in(sentence).or_else(|| self.wording.names_in(&format!("{sentence}.")));
        Some(found?.into_iter().map(|range| start + range.start..start + range.end).collect())
    }

    fn agents(&self) -> Vec<String> {
        unique(self.story.events.iter().flat_map(|event| match event {
            Event::Enter { agents, .. } | Event::Gather { agents } => agents.clone(),
            Event::Move { agent, .. }
            | Event::Stay { agent, .. }
            | Event::Exit { agent, .. }
            | Event::Aside { agent, .. } => vec![agent.clone()],
            Event::Claim { speaker, listener, .. } => std::iter::once(speaker).chain(listener).cloned().collect(),
            Event::Announce { .. } => Vec::new(),
        }))
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
