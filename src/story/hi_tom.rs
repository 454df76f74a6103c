//! Generator of fresh Hi-ToM stories (He et al. 2023, Algorithms 1 and 2) with answers from the belief tracker.
//!
//! As in the released stories, the first chapter has five agents, the second three of them, the third four; deceptive
//! stories have two claims after one chapter, or after each of two chapters in stories of three; the questions ask
//! about the object of the first chapter and share one random order of four agents.
//!
//! Deliberate deviations: at least one chapter with claims is about the object asked for (in the released two-chapter
//! stories 15 of 20 are not); a claim always names a container other than the one its speaker believes (60 of the 160
//! released claims name the true one); rooms do not share containers; answers are balanced over the positions.

use std::fmt;

use rand::Rng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand_chacha::ChaCha8Rng;

use super::{Aside, ClaimRule, Event, Lexicon, Question, Rules, Story, Wording};
use crate::name::option_letter;
use crate::seed::seeded;

/// Most chapters: as many rooms have containers of their own.
const MOST_CHAPTERS: usize = 7;
/// Rooms and objects drawn for stories of the released lengths.
const RELEASED_CHAPTERS: usize = 3;
/// Containers in a room.
const ROOM_CONTAINERS: usize = 5;
/// Claims after a chapter with claims.
const CLAIMS: usize = 2;
/// Maximum number of distractors in a chapter.
const MAX_ASIDES: usize = 2;
/// Chance that an agent moves the object.
const MOVE: f64 = 0.5;
/// Chance that a later chapter returns to an earlier room.
const COME_BACK: f64 = 0.5;
/// Chance that a chapter in a known room is about an object already known there.
const SAME_OBJECT: f64 = 0.6;
/// Labels range from A to Z.
const MAX_ANSWERS: usize = 26;

/// Generator settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Chapters of each story, 1 to 7; the released ones have 1 to 3.
    pub chapters: usize,
    /// Agents and orders.
    pub size: Size,
    /// Whether the stories contain claims.
    pub deception: bool,
    /// Number of stories.
    pub stories: usize,
    /// Seed of all draws. Apart from the offered answers, story number k depends only on it, `chapters` and
    /// `deception`.
    pub seed: u64,
    /// Number of answers that each question offers, 2 to 26.
    pub answers: usize,
    /// The language. The same settings produce the same stories in each.
    pub wording: Wording,
    /// Chains for which claims count.
    pub claims: ClaimRule,
}

/// Agents of a story, and orders of its questions. The default is that of the released stories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Agents, 2 to 40. All take part in the first chapter; three fifths of them in the second, fourth and so on, and four
    /// fifths in the others, rounded up.
    pub agents: usize,
    /// The highest order of a question, at most the number of agents: no agent occurs twice in a chain.
    pub orders: usize,
}

impl Default for Size {
    fn default() -> Self {
        Size { agents: 5, orders: 4 }
    }
}

impl Size {
    /// Number of agents in a chapter, counted from 0.
    fn group(self, chapter: usize) -> usize {
        match chapter {
            0 => self.agents,
            _ if chapter % 2 == 1 => (3 * self.agents).div_ceil(5),
            _ => (4 * self.agents).div_ceil(5),
        }
    }
}

/// Settings from which no story can be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// A number of chapters outside 1 to 7.
    #[error("a story has 1 to {MOST_CHAPTERS} chapters, not {given}")]
    Chapters {
        /// The number as given.
        given: usize,
    },
    /// A number of agents outside 2 to the names there are.
    #[error("a story has 2 to {most} agents, not {given}")]
    Agents {
        /// The number as given.
        given: usize,
        /// Names that there are.
        most: usize,
    },
    /// An order above the number of agents.
    #[error("a question of order {given} needs {given} agents, but the story has {agents}; raise --agents")]
    Orders {
        /// The order as given.
        given: usize,
        /// Agents of the story.
        agents: usize,
    },
    /// A number of answers outside 2 to 26.
    #[error("a question offers 2 to {MAX_ANSWERS} answers, not {given}")]
    Answers {
        /// The number as given.
        given: usize,
    },
}

/// A generated story with its questions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeStory {
    /// The events.
    pub story: Story,
    /// Its language.
    pub wording: Wording,
    /// Its number of chapters.
    pub chapters: usize,
    /// Whether it contains claims.
    pub deception: bool,
    /// The seed it was drawn with.
    pub seed: u64,
    /// Chains for which claims count in its answers.
    pub claims: ClaimRule,
    /// The questions, one of each order from 0.
    pub questions: Vec<MadeQuestion>,
}

/// A generated question with its offered answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeQuestion {
    pub question: Question,
    /// The offered containers, in order.
    pub choices: Vec<String>,
    /// Index of the right choice.
    pub answer: usize,
}

impl MadeQuestion {
    /// The choices on one line, each with its letter: `A. one, B. other`.
    pub fn labelled_choices(&self) -> String {
        let labelled = self.choices.iter().enumerate().map(|(at, choice)| format!("{}. {choice}", option_letter(at)));
        labelled.collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for MadeStory {
    /// The story once, then each question with its labelled choices and its answer.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.wording.tell(&self.story))?;
        for asked in &self.questions {
            let question = self.wording.ask(&asked.question);
            write!(f, "\n{question}\n{}\n= {}\n", asked.labelled_choices(), asked.choices[asked.answer])?;
        }
        writeln!(f)
    }
}

/// Generate stories. The right answers of each question order are balanced over the offered positions: over the stories
/// of one call, the counts of any two positions differ by at most one.
pub fn generate(settings: &Settings) -> Result<Vec<MadeStory>, SettingsError> {
    if !(1..=MOST_CHAPTERS).contains(&settings.chapters) {
        return Err(SettingsError::Chapters { given: settings.chapters });
    }
    let (Size { agents, orders }, most) = (settings.size, settings.wording.lexicon().agents.len());
    if !(2..=most).contains(&agents) {
        return Err(SettingsError::Agents { given: agents, most });
    }
    if orders > agents {
        return Err(SettingsError::Orders { given: orders, agents });
    }
    if !(2..=MAX_ANSWERS).contains(&settings.answers) {
        return Err(SettingsError::Answers { given: settings.answers });
    }
    Ok((0..settings.stories).map(|number| make(settings, number)).collect())
}

pub(super) fn make(settings: &Settings, number: usize) -> MadeStory {
    let mut rng = seeded(settings.seed, &key(settings, "story"), number);
    let rules = Rules { claims: settings.claims, ..Rules::default() };
    let lexicon = settings.wording.lexicon();
    let mut teller = Teller::new(lexicon, rules, settings.size, settings.chapters, &mut rng);
    teller.tell(settings.chapters, settings.deception);
    let Teller { story, cast, objects, .. } = teller;

    let object = &objects[0].name;
    let chain = draw(&cast, settings.size.orders, &mut rng);
    let questions: Vec<Question> = (0..=settings.size.orders)
        .map(|order| Question { object: object.clone(), chain: chain[chain.len() - order..].to_vec() })
        .collect();
    let golds: Vec<String> = questions
        .iter()
        .map(|question| story.answer(question, rules).expect("all agents see the first announcement").to_string())
        .collect();
    let candidates = candidates(&story, &golds, lexicon, &mut rng);
    let questions = questions.into_iter().zip(golds).enumerate().map(|(order, (question, gold))| {
        let answer = position(settings, number, order);
        let mut choices: Vec<String> = candidates.iter().filter(|name| **name != gold).cloned().collect();
        choices.truncate(settings.answers - 1);
        choices.shuffle(&mut rng);
        choices.insert(answer, gold);
        MadeQuestion { question, choices, answer }
    });
    let questions = questions.collect();
    let Settings { wording, chapters, deception, seed, claims, .. } = *settings;
    MadeStory { story, wording, chapters, deception, seed, claims, questions }
}

/// All containers in the order in which they are offered: the right answers of the story's questions first, then other
/// containers in the story, then the rest; each part shuffled.
fn candidates(story: &Story, golds: &[String], lexicon: &Lexicon, rng: &mut ChaCha8Rng) -> Vec<String> {
    let mut all = draw(lexicon.containers, lexicon.containers.len(), rng);
    let named: Vec<String> = story.mentions(&all).map(str::to_string).collect();
    all.sort_by_key(|name| (!golds.contains(name), !named.contains(name)));
    all
}

/// Position of a question's right answer. Each block of as many stories as there are answers uses a shuffled deck of
/// all positions, and each question order starts at a different card.
fn position(settings: &Settings, number: usize, order: usize) -> usize {
    let answers = settings.answers;
    let mut deck: Vec<usize> = (0..answers).collect();
    deck.shuffle(&mut seeded(settings.seed, &key(settings, "positions"), number / answers));
    deck[(number + order * answers / (settings.size.orders + 1)) % answers]
}

fn key(settings: &Settings, purpose: &str) -> String {
    format!("hi-tom/{purpose}/{}/{}", settings.chapters, settings.deception)
}

/// Draws `count` words without repetition, in random order.
pub(super) fn draw<W: ToString>(words: &[W], count: usize, rng: &mut ChaCha8Rng) -> Vec<String> {
    let mut words: Vec<String> = words.iter().map(W::to_string).collect();
    words.shuffle(rng);
    words.truncate(count);
    words
}

/// A room and the containers in it.
struct Room {
    name: String,
    containers: Vec<String>,
}

/// An object: its room (index) and its container there.
struct Object {
    name: String,
    room: usize,
    container: String,
}

/// Tells one story, chapter by chapter.
struct Teller<'a> {
    rng: &'a mut ChaCha8Rng,
    lexicon: &'a Lexicon,
    rules: Rules,
    size: Size,
    /// All agents of the story.
    cast: Vec<String>,
    /// Names not used yet.
    fresh_rooms: Vec<String>,
    fresh_objects: Vec<String>,
    fresh_containers: Vec<String>,
    rooms: Vec<Room>,
    /// The first is the one asked about.
    objects: Vec<Object>,
    story: Story,
}

impl<'a> Teller<'a> {
    fn new(lexicon: &'a Lexicon, rules: Rules, size: Size, chapters: usize, rng: &'a mut ChaCha8Rng) -> Self {
        // Names are taken from the end of the drawn ones, whose number must stay that of released lengths.
        let chapters = chapters.max(RELEASED_CHAPTERS);
        Teller {
            lexicon,
            rules,
            size,
            cast: draw(lexicon.agents, size.agents, rng),
            fresh_rooms: draw(lexicon.rooms, chapters, rng),
            fresh_objects: draw(lexicon.objects, chapters, rng),
            fresh_containers: draw(lexicon.containers, chapters * ROOM_CONTAINERS, rng),
            rooms: Vec::new(),
            objects: Vec::new(),
            story: Story::default(),
            rng,
        }
    }

    fn tell(&mut self, chapters: usize, deception: bool) {
        let scenes: Vec<usize> = (0..chapters).map(|_| self.object_of_next_chapter()).collect();
        let claims = if deception { self.chapters_with_claims(&scenes) } else { Vec::new() };
        for (chapter, &object) in scenes.iter().enumerate() {
            let group = draw(&self.cast, self.size.group(chapter), self.rng);
            let start = self.story.events.len();
            self.act(object, &group);
            if claims.contains(&chapter) {
                self.claim(object, &group);
            }
            self.distract(start);
        }
    }

    /// Choose room and object of a chapter, known ones or new ones, and return the object.
    fn object_of_next_chapter(&mut self) -> usize {
        let room = if !self.rooms.is_empty() && self.rng.random_bool(COME_BACK) {
            self.rng.random_range(0..self.rooms.len())
        } else {
            let name = self.fresh_rooms.pop().expect("as many rooms as chapters are drawn");
            let rest = self.fresh_containers.len() - ROOM_CONTAINERS;
            self.rooms.push(Room { name, containers: self.fresh_containers.split_off(rest) });
            self.rooms.len() - 1
        };
        let known: Vec<usize> = (0..self.objects.len()).filter(|&object| self.objects[object].room == room).collect();
        match known.choose(self.rng) {
            Some(&object) if self.rng.random_bool(SAME_OBJECT) => object,
            _ => {
                let name = self.fresh_objects.pop().expect("as many objects as chapters are drawn");
                let container = self.other_container(room, "");
                self.objects.push(Object { name, room, container });
                self.objects.len() - 1
            }
        }
    }

    /// The chapters followed by claims: one, or two of three and more; the first drawn is about the object asked for.
    fn chapters_with_claims(&mut self, scenes: &[usize]) -> Vec<usize> {
        let asked: Vec<usize> = (0..scenes.len()).filter(|&chapter| scenes[chapter] == 0).collect();
        let first = *asked.choose(self.rng).expect("the first chapter is about the object asked for");
        let others: Vec<usize> = (0..scenes.len()).filter(|&chapter| chapter != first).collect();
        let second = others.choose(self.rng).filter(|_| scenes.len() >= RELEASED_CHAPTERS);
        [Some(&first), second].into_iter().flatten().copied().collect()
    }

    /// Algorithm 1: the group enters, and each member in turn may move the object and leaves.
    fn act(&mut self, object: usize, group: &[String]) {
        let room = self.objects[object].room;
        let room_name = self.rooms[room].name.clone();
        let name = self.objects[object].name.clone();
        self.story.events.push(Event::Enter { agents: group.to_vec(), room: room_name.clone() });
        let container = self.objects[object].container.clone();
        self.story.events.push(Event::Announce { object: name.clone(), container });
        for agent in group {
            if self.rng.random_bool(MOVE) {
                let container = self.other_container(room, &self.objects[object].container.clone());
                self.objects[object].container = container.clone();
                self.story.events.push(Event::Move { agent: agent.clone(), object: name.clone(), container });
            } else {
                self.story.events.push(Event::Stay { agent: agent.clone(), room: room_name.clone() });
            }
            self.story.events.push(Event::Exit { agent: agent.clone(), room: room_name.clone() });
        }
        self.story.events.push(Event::Gather { agents: group.to_vec() });
    }

    /// Two claims, each public or private, by members of the group; a private one may be made to anybody.
    fn claim(&mut self, object: usize, group: &[String]) {
        for _ in 0..CLAIMS {
            let speaker = group.choose(self.rng).expect("every chapter has a group").clone();
            let others: Vec<String> = self.cast.iter().filter(|agent| **agent != speaker).cloned().collect();
            let listener = others.choose(self.rng).filter(|_| self.rng.random_bool(0.5)).cloned();
            let object_name = self.objects[object].name.clone();
            let belief = Question { object: object_name.clone(), chain: vec![speaker.clone()] };
            let believed = self.story.answer(&belief, self.rules).unwrap_or_default().to_string();
            let container = self.other_container(self.objects[object].room, &believed);
            self.story.events.push(Event::Claim { speaker, listener, object: object_name, container });
        }
    }

    /// Insert distractors anywhere between or after the events from `start` on.
    fn distract(&mut self, start: usize) {
        for _ in 0..self.rng.random_range(0..=MAX_ASIDES) {
            let pick = |words: &[&str], rng: &mut ChaCha8Rng| draw(words, 1, rng).remove(0);
            let agent = draw(&self.cast, 1, self.rng).remove(0);
            let aside = match self.rng.random_range(0..4) {
                0 => Aside::Saw(pick(self.lexicon.animals, self.rng)),
                1 => Aside::Lost(pick(self.lexicon.belongings, self.rng)),
                2 => Aside::Likes(pick(self.lexicon.containers, self.rng)),
                _ => Aside::Dislikes(pick(self.lexicon.objects, self.rng)),
            };
            let place = self.rng.random_range(start..=self.story.events.len());
            self.story.events.insert(place, Event::Aside { agent, aside });
        }
    }

    /// A container of the room other than the one given.
    fn other_container(&mut self, room: usize, but: &str) -> String {
        let others: Vec<&String> = self.rooms[room].containers.iter().filter(|name| *name != but).collect();
        (*others.choose(self.rng).expect("a room has several containers")).clone()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn settings() -> impl Strategy<Value = Settings> {
        let wordings = prop_oneof![Just(Wording::English), Just(Wording::Chinese)];
        let rules = prop_oneof![Just(ClaimRule::Published), Just(ClaimRule::CommonKnowledge)];
        (1usize..=3, any::<bool>(), 1usize..12, any::<u64>(), 2usize..=26, wordings, rules).prop_map(
            |(chapters, deception, stories, seed, answers, wording, claims)| Settings {
                chapters,
                size: Size::default(),
                deception,
                stories,
                seed,
                answers,
                wording,
                claims,
            },
        )
    }

    proptest! {
        #[test]
        fn the_right_answer_is_always_offered_once_among_distinct_choices(settings in settings()) {
            for made in generate(&settings).unwrap() {
                prop_assert_eq!(made.questions.len(), 5);
                for MadeQuestion { question, choices, answer } in &made.questions {
                    let rules = Rules { claims: settings.claims, ..Rules::default() };
                    prop_assert_eq!(made.story.answer(question, rules), Some(choices[*answer].as_str()));
                    prop_assert_eq!(choices.len(), settings.answers);
                    for choice in choices {
                        prop_assert_eq!(choices.iter().filter(|other| *other == choice).count(), 1);
                    }
                }
            }
        }

        #[test]
        fn stories_have_five_agents_and_the_chapters_and_claims_asked_for(settings in settings()) {
            for made in generate(&settings).unwrap() {
                let groups: Vec<&Vec<String>> = made.story.events.iter().filter_map(|event| match event {
                    Event::Enter { agents, .. } => Some(agents),
                    _ => None,
                }).collect();
                let sizes: Vec<usize> = groups.iter().map(|group| group.len()).collect();
                prop_assert_eq!(&sizes[..], &[5, 3, 4][..settings.chapters]);
                prop_assert!(groups.iter().all(|group| group.iter().all(|agent| groups[0].contains(agent))));
                let claims = made.story.claims().count();
                prop_assert_eq!(claims, if !settings.deception { 0 } else if settings.chapters == 3 { 4 } else { 2 });
                let asked = made.story.first_object().unwrap();
                prop_assert!(!settings.deception || made.story.claims().any(|(object, _)| object == asked));
            }
        }

        #[test]
        fn chains_grow_by_one_agent_in_front(settings in settings()) {
            for made in generate(&settings).unwrap() {
                for (order, pair) in made.questions.windows(2).enumerate() {
                    prop_assert_eq!(pair[0].question.order(), order);
                    prop_assert_eq!(&pair[1].question.chain[1..], &pair[0].question.chain[..]);
                    prop_assert!(!pair[0].question.chain.contains(&pair[1].question.chain[0]));
                }
            }
        }

        #[test]
        fn larger_stories_have_their_agents_rooms_and_orders(
            settings in settings(), chapters in 1usize..=7, agents in 2usize..=12, spare in 0usize..4
        ) {
            let orders = agents.saturating_sub(spare);
            let settings = Settings { chapters, size: Size { agents, orders }, stories: 3, ..settings };
            for made in generate(&settings).unwrap() {
                prop_assert_eq!(made.questions.len(), orders + 1);
                prop_assert_eq!(made.story.agents().len(), agents);
                let entered = made.story.events.iter().filter(|event| matches!(event, Event::Enter { .. }));
                prop_assert_eq!(entered.count(), chapters);
                prop_assert_eq!(made.wording.story(&made.wording.tell(&made.story)).unwrap(), made.story.clone());
                for MadeQuestion { question, choices, answer } in &made.questions {
                    let rules = Rules { claims: settings.claims, ..Rules::default() };
                    prop_assert_eq!(made.story.answer(question, rules), Some(choices[*answer].as_str()));
                    let asked = made.wording.question(&made.wording.ask(question));
                    prop_assert_eq!(asked.as_ref(), Some(question));
                }
            }
        }

        #[test]
        fn the_told_story_reads_back(settings in settings()) {
            for made in generate(&settings).unwrap() {
                prop_assert_eq!(made.wording.story(&made.wording.tell(&made.story)).unwrap(), made.story);
            }
        }

        #[test]
        fn right_answers_of_an_order_fill_the_positions_evenly(settings in settings(), stories in 1usize..60) {
            let settings = Settings { stories, ..settings };
            let made = generate(&settings).unwrap();
            for order in 0..5 {
                let mut counts = vec![0; settings.answers];
                made.iter().for_each(|story| counts[story.questions[order].answer] += 1);
                prop_assert!(counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 1);
            }
        }
    }

    fn some(wording: Wording, stories: usize) -> Vec<MadeStory> {
        let settings = Settings {
            chapters: 3,
            size: Size::default(),
            deception: true,
            stories,
            seed: 11,
            answers: 15,
            wording,
            claims: ClaimRule::Published,
        };
        generate(&settings).unwrap()
    }

    #[test]
    fn both_languages_tell_the_same_stories() {
        for (english, chinese) in some(Wording::English, 9).iter().zip(&some(Wording::Chinese, 9)) {
            let place = |word: &String, words: &[&str]| words.iter().position(|known| known == word);
            for (left, right) in english.questions.iter().zip(&chinese.questions) {
                assert_eq!(left.answer, right.answer);
                for (left, right) in left.choices.iter().zip(&right.choices) {
                    assert_eq!(place(left, Lexicon::ENGLISH.containers), place(right, Lexicon::CHINESE.containers));
                }
            }
            assert_eq!(english.story.events.len(), chinese.story.events.len());
        }
    }

    #[test]
    fn the_place_of_a_wrong_choice_does_not_tell_whether_the_story_names_it() {
        let (mut named, mut other) = (Vec::new(), Vec::new());
        for made in some(Wording::English, 200) {
            for MadeQuestion { choices, answer, .. } in &made.questions {
                let mentions: Vec<&str> = made.story.mentions(choices).collect();
                for (place, choice) in choices.iter().enumerate().filter(|(place, _)| place != answer) {
                    let places = if mentions.contains(&choice.as_str()) { &mut named } else { &mut other };
                    places.push(place as f64);
                }
            }
        }
        let mean = |places: &[f64]| places.iter().sum::<f64>() / places.len() as f64;
        assert!((mean(&named) - mean(&other)).abs() < 0.3, "{} and {}", mean(&named), mean(&other));
    }

    #[test]
    fn a_story_does_not_depend_on_how_many_follow() {
        assert_eq!(some(Wording::English, 3), some(Wording::English, 20)[..3]);
    }

    #[test]
    fn claims_name_another_container_than_their_speaker_believes() {
        for made in some(Wording::English, 40) {
            for (index, event) in made.story.events.iter().enumerate() {
                if let Event::Claim { speaker, object, container, .. } = event {
                    let before = Story { events: made.story.events[..index].to_vec() };
                    let belief = Question { object: object.clone(), chain: vec![speaker.clone()] };
                    assert_ne!(before.answer(&belief, Rules::default()), Some(container.as_str()));
                }
            }
        }
    }

    #[test]
    fn impossible_settings_are_refused() {
        let settings = |chapters, answers| Settings {
            chapters,
            size: Size::default(),
            deception: false,
            stories: 1,
            seed: 0,
            answers,
            wording: Wording::English,
            claims: ClaimRule::Published,
        };
        assert_eq!(generate(&settings(8, 15)), Err(SettingsError::Chapters { given: 8 }));
        let sized = |agents, orders| Settings { size: Size { agents, orders }, ..settings(1, 15) };
        assert_eq!(generate(&sized(41, 4)), Err(SettingsError::Agents { given: 41, most: 40 }));
        assert_eq!(generate(&sized(5, 6)), Err(SettingsError::Orders { given: 6, agents: 5 }));
        assert_eq!(generate(&settings(0, 15)), Err(SettingsError::Chapters { given: 0 }));
        assert_eq!(generate(&settings(1, 1)), Err(SettingsError::Answers { given: 1 }));
        assert_eq!(generate(&settings(1, 27)), Err(SettingsError::Answers { given: 27 }));
    }
}
