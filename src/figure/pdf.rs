//! A figure as PDF: one page of its size, with text as text and embedded font subsets.

use pdf_writer::{Content, Finish, Name, Pdf as File, Rect, Ref, TextStr};

use super::{About, Painter, PictureError};

/// Page points per figure unit: 96 units are an inch, as in browsers.
const POINTS: f32 = 0.75;

impl Painter {
    /// Draws an SVG figure on a page of its size.
    pub fn pdf(&self, figure: &str, about: About<'_>) -> Result<Vec<u8>, PictureError> {
        let tree = self.laid_out(figure)?;
        let (chunk, drawing) = svg2pdf::to_chunk(&tree, svg2pdf::ConversionOptions::default())
            .map_err(|error| PictureError::Pdf(error.to_string()))?;
        let (width, height) = (POINTS * tree.size().width(), POINTS * tree.size().height());
        // Objects are renumbered so that those of the page come first.
        let [catalog, pages, page, contents, info] = [1, 2, 3, 4, 5].map(Ref::new);
        let mut next = Ref::new(6);
        let mut renamed = std::collections::HashMap::new();
        let chunk = chunk.renumber(|old| *renamed.entry(old).or_insert_with(|| next.bump()));
        let drawing = renamed.get(&drawing).copied().ok_or_else(|| PictureError::Pdf("no drawing".to_string()))?;
        let mut file = File::new();
        file.catalog(catalog).pages(pages);
        file.pages(pages).kids([page]).count(1);
        let name = Name(b"Figure");
        let mut described = file.page(page);
        described.parent(pages).media_box(Rect::new(0.0, 0.0, width, height)).contents(contents);
        described.resources().x_objects().pair(name, drawing);
        described.finish();
        let mut content = Content::new();
        // A drawing is one point wide and high.
        content.transform([width, 0.0, 0.0, height, 0.0, 0.0]).x_object(name);
        file.stream(contents, &content.finish());
        file.extend(&chunk);
        file.document_info(info).producer(TextStr(about.program)).subject(TextStr(about.subject));
        Ok(file.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ABOUT: About<'_> = About { program: "a program", subject: "what it holds" };

    #[test]
    fn a_figure_becomes_a_page_of_its_size() {
        let figure = r##"<svg xmlns="http://www.w3.org/2000/svg" width="760" height="40"><rect width="76" height="40" fill="#00509e"/></svg>"##;
        let page = Painter::open().unwrap().pdf(figure, ABOUT).unwrap();
        let text = String::from_utf8_lossy(&page);
        assert!(text.starts_with("%PDF-") && text.contains("/MediaBox [0 0 570 30]"), "{text}");
        assert!(text.contains("(a program)") && text.contains("(what it holds)"), "{text}");
        assert!(matches!(Painter::open().unwrap().pdf("no figure", ABOUT), Err(PictureError::Figure(_))));
    }

    #[test]
    fn letters_stay_text() {
        let painter = Painter::open().unwrap();
        if painter.lacks_fonts() {
            return;
        }
        let figure = r#"<svg xmlns="http://www.w3.org/2000/svg" width="90" height="20" font-family="sans-serif"><text y="15">box</text></svg>"#;
        let page = painter.pdf(figure, ABOUT).unwrap();
        let text = String::from_utf8_lossy(&page);
        assert!(
            text.contains("/FontFile") && text.contains("/ToUnicode"),
            "fonts are inside, and letters can be searched"
        );
    }
}
