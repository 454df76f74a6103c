//! An item as a run would put it, to be looked at.

use jiff::civil::DateTime;
use serde::Serialize;

use crate::benchmark::Item;
use crate::chat::Message;
use crate::model::{RenderSettings, TemplateError, TemplateVariables, TextParts, TokenizerError, render_or_merge};
use crate::prompt::{
    Condition, Instructions, Order, OrderPolicy, Pack, PackError, PromptError, Scoring, TooManyOrders, asks,
};

/// How an item is to be put.
#[derive(Debug, Clone)]
pub struct Presentation<'a> {
    /// Prompt style of the pack.
    pub style: &'a str,
    /// Language of the instructions.
    pub instructions: Instructions,
    /// How its answer is scored.
    pub scoring: Scoring,
    /// What is left out.
    pub condition: Option<Condition>,
    /// Option orders, of which the first one drawn is shown.
    pub orders: OrderPolicy,
    /// Seed of the orders.
    pub seed: u64,
}

/// An item as it would be put.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShownItem {
    /// Its id.
    pub item: String,
    /// File, name and language of the style, and what it is for.
    pub style: String,
    /// Where the wording comes from.
    pub source: String,
    /// Canonical options in slot order.
    pub order: Vec<usize>,
    /// What is asked, one after the other: several where each option is asked about apart.
    pub asks: Vec<ShownAsk>,
}

/// One prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShownAsk {
    /// The turns shown.
    pub messages: Vec<Message>,
    /// What the model's turn begins with.
    pub answer_prefix: String,
    /// Texts that are scored after it; none where a reply is wanted.
    pub continuations: Vec<String>,
    /// The text that a model reads; `None` without a model.
    pub rendered: Option<RenderedAsk>,
}

/// A prompt as a model reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RenderedAsk {
    /// The text, the answer's beginning included.
    pub text: String,
    /// Number of tokens, those that the tokenizer puts in front included.
    pub tokens: usize,
    /// Whether the model's template wrote the turns; a model without one gets their texts alone.
    pub by_template: bool,
    /// Whether the template refused the system text, which then stands in the user's turn.
    pub system_merged: bool,
}

/// An item that cannot be shown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ShowError {
    /// The pack has no style for it.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// There are more orders than can be listed.
    #[error(transparent)]
    Orders(#[from] TooManyOrders),
    /// The style cannot put it.
    #[error(transparent)]
    Prompt(#[from] PromptError),
    /// The model's template refuses it.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// It cannot be tokenized.
    #[error(transparent)]
    Tokenizer(#[from] TokenizerError),
}

/// A model that an item is shown to.
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    /// Its tokenizer and template.
    pub text: &'a TextParts,
    /// What its template is told beside the messages.
    pub variables: TemplateVariables,
    /// The date that templates print.
    pub now: DateTime,
}

/// Put an item; where a reader is given, as that model reads it.
pub fn show(
    item: &Item,
    pack: &Pack,
    presentation: &Presentation<'_>,
    reader: Option<&Reader<'_>>,
) -> Result<ShownItem, ShowError> {
    let Presentation { style, instructions, scoring, condition, orders, seed } = presentation;
    let style = pack.style_for(item, style, *scoring, *instructions)?;
    let order = match style.takes_orders(item, *scoring) {
        true => orders.draw(*seed, &item.id, item.options.len())?.into_iter().next().map(|drawn| drawn.order),
        false => None,
    };
    let order = order.unwrap_or_else(|| Order::identity(item.options.len()));
    let shown = match condition {
        Some(condition) => condition.apply(item),
        None => std::borrow::Cow::Borrowed(item),
    };
    let render = |reader: &Reader<'_>, messages: &[Message], prefix: &str| {
        let (now, variables) = (Some(reader.now), reader.variables.clone());
        let settings = RenderSettings { now, variables, ..RenderSettings::for_generation() };
        render(reader.text, messages, prefix, &settings)
    };
    let asks = asks(style, &shown, &order, *scoring)?.into_iter().map(|ask| {
        let rendered = reader.map(|reader| render(reader, &ask.prompt.messages, &ask.prompt.answer_prefix));
        Ok(ShownAsk {
            messages: ask.prompt.messages,
            answer_prefix: ask.prompt.answer_prefix,
            continuations: ask.continuations,
            rendered: rendered.transpose()?,
        })
    });
    Ok(ShownItem {
        item: item.id.clone(),
        style: style.to_string(),
        source: style.source.clone(),
        order: order.as_slice().to_vec(),
        asks: asks.collect::<Result<_, ShowError>>()?,
    })
}

fn render(
    text: &TextParts,
    messages: &[Message],
    prefix: &str,
    settings: &RenderSettings,
) -> Result<RenderedAsk, ShowError> {
    let rendered = render_or_merge(text.template.as_ref(), messages, settings)?;
    let whole = rendered.text + prefix;
    let tokens = text.tokenizer.encode(&whole, rendered.add_special)?.len();
    let (by_template, system_merged) = (text.template.is_some(), rendered.system_merged);
    Ok(RenderedAsk { text: whole, tokens, by_template, system_merged })
}
