//! Statistics over many prompts: means over groups, and comparisons of groups within strata.

mod aggregate;
mod case_groups;
mod matched_pairs;
mod places;
mod role_groups;
mod roles;
mod sensitivity_groups;
mod sides;
pub mod within;

pub use aggregate::GroupSettings;
pub use case_groups::{GroupedFinding, compare_groups};
pub use matched_pairs::{MatchedPairFinding, matched_pairs};
pub use places::{Place, Places, distinct, mean_by_story};
pub use role_groups::{RoleFinding, role_differences, role_means, without_roles};
pub use roles::StoryRead;
pub use sensitivity_groups::{SensitivityFinding, sensitivity_groups};
pub use sides::Grouping;
pub use within::Sides;
