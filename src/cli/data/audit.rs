//! `tomeval data audit`: compares released labels with the rules of the stories.

use std::path::PathBuf;

use anyhow::{Context, bail};

use super::Outcome;
use crate::arguments::paths::or_environment;
use crate::benchmark::{Benchmark, RowProblem, hi_tom, tomi};
use crate::story::ClaimRule;
use crate::terminal::stdout::{print, print_text, table};

/// Arguments of `tomeval data audit`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Benchmark to audit: hi-tom or tomi.
    #[arg(long, short, value_name = "NAME", default_value_t = Benchmark::HiToM)]
    benchmark: Benchmark,
    /// The benchmark's folder, its parent folder, or a generated Hi-ToM file [default: the folder in the variable
    /// TOMEVAL_DATA].
    #[arg(long)]
    data: Option<PathBuf>,
    /// Whose beliefs a claim in a Hi-ToM story changes: as in the published answers, or by common knowledge of who
    /// heard and accepted it [default: published].
    #[arg(long, value_name = "published|common-knowledge")]
    claims: Option<ClaimRule>,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

/// Runs the audit.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let data = or_environment(args.data).context("no data; pass --data DIR or set TOMEVAL_DATA")?;
    let (text, complete) = match (args.benchmark, args.claims) {
        (Benchmark::HiToM, claims) => {
            let audit = hi_tom::audit(&data, claims.unwrap_or(ClaimRule::Published))?;
            let text = if args.json { json(&audit)? } else { hi_tom_text(&audit) };
            (text, audit.unread.is_empty() && audit.problems.is_empty())
        }
        (Benchmark::ToMi, None) => {
            let audit = tomi::audit(&data)?;
            let text = if args.json { json(&audit)? } else { tomi_text(&audit) };
            (text, audit.unread.is_empty() && audit.problems.is_empty())
        }
        (Benchmark::ToMi, Some(_)) => bail!("tomi: its stories contain no claims; leave out --claims"),
        (other, _) => {
            bail!("{other}: no known rules for its answers; `data audit` supports hi-tom and tomi")
        }
    };
    if args.json {
        print(&text)?
    } else {
        print_text(&text)?
    }
    Ok(if complete { Outcome::Done } else { Outcome::Incomplete })
}

fn json(audit: &impl serde::Serialize) -> serde_json::Result<String> {
    #[derive(serde::Serialize)]
    struct Document<'a, T> {
        version: u32,
        #[serde(flatten)]
        audit: &'a T,
    }
    Ok(format!("{}\n", serde_json::to_string_pretty(&Document { version: 1, audit })?))
}

fn tomi_text(audit: &tomi::Audit) -> String {
    let mut text = "Released answers against sight (test split)\n\n".to_string();
    let of = |right: usize, rows: usize| format!("{right} of {rows}");
    let types = audit.types.iter().map(|counts| {
        let agreement = [counts.by_sight, counts.by_released_rule].map(|right| of(right, counts.rows));
        [vec![counts.question_type.clone()], agreement.to_vec()].concat()
    });
    text.push_str(&table(&["type of question", "by sight", "by the rule of the released answers"], types));
    text.push_str(
        "\nThe rule of the released answers: a second-order answer is where the object really is as soon as a third agent\n\
         enters its room or one of the two comes back to it; all other answers are those of sight.\n",
    );
    text.push_str(&format!("\nAnswers that differ from sight: {}\n\n", audit.disagreements.len()));
    let rows = audit
        .disagreements
        .iter()
        .map(|row| [&row.id, &row.question_type, &row.released, &row.sight, &row.question].map(String::clone).to_vec());
    text.push_str(&table(&["id", "type", "released", "by sight", "question"], rows));
    text.push_str(&left_out(&audit.unread, &audit.problems));
    text
}

/// Lists rows excluded from all counts.
fn left_out(unread: &[String], problems: &[RowProblem]) -> String {
    let mut text = String::new();
    if !unread.is_empty() {
        text.push_str(&format!("\nnot parsed, and excluded from all counts: {}\n", unread.join(", ")));
    }
    problems.iter().for_each(|problem| text.push_str(&format!("\n{problem}\n")));
    text
}

fn hi_tom_text(audit: &hi_tom::Audit) -> String {
    let mut text = format!("Released answers against the rules of belief (claims: {})\n\n", audit.claims);
    text.push_str(&agreement(audit));
    let disagreements = audit.disagreements.iter().map(|row| {
        let prompting = row.prompting.name().to_string();
        vec![row.id.clone(), prompting, row.released.clone(), row.tracker.clone(), row.question.clone()]
    });
    text.push_str(&format!("\nAnswers that differ from the rules: {}\n\n", audit.disagreements.len()));
    text.push_str(&table(&["id", "type", "released", "by rule", "question"], disagreements));
    let twins = audit.twins.iter().map(|twins| {
        let [cotp, vp] = twins.ids.clone();
        vec![cotp, twins.cotp.clone(), vp, twins.vp.clone(), twins.question.clone()]
    });
    text.push_str(&format!("\nQuestions with different answers as CoTP and as VP: {}\n\n", audit.twins.len()));
    text.push_str(&table(&["CoTP", "released", "VP", "released", "question"], twins));
    text.push_str(&left_out(&audit.unread, &audit.problems));
    text
}

/// Tabulates how many answers of each prompting type follow the rules, in all and by question order.
fn agreement(audit: &hi_tom::Audit) -> String {
    let mut orders: Vec<usize> = audit.styles.iter().flat_map(|style| &style.orders).map(|order| order.order).collect();
    orders.sort_unstable();
    orders.dedup();
    let by_order: Vec<String> = orders.iter().map(|order| format!("order {order}")).collect();
    let mut header = vec!["type", "by the rules"];
    header.extend(by_order.iter().map(String::as_str));
    header.push("by the narrower VP rule for moves");
    let rows = audit.styles.iter().map(|style| {
        let of = |right: usize, rows: usize| format!("{right} of {rows}");
        let mut row = vec![style.prompting.name().to_string(), of(style.by_rules, style.rows)];
        row.extend(orders.iter().map(|&wanted| {
            let found = style.orders.iter().find(|order| order.order == wanted);
            found.map_or_else(|| "-".to_string(), |order| of(order.by_rules, order.rows))
        }));
        row.push(of(style.by_vanilla_rule, style.rows));
        row
    });
    table(&header, rows)
}
