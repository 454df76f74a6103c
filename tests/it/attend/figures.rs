//! `tomeval attend --figure person`: a person's words beside the model's, as SVG, PNG and PDF.

use std::fs;
use std::process::Command;

use resvg::usvg::roxmltree;
use tomeval::internal::CANARY;
use tomeval::internal::Painter;

use crate::support::context::{Run, TestContext};
use crate::support::tiny_models::shared_tiny_model;

const ITEMS: [&str; 2] = ["demo/cake-tin/0/en", "demo/cake-tin/0/zh"];

fn attend(context: &TestContext, arguments: &[&str]) -> Command {
    let mut command = context.command(&["attend", "--offline", "--deletion-draws", "0", "--json", "--language", "en"]);
    command.args(["--language", "zh", "--figure", "person", "--model"]).arg(shared_tiny_model());
    command.args(arguments);
    command
}

/// Whether this machine can draw both languages; says so where it cannot.
fn fonts() -> bool {
    let drawn = Painter::open().unwrap().fontless("Mia 小明把蛋糕。").is_empty();
    if !drawn {
        println!("skipped: this machine has no fonts for English and Chinese, so pictures are not drawn");
    }
    drawn
}

#[test]
fn a_persons_words_stand_beside_the_models_in_every_format() {
    let context = TestContext::new();
    let file = |name: &str| context.path(name);
    let mut command =
        attend(&context, &["--item", ITEMS[0], "--item", ITEMS[1], "--panels", "person,model,keywords,options,map"]);
    command.arg("--svg").arg(file("f.svg"));
    let drawn = fonts();
    if drawn {
        command.arg("--png").arg(file("f.png")).arg("--pdf").arg(file("f.pdf"));
    }
    let document = command.run().success().json();
    for (number, case) in document["cases"].as_array().unwrap().iter().enumerate() {
        let figure = fs::read_to_string(file(&format!("f-{}.svg", number + 1))).unwrap();
        let tree = roxmltree::Document::parse(&figure).unwrap();
        let texts: Vec<&str> =
            tree.descendants().filter(|node| node.has_tag_name("text")).filter_map(|node| node.text()).collect();
        assert!(texts.contains(&"Person: author") && texts.contains(&"Head"), "{texts:?}");
        assert!(figure.contains(&format!("<desc>{CANARY}</desc>")));
        assert!(!texts.iter().any(|text| text.contains("demo/cake-tin")), "the caption is the paper's");
        let marked = case["humans"][0]["words"].as_array().unwrap().len();
        assert_eq!(figure.matches("fill=\"#e69f00\"").count(), marked);
        // Both stories hold every word of the first keyword.
        let first = case["rows"][0]["ranking"][0]["text"].as_str().unwrap();
        assert!(texts.iter().filter(|text| **text == first).count() >= 2, "{first}");
        if !drawn {
            continue;
        }
        let png = fs::read(file(&format!("f-{}.png", number + 1))).unwrap();
        assert!(png.starts_with(b"\x89PNG") && png.len() > 10_000);
        let pdf = fs::read(file(&format!("f-{}.pdf", number + 1))).unwrap();
        let text = String::from_utf8_lossy(&pdf);
        assert!(text.starts_with("%PDF-") && text.contains(CANARY) && text.contains("/FontFile"));
    }
}

#[test]
fn what_cannot_be_drawn_is_told_before_any_work() {
    let context = TestContext::new();
    let human = context.path("human.json");
    let write = |id: &str, words: &str| {
        let text = format!(
            r#"{{"format": "tomeval-human-keywords/1", "items": [{{"id": "{id}", "readers": [{{"name": "anna", "keywords": [{words}]}}, {{"name": "ben", "keywords": ["tin"]}}]}}]}}"#
        );
        fs::write(&human, text).unwrap();
    };
    let svg = context.path("f.svg");
    let run = |arguments: &[&str]| {
        let mut command = attend(&context, &["--item", ITEMS[0]]);
        command.arg("--human").arg(&human).args(arguments);
        command.run()
    };
    let with_svg = ["--svg", svg.to_str().unwrap()];

    write("demo/other", r#""tin""#);
    let output = run(&with_svg).code(2);
    assert!(output.stderr.contains("no marked words for demo/cake-tin/0/en; pass a file"), "{}", output.stderr);
    let output = run(&[]).code(2);
    assert!(output.stderr.contains("--figure person needs a file: --svg, --png or --pdf"), "{}", output.stderr);

    write(ITEMS[0], r#""tin", "dragon""#);
    let rendered = run(&with_svg).success().stderr;
    assert!(rendered.contains("demo/cake-tin/0/en: anna marked words not in the text: dragon"), "{rendered}");
    let figure = fs::read_to_string(&svg).unwrap();
    for words in ["Person: anna", "Person: ben"] {
        assert!(figure.contains(words), "{words}");
    }
    let absent = "anna: Marked, but not in the text: dragon.";
    let caption = fs::read_to_string(context.path("f.caption.tex")).unwrap();
    assert!(caption.contains(absent) && caption.contains(CANARY) && !figure.contains(absent), "{caption}");
    run(&["--svg", svg.to_str().unwrap(), "--title", "--width", "200mm"]).success();
    let titled = fs::read_to_string(&svg).unwrap();
    assert!(titled.contains(absent) && titled.contains("demo/cake-tin/0/en"), "{titled}");

    let output = run(&["--svg", svg.to_str().unwrap(), "--panels", "person,story"]).code(2);
    assert!(output.stderr.contains("person, model, keywords, options"), "{}", output.stderr);
}

#[test]
fn a_script_without_a_font_names_the_package() {
    if !fonts() {
        return;
    }
    let context = TestContext::new();
    let data = context.path("own.csv");
    // A character for private use, which no font here has.
    fs::write(&data, "story,question,option_a,option_b,answer\nMia has a \u{10FFFD}.,What has Mia?,a cup,a hat,A\n")
        .unwrap();
    let mut command = context.command(&["attend", "--offline", "--data"]);
    command.arg(&data).arg("--model").arg(shared_tiny_model());
    command.arg("--deletion-draws").arg("0").arg("--pdf").arg(context.path("f.pdf"));
    let rendered = command.run().code(2).stderr;
    assert!(rendered.contains("on Debian and Ubuntu: fonts-noto"), "{rendered}");
    // An SVG needs no font here.
    let rendered = command.arg("--svg").arg(context.path("f.svg")).run().success().stderr;
    assert!(rendered.contains("f.pdf: it is not drawn: no installed font has these characters"), "{rendered}");
    assert!(context.path("f.svg").is_file() && !context.path("f.pdf").exists());
}
