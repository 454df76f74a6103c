//! A figure as pixels, drawn with the fonts of this machine.

use std::sync::{Arc, Mutex};

use resvg::{tiny_skia, usvg};

/// A drawn figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Png {
    /// The file's bytes.
    pub bytes: Vec<u8>,
    /// Characters that no font of this machine has, each once, in order of appearance: drawn as empty boxes.
    pub missing: Vec<char>,
}

/// A figure that cannot be drawn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PngError {
    /// The figure is no SVG.
    #[error("the figure cannot be read: {0}")]
    Figure(#[from] usvg::Error),
    /// The picture would be empty or too large.
    #[error("a picture of {width} x {height} pixels cannot be made")]
    Size {
        /// Pixels across.
        width: u32,
        /// Pixels down.
        height: u32,
    },
    /// The picture cannot be written as PNG.
    #[error("the picture cannot be written: {0}")]
    Encode(String),
}

/// Draw an SVG figure at `scale` pixels per unit.
pub fn png(figure: &str, scale: f32) -> Result<Png, PngError> {
    let missing: Arc<Mutex<Vec<char>>> = Arc::default();
    let mut options = usvg::Options { font_family: "sans-serif".into(), ..Default::default() };
    options.fontdb_mut().load_system_fonts();
    let fallback = usvg::FontResolver::default_fallback_selector();
    let noted = missing.clone();
    options.font_resolver.select_fallback = Box::new(move |character, used, fonts| {
        let found = fallback(character, used, fonts);
        if found.is_none() && !character.is_whitespace() {
            let mut noted = noted.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            if !noted.contains(&character) {
                noted.push(character);
            }
        }
        found
    });
    let tree = usvg::Tree::from_str(figure, &options)?;
    let (width, height) = ((tree.size().width() * scale).ceil() as u32, (tree.size().height() * scale).ceil() as u32);
    let mut pixels = tiny_skia::Pixmap::new(width, height).ok_or(PngError::Size { width, height })?;
    resvg::render(&tree, tiny_skia::Transform::from_scale(scale, scale), &mut pixels.as_mut());
    let bytes = pixels.encode_png().map_err(|error| PngError::Encode(error.to_string()))?;
    let missing = missing.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
    Ok(Png { bytes, missing })
}

#[cfg(test)]
mod tests {
    use super::super::examples::document;
    use super::super::svg;
    use super::*;

    #[test]
    fn a_figure_becomes_a_picture_of_its_size() {
        let figure = svg(&document(), 0).unwrap();
        let picture = png(&figure, 2.0).unwrap();
        let decoded = tiny_skia::Pixmap::decode_png(&picture.bytes).unwrap();
        assert_eq!(decoded.width(), 1520);
        let dark =
            decoded.pixels().iter().filter(|pixel| i32::from(pixel.blue()) > i32::from(pixel.red()) + 60).count();
        assert!(dark > 1000, "the heaviest word has a box");
        assert!(matches!(png("no figure", 1.0), Err(PngError::Figure(_))));
    }

    #[test]
    fn characters_without_a_font_are_told() {
        let figure =
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text y="8">&#x10FFFD;</text></svg>"#;
        // With no fonts at all, text is skipped before any fallback is asked for.
        let missing = png(figure, 1.0).unwrap().missing;
        assert!(missing.is_empty() || missing == ['\u{10FFFD}']);
    }
}
