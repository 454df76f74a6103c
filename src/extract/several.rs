//! Every label that applies, and one answer for each of several questions.

use std::ops::Range;

use super::mention::{Form, Mention, mentions};
use super::normal::Text;
use super::statement::{self, Statement, Weight, statements};
use super::words::{Cues, rank};
use super::{Found, Kind, Outcome, Question, sentence, single};

/// Reads a reply to a question for every option that applies.
pub(super) fn read_set(question: &Question, text: &Text, cut: bool) -> Found {
    let (words, cues) = (&text.text[..], Cues::for_text(question.language, &text.text));
    let mut all = mentions(cues, words, question, false);
    drop_numbers(words, &mut all);
    statement::deny(cues, words, &mut all);
    let stated = statements(cues, words, &all, true);
    let found = [stated_set(words, &stated, question.slots()), verdicts(cues, words, &all, question.slots())];
    let last = found.into_iter().flatten().max_by_key(|found| found.range.as_ref().map(|range| range.end));
    let found = match last {
        Some(found) if cut && reaches_end(words, &found) => {
            Found { outcome: Outcome::CutOff, rule: Some("cut"), slots: vec![], range: found.range }
        }
        Some(found) => found,
        None if cut => Found { outcome: Outcome::CutOff, rule: Some("cut"), ..Found::default() },
        None => refusal(cues, words).or_else(|| named_set(words, &all, &stated, question.slots())).unwrap_or_default(),
    };
    let mut slots = found.slots;
    slots.sort_unstable();
    slots.dedup();
    Found { slots, ..found }
}

/// Drops numbers if there are other mentions: they then number questions or list entries.
fn drop_numbers(text: &str, all: &mut Vec<Mention>) {
    if all.iter().any(|mention| mention.form != Form::Loose) {
        let is_number =
            |mention: &Mention| text[mention.range.clone()].starts_with(|first: char| first.is_ascii_digit());
        all.retain(|mention| mention.form != Form::Loose || !is_number(mention));
    }
}

fn refusal(cues: &Cues, text: &str) -> Option<Found> {
    cues.anywhere.refuse.find(text).map(|refusal| Found::without(Outcome::Refused, "refusal", refusal.range()))
}

/// Whether the length limit may have cut a list of answers.
fn reaches_end(text: &str, found: &Found) -> bool {
    found.range.as_ref().is_some_and(|range| text[range.end..].trim_matches([' ', ',', '"', '\'']).is_empty())
}

/// The labels that apply, if a reply judges at least half of the labels one by one.
fn verdicts(cues: &Cues, text: &str, all: &[Mention], slots: usize) -> Option<Found> {
    let judged: Vec<(&Mention, bool)> = all
        .iter()
        .filter_map(|mention| {
            let after = sentence::ahead(text, mention.range.end);
            let after = &after[..after.find('\n').unwrap_or(after.len())];
            match (cues.after.no.is_match(after), cues.after.yes.is_match(after)) {
                (true, _) => Some((mention, false)),
                (false, true) => Some((mention, true)),
                (false, false) => None,
            }
        })
        .collect();
    let mut known: Vec<usize> = judged.iter().map(|(mention, _)| mention.slot).collect();
    known.sort_unstable();
    known.dedup();
    if known.len() < 2 || known.len() * 2 < slots {
        return None;
    }
    let range = judged[0].0.range.start..judged[judged.len() - 1].0.range.end;
    // The last verdict on a label counts.
    let applies =
        |slot: &usize| judged.iter().rev().find(|(mention, _)| mention.slot == *slot).is_some_and(|(_, yes)| *yes);
    Some(Found::answer(known.into_iter().filter(applies).collect(), "verdicts", range))
}

/// The last set stated.
fn stated_set(text: &str, stated: &[Statement], slots: usize) -> Option<Found> {
    let firm: Vec<&Statement> = stated.iter().filter(|statement| statement.weight == Weight::Stated).collect();
    let lines = || -> Vec<&Statement> { stated.iter().filter(|statement| statement.alone).collect() };
    let chosen = if firm.is_empty() { lines() } else { firm };
    let last = *chosen.last()?;
    if last.conflict {
        return Some(Found::without(Outcome::Ambiguous, last.rule, last.range.clone()));
    }
    let (mut set, mut from, mut to) = (last.slots.clone(), last.range.start, last.range.end);
    if !last.turns {
        for earlier in chosen.iter().rev().skip(1) {
            if text[earlier.range.end..from].contains(char::is_alphabetic) {
                break;
            }
            from = earlier.range.start;
            set.extend(&earlier.slots);
        }
    }
    // A list that continues after the first line of an answer.
    let behind = to;
    for later in stated.iter().filter(|statement| statement.range.start >= behind && statement.alone) {
        if text[to..later.range.start].contains(char::is_alphabetic) {
            break;
        }
        to = later.range.end;
        set.extend(&later.slots);
    }
    let mut distinct = set.clone();
    distinct.sort_unstable();
    distinct.dedup();
    if last.or && distinct.len() > 1 {
        return Some(Found::without(Outcome::Ambiguous, last.rule, from..to));
    }
    if distinct.len() == slots && slots > 2 && last.weight < Weight::Stated {
        return None;
    }
    Some(Found::answer(distinct, if last.weight == Weight::Stated { last.rule } else { "lines" }, from..to))
}

/// The options that a short reply names without further words.
fn named_set(text: &str, all: &[Mention], stated: &[Statement], slots: usize) -> Option<Found> {
    let presented: Vec<&Statement> =
        stated.iter().filter(|statement| statement.weight == Weight::Presented && !statement.none).collect();
    let statements: Vec<&Statement> = if presented.is_empty() {
        stated
            .iter()
            .filter(|statement| !statement.letters && !statement.none && statement.weight >= Weight::Named)
            .collect()
    } else {
        presented
    };
    let brief = text.chars().filter(|mark| ".。!\n".contains(*mark)).count() <= 3;
    let last = statements.last()?;
    let mut set: Vec<usize> = statements.iter().flat_map(|statement| statement.slots.clone()).collect();
    set.sort_unstable();
    set.dedup();
    let settled = !statements.iter().any(|statement| statement.conflict || statement.or) && set.len() < slots;
    let said = all.iter().any(|mention| mention.form != Form::Loose);
    (brief && settled && said).then(|| Found::answer(set, "named", statements[0].range.start..last.range.end))
}

/// An answer to one of several questions.
struct Keyed {
    key: Option<String>,
    slot: usize,
    range: Range<usize>,
}

/// Reads a reply to several questions at once.
pub(super) fn read_slots(question: &Question, text: &Text, cut: bool) -> Found {
    if question.count <= 1 {
        return single::read(&Question { kind: Kind::Single, ..question.clone() }, text, cut);
    }
    let (words, cues) = (&text.text[..], Cues::for_text(question.language, &text.text));
    let mut all: Vec<Mention> =
        mentions(cues, words, question, true).into_iter().filter(|mention| !mention.listed).collect();
    drop_numbers(words, &mut all);
    statement::deny(cues, words, &mut all);
    let found = [keyed(cues, words, &all, question.count), joined(cues, words, &all, question.count)];
    let last = found.into_iter().flatten().max_by_key(|found| found.range.as_ref().map(|range| range.end));
    match last {
        Some(found) => found,
        None if cut => Found { outcome: Outcome::CutOff, rule: Some("cut"), ..Found::default() },
        None => refusal(cues, words).or_else(|| counted(cues, words, &all, question.count)).unwrap_or_default(),
    }
}

/// Answers after keys or numbers of their questions; the last answer to each counts.
fn keyed(cues: &Cues, text: &str, all: &[Mention], count: usize) -> Option<Found> {
    let mut answers: Vec<Keyed> = Vec::new();
    for (at, mention) in all.iter().enumerate() {
        let from = at.checked_sub(1).map_or(0, |last| all[last].range.end.min(mention.range.start));
        let before = sentence::before(&text[from..], mention.range.start - from);
        let Some(key) = cues.before.key.captures(before) else { continue };
        let key = key[1].trim().to_lowercase();
        let is_option = all[..at].last().is_some_and(|last| {
            last.range.end <= mention.range.start && text[last.range.clone()].to_lowercase().ends_with(&key)
        });
        if is_option
            || mention.conflict
            || cues.anywhere.answer.is_match(&key) && !key.contains(|digit: char| digit.is_ascii_digit())
        {
            continue;
        }
        if let Some(known) = answers.iter().position(|answer| answer.key.as_ref() == Some(&key)) {
            answers.remove(known);
        }
        answers.push(Keyed { key: Some(key), slot: mention.slot, range: mention.range.clone() });
    }
    if answers.len() != count {
        return None;
    }
    let place = |answer: &Keyed| {
        let key = answer.key.as_deref().unwrap_or_default();
        rank(key).or_else(|| {
            let digits: String = key.chars().rev().take_while(char::is_ascii_digit).collect();
            digits.chars().rev().collect::<String>().parse().ok()
        })
    };
    let places: Option<Vec<usize>> = answers.iter().map(place).collect();
    let range =
        answers.iter().map(|answer| answer.range.start).min()?..answers.iter().map(|answer| answer.range.end).max()?;
    if let Some(places) = places {
        let mut distinct = places.clone();
        distinct.sort_unstable();
        distinct.dedup();
        if distinct.len() == count {
            let mut sorted: Vec<(usize, usize)> =
                places.into_iter().zip(answers.iter().map(|answer| answer.slot)).collect();
            sorted.sort_unstable();
            return Some(Found::answer(sorted.into_iter().map(|(_, slot)| slot).collect(), "keys", range));
        }
    }
    Some(Found::answer(answers.iter().map(|answer| answer.slot).collect(), "keys", range))
}

/// Consecutive answers, as many as expected.
fn joined(cues: &Cues, text: &str, all: &[Mention], count: usize) -> Option<Found> {
    let joins = |one: &Mention, other: &Mention| {
        let between = &text[one.range.end..other.range.start];
        between.len() <= 24
            && (cues.before.and.is_match(between) || between.chars().all(|mark| !mark.is_alphanumeric()))
    };
    let mut found = None;
    let mut from = 0;
    while from < all.len() {
        let mut to = from + 1;
        while to < all.len() && joins(&all[to - 1], &all[to]) {
            to += 1;
        }
        let run = &all[from..to];
        let range = run[0].range.start..run[run.len() - 1].range.end;
        // A word that happens to consist of labels is followed by other words.
        let is_word = run[0].form == Form::Run && text[range.end..].trim_start().starts_with(char::is_alphanumeric);
        if run.len() == count && run.iter().all(|mention| !mention.conflict) && !is_word {
            found = Some(Found::answer(run.iter().map(|mention| mention.slot).collect(), "joined", range));
        }
        from = to;
    }
    found
}

/// The options named, if their number is exactly as expected.
fn counted(cues: &Cues, text: &str, all: &[Mention], count: usize) -> Option<Found> {
    let named: Vec<&Mention> = all
        .iter()
        .filter(|mention| matches!(mention.form, Form::Label | Form::Text) && !mention.denied)
        .filter(|mention| mention.form == Form::Text || statement::is_option(cues, text, mention) || text.len() < 80)
        .collect();
    let settled = named.len() == count && named.iter().all(|mention| !mention.conflict);
    settled.then(|| {
        let range = named[0].range.start..named[count - 1].range.end;
        Found::answer(named.iter().map(|mention| mention.slot).collect(), "counted", range)
    })
}
