use super::*;
use std::path::{Path, PathBuf};

use crate::model::Tokenizer;

fn template(source: &str) -> ChatTemplate {
    let special = SpecialTokens::default().with("bos_token", Some("<s>".to_string()));
    ChatTemplate::new(source, TemplateOrigin::JinjaFile, special).expect("test templates are valid")
}

fn check(source: &str, expected: &str) {
    let messages = [Message::system("Be brief."), Message::user("Hi")];
    let rendered = template(source).render(&messages, &RenderSettings::for_generation());
    assert_eq!(rendered.as_deref(), Ok(expected), "{source}");
}

#[test]
fn templates_behave_as_in_python() {
    check("{{ bos_token }}{{ eos_token }}{{ messages[0].content }}", "<s>Be brief.");
    check("{{ none }} {{ true }} {{ not true }} {{ 1.0 }}", "None True False 1.0");
    check("{% for m in messages[::-1] %}{{ m.role }} {% endfor %}", "user system ");
    check("{{ ' a b '.strip().split(' ')[-1].upper() }}", "B");
    check("  {% if add_generation_prompt %}\n  x\n  {% endif %}\n\n", "  x\n");
    check("a {%- generation %} b {%- endgeneration %} c", "a b c");
    check("a\n{% generation %}\nb\n{% endgeneration %}\n", "a\nb\n");
    check("{{ strftime_now is defined }}", "False");
}

#[test]
fn tojson_writes_what_json_dumps_writes() {
    check("{{ messages[0] | tojson }}", r#"{"role": "system", "content": "Be brief."}"#);
    check("{{ ['<é>', 1, none, true, []] | tojson }}", r#"["<é>", 1, null, true, []]"#);
    check("{{ {'b': [1], 'a': {}} | tojson(indent=2, sort_keys=true) }}", "{\n  \"a\": {},\n  \"b\": [\n    1\n  ]\n}");
    check("{{ [1, {'k': 2}] | tojson(separators=(',', ':')) }}", r#"[1,{"k":2}]"#);
}

#[test]
fn the_clock_is_that_of_the_settings() {
    let now = jiff::civil::date(2025, 3, 9).at(14, 5, 0, 0);
    let settings = RenderSettings { now: Some(now), ..RenderSettings::default() };
    let rendered = template("{{ strftime_now('%d %b %Y %H:%M') }}").render(&[], &settings);
    assert_eq!(rendered.as_deref(), Ok("09 Mar 2025 14:05"));
}

#[test]
fn a_refused_system_message_moves_into_the_first_user_turn() {
    let template = template(
        "{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('no system') }}{% endif %}<{{ m.role }}>{{ m.content }}{% endfor %}",
    );
    let chat = [Message::system("Be brief."), Message::user("Hi"), Message::assistant("Yo")];
    let settings = RenderSettings::default();
    let refused = TemplateError::Refused { message: "no system".to_string() };
    assert_eq!(template.render(&chat, &settings), Err(refused.clone()));
    let merged = render_or_merge(Some(&template), &chat, &settings).expect("merging helps");
    assert_eq!(merged.text, "<user>Be brief.\n\nHi<assistant>Yo");
    assert!(merged.system_merged);
    let plain = render_or_merge(Some(&template), &chat[1..], &settings).expect("nothing to refuse");
    assert!(!plain.system_merged);
    let twice = [&chat[..], &chat[..1]].concat();
    assert_eq!(render_or_merge(Some(&template), &twice, &settings), Err(refused));
}

#[test]
fn a_model_without_template_gets_the_contents() {
    let chat = [Message::system("Be brief."), Message::user("Hi")];
    let rendered = render_or_merge(None, &chat, &RenderSettings::for_generation()).expect("nothing can fail");
    assert_eq!(rendered, Rendered { text: "Be brief.\n\nHi".to_string(), system_merged: false, add_special: true });
}

#[test]
fn broken_templates_say_what_is_wrong() {
    let error = ChatTemplate::new("{% if %}", TemplateOrigin::JinjaFile, SpecialTokens::default()).map(drop);
    assert!(matches!(error, Err(TemplateError::Broken { .. })));
    let error =
        template("{{ messages[0].content.nothing() }}").render(&[Message::user("x")], &RenderSettings::default());
    assert!(matches!(error, Err(TemplateError::Broken { .. })));
}

fn fixtures() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut found: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the fixtures are in the repository")
        .map(|entry| entry.expect("the fixtures can be listed").path())
        .filter(|path| path.join("chat.json").is_file())
        .collect();
    found.sort();
    assert!(found.len() >= 22, "{} families", found.len());
    found
}

fn settings_of(case: &serde_json::Value) -> RenderSettings {
    RenderSettings {
        add_generation_prompt: case["add_generation_prompt"].as_bool().expect("a flag"),
        now: None,
        variables: case["kwargs"].as_object().expect("an object").clone(),
    }
}

fn check_fixture(name: &str, tokenizer: &Tokenizer, template: &ChatTemplate, cases: &serde_json::Value) {
    for case in cases["chats"].as_array().expect("a list") {
        let messages: Vec<Message> = serde_json::from_value(case["messages"].clone()).expect("chat messages");
        let rendered = template.render(&messages, &settings_of(case));
        let label = format!("{name} {}", case["name"]);
        if let Some(message) = case.get("error").and_then(|error| error.as_str()) {
            assert_eq!(rendered, Err(TemplateError::Refused { message: message.to_string() }), "{label}");
            continue;
        }
        assert_eq!(rendered.as_deref(), Ok(case["text"].as_str().expect("a text")), "{label}");
        let ids = tokenizer.encode(&rendered.expect("just compared"), false).expect("fixture texts can be tokenized");
        assert_eq!(serde_json::json!(ids), case["ids"], "{label}");
    }
    for case in cases["texts"].as_array().expect("a list") {
        let text = case["text"].as_str().expect("a text");
        let encode = |special| tokenizer.encode(text, special).expect("fixture texts can be tokenized");
        assert_eq!(serde_json::json!(encode(false)), case["ids"], "{name} {text}");
        assert_eq!(serde_json::json!(encode(true)), case["ids_with_special_tokens"], "{name} {text}");
        assert_eq!(tokenizer.decode(&encode(false)).ok().as_deref(), case["decoded"].as_str(), "{name} {text}");
    }
}

fn chat_json(folder: &Path) -> serde_json::Value {
    let text = std::fs::read_to_string(folder.join("chat.json")).expect("the file can be read");
    serde_json::from_str(&text).expect("the file is JSON")
}

#[test]
fn every_family_renders_and_tokenizes_as_in_transformers() {
    for folder in fixtures() {
        let tokenizer = Tokenizer::from_folder(&folder).expect("a fixture's tokenizer");
        let template = ChatTemplate::from_folder(&folder, &tokenizer).expect("a fixture's template");
        let template = template.expect("every fixture has a template");
        check_fixture(&folder.display().to_string(), &tokenizer, &template, &chat_json(&folder));
    }
}

#[test]
fn gguf_metadata_gives_the_same_ids_and_texts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    for (file, family) in [("llama-f32", "llama"), ("qwen2-q8_0", "qwen2")] {
        let path = folder.join(format!("gguf/{file}.gguf"));
        let mut file = std::fs::File::open(&path).expect("the file can be read");
        let content = candle_core::quantized::gguf_file::Content::read(&mut file).expect("a GGUF file");
        let tokenizer = Tokenizer::from_gguf(&content).expect("a tokenizer");
        let template = ChatTemplate::from_gguf(&content, &tokenizer).expect("a valid template");
        let template = template.expect("the file has a template");
        check_fixture(&path.display().to_string(), &tokenizer, &template, &chat_json(&folder.join(family)));
    }
}

#[test]
fn chatglm3_has_its_own_format_built_in() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/spm/chatglm");
    let tokenizer = Tokenizer::from_folder(&folder).expect("a fixture's tokenizer");
    let template = ChatTemplate::from_folder(&folder, &tokenizer).expect("the built-in template is valid");
    let template = template.expect("ChatGLM has a template");
    assert_eq!(template.origin(), TemplateOrigin::BuiltIn);
    let chat = [Message::system("Be brief."), Message::user("Hi")];
    let text = template.render(&chat, &RenderSettings::for_generation());
    assert_eq!(text.as_deref(), Ok("[gMASK]<sop><|system|>\n Be brief.<|user|>\n Hi<|assistant|>\n "));
    let plain = folder.with_file_name("bpe");
    let tokenizer = Tokenizer::from_folder(&plain).expect("a fixture's tokenizer");
    assert!(ChatTemplate::from_folder(&plain, &tokenizer).expect("nothing to fail").is_none());
}
