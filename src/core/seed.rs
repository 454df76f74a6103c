//! Seeded random generators: the source of every random choice of the program, so that each depends on named inputs
//! only.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};

/// A generator that depends only on the run's seed, a text key and the draw number.
pub fn seeded(seed: u64, key: &str, draw: usize) -> ChaCha8Rng {
    let mut hash = Sha256::new();
    hash.update(seed.to_le_bytes());
    hash.update((draw as u64).to_le_bytes());
    hash.update(key.as_bytes());
    ChaCha8Rng::from_seed(hash.finalize().into())
}
