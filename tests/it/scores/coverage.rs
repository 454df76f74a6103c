//! How often the intervals and verdicts of `compare` are right, by simulation: the table of `docs/compare.md`.

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use tomeval::internal::seeded;
use tomeval::paired_change;

const DRAWS: usize = 20_000;

/// Shares of items that change.
const DISCORDANCES: [f64; 3] = [0.05, 0.3, 1.0];

/// Shares of the changes that are to right: no difference, and four of five.
const DIRECTIONS: [f64; 2] = [0.5, 0.8];

/// Stories of equal size whose items change alike to some degree.
struct Plan {
    stories: usize,
    items: usize,
    intraclass: f64,
}

impl Plan {
    /// The change of each item. Each takes over its story's common change with the probability whose square is the
    /// correlation of two items of a story.
    fn draw(&self, discordance: f64, up: f64, rng: &mut ChaCha8Rng) -> Vec<i32> {
        let change = |rng: &mut ChaCha8Rng| match (rng.random_bool(discordance), rng.random_bool(up)) {
            (false, _) => 0,
            (true, up) => {
                if up {
                    1
                } else {
                    -1
                }
            }
        };
        let mut changes = Vec::with_capacity(self.stories * self.items);
        for _ in 0..self.stories {
            let common = change(rng);
            for _ in 0..self.items {
                let own = change(rng);
                changes.push(if rng.random_bool(self.intraclass.sqrt()) { common } else { own });
            }
        }
        changes
    }

    /// Of some draws, the share whose interval holds the true difference, and the share in which a side is called better.
    fn shares(&self, discordance: f64, up: f64) -> (Option<f64>, f64) {
        let stories: Vec<usize> = (0..self.stories * self.items).map(|item| item / self.items).collect();
        let truth = discordance * (2.0 * up - 1.0);
        let key = format!("coverage/{}/{}/{}/{discordance}/{up}", self.stories, self.items, self.intraclass);
        let one = |draw| {
            let change = paired_change(&self.draw(discordance, up, &mut seeded(1, &key, draw)), &stories);
            let holds = change.interval().map(|(low, high)| low <= truth + 1e-12 && truth - 1e-12 <= high);
            (holds, change.p_stories < 0.05)
        };
        let found: Vec<(Option<bool>, bool)> = (0..DRAWS).into_par_iter().map(one).collect();
        let share = |of: usize| of as f64 / DRAWS as f64 * 100.0;
        let intervals = found.iter().filter(|(holds, _)| holds.is_some()).count();
        let held = found.iter().filter(|(holds, _)| *holds == Some(true)).count();
        ((intervals > 0).then(|| share(held)), share(found.iter().filter(|(_, better)| *better).count()))
    }
}

#[test]
fn the_documents_table_of_coverage_is_that_of_the_simulation() {
    let mut plans = Vec::new();
    for stories in [5, 6, 10, 30] {
        for (items, intraclass) in [(1, 0.0), (5, 0.0), (5, 0.5)] {
            plans.push(Plan { stories, items, intraclass });
        }
    }
    let mut table = String::new();
    let (mut worst, mut worst_shifted, mut most) = (100.0f64, 100.0f64, 0.0f64);
    for plan in plans {
        let mut cells = vec![plan.stories.to_string(), plan.items.to_string()];
        cells.push(if plan.items == 1 { "-".into() } else { plan.intraclass.to_string() });
        let mut better = 0.0f64;
        for up in DIRECTIONS {
            for discordance in DISCORDANCES {
                let (covered, called) = plan.shares(discordance, up);
                if up == 0.5 {
                    worst = worst.min(covered.unwrap_or(100.0));
                    better = better.max(called);
                } else {
                    worst_shifted = worst_shifted.min(covered.unwrap_or(100.0));
                }
                cells.push(covered.map_or("-".to_string(), |covered| format!("{covered:.1}")));
            }
        }
        most = most.max(better);
        cells.push(format!("{better:.1}"));
        table.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    let rendered = format!(
        "{table}\nWorst cell: {worst:.1} % without a difference, {worst_shifted:.1} % with one; a side is called better without a \
         difference in {most:.1} % at most.\n"
    );
    assert!(worst >= 94.5 && most <= 5.5, "{rendered}");
    let document = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/compare.md")).unwrap();
    assert!(document.contains(&rendered), "docs/compare.md must hold:\n{rendered}");
}
