//! A report as a page without items, for results that came without records.

use super::Report;
use super::page::{PageFacts, PageWriter};

/// The page.
pub(super) fn report(report: &Report) -> String {
    let names: Vec<&str> = report.results.iter().map(|results| results.title.as_str()).collect();
    let facts = PageFacts {
        title: names.join(", "),
        program: format!("tomeval {}", env!("CARGO_PKG_VERSION")),
        ..PageFacts::default()
    };
    let page = PageWriter::new(Vec::new(), true).finish(report, &facts);
    page.expect("the template is the program's own and takes any text").html
}
