//! Finds the model's thoughts before its reply, as marked by models and their templates.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// Names of tags around thoughts, by model family.
const NAMES: &str =
    "think|thinking|thought|thoughts|reasoning|reflection|scratchpad|analysis|seed:think|inner_monologue";

static TAG: LazyLock<Regex> = LazyLock::new(|| {
    // Group 1 matches if a section opens, group 2 if one closes.
    let tag = format!(
        r"(?i)(<(?:{NAMES})(?:\s[^<>]*)?>|<\|(?:begin_of_thought|begin_of_thinking|thinking|think)\|>|\[THINK\]|◁think▷|<\|channel\|?>(?:analysis|thought|commentary)[^<]*(?:<\|message\|>)?)|(</(?:{NAMES})\s*>|<\|/?(?:end_of_thought|end_of_thinking|/thinking|/think)\|>|\[/THINK\]|◁/think▷|<\|channel\|>final[^<]*(?:<\|message\|>)?|<channel\|>)"
    );
    Regex::new(&tag).expect("a fixed expression")
});

/// Thoughts whose marks were dropped in detokenization.
static BARE_CHANNELS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?s)^\s*analysis.*?assistantfinal").expect("a fixed expression"));

/// Beginning of another speaker's turn that the model invents after its own.
static NEXT_TURN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)<\|im_start\|>\s*user|<\|start_header_id\|>\s*user|<start_of_turn>\s*user|<\|user\|>|<\|start\|>user|\[INST\]|\n\s*(?:human|user)\s*:|\n###\s*(?:human|user|instruction)\b",
    )
    .expect("a fixed expression")
});

/// Words for a numbered question.
pub(super) const QUESTION: &str = "question|q|frage|问题|問題|質問|问|問|السؤال|سؤال|प्रश्न|প্রশ্ন|вопрос";

/// Line that begins a further question, or a story for one, as written by models that were not tuned to stop.
static NEXT_QUESTION: LazyLock<Regex> = LazyLock::new(|| {
    let word = "story|passage|scenario|题目|故事|物語|القصة|قصة|histoire|सवाल|कहानी|গল্প|история|рассказ|geschichte|pregunta|historia|\
                pergunta|história|domanda|storia|질문|문제|이야기|soru|hik[aâ]ye|öykü|câu hỏi|câu chuyện";
    Regex::new(&format!(
        r"(?i)\n\W*(?:next |another )?(?:{QUESTION}|{word})(?:\s*\d+(?:\W|$)|\s?\w{{0,10}}\W{{0,4}}[:：])"
    ))
    .expect("a fixed expression")
});

/// The lines before the first one that begins another question, if any.
pub(super) fn before_next_question(text: &str) -> Option<&str> {
    let before = &text[..NEXT_QUESTION.find(text)?.start()];
    (!before.trim().is_empty()).then_some(before)
}

/// The parts of a reply addressed to the reader, in order, as byte ranges: without the model's thoughts and turns that
/// it invents for others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visible {
    pub parts: Vec<Range<usize>>,
    /// Whether the reply ends within its thoughts.
    pub unclosed: bool,
}

/// Finds the parts of a reply addressed to the reader. A section that closes without opening was opened by the prompt:
/// it begins at the start of the reply.
pub fn visible(text: &str) -> Visible {
    let end = NEXT_TURN.find(text).filter(|found| !text[..found.start()].trim().is_empty());
    let end = end.map_or(text.len(), |found| found.start());
    let mut parts = Vec::new();
    let (mut from, mut depth) = (0, 0usize);
    if let Some(bare) = BARE_CHANNELS.find(&text[..end]) {
        from = bare.end();
    }
    for tag in TAG.captures_iter(&text[..end]) {
        let whole = tag.get(0).expect("group 0 is the match");
        if whole.start() < from {
            continue;
        }
        if tag.get(1).is_some() {
            if depth == 0 {
                parts.push(from..whole.start());
            }
            // A channel may follow another one that was not closed.
            depth = if whole.as_str().starts_with("<|channel") { 1 } else { depth + 1 };
        } else if depth == 0 {
            parts.clear();
        } else {
            depth -= 1;
        }
        from = whole.end();
    }
    if depth == 0 {
        parts.push(from..end);
    }
    parts.retain(|part| !part.is_empty());
    Visible { parts, unclosed: depth > 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str, unclosed: bool) {
        let visible = visible(text);
        let kept: String = visible.parts.iter().map(|part| &text[part.clone()]).collect();
        assert_eq!((kept.trim(), visible.unclosed), (expected, unclosed), "{text}");
    }

    #[test]
    fn thoughts_are_taken_out_in_every_form() {
        check("<think>A or B?</think>\n\nB", "B", false);
        check("A or B?</think> B", "B", false);
        check("<Thinking>A <think>B</think> C</thinking>D", "D", false);
        check("<reasoning effort=\"low\">A</reasoning>B", "B", false);
        check("[THINK]A[/THINK]B", "B", false);
        check("◁think▷A◁/think▷B", "B", false);
        check("<|begin_of_thought|>A<|end_of_thought|>B", "B", false);
        check("<|channel|>analysis<|message|>A<|end|><|start|>assistant<|channel|>final<|message|>B", "B", false);
        check("analysisIt is A.assistantfinalB", "B", false);
        check("<think></think>B", "B", false);
    }

    #[test]
    fn thoughts_without_an_end_leave_nothing() {
        check("<think>It may be A", "", true);
        check("<|channel|>analysis<|message|>It may be A", "", true);
        check("Well. <think>It may be A", "Well.", true);
    }

    #[test]
    fn a_question_that_a_reply_goes_on_with_ends_it() {
        let before = |text: &'static str| before_next_question(text).map(str::trim);
        assert_eq!(before("B. In the tin\n\nQuestion: Where is it?\nAnswer: A"), Some("B. In the tin"));
        assert_eq!(before("Réponse : B\n\nQuestion suivante : Qui ?\nRéponse : A"), Some("Réponse : B"));
        assert_eq!(before("正解：A\n\n問2 どこか。\n正解：B"), Some("正解：A"));
        assert_eq!(before("Question: Where is it?\nAnswer: A"), None);
        assert_eq!(before("\nQuestion: Where is it?\nAnswer: A"), None);
        assert_eq!(before("The question is hard.\nQuestions of this kind are."), None);
    }

    #[test]
    fn turns_invented_for_others_are_no_part_of_the_reply() {
        check("B<|im_end|>\n<|im_start|>user\nIs it A?", "B<|im_end|>", false);
        check("B\nUser: Is it A?", "B", false);
        check("\nUser: Is it A?", "User: Is it A?", false);
    }
}
