//! Documents and comparisons as tables.

use super::{Bench, Bound, Comparison, CutCheck, Measure, Profile, Ratio, Summary};
use crate::counted::{counted, to_two_places};
use crate::decoder::OperationTime;
use crate::table::{Format, Grid, Screen, Value, cells, comma_separated, render_grid, render_grids};
use indexmap::IndexMap;
use indicatif::HumanBytes;

/// Renders a document in any format. `screen` matters only to [`Format::Terminal`].
pub fn render(bench: &Bench, format: Format, screen: Screen) -> Result<String, super::BenchError> {
    match format {
        Format::Json => bench.to_json(),
        Format::Csv => Ok(comma_separated(&CSV_HEADER, lines(bench).iter())),
        _ if bench.measured.profiles.is_empty() => {
            Ok(render_grid(&facts(bench), &grid(bench), &notes(bench), format, screen))
        }
        _ => {
            let whole = grid(bench).with_notes(notes(bench));
            let grids: Vec<Grid> = [whole].into_iter().chain(bench.measured.profiles.iter().map(times)).collect();
            Ok(render_grids(&facts(bench), &grids, format, screen))
        }
    }
}

/// Minimum share of the total time for an operation to have a row.
const SHOWN: f64 = 0.01;

/// Maximum number of shapes per operation and source line with separate rows; more share one row.
const SHAPES: usize = 8;

/// Time spent per operation in a case.
fn times(profile: &Profile) -> Grid {
    let all: f64 = profile.operations.iter().map(|operation| operation.seconds).sum();
    let mut by_line: IndexMap<(&str, &str), Vec<&OperationTime>> = IndexMap::new();
    for one in &profile.operations {
        by_line.entry((&one.operation, &one.caller)).or_default().push(one);
    }
    let mut rows: Vec<OperationTime> = Vec::new();
    for shapes in by_line.into_values() {
        match shapes.len() > SHAPES {
            false => rows.extend(shapes.into_iter().cloned()),
            true => rows.push(OperationTime {
                shape: format!("{} and {} more", shapes[0].shape, shapes.len() - 1),
                calls: shapes.iter().map(|one| one.calls).sum(),
                seconds: shapes.iter().map(|one| one.seconds).sum(),
                ..shapes[0].clone()
            }),
        }
    }
    rows.sort_by(|one, other| other.seconds.total_cmp(&one.seconds));
    let shown = rows.iter().take_while(|one| one.seconds >= SHOWN * all);
    let row = |one: &OperationTime| {
        cells![
            &one.operation,
            &one.shape,
            &one.caller,
            one.calls as usize,
            Value::places(1e3 * one.seconds, 2),
            Value::places(100.0 * one.seconds / all, 1).unit(" %"),
        ]
    };
    let note = format!(
        "{} rows of less than {:.0} % each are omitted. Operations took {:.1} of {:.1} ms; waiting for each makes all \
         slower than without --profile. --json lists every shape.",
        rows.len() - shown.clone().count(),
        100.0 * SHOWN,
        1e3 * all,
        1e3 * profile.seconds,
    );
    let header = ["operation", "shapes", "caller", "calls", "ms", "share"];
    Grid::new(&format!("Time per operation: {}", profile.name), 3, header, shown.map(row)).with_notes([note])
}

/// Renders a comparison in any format.
pub fn render_comparison(comparison: &Comparison, format: Format, screen: Screen) -> Result<String, super::BenchError> {
    match format {
        Format::Json => Ok(serde_json::to_string_pretty(comparison)? + "\n"),
        Format::Csv => {
            let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
            let line = |ratio: &Ratio| {
                let Ratio { name, unit, first, second, ratio } = ratio;
                vec![name.clone(), unit.clone(), number(*first), number(*second), number(*ratio)]
            };
            let header = ["measure", "unit", "first", "second", "ratio"];
            Ok(comma_separated(&header, comparison.ratios.iter().map(line)))
        }
        _ => {
            let row = |ratio: &Ratio| {
                let [first, second] = [ratio.first, ratio.second].map(|it| it.map(|it| figure(it, &ratio.unit)));
                cells![&ratio.name, scaled_unit(&ratio.unit), first, second, Value::places(ratio.ratio, 3)]
            };
            let header = ["measure", "unit", "first", "second", "second / first"];
            let grid = Grid::new("Medians of two measurements", 2, header, comparison.ratios.iter().map(row));
            let warnings: Vec<String> =
                comparison.warnings.iter().map(|warning| format!("warning: {warning}")).collect();
            Ok(render_grid(&[], &grid, &warnings, format, screen))
        }
    }
}

fn facts(bench: &Bench) -> Vec<(&'static str, String)> {
    let environment = &bench.environment;
    let mut facts = vec![
        ("program", format!("tomeval {}", bench.program.version)),
        ("model", format!("{} ({})", bench.model.name, bench.model.family)),
        ("processor", environment.cpu.clone()),
        ("extensions", environment.cpu_features.join(" ")),
        (
            "computing",
            format!("{} on {}, {}", environment.dtype, environment.device, counted(environment.threads, "thread")),
        ),
    ];
    facts.extend(environment.governor.iter().map(|governor| ("clock policy", governor.clone())));
    if let Some(gpu) = &environment.gpu {
        let driver = gpu.driver.as_deref().unwrap_or("unknown");
        facts.push(("GPU", format!("{}, compute capability {}, driver {driver}", gpu.name, gpu.capability)));
    }
    let of_device = bench.measured.device_bytes;
    facts.extend(of_device.map(|bytes| ("device memory", format!("{} in use, by all programs", HumanBytes(bytes)))));
    let peak = bench.measured.peak_resident_bytes;
    facts.extend(peak.map(|bytes| ("peak memory", HumanBytes(bytes).to_string())));
    facts
}

fn notes(bench: &Bench) -> Vec<String> {
    let measured = &bench.measured;
    let mut notes = vec![format!(
        "Share: fraction of the nearer ceiling, the fastest matrix product measured ({:.1} GFLOP/s; on a CPU a large one, or one of \
         the model's own) or the fastest way through memory ({:.1} GB/s; a large copy, or on a CPU reading as many bytes as the weights).",
        measured.product.median / 1e9,
        measured.copy.median / 1e9
    )];
    notes.push("MFU: floating-point operations per second as a share of that product's.".to_string());
    notes.extend(measured.peak.map(|peak| {
        let share = measured.product.median / peak;
        format!(
            "The data sheet gives {:.0} TFLOP/s in 16 bits, of which that product reached {:.0} %; relative to the \
             data sheet, MFU is {share:.2} times the value in the table.",
            peak / 1e12,
            100.0 * share
        )
    }));
    notes.extend(bench.check.as_ref().map(cut));
    if measured.measures.iter().all(|measure| measure.watts.is_none()) {
        notes.push("Power is not readable on this machine.".to_string());
    }
    if bench.environment.unoptimised {
        notes.push("This is an unoptimised build: the figures are meaningless.".to_string());
    }
    notes.extend(measured.skipped.iter().map(|skipped| format!("Not measured: {}: {}.", skipped.name, skipped.reason)));
    notes
}

/// Describes the result of checking the first layers.
fn cut(check: &CutCheck) -> String {
    let CutCheck { layers, tokens, compared, largest, bound, mean_of_dtype, passed } = check;
    let found = largest.map_or("no number".to_string(), to_two_places);
    let of_dtype = mean_of_dtype
        .map(|mean| format!("; in the measured dtype by {} on average", to_two_places(mean)))
        .unwrap_or_default();
    let rendered = if *passed { "right" } else { "WRONG" };
    let tokens = tokens.map(|tokens| format!(" of {tokens} tokens")).unwrap_or_default();
    format!(
        "Check: {rendered}: {layers} layers, {compared} log-probabilities{tokens}: f32 differs by {found} at most (bound {bound:.0e}){of_dtype}."
    )
}

fn grid(bench: &Bench) -> Grid {
    let mut rows = vec![plain_row("load", "s", &bench.load_seconds)];
    rows.extend(bench.measured.measures.iter().map(measure_row));
    rows.push(plain_row("matrix product", "FLOP/s", &bench.measured.product));
    rows.push(plain_row("memory copy", "bytes/s", &bench.measured.copy));
    Grid::new(&format!("Throughput of {}", bench.model.name), 2, HEADER, rows.into_iter())
}

const HEADER: [&str; 10] = ["measure", "unit", "median", "sd", "GFLOP/s", "MFU", "GB/s", "share", "ceiling", "W"];

fn named(name: &str, unit: &str, summary: &Summary) -> Vec<Value> {
    let sd = summary.sd.map(|sd| figure(sd, unit));
    cells![name, scaled_unit(unit), figure(summary.median, unit), sd]
}

fn plain_row(name: &str, unit: &str, summary: &Summary) -> Vec<Value> {
    let mut cells = named(name, unit, summary);
    cells.resize(HEADER.len(), Value::default());
    cells
}

fn measure_row(measure: &Measure) -> Vec<Value> {
    let percent = |share: f64| Value::places(100.0 * share, 0).unit(" %");
    let values = cells![
        Value::places(measure.flops / 1e9, 1),
        measure.mfu.map(percent),
        Value::places(measure.bytes.map(|bytes| bytes / 1e9), 1),
        percent(measure.roofline.share),
        bound(measure.roofline.bound),
        Value::places(measure.watts, 0),
    ];
    [named(&measure.name, &measure.unit, &measure.rate), values].concat()
}

fn bound(bound: Bound) -> &'static str {
    match bound {
        Bound::Compute => "compute",
        Bound::Memory => "memory",
    }
}

/// A figure in the scale of [`scaled_unit`], with three significant digits, or all digits before the point.
fn figure(value: f64, unit: &str) -> Value {
    let value = match unit {
        "FLOP/s" | "bytes/s" => value / 1e9,
        "bytes" => value / f64::from(1 << 20),
        _ => value,
    };
    let places = match value.abs() {
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 1.0 => 2,
        _ => 3,
    };
    Value::places(value, places)
}

fn scaled_unit(unit: &str) -> &str {
    match unit {
        "FLOP/s" => "GFLOP/s",
        "bytes/s" => "GB/s",
        "bytes" => "MiB",
        unit => unit,
    }
}

const CSV_HEADER: [&str; 15] = [
    "measure", "unit", "amount", "n", "median", "mean", "sd", "min", "max", "flops", "bytes", "ceiling", "share",
    "watts", "mfu",
];

/// One line per measure, unscaled.
fn lines(bench: &Bench) -> Vec<Vec<String>> {
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let line = |name: &str, unit: &str, amount: String, summary: &Summary| {
        let Summary { n, mean, sd, median, min, max } = *summary;
        let mut line = vec![name.to_string(), unit.to_string(), amount, n.to_string()];
        line.extend([Some(median), Some(mean), sd, Some(min), Some(max)].map(number));
        line.resize(CSV_HEADER.len(), String::new());
        line
    };
    let measured = &bench.measured;
    let mut lines = vec![line("load", "s", String::new(), &bench.load_seconds)];
    for measure in &measured.measures {
        let mut cells = line(&measure.name, &measure.unit, measure.amount.to_string(), &measure.rate);
        cells.truncate(9);
        cells.extend([number(Some(measure.flops)), number(measure.bytes)]);
        cells.extend([bound(measure.roofline.bound).to_string(), number(Some(measure.roofline.share))]);
        cells.extend([number(measure.watts), number(measure.mfu)]);
        lines.push(cells);
    }
    lines.push(line("matrix product", "FLOP/s", String::new(), &measured.product));
    lines.push(line("memory copy", "bytes/s", String::new(), &measured.copy));
    if let Some(bytes) = measured.peak_resident_bytes.map(|bytes| bytes as f64)
        && let Some(peak) = Summary::from_values(&[bytes])
    {
        lines.push(line("peak memory", "bytes", String::new(), &peak));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_three_places_and_a_readable_scale() {
        let cases = [
            (1234.5, "tokens/s", "1234"),
            (12.34, "items/s", "12.3"),
            (1.236, "s", "1.24"),
            (0.01234, "s", "0.012"),
            (130.4e9, "FLOP/s", "130"),
            (14.26e9, "bytes/s", "14.3"),
            (3.0 * 1024.0 * 1024.0, "bytes", "3.00"),
        ];
        for (value, unit, expected) in cases {
            assert_eq!(figure(value, unit).to_string(), expected, "{value} {unit}");
        }
    }
}
