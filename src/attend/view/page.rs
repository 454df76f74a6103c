//! One self-contained HTML page: the document, its style and its script in one file that makes no network requests.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use indexmap::IndexMap;
use serde_json::{Value, json};

use super::caption::read_from;
use super::plain::plain_cases;
use super::stored_table::{Precision, StoredTable, short};
use crate::attend::prompts::{Merge, PartKind, WordKind};
use crate::attend::results::{
    COLOURS, CONTRIBUTIONS_CAVEAT, Case, Conclusion, DIFFERENCES_CAVEAT, Document, HeadsMap, Measure, QueryRecord,
    ROLES_CAVEAT, RolesRecord, TOP_HEADS_CAVEAT, WITNESS_CAVEAT, WitnessRecord, WordAttention, WordMass,
};
use crate::attend::words::{Scope, has_function_words, is_stop_word, key};
use crate::canary::CANARY;
use crate::figure::{Theme, patterns};
use crate::page::words::Said;
use crate::page::{DataElement, Page, PageError, Script, packed, packed_bytes};

/// Most values of one row stored in full in a page; larger rows store only means over heads and over layers.
const FULL_ROW: usize = 1 << 20;
/// Most values of all rows together stored in full in a page.
pub const FULL_PAGE: usize = 8 << 20;

/// Renders the page. It holds the mass of every layer and head on parts and words, from which its script computes each
/// view.
pub fn html(document: &Document) -> Result<String, PageError> {
    render(document, page_data(document), false)
}

/// Renders the page with these data; `beside` if its prompts are stored in files beside it. The parts of its script read
/// the data as they start, so `start.js` unpacks it before them.
pub(super) fn render(document: &Document, mut data: Value, beside: bool) -> Result<String, PageError> {
    let mut cells = Vec::new();
    take_cells(&mut data, &mut cells);
    let elements =
        [DataElement::packed("data", packed(&data.to_string())?), DataElement::packed("cells", packed_bytes(&cells)?)];
    let page = Page {
        title: &document.title,
        program: &document.program,
        css: include_str!("page.css"),
        script: Script::Packed { script: SCRIPT, own: &Value::Null, start: include_str!("start.js") },
        data: &elements,
        beside,
    };
    let (title, departures) = (&document.title, &document.departures);
    let cases = plain_cases(document);
    let context =
        minijinja::context! { title, departures, cases, beside, program => document.program, canary => CANARY };
    page.render(include_str!("page.html"), context)
}

/// Script of the page; its parts read the data as they start.
const SCRIPT: &str = concat!(
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
    include_str!("witness.js"),
    include_str!("page.js")
);

/// Moves the cells of all tables to one list, which packs better as bytes than as text; their number stays.
fn take_cells(value: &mut Value, cells: &mut Vec<u8>) {
    match value {
        Value::Object(fields) => {
            // Only tables have a number of bytes: names in an item's data can be any.
            let is_table = fields.get("bytes").is_some_and(Value::is_u64);
            let own = fields.get_mut("cells").filter(|_| is_table);
            if let Some((own, taken)) = own.and_then(|own| Some((BASE64.decode(own.as_str()?).ok()?, own))) {
                *taken = json!(own.len());
                cells.extend(own);
            }
            fields.values_mut().for_each(|value| take_cells(value, cells));
        }
        Value::Array(values) => values.iter_mut().for_each(|value| take_cells(value, cells)),
        _ => {}
    }
}

/// Data for the page's script.
///
/// `cases[]` are the prompts. `words` of a case are `[text, kind, part]`, or `[text, kind, part, 1]` for a function word
/// by the list of its language; kinds are 0 a word, 1 a mark, 2 white space, 3 a token without text; `part` indexes
/// `parts`, pairs of a name and whether keywords come from it.
///
/// `rows[]` of a case are its queries, with the numbers of the document as they are: `ranking` holds the words that
/// compete, so no function words where `settings.drop_stop_words`. `map` holds what the script computes other layers and
/// heads from, in tables of [`StoredTable`]: a value is `(q / most[line])^2 * top[line]`, where `q` is an integer of
/// `bytes` bytes in the base64 of `cells`, line by line; for columns listed in `apart.columns`, `top` and `most` are those
/// of `apart`. In the page's own data `cells` are a number: start.js gives each table its bytes, `decoded`, out of those of
/// all tables. Where `map.kind` is `full`, tables have one line per layer and head:
/// - `words`: columns are the words that compete and the function words in parts that keywords come from, in text order,
///   so that function words can be shown on a page made without them;
/// - `others`: columns are all other words but white space;
/// - `account`: columns are named in `map.columns`: the first token, other tokens without text, each part by name.
///
/// Where it is `means`, `layers` has the columns of `words` and one line per layer (mean over the heads asked for),
/// `heads` one per head (mean over the layers asked for). Both kinds give masses on words; `tokens_per_word` divides them
/// where tokens are averaged.
///
/// `positions` of a case, on pages of few prompts, is what words of the prompt look at: `words` are the words that look
/// (those of question and options, or all), one line of `table` each; its columns are all words but white space in text
/// order. A value is what the last token of the word that looks pays to a word, mean over the layers and heads asked
/// for, by sum or mean of its tokens; words after it have 0.
///
/// `conclusion` of a case has a `kind` and `sentences`, for the document's own keywords; absent where function words are
/// among them.
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
        "caveats": { "differences": DIFFERENCES_CAVEAT, "roles": ROLES_CAVEAT, "contributions": CONTRIBUTIONS_CAVEAT, "strongest": TOP_HEADS_CAVEAT, "witness": WITNESS_CAVEAT },
        "witness_patterns": patterns(&Theme::PAGE, "witness", COLOURS),
        "witness_colours": COLOURS,
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

/// Whether a word is on the list of function words of its language.
fn is_function_word(case: &Case, index: usize) -> bool {
    case.words[index].kind == WordKind::Word && is_stop_word(&key(case.word_text(index)), case.language)
}

/// Data of a prompt with its conclusion, which a folder's page has in its own data and not in the files beside it.
pub(super) fn with_conclusion(mut data: Value, conclusion: Option<&Conclusion>) -> Value {
    data["conclusion"] = conclusion.map_or(
        Value::Null,
        |found| json!({ "kind": found.kind, "sentences": found.sentences.iter().map(Said::data).collect::<Vec<_>>() }),
    );
    data
}

/// Page data of a prompt; `document` gives the way tokens were merged.
pub(super) fn case_data(case: &Case, document: &Document, full: &dyn Fn(&QueryRecord) -> bool) -> Value {
    let words: Vec<Value> = (0..case.words.len())
        .map(|index| {
            let word = &case.words[index];
            let mut rendered =
                json!([case.word_text(index), word.kind as usize, word.part.map_or(-1, |part| part as i64)]);
            if is_function_word(case, index) {
                rendered.as_array_mut().into_iter().for_each(|rendered| rendered.push(json!(1)));
            }
            rendered
        })
        .collect();
    let question = case.parts.iter().find(|part| part.name == PartKind::Question.name());
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
        "witness": case.witness.as_ref().map(|record| witness_data(record, case)),
        "contributions": case.contributions,
        "sensitivity": case.sensitivity,
        "strongest": case.strongest,
        "positions": case.positions.as_ref().map(|found| position_data(found, case)),
        "rows": case.rows.iter().map(|row| row_data(row, case, full(row))).collect::<Vec<_>>(),
    })
}

/// What words look at, a line each.
fn position_data(found: &WordAttention, case: &Case) -> Value {
    let columns = case.visible_words();
    let table = StoredTable::new(&found.weights, columns.len(), Precision::Fine, &[]);
    json!({ "words": found.words, "table": table })
}

/// Roles as displayed on the page: the mass of single heads is only in the document.
fn without_heads(roles: &RolesRecord) -> RolesRecord {
    let mut roles = roles.clone();
    roles.roles.iter_mut().for_each(|role| role.heads.clear());
    roles
}

/// The strip with the text of each sentence and what it shows in sentences. In a folder, chance is only known once all prompts
/// are read: the page's own data then have `chances` of each prompt, `each` by sentence and `told` in words.
fn witness_data(record: &WitnessRecord, case: &Case) -> Value {
    let mut data = json!(record);
    let chances: Vec<_> = record.sentences.iter().map(|sentence| sentence.chance).collect();
    if record.absent.is_none() {
        data["told"] = json!([record.headline(&case.options), record.true_belief_told()]);
        data["attention_told"] = json!(record.attention_told(&chances));
    }
    for (sentence, record) in data["sentences"].as_array_mut().into_iter().flatten().zip(&record.sentences) {
        sentence["text"] = json!(case.text.get(record.start..record.end));
    }
    data
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

/// Tables with one line per head, or per layer or head if they hold means; see [`page_data`].
fn map_data(map: &HeadsMap, row: &QueryRecord, case: &Case) -> Option<Value> {
    let is_function = |index: usize| is_function_word(case, index);
    let mut columns: Vec<usize> = row.ranking.iter().flat_map(|word| word.words.iter().copied()).collect();
    let in_scope = |index: &usize| case.words[*index].part.is_some_and(|part| case.parts[part].in_scope);
    columns.extend((0..case.words.len()).filter(in_scope).filter(|&index| is_function(index)));
    columns.sort_unstable();
    columns.dedup();
    let apart: Vec<usize> = (0..columns.len()).filter(|&column| is_function(columns[column])).collect();
    let others: Vec<usize> =
        case.visible_words().into_iter().filter(|index| columns.binary_search(index).is_err()).collect();
    let width = case.words.len();
    let of_words =
        |words: &[f32]| StoredTable::new(&picked(words, width, &columns), columns.len(), Precision::OfSum, &apart);
    let (kind, tables) = match &map.words {
        WordMass::Absent => return None,
        WordMass::Full(words) => {
            let of_others = StoredTable::new(&picked(words, width, &others), others.len(), Precision::Absolute, &[]);
            ("full", json!({ "words": of_words(words), "others": of_others }))
        }
        WordMass::Means { layers, heads } => ("means", json!({ "layers": of_words(layers), "heads": of_words(heads) })),
    };
    let (names, account) = account_by_name(map, case);
    let mut data = json!({
        "kind": kind,
        "layers": map.layers,
        "heads": map.heads,
        "entropy": map.entropy_bits.iter().map(|&bits| short(f64::from(bits))).collect::<Vec<_>>(),
        "columns": names,
        "tables": tables,
    });
    data["tables"]["account"] = json!(StoredTable::new(&account, names.len(), Precision::Fine, &[]));
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
    use crate::page::unpacked;

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
        serde_json::from_str(&unpacked(&page[start..end], u64::MAX).unwrap()).unwrap()
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
    fn function_words_have_columns_where_they_do_not_compete() {
        let mut document = document();
        let data = |document: &Document| row_data(&document.cases[0].rows[0], &document.cases[0], true);
        let whole = data(&document);
        let case = &mut document.cases[0];
        let listed: Vec<usize> = (0..case.words.len()).filter(|&index| is_function_word(case, index)).collect();
        let ranking = &mut case.rows[0].ranking;
        let all = ranking.len();
        ranking.retain(|word| !listed.contains(&word.words[0]));
        assert!(ranking.len() < all, "the example has function words");
        assert_eq!(data(&document)["map"]["tables"], whole["map"]["tables"]);
        assert!(!whole["map"]["tables"]["words"]["apart"]["columns"].as_array().unwrap().is_empty());
    }

    #[test]
    fn without_its_script_a_page_has_text_options_keywords_and_verdict() {
        let mut document = document();
        let found = json!({ "kind": "not-checked", "sentences": ["B was chosen."] });
        document.cases[0].conclusion = serde_json::from_value(found).unwrap();
        let page = html(&document).unwrap();
        let plain = &page[page.find("<noscript>").unwrap()..page.find("</noscript>").unwrap()];
        let escapes = [("&lt;", "<"), ("&gt;", ">"), ("&#x27;", "'"), ("&#x2f;", "/"), ("&amp;", "&")];
        let plain = escapes.iter().fold(plain.to_string(), |text, (escaped, plain)| text.replace(escaped, plain));
        let case = &document.cases[0];
        for text in
            ["B was chosen.", "wrong: chose B, gold A", "in the box", "-1.39", case.rows[0].ranking[0].text.as_str()]
        {
            assert!(plain.contains(text), "{text} in {plain}");
        }
        for part in &case.parts {
            assert!(plain.contains(case.text[part.start..part.end].trim()), "{}", part.name);
        }
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
