//! Whether several servers compute the same model: the answers to eight prompts, side by side.

use serde_json::{Map, Value};

use super::abilities::{Abilities, SAME};
use super::client::Client;
use super::error::ServerError;
use super::labels::Alternatives;
use super::protocol::{Draws, chat, complete, of_chat, of_completion, post, top};
use crate::chat::Message;

/// Maximum replies that may differ where a server gives no log-probabilities: a tie may be decided either way.
const OTHER_REPLIES: usize = 1;

/// Maximum tokens of a reply.
const REPLY: usize = 8;

/// Number of likeliest tokens asked for.
const ALTERNATIVES: usize = 5;

/// Stories with a question and two options.
const PROMPTS: [(&str, &str, &str); 8] = [
    (
        "Lena hides a coin in the teapot and goes out. Omar moves it to the drawer. Where will Lena look?",
        "teapot",
        "drawer",
    ),
    ("The shop closes at six, and it is five now. Is the shop open?", "yes", "no"),
    ("Ravi told only his sister that the party was moved to Sunday. Who knows the new day?", "sister", "brother"),
    ("A crow is black and a swan is white. Which bird is black?", "swan", "crow"),
    (
        "Nora believes that it rains, takes her umbrella, and finds the sun shining. What did Nora expect?",
        "sun",
        "rain",
    ),
    ("Twelve eggs are shared by four people. How many does each of them get?", "three", "four"),
    ("Emil smiled at the burnt cake and said that it was perfect. Did he mean it?", "no", "yes"),
    ("The box is labelled pens but is full of nails. What will a stranger expect in it?", "nails", "pens"),
];

/// A server's answer to a prompt.
#[derive(Debug, Clone, PartialEq)]
enum Reply {
    /// The likeliest first tokens with their log-probabilities.
    Scores(Vec<(String, f32)>),
    Text(String),
}

/// Answers of two servers that differ too much.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error(
    "{first} and {other} do not answer alike: {why}; serve the same weights in the same way, or leave one of them out"
)]
pub struct Disagreement {
    first: String,
    other: String,
    why: String,
}

/// Asks every server the same prompts, and compares the others with the first one.
///
/// # Errors
/// A server does not answer.
pub fn disagreement(
    clients: &[&Client],
    model: &str,
    variables: &Map<String, Value>,
    abilities: &Abilities,
) -> Result<Option<Disagreement>, ServerError> {
    let [first, others @ ..] = clients else { return Ok(None) };
    if others.is_empty() {
        return Ok(None);
    }
    let ask = |client: &Client| -> Result<Vec<Reply>, ServerError> {
        (0..PROMPTS.len()).map(|at| reply(client, &prompt(at), model, variables, abilities)).collect()
    };
    let known = ask(first)?;
    for other in others {
        if let Some(why) = apart(&known, &ask(other)?) {
            let place = |client: &Client| client.server().place().to_string();
            return Ok(Some(Disagreement { first: place(first), other: place(other), why }));
        }
    }
    Ok(None)
}

fn prompt(at: usize) -> String {
    let (story, one, other) = PROMPTS[at];
    format!("Reading test {}. {story}\nA. {one}\nB. {other}\nAnswer with A or B: ", at + 1)
}

fn reply(
    client: &Client,
    prompt: &str,
    model: &str,
    variables: &Map<String, Value>,
    abilities: &Abilities,
) -> Result<Reply, ServerError> {
    let turns = [Message::user(prompt)];
    let (one, several) = (Draws::one_token(), Draws { max_tokens: REPLY, ..Draws::default() });
    let answer = |body: &Value| post(client, body).map(|answer| answer.json);
    let scores = |body: Value, most: usize| {
        let found = Alternatives::from_json(&answer(&top(body, most.min(ALTERNATIVES)))?)?;
        Ok(Reply::Scores(found.each().map(|(text, logprob)| (text.to_string(), logprob)).collect()))
    };
    match (&abilities.top, &abilities.chat_top, &abilities.chat) {
        (Ok(most), _, _) => scores(complete(model, prompt, false, &one), *most),
        (_, Ok(most), _) => scores(chat(model, &turns, variables, &one), *most),
        (_, _, Ok(())) => {
            let wrote = of_chat(&answer(&chat(model, &turns, variables, &several))?)?;
            Ok(Reply::Text(wrote.thinking.unwrap_or_default() + &wrote.text))
        }
        _ => Ok(Reply::Text(of_completion(&answer(&complete(model, prompt, false, &several))?)?.text)),
    }
}

/// Returns how two servers' answers differ, if by too much.
fn apart(first: &[Reply], other: &[Reply]) -> Option<String> {
    let (mut largest, mut replies): (Option<(f32, usize, &str)>, Vec<usize>) = (None, Vec::new());
    for (at, pair) in first.iter().zip(other).enumerate() {
        match pair {
            (Reply::Scores(first), Reply::Scores(other)) => {
                for (text, moved) in moves(first, other) {
                    if largest.is_none_or(|(most, ..)| moved > most) {
                        largest = Some((moved, at, text));
                    }
                }
            }
            (first, other) if first == other => {}
            _ => replies.push(at),
        }
    }
    if let Some((moved, at, text)) = largest.filter(|(moved, ..)| *moved > SAME) {
        return Some(format!(
            "in the prompt {:?} the log-probability of {text:?} differs by {moved:.2} nats, more than {SAME}",
            prompt(at)
        ));
    }
    let at = *replies.first().filter(|_| replies.len() > OTHER_REPLIES)?;
    Some(format!("{} of {} replies differ, the first one to {:?}", replies.len(), first.len(), prompt(at)))
}

/// Returns by how much the two likeliest tokens of either server differ, in nats; at least, where one does not list it.
fn moves<'a>(first: &'a [(String, f32)], other: &'a [(String, f32)]) -> Vec<(&'a str, f32)> {
    let value = |list: &[(String, f32)], text: &str| list.iter().find(|(known, _)| known == text).map(|(_, lp)| *lp);
    let least = |list: &[(String, f32)]| list.last().map_or(f32::NEG_INFINITY, |(_, lp)| *lp);
    let of = |mine: &'a [(String, f32)], theirs: &'a [(String, f32)]| {
        let each = mine.iter().take(2).map(move |(text, lp)| match value(theirs, text) {
            Some(their) => (text.as_str(), (lp - their).abs()),
            None => (text.as_str(), (lp - least(theirs)).max(0.0)),
        });
        each.collect::<Vec<_>>()
    };
    [of(first, other), of(other, first)].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_probabilities_may_differ_by_a_little() {
        let scores =
            |list: &[(&str, f32)]| Reply::Scores(list.iter().map(|(text, lp)| (text.to_string(), *lp)).collect());
        let first = [scores(&[("A", -0.5), ("B", -1.0), ("C", -4.0)])];
        assert_eq!(apart(&first, &[scores(&[("A", -0.45), ("B", -1.05), ("C", -6.0)])]), None);
        let why = apart(&first, &[scores(&[("A", -0.5), ("B", -1.53), ("C", -4.0)])]).unwrap();
        assert!(why.contains("\"B\" differs by 0.53 nats"), "{why}");
        // What one of them does not list is at most as likely as the last it lists.
        let why = apart(&first, &[scores(&[("A", -0.5), ("D", -1.2), ("C", -4.0)])]).unwrap();
        assert!(why.contains("\"B\" differs by 3.00 nats"), "{why}");
    }

    #[test]
    fn one_reply_may_differ() {
        let replies = |texts: [&str; 3]| texts.map(|text| Reply::Text(text.to_string()));
        assert_eq!(apart(&replies(["A", "B", "A"]), &replies(["A", "B", "B"])), None);
        let why = apart(&replies(["A", "B", "A"]), &replies(["B", "B", "B"])).unwrap();
        assert!(why.contains("2 of 3 replies differ") && why.contains("Reading test 1."), "{why}");
    }
}
