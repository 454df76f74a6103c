//! Answers by sight to questions of the English files, and the rule that the released second-order answers follow
//! instead.

use crate::story::{Event, Question, Rules, Story, UnreadLine, Wording};

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
    let is_belief = question_type.contains("_order_");
    let (story, question) = read(&lines.join("\n"), question, !is_belief).ok()??;
    if question_type == "memory" {
        let first = story.first_place(&question.object)?.to_string();
        return Some(Answers { sight: first.clone(), released_rule: first });
    }
    let answer = |question: &Question| story.answer(question, Rules::default()).map(str::to_string);
    let (sight, home) = (answer(&question)?, story.room_of(&question.object)?);
    let chain = &question.chain;
    let entries = |agent: &str| entered(&story).filter(|&(who, room)| who == agent && room == home).count();
    let known_by_rule = entered(&story).any(|(agent, room)| room == home && chain.iter().all(|member| member != agent))
        || chain.iter().any(|agent| entries(agent) > 1);
    let released_rule = match chain.len() == 2 && known_by_rule {
        true => answer(&Question { chain: Vec::new(), ..question.clone() })?,
        false => sight.clone(),
    };
    Some(Answers { sight, released_rule })
}

/// A story with its question: the object, and the agents asked about, outermost first; no agents for a question of fact.
/// `None` where the question has an unknown form.
pub(in crate::benchmark) fn read(
    text: &str,
    question: &str,
    of_fact: bool,
) -> Result<Option<(Story, Question)>, UnreadLine> {
    let story = Wording::English.story(text)?;
    let Some(object) = story.first_object().map(str::to_string) else { return Ok(None) };
    let chain: Vec<String> = if of_fact { Vec::new() } else { asked(&story, question) };
    let is_known = of_fact || !chain.is_empty();
    Ok(is_known.then_some((story, Question { object, chain })))
}

/// Who enters which room, in the order of the story.
fn entered(story: &Story) -> impl Iterator<Item = (&str, &str)> {
    story.events.iter().flat_map(|event| match event {
        Event::Enter { agents, room } => agents.iter().map(|agent| (agent.as_str(), room.as_str())).collect(),
        _ => Vec::new(),
    })
}

/// The agents a question names, outermost first.
fn asked(story: &Story, question: &str) -> Vec<String> {
    let words = question.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    words.filter(|word| entered(story).any(|(agent, _)| agent == *word)).map(str::to_string).collect()
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
