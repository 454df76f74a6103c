//! Own stories in English with translations into Chinese, French and Arabic, written by hand.

use serde_json::{Value, json};

use crate::support::context::TestContext;
use crate::support::files::json_lines;

/// Languages of the translations.
pub const TARGETS: [&str; 3] = ["zh", "fr", "ar"];

/// A story with its questions in all languages.
#[derive(Clone)]
pub struct Story {
    pub id: String,
    pub task: String,
    pub en: Texts,
    pub zh: Texts,
    pub fr: Texts,
    pub ar: Texts,
    /// The options as another hand translates them back into English, question by question.
    pub back: Vec<Vec<String>>,
    pub gold: Vec<usize>,
}

impl Story {
    pub fn texts(&self, language: &str) -> &Texts {
        match language {
            "zh" => &self.zh,
            "fr" => &self.fr,
            "ar" => &self.ar,
            _ => &self.en,
        }
    }

    pub fn texts_mut(&mut self, language: &str) -> &mut Texts {
        match language {
            "zh" => &mut self.zh,
            "fr" => &mut self.fr,
            "ar" => &mut self.ar,
            _ => &mut self.en,
        }
    }

    /// The English as another hand has it from the translation: other words in the options.
    pub fn translated_back(&self) -> Texts {
        let mut texts = self.en.clone();
        texts.questions.iter_mut().zip(&self.back).for_each(|((_, options), back)| options.clone_from(back));
        texts
    }
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

    /// Every text, the story first, as the parts of a translation in the same order.
    pub fn all(&self) -> Vec<&str> {
        let questions = self.questions.iter();
        let texts = questions.flat_map(|(question, options)| [question].into_iter().chain(options).map(String::as_str));
        [self.story.as_str()].into_iter().chain(texts).collect()
    }

    /// The text at a place of [`Texts::all`], to change it.
    pub fn at_mut(&mut self, place: usize) -> &mut String {
        let questions = self.questions.iter_mut();
        let texts = questions.flat_map(|(question, options)| [question].into_iter().chain(options));
        [&mut self.story].into_iter().chain(texts).nth(place).unwrap()
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
        fr: Texts::of(&line["fr"]),
        ar: Texts::of(&line["ar"]),
        back: serde_json::from_value(line["back"].clone()).unwrap(),
        gold: line["gold"].as_array().unwrap().iter().map(|gold| gold.as_u64().unwrap() as usize).collect(),
    };
    json_lines(include_str!("../../data/make/stories.jsonl")).into_iter().map(story).collect()
}

/// Writes stories as a file of own questions, by default in English.
pub fn write(context: &TestContext, name: &str, stories: &[Story], language: &str) -> String {
    let mut lines = String::new();
    for story in stories {
        let texts = story.texts(language);
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
