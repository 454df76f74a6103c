//! Detects what a chat template supports by rendering test chats.

use serde::Serialize;

use super::{TemplateVariables, open_thinking};
use crate::chat::Message;
use crate::model::template::{ChatTemplate, RenderSettings, render_or_merge};

/// Treatment of a system message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SystemTurn {
    /// It has a separate turn, or a separate place before all turns.
    Own,
    /// The template moves its text into the first user turn.
    InFirstTurn,
    /// The template moves its text into the last user turn, where a chat has several.
    InLastTurn,
    /// The template refuses it; its text is then put in front of the first user turn.
    Refused,
    /// The template silently leaves it out.
    Dropped,
    /// The template does not even render a chat with only a user turn.
    Unknown,
}

impl SystemTurn {
    /// Description for reports.
    pub fn in_words(self) -> &'static str {
        match self {
            SystemTurn::Own => "has a place of its own",
            SystemTurn::InFirstTurn => "becomes part of the first user turn",
            SystemTurn::InLastTurn => "becomes part of the last user turn",
            SystemTurn::Refused => "is refused by the template; its text goes in front of the first user turn",
            SystemTurn::Dropped => "IS LEFT OUT by the template: give instructions in the user's turn",
            SystemTurn::Unknown => "unknown: the template does not render a chat of one user turn",
        }
    }
}

/// Behaviour of a template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TemplateCapabilities {
    /// Treatment of a system message.
    pub system: SystemTurn,
    /// Variables that disable thinking, with their values.
    pub thinking_off: TemplateVariables,
    /// The mark of a thought that the template opens by default at the beginning of the model's turn.
    pub opens_thought: Option<&'static str>,
    /// Whether it uses the date.
    pub asks_for_date: bool,
    /// The prompt of a single user turn, `...`, with the beginning of the model's turn.
    pub prompt: Option<String>,
}

/// Texts that occur in no template.
const SYSTEM: &str = "Qv7system";
const FIRST: &str = "Qv7first";
const REPLY: &str = "Qv7reply";
const LAST: &str = "Qv7last";

impl ChatTemplate {
    /// Whether it leaves out system messages without an error.
    pub fn drops_system(&self) -> bool {
        self.system_turn(&RenderSettings::for_generation()) == SystemTurn::Dropped
    }

    /// Render some chats and inspect the results; `others` are the card's thinking switches.
    pub fn habits(&self, others: &TemplateVariables) -> TemplateCapabilities {
        let settings = RenderSettings::for_generation();
        let alone = self.render(&[Message::user("...")], &settings).ok();
        let reads = self.reads();
        TemplateCapabilities {
            system: self.system_turn(&settings),
            thinking_off: self.without_thinking(others),
            opens_thought: alone.as_deref().and_then(|prompt| open_thinking(prompt, "...")),
            asks_for_date: ["strftime_now", "date_string"].iter().any(|name| reads.contains(*name)),
            prompt: alone,
        }
    }

    fn system_turn(&self, settings: &RenderSettings) -> SystemTurn {
        let user = Message::user(FIRST);
        if self.render(std::slice::from_ref(&user), settings).is_err() {
            return SystemTurn::Unknown;
        }
        let both = [Message::system(SYSTEM), user];
        let rendered = match render_or_merge(Some(self), &both, settings) {
            Ok(rendered) if rendered.system_merged => return SystemTurn::Refused,
            Ok(rendered) => rendered.text,
            Err(_) => return SystemTurn::Refused,
        };
        if !rendered.contains(SYSTEM) {
            return SystemTurn::Dropped;
        }
        let longer = [&both[..], &[Message::assistant(REPLY), Message::user(LAST)]].concat();
        if let Ok(longer) = self.render(&longer, settings) {
            let at = |text: &str| longer.find(text);
            if at(REPLY).is_some() && at(SYSTEM) > at(REPLY) {
                return SystemTurn::InLastTurn;
            }
        }
        let within = |between: &str| self.render(&[Message::user(format!("{SYSTEM}{between}{FIRST}"))], settings).ok();
        match ["\n\n", "\n", " ", ""].into_iter().any(|between| within(between).as_ref() == Some(&rendered)) {
            true => SystemTurn::InFirstTurn,
            false => SystemTurn::Own,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::TemplateOrigin;
    use crate::model::tokenizer::SpecialTokens;

    fn habits(source: &str) -> TemplateCapabilities {
        let special = SpecialTokens::default().with("bos_token", Some("<s>".to_string()));
        let special = special.with("eos_token", Some("</s>".to_string()));
        let template = ChatTemplate::new(source, TemplateOrigin::JinjaFile, special);
        template.expect("the template is valid").habits(&TemplateVariables::new())
    }

    fn fixture(name: &str) -> TemplateCapabilities {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/chat_templates");
        habits(&std::fs::read_to_string(folder.join(name)).expect("the fixture can be read"))
    }

    #[test]
    fn the_place_of_a_system_message_is_found() {
        let each = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}";
        assert_eq!(habits(each).system, SystemTurn::Own);
        let refusing =
            format!("{{% if messages[0].role == 'system' %}}{{{{ raise_exception('no') }}}}{{% endif %}}{each}");
        assert_eq!(habits(&refusing).system, SystemTurn::Refused);
        let users = "{% for m in messages if m.role != 'system' %}<{{ m.role }}>{{ m.content }}{% endfor %}";
        assert_eq!(habits(users).system, SystemTurn::Dropped);
        for (name, system) in [
            ("gemma_no_system.jinja", SystemTurn::Refused),
            ("gemma_system_first.jinja", SystemTurn::InFirstTurn),
            ("mistral_no_system.jinja", SystemTurn::Refused),
            ("mistral_system_last.jinja", SystemTurn::InLastTurn),
            ("llama3.jinja", SystemTurn::Own),
        ] {
            assert_eq!(fixture(name).system, system, "{name}");
        }
        assert_eq!(habits("{{ raise_exception('never') }}").system, SystemTurn::Unknown);
    }

    #[test]
    fn habits_of_known_templates_are_found() {
        let thinking = fixture("chatml_thinking.jinja");
        assert_eq!(thinking.thinking_off["enable_thinking"], false);
        assert_eq!((thinking.system, thinking.opens_thought), (SystemTurn::Own, None));
        let opening = habits("{{ messages[0].content }}<a><think>");
        assert_eq!(opening.opens_thought, Some("<think>"));
        assert_eq!(opening.prompt.as_deref(), Some("...<a><think>"));
        assert!(habits("{{ strftime_now('%Y') if strftime_now is defined }}{{ messages }}").asks_for_date);
        assert!(!thinking.asks_for_date && thinking.thinking_off.len() == 1);
    }
}
