//! Summary of a run on one screen: each benchmark's headline with its interval, next to chance, published models and
//! people; a bar per task; and the caveats to know before quoting the numbers.

use indexmap::IndexSet;

use super::label::{CHANGED, SHOWN, UNFINISHED, UNSTEADY};
use super::sheets::{self, Beside, row_name};
use super::view::{Published, View};
use super::words::{counted_in_thousands, interval, named, number, thousands};
use super::{Report, Unfinished, problems, transfer};
use crate::counted::{counted, nouns};
use crate::extract;
use crate::metric::{
    BY, Cell, Counts, Header, OrderEffects, ReplyResult, ResultRow, Results, Shortcut, TableResult, strongest,
};
use crate::page::words::Said;
use crate::safe_text::for_terminal;
use crate::stats::holm;
use crate::table::{Format, Grid, Screen, Value, cells, hanging};

/// Most rows that get bars; more do not fit side by side.
const WITH_BARS: usize = 2;

/// Length of a full bar in characters.
const BAR: usize = 20;

/// Standard deviation of the slots' recalls, in points, from which a model counts as preferring slots.
const SLOT_BIAS: f64 = 15.0;

/// Share of unanswered items or tied trials, in percent, that a summary mentions.
const WORTH_SAYING: f64 = 5.0;

/// Summary of a report, laid out for this screen.
pub fn summary(report: &Report, screen: Screen) -> String {
    let mut text = head(report, screen);
    for results in &report.results {
        text.push('\n');
        text.push_str(&benchmark(results, screen));
    }
    text.push_str(&to_know(report, screen));
    for_terminal(&text).into_owned()
}

/// Missing or changed data, and what was run.
pub(super) fn head(report: &Report, screen: Screen) -> String {
    let mut text = String::new();
    if let Some(part) = report.unfinished {
        text.push_str(&hanging("", &format!("{part}: {}.\n\n", Unfinished::advice(part)), screen));
    }
    for mark in [CHANGED, UNSTEADY] {
        if let Some(warning) = report.provenance.get(mark) {
            text.push_str(&hanging("", &format!("{mark}: {warning}.\n\n"), screen));
        }
    }
    text.push_str(&what_was_run(report, screen));
    text
}

/// Caveats to know before using the numbers.
pub(super) fn to_know(report: &Report, screen: Screen) -> String {
    let warnings = warnings_of(report);
    if warnings.is_empty() {
        return String::new();
    }
    let lines: String = warnings.iter().map(|warning| hanging("- ", warning, screen) + "\n").collect();
    format!("\nBefore you use these numbers\n{lines}")
}

/// The same caveats, one sentence each.
pub(super) fn warnings_of(report: &Report) -> IndexSet<String> {
    report.results.iter().flat_map(warnings).collect()
}

/// Whether every short report shows this provenance line if it exists.
pub(super) fn is_said(name: &str) -> bool {
    [CHANGED, UNSTEADY].contains(&name) || ALWAYS.contains(&name) || WHERE_SAID.contains(&name)
}

/// Provenance lines at the top of every summary.
const ALWAYS: [&str; 5] = ["model", "answers", "style", "orders", "arithmetic"];

/// Provenance lines recorded only for unusual settings.
const WHERE_SAID: [&str; 10] =
    [UNFINISHED, SHOWN, "phase", "only", "choices", "file read with", "system", "turns", "questions", "mixed"];

/// Describes the run in a line or two.
fn what_was_run(report: &Report, screen: Screen) -> String {
    let line = |name: &str| report.provenance.get(name).filter(|value| !value.is_empty());
    let always: Vec<&str> = ALWAYS.iter().filter_map(|name| line(name)).map(String::as_str).collect();
    let mut lines: Vec<String> = if always.is_empty() { Vec::new() } else { vec![always.join("; ")] };
    lines.extend(WHERE_SAID.iter().filter_map(|name| Some(format!("{name}: {}", line(name)?))));
    // Instructions in the items' language are the default and not mentioned.
    let instructions = line("instructions").filter(|rendered| rendered.contains(';'));
    lines.extend(instructions.map(|rendered| format!("instructions: {rendered}")));
    lines.iter().map(|line| hanging("", line, screen) + "\n").collect()
}

/// First table of a benchmark: its headline column row by row, the other columns as bars, then the tables requested by
/// facet.
fn benchmark(results: &Results, screen: Screen) -> String {
    let Some((table, headline)) = sheets::headline(results) else {
        return format!("{}: no value in any table; `--tables` says why\n", results.title);
    };
    let rows = valued_rows(table);
    let mut text = format!("{}: {}\n", results.title, table.title);
    text.push_str(&headline_of(results, table, headline, screen));
    match rows.len() {
        1..=WITH_BARS => text.push_str(&bars(table, &rows, headline)),
        _ if rows.iter().all(|row| row.cells[headline].value.is_none()) => text.push_str(&values(table, screen)),
        _ => {}
    }
    let more = results.tables.iter().filter(|other| other.id != table.id);
    for other in more {
        if other.id.starts_with(transfer::ID) {
            text.push_str(&values(other, screen));
        } else if other.id.starts_with(BY) {
            let rows: Vec<&ResultRow> = other.rows.iter().collect();
            text.push_str(&format!("\n{}\n{}", other.title, column(other, &rows, 0, screen)));
        }
    }
    text
}

/// The number of trials, and the headline column of a benchmark.
pub(super) fn headline(results: &Results, view: &View) -> String {
    match sheets::headline(results) {
        // The table's caption is printed below it.
        Some((table, headline)) => {
            let mut table = TableResult { caption: None, ..table.clone() };
            table.published.retain(|_| view.published != Published::None);
            headline_of(results, &table, headline, view.screen)
        }
        None => format!("{}\nno value in any table; `--table all` says why\n", asked(&results.counts)),
    }
}

fn headline_of(results: &Results, table: &TableResult, headline: usize, screen: Screen) -> String {
    format!("{}\n{}", asked(&results.counts), column(table, &valued_rows(table), headline, screen))
}

/// Rows of a table that have a value.
fn valued_rows(table: &TableResult) -> Vec<&ResultRow> {
    table.rows.iter().filter(|row| row.cells.iter().any(|cell| cell.value.is_some())).collect()
}

/// The number of trials: a question occurs in every language, variant or prompting type, and each such item is asked in
/// several orders.
fn asked(counts: &Counts) -> String {
    let questions = match counts.questions {
        questions if (1..counts.items).contains(&questions) => {
            format!("{}, ", counted_in_thousands(questions, "question"))
        }
        _ => String::new(),
    };
    let (items, trials) = (counted_in_thousands(counts.items, "item"), counted_in_thousands(counts.trials, "trial"));
    format!("{questions}{items}, {trials}")
}

/// One column of a table, row by row: each value with its sample size and the values next to it, then the reasons for
/// missing values.
fn column(table: &TableResult, rows: &[&ResultRow], column: usize, screen: Screen) -> String {
    let several_styles = sheets::several_styles(table);
    let name = |row: &ResultRow| {
        let by = row_name(row, several_styles, true);
        if row.key.is_empty() { by } else { format!("{}  {by}", place(row)) }
    };
    let cells = |row: &&ResultRow| {
        let cell = &row.cells[column];
        let beside = Beside::new(table, row, column);
        cells![
            name(row),
            number(cell.value).or_reason(&cell.reason),
            interval(cell.interval),
            cell.value.map(|_| Value::grouped(cell.n)).unwrap_or_default(),
            sheets::smallest(cell),
            number(cell.chance),
            number(cell.constant),
            beside.best.map(|(value, label)| number(Some(value)).unit(format!(" {label}"))),
            number(beside.people.map(|(value, _)| value)),
        ]
    };
    let named = &table.columns[column];
    let best = sheets::all_of(rows).unwrap_or_else(|| "best published".to_string());
    let header = ["", named, "95 % interval", "n", "smallest cell", "chance", "best constant", &best, "people"];
    let mut grid = Grid::new("", 1, header, rows.iter().map(cells));
    grid.drop_empty_columns();
    // Missing values are shown as missing.
    if rows.iter().all(|row| row.cells[column].value.is_none()) {
        grid.header.insert(1, named.clone());
        grid.rows.iter_mut().for_each(|row| row.cells.insert(1, Value::Missing(None)));
    }
    let missing: IndexSet<String> = rows
        .iter()
        .filter_map(|row| {
            let of = if row.key.is_empty() { String::new() } else { format!(" of {}", place(row)) };
            Some(format!("{named}{of}: {}", row.cells[column].reason.as_ref()?))
        })
        .collect();
    let lines = missing.iter().chain(&table.caption).map(|line| hanging("- ", line, screen) + "\n");
    std::iter::once(Format::Terminal.table(&grid, screen)).chain(lines).collect()
}

/// Facet values of a row.
fn place(row: &ResultRow) -> String {
    row.key.values().map(String::as_str).collect::<Vec<_>>().join(" ")
}

/// All values of a table, without the intervals (see `--tables`).
fn values(table: &TableResult, screen: Screen) -> String {
    let several_styles = sheets::several_styles(table);
    let several = table
        .rows
        .iter()
        .any(|row| row_name(row, several_styles, true) != row_name(&table.rows[0], several_styles, true));
    let line = |row: &ResultRow| {
        let name = several.then(|| row_name(row, several_styles, true));
        let labels = row.key.values().cloned().chain(name).map(Value::from);
        labels.chain(row.cells.iter().map(|cell| number(cell.value))).collect::<Vec<_>>()
    };
    let labels = table.facets.iter().cloned().chain(several.then(String::new));
    let header = labels.chain(table.columns.iter().cloned());
    let grid = Grid::new("", table.facets.len() + usize::from(several), header, table.rows.iter().map(line));
    format!("\n{}\n{}", table.title, Format::Terminal.table(&grid, screen))
}

/// Bars for the other columns of a table, rows side by side.
fn bars(table: &TableResult, rows: &[&ResultRow], headline: usize) -> String {
    let shown: Vec<usize> = (0..table.columns.len())
        .filter(|column| *column != headline && rows.iter().any(|row| row.cells[*column].value.is_some()))
        .collect();
    let widest = shown.iter().map(|&column| unicode_width::UnicodeWidthStr::width(&table.columns[column][..])).max();
    let Some(widest) = widest else { return String::new() };
    let line = |column: &usize| {
        let name = &table.columns[*column];
        let padding = " ".repeat(widest - unicode_width::UnicodeWidthStr::width(&name[..]));
        let bars: Vec<String> = rows.iter().map(|row| bar(&row.cells[*column])).collect();
        format!("  {name}{padding}  {}\n", bars.join("   ").trim_end())
    };
    // Two rows share the lines of their bars, so each needs a heading.
    let heading = |row: &&ResultRow| {
        let key = place(row);
        let name =
            if key.is_empty() || rows.iter().all(|other| other.key == row.key) { &row.header.style } else { &key };
        format!("{name:<width$}", width = BAR + 6)
    };
    let headings = match rows.len() {
        1 => String::new(),
        _ => format!("  {:widest$}  {}\n", "", rows.iter().map(heading).collect::<Vec<_>>().join("   ").trim_end()),
    };
    std::iter::once(headings).chain(shown.iter().map(line)).collect()
}

/// A value as a bar from 0 to 100 with its number.
fn bar(cell: &Cell) -> String {
    const PARTS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
    let Some(value) = cell.value else { return format!("{:BAR$} {:>5}", "", "-") };
    let eighths = (value.clamp(0.0, 100.0) / 100.0 * (BAR * 8) as f64).round() as usize;
    let mut drawn = "█".repeat(eighths / 8);
    if eighths < BAR * 8 {
        drawn.push(PARTS[eighths % 8]);
    }
    format!("{drawn:BAR$} {value:>5.1}")
}

/// Caveats about the numbers of a benchmark.
fn warnings(results: &Results) -> Vec<String> {
    let title = &results.title;
    let mut found = Vec::new();
    for (heading, rows) in problems::problems(results) {
        let more = if rows.len() > 1 { format!(" (and {} more)", rows.len() - 1) } else { String::new() };
        found.push(format!("{title}: {heading} {}{more}", rows.first().map_or("", String::as_str)));
    }
    if let Some((table, column)) = sheets::headline(results) {
        let below = |row: &&ResultRow| {
            let cell = &row.cells[column];
            cell.interval.zip(cell.chance).is_some_and(|((_, high), chance)| high < chance)
        };
        for row in table.rows.iter().filter(below) {
            let known = row.key.contains_key("language");
            let languages = if known { String::new() } else { languages(results, &row.header) };
            let of: Vec<String> = [place(row), languages, row_name(row, true, false)]
                .into_iter()
                .filter(|said| !said.is_empty())
                .collect();
            let named = &table.columns[column];
            found.push(format!("{title} ({}): {named} is below chance; check its answers", of.join(", ")));
        }
    }
    found.extend(shortcut(results).map(|said| said.to_string()));
    let counts = &results.counts;
    let share = |part: usize, of: usize| part as f64 / of.max(1) as f64 * 100.0;
    let all = all_that_was_asked(results);
    let failed: usize = counts.failures.values().sum();
    if failed > 0 {
        let kinds: Vec<String> = counts.failures.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
        let kinds = kinds.join(", ");
        let asked = match counts.failed_items {
            0 => String::new(),
            1 => "1 item could not be asked and counts as wrong; ".to_string(),
            more => format!("{more} items could not be asked and count as wrong; "),
        };
        found.push(format!("{title}{all}: {asked}{failed} of {} failed ({kinds})", counted(counts.trials, "trial")));
    }
    if let (Some((low, high)), true) = (counts.accuracy_bounds, counts.unanswered > 0 && failed == 0)
        && results.replies.is_empty()
    {
        found.push(format!(
            "{title}{all}: {} no answer and {} as wrong; accuracy over all items lies between {low:.1} and {high:.1}",
            if counts.unanswered == 1 { "1 item has".to_string() } else { format!("{} items have", counts.unanswered) },
            if counts.unanswered == 1 { "counts" } else { "count" },
        ));
    }
    for replies in &results.replies {
        let percent = share(replies.items_without_answer, replies.items);
        if percent >= WORTH_SAYING {
            let (low, high) = replies.accuracy_bounds;
            let of = named(&replies.header, true);
            found.push(format!(
                "{title} ({}, {of}): {percent:.0} % of the items have no answer that could be read; accuracy lies between \
                 {low:.1} and {high:.1}; {}",
                replies.language,
                without_answer(replies)
            ));
        }
    }
    let percent = share(counts.tied_trials, counts.trials);
    if percent >= WORTH_SAYING {
        found.push(format!("{title}{all}: in {percent:.0} % of the trials several answers were equally likely"));
    }
    found.extend(low_label_mass(results).map(|said| said.to_string()));
    found.extend(preferred_slots(results).map(|said| said.to_string()));
    found
}

/// The strongest shortcut of the data, if any.
pub(super) fn shortcut(results: &Results) -> Option<Said> {
    let shortcut = strongest(&results.shortcuts)?;
    let Shortcut { answer, accuracy, chance, .. } = shortcut;
    let values = [
        ("title", results.title.clone()),
        ("answer", answer.to_string()),
        ("accuracy", format!("{accuracy:.1}")),
        ("cell", shortcut.cell()),
        ("chance", format!("{chance:.1}")),
    ];
    Some(Said::new("say_shortcut", values))
}

/// The models that would rather write something other than a label.
pub(super) fn low_label_mass(results: &Results) -> impl Iterator<Item = Said> {
    results.label_mass.iter().filter(|mass| mass.is_low()).map(move |mass| {
        let languages = languages(results, &mass.header);
        let by = named(&mass.header, true);
        let of: Vec<String> = [languages, by].into_iter().filter(|said| !said.is_empty()).collect();
        let values =
            [("title", results.title.clone()), ("of", of.join(", ")), ("mass", number(mass.median.value).to_string())];
        Said::new("say_label_mass", values)
    })
}

/// The model that prefers some slots most, if a test says that one does.
pub(super) fn preferred_slots(results: &Results) -> Option<Said> {
    // One test per language and number of options, so as many chances of a false alarm.
    let tested: Vec<&OrderEffects> =
        results.order_effects.iter().filter(|each| each.recall_p.value.is_some()).collect();
    let adjusted = holm(&tested.iter().filter_map(|each| each.recall_p.value).collect::<Vec<_>>());
    let deviation = |effects: &OrderEffects| effects.recall_deviation.value.unwrap_or_default();
    let biased = tested.into_iter().zip(adjusted).filter(|(each, p)| *p < 0.05 && deviation(each) >= SLOT_BIAS);
    let effects = biased.map(|(each, _)| each).max_by(|one, other| deviation(one).total_cmp(&deviation(other)))?;
    let values = [
        ("title", results.title.clone()),
        ("of", format!("{}, {}", effects.language, named(&effects.header, true))),
        ("points", number(effects.recall_deviation.value).to_string()),
        ("options", effects.options.to_string()),
    ];
    Some(Said::new("say_slots", values))
}

/// Distinct ways of asking in the results, each with its items' language.
fn ways(results: &Results) -> impl Iterator<Item = (&Header, &str)> {
    let effects = results.order_effects.iter().map(|it| (&it.header, it.language.as_str()));
    let replies = results.replies.iter().map(|it| (&it.header, it.language.as_str()));
    let calibration = results.calibration.iter().map(|it| (&it.header, it.language.as_str()));
    effects.chain(replies).chain(calibration)
}

/// Languages of the items asked in one way.
fn languages(results: &Results, by: &Header) -> String {
    let found: IndexSet<&str> = ways(results).filter(|(known, _)| *known == by).map(|(_, language)| language).collect();
    found.into_iter().collect::<Vec<_>>().join(" and ")
}

/// Languages of all items asked.
pub(super) fn all_languages(results: &Results) -> String {
    let of_rows = results.tables.iter().flat_map(|table| &table.rows).filter_map(|row| row.key.get("language"));
    let found: IndexSet<&str> =
        ways(results).map(|(_, language)| language).chain(of_rows.map(String::as_str)).collect();
    found.into_iter().collect::<Vec<_>>().join(", ")
}

/// Languages and styles covered by a benchmark's counts, in brackets.
fn all_that_was_asked(results: &Results) -> String {
    let languages: IndexSet<&str> = ways(results).map(|(_, language)| language).collect();
    let styles: IndexSet<&str> = ways(results).map(|(header, _)| header.style.as_str()).collect();
    let joined = |found: IndexSet<&str>| found.into_iter().collect::<Vec<_>>().join(" and ");
    let of: Vec<String> = [joined(languages), joined(styles)].into_iter().filter(|said| !said.is_empty()).collect();
    if of.is_empty() { String::new() } else { format!(" ({})", of.join(", ")) }
}

/// Outcomes of replies without an answer, with advice where most were cut off.
fn without_answer(replies: &ReplyResult) -> String {
    use extract::Outcome::{Ambiguous, CutOff, None, Refused};
    let kinds =
        [(CutOff, "cut off"), (Refused, "refused"), (Ambiguous, "ambiguous"), (None, "empty or without a statement")];
    let count = |outcome: extract::Outcome| replies.outcomes.get(outcome.name()).copied().unwrap_or(0);
    let rendered: Vec<String> = kinds
        .iter()
        .filter(|(outcome, _)| count(*outcome) > 0)
        .map(|(outcome, name)| format!("{} {name}", thousands(count(*outcome))))
        .collect();
    let advice = match kinds.iter().all(|(outcome, _)| count(*outcome) <= count(CutOff)) {
        true => "; raise --max-new-tokens",
        false => "",
    };
    let all = nouns(replies.replies, "reply");
    format!("of {} {all} {}{advice}", thousands(replies.replies), rendered.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_long_as_its_value() {
        let cell = |value: Option<f64>| Cell { value, ..serde_json::from_str(EMPTY).unwrap() };
        assert_eq!(bar(&cell(Some(100.0))), format!("{} 100.0", "█".repeat(BAR)));
        assert_eq!(bar(&cell(Some(50.0))), format!("{:BAR$}  50.0", "█".repeat(BAR / 2)));
        assert_eq!(bar(&cell(Some(2.5))), format!("{:BAR$}   2.5", "▌"));
        assert_eq!(bar(&cell(None)), format!("{:BAR$}     -", ""));
        let widths = [0.0, 0.4, 33.3, 99.9, 100.0].map(|value| bar(&cell(Some(value))).chars().count());
        assert_eq!(widths, [BAR + 6; 5]);
    }

    const EMPTY: &str = r#"{"value": null, "interval": null, "n": 1, "unit": "items", "chance": null, "reason": null}"#;

    #[test]
    fn slots_are_preferred_where_a_test_says_so() {
        let figure = |value: f64| serde_json::json!({"value": value, "reason": null});
        let effects = |deviation: f64, p: serde_json::Value| {
            let nothing = serde_json::json!({"value": null, "reason": "no item was seen in two known orders"});
            let p = if p.is_null() { nothing } else { serde_json::json!({"value": p, "reason": null}) };
            serde_json::json!({
                "label": "m", "style": "vanilla", "condition": null, "language": "en", "options": 4, "items": 60,
                "vote": figure(50.0), "single_order": figure(50.0), "circular": figure(10.0), "mean_probability": figure(50.0),
                "debiased": figure(50.0), "prior": [], "recall": [], "recall_deviation": figure(deviation), "recall_p": p
            })
        };
        let preferred = |effects: &[serde_json::Value]| {
            let results = serde_json::json!({
                "benchmark": "custom", "title": "B", "label": "m", "tables": [], "order_effects": effects, "listings": [], "notes": [],
                "counts": serde_json::to_value(crate::metric::Counts::default()).unwrap()
            });
            let found = warnings(&serde_json::from_value(results).unwrap());
            found.iter().any(|warning| warning.contains("some slots are preferred"))
        };
        assert!(preferred(&[effects(30.0, 0.001.into())]));
        assert!(!preferred(&[effects(30.0, 0.2.into())]), "by chance");
        assert!(!preferred(&[effects(30.0, serde_json::Value::Null)]), "one order says nothing");
        assert!(!preferred(&[effects(5.0, 0.001.into())]), "sure and small");
        // Two tests, so two chances of a false alarm.
        assert!(!preferred(&[effects(30.0, 0.04.into()), effects(20.0, 0.5.into())]));
    }

    #[test]
    fn long_warnings_are_wrapped() {
        let text = hanging("- ", &"word ".repeat(30), Screen { width: Some(60) });
        assert!(text.lines().all(|line| line.chars().count() <= 60), "{text}");
        assert!(text.starts_with("- word"));
        assert_eq!(text.matches("word").count(), 30);
    }
}
