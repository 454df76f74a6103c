//! The trials that all stages work on.

use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use tomeval::benchmark::{Benchmark, Item};
use tomeval::engine::{TokenScores, TrialRequests, TrialScores};
use tomeval::language::Language;
use tomeval::model::Tokenizer;
use tomeval::prompt::{OrderPolicy, Pack};
use tomeval::record::TrialRecord;
use tomeval::run::{Preparation, Settings, Trial, trials};

pub struct Workload {
    pub items: Vec<Item>,
    pub trials: Vec<Trial>,
    pub tokenizer: Tokenizer,
    packs: IndexMap<String, Pack>,
    settings: Settings,
}

impl Workload {
    pub fn new() -> Self {
        let settings = Settings::letters("demo", Language::En, OrderPolicy::Random(5));
        let items = Benchmark::Demo.load(&PathBuf::new(), &settings.load_options());
        let items = items.expect("the demo inventory is built in").items;
        let packs = IndexMap::from([("demo".to_string(), Pack::built_in(Benchmark::Demo))]);
        let trials = trials(&items, &packs, &settings).expect("the pack serves every item");
        let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/llama");
        let tokenizer = Tokenizer::from_folder(&fixture).expect("the fixture has a tokenizer");
        Workload { items, trials, tokenizer, packs, settings }
    }

    pub fn preparation(&self) -> Preparation<'_> {
        Preparation {
            items: &self.items,
            packs: &self.packs,
            tokenizer: &self.tokenizer,
            template: None,
            now: jiff::civil::datetime(2025, 1, 1, 0, 0, 0, 0),
            context_length: 8192,
            settings: &self.settings,
        }
    }

    /// Records of all trials, with scores that differ from option to option.
    pub fn records(&self) -> Vec<TrialRecord> {
        let preparation = self.preparation();
        let prepared = preparation.prepare(&self.trials);
        let scored = prepared.requests.iter().enumerate().map(|(number, trial)| (number, scores(trial, number)));
        scored
            .map(|(number, scores)| preparation.record(&self.trials[number], number, &prepared, Some(&scores)))
            .collect()
    }
}

fn scores(trial: &TrialRequests, number: usize) -> TrialScores {
    let of_token = |slot: usize| -1.0 - ((number * 5 + slot) * 7919 % 97) as f32 / 97.0;
    let of_request = |request: &tomeval::engine::Request| {
        let continuations = request.continuations().enumerate();
        continuations.map(|(slot, tokens)| TokenScores { logprobs: vec![of_token(slot); tokens.len()] }).collect()
    };
    trial.requests.iter().map(of_request).collect()
}
