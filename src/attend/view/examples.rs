//! A small document for the tests of the views.

use crate::attend::measure::{Capture, Heads, Layers, TokensRead};
use crate::attend::prompts::{AnnotatedPrompt, PartKind, PromptPart, PromptToken};
use crate::attend::results::*;
use crate::attend::results::{Evidence, Reduction, records};
use crate::attend::words::{AblationRecord, DeletionRecord, EffectRecord, KeywordOptions, LensRecord, Reader};
use crate::benchmark::SegmentKind;
use crate::language::Language;
use crate::prompt::SlotIx;
use crate::segment::segment;

const PARTS: [(PartKind, &str); 7] = [
    (PartKind::Template, "<s>"),
    (PartKind::Context(SegmentKind::Story), "Mia put the red ball into the box. Mia left. Tom took the ball."),
    (PartKind::Template, "\n"),
    (PartKind::Question, "Where will Mia look?"),
    (PartKind::Template, "\nA. "),
    (PartKind::Option(SlotIx(0)), "in the box"),
    (PartKind::Template, "\nAnswer:"),
];

/// The prompt with one token per word, including preceding white space.
pub(crate) fn prompt() -> AnnotatedPrompt {
    let text: String = PARTS.iter().map(|(_, text)| *text).collect();
    let mut at = 0;
    let parts = PARTS.iter().map(|(kind, text)| {
        at += text.len();
        PromptPart { kind: *kind, range: at - text.len()..at }
    });
    let parts: Vec<PromptPart> = parts.collect();
    let mut tokens: Vec<PromptToken> = Vec::new();
    let mut start = 0;
    for range in segment(&text, Language::En) {
        if !text[range.clone()].trim().is_empty() {
            tokens.push(PromptToken { id: tokens.len() as u32 + 10, range: start..range.end });
            start = range.end;
        }
    }
    AnnotatedPrompt::new(text, parts, tokens, Language::En)
}

/// Two layers of two heads; the second layer attends to `box`.
pub(crate) fn capture() -> Capture {
    let prompt = prompt();
    let tokens = prompt.tokens().len();
    let mut weights = Vec::new();
    for (layer, head) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let raw: Vec<f32> = prompt
            .tokens()
            .iter()
            .enumerate()
            .map(|(index, token)| match prompt.text()[token.range.clone()].trim() {
                _ if index == 0 => 8.0,
                "box" => 1.0 + 6.0 * (layer * (1 + head)) as f32,
                "Mia" => 2.0,
                _ => 1.0 + (index % 3) as f32 * 0.25,
            })
            .collect();
        let sum: f32 = raw.iter().sum();
        weights.extend(raw.iter().map(|weight| weight / sum));
    }
    Capture::new(vec![0, 1], 2, tokens, weights).unwrap()
}

fn check() -> DeletionRecord {
    let without = EffectRecord {
        fall: 1.6,
        probability: 0.5,
        label_mass: 0.75,
        flips: true,
        random: vec![0.1, -0.1, 0.3],
        described: 3,
        mean: 0.1,
        interval: (-0.09, 0.29),
        rare: 0.28,
        random_flips: 0,
        p: 0.25,
        smallest_p: 0.25,
        counted: 3,
        ended_early: false,
    };
    let only = EffectRecord { fall: -0.2, probability: 0.875, flips: false, rare: -0.08, ..without.clone() };
    DeletionRecord {
        option: "B".into(),
        log_odds: 1.1,
        probability: 0.75,
        label_mass: 0.875,
        words: 5,
        occurrences: 6,
        tokens: 7.0,
        matched: vec!["tokens".into()],
        random_tokens: 6.5,
        shared: 1.5,
        tokens_read: TokensRead { tokens: 4000, forwarded: 1000 },
        without,
        only,
    }
}

/// One wrongly answered prompt with a person's marks and a deletion check.
pub(crate) fn document() -> Document {
    let prompt = prompt();
    let keywords = KeywordOptions::default();
    let reduction = Reduction { keywords, layers: vec![1], heads: vec![0, 1] };
    let position = prompt.tokens().len() - 1;
    let (row, ranking) = records::query_record(&prompt, "answer", position, &Evidence::Capture(capture()), &reduction);
    let (parts, words, tokens) = records::text_records(&prompt, keywords.scope);
    let reader = Reader {
        name: "author".into(),
        keywords: vec!["box".into(), "left".into()],
        read_to: Some("Mia left.".into()),
        roles: Default::default(),
    };
    let human = records::human_record(&reader, &prompt, &ranking, 5, keywords);
    let option = |label: &str, text: &str, canonical, probability: f64, gold, chosen| OptionRecord {
        label: label.into(),
        text: text.into(),
        canonical,
        logprob: Some(probability.ln()),
        probability: Some(probability),
        gold,
        chosen,
    };
    Document {
        format: FORMAT.into(),
        program: "tomeval test".into(),
        canary: crate::canary::CANARY.to_string(),
        title: "Attention of a test".into(),
        settings: Method {
            measure: Measure::Attention,
            layers: Layers::Last(1),
            heads: Heads::All,
            keywords,
            top: 5,
            seed: 0,
        },
        models: vec![ModelRecord {
            name: "tiny_model".into(),
            sha256: Default::default(),
            layers: 2,
            heads: 2,
            dtype: "f32".into(),
            template_variables: Default::default(),
            chat_template: None,
        }],
        cases: vec![Case {
            tied: false,
            item: "test/1/en".into(),
            variant: String::new(),
            model: 0,
            story: "test/1".into(),
            stratum: [("benchmark".to_string(), "test".to_string())].into(),
            compared_only: false,
            language: Language::En,
            facets: [("task".to_string(), "False Belief".to_string())].into(),
            right: Some(false),
            text: prompt.text().into(),
            parts,
            words,
            tokens,
            options: vec![
                option("A", "in the box", 1, 0.25, true, false),
                option("B", "with Tom", 0, 0.75, false, true),
            ],
            rows: vec![row],
            humans: vec![human],
            deletion: Some(check()),
            orders: None,
            conclusion: None,
            knocked_out: vec![AblationRecord {
                parts: "heads=1.0".into(),
                fall: 0.5,
                probability: 0.625,
                label_mass: 0.75,
                flips: false,
            }],
            lens: Some(LensRecord {
                probabilities: vec![vec![0.5, 0.5], vec![0.625, 0.375], vec![0.25, 0.75]],
                label_mass: vec![0.001, 0.25, 0.875],
                first_tokens_only: false,
            }),
            parallel: "test/1".into(),
            roles: None,
            witness: None,
            contributions: None,
            sensitivity: Vec::new(),
            strongest: Vec::new(),
            positions: None,
        }],
        contrasts: Vec::new(),
        groups: Vec::new(),
        shifts: Vec::new(),
        differences: Vec::new(),
        findings: Default::default(),
        departures: Vec::new(),
        notes: Vec::new(),
    }
}
