//! Files generated from the code: docs/formats.md and its JSON schemas from the serialised types, docs/commands.md and
//! shell completions from the arguments.
//!
//! `cargo generate` writes them (an alias in `.cargo/config.toml`); the test here fails if one is out of date.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap_complete::Shell;
use indexmap::IndexMap;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::Arguments;

/// Schemas of documents and lines by their name in the page's template.
fn schemas() -> BTreeMap<&'static str, Value> {
    fn made<T: JsonSchema>(settings: SchemaSettings) -> Value {
        settings.into_generator().into_root_schema_for::<T>().to_value()
    }
    fn schema<T: JsonSchema>() -> Value {
        made::<T>(SchemaSettings::draft2020_12().for_serialize())
    }
    /// Schema of what pages write and this program reads.
    fn read<T: JsonSchema>() -> Value {
        made::<T>(SchemaSettings::draft2020_12().for_deserialize())
    }
    BTreeMap::from([
        ("annotation-answer", read::<crate::annotate::AnswerRecord>()),
        ("annotation-end", read::<crate::annotate::End>()),
        ("annotation-head", read::<crate::annotate::Header>()),
        ("annotation-judgement", read::<crate::annotate::JudgeRecord>()),
        ("annotation-mark", read::<crate::annotate::MarkRecord>()),
        ("attention", schema::<crate::attend::Document>()),
        ("attention-folder", schema::<crate::attend::FolderManifest>()),
        ("attention-items", schema::<crate::attend::ItemLine>()),
        ("audit", schema::<crate::run::AuditSummary>()),
        ("audit-line", schema::<crate::run::AuditLine>()),
        ("bench", schema::<crate::bench::Bench>()),
        ("cells", schema::<crate::compare::CellComparison>()),
        ("checkup", schema::<crate::bench::Checkup>()),
        #[cfg(feature = "server")]
        ("server-at-end", schema::<crate::run::ServerAtEnd>()),
        #[cfg(feature = "server")]
        ("server-checkup", schema::<super::doctor::server::ServerCheckup>()),
        ("comparison", schema::<crate::compare::Comparison>()),
        ("data-check", schema::<super::data::check::Document>()),
        ("data-twins", schema::<super::data::twins::Document>()),
        ("data-stats", schema::<super::data::stats::Document>()),
        ("drift", schema::<crate::bench::Drift>()),
        ("human-keywords", read::<crate::attend::HumanFile>()),
        ("item", schema::<crate::benchmark::ItemLine>()),
        ("item-outcome", schema::<crate::report::ItemLine>()),
        ("judgements", schema::<crate::annotate::Judged>()),
        ("kept-data", schema::<crate::trial::KeptData>()),
        ("logprob-output", schema::<super::logprob::OutputRow>()),
        ("request-map", schema::<crate::answer::MappedRequest>()),
        ("made-unit", schema::<crate::make::set::MadeUnit>()),
        ("make-manifest", schema::<crate::make::MakeManifest>()),
        ("make-reply", schema::<crate::make::Reply>()),
        ("manifest", schema::<crate::run::Manifest>()),
        ("made-context", schema::<crate::make::contexts::Context>()),
        ("made-sketch", schema::<crate::make::sketches::Sketched>()),
        ("made-item", schema::<crate::make::OwnItem<crate::make::Origin>>()),
        ("marks", schema::<crate::annotate::Marked>()),
        ("plan", schema::<super::plan::PlanReport<super::plan::Passes>>()),
        ("probe", schema::<crate::probe::Document>()),
        ("progress", schema::<crate::terminal::progress::Line>()),
        ("published-comparison", schema::<crate::compare::published::PublishedComparison>()),
        ("results", schema::<crate::report::Report>()),
        ("sample", schema::<crate::make::SampleDocument>()),
        ("selftest", schema::<crate::selftest::SelfTest>()),
        ("study", schema::<super::study::Document>()),
        #[cfg(feature = "server")]
        ("server", schema::<super::server::inspect::Inspected>()),
        #[cfg(feature = "server")]
        ("server-plan", schema::<super::plan::PlanReport<super::plan::served::Sent>>()),
        ("states", schema::<super::states::Document>()),
        ("split", schema::<super::make::split::SplitDocument>()),
        ("training-example", schema::<crate::make::Example>()),
        ("started", schema::<crate::run::Started>()),
        ("timings", schema::<crate::run::Timings>()),
        ("trial", schema::<crate::record::TrialRecord>()),
    ])
}

/// A key of a document.
struct Key {
    kind: String,
    meaning: String,
    /// Type and field, for messages.
    field: String,
}

/// Keys of a document by path, in the order of the types.
struct Keys<'a> {
    root: &'a Value,
    found: IndexMap<String, Key>,
}

impl<'a> Keys<'a> {
    fn new(root: &'a Value) -> Self {
        let mut keys = Keys { root, found: IndexMap::new() };
        keys.below(root, "", "");
        keys
    }

    /// Follows a schema's references; returns it with the name of its type.
    fn resolved(&self, schema: &'a Value) -> (&'a Value, Option<&'a str>) {
        match schema["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/")) {
            Some(name) => (&self.root["$defs"][name], Some(name)),
            None => (schema, None),
        }
    }

    /// Returns the alternative forms of a value, without null.
    fn ways(&self, schema: &'a Value) -> Vec<(&'a Value, Option<&'a str>)> {
        // A tag stands beside the reference to the tagged type.
        let mut ways = Vec::from_iter(schema["properties"].is_object().then_some((schema, None)));
        let (schema, name) = self.resolved(schema);
        let several = ["anyOf", "oneOf"].iter().find_map(|key| schema[*key].as_array());
        if name.is_some() || ways.is_empty() {
            ways.push((schema, name));
        }
        for way in several.into_iter().flatten().filter(|way| way["type"] != "null") {
            ways.extend(self.ways(way));
        }
        ways
    }

    fn below(&mut self, schema: &'a Value, at: &str, owner: &str) {
        for (way, name) in self.ways(schema) {
            let owner = name.or(way["title"].as_str()).unwrap_or(owner);
            let properties = way["properties"].as_object();
            for (key, value) in properties.into_iter().flatten() {
                let path = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
                // A variant's tag, and the single key of a variant named by it, mean what the variant means.
                let of_variant = value.get("const").is_some() || properties.is_some_and(|all| all.len() == 1);
                let variant = way["description"].as_str().filter(|_| of_variant);
                let always = way["required"].as_array().is_some_and(|all| all.iter().any(|name| name == key));
                self.add(value, &path, &format!("{owner}.{key}"), variant, always);
            }
            if way["items"].is_object() {
                self.below(&way["items"], &format!("{at}[]"), owner);
            }
            if is_map(way) {
                self.below(&way["additionalProperties"], &format!("{at}.*"), owner);
            }
        }
    }

    fn add(&mut self, schema: &'a Value, at: &str, field: &str, variant: Option<&'a str>, always: bool) {
        let ways = self.ways(schema);
        let described = |way: &'a Value| way["description"].as_str();
        let of_types = ways.iter().find_map(|(way, _)| described(way));
        let meaning = described(schema).or(variant).or(of_types).unwrap_or_default();
        let mut meaning = meaning.split_whitespace().collect::<Vec<_>>().join(" ");
        if let (Some(value), Some(_)) = (schema["const"].as_str(), variant) {
            meaning = format!("`{value}`: {meaning}");
        }
        let values: Vec<(&str, Option<&str>)> = ways
            .iter()
            .flat_map(|(way, _)| {
                let listed = way["enum"].as_array().into_iter().flatten().chain(way.get("const"));
                listed.filter_map(Value::as_str).map(|value| (value, way.get("const").and(described(way))))
            })
            .collect();
        if values.iter().any(|(value, _)| !meaning.contains(&format!("`{value}`"))) {
            let shown = |(value, meaning): &(&str, Option<&str>)| {
                let meaning = meaning.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
                let meaning = meaning.map(|text| format!(" ({})", text.trim_end_matches('.')));
                format!("`{value}`{}", meaning.unwrap_or_default())
            };
            let _ = write!(meaning, " One of: {}.", values.iter().map(shown).collect::<Vec<_>>().join(", "));
        }
        let path = at.to_string() + &self.suffix(schema);
        let mut kind = self.kind(schema);
        if !always {
            kind = kind.strip_suffix(" or null").unwrap_or(&kind).to_string() + ", may be absent";
        }
        let key = Key { kind, meaning: meaning.clone(), field: field.to_string() };
        let same = self.found.entry(path).or_insert(key);
        if same.meaning != meaning && !same.meaning.contains(&meaning) {
            same.meaning += &format!(" / {meaning}");
        }
        self.below(schema, at, field);
    }

    /// Returns the suffix of a key's path: `[]` for a list, `.*` for a map.
    fn suffix(&self, schema: &'a Value) -> String {
        for (way, _) in self.ways(schema) {
            if way["type"] == "array" || way["type"].as_array().is_some_and(|types| types.contains(&"array".into())) {
                return "[]".to_string() + &self.suffix(&way["items"]);
            }
            if is_map(way) {
                return ".*".to_string() + &self.suffix(&way["additionalProperties"]);
            }
        }
        String::new()
    }

    /// Returns the JSON type, in words.
    fn kind(&self, schema: &'a Value) -> String {
        let mut kinds = Vec::new();
        for (way, _) in self.ways(schema) {
            let named = match &way["type"] {
                Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
                one => Vec::from_iter(one.as_str()),
            };
            for kind in named {
                kinds.push(match kind {
                    "string" => "text".to_string(),
                    "integer" => "whole number".to_string(),
                    "array" => format!("list of {}", self.kinds(&way["items"])),
                    "object" if is_map(way) => {
                        format!("map of {}", self.kinds(&way["additionalProperties"]))
                    }
                    other => other.to_string(),
                });
            }
        }
        let null = kinds.iter().any(|kind| kind == "null") || self.may_be_null(schema);
        kinds.retain(|kind| kind != "null");
        kinds.dedup();
        if null {
            kinds.push("null".to_string());
        }
        if kinds.is_empty() { "anything".to_string() } else { kinds.join(" or ") }
    }

    /// Returns the JSON type in the plural.
    fn kinds(&self, schema: &'a Value) -> String {
        let kind = self.kind(schema);
        let plural = |kind: &str| match kind.split_once(' ') {
            _ if kind == "null" => kind.to_string(),
            Some((first @ ("list" | "map"), rest)) => format!("{first}s {rest}"),
            _ => format!("{kind}s"),
        };
        if kind == "anything" { kind } else { kind.split(" or ").map(plural).collect::<Vec<_>>().join(" or ") }
    }

    fn may_be_null(&self, schema: &'a Value) -> bool {
        let (schema, _) = self.resolved(schema);
        let several = ["anyOf", "oneOf"].iter().find_map(|key| schema[*key].as_array());
        several.into_iter().flatten().any(|way| way["type"] == "null")
    }
}

/// Whether an object has arbitrary keys, with values of one type.
fn is_map(schema: &Value) -> bool {
    let others = &schema["additionalProperties"];
    others.is_object() || *others == true
}

/// Fills the page's template, with a table of keys for each line `<!-- keys: NAME ... -->`. After the names,
/// `without PATH ...` leaves out keys below a path that is explained elsewhere.
fn formats(template: &str, schemas: &BTreeMap<&str, Value>) -> String {
    let mut page = String::new();
    for line in template.lines() {
        let Some(asked) = line.strip_prefix("<!-- keys: ").and_then(|rest| rest.strip_suffix(" -->")) else {
            page += line;
            page.push('\n');
            continue;
        };
        let (names, without) = asked.split_once(" without ").unwrap_or((asked, ""));
        let without: Vec<&str> = without.split_whitespace().collect();
        let mut rows: IndexMap<String, (Key, Vec<&str>)> = IndexMap::new();
        for name in names.split_whitespace() {
            let schema = schemas.get(name).unwrap_or_else(|| panic!("the template asks for the keys of `{name}`"));
            for (path, key) in Keys::new(schema).found {
                if !without.iter().any(|cut| path.len() > cut.len() && path.starts_with(cut)) {
                    rows.entry(path).or_insert((key, Vec::new())).1.push(name);
                }
            }
        }
        page += "| key | type | meaning |\n|---|---|---|\n";
        for (path, (key, _)) in rows {
            assert!(key.meaning.len() > 3, "{path}: {} has no doc comment", key.field);
            let cell = |text: &str| text.replace('|', "\\|");
            let _ = writeln!(page, "| `{path}` | {} | {} |", key.kind, cell(&key.meaning));
        }
    }
    page
}

fn files() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let template = std::fs::read_to_string(root.join("src/cli/formats.md")).expect("the template can be read");
    let schemas = schemas();
    let json = serde_json::to_string_pretty(&schemas).expect("schemas are JSON") + "\n";
    let mut files = vec![
        (root.join("docs/formats.md"), formats(&template, &schemas)),
        (root.join("docs/formats.schema.json"), json),
        (root.join("docs/commands.md"), clap_markdown::help_markdown::<Arguments>()),
    ];
    for (shell, name) in [(Shell::Bash, "tomeval.bash"), (Shell::Zsh, "_tomeval"), (Shell::Fish, "tomeval.fish")] {
        let script = super::completions::script(shell);
        files.push((root.join("completions").join(name), String::from_utf8(script).expect("scripts are text")));
    }
    files
}

/// Returns the files that differ from those on disk.
fn stale() -> impl Iterator<Item = (PathBuf, String)> {
    files().into_iter().filter(|(path, content)| std::fs::read_to_string(path).ok().as_ref() != Some(content))
}

#[test]
fn generated_files_are_current() {
    let stale: Vec<PathBuf> = stale().map(|(path, _)| path).collect();
    assert!(stale.is_empty(), "out of date: {stale:?}; `cargo generate` writes them");
}

#[test]
#[ignore = "writes files: cargo generate"]
fn write_generated_files() {
    for (path, content) in stale() {
        std::fs::create_dir_all(path.parent().expect("a file has a folder")).expect("the folder can be made");
        std::fs::write(&path, content).expect("the file can be written");
        println!("{}", path.display());
    }
}
