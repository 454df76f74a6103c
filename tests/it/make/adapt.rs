//! `tomeval make adapt` with scripted replies, and people's answers.

use serde_json::{Value, json};

use super::stories::{Story, stories, write};
use crate::support::context::TestContext;
use crate::support::files::read_json_lines;
use crate::support::model_server::{Asked, ModelServer, Reply, serve_chats};
use crate::support::tiny_models::shared_tiny_model;

/// What is called otherwise in the other culture.
const CHANGED: [(&str, &str); 4] =
    [("Nora", "Nasrin"), ("Piet", "Palash"), ("lemons", "mangoes"), ("station", "bazaar")];

fn changed(text: &str) -> String {
    CHANGED.iter().fold(text.to_string(), |text, (old, new)| text.replace(old, new))
}

fn serve(stories: Vec<Story>) -> ModelServer {
    let reply = move |asked: &Asked| -> Result<(String, bool), String> {
        let turns = asked.body["messages"].as_array().unwrap();
        let [system, user] = [0, 1].map(|at| turns[at]["content"].as_str().unwrap());
        let story = stories.iter().find(|story| user.contains(&story.en.story)).ok_or("an unknown story")?;
        if system.starts_with("You rewrite short stories") {
            return Ok((format!("###STORY\n{}", changed(&story.en.story)), false));
        }
        assert!(user.contains(&changed(&story.en.story)), "the question is asked with the adapted story");
        let (_, question) = user.split_once("The question:\n").unwrap();
        // A model that changes what it must not.
        Ok((changed(question).replace("A. Knows", "A. Is aware"), false))
    };
    serve_chats(shared_tiny_model(), reply, |_, honest| Reply::Json(honest))
}

#[test]
fn a_story_is_adapted_once_and_accepted_by_people_before_it_is_a_set() {
    let context = TestContext::new();
    let all: Vec<Story> = stories().into_iter().filter(|story| ["s1", "s10"].contains(&story.id.as_str())).collect();
    let data = write(&context, "en.jsonl", &all, "en");
    let server = serve(all.clone());
    let model = server.name();
    let adapt = [
        "make",
        "adapt",
        "-b",
        "custom",
        "--data",
        &data,
        "--culture",
        "Bangladeshi",
        "--assistant",
        &model,
        "-o",
        "set",
    ];
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
