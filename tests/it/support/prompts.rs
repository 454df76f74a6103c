//! Items of every kind that packs have to put, and what their prompts hold.

use std::collections::BTreeSet;

use tomeval::internal::{Prompt, Span, SpanKind};
use tomeval::{Answer, Benchmark, Item, Language, OptionIx, Order, Segment, SegmentKind};

/// A synthetic item; every text is distinct, so that it can be found again.
pub fn item(benchmark: Benchmark, language: Language, options: usize, gold: Answer, kinds: &[SegmentKind]) -> Item {
    let context = kinds
        .iter()
        .enumerate()
        .map(|(at, &kind)| Segment { kind, text: format!("<{} {at} {{question}}>", kind.name()).into() })
        .collect();
    Item {
        id: format!("{benchmark}/1/{language}"),
        benchmark,
        language,
        parallel: format!("{benchmark}/1"),
        story: format!("{benchmark}/s/{language}"),
        context,
        question: "<the question>".into(),
        options: (0..options).map(|option| format!("<option number {option}>")).collect(),
        gold,
        facets: Default::default(),
        fields: Default::default(),
        flags: Vec::new(),
    }
}

pub fn single() -> Answer {
    Answer::Single(OptionIx(0))
}

pub const STORY: &[SegmentKind] = &[SegmentKind::Story];
const TALK: &[SegmentKind] = &[SegmentKind::Dialogue];
pub const VALLEY: &[SegmentKind] = &[
    SegmentKind::Profile,
    SegmentKind::Background,
    SegmentKind::Dialogue,
    SegmentKind::Background,
    SegmentKind::Dialogue,
];

pub fn negotiation(dimension: &str, language: Language) -> Item {
    let (options, gold) = match dimension {
        "intention" => (9, Answer::Labels(BTreeSet::from([OptionIx(2)]))),
        _ => (4, Answer::Slots(vec![OptionIx(0); 3])),
    };
    let mut item = item(Benchmark::NegotiationToM, language, options, gold, TALK);
    item.facets.insert("dimension".into(), dimension.into());
    for (field, value) in [("agent", "agent_1"), ("agent_number", "1"), ("other_number", "2"), ("utterance", "<said>")]
    {
        item.fields.insert(field.into(), value.into());
    }
    item
}

pub fn knowers(language: Language) -> Item {
    let gold = Answer::Labels(BTreeSet::from([OptionIx(1), OptionIx(3)]));
    item(Benchmark::FanToM, language, 5, gold, &[SegmentKind::Dialogue, SegmentKind::Target])
}

/// Items of every kind that the built-in packs have to put, in every language that the benchmark is published in.
pub fn all_kinds() -> Vec<Item> {
    use Language::{Ar, Bn, De, En, Fr, Hi, Ja, Ru, Zh};
    let mut items = Vec::new();
    for (benchmark, languages) in [
        (Benchmark::Demo, &[En, Zh][..]),
        (Benchmark::ToMBench, &[En, Zh]),
        (Benchmark::MultiToM, &[En, Zh, Ar, Fr, Hi, Bn, Ru]),
    ] {
        for &language in languages {
            items.extend([2, 4].map(|options| item(benchmark, language, options, single(), STORY)));
        }
    }
    items.extend([En, Zh].map(|language| item(Benchmark::HiToM, language, 15, single(), STORY)));
    for language in [En, Zh, De, Fr, Ja] {
        items.push(item(Benchmark::ToMi, language, 2, single(), STORY));
        items.push(item(Benchmark::XToMi, language, 2, single(), STORY));
        items.push(item(Benchmark::FanToM, language, 2, single(), TALK));
        items.push(item(Benchmark::XFanToM, language, 2, single(), &[SegmentKind::Dialogue, SegmentKind::Target]));
        items.push(knowers(language));
        items.extend(["belief", "desire", "intention"].map(|dimension| negotiation(dimension, language)));
    }
    items.extend([5, 8, 16].map(|options| item(Benchmark::ToMValley, En, options, single(), VALLEY)));
    for language in [En, Zh] {
        let several = Answer::Labels(BTreeSet::from([OptionIx(1), OptionIx(3)]));
        for gold in [single(), several, Answer::Slots(vec![OptionIx(0); 3])] {
            items.push(item(Benchmark::Custom, language, 6, gold, STORY));
        }
    }
    items
}

/// The text that a span of this kind must hold; `None` for text of the style itself.
fn expected_texts(item: &Item, order: &Order, span: &Span) -> Option<Vec<String>> {
    match &span.kind {
        SpanKind::Question => Some(vec![item.question.clone()]),
        SpanKind::Option(slot) => Some(vec![item.options[order.option_at(*slot).0].clone()]),
        SpanKind::Segment(SegmentKind::Note) => None,
        SpanKind::Segment(kind) => {
            Some(item.context.iter().filter(|segment| segment.kind == *kind).map(|s| s.text.to_string()).collect())
        }
        SpanKind::Field(name) => item.fields.get(name).map(|text| vec![text.clone()]),
        SpanKind::Instruction => None,
    }
}

/// Check that the spans of a prompt tile its messages and hold what they say they hold.
pub fn check_spans(item: &Item, order: &Order, prompt: &Prompt) {
    let mut next = (0, 0);
    for span in &prompt.spans {
        if span.message != next.0 {
            assert_eq!(next.1, prompt.messages[next.0].content.len(), "{}: spans reach the end", item.id);
            next = (next.0 + 1, 0);
        }
        assert_eq!((span.message, span.bytes.start), next, "{}: spans tile the messages", item.id);
        next.1 = span.bytes.end;
        if let Some(texts) = expected_texts(item, order, span) {
            assert!(
                texts.iter().any(|text| text == &prompt.messages[span.message].content[span.bytes.clone()]),
                "{}: {:?}",
                item.id,
                span
            );
        }
    }
    assert_eq!(next, (prompt.messages.len() - 1, prompt.messages[next.0].content.len()), "{}", item.id);
}

/// A prompt as one text.
pub fn shown(prompt: &Prompt) -> String {
    prompt.messages.iter().map(|message| format!("[{}]\n{}\n", message.role, message.content)).collect()
}
