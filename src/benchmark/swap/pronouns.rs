//! Exchange of the genders of all persons in an English text.
//!
//! Every gendered word gets its counterpart: persons who are only mentioned change with the characters, so that no pronoun
//! needs to be traced to a person. What is open is the form: `her` is `him` or `his`, `his` is `her` or `hers`. Rules look at
//! the words around it; where they do not settle the form, the text is left out.

use std::ops::Range;

use super::gendered::{
    ADJECTIVES_IN_LY, AFTER_OBJECT, CAUSATIVE, CAUSED, DETERMINERS, DITRANSITIVE, GIVEN, LIKE_NOUNS, NOUNS_IN_ING,
    OPEN_ENDED, ORDINAL, PAIRS, POSSESSED, STATES, TITLES, UNPAIRED,
};

/// A gendered word of which no rule says what stands for it, with the word before and after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unclear(pub String);

/// The text with the genders of all persons exchanged. `is_name` says which words are names of persons.
pub(super) fn exchanged(text: &str, is_name: &dyn Fn(&str) -> bool) -> Result<String, Unclear> {
    let words = words(text);
    let mut made = String::with_capacity(text.len() + 16);
    let mut done = 0;
    for at in 0..words.len() {
        let around = Around { text, words: &words, at };
        let Some((range, other)) = around.counterpart(is_name)? else { continue };
        made.push_str(&text[done..range.start]);
        made.push_str(&as_written(&text[range.clone()], other));
        done = range.end;
    }
    made.push_str(&text[done..]);
    Ok(made)
}

/// A word, with the text around it.
struct Around<'t> {
    text: &'t str,
    words: &'t [Range<usize>],
    at: usize,
}

impl Around<'_> {
    /// The word at a distance, if only a space is between it and its neighbour.
    fn near(&self, distance: isize) -> Option<&str> {
        let at = self.at.checked_add_signed(distance)?;
        let word = self.words.get(at)?;
        let (first, last) = if distance < 0 { (at, self.at) } else { (self.at, at) };
        let joined = (first..last).all(|at| &self.text[self.words[at].end..self.words[at + 1].start] == " ");
        joined.then(|| &self.text[word.clone()])
    }

    fn lower(&self, distance: isize) -> Option<String> {
        self.near(distance).map(str::to_lowercase)
    }

    fn unclear(&self) -> Unclear {
        let words = [-1, 0, 1].into_iter().filter_map(|distance| self.near(distance));
        Unclear(words.collect::<Vec<_>>().join(" "))
    }

    /// What stands for the word, and the part of the text that it replaces; `None` if it has no gender.
    fn counterpart(&self, is_name: &dyn Fn(&str) -> bool) -> Result<Option<(Range<usize>, &'static str)>, Unclear> {
        let range = self.words[self.at].clone();
        let whole = self.text[range.clone()].to_lowercase();
        // `Ann Her` has a surname.
        if self.text[range.clone()].starts_with(char::is_uppercase) && self.near(-1).is_some_and(is_name) {
            return Ok(None);
        }
        // `she's` and `mother's` are a word and its ending; so are `she-` and what follows.
        let ending = whole.find(['\'', '’', '-']).unwrap_or(whole.len());
        let (word, ending) = if whole.starts_with("ma'") { (&*whole, "") } else { whole.split_at(ending) };
        let range = range.start..range.end - ending.len();
        if whole.contains('-') && whole.split('-').any(is_gendered) {
            return Err(self.unclear());
        }
        let title = TITLES.iter().find(|(title, _)| self.text[range.clone()] == **title);
        if let Some((_, other)) = title {
            let dot = usize::from(self.text[range.end..].starts_with('.'));
            let after = self.text[range.end + dot..].strip_prefix(' ');
            if after.is_some_and(|after| after.starts_with(char::is_uppercase)) {
                return Ok(Some((range, other)));
            }
        }
        // `s/he`, `his/her`.
        let slash = self.text[range.end..].starts_with('/') || self.text[..range.start].ends_with('/');
        if UNPAIRED.contains(&word) || UNPAIRED.contains(&&*whole) || (slash && is_gendered(word)) {
            return Err(self.unclear());
        }
        let other = match word {
            "her" => Some(self.object_or_owner(is_name)?),
            "him" => Some("her"),
            "his" => Some(self.owner()?),
            "hers" => Some("his"),
            // `Hey, man`; `the man`.
            "man" if self.lower(-1).is_none_or(|word| !DETERMINERS.contains(&&*word)) && !self.is_profile() => {
                return Err(self.unclear());
            }
            // `Look, son.`
            "son" if self.is_address() => return Err(self.unclear()),
            // `Ladies and gentlemen` has this order whoever listens.
            "ladies" if self.lower(2).as_deref() == Some("gentlemen") => None,
            "gentlemen" if self.lower(-2).as_deref() == Some("ladies") => None,
            _ => paired(word),
        };
        Ok(other.map(|other| (range, other)))
    }

    /// Whether it stands between commas, as the gender in a profile.
    fn is_profile(&self) -> bool {
        let range = &self.words[self.at];
        self.text[..range.start].ends_with(", ") && self.text[range.end..].starts_with(", is ")
    }

    /// Whether it stands behind a comma and before a mark, as a form of address.
    fn is_address(&self) -> bool {
        let range = &self.words[self.at];
        self.text[..range.start].ends_with(", ") && self.text[range.end..].starts_with(['.', ',', '!', '?'])
    }

    /// `hers` where nothing follows, else `her`.
    fn owner(&self) -> Result<&'static str, Unclear> {
        let after = self.text[self.words[self.at].end..].trim_start_matches(' ');
        let ends = after.is_empty() || after.starts_with(['.', ',', ';', ':', '!', '?', ')', '\n', '-', '—', '–']);
        match self.lower(1).as_deref() {
            _ if ends => Ok("hers"),
            Some("is" | "are" | "was" | "were" | "and" | "or" | "to" | "as" | "but") => Err(self.unclear()),
            _ => Ok("her"),
        }
    }

    /// `him` or `his` for `her`.
    fn object_or_owner(&self, is_name: &dyn Fn(&str) -> bool) -> Result<&'static str, Unclear> {
        let after = &self.text[self.words[self.at].end..];
        let Some(next) = self.lower(1) else {
            // A quoted phrase may follow.
            let quoted =
                after.trim_start_matches(' ').starts_with(['\'', '"', '‘', '“', '(']) && after.starts_with(' ');
            return if quoted { Err(self.unclear()) } else { Ok("him") };
        };
        let next = next.split(['\'', '’']).next().unwrap_or_default();
        let second = self.near(2);
        let ends = || {
            second.is_none_or(|word| is_name(word) || AFTER_OBJECT.contains(&&*word.to_lowercase()) && word != "than")
        };
        if AFTER_OBJECT.contains(&next) {
            return Ok("him");
        }
        if OPEN_ENDED.contains(&next) {
            return match ends() && self.lower(-1).is_some() {
                true => Ok("him"),
                false if ORDINAL.contains(&next) => Ok("his"),
                false => Err(self.unclear()),
            };
        }
        let before = self.lower(-1);
        let Some(before) = before.as_deref() else { return Ok("his") };
        if LIKE_NOUNS.contains(&next) {
            let object = second.is_some_and(|word| {
                is_name(word) || ["to", "in", "him", "her", "his"].contains(&&*word.to_lowercase())
            });
            return if object { Ok("him") } else { Err(self.unclear()) };
        }
        let adverb = next.ends_with("ly") && !ADJECTIVES_IN_LY.contains(&next);
        if CAUSATIVE.contains(&before) {
            return match () {
                _ if POSSESSED.contains(&next) => Ok("his"),
                _ if STATES.contains(&next) && ends() => Ok("him"),
                // `sees her leaving`.
                _ if next.ends_with("ing") && !NOUNS_IN_ING.contains(&next) => Ok("him"),
                _ if adverb && second.is_some_and(|word| STATES.contains(&&*word.to_lowercase())) => Ok("him"),
                _ => Err(self.unclear()),
            };
        }
        if adverb {
            return if ends() { Ok("him") } else { Err(self.unclear()) };
        }
        if CAUSED.contains(&before) {
            return if STATES.contains(&next) { Err(self.unclear()) } else { Ok("his") };
        }
        if DITRANSITIVE.contains(&before) {
            return match () {
                _ if POSSESSED.contains(&next) => Ok("his"),
                // What is brought is nobody's before.
                _ if (before.starts_with("bring") || before.starts_with("giv")) && GIVEN.contains(&next) => Ok("him"),
                _ => Err(self.unclear()),
            };
        }
        Ok("his")
    }
}

fn is_gendered(word: &str) -> bool {
    ["her", "him", "his", "hers"].contains(&word) || paired(word).is_some() || UNPAIRED.contains(&word)
}

fn paired(word: &str) -> Option<&'static str> {
    let other = |(one, other): &(&'static str, &'static str)| match word {
        _ if word == *one => Some(*other),
        _ if word == *other => Some(*one),
        _ => None,
    };
    PAIRS.iter().find_map(other)
}

/// A word with the capitals of another.
fn as_written(old: &str, new: &str) -> String {
    let capital = old.starts_with(char::is_uppercase);
    match new.chars().next() {
        Some(first) if capital => first.to_uppercase().chain(new[first.len_utf8()..].chars()).collect(),
        _ => new.to_string(),
    }
}

/// Places of the words of a text: runs of letters and digits, with apostrophes and hyphens within.
pub(super) fn words(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut letters = text.char_indices().peekable();
    let mut start = None;
    while let Some((at, letter)) = letters.next() {
        let inner = ['\'', '’', '-'].contains(&letter)
            && start.is_some()
            && letters.peek().is_some_and(|(_, next)| next.is_alphanumeric());
        match (letter.is_alphanumeric() || inner, start) {
            (true, None) => start = Some(at),
            (false, Some(first)) => {
                found.push(first..at);
                start = None;
            }
            _ => {}
        }
    }
    found.extend(start.map(|first| first..text.len()));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let found = exchanged(text, &|word| ["Ann", "Bo"].contains(&word));
        assert_eq!(found.as_deref(), Ok(expected), "{text}");
    }

    fn unclear(text: &str) {
        let found = exchanged(text, &|word| ["Ann", "Bo"].contains(&word));
        assert!(found.is_err(), "{text}: {found:?}");
    }

    #[test]
    fn her_before_a_noun_is_his() {
        check("Her belief makes her anxious.", "His belief makes him anxious.");
        check("Bo respects her recent work and her boss's plan.", "Bo respects his recent work and his boss's plan.");
        check("She left her job.", "He left his job.");
        check("her well-being, her only friend", "his well-being, his only friend");
        check("She sings her first concert.", "He sings his first concert.");
        check("What causes her worry?", "What causes his worry?");
    }

    #[test]
    fn her_as_an_object_is_him() {
        check("This leads her to ask.", "This leads him to ask.");
        check("Bo saw her, and helped her.", "Bo saw him, and helped him.");
        check("Bo wants to know her better.", "Bo wants to know him better.");
        check("Bo sees her leaving and overhears her.", "Bo sees him leaving and overhears him.");
        check("Trust in her makes her feel calm.", "Trust in him makes him feel calm.");
        check("Doubt about her leads Bo to wait.", "Doubt about him leads Bo to wait.");
        check("Trust in her and concern for her lead Bo to wait.", "Trust in him and concern for him lead Bo to wait.");
        check("His debt to her drive his plan.", "Her debt to him drive her plan.");
        check("It began to concern her given the risks.", "It began to concern him given the risks.");
        check("Bo has come to her seeking advice.", "Bo has come to him seeking advice.");
        check(
            "It makes her slightly anxious, so Bo asks her directly.",
            "It makes him slightly anxious, so Bo asks him directly.",
        );
    }

    #[test]
    fn his_is_her_or_hers() {
        check("His plan was his, not hers.", "Her plan was hers, not his.");
        check("He hurt himself; he's fine. It's his 'big' day.", "She hurt herself; she's fine. It's her 'big' day.");
    }

    #[test]
    fn persons_outside_change_with_the_others() {
        check("Mr. Bo's mother met my wife and a man.", "Ms. Bo's father met my husband and a woman.");
        check("Ann, woman, is a nurse. I miss Ann.", "Ann, man, is a nurse. I miss Ann.");
        check("Ladies and gentlemen, she is here.", "Ladies and gentlemen, he is here.");
        check("Ann Her said so. Her plan!", "Ann Her said so. His plan!");
    }

    #[test]
    fn unsettled_forms_are_not_guessed() {
        unclear("Bo offers her support.");
        unclear("Bo helps her plan.");
        unclear("Bo gives her space.");
        unclear("Hey, man, what's up?");
        unclear("I see many watches, son. He left.");
        unclear("I'm here for you, sis.");
        unclear("Bo offers her reasons to stay.");
        unclear("A prenatal check-up.");
        unclear("s/he");
        unclear("That guy is here.");
        unclear("Bo hates her \"big\" day.");
        unclear("Talks about her results.");
        unclear("Bo sees her painting.");
    }

    #[test]
    fn twice_exchanged_is_the_same() {
        let text = "Her belief leads her to thank her friend, and he trusts her. His hope is in her. It is his.";
        let once = exchanged(text, &|_| false).unwrap();
        assert_eq!(exchanged(&once, &|_| false).unwrap(), text);
    }
}
