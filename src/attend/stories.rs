//! Numbers of stories, for clustered statistics.

use indexmap::IndexMap;

/// Stories by number, in the order in which they are met.
#[derive(Debug, Default)]
pub(super) struct Stories {
    numbers: IndexMap<String, usize>,
    /// For each story one that it is tied to, at last itself.
    tied: Vec<usize>,
}

impl Stories {
    /// The number of a story.
    pub fn number(&mut self, story: &str) -> usize {
        if let Some(&number) = self.numbers.get(story) {
            return number;
        }
        self.numbers.insert(story.to_string(), self.tied.len());
        self.tied.push(self.tied.len());
        self.tied.len() - 1
    }

    /// Count two stories as one from now on: a pair leans on both.
    pub fn tie(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        self.tied[one.max(other)] = one.min(other);
    }

    /// The number that a story and all that it is tied to share.
    pub fn root(&self, mut story: usize) -> usize {
        while self.tied[story] != story {
            story = self.tied[story];
        }
        story
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tied_stories_have_one_number() {
        let mut stories = Stories::default();
        let numbers: Vec<usize> = ["a", "b", "c", "a", "d"].map(|story| stories.number(story)).to_vec();
        assert_eq!(numbers, [0, 1, 2, 0, 3]);
        stories.tie(1, 2);
        stories.tie(3, 2);
        assert_eq!([0, 1, 2, 3].map(|story| stories.root(story)), [0, 1, 1, 1]);
    }
}
