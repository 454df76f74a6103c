//! Whether a model can recite a benchmark: the two protocols of XToM's appendix A.4 (Chan et al. 2025).
//!
//! The prompt requests an item of the dataset (after Li and Flanigan 2024), or shows the first half of a story and
//! requests the second (after Golchin and Surdeanu 2024). XToM's authors read every reply; here words are compared, and
//! a reply counts as a match if it contains the whole released text, or if ROUGE-L or the longest common run of words
//! reaches a stated threshold. The prompts are this project's own, in `datasets/probe/prompts.toml`.

use std::collections::{BTreeMap, HashSet};
use std::sync::LazyLock;

use indexmap::IndexMap;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use super::overlap::{Overlap, halves, overlap, words};
use super::score::{After, Drawn, Generates, Most, ProbeError, Question, Skip, SkippedRow, Spoken, answered, skips};
use super::text::{before_options, context};
use crate::benchmark::{Benchmark, Item};
use crate::language::Language;
use crate::name::named;

/// Minimum number of words of a released text: many replies would contain a shorter one.
const FEWEST_WORDS: usize = 8;

/// Token limit of a reply that recites a whole item.
const EXAMPLE_TOKENS: usize = 512;

static PROMPTS: LazyLock<BTreeMap<Language, Prompts>> = LazyLock::new(|| {
    let prompts = toml::from_str(include_str!("../../datasets/probe/prompts.toml"));
    prompts.expect("a test reads `datasets/probe/prompts.toml`")
});

/// The prompts of a language.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Prompts {
    example: String,
    completion: String,
}

/// Kind of text requested from the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, IntoStaticStr, VariantArray)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Protocol {
    /// An item of the dataset.
    Example,
    /// The second half of a story, after its first.
    Completion,
}

named!(Protocol, "protocol");

/// Settings of replies and matches.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Settings {
    /// `recall`: protocols, `example` or `completion`.
    pub protocols: Vec<Protocol>,
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
    /// `recall`: replies.
    pub replies: usize,
    /// Skipped items, by reason.
    pub skipped: IndexMap<String, usize>,
    /// `recall`: replies that match.
    pub matched: usize,
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
    /// The item to complete; for an example, any item of the benchmark and language.
    item: &'a Item,
    trial: usize,
    /// The text that a completion is compared with.
    second: String,
}

/// Probes the model. Examples are compared with every item of `released`; completions are requested for the stories of
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
    let questions: Vec<Question> = asked.iter().map(Asked::question).collect();
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
            let of = if protocol == Protocol::Example { String::new() } else { context(item) };
            let known = PROMPTS.contains_key(&item.language);
            if !seen.insert((item.benchmark, item.language, of)) {
                if protocol == Protocol::Completion {
                    skipped.push(SkippedRow::new(item, Skip::SameStory));
                }
            } else if !known {
                // Once, regardless of the protocols.
                if Some(&protocol) == settings.protocols.last() {
                    skipped.push(SkippedRow::new(item, Skip::NoPrompt));
                }
            } else if protocol == Protocol::Example {
                let one = |trial| Asked { protocol, item, trial, second: String::new() };
                asked.extend((0..settings.trials).map(one));
            } else {
                let text = context(item);
                match halves(&text, item.language) {
                    Some((_, second)) if words(second, item.language).len() >= FEWEST_WORDS => {
                        asked.push(Asked { protocol, item, trial: 0, second: second.to_string() });
                    }
                    _ => skipped.push(SkippedRow::new(item, Skip::TooShort)),
                }
            }
        }
    }
    (asked, skipped)
}

impl Asked<'_> {
    fn question(&self) -> Question {
        let Asked { protocol, item, trial, second } = self;
        let of = if *protocol == Protocol::Example { item.benchmark.name() } else { &item.id };
        Question {
            text: self.text().unwrap_or_default(),
            key: format!("probe/{protocol}/{}/{of}", item.language),
            sample: *trial,
            most: match protocol {
                Protocol::Example => Most::Tokens(EXAMPLE_TOKENS),
                Protocol::Completion => Most::Like(second.clone(), EXAMPLE_TOKENS),
            },
        }
    }

    fn text(&self) -> Option<String> {
        let prompts = PROMPTS.get(&self.item.language)?;
        let title = self.item.benchmark.card().title;
        let text = context(self.item);
        let first = halves(&text, self.item.language).map_or("", |(first, _)| first);
        let pattern = match self.protocol {
            Protocol::Example => &prompts.example,
            Protocol::Completion => &prompts.completion,
        };
        Some(pattern.replace("{dataset}", &title).replace("{first}", first))
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
    let examples = asked.iter().any(|asked| asked.protocol == Protocol::Example);
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
            Protocol::Example => {
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
            trial: asked.trial,
            reply: reply.text.clone(),
            cut: reply.cut,
            released: compared,
            matched: matches(&overlap),
            overlap,
        }
    };
    let rows: Vec<RecallRow> = asked.par_iter().zip(replies).map(row).collect();
    let mut by_group: IndexMap<(Protocol, Benchmark, Language), Vec<&RecallRow>> = IndexMap::new();
    for row in &rows {
        by_group.entry((row.protocol, row.benchmark, row.language)).or_default().push(row);
    }
    let group = |((protocol, benchmark, language), rows): ((Protocol, Benchmark, Language), Vec<&RecallRow>)| {
        let here = skipped.iter().filter(|row| row.benchmark == benchmark && row.language == language);
        let most = |value: fn(&Overlap) -> f64| rows.iter().map(|row| value(&row.overlap)).fold(0.0, f64::max);
        Group {
            benchmark,
            language,
            protocol,
            replies: rows.len(),
            skipped: if protocol == Protocol::Completion { skips(here) } else { IndexMap::new() },
            matched: rows.iter().filter(|row| row.matched).count(),
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
        Settings { protocols: Protocol::ALL.to_vec(), trials: 2, temperature: 1.0, rouge_l: 0.75, run: 0.5, seed: 1 }
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
    fn every_language_has_both_prompts() {
        for language in Language::ALL {
            let Prompts { example, completion } = &PROMPTS[&language];
            assert!(example.contains("{dataset}") && !example.contains("{first}"), "{language}");
            assert!(completion.contains("{dataset}") && completion.ends_with("\n\n{first}"), "{language}");
        }
        assert_eq!(PROMPTS.len(), Language::ALL.len());
    }

    #[test]
    fn recited_texts_are_matches_and_made_up_ones_are_not() {
        for language in [Language::En, Language::Zh] {
            let items = demo(language);
            let recited = judged(&items, |asked| match asked.protocol {
                Protocol::Example => format!("Sure!\n\n{}", before_options(&items[3])),
                Protocol::Completion => asked.second.clone(),
            });
            for group in &recited.groups {
                assert_eq!((group.matched, group.exact), (group.replies, group.replies), "{group:?}");
            }
            assert_eq!(recited.rows[0].id, items[3].id);
            assert_eq!(recited.groups[0].replies, 2, "as many examples as trials");
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
        let last = asked.last().unwrap();
        let question = last.question().text;
        assert!(!question.contains(&last.second) && !question.contains('{'), "{question}");
        assert!(!question.is_empty());
    }
}
