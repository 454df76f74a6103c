//! The program for NVIDIA GPUs beside this one: found, checked, run in its place, and missed in clear words.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::support::context::{Output, Run};

/// A folder with this program, without running a copy through the page cache: the tests' folder is on the same disk.
fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let program = folder.path().join("tomeval");
    fs::hard_link(env!("CARGO_BIN_EXE_tomeval"), &program).unwrap();
    (folder, program)
}

/// A program for GPUs that is a script: its version, then this.
fn with_script(folder: &Path, version: &str, script: &str) {
    let path = folder.join("tomeval-cuda");
    let answer = format!("if [ \"$1\" = --version ]; then {version}; exit; fi");
    fs::write(&path, format!("#!/bin/sh\n{answer}\n{script}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

const THIS: &str = concat!("printf 'tomeval ", env!("CARGO_PKG_VERSION"), "\\nfeatures: cuda\\n'");

fn run(program: &Path, arguments: &[&str]) -> Output {
    Command::new(program).args(arguments).run()
}

fn refused(output: Output) -> String {
    output.code(2).stderr
}

#[test]
fn it_is_run_with_the_same_arguments_input_output_and_exit_code() {
    let (folder, program) = folder();
    with_script(folder.path(), THIS, "printf '%s\\n' \"$@\"; cat; echo told >&2; exit 7");
    let arguments = ["run", "--device", "cuda:all", "--out", "a folder"];
    let input = folder.path().join("input");
    fs::write(&input, "typed\n").unwrap();
    let output = Command::new(&program).args(arguments).stdin(fs::File::open(input).unwrap()).run().code(7);
    assert_eq!(output.stdout, "run\n--device\ncuda:all\n--out\na folder\ntyped\n");
    assert_eq!(output.stderr, "told\n");

    // Through a link from elsewhere, in other commands, and to the signal that ends it.
    let link = folder.path().join("sub");
    fs::create_dir(&link).unwrap();
    symlink(&program, link.join("tomeval")).unwrap();
    with_script(folder.path(), THIS, "kill -TERM $$");
    for command in ["bench", "attend", "plan", "selftest", "doctor"] {
        let output = run(&link.join("tomeval"), &[command, "--device", "cuda"]);
        assert_eq!(output.status.signal(), Some(15), "{command}: {output:?}");
    }
}

#[test]
fn other_devices_are_no_business_of_its() {
    let (folder, program) = folder();
    with_script(folder.path(), THIS, "exit 7");
    let error = refused(run(&program, &["plan", "--device", "metal", "--offline"]));
    assert!(error.contains("no metal support"), "{error}");
    assert!(run(&program, &["data", "list"]).status.success());
}

#[test]
fn where_the_cpu_computes_unasked_one_note_tells_of_it_if_it_starts() {
    let (folder, program) = folder();
    let notes = |arguments: &[&str]| {
        // Refused after the device is chosen.
        let shape = ["--shape", "llama-3.2-1b-instruct", "--random", "--trie", "nowhere"];
        let output = run(&program, &[arguments, &shape].concat());
        refused(output).lines().filter(|line| line.contains("tomeval-cuda")).map(str::to_string).collect::<Vec<_>>()
    };
    let check = |arguments: &[&str], expected: usize| {
        let notes = notes(arguments);
        assert_eq!(notes.len(), expected, "{notes:?}");
        let note = "note: computing on the CPU; --device cuda uses the GPU, by tomeval-cuda beside this program";
        assert!(notes.iter().all(|rendered| rendered == note), "{notes:?}");
    };
    check(&["bench"], 0);
    with_script(folder.path(), THIS, "exit 7");
    check(&["bench"], 1);
    check(&["bench", "--device", "cpu"], 0);
    // It does not start, or is of another version.
    with_script(folder.path(), "{ echo 'error while loading shared libraries' >&2; exit 127; }", "exit 7");
    check(&["bench"], 0);
    with_script(folder.path(), "echo 'tomeval 0.0.9'", "exit 7");
    check(&["bench"], 0);
    // Nothing is computed.
    with_script(folder.path(), THIS, "exit 7");
    assert!(run(&program, &["data", "list"]).stderr.is_empty());
}

#[test]
fn without_it_nothing_is_computed_elsewhere() {
    let (folder, program) = folder();
    let error = refused(run(&program, &["plan", "--device", "cuda:0"]));
    let here = folder.path().canonicalize().unwrap();
    for part in ["--device cuda:0", "tomeval-cuda is missing from", here.to_str().unwrap(), "scripts/build-cuda.sh"] {
        assert!(error.contains(part), "{part} in: {error}");
    }
    // A copy of the program without CUDA under that name does not call itself.
    fs::hard_link(&program, folder.path().join("tomeval-cuda")).unwrap();
    let error = refused(run(&program, &["plan", "--device", "cuda"]));
    assert!(error.contains("tomeval-cuda was built without CUDA"), "{error}");
}

#[test]
fn another_version_and_missing_libraries_are_named() {
    let (folder, program) = folder();
    with_script(folder.path(), "echo 'tomeval 0.0.9'", "echo ran");
    let output = run(&program, &["plan", "--device", "cuda"]);
    assert!(output.stdout.is_empty());
    let error = refused(output);
    assert!(error.contains("`tomeval 0.0.9`") && error.contains(env!("CARGO_PKG_VERSION")), "{error}");

    with_script(folder.path(), concat!("echo 'tomeval ", env!("CARGO_PKG_VERSION"), " (0123456789ab)'"), "echo ran");
    let error = refused(run(&program, &["plan", "--device", "cuda"]));
    assert!(error.contains("(0123456789ab)`") && error.contains("version and commit must match"), "{error}");

    let loader =
        "echo 'error while loading shared libraries: libcuda.so.1: cannot open shared object file' >&2; exit 127";
    with_script(folder.path(), &format!("{{ {loader}; }}"), "echo ran");
    let error = refused(run(&program, &["plan", "--device", "cuda"]));
    assert!(error.contains("does not start") && error.contains("libcuda.so.1: cannot open"), "{error}");
}

#[test]
fn doctor_names_every_library_where_there_is_no_such_program() {
    let (folder, program) = folder();
    fs::write(folder.path().join("libcurand.so.10"), "").unwrap();
    let doctor = |more: &[&str]| {
        let command = &mut Command::new(&program);
        command.args(["doctor", "--device", "cuda:0"]).args(more);
        command.env("LD_LIBRARY_PATH", folder.path()).env_remove("TOMEVAL_DATA").run()
    };
    let text = doctor(&[]).code(1).stdout;
    assert!(text.contains("checked    --device cuda:0: this build is for the CPU only"), "{text}");
    for library in ["libcuda.so.1", "libcudart.so.13", "libcublas.so.13", "libcublasLt.so.13", "libcurand.so.10"] {
        assert!(text.contains(&format!("library    {library}: ")), "{library}: {text}");
    }
    let found = folder.path().join("libcurand.so.10");
    assert!(text.contains(&format!("libcurand.so.10: {}", found.display())), "{text}");

    let document = doctor(&["--json"]).json();
    assert_eq!(document["checked"][0]["usable"], false);
    assert_eq!(document["checked"][0]["libraries"].as_array().unwrap().len(), 5);
}

#[test]
fn doctor_multiplies_by_every_kind_of_weights() {
    let (_folder, program) = folder();
    let document = run(&program, &["doctor", "--device", "cpu", "--json"]).success().json();
    let products = document["checked"][0]["products"].as_array().unwrap();
    assert_eq!(products.len(), 13, "{products:?}");
    assert!(products.iter().all(|product| product["problem"].is_null() && product["difference"].is_number()));
}
