//! Pages as a browser shows them: headless Chromium opens a file, a script of the test acts on it, and its answer comes back.

use std::io::Read;
use std::path::{Path, PathBuf};

use base64::Engine;
use serde_json::Value;

use super::hands::{Hands, Seen};
use super::skipped;

/// Chromium or a sibling, by `TOMEVAL_CHROMIUM` or on the path; says that the test is left out where there is none.
pub fn browser() -> Option<PathBuf> {
    let named = std::env::var_os("TOMEVAL_CHROMIUM").map(PathBuf::from);
    let folders: Vec<PathBuf> =
        std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default();
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let found =
        folders.iter().flat_map(|folder| names.iter().map(move |name| folder.join(name))).find(|path| path.is_file());
    let browser = named.or(found);
    if browser.is_none() {
        skipped("TOMEVAL_REQUIRE_BROWSER", "no chromium is on the path, so pages are not opened in a browser");
    }
    browser
}

/// What a page holds in packed form, as text; numbers among it are none.
pub fn unpacked(packed: &str) -> String {
    let bytes = base64::engine::general_purpose::STANDARD.decode(packed).unwrap();
    let mut held = Vec::new();
    flate2::read::ZlibDecoder::new(&bytes[..]).read_to_end(&mut held).unwrap();
    String::from_utf8_lossy(&held).into_owned()
}

/// All that a page holds in packed form, its script among it.
pub fn all_unpacked(page: &str) -> String {
    let elements = page.split("<script type=\"text/plain\"").skip(1).map(|rest| {
        let start = rest.find('>').unwrap() + 1;
        &rest[start..rest.find("</script>").unwrap()]
    });
    elements.map(unpacked).collect()
}

/// What `script`, the body of an async function, returns when it runs in the page. It may use `until(condition)`. Fails the
/// test where the page said something to the console, broke its content policy or asked for anything but files beside it.
pub fn told_by(browser: &Path, page: &Path, script: &str) -> Value {
    let mut hands = Hands::open(browser, page, Seen { width: 1280, dark: false });
    let told = hands.told(&format!(
        r#"const until = async (condition) => {{
            for (const end = performance.now() + 60_000; performance.now() < end;) {{
                if (condition()) return;
                await new Promise((done) => setTimeout(done, 5));
            }}
            throw new Error("never: " + condition);
        }};
        {script}"#
    ));
    assert_eq!(hands.problems, [] as [&str; 0]);
    told
}
