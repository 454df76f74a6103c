//! Random tensors, drawn on demand: only the requested part is held.

use std::ops::Range;

use half::bf16;
use rand::Rng;

use crate::seed::seeded;

/// Numbers drawn from one generator, limited so that many threads can draw a tensor.
const DRAWN_AT_ONCE: usize = 1 << 20;

/// A tensor of random numbers: norm weights around 1 and exact in bf16, as in checkpoints; others with variance 1 /
/// inputs, so that products neither grow nor vanish. A number depends only on the seed, the tensor's number and its
/// place.
#[derive(Debug)]
pub struct Drawn {
    seed: u64,
    key: String,
    middle: f32,
    spread: f32,
    of_norm: bool,
}

impl Drawn {
    pub fn new(seed: u64, number: usize, name: &str, shape: &[usize]) -> Drawn {
        let of_norm = shape.len() == 1 && (name.contains("norm") || name.contains("ln_")) && name.ends_with("weight");
        let (middle, spread) = match of_norm {
            true => (1.0, 0.25),
            false => (0.0, (3.0 / shape.last().copied().unwrap_or(1) as f32).sqrt()),
        };
        Drawn { seed, key: format!("weights {number}"), middle, spread, of_norm }
    }

    /// Writes the numbers at some places of the tensor.
    pub fn draw(&self, places: Range<usize>, to: &mut [f32]) {
        let (mut at, mut rest) = (places.start, to);
        while !rest.is_empty() {
            let within = at % DRAWN_AT_ONCE;
            let count = rest.len().min(DRAWN_AT_ONCE - within);
            let (to, after) = rest.split_at_mut(count);
            let mut random = seeded(self.seed, &self.key, at / DRAWN_AT_ONCE);
            // Each number uses one word.
            random.set_word_pos(within as u128);
            to.iter_mut().for_each(|value| *value = self.middle + random.random_range(-self.spread..self.spread));
            if self.of_norm {
                to.iter_mut().for_each(|value| *value = bf16::from_f32(*value).to_f32());
            }
            (at, rest) = (at + count, after);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(seed: u64, number: usize, name: &str, shape: &[usize]) -> Vec<f32> {
        let mut values = vec![f32::NAN; shape.iter().product()];
        Drawn::new(seed, number, name, shape).draw(0..values.len(), &mut values);
        values
    }

    #[test]
    fn drawn_tensors_depend_on_seed_and_place_alone_and_keep_their_scale() {
        let matrix = draw(1, 3, "q_proj.weight", &[3000, 400]);
        assert_eq!(matrix, draw(1, 3, "q_proj.weight", &[3000, 400]));
        assert_ne!(matrix[..400], draw(2, 3, "q_proj.weight", &[1, 400])[..]);
        assert_ne!(matrix[..400], draw(1, 4, "q_proj.weight", &[1, 400])[..]);
        // The second piece is not the first again.
        assert_ne!(matrix[..400], matrix[DRAWN_AT_ONCE..DRAWN_AT_ONCE + 400]);
        let variance = matrix.iter().map(|value| f64::from(value * value)).sum::<f64>() / matrix.len() as f64;
        assert!((variance * 400.0 - 1.0).abs() < 0.02, "{variance}");
        let norm = draw(1, 1, "model.norm.weight", &[1000]);
        assert!(norm.iter().all(|weight| (0.75..=1.25).contains(weight)));
    }

    #[test]
    fn a_part_is_what_each_generator_gives_there_one_number_after_the_other() {
        let shape = [3000, 400];
        let (drawn, spread) = (Drawn::new(1, 3, "q_proj.weight", &shape), (3.0f32 / 400.0).sqrt());
        let whole: Vec<f32> = (0..2)
            .flat_map(|piece| {
                let mut random = seeded(1, "weights 3", piece);
                (0..DRAWN_AT_ONCE).map(move |_| random.random_range(-spread..spread))
            })
            .collect();
        for places in [0..7, 13..14, 401..1200, DRAWN_AT_ONCE - 5..DRAWN_AT_ONCE + 9, 1_199_990..1_200_000] {
            let mut part = vec![f32::NAN; places.len()];
            drawn.draw(places.clone(), &mut part);
            assert_eq!(part, whole[places.clone()], "{places:?}");
        }
    }
}
