//! The parts of a text around a position.

use std::ops::Range;

/// Distance in bytes before and after a mention within which cues are searched.
const REACH: usize = 260;

/// The text after a position, within reach of cues.
pub(super) fn ahead(text: &str, at: usize) -> &str {
    let mut to = text.len().min(at + REACH);
    while !text.is_char_boundary(to) {
        to -= 1;
    }
    &text[at..to]
}

/// The text before a position, within reach of cues.
pub(super) fn before(text: &str, at: usize) -> &str {
    let mut from = at.saturating_sub(REACH);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    &text[from..at]
}

/// The clause before a position: back to the last end of a sentence or line.
pub(super) fn clause(text: &str, at: usize) -> &str {
    let before = before(text, at);
    let ends = |(at, mark): (usize, char)| match mark {
        '\n' | '。' | '!' | '?' | ';' => Some(at + mark.len_utf8()),
        '.' if before[at + 1..].starts_with(' ') => Some(at + 1),
        _ => None,
    };
    let start = before.char_indices().filter_map(ends).next_back().unwrap_or(0);
    &before[start..]
}

/// The rest of the sentence after a position.
pub(super) fn sentence_rest(text: &str, at: usize) -> &str {
    let rest = ahead(text, at);
    let end = rest.char_indices().find(|(at, mark)| match mark {
        '\n' | '。' | '!' | '?' => true,
        '.' => rest[at + 1..].starts_with([' ', '\n']) || rest.len() == at + 1,
        _ => false,
    });
    &rest[..end.map_or(rest.len(), |(at, _)| at)]
}

/// Sentences of a text.
pub(super) fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut sentences = Vec::new();
    let mut from = 0;
    for (at, mark) in text.char_indices() {
        let next = at + mark.len_utf8();
        let ends = match mark {
            '\n' | '。' | '!' | '?' => true,
            '.' if text[..at].ends_with('.') => false,
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
