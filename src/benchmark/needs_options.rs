//! Questions that cannot be answered without their options: "Which of the following is true?"

use std::borrow::Cow;
use std::sync::LazyLock;

use indexmap::IndexMap;
use regex::{Regex, RegexBuilder};
use serde::Deserialize;

use super::{Answer, Filter, Item};

/// Phrases of such questions in all languages.
static PHRASES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let by_language: IndexMap<String, Vec<String>> =
        toml::from_str(include_str!("needs_options.toml")).expect("a test reads the built-in file");
    by_language.values().flatten().map(|phrase| phrase_of(phrase).expect("a test reads the built-in file")).collect()
});

fn phrase_of(text: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(text).case_insensitive(true).build()
}

/// What a card says of the questions that need their options, beside the built-in phrases.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OptionsNeeded {
    /// Further phrases, as regular expressions.
    #[serde(default)]
    phrases: Vec<Phrase>,
    /// Items that need their options, whatever their wording.
    #[serde(rename = "where")]
    needed: Option<Filter>,
    /// Items that do not, whatever their wording.
    except: Option<Filter>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
struct Phrase(Regex);

impl TryFrom<String> for Phrase {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        phrase_of(&text).map(Phrase).map_err(|_| format!("`{text}` is not a regular expression"))
    }
}

/// Why an item is not asked with its options hidden.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Closed<'a> {
    /// Its question speaks of its options, in these words.
    Wording(Cow<'a, str>),
    /// The card says so.
    Card,
    /// Its answer is not one of its options.
    Several,
}

impl Closed<'_> {
    /// The reason in words.
    pub fn reason(&self) -> String {
        match self {
            Closed::Wording(words) => format!("the question speaks of its options (\"{}\")", words.to_lowercase()),
            Closed::Card => "the card says that the question needs its options".to_string(),
            Closed::Several => "the answer is not one option".to_string(),
        }
    }
}

impl OptionsNeeded {
    /// Returns why an item cannot be asked with its options hidden; `None` if it can.
    pub fn closed<'a>(&self, item: &'a Item) -> Option<Closed<'a>> {
        if !matches!(item.gold, Answer::Single(_)) {
            return Some(Closed::Several);
        }
        let fits = |filter: &Option<Filter>| {
            filter.as_ref().is_some_and(|filter| filter.passes(|facet| item.grouped_by(facet)))
        };
        if fits(&self.except) {
            return None;
        }
        let question = item.question.trim();
        let own = self.phrases.iter().map(|Phrase(phrase)| phrase);
        let found = PHRASES.iter().chain(own).find_map(|phrase| phrase.find(question));
        found.map(|words| Closed::Wording(words.as_str().into())).or(fits(&self.needed).then_some(Closed::Card))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::{Benchmark, LoadOptions, OptionIx};

    fn item(question: &str) -> Item {
        let mut item = Benchmark::Demo.load(std::path::Path::new(""), &LoadOptions::default()).unwrap().items.remove(0);
        item.question = question.to_string();
        item.gold = Answer::Single(OptionIx(0));
        item
    }

    fn words(question: &str) -> Option<String> {
        match OptionsNeeded::default().closed(&item(question)) {
            Some(Closed::Wording(words)) => Some(words.to_string()),
            _ => None,
        }
    }

    #[test]
    fn questions_that_speak_of_their_options_are_found_in_each_language() {
        for (question, found) in [
            ("Which of the following best describes Ann's belief?", "Which of the following"),
            ("Please choose the correct answer from the options below:", "choose the correct answer"),
            ("According to Ben, which statement is true?", "which statement"),
            ("Which best explains why he smiles?", "Which best explains"),
            ("以下哪一项最能说明小明的想法？", "以下哪一"),
            ("根据故事，下列说法正确的是", "下列"),
            ("哪个选项符合她的心情？", "哪个选项"),
            ("أي مما يلي صحيح؟", "أي مما يلي"),
            ("Laquelle des affirmations suivantes est vraie ?", "Laquelle des affirmations suivantes"),
            ("निम्नलिखित में से कौन सा कथन सही है?", "निम्नलिखित में से"),
            ("নিচের কোনটি সঠিক?", "নিচের কোন"),
            ("Какое из следующих утверждений верно?", "Какое из следующ"),
            ("Welche der folgenden Aussagen trifft zu?", "Welche der folgenden Aussagen"),
            ("次のうち正しいものはどれですか。", "次のうち"),
            ("¿Cuál de las siguientes afirmaciones es cierta?", "Cuál de las siguientes afirmaciones"),
            ("Qual das seguintes opções é correta?", "Qual das seguintes opções"),
            ("Quale delle seguenti affermazioni è vera?", "Quale delle seguenti affermazioni"),
            ("Welke van de volgende uitspraken klopt?", "Welke van de volgende"),
            ("다음 중 옳은 것은?", "다음 중"),
        ] {
            assert_eq!(words(question).as_deref(), Some(found), "{question}");
        }
    }

    #[test]
    fn questions_about_the_story_are_not() {
        for question in [
            "Which of the boxes will she open?",
            "If there is one, which sentence is inappropriate?",
            "Which department does Lee join?",
            "Why does he choose to leave?",
            "Ann will look in ____.",
            "In the following story, where does Ann look?",
            "小明会去哪里寻找苹果？",
            "李华负责哪项工作？",
            "请问小张数前，推测有多少学生选择了汉堡？",
            "杯子在桌子下面哪里？",
            "Dans quelle boîte va-t-elle chercher ?",
            "Welche Kiste öffnet sie?",
            "どの箱を開けますか。",
            "Какую коробку она откроет?",
        ] {
            assert_eq!(words(question), None, "{question}");
        }
    }

    #[test]
    fn a_card_adds_phrases_and_names_items_either_way() {
        let closed = |card: &str, question: &str| {
            toml::from_str::<OptionsNeeded>(card).unwrap().closed(&item(question)).map(|found| found.reason())
        };
        let spoken = |words: &str| Some(format!("the question speaks of its options (\"{words}\")"));
        assert_eq!(closed("phrases = ['Point to']", "Point to her box."), spoken("point to"));
        assert_eq!(closed("phrases = ['point to']", "Which statement is true?"), spoken("which statement"));
        assert_eq!(closed("where = { task = '*' }", "Where?"), Some(Closed::Card.reason()));
        assert_eq!(closed("where = { task = 'none' }", "Where?"), None);
        assert_eq!(closed("except = { language = 'en' }", "Which statement is true?"), None);
        let several = Item { gold: Answer::Labels([OptionIx(0)].into()), ..item("Where?") };
        assert_eq!(OptionsNeeded::default().closed(&several), Some(Closed::Several));
        let error = toml::from_str::<OptionsNeeded>("phrases = ['(']").unwrap_err().to_string();
        assert!(error.contains("`(` is not a regular expression"), "{error}");
    }
}
