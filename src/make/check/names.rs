//! Names of persons and places: what each is called in the other language is learned from the whole set, and a text
//! that calls it otherwise is found.
//!
//! One of the two languages must write names with capitals. A name's translation is the stretch of the other text that
//! stands where the name does and nowhere else (the largest Dice coefficient over stories, questions and options).

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::words::words_of;
use super::{Check, Flag, Made, is_unspaced};
use crate::language::Language;
use crate::make::translate::Texts;

/// Least Dice coefficient of a name and its translation.
const DICE: f64 = 0.7;

/// Fewest texts with a name from which its translation is learned.
const FEWEST: usize = 2;

/// Longest translation of a name in an unspaced script, in characters.
const LONGEST: usize = 5;

/// Names of a set with their translations.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Whether the target writes the capitals.
    turned: bool,
    unspaced: bool,
    /// A name to its translation.
    known: BTreeMap<String, String>,
    /// All words that are names.
    words: HashSet<String>,
}

impl Names {
    /// Learns names from pairs of source and target.
    pub fn learn(source: Language, target: Language, pairs: &[(&Texts, &Texts)]) -> Self {
        let turned = match (has_capitals(source), has_capitals(target)) {
            (true, _) => false,
            (false, true) => true,
            (false, false) => return Names::default(),
        };
        let other = if turned { source } else { target };
        let mut names = Names { turned, unspaced: is_unspaced(other), ..Names::default() };
        let mut texts: Vec<(&str, &str)> = Vec::new();
        for (source, target) in pairs {
            for (part, text) in source.parts() {
                let rendered = target.at(part);
                texts.push(if turned { (rendered, text) } else { (text, rendered) });
            }
        }
        names.words = name_words(texts.iter().map(|(text, _)| *text));
        let mut places: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, (text, _)) in texts.iter().enumerate() {
            for name in names.names_in(text) {
                places.entry(name).or_default().push(at);
            }
        }
        let grams: Vec<HashSet<String>> = texts.iter().map(|(_, text)| names.grams(text)).collect();
        let mut counts: HashMap<&str, usize> = HashMap::new();
        grams.iter().flatten().for_each(|gram| *counts.entry(gram).or_default() += 1);
        for (name, places) in places.into_iter().filter(|(_, places)| places.len() >= FEWEST) {
            let mut both: HashMap<&str, usize> = HashMap::new();
            places.iter().flat_map(|&at| &grams[at]).for_each(|gram| *both.entry(gram).or_default() += 1);
            let dice = |gram: &str, both: usize| 2.0 * both as f64 / (places.len() + counts[gram]) as f64;
            let best = both.iter().filter(|(_, both)| **both >= FEWEST).max_by(|(one, n), (other, m)| {
                let lengths = one.chars().count().cmp(&other.chars().count());
                dice(one, **n).total_cmp(&dice(other, **m)).then(lengths).then(other.cmp(one))
            });
            if let Some((gram, _)) = best.filter(|(gram, both)| dice(gram, **both) >= DICE) {
                names.known.insert(name, (*gram).to_string());
            }
        }
        names
    }

    /// Finds texts in which a name's translation is missing while another name stands there, or one like it.
    pub fn check(&self, made: &Made<'_>, flags: &mut Vec<Flag>) {
        let mut all: BTreeSet<String> = BTreeSet::new();
        for (part, text) in made.source.parts() {
            let named = if self.turned { made.target.at(part) } else { text };
            all.extend(self.names_in(named));
        }
        for (part, text) in made.source.parts() {
            let rendered = made.target.at(part);
            let (named, other) = if self.turned { (rendered, text) } else { (text, rendered) };
            if other.is_empty() {
                continue;
            }
            let here: BTreeSet<String> = self.names_in(named);
            let own: Vec<&str> = here.iter().filter_map(|name| self.known.get(name)).map(String::as_str).collect();
            let missing: Vec<(&String, &String)> = here
                .iter()
                .filter_map(|name| Some((name, self.known.get(name)?)))
                .filter(|(_, wanted)| !self.contains(other, wanted))
                .collect();
            let Some((name, wanted)) = missing.first() else { continue };
            let foreign = self
                .known
                .iter()
                .filter(|(known, _)| !here.contains(*known))
                .map(|(_, rendered)| rendered.as_str())
                .find(|rendered| {
                    self.contains(other, rendered)
                        && own.iter().all(|own| !own.contains(rendered) && !rendered.contains(own))
                });
            let span = match foreign {
                Some(foreign) => {
                    Some((foreign.to_string(), format!("{name} is {wanted} elsewhere, but {foreign} stands here")))
                }
                None => self.like(other, wanted).map(|like| {
                    let message = format!("{name} is {wanted} elsewhere, and {like} here");
                    (like, message)
                }),
            };
            if let Some((span, message)) = span {
                flags.push(Flag::new(Check::Name, part, &span, message));
            } else if plain(named) == plain(name) {
                let message = format!("{name} is {wanted} elsewhere");
                flags.push(Flag::new(Check::Name, part, other, message));
            }
        }
    }

    fn contains(&self, text: &str, wanted: &str) -> bool {
        if self.unspaced {
            return text.contains(wanted);
        }
        self.grams(text).contains(wanted) || text.to_lowercase().contains(wanted)
    }

    /// Returns a word that differs from `wanted` in a letter or two.
    fn like(&self, text: &str, wanted: &str) -> Option<String> {
        let wanted_letters: Vec<char> = wanted.chars().collect();
        if self.unspaced {
            let (first, rest) = wanted_letters.split_first()?;
            if rest.len() != 1 || !FAMILIAR.contains(first) {
                return None;
            }
            let letters: Vec<char> = text.chars().collect();
            let found = letters.windows(2).find(|pair| {
                pair[0] == *first && matches!(pair[1], '\u{4e00}'..='\u{9fff}') && !AFTER_FAMILIAR.contains(&pair[1])
            });
            return found.map(|pair| pair.iter().collect());
        }
        if wanted_letters.len() < 4 {
            return None;
        }
        let words = words_of(text).into_iter().map(|(word, _)| word);
        words.into_iter().find(|word| {
            let letters: Vec<char> = word.chars().collect();
            letters.len() >= 4
                && letters[0] == wanted_letters[0]
                && (1..=2).contains(&distance(&letters, &wanted_letters))
        })
    }

    /// Returns the names in a text, words of one name together.
    fn names_in(&self, text: &str) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        let mut current: Option<(String, usize)> = None;
        for (word, range) in words_of(text) {
            let word = word.strip_suffix("'s").or(word.strip_suffix("’s")).unwrap_or(&word).to_string();
            let is_name = text[range.clone()].starts_with(char::is_uppercase) && self.words.contains(&word);
            current = match (is_name, current.take()) {
                (true, Some((name, end))) if text[end..range.start] == *" " => {
                    Some((format!("{name} {word}"), range.start + word.len()))
                }
                (true, before) => {
                    names.extend(before.map(|(name, _)| name));
                    Some((word.clone(), range.start + word.len()))
                }
                (false, before) => {
                    names.extend(before.map(|(name, _)| name));
                    None
                }
            };
        }
        names.extend(current.map(|(name, _)| name));
        names
    }

    /// Returns the stretches of a text that may be a name.
    fn grams(&self, text: &str) -> HashSet<String> {
        if !self.unspaced {
            let words: Vec<String> = words_of(text)
                .into_iter()
                .flat_map(|(word, _)| {
                    let plain = word.strip_suffix("'s").or(word.strip_suffix("’s")).map(str::to_string);
                    let elided = word.split_once(['\'', '’']).map(|(_, rest)| rest.to_string());
                    [Some(word), plain, elided].into_iter().flatten()
                })
                .collect();
            let pairs = words.windows(2).map(|pair| pair.join(" "));
            return words.iter().cloned().chain(pairs).collect();
        }
        let is_own = |letter: &char| matches!(letter, '\u{4e00}'..='\u{9fff}' | '\u{3040}'..='\u{30ff}' | '·');
        let letters: Vec<char> = text.chars().collect();
        let mut grams = HashSet::new();
        for run in letters.split(|letter| !is_own(letter)) {
            for length in 2..=LONGEST {
                grams.extend(run.windows(length).map(|gram| gram.iter().collect::<String>()));
            }
        }
        grams
    }
}

/// What stands before a name that it makes familiar.
const FAMILIAR: [char; 3] = ['小', '阿', '老'];

/// What follows these where no name does.
const AFTER_FAMILIAR: [char; 60] = [
    '时', '心', '孩', '学', '说', '组', '朋', '镇', '区', '姐', '猫', '狗', '鸟', '鸡', '鸭', '兔', '马', '路', '店',
    '船', '屋', '伙', '女', '男', '子', '型', '吃', '提', '礼', '事', '声', '块', '偷', '麦', '板', '师', '人', '公',
    '婆', '家', '年', '是', '实', '虎', '鼠', '鹰', '板', '同', '的', '姨', '伯', '拉', '里', '斯', '莲', '腿', '巧',
    '盒', '包', '袋',
];

/// Whether the language writes names with capitals, and few other words.
fn has_capitals(language: Language) -> bool {
    matches!(language.code(), "en" | "fr" | "es" | "it" | "pt" | "nl" | "ru" | "pl" | "sv" | "da" | "tr" | "vi")
}

fn plain(text: &str) -> String {
    text.to_lowercase().chars().filter(|letter| letter.is_alphanumeric()).collect()
}

/// Returns the words that are written with a capital within sentences, and never without.
fn name_words<'a>(texts: impl Iterator<Item = &'a str>) -> HashSet<String> {
    let (mut capital, mut small) = (HashSet::new(), HashSet::new());
    for text in texts {
        for (word, range) in words_of(text) {
            let word = word.strip_suffix("'s").or(word.strip_suffix("’s")).unwrap_or(&word).to_string();
            let written = &text[range.clone()];
            let before = text[..range.start].trim_end_matches([' ', '"', '“', '\'', '«', '(']);
            let begins = before.is_empty()
                || before.ends_with(['.', '!', '?', ':', '\n', ';', ',', '"', '”', '…', '-', '—'])
                    && !before.ends_with(',');
            let all_capitals = written.chars().count() > 1 && written.chars().all(|letter| !letter.is_lowercase());
            match written.starts_with(char::is_uppercase) {
                true if !begins && !all_capitals && written.chars().count() > 1 => {
                    capital.insert(word);
                }
                true => {}
                false => {
                    small.insert(word);
                }
            }
        }
    }
    capital.difference(&small).filter(|word| !TITLES.contains(&word.as_str())).cloned().collect()
}

/// Words with capitals that are not part of names, and are translated.
const TITLES: [&str; 32] = [
    "mr",
    "mrs",
    "ms",
    "miss",
    "dr",
    "uncle",
    "aunt",
    "teacher",
    "manager",
    "professor",
    "mom",
    "dad",
    "mother",
    "father",
    "grandma",
    "grandpa",
    "i",
    "i'm",
    "i'll",
    "i've",
    "i'd",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "christmas",
    "ok",
    "tv",
    "director",
];

/// The number of letters to change, add or leave out between two words.
fn distance(one: &[char], other: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], at + 1);
        for (place, known) in other.iter().enumerate() {
            let next = (diagonal + usize::from(letter != known)).min(row[place] + 1).min(row[place + 1] + 1);
            diagonal = std::mem::replace(&mut row[place + 1], next);
        }
    }
    row[other.len()]
}
