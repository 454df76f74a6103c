//! Numbers and names as tables print them.

use indexmap::IndexMap;
use indicatif::HumanCount;

use crate::counted::nouns;
use crate::metric::{Header, PairedAccuracy};
use crate::table::Value;

/// The facets of a row in words.
pub(super) fn of(key: &IndexMap<String, String>) -> String {
    key.iter().map(|(facet, value)| format!("{facet} {value}")).collect::<Vec<_>>().join(", ")
}

/// A value with one decimal, as papers print it; `-` if missing.
pub(crate) fn number(value: Option<f64>) -> Value {
    Value::places(value, 1)
}

/// An interval with one decimal; `-` if missing.
pub(crate) fn interval(ends: Option<(f64, f64)>) -> Value {
    Value::range(ends, 1)
}

/// Respondent and way of answering, for the first cell of a row, without repeating what the label says.
pub(super) fn named(by: &Header, with_style: bool) -> String {
    let Header { label, answers, style, condition } = by;
    let inside = format!("{label}, ");
    let said = |part: &&str| part.is_empty() || inside.contains(&format!(", {part}, "));
    let parts = [Some(answers), with_style.then_some(style), condition.as_ref()];
    let parts: Vec<&str> = parts.into_iter().flatten().map(String::as_str).filter(|part| !said(part)).collect();
    if parts.is_empty() { label.clone() } else { format!("{label} ({})", parts.join(", ")) }
}

/// Whether results shown side by side need style and condition to be told apart.
pub(super) fn several_styles<'a>(mut headers: impl Iterator<Item = &'a Header>) -> bool {
    let Some(first) = headers.next() else { return false };
    first.condition.is_some() || headers.any(|each| each.style != first.style || each.condition.is_some())
}

/// The columns of a comparison: items, stories, accuracy, change, p.
pub(super) const PAIRED: [&str; 5] = ["items", "stories", "accuracy", "change", "p"];

/// Their cells.
pub(super) fn paired(found: &PairedAccuracy) -> [Value; 5] {
    let accuracy = number(found.accuracy.value).within(found.interval, 1).or_reason(&found.accuracy.reason);
    let change = Value::signed(found.change.value, 1).within(found.change_interval, 1);
    let [items, stories] = [found.items, found.stories].map(Value::grouped);
    [items, stories, accuracy, change, Value::p(found.p, 3)]
}

/// A count with commas between thousands.
pub(super) fn thousands(count: usize) -> String {
    HumanCount(count as u64).to_string()
}

/// A count with commas between thousands and its noun: `1 row`, `2,860 rows`.
pub(super) fn counted_in_thousands(count: usize, noun: &str) -> String {
    format!("{} {}", thousands(count), nouns(count, noun))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        for (count, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (13826, "13,826"), (1234567, "1,234,567")] {
            assert_eq!(thousands(count), text);
        }
    }
}
