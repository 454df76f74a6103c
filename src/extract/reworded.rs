//! Finds the sentence in which a short reply rewords an option.

use std::ops::Range;

use super::mention::{Form, Mention};
use super::near::near;
use super::sentence::sentences;
use super::words::Cues;
use super::{Found, Question, normal, statement};

/// Maximum number of sentences in a reply whose last sentence is its answer without saying so.
const FEW_SENTENCES: usize = 3;

/// Maximum length of such a sentence, in bytes.
const LONGEST_SENTENCE: usize = 1000;

/// The option that is near to the concluding sentence of a reply, or to the first sentence if it gives its reason.
pub(super) fn in_other_words(cues: &Cues, question: &Question, text: &str, all: &[Mention]) -> Option<Found> {
    let named = |mention: &Mention| mention.form == Form::Label && statement::is_option(cues, text, mention);
    if all.iter().any(|mention| named(mention) && !mention.denied) {
        return None;
    }
    let sentences = sentences(text);
    let claim = |sentence: &Range<usize>| {
        let words = text.get(sentence.clone()).filter(|words| words.len() <= LONGEST_SENTENCE)?;
        let (therefore, but) =
            (cues.anywhere.therefore.find_iter(words).last(), cues.anywhere.but.find_iter(words).last());
        let turn = cues.anywhere.turn.find_iter(words).last();
        let from = [therefore, but, turn].into_iter().flatten().map(|found| found.end()).max().unwrap_or(0);
        let because = cues.anywhere.because.find_iter(words).find(|found| found.start() > from + 4);
        let part = &words[from..because.map_or(words.len(), |found| found.start())];
        let anywhere = &cues.anywhere;
        let plain = ![&anywhere.suppose, &anywhere.maybe, &anywhere.wrong].iter().any(|cue| cue.is_match(part));
        // If options contain denials, compare only those that agree with the sentence in denying or not.
        let denies = |text: &str| anywhere.not.is_match(&normal::normal(text));
        let denied = anywhere.not.is_match(part);
        let alike: Vec<usize> =
            (0..question.options.len()).filter(|&slot| denies(&question.options[slot]) == denied).collect();
        if !plain || denied && alike.is_empty() || words.trim_end().ends_with('?') {
            return None;
        }
        let head = ["fr", "es", "pt", "it"].contains(&question.language.code());
        let options: Vec<String> = alike.iter().map(|&slot| question.options[slot].clone()).collect();
        let near = |part: &str| {
            let found = near(cues, part, &options, 1, head)?;
            Some(Found { slots: found.slots.iter().map(|&slot| alike[slot]).collect(), ..found })
        };
        let found = near(part).or_else(|| near(part.split_once(':')?.0))?;
        if all.iter().any(|mention| mention.denied && mention.slot == found.slots[0]) {
            return None;
        }
        let set_aside = |mention: &Mention| mention.denied || statement::is_doubtful(cues, text, mention);
        // Earlier text counts for another option, unless this sentence is marked as a conclusion.
        let rendered = |mention: &&Mention| {
            mention.range.end <= sentence.start && mention.form == Form::Text && !set_aside(mention)
        };
        // The last sentence of a retold story says no more than the others.
        let answers = || {
            let corrects = || all.iter().any(|mention| mention.range.end <= sentence.start && set_aside(mention));
            sentences.len() == 1 || cues.anywhere.predicts.is_match(words) || turn.is_some() && corrects()
        };
        let other = all.iter().filter(rendered).any(|mention| mention.slot != found.slots[0]);
        let other = other || tells_another(cues, question, text, &sentences, sentence.start, &found.slots);
        let at = sentence.start + from;
        let range = found.range.clone().map(|range| range.start + at..range.end + at);
        (therefore.is_some() || because.is_some() || sentences.len() <= FEW_SENTENCES && !other && answers())
            .then_some((Found { range, ..found }, because.is_some()))
    };
    let first = || claim(sentences.first()?).filter(|(_, because)| *because && sentences.len() <= FEW_SENTENCES);
    claim(sentences.last()?).or_else(first).map(|(found, _)| found)
}

/// Whether another sentence of a short text, not the one at a position, rewords another option.
fn tells_another(
    cues: &Cues,
    question: &Question,
    text: &str,
    sentences: &[Range<usize>],
    at: usize,
    slots: &[usize],
) -> bool {
    let another = |sentence: &Range<usize>| {
        let words = &text[sentence.clone()];
        !sentence.contains(&at)
            && ![&cues.anywhere.suppose, &cues.anywhere.not].iter().any(|cue| cue.is_match(words))
            && near(cues, words, question.options, 1, false).is_some_and(|other| other.slots != slots)
    };
    sentences.len() <= FEW_SENTENCES && sentences.iter().any(another)
}
