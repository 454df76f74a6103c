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
    command.run().success().with_stderr(contains("figures, each as SVG and PNG, are in"));
    let mut names: Vec<String> =
        std::fs::read_dir(&figures).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert!(names.iter().any(|name| name == "demo-tasks-bars.svg"), "{names:?}");
    assert!(names.iter().any(|name| name.starts_with("demo-reliability-")), "{names:?}");
    for name in names.iter().filter(|name| name.ends_with(".svg")) {
        let text = std::fs::read_to_string(figures.join(name)).unwrap();
        let drawing = roxmltree::Document::parse(&text).unwrap();
        assert!(text.contains("#1c1f25"), "{name} is dark");
        let width: u32 = drawing.root_element().attribute("width").unwrap().parse().unwrap();
        let picture = std::fs::read(figures.join(name.replace(".svg", ".png"))).unwrap();
        assert_eq!(Pixmap::decode_png(&picture).unwrap().width(), 2 * width, "{name}");
    }
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
    let alone = context.run(&["report", run, "--theme", "dark"]).failure();
    alone.with_stderr(contains("--figures").and(contains("panicked").not()));
}
