//! Words in pictures, against Chromium's drawing of the same words in the same font and size.

use resvg::tiny_skia::Pixmap;
use tomeval::internal::Painter;

use crate::support::browser::{browser, told_by};
use crate::support::context::TestContext;
use crate::support::skipped;

const SIZE: (usize, usize) = (640, 120);

/// Font families and a text: vowel signs before, above, below and after their letters, conjuncts, joined letters, and two
/// scripts in one text.
const TEXTS: [(&str, &str); 8] = [
    ("Noto Sans Devanagari", "मीरा ने किताब"),
    ("Noto Sans Devanagari", "टोकरी में रखी।"),
    ("Noto Sans Devanagari", "विद्यार्थी क्षत्रिय"),
    ("Noto Sans Bengali", "মিতা কোথায়"),
    ("Noto Sans Bengali", "বাক্সে রাখল।"),
    ("Noto Sans Arabic", "وضعت الكرة في الصندوق"),
    ("Noto Sans, Noto Sans Devanagari", "Person: मीरा (B)"),
    ("Noto Sans, Noto Sans Bengali", "1. মিতা left"),
];

/// How dark each pixel is, from 0 to 255.
fn painted(painter: &Painter, family: &str, text: &str) -> Vec<u8> {
    let (width, height) = SIZE;
    let figure = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\"><rect width=\"100%\" height=\"100%\" \
         fill=\"#fff\"/><text x=\"10\" y=\"76\" font-size=\"48\" font-family=\"{family}\">{text}</text></svg>"
    );
    let pixels = Pixmap::decode_png(&painter.png(&figure, 1.0).unwrap()).unwrap();
    pixels.pixels().iter().map(|pixel| 255 - pixel.green()).collect()
}

/// The columns between which there is ink.
fn extent(ink: &[u8]) -> (usize, usize) {
    let columns = || (0..ink.len()).filter(|at| ink[*at] > 64).map(|at| at % SIZE.0);
    (columns().min().unwrap(), columns().max().unwrap())
}

#[test]
fn words_are_drawn_as_a_browser_draws_them() {
    let has = |family: &&str| {
        let found = std::process::Command::new("fc-list").arg(family).output();
        found.is_ok_and(|found| !found.stdout.is_empty())
    };
    let families: Vec<&str> = TEXTS.iter().flat_map(|(families, _)| families.split(", ")).collect();
    if let Some(family) = families.iter().find(|family| !has(family)) {
        return skipped("TOMEVAL_REQUIRE_BROWSER", &format!("{family} is not installed, so no words are drawn in it"));
    }
    let Some(browser) = browser() else { return };
    let context = TestContext::new();
    let page =
        context.write("page.html", "<!doctype html><html><head><meta charset=\"utf-8\"></head><body></body></html>");
    let script = format!(
        r#"const drawn = [];
        for (const [families, text] of {}) {{
          const canvas = document.createElement("canvas");
          [canvas.width, canvas.height] = [{}, {}];
          const context = canvas.getContext("2d");
          context.font = "48px " + families.split(", ").map((name) => `"${{name}}"`).join(", ");
          context.fillText(text, 10, 76);
          const ink = context.getImageData(0, 0, canvas.width, canvas.height).data.filter((_, at) => at % 4 == 3);
          drawn.push(Array.from(ink));
        }}
        return drawn;"#,
        serde_json::to_string(&TEXTS).unwrap(),
        SIZE.0,
        SIZE.1
    );
    let drawn: Vec<Vec<u8>> = serde_json::from_value(told_by(&browser, &page, &script)).unwrap();
    let painter = Painter::open().unwrap();
    for ((family, text), browsers) in TEXTS.iter().zip(drawn) {
        let ours = painted(&painter, family, text);
        let sum = |of: fn(u8, u8) -> u8| -> f64 {
            ours.iter().zip(&browsers).map(|(one, other)| f64::from(of(*one, *other))).sum()
        };
        let overlap = sum(std::cmp::min) / sum(std::cmp::max);
        let ((left, right), (from, to)) = (extent(&ours), extent(&browsers));
        println!("{text}: ink {left} to {right}, in Chromium {from} to {to}; overlap {overlap:.3}");
        let tolerance = 1 + (to - from) / 100;
        assert!(left.abs_diff(from) <= 1 && right.abs_diff(to) <= tolerance, "{text}");
        assert!(overlap > 0.8, "{text}");
    }
}
