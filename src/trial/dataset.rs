//! The dataset of a run: items of benchmarks. Arguments make a [`Dataset`], and the settings in a manifest make the
//! same one again.

use std::path::{Path, PathBuf};

use indexmap::IndexMap;

use super::dataset_error::{DatasetError, Problems};
use super::kept::{are_items_kept, kept_data, kept_items};
use super::loaded::{Data, DataCheck, LoadedItems};
use super::settings::Settings;
use crate::benchmark::made::{MadeData, made_data};
use crate::benchmark::{
    Benchmark, Choice, Comparison, Item, LabelSet, LoadError, LoadOptions, Loaded, compare, hi_tom, limit,
    limit_stories,
};
use crate::language::Language;
use crate::name::nearest;
use crate::story::{ClaimRule, Settings as StorySettings, SettingsError, Wording, generate};

/// Default number of generated Hi-ToM stories, and answers offered by each of their questions.
const MADE_STORIES: usize = 2;
const MADE_ANSWERS: usize = 15;

/// Selection of items of benchmarks, and the place of their files.
#[derive(Debug, Clone)]
pub struct Dataset {
    /// Benchmarks, in the order given.
    pub benchmarks: Vec<Benchmark>,
    /// Number of Hi-ToM stories generated for the run instead of released ones.
    pub made_stories: Option<usize>,
    /// The benchmark's folder, or its parent folder.
    pub files: Option<PathBuf>,
    /// Languages, labels and choices. Without a language a run asks the demo inventory in English and every other
    /// benchmark in all its languages.
    pub options: LoadOptions,
    /// Selection of items, before limits.
    pub choice: Choice,
    /// Maximum questions per benchmark.
    pub limit: Option<usize>,
    /// Maximum stories per benchmark.
    pub limit_stories: Option<usize>,
    /// Seed of limits and generated stories.
    pub seed: u64,
}

impl Dataset {
    /// Returns all items of these benchmarks in these files.
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

    /// Returns the benchmark of the files at a path: a file of rows is the user's own questions, a folder the only
    /// known benchmark in it.
    pub fn benchmark_at(path: &Path) -> Result<Benchmark, DatasetError> {
        const SAY_WHICH: &str = "name the benchmark with --benchmark NAME (`tomeval data list` shows all names)";
        let of_run = kept_data(path)?.map(|kept| kept.benchmarks());
        let found = match &of_run.unwrap_or_else(|| Benchmark::at(path))[..] {
            [benchmark] => return Ok(*benchmark),
            [] if !path.exists() => "there is no such file or folder; correct the path".to_string(),
            [] if path.is_file() => format!(
                "a file of your own questions ends in .csv, .tsv, .jsonl, .json or .parquet; save a spreadsheet as CSV. For \
                 files of a benchmark, {SAY_WHICH}"
            ),
            [] => format!("it has no files of a known benchmark; {SAY_WHICH}"),
            several => {
                let names: Vec<&str> = several.iter().map(|benchmark| benchmark.name()).collect();
                format!("it contains files of {}; {SAY_WHICH}", names.join(", "))
            }
        };
        Err(DatasetError::WhichBenchmark { path: path.to_path_buf(), found })
    }

    /// Returns the default dataset: the demo inventory, and Hi-ToM stories generated for the run.
    pub fn built_in(options: LoadOptions) -> Result<Self, DatasetError> {
        let dataset = Dataset::new(vec![Benchmark::Demo, Benchmark::HiToM], None, options)?;
        Ok(Dataset { made_stories: Some(MADE_STORIES), ..dataset })
    }

    /// Returns the dataset of a run with these settings, from files that may have moved since.
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

    /// Loads the items of the run in a folder, which must be unchanged: those stored in the folder, else those of the
    /// benchmark's files.
    pub fn load_again(
        run: &Path,
        settings: &Settings,
        known: &IndexMap<Benchmark, Data>,
        files: Option<PathBuf>,
    ) -> Result<LoadedItems, DatasetError> {
        let loaded = match kept_items(run)? {
            Some(kept) => kept,
            None => Dataset::of_run(settings, files).load_chosen()?,
        };
        for (&benchmark, data) in known {
            // Placeholders have another hash; `data.json` has that of their file.
            if loaded.texts && loaded.data(benchmark).sha256 != data.sha256 {
                return Err(DatasetError::Different(benchmark));
            }
        }
        Ok(loaded)
    }

    /// Whether it can be loaded: every benchmark is built in or generated, or files are given.
    pub fn has_files(&self) -> bool {
        let needs_none = |benchmark: &Benchmark| benchmark.is_built_in() || self.makes(*benchmark).is_some();
        self.files.is_some() || self.benchmarks.iter().all(needs_none)
    }

    /// Loads the items of every benchmark, selects and limits them. Benchmarks without selected items get none.
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
            texts: true,
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

    /// Reads all items of each benchmark, without limits; with `all`, skips benchmarks whose files are absent.
    pub fn read_all(&self, all: bool) -> Result<Vec<(Benchmark, Loaded)>, DatasetError> {
        self.check_choices()?;
        let mut found = Vec::new();
        for &benchmark in &self.benchmarks {
            match self.read(benchmark) {
                Ok(loaded) => found.push((benchmark, loaded)),
                Err(
                    DatasetError::NoFiles(_)
                    | DatasetError::NotInRun { .. }
                    | DatasetError::Load(LoadError::Absent { .. }),
                ) if all => {}
                Err(_) if all && benchmark == Benchmark::Custom => {}
                Err(error) => return Err(error),
            }
        }
        if found.is_empty() { Err(DatasetError::NothingFound) } else { Ok(found) }
    }

    /// Reads all items of a benchmark in the chosen languages, without limits. Ignores choices that it does not know:
    /// they may be meant for another benchmark.
    pub fn read(&self, benchmark: Benchmark) -> Result<Loaded, DatasetError> {
        self.read_in(benchmark, &self.options.languages)
    }

    /// Returns one item of a benchmark.
    pub fn item(&self, benchmark: Benchmark, id: &str) -> Result<Item, DatasetError> {
        let mut items = self.read(benchmark)?.items;
        match items.iter().position(|item| item.id == id) {
            Some(at) => Ok(items.swap_remove(at)),
            None => Err(self.unknown_item(id, &items)),
        }
    }

    /// Returns the error for an unknown id, with the most similar id of these items.
    pub fn unknown_item(&self, id: &str, items: &[Item]) -> DatasetError {
        DatasetError::UnknownItem {
            id: id.to_string(),
            benchmarks: self.benchmarks.iter().map(|benchmark| benchmark.name()).collect::<Vec<_>>().join(", "),
            nearest: nearest(id, items.iter().map(|item| item.id.as_str())).map(str::to_string),
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

    /// Returns the same without limits on the number of items.
    pub fn unlimited(&self) -> Self {
        Dataset { limit: None, limit_stories: None, ..self.clone() }
    }

    /// Returns the items of a benchmark within the limits.
    pub fn limited(&self, benchmark: Benchmark, items: Vec<Item>) -> Vec<Item> {
        match (self.limit, self.limit_stories) {
            (Some(questions), _) => limit(items, questions, self.seed, &benchmark.card_with(&self.options.own).stratum),
            (None, Some(stories)) => limit_stories(items, stories, self.seed),
            (None, None) => items,
        }
    }

    /// Compares the number of a benchmark's items in some languages with its card: for released files, under the
    /// published labels, without choices.
    pub fn check(&self, benchmark: Benchmark, items: &[Item]) -> Result<DataCheck, DatasetError> {
        if let Some(kept) = self.files.as_deref().map(kept_data).transpose()?.flatten() {
            return Ok(kept.check(benchmark));
        }
        let released = self.options.labels == LabelSet::Published
            && self.options.choices.is_empty()
            && self.makes(benchmark).is_none()
            && benchmark != Benchmark::Custom;
        let made = self.files.as_deref().and_then(|files| made_data(files, benchmark, items));
        if let Some(MadeData { seed, models }) = made {
            return Ok(if models.is_empty() { DataCheck::Made(seed) } else { DataCheck::MadeBy { seed, models } });
        }
        let card = benchmark.card();
        if !released || card.expected.is_empty() {
            return Ok(DataCheck::Uncounted);
        }
        let other: Vec<Comparison> =
            compare(&card.expected, items)?.into_iter().filter(Comparison::is_of_other_rows).collect();
        Ok(if other.is_empty() { DataCheck::AsCounted } else { DataCheck::Differs(other) })
    }

    /// Refuses choices that none of the benchmarks knows.
    pub fn check_choices(&self) -> Result<(), DatasetError> {
        let own = &self.options.own;
        let known = |name: &String| self.benchmarks.iter().any(|benchmark| benchmark.choices(own).contains(name));
        let Some(name) = self.options.choices.keys().find(|name| !known(name)) else { return Ok(()) };
        let choices = |benchmark: &Benchmark| match &benchmark.choices(own)[..] {
            [] => format!("{benchmark} has none"),
            names => format!("{benchmark} has {}", names.join(", ")),
        };
        let known = self.benchmarks.iter().map(choices).collect::<Vec<_>>().join("; ");
        Err(DatasetError::UnknownChoice { name: name.clone(), known })
    }

    fn read_in(&self, benchmark: Benchmark, languages: &[Language]) -> Result<Loaded, DatasetError> {
        let options = LoadOptions { languages: languages.to_vec(), ..self.options.clone() };
        match &self.files {
            Some(run) if are_items_kept(run) => self.read_of_run(run, benchmark, languages),
            Some(files) => Ok(benchmark.load(files, &options)?),
            None if benchmark.is_built_in() => Ok(benchmark.load(Path::new(""), &options)?),
            None => Err(DatasetError::NoFiles(benchmark)),
        }
    }

    /// Reads a benchmark's data from the folder of a run.
    fn read_of_run(&self, run: &Path, benchmark: Benchmark, languages: &[Language]) -> Result<Loaded, DatasetError> {
        let LoadOptions { labels, choices, own, .. } = &self.options;
        let as_they_are = *labels == LabelSet::default() && choices.is_empty() && own.is_empty();
        let kept = kept_items(run)?.filter(|_| as_they_are).ok_or_else(|| DatasetError::AsInRun(run.to_path_buf()))?;
        kept.need_texts("--data")?;
        let Some(problems) = kept.problems.get(&benchmark) else {
            return Err(DatasetError::NotInRun { run: run.to_path_buf(), benchmark });
        };
        let wanted = |item: &&Item| languages.is_empty() || languages.contains(&item.language);
        let items = kept.in_data_of(benchmark).iter().filter(wanted).cloned().collect();
        Ok(Loaded { items, problems: problems.clone(), ..Loaded::default() })
    }

    /// Returns the error for chosen languages without items, which names the languages present.
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
            "they contain none at all".to_string()
        } else {
            format!("they contain {}", held.join(", "))
        };
        let languages = published.iter().map(|language| language.code()).collect::<Vec<_>>().join(", ");
        Ok(DatasetError::NoItems { benchmark, held, languages })
    }

    /// Returns how many stories are generated instead of a benchmark's released ones.
    fn makes(&self, benchmark: Benchmark) -> Option<usize> {
        self.made_stories.filter(|_| benchmark == Benchmark::HiToM)
    }

    fn languages_of(&self, benchmark: Benchmark) -> &[Language] {
        match benchmark {
            Benchmark::Demo if self.options.languages.is_empty() => &[Language::En],
            _ => &self.options.languages,
        }
    }

    /// Generates one-chapter Hi-ToM stories, with claims, in each chosen language that has a wording.
    fn make_stories(&self, stories: usize) -> Result<Loaded, SettingsError> {
        let mut items = Vec::new();
        for wording in
            self.languages_of(Benchmark::Demo).iter().filter_map(|&language| Wording::from_language(language))
        {
            let settings = StorySettings {
                chapters: 1,
                size: Default::default(),
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
