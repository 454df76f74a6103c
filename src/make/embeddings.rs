//! Vectors of stories, and the distance of two.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{StoryUnit, npy};
use crate::model::sha256_bytes;
use crate::parse_error::in_words;

/// A vector for each of some stories.
#[derive(Debug, Clone)]
pub struct Embeddings {
    /// Where they come from.
    pub by: EmbeddedBy,
    rows: HashMap<String, Vec<f32>>,
}

/// Origin of vectors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EmbeddedBy {
    /// The model that made them.
    pub model: String,
    /// How a text became one vector.
    pub how: String,
    /// SHA-256 of the vectors: of the file they were imported from, or of their f32 in little-endian order, story by story.
    pub sha256: String,
}

/// The list beside a `.npy` file, of the same name but for the ending `.json`.
#[derive(Debug, Deserialize)]
struct Listed {
    model: String,
    how: String,
    /// One entry a row.
    stories: Vec<ListedStory>,
}

#[derive(Debug, Deserialize)]
struct ListedStory {
    id: String,
    /// SHA-256 of the text that was embedded.
    sha256: String,
}

/// Vectors that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbeddingsError {
    /// A file cannot be read.
    #[error("{}: cannot be read: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason given by the system.
        source: std::io::Error,
    },
    /// The matrix is none.
    #[error("{}: {message}", path.display())]
    Matrix {
        /// The file.
        path: PathBuf,
        /// The problem and its fix.
        message: String,
    },
    /// The list beside it is none.
    #[error("{}: not a list of embedded stories: {}", path.display(), in_words(source))]
    List {
        /// The file.
        path: PathBuf,
        /// Position and reason.
        source: serde_json::Error,
    },
    /// A story has no vector, or one of another text.
    #[error("story `{story}`: {message}; embed the stories of these data again")]
    Story {
        /// Id of the story.
        story: String,
        /// What is wrong.
        message: String,
    },
}

/// A vector for each story of a benchmark, in their order.
#[derive(Debug, Clone)]
pub struct Embedded {
    /// Where they come from.
    pub by: EmbeddedBy,
    /// Vectors, one a story.
    pub rows: Vec<Vec<f32>>,
}

impl Embeddings {
    /// Reads a matrix (stories, dimensions) of f32 and the list of its stories beside it.
    pub fn read(path: &Path) -> Result<Self, EmbeddingsError> {
        let unreadable = |path: &Path| {
            let path = path.to_path_buf();
            |source| EmbeddingsError::Unreadable { path, source }
        };
        let matrix = |message: String| EmbeddingsError::Matrix { path: path.to_path_buf(), message };
        let bytes = std::fs::read(path).map_err(unreadable(path))?;
        let rows = npy::rows(&bytes).map_err(matrix)?;
        let beside = path.with_extension("json");
        let text = std::fs::read_to_string(&beside).map_err(unreadable(&beside))?;
        let listed: Listed =
            serde_json::from_str(&text).map_err(|source| EmbeddingsError::List { path: beside.clone(), source })?;
        if listed.stories.len() != rows.len() {
            let message = format!("{} rows, but {} lists {}", rows.len(), beside.display(), listed.stories.len());
            return Err(matrix(message));
        }
        let mut known = HashMap::new();
        for (story, row) in listed.stories.iter().zip(rows) {
            if known.insert(key(&story.id, &story.sha256), row).is_some() {
                return Err(matrix(format!("two rows of the story `{}`", story.id)));
            }
        }
        let by = EmbeddedBy { model: listed.model, how: listed.how, sha256: sha256_bytes(&bytes) };
        Ok(Embeddings { by, rows: known })
    }

    /// The vectors of these stories. Each must be there, made of the story's present text, finite and not zero.
    pub fn of(mut self, stories: &[StoryUnit<'_>]) -> Result<Embedded, EmbeddingsError> {
        let row = |story: &StoryUnit<'_>| {
            let fail = |message: &str| EmbeddingsError::Story { story: story.id.into(), message: message.into() };
            let hash = sha256_bytes(story.text());
            let row = self.rows.remove(&key(story.id, &hash)).ok_or_else(|| fail("no vector of this text"))?;
            checked(row).map_err(fail)
        };
        let rows = stories.iter().map(row).collect::<Result<_, _>>()?;
        Ok(Embedded { by: self.by, rows })
    }
}

impl Embedded {
    /// Vectors that a model of this machine made, one for each story.
    pub fn new(
        model: String,
        how: String,
        stories: &[StoryUnit<'_>],
        rows: Vec<Vec<f32>>,
    ) -> Result<Self, EmbeddingsError> {
        let mut hash = Sha256::new();
        rows.iter().flatten().for_each(|value| hash.update(value.to_le_bytes()));
        let row = |(story, row): (&StoryUnit<'_>, Vec<f32>)| {
            checked(row).map_err(|message| EmbeddingsError::Story { story: story.id.into(), message: message.into() })
        };
        let rows = stories.iter().zip(rows).map(row).collect::<Result<_, _>>()?;
        Ok(Embedded { by: EmbeddedBy { model, how, sha256: hex::encode(hash.finalize()) }, rows })
    }
}

fn key(id: &str, text: &str) -> String {
    format!("{text} {id}")
}

fn checked(row: Vec<f32>) -> Result<Vec<f32>, &'static str> {
    match row {
        row if row.iter().any(|value| !value.is_finite()) => Err("its vector is not finite"),
        row if row.iter().all(|&value| value == 0.0) => Err("its vector is zero, which has no direction"),
        row => Ok(row),
    }
}

/// One minus the cosine of the angle between two vectors, none of them zero: from 0 to 2.
pub fn cosine_distance(one: &[f32], other: &[f32]) -> f64 {
    let product = |one: &[f32], other: &[f32]| -> f64 {
        one.iter().zip(other).map(|(&one, &other)| f64::from(one) * f64::from(other)).sum()
    };
    let norms = (product(one, one) * product(other, other)).sqrt();
    1.0 - (product(one, other) / norms).clamp(-1.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_directions() {
        let close = |one: &[f32], other: &[f32], expected: f64| {
            assert!((cosine_distance(one, other) - expected).abs() < 1e-12, "{one:?} {other:?}");
        };
        close(&[1.0, 0.0], &[5.0, 0.0], 0.0);
        close(&[1.0, 0.0], &[0.0, 3.0], 1.0);
        close(&[1.0, 0.0], &[-2.0, 0.0], 2.0);
        close(&[1.0, 1.0], &[1.0, 0.0], 1.0 - 0.5_f64.sqrt());
    }
}
