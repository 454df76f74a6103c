//! Plans of several models or tasks side by side, with totals.

use indicatif::HumanBytes;

use super::{Passes, PlanReport};
use crate::arguments::costs;
use crate::arguments::place::Place;
use crate::cli::Outcome;
use crate::cli::models::facts::{Facts, Memory};
use crate::cli::report::screen;
use crate::cli::workload::{Gathered, Planned as Plan, Questions, WorkloadArgs};
use crate::engine::Room;
use crate::machine;
use crate::model::{card, is_cached};
use crate::safe_text::for_terminal;
use crate::table::{Format, Grid, Value, cells};
use crate::terminal::progress::duration;
use crate::terminal::stdout::print_text;
use crate::trial::trials;

/// Needs of one variant of a workload; `None` where they are unknown.
struct Need {
    /// Run name, or the model.
    run: String,
    asked: String,
    trials: usize,
    tokens: Option<usize>,
    /// Peak memory in bytes.
    memory: Option<u64>,
    record_bytes: Option<u64>,
    seconds: Option<f64>,
    /// Why the time is unknown, unless the model was not measured.
    why: Option<String>,
    can_run: bool,
}

/// Plans of the workloads whose models are on this machine, by run and variant.
type Planned = Vec<(String, PlanReport<Passes>)>;

/// Prints the needs of each named workload, and totals. A model missing on this machine is planned from its card, if it
/// has one: without token counts, which need its tokenizer.
pub fn plan<'a>(workloads: impl Iterator<Item = (String, &'a WorkloadArgs)>, json: bool) -> anyhow::Result<Outcome> {
    let (memory, _) = machine::memory();
    let (mut needs, mut planned) = (Vec::new(), Vec::new());
    for (name, workload) in workloads {
        if workload.check()? == Place::Server {
            needs.extend(of_questions(&name, workload, None, "on its server".to_string(), true)?);
            continue;
        }
        match Gathered::new(workload, None) {
            Ok(gathered) => needs.extend(of_model(&name, &gathered, memory, &mut planned)?),
            Err(error) => needs.extend(of_card(&name, workload, memory, error)?),
        }
    }
    let outcome = if needs.iter().all(|need| need.can_run) { Outcome::Done } else { Outcome::Incomplete };
    if json {
        super::print(&planned, true)?;
    } else {
        print(needs)?;
    }
    Ok(outcome)
}

/// The needs of a model on this machine, whose plans are added to `planned`.
fn of_model(name: &str, gathered: &Gathered, memory: u64, planned: &mut Planned) -> anyhow::Result<Vec<Need>> {
    let asked = gathered.questions.planned();
    asked.iter().for_each(|each| each.note(&format!("{name}/{}", each.variant.name())));
    let mut needs = Vec::new();
    for member in &gathered.members {
        for each in &asked {
            let Plan { variant, settings, earlier } = each;
            let workload = gathered.workload(member, settings, earlier.as_ref())?;
            let costs = costs::kept(&member.identity.sha256, &gathered.model.computing);
            let record_bytes = workload.record_bytes();
            let is_cpu = gathered.model.computing.device.is_cpu();
            let on_device = member.weighed.weight_bytes + workload.peak_bytes() + 2 * record_bytes;
            let needed = if is_cpu { gathered.peak_bytes(member, &workload) } else { on_device };
            let passes = Passes::new(member, settings, &workload, needed, costs);
            let can_run = !is_cpu || needed <= memory;
            needs.push(Need {
                run: name.to_string(),
                asked: variant.name(),
                trials: workload.trials().len(),
                tokens: Some(passes.counts.forwarded),
                memory: Some(needed),
                record_bytes: Some(record_bytes),
                seconds: passes.predicted_seconds,
                why: (!can_run).then(|| "does not fit this machine".to_string()),
                can_run,
            });
            let model = (member.identity.name.as_str(), None);
            let report = PlanReport::new(&gathered.questions, each, &workload, model, passes);
            planned.push((format!("{name}/{}", variant.name()), report));
        }
    }
    Ok(needs)
}

/// The needs of a model that cannot be opened here, by its card.
fn of_card(name: &str, workload: &WorkloadArgs, memory: u64, error: anyhow::Error) -> anyhow::Result<Vec<Need>> {
    let Some(card) = card(workload.model.name())? else {
        eprintln!("{}: {}", for_terminal(name), for_terminal(&format!("{error:#}")));
        return of_questions(name, workload, None, "cannot be planned".to_string(), false);
    };
    if is_cached(card).is_some() {
        eprintln!("{}: {}", for_terminal(name), for_terminal(&format!("{error:#}")));
    }
    let facts = Facts::new(card, Memory { free: memory, total: memory });
    let why = match (&facts.cannot_be_run, facts.fits) {
        (Some(obstacle), _) => obstacle.clone(),
        (None, Some(precision)) => format!("not here; fits in {}", precision.name()),
        (None, None) => "does not fit this machine".to_string(),
    };
    let shown = facts.fits.and_then(|precision| facts.at(precision)).or(facts.memory.last());
    of_questions(name, workload, shown.map(Room::bytes), why, facts.fits.is_some())
}

/// The needs of a workload of which only the questions are known.
fn of_questions(
    name: &str,
    workload: &WorkloadArgs,
    memory: Option<u64>,
    why: String,
    can_run: bool,
) -> anyhow::Result<Vec<Need>> {
    let (questions, ()) = Questions::load(workload, None, || Ok(()))?;
    let asked = questions.planned();
    asked
        .iter()
        .map(|Plan { variant, settings, .. }| {
            Ok(Need {
                run: name.to_string(),
                asked: variant.name(),
                trials: trials(&questions.loaded.items, &questions.packs, settings)?.len(),
                tokens: None,
                memory,
                record_bytes: None,
                seconds: None,
                why: Some(why.clone()),
                can_run,
            })
        })
        .collect()
}

impl Need {
    fn cells(self) -> Vec<Value> {
        let bytes = |bytes: Option<u64>| bytes.map(|bytes| HumanBytes(bytes).to_string());
        cells![
            self.run,
            self.asked,
            self.trials,
            self.tokens,
            bytes(self.memory),
            bytes(self.record_bytes),
            self.why.unwrap_or_else(|| self.seconds.map_or("not measured".to_string(), duration)),
        ]
    }
}

/// Prints the needs as a table, with totals where all are known. The memory of all is the largest known: one model is loaded
/// at a time.
fn print(needs: Vec<Need>) -> anyhow::Result<()> {
    let all = Need {
        run: "all".to_string(),
        asked: String::new(),
        trials: needs.iter().map(|need| need.trials).sum(),
        tokens: needs.iter().map(|need| need.tokens).sum(),
        memory: needs.iter().filter_map(|need| need.memory).max(),
        record_bytes: needs.iter().map(|need| need.record_bytes).sum(),
        seconds: needs.iter().map(|need| need.seconds).sum(),
        why: None,
        can_run: true,
    };
    let header = ["run", "asked", "trials", "tokens", "memory", "records", "time"];
    let rows = needs.into_iter().chain([all]).map(Need::cells);
    let grid = Grid::new("", 2, header, rows);
    Ok(print_text(&Format::Terminal.table(&grid, screen()))?)
}
