//! Several questions about one context in one prompt.

use super::ask::{Ask, SpanKind};
use super::build::Writing;
use super::pattern::Value;
use super::style::Style;
use super::{Order, PromptError, Scoring};
use crate::benchmark::Item;

/// Separator between two questions.
const QUESTION_BREAK: &str = "\n\n";

/// Builds the prompt for several items with the same context, each in its own option order. The style's
/// `{questions}` lists them by number, each formatted by `question_line`; everything else comes from the first item.
pub fn ask_several(style: &Style, questions: &[(&Item, &Order)]) -> Result<Ask, PromptError> {
    let mut list = Value::new();
    for (number, &(item, order)) in (1..).zip(questions) {
        let writing = Writing { style, item, order };
        writing.check(Scoring::Generate)?;
        if number > 1 {
            list.push((SpanKind::Instruction, QUESTION_BREAK.to_string()));
        }
        let line = style.question_line.fill(|name| match name {
            "number" => Some(vec![(SpanKind::Instruction, number.to_string())]),
            "id" => Some(vec![(SpanKind::Instruction, item.name_in_story().to_string())]),
            "question" => Some(vec![(SpanKind::Question, item.question.clone())]),
            _ => writing.options(),
        });
        let line = line.map_err(|placeholder| writing.no_value(placeholder))?;
        list.extend(line.spans.into_iter().map(|span| (span.kind, line.text[span.bytes].to_string())));
    }
    let Some(&(item, order)) = questions.first() else { return Ok(Ask::default()) };
    let first = Writing { style, item, order };
    let prompt = style.fill(|name| match name {
        "questions" => Some(list.clone()),
        "question_count" => Some(vec![(SpanKind::Instruction, questions.len().to_string())]),
        _ => first.value(name, None),
    });
    let prompt = prompt.map_err(|placeholder| first.no_value(placeholder))?;
    Ok(Ask { prompt, continuations: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::{Answer, Benchmark, OptionIx, Segment, SegmentKind};
    use crate::language::Language;
    use crate::prompt::{Instructions, Pack, Placeholders};

    fn item(name: &str, question: &str, options: &[&str]) -> Item {
        Item {
            id: format!("b/1/{name}"),
            benchmark: Benchmark::Custom,
            language: Language::En,
            parallel: format!("b/1/{name}"),
            story: "b/1".into(),
            context: vec![Segment { kind: SegmentKind::Story, text: "Ada naps.".into() }],
            question: question.into(),
            options: options.iter().map(ToString::to_string).collect(),
            gold: Answer::Single(OptionIx(0)),
            facets: Default::default(),
            fields: Default::default(),
            flags: Vec::new(),
        }
    }

    const PACK: &str = r#"
        benchmark = "b"
        source = "s"
        [[style]]
        name = "vanilla"
        language = "en"
        user = "{story}\n\n{question}\n\n{options}"
        labels = ["A", "B", "C"]
        [[style]]
        name = "vanilla"
        language = "en"
        user = "{story}\n\nAnswer {question_count}:\n\n{questions}"
        question_line = "{number}. {question}\n{options}"
        labels = ["A", "B", "C"]
    "#;

    #[test]
    fn each_question_has_its_number_and_its_own_order() {
        let pack = Pack::parse("p.toml", PACK, Placeholders::OfItems).unwrap();
        let items = [item("x", "Where?", &["bag", "tin", "oven"]), item("y", "Who?", &["Ada", "Bo"])];
        let style = pack.style_for_several(&items[0], "vanilla", Instructions::Item).unwrap();
        let orders = [Order::try_from(vec![2, 0, 1]).unwrap(), Order::try_from(vec![1, 0]).unwrap()];
        let asked: Vec<(&Item, &Order)> = items.iter().zip(&orders).collect();
        let ask = ask_several(style, &asked).unwrap();
        let text = &ask.prompt.messages[0].content;
        assert_eq!(text, "Ada naps.\n\nAnswer 2:\n\n1. Where?\nA. oven\nB. bag\nC. tin\n\n2. Who?\nA. Bo\nB. Ada");
        let single = pack.style_for(&items[0], "vanilla", Scoring::Generate, Instructions::Item).unwrap();
        assert!(!single.asks_several() && style.asks_several());
    }

    #[test]
    fn a_style_without_a_line_of_its_own_names_questions_by_id_and_missing_ones_say_what_to_do() {
        let text = PACK.replace("question_line = \"{number}. {question}\\n{options}\"", "");
        let pack = Pack::parse("p.toml", &text, Placeholders::OfItems).unwrap();
        let item = item("type_a", "Who?", &["Ada", "Bo"]);
        let style = pack.style_for_several(&item, "vanilla", Instructions::Item).unwrap();
        let ask = ask_several(style, &[(&item, &Order::identity(2))]).unwrap();
        assert!(ask.prompt.messages[0].content.ends_with("type_a. Who?\nA. Ada\nB. Bo"));
        let error = pack.style_for_several(&item, "cot", Instructions::Item).unwrap_err().to_string();
        assert!(error.contains("several questions") && error.contains("--questions-per-prompt"), "{error}");
        let only_several = PACK.replacen("name = \"vanilla\"", "name = \"plain\"", 1);
        let pack = Pack::parse("p.toml", &only_several, Placeholders::OfItems).unwrap();
        let error = pack.style_for(&item, "vanilla", Scoring::Letter, Instructions::Item).unwrap_err().to_string();
        assert!(error.contains("add --questions-per-prompt"), "{error}");
    }
}
