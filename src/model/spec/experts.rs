//! The experts of a mixture, from a configuration.

use serde_json::json;

use super::check::MOST_EXPERTS;
use super::family::Family;
use super::keys::Keys;
use crate::decoder::{ExpertGroups, ExpertScore, Experts, SharedExpert};
use crate::model::ModelError;

/// The experts of a mixture; `None` for other models.
pub(super) fn experts(keys: &Keys, family: Family, layers: usize) -> Result<Option<Experts>, ModelError> {
    // Several names are in use, in older and newer files of one family.
    let mut count = None;
    for key in ["num_experts", "num_local_experts", "n_routed_experts"] {
        count = count.or(keys.maybe_count(key)?.map(|count| (key, count)));
    }
    let experts = match family {
        Family::Mixtral => mixtral(keys, layers)?,
        Family::Qwen2Moe | Family::Qwen3Moe => qwen(keys, family, layers)?,
        Family::DeepseekV2 | Family::DeepseekV3 if count.is_none() => return Ok(None),
        Family::DeepseekV2 | Family::DeepseekV3 => deepseek(keys, family, layers)?,
        _ => {
            return match count {
                Some((key, count)) if count > 1 => Err(keys.wrong(key, "mixtures of this family are not supported")),
                _ => Ok(None),
            };
        }
    };
    let count = match count {
        Some((_, count)) if (1..=MOST_EXPERTS).contains(&count) => count,
        Some((key, _)) => return Err(keys.wrong(key, format!("expected 1 to {MOST_EXPERTS}"))),
        None => return Err(keys.wrong("num_experts", "expected a whole number")),
    };
    let experts = Experts { count, ..experts };
    if experts.active == 0 || experts.active > count {
        return Err(keys.wrong("num_experts_per_tok", format!("expected 1 to {count}")));
    }
    if let Some(ExpertGroups { count: groups, active, .. }) = experts.groups {
        if groups == 0 || !count.is_multiple_of(groups) {
            return Err(keys.wrong("n_group", format!("expected a divisor of the number of experts, {count}")));
        }
        if active == 0 || active > groups || active * (count / groups) < experts.active {
            let expected = format!("expected 1 to {groups}, enough for {} experts per token", experts.active);
            return Err(keys.wrong("topk_group", expected));
        }
    }
    Ok(Some(experts))
}

/// Settings that most mixtures share; the number of experts is filled in afterwards.
fn usual(keys: &Keys, layers: usize) -> Result<Experts, ModelError> {
    Ok(Experts {
        count: 0,
        active: keys.count("num_experts_per_tok")?,
        intermediate: 0,
        score: ExpertScore::Softmax,
        groups: None,
        corrected: false,
        normalised: true,
        scale: 1.0,
        shared: None,
        layers: vec![true; layers],
    })
}

fn mixtral(keys: &Keys, layers: usize) -> Result<Experts, ModelError> {
    Ok(Experts { intermediate: keys.count("intermediate_size")?, ..usual(keys, layers)? })
}

fn qwen(keys: &Keys, family: Family, layers: usize) -> Result<Experts, ModelError> {
    let dense = keys.maybe_list("mlp_only_layers", |layer| layer.as_u64().map(|layer| layer as usize))?;
    let dense = dense.unwrap_or_default();
    let step = keys.maybe_count("decoder_sparse_step")?.unwrap_or(1).max(1);
    let shared = match family {
        Family::Qwen2Moe => {
            Some(SharedExpert { intermediate: keys.count("shared_expert_intermediate_size")?, gated: true })
        }
        _ => None,
    };
    Ok(Experts {
        intermediate: keys.count("moe_intermediate_size")?,
        normalised: keys.flag("norm_topk_prob", false)?,
        shared,
        layers: (0..layers).map(|layer| !dense.contains(&layer) && (layer + 1).is_multiple_of(step)).collect(),
        ..usual(keys, layers)?
    })
}

/// DeepSeek-V2 (arXiv:2405.04434, section 2.2) and DeepSeek-V3 (arXiv:2412.19437, section 2.1.2).
fn deepseek(keys: &Keys, family: Family, layers: usize) -> Result<Experts, ModelError> {
    let third = family == Family::DeepseekV3;
    let score = if third { "sigmoid" } else { "softmax" };
    keys.refuse("scoring_func", &[json!(score)], &format!("only {score} is supported in this family"))?;
    let method = keys.maybe_text("topk_method")?;
    let grouped = match (family, method) {
        (Family::DeepseekV3, None | Some("noaux_tc")) | (Family::DeepseekV2, Some("group_limited_greedy")) => true,
        (Family::DeepseekV2, None | Some("greedy")) => false,
        (Family::DeepseekV3, _) => return Err(keys.wrong("topk_method", "expected noaux_tc")),
        _ => return Err(keys.wrong("topk_method", "expected greedy or group_limited_greedy")),
    };
    if !third {
        // Published code divides there and omits the factor; no published model uses it.
        keys.refuse("norm_topk_prob", &[json!(false)], "not supported in this family")?;
    }
    let groups = || {
        let groups = keys.maybe_count("n_group")?.unwrap_or(1);
        let active = keys.maybe_count("topk_group")?.unwrap_or(groups);
        Ok::<_, ModelError>(ExpertGroups { count: groups, active, summed: if third { 2 } else { 1 } })
    };
    let groups = if grouped { Some(groups()?) } else { None };
    if !grouped {
        // They have no effect where no groups are formed.
        keys.maybe_count("n_group")?;
        keys.maybe_count("topk_group")?;
    }
    let intermediate = keys.count("moe_intermediate_size")?;
    let shared = keys.maybe_count("n_shared_experts")?.filter(|&count| count > 0);
    let first = keys.maybe_count("first_k_dense_replace")?.unwrap_or(0);
    let step = keys.maybe_count("moe_layer_freq")?.unwrap_or(1).max(1);
    Ok(Experts {
        intermediate,
        score: if third { ExpertScore::Sigmoid } else { ExpertScore::Softmax },
        groups,
        corrected: third,
        normalised: third && keys.flag("norm_topk_prob", true)?,
        scale: keys.maybe_number("routed_scaling_factor")?.unwrap_or(1.0) as f32,
        shared: shared.map(|count| SharedExpert { intermediate: count.saturating_mul(intermediate), gated: false }),
        layers: (0..layers).map(|layer| layer >= first && layer.is_multiple_of(step)).collect(),
        ..usual(keys, layers)?
    })
}
