//! Selects the route of trials to a server, and the source of log-likelihoods.

use indexmap::IndexSet;

use super::connect::Connected;
use crate::arguments::server_args::{ScoresFrom, ServerArgs};
use crate::backend::{PromptWriter, Route, ServerSetup};
use crate::benchmark::Benchmark;
use crate::model::{ChatTemplate, TemplateVariables};
use crate::prompt::{Pack, Scoring, Style};
use crate::run::ServerIdentity;
use crate::server::{Abilities, ScoreMode};

/// A route, and the source of log-likelihoods if they are needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScoringRoute {
    pub route: Route,
    pub mode: Option<ScoreMode>,
    /// Another source of the same log-likelihoods; trials decide which of both is taken.
    pub other: Option<ScoreMode>,
}

impl ScoringRoute {
    /// Selects the best route for a scoring.
    ///
    /// # Errors
    /// The server supports none; the error lists the reasons.
    pub fn new(connected: &Connected, server: &ServerArgs, scoring: Scoring) -> anyhow::Result<Self> {
        let (abilities, writes) = (&connected.abilities, connected.text.writes());
        match scoring {
            Scoring::Generate => written(abilities, connected.text.chosen.is_some(), writes),
            Scoring::Letter => letters(abilities, writes, server.scores_from.unwrap_or_default()),
            Scoring::Text | Scoring::Hybrid => {
                texts(abilities, writes, server.scores_from.unwrap_or_default(), scoring)
            }
        }
        .and_then(|way| way.with_top(server.top_logprobs))
    }

    /// Returns the setup for prompts outside a run.
    pub fn setup<'a>(
        self,
        connected: &'a Connected,
        template: Option<&'a ChatTemplate>,
        variables: &'a TemplateVariables,
        strict: bool,
    ) -> ServerSetup<'a> {
        ServerSetup {
            client: connected.client.clone(),
            model: connected.model.clone(),
            mode: self.mode,
            draws: None,
            prompts: self.prompts(connected, template, variables),
            concurrency: connected.concurrency,
            answered: connected.abilities.answered.clone(),
            version: None,
            strict,
        }
    }

    /// Returns how prompts are written: by `template` if any, else raw or as chats.
    pub fn prompts<'a>(
        self,
        connected: &'a Connected,
        template: Option<&'a ChatTemplate>,
        variables: &'a TemplateVariables,
    ) -> PromptWriter<'a> {
        PromptWriter {
            route: self.route,
            template,
            variables,
            now: None,
            tokenizer: connected.text.tokenizer.as_ref().map(|(tokenizer, _)| tokenizer),
            merge_system: self.route == Route::Chat && !connected.abilities.system,
            context_length: connected.context(),
            server_begins: connected.server_begins(),
        }
    }

    /// Returns the model's identity for manifests and documents.
    pub fn identity(self, connected: &Connected) -> ServerIdentity {
        let Connected { name, model, facts, abilities, text, others, .. } = connected;
        let (scores, top) = self.mode.map(ScoreMode::name).unzip();
        ServerIdentity {
            name: model.clone(),
            address: name.base().to_string(),
            others: others.iter().map(|other| other.peer.client.server().base().to_string()).collect(),
            elsewhere: !name.is_here() || others.iter().any(|other| !other.peer.client.server().is_here()),
            answers_as: abilities.answered.model.clone(),
            program: facts.program.clone(),
            version: facts.version.clone(),
            fingerprint: abilities.answered.fingerprint.clone(),
            root: connected.listed().and_then(|listed| listed.root.clone()),
            context: connected.listed().and_then(|listed| listed.context),
            quantization: connected.listed().and_then(|listed| listed.quantization.clone()),
            route: self.route_name().to_string(),
            scores: scores.map(str::to_string),
            top: top.flatten(),
            tokenizer: text.tokenizer.as_ref().map(|(_, named)| named.clone()),
        }
    }

    /// Requests this number of likeliest tokens where they are the source.
    fn with_top(self, wanted: Option<usize>) -> anyhow::Result<Self> {
        let (found, mode): (usize, fn(usize) -> ScoreMode) = match self.mode {
            Some(ScoreMode::Top(found)) => (found, ScoreMode::Top),
            Some(ScoreMode::ChatTop(found)) => (found, ScoreMode::ChatTop),
            _ => return Ok(self),
        };
        let Some(wanted) = wanted else { return Ok(self) };
        anyhow::ensure!(
            wanted <= found,
            "--top-logprobs {wanted}: the server gives at most {found} of the likeliest tokens; ask for no more, or start \
             it with a higher limit (vLLM: --max-logprobs)"
        );
        Ok(ScoringRoute { mode: Some(mode(wanted)), ..self })
    }

    fn by(route: Route, mode: ScoreMode) -> Self {
        ScoringRoute { route, mode: Some(mode), other: None }
    }

    /// Route name in the manifest.
    pub fn route_name(self) -> &'static str {
        match self.route {
            Route::Chat => "chat",
            Route::Completions => "completions",
        }
    }
}

/// What is needed to write prompts here.
const WRITE_HERE: &str = "prompts must be written here: name the model's tokenizer with --tokenizer, or a template \
                          with --chat-template (none gives prompts raw, for base models)";

fn written(abilities: &Abilities, chosen: bool, writes: bool) -> anyhow::Result<ScoringRoute> {
    let by = |route| Ok(ScoringRoute { route, mode: None, other: None });
    match (&abilities.chat, &abilities.completions) {
        (_, Ok(())) if chosen => by(Route::Completions),
        (_, Err(why)) if chosen => {
            anyhow::bail!("--chat-template needs completions, which the server does not give: {why}")
        }
        (Ok(()), _) => by(Route::Chat),
        (Err(_), Ok(())) if writes => by(Route::Completions),
        (Err(chat), Ok(())) => anyhow::bail!("the server answers no chats ({chat}); for completions {WRITE_HERE}"),
        (Err(chat), Err(why)) => anyhow::bail!("the server answers neither chats ({chat}) nor completions ({why})"),
    }
}

fn letters(abilities: &Abilities, writes: bool, from: ScoresFrom) -> anyhow::Result<ScoringRoute> {
    let here = |found: &Result<ScoreMode, String>| match (found, writes) {
        (Ok(mode), true) => Ok(ScoringRoute::by(Route::Completions, *mode)),
        (Ok(_), false) => Err(WRITE_HERE.to_string()),
        (Err(why), _) => Err(why.clone()),
    };
    let named = here(&abilities.named);
    let trie = here(&abilities.trie.clone().map(|()| ScoreMode::TokenTrie));
    let prompt = here(&abilities.prompt);
    let top = here(&abilities.top.clone().map(ScoreMode::Top));
    let chat_top = match (&abilities.chat_top, abilities.thinks) {
        (Ok(most), None) => Ok(ScoringRoute::by(Route::Chat, ScoreMode::ChatTop(*most))),
        (Ok(_), Some(mark)) => Err(format!(
            "the server's template has the model think first ({mark}); switch that off with --template-var, as enable_thinking=false"
        )),
        (Err(why), _) => Err(why.clone()),
    };
    // vLLM has no prefix cache for prompt log-probabilities, so named tokens come first.
    let tried = match from {
        ScoresFrom::Auto => {
            vec![("named tokens", named), ("prompt", prompt), ("likeliest tokens", top), ("chats", chat_top)]
        }
        ScoresFrom::Prompt => vec![("prompt", prompt)],
        ScoresFrom::Trie => vec![("token trie", trie)],
        ScoresFrom::Named => vec![("named tokens", named)],
        ScoresFrom::Top => vec![("likeliest tokens", top), ("chats", chat_top)],
    };
    let mut reasons = Vec::new();
    for (what, way) in tried {
        match way {
            Ok(way) => return Ok(way),
            Err(why) => reasons.push(format!("\n  {what}: {why}")),
        }
    }
    anyhow::bail!(
        "the server gives no log-probabilities for scoring letters; use --scoring generate:{}",
        reasons.concat()
    )
}

fn texts(abilities: &Abilities, writes: bool, from: ScoresFrom, scoring: Scoring) -> anyhow::Result<ScoringRoute> {
    anyhow::ensure!(
        matches!(from, ScoresFrom::Auto | ScoresFrom::Prompt | ScoresFrom::Trie),
        "--scores-from: {scoring} scoring needs log-probabilities of whole texts, which only `prompt` and `trie` give"
    );
    let trie = abilities.trie.as_ref().map(|()| ScoreMode::TokenTrie);
    let (mode, other) = match (from, &abilities.prompt, trie) {
        (ScoresFrom::Trie, _, Ok(trie)) => (trie, None),
        (ScoresFrom::Trie, _, Err(why)) => anyhow::bail!(
            "--scores-from trie: {scoring} scoring by a token trie needs log-probabilities of named tokens, which the server \
             does not give: {why}"
        ),
        (ScoresFrom::Prompt, Ok(mode), _) => (*mode, None),
        // SGLang reads its cache up to the answer.
        (_, Ok(mode @ ScoreMode::SglangPrompt), _) => (*mode, None),
        (_, Ok(mode), trie) => (*mode, trie.ok()),
        (ScoresFrom::Auto, Err(_), Ok(trie)) => (trie, None),
        (_, Err(why), _) => anyhow::bail!(
            "{scoring} scoring needs the log-probabilities of the prompt, which the server does not give: {why}; use --scoring \
             letter or generate"
        ),
    };
    anyhow::ensure!(writes, "for {scoring} scoring {WRITE_HERE}");
    Ok(ScoringRoute { other, ..ScoringRoute::by(Route::Completions, mode) })
}

/// Which built-in styles a chat can score by letters: those that do not begin the model's turn.
fn scored_by_chats() -> String {
    let packs = Benchmark::ALL.map(|benchmark| (benchmark.name(), Pack::built_in(benchmark)));
    let fits = |style: &&Style| style.scoring.contains(&Scoring::Letter) && style.answer_prefix.is_empty();
    let names = packs
        .iter()
        .flat_map(|(name, pack)| pack.served().filter(fits).map(move |style| format!("{name} {}", style.name)));
    let names: Vec<String> = names.collect::<IndexSet<_>>().into_iter().collect();
    let which = if names.is_empty() {
        "no built-in style".to_string()
    } else {
        format!("of the built-in styles only {}", names.join(", "))
    };
    format!("{which}, since chats cannot begin the model's turn; with --tokenizer MODEL prompts are written here")
}

/// Describes the uses of a server line by line, including unsupported ones with reasons.
pub fn described(connected: &Connected) -> Vec<(&'static str, String)> {
    let abilities = &connected.abilities;
    let writes = connected.text.writes();
    let rendered = |way: anyhow::Result<ScoringRoute>| match way {
        Ok(ScoringRoute { mode: Some(mode), other: Some(other), .. }) => {
            format!(
                "{}; or {}: a run asks three trials both ways and takes the faster",
                mode.described(),
                other.described()
            )
        }
        Ok(ScoringRoute { mode: Some(mode), .. }) => mode.described(),
        Ok(ScoringRoute { route: Route::Chat, .. }) => "chat completions".to_string(),
        Ok(ScoringRoute { .. }) => "completions".to_string(),
        Err(why) => format!("no: {why}"),
    };
    let yes =
        |found: &Result<(), String>| found.as_ref().map_or_else(|why| format!("no: {why}"), |()| "yes".to_string());
    let up_to = |found: &Result<usize, String>| match found {
        Ok(most) => format!("{most}"),
        Err(why) => format!("no: {why}"),
    };
    let by_letters = match letters(abilities, writes, ScoresFrom::Auto) {
        Ok(ScoringRoute { mode: Some(mode @ ScoreMode::ChatTop(_)), .. }) => {
            format!("{}; {}", mode.described(), scored_by_chats())
        }
        way => rendered(way),
    };
    let prompt = abilities.prompt.as_ref().map_or_else(|why| format!("no: {why}"), |mode| mode.described());
    vec![
        ("chats", yes(&abilities.chat)),
        ("system message", if abilities.system { "yes" } else { "no: it begins the first user turn" }.to_string()),
        ("thinks first", abilities.thinks.map_or("no".to_string(), |mark| format!("yes ({mark})"))),
        ("completions", yes(&abilities.completions)),
        (
            "begins prompts",
            if abilities.begins { "with a token of its own, which is not sent then" } else { "as told" }.to_string(),
        ),
        ("prompt scores", prompt),
        ("named tokens", yes(&abilities.named.clone().map(drop))),
        ("token trie", yes(&abilities.trie)),
        ("likeliest", format!("{} in completions; in chats {}", up_to(&abilities.top), up_to(&abilities.chat_top))),
        (
            "draws",
            if abilities.draws_plainly() {
                "as told"
            } else {
                "with its own penalty for repeated tokens, if it has one"
            }
            .to_string(),
        ),
        ("--scoring letter", by_letters),
        ("--scoring text", rendered(texts(abilities, writes, ScoresFrom::Auto, Scoring::Text))),
        ("--scoring generate", rendered(written(abilities, connected.text.chosen.is_some(), writes))),
        ("never", "attend, bench, --verify-batching, --after-reasoning".to_string()),
    ]
}
