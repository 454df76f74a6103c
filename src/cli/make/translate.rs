//! `tomeval make translate`.

use std::path::{Path, PathBuf};

use anyhow::Context;
use indexmap::IndexMap;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::Outcome;
use super::checked::{against, summary, tell};
use super::work::{Work, note_stop, read_given};
use super::writers::{WriterArgs, Writers};
use crate::arguments::setup::{ChoiceArgs, DataArgs};
use crate::benchmark::{Item, ItemLine};
use crate::cli::annotate::source::items;
use crate::counted::counted;
use crate::language::Language;
use crate::make::check::{Checker, Made as CheckedTexts, past_narration};
use crate::make::flag::{Check, Flag};
use crate::make::set::{ITEMS, Made, MadeUnit, UNITS, gold_of, made_id, unit_lines};
use crate::make::texts::{Part, Texts};
use crate::make::translate::{Kind, Review, Translated, Translation, Unit, Wording};
use crate::make::{ChrF, MakeManifest};
use crate::terminal::{say, shell};

/// Arguments of `tomeval make translate`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = crate::cli::EXIT_CODES)]
pub struct Args {
    #[command(flatten)]
    data: DataArgs,
    #[command(flatten)]
    choice: ChoiceArgs,
    /// Language to translate into.
    #[arg(long, value_name = "CODE", help_heading = "Models")]
    to: Language,
    /// Model that translates: as --model of `tomeval run`, a local one or openai:URL#NAME.
    #[arg(long, value_name = "MODEL", help_heading = "Models")]
    translator: String,
    /// Second model that translates, on its own, as in XToM: people see both translations and choose [default: none].
    #[arg(long, value_name = "MODEL", help_heading = "Models")]
    second_translator: Option<String>,
    /// Model that reviews each translation: it says okay, or gives feedback [default: the translator].
    #[arg(long, value_name = "MODEL", help_heading = "Models")]
    reviewer: Option<String>,
    /// Model that carries out feedback, once [default: the translator].
    #[arg(long, value_name = "MODEL", help_heading = "Models")]
    refiner: Option<String>,
    /// Model that translates back, for a comparison with the source; should be another one than the translator
    /// [default: none].
    #[arg(long, value_name = "MODEL", help_heading = "Models")]
    back_translator: Option<String>,
    /// Ask nobody for a review.
    #[arg(long, conflicts_with_all = ["reviewer", "refiner"], help_heading = "Models")]
    no_review: bool,
    /// Take the prompts from this file instead of the project's own.
    #[arg(long, value_name = "FILE", help_heading = "Prompts")]
    prompts: Option<PathBuf>,
    /// Which prompts of the file: own, multi-tom (as printed), multi-tom-released (its repository's, which forbid the
    /// cultural changes that the print asks for) or tombench (one call, no review).
    #[arg(long, value_name = "NAME", default_value = "own", help_heading = "Prompts")]
    wording: String,
    /// File of fixed translations, one `term = "translation"` a line (TOML): shown to the models and checked.
    #[arg(long, value_name = "FILE", help_heading = "Prompts")]
    terms: Option<PathBuf>,
    /// Compare with translations of the same items by chrF: a file of items, or `released` for the benchmark's own.
    #[arg(long, value_name = "FILE|released", help_heading = "Output")]
    against: Option<String>,
    /// Folder for replies, items and findings; continues there after a stop.
    #[arg(long, short, value_name = "DIR", help_heading = "Output")]
    out: PathBuf,
    #[command(flatten)]
    writers: WriterArgs,
}

impl Args {
    fn reviewer(&self, wording: &Wording) -> Option<&str> {
        let reviewer = self.reviewer.as_deref().unwrap_or(&self.translator);
        (!self.no_review && wording.has(Kind::Review)).then_some(reviewer)
    }

    fn refiner(&self) -> &str {
        self.refiner.as_deref().unwrap_or(&self.translator)
    }
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let wording = read_wording(args.prompts.as_deref(), &args.wording)?;
    anyhow::ensure!(
        wording.has(Kind::Review) || (args.reviewer.is_none() && args.refiner.is_none()),
        "--wording {} has no prompt for a review; leave out --reviewer and --refiner",
        args.wording
    );
    let terms = args.terms.as_deref().map(read_terms).transpose()?.unwrap_or_default();
    let items = items(&args.data, &args.choice, None)?.items;
    let source = only_language(&items)?;
    anyhow::ensure!(source != args.to, "the items are in {} already; name another language with --to", source.name());
    let reference = args.against.as_deref().map(|given| against(given, &args.data, args.to)).transpose()?;
    let units = Unit::of(&items, wording.takes_stories());
    let reviewer = args.reviewer(&wording);
    let second = args.second_translator.as_deref();
    let mut roles = vec![("translator", args.translator.as_str())];
    roles.extend(second.map(|model| ("second-translator", model)));
    roles.extend(reviewer.map(|reviewer| ("reviewer", reviewer)));
    roles.extend(reviewer.map(|_| ("refiner", args.refiner())));
    roles.extend(args.back_translator.as_deref().map(|model| ("back-translator", model)));
    let names: Vec<&str> = roles.iter().map(|(_, name)| *name).collect();
    let mut writers = Writers::open(&args.writers, &names, args.data.limit.seed)?;
    let models = writers.identities(&roles)?;
    anyhow::ensure!(
        second.is_none() || models["second-translator"] != models["translator"],
        "--second-translator is the translator by its name and settings, so that its replies would be the same; name another model"
    );
    let back_translation = match models.get("back-translator") {
        None => "none",
        Some(model) if *model == models["translator"] => "by the translator",
        Some(_) => "by another model",
    };
    if back_translation == "by the translator" {
        eprintln!("note: the translator translates back itself; another --back-translator sees more");
    }
    let (file, sha256) = wording.file();
    let settings = [
        ("from", json!(source)),
        ("to", json!(args.to)),
        ("items", of_items(&items)?),
        ("models", models),
        ("prompts", json!({"file": file, "sha256": sha256, "wording": args.wording})),
        ("most_tokens", json!(args.writers.max_new_tokens)),
        ("terms", json!(terms)),
    ];
    let mut work = Work::open(&args.out, &MakeManifest::new("translate", settings), writers)?;
    let translation = Translation {
        source,
        target: args.to,
        wording: &wording,
        terms: &terms,
        translator: &args.translator,
        second_translator: second,
        reviewer,
        refiner: args.refiner(),
        back_translator: args.back_translator.as_deref(),
        most_tokens: args.writers.max_new_tokens,
    };
    say(format!(
        "{} in {} from {} into {}",
        counted(items.len(), "item"),
        counted(units.len(), "request"),
        source.name(),
        args.to.name()
    ));
    let made = match translation.run(&units, &mut |model, requests| work.ask(model, requests)) {
        Ok(made) => made,
        Err(error) => return note_stop(error, &work),
    };
    let mut made = with_checks(&items, &units, made, (source, args.to), &terms);
    if args.wording == "tombench" && args.to == Language::En {
        // Its prompt asks for the present tense.
        made.iter_mut().for_each(|made| made.flags.extend(made.texts.as_ref().and_then(past_narration)));
    }
    for made in &mut made {
        let (Some(texts), Some(second)) = (&made.texts, &made.second) else { continue };
        let message = "the second translator wrote this";
        let note = |(part, text): (Part, &str)| Flag::new(Check::Translators, part, text, message);
        made.flags.extend(texts.differing(second).into_iter().map(note));
    }
    let set = Made { pipeline: "translate", language: args.to, prompts: (file, sha256), back_translation, facets: &[] };
    let lines = set.items(&items, &units, &made)?;
    let mut scores = Scores::default();
    let records: Vec<MadeUnit> = units
        .iter()
        .zip(&made)
        .map(|(unit, made)| record(unit, made, &items, (source, args.to), reference.as_ref(), &mut scores))
        .collect();
    let counts = work
        .finish(&[(ITEMS, lines.iter().map(|line| format!("{line}\n")).collect()), (UNITS, unit_lines(&records)?)])?;
    report(&args, &records, (lines.len(), items.len()), counts, &scores)?;
    // Where two translators differ, people must choose.
    let needs_nobody = |flag: &Flag| flag.is_note() && flag.check != Check::Translators;
    Ok(if records.iter().flat_map(|record| &record.flags).all(needs_nobody) {
        Outcome::Done
    } else {
        Outcome::Incomplete
    })
}

/// Reads the prompts of a file, or the project's own.
pub fn read_wording(file: Option<&Path>, name: &str) -> anyhow::Result<Wording> {
    match file.map(|file| read_given("--prompts", file)).transpose()? {
        Some((file, text)) => Ok(Wording::new(name, Some((&file, &text)))?),
        None => Wording::new(name, None).with_context(|| format!("--wording {name} without --prompts FILE")),
    }
}

/// Reads fixed translations.
pub fn read_terms(path: &Path) -> anyhow::Result<IndexMap<String, String>> {
    let (_, text) = read_given("--terms", path)?;
    let terms: IndexMap<String, String> =
        toml::from_str(&text).with_context(|| format!("--terms {}", path.display()))?;
    let empty = terms.iter().find(|(term, rendered)| term.trim().is_empty() || rendered.trim().is_empty());
    anyhow::ensure!(empty.is_none(), "--terms {}: a term or its translation is empty", path.display());
    Ok(terms)
}

/// Returns the language of all items.
pub fn only_language(items: &[Item]) -> anyhow::Result<Language> {
    let first = items.first().map(|item| item.language).context("there are no items to translate")?;
    match items.iter().find(|item| item.language != first) {
        Some(other) => {
            anyhow::bail!(
                "the items are in {first} and {}; name the language to translate from with --language",
                other.language
            )
        }
        None => Ok(first),
    }
}

/// What a manifest says of the source items.
pub fn of_items(items: &[Item]) -> anyhow::Result<Value> {
    let mut sum = Sha256::new();
    for line in ItemLine::whole(items) {
        sum.update(serde_json::to_string(&line)?);
        sum.update("\n");
    }
    Ok(json!({"count": items.len(), "sha256": hex::encode(sum.finalize())}))
}

/// Adds the findings of the checks.
pub fn with_checks(
    items: &[Item],
    units: &[Unit],
    mut made: Vec<Translated>,
    (from, to): (Language, Language),
    terms: &IndexMap<String, String>,
) -> Vec<Translated> {
    let flags: Vec<_> = {
        let pairs: Vec<(&Texts, &Texts)> =
            units.iter().zip(&made).filter_map(|(unit, made)| Some((&unit.source, made.texts.as_ref()?))).collect();
        let checker = Checker::new(from, to, &pairs, terms);
        let check = |(unit, made): (&Unit, &Translated)| {
            let Some(target) = &made.texts else { return Vec::new() };
            let gold: Vec<Option<usize>> = unit.items.iter().map(|&item| gold_of(&items[item])).collect();
            checker.check(&CheckedTexts { source: &unit.source, target, back: made.back.as_ref(), gold: &gold })
        };
        units.iter().zip(&made).map(check).collect()
    };
    for (made, flags) in made.iter_mut().zip(flags) {
        made.flags.extend(flags);
    }
    made
}

fn record(
    unit: &Unit,
    made: &Translated,
    items: &[Item],
    (from, to): (Language, Language),
    reference: Option<&IndexMap<String, Item>>,
    scores: &mut Scores,
) -> MadeUnit {
    let reference = reference.and_then(|known| {
        let of_item = |&number: &usize| known.get(made_id(&items[number])).cloned();
        let found: Vec<Item> = unit.items.iter().map(of_item).collect::<Option<_>>()?;
        let same_story: Vec<Item> =
            found.iter().map(|item| Item { context: found[0].context.clone(), ..item.clone() }).collect();
        Unit::of(
            &same_story.iter().map(|item| Item { story: unit.id.clone(), ..item.clone() }).collect::<Vec<_>>(),
            true,
        )
        .pop()
    });
    let texts = made.texts.as_ref();
    let stayed = made.flags.iter().any(|flag| matches!(flag.check, Check::Language | Check::Untranslated));
    scores.stayed += usize::from(stayed && made.back.is_some());
    let back = made.back.as_ref().filter(|_| !stayed);
    MadeUnit {
        chrf_second: texts.zip(made.second.as_ref()).map(|(texts, second)| scores.second.add(second, texts)),
        chrf_back: back.map(|back| scores.back.add(back, &unit.source)),
        chrf_against: texts.zip(reference).map(|(texts, reference)| scores.against.add(texts, &reference.source)),
        ..MadeUnit::new(unit, made, items, (from, to))
    }
}

/// chrF of a set: of back-translations against the source, of second translations against the first, and of translations
/// against others.
#[derive(Default)]
struct Scores {
    back: Score,
    second: Score,
    against: Score,
    /// Texts without a score of their back-translation, for they are not in the language: a copy comes back unchanged.
    stayed: usize,
}

/// chrF of several texts.
#[derive(Default)]
struct Score {
    all: ChrF,
    texts: usize,
}

impl Score {
    /// Returns the score of a text, and adds it to that of all.
    fn add(&mut self, texts: &Texts, reference: &Texts) -> f64 {
        let found = ChrF::new(&texts.joined(), &reference.joined());
        self.all.add(&found);
        self.texts += 1;
        found.score()
    }
}

fn report(
    args: &Args,
    records: &[MadeUnit],
    (made, items): (usize, usize),
    (fresh, needed): (usize, usize),
    scores: &Scores,
) -> anyhow::Result<()> {
    let out = args.out.display();
    let count = |of: &dyn Fn(&MadeUnit) -> bool| records.iter().filter(|record| of(record)).count();
    let okay = count(&|record| record.review == Some(Review::Okay));
    let feedback = count(&|record| matches!(record.review, Some(Review::Feedback(_))));
    let refined = count(&|record| record.first.is_some());
    tell(format!(
        "{} of {} made; {} needed, {fresh} of them written now.",
        made,
        counted(items, "item"),
        counted(needed, "reply")
    ))?;
    if records.iter().any(|record| record.review.is_some()) {
        tell(format!(
            "Reviews: {okay} okay, {feedback} with feedback, of which {refined} carried out; {} neither.",
            count(&|record| matches!(record.review, Some(Review::Unclear(_))))
        ))?;
    }
    let told = [
        ("of the second translations against the first", &scores.second),
        ("of back-translations against the source", &scores.back),
        ("against the named translations", &scores.against),
    ];
    for (what, score) in told.into_iter().filter(|(_, score)| score.texts > 0) {
        tell(format!("chrF {what}: {:.1} over {}.", score.all.score(), counted(score.texts, "text")))?;
    }
    if scores.stayed > 0 {
        tell(format!(
            "{} left out of the chrF of back-translations: stretches of the source that were not translated come back unchanged.",
            counted(scores.stayed, "text")
        ))?;
    }
    if args.back_translator.is_none() {
        tell("Nothing was translated back, and the items say so; --back-translator MODEL does it.")?;
    }
    let findings = records.iter().flat_map(|record| record.flags.iter().map(|flag| (record.id.as_str(), flag)));
    tell(summary(&findings.collect::<Vec<_>>()))?;
    tell(format!(
        "Items are in {out}/{ITEMS}, every step of every unit in {out}/{UNITS}, replies in {out}/replies.jsonl."
    ))?;
    if made > 0 {
        let [items, units] = [ITEMS, UNITS].map(|name| shell::path(&args.out.join(name)));
        tell(format!(
            "Next, have people correct them:\n  tomeval annotate judge --scheme xtom-mqm --made {units} --out page.html\nand \
             run a model on them:\n  tomeval run --data {items} -m MODEL"
        ))?;
    }
    Ok(())
}
