//! `tomeval attend` end to end on a tiny model with random weights: what it writes is consistent and complete.

use std::fs;
use std::path::Path;
use std::process::Command;

use predicates::str::contains;
use serde_json::Value;
use tomeval::internal::{Ablation, Capture};
use tomeval::internal::{AttentionCapture, AttentionProbe, Weighting};
use tomeval::{Pass, Tokenizer};

use crate::support::attention_page::data_of;
use crate::support::context::{Run, TestContext};
use crate::support::files::{copy_folder, records};
use crate::support::tiny_chatglm::{TinyChatGlm, reference_logits};
use crate::support::tiny_models::tiny_model;
use crate::support::{decoder, fixture};

const ITEM: &str = "demo/cake-tin/0/en";

fn command(context: &TestContext, model: &Path, arguments: &[&str]) -> Command {
    let mut command = context.command(&["attend", "--offline", "--model"]);
    command.arg(model).args(arguments);
    if !arguments.iter().any(|argument| argument.starts_with("--deletion-draws")) {
        command.args(["--deletion-draws", "3"]);
    }
    command
}

/// A finished run of some items of the demo inventory.
fn run_of(context: &TestContext, model: &Path, out: &Path, limit: &str, arguments: &[&str]) {
    let mut evaluate = context.command(&["run", "--offline", "--benchmark", "demo", "--limit", limit]);
    evaluate.args(["--orders", "cyclic", "--model"]).arg(model).arg("--out").arg(out).args(arguments).run().success();
}

/// `attend` on a run, with nothing else named.
fn of_run(context: &TestContext, run: &Path, arguments: &[&str]) -> Command {
    let mut command = context.command(&["attend", "--offline", "--deletion-draws", "0", "--limit", "1", "--run"]);
    command.arg(run).args(arguments);
    command
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

#[test]
fn every_measure_gives_shares_of_the_same_words() {
    let context = TestContext::new();
    let model = tiny_model(context.folder());
    for measure in ["attention", "value", "rollout", "occlusion"] {
        let document = command(&context, &model, &["--item", ITEM, "--measure", measure]).json();
        let case = &document["cases"][0];
        let row = &case["rows"][0];
        let weights: f64 = numbers(&row["weights"]).iter().sum();
        assert!((weights - 1.0).abs() < 1e-5, "{measure}: shares sum to {weights}");
        let ranking = row["ranking"].as_array().unwrap();
        let ranked: f64 = ranking.iter().map(|word| word["weight"].as_f64().unwrap()).sum();
        assert!((ranked - 1.0).abs() < 1e-5, "{measure}: keywords sum to {ranked}");
        if measure != "occlusion" {
            let row_mass = row["sink"].as_f64().unwrap() + row["special"].as_f64().unwrap();
            let row_mass = row_mass + numbers(&row["parts"]).iter().sum::<f64>();
            assert!((row_mass - 1.0).abs() < 1e-5, "{measure}: the account covers {row_mass}");
        }
        let names: Vec<&str> =
            case["parts"].as_array().unwrap().iter().map(|part| part["name"].as_str().unwrap()).collect();
        for name in ["story", "question", "option A", "option D", "template"] {
            assert!(names.contains(&name), "{name} in {names:?}");
        }
        let chosen: Vec<bool> =
            case["options"].as_array().unwrap().iter().map(|option| option["chosen"].as_bool().unwrap()).collect();
        assert_eq!(chosen.iter().filter(|chosen| **chosen).count(), 1);
        assert_eq!(case["humans"][0]["reader"], "author");
        assert_eq!(case["deletion"]["without"]["random"].as_array().unwrap().len(), 3);
    }
}

/// Words are tested by the choice among the options, left out and left alone, the person's as well as the model's.
#[test]
fn the_deletion_check_is_about_the_choice() {
    let context = TestContext::new();
    let model = tiny_model(context.folder());
    let check = |arguments: &[&str]| -> Value {
        let arguments = [&["--item", ITEM, "--deletion-draws=60"], arguments].concat();
        command(&context, &model, &arguments).json()["cases"][0].clone()
    };
    let case = check(&[]);
    let number = |value: &Value| value.as_f64().unwrap();
    let options = case["options"].as_array().unwrap();
    let logprobs: Vec<f64> = options.iter().map(|option| number(&option["logprob"])).collect();
    let chosen = options.iter().position(|option| option["chosen"] == true).unwrap();
    let rest: f64 = (0..logprobs.len()).filter(|&at| at != chosen).map(|at| logprobs[at].exp()).sum();
    for found in [&case["deletion"], &case["humans"][0]["deletion"]] {
        assert_eq!(found["option"], options[chosen]["label"]);
        assert!((number(&found["log_odds"]) - (logprobs[chosen] - rest.ln())).abs() < 1e-5);
        assert!(
            (number(&found["label_mass"]) - logprobs.iter().map(|logprob| logprob.exp()).sum::<f64>()).abs() < 1e-6
        );
        assert!(
            (number(&found["random_tokens"]) - number(&found["tokens"])).abs()
                <= (0.2 * number(&found["tokens"])).max(1.0)
        );
        for (name, reaches) in [("without", f64::ge as fn(&f64, &f64) -> bool), ("only", f64::le)] {
            let effect = &found[name];
            let falls = numbers(&effect["random"]);
            let fall = number(&effect["fall"]);
            let odds = number(&effect["probability"]);
            let after = (odds / (1.0 - odds)).ln();
            assert!((number(&found["log_odds"]) - fall - after).abs() < 1e-4, "{name}: {effect}");
            assert_eq!(effect["described"], 50);
            let reaching: Vec<usize> = (0..falls.len()).filter(|&at| reaches(&falls[at], &fall)).collect();
            let expected = match reaching.get(9) {
                Some(at) => 10.0 / (at + 1) as f64,
                None => (reaching.len() + 1) as f64 / 61.0,
            };
            assert!((number(&effect["p"]) - expected).abs() < 1e-6, "{name}: {effect}");
        }
    }
    assert_eq!(case["deletion"], check(&[])["deletion"], "the seed alone decides");
    assert_eq!(case["deletion"]["matched"], serde_json::json!(["tokens"]));
    let other = check(&["--deletion-match", "tokens,place,function-words"]);
    assert_eq!(other["deletion"]["matched"], serde_json::json!(["tokens", "place", "function-words"]));
    assert_ne!(other["deletion"]["without"]["random"], case["deletion"]["without"]["random"]);
    assert_eq!(other["deletion"]["without"]["fall"], case["deletion"]["without"]["fall"]);
    let rendered = command(&context, &model, &["--item", ITEM, "--deletion-match", "length"]).run().code(2).stderr;
    assert!(rendered.contains("unknown match `length`; use tokens, place, function-words"), "{rendered}");
}

/// Parts switched off are those of the decoder, and the lens ends with the model's own answer.
#[test]
fn knocked_out_parts_and_the_lens_are_told() {
    let context = TestContext::new();
    let model = tiny_model(context.folder());
    let asked =
        ["--item", ITEM, "--deletion-draws=0", "--knock-out", "heads=0.1,1.3", "--knock-out", "layers=1", "--lens"];
    let case = command(&context, &model, &asked).json()["cases"][0].clone();
    let number = |value: &Value| value.as_f64().unwrap();
    let options = case["options"].as_array().unwrap();
    let own: Vec<f64> = options.iter().map(|option| number(&option["logprob"])).collect();
    let chosen = options.iter().position(|option| option["chosen"] == true).unwrap();
    let log_odds = |logprobs: &[f64]| {
        let rest: f64 = (0..logprobs.len()).filter(|&at| at != chosen).map(|at| logprobs[at].exp()).sum();
        logprobs[chosen] - rest.ln()
    };

    let lens = &case["lens"];
    let (layers, mass) = (lens["probabilities"].as_array().unwrap(), numbers(&lens["label_mass"]));
    assert_eq!((layers.len(), mass.len()), (3, 3), "the embedding and two layers");
    let total: f64 = own.iter().map(|logprob| logprob.exp()).sum();
    assert!((mass[2] - total).abs() < 1e-5);
    for (found, expected) in numbers(&layers[2]).iter().zip(&own) {
        assert!((found - expected.exp() / total).abs() < 1e-5);
    }

    let tokenizer = Tokenizer::from_folder(&model).unwrap();
    let text = case["text"].as_str().unwrap();
    let prompt = tokenizer.context(text, case["tokens"][0]["start"] == case["tokens"][0]["end"]).unwrap();
    let whole = decoder(&model);
    let off =
        [Ablation { heads: vec![(0, 1), (1, 3)], attention: vec![] }, Ablation { heads: vec![], attention: vec![1] }];
    for (record, (name, off)) in
        case["knocked_out"].as_array().unwrap().iter().zip(["heads=0.1,1.3", "layers=1"].iter().zip(off))
    {
        assert_eq!(record["parts"], **name);
        let left = whole.without(off).unwrap();
        let logprobs: Vec<f64> = options
            .iter()
            .map(|option| {
                let sequence = prompt.continue_with(option["label"].as_str().unwrap()).unwrap();
                let from = sequence.scored_from;
                let pass = Pass {
                    rows: (from - 1..sequence.tokens.len() - 1).collect(),
                    ..Pass::sequence(&sequence.tokens, 0)
                };
                let hidden = left.forward(&mut left.cache(), &pass).unwrap().hidden;
                let targets: Vec<(usize, u32)> = sequence.tokens[from..].iter().copied().enumerate().collect();
                left.log_probs(&hidden, &targets).unwrap().into_iter().map(f64::from).sum()
            })
            .collect();
        assert!((number(&record["fall"]) - (log_odds(&own) - log_odds(&logprobs))).abs() < 1e-4, "{record}");
        assert!(
            (number(&record["label_mass"]) - logprobs.iter().map(|logprob| logprob.exp()).sum::<f64>()).abs() < 1e-5
        );
    }
    let rendered = command(&context, &model, &["--item", ITEM, "--knock-out", "heads=2.0"]).run().code(2).stderr;
    assert!(rendered.contains("--knock-out: the model has no head 0 in layer 2: it has layers 0 to 1"), "{rendered}");
    let rendered = command(&context, &model, &["--item", ITEM, "--knock-out", "mlp=2"]).run().code(2).stderr;
    assert!(rendered.contains("invalid parts `mlp=2`; give heads=LAYER.HEAD"), "{rendered}");
}

#[test]
fn every_file_is_written_and_the_page_asks_for_nothing() {
    let context = TestContext::new();
    let model = tiny_model(context.folder());
    let file = |name: &str| context.path(name);
    let names = ["p.html", "f.svg", "f.png", "k.tex", "k.csv", "a.safetensors"];
    let flags = ["--html", "--svg", "--png", "--latex", "--csv", "--tensors"];
    let mut command =
        command(&context, &model, &["--item", ITEM, "--queries", "answer,options", "--contrast", "options"]);
    for (flag, name) in flags.iter().zip(names) {
        command.arg(flag).arg(file(name));
    }
    let document = command.json();
    assert_eq!(document["cases"][0]["rows"].as_array().unwrap().len(), 5, "the answer and four options");
    assert_eq!(document["contrasts"].as_array().unwrap().len(), 1);

    let page = fs::read_to_string(file("p.html")).unwrap();
    assert!(data_of(&page)["cases"][0]["item"] == ITEM && page.contains("default-src 'none'"));
    let csv = fs::read_to_string(file("k.csv")).unwrap();
    assert_eq!(csv.lines().count(), 1 + 5 * 10);
    let bytes = fs::read(file("a.safetensors")).unwrap();
    let tensors = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    let weights = tensors.tensor("0/answer/weights").unwrap();
    let tokens = document["cases"][0]["tokens"].as_array().unwrap().len();
    assert_eq!(weights.shape(), [2, 4, tokens]);
    let values: Vec<f32> = weights.data().chunks(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect();
    for row in values.chunks(tokens) {
        assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-4);
    }
    for name in names {
        assert!(fs::metadata(file(name)).unwrap().len() > 100, "{name}");
    }
}

#[test]
fn comparisons_name_what_they_compare() {
    let context = TestContext::new();
    let model = tiny_model(context.folder());
    let arguments =
        ["--item", ITEM, "--orders", "cyclic", "--contrast", "orders", "--contrast", "without=2", "--language", "en"];
    let document = command(&context, &model, &arguments).json();
    assert_eq!(document["cases"].as_array().unwrap().len(), 3);
    let names: Vec<&str> =
        document["contrasts"].as_array().unwrap().iter().map(|contrast| contrast["name"].as_str().unwrap()).collect();
    assert_eq!(names[0], "this order minus options in order 1 2 3 0");
    assert!(names[1].starts_with("this minus without \u{201c}While she is out"), "{}", names[1]);
    let left_out = document["contrasts"][1]["only_first"].as_array().unwrap();
    assert!(left_out.len() > 10, "the sentence's words stand in the first prompt only");

    let other = model.to_str().unwrap();
    let document = command(&context, &model, &["--item", ITEM, "--contrast", &format!("model={other}")]).json();
    assert_eq!(document["contrasts"][0]["distance"], 0.0, "a model does not differ from itself");
}

#[test]
fn mistakes_are_named() {
    let context = TestContext::new();
    let model = tiny_model(context.folder());
    let check = |arguments: &[&str], message: &str| {
        command(&context, &model, arguments).run().code(2).with_stderr(contains(message));
    };
    check(&["--item", "demo/cake-tin/9/en"], "did you mean `demo/cake-tin/");
    check(&["--where", "task=None"], "no item has task=None");
    check(&["--item", ITEM, "--layers", "1-7"], "numbered 0 to 1");
    check(&["--item", ITEM, "--heads", "9"], "numbered 0 to 3");
    check(&["--item", ITEM, "--heads", "0-4000"], "--heads 0-4000: the model's heads are numbered 0 to 3");
    check(&["--item", ITEM, "--heads", "0-99999999999"], "heads counted from 0 and below 10000");
    check(&["--item", ITEM, "--layers", "0-99999999999"], "layers counted from 0 and below 10000");
    check(&["--item", ITEM, "--top", "0"], "give a whole number from 1 to 1000");
    check(&["--item", ITEM, "--top", "100000"], "give a whole number from 1 to 1000");
    check(&["--item", ITEM, "--deletion-draws=1000000000"], "give a whole number from 0 to 10000");
    check(&["--limit", "0"], "give a whole number from 1 to");
    check(&["--limit-stories=-1"], "give a whole number from 1 to");
    check(&["--item", ITEM, "--html", "absent/p.html"], "does not exist; create it");
    check(&["--item", ITEM, "--human", "absent.json"], "cannot be read");
    check(&["--item", ITEM, "--contrast", "orders"], "--orders random:5");
}

/// Prompts are captured in one pass that keeps nothing; the rows are those of several passes over a cache, to rounding.
#[test]
fn rows_do_not_depend_on_the_passes() {
    let context = TestContext::new();
    let model = tiny_model(context.folder());
    let decoder = decoder(&model);
    let tokenizer = Tokenizer::from_folder(&model).unwrap();
    let probe = AttentionProbe {
        decoder: &decoder,
        tokenizer: &tokenizer,
        template: None,
        variables: Default::default(),
        now: None,
        budget: 1 << 28,
    };
    let ids: Vec<u32> = (0..1200).map(|index| 3 + index * 7 % 300).collect();
    let queries = [1199, 4, 600, 599];
    for weighting in [Weighting::Attention, Weighting::ValueNorms] {
        let found = probe.captures(&ids, &queries, weighting).unwrap();
        let mut cache = decoder.cache();
        for chunk in ids.chunks(500) {
            let start = cache.rows();
            let here: Vec<usize> =
                (0..queries.len()).filter(|&at| (start..start + chunk.len()).contains(&queries[at])).collect();
            let capture = Capture {
                queries: here.iter().map(|&at| queries[at] - start).collect(),
                value_norms: weighting == Weighting::ValueNorms,
                ..Capture::default()
            };
            let pass = Pass { rows: Vec::new(), capture: Some(capture), ..Pass::sequence(chunk, start) };
            let captured = decoder.forward(&mut cache, &pass).unwrap().attention.unwrap();
            for (&at, query) in here.iter().zip(captured.queries) {
                assert_eq!(found[at].tokens(), query.keys);
                let heads = captured.heads.len();
                let weights = query.value_norms.unwrap_or(query.weights);
                let passes = AttentionCapture::new(captured.layers.clone(), heads, query.keys, weights).unwrap();
                let passes = if weighting == Weighting::ValueNorms { passes.into_shares() } else { passes };
                let pairs = found[at].weights().iter().zip(passes.weights());
                let largest = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                assert!(largest < 1e-5, "query {at}: rows differ by {largest}");
            }
        }
    }

    // Rollout weights are shares, and the query keeps at least its residual half of each of the two layers.
    let rollout = probe.rollout(&ids[..200], 150).unwrap();
    assert_eq!(rollout.len(), 151);
    assert!((rollout.iter().sum::<f64>() - 1.0).abs() < 1e-5);
    assert!(rollout[150] >= 0.25);
}

/// The paper's own case: a model of ChatGLM3's shape with its tokenizer class and its built-in turns, from a folder to
/// page, keywords and deletion check; the options' log-likelihoods are those of candle-transformers.
#[test]
fn a_chatglm3_folder_goes_through_the_whole_analysis() {
    let context = TestContext::new();
    let model = context.path("chatglm3-tiny");
    fs::create_dir(&model).unwrap();
    // 700 pieces and the nine tokens of the turns.
    let tiny = TinyChatGlm { vocab: 712, seq_length: 2048 };
    tiny.write(&model);
    let source = fixture("spm/chatglm");
    for file in ["tokenizer.model", "tokenizer_config.json"] {
        fs::copy(source.join(file), model.join(file)).unwrap();
    }
    let file = |name: &str| context.path(name);
    for item in [ITEM, "demo/cake-tin/0/zh"] {
        let mut command = command(&context, &model, &["--language", "en", "--language", "zh", "--item", item]);
        for (flag, name) in [("--html", "p.html"), ("--svg", "f.svg"), ("--latex", "k.tex"), ("--tensors", "a.st")] {
            command.arg(flag).arg(file(name));
        }
        let document = command.json();
        let case = &document["cases"][0];
        let text = case["text"].as_str().unwrap();
        assert!(text.starts_with("[gMASK]<sop><|system|>\n "), "{text}");
        assert!(text.ends_with("<|assistant|>\n [["), "{text}");
        let ids: Vec<u32> =
            case["tokens"].as_array().unwrap().iter().map(|token| token["id"].as_u64().unwrap() as u32).collect();
        assert_eq!(ids[..3], [701, 703, 705], "no token stands before [gMASK]<sop><|system|>");

        let row = &case["rows"][0];
        let position = row["position"].as_u64().unwrap() as usize;
        assert_eq!(position, ids.len() - 1);
        assert_eq!(row["heads_map"]["heads"], 4);
        assert_eq!(row["layers"], serde_json::json!([0, 1]));

        let tokenizer = Tokenizer::from_folder(&model).unwrap();
        let logits = reference_logits(&mut tiny.reference(&model), &ids[..=position]);
        let normaliser = logits.iter().map(|logit| f64::from(*logit).exp()).sum::<f64>().ln();
        for option in case["options"].as_array().unwrap() {
            let label = tokenizer.encode(&format!("{text}{}", option["label"].as_str().unwrap()), false).unwrap();
            assert_eq!(label[..=position], ids[..=position]);
            assert_eq!(label.len(), position + 2, "a label is one token");
            let expected = f64::from(logits[label[position + 1] as usize]) - normaliser;
            let found = option["logprob"].as_f64().unwrap();
            assert!((found - expected).abs() < 1e-4, "{item} option {}: {found} {expected}", option["label"]);
        }

        let story = case["parts"].as_array().unwrap().iter().find(|part| part["name"] == "story").unwrap();
        let story = &text[story["start"].as_u64().unwrap() as usize..story["end"].as_u64().unwrap() as usize];
        let ranking = row["ranking"].as_array().unwrap();
        assert!(ranking.len() >= 10 && ranking.iter().all(|word| story.contains(word["text"].as_str().unwrap())));
        assert_eq!(case["deletion"]["without"]["random"].as_array().unwrap().len(), 3);
        assert_eq!(case["humans"][0]["reader"], "author");
        let page = fs::read_to_string(file("p.html")).unwrap();
        assert!(data_of(&page)["cases"][0]["item"] == item && page.contains("chatglm3-tiny"));
        assert!(fs::read_to_string(file("k.tex")).unwrap().contains("chatglm3-tiny"));
        assert!(fs::read_to_string(file("f.svg")).unwrap().contains(item));
        let bytes = fs::read(file("a.st")).unwrap();
        let tensors = safetensors::SafeTensors::deserialize(&bytes).unwrap();
        assert_eq!(tensors.tensor("0/answer/weights").unwrap().shape(), [2, 4, position + 1]);
    }
}

/// Where the prompt's last space and the label are one token, the position that predicts the label is the one before.
#[test]
fn the_answer_position_is_the_one_that_predicts_the_label() {
    let context = TestContext::new();
    let model = tiny_model(context.folder());
    let decoder = decoder(&model);
    let source = fixture("spm/chatglm");
    let tokenizer = Tokenizer::from_folder(&source).unwrap();
    let probe = AttentionProbe {
        decoder: &decoder,
        tokenizer: &tokenizer,
        template: None,
        variables: Default::default(),
        now: None,
        budget: 1 << 28,
    };
    for (text, before_the_end) in [("<|user|>\n Who?<|assistant|>\n ", 1), ("<|user|>\n Who?<|assistant|>\n [[", 0)] {
        let last = tokenizer.encode(text, false).unwrap().len() - 1;
        let answers = ["A".to_string(), "B".to_string()];
        let position = probe.answer_position(text, false, &answers).unwrap();
        assert_eq!(position, last - before_the_end, "{text:?}");
    }
}

/// The wrong answers of a run, in the orders that went wrong; the run's report leads to the page.
#[test]
fn the_wrong_answers_of_a_run_are_linked_from_its_report() {
    let context = TestContext::new();
    let model = tiny_model(context.folder());
    let run = context.path("run");
    run_of(&context, &model, &run, "6", &[]);
    let report = || fs::read_to_string(run.join("report.md")).unwrap();
    let plain = report();
    assert!(!plain.contains("attention.html"), "nothing to link to yet");

    for _ in 0..2 {
        let mut attend = command(&context, &model, &["--wrong", "--limit", "3", "--group", "task"]);
        let document = attend.arg("--run").arg(&run).json();
        let cases = document["cases"].as_array().unwrap();
        assert!(!cases.is_empty() && cases.len() <= 3);
        assert!(cases.iter().all(|case| case["right"] == false), "shown as it went wrong");
        let groups = document["groups"].as_array().unwrap();
        assert_eq!(groups.is_empty(), cases.len() < 2);
        let linked = report();
        assert!(linked.starts_with(plain.trim_end()));
        assert_eq!(linked.matches("[What the model looked at](attention.html)").count(), 1);
    }
    context.command(&["report"]).arg(&run).run().success().with_stderr(contains("attention.html"));
}

/// Nothing but the run is named: its own model, in its own arithmetic, date and words.
#[test]
fn a_run_is_read_by_its_own_model_as_it_was_asked() {
    // The manifest names a model below the working folder from there, and others by their whole path.
    let (context, elsewhere) = (TestContext::new(), TestContext::new());
    let model = tiny_model(elsewhere.folder());
    let run = context.path("run");
    run_of(&context, &model, &run, "3", &["--dtype", "bf16", "--style", "vanilla"]);
    let document = of_run(&context, &run, &[]).json();
    assert_eq!(document["models"][0]["name"], "tiny");
    assert_eq!(document["models"][0]["dtype"], "bf16");
    assert_eq!(document["departures"], Value::Null, "nothing to note");
    assert!(fs::read_to_string(run.join("report.md")).unwrap().contains("(attention.html)"));
    let case = &document["cases"][0];
    let shown = records(&run).iter().any(|record| {
        let options = case["options"].as_array().unwrap();
        let order: Vec<&Value> = options.iter().map(|option| &option["canonical"]).collect();
        record["id"] == case["item"] && record["order"].as_array().unwrap().iter().eq(order)
    });
    assert!(shown, "in an order that the run showed");

    // The manifest says where the model was; elsewhere it must be named, and is known by its files.
    let moved = elsewhere.path("moved");
    fs::rename(&model, &moved).unwrap();
    let text = of_run(&context, &run, &[]).run().code(2).stderr;
    assert!(
        text.contains("its model tiny") && text.contains("no such file") && text.contains("pass --model"),
        "{text}"
    );
    let moved_name = moved.to_str().unwrap();
    assert_eq!(of_run(&context, &run, &["--model", moved_name]).json()["departures"], Value::Null);
    fs::rename(&moved, &model).unwrap();
    let config = fs::read_to_string(model.join("config.json")).unwrap();
    fs::write(model.join("config.json"), config + "\n").unwrap();
    let text = of_run(&context, &run, &[]).run().code(2).stderr;
    assert!(text.contains("changed since the run"), "{text}");
}

/// Whatever is named in the place of the run's own is said on the terminal and on the page.
#[test]
fn what_is_named_in_the_place_of_the_runs_own_is_said() {
    let context = TestContext::new();
    let model = tiny_model(context.folder());
    let run = context.path("run");
    run_of(&context, &model, &run, "3", &[]);
    of_run(&context, &run, &[]).json();
    let page = run.join("attention.html");
    let (own_page, report) = (fs::read(&page).unwrap(), fs::read(run.join("report.md")).unwrap());
    assert!(!String::from_utf8_lossy(&own_page).contains("<p class=\"departure\""));

    let other = context.path("other");
    copy_folder(&model, &other);
    let config = fs::read_to_string(other.join("config.json")).unwrap();
    fs::write(other.join("config.json"), config + "\n").unwrap();
    let other = other.to_str().unwrap();
    let text = of_run(&context, &run, &["--model", other, "--dtype", "f16"]).run().success().stdout;
    assert!(text.starts_with("Note: The run's arithmetic is f32; here it is f16.\n"), "{text}");
    assert!(text.contains("Note: The run's model is tiny; here it is other."), "{text}");
    assert_eq!(fs::read(&page).unwrap(), own_page, "the page of the run's own model stays");
    assert_eq!(fs::read(run.join("report.md")).unwrap(), report);
    let html = fs::read_to_string(run.join("attention-other.html")).unwrap();
    assert!(html.contains("<p class=\"departure\">The run&#x27;s model is tiny; here it is other."), "said at the top");
    let text = of_run(&context, &run, &["--model", other, "--html", page.to_str().unwrap()]).run().code(2).stderr;
    assert!(text.contains("name another file"), "{text}");
    for ignored in [["--language", "en"], ["--seed", "1"], ["--orders", "all"], ["--benchmark", "demo"]] {
        let text = of_run(&context, &run, &ignored).run().code(2).stderr;
        assert!(text.contains("cannot be used with"), "{text}");
    }
}

/// The prompts of a run are found by their hash, or are not found.
#[test]
fn a_run_is_read_in_its_own_words() {
    let context = TestContext::new();
    let model = tiny_model(context.folder());
    let packs = context.path("packs");
    fs::create_dir(&packs).unwrap();
    let built_in = include_str!("../../../datasets/prompts/demo.toml");
    fs::write(packs.join("demo.toml"), built_in.replace("Read the story", "Read this story")).unwrap();
    let run = context.path("run");
    run_of(&context, &model, &run, "3", &["--prompts", packs.to_str().unwrap()]);
    let words = |document: &Value| document["cases"][0]["text"].as_str().unwrap().contains("Read this story");
    assert!(words(&of_run(&context, &run, &[]).json()), "where the run had them");

    let moved = context.path("moved");
    fs::create_dir(&moved).unwrap();
    fs::rename(packs.join("demo.toml"), moved.join("any-name.toml")).unwrap();
    assert!(words(&of_run(&context, &run, &[]).json()), "in the run's own folder");
    // Older versions kept no inputs.
    fs::remove_dir_all(run.join("inputs")).unwrap();
    let text = of_run(&context, &run, &[]).run().code(2).stderr;
    assert!(text.contains("was not found") && text.contains("demo.toml") && text.contains("pass --prompts"), "{text}");
    let document = of_run(&context, &run, &["--prompts", moved.to_str().unwrap()]).json();
    assert!(words(&document) && document["departures"] == Value::Null, "found by their hash");
    fs::write(packs.join("demo.toml"), built_in).unwrap();
    let document = of_run(&context, &run, &["--prompts", packs.to_str().unwrap()]).json();
    assert!(!words(&document), "named");
    assert!(document["departures"][0].as_str().unwrap().starts_with("The run's prompts for demo are "));
}

/// A model that gives no numbers chose nothing, as in `run`.
#[test]
fn what_is_not_finite_is_a_failure() {
    let context = TestContext::new();
    let model = tiny_model(context.folder());
    let weights = model.join("model.safetensors");
    let mut bytes = fs::read(&weights).unwrap();
    let header = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let tensors: Value = serde_json::from_slice(&bytes[8..header]).unwrap();
    let norm = &tensors["model.norm.weight"];
    assert_eq!(norm["dtype"], "F32");
    let at = header + norm["data_offsets"][0].as_u64().unwrap() as usize;
    bytes[at..at + 4].copy_from_slice(&f32::NAN.to_le_bytes());
    fs::write(&weights, bytes).unwrap();
    let page = context.path("p.html");
    let mut attend = command(&context, &model, &["--limit", "2", "--json", "--html", page.to_str().unwrap()]);
    let output = attend.run().code(1);
    let text = output.stderr;
    assert_eq!(
        text.matches("a log-likelihood is not a finite number; try --dtype f32, or check the weights").count(),
        1
    );
    assert!(text.contains("none of the prompts could be analysed; nothing was written"), "{text}");
    assert!(output.stdout.is_empty() && !page.exists());
}
