//! The header of a GGUF file (metadata and table of tensors), read with every length validated before use.
//!
//! candle's own reader has other rules: it divides by the alignment in the file, takes the last of two entries of one
//! name, and lets tensors overlap.

use std::collections::HashMap;
use std::io::Read;
use std::ops::Range;

use candle_core::Shape;
use candle_core::quantized::GgmlDType;
use candle_core::quantized::gguf_file::{Content, DEFAULT_ALIGNMENT, TensorInfo, Value, VersionedMagic};

/// Upper limit on the values in all arrays together: each takes 32 bytes of memory, however few in the file. The
/// largest vocabularies have a quarter of a million tokens, with a score, a type and a merge each.
const MOST_VALUES: usize = 1 << 22;

/// Upper limit on nesting of arrays. No known file has two levels.
const MOST_NESTED: usize = 4;

/// Upper limit on dimensions of a tensor, as in ggml.
const MOST_DIMENSIONS: u32 = 4;

/// Upper limit on alignment; files use 32, a few 64 or a page.
const LARGEST_ALIGNMENT: u64 = 1 << 20;

const METADATA: &str = "its metadata are damaged";

/// Reads and checks the header of a file of `bytes` bytes. The error is a sentence without the file's name.
pub(super) fn read(input: impl Read, bytes: u64) -> Result<Content, String> {
    let mut reader = Reader { input, bytes, at: 0, wide: true, values: 0 };
    let magic = reader.number::<4>()?;
    if magic != *b"GGUF" {
        let found = String::from_utf8_lossy(&magic).into_owned();
        return Err(format!("not a GGUF file: it begins with {found:?} instead of `GGUF`"));
    }
    let magic = match reader.u32()? {
        1 => VersionedMagic::GgufV1,
        2 => VersionedMagic::GgufV2,
        3 => VersionedMagic::GgufV3,
        version if (1..=3).contains(&version.swap_bytes()) => {
            return Err("big-endian GGUF files are not supported; convert the model to little-endian".to_string());
        }
        version => return Err(format!("unknown GGUF version {version}; versions 1 to 3 are supported")),
    };
    reader.wide = magic != VersionedMagic::GgufV1;
    let tensors = reader.length()?;
    let entries = reader.length()?;

    // Nothing is allocated by these counts: a missing entry ends the reading.
    let mut metadata = HashMap::new();
    for _ in 0..entries {
        let key = reader.text()?;
        if !key.bytes().all(|letter| matches!(letter, b' '..=b'~')) {
            return Err(format!("{METADATA}: invalid key {:?}, expected printable ASCII", shown(&key)));
        }
        let kind = reader.u32()?;
        let value = reader.value(kind, 0).map_err(|problem| format!("{METADATA} at `{}`: {problem}", shown(&key)))?;
        if metadata.contains_key(&key) {
            return Err(format!("{METADATA}: duplicate key `{}`", shown(&key)));
        }
        metadata.insert(key, value);
    }
    let mut tensor_infos = HashMap::new();
    for _ in 0..tensors {
        let name = reader.text()?;
        let info = reader.tensor().map_err(|problem| format!("tensor `{}`: {problem}", shown(&name)))?;
        if tensor_infos.contains_key(&name) {
            return Err(format!("duplicate tensor `{}`", shown(&name)));
        }
        tensor_infos.insert(name, info);
    }
    let alignment = alignment(metadata.get("general.alignment"))?;
    let tensor_data_offset = reader.at.next_multiple_of(alignment);
    check_places(&tensor_infos, tensor_data_offset, alignment, bytes)?;
    Ok(Content { magic, metadata, tensor_infos, tensor_data_offset })
}

fn alignment(value: Option<&Value>) -> Result<u64, String> {
    let found = match value {
        None => return Ok(DEFAULT_ALIGNMENT),
        Some(Value::I32(number)) => u64::try_from(*number).ok(),
        Some(value) => value.to_u64().ok(),
    };
    found.filter(|found| found.is_power_of_two() && *found <= LARGEST_ALIGNMENT).ok_or_else(|| {
        let expected = format!("expected a power of two up to {LARGEST_ALIGNMENT}");
        format!("{METADATA} at `general.alignment`: it is {value:?}, {expected}", value = value.map(short))
    })
}

/// A value truncated for messages.
fn short(value: &Value) -> String {
    shown(&format!("{value:?}")).to_string()
}

/// The first characters of a name, which may have any length in a damaged file.
fn shown(name: &str) -> std::borrow::Cow<'_, str> {
    match name.char_indices().nth(80) {
        None => name.into(),
        Some((end, _)) => format!("{}...", &name[..end]).into(),
    }
}

/// Bytes of a tensor; `None` on overflow or if it is not a whole number of blocks.
pub(super) fn bytes_of(info: &TensorInfo) -> Option<usize> {
    let elements = info.shape.dims().iter().try_fold(1usize, |product, dim| product.checked_mul(*dim))?;
    let (block, size) = (info.ggml_dtype.block_size(), info.ggml_dtype.type_size());
    elements.is_multiple_of(block).then(|| (elements / block).checked_mul(size))?
}

/// Checks that tensors begin at aligned offsets, follow one another with no more padding than the alignment requires,
/// and fill the file: unclaimed bytes would mean that a shape, an offset or the alignment differs from what was
/// written.
fn check_places(tensors: &HashMap<String, TensorInfo>, data: u64, alignment: u64, file: u64) -> Result<(), String> {
    let mut places: Vec<(Range<u64>, &str, &[usize])> = Vec::with_capacity(tensors.len());
    for (name, info) in tensors {
        let (said, shape) = (|problem: String| format!("tensor `{}` {problem}", shown(name)), info.shape.dims());
        let bytes = bytes_of(info)
            .ok_or_else(|| said(format!("has shape {shape:?}, not a whole number of {:?} blocks", info.ggml_dtype)))?;
        if !info.offset.is_multiple_of(alignment) {
            return Err(said(format!("begins at {}, not a multiple of the alignment {alignment}", info.offset)));
        }
        let place = data.checked_add(info.offset).and_then(|start| Some(start..start.checked_add(bytes as u64)?));
        match place {
            Some(place) if place.end <= file || place.is_empty() => places.push((place, name.as_str(), shape)),
            _ => return Err(said(format!("extends beyond the end of the file: cut short, it has {file} bytes"))),
        }
    }
    places.sort_by_key(|(place, name, _)| (place.start, place.end, *name));
    let next = places.iter().skip(1).map(|(place, name, _)| (place.start, *name)).map(Some).chain([None]);
    for ((place, name, shape), next) in places.iter().zip(next) {
        let padded = place.end.next_multiple_of(alignment);
        let (follows, fits) = match next {
            Some((start, _)) => (start, start == padded),
            None => (file, file <= padded),
        };
        if let Some((start, next)) = next.filter(|(start, _)| *start < place.end) {
            return Err(format!("tensors `{}` and `{}` overlap at {start}", shown(name), shown(next)));
        }
        if !fits {
            let (name, needed, has) = (shown(name), place.end - place.start, follows - place.start);
            return Err(format!("tensor `{name}` of shape {shape:?} needs {needed} bytes but has {has}"));
        }
    }
    Ok(())
}

struct Reader<R> {
    input: R,
    /// Bytes of the file.
    bytes: u64,
    at: u64,
    /// Whether lengths are eight bytes long; four in version 1.
    wide: bool,
    /// Number of array values so far.
    values: usize,
}

impl<R: Read> Reader<R> {
    /// Fills `to`, whose length must have passed [`Reader::check`].
    fn fill(&mut self, to: &mut [u8]) -> Result<(), String> {
        self.input.read_exact(to).map_err(|error| format!("it cannot be read at {}: {error}", self.at))?;
        self.at += to.len() as u64;
        Ok(())
    }

    /// Checks that this many bytes are left.
    fn check(&self, count: usize) -> Result<(), String> {
        let left = self.bytes - self.at;
        match count as u64 <= left {
            true => Ok(()),
            false => Err(format!(
                "cut short or damaged, not a complete GGUF file: the GGUF header announces {count} bytes at {}, but {left} are left",
                self.at
            )),
        }
    }

    fn number<const BYTES: usize>(&mut self) -> Result<[u8; BYTES], String> {
        self.check(BYTES)?;
        let mut number = [0; BYTES];
        self.fill(&mut number)?;
        Ok(number)
    }

    fn u32(&mut self) -> Result<u32, String> {
        self.number().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64, String> {
        self.number().map(u64::from_le_bytes)
    }

    /// A length or count.
    fn length(&mut self) -> Result<usize, String> {
        let length = if self.wide { self.u64()? } else { self.u32()?.into() };
        usize::try_from(length).map_err(|_| format!("a count of {length} exceeds this machine's address space"))
    }

    /// A string without the zero bytes that some writers append. Some published vocabularies are not entirely UTF-8.
    fn text(&mut self) -> Result<String, String> {
        let length = self.length()?;
        self.check(length)?;
        let mut text = vec![0; length];
        self.fill(&mut text)?;
        text.truncate(text.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1));
        Ok(String::from_utf8(text).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
    }

    fn value(&mut self, kind: u32, depth: usize) -> Result<Value, String> {
        Ok(match kind {
            0 => Value::U8(self.number::<1>()?[0]),
            1 => Value::I8(i8::from_le_bytes(self.number()?)),
            2 => Value::U16(u16::from_le_bytes(self.number()?)),
            3 => Value::I16(i16::from_le_bytes(self.number()?)),
            4 => Value::U32(self.u32()?),
            5 => Value::I32(i32::from_le_bytes(self.number()?)),
            6 => Value::F32(f32::from_le_bytes(self.number()?)),
            7 => match self.number::<1>()?[0] {
                0 => Value::Bool(false),
                1 => Value::Bool(true),
                other => return Err(format!("invalid boolean {other}; expected 0 or 1")),
            },
            8 => Value::String(self.text()?),
            9 => {
                if depth == MOST_NESTED {
                    return Err(format!("arrays are nested more than {MOST_NESTED} levels deep"));
                }
                let kind = self.u32()?;
                let length = self.length()?;
                self.values = self.values.saturating_add(length);
                if self.values > MOST_VALUES || length as u64 > self.bytes - self.at {
                    return Err(format!(
                        "an array of {length} values exceeds the file or the limit of {MOST_VALUES} values"
                    ));
                }
                // Grows as values are read, so that a false length costs nothing.
                let mut values = Vec::new();
                for _ in 0..length {
                    values.push(self.value(kind, depth + 1)?);
                }
                Value::Array(values)
            }
            10 => Value::U64(self.u64()?),
            11 => Value::I64(i64::from_le_bytes(self.number()?)),
            12 => Value::F64(f64::from_le_bytes(self.number()?)),
            other => return Err(format!("unknown value type {other}")),
        })
    }

    fn tensor(&mut self) -> Result<TensorInfo, String> {
        let dimensions = self.u32()?;
        if dimensions > MOST_DIMENSIONS {
            return Err(format!("{dimensions} dimensions, at most {MOST_DIMENSIONS} are supported"));
        }
        let mut shape = (0..dimensions).map(|_| self.length()).collect::<Result<Vec<usize>, String>>()?;
        // Stored with the columns first.
        shape.reverse();
        let number = self.u32()?;
        let ggml_dtype = block_format(number).ok_or_else(|| {
            format!(
                "its block format (ggml type {number}) is not supported; use a file in Q4_0 to Q8_0 or Q2_K to Q6_K"
            )
        })?;
        Ok(TensorInfo { ggml_dtype, shape: Shape::from(shape), offset: self.u64()? })
    }
}

/// Block formats by their numbers in ggml.
fn block_format(number: u32) -> Option<GgmlDType> {
    Some(match number {
        0 => GgmlDType::F32,
        1 => GgmlDType::F16,
        2 => GgmlDType::Q4_0,
        3 => GgmlDType::Q4_1,
        6 => GgmlDType::Q5_0,
        7 => GgmlDType::Q5_1,
        8 => GgmlDType::Q8_0,
        9 => GgmlDType::Q8_1,
        10 => GgmlDType::Q2K,
        11 => GgmlDType::Q3K,
        12 => GgmlDType::Q4K,
        13 => GgmlDType::Q5K,
        14 => GgmlDType::Q6K,
        15 => GgmlDType::Q8K,
        30 => GgmlDType::BF16,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of one key and one tensor of 32 numbers, and what may be changed in it.
    struct Parts {
        keys: Vec<(&'static str, u32, Vec<u8>)>,
        tensors: Vec<(&'static str, Vec<u64>, u64)>,
        counts: Option<(u64, u64)>,
    }

    impl Default for Parts {
        fn default() -> Self {
            Parts { keys: Vec::new(), tensors: vec![("a", vec![32], 0)], counts: None }
        }
    }

    fn read_all(bytes: &[u8]) -> Result<Content, String> {
        read(bytes, bytes.len() as u64)
    }

    impl Parts {
        fn problem(self) -> String {
            read_all(&self.bytes()).err().unwrap_or_default()
        }

        fn bytes(self) -> Vec<u8> {
            let (tensors, keys) = self.counts.unwrap_or((self.tensors.len() as u64, self.keys.len() as u64));
            let mut bytes = b"GGUF\x03\0\0\0".to_vec();
            bytes.extend([tensors, keys].map(u64::to_le_bytes).concat());
            let text = |bytes: &mut Vec<u8>, text: &str| {
                bytes.extend((text.len() as u64).to_le_bytes());
                bytes.extend(text.as_bytes());
            };
            for (key, kind, value) in self.keys {
                text(&mut bytes, key);
                bytes.extend(kind.to_le_bytes());
                bytes.extend(value);
            }
            for (name, shape, offset) in self.tensors {
                text(&mut bytes, name);
                bytes.extend((shape.len() as u32).to_le_bytes());
                bytes.extend(shape.into_iter().flat_map(u64::to_le_bytes));
                bytes.extend(0u32.to_le_bytes());
                bytes.extend(offset.to_le_bytes());
            }
            bytes.resize(bytes.len().next_multiple_of(32) + 256, 0);
            bytes
        }
    }

    #[test]
    fn a_sound_header_is_read() {
        let two = vec![("a", vec![32], 0), ("b", vec![8, 4], 128)];
        let content = read_all(&Parts { tensors: two, ..Parts::default() }.bytes()).unwrap();
        assert_eq!(content.tensor_infos["b"].shape.dims(), [4, 8]);
        assert_eq!(content.tensor_data_offset % 32, 0);
    }

    #[test]
    fn what_a_header_claims_is_checked_before_it_is_believed() {
        let key = |name: &'static str, kind: u32, value: &[u8]| Parts {
            keys: vec![(name, kind, value.to_vec())],
            ..Parts::default()
        };
        let tensors =
            |tensors: &[(&'static str, Vec<u64>, u64)]| Parts { tensors: tensors.to_vec(), ..Parts::default() };
        let array = |kind: u32, length: u64| [&kind.to_le_bytes()[..], &length.to_le_bytes()].concat();
        let nested: Vec<u8> = (0..1000).flat_map(|_| array(9, 1)).collect();
        let twice = vec![("k", 0, vec![1]), ("k", 0, vec![2])];
        for (parts, said) in [
            (key("general.alignment", 4, &0u32.to_le_bytes()), "power of two"),
            (key("general.alignment", 4, &48u32.to_le_bytes()), "power of two"),
            (key("general.alignment", 8, &[0; 8]), "power of two"),
            (key("k", 9, &array(0, u64::MAX)), "exceeds the file"),
            (key("k", 9, &array(0, 1 << 40)), "exceeds the file"),
            (key("k", 8, &u64::MAX.to_le_bytes()), "announces"),
            (key("k", 9, &nested), "deep"),
            (key("k", 7, &[2]), "invalid boolean"),
            (key("k", 99, &[]), "unknown value type"),
            (key("k\u{1}", 0, &[1]), "invalid key"),
            (Parts { keys: twice, ..Parts::default() }, "duplicate key `k`"),
            (Parts { counts: Some((u64::MAX, 0)), ..Parts::default() }, ""),
            (Parts { counts: Some((1, u64::MAX)), ..Parts::default() }, ""),
            (tensors(&[("a", vec![32], 0), ("a", vec![32], 128)]), "duplicate tensor `a`"),
            (tensors(&[("a", vec![32], 0), ("b", vec![32], 96)]), "`a` and `b` overlap"),
            (tensors(&[("a", vec![32], 0), ("b", vec![2], 4)]), "not a multiple of the alignment"),
            (tensors(&[("a", vec![1 << 33, 1 << 33], 0)]), "not a whole number"),
            (tensors(&[("a", vec![32], 0), ("b", vec![24], 160)]), "needs 128 bytes but has 160"),
            (tensors(&[("a", vec![24], 0)]), "needs 96 bytes but has 256"),
            (tensors(&[("a", vec![1 << 60], 0)]), "beyond the end of the file"),
            (tensors(&[("a", vec![32], u64::MAX - 31)]), "beyond the end of the file"),
            (tensors(&[("a", vec![1; 5], 0)]), "5 dimensions"),
        ] {
            let problem = parts.problem();
            assert!(!problem.is_empty() && problem.contains(said), "`{said}` is not said: {problem}");
        }
    }
}
