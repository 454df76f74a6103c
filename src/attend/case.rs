//! Turns one prompt of an item into a case: the question, the attention, and deletion checks.

use std::cell::Cell;

use super::SelectedItem;
use super::groups::StoryRead;
use super::heads::{contributions_record, labels_compared};
use super::measure::{
    Capture, Probe, ProbeError, TokenizedPrompt, TokensRead, Version, VersionError, Weighting, Written,
};
use super::prompts::{AnnotatedPrompt, PartKind, WordIx, WordKind};
use super::results::{
    Case, ContributionsRecord, Evidence, HumanRecord, Measure, OptionRecord, OrdersRecord, Reduction, WordAttention,
    records,
};
use super::settings::{ExperimentSettings, LookingWords, SCORING};
use super::words::{
    AblationRecord, DeletionPlan, DeletionRecord, HumanKeywords, LensRecord, ModelPart, Outcome, Ranking, deletion,
    keywords, occlusion,
};
use crate::answer::{BestAnswer, TieRule, Ties, best_answer, displayed_answer, softmax};
use crate::benchmark::{Answer, Item};
use crate::decoder::Decoder;
use crate::prompt::{Ask, DrawnOrder, Order, OrderPolicy, PromptError, Scoring, SlotIx, Style, asks};

/// A prompt that could not be analysed as requested.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CaseError {
    /// The style cannot present the item.
    #[error(transparent)]
    Prompt(#[from] PromptError),
    /// The model cannot read the prompt.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// The item has no version for the requested contrast.
    #[error(transparent)]
    Version(#[from] VersionError),
    /// The item has no single right option.
    #[error(
        "the item asks about each label separately, so it has no single answer position; choose items with one right option"
    )]
    LabelSet,
    /// The style has no labels to choose from.
    #[error("the style offers no labels to score")]
    NoLabels,
}

/// An item whose prompt could not be analysed as requested.
#[derive(Debug)]
pub struct Failure {
    /// The item's id.
    pub item: String,
    pub error: CaseError,
}

/// A prompt that one model has read.
#[derive(Debug)]
pub struct ProbedPrompt {
    /// The case shown in views.
    pub case: Case,
    /// The prompt itself.
    pub annotated: AnnotatedPrompt,
    /// Words ranked by weight, for each query of the case.
    pub rankings: Vec<Ranking>,
    /// Captured rows by query, if kept.
    pub captures: Vec<(String, Capture)>,
    /// The residual stream of the answer position, `(layers + 1, hidden)`, if kept.
    pub states: Option<Vec<f32>>,
}

/// Settings shared by all prompts of one model.
#[derive(Clone, Copy)]
pub struct CaseSetting<'a> {
    /// Experiment settings.
    pub settings: &'a ExperimentSettings,
    /// Layers and heads used for this model.
    pub reduction: &'a Reduction,
    /// Human keyword annotations.
    pub human: &'a HumanKeywords,
    /// Index of the model in the document.
    pub model: usize,
    /// The model.
    pub probe: &'a Probe<'a>,
    /// Copies of the model with parts switched off.
    pub knocked_out: &'a [(ModelPart, Decoder)],
}

impl CaseSetting<'_> {
    /// Scores and measures one version of an item, and makes the deletion check on it if it is `checked`.
    pub fn analyse(&self, style: &Style, version: &Version<'_>, checked: bool) -> Result<ProbedPrompt, CaseError> {
        let (settings, item, order) = (self.settings, version.item.as_ref(), version.order);
        let style = version.written.map_or(style, |written| &written.style);
        let ask = match version.written {
            None => letter_ask(style, item, order)?,
            Some(written) => written_ask(written, item, order)?,
        };
        let labels = &ask.continuations;
        let prompt = self.probe.tokenize(&ask.prompt, item.language)?;
        let annotated = &prompt.annotated;
        let text = [annotated.text().to_string()];
        let queries = self.queries(&prompt, labels, order, style)?;
        let ids = annotated.token_ids();
        let positions: Vec<usize> = queries.iter().map(|(_, position)| *position).collect();
        let weighting = match settings.method.measure {
            Measure::Attention => Some(Weighting::Attention),
            Measure::Value => Some(Weighting::ValueNorms),
            Measure::Rollout | Measure::Occlusion => None,
        };
        let once = match weighting.filter(|_| settings.read_once) {
            Some(weighting) => {
                self.probe.read_once(&text[0], (&ids, &positions), weighting, labels, prompt.add_special)?
            }
            None => None,
        };
        let (logprobs, captures) = match once {
            Some((logprobs, captures)) => (logprobs, Some(captures)),
            None => (self.probe.log_likelihoods(&text, labels, prompt.add_special)?.remove(0), None),
        };
        let ties = Ties { rule: TieRule::default(), seed: settings.method.seed };
        let best = match version.written {
            None => best_answer(&logprobs, item, order, ties),
            // The written answer counts, whether or not it is the likeliest.
            Some(written) => {
                Some(BestAnswer { answer: displayed_answer(&item.gold, order, written.slot), tied: false })
            }
        };
        let BestAnswer { answer, tied } = best.ok_or(CaseError::NoLabels)?;
        let shows = |slot: &usize| displayed_answer(&item.gold, order, *slot) == answer;
        let chosen = (0..logprobs.len()).find(shows).ok_or(CaseError::NoLabels)?;
        let options = option_records(item, order, style, &logprobs, &answer);

        let read = Cell::new(TokensRead::default());
        let score = |prompts: &[String]| -> Result<Vec<Outcome>, CaseError> {
            let (found, tokens) = self.probe.log_likelihoods_counted(prompts, labels, prompt.add_special)?;
            read.set(read.get() + tokens);
            found.iter().map(|logprobs| Outcome::new(logprobs, chosen).ok_or(CaseError::NoLabels)).collect()
        };
        let candidates = keywords::candidates(annotated, settings.method.keywords);
        let captured = |weighting| -> Result<Vec<Evidence>, ProbeError> {
            let captures = match captures {
                Some(captures) => captures,
                None => self.probe.captures(&ids, &positions, weighting)?,
            };
            Ok(captures.into_iter().map(Evidence::Capture).collect())
        };
        let evidence: Vec<Evidence> = match settings.method.measure {
            Measure::Attention => captured(Weighting::Attention)?,
            Measure::Value => captured(Weighting::ValueNorms)?,
            Measure::Rollout => positions
                .iter()
                .map(|&position| Ok(Evidence::Profile(self.probe.rollout(&ids, position)?)))
                .collect::<Result<_, ProbeError>>()?,
            Measure::Occlusion => {
                let mut drops = vec![None; annotated.words().len()];
                for (word, drop) in candidates.iter().zip(occlusion(annotated, &candidates, score)?) {
                    drops[word.0] = Some(drop);
                }
                vec![Evidence::Drops(drops)]
            }
        };
        let (rows, rankings): (Vec<_>, Vec<_>) = queries
            .iter()
            .zip(&evidence)
            .map(|((name, position), evidence)| {
                records::query_record(annotated, name, *position, evidence, self.reduction)
            })
            .unzip();

        let word_attention = match (weighting, settings.positions) {
            (Some(weighting), Some(looking)) => Some(self.word_attention(annotated, weighting, looking)?),
            _ => None,
        };
        let words = &rankings[0].words;
        let check = |tested: &[usize], key: &str| -> Result<Option<DeletionRecord>, CaseError> {
            let (matching, draws) = (&settings.deletion_matching[..], settings.deletion_draws);
            let plan = DeletionPlan { words, tested, matching, draws, seed: settings.method.seed, key };
            read.set(TokensRead::default());
            let found = deletion(annotated, plan, score)?;
            Ok(found.map(|found| records::deletion_record(&labels[chosen], matching, &found, read.get())))
        };
        // With a single label the choice cannot change.
        let draws_are_made = checked && settings.deletion_draws > 0 && labels.len() > 1;
        let first: Vec<usize> = (0..words.len().min(settings.method.top)).collect();
        let of_keywords = if draws_are_made { check(&first, &format!("deletion/{}", item.id))? } else { None };
        let mut humans = Vec::new();
        for reader in self.human.readers(&item.id) {
            let record =
                records::human_record(reader, annotated, &rankings[0], settings.method.top, settings.method.keywords);
            let marked: Vec<usize> = (0..words.len()).filter(|&at| record.keywords.contains(&words[at].key)).collect();
            let key = format!("deletion/{}/{}", item.id, reader.name);
            let deletion = if draws_are_made { check(&marked, &key)? } else { None };
            humans.push(HumanRecord { deletion, ..record });
        }
        let whole = Outcome::new(&logprobs, chosen);
        let mut knocked_out = Vec::new();
        for (part, decoder) in self.knocked_out {
            let probe = Probe { decoder, variables: self.probe.variables.clone(), ..*self.probe };
            let left = probe.log_likelihoods(&text, labels, prompt.add_special)?.remove(0);
            if let (Some(whole), Some(left)) = (whole, Outcome::new(&left, chosen)) {
                knocked_out.push(AblationRecord::new(part, whole, left));
            }
        }
        let lens = match settings.lens {
            true => {
                let (position, special) = (positions[0], prompt.add_special);
                let (layers, longer) = self.probe.lens(&text[0], &ids, position, labels, special)?;
                Some(LensRecord::new(&layers, longer))
            }
            false => None,
        };
        let states = settings.keep_states.then(|| self.probe.states(&ids, positions[0])).transpose()?;
        let readers = self.human.readers(&item.id);
        let read_as =
            StoryRead { item, order, prompt: annotated, evidence: &evidence[0], reduction: self.reduction, readers };
        let roles = settings.inside.finds_roles().then(|| read_as.roles());
        let witness = settings.inside.witness.then(|| read_as.witness(&options));
        let contributions = match settings.inside.finds_contributions() {
            true => self.contributions(&prompt, positions[0], labels, &options)?,
            false => None,
        };
        let (parts, words, tokens) = records::text_records(annotated, settings.method.keywords.scope);
        let case = Case {
            item: item.id.clone(),
            variant: version.name.clone(),
            model: self.model,
            story: item.story.clone(),
            stratum: item.stratum(settings.strata.get(&item.benchmark).map_or(&[], Vec::as_slice)),
            compared_only: false,
            language: item.language,
            facets: item.facets.clone(),
            right: Some(answer == item.gold),
            tied,
            text: annotated.text().to_string(),
            parts,
            words,
            tokens,
            humans,
            deletion: of_keywords,
            orders: None,
            conclusion: None,
            knocked_out,
            lens,
            options,
            rows,
            parallel: item.parallel.clone(),
            roles,
            witness,
            contributions,
            sensitivity: Vec::new(),
            strongest: Vec::new(),
            positions: word_attention,
        };
        let captures = queries.into_iter().zip(evidence).filter_map(|((name, _), evidence)| match evidence {
            Evidence::Capture(capture) if settings.keep_captures => Some((name, capture)),
            _ => None,
        });
        let captures = captures.collect();
        Ok(ProbedPrompt { case, annotated: prompt.annotated, rankings, captures, states })
    }

    /// What words of a prompt look at, merged to words as the rows of the queries are.
    fn word_attention(
        &self,
        prompt: &AnnotatedPrompt,
        weighting: Weighting,
        looking: LookingWords,
    ) -> Result<WordAttention, ProbeError> {
        let options = self.reduction.keywords;
        let kind = |word: WordIx| prompt.words()[word.0].kind;
        let looks = |word: &WordIx| {
            kind(*word) == WordKind::Word
                && (looking == LookingWords::All
                    || matches!(prompt.part_kind(*word), PartKind::Question | PartKind::Option(_)))
        };
        let all = || (0..prompt.words().len()).map(WordIx);
        let ends: Vec<(WordIx, usize)> =
            all().filter(looks).filter_map(|word| Some((word, prompt.last_token(word)?))).collect();
        let mut queries: Vec<usize> = ends.iter().map(|(_, token)| *token).collect();
        queries.dedup();
        let (layers, heads) = (self.reduction.layers.as_slice(), self.reduction.heads.as_slice());
        let profiles = self.probe.profiles(&prompt.token_ids(), &queries, weighting, (layers, heads))?;
        let columns: Vec<WordIx> = all().filter(|&word| kind(word) != WordKind::Space).collect();
        let mut weights = Vec::with_capacity(ends.len() * columns.len());
        for (_, token) in &ends {
            // Words are in text order, and so are their last tokens.
            let mut profile = queries.binary_search(token).map_or_else(|_| Vec::new(), |at| profiles[at].clone());
            if let Some(first) = profile.first_mut().filter(|_| !options.keep_sink) {
                *first = 0.0;
            }
            let masses = prompt.word_weights(&profile, options.merge);
            weights.extend(columns.iter().map(|word| masses[word.0] as f32));
        }
        Ok(WordAttention { words: ends.iter().map(|(word, _)| word.0).collect(), weights })
    }

    /// Contribution of each head to the logit of the right label minus that of the likeliest wrong label; `None`
    /// without such labels.
    fn contributions(
        &self,
        prompt: &TokenizedPrompt,
        position: usize,
        labels: &[String],
        options: &[OptionRecord],
    ) -> Result<Option<ContributionsRecord>, CaseError> {
        let Some((right, wrong)) =
            labels_compared(options).filter(|(right, wrong)| (*right).max(*wrong) < labels.len())
        else {
            return Ok(None);
        };
        let (ids, text) = (prompt.annotated.token_ids(), prompt.annotated.text());
        let pair = [labels[right].clone(), labels[wrong].clone()];
        let (found, longer) = self.probe.contributions(text, &ids, position, &pair, prompt.add_special)?;
        Ok(Some(contributions_record((&options[right].label, &options[wrong].label), &found, longer)))
    }

    /// How often the option and the label chosen in a case are chosen when its options are rotated; `None` where the
    /// order of options is fixed, or no single option is chosen.
    pub fn orders(&self, chosen: &SelectedItem, case: &Case) -> Result<Option<OrdersRecord>, CaseError> {
        let SelectedItem { item, style, .. } = chosen;
        let seed = self.settings.method.seed;
        let rotations = OrderPolicy::Cyclic.draw(seed, &item.id, item.options.len()).unwrap_or_default();
        let slot = case.options.iter().position(|option| option.chosen);
        let is_single = matches!(item.gold, Answer::Single(_)) && style.takes_orders(item, SCORING);
        let Some(slot) = slot.filter(|_| is_single) else { return Ok(None) };
        let mut found = OrdersRecord { orders: rotations.len(), same_option: 0, same_label: 0 };
        let mut texts = Vec::new();
        let mut asked = None;
        for DrawnOrder { order, .. } in &rotations {
            let ask = letter_ask(style, item, order)?;
            let prompt = self.probe.tokenize(&ask.prompt, item.language)?;
            texts.push(prompt.annotated.text().to_string());
            asked.get_or_insert((ask.continuations, prompt.add_special));
        }
        let Some((labels, add_special)) = asked else { return Ok(None) };
        let logprobs = self.probe.log_likelihoods(&texts, &labels, add_special)?;
        for (DrawnOrder { order, .. }, logprobs) in rotations.iter().zip(logprobs) {
            let best = best_answer(&logprobs, item, order, Ties { rule: TieRule::default(), seed });
            let Some(BestAnswer { answer: Answer::Single(option), .. }) = best else { continue };
            found.same_option += usize::from(option.0 == case.options[slot].canonical);
            found.same_label += usize::from(order.slot_of(option) == SlotIx(slot));
        }
        Ok(Some(found))
    }

    /// Outcomes of the model itself, then of each of several decoders in its place.
    pub fn outcomes(&self, chosen: &SelectedItem, case: &Case, others: &[Decoder]) -> Result<Vec<Outcome>, CaseError> {
        let ask = letter_ask(&chosen.style, &chosen.item, &chosen.orders[0])?;
        let prompt = self.probe.tokenize(&ask.prompt, chosen.item.language)?;
        let text = [prompt.annotated.text().to_string()];
        let slot = case.options.iter().position(|option| option.chosen).ok_or(CaseError::NoLabels)?;
        let own = std::iter::once(self.probe.decoder).chain(others);
        own.map(|decoder| {
            let probe = Probe { decoder, variables: self.probe.variables.clone(), ..*self.probe };
            let logprobs = probe.log_likelihoods(&text, &ask.continuations, prompt.add_special)?.remove(0);
            Outcome::new(&logprobs, slot).ok_or(CaseError::NoLabels)
        })
        .collect()
    }

    /// The answer position and, if requested, the options' last tokens, by name.
    fn queries(
        &self,
        prompt: &TokenizedPrompt,
        labels: &[String],
        order: &Order,
        style: &Style,
    ) -> Result<Vec<(String, usize)>, ProbeError> {
        let text = prompt.annotated.text();
        let mut queries = vec![("answer".to_string(), self.probe.answer_position(text, prompt.add_special, labels)?)];
        if self.settings.query_options {
            queries.extend((0..order.len()).filter_map(|slot| {
                Some((format!("option {}", label(style, slot)), prompt.option_position(SlotIx(slot))?))
            }));
        }
        Ok(queries)
    }
}

/// Displayed label of the option in a slot.
fn label(style: &Style, slot: usize) -> String {
    style.labels.get(slot).cloned().unwrap_or_else(|| (slot + 1).to_string())
}

/// The request for an item with one right option or one per slot.
pub(super) fn letter_ask(style: &Style, item: &Item, order: &Order) -> Result<Ask, CaseError> {
    if matches!(item.gold, Answer::Labels(_)) {
        return Err(CaseError::LabelSet);
    }
    let ask = asks(style, item, order, SCORING)?.into_iter().next();
    ask.filter(|ask| !ask.continuations.is_empty()).ok_or(CaseError::NoLabels)
}

/// The request to a model that wrote its answer, with its reply up to the letter; the labels are the possible
/// continuations.
fn written_ask(written: &Written, item: &Item, order: &Order) -> Result<Ask, CaseError> {
    let style = &written.style;
    let mut ask = asks(style, item, order, Scoring::Generate)?.into_iter().next().ok_or(CaseError::NoLabels)?;
    ask.prompt.answer_prefix.clone_from(&written.before);
    ask.continuations = style.labels.iter().take(order.len()).cloned().collect();
    if written.slot < ask.continuations.len() { Ok(ask) } else { Err(CaseError::NoLabels) }
}

/// Displayed options in slot order. With several answer slots, log-likelihoods belong to joint answers: an option is
/// chosen (or gold) if it fills any slot of the best joint answer (or of the gold), and has no probability of its own.
fn option_records(item: &Item, order: &Order, style: &Style, logprobs: &[f64], answer: &Answer) -> Vec<OptionRecord> {
    let joint = matches!(item.gold, Answer::Slots(_));
    let probabilities = softmax(logprobs);
    let (chosen, gold) = (answer.options(), item.gold.options());
    (0..order.len())
        .map(|slot| {
            let canonical = order.option_at(SlotIx(slot)).0;
            OptionRecord {
                label: label(style, slot),
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
