//! Distinct names for runs shown side by side.

use indexmap::IndexMap;

/// A run's own name, and everything in which it may differ from others.
#[derive(Debug, Clone, Copy)]
pub struct Nameable<'a> {
    /// Given name, else the model.
    pub label: &'a str,
    /// Way of answering, in a word or two.
    pub answers: &'a str,
    /// Its provenance lines ([`super::Report::provenance`]).
    pub provenance: &'a IndexMap<String, String>,
}

/// Provenance lines used first to tell runs apart, in this order; then any other.
const FIRST: [&str; 13] = [
    "model",
    "adapter",
    "arithmetic",
    "answers",
    "style",
    "orders",
    "instructions",
    "labels",
    "system",
    "languages",
    "items",
    "shots",
    "seed",
];

/// The line given in shortened form.
const ANSWERS: &str = "answers";

/// Name of the provenance line on results left out.
pub(super) const SHOWN: &str = "shown";

/// First line of a run whose records were changed after writing.
pub(super) const CHANGED: &str = "CHANGED RECORDS";

/// Line of a run whose audit found that its numbers do not repeat themselves.
pub(super) const UNSTEADY: &str = "UNSTEADY";

/// Line on which of several runs are unfinished, with trials recorded and planned.
pub(super) const UNFINISHED: &str = "unfinished";

/// Lines that only repeat a run's name or are not settings.
const NAMES: [&str; 4] = ["name", CHANGED, UNSTEADY, UNFINISHED];

/// Most characters of a setting in a name.
const LONGEST: usize = 48;

/// A distinct name for each run: its own if distinct, else with the fewest settings that make it so, those of [`FIRST`]
/// first. Runs that differ in nothing are numbered.
pub fn labels(runs: &[Nameable<'_>]) -> Vec<String> {
    let mut names: Vec<String> = runs.iter().map(|run| run.label.to_string()).collect();
    for run in runs {
        let alike: Vec<usize> = (0..runs.len()).filter(|&other| runs[other].label == run.label).collect();
        if names[alike[0]] == run.label && alike.len() > 1 {
            let rendered = with_settings(&alike.iter().map(|&other| runs[other]).collect::<Vec<_>>());
            alike.into_iter().zip(rendered).for_each(|(other, name)| names[other] = name);
        }
    }
    numbered(names)
}

/// Names for runs with equal names, using the fewest settings that tell them apart.
fn with_settings(runs: &[Nameable<'_>]) -> Vec<String> {
    let named = |lines: &[&str]| -> Vec<String> {
        let name = |run: &Nameable<'_>| {
            let said = |line: &&&str| match **line {
                ANSWERS if !run.answers.is_empty() => Some(run.answers.to_string()),
                line => run.provenance.get(line).map(|value| shortened(value, LONGEST)),
            };
            let settings = lines.iter().filter_map(|line| said(&line)).filter(|value| value != run.label);
            std::iter::once(run.label.to_string()).chain(settings).collect::<Vec<_>>().join(", ")
        };
        runs.iter().map(name).collect()
    };
    let differing = differing(runs);
    let mut best = named(&[]);
    // Two or three settings are enough, except for runs constructed to differ in all of them.
    for size in 1..=differing.len().min(3) {
        for lines in subsets(&differing, size) {
            let names = named(&lines);
            if apart(&names) == runs.len() {
                return names;
            }
            if apart(&names) > apart(&best) {
                best = names;
            }
        }
    }
    let all = named(&differing);
    if apart(&all) == runs.len() { all } else { best }
}

/// Most bytes of a file name, several of which may be joined; file systems allow 255.
const LONGEST_FILE_NAME: usize = 80;

/// A name as a file name: letters and digits of any script, dots and hyphens. A long name is cut and gets a checksum of
/// the whole.
pub fn file_name(label: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "._-".contains(letter);
    let spelled: String = label.chars().map(|letter| if plain(letter) { letter } else { '-' }).collect();
    let name = spelled.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-");
    // Neither a hidden file nor another folder.
    let name = name.trim_matches(['.', '-']);
    match name.len() {
        0 => "run".to_string(),
        1..=LONGEST_FILE_NAME => name.to_string(),
        _ => {
            let mut sum = flate2::Crc::new();
            sum.update(label.as_bytes());
            let end = (0..LONGEST_FILE_NAME - 8).rev().find(|&end| name.is_char_boundary(end)).unwrap_or(0);
            format!("{}-{:08x}", &name[..end], sum.sum())
        }
    }
}

/// Number of distinct names.
fn apart(names: &[String]) -> usize {
    let mut distinct: Vec<&String> = names.iter().collect();
    distinct.sort_unstable();
    distinct.dedup();
    distinct.len()
}

/// Lines that differ between runs, the most distinctive first.
fn differing<'a>(runs: &[Nameable<'a>]) -> Vec<&'a str> {
    let mut lines: Vec<&str> = Vec::new();
    for line in runs.iter().flat_map(|run| run.provenance.keys()) {
        let value = |run: &Nameable<'_>| run.provenance.get(line).cloned();
        if !lines.contains(&line.as_str()) && runs.iter().any(|run| value(run) != value(&runs[0])) {
            lines.push(line);
        }
    }
    lines.retain(|line| !NAMES.contains(line));
    // Lines that only some runs have come last.
    let said_by_all = |line: &str| runs.iter().all(|run| run.provenance.contains_key(line));
    let place = |line: &str| FIRST.iter().position(|first| *first == line).unwrap_or(FIRST.len());
    lines.sort_by_key(|line| (!said_by_all(line), place(line)));
    lines
}

/// All choices of `size` lines, in order.
fn subsets<'a>(lines: &[&'a str], size: usize) -> Vec<Vec<&'a str>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let from = |first: usize| {
        let rest = subsets(&lines[first + 1..], size - 1).into_iter();
        rest.map(move |rest| [vec![lines[first]], rest].concat()).collect::<Vec<_>>()
    };
    (0..lines.len()).flat_map(from).collect()
}

/// A value cut to its beginning if it has more characters than `longest`.
pub(crate) fn shortened(value: &str, longest: usize) -> String {
    match value.chars().count() > longest {
        true => value.chars().take(longest - 1).chain(['\u{2026}']).collect(),
        false => value.to_string(),
    }
}

/// The names, with a number appended to each repeated one.
fn numbered(names: Vec<String>) -> Vec<String> {
    let mut given: Vec<String> = Vec::new();
    for name in names {
        let mut free = name.clone();
        let mut number = 1;
        while given.contains(&free) {
            number += 1;
            free = format!("{name} ({number})");
        }
        given.push(free);
    }
    given
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn provenance(lines: &[(&str, &str)]) -> IndexMap<String, String> {
        lines.iter().map(|(line, value)| (line.to_string(), value.to_string())).collect()
    }

    fn names(runs: &[(&str, IndexMap<String, String>)]) -> Vec<String> {
        let runs: Vec<Nameable<'_>> =
            runs.iter().map(|(label, provenance)| Nameable { label, answers: "", provenance }).collect();
        labels(&runs)
    }

    #[test]
    fn the_fewest_settings_tell_runs_apart() {
        let run = |answers, seed, tomeval| {
            ("m", provenance(&[("model", "m"), ("answers", answers), ("seed", seed), ("tomeval", tomeval)]))
        };
        assert_eq!(names(&[run("letters", "0", "1")]), ["m"]);
        assert_eq!(names(&[run("letters", "0", "1"), run("texts", "0", "2")]), ["m, letters", "m, texts"]);
        let three = [run("letters", "0", "1"), run("letters", "1", "1"), run("texts", "0", "1")];
        assert_eq!(names(&three), ["m, letters, 0", "m, letters, 1", "m, texts, 0"]);
        assert_eq!(names(&[run("letters", "0", "1"), run("letters", "0", "1")]), ["m", "m (2)"]);
    }

    #[test]
    fn models_and_given_names_are_enough_where_they_differ() {
        let of = |model| provenance(&[("model", model), ("answers", "letters")]);
        assert_eq!(names(&[("a", of("a")), ("b", of("b"))]), ["a", "b"]);
        assert_eq!(names(&[("mine", of("a")), ("mine", of("b"))]), ["mine, a", "mine, b"]);
        assert_eq!(names(&[("mine", of("a")), ("b", of("b")), ("mine", of("c"))]), ["mine, a", "b", "mine, c"]);
    }

    #[test]
    fn names_of_files_are_plain() {
        assert_eq!(file_name("Qwen/Qwen2.5, letters (2)"), "Qwen-Qwen2.5-letters-2");
        assert_eq!(file_name("../.."), "run");
        assert_eq!(file_name("模型 一"), "模型-一");
        let [long, other] = ["模".repeat(400) + "a", "模".repeat(400) + "b"].map(|name| file_name(&name));
        assert!(long.len() <= LONGEST_FILE_NAME && long.starts_with("模模") && long != other, "{long} {other}");
        assert_eq!(file_name(&"x".repeat(80)), "x".repeat(80));
    }

    proptest! {
        #[test]
        fn no_two_names_are_equal(runs in prop::collection::vec((0..2usize, 0..3usize, 0..2usize, 0..2usize), 1..7)) {
            let text = |number: &usize| number.to_string();
            let runs: Vec<(String, IndexMap<String, String>)> = runs
                .iter()
                .map(|(model, answers, style, seed)| {
                    let lines = [("model", text(model)), ("answers", text(answers)), ("style", text(style)), ("seed", text(seed))];
                    (text(model), lines.map(|(line, value)| (line.to_string(), value)).into_iter().collect())
                })
                .collect();
            let runs: Vec<Nameable<'_>> = runs.iter().map(|(label, provenance)| Nameable { label, answers: "", provenance }).collect();
            prop_assert_eq!(apart(&labels(&runs)), runs.len());
        }
    }
}
