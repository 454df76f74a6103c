//! PEFT's `adapter_config.json`: settings that are computed or change nothing; all others are refused by name.

use fancy_regex::Regex;
use serde_json::{Map, Value};

/// Keys that do not affect how the adapter's tensors are used.
const HARMLESS: [&str; 12] = [
    "auto_mapping",
    "base_model_name_or_path",
    "ensure_weight_tying",
    "eva_config",
    "inference_mode",
    "lora_dropout",
    "megatron_core",
    "peft_version",
    "qalora_group_size",
    "revision",
    "runtime_config",
    "task_type",
];

/// Keys read below.
const READ: [&str; 13] = [
    "alpha_pattern",
    "bias",
    "exclude_modules",
    "init_lora_weights",
    "layers_pattern",
    "layers_to_transform",
    "lora_alpha",
    "modules_to_save",
    "peft_type",
    "r",
    "rank_pattern",
    "target_modules",
    "use_rslora",
];

/// Initialisations that leave the base weights unchanged; others train against a changed base.
const BEGINNINGS: [&str; 3] = ["gaussian", "orthogonal", "eva"];

/// How to apply an adapter's tensors.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Config {
    /// Name of the model that the adapter was made for.
    pub made_for: Option<String>,
    /// Rank of the products.
    pub rank: usize,
    /// Numerator of the products' scale; their rank is the denominator.
    pub alpha: f64,
    /// Whether the denominator is the square root of the rank instead.
    root: bool,
    rank_pattern: Vec<(String, f64)>,
    alpha_pattern: Vec<(String, f64)>,
    targets: Names,
    excluded: Names,
    saved: Vec<String>,
    layers: Vec<usize>,
    layers_pattern: Vec<String>,
}

/// Names of modules.
#[derive(Debug, Clone, PartialEq)]
enum Names {
    /// An expression that a whole name matches.
    Expression(String),
    /// Names, or endings of names.
    Listed(Vec<String>),
    /// All matrices except the head.
    AllLinear,
}

impl Config {
    /// Read a configuration.
    pub fn read(text: &[u8]) -> Result<Self, String> {
        let config: Map<String, Value> =
            serde_json::from_slice(text).map_err(|error| format!("expected a JSON object of PEFT ({error})"))?;
        let peft_type = config.get("peft_type").and_then(Value::as_str).unwrap_or("missing");
        if peft_type != "LORA" {
            return Err(format!("`peft_type` is {peft_type}, but only LORA is supported"));
        }
        let says_nothing = |value: &Value| match value {
            Value::Null => true,
            Value::Bool(value) => !value,
            Value::Array(list) => list.is_empty(),
            Value::Object(entries) => entries.is_empty(),
            Value::Number(_) | Value::String(_) => false,
        };
        let computed = [&HARMLESS[..], &READ[..]].concat();
        if let Some((key, value)) =
            config.iter().find(|(key, value)| !computed.contains(&key.as_str()) && !says_nothing(value))
        {
            return Err(format!(
                "`{key}` is {value}, which is not supported; merge the adapter into its base with PEFT"
            ));
        }
        match config.get("init_lora_weights") {
            Some(Value::String(name)) if !BEGINNINGS.contains(&name.as_str()) => {
                return Err(format!(
                    "`init_lora_weights` is {name:?}, which changes the weights of the base; save the adapter with PEFT's \
                     `path_initial_model_for_weight_conversion`"
                ));
            }
            _ => {}
        }
        let rank = config.get("r").and_then(Value::as_u64).and_then(|rank| usize::try_from(rank).ok());
        let layers = match config.get("layers_to_transform") {
            Some(Value::Number(one)) => one.as_u64().map(|one| vec![one as usize]),
            None | Some(Value::Null) => Some(Vec::new()),
            Some(list) => serde_json::from_value(list.clone()).ok(),
        };
        Ok(Config {
            made_for: config.get("base_model_name_or_path").and_then(Value::as_str).map(str::to_string),
            rank: rank.filter(|rank| *rank > 0).ok_or("`r` is not a rank")?,
            alpha: config.get("lora_alpha").and_then(Value::as_f64).ok_or("`lora_alpha` is not a number")?,
            root: config.get("use_rslora").and_then(Value::as_bool).unwrap_or(false),
            rank_pattern: pattern(&config, "rank_pattern")?,
            alpha_pattern: pattern(&config, "alpha_pattern")?,
            targets: names(&config, "target_modules")?,
            excluded: names(&config, "exclude_modules")?,
            saved: list(&config, "modules_to_save")?,
            layers: layers.ok_or("`layers_to_transform` is not a list of layers")?,
            layers_pattern: list(&config, "layers_pattern")?,
        })
    }

    /// The scale of a module's product, and its rank.
    pub fn scale(&self, module: &str) -> Result<(f32, usize), String> {
        let rank = of_pattern(&self.rank_pattern, module)?.map_or(self.rank, |rank| rank as usize);
        let alpha = of_pattern(&self.alpha_pattern, module)?.unwrap_or(self.alpha);
        let over = if self.root { (rank as f64).sqrt() } else { rank as f64 };
        Ok(((alpha / over) as f32, rank))
    }

    /// Whether the configuration gives a matrix a product. `head` is the head's module.
    pub fn targets(&self, module: &str, head: &str) -> Result<bool, String> {
        let saved = self.saved.iter().any(|saved| {
            module.split('.').collect::<Vec<_>>().windows(saved.split('.').count()).any(|part| part.join(".") == *saved)
        });
        if saved || self.excluded.hold(module, head)? || !self.targets.hold(module, head)? {
            return Ok(false);
        }
        let by_expression = matches!(self.targets, Names::Expression(_));
        Ok(by_expression || self.layers.is_empty() || self.is_target(module) || self.layer_is_meant(module)?)
    }

    /// Whether a list names the module itself, regardless of the layers.
    fn is_target(&self, module: &str) -> bool {
        matches!(&self.targets, Names::Listed(names) if names.iter().any(|name| name == module))
    }

    fn layer_is_meant(&self, module: &str) -> Result<bool, String> {
        let any = [r"[^.]*".to_string()];
        let patterns = if self.layers_pattern.is_empty() { &any[..] } else { &self.layers_pattern[..] };
        for pattern in patterns {
            let expression = expression(&format!(r"^(?:.*?\.)?(?:{pattern})\.(\d+)\."))?;
            if let Ok(Some(found)) = expression.captures(module) {
                return Ok(found[1].parse().is_ok_and(|layer: usize| self.layers.contains(&layer)));
            }
        }
        Ok(false)
    }
}

impl Names {
    fn hold(&self, module: &str, head: &str) -> Result<bool, String> {
        Ok(match self {
            Names::Expression(pattern) => {
                let expression = expression(&format!("^(?:{pattern})$"))?;
                expression.is_match(module).map_err(|error| format!("the expression `{pattern}`: {error}"))?
            }
            Names::Listed(names) => names.iter().any(|name| module == name || module.ends_with(&format!(".{name}"))),
            Names::AllLinear => module != head && !module.contains("embed"),
        })
    }
}

fn expression(pattern: &str) -> Result<Regex, String> {
    Regex::new(pattern).map_err(|error| format!("the expression `{pattern}`: {error}"))
}

fn names(config: &Map<String, Value>, key: &str) -> Result<Names, String> {
    Ok(match config.get(key) {
        Some(Value::String(all)) if all == "all-linear" => Names::AllLinear,
        Some(Value::String(pattern)) => Names::Expression(pattern.clone()),
        _ => Names::Listed(list(config, key)?),
    })
}

/// A list of texts, or one text.
fn list(config: &Map<String, Value>, key: &str) -> Result<Vec<String>, String> {
    match config.get(key) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::String(one)) => Ok(vec![one.clone()]),
        Some(list) => serde_json::from_value(list.clone()).map_err(|_| format!("`{key}` is not a list of names")),
    }
}

/// Numbers by name endings.
fn pattern(config: &Map<String, Value>, key: &str) -> Result<Vec<(String, f64)>, String> {
    let entries = match config.get(key) {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Object(entries)) => entries.iter(),
        Some(_) => return Err(format!("`{key}` does not map names to numbers")),
    };
    let number = |(name, value): (&String, &Value)| {
        let number = value.as_f64().filter(|number| *number > 0.0);
        Ok((name.clone(), number.ok_or_else(|| format!("`{key}` has no number above 0 for {name:?}"))?))
    };
    entries.map(number).collect()
}

/// The number of the first ending that matches a module's name.
fn of_pattern(pattern: &[(String, f64)], module: &str) -> Result<Option<f64>, String> {
    for (name, number) in pattern {
        let expression = expression(&format!(r"^(?:.*\.)?(?:{name})$"))?;
        if expression.is_match(module).map_err(|error| format!("the expression `{name}`: {error}"))? {
            return Ok(Some(*number));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const QUERY: &str = "model.layers.1.self_attn.q_proj";

    fn with(key: &str, value: Value) -> Result<Config, String> {
        let mut config = json!({
            "peft_type": "LORA", "r": 4, "lora_alpha": 8, "target_modules": ["q_proj", "down_proj"], "bias": "none",
            "use_dora": false, "loftq_config": {}, "base_model_name_or_path": "tiny", "megatron_core": "megatron.core",
        });
        config[key] = value;
        Config::read(config.to_string().as_bytes())
    }

    #[test]
    fn scales_follow_rank_alpha_and_patterns() {
        let scale = |config: Result<Config, String>, module: &str| config.and_then(|config| config.scale(module));
        assert_eq!(scale(with("r", json!(4)), QUERY), Ok((2.0, 4)));
        assert_eq!(scale(with("use_rslora", json!(true)), QUERY), Ok((4.0, 4)));
        assert_eq!(scale(with("rank_pattern", json!({"q_proj": 2})), QUERY), Ok((4.0, 2)));
        assert_eq!(scale(with("alpha_pattern", json!({r"layers\.1\.self_attn\.q_proj": 1})), QUERY), Ok((0.25, 4)));
        assert_eq!(scale(with("alpha_pattern", json!({"proj": 1})), QUERY), Ok((2.0, 4)), "only whole parts of names");
    }

    #[test]
    fn targets_are_lists_expressions_or_all() {
        let meant =
            |config: Result<Config, String>, module: &str| config.and_then(|config| config.targets(module, "lm_head"));
        let own = json!(["q_proj"]);
        assert_eq!(meant(with("target_modules", own.clone()), QUERY), Ok(true));
        assert_eq!(meant(with("target_modules", json!("all-linear")), QUERY), Ok(true));
        assert_eq!(meant(with("target_modules", json!("all-linear")), "lm_head"), Ok(false));
        assert_eq!(meant(with("target_modules", json!(r".*\.[qk]_proj")), QUERY), Ok(true));
        assert_eq!(
            meant(with("target_modules", json!("q_proj")), QUERY),
            Ok(false),
            "an expression for the whole name"
        );
        assert_eq!(meant(with("layers_to_transform", json!([1, 3])), QUERY), Ok(true));
        assert_eq!(meant(with("layers_to_transform", json!(0)), QUERY), Ok(false));
        assert_eq!(meant(with("exclude_modules", own), QUERY), Ok(false));
        assert_eq!(meant(with("modules_to_save", json!(["q_proj"])), QUERY), Ok(false));
        assert!(meant(with("target_modules", json!("(")), QUERY).is_err());
    }

    #[test]
    fn what_is_not_computed_is_refused_by_name() {
        for (key, value) in [
            ("use_dora", json!(true)),
            ("fan_in_fan_out", json!(true)),
            ("lora_bias", json!(true)),
            ("loftq_config", json!({"loftq_bits": 4})),
            ("layer_replication", json!([[0, 2]])),
            ("trainable_token_indices", json!([1])),
            ("target_parameters", json!(["experts"])),
            ("something_new", json!("fast")),
            ("init_lora_weights", json!("pissa")),
            ("peft_type", json!("IA3")),
            ("r", json!(0)),
            ("lora_alpha", json!("8")),
            ("rank_pattern", json!([1])),
        ] {
            let problem = with(key, value).map(drop).expect_err("refused");
            assert!(problem.contains(&format!("`{key}`")), "{problem}");
        }
        assert!(with("init_lora_weights", json!("gaussian")).is_ok());
    }
}
