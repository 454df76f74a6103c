//! Differences between Python's Jinja and ours: printing of values, `tojson`, `strftime_now`.

use jiff::civil::DateTime;
use minijinja::value::{Kwargs, Value, ValueKind};
use minijinja::{Error, ErrorKind, Output, State};

use super::limits;

/// Print a value as Python does: `None`, `True`, `False` with capitals. Nothing is escaped.
pub(super) fn write(out: &mut Output, state: &State, value: &Value) -> Result<(), Error> {
    limits::written(state, value)?;
    let text = match value.kind() {
        ValueKind::None => "None",
        ValueKind::Bool if value.is_true() => "True",
        ValueKind::Bool => "False",
        _ => return std::fmt::Write::write_fmt(out, format_args!("{value}")).map_err(Error::from),
    };
    std::fmt::Write::write_str(out, text).map_err(Error::from)
}

/// `tojson` as transformers defines it: Python's `json.dumps` without escaping of letters, and without the HTML escapes
/// of standard Jinja. Supports `indent`, `sort_keys` and `separators`; `ensure_ascii` may be given as false.
pub(super) fn tojson(state: &State, value: Value, arguments: Kwargs) -> Result<String, Error> {
    let indent: Option<usize> = arguments.get("indent")?;
    let sort_keys: Option<bool> = arguments.get("sort_keys")?;
    let separators: Option<(String, String)> = match arguments.get::<Option<Vec<String>>>("separators")? {
        None => None,
        Some(pair) => match <[String; 2]>::try_from(pair) {
            Ok([item, key]) => Some((item, key)),
            Err(_) => return Err(Error::new(ErrorKind::InvalidOperation, "tojson: separators are two strings")),
        },
    };
    if arguments.get::<Option<bool>>("ensure_ascii")?.unwrap_or(false) {
        return Err(Error::new(ErrorKind::InvalidOperation, "tojson: ensure_ascii is not supported"));
    }
    arguments.assert_all_used()?;
    let around = separators.as_ref().map_or(2, |(item, key)| item.len() + key.len());
    limits::as_json(state, &value, around, indent.unwrap_or(0))?;
    let value: serde_json::Value = serde_json::to_value(&value)
        .map_err(|error| Error::new(ErrorKind::BadSerialization, "tojson").with_source(error))?;
    let item = if indent.is_some() { "," } else { ", " };
    let (item, key) = separators.unwrap_or_else(|| (item.to_string(), ": ".to_string()));
    let layout = Layout { indent, sort_keys: sort_keys.unwrap_or(false), item, key };
    let mut text = String::new();
    layout.write(&value, 0, &mut text);
    Ok(text)
}

struct Layout {
    indent: Option<usize>,
    sort_keys: bool,
    item: String,
    key: String,
}

impl Layout {
    fn write(&self, value: &serde_json::Value, depth: usize, out: &mut String) {
        match value {
            serde_json::Value::Array(items) if !items.is_empty() => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    self.begin_item(index, depth + 1, out);
                    self.write(item, depth + 1, out);
                }
                self.new_line(depth, out);
                out.push(']');
            }
            serde_json::Value::Object(entries) if !entries.is_empty() => {
                let mut entries: Vec<_> = entries.iter().collect();
                if self.sort_keys {
                    entries.sort_by_key(|(key, _)| *key);
                }
                out.push('{');
                for (index, (key, value)) in entries.into_iter().enumerate() {
                    self.begin_item(index, depth + 1, out);
                    out.push_str(&serde_json::Value::from(key.as_str()).to_string());
                    out.push_str(&self.key);
                    self.write(value, depth + 1, out);
                }
                self.new_line(depth, out);
                out.push('}');
            }
            other => out.push_str(&other.to_string()),
        }
    }

    fn begin_item(&self, index: usize, depth: usize, out: &mut String) {
        if index > 0 {
            out.push_str(&self.item);
        }
        self.new_line(depth, out);
    }

    fn new_line(&self, depth: usize, out: &mut String) {
        if let Some(indent) = self.indent {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent * depth));
        }
    }
}

/// The function `strftime_now`, which gives the time of the run's settings.
pub(super) fn strftime(now: DateTime) -> Value {
    Value::from_function(move |state: &State, format: String| -> Result<String, Error> {
        // A sign and a letter expand to the date and the time.
        limits::text(state, format.len().saturating_mul(16))?;
        jiff::fmt::strtime::format(format.as_bytes(), now)
            .map_err(|error| Error::new(ErrorKind::InvalidOperation, format!("strftime_now: {error}")))
    })
}
