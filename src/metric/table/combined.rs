//! Rows computed from rows: means over models, and changes from one kind of prompt to another.
//!
//! All rows behind such rows are resampled together, with the same stories for all models, so that intervals are about
//! these models on other stories, not about other models.

use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};

use super::PERCENT;
use crate::metric::across::{Change, Side};
use crate::metric::layout::Source;
use crate::metric::results::{Cell, Combined, IntervalBy, Over, ResultRow, TableResult};
use crate::metric::sums::{RowSums, mean};
use crate::metric::{Across, Subject};
use crate::seed::seeded;
use crate::stats::{Cluster, FEWEST_STORIES, clustered_bootstrap};

/// Reason of a column over both rows of a change where one is missing.
pub(super) const NOT_BOTH: &str = "one of the two kinds of prompts was not asked";

const OTHER_ITEMS: &str = "the models were not asked the same items";

/// Rows resampled together: what each story adds to the sums of all of them.
struct Joint<'a> {
    rows: Vec<&'a RowSums>,
    offsets: Vec<usize>,
    clusters: Vec<Cluster>,
    width: usize,
}

/// A value with its interval, as fractions.
type Estimate = (Option<f64>, Option<(f64, f64)>);

impl<'a> Joint<'a> {
    fn new(rows: Vec<&'a RowSums>) -> Self {
        let (mut offsets, mut width) = (Vec::new(), 0);
        let mut by_story: IndexMap<&str, Vec<(usize, f64)>> = IndexMap::new();
        for row in &rows {
            for (story, cluster) in row.stories.iter().zip(&row.clusters) {
                let adds = cluster.adds.iter().map(|(position, value)| (width + position, *value));
                by_story.entry(story).or_default().extend(adds);
            }
            offsets.push(width);
            width += row.width;
        }
        Joint { rows, offsets, clusters: by_story.into_values().map(|adds| Cluster { adds }).collect(), width }
    }

    /// What `statistics` makes of the values of all rows, by row and visible column, with 95 % intervals.
    fn estimates(&self, name: &str, statistics: impl Fn(&[Vec<Option<f64>>]) -> Vec<Option<f64>>) -> Vec<Estimate> {
        let statistics = |sums: &[f64]| {
            let of = |(row, offset): (&&RowSums, &usize)| row.visible(&sums[*offset..][..row.width]);
            statistics(&self.rows.iter().zip(&self.offsets).map(of).collect::<Vec<_>>())
        };
        let mut sums = vec![0.0; self.width];
        for (position, value) in self.clusters.iter().flat_map(|cluster| &cluster.adds) {
            sums[*position] += value;
        }
        let seed = self.rows.first().map_or(0, |row| row.seed);
        let drawn = clustered_bootstrap(&self.clusters, self.width, seeded(seed, name, 0), statistics);
        statistics(&sums).into_iter().zip(drawn).collect()
    }

    /// Smallest number of stories behind a visible column.
    fn fewest(&self, column: usize) -> usize {
        let of = |row: &&RowSums| {
            let visible = (0..row.columns.len()).filter(|&at| !row.columns[at].hidden);
            visible.map(|at| row.fewest[at]).nth(column).unwrap_or(0)
        };
        self.rows.iter().map(of).min().unwrap_or(0)
    }

    fn cell(&self, column: usize, (value, interval): Estimate) -> Cell {
        let known = |interval: &(f64, f64)| {
            interval.0 < interval.1
                && value.is_some_and(|value| super::holds(*interval, value))
                && self.fewest(column) >= FEWEST_STORIES
        };
        let interval = interval.filter(known);
        Cell {
            value: value.map(|value| value * PERCENT),
            interval: interval.map(super::in_percent),
            interval_by: interval.map(|_| IntervalBy::Resampling),
            ..Cell::default()
        }
    }
}

impl TableResult {
    /// Computes, anew if there are some, the rows and columns that the card asks for across rows. `models` has the model
    /// of each label; other rows, as those of people, are in none of them.
    pub fn combine(&mut self, models: &IndexMap<String, Subject>) {
        self.rows.retain(|row| row.over.is_none());
        let Across { mean, top, change } = self.across.clone();
        let mut made = Vec::new();
        if let Some(change) = change {
            made.extend(self.changes(&change, models));
        }
        if mean || top.is_some() {
            made.extend(self.means(mean, top, models));
        }
        self.rows.extend(made);
    }

    /// For each model, style and way of answering asked both kinds of prompts, the row of the change; sets the columns
    /// over both.
    fn changes(&mut self, change: &Change, models: &IndexMap<String, Subject>) -> Vec<ResultRow> {
        let is = |row: &ResultRow, side: &Side| side.key.iter().all(|(facet, value)| row.key.get(facet) == Some(value));
        let rest = |row: &ResultRow| -> Vec<String> {
            row.key.iter().filter(|(facet, _)| !change.from.key.contains_key(*facet)).map(|(_, v)| v.clone()).collect()
        };
        let name =
            |row: &ResultRow| models.get(&row.header.label).map_or(&row.header.label, |model| &model.name).clone();
        let mut made = Vec::new();
        let mut both = Vec::new();
        for (at, from) in self.rows.iter().enumerate().filter(|(_, row)| is(row, &change.from)) {
            let goes_with = |row: &&ResultRow| {
                is(row, &change.to)
                    && name(row) == name(from)
                    && row.header.answers == from.header.answers
                    && row.header.condition == from.header.condition
                    && rest(row) == rest(from)
            };
            let found: Vec<&ResultRow> = self.rows.iter().filter(goes_with).collect();
            let as_papers =
                |row: &&&ResultRow| from.header.style == change.from.style && row.header.style == change.to.style;
            let alike = |row: &&&ResultRow| from.header.style == row.header.style;
            let Some(&to) = found.iter().find(as_papers).or_else(|| found.iter().find(alike)) else { continue };
            let (Some(first), Some(second)) = (&from.sums, &to.sums) else { continue };
            let joint = Joint::new(vec![first, second]);
            let columns = self.columns.len();
            let found = joint.estimates(&format!("change {}", self.id), |values| {
                let of = |combine: fn(f64, f64) -> f64| {
                    let pair = move |at: usize| Some(combine(values[0][at]?, values[1][at]?));
                    (0..columns).map(pair).collect::<Vec<_>>()
                };
                [of(|from, to| to - from), of(|from, to| (from + to) / 2.0)].concat()
            });
            let n = |column: usize| from.cells[column].n + to.cells[column].n;
            let averaged = |(column, part): (usize, usize)| {
                let chance = from.cells[part].chance.zip(to.cells[part].chance).map(|(from, to)| (from + to) / 2.0);
                let unit = from.cells[part].unit.clone();
                let cell = Cell { n: n(part), unit, chance, ..joint.cell(part, found[columns + part]) };
                let reason = || format!("no value for {}", self.columns[part]);
                (column, Cell { reason: cell.value.is_none().then(reason), ..cell })
            };
            let cells: Vec<(usize, Cell)> = over_both(first).into_iter().map(averaged).collect();
            let other = self.rows.iter().position(|row| std::ptr::eq(row, to)).unwrap_or(at);
            if to.header.style != from.header.style {
                let mut header = to.header.clone();
                header.label = name(from);
                header.style = format!("{} - {}", to.header.style, from.header.style);
                let key = |(facet, value): (&String, &String)| match change.from.key.get(facet) {
                    Some(first) => (facet.clone(), format!("{} - {first}", change.to.key[facet])),
                    None => (facet.clone(), value.clone()),
                };
                let cell = |(column, found): (usize, &Estimate)| {
                    let unit = from.cells[column].unit.clone();
                    let cell = Cell { n: n(column), unit, ..joint.cell(column, *found) };
                    match cell.value {
                        Some(_) => cell,
                        None => Cell { reason: Some("not in both rows".to_string()), n: 0, ..cell },
                    }
                };
                made.push(ResultRow {
                    header,
                    key: from.key.iter().map(key).collect(),
                    cells: found[..columns].iter().enumerate().map(cell).collect(),
                    over: Some(Over {
                        kind: Combined::Change,
                        labels: vec![from.header.label.clone(), to.header.label.clone()],
                        left_out: Vec::new(),
                    }),
                    sums: None,
                    ..to.clone()
                });
            }
            both.push(([at, other], cells));
        }
        for (rows, cells) in both {
            for (row, (column, cell)) in rows.iter().flat_map(|row| cells.iter().map(move |cell| (*row, cell))) {
                self.rows[row].cells[*column] = cell.clone();
            }
        }
        made
    }

    /// For each style and way of answering with at least two models, a row of means over them for each key, and one of
    /// those over the `top`.
    fn means(&self, mean: bool, top: Option<usize>, models: &IndexMap<String, Subject>) -> Vec<ResultRow> {
        let mut asked: IndexMap<(&str, &str, Option<&str>), Vec<(&ResultRow, &Arc<RowSums>)>> = IndexMap::new();
        for row in &self.rows {
            let header = &row.header;
            if let (true, Some(sums)) = (models.contains_key(&header.label), &row.sums) {
                let way = (&*header.answers, &*header.style, header.condition.as_deref());
                asked.entry(way).or_default().push((row, sums));
            }
        }
        let mut made = Vec::new();
        for rows in asked.values() {
            let labels: IndexSet<&str> = rows.iter().map(|(row, _)| &*row.header.label).collect();
            let mut firsts: IndexMap<&str, &str> = IndexMap::new();
            for label in &labels {
                firsts.entry(models[*label].key()).or_insert(label);
            }
            let counted: IndexSet<&str> = firsts.into_values().collect();
            if counted.len() < 2 {
                continue;
            }
            let left_out: Vec<String> =
                labels.iter().filter(|label| !counted.contains(*label)).map(|label| label.to_string()).collect();
            let mut keys: IndexMap<Vec<&str>, Vec<(&ResultRow, &RowSums)>> = IndexMap::new();
            for (row, sums) in rows.iter().filter(|(row, _)| counted.contains(&*row.header.label)) {
                keys.entry(row.key.values().map(String::as_str).collect()).or_default().push((row, sums));
            }
            keys.retain(|_, rows| rows.len() == counted.len());
            let keys: Vec<Vec<(&ResultRow, &RowSums)>> = keys.into_values().collect();
            let over = Means { table: self, counted: counted.into_iter().collect(), left_out, keys };
            made.extend(over.rows(mean, top.filter(|top| *top < over.counted.len())));
        }
        made
    }
}

/// Visible columns over both rows of a change, each with the visible column that it averages.
fn over_both(sums: &RowSums) -> Vec<(usize, usize)> {
    let place = |at: usize| sums.columns[..at].iter().filter(|column| !column.hidden).count();
    let of = |(at, column): (usize, &crate::metric::layout::Column)| match column.source {
        Source::Both(part) if !column.hidden && !sums.columns[part].hidden => Some((place(at), place(part))),
        _ => None,
    };
    sums.columns.iter().enumerate().filter_map(of).collect()
}

/// Rows of the same models, by key, from which means are computed.
struct Means<'a> {
    table: &'a TableResult,
    /// Labels of the models.
    counted: Vec<&'a str>,
    left_out: Vec<String>,
    /// For each key the row of each model, in the order of `counted`.
    keys: Vec<Vec<(&'a ResultRow, &'a RowSums)>>,
}

impl Means<'_> {
    fn rows(&self, of_all: bool, top: Option<usize>) -> Vec<ResultRow> {
        let same = |rows: &Vec<(&ResultRow, &RowSums)>| rows.iter().all(|(_, sums)| sums.covers_the_same(rows[0].1));
        if !self.keys.iter().all(same) {
            let empty = |rows: &Vec<(&ResultRow, &RowSums)>| self.row(rows[0].0, None, |_| empty(OTHER_ITEMS.into()));
            return self.keys.iter().map(empty).collect();
        }
        let (models, columns) = (self.counted.len(), self.table.columns.len());
        let joint = Joint::new(self.keys.iter().flatten().map(|(_, sums)| *sums).collect());
        // Values of all rows, key after key and in each model after model.
        let over = |values: &[Vec<Option<f64>>], among: &[usize]| -> Vec<Option<f64>> {
            let of = |key: &[Vec<Option<f64>>], column: usize| {
                let found: Option<Vec<f64>> = among.iter().map(|&model| key[model][column]).collect();
                mean(found?.into_iter())
            };
            values.chunks(models).flat_map(|key| (0..columns).map(move |column| of(key, column))).collect()
        };
        let all: Vec<usize> = (0..models).collect();
        let best = |values: &[Vec<Option<f64>>], top: usize| -> Vec<usize> {
            // Columns that a model lacks count for none.
            let level = |model: &usize| {
                let keys = values.chunks(models).flat_map(|key| {
                    (0..columns).filter(|&column| key.iter().all(|row| row[column].is_some())).map(|at| key[*model][at])
                });
                mean(keys.flatten()).unwrap_or(f64::NEG_INFINITY)
            };
            let mut sorted: Vec<(f64, usize)> = all.iter().map(|model| (level(model), *model)).collect();
            sorted.sort_by(|one, other| other.0.total_cmp(&one.0));
            let mut best: Vec<usize> = sorted.into_iter().take(top).map(|(_, model)| model).collect();
            best.sort_unstable();
            best
        };
        let name = format!("mean {}", self.table.id);
        // All means come from the same draws.
        let found = joint.estimates(&name, |values| {
            let of_all = of_all.then(|| over(values, &all));
            of_all.into_iter().chain(top.map(|top| over(values, &best(values, top)))).flatten().collect()
        });
        let chosen =
            top.map(|top| best(&self.keys.iter().flatten().map(|(row, _)| fractions(row)).collect::<Vec<_>>(), top));
        let kinds = of_all.then_some(None).into_iter().chain(chosen.as_deref().map(Some));
        let places = kinds.flat_map(|top| self.keys.iter().map(move |rows| (top, rows)));
        let row = |((top, rows), found): ((Option<&[usize]>, &Vec<(&ResultRow, &RowSums)>), &[Estimate])| {
            let among = top.unwrap_or(&all);
            self.row(rows[0].0, top, |column| {
                let each: Vec<&Cell> = among.iter().map(|&model| &rows[model].0.cells[column]).collect();
                mean_cell(joint.cell(column, found[column]), &each)
            })
        };
        places.zip(found.chunks(columns)).map(row).collect()
    }

    /// A row of means like `first`, the row of the first model, over all models or the `top`.
    fn row(&self, first: &ResultRow, top: Option<&[usize]>, cell: impl Fn(usize) -> Cell) -> ResultRow {
        let mut header = first.header.clone();
        let names: Vec<String> = match top {
            None => self.counted.iter().map(|label| label.to_string()).collect(),
            Some(top) => top.iter().map(|&model| self.counted[model].to_string()).collect(),
        };
        header.label = match top {
            None => format!("mean of {} models", names.len()),
            Some(_) => format!("mean of the best {} ({})", names.len(), names.join("; ")),
        };
        let kind = if top.is_some() { Combined::TopModels } else { Combined::Models };
        ResultRow {
            header,
            cells: (0..self.table.columns.len()).map(cell).collect(),
            over: Some(Over { kind, labels: names, left_out: self.left_out.clone() }),
            sums: None,
            ..first.clone()
        }
    }
}

fn fractions(row: &ResultRow) -> Vec<Option<f64>> {
    row.cells.iter().map(|cell| cell.value.map(|value| value / PERCENT)).collect()
}

fn empty(reason: String) -> Cell {
    Cell::empty("models".to_string(), reason)
}

/// The mean with the deviation over models, and the yardsticks that they share.
fn mean_cell(cell: Cell, each: &[&Cell]) -> Cell {
    if cell.value.is_none() {
        return empty("a model has no value".to_string());
    }
    let values: Vec<f64> = each.iter().filter_map(|cell| cell.value).collect();
    let centre = values.iter().sum::<f64>() / values.len() as f64;
    let squares: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
    let shared = |of: fn(&Cell) -> Option<f64>| of(each[0]).filter(|_| each.iter().all(|cell| of(cell) == of(each[0])));
    let constant = shared(|cell| cell.constant);
    Cell {
        n: each.len(),
        unit: "models".to_string(),
        deviation: (each.len() > 1).then(|| (squares / (each.len() - 1) as f64).sqrt()),
        chance: shared(|cell| cell.chance),
        constant,
        constant_answer: each[0].constant_answer.clone().filter(|_| constant.is_some()),
        ..cell
    }
}

#[cfg(test)]
mod tests {
    use rand::Rng;

    use super::*;
    use crate::benchmark::Item;
    use crate::metric::tests::{item, outcomes, results};

    const CARD: &str = "[[tables]]\nid='t'\ntitle='T'\nrows=['kind']\nacross={mean=true, top=1}\n\
                        columns=[{name='x', where={task='x'}}, {name='y', where={task='y'}}, {name='AVG', mean=['x', 'y']}]";

    /// Stories of two questions, one of each task.
    fn stories(count: usize, kind: &str) -> Vec<Item> {
        let of = |story: usize| {
            ["x", "y"].map(|task| {
                item(&format!("{kind}{story}{task}"), &format!("{kind}{story}"), &[("task", task), ("kind", kind)])
            })
        };
        (0..count).flat_map(of).collect()
    }

    /// The table of several models, each right where its list says so.
    fn side_by_side(card: &str, items: &[Item], models: &[(&str, &str, Vec<bool>)]) -> TableResult {
        let mut of = IndexMap::new();
        let mut table: Option<TableResult> = None;
        for (label, weights, right) in models {
            let mut found = results(items, &outcomes(items, right), card);
            found.relabel(label);
            of.insert(label.to_string(), Subject { weights: Some(weights.to_string()), name: label.to_string() });
            let found = found.tables.remove(0);
            match &mut table {
                Some(table) => table.add(found),
                None => table = Some(found),
            }
        }
        let mut table = table.unwrap();
        table.combine(&of);
        table
    }

    fn named<'a>(table: &'a TableResult, start: &str) -> Vec<&'a ResultRow> {
        table.rows.iter().filter(|row| row.header.label.starts_with(start)).collect()
    }

    #[test]
    fn means_count_each_model_once_and_name_the_best() {
        let items = stories(20, "k");
        let share = |right: usize| (0..40).map(|at| at % 20 < right).collect::<Vec<bool>>();
        let models = [("a", "A", share(10)), ("a q8", "A", share(0)), ("b", "B", share(15)), ("c", "C", share(5))];
        let mut table = side_by_side(CARD, &items, &models);
        let found = named(&table, "mean of 3 models");
        let [row] = &found[..] else { panic!("{found:?}") };
        let cell = &row.cells[2];
        assert_eq!((cell.n, &*cell.unit, cell.chance), (3, "models", Some(25.0)));
        assert!((cell.value.unwrap() - 50.0).abs() < 1e-9 && (cell.deviation.unwrap() - 25.0).abs() < 1e-9, "{cell:?}");
        assert_eq!(row.over.as_ref().unwrap().left_out, ["a q8"]);
        let best = named(&table, "mean of the best 1 (b)");
        assert!((best[0].cells[2].value.unwrap() - 75.0).abs() < 1e-9);
        // Computing them again changes nothing.
        let rows = table.rows.clone();
        let of =
            |label: &str| (label.to_string(), Subject { weights: Some(label[..1].to_uppercase()), name: label.into() });
        table.combine(&["a", "a q8", "b", "c"].map(of).into());
        assert_eq!(table.rows, rows);
    }

    #[test]
    fn models_that_were_asked_other_items_have_no_mean() {
        let items = stories(20, "k");
        let half = results(&items, &outcomes(&items[..20], &[true; 20]), CARD).tables.remove(0);
        let mut table = results(&items, &outcomes(&items, &[true; 40]), CARD).tables.remove(0);
        table.add(half);
        table.rows[1].header.label = "half".to_string();
        let of = |label: &str| (label.to_string(), Subject::from(label));
        table.combine(&["model", "half"].map(of).into());
        let [row] = &named(&table, "mean of 2")[..] else { panic!() };
        assert!(row.cells.iter().all(|cell| cell.value.is_none() && cell.reason.as_deref() == Some(OTHER_ITEMS)));
    }

    #[test]
    fn a_change_is_between_the_two_styles_and_the_column_over_both_is_their_mean() {
        let card = "[[tables]]\nid='t'\ntitle='T'\nrows=['kind']\n\
                    across={change={from={kind='v', style='vanilla'}, to={kind='c', style='cot'}}}\n\
                    columns=[{name='AVG'}, {name='Overall', both='AVG'}]";
        let items = [stories(10, "v"), stories(10, "c")].concat();
        let right: Vec<bool> = (0..40).map(|at| if at < 20 { at % 2 == 0 } else { at % 4 != 0 }).collect();
        let mut asked = outcomes(&items, &right);
        // In one style there is no change, but an overall value.
        let alike = results(&items, &asked, card).tables.remove(0);
        assert_eq!((alike.rows.len(), alike.rows[0].cells[1].value), (2, Some(62.5)));
        asked[20..].iter_mut().for_each(|outcome| outcome.style = "cot".to_string());
        let table = results(&items, &asked, card).tables.remove(0);
        let change = &table.rows[2];
        assert_eq!((&*change.key["kind"], &*change.header.style), ("c - v", "cot - vanilla"));
        assert!((change.cells[0].value.unwrap() - 25.0).abs() < 1e-9 && change.cells[1].value.is_none(), "{change:?}");
        assert_eq!(table.rows[0].cells[1].value, Some(62.5));
        // One half alone has neither.
        let table = results(&items, &asked[..20], card).tables.remove(0);
        assert_eq!((table.rows.len(), table.rows[0].cells[1].reason.as_deref()), (1, Some(NOT_BOTH)));
    }

    #[test]
    fn intervals_hold_the_mean_of_these_models_on_other_stories() {
        // Each story is easy or hard for all models alike, so that their answers depend on each other; the true means are
        // 60 % of all models, and 70 % of the better one.
        let mut held = [0; 2];
        let runs = 100;
        for run in 0..runs {
            let mut rng = seeded(7, "models of one kind", run);
            let items = stories(60, "k");
            let ease: Vec<f64> = (0..60).map(|_| rng.random_range(-0.3..0.3)).collect();
            let mut model = |level: f64| -> Vec<bool> {
                (0..120).map(|at| rng.random_range(0.0..1.0) < level + ease[at / 2]).collect()
            };
            let models = [("a", "A", model(0.5)), ("b", "B", model(0.7)), ("c", "C", model(0.6))];
            let table = side_by_side(CARD, &items, &models);
            for ((held, start), truth) in held.iter_mut().zip(["mean of 3", "mean of the best"]).zip([60.0, 70.0]) {
                let (low, high) = named(&table, start)[0].cells[2].interval.unwrap();
                *held += usize::from((low..=high).contains(&truth));
            }
        }
        assert!((88..=99).contains(&held[0]), "of {runs} intervals {} hold the mean", held[0]);
        assert!(held[1] >= 80, "of {runs} intervals {} hold the best", held[1]);
    }
}
