//! Twins of tracked stories as a file of one's own questions.

use super::OwnItem;
use crate::benchmark::{Answer, Benchmark, Facets, Item, OptionIx, Segment, SegmentKind};
use crate::canary::CANARY;
use crate::story::twins::{Edit, Kind, Twin};
use crate::story::{Wording, contents};

/// The card of the file: a table by edit, and the twins.
pub const TWINS_CARD: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/datasets/making/twins.toml"));

/// What a reader of a story is to assume.
fn assumptions(kind: Kind, wording: Wording) -> String {
    let (sight, claims) = match wording {
        Wording::English => (
            "Agents see everything that happens in a room while they are in it, and whoever comes back sees where everything \
             there is now.",
            " They believe what they are told about an object only if the one who tells them left the room later than they \
             did.",
        ),
        Wording::Chinese => (
            "人物看得到自己在房间里时发生的一切，回来的人看得到那里的东西现在都在哪里。",
            "别人告诉他们某样东西在哪里时，只有那个人比自己更晚离开房间，他们才会相信。",
        ),
    };
    match kind {
        Kind::HiToM => format!("{sight}{claims}"),
        Kind::ToMi => sight.to_string(),
        Kind::Contents => contents::ASSUMPTIONS.to_string(),
    }
}

/// The lines of the file, the first with the canary line.
pub fn twin_lines(twins: &[Twin], (kind, wording): (Kind, Wording), seed: u64) -> serde_json::Result<String> {
    let assumptions = assumptions(kind, wording);
    let mut lines = String::new();
    // The original is the first of its set.
    let mut original: Option<&Twin> = None;
    for twin in twins {
        if twin.edit == Edit::Original {
            original = Some(twin);
        }
        let original = original.filter(|original| original.set == twin.set);
        let item = item(twin, original, (kind, wording), seed, &assumptions);
        let canary = lines.is_empty().then_some(CANARY);
        lines += &serde_json::to_string(&OwnItem::<()> { canary, ..OwnItem::new(&item) })?;
        lines.push('\n');
    }
    Ok(lines)
}

fn item(twin: &Twin, original: Option<&Twin>, (kind, wording): (Kind, Wording), seed: u64, assumptions: &str) -> Item {
    let place = format!("{}-{seed}", kind.name());
    let id = format!("{place}/{}/{}", twin.set, twin.edit);
    let is_same = original.is_some_and(|original| original.gold == twin.gold);
    let facets = [
        ("set", format!("{place}/{}", twin.set)),
        ("edit", twin.edit.name().to_string()),
        ("order", twin.order.to_string()),
        ("gold", if is_same { "same" } else { "changed" }.to_string()),
    ];
    Item {
        parallel: id.clone(),
        id,
        benchmark: Benchmark::Custom,
        language: wording.language(),
        story: format!("{place}/{}", twin.number),
        context: vec![Segment { kind: SegmentKind::Story, text: format!("{assumptions}\n\n{}", twin.text).into() }],
        question: twin.question.clone(),
        options: twin.options.clone(),
        gold: Answer::Single(OptionIx(twin.gold)),
        facets: Facets::from_iter(facets.map(|(facet, value)| (facet.to_string(), value))),
        fields: Default::default(),
        flags: Vec::new(),
    }
}
