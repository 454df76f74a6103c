//! Probes a local model.

use std::ops::ControlFlow;

use super::score::{After, Answers, Drawn, Generates, ProbeError, Question, Scores, Skip, Spoken, Unanswered};
use crate::chat::Message;
use crate::decoder::Decoder;
use crate::engine::{
    self, ContextRequest, GenerateProgress, GenerateRequest, Limits, Reply, Request, RequestError, Sampling,
    TokenScores, generate,
};
use crate::model::{ChatTemplate, RenderSettings, Sequence, Tokenizer, render_or_merge};

/// Distinct tokens from which the next story begins another pass.
const BATCH_TOKENS: usize = 512;

/// A model that scores texts.
#[derive(Clone, Copy)]
pub struct Scorer<'a> {
    /// The model's weights.
    pub decoder: &'a Decoder,
    pub tokenizer: &'a Tokenizer,
    /// Bytes for keys, values and activations.
    pub memory: u64,
}

/// A model that writes replies.
pub struct Speaker<'a> {
    /// The model.
    pub scorer: Scorer<'a>,
    /// Its chat template, if any.
    pub template: Option<&'a ChatTemplate>,
    /// Settings for rendering the template.
    pub render: RenderSettings,
}

impl Scorer<'_> {
    /// Scores of the requests that are valid and fit into the model's context.
    fn score(&self, requests: Vec<Result<Request, RequestError>>, after: After<'_>) -> Answers<Vec<TokenScores>> {
        let limit = self.decoder.spec().max_position;
        let mut fitting = Vec::new();
        let fit = |request: Result<Request, RequestError>| {
            let request = request.map_err(Unanswered::Text)?;
            if request.longest() > limit {
                return Err(Unanswered::Skip(Skip::TooLong));
            }
            fitting.push(request);
            Ok(())
        };
        let fits: Vec<Result<(), Unanswered>> = requests.into_iter().map(fit).collect();
        let scores = match fitting.is_empty() {
            true => Vec::new(),
            false => engine::score(self.decoder, &fitting, self.memory, after)?,
        };
        let mut scores = scores.into_iter();
        Ok(fits.into_iter().map(|fits| fits.map(|()| scores.next().unwrap_or_default())).collect())
    }

    /// Reads the last token of each text, after the tokenizer's first token, and passes the text's number, its number of
    /// tokens and its residual stream, `(layers + 1, hidden)` before the final norm, to `each`, in order. Texts longer than
    /// the model's context are left out. Texts that follow one another share their beginnings.
    pub fn states(
        &self,
        texts: &[String],
        after: After<'_>,
        each: &mut dyn FnMut(usize, usize, &[f32]) -> Result<(), ProbeError>,
    ) -> Result<(), ProbeError> {
        let limit = self.decoder.spec().max_position;
        let mut batch: Vec<(usize, Vec<u32>)> = Vec::new();
        let mut distinct = 0;
        for (number, text) in texts.iter().enumerate() {
            let tokens = self.tokenizer.encode(text, true)?;
            if tokens.len() <= limit {
                let before = batch.last().map_or(&[][..], |(_, tokens)| tokens);
                let common = before.iter().zip(&tokens).take_while(|(one, other)| one == other).count();
                // A text of another story begins a batch.
                if distinct >= BATCH_TOKENS && common * 2 < tokens.len() {
                    self.read_batch(std::mem::take(&mut batch), each)?;
                    distinct = 0;
                }
                distinct += tokens.len() - if batch.is_empty() { 0 } else { common };
                batch.push((number, tokens));
            }
            after(number + 1, texts.len());
        }
        self.read_batch(batch, each)
    }

    fn read_batch(
        &self,
        batch: Vec<(usize, Vec<u32>)>,
        each: &mut dyn FnMut(usize, usize, &[f32]) -> Result<(), ProbeError>,
    ) -> Result<(), ProbeError> {
        let (numbers, tokens): (Vec<usize>, Vec<Vec<u32>>) = batch.into_iter().unzip();
        let states = engine::last_states(self.decoder, &tokens)?;
        numbers
            .iter()
            .zip(&tokens)
            .zip(states)
            .try_for_each(|((&number, tokens), values)| each(number, tokens.len(), &values))
    }

    /// Request that scores every token of a text except the first.
    fn whole_text(&self, text: &str) -> Result<Request, RequestError> {
        let (tokens, scored_from) = self.tokenizer.encode_whole(text)?;
        let context = tokens[..scored_from].to_vec();
        Request::new(context, vec![Sequence { tokens, scored_from }])
    }
}

impl Scores for Scorer<'_> {
    fn continuations(&self, texts: &[ContextRequest], after: After<'_>) -> Answers<Vec<TokenScores>> {
        self.score(Request::encode_all(self.tokenizer, texts), after)
    }

    fn whole(&self, texts: &[String], after: After<'_>) -> Answers<Vec<TokenScores>> {
        self.score(texts.iter().map(|text| self.whole_text(text)).collect(), after)
    }
}

impl Speaker<'_> {
    fn request(&self, question: &Question) -> Result<Result<GenerateRequest, Unanswered>, ProbeError> {
        let messages = [Message::user(&question.text)];
        let rendered = render_or_merge(self.template, &messages, &self.render)?;
        let Scorer { decoder, tokenizer, .. } = self.scorer;
        let tokens = || -> Result<_, RequestError> {
            let prompt = tokenizer.encode(&rendered.text, rendered.add_special)?;
            let most = question.most.tokens(|text| tokenizer.encode(text, false).map(|tokens| Some(tokens.len())))?;
            Ok((prompt, most))
        };
        Ok(match tokens() {
            Err(error) => Err(Unanswered::Text(error)),
            Ok((prompt, most)) if prompt.len() + most > decoder.spec().max_position => {
                Err(Unanswered::Skip(Skip::TooLong))
            }
            Ok((prompt, max_tokens)) => Ok(GenerateRequest {
                prompt: prompt.into(),
                key: question.key.clone(),
                sample: question.sample,
                max_tokens,
            }),
        })
    }

    fn written(&self, requests: &[GenerateRequest], drawn: Drawn, after: After<'_>) -> Result<Vec<Reply>, ProbeError> {
        let Scorer { decoder, tokenizer, memory } = self.scorer;
        let sampling = Sampling {
            temperature: drawn.temperature,
            seed: drawn.seed,
            ..Sampling::greedy(tokenizer.stop_ids().to_vec())
        };
        let limits = Limits { memory, ..Limits::default() };
        let mut replies: Vec<(usize, Reply)> = Vec::with_capacity(requests.len());
        let mut on_reply = |request, reply| {
            replies.push((request, reply));
            ControlFlow::Continue(())
        };
        let mut after_step = |progress: &GenerateProgress| {
            after(progress.ended, progress.ended + progress.live + progress.waiting);
            ControlFlow::Continue(())
        };
        let _ = generate(decoder, Some(tokenizer), requests, &sampling, limits, &mut on_reply, &mut after_step)?;
        replies.sort_by_key(|(request, _)| *request);
        Ok(replies.into_iter().map(|(_, reply)| reply).collect())
    }
}

impl Generates for Speaker<'_> {
    fn replies(&self, questions: &[Question], drawn: Drawn, after: After<'_>) -> Answers<Spoken> {
        let mut requests = Vec::new();
        let mut fits = Vec::with_capacity(questions.len());
        for question in questions {
            fits.push(self.request(question)?.map(|request| requests.push(request)));
        }
        let replies = if requests.is_empty() { Vec::new() } else { self.written(&requests, drawn, after)? };
        let mut replies = replies.into_iter();
        let spoken = |reply: Reply| Spoken { cut: reply.end.is_cut(), text: reply.text.unwrap_or_default() };
        let missing = || Unanswered::Failed("no reply was written".to_string());
        let of = |fits: Result<(), Unanswered>| fits.and_then(|()| replies.next().map(spoken).ok_or_else(missing));
        Ok(fits.into_iter().map(of).collect())
    }
}
