//! Local-inference evaluation of open-weight language models on multiple-choice Theory-of-Mind benchmarks.
//!
//! What a program needs to evaluate models itself, in the order of the data; each has an example.
//!
//! - items: [`Benchmark::load`] reads files into [`Item`]s;
//! - prompts: [`asks`] puts an item in an [`Order`] by a style of a [`Pack`];
//! - models: [`resolve_model`] finds [`ModelFiles`], [`Decoder`] computes, [`Tokenizer`] and [`ChatTemplate`] write;
//! - scores: [`score_items`] for items, [`score_once`] for tokens; [`generate`] writes replies, [`read_reply`] reads them;
//! - answers: [`outcomes`] votes over option orders; [`evaluate`] makes the tables of a benchmark, [`render`] shows them;
//! - runs: [`read_run`] reads a folder of the command line;
//! - statistics: [`wilson`], [`clustered_mean`], [`paired_change`], [`mcnemar_exact`], [`wilcoxon`], [`holm`],
//!   [`benjamini_hochberg`], [`cohen_kappa`], [`rater_agreement`], [`macro_f1`].
//!
//! `examples/score.rs` evaluates a CSV file of questions with them. ARCHITECTURE.md tells how the modules stand to each other.

#![warn(missing_docs)]
// The library reports through its results and through `tracing`; only the command prints and exits.
#![warn(clippy::dbg_macro, clippy::exit)]
#![cfg_attr(not(test), warn(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used))]

#[cfg(any(feature = "hub", feature = "server"))]
mod address;
mod annotate;
mod answer;
mod attend;
mod backend;
mod bench;
mod benchmark;
mod canary;
// The command line prints and exits, and nothing else does.
#[allow(clippy::exit, clippy::print_stdout, clippy::print_stderr)]
mod cli;
mod compare;
mod decoder;
mod engine;
mod extract;
mod figure;
mod json;
mod language;
mod libraries;
mod machine;
mod metric;
mod model;
mod name;
mod page;
mod plain;
mod probe;
mod progress;
mod prompt;
mod reading;
mod record;
mod report;
mod run;
mod seed;
mod segment;
mod selftest;
#[cfg(feature = "server")]
mod server;
mod story;
mod untrusted;

pub use candle_core::Device;

pub use answer::{Normalisation, Outcome, Ties, outcomes};
pub use benchmark::{Answer, Benchmark, Item, LoadOptions, OptionIx, Segment, SegmentKind};
pub use decoder::{Decoder, KvCache, Pass, Precision};
pub use engine::{GenerateRequest, Limits, Reply as Written, Request, Sampling, TokenScores, generate, score_once};
pub use extract::{Kind as ReplyKind, Outcome as ReadingOutcome, Question as ReplyQuestion, Rules, read as read_reply};
pub use language::Language;
pub use metric::stats::{
    LabelCounts, PMethod, Weights as KappaWeights, ZeroMethod, benjamini_hochberg, clustered_mean, cohen_kappa, holm,
    macro_f1, mcnemar_exact, paired_change, wilcoxon, wilson,
};
pub use metric::{Layout, Respondent, Results, Setting, evaluate, rater_agreement};
pub use model::{
    ChatTemplate, DEMO as DEMO_MODEL, Fetch, ModelFiles, RenderSettings, Sequence, TextParts, Tokenizer,
    resolve as resolve_model,
};
pub use prompt::{Instructions, Message, Order, OrderPolicy, Pack, Scoring, asks};
pub use record::TrialRecord;
pub use report::{Format, Report, Screen, render};
pub use run::{Settings, read_run, score_items};

#[doc(hidden)]
pub mod internal {
    //! What the program, its tests and its benchmarks use beside the public items. Nothing here is promised.

    pub use crate::annotate::Export as AnnotationExport;
    pub use crate::annotate::Marked as MarkedWords;
    pub use crate::annotate::Records as AnnotationRecords;
    pub use crate::answer::TrialOutcome;
    pub use crate::answer::TrialReading;
    pub use crate::attend::Capture as AttentionCapture;
    pub use crate::attend::Probe as AttentionProbe;
    pub use crate::attend::Weighting;
    pub use crate::backend::AskScores;
    pub use crate::backend::Backend;
    pub use crate::backend::BackendError;
    pub use crate::backend::Batch;
    pub use crate::backend::Capability;
    pub use crate::backend::ContinuationScores;
    pub use crate::backend::Local;
    pub use crate::backend::Prepared;
    pub use crate::backend::Reply as BackendReply;
    pub use crate::backend::TextSetup;
    pub use crate::backend::TrialAsks;
    pub use crate::backend::TrialReplies;
    pub use crate::backend::answer_all;
    pub use crate::bench::Bench;
    pub use crate::bench::Bound;
    pub use crate::bench::Case as BenchCase;
    pub use crate::bench::Comparison as BenchComparison;
    pub use crate::bench::Drift;
    pub use crate::bench::Rounded;
    pub use crate::bench::Step as BenchStep;
    pub use crate::bench::render as render_bench;
    pub use crate::benchmark::ABILITIES;
    pub use crate::benchmark::Flag;
    pub use crate::benchmark::LabelSet;
    pub use crate::benchmark::LoadError;
    pub use crate::benchmark::Loaded;
    pub use crate::benchmark::OwnCard;
    pub use crate::benchmark::OwnData;
    pub use crate::benchmark::compare as compare_counts;
    pub use crate::benchmark::hi_tom::Prompting;
    pub use crate::benchmark::hi_tom::audit as audit_hi_tom;
    pub use crate::benchmark::hi_tom::items as hi_tom_items;
    pub use crate::benchmark::limit as limit_items;
    pub use crate::benchmark::tomi::audit as audit_tomi;
    pub use crate::canary::CANARY;
    pub use crate::cli::main;
    pub use crate::compare::Row as CompareRow;
    pub use crate::compare::Settings as CompareSettings;
    pub use crate::compare::Side;
    pub use crate::compare::compare;
    pub use crate::decoder::Arithmetic;
    pub use crate::decoder::Branch;
    pub use crate::decoder::Capture;
    pub use crate::decoder::CapturedQuery;
    pub use crate::decoder::DecoderError;
    pub use crate::decoder::DecoderSpec;
    pub use crate::decoder::ExpertPlacement;
    pub use crate::decoder::KnockOut;
    pub use crate::decoder::RowRanges;
    pub use crate::decoder::Stages;
    pub use crate::decoder::Weights;
    pub use crate::decoder::Work as DecoderWork;
    pub use crate::decoder::counted as counted_calls;
    pub use crate::decoder::fallbacks;
    pub use crate::engine::ContextRequest;
    pub use crate::engine::Engine;
    pub use crate::engine::GenerateError;
    pub use crate::engine::GenerateProgress;
    pub use crate::engine::MemoryCosts;
    pub use crate::engine::Packing;
    pub use crate::engine::PassTime;
    pub use crate::engine::Plan;
    pub use crate::engine::ReplyEnd;
    pub use crate::engine::ThinkingBudget;
    pub use crate::engine::Timing;
    pub use crate::engine::TrialRequests;
    pub use crate::engine::generate_all;
    pub use crate::engine::score as score_requests;
    pub use crate::engine::score_trials;
    pub use crate::extract::Part as ReplyPart;
    pub use crate::extract::read_part;
    pub use crate::figure::Painter;
    pub use crate::machine::resident_bytes;
    pub use crate::metric::Cell;
    pub use crate::metric::Method;
    pub use crate::metric::OF_PAPER;
    pub use crate::metric::Row;
    pub use crate::metric::TableResult;
    pub use crate::metric::stats::Binning;
    pub use crate::metric::stats::ClusteredMean;
    pub use crate::metric::stats::brier;
    pub use crate::metric::stats::clustered_wilson;
    pub use crate::metric::stats::expected_calibration_error;
    pub use crate::metric::stats::fleiss_kappa;
    pub use crate::metric::stats::ks_normal;
    pub use crate::metric::stats::micro_f1;
    pub use crate::metric::stats::reliability;
    pub use crate::metric::stats::selective_accuracy;
    pub use crate::metric::stats::weighted_f1;
    pub use crate::model::ModelError;
    pub use crate::model::SpecialTokens;
    pub use crate::model::Summary as ModelSummary;
    pub use crate::model::TemplateError;
    pub use crate::model::TemplateOrigin;
    pub use crate::model::TemplateVariables;
    pub use crate::model::read_config;
    pub use crate::model::render_or_merge;
    pub use crate::model::sha256_bytes;
    pub use crate::probe::After as ProbeAfter;
    pub use crate::probe::Answers as ProbeAnswers;
    pub use crate::probe::Scores as ProbeScores;
    pub use crate::probe::orders::Settings as OrderProbeSettings;
    pub use crate::probe::orders::probe as probe_orders;
    pub use crate::progress::Tracker;
    pub use crate::prompt::Ask;
    pub use crate::prompt::Condition;
    pub use crate::prompt::Placeholders;
    pub use crate::prompt::Prompt;
    pub use crate::prompt::PromptError;
    pub use crate::prompt::SlotIx;
    pub use crate::prompt::Span;
    pub use crate::prompt::SpanKind;
    pub use crate::prompt::Style;
    pub use crate::prompt::ask_several;
    pub use crate::prompt::unconditional;
    pub use crate::reading::How;
    pub use crate::reading::read_records;
    pub use crate::record::Failure;
    pub use crate::record::Shown;
    pub use crate::report::Unfinished;
    pub use crate::report::page::PageFacts;
    pub use crate::report::page::PageFiles;
    pub use crate::report::page::PageItem;
    pub use crate::report::page::PageWriter;
    pub use crate::report::page::ShownPrompt;
    pub use crate::report::page::ShownReply;
    pub use crate::report::page::ShownTrial;
    pub use crate::report::page::is_chunk_name;
    pub use crate::report::summary;
    pub use crate::run::Beginning;
    pub use crate::run::Begun;
    pub use crate::run::ClaimedFolder;
    pub use crate::run::Cut;
    pub use crate::run::Dataset;
    pub use crate::run::Inputs;
    pub use crate::run::LoadedItems;
    pub use crate::run::Machine;
    pub use crate::run::Manifest;
    pub use crate::run::ModelIdentity;
    pub use crate::run::Recorded;
    pub use crate::run::RecordedRun;
    pub use crate::run::Run;
    pub use crate::run::RunFolder;
    pub use crate::run::Trial;
    pub use crate::run::asks_of;
    pub use crate::run::begin as begin_run;
    pub use crate::run::pack_in;
    pub use crate::run::packs as read_packs;
    pub use crate::run::read_pack;
    pub use crate::run::trials;
    pub use crate::seed::seeded;
    pub use crate::story::ClaimRule;
    pub use crate::story::Question as StoryQuestion;
    pub use crate::story::Rules as StoryRules;
    pub use crate::story::Wording;
    pub use crate::story::hi_tom::Settings as HiToMSettings;
    pub use crate::story::hi_tom::generate as make_hi_tom;
    pub use crate::story::tomi::generate as make_tomi;
    pub use crate::story::tomvalley::QuestionKey;
    pub use crate::story::tomvalley::QuestionKind;
    pub use crate::story::tomvalley::Sketch;
    pub use crate::story::tomvalley::questions as tomvalley_questions;
}
