//! Finds mentions of options in a reply: by label, text or number.

use std::ops::Range;

use super::normal::normal;
use super::sentence::{ahead, clause};
use super::words::Cues;
use super::{Kind, Question};

/// Form of a mention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// The label as displayed, or a letter that looks the same.
    Label,
    /// One of several labels written as one word: `ABD`.
    Run,
    /// A label in another case or script, or as a number: counts only after a cue.
    Loose,
    /// The whole option text.
    Text,
    /// A text so short or common that it counts only after a cue, or the main part of an option text.
    Part,
    /// `the second option`.
    Ordinal,
}

/// A mention of an option.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Mention {
    /// Range in the normalised text.
    pub range: Range<usize>,
    /// The displayed slot.
    pub slot: usize,
    pub form: Form,
    /// Whether label and adjacent text belong to different options.
    pub conflict: bool,
    /// Part of a list that names the options in sequence.
    pub listed: bool,
    /// Begins a line next to a line that begins with the previous or next label.
    pub item: bool,
    /// Denied or called wrong.
    pub denied: bool,
    /// Attributed to someone other than the writer.
    pub reported: bool,
}

impl Mention {
    fn new(range: Range<usize>, slot: usize, form: Form) -> Self {
        Mention { range, slot, form, conflict: false, listed: false, item: false, denied: false, reported: false }
    }

    /// Whether the mention is a label only.
    pub fn is_letter(&self) -> bool {
        matches!(self.form, Form::Label | Form::Run | Form::Loose)
    }
}

/// Letters that number options in other scripts, by slot; without the Arabic letter that also means `and`.
const SERIES: [&str; 8] = [
    "أبجده\u{0}زحطيكلمنسع",
    "ابتث",
    "АБВГ",
    "कखगघङचछजझञटठडढणत",
    "अबसद",
    "কখগঘঙচছজঝঞটঠডঢণত",
    "アイウエオカキク",
    "甲乙丙丁戊己庚辛",
];

/// Names of Latin letters in other scripts, by slot.
const SPOKEN: [&[&str]; 3] =
    [&["ए", "बी", "सी", "डी", "ई", "एफ"], &["এ", "বি", "সি", "ডি", "ই", "এফ"], &["إيه", "بي", "سي", "دي"]];

/// Letters of other scripts that look like Latin ones.
fn latin_of(letter: char) -> Option<char> {
    const CYRILLIC: &str = "АВЕКМНОРСТХаеорсх";
    const GREEK: &str = "ΑΒΕΖΗΙΚΜΝΟΡΤΧ";
    let find =
        |these: &str, latin: &str| these.chars().position(|known| known == letter).and_then(|at| latin.chars().nth(at));
    find(CYRILLIC, "ABEKMHOPCTXaeopcx").or_else(|| find(GREEK, "ABEZHIKMNOPTX"))
}

/// A label without its decoration.
pub(super) fn core(label: &str) -> String {
    let plain = normal(label);
    let bare = plain.trim_matches(|edge: char| edge.is_whitespace() || "()[]{}.:,;\"'-".contains(edge));
    if bare.is_empty() { plain.trim().to_string() } else { bare.to_string() }
}

fn is_unspaced(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2ffff}')
}

/// Number of a letter's script; a change of script ends a word.
fn script(letter: char) -> u32 {
    match letter {
        '\u{900}'..='\u{97f}' => 1,
        '\u{980}'..='\u{9ff}' => 2,
        '\u{600}'..='\u{6ff}' | '\u{750}'..='\u{77f}' => 3,
        '\u{400}'..='\u{52f}' => 4,
        '\u{3040}'..='\u{309f}' => 7,
        '\u{30a0}'..='\u{30ff}' => 5,
        '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7af}' => 9,
        _ if is_unspaced(letter) => 8,
        _ if letter.is_ascii_digit() => 6,
        _ => 0,
    }
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || unicode_normalization::char::is_combining_mark(letter)
}

/// Turkish endings after a letter, except those that also occur in other languages.
const TURKISH: [&str; 12] =
    ["'dır", "'dir", "'tır", "'tir", "'yı", "'yi", "'dur", "'nın", "'nin", "'ye", "'ya", "'den"];

/// Whether the text at a range is a separate word.
fn stands_alone(text: &str, range: &Range<usize>, digits_before: bool) -> bool {
    let own = text[range.clone()].chars().next().unwrap_or(' ');
    // Chinese characters are words by themselves.
    let joins = |side: char| {
        is_word(side)
            && script(own) != 8
            && (script(side) == script(own) || (side.is_ascii_digit() && script(own) == 0))
            || side == '_'
    };
    let mut before = text[..range.start].chars().rev();
    let mut after = text[range.end..].chars();
    let (first_before, second_before) = (before.next(), before.next());
    let (first_after, second_after) = (after.next(), after.next());
    let elided = |mark: Option<char>, letter: Option<char>| {
        mark == Some('\'') && letter.is_some_and(|letter| is_word(letter) && script(letter) == script(own))
    };
    // Turkish appends endings to a letter after an apostrophe: `C'dir`.
    let inflected = own.is_uppercase() && TURKISH.iter().any(|ending| text[range.end..].starts_with(ending));
    let hyphened =
        first_after == Some('-') && second_after.is_some_and(|next| next.is_lowercase() && script(next) == script(own));
    let abbreviated = first_after == Some('.')
        && second_after.is_some_and(|next| next.is_lowercase())
        && after.next().is_none_or(|next| !is_word(next));
    let abbreviating = first_before == Some('.') && second_before.is_some_and(char::is_lowercase) && own.is_lowercase();
    let decimal = own.is_ascii_digit()
        && (matches!(first_after, Some('.' | ',')) && second_after.is_some_and(|next| next.is_ascii_digit())
            || first_after == Some('%')
            || matches!(first_before, Some('.' | ',')) && second_before.is_some_and(|digit| digit.is_ascii_digit()));
    let joined_before =
        first_before.is_some_and(|side| joins(side) && !(digits_before && side.is_ascii_digit() && script(own) == 0));
    !(joined_before
        || first_after.is_some_and(joins)
        || elided(first_before, second_before)
        || elided(first_after, second_after) && !inflected
        || hyphened
        || abbreviated
        || abbreviating
        || decimal)
}

/// A word of a text, normalised for comparison, with its range.
pub(super) struct Token {
    pub word: String,
    pub range: Range<usize>,
}

impl Token {
    /// Whether it equals a word; in Korean, also with particles after it.
    fn is(&self, word: &str) -> bool {
        self.word == word
            || self.word.starts_with(word) && word.chars().count() > 1 && word.chars().all(|letter| script(letter) == 9)
    }
}

/// Words before an apostrophe in French and Italian.
const ELIDED: [&str; 16] =
    ["l", "d", "j", "n", "s", "c", "qu", "un", "dell", "nell", "all", "sull", "dall", "quell", "quest", "degl"];

/// Words normalised for comparison: without case, punctuation and spelling differences that writers often ignore.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut open = false;
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let end = at + letter.len_utf8();
        // Elided articles and prepositions are separate words: `l'acqua`.
        let elided = tokens.last().is_some_and(|last| ELIDED.contains(&last.word.as_str()));
        let inner = letter == '\'' && open && !elided && letters.peek().is_some_and(|(_, next)| is_word(*next));
        if !is_word(letter) && !inner {
            open = false;
            continue;
        }
        let folded = letter.to_lowercase().map(|lower| match lower {
            'ё' => 'е',
            'أ' | 'إ' | 'آ' | 'ٱ' => 'ا',
            'ى' => 'ي',
            'ة' => 'ه',
            _ => lower,
        });
        if is_unspaced(letter) || !open {
            tokens.push(Token { word: folded.collect(), range: at..end });
        } else if let Some(last) = tokens.last_mut() {
            last.word.extend(folded);
            last.range.end = end;
        }
        open = !is_unspaced(letter);
    }
    tokens
}

pub(super) fn words(text: &str) -> Vec<String> {
    tokens(&normal(text)).into_iter().map(|token| token.word).collect()
}

/// A text that identifies an option, as words.
struct Known {
    words: Vec<String>,
    slot: usize,
    form: Form,
}

/// The texts that identify options: whole, without removable words at the ends, and an initial yes or no if only one
/// option has it.
fn known(cues: &Cues, options: &[String]) -> Vec<Known> {
    let mut known: Vec<Known> = Vec::new();
    for (slot, option) in options.iter().enumerate() {
        let words = words(option);
        if words.is_empty() {
            continue;
        }
        let joined = words.join(" ");
        let is_verdict = cues.anywhere.yes.is_match(&joined) || cues.anywhere.no.is_match(&joined);
        let short = joined.chars().count() < 2 || joined.len() < 4 && !joined.chars().any(is_unspaced);
        known.push(Known { words, slot, form: if is_verdict || short { Form::Part } else { Form::Text } });
    }
    let whole: Vec<Vec<String>> = known.iter().map(|known| known.words.clone()).collect();
    let slots: Vec<usize> = known.iter().map(|known| known.slot).collect();
    let (lead, tail) = (cues.losable("lead"), cues.losable("tail"));
    let mut shorter: Vec<(Vec<String>, usize)> = Vec::new();
    for (words, slot) in whole.iter().zip(&slots) {
        let mut short = words.clone();
        while short.len() > 1 && lead.contains(&short[0]) {
            short.remove(0);
        }
        for ending in &tail {
            let ending = self::words(ending);
            if short.len() > ending.len() && !ending.is_empty() && short.ends_with(&ending) {
                short.truncate(short.len() - ending.len());
                break;
            }
        }
        if short.len() < words.len() && short.concat().len() >= 3 {
            shorter.push((short, *slot));
        }
        let first = &words[..1];
        if words.len() > 1 && (cues.anywhere.yes.is_match(&first[0]) || cues.anywhere.no.is_match(&first[0])) {
            shorter.push((first.to_vec(), *slot));
        }
    }
    for (short, slot) in shorter {
        // Text that also occurs in another option does not distinguish them.
        let elsewhere = whole
            .iter()
            .zip(&slots)
            .any(|(words, other)| *other != slot && words.windows(short.len()).any(|part| part == short));
        if !elsewhere {
            known.push(Known { words: short, slot, form: Form::Part });
        }
    }
    known
}

/// Mentions of option texts: the longest at each position, without overlaps.
fn texts(cues: &Cues, text: &str, options: &[String]) -> Vec<Mention> {
    let known = known(cues, options);
    let tokens = tokens(text);
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let here = |known: &&Known| {
            known.words.len() <= tokens.len() - at
                && tokens[at..].iter().zip(&known.words).all(|(token, word)| token.is(word))
        };
        let longest = known.iter().filter(here).map(|known| known.words.len()).max();
        let Some(length) = longest else {
            at += 1;
            continue;
        };
        let range = tokens[at].range.start..tokens[at + length - 1].range.end;
        for known in known.iter().filter(here).filter(|known| known.words.len() == length) {
            found.push(Mention::new(range.clone(), known.slot, known.form));
        }
        at += length;
    }
    found
}

fn labels(text: &str, question: &Question, digits_before: bool) -> Vec<Mention> {
    let cores: Vec<String> = question.labels.iter().map(|label| core(label)).collect();
    let single = |core: &str| core.chars().count() == 1;
    let latin_letters = cores.iter().enumerate().all(|(slot, core)| {
        single(core)
            && core.chars().next().is_some_and(|letter| letter.to_ascii_uppercase() as usize == b'A' as usize + slot)
    });
    let numbers_free =
        !question.options.iter().any(|option| normal(option).contains(|digit: char| digit.is_ascii_digit()));
    let slots = question.slots();
    let mut found = Vec::new();
    let mut add = |range: Range<usize>, slot: usize, form: Form| {
        if stands_alone(text, &range, digits_before) {
            let enclosed = text[..range.start].ends_with(" (") && text[range.end..].starts_with(") ");
            let letter = text[range.clone()].starts_with(|first: char| first.is_ascii_lowercase());
            let form = if enclosed && letter && form == Form::Loose { Form::Label } else { form };
            found.push(Mention::new(range, slot, form));
        }
    };
    for (at, letter) in text.char_indices() {
        let here = at..at + letter.len_utf8();
        let is = |core: &String, candidate: char| single(core) && core.starts_with(candidate);
        if let Some(slot) = cores.iter().position(|core| is(core, letter)) {
            add(here, slot, if letter.is_ascii_digit() { Form::Loose } else { Form::Label });
            continue;
        }
        if let Some(slot) = latin_of(letter).and_then(|latin| cores.iter().position(|core| is(core, latin))) {
            add(here, slot, if letter.is_lowercase() { Form::Loose } else { Form::Label });
            continue;
        }
        let other_case =
            |core: &String| letter.to_lowercase().chain(letter.to_uppercase()).any(|other| is(core, other));
        if let Some(slot) = cores.iter().position(other_case) {
            add(here, slot, Form::Loose);
            continue;
        }
        if latin_letters || cores.is_empty() {
            let series = SERIES.iter().find_map(|series| series.chars().position(|known| known == letter));
            if let Some(slot) = series.filter(|slot| *slot < slots && !cores.is_empty()) {
                add(here.clone(), slot, Form::Loose);
            }
            if numbers_free && letter.is_ascii_digit() && letter != '0' && (letter as usize - '1' as usize) < slots {
                add(here, letter as usize - '1' as usize, Form::Loose);
            }
        }
    }
    for (slot, core) in cores.iter().enumerate().filter(|(_, core)| !single(core)) {
        let folded = core.to_lowercase();
        for token_start in text.char_indices().map(|(at, _)| at) {
            if text.get(token_start..token_start + core.len()).is_some_and(|part| part.to_lowercase() == folded) {
                add(token_start..token_start + core.len(), slot, Form::Label);
            }
        }
    }
    if latin_letters && !cores.is_empty() {
        for (slot, name) in SPOKEN.iter().flat_map(|names| names.iter().enumerate()).filter(|(slot, _)| *slot < slots) {
            let name = normal(name);
            text.match_indices(&name).for_each(|(at, _)| add(at..at + name.len(), slot, Form::Loose));
        }
    }
    if latin_letters {
        found.extend(letter_runs(text, question));
    }
    found
}

/// Letters written as one word if several answers are expected: `ABD`. Letters of a set must be in alphabetical order;
/// for several questions, their number must match.
fn letter_runs(text: &str, question: &Question) -> Vec<Mention> {
    let slot =
        |letter: char| Some((letter as usize).checked_sub('A' as usize)?).filter(|slot| *slot < question.slots());
    let mut found = Vec::new();
    for word in text.split(|letter: char| !letter.is_ascii_uppercase()).filter(|word| word.len() > 1) {
        let from = word.as_ptr() as usize - text.as_ptr() as usize;
        let Some(slots) = word.chars().map(slot).collect::<Option<Vec<usize>>>() else { continue };
        let wanted = match question.kind {
            Kind::Single => false,
            Kind::Labels => slots.is_sorted_by(|one, other| one < other),
            Kind::Slots => slots.len() == question.count,
        };
        if wanted && stands_alone(text, &(from..from + word.len()), false) {
            found.extend((from..).zip(slots).map(|(at, slot)| Mention::new(at..at + 1, slot, Form::Run)));
        }
    }
    found
}

fn ordinals(cues: &Cues, text: &str, slots: usize) -> Vec<Mention> {
    let mut found = Vec::new();
    for (which, names) in cues.ordinals.iter().enumerate() {
        let slot = if which == 6 { slots.saturating_sub(1) } else { which };
        if slot < slots {
            let named = names.captures_iter(text).filter_map(|found| {
                let name = found.get(0)?;
                (found.get(1).is_none() || is_announced(cues, text, name.range())).then_some(name)
            });
            found.extend(named.map(|name| Mention::new(name.range(), slot, Form::Ordinal)));
        }
    }
    found
}

/// Whether an ordinal without a noun means an option, judging by its context: `the third is correct`.
fn is_announced(cues: &Cues, text: &str, place: Range<usize>) -> bool {
    let (clause, rest) = (clause(text, place.start), ahead(text, place.end));
    let ends = rest.is_empty() || rest.starts_with(['.', ',', '。', '!', ':', '\n', '"']);
    cues.after.right.is_match(rest) && !cues.after.wrong.is_match(rest)
        || ends && [&cues.before.is, &cues.before.choose, &cues.before.colon].iter().any(|cue| cue.is_match(clause))
}

/// Number of mentions kept from the beginning and the end of a text; meaningful replies have no more.
const FIRST: usize = 32;
const LAST: usize = 64;

/// All mentions of options in a text, in order. A label with its text is one mention; labels within texts are not
/// mentions. Of more than 96 mentions, only the first 32 and the last 64 are kept, which bounds the time per text.
pub(super) fn mentions(cues: &Cues, text: &str, question: &Question, digits_before: bool) -> Vec<Mention> {
    let texts = texts(cues, text, question.options);
    // Texts are in order and do not overlap.
    let inside = |mention: &Mention| {
        let behind = texts.partition_point(|text| text.range.end < mention.range.end);
        texts.get(behind).is_some_and(|text| text.range.start <= mention.range.start && text.range != mention.range)
    };
    let mut all: Vec<Mention> =
        labels(text, question, digits_before).into_iter().filter(|label| !inside(label)).collect();
    all.extend(ordinals(cues, text, question.slots()).into_iter().filter(|name| !inside(name)));
    all.extend(texts.iter().cloned());
    all.sort_by_key(|mention| (mention.range.start, usize::MAX - mention.range.end, mention.form != Form::Ordinal));
    let mut kept: Vec<Mention> = Vec::new();
    for mention in all {
        match kept.last_mut() {
            // A text shared by several options, or a part within an ordinal.
            Some(last) if last.range == mention.range && last.form == mention.form && last.slot != mention.slot => {
                kept.push(mention);
            }
            Some(last) if mention.range.start < last.range.end => {}
            // The label decides between several options with the same text.
            Some(last) if last.is_letter() && last.slot != mention.slot && is_settled(text, last, &mention, &texts) => {
            }
            // An article.
            Some(last)
                if mention.form == Form::Ordinal
                    && last.is_letter()
                    && &text[last.range.end..mention.range.start] == " " =>
            {
                *last = mention;
            }
            Some(last) if is_joined(text, last, &mention) => {
                if last.slot == mention.slot {
                    last.range.end = mention.range.end;
                    last.form = Form::Text;
                } else if last.conflict || !tells_apart(text, last, &mention) {
                    kept.push(mention);
                } else {
                    last.conflict = true;
                    last.range.end = mention.range.end;
                }
            }
            _ => kept.push(mention),
        }
    }
    if kept.len() > FIRST + LAST {
        kept.drain(FIRST..kept.len() - LAST);
    }
    mark_lists(text, &mut kept, question.slots());
    mark_items(text, &mut kept);
    kept
}

/// Whether a text directly after a label is also the text of the label's own option.
fn is_settled(text: &str, label: &Mention, mention: &Mention, texts: &[Mention]) -> bool {
    is_joined(text, label, mention)
        && texts[texts.partition_point(|other| other.range.start < mention.range.start)..]
            .iter()
            .take_while(|other| other.range == mention.range)
            .any(|other| other.slot == label.slot)
}

/// Whether two mentions are separated only by punctuation that joins a label to its text.
fn is_joined(text: &str, one: &Mention, other: &Mention) -> bool {
    let between = &text[one.range.end..other.range.start];
    let joining = between.len() <= 6
        && !between.contains('\n')
        && between.chars().all(|mark| " .):]\"'([-=".contains(mark))
        && !(between.trim().is_empty() && one.form == Form::Text && !other.is_letter());
    let label_then_text = one.is_letter() && matches!(other.form, Form::Text | Form::Part);
    let text_then_label =
        matches!(one.form, Form::Text | Form::Part) && other.is_letter() && between.contains(['(', '[', '-']);
    let empty = between.is_empty();
    joining && !empty && (label_then_text || text_then_label)
}

/// Whether a label contradicts the text after it: `B. in the fridge`, where that text is D.
fn tells_apart(text: &str, one: &Mention, other: &Mention) -> bool {
    let between = text[one.range.end..other.range.start].trim();
    let rest = text[other.range.end..].trim_start_matches([' ', '"', '\'', ')', ']']);
    let ends = rest.is_empty() || rest.starts_with(['\n', '.', ',', '。', ';', '}', '!']);
    one.form != Form::Loose && !other.is_letter() && !between.is_empty() && ends
        || one.form == Form::Text && other.form == Form::Label && between.starts_with('(')
}

/// Whether a mention begins a line of a list: its label, a mark, and more.
pub(super) fn opens_item(text: &str, mention: &Mention) -> bool {
    let mut line = text[..mention.range.start].chars().rev();
    let bare = line.by_ref().find(|&mark| mark == '\n' || mark.is_alphanumeric()).is_none_or(|mark| mark == '\n');
    let label_end = text[mention.range.start..]
        .find(|mark: char| !mark.is_alphanumeric())
        .map_or(text.len(), |at| mention.range.start + at);
    let rest = text[label_end..].trim_start_matches([' ', '"', ']']);
    bare && mention.form != Form::Ordinal && rest.starts_with(['.', ')', ':', '-', '、'])
}

/// Marks runs that list the options in sequence, like a prompt: all of them, or at least three from the first.
fn mark_lists(text: &str, mentions: &mut [Mention], slots: usize) {
    let mut from = 0;
    while from < mentions.len() {
        let mut to = from + 1;
        while to < mentions.len()
            && mentions[to].slot == mentions[to - 1].slot + 1
            && mentions[to].range.start - mentions[to - 1].range.end <= 160
        {
            to += 1;
        }
        let length = to - from;
        let run = &mentions[from..to];
        let with_text = run.iter().filter(|mention| mention.form == Form::Text).count();
        let prose = run.windows(2).any(|pair| {
            let between = &text[pair[0].range.end..pair[1].range.start];
            between.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count() > 1
                || between.chars().filter(|&letter| is_unspaced(letter)).count() > 4
        });
        let all = length == slots && slots > 1;
        if run[0].slot == 0 && (all || length >= 3) && with_text * 2 > length && !prose {
            mentions[from..to].iter_mut().for_each(|mention| mention.listed = true);
        }
        from = to;
    }
}

/// Marks adjacent lines that begin with consecutive labels, regardless of their text.
fn mark_items(text: &str, mentions: &mut [Mention]) {
    let items: Vec<usize> = (0..mentions.len()).filter(|&at| opens_item(text, &mentions[at])).collect();
    for pair in items.windows(2) {
        let (one, other) = (&mentions[pair[0]], &mentions[pair[1]]);
        let lines = text[one.range.start..other.range.start].lines().filter(|line| !line.trim().is_empty()).count();
        let numbers = [one, other].iter().all(|item| {
            item.form != Form::Loose || text[item.range.clone()].starts_with(|first: char| first.is_ascii_digit())
        });
        if other.slot == one.slot + 1 && lines == 1 && numbers {
            pair.iter().for_each(|&at| mentions[at].item = true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::Kind;
    use crate::language::Language;

    fn check(labels: &str, options: &[&str], text: &str, expected: &[(usize, &str)]) {
        let labels: Vec<String> = labels.chars().map(String::from).collect();
        let options: Vec<String> = options.iter().map(|option| option.to_string()).collect();
        let question =
            Question { language: Language::En, kind: Kind::Single, labels: &labels, options: &options, count: 1 };
        let text = normal(text);
        let found = mentions(Cues::for_text(question.language, &text), &text, &question, false);
        let found: Vec<(usize, &str)> =
            found.iter().map(|mention| (mention.slot, &text[mention.range.clone()])).collect();
        assert_eq!(found, expected, "{text}");
    }

    const BOXES: [&str; 3] = ["red_box", "blue_bag", "In the green tin."];

    #[test]
    fn labels_stand_alone_and_texts_are_found_however_written() {
        check("ABC", &BOXES, "B", &[(1, "B")]);
        check("ABC", &BOXES, "Bob's C-level, A's", &[]);
        check("abc", &BOXES, "I'd say c'est e.g. b", &[(1, "b")]);
        check("ABC", &BOXES, "选B吧", &[(1, "B")]);
        check("ABC", &BOXES, "the Red Box, C. in the green tin", &[(0, "Red Box"), (2, "C. in the green tin")]);
        check("ABC", &BOXES, "green tin (C)", &[(2, "green tin (C")]);
        check("ABC", &BOXES, "В и С", &[(1, "В"), (2, "С")]);
        check("ABC", &BOXES, "the second option", &[(1, "second option")]);
    }

    #[test]
    fn texts_of_several_options_name_all_of_them() {
        check("ABC", &["Angry", "Sad", "Angry"], "angry", &[(0, "angry"), (2, "angry")]);
        check("AB", &["the tin", "the tin box"], "the tin box", &[(1, "the tin box")]);
    }
}
