//! Attention on story roles: the believed and the actual location, the agents asked about, distractors.
//!
//! Roles come from the structure of tracked stories ([`crate::benchmark::roles`]) or, elsewhere, from a person's marks.
//! A role's mass depends on how often and where its names occur: every story names the actual location after the
//! original one, and a name that occurs twice has twice the chance of attention. Matched pairs of one form and masses
//! per mention account for this.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::attend::measure::reduce;
use crate::attend::prompts::{AnnotatedPrompt, Merge, PartKind};
use crate::attend::results::{Evidence, Reduction, RoleRecord, RolesRecord, rounded};
use crate::attend::words::Reader;
use crate::benchmark::{Item, Place, Role, Roles, roles, standing};
use crate::prompt::Order;

/// A story as presented and read.
#[derive(Clone, Copy)]
pub struct StoryRead<'a> {
    /// The item as presented.
    pub item: &'a Item,
    /// The order of its options.
    pub order: &'a Order,
    pub prompt: &'a AnnotatedPrompt,
    /// Evidence of the answer position.
    pub evidence: &'a Evidence,
    /// Layers and heads to average.
    pub reduction: &'a Reduction,
    /// Readers who marked the item.
    pub readers: &'a [Reader],
}

/// Words of one role by the kind of text that contains them.
#[derive(Debug, Default)]
struct RoleWords {
    story: BTreeSet<usize>,
    mentions: usize,
    question: BTreeSet<usize>,
    options: BTreeSet<usize>,
}

impl StoryRead<'_> {
    /// Roles of a tracked story, or else of the first reader who marked some, or else the reason why there are none.
    pub fn roles(&self) -> RolesRecord {
        let reader = self.readers.iter().find(|reader| !reader.roles.is_empty());
        match (roles(self.item), reader) {
            (Ok(found), _) => self.of_story(&found).unwrap_or_else(|reason| RolesRecord::absent(reason, None)),
            (Err(_), Some(reader)) => self.of_marks(reader),
            (Err(error), None) => RolesRecord::absent(error.to_string(), error.detail()),
        }
    }

    fn of_story(&self, found: &Roles) -> Result<RolesRecord, String> {
        let mut words: Vec<(Role, &[String], RoleWords)> =
            found.names.iter().map(|(role, names)| (*role, &names[..], RoleWords::default())).collect();
        for mention in &found.mentions {
            let start =
                self.start_of(mention.place).ok_or("the prompt does not show the story as the benchmark has it")?;
            // Text that a style does not show has no place.
            let Some(start) = start else { continue };
            let bytes = start + mention.bytes.start..start + mention.bytes.end;
            for (_, names, words) in &mut words {
                if !names.contains(&mention.name) {
                    continue;
                }
                let standing = self.words_in(&bytes);
                match mention.place {
                    Place::Context(_) => {
                        words.mentions += 1;
                        words.story.extend(standing);
                    }
                    Place::Question => words.question.extend(standing),
                    Place::Option(_) => words.options.extend(standing),
                }
            }
        }
        let records = words.into_iter().map(|(role, names, words)| self.role(role, names.to_vec(), &words));
        Ok(RolesRecord {
            source: "story".to_string(),
            absent: None,
            detail: None,
            belief: found.belief,
            order: Some(found.order),
            form: Some(found.form.clone()),
            missing: Vec::new(),
            roles: records.collect(),
        })
    }

    /// Start of a text of the item in the prompt: `None` if it cannot be found, `Some(None)` if the style does not show
    /// it.
    pub fn start_of(&self, place: Place) -> Option<Option<usize>> {
        let (kind, text, number) = match place {
            Place::Context(index) => {
                let segment = &self.item.context[index];
                let before = self.item.context[..index].iter().filter(|other| other.kind == segment.kind).count();
                (PartKind::Context(segment.kind), &segment.text[..], before)
            }
            Place::Question => (PartKind::Question, self.item.question.as_str(), 0),
            Place::Option(option) => {
                let slot = self.order.slot_of(option);
                (PartKind::Option(slot), self.item.options[option.0].as_str(), 0)
            }
        };
        let Some(part) = self.prompt.parts().iter().filter(|part| part.kind == kind).nth(number) else {
            return Some(None);
        };
        let lead = text.len() - text.trim_start().len();
        let at = self.prompt.text()[part.range.clone()].find(text.trim())?;
        Some(Some((part.range.start + at).checked_sub(lead)?))
    }

    /// Words that overlap a byte range of the prompt.
    pub fn words_in(&self, bytes: &Range<usize>) -> Vec<usize> {
        let words = self.prompt.words().iter().enumerate();
        words
            .filter(|(_, word)| word.part.is_some() && word.range.start < bytes.end && word.range.end > bytes.start)
            .map(|(index, _)| index)
            .collect()
    }

    /// Assigns a role to every occurrence of its marked phrases in the prompt.
    fn of_marks(&self, reader: &Reader) -> RolesRecord {
        let mut missing = Vec::new();
        let records: Vec<RoleRecord> = reader
            .roles
            .iter()
            .map(|(role, phrases)| {
                let mut words = RoleWords::default();
                for phrase in phrases {
                    let before = words.mentions;
                    for part in self.prompt.parts() {
                        let inside = &self.prompt.text()[part.range.clone()];
                        for found in standing(inside, phrase.trim()) {
                            let bytes = part.range.start + found.start..part.range.start + found.end;
                            let standing = self.words_in(&bytes);
                            match part.kind {
                                kind if kind.is_story() => {
                                    words.mentions += 1;
                                    words.story.extend(standing);
                                }
                                PartKind::Question => words.question.extend(standing),
                                PartKind::Option(_) => words.options.extend(standing),
                                _ => {}
                            }
                        }
                    }
                    if words.mentions == before {
                        missing.push(phrase.clone());
                    }
                }
                self.role(*role, phrases.clone(), &words)
            })
            .collect();
        let names = |role: Role| reader.roles.get(&role).map(|names| names.iter().collect::<BTreeSet<_>>());
        let belief = names(Role::Believed).zip(names(Role::Actual)).map(|(believed, actual)| believed == actual);
        let source = reader.name.clone();
        RolesRecord { source, absent: None, detail: None, belief, order: None, form: None, missing, roles: records }
    }

    fn role(&self, role: Role, names: Vec<String>, words: &RoleWords) -> RoleRecord {
        let masses = self.masses();
        let heads = match self.evidence {
            Evidence::Capture(capture) => {
                let mut share = self.prompt.token_shares(|word| words.story.contains(&word.0));
                self.without_sink(&mut share);
                reduce::head_map(capture, &share).into_iter().map(|mass| rounded(mass) as f32).collect()
            }
            Evidence::Profile(_) | Evidence::Drops(_) => Vec::new(),
        };
        let sum = |words: &BTreeSet<usize>| rounded(words.iter().map(|&word| masses[word]).sum());
        RoleRecord {
            role,
            names,
            words: words.story.iter().copied().collect(),
            mentions: words.mentions,
            story: sum(&words.story),
            question: sum(&words.question),
            options: sum(&words.options),
            heads,
        }
    }

    /// Share of the row on each word, without the first token unless it is kept; of occlusion, share of all falls.
    pub fn masses(&self) -> Vec<f64> {
        let mut profile = match self.evidence {
            Evidence::Capture(capture) => {
                let layers: Vec<usize> = (0..capture.layers().len())
                    .filter(|&index| self.reduction.layers.contains(&capture.layers()[index]))
                    .collect();
                reduce::profile(capture, &layers, &self.reduction.heads)
            }
            Evidence::Profile(profile) => profile.clone(),
            Evidence::Drops(drops) => {
                let falls: Vec<f64> = drops.iter().map(|drop| drop.unwrap_or(0.0).max(0.0)).collect();
                let total: f64 = falls.iter().sum();
                return falls.iter().map(|fall| if total > 0.0 { fall / total } else { 0.0 }).collect();
            }
        };
        self.without_sink(&mut profile);
        self.prompt.word_weights(&profile, Merge::Sum)
    }

    fn without_sink(&self, values: &mut [f64]) {
        if let (false, Some(first)) = (self.reduction.keywords.keep_sink, values.first_mut()) {
            *first = 0.0;
        }
    }
}
