//! The belief tracker against the specified example and against a second implementation that shares no code with it:
//! sight by replaying only the lines that all members of a chain saw, claims by a table.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use tomeval::internal::{ClaimRule, Story, StoryQuestion, StoryRules, Wording};
use tomeval::internal::{HiToMSettings, make_hi_tom};
use tomeval::{Benchmark, Item, LoadOptions};

use crate::support::released::released;

/// What happens in the example of the belief rules.
const EXAMPLE: &str = "\
1 Ada, Bo, Cy, Di and Eve entered the loft.
2 The plum is in the red_box.
3 Ada moved the plum to the blue_bag.
4 Ada exited the loft.
5 Bo made no movements and stayed in the loft for 1 minute.
6 Bo exited the loft.
7 Cy moved the plum to the red_jar.
8 Cy exited the loft.
9 Di made no movements and stayed in the loft for 1 minute.
10 Di exited the loft.
11 Eve made no movements and stayed in the loft for 1 minute.
12 Eve exited the loft.
13 Ada, Bo, Cy, Di and Eve entered the waiting_room.
14 Di publicly claimed that plum is in the green_tin.";

fn check(claims: ClaimRule, expected: &[(&[&str], &str)]) {
    let story = Wording::English.story(EXAMPLE).unwrap();
    for (chain, container) in expected {
        let chain: Vec<String> = chain.iter().map(|name| name.to_string()).collect();
        let question = StoryQuestion { object: "plum".to_string(), chain: chain.clone() };
        let rules = StoryRules { claims, ..StoryRules::default() };
        assert_eq!(story.answer(&question, rules), Some(*container), "{chain:?}");
        assert_eq!(Replay::of(EXAMPLE).answer("plum", &chain, claims), *container, "{chain:?}, replayed");
    }
}

#[test]
fn the_specified_example_has_the_specified_answers() {
    let common_to_both: [(&[&str], &str); 8] = [
        (&[], "red_jar"),
        (&["Ada"], "green_tin"),
        (&["Eve"], "red_jar"),
        (&["Di"], "red_jar"),
        (&["Di", "Eve"], "green_tin"),
        (&["Eve", "Di"], "red_jar"),
        (&["Ada", "Di"], "green_tin"),
        (&["Eve", "Cy", "Eve"], "red_jar"),
    ];
    check(ClaimRule::Published, &common_to_both);
    check(ClaimRule::CommonKnowledge, &common_to_both[..7]);
    check(ClaimRule::Published, &[(&["Bo", "Ada"], "blue_bag"), (&["Eve", "Cy", "Bo"], "blue_bag")]);
    check(ClaimRule::CommonKnowledge, &[(&["Bo", "Ada"], "green_tin")]);
}

#[test]
fn the_tracker_equals_the_replay_on_two_thousand_generated_stories() {
    let (mut stories, mut answers, mut differing) = (0, 0, 0);
    for chapters in 1..=3 {
        for deception in [false, true] {
            let settings = |claims| HiToMSettings {
                chapters,
                size: Default::default(),
                deception,
                stories: 334,
                seed: 20_260,
                answers: 15,
                wording: Wording::English,
                claims,
            };
            let published = make_hi_tom(&settings(ClaimRule::Published)).unwrap();
            for made in &published {
                let text = Wording::English.tell(&made.story);
                let replay = Replay::of(&text);
                for asked in &made.questions {
                    let StoryQuestion { object, chain } = &asked.question;
                    assert_eq!(
                        asked.choices[asked.answer],
                        replay.answer(object, chain, ClaimRule::Published),
                        "{text}"
                    );
                    let common = StoryRules { claims: ClaimRule::CommonKnowledge, ..StoryRules::default() };
                    let tracked = made.story.answer(&asked.question, common).unwrap();
                    assert_eq!(tracked, replay.answer(object, chain, ClaimRule::CommonKnowledge), "{chain:?}\n{text}");
                    differing += usize::from(tracked != asked.choices[asked.answer]);
                    answers += 1;
                }
                stories += 1;
            }
        }
    }
    assert_eq!((stories, answers), (2004, 10_020));
    assert!(differing > 500, "the two claim rules must differ often enough to be told apart: {differing}");
}

/// The lanes of the tracker and of the replay for a question; the last line gives the answer.
fn check_lanes<'s>(story: &'s Story, text: &str, question: &StoryQuestion) -> &'s str {
    let (lanes, replay) = (story.lanes(question, StoryRules::default()), Replay::of(text));
    assert_eq!(lanes.len(), question.chain.len() + 1);
    for (order, lane) in lanes.iter().enumerate() {
        let chain = &question.chain[question.chain.len() - order..];
        assert_eq!(*lane, replay.lane(&question.object, chain, ClaimRule::Published), "{chain:?}\n{text}");
    }
    lanes.last().unwrap().last().unwrap().unwrap()
}

fn gold(item: &Item) -> &str {
    &item.options[item.gold.options()[0]]
}

#[test]
fn the_lanes_of_all_released_hi_tom_questions_equal_the_replay_and_138_pairs_have_two_answers() {
    let Some(folder) = released("hi-tom") else { return };
    let items = Benchmark::HiToM.load(&folder, &LoadOptions::default()).unwrap().items;
    let mut differ: BTreeMap<&str, usize> = BTreeMap::new();
    let mut golds: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for item in &items {
        let story = Wording::English.story(&item.context[0].text).unwrap();
        let question = Wording::English.question(&item.question).unwrap();
        let tracked = check_lanes(&story, &item.context[0].text, &question);
        *differ.entry(item.facet("prompting").unwrap()).or_default() += usize::from(tracked != gold(item));
        golds.entry(&item.parallel).or_default().insert(gold(item));
    }
    assert_eq!((items.len(), golds.values().filter(|found| found.len() == 2).count()), (1200, 138));
    assert_eq!(differ, BTreeMap::from([("CoTP", 17), ("VP", 130)]));
}

#[test]
fn the_lanes_of_all_released_tomi_questions_equal_the_replay_and_464_answers_are_not_those_of_sight() {
    let Some(folder) = released("tomi") else { return };
    let items = Benchmark::ToMi.load(&folder, &LoadOptions::default()).unwrap().items;
    let (mut differ, mut without_place) = (0, 0);
    for item in items.iter().filter(|item| item.facet("dimension") != Some("memory")) {
        let text = &item.context[0].text;
        let story = Wording::English.story(text).unwrap();
        let object = story.first_object().unwrap().to_string();
        let agents = story.agents();
        let words = item.question.split([' ', '?']).filter(|word| agents.contains(word));
        let question = StoryQuestion { object, chain: words.map(str::to_string).collect() };
        differ += usize::from(check_lanes(&story, text, &question) != gold(item));
        let before = story.lane(&question, StoryRules::default());
        without_place += usize::from(before[0].is_none());
    }
    assert_eq!((items.len(), differ), (5994, 464));
    assert_eq!(without_place, 4995, "nobody knows a place before the first line about the object");
}

/// A story as a film: who stood where at each line, where everything really was before it, and how each chapter was left.
struct Replay<'t> {
    shots: Vec<Shot<'t>>,
}

struct Shot<'t> {
    words: Vec<&'t str>,
    /// The room of each agent.
    at: HashMap<&'t str, &'t str>,
    /// Container of each object before this line.
    before: HashMap<&'t str, &'t str>,
    /// The names of the chapter in their order of leaving.
    leaving: Vec<&'t str>,
}

impl<'t> Replay<'t> {
    fn of(text: &'t str) -> Self {
        let mut shots = Vec::new();
        let mut at: HashMap<&str, &str> = HashMap::new();
        let (mut before, mut leaving): (HashMap<&str, &str>, Vec<&str>) = Default::default();
        for line in text.lines() {
            let numbers = |word: &str| word.chars().all(|letter| letter.is_ascii_digit());
            let words = line.split([' ', '.', ',']).filter(|word| !word.is_empty());
            let words: Vec<&str> = words.skip_while(|word| numbers(word)).collect();
            if let Some(verb) = words.iter().position(|word| *word == "entered") {
                let group: Vec<&str> = words[..verb].iter().filter(|word| **word != "and").copied().collect();
                match words[verb + 2] {
                    "waiting_room" => at.clear(),
                    room => {
                        at.extend(group.iter().map(|name| (*name, room)));
                        leaving = group;
                    }
                }
            }
            shots.push(Shot { words: words.clone(), at: at.clone(), before: before.clone(), leaving: leaving.clone() });
            match words[..] {
                ["The", object, "is", "in", "the", container] | [_, "moved", "the", object, "to", "the", container] => {
                    before.insert(object, container);
                }
                [name, "exited", ..] => {
                    at.remove(name);
                }
                _ => {}
            }
        }
        Replay { shots }
    }

    /// The room in which somebody moves the object, else the first that anybody enters.
    fn home(&self, object: &str) -> &'t str {
        let moved = self.shots.iter().find_map(|shot| match shot.words[..] {
            [mover, "moved", "the", named, ..] if named == object => Some(shot.at[mover]),
            _ => None,
        });
        let told = || {
            let at = self.shots.iter().position(|shot| shot.words.starts_with(&["The", object, "is", "in"])).unwrap();
            let entered = |shot: &Shot<'t>| shot.words.contains(&"entered").then(|| *shot.words.last().unwrap());
            self.shots[..at].iter().rev().find_map(entered).unwrap()
        };
        moved.unwrap_or_else(told)
    }

    /// The last piece of evidence that counts for the chain, after each line.
    fn lane(&self, object: &str, chain: &[String], claims: ClaimRule) -> Vec<Option<&'t str>> {
        let home = self.home(object);
        let there = |shot: &Shot<'_>| chain.iter().all(|member| shot.at.get(member.as_str()) == Some(&home));
        let evidence = |shot: &Shot<'t>| -> Option<&'t str> {
            let sight = (chain.is_empty() || there(shot)).then(|| match shot.words[..] {
                ["The", named, "is", "in", "the", container] if named == object => Some(container),
                [_, "moved", "the", named, "to", "the", container] if named == object => Some(container),
                [.., "entered", "the", room] if room == home => shot.before.get(object).copied(),
                _ => None,
            });
            let rendered = match shot.words[..] {
                [speaker, "publicly", "claimed", "that", ref rest @ ..] => Some((speaker, None, rest.to_vec())),
                [speaker, "privately", "told", listener, "that", ref rest @ ..] => {
                    Some((speaker, Some(listener), rest.to_vec()))
                }
                _ => None,
            };
            let rendered = rendered.and_then(|(speaker, listener, rest)| {
                let rest: Vec<&str> = rest.into_iter().filter(|word| *word != "the").collect();
                let counts = rest[0] == object && !chain.is_empty() && {
                    let claim = Claim { speaker, listener, leaving: &shot.leaving };
                    let members: Vec<&str> = chain.iter().map(String::as_str).collect();
                    match claims {
                        ClaimRule::Published => claim.by_table(&members),
                        ClaimRule::CommonKnowledge => claim.by_perspective(&members),
                    }
                };
                counts.then(|| rest[3])
            });
            sight.flatten().or(rendered)
        };
        (1..=self.shots.len()).map(|lines| self.shots[..lines].iter().rev().find_map(evidence)).collect()
    }

    fn answer(&self, object: &str, chain: &[String], claims: ClaimRule) -> &'t str {
        self.lane(object, chain, claims).pop().flatten().unwrap()
    }
}

struct Claim<'c> {
    speaker: &'c str,
    listener: Option<&'c str>,
    leaving: &'c [&'c str],
}

impl Claim<'_> {
    fn heard_by(&self, agent: &str) -> bool {
        match self.listener {
            None => agent != self.speaker,
            Some(listener) => agent == listener,
        }
    }

    fn accepted_by(&self, agent: &str) -> bool {
        let last = |name: &str| self.leaving.iter().rposition(|left| *left == name);
        self.heard_by(agent) && last(agent).is_none_or(|left| last(self.speaker).is_some_and(|speaker| speaker > left))
    }

    /// Row by row: (L), (S, L), (L, S), all else never.
    fn by_table(&self, chain: &[&str]) -> bool {
        let table: [(usize, bool); 3] = [
            (1, chain[0] != self.speaker && self.accepted_by(chain[0])),
            (2, chain[0] == self.speaker && chain.len() == 2 && self.heard_by(chain[1])),
            (2, chain.last() == Some(&self.speaker) && chain[0] != self.speaker && self.accepted_by(chain[0])),
        ];
        table.iter().any(|(length, counts)| *length == chain.len() && *counts)
    }

    /// From outside inwards: the speaker thinks everybody who hears believes him; a believer thinks the speaker means
    /// it; a hearer knows what the other hearers make of it.
    fn by_perspective(&self, chain: &[&str]) -> bool {
        match chain {
            [only] => self.accepted_by(only),
            [outer, inner @ ..] if *outer == self.speaker => inner.iter().all(|agent| self.heard_by(agent)),
            [outer, inner] if *inner == self.speaker => self.accepted_by(outer),
            [outer, inner @ ..] => self.heard_by(outer) && self.by_perspective(inner),
            [] => false,
        }
    }
}
