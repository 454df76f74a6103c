//! Prompts: option orders, styles and packs, what is asked.
//!
//! A [`Pack`] holds [`Style`]s; [`asks`] puts an item in a style and an [`Order`]: messages, and the continuations whose
//! log-likelihood is wanted after them. [`ask_several`] puts several questions about one context into one prompt.
//!
//! ```
//! use tomeval::{Answer, Benchmark, Instructions, Item, Language, OptionIx, Order, Pack, Scoring, Segment, SegmentKind, asks};
//!
//! let item = Item {
//!     id: "demo/x/0/en".into(),
//!     benchmark: "demo".into(),
//!     language: Language::En,
//!     parallel: "demo/x/0".into(),
//!     story: "demo/x/en".into(),
//!     context: vec![Segment { kind: SegmentKind::Story, text: "Ada naps. Bo hides her hat.".into() }],
//!     question: "Does Ada know where her hat is?".into(),
//!     options: vec!["Yes".into(), "No".into()],
//!     gold: Answer::Single(OptionIx(1)),
//!     facets: Default::default(),
//!     fields: Default::default(),
//!     flags: Vec::new(),
//! };
//! let pack = Pack::built_in(Benchmark::Demo);
//! let style = pack.style_for(&item, "vanilla", Scoring::Letter, Instructions::Item)?;
//! let order = Order::try_from(vec![1, 0])?;
//! let asked = asks(style, &item, &order, Scoring::Letter)?;
//! assert_eq!(asked[0].continuations, ["A", "B"]);
//! assert!(asked[0].prompt.messages[1].content.ends_with("A. No\nB. Yes"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod build;
mod choice;
mod error;
mod message;
mod order;
mod pack;
mod pattern;
mod several;
mod shots;
mod style;

pub use build::{PromptError, asks, unconditional};
pub use choice::{Condition, InstructionChoice, Instructions, Scoring};
pub use error::PackError;
pub use message::{Ask, Message, Prompt, Role, Span, SpanKind};
pub use order::{DrawnOrder, NotAPermutation, Order, OrderPolicy, SlotIx, TooManyOrders};
pub use pack::Pack;
pub use several::ask_several;
pub use shots::{Shot, ShotForm, with_shots};
pub use style::{Placeholders, Style, UNNAMED_STYLE};
