//! Probes a server for its models and abilities.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::client::{Answer, Client};
use super::error::{Grade, ServerError};
use super::labels::Alternatives;
use super::neutral::{has_penalties, sets, with_neutral};
use super::program::Program;
use super::prompt_scores::{PromptScores, has_same_length};
use super::protocol::{
    Draws, Usage, chat, complete, complete_ids, named_ids, of_chat, of_completion, post, prompt_scores_of, top,
};
use super::sglang::{self, generate_named, generate_named_of_text, generate_scored};
use super::thinking::opens_thought;
use crate::chat::Message;
use crate::model::{Tokenizer, TokenizerError};

/// Prompt of the probes.
const PROMPT: &str = "The sun rises in the east and sets in the";

/// Question of the probes of chats.
const QUESTION: &str = "Answer with one letter: A or B?";

/// A text to tokenize, for two tokens that the server's model must know.
const SAMPLE: &str = " east west";

/// One token in every vocabulary, to detect other tokens in a prompt.
const LETTER: &str = "a";

/// Numbers of most likely tokens to request, largest first: llama.cpp has no limit, vLLM 20 by default, OpenAI 20 in
/// chats and 5 elsewhere.
const TOPS: [usize; 3] = [100, 20, 5];

/// Number that every server returns if it returns any.
const FEW: usize = 5;

/// Number of prompt log-probabilities compared.
const CHECKED: usize = 2;

/// Tolerance between two reports of the same log-probability: a server's arithmetic depends on its other load.
pub const SAME: f32 = 0.1;

/// Self-description of a server.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ServerFacts {
    /// The server's program, according to its answers.
    pub program: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// The models it lists.
    pub models: Vec<Listed>,
    /// The program, if its prefix cache can be controlled.
    #[serde(skip)]
    pub controlled: Option<Program>,
}

/// A model that a server lists.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Listed {
    /// The model's name on the server.
    pub name: String,
    /// Its longest sequence, in tokens; null if the server does not say.
    pub context: Option<usize>,
    /// Path or repository of its weights; null if the server does not say.
    pub root: Option<String>,
    /// How its weights are quantised; null if the server does not say.
    pub quantization: Option<String>,
}

/// Source of log-likelihoods.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScoreMode {
    /// From vLLM's `prompt_logprobs`: exact for any text.
    PromptLogprobs,
    /// From the `logprobs` of an `echo`: exact for any text.
    Echo,
    /// From tokens named by id at each inner node of the continuations' token trie: exact for any text.
    TokenTrie,
    /// From the log-probabilities of a prompt's last tokens by SGLang's own route: exact for any text.
    SglangPrompt,
    /// From tokens named by id: exact for labels of one token.
    NamedIds,
    /// Like `NamedIds`, by SGLang's own route.
    SglangIds,
    /// From the most likely first tokens of a completion: for labels of one token, with bounds for those not among
    /// them.
    Top(usize),
    /// Like `Top`, from a chat completion, whose prompt the server writes.
    ChatTop(usize),
}

impl ScoreMode {
    /// Whether texts of several tokens have a log-likelihood.
    pub fn takes_texts(self) -> bool {
        matches!(self, ScoreMode::PromptLogprobs | ScoreMode::Echo | ScoreMode::TokenTrie | ScoreMode::SglangPrompt)
    }

    /// Name in the manifest, and the number of likeliest tokens requested, if any.
    pub fn name(self) -> (&'static str, Option<usize>) {
        match self {
            ScoreMode::PromptLogprobs => ("prompt-logprobs", None),
            ScoreMode::Echo => ("echo", None),
            ScoreMode::TokenTrie => ("token-trie", None),
            ScoreMode::SglangPrompt => ("sglang-prompt-logprobs", None),
            ScoreMode::NamedIds => ("named-ids", None),
            ScoreMode::SglangIds => ("sglang-named-ids", None),
            ScoreMode::Top(most) => ("top", Some(most)),
            ScoreMode::ChatTop(most) => ("chat-top", Some(most)),
        }
    }

    /// Describes the mode in a few words.
    pub fn described(self) -> String {
        match self {
            ScoreMode::PromptLogprobs => "log-probabilities of the prompt (prompt_logprobs), exact".to_string(),
            ScoreMode::Echo => "log-probabilities of the prompt (echo), exact".to_string(),
            ScoreMode::TokenTrie => {
                "log-probabilities of named tokens (logprob_token_ids) along the token trie of each prompt's continuations, exact"
                    .to_string()
            }
            ScoreMode::SglangPrompt => {
                "log-probabilities of the prompt's end (SGLang's /generate, logprob_start_len), exact".to_string()
            }
            ScoreMode::SglangIds => {
                "log-probabilities of named tokens (SGLang's /generate, token_ids_logprob), exact for labels of one token"
                    .to_string()
            }
            ScoreMode::NamedIds => {
                "log-probabilities of named tokens (logprob_token_ids), exact for labels of one token".to_string()
            }
            ScoreMode::Top(most) => {
                format!("the {most} likeliest first tokens of completions, with bounds for other labels")
            }
            ScoreMode::ChatTop(most) => {
                format!("the {most} likeliest first tokens of chats, with bounds for other labels")
            }
        }
    }
}

/// Model and configuration named in a server's answer.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Answered {
    /// Name of the model.
    pub model: Option<String>,
    /// Fingerprint of the configuration that answered.
    pub fingerprint: Option<String>,
}

impl Answered {
    /// Reads the names from an answer.
    pub fn from_json(json: &Value) -> Self {
        let text =
            |name: &str| json.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_string);
        Answered { model: text("model"), fingerprint: text("system_fingerprint") }
    }
}

/// Abilities of a server for a model; missing ones have a reason.
#[derive(Debug, Clone, PartialEq)]
pub struct Abilities {
    /// Whether it answers chats.
    pub chat: Result<(), String>,
    /// Whether its template takes a system message.
    pub system: bool,
    /// Mark of thinking before the answer, if its template enables that.
    pub thinks: Option<&'static str>,
    /// Whether it continues prompts.
    pub completions: Result<(), String>,
    /// Whether it puts its own token in front of a prompt although told not to, as llama.cpp's servers do.
    pub begins: bool,
    /// Keys that it accepts, with the values at which they have no effect on a reply.
    pub neutral: Map<String, Value>,
    /// Mode for log-probabilities of the prompt.
    pub prompt: Result<ScoreMode, String>,
    /// Mode for log-probabilities of named tokens.
    pub named: Result<ScoreMode, String>,
    /// Log-probabilities of named tokens after a prompt that is given as tokens, as the token trie needs them.
    pub trie: Result<(), String>,
    /// Number of most likely first tokens that a completion returns.
    pub top: Result<usize, String>,
    /// The same number for a chat.
    pub chat_top: Result<usize, String>,
    /// Names in the answers.
    pub answered: Answered,
}

fn text(json: &Value, name: &str) -> Option<String> {
    json.get(name).and_then(Value::as_str).map(str::to_string)
}

impl ServerFacts {
    /// Asks a server for its models and version.
    ///
    /// # Errors
    /// It does not list its models.
    pub fn from_client(client: &Client) -> Result<Self, ServerError> {
        let Answer { mut json, program } = client.get("/models")?;
        let Some(Value::Array(list)) = json.get_mut("data").map(Value::take) else {
            return Err(ServerError::odd("its list of models has no `data`"));
        };
        let controlled = Program::of(&list, program.as_deref());
        let number = |value: Option<&Value>| value.and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
        // A vector that grows takes up to three times what it holds.
        let mut models: Vec<Listed> = Vec::with_capacity(list.len());
        models.extend(list.into_iter().filter_map(|model| {
            let context = number(model.get("max_model_len"))
                .or_else(|| number(model.get("meta").and_then(|meta| meta.get("n_ctx"))))
                .or_else(|| number(model.get("context_length")));
            let (root, quantization) = (text(&model, "root"), text(&model, "quantization"));
            Some(Listed { name: text(&model, "id")?, context, root, quantization })
        }));
        let found = Self::beside(client);
        let version = found.as_ref().map(|(version, _)| version.clone());
        // What is said beside the list is about the only model.
        if let ([model], Some((_, json))) = (&mut models[..], &found) {
            let place = |name: &str| text(json, name).filter(|text| !text.is_empty());
            model.root = place("model_path").or(place("model_id")).or(model.root.take());
            let slot = json.get("default_generation_settings").and_then(|settings| settings.get("n_ctx"));
            model.context = model.context.or(number(slot));
            model.quantization = place("quantization").or(place("quantize")).or(model.quantization.take());
        }
        Ok(ServerFacts { program, version, models, controlled })
    }

    /// Returns the version, and the document beside the routes that gives it.
    fn beside(client: &Client) -> Option<(String, Value)> {
        // vLLM, llama.cpp, TGI, SGLang now and earlier.
        let places = [
            ("/version", "version"),
            ("/props", "build_info"),
            ("/info", "version"),
            ("/server_info", "version"),
            ("/get_server_info", "version"),
        ];
        places.into_iter().find_map(|(path, name)| {
            let json = client.get_beside(path).ok()?.json;
            Some((text(&json, name)?, json))
        })
    }
}

/// Tokens of a server's model known before asking; empty without a tokenizer.
#[derive(Debug, Clone, Default)]
pub struct KnownTokens {
    /// Tokens of `PROMPT`.
    prompt: Vec<u32>,
    ids: Vec<u32>,
    letter: Option<usize>,
}

impl KnownTokens {
    /// Finds the tokens with a tokenizer.
    ///
    /// # Errors
    /// It cannot tokenize a text.
    pub fn from_tokenizer(tokenizer: &Tokenizer) -> Result<Self, TokenizerError> {
        let ids = tokenizer.encode(SAMPLE, false)?.into_iter().take(2).collect();
        let prompt = tokenizer.encode(PROMPT, true)?;
        Ok(KnownTokens { prompt, ids, letter: Some(tokenizer.encode(LETTER, false)?.len()) })
    }

    fn letter_tokens(&self) -> usize {
        self.letter.unwrap_or(1)
    }
}

impl Abilities {
    /// Whether replies are sampled exactly by the run's settings, without a default penalty for repeated tokens.
    pub fn draws_plainly(&self) -> bool {
        has_penalties(&self.neutral)
    }

    /// Asks for one token, and returns the names in the answer.
    ///
    /// # Errors
    /// There is no answer.
    pub fn who_answers(client: &Client, model: &str, by_completions: bool) -> Result<Answered, ServerError> {
        let one = Draws::one_token();
        let body = match by_completions {
            true => complete(model, LETTER, true, &one),
            false => chat(model, &[Message::user(QUESTION)], &Map::new(), &one),
        };
        Ok(Answered::from_json(&post(client, &body)?.json))
    }

    /// Probes a server's abilities by a dozen short requests; `wanted` is a number of likeliest tokens to try first.
    ///
    /// # Errors
    /// It cannot be reached, requires a key, or has no such model.
    pub fn probe(
        client: &Client,
        model: &str,
        variables: &Map<String, Value>,
        known: &KnownTokens,
        wanted: Option<usize>,
    ) -> Result<Self, ServerError> {
        // Many servers lack some of these abilities, and a few say so by a 5xx.
        let hurried = client.with_retries(1);
        let mut probe = Probe { client: &hurried, model, wanted, answered: Answered::default() };
        let one = Draws::one_token();
        let user = [Message::user(QUESTION)];
        let asked = chat(model, &user, variables, &Draws { max_tokens: 4, ..one.clone() });
        let chatted = probe.may(&asked, of_chat)?;
        let thinks = match &chatted {
            Ok(wrote) if wrote.thinking.is_some() => Some("reasoning"),
            Ok(wrote) => opens_thought(&wrote.text),
            Err(_) => None,
        };
        let with_system = [Message::system("Be brief."), user[0].clone()];
        let system = chatted.is_ok()
            && probe.may(&chat(model, &with_system, variables, &one), |json| of_chat(json).map(drop))?.is_ok();
        let chat_top = match &chatted {
            Ok(_) => probe.most(|most| top(chat(model, &user, variables, &one), most))?,
            Err(reason) => Err(reason.clone()),
        };
        let completed = probe.may(&complete(model, PROMPT, false, &one), of_completion)?;
        let completions_top = match &completed {
            Ok(_) => probe.most(|most| top(complete(model, PROMPT, false, &one), most))?,
            Err(reason) => Err(reason.clone()),
        };
        let neutral = match (&chatted, &completed) {
            (Ok(_), _) => probe.neutral(&chat(model, &user, variables, &one), of_chat)?,
            (Err(_), Ok(_)) => probe.neutral(&complete(model, PROMPT, false, &one), of_completion)?,
            (Err(_), Err(_)) => Map::new(),
        };
        let letter = complete(model, LETTER, true, &one);
        let begins = completed.is_ok()
            && probe.may(&letter, of_completion)?.is_ok_and(|wrote| wrote.usage.prompt_tokens > known.letter_tokens());
        let (mut prompt, mut named, trie) = match &completed {
            Ok(wrote) => {
                let (named, trie) = probe.named(known)?;
                (probe.prompt_scores(wrote.usage.prompt_tokens)?, named, trie)
            }
            Err(reason) => (Err(reason.clone()), Err(reason.clone()), Err(reason.clone())),
        };
        if named.is_err() && !known.ids.is_empty() && sglang::is_there(&hurried) {
            match probe.sglang(known)? {
                Ok(()) => (named, prompt) = (Ok(ScoreMode::SglangIds), Ok(ScoreMode::SglangPrompt)),
                Err(why) => {
                    named = Err(format!("SGLang's /generate: {why}"));
                    prompt = prompt.map_err(|known| format!("{known}; SGLang's /generate: {why}"));
                }
            }
        }
        Ok(Abilities {
            chat: chatted.map(drop),
            system,
            thinks,
            completions: completed.map(drop),
            begins,
            neutral,
            prompt,
            named,
            trie,
            top: completions_top,
            chat_top,
            answered: probe.answered,
        })
    }
}

/// Log-probabilities of named tokens, after a prompt as text and as tokens.
type Named = (Result<ScoreMode, String>, Result<(), String>);

/// Checks that two ways of asking give the same values.
fn are_same(one: &[f32], other: &[f32]) -> Result<(), String> {
    match one.iter().zip(other).find(|(one, other)| (*one - *other).abs() > SAME) {
        None => Ok(()),
        Some((one, other)) => {
            Err(format!("a token has the log-probability {one:.3} by one request, but {other:.3} by another"))
        }
    }
}

struct Probe<'a> {
    client: &'a Client,
    model: &'a str,
    wanted: Option<usize>,
    answered: Answered,
}

impl Probe<'_> {
    /// Returns the result of a request, or why it cannot be used. A missing route is a missing ability.
    fn may<T>(
        &mut self,
        body: &Value,
        read: impl Fn(&Value) -> Result<T, ServerError>,
    ) -> Result<Result<T, String>, ServerError> {
        let answer = post(self.client, body);
        let answer = answer.and_then(|answer| Ok((read(&answer.json)?, Answered::from_json(&answer.json))));
        match answer {
            Ok((read, answered)) => {
                self.answered.model = self.answered.model.take().or(answered.model);
                self.answered.fingerprint = self.answered.fingerprint.take().or(answered.fingerprint);
                Ok(Ok(read))
            }
            // Some servers report missing abilities as internal errors.
            Err(error @ (ServerError::Absent { .. } | ServerError::Busy { status: 500 | 501, .. })) => {
                Ok(Err(error.to_string()))
            }
            Err(error) if error.grade() == Grade::Request => Ok(Err(error.to_string())),
            Err(error) => Err(error),
        }
    }

    /// Returns the largest set of keys without effect that the server accepts.
    fn neutral<T>(
        &mut self,
        body: &Value,
        read: impl Fn(&Value) -> Result<T, ServerError> + Copy,
    ) -> Result<Map<String, Value>, ServerError> {
        for keys in sets() {
            if self.may(&with_neutral(body.clone(), &keys), read)?.is_ok() {
                return Ok(keys);
            }
        }
        Ok(Map::new())
    }

    /// Returns the largest available number of most likely tokens.
    fn most(&mut self, body: impl Fn(usize) -> Value) -> Result<Result<usize, String>, ServerError> {
        let mut reason = String::new();
        for most in self.wanted.into_iter().chain(TOPS) {
            match self.may(&body(most), Alternatives::from_json)? {
                // Several tokens may have one text, so that fewer texts than the wanted number are no refusal of it.
                Ok(found) if found.len() > 1 && self.wanted == Some(most) => return Ok(Ok(most)),
                // Servers that return fewer than requested have their own limit.
                Ok(found) if found.len() > 1 => return Ok(Ok(found.len().min(most))),
                Ok(_) => reason = "it gives no alternatives to the generated token".to_string(),
                Err(why) => reason = why,
            }
        }
        Ok(Err(reason))
    }

    /// Finds a mode for log-probabilities of the prompt, given the number of tokens in `PROMPT`, checked against those
    /// of the same tokens when the server generates them.
    fn prompt_scores(&mut self, prompt_tokens: usize) -> Result<Result<ScoreMode, String>, ServerError> {
        let one = Draws::one_token();
        let likeliest = self.may(&top(complete(self.model, PROMPT, false, &one), FEW), Alternatives::from_json)?;
        let next: Vec<(String, f32)> = match &likeliest {
            Ok(likeliest) => likeliest.each().map(|(text, logprob)| (text.to_string(), logprob)).collect(),
            Err(_) => Vec::new(),
        };
        let mut reason = String::new();
        for (echo, mode) in [(false, ScoreMode::PromptLogprobs), (true, ScoreMode::Echo)] {
            match self.prompt_scores_by(echo, &next, prompt_tokens)? {
                Ok(()) => return Ok(Ok(mode)),
                Err(why) => reason = why,
            }
        }
        Ok(Err(reason))
    }

    /// Checks one mode, with tokens of known log-probability after `PROMPT`.
    fn prompt_scores_by(
        &mut self,
        echo: bool,
        next: &[(String, f32)],
        prompt_tokens: usize,
    ) -> Result<Result<(), String>, ServerError> {
        let one = Draws::one_token();
        let mut checked = 0;
        for (text, expected) in next {
            let whole = format!("{PROMPT}{text}");
            let body = prompt_scores_of(complete(self.model, &whole, false, &one), echo);
            let scores = match self.may(&body, PromptScores::from_json)? {
                Ok(scores) => scores,
                Err(why) => return Ok(Err(why)),
            };
            // A token that merges with the prompt proves nothing.
            if scores.prompt_tokens() != prompt_tokens + 1 {
                continue;
            }
            match scores.last() {
                Some(found) if (found - expected).abs() > SAME => {
                    return Ok(Err(format!(
                        "the prompt's last token has the log-probability {found:.3} there, but {expected:.3} when the server \
                         generates it"
                    )));
                }
                Some(_) => checked += 1,
                None => return Ok(Err("the prompt's last token has no log-probability".to_string())),
            }
            if checked == CHECKED {
                return Ok(Ok(()));
            }
        }
        if checked > 0 {
            return Ok(Ok(()));
        }
        // Unchecked values may belong to other tokens, so they are not trusted; a refusal keeps the server's wording.
        let body = prompt_scores_of(complete(self.model, PROMPT, false, &one), echo);
        Ok(self.may(&body, PromptScores::from_json)?.and_then(|_| {
            Err("could not check the prompt's log-probabilities against those of generated tokens".to_string())
        }))
    }

    /// Checks log-probabilities of named tokens, after a prompt as text and as tokens: a server that does not know the
    /// key answers with other tokens.
    fn named(&mut self, known: &KnownTokens) -> Result<Named, ServerError> {
        let KnownTokens { prompt, ids, .. } = known;
        if ids.is_empty() {
            let why = "token ids are unknown; name the model's tokenizer with --tokenizer";
            return Ok((Err(why.to_string()), Err(why.to_string())));
        }
        let values = |json: &Value| {
            let found = Alternatives::from_json(json)?;
            let each: Option<Vec<f32>> = ids.iter().map(|&id| found.of_id(id)).collect();
            each.ok_or_else(|| ServerError::odd("it does not support logprob_token_ids"))
        };
        let of_ids = |json: &Value| {
            has_same_length(Usage::from_json(json)?.prompt_tokens, prompt.len())?;
            values(json)
        };
        let body = named_ids(complete(self.model, PROMPT, false, &Draws::one_token()), ids);
        let by_text = match self.may(&body, values)? {
            Ok(by_text) => by_text,
            Err(why) => return Ok((Err(why.clone()), Err(why))),
        };
        let by_ids = self.may(&named_ids(complete_ids(self.model, prompt), ids), of_ids)?;
        Ok((Ok(ScoreMode::NamedIds), by_ids.and_then(|by_ids| are_same(&by_text, &by_ids))))
    }

    /// Checks SGLang's own route: a token's log-probability must be the same after the prompt as text and as tokens, and
    /// whether it is named or stands in the prompt.
    fn sglang(&mut self, known: &KnownTokens) -> Result<Result<(), String>, ServerError> {
        let KnownTokens { prompt, ids, .. } = known;
        let named = |json: &Value| {
            has_same_length(Usage::from_json(json)?.prompt_tokens, prompt.len())?;
            let found = Alternatives::of_sglang(json, ids.len())?;
            found.requested(ids[0])
        };
        let by_text = self.may(&generate_named_of_text(PROMPT, ids), named)?;
        let by_ids = self.may(&generate_named(prompt, ids), named)?;
        let whole = [&prompt[..], &ids[..1]].concat();
        let last = self.may(&generate_scored(&whole, 1), |json| {
            let scored = PromptScores::of_sglang(json, 1)?.by_ids(&whole, 1)?;
            Ok(scored.logprobs[0])
        })?;
        Ok(by_text.and_then(|by_text| are_same(&[by_text, by_text], &[by_ids?, last?])))
    }
}
