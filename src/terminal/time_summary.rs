//! Summary of a run's time and memory.

use indicatif::HumanBytes;

use super::progress::duration;
use crate::counted::counted;
use crate::engine::{CostModel, Counts};
use crate::machine::peak_resident_bytes;
use crate::run::Timings;

/// Describes tokens, passes, times, memory, and how well earlier measured costs predicted the passes.
pub fn text(counts: &Counts, timings: &Timings, announced_bytes: u64, costs: Option<CostModel>) -> String {
    let Timings { tokens, passes, .. } = *timings;
    let mut lines = Vec::new();
    let scored = timings.written_tokens.is_none();
    lines.extend(written(timings));
    if tokens > 0 && scored {
        let before = match tokens < counts.forwarded {
            true => format!(", {tokens} of them this time"),
            false => String::new(),
        };
        lines.push(format!(
            "Forwarded {} tokens instead of {} prompt by prompt ({:.2} times fewer){before}; {} of {:.0} \
             tokens on average, {:.0} tokens/s.",
            counts.forwarded,
            counts.prompt_by_prompt,
            counts.ratio(),
            counted(passes, "pass"),
            tokens as f64 / passes.max(1) as f64,
            tokens as f64 / timings.seconds.max(f64::MIN_POSITIVE),
        ));
    }
    lines.push(format!(
        "Time {}: tokenizing {:.1} s, planning {:.1} s, forward {:.1} s (attention {:.1} s of it), head {:.1} s, records \
         {:.1} s.",
        duration(timings.seconds + timings.tokenizing_seconds),
        timings.tokenizing_seconds,
        timings.planning_seconds,
        timings.forward_seconds,
        timings.attention_seconds,
        timings.head_seconds,
        timings.records_seconds,
    ));
    if let Some(peak) = peak_resident_bytes() {
        lines.push(format!(
            "Memory {} at the peak; the plan predicted {}.",
            HumanBytes(peak),
            HumanBytes(announced_bytes)
        ));
    }
    if let Some(bytes) = timings.device_bytes {
        lines.push(format!("Device memory: peak use {}, by all programs.", HumanBytes(bytes)));
    }
    if timings.cuts > 0 {
        lines.push(format!(
            "warning: device memory was too small for {}, now halved: numbers may differ by rounding from a run \
             without halving; lower --memory or --pass-tokens.",
            counted(timings.cuts, "pass")
        ));
    }
    if scored && let Some(fit) = costs.and_then(|costs| costs.fit(&timings.each_pass)) {
        let quarters: Vec<String> = fit.quarters.iter().map(|ratio| format!("{ratio:.2}")).collect();
        lines.push(format!(
            "Passes took {:.2} times the predicted time (median); by quarters, {} of that.",
            fit.factor,
            quarters.join(", ")
        ));
    }
    lines.join("\n")
}

/// Describes requests, tokens and time of a server.
#[cfg(feature = "server")]
pub fn of_server(timings: &Timings) -> String {
    let Timings { tokens, passes, seconds, .. } = *timings;
    let per_second = |count: usize| count as f64 / seconds.max(f64::MIN_POSITIVE);
    let share = |part: usize, of: usize| 100.0 * part as f64 / of.max(1) as f64;
    let cached = match (timings.cached_tokens, timings.shared_tokens) {
        (Some(cached), shared) => {
            let of_shared = shared.filter(|&shared| shared > 0).map(|shared| match cached > shared {
                true => format!(", more than the {shared} that prompts share: it had some from before"),
                false => format!(", {:.1} % of the {shared} that prompts share in blocks of 16", share(cached, shared)),
            });
            let of_shared = of_shared.unwrap_or_default();
            format!("; {:.1} % of them were in its prefix cache{of_shared}", share(cached, tokens))
        }
        (None, _) => "; prefix cache hits unknown (vLLM tells them with --enable-prompt-tokens-details)".to_string(),
    };
    format!(
        "{} in {}, {:.1} per second; {tokens} tokens read and written, {:.0} per second{cached}.",
        counted(passes, "request"),
        duration(seconds),
        per_second(passes),
        per_second(tokens),
    )
}

/// Describes the written replies, and the savings by shared prompts.
fn written(timings: &Timings) -> Option<String> {
    let (replies, tokens) = (timings.replies?, timings.written_tokens?);
    let (prompts, forwarded) = (timings.prompt_tokens?, timings.prompt_tokens_forwarded?);
    let saved = 100.0 * (prompts - forwarded.min(prompts)) as f64 / prompts.max(1) as f64;
    Some(format!(
        "Wrote {} in {}, at {:.0} tokens/s, prompts included; of {prompts} prompt tokens, \
         {saved:.1} % were shared, {forwarded} forwarded.",
        counted(tokens, "token"),
        counted(replies, "reply"),
        tokens as f64 / timings.seconds.max(f64::MIN_POSITIVE),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_told_by_tokens_speed_and_what_was_shared() {
        let mut timings: Timings = Timings { seconds: 4.0, ..Timings::default() };
        assert_eq!(written(&timings), None);
        (timings.replies, timings.written_tokens) = (Some(12), Some(600));
        (timings.prompt_tokens, timings.prompt_tokens_forwarded) = (Some(4000), Some(1000));
        let rendered = written(&timings).unwrap();
        assert!(rendered.contains("600 tokens in 12 replies, at 150 tokens/s"), "{rendered}");
        assert!(rendered.contains("75.0 % were shared, 1000 forwarded"), "{rendered}");
    }
}
