//! Benchmarks: one [`Item`] type serves them all; a benchmark is a loader plus a card. Loading, asking and scoring are
//! the same for all; only roles, probes and generated Hi-ToM stories depend on particular benchmarks.

mod ability;
mod bigtom;
mod card;
mod check;
mod choices;
mod count;
mod custom;
mod definition;
mod demo;
mod difference;
mod fantom;
mod files;
mod filter;
mod folder;
pub mod hi_tom;
mod id;
mod inventory;
mod item;
mod item_line;
mod json_document;
mod limit;
mod load;
pub mod made;
mod multi_tom;
mod negotiationtom;
mod own;
mod parquet_rows;
mod printed;
mod problem;
mod published;
mod recipe;
mod registry;
mod roles;
mod rows;
mod rule;
mod select;
mod sets;
mod stand_in;
mod stats;
mod stories;
mod stratum;
mod tombench;
pub mod tomi;
pub mod tomvalley;
mod unique;
mod xtom;

pub use ability::ABILITIES;
pub use card::{AnchorTexts, Card, Listing, RepairAction};
pub use check::Check;
pub use count::{Comparison, UnknownCount, compare};
pub use custom::check_rows;
pub use difference::{Stretch, TextDifference, TextPart, text_differences};
pub use filter::Filter;
pub(crate) use filter::Scalar;
pub use id::Benchmark;
pub(crate) use id::joined;
pub use item::{Answer, Facets, Flag, Item, LONGEST_NAME, OptionIx, Segment, SegmentKind};
pub use item_line::ItemLine;
pub use limit::{limit, limit_stories};
pub use load::{LabelSet, LoadError, LoadOptions, Loaded};
pub use own::{AnswerKind, Delimiter, GoldBase, OwnCard, OwnData, QuestionField, UnknownQuestionField};
pub use printed::{PrintedFigure, SetTable, set_tables};
pub use problem::RowProblem;
pub use published::GroupSampling;
pub use roles::{
    NoRoles, Perceived, Place, Role, Roles, SentenceKind, Standing, Told, Witness, WitnessedSentence, actual_place,
    option_roles, roles, standing, standings, told, true_belief, version, witness,
};
pub use rule::{Rule, StoryWords, is_negated};
pub(crate) use select::hint_at_id;
pub use select::{Choice, ChoiceError, FacetRule, facet_name};
pub use stand_in::StandIns;
pub use stats::{CrossTable, PartStats, Ruler, cross_table, stats};
pub use stories::TiedStories;
