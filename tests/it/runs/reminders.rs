//! Reminders: prompts hold the answers that an earlier run gave to linked questions, and nothing goes on with others.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use predicates::str::contains;
use serde_json::{Value, json};

use crate::support::context::{Run, TestContext};
use crate::support::files::{manifest, read_json_lines, records};
use crate::support::tiny_models::{tiny_model, tiny_model_of};

const STORIES: usize = 8;

/// Stories in the schema of SimpleToM, each with a question about what somebody knows and one about what they do.
fn write_stories(folder: &Path) {
    let things = ["buttons", "coins", "nails", "seeds", "shells", "stamps", "corks", "beads"];
    let row = |(number, thing): (usize, &&str), question: &str, options: [&str; 2]| {
        let story = format!("The tin of biscuits on shelf {number} holds {thing}. Ono has just bought it.");
        let id = format!("h{number}");
        json!({"id": id, "story": story, "question": question, "scenario_name": "closed boxes", "answerKey": "B",
               "choices": {"text": options, "label": ["A", "B"]}})
        .to_string()
            + "\n"
    };
    let parts = [
        ("mental-state-qa", "Is Ono aware of what is in tin ", ["Yes, surely", "No, not at all"]),
        ("behavior-qa", "What will Ono do with tin ", ["sort it", "offer biscuits"]),
        ("judgment-qa", "Is it reasonable to offer biscuits of tin ", ["unreasonable", "reasonable"]),
    ];
    for (part, question, options) in parts {
        let part = folder.join("simpletom").join(part);
        fs::create_dir_all(&part).unwrap();
        let rows = things.iter().enumerate().map(|of| row(of, &format!("{question}{}?", of.0), options));
        fs::write(part.join("test.jsonl"), rows.collect::<String>()).unwrap();
    }
}

fn command(context: &TestContext, command: &str, model: &Path, more: &str) -> Command {
    let mut command = context.command(&[command, "--offline", "-b", "simpletom", "--data", "."]);
    command.args(more.split(' ')).arg("--model").arg(model);
    command
}

const FIRST: &str = "--where kind=mental-state --orders random:2 --allow-changed-data --out first";
const SECOND: &str = "--remind mental-state-behaviour --from first --orders random:2 --allow-changed-data";

/// The question and the chosen option of each item of the first run, with another option, by story.
fn answers(context: &TestContext) -> BTreeMap<String, (String, String, String)> {
    let items = read_json_lines(&context.path("first/items.jsonl"));
    let outcomes =
        context.run(&["report", "first", "--format", "items", "--allow-changed-data"]).success().json_lines();
    let of = |outcome: &Value| {
        let item = items.iter().find(|item| item["id"] == outcome["id"]).unwrap();
        let chosen = usize::try_from(outcome["choice"][0].as_u64().unwrap()).unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_string();
        let answer = (text(&item["question"]), text(&item["options"][chosen]), text(&item["options"][1 - chosen]));
        (text(&item["story"]), answer)
    };
    outcomes.iter().map(of).collect()
}

#[test]
fn prompts_hold_the_answers_of_the_earlier_run() {
    let context = TestContext::new();
    write_stories(context.folder());
    let model = tiny_model(context.folder());
    command(&context, "run", &model, FIRST).run().success();
    let whole = format!("{SECOND} --out second");
    command(&context, "run", &model, &whole)
        .run()
        .success()
        .with_stderr(contains("answers of tiny in the style vanilla"));

    let (out, answers) = (context.path("second"), answers(&context));
    let said = |(question, answer): (&String, &String)| {
        format!("Before this, you were asked: \"{question}\" Your answer was: \"{answer}\"\nWhat will Ono do")
    };
    let items = read_json_lines(&out.join("items.jsonl"));
    assert_eq!(items.len(), STORIES, "first questions are not asked again");
    let mut presentations: BTreeMap<String, usize> = BTreeMap::new();
    for record in records(&out) {
        let item = items.iter().find(|item| item["id"] == record["id"]).unwrap();
        let story = item["story"].as_str().unwrap();
        let (question, own, other) = &answers[story];
        let text =
            record["asks"][0]["shown"]["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap();
        let is_right = own == "No, not at all";
        assert_eq!(item["facets"]["first_answer"], if is_right { "right" } else { "wrong" });
        let presentation = record["condition"].as_str().unwrap_or("plain");
        match presentation {
            "plain" => assert!(!text.contains("Before this"), "{text}"),
            "remind-own-mental-state-behaviour" => assert!(text.contains(&said((question, own))), "{text}"),
            "remind-other-mental-state-behaviour" => assert!(text.contains(&said((question, other))), "{text}"),
            "remind-unrelated-mental-state-behaviour" => {
                let of_another = answers
                    .iter()
                    .filter(|(of, (question, own, _))| *of != story && text.contains(&said((question, own))));
                assert_eq!(of_another.count(), 1, "{text}");
            }
            other => panic!("{other}"),
        }
        *presentations.entry(presentation.to_string()).or_default() +=
            usize::try_from(record["count"].as_u64().unwrap()).unwrap();
    }
    assert_eq!(presentations.into_values().collect::<Vec<_>>(), [2 * STORIES; 4]);

    let reminders = &manifest(&out)["settings"]["reminders"];
    assert_eq!((&reminders["link"], &reminders["model"]), (&json!("mental-state-behaviour"), &json!("tiny")));
    assert_eq!(reminders["sha256"].as_str().unwrap().len(), 64);
    let report = context.run(&["report", "second", "--json", "--allow-changed-data"]).success().json();
    let rows = report["results"][0]["reminded"].as_array().unwrap();
    assert_eq!((&rows[0]["items"], &rows[0]["key"]), (&json!(STORIES), &json!({})));
    assert!(!rows[0]["notes"].to_string().contains("another model"), "{}", rows[0]);
    context
        .run(&["report", "second", "--table", "reminders", "--allow-changed-data"])
        .success()
        .with_stdout(contains("What reminders change"));

    // The same in two parts.
    for part in [1, 2] {
        let part = format!("{SECOND} --batch-tokens 1 --shard {part}/2 --out part{part}");
        command(&context, "run", &model, &part).run().success();
    }
    context.run(&["merge", "part1", "part2", "--out", "merged"]).done();
    let sorted = |run: &str| {
        let mut records: Vec<String> = records(&context.path(run))
            .iter()
            .map(|it| it["condition"].to_string() + &it["asks"][0]["shown"].to_string())
            .collect();
        records.sort();
        records
    };
    assert_eq!(sorted("second"), sorted("merged"));
}

#[test]
fn a_run_goes_on_with_the_same_answers_alone() {
    let context = TestContext::new();
    write_stories(context.folder());
    let model = tiny_model(context.folder());
    command(&context, "run", &model, FIRST).run().success();
    let whole = format!("{SECOND} --reminders own --limit 5 --out second");
    command(&context, "run", &model, &whole).run().success();
    assert_eq!(read_json_lines(&context.path("second/items.jsonl")).len(), 5);
    command(&context, "run", &model, &whole).run().success().with_stderr(contains("already complete"));

    // Other answers in the place of the first ones, and those of another model.
    fs::rename(context.path("first"), context.path("kept")).unwrap();
    command(&context, "run", &model, &FIRST.replace("--where", "--limit 6 --where")).run().success();
    command(&context, "run", &model, &whole).run().code(2).with_stderr(contains("settings.reminders"));
    fs::remove_dir_all(context.path("first")).unwrap();
    let other = tiny_model_of(context.folder(), "qwen3");
    command(&context, "run", &other, FIRST).run().success();
    let of_other = whole.replace("second", "of-other");
    let said = contains("what is called the model's own answer is that of qwen3, not of tiny");
    command(&context, "run", &model, &of_other).run().success().with_stderr(said);
    let report = context.run(&["report", "of-other", "--json", "--allow-changed-data"]).success().json();
    assert!(report["results"][0]["reminded"][0]["notes"].to_string().contains("that of qwen3"), "{report}");

    // Records changed by hand.
    let records = fs::read_to_string(context.path("kept/trials.jsonl")).unwrap();
    let at = records.find("[-").unwrap() + 2;
    fs::write(context.path("kept/trials.jsonl"), format!("{}1{}", &records[..at], &records[at..])).unwrap();
    let refused = contains("its records changed since they were written");
    let third = whole.replace("first", "kept").replace("second", "third");
    command(&context, "run", &model, &third).run().code(2).with_stderr(refused);
    assert!(!context.path("third").exists());
}

#[test]
fn what_cannot_be_reminded_is_refused_by_name() {
    let context = TestContext::new();
    write_stories(context.folder());
    let model = tiny_model(context.folder());
    command(&context, "run", &model, FIRST).run().success();
    for (more, said) in [
        ("--condition no-profile", "leave out --condition"),
        ("--scoring letter,text", "one style and one scoring"),
        ("--style simtom --scoring generate", "in one phase"),
        ("--scoring generate --questions-per-prompt all", "one question at a time"),
        ("--reminders own,own", "names own twice"),
        ("--where kind=judgement", "no item is on the second side of the link"),
    ] {
        let more = format!("{SECOND} {more}").replace(" --allow-changed-data", "");
        command(&context, "plan", &model, &more).run().code(2).with_stderr(contains(said));
    }
    let unknown = SECOND.replace("-behaviour", "-bhv").replace(" --allow-changed-data", "");
    let known = contains("simpletom has mental-state-behaviour, mental-state-judgement, behaviour-judgement");
    command(&context, "plan", &model, &unknown).run().code(2).with_stderr(known);
    // Of a file of one's own, by its card.
    let row = |id: &str, link: &str, story: &str| {
        json!({"id": id, "question": format!("{link} {id}?"), "options": ["box", "bed"], "answer": "A", "story": story, "link": link})
            .to_string()
            + "\n"
    };
    let rows = [
        row("a", "percept", "A box."),
        row("b", "belief", "A box."),
        row("c", "percept", "A bed."),
        row("d", "belief", "A bed."),
        row("e", "belief", "A bag."),
    ];
    context.write("own.jsonl", rows.concat());
    context.write("card.toml", "[[links]]\nfirst = \"percept\"\nsecond = \"belief\"\n");
    let own = |more: &str| {
        let mut own = context.command(&[
            "run",
            "--offline",
            "--data",
            "own.jsonl",
            "--card",
            "card.toml",
            "--orders",
            "identity",
        ]);
        own.args(more.split(' ')).arg("--model").arg(&model);
        own.run().success()
    };
    own("--where link=percept --out own-first");
    let said = contains("not asked: 1 item (linked question not in that run)");
    own("--remind percept-belief --from own-first --out own-second").with_stderr(said);
    assert_eq!(
        manifest(&context.path("own-second"))["settings"]["reminders"]["left_out"],
        json!({"linked question not in that run": 1})
    );
}
