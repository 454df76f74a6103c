//! Which mentions state an answer, by the words around them.

use std::ops::Range;

use super::mention::{Form, Mention};
use super::words::{AFTER, ANYWHERE, BEFORE};

/// How much a statement counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Weight {
    /// Named, and neither denied nor called wrong.
    Named,
    /// Named with doubt: `it may be B`.
    Doubted,
    /// Called right, or presented without a noun: `B is correct`, `it's B`.
    Presented,
    /// Said to be the answer.
    Stated,
}

/// One or more options named together, and what is said of them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Statement {
    /// Where, in the normal text: the options named.
    pub range: Range<usize>,
    /// The slots, in the order in which they are named.
    pub slots: Vec<usize>,
    pub weight: Weight,
    /// The rule that found it.
    pub rule: &'static str,
    /// Whether it stands on a line, or in a text, of its own.
    pub alone: bool,
    /// Whether all of it is named by labels alone.
    pub letters: bool,
    /// Whether its parts contradict each other.
    pub conflict: bool,
    /// Whether it takes back what was said before.
    pub turns: bool,
    /// Whether its options are joined by `or`.
    pub or: bool,
    /// The statement is that no option is right.
    pub none: bool,
    /// Whether a label stands there in other case, in another script or as a number.
    pub loose: bool,
}

/// How far before a mention cues are looked for, in bytes.
const REACH: usize = 260;

/// The text before a place, not further back than cues reach.
pub(super) fn before(text: &str, at: usize) -> &str {
    let mut from = at.saturating_sub(REACH);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    &text[from..at]
}

/// The clause before a place: back to the last end of a sentence or line.
fn clause(text: &str, at: usize) -> &str {
    let before = before(text, at);
    let ends = |(at, mark): (usize, char)| match mark {
        '\n' | '。' | '!' | '?' | ';' => Some(at + mark.len_utf8()),
        '.' if before[at + 1..].starts_with(' ') => Some(at + 1),
        _ => None,
    };
    let start = before.char_indices().filter_map(ends).next_back().unwrap_or(0);
    &before[start..]
}

/// The rest of the sentence behind a place.
fn sentence_rest(text: &str, at: usize) -> &str {
    let rest = &text[at..];
    let end = rest.char_indices().find(|(at, mark)| match mark {
        '\n' | '。' | '!' | '?' => true,
        '.' => rest[at + 1..].starts_with([' ', '\n']) || rest.len() == at + 1,
        _ => false,
    });
    &rest[..end.map_or(rest.len(), |(at, _)| at)]
}

/// Words that may follow the label `A` without making it an article.
const AFTER_LABEL: [&str; 26] = [
    "because", "since", "as", "is", "was", "and", "or", "but", "for", "due", "based", "given", "would", "seems",
    "makes", "who", "which", "here", "weil", "denn", "da", "car", "parce", "puisque", "und", "et",
];

/// Whether a label that is also a word stands there as a label, by what follows.
fn is_label(text: &str, mention: &Mention) -> bool {
    let label = &text[mention.range.clone()];
    if !mention.is_letter() || mention.form == Form::Run || !["A", "a", "I", "i", "o", "e", "y", "O"].contains(&label) {
        return true;
    }
    let rest = &text[mention.range.end..];
    let Some(after_space) = rest.strip_prefix(' ') else {
        return !rest.starts_with(|next: char| next.is_alphanumeric() && next.is_ascii());
    };
    let word: String = after_space.chars().take_while(|letter| letter.is_alphabetic()).collect();
    match label {
        "I" | "i" => word.is_empty() && !after_space.starts_with('\''),
        _ => {
            let lower = word.to_lowercase();
            word.is_empty()
                || AFTER_LABEL.contains(&lower.as_str())
                || word.starts_with(|first: char| first.is_uppercase() || !first.is_ascii()) && label == "A"
        }
    }
}

/// Whether a mention is denied or called wrong.
pub(super) fn is_denied(text: &str, mention: &Mention) -> bool {
    let clause = clause(text, mention.range.start);
    BEFORE.not.is_match(clause)
        || BEFORE.option.is_match(clause) && BEFORE.not.is_match(BEFORE.option.replace(clause, "").trim_end())
        || AFTER.wrong.is_match(sentence_rest(text, mention.range.end))
        || AFTER.no.is_match(sentence_rest(text, mention.range.end))
}

/// Whether what joins two mentions makes them one answer, and whether by `or`.
fn joint(text: &str, one: &Mention, other: &Mention, several: bool) -> Option<bool> {
    let between = &text[one.range.end..other.range.start];
    if is_denied(text, one) != is_denied(text, other) {
        return None;
    }
    if between.len() > 60 || (!several && between.contains('\n')) || !is_label(text, other) {
        return None;
    }
    if BEFORE.or.is_match(between) {
        return Some(true);
    }
    if !between.is_empty() && !BEFORE.and.is_match(between) {
        return None;
    }
    // `B, A is wrong`: the second is the subject of another clause.
    let bare_comma = !several && between.trim() == ",";
    let rest = sentence_rest(text, other.range.end);
    let judged = AFTER.wrong.is_match(rest) || bare_comma && rest.starts_with(' ');
    (!judged).then_some(false)
}

/// All statements of a text, in order. `several` where an answer may name more than one option.
pub(super) fn statements(text: &str, mentions: &[Mention], several: bool) -> Vec<Statement> {
    let mut statements = Vec::new();
    let mut at = 0;
    while at < mentions.len() {
        let mut members = vec![at];
        let mut or = false;
        let same_place = |one: usize, other: usize| mentions[one].range == mentions[other].range;
        while let Some(next) = mentions.get(at + members.len()) {
            let last = at + members.len() - 1;
            if same_place(last, last + 1) {
                or = true;
            } else if let Some(by_or) = joint(text, &mentions[last], next, several) {
                or |= by_or;
            } else {
                break;
            }
            members.push(last + 1);
        }
        let members: Vec<&Mention> = members.iter().map(|&member| &mentions[member]).collect();
        at += members.len();
        if let Some(statement) = state(text, &members, or, several) {
            statements.push(statement);
        }
    }
    for none in ANYWHERE.neither.find_iter(text) {
        let overlaps =
            mentions.iter().any(|mention| mention.range.start < none.end() && none.start() < mention.range.end);
        if !overlaps {
            statements.push(Statement {
                range: none.range(),
                slots: Vec::new(),
                weight: Weight::Stated,
                rule: "none-of-the-options",
                alone: false,
                letters: false,
                conflict: false,
                turns: false,
                or: false,
                none: true,
                loose: false,
            });
        }
    }
    statements.sort_by_key(|statement| statement.range.start);
    statements
}

/// What is said of options that are named together; `None` where they are only in a list, denied or supposed.
fn state(text: &str, members: &[&Mention], or: bool, several: bool) -> Option<Statement> {
    let (first, last) = (members[0], members[members.len() - 1]);
    let range = first.range.start..last.range.end;
    let before = before(text, range.start);
    let clause = clause(text, range.start);
    let rest = sentence_rest(text, range.end);
    let after = &text[range.end..];
    let letters = members.iter().all(|member| member.is_letter());
    let loose = members.iter().any(|member| matches!(member.form, Form::Loose));
    let part = members.iter().any(|member| member.form == Form::Part);
    let bracketed = bracketed(before, after);
    let listed = members.iter().any(|member| member.listed);
    // A number that is followed by more numbers a line of a list.
    let numbers =
        first.form == Form::Loose && text[first.range.clone()].starts_with(|digit: char| digit.is_ascii_digit());

    let line = &text[text[..range.start].rfind('\n').map_or(0, |at| at + 1)..];
    let line = &line[..line.find('\n').unwrap_or(line.len())];
    let behind_only = AFTER.only.replace(after, "");
    let ends_line = behind_only.trim_start_matches(|mark: char| mark != '\n' && !mark.is_alphanumeric() && mark != '?');
    let closes = ends_line.is_empty() || ends_line.starts_with('\n');
    let opens = BEFORE.line.is_match(before)
        || BEFORE.line.is_match(before.trim_end_matches(|mark: char| " [\"'(".contains(mark)));
    let announced_line = BEFORE.line.is_match(&BEFORE.only.replace(&BEFORE.option.replace(before, ""), ""));
    let alone = (opens || announced_line) && closes && !line.contains('?');

    let asked = after.trim_start_matches(['"', '\'', ')', ']', '.']).starts_with('?');
    let denied = members.iter().all(|member| is_denied(text, member)) && !bracketed;
    let real = is_label(text, last) && is_label(text, first) || bracketed;
    if asked || denied || !real || numbers && !closes && !bracketed && after.starts_with(['.', ')']) {
        return None;
    }
    let ends = after.trim_start_matches(['"', '\'', ')', ']']);
    let ends = ends.is_empty()
        || ends.starts_with(['\n', '.', ',', '。', '!', ';', '、', ':', '(', '-', '}', '<'])
        || AFTER.is.is_match(ends);
    let supposed = ANYWHERE.suppose.is_match(clause);
    let turns = BEFORE.turn.is_match(clause) || ANYWHERE.turn.is_match(clause);
    let concludes = BEFORE.therefore.is_match(clause) || ANYWHERE.therefore.is_match(clause);
    let doubted = ANYWHERE.maybe.is_match(clause);
    let right = (AFTER.right.is_match(rest) || AFTER.yes.is_match(rest)) && !AFTER.wrong.is_match(rest);
    let chosen = AFTER.chosen.is_match(rest);
    let noun_after = right && ANYWHERE.answer.is_match(rest);
    let corrects = BEFORE.turn.is_match(clause) || BEFORE.but.is_match(clause) && ANYWHERE.not.is_match(clause);
    let (weight, rule) = if bracketed {
        (Weight::Stated, "brackets")
    } else if BEFORE.colon.is_match(before) {
        (Weight::Stated, "cue-colon")
    } else if BEFORE.is.is_match(clause) && (!loose || ends) {
        (Weight::Stated, "cue-is")
    } else if BEFORE.choose.is_match(clause) && (!loose || ends || chosen) && (!part || ends) {
        (Weight::Stated, "cue-choose")
    } else if chosen && (!part || alone) {
        (Weight::Stated, "chosen")
    } else if corrects && ends && !part {
        (Weight::Stated, "correction")
    } else if BEFORE.noun.is_match(clause) && ends && !right {
        let own_line = alone || !BEFORE.option.is_match(clause);
        (if own_line || concludes { Weight::Stated } else { Weight::Presented }, "cue-noun")
    } else if right && !loose {
        (if noun_after || concludes || turns { Weight::Stated } else { Weight::Presented }, "verdict")
    } else if BEFORE.thus.is_match(clause) && ends && !part {
        (if concludes || turns { Weight::Stated } else { Weight::Presented }, "cue-thus")
    } else if BEFORE.therefore.is_match(clause) && ends {
        (Weight::Stated, "conclusion")
    } else if letters
        && closes
        && after.trim_matches(['.', ' ', '"', '\'', ')', ']']).is_empty()
        && before.trim_end().ends_with([':', '→'])
    {
        (Weight::Presented, "last-colon")
    } else if BEFORE.maybe.is_match(clause) && !loose && !part {
        (Weight::Doubted, "doubted")
    } else {
        (Weight::Named, "named")
    };
    let (weight, rule) = match weight {
        Weight::Named if opens && text[..range.start].trim().is_empty() && begins(text, first, last) => {
            (Weight::Presented, "beginning-label")
        }
        _ => (weight, rule),
    };
    let judged = right || bracketed;
    if (listed && weight < Weight::Stated
        || !several && !judged && (listed || first.item && !alone_letter(letters, closes)))
        || supposed && rule != "brackets" && rule != "cue-colon"
    {
        return None;
    }
    if supposed && bracketed && ANYWHERE.suppose.find_iter(clause).any(|found| clause.len() - found.end() < 40) {
        return None;
    }
    let weight = if doubted && weight > Weight::Doubted && rule != "brackets" && rule != "cue-colon" {
        Weight::Doubted
    } else {
        weight
    };
    let mut slots: Vec<usize> =
        members.iter().filter(|member| !is_denied(text, member) || bracketed).map(|member| member.slot).collect();
    if slots.is_empty() {
        slots = members.iter().map(|member| member.slot).collect();
    }
    Some(Statement {
        range,
        slots,
        weight,
        rule,
        alone,
        letters,
        conflict: members.iter().any(|member| member.conflict),
        turns,
        or,
        none: false,
        loose,
    })
}

/// Whether a reply that begins with a label goes on as one that gives it as its answer: `B, because`.
fn begins(text: &str, first: &Mention, last: &Mention) -> bool {
    let after = text[last.range.end..].trim_start_matches(['"', '\'', ')', ']']);
    let reason = after.trim_start_matches([',', '.', ':', ';', '-', ' ', '、', '。']);
    let word: String =
        reason.chars().take_while(|letter| letter.is_alphabetic()).flat_map(char::to_lowercase).collect();
    let because = AFTER_LABEL.contains(&word.as_str())
        && !["and", "or", "und", "et", "is", "was", "would", "seems"].contains(&word.as_str());
    first.form == Form::Label && (because || after.starts_with([',', '.', ':', ')', '、', '。']))
}

/// Whether only labels stand on a line.
fn alone_letter(letters: bool, closes: bool) -> bool {
    letters && closes
}

/// Whether double brackets, or a box, stand around.
fn bracketed(before: &str, after: &str) -> bool {
    let inside = before.rfind("[[").map(|at| &before[at + 2..]);
    let opens = inside.is_some_and(|inside| !inside.contains(['[', ']', '\n']) && inside.chars().count() <= 24);
    let closes =
        after.find("]]").is_some_and(|at| !after[..at].contains(['[', '\n']) && after[..at].chars().count() <= 80);
    opens && closes
}

/// Whether a label is presented as an option: `option B`, `(B)`, `"B"`.
pub(super) fn is_option(text: &str, mention: &Mention) -> bool {
    let before = before(text, mention.range.start);
    let enclosed =
        before.ends_with(['(', '[', '"', '\'']) && text[mention.range.end..].starts_with([')', ']', '"', '\'']);
    is_label(text, mention) && (BEFORE.option.is_match(before) || enclosed)
}
