//! `docs/formats.md` against what the program writes: documents are as their JSON schemas say, every key that occurs is named,
//! and every key of a table that is not made from a type occurs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::{Value, json};

use crate::support::context::{Run, TestContext};
use crate::support::files::{edit_json, json_lines, read_json, read_json_lines};
use crate::support::fixture;
use crate::support::tiny_models::{base_model, shared_tiny_model, tiny_model};

/// Names of keys from the outermost one; `[]` for an entry of a list.
type Key = Vec<String>;

/// The keys (or columns) of a section of the page.
#[derive(Default)]
struct Section {
    keys: Vec<Key>,
    /// Whether they were made from a type, which may have keys that no run here brings about.
    of_types: bool,
}

/// The sections of the page by their headings.
fn documented() -> BTreeMap<String, Section> {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/formats.md")).unwrap();
    let mut sections: BTreeMap<String, Section> = BTreeMap::new();
    let mut section = String::new();
    for line in page.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            section = heading.replace('`', "");
        } else if let Some(row) = line.strip_prefix("| `") {
            let (name, meaning) = row.split_once("` | ").unwrap();
            assert!(meaning.trim_end_matches('|').trim().len() > 3, "{section}: `{name}` has no meaning");
            sections.entry(section.clone()).or_default().keys.push(key_of(name));
        } else if line == "| key | type | meaning |" {
            sections.entry(section.clone()).or_default().of_types = true;
        }
    }
    sections
}

fn key_of(name: &str) -> Key {
    let part = |part: &str| {
        let plain = part.trim_end_matches("[]");
        let lists = (part.len() - plain.len()) / 2;
        std::iter::once(plain.to_string()).chain(std::iter::repeat_n("[]".to_string(), lists)).collect::<Vec<_>>()
    };
    name.split('.').flat_map(part).collect()
}

/// Every key of a value: all the way to values without parts, and those on the way.
fn keys(value: &Value, at: &Key, ends: &mut BTreeSet<Key>, all: &mut BTreeSet<Key>) {
    let below = |name: &str| [&at[..], &[name.to_string()]].concat();
    if !at.is_empty() {
        all.insert(at.clone());
    }
    match value {
        Value::Object(entries) if !entries.is_empty() => {
            entries.iter().for_each(|(name, value)| keys(value, &below(name), ends, all));
        }
        Value::Array(entries) if !entries.is_empty() => {
            entries.iter().for_each(|value| keys(value, &below("[]"), ends, all));
        }
        // A list without entries is there all the same.
        Value::Array(_) => {
            all.insert(below("[]"));
            ends.insert(below("[]"));
        }
        _ => {
            ends.insert(at.clone());
        }
    }
}

/// Whether a key is the documented one, or (where it holds nothing) one on the way to it.
fn leads_to(key: &Key, documented: &Key) -> bool {
    key.len() <= documented.len() && key.iter().zip(documented).all(|(key, name)| key == name || name == "*")
}

/// Keys that the page does not name, and keys that never occur.
fn differences(section: &str, documented: &Section, values: &[Value]) -> Vec<String> {
    let (mut ends, mut all) = (BTreeSet::new(), BTreeSet::new());
    values.iter().for_each(|value| keys(value, &Vec::new(), &mut ends, &mut all));
    let unnamed = ends.iter().filter(|key| !documented.keys.iter().any(|name| leads_to(key, name)));
    let occurs = |name: &Key| all.iter().any(|key| key.len() == name.len() && leads_to(key, name));
    let absent = documented.keys.iter().filter(|name| !documented.of_types && !occurs(name));
    unnamed
        .map(|key| format!("{section}: {} is not documented", key.join(".")))
        .chain(absent.map(|name| format!("{section}: {} never occurs", name.join("."))))
        .collect()
}

/// What contradicts the schema of a section that is one document, by the names that the page's template has.
fn contradictions(section: &str, values: &[Value]) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let template = fs::read_to_string(folder.join("src/cli/formats.md")).unwrap();
    let sections = template.split("\n## ").find(|text| text.lines().next().unwrap().replace('`', "") == section);
    let asked = sections.into_iter().flat_map(|text| text.split("<!-- keys: ").skip(1));
    let asked = asked.map(|text| text.split(" -->").next().unwrap().split(" without ").next().unwrap());
    let names: Vec<&str> = asked.flat_map(str::split_whitespace).collect();
    let schemas: Value =
        serde_json::from_str(&fs::read_to_string(folder.join("docs/formats.schema.json")).unwrap()).unwrap();
    let validators: Vec<_> = names.iter().map(|name| jsonschema::validator_for(&schemas[*name]).unwrap()).collect();
    let fits = |value: &&Value| validators.is_empty() || validators.iter().any(|validator| validator.is_valid(value));
    let odd = values.iter().filter(|value| !fits(value));
    odd.flat_map(|value| validators[0].iter_errors(value).take(3))
        .map(|error| format!("{section}: {error} at {}", error.instance_path()))
        .collect()
}

/// Runs the program and gives what it printed, whether or not items failed.
fn printed(arguments: &[&str], paths: &[(&str, &Path)]) -> String {
    let context = TestContext::new();
    let mut command = context.command(arguments);
    for (name, path) in paths {
        if !name.is_empty() {
            command.arg(name);
        }
        command.arg(path);
    }
    command.run().done().stdout
}

fn one(text: String) -> Vec<Value> {
    vec![serde_json::from_str(&text).unwrap()]
}

/// A model whose template has a thinking switch, and whose weights are all zero, so that no answer is likelier than another.
fn undecided_model(context: &TestContext) -> PathBuf {
    let model = tiny_model(&context.path("undecided"));
    let weights = model.join("model.safetensors");
    let tensors = candle_core::safetensors::load(&weights, &candle_core::Device::Cpu).unwrap();
    let zero = tensors.into_iter().map(|(name, tensor)| (name, tensor.zeros_like().unwrap())).collect();
    candle_core::safetensors::save(&zero, &weights).unwrap();
    let template = fixture("chat_templates/chatml_thinking.jinja");
    let config = model.join("tokenizer_config.json");
    // Asked to think, it begins within a section.
    let closed = "'<think>\\n\\n</think>\\n\\n' }}";
    let source = fs::read_to_string(template).unwrap();
    assert!(source.contains(closed));
    let opened = format!("{closed}\n    {{%- elif enable_thinking is defined %}}{{{{- '<think>\\n' }}}}");
    edit_json(&config, |settings| settings["chat_template"] = source.replace(closed, &opened).into());
    model
}

/// Two golden fixtures, one of them a mixture, and a GGUF file with nothing to compare it with.
fn some_fixtures(folder: &Path) -> PathBuf {
    for file in ["precisions.json", "gguf/llama-q8_0.gguf"] {
        fs::create_dir_all(folder.join("gguf")).unwrap();
        fs::copy(fixture(file), folder.join(file)).unwrap();
    }
    for family in ["llama", "mixtral"] {
        fs::create_dir_all(folder.join(family)).unwrap();
        for file in ["config.json", "model.safetensors", "expected.safetensors"] {
            fs::copy(fixture(family).join(file), folder.join(family).join(file)).unwrap();
        }
    }
    folder.to_path_buf()
}

/// The columns of a Parquet file; those of facets, which differ from benchmark to benchmark, as one.
fn columns_of(path: &Path) -> Value {
    let reader = SerializedFileReader::new(fs::File::open(path).unwrap()).unwrap();
    let columns = reader.metadata().file_metadata().schema().get_fields();
    let name = |name: &str| if name.starts_with("facet_") { "facet_NAME".to_string() } else { name.to_string() };
    columns.iter().map(|column| (name(column.name()), Value::Null)).collect::<serde_json::Map<_, _>>().into()
}

/// What is made, by the headings of the page.
fn of_making(context: &TestContext) -> Vec<(&'static str, Vec<Value>)> {
    let model = shared_tiny_model();
    let quotas =
        "name = 'some'\nsource = 'own'\ndraw = 'distance'\n[[quotas]]\nname = 'all'\nstories = 3\nquestions = 1\n";
    let quotas = context.write("quotas.toml", quotas);
    let mut sampled = context.command(&["make", "subsample", "-b", "demo", "-l", "en", "--out", "sample", "--quotas"]);
    sampled.arg(&quotas).arg("--model").arg(model).run().done();
    // Beside the keys of the page, a line has the facets of its item.
    let facets = ["task", "file", "dimension", "ability", "label", "index"];
    let mut sampled = read_json_lines(&context.path("sample/items.jsonl"));
    sampled.iter_mut().for_each(|line| line.as_object_mut().unwrap().retain(|key, _| !facets.contains(&key.as_str())));
    sampled.push(read_json(&context.path("sample/sample.json")));
    context.run(&["make", "split", "-b", "demo", "-l", "en", "--out", "split"]).success();
    let mut split = vec![read_json(&context.path("split/split.json"))];
    split.extend(read_json(&context.path("split/train_all.json")).as_array().unwrap().clone());
    // A sketch of nothing, about which no model is asked.
    fs::create_dir_all(context.path("sketches/trial1")).unwrap();
    context.write("sketches/trial1/story.json", "{}");
    context.write("sketches/trial1/question_new.json", "{}");
    let mut contexts =
        context.command(&["make", "contexts", "--choose", "trials=all", "--data", "sketches", "--out", "contexts"]);
    contexts.arg("--writer").arg(model).run().code(1);
    let contexts = read_json_lines(&context.path("contexts/contexts.jsonl"));
    // The tiny model sketches nothing.
    let mut sketched =
        context.command(&["make", "sketches", "--contexts", "1", "--max-new-tokens", "8", "--out", "sketched"]);
    sketched.arg("--writer").arg(model).run().code(1);
    let sketched = read_json_lines(&context.path("sketched/sketches.jsonl"));
    let mut translated = context.command(&["make", "translate", "-b", "demo", "--item", "demo/cake-tin/0/en"]);
    translated.args(["--to", "zh", "--max-new-tokens", "8", "--out", "translated", "--translator"]).arg(model);
    // The tiny model translates nothing.
    translated.run().code(1);
    let mut translated = vec![read_json(&context.path("translated/make.json"))];
    // What the settings hold is the pipeline's own.
    translated[0]["settings"] = json!({});
    for name in ["translated/replies.jsonl", "translated/made.jsonl"] {
        translated.extend(read_json_lines(&context.path(name)));
    }
    vec![
        ("make subsample", sampled),
        ("make split", split),
        ("make sketches", sketched),
        ("make contexts", contexts),
        ("Folders of make translate", translated),
    ]
}

/// What is written of a server, by the headings of the page: one that names tokens, and one that gives too few of them.
#[cfg(feature = "server")]
fn of_servers(context: &TestContext) -> Vec<(&'static str, Vec<Value>)> {
    use crate::support::model_server::{Reply, TOP, VLLM, serve, serve_changed};
    let model = tiny_model(&context.path("served"));
    let few = serve_changed(&model, TOP, |asked, mut honest| {
        if asked.is_of_a_trial() {
            honest["choices"][0]["logprobs"]["top_logprobs"][0] = json!({"B": -0.4, "x": -2.0});
        }
        if asked.path == "/v1/models" {
            honest["data"][0]["root"] = json!("org/tiny");
            honest["data"][0]["quantization"] = json!("awq");
        }
        Reply::Json(honest)
    });
    let all = serve(&model, VLLM);
    let demo = ["--offline", "--benchmark", "demo", "-l", "en", "--limit", "2"];
    let asked = |command: &[&'static str], more: &[&str], name: &str, paths: &[(&str, &Path)]| {
        printed(&[command, &["--model", name], &demo[..], more].concat(), paths)
    };
    let outs = ["few", "all"].map(|name| context.path(format!("served-{name}")));
    asked(&["run"], &["--orders", "identity"], &few.name(), &[("--out", &outs[0]), ("--tokenizer", &model)]);
    asked(&["run"], &["--orders", "identity"], &all.name(), &[("--out", &outs[1]), ("--tokenizer", &model)]);
    let read = |out: &PathBuf, name: &str| fs::read_to_string(out.join(name)).unwrap();
    let records = outs.iter().flat_map(|out| json_lines(&read(out, "trials.jsonl")));
    let manifest = |out: &PathBuf| serde_json::from_str(&read(out, "manifest.json")).unwrap();
    let texts = ["--orders", "identity", "--scoring", "text", "--json"];
    let plan = asked(&["plan"], &texts, &all.name(), &[("--tokenizer", &model)]);
    let probed = asked(&["probe", "orders"], &["--json", "--draws", "9"], &all.name(), &[("--tokenizer", &model)]);
    let inspected = printed(&["models", "inspect", &all.name(), "--offline", "--json"], &[]);
    let name = all.name();
    let doctor = ["doctor", "--server", &name, "--offline", "--json"];
    let doctors = [printed(&doctor, &[]), printed(&doctor, &[("--reference", &model)])];
    let said = outs.iter().flat_map(|out| json_lines(&read(out, "server.jsonl")));
    vec![
        ("trials.jsonl", records.collect()),
        ("audit.json", outs.iter().map(|out| read_json(&out.join("audit.json"))).collect()),
        ("audit.jsonl", outs.iter().flat_map(|out| read_json_lines(&out.join("audit.jsonl"))).collect()),
        ("manifest.json", outs.iter().map(manifest).collect()),
        ("plan --json", one(plan)),
        ("probe --json", one(probed)),
        ("models inspect --json of a server", one(inspected)),
        ("doctor --server --json", doctors.into_iter().flat_map(one).collect()),
        ("server.jsonl", said.collect()),
    ]
}

#[test]
fn every_key_is_documented_and_every_documented_key_occurs() {
    let context = TestContext::new();
    let at = |name: &str| context.path(name);
    let (base, undecided) = (base_model(context.folder()), undecided_model(&context));
    let own = at("own.jsonl");
    let options: Vec<String> = (0..20).map(|number| format!("box {number}")).collect();
    let rows = [
        json!({ "id": "few", "question": "Where?", "options": ["box", "bed"], "answer": "A", "topic": "x" }),
        json!({ "id": "many", "question": "Where?", "options": options, "answer": "A" }),
        json!({ "id": "bad", "question": "Where?", "options": ["box"], "answer": "A" }),
    ];
    fs::write(&own, rows.map(|row| row.to_string() + "\n").concat()).unwrap();

    // Texts under foreign instructions, by an adapted model; own rows of which one cannot be asked and one not read; the default with a thinking
    // switch; a shard.
    let run = |arguments: &str, model: &Path, out: &str, more: &[(&str, &Path)]| {
        let arguments: Vec<&str> = ["run", "--offline"].into_iter().chain(arguments.split(' ')).collect();
        let out = at(out);
        let paths = [&[("--model", model), ("--out", &out)], more].concat();
        printed(&arguments, &paths);
    };
    let demo = "--benchmark demo --limit 2";
    let adapter = PathBuf::from(format!("en={}", fixture("adapters/llama").display()));
    run(
        &format!("{demo} -l zh --instructions en --scoring text --orders cyclic --name texts"),
        &base,
        "texts",
        &[("--adapter", &adapter)],
    );
    run("--orders identity --choose language=en", &base, "own", &[("--data", &own)]);
    run("--limit 2 --orders random:2", &undecided, "default", &[]);
    run(&format!("{demo} --orders identity --batch-tokens 1 --shard 1/2"), &base, "shard", &[]);
    let drawn = "--scoring generate --style cot --samples 2 --temperature 1 --top-k 50 --max-new-tokens 3,6 --stop xyz --thinking on";
    run(&format!("{demo} --orders identity {drawn}"), &undecided, "written", &[]);
    let linked = ["percept", "belief"].map(|link| {
        let row = json!({ "id": link, "question": "Where?", "options": ["box", "bed"], "answer": "A", "story": "A box.", "link": link });
        row.to_string() + "\n"
    });
    let linked = context.write("linked.jsonl", linked.concat());
    let card = context.write("linked.toml", "[[links]]\nfirst = 'percept'\nsecond = 'belief'\n");
    let of_links = [("--data", linked.as_path()), ("--card", card.as_path())];
    run("--orders identity --where link=percept", &base, "percepts", &of_links);
    let firsts = [("--from", at("percepts"))];
    let firsts = firsts.each_ref().map(|(name, path)| (*name, path.as_path()));
    run("--orders identity --remind percept-belief", &base, "reminded", &[&of_links[..], &firsts].concat());
    // Other orders and another precision, so that answers differ and some prompts are the same.
    let many = "--benchmark demo -l en --limit 40";
    run(&format!("{many} --orders random:2"), &base, "left", &[]);
    run(&format!("{many} --orders random:2 --seed 2 --dtype bf16"), &base, "right", &[]);
    let sides = [("", at("left")), ("", at("right"))];
    let sides = sides.each_ref().map(|(name, path)| (*name, path.as_path()));
    let compared = printed(&["compare", "--common", "--flips", "3", "--json"], &sides);
    run("--benchmark demo -l en -l zh --limit 8 --orders identity", &base, "languages", &[]);
    let languages = [("", at("languages"))];
    let languages = languages.each_ref().map(|(name, path)| (*name, path.as_path()));
    let cells = printed(&["compare", "--between", "language", "--cells", "--json"], &languages);
    let published = printed(&["compare", "--published", "tombench", "--json"], &[]);
    let runs = ["texts", "own", "default", "shard", "written", "reminded"];
    let in_runs =
        |name: &str| -> Vec<Value> { runs.iter().flat_map(|run| read_json_lines(&at(run).join(name))).collect() };
    let report = |run: &str, format: &str| {
        let data = [("--data", own.as_path()), ("", &at(run))];
        printed(&["report", "--format", format], if run == "own" { &data } else { &data[1..] })
    };

    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/multi-tom");
    let tomi = data.with_file_name("tomi");
    let items = printed(&["data", "items", "--benchmark", "multi-tom"], &[("--data", &data)]);
    let fields = data.with_file_name("negotiationtom");
    let with_fields = printed(&["data", "items", "--benchmark", "negotiationtom"], &[("--data", &fields)]);
    let answers: String = json_lines(&items)
        .iter()
        .map(|item| {
            let direct = item["facets"]["variant"] == "direct";
            let choice = if direct { item["gold"][0].clone() } else { Value::Null };
            json!({ "id": item["id"], "choice": choice }).to_string() + "\n"
        })
        .collect();
    fs::write(at("answers.jsonl"), answers).unwrap();
    let score = |format: &str| {
        let arguments = ["score", "--benchmark", "multi-tom", "--format", format];
        printed(&arguments, &[("--data", &data), ("--answers", &at("answers.jsonl"))])
    };

    let sets = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let in_languages = printed(&["data", "items", "--benchmark", "xfantom"], &[("--data", &sets)]);
    let unanswered = |item: &Value| json!({ "id": item["id"], "choice": null }).to_string() + "\n";
    fs::write(at("languages.jsonl"), json_lines(&in_languages).iter().map(unanswered).collect::<String>()).unwrap();
    let languages = printed(
        &["score", "--benchmark", "xfantom", "--json"],
        &[("--data", &sets), ("--answers", &at("languages.jsonl"))],
    );

    let attend = ["attend", "--offline", "--limit", "2", "--json", "--deletion-draws"];
    let with = |more: &[&'static str]| [&attend[..], more].concat();
    let all = with(&[
        "2",
        "--contrast",
        "options",
        "--contrast",
        "orders",
        "--group",
        "task",
        "--lens",
        "--knock-out",
        "layers=0",
    ]);
    let csv = at("keywords.csv");
    let (stories, roles, heads, marks) = (at("stories"), at("roles.csv"), at("heads.csv"), at("marks.json"));
    // So many that wrong and right answers of a kind can be compared.
    printed(&["make", "tomi", "--stories", "12"], &[("--out", &stories)]);
    // A story with a sentence of no known form.
    let odd = at("odd");
    printed(&["make", "tomi", "--stories", "2"], &[("--out", &odd)]);
    let text = fs::read_to_string(odd.join("fb_all_test.txt")).unwrap();
    fs::write(odd.join("fb_all_test.txt"), text.replace(" exited the ", " left the ")).unwrap();
    let unread = with(&["0", "--benchmark", "tomi", "--where", "dimension=belief", "--roles"]);
    let inside = [
        "attend",
        "--offline",
        "--json",
        "--deletion-draws",
        "0",
        "--benchmark",
        "tomi",
        "--where",
        "dimension=belief",
        // Each type of question has one value of it, so that no stratum has both.
        "--group",
        "tom",
        "--limit",
        "60",
        "--witness",
        "--roles",
        "--head-maps",
        "scope,original-actual,contribution",
        "--contributions",
        "--sensitivity",
        "--knock-out",
        "strongest:1",
        "--random-heads",
        "2",
        "--orders",
        "random:2",
        "--contrast",
        "orders",
    ];
    let witness = at("witness.csv");
    let in_tables = [
        ("--model", base.as_path()),
        ("--data", &stories),
        ("--roles-csv", &roles),
        ("--witness-csv", &witness),
        ("--heads-csv", &heads),
    ];
    let marked = json!({ "format": "tomeval-human-keywords/1", "items": [{ "id": "demo/cake-tin/0/en", "readers": [
        { "name": "ada", "keywords": ["tin"], "roles": { "believed": ["tin"], "actual": ["moon"] } }
    ] }] });
    fs::write(&marks, marked.to_string()).unwrap();
    let attended = [
        printed(&all, &[("--run", &at("default")), ("--csv", &csv)]),
        printed(&with(&["0"]), &[("--run", &at("default")), ("--model", &base)]),
        printed(&inside, &in_tables),
        printed(&with(&["0", "--item", "demo/cake-tin/0/en", "--roles"]), &[("--model", &base), ("--human", &marks)]),
        printed(&with(&["0", "--item", "demo/cake-tin/1/en", "--roles", "--witness"]), &[("--model", &base)]),
        printed(&unread, &[("--model", &base), ("--data", &odd)]),
        printed(&with(&["0", "--measure", "occlusion", "--item", "demo/cake-tin/0/en"]), &[("--model", &base)]),
    ];

    let kept = [at("kept"), at("kept-part")];
    let keep = |out: &Path, more: &[&str]| {
        let fixed = ["attend", "--offline", "--limit", "2", "--deletion-draws", "2", "--group", "task"];
        printed(&[&fixed[..], more].concat(), &[("--run", &at("default")), ("--out", out)]);
    };
    keep(&kept[0], &["--knock-out", "layers=0", "--contrast", "options", "--witness"]);
    keep(&kept[1], &["--shard", "1/2"]);

    let asked = [
        json!({ "id": 1, "prompt": "Hello", "continuations": ["a"] }),
        json!({ "id": 2, "messages": [{ "role": "user", "content": "Hello" }], "answer_prefix": "[[", "continuations": ["b"] }),
    ];
    let [input, output] = ["asked.jsonl", "scored.jsonl"].map(at);
    fs::write(&input, asked.clone().map(|row| row.to_string() + "\n").concat()).unwrap();
    let logprob = [("--model", undecided.as_path()), ("--input", &input), ("--output", &output)];
    printed(&["logprob", "--offline"], &logprob);

    let (made, probed) = (at("Hi-ToM_data.json"), ["orders.jsonl", "min-k.jsonl", "recall.jsonl"].map(at));
    printed(&["make", "hi-tom", "--stories", "1", "--chapters", "1"], &[("--out", &made)]);
    let probe = |what: &str, more: &[(&str, &Path)]| {
        let mut arguments = vec!["probe", what, "--offline", "--json"];
        let protocols = ["--protocol", "completion", "--protocol", "example", "--protocol", "classic"];
        arguments.extend(if what == "recall" { protocols.as_slice() } else { &["--draws", "9"] });
        printed(&arguments, &[&[("--model", base.as_path())], more].concat())
    };
    let probes = [
        probe("orders", &[("--out", &probed[0]), ("--data", &made)]),
        probe("min-k", &[("--out", &probed[1]), ("--data", &made)]),
        probe("recall", &[("--out", &probed[2]), ("--data", &made)]),
    ];
    let (tomi_stories, states) = (at("tomi-stories"), at("states.npy"));
    printed(&["make", "tomi", "--stories", "9"], &[("--out", &tomi_stories)]);
    let of_beliefs = ["probe", "beliefs", "--offline", "--json", "--stories", "40", "-b", "tomi"];
    let rows = at("beliefs.jsonl");
    let mut probes = probes.to_vec();
    let model = ("--model", base.as_path());
    probes.push(printed(&of_beliefs, &[model, ("--data", &tomi_stories), ("--out", &rows), ("--states", &states)]));
    let probed = [probed.to_vec(), vec![rows]].concat();
    let mut states = vec![read_json(&states.with_extension("json"))];
    let attended_states = at("attended.npy");
    let of_attend = ["attend", "--offline", "--deletion-draws", "0", "--limit", "2", "-b", "tomi", "--json"];
    printed(&of_attend, &[model, ("--data", &tomi_stories), ("--states", &attended_states)]);
    states.push(read_json(&attended_states.with_extension("json")));
    let of_probes = probed.iter().flat_map(|path| read_json_lines(path)).collect();

    let bench = ["bench", "--offline", "--prompt", "8,100000", "--generate", "2", "--repeat", "1", "--json"];
    let drift = ["bench", "drift", "--offline", "--questions", "1", "--quantize", "q8_0", "--device", "cpu", "--json"];
    let plan = ["plan", "--offline", "--limit", "2", "--json"];
    let shape = "bench --shape smollm2-135m-instruct --random --check --dtype bf16 --prompt 8 --generate 2 --batch 1 --repeat 1 --profile";
    let shape: Vec<&str> = shape.split(' ').chain(["--device", "cpu", "--json"]).collect();
    let doctor = |more: &[&str]| printed(&[&["doctor", "--json"], more].concat(), &[("--data", &data)]);
    let doctors = [doctor(&["--device", "cpu"]), doctor(&["--device", "cuda:0"]), doctor(&["--gemm"])];
    let selftest = ["selftest", "--device", "cpu", "--json"];
    let study = at("study.toml");
    let of_all = "offline = true\ndevice = 'cpu'\nlimit = 2\n";
    fs::write(&study, format!("{of_all}[[model]]\nmodel = {base:?}\n[[task]]\nbenchmark = 'demo'\n")).unwrap();
    let fixtures = some_fixtures(&at("fixtures"));

    let manifest =
        |run: &str| serde_json::from_str(&fs::read_to_string(at(run).join("manifest.json")).unwrap()).unwrap();
    // The run of all items has several of a story.
    let more = [score("json"), report("left", "json")];
    // What pages exported (tests/data/annotate).
    let exported = |name: &str| data.with_file_name("annotate").join(format!("{name}.jsonl"));
    let people = |format: &str| {
        let answers = [("--answers", exported("answer-p1")), ("--answers", exported("answer-p2"))];
        let answers = answers.each_ref().map(|(name, path)| (*name, path.as_path()));
        printed(&["score", "--benchmark", "demo", "--language", "en", "--format", format], &answers)
    };
    let read = |names: &[&str], more: &[(&str, &Path)]| {
        let files: Vec<PathBuf> = names.iter().map(|name| exported(name)).collect();
        let files: Vec<(&str, &Path)> = files.iter().map(|file| ("", file.as_path())).collect();
        printed(&["annotate", "read", "--json"], &[more, &files].concat())
    };
    let keywords = at("keywords.json");
    let judged = [
        read(&["mark-p1", "mark-p2"], &[("--keywords", &keywords)]),
        read(&["errors-p1", "errors-p2"], &[]),
        read(&["errors-p1", "errors-p2", "errors-third"], &[]),
        read(&["contexts-p1", "contexts-p2"], &[]),
        read(&["mqm-p1", "mqm-p2"], &[]),
        read(&["mqm-p1", "mqm-p2", "mqm-third"], &[]),
    ];
    let exports: String = fs::read_dir(exported("x").parent().unwrap())
        .unwrap()
        .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect();
    let more = more.into_iter().chain([people("json"), languages]);
    let results = runs.map(|run| report(run, "json")).into_iter().chain(more).flat_map(one).collect();
    let reported: String = runs.map(|run| report(run, "items")).concat() + &score("items") + &people("items");
    let statistics = |more: &[&str]| {
        let arguments = [&["data", "stats", "--json", "-b", "multi-tom"], more].concat();
        one(printed(&arguments, &[("--data", &data), ("--tokenizer", &base)]))
    };
    let requests = ["prompts", "write", "--benchmark", "demo", "--format", "jsonl", "--limit", "2"];
    printed(&requests, &[("--out", &at("requests"))]);
    let mut written: BTreeMap<&str, Vec<Value>> = BTreeMap::from([
        ("trials.jsonl", in_runs("trials.jsonl")),
        ("commands.jsonl", in_runs("commands.jsonl")),
        ("timings.jsonl", in_runs("timings.jsonl")),
        ("inputs/", runs.iter().map(|run| read_json(&at(run).join("inputs/data.json"))).collect()),
        ("manifest.json", runs.map(manifest).to_vec()),
        ("results.json", results),
        ("--format items", json_lines(&reported)),
        ("compare --json", one(compared)),
        ("compare --cells --json", one(cells)),
        ("compare --published --json", one(published)),
        ("attend --json", attended.into_iter().flat_map(one).collect()),
        ("probe --json", probes.into_iter().flat_map(one).collect()),
        ("probe --out", of_probes),
        ("Files of --states", states),
        ("bench --json", [one(printed(&bench, &[("--model", &base)])), one(printed(&shape, &[]))].concat()),
        ("bench drift --json", one(printed(&drift, &[("--model", &base)]))),
        ("doctor --json", doctors.into_iter().flat_map(one).collect()),
        ("study.json", one(printed(&["study", "--json"], &[("", &study)]))),
        ("selftest --json", one(printed(&selftest, &[("--fixtures", &fixtures)]))),
        ("plan --json", one(printed(&plan, &[("--model", &base)]))),
        ("Exports of annotate", json_lines(&exports)),
        ("annotate read --json", judged.into_iter().flat_map(one).collect()),
        ("Human keywords", one(fs::read_to_string(&keywords).unwrap())),
        ("prompts write", read_json_lines(&at("requests").join("map.jsonl"))),
        ("data items", [json_lines(&items), json_lines(&with_fields)].concat()),
        ("data check --json", one(printed(&["data", "check", "--json", "-b", "multi-tom"], &[("--data", &data)]))),
        ("data twins --json", one(printed(&["data", "twins", "--json", "-b", "tomi"], &[("--data", &tomi)]))),
        ("data stats --json", [&["--by", "dimension"][..], &["--by", "task,ability"]].map(statistics).concat()),
        ("logprob output", read_json_lines(&output)),
    ]);
    // Names of columns are keys of one line.
    let columns = |text: &str| {
        let names = text.lines().next().unwrap().split(',');
        vec![Value::Object(names.map(|name| (name.to_string(), Value::Null)).collect())]
    };
    #[cfg(feature = "server")]
    for (section, values) in of_servers(&context) {
        written.entry(section).or_default().extend(values);
    }
    written.extend(of_making(&context));
    written.insert("report.csv", columns(&report("texts", "csv")));
    let kept_items = fs::read_to_string(kept[0].join("items.csv")).unwrap();
    let named_once = |name: &str| if name.starts_with("facet_") { "facet_NAME".to_string() } else { name.to_string() };
    let names = kept_items.lines().next().unwrap().split(',').map(|name| (named_once(name), Value::Null));
    written.insert("items.csv", vec![Value::Object(names.collect())]);
    let manifests = kept.each_ref().map(|folder| fs::read_to_string(folder.join("attention.json")).unwrap());
    written.insert("attention.json", manifests.iter().map(|text| serde_json::from_str(text).unwrap()).collect());
    let mut kept_lines = read_json_lines(&kept[0].join("items.jsonl"));
    for line in &mut kept_lines {
        // Their keys are those of other sections.
        ["cases", "maps", "contrasts"].into_iter().for_each(|key| line[key] = json!([]));
    }
    written.insert("items.jsonl of attend --out", kept_lines);
    written.insert("attend --csv", columns(&fs::read_to_string(&csv).unwrap()));
    let of_tables = [
        ("attend --csv", &csv),
        ("attend --roles-csv", &roles),
        ("attend --witness-csv", &witness),
        ("attend --heads-csv", &heads),
    ];
    for (name, path) in of_tables {
        written.insert(name, columns(&fs::read_to_string(path).unwrap()));
    }
    let mut rendered =
        context.command(&["run", "--offline", "--benchmark", "demo", "-l", "en", "--orders", "identity"]);
    rendered
        .args(["--progress", "json"])
        .arg("--model")
        .arg(&base)
        .arg("--out")
        .arg(at("told"))
        .env("TOMEVAL_PROGRESS_SECONDS", "0.001");
    let rendered = rendered.run().stderr;
    let rendered: Vec<Value> = rendered.lines().filter(|line| line.starts_with('{')).flat_map(json_lines).collect();
    let forwarding = rendered.iter().rfind(|line| line["stage"] == "forwarding").unwrap();
    let [done, total] = ["done", "total"].map(|name| forwarding["benchmarks"][0][name].as_u64().unwrap());
    assert!(total > 0 && done <= total && forwarding["benchmarks"][0]["name"] == "demo", "{forwarding}");
    written.insert("--progress json", rendered);
    let files = at("files");
    let exported = [("--output", files.as_path()), ("", &at("texts")), ("", &at("written"))];
    printed(&["report", "--format", "parquet"], &exported);
    for name in ["items.parquet", "trials.parquet"] {
        written.insert(name, vec![columns_of(&files.join(name))]);
    }
    let mut documented = documented();
    for name in documented.remove("logprob input").unwrap().keys {
        assert!(asked.iter().any(|row| row.get(&name[0]).is_some()), "logprob input: {name:?}");
    }
    assert_eq!(documented.keys().map(String::as_str).collect::<BTreeSet<_>>(), written.keys().copied().collect());
    let found: Vec<String> = documented
        .iter()
        .flat_map(|(section, names)| differences(section, names, &written[section.as_str()]))
        .chain(written.iter().flat_map(|(section, values)| contradictions(section, values)))
        .collect();
    assert!(found.is_empty(), "{found:#?}");

    // Where nothing is likelier than anything else, the choice is drawn as the run draws it, and the page says so.
    let tied: Vec<&Value> =
        written["attend --json"][0]["cases"].as_array().unwrap().iter().filter(|case| case["tied"] == true).collect();
    assert!(!tied.is_empty());
    for case in tied {
        let chosen: Vec<&Value> =
            case["options"].as_array().unwrap().iter().filter(|option| option["chosen"] == true).collect();
        let order: Vec<&Value> =
            case["options"].as_array().unwrap().iter().map(|option| &option["canonical"]).collect();
        let of_run = written["--format items"]
            .iter()
            .find(|item| item["id"] == case["item"] && item["label"] == "tiny" && item["orders"][0]["tied"] == true);
        let orders = of_run.unwrap()["orders"].as_array().unwrap();
        if let Some(run) = orders.iter().find(|run| run["order"].as_array().unwrap().iter().eq(order.iter().copied())) {
            assert_eq!(run["choice"][0], chosen[0]["canonical"], "{case}");
        }
    }
}
