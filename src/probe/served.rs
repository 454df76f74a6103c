//! Probes a model on a server.

use std::convert::Infallible;

use super::score::{After, Answers, Drawn, Generates, Question, Scores, Skip, Spoken, Unanswered};
use crate::backend::{AskScores, GeneratedReply, Inquiry, ReplyDraws, ServerSetup};
use crate::chat::Message;
use crate::engine::{ContextRequest, TokenScores};
use crate::progress::Tracker;
use crate::prompt::{Ask, Prompt};
use crate::record::{Failure, FailureKind};
use crate::server::Draws;

/// A model on a server. Texts are scored by prompt log-probabilities; [`ServerSetup::mode`] must be set to that.
pub struct ServedModel<'a> {
    /// The server and its settings. The probe determines the sampling of replies.
    pub setup: ServerSetup<'a>,
    /// Keys that the server accepts, with the values at which they do not affect sampling.
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

impl ServedModel<'_> {
    /// The scores of each continuation of each ask.
    fn score(&self, asks: impl Iterator<Item = Ask>, after: After<'_>) -> Answers<Vec<TokenScores>> {
        let answers = Inquiry::new(asks).scores(self.setup.clone(), &Tracker::default(), after);
        let scores = |answer: Result<AskScores, Failure>| {
            Ok(answer?.continuations.into_iter().map(|continuation| continuation.scores).collect())
        };
        Ok(answers.into_iter().map(scores).collect())
    }
}

fn asking(text: &str, continuations: &[String]) -> Ask {
    let prompt = Prompt { messages: vec![Message::user(text)], ..Prompt::default() };
    Ask { prompt, continuations: continuations.to_vec() }
}

impl Scores for ServedModel<'_> {
    fn continuations(&self, texts: &[ContextRequest], after: After<'_>) -> Answers<Vec<TokenScores>> {
        self.score(texts.iter().map(|text| asking(&text.context, &text.continuations)), after)
    }

    fn whole(&self, texts: &[String], after: After<'_>) -> Answers<Vec<TokenScores>> {
        // Without a prompt, the whole continuation is scored.
        self.score(texts.iter().map(|text| Ask { continuations: vec![text.clone()], ..Ask::default() }), after)
    }
}

impl Generates for ServedModel<'_> {
    fn replies(&self, questions: &[Question], drawn: Drawn, after: After<'_>) -> Answers<Spoken> {
        let tokenizer = self.setup.prompts.tokenizer;
        let mut requests = Vec::with_capacity(questions.len());
        let mut asks = Vec::with_capacity(questions.len());
        for question in questions {
            let count = |text: &str| tokenizer.and_then(|tokenizer| tokenizer.encode(text, false).ok());
            let Ok(most) = question.most.tokens(|text| Ok::<_, Infallible>(count(text).map(|tokens| tokens.len())));
            requests.push((question.key.clone(), question.sample, most));
            asks.push(asking(&question.text, &[]));
        }
        let draws = ReplyDraws {
            all: Draws { temperature: drawn.temperature, ..Draws::default() },
            neutral: self.neutral.clone(),
            seed: (drawn.temperature > 0.0).then_some(drawn.seed),
            requests,
            budgets: Vec::new(),
        };
        let setup = ServerSetup { draws: Some(draws), mode: None, ..self.setup.clone() };
        let answers = Inquiry::new(asks).replies(setup, &Tracker::default(), after);
        let spoken = |answer: Result<GeneratedReply, Failure>| {
            let written = answer?;
            Ok(Spoken { text: written.text, cut: written.cut })
        };
        Ok(answers.into_iter().map(spoken).collect())
    }
}
