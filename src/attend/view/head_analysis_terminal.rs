//! Roles, heads and sensitivity as text for a terminal.

use std::fmt::{self, Write};

use super::differences::{differences, strata_left_out};
use crate::attend::results::{
    CONTRIBUTIONS_CAVEAT, Case, Document, HeadMapRecord, MatchedPairsRecord, ROLES_CAVEAT, TOP_HEADS_CAVEAT,
    TopHeadsRecord,
};
use crate::table::Value;

/// Most heads listed.
const HEADS: usize = 5;

/// Writes the results of one prompt.
pub(super) fn prompt(out: &mut impl Write, case: &Case) -> fmt::Result {
    if let Some(roles) = &case.roles {
        match roles.reason() {
            Some(reason) => writeln!(out, "  No roles: {reason}")?,
            None => {
                let belief = match roles.belief {
                    Some(true) => ", true belief",
                    Some(false) => ", false belief",
                    None => "",
                };
                let head = format!("  Roles by {}{belief}", roles.source);
                writeln!(out, "{head:<40}{:>7}{:>10}{:>9}{:>10}", "story", "question", "options", "mentions")?;
                for role in &roles.roles {
                    writeln!(
                        out,
                        "    {:<10} {:<24.24} {:>5.2} %   {:>5.2} %  {:>5.2} %  {:>8}",
                        role.role.name(),
                        role.names.join(", "),
                        100.0 * role.story,
                        100.0 * role.question,
                        100.0 * role.options,
                        role.mentions
                    )?;
                }
                if !roles.missing.is_empty() {
                    writeln!(out, "    marked, but not in the story: {}", roles.missing.join(", "))?;
                }
            }
        }
    }
    if let Some(found) = &case.contributions {
        let heads = found.strongest().into_iter().take(HEADS);
        let heads: Vec<String> = heads.map(|(layer, head, value)| format!("{layer}.{head} {value:+.2}")).collect();
        let sum = |values: &[f64]| values.iter().sum::<f64>();
        writeln!(
            out,
            "  Direct contributions to logit {} minus logit {} ({:+.2} nats{}):\n    heads {:+.2}, feed-forward {:+.2}, embedding {:+.2}, \
             biases {:+.2}\n    largest heads (layer.head): {}",
            found.first,
            found.second,
            found.difference,
            if found.first_tokens_only { ", first tokens" } else { "" },
            sum(&found.heads),
            sum(&found.networks),
            found.embedding,
            sum(&found.biases),
            heads.join(", ")
        )?;
    }
    for off in &case.strongest {
        let random = off.random.iter().sum::<f64>() / off.random.len().max(1) as f64;
        writeln!(
            out,
            "  {}: log-odds fall {:+.2} nats{}; random heads {random:+.2}, {} of {} flip",
            off.chosen,
            off.fall,
            if off.flips { ", another option is likelier" } else { "" },
            off.random_flips,
            off.random.len()
        )?;
    }
    if !case.sensitivity.is_empty() {
        let views = case.sensitivity.iter();
        let views: Vec<String> = views.map(|view| format!("{} {:.2}", view.name, view.jaccard)).collect();
        writeln!(out, "  Keywords under other views, Jaccard index: {}", views.join(", "))?;
    }
    Ok(())
}

/// Writes the findings over all prompts.
pub(super) fn findings(out: &mut impl Write, document: &Document) -> fmt::Result {
    let found = &document.findings;
    let model = |index: usize| of_model(document, Some(index));
    if !found.roles.is_empty() {
        writeln!(out, "Attention on roles, share of the row on their names in the story")?;
        writeln!(out, "  {:<10} {:>5} {:>8}  {:<17} {:>12}", "role", "items", "mean", "95 %", "per mention")?;
        for mean in &found.roles {
            writeln!(
                out,
                "  {:<10} {:>5} {:>6.2} %  {:<17} {:>10.2} %{}",
                mean.role.name(),
                mean.items,
                100.0 * mean.story,
                percents(mean.interval),
                100.0 * mean.per_mention,
                model(mean.model)
            )?;
        }
        for compared in &found.role_differences {
            write!(out, "Roles: ")?;
            differences(out, compared, &of_model(document, compared.model))?;
        }
        writeln!(out, "  {ROLES_CAVEAT}")?;
    }
    for (reason, items) in &found.without_roles {
        writeln!(out, "  {items} without roles: {reason}")?;
    }
    found.twins.iter().try_for_each(|twins| twins_table(out, twins, &model(twins.model)))?;
    found.head_maps.iter().try_for_each(|map| head_map(out, map, &model(map.model)))?;
    if !found.sensitivity.is_empty() {
        writeln!(out, "The first {} keywords under other views, against those shown", document.settings.top)?;
        writeln!(
            out,
            "  {:<26} {:>5} {:>8}  {:<15} {:>6} {:>12}",
            "view", "items", "Jaccard", "95 %", "least", "rank-biased"
        )?;
        let languages = found.sensitivity.iter().any(|view| view.language != found.sensitivity[0].language);
        for view in &found.sensitivity {
            let language = if languages { format!(" ({})", view.language.name()) } else { String::new() };
            let interval = view.interval.map_or("-".to_string(), |(low, high)| format!("{low:.2} to {high:.2}"));
            writeln!(
                out,
                "  {:<26.26} {:>5} {:>8.2}  {interval:<15} {:>6.2} {:>12.2}{language}{}",
                view.name,
                view.items,
                view.jaccard,
                view.least,
                view.rank_biased_overlap,
                model(view.model)
            )?;
        }
    }
    found.strongest.iter().try_for_each(|heads| strongest(out, heads, &model(heads.model)))?;
    if document.cases.iter().any(|case| case.contributions.is_some()) {
        writeln!(out, "{CONTRIBUTIONS_CAVEAT}")?;
    }
    Ok(())
}

/// The name of a model in brackets, if there are several.
pub(super) fn of_model(document: &Document, index: Option<usize>) -> String {
    let several = index.filter(|_| document.models.len() > 1);
    several.map_or_else(String::new, |index| format!(" ({})", document.models[index].name))
}

pub(super) fn percents(interval: Option<(f64, f64)>) -> Value {
    Value::range(interval.map(|(low, high)| (100.0 * low, 100.0 * high)), 2)
}

fn twins_table(out: &mut impl Write, twins: &MatchedPairsRecord, model: &str) -> fmt::Result {
    writeln!(
        out,
        "Twins of one {}{model}: {} against {}, {} pairs of {} stories; {} cases without a twin",
        twins.kind, twins.sides.0, twins.sides.1, twins.pairs, twins.stories, twins.alone
    )?;
    writeln!(
        out,
        "  {:<16} {:>5} {:>8} {:>8} {:>9}  {:<16} {:>7} {:>7}",
        "percent of row", "pairs", "first", "second", "difference", "95 %", "p", "Holm"
    )?;
    for quantity in &twins.quantities {
        writeln!(
            out,
            "  {:<16} {:>5} {:>8.2} {:>8.2} {:>+9.2}   {:<16} {:>7} {:>7}",
            quantity.quantity,
            quantity.pairs,
            100.0 * quantity.first,
            100.0 * quantity.second,
            100.0 * quantity.difference,
            percents(quantity.interval),
            Value::p(quantity.p, 4),
            Value::p(quantity.holm, 4)
        )?;
    }
    Ok(())
}

fn head_map(out: &mut impl Write, map: &HeadMapRecord, model: &str) -> fmt::Result {
    let (within, groups) = (&map.within, &map.groups);
    write!(out, "Heads by {} ({}){model}: {} minus {}", map.quantity, map.unit, groups.0, groups.1)?;
    match &within.reason {
        Some(reason) => writeln!(out, ": - ({reason})")?,
        None => {
            writeln!(
                out,
                ", {} and {} items of {} and {} stories within {} strata; {} of {} with p < 0.05 by Holm",
                within.items.0,
                within.items.1,
                within.stories.0,
                within.stories.1,
                within.strata,
                map.significant,
                map.difference.len()
            )?;
            let heads = map.by_difference().into_iter().take(HEADS);
            let heads: Vec<String> = heads
                .map(|(layer, head, index)| {
                    format!("{layer}.{head} {:+.4} (Holm {})", map.difference[index], Value::p(map.holm[index], 4))
                })
                .collect();
            writeln!(out, "  largest (layer.head): {}", heads.join(", "))?;
        }
    }
    strata_left_out(within).map_or(Ok(()), |text| writeln!(out, "  {text}"))?;
    map.warning.iter().try_for_each(|note| writeln!(out, "  warning: {note}"))
}

fn strongest(out: &mut impl Write, found: &TopHeadsRecord, model: &str) -> fmt::Result {
    let heads: Vec<String> = found.heads.iter().map(|(layer, head)| format!("{layer}.{head}")).collect();
    writeln!(
        out,
        "Without {}{model}: heads {}\n  against {} random sets of the same layers: p {:.3} (at least {:.3})",
        found.chosen,
        heads.join(", "),
        found.draws,
        found.p,
        found.smallest_p
    )?;
    if found.shared > 0.0 {
        writeln!(out, "  random sets share {:.1} of these heads: their layers have too few others", found.shared)?;
    }
    let all = &found.all;
    let interval = |interval: Option<(f64, f64)>| {
        interval.map_or("no interval".to_string(), |(low, high)| format!("95 % {low:+.2} to {high:+.2}"))
    };
    writeln!(
        out,
        "  all: {} prompts of {} stories; log-odds fall {:+.2} nats ({}),\n    random {:+.2}, difference {:+.2} ({}); {} flip, of random sets \
         {:.0} %",
        all.items,
        all.stories,
        all.fall,
        interval(all.interval),
        all.random,
        all.difference,
        interval(all.difference_interval),
        all.flips,
        100.0 * all.random_flips
    )?;
    found.differences.iter().try_for_each(|compared| differences(out, compared, model))?;
    writeln!(out, "  {TOP_HEADS_CAVEAT}")
}

#[cfg(test)]
mod tests {
    use super::super::examples_head_analysis::with_findings;
    use super::*;

    #[test]
    fn roles_heads_and_views_are_told() {
        let document = with_findings();
        let mut out = String::new();
        prompt(&mut out, &document.cases[0]).unwrap();
        findings(&mut out, &document).unwrap();
        insta::assert_snapshot!(out);
    }
}
