//! A row in words.

use super::Row;

/// What a row says: which side is better, whether that is sure, and whether it matters.
pub(super) fn verdict(row: &Row, margin: f64) -> String {
    let Some((low, high)) = row.interval else {
        return "All items belong to one story, which does not show how sure a difference is.".to_string();
    };
    let alike = row.equivalence_p.is_some_and(|p| p < 0.05);
    if low > 0.0 || high < 0.0 {
        let (better, size) =
            if row.difference > 0.0 { (&row.side_b, row.difference) } else { (&row.side_a, -row.difference) };
        let small = if alike { format!("; it is shown to be smaller than {margin} points") } else { String::new() };
        return format!("{better} is better by {}: the interval excludes 0{small}.", points(size));
    }
    match (alike, row.detectable) {
        (true, _) => format!("No difference shown; one of {margin} points or more is excluded."),
        (false, Some(detectable)) => format!(
            "No difference shown, nor is one of {margin} points excluded: these items find one of {} in four of five \
             cases.",
            points(detectable)
        ),
        (false, None) => {
            format!("No item is answered rightly by one side alone, but one of {margin} points is not excluded.")
        }
    }
}

fn points(size: f64) -> String {
    format!("{size:.1} points")
}
