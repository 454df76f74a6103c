//! Pages as a browser shows them: headless Chromium opens a file, a script of the test acts on it, and its answer comes back.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use base64::Engine;
use serde_json::Value;

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

/// What `script`, the body of an async function, returns when it runs in the page, whose own script may be held back until its
/// data is unpacked. It may use `until(condition)`. Fails the
/// test where the page said something to the console, broke its content policy or asked for anything but files beside it.
pub fn told_by(browser: &Path, page: &Path, script: &str) -> Value {
    let harness = r#"<script>
const problems = [];
addEventListener("error", (event) => problems.push("error: " + (event.message || event.target.src)), true);
addEventListener("unhandledrejection", (event) => problems.push("rejection: " + event.reason));
addEventListener("securitypolicyviolation", (event) => problems.push("policy: " + event.blockedURI + " " + event.violatedDirective));
</script>
</head>"#;
    let action = format!(
        r#"<script>
const until = async (condition) => {{
  for (let tries = 0; tries < 2000; tries++) {{
    if (condition()) return;
    await new Promise((done) => setTimeout(done, 5));
  }}
  throw new Error("never: " + condition);
}};
(async () => {{ await until(() => !document.getElementById("script")); {script} }})().catch((error) => {{ problems.push("test: " + error.message); return null; }}).then((told) => {{
  const asked = performance.getEntriesByType("resource").map((entry) => entry.name).filter((name) => !name.startsWith("file:"));
  const pre = document.createElement("pre");
  pre.id = "told";
  pre.textContent = JSON.stringify({{ told, problems, asked }});
  document.body.append(pre);
}});
</script>
</body>"#
    );
    let text = std::fs::read_to_string(page).unwrap();
    let text = text.replacen("</head>", harness, 1);
    let at = text.rfind("</body>").unwrap();
    let tested = page.with_extension("tested.html");
    std::fs::write(&tested, format!("{}{action}{}", &text[..at], &text[at + "</body>".len()..])).unwrap();
    let profile = tempfile::TempDir::new().unwrap();
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"])
        .args(["--window-size=1280,900", "--enable-logging=stderr", "--timeout=60000", "--virtual-time-budget=60000"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg("--dump-dom")
        .arg(format!("file://{}", tested.display()))
        .output()
        .unwrap();
    let (dom, log) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let said: Vec<&str> = log.lines().filter(|line| line.contains("CONSOLE")).collect();
    assert!(said.is_empty(), "the page said {said:#?}");
    let start =
        dom.find(r#"<pre id="told">"#).unwrap_or_else(|| panic!("the page never answered: {log}\n{}", dom.len()));
    let rest = &dom[start + r#"<pre id="told">"#.len()..];
    let json = &rest[..rest.find("</pre>").unwrap()];
    let json = json.replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", "\u{a0}").replace("&amp;", "&");
    let answer: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(answer["problems"], serde_json::json!([]), "{json}");
    assert_eq!(answer["asked"], serde_json::json!([]), "the page asked for something");
    answer["told"].clone()
}
