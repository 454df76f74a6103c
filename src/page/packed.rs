//! Text compressed for a page: zlib, then base64, so that a browser can decompress it with its `DecompressionStream`.

use std::io::{Error, ErrorKind, Read, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

/// Compresses a text. The result contains only letters, digits, `+`, `/` and `=`, so it is safe in any element or
/// string.
pub fn packed(text: &str) -> std::io::Result<String> {
    packed_bytes(text.as_bytes())
}

/// Compresses bytes, as [`packed`] does.
pub fn packed_bytes(bytes: &[u8]) -> std::io::Result<String> {
    let mut encoder = ZlibEncoder::new(Vec::with_capacity(bytes.len() / 4), Compression::best());
    encoder.write_all(bytes)?;
    Ok(BASE64.encode(encoder.finish()?))
}

/// Decompresses what [`packed`] returned, up to this many bytes.
pub fn unpacked(packed: &str, most: u64) -> std::io::Result<String> {
    let bytes = BASE64.decode(packed).map_err(|error| Error::new(ErrorKind::InvalidData, error))?;
    let mut text = String::new();
    ZlibDecoder::new(&bytes[..]).take(most).read_to_string(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_text_comes_back_and_needs_no_escape() {
        let text = "</script> \u{2028}\0 \u{202e} \"'` 故事 ".repeat(1000);
        let packed = packed(&text).unwrap();
        assert!(packed.len() < text.len() / 20, "{}", packed.len());
        assert!(packed.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)));
        assert_eq!(unpacked(&packed, u64::MAX).unwrap(), text);
        assert_eq!(unpacked(&packed, 9).unwrap(), "</script>");
        assert!(unpacked("no base64", 9).is_err());
    }
}
