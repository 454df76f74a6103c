//! Results of a probe, as JSON and as tables.

use indexmap::{IndexMap, IndexSet};
use serde::Serialize;

use super::permutation::PValue;
use super::{ClassicTest, Protocol, beliefs, min_k, orders, recall};
use crate::benchmark::Benchmark;
use crate::language::Language;
use crate::run::{ModelIdentity, Program, ServerIdentity};
use crate::table::{Format, Grid, Screen, Value, cells, render_grid, wrap};

/// Format version of the document.
pub const PROBE_VERSION: u32 = 1;

/// A probe and its results.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Document {
    /// Format version, 1.
    pub version: u32,
    /// The program that probed.
    pub program: Program,
    /// The model probed.
    pub model: Probed,
    /// Device, if the model ran on this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// dtype of the weights, if the model ran on this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dtype: Option<String>,
    /// The results.
    #[serde(flatten)]
    pub found: Found,
}

/// The model probed.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Probed {
    /// A local model.
    Local(ModelIdentity),
    /// A model on a server.
    #[cfg_attr(not(feature = "server"), allow(dead_code))]
    Server(ServerIdentity),
}

impl Probed {
    fn name(&self) -> &str {
        match self {
            Probed::Local(model) => &model.name,
            Probed::Server(model) => &model.name,
        }
    }
}

/// Results of a probe, by its name.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "probe", rename_all = "kebab-case")]
pub enum Found {
    /// Whether released option orders are likelier than others.
    Orders {
        /// Settings of the probe.
        settings: orders::Settings,
        /// By benchmark and language.
        groups: Vec<orders::Group>,
    },
    /// Whether released items are likelier than fresh ones.
    MinK {
        /// Settings of the probe.
        settings: min_k::Settings,
        /// By benchmark and language.
        groups: Vec<min_k::Group>,
    },
    /// What can be decoded from the residual stream about beliefs.
    Beliefs {
        /// Settings of the probe.
        settings: beliefs::Settings,
        /// By benchmark and language.
        groups: Vec<beliefs::Group>,
    },
    /// Whether released items can be recited.
    Recall {
        /// Settings of the probe.
        settings: recall::Settings,
        /// By protocol, benchmark and language.
        groups: Vec<recall::Group>,
    },
}

/// Renders the document in a format; `screen` matters only to [`Format::Terminal`]. [`Format::Json`] is the document
/// itself.
///
/// # Errors
/// A number that JSON cannot represent.
pub fn render(document: &Document, format: Format, screen: Screen) -> Result<String, serde_json::Error> {
    if format == Format::Json {
        return Ok(serde_json::to_string_pretty(document)? + "\n");
    }
    let wrapped = |text: String| match format {
        Format::Terminal => wrap(&text),
        _ => text,
    };
    let (facts, tables, notes) = match &document.found {
        Found::Orders { settings, groups } => render_orders(settings, groups),
        Found::MinK { settings, groups } => render_min_k(settings, groups),
        Found::Beliefs { settings, groups } => render_beliefs(settings, groups),
        Found::Recall { settings, groups } => render_recall(settings, groups, document.model.name()),
    };
    let mut before = match &document.model {
        Probed::Local(model) => vec![("model", format!("{} ({})", model.name, model.family))],
        Probed::Server(model) => {
            let how = model.scores.as_ref().unwrap_or(&model.route);
            let left = if model.elsewhere { "; requests left this machine" } else { "" };
            vec![("model", model.name.clone()), ("server", format!("{} ({how}){left}", model.address))]
        }
    };
    if let (Some(dtype), Some(device)) = (&document.dtype, &document.device) {
        before.push(("computing", format!("{dtype} on {device}")));
    }
    before.extend(facts);
    let notes: Vec<String> = notes.into_iter().map(wrapped).collect();
    let last = tables.len().saturating_sub(1);
    let mut text = String::new();
    for (number, grid) in tables.iter().enumerate() {
        let before = if number == 0 { &before[..] } else { &[] };
        let after = if number == last { &notes[..] } else { &[] };
        if number > 0 {
            text.push('\n');
        }
        text.push_str(&render_grid(before, grid, after, format, screen));
    }
    Ok(text)
}

type Told = (Vec<(&'static str, String)>, Vec<Grid>, Vec<String>);

fn render_orders(settings: &orders::Settings, groups: &[orders::Group]) -> Told {
    let row = |group: &orders::Group| {
        let share = |share: f64| Value::places(100.0 * share, 1);
        cells![
            group.benchmark.name(),
            group.language.code(),
            group.items,
            group.skipped.values().sum::<usize>(),
            share(group.first),
            share(group.first_expected),
            Value::signed(group.z, 2),
            p_value(group.test.as_ref()),
        ]
    };
    let header = ["benchmark", "", "items", "left out", "first %", "chance %", "mean z", "p"];
    let mut notes = left_out(groups.iter().map(|group| (&group.benchmark, group.language, &group.skipped)));
    notes.push(format!(
        "First: items whose released option order is the likeliest of those scored, at most {} others. z: distance of \
         the released order's log-likelihood above the mean of all, in standard deviations. p: probability of so high \
         a sum of z if released orders were drawn at random.",
        settings.orders
    ));
    notes.push(
        "A small p means that the model prefers the released order. It does not say why: authors may have chosen an \
         order that any model finds natural. A large p does not mean that the items were not in training."
            .to_string(),
    );
    (
        vec![("seed", settings.seed.to_string())],
        vec![Grid::new("Order of options", 2, header, groups.iter().map(row))],
        notes,
    )
}

fn render_min_k(settings: &min_k::Settings, groups: &[min_k::Group]) -> Told {
    let row = |group: &min_k::Group| {
        cells![
            group.benchmark.name(),
            group.language.code(),
            group.stories,
            group.skipped.values().sum::<usize>(),
            Value::places(group.released, 3),
            Value::places(group.fresh, 3),
            Value::places(group.auc, 3),
            Value::places(group.by_words, 3),
            p_value(group.test.as_ref()),
        ]
    };
    let header = ["benchmark", "", "stories", "left out", "released", "fresh", "AUC", "by words", "p"];
    let mut notes = left_out(groups.iter().map(|group| (&group.benchmark, group.language, &group.skipped)));
    notes.push(format!(
        "Released, fresh: mean log-probability of the {} % least likely tokens (min-k %, Shi et al. 2024), over \
         equally many fresh and released stories. AUC: probability that a released story has the higher value. By \
         words: AUC of a classifier that knows no model, only the words of the other stories. p: \
         probability of so large a difference if the released stories were chosen at random within each form.",
        settings.percent
    ));
    notes.extend(groups.iter().filter_map(significant));
    notes.push("A large p does not mean that the stories were not in training.".to_string());
    let facts = vec![("seed", settings.seed.to_string())];
    (facts, vec![Grid::new("Released and fresh stories", 2, header, groups.iter().map(row))], notes)
}

fn render_beliefs(settings: &beliefs::Settings, groups: &[beliefs::Group]) -> Told {
    let area = |area: &beliefs::Area| Value::places(area.auc, 3).within(area.interval, 2);
    let row = |scored: &beliefs::Scored| {
        cells![
            scored.by.label(),
            scored.layer,
            Value::places(scored.cross_validated, 3),
            area(&scored.belief),
            area(&scored.reality),
        ]
    };
    let table = |group: &beliefs::Group| {
        let title = format!("{} {}", group.benchmark, group.language.code());
        let header = [title.as_str(), "layer", "made", "belief", "reality"];
        Grid::new(&title, 1, header, group.scores.iter().map(row))
    };
    let mut notes = left_out(groups.iter().map(|group| (&group.benchmark, group.language, &group.skipped)));
    for group in groups {
        notes.push(format!(
            "{} {}: learned from {} statements about {} made stories, tested on {} about {} released stories in which belief \
             and reality differ.",
            group.benchmark,
            group.language,
            group.made_statements,
            group.made_stories,
            group.released_statements,
            group.released_stories
        ));
        if !group.shared_names.is_empty() {
            let names = group.shared_names.join(", ");
            notes.push(format!(
                "{} {}: made and released statements share names: {names}.",
                group.benchmark, group.language
            ));
        }
    }
    notes.push(
        "AUC: chance that a statement that holds scores above one that does not, with 95 % intervals over stories. Made: by \
         cross-validation over made stories, which choose layer (0: embedding) and penalty. Belief: statements that the minds \
         named believe. Reality: statements that are the case. Shuffled: learned from labels in random order, mean and middle \
         95 % of 20 draws: the spread that a probe of nothing has on these stories. Words: counts of the words of story and \
         statement. Last named: the statement names the container that the story named last."
            .to_string(),
    );
    notes.push(
        "It says what can be decoded from the residual stream, not what the model uses. After Zhu et al. 2024 \
         (arXiv:2402.18496), who read attention heads."
            .to_string(),
    );
    (vec![("seed", settings.seed.to_string())], groups.iter().map(table).collect(), notes)
}

/// States what a small p of a group shows, given that words alone may tell its sets apart.
fn significant(group: &min_k::Group) -> Option<String> {
    group.test.filter(|test| test.p < 0.05)?;
    let (benchmark, language) = (group.benchmark, group.language);
    Some(match group.by_words >= group.auc {
        true => format!(
            "{benchmark}, {language}: words alone tell released from fresh stories at least as well as the model does, so \
             the small p is no evidence that the model met the release; compare with a model trained before it."
        ),
        false => format!(
            "{benchmark}, {language}: the model tells released from fresh stories better than this classifier of words \
             does; other differences in style remain possible, so compare with a model trained before the release."
        ),
    })
}

/// The tables of XToM's appendix, with datasets as columns, and a table with details.
fn render_recall(settings: &recall::Settings, groups: &[recall::Group], model: &str) -> Told {
    let matches = |group: &recall::Group| Value::from(group.matched).unit(format!(" of {}", group.replies));
    let of_protocol = |&(protocol, test): &(Protocol, Option<ClassicTest>)| {
        let groups: Vec<&recall::Group> =
            groups.iter().filter(|group| (group.protocol, group.test) == (protocol, test)).collect();
        let (mut benchmarks, mut languages): (Vec<Benchmark>, Vec<Language>) = (Vec::new(), Vec::new());
        for group in &groups {
            if !benchmarks.contains(&group.benchmark) {
                benchmarks.push(group.benchmark);
            }
            if !languages.contains(&group.language) {
                languages.push(group.language);
            }
        }
        let row = |&language: &Language| {
            let cell = |benchmark: &Benchmark| {
                let found = groups.iter().find(|group| group.benchmark == *benchmark && group.language == language);
                Value::from(found.map(|group| matches(group)))
            };
            let mut cells = cells![format!("{model} ({})", language.code().to_uppercase())];
            cells.extend(benchmarks.iter().map(cell));
            cells
        };
        let title = match (protocol, test) {
            (_, Some(ClassicTest::SallyAnne)) => "replies that match: asked for a Sally-Anne test",
            (_, Some(ClassicTest::Smarties)) => "replies that match: asked for a Smarties test",
            (Protocol::Completion, _) => "replies that match: asked for the second half",
            _ => "replies that match: asked for an example",
        };
        let header = std::iter::once(title).chain(benchmarks.iter().map(|benchmark| benchmark.name()));
        Grid::new(title, 1, header, languages.iter().map(row))
    };
    let asked: IndexSet<_> = groups.iter().map(|group| (group.protocol, group.test)).collect();
    let mut tables: Vec<Grid> = asked.iter().map(of_protocol).collect();
    let name = |group: &recall::Group| {
        let asked = group.test.map_or(group.protocol.name(), ClassicTest::name);
        cells![group.benchmark.name(), format!("{} {asked}", group.language.code())]
    };
    let share = |group: &recall::Group| {
        let interval = Value::range(group.interval.or(Some((0.0, 100.0))), 1);
        [name(group), cells![matches(group), Value::places(group.share, 1), interval]].concat()
    };
    let header = ["benchmark", "", "matches", "%", "95 %"];
    tables.push(Grid::new("Share of replies that match", 2, header, groups.iter().map(share)));
    let row = |group: &recall::Group| {
        let figures = cells![
            group.replies,
            group.skipped.values().sum::<usize>(),
            group.exact,
            Value::places(group.rouge_l, 3),
            Value::places(group.rouge_l_most, 3),
            Value::places(group.run_most, 3),
        ];
        [name(group), figures].concat()
    };
    let header = ["benchmark", "", "replies", "left out", "exact", "ROUGE-L", "most", "run"];
    tables.push(Grid::new("Likeness", 2, header, groups.iter().map(row)));
    let mut notes = left_out(groups.iter().map(|group| (&group.benchmark, group.language, &group.skipped)));
    notes.push(format!(
        "Match: a reply that contains the whole released text, or has a ROUGE-L of at least {} with it, or {} % of its \
         words in one run. ROUGE-L: mean and maximum. Run: maximum share of the released words in one run.",
        settings.rouge_l,
        100.0 * settings.run
    ));
    notes.push(
        "The format follows XToM's Tables 4 and 5, whose matches were judged by people; these are counted by the \
         thresholds above. Knowing the pattern of templated stories is enough to match them: read the replies (--out) \
         before you call one recited. No match does not mean that the items were not in training. 95 %: Wilson, for \
         replies that are drawn independently."
            .to_string(),
    );
    if settings.protocols.contains(&Protocol::Classic) {
        notes.push(
            "Classic tests are in textbooks and many papers: a model that can write one down knows the test, which does \
             not mean that it met this benchmark. Compared are the items of this data alone."
                .to_string(),
        );
    }
    let how = match settings.temperature == 0.0 {
        true => "greedy".to_string(),
        false => format!("sampled at temperature {}", settings.temperature),
    };
    let mut facts = vec![("seed", settings.seed.to_string()), ("replies", how)];
    facts.extend(settings.wording.iter().map(|wording| ("prompts", wording.clone())));
    (facts, tables, notes)
}

/// A p-value with four decimals; one from sampled arrangements is marked as approximate.
fn p_value(test: Option<&PValue>) -> Value {
    let p = Value::places(test.map(|test| test.p), 4);
    if test.is_some_and(|test| !test.exact) { p.marked("~") } else { p }
}

/// Lines about skipped items.
fn left_out<'a>(groups: impl Iterator<Item = (&'a Benchmark, Language, &'a IndexMap<String, usize>)>) -> Vec<String> {
    groups
        .flat_map(|(benchmark, language, skipped)| {
            skipped.iter().map(move |(why, items)| format!("Left out of {benchmark} {language}: {items}: {why}."))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_p_values_are_marked() {
        let value = |exact| PValue { p: 0.0125, exact, arrangements: 80 };
        assert_eq!(p_value(Some(&value(true))).to_string(), "0.0125");
        assert_eq!(p_value(Some(&value(false))).to_string(), "~0.0125");
        assert_eq!(p_value(None), Value::Missing(None));
    }
}
