//! Comparisons in every human-readable format and as CSV.

use indexmap::IndexMap;
use unicode_width::UnicodeWidthStr;

use super::csv::number;
use crate::benchmark::Benchmark;
use crate::compare::published::{PublishedComparison, PublishedTest};
use crate::compare::{ChoiceAgreement, Comparison, ComparisonRow, Flip, PairResult, ScoreChange, SideResult, Trend};
use crate::counted::{counted, to_two_places};
use crate::metric::PaperTest;
use crate::name::option_letter;
use crate::safe_text::for_terminal;
use crate::table::{Format, Grid, LINE, Screen, Value, cells, comma_separated, part_of, render_grid, wrap, wrap_to};

/// Renders a comparison as text. `screen` matters to [`Format::Terminal`] only; [`Format::Items`] gives the same as
/// [`Format::Json`], since a comparison has rows but no items.
pub fn render_comparison(comparison: &Comparison, format: Format, screen: Screen) -> String {
    match format {
        Format::Json | Format::Items => comparison.to_json(),
        Format::Csv => csv(comparison),
        _ => for_terminal(&format.writer().document(rendered(comparison, format, screen))).into_owned(),
    }
}

/// Renders a comparison of published tables as text.
pub fn render_published(comparison: &PublishedComparison, format: Format, screen: Screen) -> String {
    if matches!(format, Format::Json | Format::Items) {
        return comparison.to_json();
    }
    let line = |test: &PublishedTest| {
        let PublishedTest { table, a, b, subjects, rows, trend, .. } = test;
        let printed = |p: fn(&PaperTest) -> &Option<String>| test.paper.as_ref().and_then(|paper| p(paper).clone());
        let beside = [printed(|paper| &paper.normality_p), printed(|paper| &paper.rank_p)];
        let beside = beside.map(|p| Value::from(p.unwrap_or_default())).to_vec();
        [cells![table, format!("{a}, {b}"), *subjects, *rows], trend_cells(trend), beside].concat()
    };
    let header = [&["table", "between", "models", "rows"][..], &TREND, &["paper: KS p", "paper: Wilcoxon p"]].concat();
    let mut grid = Grid::new("Published rows", 2, header, comparison.tests.iter().map(line));
    grid.drop_empty_columns();
    let before = [("benchmark", comparison.benchmark.to_string()), ("between", comparison.between.clone())];
    let mut notes = vec![
        TREND_NOTE.to_string(),
        "Rows for people and averages of other rows are left out, and so are columns that are means of others.".into(),
    ];
    let beside_paper = |test: &PublishedTest| {
        let PaperTest { source, remark, .. } = test.paper.as_ref()?;
        let raw = test.raw_normality_p.map_or(String::new(), |p| {
            let p = if p < 0.0001 { "below 0.0001".into() } else { p_value(Some(p)) };
            format!(
                " The printed values themselves against the normal distribution of mean 0 and deviation 1: KS p {p}."
            )
        });
        Some(format!("Beside the paper's {source}, {}:{raw} {remark}", test.table))
    };
    notes.extend(comparison.tests.iter().filter_map(beside_paper));
    let notes: Vec<String> = notes.into_iter().map(|note| in_lines(note, format)).collect();
    for_terminal(&render_grid(&before, &grid, &notes, format, screen)).into_owned()
}

fn rendered(comparison: &Comparison, format: Format, screen: Screen) -> String {
    let mut text = facts(&header(&comparison.benchmarks, &comparison.differs, &comparison.sides), format);
    for pair in &comparison.pairs {
        let letters = [&pair.a, &pair.b].map(|name| letter_of(&comparison.sides, name));
        let names = |row: &&ComparisonRow| (&row.side_a, &row.side_b) == (&pair.a, &pair.b);
        let rows: Vec<&ComparisonRow> = comparison.rows.iter().filter(names).collect();
        let Some((all, by_facet)) = rows.split_first() else { continue };
        text.push('\n');
        text.push_str(&format.writer().remark(&in_lines(format!("{} beside {}", pair.b, pair.a), format)));
        text.push_str(&format.writer().remark(&in_lines(pair.verdict.clone(), format)));
        text.push('\n');
        text.push_str(&facts(&overall(all, pair, comparison.margin), format));
        for grid in facets(by_facet, &letters, format, screen) {
            text.push('\n');
            text.push_str(&part_of(&[], &captioned(grid, pair, &letters, format), &[], format, uncut(screen)));
        }
        for grid in [trends(&pair.trends), flips(&pair.flips, &letters)].into_iter().flatten() {
            text.push('\n');
            text.push_str(&part_of(&[], &captioned(grid, pair, &letters, format), &[], format, screen));
        }
    }
    text.push('\n');
    for note in notes(comparison) {
        text.push_str(&format.writer().remark(&in_lines(note, format)));
    }
    text
}

/// The letter of a side in the header.
fn letter_of(sides: &[SideResult], label: &str) -> String {
    option_letter(sides.iter().position(|side| side.label == label).unwrap_or(0))
}

/// A grid whose caption names both sides, for formats that are copied into a paper.
fn captioned(grid: Grid, pair: &PairResult, [a, b]: &[String; 2], format: Format) -> Grid {
    match format {
        Format::Latex => Grid { title: format!("{}. {a}: {}; {b}: {}", grid.title, pair.a, pair.b), ..grid },
        _ => grid,
    }
}

/// Facts, whose values continue on indented lines if longer than one line.
pub(super) fn facts(facts: &[(impl AsRef<str>, String)], format: Format) -> String {
    let indent = facts.iter().map(|(name, _)| name.as_ref().len()).max().unwrap_or(0) + 2;
    let below = |value: &str| wrap_to(value, LINE - indent).replace('\n', &format!("\n{}", " ".repeat(indent)));
    let rendered = facts.iter().map(|(name, value)| match format {
        Format::Terminal => (name.as_ref(), below(value)),
        _ => (name.as_ref(), value.clone()),
    });
    format.writer().facts(&rendered.collect::<Vec<_>>())
}

pub(super) fn in_lines(text: String, format: Format) -> String {
    if format == Format::Terminal { wrap(&text) } else { text }
}

/// What was compared on which items, and what was left out.
pub(super) fn header(
    benchmarks: &IndexMap<Benchmark, usize>,
    differs: &[String],
    sides: &[SideResult],
) -> Vec<(String, String)> {
    let items: Vec<String> =
        benchmarks.iter().map(|(benchmark, items)| format!("{benchmark}, {}", counted(*items, "item"))).collect();
    let mut lines = vec![("compared".to_string(), items.join("; "))];
    let lettered = sides.iter().enumerate();
    lines.extend(lettered.map(|(position, side)| (option_letter(position), render_side(side))));
    if !differs.is_empty() {
        lines.push(("paired".to_string(), format!("across {}", differs.join(" and "))));
    }
    for side in sides.iter().filter(|side| side.fell_out > 0) {
        let more = if side.fell_out > side.first_fell_out.len() { ", ..." } else { "" };
        let ids = side.first_fell_out.join(", ");
        lines.push(("left out".to_string(), format!("{} of {}: {ids}{more}", side.fell_out, side.label)));
    }
    for side in sides.iter().filter(|side| side.failed > 0) {
        let rendered = format!("{} of {}: every trial failed; not compared", side.failed, side.label);
        lines.push(("failed".to_string(), rendered));
    }
    lines
}

fn render_side(side: &SideResult) -> String {
    let mut line = format!("{}: {:.1} % right", side.label, side.accuracy);
    if !side.answers.is_empty() {
        line.push_str(&format!(", {}", side.answers));
    }
    if side.unanswered > 0 {
        line.push_str(&format!(", {} without an answer", side.unanswered));
    }
    if let Some(orders) = &side.orders {
        let kappa = orders.kappa.map_or(String::new(), |kappa| format!(" (kappa {kappa:.2})"));
        let (changing, expected) = (orders.changing, orders.changing_expected);
        line.push_str(&format!(", {changing:.1} % change with the order{kappa}, {expected:.1} % expected"));
    }
    line
}

/// A headline, or the weighted mean over the items of a sample.
fn render_headline(row: &ComparisonRow) -> (&'static str, String) {
    let ComparisonRow { value, a, b, difference, p_stories, .. } = row;
    let (interval, p) = (interval(row.interval), p_value(Some(*p_stories)));
    let rendered = format!("{a:.1} and {b:.1}, {difference:+.1} points, 95 % {interval}, p {p} by story");
    match row.facet == "headline" {
        true => ("headline", format!("{value}: {rendered}")),
        false => ("weighted", format!("item mean with strata as in all {value}: {rendered}")),
    }
}

fn overall(all: &ComparisonRow, pair: &PairResult, margin: f64) -> Vec<(&'static str, String)> {
    let design = all.design_effect.map_or(String::new(), |design| format!("; design effect {design:.2}"));
    let mut lines = vec![
        ("item mean", format!("{:+.1} points, 95 % {}", all.difference, interval(all.interval))),
        ("items", format!("{} of {}{design}", all.n, counted(all.stories, "story"))),
        ("flips", format!("{} right to wrong, {} wrong to right", all.right_to_wrong, all.wrong_to_right)),
        ("by story", format!("p {}: over all signs of the stories' sums", p_value(Some(all.p_stories)))),
        ("McNemar", format!("p {}: as if all items were independent", p_value(Some(all.p)))),
        ("alike", format!("within {margin} points: p {}", p_value(all.equivalence_p))),
    ];
    if let Some(p) = all.p_holm {
        lines.insert(4, ("adjusted", format!("p {} (Holm), {} (BH)", p_value(Some(p)), p_value(all.p_bh))));
    }
    lines.splice(..0, pair.headlines.iter().map(render_headline));
    if let Some(detectable) = all.detectable {
        lines.push(("detectable", format!("{detectable:.1} points, in four of five such comparisons")));
    }
    if let Some(same) = pair.agreement.same {
        let ChoiceAgreement { items, same_expected, kappa, kappa_expected, .. } = pair.agreement;
        let kappa_of = |kappa: Option<f64>| kappa.map_or(String::new(), |kappa| format!(", kappa {kappa:.2}"));
        lines.push(("same choice", format!("{same:.1} % of {}{}", counted(items, "item"), kappa_of(kappa))));
        let expected = same_expected.map_or("-".to_string(), |same| format!("{same:.1} %{}", kappa_of(kappa_expected)));
        lines.push(("expected", format!("{expected} from the accuracies alone, if independent")));
    }
    if let Some(scores) = &pair.scores {
        lines.extend(render_scores(scores));
    }
    lines
}

fn render_scores(scores: &ScoreChange) -> [(&'static str, String); 2] {
    let ScoreChange { prompts, mean, largest, largest_at, choice_flips, vote_flips, .. } = scores;
    let share = *choice_flips as f64 / *prompts as f64 * 100.0;
    [
        (
            "moved",
            format!("{} nats on average, {} at most ({largest_at})", to_two_places(*mean), to_two_places(*largest)),
        ),
        (
            "choices",
            format!(
                "{choice_flips} of {} flip ({share:.1} %), {}",
                counted(*prompts, "prompt"),
                counted(*vote_flips, "vote")
            ),
        ),
    ]
}

/// One grid per facet; rows with the most flips in one direction come first.
fn facets(rows: &[&ComparisonRow], letters: &[String; 2], format: Format, screen: Screen) -> Vec<Grid> {
    let mut names: Vec<&str> = rows.iter().map(|row| row.facet.as_str()).collect();
    names.dedup();
    names.into_iter().map(|name| facet(name, rows, letters, format, screen)).collect()
}

/// A screen on which tables of [`TERMINAL`] columns are not cut.
pub(super) fn uncut(screen: Screen) -> Screen {
    Screen { width: screen.width.map(|width| if width >= TERMINAL { usize::MAX } else { width }) }
}

fn facet(name: &str, rows: &[&ComparisonRow], [a, b]: &[String; 2], format: Format, screen: Screen) -> Grid {
    let mut rows: Vec<&ComparisonRow> = rows.iter().copied().filter(|row| row.facet == name).collect();
    let flips = |row: &ComparisonRow| {
        (row.right_to_wrong.abs_diff(row.wrong_to_right), row.right_to_wrong + row.wrong_to_right)
    };
    rows.sort_by_key(|row| std::cmp::Reverse(flips(row)));
    let line = |row: &ComparisonRow| {
        cells![
            &row.value,
            row.n,
            Value::places(row.a, 1),
            Value::places(row.b, 1),
            Value::signed(row.difference, 1),
            interval(row.interval),
            Value::from(row.right_to_wrong).unit(format!("/{}", row.wrong_to_right)),
            p_value(row.p_holm),
        ]
    };
    let header = [
        name.to_string(),
        "n".to_string(),
        format!("{a} %"),
        format!("{b} %"),
        format!("{b}-{a}"),
        "95 %, one row".to_string(),
        "flips".to_string(),
        "Holm".to_string(),
    ];
    let title = if format == Format::Latex { format!("Accuracy by {name}") } else { name.to_string() };
    let mut grid = Grid::new(&title, 1, header, rows.into_iter().map(line));
    if format == Format::Terminal {
        shorten(&mut grid, screen);
    }
    grid
}

/// Width of a usual terminal in columns.
const TERMINAL: usize = 80;

/// Shortens the labels of a grid so that its lines fit a usual terminal.
pub(super) fn shorten(grid: &mut Grid, screen: Screen) {
    // Drawn lines need a wider gap between columns.
    let gap = if screen.width.is_some() { 3 } else { 2 };
    let width = |column: usize| {
        let cells = grid.rows.iter().map(|row| row.cells[column].to_string().width());
        let cells = cells.chain([grid.header[column].width()]);
        cells.max().unwrap_or(0) + gap
    };
    let room = TERMINAL.saturating_sub((1..grid.header.len()).map(width).sum::<usize>() + 2).max(12);
    for cell in grid.rows.iter_mut().map(|row| &mut row.cells[0]) {
        let mut label = cell.to_string();
        if label.width() > room {
            while label.width() >= room {
                label.pop();
            }
            label.push('\u{2026}');
            *cell = label.into();
        }
    }
}

const TREND: [&str; 5] = ["pairs", "zeros", "mean", "KS p", "Wilcoxon p"];
const TREND_NOTE: &str = "KS: whether differences look normal (Kolmogorov-Smirnov with their own mean and deviation). \
                          Wilcoxon: whether they lie around 0 (signed ranks, zeros dropped; up to 13 that are left exact, beyond \
                          that normal, continuity-corrected).";

fn trend_cells(trend: &Trend) -> Vec<Value> {
    cells![trend.pairs, trend.zeros, Value::signed(trend.mean, 1), p_value(trend.normality_p), p_value(trend.rank_p),]
}

fn trends(trends: &[Trend]) -> Option<Grid> {
    let line = |trend: &Trend| [cells![&trend.over], trend_cells(trend)].concat();
    let header = [&["over"][..], &TREND].concat();
    (!trends.is_empty()).then(|| Grid::new("Tests over the values of a facet", 1, header, trends.iter().map(line)))
}

fn flips(flips: &[Flip], [a, b]: &[String; 2]) -> Option<Grid> {
    let letters = |choice: &[usize]| choice.iter().map(|&option| option_letter(option)).collect::<Vec<_>>().join(" ");
    let line = |flip: &Flip| {
        let [a, b] = [&flip.a, &flip.b].map(|choice| choice.as_deref().map(letters));
        cells![&flip.id, letters(&flip.gold), a, b, Value::signed(flip.probability_change, 3)]
    };
    let header = ["flipped", "right", a, b, "p(right)"];
    (!flips.is_empty()).then(|| Grid::new("Items that only one side answers right", 1, header, flips.iter().map(line)))
}

fn notes(comparison: &Comparison) -> Vec<String> {
    let mut notes = vec![format!(
        "Intervals, p by story and the test for likeness treat items of one story as dependent; McNemar's exact test \
         treats all items as independent. A difference below {} points counts as none (--margin). Flips: right to \
         wrong / wrong to right. Fewer than six stories have no interval.",
        comparison.margin
    )];
    if comparison.family > 0 {
        notes.push(format!(
            "Each interval by facet is for its row alone: of rows without a difference, one in twenty excludes 0. \
             Holm: p by story, adjusted for all {} rows by facet.",
            comparison.family
        ));
    }
    if comparison.pairs.len() > 1 {
        let pairs = comparison.pairs.len();
        notes.push(format!("Adjusted: p by story over all items, for the {pairs} comparisons of sides."));
    }
    if comparison.pairs.iter().any(|pair| !pair.trends.is_empty()) {
        notes.push(TREND_NOTE.to_string());
    }
    if comparison.pairs.iter().any(|pair| !pair.flips.is_empty()) {
        notes.push("Options are lettered in the order of the data, not as they were shown.".to_string());
    }
    notes
}

pub(super) fn interval(interval: Option<(f64, f64)>) -> Value {
    Value::signed_range(interval, 1)
}

/// A p-value with its informative digits; one too small for a double is given as a bound.
pub(super) fn p_value(p: Option<f64>) -> Value {
    match p {
        Some(p) if p < 1e-300 => Value::exponent(1e-300, 0).marked("<"),
        Some(p) if p < 0.0001 => Value::exponent(p, 0),
        p => Value::places(p, 4),
    }
}

/// One line per row; columns are the keys of the JSON document.
fn csv(comparison: &Comparison) -> String {
    const HEADER: [&str; 20] = [
        "facet",
        "value",
        "side_a",
        "side_b",
        "n",
        "stories",
        "a",
        "b",
        "difference",
        "low",
        "high",
        "p",
        "p_stories",
        "p_holm",
        "p_bh",
        "right_to_wrong",
        "wrong_to_right",
        "equivalence_p",
        "detectable",
        "design_effect",
    ];
    let line = |row: &ComparisonRow| -> [String; HEADER.len()] {
        [
            row.facet.clone(),
            row.value.clone(),
            row.side_a.clone(),
            row.side_b.clone(),
            row.n.to_string(),
            row.stories.to_string(),
            number(Some(row.a)),
            number(Some(row.b)),
            number(Some(row.difference)),
            number(row.interval.map(|interval| interval.0)),
            number(row.interval.map(|interval| interval.1)),
            number(Some(row.p)),
            number(Some(row.p_stories)),
            number(row.p_holm),
            number(row.p_bh),
            row.right_to_wrong.to_string(),
            row.wrong_to_right.to_string(),
            number(row.equivalence_p),
            number(row.detectable),
            number(row.design_effect),
        ]
    };
    comma_separated(&HEADER, comparison.rows.iter().map(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(facet: &str, b: &str) -> ComparisonRow {
        ComparisonRow {
            facet: facet.into(),
            value: "a value whose name is much longer than what a line of a usual terminal leaves for it".into(),
            side_a: "first".into(),
            side_b: b.into(),
            n: 1200,
            stories: 600,
            a: 50.0,
            b: 52.5,
            difference: 2.5,
            interval: Some((-100.0, 100.0)),
            p: 0.04,
            p_stories: 0.05,
            p_holm: Some(0.00001),
            p_bh: Some(0.08),
            right_to_wrong: 100,
            wrong_to_right: 130,
            equivalence_p: None,
            detectable: None,
            design_effect: Some(2.0),
        }
    }

    fn side(label: &str) -> SideResult {
        SideResult {
            label: label.into(),
            answers: "letters".into(),
            items: 1200,
            accuracy: 50.0,
            unanswered: 0,
            failed: 0,
            fell_out: 0,
            first_fell_out: Vec::new(),
            orders: None,
        }
    }

    fn pair(b: &str) -> PairResult {
        let flip = Flip {
            id: "test/0".into(),
            id_b: "test/0".into(),
            style: "vanilla".into(),
            condition: None,
            gold: vec![1],
            a: Some(vec![1]),
            b: None,
            right_to_wrong: true,
            probability_change: None,
        };
        PairResult {
            a: "first".into(),
            b: b.into(),
            verdict: "No difference shown.".into(),
            headlines: Vec::new(),
            agreement: ChoiceAgreement { items: 0, same: None, same_expected: None, kappa: None, kappa_expected: None },
            scores: None,
            trends: Vec::new(),
            flips: vec![flip],
        }
    }

    #[test]
    fn a_p_value_too_small_for_a_double_is_a_bound() {
        assert_eq!([0.0, 1e-5, 0.25].map(|p| p_value(Some(p)).to_string()), ["<1e-300", "1e-5", "0.2500"]);
        assert_eq!(p_value(None), Value::Missing(None));
    }

    #[test]
    fn every_pair_has_the_letter_of_its_side_and_lines_fit_a_terminal() {
        let comparison = Comparison {
            version: 1,
            benchmarks: [(crate::benchmark::Benchmark::Custom, 1200)].into(),
            differs: Vec::new(),
            margin: 5.0,
            family: 2,
            sides: ["first", "second", "third"].map(side).to_vec(),
            rows: ["second", "third"].iter().flat_map(|b| [row("all", b), row("task", b)]).collect(),
            pairs: vec![pair("second"), pair("third")],
        };
        let shown = |width| render_comparison(&comparison, Format::Terminal, Screen { width });
        let text = shown(Some(80));
        for text in [&text, &shown(None)] {
            assert!(text.lines().all(|line| line.width() <= TERMINAL), "{text}");
        }
        let (second, third) = text.split_once("third beside first").expect("both pairs are told");
        for (part, letter) in [(second, "B"), (third, "C")] {
            for heading in [format!("{letter} %"), format!("{letter}-A")] {
                assert!(part.contains(&heading), "{heading}: {part}");
            }
            let flipped = part.lines().find(|line| line.contains("flipped")).expect("flips are listed");
            assert_eq!(flipped.split_whitespace().collect::<Vec<_>>(), ["flipped", "right", "A", letter, "p(right)"]);
        }
        assert!(text.contains("1e-5"), "{text}");
    }
}
