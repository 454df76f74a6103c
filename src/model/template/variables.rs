//! The variables of a template, in particular the switch that makes a model think before it answers.

use std::collections::BTreeSet;
use std::str::FromStr;

use serde_json::Value;

use super::{ChatTemplate, RenderSettings};
use crate::chat::Message;
use crate::model::Tokenizer;

/// Values by the template's names for them.
pub type TemplateVariables = serde_json::Map<String, Value>;

/// The names under which templates read whether to think.
const THINKING: [&str; 2] = ["enable_thinking", "thinking"];

/// Variables that this program sets itself.
const OURS: [&str; 2] = ["messages", "add_generation_prompt"];

/// Opening and closing marks of thinking in the texts of known families.
const SECTIONS: [(&str, &str); 5] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("[THINK]", "[/THINK]"),
    ("<seed:think>", "</seed:think>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
];

/// A variable and its value, as `NAME=VALUE` on a command line. The value is parsed as JSON if it is valid JSON
/// (`false`, `3`, `"3"`), and is text otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateVariable {
    /// Its name in the template.
    pub name: String,
    pub value: Value,
}

/// A text that does not set a variable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotAVariable {
    /// The name is missing, or cannot be read by a template.
    #[error("invalid variable `{given}`; write NAME=VALUE, for instance enable_thinking=false")]
    Form {
        /// The text.
        given: String,
    },
    /// The prompt itself.
    #[error("`{name}` is the prompt itself and cannot be set")]
    Ours {
        /// The variable.
        name: String,
    },
}

impl FromStr for TemplateVariable {
    type Err = NotAVariable;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        let form = || NotAVariable::Form { given: given.to_string() };
        let (name, value) = given.split_once('=').ok_or_else(form)?;
        let begins = name.starts_with(|letter: char| letter == '_' || letter.is_alphabetic());
        if !begins || !name.chars().all(|letter| letter == '_' || letter.is_alphanumeric()) {
            return Err(form());
        }
        if OURS.contains(&name) {
            return Err(NotAVariable::Ours { name: name.to_string() });
        }
        let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
        Ok(TemplateVariable { name: name.to_string(), value })
    }
}

impl ChatTemplate {
    /// The external names that the template reads, sorted: its variables, and the functions it calls.
    pub fn reads(&self) -> BTreeSet<String> {
        let mut names = self.program.reads.clone();
        // `set x = x | default(true)` reads x before setting it, which the above takes for set.
        static SET: std::sync::LazyLock<regex::Regex> = std::sync::LazyLock::new(|| {
            regex::Regex::new(r"\{%[-+]?\s*set\s+(\w+)\s*=((?s:.*?))%\}")
                .expect("the expression is a constant of this file")
        });
        for set in SET.captures_iter(self.source()) {
            let mut words = set[2].split(|letter: char| letter != '_' && !letter.is_alphanumeric());
            if words.any(|word| word == &set[1]) {
                names.insert(set[1].to_string());
            }
        }
        names
    }

    /// The variables that a user may set: those the template reads, except those set by this program, and those set by
    /// the template itself unless it tests whether they are defined.
    pub fn variables(&self) -> BTreeSet<String> {
        const FUNCTIONS: [&str; 5] = ["raise_exception", "strftime_now", "namespace", "range", "dict"];
        let source = self.source();
        let sets = |name: &str| {
            let of = |pattern: String| regex::Regex::new(&pattern).is_ok_and(|found| found.is_match(source));
            let name = regex::escape(name);
            of(format!(r"\bset\s+{name}\s*=")) && !of(format!(r"\b{name}\s+is\s|\b{name}\s*\|\s*default"))
        };
        let given = |name: &str| {
            OURS.contains(&name) || FUNCTIONS.contains(&name) || self.special.iter().any(|(special, _)| special == name)
        };
        self.reads().into_iter().filter(|name| !given(name) && !sets(name)).collect()
    }

    /// The values that make the model answer at once, for the switches that the template reads: `enable_thinking` and
    /// `thinking` are false, and `others` (from a model's card) as given.
    pub fn without_thinking(&self, others: &TemplateVariables) -> TemplateVariables {
        let names = self.reads();
        let usual = THINKING.map(|name| (name.to_string(), Value::Bool(false)));
        let mut values = TemplateVariables::from_iter(usual);
        values.extend(others.clone());
        values.retain(|name, _| names.contains(name));
        values
    }

    /// The values that make the model think before it answers, for the usual switches that the template reads.
    pub fn with_thinking(&self) -> TemplateVariables {
        let names = self.reads();
        let usual = THINKING.iter().filter(|name| names.contains(**name));
        usual.map(|name| (name.to_string(), Value::Bool(true))).collect()
    }
}

impl ChatTemplate {
    /// The text that the template writes between a thought and the answer, for instance `\n</think>\n\n`: from the
    /// empty section that closes a prompt with thinking disabled (`others` are the card's switches), else from a
    /// thought in an earlier reply. `None` where it shows neither; the closing mark is then used alone.
    pub fn end_of_thought(&self, others: &TemplateVariables) -> Option<String> {
        const QUESTION: &str = "Qv7question";
        let variables = self.without_thinking(others);
        let switched_off = (!variables.is_empty()).then(|| {
            let settings = RenderSettings { variables, ..RenderSettings::for_generation() };
            self.render(&[Message::user(QUESTION)], &settings).ok()
        });
        let of_empty = switched_off.flatten().and_then(|prompt| end_of_empty(prompt.rsplit_once(QUESTION)?.1));
        of_empty.or_else(|| {
            SECTIONS.into_iter().filter(|(_, close)| self.source().contains(close)).find_map(|(open, close)| {
                let reply = Message::assistant(format!("{open}Qv7thought{close}Qv7answer"));
                let settings = RenderSettings { add_generation_prompt: false, ..RenderSettings::for_generation() };
                let chat = self.render(&[Message::user(QUESTION), reply], &settings).ok()?;
                let between = chat.split_once("Qv7thought")?.1.split_once("Qv7answer")?.0;
                // A template that leaves the reply unchanged says nothing about line breaks.
                (between != close && between.trim() == close).then(|| between.to_string())
            })
        })
    }
}

/// The end of the empty thinking section that closes a prompt. Half of the white space inside belongs to its beginning.
fn end_of_empty(prompt: &str) -> Option<String> {
    SECTIONS.into_iter().find_map(|(open, close)| {
        let (before, behind) = prompt.rsplit_once(close).filter(|(_, behind)| behind.trim().is_empty())?;
        let within = before.rsplit_once(open).map_or("", |(_, within)| within);
        let within = if within.trim().is_empty() { within } else { "" };
        let half: String = within.chars().skip(within.chars().count() / 2).collect();
        Some(format!("{half}{close}{behind}"))
    })
}

/// The mark of a thinking section that `prompt` opens and does not close; the text after it is a thought, not an
/// answer. Only text after `last`, the text of the last message, counts: a story may contain such marks.
pub fn open_thinking(prompt: &str, last: &str) -> Option<&'static str> {
    let last = last.trim();
    let found = prompt.rfind(last).filter(|_| !last.is_empty());
    let end = &prompt[found.map_or(0, |start| start + last.len())..];
    SECTIONS.into_iter().find(|(open, close)| end.rfind(open) > end.rfind(close)).map(|(open, _)| open)
}

/// The thought at the beginning of a reply, between its marks; `None` if the reply has none. `apart` is a thought that the
/// prompt opened, or that a server gives in a channel of its own. A section that the reply opens itself, or closes without
/// opening it, ends at its first closing mark; one that it never closes is all thought.
pub fn thought_of<'r>(apart: Option<&'r str>, reply: &'r str) -> Option<&'r str> {
    let up_to_mark = |text: &'r str, mark: &str| text.split_once(mark).map(|(thought, _)| thought);
    if let Some(thought) = apart {
        return Some(SECTIONS.iter().find_map(|(_, close)| up_to_mark(thought, close)).unwrap_or(thought));
    }
    let opened = SECTIONS.iter().find_map(|(open, close)| Some((reply.trim_start().strip_prefix(open)?, close)));
    match opened {
        Some((rest, close)) => Some(up_to_mark(rest, close).unwrap_or(rest)),
        None => {
            let before = SECTIONS.iter().find_map(|(open, close)| Some((up_to_mark(reply, close)?, open)));
            before.filter(|(thought, open)| !thought.contains(**open)).map(|(thought, _)| thought)
        }
    }
}

/// The opening and closing mark of the section whose closing mark stands in `end`, the text that ends a thought.
pub fn marks_of(end: &str) -> Option<(&'static str, &'static str)> {
    SECTIONS.into_iter().find(|(_, close)| end.contains(close))
}

/// Splits a reply that begins within the thinking section opened by `open` into thought and answer; all is thought if
/// the section never ends, nothing if none was opened.
pub fn split_thinking(reply: String, open: Option<&str>) -> (Option<String>, String) {
    let Some(open) = open else { return (None, reply) };
    let close = SECTIONS.into_iter().find(|(known, _)| *known == open).map(|(_, close)| close);
    match close.and_then(|close| reply.split_once(close)) {
        Some((thought, answer)) => (Some(thought.to_string()), answer.to_string()),
        None => (Some(reply), String::new()),
    }
}

/// The marks of a thinking section that are tokens of a tokenizer.
pub fn thinking_section(tokenizer: &Tokenizer) -> Option<(&'static str, &'static str)> {
    SECTIONS.into_iter().find(|(open, close)| tokenizer.id_of(open).is_some() && tokenizer.id_of(close).is_some())
}

/// The opening and closing tokens of a thinking section, in a tokenizer that has a token for each.
pub fn thinking_marks(tokenizer: &Tokenizer) -> Option<(Vec<u32>, Vec<u32>)> {
    let (open, close) = thinking_section(tokenizer)?;
    Some((vec![tokenizer.id_of(open)?], vec![tokenizer.id_of(close)?]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{SpecialTokens, TemplateOrigin};

    #[test]
    fn a_value_is_json_or_text() {
        let off: TemplateVariable = "enable_thinking=false".parse().unwrap();
        assert_eq!(off.value, Value::Bool(false));
        let effort: TemplateVariable = "reasoning_effort=low".parse().unwrap();
        assert_eq!(effort.value, Value::from("low"));
    }

    fn template(source: &str) -> ChatTemplate {
        ChatTemplate::new(source, TemplateOrigin::JinjaFile, SpecialTokens::default()).expect("the template is valid")
    }

    fn fixture(name: &str) -> ChatTemplate {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/chat_templates");
        template(&std::fs::read_to_string(folder.join(name)).expect("the fixture can be read"))
    }

    fn names(values: TemplateVariables) -> Vec<String> {
        values.into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn switches_are_found_where_the_template_reads_them() {
        let off = |template: ChatTemplate| names(template.without_thinking(&TemplateVariables::new()));
        assert_eq!(off(fixture("smollm3.jinja")), ["enable_thinking"]);
        assert_eq!(off(fixture("chatml_thinking.jinja")), ["enable_thinking"]);
        assert_eq!(
            off(template("{% if not thinking is defined %}{% set thinking = false %}{% endif %}")),
            ["thinking"]
        );
        assert_eq!(off(template("{%- set thinking = thinking | default(true) -%}{{ thinking }}")), ["thinking"]);
        for none in ["chatml.jinja", "glm4.jinja", "llama3.jinja", "phi3.jinja", "olmo2.jinja"] {
            assert_eq!(off(fixture(none)), [""; 0], "{none}");
        }
        assert_eq!(off(template("{% set thinking = true %}{{ thinking }}")), [""; 0], "set by the template alone");
    }

    #[test]
    fn variables_are_those_that_a_user_may_set() {
        let of = |template: ChatTemplate| Vec::from_iter(template.variables());
        let gemma = fixture("gemma_system_first.jinja");
        let special = SpecialTokens::default().with("bos_token", Some("<bos>".to_string()));
        let gemma = ChatTemplate::new(gemma.source(), TemplateOrigin::JinjaFile, special);
        assert_eq!(of(gemma.expect("the template is valid")), [""; 0]);
        assert!(of(fixture("smollm3.jinja")).contains(&"enable_thinking".to_string()));
        assert_eq!(of(template("{% if not date is defined %}{% set date = 'x' %}{% endif %}{{ date }}")), ["date"]);
        assert_eq!(of(template("{% set a = a | default(1) %}{{ a }}{{ messages }}{{ raise_exception('x') }}")), ["a"]);
    }

    #[test]
    fn a_card_may_name_another_switch() {
        let budget = TemplateVariables::from_iter([("thinking_budget".to_string(), Value::from(0))]);
        let off = template("{% if thinking_budget > 0 %}<think>{% endif %}").without_thinking(&budget);
        assert_eq!(off, budget);
        assert!(template("{{ messages }}").without_thinking(&budget).is_empty());
    }

    #[test]
    fn thinking_is_open_only_after_the_last_message() {
        let check = |prompt: &str, last: &str, expected: Option<&str>| {
            assert_eq!(open_thinking(prompt, last), expected, "{prompt}");
        };
        check("<u>Where?</u><a><think>\n", "Where?", Some("<think>"));
        check("<u>Where?</u><a><think>\n\n</think>\n\n", "Where?", None);
        check("<u>Where?</u><a>", "Where?", None);
        check("<u>He wrote <think>.</u><a>", "He wrote <think>.", None);
        check("<u>Where?</u><a></think><think>", " Where?\n", Some("<think>"));
    }

    #[test]
    fn the_thought_of_a_reply_is_found_in_all_its_shapes() {
        let of = |reply| thought_of(None, reply);
        assert_eq!(of("<think>\nSo\n</think>\n\n[[A]]"), Some("\nSo\n"));
        assert_eq!(of("\n<think>So</think> No. </think> [[A]]"), Some("So"), "several closing marks");
        assert_eq!(of("So\n</think>\n[[A]]"), Some("So\n"), "opened nowhere");
        assert_eq!(of("<think>So <thi"), Some("So <thi"), "never closed");
        assert_eq!(of("[[A]], not <think>B</think>"), None, "no thought before the answer");
        assert_eq!(of("[[A]]"), None);
        assert_eq!(thought_of(Some("So"), "[[A]] </think>"), Some("So"), "in a channel of its own");
        assert_eq!(thought_of(Some("So</think> so"), ""), Some("So"));
        assert_eq!(marks_of("\n</think>\n\n"), Some(("<think>", "</think>")));
        assert_eq!(marks_of("so"), None);
    }

    #[test]
    fn without_thinking_the_prompt_ends_with_an_empty_section() {
        for name in ["smollm3.jinja", "chatml_thinking.jinja"] {
            let template = fixture(name);
            let messages = [Message::user("Where?")];
            let render = |variables| {
                let settings = RenderSettings { variables, ..RenderSettings::for_generation() };
                template.render(&messages, &settings).expect("the template takes a user's turn")
            };
            let off = render(template.without_thinking(&TemplateVariables::new()));
            assert!(off.trim_end().ends_with("</think>"), "{off}");
            assert!(!render(TemplateVariables::new()).contains("think>"), "{name}");
            assert_eq!(open_thinking(&off, "Where?"), None);
        }
    }

    #[test]
    fn a_thought_ends_as_the_template_ends_it() {
        let end = |template: ChatTemplate| template.end_of_thought(&TemplateVariables::new());
        assert_eq!(end(fixture("chatml_thinking.jinja")).as_deref(), Some("\n</think>\n\n"));
        assert_eq!(end(fixture("smollm3.jinja")).as_deref(), Some("\n</think>\n"));
        for none in ["chatml.jinja", "llama3.jinja", "gemma_no_system.jinja"] {
            assert_eq!(end(fixture(none)), None, "{none}");
        }
        // A template without a switch, with its own format for thoughts of earlier replies.
        let splits = "{% for m in messages %}<{{ m.role }}>{% if '</think>' in m.content %}<think>\n\
                      {{ m.content.split('</think>')[0].split('<think>')[1] }}\n</think>\n\n\
                      {{ m.content.split('</think>')[1] }}{% else %}{{ m.content }}{% endif %}{% endfor %}";
        assert_eq!(end(template(splits)).as_deref(), Some("\n</think>\n\n"));
        let verbatim = "{# </think> #}{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}";
        assert_eq!(end(template(verbatim)), None);
        let bare = "{{ messages[-1].content }}{% if not thinking %}</think>{% endif %}";
        assert_eq!(end(template(bare)).as_deref(), Some("</think>"));
    }

    #[test]
    fn values_are_json_or_text() {
        let parsed = |text: &str| text.parse::<TemplateVariable>().map(|variable| variable.value);
        assert_eq!(parsed("a=true"), Ok(Value::Bool(true)));
        assert_eq!(parsed("a=[1, 2]"), Ok(serde_json::json!([1, 2])));
        assert_eq!(parsed("a=True"), Ok(Value::from("True")));
        assert_eq!(parsed("a="), Ok(Value::from("")));
        assert_eq!(parsed("a=b=c"), Ok(Value::from("b=c")));
        for wrong in ["a", "=1", "a b=1", "3a=1", "messages=[]"] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
    }
}
