//! Shows an item as in a run.

use jiff::civil::DateTime;
use serde::Serialize;

use crate::benchmark::Item;
use crate::chat::Message;
use crate::model::{RenderSettings, TemplateError, TemplateVariables, TextParts, TokenizerError, render_or_merge};
use crate::prompt::{
    Condition, FIRST_REPLY, Instructions, Order, OrderPolicy, Pack, PackError, PromptError, Scoring, TooManyOrders,
    asks,
};

/// Presentation of an item.
#[derive(Debug, Clone)]
pub struct Presentation<'a> {
    /// Prompt style of the pack.
    pub style: &'a str,
    /// Language of the instructions.
    pub instructions: Instructions,
    /// Scoring of its answer.
    pub scoring: Scoring,
    /// Omitted context.
    pub condition: Option<Condition>,
    /// Option orders; the first one drawn is shown.
    pub orders: OrderPolicy,
    /// Seed of the orders.
    pub seed: u64,
}

/// An item as presented.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShownItem {
    /// Its id.
    pub item: String,
    /// File, name and language of the style, and the items to which it applies.
    pub style: String,
    /// Source of the wording.
    pub source: String,
    /// Canonical options in slot order.
    pub order: Vec<usize>,
    /// Prompts, in order: several if each option is asked separately.
    pub asks: Vec<ShownAsk>,
    /// Whether it is the first phase of other styles, whose reply states no answer.
    #[serde(skip)]
    pub is_first: bool,
    /// The prompt of the first phase, if the prompts contain the reply to one; a stand-in takes the place of the reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<Box<ShownItem>>,
}

/// One prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShownAsk {
    /// The turns shown.
    pub messages: Vec<Message>,
    /// Beginning of the model's turn.
    pub answer_prefix: String,
    /// Texts scored after it; empty if a reply is requested.
    pub continuations: Vec<String>,
    /// Text read by a model; `None` without a model.
    pub rendered: Option<RenderedAsk>,
}

/// A prompt as read by a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RenderedAsk {
    /// The text, including the beginning of the answer.
    pub text: String,
    /// Number of tokens, including those added by the tokenizer at the beginning.
    pub tokens: usize,
    /// Whether the model's template wrote the turns; without one the model gets only their texts.
    pub by_template: bool,
    /// Whether the template refused the system text, which is then in the user's turn.
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
    /// The style cannot present it.
    #[error(transparent)]
    Prompt(#[from] PromptError),
    /// The model's template refuses it.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// It cannot be tokenized.
    #[error(transparent)]
    Tokenizer(#[from] TokenizerError),
}

/// A model that reads an item.
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    /// Its tokenizer and template.
    pub text: &'a TextParts,
    /// Variables of its template besides the messages.
    pub variables: TemplateVariables,
    /// Date printed by templates.
    pub now: DateTime,
}

/// Presents an item; with a reader, as that model reads it.
pub fn show(
    item: &Item,
    pack: &Pack,
    presentation: &Presentation<'_>,
    reader: Option<&Reader<'_>>,
) -> Result<ShownItem, ShowError> {
    let Presentation { style, instructions, scoring, condition, orders, seed } = presentation;
    let style = pack.style_for(item, style, *scoring, *instructions)?;
    let first = match &style.first {
        Some(first) => {
            let presentation = Presentation { style: first, scoring: Scoring::Generate, ..presentation.clone() };
            Some(Box::new(show(item, pack, &presentation, reader)?))
        }
        None => None,
    };
    let order = match style.takes_orders(item, *scoring) {
        true => orders.draw(*seed, &item.id, item.options.len())?.into_iter().next().map(|drawn| drawn.order),
        false => None,
    };
    let order = order.unwrap_or_else(|| Order::identity(item.options.len()));
    let order = condition.map_or_else(|| order.clone(), |condition| condition.order(item, &order));
    let mut shown = Condition::shown(*condition, item);
    if let Some(first) = &style.first {
        let stand_in = format!("[the model's own reply in the style {first}]");
        shown.to_mut().fields.insert(FIRST_REPLY.to_string(), stand_in);
    }
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
        is_first: style.is_first,
        first,
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
