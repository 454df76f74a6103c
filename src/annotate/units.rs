//! Turns items and records into units.

use indexmap::{IndexMap, IndexSet};
use serde::Deserialize;

use super::task::{Beside, Pieces, TextPiece};
use super::{Mode, Scheme, Subject, Task, TaskError, Unit};
use crate::benchmark::{Answer, Benchmark, Item, OptionIx, SegmentKind};
use crate::language::Language;
use crate::prompt::Order;
use crate::record::TrialRecord;
use crate::segment::segment_names;

/// Collects texts and units; a text shared by several units is stored once.
struct Gathering {
    texts: IndexSet<TextPiece>,
    units: Vec<Unit>,
    /// Whether words are marked.
    cut: bool,
    blind: bool,
}

impl Gathering {
    fn new(cut: bool, blind: bool) -> Self {
        Gathering { texts: IndexSet::new(), units: Vec::new(), cut, blind }
    }

    /// Adds a text and returns its index.
    fn text(&mut self, kind: &str, text: &str, language: Language) -> usize {
        self.piece(kind, text, language, self.cut)
    }

    fn piece(&mut self, kind: &str, text: &str, language: Language, cut: bool) -> usize {
        let text = match cut {
            true => {
                Pieces::Cut(segment_names(text, language).into_iter().map(|range| text[range].to_string()).collect())
            }
            false => Pieces::Whole(text.to_string()),
        };
        self.texts.insert_full(TextPiece { kind: kind.to_string(), text }).0
    }

    /// An item's texts, options and, unless blind, its gold answer.
    fn item(&mut self, item: &Item) -> Unit {
        let mut unit = Unit::new(&item.id, &item.story);
        unit.language = item.language.code().to_string();
        unit.rtl = item.language.is_right_to_left();
        unit.texts = item.context.iter().map(|part| self.text(part.kind.name(), &part.text, item.language)).collect();
        unit.question = Some(self.text("question", &item.question, item.language));
        unit.options.clone_from(&item.options);
        unit.kind = item.gold.kind().to_string();
        if let Answer::Slots(slots) = &item.gold {
            unit.slots = slots.len();
        }
        unit.gold = (!self.blind).then(|| item.gold.options());
        unit
    }

    fn task(self, mode: Mode, scheme: Option<Scheme>) -> Result<Task, TaskError> {
        if self.units.is_empty() {
            return Err(TaskError::Nothing(mode.name()));
        }
        let texts = self.texts.into_iter().collect();
        Ok(Task { mode, texts, units: self.units, scheme, benchmarks: Vec::new(), adjudicates: false })
    }
}

/// Number of words with a letter or digit.
fn words_in(text: &str, language: Language) -> usize {
    let holds_word = |range: &std::ops::Range<usize>| text[range.clone()].chars().any(char::is_alphanumeric);
    segment_names(text, language).iter().filter(|range| holds_word(range)).count()
}

/// Items to answer. Versions of one question are for different people.
pub fn answered(items: &[Item], blind: bool) -> Result<Task, TaskError> {
    let mut all = Gathering::new(false, blind);
    for item in items {
        let unit = all.item(item);
        all.units.push(Unit { parallel: Some(item.parallel.clone()), ..unit });
    }
    all.task(Mode::Answer, None)
}

/// Items in which to mark the deciding words; `blind` hides the right answer.
pub fn marked_units(items: &[Item], blind: bool) -> Result<Task, TaskError> {
    let mut all = Gathering::new(true, blind);
    for item in items {
        let mut unit = all.item(item);
        unit.words = item.context.iter().map(|part| words_in(&part.text, item.language)).sum::<usize>()
            + words_in(&item.question, item.language);
        all.units.push(unit);
    }
    all.task(Mode::Mark, None)
}

/// The facts about a unit that tables are grouped by.
fn facts(item: &Item, scheme: &Scheme) -> IndexMap<String, String> {
    let mut facts = IndexMap::from([
        ("item".to_string(), item.id.clone()),
        ("story".to_string(), item.story.clone()),
        ("benchmark".to_string(), item.benchmark.to_string()),
        ("language".to_string(), item.language.code().to_string()),
    ]);
    if let Some(value) = scheme.by.as_ref().and_then(|facet| Some((facet, item.facet(facet)?))) {
        facts.insert(value.0.clone(), value.1.to_string());
    }
    facts
}

/// A made text beside its source: the texts with their kinds (`story`, `question`, `option`), in order.
#[derive(Debug, Clone)]
pub struct MadeTexts {
    pub id: String,
    pub source: (Language, Vec<(&'static str, String)>),
    pub made: (Language, Vec<(&'static str, String)>),
    /// The made text translated back.
    pub back: Option<Vec<(&'static str, String)>>,
    /// Another version of the made text, to choose.
    pub other: Option<Vec<(&'static str, String)>>,
}

/// The benchmark that a made text comes from; a sample of one in a file of one's own questions is still of that one.
fn benchmark_of(id: &str) -> &str {
    let mut names = id.split('/');
    let first = names.next().unwrap_or_default();
    let inner = names.next().filter(|name| first == Benchmark::Custom.name() && name.parse::<Benchmark>().is_ok());
    inner.unwrap_or(first)
}

/// Made texts to judge and to correct, each beside its source and its translation back.
pub fn made_texts(all_made: &[MadeTexts], scheme: &Scheme) -> Result<Task, TaskError> {
    let mut all = Gathering::new(spans_wanted(scheme), true);
    for MadeTexts { id, source, made, back, other } in all_made {
        let mut unit = Unit::new(id, id);
        let (language, texts) = made;
        unit.language = language.code().to_string();
        unit.rtl = language.is_right_to_left();
        unit.words = texts.iter().map(|(_, text)| words_in(text, *language)).sum();
        unit.judged = texts.iter().map(|(kind, text)| all.text(kind, text, *language)).collect();
        unit.editable = true;
        let (from, source) = source;
        let mut beside = |language: Language, texts: &[(&str, String)]| Beside {
            language: language.code().to_string(),
            rtl: language.is_right_to_left(),
            texts: texts.iter().map(|(kind, text)| all.piece(kind, text, language, false)).collect(),
        };
        unit.beside = Some(beside(*from, source));
        unit.back = back.as_ref().map(|back| beside(*from, back));
        unit.other = other.as_ref().map(|other| beside(*language, other));
        let benchmark = benchmark_of(id).to_string();
        let facts = [("item", id), ("story", id), ("benchmark", &benchmark), ("language", &unit.language.clone())];
        unit.facts = facts.map(|(name, value)| (name.to_string(), value.clone())).into();
        all.units.push(unit);
    }
    all.task(Mode::Judge, Some(scheme.clone()))
}

/// Stories or whole questions to judge, depending on the scheme's subject.
pub fn stories(items: &[Item], scheme: &Scheme, blind: bool) -> Result<Task, TaskError> {
    let mut all = Gathering::new(spans_wanted(scheme), blind);
    if scheme.of == Subject::Items {
        for item in items {
            let unit = all.item(item);
            let words = words_in(&item.question, item.language);
            all.units.push(Unit { facts: facts(item, scheme), words, ..unit });
        }
        return all.task(Mode::Judge, Some(scheme.clone()));
    }
    for (_, rendered) in by_story(items) {
        // Some benchmarks show each question only the events before it: the longest version is the story.
        let told_length = |item: &&&Item| item.context.iter().map(|part| part.text.len()).sum::<usize>();
        let Some(first) = rendered.iter().rev().max_by_key(told_length) else { continue };
        let shown = first.context.iter().filter(|part| part.kind != SegmentKind::Target);
        let mut unit = Unit::new(&first.story, &first.story);
        unit.language = first.language.code().to_string();
        unit.rtl = first.language.is_right_to_left();
        unit.judged = shown.map(|part| all.text(part.kind.name(), &part.text, first.language)).collect();
        unit.words = first.context.iter().map(|part| words_in(&part.text, first.language)).sum();
        unit.facts = facts(first, scheme);
        unit.facts.insert("item".to_string(), first.story.clone());
        all.units.push(unit);
    }
    all.task(Mode::Judge, Some(scheme.clone()))
}

/// Sketches that stories were written from, one stretch of text each, to be shown beside them by id of the story. Whether all
/// have one.
pub fn beside_sketches(task: &mut Task, sketches: &IndexMap<String, Vec<String>>) -> bool {
    let mut all = true;
    for unit in &mut task.units {
        let Some(lines) = sketches.get(&unit.id) else {
            all = false;
            continue;
        };
        let piece = |text: &String| TextPiece { kind: "sketch".to_string(), text: Pieces::Whole(text.clone()) };
        let begin = task.texts.len();
        task.texts.extend(lines.iter().map(piece));
        unit.beside =
            Some(Beside { language: unit.language.clone(), rtl: unit.rtl, texts: (begin..task.texts.len()).collect() });
    }
    all
}

fn spans_wanted(scheme: &Scheme) -> bool {
    scheme.questions.iter().any(|question| question.kind == super::Kind::Spans)
}

fn by_story(items: &[Item]) -> IndexMap<(&str, &str), Vec<&Item>> {
    let mut stories: IndexMap<(&str, &str), Vec<&Item>> = IndexMap::new();
    for item in items {
        stories.entry((item.language.code(), item.story.as_str())).or_default().push(item);
    }
    stories
}

/// Stories with all their questions in each language except `beside`, next to the same in that language. Stories
/// without an original for any question are skipped and counted.
pub fn translations(items: &[Item], scheme: &Scheme, beside: Language) -> Result<(Task, usize), TaskError> {
    let mut originals: IndexMap<&str, &Item> = IndexMap::new();
    for item in items.iter().filter(|item| item.language == beside) {
        originals.entry(item.parallel.as_str()).or_insert(item);
    }
    let mut all = Gathering::new(spans_wanted(scheme), true);
    let (mut left_out, mut other) = (0, None);
    for (_, rendered) in by_story(items) {
        let Some(first) = rendered.first().filter(|item| item.language != beside) else { continue };
        other = other.or(Some(first.language));
        let paired: Vec<(&Item, &Item)> =
            rendered.iter().filter_map(|item| Some((*item, *originals.get(item.parallel.as_str())?))).collect();
        let Some((_, original)) = paired.first() else {
            left_out += 1;
            continue;
        };
        let mut unit = Unit::new(&first.story, &first.story);
        unit.language = first.language.code().to_string();
        unit.rtl = first.language.is_right_to_left();
        (unit.judged, unit.words) = all.whole(first, paired.iter().map(|(item, _)| *item), true);
        let (texts, _) = all.whole(original, paired.iter().map(|(_, original)| *original), false);
        let (language, rtl) = (beside.code().to_string(), beside.is_right_to_left());
        unit.beside = Some(Beside { language, rtl, texts });
        unit.facts = facts(first, scheme);
        unit.facts.insert("item".to_string(), first.story.clone());
        // Translations of a story count as one story, so that intervals over languages do not count it several times.
        unit.facts.insert("story".to_string(), original.story.clone());
        all.units.push(unit);
    }
    match (all.units.is_empty(), other) {
        (true, Some(language)) => {
            Err(TaskError::NoOriginal { language: language.code().into(), beside: beside.code().into() })
        }
        (true, None) if !items.is_empty() => Err(TaskError::NoTranslations(beside.code().into())),
        _ => Ok((all.task(Mode::Judge, Some(scheme.clone()))?, left_out)),
    }
}

impl Gathering {
    /// A story with its questions and their options, as texts, and the number of words.
    fn whole<'a>(&mut self, first: &Item, items: impl Iterator<Item = &'a Item>, cut: bool) -> (Vec<usize>, usize) {
        let language = first.language;
        let mut shown: IndexSet<(String, String)> = IndexSet::new();
        for part in first.context.iter().filter(|part| part.kind != SegmentKind::Target) {
            shown.insert((part.kind.name().to_string(), part.text.to_string()));
        }
        for item in items {
            shown.insert(("question".into(), item.question.clone()));
            for option in &item.options {
                shown.insert(("option".into(), option.clone()));
            }
        }
        let words = shown.iter().map(|(_, text)| words_in(text, language)).sum();
        let cut = cut && self.cut;
        (shown.into_iter().map(|(kind, text)| self.piece(&kind, &text, language, cut)).collect(), words)
    }
}

/// Collects the answers of runs to judge.
pub struct ReplyUnits<'a> {
    all: Gathering,
    items: IndexMap<&'a str, &'a Item>,
    scheme: &'a Scheme,
    several: bool,
}

impl<'a> ReplyUnits<'a> {
    /// Answers to these items. With `several` runs, unit ids include the run.
    pub fn new(items: &'a [Item], scheme: &'a Scheme, blind: bool, several: bool) -> Self {
        let items = items.iter().map(|item| (item.id.as_str(), item)).collect();
        ReplyUnits { all: Gathering::new(false, blind), items, scheme, several }
    }

    /// Adds the units of one run: the written reply, otherwise the choice by log-likelihood, for every item, style,
    /// condition, order and sample. Failed trials have no answer. `choice` returns the choice of a record in canonical
    /// options.
    pub fn add(
        &mut self,
        run: &str,
        records: &[TrialRecord],
        choice: impl Fn(&TrialRecord, &Item) -> Option<Answer>,
    ) -> usize {
        let before = self.all.units.len();
        let of_item = |record: &&TrialRecord| self.items.contains_key(record.id.as_str());
        let mut seen: IndexMap<&str, usize> = IndexMap::new();
        for record in records.iter().filter(of_item) {
            *seen.entry(record.id.as_str()).or_default() += 1;
        }
        for record in records {
            let Some(&item) = self.items.get(record.id.as_str()) else { continue };
            if record.failure.is_some() {
                continue;
            }
            let reply = record.asks.iter().find_map(|ask| ask.reply.as_ref());
            let chosen = choice(record, item);
            if reply.is_none() && chosen.is_none() {
                continue;
            }
            let mut unit = self.all.item(item);
            if self.several {
                unit.id = format!("{} | {run}", unit.id);
            }
            if seen[record.id.as_str()] > 1 {
                unit.id.push_str(&how(record));
            }
            unit.facts = facts(item, self.scheme);
            unit.facts.insert("run".into(), run.to_string());
            unit.facts.insert("style".into(), record.style.clone());
            unit.options = in_order(&item.options, &record.order);
            unit.gold = unit.gold.map(|gold| gold.into_iter().map(|option| slot(&record.order, option)).collect());
            unit.chosen = chosen.map(|answer| answer.options().iter().map(|&it| slot(&record.order, it)).collect());
            if let Some(reply) = reply {
                let thoughts = reply.thinking.iter().map(String::as_str).filter(|text| !text.is_empty());
                let texts = thoughts.map(|text| ("thoughts", text)).chain([("reply", reply.text.as_str())]);
                unit.judged = texts.map(|(kind, text)| self.all.piece(kind, text, item.language, false)).collect();
                unit.words = words_in(&reply.text, item.language);
            }
            self.all.units.push(unit);
        }
        self.all.units.len() - before
    }

    /// The task.
    pub fn task(self) -> Result<Task, TaskError> {
        match self.all.units.is_empty() {
            true => Err(TaskError::NoReplies),
            false => self.all.task(Mode::Judge, Some(self.scheme.clone())),
        }
    }
}

/// A reply of `tomeval probe recall --out`.
#[derive(Debug, Clone, Deserialize)]
pub struct Recitation {
    id: String,
    /// The benchmark with whose items it was compared.
    pub benchmark: Benchmark,
    language: Language,
    protocol: String,
    test: Option<String>,
    trial: usize,
    reply: String,
    /// The released text that it was compared with.
    released: String,
}

/// Recitations to judge beside the released texts, from files with these names.
pub fn recitations(files: &[(String, Vec<Recitation>)], scheme: &Scheme) -> Result<Task, TaskError> {
    let mut all = Gathering::new(false, true);
    for (file, row) in files.iter().flat_map(|(file, rows)| rows.iter().map(move |row| (file, row))) {
        let asked = row.test.as_ref().unwrap_or(&row.protocol);
        let several = if files.len() > 1 { format!(" | {file}") } else { String::new() };
        // A completion has one reply for each story, other questions one for each trial.
        let of = if row.protocol == "completion" { row.id.clone() } else { format!("trial {}", row.trial) };
        let id = format!("{} | {} | {asked} | {of}{several}", row.benchmark, row.language);
        let mut unit = Unit::new(&id, &id);
        unit.language = row.language.code().to_string();
        unit.rtl = row.language.is_right_to_left();
        unit.texts = vec![all.text("story", &row.released, row.language)];
        unit.judged = vec![all.text("reply", &row.reply, row.language)];
        unit.words = words_in(&row.reply, row.language);
        let facts = [
            ("item", row.id.as_str()),
            ("story", &id),
            ("benchmark", row.benchmark.name()),
            ("language", row.language.code()),
            ("protocol", asked),
            ("run", file),
        ];
        unit.facts = facts.map(|(name, value)| (name.to_string(), value.to_string())).into();
        all.units.push(unit);
    }
    all.task(Mode::Judge, Some(scheme.clone()))
}

/// Suffix that distinguishes a record from others of its item.
fn how(record: &TrialRecord) -> String {
    let order: Vec<String> = record.order.as_slice().iter().map(usize::to_string).collect();
    let condition = record.condition.as_ref().map_or(String::new(), |condition| format!(" | {condition}"));
    let sample = record.sample.map_or(String::new(), |sample| format!(" | sample {sample}"));
    format!("{condition} | order {}{sample}", order.join("-"))
}

fn in_order(options: &[String], order: &Order) -> Vec<String> {
    match order.len() == options.len() {
        true => order.as_slice().iter().map(|&option| options[option].clone()).collect(),
        false => options.to_vec(),
    }
}

fn slot(order: &Order, option: usize) -> usize {
    match option < order.len() {
        true => order.slot_of(OptionIx(option)).0,
        false => option,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_texts_are_of_the_benchmark_that_they_were_drawn_from() {
        let ids = ["tomi/7/en", "custom/fantom/3-0/en", "custom/s1/en", "custom/custom/x/en"];
        assert_eq!(ids.map(benchmark_of), ["tomi", "fantom", "custom", "custom"]);
    }
}
