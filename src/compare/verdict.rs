//! Verdict on a row in words.

use super::ComparisonRow;
use super::headline::HEADLINE;
use crate::counted::counted;
use crate::stats::FEWEST_FLIPPED;

/// The verdict on each headline, with its name; without headlines, the verdict on the row over all items.
pub(super) fn verdicts(all: Option<&ComparisonRow>, headlines: &[ComparisonRow], margin: f64) -> String {
    let of_headline = |row: &ComparisonRow| format!("{}: {}", row.value, verdict(row, margin));
    let rendered: Vec<String> = headlines.iter().filter(|row| row.facet == HEADLINE).map(of_headline).collect();
    match rendered.is_empty() {
        true => all.map_or_else(String::new, |all| verdict(all, margin)),
        false => rendered.join(" "),
    }
}

/// The verdict on a row: which side is better, whether that is significant, and whether it matters. Based on
/// `p_stories`, which reaches 5 % only if at least six stories changed.
fn verdict(row: &ComparisonRow, margin: f64) -> String {
    if row.stories < FEWEST_FLIPPED {
        let stories = counted(row.stories, "story");
        return format!("All items belong to {stories}; fewer than six do not show how sure a difference is.");
    }
    let alike = row.equivalence_p.is_some_and(|p| p < 0.05);
    if row.p_stories < 0.05 {
        let (better, size) =
            if row.difference > 0.0 { (&row.side_b, row.difference) } else { (&row.side_a, -row.difference) };
        let small = if alike { format!("; it is shown to be smaller than {margin} points") } else { String::new() };
        return format!("{better} is better by {}: p by story is below 0.05{small}.", points(size));
    }
    if alike {
        return format!("No difference shown; one of {margin} points or more is excluded.");
    }
    match (row.right_to_wrong + row.wrong_to_right, row.detectable) {
        (0, _) => format!("No item is answered rightly by one side alone, but one of {margin} points is not excluded."),
        (_, Some(detectable)) => format!(
            "No difference shown, nor is one of {margin} points excluded: these items find one of {} in four of five \
             cases.",
            points(detectable)
        ),
        (_, None) if row.interval.is_none() => {
            "No difference shown: a part of this figure has too few stories for an interval.".to_string()
        }
        (_, None) => format!(
            "No difference shown: in every story as many items turn right as wrong. One of {margin} points is not \
             excluded."
        ),
    }
}

fn points(size: f64) -> String {
    format!("{size:.1} points")
}
