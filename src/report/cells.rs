//! Tests over cells in every human-readable format and as CSV.

use indexmap::IndexMap;

use super::comparison::{facts, header, in_lines, interval, p_value, shorten, uncut};
use super::csv::number;
use crate::compare::{CellComparison, CellRow, CellTest, MeanOfCells};
use crate::safe_text::for_terminal;
use crate::table::{Format, Grid, Screen, Value, cells, comma_separated, part_of};

/// Renders tests over cells as text; CSV has one line for each cell. `screen` matters to [`Format::Terminal`] only.
pub fn render_cells(comparison: &CellComparison, format: Format, screen: Screen) -> String {
    match format {
        Format::Json | Format::Items => comparison.to_json(),
        Format::Csv => csv(comparison),
        _ => for_terminal(&format.writer().document(rendered(comparison, format, screen))).into_owned(),
    }
}

fn rendered(comparison: &CellComparison, format: Format, screen: Screen) -> String {
    let mut lines = header(&comparison.benchmarks, &comparison.differs, &comparison.sides);
    let left_out = |run: &str, same_as: &str| {
        format!("{run}: the model of {same_as}, and a model counts once, whatever its precision")
    };
    lines.extend(comparison.left_out.iter().map(|run| ("left out".to_string(), left_out(&run.run, &run.same_as))));
    let mut text = facts(&lines, format);
    for test in &comparison.tests {
        let CellTest { benchmark, table, side_a, side_b, verdict, .. } = test;
        text.push('\n');
        let title = format!("{side_b} beside {side_a}, {benchmark}, cells of table {table}");
        text.push_str(&format.writer().remark(&in_lines(title, format)));
        text.push_str(&format.writer().remark(&in_lines(verdict.clone(), format)));
        for mut grid in [means(test), by_cell(test)] {
            text.push('\n');
            match format {
                Format::Terminal => shorten(&mut grid, screen),
                Format::Latex => grid.title = format!("{} ({benchmark}, {side_b} minus {side_a})", grid.title),
                _ => {}
            }
            text.push_str(&part_of(&[], &grid, &[], format, uncut(screen)));
        }
    }
    text.push('\n');
    text.push_str(&format.writer().remark(&in_lines(NOTE.to_string(), format)));
    text
}

const NOTE: &str = "Each cell (a task of a model) counts once. The same items answer for every model, so cells are not \
                    independent: the Wilcoxon p over them (signed ranks, zeros dropped; up to 13 that are left exact, beyond \
                    that normal, continuity-corrected) is too small, and the interval decides. It comes from 2,000 \
                    draws of stories, the same for all models, and is about these models only. By story: p of flipping \
                    the signs of the stories' sums; Holm: adjusted for the number of models.";

/// The means over all models and by model.
fn means(test: &CellTest) -> Grid {
    let CellTest { side_a, side_b, all, models, .. } = test;
    let line = |name: String, mean: &MeanOfCells, p_holm: Option<f64>| {
        cells![
            name,
            mean.cells,
            Value::places(mean.a, 1),
            Value::places(mean.b, 1),
            Value::signed(mean.difference, 1),
            interval(mean.interval),
            p_value(mean.rank_p),
            p_value(Some(mean.p_stories)),
            p_value(p_holm),
        ]
    };
    let of_models = models.iter().map(|model| line(model.model.clone(), &model.mean, Some(model.p_holm)));
    let rows = std::iter::once(line("all models".to_string(), all, None)).chain(of_models);
    let [a, b] = [side_a, side_b].map(|side| format!("{side} %"));
    let header = ["model", "cells", &a, &b, "diff.", "95 %", "Wilcoxon", "by story", "Holm"];
    Grid::new("Means over cells", 1, header, rows)
}

/// The cells, averaged over models.
fn by_cell(test: &CellTest) -> Grid {
    let mut by_name: IndexMap<&str, Vec<&CellRow>> = IndexMap::new();
    test.cells.iter().for_each(|cell| by_name.entry(&cell.cell).or_default().push(cell));
    let line = |(name, cells): (&str, Vec<&CellRow>)| {
        let mean = |value: fn(&CellRow) -> f64| cells.iter().map(|cell| value(cell)).sum::<f64>() / cells.len() as f64;
        let count = |sign: f64| cells.iter().filter(|cell| cell.difference * sign > 0.0).count();
        cells![
            name,
            cells[0].n,
            Value::places(mean(|cell| cell.a), 1),
            Value::places(mean(|cell| cell.b), 1),
            Value::signed(mean(|cell| cell.difference), 1),
            count(1.0),
            count(-1.0),
        ]
    };
    let [a, b] = [&test.side_a, &test.side_b].map(|side| format!("{side} %"));
    let header = ["cell", "n", &a, &b, "diff.", "models up", "down"];
    Grid::new("Cells, averaged over models", 1, header, by_name.into_iter().map(line))
}

/// One line for each cell; columns are the keys of the JSON document.
fn csv(comparison: &CellComparison) -> String {
    const HEADER: [&str; 10] = ["benchmark", "table", "model", "cell", "side_a", "side_b", "n", "a", "b", "difference"];
    let line = |(test, cell): (&CellTest, &CellRow)| -> [String; HEADER.len()] {
        [
            test.benchmark.to_string(),
            test.table.clone(),
            cell.model.clone(),
            cell.cell.clone(),
            test.side_a.clone(),
            test.side_b.clone(),
            cell.n.to_string(),
            number(Some(cell.a)),
            number(Some(cell.b)),
            number(Some(cell.difference)),
        ]
    };
    let cells = comparison.tests.iter().flat_map(|test| test.cells.iter().map(move |cell| (test, cell)));
    comma_separated(&HEADER, cells.map(line))
}
