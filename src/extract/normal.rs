//! Normalises a reply: Unicode compatibility forms, plain quotes and digits, no Markdown, no LaTeX, no tags; keeps the
//! original position of each character.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Normalised text.
#[derive(Debug, Default)]
pub(super) struct Text {
    pub text: String,
    /// Byte range in the original for each of its bytes.
    places: Vec<(usize, usize)>,
}

/// Struck-out text, which does not count.
static STRUCK: LazyLock<Regex> =
    LazyLock::new(|| regex(r"~~[^~\n]{1,200}~~|(?is)<(?:s|del|strike)>.{1,200}?</(?:s|del|strike)>"));
/// A tag around the answer.
static ANSWER_TAG: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)^<(/?)\s*(?:final[_ -]?)?(?:answer|choice|ans|final|option|result|solution|antwort|réponse|ответ|答案)\s*>",
    )
});
/// An HTML tag, or a special token of a tokenizer or template.
static OTHER_TAG: LazyLock<Regex> =
    LazyLock::new(|| regex(r"(?i)^<(?:\|[^<>|]{1,40}\||/?[a-z][a-z0-9_:-]{0,20}(?:\s[^<>]{0,80})?/?)>"));
/// A LaTeX command with an argument.
static COMMAND: LazyLock<Regex> = LazyLock::new(|| regex(r"^\\([a-zA-Z]+)\s*\{"));
/// A LaTeX command or delimiter without an argument.
static SPACING: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^\\(?:quad|qquad|displaystyle|left|right|hline|begin|end|therefore|[()\[\],;!]|\s)"));

fn regex(text: &str) -> Regex {
    Regex::new(text).expect("a fixed expression")
}

/// Meaning of a closing brace.
enum Brace {
    /// An answer in a box: it becomes double brackets.
    Box,
    /// A command that only changes the appearance of its argument.
    Look,
    /// A brace of the text itself.
    Plain,
}

impl Text {
    /// Normalises the parts of a reply.
    pub fn new(reply: &str, parts: &[Range<usize>]) -> Self {
        let mut text = Text::default();
        text.add_parts(reply, parts);
        text
    }

    /// Appends parts on a new line.
    pub fn go_on(&mut self, reply: &str, parts: &[Range<usize>]) {
        let place = parts.first().map_or(0, |part| part.start);
        self.push("\n", (place, place));
        self.add_parts(reply, parts);
    }

    fn add_parts(&mut self, reply: &str, parts: &[Range<usize>]) {
        for part in parts {
            let mut from = part.start;
            for struck in STRUCK.find_iter(&reply[part.clone()]) {
                self.add(reply, from..part.start + struck.start());
                from = part.start + struck.end();
            }
            self.add(reply, from..part.end);
        }
    }

    /// Original position of a range of this text.
    pub fn place(&self, range: Range<usize>) -> (usize, usize) {
        let start = self.places.get(range.start).map_or(0, |place| place.0);
        let end = range.end.checked_sub(1).and_then(|last| self.places.get(last)).map_or(start, |place| place.1);
        (start, end.max(start))
    }

    fn push(&mut self, written: &str, place: (usize, usize)) {
        self.text.push_str(written);
        self.places.extend(std::iter::repeat_n(place, written.len()));
    }

    fn add(&mut self, reply: &str, range: Range<usize>) {
        let mut braces: Vec<Brace> = Vec::new();
        let (mut at, end) = (range.start, range.end);
        while at < end {
            let rest = &reply[at..end];
            let Some(first) = rest.chars().next() else { break };
            if first == '<'
                && let Some(found) = ANSWER_TAG.captures(rest)
            {
                let whole = found[0].len();
                self.push(if found[1].is_empty() { "\nanswer: " } else { "\n" }, (at, at + whole));
                at += whole;
                continue;
            }
            if first == '<'
                && let Some(found) = OTHER_TAG.find(rest)
            {
                self.push(if is_inline(found.as_str()) { "" } else { "\n" }, (at, at + found.len()));
                at += found.len();
                continue;
            }
            if first == '\\' {
                if let Some(found) = COMMAND.captures(rest) {
                    let whole = found[0].len();
                    let boxed = ["boxed", "fbox", "framebox"].contains(&&found[1]);
                    if boxed {
                        self.push("[[", (at, at + whole));
                    }
                    braces.push(if boxed { Brace::Box } else { Brace::Look });
                    at += whole;
                    continue;
                }
                let dropped = SPACING.find(rest).map_or(0, |found| found.len());
                let newline = rest.starts_with("\\n") && !rest[2..].starts_with(|next: char| next.is_ascii_lowercase());
                let length = if newline { 2 } else { dropped.max(1) };
                self.push(if newline { "\n" } else { "" }, (at, at + length));
                at += length;
                continue;
            }
            let cluster = rest.char_indices().skip(1).find(|(_, next)| !is_combining_mark(*next) && !is_format(*next));
            let length = cluster.map_or(rest.len(), |(length, _)| length);
            let place = (at, at + length);
            at += length;
            match first {
                '{' => braces.push(Brace::Plain),
                '}' => match braces.pop() {
                    Some(Brace::Box) => {
                        self.push("]]", place);
                        continue;
                    }
                    Some(Brace::Look) => continue,
                    Some(Brace::Plain) | None => {}
                },
                '*' | '`' | '$' => continue,
                '_' => {
                    let joins = |side: Option<char>| side.is_some_and(char::is_alphanumeric);
                    if !joins(reply[..place.0].chars().next_back()) || !joins(reply[place.1..].chars().next()) {
                        continue;
                    }
                }
                '#' | '>' if self.at_line_start() => continue,
                _ => {}
            }
            for unit in reply[place.0..place.1].nfkc() {
                if let Some(plain) = plain(unit) {
                    self.push(plain.encode_utf8(&mut [0; 4]), place);
                }
            }
        }
    }

    fn at_line_start(&self) -> bool {
        let line = self.text.rfind('\n').map_or(&self.text[..], |newline| &self.text[newline + 1..]);
        line.trim_matches(['#', '>', ' ']).is_empty()
    }
}

/// Normalised text without positions.
pub(super) fn normal(text: &str) -> String {
    Text::new(text, &[0..text.len()]).text
}

fn is_inline(tag: &str) -> bool {
    let name = tag.trim_matches(['<', '>', '/', ' ']).to_ascii_lowercase();
    ["b", "i", "em", "strong", "u", "span", "code", "mark", "font", "sup", "sub"]
        .contains(&name.split_whitespace().next().unwrap_or_default())
}

/// Invisible characters without meaning here: direction marks, joiners, soft hyphens, variation selectors.
fn is_format(letter: char) -> bool {
    matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}'
        | '\u{ad}' | '\u{fe00}'..='\u{fe0f}' | '\u{20e3}')
}

/// A normalised character; `None` for characters without meaning here.
pub(super) fn plain(letter: char) -> Option<char> {
    let shifted = |first: u32, to: char| char::from_u32(letter as u32 - first + to as u32);
    match letter {
        _ if is_format(letter) => None,
        // Arabic vowel signs and the elongation stroke.
        '\u{640}' | '\u{64b}'..='\u{652}' | '\u{670}' | '\r' => None,
        '\t' | '\u{a0}' | '\u{2028}' => Some(' '),
        '“' | '”' | '„' | '«' | '»' | '「' | '」' | '『' | '』' | '‹' | '›' | '《' | '》' | '〈' | '〉' => {
            Some('"')
        }
        '‘' | '’' | '‚' | 'ʼ' => Some('\''),
        '【' | '〔' | '［' | '⟦' | '〚' | '〖' | '〘' | '❲' | '⦅' | '⁅' | '⟨' | '⟪' | '❨' | '❬' | '❮' | '❰' | '﴿' => {
            Some('[')
        }
        '】' | '〕' | '］' | '⟧' | '〛' | '〗' | '〙' | '❳' | '⦆' | '⁆' | '⟩' | '⟫' | '❩' | '❭' | '❯' | '❱' | '﴾' => {
            Some(']')
        }
        // Katakana middle dot, which also separates list entries.
        '・' => Some('/'),
        '–' | '—' | '−' | '‑' | '‐' | '―' => Some('-'),
        '⇒' | '➡' | '➜' | '⟶' => Some('→'),
        '،' => Some(','),
        '؛' => Some(';'),
        '؟' => Some('?'),
        '।' | '॥' | '。' | '｡' => Some('。'),
        '•' | '·' | '▪' | '●' | '◦' | '‣' => Some('-'),
        '\u{660}'..='\u{669}' => shifted(0x660, '0'),
        '\u{6f0}'..='\u{6f9}' => shifted(0x6f0, '0'),
        '\u{966}'..='\u{96f}' => shifted(0x966, '0'),
        '\u{9e6}'..='\u{9ef}' => shifted(0x9e6, '0'),
        '\u{1f150}'..='\u{1f169}' => shifted(0x1f150, 'A'),
        '\u{1f170}'..='\u{1f189}' => shifted(0x1f170, 'A'),
        '\u{1f1e6}'..='\u{1f1ff}' => shifted(0x1f1e6, 'A'),
        _ => Some(letter),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(written: &str, expected: &str) {
        assert_eq!(normal(written), expected);
    }

    #[test]
    fn notations_of_one_thing_become_one() {
        check("**Answer：** `Ｂ`", "Answer: B");
        check("$\\boxed{\\text{B}}$ \\(C\\)", "[[B]] C");
        check("{\"answer\": \"B\"}", "{\"answer\": \"B\"}");
        check("<b>A</b><answer>B</answer></s>", "A\nanswer: B\n\n");
        check("## ~~A~~ __B__ red_drawer", "  B red_drawer");
        check("【Ｃ】Ⓑ 🅰️ ٣ ３", "[C]B A 3 3");
        check("“إجابةٌ»", "\"إجابة\"");
        check("e\u{301}", "é");
    }

    #[test]
    fn every_character_knows_its_place() {
        let reply = "é **Ｂ**";
        let text = Text::new(reply, &[0..reply.len()]);
        let at = text.text.find('B').unwrap();
        let (start, end) = text.place(at..at + 1);
        assert_eq!(&reply[start..end], "Ｂ");
    }
}
