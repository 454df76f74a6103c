//! What a witness strip shows, in sentences that are made from its numbers alone.

use indexmap::IndexSet;

use super::document::{Case, OptionRecord};
use super::witness::{ChanceRecord, WitnessRecord, WitnessSentenceRecord, per_word, unseen_and_chance};
use crate::benchmark::SentenceKind;

impl WitnessRecord {
    /// Index in `places` of an option's container.
    pub fn place_of(&self, option: &OptionRecord) -> Option<usize> {
        self.places.iter().position(|place| place.name == option.text)
    }

    /// Names of the lanes that end with a place.
    fn lanes_at(&self, place: usize) -> Vec<&str> {
        let Some(last) = self.sentences.last() else { return Vec::new() };
        self.lanes
            .iter()
            .zip(&last.lanes)
            .filter(|(_, at)| **at == Some(place))
            .map(|(name, _)| name.as_str())
            .collect()
    }

    /// What the strip shows, by its own numbers: who left before what, and whose lane has the place that was chosen.
    pub fn headline(&self, options: &[OptionRecord]) -> String {
        let mut said = vec![self.who_missed()];
        if let Some(option) = options.iter().find(|option| option.chosen) {
            let lanes = self.place_of(option).map(|place| self.lanes_at(place)).unwrap_or_default();
            let whose = match lanes[..] {
                [] => "where no lane ends".to_string(),
                _ => format!("where the lane of {} ends", lanes.join(", of ")),
            };
            said.push(format!("The model chose {} ({}), {whose}.", option.label, option.text));
        }
        if let Some(released) = &self.released {
            let answer = self.answer.map_or("another place", |answer| self.places[answer].name.as_str());
            said.push(format!(
                "The released right answer is {released}, by the story it is {answer}: this item counts in no table."
            ));
        }
        said.join(" ")
    }

    fn who_missed(&self) -> String {
        let object = &self.object;
        if self.chain.is_empty() {
            return format!("The question asks where the {object} is or was, and nobody's mind.");
        }
        let is_unseen = |at: &usize| self.sentences.get(*at).is_some_and(|each| each.tells() && each.is_missed());
        let last = (0..self.sentences.len()).rev().find(is_unseen);
        let Some((number, sentence)) =
            self.parted_at().filter(is_unseen).or(last).map(|number| (number, &self.sentences[number]))
        else {
            return format!("All asked about get to know of every sentence that tells where the {object} is.");
        };
        let who = |name: &String| {
            let goes = |each: &WitnessSentenceRecord| {
                each.agents.contains(name) && matches!(each.kind, SentenceKind::Exit | SentenceKind::Enter)
            };
            let last = self.sentences[..number].iter().rposition(goes);
            match last.filter(|&at| self.sentences[at].kind == SentenceKind::Exit) {
                Some(left) => format!("{name} left in sentence {}, before sentence {}", left + 1, number + 1),
                None => format!("{name} is not there in sentence {}", number + 1),
            }
        };
        let missed_by: IndexSet<&String> = sentence.missed_by.iter().collect();
        let said: Vec<String> =
            match (sentence.kind, &missed_by.iter().map(|name| name.as_str()).collect::<Vec<_>>()[..]) {
                (SentenceKind::Claim, [name]) => vec![format!("{name} does not hear sentence {}", number + 1)],
                (SentenceKind::Claim, names) => {
                    vec![format!("{} do not hear sentence {}", names.join(", "), number + 1)]
                }
                _ => missed_by.into_iter().map(who).collect(),
            };
        let belief = if self.belief == Some(true) { " The belief asked about is true." } else { "" };
        format!("{} ({}).{belief}", said.join("; "), sentence.short)
    }

    /// The sentence from which on the chain has the object in another place than it is; `None` if it does not in the end.
    fn parted_at(&self) -> Option<usize> {
        let differs = |each: &WitnessSentenceRecord| each.lanes.first() != each.lanes.last();
        let same = self.sentences.iter().rposition(|each| !differs(each));
        Some(same.map_or(0, |last| last + 1)).filter(|&number| number < self.sentences.len())
    }

    /// Attention per word on unseen and on seen sentences that tell where the object is, and chance, in a sentence; `None` for
    /// questions of fact.
    pub fn attention_told(&self, chances: &[Option<ChanceRecord>]) -> Option<String> {
        if self.chain.is_empty() || self.sentences.is_empty() {
            return None;
        }
        let percent = |share: f64| format!("{:.2} %", 100.0 * share);
        let object = &self.object;
        let of =
            |missed: bool| per_word(self.sentences.iter().filter(|each| each.tells() && each.is_missed() == missed));
        let told = match (of(true), of(false)) {
            (Some(unseen), Some(seen)) => {
                format!("{} on unseen sentences about the {object}, {} on seen ones", percent(unseen), percent(seen))
            }
            (Some(unseen), None) => format!("{} on unseen sentences about the {object}; none is seen", percent(unseen)),
            (None, Some(seen)) => format!("{} on seen sentences about the {object}; none is unseen", percent(seen)),
            (None, None) => return None,
        };
        let chance = match unseen_and_chance(self, chances) {
            _ if of(true).is_none() => String::new(),
            _ if self.released.is_some() => ". No chance: the released right answer is not the story's".to_string(),
            Some((unseen, chance, number)) => {
                format!(
                    ". Where chance is known ({number} of {}): {} against {}",
                    self.unseen(),
                    percent(unseen),
                    percent(chance)
                )
            }
            None => ". No chance: fewer than two other analysed stories have such a sentence at that place, seen"
                .to_string(),
        };
        Some(format!("Attention per word: {told}{chance}."))
    }

    /// What is paid to the unseen move where the belief is made true, in a sentence; `None` for other beliefs.
    pub fn true_belief_told(&self) -> Option<String> {
        if let Some(reason) = &self.no_true_belief {
            return Some(format!("No version with a true belief: {reason}."));
        }
        let other = self.true_belief.as_ref()?;
        let own = self.sentences.get(other.sentence)?.per_word;
        let right = match other.right {
            Some(true) => ", and the choice is right",
            Some(false) => ", and the choice is wrong",
            None => "",
        };
        Some(format!(
            "Where the belief is made true, sentence {} is seen: {:.2} % per word there, {:.2} % here{right}.",
            other.sentence + 1,
            100.0 * other.per_word,
            100.0 * own
        ))
    }

    /// Number of the unseen sentences that tell where the object is.
    fn unseen(&self) -> usize {
        self.sentences.iter().filter(|each| each.tells() && each.is_missed()).count()
    }
}

impl Case {
    /// Gives the sentences of its strip their chances.
    pub fn take_chances(&mut self, chances: Vec<Option<ChanceRecord>>) {
        let sentences = self.witness.iter_mut().flat_map(|record| &mut record.sentences);
        sentences.zip(chances).for_each(|(sentence, chance)| sentence.chance = chance);
    }
}
