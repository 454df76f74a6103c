//! `tomeval report --figures`: what lies in the folder, and what is said.

use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use resvg::tiny_skia::Pixmap;
use resvg::usvg::roxmltree;

use crate::support::context::{Run, TestContext};
use crate::support::tiny_models::shared_tiny_model;
use crate::support::tiny_run::TinyRun;

#[test]
fn every_figure_is_a_drawing_and_a_picture() {
    let context = TestContext::new();
    let figures = context.path("new/figures");
    let run = TinyRun::get().finished();
    let mut command = context.command(&["report", run.to_str().unwrap(), "--figures", figures.to_str().unwrap()]);
    command.args(["--theme", "dark", "--json"]);
    command.run().success().with_stderr(contains("figures, each as SVG, PNG and PDF, are in"));
    let mut names: Vec<String> =
        std::fs::read_dir(&figures).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert!(names.iter().any(|name| name == "demo-tasks-bars.svg"), "{names:?}");
    assert!(names.iter().any(|name| name.starts_with("demo-reliability-")), "{names:?}");
    for name in names.iter().filter(|name| name.ends_with(".svg")) {
        let text = std::fs::read_to_string(figures.join(name)).unwrap();
        let drawing = roxmltree::Document::parse(&text).unwrap();
        assert!(text.contains("#1c1f25"), "{name} is dark");
        assert_eq!(drawing.root_element().attribute("width"), Some("160mm"), "{name}");
        let beside = |ending: &str| std::fs::read(figures.join(name.replace(".svg", ending))).unwrap();
        let wide = Pixmap::decode_png(&beside(".png")).unwrap().width();
        assert_eq!(wide, (160.0_f64 / 25.4 * 300.0).ceil() as u32, "{name}: 300 dots per inch");
        let page = String::from_utf8_lossy(&beside(".pdf")).into_owned();
        assert!(page.contains("/MediaBox [0 0 453.5") && page.contains("/FontFile"), "{name}");
        assert!(String::from_utf8_lossy(&beside(".caption.tex")).contains("\\caption{"), "{name}");
    }
}

#[test]
fn a_column_wide_figure_keeps_its_text_readable_and_its_title_out() {
    let context = TestContext::new();
    let run = TinyRun::get().finished();
    let draw = |name: &str, more: &[&str]| {
        let folder = context.path(name);
        let mut command = context.command(&["report", run.to_str().unwrap(), "--figures", folder.to_str().unwrap()]);
        command.args(["--width", "77mm"]).args(more).run().success();
        folder
    };
    let (plain, titled) = (draw("plain", &[]), draw("titled", &["--title"]));
    let text = |folder: &std::path::Path, ending: &str| {
        std::fs::read_to_string(folder.join(format!("demo-tasks-bars.{ending}"))).unwrap()
    };
    let texts = |figure: &str| -> Vec<(String, f64)> {
        let drawing = roxmltree::Document::parse(figure).unwrap();
        let nodes = drawing.descendants().filter(|node| node.has_tag_name("text"));
        let size = |node: &roxmltree::Node<'_, '_>| node.attribute("font-size").unwrap().parse().unwrap();
        nodes.map(|node| (node.text().unwrap().to_string(), size(&node))).collect()
    };
    let drawn = texts(&text(&plain, "svg"));
    // Units of 96 to the inch in points of 72.
    assert!(drawn.iter().all(|(_, size)| (6.99..=9.01).contains(&(size * 0.75))), "{drawn:?}");
    let title = |(text, _): &(String, f64)| text.contains("accuracy by");
    assert!(!drawn.iter().any(title) && texts(&text(&titled, "svg")).iter().any(title), "{drawn:?}");
    let caption = text(&plain, "caption.tex");
    for part in
        ["\\begin{figure}\n", "[width=77mm]{demo-tasks-bars.pdf}", "accuracy by", "\\label{fig:demo-tasks-bars}"]
    {
        assert!(caption.contains(part), "{part} in {caption}");
    }
    assert!(!titled.join("demo-tasks-bars.caption.tex").exists());
    let wrong = context.run(&["report", run.to_str().unwrap(), "--figures", "x", "--width", "7cm"]).code(2);
    wrong.with_stderr(contains("7cm: not a width; write millimetres from 60 to 420, such as 77mm or 160mm"));
}

#[test]
fn runs_side_by_side_are_drawn_against_their_speed() {
    let context = TestContext::new();
    let run = |name: &str, limit: &str| {
        let out = context.path(name);
        let mut command = context.command(&["run", "--offline", "--benchmark", "demo", "--language", "en"]);
        command.args(["--limit", limit, "--model"]).arg(shared_tiny_model()).args(["--name", name, "--out"]).arg(&out);
        command.run().success();
        out
    };
    let (one, two) = (run("first", "8"), run("second", "9"));
    let figures = context.path("figures");
    let mut command = context.command(&["report"]);
    command.arg(&one).arg(two.join("results.json")).arg("--figures").arg(&figures).run().success();
    let drawn = std::fs::read_to_string(figures.join("demo-speed-forwarded-en.svg")).unwrap();
    assert!(drawn.contains("first (letters)") && drawn.contains("second (letters)"));
}

#[test]
fn what_cannot_be_drawn_or_written_is_said() {
    let context = TestContext::new();
    let run = TinyRun::get().finished();
    let run = run.to_str().unwrap();
    let taken = context.write("file", "x");
    context.run(&["report", run, "--figures", taken.to_str().unwrap()]).code(2).with_stderr(contains("file: "));
    let page = context.run(&["report", run, "--format", "html", "--figures", "x"]).code(2);
    page.with_stderr(contains("pages embed their figures"));
    let lacks = context.run(&["report", run, "--width", "77mm"]).code(2);
    lacks.with_stderr(contains("--width and --title are of figures: add --figures DIR"));
    let alone = context.run(&["report", run, "--theme", "dark"]).failure();
    alone.with_stderr(contains("--figures").and(contains("panicked").not()));
}
