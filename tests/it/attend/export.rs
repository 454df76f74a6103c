//! What the page of `tomeval attend` hands out of itself, in headless Chromium: pictures and numbers of the view shown.

use std::fs;
use std::path::Path;

use resvg::usvg::roxmltree;
use serde_json::Value;
use tempfile::TempDir;
use tomeval::internal::CANARY;

use crate::support::attention_page::{Written, sharp_model};
use crate::support::browser::{browser, told_by};

/// Views with what each shows and the picture made of it, then what the three buttons hand over.
const EXPORT: &str = r##"
    await until(() => document.querySelector("main .card"));
    const set = (key, value, type) => {
        const control = document.querySelector(`[data-focus="${key}"]`);
        control[control.type === "checkbox" ? "checked" : "value"] = value;
        control.dispatchEvent(new Event(type));
    };
    const views = [];
    for (const [item, layer, head, content] of [[0, 1, -1, false], [0, 0, 2, true], [1, 1, 1, false]]) {
        document.querySelectorAll("#list button")[item].click();
        set("from", layer, "input");
        set("to", layer, "input");
        set("head", head, "input");
        set("content", content, "change");
        const words = [...document.querySelector(".story").querySelectorAll(".w")];
        views.push({
            words: words.map((word) => [word.textContent, Number(word.style.getPropertyValue("--s")), word.dataset.rank ?? "", word.classList.contains("tint")]),
            source: document.querySelector(".source").textContent,
            cells: [...document.querySelectorAll("svg.map rect.heat")].map((rect) => channelsOf(getComputedStyle(rect).fill)),
            svg: viewSvg(),
        });
    }
    function channelsOf(colour) { return colour.match(/[\d.]+/g).map(Number); }
    const handed = [], make = URL.createObjectURL.bind(URL), click = HTMLAnchorElement.prototype.click;
    URL.createObjectURL = (blob) => { handed.push({ blob }); return make(blob); };
    HTMLAnchorElement.prototype.click = function () { handed[handed.length - 1].name = this.download; };
    for (const ending of ["svg", "png", "csv"]) {
        const before = handed.length;
        document.querySelector(`[data-focus="export-${ending}"]`).click();
        await until(() => handed.length > before && handed[before].name);
    }
    HTMLAnchorElement.prototype.click = click;
    const files = [];
    for (const { blob, name } of handed) {
        const bytes = new Uint8Array(await blob.arrayBuffer());
        files.push({ name, type: blob.type, length: bytes.length, start: [...bytes.slice(0, 24)], text: name.endsWith(".png") ? "" : new TextDecoder().decode(bytes) });
    }
    return { views, files };
"##;

#[test]
fn pictures_and_numbers_of_a_view_are_what_it_shows() {
    let Some(browser) = browser() else { return };
    let folder = TempDir::new().unwrap();
    let written = Written::new(&sharp_model(folder.path()), &[]);
    let rendered = told_by(&browser, &written.page(), EXPORT);
    for view in rendered["views"].as_array().unwrap() {
        picture_is_that_of(view);
    }
    let files = rendered["files"].as_array().unwrap();
    let names: Vec<&str> = files.iter().map(|file| file["name"].as_str().unwrap()).collect();
    let name = "attention-demo-cake-tin-0-zh-layers-1-head-1";
    assert_eq!(names, ["svg", "png", "csv"].map(|ending| format!("{name}.{ending}")));
    let [svg, png, csv] = files.as_slice() else { panic!("{names:?}") };
    assert_eq!(svg["text"], rendered["views"][2]["svg"]);
    let start: Vec<u8> = serde_json::from_value(png["start"].clone()).unwrap();
    assert!(start.starts_with(b"\x89PNG\r\n\x1a\n"));
    // Two pixels for each unit of the picture.
    let width = u32::from_be_bytes(start[16..20].try_into().unwrap());
    let drawing = roxmltree::Document::parse(svg["text"].as_str().unwrap()).unwrap();
    assert_eq!(drawing.root_element().attribute("width").unwrap().parse::<u32>(), Ok(width / 2));
    assert!(png["length"].as_u64().unwrap() > 10_000, "{}", png["length"]);
    let mut reader = csv::Reader::from_reader(csv["text"].as_str().unwrap().as_bytes());
    let header = reader.headers().unwrap().clone();
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/formats.md")).unwrap();
    let (_, section) = page.split_once("## CSV of the page of `attend`").unwrap();
    let section = section.split("\n## ").next().unwrap();
    for column in &header {
        assert!(section.contains(&format!("`{column}`")), "{column} is not documented");
    }
    let lines: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!((&lines[0][0], &lines[0][header.len() - 1]), ("demo/cake-tin/0/zh", CANARY));
    assert!(lines[1..].iter().all(|line| line[header.len() - 1].is_empty()));
}

/// Words of the story in their order, as dark as they are shown, with their ranks, and the cells of the map.
fn picture_is_that_of(view: &Value) {
    let text = view["svg"].as_str().unwrap();
    let tree = roxmltree::Document::parse(text).unwrap();
    let described = |tag: &str| tree.descendants().find(|node| node.has_tag_name(tag)).and_then(|node| node.text());
    assert_eq!(described("desc"), Some(CANARY));
    let top: Vec<_> = tree.root_element().children().filter(|node| node.is_element()).collect();
    let anchored = |anchor: &str| {
        let of = |node: &&roxmltree::Node<'_, '_>| {
            node.has_tag_name("text") && node.attribute("text-anchor") == Some(anchor)
        };
        top.iter().filter(of).filter_map(|node| node.text()).map(String::from).collect::<Vec<_>>()
    };
    let shown = view["words"].as_array().unwrap();
    let words: String = shown.iter().map(|word| word[0].as_str().unwrap()).collect();
    assert_eq!(anchored("middle").concat(), words);
    let ranks: Vec<&str> = shown.iter().map(|word| word[2].as_str().unwrap()).filter(|rank| !rank.is_empty()).collect();
    assert_eq!(anchored("end"), ranks);
    let tints = top.iter().filter(|node| node.has_tag_name("rect") && node.attribute("rx").is_some());
    let tints: Vec<f64> = tints.map(|node| node.attribute("fill-opacity").unwrap().parse().unwrap()).collect();
    let strengths = shown.iter().filter(|word| word[3] == true).map(|word| word[1].as_f64().unwrap());
    let strengths: Vec<f64> = strengths.collect();
    assert_eq!(tints.len(), strengths.len());
    for (drawn, shown) in tints.iter().zip(&strengths) {
        // Browsers hold eight bits of it.
        assert!((drawn - shown).abs() < 0.004, "{drawn} for {shown}");
    }
    let source = view["source"].as_str().unwrap();
    let rest: String = top
        .iter()
        .filter(|node| node.attribute("text-anchor").is_none())
        .filter_map(|node| node.text())
        .collect::<Vec<_>>()
        .join(" ");
    assert!(rest.contains(source), "{source:?} in {rest:?}");
    let map = top.iter().find(|node| node.has_tag_name("svg")).unwrap();
    let fills = map
        .descendants()
        .filter(|node| node.has_tag_name("rect") && node.attribute("fill").is_some_and(|fill| fill.starts_with("rgb")));
    assert_eq!(fills.count(), view["cells"].as_array().unwrap().len());
}
