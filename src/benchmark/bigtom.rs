//! BigToM (Gandhi et al. 2023): `bigtom.csv` has 200 stories, which become 25 conditions each.
//!
//! A story is five sentences: setting, desire, percept, initial belief, event. E is the whole story (initial belief 1) or
//! the story without its fourth sentence (0); R is E with a random event in place of its fifth. Behind E or R follows
//! that somebody is aware of the event or not (forward), or what they do (backward):
//!
//! | variable | asked | true belief | false belief | true control | false control |
//! |---|---|---|---|---|---|
//! | `forward_belief` | belief | E, aware | E, not aware | R, aware | R, not aware |
//! | `forward_action` | action | E, aware | E, not aware | R, aware | R, not aware |
//! | `backward_belief` | belief | E, act of the aware | E, act of the unaware | R, act of the unaware | the same |
//! | `percept_to_belief` | belief | the first three sentences | | | |
//!
//! Options are the answer of those aware and the answer of those not aware, in this order. The first is right for true
//! beliefs and, as published, for percept to belief; the second for all others. White space at the end of a story is
//! dropped. Facets: `variable`, `story_condition`, `initial_belief`, `kind` (`belief`, `action`), `direction`
//! (`forward`, `backward`, `percept`) and `repeat` (`yes` for the false backward controls, whose prompt is that of the
//! true ones). Ids: `bigtom/<row>/<variable>/<condition>/<initial belief>`, rows from 0.

use std::path::Path;
use std::sync::Arc;

use indexmap::IndexMap;

use super::choices::duplicate_options;
use super::definition::{Definition, card};
use super::rows::{DataRow, RowFile, Shape};
use super::unique::Ids;
use super::{
    Answer, Benchmark, Facets, Flag, Item, LabelSet, LoadError, LoadOptions, Loaded, OptionIx, RowProblem, Segment,
    SegmentKind, folder,
};
use crate::counted::counted;
use crate::language::Language;

pub(super) static BIGTOM: Definition = Definition {
    benchmark: Benchmark::BigToM,
    card: card!("bigtom"),
    choices: &[],
    is_at: |data| folder::holds(data, &["bigtom"], &[FILE]),
    load,
};

const FILE: &str = "bigtom.csv";

/// Columns of the file, named by their numbers from 1.
const STORY: &str = "1";
const AWARE: [&str; 2] = ["2", "3"];
const ACTS: [&str; 2] = ["4", "5"];
const BELIEF: Asked = Asked { kind: "belief", question: "6", options: ["9", "12"] };
const ACTION: Asked = Asked { kind: "action", question: "8", options: ["11", "14"] };
const RANDOM_EVENT: &str = "15";
const RANDOM_AWARE: [&str; 2] = ["16", "17"];

/// A question of the file, with the answer of those aware of the event and of those who are not.
#[derive(Debug, Clone, Copy)]
struct Asked {
    kind: &'static str,
    question: &'static str,
    options: [&'static str; 2],
}

/// A condition of a story.
#[derive(Debug, Clone, Copy)]
struct Condition {
    variable: &'static str,
    name: &'static str,
    initial_belief: bool,
    asked: Asked,
    /// Whether the event is the random one.
    random: bool,
    /// The column behind the story; `None` where the story ends with its third sentence.
    behind: Option<&'static str>,
    gold: usize,
}

/// The conditions in the order of the table.
fn conditions() -> Vec<Condition> {
    const NAMES: [&str; 4] = ["true_belief", "false_belief", "true_control", "false_control"];
    const AWARENESS: [&str; 4] = [AWARE[0], AWARE[1], RANDOM_AWARE[0], RANDOM_AWARE[1]];
    let variables = [
        ("forward_belief", BELIEF, AWARENESS),
        ("forward_action", ACTION, AWARENESS),
        ("backward_belief", BELIEF, [ACTS[0], ACTS[1], ACTS[1], ACTS[1]]),
    ];
    let mut all = Vec::new();
    for (variable, asked, behind) in variables {
        for (number, name) in NAMES.into_iter().enumerate() {
            for initial_belief in [false, true] {
                let (random, behind, gold) = (number >= 2, Some(behind[number]), usize::from(number > 0));
                all.push(Condition { variable, name, initial_belief, asked, random, behind, gold });
            }
        }
    }
    let (variable, name, asked) = ("percept_to_belief", NAMES[0], BELIEF);
    all.push(Condition { variable, name, initial_belief: true, asked, random: false, behind: None, gold: 0 });
    all
}

/// Rows whose initial belief is the answer of those aware, so that the event changes nothing that is asked.
const INITIAL_IS_AWARE: [usize; 2] = [19, 150];

/// The row of which neither answer fits the initial belief.
const NEITHER: usize = 133;

fn load(data: &Path, options: &LoadOptions) -> Result<Loaded, LoadError> {
    let path = folder::own_folder(&BIGTOM, data, &["bigtom"], &[FILE])?.join(FILE);
    let mut loaded = Loaded::default();
    if !options.wants(Language::En) {
        return Ok(loaded);
    }
    let (mut ids, conditions) = (Ids::default(), conditions());
    let shape = Shape { delimiter: Some(b';'), header: false, members: false };
    RowFile::open(&path, shape)?.each(&mut |row| {
        let items = row.and_then(|row| {
            let made: Result<Vec<Item>, RowProblem> =
                conditions.iter().filter_map(|condition| condition.item(&row, options.labels).transpose()).collect();
            Ok((row.line, made?))
        });
        match items {
            Ok((line, items)) => items.into_iter().for_each(|item| loaded.add(item, &mut ids, &path, Some(line))),
            Err(problem) => loaded.problems.push(problem),
        }
    })?;
    Ok(loaded)
}

impl Condition {
    /// The item of a row under these labels; `None` where they leave it out.
    fn item(&self, row: &DataRow, labels: LabelSet) -> Result<Option<Item>, RowProblem> {
        let sentences: Vec<&str> = row.text(&[STORY])?.trim().split_inclusive('.').map(str::trim).collect();
        if sentences.len() != 5 {
            let found = counted(sentences.len(), "sentence");
            return Err(row.problem(Some(STORY), format!("{found}; a story is five that end in full stops")));
        }
        let mut told = sentences[..3].to_vec();
        if let Some(behind) = self.behind {
            told.extend(self.initial_belief.then_some(sentences[3]));
            told.push(if self.random { row.text(&[RANDOM_EVENT])?.trim() } else { sentences[4] });
            told.push(row.text(&[behind])?.trim());
        }
        let options = self.asked.options.map(|column| row.text(&[column]).map(|text| text.trim().to_string()));
        let [aware, unaware] = options;
        let options = vec![aware?, unaware?];
        let mut flags: Vec<Flag> = duplicate_options(&options).into_iter().collect();
        let mut flag = |name: &'static str, detail: &str| {
            flags.push(Flag { name: name.into(), detail: detail.to_string() });
        };
        let mut gold = self.gold;
        let is_initial = INITIAL_IS_AWARE.contains(&row.index);
        if self.behind.is_none() && !is_initial {
            flag("gold-after-event", "nothing has changed yet; the published answer is the belief after the event");
            if labels == LabelSet::Repaired {
                if row.index == NEITHER {
                    return Ok(None);
                }
                gold = 1;
            }
        }
        if self.random && self.asked.kind == "belief" && is_initial {
            flag("gold-contradicts-story", "the published answer denies the initial belief, which nothing has changed");
        }
        let repeat = self.variable == "backward_belief" && self.name == "false_control";
        if repeat {
            flag("same-prompt", "the same prompt as the true control's; count one of them");
        }
        let initial_belief = u8::from(self.initial_belief).to_string();
        let direction = self.variable.split('_').next().unwrap_or_default();
        let facets = [
            ("variable", self.variable),
            ("story_condition", self.name),
            ("initial_belief", initial_belief.as_str()),
            ("kind", self.asked.kind),
            ("direction", direction),
            ("repeat", if repeat { "yes" } else { "no" }),
        ];
        let id = format!("bigtom/{}/{}/{}/{initial_belief}", row.index, self.variable, self.name);
        Ok(Some(Item {
            parallel: id.clone(),
            id,
            benchmark: Benchmark::BigToM,
            language: Language::En,
            story: format!("bigtom/{}", row.index),
            context: vec![Segment { kind: SegmentKind::Story, text: Arc::from(told.join(" ")) }],
            question: row.text(&[self.asked.question])?.trim().to_string(),
            options,
            gold: Answer::Single(OptionIx(gold)),
            facets: facets.into_iter().map(|(name, value)| (name.to_string(), value.to_string())).collect::<Facets>(),
            fields: IndexMap::new(),
            flags,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A story of our own, in the columns of the file.
    const ROW: &str = "Tove bakes rolls in her shop. She wants them warm. She sees a full pan. She thinks that the pan is \
        full. A gull takes the rolls.;Tove sees the gull.;Tove does not see the gull.;Tove bakes again.;Tove calls the \
        guests.;What does Tove think?;What does Tove want?;What does Tove do?;That the pan is empty.;Warm rolls.;She bakes \
        again.;That the pan is full.;Warm rolls.;She calls the guests.;A gull takes a hat.;Tove sees that gull.;Tove does \
        not see that gull.;auto;0\n";

    fn loaded(text: &str, labels: LabelSet) -> Loaded {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), text).unwrap();
        load(folder.path(), &LoadOptions { labels, ..LoadOptions::default() }).unwrap()
    }

    #[test]
    fn a_story_becomes_its_conditions() {
        let found = loaded(ROW, LabelSet::Published);
        assert_eq!((found.items.len(), found.problems.len()), (25, 0));
        let told = |id: &str| {
            let item = found.items.iter().find(|item| item.id == format!("bigtom/0/{id}")).unwrap();
            (item.story_text(), item.gold.options()[0], item.question.as_str())
        };
        let start = "Tove bakes rolls in her shop. She wants them warm. She sees a full pan.";
        let (belief, action) = ("What does Tove think?", "What does Tove do?");
        for (id, rest, gold, asked) in [
            ("forward_belief/true_belief/0", " A gull takes the rolls. Tove sees the gull.", 0, belief),
            (
                "forward_action/false_control/1",
                " She thinks that the pan is full. A gull takes a hat. Tove does not see that gull.",
                1,
                action,
            ),
            ("backward_belief/false_belief/0", " A gull takes the rolls. Tove calls the guests.", 1, belief),
            ("backward_belief/true_control/0", " A gull takes a hat. Tove calls the guests.", 1, belief),
            ("percept_to_belief/true_belief/1", "", 0, belief),
        ] {
            assert_eq!(told(id), (format!("{start}{rest}"), gold, asked), "{id}");
        }
        assert_eq!(told("backward_belief/true_control/1"), told("backward_belief/false_control/1"));
        let repaired = loaded(ROW, LabelSet::Repaired);
        let percept = repaired.items.iter().find(|item| item.id.contains("percept")).unwrap();
        assert_eq!((percept.gold.options()[0], &*percept.flags[0].name), (1, "gold-after-event"));
    }

    #[test]
    fn a_story_of_other_sentences_is_named_and_the_others_are_kept() {
        let text = format!("{}{ROW}{}", ROW.replacen("warm.", "warm", 1), ROW.replace("What does Tove do?", " "));
        let found = loaded(&text, LabelSet::Published);
        assert_eq!(found.items.len(), 25);
        let problems: Vec<_> = found.problems.iter().map(|problem| (problem.row, problem.field.as_deref())).collect();
        assert_eq!(problems, [(Some(1), Some("1")), (Some(3), Some("8"))]);
        assert!(found.problems[0].message.contains("4 sentences; a story is five"));
    }
}
