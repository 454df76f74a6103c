//! Tokenizer and template of the demo model against the reference, and the fast way to continue a prompt against the
//! plain one, on real data where it is there.

use crate::support::released::{REQUIRE_DATA, data};
use crate::support::skipped;
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use serde::Deserialize;
use tomeval::internal::ContextRequest;
use tomeval::internal::render_or_merge;
use tomeval::{
    Benchmark, DEMO_MODEL, Fetch, LoadOptions, Message, RenderSettings, Request, TextParts, Tokenizer, resolve_model,
};

/// The demo model's text parts; `None` (said aloud) where the model is not on this machine, unless it is required.
fn demo() -> Option<TextParts> {
    match resolve_model(DEMO_MODEL, &Fetch::offline()) {
        Ok(files) => Some(files.text_parts().expect("the demo model has a tokenizer and a template")),
        Err(error) => {
            skipped("TOMEVAL_REQUIRE_MODEL", &error.to_string());
            None
        }
    }
}

#[derive(Deserialize)]
struct Reference {
    id: String,
    messages: Vec<Message>,
    continuations: Vec<String>,
    prompt: String,
    prompt_ids: Vec<u32>,
    results: Vec<ReferenceResult>,
}

#[derive(Deserialize)]
struct ReferenceResult {
    token_ids: Vec<u32>,
}

fn reference() -> Vec<Reference> {
    let folder = data().join("../reference");
    let mut rows = Vec::new();
    for name in ["smollm2-tombench-letter.jsonl", "smollm2-tombench-text.jsonl"] {
        match std::fs::read_to_string(folder.join(name)) {
            Ok(text) => {
                rows.extend(text.lines().map(|line| serde_json::from_str::<Reference>(line).expect("a reference row")));
            }
            Err(error) => skipped(REQUIRE_DATA, &format!("{name}: {error}")),
        }
    }
    rows
}

/// Context and continuation as one text, without any short cut.
fn whole(tokenizer: &Tokenizer, prompt: &ContextRequest) -> Vec<Vec<u32>> {
    let texts = prompt.continuations.iter().map(|continuation| format!("{}{continuation}", prompt.context));
    texts.map(|text| tokenizer.encode(&text, prompt.add_special).expect("real texts can be tokenized")).collect()
}

fn check(tokenizer: &Tokenizer, prompts: &[ContextRequest]) {
    for (prompt, request) in prompts.iter().zip(Request::encode_all(tokenizer, prompts)) {
        let request = request.expect("real texts can be continued");
        let context = tokenizer.encode(&prompt.context, prompt.add_special).expect("real texts can be tokenized");
        assert_eq!(request.context(), context);
        for (tail, expected) in request.continuations().zip(whole(tokenizer, prompt)) {
            let kept = context.iter().zip(&expected).take_while(|(one, other)| one == other).count();
            assert_eq!(tail, &expected[kept..], "{:?}", prompt.context);
        }
    }
}

#[test]
fn prompts_and_ids_are_those_of_the_reference() {
    let Some(text) = demo() else { return };
    let rows = reference();
    let mut prompts = Vec::new();
    for row in &rows {
        let rendered = render_or_merge(text.template.as_ref(), &row.messages, &RenderSettings::for_generation());
        let rendered = rendered.expect("the demo model's template takes every chat");
        assert_eq!(rendered.text, row.prompt, "{}", row.id);
        let context = text.tokenizer.context(rendered.text.as_str(), rendered.add_special).expect("real text");
        assert_eq!(context.ids(), row.prompt_ids, "{}", row.id);
        for (continuation, result) in row.continuations.iter().zip(&row.results) {
            let sequence = context.continue_with(continuation).expect("the reference scores it");
            assert_eq!(sequence.tokens[sequence.scored_from..], result.token_ids, "{}: {continuation}", row.id);
        }
        prompts.push(ContextRequest {
            context: rendered.text,
            continuations: row.continuations.clone(),
            add_special: rendered.add_special,
        });
    }
    check(&text.tokenizer, &prompts);
}

#[test]
fn a_thousand_items_are_continued_as_one_text() {
    const ITEMS: usize = 1_000;
    let Some(text) = demo() else { return };
    let loaded = match Benchmark::ToMBench.load(&data().join("tombench"), &LoadOptions::default()) {
        Ok(loaded) => loaded,
        Err(error) => return skipped(REQUIRE_DATA, &error.to_string()),
    };
    let mut random = ChaCha8Rng::seed_from_u64(4);
    let prompts = loaded.items.choose_multiple(&mut random, ITEMS).flat_map(|item| {
        let story: Vec<&str> = item.context.iter().map(|segment| &*segment.text).collect();
        let raw = format!("{}\n{}\n{}\nAnswer:", story.join("\n"), item.question, item.options.join("\n"));
        let chat = render_or_merge(text.template.as_ref(), &[Message::user(&*raw)], &RenderSettings::for_generation());
        let spaced = item.options.iter().map(|option| format!(" {option}")).collect();
        [
            ContextRequest { context: raw, continuations: spaced, add_special: true },
            ContextRequest {
                context: chat.expect("the template takes every chat").text,
                continuations: item.options.clone(),
                add_special: false,
            },
        ]
    });
    let prompts: Vec<ContextRequest> = prompts.collect();
    assert_eq!(prompts.len(), 2 * ITEMS);
    check(&text.tokenizer, &prompts);
}
