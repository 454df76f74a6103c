//! The one option that a reply chooses.

use super::mention::{Form, Mention, mentions};
use super::normal::Text;
use super::statement::{Statement, Weight, statements};
use super::words::{ANYWHERE, BEFORE};
use super::{Found, Outcome, Question};

/// What a reply to a question for one option says.
pub(super) fn read(question: &Question, text: &Text, cut: bool) -> Found {
    let all = mentions(&text.text, question, false);
    let stated = statements(&text.text, &all, false);
    let stated: Vec<Statement> = stated.into_iter().filter(|statement| !is_echo(statement, question.slots())).collect();
    let found = decide(&text.text, &all, &stated, cut);
    match found.outcome {
        Outcome::None if cut => Found { outcome: Outcome::CutOff, rule: Some("cut"), ..found },
        _ => found,
    }
}

/// Whether all options are named together, as a prompt does that says how to answer.
fn is_echo(statement: &Statement, slots: usize) -> bool {
    let mut distinct = statement.slots.clone();
    distinct.sort_unstable();
    distinct.dedup();
    slots > 2 && distinct.len() == slots
}

fn decide(text: &str, all: &[Mention], stated: &[Statement], cut: bool) -> Found {
    let firm: Vec<&Statement> = stated
        .iter()
        .filter(|statement| statement.weight == Weight::Stated && !is_left_behind(all, statement))
        .collect();
    if let Some(last) = firm.last() {
        if withdrawn(text, last) {
            return Found::none("withdrawn", last.range.clone());
        }
        if cut && (breaks_off(text, last) || repeats_list(text, all, last)) {
            return Found::none("cut", last.range.clone());
        }
        return one_of(text, &firm);
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
    if cut {
        let refusal =
            || ANYWHERE.refuse.find(text).map(|refusal| Found::without(Outcome::Refused, "refusal", refusal.range()));
        let ended = |found: &Found| {
            found.range.as_ref().is_some_and(|range| text[range.end..].starts_with(['.', '。', '!', '\n']))
        };
        return beginning(text, all).filter(ended).or_else(refusal).unwrap_or_default();
    }
    let presented: Vec<&Statement> = stated.iter().filter(|statement| statement.weight == Weight::Presented).collect();
    let first_only =
        |statement: &&&Statement| statement.rule != "beginning-label" || all_letters_agree(stated, statement);
    let presented: Vec<&Statement> = presented.iter().filter(first_only).copied().collect();
    if !presented.is_empty() {
        return one_of(text, &presented);
    }
    if let Some(found) = beginning(text, all).or_else(|| concluding(text, all)) {
        return found;
    }
    if let Some(refusal) = ANYWHERE.refuse.find(text) {
        return Found::without(Outcome::Refused, "refusal", refusal.range());
    }
    let doubted: Vec<&Statement> = stated.iter().filter(|statement| statement.weight == Weight::Doubted).collect();
    if !doubted.is_empty() {
        return Found { rule: Some("doubted"), ..only_one(&doubted) };
    }
    only_named(text, all, stated)
}

/// Whether what looks like a correction is a turn of the story that is retold: the text of another option follows it.
fn is_left_behind(all: &[Mention], statement: &Statement) -> bool {
    let later = |mention: &Mention| mention.range.start >= statement.range.end;
    let other = |mention: &Mention| !statement.slots.contains(&mention.slot);
    statement.rule == "correction" && !statement.letters && all.iter().any(|mention| later(mention) && other(mention))
}

/// Whether no other option is named by its label than in a statement.
fn all_letters_agree(stated: &[Statement], statement: &Statement) -> bool {
    stated.iter().filter(|other| other.letters && !other.loose).all(|other| other.slots == statement.slots)
}

/// The last of several statements; none where it contradicts itself, or another right before it.
fn one_of(text: &str, statements: &[&Statement]) -> Found {
    let last = statements[statements.len() - 1];
    if last.none {
        return Found::none(last.rule, last.range.clone());
    }
    let mut slots = last.slots.clone();
    let mut from = last.range.start;
    if !last.turns {
        for earlier in statements.iter().rev().skip(1) {
            if has_prose(&text[earlier.range.end..from]) {
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

/// The option that all statements name; none where they differ.
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

/// Whether something is said between two statements: more than a cue.
fn has_prose(between: &str) -> bool {
    let words = between.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count();
    let unspaced = between.chars().filter(|letter| *letter as u32 >= 0x3040 && letter.is_alphanumeric()).count();
    words > 4 || unspaced > 8
}

/// Whether what follows a statement takes it back without another.
fn withdrawn(text: &str, statement: &Statement) -> bool {
    let after = &text[statement.range.end..];
    let Some(turn) = ANYWHERE.turn.find(after) else { return false };
    let rest: String = after[turn.start()..].chars().take(80).collect();
    let close = after[..turn.start()].trim_matches(|mark: char| !mark.is_alphanumeric()).is_empty();
    let reconsiders = [
        "wait",
        "hold on",
        "等等",
        "等一下",
        "不对",
        "attendez",
        "moment",
        "стоп",
        "подожди",
        "待って",
        "انتظر",
        "रुक",
        "দাঁড়",
    ]
    .iter()
    .any(|word| rest.trim_start_matches(|mark: char| !mark.is_alphanumeric()).to_lowercase().starts_with(word));
    close && reconsiders && (ANYWHERE.wrong.is_match(&rest) || rest.len() >= after[turn.start()..].len())
}

/// Whether the length limit may have cut the statement itself.
fn breaks_off(text: &str, statement: &Statement) -> bool {
    let rest = &text[statement.range.end..];
    let word = ["A", "I"].contains(&text[statement.range.clone()].trim());
    let firm = ["brackets", "cue-colon", "cue-is"].contains(&statement.rule);
    let said_whole = statement.alone || statement.letters && firm;
    rest.is_empty() && (word || !said_whole)
}

/// Whether a cue in the last line had a list of all options behind it before: it is about to have one again.
fn repeats_list(text: &str, all: &[Mention], statement: &Statement) -> bool {
    let announced = |mention: &&Mention| {
        mention.listed
            && mention.range.end <= statement.range.start
            && BEFORE.colon.is_match(super::statement::before(text, mention.range.start))
    };
    statement.rule == "cue-colon"
        && !text[statement.range.end..].contains('\n')
        && all.iter().any(|mention| announced(&mention))
}

/// Whether a statement is the first or the last line of a text.
fn at_edge(text: &str, statement: &Statement) -> bool {
    let (before, after) = (&text[..statement.range.start], &text[statement.range.end..]);
    let line_before = before.rfind('\n').map_or("", |at| &before[..at]);
    let line_after = after.find('\n').map_or("", |at| &after[at..]);
    line_before.trim().is_empty() || line_after.trim().is_empty()
}

/// The option text that a reply begins with: `Yes, because`.
fn beginning(text: &str, all: &[Mention]) -> Option<Found> {
    let first = all
        .first()
        .filter(|first| matches!(first.form, Form::Text | Form::Part) && !first.conflict && !first.listed)?;
    let opens = text[..first.range.start].trim_matches(|mark: char| !mark.is_alphanumeric()).is_empty();
    let stops = text[first.range.end..].starts_with(['.', ',', '。', '、', '!', ';', ':', '\n', '-']);
    let alone = all.get(1).is_none_or(|second| second.range != first.range);
    let others = all[1..].iter().any(|other| other.form == Form::Text && other.slot != first.slot);
    (opens && stops && alone && !others).then(|| Found::answer(vec![first.slot], "beginning-text", first.range.clone()))
}

/// Sentences of a text.
fn sentences(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut sentences = Vec::new();
    let mut from = 0;
    for (at, mark) in text.char_indices() {
        let next = at + mark.len_utf8();
        let ends = match mark {
            '\n' | '。' | '!' | '?' => true,
            '.' => text[next..].is_empty() || text[next..].starts_with([' ', '\n', '"', ')']),
            _ => false,
        };
        if ends {
            sentences.push(from..next);
            from = next;
        }
    }
    sentences.push(from..text.len());
    sentences.retain(|range| text[range.clone()].chars().any(char::is_alphanumeric));
    sentences
}

/// The option whose text the last sentence that draws a conclusion names.
fn concluding(text: &str, all: &[Mention]) -> Option<Found> {
    let mut found = None;
    for sentence in sentences(text) {
        let words = &text[sentence.clone()];
        let inside: Vec<&Mention> = all
            .iter()
            .filter(|mention| sentence.start <= mention.range.start && mention.range.end <= sentence.end)
            .filter(|mention| mention.form != Form::Loose && !mention.listed && !denied(text, mention))
            .filter(|mention| mention.form == Form::Text || mention.form == Form::Part && mention.range.len() > 4)
            .collect();
        let Some(first) = inside.first() else { continue };
        let one = inside.iter().all(|mention| mention.slot == first.slot && !mention.conflict);
        if ANYWHERE.therefore.is_match(words) && !ANYWHERE.suppose.is_match(words) && !words.trim_end().ends_with('?') {
            found = one.then(|| Found::answer(vec![first.slot], "concluding-text", first.range.clone()));
        }
    }
    found
}

fn denied(text: &str, mention: &Mention) -> bool {
    super::statement::is_denied(text, mention)
}

/// The only option that a reply names, where it names it as an answer does.
fn only_named(text: &str, all: &[Mention], stated: &[Statement]) -> Found {
    let named: Vec<&Mention> = all
        .iter()
        .filter(|mention| !mention.listed && mention.form != Form::Loose && !denied(text, mention))
        .filter(|mention| mention.form != Form::Label || super::statement::is_option(text, mention))
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
        let sentences = sentences(text);
        let brief = sentences.len() <= 2;
        let in_last = sentences.last().is_some_and(|range| range.start <= last.range.start);
        if brief || in_last && matches!(last.form, Form::Label | Form::Ordinal) {
            let rule = if last.form == Form::Label || last.form == Form::Ordinal { "only-label" } else { "only-text" };
            return Found::answer(vec![slot], rule, last.range.clone());
        }
    }
    if stated.iter().any(|statement| statement.or) {
        return Found { outcome: Outcome::Ambiguous, ..Found::default() };
    }
    Found::default()
}
