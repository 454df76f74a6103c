//! One self-contained HTML page: the document, its style and its script in one file that asks the network for nothing.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value, json};

use crate::attend::Document;
use crate::attend::document::{Case, HeadsMap, QueryRecord, WordMass};
use crate::canary::CANARY;
use crate::page::{DataElement, Page, PageError};

/// Values of one row that may go into a page in full; beyond it, only means over heads and over layers do.
const FULL_ROW: usize = 1 << 20;
/// Values of all rows together that may go into a page in full.
pub const FULL_PAGE: usize = 8 << 20;

/// The page. It holds exact weights for the layers and heads asked for; those of single layers and heads are quantised.
pub fn html(document: &Document) -> Result<String, PageError> {
    let page = Page {
        title: &document.title,
        program: &document.program,
        css: include_str!("page.css"),
        script: include_str!("page.js"),
        data: &[DataElement::json("data", &page_data(document))?],
        beside: false,
    };
    let (title, departures) = (&document.title, &document.departures);
    let context = minijinja::context! { title, departures, program => document.program, canary => CANARY };
    page.render(include_str!("page.html"), context)
}

fn page_data(document: &Document) -> Value {
    let whole: usize = document.cases.iter().flat_map(|case| &case.rows).map(QueryRecord::full_values).sum();
    let full = |row: &QueryRecord| row.full_values() <= FULL_ROW && whole <= FULL_PAGE;
    let settings = &document.settings;
    json!({
        "title": document.title,
        "program": document.program,
        "method": method(document),
        "caveat": settings.measure.caveat(),
        "precision": "Weights for the layers and heads as asked are exact. Those of other layers and heads are kept as \
            8-bit values on a square-root scale, each head relative to its largest word (off by at most 0.4 % of that); \
            exact ones are in the safetensors file.",
        "settings": {
            "top": settings.top,
            "scope": scope_name(&settings.scope),
            "layers": settings.layers,
            "heads": settings.heads,
            "keep_sink": settings.keep_sink,
            "repeats_together": settings.repeats_together,
        },
        "models": document.models,
        "notes": document.notes,
        "contrasts": document.contrasts,
        "groups": document.groups,
        "shifts": document.shifts,
        "cases": document.cases.iter().map(|case| case_data(case, document, &full)).collect::<Vec<_>>(),
    })
}

/// How the weights came about, in one sentence.
fn method(document: &Document) -> String {
    let settings = &document.settings;
    let averaged = document.cases.iter().flat_map(|case| &case.rows).find(|row| !row.layers.is_empty());
    let layers = match averaged.map(|row| (&row.layers, row.heads.len())) {
        Some((layers, heads)) => {
            let (first, last) = (layers[0], layers[layers.len() - 1]);
            format!(", mean over {heads} heads of layers {first} to {last} (counted from 0)")
        }
        None => String::new(),
    };
    let merge = if settings.merge == "mean" { "averaged" } else { "added up" };
    format!("Measure: {}{layers}. Subwords {merge} to words.", settings.measure.name())
}

fn scope_name(scope: &str) -> &str {
    match scope {
        "story" => "the story",
        "story+question" => "story and question",
        "options" => "the options",
        _ => "the whole prompt",
    }
}

fn case_data(case: &Case, document: &Document, full: &dyn Fn(&QueryRecord) -> bool) -> Value {
    let words: Vec<Value> = (0..case.words.len())
        .map(|index| {
            let word = &case.words[index];
            let kind = ["word", "mark", "space", "special"].iter().position(|kind| *kind == word.kind).unwrap_or(3);
            json!([case.word_text(index), kind, word.part.map_or(-1, |part| part as i64)])
        })
        .collect();
    let question = case.parts.iter().find(|part| part.name == "question");
    json!({
        "item": case.item,
        "variant": case.variant,
        "model": case.model,
        "language": case.language,
        "language_name": case.language.name(),
        "facets": case.facets,
        "right": case.right,
        "verdict": case.verdict(),
        "question": question.map_or("", |part| &case.text[part.start..part.end]),
        "parts": case.parts.iter().map(|part| json!([part.name, part.in_scope])).collect::<Vec<_>>(),
        "words": words,
        "tokens_per_word": (document.settings.merge == "mean").then(|| tokens_per_word(case)),
        "options": case.options,
        "humans": case.humans,
        "deletion": case.deletion,
        "rows": case.rows.iter().map(|row| row_data(row, case, full(row))).collect::<Vec<_>>(),
    })
}

fn row_data(row: &QueryRecord, case: &Case, full: bool) -> Value {
    json!({
        "query": row.query,
        "layers": row.layers,
        "heads": row.heads,
        "weights": row.weights,
        "ranking": row.ranking,
        "sink": row.sink,
        "special": row.special,
        "parts": row.parts,
        "entropy_bits": row.entropy_bits,
        "half_way": row.half_way,
        "tenths": row.tenths,
        "drops": (!row.drops.is_empty()).then_some(&row.drops),
        "map": map_of(row, case, full),
    })
}

/// The heads of a row with the mass on each word, or its means where it is not to be `full`.
fn map_of(row: &QueryRecord, case: &Case, full: bool) -> Option<Value> {
    if full || row.full_values() == 0 {
        return row.heads_map.as_ref().and_then(|map| map_data(map, case));
    }
    let mut means = row.clone();
    means.condense();
    means.heads_map.as_ref().and_then(|map| map_data(map, case))
}

fn map_data(map: &HeadsMap, case: &Case) -> Option<Value> {
    let (kind, tables) = match &map.words {
        WordMass::Absent => return None,
        WordMass::Full(words) => ("full", vec![("full", words)]),
        WordMass::Means { layers, heads } => ("margins", vec![("layers", layers), ("heads", heads)]),
    };
    // White space holds next to nothing and is never shown.
    let kept: Vec<usize> = (0..case.words.len()).filter(|&index| case.words[index].kind != "space").collect();
    let mut data = json!({
        "kind": kind,
        "layers": map.layers,
        "heads": map.heads,
        "words": kept,
        "sink": short(&map.sink),
        "entropy": short(&map.entropy_bits),
        "scope": short(&map.scope),
    });
    for (name, words) in tables {
        let lines = words.chunks(case.words.len().max(1));
        let (top, cells): (Vec<f32>, Vec<Vec<u8>>) =
            lines.map(|line| quantise(&kept.iter().map(|&word| line[word]).collect::<Vec<f32>>())).unzip();
        data["top"][name] = json!(short(&top));
        data["q"][name] = json!(BASE64.encode(cells.concat()));
    }
    Some(data)
}

/// The largest value and all values as `(q / 255)^2` of it.
fn quantise(line: &[f32]) -> (f32, Vec<u8>) {
    let top = line.iter().copied().fold(0.0f32, f32::max);
    let cell = |value: &f32| if top > 0.0 { (255.0 * (value.max(0.0) / top).sqrt()).round() as u8 } else { 0 };
    (top, line.iter().map(cell).collect())
}

/// Five significant digits.
fn short(values: &[f32]) -> Vec<f64> {
    values.iter().map(|value| format!("{value:.4e}").parse().unwrap_or(0.0)).collect()
}

/// How many tokens, in fractions, each word is made of.
fn tokens_per_word(case: &Case) -> Vec<f64> {
    let mut counts = vec![0.0; case.words.len()];
    for token in &case.tokens {
        let overlaps: Vec<(usize, usize)> = case
            .words
            .iter()
            .enumerate()
            .filter(|(_, word)| word.kind != "space" && word.kind != "special")
            .map(|(index, word)| (index, word.end.min(token.end).saturating_sub(word.start.max(token.start))))
            .filter(|(_, bytes)| *bytes > 0)
            .collect();
        let total: usize = overlaps.iter().map(|(_, bytes)| bytes).sum();
        for (word, bytes) in overlaps {
            counts[word] += bytes as f64 / total as f64;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::super::examples::document;
    use super::*;

    #[test]
    fn quantised_values_are_within_the_stated_error() {
        let line: Vec<f32> = (0..1000).map(|value| value as f32 / 7000.0).collect();
        let (top, cells) = quantise(&line);
        for (value, cell) in line.iter().zip(cells) {
            let back = (f32::from(cell) / 255.0).powi(2) * top;
            assert!((back - value).abs() <= 0.004 * top, "{value} came back as {back}");
        }
        assert_eq!(quantise(&[0.0, 0.0]), (0.0, vec![0, 0]));
    }

    #[test]
    fn the_page_stands_alone() {
        let mut document = document();
        document.title = "<b>".into();
        let page = html(&document).unwrap();
        assert!(page.contains("&lt;b&gt;"));
        for address in ["http:", "https:", "url(", "@import", "fetch(", "XMLHttpRequest"] {
            assert!(!page.replace("http://www.w3.org/2000/svg", "").contains(address), "{address}");
        }
    }

    /// The JSON of a page, as a browser reads it: an element of data ends at the first `</script`.
    fn data_of(page: &str) -> Value {
        let start = page.find(r#"id="data">"#).unwrap() + r#"id="data">"#.len();
        let end = start + page[start..].find("</script").unwrap();
        assert!(!page[start..end].contains('<'), "no text can begin a tag or a comment");
        serde_json::from_str(&page[start..end]).unwrap()
    }

    #[test]
    fn hostile_text_stays_text() {
        for text in
            ["<!--", "<!-- <script>", "</script><script>alert(1)</script>", "</SCRIPT >", "<\\/script>", "]]>\u{2028}"]
        {
            let mut document = document();
            document.title = text.into();
            document.notes.push(text.into());
            document.departures.push(text.into());
            document.models[0].name = text.into();
            document.cases[0].item = text.into();
            document.cases[0].options[0].text = text.into();
            document.cases[0].facets.insert(text.into(), text.into());
            let page = html(&document).unwrap();
            let data = data_of(&page);
            let case = &data["cases"][0];
            for found in
                [&data["title"], &data["notes"][0], &data["models"][0]["name"], &case["item"], &case["facets"][text]]
            {
                assert_eq!(found, text);
            }
            assert_eq!(case["options"][0]["text"], text);
            let plain = html(&super::super::examples::document()).unwrap();
            for tag in ["<script", "</script", "<!--"] {
                let count = |page: &str| page.to_lowercase().matches(tag).count();
                assert_eq!(count(&page), count(&plain), "{tag} of {text:?}");
            }
        }
    }

    #[test]
    fn large_rows_keep_means_only() {
        let document = document();
        let row = &document.cases[0].rows[0];
        let data = row_data(row, &document.cases[0], false);
        assert_eq!(data["map"]["kind"], "margins");
        let map = row.heads_map.as_ref().unwrap();
        assert_eq!(data["map"]["top"]["layers"].as_array().unwrap().len(), map.layers.len());
        assert_eq!(data["map"]["top"]["heads"].as_array().unwrap().len(), map.heads);
        assert_eq!(row_data(row, &document.cases[0], true)["map"]["kind"], "full");
    }

    #[test]
    fn data_read_back_from_the_page_equals_the_document() {
        let document = document();
        let data = data_of(&html(&document).unwrap());
        let row = &document.cases[0].rows[0];
        assert_eq!(data["cases"][0]["rows"][0]["weights"], json!(row.weights));
        let words: String =
            data["cases"][0]["words"].as_array().unwrap().iter().map(|word| word[0].as_str().unwrap()).collect();
        assert_eq!(words, document.cases[0].text);
    }
}
