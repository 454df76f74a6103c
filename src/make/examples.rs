//! Stories for the tests of samples and splits.

use indexmap::IndexMap;
use rand::Rng;

use super::{Draw, Embedded, Quota, Quotas, StoryUnit};
use crate::benchmark::{Answer, Benchmark, Facets, Item, OptionIx, Segment, SegmentKind};
use crate::language::Language;
use crate::seed::seeded;

/// Items of stories, given as (questions of a story, number of such stories).
pub fn stories_of(sizes: &[(usize, usize)]) -> Vec<Item> {
    let mut items = Vec::new();
    for &(size, count) in sizes {
        for number in 0..count {
            let story = format!("custom/{size}-{number}/en");
            items.extend((0..size).map(|question| Item {
                id: format!("custom/{size}-{number}-{question}/en"),
                benchmark: Benchmark::Custom,
                language: Language::En,
                parallel: format!("custom/{size}-{number}-{question}"),
                story: story.clone(),
                context: vec![Segment { kind: SegmentKind::Story, text: story.as_str().into() }],
                question: format!("Question {question}?"),
                options: vec!["yes".into(), "no".into()],
                gold: Answer::Single(OptionIx(question % 2)),
                facets: Facets::new(),
                fields: IndexMap::new(),
                flags: Vec::new(),
            }));
        }
    }
    items
}

/// A vector for each story, at an angle that depends on its id alone.
pub fn vectors(stories: &[StoryUnit<'_>]) -> Embedded {
    let angle = |story: &StoryUnit<'_>| seeded(0, story.id, 0).random_range(0.0..1.5_f32);
    let rows = stories.iter().map(|story| vec![angle(story).cos(), angle(story).sin()]).collect();
    Embedded::new("angles".into(), "drawn".into(), stories, rows).unwrap()
}

/// A table with one quota of all stories.
pub fn quotas(stories: usize, questions: impl Into<Option<usize>>) -> Quotas {
    let quota = Quota {
        name: "all".into(),
        benchmark: None,
        facets: IndexMap::new(),
        stories,
        questions: questions.into(),
        cut_stories: false,
        note: None,
    };
    Quotas {
        name: "example".into(),
        source: "own".into(),
        draw: Draw::Distance,
        category: Vec::new(),
        beside: None,
        quotas: vec![quota],
        sha256: String::new(),
    }
}
