//! From position weights to words: keywords, agreement with human keywords, and deletion checks.

pub mod agreement;
mod causal;
mod checks;
pub mod contrast;
mod deletion;
mod human;
pub mod keywords;
mod stopwords;
mod word_sets;

pub use causal::{AblationGroupRecord, AblationRecord, LensRecord, ModelPart, ParseModelPartError};
pub use checks::{ChecksRecord, DeletionRecord, EffectRecord};
pub use deletion::{
    Deletion, DeletionPlan, Effect, Outcome, chance_below_5_percent, deletion, occlusion, prompts_of_check,
};
#[cfg(test)]
pub(crate) use human::HumanFile;
pub use human::{HumanKeywords, Reader};
pub use keywords::{Keyword, KeywordOptions, Ranking, Repeats, Scope, key};
pub use stopwords::{has_function_words, is_stop_word};
pub use word_sets::Match;
