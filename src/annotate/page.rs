//! The annotation page: one HTML file.

use serde_json::{Value, json};

use super::{Export, Hand, Introduction, Mode, Task};
use crate::canary::CANARY;
use crate::language::Language;
use crate::page::{self as frame, DataElement, PageError, packed, words};
use crate::table::{Grid, Value as Shown};

/// Contents of a page.
#[derive(Debug, Clone)]
pub struct Page<'a> {
    /// Program and version.
    pub program: &'a str,
    /// The task.
    pub task: &'a Task,
    /// Assignment of units to people.
    pub hands: &'a [Hand],
    /// The introduction.
    pub introduction: &'a Introduction,
    /// Interface language of the page, until people choose another.
    pub interface: Language,
    /// Results of a page on which an adjudicator decides disagreements.
    pub results: Option<Results<'a>>,
}

/// What people said, shown before what is left to adjudicate.
#[derive(Debug, Clone)]
pub struct Results<'a> {
    /// Files of the people.
    pub exports: &'a [Export],
    /// Tables of agreement and results.
    pub grids: &'a [Grid],
    /// Units that several people judged.
    pub shared: usize,
}

impl Results<'_> {
    fn json(&self) -> Value {
        let person = |export: &Export| {
            let header = &export.header;
            json!({ "rater": header.rater, "done": header.done, "of": header.items, "adjudicates": header.adjudicates })
        };
        let grid = |grid: &Grid| {
            let rows: Vec<&[Shown]> = grid.rows.iter().map(|row| &row.cells[..]).collect();
            json!({
                "title": grid.title, "labels": grid.label_columns, "header": grid.header, "rows": rows, "notes": grid.notes,
            })
        };
        let (agreement, tables): (Vec<&Grid>, Vec<&Grid>) =
            self.grids.iter().partition(|grid| grid.title.starts_with("Agreement"));
        json!({
            "people": self.exports.iter().map(person).collect::<Vec<_>>(),
            "agreement": agreement.into_iter().map(grid).collect::<Vec<_>>(),
            "tables": tables.into_iter().map(grid).collect::<Vec<_>>(),
            "shared": self.shared,
        })
    }
}

/// Renders the page as one file, safe for any text.
pub fn page(page: &Page<'_>) -> Result<String, PageError> {
    let Page { program, task, hands, introduction, interface: language, results } = page;
    let fingerprint = task.fingerprint();
    let heading = match introduction.title.is_empty() {
        false => introduction.title.english().to_string(),
        true => format!("{}: {}", mode_name(task.mode), titles(task)),
    };
    let script = [
        include_str!("page/state.js"),
        include_str!("page/answer.js"),
        include_str!("page/words.js"),
        include_str!("page/mark.js"),
        include_str!("page/judge.js"),
        include_str!("page/results.js"),
        include_str!("page/start.js"),
    ]
    .concat();
    let scheme = task.scheme.as_ref();
    let head = json!({
        "mode": task.mode,
        "page": fingerprint,
        "program": program,
        "canary": CANARY,
        "benchmarks": task.benchmarks.iter().map(|(name, ..)| name).collect::<Vec<_>>(),
        "titles": titles(task),
        "interface": language.code(),
        "languages": words::languages(),
        "texts": words::texts(&words::used(&[script.as_str()])),
        "introduction": introduction,
        "people": hands.iter().map(|hand| hand.code.as_str()).collect::<Vec<_>>(),
        "scheme": scheme,
        "adjudicates": task.adjudicates,
        "results": results.as_ref().map(Results::json),
    });
    let hands: Vec<Value> = hands
        .iter()
        .map(|hand| {
            let units = hand.units.iter().map(|(unit, order)| match order.is_empty() || task.mode != Mode::Answer {
                true => json!(unit),
                false => json!([unit, order.as_slice()]),
            });
            json!(units.collect::<Vec<_>>())
        })
        .collect();
    let body = json!({ "texts": task.texts, "units": task.units, "hands": hands });
    let data =
        [DataElement::json("head", &head)?, DataElement::packed("units", packed(&serde_json::to_string(&body)?)?)];
    let page = frame::Page {
        title: &heading,
        program,
        css: include_str!("page/page.css"),
        script: frame::Script::Plain(&script),
        data: &data,
        beside: false,
    };
    page.render(
        include_str!("page/page.html"),
        minijinja::context! {
            title => heading,
            program => program,
            canary => CANARY,
            licences => task.benchmarks.iter().map(|(_, title, licence)| format!("{title}: {licence}")).collect::<Vec<_>>(),
        },
    )
}

fn titles(task: &Task) -> String {
    task.benchmarks.iter().map(|(_, title, _)| title.as_str()).collect::<Vec<_>>().join(", ")
}

fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Answer => "Questions",
        Mode::Mark => "Marking",
        Mode::Judge => "Judging",
    }
}
