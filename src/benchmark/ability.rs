//! The six dimensions and 31 abilities of ToMBench (Chen et al. 2024, Table 18), and how the released labels map to them.

/// Dimensions with their abilities, in the order of the paper's Table 18.
pub const ABILITIES: [(&str, &[&str]); 6] = [
    (
        "Emotion",
        &[
            "Typical emotional reactions",
            "Atypical emotional reactions",
            "Discrepant emotions",
            "Mixed emotions",
            "Hidden emotions",
            "Moral emotions",
            "Emotion regulation",
        ],
    ),
    (
        "Desire",
        &[
            "Multiple desires",
            "Desires influence on actions/emotions",
            "Desire-action contradiction",
            "Discrepant desires",
        ],
    ),
    (
        "Intention",
        &["Discrepant intentions", "Prediction of actions", "Intentions explanations", "Completion of failed actions"],
    ),
    (
        "Knowledge",
        &[
            "Knowledge-pretend play links",
            "Percepts-knowledge links",
            "Information-knowledge links",
            "Knowledge-attention links",
        ],
    ),
    (
        "Belief",
        &[
            "Content false beliefs",
            "Location false beliefs",
            "Identity false beliefs",
            "Second-order beliefs",
            "Beliefs based action/emotions",
            "Sequence false beliefs",
        ],
    ),
    (
        "Non-Literal Communication",
        &["Irony/Sarcasm", "Egocentric lies", "White lies", "Involuntary lies", "Humor", "Faux pas"],
    ),
];

/// A parsed ability label of the released data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AbilityLabel {
    /// The dimension, spelled as in the paper.
    pub dimension: String,
    /// The ability, spelled as in the paper.
    pub ability: String,
    /// The ability as the data name it: differs from `ability` where the data split one ability in two.
    pub label: String,
    /// Whether the label names two abilities, of which the last counts.
    pub double: bool,
    /// Whether the spelling differs from the paper's (case, white space).
    pub respelled: bool,
    /// Whether the paper has this ability.
    pub known: bool,
}

/// Read a label of the form `Dimension: ability`.
///
/// Two labels name two abilities each (`Belief: Location false beliefs Belief: Second-order beliefs`); the paper counts
/// both as the second. Two labels, `Desires influence on actions` and `Desires influence on emotions (beliefs)`, are
/// one ability in the paper. Returns `None` for a label without a colon.
pub(super) fn read_label(text: &str) -> Option<AbilityLabel> {
    let trimmed = text.trim();
    let (first_dimension, rest) = trimmed.split_once(':')?;
    let again = format!(" {first_dimension}: ");
    let (label, double) = match rest.rsplit_once(&again) {
        Some((_, last)) => (last.trim(), true),
        None => (rest.trim(), false),
    };
    let ability = match label {
        "Desires influence on actions" | "Desires influence on emotions (beliefs)" => {
            "Desires influence on actions/emotions"
        }
        other => other,
    };
    let known = ABILITIES.iter().find_map(|(dimension, abilities)| {
        let ability = abilities.iter().find(|known| known.eq_ignore_ascii_case(ability))?;
        dimension.eq_ignore_ascii_case(first_dimension.trim()).then_some((*dimension, *ability))
    });
    let (dimension, ability_name) = known.unwrap_or((first_dimension.trim(), ability));
    Some(AbilityLabel {
        dimension: dimension.to_string(),
        ability: ability_name.to_string(),
        label: if ability_name.eq_ignore_ascii_case(label) { ability_name } else { label }.to_string(),
        double,
        respelled: trimmed != text || dimension != first_dimension || (ability == label && ability_name != label),
        known: known.is_some(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, dimension: &str, ability: &str, label: &str, double: bool, respelled: bool) {
        let read = read_label(text).unwrap();
        assert_eq!((read.dimension.as_str(), read.ability.as_str(), read.label.as_str()), (dimension, ability, label));
        assert_eq!((read.double, read.respelled, read.known), (double, respelled, true), "{text}");
    }

    #[test]
    fn released_labels_become_the_papers_abilities() {
        check("Emotion: Hidden emotions", "Emotion", "Hidden emotions", "Hidden emotions", false, false);
        let nlc = "Non-Literal Communication";
        check("Non-literal communication: Humor", nlc, "Humor", "Humor", false, true);
        check(
            "Belief: Content false beliefs Belief: Second-order beliefs",
            "Belief",
            "Second-order beliefs",
            "Second-order beliefs",
            true,
            false,
        );
        let links = "Information-knowledge links";
        check("Knowledge: Information-knowledge links ", "Knowledge", links, links, false, true);
        check(
            "Desire: Desires influence on emotions (beliefs)",
            "Desire",
            "Desires influence on actions/emotions",
            "Desires influence on emotions (beliefs)",
            false,
            false,
        );
    }

    #[test]
    fn unknown_abilities_are_kept_and_said_to_be_unknown() {
        let read = read_label("Belief: Third-order beliefs").unwrap();
        assert_eq!(
            (read.dimension.as_str(), read.ability.as_str(), read.known),
            ("Belief", "Third-order beliefs", false)
        );
        assert_eq!(read_label("no colon"), None);
    }

    #[test]
    fn there_are_31_abilities() {
        assert_eq!(ABILITIES.iter().map(|(_, abilities)| abilities.len()).sum::<usize>(), 31);
    }
}
