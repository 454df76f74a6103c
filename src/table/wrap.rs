//! Wraps sentences to the terminal.

/// Most columns of text on a line.
pub const LINE: usize = 78;

/// Columns of text on a line of the narrowest screens.
const LEAST: usize = 36;

/// Size of the terminal, if output goes to one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Screen {
    /// Width in columns; `None` without a terminal: then nothing is cut and no lines are drawn.
    pub width: Option<usize>,
}

/// Wraps a text to lines of at most [`LINE`] columns.
pub fn wrap(text: &str) -> String {
    wrap_to(text, LINE)
}

/// Wraps a text to lines of at most `line` columns, except longer words.
pub fn wrap_to(text: &str, line: usize) -> String {
    let mut wrapped = String::new();
    let mut column = 0;
    for word in text.split(' ') {
        let width = unicode_width::UnicodeWidthStr::width(word);
        if column > 0 && column + 1 + width > line {
            wrapped.push('\n');
            column = 0;
        } else if column > 0 {
            wrapped.push(' ');
            column += 1;
        }
        wrapped.push_str(word);
        column += width;
    }
    wrapped
}

/// Wraps a text behind a prefix, with a hanging indent.
pub fn hanging(prefix: &str, text: &str, screen: Screen) -> String {
    let Some(width) = screen.width else { return format!("{prefix}{text}") };
    let indent = unicode_width::UnicodeWidthStr::width(prefix);
    let columns = width.saturating_sub(indent).max(LEAST);
    let lines: Vec<String> = text.split('\n').map(|line| wrap_to(line, columns)).collect();
    format!("{prefix}{}", lines.join("\n").replace('\n', &format!("\n{}", " ".repeat(indent))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_stay_within_the_line() {
        let text = wrap(&"word ".repeat(60));
        assert!(text.lines().count() > 3 && text.lines().all(|line| line.len() <= LINE), "{text}");
        assert_eq!(wrap("one two"), "one two");
    }
}
