//! Own stories in English with translations into Chinese, written by hand.

use serde_json::{Value, json};

use crate::support::context::TestContext;
use crate::support::files::json_lines;

/// A story with its questions in both languages.
#[derive(Clone)]
pub struct Story {
    pub id: String,
    pub task: String,
    pub en: Texts,
    pub zh: Texts,
    pub gold: Vec<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Texts {
    pub story: String,
    pub questions: Vec<(String, Vec<String>)>,
}

impl Texts {
    fn of(value: &Value) -> Texts {
        let text = |value: &Value| value.as_str().unwrap().to_string();
        let options = |value: &Value| value["options"].as_array().unwrap().iter().map(text).collect();
        let questions = value["questions"].as_array().unwrap().iter();
        Texts {
            story: text(&value["story"]),
            questions: questions.map(|question| (text(&question["question"]), options(question))).collect(),
        }
    }

    /// As the built-in prompts show and want it.
    pub fn tagged(&self) -> String {
        let mut lines = vec!["###STORY".to_string(), self.story.clone()];
        for (number, (question, options)) in (1..).zip(&self.questions) {
            lines.extend([format!("###QUESTION {number}"), question.clone(), format!("###OPTIONS {number}")]);
            lines.extend(('A'..).zip(options).map(|(letter, text)| format!("{letter}. {text}")));
        }
        lines.join("\n")
    }
}

pub fn stories() -> Vec<Story> {
    let story = |line: Value| Story {
        id: line["id"].as_str().unwrap().to_string(),
        task: line["task"].as_str().unwrap().to_string(),
        en: Texts::of(&line["en"]),
        zh: Texts::of(&line["zh"]),
        gold: line["gold"].as_array().unwrap().iter().map(|gold| gold.as_u64().unwrap() as usize).collect(),
    };
    json_lines(include_str!("../../data/make/stories.jsonl")).into_iter().map(story).collect()
}

/// Writes stories as a file of own questions, by default in English.
pub fn write(context: &TestContext, name: &str, stories: &[Story], language: &str) -> String {
    let mut lines = String::new();
    for story in stories {
        let texts = if language == "zh" { &story.zh } else { &story.en };
        for (at, ((question, options), gold)) in texts.questions.iter().zip(&story.gold).enumerate() {
            let letter = ["A", "B", "C", "D"][*gold];
            let line = json!({
                "id": format!("{}/{at}", story.id),
                "story_id": story.id,
                "language": language,
                "story": texts.story,
                "question": question,
                "options": options,
                "answer": letter,
                "task": story.task,
            });
            lines.push_str(&format!("{line}\n"));
        }
    }
    context.write(name, lines);
    name.to_string()
}
