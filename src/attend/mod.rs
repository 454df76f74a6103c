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

mod case;
mod comparisons;
mod experiment;
mod experiment_error;
mod folder;
mod groups;
mod heads;
mod item_reader;
mod measure;
mod over_cases;
mod prompt_source;
mod prompts;
mod results;
mod selection;
mod sensitivity;
mod settings;
pub mod view;
mod words;

pub use case::Failure;
pub use experiment::{Analysis, Experiment};
pub use experiment_error::ExperimentError;
pub use folder::{Asked, Folder, FolderManifest, FolderModel, merge, write_results};
pub use heads::{AblationTarget, HeadAnalysisSettings, HeadQuantity};
pub use item_reader::ItemReader;
pub use measure::{Capture, Contrast, Heads, Layers, Probe, Weighting};
pub use prompt_source::{Named, PromptSource};
pub use prompts::Merge;
pub use results::{Document, Measure, Method, ModelRecord};
pub use selection::{SelectedItem, Selection, SelectionSettings, select};
pub use settings::ExperimentSettings;
pub use words::{HumanKeywords, KeywordOptions, Match, Repeats, Scope, has_function_words};
