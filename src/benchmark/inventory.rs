//! Rows in ToMBench's layout, which Multi-ToM shares: reading one question, and which questions share a story.

use super::ability::{AbilityLabel, read_label};
use super::choices::{answer_letter, duplicate_options, strip_labels};
use super::rows::DataRow;
use super::{Card, Facets, Flag, LabelSet, OptionIx, RepairAction, RowProblem};
use crate::name::option_letter;

/// The files of ToMBench and Multi-ToM, without extension: first the eight tasks in the order of the paper's Table 1,
/// each with the paper's name, then the twelve files of abilities that no task covers.
pub(super) const FILES: [(&str, Option<&str>); 20] = [
    ("Unexpected Outcome Test", Some("Unexpected Outcome Test")),
    ("Scalar Implicature Test", Some("Scalar Implicature Task")),
    ("Persuasion Story Task", Some("Persuasion Story Task")),
    ("False Belief Task", Some("False Belief Task")),
    ("Ambiguous Story Task", Some("Ambiguous Story Task")),
    ("Hinting Task Test", Some("Hinting Test")),
    ("Strange Story Task", Some("Strange Story Task")),
    ("Faux-pas Recognition Test", Some("Faux-pas Recognition Test")),
    ("Discrepant Emotions", None),
    ("Hidden Emotions", None),
    ("Moral Emotions", None),
    ("Emotion Regulation", None),
    ("Multiple Desires", None),
    ("Discrepant Desires", None),
    ("Discrepant Intentions", None),
    ("Prediction of Actions", None),
    ("Completion of Failed Actions", None),
    ("Knowledge-Pretend Play Links", None),
    ("Percepts-Knowledge Links", None),
    ("Knowledge-Attention Links", None),
];

/// The paper's name of the task that a file holds; `None` for the extra files.
fn task_of(file: &str) -> Option<&'static str> {
    FILES.iter().find(|(name, _)| *name == file).and_then(|(_, task)| *task)
}

/// Keys of the language-independent parts of a row. Two of the released keys contain a newline.
const ABILITY: &[&str] = &["能力\nABILITY", "ABILITY"];
const INDEX: &[&str] = &["序号\nINDEX", "DATA_INDEX", "INDEX"];
const ANSWER: &[&str] = &["答案\nANSWER", "ANSWER"];

/// Keys of the texts of one language.
#[derive(Debug, Clone, Copy)]
pub(super) struct TextKeys {
    pub story: &'static str,
    pub question: &'static str,
    pub options: [&'static str; 4],
}

/// The keys of every language except Chinese, whose texts share a row with the English ones.
pub(super) const PLAIN: TextKeys =
    TextKeys { story: "STORY", question: "QUESTION", options: ["OPTION-A", "OPTION-B", "OPTION-C", "OPTION-D"] };

/// The keys of the Chinese texts.
pub(super) const CHINESE: TextKeys =
    TextKeys { story: "故事", question: "问题", options: ["选项A", "选项B", "选项C", "选项D"] };

/// The language-independent parts of a row.
#[derive(Debug, Clone)]
pub(super) struct Head {
    pub ability: AbilityLabel,
    /// Number of the question within its story, from 1.
    pub index: usize,
    pub flags: Vec<Flag>,
}

/// Read the language-independent parts.
pub(super) fn read_head(row: &DataRow) -> Result<Head, RowProblem> {
    let text = row.text(ABILITY)?;
    let ability = read_label(text).ok_or_else(|| {
        row.problem(row.first(ABILITY).map(|(key, _)| key), format!("`{text}` is not `Dimension: ability`"))
    })?;
    let mut flags = Vec::new();
    let mut flag = |name: &'static str, detail: String| flags.push(Flag { name: name.into(), detail });
    if ability.double {
        flag("two-abilities", format!("the label `{text}` names two abilities; the paper counts the second"));
    }
    if ability.respelled {
        flag("ability-spelling", format!("`{text}` is not spelled as in the paper's Table 18"));
    }
    if !ability.known {
        flag("unknown-ability", format!("`{text}` is none of the paper's 31 abilities"));
    }
    if row.nan_tokens {
        flag("nan-tokens", "bare NaN tokens, which strict JSON refuses, stand for missing values".to_string());
    }
    Ok(Head { ability, index: row.number(INDEX)?, flags })
}

/// Apply the card's correction of a question's number, where the data still have the released one: a flag under both
/// label sets, and the right number under the repaired one. `row` counts from 0.
pub(super) fn renumber(head: &mut Head, card: &Card, file: &str, row: usize, labels: LabelSet) {
    let correction = card.repairs.iter().find_map(|repair| match repair.action {
        RepairAction::Renumber { released, right }
            if repair.file == file && repair.row == row + 1 && released == head.index =>
        {
            Some((repair, right))
        }
        _ => None,
    });
    if let Some((repair, right)) = correction {
        head.flags.push(Flag { name: repair.action.flag().into(), detail: repair.reason.clone() });
        if labels == LabelSet::Repaired {
            head.index = right;
        }
    }
}

/// The facets of a question: `task` (files that are a task only), `file`, `dimension`, `ability`, `label`, `index`.
pub(super) fn facets(file: &str, head: &Head) -> Facets {
    let mut facets = Facets::new();
    let mut facet = |name: &str, value: &str| facets.insert(name.to_string(), value.to_string());
    if let Some(task) = task_of(file) {
        facet("task", task);
    }
    facet("file", file);
    facet("dimension", &head.ability.dimension);
    facet("ability", &head.ability.ability);
    facet("label", &head.ability.label);
    facet("index", &head.index.to_string());
    facets
}

/// A question in one language.
#[derive(Debug, Clone)]
pub(super) struct Question {
    pub story: String,
    pub question: String,
    pub options: Vec<String>,
    pub gold: OptionIx,
    pub flags: Vec<Flag>,
}

/// Read the texts of one language and check the answer against them. Story and question are kept verbatim.
pub(super) fn read_question(row: &DataRow, keys: &TextKeys) -> Result<Question, RowProblem> {
    let story = row.text(&[keys.story])?.to_string();
    let question = row.text(&[keys.question])?.to_string();
    let given = keys.options.iter().map(|key| row.optional_text(&[key])).collect::<Result<Vec<_>, _>>()?;
    let raw: Vec<&str> = given.iter().map_while(|option| *option).collect();
    if let Some(gap) = given.iter().skip(raw.len()).position(Option::is_some) {
        let later = keys.options[raw.len() + gap];
        let message = format!("empty, but {later} has a text; fill the gap, options are never shifted");
        return Err(row.problem(Some(keys.options[raw.len()]), message));
    }
    if raw.len() < 2 {
        return Err(row.problem(Some(keys.options[raw.len()]), "fewer than two options; supply the missing ones"));
    }
    let (options, labelled) = strip_labels(&raw);
    let answer_key = row.first(ANSWER).map(|(key, _)| key);
    let cell = row.text(ANSWER)?;
    let answer = answer_letter(cell)
        .ok_or_else(|| row.problem(answer_key, format!("`{cell}` is not an answer letter; write A, B, C or D")))?;
    if answer.option.0 >= options.len() {
        let (chosen, last) = (option_letter(answer.option.0), option_letter(options.len() - 1));
        let message = format!("answer {chosen}, but the last option is {last}; correct the letter or add the option");
        return Err(row.problem(answer_key, message));
    }
    let mut flags: Vec<Flag> = duplicate_options(&options).into_iter().collect();
    let mut flag =
        |name: &'static str, detail: &str| flags.push(Flag { name: name.into(), detail: detail.to_string() });
    if !answer.exact {
        flag("answer-spelling", &format!("the answer cell `{cell}` is read as {}", option_letter(answer.option.0)));
    }
    if labelled {
        flag("labelled-options", "the option texts carried their letters, which were taken off");
    }
    let texts = || [&story, &question].into_iter().map(String::as_str);
    if texts().any(|text| text.trim() != text) {
        flag("outer-space", "white space at an end of story or question; kept");
    }
    if raw.iter().any(|text| text.trim() != *text) {
        flag("option-space", "white space at an end of an option; dropped");
    }
    if texts().chain(options.iter().map(String::as_str)).any(|text| text.contains('\n')) {
        flag("newline", "a newline in story, question or option; kept");
    }
    Ok(Question { story, question, options, gold: answer.option, flags })
}

/// Numbers the stories of one file by its INDEX column: a story begins wherever INDEX is 1 or does not increase. For
/// files where INDEX does not tell, the card lists the rows where stories begin.
pub(super) struct StoryCounter<'a> {
    beginnings: Option<&'a [usize]>,
    stories: usize,
    previous: Option<usize>,
}

impl<'a> StoryCounter<'a> {
    /// A counter at the start of a file.
    pub fn new(card: &'a Card, file: &str) -> Self {
        StoryCounter { beginnings: card.story_rows.get(file).map(Vec::as_slice), stories: 0, previous: None }
    }

    /// The number of the story, from 0, that the next row belongs to. `row` counts from 0.
    pub fn next(&mut self, row: usize, index: usize) -> usize {
        let begins = match (self.previous, self.beginnings) {
            (None, _) => true,
            (_, Some(beginnings)) => beginnings.contains(&(row + 1)),
            (Some(before), None) => index <= 1 || index <= before,
        };
        self.stories += usize::from(begins);
        self.previous = Some(index);
        self.stories - 1
    }
}

/// A flag for a question whose story text differs from that of the previous question of the same story.
pub(super) fn changed_story() -> Flag {
    Flag {
        name: "story-text-changes".into(),
        detail: "the story's text differs from that of the question before; prefixes are shared by text".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::Benchmark;

    fn stories(file: &str, rows: &[(usize, usize)]) -> Vec<usize> {
        let card = Benchmark::ToMBench.card();
        let mut counter = StoryCounter::new(&card, file);
        rows.iter().map(|&(row, index)| counter.next(row, index)).collect()
    }

    #[test]
    fn stories_begin_where_the_index_does_not_rise() {
        let rows = [(0, 1), (1, 2), (2, 1), (3, 1), (4, 2), (5, 4), (6, 4), (7, 2)];
        assert_eq!(stories("False Belief Task", &rows), [0, 0, 1, 2, 2, 2, 3, 4]);
    }

    #[test]
    fn where_the_index_is_always_one_the_card_says_where_stories_begin() {
        let rows: Vec<(usize, usize)> = (0..12).map(|row| (row, 1)).collect();
        assert_eq!(stories("Moral Emotions", &rows), [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
        assert_eq!(stories("Discrepant Intentions", &rows), [0, 0, 1, 1, 2, 2, 3, 3, 3, 4, 5, 5]);
        assert_eq!(stories("Emotion Regulation", &rows), (0..12).collect::<Vec<_>>());
    }
}
