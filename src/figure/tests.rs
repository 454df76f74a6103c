use resvg::usvg::roxmltree;

use super::heat::Shade;
use super::*;

fn chart(series: &[&str], body: Body) -> Chart {
    Chart {
        title: "A <b> & \"c\"".into(),
        subtitle: "Percent.".into(),
        series: series.iter().map(|name| name.to_string()).collect(),
        body,
        notes: vec!["A remark.".into()],
    }
}

/// Texts of a drawing, in order; checks that it is well-formed and stays within its edges.
fn texts(figure: &str) -> Vec<String> {
    let tree = roxmltree::Document::parse(figure).unwrap();
    let root = tree.root_element();
    let height: f64 = root.attribute("height").unwrap().parse().unwrap();
    let mut found = Vec::new();
    for node in tree.descendants().filter(|node| node.is_element()) {
        for (name, most) in [("x", 760.0), ("cx", 760.0), ("x1", 760.0), ("x2", 760.0), ("y", height), ("cy", height)] {
            let Some(value) = node.attribute(name).and_then(|value| value.parse::<f64>().ok()) else { continue };
            assert!((0.0..=most).contains(&value), "{name} of {:?} is {value}", node.tag_name());
        }
        if node.has_tag_name("text") {
            found.push(node.text().unwrap_or_default().to_string());
        }
    }
    found
}

fn bar(series: usize, value: Option<f64>) -> Bar {
    let interval = value.map(|value| (value - 10.0, value + 10.0));
    Bar { series, value, interval, chance: Some(25.0), published: Some(70.0), people: Some(90.0) }
}

#[test]
fn bars_have_their_numbers_and_a_legend_of_what_is_drawn() {
    let blocks = vec![
        Block { name: "FBT".into(), bars: vec![bar(0, Some(50.0)), bar(1, None)] },
        Block { name: "A name of many words that takes more than a line".into(), bars: vec![bar(0, Some(95.0))] },
    ];
    let figure = chart(&["one", "two"], Body::Bars(blocks.clone())).svg(&Theme::LIGHT, Layout::Page, "f");
    let found = texts(&figure);
    for wanted in
        ["A <b> & \"c\"", "one", "two", "guessing", "best published model", "people", "50.0", "40.0 to 60.0", "-"]
    {
        assert!(found.iter().any(|text| text == wanted), "{wanted} in {found:?}");
    }
    assert!(figure.contains("url(#f-1)") && figure.contains("id=\"f-1\""), "the second series has a pattern");
    // A value of 50 is half as long as the axis.
    let tree = roxmltree::Document::parse(&figure).unwrap();
    let solid = |node: &roxmltree::Node<'_, '_>| node.has_tag_name("rect") && node.attribute("fill") == Some("#0072b2");
    let widths: Vec<f64> =
        tree.descendants().filter(solid).map(|node| node.attribute("width").unwrap().parse().unwrap()).collect();
    assert_eq!(widths.len(), 3, "the legend and two bars");
    assert!((widths[2] / widths[1] - 95.0 / 50.0).abs() < 0.01, "{widths:?}");
    let without = vec![Block {
        name: "FBT".into(),
        bars: vec![Bar { chance: None, published: None, people: None, ..bar(0, Some(5.0)) }],
    }];
    let found = texts(&chart(&[], Body::Bars(without)).svg(&Theme::LIGHT, Layout::Page, "f"));
    assert!(!found.iter().any(|text| ["guessing", "people"].contains(&text.as_str())), "{found:?}");
}

#[test]
fn a_bar_of_zero_is_empty() {
    let bars = vec![bar(0, Some(0.0)), bar(1, Some(0.0))];
    let figure = chart(&["one", "two"], Body::Bars(vec![Block { name: "order 4".into(), bars }])).svg(
        &Theme::LIGHT,
        Layout::Page,
        "f",
    );
    let tree = roxmltree::Document::parse(&figure).unwrap();
    let legend = tree.descendants().filter(|node| node.has_tag_name("text") && node.text() == Some("two")).count();
    let filled = |node: &roxmltree::Node<'_, '_>| {
        let fill = node.attribute("fill").unwrap_or_default();
        node.has_tag_name("rect")
            && !node.ancestors().any(|up| up.has_tag_name("pattern"))
            && fill != Theme::LIGHT.paper
    };
    assert_eq!(
        (legend, tree.descendants().filter(filled).count()),
        (1, 2),
        "nothing is filled but the legend's two patches"
    );
    assert_eq!(texts(&figure).iter().filter(|text| *text == "0.0").count(), 2);
}

#[test]
fn a_radar_leaves_out_what_has_no_value() {
    let axes = ["UOT", "SIT", "PST", "FBT"].map(String::from).to_vec();
    let values = vec![vec![Some(100.0), Some(50.0), None, Some(25.0)], vec![Some(20.0); 4]];
    let radar = Radar { axes, values, chance: vec![Some(25.0); 4] };
    let figure = chart(&["one", "two"], Body::Radar(radar)).svg(&Theme::DARK, Layout::Page, "f");
    let found = texts(&figure);
    assert!(["UOT", "SIT", "PST", "FBT", "100"].iter().all(|name| found.iter().any(|text| text == name)), "{found:?}");
    // The first series has a mark in the legend and one for each of three values.
    assert_eq!(figure.matches("<circle").count(), 1 + 3);
    assert_eq!(figure.matches("<polyline").count(), 2 + 2, "a line in the legend each, and two sides with both ends");
    assert!(figure.contains("#1c1f25"), "its own background");
}

#[test]
fn a_heat_map_has_a_shade_and_a_number_for_each_value() {
    let row = |name: &str, values: [Option<Shade>; 2]| (name.to_string(), values.to_vec());
    let panel = Panel {
        title: "deception no".into(),
        columns: vec!["order 0".into(), "order 1".into()],
        rows: vec![
            row("1", [Some((80.0, Some((70.0, 88.0)))), Some((20.0, None))]),
            row("2", [None, Some((0.0, None))]),
        ],
    };
    let heat = Heat { down: "length".into(), panels: vec![panel.clone(), panel] };
    let figure = chart(&[], Body::Heat(heat)).svg(&Theme::PAGE, Layout::Page, "f");
    let found = texts(&figure);
    assert_eq!(found.iter().filter(|text| *text == "70 to 88").count(), 2);
    assert_eq!(found.iter().filter(|text| *text == "-").count(), 2);
    assert!(figure.contains("fill-opacity=\"0.800\""));
    assert!(figure.contains("var(--heat-ink)"), "white on the darkest shades");
}

#[test]
fn segments_of_a_stack_make_its_length() {
    let bars =
        vec![StackBar { name: "Belief".into(), shares: vec![60.0, 30.0, 10.0], rests_on: "40 questions".into() }];
    let figure = chart(&["right", "local", "full"], Body::Stack(Stack { bars })).svg(&Theme::LIGHT, Layout::Page, "f");
    let found = texts(&figure);
    assert!(
        ["60.0", "30.0", "10.0", "40 questions"].iter().all(|name| found.iter().any(|text| text == name)),
        "{found:?}"
    );
}

#[test]
fn points_stand_where_their_numbers_are() {
    let line = Line {
        series: 0,
        points: vec![
            Point { x: 0.0, y: 0.0, interval: None },
            Point { x: 100.0, y: 100.0, interval: Some((90.0, 100.0)) },
        ],
        joined: true,
    };
    let across = Axis::Numbers { name: "confidence".into(), to: 100.0 };
    let plane = Plane { across, up: "accuracy".into(), lines: vec![line], diagonal: true };
    let figure = chart(&["one"], Body::Plane(plane)).svg(&Theme::LIGHT, Layout::Page, "f");
    texts(&figure);
    let tree = roxmltree::Document::parse(&figure).unwrap();
    let number = |node: &roxmltree::Node<'_, '_>, name: &str| node.attribute(name).unwrap().parse::<f64>().unwrap();
    let points: Vec<_> = tree.descendants().filter(|node| node.has_tag_name("circle")).skip(1).collect();
    let diagonal = tree.descendants().find(|node| node.attribute("stroke-dasharray") == Some("3 3")).unwrap();
    assert_eq!(
        (number(&points[0], "cx"), number(&points[0], "cy")),
        (number(&diagonal, "x1"), number(&diagonal, "y1"))
    );
    assert_eq!(
        (number(&points[1], "cx"), number(&points[1], "cy")),
        (number(&diagonal, "x2"), number(&diagonal, "y2"))
    );
}

#[test]
fn every_series_has_a_shape_a_dash_and_a_pattern_of_its_own() {
    let shapes: Vec<String> = (0..MOST_SERIES)
        .map(|series| {
            let mut canvas = Canvas::new(&Theme::LIGHT, Layout::Page, "f");
            canvas.marker(series, 10.0, 10.0, 4.0);
            canvas.path(series, &[(0.0, 0.0), (9.0, 9.0)], false);
            canvas.finish("t", 0).replace(Theme::LIGHT.series[series], "colour")
        })
        .collect();
    for (number, shape) in shapes.iter().enumerate() {
        assert!(!shapes[..number].contains(shape), "{number}");
    }
    let painter = Painter::open().unwrap();
    let figure =
        chart(&["a", "b", "c", "d", "e", "f", "g"], Body::Bars(Vec::new())).svg(&Theme::LIGHT, Layout::Page, "f");
    assert_eq!(figure.matches("<pattern").count(), MOST_SERIES - 1);
    assert!(painter.png(&figure, 1.0).is_ok());
}

/// A chart of each kind, with as many series, columns and long names as benchmarks have.
fn samples() -> Vec<Chart> {
    let tasks = [
        "Unexpected Outcome Test",
        "Scalar Implicature Task",
        "Persuasion Story Task",
        "False Belief Task",
        "Ambiguous Story Task",
        "Hinting Test",
        "Strange Story Task",
        "Faux-pas Recognition Test",
    ]
    .map(String::from);
    let series = ["smollm2-135m-instruct (letters)", "qwen2.5-0.5b-instruct (texts)", "gpt-4-0613, chain of thought"];
    let shade = |value: f64| Some((value, Some((value / 2.0, 100.0))));
    let panel = |title: &str, columns: usize| Panel {
        title: title.into(),
        columns: (0..columns).map(|order| format!("order {order}")).collect(),
        rows: (1..4).map(|row| (row.to_string(), (0..columns).map(|at| shade(10.0 * at as f64)).collect())).collect(),
    };
    let heat = |columns| Heat {
        down: "length".into(),
        panels: vec![panel("style vanilla, deception yes", columns), panel("style cot, deception no", columns)],
    };
    let block = |name: &String| Block {
        name: name.clone(),
        bars: vec![bar(0, Some(100.0)), bar(1, Some(42.5)), bar(2, Some(0.0))],
    };
    let stacked = |name: &String| StackBar {
        name: format!("{name}, first language"),
        shares: vec![60.0, 30.0, 10.0],
        rests_on: "1,280 questions".into(),
    };
    let lines = |to: usize, scale: f64| -> Vec<Line> {
        let point = |at: usize| Point { x: at as f64 * scale, y: 12.0 * at as f64, interval: Some((0.0, 100.0)) };
        (0..3).map(|series| Line { series, points: (0..to).map(point).collect(), joined: true }).collect()
    };
    let plane = |across, lines| Plane { across, up: "accuracy, percent".into(), lines, diagonal: false };
    let places = Axis::Places { name: "time span".into(), places: tasks.to_vec() };
    let numbers = Axis::Numbers { name: "confidence: probability of the chosen option, percent".into(), to: 100.0 };
    let bodies = [
        Body::Bars(tasks.iter().map(block).collect()),
        Body::Radar(Radar {
            axes: tasks.to_vec(),
            values: vec![vec![Some(80.0); 8], vec![Some(50.0); 8], vec![None; 8]],
            chance: vec![Some(25.0); 8],
        }),
        Body::Heat(heat(5)),
        Body::Heat(heat(13)),
        Body::Stack(Stack { bars: tasks.iter().map(stacked).collect() }),
        Body::Plane(plane(places, lines(8, 1.0))),
        Body::Plane(plane(numbers, lines(4, 30.0))),
    ];
    let named = |body: Body| match body {
        Body::Heat(_) => chart(&[], body),
        _ => chart(&series, body),
    };
    bodies.into_iter().map(named).collect()
}

/// The box of each text, by the estimated widths: left, top, right and bottom.
fn boxes(figure: &str) -> Vec<(String, [f64; 4])> {
    let tree = roxmltree::Document::parse(figure).unwrap();
    let of = |node: roxmltree::Node<'_, '_>| {
        let number = |name: &str| node.attribute(name).unwrap().parse::<f64>().unwrap();
        let (x, y, size, text) = (number("x"), number("y"), number("font-size"), node.text().unwrap());
        let wide = text_width(text) * size;
        let before = match node.attribute("text-anchor") {
            Some("middle") => wide / 2.0,
            Some("end") => wide,
            _ => 0.0,
        };
        // Turned texts end at their place, and are read from below.
        let place = match node.attribute("transform") {
            Some(_) => [x - 0.7 * size, y, x + 0.1 * size, y + wide],
            None => [x - before, y - 0.7 * size, x - before + wide, y + 0.1 * size],
        };
        (text.to_string(), place)
    };
    tree.descendants().filter(|node| node.has_tag_name("text")).map(of).collect()
}

#[test]
fn on_paper_no_text_is_cut_or_lies_over_another() {
    for (number, sample) in samples().iter().enumerate() {
        for width in [Width::COLUMN, Width::TEXT] {
            let layout = Layout::Paper { width, titled: false };
            let figure = sample.svg(&Theme::LIGHT, layout, "f");
            let tree = roxmltree::Document::parse(&figure).unwrap();
            let view = tree.root_element().attribute("viewBox").unwrap();
            let height: f64 = view.split(' ').next_back().unwrap().parse().unwrap();
            let found = boxes(&figure);
            for (at, (text, [left, top, right, bottom])) in found.iter().enumerate() {
                let inside = *left >= -1.0 && *right <= width.units() + 1.0 && *top >= -0.5 && *bottom <= height + 0.5;
                assert!(inside, "sample {number} at {width}: {text} at {:?}", found[at].1);
                for (other, [from, above, to, below]) in &found[..at] {
                    let apart = *right <= from + 0.5 || to - 0.5 <= *left || *bottom <= *above || *below <= *top;
                    assert!(apart, "sample {number} at {width}: {text} {:?} over {other}", found[at].1);
                }
            }
            assert!(!sample.caption().is_empty() && !found.iter().any(|(text, _)| text.contains("remark")));
        }
    }
}

#[test]
fn on_paper_text_has_7_to_9_points() {
    for sample in samples() {
        for titled in [false, true] {
            let figure = sample.svg(&Theme::LIGHT, Layout::Paper { width: Width::COLUMN, titled }, "f");
            let tree = roxmltree::Document::parse(&figure).unwrap();
            for node in tree.descendants().filter(|node| node.has_tag_name("text")) {
                let points = node.attribute("font-size").unwrap().parse::<f64>().unwrap() * 0.75;
                assert!((6.99..=9.01).contains(&points), "{points}: {:?}", node.text());
            }
        }
    }
}
