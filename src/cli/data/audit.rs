//! `tomeval data audit`: released labels against the belief tracker.

use std::path::PathBuf;

use anyhow::bail;
use tomeval::benchmark::Benchmark;
use tomeval::benchmark::hi_tom::{Audit, audit};
use tomeval::story::ClaimRule;

use super::{Outcome, print, problem_line, table};

/// Arguments of `tomeval data audit`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The benchmark; rules are known for hi-tom.
    #[arg(long, value_name = "NAME", default_value_t = Benchmark::HiToM)]
    benchmark: Benchmark,
    /// The benchmark's folder, the folder that holds it, or a generated file.
    #[arg(long, env = "TOMEVAL_DATA")]
    data: PathBuf,
    /// Whose beliefs a claim changes: as in the published answers, or by common knowledge of who heard and accepted it.
    #[arg(long, value_name = "published|common-knowledge", default_value_t = ClaimRule::Published)]
    claims: ClaimRule,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

/// Run the audit.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    if args.benchmark != Benchmark::HiToM {
        bail!("{}: no rules are known that give its answers; `data audit` works for hi-tom", args.benchmark);
    }
    let audit = audit(&args.data, args.claims)?;
    print(&if args.json { format!("{}\n", serde_json::to_string_pretty(&audit)?) } else { for_people(&audit) })?;
    let complete = audit.unread.is_empty() && audit.problems.is_empty();
    Ok(if complete { Outcome::Done } else { Outcome::Incomplete })
}

fn for_people(audit: &Audit) -> String {
    let mut text = format!("Released answers against the rules of belief (claims: {})\n\n", audit.claims);
    text.push_str(&agreement(audit));
    let disagreements = audit.disagreements.iter().map(|row| {
        let prompting = row.prompting.name().to_string();
        vec![row.id.clone(), prompting, row.released.clone(), row.tracker.clone(), row.question.clone()]
    });
    text.push_str(&format!("\n{} answers are not those of the rules:\n\n", audit.disagreements.len()));
    text.push_str(&table(&["id", "type", "released", "by rule", "question"], disagreements));
    let twins = audit.twins.iter().map(|twins| {
        let [cotp, vp] = twins.ids.clone();
        vec![cotp, twins.cotp.clone(), vp, twins.vp.clone(), twins.question.clone()]
    });
    text.push_str(&format!("\n{} questions have different answers as CoTP and as VP:\n\n", audit.twins.len()));
    text.push_str(&table(&["CoTP", "released", "VP", "released", "question"], twins));
    if !audit.unread.is_empty() {
        text.push_str(&format!("\nnot understood, and in no count above: {}\n", audit.unread.join(", ")));
    }
    for problem in &audit.problems {
        text.push_str(&format!("\n{}\n", problem_line(problem)));
    }
    text
}

/// How many answers of each prompting type follow the rules, in all and by question order.
fn agreement(audit: &Audit) -> String {
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
