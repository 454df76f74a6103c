//! A browser worked by hand: real clicks, touches and keys in headless Chromium, over the pipe of its DevTools protocol.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// How a page is looked at.
#[derive(Debug, Clone, Copy)]
pub struct Seen {
    /// Width in CSS pixels; narrow ones are touched, wide ones clicked.
    pub width: u32,
    /// Whether the dark theme is preferred.
    pub dark: bool,
}

impl Seen {
    fn touched(self) -> bool {
        self.width < 600
    }
}

/// A browser with a profile of its own and one page open.
pub struct Hands {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    session: Option<String>,
    seen: Seen,
    calls: u64,
    /// What the page asked the network for, and errors of its scripts.
    pub problems: Vec<String>,
    folder: TempDir,
}

impl Hands {
    /// Open a page. Chromium speaks over descriptors 3 and 4, which a shell makes of standard input and output.
    pub fn open(browser: &Path, page: &Path, seen: Seen) -> Self {
        let folder = TempDir::new().unwrap();
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1", "sh"])
            .arg(browser)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"])
            .args(["--remote-debugging-pipe", "about:blank"])
            .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (to, from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut hands = Hands { child, to, from, session: None, seen, calls: 0, problems: Vec::new(), folder };
        let target = hands.call("Target.createTarget", json!({ "url": "about:blank" }))["targetId"].clone();
        let attached = hands.call("Target.attachToTarget", json!({ "targetId": target, "flatten": true }));
        hands.session = attached["sessionId"].as_str().map(String::from);
        for domain in ["Page", "Runtime", "Network", "DOM", "Log"] {
            hands.call(&format!("{domain}.enable"), json!({}));
        }
        let (width, height) = (seen.width, if seen.touched() { 844 } else { 900 });
        let screen = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": seen.touched() });
        hands.call("Emulation.setDeviceMetricsOverride", screen);
        hands.call("Emulation.setTouchEmulationEnabled", json!({ "enabled": seen.touched() }));
        let theme = if seen.dark { "dark" } else { "light" };
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": theme }] });
        hands.call("Emulation.setEmulatedMedia", features);
        let downloads = json!({ "behavior": "allow", "downloadPath": hands.folder.path() });
        hands.call("Page.setDownloadBehavior", downloads);
        hands.call("Page.navigate", json!({ "url": format!("file://{}", page.display()) }));
        // Pages hold their script back until their data is unpacked.
        hands.until(
            "location.protocol === 'file:' && document.readyState === 'complete' && !document.getElementById('script')",
        );
        hands
    }

    /// What the method of the protocol answers; what happens meanwhile is noted.
    fn call(&mut self, method: &str, params: Value) -> Value {
        self.calls += 1;
        let mut message = json!({ "id": self.calls, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.to.write_all(message.to_string().as_bytes()).unwrap();
        self.to.write_all(&[0]).unwrap();
        self.to.flush().unwrap();
        loop {
            let mut bytes = Vec::new();
            self.from.read_until(0, &mut bytes).unwrap();
            bytes.pop().expect("the browser is there");
            let rendered: Value = serde_json::from_slice(&bytes).unwrap();
            if rendered["id"] == self.calls {
                assert!(rendered.get("error").is_none(), "{method}: {rendered}");
                return rendered["result"].clone();
            }
            let url = rendered["params"]["request"]["url"].as_str().unwrap_or_default();
            match rendered["method"].as_str() {
                // Entries of the log are what the browser says: requests that failed, breaches of the content policy.
                Some("Runtime.exceptionThrown" | "Runtime.consoleAPICalled" | "Log.entryAdded") => {
                    self.problems.push(rendered.to_string())
                }
                Some("Network.requestWillBeSent")
                    if !["file:", "data:", "blob:"].iter().any(|it| url.starts_with(it)) =>
                {
                    self.problems.push(url.to_string());
                }
                _ => {}
            }
        }
    }

    /// The value of an expression in the page.
    pub fn value(&mut self, expression: &str) -> Value {
        let rendered = self.call("Runtime.evaluate", json!({ "expression": expression, "returnByValue": true }));
        assert!(rendered.get("exceptionDetails").is_none(), "{expression}: {rendered}");
        rendered["result"]["value"].clone()
    }

    /// What the body of an async function returns in the page, once it does; fails the test where it throws.
    pub fn told(&mut self, script: &str) -> Value {
        let expression = format!("(async () => {{ {script} }})().then((told) => JSON.stringify(told ?? null))");
        let how = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let rendered = self.call("Runtime.evaluate", how);
        assert!(rendered.get("exceptionDetails").is_none(), "{rendered}: {:?}", self.problems);
        serde_json::from_str(rendered["result"]["value"].as_str().unwrap()).unwrap()
    }

    /// Wait for a condition of the page.
    pub fn until(&mut self, condition: &str) {
        let begun = Instant::now();
        while self.value(condition) != true {
            assert!(begun.elapsed() < Duration::from_secs(30), "never: {condition}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// The middle of an element once it is there, scrolled to where nothing lies over it, and stands still.
    fn middle(&mut self, element: &str) -> (f64, f64) {
        self.until(&format!("Boolean({element})"));
        let place = self.told(&format!(
            "let last; for (let looks = 0; looks < 100; looks += 1) {{ const it = {element}; \
             it.scrollIntoView({{ block: 'center', behavior: 'instant' }}); const box = it.getClientRects()[0]; \
             const place = [box.x + box.width / 2, box.y + box.height / 2]; \
             if (String(last) === String(place)) return place; last = place; await new Promise((done) => setTimeout(done, 10)); }} \
             throw new Error('never still');"
        ));
        (place[0].as_f64().unwrap(), place[1].as_f64().unwrap())
    }

    /// Click or touch an element, given as an expression.
    pub fn press(&mut self, element: &str) {
        let (x, y) = self.middle(element);
        if self.seen.touched() {
            self.call("Input.dispatchTouchEvent", json!({ "type": "touchStart", "touchPoints": [{ "x": x, "y": y }] }));
            self.call("Input.dispatchTouchEvent", json!({ "type": "touchEnd", "touchPoints": [] }));
        } else {
            self.mouse("mousePressed", (x, y));
            self.mouse("mouseReleased", (x, y));
        }
    }

    fn mouse(&mut self, kind: &str, (x, y): (f64, f64)) {
        let event = json!({ "type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1 });
        self.call("Input.dispatchMouseEvent", event);
    }

    /// Put a text into a field in place of what is there, by the keyboard.
    pub fn write(&mut self, element: &str, text: &str) {
        self.press(element);
        self.value(&format!("{element}.select()"));
        self.call("Input.insertText", json!({ "text": text }));
    }

    /// Drag from one element to another with the mouse.
    pub fn drag(&mut self, from: &str, to: &str) {
        let start = self.middle(from);
        let end = self.value(&format!("(() => {{ const box = ({to}).getClientRects()[0]; return [box.x + box.width / 2, box.y + box.height / 2]; }})()"));
        let end = (end[0].as_f64().unwrap(), end[1].as_f64().unwrap());
        self.mouse("mousePressed", start);
        self.mouse("mouseMoved", end);
        self.mouse("mouseReleased", end);
    }

    /// The file that pressing an element downloads.
    pub fn download(&mut self, element: &str) -> String {
        self.press(element);
        let begun = Instant::now();
        loop {
            let files = std::fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().path());
            let mut files = files.filter(|path| path.extension().is_some_and(|it| it == "jsonl"));
            match files.next().and_then(|path| std::fs::read_to_string(path).ok()) {
                Some(text) if text.ends_with('\n') => return text,
                _ => std::thread::sleep(Duration::from_millis(20)),
            }
            assert!(begun.elapsed() < Duration::from_secs(30), "no file came");
        }
    }

    /// Choose a file for an input.
    pub fn choose(&mut self, selector: &str, file: &Path) {
        let root = self.call("DOM.getDocument", json!({}))["root"]["nodeId"].clone();
        let node = self.call("DOM.querySelector", json!({ "nodeId": root, "selector": selector }))["nodeId"].clone();
        self.call("DOM.setFileInputFiles", json!({ "nodeId": node, "files": [file] }));
    }
}

impl Drop for Hands {
    fn drop(&mut self) {
        // The browser may be gone; then there is nothing to end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
