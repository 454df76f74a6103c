//! A LaTeX table of keywords, the model's beside people's.

use std::fmt::Write;

use super::caption::read_from;
use super::inside_latex;
use crate::attend::Document;
use crate::attend::document::Case;
use crate::canary::CANARY;
use crate::untrusted::for_tex;

/// One `table` per prompt with the answer position's keywords; needs the package `booktabs`.
///
/// Text outside Latin scripts needs XeLaTeX or LuaLaTeX and a font for it; a comment in the output says so.
pub fn latex(document: &Document) -> String {
    let mut out = format!("% {CANARY}\n% needs \\usepackage{{booktabs}}\n");
    if document
        .cases
        .iter()
        .any(|case| case.text.chars().any(|character| character > '\u{24f}' && character.is_alphabetic()))
    {
        out.push_str(
            "% holds text outside Latin scripts: compile with XeLaTeX or LuaLaTeX and a font that covers it\n",
        );
    }
    for case in &document.cases {
        table(&mut out, document, case).expect("writing to a string cannot fail");
    }
    inside_latex::tables(&mut out, document).expect("writing to a string cannot fail");
    out
}

fn table(out: &mut String, document: &Document, case: &Case) -> std::fmt::Result {
    let Some(row) = case.rows.first() else { return Ok(()) };
    let people = &case.humans;
    writeln!(out, "\\begin{{table}}\n\\centering\n\\begin{{tabular}}{{rlr{}}}\n\\toprule", "l".repeat(people.len()))?;
    write!(out, "\\# & {} & \\% ", for_tex(&document.models[case.model].name))?;
    for person in people {
        write!(out, "& {} ", for_tex(&person.reader))?;
    }
    out.push_str("\\\\\n\\midrule\n");
    let longest = people.iter().map(|person| person.keywords.len()).max().unwrap_or(0);
    for rank in 0..document.settings.top.min(row.ranking.len().max(longest)) {
        match row.ranking.get(rank) {
            Some(word) => write!(out, "{} & {} & {:.1} ", rank + 1, for_tex(&word.text), 100.0 * word.weight)?,
            None => write!(out, "{} & & ", rank + 1)?,
        }
        for person in people {
            write!(out, "& {} ", person.keywords.get(rank).map_or(String::new(), |word| for_tex(word)))?;
        }
        out.push_str("\\\\\n");
    }
    writeln!(
        out,
        "\\bottomrule\n\\end{{tabular}}\n\\caption{{Keywords of {} ({}). Measure: {}.}}\n\\end{{table}}",
        for_tex(&case.heading()),
        for_tex(&case.verdict()),
        for_tex(&read_from(&document.settings)),
    )
}

#[cfg(test)]
mod tests {
    use super::super::examples::document;
    use super::*;

    #[test]
    fn keywords_stand_beside_the_persons() {
        insta::assert_snapshot!(latex(&document()));
    }
}
