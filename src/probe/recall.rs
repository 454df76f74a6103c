//! Whether a model can recite a benchmark: the protocols of XToM's appendix A.4 (Chan et al. 2025).
//!
//! The prompt requests an item of the dataset (after Li and Flanigan 2024), or shows the first half of a story and
//! requests the second (after Golchin and Surdeanu 2024). XToM's authors read every reply; here words are compared, and
//! a reply counts as a match if it contains the whole released text, or if ROUGE-L or the longest common run of words
//! reaches a stated threshold. A third protocol asks for the classic tests of false belief, as ToMBench's appendix A
//! (Chen et al. 2024) does; their replies too are compared with the released items.

use std::collections::HashSet;

use indexmap::IndexMap;
use rayon::prelude::*;
use serde::Serialize;

use super::overlap::{Overlap, halves, overlap, words};
use super::prompts::{ClassicTest, Prompts, Protocol};
use super::score::{After, Drawn, Generates, Most, ProbeError, Question, Skip, SkippedRow, Spoken, answered, skips};
use super::text::{before_options, context};
use crate::benchmark::{Benchmark, Item};
use crate::language::Language;
use crate::stats::wilson;

/// Minimum number of words of a released text: many replies would contain a shorter one.
const FEWEST_WORDS: usize = 8;

/// Token limit of a reply that recites a whole item.
const EXAMPLE_TOKENS: usize = 512;

/// Settings of replies and matches.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Settings {
    /// `recall`: protocols, `example`, `completion` or `classic`.
    pub protocols: Vec<Protocol>,
    /// `recall`: what the prompts come from, as their file says, with its SHA-256; null for the built-in ones.
    pub wording: Option<String>,
    #[serde(skip)]
    pub prompts: Prompts,
    /// `recall`: number of examples requested in each language.
    pub trials: usize,
    /// `recall`: temperature of the replies; 0 is greedy decoding.
    pub temperature: f64,
    /// `recall`: minimum ROUGE-L of a match.
    pub rouge_l: f64,
    /// `recall`: minimum share of the released words in one run of a match.
    pub run: f64,
    /// Seed of all draws.
    pub seed: u64,
}

/// A reply and its overlap with released text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RecallRow {
    /// The item completed; for an example, the item most similar to the reply by ROUGE-L.
    pub id: String,
    pub benchmark: Benchmark,
    pub language: Language,
    /// Protocol of the question.
    pub protocol: Protocol,
    /// The classic test that it asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<ClassicTest>,
    /// The number of the reply to this question, from 0.
    pub trial: usize,
    /// The model's reply.
    pub reply: String,
    /// Whether the length limit ended the reply.
    pub cut: bool,
    /// Released text that it is compared with.
    pub released: String,
    /// Their overlap; for an example, the highest values over all items.
    #[serde(flatten)]
    pub overlap: Overlap,
    /// Whether it counts as a match.
    pub matched: bool,
}

/// Results for a benchmark in a language.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Group {
    pub benchmark: Benchmark,
    pub language: Language,
    /// `recall`: the protocol.
    pub protocol: Protocol,
    /// `recall`: the classic test asked for; absent for other protocols.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<ClassicTest>,
    /// `recall`: replies.
    pub replies: usize,
    /// Skipped items, by reason.
    pub skipped: IndexMap<String, usize>,
    /// `recall`: replies that match.
    pub matched: usize,
    /// `recall`: their share in percent.
    pub share: f64,
    /// `recall`: its 95 % interval (Wilson), with all replies independent.
    pub interval: Option<(f64, f64)>,
    /// `recall`: replies that contain the whole released text.
    pub exact: usize,
    /// `recall`: mean ROUGE-L.
    pub rouge_l: f64,
    /// `recall`: the highest ROUGE-L.
    pub rouge_l_most: f64,
    /// `recall`: the highest share of released words in one run.
    pub run_most: f64,
}

/// All results.
#[derive(Debug, Clone, PartialEq)]
pub struct Recall {
    /// By protocol, benchmark and language.
    pub groups: Vec<Group>,
    /// Every reply, in the order of the groups.
    pub rows: Vec<RecallRow>,
    /// Skipped items.
    pub skipped: Vec<SkippedRow>,
}

/// One question to the model.
struct Asked<'a> {
    protocol: Protocol,
    test: Option<ClassicTest>,
    /// The item to complete; otherwise any item of the benchmark and language.
    item: &'a Item,
    trial: usize,
    /// The text that a completion is compared with.
    second: String,
}

/// Probes the model. Examples, also of classic tests, are compared with every item of `released`; completions are requested for the stories of
/// `items`. `after` receives the number of replies written and the total.
///
/// # Errors
/// No questions, and errors of the generator.
pub fn probe(
    model: &dyn Generates,
    items: &[Item],
    released: &[Item],
    settings: &Settings,
    after: After<'_>,
) -> Result<Recall, ProbeError> {
    let (asked, mut skipped) = asked(items, settings);
    let questions: Vec<Question> = asked.iter().map(|asked| asked.question(&settings.prompts)).collect();
    let drawn = Drawn { temperature: settings.temperature, seed: settings.seed };
    let found = model.replies(&questions, drawn, after)?;
    let (asked, replies) = answered(asked, found, |asked| asked.item, &mut skipped)?;
    if asked.is_empty() {
        return Err(ProbeError::Nothing(skips(&skipped)));
    }
    Ok(judge(&asked, &replies, released, skipped, settings))
}

fn asked<'a>(items: &'a [Item], settings: &Settings) -> (Vec<Asked<'a>>, Vec<SkippedRow>) {
    let (mut asked, mut skipped) = (Vec::new(), Vec::new());
    for &protocol in &settings.protocols {
        let mut seen: HashSet<(Benchmark, Language, String)> = HashSet::new();
        for item in items {
            let of = if protocol == Protocol::Completion { context(item) } else { String::new() };
            let known = settings.prompts.asks(protocol, item.language);
            if !seen.insert((item.benchmark, item.language, of)) {
                if protocol == Protocol::Completion {
                    skipped.push(SkippedRow::new(item, Skip::SameStory));
                }
            } else if !known {
                // Once, regardless of the protocols.
                if Some(&protocol) == settings.protocols.last() {
                    skipped.push(SkippedRow::new(item, Skip::NoPrompt));
                }
            } else if protocol != Protocol::Completion {
                let tests: &[_] = if protocol == Protocol::Classic { &ClassicTest::ALL.map(Some) } else { &[None] };
                for &test in tests {
                    let one = |trial| Asked { protocol, test, item, trial, second: String::new() };
                    asked.extend((0..settings.trials).map(one));
                }
            } else {
                let text = context(item);
                match halves(&text, item.language) {
                    Some((_, second)) if words(second, item.language).len() >= FEWEST_WORDS => {
                        asked.push(Asked { protocol, test: None, item, trial: 0, second: second.to_string() });
                    }
                    _ => skipped.push(SkippedRow::new(item, Skip::TooShort)),
                }
            }
        }
    }
    (asked, skipped)
}

impl Asked<'_> {
    fn question(&self, prompts: &Prompts) -> Question {
        let Asked { protocol, test, item, trial, second } = self;
        let of = match (protocol, test) {
            (Protocol::Completion, _) => &item.id,
            (_, Some(test)) => test.name(),
            _ => item.benchmark.name(),
        };
        let text = context(item);
        let first = halves(&text, item.language).map_or("", |(first, _)| first);
        Question {
            text: prompts.text(*protocol, *test, item, first).unwrap_or_default(),
            key: format!("probe/{protocol}/{}/{of}", item.language),
            sample: *trial,
            most: match protocol {
                Protocol::Example | Protocol::Classic => Most::Tokens(EXAMPLE_TOKENS),
                Protocol::Completion => Most::Like(second.clone(), EXAMPLE_TOKENS),
            },
        }
    }
}

/// Computes the results from replies, one per question.
fn judge(
    asked: &[Asked<'_>],
    replies: &[Spoken],
    released: &[Item],
    skipped: Vec<SkippedRow>,
    settings: &Settings,
) -> Recall {
    let matches =
        |overlap: &Overlap| overlap.exact || overlap.rouge_l >= settings.rouge_l || overlap.run_share >= settings.run;
    let examples = asked.iter().any(|asked| asked.protocol != Protocol::Completion);
    let known: Vec<(&Item, Vec<String>)> = match examples {
        true => released.par_iter().map(|item| (item, words(&before_options(item), item.language))).collect(),
        false => Vec::new(),
    };
    let row = |(asked, reply): (&Asked<'_>, &Spoken)| {
        let item = asked.item;
        let written = words(&reply.text, item.language);
        let (like, compared, overlap) = match asked.protocol {
            Protocol::Completion => {
                (item, asked.second.clone(), overlap(&written, &words(&asked.second, item.language)))
            }
            Protocol::Example | Protocol::Classic => {
                let (like, most) = most_like(&written, item, &known);
                (like, before_options(like).trim_end().to_string(), most)
            }
        };
        let overlap = overlap.unwrap_or(Overlap { exact: false, rouge_l: 0.0, run: 0, run_share: 0.0 });
        RecallRow {
            id: like.id.clone(),
            benchmark: item.benchmark,
            language: item.language,
            protocol: asked.protocol,
            test: asked.test,
            trial: asked.trial,
            reply: reply.text.clone(),
            cut: reply.cut,
            released: compared,
            matched: matches(&overlap),
            overlap,
        }
    };
    let rows: Vec<RecallRow> = asked.par_iter().zip(replies).map(row).collect();
    type Of = (Protocol, Option<ClassicTest>, Benchmark, Language);
    let mut by_group: IndexMap<Of, Vec<&RecallRow>> = IndexMap::new();
    for row in &rows {
        by_group.entry((row.protocol, row.test, row.benchmark, row.language)).or_default().push(row);
    }
    let group = |((protocol, test, benchmark, language), rows): (Of, Vec<&RecallRow>)| {
        let matched = rows.iter().filter(|row| row.matched).count();
        let here = skipped.iter().filter(|row| row.benchmark == benchmark && row.language == language);
        let most = |value: fn(&Overlap) -> f64| rows.iter().map(|row| value(&row.overlap)).fold(0.0, f64::max);
        Group {
            benchmark,
            language,
            protocol,
            test,
            replies: rows.len(),
            skipped: if protocol == Protocol::Completion { skips(here) } else { IndexMap::new() },
            matched,
            share: matched as f64 / rows.len() as f64 * 100.0,
            interval: wilson(matched, rows.len()).map(|(low, high)| (low * 100.0, high * 100.0)),
            exact: rows.iter().filter(|row| row.overlap.exact).count(),
            rouge_l: rows.iter().map(|row| row.overlap.rouge_l).sum::<f64>() / rows.len() as f64,
            rouge_l_most: most(|overlap| overlap.rouge_l),
            run_most: most(|overlap| overlap.run_share),
        }
    };
    let groups = by_group.into_iter().map(group).collect();
    Recall { groups, rows, skipped }
}

/// The released item most similar to a reply by ROUGE-L, and the highest values over all items of its benchmark and
/// language.
fn most_like<'a>(
    written: &[String],
    asked: &'a Item,
    known: &[(&'a Item, Vec<String>)],
) -> (&'a Item, Option<Overlap>) {
    let of_asked = |item: &Item| item.benchmark == asked.benchmark && item.language == asked.language;
    let mut best: (&Item, Option<Overlap>) = (asked, None);
    for (item, words) in known.iter().filter(|(item, words)| of_asked(item) && words.len() >= FEWEST_WORDS) {
        let Some(found) = overlap(written, words) else { continue };
        let most = best.1.get_or_insert(Overlap { rouge_l: -1.0, ..found });
        if found.rouge_l > most.rouge_l {
            (best.0, most.rouge_l) = (item, found.rouge_l);
        }
        most.exact |= found.exact;
        most.run = most.run.max(found.run);
        most.run_share = most.run_share.max(found.run_share);
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::LoadOptions;

    fn settings() -> Settings {
        Settings {
            protocols: Protocol::ALL.to_vec(),
            wording: None,
            prompts: Prompts::built_in(),
            trials: 2,
            temperature: 1.0,
            rouge_l: 0.75,
            run: 0.5,
            seed: 1,
        }
    }

    fn demo(language: Language) -> Vec<Item> {
        let options = LoadOptions { languages: vec![language], ..LoadOptions::default() };
        Benchmark::Demo.load(std::path::Path::new(""), &options).unwrap().items
    }

    /// The results of replies that `write` makes from each question.
    fn judged(items: &[Item], write: impl Fn(&Asked<'_>) -> String) -> Recall {
        let (asked, skipped) = asked(items, &settings());
        let replies: Vec<Spoken> = asked.iter().map(|asked| Spoken { text: write(asked), cut: false }).collect();
        judge(&asked, &replies, items, skipped, &settings())
    }

    #[test]
    fn recited_texts_are_matches_and_made_up_ones_are_not() {
        for language in [Language::En, Language::Zh] {
            let items = demo(language);
            let recited = judged(&items, |asked| match asked.protocol {
                Protocol::Example | Protocol::Classic => format!("Sure!\n\n{}", before_options(&items[3])),
                Protocol::Completion => asked.second.clone(),
            });
            for group in &recited.groups {
                assert_eq!((group.matched, group.exact), (group.replies, group.replies), "{group:?}");
            }
            assert_eq!(recited.rows[0].id, items[3].id);
            assert_eq!(recited.groups[0].replies, 2, "as many examples as trials");
            assert_eq!((recited.groups[0].share, recited.groups[0].interval.unwrap().1), (100.0, 100.0));
            let classic: Vec<_> = recited.groups.iter().filter_map(|group| group.test).collect();
            assert_eq!(classic, ClassicTest::ALL);
            let invented = match language {
                Language::Zh => "从前有一位国王，他有三个女儿，住在遥远的山谷里。",
                _ => "Once upon a time a king with three daughters lived in a far valley.",
            };
            let made_up = judged(&items, |_| invented.to_string());
            assert!(made_up.groups.iter().all(|group| group.matched == 0), "{:?}", made_up.groups);
        }
    }

    #[test]
    fn each_story_is_completed_once_and_the_rest_counted() {
        let items = demo(Language::En);
        let stories: HashSet<String> = items.iter().map(context).collect();
        let found = judged(&items, |_| "nothing".to_string());
        let completions = &found.groups[1];
        assert_eq!(completions.protocol, Protocol::Completion);
        assert_eq!(completions.replies + completions.skipped.values().sum::<usize>(), items.len());
        assert!(completions.replies <= stories.len());
        let (asked, _) = asked(&items, &settings());
        let last = asked.iter().rfind(|asked| asked.protocol == Protocol::Completion).unwrap();
        let question = last.question(&Prompts::built_in()).text;
        assert!(!question.contains(&last.second) && !question.contains('{'), "{question}");
        assert!(!question.is_empty());
    }
}
