//! A server of a tiny model that speaks the protocol of OpenAI as vLLM, llama.cpp and others do, computed by this program's own
//! engine: honest, or with answers that a test changes as a broken or hostile one would.

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
}

/// All that vLLM gives.
pub const VLLM: Kind = Kind { prompt_logprobs: true, echo: true, named: true, top: 20, begins: false };

/// What the server of llama.cpp's Python package gives.
pub const ECHO: Kind = Kind { prompt_logprobs: false, echo: true, named: false, top: 5, begins: false };

/// The same of a model whose texts begin with BOS, which it leaves out of what it echoes.
pub const ECHO_AFTER_BOS: Kind = Kind { begins: true, ..ECHO };

/// What most give.
pub const TOP: Kind = Kind { prompt_logprobs: false, echo: false, named: false, top: 20, begins: false };

/// What was asked.
#[derive(Debug, Clone)]
pub struct Asked {
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: Value,
    /// How many requests to this path came before.
    pub number: usize,
}

impl Asked {
    /// A header's value; its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Whether it is one of those that are sent for a trial, and not by the probe.
    pub fn is_of_a_trial(&self) -> bool {
        let text = self.body.to_string();
        self.path.ends_with("completions")
            && !text.contains("sun rises")
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
    let text = ModelFiles::from_path(model).and_then(|files| files.text_parts()).expect("the fixture is whole");
    let tiny = Arc::new(Tiny { decoder, text, kind });
    let listener = TcpListener::bind("127.0.0.1:0").expect("a local port is free");
    let address = format!("http://{}", listener.local_addr().expect("a bound listener has an address"));
    let log = Arc::new(Mutex::new(Vec::new()));
    let server = ModelServer { address, log: Arc::clone(&log) };
    let change = Arc::new(change);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (tiny, log, change) = (Arc::clone(&tiny), Arc::clone(&log), Arc::clone(&change));
            // A client that goes away is no concern of the test.
            std::thread::spawn(move || answer(stream, &tiny, &log, &*change).ok());
        }
    });
    server
}

fn answer(
    mut stream: TcpStream,
    tiny: &Tiny,
    log: &Mutex<Vec<Asked>>,
    change: &dyn Fn(&Asked, Value) -> Reply,
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
        let asked = Asked { path, headers, body, number };
        log.push(asked.clone());
        asked
    };
    let honest = tiny.answer(&asked);
    let reply = match honest {
        Ok(honest) => change(&asked, honest),
        Err((status, message)) => Reply::Status(status, Vec::new(), json!({"error": {"message": message}}).to_string()),
    };
    let whole = |status: &str, extra: &[(&str, String)], body: &str| {
        let extra: String = extra.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let length = body.len();
        format!(
            "HTTP/1.1 {status}\r\nServer: tiny-server\r\nConnection: close\r\n{extra}Content-Length: {length}\r\n\r\n{body}"
        )
    };
    match reply {
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
            "/version" => Ok(json!({"version": "0.1.tiny"})),
            "/v1/completions" => self.completion(&asked.body),
            "/v1/chat/completions" => self.chat(&asked.body),
            _ => Err((404, "Not Found".to_string())),
        }
    }

    fn ids(&self, prompt: &str, add_special: bool) -> Result<Vec<u32>, Refusal> {
        self.text.tokenizer.encode(prompt, add_special).map_err(|error| (400, error.to_string()))
    }

    fn piece(&self, id: u32) -> String {
        let text = self.text.tokenizer.decode(&[id]).unwrap_or_default();
        // A text that begins with this token would lose its space.
        let space = self.text.tokenizer.token_text(id).is_some_and(|token| token.starts_with('\u{2581}'));
        if space && !text.starts_with(' ') { format!(" {text}") } else { text }
    }

    /// The log-probability of every token after a prompt.
    fn next(&self, prompt: &[u32]) -> Vec<f32> {
        // The long stories that `doctor` asks of every server are not worth their time here.
        if self.text.tokenizer.decode(prompt).is_ok_and(|text| text.contains("in the garden all the time")) {
            let value = |id: usize| -(((id * 7919 + prompt.len() * 31) % 1000) as f32) / 100.0;
            return (0..self.decoder.spec().vocab_size).map(value).collect();
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
        let prompt = body["prompt"].as_str().ok_or((400, "no prompt".to_string()))?;
        let ids = self.ids(prompt, self.kind.begins || body["add_special_tokens"].as_bool().unwrap_or(true))?;
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
