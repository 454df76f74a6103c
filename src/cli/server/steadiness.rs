//! Whether a server repeats itself: the same prompts with 1, 8 and 32 of them in flight, with a cold and a warm cache.

use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

use super::connect::Connected;
use super::stories::{ANSWERS, story};
use super::way::ScoringRoute;
use crate::arguments::server_args::ServerArgs;
use crate::backend::{Inquiry, Route, ServerSetup};
use crate::chat::Message;
use crate::counted::counted;
use crate::name::option_letter;
use crate::prompt::{Ask, Prompt, Scoring};
use crate::record::{Failure, FailureKind};
use crate::run::{Asked, Cell, MOVE_LIMIT, nats};
use crate::server::Program;
use crate::story::Wording;
use crate::terminal::progress::Shown;

/// Numbers of prompts in flight.
const IN_FLIGHT: [usize; 3] = [1, 8, 32];

/// Number of prompts.
const PROMPTS: usize = 24;

/// Most tokens of a reply, where a server gives no log-probabilities.
const REPLY_TOKENS: usize = 24;

/// One setting beside the first answers, which were given one at a time.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Setting {
    /// Prompts in flight.
    in_flight: usize,
    /// State of the cache.
    cell: Cell,
    /// Prompts answered here and at first.
    compared: usize,
    /// Prompts without an answer.
    failed: usize,
    /// Prompts that the server's context has no room for; they decide nothing.
    too_long: usize,
    /// Largest move of a label's log-likelihood in nats; null where replies are compared.
    largest: Option<f64>,
    /// Prompts whose likeliest label, or whose reply, is another one.
    moved: usize,
    /// Whether nothing moved by the limit or more, and no choice at all.
    steady: bool,
}

/// What was found.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Steadiness {
    /// What is compared: log-likelihoods of letters and their source, or greedy replies.
    compared: String,
    /// Key or route that bypasses the server's cache; null if it is not controlled.
    cache: Option<&'static str>,
    /// Largest move in nats of a steady setting.
    limit: f64,
    /// All settings.
    settings: Vec<Setting>,
    /// Numbers in flight at which the server repeats itself.
    steady_at: Vec<usize>,
    /// What makes such a server steady; null if unknown or not needed.
    remedy: Option<&'static str>,
}

/// Asks the built-in prompts at all settings.
pub fn steadiness(connected: &Connected, server: &ServerArgs) -> anyhow::Result<Steadiness> {
    let scored = ScoringRoute::new(connected, server, Scoring::Letter);
    let way = match scored {
        Ok(way) => way,
        Err(_) => ScoringRoute::new(connected, server, Scoring::Generate)?,
    };
    let template = connected.text.template.as_ref().filter(|_| way.route == Route::Completions);
    let setup = way.setup(connected, template, &connected.variables, server.strict_server);
    let program = connected.facts.controlled;
    let inquiry = Inquiry::new((0..PROMPTS).map(|number| ask(number, way.mode.is_some())));
    let shown = Shown::new();
    let asked = |setup: ServerSetup<'_>| -> Vec<Result<Asked, Failure>> {
        let mut after = shown.counting("asking the same prompts again", "prompts");
        match way.mode {
            Some(_) => {
                let found = inquiry.scores(setup, shown.tracker(), &mut after);
                found.into_iter().map(|found| found.map(|found| of_scores(&found.continuations))).collect()
            }
            None => {
                let all = crate::server::Draws::default();
                let requests = (0..PROMPTS).map(|number| (number.to_string(), 0, REPLY_TOKENS)).collect();
                let neutral = connected.abilities.neutral.clone();
                let draws = crate::backend::ReplyDraws { all, neutral, seed: None, requests, budgets: Vec::new() };
                let setup = ServerSetup { draws: Some(draws), ..setup };
                let found = inquiry.replies(setup, shown.tracker(), &mut after);
                found
                    .into_iter()
                    .map(|found| found.map(|found| Asked { reply: Some(found.text), ..Asked::default() }))
                    .collect()
            }
        }
    };
    let first = asked(ServerSetup { concurrency: 1, ..setup.clone() });
    let mut settings = Vec::new();
    for in_flight in IN_FLIGHT {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let alone = in_flight == 1;
        let steps = match program {
            Some(program) => {
                program.flush(&connected.client)?;
                let (cold, cached) = program.clients(&connected.client, &format!("{now} {in_flight}"));
                let cells =
                    if alone { [Cell::ColdAlone, Cell::CachedAlone] } else { [Cell::ColdLoaded, Cell::CachedLoaded] };
                vec![(cells[0], cold), (cells[1], cached)]
            }
            None => vec![(if alone { Cell::Alone } else { Cell::Loaded }, connected.client.clone())],
        };
        for (cell, client) in steps {
            let again = asked(ServerSetup { concurrency: in_flight, client, ..setup.clone() });
            settings.push(compared(in_flight, cell, &first, &again));
        }
    }
    let is_steady = |wanted: &usize| settings.iter().filter(|each| each.in_flight == *wanted).all(|each| each.steady);
    let steady_at: Vec<usize> = IN_FLIGHT.into_iter().filter(is_steady).collect();
    Ok(Steadiness {
        compared: way
            .mode
            .map_or_else(|| "greedy replies".to_string(), |mode| format!("letters, by {}", mode.described())),
        cache: program.map(Program::control),
        limit: MOVE_LIMIT,
        remedy: program.map(Program::remedy).filter(|_| steady_at.len() < IN_FLIGHT.len()),
        steady_at,
        settings,
    })
}

fn of_scores(continuations: &[crate::backend::ContinuationScores]) -> Asked {
    let sums: Vec<f64> = continuations
        .iter()
        .map(|each| if each.scores.logprobs.is_empty() { f64::NEG_INFINITY } else { each.scores.sum() })
        .collect();
    let best = (0..sums.len()).max_by(|&one, &next| sums[one].total_cmp(&sums[next]).then(next.cmp(&one)));
    let known = sums.iter().all(|sum| sum.is_finite());
    Asked { scores: known.then_some(sums), reply: None, choice: best.map(|best| vec![best]) }
}

fn compared(
    in_flight: usize,
    cell: Cell,
    first: &[Result<Asked, Failure>],
    again: &[Result<Asked, Failure>],
) -> Setting {
    let pairs: Vec<(&Asked, &Asked)> =
        first.iter().zip(again).filter_map(|(one, next)| Some((one.as_ref().ok()?, next.as_ref().ok()?))).collect();
    let largest = pairs.iter().flat_map(|(one, next)| one.moves(next)).reduce(f64::max);
    let other = |(one, next): &&(&Asked, &Asked)| one.choice != next.choice || one.differs_at(next).is_some();
    let moved = pairs.iter().filter(other).count();
    let is_too_long =
        |answer: &&Result<Asked, Failure>| answer.as_ref().is_err_and(|failure| failure.kind == FailureKind::TooLong);
    let too_long = first.iter().filter(is_too_long).count();
    let (compared, failed) = (pairs.len(), first.len() - too_long - pairs.len());
    let steady = compared > 0 && failed == 0 && moved == 0 && largest.is_none_or(|largest| largest < MOVE_LIMIT);
    Setting { in_flight, cell, compared, failed, too_long, largest, moved, steady }
}

impl Steadiness {
    /// Whether the server repeats itself at every setting.
    pub fn is_steady(&self) -> bool {
        self.settings.iter().all(|setting| setting.steady)
    }

    /// Describes what was found, as named rows.
    pub fn rows(&self) -> Vec<(&'static str, String)> {
        let Steadiness { compared, cache, settings, steady_at, remedy, .. } = self;
        let cache =
            cache.map_or("the cache is not controlled".to_string(), |cache| format!("cold by {cache}, then cached"));
        let mut rows = vec![("repeats itself", format!("{}: {compared}; {cache}", counted(PROMPTS, "prompt")))];
        for setting in settings {
            let Setting { in_flight, cell, compared, failed, too_long, largest, moved, steady } = setting;
            let mut parts =
                vec![format!("{moved} of {compared} {} move", if largest.is_some() { "choices" } else { "answers" })];
            parts.extend(largest.map(|largest| format!("at most {} nats", nats(largest))));
            parts.extend((*failed > 0).then(|| format!("{failed} not answered")));
            parts.extend((*too_long > 0).then(|| format!("{too_long} too long for its context")));
            let word = if *steady { "steady" } else { "NOT STEADY" };
            rows.push(("", format!("{in_flight} in flight, {}: {}: {word}", cell.name(), parts.join(", "))));
        }
        let list = steady_at.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
        rows.push((
            "steady with",
            match list.is_empty() {
                true => "none of these settings".to_string(),
                false => format!("{list} in flight (--concurrency)"),
            },
        ));
        rows.extend(remedy.map(|remedy| ("remedy", remedy.to_string())));
        rows
    }
}

/// One of the prompts: a generated story with a question of an order from 0 to 4.
fn ask(number: usize, scored: bool) -> Ask {
    let made = story(number, Wording::English);
    let asked = &made.questions[number % made.questions.len()];
    let how =
        if scored { "Answer with the letter of one of these places." } else { "Say which of these places, and why." };
    let (told, question) = (made.wording.tell(&made.story), made.wording.ask(&asked.question));
    let text = format!("{told}\n{question}\n{}\n{how}", asked.labelled_choices());
    let prompt = Prompt { messages: vec![Message::user(text)], ..Prompt::default() };
    let labels = (0..ANSWERS).filter(|_| scored).map(option_letter);
    Ask { prompt, continuations: labels.collect() }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn prompts_differ_in_text_and_length() {
        let text = |number: usize| ask(number, true).prompt.messages[0].content.clone();
        let texts: Vec<String> = (0..PROMPTS).map(text).collect();
        let lengths: Vec<usize> = texts.iter().map(String::len).collect();
        assert_eq!(texts.iter().collect::<HashSet<_>>().len(), PROMPTS);
        let (shortest, longest) = (lengths.iter().min().unwrap(), lengths.iter().max().unwrap());
        assert!(*shortest < 700 && *longest > 1800, "{lengths:?}");
        assert_eq!(ask(0, true).continuations, ["A", "B", "C"]);
    }

    #[test]
    fn a_setting_is_steady_where_nothing_moves_by_much() {
        let asked = |scores: [f64; 2], choice: usize| {
            Ok(Asked { scores: Some(scores.to_vec()), reply: None, choice: Some(vec![choice]) })
        };
        let first = [asked([-1.0, -1.1], 0)];
        let of = |again: Result<Asked, Failure>| compared(8, Cell::Loaded, &first, &[again]);
        assert!(of(asked([-1.01, -1.1], 0)).steady);
        assert!(!of(asked([-1.06, -1.1], 0)).steady);
        assert_eq!((of(asked([-1.0, -0.99], 1)).moved, of(asked([-1.0, -0.99], 1)).steady), (1, false));
    }
}
