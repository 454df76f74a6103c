//! Detects models that think before the answer.

use crate::model::open_thinking;

/// Returns the mark of the thinking section with which a reply begins, if any.
pub fn opens_thought(reply: &str) -> Option<&'static str> {
    let reply = reply.trim_start();
    open_thinking(reply, "").filter(|mark| reply.starts_with(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thoughts_are_known_by_their_mark() {
        assert_eq!(opens_thought("\n<think>"), Some("<think>"));
        assert_eq!(opens_thought("A"), None);
        assert_eq!(opens_thought("The tag <think>"), None);
    }
}
