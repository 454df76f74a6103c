//! Questions that belong together, as grids.

use indexmap::IndexMap;

use super::words::{self, interval, named, number};
use crate::counted::counted;
use crate::metric::{Consistency, ConsistencyPart, Figure, Header, LinkResult, Linked, TwinMoves, TwinResult};
use crate::table::{Grid, GridRow, Value, cells};

const ASSOCIATION: &str = "Right: share of second answers that are right where the first is right, and where it is wrong, \
    beside the difference (association, with an interval clustered by story). Exchanged: the difference that is left if \
    second answers are exchanged among stories of the same condition and right answers. Within answers: the difference \
    within the same condition and right answers, which a constant answer does not have (p by Holm over all links). No rate is given for fewer than \
    ten answers. An association does not say that the first answer was used for the second.";

const CONSISTENCY: &str = "Answers count whether right or wrong. Agree: both name the same, in pairs whose right answers are \
    the same; differ: they name different things, in pairs whose right answers differ. By others: the share if the second \
    answer were that of another story, by what it is there. A constant answer agrees everywhere and differs nowhere, so \
    that its mean is 50.";

const TWINS: &str = "All right: share of sets whose questions are all right. Guessed: the same if every answer were guessed. \
    Change: share right minus that of the paired questions of the original, with an interval over pairs, clustered by \
    story (p by Holm over all versions and rows). Must move: pairs whose \
    right answers differ, by text where both have the same options, else by place in the data; moved: the share of them that are \
    answered differently.";

const WHOLE_STORIES: &str = "`tomeval run --limit-stories N` asks whole stories.";

/// Facet values of a row in one cell; a number alone says nothing.
fn of(key: &IndexMap<String, String>) -> String {
    let said = |(facet, value): (&String, &String)| match value.parse::<f64>() {
        Ok(_) => format!("{} {value}", facet.replace('_', " ")),
        Err(_) => value.clone(),
    };
    key.iter().map(said).collect::<Vec<_>>().join(", ")
}

/// The grids of what belongs together, each with the id that `--table` takes.
pub(super) fn grids(linked: &Linked) -> Vec<(&'static str, Grid)> {
    let Linked { links, twins } = linked;
    let mut grids = Vec::new();
    let styles = |headers: Vec<&Header>| words::several_styles(headers.into_iter());
    if !links.is_empty() {
        let several = styles(links.iter().map(|each| &each.header).collect());
        grids.push(("links", links_grid(links, several)));
        let consistency: Vec<_> = links.iter().filter_map(|each| Some((each, each.consistency.as_ref()?))).collect();
        grids.extend((!consistency.is_empty()).then(|| ("consistency", consistency_grid(&consistency, several))));
    }
    let several = styles(twins.iter().map(|each| &each.header).collect());
    // One table stands for all that have nothing to show.
    let (shown, empty): (Vec<&TwinResult>, Vec<_>) = twins.iter().partition(|each| each.sets > 0);
    let shown = if shown.is_empty() { empty.iter().copied().take(1).collect() } else { shown };
    grids.extend(shown.into_iter().map(|each| ("twins", twins_grid(each, several))));
    if let Some(("twins", last)) = grids.last_mut()
        && !empty.is_empty()
    {
        let without = counted(empty.len(), "row");
        let note = format!("{without} of twins without a set whose questions were all asked. {WHOLE_STORIES}");
        last.notes.push(note.into());
    }
    grids
}

fn links_grid(links: &[LinkResult], several_styles: bool) -> Grid {
    let header = [
        "first",
        "second",
        "of",
        "",
        "pairs",
        "stories",
        "both right",
        "only first",
        "only second",
        "neither",
        "first right",
        "second right",
        "if first right",
        "if first wrong",
        "difference",
        "95 % interval",
        "exchanged",
        "within answers",
        "95 % interval",
        "p",
        "chance",
        "left out",
    ];
    let row = |each: &LinkResult| {
        let counts = [each.both_right, each.only_first_right, each.only_second_right, each.neither_right];
        let share = |of: usize| number((each.pairs > 0).then(|| of as f64 / each.pairs as f64 * 100.0));
        let [both, first, second, neither] = counts.map(Value::grouped);
        let figure = |figure: &Figure| number(figure.value).or_reason(&figure.reason);
        cells![
            &each.first,
            &each.second,
            of(&each.key),
            named(&each.header, several_styles),
            Value::grouped(each.pairs),
            Value::grouped(each.stories),
            both,
            first,
            second,
            neither,
            share(counts[0] + counts[1]),
            share(counts[0] + counts[2]),
            figure(&each.second_if_first),
            figure(&each.second_if_not_first),
            figure(&each.difference),
            interval(each.interval),
            figure(&each.expected),
            figure(&each.within_gold),
            interval(each.within_gold_interval),
            Value::p(each.within_gold_p, 3),
            number(Some(each.chance)),
            Value::grouped(each.left_out),
        ]
    };
    let grid = Grid::new("Linked questions: association of answers", 4, header, links.iter().map(row)).explained();
    grid.with_notes([ASSOCIATION])
}

fn consistency_grid(found: &[(&LinkResult, &Consistency)], several_styles: bool) -> Grid {
    let header = [
        "first",
        "second",
        "of",
        "",
        "must agree",
        "agree",
        "by others",
        "excess",
        "95 % interval",
        "must differ",
        "differ",
        "by others",
        "excess",
        "95 % interval",
        "mean",
        "mean by others",
        "left out",
    ];
    let part = |part: &ConsistencyPart| {
        cells![
            Value::grouped(part.pairs),
            number(part.share.value).or_reason(&part.share.reason),
            number(part.expected.value).or_reason(&part.expected.reason),
            number(part.excess.value),
            interval(part.excess_interval),
        ]
    };
    let row = |(link, found): &(&LinkResult, &Consistency)| {
        let labels = cells![&link.first, &link.second, of(&link.key), named(&link.header, several_styles)];
        let means = cells![
            number(found.mean.value).or_reason(&found.mean.reason),
            number(found.expected.value),
            Value::grouped(found.left_out),
        ];
        [labels, part(&found.agree), part(&found.differ), means].concat()
    };
    let grid = Grid::new("Linked questions: consistency of answers", 4, header, found.iter().map(row)).explained();
    grid.with_notes([CONSISTENCY])
}

fn twins_grid(found: &TwinResult, several_styles: bool) -> Grid {
    let key = of(&found.key);
    let by = named(&found.header, several_styles);
    let title = [found.title.as_str(), &key, &by].into_iter().filter(|said| !said.is_empty()).collect::<Vec<_>>();
    let header = [
        "",
        "edit",
        "n",
        "right",
        "95 % interval",
        "guessed",
        "pairs",
        "change",
        "95 % interval",
        "p",
        "must move",
        "moved",
        "must not move",
        "moved",
    ];
    let mut rows: Vec<GridRow> = Vec::new();
    let pairs = |moves: &TwinMoves| if moves.pairs > 0 { Value::grouped(moves.pairs) } else { Value::default() };
    let moved = |moves: &TwinMoves| match moves.pairs {
        0 => Value::default(),
        _ => number(moves.moved.value).or_reason(&moves.moved.reason),
    };
    for part in found.parts.iter().filter(|part| part.items > 0) {
        let paired = part.pairs > 0;
        rows.push(GridRow::from(cells![
            &part.name,
            part.edit.clone().unwrap_or_default(),
            Value::grouped(part.items),
            number(part.accuracy.value).or_reason(&part.accuracy.reason),
            interval(part.interval),
            number(part.chance.value),
            if paired { Value::grouped(part.pairs) } else { Value::default() },
            if paired { number(part.change.value) } else { Value::default() },
            if paired { interval(part.change_interval) } else { Value::default() },
            if paired { Value::p(part.change_p, 3) } else { Value::default() },
            pairs(&part.where_gold_moves),
            moved(&part.where_gold_moves),
            pairs(&part.where_gold_stays),
            moved(&part.where_gold_stays),
        ]));
    }
    let all = |name: String, by: String, sets: usize, right: Value, interval: Value, guessed: Value| {
        let shown = cells![name, by, Value::grouped(sets), right, interval, guessed];
        shown.into_iter().chain(vec![Value::default(); header.len() - 6]).collect::<Vec<_>>()
    };
    let whole = all(
        "all right".to_string(),
        String::new(),
        found.sets,
        number(found.all_right.value).or_reason(&found.all_right.reason),
        interval(found.all_right_interval),
        number(found.chance.value),
    );
    rows.push(GridRow { cells: whole, starts_group: true });
    if found.by_size.len() > 1 {
        rows.extend(found.by_size.iter().map(|size| {
            let name = format!("all right, sets of {}", size.questions);
            let guessed = number(Some(size.chance));
            let best =
                size.rules.first().map(|rule| format!("best rule: always {} {:.1}", rule.answer, rule.all_right));
            let right = number(Some(size.all_right));
            GridRow::from(all(name, best.unwrap_or_default(), size.sets, right, Value::default(), guessed))
        }));
    }
    rows.extend(found.rules.iter().map(|rule| {
        let name = format!("all right by always {}", rule.answer);
        let right = number(Some(rule.all_right));
        GridRow::from(all(name, String::new(), found.sets, right, Value::default(), Value::default()))
    }));
    let mut notes = vec![TWINS.to_string()];
    notes.extend((found.incomplete > 0).then(|| {
        format!("{} left out: not all of their questions were asked. {WHOLE_STORIES}", counted(found.incomplete, "set"))
    }));
    Grid::new(&title.join(": "), 2, header, rows.into_iter()).explained().with_notes(notes)
}
