//! Evaluates a CSV file of questions with a model on this machine (docs/own-data.md says what its columns may be):
//! `cargo run --release --example score -- QUESTIONS.csv [MODEL]`.

use tomeval::{
    Benchmark, DEMO_MODEL, Device, Fetch, Format, Language, Layout, LoadOptions, Normalisation, OrderPolicy,
};
use tomeval::{Precision, Report, Respondent, Screen, Setting, Settings, Ties, View};
use tomeval::{evaluate, outcomes, render, resolve_model, score_items};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [questions, model @ ..] = &arguments[..] else { return Err("name a CSV file of questions".into()) };
    let items = Benchmark::Custom.load(questions.as_ref(), &LoadOptions::default())?.items;

    let files = resolve_model(model.first().map_or(DEMO_MODEL, String::as_str), &Fetch::offline())?;
    let decoder = files.decoder(&Device::Cpu, Precision::F32)?;
    let settings = Settings::letters(Benchmark::Custom, Language::En, OrderPolicy::Random(5));
    let records = score_items(&items, &settings, &files.text_parts()?, &decoder)?;

    // The vote over five option orders of each question, and the tables for it.
    let outcomes = outcomes(&records, &items, Normalisation::Sum, Ties::default())?;
    let layout = Layout::parse(Benchmark::Custom.card_text())?;
    let by = Respondent { label: &files.name, answers: "letters" };
    let setting =
        Setting { benchmark: Benchmark::Custom, title: "Own questions", by, items: &items, layout: &layout, seed: 0 };
    let report = Report::new(&files.name, Default::default(), vec![evaluate(&setting, &outcomes)]);
    print!("{}", render(&report, Format::Terminal, &View { screen: Screen { width: Some(80) }, ..View::default() }));
    Ok(())
}
