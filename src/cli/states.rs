//! Residual streams as a file of numpy, and beside it what its rows are.

use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::arguments::setup::LoadedModel;
use crate::benchmark::{Item, told};
use crate::canary::CANARY;
use crate::language::Language;
use crate::run::{ModelIdentity, Program};
use crate::terminal::files::{UnfinishedFile, save};

/// Bytes of the file before its numbers.
const HEADER: usize = 192;

/// What the rows of a file of residual streams are.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Document {
    /// Format version, 1.
    version: u32,
    /// The program that wrote it.
    program: Program,
    /// The canary line.
    canary: &'static str,
    /// The model.
    model: ModelIdentity,
    /// dtype of the weights.
    dtype: String,
    /// Size of the file's first axis: rows.
    rows: usize,
    /// Size of its second axis: the embedding, then each layer.
    layers: usize,
    /// Size of its third axis: the width of the residual stream.
    hidden: usize,
    /// The rows in order.
    states: Vec<Row>,
}

/// What one row is of.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Row {
    /// The item's id.
    pub item: String,
    /// Which version of it was read, where it is compared with others: as in the document of `attend`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// The item's language.
    pub language: Language,
    /// `attend`: prompt style.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub style: Option<String>,
    /// `attend`: options in displayed order, by their number in the data.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub order: Vec<usize>,
    /// The token whose state it is, counted from 0.
    pub token: usize,
    /// Where the story is tracked, the minds asked about, outermost first; empty for a question of fact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chain: Option<Vec<String>>,
    /// Where the story is tracked, the object asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// `probe beliefs`: the statement with which the text ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statement: Option<String>,
    /// `probe beliefs`: `made` or `released`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set: Option<&'static str>,
    /// `probe beliefs`: whether the chain has it so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub belief: Option<bool>,
    /// `probe beliefs`: whether it is so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reality: Option<bool>,
}

impl Row {
    /// The row of an item's question.
    pub fn of(item: &Item) -> Row {
        let question = told(item).ok().map(|told| told.question);
        let (chain, object) = question.map(|question| (question.chain, question.object)).unzip();
        Row { chain, object, ..Row::new(&item.id, item.language) }
    }

    /// A row of which nothing else is known.
    pub fn new(item: &str, language: Language) -> Row {
        Row {
            item: item.to_string(),
            variant: None,
            language,
            style: None,
            order: Vec::new(),
            token: 0,
            chain: None,
            object: None,
            statement: None,
            set: None,
            belief: None,
            reality: None,
        }
    }
}

/// A file of residual streams, one row of `(layers + 1, hidden)` after the other, in f32.
pub struct StatesFile {
    path: PathBuf,
    /// Sizes of the second and third axis.
    shape: (usize, usize),
    /// Begun with the first row.
    file: Option<UnfinishedFile>,
    rows: Vec<Row>,
}

impl StatesFile {
    /// A file of a model with this many layers and this width. Nothing is written yet.
    pub fn new(path: &Path, layers: usize, hidden: usize) -> Self {
        StatesFile { path: path.to_path_buf(), shape: (layers + 1, hidden), file: None, rows: Vec::new() }
    }

    /// Fails where the name is not that of a file of numpy.
    pub fn check(path: &Path) -> anyhow::Result<()> {
        anyhow::ensure!(
            path.extension().is_some_and(|ending| ending == "npy"),
            "--states {}: name a file that ends in .npy; what its rows are is written beside it, into a file that ends in \
             .json",
            path.display()
        );
        Ok(())
    }

    /// Writes a row.
    pub fn write(&mut self, row: Row, states: &[f32]) -> std::io::Result<()> {
        let (layers, hidden) = self.shape;
        if states.len() != layers * hidden {
            let found = states.len();
            return Err(std::io::Error::other(format!("a row has {found} numbers, not {layers} x {hidden}")));
        }
        let file = match &mut self.file {
            Some(file) => file,
            none => {
                let mut file = UnfinishedFile::create(&self.path).map_err(std::io::Error::other)?;
                file.file.write_all(&[0; HEADER])?;
                none.insert(file)
            }
        };
        states.iter().try_for_each(|value| file.file.write_all(&value.to_le_bytes()))?;
        self.rows.push(row);
        Ok(())
    }

    /// Completes the file, and writes what its rows are beside it.
    pub fn close(self, model: &LoadedModel) -> anyhow::Result<()> {
        let StatesFile { path, shape: (layers, hidden), file, rows } = self;
        let Some(mut file) = file else { return Ok(()) };
        file.file.seek(SeekFrom::Start(0))?;
        file.file.write_all(&header((rows.len(), layers, hidden)))?;
        file.close()?;
        eprintln!("{} ({} x {layers} x {hidden})", path.display(), rows.len());
        let document = Document {
            version: 1,
            program: Program::this(),
            canary: CANARY,
            model: model.identity()?,
            dtype: model.computing.precision.name().to_string(),
            rows: rows.len(),
            layers,
            hidden,
            states: rows,
        };
        save(&path.with_extension("json"), serde_json::to_string_pretty(&document)? + "\n")
    }
}

/// The beginning of a file in numpy's format, version 1, padded so that its length does not depend on the shape.
fn header(shape: (usize, usize, usize)) -> Vec<u8> {
    let fields = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape:?}, }}");
    let length = HEADER - 10;
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((length as u16).to_le_bytes());
    bytes.extend(format!("{fields:<width$}\n", width = length - 1).into_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_has_one_length_whatever_the_shape() {
        for shape in [(1, 2, 3), (usize::MAX, usize::MAX, usize::MAX)] {
            let bytes = header(shape);
            assert_eq!((bytes.len(), bytes.len() % 64), (HEADER, 0), "{shape:?}");
            assert!(String::from_utf8_lossy(&bytes).contains(&format!("'shape': {shape:?}, }}")));
        }
    }
}
