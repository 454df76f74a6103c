//! Mixtures of experts: which of a layer's networks process which tokens, and with what weight.

use std::cmp::Ordering;

/// The experts of a model and their routing.
#[derive(Debug, Clone, PartialEq)]
pub struct Experts {
    /// Number of routed experts per layer.
    pub count: usize,
    /// Number of experts per token.
    pub active: usize,
    /// Feed-forward width of each.
    pub intermediate: usize,
    /// Conversion of the router's outputs to scores.
    pub score: ExpertScore,
    /// Expert groups, if experts are chosen from some groups only.
    pub groups: Option<ExpertGroups>,
    /// Whether each layer has corrections that are added to the scores for choosing experts but not to their weights
    /// (DeepSeek-V3, arXiv:2412.19437, section 2.1.2).
    pub corrected: bool,
    /// Whether the weights of the chosen experts are divided by their sum.
    pub normalised: bool,
    /// Factor on the weights.
    pub scale: f32,
    /// The network that every token also goes through.
    pub shared: Option<SharedExpert>,
    /// Whether each layer has experts; the others have one dense network.
    pub layers: Vec<bool>,
}

/// Conversion of router outputs to expert scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExpertScore {
    /// Softmax over all experts of a layer.
    Softmax,
    /// Sigmoid of each output.
    Sigmoid,
}

/// Groups of consecutive experts, all of the same size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExpertGroups {
    /// Number of groups per layer; divides the number of experts.
    pub count: usize,
    /// Number of groups kept per token: those with the largest sums of their best scores.
    pub active: usize,
    /// Number of best scores summed per group: 1 in DeepSeek-V2, 2 in DeepSeek-V3.
    pub summed: usize,
}

/// A network beside the routed experts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedExpert {
    /// Its feed-forward width.
    pub intermediate: usize,
    /// Whether its output is weighted by the sigmoid of a linear projection of its input.
    pub gated: bool,
}

/// The tokens of one expert.
#[derive(Debug, Clone, PartialEq)]
pub struct Share {
    pub expert: usize,
    /// Rows of its tokens, ascending.
    pub rows: Vec<usize>,
    /// The weight of the expert's output for each row.
    pub weights: Vec<f32>,
}

impl Experts {
    /// Assigns rows to experts, given the router's outputs `(rows, count)` and the corrections added to the scores for
    /// the choice (empty, or one number per expert). Each row goes to the experts with the highest scores, the first on
    /// ties. Experts without rows are left out; the rest keep their order, so that a row's sum over its experts does
    /// not depend on the other rows.
    pub fn route(&self, products: &[f32], correction: &[f32]) -> Vec<Share> {
        let mut shares: Vec<Share> =
            (0..self.count).map(|expert| Share { expert, rows: Vec::new(), weights: Vec::new() }).collect();
        for (row, products) in products.chunks_exact(self.count).enumerate() {
            for (expert, weight) in self.choose(products, correction) {
                shares[expert].rows.push(row);
                shares[expert].weights.push(weight);
            }
        }
        shares.retain(|share| !share.rows.is_empty());
        shares
    }

    /// The experts of one token and their weights.
    fn choose(&self, products: &[f32], correction: &[f32]) -> Vec<(usize, f32)> {
        let scores = self.scores(products);
        let mut candidates: Vec<(usize, f32)> = match correction {
            [] => scores.iter().copied().enumerate().collect(),
            correction => scores.iter().zip(correction).map(|(score, added)| score + added).enumerate().collect(),
        };
        if let Some(groups) = self.groups {
            candidates = groups.best(candidates);
        }
        candidates.sort_by(highest_first);
        candidates.truncate(self.active);
        let mut chosen: Vec<(usize, f32)> =
            candidates.into_iter().map(|(expert, _)| (expert, scores[expert])).collect();
        // 1e-20, as published, avoids division by zero: all sigmoids may be zero.
        let sum = || chosen.iter().map(|(_, score)| score).sum::<f32>() + 1e-20;
        let whole = if self.normalised { sum() } else { 1.0 };
        chosen.iter_mut().for_each(|(_, score)| *score *= self.scale / whole);
        chosen
    }

    fn scores(&self, products: &[f32]) -> Vec<f32> {
        match self.score {
            ExpertScore::Sigmoid => products.iter().map(|product| 1.0 / (1.0 + (-product).exp())).collect(),
            ExpertScore::Softmax => {
                let largest = products.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                let exponentials: Vec<f32> = products.iter().map(|product| (product - largest).exp()).collect();
                let sum: f32 = exponentials.iter().sum();
                exponentials.iter().map(|exponential| exponential / sum).collect()
            }
        }
    }
}

impl ExpertGroups {
    /// The experts of the best groups.
    fn best(&self, experts: Vec<(usize, f32)>) -> Vec<(usize, f32)> {
        let size = experts.len() / self.count;
        let sum_of_best = |group: &[(usize, f32)]| {
            let mut group = group.to_vec();
            group.sort_by(highest_first);
            group.iter().take(self.summed).map(|(_, score)| score).sum::<f32>()
        };
        let mut groups: Vec<(usize, f32)> = experts.chunks_exact(size).map(sum_of_best).enumerate().collect();
        groups.sort_by(highest_first);
        groups.truncate(self.active);
        groups.sort_by_key(|(group, _)| *group);
        groups.iter().flat_map(|(group, _)| &experts[group * size..(group + 1) * size]).copied().collect()
    }
}

/// Orders by descending score; ties keep the lower number first.
fn highest_first((one, score): &(usize, f32), (other, other_score): &(usize, f32)) -> Ordering {
    other_score.total_cmp(score).then(one.cmp(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn experts(normalised: bool) -> Experts {
        Experts {
            count: 4,
            active: 2,
            intermediate: 8,
            score: ExpertScore::Softmax,
            groups: None,
            corrected: false,
            normalised,
            scale: 1.0,
            shared: None,
            layers: vec![true],
        }
    }

    #[test]
    fn a_token_goes_to_its_best_experts_with_their_probabilities() {
        let products = [0.0, 1.0, 2.0, -1.0];
        let sum: f32 = products.iter().map(|product: &f32| product.exp()).sum();
        let shares = experts(false).route(&products, &[]);
        assert_eq!(shares.iter().map(|share| share.expert).collect::<Vec<_>>(), [1, 2]);
        assert!((shares[0].weights[0] - 1f32.exp() / sum).abs() < 1e-6);
        assert!((shares[1].weights[0] - 2f32.exp() / sum).abs() < 1e-6);
        let shares = experts(true).route(&products, &[]);
        assert!((shares[0].weights[0] + shares[1].weights[0] - 1.0).abs() < 1e-6);
    }

    #[test]
    fn of_equal_scores_the_first_count_and_tokens_keep_their_order() {
        let shares = experts(true).route(&[1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 5.0, 5.0, 1.0, 0.0, 0.0, 2.0], &[]);
        let rendered: Vec<(usize, &[usize])> = shares.iter().map(|share| (share.expert, &share.rows[..])).collect();
        assert_eq!(rendered, [(0, &[0, 2][..]), (1, &[0][..]), (2, &[1][..]), (3, &[1, 2][..])]);
        assert_eq!(shares[1].weights, [0.5]);
    }

    #[test]
    fn groups_are_chosen_first_and_corrections_weigh_nothing() {
        let sigmoid = |product: f32| 1.0 / (1.0 + (-product).exp());
        let pairs = ExpertGroups { count: 2, active: 1, summed: 2 };
        let grouped = Experts { score: ExpertScore::Sigmoid, groups: Some(pairs), ..experts(false) };
        let of = |experts: &Experts, products: &[f32], correction: &[f32]| {
            let shares = experts.route(products, correction);
            shares.iter().map(|share| (share.expert, share.weights[0])).collect::<Vec<_>>()
        };
        // The best expert alone is in the other group.
        let products = [3.0, -3.0, 1.0, 1.0];
        assert_eq!(of(&grouped, &products, &[]), [(2, sigmoid(1.0)), (3, sigmoid(1.0))]);
        let by_best = Experts { groups: Some(ExpertGroups { summed: 1, ..pairs }), ..grouped.clone() };
        assert_eq!(of(&by_best, &products, &[]), [(0, sigmoid(3.0)), (1, sigmoid(-3.0))]);
        let free = Experts { groups: None, ..grouped };
        assert_eq!(of(&free, &products, &[0.0, 2.0, 0.0, 0.5]), [(1, sigmoid(-3.0)), (3, sigmoid(1.0))]);
    }
}
