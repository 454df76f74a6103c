//! The form of texts in prompts and replies.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::make::flag::{Check, Flag};
use crate::make::texts::{Part, QuestionTexts, Texts};
use crate::name::option_letter;

/// Form of the texts in a prompt and of the reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Lines beginning with `###`, options behind their letters.
    Tagged,
    /// An object with the keys `story`, `question`, `option_a`, .. of one question.
    Json,
}

/// Texts as read from a reply, with what a reader should look at.
pub type Read = (Texts, Vec<Flag>);

static TAG: LazyLock<Regex> = LazyLock::new(|| {
    let tag = r"(?i)[*_]*#{2,}\s*(STORY|QUESTION|OPTIONS|ANSWER)\s*(\d*)\s*[*_]*\s*[:：]?[*_]*";
    Regex::new(tag).expect("an expression of this program")
});

static MARKER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)<(/?)(STORY|QUESTION|OPTIONS)\s*\d*>").expect("an expression of this program"));

static LABEL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^[ \t]*[*_]*[(（]?([A-Z])[.)．、:：）][*_]*[ \t]*").expect("an expression of this program")
});

impl Texts {
    /// Returns the texts with a tag before each, in lines.
    pub fn tagged(&self) -> String {
        let mut lines = Vec::new();
        if !self.story.is_empty() {
            lines.extend(["###STORY".to_string(), self.story.clone()]);
        }
        for (number, question) in (1..).zip(&self.questions) {
            lines.extend([format!("###QUESTION {number}"), question.question.clone(), format!("###OPTIONS {number}")]);
            let options = question.options.iter().enumerate();
            lines.extend(options.map(|(at, text)| format!("{}. {text}", option_letter(at))));
        }
        lines.join("\n")
    }

    /// Returns all questions in tags and markers, without the story.
    pub fn marked_questions(&self) -> String {
        let question = |(number, question): (usize, &QuestionTexts)| {
            let options = question.options.iter().enumerate();
            let options: Vec<String> = options.map(|(at, text)| format!("{}. {text}", option_letter(at))).collect();
            format!(
                "<QUESTION>\n###QUESTION {number}: {}\n</QUESTION>\n<OPTIONS>\n###OPTIONS {number}: {}\n</OPTIONS>",
                question.question,
                options.join(" ")
            )
        };
        (1..).zip(&self.questions).map(question).collect::<Vec<_>>().join("\n\n")
    }

    /// Returns the first question with the story as a JSON object.
    pub fn json(&self) -> String {
        let mut all = serde_json::Map::new();
        all.insert("story".to_string(), Value::from(self.story.clone()));
        if let Some(question) = self.questions.first() {
            all.insert("question".to_string(), Value::from(question.question.clone()));
            for (at, option) in question.options.iter().enumerate() {
                all.insert(option_key(at), Value::from(option.clone()));
            }
        }
        format!("{:#}", Value::Object(all))
    }

    /// Reads a reply with as many questions and options as `self` has.
    ///
    /// # Errors
    /// A tag, key or option is missing or stands twice.
    pub fn read(&self, form: Form, reply: &str) -> Result<Read, Flag> {
        match form {
            Form::Tagged => self.read_tagged(reply),
            Form::Json => self.read_json(reply),
        }
    }

    fn read_tagged(&self, reply: &str) -> Result<Read, Flag> {
        let reply = reply.trim().trim_matches('`');
        let text = match TAG.is_match(reply) {
            true => MARKER.replace_all(reply, ""),
            false => MARKER.replace_all(reply, |found: &regex::Captures<'_>| match &found[1] {
                "" => format!("\n###{}\n", found[2].to_uppercase()),
                _ => "\n".to_string(),
            }),
        };
        let tags: Vec<(String, String, std::ops::Range<usize>)> = TAG
            .captures_iter(&text)
            .filter_map(|found| Some((found[1].to_uppercase(), found[2].to_string(), found.get(0)?.range())))
            .collect();
        let content = |at: usize| {
            let end = tags.get(at + 1).map_or(text.len(), |(_, _, next)| next.start);
            text[tags[at].2.end..end].trim()
        };
        let mut wanted = Vec::new();
        if !self.story.is_empty() {
            wanted.push((Part::Story, "STORY", 0));
        }
        for at in 0..self.questions.len() {
            wanted.extend([(Part::Question(at), "QUESTION", at + 1), (Part::Option(at, 0), "OPTIONS", at + 1)]);
        }
        let mut read = Texts::default();
        let mut flags = Vec::new();
        let mut next = 0;
        for (part, name, number) in wanted {
            let tag = if number == 0 { format!("###{name}") } else { format!("###{name} {number}") };
            let lost = || Flag::new(Check::Tag, part, &tag, format!("the reply has no {tag} where it belongs"));
            let (found, given, _) = tags.get(next).ok_or_else(lost)?;
            if found != name || (!given.is_empty() && number > 0 && *given != number.to_string()) {
                return Err(lost());
            }
            let content = content(next);
            next += 1;
            match part {
                Part::Story => read.story = content.to_string(),
                Part::Question(_) => {
                    read.questions.push(QuestionTexts { question: content.to_string(), options: Vec::new() });
                }
                Part::Option(at, _) => {
                    let (options, behind) = options_of(content, self.questions[at].options.len(), at)?;
                    read.questions[at].options = options;
                    flags.extend(behind);
                }
            }
        }
        for (at, (found, _, _)) in tags.iter().enumerate().skip(next) {
            let content = content(at);
            if found == "ANSWER" && content.is_empty() {
                continue;
            }
            let what = format!("###{found} {content}");
            if found == "ANSWER" {
                flags.push(Flag::new(Check::TextBehind, Part::Story, &what, "the reply goes on after the last option"));
            } else {
                let message = format!("the reply has a further ###{found}");
                return Err(Flag::new(Check::Tag, Part::Story, &what, message));
            }
        }
        if let Some((part, _)) = read.parts().into_iter().find(|(_, text)| text.trim().is_empty()) {
            return Err(Flag::new(Check::Tag, part, "", format!("the reply has nothing for {part}")));
        }
        Ok((read, flags))
    }

    fn read_json(&self, reply: &str) -> Result<Read, Flag> {
        let lost = |key: &str| Flag::new(Check::Tag, Part::Story, key, format!("the reply has no text under `{key}`"));
        let start = reply.find('{').ok_or_else(|| lost("{"))?;
        let mut values = serde_json::Deserializer::from_str(&reply[start..]).into_iter::<Value>();
        let value = values.next().and_then(Result::ok).ok_or_else(|| lost("}"))?;
        let behind = reply[start + values.byte_offset()..].trim().trim_matches('`').trim();
        let text = |key: &str| text_under(&value, key).ok_or_else(|| lost(key));
        let mut read = Texts::default();
        if !self.story.is_empty() {
            read.story = text("story")?;
        }
        if let Some(question) = self.questions.first() {
            let keys = (0..question.options.len()).map(option_key);
            let options = match listed_options(&value, question.options.len()) {
                Some(options) => options,
                None => keys.map(|key| text(&key)).collect::<Result<_, _>>()?,
            };
            read.questions.push(QuestionTexts { question: text("question")?, options });
        }
        let message = "text stands behind the JSON object";
        let flag = (!behind.is_empty()).then(|| Flag::new(Check::TextBehind, Part::Story, behind, message));
        Ok((read, flag.into_iter().collect()))
    }
}

/// The text under a key, or under the only key that has it as its last word: `Adapted Story`.
fn text_under(value: &Value, key: &str) -> Option<String> {
    let ends = |known: &&String| known.to_lowercase().ends_with(key);
    let mut alike = value.as_object()?.keys().filter(ends);
    let only = alike.next().filter(|_| alike.next().is_none());
    let found = value.get(key).or_else(|| value.get(only?))?.as_str()?.trim();
    (!found.is_empty()).then(|| found.to_string())
}

/// Options in a list or an object under a key of their own, with or without their letters.
fn listed_options(value: &Value, count: usize) -> Option<Vec<String>> {
    let of_options = |key: &str| ["options", "choices"].iter().any(|end| key.to_lowercase().ends_with(end));
    let (_, listed) = value.as_object()?.iter().find(|(key, _)| of_options(key))?;
    let texts: Vec<&str> = match listed {
        Value::Array(texts) => texts.iter().map(Value::as_str).collect::<Option<_>>()?,
        Value::Object(texts) => texts.values().map(Value::as_str).collect::<Option<_>>()?,
        _ => return None,
    };
    let plain = |(at, text): (usize, &&str)| {
        let text = text.trim();
        let own = text.strip_prefix(&option_letter(at)).and_then(|rest| rest.strip_prefix(['.', ')', ':']));
        own.unwrap_or(text).trim().to_string()
    };
    let options: Vec<String> = texts.iter().enumerate().map(plain).collect();
    (options.len() == count && options.iter().all(|option| !option.is_empty())).then_some(options)
}

/// The key of an option in JSON.
fn option_key(at: usize) -> String {
    format!("option_{}", option_letter(at).to_lowercase())
}

/// Reads `count` options behind their letters, in lines or in a row, and text in a paragraph after them.
fn options_of(text: &str, count: usize, question: usize) -> Result<(Vec<String>, Option<Flag>), Flag> {
    let lines: Vec<(String, std::ops::Range<usize>)> =
        LABEL.captures_iter(text).filter_map(|found| Some((found[1].to_string(), found.get(0)?.range()))).collect();
    let in_lines = lines.len() >= count && count > 1;
    let starts = if in_lines { lines } else { in_a_row(text, count) };
    for at in 0..count.max(starts.len()) {
        let letter = option_letter(at);
        let place = Part::Option(question, at.min(count.saturating_sub(1)));
        match starts.get(at) {
            Some((found, _)) if *found == letter && at < count => {}
            Some((found, _)) if at >= count => {
                let message = format!("the reply has an option {found} too many");
                return Err(Flag::new(Check::OptionMissing, place, found, message));
            }
            _ => {
                let message = format!("the reply has no option {letter} where it belongs");
                return Err(Flag::new(Check::OptionMissing, place, &letter, message));
            }
        }
    }
    let mut behind = None;
    let mut options = Vec::with_capacity(count);
    for (at, (letter, range)) in starts.iter().enumerate() {
        let end = starts.get(at + 1).map_or(text.len(), |(_, next)| next.start);
        let mut option = text[range.end..end].trim();
        if at + 1 == count
            && let Some((own, more)) = option.split_once("\n\n")
        {
            let place = Part::Option(question, at);
            behind = Some(Flag::new(Check::TextBehind, place, more.trim(), "text stands after the last option"));
            option = own.trim();
        }
        if option.is_empty() {
            let message = format!("option {letter} is empty");
            return Err(Flag::new(Check::OptionMissing, Part::Option(question, at), letter, message));
        }
        options.push(option.to_string());
    }
    Ok((options, behind))
}

/// The letters of options that stand in a row, as far as they come in order.
fn in_a_row(text: &str, count: usize) -> Vec<(String, std::ops::Range<usize>)> {
    let mut starts = Vec::new();
    let mut from = 0;
    for letter in (0..count).map(option_letter) {
        let signs = ['.', ')', '．', '、', ':', '：', '）'];
        let is_start = |at: usize| {
            let before = text[..at].chars().next_back();
            let after = text[at + letter.len()..].chars().next();
            before.is_none_or(|before| !before.is_alphanumeric()) && after.is_some_and(|after| signs.contains(&after))
        };
        let found = text[from..].match_indices(letter.as_str()).map(|(at, _)| from + at).find(|&at| is_start(at));
        let Some(start) = found else { break };
        let sign = text[start + letter.len()..].chars().next().map_or(0, char::len_utf8);
        let end = start + letter.len() + sign;
        starts.push((letter, start..end));
        from = end;
    }
    starts
}
