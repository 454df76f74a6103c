//! Builds prompts from item, style and option order.

use super::ask::{Ask, Prompt, SpanKind};
use super::pattern::{Filled, Value};
use super::reminder::REMINDER;
use super::style::{FIRST_REPLY, FIRST_REPLY_BLANK, Style, slot_named};
use super::{Order, Scoring, SlotIx};
use crate::benchmark::{Answer, Item, OptionIx, SegmentKind};
use crate::chat::{Message, Role};
use crate::counted::counted;

/// Maximum number of joint answers of an item with several slots.
const MAX_JOINT_ANSWERS: usize = 4096;

/// Separator between two segments of an item's context.
const SEGMENT_BREAK: &str = "\n";

/// An item that does not fit a style.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PromptError {
    /// A placeholder has no value in the item.
    #[error("{style}: item `{item}` has no value for `{{{placeholder}}}`; use another style, or leave out --prompts")]
    NoValue {
        /// File and style.
        style: String,
        /// The item's id.
        item: String,
        /// The placeholder.
        placeholder: String,
    },
    /// There are more options than labels.
    #[error("{style}: item `{item}` has {options} options, but the style only {}; add to its `labels`", counted(*labels, "label"))]
    TooFewLabels {
        /// File and style.
        style: String,
        /// The item's id.
        item: String,
        /// Number of options.
        options: usize,
        /// Number of labels.
        labels: usize,
    },
    /// A changed option order was requested, but the style prints fixed options.
    #[error("{style}: item `{item}`: the options of this style are fixed; use --orders identity")]
    FixedOptions {
        /// File and style.
        style: String,
        /// The item's id.
        item: String,
    },
    /// Labels are scored, but the prompt does not show the options.
    #[error("{style}: item `{item}`: the prompt shows no options; use --scoring text, or add {{options}} to `user`")]
    NoOptions {
        /// File and style.
        style: String,
        /// The item's id.
        item: String,
    },
    /// The answer is a set of labels, but the style cannot ask about one label at a time.
    #[error(
        "{style}: item `{item}` has several right labels, scored as yes or no for each, but the style has no `yes_no` \
         words; use --scoring generate, add them to the style, or leave out --prompts"
    )]
    NoYesNo {
        /// File and style.
        style: String,
        /// The item's id.
        item: String,
    },
    /// There are too many combinations of slots to score.
    #[error("item `{item}`: {slots} slots of {options} options are more than {MAX_JOINT_ANSWERS} joint answers")]
    TooManyJoint {
        /// The item's id.
        item: String,
        /// Number of slots.
        slots: usize,
        /// Number of options.
        options: usize,
    },
    /// The order is for another number of options.
    #[error("item `{item}` has {options} options, but its order has {order}")]
    WrongOrder {
        /// The item's id.
        item: String,
        /// Number of options.
        options: usize,
        /// Length of the order.
        order: usize,
    },
}

/// Builds the prompts for an item in one option order.
///
/// By kind of answer and scoring:
///
/// | answer | asks | continuations of each |
/// |---|---|---|
/// | single | one | displayed labels (`letter`) or option texts (`text`, `hybrid`), in slot order |
/// | slots | one | every joint answer in lexicographic slot order: labels or texts joined by the style's `slot_join` |
/// | labels | one per option, in slot order | the style's words for yes and no |
/// | any, `generate` | one | none |
///
/// ```
/// use tomeval::{Answer, Benchmark, Instructions, Item, Language, OptionIx, Order, Pack, Scoring, Segment, SegmentKind, asks};
///
/// let item = Item {
///     id: "demo/x/0/en".into(),
///     benchmark: Benchmark::Demo,
///     language: Language::En,
///     parallel: "demo/x/0".into(),
///     story: "demo/x/en".into(),
///     context: vec![Segment { kind: SegmentKind::Story, text: "Ada naps. Bo hides her hat.".into() }],
///     question: "Does Ada know where her hat is?".into(),
///     options: vec!["Yes".into(), "No".into()],
///     gold: Answer::Single(OptionIx(1)),
///     facets: Default::default(),
///     fields: Default::default(),
///     flags: Vec::new(),
/// };
/// let pack = Pack::built_in(Benchmark::Demo);
/// let style = pack.style_for(&item, "vanilla", Scoring::Letter, Instructions::Item)?;
/// let order = Order::try_from(vec![1, 0])?;
/// let asked = asks(style, &item, &order, Scoring::Letter)?;
/// assert_eq!(asked[0].continuations, ["A", "B"]);
/// assert!(asked[0].prompt.messages[1].content.ends_with("A. No\nB. Yes"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn asks(style: &Style, item: &Item, order: &Order, scoring: Scoring) -> Result<Vec<Ask>, PromptError> {
    let writing = Writing { style, item, order };
    writing.check(scoring)?;
    match &item.gold {
        Answer::Labels(_) if scoring != Scoring::Generate => (0..order.len())
            .map(|slot| {
                let mut prompt = writing.prompt(Some(SlotIx(slot)))?;
                prompt.answer_prefix = writing.answer_prefix(true)?;
                Ok(Ask { prompt, continuations: writing.continuations(scoring)? })
            })
            .collect(),
        _ => {
            let mut prompt = writing.prompt(None)?;
            if scoring != Scoring::Generate {
                prompt.answer_prefix = writing.answer_prefix(scoring == Scoring::Letter)?;
            }
            Ok(vec![Ask { prompt, continuations: writing.continuations(scoring)? }])
        }
    }
}

/// The same continuations after a short prompt without the item: the denominator of pointwise mutual information
/// (Holtzman et al. 2021). Continuations are in identity order; the prompt is the style's `neutral` text.
pub fn unconditional(style: &Style, item: &Item, scoring: Scoring) -> Result<Ask, PromptError> {
    let order = Order::identity(item.options.len());
    let writing = Writing { style, item, order: &order };
    let mut text = Filled::default();
    text.push(SpanKind::Instruction, &style.neutral);
    let labels_scored = scoring == Scoring::Letter || matches!(item.gold, Answer::Labels(_));
    Ok(Ask {
        prompt: Prompt {
            messages: vec![Message { role: Role::User, content: text.text }],
            answer_prefix: match style.answer_prefix.split_once(FIRST_REPLY_BLANK) {
                Some((_, after)) => after.trim_start().to_string(),
                None if labels_scored => style.answer_prefix.clone(),
                None => String::new(),
            },
            spans: text.spans,
        },
        continuations: writing.continuations(scoring)?,
    })
}

/// One item in one style and order.
pub(super) struct Writing<'a> {
    pub style: &'a Style,
    pub item: &'a Item,
    pub order: &'a Order,
}

impl Writing<'_> {
    pub fn check(&self, scoring: Scoring) -> Result<(), PromptError> {
        let Writing { style, item, order } = self;
        let options = item.options.len();
        if order.len() != options {
            return Err(PromptError::WrongOrder { item: item.id.clone(), options, order: order.len() });
        }
        let place = || (style.to_string(), item.id.clone());
        let shown = style.shows_options();
        let one_by_one = matches!(item.gold, Answer::Labels(_)) && scoring != Scoring::Generate;
        if shown && style.labels.len() < options {
            let (style, item) = place();
            return Err(PromptError::TooFewLabels { style, item, options, labels: self.style.labels.len() });
        }
        let prints_its_own = !shown && !style.labels.is_empty() && matches!(item.gold, Answer::Slots(_));
        if !shown && !one_by_one && scoring != Scoring::Text {
            let (style, item) = place();
            if !prints_its_own && scoring != Scoring::Generate {
                return Err(PromptError::NoOptions { style, item });
            }
            if **order != Order::identity(options) {
                return Err(PromptError::FixedOptions { style, item });
            }
        }
        Ok(())
    }

    /// The prompt about all options, or about the one in `slot`.
    fn prompt(&self, slot: Option<SlotIx>) -> Result<Prompt, PromptError> {
        self.style.fill(|name| self.value(name, slot)).map_err(|placeholder| self.no_value(placeholder))
    }

    /// The beginning of the answer: what the style writes before labels, and before texts where the reply to the first
    /// phase is part of it.
    fn answer_prefix(&self, labels_scored: bool) -> Result<String, PromptError> {
        let prefix = &self.style.answer_prefix;
        match (prefix.contains(FIRST_REPLY_BLANK), self.item.fields.get(FIRST_REPLY)) {
            (true, Some(reply)) => Ok(prefix.replace(FIRST_REPLY_BLANK, reply)),
            (true, None) => Err(self.no_value(FIRST_REPLY)),
            (false, _) if labels_scored => Ok(prefix.clone()),
            (false, _) => Ok(String::new()),
        }
    }

    /// Error for a placeholder without a value.
    pub fn no_value(&self, placeholder: &str) -> PromptError {
        let (style, item, placeholder) = (self.style.to_string(), self.item.id.clone(), placeholder.to_string());
        PromptError::NoValue { style, item, placeholder }
    }

    /// Value of a placeholder.
    pub fn value(&self, name: &str, slot: Option<SlotIx>) -> Option<Value> {
        let field = |text: &str| vec![(SpanKind::Field(name.to_string()), text.to_string())];
        match name {
            "question" => {
                let reminder = self.item.fields.get(REMINDER);
                let reminder = reminder.map(|text| (SpanKind::Field(REMINDER.to_string()), format!("{text}\n")));
                Some(reminder.into_iter().chain([(SpanKind::Question, self.item.question.clone())]).collect())
            }
            "options" => self.options(),
            "option" => slot.map(|slot| vec![self.option(slot)]),
            "description" => self.style.descriptions.get(self.order.option_at(slot?).0).map(|text| field(text)),
            "context" => self.segments(|kind| !self.style.names_value(kind.name())),
            "characters_information" => self.segments(|kind| kind == SegmentKind::Profile),
            _ => {
                if let Some(slot) = slot_named(name) {
                    return (slot < self.order.len()).then(|| vec![self.option(SlotIx(slot))]);
                }
                self.segments(|kind| kind.name() == name)
                    .or_else(|| self.item.fields.get(name).map(|text| field(text)))
                    .or_else(|| match name {
                        "note" => Some(vec![(SpanKind::Segment(SegmentKind::Note), self.style.note.clone()?)]),
                        "story" => self.segments(|kind| !self.style.names_value(kind.name())),
                        _ => None,
                    })
            }
        }
    }

    /// Segments of the wanted kinds in item order; `None` if there are no such segments.
    fn segments(&self, wanted: impl Fn(SegmentKind) -> bool) -> Option<Value> {
        let mut value = Value::new();
        for segment in self.item.context.iter().filter(|segment| wanted(segment.kind)) {
            if !value.is_empty() {
                value.push((SpanKind::Instruction, SEGMENT_BREAK.to_string()));
            }
            value.push((SpanKind::Segment(segment.kind), segment.text.to_string()));
        }
        (!value.is_empty()).then_some(value)
    }

    fn text(&self, slot: SlotIx) -> &str {
        let OptionIx(option) = self.order.option_at(slot);
        &self.item.options[option]
    }

    fn option(&self, slot: SlotIx) -> (SpanKind, String) {
        (SpanKind::Option(slot), self.text(slot).to_string())
    }

    /// All options in slot order, each on the style's option line.
    pub fn options(&self) -> Option<Value> {
        let slots = (0..self.order.len()).map(SlotIx).zip(&self.style.labels);
        self.style.option_lines(slots.map(|(slot, label)| (label.clone(), self.option(slot))))
    }

    fn continuations(&self, scoring: Scoring) -> Result<Vec<String>, PromptError> {
        if scoring == Scoring::Generate {
            return Ok(Vec::new());
        }
        let options = self.order.len();
        let answers: Vec<String> = match scoring {
            Scoring::Letter if self.style.labels.len() >= options => self.style.labels[..options].to_vec(),
            Scoring::Letter if !matches!(self.item.gold, Answer::Labels(_)) => {
                let labels = self.style.labels.len();
                let (style, item) = (self.style.to_string(), self.item.id.clone());
                return Err(PromptError::TooFewLabels { style, item, options, labels });
            }
            _ => (0..options).map(|slot| self.text(SlotIx(slot)).to_string()).collect(),
        };
        match &self.item.gold {
            Answer::Single(_) => Ok(answers),
            Answer::Slots(slots) => self.joint(&answers, slots.len()),
            Answer::Labels(_) => match &self.style.yes_no {
                Some(words) => Ok(words.to_vec()),
                None => Err(PromptError::NoYesNo { style: self.style.to_string(), item: self.item.id.clone() }),
            },
        }
    }

    /// Every combination of answers, with the last slot varying fastest.
    fn joint(&self, answers: &[String], slots: usize) -> Result<Vec<String>, PromptError> {
        let count = u32::try_from(slots).ok().and_then(|slots| answers.len().checked_pow(slots));
        if count.is_none_or(|count| count > MAX_JOINT_ANSWERS) {
            let item = self.item.id.clone();
            return Err(PromptError::TooManyJoint { item, slots, options: answers.len() });
        }
        let mut joint = vec![Vec::new()];
        for _ in 0..slots {
            joint = joint
                .iter()
                .flat_map(|start: &Vec<&str>| answers.iter().map(move |next| [&start[..], &[next]].concat()))
                .collect();
        }
        Ok(joint.into_iter().map(|parts| parts.join(&self.style.slot_join)).collect())
    }
}
