//! Human annotation: a page to answer, mark or judge on, and its exports.
//!
//! 1. [`Task`]: items, stories or replies become [`Unit`]s, each with its texts, in one of three [`Mode`]s.
//! 2. [`deal`]: units are dealt out to people, who are known by codes; each has an order of units and options of their own.
//! 3. [`page()`]: one HTML file that opens from disk, keeps what was done, and exports it.
//! 4. [`Export`]: such a file read again; every line carries a check, so that what was changed or cut is refused.
//! 5. [`Marked`] and [`Judged`]: what several people marked or judged, how far they agree, and the tables of the papers.
//!
//! Answers go to the metrics like any others (`crate::answer::Imported`).
//!
//! `annotate/units.rs` makes units of items, records or stories; `deal.rs` gives each person theirs; `page.rs` puts all
//! into one file, whose script (`annotate/page/`, one file a mode) writes lines with a chained check. `export.rs` is the
//! only reader of these. Answers go on like any imported ones, with their rater: `metric` makes a world for each rater, so
//! that measures of whole stories stay within a person, and a cell is the mean over people, its interval from leaving out
//! people and stories (`stats/two_way.rs`). Marks go to `attend` (its arrow to `annotate` is this one file format),
//! judgements to `judged.rs`, which uses `metric` for agreement and intervals and `report` for grids. A class that only
//! people can tell (irrelevant replies) enters an outcome when a run is read, and is a measure like others.

mod code;
mod deal;
mod export;
mod interface;
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
pub use page::{Page, page};
pub use scheme::{Kind, Question, Scheme, Subject};
pub use task::{Mode, Task, TaskError, Unit};
pub use text::Text;
pub use units::{ReplyUnits, answered, marked_units, stories, translations};
