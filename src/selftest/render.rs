//! Renders the table of differences.

use super::{Check, Compared, SelfTest, SelftestRow, Skipped};
use crate::counted::two_places;
use crate::table::{Format, Grid, GridRow, Screen, Value, cells, comma_separated, render_grids};

const HEADER: [&str; 8] = ["fixture", "with", "type", "logits", "capture", "reply", "bound", ""];

/// Renders a document in any format. `screen` only matters for [`Format::Terminal`].
pub fn render(test: &SelfTest, format: Format, screen: Screen) -> serde_json::Result<String> {
    Ok(match format {
        Format::Json => serde_json::to_string_pretty(test)? + "\n",
        Format::Csv => {
            let line = |row: &SelftestRow| cells(row)[..7].iter().map(Value::to_string).collect::<Vec<_>>();
            comma_separated(&HEADER[..7], test.rows.iter().map(line))
        }
        _ => render_grids(&facts(test), &[grid(test)], format, screen),
    })
}

fn facts(test: &SelfTest) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("program", format!("tomeval {}", test.program)),
        ("device", test.device.clone()),
        ("fixtures", test.fixtures.clone()),
    ];
    if let Some(gpu) = &test.gpu {
        let driver = gpu.driver.as_deref().unwrap_or("unknown");
        facts.push(("GPU", format!("{}, compute capability {}, driver {driver}", gpu.name, gpu.capability)));
    }
    facts
}

fn grid(test: &SelfTest) -> Grid {
    let mut rows = Vec::with_capacity(test.rows.len());
    let mut before = "";
    for row in &test.rows {
        rows.push(GridRow { cells: cells(row), starts_group: row.fixture != before });
        before = &row.fixture;
    }
    Grid::new("Differences from transformers in f32", 3, HEADER, rows.into_iter()).with_notes(notes(test))
}

/// The cells of a row. For columns with several differences, the one nearest to its bound is shown.
fn cells(row: &SelftestRow) -> Vec<Value> {
    let part = |parts: &[Compared]| {
        let checks = row.checks.iter().filter(|check| parts.contains(&check.part));
        let nearest = checks.max_by(|a, b| a.share().total_cmp(&b.share()));
        nearest.map(|check| check.difference.map_or("NaN/inf".into(), figure))
    };
    let share = row.checks.iter().map(Check::share).fold(0.0, f64::max);
    cells![
        row.fixture.trim_end_matches(".gguf"),
        row.arithmetic.to_string(),
        &row.dtype,
        part(&[Compared::Logits, Compared::Hidden]),
        part(&[Compared::Capture]),
        part(&[Compared::Reply, Compared::ReplyTokens]),
        Value::places((!row.checks.is_empty()).then_some(100.0 * share), 0).unit(" %"),
        if row.passed { "ok" } else { "MISSED" },
    ]
}

fn figure(difference: f64) -> Value {
    match two_places(difference) {
        Some(places) => Value::places(difference, places),
        None => Value::exponent(difference, 1),
    }
}

fn notes(test: &SelfTest) -> Vec<String> {
    let missed = test.rows.iter().filter(|row| !row.passed).count();
    let mut notes = vec![
        match missed {
            0 => format!("All {} rows are within their bounds.", test.rows.len()),
            _ => format!("{missed} of {} rows MISSED a bound: do not use numbers from this device.", test.rows.len()),
        },
        "`bound` is the largest of a row's differences as a share of its bound; a column with several differences \
         shows the one nearest to its bound. Bounds in f32: 1e-4 (logits, hidden states, log-probabilities of the \
         reply), 1e-5 (attention), and identical tokens. In 16 bits: 1.2 times the distance of transformers' own \
         16-bit arithmetic from f32 in log-probabilities, mean and 99th percentile; attention and reply use the \
         latter; mixtures are compared only where expert choices that differ from f32 have no effect. Blocks \
         (quantized): mean 0.06, largest 0.4."
            .to_string(),
    ];
    let problems = test.rows.iter().filter_map(|row| {
        let problem = row.problem.as_ref()?;
        Some(format!("{} {} {}: {problem}", row.fixture, row.arithmetic, row.dtype))
    });
    notes.extend(problems);
    // Fixtures left out for the same reason share a line.
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for Skipped { fixture, reason } in &test.skipped {
        match reasons.iter_mut().find(|(known, _)| known == reason) {
            Some((_, fixtures)) => fixtures.push(fixture),
            None => reasons.push((reason, vec![fixture])),
        }
    }
    notes.extend(
        reasons.iter().map(|(reason, fixtures)| format!("Not compared: {}, in {reason}.", fixtures.join(", "))),
    );
    notes
}
