//! Rules that answer without reading for meaning: by an option's place, text or length, by where the story names it, or
//! by the words that both have.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::{Answer, Item, LONGEST_NAME, OptionIx};
use crate::language::Language;
use crate::name::option_letter;
use crate::segment::segment;

/// A rule that answers without reading for meaning.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Rule {
    /// The option at this index in data order, in every slot.
    Place(usize),
    /// The option that the story mentions first.
    FirstNamed,
    /// The option that the story mentions last.
    LastNamed,
    /// The option with most characters.
    Longest,
    /// The option that has most different words in common with the context.
    MostShared,
    /// The option with this text.
    Text(String),
    /// This set of labels, or these options for the slots.
    Whole(Answer),
}

/// The words of the contexts seen, so that each is split once.
#[derive(Debug, Default)]
pub struct StoryWords {
    known: HashMap<Arc<str>, HashSet<String>>,
}

impl Rule {
    /// Its answer to an item; of options that are equal by the rule the first; `None` if it has none.
    pub fn answer(&self, item: &Item, words: &mut StoryWords) -> Option<Answer> {
        match (self, &item.gold) {
            (Rule::Place(at), _) if *at >= item.options.len() => None,
            (Rule::Place(at), Answer::Slots(slots)) => Some(Answer::Slots(vec![OptionIx(*at); slots.len()])),
            (Rule::Whole(answer), gold) => (answer.kind() == gold.kind()).then(|| answer.clone()),
            (_, Answer::Single(_)) => self.options(item, words).first().map(|&at| Answer::Single(OptionIx(at))),
            _ => None,
        }
    }

    /// Probability that its answer is right, where options that are equal by the rule are drawn from; `None` if it has
    /// no answer.
    pub fn credit(&self, item: &Item, words: &mut StoryWords) -> Option<f64> {
        if let (Rule::Longest | Rule::MostShared, Answer::Single(gold)) = (self, &item.gold) {
            let options = self.options(item, words);
            return (!options.is_empty()).then(|| f64::from(options.contains(&gold.0)) / options.len() as f64);
        }
        self.answer(item, words).map(|answer| f64::from(answer == item.gold))
    }

    /// The options of a single-choice item that it chooses among; none if it has no answer.
    pub(super) fn options(&self, item: &Item, words: &mut StoryWords) -> Vec<usize> {
        let at = |found: Option<usize>| Vec::from_iter(found);
        if let Some(kept) = self.field().and_then(|name| item.fields.get(name)) {
            return kept.split(',').filter_map(|at| at.parse().ok()).collect();
        }
        match self {
            Rule::Place(place) => at(Some(*place)),
            Rule::FirstNamed => at(named(item, |found, best| found.0 < best.0)),
            Rule::LastNamed => at(named(item, |found, best| found.1 > best.1)),
            Rule::Text(text) => at(item.options.iter().position(|option| option == text)),
            Rule::Longest => largest(item.options.iter().map(|option| option.chars().count())),
            Rule::MostShared => words.shared(item),
            Rule::Whole(_) => Vec::new(),
        }
    }

    /// Field of an item without texts that keeps the options, where placeholders cannot tell them.
    pub(super) fn field(&self) -> Option<&'static str> {
        match self {
            Rule::Longest => Some("#longest"),
            Rule::MostShared => Some("#most-shared"),
            _ => None,
        }
    }

    /// Its answer, for readers.
    pub fn name(&self, item: &Item) -> String {
        let option = |option: &usize| item.options.get(*option).cloned().unwrap_or_default();
        match self {
            Rule::Place(at) => format!("option {}", option_letter(*at)),
            Rule::FirstNamed => "the option named first".to_string(),
            Rule::LastNamed => "the option named last".to_string(),
            Rule::Longest => "the longest option".to_string(),
            Rule::MostShared => "the option sharing most words with the story".to_string(),
            Rule::Text(text) => format!("\"{text}\""),
            Rule::Whole(answer) => answer.options().iter().map(option).collect::<Vec<_>>().join(" + "),
        }
    }

    /// The same for several items: of a language whose items differ in their options, those of a set are letters.
    pub fn name_for<'i>(&self, items: impl IntoIterator<Item = &'i Item>) -> Option<String> {
        let mut items = items.into_iter();
        let first = items.next()?;
        let differs = |item: &Item| item.language == first.language && item.options != first.options;
        Some(match self {
            Rule::Whole(answer) if items.any(differs) => {
                let letters: Vec<String> = answer.options().into_iter().map(option_letter).collect();
                format!("options {}", letters.join(" + "))
            }
            _ => self.name(first),
        })
    }
}

/// Indices of the largest numbers; none where all are zero.
fn largest(numbers: impl Iterator<Item = usize>) -> Vec<usize> {
    let numbers: Vec<usize> = numbers.collect();
    let most = numbers.iter().copied().max().filter(|most| *most > 0);
    (0..numbers.len()).filter(|&at| Some(numbers[at]) == most).collect()
}

/// The option whose places of first and last mention in the story come before all others by `before`.
fn named(item: &Item, before: impl Fn((usize, usize), (usize, usize)) -> bool) -> Option<usize> {
    if item.options.iter().any(|option| option.is_empty() || option.len() > LONGEST_NAME) {
        return None;
    }
    let story = item.story_text();
    let mut best: Option<(usize, (usize, usize))> = None;
    for (at, option) in item.options.iter().enumerate() {
        let Some(found) = story.find(option.as_str()).zip(story.rfind(option.as_str())) else { continue };
        if best.is_none_or(|(_, best)| before(found, best)) {
            best = Some((at, found));
        }
    }
    best.map(|(at, _)| at)
}

/// Most segments whose words are kept at a time.
const MOST_KNOWN: usize = 256;

impl StoryWords {
    /// The options with most different words that the context has too.
    fn shared(&mut self, item: &Item) -> Vec<usize> {
        // Items of a story stand together.
        if self.known.len() > MOST_KNOWN {
            self.known.clear();
        }
        for segment in &item.context {
            if !self.known.contains_key(&segment.text) {
                self.known.insert(segment.text.clone(), words(&segment.text, item.language).collect());
            }
        }
        let of_context: Vec<&HashSet<String>> = item.context.iter().map(|segment| &self.known[&segment.text]).collect();
        let shared = |option: &String| {
            let words: HashSet<String> = words(option, item.language).collect();
            words.iter().filter(|word| of_context.iter().any(|known| known.contains(*word))).count()
        };
        largest(item.options.iter().map(shared))
    }
}

/// Words in lower case, without punctuation marks around them.
fn words(text: &str, language: Language) -> impl Iterator<Item = String> + '_ {
    let ranges: Vec<&str> = match is_unspaced(language) {
        true => segment(text, language).into_iter().map(|range| &text[range]).collect(),
        false => text.split_whitespace().collect(),
    };
    let trimmed = ranges.into_iter().map(|word| word.trim_matches(|letter: char| !letter.is_alphanumeric()));
    trimmed.filter(|word| !word.is_empty()).map(str::to_lowercase)
}

fn is_unspaced(language: Language) -> bool {
    matches!(language, Language::Zh | Language::Ja)
}

/// Field of an item without texts that keeps whether its question is negated.
pub(super) const NEGATED: &str = "#negated";

/// Words that negate, or in Chinese and Japanese parts of words.
fn negations(language: Language) -> &'static [&'static str] {
    match language {
        Language::Zh => &["不", "没", "未", "无"],
        Language::Ja => &["ない", "なかっ", "ません", "ず"],
        Language::De => &["nicht", "kein", "keine", "keinen", "keiner", "nie", "niemals", "nein", "ohne"],
        Language::Fr => &["ne", "pas", "non", "jamais", "sans", "aucun", "aucune"],
        Language::Ru => &["не", "нет", "ни", "никогда", "без"],
        Language::Ar => &["لا", "لم", "لن", "ليس", "ليست", "غير"],
        Language::Hi => &["नहीं", "न", "मत", "बिना"],
        Language::Bn => &["না", "নয়", "নেই", "নি"],
        _ => &["not", "no", "never", "cannot", "without", "neither", "nor"],
    }
}

/// Whether the question has a word that negates.
pub fn is_negated(item: &Item) -> bool {
    let negations = negations(item.language);
    item.fields.contains_key(NEGATED)
        || match is_unspaced(item.language) {
            true => negations.iter().any(|part| item.question.contains(part)),
            false => words(&item.question, item.language).any(|word| {
                let contracted = word.ends_with("n't") || word.ends_with("n’t");
                contracted || word.starts_with("n'") || negations.contains(&&*word)
            }),
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::{Benchmark, LoadOptions};

    fn item(question: &str, options: &[&str], language: Language) -> Item {
        let demo = Benchmark::Demo.load("".as_ref(), &LoadOptions::default()).unwrap().items.remove(0);
        let options = options.iter().map(ToString::to_string).collect();
        let mut item = Item { question: question.into(), options, gold: Answer::Single(OptionIx(0)), language, ..demo };
        item.context.truncate(1);
        item.context[0].text = "Ann puts the ball into the red box. Bo is not there.".into();
        item
    }

    #[test]
    fn equal_options_share_the_credit() {
        let credit = |rule: Rule, options: &[&str]| {
            rule.credit(&item("Where?", options, Language::En), &mut StoryWords::default())
        };
        let places = ["the red box", "a blue bag", "elsewhere"];
        assert_eq!(credit(Rule::Longest, &places), Some(1.0));
        assert_eq!(credit(Rule::Longest, &["ball", "bags"]), Some(0.5));
        assert_eq!(credit(Rule::MostShared, &places), Some(1.0));
        assert_eq!(credit(Rule::MostShared, &["x", "y"]), None);
        assert_eq!(credit(Rule::Place(1), &places), Some(0.0));
        assert_eq!(credit(Rule::Text("nowhere".into()), &places), None);
        assert_eq!(credit(Rule::FirstNamed, &["ball", "red"]), Some(1.0));
        assert_eq!(credit(Rule::LastNamed, &["ball", "red"]), Some(0.0));
    }

    #[test]
    fn questions_are_negated_by_words_and_not_by_parts_of_them() {
        let negated = |question: &str, language| is_negated(&item(question, &["a", "b"], language));
        assert!(negated("Is that not effective?", Language::En) && negated("Didn't he know?", Language::En));
        assert!(!negated("What is known of the note?", Language::En));
        assert!(negated("小明知不知道？", Language::Zh) && !negated("小明知道吗？", Language::Zh));
        assert!(negated("N'est-il pas là ?", Language::Fr));
    }
}
