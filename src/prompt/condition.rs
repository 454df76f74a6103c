//! Conditions: items with a part left out, or with a statement in the place of an option.

use std::borrow::Cow;

use rand::Rng;
use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use super::order::Order;
use crate::benchmark::{Answer, Item, OptionIx, SegmentKind, actual_place, version as version_of};
use crate::language::Language;
use crate::name::named;
use crate::seed::seeded;
use crate::story::Version;

/// What is changed in items as a condition of its own, beside the plain presentation.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr, VariantArray,
)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Condition {
    /// Without the characters' profiles (ToMValley, Figure 4).
    NoProfile,
    /// Without the narrated setting of dialogues (ToMValley, Figure 4).
    NoBackground,
    /// Without dialogues: what can be answered without reading them is no test of reading.
    NoDialogue,
    /// "None of these" stands in the place of the right option, and is right.
    DropGold,
    /// "None of these" stands in the place of a wrong option, and is wrong.
    DropDistractor,
    /// The story without what a member of the chain of minds asked about does not perceive.
    SeenOnly,
    /// Asides that name its containers in its place.
    MentionKept,
    /// The story without as many lines that change nothing.
    OthersLeftOut,
    /// The story in which whoever is asked about sees every move: the right answer is where the object is.
    TrueBelief,
}

named!(Condition, "condition");

impl Condition {
    /// The condition in the name under which answers are reported, for instance `drop-gold+english-instructions`.
    pub fn of_presentation(presentation: Option<&str>) -> Option<Condition> {
        presentation?.split('+').find_map(|part| part.parse().ok())
    }

    /// The condition in such a name, and the name without it.
    pub fn and_rest(presentation: Option<&str>) -> (Option<Condition>, Option<String>) {
        let condition = Condition::of_presentation(presentation);
        let name = condition.map(Condition::name);
        let rest = presentation.iter().flat_map(|parts| parts.split('+')).filter(|part| Some(*part) != name);
        let rest: Vec<&str> = rest.collect();
        (condition, (!rest.is_empty()).then(|| rest.join("+")))
    }

    /// The kind of segment omitted, if any.
    pub fn leaves_out(self) -> Option<SegmentKind> {
        match self {
            Condition::NoProfile => Some(SegmentKind::Profile),
            Condition::NoBackground => Some(SegmentKind::Background),
            Condition::NoDialogue => Some(SegmentKind::Dialogue),
            _ => None,
        }
    }

    /// The version of the story that is told, if any.
    pub fn version(self) -> Option<Version> {
        match self {
            Condition::SeenOnly => Some(Version::SeenOnly),
            Condition::MentionKept => Some(Version::MentionKept),
            Condition::OthersLeftOut => Some(Version::OthersLeftOut),
            Condition::TrueBelief => Some(Version::TrueBelief),
            _ => None,
        }
    }

    /// The option of a single-choice item in whose place "none of these" stands. The wrong one is drawn by the
    /// question, so that it is the same in all languages and runs.
    pub fn replaces(self, item: &Item) -> Option<OptionIx> {
        let Answer::Single(gold) = item.gold else { return None };
        match self {
            Condition::DropGold => Some(gold),
            Condition::DropDistractor => {
                let mut random = seeded(0, &format!("dropped distractor\n{}", item.parallel), 0);
                let others = item.options.len().checked_sub(1).filter(|&others| others > 0)?;
                let drawn = random.random_range(0..others);
                Some(OptionIx(drawn + usize::from(drawn >= gold.0)))
            }
            _ => None,
        }
    }

    /// The item as asked under this condition, borrowed where nothing changes. Its id and the place of the right option
    /// stay.
    pub fn apply(self, item: &Item) -> Cow<'_, Item> {
        if let Some(kind) = self.leaves_out()
            && item.context.iter().any(|segment| segment.kind == kind)
        {
            let mut without = item.clone();
            without.context.retain(|segment| segment.kind != kind);
            return Cow::Owned(without);
        }
        if let Some(made) = self.version().and_then(|version| version_of(item, version).ok()) {
            return Cow::Owned(made);
        }
        match (self.replaces(item), none_of_these(item.language)) {
            (Some(option), Some(none)) => {
                let mut replaced = item.clone();
                replaced.options[option.0] = none.to_string();
                Cow::Owned(replaced)
            }
            _ => Cow::Borrowed(item),
        }
    }

    /// The item as asked under a condition, or as it is under none.
    pub fn shown(condition: Option<Condition>, item: &Item) -> Cow<'_, Item> {
        condition.map_or(Cow::Borrowed(item), |condition| condition.apply(item))
    }

    /// Whether two options of every drawn order change places.
    pub fn exchanges(self) -> bool {
        matches!(self, Condition::DropDistractor | Condition::TrueBelief)
    }

    /// The option that changes places with the right one in every drawn order.
    fn exchanged(self, item: &Item) -> Option<OptionIx> {
        match self {
            Condition::DropDistractor => self.replaces(item),
            Condition::TrueBelief => actual_place(item),
            _ => None,
        }
    }

    /// The order in which a drawn order is shown. "None of these" stands in the slots of the right option, whether it is
    /// right or wrong, so that a preference for slots cannot tell the two conditions apart; and each container stands in
    /// the same slot, whether it is right or wrong.
    pub fn order(self, item: &Item, drawn: &Order) -> Order {
        match (self.exchanged(item), &item.gold) {
            (Some(other), Answer::Single(gold)) => drawn.exchanged(*gold, other),
            _ => drawn.clone(),
        }
    }
}

/// What is cut to a number of tokens.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Default,
    Serialize,
    Deserialize,
    IntoStaticStr,
    VariantArray,
)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Budgeted {
    /// The thought before an answer, which follows the cut.
    #[default]
    Thinking,
    /// The whole reply, which is read up to the cut.
    Reply,
}

named!(Budgeted);

/// The number of tokens to which a thought or a reply is cut, having been written within a larger one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TokenBudget {
    /// What is cut.
    pub of: Budgeted,
    /// Most tokens of it.
    pub tokens: usize,
}

/// Beginning of the part that holds the number of a wording.
const WORDING: &str = "wording-";

impl TokenBudget {
    /// A budget of so many tokens.
    pub fn new(of: Budgeted, tokens: usize) -> Self {
        TokenBudget { of, tokens }
    }

    /// The part of a presentation's name for answers within it: `thinking-128`, `reply-128`.
    pub fn part(self) -> String {
        format!("{}-{}", self.of.name(), self.tokens)
    }

    /// The budget in the presentation of this name, and the name without it; `None` without one.
    pub fn and_rest(presentation: Option<&str>) -> Option<(TokenBudget, Option<String>)> {
        Budgeted::ALL.iter().find_map(|&of| {
            let (tokens, rest) = number_and_rest(&format!("{}-", of.name()), presentation);
            Some((TokenBudget::new(of, tokens?), rest))
        })
    }
}

/// The part of a presentation's name for a further wording of the instruction.
pub fn wording_part(wording: usize) -> String {
    format!("{WORDING}{wording}")
}

/// The number of the wording in the presentation of this name, 1 without one, and the name without it.
pub fn wording_and_rest(presentation: Option<&str>) -> (usize, Option<String>) {
    let (wording, rest) = number_and_rest(WORDING, presentation);
    (wording.unwrap_or(1), rest)
}

/// The number in the part of a name that begins in this way, and the name without it.
fn number_and_rest(beginning: &str, presentation: Option<&str>) -> (Option<usize>, Option<String>) {
    let number = |part: &str| part.strip_prefix(beginning)?.parse::<usize>().ok();
    let parts = presentation.iter().flat_map(|parts| parts.split('+'));
    let (found, rest): (Vec<&str>, Vec<&str>) = parts.partition(|part| number(part).is_some());
    (found.first().copied().and_then(number), (!rest.is_empty()).then(|| rest.join("+")))
}

/// The statement that no other option is right, in words that fit any slot; `None` for languages without one.
pub fn none_of_these(language: Language) -> Option<&'static str> {
    Some(match language.code() {
        "en" => "None of the other options is right.",
        "zh" => "其他选项都不对。",
        "ar" => "لا شيء من الخيارات الأخرى صحيح.",
        "bn" => "অন্য কোনো বিকল্প সঠিক নয়।",
        "de" => "Keine der anderen Antworten ist richtig.",
        "es" => "Ninguna de las otras opciones es correcta.",
        "fr" => "Aucune des autres réponses n'est correcte.",
        "hi" => "बाकी कोई भी विकल्प सही नहीं है।",
        "ja" => "ほかの選択肢はどれも正しくない。",
        "ko" => "다른 선택지는 모두 옳지 않다.",
        "pt" => "Nenhuma das outras opções está correta.",
        "ru" => "Ни один из остальных вариантов не верен.",
        "it" => "Nessuna delle altre risposte è corretta.",
        "nl" => "Geen van de andere antwoorden is juist.",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::benchmark::{Benchmark, LoadOptions};

    fn demo_items() -> Vec<Item> {
        Benchmark::Demo.load(std::path::Path::new(""), &LoadOptions::default()).unwrap().items
    }

    proptest! {
        #[test]
        fn none_of_these_stands_in_the_slot_of_the_right_option_under_both_conditions(number in 0usize..62, draw in 0usize..50) {
            let items = demo_items();
            let item = &items[number % items.len()];
            let drawn = crate::prompt::OrderPolicy::Random(draw + 1).draw(7, &item.id, item.options.len()).unwrap();
            for drawn in drawn {
                let slot = |condition: Condition| {
                    let shown = condition.apply(item);
                    let order = condition.order(item, &drawn.order);
                    let texts: Vec<&String> = order.as_slice().iter().map(|&option| &shown.options[option]).collect();
                    texts.iter().position(|text| Some(text.as_str()) == none_of_these(item.language))
                };
                let Answer::Single(gold) = item.gold else { unreachable!() };
                prop_assert_eq!(slot(Condition::DropGold), Some(drawn.order.slot_of(gold).0));
                prop_assert_eq!(slot(Condition::DropDistractor), slot(Condition::DropGold));
            }
        }
    }

    #[test]
    fn a_budget_is_read_from_the_name_of_a_presentation() {
        let [none, long] = [TokenBudget::new(Budgeted::Thinking, 0), TokenBudget::new(Budgeted::Reply, 128)];
        assert_eq!(TokenBudget::and_rest(Some("reply-128")), Some((long, None)));
        let both = format!("english-instructions+{}", none.part());
        assert_eq!(TokenBudget::and_rest(Some(&both)), Some((none, Some("english-instructions".to_string()))));
        assert_eq!((TokenBudget::and_rest(Some("english-instructions")), TokenBudget::and_rest(None)), (None, None));
        assert_eq!(wording_and_rest(Some("no-profile+wording-2")), (2, Some("no-profile".to_string())));
        assert_eq!((wording_and_rest(Some(&wording_part(3))), wording_and_rest(None)), ((3, None), (1, None)));
    }

    #[test]
    fn the_right_option_stays_where_a_wrong_one_is_replaced() {
        for item in demo_items() {
            let shown = Condition::DropDistractor.apply(&item);
            let Answer::Single(gold) = item.gold else { continue };
            assert_eq!(shown.options[gold.0], item.options[gold.0]);
            assert_eq!(shown.gold, item.gold);
            assert_eq!(shown.options.iter().zip(&item.options).filter(|(one, other)| one != other).count(), 1);
        }
        let presentation = Some("drop-gold+english-instructions");
        assert_eq!(Condition::of_presentation(presentation), Some(Condition::DropGold));
        assert_eq!(Condition::of_presentation(Some("english-instructions")), None);
    }
}
