//! Quantities mapped over layers and heads: one number per head of a case.

use std::fmt;
use std::str::FromStr;

use crate::attend::results::Case;
use crate::benchmark::Role;

/// A number per head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeadQuantity {
    /// Mass on the scope, the part of the prompt that keywords come from.
    Scope,
    /// Mass on a role's words in the story.
    Role(Role),
    /// Mass on the first role minus mass on the second.
    Minus(Role, Role),
    /// Direct contribution to the difference of the logits of the right label and the likeliest wrong one.
    Contribution,
}

/// A quantity that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown head quantity `{given}`; use scope, contribution, a role ({}) or one role minus another (as original-actual)",
    Role::ALL.map(Role::name).join(", ")
)]
pub struct ParseQuantityError {
    given: String,
}

impl HeadQuantity {
    /// Whether it needs roles.
    pub fn needs_roles(self) -> bool {
        matches!(self, HeadQuantity::Role(_) | HeadQuantity::Minus(..))
    }

    /// Its unit.
    pub fn unit(self) -> &'static str {
        if self == HeadQuantity::Contribution { "nats" } else { "share of the row" }
    }

    /// Value of each head in a case, `(layer, head)`; `None` if the case does not have it. Questions of fact have no
    /// believed location, and true beliefs have none that differs from the actual one.
    pub fn of(self, case: &Case) -> Option<Vec<f64>> {
        let wide = |values: &[f32]| values.iter().map(|&value| f64::from(value)).collect::<Vec<f64>>();
        let role = |role: Role| {
            let record = case.roles.as_ref()?.role(role)?;
            (!record.words.is_empty() && !record.heads.is_empty()).then(|| wide(&record.heads))
        };
        match self {
            HeadQuantity::Scope => Some(wide(&case.rows.first()?.heads_map.as_ref()?.scope)),
            HeadQuantity::Role(name) => role(name),
            HeadQuantity::Minus(first, second) => {
                let (first, second) = (role(first)?, role(second)?);
                Some(first.iter().zip(&second).map(|(first, second)| first - second).collect())
            }
            HeadQuantity::Contribution => Some(case.contributions.as_ref()?.heads.clone()),
        }
    }
}

impl fmt::Display for HeadQuantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HeadQuantity::Scope => f.write_str("scope"),
            HeadQuantity::Role(role) => role.fmt(f),
            HeadQuantity::Minus(first, second) => write!(f, "{first}-{second}"),
            HeadQuantity::Contribution => f.write_str("contribution"),
        }
    }
}

impl FromStr for HeadQuantity {
    type Err = ParseQuantityError;

    fn from_str(given: &str) -> Result<Self, ParseQuantityError> {
        let role = |name: &str| name.parse::<Role>().map_err(|_| ParseQuantityError { given: given.to_string() });
        match (given, given.split_once('-')) {
            ("scope", _) => Ok(HeadQuantity::Scope),
            ("contribution", _) => Ok(HeadQuantity::Contribution),
            (_, Some((first, second))) => Ok(HeadQuantity::Minus(role(first)?, role(second)?)),
            (one, None) => Ok(HeadQuantity::Role(role(one)?)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_print_as_they_are_written() {
        for text in ["scope", "contribution", "believed", "original-actual"] {
            assert_eq!(text.parse::<HeadQuantity>().unwrap().to_string(), text);
        }
        for wrong in ["", "story", "believed-", "believed-box", "scope-actual"] {
            let rendered = wrong.parse::<HeadQuantity>().unwrap_err().to_string();
            assert!(
                rendered.contains("believed, actual, original, distractor, agent, bystander, object"),
                "{rendered}"
            );
        }
    }
}
