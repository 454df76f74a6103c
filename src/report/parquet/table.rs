//! A Parquet file written row by row. Columns are data: a name, a type, and a function that gets the value of a row.

use std::io::Write;
use std::mem::size_of_val;
use std::sync::Arc;

use ::parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use ::parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::KeyValue;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use ::parquet::schema::types::Type;

/// A row group ends with the row that reaches this number of rows or this size.
const ROWS: usize = 20_000;
const BYTES: usize = 32 << 20;

/// Definition levels of a list: no list, empty list, entry. A single value has 0 for null, else 1.
const NO_LIST: i16 = 0;
const EMPTY_LIST: i16 = 1;
const ENTRY: i16 = 2;

/// A column of rows of the type `R`. Every column may be null.
pub(super) struct Column<'r, R>(Box<dyn Values<R> + 'r>);

impl<'r, R: 'r> Column<'r, R> {
    pub fn text(name: &str, of: impl Fn(&R) -> Option<String> + 'r) -> Self {
        Column::one::<ByteArrayType>(name, move |row| of(row).map(bytes), ByteArray::len)
    }

    pub fn texts(name: &str, of: impl Fn(&R) -> Option<Vec<String>> + 'r) -> Self {
        let of = move |row: &R| Some(of(row)?.into_iter().map(bytes).collect());
        Column::many::<ByteArrayType>(name, of, ByteArray::len)
    }

    pub fn whole(name: &str, of: impl Fn(&R) -> Option<usize> + 'r) -> Self {
        Column::one::<Int64Type>(name, move |row| of(row).map(whole), size_of_val)
    }

    pub fn wholes(name: &str, of: impl Fn(&R) -> Option<Vec<usize>> + 'r) -> Self {
        let of = move |row: &R| Some(of(row)?.into_iter().map(whole).collect());
        Column::many::<Int64Type>(name, of, size_of_val)
    }

    pub fn number(name: &str, of: impl Fn(&R) -> Option<f64> + 'r) -> Self {
        Column::one::<DoubleType>(name, of, size_of_val)
    }

    pub fn numbers(name: &str, of: impl Fn(&R) -> Option<Vec<f64>> + 'r) -> Self {
        Column::many::<DoubleType>(name, of, size_of_val)
    }

    pub fn truth(name: &str, of: impl Fn(&R) -> Option<bool> + 'r) -> Self {
        Column::one::<BoolType>(name, of, size_of_val)
    }

    fn one<D: DataType>(name: &str, of: impl Fn(&R) -> Option<D::T> + 'r, size_of: fn(&D::T) -> usize) -> Self {
        Column::new::<D>(name, move |row| of(row).map(|value| vec![value]), size_of, None)
    }

    fn many<D: DataType>(name: &str, of: impl Fn(&R) -> Option<Vec<D::T>> + 'r, size_of: fn(&D::T) -> usize) -> Self {
        Column::new::<D>(name, of, size_of, Some(Vec::new()))
    }

    fn new<D: DataType>(
        name: &str,
        of: impl Fn(&R) -> Option<Vec<D::T>> + 'r,
        size_of: fn(&D::T) -> usize,
        repetition: Option<Vec<i16>>,
    ) -> Self {
        let (name, of) = (name.to_string(), Box::new(of));
        Column(Box::new(Typed::<'r, R, D> {
            name,
            of,
            size_of,
            values: Vec::new(),
            definition: Vec::new(),
            repetition,
        }))
    }
}

fn bytes(text: String) -> ByteArray {
    text.into_bytes().into()
}

fn whole(value: usize) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// Buffered values of a column, independent of its type.
trait Values<R> {
    /// The column in the file's schema.
    fn schema(&self) -> Result<Type, ParquetError>;

    /// Buffers the value of a row and returns its size in bytes.
    fn add(&mut self, row: &R) -> usize;

    /// Writes the buffered values and clears them.
    fn write(&mut self, column: SerializedColumnWriter<'_>) -> Result<(), ParquetError>;
}

struct Typed<'r, R, D: DataType> {
    name: String,
    of: Box<dyn Fn(&R) -> Option<Vec<D::T>> + 'r>,
    size_of: fn(&D::T) -> usize,
    values: Vec<D::T>,
    definition: Vec<i16>,
    /// For lists: whether an entry begins a list (0) or continues it (1).
    repetition: Option<Vec<i16>>,
}

impl<R, D: DataType> Values<R> for Typed<'_, R, D> {
    fn schema(&self) -> Result<Type, ParquetError> {
        let physical = D::get_physical_type();
        let text = physical == Physical::BYTE_ARRAY;
        let value = |name: &str, repetition: Repetition| {
            let value = Type::primitive_type_builder(name, physical).with_repetition(repetition);
            value.with_logical_type(text.then_some(LogicalType::String)).build()
        };
        if self.repetition.is_none() {
            return value(&self.name, Repetition::OPTIONAL);
        }
        let entry = value("element", Repetition::REQUIRED)?;
        let entries = Type::group_type_builder("list").with_repetition(Repetition::REPEATED);
        let entries = entries.with_fields(vec![Arc::new(entry)]).build()?;
        let list = Type::group_type_builder(&self.name).with_repetition(Repetition::OPTIONAL);
        list.with_fields(vec![Arc::new(entries)]).with_logical_type(Some(LogicalType::List)).build()
    }

    fn add(&mut self, row: &R) -> usize {
        let found = (self.of)(row);
        match (&mut self.repetition, &found) {
            (None, found) => self.definition.push(i16::from(found.is_some())),
            (Some(repetition), Some(entries)) if !entries.is_empty() => {
                self.definition.extend(entries.iter().map(|_| ENTRY));
                repetition.extend((0..entries.len()).map(|entry| i16::from(entry > 0)));
            }
            (Some(repetition), found) => {
                self.definition.push(if found.is_some() { EMPTY_LIST } else { NO_LIST });
                repetition.push(0);
            }
        }
        let values = found.unwrap_or_default();
        let size = values.iter().map(self.size_of).sum();
        self.values.extend(values);
        size
    }

    fn write(&mut self, mut column: SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        let typed = column.typed::<D>();
        typed.write_batch(&self.values, Some(&self.definition), self.repetition.as_deref())?;
        self.values.clear();
        self.definition.clear();
        self.repetition.iter_mut().for_each(Vec::clear);
        column.close()
    }
}

/// Writer of a Parquet file, which buffers one row group.
pub(super) struct Table<'r, R, W: Write + Send> {
    columns: Vec<Column<'r, R>>,
    rows: usize,
    size: usize,
    writer: SerializedFileWriter<W>,
}

impl<'r, R: 'r, W: Write + Send> Table<'r, R, W> {
    /// Creates a table without rows.
    pub fn new(file: W, columns: Vec<Column<'r, R>>) -> Result<Self, ParquetError> {
        let fields =
            columns.iter().map(|column| Ok(Arc::new(column.0.schema()?))).collect::<Result<_, ParquetError>>()?;
        let schema = Type::group_type_builder("rows").with_fields(fields).build()?;
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))?;
        Ok(Table { columns, rows: 0, size: 0, writer })
    }

    /// Adds a row.
    pub fn add(&mut self, row: &R) -> Result<(), ParquetError> {
        self.size += self.columns.iter_mut().map(|column| column.0.add(row)).sum::<usize>();
        self.rows += 1;
        if self.rows >= ROWS || self.size >= BYTES { self.write_group() } else { Ok(()) }
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        let mut group = self.writer.next_row_group()?;
        let mut columns = self.columns.iter_mut();
        while let (Some(place), Some(column)) = (group.next_column()?, columns.next()) {
            column.0.write(place)?;
        }
        group.close()?;
        (self.rows, self.size) = (0, 0);
        Ok(())
    }

    /// Writes the rest, and name-value pairs into the file's metadata.
    pub fn finish(mut self, facts: Vec<(String, String)>) -> Result<W, ParquetError> {
        if self.rows > 0 {
            self.write_group()?;
        }
        facts.into_iter().for_each(|(name, text)| self.writer.append_key_value_metadata(KeyValue::new(name, text)));
        self.writer.into_inner()
    }
}
