//! Sources of a server's log-likelihoods of whole texts: a token trie, the prompt's own, SGLang's route; all give what the
//! engine here computes, and one is chosen once.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::servers::{ITEMS, LIMIT, Place, apart, local, said};
use crate::support::context::Run;
use crate::support::files::{manifest, read_json_lines, records};
use crate::support::model_server::{Asked, ECHO, Kind, ModelServer, Reply, SGLANG, VLLM, serve, serve_changed};

/// Tokens of the prompts and continuations in a run's records, by item and order.
fn tokens(out: &Path) -> Vec<String> {
    let of_record = |record: &Value| {
        let ask = |ask: &Value| {
            let ids: Vec<&Value> =
                ask["results"].as_array().unwrap().iter().map(|result| &result["token_ids"]).collect();
            json!([ask["prompt_tokens"], ids])
        };
        let asks: Vec<Value> = record["asks"].as_array().unwrap().iter().map(ask).collect();
        json!([record["id"], record["order"], asks]).to_string()
    };
    let mut all: Vec<String> = records(out).iter().map(of_record).collect();
    all.sort();
    assert!(all.iter().all(|record| !record.contains("null")), "{all:?}");
    all
}

/// Whether a request asks for log-probabilities of its prompt.
fn is_of_prompt(asked: &Asked) -> bool {
    asked.body.get("prompt_logprobs").is_some()
}

fn source(out: &Path) -> String {
    manifest(out)["model"]["scores"].as_str().unwrap().to_string()
}

#[test]
fn a_token_trie_gives_what_prompts_give_and_the_engine_here_computes() {
    let place = Place::new();
    let server = serve(&place.model, VLLM);
    for scoring in ["letter", "text", "hybrid"] {
        let outs = ["trie", "prompt"].map(|from| {
            let out = place.out(&format!("{scoring}-{from}"));
            let more = ["--scoring", scoring, "--scores-from", from];
            place.run(&server, &out, &[&place.tokenizer()[..], &more].concat()).run_within(LIMIT).success();
            out
        });
        let here = place.out(&format!("{scoring}-here"));
        local(&place, &here, &["--scoring", scoring]);
        assert_eq!(outs.each_ref().map(|out| source(out)), ["token-trie", "prompt-logprobs"]);
        for other in [&outs[1], &here] {
            let difference = apart(&outs[0], other);
            assert!(difference < 1e-4, "{scoring} {}: {difference}", other.display());
            assert_eq!(tokens(&outs[0]), tokens(other), "{scoring}");
        }
    }
}

#[test]
fn continuations_of_any_shape_are_scored_along_the_trie() {
    let place = Place::new();
    // One is a prefix of another; then more first tokens than a request can name.
    let shapes = [" kitchen", " kitchen table", " kitchen tables are", " k", " garden", " garden\n\nB", "!"];
    let ascii = (b'!'..=b'~').map(|byte| char::from(byte).to_string());
    let two_bytes = (0xc3..=0xdf_u32).filter_map(|lead| char::from_u32((lead & 0x1f) << 6 | 0x29));
    let three_bytes = (1..=13_u32).filter_map(|lead| char::from_u32(lead << 12 | 0x0842));
    let many: Vec<String> = ascii.chain(two_bytes.chain(three_bytes).map(String::from)).collect();
    let row =
        |id: usize, continuations: Value| json!({"id": id, "prompt": "Ann is in the", "continuations": continuations});
    let rows = [row(1, json!(shapes)), row(2, json!(many))].map(|row| row.to_string() + "\n").concat();
    let input = place.out("rows.jsonl");
    fs::write(&input, rows).unwrap();
    let read = |model: &str, more: &[&str]| {
        let output = place.out("scores.jsonl");
        let mut command = place.command(&["logprob", "--offline", "--model", model, "--input"]);
        command.arg(&input).arg("--output").arg(&output).args(more).run_within(LIMIT).success();
        read_json_lines(&output)
    };
    let server = serve(&place.model, VLLM);
    let there = read(&server.name(), &[&place.tokenizer()[..], &["--scores-from", "trie"]].concat());
    let here = read(place.model.to_str().unwrap(), &["--device", "cpu"]);
    for (there, here) in there.iter().zip(&here) {
        assert_eq!((&there["prompt_tokens"], &there["prompt_ids"]), (&here["prompt_tokens"], &here["prompt_ids"]));
        let (there, here) = (there["results"].as_array().unwrap(), here["results"].as_array().unwrap());
        assert_eq!(there.len(), here.len());
        for (there, here) in there.iter().zip(here) {
            assert_eq!(there["token_ids"], here["token_ids"]);
            assert!((there["sum"].as_f64().unwrap() - here["sum"].as_f64().unwrap()).abs() < 1e-4);
        }
    }
    let named = |asked: &Asked| asked.body["logprob_token_ids"].as_array().map_or(0, Vec::len);
    let most = server.log().iter().filter(|asked| asked.is_of_a_trial()).map(named).max();
    assert_eq!(most, Some(128), "more children than one request names are asked by several");
}

/// A server whose requests of one kind take some more seconds.
fn slow(place: &Place, prompts: bool, seconds: f64) -> ModelServer {
    serve_changed(&place.model, VLLM, move |asked, honest| {
        match asked.is_of_a_trial() && is_of_prompt(asked) == prompts {
            true => Reply::Late(honest, Duration::from_secs_f64(seconds)),
            false => Reply::Json(honest),
        }
    })
}

#[test]
fn the_faster_source_is_chosen_once_and_kept() {
    let place = Place::new();
    let more = [&place.tokenizer()[..], &["--scoring", "text", "--concurrency", "3"]].concat();
    let (slow_prompts, slow_trie) = (slow(&place, true, 6.0), slow(&place, false, 0.5));
    let out = place.out("run");
    let begun = said(&mut place.run(&slow_prompts, &out, &[&more[..], &["--shard", "1/2"]].concat()), 0);
    assert!(begun.contains("log-likelihoods from token-trie, by trials asked both ways"), "{begun}");
    assert_eq!(source(&out), "token-trie");
    // The other shard is begun by a server of the other kind; shards of both sources make one run.
    let other = place.out("other");
    let begun = said(&mut place.run(&slow_trie, &other, &[&more[..], &["--shard", "2/2"]].concat()), 0);
    assert!(begun.contains("log-likelihoods from prompt-logprobs"), "{begun}");
    assert_eq!(source(&other), "prompt-logprobs");
    let whole = place.out("whole");
    let mut merge = place.command(&["merge"]);
    merge.args([&out, &other]).arg("--out").arg(&whole).run_within(LIMIT).success();
    // Taken away, the trials of a shard are asked again as it was begun, whatever is faster now.
    let lines = fs::read_to_string(out.join("trials.jsonl")).unwrap();
    fs::write(out.join("trials.jsonl"), lines.lines().next().unwrap().to_string() + "\n").unwrap();
    let _ = fs::remove_file(out.join("results.json"));
    let resumed = said(&mut place.run(&slow_trie, &out, &[&more[..], &["--shard", "1/2"]].concat()), 0);
    assert!(!resumed.contains("asked both ways"), "{resumed}");
    assert_eq!(source(&out), "token-trie");
}

#[test]
fn a_server_with_one_source_is_asked_by_that() {
    let place = Place::new();
    let more = [&place.tokenizer()[..], &["--scoring", "text"]].concat();
    let named_alone = Kind { prompt_logprobs: false, echo: false, ..VLLM };
    for (name, kind, expected) in [("named", named_alone, "token-trie"), ("echo", ECHO, "echo")] {
        let server = serve(&place.model, kind);
        let out = place.out(name);
        let begun = said(&mut place.run(&server, &out, &more), 0);
        assert!(!begun.contains("asked both ways"), "{begun}");
        assert_eq!(source(&out), expected);
        let here = place.out(&format!("{name}-here"));
        local(&place, &here, &["--scoring", "text"]);
        assert!(apart(&out, &here) < 1e-4, "{name}");
    }
    let refused = said(
        &mut place.run(
            &serve(&place.model, ECHO),
            &place.out("refused"),
            &[&more[..], &["--scores-from", "trie"]].concat(),
        ),
        2,
    );
    assert!(refused.contains("logprob_token_ids"), "{refused}");
}

#[test]
fn sources_that_disagree_are_told_and_the_prompt_is_believed() {
    let place = Place::new();
    let server = serve_changed(&place.model, VLLM, |asked, mut honest| {
        if asked.is_of_a_trial() && !is_of_prompt(asked) {
            let first = honest["choices"][0]["logprobs"]["top_logprobs"][0].as_object_mut().unwrap();
            first.values_mut().for_each(|value| *value = json!(value.as_f64().unwrap() - 0.5));
        }
        Reply::Json(honest)
    });
    let out = place.out("run");
    let rendered = said(&mut place.run(&server, &out, &[&place.tokenizer()[..], &["--scoring", "text"]].concat()), 0);
    assert!(rendered.contains("they differ by 0.500 nats"), "{rendered}");
    assert_eq!(source(&out), "prompt-logprobs");
}

#[test]
fn a_plan_counts_the_requests_of_both_sources_and_asks_nothing() {
    let place = Place::new();
    let server = serve(&place.model, VLLM);
    let plan = |more: &[&str]| {
        let mut plan = place.command(&["plan", "--model", &server.name(), "--offline", "--json", "--scoring", "text"]);
        plan.args(ITEMS).args(place.tokenizer()).args(more).run_within(LIMIT).success().json()
    };
    let (both, trie) = (plan(&[]), plan(&["--scores-from", "trie"]));
    assert_eq!(both["or"]["requests"], trie["requests"]);
    assert_eq!(both["or"]["fresh_tokens"], trie["fresh_tokens"]);
    assert_eq!(server.of_trials(), 0);
    let sent = |from: &str| {
        let before = server.of_trials();
        let more = ["--scoring", "text", "--scores-from", from, "--concurrency", "1"];
        let out = place.out(from);
        place.run(&server, &out, &[&place.tokenizer()[..], &more].concat()).run_within(LIMIT).success();
        server.of_trials() - before
    };
    assert_eq!(json!(sent("trie")), trie["requests"]);
    assert_eq!(json!(sent("prompt")), both["requests"]);
}

#[test]
fn sglang_is_asked_by_its_own_route() {
    let place = Place::new();
    let server = serve(&place.model, SGLANG);
    for (scoring, expected) in
        [("letter", "sglang-named-ids"), ("text", "sglang-prompt-logprobs"), ("hybrid", "sglang-prompt-logprobs")]
    {
        let (out, here) = (place.out(scoring), place.out(&format!("{scoring}-here")));
        let more = [&place.tokenizer()[..], &["--scoring", scoring, "--concurrency", "1"]].concat();
        let rendered = said(&mut place.run(&server, &out, &more), 0);
        // The cache is read up to the answer, so that of a trial's options only the first forwards its prompt.
        let hits = rendered
            .split(" % of them were in its prefix cache")
            .next()
            .and_then(|text| text.rsplit(' ').next()?.parse::<f64>().ok());
        assert!(hits.is_some_and(|hits| hits > 50.0 || scoring == "letter"), "{scoring}: {rendered}");
        local(&place, &here, &["--scoring", scoring]);
        let difference = apart(&out, &here);
        assert!(difference < 1e-4, "{scoring}: {difference}");
        assert_eq!(tokens(&out), tokens(&here), "{scoring}");
        let model = &manifest(&out)["model"];
        assert_eq!((&model["scores"], &model["version"]), (&json!(expected), &json!("0.5.23")), "{scoring}");
    }
    let trials: Vec<Asked> = server.log().into_iter().filter(Asked::is_of_a_trial).collect();
    assert!(trials.iter().all(|asked| asked.path == "/generate"));
    // Without a tokenizer there are no tokens to send.
    let rendered =
        place.command(&["models", "inspect", &server.name(), "--offline"]).run_within(LIMIT).success().stdout;
    assert!(rendered.contains("name the model's tokenizer"), "{rendered}");
}

#[test]
fn sglang_must_give_as_many_entries_as_were_asked_for() {
    let place = Place::new();
    for (scoring, key) in [("letter", "output_token_ids_logprobs"), ("text", "input_token_logprobs")] {
        let server = serve_changed(&place.model, SGLANG, move |asked, mut honest| {
            if asked.is_of_a_trial() {
                let list = &mut honest["meta_info"][key];
                let list = if scoring == "letter" { &mut list[0] } else { list };
                list.as_array_mut().unwrap().pop();
            }
            Reply::Json(honest)
        });
        let more = [&place.tokenizer()[..], &["--scoring", scoring, "--concurrency", "1"]].concat();
        let rendered = said(&mut place.run(&server, &place.out(scoring), &more), 2);
        assert!(rendered.contains("were asked for"), "{scoring}: {rendered}");
    }
}
