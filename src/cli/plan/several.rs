//! Plans of several models or tasks side by side, with totals.

use std::io::Write;

use indicatif::HumanBytes;

use super::{Passes, PlanReport, print};
use crate::arguments::costs;
use crate::arguments::server_args::Place;
use crate::cli::Outcome;
use crate::cli::workload::{Gathered, Questions, WorkloadArgs};
use crate::engine::{PROMPT_TOKENS, Room};
use crate::machine;
use crate::model::card;
use crate::safe_text::for_terminal;
use crate::table::{Format, Grid, Screen};
use crate::terminal::progress::duration;
use crate::trial::trials;

/// A plan of several workloads.
struct Several {
    /// Total memory of this machine in bytes.
    memory: u64,
    rows: Vec<[String; 7]>,
    planned: Vec<(String, PlanReport<Passes>)>,
    trials: usize,
    tokens: usize,
    record_bytes: u64,
    most_memory: u64,
    /// Predicted total time; `None` if a model was not measured on this machine.
    seconds: Option<f64>,
    has_failed: bool,
}

/// Prints the needs of each named workload, and totals. A model missing on this machine is planned from its card, if it
/// has one: without token counts, which need its tokenizer.
pub fn plan<'a>(workloads: impl Iterator<Item = (String, &'a WorkloadArgs)>, json: bool) -> anyhow::Result<Outcome> {
    let (memory, _) = machine::memory();
    let mut several = Several {
        memory,
        rows: Vec::new(),
        planned: Vec::new(),
        trials: 0,
        tokens: 0,
        record_bytes: 0,
        most_memory: 0,
        seconds: Some(0.0),
        has_failed: false,
    };
    for (name, workload) in workloads {
        if workload.place()? == Place::Server {
            several.add_questions(&name, workload, ("-".to_string(), "on its server".to_string()))?;
            continue;
        }
        match Gathered::new(workload, None) {
            Ok(gathered) => several.add(&name, &gathered)?,
            Err(error) => several.add_card(&name, workload, error)?,
        }
    }
    let outcome = if several.has_failed { Outcome::Incomplete } else { Outcome::Done };
    if json {
        print(&several.planned, true)?;
    } else {
        several.print()?;
    }
    Ok(outcome)
}

impl Several {
    /// Adds a workload of a model on this machine.
    fn add(&mut self, name: &str, gathered: &Gathered) -> anyhow::Result<()> {
        let asked = gathered.questions.variants.iter().filter(|(variant, _)| !variant.after_reasoning);
        for member in &gathered.members {
            for (variant, settings) in asked.clone() {
                let workload = gathered.workload(member, settings)?;
                let costs = costs::kept(&member.identity.sha256, &gathered.model.computing);
                let record_bytes = workload.record_bytes();
                let needed = member.weighed.weight_bytes + workload.peak_bytes() + 2 * record_bytes;
                let passes = Passes::new(member, settings, &workload, needed, costs);
                let (time, tokens) = (passes.predicted_seconds, passes.counts.forwarded);
                let fits = !gathered.model.computing.device.is_cpu() || needed <= self.memory;
                let time_or_why = match (fits, time) {
                    (false, _) => "does not fit this machine".to_string(),
                    (true, Some(seconds)) => duration(seconds),
                    (true, None) => "not measured".to_string(),
                };
                let trials = workload.trials().len();
                let [memory, records] = [needed, record_bytes].map(|bytes| HumanBytes(bytes).to_string());
                let (way, trials_shown, tokens_shown) = (variant.name(), trials.to_string(), tokens.to_string());
                self.rows.push([
                    name.to_string(),
                    way.clone(),
                    trials_shown,
                    tokens_shown,
                    memory,
                    records,
                    time_or_why,
                ]);
                self.trials += trials;
                self.tokens += tokens;
                self.record_bytes += record_bytes;
                self.most_memory = self.most_memory.max(needed);
                self.seconds = self.seconds.zip(time).map(|(sum, time)| sum + time);
                self.has_failed |= !fits;
                let model = (member.identity.name.as_str(), None);
                let report = PlanReport::new(&gathered.questions, settings, &workload, model, passes);
                self.planned.push((format!("{name}/{way}"), report));
            }
        }
        Ok(())
    }

    /// Adds a workload of a model that cannot be opened here.
    fn add_card(&mut self, name: &str, workload: &WorkloadArgs, error: anyhow::Error) -> anyhow::Result<()> {
        let Some(card) = card(workload.model.name())? else {
            eprintln!("{}: {}", for_terminal(name), for_terminal(&format!("{error:#}")));
            self.has_failed = true;
            return self.add_questions(name, workload, ("-".to_string(), "cannot be planned".to_string()));
        };
        let spec = card.spec().and_then(Result::ok);
        let rooms = card.parameters().map(|count| Room::at_all_precisions(count, spec.as_ref(), PROMPT_TOKENS));
        let rooms = rooms.unwrap_or_default();
        let widest = rooms.iter().find(|room| room.bytes() <= self.memory);
        let why = match (card.obstacle(), widest) {
            (Some(obstacle), _) => obstacle,
            (None, Some(room)) => format!("not here; fits in {}", room.precision.name()),
            (None, None) => "does not fit this machine".to_string(),
        };
        self.has_failed |= widest.is_none();
        let shown = widest.or(rooms.last());
        let memory = shown.map_or("-".to_string(), |room| HumanBytes(room.bytes()).to_string());
        self.add_questions(name, workload, (memory, why))
    }

    /// Adds a workload of which only the questions are known.
    fn add_questions(
        &mut self,
        name: &str,
        workload: &WorkloadArgs,
        (memory, why): (String, String),
    ) -> anyhow::Result<()> {
        let (questions, ()) = Questions::load(workload, None, || Ok(()))?;
        for (variant, settings) in questions.variants.iter().filter(|(variant, _)| !variant.after_reasoning) {
            let count = trials(&questions.loaded.items, &questions.packs, settings)?.len();
            let (memory, why) = (memory.clone(), why.clone());
            self.rows.push([name.to_string(), variant.name(), count.to_string(), "-".into(), memory, "-".into(), why]);
            self.trials += count;
            self.seconds = None;
        }
        Ok(())
    }

    fn print(mut self) -> anyhow::Result<()> {
        let is_planned = !self.planned.is_empty();
        let known = |text: String| if is_planned { text } else { "-".to_string() };
        let [most, records] = [self.most_memory, self.record_bytes].map(|bytes| HumanBytes(bytes).to_string());
        self.rows.push([
            "all".to_string(),
            String::new(),
            self.trials.to_string(),
            known(self.tokens.to_string()),
            known(format!("{most} at most")),
            known(records),
            self.seconds.map_or("not measured".to_string(), duration),
        ]);
        let header = ["run", "asked", "trials", "tokens", "memory", "records", "time"];
        let rows = self.rows.into_iter().map(|row| row.to_vec());
        let grid = Grid::new("", 2, &header, rows);
        let table = Format::Terminal.table(&grid, Screen::default());
        std::io::stdout().write_all(for_terminal(&table).as_bytes())?;
        Ok(())
    }
}
