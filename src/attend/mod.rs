//! What a model looked at: attention of chosen positions, from tokens to words, keywords and views.
//!
//! [`Experiment`] is the whole; its stages are functions from one plain type to the next:
//!
//! 1. [`select`] chooses items, orders and styles; `versions` adds the prompts they are contrasted with.
//! 2. [`Probe`] tokenizes a prompt as an [`AnnotatedPrompt`], scores its answers and captures attention: a [`Capture`]
//!    holds the rows of one query token, `(layer, head, position)`.
//! 3. `reduce` and `rollout` turn rows into one weight per position, a layer x head map, entropies; words take over
//!    the weights of their subwords.
//! 4. `keywords` ranks the words of a part of the prompt, and `agreement` compares them with a person's.
//! 5. `contrast`, `deletion`, `aggregate`: two rankings against each other, a test by leaving words out, many items; `within`
//!    sets two groups of items against each other within strata.
//! 6. [`Document`] and [`view`]: the numbers on disk and the pages, figures and tables made of them.
//!
//! The method of ToMBench (Chen et al. 2024, section 4.3 and Figure 5) is one setting of it: attention of the answer
//! position, mean over heads and 20 layers, ten keywords. The paper does not say which 20 layers; here they are the last.
//!
//! Letters in shapes: L layers, H heads, S positions (tokens up to and including the query), W words.

mod aggregate;
mod agreement;
mod annotated;
mod basis;
mod capture;
mod case;
mod case_groups;
mod causal;
mod checks;
mod comparisons;
mod contrast;
mod contributions;
mod deletion;
mod difference_records;
mod document;
mod experiment;
mod experiment_error;
mod findings;
mod folder;
mod head_maps;
mod head_quantity;
mod head_records;
mod human;
mod inside;
mod item_reader;
mod keywords;
mod leaving_out;
mod over_cases;
mod parts;
mod places;
mod probe;
mod records;
mod reduce;
mod role_groups;
mod role_records;
mod roles;
mod rollout;
mod selection;
mod sensitivity;
mod sensitivity_groups;
mod sensitivity_records;
mod settings;
mod sides;
mod stopwords;
mod strongest;
mod strongest_groups;
mod twins;
mod versions;
pub mod view;
mod within;
mod word;
mod word_sets;
mod written;

pub use annotated::Merge;
pub use basis::{Basis, Named};
pub use capture::{Capture, CaptureError, ChoiceError, Heads, Layers, ParseChoiceError};
pub use case::Failure;
pub use causal::Part;
pub use document::{Document, Measure, Method, ModelRecord};
pub use experiment::{Analysis, Experiment};
pub use experiment_error::ExperimentError;
pub use folder::{Asked, Folder, FolderManifest, FolderModel, merge, write_results};
pub use head_quantity::HeadQuantity;
pub use human::HumanKeywords;
pub use inside::InsideSettings;
pub use item_reader::ItemReader;
pub use keywords::{KeywordOptions, Repeats, Scope};
pub use parts::PlaceError;
pub use probe::{Probe, ProbeError, Weighting};
pub use selection::{SelectedItem, Selection, SelectionSettings, select};
pub use settings::ExperimentSettings;
pub use stopwords::has_function_words;
pub use strongest::Off;
pub use versions::Contrast;
pub use word_sets::Match;

use annotated::{AnnotatedPrompt, PromptToken, WordIx};
use parts::{MessageParts, PartKind, PromptPart, place};
use probe::TokenizedPrompt;
use word::WordKind;
