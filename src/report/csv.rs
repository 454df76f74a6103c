//! Reports as CSV: one line per cell, so that any program can regroup them, and one per item of a listing.

use indexmap::IndexMap;

use super::{Report, Unfinished};
use crate::benchmark::{Comparison, RowProblem};
use crate::metric::{
    Agreement, Budget, Calibration, Estimated, Figure, Header, LabelMassResult, Linked, Listing, NoneOfThese,
    OptionsResult, OrderEffects, Perspective, Raters, Reminded, ReplyLength, ReplyResult, Results, Sources, SwapResult,
    Unseen, WrongChoices,
};
use crate::table::comma_separated;

/// A line of text fields; the field names give the order of the columns.
macro_rules! line {
    ($(#[$about:meta])* $name:ident: $($field:ident),+) => {
        $(#[$about])*
        #[derive(Debug, Clone, Default)]
        struct $name {
            $($field: String),+
        }

        const HEADER: &[&str] = &[$(stringify!($field)),+];

        impl $name {
            /// The fields, in the order of [`HEADER`].
            fn fields(&self) -> [&str; HEADER.len()] {
                [$(&self.$field),+]
            }
        }
    };
}

line! {
    /// One line; fields that do not apply are empty.
    Line:
    benchmark, table, kind, label, style, condition, key, column, value, low, high, n, unit, chance, source, reason,
    if_failed_right, answers, interval_by, design_effect, constant, constant_answer, expected, expected_up_to,
    smallest_cell, smallest_n, asked, in_data, caption, deviation, over
}

impl Line {
    /// A line of a benchmark.
    fn new(benchmark: &str, table: &str, kind: &str) -> Self {
        Line { benchmark: benchmark.to_string(), table: table.to_string(), kind: kind.to_string(), ..Line::default() }
    }

    /// Sets the respondent.
    fn by(self, header: &Header) -> Self {
        let Header { label, answers, style, condition } = header.clone();
        Line { label, answers, style, condition: condition.unwrap_or_default(), ..self }
    }

    /// Sets a number, or the reason why it is missing.
    fn figure(self, column: impl Into<String>, figure: &Figure) -> Self {
        let reason = figure.reason.clone().unwrap_or_default();
        Line { column: column.into(), value: number(figure.value), reason, ..self }
    }

    /// Names what it is of.
    fn column(self, column: &str) -> Self {
        Line { column: column.to_string(), ..self }
    }

    /// The same, of a line that is named already.
    fn valued(self, figure: &Figure) -> Self {
        let column = self.column.clone();
        self.figure(column, figure)
    }

    /// Sets the number of units.
    fn over(self, n: usize, unit: &str) -> Self {
        Line { n: n.to_string(), unit: unit.to_string(), ..self }
    }
}

/// The report, one line per cell.
pub(super) fn report(report: &Report) -> String {
    let mut all: Vec<Line> = report.unfinished.into_iter().map(unfinished).collect();
    all.extend(report.provenance.iter().map(|(name, value)| provenance(&report.label, name, value)));
    all.extend(report.results.iter().flat_map(lines));
    comma_separated(HEADER, all.iter().map(Line::fields))
}

fn lines(results: &Results) -> Vec<Line> {
    let name = results.benchmark.name();
    let mut lines = cells(results);
    lines.extend(results.raters.iter().flat_map(|found| raters(name, found)));
    lines.extend(linked(name, &results.linked));
    lines.extend(results.order_effects.iter().flat_map(|effects| order_effects(name, effects)));
    lines.extend(results.none_of_these.iter().flat_map(|found| none_of_these(name, found)));
    lines.extend(results.unseen.iter().flat_map(|found| unseen(name, found)));
    lines.extend(results.budgets.iter().flat_map(|found| budget(name, found)));
    lines.extend(results.reply_length.iter().flat_map(|found| reply_length(name, found)));
    lines.extend(results.variance.iter().flat_map(|found| variance(name, found)));
    lines.extend(results.options.iter().flat_map(|found| options(name, found)));
    lines.extend(results.swaps.iter().flat_map(|found| swap(name, found)));
    lines.extend(results.reminded.iter().flat_map(|found| reminded(name, found)));
    lines.extend(results.wrong_choices.iter().flat_map(|found| wrong_choices(name, found)));
    lines.extend(results.perspective.iter().flat_map(|found| perspective(name, found)));
    lines.extend(results.label_mass.iter().map(|mass| label_mass(name, mass)));
    lines.extend(results.calibration.iter().flat_map(|found| calibration(name, found)));
    lines.extend(results.replies.iter().flat_map(|replies| reply_lines(name, replies)));
    lines.extend(results.agreement.iter().flat_map(|found| agreement(name, found)));
    lines.extend(results.listings.iter().flat_map(|listing| listed(name, listing)));
    lines.extend(results.unread_rows.iter().map(|row| unread(name, row)));
    lines.extend(results.changed_data.iter().map(|count| changed(name, count)));
    lines
}

pub(super) fn number(value: Option<f64>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// The key of a row that has what `fixed` names beside its facets.
fn key_with(fixed: &[(&str, &str)], facets: &IndexMap<String, String>) -> String {
    let fixed = fixed.iter().map(|(name, value)| (name.to_string(), value.to_string()));
    key(&fixed.chain(facets.clone()).collect())
}

fn key(key: &IndexMap<String, String>) -> String {
    key.iter().map(|(facet, value)| format!("{facet}={value}")).collect::<Vec<_>>().join(";")
}

fn unfinished(part: Unfinished) -> Line {
    let reason = format!("{part}: {}", part.advice());
    let (column, value) = ("trials".to_string(), part.done.to_string());
    Line { column, value, reason, ..Line::new("", "unfinished", "unfinished") }.over(part.planned, "trials")
}

/// A provenance line: its text goes into `source`, so that the value column holds only numbers.
fn provenance(label: &str, name: &str, value: &str) -> Line {
    let (label, column, source) = (label.to_string(), name.to_string(), value.to_string());
    Line { label, column, source, ..Line::new("", "provenance", "provenance") }
}

/// A count that differs from the released files.
fn changed(benchmark: &str, count: &Comparison) -> Line {
    Line {
        key: format!("language={}", count.language),
        column: count.count.clone(),
        value: count.found.to_string(),
        reason: count.to_string(),
        ..Line::new(benchmark, "changed-data", "changed-data")
    }
}

fn cells(results: &Results) -> Vec<Line> {
    let mut lines = Vec::new();
    for table in &results.tables {
        let line = |kind: &str| Line::new(results.benchmark.name(), &table.id, kind);
        for row in &table.rows {
            let of_row = |kind: &str, column: &str, value: Option<f64>| Line {
                key: key(&row.key),
                column: column.to_string(),
                value: number(value),
                source: table.paper.clone().unwrap_or_default(),
                asked: row.part.map(|part| part.asked.to_string()).unwrap_or_default(),
                in_data: row.part.map(|part| part.of.to_string()).unwrap_or_default(),
                ..line(kind).by(&row.header)
            };
            for (column, cell) in table.columns.iter().zip(&row.cells) {
                let of_cell = |kind: &str, value: Option<f64>| {
                    let of_row = of_row(kind, column, value).over(cell.n, &cell.unit);
                    let reason = cell.reason.clone().unwrap_or_default();
                    Line { chance: number(cell.chance), reason, ..of_row }
                };
                lines.push(Line {
                    low: number(cell.interval.map(|interval| interval.0)),
                    high: number(cell.interval.map(|interval| interval.1)),
                    if_failed_right: number(cell.if_failed_right),
                    interval_by: cell.interval_by.map(|by| <&str>::from(by).to_string()).unwrap_or_default(),
                    design_effect: number(cell.design_effect),
                    constant: number(cell.constant),
                    constant_answer: cell.constant_answer.clone().unwrap_or_default(),
                    expected: number(cell.expected),
                    expected_up_to: number(cell.expected_up_to),
                    deviation: number(cell.deviation),
                    over: row.over.as_ref().map(|over| over.labels.join("; ")).unwrap_or_default(),
                    smallest_cell: cell.smallest.as_ref().map(|cell| cell.column.clone()).unwrap_or_default(),
                    smallest_n: cell.smallest.as_ref().map(|cell| cell.n.to_string()).unwrap_or_default(),
                    ..of_cell("measured", cell.value)
                });
                // Only for read replies, in a line of its own.
                lines.extend(cell.if_unread_right.map(|bound| of_cell("if-unread-right", Some(bound))));
            }
        }
        for row in &table.published {
            let sampled = table.rows.iter().filter(|measured| row.stands_beside(measured)).find_map(|row| row.part);
            for (column, value) in table.columns.iter().zip(&row.values).filter(|(_, value)| value.is_some()) {
                lines.push(Line {
                    label: row.label.clone(),
                    style: row.style.clone().unwrap_or_default(),
                    key: key(&row.key),
                    in_data: sampled.map(|part| part.of.to_string()).unwrap_or_default(),
                    caption: table.caption.clone().filter(|_| !row.human).unwrap_or_default(),
                    column: column.clone(),
                    value: number(*value),
                    source: row.source.clone(),
                    ..line(if row.human { "human" } else { "published" })
                });
            }
        }
    }
    lines
}

/// Answers to questions that belong together.
fn linked(benchmark: &str, linked: &Linked) -> Vec<Line> {
    let line = |table: &str, header: &Header, row: &IndexMap<String, String>| Line {
        key: key(row),
        ..Line::new(benchmark, table, "measured").by(header)
    };
    let within = |line: Line, ends: Option<(f64, f64)>| {
        let (low, high) = (number(ends.map(|ends| ends.0)), number(ends.map(|ends| ends.1)));
        Line { low, high, interval_by: ends.map(|_| "stories".to_string()).unwrap_or_default(), ..line }
    };
    let mut lines = Vec::new();
    for each in &linked.links {
        let of = |column: &str| line("links", &each.header, &each.key).column(&format!("{}: {column}", each.id));
        let counts = [
            ("both right", each.both_right),
            ("only first right", each.only_first_right),
            ("only second right", each.only_second_right),
            ("neither right", each.neither_right),
        ];
        lines.extend(
            counts.map(|(name, count)| Line { value: count.to_string(), ..of(name) }.over(each.pairs, "pairs")),
        );
        let figures = [
            ("second if first", &each.second_if_first, None),
            ("second if not first", &each.second_if_not_first, None),
            ("difference", &each.difference, each.interval),
            ("expected difference", &each.expected, None),
            ("difference within right answers", &each.within_gold, each.within_gold_interval),
        ];
        lines.extend(figures.map(|(name, figure, ends)| {
            let line = of(name).valued(figure).over(each.pairs, "pairs");
            Line { chance: number(Some(each.chance)), ..within(line, ends) }
        }));
        let Some(consistency) = &each.consistency else { continue };
        let of = |column: &str| line("consistency", &each.header, &each.key).column(&format!("{}: {column}", each.id));
        for (name, part) in [("agree", &consistency.agree), ("differ", &consistency.differ)] {
            let expected = number(part.expected.value);
            lines.push(Line { expected, ..of(name).valued(&part.share).over(part.pairs, "pairs") });
            let excess = of(&format!("{name}, excess")).valued(&part.excess).over(part.pairs, "pairs");
            lines.push(within(excess, part.excess_interval));
        }
        let expected = number(consistency.expected.value);
        lines.push(Line { expected, ..of("mean").valued(&consistency.mean) });
    }
    for each in &linked.twins {
        let of = |column: &str| line("twins", &each.header, &each.key).column(&format!("{}: {column}", each.id));
        for part in &each.parts {
            let right = of(&part.name).valued(&part.accuracy).over(part.items, "items");
            lines.push(Line { chance: number(part.chance.value), ..within(right, part.interval) });
            let change = of(&format!("{}, change", part.name)).valued(&part.change).over(part.pairs, "pairs");
            lines.extend((part.pairs > 0).then(|| within(change, part.change_interval)));
            let moves = [("must move", &part.where_gold_moves), ("must not move", &part.where_gold_stays)];
            lines.extend(moves.into_iter().filter(|(_, moves)| moves.pairs > 0).map(|(name, moves)| {
                of(&format!("{}, moved where it {name}", part.name)).valued(&moves.moved).over(moves.pairs, "pairs")
            }));
        }
        let all = of("all right").valued(&each.all_right).over(each.sets, "sets");
        lines.push(Line { chance: number(each.chance.value), ..within(all, each.all_right_interval) });
        lines.extend(each.rules.iter().map(|rule| {
            let column = format!("all right by always {}", rule.answer);
            Line { value: number(Some(rule.all_right)), ..of(&column) }.over(each.sets, "sets")
        }));
    }
    lines
}

fn order_effects(benchmark: &str, effects: &OrderEffects) -> Vec<Line> {
    let named: [(&str, &Figure); 7] = [
        ("vote", &effects.vote),
        ("single order", &effects.single_order),
        ("circular", &effects.circular),
        ("mean probability", &effects.mean_probability),
        ("debiased", &effects.debiased),
        ("recall deviation", &effects.recall_deviation),
        ("recall deviation p", &effects.recall_p),
    ];
    let named = named.into_iter().map(|(name, figure)| (name.to_string(), figure));
    let recall = effects.recall.iter().enumerate().map(|(slot, figure)| (format!("recall {}", slot + 1), figure));
    let line = |(name, figure): (String, &Figure)| {
        let OrderEffects { header, language, options, .. } = effects;
        let line = Line::new(benchmark, "order-effects", "measured").by(header);
        let line = Line { key: format!("language={language};options={options}"), ..line };
        line.figure(name, figure).over(effects.items, "items")
    };
    named.chain(recall).map(line).collect()
}

fn none_of_these(benchmark: &str, found: &NoneOfThese) -> [Line; 3] {
    let shares = [("hits", found.hits), ("false alarms", found.false_alarms), ("difference", found.difference)];
    shares.map(|(name, value)| {
        let line = Line::new(benchmark, "none-of-these", "measured").by(&found.header);
        let line = Line { key: format!("language={}", found.language), ..line };
        line.figure(name, &Figure { value: Some(value), reason: None }).over(found.items, "items")
    })
}

fn unseen(benchmark: &str, found: &Unseen) -> Vec<Line> {
    let pulls = [("events", &found.events), ("mention", &found.mention)];
    let named = [
        ("whole story", &found.plain),
        ("seen only", &found.seen_only),
        ("mention kept", &found.mention_kept),
        ("others left out", &found.others_left_out),
        ("wrong to right without the unseen", &found.without_unseen.to_right),
        ("right to wrong without the unseen", &found.without_unseen.to_wrong),
        ("wrong to right with its mention", &found.with_mention.to_right),
        ("right to wrong with its mention", &found.with_mention.to_wrong),
        ("wrong to right without others", &found.without_others.to_right),
        ("right to wrong without others", &found.without_others.to_wrong),
        ("wrong to right in another order", &found.other_order.to_right),
        ("right to wrong in another order", &found.other_order.to_wrong),
        ("changes beyond those without others", &found.beyond_others),
        ("changes beyond those of orders", &found.beyond_orders),
        ("both right", &found.both_right),
        ("both guessed", &found.both_guessed),
    ];
    let named = named.map(|(name, figure)| (name.to_string(), figure)).into_iter();
    let pulls = pulls.into_iter().flat_map(|(name, pull)| {
        [(format!("pull of {name}, nats"), &pull.log_odds), (format!("pull of {name}, points"), &pull.accuracy)]
    });
    let key = key_with(&[("language", &found.language)], &found.key);
    let line = |(name, figure): (String, &Figure)| {
        let line = Line::new(benchmark, "unseen", "measured").by(&found.header);
        Line { key: key.clone(), ..line.figure(name, figure) }.over(found.items, "items")
    };
    named.chain(pulls).map(line).collect()
}

fn options(benchmark: &str, found: &OptionsResult) -> [Line; 2] {
    let named = [("accuracy", &found.found.accuracy), ("change", &found.found.change)];
    let fixed = [("language", &*found.language), ("options", found.options.name()), ("by", &*found.by)];
    named.map(|(name, figure)| {
        let line = Line::new(benchmark, "options", "measured").by(&found.header);
        Line { key: key_with(&fixed, &IndexMap::new()), ..line.figure(name, figure) }.over(found.found.items, "items")
    })
}

fn budget(benchmark: &str, found: &Budget) -> [Line; 2] {
    let named = [("accuracy", &found.found.accuracy), ("change", &found.found.change)];
    named.map(|(name, figure)| {
        let line = Line::new(benchmark, "budgets", "measured").by(&found.header);
        let key = format!("language={};of={};tokens={}", found.language, found.of.name(), found.tokens);
        Line { key, ..line.figure(name, figure) }.over(found.found.items, "items")
    })
}

fn reply_length(benchmark: &str, found: &ReplyLength) -> Vec<Line> {
    let quarters = found
        .quarters
        .iter()
        .map(|of| (format!("accuracy, quarter {}", of.quarter), &of.accuracy, of.replies, "replies"));
    let within = [("log-odds per doubling".to_string(), &found.per_doubling, found.items, "items")];
    let line = |(column, figure, of, unit): (String, &Figure, usize, &'static str)| {
        let line = Line::new(benchmark, "reply-length", "measured").by(&found.header);
        Line { key: format!("language={}", found.language), ..line.figure(&column, figure) }.over(of, unit)
    };
    within.into_iter().chain(quarters).map(line).collect()
}

fn variance(benchmark: &str, found: &Sources) -> Vec<Line> {
    let by_source = found.variances.iter().map(|it| ("variance", <&str>::from(it.source).to_string(), &it.variance));
    let anew =
        found.accuracies.iter().map(|it| ("points, asked once", <&str>::from(it.anew).to_string(), &it.asked_once));
    let of_wording = found.by_wording.iter().map(|it| ("accuracy", format!("wording-{}", it.wording), &it.accuracy));
    let line = |(column, of, figure): (&str, String, &Figure)| {
        let line = Line::new(benchmark, "variance", "measured").by(&found.header);
        Line { key: format!("language={};of={of}", found.language), ..line.figure(column, figure) }
            .over(found.items, "items")
    };
    by_source.chain(anew).chain(of_wording).map(line).collect()
}

fn swap(benchmark: &str, found: &SwapResult) -> [Line; 6] {
    let key = key_with(&[("language", found.language.as_str()), ("swap", found.swap.name())], &found.key);
    let named = [
        ("as they are", &found.plain),
        ("swapped", &found.swapped),
        ("difference", &found.difference),
        ("beyond same group", &found.beyond),
        ("changed", &found.changed),
        ("changed, same group", &found.changed_in_controls),
    ];
    named.map(|(name, figure)| {
        let line = Line::new(benchmark, "swaps", "measured").by(&found.header);
        Line { key: key.clone(), ..line.figure(name, figure) }.over(found.items, "items")
    })
}

fn reminded(benchmark: &str, found: &Reminded) -> Vec<Line> {
    let key = key_with(&[("language", found.language.as_str()), ("link", found.link.as_str())], &found.key);
    let asked = found.asked.iter().flat_map(|asked| {
        let name = asked.reminder.as_deref().unwrap_or("plain");
        [(format!("accuracy {name}"), &asked.accuracy), (format!("change {name}"), &asked.change.points)]
    });
    let effects = [("beyond unrelated", &found.beyond_unrelated), ("right beyond wrong", &found.right_beyond_wrong)];
    let effects = effects.map(|(name, shift)| (name.to_string(), &shift.points));
    let line = |(name, figure): (String, &Figure)| {
        let line = Line::new(benchmark, "reminders", "measured").by(&found.header);
        Line { key: key.clone(), ..line.figure(&name, figure) }.over(found.items, "items")
    };
    asked.chain(effects).map(line).collect()
}

fn wrong_choices(benchmark: &str, found: &WrongChoices) -> [Line; 3] {
    let key = key_with(&[("language", found.language.as_str()), ("place", found.place.name())], &found.key);
    let named = [("share", &found.share), ("drawn", &found.drawn), ("difference", &found.difference)];
    named.map(|(name, figure)| {
        let line = Line::new(benchmark, "wrong-choices", "measured").by(&found.header);
        Line { key: key.clone(), ..line.figure(name, figure) }.over(found.items, "items")
    })
}

fn perspective(benchmark: &str, found: &Perspective) -> Vec<Line> {
    let named = [
        ("F1", &found.f1),
        ("precision", &found.precision),
        ("recall", &found.recall),
        ("own cut", &found.own_cut),
        ("right cut", &found.right_cut),
    ];
    let key = key_with(&[("language", &found.language)], &found.key);
    let line = |(name, estimated): (&str, &Estimated)| {
        let line = Line::new(benchmark, "perspective", "measured").by(&found.header);
        Line { key: key.clone(), ..line.figure(name, &estimated.share) }.over(found.items, "items")
    };
    named.into_iter().filter(|(_, estimated)| estimated.share.value.is_some()).map(line).collect()
}

fn label_mass(benchmark: &str, mass: &LabelMassResult) -> Line {
    let line = Line::new(benchmark, "label-mass", "measured");
    let line = line.by(&mass.header);
    line.figure("median", &mass.median).over(mass.prompts, "prompts")
}

fn calibration(benchmark: &str, found: &Calibration) -> Vec<Line> {
    let named = [
        ("confidence", &found.confidence),
        ("accuracy", &found.accuracy),
        ("calibration error", &found.calibration_error),
        ("calibration error, equal mass", &found.calibration_error_equal_mass),
        ("Brier score", &found.brier),
        ("choice changes with the order", &found.changing_with_order),
    ];
    let line = |(name, figure): (&str, &Figure)| {
        let line = Line::new(benchmark, "calibration", "measured");
        let line = line.by(&found.header);
        Line { key: format!("language={}", found.language), ..line.figure(name, figure) }.over(found.items, "items")
    };
    let yardsticks = [
        ("calibration error if calibrated", found.calibration_error_if_calibrated),
        ("choice changes if independent", found.changing_if_independent),
    ]
    .map(|(name, value)| (name, Figure { value, reason: None }));
    let known = yardsticks.iter().filter(|(_, figure)| figure.value.is_some()).map(|(name, figure)| (*name, figure));
    named.into_iter().chain(known).map(line).collect()
}

fn reply_lines(benchmark: &str, replies: &ReplyResult) -> Vec<Line> {
    let counted = |names: &IndexMap<String, usize>, prefix: &str| -> Vec<(String, f64, usize, &str)> {
        let line =
            |(name, count): (&String, &usize)| (format!("{prefix}{name}"), *count as f64, replies.replies, "replies");
        names.iter().map(line).collect()
    };
    let mut values = counted(&replies.outcomes, "");
    values.extend(counted(&replies.rules, "rule "));
    values.push(("items without answer".to_string(), replies.items_without_answer as f64, replies.items, "items"));
    values.push(("accuracy".to_string(), replies.accuracy_bounds.0, replies.items, "items"));
    values.push(("accuracy if unread were right".to_string(), replies.accuracy_bounds.1, replies.items, "items"));
    let line = |(column, value, n, unit): (String, f64, usize, &str)| {
        let line = Line::new(benchmark, "replies", "measured");
        let line = line.by(&replies.header);
        Line { key: format!("language={}", replies.language), column, value: number(Some(value)), ..line }.over(n, unit)
    };
    values.into_iter().map(line).collect()
}

fn agreement(benchmark: &str, found: &Agreement) -> Vec<Line> {
    let compared = found.items - found.without_answer;
    let values = [
        ("same answer", found.percent(), compared),
        ("without answer", Some(found.without_answer as f64), found.items),
        ("both right", Some(found.both_right as f64), compared),
        ("only by log-likelihood right", Some(found.only_scored_right as f64), compared),
        ("only written right", Some(found.only_written_right as f64), compared),
        ("neither right", Some(found.neither_right as f64), compared),
    ];
    let line = |(column, value, n): (&str, Option<f64>, usize)| Line {
        label: found.label.clone(),
        answers: format!("{} | {}", found.scored, found.written),
        condition: found.condition.clone().unwrap_or_default(),
        key: format!("language={}", found.language),
        column: column.to_string(),
        value: number(value),
        ..Line::new(benchmark, "agreement", "measured").over(n, "items")
    };
    values.map(line).to_vec()
}

/// Lines for each person, each pair, and all.
fn raters(benchmark: &str, found: &Raters) -> Vec<Line> {
    let line = |key: String, column: &str, value: Option<f64>, n: usize| {
        let line = Line::new(benchmark, "people", "measured");
        let line = line.by(&found.header);
        Line { key, column: column.to_string(), value: number(value), ..line }.over(n, "items")
    };
    let mut lines = Vec::new();
    for each in &found.raters {
        let key = format!("rater={}", each.rater);
        let accuracy = line(key.clone(), "accuracy", Some(each.accuracy), each.items);
        let (low, high) = (each.interval.map(|it| it.0), each.interval.map(|it| it.1));
        lines.push(Line { low: number(low), high: number(high), ..accuracy });
        lines.push(line(key, "without choice", Some(each.without_choice as f64), each.items));
    }
    let agreement = &found.agreement;
    for pair in &agreement.pairs {
        let key = format!("rater={};other={}", pair.first, pair.second);
        lines.push(line(key.clone(), "same answer", Some(pair.same), pair.units));
        lines.push(line(key, "Cohen's kappa", pair.kappa, pair.units));
    }
    if agreement.units > 0 {
        let ratings = format!("ratings={}", agreement.fleiss_raters);
        lines.push(line(String::new(), "same answer", agreement.same, agreement.units));
        lines.push(line(ratings, "Fleiss' kappa", agreement.fleiss, agreement.fleiss_units));
    }
    lines
}

fn listed(benchmark: &str, listing: &Listing) -> Vec<Line> {
    let line = |id: &String| {
        let line = Line::new(benchmark, &listing.id, "listed");
        let line = line.by(&listing.header);
        Line { key: format!("item={id}"), column: listing.title.clone(), ..line }
    };
    listing.ids.iter().map(line).collect()
}

fn unread(benchmark: &str, row: &RowProblem) -> Line {
    Line {
        key: format!("row={}", row.place()),
        column: row.field.clone().unwrap_or_default(),
        reason: row.message.clone(),
        ..Line::new(benchmark, "unread-rows", "unread")
    }
}
