//! Decides which mentions state an answer, from the words around them.

use std::ops::Range;

use super::mention::{Form, Mention};
use super::sentence::{ahead, before, clause, sentence_rest};
use super::words::Cues;

/// Strength of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Weight {
    /// Named, neither denied nor called wrong.
    Named,
    /// Named with doubt: `it may be B`.
    Doubted,
    /// Called right, or presented without a noun: `B is correct`, `it's B`.
    Presented,
    /// Stated as the answer.
    Stated,
}

/// One or more options named together, and what is said about them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Statement {
    /// Range of the options named, in the normalised text.
    pub range: Range<usize>,
    /// The slots, in the order named.
    pub slots: Vec<usize>,
    pub weight: Weight,
    /// The rule that found it.
    pub rule: &'static str,
    /// Whether it is on a line, or in a text, of its own.
    pub alone: bool,
    /// Whether all its options are named by labels only.
    pub letters: bool,
    /// Whether its parts contradict each other.
    pub conflict: bool,
    /// Whether it retracts an earlier statement.
    pub turns: bool,
    /// Whether its options are joined by `or`.
    pub or: bool,
    /// Whether it states that no option is right.
    pub none: bool,
    /// Whether a label is in another case or script, or a number.
    pub loose: bool,
}

impl Statement {
    /// Whether it names more than one option.
    pub fn names_several(&self) -> bool {
        self.slots.iter().any(|slot| *slot != self.slots[0])
    }
}

/// Words after a label that introduce a reason or contrast.
const REASONS: &str = "because since as but for due based given makes weil denn da car parce puisque porque pues ya pois perché \
    poiché çünkü zira vì потому поскольку لأن لأنه لأنها क्योंकि কারণ 因为";

/// Other words that may follow the label `A` without making it an article.
const LINKS: &str =
    "is was and or would seems who which here und oder et ou y o e oppure ve veya ile và hoặc hay и или";

fn is_among(words: &str, word: &str) -> bool {
    words.split(' ').any(|known| known == word)
}

/// Whether a word may follow the label `A`.
fn follows_label(word: &str) -> bool {
    is_among(REASONS, word) || is_among(LINKS, word)
}

/// Whether a clause has begun: it contains more than a name with a colon.
fn is_within(clause: &str) -> bool {
    clause.contains(char::is_alphanumeric) && !clause.trim_end_matches(['"', ' ', '(', '\'']).ends_with(':')
}

/// Labels that are also words of one letter, in some language.
const WORDS: [&str; 22] =
    ["A", "a", "I", "i", "E", "e", "O", "o", "y", "u", "А", "а", "В", "в", "И", "и", "К", "к", "О", "о", "С", "с"];

/// Whether a label that is also a word is used as a label, judging by its context.
fn is_label(cues: &Cues, text: &str, mention: &Mention) -> bool {
    let label = &text[mention.range.clone()];
    if !mention.is_letter() || mention.form == Form::Run || !WORDS.contains(&label) {
        return true;
    }
    let rest = ahead(text, mention.range.end);
    let front = before(text, mention.range.start);
    if mention.form == Form::Loose && label.starts_with(char::is_lowercase) {
        let closed = rest.is_empty() || rest.starts_with([')', ']', '"', '.', ':', '\n']);
        let opened = front.is_empty() || front.ends_with(['(', '[', '"', '\n']) || cues.before.colon.is_match(front);
        let word: String = rest.trim_start().chars().take_while(|letter| letter.is_alphabetic()).collect();
        let announced =
            cues.before.option.is_match(front) || cues.before.is.is_match(clause(text, mention.range.start));
        return closed && (opened || announced) || announced && follows_label(&word);
    }
    let Some(after_space) = rest.strip_prefix(' ') else {
        return !rest.starts_with(|next: char| next.is_alphanumeric() && next.is_ascii());
    };
    let word: String = after_space.chars().take_while(|letter| letter.is_alphabetic()).collect();
    match label {
        "I" | "i" => word.is_empty() && !after_space.starts_with('\''),
        _ => {
            let lower = word.to_lowercase();
            // `A certa`: an article.
            let names_answer = cues.anywhere.answer.find(after_space).is_some_and(|noun| noun.start() == 0);
            word.is_empty()
                || follows_label(&lower)
                || word.starts_with(|first: char| first.is_uppercase() || !first.is_ascii()) && label == "A"
                // Within a sentence, articles are not capitalised.
                || label.starts_with(char::is_uppercase)
                    && (is_within(clause(text, mention.range.start))
                        || cues.after.right.is_match(rest) && !names_answer
                        || cues.after.wrong.is_match(rest))
        }
    }
}

/// The part of a clause after its last `but`, and whether the part before was denied or supposed.
fn contrast<'a>(cues: &Cues, clause: &'a str) -> (&'a str, bool) {
    match cues.anywhere.but.find_iter(clause).last() {
        Some(but) => {
            let before = &clause[..but.start()];
            (&clause[but.end()..], cues.anywhere.not.is_match(before) || cues.anywhere.suppose.is_match(before))
        }
        None => (clause, false),
    }
}

/// The text after the last `so` that begins a part of a clause: `if she is out, so`.
fn concluded<'a>(cues: &Cues, clause: &'a str) -> &'a str {
    let opens = |found: &regex::Match| clause[..found.start()].trim_end().ends_with([',', ';', ':', '、']);
    cues.anywhere.therefore.find_iter(clause).filter(opens).last().map_or(clause, |found| &clause[found.end()..])
}

/// Whether a clause supposes something other than that the writer must choose.
pub(super) fn is_supposed(cues: &Cues, clause: &str) -> bool {
    cues.anywhere.suppose.is_match(clause)
        && cues.anywhere.suppose.is_match(&cues.anywhere.forced.replace_all(clause, ""))
}

/// Whether the text before a mention supposes it or attributes it to someone else.
pub(super) fn is_doubtful(cues: &Cues, text: &str, mention: &Mention) -> bool {
    let (main, _) = contrast(cues, clause(text, mention.range.start));
    is_supposed(cues, concluded(cues, main)) || mention.reported
}

/// Whether the text at a range is attributed to someone other than the writer: `Max says "B"`.
fn is_reported(cues: &Cues, text: &str, range: &Range<usize>, letters: bool) -> bool {
    let others = |words: &str| cues.anywhere.says.captures(words).is_some_and(|found| found.get(1).is_none());
    let close = |clause: &str| {
        cues.anywhere.says.captures_iter(clause).last().is_some_and(|found| {
            let says = found.get(0).map_or(0..0, |says| says.range());
            let between = &clause[says.end..];
            // In verb-final languages, this verb belongs to the label before it.
            let of_other = clause[..says.start].trim_end().ends_with(|label: char| label.is_ascii_uppercase());
            let between = between.trim_start_matches([' ', ',', ':', '"', '\'']);
            found.get(1).is_none()
                && !of_other
                && !cues.anywhere.who.is_match(clause)
                && between.chars().count() <= 24
                && !between.contains([',', '、'])
        })
    };
    if letters && (close(clause(text, range.start)) || cues.after.says.is_match(ahead(text, range.end))) {
        return true;
    }
    let behind = ahead(text, range.end);
    let front = text[..range.start].rsplit('\n').next().unwrap_or_default();
    let behind = behind.split('\n').next().unwrap_or_default();
    let (Some(from), Some(to)) = (front.rfind('"'), behind.find('"')) else { return false };
    let more = front[from..].contains(char::is_alphanumeric) || behind[..to].contains(char::is_alphanumeric);
    let speaker = |words: &str| {
        let near = words.char_indices().rev().nth(40).map_or(0, |(at, _)| at);
        others(&words[near..])
    };
    let follows = || {
        let words: String = behind[to + 1..].chars().take(24).collect();
        others(words.split(['.', '。', ';', '!']).next().unwrap_or_default())
    };
    front.matches('"').count() % 2 == 1 && more && (speaker(&front[..from]) || follows())
}

/// Whether the part of a sentence before a mention contains a denial not cancelled by another: `she will not look in
/// the`.
pub(super) fn is_negated(cues: &Cues, text: &str, mention: &Mention) -> bool {
    let (main, _) = contrast(cues, clause(text, mention.range.start));
    let part = main.rsplit([',', ';', ':', '、']).next().unwrap_or_default();
    let (mut negated, mut end) = (false, None);
    for found in cues.anywhere.not.find_iter(part) {
        // Two words of the same denial: `n'est pas`.
        negated ^= end.is_none_or(|end| found.start() > end + 4);
        end = Some(found.end());
    }
    negated
}

/// Whether a label is in brackets after a denied phrase: `neither to comfort him (A) nor to trick him (B)`.
fn is_aside_of_denial(cues: &Cues, clause: &str, mention: &Mention) -> bool {
    let part = clause.strip_suffix('(').and_then(|clause| clause.rsplit([',', ')']).next());
    mention.is_letter() && part.is_some_and(|part| cues.anywhere.nor.is_match(part))
}

/// Marks mentions that are denied or called wrong, including those listed with one that is: `A, B and C can be ruled
/// out`.
pub(super) fn deny(cues: &Cues, text: &str, mentions: &mut Vec<Mention>) {
    // Words that look like labels.
    mentions.retain(|mention| mention.form != Form::Loose || is_label(cues, text, mention));
    for at in 0..mentions.len() {
        // `Ashamed, not jealous`: the denial is about what follows; `the second: she does not know` contains no denial.
        let about_next = mentions.get(at + 1).is_some_and(|next| {
            let between = text.get(mentions[at].range.end..next.range.start).unwrap_or("x");
            let words = cues.before.not.find(between).map_or(between, |not| &between[..not.start()]);
            !words.contains(char::is_alphanumeric) && (words.len() < between.len() || mentions[at].slot == next.slot)
        });
        let mention = &mut mentions[at];
        mention.reported = is_reported(cues, text, &mention.range, mention.is_letter());
        let clause = clause(text, mention.range.start);
        let before = cues.before.not.is_match(clause)
            || cues.before.option.is_match(clause)
                && cues.before.not.is_match(cues.before.option.replace(clause, "").trim_end());
        let rest = sentence_rest(text, mention.range.end);
        let after = !about_next && (cues.after.wrong.is_match(rest) || cues.after.no.is_match(rest));
        // `he did not mean to avoid her (C)`
        let aside = mention.is_letter()
            && clause.ends_with('(')
            && text[mention.range.end..].starts_with(')')
            && is_negated(cues, text, mention);
        mention.denied = before || after || aside || is_aside_of_denial(cues, clause, mention);
        if !mention.is_letter() && cues.anywhere.untrue.is_match(contrast(cues, clause).0) {
            mention.denied = is_negated(cues, text, mention);
        }
    }
    let mut from = 0;
    while from < mentions.len() {
        let (mut to, mut words) = (from + 1, false);
        while to < mentions.len() {
            let Some(between) = text.get(mentions[to - 1].range.end..mentions[to].range.start) else { break };
            if between.len() > 24 || !cues.before.listed.is_match(between) {
                break;
            }
            words |= between.contains(|letter: char| letter.is_alphabetic() || letter == '、');
            to += 1;
        }
        let list = &mut mentions[from..to];
        if words && (list[0].denied || list[list.len() - 1].denied) && list.iter().all(Mention::is_letter) {
            list.iter_mut().for_each(|mention| mention.denied = true);
        }
        from = to;
    }
}

/// Whether two mentions are joined into one answer; `Some(true)` if by `or`.
fn joint(
    cues: &Cues,
    text: &str,
    [one, other]: [&Mention; 2],
    next: Option<&Mention>,
    [several, first]: [bool; 2],
) -> Option<bool> {
    let between = &text[one.range.end..other.range.start];
    if one.denied != other.denied || between.len() > 60 || (!several && between.contains('\n')) {
        return None;
    }
    let or = cues.before.or.is_match(between);
    // After `or`, a capital letter is not an article.
    let after_or = or && one.is_letter() && &text[other.range.clone()] == "A";
    if !after_or && !is_label(cues, text, other) {
        return None;
    }
    if or {
        return Some(true);
    }
    if !between.is_empty() && !cues.before.and.is_match(between) {
        return None;
    }
    // `B, A is wrong`: the second is the subject of another clause.
    let bare_comma = !several && first && between.trim() == ",";
    let rest = sentence_rest(text, other.range.end);
    let goes_on = next.and_then(|next| text.get(other.range.end..next.range.start));
    let goes_on = goes_on
        .is_some_and(|rest| rest.len() < 24 && (cues.before.or.is_match(rest) || cues.before.and.is_match(rest)));
    let judged = cues.after.wrong.is_match(rest) || bare_comma && rest.starts_with(' ') && !goes_on;
    (!judged).then_some(false)
}

/// All statements of a text, in order. `several` if an answer may name more than one option.
pub(super) fn statements(cues: &Cues, text: &str, mentions: &[Mention], several: bool) -> Vec<Statement> {
    let mut statements = Vec::new();
    let mut at = 0;
    while at < mentions.len() {
        // An article is not a label.
        let bracket = text[..mentions[at].range.start].ends_with('[');
        if !bracket && !is_label(cues, text, &mentions[at]) {
            at += 1;
            continue;
        }
        let mut members = vec![at];
        let mut or = false;
        let same_place = |one: usize, other: usize| mentions[one].range == mentions[other].range;
        while let Some(next) = mentions.get(at + members.len()) {
            let last = at + members.len() - 1;
            if same_place(last, last + 1) {
                or = true;
            } else if let Some(by_or) =
                joint(cues, text, [&mentions[last], next], mentions.get(last + 2), [several, members.len() == 1])
            {
                or |= by_or;
            } else {
                break;
            }
            members.push(last + 1);
        }
        let members: Vec<&Mention> = members.iter().map(|&member| &mentions[member]).collect();
        let last = at.checked_sub(1).map(|last| &mentions[last]);
        let corrects = last.is_some_and(|last| is_instead(text, last, members[0]));
        let from = last.map_or(0, |last| last.range.end);
        at += members.len();
        if let Some(statement) = state(cues, text, &members, from, [or, several, corrects]) {
            statements.push(statement);
        }
    }
    for none in cues.anywhere.neither.find_iter(text) {
        let behind = mentions.partition_point(|mention| mention.range.end <= none.start());
        let overlaps = mentions.get(behind).is_some_and(|mention| mention.range.start < none.end());
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

/// Whether an option replaces one denied directly before: `not B, it's A`.
fn is_instead(text: &str, denied: &Mention, mention: &Mention) -> bool {
    let between = text.get(denied.range.end..mention.range.start).unwrap_or_default();
    let said = between.trim_start_matches(|mark: char| !mark.is_alphanumeric());
    denied.denied
        && between.len() <= 40
        && between.contains([',', '、'])
        && !said.is_empty()
        && !between.contains(['\n', '。'])
}

/// The statement about options named together; `None` if they are only listed, denied or supposed.
/// `from` is the end of the mention before them.
fn state(
    cues: &Cues,
    text: &str,
    members: &[&Mention],
    from: usize,
    [or, several, instead]: [bool; 3],
) -> Option<Statement> {
    let (first, last) = (members[0], members[members.len() - 1]);
    let range = first.range.start..last.range.end;
    let before = before(text, range.start);
    let clause = clause(text, range.start);
    let rest = sentence_rest(text, range.end);
    let after = ahead(text, range.end);
    let letters = members.iter().all(|member| member.is_letter());
    let enclosed = before.ends_with('(') && text[range.end..].starts_with(')');
    let loose = members.iter().any(|member| matches!(member.form, Form::Loose)) && !enclosed;
    let part = members.iter().any(|member| member.form == Form::Part);
    let bracketed = bracketed(before, after);
    let listed = members.iter().any(|member| member.listed);
    // A number followed by more text numbers a line of a list.
    let numbers =
        first.form == Form::Loose && text[first.range.clone()].starts_with(|digit: char| digit.is_ascii_digit());

    let line_end = after.find('\n').unwrap_or(after.len());
    let line = &text[range.start - before.len() + before.rfind('\n').map_or(0, |at| at + 1)..range.end + line_end];
    let behind_only = cues.after.only.replace(after, "");
    let ends_line = behind_only.trim_start_matches(|mark: char| mark != '\n' && !mark.is_alphanumeric() && mark != '?');
    let closes = ends_line.is_empty() || ends_line.starts_with('\n');
    let opens = cues.before.line.is_match(before)
        || cues.before.line.is_match(before.trim_end_matches(|mark: char| " [\"'(".contains(mark)));
    // A line with only a word for options before the mention is short.
    let own = before.rsplit('\n').next().unwrap_or_default();
    let announced_line = || {
        own.len() < 64 && cues.before.line.is_match(&cues.before.only.replace(&cues.before.option.replace(own, ""), ""))
    };
    let alone = closes && !line.contains('?') && (opens || announced_line());

    let asked = after.trim_start_matches(['"', '\'', ')', ']', '.']).starts_with('?');
    let denied = members.iter().all(|member| member.denied) && !bracketed;
    let real = is_label(cues, text, first) && (or || is_label(cues, text, last)) || bracketed;
    if asked || denied || !real || numbers && !closes && !bracketed && after.starts_with(['.', ')']) {
        return None;
    }
    let ends = after.trim_start_matches(['"', '\'', ')', ']']);
    let ends = ends.is_empty()
        || ends.starts_with(['\n', '.', ',', '。', '!', ';', '、', ':', '(', '-', '}', '<'])
        || cues.after.is.is_match(ends)
        || cues.after.not.is_match(ends);
    let (main, contrasts) = contrast(cues, clause);
    // `If I had to choose one` supposes nothing.
    let forced = cues.anywhere.forced.find_iter(main).last();
    let main = forced.map_or(main, |forced| &main[forced.end()..]);
    let supposed = is_supposed(cues, concluded(cues, main)) || members.iter().all(|member| member.reported);
    let turns = contrasts || cues.before.turn.is_match(clause) || cues.anywhere.turn.is_match(clause);
    let concludes = cues.before.therefore.is_match(clause) || cues.anywhere.therefore.is_match(clause);
    // `Between A and B I'd choose A`: a doubt applies to what follows it.
    let own = main.len().min(range.start.saturating_sub(from));
    let doubted = cues.anywhere.maybe.is_match(&main[main.len() - own..]);
    let right = (cues.after.right.is_match(rest) || cues.after.yes.is_match(rest)) && !cues.after.wrong.is_match(rest);
    let chosen = cues.after.chosen.is_match(rest);
    let noun_after = right && cues.anywhere.answer.is_match(rest);
    let corrects = instead || cues.before.turn.is_match(clause) || cues.before.but.is_match(clause) && contrasts;
    let (weight, rule) = if bracketed {
        (Weight::Stated, "brackets")
    } else if before.contains([':', '=', '→', '>', ']', '-']) && cues.before.colon.is_match(before) {
        (Weight::Stated, "cue-colon")
    } else if cues.before.is.is_match(clause) && (!loose || ends) {
        (Weight::Stated, "cue-is")
    } else if cues.before.choose.is_match(clause) && (!loose || ends || chosen) && (!part || ends)
        || forced.is_some() && ends && is_bare(cues, main.trim_start_matches([',', ' ', '、']))
    {
        (Weight::Stated, "cue-choose")
    } else if chosen && (!part || alone) {
        (Weight::Stated, "chosen")
    } else if corrects && ends && !part {
        (Weight::Stated, "correction")
    } else if cues.before.noun.is_match(clause) && ends && !right {
        let own_line = alone || !cues.before.option.is_match(clause);
        (if own_line || concludes { Weight::Stated } else { Weight::Presented }, "cue-noun")
    } else if right && !loose {
        (if noun_after || concludes || turns { Weight::Stated } else { Weight::Presented }, "verdict")
    } else if cues.before.thus.is_match(clause) && ends && !part {
        (if concludes || turns { Weight::Stated } else { Weight::Presented }, "cue-thus")
    } else if cues.before.therefore.is_match(clause) && ends {
        (Weight::Stated, "conclusion")
    } else if letters
        && closes
        && after.trim_matches(['.', ' ', '"', '\'', ')', ']']).is_empty()
        && before.trim_end().ends_with([':', '→'])
    {
        (Weight::Presented, "last-colon")
    } else if letters
        && !loose
        && is_bare(cues, clause.trim_start_matches(|mark: char| !mark.is_alphanumeric()))
        && closes
        && after.len() < 4
    {
        (Weight::Presented, "last-label")
    } else if cues.before.maybe.is_match(clause) && !loose && !part {
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
    if supposed && bracketed && cues.anywhere.suppose.find_iter(main).any(|found| main.len() - found.end() < 40) {
        return None;
    }
    let weight = if doubted && weight > Weight::Doubted && rule != "brackets" && rule != "cue-colon" {
        Weight::Doubted
    } else {
        weight
    };
    let mut slots: Vec<usize> =
        members.iter().filter(|member| !member.denied || bracketed).map(|member| member.slot).collect();
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

/// Whether the text after an initial label presents it as the answer: `B, because`.
fn begins(text: &str, first: &Mention, last: &Mention) -> bool {
    let after = text[last.range.end..].trim_start_matches(['"', '\'', ')', ']']);
    let reason = after.trim_start_matches([',', '.', ':', ';', '-', ' ', '、', '。']);
    let word: String =
        reason.chars().take_while(|letter| letter.is_alphabetic()).flat_map(char::to_lowercase).collect();
    let because = is_among(REASONS, &word);
    first.form == Form::Label && (because || after.starts_with([',', '.', ':', ')', '、', '。']))
}

/// Whether a text consists of filler words only.
fn is_bare(cues: &Cues, text: &str) -> bool {
    cues.before.fill.find(text).is_some_and(|fill| fill.start() == 0)
}

/// Whether a line consists of labels only.
fn alone_letter(letters: bool, closes: bool) -> bool {
    letters && closes
}

/// Whether double brackets or a box enclose the mention.
fn bracketed(before: &str, after: &str) -> bool {
    let inside = before.rfind("[[").map(|at| &before[at + 2..]);
    let opens = inside.is_some_and(|inside| !inside.contains(['[', ']', '\n']) && inside.chars().count() <= 24);
    let closes =
        after.find("]]").is_some_and(|at| !after[..at].contains(['[', '\n']) && after[..at].chars().count() <= 80);
    opens && closes
}

/// Whether a label is used as a label; one in another form only if presented as an option.
pub(super) fn is_named(cues: &Cues, text: &str, mention: &Mention) -> bool {
    is_label(cues, text, mention) && (mention.form != Form::Loose || is_option(cues, text, mention))
}

/// Whether a label is presented as an option: `option B`, `(B)`, `"B"`.
pub(super) fn is_option(cues: &Cues, text: &str, mention: &Mention) -> bool {
    let before = before(text, mention.range.start);
    let enclosed =
        before.ends_with(['(', '[', '"', '\'']) && text[mention.range.end..].starts_with([')', ']', '"', '\'']);
    is_label(cues, text, mention) && (cues.before.option.is_match(before) || enclosed)
}
