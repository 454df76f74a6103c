//! Attention analysis: from captured attention rows to words, keywords and views.
//!
//! [`Experiment`] runs the whole analysis; its stages are functions from one plain type to the next:
//!
//! 1. [`select`] chooses items, orders and styles; `versions` adds the prompts they are contrasted with.
//! 2. [`Probe`] tokenizes a prompt as an [`AnnotatedPrompt`], scores its answers and captures attention: a [`Capture`]
//!    holds the rows of one query token, `(layer, head, position)`.
//! 3. `reduce` and `rollout` turn rows into one weight per position, a layer x head map and entropies; words take the
//!    weights of their subwords.
//! 4. `keywords` ranks the words of a part of the prompt, and `agreement` compares them with a person's.
//! 5. `contrast` compares two rankings, `deletion` tests keywords by leaving words out, `aggregate` combines many
//!    items, and `within` compares two groups of items within strata.
//! 6. [`Document`] and [`view`]: the numbers on disk, and the pages, figures and tables made from them.
//!
//! The method of ToMBench (Chen et al. 2024, section 4.3 and Figure 5) is one setting: attention of the answer
//! position, mean over heads and 20 layers, ten keywords. The paper does not name the 20 layers; the last 20 are used
//! here.
//!
//! Letters in shapes: L layers, H heads, S positions (tokens up to and including the query), W words.
//!
//! Attention is captured beside the fused kernels (`decoder/*/capture.rs`), with one dot product per key for each
//! requested row. `attend` runs a prompt in one forward pass without a KV cache. Its page stores, per head and layer,
//! the mass on every part and word on square-root scales (`view/stored_table.rs`), packed; pages over 8 million values
//! keep means. `view/start.js` unpacks the data and runs the rest, `view/numbers.js` computes, `view/page.js` displays,
//! `view/export.js` exports what is displayed, and `view/caption.rs` describes the measure. Figures are drawn as SVG
//! (`view/figure.rs`, `view/person.rs`, on `view/drawing.rs`) and laid out once by usvg for PNG and PDF
//! (`figure/painter.rs`).
//!
//! The deletion check draws random word sets by a random walk over matching sets (`words/word_sets.rs`) and stops by a
//! sequential rule (`words/deletion.rs`); `prompts/leaving_out.rs` repairs texts after words are removed. With `--out`
//! (`attend/folder/`) each item is appended as a line as soon as it is read, through the ledger that also holds run
//! records (`ledger/`). Results are computed from the manifest and the lines alone, read one at a time, so interrupted
//! and uninterrupted work give the same bytes.
//!
//! Findings over many cases (`over_cases.rs`: roles, matched pairs, head maps, sensitivity) are computed from findings
//! that each depend on a single case, so a folder's lines suffice. `groups/within.rs` is the one place that compares
//! groups of cases within strata (by `stats::Stratified`); stories that hold versions of one question count as one
//! (`benchmark::TiedStories`, also used by `compare`). Heads chosen over all items need a second reading, so folders
//! reject them. Roles are plain data of `benchmark::roles`: byte ranges in an item's own texts. Ablation uses a
//! separate decoder on the same weights (`Decoder::without`), so scoring does not know about it. `Pass::parts`
//! decomposes the residual stream of the rows after each block (`decoder/parts.rs`); passes that do not request it are
//! unchanged. Speed and memory: `benches/README.md`.

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
mod witness;
mod words;

pub use case::Failure;
pub use experiment::{Analysis, Experiment};
pub use experiment_error::ExperimentError;
#[cfg(test)]
pub(crate) use folder::ItemLine;
pub use folder::{Asked, Folder, FolderManifest, FolderModel, merge, single_file, write_results};
pub use heads::{AblationTarget, HeadAnalysisSettings, HeadQuantity};
pub use item_reader::{Estimate, ItemReader};
pub use measure::{Capture, Contrast, Heads, Layers, Probe, Weighting};
pub use prompt_source::{Named, PromptSource};
pub use prompts::Merge;
pub use results::{Case, Document, Measure, Method, ModelRecord};
pub use selection::{LETTERED, SelectedItem, Selection, SelectionSettings, select};
pub use settings::{ExperimentSettings, LookingWords};
#[cfg(test)]
pub(crate) use words::HumanFile;
pub use words::{HumanKeywords, KeywordOptions, Match, Repeats, Scope, has_function_words};
