//! The witness strip of a prompt: the story sentence by sentence, and what the model's answer position pays to each.

use serde::{Deserialize, Serialize};

use crate::benchmark::{Perceived, SentenceKind};

/// Note on the strips and the table for readers of every view.
pub const WITNESS_CAVEAT: &str = "Sentences compared are those that tell where the object asked for is. What is unseen comes late, so \
     unseen minus seen also holds recency, and says nothing of belief. Chance is what seen sentences of the same kind, place and length \
     get in stories of as many sentences; names and questions still differ. With the belief made true, the same \
     sentence is seen, but the right answer is another, too, and the sentence may stand elsewhere. Attention to a sentence is no use of \
     it: for that, leave it out (run --condition seen-only, mention-kept, others-left-out). Rows overlap, and no test compares them.";

/// Most places with a colour of their own.
pub const COLOURS: usize = 5;

/// The story of a tracked item, sentence by sentence.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WitnessRecord {
    /// Reason why there is no strip; absent if there is one. All else is then empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absent: Option<String>,
    /// The object asked for.
    pub object: String,
    /// The agents asked about, outermost first; empty for a question of fact.
    pub chain: Vec<String>,
    /// Whether the belief asked about is true; null for questions of fact.
    pub belief: Option<bool>,
    /// Names of the lanes: `reality`, then each mind, as `Sam` and `Rita about Sam`.
    pub lanes: Vec<String>,
    /// Containers in which the object is or is said to be: those at the end of the lanes first, then in order of telling. The
    /// first five have colours.
    pub places: Vec<PlaceRecord>,
    /// Index in `places` of the right answer by the story; null where no sentence names it.
    pub answer: Option<usize>,
    /// The released right answer, where it is another. Such an item counts in no table.
    #[serde(default)]
    pub released: Option<String>,
    /// Share of the row on the words of all sentences.
    pub on_story: f64,
    /// The sentences, in order.
    pub sentences: Vec<WitnessSentenceRecord>,
    /// The move that somebody asked about does not see, and the same sentence where the belief is true; absent where there is
    /// none, and for questions of fact and true beliefs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub true_belief: Option<TrueBeliefRecord>,
    /// Why a false belief has no such version; null if it has one.
    #[serde(default)]
    pub no_true_belief: Option<String>,
}

/// A container.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PlaceRecord {
    /// Its name in the story.
    pub name: String,
    /// Label of the option that names it; a small letter if none does.
    pub letter: String,
}

/// One sentence of the story.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WitnessSentenceRecord {
    /// First byte in the prompt, after the number of the line.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// What it tells.
    pub kind: SentenceKind,
    /// It in few words.
    pub short: String,
    /// Who comes, acts, speaks or leaves.
    pub agents: Vec<String>,
    /// Index in `places` of the container that it tells of as the place of the object asked for; null for other sentences.
    pub place: Option<usize>,
    /// `missed` if any agent asked about does not get to know of it, `heard` if it is a claim that all of them make or hear,
    /// else `seen`; null for questions of fact.
    pub perceived: Option<Perceived>,
    /// The agents asked about who do not get to know of it.
    pub missed_by: Vec<String>,
    /// Index in `places` by lane after the sentence; null as long as there is no place.
    pub lanes: Vec<Option<usize>>,
    /// Number of its words, without punctuation.
    pub words: usize,
    /// Share of the attention to all sentences that is on these words.
    pub attention: f64,
    /// That share divided by the number of words.
    pub per_word: f64,
    /// The same of seen sentences at this place in other stories; absent where there is none, and in the lines of a folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chance: Option<ChanceRecord>,
}

/// What sentences like one get where they are seen: those of its kind, place and number of words, in the analysed stories
/// with as many sentences, about the object asked for or not as it is, each perceived by all asked about.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ChanceRecord {
    /// Mean attention per word, over stories.
    pub per_word: f64,
    /// Number of stories.
    pub stories: usize,
}

/// A sentence that is unseen in the story, and seen where the belief is made true.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TrueBeliefRecord {
    /// Index of the sentence in `sentences`.
    pub sentence: usize,
    /// Its number from 0 where the belief is true.
    pub counterpart: usize,
    /// Its attention per word there.
    pub per_word: f64,
    /// Whether the choice there is right.
    pub right: Option<bool>,
}

impl WitnessSentenceRecord {
    /// Whether it tells where the object asked for is.
    pub fn tells(&self) -> bool {
        self.place.is_some()
    }

    /// Whether somebody asked about does not get to know of it.
    pub fn is_missed(&self) -> bool {
        self.perceived == Some(Perceived::Missed)
    }
}

/// Attention per word on sentences together; `None` if they have no words.
pub fn per_word<'a>(sentences: impl Iterator<Item = &'a WitnessSentenceRecord>) -> Option<f64> {
    let (attention, words) =
        sentences.fold((0.0, 0), |(attention, words), each| (attention + each.attention, words + each.words));
    (words > 0).then(|| attention / words as f64)
}

impl WitnessRecord {
    /// A record without a strip, with the reason.
    pub fn absent(reason: String) -> Self {
        WitnessRecord { absent: Some(reason), ..WitnessRecord::default() }
    }
}

/// Attention per word on the unseen sentences that tell where the object is and have a chance, that chance, and their
/// number; `None` if none has.
pub fn unseen_and_chance(record: &WitnessRecord, chances: &[Option<ChanceRecord>]) -> Option<(f64, f64, usize)> {
    let unseen = record.sentences.iter().zip(chances).filter(|(each, _)| each.tells() && each.is_missed());
    let known: Vec<_> = unseen.filter_map(|(each, chance)| Some((each, chance.as_ref()?.per_word))).collect();
    let words: usize = known.iter().map(|(each, _)| each.words).sum();
    let mean =
        |value: &dyn Fn(&(&WitnessSentenceRecord, f64)) -> f64| known.iter().map(value).sum::<f64>() / words as f64;
    let found = (mean(&|(each, _)| each.attention), mean(&|(each, chance)| chance * each.words as f64), known.len());
    (words > 0).then_some(found)
}

/// A row of the table over all cases.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WitnessRowRecord {
    /// Index into `models`.
    pub model: usize,
    /// `all`, `order 1` and so on, `right answers` or `wrong answers`.
    pub group: String,
    /// False beliefs with sentences about the object of which somebody asked about does not get to know.
    pub items: usize,
    /// Their stories; those that hold versions of one question count as one.
    pub stories: usize,
    /// Comparisons of the attention per word.
    pub comparisons: Vec<WitnessComparisonRecord>,
}

/// Attention per word on two sorts of sentences, item by item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WitnessComparisonRecord {
    /// `unseen - seen`, `unseen - chance` (seen sentences of the same kind, place and number of words in stories of as many
    /// sentences, compared within strata of these), or `unseen - true belief` (the move that is unseen, and the same sentence
    /// where the belief is true).
    pub comparison: String,
    /// Items that have both; against chance, those in strata with two stories of either.
    pub items: usize,
    /// Their stories.
    pub stories: usize,
    /// Mean of the first; null without items, and against chance for fewer than five stories of either.
    pub first: Option<f64>,
    /// Mean of the second.
    pub second: Option<f64>,
    /// Mean of first minus second.
    pub difference: Option<f64>,
    /// Its 95 % interval by Student's t, clustered by story; null for fewer than five stories.
    pub interval: Option<(f64, f64)>,
    /// Two-sided p-value; null for fewer than five stories, and where nothing varies.
    pub p: Option<f64>,
    /// The same by Holm over all comparisons of all rows of the model.
    pub holm: Option<f64>,
}
