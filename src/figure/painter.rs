//! Fonts of this machine, and layout of figures with them.

use std::collections::BTreeSet;
use std::sync::Arc;

use resvg::usvg;
use resvg::usvg::fontdb::{Database, FaceInfo, ID, Stretch, Style, Weight};
use ttf_parser::Face;

use super::PictureError;

/// Draws figures with the fonts of this machine, which are searched once.
pub struct Painter {
    pub(super) fonts: Arc<Database>,
}

impl Painter {
    /// Loads the fonts of this machine.
    pub fn open() -> Result<Painter, PictureError> {
        let mut fonts = Database::new();
        fonts.load_system_fonts();
        if let Some(family) = sans_serif(&fonts) {
            fonts.set_sans_serif_family(family);
        }
        Ok(Painter { fonts: Arc::new(fonts) })
    }
}

/// Fallback font families, in order of preference, if a figure's own are not installed.
const SANS_SERIF: [&str; 6] = ["Noto Sans", "Liberation Sans", "Arial", "Helvetica", "DejaVu Sans", "FreeSans"];

/// The generic sans-serif family. The default is one that few machines have, and text would silently be left out. A
/// machine without any of the known families uses its first.
fn sans_serif(fonts: &Database) -> Option<String> {
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
        for face in self.fonts.faces() {
            if lacking.is_empty() {
                break;
            }
            self.fonts.with_face_data(face.id, |data, index| {
                if let Ok(face) = Face::parse(data, index) {
                    lacking.retain(|&character| face.glyph_index(character).is_none());
                }
            });
        }
        lacking
    }

    /// Lays out a figure.
    pub(super) fn laid_out(&self, figure: &str) -> Result<usvg::Tree, PictureError> {
        let fonts = Arc::clone(&self.fonts);
        let mut options = usvg::Options { font_family: "sans-serif".into(), fontdb: fonts, ..Default::default() };
        options.font_resolver.select_fallback = Box::new(|character, used, fonts| {
            let weight = used.first().and_then(|font| fonts.face(*font)).map_or(Weight::NORMAL, |face| face.weight);
            fallback(fonts, character, weight, used)
        });
        let figure = self.in_runs(figure)?;
        usvg::Tree::from_str(&figure, &options).map_err(|error| PictureError::Figure(error.to_string()))
    }
}

/// Whether a font has a character.
pub(super) fn has(fonts: &Database, font: ID, character: char) -> bool {
    let glyph = |data: &[u8], index| Face::parse(data, index).ok()?.glyph_index(character);
    fonts.with_face_data(font, glyph).flatten().is_some()
}

/// A font for a character that a text's own families lack: upright and of this weight rather than others, without serifs
/// rather than with them.
pub(super) fn fallback(fonts: &Database, character: char, weight: Weight, used: &[ID]) -> Option<ID> {
    let rank = |face: &FaceInfo| {
        let name = face.families.first().map_or("", |(name, _)| name);
        let plain = name.contains("Sans") && !name.contains("Mono");
        let (upright, wide) = (face.style == Style::Normal, face.stretch == Stretch::Normal);
        (!upright, !wide, !plain, face.weight.0.abs_diff(weight.0), !name.starts_with("Noto"), face.monospaced)
    };
    let mut faces: Vec<&FaceInfo> = fonts.faces().filter(|face| !used.contains(&face.id)).collect();
    faces.sort_by_cached_key(|face| (rank(face), face.post_script_name.clone()));
    faces.into_iter().map(|face| face.id).find(|font| has(fonts, *font, character))
}
