//! LaTeX tables of groups: one a group, with its means and recurring keywords.

use std::fmt::Write;

use super::caption::read_from;
use super::inside_latex;
use crate::attend::Document;
use crate::attend::document::GroupRecord;
use crate::canary::CANARY;
use crate::untrusted::for_tex;

/// One `table` per group; needs the package `booktabs`.
///
/// Text outside Latin scripts needs XeLaTeX or LuaLaTeX and a font for it; a comment in the output says so.
pub fn group_tables(document: &Document) -> String {
    let mut out = format!("% {CANARY}\n% needs \\usepackage{{booktabs}}\n");
    let words = document.groups.iter().flat_map(|group| &group.keywords);
    let words = words.flat_map(|recurring| &recurring.words).map(|(word, ..)| word);
    let names = document.groups.iter().map(|group| &group.name);
    if words.chain(names).any(|text| text.chars().any(|letter| letter > '\u{24f}' && letter.is_alphabetic())) {
        out.push_str(
            "% holds text outside Latin scripts: compile with XeLaTeX or LuaLaTeX and a font that covers it\n",
        );
    }
    for group in &document.groups {
        table(&mut out, document, group).expect("writing to a string cannot fail");
    }
    inside_latex::tables(&mut out, document).expect("writing to a string cannot fail");
    out
}

fn table(out: &mut String, document: &Document, group: &GroupRecord) -> std::fmt::Result {
    writeln!(out, "\\begin{{table}}\n\\centering\n\\begin{{tabular}}{{lrr}}\n\\toprule")?;
    writeln!(out, "Keyword & Items & Mean \\% \\\\\n\\midrule")?;
    for recurring in &group.keywords {
        if group.keywords.len() > 1 {
            writeln!(out, "\\multicolumn{{3}}{{l}}{{\\emph{{{}}}}} \\\\", recurring.language.name())?;
        }
        for (word, items, weight) in &recurring.words {
            writeln!(out, "{} & {items} & {:.1} \\\\", for_tex(word), 100.0 * weight)?;
        }
    }
    writeln!(out, "\\midrule")?;
    let percent = |value: f64| format!("{:.1} \\%", 100.0 * value);
    let mut rows = vec![
        ("Mean share on the first token", percent(group.sink)),
        ("Mean share on words", percent(group.on_words)),
        ("Mean entropy", format!("{:.2} bits", group.entropy_bits)),
    ];
    rows.extend(group.half_way.map(|half_way| ("Half of the weight in the first", percent(half_way))));
    rows.extend(group.overlap.map(|overlap| ("Overlap with people", percent(overlap))));
    if let Some(checks) = &group.deletion {
        rows.push(("Fall without keywords (nats)", format!("{:.2}", checks.keywords)));
        rows.push(("Fall without random words (nats)", format!("{:.2}", checks.random)));
        let difference = checks.keywords - checks.random;
        rows.push((
            "Difference, 95 \\% interval by story",
            match checks.difference {
                Some((low, high)) => format!("${difference:+.2}$ [${low:+.2}$, ${high:+.2}$]"),
                None => format!("${difference:+.2}$, one story"),
            },
        ));
        rows.push(("Items with $p < 0.05$ (by chance)", format!("{} ({:.1})", checks.leaning, checks.expected)));
        rows.push(("Choices that change", format!("{} of {}", checks.flips, checks.items)));
    }
    for (name, value) in rows {
        writeln!(out, "{name} & \\multicolumn{{2}}{{r}}{{{value}}} \\\\")?;
    }
    let models: Vec<&str> = document.models.iter().map(|model| model.name.as_str()).collect();
    writeln!(
        out,
        "\\bottomrule\n\\end{{tabular}}\n\\caption{{{} ({} prompts), as read by {}: words by the number of prompts they are a \
         keyword of. Measure: {}; first {} keywords of each.}}\n\\end{{table}}",
        for_tex(&group.name),
        group.items,
        for_tex(&models.join(" and ")),
        for_tex(&read_from(&document.settings)),
        document.settings.top,
    )
}

#[cfg(test)]
mod tests {
    use super::super::examples::document;
    use super::*;
    use crate::attend::checks::ChecksRecord;
    use crate::attend::document::RecurringRecord;
    use crate::language::Language;

    #[test]
    fn every_group_is_a_table() {
        let mut document = document();
        let group = |name: &str, deletion| GroupRecord {
            name: name.into(),
            items: 4,
            sink: 0.5,
            on_words: 0.25,
            entropy_bits: 3.0,
            half_way: Some(0.5),
            overlap: None,
            deletion,
            knocked_out: Vec::new(),
            keywords: vec![
                RecurringRecord { language: Language::En, words: vec![("50%".into(), 3, 0.2)] },
                RecurringRecord { language: Language::Fr, words: vec![("tasse".into(), 2, 0.1)] },
            ],
        };
        let checks = ChecksRecord {
            items: 4,
            stories: 3,
            keywords: 0.5,
            random: -0.25,
            difference: Some((-0.5, 2.0)),
            leaning: 1,
            expected: 0.2,
            flips: 2,
            random_flips: 0.125,
        };
        document.groups = vec![group("right answers", None), group("task: a_b", Some(checks))];
        insta::assert_snapshot!(group_tables(&document));
    }
}
