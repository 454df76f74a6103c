//! What `probe recall` asks: the built-in prompts of `datasets/probe/prompts.toml`, or those of a file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use strum::{IntoStaticStr, VariantArray};

use crate::benchmark::{Benchmark, Item};
use crate::language::Language;
use crate::name::named;
use crate::parse_error::in_words;

/// Kind of text requested from the model.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, IntoStaticStr, VariantArray,
)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Protocol {
    /// An item of the dataset.
    Example,
    /// The second half of a story, after its first.
    Completion,
    /// An example of each classic test of false belief, as in ToMBench's appendix A.
    Classic,
}

named!(Protocol, "protocol");

/// A classic test of false belief.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, IntoStaticStr, VariantArray,
)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum ClassicTest {
    /// A thing is moved while its owner is away (Baron-Cohen et al. 1985).
    SallyAnne,
    /// A box holds something other than its picture says (Wimmer and Perner 1983 and later).
    Smarties,
}

named!(ClassicTest);

/// Prompts by protocol and language.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Prompts {
    texts: BTreeMap<(Protocol, Language), String>,
    /// Names of the classic tests by language.
    tests: BTreeMap<(ClassicTest, Language), String>,
    /// Whether datasets go by the names that XToM prints.
    of_file: bool,
}

/// The built-in prompts of a language.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct BuiltIn {
    example: String,
    completion: String,
    classic: String,
    sally_anne: String,
    smarties: String,
}

/// A file of prompts, as packs have them.
#[derive(Deserialize)]
struct PromptsFile {
    source: String,
    style: Vec<WrittenPrompt>,
}

#[derive(Deserialize)]
struct WrittenPrompt {
    name: Protocol,
    language: Language,
    user: String,
}

/// A file that has no such prompts.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PromptsError {
    /// It cannot be read.
    #[error("--prompts {}: {source}", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    /// It does not have this format.
    #[error("--prompts {}: {}", path.display(), in_words(source))]
    Malformed { path: PathBuf, source: toml::de::Error },
    /// A prompt lacks a placeholder.
    #[error("--prompts {}: `{protocol}` in {language} needs {placeholder}", path.display())]
    Placeholder { path: PathBuf, protocol: Protocol, language: Language, placeholder: &'static str },
}

impl Prompts {
    /// The built-in prompts.
    pub fn built_in() -> Self {
        let written: BTreeMap<Language, BuiltIn> =
            toml::from_str(include_str!("../../datasets/probe/prompts.toml")).expect("a test reads it");
        let mut prompts = Prompts::default();
        for (language, built_in) in written {
            let BuiltIn { example, completion, classic, sally_anne, smarties } = built_in;
            let texts =
                [(Protocol::Example, example), (Protocol::Completion, completion), (Protocol::Classic, classic)];
            prompts.texts.extend(texts.map(|(protocol, text)| ((protocol, language), text)));
            let tests = [(ClassicTest::SallyAnne, sally_anne), (ClassicTest::Smarties, smarties)];
            prompts.tests.extend(tests.map(|(test, name)| ((test, language), name)));
        }
        prompts
    }

    /// The prompts of a file, with what it says that they come from and its SHA-256. Classic tests go by their built-in
    /// names.
    ///
    /// # Errors
    /// A file that cannot be read, has another format, or a prompt without its placeholder.
    pub fn read(path: &Path) -> Result<(Self, String), PromptsError> {
        let at = || path.to_path_buf();
        let text = std::fs::read_to_string(path).map_err(|source| PromptsError::Unreadable { path: at(), source })?;
        let written: PromptsFile =
            toml::from_str(&text).map_err(|source| PromptsError::Malformed { path: at(), source })?;
        let mut prompts = Prompts { texts: BTreeMap::new(), of_file: true, ..Prompts::built_in() };
        for WrittenPrompt { name, language, user } in written.style {
            let placeholder = match name {
                Protocol::Example => "{dataset}",
                Protocol::Completion => "{sentence}",
                Protocol::Classic => "{test}",
            };
            if !user.contains(placeholder) {
                return Err(PromptsError::Placeholder { path: at(), protocol: name, language, placeholder });
            }
            prompts.texts.insert((name, language), user);
        }
        Ok((prompts, format!("{}; sha256 {}", written.source, hex::encode(Sha256::digest(text.as_bytes())))))
    }

    /// The protocols that they have.
    pub fn protocols(&self) -> Vec<Protocol> {
        let mut protocols: Vec<Protocol> = self.texts.keys().map(|(protocol, _)| *protocol).collect();
        protocols.dedup();
        protocols
    }

    /// Whether there is a prompt for this.
    pub(super) fn asks(&self, protocol: Protocol, language: Language) -> bool {
        self.texts.contains_key(&(protocol, language))
    }

    /// The prompt about an item, the first half of whose story is `first`.
    pub(super) fn text(
        &self,
        protocol: Protocol,
        test: Option<ClassicTest>,
        item: &Item,
        first: &str,
    ) -> Option<String> {
        let pattern = self.texts.get(&(protocol, item.language))?;
        let title = item.benchmark.card().title;
        let dataset = match item.benchmark {
            Benchmark::XToMi if self.of_file => "ToMi",
            Benchmark::FanToM | Benchmark::XFanToM if self.of_file => "FanToM",
            Benchmark::XNegotiationToM if self.of_file => "NegotiationToM",
            _ => &title,
        };
        let test = test.and_then(|test| self.tests.get(&(test, item.language))).map_or("", String::as_str);
        let asked = pattern.trim_start().replace("{dataset}", dataset).replace("{test}", test);
        Some(asked.replace("{first}", first).replace("{sentence}", first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_all_prompts() {
        let prompts = Prompts::built_in();
        for language in Language::ALL {
            let [example, completion, classic] = Protocol::ALL.map(|protocol| &prompts.texts[&(protocol, language)]);
            assert!(example.contains("{dataset}") && !example.contains("{first}"), "{language}");
            assert!(completion.contains("{dataset}") && completion.ends_with("\n\n{first}"), "{language}");
            assert!(classic.contains("{test}") && !classic.contains("{dataset}"), "{language}");
            assert!(ClassicTest::ALL.iter().all(|test| prompts.tests.contains_key(&(*test, language))));
        }
        assert_eq!(prompts.texts.len(), 3 * Language::ALL.len());
    }
}
