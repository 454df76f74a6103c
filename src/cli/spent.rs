//! What a run took, in words.

use indicatif::HumanBytes;
use tomeval::engine::{CostModel, Counts};
use tomeval::machine::peak_resident_bytes;
use tomeval::run::Timings;

use super::progress::duration;

/// Tokens, passes, times, memory, and how well the costs measured earlier foretold the passes.
pub fn text(counts: &Counts, timings: &Timings, announced_bytes: u64, costs: Option<CostModel>) -> String {
    let Timings { tokens, passes, .. } = *timings;
    let mut lines = Vec::new();
    if tokens > 0 {
        let before = match tokens < counts.forwarded {
            true => format!(", {tokens} of them this time"),
            false => String::new(),
        };
        lines.push(format!(
            "Forwarded {} tokens instead of {} prompt by prompt ({:.2} times fewer){before}; {passes} passes of {:.0} \
             tokens on average, {:.0} tokens/s.",
            counts.forwarded,
            counts.prompt_by_prompt,
            counts.ratio(),
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
            "Memory {} at the peak; the plan announced {}.",
            HumanBytes(peak),
            HumanBytes(announced_bytes)
        ));
    }
    if let Some(bytes) = timings.device_bytes {
        lines.push(format!("Memory of the device: {} in use at the most, by all programs.", HumanBytes(bytes)));
    }
    if timings.cuts > 0 {
        lines.push(format!(
            "warning: the device had no memory for {} passes, which were cut in halves: numbers may differ by rounding from those \
             of a run without; give less with --memory or --pass-tokens.",
            timings.cuts
        ));
    }
    if let Some(fit) = costs.and_then(|costs| costs.fit(&timings.each_pass)) {
        let quarters: Vec<String> = fit.quarters.iter().map(|ratio| format!("{ratio:.2}")).collect();
        lines.push(format!(
            "Passes took {:.2} times what was foretold (median); by quarters, {} of that.",
            fit.factor,
            quarters.join(", ")
        ));
    }
    lines.join("\n")
}
