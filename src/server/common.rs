//! What several servers can all do.

use super::abilities::Abilities;

impl Abilities {
    /// Returns what both this server and another one can do; the reason for what only one can.
    ///
    /// # Errors
    /// They read prompts differently, or answer as different models.
    pub fn common(self, other: &Abilities, place: &str) -> Result<Self, String> {
        let differ = |what: &str, first: &str, here: &str| {
            Err(format!("the servers {what}: {place} {here}, the first one {first}; leave one of them out"))
        };
        if let (Some(first), Some(here)) = (&self.answered.model, &other.answered.model)
            && first != here
        {
            return differ("answer as different models", &format!("{first:?}"), &format!("{here:?}"));
        }
        if self.begins != other.begins {
            let word = |begins: bool| if begins { "begins prompts with a token of its own" } else { "does not" };
            return differ("read prompts differently", word(self.begins), word(other.begins));
        }
        if self.thinks != other.thinks {
            let word = |thinks: Option<&str>| if thinks.is_some() { "has the model think first" } else { "does not" };
            return differ("render chats differently", word(self.thinks), word(other.thinks));
        }
        let prompt = match (self.prompt.clone(), &other.prompt) {
            (Ok(mode), Ok(theirs)) if mode != *theirs => Err(format!("{place} gives them in another way")),
            (prompt, theirs) => prompt.and_then(|mode| theirs.clone().map(|_| mode)),
        };
        let least = |first: &Result<usize, String>, other: &Result<usize, String>| match (first, other) {
            (Ok(first), Ok(other)) => Ok(*first.min(other)),
            (Err(why), _) | (_, Err(why)) => Err(why.clone()),
        };
        let mut neutral = self.neutral.clone();
        neutral.retain(|key, value| other.neutral.get(key) == Some(value));
        Ok(Abilities {
            chat: self.chat.clone().and(other.chat.clone()),
            system: self.system && other.system,
            completions: self.completions.clone().and(other.completions.clone()),
            neutral,
            prompt,
            named: self.named.clone().and(other.named.clone()),
            top: least(&self.top, &other.top),
            chat_top: least(&self.chat_top, &other.chat_top),
            ..self
        })
    }
}
