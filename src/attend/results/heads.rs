//! Head maps, contributions and ablations of chosen heads, as stored in a document.

use serde::{Deserialize, Serialize};

use super::differences::{DifferencesRecord, WithinRecord};

/// Comparison of heads between two groups. Tables are `(layer, head)`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct HeadMapRecord {
    /// Mapped quantity: `scope`, a role, one role minus another, or `contribution`.
    pub quantity: String,
    /// `share of the row` or `nats`.
    pub unit: String,
    /// Index into `models`.
    pub model: usize,
    /// The first and second group.
    pub groups: (String, String),
    /// Basis of the comparison, among cases that have the quantity.
    pub within: WithinRecord,
    /// Numbers of the layers.
    pub layers: Vec<usize>,
    /// Heads per layer.
    pub heads: usize,
    /// Mean of the first group, layer by layer: stratum means with the same weights as the difference. This and all
    /// following lists are empty if `within` gives a reason why there is no difference.
    pub first: Vec<f64>,
    /// Mean of the second group, by the same weights.
    pub second: Vec<f64>,
    /// First minus second.
    pub difference: Vec<f64>,
    /// Two-sided p-value of each head, clustered by story; null where values do not vary within groups.
    pub p: Vec<Option<f64>>,
    /// Holm-adjusted p-values over all heads of the map.
    pub holm: Vec<Option<f64>>,
    /// Heads with an adjusted p below 0.05.
    pub significant: usize,
    /// For contributions, counts of the right options' labels; absent for other quantities.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<LabelCount>,
    /// Warning that the groups differ in which label is right; absent if they are similar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

/// How often a label is the right one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LabelCount {
    /// The label.
    pub label: String,
    /// Cases of the first group whose right option has it.
    pub first: usize,
    /// Cases of the second group.
    pub second: usize,
}

/// Total variation distance between the right-label shares of two groups above which they count as unlike.
const UNLIKE: f64 = 0.2;

/// A warning if two groups differ in their right labels; `None` if they are similar.
pub fn unlike_labels(labels: &[LabelCount]) -> Option<String> {
    let (first, second): (usize, usize) =
        labels.iter().fold((0, 0), |sums, label| (sums.0 + label.first, sums.1 + label.second));
    let share = |count: usize, all: usize| count as f64 / all.max(1) as f64;
    let distance = labels.iter().map(|label| (share(label.first, first) - share(label.second, second)).abs());
    if 0.5 * distance.sum::<f64>() <= UNLIKE {
        return None;
    }
    let counts: Vec<String> =
        labels.iter().map(|label| format!("{} {} and {}", label.label, label.first, label.second)).collect();
    Some(format!(
        "the groups differ in which label is right ({}), so a head that favours a label regardless of the story \
         differs too; use random option orders (--orders random:1) before interpreting a difference as belief or \
         correctness",
        counts.join(", ")
    ))
}

impl HeadMapRecord {
    /// Layer, head and index of the heads by absolute difference, largest first; ties keep their order.
    pub fn by_difference(&self) -> Vec<(usize, usize, usize)> {
        let mut order: Vec<usize> = (0..self.difference.len()).collect();
        order.sort_by(|&one, &other| self.difference[other].abs().total_cmp(&self.difference[one].abs()));
        order.into_iter().map(|index| (self.layers[index / self.heads], index % self.heads, index)).collect()
    }
}

/// Note on contributions for readers of every view.
pub const CONTRIBUTIONS_CAVEAT: &str = "A direct contribution is what a part adds along the difference of the two \
     labels, with the final norm's scale held fixed (Elhage et al. 2021). Effects through later layers are not \
     included: a head that only informs others contributes nothing, and one that others cancel contributes much.";

/// Direct contributions to the difference of two labels' logits at the answer position, in nats.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ContributionsRecord {
    /// Label of the right option.
    pub first: String,
    /// Label of the likeliest wrong option.
    pub second: String,
    /// Logit of the first label minus that of the second: the sum of all following contributions.
    pub difference: f64,
    /// Contribution of the embedding.
    pub embedding: f64,
    /// Contribution of each head, layer by layer.
    pub heads: Vec<f64>,
    /// Contribution of the bias of each layer's attention output.
    pub biases: Vec<f64>,
    /// Contribution of each layer's feed-forward block.
    pub networks: Vec<f64>,
    /// Heads per layer.
    pub heads_per_layer: usize,
    /// Whether a label has more than one token, in which case its first token was used.
    pub first_tokens_only: bool,
}

impl ContributionsRecord {
    /// Layer, head and contribution by absolute value, largest first; ties keep their order.
    pub fn strongest(&self) -> Vec<(usize, usize, f64)> {
        let width = self.heads_per_layer.max(1);
        let mut heads: Vec<(usize, usize, f64)> =
            self.heads.iter().enumerate().map(|(index, &value)| (index / width, index % width, value)).collect();
        heads.sort_by(|one, other| other.2.abs().total_cmp(&one.2.abs()));
        heads
    }
}

/// Note on ablations of the strongest heads for readers of every view.
pub const TOP_HEADS_CAVEAT: &str = "The heads were chosen by attention over the same prompts on which they are \
     switched off, at every position at once. The model was never trained without them, so a change may come from how \
     later layers react to that; random heads of the same layers share this effect.";

/// Effect of switching off heads together in one case, and of random heads of the same layers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TopHeadsCaseRecord {
    /// How the heads were chosen, as on the command line.
    pub chosen: String,
    /// Fall of the chosen option's log-odds among the options shown, nats.
    pub fall: f64,
    /// Whether another option is then the likeliest.
    pub flips: bool,
    /// Falls with random heads of the same layers off, in the order of their draws, which are the same for all cases.
    pub random: Vec<f64>,
    /// Random sets after which another option is the likeliest.
    pub random_flips: usize,
}

/// Heads chosen and switched off in all cases of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TopHeadsRecord {
    /// How they were chosen, as on the command line.
    pub chosen: String,
    /// Index into `models`.
    pub model: usize,
    /// Layer and head, strongest first.
    pub heads: Vec<(usize, usize)>,
    /// Values that ranked the heads: means, or differences of means.
    pub values: Vec<f64>,
    /// Number of random sets, each with as many heads of each layer.
    pub draws: usize,
    /// Mean number of heads that random sets share with the chosen ones: 0 if all layers have enough other heads.
    pub shared: f64,
    /// Share of sets, including the chosen one, whose mean fall over all cases is at least as large: a one-sided Monte
    /// Carlo p-value.
    pub p: f64,
    /// The smallest possible p.
    pub smallest_p: f64,
    /// Means over all cases.
    pub all: TopHeadsMeansRecord,
    /// Comparison of groups within strata: the fall, the fall minus that of random heads, changed choices.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<DifferencesRecord>,
}

/// Means over all cases.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TopHeadsMeansRecord {
    /// Cases.
    pub items: usize,
    /// Their stories.
    pub stories: usize,
    /// Mean fall of the log-odds, nats.
    pub fall: f64,
    /// Its 95 % interval by Student's t, clustered by story; null for fewer than two stories.
    pub interval: Option<(f64, f64)>,
    /// Mean fall with random heads off.
    pub random: f64,
    /// Mean of the fall minus that of random heads.
    pub difference: f64,
    /// Its 95 % interval.
    pub difference_interval: Option<(f64, f64)>,
    /// Cases in which another option is then the likeliest.
    pub flips: usize,
    /// Mean share of random sets after which that is so.
    pub random_flips: f64,
}
