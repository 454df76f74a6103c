//! Questions about beliefs.

/// Where does the first agent of the chain think the second thinks ... the object is? An empty chain asks for the fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The object asked for.
    pub object: String,
    /// The agents, outermost first; the others think about the last one's belief about the object.
    pub chain: Vec<String>,
}

impl Question {
    /// The order of Theory of Mind: the number of agents in the chain, 0 for a question of fact.
    pub fn order(&self) -> usize {
        self.chain.len()
    }
}
