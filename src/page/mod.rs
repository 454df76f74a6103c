//! Frame, style and browser builders shared by all pages. A page is one file that opens from disk and makes no network
//! requests.

mod beside;
mod packed;
pub mod words;

use minijinja::escape_formatter;
use serde::Serialize;
use serde_json::{Value, json};

use crate::safe_text::for_terminal;

pub use beside::{chunk_file, chunk_name, is_chunk_name};
pub use packed::{packed, packed_bytes, unpacked};

/// The script that unpacks what a page holds.
const BOOT: &str = include_str!("boot.js");

/// The script of all pages, after [`BOOT`].
const BASE: &str = include_str!("base.js");

/// A page that could not be written; all causes are bugs of this program, not faults of its input.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PageError {
    /// The built-in template does not render.
    #[error("the page template does not render: {0}")]
    Template(#[from] minijinja::Error),
    /// The data cannot be written as JSON.
    #[error("the page's data cannot be written: {0}")]
    Data(#[from] serde_json::Error),
    /// The data cannot be compressed.
    #[error("the page's data cannot be compressed: {0}")]
    Packing(#[from] std::io::Error),
}

/// Text for a script element that browsers do not execute.
#[derive(Debug, Clone, Serialize)]
pub struct DataElement {
    id: String,
    kind: &'static str,
    text: String,
}

impl DataElement {
    /// A document as JSON.
    pub fn json(id: impl Into<String>, value: &Value) -> Result<Self, PageError> {
        // Within a script element, `</script` ends it and `<!--` may hide its end. In JSON, `<` occurs only in strings.
        let text = serde_json::to_string(value)?.replace('<', "\\u003c");
        Ok(DataElement { id: id.into(), kind: "application/json", text })
    }

    /// Output of [`packed`].
    pub fn packed(id: impl Into<String>, packed: String) -> Self {
        DataElement { id: id.into(), kind: "text/plain", text: packed }
    }
}

/// The script of a page.
#[derive(Debug, Clone, Copy)]
pub enum Script<'a> {
    /// As it is.
    Plain(&'a str),
    /// Packed with the words of the page in all languages.
    Packed {
        /// The script, which the shared one runs once it is unpacked.
        script: &'a str,
        /// Data packed with it.
        own: &'a Value,
        /// What starts the unpacking.
        start: &'a str,
    },
}

/// The content of a page's frame.
#[derive(Debug, Clone)]
pub struct Page<'a> {
    /// Window title.
    pub title: &'a str,
    /// Program and version.
    pub program: &'a str,
    /// Page-specific styles, after the shared ones.
    pub css: &'a str,
    /// Page-specific script, after the shared one.
    pub script: Script<'a>,
    /// Data read by the script.
    pub data: &'a [DataElement],
    /// Whether the script loads files next to the page.
    pub beside: bool,
}

impl Page<'_> {
    /// Renders the page as one file. `template` is its body, filled from `context`; every value is escaped, and
    /// invisible characters are shown as by [`for_terminal`]; `t(name)` is the English text of a name. It must contain
    /// the buttons `theme` and `keys`, the dialog `help` and, for a packed script, the select `language` and the `main` part.
    pub fn render(&self, template: &str, context: minijinja::Value) -> Result<String, PageError> {
        let mut environment = minijinja::Environment::new();
        environment.set_formatter(|out, state, value| match value.as_str().filter(|_| !value.is_safe()) {
            Some(text) => escape_formatter(out, state, &minijinja::Value::from(for_terminal(text))),
            None => escape_formatter(out, state, value),
        });
        environment.add_function("t", |name: String| {
            let unknown =
                || minijinja::Error::new(minijinja::ErrorKind::InvalidOperation, format!("no words are named {name}"));
            words::english(&name).ok_or_else(unknown)
        });
        environment.add_template("body.html", template)?;
        environment.add_template("shell.html", include_str!("shell.html"))?;
        let body = environment.get_template("body.html")?.render(context)?;
        let mut data = self.data.to_vec();
        let script = match self.script {
            Script::Plain(script) => [BASE, script].concat(),
            Script::Packed { script, own, start } => {
                let names = words::used(&[script, template, &body]);
                let whole = without_remarks(&[BASE, script].concat());
                let held = json!({
                    "languages": words::languages(), "texts": words::texts(&names), "script": whole, "data": own,
                });
                data.push(DataElement::packed("script", packed(&held.to_string())?));
                start.to_string()
            }
        };
        Ok(environment.get_template("shell.html")?.render(minijinja::context! {
            title => self.title,
            program => self.program,
            base => include_str!("base.css"),
            dark => include_str!("dark.css"),
            css => self.css,
            body => body,
            data,
            boot => BOOT,
            script,
            beside => self.beside,
        })?)
    }
}

/// A script without the lines that are comments alone.
fn without_remarks(script: &str) -> String {
    let is_remark = |line: &&str| {
        let line = line.trim();
        line.starts_with("//") || line.starts_with("/**") && line.ends_with("*/")
    };
    script.lines().filter(|line| !is_remark(line)).map(|line| format!("{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_lines_of_comments_are_left_out() {
        let script = "// a\n  /** b */\nlet c = 1; // c\n/* d\ne */\n/** f\n g */\n";
        assert_eq!(without_remarks(script), "let c = 1; // c\n/* d\ne */\n/** f\n g */\n");
    }

    #[test]
    fn titles_and_data_stay_text() {
        let hostile = "</script><script>alert(1)</script><!-- \u{2028}\0\u{202e}\u{fffe}";
        let data = [DataElement::json("data", &Value::from(hostile)).unwrap()];
        let page =
            Page { title: hostile, program: hostile, css: "", script: Script::Plain(""), data: &data, beside: false };
        let text = page.render("<h1>{{ title }}</h1>", minijinja::context! { title => hostile }).unwrap();
        assert!(!text.contains("alert(1)</script>"), "{text}");
        assert_eq!(text.matches("</script>").count(), 2, "the data and the script");
        assert!(!text.contains("<!--"));
        assert!(text.contains("\\u{0}\\u{202e}\\u{fffe}</h1>"), "{text}");
        assert!(text.contains("default-src 'none'") && !text.contains("file:"));
    }
}
