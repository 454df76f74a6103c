//! One question of a row, as its card says.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashSet};

use indexmap::IndexMap;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::draft::{Draft, Place, Stories, few_enough, listed, parsed};
use super::gold::{Gold, Shown};
use super::scope::Scope;
use super::spec::{Condition, FlagOfCard, OptionTexts, Options, Question};
use super::template::scalar;
use super::text::{Lack, Text};
use crate::benchmark::choices::strip_labels;
use crate::benchmark::own::{AnswerKind, GoldBase};
use crate::benchmark::{Benchmark, Facets, Flag, Item, LabelSet, RowProblem};
use crate::language::{Language, UnknownLanguage};

/// A part of a question that a row lacks.
struct At(&'static str, Lack);

impl Condition {
    /// Whether it is so of a row. A value that a row does not have is no value, lacks every text and is not any.
    fn holds(&self, get: &dyn Fn(&str) -> Option<Value>) -> bool {
        let text = match self.of.value(get).map(parsed) {
            Ok(Value::Array(list)) => Some(list.iter().filter_map(scalar).collect::<Vec<_>>().join("\n")),
            Ok(value) => scalar(&value),
            Err(_) => None,
        };
        let among = |values: &Vec<String>| text.as_ref().is_some_and(|text| values.iter().any(|value| value == text));
        let names = |template: &super::template::Template| {
            let named = template.value(get).ok().as_ref().and_then(scalar);
            let within = |(text, named): (&String, String)| text.to_lowercase().contains(&named.to_lowercase());
            text.as_ref().zip(named).is_some_and(within)
        };
        self.is.as_ref().is_none_or(among)
            && !self.is_not.as_ref().is_some_and(among)
            && self.matches.as_ref().is_none_or(|pattern| text.as_ref().is_some_and(|text| pattern.is_match(text)))
            && !self.lacks.as_ref().is_some_and(names)
    }
}

impl FlagOfCard {
    fn of(&self, get: &dyn Fn(&str) -> Option<Value>) -> Option<Flag> {
        let holds = self.when.iter().all(|condition| condition.holds(get));
        holds.then(|| Flag { name: self.name.clone().into(), detail: self.detail.clone() })
    }
}

/// What was seen of a question's rows: a facet that no row has is a slip of the card.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub items: usize,
    pub facets: RefCell<HashSet<String>>,
}

impl Question {
    /// Whether a question is asked of this row.
    pub fn is_asked(&self, scope: &Scope<'_>) -> bool {
        self.when.iter().all(|condition| condition.holds(&|name| scope.value(name)))
    }

    /// Whether the conditions on choices alone allow the question.
    pub fn is_chosen(&self, chosen: &IndexMap<&str, &str>) -> bool {
        let value = |name: &str| chosen.get(name.strip_prefix("choice.")?).map(|&value| value.into());
        let mut of_choices =
            self.when.iter().filter(|condition| condition.of.names().all(|name| value(name).is_some()));
        of_choices.all(|condition| condition.holds(&value))
    }

    /// The entries of the row that the question is asked of; `None` where it is asked of the row itself.
    pub fn entries(&self, scope: &Scope<'_>) -> Result<Option<Vec<Value>>, RowProblem> {
        let Some(each) = &self.each else { return Ok(None) };
        match scope.value(each).map(parsed) {
            None | Some(Value::Null) => Ok(Some(Vec::new())),
            Some(Value::Array(list)) => Ok(Some(list)),
            Some(_) => Err(scope.row.problem(Some(each), "not a list, but `each` needs one")),
        }
    }

    /// The item of a row or of one of its entries under these labels; `None` where they leave it out.
    pub fn item(
        &self,
        benchmark: Benchmark,
        labels: LabelSet,
        scope: &Scope<'_>,
        seen: &Seen,
        stories: &mut Stories,
    ) -> Result<Option<Item>, RowProblem> {
        self.made(benchmark, labels, scope, seen, stories).map_err(|At(part, lack)| {
            let at = scope.entry.map_or_else(String::new, |(number, _)| {
                format!(" (entry {} of {})", number + 1, self.each.as_deref().unwrap_or_default())
            });
            let field = lack.field.as_deref().unwrap_or(part);
            let of = if field == part { String::new() } else { format!("{part}: ") };
            scope.row.problem(Some(field), format!("{of}{}{at}", lack.message))
        })
    }

    fn made(
        &self,
        benchmark: Benchmark,
        labels: LabelSet,
        scope: &Scope<'_>,
        seen: &Seen,
        stories: &mut Stories,
    ) -> Result<Option<Item>, At> {
        let get = &|name: &str| scope.value(name);
        let needed = |part: &'static str, text: &Text| text.text(get).map_err(|lack| At(part, lack));
        let wrong = |part: &'static str| move |message: String| At(part, Lack { field: None, message });
        let fills: Vec<(&String, String)> =
            self.fill.iter().map(|(blank, text)| Ok((blank, needed("fill", text)?))).collect::<Result<_, At>>()?;
        let filled = |text: String| {
            fills
                .iter()
                .fold(text, |text, (blank, by)| if text.contains(*blank) { text.replace(*blank, by) } else { text })
        };
        let language = needed("language", &self.language)?.trim().parse::<Language>();
        let language = language.map_err(|error: UnknownLanguage| wrong("language")(error.to_string()))?;
        let id = needed("id", &self.id)?.trim().to_string();
        let parallel = self.parallel.as_ref().map(|text| needed("parallel", text)).transpose()?;
        let parallel = parallel.map_or_else(|| id.clone(), |parallel| parallel.trim().to_string());
        let story = self.story.as_ref().map(|text| needed("story-id", text)).transpose()?;
        let context = self.context.iter().map(|(kind, text)| Ok((*kind, filled(needed(kind.name(), text)?))));
        let context = context.collect::<Result<Vec<_>, At>>()?;
        let question = filled(needed("question", &self.question)?);
        let mut flags: Vec<Flag> = self.flags.iter().filter_map(|flag| flag.of(get)).collect();
        let mut repair = None;
        for one in &self.repairs {
            if let Some(flag) = one.flag.of(get) {
                flags.push(flag);
                repair = repair.or(Some(one).filter(|_| labels == LabelSet::Repaired));
            }
        }
        let (options, labelled, gold) = match &self.options {
            Options::Named { options, answer } => {
                let texts = match options {
                    OptionTexts::List(list) => {
                        let list = list.value(get).map_err(|lack| At("options", lack))?;
                        listed(&list).map_err(wrong("options"))?
                    }
                    OptionTexts::Each(each) => {
                        each.iter().map(|text| needed("options", text)).collect::<Result<_, _>>()?
                    }
                };
                let texts = few_enough(texts.into_iter().map(filled).collect()).map_err(wrong("options"))?;
                let (options, labelled) = strip_labels(&texts.iter().map(String::as_str).collect::<Vec<_>>());
                let answer = repair.and_then(|repair| repair.answer.as_ref()).unwrap_or(answer);
                let answer = answer.value(get).map_err(|lack| At("answer", lack))?;
                let shown = Shown { options: &options, labels: None, numbers: self.base.is_some() };
                let gold = Gold::read(&answer, self.kind, &shown).map_err(wrong("answer"))?;
                if self.base.is_none() && gold.numbers().next().is_some() {
                    let message = "a number; the card says by `gold-base = 0` or `1` what the first option counts as";
                    return Err(wrong("answer")(message.to_string()));
                }
                (options, labelled, gold)
            }
            Options::Apart { right, wrong: others } => {
                let texts = |part: &'static str, text: &Text| -> Result<Vec<String>, At> {
                    let value = text.value(get).map_err(|lack| At(part, lack))?;
                    let value = parsed(value);
                    let texts = match scalar(&value) {
                        Some(one) => Ok(vec![one]),
                        None if value.as_array().is_some_and(Vec::is_empty) => Ok(Vec::new()),
                        None => listed(&value),
                    };
                    let texts: Vec<String> = texts.map_err(wrong(part))?;
                    Ok(texts.into_iter().map(|text| filled(text).trim().to_string()).collect::<Vec<String>>())
                };
                let rights = texts("right", right)?;
                let wrongs = others.iter().map(|text| texts("wrong", text)).collect::<Result<Vec<_>, At>>()?.concat();
                let kind = self.kind.unwrap_or(AnswerKind::Single);
                let (options, gold) = match kind {
                    AnswerKind::Labels if rights.iter().any(|name| wrongs.contains(name)) => {
                        let detail = "a name is listed as right and as wrong; it counts as right".to_string();
                        flags.push(Flag { name: "name-on-both-lists".into(), detail });
                        by_mention(rights, wrongs, context.iter().map(|(_, text)| text.as_str()))
                    }
                    AnswerKind::Labels => by_mention(rights, wrongs, context.iter().map(|(_, text)| text.as_str())),
                    AnswerKind::Single | AnswerKind::Slots => {
                        one_right(rights, wrongs, &format!("{benchmark}/{parallel}")).map_err(wrong("right"))?
                    }
                };
                (few_enough(options).map_err(wrong("wrong"))?, false, Gold::of(kind, gold))
            }
        };
        let mut facets = Facets::new();
        for (name, text) in &self.facets {
            let value = match text.text(get) {
                Ok(value) => value.trim().to_string(),
                // A row without it; what no row has is named at the end.
                Err(_) => continue,
            };
            if !value.is_empty() {
                seen.facets.borrow_mut().insert(name.clone());
                facets.insert(name.clone(), value);
            }
        }
        let place = Place {
            id: format!("{benchmark}/{id}"),
            parallel: format!("{benchmark}/{parallel}"),
            story: story.map(|story| format!("{benchmark}/{}", story.trim())),
            facets,
            flags,
        };
        let draft = Draft { language, context, question, options, labelled, gold };
        let item =
            draft.item(benchmark, self.base.unwrap_or(GoldBase::Zero), place, stories).map_err(wrong("answer"))?;
        Ok(Some(item).filter(|_| repair.is_none_or(|repair| repair.answer.is_some())))
    }
}

/// The options with the right one at a place drawn from a hash of the question's name, and that place.
fn one_right(rights: Vec<String>, wrongs: Vec<String>, name: &str) -> Result<(Vec<String>, Vec<usize>), String> {
    let [right] = &rights[..] else {
        return Err(format!("{} right answers where one is needed; say `answers-are = \"labels\"`", rights.len()));
    };
    let place = usize::from(Sha256::digest(name.as_bytes())[0]) % (wrongs.len() + 1);
    let mut options = wrongs;
    options.insert(place, right.clone());
    Ok((options, vec![place]))
}

/// The options in the order in which the context first mentions them, and the places of the right ones. A name on both
/// lists is right.
fn by_mention<'a>(
    rights: Vec<String>,
    wrongs: Vec<String>,
    context: impl Iterator<Item = &'a str>,
) -> (Vec<String>, Vec<usize>) {
    let context = context.collect::<Vec<_>>().join("\n");
    let names: BTreeSet<String> = rights.iter().chain(&wrongs).cloned().collect();
    let mut options = Vec::from_iter(names);
    options.sort_by_key(|name| context.find(name.as_str()).unwrap_or(usize::MAX));
    let gold = (0..options.len()).filter(|&option| rights.contains(&options[option])).collect();
    (options, gold)
}
