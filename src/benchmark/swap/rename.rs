//! Names in a text, and others in their places.

/// The text with every name replaced at once: the longest that begins at a place, where no letter or digit stands on either
/// side.
pub(super) fn renamed(text: &str, names: &[(String, String)]) -> String {
    let mut made = String::with_capacity(text.len() + 16);
    let mut done = 0;
    for (at, length, new) in places(text, names) {
        made.push_str(&text[done..at]);
        made.push_str(new);
        done = at + length;
    }
    made.push_str(&text[done..]);
    made
}

/// Whether a name stands in a text.
pub(super) fn contains(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| is_word(text, at, name.len()))
}

/// Where names begin, their lengths, and what replaces each.
fn places<'n>(text: &str, names: &'n [(String, String)]) -> Vec<(usize, usize, &'n str)> {
    let mut found: Vec<(usize, usize, &str)> = names
        .iter()
        .flat_map(|(old, new)| text.match_indices(old.as_str()).map(move |(at, _)| (at, old.len(), new.as_str())))
        .filter(|(at, length, _)| is_word(text, *at, *length))
        .collect();
    found.sort_by_key(|(at, length, _)| (*at, std::cmp::Reverse(*length)));
    let mut end = 0;
    found.retain(|(at, length, _)| {
        let free = *at >= end;
        if free {
            end = at + length;
        }
        free
    });
    found
}

/// Whether no letter or digit stands on either side.
fn is_word(text: &str, at: usize, length: usize) -> bool {
    let letter = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    !letter(text[..at].chars().next_back()) && !letter(text[at + length..].chars().next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_names_are_replaced_at_once() {
        let names = [("Ann", "Bo"), ("Bo", "Ann"), ("Ann Lee", "Bo Tan")].map(|(old, new)| (old.into(), new.into()));
        let found = renamed("Ann's aunt Anna met Bo, Ann Lee and JoAnn; “Bo?”", &names);
        assert_eq!(found, "Bo's aunt Anna met Ann, Bo Tan and JoAnn; “Ann?”");
        assert!(contains("Is it Ann?", "Ann") && !contains("Is it Anna?", "Ann"));
    }
}
