//! The trials that all stages work on, and a small model that answers them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use candle_core::Device;
use indexmap::IndexMap;
use tomeval::internal::Failure;
use tomeval::internal::Tracker;
use tomeval::internal::read_config;
use tomeval::internal::{Arithmetic, DecoderSpec};
use tomeval::internal::{Local, Prepared, TextSetup, TrialAsks, score_all};
use tomeval::internal::{MemoryCosts, Packing, Plan};
use tomeval::internal::{Run, Trial, asks_of, trials};
use tomeval::{Benchmark, Decoder, Item, Language, OrderPolicy, Pack, Precision, Settings, Tokenizer, TrialRecord};

pub struct Workload {
    pub items: Vec<Item>,
    pub trials: Vec<Trial>,
    pub tokenizer: Tokenizer,
    spec: DecoderSpec,
    packs: IndexMap<Benchmark, Pack>,
    settings: Settings,
}

impl Workload {
    pub fn new() -> Self {
        let settings = Settings::letters(Benchmark::Demo, Language::En, OrderPolicy::Random(5));
        let items = Benchmark::Demo.load(&PathBuf::new(), &settings.load_options());
        let items = items.expect("the demo inventory is built in").items;
        let packs = IndexMap::from([(Benchmark::Demo, Pack::built_in(Benchmark::Demo))]);
        let trials = trials(&items, &packs, &settings).expect("the pack serves every item");
        let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/llama");
        let tokenizer = Tokenizer::from_folder(&fixture).expect("the fixture has a tokenizer");
        let mut spec = read_config(&fixture.join("config.json")).expect("the fixture has a configuration");
        spec.max_position = 8192;
        Workload { items, trials, tokenizer, spec, packs, settings }
    }

    pub fn asks(&self) -> Vec<Result<TrialAsks, Failure>> {
        asks_of(&self.trials, &self.items, &self.packs, &self.settings, None, &Tracker::default())
    }

    pub fn prepare(&self, asked: &[Result<TrialAsks, Failure>]) -> Prepared {
        let text = TextSetup {
            tokenizer: &self.tokenizer,
            template: None,
            variables: &self.settings.template_variables,
            switched_off: &self.settings.switched_off,
            now: jiff::civil::datetime(2025, 1, 1, 0, 0, 0, 0),
            context_length: self.spec.max_position,
        };
        text.prepare(asked, &Tracker::default())
    }

    /// Records of all trials, as a model with random weights answers them.
    pub fn records(&self) -> Vec<TrialRecord> {
        let asked = self.asks();
        let prepared = self.prepare(&asked);
        let plan = Plan::new(&prepared.requests, Packing::default(), &MemoryCosts::new(&self.spec, Arithmetic::CPU));
        let decoder = Decoder::random(self.spec.clone(), 1, &Device::Cpu, Precision::F32).expect("the model is made");
        let mut backend = Local::new(&decoder, &prepared, &plan);
        let answers = score_all(&mut backend).expect("the model answers");
        let run = Run {
            items: &self.items,
            trials: &self.trials,
            asked: &asked,
            settings: &self.settings,
            shard: None,
            tokenizing: Duration::ZERO,
            planning: Duration::ZERO,
        };
        run.records(&backend, answers)
    }
}
