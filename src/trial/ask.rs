//! Prompts of trials, from preparation to record.
//!
//! A run of many thousand trials keeps all of them in memory, and prompts about one story differ only in their last
//! lines. So a text is stored as the beginning of an earlier text plus its own end.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::chat::{Message, Role};
use crate::engine::{SharedList, remember};
use crate::extract::QuestionPart;
use crate::model::common_length;
use crate::prompt::Ask;

/// Minimum trials per piece of work.
const SHORTEST: usize = 32;
const LONGEST: usize = 512;

/// Prompts of one trial.
#[derive(Debug, Clone)]
pub struct TrialAsks {
    /// Story of the trial; trials of a story stay together for backends that share prefixes.
    pub story: String,
    /// How often the trial was drawn; it is asked once.
    pub draws: usize,
    /// Labels shown with the options, in slot order; empty if options are not shown.
    pub labels: Arc<[String]>,
    /// The prompts, in order.
    pub asks: Vec<KeptAsk>,
    /// Maximum tokens of a reply, if one is requested.
    pub most_tokens: usize,
    /// The trials that one reply answers, if there are several.
    pub together: Option<Together>,
    /// Whether the chat template's switch for thinking is off, in a run in which it is on.
    pub switched_off: bool,
}

impl TrialAsks {
    /// Whether the prompt contains the questions of several trials.
    pub fn has_several(&self) -> bool {
        self.together.is_some_and(|together| together.part.is_some())
    }
}

/// Position of a trial among those that one reply answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Together {
    /// Number of the first of these trials.
    pub first: usize,
    /// Position of this trial's question, if the prompt contains those of several.
    pub part: Option<QuestionPart>,
}

/// An [`Ask`] that shares texts with those stored before it.
#[derive(Debug, Clone)]
pub struct KeptAsk {
    messages: Vec<(Role, SharedList<u8>)>,
    /// Beginning of the model's turn.
    pub answer_prefix: String,
    /// Texts whose log-likelihood is scored after the prompt; empty if a reply is requested.
    pub continuations: Arc<[String]>,
}

impl KeptAsk {
    /// Returns the bytes of all its texts.
    pub fn text_bytes(&self) -> usize {
        let messages = self.messages.iter().map(|(_, text)| text.len()).sum::<usize>();
        messages + self.answer_prefix.len() + self.continuations.iter().map(String::len).sum::<usize>()
    }

    /// Whether its continuations are complete texts without a prompt: no turn is shown or begun.
    pub fn is_of_whole_texts(&self) -> bool {
        self.messages.is_empty() && self.answer_prefix.is_empty()
    }

    /// Returns the turns shown.
    pub fn messages(&self) -> Vec<Message> {
        let whole = |text: &SharedList<u8>| String::from_utf8_lossy(&text.pieces().concat()).into_owned();
        self.messages.iter().map(|(role, text)| Message { role: *role, content: whole(text) }).collect()
    }
}

/// Earlier texts that the next ones may share.
#[derive(Debug, Default)]
pub struct AskKeeper {
    texts: VecDeque<Arc<[u8]>>,
    lists: VecDeque<Arc<[String]>>,
}

impl AskKeeper {
    /// Stores an ask, without its origin.
    pub fn keep(&mut self, ask: Ask) -> KeptAsk {
        let messages = ask.prompt.messages.into_iter().map(|message| (message.role, self.text(&message.content)));
        KeptAsk {
            messages: messages.collect(),
            answer_prefix: ask.prompt.answer_prefix,
            continuations: self.list(ask.continuations),
        }
    }

    /// Stores a list of texts.
    pub fn list(&mut self, list: Vec<String>) -> Arc<[String]> {
        match self.lists.iter().find(|known| known[..] == list[..]) {
            Some(known) => Arc::clone(known),
            None => {
                let list: Arc<[String]> = list.into();
                remember(&mut self.lists, Arc::clone(&list));
                list
            }
        }
    }

    fn text(&mut self, text: &str) -> SharedList<u8> {
        let text = text.as_bytes();
        let like = self.texts.iter().max_by_key(|known| common_length(known, text));
        like.and_then(|known| SharedList::sharing(text, known)).unwrap_or_else(|| {
            let new = SharedList::new(text);
            remember(&mut self.texts, Arc::clone(&new.beginning));
            new
        })
    }
}

/// Splits a list at changes of the story, so that a story's shared text is processed once, and many threads have work:
/// no piece except the last is shorter than `SHORTEST`, and none is longer than `LONGEST`.
pub fn by_story<T>(list: &[T], same_story: impl Fn(&T, &T) -> bool) -> Vec<&[T]> {
    let mut pieces = Vec::new();
    let mut start = 0;
    for end in 1..=list.len() {
        let length = end - start;
        let changes = list.get(end).is_none_or(|next| !same_story(&list[end - 1], next));
        if end == list.len() || length >= LONGEST || (length >= SHORTEST && changes) {
            pieces.push(&list[start..end]);
            start = end;
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prompt::Prompt;

    #[test]
    fn lists_are_cut_between_stories() {
        let stories: Vec<usize> = [10, 30, 5, 1200, 1].iter().enumerate().flat_map(|(s, &n)| vec![s; n]).collect();
        let names: Vec<String> = stories.iter().map(ToString::to_string).collect();
        let pieces = by_story(&names, |one, next| one == next);
        assert_eq!(pieces.concat(), names);
        assert_eq!(pieces.iter().map(|piece| piece.len()).collect::<Vec<_>>(), [40, 512, 512, 181, 1]);
        assert!(by_story(&[] as &[String], |one, next| one == next).is_empty());
    }

    #[test]
    fn texts_come_back_whole_and_share_their_beginning() {
        let story = "Ann hides the tea. ".repeat(10);
        let texts = [format!("{story}é?"), format!("{story}è? A. yes"), String::new(), "short".to_string()];
        let ask = |text: &String| Ask {
            prompt: Prompt { messages: vec![Message::system("Answer."), Message::user(text)], ..Prompt::default() },
            continuations: vec!["A".to_string(), "B".to_string()],
        };
        let mut keeper = AskKeeper::default();
        let kept: Vec<KeptAsk> = texts.iter().map(|text| keeper.keep(ask(text))).collect();
        for (kept, text) in kept.iter().zip(&texts) {
            assert_eq!(kept.messages(), ask(text).prompt.messages);
        }
        let beginnings = [0, 1].map(|ask: usize| &kept[ask].messages[1].1.beginning);
        assert!(Arc::ptr_eq(beginnings[0], beginnings[1]));
        assert_eq!(kept[1].messages[1].1.own.len(), "è? A. yes".len() - 1, "the first byte of both letters is one");
        assert!(Arc::ptr_eq(&kept[0].continuations, &kept[3].continuations));
    }
}
