//! The captured rows as a safetensors file, exact and per token.

use safetensors::SafeTensorError;
use safetensors::tensor::{Dtype, TensorView};
use serde_json::json;

use crate::attend::measure::Capture;
use crate::attend::results::Document;
use crate::canary::CANARY;

/// The file's bytes. `captures` holds, for each case of the document, its captured rows by query.
///
/// For prompt `n`: `n/token_ids` (S) u32, `n/token_bytes` (S, 2) u32, start and end of each token's text; for each of
/// its queries, `n/<query>/weights` (L, H, S) f32 and `n/<query>/layers` (L) u32. The metadata key `tomeval` holds, as
/// JSON, the program, the measure, and per prompt item, variant, rendered text, model with its dtype, number of layers and
/// heads and hashes of its files, and the position of each query; the key `canary` holds [`CANARY`].
pub fn tensors(document: &Document, captures: &[Vec<(String, Capture)>]) -> Result<Vec<u8>, SafeTensorError> {
    let mut data: Vec<(String, Dtype, Vec<usize>, Vec<u8>)> = Vec::new();
    let mut about = Vec::new();
    for (number, (case, captures)) in document.cases.iter().zip(captures).enumerate() {
        let model = &document.models[case.model];
        about.push(json!({
            "item": case.item, "variant": case.variant, "text": case.text, "model": model.name,
            "sha256": model.sha256, "dtype": model.dtype, "layers": model.layers, "heads": model.heads,
            "queries": case.rows.iter().map(|row| json!({ "name": row.query, "position": row.position })).collect::<Vec<_>>(),
        }));
        let ids = case.tokens.iter().map(|token| token.id);
        data.push((format!("{number}/token_ids"), Dtype::U32, vec![case.tokens.len()], words(ids)));
        let ends = case.tokens.iter().flat_map(|token| [token.start as u32, token.end as u32]);
        data.push((format!("{number}/token_bytes"), Dtype::U32, vec![case.tokens.len(), 2], words(ends)));
        for (query, capture) in captures {
            let shape = vec![capture.layers().len(), capture.heads(), capture.tokens()];
            let weights = capture.weights().iter().flat_map(|weight| weight.to_le_bytes()).collect();
            data.push((format!("{number}/{query}/weights"), Dtype::F32, shape, weights));
            let layers = capture.layers().iter().map(|&layer| layer as u32);
            data.push((format!("{number}/{query}/layers"), Dtype::U32, vec![capture.layers().len()], words(layers)));
        }
    }
    let views = data
        .iter()
        .map(|(name, dtype, shape, bytes)| Ok((name.clone(), TensorView::new(*dtype, shape.clone(), bytes)?)))
        .collect::<Result<Vec<_>, SafeTensorError>>()?;
    let about = json!({ "program": document.program, "measure": document.settings.measure.name(), "prompts": about });
    safetensors::serialize(
        views,
        Some([("tomeval".to_string(), about.to_string()), ("canary".to_string(), CANARY.to_string())].into()),
    )
}

fn words(values: impl Iterator<Item = u32>) -> Vec<u8> {
    values.flat_map(u32::to_le_bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::super::examples::{capture, document};
    use super::*;

    #[test]
    fn tensors_read_back() {
        let document = document();
        let capture = capture();
        let bytes = tensors(&document, &[vec![("answer".to_string(), capture.clone())]]).unwrap();
        let file = safetensors::SafeTensors::deserialize(&bytes).unwrap();
        let weights = file.tensor("0/answer/weights").unwrap();
        assert_eq!(weights.shape(), [capture.layers().len(), capture.heads(), capture.tokens()]);
        let first = f32::from_le_bytes(weights.data()[..4].try_into().unwrap());
        assert_eq!(first, capture.weights()[0]);
        assert_eq!(file.tensor("0/token_bytes").unwrap().shape(), [document.cases[0].tokens.len(), 2]);
        let (_, metadata) = safetensors::SafeTensors::read_metadata(&bytes).unwrap();
        let about: serde_json::Value = serde_json::from_str(&metadata.metadata().as_ref().unwrap()["tomeval"]).unwrap();
        assert_eq!(about["prompts"][0]["item"], document.cases[0].item.as_str());
    }
}
