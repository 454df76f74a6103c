//! The witness strip and its table as text for a terminal of 80 columns: time runs downward.

use std::fmt::{self, Write};

use super::head_analysis_terminal::{of_model, percents};
use crate::attend::results::{Case, Document, WITNESS_CAVEAT, WitnessRecord, WitnessSentenceRecord};
use crate::benchmark::Perceived;
use crate::table::{LINE, Value, wrap, wrap_to};

/// Cells of the longest bar.
const BAR: usize = 8;

/// Writes the strip of one prompt, a line per sentence.
pub(super) fn strip(out: &mut impl Write, case: &Case) -> fmt::Result {
    let Some(record) = &case.witness else { return Ok(()) };
    if let Some(reason) = &record.absent {
        return writeln!(out, "{}", wrap(&format!("  No witness strip: {reason}")));
    }
    let chances: Vec<_> = record.sentences.iter().map(|sentence| sentence.chance).collect();
    let told = [Some(record.headline(&case.options)), record.attention_told(&chances), record.true_belief_told()];
    for sentence in told.into_iter().flatten() {
        writeln!(out, "{}", wrap(&sentence))?;
    }
    let places: Vec<String> = record.places.iter().map(|place| format!("{} {}", place.letter, place.name)).collect();
    let lanes: Vec<String> = record.lanes.iter().enumerate().map(|(at, name)| format!("{} {name}", lane(at))).collect();
    writeln!(
        out,
        "{}",
        wrap(&format!("Places of the {}: {}. Lanes: {}.", record.object, places.join(", "), lanes.join(", ")))
    )?;
    let marks = if record.chain.is_empty() { "" } else { "o seen, h heard, x missed by somebody asked about. " };
    writeln!(out, "{}", wrap(&format!("{marks}- no place yet. Numbers: % per word, here and by chance.")))?;
    let head: Vec<String> = (0..record.lanes.len()).map(lane).collect();
    writeln!(out, "    {}       here chance", head.join(" "))?;
    let most = record.sentences.iter().map(|each| each.per_word).fold(0.0, f64::max);
    record.sentences.iter().enumerate().try_for_each(|(at, each)| line(out, record, at, each, most))
}

/// Head of a lane: reality, or its order.
pub(super) fn lane(order: usize) -> String {
    if order == 0 { "r".to_string() } else { order.to_string() }
}

fn line(
    out: &mut impl Write,
    record: &WitnessRecord,
    at: usize,
    each: &WitnessSentenceRecord,
    most: f64,
) -> fmt::Result {
    let letters = each.lanes.iter().map(|place| place.map_or("-", |place| record.places[place].letter.as_str()));
    let mark = match each.perceived {
        Some(Perceived::Seen) => 'o',
        Some(Perceived::Heard) => 'h',
        Some(Perceived::Missed) => 'x',
        None => ' ',
    };
    let chance = each.chance.map_or(String::new(), |chance| format!("{:.2}", 100.0 * chance.per_word));
    let cells = if most > 0.0 { (BAR as f64 * each.per_word / most).round() as usize } else { 0 };
    let before = format!(
        "{:>3} {}  {mark}  {:>5.2} {chance:>6} {:<BAR$} ",
        at + 1,
        letters.collect::<Vec<_>>().join(" "),
        100.0 * each.per_word,
        "#".repeat(cells)
    );
    let text = wrap_to(&each.short, LINE.saturating_sub(before.len()).max(20));
    writeln!(out, "{before}{}", text.replace('\n', &format!("\n{}", " ".repeat(before.len()))))
}

/// Writes the table over all prompts.
pub(super) fn table(out: &mut impl Write, document: &Document) -> fmt::Result {
    let found = &document.findings;
    if !found.witness.is_empty() {
        writeln!(out, "Attention per word on unseen sentences about the object, % of that on the story:")?;
        writeln!(out, "false beliefs alone")?;
    }
    for (at, name) in
        found.witness.first().iter().flat_map(|row| &row.comparisons).map(|each| &each.comparison).enumerate()
    {
        writeln!(
            out,
            "  {name}\n    {:<14} {:>5} {:>7} {:>6} {:>6} {:>7}  {:<15} {:>7}",
            "of", "items", "stories", "first", "second", "minus", "95 %", "Holm"
        )?;
        for row in &found.witness {
            let each = &row.comparisons[at];
            let percent = |value: Option<f64>| value.map(|value| 100.0 * value);
            writeln!(
                out,
                "    {:<14} {:>5} {:>7} {:>6} {:>6} {:>7}  {:<15} {:>7}{}",
                row.group,
                each.items,
                each.stories,
                Value::places(percent(each.first), 2),
                Value::places(percent(each.second), 2),
                Value::signed(percent(each.difference), 2),
                percents(each.interval),
                Value::p(each.holm, 4),
                of_model(document, Some(row.model))
            )?;
        }
    }
    for (reason, items) in &found.without_witness {
        writeln!(out, "{}", wrap(&format!("  {items} left out: {reason}")))?;
    }
    if found.witness.is_empty() { Ok(()) } else { writeln!(out, "{}", wrap(WITNESS_CAVEAT)) }
}
