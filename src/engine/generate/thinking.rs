//! Thinking sections: counts their tokens and closes them when the budget is used up.

/// A model's thinking marks and its thinking budget.
///
/// When a section reaches the budget, its closing tokens are written instead of the model's next tokens, and the reply
/// continues from there, as in Qwen's own budget and vLLM.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ThinkingBudget {
    /// Tokens that open a section. A prompt that ends within an open section begins the reply in it; if empty, every
    /// reply begins in one.
    pub open: Vec<u32>,
    /// Tokens that close it.
    pub close: Vec<u32>,
    /// Tokens written when the budget is used up: [`close`](Self::close), perhaps between words and line breaks.
    pub forced: Vec<u32>,
    /// Most tokens between the marks; with `None` they are only counted.
    pub budget: Option<usize>,
}

/// Thinking state of a reply.
#[derive(Debug, Clone)]
pub(super) struct Thinking {
    open: bool,
    /// Tokens between the marks, over all sections.
    tokens: usize,
    /// Number of tokens of [`ThinkingBudget::forced`] already written, if the budget is used up.
    forced: Option<usize>,
}

impl Thinking {
    /// State before the first token of a reply.
    pub fn begin(budget: Option<&ThinkingBudget>, prompt: &[u32]) -> Thinking {
        let open = budget.is_some_and(|budget| {
            budget.open.is_empty() || last_start(prompt, &budget.open) > last_start(prompt, &budget.close)
        });
        Thinking { open, tokens: 0, forced: None }
    }

    /// The token to force next, if the budget is used up.
    pub fn forced(&self, budget: Option<&ThinkingBudget>) -> Option<u32> {
        let budget = budget?;
        match self.forced {
            Some(written) => budget.forced.get(written).copied(),
            None if self.open && budget.budget.is_some_and(|most| self.tokens >= most) => {
                budget.forced.first().copied()
            }
            None => None,
        }
    }

    /// Updates the state for the reply's last token.
    pub fn push(&mut self, budget: Option<&ThinkingBudget>, tokens: &[u32]) {
        let Some(budget) = budget else { return };
        if self.forced(Some(budget)).is_some() {
            let written = self.forced.unwrap_or(0) + 1;
            self.forced = (written < budget.forced.len()).then_some(written);
            self.open = self.forced.is_some();
            return;
        }
        if self.open {
            self.tokens += 1;
            if ends_with(tokens, &budget.close) {
                self.open = false;
                self.tokens = self.tokens.saturating_sub(budget.close.len());
            }
        } else if ends_with(tokens, &budget.open) {
            self.open = true;
        }
    }

    /// Tokens between the marks so far.
    pub fn tokens(&self) -> usize {
        self.tokens
    }
}

fn ends_with(tokens: &[u32], mark: &[u32]) -> bool {
    !mark.is_empty() && tokens.ends_with(mark)
}

/// One more than the start of a mark's last occurrence; 0 if there is none.
fn last_start(tokens: &[u32], mark: &[u32]) -> usize {
    if mark.is_empty() {
        return 0;
    }
    tokens.windows(mark.len()).rposition(|window| window == mark).map_or(0, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(most: usize) -> ThinkingBudget {
        ThinkingBudget { open: vec![1], close: vec![2], forced: vec![9, 2, 9], budget: Some(most) }
    }

    /// Writes a reply from the tokens that the model would draw: returns the tokens written and the number of thinking
    /// tokens.
    fn write(budget: &ThinkingBudget, prompt: &[u32], drawn: &[u32]) -> (Vec<u32>, usize) {
        let mut thinking = Thinking::begin(Some(budget), prompt);
        let (mut written, mut drawn) = (Vec::new(), drawn.iter());
        while let Some(token) = thinking.forced(Some(budget)).or_else(|| drawn.next().copied()) {
            written.push(token);
            thinking.push(Some(budget), &written);
        }
        (written, thinking.tokens())
    }

    #[test]
    fn a_section_that_is_used_up_is_closed() {
        assert_eq!(write(&budget(3), &[7], &[1, 5, 5, 5, 6]), (vec![1, 5, 5, 5, 9, 2, 9, 6], 3));
        assert_eq!(write(&budget(3), &[7], &[1, 5, 2, 6]), (vec![1, 5, 2, 6], 1), "closed in time");
        assert_eq!(write(&budget(0), &[7], &[1, 6]), (vec![1, 9, 2, 9, 6], 0));
        assert_eq!(write(&budget(2), &[7], &[6, 6, 6, 6]), (vec![6, 6, 6, 6], 0), "no section");
    }

    #[test]
    fn a_prompt_may_open_the_section() {
        assert_eq!(write(&budget(2), &[7, 1, 7], &[5, 5, 6]), (vec![5, 5, 9, 2, 9, 6], 2));
        assert_eq!(write(&budget(2), &[1, 7, 2, 7], &[5, 5, 6]), (vec![5, 5, 6], 0), "closed again in the prompt");
        let unmarked = ThinkingBudget { open: Vec::new(), ..budget(2) };
        assert_eq!(write(&unmarked, &[7], &[5, 5, 6]), (vec![5, 5, 9, 2, 9, 6], 2));
    }

    #[test]
    fn marks_of_several_tokens_are_not_counted() {
        let marks = ThinkingBudget { open: vec![1, 1], close: vec![2, 2], forced: vec![2, 2], budget: None };
        assert_eq!(write(&marks, &[], &[1, 1, 5, 2, 5, 2, 2, 6]), (vec![1, 1, 5, 2, 5, 2, 2, 6], 3));
    }
}
