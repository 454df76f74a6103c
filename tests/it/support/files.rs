//! Files that tests copy, change and read.

use std::fs;
use std::path::Path;

use serde_json::Value;

/// Copy the files of a folder.
pub fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        if entry.path().is_file() {
            fs::write(to.join(entry.file_name()), fs::read(entry.path()).unwrap()).unwrap();
        }
    }
}

pub fn read_json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Change a JSON file.
pub fn edit_json(path: &Path, change: impl FnOnce(&mut Value)) {
    let mut json = read_json(path);
    change(&mut json);
    fs::write(path, format!("{json:#}\n")).unwrap();
}

/// The documents of a text, a line each.
#[track_caller]
pub fn json_lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The documents of a file, a line each.
#[track_caller]
pub fn read_json_lines(path: &Path) -> Vec<Value> {
    json_lines(&fs::read_to_string(path).unwrap())
}

/// What a run folder's manifest says.
pub fn manifest(run: &Path) -> Value {
    read_json(&run.join("manifest.json"))
}

/// The records of a run folder.
pub fn records(run: &Path) -> Vec<Value> {
    read_json_lines(&run.join("trials.jsonl"))
}

/// Leaves some of the records of a finished run in a new folder, as a stop would, in another order: replies may end in any.
pub fn keep_some(whole: &Path, out: &Path, kept: usize) {
    fs::create_dir(out).unwrap();
    fs::copy(whole.join("manifest.json"), out.join("manifest.json")).unwrap();
    for name in ["trials.jsonl", "trials.sha256"] {
        let text = fs::read_to_string(whole.join(name)).unwrap();
        let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
        lines.reverse();
        fs::write(out.join(name), lines[..kept].concat()).unwrap();
    }
    fs::write(out.join("trials.unordered"), "").unwrap();
}
