//! Progress of a run on the terminal: count, rate, remaining time. Nothing is shown where stderr is no terminal.

use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use tomeval::run::{Progress, Verification};

/// A progress bar over forwarded tokens.
pub struct RunProgress {
    bar: Option<ProgressBar>,
    started: Instant,
}

impl RunProgress {
    /// A bar that appears with the first report.
    pub fn new() -> Self {
        RunProgress { bar: None, started: Instant::now() }
    }

    /// Show how far the run is.
    pub fn show(&mut self, now: Progress) {
        let bar = self.bar.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(Some(now.tokens_total as u64), ProgressDrawTarget::stderr());
            // Tokens done before a resume say nothing of the speed now.
            bar.reset_eta();
            bar.set_style(style());
            bar
        });
        let position = (now.tokens_before + now.tokens_done).min(now.tokens_total);
        bar.set_length(now.tokens_total as u64);
        bar.set_position(position as u64);
        bar.set_message(format!("{}/{} trials", now.trials_done, now.trials_total));
        let seconds = self.started.elapsed().as_secs_f64();
        let remaining = now.tokens_total.saturating_sub(position) as f64;
        if now.tokens_done > 0 && seconds > 0.0 {
            let rate = now.tokens_done as f64 / seconds;
            bar.set_prefix(format!("{rate:.0} tokens/s, {} left", duration(remaining / rate)));
        }
    }

    /// Take the bar away.
    pub fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}

/// A progress bar over prompts that are read one by one.
pub struct PromptProgress(ProgressBar);

impl PromptProgress {
    /// A bar over `prompts` prompts.
    pub fn new(prompts: usize) -> Self {
        let bar = ProgressBar::with_draw_target(Some(prompts as u64), ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("[{bar:30}] {pos}/{len} prompts, {elapsed} gone, {eta} left");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.tick();
        PromptProgress(bar)
    }

    /// One prompt is read.
    pub fn step(&self) {
        self.0.inc(1);
    }

    /// Take the bar away.
    pub fn finish(self) {
        self.0.finish_and_clear();
    }
}

fn style() -> ProgressStyle {
    ProgressStyle::with_template("{percent_done:>4} [{bar:30}] {msg}, {prefix}")
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .with_key("percent_done", |state: &ProgressState, text: &mut dyn std::fmt::Write| {
            // The writer is the bar's own line; a failed write there shows less and breaks nothing.
            let _ = write!(text, "{:.0}%", 100.0 * state.fraction());
        })
        .progress_chars("=> ")
}

/// A number of seconds as `4s`, `3m 20s` or `2h 05m`.
pub fn duration(seconds: f64) -> String {
    let whole = seconds.max(0.0).round() as u64;
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        (0, 0, seconds) => format!("{seconds}s"),
        (0, minutes, seconds) => format!("{minutes}m {seconds:02}s"),
        (hours, minutes, _) => format!("{hours}h {minutes:02}m"),
    }
}

/// What `--verify-batching` found, in words.
pub fn verification_text(found: &Verification) -> String {
    let mut text = format!(
        "Scored again prompt by prompt: {} trials, {} tokens; largest difference {:.1e} nats, mean {:.1e}; {} choices change, {} are within the largest difference of a tie.",
        found.trials,
        found.tokens,
        found.largest,
        found.mean,
        found.flipped.len(),
        found.near_ties.len(),
    );
    for id in &found.flipped {
        text += &format!("\n  changes: {id}");
    }
    for id in found.near_ties.iter().filter(|id| !found.flipped.contains(id)) {
        text += &format!("\n  near tie: {id}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::duration;

    #[test]
    fn durations_read_well() {
        assert_eq!(duration(4.4), "4s");
        assert_eq!(duration(200.0), "3m 20s");
        assert_eq!(duration(7500.0), "2h 05m");
    }
}
