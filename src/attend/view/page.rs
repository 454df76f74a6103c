//! One self-contained HTML page: the document, its style and its script in one file that makes no network requests.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use indexmap::IndexMap;
use serde::Serialize;
use serde_json::{Value, json};

use super::caption::read_from;
use crate::attend::prompts::{Merge, WordKind};
use crate::attend::results::{
    CONTRIBUTIONS_CAVEAT, Case, Conclusion, DIFFERENCES_CAVEAT, Document, HeadsMap, Measure, QueryRecord, ROLES_CAVEAT,
    RolesRecord, TOP_HEADS_CAVEAT, WordMass,
};
use crate::attend::words::{Scope, has_function_words, is_stop_word, key};
use crate::canary::CANARY;
use crate::page::{DataElement, Page, PageError};

/// Most values of one row stored in full in a page; larger rows store only means over heads and over layers.
const FULL_ROW: usize = 1 << 20;
/// Most values of all rows together stored in full in a page.
pub const FULL_PAGE: usize = 8 << 20;

/// Renders the page. It holds the mass of every layer and head on parts and words, from which its script computes each
/// view.
pub fn html(document: &Document) -> Result<String, PageError> {
    render(document, &page_data(document), false)
}

/// Renders the page with these data; `beside` if its prompts are stored in files beside it.
pub(super) fn render(document: &Document, data: &Value, beside: bool) -> Result<String, PageError> {
    let page = Page {
        title: &document.title,
        program: &document.program,
        css: include_str!("page.css"),
        script: concat!(
            include_str!("../../page/beside.js"),
            include_str!("../../page/export.js"),
            include_str!("numbers.js"),
            include_str!("inside.js"),
            include_str!("overview.js"),
            include_str!("export.js"),
            include_str!("list.js"),
            include_str!("address.js"),
            include_str!("query.js"),
            include_str!("matters.js"),
            include_str!("page.js")
        ),
        data: &[DataElement::json("data", data)?],
        beside,
    };
    let (title, departures) = (&document.title, &document.departures);
    let context = minijinja::context! { title, departures, program => document.program, canary => CANARY };
    page.render(include_str!("page.html"), context)
}

/// Data for the page's script.
pub(super) fn page_data(document: &Document) -> Value {
    let whole: usize = document.cases.iter().flat_map(|case| &case.rows).map(QueryRecord::full_values).sum();
    let full = |row: &QueryRecord| row.full_values() <= FULL_ROW && whole <= FULL_PAGE;
    let settings = &document.settings;
    json!({
        "title": document.title,
        "program": document.program,
        "canary": CANARY,
        "method": method(document),
        "caveat": settings.measure.caveat(),
        "settings": {
            "measure": settings.measure.name(),
            "top": settings.top,
            "scope": scope_name(settings.keywords.scope),
            "layers": settings.layers.to_string(),
            "heads": settings.heads.to_string(),
            "keep_sink": settings.keywords.keep_sink,
            "repeats_together": settings.keywords.repeats,
            "drop_stop_words": settings.keywords.drop_stop_words,
        },
        "models": document.models,
        "notes": document.notes,
        "contrasts": document.contrasts,
        "groups": document.groups,
        "shifts": document.shifts,
        "differences": document.differences,
        "languages": languages(document),
        "findings": document.findings,
        "caveats": { "differences": DIFFERENCES_CAVEAT, "roles": ROLES_CAVEAT, "contributions": CONTRIBUTIONS_CAVEAT, "strongest": TOP_HEADS_CAVEAT },
        "cases": document.cases.iter().map(|case| with_conclusion(case_data(case, document, &full), case.conclusion.as_ref())).collect::<Vec<_>>(),
    })
}

/// Names of the languages of word lists, by code.
fn languages(document: &Document) -> IndexMap<&'static str, &'static str> {
    let of_groups = document.groups.iter().flat_map(|group| &group.keywords).map(|recurring| recurring.language);
    let of_shifts = document.shifts.iter().map(|shift| shift.language);
    let of_views = document.findings.sensitivity.iter().map(|view| view.language);
    of_groups.chain(of_shifts).chain(of_views).map(|language| (language.code(), language.name())).collect()
}

/// Describes in one sentence how the weights were computed.
fn method(document: &Document) -> String {
    let settings = &document.settings;
    let merge = if settings.keywords.merge == Merge::Mean { "averaged" } else { "added up" };
    let counted = match settings.measure {
        Measure::Attention | Measure::Value => " (counted from 0)",
        Measure::Rollout | Measure::Occlusion => "",
    };
    format!("Measure: {}{counted}. Subwords {merge} to words.", read_from(settings))
}

fn scope_name(scope: Scope) -> &'static str {
    match scope {
        Scope::Story => "the story",
        Scope::StoryAndQuestion => "story and question",
        Scope::Options => "the options",
        Scope::Everything => "the whole prompt",
    }
}

/// Data of a prompt with its conclusion, which a folder's page has in its own data and not in the files beside it.
pub(super) fn with_conclusion(mut data: Value, conclusion: Option<&Conclusion>) -> Value {
    data["conclusion"] = json!(conclusion);
    data
}

/// Page data of a prompt; `document` gives the way tokens were merged.
pub(super) fn case_data(case: &Case, document: &Document, full: &dyn Fn(&QueryRecord) -> bool) -> Value {
    let words: Vec<Value> = (0..case.words.len())
        .map(|index| {
            let word = &case.words[index];
            let mut rendered =
                json!([case.word_text(index), word.kind as usize, word.part.map_or(-1, |part| part as i64)]);
            if word.kind == WordKind::Word && is_stop_word(&key(case.word_text(index)), case.language) {
                rendered.as_array_mut().into_iter().for_each(|rendered| rendered.push(json!(1)));
            }
            rendered
        })
        .collect();
    let question = case.parts.iter().find(|part| part.name == "question");
    json!({
        "item": case.item,
        "variant": case.variant,
        "model": case.model,
        "language": case.language,
        "language_name": case.language.name(),
        "lists_function_words": has_function_words(case.language),
        "facets": case.facets,
        "right": case.right,
        "verdict": case.verdict(),
        "question": question.map_or("", |part| &case.text[part.start..part.end]),
        "parts": case.parts.iter().map(|part| json!([part.name, part.in_scope])).collect::<Vec<_>>(),
        "words": words,
        "tokens_per_word": (document.settings.keywords.merge == Merge::Mean).then(|| tokens_per_word(case)),
        "options": case.options,
        "humans": case.humans,
        "deletion": case.deletion,
        "orders": case.orders,
        "knocked_out": case.knocked_out,
        "lens": case.lens,
        "roles": case.roles.as_ref().map(without_heads),
        "contributions": case.contributions,
        "sensitivity": case.sensitivity,
        "strongest": case.strongest,
        "rows": case.rows.iter().map(|row| row_data(row, case, full(row))).collect::<Vec<_>>(),
    })
}

/// Roles as displayed on the page: the mass of single heads is only in the document.
fn without_heads(roles: &RolesRecord) -> RolesRecord {
    let mut roles = roles.clone();
    roles.roles.iter_mut().for_each(|role| role.heads.clear());
    roles
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

/// The heads of a row with the mass on each part and word, or with means on words unless `full`.
fn map_of(row: &QueryRecord, case: &Case, full: bool) -> Option<Value> {
    if full || row.full_values() == 0 {
        return row.heads_map.as_ref().and_then(|map| map_data(map, row, case));
    }
    let mut means = row.clone();
    means.condense();
    means.heads_map.as_ref().and_then(|map| map_data(map, &means, case))
}

/// The heads of a row for a page of many prompts: the mass of each on the parts, and means on words.
pub fn stored_map(row: &QueryRecord, case: &Case) -> Option<Value> {
    map_of(row, case, false)
}

/// Tables with one line per head, or per layer or head if they hold means. Columns of `account` are the first token,
/// other tokens without text, and the parts by name; columns of `words` are the ranked words in text order, and columns
/// of `others` all other visible words, which the page shows only in the map.
fn map_data(map: &HeadsMap, row: &QueryRecord, case: &Case) -> Option<Value> {
    let mut ranked: Vec<usize> = row.ranking.iter().flat_map(|word| word.words.iter().copied()).collect();
    ranked.sort_unstable();
    let other = |&index: &usize| case.words[index].kind != WordKind::Space && ranked.binary_search(&index).is_err();
    let others: Vec<usize> = (0..case.words.len()).filter(other).collect();
    let width = case.words.len();
    let table =
        |words: &[f32], columns: &[usize], bytes| Table::new(&picked(words, width, columns), columns.len(), bytes);
    let (kind, tables) = match &map.words {
        WordMass::Absent => return None,
        WordMass::Full(words) => {
            ("full", json!({ "words": table(words, &ranked, FINE), "others": table(words, &others, COARSE) }))
        }
        WordMass::Means { layers, heads } => {
            ("means", json!({ "layers": table(layers, &ranked, FINE), "heads": table(heads, &ranked, FINE) }))
        }
    };
    let (names, account) = account_by_name(map, case);
    let mut data = json!({
        "kind": kind,
        "layers": map.layers,
        "heads": map.heads,
        "entropy": map.entropy_bits.iter().copied().map(short).collect::<Vec<_>>(),
        "columns": names,
        "tables": tables,
    });
    data["tables"]["account"] = json!(Table::new(&account, names.len(), MIDDLE));
    Some(data)
}

/// Selects columns of lines of `width` values.
fn picked(values: &[f32], width: usize, columns: &[usize]) -> Vec<f32> {
    values.chunks(width.max(1)).flat_map(|line| columns.iter().map(|&column| line[column])).collect()
}

/// The account of a map, with parts of the same name added up.
fn account_by_name<'a>(map: &HeadsMap, case: &'a Case) -> (Vec<&'a str>, Vec<f32>) {
    let mut names: Vec<&str> = vec!["first", "special"];
    let mut place = vec![0, 1];
    for part in &case.parts {
        let at = names[2..].iter().position(|name| *name == part.name).map_or(names.len(), |at| at + 2);
        if at == names.len() {
            names.push(&part.name);
        }
        place.push(at);
    }
    let merge = |line: &[f32]| {
        let mut sums = vec![0.0f64; names.len()];
        line.iter().zip(&place).for_each(|(value, &at)| sums[at] += f64::from(*value));
        sums.into_iter().map(|sum| sum as f32).collect::<Vec<f32>>()
    };
    let account = map.account.chunks(place.len()).flat_map(merge).collect();
    (names, account)
}

/// Bytes of a value used in computations: off by at most 6e-8 of the geometric mean of it and its line's largest.
const FINE: u32 = 3;
/// Bytes of a part's share: off by at most 2e-5.
const MIDDLE: u32 = 2;
/// Bytes of a value used only to colour a cell of the map: off by at most 0.4 % of its line's largest.
const COARSE: u32 = 1;

/// Lines of values as integers `q`, the most significant byte first: `(q / most)^2` of the line's largest value, where
/// `most` is the largest integer of that many bytes. The square root preserves small values beside a large one.
#[derive(Debug, Serialize)]
struct Table {
    bytes: u32,
    /// The largest value of each line.
    top: Vec<f64>,
    /// Base64 of the cells.
    cells: String,
}

impl Table {
    fn new(values: &[f32], width: usize, bytes: u32) -> Table {
        let most = f64::from((1u32 << (8 * bytes)) - 1);
        let (mut top, mut cells) = (Vec::new(), Vec::with_capacity(values.len() * bytes as usize));
        for line in values.chunks(width.max(1)) {
            let largest = line.iter().copied().fold(0.0f32, f32::max);
            top.push(shortest(largest));
            for &value in line {
                let share = if largest > 0.0 { f64::from(value.max(0.0)) / f64::from(largest) } else { 0.0 };
                let cell = (most * share.sqrt()).round() as u32;
                cells.extend_from_slice(&cell.to_be_bytes()[4 - bytes as usize..]);
            }
        }
        Table { bytes, top, cells: BASE64.encode(cells) }
    }
}

/// The shortest decimal number that rounds to this f32 value.
fn shortest(value: f32) -> f64 {
    value.to_string().parse().unwrap_or(0.0)
}

/// Rounds to five significant digits.
fn short(value: f32) -> f64 {
    format!("{value:.4e}").parse().unwrap_or(0.0)
}

/// Number of tokens, with fractions, in each word.
fn tokens_per_word(case: &Case) -> Vec<f64> {
    let mut counts = vec![0.0; case.words.len()];
    for token in &case.tokens {
        let overlaps: Vec<(usize, usize)> = case
            .words
            .iter()
            .enumerate()
            .filter(|(_, word)| !matches!(word.kind, WordKind::Space | WordKind::Special))
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

    /// Decodes a table as the page does.
    fn values(table: &Table, width: usize) -> Vec<f64> {
        let bytes = table.bytes as usize;
        let most = f64::from((1u32 << (8 * bytes)) - 1);
        let cells = BASE64.decode(&table.cells).unwrap();
        let whole = cells.chunks(bytes).map(|cell| cell.iter().fold(0u32, |sum, &byte| sum << 8 | u32::from(byte)));
        whole.enumerate().map(|(index, cell)| (f64::from(cell) / most).powi(2) * table.top[index / width]).collect()
    }

    #[test]
    fn stored_values_are_within_the_stated_error() {
        // Two lines over seven orders of magnitude.
        let line: Vec<f32> = (0..1000).map(|value| 10f32.powf(-7.0 * (value % 500) as f32 / 500.0)).collect();
        for (bytes, error) in [(FINE, 6e-8), (MIDDLE, 1.6e-5), (COARSE, 0.004)] {
            for (value, back) in line.iter().zip(values(&Table::new(&line, 500, bytes), 500)) {
                // The square of half a step adds to the error.
                let allowed = error * f64::from(*value).sqrt() + 5e-6f64.min(error * error) + 1e-9 * f64::from(*value);
                assert!(
                    (back - f64::from(*value)).abs() <= 2.0 * allowed,
                    "{bytes} bytes: {value} came back as {back}"
                );
            }
        }
        let zeros = Table::new(&[0.0, 0.0], 2, FINE);
        assert_eq!((values(&zeros, 2), zeros.top), (vec![0.0, 0.0], vec![0.0]));
    }

    #[test]
    fn the_account_has_every_part_of_every_head() {
        let document = document();
        let (case, row) = (&document.cases[0], &document.cases[0].rows[0]);
        let (names, account) = account_by_name(row.heads_map.as_ref().unwrap(), case);
        assert_eq!(names, ["first", "special", "template", "story", "question", "option A"]);
        // Layer 1, the averaged one, has two heads.
        let mean = |column: usize| (account[2 * names.len() + column] + account[3 * names.len() + column]) / 2.0;
        let template: f64 =
            case.parts.iter().zip(&row.parts).filter(|(part, _)| part.name == "template").map(|(_, share)| share).sum();
        assert!((f64::from(mean(2)) - template).abs() < 1e-6);
        assert!((f64::from(mean(0)) - row.sink).abs() < 1e-6);
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
        assert_eq!(data["map"]["kind"], "means");
        let map = row.heads_map.as_ref().unwrap();
        let lines = |table: &str| data["map"]["tables"][table]["top"].as_array().unwrap().len();
        assert_eq!((lines("layers"), lines("heads")), (map.layers.len(), map.heads));
        assert_eq!(lines("account"), map.layers.len() * map.heads, "parts are kept of every head");
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
