//! Roles and twins as LaTeX tables.

use std::fmt::{self, Write};

use super::differences::latex;
use crate::attend::Document;
use crate::attend::role_records::TwinsRecord;
use crate::untrusted::for_tex;

/// A table of roles, those of groups against each other, and one of each kind of twins, where there are any.
pub(super) fn tables(out: &mut String, document: &Document) -> fmt::Result {
    if !document.findings.roles.is_empty() {
        roles(out, document)?;
    }
    let of = |model: Option<usize>| {
        let names = document.models.iter().enumerate().filter(|(index, _)| model.is_none_or(|model| model == *index));
        for_tex(&names.map(|(_, model)| model.name.as_str()).collect::<Vec<_>>().join(" and "))
    };
    for compared in &document.differences {
        latex(out, compared, &format!("Prompts as read by {}", of(compared.model)))?;
    }
    for compared in &document.findings.role_differences {
        latex(out, compared, &format!("Attention on roles as read by {}", of(compared.model)))?;
    }
    document.findings.twins.iter().try_for_each(|found| twins(out, document, found))
}

fn roles(out: &mut String, document: &Document) -> fmt::Result {
    out.push_str(
        "\\begin{table}\n\\centering\n\\begin{tabular}{lrrrrr}\n\\toprule\nRole & Items & Story \\% & 95\\,\\% & Per mention \\% & \
         Options \\%\\\\\n\\midrule\n",
    );
    for mean in &document.findings.roles {
        writeln!(
            out,
            "{} & {} & {:.2} & {} & {:.2} & {:.2}\\\\",
            mean.role,
            mean.items,
            100.0 * mean.story,
            range(mean.interval),
            100.0 * mean.per_mention,
            100.0 * mean.options
        )?;
    }
    let caveat = "Where and how often a name stands differs between roles.";
    writeln!(
        out,
        "\\bottomrule\n\\end{{tabular}}\n\\caption{{Attention on roles: share of the row on their names in the story, intervals clustered by \
         story. {caveat}}}\n\\end{{table}}"
    )
}

fn twins(out: &mut String, document: &Document, found: &TwinsRecord) -> fmt::Result {
    let (first, second) = (for_tex(&found.sides.0), for_tex(&found.sides.1));
    writeln!(
        out,
        "\\begin{{table}}\n\\centering\n\\begin{{tabular}}{{lrrrrrr}}\n\\toprule\n\\% of row & Pairs & {first} & {second} & Difference & 95\\,\\% & \
         $p$ (Holm)\\\\\n\\midrule"
    )?;
    for quantity in &found.quantities {
        let p = quantity
            .holm
            .map_or("--".to_string(), |p| if p < 0.001 { "$<0.001$".to_string() } else { format!("{p:.3}") });
        writeln!(
            out,
            "{} & {} & {:.2} & {:.2} & ${:+.2}$ & {} & {p}\\\\",
            for_tex(&quantity.quantity),
            quantity.pairs,
            100.0 * quantity.first,
            100.0 * quantity.second,
            100.0 * quantity.difference,
            range(quantity.interval)
        )?;
    }
    writeln!(
        out,
        "\\bottomrule\n\\end{{tabular}}\n\\caption{{Twins of one {} read by {}: {} pairs, paired tests clustered by story, adjusted by \
         Holm.}}\n\\end{{table}}",
        found.kind,
        for_tex(&document.models[found.model].name),
        found.pairs
    )
}

fn range(interval: Option<(f64, f64)>) -> String {
    interval.map_or("--".to_string(), |(low, high)| format!("${:.2}$ to ${:.2}$", 100.0 * low, 100.0 * high))
}

#[cfg(test)]
mod tests {
    use super::super::examples_inside::with_findings;
    use super::*;

    #[test]
    fn roles_and_twins_stand_in_tables() {
        let mut out = String::new();
        tables(&mut out, &with_findings()).unwrap();
        insta::assert_snapshot!(out);
    }
}
