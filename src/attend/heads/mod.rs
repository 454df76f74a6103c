//! Single heads: maps over prompts, the ones that rank highest, and what each adds.

mod contributions;
mod inside;
mod maps;
mod quantity;
mod strongest;
mod strongest_groups;

pub use contributions::{contributions_record, labels_compared};
pub use inside::InsideSettings;
pub use maps::{HeadFinding, head_maps};
pub use quantity::HeadQuantity;
pub use strongest::{ChosenHeads, Off, choose};
pub use strongest_groups::{StrongestFinding, strongest_groups};
