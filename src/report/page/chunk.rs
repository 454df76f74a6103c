//! Item details in packed form: each text once, prompts as frames around the item's own texts.

use indexmap::{IndexMap, IndexSet};
use serde_json::{Map, Value, json};

use super::item::{PageItem, PageTrial, ShownPrompt, ShownReply};
use crate::page::{PageError, packed};

/// Bytes of JSON after which a chunk ends at the next story.
const FULL: usize = 1 << 20;

/// Details of some items before packing. Texts are indices into `texts`; prompts are indices into `frames`.
#[derive(Default)]
pub(super) struct Chunk {
    texts: IndexSet<String>,
    frames: IndexMap<String, ()>,
    items: String,
    /// Number of items.
    pub(super) len: usize,
    bytes: usize,
    story: String,
}

impl Chunk {
    /// Whether this item begins a new chunk: the current one is full and the item is of another story, or it is four
    /// times over the limit.
    pub fn ends_before(&self, item: &PageItem) -> bool {
        self.len > 0 && (self.bytes > 4 * FULL || self.bytes > FULL && self.story != item.story)
    }

    /// Adds an item; without `with_texts`, its texts, prompts and replies are left out.
    pub fn add(&mut self, item: &PageItem, ways: usize, with_texts: bool) -> Result<(), PageError> {
        let before = self.items.len();
        let answers: Vec<Value> = (0..ways)
            .map(|way| match item.answers.get(&way) {
                None => Value::Null,
                Some(answer) => answer.trials.iter().map(|trial| self.trial(trial, item, with_texts)).collect(),
            })
            .collect();
        let mut line =
            json!({ "kind": item.gold_kind, "gold": item.gold, "count": item.options.len(), "answers": answers });
        if with_texts {
            line["context"] = item.context.iter().map(|(kind, text)| json!([kind, self.text(text)])).collect();
            line["question"] = self.text(&item.question).into();
            line["options"] = item.options.iter().map(|option| self.text(option)).collect();
        }
        self.items.push_str(if self.len == 0 { "" } else { "," });
        self.items.push_str(&serde_json::to_string(&line)?);
        self.bytes += self.items.len() - before;
        self.len += 1;
        if self.story != item.story {
            self.story.clone_from(&item.story);
        }
        Ok(())
    }

    /// Index of a text.
    fn text(&mut self, text: &str) -> usize {
        if let Some(known) = self.texts.get_index_of(text) {
            return known;
        }
        self.bytes += text.len();
        self.texts.insert_full(text.to_string()).0
    }

    /// One trial. Defaults are left out: a count of 1, no sample, no tie.
    fn trial(&mut self, trial: &PageTrial, item: &PageItem, with_texts: bool) -> Value {
        let shown = &trial.shown;
        let mut line = Map::new();
        let mut put = |name: &str, value: Value, wanted: bool| {
            if wanted {
                line.insert(name.to_string(), value);
            }
        };
        put("order", json!(trial.order), trial.order.is_some());
        put("n", trial.count.into(), trial.count != 1);
        put("sample", json!(shown.sample), shown.sample.is_some());
        put("choice", json!(trial.choice), trial.choice.is_some());
        put("tied", true.into(), trial.tied);
        // In tenths of a percent.
        let tenths: Vec<u32> = trial.probabilities.iter().map(|share| (share * 1000.0).round() as u32).collect();
        put("p", json!(tenths), !tenths.is_empty());
        put("failure", json!(trial.failure), trial.failure.is_some());
        if let Some(reply) = &shown.reply {
            put("outcome", reply.outcome.as_deref().unwrap_or("no answer asked for").into(), true);
            put("rule", json!(reply.rule), reply.rule.is_some());
            put("cut", true.into(), reply.cut);
        }
        put("labels", self.text(&shown.labels.join("\n")).into(), !shown.labels.is_empty());
        if with_texts {
            put("why", json!(shown.failure), shown.failure.is_some());
            let prompts: Vec<usize> =
                shown.prompts.iter().map(|prompt| self.frame(prompt, item, trial.order.as_deref())).collect();
            put("prompts", json!(prompts), !prompts.is_empty());
            if let Some(reply) = &shown.reply {
                put("reply", self.reply(reply), true);
            }
        }
        Value::Object(line)
    }

    /// A reply in three pieces, the middle one being the part read; or whole if nothing was read.
    fn reply(&mut self, reply: &ShownReply) -> Value {
        let text = reply.text.as_str();
        let pieces =
            reply.span.and_then(|(start, end)| Some([text.get(..start)?, text.get(start..end)?, text.get(end..)?]));
        let pieces: Vec<usize> = match pieces {
            Some(pieces) => pieces.into_iter().map(|piece| self.text(piece)).collect(),
            None => vec![self.text(text)],
        };
        let thinking = reply.thinking.as_deref().map(|thinking| self.text(thinking));
        json!({ "text": pieces, "thinking": thinking })
    }

    /// Index of the frame that gives this prompt once the item's texts are filled in: literal text and placeholder
    /// names. `c0` is the first stretch of context, `q` the question, `o2` the option in the third slot.
    fn frame(&mut self, prompt: &ShownPrompt, item: &PageItem, order: Option<&[usize]>) -> usize {
        let identity: Vec<usize>;
        let order = match order {
            Some(order) => order,
            None => {
                identity = (0..item.options.len()).collect();
                &identity
            }
        };
        let options = order
            .iter()
            .enumerate()
            .filter_map(|(slot, &option)| Some((format!("o{slot}"), item.options.get(option)?.as_str())));
        let context = item.context.iter().enumerate().map(|(at, (_, text))| (format!("c{at}"), &**text));
        let mut places: Vec<(String, &str)> = context
            .chain([("q".to_string(), item.question.as_str())])
            .chain(options)
            .filter(|(_, text)| !text.is_empty())
            .collect();
        // Longer texts first, since they may contain others; a stable sort keeps the frames of all items alike.
        places.sort_by_key(|(_, text)| std::cmp::Reverse(text.len()));
        let turns: Vec<Value> = prompt.turns.iter().map(|(role, text)| json!([role, pieces(text, &places)])).collect();
        let frame = json!([turns, prompt.answer_prefix]).to_string();
        self.bytes += if self.frames.contains_key(&frame) { 0 } else { frame.len() };
        self.frames.insert_full(frame, ()).0
    }

    /// The chunk as compressed JSON.
    pub fn packed(&self) -> Result<String, PageError> {
        let texts = serde_json::to_string(&self.texts)?;
        let frames = self.frames.keys().map(String::as_str).collect::<Vec<_>>().join(",");
        Ok(packed(&format!("{{\"texts\":{texts},\"frames\":[{frames}],\"items\":[{}]}}", self.items))?)
    }
}

/// Splits a text into literal pieces alternating with placeholder names, starting with a literal.
fn pieces<'a>(text: &'a str, places: &'a [(String, &str)]) -> Vec<&'a str> {
    let mut pieces = vec![text];
    for (name, wanted) in places {
        let mut split = Vec::with_capacity(pieces.len());
        for (at, piece) in pieces.into_iter().enumerate() {
            let mut rest = piece;
            while let Some(start) = if at % 2 == 0 { find_apart(rest, wanted) } else { None } {
                split.extend([&rest[..start], name.as_str()]);
                rest = &rest[start + wanted.len()..];
            }
            split.push(rest);
        }
        pieces = split;
    }
    pieces
}

/// Position of `wanted` in the text, excluding matches within a word.
fn find_apart(text: &str, wanted: &str) -> Option<usize> {
    let in_word = |character: Option<char>| character.is_some_and(char::is_alphanumeric);
    text.match_indices(wanted).map(|(start, _)| start).find(|&start| {
        let (before, after) = (text[..start].chars().next_back(), text[start + wanted.len()..].chars().next());
        let (first, last) = (wanted.chars().next(), wanted.chars().next_back());
        !(in_word(before) && in_word(first) || in_word(last) && in_word(after))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn places<'a>(texts: &[&'a str]) -> Vec<(String, &'a str)> {
        texts.iter().enumerate().map(|(at, text)| (format!("o{at}"), *text)).collect()
    }

    /// Joins the pieces as a browser does.
    fn joined(pieces: &[&str], places: &[(String, &str)]) -> String {
        let text = |name: &str| places.iter().find(|(known, _)| known == name).unwrap().1;
        pieces.iter().enumerate().map(|(at, piece)| if at % 2 == 0 { piece } else { text(piece) }).collect()
    }

    #[test]
    fn places_are_found_apart_from_words_alone() {
        let places = places(&["in the box", "no"]);
        assert_eq!(pieces("A. in the box\nB. no", &places), ["A. ", "o0", "\nB. ", "o1", ""]);
        assert_eq!(pieces("not now: in the boxroom", &places), ["not now: in the boxroom"]);
    }

    proptest! {
        #[test]
        fn a_frame_gives_back_the_prompt(text in "[ab \u{6545}.]{0,40}", texts in prop::collection::vec("[ab \u{6545}]{1,3}", 1..4)) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let places = places(&texts);
            prop_assert_eq!(joined(&pieces(&text, &places), &places), text);
        }
    }
}
