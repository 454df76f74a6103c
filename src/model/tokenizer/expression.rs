//! Untrusted regular expressions. Those without look-around and back-references take time linear in the text. Others
//! backtrack: those that would backtrack too much are refused here, and those that meet a text on which they do are
//! stopped at run time (`pipeline.rs`).

use fancy_regex::{Expr, RegexBuilder};

/// Maximum backtracking steps on each probe, below.
const MOST_WAYS: usize = 100_000;
/// Length of a probe in letters.
const PROBE: usize = 2000;

/// Refuse an expression whose time may grow out of proportion to the text.
pub(super) fn check(pattern: &str) -> Result<(), String> {
    let tree = Expr::parse_tree(pattern).map_err(|error| format!("the expression `{pattern}`: {error}"))?;
    if !looks_around(&tree.expr) {
        return Ok(());
    }
    let slow = || format!("the expression `{pattern}` may take exponential time, and is not supported");
    if tangled(&tree.expr) {
        return Err(slow());
    }
    let built = RegexBuilder::new(pattern).backtrack_limit(MOST_WAYS).build();
    let built = built.map_err(|error| format!("the expression `{pattern}`: {error}"))?;
    for text in probes() {
        if built.find_iter(&text).any(|found| found.is_err()) {
            return Err(slow());
        }
    }
    Ok(())
}

/// Texts on which expressions backtrack: long runs of one kind, with every kind of end.
fn probes() -> impl Iterator<Item = String> {
    const KINDS: [&str; 12] = [" ", "\n", "\t", "a", "A", "7", ".", "_", "é", "中", " a", "aA"];
    KINDS.into_iter().flat_map(|kind| {
        let run = kind.repeat(PROBE / kind.len());
        ["", "\n", "x", "!", " ", "8"].into_iter().map(move |end| format!("{run}{end}"))
    })
}

/// The parts of an expression.
fn parts(expression: &Expr) -> Vec<&Expr> {
    match expression {
        Expr::Concat(parts) | Expr::Alt(parts) => parts.iter().collect(),
        Expr::Group(part) | Expr::LookAround(part, _) | Expr::AtomicGroup(part) => vec![part],
        Expr::Repeat { child, .. } => vec![child],
        Expr::Conditional { condition, true_branch, false_branch } => vec![condition, true_branch, false_branch],
        _ => Vec::new(),
    }
}

fn any(expression: &Expr, holds: &dyn Fn(&Expr) -> bool) -> bool {
    holds(expression) || parts(expression).into_iter().any(|part| any(part, holds))
}

/// Whether it backtracks, instead of running in linear time.
fn looks_around(expression: &Expr) -> bool {
    any(expression, &|part| {
        !matches!(
            part,
            Expr::Empty
                | Expr::Any { .. }
                | Expr::Assertion(_)
                | Expr::Literal { .. }
                | Expr::Concat(_)
                | Expr::Alt(_)
                | Expr::Group(_)
                | Expr::Repeat { .. }
                | Expr::Delegate { .. }
        )
    })
}

/// Whether something is repeated that can itself match in several ways, or a later part refers to an earlier match.
fn tangled(expression: &Expr) -> bool {
    let varies = |part: &Expr| match part {
        Expr::Repeat { lo, hi, .. } => *hi > 1 && lo != hi,
        Expr::Alt(_) => true,
        _ => false,
    };
    any(expression, &|part| match part {
        Expr::Repeat { child, hi, .. } => *hi > 1 && any(child, &varies),
        Expr::Backref { .. }
        | Expr::BackrefWithRelativeRecursionLevel { .. }
        | Expr::SubroutineCall(_)
        | Expr::UnresolvedNamedSubroutineCall { .. } => true,
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_of_known_tokenizers_pass() {
        for pattern in [
            r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
            r" ?[^(\s|[.,!?…。，、।۔،])]+",
            r"\p{N}{1,3}(?=(?:\p{N}{3})*(?:\P{N}|$))",
            r"\s?\p{L}+|\s?\p{P}+|[一-龥ࠀ-一가-퟿]+|\p{N}",
            r"(?<=\S)\s+|\s+(?!\S)",
        ] {
            assert_eq!(check(pattern), Ok(()), "{pattern}");
        }
        let known = super::super::pretokenizer::expressions();
        assert!(known.len() > 10);
        for pattern in known {
            assert_eq!(check(pattern), Ok(()), "{pattern}");
        }
    }

    #[test]
    fn expressions_that_take_exponential_time_are_refused() {
        for pattern in [r"(?:a+)+(?!b)", r"(?:a|aa)+(?=c)", r"(\w+) \1", r"(?:\s*\s*)*(?!\S)x", r"(?=(a*)*b)"] {
            assert!(check(pattern).is_err_and(|problem| problem.contains("exponential")), "{pattern}");
        }
        assert_eq!(check(r"(?:a+)+b"), Ok(()), "run in one go");
        assert!(check(r"(?:a").is_err());
    }
}
