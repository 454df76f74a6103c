//! Roles in belief questions (locations, agents, objects), derived from the structure of the story, never guessed.
//!
//! Stories of Hi-ToM and ToMi are tracked: the known forms of their sentences identify the containers and where the
//! agents asked about believe the object to be. Every mention has its place in the item's text.

mod tracked;
mod witness;

use super::super::Benchmark;
use std::ops::Range;

use strum::{IntoStaticStr, VariantArray};

use super::{Answer, Item, OptionIx};
use crate::name::named;
use crate::story::{NoVersion, UnreadLine, Version};

pub use crate::story::Perceived;
pub use tracked::Told;
pub use witness::{SentenceKind, Witness, WitnessedSentence, true_belief, witness};

/// A role of a name. Original, believed and actual location may be one container.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    serde::Serialize,
    serde::Deserialize,
    IntoStaticStr,
    VariantArray,
)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Role {
    /// Where the agents asked about believe the object to be.
    Believed,
    /// Where the object is.
    Actual,
    /// Where the object was at first.
    Original,
    /// Other containers that the story names.
    Distractor,
    /// The agents asked about.
    Agent,
    /// Other agents.
    Bystander,
    /// The object asked for.
    Object,
}

named!(Role, "role");

/// The text of an item that contains a mention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A segment of its context, by number.
    Context(usize),
    /// Its question.
    Question,
    /// One of its options.
    Option(OptionIx),
}

/// An occurrence of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// The text.
    pub place: Place,
    /// Its byte range in that text.
    pub bytes: Range<usize>,
    pub name: String,
}

/// The roles of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roles {
    /// Names by role, in the order of [`Role`]; empty roles are left out.
    pub names: Vec<(Role, Vec<String>)>,
    /// Every mention of these names, in the order of the item's texts.
    pub mentions: Vec<Mention>,
    /// Whether the belief asked about is true: the object is where the agents believe it to be. `None` for questions of
    /// fact.
    pub belief: Option<bool>,
    /// Number of agents in the chain asked about; 0 for questions of fact.
    pub order: usize,
    /// Abstract form of the story's events: stories of one form differ only in names and order.
    pub form: String,
}

/// Reason why an item has no roles.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoRoles {
    /// Stories of this benchmark are not tracked.
    #[error("stories of {0} are not tracked; pass a person's marks with roles (--human)")]
    NotTracked(Benchmark),
    /// No sentence forms are known in this language.
    #[error("no sentence forms are known in {0}; pass a person's marks with roles (--human)")]
    Language(&'static str),
    /// The item has no story, or more than one text.
    #[error("its story is not a single text")]
    NoStory,
    /// A sentence has an unknown form.
    #[error("a line of its story has an unknown form")]
    UnreadLine {
        /// The line, counted from 1.
        line: usize,
        text: String,
    },
    /// The question has an unknown form, or the story does not answer it.
    #[error("its question has an unknown form, or the story does not answer it")]
    UnreadQuestion,
    /// The answer contradicts the story.
    #[error("its answer contradicts its story: the released label is in doubt (see --labels repaired)")]
    Disputed {
        /// The right option under the labels in use.
        gold: String,
        /// The object's location according to the tracker.
        rendered: String,
    },
}

impl From<UnreadLine> for NoRoles {
    fn from(unread: UnreadLine) -> Self {
        NoRoles::UnreadLine { line: unread.line, text: unread.text }
    }
}

impl NoRoles {
    /// Details specific to this item, if any.
    pub fn detail(&self) -> Option<String> {
        match self {
            NoRoles::UnreadLine { line, text } => Some(format!("line {line}: {text}")),
            NoRoles::Disputed { gold, rendered } => Some(format!("answer {gold}, by its story {rendered}")),
            _ => None,
        }
    }
}

/// The roles of an item, where its benchmark's stories are tracked and its answer agrees with its story.
///
/// # Errors
/// The reason why the item has no roles.
pub fn roles(item: &Item) -> Result<Roles, NoRoles> {
    told(item)?.roles(item)
}

/// What each option of an item is in its story, in words that are the same in all stories: where the object is, where it
/// was at first, the n-th other container named, or none.
///
/// # Errors
/// The reason why the item has no roles.
pub fn option_roles(item: &Item) -> Result<Vec<String>, NoRoles> {
    Ok(told(item)?.option_roles(&item.options))
}

/// The option that names where the object really is, in an item about a belief that is false.
pub fn actual_place(item: &Item) -> Option<OptionIx> {
    let told = told(item).ok()?;
    told.is_about_a_false_belief().then(|| told.actual_option(&item.options))?
}

/// What a container is to a question about a chain of minds, at the end of the story.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// The object is there.
    pub is_actual: bool,
    /// A mind inside the chain takes it to be there: for Q, R, S the chain of S or that of R and S.
    pub is_of_inner_mind: bool,
    /// Number of lines that name it.
    pub mentions: usize,
    /// Number of the last of these mentions, among those of all containers.
    pub last_mention: usize,
}

/// The options that the story of an item about a false belief names, in order of first mention; `None` for other items.
pub fn standings(item: &Item) -> Option<Vec<(OptionIx, Standing)>> {
    let told = told(item).ok()?;
    told.is_about_a_false_belief().then(|| told.standings(&item.options))
}

/// The item with a version of its story. Its id, its question and the place of the right option stay.
///
/// # Errors
/// Why there is none.
pub fn version(item: &Item, version: Version) -> Result<Item, NoVersion> {
    told(item).map_err(|_| NoVersion::NotTracked)?.version(item, version)
}

/// The story and the question of an item that the belief tracker reads, where its answer agrees with its story.
///
/// # Errors
/// The reason why the item has none.
pub fn told(item: &Item) -> Result<Told, NoRoles> {
    let told = tracked::tracked(item)?;
    agreed(&told, item).map(|()| told)
}

/// Whether the item's right answer is the story's.
fn agreed(told: &Told, item: &Item) -> Result<(), NoRoles> {
    let gold = match item.gold {
        Answer::Single(option) => item.options.get(option.0).cloned().unwrap_or_default(),
        _ => return Err(NoRoles::UnreadQuestion),
    };
    let asked = told.asked();
    if gold == asked { Ok(()) } else { Err(NoRoles::Disputed { gold, rendered: asked.to_string() }) }
}

/// Occurrences of a name in a text as a separate word; a name with letters beyond ASCII matches anywhere, because
/// Chinese has no spaces.
pub fn standing<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
    let inside = |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    text.match_indices(name).map(|(at, found)| at..at + found.len()).filter(move |range| {
        let within = name.is_ascii()
            && (inside(text[..range.start].chars().next_back()) || inside(text[range.end..].chars().next()));
        !range.is_empty() && !within
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::{hi_tom, tomi};
    use crate::story::hi_tom::{Settings, generate};
    use crate::story::{ClaimRule, Wording};

    impl Roles {
        /// The names with a role.
        fn of(&self, role: Role) -> &[String] {
            self.names.iter().find(|(known, _)| *known == role).map_or(&[], |(_, names)| names)
        }
    }

    /// Each mention's text is its name.
    fn check_mentions(item: &Item, roles: &Roles) {
        for mention in &roles.mentions {
            let text = match mention.place {
                Place::Context(index) => &item.context[index].text,
                Place::Question => item.question.as_str(),
                Place::Option(option) => item.options[option.0].as_str(),
            };
            assert_eq!(&text[mention.bytes.clone()], mention.name, "{}", item.id);
        }
    }

    #[test]
    fn generated_tomi_stories_have_roles_of_both_beliefs() {
        let made = crate::story::tomi::generate(60, 3);
        let (mut truths, mut lies) = (0, 0);
        for item in tomi::items(&made) {
            let roles = roles(&item).unwrap();
            check_mentions(&item, &roles);
            let fact = item.facet("dimension") != Some("belief");
            assert_eq!(roles.belief.is_none(), fact, "{}", item.id);
            match roles.belief {
                Some(true) => {
                    truths += 1;
                    assert_eq!(roles.of(Role::Believed), roles.of(Role::Actual));
                }
                Some(false) => {
                    lies += 1;
                    assert_eq!(roles.of(Role::Believed), roles.of(Role::Original));
                }
                None => assert!(roles.of(Role::Agent).is_empty()),
            }
            assert_eq!(roles.order, item.facet("order").map_or(0, |order| order.parse().unwrap()));
            assert_eq!(roles.of(Role::Object).len(), 1);
        }
        assert!(truths > 50 && lies > 50, "{truths} {lies}");
    }

    #[test]
    fn generated_hi_tom_stories_have_roles_in_both_languages() {
        for wording in [Wording::English, Wording::Chinese] {
            let claims = ClaimRule::CommonKnowledge;
            let size = Default::default();
            let settings =
                Settings { chapters: 2, size, deception: true, stories: 4, seed: 5, answers: 15, wording, claims };
            for item in hi_tom::items(&generate(&settings).unwrap()) {
                let roles = roles(&item).unwrap();
                check_mentions(&item, &roles);
                let gold = item.gold.options()[0];
                let role = if roles.order == 0 { Role::Actual } else { Role::Believed };
                assert_eq!(roles.of(role), [item.options[gold].clone()]);
                let named = |role| roles.mentions.iter().any(|mention| roles.of(role).contains(&mention.name));
                assert!(named(Role::Actual) && named(Role::Object) && named(Role::Bystander), "{}", item.id);
                assert!(roles.order == 0 || named(Role::Agent), "{}", item.id);
            }
        }
    }

    #[test]
    fn an_item_without_roles_says_why() {
        let made = crate::story::tomi::generate(1, 3);
        let item = tomi::items(&made).remove(1);
        let rendered = |change: &dyn Fn(&mut Item)| {
            let mut item = item.clone();
            change(&mut item);
            let reason = roles(&item).unwrap_err();
            format!("{reason}; {}", reason.detail().unwrap_or_default())
        };
        assert!(
            rendered(&|item| item.benchmark = Benchmark::ToMBench).starts_with("stories of tombench are not tracked")
        );
        assert_eq!(rendered(&|item| item.context.clear()), "its story is not a single text; ");
        let other = |item: &mut Item| item.gold = Answer::Single(OptionIx(1 - item.gold.options()[0]));
        assert!(
            rendered(&other).contains("the released label is in doubt") && rendered(&other).contains("by its story")
        );
        let flown = |item: &mut Item| item.context[0].text = format!("{}\nAnn flew.", item.context[0].text).into();
        let lines = item.context[0].text.lines().count() + 1;
        assert_eq!(rendered(&flown), format!("a line of its story has an unknown form; line {lines}: Ann flew."));
        assert!(rendered(&|item| item.question = "Who?".into()).contains("question has an unknown form"));
    }
}
