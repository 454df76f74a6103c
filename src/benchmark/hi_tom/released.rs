//! Reads Hi-ToM's file: rows, cleaned stories, and which rows belong together.

use crate::benchmark::{Benchmark, Flag, LoadError, OptionIx, RowProblem};
use std::collections::HashMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::{Generator, HI_TOM, Prompting, Release};
use crate::benchmark::choices::strip_labels;
use crate::benchmark::folder::{holds, own_folder};
use crate::benchmark::rows::DataRow;
use crate::benchmark::unique::{Ids, UniqueKeys};
use crate::language::Language;
use crate::parse_error::in_words;
use crate::story::{ClaimRule, Question, Rules, Story, UnreadLine, Wording};

/// The file. Serde refuses duplicate keys.
#[derive(Deserialize)]
struct File {
    generator: Option<UniqueKeys>,
    #[serde(default)]
    data: Rows,
}

/// The rows, each of which may be invalid on its own.
#[derive(Default, Deserialize)]
#[serde(untagged)]
enum Rows {
    List(Vec<UniqueKeys>),
    Other(serde::de::IgnoredAny),
    #[default]
    Absent,
}

const FILE: &str = "Hi-ToM_data.json";

/// One cleaned and parsed row.
#[derive(Debug)]
pub(super) struct Entry {
    /// Id of its item, without language.
    pub id: String,
    pub prompting: Prompting,
    pub deception: bool,
    pub length: usize,
    pub order: usize,
    /// The numbered lines of the story, joined by newlines.
    pub lines: String,
    pub story: Result<Story, UnreadLine>,
    pub question_text: String,
    pub question: Option<Question>,
    pub options: Vec<String>,
    /// The released answer.
    pub gold: OptionIx,
    pub flags: Vec<Flag>,
    /// The first entry with the same story and prompting type.
    first_of_story: usize,
    /// The first entry with the same story and question, of any prompting type.
    first_of_question: usize,
    /// The entry with the same story and question and the other prompting type.
    twin: Option<usize>,
}

impl Entry {
    /// The released answer.
    pub fn gold_text(&self) -> &str {
        &self.options[self.gold.0]
    }

    /// The tracker's answer, `None` where the story or question was not understood.
    pub fn by_rules(&self, rules: Rules) -> Option<&str> {
        let (Ok(story), Some(question)) = (&self.story, &self.question) else { return None };
        story.answer(question, rules)
    }

    /// The option that equals the tracker's answer; `None` also where no option does.
    pub fn option_by_rules(&self, rules: Rules) -> Option<OptionIx> {
        let answer = self.by_rules(rules)?;
        self.options.iter().position(|option| option == answer).map(OptionIx)
    }
}

/// The whole file.
#[derive(Debug)]
pub(super) struct Released {
    pub entries: Vec<Entry>,
    pub problems: Vec<RowProblem>,
    generator: Option<Generator>,
}

/// Whether a path is the released file or contains it.
pub(super) fn is_at(data: &Path) -> bool {
    data.file_name().is_some_and(|name| name == FILE) && data.is_file()
        || holds(data, &[Benchmark::HiToM.name()], &[FILE])
}

impl Released {
    /// Read the file from its folder, that folder's parent, or the path of the file itself.
    pub fn read(data: &Path) -> Result<Self, LoadError> {
        let path = if data.is_file() {
            data.to_path_buf()
        } else {
            own_folder(&HI_TOM, data, &[Benchmark::HiToM.name()], &[FILE])?.join(FILE)
        };
        let malformed = |message: String| LoadError::Malformed { path: path.clone(), message };
        let bytes = fs::read(&path).map_err(|source| LoadError::Unreadable { path: path.clone(), source })?;
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        let mut file: File = serde_json::from_slice(bytes).map_err(|error| {
            malformed(format!("not a JSON object ({}); fetch it again, or write {{\"data\": [..]}}", in_words(error)))
        })?;
        let generator = file.generator.take().map(UniqueKeys::checked).transpose();
        let generator = generator.and_then(|generator| generator.map(serde_json::from_value).transpose());
        let generator: Option<Generator> =
            generator.map_err(|error| malformed(format!("key `generator`: {}", in_words(error))))?;
        match file.data {
            Rows::List(rows) => {
                Self::new(&path, generator, rows.into_iter().map(UniqueKeys::checked)).map_err(malformed)
            }
            Rows::Absent => Err(malformed("no key `data`; write {\"data\": [..]}".to_string())),
            Rows::Other(_) => Err(malformed("key `data` is not a list; write {\"data\": [..]}".to_string())),
        }
    }

    fn new(
        path: &Path,
        generator: Option<Generator>,
        rows: impl Iterator<Item = serde_json::Result<Value>>,
    ) -> Result<Self, String> {
        let language = generator.as_ref().map_or(Language::En, |generator| generator.language);
        let wording = Wording::from_language(language)
            .ok_or_else(|| format!("key `generator`: unsupported language {}; use en or zh", language.name()))?;
        let prefix = generator.as_ref().map_or_else(
            || Benchmark::HiToM.to_string(),
            |generator| format!("{}/made-{}", Benchmark::HiToM, generator.seed),
        );
        let mut entries = Vec::new();
        let mut problems = Vec::new();
        let mut ids = Ids::default();
        for (index, row) in rows.enumerate() {
            let made = entry(path, index, row, wording, &prefix);
            match made.and_then(|entry| ids.claim(&entry.id, path, Some(index + 1)).map(|()| entry)) {
                Ok(entry) => entries.push(entry),
                Err(problem) => problems.push(problem),
            }
        }
        link(&mut entries);
        Ok(Released { entries, problems, generator })
    }

    /// The language of all stories.
    pub fn language(&self) -> Language {
        self.generator.as_ref().map_or(Language::En, |generator| generator.language)
    }

    /// The claim rule the file names, else the published one.
    pub fn claims(&self) -> ClaimRule {
        self.generator.as_ref().map_or(ClaimRule::Published, |generator| generator.claims)
    }

    /// Id of the story an entry belongs to: one per text and prompting type.
    pub fn story_of(&self, entry: &Entry) -> &str {
        &self.entries[entry.first_of_story].id
    }

    /// Id of the question an entry asks: one per text, whatever the prompting type.
    pub fn question_of(&self, entry: &Entry) -> &str {
        &self.entries[entry.first_of_question].id
    }

    /// The entry with the same story and question and the other prompting type.
    pub fn twin_of(&self, entry: &Entry) -> Option<&Entry> {
        entry.twin.map(|twin| &self.entries[twin])
    }
}

/// Link entries that share a story or a question.
fn link(entries: &mut [Entry]) {
    let mut stories: HashMap<(Prompting, String), usize> = HashMap::new();
    let mut questions: HashMap<(String, String), Vec<usize>> = HashMap::new();
    for (index, entry) in entries.iter_mut().enumerate() {
        entry.first_of_story = *stories.entry((entry.prompting, entry.lines.clone())).or_insert(index);
        questions.entry((entry.lines.clone(), entry.question_text.clone())).or_default().push(index);
    }
    for alike in questions.values() {
        for &index in alike {
            let other = |&&twin: &&usize| entries[twin].prompting != entries[index].prompting;
            let twin = alike.iter().find(other).copied();
            entries[index].first_of_question = alike[0];
            entries[index].twin = twin;
        }
    }
}

impl From<Release> for Released {
    /// Read generated rows as if they came from a file.
    fn from(release: Release) -> Self {
        let rows = release.data.iter().map(|row| serde_json::to_value(row).expect("rows hold texts and numbers only"));
        Self::new(Path::new(FILE), Some(release.generator), rows.map(Ok))
            .expect("generated stories are told in a known language")
    }
}

/// Read one row; `index` is its place in the list.
fn entry(
    file: &Path,
    index: usize,
    row: serde_json::Result<Value>,
    wording: Wording,
    prefix: &str,
) -> Result<Entry, RowProblem> {
    let problem = |message: &str| RowProblem {
        file: file.to_path_buf(),
        row: Some(index + 1),
        field: None,
        message: message.to_string(),
    };
    let row = row.map_err(|error| problem(&error.to_string()))?;
    let Value::Object(cells) = row else { return Err(problem("not an object; each row needs the nine released keys")) };
    let row = DataRow { index, line: index + 1, file: file.to_path_buf(), cells, nan_tokens: false };

    let prompting = match row.text(&["prompting_type"])? {
        "CoTP" => Prompting::CoTP,
        "VP" => Prompting::Vp,
        other => return Err(row.problem(Some("prompting_type"), format!("`{other}` where CoTP or VP is needed"))),
    };
    let deception = match row.cells.get("deception") {
        Some(Value::Bool(deception)) => *deception,
        _ => return Err(row.problem(Some("deception"), "true or false is needed")),
    };
    let choices: Vec<&str> = row.text(&["choices"])?.split(", ").collect();
    let (options, labelled) = strip_labels(&choices);
    if !labelled {
        return Err(row.problem(Some("choices"), "not of the form `A. one, B. other, ..`"));
    }
    let answer = row.text(&["answer"])?.trim();
    let gold = options.iter().position(|option| option == answer);
    let gold = gold.ok_or_else(|| row.problem(Some("answer"), format!("`{answer}` is not among the choices")))?;

    let (lines, mut flags) = clean(row.text(&["story"])?);
    let story = wording.story(&lines);
    if let Err(unread) = &story {
        flags.push(Flag { name: "unread-story".into(), detail: unread.to_string() });
    }
    let question_text = row.text(&["question"])?.trim().to_string();
    let question = wording.question(&question_text);
    let order = row.number(&["question_order"])?;
    match &question {
        None => {
            flags.push(Flag { name: "unread-question".into(), detail: "the question has no known form".to_string() })
        }
        Some(question) if question.order() != order => {
            let detail = format!("question_order is {order}, the question names {} agents", question.order());
            flags.push(Flag { name: "order-differs".into(), detail });
        }
        Some(_) => {}
    }
    Ok(Entry {
        id: format!("{prefix}/{}", row.number(&["sample_id"])?),
        prompting,
        deception,
        length: row.number(&["story_length"])?,
        order,
        lines,
        story,
        question_text,
        question,
        options,
        gold: OptionIx(gold),
        flags,
        first_of_story: index,
        first_of_question: index,
        twin: None,
    })
}

/// The numbered lines of a story, and a flag for each other line that is not blank.
fn clean(story: &str) -> (String, Vec<Flag>) {
    let numbered = |line: &&str| line.starts_with(|letter: char| letter.is_ascii_digit());
    let (lines, rest): (Vec<&str>, Vec<&str>) =
        story.lines().map(str::trim).filter(|line| !line.is_empty()).partition(numbered);
    let flag = |line: &str| {
        let (name, detail) = if line.chars().all(|letter| letter == '*') {
            ("marks-in-story", format!("`{line}` stands among the story's lines; not shown"))
        } else if line.contains("multiple-choice question") {
            (
                "instruction-in-story",
                "an instruction to the model stands before the story's lines; not shown".to_string(),
            )
        } else {
            ("unnumbered-line", format!("`{line}` stands among the story's numbered lines; not shown"))
        };
        Flag { name: name.into(), detail }
    };
    (lines.join("\n"), rest.into_iter().map(flag).collect())
}
