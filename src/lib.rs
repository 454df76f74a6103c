//! Local-inference evaluation of open-weight language models on multiple-choice Theory-of-Mind benchmarks.
//!
//! The API for evaluating models from another program, in data-flow order; every item has an example.
//!
//! - items: [`Benchmark::load`] reads files into [`Item`]s;
//! - prompts: [`asks`] formats an item in an [`Order`] with a style of a [`Pack`];
//! - models: [`resolve_model`] finds [`ModelFiles`], [`Decoder`] runs the model, [`Tokenizer`] and [`ChatTemplate`]
//!   prepare its input;
//! - scores: [`score_items`] scores items, [`score_once`] tokens; [`generate`] writes replies, [`read_reply`] reads
//!   them;
//! - answers: [`outcomes`] votes over option orders; [`evaluate`] computes the tables of a benchmark, [`render`] shows
//!   them;
//! - runs: [`read_run`] reads a run folder written by the command line;
//! - statistics: [`wilson`], [`clustered_mean`], [`paired_change`], [`mcnemar_exact`], [`wilcoxon`], [`holm`],
//!   [`benjamini_hochberg`], [`cohen_kappa`], [`rater_agreement`], [`macro_f1`].
//!
//! `examples/score.rs` uses it to evaluate a CSV file of questions. ARCHITECTURE.md describes the modules.

#![warn(missing_docs)]
// The library reports through its results and through `tracing`; only the command prints and exits.
#![warn(clippy::dbg_macro, clippy::exit)]
#![cfg_attr(not(test), warn(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used))]

#[cfg(any(feature = "hub", feature = "server"))]
mod address;
mod annotate;
mod answer;
// Only the command line prints and exits: `arguments`, `cli` and `terminal`.
#[allow(clippy::exit, clippy::print_stdout, clippy::print_stderr)]
mod arguments;
mod attend;
mod backend;
mod bench;
mod benchmark;
mod canary;
mod catch_panic;
mod chat;
#[allow(clippy::exit, clippy::print_stdout, clippy::print_stderr)]
mod cli;
mod compare;
mod counted;
mod engine;
mod extract;
mod figure;
mod json;
mod language;
mod ledger;
mod libraries;
mod machine;
mod make;
mod metric;
mod model;
mod page;
mod parse_error;
mod probe;
mod progress;
mod prompt;
mod record;
mod reopen;
mod report;
mod run;
mod safe_text;
mod segment;
mod selftest;
#[cfg(feature = "server")]
mod server;
mod story;
mod table;
#[allow(clippy::exit, clippy::print_stdout, clippy::print_stderr)]
mod terminal;
mod trial;

use tomeval_core::{decoder, name, seed, stats};

pub use candle_core::Device;

pub use answer::{Normalisation, Outcome, Ties, outcomes};
pub use benchmark::{Answer, Benchmark, Item, LoadOptions, OptionIx, Segment, SegmentKind};
pub use chat::Message;
pub use decoder::{Decoder, KvCache, Pass, Precision};
pub use engine::{GenerateRequest, Limits, Reply as Written, Request, Sampling, TokenScores, generate, score_once};
pub use extract::{Kind as ReplyKind, Outcome as ReadingOutcome, Question as ReplyQuestion, Rules, read as read_reply};
pub use language::Language;
pub use metric::{Layout, Respondent, Results, Setting, evaluate, rater_agreement};
pub use model::{
    ChatTemplate, DEMO as DEMO_MODEL, Fetch, ModelFiles, RenderSettings, Sequence, TextParts, Tokenizer,
    resolve as resolve_model,
};
pub use prompt::{Instructions, Order, OrderPolicy, Pack, Scoring, asks};
pub use record::TrialRecord;
pub use report::{Published, Report, Tables, View, render};
pub use run::{read_run, score_items};
pub use stats::{
    LabelCounts, PMethod, Weights as KappaWeights, ZeroMethod, benjamini_hochberg, clustered_mean, cohen_kappa, holm,
    macro_f1, mcnemar_exact, paired_change, wilcoxon, wilson,
};
pub use table::{Format, Screen};
pub use trial::Settings;

#[doc(hidden)]
pub mod internal {
    //! Items that the program, its tests and its benchmarks use besides the public ones. Nothing here is stable.

    pub use crate::annotate::{Export as AnnotationExport, Marked as MarkedWords, Records as AnnotationRecords};
    pub use crate::answer::{TrialOutcome, TrialReading};
    pub use crate::attend::{Capture as AttentionCapture, Probe as AttentionProbe, Weighting};
    pub use crate::backend::{
        AskScores, Backend, BackendError, Batch, ContinuationScores, Local, Prepared, Scorer, TextSetup, TrialReplies,
        score_all,
    };
    pub use crate::bench::{
        Bench, Bound, Case as BenchCase, Comparison as BenchComparison, Drift, Rounded, Step as BenchStep, read_trie,
        render as render_bench,
    };
    pub use crate::benchmark::hi_tom::{Prompting, audit as audit_hi_tom, items as hi_tom_items};
    pub use crate::benchmark::tomi::audit as audit_tomi;
    pub use crate::benchmark::{
        ABILITIES, Flag, LabelSet, LoadError, Loaded, NameLists, OwnCard, OwnData, Swap, SwapKind, SwapProblem,
        Swapper, compare as compare_counts, limit as limit_items,
    };
    pub use crate::canary::CANARY;
    pub use crate::cli::main;
    pub use crate::compare::{ComparisonRow as CompareRow, Settings as CompareSettings, Side, compare};
    pub use crate::decoder::{
        Ablation, Arithmetic, Branch, Capture, CapturedQuery, DecoderError, DecoderSpec, ExpertPlacement, RowRanges,
        Stages, Weights, Work as DecoderWork, counted as counted_calls, fallbacks, profiled as profiled_calls,
    };
    pub use crate::engine::{
        ContextRequest, Engine, GenerateError, GenerateProgress, MemoryCosts, Packing, PassTime, Plan, ReplyEnd,
        ThinkingBudget, Timing, TrialRequests, generate_all, score as score_requests, score_trials,
    };
    pub use crate::extract::{QuestionPart as ReplyPart, read_part};
    pub use crate::figure::Painter;
    pub use crate::machine::resident_bytes;
    pub use crate::metric::{
        Anew, Cell, Consistency, LinkResult, Linked, Method, OF_PAPER, Pull, ReplyLength, ResultRow, Source, Sources,
        SwapConclusion, TableResult, TwinResult, WrongPlace, sources,
    };
    pub use crate::model::{
        ModelError, SpecialTokens, Summary as ModelSummary, TemplateError, TemplateOrigin, TemplateVariables,
        read_config, render_or_merge, sha256_bytes,
    };
    pub use crate::probe::orders::{Settings as OrderProbeSettings, probe as probe_orders};
    pub use crate::probe::{After as ProbeAfter, Answers as ProbeAnswers, Scores as ProbeScores};
    pub use crate::progress::Tracker;
    pub use crate::prompt::{
        Ask, Budgeted, Condition, Placeholders, Prompt, PromptError, Reminder, SlotIx, Span, SpanKind, Style,
        TokenBudget, ask_several, unconditional, wording_part,
    };
    pub use crate::record::{Failure, Shown};
    pub use crate::reopen::{ReadOptions, read_records};
    pub use crate::report::page::{
        PageFacts, PageFiles, PageItem, PageWriter, ShownPrompt, ShownReply, ShownTrial, is_chunk_name,
    };
    pub use crate::report::{Unfinished, summary};
    pub use crate::run::{
        Answering, Beginning, Begun, ClaimedFolder, Cut, Inputs, LocalPreparation, Machine, Manifest, ModelIdentity,
        Recorded, RecordedRun, Run, RunFolder, begin as begin_run,
    };
    pub use crate::seed::seeded;
    pub use crate::stats::{
        Binning, ClusteredMean, Design, Stratum, brier, clustered_auc, clustered_wilson, conditional_logit,
        expected_calibration_error, fleiss_kappa, ks_normal, logistic_path, micro_f1, reliability, selective_accuracy,
        variance_sources, weighted_f1,
    };
    pub use crate::story::Wording as HiToMWording;
    pub use crate::story::hi_tom::{Settings as HiToMSettings, generate as make_hi_tom};
    pub use crate::story::tomi::generate as make_tomi;
    pub use crate::story::tomvalley::{QuestionKey, QuestionKind, Sketch, questions as tomvalley_questions};
    pub use crate::story::{ClaimRule, Perceived, Question as StoryQuestion, Rules as StoryRules, Story, Wording};
    pub use crate::trial::{
        Dataset, LoadedItems, Trial, TrialAsks, asks_of, pack_in, packs as read_packs, read_pack, trials,
    };
}
