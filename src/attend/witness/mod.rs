//! The witness strip: a tracked story sentence by sentence, with who perceives it, where each mind then takes the object to
//! be, and what the answer position pays to it.
//!
//! Attention to a sentence is the share of its words (no punctuation, no number of the line) among the words of all
//! sentences, so that first token, template, question and options are left out. Chance and the table over many cases are
//! computed from findings that each depend on one case.

mod table;

pub use table::{StripChances, WitnessFinding, WitnessTable};

use super::SelectedItem;
use super::case::CaseSetting;
use super::groups::StoryRead;
use super::measure::Version;
use super::prompts::WordKind;
use super::results::{
    Case, OptionRecord, PlaceRecord, TrueBeliefRecord, WitnessRecord, WitnessSentenceRecord, rounded,
};
use crate::benchmark::{NoRoles, Perceived, Place, Witness, WitnessedSentence, true_belief, witness};

impl StoryRead<'_> {
    /// The strip of a tracked story, or the reason why there is none.
    pub fn witness(&self, options: &[OptionRecord]) -> WitnessRecord {
        let found = match witness(self.item) {
            Ok(found) => found,
            Err(NoRoles::NotTracked(benchmark)) => {
                let which = "strips are made of stories of Hi-ToM and ToMi, and of those that `tomeval make` writes";
                return WitnessRecord::absent(format!("stories of {benchmark} are not tracked; {which}"));
            }
            Err(error) => {
                let detail = error.detail().map_or(String::new(), |detail| format!(" ({detail})"));
                return WitnessRecord::absent(format!("{error}{detail}"));
            }
        };
        let Some(Some(start)) = self.start_of(Place::Context(0)) else {
            return WitnessRecord::absent("the prompt does not show the story as the benchmark has it".to_string());
        };
        let masses = self.masses();
        let words: Vec<Vec<usize>> = found
            .sentences
            .iter()
            .map(|sentence| {
                let inside = self.words_in(&(start + sentence.bytes.start..start + sentence.bytes.end));
                inside.into_iter().filter(|&word| self.prompt.words()[word].kind == WordKind::Word).collect()
            })
            .collect();
        let mass = |words: &[usize]| words.iter().map(|&word| masses[word]).sum::<f64>();
        let on_story: f64 = words.iter().map(|words| mass(words)).sum();
        let places = places(&found, options);
        let place = |name: &String| places.iter().position(|place| place.name == *name);
        let sentences = found.sentences.iter().zip(&words).map(|(sentence, words)| {
            let attention = if on_story > 0.0 { mass(words) / on_story } else { 0.0 };
            WitnessSentenceRecord {
                start: start + sentence.bytes.start,
                end: start + sentence.bytes.end,
                kind: sentence.kind,
                short: sentence.short.clone(),
                agents: sentence.agents.clone(),
                place: sentence.container.as_ref().filter(|_| sentence.of_object).and_then(place),
                perceived: together(&sentence.perceived),
                missed_by: missed_by(&found.chain, sentence),
                lanes: sentence.lanes.iter().map(|lane| lane.as_ref().and_then(place)).collect(),
                words: words.len(),
                attention: rounded(attention),
                per_word: rounded(attention / words.len().max(1) as f64),
                chance: None,
            }
        });
        WitnessRecord {
            absent: None,
            lanes: lane_names(&found.chain),
            belief: found.belief,
            answer: place(&found.answer),
            released: found.released.clone(),
            on_story: rounded(on_story),
            sentences: sentences.collect(),
            true_belief: None,
            no_true_belief: None,
            object: found.object,
            chain: found.chain,
            places,
        }
    }
}

/// Reality, then each mind: for Q, R, S the lanes of S, of R about S, and of Q about R about S.
fn lane_names(chain: &[String]) -> Vec<String> {
    let minds = (1..=chain.len()).map(|order| chain[chain.len() - order..].join(" about "));
    std::iter::once("reality".to_string()).chain(minds).collect()
}

/// What all members of a chain get to know; `None` without members.
fn together(perceived: &[Perceived]) -> Option<Perceived> {
    let any = |wanted| perceived.contains(&wanted);
    match perceived {
        [] => None,
        _ if any(Perceived::Missed) => Some(Perceived::Missed),
        _ if any(Perceived::Heard) => Some(Perceived::Heard),
        _ => Some(Perceived::Seen),
    }
}

fn missed_by(chain: &[String], sentence: &WitnessedSentence) -> Vec<String> {
    let missed = chain.iter().zip(&sentence.perceived).filter(|(_, perceived)| **perceived == Perceived::Missed);
    missed.map(|(member, _)| member.clone()).collect()
}

/// Containers in which the object is or is said to be: where the lanes end, then in order of telling.
fn places(found: &Witness, options: &[OptionRecord]) -> Vec<PlaceRecord> {
    let ends = found.sentences.last().into_iter().flat_map(|last| last.lanes.iter().flatten());
    let told = found.sentences.iter().filter(|sentence| sentence.of_object);
    let seen = found.sentences.iter().flat_map(|sentence| sentence.lanes.iter().flatten());
    let mut places: Vec<PlaceRecord> = Vec::new();
    let mut small = 'a'..='z';
    for name in ends.chain(told.filter_map(|sentence| sentence.container.as_ref())).chain(seen) {
        if places.iter().any(|place| place.name == *name) {
            continue;
        }
        let offered = options.iter().find(|option| option.text == *name).map(|option| option.label.clone());
        let letter = offered.unwrap_or_else(|| small.next().map_or_else(|| "?".to_string(), String::from));
        places.push(PlaceRecord { name: name.clone(), letter });
    }
    places
}

/// Reads the item with its belief made true, and adds to a false belief what is paid there to the sentence that had made it
/// false.
pub(super) fn add_true_belief(setting: &CaseSetting<'_>, chosen: &SelectedItem, case: &mut Case) {
    let Some(record) = case.witness.as_mut().filter(|record| record.belief == Some(false)) else { return };
    if record.released.is_some() {
        record.no_true_belief = Some("the released right answer is not the story's".to_string());
        return;
    }
    match read_true_belief(setting, chosen) {
        Ok(found) => record.true_belief = Some(found),
        Err(reason) => record.no_true_belief = Some(reason),
    }
}

fn read_true_belief(setting: &CaseSetting<'_>, chosen: &SelectedItem) -> Result<TrueBeliefRecord, String> {
    let made = true_belief(&chosen.item).map_err(|reason| reason.to_string())?;
    let order = &chosen.orders[0];
    let version = Version {
        item: std::borrow::Cow::Owned(made.item),
        order,
        name: "with a true belief".to_string(),
        written: None,
    };
    let read = setting.analyse(&chosen.style, &version, false).map_err(|error| error.to_string())?;
    let sentence = read.case.witness.as_ref().and_then(|record| record.sentences.get(made.counterpart));
    let sentence = sentence.ok_or("its version with a true belief is not tracked")?;
    Ok(TrueBeliefRecord {
        sentence: made.moved,
        counterpart: made.counterpart,
        per_word: sentence.per_word,
        right: read.case.right,
    })
}

#[cfg(test)]
mod tests;
