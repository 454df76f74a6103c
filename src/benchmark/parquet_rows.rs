//! Records of Parquet files, one at a time.

use std::path::Path;

use serde_json::{Map, Value};

use super::LoadError;

/// Called with each record and its number from 0.
type Each<'a> = dyn FnMut(usize, Map<String, Value>) + 'a;

#[cfg(not(feature = "parquet"))]
pub(super) fn each(path: &Path, _: &mut Each<'_>) -> Result<(), LoadError> {
    let message = "this program is built without Parquet; save the file as JSON Lines".to_string();
    Err(LoadError::Malformed { path: path.to_path_buf(), message })
}

/// Go through all records of a file.
#[cfg(feature = "parquet")]
pub(super) fn each(path: &Path, each: &mut Each<'_>) -> Result<(), LoadError> {
    use crate::catch_panic::contained;
    let file =
        std::fs::File::open(path).map_err(|source| LoadError::Unreadable { path: path.to_path_buf(), source })?;
    let read = contained(|| reading::each(file, each)).unwrap_or_else(|_| Err(reading::DAMAGED.to_string()));
    read.map_err(|message| LoadError::Malformed { path: path.to_path_buf(), message })
}

#[cfg(feature = "parquet")]
mod reading {
    use std::fs::File;

    use ::parquet::basic::Compression;
    use ::parquet::file::metadata::ParquetMetaData;
    use ::parquet::file::reader::{FileReader, SerializedFileReader};
    use ::parquet::record::{Field, Row};
    use serde_json::{Map, Value};

    use super::Each;

    /// What is said of a file that the library cannot read.
    pub(super) const DAMAGED: &str =
        "not a Parquet file, or damaged or cut off; fetch it again, or save it as JSON Lines";

    /// A column that unpacks to more than this, and to many times the file, is refused.
    const MOST_BYTES: u64 = 64 << 20;
    const MOST_TIMES: u64 = 4;

    pub(super) fn each(file: File, each: &mut Each<'_>) -> Result<(), String> {
        let damaged = |_| DAMAGED.to_string();
        let size = file.metadata().map_err(|error| error.to_string())?.len();
        let reader = SerializedFileReader::new(file).map_err(damaged)?;
        check(reader.metadata(), size)?;
        for (index, row) in reader.get_row_iter(None).map_err(damaged)?.enumerate() {
            let row = row.map_err(|_| format!("row {}: {DAMAGED}", index + 1))?;
            each(index, object(row));
        }
        Ok(())
    }

    /// Refuse compressions that are not read, and files that unpack to many times their size.
    fn check(metadata: &ParquetMetaData, size: u64) -> Result<(), String> {
        let rows = u64::try_from(metadata.file_metadata().num_rows()).map_err(|_| DAMAGED.to_string())?;
        if rows > size.saturating_mul(8) {
            return Err(format!("{rows} rows in {size} bytes are no questions; save the file as JSON Lines"));
        }
        for column in metadata.row_groups().iter().flat_map(|group| group.columns()) {
            match column.compression() {
                Compression::UNCOMPRESSED | Compression::SNAPPY | Compression::GZIP(_) | Compression::ZSTD(_) => {}
                other => {
                    let name = format!("{other:?}").split('(').next().unwrap_or_default().to_lowercase();
                    return Err(format!("compressed by {name}; write it with snappy, zstd or gzip, or as JSON Lines"));
                }
            }
            let unpacked = u64::try_from(column.uncompressed_size()).map_err(|_| DAMAGED.to_string())?;
            if unpacked > size.saturating_mul(MOST_TIMES).max(MOST_BYTES) {
                let path = column.column_path().string();
                return Err(format!(
                    "column `{path}` unpacks to {} MB, many times the file; save the file as JSON Lines",
                    unpacked >> 20
                ));
            }
        }
        Ok(())
    }

    fn object(row: Row) -> Map<String, Value> {
        row.into_columns().into_iter().map(|(name, field)| (name, value(&field))).collect()
    }

    /// A field as JSON has it; numbers that JSON has no place for, dates and times as texts.
    fn value(field: &Field) -> Value {
        match field {
            Field::Null => Value::Null,
            Field::Bool(truth) => Value::from(*truth),
            Field::Byte(number) => Value::from(*number),
            Field::Short(number) => Value::from(*number),
            Field::Int(number) => Value::from(*number),
            Field::Long(number) => Value::from(*number),
            Field::UByte(number) => Value::from(*number),
            Field::UShort(number) => Value::from(*number),
            Field::UInt(number) => Value::from(*number),
            Field::ULong(number) => Value::from(*number),
            Field::Float16(number) => Value::from(number.to_f64()),
            Field::Float(number) => Value::from(*number),
            Field::Double(number) => Value::from(*number),
            Field::Str(text) => Value::from(text.as_str()),
            Field::Bytes(bytes) => std::str::from_utf8(bytes.data()).map_or(Value::Null, Value::from),
            Field::Group(row) => {
                Value::Object(row.get_column_iter().map(|(name, field)| (name.clone(), value(field))).collect())
            }
            Field::ListInternal(list) => list.elements().iter().map(value).collect(),
            Field::MapInternal(map) => {
                let name = |key: &Field| match value(key) {
                    Value::String(text) => text,
                    other => other.to_string(),
                };
                Value::Object(map.entries().iter().map(|(key, field)| (name(key), value(field))).collect())
            }
            other => Value::from(other.to_string()),
        }
    }
}
