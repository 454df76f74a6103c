//! The one option that a reply chooses.

use std::ops::Range;

use super::mention::{Form, Mention, mentions, opens_item};
use super::near::near;
use super::normal::{self, Text};
use super::reworded::in_other_words;
use super::sentence::{ahead, before, clause, sentences};
use super::statement::{self, Statement, Weight, statements};
use super::thinking::before_next_question;
use super::turn::{reconsidered, withdrawn};
use super::words::Cues;
use super::{Found, Outcome, Question, weighed};

/// Reads a reply to a question for one option. An answer counts even if the reply continues with a question of its own.
pub(super) fn read(question: &Question, text: &Text, cut: bool) -> Found {
    let answered = before_next_question(&text.text).map(|before| read_all(question, before, false));
    answered.filter(|found| found.outcome == Outcome::Answer).unwrap_or_else(|| read_all(question, &text.text, cut))
}

fn read_all(question: &Question, text: &str, cut: bool) -> Found {
    let cues = Cues::for_text(question.language, text);
    let mut all = mentions(cues, text, question, false);
    statement::deny(cues, text, &mut all);
    // An apology may be the text of an option.
    for refusal in cues.anywhere.refuse.find_iter(text) {
        let from = all.partition_point(|mention| mention.range.start < refusal.start());
        let inside = all[from..].iter_mut().take_while(|mention| mention.range.end <= refusal.end());
        inside.filter(|mention| !mention.is_letter()).for_each(|mention| mention.listed = true);
    }
    let (echoes, stated): (Vec<Statement>, Vec<Statement>) =
        statements(cues, text, &all, false).into_iter().partition(|statement| is_echo(statement, question.slots()));
    for echo in echoes {
        let from = all.partition_point(|mention| mention.range.start < echo.range.start);
        let inside = all[from..].iter_mut().take_while(|mention| mention.range.start < echo.range.end);
        inside.for_each(|mention| mention.listed = true);
    }
    let found = decide(cues, question, text, &all, &stated, cut);
    match found.outcome {
        Outcome::None if cut => Found { outcome: Outcome::CutOff, rule: Some("cut"), ..found },
        Outcome::None => before_note(question, text, &all).unwrap_or(found),
        _ => found,
    }
}

/// The answer of a short paragraph followed by a note that names no option: `Pride: she smiles.` and `I may be
/// mistaken.`
fn before_note(question: &Question, text: &str, all: &[Mention]) -> Option<Found> {
    let (first, note) = text.trim().split_once("\n\n")?;
    let at = text.len() - text.trim_start().len() + first.len();
    let short = !note.contains("\n\n") && sentences(first).len() == 1;
    (short && all.iter().all(|mention| mention.range.end <= at))
        .then(|| read_all(question, &text[..at], false))
        .filter(|found| found.outcome == Outcome::Answer)
}

/// Whether all options are named together, as in a prompt's instructions.
fn is_echo(statement: &Statement, slots: usize) -> bool {
    let mut distinct = statement.slots.clone();
    distinct.sort_unstable();
    distinct.dedup();
    slots > 2 && distinct.len() == slots
}

fn decide(cues: &Cues, question: &Question, text: &str, all: &[Mention], stated: &[Statement], cut: bool) -> Found {
    let slots = question.slots();
    let mut ends = vec![0; slots];
    all.iter().for_each(|mention| ends[mention.slot] = mention.range.start);
    let presented_last = stated.iter().rfind(|statement| !statement.none && statement.weight >= Weight::Presented);
    let firm: Vec<&Statement> = stated
        .iter()
        .filter(|statement| statement.weight == Weight::Stated && !is_left_behind(&ends, statement))
        // No option fits exactly, but one fits best.
        .filter(|statement| {
            !statement.none || presented_last.is_none_or(|last| last.range.start < statement.range.start)
        })
        .collect();
    // A label alone on the first line is also a statement, and a second answer directly after it contradicts it.
    let first =
        stated.first().filter(|first| first.alone && first.letters && !first.loose && first.weight < Weight::Stated);
    let first = first.filter(|first| !firm.is_empty() && text[..first.range.start].trim().is_empty());
    let firm: Vec<&Statement> = first.into_iter().chain(firm).collect();
    if let Some(last) = firm.last() {
        let open = |mention: &&Mention| mention.range.start >= last.range.end && !last.alone && !mention.denied;
        if let Some(found) = undecided(cues, text, all, stated)
            .filter(|_| all.iter().filter(open).any(|mention| !last.slots.contains(&mention.slot)))
        {
            return found;
        }
        if let Some(found) = excepted(cues, text, all).or_else(|| refusal(cues, text, stated)).filter(|_| last.none) {
            return found;
        }
        if let Some(turn) = reconsidered(cues, text, last) {
            let after = |range: &Range<usize>| range.start.checked_sub(turn).map(|start| start..range.end - turn);
            let all: Vec<Mention> = all
                .iter()
                .filter_map(|mention| Some(Mention { range: after(&mention.range)?, ..mention.clone() }))
                .collect();
            let stated: Vec<Statement> = stated
                .iter()
                .filter_map(|other| Some(Statement { range: after(&other.range)?, ..other.clone() }))
                .collect();
            let found = decide(cues, question, &text[turn..], &all, &stated, cut);
            if found.outcome == Outcome::Answer {
                return Found { range: found.range.map(|range| range.start + turn..range.end + turn), ..found };
            }
            if withdrawn(cues, &text[turn..]) {
                return Found::none("withdrawn", last.range.clone());
            }
        }
        if cut && (breaks_off(text, last) || repeats_list(cues, text, all, last) || begins_list(text, all, last)) {
            return Found::none("cut", last.range.clone());
        }
        return checked(cues, question, text, all, one_of(text, &firm));
    }
    if let Some(found) = weighed::marked(cues, text, all).filter(|_| !cut) {
        return found;
    }
    let lines: Vec<&Statement> = stated.iter().filter(|statement| statement.alone).collect();
    let edges: Vec<&Statement> = lines.iter().copied().filter(|line| at_edge(text, line)).collect();
    if let Some(last) = edges.last()
        && !(cut && (breaks_off(text, last) || all.iter().any(|mention| mention.listed || mention.item)))
        && lines
            .iter()
            .all(|line| line.slots == last.slots || !cut && (edges.contains(line) || last.letters && !line.letters))
        && (!last.loose || lines.len() == 1)
    {
        return Found { rule: Some(if last.letters { "line-label" } else { "line-text" }), ..one_of(text, &edges) };
    }
    let presented: Vec<&Statement> = stated.iter().filter(|statement| statement.weight == Weight::Presented).collect();
    let first_only =
        |statement: &&&Statement| statement.rule != "beginning-label" || all_letters_agree(text, stated, statement);
    let presented: Vec<&Statement> = presented.iter().filter(first_only).copied().collect();
    if cut {
        // A reason after a statement shows that it is complete.
        let reasoned = |statement: &&Statement| {
            let because = cues.anywhere.because.find(ahead(text, statement.range.end));
            because.is_some_and(|because| because.start() <= REASON)
        };
        let reasoned = || match presented[..] {
            [only] if only.letters && reasoned(&only) => Some(one_of(text, &presented)),
            _ => None,
        };
        let refusal = || refusal(cues, text, stated);
        let ended = |found: &Found| {
            found.range.as_ref().is_some_and(|range| text[range.end..].starts_with(['.', '。', '!', '\n']))
        };
        let whole = text.trim_end().ends_with(['.', '。', '!']) && text.ends_with('\n');
        let named =
            || Some(only_named(cues, text, all, stated)).filter(|found| whole && found.outcome == Outcome::Answer);
        let beginning = || beginning(cues, text, all).filter(|found| ended(found) && !all[0].item);
        let first = || first_line(text, all).map(|found| checked(cues, question, text, all, found));
        return beginning().or_else(first).or_else(reasoned).or_else(refusal).or_else(named).unwrap_or_default();
    }
    if let Some(found) = undecided(cues, text, all, stated) {
        return found;
    }
    let last_sentence = sentences(text).pop().map_or(0, |sentence| sentence.start);
    let concluding = concluding(cues, text, all);
    let concluded = concluding.clone().filter(|found| found.range.as_ref().is_some_and(|at| at.start >= last_sentence));
    let closing = excepted(cues, text, all).or_else(|| closing(cues, text, all)).or(concluded);
    if let Some(last) = presented.last()
        && closing.as_ref().is_none_or(|found| found.range.as_ref().is_none_or(|range| range.start <= last.range.start))
    {
        return one_of(text, &presented);
    }
    let found = beginning(cues, text, all).or(closing).or(concluding);
    let found = found.or_else(|| last_verdict(cues, question, text, all));
    if let Some(found) = found {
        return found;
    }
    let more = || weighed::weighed(text, all).or_else(|| weighed::left_over(all, slots));
    if let Some(found) = refusal(cues, text, stated).or_else(more) {
        return found;
    }
    let doubted: Vec<&Statement> = stated.iter().filter(|statement| statement.weight == Weight::Doubted).collect();
    if !doubted.is_empty() {
        return Found { rule: Some("doubted"), ..only_one(&doubted) };
    }
    let found = only_named(cues, text, all, stated);
    let wording = || {
        all.is_empty()
            && !cues.anywhere.not.is_match(text)
            && !cues.anywhere.wrong.is_match(text)
            && !text.contains('?')
    };
    let reworded = || in_other_words(cues, question, text, all);
    match found.outcome {
        Outcome::None if wording() && (sentences(text).len() == 1 || cues.anywhere.predicts.is_match(text)) => {
            near(cues, text, question.options, 1, false).or_else(reworded).unwrap_or(found)
        }
        Outcome::None => reworded().unwrap_or(found),
        // `One might think of the food. No, it's the wood.`
        Outcome::Answer if all.iter().any(|mention| statement::is_doubtful(cues, text, mention)) => {
            reworded().unwrap_or(found)
        }
        _ => found,
    }
}

/// Maximum distance in bytes between a statement and its reason.
const REASON: usize = 16;

/// Whether an apparent correction belongs to a retold story: another option is named after it. `ends` is the last
/// mention of each option.
fn is_left_behind(ends: &[usize], statement: &Statement) -> bool {
    let later = |(slot, &end): (usize, &usize)| end >= statement.range.end && !statement.slots.contains(&slot);
    statement.rule == "correction" && !statement.letters && ends.iter().enumerate().any(later)
}

/// Detects that a reply declines to answer; ambiguous if it names the options it cannot decide between.
fn refusal(cues: &Cues, text: &str, stated: &[Statement]) -> Option<Found> {
    let refusal = cues.anywhere.refuse.find(text)?;
    if text.trim_end().ends_with('?') && cues.anywhere.ask.is_match(text) {
        return Some(Found::none("asks", refusal.range()));
    }
    let undecided = stated.iter().any(|statement| statement.names_several());
    let outcome = if undecided { Outcome::Ambiguous } else { Outcome::Refused };
    Some(Found::without(outcome, "refusal", refusal.range()))
}

/// Detects that a reply ends without deciding between options.
fn undecided(cues: &Cues, text: &str, all: &[Mention], stated: &[Statement]) -> Option<Found> {
    let doubt = cues.anywhere.undecided.find_iter(text).last()?;
    let sentence = sentences(text).into_iter().find(|sentence| doubt.start() < sentence.end)?;
    let behind = all.partition_point(|mention| mention.range.start < sentence.end);
    let open = |mention: &&Mention| !mention.denied && !mention.listed && mention.form != Form::Loose;
    let mut named = all[..behind].iter().filter(open);
    let first = named.next()?;
    let several = named.any(|mention| mention.slot != first.slot);
    let chosen = |statement: &Statement| {
        statement.weight >= Weight::Presented && !statement.names_several() && statement.range.start >= doubt.end()
    };
    // `Both are possible, but B fits better.`
    let after = all.partition_point(|mention| mention.range.start < doubt.end());
    let mut turned = all[after..behind].iter().filter(open);
    let turns = turned.next().is_some_and(|one| {
        cues.anywhere.but.is_match(&text[doubt.end()..one.range.start]) && turned.all(|other| other.slot == one.slot)
    });
    let settled = turns || all[behind..].iter().any(|mention| open(&mention)) || stated.iter().any(chosen);
    (several && !settled).then(|| Found::without(Outcome::Ambiguous, "undecided", doubt.range()))
}

/// The only option that the last sentence names by its label, as its subject or at its end: `The second clue fits (b).`
fn closing(cues: &Cues, text: &str, all: &[Mention]) -> Option<Found> {
    let sentence = sentences(text).pop()?;
    let from = all.partition_point(|mention| mention.range.start < sentence.start);
    let by_label = |mention: &Mention| {
        let in_brackets = text[mention.range.clone()].contains('(') && text[mention.range.end..].starts_with(')');
        mention.form == Form::Ordinal || in_brackets || mention.is_letter() && statement::is_named(cues, text, mention)
    };
    let named: Vec<&Mention> = all[from..]
        .iter()
        .filter(|mention| !mention.denied && !mention.reported && (mention.form != Form::Loose || by_label(mention)))
        .collect();
    let (last, others) = named.split_last().filter(|(last, _)| by_label(last))?;
    // `Between C and D, the text is for D.`
    let chosen = others.len() == 2
        && others.iter().any(|other| other.slot == last.slot)
        && cues.before.and.is_match(&text[others[0].range.end..others[1].range.start]);
    let alone = chosen || others.iter().all(|other| other.slot == last.slot);
    let front = cues.before.option.replace(&text[sentence.start..last.range.start], "").into_owned();
    let front = cues.before.fill.replace(&front, "").into_owned();
    let behind = &text[last.range.end..sentence.end];
    let only = cues.before.only.is_match(&text[sentence.start..last.range.start]);
    // A word of one letter that begins a sentence.
    let word =
        front.is_empty() && behind.starts_with(' ') && text[last.range.clone()].starts_with(['A', 'E', 'O', 'I']);
    let edge =
        only || chosen || !word && !front.contains(char::is_alphanumeric) || !behind.contains(char::is_alphanumeric);
    let words = &text[sentence.clone()];
    let own = &text[others.last().map_or(sentence.start, |other| other.range.end)..sentence.end];
    let own = cues.anywhere.but.find_iter(own).last().map_or(own, |but| &own[but.end()..]);
    // `Who should not have said it is option C`: the denial is about something else.
    let option = cues.before.option.is_match(&text[sentence.start..last.range.start]);
    let denied = match option {
        true => cues.before.not.is_match(&front),
        false => cues.anywhere.wrong.is_match(own) || statement::is_negated(cues, text, last),
    };
    let doubted = cues.anywhere.maybe.is_match(own) || denied || !only && statement::is_supposed(cues, words);
    let said = alone && edge && !doubted && !last.conflict && !last.listed && !last.item && !behind.contains('?');
    said.then(|| Found::answer(vec![last.slot], "last-sentence", last.range.clone()))
}

/// Yes or no as an option, if the last sentence begins with it or consists of it: `No, she does not know.`
fn last_verdict(cues: &Cues, question: &Question, text: &str, all: &[Mention]) -> Option<Found> {
    let sentence = sentences(text).pop()?;
    let inside = &all[all.partition_point(|mention| mention.range.start < sentence.start)..];
    let first = inside.first().filter(|first| first.form == Form::Text && !first.conflict && !first.listed)?;
    let option = normal::normal(question.options.get(first.slot)?);
    let verdict = cues.anywhere.yes.is_match(option.trim()) || cues.anywhere.no.is_match(option.trim());
    let front = &text[sentence.start..first.range.start];
    let opens = !front.contains(char::is_alphanumeric) || cues.before.thus.is_match(front);
    let stops = text[first.range.end..].is_empty() || text[first.range.end..].starts_with([',', '.', '。', '、', '!']);
    (verdict && opens && stops && inside.iter().all(|mention| mention.slot == first.slot))
        .then(|| Found::answer(vec![first.slot], "last-sentence", first.range.clone()))
}

/// The only label excepted from a denial: `Nothing holds except B.`
fn excepted(cues: &Cues, text: &str, all: &[Mention]) -> Option<Found> {
    let sentence = sentences(text).pop()?;
    let from = all.partition_point(|mention| mention.range.start < sentence.start);
    let [one] = &all[from..] else { return None };
    let (front, behind) = (&text[sentence.start..one.range.start], &text[one.range.end..sentence.end]);
    let before = cues.before.except.find(front);
    let front = before.map_or(front, |except| &front[..except.start()]);
    let denies = |part: &str| {
        cues.anywhere.not.is_match(part) || cues.anywhere.neither.is_match(part) || cues.anywhere.wrong.is_match(part)
    };
    let left_out = before.is_some() || cues.after.except.is_match(behind);
    (one.is_letter() && left_out && (denies(front) || denies(behind)))
        .then(|| Found::answer(vec![one.slot], "excepted", one.range.clone()))
}

/// Whether labels of other options are named only far after a statement, if at all, and nothing is said for them.
fn all_letters_agree(text: &str, stated: &[Statement], statement: &Statement) -> bool {
    let aside = |other: &Statement| {
        other.weight == Weight::Named
            && text.get(statement.range.end..other.range.start).is_some_and(|between| says_more(between, 2))
            && !text[other.range.end..].starts_with(['.', ')', ':', '。'])
    };
    let mut others = stated.iter().filter(|other| other.letters && !other.loose && other.slots != statement.slots);
    others.all(aside)
}

/// The last of several statements; ambiguous if it contradicts itself or the one directly before it.
fn one_of(text: &str, statements: &[&Statement]) -> Found {
    let last = statements[statements.len() - 1];
    if last.none {
        return Found::none(last.rule, last.range.clone());
    }
    let mut slots = last.slots.clone();
    let mut from = last.range.start;
    if !last.turns {
        for earlier in statements.iter().rev().skip(1) {
            // `Of C and D, D fits`: the choice follows its candidates.
            let refined = earlier.names_several() && last.slots.iter().all(|slot| earlier.slots.contains(slot));
            if refined || has_prose(&text[earlier.range.end..from]) {
                break;
            }
            from = earlier.range.start;
            slots.extend(&earlier.slots);
        }
    }
    slots.sort_unstable();
    slots.dedup();
    match (slots.len(), last.conflict) {
        (1, false) => Found::answer(slots, last.rule, last.range.clone()),
        _ => Found::without(Outcome::Ambiguous, last.rule, from..last.range.end),
    }
}

/// The option that all statements name; ambiguous if they differ.
fn only_one(statements: &[&Statement]) -> Found {
    let mut slots: Vec<usize> = statements.iter().flat_map(|statement| statement.slots.clone()).collect();
    slots.sort_unstable();
    slots.dedup();
    let last = statements[statements.len() - 1];
    match slots.len() {
        1 if !last.conflict => Found::answer(slots, last.rule, last.range.clone()),
        _ => Found::without(Outcome::Ambiguous, last.rule, statements[0].range.start..last.range.end),
    }
}

/// Whether more than `few` words separate two statements, or twice as many characters in scripts without spaces.
fn says_more(between: &str, few: usize) -> bool {
    let words = between.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count();
    words > few || unspaced(between) > 2 * few
}

/// Number of characters in scripts without spaces.
fn unspaced(text: &str) -> usize {
    text.chars().filter(|&letter| letter as u32 >= 0x3040 && letter.is_alphanumeric()).count()
}

/// Whether two statements are separated by prose, more than a cue.
fn has_prose(between: &str) -> bool {
    says_more(between, 4)
}

/// Whether the length limit may have cut the statement itself.
fn breaks_off(text: &str, statement: &Statement) -> bool {
    let rest = &text[statement.range.end..];
    let word = ["A", "I"].contains(&text[statement.range.clone()].trim());
    let firm = ["brackets", "cue-colon", "cue-is"].contains(&statement.rule);
    let said_whole = statement.alone || statement.letters && firm;
    rest.is_empty() && (word || !said_whole) || rest == ":" && word
}

/// Whether a cue in the last line was followed by a list of options before: the list is about to be repeated.
fn repeats_list(cues: &Cues, text: &str, all: &[Mention], statement: &Statement) -> bool {
    let announced = |mention: &&Mention| {
        mention.listed
            && mention.range.end <= statement.range.start
            && cues.before.colon.is_match(before(text, mention.range.start))
    };
    statement.rule == "cue-colon"
        && !text[statement.range.end..].contains('\n')
        && all.iter().any(|mention| announced(&mention))
}

/// Whether the last line of a text is the next entry of a list that begins with a statement.
fn begins_list(text: &str, all: &[Mention], statement: &Statement) -> bool {
    let next = all.get(all.partition_point(|mention| mention.range.start < statement.range.end));
    let last = text.rfind('\n').map_or(0, |at| at + 1);
    next.is_some_and(|next| {
        next.range.start >= last && statement.slots.iter().all(|slot| slot + 1 == next.slot) && opens_item(text, next)
    })
}

/// Whether a statement is the first or the last line of a text.
fn at_edge(text: &str, statement: &Statement) -> bool {
    let (before, after) = (&text[..statement.range.start], &text[statement.range.end..]);
    let line_before = before.rfind('\n').map_or("", |at| &before[..at]);
    let line_after = after.find('\n').map_or("", |at| &after[at..]);
    line_before.trim().is_empty() || line_after.trim().is_empty()
}

/// The label at the beginning of a reply, in a paragraph that mentions no other option and is not a list entry.
fn first_line(text: &str, all: &[Mention]) -> Option<Found> {
    let first =
        all.first().filter(|first| first.form == Form::Label || first.form == Form::Text && opens_item(text, first))?;
    let end = text.trim_start().find("\n\n")? + text.len() - text.trim_start().len();
    let opens = text[..first.range.start].trim_matches(|mark: char| !mark.is_alphanumeric()).is_empty();
    let closes = text[first.range.end..].starts_with(['.', ')', ':', '\n', ',', ' ', '。', '"', ']']);
    let bare = |text: &str| !text.contains(char::is_alphanumeric);
    let behind = all.partition_point(|mention| mention.range.start <= end);
    let one = all[..behind].iter().all(|mention| mention.slot == first.slot) && !text[..end].contains('?');
    let next = all.get(behind).is_none_or(|next| !(opens_item(text, next) && bare(&text[end..next.range.start])));
    let found = || match first.conflict {
        true => Found::without(Outcome::Ambiguous, "first-line", first.range.clone()),
        false => Found::answer(vec![first.slot], "first-line", first.range.clone()),
    };
    (opens && closes && one && next && first.range.end <= end).then(found)
}

/// An answer by label; ambiguous if the words directly after it are near to another option's text.
fn checked(cues: &Cues, question: &Question, text: &str, all: &[Mention], found: Found) -> Found {
    let Some(range) = found.range.clone().filter(|_| found.outcome == Outcome::Answer) else { return found };
    let rest = text[range.end..].trim_start_matches(['"', ']']);
    let Some(line) = rest.strip_prefix(['.', ')', ':']).and_then(|rest| rest.split(['\n', '.', '。']).next()) else {
        return found;
    };
    let from = all.partition_point(|mention| mention.range.start < range.end);
    let named = all.get(from).filter(|mention| mention.range.start <= text.len() - rest.len() + line.len());
    if let Some(named) = named {
        // `D. It is in the basket`, where that text is C.
        let [before, after] = [&text[range.end..named.range.start], &text[named.range.end..]];
        let ends = after.is_empty() || after.starts_with(['\n', '.', '。']);
        let other = !named.is_letter()
            && !named.denied
            && named.slot != found.slots[0]
            && before.split_whitespace().count() <= 4;
        return if ends && other {
            Found::without(Outcome::Ambiguous, found.rule.unwrap_or("conflict"), range)
        } else {
            found
        };
    }
    let brief = line.split_whitespace().count() <= 6;
    match near(cues, line, question.options, 2, false).filter(|_| brief) {
        Some(other) if other.slots != found.slots => Found::without(Outcome::Ambiguous, "near-text", range),
        _ => found,
    }
}

/// The option text that a reply begins with: `Yes, because`.
fn beginning(cues: &Cues, text: &str, all: &[Mention]) -> Option<Found> {
    let first = all
        .first()
        .filter(|first| matches!(first.form, Form::Text | Form::Part) && !first.conflict && !first.listed)?;
    let opens = text[..first.range.start].trim_matches(|mark: char| !mark.is_alphanumeric()).is_empty();
    let stops = text[first.range.end..].starts_with(['.', ',', '。', '、', '!', ';', ':', '\n', '-']);
    let alone = all.get(1).is_none_or(|second| second.range != first.range);
    // `No. Actually, yes` and `Yes. Hmm, no`.
    let turns = |clause: &str| {
        cues.before.turn.is_match(clause) || clause.trim().ends_with(',') && clause.split_whitespace().count() == 1
    };
    let other =
        |other: &&Mention| other.slot != first.slot && matches!(other.form, Form::Text | Form::Part) && !other.denied;
    if let Some(turned) = all[1..].iter().rfind(other)
        && opens
        && turns(clause(text, turned.range.start))
    {
        return Some(Found::answer(vec![turned.slot], "correction", turned.range.clone()));
    }
    let others = all[1..].iter().any(|other| other.conflict || other.form == Form::Text && other.slot != first.slot);
    (opens && stops && alone && !others).then(|| Found::answer(vec![first.slot], "beginning-text", first.range.clone()))
}

/// The option whose text is named in the last sentence that draws a conclusion.
fn concluding(cues: &Cues, text: &str, all: &[Mention]) -> Option<Found> {
    let mut found = None;
    for sentence in sentences(text) {
        let words = &text[sentence.clone()];
        let from = all.partition_point(|mention| mention.range.start < sentence.start);
        let inside: Vec<&Mention> = all[from..]
            .iter()
            .take_while(|mention| mention.range.end <= sentence.end)
            .filter(|mention| mention.form != Form::Loose && !mention.listed && !mention.denied)
            .filter(|mention| mention.form == Form::Text || mention.form == Form::Part && mention.range.len() > 4)
            .collect();
        let Some(first) = inside.first() else { continue };
        // `He will look in the tin, although it is in the box.`
        let aside = cues.anywhere.because.find_iter(words).map(|found| sentence.start + found.start());
        let aside = aside.filter(|&at| at >= first.range.end).min().unwrap_or(sentence.end);
        let mut inside = inside.iter().filter(|mention| mention.range.start < aside);
        let one = inside.all(|mention| mention.slot == first.slot && !mention.conflict);
        let last = sentence.end == text.trim_end().len() || sentence.end == text.len();
        let predicted = || last && cues.anywhere.predicts.is_match(words) && !statement::is_negated(cues, text, first);
        if (cues.anywhere.therefore.find(words).is_some_and(|found| sentence.start + found.start() < first.range.start)
            || predicted())
            && !statement::is_doubtful(cues, text, first)
            && !words.trim_end().ends_with('?')
        {
            found = one.then(|| Found::answer(vec![first.slot], "concluding-text", first.range.clone()));
        }
    }
    found
}

/// Whether a sentence says little besides an option, or says what somebody will do or thinks, unlike a retold story.
fn is_plain(cues: &Cues, sentence: &str, option: usize) -> bool {
    let rest = sentence.len().saturating_sub(option);
    cues.anywhere.predicts.is_match(sentence) || rest <= if unspaced(sentence) > 0 { 18 } else { 10 }
}

/// Whether another label is joined to a mention by "and" or "or".
fn has_beside(cues: &Cues, text: &str, all: &[Mention], mention: &Mention) -> bool {
    let between = |other: &Mention| {
        let (first, next) = if other.range.start < mention.range.start { (other, mention) } else { (mention, other) };
        text.get(first.range.end..next.range.start)
    };
    let joins = |between: &str| cues.before.or.is_match(between) || cues.before.and.is_match(between);
    let others = all.iter().filter(|other| other.form == Form::Label && !other.denied && other.slot != mention.slot);
    others.filter_map(between).any(joins)
}

/// The only option that a reply names, if it is named like an answer.
fn only_named(cues: &Cues, text: &str, all: &[Mention], stated: &[Statement]) -> Found {
    let named: Vec<&Mention> = all
        .iter()
        .filter(|mention| mention.form != Form::Loose && !mention.listed && !mention.denied && !mention.reported)
        .filter(|mention| mention.is_letter() || !statement::is_negated(cues, text, mention))
        .filter(|mention| !text[mention.range.end..].trim_start_matches(['"', '\'', ')', ' ']).starts_with('?'))
        .filter(|mention| mention.form != Form::Label || statement::is_option(cues, text, mention))
        .collect();
    let texts: Vec<&&Mention> =
        named.iter().filter(|mention| mention.form != Form::Part || mention.range.len() > 4).collect();
    let mut distinct: Vec<usize> = texts.iter().map(|mention| mention.slot).collect();
    distinct.sort_unstable();
    distinct.dedup();
    if let [slot] = distinct[..]
        && let Some(last) = texts.last()
        && !last.conflict
        && !last.range.is_empty()
    {
        if has_beside(cues, text, all, last) {
            return Found { outcome: Outcome::Ambiguous, ..Found::default() };
        }
        let sentences = sentences(text);
        let own = sentences.iter().rfind(|range| range.start <= last.range.start);
        let plain = own.is_some_and(|own| is_plain(cues, &text[own.clone()], last.range.len()));
        let by_label = matches!(last.form, Form::Label | Form::Ordinal);
        let brief = sentences.len() <= if plain || last.form == Form::Label { 2 } else { 1 };
        let in_last = sentences.last() == own;
        let mut denied = all.iter().filter(|mention| mention.denied).peekable();
        let some_denied = denied.peek().is_some();
        if !by_label && denied.any(|mention| mention.slot == slot) {
            return Found::default();
        }
        if brief || in_last && (some_denied || by_label) {
            let rule = if by_label { "only-label" } else { "only-text" };
            return Found::answer(vec![slot], rule, last.range.clone());
        }
    }
    if stated.iter().any(|statement| statement.or || statement.letters && statement.names_several()) {
        return Found { outcome: Outcome::Ambiguous, ..Found::default() };
    }
    Found::default()
}
