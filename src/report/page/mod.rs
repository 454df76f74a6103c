//! Page of one or several runs: an overview, and every item with its prompts and answers.
//!
//! It is one file while its data stay below [`ONE_FILE`] bytes; beyond that, items go to files next to it that the page
//! loads as scripts, the only kind a page opened from disk may read. Texts shared by items are stored once.

mod bars;
mod chunk;
mod data;
mod grid;
mod headline;
mod index;
mod item;
mod overview;
mod runs;
mod warning;

use minijinja::context;
use serde::Serialize;
use serde_json::json;

use super::Report;
use crate::metric::Cell;
use crate::page::words::Said;
use crate::page::{DataElement, Page, PageError, Script, chunk_file, chunk_name, packed};
use crate::safe_text::for_terminal;
use chunk::Chunk;
use index::Index;
use runs::Runs;

pub use crate::canary::CANARY;
pub use crate::page::is_chunk_name;
pub use item::{PageItem, ShownPrompt, ShownReply, ShownTrial};

/// Most bytes of packed items kept in the page itself.
pub const ONE_FILE: usize = 2_900_000;

/// Units below which a value rests on few.
const SMALL: usize = 10;

/// Whether a value rests on few units; a mean does where one of its parts does.
fn is_small(cell: &Cell) -> bool {
    cell.value.is_some() && cell.smallest.as_ref().map_or(cell.n, |part| part.n.min(cell.n)) < SMALL
}

/// Builds a page: items are added one by one and kept packed.
pub struct PageWriter {
    ways: Vec<String>,
    with_texts: bool,
    one_file: usize,
    index: Index,
    chunk: Chunk,
    /// Finished chunks, each with the number of its first item.
    chunks: Vec<(usize, String)>,
}

/// Content of a page besides its items.
#[derive(Debug, Clone, Default)]
pub struct PageFacts {
    /// Heading of the page.
    pub title: String,
    /// Program and version.
    pub program: String,
    /// Names and values of further facts, for instance the duration.
    pub facts: Vec<(String, String)>,
    /// Phase of each way whose style asks in two, in words; missing entries are `None`.
    pub phases: Vec<Option<String>>,
    /// Address of the attention page, relative to this page.
    pub attention: Option<String>,
    /// Name of the folder for items that do not fit into the page, next to it.
    pub folder: String,
    /// Command that writes the page again.
    pub renew: Option<String>,
    /// Tests between the runs.
    pub tested: TestedRuns,
}

/// What the tests of all pairs of runs tell; empty where they were not tested.
#[derive(Debug, Clone, Default)]
pub struct TestedRuns {
    /// Possible ranks of the runs.
    pub ranks: Vec<Rank>,
    /// The tests.
    pub pairs: Vec<TestedPair>,
    /// Runs that were asked other items than those tested.
    pub left_out: usize,
}

/// A difference between two runs on a figure, tested over the same items.
#[derive(Debug, Clone, PartialEq)]
pub struct TestedPair {
    /// Column of the main table and facet values of its row.
    pub figure: String,
    /// Labels of the runs.
    pub runs: [String; 2],
    /// The second run minus the first, in points.
    pub difference: f64,
    /// Its 95 % interval; `None` with too few stories.
    pub interval: Option<(f64, f64)>,
    /// Unadjusted p-value.
    pub p: f64,
    /// Number of stories.
    pub stories: usize,
    /// Smallest true difference detected in 80 % of such comparisons, in points.
    pub detectable: Option<f64>,
}

/// Possible ranks of a run on a figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rank {
    /// Label of the run.
    pub run: String,
    /// Column of the main table and facet values of its row.
    pub figure: String,
    /// From 1 plus the runs significantly better, to all runs minus those significantly worse.
    pub ends: (usize, usize),
}

/// The files of a page.
#[derive(Debug, Clone, PartialEq)]
pub struct PageFiles {
    /// The page.
    pub html: String,
    /// Names and contents of the files in the folder next to it; empty if the page holds everything.
    pub beside: Vec<(String, String)>,
}

impl PageWriter {
    /// Creates a page for items answered in the named ways, one per run or condition. Without texts, only ids and
    /// facets of the benchmark are included.
    pub fn new(ways: Vec<String>, with_texts: bool) -> Self {
        let index = Index::new(ways.len());
        PageWriter { ways, with_texts, one_file: ONE_FILE, index, chunk: Chunk::default(), chunks: Vec::new() }
    }

    /// Adds an item. Items of one story should be adjacent, so that their texts are stored once.
    pub fn add(&mut self, item: &PageItem) -> Result<(), PageError> {
        if self.chunk.ends_before(item) {
            self.pack()?;
        }
        self.chunk.add(item, self.ways.len(), self.with_texts)?;
        self.index.add(item);
        Ok(())
    }

    fn pack(&mut self) -> Result<(), PageError> {
        let chunk = std::mem::take(&mut self.chunk);
        self.chunks.push((self.index.len() - chunk.len, chunk.packed()?));
        Ok(())
    }

    /// Finishes the page, with this report as its overview.
    pub fn finish(mut self, report: &Report, facts: &PageFacts) -> Result<PageFiles, PageError> {
        if self.chunk.len > 0 {
            self.pack()?;
        }
        let index = packed(&serde_json::to_string(&self.index.value())?)?;
        let bytes = self.chunks.iter().map(|(_, chunk)| chunk.len()).sum::<usize>() + index.len();
        let in_one = bytes <= self.one_file;
        let head = json!({
            "ways": self.ways,
            "phases": facts.phases,
            "texts": self.with_texts,
            "items": self.index.len(),
            "firsts": self.chunks.iter().map(|(first, _)| *first).collect::<Vec<_>>(),
            "folder": (!in_one).then_some(&facts.folder),
            "bytes": bytes,
            "attention": facts.attention,
        });
        let mut data = vec![DataElement::json("head", &head)?, DataElement::packed("index", index)];
        let mut beside = Vec::new();
        for (number, (_, chunk)) in self.chunks.into_iter().enumerate() {
            match in_one {
                true => data.push(DataElement::packed(format!("items-{number}"), chunk)),
                false => beside.push((chunk_name(number), chunk_file(number, &chunk, CANARY))),
            }
        }
        let mut figures = Figures::default();
        let runs = Runs::new(&self.ways, report);
        let context = context! {
            title => plain(&facts.title),
            program => facts.program,
            model => report.provenance.get("model").map(|model| plain(model)),
            attention => facts.attention,
            items => self.index.len(),
            canary => CANARY,
            overview => overview::overview(report, facts, &runs, self.with_texts, &mut figures),
        };
        let own = json!({ "figures": figures.0 });
        let page = Page {
            title: &plain(&facts.title),
            program: &facts.program,
            css: include_str!("page.css"),
            script: Script::Packed { script: SCRIPT, own: &own, start: START },
            data: &data,
            beside: !in_one,
        };
        Ok(PageFiles { html: page.render(include_str!("page.html"), context)?, beside })
    }
}

/// The index is unpacked before the script runs, which says if it cannot be.
const START: &str = "let unpackedIndex = null;
unpackPage(async () => {
  unpackedIndex = unpack(document.getElementById(\"index\").textContent);
  await unpackedIndex.catch(() => {});
}).catch(goWithout);";

/// Script of the page.
const SCRIPT: &str = concat!(
    include_str!("../../page/beside.js"),
    include_str!("../../page/export.js"),
    include_str!("items.js"),
    include_str!("item.js"),
    include_str!("table.js"),
    include_str!("figures.js"),
    include_str!("start.js")
);

/// What the figures of a page are handed out as, and charts that its script draws; packed with the script.
#[derive(Default)]
struct Figures(Vec<Figure>);

#[derive(Serialize)]
struct Figure {
    /// The chart; none where bars are HTML.
    svg: Option<String>,
    /// Its numbers as tab-separated lines.
    tsv: String,
}

impl Figures {
    /// Number of the figure.
    fn add(&mut self, svg: Option<String>, tsv: String) -> usize {
        self.0.push(Figure { svg, tsv });
        self.0.len() - 1
    }
}

/// A sentence for the page.
fn said(sentence: &Said) -> minijinja::Value {
    minijinja::Value::from_serialize(sentence.data())
}

/// Text of data and models without characters that change the reading direction.
fn plain(text: &str) -> String {
    for_terminal(text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{unpacked, words};

    #[test]
    fn every_marked_label_is_packed_in_every_language() {
        let report = Report::new("m", indexmap::IndexMap::new(), Vec::new());
        let ways = vec!["a".to_string(), "b".to_string()];
        let html = PageWriter::new(ways, true).finish(&report, &PageFacts::default()).unwrap().html;
        let (_, held) = html.split_once("id=\"script\">").unwrap();
        let held = unpacked(held.split_once('<').unwrap().0, u64::MAX).unwrap();
        let held: serde_json::Value = serde_json::from_str(&held).unwrap();
        let marked: Vec<&str> =
            html.split("data-t=\"").skip(1).filter_map(|rest| rest.split_once('"')).map(|(name, _)| name).collect();
        assert!(marked.len() > 10, "{marked:?}");
        for (code, _) in words::languages() {
            for name in &marked {
                assert!(held["texts"][code][*name].is_string(), "{name} in {code}");
            }
        }
    }
}
