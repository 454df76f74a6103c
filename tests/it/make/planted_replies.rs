//! Faults planted in replies: a translator that swaps or loses options, loses tags, is cut, refuses or goes on. The right check
//! must name each.

use serde_json::Value;

use super::replay::{record, turns};
use super::stories::{Story, stories, write};
use super::translate::arguments;
use crate::support::context::TestContext;
use crate::support::files::read_json_lines;
use crate::support::model_server::Asked;

/// Stories with a fault; the others are clean.
const FAULTY: usize = 20;

/// What a translator does to its reply: the text, and whether a limit ended it.
type Fault = fn(&Story, String) -> (String, bool);

/// Takes out the line that begins like this.
fn without_line(reply: &str, beginning: &str) -> String {
    let line = |line: &&str| !line.starts_with(beginning);
    assert!(!reply.lines().all(|found| line(&found)));
    reply.lines().filter(line).collect::<Vec<_>>().join("\n")
}

/// The reply without a share of its end, by thirds.
fn cut(reply: &str, thirds: usize) -> String {
    reply.chars().take(reply.chars().count() * thirds / 3).collect()
}

const FAULTS: [(&str, &str, Fault); 6] = [
    ("the last option lost", "option-missing", |story, reply| {
        let last = ["A", "B", "C", "D"][story.en.questions[0].1.len() - 1];
        (without_line(&reply, &format!("{last}. ")), false)
    }),
    ("a tag lost", "tag", |story, reply| {
        let tags = ["###STORY", "###QUESTION 1", "###OPTIONS 1"];
        let number: usize = story.id[1..].parse().unwrap();
        (without_line(&reply, tags[number % 3]), false)
    }),
    ("a reply cut by the limit", "cut", |_, reply| (cut(&reply, 2), true)),
    ("a refusal", "refusal", |_, _| ("I'm sorry, but I can't translate this.".to_string(), false)),
    ("text behind the options", "text-behind", |_, reply| (reply + "\n\nI hope that this helps.", false)),
    ("no reply", "no-reply", |_, _| (String::new(), false)),
];

/// Translates all stories by a scripted translator and another hand that translates back; returns the checks that each story's
/// line names. `swap` exchanges the first two options of the first question, in the translation and so in what comes back.
fn flags(fault: Option<Fault>, swap: bool) -> Vec<Vec<String>> {
    let context = TestContext::new();
    let all = stories();
    let data = write(&context, "en.jsonl", &all, "en");
    let of_server = all.clone();
    let scripted = move |asked: &Asked| {
        let (system, user) = turns(asked);
        let story = of_server.iter().position(|story| {
            let first = asked.body["messages"][1]["content"].as_str().unwrap();
            first.contains(&story.en.story) || first.contains(&story.zh.story)
        });
        let at = story.expect("every request is about a story");
        let story = &of_server[at];
        let faulty = at < FAULTY;
        let is_back = system.contains("from Chinese into English");
        let mut texts = if is_back { story.translated_back() } else { story.zh.clone() };
        if swap && faulty {
            texts.questions[0].1.swap(0, 1);
        }
        assert!(!user.is_empty());
        match fault.filter(|_| faulty && !is_back) {
            Some(fault) => fault(story, texts.tagged()),
            None => (texts.tagged(), false),
        }
    };
    let (server, _) = record(scripted);
    let model = server.name();
    let mut command = arguments(&data, &model, "set");
    command.push("--no-review");
    context.run(&command);
    let units = read_json_lines(&context.path("set/made.jsonl"));
    let of_story = |story: &Story| -> Vec<String> {
        let id = format!("custom/{}/en", story.id);
        let unit = units.iter().find(|unit| unit["id"] == id).unwrap();
        let flags: &Vec<Value> = unit["flags"].as_array().unwrap();
        flags.iter().map(|flag| flag["check"].as_str().unwrap().to_string()).collect()
    };
    all.iter().map(of_story).collect()
}

#[test]
fn faults_of_replies_are_named_and_clean_replies_are_not() {
    let mut missed = Vec::new();
    let mut check = |kind: &str, check: &str, found: Vec<Vec<String>>| {
        let named = found.iter().take(FAULTY).filter(|flags| flags.iter().any(|flag| flag == check)).count();
        println!("{kind}: {named} of {FAULTY} named by {check}");
        for (number, flags) in (1..).zip(&found[..FAULTY]).filter(|(_, flags)| !flags.iter().any(|flag| flag == check))
        {
            println!("  not named: s{number} {flags:?}");
        }
        assert!(found[FAULTY..].iter().all(Vec::is_empty), "{kind}: clean stories are flagged: {:?}", &found[FAULTY..]);
        if 100 * named < 95 * FAULTY {
            missed.push((kind.to_string(), named));
        }
    };
    for (kind, name, fault) in FAULTS {
        check(kind, name, flags(Some(fault), false));
    }
    check("options swapped", "options-swapped", flags(None, true));
    assert!(missed.is_empty(), "{missed:?}");
    // The back-translations are in other words than the source, and still nothing is flagged.
    let clean = flags(None, false);
    assert!(clean.iter().all(Vec::is_empty), "{clean:?}");
}
