//! Text compressed for a page: zlib, then base64, so that a browser can decompress it with its `DecompressionStream`.

use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use flate2::Compression;
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn packed_text_comes_back_and_needs_no_escape() {
        let text = "</script> \u{2028}\0 \u{202e} \"'` 故事 ".repeat(1000);
        let packed = packed(&text).unwrap();
        assert!(packed.len() < text.len() / 20, "{}", packed.len());
        assert!(packed.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)));
        let mut back = String::new();
        flate2::read::ZlibDecoder::new(&BASE64.decode(packed).unwrap()[..]).read_to_string(&mut back).unwrap();
        assert_eq!(back, text);
    }
}
