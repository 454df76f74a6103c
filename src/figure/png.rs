//! A figure as pixels, drawn with the fonts of this machine.

use resvg::{tiny_skia, usvg};

use super::Painter;

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

impl Painter {
    /// Draw an SVG figure at `scale` pixels per unit.
    pub fn png(&self, figure: &str, scale: f32) -> Result<Png, PngError> {
        let (tree, missing) = self.laid_out(figure)?;
        let pixels = |units: f32| (units * scale).ceil() as u32;
        let (width, height) = (pixels(tree.size().width()), pixels(tree.size().height()));
        let mut pixels = tiny_skia::Pixmap::new(width, height).ok_or(PngError::Size { width, height })?;
        resvg::render(&tree, tiny_skia::Transform::from_scale(scale, scale), &mut pixels.as_mut());
        let bytes = pixels.encode_png().map_err(|error| PngError::Encode(error.to_string()))?;
        Ok(Png { bytes, missing })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_becomes_a_picture_of_its_size() {
        let figure = r##"<svg xmlns="http://www.w3.org/2000/svg" width="760" height="30">
            <rect width="760" height="30" fill="#ffffff"/><rect x="10" width="100" height="20" fill="#00509e"/></svg>"##;
        let painter = Painter::default();
        let picture = painter.png(figure, 2.0).unwrap();
        let decoded = tiny_skia::Pixmap::decode_png(&picture.bytes).unwrap();
        assert_eq!((decoded.width(), decoded.height()), (1520, 60));
        let dark =
            decoded.pixels().iter().filter(|pixel| i32::from(pixel.blue()) > i32::from(pixel.red()) + 60).count();
        assert_eq!(dark, 200 * 40);
        assert!(matches!(painter.png("no figure", 1.0), Err(PngError::Figure(_))));
    }

    #[test]
    fn characters_without_a_font_are_told() {
        let figure =
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text y="8">&#x10FFFD;</text></svg>"#;
        // With no fonts at all, text is skipped before any fallback is asked for.
        let missing = Painter::default().png(figure, 1.0).unwrap().missing;
        assert!(missing.is_empty() || missing == ['\u{10FFFD}']);
    }
}
