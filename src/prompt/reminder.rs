//! Reminders: an answer to a linked question of the same story, with the question, before the question that is asked.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use crate::benchmark::{Item, SegmentKind};
use crate::language::Language;
use crate::name::named;

/// The field of an item as shown that holds the reminder before its question.
pub(super) const REMINDER: &str = "reminder";

/// The facet of an item that says whether the answer of which it is reminded is right.
pub const FIRST_ANSWER: &str = "first_answer";

/// Its values.
pub const FIRST_ANSWERS: [&str; 2] = ["right", "wrong"];

/// Beginning of the part of a presentation's name that holds a reminder.
const PART: &str = "remind-";

/// Whose answer an item is asked with.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr, VariantArray,
)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Reminder {
    /// The answer that was given to the linked question of the same story.
    Own,
    /// Another answer to it, which was not given.
    Other,
    /// The answer that was given to the linked question of an unrelated story.
    Unrelated,
}

named!(Reminder, "reminder");

impl Reminder {
    /// The field of an item that holds its text.
    pub fn field(self) -> String {
        format!("{REMINDER}_{}", self.name())
    }

    /// The part of a presentation's name, for instance `remind-own-belief-action`.
    pub fn part(self, link: &str) -> String {
        format!("{PART}{}-{link}", self.name())
    }

    /// Whether an item has this reminder.
    pub fn is_of(self, item: &Item) -> bool {
        item.fields.contains_key(&self.field())
    }

    /// Puts it before the question of an item as shown.
    pub fn add_to(self, shown: &mut Cow<'_, Item>) {
        if let Some(text) = shown.fields.get(&self.field()).cloned() {
            shown.to_mut().fields.insert(REMINDER.to_string(), text);
        }
    }

    /// The reminder of an answer in these words to `asked`, in the language of that item; `None` for languages without
    /// one. What a question is about stands with it.
    pub fn text(asked: &Item, answer: &str) -> Option<String> {
        let about = |kind: SegmentKind| matches!(kind, SegmentKind::Target | SegmentKind::Utterance);
        let about = asked.context.iter().filter(|segment| about(segment.kind)).map(|segment| &*segment.text);
        let question = about.chain([asked.question.as_str()]).map(str::trim).collect::<Vec<_>>().join(" ");
        let answer = answer.trim();
        Some(match asked.language {
            Language::En => format!("Before this, you were asked: \"{question}\" Your answer was: \"{answer}\""),
            Language::Zh => format!("在此之前，你被问到：“{question}”你的回答是：“{answer}”"),
            Language::Ar => format!("قبل هذا سُئلتَ: «{question}» وكان جوابك: «{answer}»"),
            Language::Fr => format!("Avant cela, on vous a demandé : « {question} » Vous avez répondu : « {answer} »"),
            Language::Hi => format!("इससे पहले आपसे पूछा गया था: “{question}” आपका उत्तर था: “{answer}”"),
            Language::Bn => format!("এর আগে আপনাকে জিজ্ঞাসা করা হয়েছিল: “{question}” আপনার উত্তর ছিল: “{answer}”"),
            Language::Ru => format!("До этого вас спросили: «{question}» Ваш ответ был: «{answer}»"),
            Language::De => format!("Zuvor wurden Sie gefragt: „{question}“ Ihre Antwort war: „{answer}“"),
            Language::Ja => format!("これより前に、「{question}」と聞かれました。あなたの答えは「{answer}」でした。"),
            Language::Other(_) => return None,
        })
    }
}

/// The reminder in the presentation of this name with the link that it is of, and the name without both.
pub fn reminder_and_rest(presentation: Option<&str>) -> (Option<(Reminder, &str)>, Option<String>) {
    fn reminder(part: &str) -> Option<(Reminder, &str)> {
        let named = part.strip_prefix(PART)?;
        Reminder::ALL.iter().find_map(|&kind| Some((kind, named.strip_prefix(kind.name())?.strip_prefix('-')?)))
    }
    let parts = presentation.iter().flat_map(|name| name.split('+'));
    let (found, rest): (Vec<&str>, Vec<&str>) = parts.partition(|part| reminder(part).is_some());
    (found.first().copied().and_then(reminder), (!rest.is_empty()).then(|| rest.join("+")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::{Benchmark, LoadOptions, Segment};

    #[test]
    fn the_reminder_is_read_from_the_name_of_a_presentation() {
        let part = Reminder::Unrelated.part("other-action");
        assert_eq!(part, "remind-unrelated-other-action");
        let both = format!("{part}+2-shots");
        let rest = Some("2-shots".to_string());
        assert_eq!(reminder_and_rest(Some(&both)), (Some((Reminder::Unrelated, "other-action")), rest.clone()));
        assert_eq!(reminder_and_rest(Some("2-shots")), (None, rest));
        assert_eq!(reminder_and_rest(None), (None, None));
    }

    #[test]
    fn a_reminder_has_the_question_with_what_it_is_about_and_the_answer() {
        let demo = Benchmark::Demo.load(std::path::Path::new(""), &LoadOptions::default()).unwrap().items;
        let mut item = demo[0].clone();
        item.question = "Who knows this? ".into();
        item.context.push(Segment { kind: SegmentKind::Target, text: "The tin is empty.".into() });
        for language in Language::ALL {
            let text = Reminder::text(&Item { language, ..item.clone() }, " Ada and Bo ").unwrap();
            assert!(text.contains("The tin is empty. Who knows this?"), "{text}");
            assert_eq!(text.matches("Ada and Bo").count(), 1, "{text}");
            assert!(!text.contains("  ") && !text.contains('\n'), "{text}");
        }
        assert_eq!(Reminder::text(&Item { language: "sw".parse().unwrap(), ..item }, "Ada"), None);
    }
}
