//! Text of data, models and files, made harmless for the place where it is shown.

use std::borrow::Cow;

/// Text for a terminal: characters that command it, or that turn the reading direction around, are shown as escapes
/// (`\u{1b}`). Line breaks and tabs stay.
pub fn for_terminal(text: &str) -> Cow<'_, str> {
    if !text.contains(commands_a_terminal) {
        return Cow::Borrowed(text);
    }
    let shown = |character: char| match commands_a_terminal(character) {
        true => character.escape_unicode().to_string(),
        false => character.to_string(),
    };
    Cow::Owned(text.chars().map(shown).collect())
}

/// JSON for a terminal: the same characters as escapes of JSON, so that the values stay what they are.
pub fn for_json(json: &str) -> Cow<'_, str> {
    if !json.contains(commands_a_terminal) {
        return Cow::Borrowed(json);
    }
    let shown = |character: char| match commands_a_terminal(character) {
        true => format!("\\u{:04x}", u32::from(character)),
        false => character.to_string(),
    };
    Cow::Owned(json.chars().map(shown).collect())
}

/// Text for one cell of a CSV file: what a spreadsheet program would take for a formula gets an apostrophe in front, the
/// sign of text in all of them.
pub fn for_cell(text: &str) -> Cow<'_, str> {
    match text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) {
        true => Cow::Owned(format!("'{text}")),
        false => Cow::Borrowed(text),
    }
}

fn commands_a_terminal(character: char) -> bool {
    let turns = matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || (character.is_control() && !matches!(character, '\n' | '\t'))
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
    }

    #[test]
    fn json_keeps_its_values() {
        let value = serde_json::Value::from("\u{9b}31m \u{202e}txt\u{7f} \u{7403}");
        let json = serde_json::to_string(&value).unwrap();
        assert_eq!(for_json(&json), "\"\\u009b31m \\u202etxt\\u007f \u{7403}\"");
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
