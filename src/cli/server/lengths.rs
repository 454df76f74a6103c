//! Whether a server reads long prompts whole.

use super::connect::Connected;
use crate::backend::Route;
use crate::model::TemplateVariables;
use crate::server::{ReadWhole, ServerError, reads_whole};

/// Bytes of the longest prompt that is tried without a run: more than any built-in benchmark's.
const LONG: usize = 16_384;

impl Connected {
    /// Checks that the server reads prompts of up to `longest` bytes whole, on this route.
    ///
    /// # Errors
    /// It cuts them, or cannot be asked.
    pub fn reads_whole(
        &self,
        route: Route,
        variables: &TemplateVariables,
        longest: usize,
    ) -> Result<ReadWhole, ServerError> {
        reads_whole(&self.client, &self.model, route == Route::Chat, variables, longest)
    }

    /// Describes how long a prompt the server reads whole, on the route that it has; `Err` where it cuts prompts.
    pub fn long_prompts(&self) -> Result<String, String> {
        let route = if self.abilities.chat.is_ok() { Route::Chat } else { Route::Completions };
        if self.abilities.chat.is_err() && self.abilities.completions.is_err() {
            return Ok("not asked".to_string());
        }
        match self.reads_whole(route, &self.variables, LONG) {
            Ok(found) => Ok(described(&found)),
            Err(error @ ServerError::Truncates { .. }) => Err(error.to_string()),
            Err(error) => Ok(format!("cannot tell: {error}")),
        }
    }
}

fn described(found: &ReadWhole) -> String {
    let ReadWhole { bytes, tokens, repeats, refused } = found;
    let word = match repeats {
        Some(true) => ", and the model repeats a word from its beginning".to_string(),
        Some(false) => format!("; {}", forgets(found)),
        None => String::new(),
    };
    let refused = refused.as_ref().map_or(String::new(), |why| format!("; a longer one is refused: {why}"));
    format!("read whole up to {tokens} tokens ({bytes} bytes), by the server's count{word}{refused}")
}

/// Says that a model lost a word that it repeats after a short prompt.
pub fn forgets(found: &ReadWhole) -> String {
    format!(
        "the server counts all {} tokens of a long prompt, but its model no longer repeats a word from the beginning, as it does \
         after a short one: it loses it by itself, or the server cuts prompts without saying so",
        found.tokens
    )
}
