//! The page of an analysis in a folder: a table of all prompts in the page itself, and the data of each prompt in files
//! beside it, which the page loads when a prompt is opened.

use serde_json::{Value, json};

use super::page::{case_data, page_data, render, with_conclusion};
use crate::attend::results::{Basis, Case, ContrastRecord, Document, conclusions};
use crate::attend::witness::StripChances;
use crate::canary::CANARY;
use crate::page::{PageError, chunk_file, chunk_name, packed};

/// Bytes of JSON after which a file beside the page ends at the next item.
const FULL: usize = 1 << 20;

/// Keywords of each prompt in the table.
const WORDS: usize = 5;

/// Builds a page: items are added one by one, and little of each stays in memory.
pub struct FolderPage {
    /// The analysis; its settings are used.
    head: Document,
    /// Table data of each prompt.
    cases: Vec<Value>,
    /// What the conclusion of each prompt looks at.
    bases: Vec<Option<Basis>>,
    /// Number of the first prompt of each file.
    firsts: Vec<usize>,
    /// Prompts and comparisons of the current file, as JSON.
    open: (Vec<String>, Vec<String>),
    bytes: usize,
}

impl FolderPage {
    /// Creates a page without items.
    pub fn new(head: &Document) -> Self {
        FolderPage {
            head: head.clone(),
            cases: Vec::new(),
            bases: Vec::new(),
            firsts: vec![0],
            open: Default::default(),
            bytes: 0,
        }
    }

    /// Adds the prompts of an item, with the stored maps of their queries and the comparisons between them. Returns the
    /// name and text of a file beside the page when one is full.
    pub fn add(
        &mut self,
        cases: &[Case],
        maps: &[Vec<Option<Value>>],
        contrasts: &[ContrastRecord],
    ) -> Result<Option<(String, String)>, PageError> {
        let full = if self.bytes > FULL { Some(self.end()?) } else { None };
        let first = self.cases.len();
        for (case, maps) in cases.iter().zip(maps) {
            let mut data = case_data(case, &self.head, &|_| true);
            set_maps(&mut data, maps);
            let text = serde_json::to_string(&data)?;
            self.bytes += text.len();
            self.open.0.push(text);
            self.cases.push(summary(case));
            self.bases.push(Basis::new(case, self.head.settings.keywords));
        }
        for contrast in contrasts {
            self.open.1.push(serde_json::to_string(&contrast.after(first))?);
        }
        Ok(full)
    }

    /// Name and text of the last file; `None` without prompts.
    pub fn last(&mut self) -> Result<Option<(String, String)>, PageError> {
        if self.open.0.is_empty() {
            self.firsts.pop();
            return Ok(None);
        }
        let last = self.end()?;
        self.firsts.pop();
        Ok(Some(last))
    }

    /// Ends the current file and starts another.
    fn end(&mut self) -> Result<(String, String), PageError> {
        let (cases, contrasts) = std::mem::take(&mut self.open);
        let number = self.firsts.len() - 1;
        let data = packed(&format!("{{\"cases\":[{}],\"contrasts\":[{}]}}", cases.join(","), contrasts.join(",")))?;
        self.firsts.push(self.cases.len());
        self.bytes = 0;
        Ok((chunk_name(number), chunk_file(number, &data, CANARY)))
    }

    /// Renders the page, after [`FolderPage::last`]. `document` has the groups, `folder` is the name of the folder of
    /// the files beside the page, `failures` are items with their errors, and `strips` what is known of each prompt's strip
    /// beside the others.
    pub fn html(
        self,
        document: &Document,
        failures: &[(String, String)],
        strips: &[StripChances],
        folder: &str,
    ) -> Result<String, PageError> {
        let mut data = page_data(document);
        let of_cases = self.cases.into_iter().zip(conclusions(&self.bases));
        data["cases"] = of_cases.map(|(case, found)| with_conclusion(case, found.as_ref())).collect();
        for (case, strip) in data["cases"].as_array_mut().into_iter().flatten().zip(strips) {
            if !strip.each.is_empty() {
                case["chances"] = json!(strip);
            }
        }
        data["beside"] = json!({ "folder": folder, "firsts": self.firsts });
        data["failures"] = json!(failures);
        render(document, data, true)
    }
}

/// Renders a page of one file with the prompts of a document whose cases come from a folder, where the maps of their
/// queries are stored beside them.
pub fn html_of_stored(document: &Document, maps: &[Vec<Option<Value>>]) -> Result<String, PageError> {
    let mut data = page_data(document);
    maps.iter().enumerate().for_each(|(case, maps)| set_maps(&mut data["cases"][case], maps));
    render(document, data, false)
}

/// Sets the map of each query of a prompt.
fn set_maps(case: &mut Value, maps: &[Option<Value>]) {
    for (row, map) in maps.iter().enumerate() {
        case["rows"][row]["map"] = map.clone().unwrap_or_default();
    }
}

/// Data of a prompt for the table and the list.
fn summary(case: &Case) -> Value {
    let labels = |wanted: fn(&crate::attend::results::OptionRecord) -> bool| {
        case.options.iter().filter(|option| wanted(option)).map(|option| option.label.as_str()).collect::<Vec<_>>()
    };
    let words = case.rows.first().map_or(&[][..], |row| &row.ranking);
    json!({
        "item": case.item,
        "variant": case.variant,
        "model": case.model,
        "language": case.language,
        "language_name": case.language.name(),
        "facets": case.facets,
        "right": case.right,
        "gold": labels(|option| option.gold),
        "chosen": labels(|option| option.chosen),
        "label_mass": case.label_mass(),
        "overlap": case.mean_over_readers(|human| human.overlap),
        "fall": case.deletion.as_ref().map(|check| check.without.fall),
        "p": case.deletion.as_ref().map(|check| check.without.p),
        "flips": case.deletion.as_ref().map(|check| check.without.flips),
        "words": words.iter().take(WORDS).map(|word| word.text.as_str()).collect::<Vec<_>>(),
    })
}
