//! `tomeval extract`: reads the answers stated in written replies.

use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Outcome;
use crate::answer::reply_of_line;
use crate::arguments::stdin;
use crate::counted::counted;
use crate::extract::{Kind, Outcome as Read, Question, RULES_VERSION, Rules, read};
use crate::language::Language;
use crate::parse_error::in_words_of_line;
use crate::terminal::files::save_or_print;
use crate::terminal::shell;

/// Arguments of `tomeval extract`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// JSON lines with `id`, `language`, `kind` (single, labels or slots), `labels`, `options` (texts as shown), `text`
    /// (or `reply`, `response`, `output`, `completion`, `generation`), and optionally `count` (answers wanted, for
    /// slots) and `cut` (true if the length limit ended the reply); - for stdin.
    #[arg(long, short, value_name = "FILE")]
    input: PathBuf,
    /// Write the readings here, one JSON line per row: `id`, `outcome`, `slots` (displayed, from 0), `rule`, `start`
    /// and `end` (bytes of `text`); - for stdout [default: stdout].
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Reading rules: this program's own, or those of the released ToMBench scripts with their fallback to A.
    #[arg(long, default_value_t, value_name = "ours|released")]
    rules: Rules,
    /// Print the summary as JSON on stdout; the readings then need --output FILE.
    #[arg(long)]
    json: bool,
}

#[derive(Deserialize)]
struct ExtractRow {
    id: Value,
    language: Language,
    kind: Kind,
    #[serde(default)]
    labels: Vec<String>,
    #[serde(default)]
    options: Vec<String>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    count: Option<usize>,
    #[serde(default)]
    cut: Option<bool>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OutputRow<'a> {
    id: &'a Value,
    outcome: Read,
    slots: &'a [usize],
    rule: Option<&'a str>,
    start: Option<usize>,
    end: Option<usize>,
}

/// Counts of the readings.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Summary {
    /// Format version, 1.
    version: u32,
    rules: &'static str,
    rules_version: u32,
    rows: usize,
    failed: usize,
    /// By language, then outcome.
    outcomes: IndexMap<String, IndexMap<&'static str, usize>>,
    /// By rule; `-` counts replies that no rule decided.
    fired: IndexMap<String, usize>,
}

impl Args {
    /// Checks the arguments, and returns the file of the readings; `None` for stdout.
    fn check(&self) -> anyhow::Result<Option<&Path>> {
        let output = self.output.as_deref().filter(|path| *path != Path::new(stdin::DASH));
        anyhow::ensure!(
            !self.json || output.is_some(),
            "--json prints the summary on stdout; name a file for the readings with --output"
        );
        anyhow::ensure!(
            !self.input.is_dir(),
            "{}: a folder; `tomeval report --extract {} {}` reads the replies of a run again",
            self.input.display(),
            self.rules.name(),
            shell::path(&self.input)
        );
        Ok(output)
    }
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let output = args.check()?;
    let bytes = stdin::read(&args.input)?;
    let name = stdin::name(&args.input);
    let mut summary =
        Summary { version: 1, rules: args.rules.name(), rules_version: RULES_VERSION, ..Summary::default() };
    let mut lines = String::new();
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    for (number, line) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match row(line, args.rules) {
            Ok((row, reading)) => {
                let written = OutputRow {
                    id: &row.id,
                    outcome: reading.outcome,
                    slots: &reading.slots,
                    rule: reading.rule.as_deref(),
                    start: reading.start,
                    end: reading.end,
                };
                lines.push_str(&serde_json::to_string(&written)?);
                lines.push('\n');
                summary.rows += 1;
                let outcomes = summary.outcomes.entry(row.language.code().to_string()).or_default();
                *outcomes.entry(reading.outcome.name()).or_default() += 1;
                *summary.fired.entry(reading.rule.unwrap_or_else(|| "-".to_string())).or_default() += 1;
            }
            Err(problem) => {
                eprintln!("{name}, line {number}: {problem}");
                summary.failed += 1;
            }
        }
    }
    save_or_print(output, &lines)?;
    summary.outcomes.sort_keys();
    summary.fired.sort_by(|name, count, other, others| others.cmp(count).then(name.cmp(other)));
    if args.json {
        println!("{}", serde_json::to_string_pretty(&summary)?);
    } else {
        summary.print();
    }
    Ok(if summary.failed == 0 { Outcome::Done } else { Outcome::Incomplete })
}

impl Summary {
    fn print(&self) {
        let failed = if self.failed == 0 { String::new() } else { format!(", {} could not be", self.failed) };
        let replies = counted(self.rows, "reply");
        eprintln!("{replies} read by the rules `{}`, version {}{failed}", self.rules, self.rules_version);
        let rendered = |counts: &mut dyn Iterator<Item = (&str, usize)>| {
            counts.map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>().join(", ")
        };
        for (language, outcomes) in &self.outcomes {
            let in_order = Read::ALL.iter().filter_map(|read| Some((read.name(), *outcomes.get(read.name())?)));
            eprintln!("  {language}: {}", rendered(&mut in_order.into_iter()));
        }
        if !self.fired.is_empty() {
            eprintln!("  rules: {}", rendered(&mut self.fired.iter().map(|(rule, count)| (rule.as_str(), *count))));
        }
    }
}

/// Parses a line and reads its reply.
fn row(line: &[u8], rules: Rules) -> Result<(ExtractRow, crate::extract::Reading), String> {
    let text = std::str::from_utf8(line)
        .map_err(|error| format!("not UTF-8 from byte {} on; convert the file", error.valid_up_to() + 1))?;
    let row: ExtractRow = serde_json::from_str(text.trim()).map_err(in_words_of_line)?;
    let ExtractRow { labels, options, kind, .. } = &row;
    if !matches!(row.id, Value::String(_) | Value::Number(_)) {
        return Err("`id` must be a string or a number".to_string());
    }
    if labels.is_empty() && options.is_empty() {
        return Err("`labels` and `options` are both missing; give those shown".to_string());
    }
    if !labels.is_empty() && !options.is_empty() && labels.len() != options.len() {
        return Err(format!("{} `labels` for {} `options`; give one for each", labels.len(), options.len()));
    }
    if let Some(twice) = labels.iter().enumerate().find(|&(at, label)| labels[..at].contains(label)) {
        return Err(format!("duplicate label `{}` in `labels`", twice.1));
    }
    let count = match (kind, row.count) {
        (Kind::Slots, None) => return Err("`count` is missing; give the number of answers for slots".to_string()),
        (Kind::Slots, Some(0)) => return Err("`count` is 0; expected at least 1".to_string()),
        (Kind::Slots, Some(count)) => count,
        (Kind::Single | Kind::Labels, _) => 1,
    };
    if !rules.read(*kind) {
        return Err(format!("the released rules read single answers only, and this is of the kind {}", kind.name()));
    }
    let reply = match &row.text {
        Some(reply) => reply.clone(),
        None => reply_of_line(text.trim())?,
    };
    let question = Question { language: row.language, kind: *kind, labels, options, count };
    let reading = read(rules, &question, &reply, row.cut.unwrap_or(false));
    Ok((row, reading))
}
