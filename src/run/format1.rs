//! Manifests of format 1: the model is always local, and its machine, budget and plan are beside it.

use serde_json::{Map, Value};

/// Converts a manifest to format 2, except for its format number; `None` if it does not have the expected shape.
pub(super) fn to_format_2(mut manifest: Value) -> Option<Value> {
    let top = manifest.as_object_mut()?;
    let mut plan = top.remove("plan")?;
    rename(plan.get_mut("packing")?.as_object_mut()?, "unit_tokens", "batch_tokens")?;
    for unit in plan.get_mut("units")?.as_array_mut()? {
        let unit = unit.as_object_mut()?;
        rename(unit, "jobs", "trials")?;
        rename(unit, "trunk", "shared_prefix")?;
        rename(unit, "trunk_job", "prefix_trial")?;
    }
    rename(plan.as_object_mut()?, "units", "batches")?;
    let mut model = Map::from_iter([("backend".to_string(), Value::from("local"))]);
    model.append(top.get_mut("model")?.as_object_mut()?);
    model.insert("machine".to_string(), top.remove("machine")?);
    model.insert("memory_budget".to_string(), top.remove("memory_budget")?);
    model.insert("plan".to_string(), plan);
    top.insert("model".to_string(), Value::Object(model));
    Some(manifest)
}

fn rename(object: &mut Map<String, Value>, from: &str, to: &str) -> Option<()> {
    let value = object.remove(from)?;
    object.insert(to.to_string(), value);
    Some(())
}
