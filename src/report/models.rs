//! Which runs are of one model, whatever its precision.

use indexmap::IndexMap;

use super::{Report, ReportedModel};
use crate::metric::Subject;

/// The model behind the label of each report; reports of people are of none. `given` are their labels before they were
/// made distinct.
pub(super) fn behind(reports: &[Report], given: Vec<String>) -> IndexMap<String, Subject> {
    // Files that are equal have one name, whatever they are called.
    let mut known: IndexMap<&str, String> = IndexMap::new();
    let mut found = IndexMap::new();
    for (report, name) in reports.iter().zip(given) {
        if report.results.iter().any(|results| !results.raters.is_empty()) {
            continue;
        }
        let weights = match &report.model {
            None => None,
            Some(ReportedModel { base, base_sha256, adapter, .. }) => {
                let base = known.entry(base_sha256).or_insert_with(|| without_precision(base));
                Some(format!("{base} {}", adapter.as_deref().unwrap_or_default()))
            }
        };
        found.insert(report.label.clone(), Subject { weights, name });
    }
    found
}

/// A model's name in lower case, without its folder and the precision that names of files end with (`.gguf`, `-Q4_K_M`,
/// `-f16`, `-awq`).
fn without_precision(name: &str) -> String {
    let name = name.trim_end_matches('/').to_lowercase();
    let name = name.rsplit('/').next().unwrap_or(&name);
    let mut name = name.trim_end_matches(".gguf");
    while let Some((before, last)) = name.rsplit_once(['-', '.']) {
        let digits = last.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
        let kind = &last[..last.len() - digits.len()];
        let is_precision = match kind {
            "q" | "iq" => digits.starts_with(|letter: char| letter.is_ascii_digit()),
            "f" | "bf" | "fp" | "int" => matches!(digits, "4" | "8" | "16" | "32"),
            "awq" | "gptq" => digits.is_empty(),
            _ => false,
        };
        if !is_precision {
            break;
        }
        name = before;
    }
    name.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_one_model_in_several_precisions_have_one_name() {
        for name in [
            "Org/Model-7B-Instruct",
            "model-7b-instruct.gguf",
            "Model-7B-Instruct-Q4_K_M.gguf",
            "model-7b-instruct.IQ2_XS.gguf",
            "Model-7B-Instruct-AWQ",
            "model-7b-instruct-f16",
            "model-7b-instruct-int4",
        ] {
            assert_eq!(without_precision(name), "model-7b-instruct", "{name}");
        }
        for other in ["qwen2.5-7b", "phi-3", "gemma-3-4b-it", "glm-4"] {
            assert_eq!(without_precision(other), other);
        }
    }
}
