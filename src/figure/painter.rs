//! Fonts of this machine, and layout of figures with them.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use resvg::usvg;
use ttf_parser::Face;

use super::PictureError;

/// Draws figures with the fonts of this machine, which are searched once.
pub struct Painter {
    pub(super) fonts: Arc<usvg::fontdb::Database>,
}

impl Painter {
    /// Loads the fonts of this machine.
    pub fn open() -> Result<Painter, PictureError> {
        let mut fonts = usvg::fontdb::Database::new();
        fonts.load_system_fonts();
        if let Some(family) = sans_serif(&fonts) {
            fonts.set_sans_serif_family(family);
        }
        Ok(Painter { fonts: Arc::new(fonts) })
    }
}

/// Fallback font families, in order of preference, if a figure's own are not installed.
const SANS_SERIF: [&str; 6] = ["Noto Sans", "DejaVu Sans", "Liberation Sans", "Arial", "Helvetica", "FreeSans"];

/// The generic sans-serif family. The default is one that few machines have, and text would silently be left out. A
/// machine without any of the known families uses its first.
fn sans_serif(fonts: &usvg::fontdb::Database) -> Option<String> {
    let has = |family: &&str| fonts.faces().any(|face| face.families.iter().any(|(name, _)| name == family));
    let first = || fonts.faces().next().and_then(|face| face.families.first()).map(|(name, _)| name.clone());
    SANS_SERIF.iter().find(|family| has(family)).map(|family| family.to_string()).or_else(first)
}

impl Painter {
    /// Whether no fonts are installed, so that pictures have no text.
    pub fn lacks_fonts(&self) -> bool {
        self.fonts.is_empty()
    }

    /// Characters of a text that no font of this machine has.
    pub(super) fn lacking(&self, text: &str) -> BTreeSet<char> {
        let drawn = |character: &char| !character.is_whitespace() && !character.is_control();
        let mut lacking: BTreeSet<char> = text.chars().filter(drawn).collect();
        let faces: Vec<_> = self.fonts.faces().map(|face| face.id).collect();
        for id in faces {
            if lacking.is_empty() {
                break;
            }
            self.fonts.with_face_data(id, |data, index| {
                if let Ok(face) = Face::parse(data, index) {
                    lacking.retain(|&character| face.glyph_index(character).is_none());
                }
            });
        }
        lacking
    }

    /// Lays out a figure, and returns the characters without a font, each once, in order of appearance.
    pub(super) fn laid_out(&self, figure: &str) -> Result<(usvg::Tree, Vec<char>), PictureError> {
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
        let tree = usvg::Tree::from_str(figure, &options).map_err(|error| PictureError::Figure(error.to_string()))?;
        let missing = missing.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
        Ok((tree, missing))
    }
}
