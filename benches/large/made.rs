//! A run folder as `tomeval run` writes it, with drawn log-likelihoods in the place of a model's.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use rand::Rng;
use tomeval::internal::Arithmetic;
use tomeval::internal::Failure;
use tomeval::internal::Tracker;
use tomeval::internal::read_config;
use tomeval::internal::seeded;
use tomeval::internal::{
    Answering, AskScores, Backend, BackendError, Batch, ContinuationScores, Prepared, Scorer, TrialReplies,
};
use tomeval::internal::{
    Beginning, Begun, Cut, Dataset, Inputs, LocalPreparation, Machine, ModelIdentity, begin_run, read_packs,
};
use tomeval::internal::{OwnCard, OwnData};
use tomeval::internal::{PassTime, Plan, Timing};
use tomeval::{Benchmark, Language, OrderPolicy, Settings, TokenScores, Tokenizer};

use crate::data::TASKS;

/// Option orders drawn for each question.
const ORDERS: usize = 5;

/// How many different ones of the 24 are among them, on average: 24 (1 - (23 / 24)^5), a little less to have no fewer trials.
pub const TRIALS_OF_A_QUESTION: f64 = 4.59;

/// The probability of all labels together.
const LABEL_MASS: f32 = 0.9;

/// Record a run over a file of questions.
pub fn run(questions: &Path, folder: &Path) {
    let own = OwnData { card: Some(card()), ..OwnData::default() };
    let settings = Settings { own, ..Settings::letters(Benchmark::Custom, Language::En, OrderPolicy::Random(ORDERS)) };
    let dataset = Dataset::new(vec![Benchmark::Custom], Some(questions.to_path_buf()), settings.load_options());
    let loaded = dataset.and_then(|dataset| dataset.load()).expect("the questions are sound");
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/llama");
    let mut spec = read_config(&fixture.join("config.json")).expect("the fixture has a configuration");
    spec.max_position = 8192;
    let name = folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let inputs = Inputs {
        name: Some(&name),
        settings: &settings,
        loaded: &loaded,
        earlier: None,
        packs: &read_packs(&[Benchmark::Custom], None).expect("the pack is built in"),
        model: LocalPreparation {
            identity: &ModelIdentity {
                name: "drawn".to_string(),
                source: "nowhere".to_string(),
                path: None,
                revision: None,
                family: spec.family.to_string(),
                sha256: [("none".to_string(), "0".to_string())].into(),
                adapter: None,
            },
            spec: &spec,
            arithmetic: Arithmetic::CPU,
            tokenizer: &Tokenizer::from_folder(&fixture).expect("the fixture has a tokenizer"),
            template: None,
            machine: &Machine {
                device: "cpu".into(),
                dtype: "f32".into(),
                cpu: "any".into(),
                threads: 1,
                products: Default::default(),
            },
            memory_budget: 1 << 32,
            cut: Cut { pass_tokens: Some(2048), batch_tokens: 100_000, sharing: true },
        },
        tracker: &Tracker::default(),
    };
    let begun = begin_run(inputs, Some(folder), Beginning::default()).expect("the folder is new or of this run");
    if let Begun::Ready(workload, mut opened) = begun {
        let mut drawn = Drawn { prepared: &workload.prepared, plan: &workload.plan, name: &name };
        let done =
            workload.run(None).execute(Answering::Batches(&mut drawn), &mut opened, &AtomicBool::new(false), |_| ());
        assert!(done.expect("the folder can be written to").finished);
    }
}

/// Tables as ToMBench's card has them: a column a task, and their mean.
fn card() -> OwnCard {
    let tasks: Vec<String> = (0..TASKS).map(|task| format!("'task {task}'")).collect();
    let columns: String =
        tasks.iter().map(|task| format!("{{ name = {task}, where = {{ task = {task} }} }}, ")).collect();
    let text = format!(
        "title = 'Drawn'\n[[tables]]\nid = 'tasks'\ntitle = 'Accuracy by task'\nrows = ['language']\n\
         columns = [{columns}{{ name = 'AVG', mean = [{}] }}]\n",
        tasks.join(", ")
    );
    OwnCard::try_from(text).expect("the card is sound")
}

/// Answers with drawn log-likelihoods.
struct Drawn<'a> {
    prepared: &'a Prepared,
    plan: &'a Plan,
    name: &'a str,
}

impl Drawn<'_> {
    fn replies(&self, trial: usize) -> TrialReplies<Vec<AskScores>> {
        let mut draw = seeded(0, self.name, trial);
        let requests = &self.prepared.requests[trial].requests;
        let replies = requests.iter().map(|request| {
            let weights: Vec<f32> = request.continuations().map(|_| draw.random_range(0.01..1.0)).collect();
            let all = weights.iter().sum::<f32>() / LABEL_MASS;
            let continuations = request.continuations().zip(weights).map(|(tokens, weight)| ContinuationScores {
                token_ids: Some(tokens.to_vec()),
                scores: TokenScores { logprobs: vec![(weight / all).ln() / tokens.len() as f32; tokens.len()] },
                at_most: None,
            });
            AskScores { continuations: continuations.collect(), prompt_tokens: request.context_tokens() }
        });
        TrialReplies { trial, system_merged: false, replies: Ok(replies.collect()), served: None }
    }
}

impl Backend for Drawn<'_> {
    fn is_chat(&self) -> bool {
        false
    }

    fn refusal(&self, trial: usize) -> Option<&Failure> {
        self.prepared.failures[trial].as_ref()
    }

    fn batches(&self) -> Vec<Batch> {
        let batches = self.plan.batches.iter();
        batches.map(|batch| Batch { trials: batch.trials.clone(), tokens: batch.tokens }).collect()
    }

    fn timing(&self) -> Timing {
        Timing::default()
    }
}

impl Scorer for Drawn<'_> {
    fn score(
        &mut self,
        batch: usize,
        _: &mut dyn FnMut(PassTime) -> ControlFlow<()>,
    ) -> Result<Option<Vec<TrialReplies<Vec<AskScores>>>>, BackendError> {
        let trials = self.plan.batches[batch].trials.iter();
        Ok(Some(trials.map(|&trial| self.replies(trial)).collect()))
    }
}
