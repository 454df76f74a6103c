//! The analysis itself: each prompt read, its rows reduced, its checks made.

use anyhow::Context;
use icu_segmenter::SentenceSegmenter;
use icu_segmenter::options::SentenceBreakInvariantOptions;

use tomeval::answer::softmax;
use tomeval::attend::analyse::{self, Evidence, RowOptions};
use tomeval::attend::deletion::{DeletionPlan, deletion, occlusion};
use tomeval::attend::document::{
    Case, ContrastRecord, Document, FORMAT, ModelRecord, OptionRecord, Row, Settings, WordMass,
};
use tomeval::attend::keywords::{self, Ranking};
use tomeval::attend::survey::{Checked, Finding, survey};
use tomeval::attend::view;
use tomeval::attend::{Capture, HumanKeywords, Observer, Reading, Shown, Weighting};
use tomeval::benchmark::{Answer, Item};
use tomeval::decoder::Decoder;
use tomeval::prompt::{Ask, Order, SlotIx, Style, asks};

use super::select::Selection;
use super::{Args, Contrast, MeasureArg, Query, SCORING, Stretch};
use crate::cli::progress::PromptProgress;
use crate::cli::setup::LoadedModel;

/// Recurring keywords kept of each group, and shifts in each direction.
const GROUP_WORDS: usize = 20;
const SHIFT_WORDS: usize = 8;

/// A finished analysis.
pub struct Analysis {
    /// What the views show.
    pub document: Document,
    /// Captured rows of each case, where a file is to be made of them: query name and weights.
    pub captures: Vec<Vec<(String, Capture)>>,
    /// Prompts that could not be analysed, with the reason.
    pub failures: Vec<(String, String)>,
}

/// One prompt, read.
struct Read {
    case: Case,
    /// Whether it is there only to be compared with another one.
    second: bool,
    reading: Reading,
    rankings: Vec<Ranking>,
    captures: Vec<(String, Capture)>,
}

/// Analyse the selection, with the second model of `--contrast model=` after the first.
pub fn analyse(
    args: &Args,
    selection: &Selection,
    human: &HumanKeywords,
    model: LoadedModel,
) -> anyhow::Result<Analysis> {
    announce(args, selection);
    let mut analysis = Analysis { document: empty_document(args), captures: Vec::new(), failures: Vec::new() };
    let mut reads = Vec::new();
    watch(args, selection, human, &model, &mut analysis, &mut reads)?;
    let mut computing = model.computing;
    for contrast in &args.checks.contrast {
        let Contrast::Model(name) = contrast else { continue };
        let other = super::ModelArgs { model: name.clone(), ..args.model.clone() };
        let other = LoadedModel::open_on(&other, computing).with_context(|| format!("--contrast model={name}"))?;
        watch(args, selection, human, &other, &mut analysis, &mut reads)?;
        computing = other.computing;
    }
    analysis.document.contrasts = contrasts(args, &analysis.document, &reads);
    groups(args, &mut analysis.document, &reads);
    for read in reads {
        analysis.document.cases.push(read.case);
        analysis.captures.push(read.captures);
    }
    anyhow::ensure!(
        !analysis.document.cases.is_empty(),
        "none of the prompts could be analysed; the first one: {}",
        analysis.failures.first().map_or("", |(_, reason)| reason)
    );
    let document = &mut analysis.document;
    let benchmarks = super::select::names(&selection.dataset);
    let models: Vec<&str> = document.models.iter().map(|model| model.name.as_str()).collect();
    document.title = format!("What {} looked at: {benchmarks}", models.join(" and "));
    Ok(analysis)
}

/// Say what will take time.
fn announce(args: &Args, selection: &Selection) {
    let (items, draws) = (selection.prompts.len(), args.checks.deletion_draws);
    if items > 1 && draws > 0 {
        eprintln!(
            "{items} items; the deletion check reads each one {} times more (--deletion-draws {draws}; 0 leaves it out).",
            draws + 1
        );
    }
}

/// Read every prompt of the selection with one model.
fn watch(
    args: &Args,
    selection: &Selection,
    human: &HumanKeywords,
    model: &LoadedModel,
    analysis: &mut Analysis,
    reads: &mut Vec<Read>,
) -> anyhow::Result<()> {
    let decoder = model.decoder()?;
    let number = analysis.document.models.len();
    analysis.document.models.push(ModelRecord {
        name: model.files.name.clone(),
        sha256: model.files.hashes()?,
        layers: decoder.spec().layers,
        heads: decoder.spec().heads,
        dtype: model.computing.precision.name().to_string(),
    });
    check_choices(args, &decoder)?;
    let observer = Observer {
        decoder: &decoder,
        tokenizer: &model.text.tokenizer,
        template: model.text.template.as_ref(),
        now: None,
        budget: model.computing.memory,
    };
    let watcher = Watcher { args, observer, human, model: number };
    let first = number == 0;
    let count = |(item, orders): &(Item, Vec<Order>)| versions(args, item, orders, first).0.len();
    let progress = PromptProgress::new(selection.prompts.iter().map(count).sum());
    for (item, orders) in &selection.prompts {
        let style =
            selection.packs[&item.benchmark].style_for(item, &args.choice.style, SCORING, args.choice.instructions)?;
        let (versions, absent) = versions(args, item, orders, first);
        analysis.failures.extend(absent.into_iter().map(|reason| (item.id.clone(), reason)));
        for (index, Version { order, name, changed }) in versions.into_iter().enumerate() {
            let shown_item = changed.as_ref().unwrap_or(item);
            match watcher.read(style, shown_item, order, &name) {
                Ok(read) => {
                    reads.push(Read { second: index > 0, ..read });
                    keep_what_is_shown(args, reads);
                }
                Err(error) => analysis.failures.push((item.id.clone(), format!("{error:#}"))),
            }
            progress.step();
        }
    }
    progress.finish();
    Ok(())
}

/// Only the page shows the mass of each head on each word, and only where it fits in one.
fn keep_what_is_shown(args: &Args, reads: &mut [Read]) {
    let held: usize = reads.iter().flat_map(|read| &read.case.rows).map(Row::full_values).sum();
    let maps = || reads.iter().flat_map(|read| &read.case.rows).filter_map(|row| row.heads_map.as_ref());
    let condensed = maps().any(|map| matches!(map.words, WordMass::Means { .. }));
    let rows = reads.iter_mut().flat_map(|read| &mut read.case.rows);
    if args.output.html.is_none() {
        rows.filter_map(|row| row.heads_map.as_mut()).for_each(|map| map.words = WordMass::Absent);
    } else if held > view::FULL_PAGE || condensed {
        rows.for_each(Row::condense);
    }
}

/// One presentation of an item.
struct Version<'a> {
    order: &'a Order,
    /// What sets it apart; empty for the file's order.
    name: String,
    /// The item, where it is not the original.
    changed: Option<Item>,
}

/// The prompts of one item: its first order, then what it is contrasted with; and why a contrast is not among them.
fn versions<'a>(args: &Args, item: &Item, orders: &'a [Order], first_model: bool) -> (Vec<Version<'a>>, Vec<String>) {
    let plain = Order::identity(item.options.len());
    let named = |order: &Order| {
        let slots = order.as_slice().iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
        if *order == plain { String::new() } else { format!("options in order {slots}") }
    };
    let first = &orders[0];
    let mut versions = vec![Version { order: first, name: named(first), changed: None }];
    let mut absent = Vec::new();
    for contrast in args.checks.contrast.iter().filter(|_| first_model) {
        match (contrast, orders.get(1)) {
            (Contrast::Orders, Some(order)) => {
                let name = if *order == plain { "options in file order".to_string() } else { named(order) };
                versions.push(Version { order, name, changed: None });
            }
            (Contrast::Orders, None) => absent.push("has one option order, so there are none to compare".to_string()),
            (Contrast::Without(stretch), _) => match without(item, stretch) {
                Some((changed, left_out)) => {
                    let name = format!("without \u{201c}{left_out}\u{201d}");
                    versions.push(Version { order: first, name, changed: Some(changed) });
                }
                None => {
                    absent.push(format!("no prompt {stretch} to compare with: it is not in the story, or is all of it"))
                }
            },
            (Contrast::Options | Contrast::Model(_), _) => {}
        }
    }
    (versions, absent)
}

/// The item without a stretch of its context, and that stretch; `None` where the item does not have it.
fn without(item: &Item, stretch: &Stretch) -> Option<(Item, String)> {
    let mut changed = item.clone();
    for segment in &mut changed.context {
        let range = match stretch {
            Stretch::Text(text) => segment.text.find(text.as_str()).map(|start| start..start + text.len()),
            Stretch::Sentence(number) => {
                let segmenter = SentenceSegmenter::new(SentenceBreakInvariantOptions::default());
                let ends: Vec<usize> = segmenter.segment_str(&segment.text).collect();
                ends.windows(2).nth(number - 1).map(|ends| ends[0]..ends[1])
            }
        };
        if let Some(range) = range {
            let left_out = segment.text[range.clone()].trim().to_string();
            segment.text.replace_range(range, "");
            segment.text = segment.text.trim().to_string();
            return (!segment.text.is_empty()).then_some((changed, left_out));
        }
    }
    None
}

fn check_choices(args: &Args, decoder: &Decoder) -> anyhow::Result<()> {
    let spec = decoder.spec();
    if args.reading.layers.resolve(spec.layers).is_none() {
        anyhow::bail!("--layers {}: the model's layers are numbered 0 to {}", args.reading.layers, spec.layers - 1);
    }
    if args.reading.heads.resolve(spec.heads).is_none() {
        anyhow::bail!("--heads {}: the model's heads are numbered 0 to {}", args.reading.heads, spec.heads - 1);
    }
    Ok(())
}

/// One model at work.
struct Watcher<'a> {
    args: &'a Args,
    observer: Observer<'a>,
    human: &'a HumanKeywords,
    model: usize,
}

impl Watcher<'_> {
    fn read(&self, style: &Style, item: &Item, order: &Order, variant: &str) -> anyhow::Result<Read> {
        let reading_args = &self.args.reading;
        let ask = the_ask(style, item, order)?;
        let shown = self.observer.show(&ask.prompt, item.language)?;
        let labels = &ask.continuations;
        let text = vec![shown.reading.text().to_string()];
        let logprobs = self.observer.log_likelihoods(&text, labels, shown.add_special)?.remove(0);
        let chosen = best(&logprobs);
        let options = option_records(item, order, style, &logprobs);

        let queries = self.queries(item, order, &shown, labels, &options)?;
        let keyword_options = reading_args.keyword_options();
        let row_options =
            RowOptions { keywords: keyword_options, layers: reading_args.layers, heads: reading_args.heads.clone() };
        let score = |prompts: &[String]| -> anyhow::Result<Vec<f64>> {
            let found = self.observer.log_likelihoods(prompts, &labels[chosen..=chosen], shown.add_special)?;
            Ok(found.into_iter().map(|scores| scores[0]).collect())
        };
        let candidates = keywords::candidates(&shown.reading, keyword_options);

        let positions: Vec<usize> = queries.iter().map(|(_, position)| *position).collect();
        let evidence: Vec<Evidence> = match reading_args.measure {
            MeasureArg::Attention => self.captured(&shown, &positions, Weighting::Attention)?,
            MeasureArg::Value => self.captured(&shown, &positions, Weighting::ValueNorms)?,
            MeasureArg::Rollout => positions
                .iter()
                .map(|&position| Ok(Evidence::Profile(self.observer.rollout(&shown.ids, position)?)))
                .collect::<anyhow::Result<_>>()?,
            MeasureArg::Occlusion => {
                let mut drops = vec![None; shown.reading.words().len()];
                for (word, drop) in candidates.iter().zip(occlusion(&shown.reading, &candidates, score)?) {
                    drops[word.0] = Some(drop);
                }
                vec![Evidence::Drops(drops)]
            }
        };
        let (mut rows, mut rankings) = (Vec::new(), Vec::new());
        for ((name, position), evidence) in queries.iter().zip(&evidence) {
            let (row, ranking) = analyse::row(&shown.reading, name, *position, evidence, &row_options)?;
            rows.push(row);
            rankings.push(ranking);
        }

        let top = reading_args.top;
        let plan = DeletionPlan {
            keywords: &analyse::occurrences(&rankings[0], top),
            scope: &candidates,
            draws: self.args.checks.deletion_draws,
            seed: self.args.data.limit.seed,
            item: &item.id,
        };
        let check = deletion(&shown.reading, plan, score)?;
        let readers = self.human.readers(&item.id).iter();
        let humans = readers.map(|reader| analyse::human(reader, &shown.reading, &rankings[0], top, keyword_options));
        let (parts, words, tokens) = analyse::records(&shown.reading, keyword_options.scope);
        let case = Case {
            item: item.id.clone(),
            variant: variant.to_string(),
            model: self.model,
            language: item.language,
            facets: item.facets.clone(),
            right: Some(choice(item, order, chosen) == item.gold),
            text: shown.reading.text().to_string(),
            parts,
            words,
            tokens,
            humans: humans.collect(),
            deletion: check.map(|check| analyse::deletion_record(&labels[chosen], &check)),
            options,
            rows,
        };
        let wanted = self.args.output.tensors.is_some();
        let captures = queries.iter().zip(evidence).filter_map(|((name, _), evidence)| match evidence {
            Evidence::Capture(capture) if wanted => Some((name.clone(), capture)),
            _ => None,
        });
        Ok(Read { case, second: false, captures: captures.collect(), reading: shown.reading, rankings })
    }

    fn captured(&self, shown: &Shown, positions: &[usize], weighting: Weighting) -> anyhow::Result<Vec<Evidence>> {
        let captures = self.observer.captures(&shown.ids, positions, weighting)?;
        Ok(captures.into_iter().map(Evidence::Capture).collect())
    }

    /// The answer position, and where asked for the options' last tokens, by name.
    fn queries(
        &self,
        item: &Item,
        order: &Order,
        shown: &Shown,
        labels: &[String],
        options: &[OptionRecord],
    ) -> anyhow::Result<Vec<(String, usize)>> {
        let mut queries = vec![("answer".to_string(), self.observer.answer_position(shown, labels)?)];
        if self.args.reading.queries.contains(&Query::Options) {
            let slots = (0..order.len().min(item.options.len())).map(SlotIx);
            queries.extend(
                slots.filter_map(|slot| {
                    Some((format!("option {}", options[slot.0].label), shown.option_position(slot)?))
                }),
            );
        }
        Ok(queries)
    }
}

/// What is asked about an item with one right option or one per slot.
fn the_ask(style: &Style, item: &Item, order: &Order) -> anyhow::Result<Ask> {
    anyhow::ensure!(
        !matches!(item.gold, Answer::Labels(_)),
        "the item asks about each of its labels apart, so there is no one answer position; choose items with one right option"
    );
    let ask = asks(style, item, order, SCORING)?.into_iter().next().context("the style asks nothing")?;
    anyhow::ensure!(!ask.continuations.is_empty(), "the style offers no labels to score");
    Ok(ask)
}

/// Index of the largest value, the first among equals.
fn best(values: &[f64]) -> usize {
    (0..values.len()).reduce(|best, next| if values[next] > values[best] { next } else { best }).unwrap_or(0)
}

/// The answer that a continuation stands for: a displayed slot, or a joint answer with its first slot leading.
fn choice(item: &Item, order: &Order, continuation: usize) -> Answer {
    let count = order.len();
    match &item.gold {
        Answer::Slots(slots) => {
            let digit = |place: usize| continuation / count.pow((slots.len() - 1 - place) as u32) % count;
            Answer::Slots((0..slots.len()).map(|place| order.option_at(SlotIx(digit(place)))).collect())
        }
        _ => Answer::Single(order.option_at(SlotIx(continuation))),
    }
}

/// Displayed options in slot order. With several answer slots, log-likelihoods are those of joint answers: an option is
/// chosen (or gold) when any slot of the best joint answer (or of the gold) is it, and has no probability of its own.
fn option_records(item: &Item, order: &Order, style: &Style, logprobs: &[f64]) -> Vec<OptionRecord> {
    let joint = matches!(item.gold, Answer::Slots(_));
    let probabilities = softmax(logprobs);
    let chosen = choice(item, order, best(logprobs)).options();
    let gold = item.gold.options();
    (0..order.len())
        .map(|slot| {
            let canonical = order.option_at(SlotIx(slot)).0;
            OptionRecord {
                label: style.labels.get(slot).cloned().unwrap_or_else(|| (slot + 1).to_string()),
                text: item.options[canonical].clone(),
                canonical,
                logprob: (!joint).then(|| logprobs[slot]),
                probability: (!joint).then(|| probabilities[slot]),
                gold: gold.contains(&canonical),
                chosen: chosen.contains(&canonical),
            }
        })
        .collect()
}

/// The comparisons asked for, between the rows already read.
fn contrasts(args: &Args, document: &Document, reads: &[Read]) -> Vec<ContrastRecord> {
    let scope = args.reading.scope;
    let compare = |name: &str, first: (usize, usize), second: (usize, usize)| {
        let side = |(case, row): (usize, usize)| ((case, row), &reads[case].reading, &reads[case].rankings[row]);
        analyse::compare(name, side(first), side(second), scope)
    };
    let mut records = Vec::new();
    for (index, read) in reads.iter().enumerate() {
        let case = &read.case;
        if args.checks.contrast.contains(&Contrast::Options) {
            let row = |wanted: &OptionRecord| {
                case.rows.iter().position(|row| row.query == format!("option {}", wanted.label))
            };
            let right = case.options.iter().find(|option| option.gold);
            let wrong = case
                .options
                .iter()
                .filter(|option| !option.gold)
                .max_by(|a, b| a.logprob.unwrap_or(0.0).total_cmp(&b.logprob.unwrap_or(0.0)));
            if let (Some(right), Some(wrong)) = (right, wrong)
                && let (Some(first), Some(second)) = (row(right), row(wrong))
            {
                let name = format!("right option {} minus wrong option {}", right.label, wrong.label);
                records.push(compare(&name, (index, first), (index, second)));
            }
        }
        let others = reads.iter().enumerate().filter(|(_, other)| other.case.item == case.item);
        let first_of_item = others.clone().next().is_some_and(|(first, _)| first == index);
        for (other, second) in others.filter(|(other, _)| first_of_item && *other != index) {
            let name = match second.case.model == case.model {
                true if second.case.variant.starts_with("without") => format!("this minus {}", second.case.variant),
                true => format!("this order minus {}", second.case.variant),
                false => {
                    format!("{} minus {}", document.models[case.model].name, document.models[second.case.model].name)
                }
            };
            records.push(compare(&name, (index, 0), (other, 0)));
        }
    }
    records
}

/// Right against wrong, language against language, and the values of `--group`.
fn groups(args: &Args, document: &mut Document, reads: &[Read]) {
    let reads: Vec<&Read> = reads.iter().filter(|read| !read.second).collect();
    if reads.len() < 2 {
        return;
    }
    let findings: Vec<Finding> = reads
        .iter()
        .map(|read| {
            let overlaps: Vec<f64> = read.case.humans.iter().filter_map(|human| human.overlap).collect();
            let overlap = (!overlaps.is_empty()).then(|| overlaps.iter().sum::<f64>() / overlaps.len() as f64);
            let deletion = read.case.deletion.as_ref().map(|check| Checked {
                keywords: check.keywords,
                random: check.random.iter().sum::<f64>() / check.random.len() as f64,
                p: check.p,
            });
            Finding::new(&read.rankings[0], args.reading.top, overlap, deletion)
        })
        .collect();
    let mut kinds: Vec<Vec<String>> = vec![
        reads
            .iter()
            .map(|read| match read.case.right {
                Some(true) => "right answers".to_string(),
                Some(false) => "wrong answers".to_string(),
                None => "not judged".to_string(),
            })
            .collect(),
    ];
    kinds.push(reads.iter().map(|read| read.case.language.name().to_string()).collect());
    kinds.push(reads.iter().map(|read| document.models[read.case.model].name.clone()).collect());
    if let Some(facet) = &args.checks.group {
        let value = |read: &Read| read.case.facets.get(facet).map_or("none", String::as_str).to_string();
        kinds.push(reads.iter().map(|read| format!("{facet}: {}", value(read))).collect());
    }
    for (index, names) in kinds.into_iter().enumerate() {
        let found = survey(names.into_iter().map(|name| vec![name]).zip(&findings));
        if found.len() < 2 && index > 0 {
            continue;
        }
        let mut by_size: Vec<&_> = found.iter().collect();
        by_size.sort_by_key(|group| std::cmp::Reverse(group.items));
        if let [first, second, ..] = by_size[..]
            && index != 1
        {
            document.shifts.extend(analyse::shift_record(first, second, SHIFT_WORDS));
        }
        document.groups.extend(analyse::group_records(&found, GROUP_WORDS));
    }
}

fn empty_document(args: &Args) -> Document {
    let reading = &args.reading;
    let mut notes = vec![
        "Words are cut by jieba in Chinese and by Unicode's rules and ICU's dictionaries elsewhere. A token that spans \
         several words gives each its part by bytes."
            .to_string(),
    ];
    if !reading.keep_sink {
        notes.push(
            "The first token draws much attention whatever it is (the attention sink). Its share is reported and taken \
             out; template, instructions and punctuation are reported and not ranked."
                .to_string(),
        );
    }
    if matches!(reading.measure, MeasureArg::Attention | MeasureArg::Value) {
        notes.push(
            "ToMBench (section 4.3) averages over heads and 20 layers without saying which; the default here is the last 20."
                .to_string(),
        );
    }
    Document {
        format: FORMAT.to_string(),
        program: concat!("tomeval ", env!("CARGO_PKG_VERSION")).to_string(),
        title: String::new(),
        settings: Settings {
            measure: reading.measure.measure(),
            layers: reading.layers.to_string(),
            heads: reading.heads.to_string(),
            scope: reading.scope.name().to_string(),
            merge: if reading.merge == super::MergeArg::Sum { "sum" } else { "mean" }.to_string(),
            repeats_together: !reading.apart,
            keep_sink: reading.keep_sink,
            drop_stop_words: reading.no_stop_words,
            top: reading.top,
            seed: args.data.limit.seed,
        },
        models: Vec::new(),
        cases: Vec::new(),
        contrasts: Vec::new(),
        groups: Vec::new(),
        shifts: Vec::new(),
        notes,
    }
}
