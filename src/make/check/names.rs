//! Names of persons and places: what each is called in the other language is learned from the whole set, and a text
//! that calls it otherwise is found.
//!
//! One of the two languages must write names with capitals. A name may have several forms in a set (`Xiao Li` is 小李 in
//! one story and 小丽 in another), so the form that counts is that of most texts about the same story.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::words::words_of;
use super::{Check, Flag, Made, is_unspaced};
use crate::language::Language;
use crate::make::texts::{Part, Texts};

/// Least share of a form's texts that have the name.
const SHARE: f64 = 0.6;

/// Least share of a name's texts that have the form.
const COVERED: f64 = 0.05;

/// Least share of a name's texts that have a form taken for its only one, and their least number.
const USUAL: (f64, usize) = (0.8, 5);

/// Least share of a name's texts that have a form by which other names are recognised.
const FAMILIAR_FORM: f64 = 0.5;

/// Most forms of a name that are considered.
const MOST_FORMS: usize = 40;

/// Longest form in an unspaced script, in characters.
const LONGEST: usize = 5;

/// Forms of a name in the other language, with the number of texts that have both; most texts first.
#[derive(Debug, Default)]
struct Forms {
    /// Texts that have the name.
    texts: usize,
    forms: Vec<(String, usize)>,
}

impl Forms {
    /// Returns the form of at least this share of the texts, if they are enough.
    fn usual(&self, share: f64) -> Option<&str> {
        let (form, texts) = self.forms.first()?;
        (*texts >= USUAL.1 && *texts as f64 >= share * self.texts as f64).then_some(form)
    }
}

/// Names of a set with their forms.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Whether the target writes the capitals.
    turned: bool,
    unspaced: bool,
    known: BTreeMap<String, Forms>,
    /// All words that are names.
    words: HashSet<String>,
}

/// A text with the names in it, and the same text in the other language.
struct Pair<'a> {
    part: Part,
    named: &'a str,
    /// How often each stands in it.
    names: BTreeMap<String, usize>,
    other: &'a str,
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
        let all: Vec<(&str, &str)> = pairs
            .iter()
            .flat_map(|(source, target)| names.sides(source, target))
            .map(|(_, text, other)| (text, other))
            .collect();
        names.words = name_words(all.iter().map(|(text, _)| *text));
        let mut places: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, (text, _)) in all.iter().enumerate() {
            for name in names.names_in(text).into_keys() {
                places.entry(name).or_default().push(at);
            }
        }
        let grams: Vec<HashSet<String>> = all.iter().map(|(_, other)| names.grams(other)).collect();
        let mut counts: HashMap<&str, usize> = HashMap::new();
        grams.iter().flatten().for_each(|gram| *counts.entry(gram).or_default() += 1);
        for (name, places) in places {
            let mut both: HashMap<&str, usize> = HashMap::new();
            places.iter().flat_map(|&at| &grams[at]).for_each(|gram| *both.entry(gram).or_default() += 1);
            let is_form = |gram: &str, both: usize| {
                both > 1
                    && both as f64 >= SHARE * counts.get(gram).copied().unwrap_or(both) as f64
                    && both as f64 >= COVERED * places.len() as f64
            };
            let mut forms: Vec<(String, usize)> = both
                .iter()
                .filter(|(gram, both)| is_form(gram, **both))
                .map(|(gram, both)| (gram.to_string(), *both))
                .collect();
            let key = |(gram, both): &(String, usize)| (std::cmp::Reverse((*both, gram.chars().count())), gram.clone());
            forms.sort_by_key(key);
            forms.truncate(MOST_FORMS);
            names.known.insert(name, Forms { texts: places.len(), forms });
        }
        names
    }

    /// Returns every text of the side with capitals, with the same text of the other side.
    fn sides<'a>(&self, source: &'a Texts, target: &'a Texts) -> Vec<(Part, &'a str, &'a str)> {
        let side = |(part, text): (Part, &'a str)| match self.turned {
            true => (part, target.at(part), text),
            false => (part, text, target.at(part)),
        };
        source.parts().into_iter().map(side).collect()
    }

    /// Finds texts in which a name's form is missing while the form of another name stands there, or one like it.
    pub fn check(&self, made: &Made<'_>, flags: &mut Vec<Flag>) {
        let pairs: Vec<Pair<'_>> = self
            .sides(made.source, made.target)
            .into_iter()
            .map(|(part, named, other)| Pair { part, named, names: self.names_in(named), other })
            .filter(|pair| !pair.other.is_empty())
            .collect();
        let all: BTreeSet<&String> = pairs.iter().flat_map(|pair| pair.names.keys()).collect();
        // The usual form of the set, or that of most texts of this story; whether the story has it.
        let mut own: BTreeMap<&str, (&str, bool)> = BTreeMap::new();
        for name in all {
            let with_name: Vec<&Pair<'_>> = pairs.iter().filter(|pair| pair.names.contains_key(name)).collect();
            let Some(forms) = self.known.get(name) else { continue };
            let texts = |form: &str| with_name.iter().filter(|pair| self.contains(pair.other, form)).count();
            // The first of those in most texts: more of the set have it.
            let best =
                forms.forms.iter().map(|(form, _)| (form.as_str(), texts(form))).rev().max_by_key(|(_, texts)| *texts);
            match (forms.usual(USUAL.0), best) {
                (Some(form), _) => {
                    own.insert(name, (form, texts(form) > 0));
                }
                (None, Some((form, texts))) if texts > 1 && 2 * texts >= with_name.len() => {
                    own.insert(name, (form, true));
                }
                _ => {}
            }
        }
        for pair in &pairs {
            self.check_one(pair, &own, flags);
        }
    }

    fn check_one(&self, pair: &Pair<'_>, own: &BTreeMap<&str, (&str, bool)>, flags: &mut Vec<Flag>) {
        let Pair { part, named, names: here, other } = pair;
        let forms: Vec<&str> = here.keys().filter_map(|name| Some(own.get(name.as_str())?.0)).collect();
        let missing = here
            .keys()
            .filter_map(|name| Some((name, *own.get(name.as_str())?)))
            .find(|(_, (form, _))| !self.contains(other, form));
        let Some((name, (wanted, of_story))) = missing else { return };
        // Forms of names that stand here without a known one.
        let unclear: HashSet<&str> = here
            .keys()
            .filter(|name| !own.contains_key(name.as_str()))
            .filter_map(|name| self.known.get(name))
            .flat_map(|forms| forms.forms.iter().map(|(form, _)| form.as_str()))
            .collect();
        let of_story_forms = own.iter().filter(|(name, _)| !here.contains_key(**name)).map(|(_, (form, _))| *form);
        let of_set =
            self.known.iter().filter(|(name, _)| !here.contains_key(*name) && !own.contains_key(name.as_str()));
        let of_set = of_set.filter_map(|(_, forms)| forms.usual(FAMILIAR_FORM));
        let foreign = of_story_forms.chain(of_set).find(|form| {
            self.contains(other, form)
                && !unclear.contains(form)
                && forms.iter().all(|own| !own.contains(form) && !form.contains(own))
        });
        // A name that stands here more often than in the source stands for another one.
        let doubled = here.iter().find_map(|(name, &times)| {
            let form = own.get(name.as_str())?.0;
            (other.to_lowercase().matches(form).count() > times).then_some(form)
        });
        let like = || if of_story { self.like(other, wanted, &forms) } else { None };
        let found = foreign.or(doubled).map(str::to_string).or_else(like);
        if let Some(found) = found {
            let message = format!("{name} is {wanted} elsewhere, but {found} stands here");
            flags.push(Flag::new(Check::Name, *part, &found, message));
        } else if plain(named) == plain(name) {
            let message = format!("{name} is {wanted} elsewhere");
            flags.push(Flag::new(Check::Name, *part, other, message));
        }
    }

    fn contains(&self, text: &str, wanted: &str) -> bool {
        if self.unspaced {
            return text.contains(wanted);
        }
        self.grams(text).contains(wanted) || text.to_lowercase().contains(wanted)
    }

    /// Returns a word that differs from `wanted` in a letter or two.
    fn like(&self, text: &str, wanted: &str, known: &[&str]) -> Option<String> {
        let wanted_letters: Vec<char> = wanted.chars().collect();
        if self.unspaced {
            let (first, rest) = wanted_letters.split_first()?;
            if rest.len() != 1 || !FAMILIAR.contains(first) {
                return None;
            }
            let letters: Vec<char> = text.chars().collect();
            let found = letters.windows(2).find(|pair| {
                pair[0] == *first
                    && matches!(pair[1], '\u{4e00}'..='\u{9fff}')
                    && !AFTER_FAMILIAR.contains(&pair[1])
                    && !known.contains(&pair.iter().collect::<String>().as_str())
            });
            return found.map(|pair| pair.iter().collect());
        }
        if wanted_letters.len() < 4 {
            return None;
        }
        let words = words_of(text).into_iter().map(|(word, _)| word);
        words.into_iter().filter(|word| !known.contains(&word.as_str())).find(|word| {
            let letters: Vec<char> = word.chars().collect();
            letters.len() >= 4
                && letters[0] == wanted_letters[0]
                && (1..=2).contains(&distance(&letters, &wanted_letters))
        })
    }

    /// Returns the names in a text, words of one name together and without spaces: `Xiao Li` is `Xiaoli`.
    fn names_in(&self, text: &str) -> BTreeMap<String, usize> {
        let mut names: Vec<String> = Vec::new();
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
        let mut counts = BTreeMap::new();
        names.into_iter().for_each(|name| *counts.entry(name.replace(' ', "")).or_default() += 1);
        counts
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
