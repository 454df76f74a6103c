//! Widths of text, estimated, so that a figure is the same on every machine.

/// Text as SVG holds it, without control characters.
pub fn escape(text: &str) -> String {
    let kept: String = text.chars().filter(|character| !character.is_control()).collect();
    kept.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Estimated width in em of a text in a sans-serif face.
pub fn text_width(text: &str) -> f64 {
    text.chars().map(advance).sum()
}

/// Widths of Noto Sans, rounded up a little, so that other common faces fit too.
fn advance(character: char) -> f64 {
    match character {
        'i' | 'j' | 'l' | '\'' | '|' | '.' | ',' | ':' | ';' | '!' | 'I' => 0.29,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | ' ' | '"' | '-' => 0.4,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.93,
        's' | 'c' | 'z' | 'v' | 'x' | 'y' | 'k' => 0.53,
        'A'..='Z' => 0.7,
        ' '..='~' => 0.62,
        '\u{300}'..='\u{36f}' | '\u{64b}'..='\u{65f}' | '\u{900}'..='\u{903}' | '\u{93a}'..='\u{94f}' => 0.1,
        '\u{981}'..='\u{983}' | '\u{9bc}'..='\u{9cd}' => 0.1,
        'ا' | 'أ' | 'إ' | 'آ' | 'ل' => 0.32,
        'ر' | 'ز' | 'د' | 'ذ' | 'و' | 'ن' | 'ي' | 'ت' | 'ب' => 0.5,
        '\u{600}'..='\u{6ff}' => 0.66,
        '\u{900}'..='\u{9ff}' => 0.65,
        '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' => 1.0,
        '\u{ff00}'..='\u{ff60}' | '\u{20000}'..='\u{3ffff}' => 1.0,
        _ => 0.62,
    }
}

/// Text in lines of at most `width` em, broken at spaces, and within words that fill a line.
pub(super) fn lines(text: &str, width: f64) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.len() - 1;
        let line = &mut lines[last];
        let space = if line.is_empty() { "" } else { " " };
        if text_width(line) + text_width(space) + text_width(word) <= width {
            line.push_str(space);
            line.push_str(word);
            continue;
        }
        if !line.is_empty() {
            lines.push(String::new());
        }
        for character in word.chars() {
            let last = lines.len() - 1;
            if !lines[last].is_empty() && text_width(&lines[last]) + advance(character) > width {
                lines.push(String::new());
            }
            let last = lines.len() - 1;
            lines[last].push(character);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_of_xml_are_escaped() {
        assert_eq!(escape("a<b & \"c\"\u{1}"), "a&lt;b &amp; &quot;c&quot;");
    }

    #[test]
    fn text_is_broken_at_spaces_and_in_words_too_long() {
        assert_eq!(lines("aa bb cc", 3.2), ["aa bb", "cc"]);
        assert_eq!(lines("aaaaaa b", 2.5), ["aaaa", "aa b"]);
        assert_eq!(lines("甲乙丙", 2.0), ["甲乙", "丙"]);
        assert_eq!(lines("", 2.0), [""]);
    }
}
