//! What a page shows without its script: the text, options, keywords and verdict of each prompt.

use serde::Serialize;

use crate::attend::results::{Case, Document, OptionRecord};
use crate::page::words::Said;

/// A prompt as the template of the page shows it.
#[derive(Serialize)]
pub struct PlainCase<'a> {
    heading: String,
    model: &'a str,
    language: &'a str,
    verdict: String,
    conclusion: &'a [Said],
    /// Names of parts with their text.
    parts: Vec<(&'a str, &'a str)>,
    options: Vec<PlainOption<'a>>,
    /// The first keywords of the answer position with their weights in percent.
    keywords: Vec<(&'a str, String)>,
}

#[derive(Serialize)]
struct PlainOption<'a> {
    label: &'a str,
    text: &'a str,
    logprob: String,
    remark: &'static str,
}

/// All prompts that a document holds.
pub fn plain_cases(document: &Document) -> Vec<PlainCase<'_>> {
    document.cases.iter().map(|case| plain_case(case, document)).collect()
}

fn plain_case<'a>(case: &'a Case, document: &'a Document) -> PlainCase<'a> {
    let ranking = case.rows.iter().take(1).flat_map(|row| &row.ranking).take(document.settings.top);
    let parts = case.parts.iter().map(|part| (part.name.as_str(), case.text[part.start..part.end].trim()));
    PlainCase {
        heading: case.heading(),
        model: document.models.get(case.model).map_or("", |model| model.name.as_str()),
        language: case.language.code(),
        verdict: case.verdict(),
        conclusion: case.conclusion.as_ref().map_or(&[][..], |found| found.sentences.as_slice()),
        parts: parts.filter(|(_, text)| !text.is_empty()).collect(),
        options: case.options.iter().map(plain_option).collect(),
        keywords: ranking.map(|word| (word.text.as_str(), format!("{:.1}", 100.0 * word.weight))).collect(),
    }
}

fn plain_option(option: &OptionRecord) -> PlainOption<'_> {
    PlainOption {
        label: &option.label,
        text: &option.text,
        logprob: option.logprob.map_or("-".to_string(), |logprob| format!("{logprob:.2}")),
        remark: option.remark(),
    }
}
