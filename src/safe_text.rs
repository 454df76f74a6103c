//! Escapes text from data, models and files for the medium that displays it.

use std::borrow::Cow;

/// Text for a terminal, page, picture or Markdown: control characters, characters that override the text direction and
/// Unicode noncharacters become escapes (`\u{1b}`). Line breaks, tabs, joiners and direction marks, which scripts need,
/// stay.
pub fn for_terminal(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unseen) {
        return Cow::Borrowed(text);
    }
    let shown = |character: char| match is_unseen(character) {
        true => character.escape_unicode().to_string(),
        false => character.to_string(),
    };
    Cow::Owned(text.chars().map(shown).collect())
}

/// JSON for a terminal: the same characters as JSON escapes, so that values are unchanged.
pub fn for_json(json: &str) -> Cow<'_, str> {
    if !json.contains(is_unseen) {
        return Cow::Borrowed(json);
    }
    let shown = |character: char| match is_unseen(character) {
        true => character.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect(),
        false => character.to_string(),
    };
    Cow::Owned(json.chars().map(shown).collect())
}

/// Text for TeX, on one line: escapes TeX's special characters and those of [`for_terminal`]; a narrow space before a
/// percent sign.
pub fn for_tex(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let text = for_terminal(text);
    for character in text.replace(" %", "\u{202f}%").chars() {
        match character {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => plain.extend(['\\', character]),
            '\u{202f}' => plain.push_str("\\,"),
            '<' => plain.push_str("\\textless{}"),
            '>' => plain.push_str("\\textgreater{}"),
            '|' => plain.push_str("\\textbar{}"),
            '~' => plain.push_str("\\textasciitilde{}"),
            '^' => plain.push_str("\\textasciicircum{}"),
            '\\' => plain.push_str("\\textbackslash{}"),
            '\n' => plain.push(' '),
            other => plain.push(other),
        }
    }
    plain
}

/// Text for one cell of a CSV file: text that a spreadsheet program would treat as a formula gets a leading apostrophe,
/// which marks text in all of them.
pub fn for_cell(text: &str) -> Cow<'_, str> {
    match text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) {
        true => Cow::Owned(format!("'{text}")),
        false => Cow::Borrowed(text),
    }
}

/// Whether a character must be escaped.
fn is_unseen(character: char) -> bool {
    let turns = matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let none = matches!(character, '\u{fdd0}'..='\u{fdef}') || u32::from(character) & 0xfffe == 0xfffe;
    turns || none || (character.is_control() && !matches!(character, '\n' | '\t'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_to_a_terminal_are_shown_as_text() {
        let check = |text: &str, shown: &str| assert_eq!(for_terminal(text), shown);
        check("Anne's ball\nis\there, \u{7403}", "Anne's ball\nis\there, \u{7403}");
        check("\x1b]0;title\x07\x1b[2J", "\\u{1b}]0;title\\u{7}\\u{1b}[2J");
        check("a\rb\u{9b}31m\u{7f}", "a\\u{d}b\\u{9b}31m\\u{7f}");
        check("\u{202e}txt.exe", "\\u{202e}txt.exe");
        check("a\u{fffe}b\u{1ffff}c\u{fdd0}", "a\\u{fffe}b\\u{1ffff}c\\u{fdd0}");
        // Joiners and direction marks, as used in Persian and Hindi.
        let kept = "\u{0645}\u{06cc}\u{200c}\u{062e} \u{0915}\u{094d}\u{200d}\u{0937}\u{200e}\u{200f}\u{feff}";
        check(kept, kept);
    }

    #[test]
    fn tex_sets_escapes_as_text() {
        assert_eq!(for_tex("\u{202e}a_b"), "\\textbackslash{}u\\{202e\\}a\\_b");
        assert_eq!(for_tex("95 % of a_b & {c}\\"), "95\\,\\% of a\\_b \\& \\{c\\}\\textbackslash{}");
        assert_eq!(for_tex("a|b #1 $x^~\ny"), "a\\textbar{}b \\#1 \\$x\\textasciicircum{}\\textasciitilde{} y");
        assert_eq!(for_tex("<\u{fffe}>"), "\\textless{}\\textbackslash{}u\\{fffe\\}\\textgreater{}");
    }

    #[test]
    fn json_keeps_its_values() {
        let value = serde_json::Value::from("\u{9b}31m \u{202e}txt\u{7f} \u{7403}\u{1fffe}");
        let json = serde_json::to_string(&value).unwrap();
        assert_eq!(for_json(&json), "\"\\u009b31m \\u202etxt\\u007f \u{7403}\\ud83f\\udffe\"");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&for_json(&json)).unwrap(), value);
    }

    #[test]
    fn a_cell_is_no_formula() {
        for formula in ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"] {
            assert_eq!(for_cell(formula), format!("'{formula}"));
        }
        for text in ["", "1=1", "a-b", "\u{4e2d}", "'x"] {
            assert_eq!(for_cell(text), text);
        }
    }
}
