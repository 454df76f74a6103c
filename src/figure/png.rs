//! A figure as pixels, drawn with the fonts of this machine.

use resvg::tiny_skia;

use super::{Painter, PictureError};

impl Painter {
    /// Draws an SVG figure at `scale` pixels per unit.
    pub fn png(&self, figure: &str, scale: f32) -> Result<Vec<u8>, PictureError> {
        let tree = self.laid_out(figure)?;
        let pixels = |units: f32| (units * scale).ceil() as u32;
        let (width, height) = (pixels(tree.size().width()), pixels(tree.size().height()));
        let mut pixels = tiny_skia::Pixmap::new(width, height).ok_or(PictureError::Size { width, height })?;
        resvg::render(&tree, tiny_skia::Transform::from_scale(scale, scale), &mut pixels.as_mut());
        pixels.encode_png().map_err(|error| PictureError::Png(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_becomes_a_picture_of_its_size() {
        let figure = r##"<svg xmlns="http://www.w3.org/2000/svg" width="760" height="30">
            <rect width="760" height="30" fill="#ffffff"/><rect x="10" width="100" height="20" fill="#00509e"/></svg>"##;
        let painter = Painter::open().unwrap();
        let picture = painter.png(figure, 2.0).unwrap();
        let decoded = tiny_skia::Pixmap::decode_png(&picture).unwrap();
        assert_eq!((decoded.width(), decoded.height()), (1520, 60));
        let dark =
            decoded.pixels().iter().filter(|pixel| i32::from(pixel.blue()) > i32::from(pixel.red()) + 60).count();
        assert_eq!(dark, 200 * 40);
        assert!(matches!(painter.png("no figure", 1.0), Err(PictureError::Figure(_))));
    }
}
