//! What a model looked at: attention of chosen positions, from tokens to words, keywords and views.
//!
//! The stages, each a function from one plain type to the next:
//!
//! 1. [`Capture`]: attention rows of one query token, `(layer, head, position)`.
//! 2. [`reduce`]: rows become one weight per position (mean over heads and layers), a layer x head map, entropies.
//! 3. [`Reading`]: the prompt's text tiled into words, which take over the weights of their subwords.
//! 4. [`keywords`]: the heaviest words of a part of the prompt, and [`agreement`] with a human's.
//! 5. [`contrast`], [`deletion`], [`survey`]: two readings against each other, a test by leaving words out, many items.
//! 6. [`Document`] and [`view`]: the numbers on disk and the pages, figures and tables made of them.
//!
//! The method of ToMBench (Chen et al. 2024, section 4.3 and Figure 5) is one setting of it: attention of the answer
//! position, mean over heads and 20 layers, ten keywords. The paper does not say which 20 layers; here they are the last.
//!
//! Letters in shapes: L layers, H heads, S positions (tokens up to and including the query), W words.

pub mod agreement;
pub mod analyse;
mod capture;
pub mod contrast;
pub mod deletion;
pub mod document;
mod human;
pub mod keywords;
mod observe;
mod parts;
mod reading;
pub mod reduce;
pub mod rollout;
mod segment;
mod stopwords;
pub mod survey;
pub mod view;

pub use capture::{Capture, CaptureError, Heads, Layers, ParseChoiceError};
pub use document::Document;
pub use human::{HumanError, HumanKeywords, Reader};
pub use keywords::{Keyword, KeywordOptions};
pub use observe::{ObserveError, Observer, Shown, Weighting};
pub use parts::{Block, Part, PartKind, PlaceError, place};
pub use reading::{Merge, Reading, ReadingToken, Word, WordIx, WordKind};
pub use segment::{segment, segment_names};
pub use stopwords::is_stop_word;
