//! Replies that judge each option without naming the answer: marks before or after options, weights, exclusions.

use std::sync::LazyLock;

use regex::Regex;

use super::mention::{Form, Mention};
use super::sentence::{ahead, before};
use super::words::Cues;
use super::{Found, Outcome};

fn regex(text: &str) -> Regex {
    Regex::new(text).expect("a fixed expression")
}

/// A mark before an option, at the beginning of a line: group 1 matches if it is a cross.
static MARK_BEFORE: LazyLock<Regex> =
    LazyLock::new(|| regex(r#"(?:^|\n)[\s\-"'(\[]*(?:([✗✘❌✖×❎])|[✓✔✅☑√○◯⭕🗸]|\[[xX]\])[\s\-"'(\[:]*$"#));
/// A weight before or after an option, in percent; Turkish writes the percent sign first.
static WEIGHT_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    regex(r#"(?:(\d{1,3}(?:\.\d+)?)\s?[%٪]|[%٪]\s?(\d{1,3}(?:\.\d+)?)|(0\.\d+))[^\d\n,;，、。:%٪]{0,14}$"#)
});
static WEIGHT_BEHIND: LazyLock<Regex> = LazyLock::new(|| {
    regex(r#"^[^\d\n,;，、。%٪]{0,14}?(?:(\d{1,3}(?:\.\d+)?)\s?[%٪]|[%٪]\s?(\d{1,3}(?:\.\d+)?)|(0\.\d+))"#)
});

/// The only option that is ticked, if others are listed with it or crossed out.
pub(super) fn marked(cues: &Cues, text: &str, mentions: &[Mention]) -> Option<Found> {
    let mark = |mention: &Mention| {
        let behind = ahead(text, mention.range.end).split('\n').next().unwrap_or_default();
        if cues.after.no.is_match(behind) || cues.after.yes.is_match(behind) {
            return Some(cues.after.no.is_match(behind));
        }
        Some(MARK_BEFORE.captures(before(text, mention.range.start))?.get(1).is_some())
    };
    let marked: Vec<(&Mention, bool)> = mentions.iter().filter_map(|mention| Some((mention, mark(mention)?))).collect();
    let (ticked, _) = marked.iter().rfind(|(_, crossed)| !crossed)?;
    let one = marked.iter().all(|(mention, crossed)| *crossed || mention.slot == ticked.slot);
    let others = mentions.iter().any(|mention| mention.slot != ticked.slot);
    (one && others && !ticked.conflict).then(|| Found::answer(vec![ticked.slot], "marks", ticked.range.clone()))
}

/// The option with the largest of several weights in percent.
pub(super) fn weighed(text: &str, mentions: &[Mention]) -> Option<Found> {
    let number = |found: regex::Captures| found.iter().skip(1).flatten().next()?.as_str().parse::<f64>().ok();
    let in_front = |mention: &Mention| number(WEIGHT_BEFORE.captures(before(text, mention.range.start))?);
    let behind = |mention: &Mention| number(WEIGHT_BEHIND.captures(ahead(text, mention.range.end))?);
    // Weights are on the same side of all options as of the first.
    let side: &dyn Fn(&Mention) -> Option<f64> =
        if in_front(mentions.first()?).is_some() { &in_front } else { &behind };
    let weights: Vec<(&Mention, f64)> = mentions.iter().filter_map(|mention| Some((mention, side(mention)?))).collect();
    let (heaviest, most) = weights.iter().max_by(|(_, one), (_, other)| one.total_cmp(other))?;
    let slots_with =
        |weight: f64| weights.iter().filter(move |(_, other)| *other == weight).map(|(mention, _)| mention.slot);
    let alone = slots_with(*most).all(|slot| slot == heaviest.slot);
    let several = weights.iter().any(|(mention, _)| mention.slot != heaviest.slot);
    let range = heaviest.range.clone();
    several.then(|| match alone && !heaviest.conflict {
        true => Found::answer(vec![heaviest.slot], "weights", range),
        false => Found::without(Outcome::Ambiguous, "weights", range),
    })
}

/// The only remaining option, if all others are denied.
pub(super) fn left_over(mentions: &[Mention], slots: usize) -> Option<Found> {
    let mut denied = vec![false; slots];
    let mut named = vec![false; slots];
    for mention in mentions.iter().filter(|mention| mention.form != Form::Loose) {
        denied[mention.slot] |= mention.denied;
        named[mention.slot] |= !mention.denied;
    }
    let mut left = (0..slots).filter(|&slot| !denied[slot]);
    let slot = left.next().filter(|_| left.next().is_none())?;
    // An option that is also mentioned without denial is not excluded.
    if slots < 2 || (0..slots).any(|other| denied[other] && named[other]) {
        return None;
    }
    let last = mentions.iter().rfind(|mention| mention.denied)?;
    let own = mentions.iter().rfind(|mention| mention.slot == slot).unwrap_or(last);
    Some(Found::answer(vec![slot], "left-over", own.range.clone()))
}
