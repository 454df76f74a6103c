//! Describes the source of the weights, for every measure.

use crate::attend::results::{Measure, Method};

/// The measure with its averages: `attention, layers last:20, heads all`. Rollout always uses all layers, and occlusion
/// none.
pub(super) fn read_from(settings: &Method) -> String {
    let measure = settings.measure.name();
    match settings.measure {
        Measure::Attention | Measure::Value => {
            format!("{measure}, layers {}, heads {}", settings.layers, settings.heads)
        }
        Measure::Rollout => format!("{measure} through all layers, mean of all heads"),
        Measure::Occlusion => format!("{measure}, each word left out in turn"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::examples::document;
    use super::*;

    #[test]
    fn only_measures_that_average_layers_name_them() {
        let check = |measure, expected: &str| {
            let settings = Method { measure, ..document().settings };
            assert_eq!(read_from(&settings), expected);
        };
        check(Measure::Attention, "attention, layers last:1, heads all");
        check(Measure::Value, "value, layers last:1, heads all");
        check(Measure::Rollout, "rollout through all layers, mean of all heads");
        check(Measure::Occlusion, "occlusion, each word left out in turn");
    }
}
