//! Sensitivity of the first keywords to the averaged layers (which the paper does not name), the measure, and the order
//! of the options.

use super::SelectedItem;
use super::case::{CaseError, CaseSetting, letter_ask};
use super::measure::{Capture, TokenizedPrompt, Weighting, reduce};
use super::prompts::AnnotatedPrompt;
use super::results::{Measure, PERSISTENCE, SensitivityRecord, keys, rounded};
use super::words::{Ranking, agreement, keywords};
use crate::prompt::Order;

/// Compares the first keywords of a prompt under every alternative view with those of the ranking `asked`.
pub(super) fn sensitivity(
    setting: &CaseSetting<'_>,
    chosen: &SelectedItem,
    prompt: &AnnotatedPrompt,
    position: usize,
    asked: &Ranking,
) -> Result<Vec<SensitivityRecord>, CaseError> {
    let (settings, reduction, probe) = (setting.settings, setting.reduction, setting.probe);
    let top = settings.method.top;
    let first = keys(asked, top);
    let mut records = Vec::new();
    let mut compare = |way: &str, name: String, ranking: &Ranking| {
        let other = keys(ranking, top);
        let shared = other.iter().filter(|key| first.contains(key)).count();
        records.push(SensitivityRecord {
            way: way.to_string(),
            name,
            shared,
            jaccard: rounded(agreement::jaccard(&first, &other).unwrap_or(1.0)),
            rank_biased_overlap: rounded(agreement::rank_biased_overlap(&first, &other, PERSISTENCE).unwrap_or(1.0)),
        });
    };
    let rank = |prompt: &AnnotatedPrompt, capture: &Capture, layers: &[usize]| {
        let at: Vec<usize> = (0..capture.layers().len()).filter(|&at| layers.contains(&capture.layers()[at])).collect();
        keywords::rank(prompt, &reduce::profile(capture, &at, &reduction.heads), reduction.keywords)
    };
    let ids = prompt.token_ids();
    let captured = |weighting| -> Result<Capture, CaseError> {
        probe.captures(&ids, &[position], weighting)?.pop().ok_or(CaseError::NoLabels)
    };
    let (attention, value) = (captured(Weighting::Attention)?, captured(Weighting::ValueNorms)?);
    let own = match settings.method.measure {
        Measure::Attention => Some((&attention, Weighting::Attention)),
        Measure::Value => Some((&value, Weighting::ValueNorms)),
        Measure::Rollout | Measure::Occlusion => None,
    };
    if let Some((capture, _)) = own {
        for layers in windows(&reduction.layers, probe.decoder.spec().layers) {
            let name = format!("layers {}-{}", layers[0], layers[layers.len() - 1]);
            compare("layers", name, &rank(prompt, capture, &layers));
        }
    }
    if settings.method.measure != Measure::Attention {
        compare("measure", "attention".to_string(), &rank(prompt, &attention, &reduction.layers));
    }
    if settings.method.measure != Measure::Value {
        compare("measure", "value".to_string(), &rank(prompt, &value, &reduction.layers));
    }
    if settings.method.measure != Measure::Rollout {
        let profile = probe.rollout(&ids, position)?;
        compare("measure", "rollout".to_string(), &keywords::rank(prompt, &profile, reduction.keywords));
    }
    if let Some((_, weighting)) = own {
        for (number, order) in chosen.orders.iter().enumerate().skip(1) {
            let (prompt, position) = put(setting, chosen, order)?;
            let ids = prompt.annotated.token_ids();
            let capture = probe.captures(&ids, &[position], weighting)?.pop().ok_or(CaseError::NoLabels)?;
            let ranking = rank(&prompt.annotated, &capture, &reduction.layers);
            compare("order", format!("drawn order {}", number + 1), &ranking);
        }
    }
    Ok(records)
}

/// The prompt of an item in another order, and its answer position.
fn put(setting: &CaseSetting<'_>, chosen: &SelectedItem, order: &Order) -> Result<(TokenizedPrompt, usize), CaseError> {
    let ask = letter_ask(&chosen.style, &chosen.item, order)?;
    let prompt = setting.probe.tokenize(&ask.prompt, chosen.item.language)?;
    let text = prompt.annotated.text();
    let position = setting.probe.answer_position(text, prompt.add_special, &ask.continuations)?;
    Ok((prompt, position))
}

/// All windows of as many consecutive layers as are averaged, except the averaged ones, and then all layers.
fn windows(asked: &[usize], count: usize) -> Vec<Vec<usize>> {
    let size = asked.len().clamp(1, count.max(1));
    let all: Vec<usize> = (0..count).collect();
    let mut windows: Vec<Vec<usize>> = all.windows(size).map(<[usize]>::to_vec).collect();
    if size < count {
        windows.push(all);
    }
    windows.retain(|window| window != asked);
    windows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_all_runs_of_the_size_asked_and_all_layers() {
        let asked: Vec<usize> = (2..6).collect();
        let found: Vec<(usize, usize)> =
            windows(&asked, 6).iter().map(|window| (window[0], window[window.len() - 1])).collect();
        assert_eq!(found, [(0, 3), (1, 4), (0, 5)]);
        assert!(windows(&[0, 1], 2).is_empty(), "all layers are asked for");
        assert_eq!(windows(&(10..30).collect::<Vec<_>>(), 30).len(), 11);
    }
}
