//! Stories as data: events line by line, beliefs of agents, and generators of fresh stories.
//!
//! A [`Story`] is a list of [`Event`]s. A [`Wording`] turns events into lines of a language and back, so released and
//! generated stories share one model. [`Story::lanes`] is the symbolic belief tracker: it tells where each mind
//! of a chain takes an object to be after every event; [`Story::answer`] where the chain does in the end, and
//! [`Story::perceived`] who sees or hears what. [`hi_tom`] draws new stories in the style of Hi-ToM (He et al. 2023), [`tomi`] in
//! that of ToMi (Le et al. 2019), with words from [`Lexicon`]. [`tomvalley`] makes questions about a changing mind from
//! a sketch, [`twins`] stories that differ in one respect, also of unexpected [`contents`]. [`Story::version`] leaves out what
//! somebody does not see. This module does not depend on benchmarks, prompts or models.

mod belief;
pub mod contents;
mod edit;
mod event;
pub mod hi_tom;
mod question;
mod scene;
pub mod tomi;
pub mod tomvalley;
pub mod twins;
mod versions;
mod wording;
mod words;

pub use hi_tom::{Settings, SettingsError, generate};

pub use belief::{ClaimRule, MoveRule, Rules};
pub use event::{Aside, Event, Story};
pub use question::Question;
pub use scene::Perceived;
pub use versions::{Line, NoVersion, Version};
pub use wording::{UnreadLine, Wording};
pub use words::Lexicon;
