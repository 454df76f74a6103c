//! Items with other persons: names, surnames, stated race or gender exchanged, the question and its right answer as they
//! were.
//!
//! All items about one story get the same names: they are drawn by (seed, story). A control puts another name of the same
//! group in the place of each. What no rule settles is left out with a [`SwapProblem`].

mod gendered;
mod lists;
mod people;
mod pronouns;
mod rename;
#[cfg(test)]
mod tests;

use std::fmt;
use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

pub use self::lists::NameLists;
use super::{Item, Segment, SegmentKind};
use crate::counted::counted;
use crate::name::named;

/// What is exchanged.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr, VariantArray,
)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum SwapKind {
    /// The race that profiles state (ToMValley).
    Race,
    /// The characters' surnames (ToMValley).
    Surname,
    /// The characters' first names, and every gendered word (ToMValley).
    Gender,
    /// Names of a list.
    Names,
}

named!(SwapKind, "swap");

/// Most controls of a swap.
pub const MOST_CONTROLS: usize = 5;

/// A swap, or a control of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Swap {
    /// What is exchanged.
    pub kind: SwapKind,
    /// Number of the control, from 1; `None` for names of other groups.
    pub control: Option<usize>,
}

/// Beginning of the part of a presentation's name that holds a swap.
const PREFIX: &str = "swap-";

/// What stands before the number of a control.
const CONTROL: &str = "-same-";

impl Swap {
    /// The part of a presentation's name, for instance `swap-surname` and `swap-surname-same-1`.
    pub fn name(self) -> String {
        let control = self.control.map_or_else(String::new, |number| format!("{CONTROL}{number}"));
        format!("{PREFIX}{}{control}", self.kind)
    }

    /// Reads such a part.
    fn parse(part: &str) -> Option<Swap> {
        let name = part.strip_prefix(PREFIX)?;
        let (kind, control) = match name.split_once(CONTROL) {
            Some((kind, number)) => (kind, Some(number.parse().ok()?)),
            None => (name, None),
        };
        Some(Swap { kind: kind.parse().ok()?, control })
    }

    /// The swap in the name of a presentation, and the name without it.
    pub fn and_rest(presentation: Option<&str>) -> (Option<Swap>, Option<String>) {
        let parts = || presentation.iter().flat_map(|parts| parts.split('+'));
        let rest: Vec<&str> = parts().filter(|part| Swap::parse(part).is_none()).collect();
        (parts().find_map(Swap::parse), (!rest.is_empty()).then(|| rest.join("+")))
    }
}

impl SwapKind {
    /// The swap whose controls stand beside this one. A race has no other name of the same group: another surname of it is
    /// the smallest change of a person.
    pub fn controlled_by(self) -> SwapKind {
        if self == SwapKind::Race { SwapKind::Surname } else { self }
    }

    /// The kind of list from which its names come.
    fn list(self) -> &'static str {
        match self {
            SwapKind::Race => "race",
            SwapKind::Surname => "surname",
            SwapKind::Gender | SwapKind::Names => "name",
        }
    }
}

/// Why an item cannot be asked with other persons.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SwapProblem {
    /// Not a set whose profiles are known.
    #[error("no profiles that state name, gender and race")]
    NoProfiles,
    /// No listed name.
    #[error("no name of the list")]
    NoNames,
    /// Nothing to put in a name's place.
    #[error("too few other names left in a group: list more")]
    TooFewNames,
    /// The new name stands in the text.
    #[error("the new name stands in the question already")]
    Known(String),
    /// A word of race outside profiles.
    #[error("race named outside the profiles")]
    RaceElsewhere,
    /// A person who keeps his or her name while pronouns change, or a short form of a name.
    #[error("a first name that is no character's, or a short form")]
    OtherPerson(String),
    /// A name in the plural, or one whose possessive has no s.
    #[error("a name in the plural, or in a possessive without s")]
    Inflected(String),
    /// A gendered word of which no rule says what stands for it.
    #[error("a gendered word that no rule settles")]
    Unclear(String),
}

/// Items that are not asked under a swap.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SwapLeftOut {
    /// The swap.
    pub swap: SwapKind,
    /// Why.
    pub reason: String,
    /// Number of items.
    pub items: usize,
    /// Number of their stories.
    pub stories: usize,
}

impl fmt::Display for SwapLeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (items, stories) = (counted(self.items, "item"), counted(self.stories, "story"));
        write!(f, "{items} in {stories} ({})", self.reason)
    }
}

/// The other persons of one story.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Swapper {
    /// The swap.
    pub swap: Swap,
    /// Each name with what stands in its place.
    names: Vec<(String, String)>,
    /// The parts of the characters' whole names.
    own: Vec<String>,
    /// Whether gendered words change.
    genders: bool,
    /// The story as it is told with them.
    context: Vec<Segment>,
}

impl Hash for Swapper {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.swap, &self.names).hash(state);
    }
}

impl Swapper {
    /// Exchanges nothing: a swap in the name of a presentation.
    pub fn of_nobody(swap: Swap) -> Swapper {
        Swapper { swap, names: Vec::new(), own: Vec::new(), genders: false, context: Vec::new() }
    }

    /// Draws the other persons of an item's story. Names come from `own` for [`SwapKind::Names`].
    ///
    /// # Errors
    /// What no rule settles.
    pub fn new(swap: Swap, item: &Item, own: &NameLists, seed: u64) -> Result<Swapper, SwapProblem> {
        let (lists, persons) = match swap.kind {
            SwapKind::Names => (own, people::listed(item, own)),
            kind => (NameLists::built_in(), people::in_profiles(item, kind)?),
        };
        let drawn = people::drawn(&persons, swap, lists, item, seed)?;
        let names = drawn.iter().flat_map(|(person, new)| person.forms(new, item)).collect();
        let genders = swap.kind == SwapKind::Gender && swap.control.is_none();
        let whole = persons.iter().filter_map(|person| person.full.as_deref());
        let own = whole.flat_map(|full| full.split(' ')).map(str::to_string).collect();
        let mut swapper = Swapper { swap, names, own, genders, context: Vec::new() };
        let told = |segment: &Segment| {
            swapper.check(&segment.text, segment.kind)?;
            Ok(Segment { kind: segment.kind, text: swapper.text(&segment.text)?.into() })
        };
        swapper.context = item.context.iter().map(told).collect::<Result<_, _>>()?;
        Ok(swapper)
    }

    /// The item with the other persons; its story is the one for which they were drawn, word for word.
    ///
    /// # Errors
    /// What no rule settles in its question or options.
    pub fn swapped(&self, item: &Item) -> Result<Item, SwapProblem> {
        let text = |text: &String| {
            self.check(text, SegmentKind::Story)?;
            self.text(text)
        };
        let mut swapped = item.clone();
        swapped.context.clone_from(&self.context);
        swapped.question = text(&item.question)?;
        swapped.options = item.options.iter().map(text).collect::<Result<_, _>>()?;
        for value in swapped.fields.values_mut() {
            *value = text(value)?;
        }
        Ok(swapped)
    }

    fn text(&self, text: &str) -> Result<String, SwapProblem> {
        let text = match self.genders {
            true => {
                let is_name = |word: &str| self.names.iter().any(|(old, _)| old == word);
                pronouns::exchanged(text, &is_name).map_err(|unclear| SwapProblem::Unclear(unclear.0))?
            }
            false => text.to_string(),
        };
        Ok(rename::renamed(&text, &self.names))
    }

    /// Whether names in a text are those of the characters, in forms that are known.
    fn check(&self, text: &str, kind: SegmentKind) -> Result<(), SwapProblem> {
        match self.swap.kind {
            SwapKind::Race if kind != SegmentKind::Profile && people::names_race(text) => {
                return Err(SwapProblem::RaceElsewhere);
            }
            SwapKind::Gender => {
                if let Some(other) = people::other_person(text, &self.own) {
                    return Err(SwapProblem::OtherPerson(other));
                }
            }
            _ => {}
        }
        for (old, new) in &self.names {
            if let Some(form) = people::inflected(text, old) {
                return Err(SwapProblem::Inflected(form));
            }
            if self.swap.kind != SwapKind::Race
                && rename::contains(text, new)
                && !self.names.iter().any(|(old, _)| old == new)
            {
                return Err(SwapProblem::Known(new.clone()));
            }
        }
        Ok(())
    }
}
