//! Progress of long work on stderr: a bar on a terminal, lines elsewhere.

use std::io::IsTerminal;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use indicatif::{BinaryBytes, MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;

use crate::counted::{counted, to_two_places};
use crate::progress::{Stage, Tracker, WorkPart};
use crate::run::{Progress, Verification};

/// Default seconds between two lines off a terminal; the variable overrides it.
const SECONDS: f64 = 60.0;
const SECONDS_VARIABLE: &str = "TOMEVAL_PROGRESS_SECONDS";

/// Work shorter than this prints nothing off a terminal: its results follow at once.
const SOON: f64 = 2.0;

/// Polling interval; shorter if lines are requested more often.
const LOOK: Duration = Duration::from_millis(100);

/// The unit of stages whose pieces are bytes.
pub const BYTES: &str = "bytes";

/// Display of progress on stderr.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Mode {
    /// A bar on a terminal, lines elsewhere.
    #[default]
    Auto,
    /// Lines of text, one per minute.
    Lines,
    /// JSON lines, at the same interval.
    Json,
    /// Nothing.
    None,
}

static MODE: OnceLock<Mode> = OnceLock::new();

/// Chooses the display of progress, once, before any work.
pub fn choose(mode: Mode) {
    // A second choice would come too late.
    let _ = MODE.set(mode);
}

/// Place of the current run in a study.
#[derive(Debug, Clone, Copy)]
pub struct StudyRun {
    /// Number of the run, from 1.
    pub number: usize,
    /// Number of runs.
    pub of: usize,
    /// Earlier runs that took more than a moment, as those finished before do not, and their time.
    pub measured: (usize, Duration),
    /// Start of the run.
    pub began: Instant,
}

static STUDY_RUN: Mutex<Option<StudyRun>> = Mutex::new(None);

/// Sets the run that later progress belongs to.
pub fn of_study(run: Option<StudyRun>) {
    *STUDY_RUN.lock().unwrap_or_else(PoisonError::into_inner) = run;
}

impl StudyRun {
    fn current() -> Option<Self> {
        *STUDY_RUN.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts the run as an earlier one, unless it took no time.
    pub fn over(&mut self) {
        let took = self.began.elapsed();
        if took.as_secs_f64() >= SOON {
            self.measured = (self.measured.0 + 1, self.measured.1 + took);
        }
    }

    /// Returns the seconds left for all runs if those to come take as long as the earlier ones on average; `None` before
    /// one was measured.
    fn left(self, now: Instant) -> Option<f64> {
        let (runs, time) = self.measured;
        let mean = time.as_secs_f64() / runs as f64;
        let current = (mean - now.duration_since(self.began).as_secs_f64()).max(0.0);
        (runs > 0).then(|| current + mean * (self.of - self.number) as f64)
    }

    /// Formats for instance `run 2 of 4, about 3m 20s left for all`.
    pub fn text(self, now: Instant) -> String {
        let left = self.left(now).map(|left| format!(", about {} left for all", duration(left)));
        format!("run {} of {}{}", self.number, self.of, left.unwrap_or_default())
    }
}

/// A progress line for programs.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Line<'a> {
    /// Current work, for instance `tokenizing` or `forwarding`.
    stage: &'a str,
    /// Unit of the counts, for instance `tokens`; empty without a count.
    unit: &'a str,
    /// Units done.
    done: u64,
    /// Total units; null if unknown.
    total: Option<u64>,
    /// Additional information, for instance trials and tokens per second.
    note: &'a str,
    /// Progress of each benchmark, if trials of benchmarks are asked.
    benchmarks: Vec<PartLine<'a>>,
    /// Seconds since the stage began.
    seconds: f64,
    /// Estimated seconds until the stage ends at its current rate; null if unknown.
    seconds_left: Option<f64>,
    /// Whether the stage is over; then this is its last line.
    over: bool,
    /// In a study, the number of the run, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<usize>,
    /// In a study, the number of runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    runs: Option<usize>,
    /// Folder of the run, in the line that says where a run begins or goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    folder: Option<String>,
}

/// Progress of a benchmark.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct PartLine<'a> {
    /// Name of the benchmark.
    name: &'a str,
    /// Recorded trials.
    done: usize,
    /// All trials.
    total: usize,
}

/// Tells programs the folder of a run that begins or goes on.
pub fn run_folder(folder: &Path) {
    if MODE.get() == Some(&Mode::Json) {
        let folder = Some(folder.display().to_string());
        let line = Line { stage: "run folder", over: true, folder, ..Line::default() };
        eprintln!("{}", serde_json::to_string(&line).unwrap_or_default());
    }
}

/// Shows the progress of a [`Tracker`] until dropped. Other output would tear a bar apart, so drop it first.
pub struct Shown {
    tracker: Arc<Tracker>,
    thread: Option<(mpsc::Sender<()>, JoinHandle<()>)>,
}

impl Shown {
    /// Shows a new tracker.
    pub fn new() -> Self {
        Shown::from_tracker(Arc::default())
    }

    /// Shows this tracker.
    pub fn from_tracker(tracker: Arc<Tracker>) -> Self {
        let (stop, stopped) = mpsc::channel();
        let watched = Arc::clone(&tracker);
        let watch = move || {
            let mut screen = Screen::new();
            let look = Duration::try_from_secs_f64(screen.seconds / 2.0).map_or(LOOK, |half| half.min(LOOK));
            while matches!(stopped.recv_timeout(look), Err(mpsc::RecvTimeoutError::Timeout)) {
                screen.show(watched.look(), Instant::now());
            }
            screen.show(watched.look(), Instant::now());
            screen.end();
        };
        // Without the thread the work continues without a display.
        let thread = std::thread::Builder::new().name("progress".to_string()).spawn(watch).ok();
        Shown { tracker, thread: thread.map(|thread| (stop, thread)) }
    }

    /// Returns the tracker that receives progress.
    pub fn tracker(&self) -> &Tracker {
        &self.tracker
    }

    /// Returns a callback that receives the amount done and the total.
    pub fn counting<'a>(&'a self, what: &'a str, unit: &'static str) -> impl FnMut(usize, usize) + 'a {
        let mut known = false;
        move |done, all| {
            if !std::mem::replace(&mut known, true) {
                self.tracker.count(what, all, unit);
            }
            self.tracker.at(done as u64, String::new());
        }
    }

    /// Runs work of unknown length and shows that it continues.
    pub fn during<T>(what: &str, work: impl FnOnce() -> T) -> T {
        let shown = Shown::new();
        shown.tracker.say(what);
        work()
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        self.tracker.end();
        if let Some((stop, thread)) = self.thread.take() {
            drop(stop);
            // A panic in the display must not end the work.
            let _ = thread.join();
        }
    }
}

/// Display of stages.
struct Screen {
    bars: Option<Bars>,
    mode: Mode,
    terminal: bool,
    seconds: f64,
    current: Option<Current>,
}

/// The stage on display.
struct Current {
    number: u64,
    stage: Stage,
    done: u64,
    began: Instant,
    /// Time of its last printed line.
    rendered: Option<Instant>,
}

impl Screen {
    fn new() -> Self {
        let given = std::env::var(SECONDS_VARIABLE).ok().and_then(|text| text.parse().ok());
        let seconds = given.filter(|seconds: &f64| seconds.is_finite() && *seconds > 0.0).unwrap_or(SECONDS);
        let mode = MODE.get().copied().unwrap_or_default();
        let terminal = mode == Mode::Auto && std::io::stderr().is_terminal();
        Screen { bars: None, mode, terminal, seconds, current: None }
    }

    fn show(&mut self, found: Option<(u64, Stage, u64)>, now: Instant) {
        let Some((number, stage, done)) = found else { return self.end() };
        if self.current.as_ref().is_none_or(|current| current.number != number) {
            self.end();
            self.current = Some(Current { number, stage: stage.clone(), done, began: now, rendered: None });
        }
        let Some(current) = &mut self.current else { return };
        (current.stage, current.done) = (stage, done);
        if self.terminal {
            self.bars.get_or_insert_with(|| Bars::new(&current.stage)).show(current, now);
        } else if self.mode != Mode::None && current.is_due(now, self.seconds) {
            eprintln!("{}", current.line(self.mode, now, false));
            current.rendered = Some(now);
        }
    }

    /// Ends the stage.
    fn end(&mut self) {
        if let Some(bars) = self.bars.take() {
            bars.clear();
        }
        if let Some(current) = self.current.take().filter(|current| current.rendered.is_some()) {
            eprintln!("{}", current.line(self.mode, Instant::now(), true));
        }
    }
}

/// A stage on a terminal: a bar for all of it, and one per part if there are several.
struct Bars {
    screen: MultiProgress,
    all: ProgressBar,
    parts: Vec<ProgressBar>,
}

impl Bars {
    fn new(stage: &Stage) -> Self {
        let screen = MultiProgress::with_draw_target(ProgressDrawTarget::stderr());
        let template = if stage.total.is_some() { "[{bar:16}] {wide_msg}" } else { "{spinner} {wide_msg}" };
        let all = screen.add(bar(stage.total.unwrap_or(0), template));
        Bars { screen, all, parts: Vec::new() }
    }

    fn show(&mut self, current: &Current, now: Instant) {
        self.all.set_length(current.stage.total.unwrap_or(0));
        self.all.set_position(current.done);
        self.all.set_message(current.brief(now));
        let parts = &current.stage.parts;
        if parts.len() > 1 && self.parts.is_empty() {
            let part = |part: &WorkPart| self.screen.add(bar(part.total as u64, "[{bar:16}] {wide_msg}"));
            self.parts = parts.iter().map(part).collect();
        }
        for (bar, WorkPart { name, done, total }) in self.parts.iter().zip(parts) {
            bar.set_position(*done as u64);
            bar.set_message(format!("{name}: {done} of {total}"));
        }
    }

    fn clear(self) {
        self.parts.iter().chain([&self.all]).for_each(ProgressBar::finish_and_clear);
    }
}

fn bar(total: u64, template: &str) -> ProgressBar {
    let bar = ProgressBar::new(total);
    // The template is constant; the default bar is an acceptable fallback.
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.set_style(style.progress_chars("=> "));
    bar
}

impl Current {
    fn is_due(&self, now: Instant, seconds: f64) -> bool {
        let since = |then: Instant| now.duration_since(then).as_secs_f64();
        match self.rendered {
            None => since(self.began) >= SOON.min(seconds),
            Some(rendered) => since(rendered) >= seconds,
        }
    }

    /// Returns the line to print.
    fn line(&self, mode: Mode, now: Instant, over: bool) -> String {
        match (mode, over) {
            (Mode::Json, over) => self.json(now, over),
            (_, true) => {
                let gone = now.duration_since(self.began).as_secs_f64();
                format!("{}: done after {}", self.stage.what, duration(gone))
            }
            (_, false) => self.text(now),
        }
    }

    /// Formats for instance `tokenizing: 1200 of 4000 trials (30 %), 3s elapsed, 7s left`.
    fn text(&self, now: Instant) -> String {
        let Stage { what, note, parts, .. } = &self.stage;
        let mut rendered: Vec<String> =
            self.amount().into_iter().chain((!note.is_empty()).then(|| note.clone())).collect();
        if parts.len() > 1 {
            rendered.extend(parts.iter().map(|WorkPart { name, done, total }| format!("{name} {done} of {total}")));
        }
        rendered.push(format!("{} elapsed", duration(now.duration_since(self.began).as_secs_f64())));
        rendered.extend(self.left(now).map(|left| format!("{} left", duration(left))));
        format!("{}{what}: {}", Self::of_study(now), rendered.join(", "))
    }

    /// Formats the same for a terminal line with a bar, most important first. With a note, the bar shows the amount
    /// done.
    fn brief(&self, now: Instant) -> String {
        let Stage { what, note, .. } = &self.stage;
        let amount = if note.is_empty() { self.amount() } else { self.percent().map(|percent| format!("{percent} %")) };
        let left = match self.left(now) {
            Some(left) => format!("{} left", duration(left)),
            None => format!("{} elapsed", duration(now.duration_since(self.began).as_secs_f64())),
        };
        let note = Some(note.clone()).filter(|note| !note.is_empty());
        let rendered: Vec<String> = amount.into_iter().chain([left]).chain(note).collect();
        format!("{}{what}: {}", Self::of_study(now), rendered.join(", "))
    }

    /// Formats the place of the run in a study; empty outside a study.
    fn of_study(now: Instant) -> String {
        StudyRun::current().map_or(String::new(), |run| run.text(now) + "; ")
    }

    fn percent(&self) -> Option<u64> {
        self.stage.total.map(|total| 100 * self.done.min(total) / total.max(1))
    }

    /// Returns the amount done, and the total if known.
    fn amount(&self) -> Option<String> {
        let Stage { unit, total, .. } = &self.stage;
        let amount = |pieces: u64| match *unit {
            BYTES => BinaryBytes(pieces).to_string(),
            _ => pieces.to_string(),
        };
        let name = if matches!(*unit, "" | BYTES) { String::new() } else { format!(" {unit}") };
        match total.zip(self.percent()) {
            Some((total, percent)) => Some(format!("{} of {}{name} ({percent} %)", amount(self.done), amount(total))),
            None => (self.done > 0).then(|| format!("{}{name}", amount(self.done))),
        }
    }

    /// Returns the estimated seconds until the stage ends at its current rate.
    fn left(&self, now: Instant) -> Option<f64> {
        let gone = now.duration_since(self.began).as_secs_f64();
        let new = self.done.saturating_sub(self.stage.from);
        let left = self.stage.total?.saturating_sub(self.done) as f64;
        (new > 0 && gone >= 1.0).then(|| gone * left / new as f64)
    }

    /// Formats the same for programs.
    fn json(&self, now: Instant, over: bool) -> String {
        let Stage { what, unit, total, note, parts, .. } = &self.stage;
        let seconds = now.duration_since(self.began).as_secs_f64();
        let seconds_left = if over { Some(0.0) } else { self.left(now) };
        let benchmarks =
            parts.iter().map(|part| PartLine { name: &part.name, done: part.done, total: part.total }).collect();
        let study = StudyRun::current();
        let line = Line {
            stage: what,
            unit,
            done: self.done,
            total: *total,
            note,
            benchmarks,
            seconds,
            seconds_left,
            over,
            run: study.map(|study| study.number),
            runs: study.map(|study| study.of),
            folder: None,
        };
        serde_json::to_string(&line).unwrap_or_default()
    }
}

/// Progress of a run, in forwarded tokens.
pub struct RunProgress {
    shown: Shown,
    started: Option<Instant>,
}

impl RunProgress {
    /// Shows nothing before the first report.
    pub fn new() -> Self {
        RunProgress { shown: Shown::new(), started: None }
    }

    /// Shows the run's progress.
    pub fn show(&mut self, now: &Progress) {
        let tracker = self.shown.tracker();
        let started = *self.started.get_or_insert_with(|| {
            let (what, unit, total, from) = match (now.writing, now.asking) {
                (true, _) => ("writing", "tokens", None, 0),
                (false, true) => ("asking", "trials", Some(now.trials_total() as u64), now.trials_done() as u64),
                (false, false) => ("forwarding", "tokens", Some(now.tokens_total as u64), now.tokens_before as u64),
            };
            tracker.begin(Stage { what: what.to_string(), unit, total, from, ..Stage::default() });
            Instant::now()
        });
        let rate = now.tokens_done as f64 / started.elapsed().as_secs_f64().max(f64::MIN_POSITIVE);
        let (trials, of) = (now.trials_done(), now.trials_total());
        tracker.parts(&now.benchmarks);
        if now.writing && now.tokens_done == 0 && now.prompt_tokens > 0 {
            let tokens = now.prompt_tokens;
            tracker.at(0, format!("prefilling, {tokens} tokens of prompts forwarded; {trials} of {of} replies"));
            return;
        }
        if now.writing {
            // Replies end one by one; their lengths predict those to come.
            let left = now.tokens_total.saturating_sub(now.tokens_done) as f64 / rate.max(f64::MIN_POSITIVE);
            let left = if now.tokens_done > 0 { format!(", {} left", duration(left)) } else { String::new() };
            tracker.at(now.tokens_done as u64, format!("{trials} of {of} replies, {rate:.0} tokens/s{left}"));
            return;
        }
        if now.asking {
            tracker.at(trials as u64, format!("{rate:.1} trials/s"));
            return;
        }
        let note = format!("{trials} of {of} trials, {rate:.0} tokens/s");
        tracker.at((now.tokens_before + now.tokens_done).min(now.tokens_total) as u64, note);
    }
}

/// Formats a number of seconds as `4s`, `3m 20s` or `2h 05m`.
pub fn duration(seconds: f64) -> String {
    let whole = seconds.max(0.0).round() as u64;
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        (0, 0, seconds) => format!("{seconds}s"),
        (0, minutes, seconds) => format!("{minutes}m {seconds:02}s"),
        (hours, minutes, _) => format!("{hours}h {minutes:02}m"),
    }
}

/// Describes the result of `--verify-batching`.
pub fn verification_text(found: &Verification) -> String {
    let mut text = format!(
        "Scored again prompt by prompt: {}, {} tokens; largest difference {} nats, mean {}; choices that change: {}; within the largest difference of a tie: {}.",
        counted(found.trials, "trial"),
        found.tokens,
        to_two_places(found.largest),
        to_two_places(found.mean),
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
    use super::*;

    fn current(stage: Stage, done: u64) -> Current {
        Current { number: 1, stage, done, began: Instant::now(), rendered: None }
    }

    #[test]
    fn a_line_says_how_far_the_work_is_and_what_is_left() {
        let stage = |unit, total| Stage { what: "reading".to_string(), unit, total, ..Stage::default() };
        let text = |stage, done| {
            let current = current(stage, done);
            current.text(current.began + Duration::from_secs(30))
        };
        assert_eq!(
            text(stage("trials", Some(400)), 100),
            "reading: 100 of 400 trials (25 %), 30s elapsed, 1m 30s left"
        );
        assert_eq!(text(stage("", None), 0), "reading: 30s elapsed");
        assert_eq!(
            text(stage(BYTES, Some(4 << 20)), 1 << 20),
            "reading: 1.00 MiB of 4.00 MiB (25 %), 30s elapsed, 1m 30s left"
        );
        let resumed = Stage { from: 300, note: "3 of 4 trials".to_string(), ..stage("tokens", Some(400)) };
        assert_eq!(text(resumed, 350), "reading: 350 of 400 tokens (87 %), 3 of 4 trials, 30s elapsed, 30s left");
        assert_eq!(text(stage("trials", Some(0)), 0), "reading: 0 of 0 trials (0 %), 30s elapsed");
        let part = |name: &str, done| WorkPart { name: name.to_string(), done, total: 8 };
        let parts = Stage { parts: vec![part("demo", 8), part("own", 3)], ..stage("trials", Some(16)) };
        let rendered = "reading: 11 of 16 trials (68 %), demo 8 of 8, own 3 of 8, 30s elapsed, 14s left";
        assert_eq!(text(parts.clone(), 11), rendered);
        assert_eq!(
            text(Stage { parts: parts.parts[..1].to_vec(), ..parts }, 8),
            "reading: 8 of 16 trials (50 %), 30s elapsed, 30s left"
        );
    }

    #[test]
    fn the_time_left_for_a_study_follows_its_measured_runs() {
        let began = Instant::now();
        let run = StudyRun { number: 3, of: 4, measured: (0, Duration::ZERO), began };
        let later = began + Duration::from_secs(30);
        assert_eq!(run.text(later), "run 3 of 4", "the two before were finished already");
        let run = StudyRun { measured: (2, Duration::from_secs(80)), ..run };
        assert_eq!(run.text(later), "run 3 of 4, about 50s left for all");
        assert_eq!(run.text(began + Duration::from_secs(99)), "run 3 of 4, about 40s left for all");
    }

    #[test]
    fn beside_a_bar_stands_what_fits_a_line() {
        let stage =
            Stage { what: "forwarding".to_string(), unit: "tokens", total: Some(4_000_000), ..Stage::default() };
        let brief = |stage: Stage, done| {
            let current = current(stage, done);
            current.brief(current.began + Duration::from_secs(30))
        };
        let noted = Stage { note: "12345 of 28600 trials, 12000 tokens/s".to_string(), ..stage.clone() };
        assert_eq!(brief(noted, 400_000), "forwarding: 10 %, 4m 30s left, 12345 of 28600 trials, 12000 tokens/s");
        assert_eq!(brief(stage, 400_000), "forwarding: 400000 of 4000000 tokens (10 %), 4m 30s left");
        assert_eq!(brief(Stage { what: "reading".to_string(), ..Stage::default() }, 0), "reading: 30s elapsed");
    }

    #[test]
    fn programs_get_numbers() {
        let parts = vec![WorkPart { name: "demo".to_string(), done: 2, total: 8 }];
        let stage =
            Stage { what: "forwarding".to_string(), unit: "tokens", total: Some(400), parts, ..Stage::default() };
        let current = current(stage, 100);
        let line: serde_json::Value =
            serde_json::from_str(&current.json(current.began + Duration::from_secs(30), false)).unwrap();
        let expected = serde_json::json!({
            "stage": "forwarding", "unit": "tokens", "done": 100, "total": 400, "note": "",
            "benchmarks": [{ "name": "demo", "done": 2, "total": 8 }], "seconds": 30.0, "seconds_left": 90.0, "over": false,
        });
        assert_eq!(line, expected);
    }

    #[test]
    fn a_line_is_due_soon_after_the_start_and_then_every_minute() {
        let mut current = current(Stage::default(), 0);
        let after = |seconds| current.began + Duration::from_secs(seconds);
        assert!(!current.is_due(after(1), SECONDS) && current.is_due(after(2), SECONDS));
        let (rendered, next) = (after(2), [after(61), after(62)]);
        current.rendered = Some(rendered);
        assert!(!current.is_due(next[0], SECONDS) && current.is_due(next[1], SECONDS));
    }

    #[test]
    fn durations_read_well() {
        assert_eq!(duration(4.4), "4s");
        assert_eq!(duration(200.0), "3m 20s");
        assert_eq!(duration(7500.0), "2h 05m");
    }
}
