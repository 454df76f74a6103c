//! The measures that cards can name.

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use crate::name::named;

/// A number computed from a group of outcomes. `datasets/README.md` defines each for card writers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, IntoStaticStr, VariantArray)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Measure {
    /// Share of items whose choice is the gold answer.
    #[default]
    Accuracy,
    /// Accuracy of items with several slots: all slots right.
    ExactMatch,
    /// Share of items that are right together with all items of lower `order` in the same story.
    JointAccuracy,
    /// Share of stories all of whose items in the group are right.
    Coherent,
    /// Accuracy minus coherent share over the same stories.
    CoherentDrop,
    /// F1 over all labels together.
    MicroF1,
    /// Plain mean of the labels' F1.
    MacroF1,
    /// Mean of the labels' F1, weighted by how often each is gold.
    WeightedF1,
    /// Share of questions answered alike and rightly in all languages.
    SameAndRight,
    /// Share of questions answered alike and wrongly in all languages.
    SameAndWrong,
    /// Share of questions answered differently in some language.
    Mixed,
    /// Share of questions that are right in the direct variant and wrong in the cultural one.
    DirectRightCulturalWrong,
    /// Share of items that are right and whose linked items are all right.
    FullyCorrect,
    /// Share of items that are wrong although their linked items are all right.
    LocalError,
    /// Share of items that are right although some linked item is wrong.
    RestorationError,
    /// Share of items that are wrong and have some wrong linked item.
    FullError,
    /// Share of items with linked items whose reply was judged irrelevant to the question; such an item is in none of
    /// the four classes above.
    Irrelevant,
    /// Share of items answered with the text chosen for the order-1 item of the same story.
    RepeatsFirstOrder,
    /// Share of items whose gold text is that of the order-1 item of the same story; a property of the data.
    GoldRepeatsFirstOrder,
    /// Share of items with a choice.
    Answered,
}

named!(Measure);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_file_format() {
        for measure in Measure::ALL {
            assert_eq!(serde_json::to_value(measure).unwrap(), measure.name());
        }
    }
}
