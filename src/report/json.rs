//! Reports as JSON.

use super::{Exporter, Report, Screen};

pub(super) struct Json;

impl Exporter for Json {
    fn report(&self, report: &Report, _: Screen) -> String {
        report.to_json()
    }
}
