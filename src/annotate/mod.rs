//! Human annotation: a page for answering, marking or judging, and its exports.
//!
//! 1. [`Task`]: items, stories or replies become [`Unit`]s, each with its texts, in one of three [`Mode`]s.
//! 2. [`deal()`]: deals units to people, who are identified by codes; each has their own order of units and options.
//! 3. [`page()`]: one HTML file that opens from disk, saves the work, and exports it.
//! 4. [`Export`]: reads such a file; every line carries a check, so that changed or truncated files are refused.
//! 5. [`Marked`] and [`Judged`]: marks and judgements of several people, their agreement, and the tables of the papers.
//!
//! Answers go to the metrics like any others (`crate::answer::Imported`).
//!
//! `annotate/units.rs` turns items, records or stories into units; `deal.rs` assigns them to people; `page.rs` writes
//! everything into one file, whose script (`annotate/page/`, one file per mode) writes lines with a chained check. Only
//! `export.rs` reads these. Answers are processed like any imported ones, with their rater: `metric` makes a world for
//! each rater, so that measures of whole stories stay within a person, and a cell is the mean over people, with an
//! interval from leaving out people and stories (`stats/two_way.rs`). Marks go to `attend` (its arrow to `annotate` is
//! this one file format), judgements to `judged.rs`, which uses `metric` for agreement and intervals and `report` for
//! grids. A class that only people can determine (irrelevant replies) enters an outcome when a run is read, and is a
//! measure like others.

mod adjudicate;
mod code;
mod deal;
mod export;
mod introduction;
mod judged;
mod marked;
mod mqm;
mod page;
mod scheme;
mod tables;
mod task;
mod text;
mod units;

pub use code::Code;
pub use deal::{Deal, Hand, deal};
#[cfg(test)]
pub(crate) use export::{AnswerRecord, End, Header};
pub use export::{Export, ExportError, JudgeRecord, MarkRecord, Place, Records, SpanJudged, Value, is_export};
pub use introduction::Introduction;
pub use judged::Judged;
pub use marked::Marked;
pub use mqm::{overall_quality, penalty};
pub use page::{Page, Results, page};
pub use scheme::{Kind, Question, Scheme, Subject};
pub use task::{Mode, Task, TaskError, Unit, licensed};
pub use text::Text;
pub use units::{
    MadeTexts, Recitation, ReplyUnits, answered, beside_sketches, made_texts, marked_units, recitations, stories,
    translations,
};
