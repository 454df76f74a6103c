//! What an audit found: how far numbers moved, and whether that can move choices.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::audit_line::{AuditLine, Cell};
use crate::counted::counted;
use crate::record::TrialKey;

/// Largest move in nats below which a run whose audited choices all stayed is not warned of. It changes the odds of two
/// options by 5 %; servers in f32 move by 2e-4 at most, one that computes with 4-bit weights by 0.37 to 0.58.
pub const MOVE_LIMIT: f64 = 0.05;

/// Format version of `audit.json`.
const FORMAT: u32 = 1;

/// What moved beside what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Compared {
    /// A server's answers, asked again, beside those recorded.
    Server,
    /// Scores of the same trials on the machines of several shards.
    Shards,
}

/// Conditions of an audit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conditions {
    /// What is compared.
    pub compared: Compared,
    /// How the cache was avoided, if it could be.
    pub cache: Option<String>,
    /// Trials in flight under load; the number of shards for shards.
    pub in_flight: usize,
    /// What makes such a server steady, if known.
    pub remedy: Option<String>,
}

impl Conditions {
    pub(super) fn shards(number: usize) -> Self {
        Conditions { compared: Compared::Shards, cache: None, in_flight: number, remedy: None }
    }
}

/// Summary of an audit: the content of `audit.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AuditSummary {
    /// Format version, 1.
    pub format: u32,
    /// What was compared: `server` for answers asked again beside those recorded, `shards` for the machines of shards.
    pub compared: Compared,
    /// Trials asked again.
    pub trials: usize,
    /// How the prefix cache was avoided: `cache_salt`, `cache_prompt` or `flush_cache`; null if it is not controlled.
    pub cache: Option<String>,
    /// Trials in flight under load; for shards their number.
    pub in_flight: usize,
    /// Each condition beside what was recorded; for shards all others beside the first.
    pub cells: Vec<CellSummary>,
    /// Each server beside what was recorded; absent if the run has only one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<ServerSummary>,
    /// Largest move of a score in nats, between what was recorded and any condition or between two conditions; null if
    /// no scores were compared.
    pub largest: Option<f64>,
    /// Mean absolute move of a score in nats beside what was recorded; null if no scores were compared.
    pub mean: Option<f64>,
    /// Trials whose choices were compared.
    pub choices: usize,
    /// Trials of those with another choice in any condition.
    pub moved: usize,
    /// Choices of the whole run made from scores.
    pub run_choices: usize,
    /// Choices of the whole run whose margin is below the largest move.
    pub close_choices: usize,
    /// Greedy replies; null if none were written.
    pub replies: Option<ReplySummary>,
    /// Largest move in nats that is not warned of, as long as no choice moved.
    pub limit: f64,
    /// Whether no audited choice moved, and the largest move is below the limit or below the margin of every choice.
    pub steady: bool,
    /// What makes such a server steady; null if unknown.
    pub remedy: Option<String>,
}

/// One condition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CellSummary {
    /// The condition.
    pub cell: Cell,
    /// Trials with an answer.
    pub trials: usize,
    /// Trials without an answer.
    pub failed: usize,
    /// Largest move in nats; null if no scores were compared.
    pub largest: Option<f64>,
    /// Mean absolute move in nats; null if no scores were compared.
    pub mean: Option<f64>,
    /// Trials with another choice.
    pub moved: usize,
    /// Replies with another text.
    pub other_replies: usize,
    /// Share of the tokens that came from the server's cache; null if it does not say.
    pub cached_share: Option<f64>,
}

/// One of several servers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ServerSummary {
    /// Base address.
    pub server: String,
    /// Answers compared, over all conditions.
    pub answers: usize,
    /// Largest move in nats; null if no scores were compared.
    pub largest: Option<f64>,
    /// Answers with another choice.
    pub moved: usize,
}

/// Greedy replies of an audit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ReplySummary {
    /// Replies compared with the recorded one.
    pub compared: usize,
    /// Replies with another text.
    pub other: usize,
    /// Character, from 0, at which the earliest of them differs; null if none does.
    pub earliest: Option<usize>,
    /// Median of these characters; null if none does.
    pub median: Option<usize>,
}

/// An answer to compare.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Asked {
    /// Scores in nats by canonical option.
    pub scores: Option<Vec<f64>>,
    /// The reply, if written.
    pub reply: Option<String>,
    /// Canonical options chosen.
    pub choice: Option<Vec<usize>>,
}

impl Asked {
    pub(super) fn from_line(AuditLine { scores, reply, choice, .. }: &AuditLine) -> Self {
        Asked { scores: scores.clone(), reply: reply.clone(), choice: choice.clone() }
    }

    /// Returns the absolute difference of each score.
    pub fn moves<'a>(&'a self, other: &'a Asked) -> impl Iterator<Item = f64> + 'a {
        let pairs = self.scores.iter().flatten().zip(other.scores.iter().flatten());
        pairs.map(|(one, next)| (one - next).abs())
    }

    /// Returns the number of the first character at which two replies differ; `None` if they do not.
    pub fn differs_at(&self, other: &Asked) -> Option<usize> {
        let (one, next) = (self.reply.as_ref()?, other.reply.as_ref()?);
        (one != next).then(|| one.chars().zip(next.chars()).take_while(|(one, next)| one == next).count())
    }
}

/// Adds up moves.
#[derive(Debug, Clone, Copy, Default)]
struct Moves {
    largest: f64,
    total: f64,
    number: usize,
}

impl Moves {
    fn add(&mut self, by: f64) {
        self.largest = self.largest.max(by);
        self.total += by;
        self.number += 1;
    }

    fn largest(self) -> Option<f64> {
        (self.number > 0).then_some(self.largest)
    }

    fn mean(self) -> Option<f64> {
        (self.number > 0).then(|| self.total / self.number as f64)
    }
}

/// Compares lines with what was recorded, and with each other.
pub(super) fn summary(
    lines: Vec<AuditLine>,
    trials: usize,
    margins: &[f64],
    recorded: impl Fn(&TrialKey) -> Option<Asked>,
    conditions: Conditions,
) -> AuditSummary {
    let mut cells: BTreeMap<Cell, (CellSummary, Moves, usize, Option<usize>)> = BTreeMap::new();
    let mut by_trial: IndexMap<TrialKey, (Asked, Vec<Asked>)> = IndexMap::new();
    let mut servers: BTreeMap<&str, (Moves, usize, usize)> = BTreeMap::new();
    let (mut all, mut differs) = (Moves::default(), Vec::new());
    let (mut replies, mut widest) = (0, None::<f64>);
    for line in &lines {
        let empty = || CellSummary {
            cell: line.cell,
            trials: 0,
            failed: 0,
            largest: None,
            mean: None,
            moved: 0,
            other_replies: 0,
            cached_share: None,
        };
        let (cell, moves, tokens, cached) =
            cells.entry(line.cell).or_insert_with(|| (empty(), Moves::default(), 0, None));
        let key = line.key();
        let Some(known) = recorded(&key).filter(|_| line.failure.is_none()) else {
            cell.failed += 1;
            continue;
        };
        let asked = Asked::from_line(line);
        cell.trials += 1;
        *tokens += line.tokens;
        if let Some(more) = line.cached_tokens {
            *cached.get_or_insert(0) += more;
        }
        let other_choice = usize::from(asked.choice != known.choice);
        let mut of_server = line.server.as_deref().map(|server| servers.entry(server).or_default());
        if let Some((_, answers, moved)) = &mut of_server {
            *answers += 1;
            *moved += other_choice;
        }
        for by in asked.moves(&known) {
            moves.add(by);
            all.add(by);
            of_server.iter_mut().for_each(|(moves, ..)| moves.add(by));
        }
        cell.moved += other_choice;
        if asked.reply.is_some() {
            replies += 1;
            let at = asked.differs_at(&known);
            cell.other_replies += usize::from(at.is_some());
            differs.extend(at);
        }
        by_trial.entry(key).or_insert((known, Vec::new())).1.push(asked);
    }
    let mut moved = 0;
    for (known, others) in by_trial.values() {
        moved += usize::from(others.iter().any(|asked| asked.choice != known.choice));
        for (at, one) in others.iter().enumerate() {
            for by in std::iter::once(known).chain(&others[..at]).flat_map(|next| one.moves(next)) {
                widest = Some(widest.map_or(by, |widest| widest.max(by)));
            }
        }
    }
    differs.sort_unstable();
    let close_choices = widest.map_or(0, |widest| margins.iter().filter(|margin| **margin < widest).count());
    let finished = |(cell, moves, tokens, cached): (CellSummary, Moves, usize, Option<usize>)| CellSummary {
        largest: moves.largest(),
        mean: moves.mean(),
        cached_share: cached.map(|cached| cached as f64 / tokens.max(1) as f64),
        ..cell
    };
    let of_server = |(server, (moves, answers, moved)): (&str, (Moves, usize, usize))| ServerSummary {
        server: server.to_string(),
        answers,
        largest: moves.largest(),
        moved,
    };
    let Conditions { compared, cache, in_flight, remedy } = conditions;
    AuditSummary {
        format: FORMAT,
        compared,
        trials,
        cache,
        in_flight,
        cells: cells.into_values().map(finished).collect(),
        servers: servers.into_iter().map(of_server).collect(),
        largest: widest,
        mean: all.mean(),
        choices: by_trial.len(),
        moved,
        run_choices: margins.len(),
        close_choices,
        replies: (replies > 0).then(|| ReplySummary {
            compared: replies,
            other: differs.len(),
            earliest: differs.first().copied(),
            median: differs.get(differs.len() / 2).copied(),
        }),
        limit: MOVE_LIMIT,
        steady: is_steady(moved, widest, close_choices),
        remedy,
    }
}

fn is_steady(moved: usize, largest: Option<f64>, close_choices: usize) -> bool {
    moved == 0 && (largest.is_none_or(|largest| largest < MOVE_LIMIT) || close_choices == 0)
}

impl AuditSummary {
    /// Describes what was found, in a sentence.
    pub fn text(&self) -> String {
        let share = |part: usize, of: usize| format!("{part} of {of}");
        let mut parts = Vec::new();
        if let (Some(largest), Some(mean)) = (self.largest, self.mean) {
            parts.push(format!("log-likelihoods move by up to {} nats ({} on average)", nats(largest), nats(mean)));
        }
        parts.push(format!("{} choices move", share(self.moved, self.choices)));
        if self.run_choices > 0 {
            parts.push(format!(
                "{} choices of the run have a smaller margin than the largest move",
                share(self.close_choices, self.run_choices)
            ));
        }
        if let Some(ReplySummary { compared, other, earliest, median }) = self.replies {
            let at = earliest.zip(median).map_or(String::new(), |(earliest, median)| {
                format!(", the earliest from character {earliest}, half of them before {median}")
            });
            parts.push(format!("{} replies differ{at}", share(other, compared)));
        }
        parts.join("; ")
    }

    /// Describes the audit, with a line for each condition.
    pub fn report(&self) -> String {
        let control = self.cache.as_ref().map_or("cache not controlled".to_string(), |cache| format!("by {cache}"));
        let mut lines = match self.compared {
            Compared::Server => vec![format!(
                "Audit: {} asked again, {control}, with {} in flight: {}.",
                counted(self.trials, "trial"),
                if self.in_flight > 1 { format!("1 and {}", self.in_flight) } else { "1".to_string() },
                self.text()
            )],
            Compared::Shards => vec![format!(
                "Audit: {} scored by each of {}: {}.",
                counted(self.trials, "trial"),
                counted(self.in_flight, "shard"),
                self.text()
            )],
        };
        for cell in self.cells.iter().filter(|_| self.compared == Compared::Server) {
            let CellSummary { trials, failed, largest, moved, other_replies, cached_share, .. } = cell;
            let mut parts = vec![format!("{moved} of {trials} choices move")];
            parts.extend(largest.map(|largest| format!("at most {} nats", nats(largest))));
            parts.extend(self.replies.is_some().then(|| format!("{other_replies} of {trials} replies differ")));
            parts.extend(cached_share.map(|share| format!("{:.0} % of the tokens cached", share * 100.0)));
            parts.extend((*failed > 0).then(|| format!("{failed} not answered")));
            lines.push(format!("  {}: {}", cell.cell.name(), parts.join(", ")));
        }
        lines.extend(self.most_moved().map(|most| {
            let servers = counted(self.servers.len(), "server");
            format!("  of {servers} {} moves most: {}", most.server, most.text())
        }));
        lines.extend(self.warning().map(|warning| format!("WARNING: {warning}.")));
        lines.join("\n")
    }

    /// Returns the server whose answers moved most: by the most choices, of these the furthest. `None` where none moved, or
    /// one was asked.
    fn most_moved(&self) -> Option<&ServerSummary> {
        let far = |server: &ServerSummary| server.largest.unwrap_or(0.0);
        let moved =
            self.servers.iter().filter(|server| self.servers.len() > 1 && (server.moved > 0 || far(server) > 0.0));
        moved.max_by(|one, next| one.moved.cmp(&next.moved).then(far(one).total_cmp(&far(next))))
    }

    /// Returns the warning at the top of a run's reports; `None` if the numbers are steady.
    pub fn warning(&self) -> Option<String> {
        if self.steady {
            return None;
        }
        let what = match self.compared {
            Compared::Server => "the server does not repeat itself: asked again",
            Compared::Shards => "the machines of the shards do not agree: of the trials that all scored",
        };
        let remedy = self.remedy.as_ref().map_or(String::new(), |remedy| format!("; {remedy}"));
        let most =
            self.most_moved().map_or(String::new(), |most| format!("; {} moves most: {}", most.server, most.text()));
        Some(format!("{what}, {} (audit.json){most}{remedy}", self.text()))
    }
}

impl ServerSummary {
    fn text(&self) -> String {
        let far = self.largest.map_or(String::new(), |largest| format!(", by up to {} nats", nats(largest)));
        format!("{} of {} choices{far}", self.moved, self.answers)
    }
}

/// A number of nats, with two digits that count.
pub fn nats(nats: f64) -> String {
    match nats {
        0.0 => "0".to_string(),
        nats if nats >= 0.001 => format!("{nats:.3}"),
        nats => format!("{nats:.1e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(id: &str, cell: Cell, scores: &[f64], choice: usize) -> AuditLine {
        AuditLine {
            id: id.to_string(),
            condition: None,
            order: vec![0, 1],
            count: 1,
            sample: None,
            cell,
            server: None,
            scores: Some(scores.to_vec()),
            reply: None,
            choice: Some(vec![choice]),
            tokens: 10,
            cached_tokens: Some(5),
            failure: None,
        }
    }

    fn found(lines: Vec<AuditLine>, margins: &[f64]) -> AuditSummary {
        found_of(1, lines, margins)
    }

    fn found_of(trials: usize, lines: Vec<AuditLine>, margins: &[f64]) -> AuditSummary {
        let known = |_: &TrialKey| Some(Asked { scores: Some(vec![-1.0, -1.5]), reply: None, choice: Some(vec![0]) });
        let conditions =
            Conditions { compared: Compared::Server, cache: Some("cache_salt".into()), in_flight: 8, remedy: None };
        summary(lines, trials, margins, known, conditions)
    }

    #[test]
    fn the_largest_move_is_that_between_any_two_answers() {
        let lines = vec![line("a", Cell::ColdAlone, &[-1.1, -1.5], 0), line("a", Cell::CachedLoaded, &[-0.8, -1.5], 0)];
        let found = found(lines, &[0.5, 0.2, 4.0]);
        assert!((found.largest.unwrap() - 0.3).abs() < 1e-12, "{found:?}");
        assert!((found.mean.unwrap() - 0.075).abs() < 1e-12, "{found:?}");
        assert_eq!((found.moved, found.choices, found.close_choices, found.run_choices), (0, 1, 1, 3));
        assert_eq!(found.cells[1].cached_share, Some(0.5));
        assert!(!found.steady && found.warning().unwrap().contains("up to 0.300 nats"), "{found:?}");
    }

    #[test]
    fn small_moves_and_wide_margins_are_not_warned_of_unless_a_choice_moved() {
        let moved_by = |by: f64, margins: &[f64]| found(vec![line("a", Cell::Alone, &[-1.0 - by, -1.5], 0)], margins);
        assert!(moved_by(0.04, &[0.001]).steady);
        assert!(moved_by(0.4, &[0.5]).steady);
        assert!(!moved_by(0.4, &[0.3]).steady);
        let other = found(vec![line("a", Cell::Alone, &[-1.0, -1.0], 1)], &[9.0]);
        assert_eq!((other.moved, other.steady), (1, false));
    }

    #[test]
    fn of_several_servers_the_one_that_moves_most_is_named() {
        let of = |server: &str, line: AuditLine| AuditLine { server: Some(server.to_string()), ..line };
        let lines = vec![
            of("http://a", line("a", Cell::Alone, &[-1.3, -1.5], 0)),
            of("http://b", line("b", Cell::Alone, &[-1.0, -0.9], 1)),
            of("http://b", line("b", Cell::Loaded, &[-1.0, -1.5], 0)),
        ];
        let all = found_of(2, lines.clone(), &[0.5, 0.1]);
        let each: Vec<_> = all.servers.iter().map(|each| (each.server.as_str(), each.answers, each.moved)).collect();
        assert_eq!(each, [("http://a", 1, 0), ("http://b", 2, 1)]);
        let warning = all.warning().unwrap();
        assert!(warning.contains("http://b moves most: 1 of 2 choices, by up to 0.600 nats"), "{warning}");
        assert!(all.report().contains("of 2 servers http://b moves most"), "{}", all.report());
        let alone = found_of(1, lines[..1].to_vec(), &[0.1]);
        assert!(!alone.warning().unwrap().contains("moves most"), "one server needs no name");
    }

    #[test]
    fn replies_differ_from_a_character_on() {
        let reply = |text: &str| Asked { reply: Some(text.to_string()), ..Asked::default() };
        assert_eq!(reply("é B").differs_at(&reply("é A")), Some(2));
        assert_eq!(reply("same").differs_at(&reply("same")), None);
        assert_eq!(reply("same and").differs_at(&reply("same")), Some(4));
    }

    #[test]
    fn audits_of_a_servers_shards_add_up() {
        let lines = vec![line("a", Cell::Alone, &[-1.0, -1.5], 0), line("b", Cell::Alone, &[-1.0, -1.9], 1)];
        let all = found_of(2, lines, &[0.5, 0.1]);
        assert_eq!((all.trials, all.choices, all.moved, all.run_choices, all.close_choices), (2, 2, 1, 2, 1));
        assert!((all.largest.unwrap() - 0.4).abs() < 1e-12 && !all.steady, "{all:?}");
    }
}
