//! Charts of a benchmark's tables.

use indexmap::IndexMap;

use super::{NamedChart, drawn, titled};
use crate::figure::{
    Axis, Bar, Block, Body, Chart, Heat, Line, MOST_SERIES, Panel, Plane, Point, Radar, Stack, StackBar,
};
use crate::metric::{AVERAGE, AskedPart, Cell, Drawing, IntervalBy, ResultRow, Results, TableResult};
use crate::report::label::file_name;
use crate::report::sheets::{self, Beside};
use crate::report::words::thousands;

/// Fewest axes of a radar.
const AXES: usize = 5;

/// Charts requested by a table's card; by default bars, if the values are shares.
pub(super) fn charts(table: &TableResult, results: &Results) -> Vec<NamedChart> {
    let asked: &[Drawing] = match &table.figures[..] {
        [] if sheets::are_shares(table) => &[Drawing::Bars],
        asked => asked,
    };
    let mut all = Vec::new();
    for &drawing in asked {
        let found = match drawing {
            Drawing::Bars => by_rows(table, results, bars),
            Drawing::Radar => by_part(table, results, radar),
            Drawing::Lines => by_rows(table, results, lines),
            Drawing::LinesByRow => lines_by_row(table, results),
            Drawing::Heat => heat(table, results),
            Drawing::Stack => stack(table, results),
        };
        all.extend(found.into_iter().map(|(of, chart)| {
            let of = if of.is_empty() { String::new() } else { format!("-{}", file_name(&of)) };
            NamedChart {
                name: format!("{}-{}{of}", file_name(&table.id), drawing.name()),
                drawing: Some(drawing),
                chart,
            }
        }));
    }
    all
}

type Named = (String, Chart);

/// One chart for each set of related rows.
fn by_rows(
    table: &TableResult,
    results: &Results,
    body: fn(&TableResult, &[(String, &ResultRow)]) -> Option<Body>,
) -> Vec<Named> {
    let sets = drawn(&table.rows, sheets::several_styles(table));
    let one_only = sets.len() == 1;
    sets.iter()
        .filter_map(|set| {
            let body = body(table, &set.rows)?;
            let series = set.rows.iter().map(|(name, _)| name.clone()).collect();
            let rows: Vec<&ResultRow> = set.rows.iter().map(|(_, row)| *row).collect();
            let of = if one_only { String::new() } else { set.of.clone() };
            Some((of, framed(table, results, &set.of, series, body, &rows)))
        })
        .collect()
}

/// The same for each part of the columns, if the card names parts.
fn by_part(
    table: &TableResult,
    results: &Results,
    body: fn(&TableResult, &[(String, &ResultRow)]) -> Option<Body>,
) -> Vec<Named> {
    let ends = table.parts.values().skip(1).copied().chain([table.columns.len()]);
    let of_part = |((name, &start), end): ((&String, &usize), usize)| {
        let mut part = TableResult { title: format!("{}, {name}", table.title), ..table.clone() };
        part.columns = table.columns[start..end].to_vec();
        part.rows.iter_mut().for_each(|row| row.cells = row.cells[start..end].to_vec());
        part.published.iter_mut().for_each(|row| row.values = row.values[start..end].to_vec());
        let named = move |(of, chart): Named| (format!("{name} {of}").trim_end().to_string(), chart);
        by_rows(&part, results, body).into_iter().map(named).collect::<Vec<_>>()
    };
    match table.parts.is_empty() {
        true => by_rows(table, results, body),
        false => table.parts.iter().zip(ends).flat_map(of_part).collect(),
    }
}

/// A chart with its notes.
fn framed(
    table: &TableResult,
    results: &Results,
    of: &str,
    series: Vec<String>,
    body: Body,
    rows: &[&ResultRow],
) -> Chart {
    let mut notes: Vec<String> = table.paper.iter().map(|paper| format!("After {paper}.")).collect();
    if matches!(body, Body::Bars(_)) && !table.published.is_empty() {
        notes.extend(sheets::all_of(rows).map(|all| format!("Published figures: {all}.")));
        notes.extend(table.caption.clone());
    }
    notes.extend(table.note.clone());
    let missing = rows.iter().flat_map(|row| &row.cells).filter(|cell| cell.value.is_none()).count();
    if missing > 0 {
        notes.push(match missing {
            1 => "1 value is missing; the table says why.".to_string(),
            more => format!("{more} values are missing; the table says why."),
        });
    }
    // A single row needs no legend if the heading names it.
    let series =
        if series.len() == 1 && !matches!(body, Body::Stack(_)) && of == series[0] { Vec::new() } else { series };
    let title = titled(&format!("{}, {}", results.title, lower_first(&table.title)), of);
    Chart { title, subtitle: subtitle(rows, &body), series, body, notes }
}

/// A title in the form used within a sentence; an abbreviation keeps its capitals.
fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    match (letters.next(), letters.clone().next()) {
        (Some(first), Some(second)) if second.is_lowercase() => first.to_lowercase().chain(letters).collect(),
        _ => text.to_string(),
    }
}

/// Unit, number of units and kind of interval for some rows.
fn subtitle(rows: &[&ResultRow], body: &Body) -> String {
    let cells = || rows.iter().flat_map(|row| &row.cells).filter(|cell| cell.value.is_some());
    let counts: Vec<usize> = cells().map(|cell| cell.n).collect();
    let unit = cells().next().map_or("items", |cell| cell.unit.as_str());
    let mixed = cells().any(|cell| cell.unit != unit);
    let unit = if mixed { "units" } else { unit };
    let rests_on = match (counts.iter().min(), counts.iter().max()) {
        (Some(least), Some(most)) if least == most => format!(" of {unit}, n = {most}"),
        (Some(least), Some(most)) => format!(" of {unit}, n = {least} to {most}"),
        _ => String::new(),
    };
    let drawn = !matches!(body, Body::Radar(_) | Body::Stack(_));
    let kinds: Vec<IntervalBy> = cells().filter_map(|cell| cell.interval_by).collect();
    let by = |kind: IntervalBy| kinds.contains(&kind);
    let intervals = match () {
        () if kinds.is_empty() => "",
        () if !drawn => "; intervals are in the table",
        () if by(IntervalBy::People) => "; 95 % intervals, over people and stories",
        () if by(IntervalBy::Stories) || by(IntervalBy::Resampling) => {
            "; 95 % intervals, by story where items share one"
        }
        () => "; 95 % intervals (Wilson)",
    };
    format!("Percent{rests_on}{intervals}.")
}

fn bars(table: &TableResult, rows: &[(String, &ResultRow)]) -> Option<Body> {
    if !sheets::are_shares(table) {
        return None;
    }
    let bar = |series: usize, row: &ResultRow, column: usize| {
        let cell = row.cells.get(column)?;
        let Beside { best, people } = Beside::new(table, row, column);
        Some(Bar {
            series,
            value: cell.value,
            interval: cell.interval,
            chance: cell.chance,
            published: best.map(|(value, _)| value),
            people: people.map(|(value, _)| value),
        })
    };
    let block = |(column, name): (usize, &String)| {
        let bars: Vec<Bar> =
            rows.iter().enumerate().filter_map(|(series, (_, row))| bar(series, row, column)).collect();
        bars.iter().any(|bar| bar.value.is_some()).then(|| Block { name: name.clone(), bars })
    };
    let blocks: Vec<Block> = table.columns.iter().enumerate().filter_map(block).collect();
    (!blocks.is_empty()).then_some(Body::Bars(blocks))
}

fn radar(table: &TableResult, rows: &[(String, &ResultRow)]) -> Option<Body> {
    let has_value = |column: usize| rows.iter().any(|(_, row)| row.cells[column].value.is_some());
    // An average is not an axis of its own.
    let axes: Vec<usize> =
        (0..table.columns.len()).filter(|&column| table.columns[column] != AVERAGE && has_value(column)).collect();
    let is_whole = axes.iter().all(|&column| rows.iter().all(|(_, row)| row.cells[column].value.is_some()));
    if axes.len() < AXES || !is_whole || !sheets::are_shares(table) {
        return None;
    }
    let of = |row: &ResultRow, value: fn(&Cell) -> Option<f64>| {
        axes.iter().map(|&column| value(&row.cells[column])).collect()
    };
    Some(Body::Radar(Radar {
        axes: axes.iter().map(|&column| table.columns[column].clone()).collect(),
        values: rows.iter().map(|(_, row)| of(row, |cell| cell.value)).collect(),
        chance: axes.iter().map(|&column| rows.iter().find_map(|(_, row)| row.cells[column].chance)).collect(),
    }))
}

fn lines(table: &TableResult, rows: &[(String, &ResultRow)]) -> Option<Body> {
    let line = |(series, (_, row)): (usize, &(String, &ResultRow))| {
        let point =
            |(column, cell): (usize, &Cell)| Some(Point { x: column as f64, y: cell.value?, interval: cell.interval });
        Line { series, points: row.cells.iter().enumerate().filter_map(point).collect(), joined: true }
    };
    let lines: Vec<Line> = rows.iter().enumerate().map(line).collect();
    let across = Axis::Places { name: String::new(), places: table.columns.clone() };
    let plane = Plane { across, up: "percent".into(), lines, diagonal: false };
    plane.lines.iter().any(|line| !line.points.is_empty()).then_some(Body::Plane(plane))
}

/// For each respondent and each key of the facets except the last: a chart with a line per column over the values of
/// the last facet.
fn lines_by_row(table: &TableResult, results: &Results) -> Vec<Named> {
    let several_styles = sheets::several_styles(table);
    let Some(across) = table.facets.last() else { return Vec::new() };
    let mut charts: IndexMap<(String, String), Vec<&ResultRow>> = IndexMap::new();
    for row in &table.rows {
        let before = row.key.iter().filter(|(facet, _)| *facet != across);
        let key = before.map(|(_, value)| value.as_str()).collect::<Vec<_>>().join(", ");
        charts.entry((sheets::row_name(row, several_styles, false), key)).or_default().push(row);
    }
    let has_value = |column: usize, rows: &[&ResultRow]| rows.iter().any(|row| row.cells[column].value.is_some());
    let one_only = charts.len() == 1;
    let chart = |((name, key), rows): (&(String, String), &Vec<&ResultRow>)| {
        let columns: Vec<usize> = (0..table.columns.len()).filter(|&column| has_value(column, rows)).collect();
        let line = |(series, &column): (usize, &usize)| {
            let point = |(place, row): (usize, &&ResultRow)| {
                let cell = &row.cells[column];
                Some(Point { x: place as f64, y: cell.value?, interval: cell.interval })
            };
            Line { series, points: rows.iter().enumerate().filter_map(point).collect(), joined: true }
        };
        let places = rows.iter().map(|row| row.key.get(across).cloned().unwrap_or_default()).collect();
        let plane = Plane {
            across: Axis::Places { name: across.clone(), places },
            up: "percent".into(),
            lines: columns.iter().enumerate().map(line).collect(),
            diagonal: false,
        };
        let series = columns.iter().map(|&column| table.columns[column].clone()).collect();
        let of = [name.as_str(), key].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
        let mut chart = framed(table, results, &of, series, Body::Plane(plane), rows);
        chart.notes.extend(part_of(rows));
        (!columns.is_empty() && columns.len() <= MOST_SERIES)
            .then(|| (if one_only { String::new() } else { of }, chart))
    };
    charts.iter().filter_map(chart).collect()
}

/// The share of items asked, over the rows of a chart that were asked only a part.
fn part_of(rows: &[&ResultRow]) -> Option<String> {
    let parts: Vec<AskedPart> = rows.iter().filter_map(|row| row.part).collect();
    let all = |count: fn(&AskedPart) -> usize| thousands(parts.iter().map(count).sum());
    let rendered = || format!("{} of {} items of these rows were asked.", all(|part| part.asked), all(|part| part.of));
    (!parts.is_empty()).then(rendered)
}

/// For each respondent: a chart with one heat map per combination of all facets except the last.
fn heat(table: &TableResult, results: &Results) -> Vec<Named> {
    let several_styles = sheets::several_styles(table);
    let mut respondents: IndexMap<String, Vec<&ResultRow>> = IndexMap::new();
    for row in &table.rows {
        respondents.entry(sheets::row_name(row, several_styles, false)).or_default().push(row);
    }
    let Some(down) = table.facets.last() else { return Vec::new() };
    let alone = respondents.len() == 1;
    let chart = |(name, rows): (&String, &Vec<&ResultRow>)| {
        let mut panels: IndexMap<String, Panel> = IndexMap::new();
        for row in rows {
            let before = row.key.iter().filter(|(facet, _)| *facet != down);
            let title = before.map(|(facet, value)| format!("{facet} {value}")).collect::<Vec<_>>().join(", ");
            let panel = panels.entry(title.clone()).or_insert_with(|| Panel {
                title,
                columns: table.columns.clone(),
                rows: Vec::new(),
            });
            let shades = row.cells.iter().map(|cell| cell.value.map(|value| (value, cell.interval))).collect();
            panel.rows.push((row.key.get(down).cloned().unwrap_or_default(), shades));
        }
        let body = Body::Heat(Heat { down: down.clone(), panels: panels.into_values().collect() });
        let of = if alone { String::new() } else { name.clone() };
        let mut chart = framed(table, results, name, Vec::new(), body, rows);
        chart.notes.extend(part_of(rows));
        (of, chart)
    };
    let has_values = |(_, rows): &(&String, &Vec<&ResultRow>)| {
        rows.iter()
            .flat_map(|row| &row.cells)
            .any(|cell| cell.value.is_some_and(|value| (0.0..=100.0).contains(&value)))
    };
    respondents.iter().filter(has_values).map(chart).collect()
}

/// Accepted sums of shares in percent; anything outside is more than rounding error.
const WHOLE: std::ops::RangeInclusive<f64> = 99.5..=100.5;

/// One chart per table: a bar for each row and each `what` of the columns named `what: share`.
fn stack(table: &TableResult, results: &Results) -> Vec<Named> {
    let several_styles = sheets::several_styles(table);
    let mut wholes: IndexMap<&str, Vec<(usize, &str)>> = IndexMap::new();
    for (column, name) in table.columns.iter().enumerate() {
        let (what, share) = name.split_once(": ").unwrap_or(("", name));
        wholes.entry(what).or_default().push((column, share));
    }
    // Columns without any value are not part of a whole.
    let known = |column: usize| table.rows.iter().any(|row| row.cells[column].value.is_some());
    wholes.values_mut().for_each(|shares| shares.retain(|(column, _)| known(*column)));
    wholes.retain(|_, shares| !shares.is_empty());
    let Some(names) = wholes.values().next().map(|shares| shares.iter().map(|(_, name)| *name).collect::<Vec<_>>())
    else {
        return Vec::new();
    };
    let alike = |shares: &Vec<(usize, &str)>| shares.iter().map(|(_, name)| *name).eq(names.iter().copied());
    if names.len() > MOST_SERIES || !wholes.values().all(alike) {
        return Vec::new();
    }
    let names_of_rows: Vec<String> = table.rows.iter().map(|row| sheets::row_name(row, several_styles, true)).collect();
    let Some(first) = names_of_rows.first() else { return Vec::new() };
    let alone = names_of_rows.iter().all(|who| who == first);
    let mut bars = Vec::new();
    let mut left_out = 0;
    for (row, who) in table.rows.iter().zip(&names_of_rows) {
        for (what, shares) in &wholes {
            let values: Option<Vec<f64>> = shares.iter().map(|(column, _)| row.cells[*column].value).collect();
            let Some(values) = values.filter(|values| WHOLE.contains(&values.iter().sum())) else {
                left_out += 1;
                continue;
            };
            let key = row.key.values().map(String::as_str);
            let parts = key.chain([*what]).chain((!alone).then_some(who.as_str()));
            let name: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
            let name = if name.is_empty() { who.clone() } else { name.join(", ") };
            let cell = &row.cells[shares[0].0];
            bars.push(StackBar { name, shares: values, rests_on: format!("{} {}", cell.n, cell.unit) });
        }
    }
    if bars.is_empty() {
        return Vec::new();
    }
    let of = if alone { first.clone() } else { String::new() };
    let rows: Vec<&ResultRow> = table.rows.iter().collect();
    let series = names.iter().map(|name| name.to_string()).collect();
    let mut chart = framed(table, results, &of, series, Body::Stack(Stack { bars }), &rows);
    if left_out > 0 {
        chart.notes.push(format!("{left_out} bars are left out: their shares are missing or do not sum to a whole."));
    }
    vec![(String::new(), chart)]
}
