//! Creates the page of one or more runs: every item with its prompt and answers in each of them.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use indexmap::IndexMap;

use super::ReadRun;
use crate::answer::{Outcome, ReadError, reread};
use crate::benchmark::Item;
use crate::extract::Rules;
use crate::ledger::{FolderError, own_folder, write_file};
use crate::page::{PageError, is_chunk_name};
use crate::record::{AskRecord, Shown, TrialRecord};
use crate::report::{PageFacts, PageFiles, PageItem, PageWriter, Report, ShownPrompt, ShownReply, ShownTrial};
use crate::run::{ATTENTION_PAGE, Place, RecordsAgain, Spent};
use crate::trial::Settings;

/// A run for a page.
pub struct PageRun<'a> {
    /// Name of the run where several are shown.
    pub name: String,
    /// The records of the run.
    pub read: &'a ReadRun<'a>,
}

impl PageRun<'_> {
    fn folder(&self) -> &Path {
        self.read.recorded.folder()
    }
}

/// A page that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{}: cannot be written: {source}", path.display())]
pub struct NotSaved {
    /// The file or folder.
    pub path: PathBuf,
    pub source: io::Error,
}

/// A page that could not be created.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NoPage {
    /// The page could not be written.
    #[error(transparent)]
    Page(#[from] PageError),
    /// A record could not be reread.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A reply could not be reread.
    #[error(transparent)]
    Records(#[from] ReadError),
}

/// The outcome of an item in one presentation, and the places of its trial records.
struct Given<'a> {
    way: usize,
    run: usize,
    outcome: &'a Outcome<'a>,
    places: &'a [Place],
}

/// Displayed parts of a run's records, reread item by item.
struct ShownAgain {
    records: RecordsAgain,
    settings: Settings,
    rules: Option<Rules>,
}

impl ShownAgain {
    fn from_read(read: &ReadRun<'_>) -> Self {
        let settings = read.manifest().settings.clone();
        ShownAgain { records: read.recorded.again(), settings, rules: read.how.rules }
    }

    fn trials(&mut self, item: &Item, places: &[Place]) -> Result<Vec<ShownTrial>, NoPage> {
        let one = |&place| {
            let mut record = self.records.read(place, &item.id)?;
            if let Some(rules) = self.rules {
                let shown = self.settings.shown_again(item, &record);
                reread(&mut record, &shown, rules)?;
            }
            Ok(shown_trial(record))
        };
        places.iter().map(one).collect()
    }
}

/// Style and condition; one run may have several conditions.
type Presentation<'a> = (&'a str, Option<&'a str>);

/// Creates the page of these runs, with `report` as its overview, for a file named `place`. Items with the same id are
/// shown side by side if they are the same question with the same gold answer. `known` are the facts that runs do not
/// tell: ranks, and the command that writes the page again.
pub fn page(
    runs: &[PageRun<'_>],
    known: PageFacts,
    report: &Report,
    place: &Path,
    with_texts: bool,
) -> Result<PageFiles, NoPage> {
    let with_texts = with_texts && runs.iter().all(|run| run.read.has_texts());
    let (mut ways, mut phases) = (Vec::new(), Vec::new());
    let mut asked: Vec<(&Item, Vec<Given<'_>>)> = Vec::new();
    let mut with_id: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut records: Vec<ShownAgain> = runs.iter().map(|run| ShownAgain::from_read(run.read)).collect();
    for (number, run) in runs.iter().enumerate() {
        let mut own: IndexMap<Presentation<'_>, usize> = IndexMap::new();
        for (outcome, places) in run.read.outcomes.iter().zip(&run.read.places) {
            let presentation = (outcome.style.as_str(), outcome.condition.as_deref());
            let way = *own.entry(presentation).or_insert_with(|| {
                let condition = outcome.condition.as_deref().map_or(String::new(), |name| format!(", {name}"));
                ways.push(format!("{}{condition}", run.name));
                phases.push(run.read.manifest().settings.phase_described());
                ways.len() - 1
            });
            let alike = with_id.entry(outcome.item.id.as_str()).or_default();
            let place = alike.iter().copied().find(|&place| same_question(asked[place].0, outcome.item));
            let place = place.unwrap_or_else(|| {
                asked.push((outcome.item, Vec::new()));
                alike.push(asked.len() - 1);
                asked.len() - 1
            });
            asked[place].1.push(Given { way, run: number, outcome, places });
        }
    }
    let mut writer = PageWriter::new(ways, with_texts);
    for (item, answers) in asked {
        let mut rendered = PageItem::from_item(item);
        for Given { way, run, outcome, places } in answers {
            rendered.add(way, outcome, records[run].trials(outcome.item, places)?);
        }
        writer.add(&rendered)?;
    }
    Ok(writer.finish(report, &PageFacts { phases, ..facts(runs, place, known) })?)
}

fn same_question(one: &Item, other: &Item) -> bool {
    (&one.gold, &one.context, &one.question, &one.options)
        == (&other.gold, &other.context, &other.question, &other.options)
}

fn facts(runs: &[PageRun<'_>], place: &Path, known: PageFacts) -> PageFacts {
    let work = runs.iter().flat_map(|run| {
        let name = |what: &str| if runs.len() > 1 { format!("{what}, {}", run.name) } else { what.to_string() };
        let rendered = run.read.manifest().model.counts().map(|counts| match counts.prompt_by_prompt {
            0 => counts.forwarded.to_string(),
            all => format!("{} instead of {all} prompt by prompt, {:.1} times fewer", counts.forwarded, counts.ratio()),
        });
        let time = Spent::from_folder(run.folder()).map(|spent| (name("time"), spent.in_words()));
        time.into_iter().chain(rendered.map(|rendered| (name("tokens forwarded"), rendered)))
    });
    let names: Vec<&str> = runs.iter().map(|run| run.name.as_str()).collect();
    let version = runs.first().map_or(env!("CARGO_PKG_VERSION"), |run| run.read.manifest().program.version.as_str());
    // The page links only to files beside it.
    let beside =
        |run: &PageRun<'_>| place.parent() == Some(run.folder()) && run.folder().join(ATTENTION_PAGE).is_file();
    PageFacts {
        title: names.join(" \u{b7} "),
        program: format!("tomeval {version}"),
        facts: work.collect(),
        attention: runs.iter().any(beside).then(|| ATTENTION_PAGE.to_string()),
        folder: folder_name(place),
        ..known
    }
}

/// Folder for items that do not fit in a page: the page's name without its extension.
fn folder_name(place: &Path) -> String {
    place.file_stem().map_or("report".to_string(), |stem| stem.to_string_lossy().into_owned())
}

fn shown_trial(record: TrialRecord) -> ShownTrial {
    let reply = record.asks.first().and_then(|ask| ask.reply.clone());
    ShownTrial {
        sample: record.sample,
        labels: record.labels,
        prompts: record.asks.into_iter().map(shown_prompt).collect(),
        reply: reply.map(|reply| ShownReply {
            outcome: reply.reading.as_ref().map(|reading| reading.outcome.name().to_string()),
            span: reply.reading.as_ref().and_then(|reading| reading.start.zip(reading.end)),
            rule: reply.reading.and_then(|reading| reading.rule),
            text: reply.text,
            thinking: reply.thinking,
            cut: reply.cut,
        }),
        failure: record.failure.map(|failure| failure.message),
    }
}

fn shown_prompt(ask: AskRecord) -> ShownPrompt {
    let turns = match ask.shown {
        Shown::Messages(turns) => turns.into_iter().map(|turn| (turn.role, turn.content)).collect(),
        Shown::Text(text) => vec![(String::new(), text)],
    };
    ShownPrompt { turns, answer_prefix: ask.answer_prefix }
}

/// Writes a page to its place and its other files to the folder beside it. Such files of an earlier page are removed.
pub fn save(files: &PageFiles, place: &Path) -> Result<(), NotSaved> {
    let folder = place.with_file_name(folder_name(place));
    let failed = |path: &Path| {
        let path = path.to_path_buf();
        move |source| NotSaved { path, source }
    };
    if !files.beside.is_empty() || folder.is_dir() {
        own_folder(&folder).map_err(failed(&folder))?;
        for entry in std::fs::read_dir(&folder).map_err(failed(&folder))? {
            let path = entry.map_err(failed(&folder))?.path();
            if path.file_name().is_some_and(|name| is_chunk_name(&name.to_string_lossy())) {
                std::fs::remove_file(&path).map_err(failed(&path))?;
            }
        }
    }
    for (name, text) in &files.beside {
        let path = folder.join(name);
        write_file(&path, text).map_err(failed(&path))?;
    }
    write_file(place, &files.html).map_err(failed(place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_larger_page_before_are_removed_and_others_kept() {
        let folder = tempfile::TempDir::new().unwrap();
        let place = folder.path().join("mine.html");
        let beside = |count: usize| (0..count).map(|at| (format!("items-{at:03}.js"), at.to_string())).collect();
        save(&PageFiles { html: "large".into(), beside: beside(3) }, &place).unwrap();
        std::fs::write(folder.path().join("mine/notes.js"), "kept").unwrap();
        save(&PageFiles { html: "small".into(), beside: beside(1) }, &place).unwrap();
        let mut names: Vec<String> = std::fs::read_dir(folder.path().join("mine"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        assert_eq!(names, ["items-000.js", "notes.js"]);
        assert_eq!(std::fs::read_to_string(&place).unwrap(), "small");
        let lost = save(&PageFiles { html: String::new(), beside: beside(0) }, &place.join("x.html"));
        assert!(lost.unwrap_err().to_string().contains("mine.html/x.html: cannot be written"));
    }
}
