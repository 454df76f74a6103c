//! Answers by sight to questions of the English files, and the rule that the released second-order answers follow
//! instead.

use crate::story::{Event, Question, Rules, Story, Wording};

/// The answers of two rules to one question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answers {
    /// By sight: an agent knows what happens in the room he is in, finds the object when he enters, and knows the same
    /// of another agent only while both are there.
    pub sight: String,
    /// As released. Second-order answers are the object's real location as soon as a third agent enters its room, at
    /// any time, or one of the two comes back to it, even when the other has left; otherwise, and at first order, by
    /// sight.
    pub released_rule: String,
}

/// The answers to a question about a story, or `None` where either has an unknown form.
pub(super) fn answers(lines: &[&str], question: &str, question_type: &str) -> Option<Answers> {
    let story = read(lines)?;
    let object = story.first_object()?.to_string();
    if question_type == "memory" {
        let first = story.events.iter().find_map(|event| match event {
            Event::Announce { container, .. } => Some(container.clone()),
            _ => None,
        })?;
        return Some(Answers { sight: first.clone(), released_rule: first });
    }
    let (mover, home) = moved(&story)?;
    let chain = asked(&story, question);
    let ask = |chain: &[&str]| {
        let question =
            Question { object: object.clone(), chain: chain.iter().map(|agent| agent.to_string()).collect() };
        without_bystanders(&story, chain, mover).answer(&question, Rules::default()).map(str::to_string)
    };
    let sight = ask(&chain)?;
    let entries = |agent: &str| entered(&story).filter(|&(who, room)| who == agent && room == home).count();
    let known_by_rule = entered(&story).any(|(agent, room)| room == home && !chain.contains(&agent))
        || chain.iter().any(|agent| entries(agent) > 1);
    let released_rule = if chain.len() == 2 && known_by_rule { ask(&[])? } else { sight.clone() };
    Some(Answers { sight, released_rule })
}

/// A question about a story, resolved by sight.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::benchmark) struct Seen {
    /// The events.
    pub story: Story,
    /// The object, and the agents asked about, outermost first; no agents for a question of fact.
    pub question: Question,
    /// Where those agents believe the object to be.
    pub believed: Option<String>,
    /// Where the object is.
    pub actual: String,
}

/// Resolve a question about a story by sight; `None` where either has an unknown form.
pub(in crate::benchmark) fn seen(lines: &[&str], question: &str, of_fact: bool) -> Option<Seen> {
    let story = read(lines)?;
    let object = story.first_object()?.to_string();
    let (mover, _) = moved(&story)?;
    let chain = if of_fact { Vec::new() } else { asked(&story, question) };
    let ask = |chain: &[&str]| {
        let chain_owned = chain.iter().map(|agent| agent.to_string()).collect();
        let question = Question { object: object.clone(), chain: chain_owned };
        without_bystanders(&story, chain, mover).answer(&question, Rules::default()).map(str::to_string)
    };
    if !of_fact && chain.is_empty() {
        return None;
    }
    let (believed, actual) = (if of_fact { None } else { Some(ask(&chain)?) }, ask(&[])?);
    let question = Question { object: object.clone(), chain: chain.iter().map(|agent| agent.to_string()).collect() };
    Some(Seen { story, question, believed, actual })
}

/// The story's events. Likes and dislikes lack a full stop and change nothing.
fn read(lines: &[&str]) -> Option<Story> {
    let rendered = lines.iter().filter(|line| line.ends_with('.'));
    Some(Story { events: rendered.map(|line| Wording::English.event(line)).collect::<Option<_>>()? })
}

/// Who enters which room, in the order of the story.
fn entered(story: &Story) -> impl Iterator<Item = (&str, &str)> {
    story.events.iter().flat_map(|event| match event {
        Event::Enter { agents, room } => agents.iter().map(|agent| (agent.as_str(), room.as_str())).collect(),
        _ => Vec::new(),
    })
}

/// Who moves the object, and the room where that happens.
fn moved(story: &Story) -> Option<(&str, &str)> {
    let at = story.events.iter().position(|event| matches!(event, Event::Move { .. }))?;
    let Event::Move { agent, .. } = &story.events[at] else { return None };
    let rooms = story.events[..at].iter().rev().find_map(|event| match event {
        Event::Enter { agents, room } if agents.contains(agent) => Some(room.as_str()),
        _ => None,
    });
    Some((agent, rooms?))
}

/// The agents a question names, outermost first.
fn asked<'s>(story: &'s Story, question: &str) -> Vec<&'s str> {
    let words = question.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    words.filter_map(|word| entered(story).map(|(agent, _)| agent).find(|&agent| agent == word)).collect()
}

/// The story without the entries and exits of agents who neither are asked about nor move the object: the announcement
/// names no room, and the tracker assumes the one entered last.
fn without_bystanders(story: &Story, chain: &[&str], mover: &str) -> Story {
    let matters = |agent: &String| agent == mover || chain.contains(&agent.as_str());
    let kept = story.events.iter().filter(|event| match event {
        Event::Enter { agents, .. } => agents.iter().any(matters),
        Event::Exit { agent, .. } => matters(agent),
        _ => true,
    });
    Story { events: kept.cloned().collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(story: &str, question: &str, question_type: &str, sight: &str, released_rule: &str) {
        let found = answers(&story.lines().collect::<Vec<_>>(), question, question_type).unwrap();
        assert_eq!((found.sight.as_str(), found.released_rule.as_str()), (sight, released_rule), "{question}\n{story}");
    }

    const FIRST: &str = "Where will Ann look for the fig?";
    const SECOND: &str = "Where does Ben think that Ann searches for the fig?";
    const START: &str =
        "Ben entered the attic.\nAnn entered the attic.\nThe fig is in the tin_box.\nAnn exited the attic.";
    const MOVED: &str = "Ben moved the fig to the jute_bag.";

    #[test]
    fn the_absent_keep_their_belief() {
        let story = format!("{START}\nBen likes the plum\n{MOVED}");
        check(&story, "Where was the fig at the beginning?", "memory", "tin_box", "tin_box");
        check(&story, "Where is the fig really?", "reality", "jute_bag", "jute_bag");
        check(&story, FIRST, "first_order_1_tom", "tin_box", "tin_box");
        check(&story, SECOND, "second_order_0_tom", "tin_box", "tin_box");
    }

    #[test]
    fn a_third_agent_in_the_room_changes_only_the_released_second_order_answers() {
        for bystander in ["Cleo entered the attic.\n", "Cleo entered the attic.\nCleo exited the attic.\n"] {
            let story = format!("{bystander}{START}\n{MOVED}");
            check(&story, FIRST, "first_order_1_tom", "tin_box", "tin_box");
            check(&story, SECOND, "second_order_0_no_tom", "tin_box", "jute_bag");
        }
        let elsewhere = START.replace("The fig", "Cleo entered the hall.\nThe fig") + "\n" + MOVED;
        check(&elsewhere, SECOND, "second_order_0_tom", "tin_box", "tin_box");
    }

    #[test]
    fn coming_back_unseen_changes_only_the_released_second_order_answers() {
        let story = format!("{START}\n{MOVED}\nBen exited the attic.\nAnn entered the attic.");
        check(&story, FIRST, "first_order_1_no_tom", "jute_bag", "jute_bag");
        check(&story, SECOND, "second_order_0_no_tom", "tin_box", "jute_bag");
    }

    #[test]
    fn what_is_not_understood_has_no_answer() {
        assert_eq!(answers(&["Ann flew over the attic."], FIRST, "first_order_0_tom"), None);
    }
}
