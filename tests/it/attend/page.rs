//! The page of `tomeval attend`, opened in headless Chromium: under any layers, heads, measure and item it shows what follows
//! from the captured rows, which the safetensors file holds exactly.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use rand::Rng;
use serde_json::{Value, json};
use tempfile::TempDir;
use tomeval::internal::seeded;

use crate::support::attention_page::{Written, sharp_model};
use crate::support::browser::{browser, told_by};
use crate::support::files::edit_json;
use crate::support::model_is_here;

/// Half a point: the largest difference between what the page shows and what the rows give.
const HALF_A_POINT: f64 = 0.005;

fn usize_of(value: &Value) -> usize {
    value.as_u64().unwrap() as usize
}

fn list(value: &Value) -> &Vec<Value> {
    value.as_array().unwrap()
}

/// The words of each token with the share of it that each takes: by bytes, white space only where nothing else is there.
fn shares_of_tokens(case: &Value) -> Vec<Vec<(usize, f64)>> {
    let words = list(&case["words"]);
    let mut without_text = words.iter().enumerate().filter(|(_, word)| word["kind"] == "special").map(|(at, _)| at);
    let shares = list(&case["tokens"]).iter().map(|token| {
        let (start, end) = (usize_of(&token["start"]), usize_of(&token["end"]));
        if start == end {
            return vec![(without_text.next().unwrap(), 1.0)];
        }
        let bytes = |word: &Value| usize_of(&word["end"]).min(end).saturating_sub(usize_of(&word["start"]).max(start));
        let inside: Vec<(usize, &Value)> = words.iter().enumerate().filter(|(_, word)| bytes(word) > 0).collect();
        let blank = inside.iter().all(|(_, word)| word["kind"] == "space");
        let counted = inside.into_iter().filter(|(_, word)| blank || word["kind"] != "space");
        let counted: Vec<(usize, f64)> = counted.map(|(at, word)| (at, bytes(word) as f64)).collect();
        let all: f64 = counted.iter().map(|(_, bytes)| bytes).sum();
        counted.into_iter().map(|(at, bytes)| (at, bytes / all)).collect()
    });
    shares.collect()
}

/// One way to look at one row.
#[derive(Debug, Clone)]
struct View {
    item: usize,
    row: usize,
    from: usize,
    to: usize,
    /// The mean of all heads where it is `None`.
    head: Option<usize>,
    /// What the map shows, as its list of choices names it; `word` for the word clicked.
    target: String,
    /// Of the words of the story that are seen, the one clicked.
    word: usize,
    /// Whether function words are left out.
    content: bool,
}

/// What the page must show of a view.
struct Expected {
    parts: BTreeMap<String, f64>,
    /// Keywords by their first text with their weights, heaviest first.
    ranking: Vec<(String, f64)>,
    /// One number per layer and head.
    map: Vec<f64>,
    overlap: f64,
}

fn expected(written: &Written, view: &View) -> Expected {
    let case = &written.document["cases"][view.item];
    let row = &case["rows"][view.row];
    let (layers, heads, weights) = written.rows(view.item, row["query"].as_str().unwrap());
    let tokens = weights.len() / layers / heads;
    let line = |layer: usize, head: usize| &weights[(layer * heads + head) * tokens..][..tokens];
    let shares = shares_of_tokens(case);
    let words = list(&case["words"]);
    let keep_sink = written.asks("keep_sink");
    let by_word = |row: &[f64]| {
        let (mut sums, mut counts) = (vec![0.0; words.len()], vec![0.0; words.len()]);
        for (position, (weight, shares)) in row.iter().zip(&shares).enumerate() {
            for &(word, share) in shares {
                sums[word] += if position == 0 && !keep_sink { 0.0 } else { share * weight };
                counts[word] += share;
            }
        }
        (sums, counts)
    };
    let part_name =
        |word: &Value| word["part"].as_u64().map(|part| case["parts"][part as usize]["name"].as_str().unwrap());

    let mut mean = vec![0.0; tokens];
    for layer in view.from..=view.to {
        for head in view.head.map_or(0..heads, |head| head..head + 1) {
            mean.iter_mut().zip(line(layer, head)).for_each(|(sum, weight)| *sum += weight);
        }
    }
    let total: f64 = mean.iter().sum();
    mean.iter_mut().for_each(|weight| *weight /= total);
    let (masses, counts) = by_word(&mean);
    let mut parts = BTreeMap::new();
    if !keep_sink {
        parts.insert("first token (sink)".to_string(), mean[0]);
    }
    for (word, mass) in words.iter().zip(&masses) {
        *parts.entry(part_name(word).unwrap_or("tokens without text").to_string()).or_insert(0.0) += mass;
    }

    let averaged = written.document["settings"]["merge"] == "mean";
    let weight = |word: usize| if averaged { masses[word] / counts[word].max(1e-9) } else { masses[word] };
    let groups: Vec<(&str, &str, Vec<usize>)> = list(&row["ranking"])
        .iter()
        .map(|word| {
            let places = list(&word["words"]).iter().map(usize_of).collect();
            (word["text"].as_str().unwrap(), word["key"].as_str().unwrap(), places)
        })
        .collect();
    let competing: f64 = groups.iter().flat_map(|(.., places)| places).map(|&word| weight(word)).sum();
    let scale = if keep_sink { 1.0 } else { competing };
    let mut in_order: Vec<&(&str, &str, Vec<usize>)> = groups.iter().collect();
    in_order.sort_by_key(|(.., places)| places[0]);
    let mut ranking: Vec<(&str, &str, f64)> = in_order
        .into_iter()
        .map(|(text, key, places)| (*text, *key, places.iter().map(|&word| weight(word)).sum::<f64>() / scale))
        .collect();
    ranking.sort_by(|one, other| other.2.total_cmp(&one.2));

    let seen: Vec<usize> = (0..words.len())
        .filter(|&at| !["space", "special"].contains(&words[at]["kind"].as_str().unwrap()))
        .filter(|&at| words[at]["part"].as_u64().is_some_and(|part| case["parts"][part as usize]["in_scope"] == true))
        .collect();
    let clicked = seen[view.word % seen.len()];
    let together = groups.iter().find(|(.., places)| places.contains(&clicked));
    let clicked = together.map_or(vec![clicked], |(.., places)| places.clone());
    let map = (0..layers * heads).map(|at| {
        let row = line(at / heads, at % heads);
        let total: f64 = row.iter().sum();
        let masses = by_word(row).0;
        let of = |wanted: &dyn Fn(usize) -> bool| {
            (0..words.len()).filter(|&at| wanted(at)).map(|at| masses[at]).sum::<f64>() / total
        };
        match view.target.as_str() {
            "sink" => row[0] / total,
            "entropy" => {
                row.iter().filter(|weight| **weight > 0.0).map(|weight| -weight / total * (weight / total).log2()).sum()
            }
            "word" => of(&|at| clicked.contains(&at)),
            "scope" => of(&|at| {
                words[at]["part"].as_u64().is_some_and(|part| case["parts"][part as usize]["in_scope"] == true)
            }),
            part => of(&|at| part_name(&words[at]) == part.strip_prefix("part:")),
        }
    });

    let mut keys: Vec<&str> = Vec::new();
    ranking.iter().for_each(|(_, key, _)| {
        if !keys.contains(key) {
            keys.push(key)
        }
    });
    let marks = case["humans"][0]["keywords"].as_array().into_iter().flatten();
    let marks: Vec<&str> = marks.map(|word| word.as_str().unwrap()).collect();
    let (first, marks) = (&keys[..keys.len().min(10)], &marks[..marks.len().min(10)]);
    let common = first.iter().filter(|key| marks.contains(key)).count();
    Expected {
        parts,
        ranking: ranking.iter().map(|(text, _, weight)| (text.to_string(), *weight)).collect(),
        map: map.collect(),
        overlap: common as f64 / first.len().min(marks.len()) as f64,
    }
}

/// What the page shows of views, read off its own elements after its own controls were moved.
const READ: &str = r##"
    await until(() => document.querySelector("main .card"));
    const set = (key, value, type) => {
        const control = document.querySelector(`[data-focus="${key}"]`);
        if (!control) return;
        control.value = value;
        control.dispatchEvent(new Event(type));
    };
    const cardOf = (start) => [...document.querySelectorAll("section.card")].find((one) => one.querySelector("h2")?.textContent.startsWith(start));
    const number = (text) => Number(text.replace("%", "").replace("bits", "").trim());
    const told = [];
    for (const view of views) {
        document.querySelectorAll("#list button")[view.item].click();
        set("row", view.row, "change");
        set("from", view.from, "input");
        set("to", view.to, "input");
        set("head", view.head, "input");
        const box = document.querySelector("[data-focus=content]");
        // A page that was made without function words stays without them.
        box.checked = view.content || data.settings.drop_stop_words;
        box.dispatchEvent(new Event("change"));
        if (view.target === "word") {
            const words = document.querySelectorAll(".story")[0].querySelectorAll(".w");
            words[view.word % words.length].click();
        } else {
            set("target", view.target, "change");
        }
        const map = document.querySelector("svg.map");
        const readout = map.closest("section").querySelector(".readout");
        const frozen = document.querySelector("[data-focus=from]").disabled;
        const person = [...document.querySelectorAll(".readout")].find((one) => one.textContent.includes("overlap of the first"));
        told.push({
            parts: [...cardOf("Where the weight went").querySelectorAll("tr")].map((row) => [row.cells[0].textContent, number(row.cells[2].textContent)]),
            keywords: [...cardOf("First ").querySelectorAll("tbody tr")].map((row) => [row.cells[1].textContent, number(row.cells[2].textContent)]),
            map: [...map.querySelectorAll("rect.heat")].map((cell) => {
                cell.dispatchEvent(new Event("mouseenter"));
                return number(readout.textContent.split(": ").pop());
            }),
            overlap: person ? number(person.textContent.split(": ")[1].split("%")[0]) : null,
            csv: viewCsv(),
            faint: cardOf("First ").textContent.includes("is rounding"),
            frozen: frozen && document.querySelector(".controls").textContent.includes("many prompts"),
        });
    }
    return told;
"##;

/// What a page can hold of its prompts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pages {
    /// Every head of every layer.
    Full,
    /// Means over heads and over the layers asked for.
    Condensed,
}

/// Words that weigh the same may stand in either order: to seven digits in what is shown first, to half a point in what the page
/// computes for other layers and heads.
fn alike(one: f64, other: f64, first: bool) -> bool {
    (one - other).abs() <= if first { 1e-7 } else { HALF_A_POINT } + 2e-6 * other
}

/// What is not as it should be over the views of one page.
#[derive(Debug, Default)]
struct Differences {
    /// The largest difference in the share of a part, a keyword and a cell of the map.
    shares: [f64; 3],
    /// Places in lists of keywords that hold another word.
    words: usize,
    /// Overlaps with a person's words.
    overlaps: usize,
    /// The largest difference between a number shown and that of the exported file, in shares or bits.
    exported: f64,
}

/// What the exported file of a view says: shares of parts, keywords in their order, cells of the map.
fn exported(csv: &str) -> (BTreeMap<String, f64>, Vec<(String, f64)>, Vec<f64>) {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let (mut parts, mut words, mut cells) = (BTreeMap::new(), Vec::new(), Vec::new());
    for line in reader.deserialize::<BTreeMap<String, String>>() {
        let line = line.unwrap();
        let (name, value) = (line["name"].clone(), line["value"].parse::<f64>().unwrap());
        match line["kind"].as_str() {
            "part" => drop(parts.insert(name, value)),
            "word" => words.push((name, value)),
            "cell" => cells.push(value),
            _ => {}
        }
    }
    (parts, words, cells)
}

/// Compare views of a page with what its rows give, and with those of a `left` without function words where there is one.
fn compare(
    browser: &Path,
    written: &Written,
    left: Option<&Written>,
    pages: Pages,
    count: usize,
    seed: &str,
) -> Differences {
    let mut random = seeded(5, seed, 0);
    let views: Vec<View> = (0..count)
        .map(|_| {
            let item = random.random_range(0..2);
            let case = &written.document["cases"][item];
            let row = random.random_range(0..list(&case["rows"]).len());
            let map = &case["rows"][row]["heads_map"];
            let layers = list(&map["layers"]).len();
            let head = random.random_bool(0.6).then(|| random.random_range(0..usize_of(&map["heads"])));
            let (from, to) = match (pages, head) {
                // Of many prompts, single heads are seen through the layers asked for, whatever was chosen before.
                (Pages::Condensed, Some(_)) => {
                    let asked = list(&case["rows"][row]["layers"]);
                    (usize_of(&asked[0]), usize_of(&asked[asked.len() - 1]))
                }
                _ => {
                    let from = random.random_range(0..layers);
                    (from, random.random_range(from..layers))
                }
            };
            let mut targets: Vec<String> = ["scope", "sink", "entropy"].map(String::from).to_vec();
            if pages == Pages::Full {
                targets.extend(["word", "word"].map(String::from));
            }
            targets.extend(list(&case["parts"]).iter().map(|part| format!("part:{}", part["name"].as_str().unwrap())));
            View {
                item,
                row,
                from,
                to,
                head,
                target: targets.swap_remove(random.random_range(0..targets.len())),
                word: random.random_range(0..1000),
                content: left.is_some() && random.random_bool(0.5),
            }
        })
        .collect();
    let list: Vec<Value> = views
        .iter()
        .map(|view| {
            let head = view.head.map_or(-1, |head| head as i64);
            json!({ "item": view.item, "row": view.row, "from": view.from, "to": view.to, "head": head,
                    "target": view.target, "word": view.word, "content": view.content })
        })
        .collect();
    let rendered = told_by(browser, &written.page(), &format!("const views = {};\n{READ}", json!(list)));
    let mut found = Differences::default();
    let worst = &mut found.shares;
    for (view, rendered) in views.iter().zip(rendered.as_array().unwrap()) {
        let expected = match left {
            // The map is of all words, and one clicked is shown with its other occurrences.
            Some(left) if view.content => Expected { map: expected(written, view).map, ..expected(left, view) },
            _ => expected(written, view),
        };
        let parts: BTreeMap<String, f64> = serde_json::from_value::<Vec<(String, f64)>>(rendered["parts"].clone())
            .unwrap()
            .into_iter()
            .map(|(name, share)| (name, share / 100.0))
            .collect();
        assert!(parts.keys().eq(expected.parts.keys()), "{view:?}: {parts:?} {:?}", expected.parts);
        for (name, share) in &expected.parts {
            worst[0] = worst[0].max((parts[name] - share).abs());
        }
        let shown: Vec<(String, f64)> = serde_json::from_value(rendered["keywords"].clone()).unwrap();
        assert_eq!(shown.len(), expected.ranking.len().min(10));
        let layers = self::list(&written.document["cases"][view.item]["rows"][view.row]["layers"]);
        let asked = view.head.is_none() && layers.len() == view.to - view.from + 1 && layers[0] == view.from;
        // Of a head that looks at function words alone nothing is left to rank, which the page says.
        let faint = view.content && !written.asks("keep_sink") && {
            let left: Vec<&str> = expected.ranking.iter().map(|(text, _)| text.as_str()).collect();
            let whole = self::expected(written, view).ranking;
            let mass: f64 =
                whole.iter().filter(|(text, _)| left.contains(&text.as_str())).map(|(_, weight)| weight).sum();
            // What was asked for is written with seven decimals.
            mass < if asked { 1e-5 } else { 1e-9 }
        };
        assert_eq!(rendered["faint"], faint, "{view:?}");
        for (rank, (text, weight)) in shown.iter().enumerate().filter(|_| !faint) {
            let exact = expected.ranking[rank].1;
            let right = expected.ranking.iter().any(|(own, weight)| own == text && alike(*weight, exact, asked));
            found.words += usize::from(!right);
            worst[1] = worst[1].max((weight / 100.0 - exact).abs());
        }
        let (file_parts, file_words, file_cells) = exported(rendered["csv"].as_str().unwrap());
        let mut off = |shown: f64, file: f64| found.exported = found.exported.max((shown - file).abs());
        assert!(file_parts.keys().eq(parts.keys()), "{view:?}: {file_parts:?}");
        parts.iter().for_each(|(name, share)| off(*share, file_parts[name]));
        assert_eq!(file_words.len(), expected.ranking.len(), "{view:?}");
        for ((text, weight), (file_text, file_weight)) in shown.iter().zip(&file_words) {
            assert_eq!(text, file_text);
            off(weight / 100.0, *file_weight);
        }
        let map: Vec<f64> = serde_json::from_value(rendered["map"].clone()).unwrap();
        assert_eq!(file_cells.len(), map.len());
        assert_eq!(map.len(), expected.map.len());
        let unit = if view.target == "entropy" { 1.0 } else { 100.0 };
        map.iter().zip(&file_cells).for_each(|(shown, cell)| off(shown / unit, *cell));
        for (shown, exact) in map.iter().zip(&expected.map) {
            worst[2] = worst[2].max((shown / unit - exact).abs() / if unit == 1.0 { 2.0 } else { 1.0 });
        }
        assert_eq!(rendered["frozen"] == true, pages == Pages::Condensed && view.head.is_some(), "{view:?}");
        let Some(overlap) = rendered["overlap"].as_f64().map(|overlap| overlap / 100.0) else {
            assert!(written.document["cases"][view.item]["humans"][0].is_null());
            continue;
        };
        let clear = !faint && expected.ranking.get(10).is_none_or(|next| !alike(next.1, expected.ranking[9].1, asked));
        found.overlaps += usize::from(clear && (overlap - expected.overlap).abs() > HALF_A_POINT);
    }
    println!("{seed}, {count} views: {found:?}");
    found
}

/// Such a model with each of its two layers many times over, so that a few prompts are too many for a page to hold every head.
fn deep_model(folder: &Path, times: usize) -> PathBuf {
    let model = sharp_model(folder);
    let path = model.join("model.safetensors");
    let bytes = fs::read(&path).unwrap();
    let file = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    let mut tensors = Vec::new();
    for (name, tensor) in file.tensors() {
        match name.strip_prefix("model.layers.").and_then(|rest| rest.split_once('.')) {
            Some((layer, rest)) => {
                let layer: usize = layer.parse().unwrap();
                tensors.extend(
                    (0..times).map(|time| (format!("model.layers.{}.{rest}", 2 * time + layer), tensor.clone())),
                );
            }
            None => tensors.push((name, tensor)),
        }
    }
    let deep = safetensors::serialize(tensors, None).unwrap();
    fs::write(path, deep).unwrap();
    edit_json(&model.join("config.json"), |config| config["num_hidden_layers"] = json!(2 * times));
    model
}

/// Arguments of several pages, and how many views of each are tried.
const PAGES: [(&[&str], usize); 3] = [
    (&["--measure", "attention", "--queries", "answer,options"], 60),
    (&["--measure", "value"], 40),
    (&["--measure", "attention", "--merge", "mean", "--keep-sink", "--apart", "--layers", "1"], 40),
];

fn found_true(found: &Differences, name: &str) {
    let shares = found.shares.iter().all(|difference| *difference <= HALF_A_POINT);
    assert!(shares && found.words == 0 && found.overlaps == 0, "{name}: {found:?}");
    // Shares are shown with one digit of a percent, entropies with two.
    assert!(found.exported <= 0.00501, "{name}: {found:?}");
}

fn every_view_is_true(model: &Path, name: &str, share: usize) {
    let Some(browser) = browser() else { return };
    for (arguments, count) in PAGES {
        // No view shows the check.
        let unchecked = ["--deletion-draws", "0"];
        let written = Written::new(model, &[arguments, &["--function-words"], &unchecked].concat());
        let left = Written::new(model, &[arguments, &unchecked].concat());
        let seed = format!("{name} {}", arguments.join(" "));
        found_true(&compare(&browser, &written, Some(&left), Pages::Full, count / share, &seed), &seed);
    }
}

#[test]
fn every_view_of_a_tiny_model_is_that_of_its_rows() {
    let folder = TempDir::new().unwrap();
    every_view_is_true(&sharp_model(folder.path()), "tiny", 1);
}

#[test]
fn every_view_of_the_demo_model_is_that_of_its_rows() {
    if model_is_here() {
        every_view_is_true(Path::new("smollm2-135m-instruct"), "demo", 4);
    }
}

/// The last word of an option looks where the row of the option's last token says.
#[test]
fn a_word_looks_where_the_row_of_its_last_token_says() {
    let Some(browser) = browser() else { return };
    let folder = TempDir::new().unwrap();
    let written = Written::new(&sharp_model(folder.path()), &["--queries", "answer,options,all", "--layers", "1"]);
    let script = "return data.cases.map((one) => ({ words: one.positions.words, lines: one.positions.words.map((_, line) => lineOf(one.positions.table, line)) }));";
    let told = told_by(&browser, &written.page(), script);
    let mut compared = 0;
    for (at, told) in list(&told).iter().enumerate() {
        let case = &written.document["cases"][at];
        let (shares, words) = (shares_of_tokens(case), list(&case["words"]));
        assert!(list(&told["words"]).len() > words.iter().filter(|word| word["kind"] == "word").count() / 2);
        for row in list(&case["rows"]).iter().skip(1) {
            let (layers, heads, weights) = written.rows(at, row["query"].as_str().unwrap());
            let tokens = weights.len() / layers / heads;
            let last = |word: &usize| shares.iter().rposition(|shares| shares.iter().any(|(own, _)| own == word));
            let Some(line) = list(&told["words"]).iter().map(usize_of).position(|word| last(&word) == Some(tokens - 1))
            else {
                continue;
            };
            let mut expected = vec![0.0; words.len()];
            for head in 0..heads {
                let own = &weights[(heads + head) * tokens..][..tokens];
                for (weight, shares) in own.iter().zip(&shares).skip(1) {
                    shares.iter().for_each(|(word, share)| expected[*word] += share * weight / heads as f64);
                }
            }
            let seen = (0..words.len()).filter(|&word| words[word]["kind"] != "space");
            for (word, value) in seen.zip(list(&told["lines"][line])) {
                assert!((expected[word] - value.as_f64().unwrap()).abs() < 0.002, "{row:?}, word {word}");
            }
            compared += 1;
        }
    }
    assert!(compared > 0);
    let script = "return { looks: [...document.querySelectorAll('.looks bdi')].map((node) => node.textContent),
        rows: data.cases[0].rows.slice(1).map((row) => row.ranking[0].text) };";
    let told = told_by(&browser, &written.page(), script);
    let (looks, rows) = (list(&told["looks"]), list(&told["rows"]));
    assert!(!rows.is_empty() && looks.len() == rows.len(), "each option tells what its end looks at: {told}");
    let first = |(looks, row): (&Value, &Value)| looks.as_str().unwrap().starts_with(row.as_str().unwrap());
    assert!(looks.iter().zip(rows).all(first), "{told}");
}

#[test]
fn pages_of_many_prompts_show_what_they_hold_and_no_more() {
    let Some(browser) = browser() else { return };
    let folder = TempDir::new().unwrap();
    let arguments = ["--queries", "answer,options", "--limit", "20", "--deletion-draws", "0"];
    let written = Written::new(&deep_model(folder.path(), 40), &arguments);
    found_true(&compare(&browser, &written, None, Pages::Condensed, 60, "condensed"), "condensed");
}
