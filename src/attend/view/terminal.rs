//! An analysis as text for a terminal, in 256 colours or plain.

use std::collections::HashMap;
use std::fmt::{self, Write};

use super::caption::read_from;
use super::differences::{differences, shift};
use super::{head_analysis_terminal, witness_terminal};
use crate::attend::measure::TokensRead;
use crate::attend::results::{Case, DIFFERENCES_CAVEAT, Document, QueryRecord};
use crate::attend::words::{ChecksRecord, DeletionRecord, EffectRecord};
use crate::counted::counted;
use crate::safe_text::for_terminal;
use crate::table::wrap;

/// Whether escape codes may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// No escape codes: keywords carry their rank in square brackets.
    Plain,
    /// The 256-colour palette.
    Palette256,
}

/// Most words listed in a comparison.
const CONTRAST_WORDS: usize = 8;

/// Background and foreground of the palette for five classes of weight, from dark blue over grey to yellow: lightness
/// rises throughout, so the order is visible without hues.
const CLASSES: [(u8, u8); 5] = [(17, 231), (60, 231), (102, 231), (143, 16), (221, 16)];

/// Every prompt with its story, options, keywords and checks, then the groups.
pub fn terminal(document: &Document, colour: Colour) -> String {
    let mut out = Screen(String::new());
    departures(&mut out, document).expect("writing to a string cannot fail");
    for case in 0..document.cases.len() {
        prompt(&mut out, document, case, colour).expect("writing to a string cannot fail");
    }
    groups(&mut out, document).expect("writing to a string cannot fail");
    witness_terminal::table(&mut out, document).expect("writing to a string cannot fail");
    head_analysis_terminal::findings(&mut out, document).expect("writing to a string cannot fail");
    out.0
}

/// The output. Only [`Screen::paint`] emits escape codes; everything else is plain text, whatever its source.
struct Screen(String);

impl Write for Screen {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.push_str(&for_terminal(text));
        Ok(())
    }
}

impl Screen {
    /// Paints text in colours of the palette.
    fn paint(&mut self, text: &str, (back, front): (u8, u8)) {
        self.0.push_str(&format!("\x1b[48;5;{back}m\x1b[38;5;{front}m{}\x1b[0m", for_terminal(text)));
    }
}

fn departures(out: &mut Screen, document: &Document) -> fmt::Result {
    for line in &document.departures {
        writeln!(out, "Note: {line}")?;
    }
    if document.departures.is_empty() { Ok(()) } else { writeln!(out) }
}

fn prompt(out: &mut Screen, document: &Document, index: usize, colour: Colour) -> fmt::Result {
    let (case, settings) = (&document.cases[index], &document.settings);
    writeln!(out, "{}\n{} | {}", case.heading(), document.models[case.model].name, case.verdict())?;
    for sentence in case.conclusion.iter().flat_map(|conclusion| &conclusion.sentences) {
        writeln!(out, "{}", wrap(sentence.as_str()))?;
    }
    let Some(row) = case.rows.first() else { return writeln!(out) };
    writeln!(out)?;
    story(out, document, case, row, colour)?;
    writeln!(out)?;
    for option in &case.options {
        let chance = option.probability.map_or(String::new(), |probability| format!("{:5.1} %  ", 100.0 * probability));
        let mark = match option.remark() {
            "" => String::new(),
            remark => format!("  <- {remark}"),
        };
        writeln!(out, "  {}  {chance}{}{mark}", option.label, option.text)?;
    }
    writeln!(out, "\n  Keywords seen from {} ({})", row.query, read_from(settings))?;
    let largest = row.ranking.first().map_or(0.0, |word| word.weight);
    for (rank, word) in row.ranking.iter().take(settings.top).enumerate() {
        let cells = if largest > 0.0 { (20.0 * word.weight / largest).round() as usize } else { 0 };
        let times = if word.words.len() > 1 { format!(" x{}", word.words.len()) } else { String::new() };
        writeln!(
            out,
            "  {:>3}  {:>5.1} %  {:<20}  {}{times}",
            rank + 1,
            100.0 * word.weight,
            "#".repeat(cells),
            word.text
        )?;
    }
    writeln!(out)?;
    if row.drops.is_empty() {
        // A kept first token is included in its part's share.
        let sink = (!settings.keywords.keep_sink).then_some(("first token", row.sink));
        let shares = sink.into_iter().chain(merged_parts(case, row));
        let shares: Vec<String> = shares.map(|(name, share)| format!("{name} {:.1} %", 100.0 * share)).collect();
        writeln!(out, "  Of the whole row: {}", shares.join(", "))?;
    }
    if let Some(half_way) = row.half_way {
        writeln!(
            out,
            "  Half of the weight lies in the first {:.0} % of the words; entropy {:.2} bits",
            100.0 * half_way,
            row.entropy_bits
        )?;
    }
    for human in &case.humans {
        write!(out, "  {}: {}", human.reader, human.keywords.join(", "))?;
        if let Some(overlap) = human.overlap {
            write!(out, " | overlap {:.0} %", 100.0 * overlap)?;
        }
        if let Some(chance) = human.overlap_by_chance {
            write!(out, " (by chance {:.0} %)", 100.0 * chance)?;
        }
        if let Some(overlap) = human.rank_biased_overlap {
            write!(out, ", rank-biased {overlap:.2}")?;
        }
        if let Some(chance) = human.rank_biased_overlap_by_chance {
            write!(out, " (by chance {chance:.2})")?;
        }
        writeln!(out)?;
        if !human.missing.is_empty() {
            writeln!(out, "  {} also marked words that are not in scope: {}", human.reader, human.missing.join(", "))?;
        }
        if let Some(words) = &human.read_to_missing {
            writeln!(out, "  {} read up to words that are not in scope: {words}", human.reader)?;
        }
    }
    match &case.deletion {
        Some(check) => deletion(out, "the keywords", check)?,
        None => writeln!(
            out,
            "  Deletion check: not made on this item, so it is unknown whether the choice depends on these words"
        )?,
    }
    for human in &case.humans {
        if let Some(check) = &human.deletion {
            deletion(out, &format!("the words of {}", human.reader), check)?;
        }
    }
    causal(out, case)?;
    witness_terminal::strip(out, case)?;
    head_analysis_terminal::prompt(out, case)?;
    contrasts(out, document, index)?;
    writeln!(out)
}

/// Writes a deletion check of the words named by `whose`.
fn deletion(out: &mut Screen, whose: &str, check: &DeletionRecord) -> fmt::Result {
    writeln!(
        out,
        "  Deletion check of {whose}: {} words, {} occurrences, {:.0} tokens",
        check.words, check.occurrences, check.tokens
    )?;
    writeln!(
        out,
        "    option {}: log-odds {:+.2} nats, label mass {:.1} %; random sets: {:.1} tokens, {:.1} words alike",
        check.option,
        check.log_odds,
        100.0 * check.label_mass,
        check.random_tokens,
        check.shared
    )?;
    let TokensRead { tokens, forwarded } = check.tokens_read;
    if tokens > 0 {
        let shared = 100.0 * (1.0 - forwarded as f64 / tokens as f64).max(0.0);
        writeln!(out, "    {tokens} tokens of prompts, {shared:.0} % shared with other prompts")?;
    }
    effect(out, "without them", "above", &check.without)?;
    effect(out, "with no others", "below", &check.only)
}

fn effect(out: &mut Screen, name: &str, beyond: &str, effect: &EffectRecord) -> fmt::Result {
    writeln!(
        out,
        "    {name:<14}  {} {:.2}{}; random {:.2} to {:.2}, {} of {} flip; p {:.3}",
        if effect.fall < 0.0 { "rise" } else { "fall" },
        effect.fall.abs(),
        if effect.flips { ", flips" } else { "" },
        effect.interval.0,
        effect.interval.1,
        effect.random_flips,
        effect.described,
        effect.p
    )?;
    let ended = if effect.ended_early { ", where it ended" } else { "" };
    writeln!(
        out,
        "{:20}5 % of them fall {beyond} {:.2}; p of {} draws{ended}, at least {:.3}",
        "", effect.rare, effect.counted, effect.smallest_p
    )
}

/// Merges parts of the same name, in order of first appearance.
fn merged_parts<'a>(case: &'a Case, row: &QueryRecord) -> Vec<(&'a str, f64)> {
    let mut merged: Vec<(&str, f64)> = Vec::new();
    for (part, share) in case.parts.iter().zip(&row.parts) {
        match merged.iter_mut().find(|(name, _)| *name == part.name) {
            Some((_, sum)) => *sum += share,
            None => merged.push((&part.name, *share)),
        }
    }
    merged
}

fn story(out: &mut Screen, document: &Document, case: &Case, row: &QueryRecord, colour: Colour) -> fmt::Result {
    let largest = row.weights.iter().copied().fold(0.0, f64::max);
    let mut ranks: HashMap<usize, usize> = HashMap::new();
    for (rank, word) in row.ranking.iter().take(document.settings.top).enumerate() {
        ranks.extend(word.words.iter().map(|&at| (at, rank + 1)));
    }
    let mut last = None;
    for (index, word) in case.words.iter().enumerate() {
        let Some(part) = word.part.filter(|&part| case.parts[part].in_scope) else { continue };
        if last.is_some_and(|last| last != part) && !out.0.ends_with('\n') {
            writeln!(out)?;
        }
        last = Some(part);
        let text = case.word_text(index);
        let strength = if largest > 0.0 { row.weights[index] / largest } else { 0.0 };
        match colour {
            Colour::Palette256 if strength >= 0.05 => {
                out.paint(text, CLASSES[((strength * 5.0) as usize).min(4)]);
            }
            _ => out.write_str(text)?,
        }
        if let (Colour::Plain, Some(rank)) = (colour, ranks.get(&index)) {
            write!(out, "[{rank}]")?;
        }
    }
    Ok(())
}

fn groups(out: &mut Screen, document: &Document) -> fmt::Result {
    for group in &document.groups {
        let half_way = group.half_way.map_or("-".into(), |half_way| format!("{:.0} %", 100.0 * half_way));
        writeln!(
            out,
            "{}: {}, first token {:.1} %, words {:.1} %, entropy {:.2} bits, half-way {half_way}",
            group.name,
            counted(group.items, "prompt"),
            100.0 * group.sink,
            100.0 * group.on_words,
            group.entropy_bits
        )?;
        for recurring in &group.keywords {
            let words = recurring.words.iter().take(12).map(|(word, items, _)| format!("{word} ({items})"));
            let words = words.collect::<Vec<_>>().join(", ");
            match group.keywords.len() {
                1 => writeln!(out, "  {words}")?,
                _ => writeln!(out, "  {}: {words}", recurring.language.name())?,
            }
        }
        if let Some(checks) = &group.deletion {
            checks_of_group(out, checks)?;
        }
        for off in &group.knocked_out {
            let interval = match off.interval {
                Some((low, high)) => format!("95 % {low:+.2} to {high:+.2} over {}", counted(off.stories, "story")),
                None => "one story: no interval".to_string(),
            };
            let (fall, flips, items) = (off.fall, off.flips, off.items);
            writeln!(
                out,
                "  Without {}: log-odds fall {fall:.2} nats ({interval}); {flips} of {items} flip",
                off.parts
            )?;
        }
    }
    let model = |index: Option<usize>| head_analysis_terminal::of_model(document, index);
    for found in &document.differences {
        differences(out, found, &model(found.model))?;
    }
    for found in &document.shifts {
        shift(out, found, &model(found.model))?;
    }
    match document.differences.is_empty() {
        true => Ok(()),
        false => writeln!(out, "  {DIFFERENCES_CAVEAT}"),
    }
}

/// Writes the effects of switching off parts, and the answer position read at every layer.
fn causal(out: &mut Screen, case: &Case) -> fmt::Result {
    for off in &case.knocked_out {
        writeln!(
            out,
            "  Without {}: log-odds {} {:.2} nats{}; label mass {:.1} %",
            off.parts,
            if off.fall < 0.0 { "rise" } else { "fall" },
            off.fall.abs(),
            if off.flips { ", another option is likelier" } else { "" },
            100.0 * off.label_mass
        )?;
    }
    let Some(lens) = &case.lens else { return Ok(()) };
    let of = if lens.first_tokens_only { "first tokens of labels" } else { "labels" };
    writeln!(out, "  Logit lens (probabilities of {of} among themselves, and their mass):")?;
    write!(out, "    after     ")?;
    for option in &case.options {
        write!(out, " {:>6.6}", option.label)?;
    }
    writeln!(out, "    mass")?;
    for (layer, (probabilities, mass)) in lens.probabilities.iter().zip(&lens.label_mass).enumerate() {
        let name = if layer == 0 { "embedding".to_string() } else { format!("layer {}", layer - 1) };
        write!(out, "    {name:<10}")?;
        for probability in probabilities {
            write!(out, " {:>5.1}%", 100.0 * probability)?;
        }
        writeln!(out, "  {:>5.1}%", 100.0 * mass)?;
    }
    Ok(())
}

fn checks_of_group(out: &mut Screen, checks: &ChecksRecord) -> fmt::Result {
    let interval = match checks.difference {
        Some((low, high)) => format!(" (95 % {low:+.2} to {high:+.2} over {} stories)", checks.stories),
        None => " (one story: no interval)".to_string(),
    };
    writeln!(
        out,
        "  Deletion checks: log-odds fall {:.2} nats without keywords, {:.2} without random words,\n    \
         difference {:+.2}{interval};\n    {} of {} with p < 0.05, {:.1} expected by chance; {} flip, of random \
         sets {:.0} %",
        checks.keywords,
        checks.random,
        checks.keywords - checks.random,
        checks.leaning,
        checks.items,
        checks.expected,
        checks.flips,
        100.0 * checks.random_flips
    )
}

/// Writes comparisons whose first side is this prompt: the words that gain and lose most.
fn contrasts(out: &mut Screen, document: &Document, case: usize) -> fmt::Result {
    for contrast in document.contrasts.iter().filter(|contrast| contrast.first.0 == case) {
        let mut differences = contrast.differences.clone();
        differences.sort_by(|one, other| other.2.abs().total_cmp(&one.2.abs()));
        let words = differences.iter().take(CONTRAST_WORDS).filter(|difference| difference.2 != 0.0);
        let words: Vec<String> = words
            .map(|&(word, _, difference)| {
                format!("{} {:+.1}", document.cases[case].word_text(word), 100.0 * difference)
            })
            .collect();
        writeln!(out, "  {}: distance {:.2} of 1; in points: {}", contrast.name, contrast.distance, words.join(", "))?;
        if !contrast.only_first.is_empty() {
            let words: Vec<&str> =
                contrast.only_first.iter().map(|&word| document.cases[case].word_text(word)).collect();
            writeln!(out, "    only in this prompt: {}", words.join(" "))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::examples::document;
    use super::super::examples_head_analysis::differences;
    use super::*;
    use crate::attend::results::{
        ContrastRecord, GroupRecord, LeftOutRecord, RecurringRecord, ShiftRecord, ShiftWordRecord, WithinRecord,
    };
    use crate::attend::words::AblationGroupRecord;
    use crate::language::Language;

    #[test]
    fn plain_text_carries_ranks() {
        insta::assert_snapshot!(terminal(&document(), Colour::Plain));
    }

    #[test]
    fn a_kept_first_token_is_not_counted_twice() {
        let mut document = document();
        assert!(terminal(&document, Colour::Plain).contains("Of the whole row: first token 12.1 %, template"));
        document.settings.keywords.keep_sink = true;
        assert!(terminal(&document, Colour::Plain).contains("Of the whole row: template"));
    }

    #[test]
    fn groups_and_comparisons_are_told() {
        let mut document = document();
        let box_word = document.cases[0].rows[0].ranking[0].words[0];
        document.contrasts.push(ContrastRecord {
            name: "this minus that".into(),
            first: (0, 0),
            second: (0, 0),
            differences: vec![(box_word, box_word, -0.125)],
            only_first: vec![box_word],
            only_second: Vec::new(),
            distance: 0.0625,
        });
        document.groups.push(GroupRecord {
            name: "wrong answers".into(),
            items: 4,
            sink: 0.5,
            on_words: 0.25,
            entropy_bits: 3.0,
            half_way: None,
            overlap: None,
            deletion: Some(ChecksRecord {
                items: 4,
                stories: 3,
                keywords: 0.5,
                random: -0.25,
                difference: Some((-0.5, 2.0)),
                leaning: 1,
                expected: 0.2,
                flips: 2,
                random_flips: 0.125,
            }),
            knocked_out: vec![AblationGroupRecord {
                parts: "heads=1.0,1.1".into(),
                items: 4,
                stories: 3,
                fall: 0.25,
                interval: Some((-0.5, 1.0)),
                flips: 1,
            }],
            keywords: vec![
                RecurringRecord { language: Language::En, words: vec![("box".into(), 3, 0.2)] },
                RecurringRecord { language: Language::Zh, words: vec![("盒子".into(), 1, 0.1)] },
            ],
        });
        document.differences.push(differences());
        let left = LeftOutRecord { stratum: "x, English".into(), items: (3, 0) };
        document.shifts.push(ShiftRecord {
            model: Some(0),
            first: "wrong answers".into(),
            second: "right answers".into(),
            language: Language::En,
            within: WithinRecord { strata: 2, items: (8, 9), stories: (7, 6), left_out: vec![left], reason: None },
            tested: 3,
            significant: 0,
            words: vec![ShiftWordRecord {
                text: "box".into(),
                items: (6, 1),
                difference: 0.5,
                interval: Some((-0.25, 1.0)),
                p: Some(0.02),
                holm: Some(0.06),
            }],
        });
        let text = terminal(&document, Colour::Plain);
        for line in [
            "  this minus that: distance 0.06 of 1; in points: box -12.5",
            "    only in this prompt: box",
            "  Deletion checks: log-odds fall 0.50 nats without keywords, -0.25 without random words,",
            "    difference +0.75 (95 % -0.50 to +2.00 over 3 stories);",
            "  Without heads=1.0,1.1: log-odds fall 0.25 nats (95 % -0.50 to +1.00 over 3 stories); 1 of 4 flip",
            "    1 of 4 with p < 0.05, 0.2 expected by chance; 2 flip, of random sets 12 %",
            "  English: box (3)",
            "  Chinese: 盒子 (1)",
            "wrong answers minus right answers, within strata",
            "  second, nats                   - (4 stories of wrong answers in strata that have both groups; 5 are needed)",
            "  of first of_it: left out, without two stories of each group, 3 and 0 items: x_y, English, 2 options (3 and 0)",
            "Keywords of wrong answers minus right answers, English: 0 of 3 words of five items with p < 0.05 by Holm, within 2 strata (8 \
             and 9 items of 7 and 6 stories)",
            "  box +50 points (6, 1; Holm 0.0600)",
            "  left out, without two stories of each group, 3 and 0 items: x, English (3 and 0)",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
    }

    #[test]
    fn text_of_others_commands_nothing() {
        let mut document = document();
        let escape = "\x1b]0;gone\x07\u{9b}2J\r";
        document.models[0].name.push_str(escape);
        let case = &mut document.cases[0];
        case.item.push_str(escape);
        case.options[0].text.push_str(escape);
        case.options[0].label.push_str(escape);
        case.humans[0].keywords.push(escape.into());
        case.parts[0].name.push_str(escape);
        case.rows[0].ranking[0].text.push_str(escape);
        let word = case.words.iter().position(|word| &case.text[word.start..word.end] == "box").unwrap();
        let (start, end) = (case.words[word].start, case.words[word].end);
        case.text.replace_range(start..end, "\x1b[m");
        let text = terminal(&document, Colour::Plain);
        assert!(!text.chars().any(|character| character.is_control() && character != '\n'), "{text:?}");
        assert_eq!(text.matches("\\u{1b}]0;gone\\u{7}\\u{9b}2J\\u{d}").count(), 8, "{text}");
        let coloured = terminal(&document, Colour::Palette256);
        let ours = coloured.matches("\x1b[48;5;").count();
        assert_eq!(coloured.matches('\x1b').count(), 3 * ours, "only colours command");
    }

    #[test]
    fn colours_follow_the_weight() {
        let text = terminal(&document(), Colour::Palette256);
        assert!(text.contains("\x1b[48;5;221m\x1b[38;5;16mbox\x1b[0m"), "{text}");
        assert!(!text.contains("box["));
    }
}
