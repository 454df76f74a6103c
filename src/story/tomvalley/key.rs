//! Keys of ToMValley questions, and their ids in released files.

use strum::{IntoStaticStr, VariantArray};

use crate::name::named;

/// The item asked about: one of the paper's four "ToM reasoning items".
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum ReasoningItem {
    /// The main character's belief.
    Belief,
    /// The main character's emotion.
    Emotion,
    /// The main character's intention.
    Intention,
    /// The main character's action.
    Action,
}

named!(ReasoningItem);

impl ReasoningItem {
    /// Causes and effect of an influence question with this item as its last cause: belief influences emotion, belief
    /// and emotion influence intention, intention influences action. Action influences nothing (section 3, step 4).
    pub fn influence(self) -> Option<(&'static [ReasoningItem], ReasoningItem)> {
        use ReasoningItem::{Action, Belief, Emotion, Intention};
        match self {
            Belief => Some((&[Belief], Emotion)),
            Emotion => Some((&[Belief, Emotion], Intention)),
            Intention => Some((&[Intention], Action)),
            Action => None,
        }
    }
}

/// The kind of question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum QuestionKind {
    /// What an item is in one scenario.
    What,
    /// How items influence another within one scenario.
    Influence,
    /// Whether an item changes from one scenario to the next, and from what to what.
    Whether,
    /// Why an item changes from one scenario to the next.
    Why,
    /// How an item changes over all scenarios.
    How,
}

named!(QuestionKind);

impl QuestionKind {
    /// The paper's three question types.
    pub fn question_type(self) -> &'static str {
        match self {
            QuestionKind::What => "understanding",
            QuestionKind::Influence => "influence",
            QuestionKind::Whether | QuestionKind::Why | QuestionKind::How => "transformation",
        }
    }

    /// The type's name in released files.
    pub fn released_type(self) -> &'static str {
        match self {
            QuestionKind::What => "type_a",
            QuestionKind::Influence => "type_c",
            QuestionKind::Whether | QuestionKind::Why | QuestionKind::How => "type_d",
        }
    }

    /// Prefix of released ids of this kind.
    fn prefix(self) -> &'static str {
        match self {
            QuestionKind::What => "type_a_what_",
            QuestionKind::Influence => "type_c_how_",
            QuestionKind::Whether => "type_d_whether_",
            QuestionKind::Why => "type_d_why_",
            QuestionKind::How => "type_d_how_",
        }
    }

    /// Number of items that questions of this kind ask about, and of questions for each.
    fn extent(self, scenarios: usize) -> (usize, usize) {
        let items = ReasoningItem::ALL.len();
        match self {
            QuestionKind::What => (items, scenarios),
            QuestionKind::Influence => (items - 1, scenarios),
            QuestionKind::Whether | QuestionKind::Why => (items, scenarios.saturating_sub(1)),
            QuestionKind::How => (items, 1),
        }
    }
}

/// The subject of one question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct QuestionKey {
    /// The kind of question.
    pub kind: QuestionKind,
    /// The item; for an influence the last cause it names, under which the paper reports it.
    pub item: ReasoningItem,
    /// The scenario, from 1; for a change the earlier of the two, for `How` always 1.
    pub scenario: usize,
}

impl QuestionKey {
    /// Parse an id such as `type_d_why_6`. Returns `None` for an id that no context with this many scenarios has.
    ///
    /// Ids of one kind are numbered from 1 through all items, and within an item through the scenarios.
    pub fn parse(id: &str, scenarios: usize) -> Option<Self> {
        let (kind, number) = QuestionKind::ALL
            .into_iter()
            .find_map(|kind| Some((kind, id.strip_prefix(kind.prefix())?.parse::<usize>().ok()?)))?;
        let (items, each) = kind.extent(scenarios);
        let index = number.checked_sub(1).filter(|&index| index < items * each)?;
        Some(QuestionKey { kind, item: ReasoningItem::ALL[index / each], scenario: index % each + 1 })
    }

    /// The id in a context with this many scenarios: the inverse of [`QuestionKey::parse`].
    pub fn id(self, scenarios: usize) -> String {
        let (_, each) = self.kind.extent(scenarios);
        format!("{}{}", self.kind.prefix(), self.item as usize * each + self.scenario)
    }

    /// Every question of a context with this many scenarios: 71 for five.
    pub fn all(scenarios: usize) -> impl Iterator<Item = QuestionKey> {
        QuestionKind::ALL.into_iter().flat_map(move |kind| {
            let (items, each) = kind.extent(scenarios);
            ReasoningItem::ALL
                .into_iter()
                .take(items)
                .flat_map(move |item| (1..=each).map(move |scenario| QuestionKey { kind, item, scenario }))
        })
    }

    /// The last scenario the question is about.
    pub fn last_scenario(self, scenarios: usize) -> usize {
        match self.kind {
            QuestionKind::What | QuestionKind::Influence => self.scenario,
            QuestionKind::Whether | QuestionKind::Why => self.scenario + 1,
            QuestionKind::How => scenarios,
        }
    }

    /// The `what` questions whose answers this one presupposes: for a change those of its item in both scenarios, for
    /// an influence those of its causes and its effect. `How` questions have no rule, and `what` questions presuppose
    /// none.
    pub fn rests_on(self) -> impl Iterator<Item = QuestionKey> {
        let what = |item, scenario| QuestionKey { kind: QuestionKind::What, item, scenario };
        let keys = match self.kind {
            QuestionKind::Whether | QuestionKind::Why => {
                vec![what(self.item, self.scenario), what(self.item, self.scenario + 1)]
            }
            QuestionKind::Influence => self.item.influence().map_or_else(Vec::new, |(causes, effect)| {
                causes.iter().chain([&effect]).map(|&item| what(item, self.scenario)).collect()
            }),
            QuestionKind::What | QuestionKind::How => Vec::new(),
        };
        keys.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_keys_are_inverse() {
        for scenarios in 2..8 {
            for key in QuestionKey::all(scenarios) {
                assert_eq!(QuestionKey::parse(&key.id(scenarios), scenarios), Some(key));
            }
        }
    }

    #[test]
    fn questions_are_counted_as_in_the_paper() {
        let counts = [4, 5, 6, 7].map(|scenarios| QuestionKey::all(scenarios).count());
        assert_eq!(counts, [56, 71, 86, 101]);
        let of_kind = |kind| QuestionKey::all(5).filter(|key| key.kind == kind).count();
        assert_eq!(QuestionKind::ALL.map(of_kind), [20, 15, 16, 16, 4]);
        let of_item = |item| QuestionKey::all(5).filter(|key| key.item == item).count();
        assert_eq!(ReasoningItem::ALL.map(of_item), [19, 19, 19, 14]);
    }

    #[test]
    fn ids_outside_a_context_are_refused() {
        for id in ["type_a_what_21", "type_a_what_0", "type_d_whether_17", "type_b_what_1", "type_d_how_x", ""] {
            assert_eq!(QuestionKey::parse(id, 5), None, "{id}");
        }
    }

    #[test]
    fn changes_and_influences_rest_on_what_questions() {
        let ids = |id| QuestionKey::parse(id, 5).unwrap().rests_on().map(|what| what.id(5)).collect::<Vec<_>>();
        assert_eq!(ids("type_d_why_6"), ["type_a_what_7", "type_a_what_8"]);
        assert_eq!(ids("type_c_how_3"), ["type_a_what_3", "type_a_what_8"]);
        assert_eq!(ids("type_c_how_10"), ["type_a_what_5", "type_a_what_10", "type_a_what_15"]);
        assert_eq!(ids("type_c_how_11"), ["type_a_what_11", "type_a_what_16"]);
        assert!(ids("type_d_how_1").is_empty() && ids("type_a_what_1").is_empty());
    }
}
