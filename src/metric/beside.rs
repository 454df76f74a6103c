//! Places published figures beside measured ones: selects the rows, and describes differences in method.

use indexmap::IndexMap;

use super::method::Method;
use super::results::{PublishedRow, ResultRow, Results, TableResult};
use crate::benchmark::Swap;
use crate::prompt::{Condition, UNNAMED_STYLE};

impl Results {
    /// Sets the method of all these answers. Published figures are kept only in the tables for which `of_paper` holds:
    /// those whose items are the paper's, or drawn from them.
    pub fn asked_by(&mut self, method: &Method, of_paper: impl Fn(&TableResult) -> bool) {
        for table in &mut self.tables {
            let other_items = !of_paper(table);
            for row in &mut table.rows {
                row.method.clone_from(method);
                row.other_items = other_items;
            }
            let TableResult { rows, published, .. } = table;
            published.retain(|published| rows.iter().any(|row| published.stands_beside(row)));
            table.caption = table.caption_of_methods();
        }
    }
}

impl PublishedRow {
    /// Whether it is shown with a measured row: one for the paper's items or a sample of them, for the same part of the
    /// data in the same style, with no part left out and no few-shot examples, which papers did not use. People have no
    /// prompt style. A row whose style its paper does not state can be shown with any row.
    pub fn stands_beside(&self, row: &ResultRow) -> bool {
        let other_question = |part: &str| {
            part.parse::<Condition>().is_ok() || part.ends_with("-shots") || Swap::and_rest(Some(part)).0.is_some()
        };
        !row.other_items
            && self.key.iter().all(|(facet, value)| row.key.get(facet) == Some(value))
            && (self.human || self.style.as_deref().is_none_or(|style| stated(row).is_none_or(|known| known == style)))
            && !row.header.condition.iter().flat_map(|condition| condition.split('+')).any(other_question)
    }

    /// The subject, with its style unless that is the plain one.
    pub fn name(&self) -> String {
        match &self.style {
            Some(style) if style != PLAIN_STYLE => format!("{} ({style})", self.label),
            _ => self.label.clone(),
        }
    }
}

/// The style of a row; `None` if answers came from elsewhere and name none.
fn stated(row: &ResultRow) -> Option<&String> {
    Some(&row.header.style).filter(|style| *style != UNNAMED_STYLE)
}

/// The style that is not mentioned.
const PLAIN_STYLE: &str = "vanilla";

impl TableResult {
    /// Adds the rows of another run for this table.
    pub fn add(&mut self, other: TableResult) {
        self.rows.extend(other.rows);
        let unknown: Vec<_> = other.published.into_iter().filter(|row| !self.published.contains(row)).collect();
        self.published.extend(unknown);
        self.caption = self.caption_of_methods();
    }

    fn caption_of_methods(&self) -> Option<String> {
        self.difference_of_methods().map(|(there, here)| format!("published: {there}; here: {here}"))
    }

    /// Methods of the published figures and of the measured ones beside them, where they differ; `None` if no
    /// difference is known.
    pub fn difference_of_methods(&self) -> Option<(String, String)> {
        let models = || self.published.iter().filter(|published| !published.human);
        let pairs: Vec<(&PublishedRow, &ResultRow)> = models()
            .flat_map(|published| self.rows.iter().map(move |row| (published, row)))
            .filter(|(published, row)| published.stands_beside(row) && !row.method.is_unknown())
            .collect();
        let aspects: [(&str, fn(&PublishedRow) -> &Option<String>, fn(&ResultRow) -> Option<&String>); 4] = [
            ("style", |published| &published.style, stated),
            ("scoring", |published| &published.method.scoring, |row| row.method.scoring.as_ref()),
            ("orders", |published| &published.method.orders, |row| row.method.orders.as_ref()),
            ("wording", |published| &published.method.wording, |row| row.method.wording.as_ref()),
        ];
        let (mut theirs, mut ours) = (Vec::new(), Vec::new());
        for (name, published, row) in aspects {
            if pairs.iter().all(|(there, here)| published(there).as_ref() == row(here)) {
                continue;
            }
            let unknown = || format!("{name} not stated");
            let rendered = |value: Option<&String>| value.cloned().unwrap_or_else(unknown);
            theirs.push(by_label(pairs.iter().map(|(there, _)| (rendered(published(there).as_ref()), &*there.label))));
            ours.push(by_label(pairs.iter().map(|(_, here)| (rendered(row(here)), &*here.header.label))));
        }
        let conditions: IndexMap<&str, ()> =
            pairs.iter().filter_map(|(_, row)| Some((row.header.condition.as_deref()?, ()))).collect();
        if !theirs.is_empty() {
            ours.extend(conditions.keys().map(|condition| condition.to_string()));
        }
        (!theirs.is_empty()).then(|| (theirs.join(", "), ours.join(", ")))
    }
}

/// Most labels listed as exceptions; more are only counted.
const NAMED: usize = 3;

/// The value of most rows, and the labels of the exceptions.
fn by_label<'a>(values: impl Iterator<Item = (String, &'a str)>) -> String {
    let mut labels: IndexMap<String, Vec<&str>> = IndexMap::new();
    for (value, label) in values {
        let known = labels.entry(value).or_default();
        if !known.contains(&label) {
            known.push(label);
        }
    }
    // Ties keep their order.
    labels.sort_by(|_, some, _, others| others.len().cmp(&some.len()));
    let exception = |(value, labels): (&String, &Vec<&str>)| {
        let named = match labels.len().saturating_sub(NAMED) {
            0 => labels.join(", "),
            more => format!("{} and {more} more", labels[..NAMED].join(", ")),
        };
        format!("{value}: {named}")
    };
    let exceptions: Vec<String> = labels.iter().skip(1).map(exception).collect();
    let first = labels.keys().next().cloned().unwrap_or_default();
    if exceptions.is_empty() { first } else { format!("{first} ({})", exceptions.join("; ")) }
}
