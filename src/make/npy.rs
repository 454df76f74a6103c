//! Matrices of numpy's `.npy` format, versions 1 and 2: little-endian f32 in row order.

use std::sync::LazyLock;

use regex::Regex;

/// Bytes that begin every file.
const MAGIC: &[u8] = b"\x93NUMPY";

static TYPE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"'descr':\s*'([^']*)'").expect("the pattern is valid"));
static SHAPE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"'shape':\s*\((\d+),\s*(\d+),?\s*\)").expect("the pattern is valid"));

/// The rows of a matrix; `Err` says what is wrong with the file.
pub fn rows(bytes: &[u8]) -> Result<Vec<Vec<f32>>, String> {
    let cut = || "the file was cut: it ends in its header".to_string();
    let rest = bytes.strip_prefix(MAGIC).ok_or("not a file of numpy.save")?;
    let (length, rest) = match rest {
        [1, _, low, high, rest @ ..] => (usize::from(u16::from_le_bytes([*low, *high])), rest),
        [2, _, a, b, c, d, rest @ ..] => (u32::from_le_bytes([*a, *b, *c, *d]) as usize, rest),
        [1 | 2, ..] | [] => return Err(cut()),
        [version, ..] => return Err(format!("version {version} of the format is not known; save it with numpy.save")),
    };
    let (header, values) = rest.split_at_checked(length).ok_or_else(cut)?;
    let header = String::from_utf8_lossy(header);
    match TYPE.captures(&header).map(|found| found[1].to_string()).as_deref() {
        Some("<f4") => {}
        Some(other) => return Err(format!("numbers of type `{other}`; save them with .astype('<f4')")),
        None => return Err("its header names no type of numbers".to_string()),
    }
    if header.contains("'fortran_order': True") {
        return Err("stored by columns; save it with numpy.ascontiguousarray".to_string());
    }
    let shape = SHAPE.captures(&header).ok_or("not a matrix: it needs the shape (stories, dimensions)")?;
    let size = |at: usize| shape[at].parse::<usize>().ok();
    let (Some(count), Some(width)) = (size(1), size(2)) else {
        return Err(format!("a shape of ({}, {}) is too large", &shape[1], &shape[2]));
    };
    if width == 0 {
        return Err("a shape with no dimensions".to_string());
    }
    let expected = count.checked_mul(width).and_then(|numbers| numbers.checked_mul(4));
    if expected != Some(values.len()) {
        return Err(format!("a shape of ({count}, {width}) does not fit its {} bytes of numbers", values.len()));
    }
    let number = |bytes: &[u8]| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    Ok(values.chunks(width * 4).map(|row| row.chunks(4).map(number).collect()).collect())
}

/// A matrix as a file, all rows of one length.
#[cfg(test)]
pub fn file(rows: &[Vec<f32>]) -> Vec<u8> {
    let shape = (rows.len(), rows.first().map_or(0, Vec::len));
    let header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape:?}, }}\n");
    let mut bytes = [MAGIC, &[1, 0], &(header.len() as u16).to_le_bytes(), header.as_bytes()].concat();
    bytes.extend(rows.iter().flatten().flat_map(|value| value.to_le_bytes()));
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_reads_back() {
        let matrix = vec![vec![1.0, -2.5, 0.0], vec![0.25, 7.0, 1e-8]];
        assert_eq!(rows(&file(&matrix)).unwrap(), matrix);
    }

    #[test]
    fn what_is_no_matrix_of_f32_is_refused_with_what_mends_it() {
        let whole = file(&[vec![1.0, 2.0], vec![3.0, 4.0]]);
        for end in 0..whole.len() {
            assert!(rows(&whole[..end]).is_err(), "cut after {end} bytes");
        }
        let with = |from: &str, to: &str| {
            let at = whole.windows(from.len()).position(|bytes| bytes == from.as_bytes()).unwrap();
            rows(&[&whole[..at], to.as_bytes(), &whole[at + from.len()..]].concat()).unwrap_err()
        };
        assert!(with("<f4", "<f8").contains("astype"));
        assert!(with("False", "True ").contains("ascontiguousarray"));
        assert!(with("(2, 2)", "(2, 3)").contains("does not fit"));
        assert!(with("(2, 2)", "(4,)  ").contains("not a matrix"));
        let huge = "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 8), }";
        let huge = [MAGIC, &[1, 0], &(huge.len() as u16).to_le_bytes(), huge.as_bytes()].concat();
        assert!(rows(&huge).unwrap_err().contains("does not fit"));
    }
}
