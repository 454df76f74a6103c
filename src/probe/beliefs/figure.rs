//! Areas by layer as a chart.

use super::{Area, Group, Layer, LayerProbe};
use crate::figure::{Axis, Body, Chart, Line, Plane, Point};

const PERCENT: f64 = 100.0;

/// The areas of the probes of each layer, on made and on released stories.
pub fn chart(group: &Group, model: &str) -> Chart {
    let point = |layer: &Layer, probe: &LayerProbe, on_made: bool| {
        let percent = |(low, high): (f64, f64)| (low * PERCENT, high * PERCENT);
        let Area { auc, interval } = probe.released;
        let (y, interval) = match on_made {
            true => (probe.cross_validated, None),
            false => (auc, interval.map(percent)),
        };
        Point { x: layer.layer as f64, y: y * PERCENT, interval }
    };
    type Of = fn(&Layer) -> &LayerProbe;
    let lanes: [(Of, bool); 4] = [
        (|layer| &layer.belief, true),
        (|layer| &layer.belief, false),
        (|layer| &layer.reality, true),
        (|layer| &layer.reality, false),
    ];
    let line = |(series, (of, on_made)): (usize, (Of, bool))| Line {
        series,
        points: group.layers.iter().map(|layer| point(layer, of(layer), on_made)).collect(),
        joined: true,
    };
    Chart {
        title: format!("Belief and reality in the residual stream of {model}, {}", group.benchmark),
        subtitle: "Area under the curve x 100; intervals: 95 %, over stories".to_string(),
        series: ["belief, made stories", "belief, released", "reality, made stories", "reality, released"]
            .map(String::from)
            .into(),
        body: Body::Plane(Plane {
            across: Axis::Numbers { name: "layer (0: embedding)".to_string(), to: group.layers.len() as f64 - 1.0 },
            up: "AUC x 100".to_string(),
            lines: lanes.into_iter().enumerate().map(line).collect(),
            diagonal: false,
        }),
        notes: vec![
            format!(
                "Logistic probes of the last token of a statement, learned from {} made stories (by cross-validation over \
                 stories), tested on {} released stories in which belief and reality differ. 50: chance.",
                group.made_stories, group.released_stories
            ),
            "It says what can be decoded from the residual stream, not what the model uses.".to_string(),
        ],
    }
}
