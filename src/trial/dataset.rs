//! The dataset of a run: which items of which benchmarks. Arguments make a [`Dataset`], and the settings in a manifest
//! make the same one again.

use std::collections::HashSet;
use std::fmt;
use std::path::{Path, PathBuf};

use indexmap::IndexMap;

use super::settings::Settings;
use crate::benchmark::{
    Benchmark, Choice, ChoiceError, Comparison, Item, LabelSet, LoadError, LoadOptions, Loaded, RowProblem,
    UnknownCount, compare, hi_tom, limit, limit_stories, most_like,
};
use crate::counted::counted;
use crate::language::Language;
use crate::story::{ClaimRule, Settings as StorySettings, SettingsError, Wording, generate};

use serde::{Deserialize, Serialize};

use sha2::{Digest, Sha256};

/// Hi-ToM stories made where no benchmark is named, and the answers each of their questions offers.
const MADE_STORIES: usize = 2;
const MADE_ANSWERS: usize = 15;

/// Which items of which benchmarks, and where their files are.
#[derive(Debug, Clone)]
pub struct Dataset {
    /// Benchmarks, in the order given.
    pub benchmarks: Vec<Benchmark>,
    /// Hi-ToM stories made for the run, in the place of released ones.
    pub made_stories: Option<usize>,
    /// The benchmark's folder, or the folder that holds it.
    pub files: Option<PathBuf>,
    /// Languages, labels and choices. Without a language a run asks the demo inventory in English and every other
    /// benchmark in all it has.
    pub options: LoadOptions,
    /// Which items of them, before limits.
    pub choice: Choice,
    /// Most questions a benchmark.
    pub limit: Option<usize>,
    /// Most stories a benchmark.
    pub limit_stories: Option<usize>,
    /// Seed of limits and made stories.
    pub seed: u64,
}

/// A dataset that cannot be loaded, or is not what it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DatasetError {
    /// A benchmark that is named twice.
    #[error("--benchmark {0} is given twice")]
    Twice(Benchmark),
    /// A choice that none of the benchmarks knows: it would change nothing.
    #[error("unknown choice `{name}`: {known}")]
    UnknownChoice {
        /// The choice as given.
        name: String,
        /// The choices of each benchmark, in words.
        known: String,
    },
    /// A benchmark of files without a place to look for them.
    #[error("--benchmark {0} needs its files: pass --data DIR or set TOMEVAL_DATA\n\n{source}", source = .0.card().source)]
    NoFiles(Benchmark),
    /// Files are named, but not what they are.
    #[error("--data {path}: {found}")]
    WhichBenchmark {
        /// The files.
        path: PathBuf,
        /// What is known of them and how to mend it, in words.
        found: String,
    },
    /// No benchmark is named, and none was found.
    #[error("no benchmark was found; pass --data DIR, and --benchmark NAME to learn where its files come from")]
    NothingFound,
    /// No item is left.
    #[error(
        "{benchmark}: its files hold no items in the languages asked for; {held} (the benchmark was published in {languages})"
    )]
    NoItems {
        benchmark: Benchmark,
        /// Which languages the files hold, in words.
        held: String,
        /// Codes of the languages the benchmark has.
        languages: String,
    },
    /// No item is left, and rows could not be read.
    #[error("{benchmark}: no row could be read:{problems}")]
    NothingRead {
        benchmark: Benchmark,
        /// The rows.
        problems: Problems,
    },
    /// An id that no item has.
    #[error("--item {id}: no such item in {benchmarks}{}", .nearest.as_ref().map_or(String::new(), |id| format!("; did you mean `{id}`?")))]
    UnknownItem {
        /// The id asked for.
        id: String,
        /// Names of the benchmarks.
        benchmarks: String,
        /// The id most like it.
        nearest: Option<String>,
    },
    /// The rules leave nothing.
    #[error("no item meets every --where and --item; loosen one of them")]
    NothingChosen,
    /// A choice that no item can meet.
    #[error(transparent)]
    Choice(#[from] ChoiceError),
    /// Ways to read a file of the user's own, and no such file.
    #[error(
        "--column, --text, --facet, --answers-are, --gold-base, --delimiter, --no-header and --card apply to a file of your own; pass it with --data FILE and --benchmark custom, or leave them out"
    )]
    NotOwn,
    /// The files are not those that a run was made from.
    #[error("the items of {0} differ from those the run was made from; pass --data with the same files")]
    Different(Benchmark),
    /// The items in a run's folder are not those that were written there.
    #[error("{path}: {message}; restore it, or delete inputs/data.json and pass --data with the benchmark's files")]
    Kept { path: PathBuf, message: String },
    /// A card with a count that names nothing.
    #[error(transparent)]
    Count(#[from] UnknownCount),
    /// The files cannot be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The stories cannot be made.
    #[error(transparent)]
    Stories(#[from] SettingsError),
}

/// Rows that could not be read, as people are told of them: one a line, not more than a screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problems(pub Vec<RowProblem>);

impl Problems {
    /// How many are named before the rest is only counted.
    const SHOWN: usize = 10;
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for problem in self.0.iter().take(Self::SHOWN) {
            write!(f, "\n  {problem}")?;
        }
        match self.0.len().saturating_sub(Self::SHOWN) {
            0 => Ok(()),
            more => write!(f, "\n  and {more} more; `tomeval data check` lists all"),
        }
    }
}

/// Items of all benchmarks of a dataset, with what could not be read.
pub struct LoadedItems {
    /// Items within the limits, benchmark by benchmark.
    pub items: Vec<Item>,
    /// All items of the data, where limits left some out.
    unlimited: Option<Vec<Item>>,
    /// Items of a file of examples, where one is named.
    pub shots: Option<Vec<Item>>,
    /// Rows that could not become items, by benchmark.
    pub problems: IndexMap<Benchmark, Vec<RowProblem>>,
    /// Whether the files of each benchmark hold as many rows as its card counts.
    pub(super) checks: IndexMap<Benchmark, DataCheck>,
    /// What files of the user's own were recognised as.
    pub(super) read_as: Vec<String>,
    /// The folder or file they were read from; empty where the paths of problems are relative already.
    files: Option<PathBuf>,
}

/// Whether the files of a benchmark hold as many rows as its card counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DataCheck {
    /// The card counts nothing, or not what was loaded.
    Uncounted,
    /// They do.
    AsCounted,
    /// These counts differ.
    Differs(Vec<Comparison>),
}

impl DataCheck {
    /// The counts that differ.
    pub fn changed(&self) -> &[Comparison] {
        match self {
            DataCheck::Differs(counts) => counts,
            DataCheck::Uncounted | DataCheck::AsCounted => &[],
        }
    }
}

impl Dataset {
    /// All items of these benchmarks in these files.
    pub fn new(benchmarks: Vec<Benchmark>, files: Option<PathBuf>, options: LoadOptions) -> Result<Self, DatasetError> {
        if let Some((_, twice)) =
            benchmarks.iter().enumerate().find(|&(at, benchmark)| benchmarks[..at].contains(benchmark))
        {
            return Err(DatasetError::Twice(*twice));
        }
        if !options.own.is_empty() && !benchmarks.contains(&Benchmark::Custom) {
            return Err(DatasetError::NotOwn);
        }
        let choice = Choice::default();
        Ok(Dataset {
            benchmarks,
            made_stories: None,
            files,
            options,
            choice,
            limit: None,
            limit_stories: None,
            seed: 0,
        })
    }

    /// The benchmark whose files a path names: a file of rows is the user's own questions, a folder the one known
    /// benchmark that lies in it.
    pub fn benchmark_at(path: &Path) -> Result<Benchmark, DatasetError> {
        const SAY_WHICH: &str = "say with --benchmark NAME what it is (`tomeval data list` shows all names)";
        let found = match &Benchmark::at(path)[..] {
            [benchmark] => return Ok(*benchmark),
            [] if !path.exists() => "there is no such file or folder; correct the path".to_string(),
            [] if path.is_file() => format!(
                "a file of your own questions ends in .csv, .tsv, .jsonl, .json or .parquet; save a spreadsheet as CSV. Of a \
                 benchmark, {SAY_WHICH}"
            ),
            [] => format!("it has no files of a known benchmark; {SAY_WHICH}"),
            several => {
                let names: Vec<&str> = several.iter().map(|benchmark| benchmark.name()).collect();
                format!("it holds the files of {}; {SAY_WHICH}", names.join(", "))
            }
        };
        Err(DatasetError::WhichBenchmark { path: path.to_path_buf(), found })
    }

    /// What is asked where no benchmark is named: the demo inventory, and Hi-ToM stories made for the run.
    pub fn built_in(options: LoadOptions) -> Result<Self, DatasetError> {
        let dataset = Dataset::new(vec![Benchmark::Demo, Benchmark::HiToM], None, options)?;
        Ok(Dataset { made_stories: Some(MADE_STORIES), ..dataset })
    }

    /// The dataset of a run with these settings, from files that may have moved since.
    pub fn of_run(settings: &Settings, files: Option<PathBuf>) -> Self {
        Dataset {
            benchmarks: settings.benchmarks.clone(),
            made_stories: settings.made_stories,
            files,
            options: settings.load_options(),
            choice: Choice { ids: settings.items.clone(), rules: settings.facets.clone() },
            limit: settings.limit,
            limit_stories: settings.limit_stories,
            seed: settings.seed,
        }
    }

    /// Whether it can be loaded: every benchmark is built in or made, or a place for files is given.
    pub fn has_files(&self) -> bool {
        let needs_none = |benchmark: &Benchmark| benchmark.is_built_in() || self.makes(*benchmark).is_some();
        self.files.is_some() || self.benchmarks.iter().all(needs_none)
    }

    /// Load the items of every benchmark, choose among them and limit them. Benchmarks that none of the chosen items
    /// belongs to have none.
    pub fn load(&self) -> Result<LoadedItems, DatasetError> {
        let loaded = self.load_chosen()?;
        self.choice.check(loaded.in_data())?;
        match loaded.items.is_empty() {
            true => Err(DatasetError::NothingChosen),
            false => Ok(loaded),
        }
    }

    pub(super) fn load_chosen(&self) -> Result<LoadedItems, DatasetError> {
        self.check_choices()?;
        let mut all = LoadedItems {
            items: Vec::new(),
            unlimited: self.is_limited().then(Vec::new),
            shots: None,
            problems: IndexMap::new(),
            checks: IndexMap::new(),
            read_as: Vec::new(),
            files: self.files.clone(),
        };
        for &benchmark in &self.benchmarks {
            let Loaded { items, problems, read_as } = match self.makes(benchmark) {
                Some(stories) => self.make_stories(stories)?,
                None => self.read_in(benchmark, self.languages_of(benchmark))?,
            };
            all.checks.insert(benchmark, self.check(benchmark, &items)?);
            if let Some(unlimited) = &mut all.unlimited {
                unlimited.extend_from_slice(&items);
            }
            let any = !items.is_empty();
            let items = self.limited(benchmark, self.chosen(items));
            if !any && !problems.is_empty() {
                return Err(DatasetError::NothingRead { benchmark, problems: Problems(problems) });
            }
            if !any {
                return Err(self.no_items(benchmark)?);
            }
            all.problems.insert(benchmark, problems);
            all.read_as.extend(read_as);
            all.items.extend(items);
        }
        Ok(all)
    }

    /// Everything the files hold of each benchmark, without limits; where `all` is set, benchmarks whose files are absent
    /// are passed over.
    pub fn read_all(&self, all: bool) -> Result<Vec<(Benchmark, Loaded)>, DatasetError> {
        self.check_choices()?;
        let mut found = Vec::new();
        for &benchmark in &self.benchmarks {
            match self.read(benchmark) {
                Ok(loaded) => found.push((benchmark, loaded)),
                Err(DatasetError::NoFiles(_) | DatasetError::Load(LoadError::Absent { .. })) if all => {}
                Err(_) if all && benchmark == Benchmark::Custom => {}
                Err(error) => return Err(error),
            }
        }
        if found.is_empty() { Err(DatasetError::NothingFound) } else { Ok(found) }
    }

    /// Everything the files hold of a benchmark in the languages given, without limits. Choices that it does not know are
    /// passed over: they may be meant for another one.
    pub fn read(&self, benchmark: Benchmark) -> Result<Loaded, DatasetError> {
        self.read_in(benchmark, &self.options.languages)
    }

    /// One item of a benchmark.
    pub fn item(&self, benchmark: Benchmark, id: &str) -> Result<Item, DatasetError> {
        let mut items = self.read(benchmark)?.items;
        match items.iter().position(|item| item.id == id) {
            Some(at) => Ok(items.swap_remove(at)),
            None => Err(self.unknown_item(id, &items)),
        }
    }

    /// That no item has an id, with the id of these that is most like it.
    pub fn unknown_item(&self, id: &str, items: &[Item]) -> DatasetError {
        DatasetError::UnknownItem {
            id: id.to_string(),
            benchmarks: self.benchmarks.iter().map(|benchmark| benchmark.name()).collect::<Vec<_>>().join(", "),
            nearest: most_like(id, items.iter().map(|item| item.id.as_str())),
        }
    }

    fn is_limited(&self) -> bool {
        self.limit.is_some() || self.limit_stories.is_some() || !self.choice.is_empty()
    }

    fn chosen(&self, mut items: Vec<Item>) -> Vec<Item> {
        if !self.choice.is_empty() {
            items.retain(|item| self.choice.takes(item));
        }
        items
    }

    /// The items of a benchmark that are within the limits.
    pub fn limited(&self, benchmark: Benchmark, items: Vec<Item>) -> Vec<Item> {
        match (self.limit, self.limit_stories) {
            (Some(questions), _) => limit(items, questions, self.seed, &benchmark.card_with(&self.options.own).stratum),
            (None, Some(stories)) => limit_stories(items, stories, self.seed),
            (None, None) => items,
        }
    }

    /// Whether all items of a benchmark in some languages are as many as its card counts: in released files, under the
    /// published labels, without choices.
    pub fn check(&self, benchmark: Benchmark, items: &[Item]) -> Result<DataCheck, DatasetError> {
        let released = self.options.labels == LabelSet::Published
            && self.options.choices.is_empty()
            && self.makes(benchmark).is_none()
            && benchmark != Benchmark::Custom;
        let card = benchmark.card();
        if !released || card.expected.is_empty() {
            return Ok(DataCheck::Uncounted);
        }
        let other: Vec<Comparison> = compare(&card, items)?.into_iter().filter(Comparison::is_of_other_rows).collect();
        Ok(if other.is_empty() { DataCheck::AsCounted } else { DataCheck::Differs(other) })
    }

    /// Refuse choices that none of the benchmarks knows.
    pub fn check_choices(&self) -> Result<(), DatasetError> {
        let known = |name: &str| self.benchmarks.iter().any(|benchmark| benchmark.choices().contains(&name));
        let Some(name) = self.options.choices.keys().find(|name| !known(name)) else { return Ok(()) };
        let choices = |benchmark: &Benchmark| match benchmark.choices() {
            [] => format!("{benchmark} knows none"),
            names => format!("{benchmark} knows {}", names.join(", ")),
        };
        let known = self.benchmarks.iter().map(choices).collect::<Vec<_>>().join("; ");
        Err(DatasetError::UnknownChoice { name: name.clone(), known })
    }

    fn read_in(&self, benchmark: Benchmark, languages: &[Language]) -> Result<Loaded, DatasetError> {
        let options = LoadOptions { languages: languages.to_vec(), ..self.options.clone() };
        match &self.files {
            Some(files) => Ok(benchmark.load(files, &options)?),
            None if benchmark.is_built_in() => Ok(benchmark.load(Path::new(""), &options)?),
            None => Err(DatasetError::NoFiles(benchmark)),
        }
    }

    /// What to say where no language asked for has items: which ones have.
    ///
    /// # Errors
    /// Reading all languages fails.
    pub fn no_items(&self, benchmark: Benchmark) -> Result<DatasetError, DatasetError> {
        let published = &benchmark.card().languages;
        let items = self.read_in(benchmark, published)?.items;
        let held: Vec<&str> = published
            .iter()
            .filter(|&&language| items.iter().any(|item| item.language == language))
            .map(|language| language.code())
            .collect();
        let held = if held.is_empty() {
            "they hold none at all".to_string()
        } else {
            format!("they hold {}", held.join(", "))
        };
        let languages = published.iter().map(|language| language.code()).collect::<Vec<_>>().join(", ");
        Ok(DatasetError::NoItems { benchmark, held, languages })
    }

    /// How many stories are made in the place of a benchmark's released ones.
    fn makes(&self, benchmark: Benchmark) -> Option<usize> {
        self.made_stories.filter(|_| benchmark == Benchmark::HiToM)
    }

    fn languages_of(&self, benchmark: Benchmark) -> &[Language] {
        match benchmark {
            Benchmark::Demo if self.options.languages.is_empty() => &[Language::En],
            _ => &self.options.languages,
        }
    }

    /// Fresh one-chapter Hi-ToM stories, with claims, in each language asked for that has a wording.
    fn make_stories(&self, stories: usize) -> Result<Loaded, SettingsError> {
        let mut items = Vec::new();
        for wording in
            self.languages_of(Benchmark::Demo).iter().filter_map(|&language| Wording::from_language(language))
        {
            let settings = StorySettings {
                chapters: 1,
                deception: true,
                stories,
                seed: self.seed,
                answers: MADE_ANSWERS,
                wording,
                claims: ClaimRule::Published,
            };
            items.extend(hi_tom::items(&generate(&settings)?));
        }
        Ok(Loaded { items, ..Loaded::default() })
    }
}

impl LoadedItems {
    /// Items read from a run's folder, all items of the data with them where the run asked some.
    pub(super) fn new(items: Vec<Item>, unlimited: Option<Vec<Item>>) -> Self {
        let (problems, checks) = (IndexMap::new(), IndexMap::new());
        LoadedItems {
            items,
            unlimited,
            shots: None,
            problems,
            checks,
            read_as: Vec::new(),
            files: Some(PathBuf::new()),
        }
    }

    /// Whether the data hold more items than are asked.
    pub(super) fn is_limited(&self) -> bool {
        self.unlimited.is_some()
    }

    /// All items of the data in the languages asked for: they decide which stories are complete.
    pub fn in_data(&self) -> &[Item] {
        self.unlimited.as_ref().unwrap_or(&self.items)
    }

    /// Those of one benchmark.
    pub fn in_data_of(&self, benchmark: Benchmark) -> &[Item] {
        let mut stretches = self.in_data().chunk_by(|one, next| one.benchmark == next.benchmark);
        stretches.find(|items| items[0].benchmark == benchmark).unwrap_or_default()
    }

    /// How many questions are asked: the versions of one in several languages, variants or prompting types are one.
    pub fn questions(&self) -> usize {
        self.items.iter().map(|item| (item.benchmark, &item.parallel)).collect::<HashSet<_>>().len()
    }

    /// The items that may be examples for others: those of a file, or all of the data.
    pub fn shots(&self) -> &[Item] {
        self.shots.as_deref().unwrap_or_else(|| self.in_data())
    }

    /// The rows of a benchmark that could not be read, each with its file as it lies below the data's folder: what a
    /// report says of them is the same wherever that folder is.
    pub fn unread_rows(&self, benchmark: Benchmark) -> Vec<RowProblem> {
        let problems = self.problems.get(&benchmark).map_or(&[][..], Vec::as_slice);
        problems.iter().map(|problem| problem.below(self.files.as_deref())).collect()
    }

    /// Whether the files of a benchmark hold as many rows as its card counts.
    pub fn check(&self, benchmark: Benchmark) -> &DataCheck {
        self.checks.get(&benchmark).unwrap_or(&DataCheck::Uncounted)
    }

    /// All unreadable rows, for the user; `None` if there are none.
    pub fn unread(&self) -> Option<String> {
        let all: Vec<RowProblem> = self.problems.values().flatten().cloned().collect();
        let rows = counted(all.len(), "row");
        (!all.is_empty()).then(|| format!("{rows} could not be read and will be left out:{}", Problems(all)))
    }

    /// What a manifest says of a benchmark's items.
    pub fn data(&self, benchmark: Benchmark) -> Data {
        let items: Vec<&Item> = self.items.iter().filter(|item| item.benchmark == benchmark).collect();
        let problems = self.problems.get(&benchmark).map_or(0, Vec::len);
        Data { items: items.len(), sha256: items_sha256(items), problems }
    }
}

/// A benchmark as loaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Data {
    /// Items evaluated.
    pub items: usize,
    /// SHA-256 over the contents of these items.
    pub sha256: String,
    /// Rows that could not be read.
    pub problems: usize,
}

/// SHA-256 over the contents of items: everything a prompt or a score can depend on.
pub(crate) fn items_sha256<'a>(items: impl IntoIterator<Item = &'a Item>) -> String {
    let mut hash = Sha256::new();
    let mut add = |text: &str| {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    };
    for item in items {
        add(&item.id);
        item.context.iter().for_each(|segment| add(&segment.text));
        add(&item.question);
        item.options.iter().for_each(|option| add(option));
        add(&format!("{:?}", item.gold));
        item.fields.values().for_each(|value| add(value));
    }
    hex::encode(hash.finalize())
}
