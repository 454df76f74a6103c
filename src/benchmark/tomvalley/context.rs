//! The story file of a trial: profiles, backgrounds and dialogues in their several shapes.

use indexmap::IndexMap;
use serde::Deserialize;

use super::super::{Segment, SegmentKind};

/// `story.json` without the parts that are never shown: the key `sketch` holds the answers.
#[derive(Debug, Deserialize)]
pub(super) struct Story {
    #[serde(rename = "characters information")]
    characters: String,
    story: IndexMap<String, Scenario>,
}

#[derive(Debug, Deserialize)]
struct Scenario {
    background: String,
    dialogue: Dialogue,
}

/// Turns by speaker. The order of keys is the order of turns.
type Turns = IndexMap<String, String>;

/// A dialogue in any of the released shapes.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "a dialogue is a text, an object of turns by speaker, or a list of such objects")]
enum Dialogue {
    /// Turns written out.
    Text(String),
    /// One object of turns.
    Object(Turns),
    /// Objects of one or more turns each, or of the keys `speaker` and `line`.
    List(Vec<Turns>),
}

impl Story {
    /// Number of scenarios.
    pub(super) fn scenarios(&self) -> usize {
        self.story.len()
    }

    /// Profile, then background and dialogue of the first `shown` scenarios.
    pub(super) fn segments(&self, shown: usize) -> Vec<Segment> {
        let mut segments = vec![Segment { kind: SegmentKind::Profile, text: self.characters.trim().into() }];
        for (index, scenario) in self.in_order().into_iter().take(shown).enumerate() {
            let number = index + 1;
            let background = format!("Scenario {number}, background: {}", scenario.background.trim());
            let dialogue = format!("Scenario {number}, dialogue:\n{}", scenario.dialogue.lines());
            segments.push(Segment { kind: SegmentKind::Background, text: background.into() });
            segments.push(Segment { kind: SegmentKind::Dialogue, text: dialogue.into() });
        }
        segments
    }

    /// Scenarios by the number their key ends in (`scenario 1`, `scenario_1`, `Scenario1` or `1`).
    fn in_order(&self) -> Vec<&Scenario> {
        let number = |key: &str| {
            let digits: String = key.chars().rev().take_while(char::is_ascii_digit).collect();
            digits.chars().rev().collect::<String>().parse::<usize>().ok()
        };
        let mut scenarios: Vec<_> = self.story.iter().collect();
        if scenarios.iter().all(|(key, _)| number(key).is_some()) {
            scenarios.sort_by_key(|(key, _)| number(key));
        }
        scenarios.into_iter().map(|(_, scenario)| scenario).collect()
    }
}

impl Dialogue {
    /// One line per turn, `name: words`.
    fn lines(&self) -> String {
        match self {
            Dialogue::Text(text) => text.trim().to_string(),
            Dialogue::Object(turns) => turn_lines(turns).join("\n"),
            Dialogue::List(list) => list.iter().flat_map(turn_lines).collect::<Vec<_>>().join("\n"),
        }
    }
}

fn turn_lines(turns: &Turns) -> Vec<String> {
    let line = |name: &str, words: &str| format!("{}: {}", name.trim(), words.trim());
    match (turns.get("speaker"), turns.get("line")) {
        (Some(name), Some(words)) if turns.len() == 2 => vec![line(name, words)],
        _ => turns.iter().map(|(name, words)| line(name, words)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(dialogue: &str, expected: &str) {
        let dialogue: Dialogue = serde_json::from_str(dialogue).unwrap();
        assert_eq!(dialogue.lines(), expected);
    }

    #[test]
    fn every_shape_of_dialogue_becomes_lines_in_order() {
        check(r#""Zoe: 'Hi.'\nAl: 'Yes?'""#, "Zoe: 'Hi.'\nAl: 'Yes?'");
        check(r#"{"Zoe": "Hi.", "Al": "Yes?"}"#, "Zoe: Hi.\nAl: Yes?");
        check(r#"[{"Zoe": "Hi."}, {"Al": "Yes?"}]"#, "Zoe: Hi.\nAl: Yes?");
        check(r#"[{"Zoe": "Hi.", "Al": "Yes?", "Bo": "No."}, {"Al": "Oh."}]"#, "Zoe: Hi.\nAl: Yes?\nBo: No.\nAl: Oh.");
        check(r#"[{"speaker": "Zoe", "line": "Hi."}, {"line": "Yes?", "speaker": "Al"}]"#, "Zoe: Hi.\nAl: Yes?");
    }

    #[test]
    fn scenarios_are_ordered_by_number_and_can_be_cut() {
        let story = r#"{"characters information": "P", "sketch": {"secret": 1}, "story": {
            "scenario_2": {"background": "two", "dialogue": "b"}, "1": {"background": "one", "dialogue": "a"}}}"#;
        let story: Story = serde_json::from_str(story).unwrap();
        let texts = |shown| story.segments(shown).into_iter().map(|segment| segment.text).collect::<Vec<_>>();
        assert_eq!(texts(1), ["P", "Scenario 1, background: one", "Scenario 1, dialogue:\na"].map(Into::into));
        assert_eq!(texts(2).len(), 5);
        assert_eq!(&*texts(2)[4], "Scenario 2, dialogue:\nb");
    }
}
