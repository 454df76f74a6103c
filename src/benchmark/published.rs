//! Sampling settings of a benchmark's paper.

use indexmap::IndexMap;
use serde::Deserialize;

/// Sampling settings stated by a paper.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedSampling {
    /// Where it states them, or a note that it states none.
    pub source: String,
    /// Settings by group of models; empty where it states none.
    #[serde(default)]
    pub groups: IndexMap<String, GroupSampling>,
}

/// Settings for a group of models.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupSampling {
    /// The models as the paper names them.
    pub models: Vec<String>,
    pub temperature: f64,
    /// Nucleus (top-p) threshold.
    pub top_p: f64,
}

/// Settings that a paper does not state.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotPublished {
    /// The paper states none at all.
    #[error("{source_text}; set --temperature and --top-p yourself")]
    None {
        /// Text of the card.
        source_text: String,
    },
    /// The paper has no group of this name.
    #[error("{source_text}: settings exist for {}, but not for `{group}`", known.join(", "))]
    NoGroup {
        /// Where the paper states them.
        source_text: String,
        /// The name given.
        group: String,
        /// Its groups.
        known: Vec<String>,
    },
    /// The model's name matches none of the paper's groups.
    #[error(
        "{source_text}: settings exist for {}, but `{model}` matches none of them; choose one, for instance \
         --sampling paper:{}", known.join(", "), known.first().map_or("", String::as_str)
    )]
    NoModel {
        /// Where the paper states them.
        source_text: String,
        model: String,
        /// Its groups.
        known: Vec<String>,
    },
}

impl PublishedSampling {
    /// The settings of a group; by default of the first group whose name, or the family of one of whose models, is in
    /// the model's name.
    pub fn of(&self, group: Option<&str>, model: &str) -> Result<&GroupSampling, NotPublished> {
        let source_text = self.source.clone();
        if self.groups.is_empty() {
            return Err(NotPublished::None { source_text });
        }
        let known = || self.groups.keys().cloned().collect();
        if let Some(name) = group {
            let no_group = || NotPublished::NoGroup { source_text, group: name.to_string(), known: known() };
            return self.groups.get(name).ok_or_else(no_group);
        }
        let lower = model.to_lowercase();
        let fits = |name: &str, group: &GroupSampling| {
            // The first word of a model's name is its family.
            let families = group.models.iter().filter_map(|model| model.split('-').next());
            let words = lower.split(|letter: char| !letter.is_ascii_alphabetic());
            lower.contains(name)
                || words.clone().any(|word| families.clone().any(|family| family.to_lowercase() == word))
        };
        let found = self.groups.iter().find(|(name, group)| fits(name, group)).map(|(_, group)| group);
        found.ok_or_else(|| NotPublished::NoModel { source_text, model: model.to_string(), known: known() })
    }
}

#[cfg(test)]
mod tests {
    use crate::benchmark::Benchmark;

    #[test]
    fn the_parts_of_xtom_have_the_settings_of_its_appendix() {
        for name in ["xtomi", "xfantom", "xnegotiationtom"] {
            let card = name.parse::<Benchmark>().unwrap().card();
            let sampling = card.sampling.unwrap();
            let of = |group: Option<&str>, model: &str| {
                sampling
                    .of(group, model)
                    .map(|found| (found.temperature, found.top_p))
                    .map_err(|error| error.to_string())
            };
            // Chan et al. 2025, appendix C.1.
            for (model, expected) in [
                ("Llama-3.1-8B-Instruct", (0.7, 0.9)),
                ("qwen2.5-0.5b-instruct-q8_0.gguf", (0.5, 0.7)),
                ("DeepSeek-R1-Distill-Llama-8B", (0.5, 0.7)),
                ("Mixtral-8x22B-Instruct-v0.1", (0.2, 0.7)),
                ("mistralai/Mistral-7B-Instruct-v0.3", (0.2, 0.7)),
            ] {
                assert_eq!(of(None, model), Ok(expected), "{name}: {model}");
            }
            assert_eq!(of(Some("gpt"), "any"), Ok((1.0, 1.0)));
            assert_eq!(of(Some("llama"), "smollm2-135m-instruct"), Ok((0.7, 0.9)));
            assert!(of(None, "smollm2-135m-instruct").unwrap_err().contains("--sampling paper:gpt"));
            assert!(of(Some("claude"), "any").unwrap_err().contains("deepseek-r1, llama, qwen, mistral"));
        }
    }

    #[test]
    fn papers_that_state_no_settings_say_so() {
        for name in ["tombench", "hi-tom", "multi-tom", "tomvalley"] {
            let sampling = name.parse::<Benchmark>().unwrap().card().sampling.unwrap();
            let said = sampling.of(None, "llama").unwrap_err().to_string();
            assert!(said.contains("no sampling settings") && said.contains("--temperature"), "{said}");
        }
    }
}
