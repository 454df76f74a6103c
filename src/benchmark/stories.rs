//! Dependent items: those of one story, and those whose versions share a story.

use std::collections::HashMap;

use super::Item;

/// Numbered stories. Stories in several languages or variants count as one where they share any question: a story's own
/// name contains its language and variant.
#[derive(Debug, Clone, Default)]
pub struct TiedStories {
    /// Stories, and questions without language and variant, each by benchmark and name.
    nodes: HashMap<(Kind, String, String), usize>,
    /// Parent of each node; a root is its own parent.
    parents: Vec<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Story,
    Question,
}

impl TiedStories {
    /// Add an item by its benchmark, its story and its id without language and variant. The result identifies its story
    /// in [`TiedStories::tie`] and [`TiedStories::numbers`].
    pub fn add(&mut self, benchmark: &str, story: &str, parallel: &str) -> usize {
        let story = self.node(Kind::Story, benchmark, story);
        let question = self.node(Kind::Question, benchmark, parallel);
        self.tie(story, question);
        story
    }

    fn node(&mut self, kind: Kind, benchmark: &str, name: &str) -> usize {
        let next = self.parents.len();
        let node = *self.nodes.entry((kind, benchmark.to_string(), name.to_string())).or_insert(next);
        if node == next {
            self.parents.push(next);
        }
        node
    }

    /// Merge two stories.
    pub fn tie(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        self.parents[one.max(other)] = one.min(other);
    }

    /// The number of each given story, shared by all stories tied to it and counted from 0 in the given order. Call
    /// when all items are added: a later one may tie separate stories.
    pub fn numbers(&mut self, stories: &[usize]) -> Vec<usize> {
        let mut numbers: HashMap<usize, usize> = HashMap::new();
        stories
            .iter()
            .map(|&story| {
                let (root, next) = (self.root(story), numbers.len());
                *numbers.entry(root).or_insert(next)
            })
            .collect()
    }

    /// The number of each item's story, from 0, shared by stories that hold versions of one question; and how many there
    /// are.
    pub fn of_items<'i>(items: impl Iterator<Item = &'i Item>) -> (Vec<usize>, usize) {
        let mut tied = TiedStories::default();
        let stories: Vec<usize> =
            items.map(|item| tied.add(item.benchmark.name(), &item.story, &item.parallel)).collect();
        let numbers = tied.numbers(&stories);
        let count = numbers.iter().max().map_or(0, |last| last + 1);
        (numbers, count)
    }

    /// The root of a story's tree; nodes on the path then point to it directly.
    fn root(&mut self, mut node: usize) -> usize {
        while self.parents[node] != node {
            self.parents[node] = self.parents[self.parents[node]];
            node = self.parents[node];
        }
        node
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_one_question_tie_their_stories() {
        let mut stories = TiedStories::default();
        let items = [("box/en", "box/0"), ("box/zh", "box/0"), ("box/zh", "box/1"), ("tin/en", "tin/0")];
        let found = items.map(|(story, parallel)| stories.add("example", story, parallel));
        assert_eq!(stories.numbers(&found), [0, 0, 0, 1]);
    }

    #[test]
    fn stories_are_tied_by_their_questions_and_by_hand() {
        let mut stories = TiedStories::default();
        let items = [("a/VP", "a/0"), ("b/VP", "b/0"), ("a/CoTP", "a/0"), ("c/VP", "c/0"), ("a/CoTP", "a/1")];
        let mut found = items.map(|(story, parallel)| stories.add("hi-tom", story, parallel)).to_vec();
        found.push(stories.add("tomi", "a/VP", "a/0"));
        assert_eq!(stories.numbers(&found), [0, 1, 0, 2, 0, 3], "another benchmark's story is another one");
        stories.tie(found[3], found[1]);
        assert_eq!(stories.numbers(&found), [0, 1, 0, 1, 0, 2]);
        let last = stories.add("hi-tom", "c/VP", "a/1");
        found.push(last);
        assert_eq!(stories.numbers(&found), [0, 0, 0, 0, 0, 1, 0], "a later item ties what was apart");
    }
}
