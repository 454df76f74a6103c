//! The keys under which files hold a reply.

use serde_json::{Map, Value};

use crate::json::{MOST_VALUES, within};
use crate::parse_error::in_words_of_line;

/// Keys of a reply.
pub(super) const REPLY_KEYS: [&str; 6] = ["text", "reply", "response", "output", "completion", "generation"];

/// The reply of an object, and its key; `None` without one. `text` takes precedence over the others.
///
/// # Errors
/// Several other keys hold a text.
pub(super) fn reply_in(object: &Map<String, Value>) -> Result<Option<(&'static str, &str)>, String> {
    let texts = REPLY_KEYS.iter().filter_map(|key| Some((*key, object.get(*key)?.as_str()?)));
    match texts.collect::<Vec<_>>()[..] {
        [] => Ok(None),
        [one] | [one @ ("text", _), ..] => Ok(Some(one)),
        [(one, _), (other, _), ..] => {
            Err(format!("`{one}` and `{other}` exclude each other; remove the one that is not the model's reply"))
        }
    }
}

/// The reply of a line.
///
/// # Errors
/// It has no reply, or several.
pub fn reply_of_line(line: &str) -> Result<String, String> {
    let values = within(line.as_bytes(), MOST_VALUES).map_err(in_words_of_line)?;
    let found = values.as_object().map(reply_in).transpose()?.flatten();
    let missing = || format!("the key `text` is missing; put the reply under one of `{}`", REPLY_KEYS.join("`, `"));
    found.map(|(_, reply)| reply.to_string()).ok_or_else(missing)
}
