//! A server of a tiny model that speaks the protocol of OpenAI as vLLM, llama.cpp and others do, computed by this program's own
//! engine: honest, or with answers that a test changes as a broken or hostile one would.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Map, Value, json};
use tomeval::internal::render_or_merge;
use tomeval::{
    Decoder, Device, Message, ModelFiles, Precision, RenderSettings, Request as Scoring, Sequence, TextParts,
    score_once,
};

use super::decoder;

/// What the model is called.
pub const NAME: &str = "tiny";

/// What the second model of [`serve_chats`] is called.
pub const OTHER: &str = "other";

/// What a server can return.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// vLLM's `prompt_logprobs`.
    pub prompt_logprobs: bool,
    /// `echo` with `logprobs`.
    pub echo: bool,
    /// vLLM's `logprob_token_ids`.
    pub named: bool,
    /// Most of the likeliest tokens.
    pub top: usize,
    /// Whether it begins every prompt with BOS, whatever it is told.
    pub begins: bool,
    /// SGLang's `/generate` and descriptions, besides what the others say.
    pub sglang: bool,
}

/// All that vLLM gives.
pub const VLLM: Kind = Kind { prompt_logprobs: true, echo: true, named: true, top: 20, begins: false, sglang: false };

/// What SGLang gives by its own route, and not by that of the protocol.
pub const SGLANG: Kind =
    Kind { prompt_logprobs: false, echo: false, named: false, top: 20, begins: false, sglang: true };

/// What the server of llama.cpp's Python package gives.
pub const ECHO: Kind = Kind { prompt_logprobs: false, echo: true, named: false, top: 5, begins: false, sglang: false };

/// The same of a model whose texts begin with BOS, which it leaves out of what it echoes.
pub const ECHO_AFTER_BOS: Kind = Kind { begins: true, ..ECHO };

/// What most give.
pub const TOP: Kind = Kind { prompt_logprobs: false, echo: false, named: false, top: 20, begins: false, sglang: false };

/// What was asked.
#[derive(Debug, Clone)]
pub struct Asked {
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: Value,
    /// How many requests to this path came before.
    pub number: usize,
    /// The text of a prompt that was sent as tokens.
    pub text: String,
}

impl Asked {
    /// A header's value; its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Whether it is one of those that are sent for a trial, and not by the probe.
    pub fn is_of_a_trial(&self) -> bool {
        let text = self.body.to_string() + &self.text;
        (self.path.ends_with("completions") || self.path == "/generate")
            && !text.contains("sun rises")
            && !text.contains("Reading test")
            && !text.contains("one letter: A or B")
            && self.body["prompt"] != json!("a")
            && !self.is_about_length()
    }

    /// Whether it asks whether long prompts are read whole.
    pub fn is_about_length(&self) -> bool {
        self.body.to_string().contains("The code word is")
    }
}

/// What is answered.
#[derive(Debug, Clone)]
pub enum Reply {
    /// A document.
    Json(Value),
    /// A status with headers and a body.
    Status(u16, Vec<(&'static str, String)>, String),
    /// The first bytes of a document, and then nothing.
    Cut(Value, usize),
    /// The connection is closed before anything is said.
    Reset,
    /// A document after a time.
    Late(Value, Duration),
    /// A document, byte by byte.
    Dribbled(Value),
}

/// A running server; it ends with the test's process.
pub struct ModelServer {
    address: String,
    log: Arc<Mutex<Vec<Asked>>>,
}

impl ModelServer {
    /// For `--model`.
    pub fn name(&self) -> String {
        format!("openai:{}#{NAME}", self.address)
    }

    pub fn address(&self) -> &str {
        &self.address
    }

    /// All requests so far.
    pub fn log(&self) -> Vec<Asked> {
        self.log.lock().expect("no handler panics").clone()
    }

    /// How many requests were sent for trials.
    pub fn of_trials(&self) -> usize {
        self.log().iter().filter(|asked| asked.is_of_a_trial()).count()
    }
}

struct Tiny {
    decoder: Decoder,
    text: TextParts,
    kind: Kind,
    /// Prompts in the prefix cache of SGLang.
    seen: Mutex<Vec<Vec<u32>>>,
}

/// A list of tokens.
fn ids_of(value: &Value) -> Option<Vec<u32>> {
    value.as_array()?.iter().map(|id| id.as_u64().and_then(|id| u32::try_from(id).ok())).collect()
}

/// Serve the model in a folder.
pub fn serve(model: &Path, kind: Kind) -> ModelServer {
    serve_changed(model, kind, |_, honest| Reply::Json(honest))
}

/// The same with every answer as `change` makes it of the honest one.
pub fn serve_changed(
    model: &Path,
    kind: Kind,
    change: impl Fn(&Asked, Value) -> Reply + Send + Sync + 'static,
) -> ModelServer {
    serve_decoder(decoder(model), model, kind, change)
}

/// The same with the model's weights in another precision.
pub fn serve_in(precision: Precision, model: &Path, kind: Kind) -> ModelServer {
    let files = ModelFiles::from_path(model).expect("the fixture is whole");
    let decoder = files.decoder(&Device::Cpu, precision).expect("the fixture is whole");
    serve_decoder(decoder, model, kind, |_, honest| Reply::Json(honest))
}

fn serve_decoder(
    decoder: Decoder,
    model: &Path,
    kind: Kind,
    change: impl Fn(&Asked, Value) -> Reply + Send + Sync + 'static,
) -> ModelServer {
    let tiny = Tiny { decoder, text: text_parts(model), kind, seen: Mutex::default() };
    serve_by(text_parts(model), move |asked| tiny.answer(asked), change)
}

/// Serve without computing, with the prefix cache of vLLM: whole blocks of 16 tokens, kept when an answer is complete.
/// An answer takes `time` and up to half as much again, and says how many tokens of its prompt were there.
pub fn serve_cache(model: &Path, time: Duration) -> ModelServer {
    const BLOCK: usize = 16;
    let text = text_parts(model);
    let cache = Mutex::new(HashSet::new());
    let answer = move |asked: &Asked| match asked.path.as_str() {
        "/v1/models" => Ok(json!({"data": [{"id": NAME, "max_model_len": 16000}]})),
        "/v1/completions" => {
            let prompt = asked.body["prompt"].as_str().ok_or((400, "no prompt".to_string()))?;
            let special = asked.body["add_special_tokens"].as_bool().unwrap_or(true);
            let ids = text.tokenizer.encode(prompt, special).map_err(|error| (400, error.to_string()))?;
            let prefix = |blocks: usize| ids[..blocks * BLOCK].to_vec();
            let known = {
                let cache = cache.lock().expect("no handler panics");
                (1..=(ids.len() - 1) / BLOCK).take_while(|&blocks| cache.contains(&prefix(blocks))).count()
            };
            if asked.is_of_a_trial() {
                std::thread::sleep(time + time * (asked.number as u32 % 8) / 16);
                cache.lock().expect("no handler panics").extend((1..=ids.len() / BLOCK).map(prefix));
            }
            let named = asked.body["logprob_token_ids"].as_array().map_or(&[][..], Vec::as_slice);
            let first: Map<String, Value> =
                named.iter().zip(2..).map(|(id, at)| (format!("token_id:{id}"), json!(-f64::from(at)))).collect();
            let choice = json!({"text": " west", "finish_reason": "length", "logprobs": {"top_logprobs": [first]}});
            let mut answer = document("text_completion", choice, ids.len(), 1);
            answer["usage"]["prompt_tokens_details"] = json!({"cached_tokens": known * BLOCK});
            Ok(answer)
        }
        _ => Err((404, "Not Found".to_string())),
    };
    serve_by(text_parts(model), answer, |_, honest| Reply::Json(honest))
}

/// Serve chats without computing: `reply` gives the text and whether a limit ended it, or the refusal of an unknown
/// request. `change` comes after it, as with [`serve_changed`]. It has a second model, [`OTHER`].
pub fn serve_chats(
    model: &Path,
    reply: impl Fn(&Asked) -> Result<(String, bool), String> + Send + Sync + 'static,
    change: impl Fn(&Asked, Value) -> Reply + Send + Sync + 'static,
) -> ModelServer {
    let answer = move |asked: &Asked| match asked.path.as_str() {
        "/v1/models" => {
            let models = [NAME, OTHER].map(|name| json!({"id": name, "max_model_len": 16000}));
            Ok(json!({ "data": models }))
        }
        "/v1/chat/completions" => {
            let (text, cut) = match asked.is_of_a_trial() {
                true => reply(asked).map_err(|unknown| (400, unknown))?,
                false => ("A".to_string(), false),
            };
            let end = if cut { "length" } else { "stop" };
            let choice = json!({"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": end});
            Ok(document("chat.completion", choice, 10, 5))
        }
        _ => Err((404, "Not Found".to_string())),
    };
    serve_by(text_parts(model), answer, change)
}

fn text_parts(model: &Path) -> TextParts {
    ModelFiles::from_path(model).and_then(|files| files.text_parts()).expect("the fixture is whole")
}

fn serve_by(
    text: TextParts,
    honest: impl Fn(&Asked) -> Result<Value, Refusal> + Send + Sync + 'static,
    change: impl Fn(&Asked, Value) -> Reply + Send + Sync + 'static,
) -> ModelServer {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a local port is free");
    let address = format!("http://{}", listener.local_addr().expect("a bound listener has an address"));
    let log = Arc::new(Mutex::new(Vec::new()));
    let server = ModelServer { address, log: Arc::clone(&log) };
    let reply = move |asked: &Asked| match honest(asked) {
        Ok(honest) => change(asked, honest),
        Err((status, message)) => Reply::Status(status, Vec::new(), json!({"error": {"message": message}}).to_string()),
    };
    let (reply, text) = (Arc::new(reply), Arc::new(text));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (log, reply, text) = (Arc::clone(&log), Arc::clone(&reply), Arc::clone(&text));
            // A client that goes away is no concern of the test.
            std::thread::spawn(move || answer(stream, &text, &log, &*reply).ok());
        }
    });
    server
}

fn answer(
    mut stream: TcpStream,
    text: &TextParts,
    log: &Mutex<Vec<Asked>>,
    reply: &dyn Fn(&Asked) -> Reply,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let path = first.split(' ').nth(1).unwrap_or_default().to_string();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        match line.trim_end().split_once(':') {
            Some((name, value)) => headers.push((name.to_lowercase(), value.trim().to_string())),
            None => break,
        }
    }
    let length = headers.iter().find(|(name, _)| name == "content-length").and_then(|(_, value)| value.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body)?;
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    let asked = {
        let mut log = log.lock().expect("no handler panics");
        let number = log.iter().filter(|asked| asked.path == path).count();
        let ids = ids_of(&body["prompt"]).or_else(|| ids_of(&body["input_ids"])).unwrap_or_default();
        let text = text.tokenizer.decode(&ids).unwrap_or_default();
        let asked = Asked { path, headers, body, number, text };
        log.push(asked.clone());
        asked
    };
    let whole = |status: &str, extra: &[(&str, String)], body: &str| {
        let extra: String = extra.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let length = body.len();
        format!(
            "HTTP/1.1 {status}\r\nServer: tiny-server\r\nConnection: close\r\n{extra}Content-Length: {length}\r\n\r\n{body}"
        )
    };
    match reply(&asked) {
        Reply::Json(json) => stream.write_all(whole("200 OK", &[], &json.to_string()).as_bytes()),
        Reply::Status(status, extra, body) => {
            stream.write_all(whole(&format!("{status} So"), &extra, &body).as_bytes())
        }
        Reply::Cut(json, bytes) => {
            let text = whole("200 OK", &[], &json.to_string());
            let end = text.find("\r\n\r\n").unwrap_or(0) + 4 + bytes;
            stream.write_all(&text.as_bytes()[..end.min(text.len())])
        }
        Reply::Reset => Ok(()),
        Reply::Late(json, time) => {
            std::thread::sleep(time);
            stream.write_all(whole("200 OK", &[], &json.to_string()).as_bytes())
        }
        Reply::Dribbled(json) => whole("200 OK", &[], &json.to_string()).bytes().try_for_each(|byte| {
            std::thread::sleep(Duration::from_millis(20));
            stream.write_all(&[byte])
        }),
    }
}

type Refusal = (u16, String);

impl Tiny {
    fn answer(&self, asked: &Asked) -> Result<Value, Refusal> {
        match asked.path.as_str() {
            "/v1/models" => {
                let owner = if self.kind.named { "vllm" } else { "someone" };
                Ok(json!({"object": "list", "data": [{"id": NAME, "max_model_len": 16000, "owned_by": owner}]}))
            }
            "/version" if !self.kind.sglang => Ok(json!({"version": "0.1.tiny"})),
            "/v1/completions" => self.completion(&asked.body),
            "/v1/chat/completions" => self.chat(&asked.body),
            "/model_info" if self.kind.sglang => Ok(json!({"model_path": "/models/tiny", "is_generation": true})),
            "/server_info" if self.kind.sglang => Ok(json!({"model_path": "/models/tiny", "version": "0.5.23"})),
            "/generate" if self.kind.sglang => self.generate(&asked.body),
            _ => Err((404, "Not Found".to_string())),
        }
    }

    fn ids(&self, prompt: &str, add_special: bool) -> Result<Vec<u32>, Refusal> {
        let ids = self.text.tokenizer.encode(prompt, add_special).map_err(|error| (400, error.to_string()))?;
        let most = self.decoder.spec().max_position;
        if ids.len() >= most {
            return Err((400, format!("This model's maximum context length is {most} tokens")));
        }
        Ok(ids)
    }

    fn piece(&self, id: u32) -> String {
        let text = self.text.tokenizer.decode(&[id]).unwrap_or_default();
        // A text that begins with this token would lose its space.
        let space = self.text.tokenizer.token_text(id).is_some_and(|token| token.starts_with('\u{2581}'));
        if space && !text.starts_with(' ') { format!(" {text}") } else { text }
    }

    /// The log-probability of every token after a prompt.
    fn next(&self, prompt: &[u32]) -> Vec<f32> {
        // The stories that `doctor` asks of every server again and again are not worth their time here.
        if self.text.tokenizer.decode(prompt).is_ok_and(|text| text.contains("of these places")) {
            let value = |id: usize| -(((id * 7919 + prompt.len() * 31) % 1000) as f32) / 100.0;
            let values: Vec<f32> = (0..self.decoder.spec().vocab_size).map(value).collect();
            let sum = values.iter().map(|value| f64::from(*value).exp()).sum::<f64>().ln() as f32;
            return values.into_iter().map(|value| value - sum).collect();
        }
        let each = (0..self.decoder.spec().vocab_size as u32)
            .map(|id| Sequence { tokens: [prompt, &[id]].concat(), scored_from: prompt.len() });
        let request = Scoring::new(prompt.to_vec(), each.collect()).expect("a prompt has tokens");
        let scores = score_once(&self.decoder, &request, u64::MAX).expect("the tiny model computes");
        scores.into_iter().map(|scores| scores.logprobs[0]).collect()
    }

    /// Greedy tokens after a prompt, the end among them, and whether it came.
    fn write(&self, prompt: &[u32], most: usize) -> (Vec<u32>, bool) {
        let mut written = Vec::new();
        // Nobody waits for what an untrained model says of long lists.
        if self.text.tokenizer.decode(prompt).is_ok_and(|text| text.contains("code word")) {
            return (written, false);
        }
        while written.len() < most {
            let next = self.next(&[prompt, &written].concat());
            let best = (0..next.len())
                .filter(|&id| self.text.tokenizer.token_text(id as u32).is_some())
                .max_by(|&a, &b| next[a].total_cmp(&next[b]).then(b.cmp(&a)))
                .unwrap_or(0) as u32;
            if self.text.tokenizer.stop_ids().contains(&best) {
                return (written, true);
            }
            written.push(best);
        }
        (written, false)
    }

    fn best(&self, next: &[f32], most: usize) -> Vec<(u32, f32)> {
        let mut all: Vec<(u32, f32)> = next.iter().enumerate().map(|(id, &lp)| (id as u32, lp)).collect();
        all.retain(|(id, _)| self.text.tokenizer.token_text(*id).is_some());
        all.sort_by(|one, next| next.1.total_cmp(&one.1));
        all.truncate(most);
        all
    }

    fn completion(&self, body: &Value) -> Result<Value, Refusal> {
        let named = body["logprob_token_ids"].as_array().map_or(0, Vec::len);
        if self.kind.named && named > 128 {
            return Err((400, format!("logprob_token_ids has {named} tokens, at most 128 are possible")));
        }
        let ids = match (body["prompt"].as_str(), ids_of(&body["prompt"])) {
            (Some(text), _) => {
                self.ids(text, self.kind.begins || body["add_special_tokens"].as_bool().unwrap_or(true))?
            }
            (None, Some(ids)) => self.within_vocabulary(ids)?,
            (None, None) => return Err((400, "no prompt".to_string())),
        };
        let most = body["max_tokens"].as_u64().unwrap_or(16) as usize;
        let (written, stopped) = self.write(&ids, most);
        let text = self.text.tokenizer.decode(&written).unwrap_or_default();
        let mut choice = json!({"index": 0, "text": text, "finish_reason": if stopped { "stop" } else { "length" }});
        let wanted = body["logprobs"].as_u64().map(|most| most as usize);
        let (echo, own) = (body["echo"] == json!(true), body.get("prompt_logprobs").is_some());
        if echo && !self.kind.echo {
            return Err((400, "echo is not supported".to_string()));
        }
        if own && self.kind.prompt_logprobs {
            choice["prompt_logprobs"] = self.prompt_logprobs(&ids);
        }
        if let Some(most) = wanted {
            if most > self.kind.top {
                return Err((400, format!("at most {} logprobs", self.kind.top)));
            }
            choice["logprobs"] = if echo { self.echoed(&ids, &written) } else { self.first(&ids, most, body) };
        }
        Ok(document("text_completion", choice, ids.len(), written.len()))
    }

    fn within_vocabulary(&self, ids: Vec<u32>) -> Result<Vec<u32>, Refusal> {
        let size = self.decoder.spec().vocab_size as u32;
        match ids.iter().find(|&&id| id >= size) {
            Some(id) => Err((400, format!("token {id} is out of vocabulary"))),
            None if ids.is_empty() => Err((400, "input_ids cannot be empty.".to_string())),
            None => Ok(ids),
        }
    }

    /// SGLang 0.5.23: log-probabilities of the prompt from `logprob_start_len` on, the first without a value, and those
    /// of named tokens at each written position. The cache is read up to the first of them.
    fn generate(&self, body: &Value) -> Result<Value, Refusal> {
        let ids = match (ids_of(&body["input_ids"]), body["text"].as_str()) {
            (Some(ids), _) => self.within_vocabulary(ids)?,
            (None, Some(text)) => self.ids(text, true)?,
            (None, None) => {
                return Err((400, "Either text, input_ids or input_embeds should be provided.".to_string()));
            }
        };
        let most = body["sampling_params"]["max_new_tokens"].as_u64().unwrap_or(128) as usize;
        let start = body["logprob_start_len"].as_i64().unwrap_or(-1);
        if start > ids.len() as i64 {
            return Err((400, "logprob_start_len is higher than the number of input tokens".to_string()));
        }
        let (written, _) = self.write(&ids, most);
        let last = self.decoder.spec().vocab_size as u32 - 1;
        let entry = |lp: Option<f32>, id: u32| json!([lp, if id < last { id } else { 0 }, null]);
        let from = usize::try_from(start).ok().filter(|&from| from < ids.len());
        let of_prompt: Vec<Value> = from.map_or_else(Vec::new, |from| {
            let scores = self.prompt_scores(&ids);
            let each = (from..ids.len()).map(|at| entry((at > from).then(|| scores[at - 1]), ids[at]));
            each.collect()
        });
        let next = self.next(&ids);
        let mut meta = json!({
            "id": "1",
            "finish_reason": {"type": "length", "length": most},
            "prompt_tokens": ids.len(),
            "completion_tokens": written.len(),
            "cached_tokens": self.cached(&ids, from),
        });
        if body["return_logprob"] == json!(true) {
            meta["input_token_logprobs"] = json!(of_prompt);
            let best = self.best(&next, 1)[0];
            meta["output_token_logprobs"] = json!([[best.1, best.0, null]]);
            if let Some(named) = ids_of(&body["token_ids_logprob"]) {
                let named = self.within_vocabulary(named)?;
                let each: Vec<Value> = named.iter().map(|&id| json!([next[id as usize], id, null])).collect();
                meta["output_token_ids_logprobs"] = json!([each]);
            }
        }
        Ok(
            json!({"text": self.text.tokenizer.decode(&written).unwrap_or_default(), "output_ids": written, "meta_info": meta}),
        )
    }

    /// How many tokens of a prompt earlier ones began with, up to the first whose log-probability is wanted.
    fn cached(&self, ids: &[u32], from: Option<usize>) -> usize {
        let mut seen = self.seen.lock().expect("no handler panics");
        let same = |known: &Vec<u32>| known.iter().zip(ids).take_while(|(known, id)| known == id).count();
        let longest = seen.iter().map(same).max().unwrap_or(0);
        seen.push(ids.to_vec());
        longest.min(from.unwrap_or(ids.len() - 1)).min(ids.len() - 1)
    }

    fn prompt_scores(&self, ids: &[u32]) -> Vec<f32> {
        let whole = Sequence { tokens: ids.to_vec(), scored_from: 1 };
        let request = Scoring::new(vec![ids[0]], vec![whole]).expect("a prompt has two tokens");
        score_once(&self.decoder, &request, u64::MAX).expect("the tiny model computes")[0].logprobs.clone()
    }

    fn prompt_logprobs(&self, ids: &[u32]) -> Value {
        let entry = |(id, lp): (&u32, f32)| {
            let mut entry = Map::new();
            entry.insert(id.to_string(), json!({"logprob": lp, "rank": 1, "decoded_token": self.piece(*id)}));
            Value::Object(entry)
        };
        std::iter::once(Value::Null).chain(ids[1..].iter().zip(self.prompt_scores(ids)).map(entry)).collect()
    }

    fn echoed(&self, ids: &[u32], written: &[u32]) -> Value {
        let tokens: Vec<String> = ids.iter().chain(written).map(|&id| self.piece(id)).collect();
        let scores = self.prompt_scores(&[ids, written].concat());
        let values: Vec<Value> = std::iter::once(Value::Null).chain(scores.into_iter().map(|lp| json!(lp))).collect();
        let from = usize::from(self.kind.begins);
        json!({"tokens": tokens[from..], "token_logprobs": values[from..]})
    }

    fn first(&self, ids: &[u32], most: usize, body: &Value) -> Value {
        let next = self.next(ids);
        let named = body["logprob_token_ids"].as_array().filter(|_| self.kind.named);
        let mut chosen = self.best(&next, if named.is_some() { 1 } else { most });
        for id in named.into_iter().flatten().filter_map(Value::as_u64) {
            if chosen.iter().all(|(known, _)| u64::from(*known) != id) {
                chosen.push((id as u32, next[id as usize]));
            }
        }
        let by_id = self.kind.named && body["return_tokens_as_token_ids"] == json!(true);
        let mut first = Map::new();
        for (id, lp) in chosen {
            first.insert(if by_id { format!("token_id:{id}") } else { self.piece(id) }, json!(lp));
        }
        json!({"top_logprobs": [first]})
    }

    fn chat(&self, body: &Value) -> Result<Value, Refusal> {
        let messages: Vec<Message> =
            serde_json::from_value(body["messages"].clone()).map_err(|error| (400, error.to_string()))?;
        let settings = RenderSettings::for_generation();
        let rendered = render_or_merge(self.text.template.as_ref(), &messages, &settings);
        let rendered = rendered.map_err(|error| (400, error.to_string()))?;
        let ids = self.ids(&rendered.text, rendered.add_special)?;
        let most = body["max_tokens"].as_u64().unwrap_or(16) as usize;
        let (written, stopped) = self.write(&ids, most);
        let text = self.text.tokenizer.decode(&written).unwrap_or_default();
        let mut choice = json!({
            "index": 0,
            "message": {"role": "assistant", "content": text},
            "finish_reason": if stopped { "stop" } else { "length" },
        });
        if body["logprobs"] == json!(true) {
            let most = body["top_logprobs"].as_u64().unwrap_or(0) as usize;
            if most > self.kind.top {
                return Err((400, format!("at most {} top_logprobs", self.kind.top)));
            }
            let best = self.best(&self.next(&ids), most);
            let list: Vec<Value> =
                best.iter().map(|&(id, lp)| json!({"token": self.piece(id), "logprob": lp})).collect();
            let (first, lp) = best.first().copied().unwrap_or_default();
            choice["logprobs"] =
                json!({"content": [{"token": self.piece(first), "logprob": lp, "top_logprobs": list}]});
        }
        Ok(document("chat.completion", choice, ids.len(), written.len()))
    }
}

fn document(object: &str, choice: Value, prompt: usize, written: usize) -> Value {
    json!({
        "id": "1",
        "object": object,
        "model": NAME,
        "system_fingerprint": "fp-1",
        "choices": [choice],
        "usage": {"prompt_tokens": prompt, "completion_tokens": written, "total_tokens": prompt + written},
    })
}
