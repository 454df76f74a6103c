//! Probes and what they are set beside, tested on released statements.

use std::collections::{BTreeMap, BTreeSet};

use rand::seq::SliceRandom;
use rayon::prelude::*;

use super::learn::{FOLDS, Features, PENALTIES, Probe, best, fit, folds, learn};
use super::statements::Statement;
use super::{Area, BeliefRow, Layer, LayerProbe, Scored, Source};
use crate::probe::overlap::words;
use crate::seed::seeded;
use crate::stats::{clustered_auc, middle_95};

/// Draws of shuffled labels.
const SHUFFLES: usize = 20;

/// Statements with the states at their ends.
pub(super) struct Set {
    pub statements: Vec<Statement>,
    pub features: Features,
}

impl Set {
    /// Number of different stories, each version of a made one apart.
    pub fn texts(&self) -> usize {
        self.statements.iter().map(|each| each.told.as_str()).collect::<BTreeSet<_>>().len()
    }

    /// Agents and containers.
    pub fn names(&self) -> BTreeSet<&str> {
        self.statements.iter().flat_map(Statement::names).collect()
    }

    fn stories(&self) -> Vec<usize> {
        self.statements.iter().map(|each| each.story).collect()
    }

    /// What the chain has, then what is the case.
    fn labels(&self) -> [Vec<bool>; 2] {
        [|each: &Statement| each.belief, |each: &Statement| each.reality]
            .map(|label| self.statements.iter().map(label).collect())
    }

    /// The area of scores for each kind of label, over stories.
    fn areas(&self, scores: &[f64]) -> Option<[Area; 2]> {
        let stories = self.stories();
        let area = |labels: Vec<bool>| {
            let found = clustered_auc(scores, &labels, &stories)?;
            Some(Area { auc: found.auc, interval: found.interval })
        };
        let [belief, reality] = self.labels().map(area);
        Some([belief?, reality?])
    }
}

type Judged = (Vec<Scored>, Vec<Layer>, Vec<BeliefRow>);

/// Learns from made statements and tests on released ones; `after` receives the layers done and their number. `None` where
/// there are too few statements of a kind.
pub(super) fn judge(made: &Set, released: &Set, seed: u64, mut after: impl FnMut(usize, usize)) -> Option<Judged> {
    let labels = made.labels();
    let folds = folds(&made.stories(), seed);
    let (all, mut done) = (made.features.layers, 0);
    let lanes = learn(&made.features, &labels, &folds, || {
        done += 1;
        after(done, all);
    })?;
    let scores = |lane: usize, layer: usize| -> Vec<f64> {
        let fitted = &lanes[lane][layer].fitted;
        (0..released.statements.len()).map(|case| fitted.log_odds(released.features.row(case, layer))).collect()
    };
    let chosen = [0, 1].map(|lane: usize| best(&lanes[lane]));
    let layers = (0..all)
        .map(|layer| {
            let of = |lane: usize| {
                let Probe { penalty, cross_validated, .. } = lanes[lane][layer];
                let released = released.areas(&scores(lane, layer))?[lane];
                Some(LayerProbe { penalty, cross_validated, released })
            };
            Some(Layer { layer, belief: of(0)?, reality: of(1)? })
        })
        .collect::<Option<Vec<Layer>>>()?;
    let of_probe = |lane: usize| {
        let layer = chosen[lane];
        let [belief, reality] = released.areas(&scores(lane, layer))?;
        let Probe { penalty, cross_validated, .. } = lanes[lane][layer];
        let by = [Source::BeliefProbe, Source::RealityProbe][lane];
        let (layer, penalty, cross_validated) = (Some(layer), Some(penalty), Some(cross_validated));
        Some(Scored { by, layer, penalty, cross_validated, belief, reality })
    };
    let shuffled = |lane: usize| {
        let (layer, penalty) = (chosen[lane], lanes[lane][chosen[lane]].penalty);
        let [belief, reality] = shuffled(made, released, &labels[lane], (layer, penalty), seed)?;
        let by = [Source::ShuffledBelief, Source::ShuffledReality][lane];
        Some(Scored { by, layer: Some(layer), penalty: Some(penalty), cross_validated: None, belief, reality })
    };
    let [of_made, of_released] = bags([made, released]);
    let by_words = learn(&of_made, &labels, &folds, || {})?;
    let of_words = |lane: usize| {
        let Probe { penalty, cross_validated, fitted } = &by_words[lane][0];
        let scores: Vec<f64> =
            (0..released.statements.len()).map(|case| fitted.log_odds(of_released.row(case, 0))).collect();
        let [belief, reality] = released.areas(&scores)?;
        let by = [Source::WordsBelief, Source::WordsReality][lane];
        let (penalty, cross_validated) = (Some(*penalty), Some(*cross_validated));
        Some(Scored { by, layer: None, penalty, cross_validated, belief, reality })
    };
    let last: Vec<f64> = released.statements.iter().map(|each| f64::from(u8::from(each.last_named))).collect();
    let [belief, reality] = released.areas(&last)?;
    let last = Scored { by: Source::LastNamed, layer: None, penalty: None, cross_validated: None, belief, reality };
    let found = [of_probe(0)?, of_probe(1)?, shuffled(0)?, shuffled(1)?, of_words(0)?, of_words(1)?, last];
    let [belief, reality] = [0, 1].map(|lane: usize| scores(lane, chosen[lane]));
    let row = |(case, each): (usize, &Statement)| BeliefRow {
        id: each.id.clone(),
        benchmark: each.benchmark,
        language: each.language,
        chain: each.question.chain.clone(),
        object: each.question.object.clone(),
        statement: each.statement.clone(),
        belief: each.belief,
        reality: each.reality,
        belief_score: belief[case],
        reality_score: reality[case],
    };
    Some((found.into(), layers, released.statements.iter().enumerate().map(row).collect()))
}

/// The areas of probes learned from labels in random order, mean and middle 95 % over draws.
fn shuffled(
    made: &Set,
    released: &Set,
    labels: &[bool],
    (layer, penalty): (usize, f64),
    seed: u64,
) -> Option<[Area; 2]> {
    let penalty = PENALTIES.iter().position(|tried| *tried == penalty)?;
    let draw = |draw: usize| {
        let mut labels = labels.to_vec();
        labels.shuffle(&mut seeded(seed, "beliefs/shuffled", draw));
        let fitted = fit(&made.features, layer, &labels, penalty)?;
        let cases = 0..released.statements.len();
        let scores: Vec<f64> = cases.map(|case| fitted.log_odds(released.features.row(case, layer))).collect();
        Some(released.areas(&scores)?.map(|area| area.auc))
    };
    let draws: Vec<[f64; 2]> = (0..SHUFFLES).into_par_iter().map(draw).collect::<Option<_>>()?;
    Some([0, 1].map(|kind: usize| {
        let areas: Vec<f64> = draws.iter().map(|areas| areas[kind]).collect();
        Area { auc: areas.iter().sum::<f64>() / SHUFFLES as f64, interval: Some(middle_95(areas)) }
    }))
}

/// Counts of words in story and statement: of those that at least one in [`FOLDS`] hundred made texts has.
fn bags(sets: [&Set; 2]) -> [Features; 2] {
    let texts = sets.map(|set| -> Vec<Vec<String>> {
        set.statements.iter().map(|each| words(&each.text(), each.language)).collect()
    });
    let mut texts_with: BTreeMap<&str, usize> = BTreeMap::new();
    for text in &texts[0] {
        for word in text.iter().map(String::as_str).collect::<BTreeSet<&str>>() {
            *texts_with.entry(word).or_default() += 1;
        }
    }
    let least = (texts[0].len() / (100 * FOLDS)).max(1);
    let known: BTreeMap<&str, usize> =
        texts_with.into_iter().filter(|(_, count)| *count >= least).map(|(word, _)| word).zip(0..).collect();
    texts.each_ref().map(|texts| {
        let mut features = Features { layers: 1, width: known.len(), values: vec![0.0; texts.len() * known.len()] };
        for (case, text) in texts.iter().enumerate() {
            for at in text.iter().filter_map(|word| known.get(word.as_str())) {
                features.values[case * known.len() + at] += 1.0;
            }
        }
        features
    })
}

#[cfg(test)]
mod tests {
    use rand::Rng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::benchmark::Benchmark;
    use crate::language::Language;
    use crate::story::Question;

    /// Layer in which a direction is planted.
    const PLANTED: usize = 3;
    const LAYERS: usize = 5;
    const WIDTH: usize = 6;

    /// Two statements about each version of a story; the second version, of made stories alone, has a true belief. At the
    /// planted layer, what is believed moves the first feature by `strength`. A statement is told with `word` if it is
    /// believed.
    fn set(stories: usize, is_made: bool, strength: f32, word: &str, rng: &mut ChaCha8Rng) -> Set {
        let (mut statements, mut values) = (Vec::new(), Vec::new());
        for story in 0..stories {
            for is_true in if is_made { &[false, true][..] } else { &[false] } {
                for container in 0..2 {
                    let reality = container == 1;
                    let belief = reality == *is_true;
                    for layer in 0..LAYERS {
                        for feature in 0..WIDTH {
                            // Uniform noise of variance 1.
                            let noise = rng.random_range(-1.732..1.732);
                            let is_planted = belief && layer == PLANTED && feature == 0;
                            values.push(noise + if is_planted { strength } else { 0.0 });
                        }
                    }
                    statements.push(Statement {
                        id: format!("{story}"),
                        benchmark: Benchmark::ToMi,
                        language: Language::En,
                        story,
                        told: format!("story {story} {is_true}"),
                        statement: if belief { format!("box {word}") } else { "box".to_string() },
                        question: Question { object: "apple".into(), chain: vec!["Ann".into()] },
                        container: format!("box_{container}"),
                        belief,
                        reality,
                        last_named: reality,
                    });
                }
            }
        }
        Set { statements, features: Features { layers: LAYERS, width: WIDTH, values } }
    }

    fn judged(strength: f32, word: &str, draw: usize, stories: usize) -> Judged {
        let rng = &mut seeded(5, "planted beliefs", draw);
        let (made, released) = (set(stories, true, strength, word, rng), set(stories, false, strength, word, rng));
        judge(&made, &released, draw as u64, |_, _| ()).unwrap()
    }

    fn of(judged: &Judged, by: Source) -> &Scored {
        judged.0.iter().find(|scored| scored.by == by).unwrap()
    }

    #[test]
    fn a_planted_direction_is_found_in_its_layer_and_lane() {
        let found = judged(6.0, "", 0, 60);
        let belief = of(&found, Source::BeliefProbe);
        assert_eq!(belief.layer, Some(PLANTED));
        assert!(belief.cross_validated.unwrap() > 0.98 && belief.belief.auc > 0.98, "{belief:?}");
        assert!(belief.reality.auc < 0.02, "where they differ, what is believed is not the case: {belief:?}");
        let reality = of(&found, Source::RealityProbe);
        assert!((reality.cross_validated.unwrap() - 0.5).abs() < 0.15, "{reality:?}");
        for (layer, probes) in found.1.iter().enumerate() {
            assert_eq!(probes.belief.released.auc > 0.9, layer == PLANTED, "{layer}: {probes:?}");
        }
        // On these stories, labels in random order find the direction or its opposite.
        let shuffled = of(&found, Source::ShuffledBelief).belief.interval.unwrap();
        assert!(shuffled.0 < 0.3 && shuffled.1 > 0.7, "{shuffled:?}");
        assert_eq!((of(&found, Source::LastNamed).belief.auc, of(&found, Source::LastNamed).reality.auc), (0.0, 1.0));
        assert!((of(&found, Source::WordsBelief).belief.auc - 0.5).abs() < 0.2);
    }

    #[test]
    fn what_words_alone_tell_is_found_by_the_bag_of_words() {
        let found = judged(0.0, "gladly", 1, 60);
        let words = of(&found, Source::WordsBelief);
        assert!(words.cross_validated.unwrap() > 0.99 && words.belief.auc > 0.99, "{words:?}");
        assert!((of(&found, Source::BeliefProbe).belief.auc - 0.5).abs() < 0.2);
    }

    #[test]
    fn intervals_of_probes_of_nothing_hold_one_half() {
        const DRAWS: usize = 100;
        let (mut mean, mut held) = (0.0, 0);
        for draw in 0..DRAWS {
            let found = judged(0.0, "", 2 + draw, 30);
            let Area { auc, interval } = of(&found, Source::BeliefProbe).belief;
            let (low, high) = interval.unwrap();
            mean += auc / DRAWS as f64;
            held += usize::from(low <= 0.5 && 0.5 <= high);
        }
        assert!((mean - 0.5).abs() < 0.03, "{mean}");
        assert!(held * 100 >= DRAWS * 92, "{held} of {DRAWS}");
    }

    #[test]
    fn no_story_is_in_two_folds() {
        let stories: Vec<usize> = (0..400).map(|case| case / 4).collect();
        let dealt = folds(&stories, 7);
        for (case, story) in stories.iter().enumerate() {
            assert_eq!(dealt[case], dealt[story * 4], "{case}");
        }
        let sizes: Vec<usize> = (0..FOLDS).map(|fold| dealt.iter().filter(|&&own| own == fold).count()).collect();
        assert_eq!(sizes, [80; FOLDS]);
    }
}
