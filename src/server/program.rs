//! Programs that serve models, and how a request bypasses the prefix cache of each.

use serde_json::{Value, json};

use super::cache::CacheUse;
use super::client::Client;
use super::error::ServerError;

/// A program whose prefix cache can be controlled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// Blocks are shared among requests with one `cache_salt`.
    Vllm,
    /// The whole cache is emptied by `POST /flush_cache`, while nothing is in flight.
    Sglang,
    /// `cache_prompt: false` reads a prompt from its first token.
    LlamaCpp,
}

impl Program {
    /// Recognises the program by the owner of the models that it lists, or by its `Server` header; `None` for others and
    /// behind proxies.
    pub(super) fn of(models: &[Value], header: Option<&str>) -> Option<Self> {
        let owner = models.iter().filter_map(|model| model.get("owned_by")?.as_str()).find_map(|owner| match owner {
            "vllm" => Some(Program::Vllm),
            "sglang" => Some(Program::Sglang),
            "llamacpp" => Some(Program::LlamaCpp),
            _ => None,
        });
        owner.or_else(|| header.filter(|header| header.contains("llama.cpp")).map(|_| Program::LlamaCpp))
    }

    /// Returns the key or route that bypasses its cache.
    pub fn control(self) -> &'static str {
        match self {
            Program::Vllm => "cache_salt",
            Program::Sglang => "flush_cache",
            Program::LlamaCpp => "cache_prompt",
        }
    }

    /// Says how it is made to repeat itself.
    pub fn remedy(self) -> &'static str {
        match self {
            Program::Vllm => "start vLLM with VLLM_BATCH_INVARIANT=1",
            Program::Sglang => "start SGLang with --enable-deterministic-inference",
            Program::LlamaCpp => {
                "start llama-server with -np 1 and ask with --concurrency 1 (with 4-bit weights, prompts on a cold cache still move)"
            }
        }
    }

    /// Returns clients whose requests find nothing in the cache, and then what the first one left there. `series` is a
    /// text that no earlier request was made with.
    pub fn clients(self, client: &Client, series: &str) -> (Client, Client) {
        let using = |cache| client.with_cache(cache);
        match self {
            Program::Vllm => {
                let salted = || using(CacheUse::Salted(series.to_string()));
                (salted(), salted())
            }
            Program::Sglang => (client.clone(), client.clone()),
            Program::LlamaCpp => (using(CacheUse::Without), client.clone()),
        }
    }

    /// Empties the cache where no key bypasses it.
    ///
    /// # Errors
    /// The server refuses, as while requests are in flight.
    pub fn flush(self, client: &Client) -> Result<(), ServerError> {
        match self {
            // SGLang answers with a sentence.
            Program::Sglang => match client.post_beside("/flush_cache", &json!({})) {
                Ok(_) | Err(ServerError::Odd { .. }) => Ok(()),
                Err(error) => Err(error),
            },
            Program::Vllm | Program::LlamaCpp => Ok(()),
        }
    }
}
