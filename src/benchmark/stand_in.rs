//! Items without their texts that yield the same numbers in every report: for results whose data may not be shared.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use super::rule::NEGATED;
use super::{Item, LONGEST_NAME, Rule, Segment, SegmentKind, StoryWords, is_negated};

/// A facet's value of at least this length is replaced if it occurs in the item's texts.
const LONGEST_FACET: usize = 20;

/// Numbers in place of texts: equal texts have equal numbers, assigned in order of first occurrence.
#[derive(Debug, Default)]
pub struct StandIns {
    numbers: HashMap<String, usize>,
    words: StoryWords,
}

impl StandIns {
    /// The item without its texts: options become numbers such as `#00017`, the context becomes the order in which its
    /// story first and last names them, which is all that yardsticks use; the question is empty, and fields hold only
    /// what shortcuts use and placeholders cannot tell.
    pub fn item(&mut self, item: &Item) -> Item {
        let options: Vec<String> = item.options.iter().map(|option| self.option(option)).collect();
        let order = self.order_named(item);
        let segment = Segment { kind: SegmentKind::Story, text: Arc::from(order) };
        let facets = item.facets.iter().map(|(name, value)| (name.clone(), self.facet(item, value)));
        let mut stand_in = Item {
            context: if segment.text.is_empty() { Vec::new() } else { vec![segment] },
            question: String::new(),
            options,
            facets: facets.collect(),
            fields: Default::default(),
            ..item.clone()
        };
        for rule in [Rule::Longest, Rule::MostShared] {
            let (kept, own) =
                (rule.options(item, &mut self.words), rule.options(&stand_in, &mut StoryWords::default()));
            if let Some(field) = rule.field().filter(|_| kept != own) {
                let kept: Vec<String> = kept.iter().map(usize::to_string).collect();
                stand_in.fields.insert(field.to_string(), kept.join(","));
            }
        }
        if is_negated(item) {
            stand_in.fields.insert(NEGATED.to_string(), String::new());
        }
        stand_in
    }

    fn number(&mut self, text: &str) -> usize {
        let next = self.numbers.len() + 1;
        *self.numbers.entry(text.to_string()).or_insert(next)
    }

    /// An option's placeholder. None contains another; an empty option stays empty, and a sentence gets one of a
    /// sentence's length.
    fn option(&mut self, text: &str) -> String {
        let name = format!("#{:05}", self.number(text));
        match text.len() {
            0 => String::new(),
            length if length > LONGEST_NAME => format!("{name:-<width$}", width = LONGEST_NAME + 1),
            _ => name,
        }
    }

    /// The options that the story names, ordered by their first mentions and again by their last. Of two options that
    /// begin at one place, the first of the list precedes the other in the former order and follows it in the latter,
    /// so that a search from either end finds it.
    fn order_named(&mut self, item: &Item) -> String {
        let story = item.story_text();
        let named = item.options.iter().enumerate().filter(|(_, option)| !option.is_empty());
        let mut named: Vec<(usize, usize, usize)> = named
            .filter_map(|(at, option)| Some((at, story.find(option.as_str())?, story.rfind(option.as_str())?)))
            .collect();
        let mut names = Vec::new();
        named.sort_by_key(|&(at, first, _)| (first, at));
        names.extend(named.iter().map(|&(at, ..)| self.option(&item.options[at])));
        named.sort_by_key(|&(at, _, last)| (last, Reverse(at)));
        names.extend(named.iter().map(|&(at, ..)| self.option(&item.options[at])));
        names.join(" ")
    }

    fn facet(&mut self, item: &Item, value: &str) -> String {
        let texts = item.context.iter().map(|segment| &*segment.text).chain([item.question.as_str()]);
        let mut texts = texts.chain(item.options.iter().chain(item.fields.values()).map(String::as_str));
        match value.chars().count() >= LONGEST_FACET && texts.any(|text| text.contains(value)) {
            true => format!("#{:05}", self.number(value)),
            false => value.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::{Answer, Benchmark, OptionIx};
    use crate::language::Language;

    fn item(story: &str, options: &[&str]) -> Item {
        Item {
            id: "1".into(),
            benchmark: Benchmark::Custom,
            language: Language::En,
            parallel: "1".into(),
            story: "1".into(),
            context: vec![Segment { kind: SegmentKind::Story, text: story.into() }],
            question: "Where is it?".into(),
            options: options.iter().map(|option| option.to_string()).collect(),
            gold: Answer::Single(OptionIx(0)),
            facets: [("topic", "the ball rolled under the bed"), ("level", "2")]
                .map(|(a, b)| (a.into(), b.into()))
                .into(),
            fields: [("hint".to_string(), "the bed".to_string())].into(),
            flags: Vec::new(),
        }
    }

    #[test]
    fn equal_texts_have_equal_numbers_and_no_text_stays() {
        let mut stand_ins = StandIns::default();
        let first = stand_ins.item(&item("So the ball rolled under the bed.", &["bed", "box"]));
        let second = stand_ins.item(&item("", &["box", "", "a sentence that is longer than any name of a thing"]));
        assert_eq!(first.options, ["#00001", "#00002"]);
        assert_eq!(first.options[1], second.options[0]);
        assert!(second.options[1].is_empty() && second.options[2].len() > LONGEST_NAME);
        assert_eq!(&*first.context[0].text, "#00001 #00001");
        assert!(second.context.is_empty() && first.question.is_empty() && first.fields.is_empty());
        assert_eq!((&*first.facets["level"], &*first.facets["topic"]), ("2", "#00003"));
    }

    #[test]
    fn who_is_named_first_and_last_stays() {
        let named = |story: &str, options: &[&str]| {
            let item = StandIns::default().item(&item(story, options));
            item.context.first().map_or(String::new(), |segment| segment.text.to_string())
        };
        assert_eq!(named("box, bed, box, bag", &["bed", "box"]), "#00002 #00001 #00001 #00002");
        // Searches for the first and for the last one both find the first of the list.
        assert_eq!(named("red box", &["red", "red box"]), "#00001 #00002 #00002 #00001");
        assert_eq!(named("nothing", &["red", "blue"]), "");
    }
}
