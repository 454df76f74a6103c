//! Text patterns of prompt packs: literal text with placeholders in single braces, literal braces doubled.

use super::ask::{Span, SpanKind};

/// A parsed pattern, for instance `Story: {story}`.
///
/// `{name}` must have a value. `{name?}` may lack one: its whole paragraph (the text between blank lines) is then
/// omitted. `{{` and `}}` are literal braces. Values are inserted unchanged and never scanned for placeholders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern {
    paragraphs: Vec<Vec<PatternPiece>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum PatternPiece {
    Text(String),
    Value { name: String, optional: bool },
}

/// Separator between two paragraphs.
pub(super) const PARAGRAPH_BREAK: &str = "\n\n";

/// A pattern with unbalanced braces or an invalid placeholder name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem} at character {at}; write literal braces as {{{{ and }}}}")]
pub(super) struct PatternError {
    pub problem: &'static str,
    /// Position in characters, from 0.
    pub at: usize,
}

/// A filled-in pattern: its text, and spans that tile it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Filled {
    pub text: String,
    /// Spans of the text; `message` is 0.
    pub spans: Vec<Span>,
}

impl Filled {
    /// Appends a span. Adjacent spans of kind [`SpanKind::Instruction`] are joined.
    pub fn push(&mut self, kind: SpanKind, text: &str) {
        if text.is_empty() {
            return;
        }
        let start = self.text.len();
        self.text.push_str(text);
        match self.spans.last_mut() {
            Some(last) if kind == SpanKind::Instruction && last.kind == kind => last.bytes.end = self.text.len(),
            _ => self.spans.push(Span { message: 0, kind, bytes: start..self.text.len() }),
        }
    }
}

/// The value of a placeholder: texts with their span kinds.
pub type Value = Vec<(SpanKind, String)>;

impl Pattern {
    /// Parses a pattern.
    pub fn parse(source: &str) -> Result<Pattern, PatternError> {
        let mut paragraphs = vec![Vec::new()];
        let mut text = String::new();
        let mut characters = source.chars().enumerate().peekable();
        while let Some((at, character)) = characters.next() {
            let next = characters.peek().map(|&(_, next)| next);
            match character {
                '{' | '}' if next == Some(character) => {
                    characters.next();
                    text.push(character);
                }
                '}' => return Err(PatternError { problem: "`}` without `{`", at }),
                '{' => {
                    let mut name = String::new();
                    loop {
                        match characters.next() {
                            Some((_, '}')) => break,
                            Some((_, inner)) if inner != '{' => name.push(inner),
                            _ => return Err(PatternError { problem: "`{` without `}`", at }),
                        }
                    }
                    let optional = name.ends_with('?');
                    let name = name.trim_end_matches('?').to_string();
                    if name.is_empty()
                        || !name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
                    {
                        return Err(PatternError { problem: "a placeholder that is not a lower-case name", at });
                    }
                    push_text(&mut paragraphs, &std::mem::take(&mut text));
                    push_part(&mut paragraphs, PatternPiece::Value { name, optional });
                }
                _ => text.push(character),
            }
        }
        push_text(&mut paragraphs, &text);
        Ok(Pattern { paragraphs })
    }

    /// Names of the placeholders, in order, including repetitions.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.paragraphs.iter().flatten().filter_map(|part| match part {
            PatternPiece::Value { name, .. } => Some(name.as_str()),
            PatternPiece::Text(_) => None,
        })
    }

    /// Inserts the values. Fails with the name of a placeholder whose required value is missing.
    pub fn fill(&self, mut value_of: impl FnMut(&str) -> Option<Value>) -> Result<Filled, &str> {
        let mut filled = Filled::default();
        let mut first = true;
        for paragraph in &self.paragraphs {
            let Some(stretches) = fill_paragraph(paragraph, &mut value_of)? else { continue };
            if !std::mem::take(&mut first) {
                filled.push(SpanKind::Instruction, PARAGRAPH_BREAK);
            }
            for (kind, text) in stretches {
                filled.push(kind, &text);
            }
        }
        Ok(filled)
    }
}

/// The spans of one paragraph; `None` if an optional value is absent.
fn fill_paragraph<'p>(
    paragraph: &'p [PatternPiece],
    value_of: &mut impl FnMut(&str) -> Option<Value>,
) -> Result<Option<Value>, &'p str> {
    let mut stretches = Value::new();
    for part in paragraph {
        match part {
            PatternPiece::Text(text) => stretches.push((SpanKind::Instruction, text.clone())),
            PatternPiece::Value { name, optional } => match value_of(name) {
                Some(value) => stretches.extend(value),
                None if *optional => return Ok(None),
                None => return Err(name),
            },
        }
    }
    Ok(Some(stretches))
}

fn push_part(paragraphs: &mut [Vec<PatternPiece>], part: PatternPiece) {
    if let Some(last) = paragraphs.last_mut() {
        last.push(part);
    }
}

fn push_text(paragraphs: &mut Vec<Vec<PatternPiece>>, text: &str) {
    for (index, piece) in text.split(PARAGRAPH_BREAK).enumerate() {
        if index > 0 {
            paragraphs.push(Vec::new());
        }
        if !piece.is_empty() {
            push_part(paragraphs, PatternPiece::Text(piece.to_string()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn filled(source: &str, values: &[(&str, &str)]) -> Result<String, String> {
        let pattern = Pattern::parse(source).map_err(|error| error.to_string())?;
        pattern
            .fill(|name| {
                let value = values.iter().find(|(known, _)| *known == name)?.1;
                Some(vec![(SpanKind::Question, value.to_string())])
            })
            .map(|filled| filled.text)
            .map_err(|name| format!("no {name}"))
    }

    #[test]
    fn values_are_inserted_and_never_searched_again() {
        let values = [("a", "{b}"), ("b", "x")];
        assert_eq!(filled("{a}-{b}", &values).unwrap(), "{b}-x");
        assert_eq!(filled("{{a}} {{{a}}}", &values).unwrap(), "{a} {{b}}");
        assert_eq!(filled("{c}", &values).unwrap_err(), "no c");
    }

    #[test]
    fn a_paragraph_without_its_optional_value_is_left_out() {
        let source = "One.\n\nWho: {who?}\nmore\n\n{what}";
        assert_eq!(filled(source, &[("what", "x")]).unwrap(), "One.\n\nx");
        assert_eq!(filled(source, &[("what", "x"), ("who", "y")]).unwrap(), "One.\n\nWho: y\nmore\n\nx");
        assert_eq!(filled("{who?}\n\n{what}", &[("what", "x")]).unwrap(), "x");
    }

    #[test]
    fn unpaired_braces_are_errors() {
        for source in ["{", "a } b", "{a{b}}", "{}", "{A b}", "{open"] {
            assert!(Pattern::parse(source).is_err(), "{source}");
        }
    }

    proptest! {
        #[test]
        fn text_without_placeholders_comes_back(text in "[a-c\n{}]{0,24}") {
            let escaped = text.replace('{', "{{").replace('}', "}}");
            let filled = Pattern::parse(&escaped).unwrap().fill(|_| None).unwrap();
            prop_assert_eq!(&filled.text, &text);
            prop_assert!(filled.spans.len() <= 1);
        }
    }
}
