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

/// Visit all records of a file.
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
    use std::io::{Read, copy, sink};
    use std::sync::Arc;

    use ::parquet::basic::{Compression, Encoding};
    use ::parquet::column::page::Page;
    use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
    use ::parquet::data_type::{ByteArray, DataType};
    use ::parquet::file::metadata::ColumnChunkMetaData;
    use ::parquet::file::reader::{FileReader, SerializedFileReader};
    use ::parquet::file::serialized_reader::SerializedPageReader;
    use ::parquet::record::{Field, Row};
    use serde_json::{Map, Value};

    use super::Each;

    /// Message for a file that the library cannot read.
    pub(super) const DAMAGED: &str =
        "not a Parquet file, or damaged or cut off; fetch it again, or save it as JSON Lines";

    /// Limits for a file of a given size: texts compress well, and a question takes more than four bytes.
    #[derive(Clone, Copy)]
    struct Bounds {
        bytes: u64,
        values: u64,
    }

    impl Bounds {
        fn of(size: u64) -> Self {
            Self { bytes: (4 * size).max(64 << 20), values: (size / 4).max(1 << 20) }
        }
    }

    pub(super) fn each(file: File, each: &mut Each<'_>) -> Result<(), String> {
        let damaged = |_| DAMAGED.to_string();
        let bounds = Bounds::of(file.metadata().map_err(|error| error.to_string())?.len());
        let pages = Arc::new(file.try_clone().map_err(|error| error.to_string())?);
        let reader = SerializedFileReader::new(file).map_err(damaged)?;
        check(&reader, &pages, bounds)?;
        for (index, row) in reader.get_row_iter(None).map_err(damaged)?.enumerate() {
            let row = row.map_err(|_| format!("row {}: {DAMAGED}", index + 1))?;
            each(index, object(row));
        }
        Ok(())
    }

    fn many_times(what: &str, unpacked: u64) -> String {
        format!("{what} unpacks to {} MB and more, many times the file; save it as JSON Lines", unpacked >> 20)
    }

    /// Refuse what the library would read at any cost: pages that unpack to many times the file, counts not backed by
    /// bytes, and texts that a dictionary repeats excessively.
    fn check(reader: &SerializedFileReader<File>, file: &Arc<File>, bounds: Bounds) -> Result<(), String> {
        let metadata = reader.metadata();
        let rows = u64::try_from(metadata.file_metadata().num_rows()).map_err(|_| DAMAGED.to_string())?;
        if rows > bounds.values {
            return Err(format!("{rows} rows in so few bytes cannot be questions; save the file as JSON Lines"));
        }
        let mut texts = 0;
        for (number, group) in metadata.row_groups().iter().enumerate() {
            for (column, described) in group.columns().iter().enumerate() {
                let named = |message| format!("column `{}`: {message}", described.column_path().string());
                check_pages(described, file, bounds).map_err(named)?;
                let group = reader.get_row_group(number).map_err(|_| named(DAMAGED.into()))?;
                let values = group.get_column_reader(column).map_err(|_| named(DAMAGED.into()))?;
                add_texts(values, &mut texts, bounds.bytes).map_err(named)?;
            }
        }
        Ok(())
    }

    /// Add up the bytes of a column's texts. Texts of one dictionary entry share its bytes until a row is built from
    /// them.
    fn add_texts(values: ColumnReader, texts: &mut u64, most: u64) -> Result<(), String> {
        fn add<T: DataType>(
            mut column: ColumnReaderImpl<T>,
            size: impl Fn(&T::T) -> usize,
            texts: &mut u64,
            most: u64,
        ) -> Result<(), String> {
            let (mut values, mut nulls, mut lists) = (Vec::new(), Vec::new(), Vec::new());
            loop {
                values.clear();
                nulls.clear();
                lists.clear();
                let read = column.read_records(1024, Some(&mut nulls), Some(&mut lists), &mut values);
                let (records, ..) = read.map_err(|_| DAMAGED.to_string())?;
                *texts += values.iter().map(|value| size(value) as u64).sum::<u64>();
                match records {
                    _ if *texts > most => return Err(many_times("the file", most)),
                    0 => return Ok(()),
                    _ => {}
                }
            }
        }
        match values {
            ColumnReader::ByteArrayColumnReader(column) => add(column, ByteArray::len, texts, most),
            ColumnReader::FixedLenByteArrayColumnReader(column) => add(column, |value| value.len(), texts, most),
            _ => Ok(()),
        }
    }

    fn check_pages(column: &ColumnChunkMetaData, file: &Arc<File>, bounds: Bounds) -> Result<(), String> {
        let damaged = || DAMAGED.to_string();
        // Declared as uncompressed, pages are returned as stored in the file.
        let packed = column.clone().into_builder().set_compression(Compression::UNCOMPRESSED).build();
        let packed = packed.map_err(|_| damaged())?;
        let (mut bytes, mut values) = (0, 0);
        for page in SerializedPageReader::new(file.clone(), &packed, 0, None).map_err(|_| damaged())? {
            let page = page.map_err(|_| damaged())?;
            if matches!(page.encoding(), Encoding::DELTA_LENGTH_BYTE_ARRAY | Encoding::DELTA_BYTE_ARRAY) {
                return Err("delta-encoded text is not supported; use plain or dictionary pages, or JSON Lines".into());
            }
            let compression = match page {
                Page::DataPageV2 { is_compressed: false, .. } => Compression::UNCOMPRESSED,
                _ => column.compression(),
            };
            let levels = match page {
                Page::DataPageV2 { def_levels_byte_len, rep_levels_byte_len, .. } => {
                    def_levels_byte_len as usize + rep_levels_byte_len as usize
                }
                _ => 0,
            };
            let body = page.buffer().get(levels..).ok_or_else(damaged)?;
            let most = bounds.bytes - bytes;
            let unpacked = unpacked_size(body, compression, most)?;
            let of_page = u64::from(page.num_values());
            values += of_page;
            if unpacked > most {
                return Err(many_times("it", bounds.bytes));
            }
            if values > bounds.values || matches!(page, Page::DictionaryPage { .. }) && of_page > unpacked {
                return Err(format!("{values} values in so few bytes; {DAMAGED}"));
            }
            bytes += unpacked;
        }
        Ok(())
    }

    /// The uncompressed size; where it exceeds `most`, some number above it.
    fn unpacked_size(bytes: &[u8], compression: Compression, most: u64) -> Result<u64, String> {
        let damaged = |_| DAMAGED.to_string();
        let count = |stream: &mut dyn Read| copy(&mut stream.take(most + 1), &mut sink());
        match compression {
            _ if bytes.is_empty() => Ok(0),
            Compression::UNCOMPRESSED => Ok(bytes.len() as u64),
            Compression::SNAPPY => {
                snap::raw::decompress_len(bytes).map(|found| found as u64).map_err(|_| DAMAGED.to_string())
            }
            Compression::GZIP(_) => count(&mut flate2::read::MultiGzDecoder::new(bytes)).map_err(damaged),
            Compression::ZSTD(_) => count(&mut zstd::Decoder::with_buffer(bytes).map_err(damaged)?).map_err(damaged),
            other => {
                let name = format!("{other:?}").split('(').next().unwrap_or_default().to_lowercase();
                Err(format!("compressed with {name}; write it with snappy, zstd or gzip, or as JSON Lines"))
            }
        }
    }

    fn object(row: Row) -> Map<String, Value> {
        row.into_columns().into_iter().map(|(name, field)| (name, value(&field))).collect()
    }

    /// A field as JSON; dates, times and numbers that JSON cannot represent become texts.
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
