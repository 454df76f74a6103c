//! Roles, maps of heads, contributions, other views and chosen heads of `tomeval attend`, end to end on a tiny model.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tomeval::Pass;

use crate::support::attention_page::data_of;
use crate::support::browser::all_unpacked;
use crate::support::context::{Run, TestContext};
use crate::support::decoder;
use crate::support::files::read_json;
use crate::support::tiny_models::tiny_model;

/// Made ToMi stories.
fn made(context: &TestContext) -> PathBuf {
    let data = context.path("made");
    let mut command = context.command(&["make", "tomi", "--stories", "9", "--seed", "3", "--out"]);
    command.arg(&data).run().success();
    data
}

fn attend(context: &TestContext, model: &Path, arguments: &[&str]) -> Command {
    let mut command = context.command(&["attend", "--offline", "--deletion-draws", "0", "--model"]);
    command.arg(model).args(arguments);
    command
}

fn of_tomi(context: &TestContext, model: &Path, data: &Path, arguments: &[&str]) -> Command {
    let mut command = attend(context, model, &["--benchmark", "tomi", "--where", "dimension=belief"]);
    command.arg("--data").arg(data).args(arguments);
    command
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

fn cases(document: &Value) -> &Vec<Value> {
    document["cases"].as_array().unwrap()
}

#[test]
fn roles_are_masses_of_the_row_and_twins_are_paired() {
    let context = TestContext::new();
    let (model, data) = (tiny_model(context.folder()), made(&context));
    let [roles_csv, heads_csv, latex, page] =
        ["roles.csv", "heads.csv", "t.tex", "p.html"].map(|name| context.path(name).display().to_string());
    // In the order of the file the right option tells the kind of question.
    let mut attend = of_tomi(&context, &model, &data, &["--limit", "48", "--orders", "random:1", "--roles"]);
    attend.args(["--layers", "all", "--head-maps", "scope,original-actual", "--roles-csv", &roles_csv]);
    let document = attend.args(["--heads-csv", &heads_csv, "--latex", &latex, "--html", &page]).json();
    let (mut truths, mut lies) = (0, 0);
    for case in cases(&document) {
        let roles = &case["roles"];
        assert_eq!(roles["source"], "story", "{roles}");
        let story = case["parts"].as_array().unwrap().iter().position(|part| part["name"] == "story").unwrap();
        let in_story = case["rows"][0]["parts"][story].as_f64().unwrap();
        for role in roles["roles"].as_array().unwrap() {
            let share = role["story"].as_f64().unwrap();
            let heads = numbers(&role["heads"]);
            // Every layer and head is averaged, and each head's row sums to 1.
            let mean = heads.iter().sum::<f64>() / heads.len() as f64;
            assert!((mean - share).abs() < 1e-5 && share <= in_story + 1e-6, "{role}");
            let names: Vec<&str> =
                role["names"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
            for word in role["words"].as_array().unwrap() {
                let word = &case["words"][word.as_u64().unwrap() as usize];
                let (start, end) = (word["start"].as_u64().unwrap() as usize, word["end"].as_u64().unwrap() as usize);
                let text = &case["text"].as_str().unwrap()[start..end];
                assert!(names.iter().any(|name| name.contains(text)), "{text} {role}");
            }
        }
        match roles["belief"].as_bool().unwrap() {
            true => truths += 1,
            false => lies += 1,
        }
    }
    assert!(truths > 0 && lies > 0, "{truths} {lies}");
    let twins = &document["findings"]["twins"];
    let story = twins.as_array().unwrap().iter().find(|twins| twins["kind"] == "story").unwrap();
    // In every false-belief story the mover knows where the object is, and the other agent does not.
    assert!(story["pairs"].as_u64().unwrap() >= 2, "{twins}");
    let maps = document["findings"]["head_maps"].as_array().unwrap();
    assert!(maps.iter().any(|map| map["groups"][0] == "false belief" && map["quantity"] == "original-actual"));
    let rows = |path: &str| csv::Reader::from_path(path).unwrap().records().map(Result::unwrap).count();
    let played: usize = cases(&document).iter().map(|case| case["roles"]["roles"].as_array().unwrap().len()).sum();
    let compared = maps.iter().filter(|map| map["within"]["reason"].is_null()).count();
    assert!(compared > 0, "{maps:?}");
    assert_eq!((rows(&roles_csv), rows(&heads_csv)), (played, 8 * compared));
    let latex = std::fs::read_to_string(latex).unwrap();
    assert!(latex.contains("Attention on roles") && latex.contains("Twins of one story"), "{latex}");
    let page = std::fs::read_to_string(page).unwrap();
    let shown = &data_of(&page)["findings"]["head_maps"];
    assert!(all_unpacked(&page).contains("headMapsCard") && shown.as_array().unwrap().len() == maps.len());
}

#[test]
fn an_item_without_roles_says_why_and_marks_take_their_place() {
    let context = TestContext::new();
    let model = tiny_model(context.folder());
    let item = ["--item", "demo/cake-tin/0/en", "--roles"];
    let document = attend(&context, &model, &item).json();
    let absent = cases(&document)[0]["roles"]["absent"].as_str().unwrap();
    assert!(absent.starts_with("stories of demo are not tracked"), "{absent}");
    assert_eq!(document["findings"]["without_roles"][0][1], 1);
    let story = cases(&document)[0]["text"].as_str().unwrap();
    assert!(story.contains("tin"), "{story}");
    let marks = context.path("marks.json");
    let text = r#"{"format": "tomeval-human-keywords/1", "items": [{"id": "demo/cake-tin/0/en", "readers": [{"name": "ada",
        "keywords": ["tin"], "roles": {"believed": ["tin"], "actual": ["moon"]}}]}]}"#;
    std::fs::write(&marks, text).unwrap();
    let document = attend(&context, &model, &item).arg("--human").arg(&marks).json();
    let roles = &cases(&document)[0]["roles"];
    assert_eq!(
        (&roles["source"], &roles["belief"], &roles["missing"][0]),
        (&"ada".into(), &false.into(), &"moon".into())
    );
    assert!(roles["roles"][0]["mentions"].as_u64().unwrap() > 0, "{roles}");
}

#[test]
fn contributions_add_up_to_the_difference_of_the_labels() {
    let context = TestContext::new();
    let (model, data) = (tiny_model(context.folder()), made(&context));
    let document = of_tomi(&context, &model, &data, &["--limit", "4", "--contributions"]).json();
    for case in cases(&document) {
        let found = &case["contributions"];
        let sum: f64 = ["heads", "biases", "networks"].iter().flat_map(|part| numbers(&found[*part])).sum();
        let difference = found["difference"].as_f64().unwrap();
        assert!((sum + found["embedding"].as_f64().unwrap() - difference).abs() < 1e-4, "{found}");
        let logprob = |label: &Value| {
            let options = case["options"].as_array().unwrap();
            options.iter().find(|option| option["label"] == *label).unwrap()["logprob"].as_f64().unwrap()
        };
        if found["first_tokens_only"] == false {
            let scored = logprob(&found["first"]) - logprob(&found["second"]);
            assert!((scored - difference).abs() < 1e-4, "{scored} {found}");
        }
    }
}

#[test]
fn chosen_heads_are_switched_off_like_named_ones() {
    let context = TestContext::new();
    let (model, data) = (tiny_model(context.folder()), made(&context));
    let chosen = ["strongest:2=original-actual@verdict", "strongest:1"];
    let put = ["--limit", "48", "--orders", "random:1"];
    let asked = ["--knock-out", chosen[0], "--knock-out", chosen[1], "--random-heads", "4"];
    let document = of_tomi(&context, &model, &data, &put).args(asked).json();
    let found = document["findings"]["strongest"].as_array().unwrap();
    assert_eq!(found.len(), 2, "{}", document["notes"]);
    for (place, found) in found.iter().enumerate() {
        let heads = found["heads"].as_array().unwrap();
        let named: Vec<String> = heads.iter().map(|head| format!("{}.{}", head[0], head[1])).collect();
        let named = format!("heads={}", named.join(","));
        let again = of_tomi(&context, &model, &data, &put).args(["--knock-out", &named]).json();
        for (case, again) in cases(&document).iter().zip(cases(&again)) {
            let (own, named) = (&case["strongest"][place], &again["knocked_out"][0]);
            let difference = own["fall"].as_f64().unwrap() - named["fall"].as_f64().unwrap();
            assert!(difference.abs() < 1e-5, "{own} {named}");
            assert_eq!(own["random"].as_array().unwrap().len(), 4);
        }
        assert_eq!(found["all"]["items"], cases(&document).len());
        assert_eq!(found["differences"][0]["groups"][0], "wrong answers");
    }
    let none = attend(&context, &model, &["--limit", "2", "--knock-out", "strongest:2=original-actual@belief"]).json();
    let notes = none["notes"].to_string();
    assert!(notes.contains("no heads could be chosen"), "{notes}");
}

#[test]
fn keywords_are_compared_under_other_layers_measures_and_orders() {
    let context = TestContext::new();
    let (model, data) = (tiny_model(context.folder()), made(&context));
    let arguments = ["--limit", "3", "--layers", "last:1", "--orders", "cyclic", "--sensitivity"];
    let document = of_tomi(&context, &model, &data, &arguments).json();
    for case in cases(&document) {
        let names: Vec<&str> =
            case["sensitivity"].as_array().unwrap().iter().map(|view| view["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["layers 0-0", "layers 0-1", "value", "rollout", "drawn order 2"]);
    }
    // The window of the first layer alone is what `--layers 0` shows.
    let first = of_tomi(&context, &model, &data, &["--limit", "3", "--layers", "0"]).json();
    let keys = |case: &Value| -> Vec<String> {
        let ranking = case["rows"][0]["ranking"].as_array().unwrap();
        ranking.iter().take(10).map(|word| word["key"].to_string()).collect()
    };
    for (case, other) in cases(&document).iter().zip(cases(&first)) {
        let (own, other) = (keys(case), keys(other));
        let shared = own.iter().filter(|key| other.contains(key)).count();
        assert_eq!(case["sensitivity"][0]["shared"], shared);
        let jaccard = shared as f64 / (own.len() + other.len() - shared) as f64;
        assert!((case["sensitivity"][0]["jaccard"].as_f64().unwrap() - jaccard).abs() < 1e-6);
    }
    let groups = document["findings"]["sensitivity"].as_array().unwrap();
    assert!(groups.iter().all(|view| view["items"] == 3), "{groups:?}");
}

#[test]
fn groups_are_compared_within_what_cards_and_own_questions_name() {
    let context = TestContext::new();
    let (model, data) = (tiny_model(context.folder()), made(&context));
    let document = of_tomi(&context, &model, &data, &["--limit", "4"]).json();
    for case in cases(&document) {
        let stratum = &case["stratum"];
        assert_eq!((&stratum["benchmark"], &stratum["options"]), (&"tomi".into(), &"2".into()), "{stratum}");
        assert_eq!(stratum["question_type"], case["facets"]["question_type"]);
    }
    let own = context.path("own.csv");
    let row = |number: usize| {
        let level = if number.is_multiple_of(2) { "easy" } else { "hard" };
        format!("In story {number} Mia has a cup.,What has Mia?,a cup,a hat,{},{level}\n", ["A", "B"][number / 2 % 2])
    };
    let rows: String = (0..48).map(row).collect();
    std::fs::write(&own, format!("story,question,option_a,option_b,answer,level\n{rows}")).unwrap();
    let of_own = |arguments: &[&str]| {
        let mut command = attend(&context, &model, &["--limit", "48", "--data", own.to_str().unwrap()]);
        command.args(arguments);
        command
    };
    let within = |arguments: &[&str]| {
        let document = of_own(arguments).json();
        let compared = document["differences"].as_array().unwrap();
        let verdict = compared.iter().find(|compared| compared["groups"][0] == "wrong answers").unwrap();
        (document["cases"][0]["stratum"].clone(), verdict["quantities"][0]["within"]["strata"].clone())
    };
    assert_eq!(within(&[]).1, 1);
    let (stratum, strata) = within(&["--strata", "level"]);
    assert_eq!((&stratum["level"], strata), (&"easy".into(), 2.into()));
    let rendered = |command: &mut Command| command.run().failure().stderr;
    let unknown = rendered(&mut of_own(&["--strata", "levle"]));
    assert!(unknown.contains("--strata levle: no item has this facet (did you mean level?)"), "{unknown}");
    let published = rendered(&mut of_tomi(&context, &model, &data, &["--limit", "4", "--strata", "order"]));
    assert!(
        published.contains("--strata is for your own questions") && published.contains("tomi within question_type")
    );
}

/// The residual stream of each prompt: read back as numpy's format by another reader, and by its last layer what the head reads.
#[test]
fn the_residual_stream_of_each_prompt_is_a_row_of_a_file_of_numpy() {
    let context = TestContext::new();
    let (model, data, file) = (tiny_model(context.folder()), made(&context), context.path("s.npy"));
    let mut command = of_tomi(&context, &model, &data, &["--limit", "3", "--contrast", "without=1", "--states"]);
    let document = command.arg(&file).json();
    let cases = document["cases"].as_array().unwrap();
    let states = candle_core::Tensor::read_npy(&file).unwrap();
    let about = read_json(&file.with_extension("json"));
    let sizes = ["rows", "layers", "hidden"].map(|name| about[name].as_u64().unwrap() as usize);
    assert_eq!((states.dims(), sizes[0]), (&sizes[..], cases.len()));
    let decoder = decoder(&model);
    for (row, (case, said)) in cases.iter().zip(about["states"].as_array().unwrap()).enumerate() {
        assert_eq!((&said["item"], &said["variant"]), (&case["item"], &case["variant"]));
        assert_eq!(said["token"], case["rows"][0]["position"]);
        let asked = said["chain"].as_array().unwrap();
        assert!(
            !asked.is_empty() && case["text"].as_str().unwrap().contains(said["object"].as_str().unwrap()),
            "{said}"
        );
        let token = said["token"].as_u64().unwrap() as usize;
        let ids: Vec<u32> =
            case["tokens"].as_array().unwrap().iter().map(|token| token["id"].as_u64().unwrap() as u32).collect();
        let pass = Pass { rows: vec![token], states: true, ..Pass::sequence(&ids[..=token], 0) };
        let expected = decoder.forward_once(&pass).unwrap().states.concat();
        let found: Vec<f32> = states.get(row).unwrap().flatten_all().unwrap().to_vec1().unwrap();
        assert_eq!(found, expected, "row {row}");
    }
    let refused = |arguments: &[&str]| of_tomi(&context, &model, &data, arguments).arg(&file).run().code(2).stderr;
    assert!(refused(&["--contrast", "model=x", "--states"]).contains("one model"));
    assert!(refused(&["--out", "folder", "--states"]).contains("--states"));
    let named = of_tomi(&context, &model, &data, &["--states", "states.json"]).run().code(2).stderr;
    assert!(named.contains(".npy"), "{named}");
}
