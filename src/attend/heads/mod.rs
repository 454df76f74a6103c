//! Analyses of single heads: maps over prompts, the strongest heads, and direct contributions.

mod contributions;
mod head_analysis;
mod maps;
mod quantity;
mod top_heads;
mod top_heads_groups;

pub use contributions::{contributions_record, labels_compared};
pub use head_analysis::HeadAnalysisSettings;
pub use maps::{HeadFinding, head_maps};
pub use quantity::HeadQuantity;
pub use top_heads::{AblationTarget, ChosenHeads, choose};
pub use top_heads_groups::{TopHeadsFinding, top_heads_groups};
