//! The page of `tomeval attend` as a reader sees it in headless Chromium: contrast, letters, what moves, what is copied and
//! printed, and captions that are true of every measure.

use serde_json::json;
use tempfile::TempDir;

use crate::support::attention_page::{Written, sharp_model};
use crate::support::browser::{browser, told_by};

/// What a reader sees, told by the page itself: the weakest contrast of any text in both themes, text drawn over text and
/// the largest letters of pictures, how far cards move under clicks and sliders, copied text, and what goes on paper.
const LOOK: &str = r##"
    await until(() => document.querySelector("main .card"));
    const channels = (colour) => { const all = colour.match(/[\d.]+/g).map(Number); return all.length < 4 ? [...all, 1] : all; };
    const light = (colour) => colour.slice(0, 3).map((value) => value / 255).map((value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
        .reduce((sum, value, at) => sum + value * [0.2126, 0.7152, 0.0722][at], 0);
    const over = (top, below) => [0, 1, 2].map((at) => top[at] * top[3] + below[at] * (1 - top[3])).concat(1);
    const behind = (node) => {
        const layers = [];
        for (let at = node; at; at = at.parentElement) layers.push(channels(getComputedStyle(at).backgroundColor));
        return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255, 1]);
    };
    const ratio = (node, own, back) => {
        const opacity = (() => { let product = 1; for (let at = node; at; at = at.parentElement) product *= Number(getComputedStyle(at).opacity); return product; })();
        const [front, bottom] = [over([...own.slice(0, 3), own[3] * opacity], back), back].map(light).sort((a, b) => b - a);
        return (front + 0.05) / (bottom + 0.05);
    };
    const told = { contrast: 99, where: "", overprinted: [], letters: 0, jumps: [] };
    const weaker = (found, where) => { if (found < told.contrast) Object.assign(told, { contrast: found, where }); };
    const look = () => {
        for (const theme of ["light", "dark"]) {
            document.documentElement.dataset.theme = theme;
            for (const node of document.querySelectorAll("body *")) {
                if (!node.checkVisibility() || node.closest("script, pre#told, .skip")) continue;
                const style = getComputedStyle(node), back = behind(node);
                if ([...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim())) {
                    weaker(ratio(node, channels(node.closest("svg") ? style.fill : style.color), back), `${theme}: ${node.outerHTML.slice(0, 160)}`);
                }
                // The figure above a word stands on the card, not on the word's own colour.
                if (node.dataset.rank) weaker(ratio(node, channels(getComputedStyle(node, "::before").color), behind(node.parentElement)), `${theme}: rank`);
            }
        }
        for (const picture of document.querySelectorAll("main svg")) {
            const texts = [...picture.querySelectorAll("text")].map((text) => [text, text.getBoundingClientRect()]);
            texts.forEach(([text, box], at) => {
                told.letters = Math.max(told.letters, parseFloat(getComputedStyle(text).fontSize) * picture.getBoundingClientRect().width / picture.viewBox.baseVal.width);
                for (const [other, place] of texts.slice(at + 1)) {
                    if (box.left + 1 < place.right && place.left + 1 < box.right && box.top + 3 < place.bottom && place.top + 3 < box.bottom) told.overprinted.push(`${text.textContent} and ${other.textContent}`);
                }
            });
        }
    };
    const places = () => [...document.querySelectorAll("main .card")].map((card) => [card.getBoundingClientRect().top, card.getBoundingClientRect().height].map(Math.round).join());
    const still = (what, act) => { const before = places(); act(); const after = places(); if (before.join(" ") !== after.join(" ")) told.jumps.push(`${what}: ${before} -> ${after}`); };
    const set = (key, value, type) => {
        const control = document.querySelector(`[data-focus="${key}"]`);
        if (!control) return;
        control[type === "change" && control.type === "checkbox" ? "checked" : "value"] = value;
        control.dispatchEvent(new Event(type));
    };
    const story = () => document.querySelector(".story");
    getSelection().selectAllChildren(story());
    told.copied = getSelection().toString();
    getSelection().removeAllRanges();
    told.raw = story().textContent;
    look();
    still("a word", () => story().querySelectorAll(".w")[3].click());
    const map = document.querySelector("svg.map");
    if (map) {
        still("the head", () => set("head", 1, "input"));
        still("the layers", () => { set("from", 1, "input"); set("to", 1, "input"); });
        look();
        still("back", () => document.querySelector("[data-focus=reset]").click());
        story().scrollIntoView();
        const [left, right] = [story(), document.querySelector("svg.map")].map((node) => node.getBoundingClientRect());
        told.together = right.left > left.right && right.top >= 0 && right.bottom <= innerHeight && left.top >= -1 && left.top < innerHeight / 2;
    }
    set("numbers", true, "change");
    set("whole", true, "change");
    set("contrast", 0, "change");
    look();
    dispatchEvent(new Event("beforeprint"));
    told.printed = document.querySelectorAll("main h1").length;
    dispatchEvent(new Event("afterprint"));
    told.shown = document.querySelectorAll("main h1").length;
    told.captions = main.textContent;
    told.terms = [...document.querySelectorAll("dt")].map((term) => term.textContent);
    return told;
"##;

#[test]
fn every_page_can_be_read_and_stands_still() {
    let Some(browser) = browser() else { return };
    let folder = TempDir::new().unwrap();
    let model = sharp_model(folder.path());
    for (measure, contrast) in [("attention", true), ("value", false), ("rollout", false), ("occlusion", false)] {
        let mut arguments = vec!["--measure", measure];
        if contrast {
            arguments.extend(["--contrast", "options", "--lens", "--knock-out", "heads=1.0"]);
        }
        let written = Written::new(&model, &arguments);
        let rendered = told_by(&browser, &written.page(), LOOK);
        println!(
            "{measure}: weakest contrast {}, largest letters of pictures {} px",
            rendered["contrast"], rendered["letters"]
        );
        assert!(
            rendered["contrast"].as_f64().unwrap() >= 4.5,
            "{measure}: {} {}",
            rendered["contrast"],
            rendered["where"]
        );
        assert_eq!(rendered["overprinted"], json!([]), "{measure}");
        assert!(rendered["letters"].as_f64().unwrap() <= 16.0, "{measure}: {}", rendered["letters"]);
        assert_eq!(rendered["jumps"], json!([]), "{measure}");
        assert_eq!(rendered["copied"], rendered["raw"], "{measure}: figures are not copied");
        assert_eq!(
            (&rendered["printed"], &rendered["shown"]),
            (&json!(2), &json!(1)),
            "{measure}: every prompt is printed"
        );
        if ["attention", "value"].contains(&measure) {
            assert_eq!(rendered["together"], true, "{measure}: the map stands beside the story it changes");
        }
        let captions = rendered["captions"].as_str().unwrap();
        let says = |words: &str| captions.contains(words);
        assert!(says("of the options shown") && says("raw probability") && says("Label mass"), "{measure}: {captions}");
        assert_eq!(says("layers 0 to 1"), ["attention", "value"].contains(&measure), "{measure}: {captions}");
        assert_eq!(says("through all layers"), measure == "rollout", "{measure}: {captions}");
        assert_eq!(says("no layers and no heads"), measure == "occlusion", "{measure}: {captions}");
        for term in ["Nat", "Jaccard index", "Rank-biased overlap", "Distance", "Entropy"] {
            assert!(rendered["terms"].as_array().unwrap().contains(&term.into()), "{term}");
        }
    }
}
