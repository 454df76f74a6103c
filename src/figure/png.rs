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

/// Draws figures with the fonts of this machine, which are looked for once.
pub struct Painter {
    fonts: Arc<usvg::fontdb::Database>,
}

impl Default for Painter {
    fn default() -> Self {
        let mut fonts = usvg::fontdb::Database::new();
        fonts.load_system_fonts();
        if let Some(family) = sans_serif(&fonts) {
            fonts.set_sans_serif_family(family);
        }
        Painter { fonts: Arc::new(fonts) }
    }
}

/// Families to draw with where a figure's own are not installed, the best first.
const SANS_SERIF: [&str; 6] = ["Noto Sans", "DejaVu Sans", "Liberation Sans", "Arial", "Helvetica", "FreeSans"];

/// The family that stands for any without serifs: by default that is one that few machines have, and text would be left
/// out without a word. A machine that has none of the known families gets its first.
fn sans_serif(fonts: &usvg::fontdb::Database) -> Option<String> {
    let has = |family: &&str| fonts.faces().any(|face| face.families.iter().any(|(name, _)| name == family));
    let first = || fonts.faces().next().and_then(|face| face.families.first()).map(|(name, _)| name.clone());
    SANS_SERIF.iter().find(|family| has(family)).map(|family| family.to_string()).or_else(first)
}

impl Painter {
    /// Whether there are no fonts, so that pictures have no text.
    pub fn lacks_fonts(&self) -> bool {
        self.fonts.is_empty()
    }

    /// Draw an SVG figure at `scale` pixels per unit.
    pub fn png(&self, figure: &str, scale: f32) -> Result<Png, PngError> {
        let missing: Arc<Mutex<Vec<char>>> = Arc::default();
        let fonts = Arc::clone(&self.fonts);
        let mut options = usvg::Options { font_family: "sans-serif".into(), fontdb: fonts, ..Default::default() };
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
        let pixels = |units: f32| (units * scale).ceil() as u32;
        let (width, height) = (pixels(tree.size().width()), pixels(tree.size().height()));
        let mut pixels = tiny_skia::Pixmap::new(width, height).ok_or(PngError::Size { width, height })?;
        resvg::render(&tree, tiny_skia::Transform::from_scale(scale, scale), &mut pixels.as_mut());
        let bytes = pixels.encode_png().map_err(|error| PngError::Encode(error.to_string()))?;
        let missing = missing.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
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
