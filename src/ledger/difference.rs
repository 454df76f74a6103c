//! Differences between two manifests of the same work, and whether their numbers remain comparable.

use indexmap::IndexMap;
use serde::Serialize;
use serde_json::Value;

use super::mixture::Mixture;

/// Importance of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// Log-probabilities may differ by rounding.
    Rounding,
    /// Log-probabilities differ by more than rounding.
    Numbers,
    /// Different work: different questions or sharding.
    Work,
}

/// A difference between two manifests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Importance of the difference.
    pub weight: Weight,
    /// The key and both values.
    pub mixture: Mixture,
}

/// Keys without effect on numbers: name, time, shard, training language, and data about the manifest itself.
const FREE: [&str; 9] =
    ["format", "name", "canary", "created", "shard", "mixed", "sha256", "model.adapter.trained_in", "model.cuts"];
/// Keys whose entries are compared individually.
const OPENED: [&str; 9] = [
    "program",
    "data",
    "prompts",
    "settings",
    "settings.method",
    "model",
    "model.machine",
    "model.sha256",
    "model.adapter",
];

/// The keys in which two manifests of the same kind differ. With `unnamed_products`, one of them multiplies quantised
/// matrices and was written before manifests named how.
pub fn between<M: Serialize>(first: &M, other: &M, same_model: bool, unnamed_products: bool) -> Vec<Difference> {
    let (mine, theirs) = (entries(first), entries(other));
    // Unset options are absent, so either side may have a key that the other lacks.
    let keys = mine.keys().chain(theirs.keys().filter(|key| !mine.contains_key(*key)));
    let differing = keys.filter(|key| mine.get(*key) != theirs.get(*key));
    let value = |entries: &IndexMap<String, Value>, key: &str| entries.get(key).cloned().unwrap_or_default();
    let difference = |key: &String| {
        let (first, other) = (value(&mine, key), value(&theirs, key));
        let weight = weight(key, &first, &other, same_model, unnamed_products)?;
        Some(Difference { weight, mixture: Mixture { key: key.clone(), first, other } })
    };
    differing.filter_map(difference).collect()
}

/// Importance of a difference at a key; `None` if it does not matter.
fn weight(key: &str, first: &Value, other: &Value, same_model: bool, unnamed_products: bool) -> Option<Weight> {
    let extensions = |value: &Value| value.as_str().and_then(|text| Some(text.rsplit_once('(')?.1.to_string()));
    let kind = |value: &Value| value.as_str().map(|text| text.split(':').next().unwrap_or_default().to_string());
    Some(match key {
        "program.version" | "program.commit" | "model.machine.threads" => Weight::Rounding,
        // Hashes identify the files.
        "model.path" | "model.adapter.path" => Weight::Rounding,
        // Another server with the same model, or the same server after an update.
        "model.address" | "model.others" | "model.elsewhere" | "model.program" | "model.version"
        | "model.fingerprint" => Weight::Rounding,
        // Manifests written before these keys, and servers that do not say.
        "model.root" | "model.context" | "model.quantization" if first.is_null() || other.is_null() => return None,
        "model.scores" if is_exact(first) && is_exact(other) => Weight::Rounding,
        "model.answers_as" | "model.root" | "model.context" | "model.quantization" => Weight::Numbers,
        // The path of the products determines how activations are rounded to 8 bits, and the instruction set the path.
        "model.machine.products" if first.is_null() || other.is_null() => return None,
        "model.machine.products" => Weight::Numbers,
        "model.machine.cpu" if unnamed_products && extensions(first) != extensions(other) => Weight::Numbers,
        "model.machine.cpu" => Weight::Rounding,
        "model.machine.device" if kind(first) == kind(other) => Weight::Rounding,
        "program.numbers" | "model.machine.device" | "model.machine.dtype" => Weight::Numbers,
        // The same files under different names are the same model.
        _ if same_model && key.starts_with("model.sha256.") => return None,
        "model.name" | "model.source" | "model.revision" if same_model => Weight::Rounding,
        "model.name" | "model.source" | "model.revision" | "model.family" => Weight::Numbers,
        _ if same_model && key.starts_with("model.adapter.") => Weight::Rounding,
        _ if key.starts_with("model.sha256.") || key.starts_with("model.adapter.") => Weight::Numbers,
        _ => Weight::Work,
    })
}

/// Whether a server's log-likelihoods are those of whole texts, whichever way they are asked for.
fn is_exact(scores: &Value) -> bool {
    let exact = ["prompt-logprobs", "token-trie", "echo", "sglang-prompt-logprobs"];
    scores.as_str().is_some_and(|scores| exact.contains(&scores))
}

/// The compared entries of a manifest, by path.
fn entries(manifest: &impl Serialize) -> IndexMap<String, Value> {
    let mut found = IndexMap::new();
    if let Ok(Value::Object(object)) = serde_json::to_value(manifest) {
        object.into_iter().for_each(|(key, value)| add(&mut found, key, value));
    }
    found
}

fn add(found: &mut IndexMap<String, Value>, key: String, value: Value) {
    // A pack is identified by its contents, regardless of its file's location.
    let is_place = key.starts_with("prompts.") && key.ends_with(".file");
    match value {
        _ if FREE.contains(&key.as_str()) || is_place => {}
        Value::Object(inner) if OPENED.contains(&key.as_str()) || key.starts_with("prompts.") => {
            inner.into_iter().for_each(|(name, value)| add(found, format!("{key}.{name}"), value));
        }
        value => drop(found.insert(key, value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn machines_may_differ_and_arithmetic_must_agree() {
        let check = |key: &str, first: Value, other: Value, expected: Weight| {
            assert_eq!(weight(key, &first, &other, true, false), Some(expected), "{key}: {first}, {other}");
        };
        check("model.machine.cpu", json!("A (sse4.2)"), json!("B (avx2)"), Weight::Rounding);
        check("model.machine.threads", json!(8), json!(16), Weight::Rounding);
        check("model.machine.device", json!("cuda:0"), json!("cuda:3"), Weight::Rounding);
        check("model.path", json!("/models/m"), json!("/scratch/m"), Weight::Rounding);
        check("model.scores", json!("token-trie"), json!("prompt-logprobs"), Weight::Rounding);
        check("model.scores", json!("token-trie"), json!("top"), Weight::Work);
        check("model.machine.device", json!("cpu"), json!("cuda:0"), Weight::Numbers);
        check("model.machine.dtype", json!("f32"), json!("bf16"), Weight::Numbers);
        check("settings.orders", json!("identity"), json!("all"), Weight::Work);
        check("model.machine.products", json!({"q4_k": "vnni"}), json!({"q4_k": "candle"}), Weight::Numbers);
        check("model.root", json!("/models/a"), json!("/models/b"), Weight::Numbers);
        let older = weight("model.context", &Value::Null, &json!(4096), false, false);
        assert_eq!(older, None, "a manifest from before this key");
        let older = weight("model.machine.products", &json!({"q4_k": "vnni"}), &Value::Null, true, true);
        assert_eq!(older, None, "a manifest from before this key is compared by the processor");
        // Without the path of products, the capabilities of a CPU tell how quantised weights are multiplied.
        let (first, other) = (json!("A (sse4.2)"), json!("B (avx2)"));
        assert_eq!(weight("model.machine.cpu", &first, &other, true, true), Some(Weight::Numbers));
    }
}
