//! `tomeval make adapt` with scripted replies, and people's answers.

use serde_json::{Value, json};

use super::replay::{killed_after_each_reply, record, turns};
use super::stories::{Story, stories, write};
use crate::support::context::TestContext;
use crate::support::files::read_json_lines;
use crate::support::model_server::Asked;

/// What is called otherwise in the other culture.
const CHANGED: [(&str, &str); 4] =
    [("Nora", "Nasrin"), ("Piet", "Palash"), ("lemons", "mangoes"), ("station", "bazaar")];

pub fn changed(text: &str) -> String {
    CHANGED.iter().fold(text.to_string(), |text, (old, new)| text.replace(old, new))
}

/// The reply of a model that adapts as [`CHANGED`] says, and changes what it must not.
pub fn scripted(stories: &[Story], asked: &Asked) -> (String, bool) {
    let (system, user) = turns(asked);
    let story = stories.iter().find(|story| user.contains(&story.en.story)).expect("every request is about a story");
    if system.starts_with("You rewrite short stories") {
        return (format!("###STORY\n{}", changed(&story.en.story)), false);
    }
    assert!(user.contains(&changed(&story.en.story)), "the question is asked with the adapted story");
    let (_, question) = user.split_once("The question:\n").unwrap();
    (changed(question).replace("A. Knows", "A. Is aware"), false)
}

/// Arguments of the adaptation of a file.
pub fn arguments<'a>(data: &'a str, model: &'a str, out: &'a str) -> Vec<&'a str> {
    let head = ["make", "adapt", "-b", "custom", "--data", data, "--culture", "Bangladeshi", "--assistant", model];
    [&head[..], &["--concurrency", "1", "-o", out]].concat()
}

#[test]
fn a_story_is_adapted_once_and_accepted_by_people_before_it_is_a_set() {
    let context = TestContext::new();
    let all: Vec<Story> = stories().into_iter().filter(|story| ["s1", "s10"].contains(&story.id.as_str())).collect();
    let data = write(&context, "en.jsonl", &all, "en");
    let of_server = all.clone();
    let (server, _) = record(move |asked| scripted(&of_server, asked));
    let model = server.name();
    let adapt = arguments(&data, &model, "set");
    let output = context.run(&adapt).code(1);
    assert!(
        output.stdout.contains("2 of 2 stories adapted; 6 replies needed, 6 of them written now."),
        "{}",
        output.stdout
    );
    assert!(output.stdout.contains("tomeval annotate answer --data set/both.jsonl --blind"), "{}", output.stdout);
    assert_eq!(read_json_lines(&context.path("set/items.jsonl")), [] as [Value; 0]);
    let both = read_json_lines(&context.path("set/both.jsonl"));
    let line = |id: &str| both.iter().find(|line| line["id"] == id).unwrap();
    assert_eq!(line("s1/0/adapted")["story"], line("s1/1/adapted")["story"]);
    assert!(line("s1/0/adapted")["story"].as_str().unwrap().starts_with("Nasrin and Palash are in the kitchen."));
    assert_eq!(line("s10/0/adapted")["options"], json!(["Knows", "Does not know"]), "knowledge stays");
    let units = read_json_lines(&context.path("set/made.jsonl"));
    let flags: Vec<&Value> = units.iter().flat_map(|unit| unit["flags"].as_array().unwrap()).collect();
    assert_eq!(
        flags.iter().map(|flag| &flag["check"]).collect::<Vec<_>>(),
        ["knowledge"],
        "and it is noted: {flags:?}"
    );
    for item in ["s1/0", "s1/1", "s10/0", "s10/1"] {
        let [direct, adapted] = ["direct", "adapted"].map(|version| &line(&format!("{item}/{version}"))["answer"]);
        assert_eq!(direct, adapted);
    }
    context.run(&["annotate", "answer", "--data", "set/both.jsonl", "--blind", "--out", "page.html"]).success();
    // One person answers s1 alike in both versions, and a question of s10 differently.
    let mut answers = export(&both, |id| if id == "s10/1/adapted" { 2 } else { 1 });
    context.write("p1.jsonl", &answers);
    let with = |more: &[&str]| context.run(&[&adapt[..], &["--answers", "p1.jsonl"], more].concat());
    let output = with(&[]).code(1);
    assert!(output.stdout.contains("6 replies needed, 0 of them written now."), "{}", output.stdout);
    assert!(output.stdout.contains("rejected, p1 answered s10/1 differently in both versions"), "{}", output.stdout);
    assert!(output.stdout.contains("1 of 2 stories accepted, with 2 items"), "{}", output.stdout);
    let items = read_json_lines(&context.path("set/items.jsonl"));
    assert_eq!(items.iter().map(|item| item["id"].clone()).collect::<Vec<_>>(), ["s1/0", "s1/1"]);
    assert_eq!((&items[0]["answer"], &items[0]["culture"]), (&json!("B"), &json!("Bangladeshi")));
    answers = export(&both, |_| 1);
    context.write("p1.jsonl", &answers);
    assert!(with(&[]).stdout.contains("2 of 2 stories accepted, with 4 items"));
}

#[test]
fn the_prompts_of_a_paper_adapt_the_first_question_with_its_story() {
    let context = TestContext::new();
    let all: Vec<Story> = stories().into_iter().filter(|story| story.id == "s1").collect();
    let data = write(&context, "en.jsonl", &all, "en");
    let style = |name: &str, user: &str| {
        format!(
            "[[style]]\nname = '{name}'\nlanguage = 'en'\nsubset = 'multi-tom'\nsystem = 'For {{language}} readers.'\nuser = '{user}'\noption_line = '{{label}}. {{text}}'\n"
        )
    };
    let assistant = style("culture-assistant", "{story} {question} {options}");
    let adapter = style("culture-adapter", "{story} NEW {adapted_story} {question} {options}");
    context.write("prompts.toml", format!("benchmark = 'making'\nsource = 'x'\n{assistant}{adapter}"));
    let of_server = all.clone();
    let (server, _) = record(move |asked| {
        let (system, user) = turns(asked);
        assert_eq!(system, "For Bangladeshi readers.");
        let texts = &of_server[0].en;
        let at = usize::from(user.contains("NEW"));
        assert!(user.contains(&texts.questions[at].0), "{user}");
        let (question, options) = &texts.questions[at];
        let mut reply = json!({"Question": changed(question), "Options": options.iter().map(|text| changed(text)).collect::<Vec<_>>()});
        if at == 0 {
            reply["Transformed Story"] = json!(changed(&texts.story));
        }
        (reply.to_string(), false)
    });
    let model = server.name();
    let more = ["--prompts", "prompts.toml", "--wording", "multi-tom-culture", "--entities", "own"];
    let output = context.run(&[&arguments(&data, &model, "set")[..], &more].concat()).code(1);
    assert!(output.stdout.contains("1 of 1 story adapted; 2 replies needed"), "{}", output.stdout);
    let both = read_json_lines(&context.path("set/both.jsonl"));
    let line = |id: &str| both.iter().find(|line| line["id"] == id).unwrap();
    assert_eq!(line("s1/0/adapted")["question"], "Where will Nasrin look for the mangoes first?");
    assert_eq!(line("s1/1/adapted")["options"], json!(["Palash knows", "Palash does not know"]));
}

#[test]
fn a_killed_adaptation_asks_nothing_twice_and_ends_with_the_same_bytes() {
    let context = TestContext::new();
    let all: Vec<Story> =
        stories().into_iter().filter(|story| ["s1", "s10", "s20"].contains(&story.id.as_str())).collect();
    let data = write(&context, "en.jsonl", &all, "en");
    let (server, recorded) = record(move |asked| scripted(&all, asked));
    let given = |model: &str, out: &str| arguments(&data, model, out).into_iter().map(str::to_string).collect();
    killed_after_each_reply(&context, (&server, &recorded), &given, (3 + 6, 1));
    let log = server.log();
    let sent = log.iter().filter(|asked| asked.is_of_a_trial()).map(|asked| asked.body.to_string());
    sent.for_each(|body| assert!(!body.contains("gold") && !body.contains("answer"), "{body}"));
}

/// An export of the answer page as it would be written.
fn export(both: &[Value], choice: impl Fn(&str) -> usize) -> String {
    let mut check = String::new();
    let mut text = String::new();
    let mut add = |line: Value| {
        let body = line.to_string();
        let body = body.strip_suffix('}').unwrap();
        let mut sum = flate2::Crc::new();
        sum.update(format!("{check}{body}").as_bytes());
        check = format!("{:08x}", sum.sum());
        text.push_str(&format!("{body},\"check\":\"{check}\"}}\n"));
    };
    let count = both.len();
    add(json!({
        "format": "tomeval-annotation/1", "mode": "answer", "rater": "p1", "page": "x", "program": "tomeval", "canary": "",
        "benchmarks": ["custom"], "interface": "en", "items": count, "done": count,
    }));
    for line in both {
        let id = line["id"].as_str().unwrap();
        let order: Vec<usize> = (0..line["options"].as_array().unwrap().len()).collect();
        let chosen = choice(id).min(order.len() - 1);
        add(json!({"id": format!("custom/{id}/en"), "rater": "p1", "choice": chosen, "order": order, "seconds": 1.0}));
    }
    add(json!({"end": count}));
    text
}
