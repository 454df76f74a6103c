//! Where tests find benchmark files, and how they look into the items read from them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tomeval::Item;

use super::skipped;

/// The folder of small files written for this project.
pub fn small() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data")
}

/// The folder that holds the folders of released files: `TOMEVAL_DATA`, else one beside the project.
pub fn data() -> PathBuf {
    std::env::var_os("TOMEVAL_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data"), PathBuf::from)
}

/// The folder of one benchmark's released files, `None` with a line that says so where it is absent.
pub fn released(folder: &str) -> Option<PathBuf> {
    let path = data().join(folder);
    if !path.is_dir() {
        absent(folder);
        return None;
    }
    Some(path)
}

/// The variable that makes tests fail where released files are not there.
pub const REQUIRE_DATA: &str = "TOMEVAL_REQUIRE_DATA";

/// Says that a benchmark's released files are not there. Those that are published under terms of their own, or not at all,
/// are never required.
pub fn absent(benchmark: &str) {
    let required = match benchmark {
        "fantom" | "xtomi" | "xfantom" | "xnegotiationtom" => "TOMEVAL_REQUIRE_RESTRICTED_DATA",
        _ => REQUIRE_DATA,
    };
    skipped(required, &format!("the files of {benchmark} are not in {}; set TOMEVAL_DATA", data().display()));
}

/// The item with this id.
pub fn find<'a>(items: &'a [Item], id: &str) -> &'a Item {
    items.iter().find(|item| item.id == id).unwrap_or_else(|| panic!("{id} is not among the items"))
}

/// The names of an item's flags.
pub fn flag_names(item: &Item) -> Vec<&str> {
    item.flags.iter().map(|flag| &*flag.name).collect()
}

/// How many items have each value.
pub fn count_by<'a>(items: &'a [Item], value: impl Fn(&'a Item) -> String) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    items.iter().for_each(|item| *counts.entry(value(item)).or_default() += 1);
    counts
}

/// Counts as [`count_by`] gives them.
pub fn counts<const N: usize>(expected: [(&str, usize); N]) -> BTreeMap<String, usize> {
    expected.map(|(value, count)| (value.to_string(), count)).into()
}
