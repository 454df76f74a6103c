//! Finds columns that are likely misspelled question fields, so that they do not silently become facets.

use serde_json::Value;

use crate::benchmark::own::QuestionField;

/// Alternative names for the story that mean nothing else.
const STORIES: [&str; 8] =
    ["passage", "narrative", "stories", "story_text", "scenario", "paragraph", "dialogue", "conversation"];

/// Alternative names for the language.
const LANGUAGES: [&str; 3] = ["lang", "locale", "language_code"];

/// The part that a column of this name holds.
pub(super) fn by_name(name: &str) -> Option<QuestionField> {
    match name {
        "context" => Some(QuestionField::Story),
        name => name.parse().ok(),
    }
}

/// The likely meaning of a column, ending with how to declare it; `None` for a facet. `free` tells whether no column
/// holds a part yet.
pub(super) fn meant(name: &str, value: Option<&Value>, free: impl Fn(QuestionField) -> bool) -> Option<String> {
    if looks_like_an_option(name) {
        return Some(
            "looks like an option but is not one; options are option_a, option_b, .. to option_z, or a list in options. Name \
             the option with --column option_a=NAME"
                .to_string(),
        );
    }
    let part = QuestionField::NAMED.into_iter().find(|&part| free(part) && is_like(name, part, value))?;
    Some(format!("looks like the {part}. Say so with --column {part}={name}"))
}

fn is_like(name: &str, part: QuestionField, value: Option<&Value>) -> bool {
    let own = part.to_string();
    // Short names are one letter away from too many words.
    let slip = own.len() > 4 && strsim::osa_distance(name, &own) == 1;
    let other = match part {
        QuestionField::Story => {
            STORIES.contains(&name) && value.is_some_and(|value| value.is_string() || value.is_null())
        }
        QuestionField::Language => LANGUAGES.contains(&name),
        QuestionField::StoryId => name == "storyid",
        _ => false,
    };
    slip || other
}

/// `option_aa`, `option1`, `optiona`, `options_b` and similar names.
fn looks_like_an_option(name: &str) -> bool {
    name.strip_prefix("option").is_some_and(|rest| {
        let rest = rest.trim_start_matches('s').trim_start_matches('_');
        rest.len() <= 2 && rest.chars().all(|letter| letter.is_ascii_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn slips_and_other_names_are_told_from_facets() {
        let said = |name: &str| meant(name, Some(&json!("text")), |_| true);
        for (name, part) in [
            ("stroy", "story"),
            ("anwser", "answer"),
            ("questions", "question"),
            ("passage", "story"),
            ("lang", "language"),
            ("storyid", "story_id"),
            ("paralel", "parallel"),
        ] {
            let text = said(name).unwrap_or_else(|| panic!("{name}"));
            assert!(text.contains(&format!("--column {part}={name}")), "{text}");
        }
        for name in ["level", "kinds", "order", "task", "option_count", "idx", "question.type", "ending"] {
            assert_eq!(said(name), None, "{name}");
        }
        assert_eq!(
            meant("passage", Some(&json!("text")), |part| part != QuestionField::Story),
            None,
            "there is a story"
        );
        assert_eq!(meant("passage", Some(&json!(3)), |_| true), None, "a number of a passage");
    }
}
