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
//!
//! Attention is captured beside the fused kernels (`decoder/*/capture.rs`): one scalar product per key for each row asked
//! for. `attend` forwards a prompt in one pass that keeps no keys and values. Its page stores, per head and layer, the mass
//! on every part (two bytes) and on every word that competes (three bytes, relative to the line's largest, on a square-root
//! scale); pages over 8 million values keep means. `view/numbers.js` computes, `view/page.js` shows, `view/export.js` hands
//! out what is shown, `view/caption.rs` names what a measure reads. Figures are drawn as SVG (`view/figure.rs`,
//! `view/person.rs`, on `view/drawing.rs`) and laid out once by usvg for PNG and PDF (`figure/painter.rs`). The deletion
//! check draws random word sets by a walk among those that match (`words/word_sets.rs`) and ends by a sequential rule
//! (`words/deletion.rs`); texts without words are mended by `prompts/leaving_out.rs`. With `--out` (`attend/folder/`) each
//! item becomes a line when it is read, on the ledger that runs keep their records in (`ledger/`); results are made of
//! manifest and lines alone, read one after the other, so that they are the same bytes however the work was stopped. What
//! is found over many cases (`over_cases.rs`: roles, matched pairs, maps of heads, other views) is computed from findings
//! that each come from one case alone, so that a folder's lines are enough; groups of cases are set against each other
//! within strata in one place (`groups/within.rs`, by `stats::Stratified`), with stories that hold versions of one question
//! tied as one (`benchmark::TiedStories`, which `compare` uses too); heads that are chosen over all items need a second
//! reading, and a folder refuses them. Roles are plain data of `benchmark::roles`, byte ranges in an item's own texts.
//! Parts are switched off in a decoder of its own on the same weights (`Decoder::without`), so that scoring knows nothing
//! of it. `Pass::parts` takes the stream of the rows apart after each block (`decoder/parts.rs`); a pass that does not ask
//! is as it was. Speed and memory of all this: `benches/README.md`.

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
#[cfg(test)]
pub(crate) use folder::ItemLine;
pub use folder::{Asked, Folder, FolderManifest, FolderModel, merge, write_results};
pub use heads::{AblationTarget, HeadAnalysisSettings, HeadQuantity};
pub use item_reader::ItemReader;
pub use measure::{Capture, Contrast, Heads, Layers, Probe, Weighting};
pub use prompt_source::{Named, PromptSource};
pub use prompts::Merge;
pub use results::{Document, Measure, Method, ModelRecord};
pub use selection::{SelectedItem, Selection, SelectionSettings, select};
pub use settings::ExperimentSettings;
#[cfg(test)]
pub(crate) use words::HumanFile;
pub use words::{HumanKeywords, KeywordOptions, Match, Repeats, Scope, has_function_words};
