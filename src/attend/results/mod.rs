//! Results of an analysis, as stored on disk.

mod conclusion;
mod differences;
mod document;
mod findings;
mod heads;
mod measure;
pub mod records;
mod roles;
mod sensitivity;
mod witness;
mod witness_told;

pub use conclusion::{Basis, conclusions};
pub use differences::{
    DIFFERENCES_CAVEAT, DifferenceRecord, DifferencesRecord, LeftOutRecord, ShiftRecord, ShiftWordRecord, WithinRecord,
};
pub use document::{
    Case, Conclusion, ContrastRecord, Document, FORMAT, GroupRecord, HeadsMap, HumanRecord, Method, ModelRecord,
    OptionRecord, OrdersRecord, QueryRecord, RecurringRecord, WordAttention, WordMass,
};
pub use findings::Findings;
pub use heads::{
    CONTRIBUTIONS_CAVEAT, ContributionsRecord, HeadMapRecord, LabelCount, TOP_HEADS_CAVEAT, TopHeadsCaseRecord,
    TopHeadsMeansRecord, TopHeadsRecord, unlike_labels,
};
pub use measure::Measure;
pub use records::{Evidence, PERSISTENCE, Reduction, keys, rounded, rounded_ends};
pub use roles::{
    MatchedPairQuantityRecord, MatchedPairsRecord, ROLES_CAVEAT, RoleMeansRecord, RoleRecord, RolesRecord,
};
pub use sensitivity::{SensitivityGroupRecord, SensitivityRecord};
pub use witness::{
    COLOURS, ChanceRecord, PlaceRecord, TrueBeliefRecord, WITNESS_CAVEAT, WitnessComparisonRecord, WitnessRecord,
    WitnessRowRecord, WitnessSentenceRecord, per_word, unseen_and_chance,
};
