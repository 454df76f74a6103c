//! `tomeval bench` on a tiny model: every figure is there and fits the others; two documents compare.

use std::path::Path;

use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use tomeval::internal::{Bench, BenchCase, BenchComparison, BenchStep, Bound, Drift, Rounded, render_bench};
use tomeval::{Format, Screen};

use crate::support::context::{Output, Run, TestContext};
use crate::support::tiny_models::tiny_model;
use crate::support::{fixture, model_is_here};

fn bench(arguments: &[&str]) -> Output {
    TestContext::with_own_caches().command(&["bench"]).args(arguments).run()
}

/// A short measurement of a fixture, with more arguments.
fn measure(family: &str, more: &[&str]) -> Output {
    let model = fixture(family);
    let fixed = [
        "--model",
        model.to_str().unwrap(),
        "--offline",
        "--prompt",
        "16,32,4096",
        "--generate",
        "4",
        "--batch",
        "1,2",
        "--repeat",
        "2",
        "--device",
        "cpu",
    ];
    bench(&[&fixed[..], more].concat())
}

#[test]
fn the_document_holds_every_figure() {
    let context = TestContext::with_own_caches();
    let file = context.path("bench.json");
    let printed = measure("llama", &["--json", "--threads", "1", "--out", file.to_str().unwrap()]).success().stdout;
    assert_eq!(printed, std::fs::read_to_string(&file).unwrap());
    let bench = Bench::parse(&printed).unwrap();
    assert_eq!(Bench::parse(&bench.to_json().unwrap()).unwrap(), bench);

    for (format, start) in [
        (Format::Terminal, "program"),
        (Format::Markdown, "- program"),
        (Format::Csv, "measure,unit"),
        (Format::Latex, "% needs"),
    ] {
        let drawn = render_bench(&bench, format, Screen { width: None }).unwrap();
        assert!(drawn.starts_with(start), "{format:?}: {drawn}");
        for name in ["load", "prefill 16", "decode 2 x 4", "matrix product", "memory copy"] {
            assert!(drawn.contains(name), "{format:?} lacks {name}: {drawn}");
        }
    }

    assert_eq!(bench.environment.threads, 1);
    assert_eq!(bench.environment.dtype, "f32");
    assert!(bench.model.sha256.keys().any(|name| name == "model.safetensors"), "{:?}", bench.model.sha256);
    assert!((1..=2).contains(&bench.load_seconds.n));
    let measured = &bench.measured;
    let names: Vec<&str> = measured.measures.iter().map(|measure| measure.name.as_str()).collect();
    assert_eq!(names, ["prefill 16", "prefill 32", "decode 1 x 4", "decode 2 x 4"]);
    for measure in &measured.measures {
        let (rate, seconds) = (&measure.rate, &measure.seconds);
        assert_eq!((rate.n, seconds.n), (2, 2), "{}", measure.name);
        assert!(rate.min > 0.0 && rate.min <= rate.median && rate.median <= rate.max);
        // The slowest turn has the lowest rate.
        assert!((rate.min * seconds.max / measure.amount as f64 - 1.0).abs() < 1e-9);
        assert!(measure.flops > 0.0 && measure.bytes.is_some_and(|bytes| bytes > 0.0));
        assert!(measure.roofline.share > 0.0);
        let ceiling = match measure.roofline.bound {
            Bound::Compute => measure.flops / measured.product.median,
            Bound::Memory => measure.bytes.unwrap() / measured.copy.median,
        };
        assert!((measure.roofline.share / ceiling - 1.0).abs() < 1e-9);
    }
    assert_eq!(measured.measures[3].case, BenchCase::Decode { batch: 2, tokens: 4 });
    assert_eq!(measured.measures[3].amount, 8);
    assert!(measured.product.median > 1e8 && measured.copy.median > 1e7);
    if cfg!(target_os = "linux") {
        assert!(measured.peak_resident_bytes.is_some_and(|bytes| bytes > 1 << 20));
    }
    // The fixture's context is too short for a prompt of 4,096 tokens and for the questions.
    let skipped: Vec<&str> = measured.skipped.iter().map(|skipped| skipped.name.as_str()).collect();
    assert_eq!(skipped, ["prefill 4096", "score, naive", "score, shared"]);
    assert!(measured.skipped[0].reason.contains("128"), "{}", measured.skipped[0].reason);
    assert!(measured.skipped[1].reason.contains("128"), "{}", measured.skipped[1].reason);
}

/// The steps of a drift, by what is rounded.
fn drift(model: &str, more: &[&str]) -> Vec<BenchStep> {
    let drift = ["bench", "drift", "--model", model, "--offline", "--device", "cpu", "--json"];
    let output = TestContext::new().command(&drift).args(more).run().success();
    assert!(output.stderr.contains("the CPU rounds activations to 8 bits"), "{}", output.stderr);
    let found: Drift = serde_json::from_str(&output.stdout).unwrap();
    // Five orders are drawn of each, and one that is drawn twice is scored once.
    let drawn = found.questions + 1..=found.questions * 5;
    assert!(found.steps.iter().all(|step| drawn.contains(&step.choices)), "{found:?}");
    found.steps
}

#[test]
fn a_drift_tells_weights_and_activations_apart() {
    let context = TestContext::with_own_caches();
    let model = tiny_model(context.folder());
    let steps = drift(model.to_str().unwrap(), &["--questions", "2", "--quantize", "q4_0"]);
    let rounded: Vec<Rounded> = steps.iter().map(|step| step.rounded).collect();
    assert_eq!(rounded, [Rounded::Weights, Rounded::Activations, Rounded::Both]);
    let [weights, activations, both] = &steps[..] else { unreachable!() };
    assert!(weights.mean > 0.0 && weights.largest >= weights.mean, "{steps:?}");
    assert!(both.largest <= weights.largest + activations.largest + 1e-12, "{steps:?}");
    let plain = bench(&["drift", "--model", model.to_str().unwrap(), "--offline", "--device", "cpu"]).code(2);
    assert!(plain.stderr.contains("--quantize q8_0"), "{}", plain.stderr);
}

#[test]
fn activations_of_the_demo_model_are_rounded_beside_its_weights() {
    if !model_is_here() {
        return;
    }
    let steps = drift("smollm2-135m-instruct", &["--questions", "4", "--quantize", "q8_0"]);
    let [weights, activations, _] = &steps[..] else { unreachable!() };
    // By how much, and which of the two more, depends on the processor.
    assert!(activations.mean > 0.0 && weights.mean > 0.0, "{steps:?}");
    // The blocks of its file are rounded already.
    let steps = drift("smollm2-135m-instruct", &["--questions", "1", "--dtype", "quantized"]);
    assert_eq!(steps.len(), 1);
}

#[test]
fn two_documents_compare_by_their_medians() {
    let context = TestContext::with_own_caches();
    let files = [context.path("a.json"), context.path("b.json")];
    let paths: Vec<&str> = files.iter().map(|file| file.to_str().unwrap()).collect();
    measure("llama", &["--threads", "1", "--out", paths[0]]).success();
    let mut first = Bench::parse(&std::fs::read_to_string(&files[0]).unwrap()).unwrap();

    let compare = |other: &str, more: &[&str]| bench(&[&["compare", paths[0], other], more].concat()).success().stdout;
    let compared = |other: &str| serde_json::from_str::<BenchComparison>(&compare(other, &["--json"])).unwrap();
    // The same document again: every ratio is one and nothing differs.
    let same = compared(paths[0]);
    assert_eq!(same.warnings, Vec::<String>::new());
    assert!(same.ratios.iter().all(|ratio| ratio.ratio == Some(1.0)), "{:?}", same.ratios);

    first.measured.measures[0].rate.median *= 2.0;
    first.measured.measures.pop();
    first.environment.threads = 7;
    first.environment.dtype = "bf16".to_string();
    first.model.sha256[0] = "0".repeat(64);
    std::fs::write(&files[1], first.to_json().unwrap()).unwrap();
    let other = compared(paths[1]);
    let ratio = |name: &str| other.ratios.iter().find(|ratio| ratio.name == name).unwrap();
    assert_eq!(ratio("prefill 16").ratio, Some(2.0));
    assert_eq!(ratio("prefill 32").ratio, Some(1.0));
    assert_eq!((ratio("decode 2 x 4").second, ratio("decode 2 x 4").ratio), (None, None));
    for word in ["hashes", "precision", "threads"] {
        assert!(other.warnings.iter().any(|warning| warning.contains(word)), "{word}: {:?}", other.warnings);
    }
    let table = compare(paths[1], &[]);
    assert!(table.contains("2.000") && table.contains("warning: other precision: f32 and bf16"), "{table}");
}

#[test]
fn what_cannot_be_done_is_said_before_measuring() {
    for (arguments, expected) in [
        (&["--out", "absent-folder/bench.json"][..], "absent-folder"),
        (&["--repeat", "0"], "--repeat"),
        (&["--prompt", "12,x"], "--prompt"),
    ] {
        let message = measure("llama", arguments).code(2).stderr;
        assert!(message.contains(expected), "{message}");
    }
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let message = bench(&["compare", manifest.to_str().unwrap(), manifest.to_str().unwrap()]).code(2).stderr;
    assert!(message.contains("tomeval bench"), "{message}");
}

#[test]
fn what_a_bench_measures_serves_later_plans() {
    let context = TestContext::with_own_caches();
    let model = tiny_model(context.folder());
    let computing = ["--model", model.to_str().unwrap(), "--offline", "--device", "cpu", "--threads", "1"];
    let plan = || {
        let plan = context.command(&["plan", "--benchmark", "demo", "--limit", "4", "--json"]).args(computing).run();
        plan.json()["costs"].clone()
    };
    assert!(plan().is_null());
    let short = ["--prompt", "16", "--generate", "0", "--repeat", "1", "--no-score"];
    context.command(&["bench"]).args(computing).args(short).run().success();
    let costs = plan();
    let each = ["seconds_per_pass", "seconds_per_token"].map(|cost| costs[cost].as_f64().unwrap());
    assert!(each.iter().all(|&seconds| seconds >= 0.0) && each.iter().sum::<f64>() > 0.0, "{costs}");
    // Foreign content is no reason to fail.
    context.write("cache/costs.json", "[{}]");
    assert!(plan().is_null());
}

#[test]
fn runs_and_plans_end_with_their_reports_where_costs_cannot_be_read() {
    let context = TestContext::with_own_caches();
    std::fs::create_dir_all(context.path("cache/costs.json")).unwrap();
    for calibrate in [&[][..], &["--calibrate"]] {
        let mut plan = context.command(&["plan", "--benchmark", "demo", "--limit", "2", "--offline"]);
        let plan = plan.arg("--model").arg(tiny_model(context.folder())).args(calibrate).run();
        plan.with_stderr(contains("warning: ").and(contains("costs.json"))).with_stdout(contains("tokens forwarded"));
    }
    let (model, out) = (tiny_model(context.folder()), context.path("run"));
    let mut run = context.command(&["run", "--benchmark", "demo", "--limit", "2", "--device", "cpu", "--offline"]);
    let output = run.arg("--model").arg(model).arg("--out").arg(&out).run().success();
    let output = output.with_stderr(contains("warning: ").and(contains("costs.json")));
    assert!(out.join("results.json").is_file() && !output.stdout.is_empty());
}

#[test]
fn a_shape_is_measured_without_files_and_compared_with_the_cpu() {
    let fixed = ["--shape", "smollm2-135m-instruct", "--random", "--device", "cpu", "--repeat", "1", "--json"];
    let small = ["--seed", "1", "--prompt", "16", "--generate", "2", "--batch", "1", "--check", "--dtype", "bf16"];
    let document = |more: &[&str]| Bench::parse(&bench(&[&fixed[..], &small, more].concat()).success().stdout).unwrap();
    let bench = document(&[]);
    assert_eq!(bench.model.source, "random weights, seed 1");
    let measures = &bench.measured.measures;
    let names: Vec<&str> = measures.iter().map(|measure| measure.name.as_str()).collect();
    assert_eq!(names, ["prefill 16", "decode 1 x 2", "trie 16, naive", "trie 16, shared"]);
    for measure in measures {
        let mfu = measure.flops / bench.measured.product.median;
        assert!((measure.mfu.unwrap() / mfu - 1.0).abs() < 1e-9 && mfu > 0.0, "{measure:?}");
    }
    assert_eq!((measures[3].amount, measures[3].unit.as_str()), (20, "prompts/s"));
    assert!(measures[2].seconds.median > measures[3].seconds.median, "sharing saves work");
    let check = bench.check.as_ref().unwrap();
    assert!(check.passed && check.layers == 2 && check.largest.is_some_and(|largest| largest > 0.0), "{check:?}");
    assert!(check.mean_of_dtype.is_some_and(|mean| mean > 0.0), "{check:?}");

    // Where the time goes, as tensor operations.
    let context = TestContext::new();
    let trie = context.path("trie.csv");
    std::fs::write(&trie, "story,shared,tokens,continuations\n0,0,30,1 1 1\n0,20,31,2\n1,5,29,1\n").unwrap();
    let profiled = document(&["--profile", "--trie", trie.to_str().unwrap()]);
    let names: Vec<&str> = profiled.measured.profiles.iter().map(|profile| profile.name.as_str()).collect();
    assert_eq!(names, ["prefill 16", "decode 1 x 2", "3 prompts of 30, shared"]);
    for profile in &profiled.measured.profiles {
        let operations: f64 = profile.operations.iter().map(|operation| operation.seconds).sum();
        assert!(operations > 0.5 * profile.seconds && operations < profile.seconds, "{profile:?}");
    }
    let drawn = render_bench(&profiled, Format::Terminal, Screen { width: Some(100) }).unwrap();
    assert!(drawn.contains("Time per operation: prefill 16") && drawn.contains("linear.rs:"), "{drawn}");
    assert_eq!((bench.measured.profiles.len(), bench.settings.trie), (0, None));

    // A document of a program that knew none of this.
    let mut old: serde_json::Value = serde_json::from_str(&bench.to_json().unwrap()).unwrap();
    old.as_object_mut().unwrap().remove("check");
    old["settings"].as_object_mut().unwrap().remove("random");
    for measure in old["measured"]["measures"].as_array_mut().unwrap() {
        measure.as_object_mut().unwrap().remove("mfu");
    }
    assert_eq!(Bench::parse(&old.to_string()).unwrap().settings.random, None);
}

#[test]
fn a_shape_that_is_unknown_or_too_large_is_refused() {
    let shape = |arguments: &[&str]| bench(&[arguments, &["--device", "cpu"]].concat()).code(2).stderr;
    let error = shape(&["--shape", "deepseek-v3", "--random", "--dtype", "f32"]);
    for part in ["deepseek-v3", "TiB", "for the weights in f32", "a pass of 8192 tokens", "--dtype q4_k takes"] {
        assert!(error.contains(part), "{part}: {error}");
    }
    let mapped = shape(&["--shape", "mixtral-8x7b-instruct-v0.1", "--random", "--experts", "mapped"]);
    assert!(mapped.contains("--shape has none"), "{mapped}");
    assert!(shape(&["--shape", "no-such-card", "--random"]).contains("unknown model"));
    assert!(shape(&["--shape", "qwen3-8b"]).contains("--random"));
    assert!(shape(&["--shape", "qwen3-8b", "--random", "--model", "x"]).contains("cannot be used with"));
}
