//! A model on a server that is probed.

use std::convert::Infallible;

use super::score::{After, Drawn, ProbeError, Question, Scores, Skip, Speaks, Spoken, Unanswered};
use crate::backend::{Inquiry, Reply, ReplyDraws, ServerSetup, Unsupported};
use crate::engine::ContextRequest;
use crate::progress::Tracker;
use crate::prompt::{Ask, Message, Prompt};
use crate::record::{Failure, FailureKind};
use crate::server::Draws;

/// What it is called in messages.
const SERVER: &str = "server";

/// A model on a server. Texts are scored by log-probabilities of prompts, which [`ServerSetup::mode`] has to be.
pub struct ServedModel<'a> {
    /// Who is asked, and how. How replies are drawn is taken from the probe.
    pub setup: ServerSetup<'a>,
    /// Keys that the server takes, with the values at which they change no draw.
    pub neutral: serde_json::Map<String, serde_json::Value>,
}

impl From<Failure> for Unanswered {
    fn from(failure: Failure) -> Self {
        match failure.kind {
            FailureKind::TooLong => Unanswered::Skip(Skip::TooLong),
            _ => Unanswered::Failed(failure.message),
        }
    }
}

impl From<Unsupported> for Unanswered {
    fn from(error: Unsupported) -> Self {
        Unanswered::Failed(error.to_string())
    }
}

impl ServedModel<'_> {
    /// The log-probabilities of each continuation of each ask.
    fn scored(&self, asks: Vec<Ask>, after: After<'_>) -> Vec<Result<Vec<Vec<f32>>, Unanswered>> {
        let answers = Inquiry::new(asks).answers(self.setup.clone(), &Tracker::default(), after);
        let logprobs = |answer: Result<Reply, Failure>| {
            let scores = answer?.scores(SERVER)?;
            Ok(scores.continuations.into_iter().map(|continuation| continuation.scores.logprobs).collect())
        };
        answers.into_iter().map(logprobs).collect()
    }
}

impl Scores for ServedModel<'_> {
    fn continuations(
        &self,
        texts: &[ContextRequest],
        after: After<'_>,
    ) -> Result<Vec<Result<Vec<f64>, Unanswered>>, ProbeError> {
        let ask = |text: &ContextRequest| Ask {
            prompt: Prompt { messages: vec![Message::user(&text.context)], ..Prompt::default() },
            continuations: text.continuations.clone(),
        };
        let scored = self.scored(texts.iter().map(ask).collect(), after);
        let sum = |logprobs: &Vec<f32>| logprobs.iter().map(|&logprob| f64::from(logprob)).sum();
        Ok(scored.into_iter().map(|each| each.map(|each| each.iter().map(sum).collect())).collect())
    }

    fn tokens(&self, texts: &[String], after: After<'_>) -> Result<Vec<Result<Vec<f32>, Unanswered>>, ProbeError> {
        // Without a prompt, all of a continuation is scored.
        let ask = |text: &String| Ask { continuations: vec![text.clone()], ..Ask::default() };
        let scored = self.scored(texts.iter().map(ask).collect(), after);
        Ok(scored.into_iter().map(|each| each.map(|mut each| each.pop().unwrap_or_default())).collect())
    }
}

impl Speaks for ServedModel<'_> {
    fn replies(
        &self,
        questions: &[Question],
        drawn: Drawn,
        after: After<'_>,
    ) -> Result<Vec<Result<Spoken, Unanswered>>, ProbeError> {
        let tokenizer = self.setup.prompts.tokenizer;
        let mut requests = Vec::with_capacity(questions.len());
        let mut asks = Vec::with_capacity(questions.len());
        for question in questions {
            let count = |text: &str| tokenizer.and_then(|tokenizer| tokenizer.encode(text, false).ok());
            let Ok(most) = question.most.tokens(|text| Ok::<_, Infallible>(count(text).map(|tokens| tokens.len())));
            requests.push((question.key.clone(), question.sample, most));
            asks.push(Ask {
                prompt: Prompt { messages: vec![Message::user(&question.text)], ..Prompt::default() },
                continuations: Vec::new(),
            });
        }
        let draws = ReplyDraws {
            all: Draws { temperature: drawn.temperature, ..Draws::default() },
            neutral: self.neutral.clone(),
            seed: (drawn.temperature > 0.0).then_some(drawn.seed),
            requests,
        };
        let setup = ServerSetup { draws: Some(draws), mode: None, ..self.setup.clone() };
        let answers = Inquiry::new(asks).answers(setup, &Tracker::default(), after);
        let spoken = |answer: Result<Reply, Failure>| {
            let written = answer?.written(SERVER)?;
            Ok(Spoken { text: written.text, cut: written.cut })
        };
        Ok(answers.into_iter().map(spoken).collect())
    }
}
