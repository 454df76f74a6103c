//! Compares a server's model with local weights: log-probabilities of the same texts, and the tokens and replies of
//! chats.
//!
//! The server is asked first, then the reference computes the same in bf16, in q4_0 and in f32, one after the other.
//! The moves of the first two from the third are the control for the server's ([`verdict`]).

mod asked;
mod computed;
mod prompts;
mod verdict;

use std::collections::BTreeMap;

use indexmap::IndexMap;
use serde::Serialize;

use self::asked::{Answer, NoAnswer, Prompt, REPLY_TOKENS, Reply, Way};
use self::computed::{Computed, compute, margins};
use self::prompts::{Group, chats, is_long, texts};
use self::verdict::{Kind, Moves, Verdict, judge};
use crate::arguments::compute::Compute;
use crate::arguments::setup::{LoadedModel, ModelArgs};
use crate::chat::Message;
use crate::cli::server::Connected;
use crate::counted::{capitalised, counted};
use crate::decoder::{Decoder, Precision};
use crate::engine::Request;
use crate::model::{ChatTemplate, RenderSettings, render_or_merge};
use crate::server::ScoreMode;
use crate::table::{Format, Grid, Screen, Value, cells, render_grid};
use crate::terminal::progress::Shown;

pub use self::verdict::Verdict as Conclusion;

/// The precisions of the reference, the exact one last: the controls' replies are judged by it.
const PRECISIONS: [Precision; 3] = [Precision::BF16, Precision::Q4_0, Precision::F32];

/// The comparison of a server's model with a reference.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ReferenceCheck {
    /// Name of the reference.
    model: String,
    /// SHA-256 of its files by name.
    sha256: IndexMap<String, String>,
    /// Device that computed it.
    device: String,
    /// What is compared of texts: `prompt-logprobs` or `echo` (log-probabilities of all tokens), `top` (those of the
    /// likeliest next tokens), or `replies` (greedy replies).
    compared: &'static str,
    /// The comparison of each group of prompts.
    parts: Vec<Part>,
    /// What was not compared, one sentence each.
    notes: Vec<String>,
    /// Why the server runs something else, one sentence each; empty otherwise.
    faults: Vec<String>,
    /// The conclusion: `same`, `open` or `other`.
    verdict: Verdict,
}

/// The comparison of one group of prompts.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Part {
    /// The group: `short`, `long` or `chats`.
    group: Group,
    /// Number of prompts compared.
    prompts: usize,
    /// Number of values, or replies, compared.
    compared: usize,
    /// Replies that are the same, if replies are compared.
    alike: Option<usize>,
    /// Precision of the reference to which the server lies nearest: `f32`, `bf16` or `q4_0`; of replies always `f32`.
    nearest: &'static str,
    /// Moves of the server from the reference in that precision. Of replies, how much likelier the reference finds its
    /// own token at the first difference.
    server: Moves,
    /// Moves of the reference in bf16 from itself in f32.
    bf16: Moves,
    /// The same in q4_0.
    q4_0: Moves,
    /// The conclusion from this group.
    verdict: Verdict,
}

/// The weights to compare with, opened but not loaded.
pub struct Reference {
    model: LoadedModel,
    name: String,
}

impl Reference {
    /// Finds the model and reads its small files.
    pub fn open(
        name: &str,
        offline: bool,
        device: Option<&crate::arguments::devices::Devices>,
    ) -> anyhow::Result<Self> {
        let compute = Compute {
            device: device.cloned(),
            dtype: Some(Precision::F32),
            quantize: None,
            experts: None,
            threads: None,
            memory: None,
        };
        let args = ModelArgs { models: vec![name.to_string()], adapters: Vec::new(), offline, compute };
        Ok(Reference { model: LoadedModel::open(&args)?, name: name.to_string() })
    }

    /// Compares a server's model with the reference; `only_top` passes over log-probabilities of prompts.
    ///
    /// # Errors
    /// The server answers none of the prompts; errors of the reference.
    pub fn check(&self, connected: &Connected, only_top: bool) -> anyhow::Result<ReferenceCheck> {
        let mut notes = Vec::new();
        let way = Way::new(connected, only_top);
        let prompts = self.prompts(connected, &mut notes)?;
        let asked = self.ask(connected, way, prompts)?;
        let mut faults = asked.faults;
        let open = asked.failed.is_some();
        notes.extend(asked.failed);
        let parts = self.parts(way, &asked.answered)?;
        for part in parts.iter().filter(|part| part.verdict == Verdict::Other) {
            faults.push(part.fault());
        }
        let open = open || parts.is_empty() || parts.iter().any(|part| part.verdict == Verdict::Open);
        let verdict = match (faults.is_empty(), open) {
            (false, _) => Verdict::Other,
            (true, true) => Verdict::Open,
            (true, false) => Verdict::Same,
        };
        let identity = self.model.identity()?;
        Ok(ReferenceCheck {
            model: identity.name,
            sha256: identity.sha256,
            device: self.model.computing.choice.to_string(),
            compared: match way {
                Way::Tokens(ScoreMode::Echo) => "echo",
                Way::Tokens(_) => "prompt-logprobs",
                Way::Ends(_) => "top",
                Way::Replies => "replies",
            },
            parts,
            notes,
            faults,
            verdict,
        })
    }

    /// Returns all prompts that both sides take.
    fn prompts(&self, connected: &Connected, notes: &mut Vec<String>) -> anyhow::Result<Vec<Prompt>> {
        let tokenizer = &self.model.text.tokenizer;
        let listed = connected.listed().and_then(|listed| listed.context).unwrap_or(usize::MAX);
        let context = listed.min(self.model.spec.max_position);
        let template = match &connected.text.chosen {
            Some(_) => connected.text.template.as_ref(),
            None => self.model.text.template.as_ref(),
        };
        let settings = RenderSettings {
            now: Some(jiff::Zoned::now().datetime()),
            variables: connected.variables.clone(),
            ..RenderSettings::for_generation()
        };
        let of_chat = |group: Group, messages: Vec<Message>, template: &ChatTemplate| -> anyhow::Result<Prompt> {
            let rendered = render_or_merge(Some(template), &messages, &settings)?;
            let tokens = tokenizer.encode(&rendered.text, rendered.add_special)?;
            let (text, add_special) = (rendered.text, rendered.add_special);
            Ok(Prompt { group, messages: Some(messages), text, add_special, tokens, scored_from: 1 })
        };
        let (completes, chats_too) = (connected.abilities.completions.is_ok(), connected.abilities.chat.is_ok());
        let mut prompts = Vec::new();
        for (group, text) in texts(tokenizer, context)? {
            if completes {
                let (tokens, scored_from) = tokenizer.encode_whole(&text)?;
                prompts.push(Prompt { group, messages: None, text, add_special: true, tokens, scored_from });
            } else if let (Some(template), true) = (template, chats_too) {
                prompts.push(of_chat(group, vec![Message::user(text)], template)?);
            }
        }
        let long = |prompt: &&Prompt| prompt.group == Group::Long;
        if let Some(prompt) = prompts.iter().find(|prompt| long(prompt) && !is_long(prompt.tokens.len())) {
            notes.push(format!(
                "A context of {context} tokens takes no text of 1,500 tokens; the longest here has {}.",
                prompt.tokens.len()
            ));
        }
        match (template, chats_too, connected.abilities.thinks) {
            (None, true, _) => {
                notes.push("The reference has no chat template, so that of the server remains open.".to_string())
            }
            (Some(template), true, None) => {
                for messages in chats(connected.abilities.system) {
                    let prompt = of_chat(Group::Chats, messages, template)?;
                    prompts.extend((prompt.tokens.len() + REPLY_TOKENS <= context).then_some(prompt));
                }
            }
            (Some(_), true, Some(mark)) => notes.push(format!(
                "The server's template has the model think first ({mark}), so that its chats are not compared; \
                 --template-var switches that off, as enable_thinking=false."
            )),
            (_, false, _) => {}
        }
        anyhow::ensure!(
            !prompts.is_empty(),
            "the server gives no completions, and its chats cannot be compared with a reference without a chat template"
        );
        Ok(prompts)
    }

    /// Asks the server all prompts, one at a time, so that its other load moves nothing.
    fn ask(&self, connected: &Connected, way: Way, prompts: Vec<Prompt>) -> anyhow::Result<AskedAll> {
        let shown = Shown::new();
        let mut after = shown.counting("asking the server", "prompts");
        let all = prompts.len();
        let mut asked = AskedAll::default();
        let (mut foreign, mut failed) = (BTreeMap::new(), Vec::new());
        after(0, all);
        for (number, prompt) in prompts.into_iter().enumerate() {
            match way.ask(connected, &self.model.text.tokenizer, &prompt) {
                Ok(answer) => asked.answered.push((prompt, answer)),
                Err(NoAnswer::Tokens(why)) => foreign.entry(prompt.group).or_insert_with(Vec::new).push(why),
                Err(NoAnswer::Failed(why)) => failed.push(why),
            }
            after(number + 1, all);
        }
        for (group, whys) in foreign {
            let first = whys.first().map(String::as_str).unwrap_or_default();
            let what = match group {
                Group::Chats => counted(whys.len(), "chat"),
                _ => counted(whys.len(), "text"),
            };
            asked.faults.push(format!("{what} with other tokens: {first}."));
        }
        if let Some(first) = failed.first() {
            anyhow::ensure!(failed.len() < all, "the server answers none of the {all} prompts: {first}");
            asked.failed = Some(format!("{} of {all} prompts have no answer: {first}.", failed.len()));
        }
        Ok(asked)
    }

    /// Computes the same with the reference, and compares.
    fn parts(&self, way: Way, answered: &[(Prompt, Answer)]) -> anyhow::Result<Vec<Part>> {
        let LoadedModel { spec, text, computing, .. } = &self.model;
        let (tokenizer, memory) = (&text.tokenizer, self.model.memory());
        let valued = |(prompt, answer): &'_ (Prompt, Answer)| match answer {
            Answer::Values { request, values } => Some((prompt.group, request.clone(), values.clone())),
            Answer::Reply(_) => None,
        };
        let values: Vec<(Group, Request, Vec<f32>)> = answered.iter().filter_map(valued).collect();
        let replied: Vec<(&Prompt, &Reply)> = answered
            .iter()
            .filter_map(|(prompt, answer)| match answer {
                Answer::Reply(reply) => Some((prompt, reply)),
                Answer::Values { .. } => None,
            })
            .collect();
        let requests: Vec<Request> = values.iter().map(|(_, request, _)| request.clone()).collect();
        let prompts: Vec<&Prompt> = replied.iter().map(|(prompt, _)| *prompt).collect();
        eprintln!(
            "note: {} computes the same prompts here on {} in bf16, q4_0 and f32; on a CPU this can take minutes",
            self.name, computing.choice
        );
        let mut computed = Vec::new();
        let mut of_replies = Vec::new();
        for precision in PRECISIONS {
            let weights = self.model.files.open()?.1.with_experts(computing.experts);
            let load = || Decoder::load(spec.clone(), weights, &computing.device, precision);
            let decoder = Shown::during("loading weights", load)?;
            let shown = Shown::new();
            let what = format!("computing in {}", precision.name());
            let mut after = shown.counting(&what, "tokens");
            computed.push(compute(&decoder, tokenizer, memory, &requests, &prompts, &mut after)?);
            if let (Precision::F32, [bf16, q4_0, own]) = (precision, &computed[..]) {
                let server: Vec<&Reply> = replied.iter().map(|(_, reply)| *reply).collect();
                for other in [server, bf16.replies.iter().collect(), q4_0.replies.iter().collect()] {
                    of_replies.push(margins(&decoder, tokenizer, memory, &prompts, &own.replies, &other)?);
                }
            }
        }
        let [bf16, q4_0, own] = &computed[..] else { unreachable!("each precision is computed") };
        let mut parts = Vec::new();
        for group in Group::ALL {
            let chosen: Vec<usize> = (0..values.len()).filter(|&at| values[at].0 == group).collect();
            let of = |all: &Computed| -> Vec<f32> { chosen.iter().flat_map(|&at| all.values[at].clone()).collect() };
            let server: Vec<f32> = chosen.iter().flat_map(|&at| values[at].2.clone()).collect();
            let reference = of(own);
            let moves = |other: &[f32]| Moves::between(&reference, other);
            let each = [("f32", own), ("bf16", bf16), ("q4_0", q4_0)]
                .map(|(name, computed)| Some((name, Moves::between(&of(computed), &server)?)));
            let nearest = each.into_iter().flatten().min_by(|(_, one), (_, next)| one.mean.total_cmp(&next.mean));
            if let (Some((nearest, server)), Some(bf16), Some(q4_0)) = (nearest, moves(&of(bf16)), moves(&of(q4_0))) {
                let kind = if matches!(way, Way::Ends(_)) { Kind::Next } else { Kind::Values };
                let verdict = judge(kind, reference.len(), &server, &[bf16, q4_0]);
                let (prompts, compared) = (chosen.len(), reference.len());
                parts.push(Part { group, prompts, compared, alike: None, nearest, server, bf16, q4_0, verdict });
            }
            let chosen: Vec<usize> = (0..replied.len()).filter(|&at| prompts[at].group == group).collect();
            let [server, bf16, q4_0] = &of_replies[..] else { continue };
            let of = |all: &[f64]| Moves::from_margins(chosen.iter().map(|&at| all[at]).collect());
            if let (Some(moves), Some(bf16), Some(q4_0)) = (of(server), of(bf16), of(q4_0)) {
                let alike = chosen.iter().filter(|&&at| replied[at].1.text == own.replies[at].text).count();
                let verdict = judge(Kind::Replies, chosen.len(), &moves, &[bf16, q4_0]);
                let (prompts, alike) = (chosen.len(), Some(alike));
                let (compared, nearest) = (prompts, "f32");
                parts.push(Part { group, prompts, compared, alike, nearest, server: moves, bf16, q4_0, verdict });
            }
        }
        Ok(parts)
    }
}

/// The server's answers.
#[derive(Default)]
struct AskedAll {
    answered: Vec<(Prompt, Answer)>,
    faults: Vec<String>,
    /// How many prompts have no answer, and why.
    failed: Option<String>,
}

impl Part {
    fn kind(&self) -> Kind {
        if self.alike.is_some() { Kind::Replies } else { Kind::Values }
    }

    /// Describes what is wrong.
    fn fault(&self) -> String {
        let typical = |moves: &Moves| moves.typical(self.kind());
        let control = typical(&self.bf16).max(typical(&self.q4_0));
        let what = match self.alike {
            Some(alike) => format!(
                "{alike} of {} replies are the same; where they first differ, the reference finds its own token likelier by",
                self.compared
            ),
            None => "the server's log-probabilities lie apart from the reference's by".to_string(),
        };
        let correlation = self.server.correlation.map_or(String::new(), |value| format!(", correlation {value:.4}"));
        format!(
            "{}: {what} {:.4} nats, its own control by {control:.4}{correlation}.",
            capitalised(self.group.in_words()),
            typical(&self.server)
        )
    }
}

impl ReferenceCheck {
    /// Returns the conclusion.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Returns why the server runs something else, on one line.
    pub fn why(&self) -> String {
        self.faults.join(" ")
    }

    /// Renders the comparison for a terminal, within 80 columns.
    pub fn text(&self) -> String {
        let row = |part: &Part| {
            let number = |moves: &Moves| Value::places(moves.typical(part.kind()), 4);
            cells![
                part.group.in_words(),
                match part.alike {
                    Some(alike) => Value::from(alike).unit(format!("/{}", part.compared)),
                    None => part.compared.into(),
                },
                number(&part.server),
                part.nearest.to_string(),
                number(&part.bf16),
                number(&part.q4_0),
                Value::places(part.server.correlation, 4),
                part.verdict.in_words(),
            ]
        };
        let header = ["", "compared", "server", "nearest", "bf16", "q4_0", "corr.", "verdict"];
        let grid = Grid::new("", 1, header, self.parts.iter().map(row));
        let how = match self.compared {
            "top" => "the likeliest next tokens",
            "replies" => "greedy replies",
            _ => "all tokens",
        };
        let before = [
            ("reference", format!("{}, computed here on {}", self.model, self.device)),
            ("compared", format!("{how} ({})", self.compared)),
        ];
        let conclusion = match self.verdict {
            Verdict::Same => "The server runs this model, as far as its numbers tell.",
            Verdict::Open => "Whether the server runs this model cannot be told.",
            Verdict::Other => "The server does not run this model as the reference does.",
        };
        let scale = "Compared: values, or replies that are the same. Nats apart (median; of replies the mean margin at the first difference): the server from the nearest of the \
                     reference in f32, bf16 and q4_0, with which it correlates; and the reference in bf16 and q4_0 from itself in f32.";
        let after = [scale.to_string()].into_iter().chain(self.notes.iter().chain(&self.faults).cloned());
        let after: Vec<String> = after.chain([conclusion.to_string()]).map(|line| crate::table::wrap(&line)).collect();
        render_grid(&before, &grid, &after, Format::Terminal, Screen { width: Some(80) })
    }
}
