//! Tokenizes prompts into requests; common prefixes of neighbours are tokenized and stored once.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use rayon::prelude::*;

use super::request::{ContextRequest, Continuation, Request, RequestError};
use super::shared::{SharedList, remember};
use crate::model::{EncodedContext, Tail, Tokenizer};

/// Most continuations remembered for one prompt ending.
const MOST_CONTINUATIONS: usize = 4096;

/// Prompts tokenized in sequence, where a shared prefix costs nothing extra; few enough to keep many threads busy.
const TOGETHER: usize = 32;

/// Tokenizes prompts in sequence. Earlier prompts affect the speed, never the result.
pub struct Encoder<'t> {
    tokenizer: &'t Tokenizer,
    prompts: VecDeque<Recent<'t>>,
    ends: VecDeque<End>,
    lists: VecDeque<Arc<[Continuation]>>,
}

/// The last prompt of those that share a prefix.
struct Recent<'t> {
    context: EncodedContext<'t>,
    beginning: Arc<[u32]>,
}

/// Continuations after prompts with the same ending.
struct End {
    text: String,
    ids: Vec<u32>,
    known: HashMap<String, Continuation>,
}

impl<'t> Encoder<'t> {
    /// An encoder without memory of earlier prompts.
    pub fn new(tokenizer: &'t Tokenizer) -> Self {
        Encoder { tokenizer, prompts: VecDeque::new(), ends: VecDeque::new(), lists: VecDeque::new() }
    }

    /// Its tokenizer.
    pub fn tokenizer(&self) -> &'t Tokenizer {
        self.tokenizer
    }

    /// Tokenizes a prompt with its continuations; `add_special` as in [`super::ContextRequest`].
    ///
    /// # Errors
    /// A text that cannot be tokenized, or a continuation without a token of its own or without a token before it.
    pub fn encode(
        &mut self,
        prompt: String,
        continuations: &[String],
        add_special: bool,
    ) -> Result<Request, RequestError> {
        let like = (0..self.prompts.len()).max_by_key(|&at| self.prompts[at].context.common_bytes(&prompt));
        let context = match like {
            Some(at) => self.tokenizer.context_like(&self.prompts[at].context, prompt, add_special)?,
            None => self.tokenizer.context(prompt, add_special)?,
        };
        let continuations = self.continuations(&context, continuations)?;
        let sharing = like.and_then(|at| Some((at, SharedList::sharing(context.ids(), &self.prompts[at].beginning)?)));
        let tokens = match sharing {
            Some((at, tokens)) => {
                self.prompts[at].context = context;
                tokens
            }
            None => {
                let tokens = SharedList::new(context.ids());
                remember(&mut self.prompts, Recent { context, beginning: Arc::clone(&tokens.beginning) });
                tokens
            }
        };
        Ok(Request::of_parts(tokens, continuations))
    }

    fn continuations(
        &mut self,
        context: &EncodedContext<'_>,
        texts: &[String],
    ) -> Result<Arc<[Continuation]>, RequestError> {
        let length = context.ids().len();
        let encode = |text: &String| -> Result<Continuation, RequestError> {
            let Tail { keep, tokens } = context.tail(text)?;
            Ok(Continuation { back: (length - keep) as u32, tokens: tokens.into() })
        };
        let all: Vec<Continuation> = match context.end() {
            None => texts.iter().map(encode).collect::<Result<_, _>>()?,
            Some((text, ids)) => {
                let known = &mut self.after(text, ids).known;
                let each = texts.iter().map(|text| {
                    if let Some(known) = known.get(text) {
                        return Ok(known.clone());
                    }
                    let continuation = encode(text)?;
                    if known.len() < MOST_CONTINUATIONS {
                        known.insert(text.clone(), continuation.clone());
                    }
                    Ok(continuation)
                });
                each.collect::<Result<_, RequestError>>()?
            }
        };
        Ok(match self.lists.iter().find(|known| known[..] == all[..]) {
            Some(known) => Arc::clone(known),
            None => {
                let list: Arc<[Continuation]> = all.into();
                remember(&mut self.lists, Arc::clone(&list));
                list
            }
        })
    }

    /// Known continuations after this prompt ending.
    fn after(&mut self, text: &str, ids: &[u32]) -> &mut End {
        let at = match self.ends.iter().position(|end| end.text == text && end.ids == ids) {
            Some(at) => at,
            None => {
                let end = End { text: text.to_string(), ids: ids.to_vec(), known: HashMap::new() };
                remember(&mut self.ends, end);
                self.ends.len() - 1
            }
        };
        &mut self.ends[at]
    }
}

impl Request {
    /// Tokenizes a prompt with its continuations.
    pub fn encode(tokenizer: &Tokenizer, prompt: &ContextRequest) -> Result<Self, RequestError> {
        Encoder::new(tokenizer).encode(prompt.context.clone(), &prompt.continuations, prompt.add_special)
    }

    /// Tokenizes prompts in parallel; results are in the order of the prompts, and a failing prompt does not affect the
    /// others.
    pub fn encode_all(tokenizer: &Tokenizer, prompts: &[ContextRequest]) -> Vec<Result<Self, RequestError>> {
        let some = |prompts: &[ContextRequest]| {
            let mut encoder = Encoder::new(tokenizer);
            let encode = |prompt: &ContextRequest| {
                encoder.encode(prompt.context.clone(), &prompt.continuations, prompt.add_special)
            };
            prompts.iter().map(encode).collect::<Vec<_>>()
        };
        prompts.par_chunks(TOGETHER).flat_map_iter(some).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_about_one_story_hold_it_once_and_are_those_of_a_fresh_encoder() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/llama");
        let tokenizer = Tokenizer::from_folder(&folder).expect("the fixture has a tokenizer");
        let letters = ["A", "B", "C"].map(String::from);
        let prompts: Vec<String> = (0..60)
            .map(|number| match number % 3 {
                // The neutral prompt shared by all questions, and two presentations of the story.
                0 => "Question:\nAnswer:".to_string(),
                shown => format!("{}\nQuestion {number}?\nAnswer:", "Ann hides the tea.\n".repeat(20 * shown)),
            })
            .collect();
        let mut encoder = Encoder::new(&tokenizer);
        let requests: Vec<Request> =
            prompts.iter().map(|prompt| encoder.encode(prompt.clone(), &letters, true).unwrap()).collect();
        for (request, prompt) in requests.iter().zip(&prompts) {
            let prompt = ContextRequest { context: prompt.clone(), continuations: letters.to_vec(), add_special: true };
            assert_eq!(*request, Request::encode(&tokenizer, &prompt).unwrap());
        }
        let (beginnings, own) = Request::held(&requests);
        assert_eq!(beginnings, 3);
        assert!(own < 40 * requests.len(), "{own} tokens of their own");
        let lists: std::collections::HashSet<*const Continuation> =
            requests.iter().map(Request::continuations_at).collect();
        assert_eq!(lists.len(), 1);
    }

    #[test]
    fn a_bad_continuation_leaves_the_encoder_as_it_was() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/llama");
        let tokenizer = Tokenizer::from_folder(&folder).expect("the fixture has a tokenizer");
        let mut encoder = Encoder::new(&tokenizer);
        let mut encode = |continuation: &str| encoder.encode("in\nthe".to_string(), &[continuation.to_string()], true);
        let first = encode(" A").unwrap();
        assert!(encode("").is_err());
        assert_eq!(encode(" A").unwrap(), first);
    }
}
