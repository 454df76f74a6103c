//! Groups trials that share a prompt with several questions.

use std::sync::Arc;

use indexmap::IndexMap;

use super::list::Trial;
use super::presented::Presented;
use super::questions::QuestionsPerPrompt;
use crate::benchmark::{Benchmark, Item, SegmentKind};
use crate::language::Language;

/// Properties shared by questions that may be in one prompt.
#[derive(PartialEq, Eq, Hash)]
struct Shared<'a> {
    benchmark: Benchmark,
    story: &'a str,
    language: Language,
    presented: &'a Presented,
    sample: Option<usize>,
    /// Properties by which a style may be chosen.
    kind: (&'static str, Option<&'a str>),
    context: Vec<(SegmentKind, Arc<str>)>,
}

/// Returns all trials, grouped by prompt, in the order of their questions' numbers.
///
/// Questions share a prompt if they are about the same context (every word of it), in the same language, presentation
/// and sample, and have the same kind of answer and dimension. They are taken in the order of the items, as many as the
/// settings allow. The first prompt contains the first order drawn for each, the second the second, and so on: a
/// question with fewer different orders than others is in fewer prompts.
pub(super) fn together(trials: &[Trial], items: &[Item]) -> Vec<Vec<usize>> {
    let mut alike: IndexMap<Shared<'_>, IndexMap<usize, Vec<usize>>> = IndexMap::new();
    for (number, trial) in trials.iter().enumerate() {
        let item = &items[trial.item];
        let shown = trial.presented.shown(item);
        let context = shown.context.iter().map(|segment| (segment.kind, segment.text.clone())).collect();
        let shared = Shared {
            benchmark: item.benchmark,
            story: &item.story,
            language: item.language,
            presented: &trial.presented,
            sample: trial.sample,
            kind: (item.gold.kind(), item.facet("dimension")),
            context,
        };
        alike.entry(shared).or_default().entry(trial.item).or_default().push(number);
    }
    let mut groups = Vec::new();
    for questions in alike.into_values() {
        let questions: Vec<Vec<usize>> = questions.into_values().collect();
        let of = |question: &Vec<usize>| question.first().and_then(|&trial| trials[trial].presented.questions);
        let most = questions.first().and_then(of).map_or(1, QuestionsPerPrompt::most);
        for prompt in questions.chunks(most) {
            let orders = prompt.iter().map(Vec::len).max().unwrap_or(0);
            groups.extend(
                (0..orders).map(|order| prompt.iter().filter_map(|trials| trials.get(order).copied()).collect()),
            );
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::{Answer, OptionIx, Segment};
    use crate::prompt::Order;

    fn item(id: &str, story: &str, context: &str) -> Item {
        Item {
            id: id.into(),
            benchmark: Benchmark::Custom,
            language: Language::En,
            parallel: id.into(),
            story: story.into(),
            context: vec![Segment { kind: SegmentKind::Story, text: context.into() }],
            question: "?".into(),
            options: vec!["x".into(), "y".into()],
            gold: Answer::Single(OptionIx(0)),
            facets: Default::default(),
            fields: Default::default(),
            flags: Vec::new(),
        }
    }

    fn trial(item: usize, order: [usize; 2], questions: QuestionsPerPrompt) -> Trial {
        Trial {
            item,
            presented: Presented { questions: Some(questions), ..Presented::default() },
            order: Order::try_from(order.to_vec()).unwrap(),
            count: 1,
            sample: None,
        }
    }

    #[test]
    fn questions_of_one_context_share_a_prompt_order_by_order() {
        let items = [item("a", "s", "x"), item("b", "s", "x"), item("c", "s", "y"), item("d", "s", "x")];
        let orders = [(0, [0, 1]), (0, [1, 0]), (1, [0, 1]), (2, [0, 1]), (3, [1, 0]), (3, [0, 1])];
        let groups = |questions| together(&orders.map(|(item, order)| trial(item, order, questions)), &items);
        assert_eq!(groups(QuestionsPerPrompt::All), [vec![0, 2, 4], vec![1, 5], vec![3]]);
        assert_eq!(groups(QuestionsPerPrompt::AtMost(2)), [vec![0, 2], vec![1], vec![4], vec![5], vec![3]]);
    }
}
