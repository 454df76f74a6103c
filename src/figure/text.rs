//! Estimated text widths, so that a figure is the same on every machine.

use crate::safe_text::for_terminal;

/// Escapes a text for SVG. XML allows no control characters and no U+FFFE; these are shown as escapes.
pub fn escape(text: &str) -> String {
    for_terminal(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Estimated width in em of a text in a sans-serif face.
pub fn text_width(text: &str) -> f64 {
    let mut width = 0.0;
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        let last = rest.peek().is_none_or(|next| !is_arabic(*next));
        width += if is_arabic(character) { arabic(character, last) } else { advance(character) };
    }
    width
}

fn is_arabic(character: char) -> bool {
    matches!(character, '\u{620}'..='\u{64a}')
}

/// Widths of Noto Sans Arabic: letters are wide at the end of a word and narrow within it.
fn arabic(character: char, last: bool) -> f64 {
    let (within, end) = match character {
        'ا' | 'أ' | 'إ' | 'آ' => (0.27, 0.27),
        'ل' => (0.27, 0.71),
        'ب' | 'ت' | 'ث' => (0.32, 1.06),
        'ن' | 'ي' | 'ى' | 'ئ' => (0.32, 0.76),
        'س' | 'ش' => (0.82, 1.25),
        'ص' | 'ض' => (0.92, 1.33),
        'ج' | 'ح' | 'خ' => (0.6, 0.65),
        'ف' => (0.45, 1.06),
        'ق' => (0.45, 0.79),
        'ك' => (0.47, 0.9),
        'ط' | 'ظ' => (0.67, 0.81),
        'ر' | 'ز' => (0.39, 0.39),
        'ع' | 'غ' | 'ه' | 'ة' | 'و' | 'ؤ' => (0.47, 0.49),
        _ => (0.53, 0.53),
    };
    if last { end } else { within }
}

/// Widths of Noto Sans, rounded up slightly to fit other common fonts.
fn advance(character: char) -> f64 {
    match character {
        'i' | 'j' | 'l' | '\'' | '|' | '.' | ',' | ':' | ';' | '!' | 'I' => 0.29,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | ' ' | '"' | '-' => 0.4,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.93,
        's' | 'c' | 'z' | 'v' | 'x' | 'y' | 'k' => 0.53,
        'A'..='Z' => 0.7,
        ' '..='~' => 0.62,
        '\u{300}'..='\u{36f}' | '\u{64b}'..='\u{65f}' => 0.1,
        // Vowel signs beside a letter, then above and below it.
        '\u{93b}' | '\u{93e}'..='\u{940}' | '\u{949}'..='\u{94c}' | '\u{9be}'..='\u{9c0}' => 0.28,
        '\u{9c7}' | '\u{9c8}' => 0.36,
        '\u{9cb}' | '\u{9cc}' => 0.63,
        '\u{903}' | '\u{982}' | '\u{983}' => 0.43,
        '\u{900}'..='\u{902}' | '\u{93a}' | '\u{93c}' | '\u{941}'..='\u{948}' | '\u{94d}' => 0.02,
        '\u{981}' | '\u{9bc}' | '\u{9c1}'..='\u{9c4}' | '\u{9cd}' => 0.02,
        'ঝ' | 'ল' => 0.8,
        '\u{64a}'..='\u{6ff}' => 0.66,
        '\u{900}'..='\u{9ff}' => 0.65,
        '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' => 1.0,
        '\u{ff00}'..='\u{ff60}' | '\u{20000}'..='\u{3ffff}' => 1.0,
        _ => 0.62,
    }
}

/// Wraps a text to lines of at most `width` em, at spaces, and within words longer than a line.
pub fn lines(text: &str, width: f64) -> Vec<String> {
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
        assert_eq!(escape("a<b & \"c\"\u{1}\u{fffe}"), "a&lt;b &amp; &quot;c&quot;\\u{1}\\u{fffe}");
    }

    #[test]
    fn widths_are_near_those_of_noto_sans() {
        // Measured in Chromium, in em.
        let measured = [
            ("الصندوق", 3.54),
            ("وضعت", 2.96),
            ("السلة", 2.13),
            ("الأحمر", 2.38),
            ("मीरा", 1.52),
            ("टोकरी", 2.19),
            ("गेंद", 1.08),
            ("কোথায়", 2.96),
            ("মিতা", 1.86),
            ("বলটি", 2.16),
            ("কলাগুলো", 3.97),
            ("ঝুড়িতে", 2.82),
        ];
        for (text, width) in measured {
            let ratio = text_width(text) / width;
            assert!((0.9..1.25).contains(&ratio), "{text}: {ratio}");
        }
    }

    #[test]
    fn text_is_broken_at_spaces_and_in_words_too_long() {
        assert_eq!(lines("aa bb cc", 3.2), ["aa bb", "cc"]);
        assert_eq!(lines("aaaaaa b", 2.5), ["aaaa", "aa b"]);
        assert_eq!(lines("甲乙丙", 2.0), ["甲乙", "丙"]);
        assert_eq!(lines("", 2.0), [""]);
    }
}
