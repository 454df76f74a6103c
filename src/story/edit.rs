//! Edits of stories, and the twins that they make.

use strum::{IntoStaticStr, VariantArray};

use crate::name::named;

/// What is changed of a story whose last member of the chain has a false belief.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Edit {
    /// Nothing.
    Original,
    /// The agent leaves last, and so sees every move.
    Stays,
    /// The agent comes back when everything is over, and finds the object.
    ComesBack,
    /// The agent looks into the room when everything is over, and nobody sees him.
    Peeks,
    /// One who left later tells the agent where the object is: he believes it.
    ToldByLater,
    /// One who left earlier tells the agent where the object is: he does not believe it.
    ToldByEarlier,
    /// Every agent has another name.
    Names,
    /// Every container has another name.
    Containers,
    /// Lines that change nothing are others.
    Asides,
    /// The container is transparent.
    Transparent,
    /// The agent opens the container.
    Opens,
    /// One who has looked into the container tells the agent what is in it.
    ToldByOneWhoLooked,
    /// The agent filled the container and labelled it.
    LabelsIt,
    /// The label is in a language that the agent cannot read.
    Unreadable,
    /// The label tells the truth.
    TrueLabel,
    /// What is in the container and what the label says change places.
    Reversed,
    /// Another opens the container while the agent is away.
    OpenedByAnother,
    /// One who has only read the label tells the agent what it says.
    ToldByOneWhoRead,
    /// One who has looked into the container tells another.
    ToldAnother,
    /// What is in the container and what the label says are other things.
    Contents,
}

named!(Edit, "edit");

/// A story with a question and its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Twin {
    /// Number of its set, equal for the twins of one question.
    pub set: usize,
    /// Number of the story that was edited.
    pub number: usize,
    pub edit: Edit,
    /// Number of agents in the chain asked about.
    pub order: usize,
    /// The story as told.
    pub text: String,
    pub question: String,
    /// The containers or things of the original, in an order drawn for the set; other names keep the place.
    pub options: Vec<String>,
    /// Index of the right option.
    pub gold: usize,
}
