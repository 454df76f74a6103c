//! Finds characters without a font on this machine, and the packages that have one.

use std::collections::BTreeSet;
use std::fmt;

use unicode_script::{Script, UnicodeScript};

use super::Painter;
use crate::safe_text::for_terminal;

/// A script without a font.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fontless {
    /// Its English name.
    pub script: &'static str,
    /// Debian package that has a font for it.
    pub package: &'static str,
    /// Some of the characters without a font, in order of appearance.
    pub characters: String,
}

impl fmt::Display for Fontless {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fontless { script, package, characters } = self;
        write!(out, "{script} ({}; on Debian and Ubuntu: {package})", for_terminal(characters))
    }
}

/// Most characters listed per script.
const NAMED: usize = 8;

impl Painter {
    /// Scripts in a text that the fonts of this machine do not fully cover, in order of appearance.
    pub fn fontless(&self, text: &str) -> Vec<Fontless> {
        let lacking = self.lacking(text);
        let mut scripts: Vec<Fontless> = Vec::new();
        let mut rendered = BTreeSet::new();
        for character in text.chars().filter(|character| lacking.contains(character) && rendered.insert(*character)) {
            let (script, package) = (character.script().full_name(), package(character.script()));
            match scripts.iter_mut().find(|known| known.script == script) {
                Some(known) if known.characters.chars().count() < NAMED => known.characters.push(character),
                Some(_) => {}
                None => scripts.push(Fontless { script, package, characters: character.to_string() }),
            }
        }
        scripts
    }
}

/// Debian and Ubuntu package with a font for a script; other systems use similar names.
fn package(script: Script) -> &'static str {
    match script {
        Script::Han | Script::Hiragana | Script::Katakana | Script::Hangul | Script::Bopomofo => "fonts-noto-cjk",
        Script::Common | Script::Inherited => "fonts-noto-core fonts-noto-color-emoji",
        _ => "fonts-noto-core",
    }
}

#[cfg(all(test, feature = "figures"))]
mod tests {
    use super::*;

    #[test]
    fn every_script_names_its_package() {
        // Without any font, all characters are missing.
        let painter = Painter { fonts: Default::default() };
        let found = painter.fontless("Mia \u{5c0f}\u{660e}, \u{9ac}\u{9be} \u{627} \u{928} \u{3042}");
        let named: Vec<(&str, &str, &str)> =
            found.iter().map(|each| (each.script, each.package, each.characters.as_str())).collect();
        assert_eq!(
            named,
            [
                ("Latin", "fonts-noto-core", "Mia"),
                ("Han", "fonts-noto-cjk", "\u{5c0f}\u{660e}"),
                ("Common", "fonts-noto-core fonts-noto-color-emoji", ","),
                ("Bengali", "fonts-noto-core", "\u{9ac}\u{9be}"),
                ("Arabic", "fonts-noto-core", "\u{627}"),
                ("Devanagari", "fonts-noto-core", "\u{928}"),
                ("Hiragana", "fonts-noto-cjk", "\u{3042}"),
            ]
        );
    }

    #[test]
    fn what_a_font_has_is_not_lacking() {
        let painter = Painter::open().unwrap();
        if !painter.lacks_fonts() {
            assert_eq!(painter.fontless("Mia, \n"), []);
            let private = painter.fontless("\u{10FFFD}");
            assert_eq!(private.iter().map(|each| each.characters.as_str()).collect::<Vec<_>>(), ["\u{10FFFD}"]);
        }
    }
}
