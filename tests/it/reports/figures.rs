//! `tomeval report --figures`: what lies in the folder, and what is said.

use assert_cmd::assert::OutputAssertExt;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use resvg::tiny_skia::Pixmap;
use resvg::usvg::roxmltree;
use tempfile::TempDir;

use crate::support::tiny_run::{TinyRun, shared_tiny_model, tomeval};

#[test]
fn every_figure_is_a_drawing_and_a_picture() {
    let folder = TempDir::new().unwrap();
    let figures = folder.path().join("new/figures");
    let run = TinyRun::get().finished();
    let mut command = tomeval(&["report", run.to_str().unwrap(), "--figures", figures.to_str().unwrap()]);
    command.args(["--theme", "dark", "--json"]);
    command.assert().success().stderr(contains("figures, each as SVG and PNG, are in"));
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
    let folder = TempDir::new().unwrap();
    let run = |name: &str, limit: &str| {
        let out = folder.path().join(name);
        let mut command =
            tomeval(&["run", "--offline", "--benchmark", "demo", "--language", "en", "--limit", limit, "--model"]);
        command.arg(shared_tiny_model()).args(["--name", name, "--out"]).arg(&out).assert().success();
        out
    };
    let (one, two) = (run("first", "8"), run("second", "9"));
    let figures = folder.path().join("figures");
    let mut command = tomeval(&["report"]);
    command.arg(&one).arg(two.join("results.json")).arg("--figures").arg(&figures).assert().success();
    let drawn = std::fs::read_to_string(figures.join("demo-speed-forwarded-en.svg")).unwrap();
    assert!(drawn.contains("first (letters)") && drawn.contains("second (letters)"));
}

#[test]
fn what_cannot_be_drawn_or_written_is_said() {
    let folder = TempDir::new().unwrap();
    let run = TinyRun::get().finished();
    let run = run.to_str().unwrap();
    let taken = folder.path().join("file");
    std::fs::write(&taken, "x").unwrap();
    tomeval(&["report", run, "--figures", taken.to_str().unwrap()]).assert().code(2).stderr(contains("file: "));
    let page = tomeval(&["report", run, "--format", "html", "--figures", "x"]).assert().code(2);
    page.stderr(contains("a page has its figures in it"));
    let alone = tomeval(&["report", run, "--theme", "dark"]).assert().failure();
    alone.stderr(contains("--figures").and(contains("panicked").not()));
}
