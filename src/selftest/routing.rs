//! Selects the positions of a mixture that can be compared in 16 bits.
//!
//! A router with rounding errors may choose other experts than in f32. That changes everything computed from their
//! output: at the position itself and, through attention of later layers, at later positions.

/// For each layer, the experts of each position, ascending.
pub(super) type Choices = Vec<Vec<Vec<usize>>>;

/// Differences between the expert choices of two computations of the same sequences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Routing {
    /// Whether each position is unaffected by differing choices.
    pub unreached: Vec<bool>,
    /// Number of positions with differing choices.
    pub rerouted: usize,
}

impl Routing {
    /// Compares sequences of these lengths, whose positions are concatenated.
    pub fn new(found: &Choices, exact: &Choices, lengths: &[usize]) -> Routing {
        let differs = |position: usize| move |layer: usize| found[layer].get(position) != exact[layer].get(position);
        let layers = found.len().min(exact.len());
        let mut routing = Routing { unreached: Vec::new(), rerouted: 0 };
        for &length in lengths {
            let (start, mut reached) = (routing.unreached.len(), false);
            for position in start..start + length {
                let rerouted = (0..layers).any(differs(position));
                routing.rerouted += usize::from(rerouted);
                routing.unreached.push(!reached && !rerouted);
                // No later attention reads the output of the last layer.
                reached |= (0..layers.saturating_sub(1)).any(differs(position));
            }
        }
        routing
    }

    /// Keeps the values of unaffected positions; each position has the same number of values.
    pub fn kept(&self, values: &[f32]) -> Vec<f32> {
        let width = values.len() / self.unreached.len().max(1);
        let rows = values.chunks(width.max(1)).zip(&self.unreached);
        rows.filter(|(_, unreached)| **unreached).flat_map(|(row, _)| row).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_reaches_its_position_and_those_behind_it_in_its_sequence() {
        let exact: Choices = vec![vec![vec![0, 1]; 7], vec![vec![]; 7], vec![vec![2, 3]; 7]];
        let with = |layer: usize, position: usize| {
            let mut found = exact.clone();
            found[layer][position] = vec![0, 2];
            let Routing { unreached, rerouted } = Routing::new(&found, &exact, &[4, 3]);
            assert_eq!(rerouted, 1);
            unreached.into_iter().map(|unreached| if unreached { '.' } else { 'x' }).collect::<String>()
        };
        assert_eq!(with(0, 1), ".xxx...");
        assert_eq!(with(0, 4), "....xxx");
        assert_eq!(with(2, 1), ".x.....", "the last layer's output is attended to by nobody");
        let same = Routing::new(&exact, &exact, &[4, 3]);
        assert_eq!(same, Routing { unreached: vec![true; 7], rerouted: 0 });
    }

    #[test]
    fn rows_of_other_positions_are_left_out() {
        let routing = Routing { unreached: vec![true, false, true], rerouted: 1 };
        assert_eq!(routing.kept(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]), [0.0, 1.0, 4.0, 5.0]);
    }
}
