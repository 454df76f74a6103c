//! Seeded damage to tokenizers and chat templates: no panic, no hang, no memory beyond bounds; a setting that is damaged
//! is refused or changes nothing. `TOMEVAL_MUTATIONS=N` as in `model_files`.

use std::path::Path;

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use tomeval::Message;
use tomeval::internal::resident_bytes;
use tomeval::internal::{ModelError, TemplateVariables};
use tomeval::{ModelFiles, RenderSettings, TextParts};

use crate::support::damage::{absurd, damage, try_out};
use crate::support::files::copy_folder;
use crate::support::fixture;

/// What text becomes, as far as results depend on it.
#[derive(Debug, PartialEq)]
struct TextMeaning {
    ids: Vec<Result<Vec<u32>, String>>,
    continued: Option<Vec<u32>>,
    stops: Vec<u32>,
    special: Vec<(String, String)>,
    rows: usize,
    prompt: Result<String, String>,
}

/// Texts with all that tokenizers treat apart.
const TEXTS: [&str; 6] = [
    "Sally puts the ball into the basket. Where will she look for it?",
    "  two  spaces\n\n\tand\r\nbreaks   ",
    "萨莉把球放进了篮子里。1234567 ½ ²",
    "<s>user</s> <|im_start|> é e\u{301} ﬁ 👩‍👩‍👧",
    "it's IT'S We'll aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "",
];

fn messages() -> [Message; 3] {
    [Message::system("Be brief."), Message::user("Where is <|im_end|> it?"), Message::assistant("There.")]
}

fn meaning(path: &Path) -> Result<TextMeaning, ModelError> {
    let before = resident_bytes().unwrap_or(0);
    let TextParts { tokenizer, template } = ModelFiles::from_path(path)?.text_parts()?;
    let ids: Vec<_> = TEXTS.map(|text| tokenizer.encode(text, true).map_err(|error| error.to_string())).into();
    for ids in ids.iter().flatten() {
        // Whatever the ids are, they are those of a vocabulary.
        let _ = tokenizer.decode(ids);
        for &id in ids {
            let _ = tokenizer.token_text(id);
        }
    }
    let context = tokenizer.context(TEXTS[0], true);
    let continued = context.and_then(|context| Ok(context.continue_with(" The basket")?.tokens)).ok();
    let variables = TemplateVariables::new();
    let settings = RenderSettings { variables, ..RenderSettings::for_generation() };
    let render = |count: usize| match &template {
        Some(template) => template.render(&messages()[..count], &settings).map_err(|error| error.to_string()),
        None => Ok(String::new()),
    };
    let prompt = render(2).or_else(|_| render(3));
    if let Some(template) = &template {
        let _ = (template.reads(), template.without_thinking(&TemplateVariables::new()));
    }
    let grown = resident_bytes().unwrap_or(0).saturating_sub(before);
    assert!(grown < 2 << 30, "{grown} bytes more than before");
    Ok(TextMeaning {
        ids,
        continued,
        stops: tokenizer.stop_ids().to_vec(),
        special: tokenizer.special_tokens().iter().map(|(name, token)| (name.into(), token.into())).collect(),
        rows: tokenizer.vocab_size(),
        prompt,
    })
}

/// Damage anywhere: a letter of a token or of a template may become another, which nobody can tell; but it is read calmly.
fn calmly(family: &str, file: &str, tests: u32) {
    let name = format!("{file} of {family}");
    let anywhere =
        |whole: &[u8], random: &mut ChaCha8Rng| damage(whole, 0..whole.len().saturating_sub(80), &[], random);
    try_out(&name, &fixture(family), file, tests, anywhere, meaning, |_, _, _| {});
}

#[test]
fn damaged_tokenizers() {
    for family in ["llama", "gemma2", "qwen3", "glm4"] {
        calmly(family, "tokenizer.json", 4);
    }
}

#[test]
fn damaged_tokenizer_configurations() {
    for family in ["llama", "gemma2"] {
        calmly(family, "tokenizer_config.json", 2);
    }
}

/// Settings of which any text or number is understood: nobody can tell that it was another.
const FREE: [&str; 9] = ["content", "id", "ids", "tokens", "vocab", "merges", "Regex", "String", "version"];

/// A random setting below `value`, which is not among the free ones: the object that holds it, and its name.
fn setting<'a>(
    value: &'a mut Value,
    random: &mut ChaCha8Rng,
) -> Option<(&'a mut serde_json::Map<String, Value>, String)> {
    match value {
        Value::Array(list) if !list.is_empty() => {
            let at = random.random_range(0..list.len());
            setting(&mut list[at], random)
        }
        Value::Object(object) => {
            let names: Vec<String> = object.keys().filter(|name| !FREE.contains(&name.as_str())).cloned().collect();
            let name = names.get(random.random_range(0..names.len().max(1)))?.clone();
            let nested = object[&name].is_object()
                || object[&name].as_array().is_some_and(|list| list[..].iter().any(Value::is_object));
            if nested && random.random_bool(0.8) {
                return setting(object.get_mut(&name)?, random);
            }
            Some((object, name))
        }
        _ => None,
    }
}

#[test]
fn damaged_tokenizer_settings() {
    let families = ["llama", "gemma2", "qwen3", "phi3"];
    for family in families {
        let name = format!("settings of the tokenizer of {family}");
        let mutate = |whole: &[u8], random: &mut ChaCha8Rng| loop {
            let mut file: Value = serde_json::from_slice(whole).unwrap();
            let Some((object, name)) = setting(&mut file, random) else { continue };
            let value = object[&name].clone();
            // An absent setting and `null` are the library's default.
            let what = if random.random_bool(0.5) && name.len() > 3 {
                let mut misspelt = name.clone();
                misspelt.remove(random.random_range(0..name.len()));
                object.remove(&name);
                object.insert(misspelt.clone(), value);
                format!("`{name}` is written `{misspelt}`")
            } else {
                let wrong = match &value {
                    // Another text may be another sound name.
                    Value::String(_) => json!([1, 2]),
                    value => absurd(value, random),
                };
                object.insert(name.clone(), wrong);
                format!("`{name}` is {}", object[&name])
            };
            return (file.to_string().into_bytes(), what);
        };
        try_out(
            &name,
            &fixture(family),
            "tokenizer.json",
            families.len() as u32,
            mutate,
            meaning,
            |read, original, what| {
                assert!(read == original, "{what}: other tokens: {read:?}");
            },
        );
    }
}

/// Pieces from which hostile templates are made.
const PIECES: [&str; 24] = [
    "{% for i in range(100000) %}",
    "{% endfor %}",
    "{% set ns.x = ns.x ~ ns.x %}",
    "{% set ns.x = [ns.x, ns.x] %}",
    "{% set ns.x = ns %}",
    "{% set x = x * 99999 %}",
    "{% if x %}",
    "{% endif %}",
    "{% macro m(a) %}",
    "{% endmacro %}",
    "{{ m(m(x)) }}",
    "{{ x|join(x) }}",
    "{{ ns }}",
    "{{ messages|tojson(indent=9) }}",
    "{{ x|indent(9999) }}",
    "{{ x.replace('', x) }}",
    "{{ '%999s'|format(x) }}",
    "{{ x[::-1] }}",
    "{{ messages|map(attribute='content')|list }}",
    "{{ range(99999)|sum }}",
    "{{ -x ** x // 0 }}",
    "{{ x[9:1:-2] }}",
    "{{ loop.index }}",
    "{% block b %}{{ self.b() }}{% endblock %}",
];

#[test]
fn damaged_templates() {
    let templates = std::fs::read_dir(fixture("chat_templates")).unwrap().map(|entry| entry.unwrap().path());
    let mut templates: Vec<_> = templates.collect();
    templates.sort();
    let sources: Vec<Vec<u8>> = templates.iter().map(|path| std::fs::read(path).unwrap()).collect();
    let folder = tempfile::tempdir().unwrap();
    copy_folder(&fixture("llama"), folder.path());
    std::fs::write(folder.path().join("chat_template.jinja"), &sources[0]).unwrap();
    let mutate = |_: &[u8], random: &mut ChaCha8Rng| {
        let mut source = sources[random.random_range(0..sources.len())].clone();
        if random.random_bool(0.3) {
            source = b"{% set ns = namespace(x='x') %}{% set x = 'x' %}".to_vec();
        }
        for _ in 0..random.random_range(0..8) {
            let places: Vec<usize> =
                (0..=source.len()).filter(|&at| source.get(at).is_none_or(|&byte| byte == b'{')).collect();
            let at = places[random.random_range(0..places.len())];
            let piece = PIECES[random.random_range(0..PIECES.len())].bytes();
            source.splice(at..at, piece);
        }
        let what = String::from_utf8_lossy(&source).into_owned();
        match random.random_bool(0.4) && source.len() > 100 {
            true => damage(&source, 0..source.len() - 80, &[], random),
            false => (source, what),
        }
    };
    try_out("templates", folder.path(), "chat_template.jinja", 1, mutate, meaning, |_, _, _| {});
}
