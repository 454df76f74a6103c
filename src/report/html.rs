//! A report as a page without items: results that came without records.

use super::page::{PageFacts, PageWriter};
use super::{Exporter, Report, Screen};

pub(super) struct Html;

impl Exporter for Html {
    fn report(&self, report: &Report, _: Screen) -> String {
        let names: Vec<&str> = report.results.iter().map(|results| results.title.as_str()).collect();
        let facts = PageFacts {
            title: names.join(", "),
            program: format!("tomeval {}", env!("CARGO_PKG_VERSION")),
            ..PageFacts::default()
        };
        let page = PageWriter::new(Vec::new(), true).finish(report, &facts);
        page.expect("the template is the program's own and takes any text").html
    }
}
