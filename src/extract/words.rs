//! Compiles the words of `words.toml` into regular expressions for the text before and after a mention.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::{Regex, RegexBuilder};
use unicode_normalization::UnicodeNormalization;

use super::normal;
use crate::language::Language;

/// Words of all languages as in the file: language, list, expressions.
type Lists = BTreeMap<String, BTreeMap<String, Vec<String>>>;

static LISTS: LazyLock<Lists> =
    LazyLock::new(|| toml::from_str(include_str!("words.toml")).expect("the file is part of the program"));

/// Languages whose words cannot be delimited by word boundaries.
const UNSPACED: [&str; 3] = ["zh", "ja", "ko"];

/// A letter in an entry: not a space or mark. Unlike the Unicode class of letters, this compiles quickly.
const LETTER: &str = r#"[^\x00-&(-/:-@\[-`{-~。、]"#;

/// An expression that matches nothing, as a list does that no language in play has.
const NOTHING: &str = r"[^\s\S]";

/// List entries as alternatives that begin and end at word boundaries; entries of the same kind share their boundaries,
/// which are expensive. Without entries nothing matches.
fn bounded<'a>(entries: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let mut kinds: BTreeMap<[&str; 2], Vec<String>> = BTreeMap::new();
    for (language, entry) in entries {
        let entry: String = entry.nfkc().filter_map(normal::plain).collect();
        let entry = entry.replace(r"\w", LETTER);
        let spaced = !UNSPACED.contains(&language);
        let begins = spaced && entry.starts_with(|first: char| first.is_alphanumeric() || first == '(');
        let ends = spaced && entry.ends_with(|last: char| last.is_alphanumeric() || "?)*+".contains(last));
        // Arabic writes `and` and `so` as one letter joined to the next word.
        let begin = if !begins {
            ""
        } else if language == "ar" {
            r"\b[وف]?"
        } else {
            r"\b"
        };
        kinds.entry([begin, if ends { r"\b" } else { "" }]).or_default().push(entry);
    }
    if kinds.is_empty() {
        return NOTHING.to_string();
    }
    let kinds = kinds.iter().rev().map(|([begin, end], entries)| format!("{begin}(?:{}){end}", entries.join("|")));
    format!("(?:{})", kinds.collect::<Vec<_>>().join("|"))
}

/// All entries of a list in some languages, as alternatives.
fn any(lists: &[(&str, &BTreeMap<String, Vec<String>>)], list: &str) -> String {
    bounded(lists.iter().flat_map(|(language, lists)| {
        lists.get(list).into_iter().flatten().map(move |entry| (*language, entry.as_str()))
    }))
}

/// DFA size limit of an expression, in bytes; fifteen languages need more than the default.
const STATES: usize = 16 << 20;

fn regex(text: &str) -> Regex {
    RegexBuilder::new(text)
        .dfa_size_limit(STATES)
        .build()
        .unwrap_or_else(|error| panic!("an expression of this program: {error}"))
}

/// A list as one expression that matches a whole text, for instance a verdict.
fn whole(any: &str) -> Regex {
    regex(&format!("(?i)^{any}$"))
}

/// Whether all words of a text, except single capitals, are in languages without spaces. Other languages need word
/// boundaries, which take ten times as long for non-ASCII letters.
fn is_unspaced(text: &str) -> bool {
    let mut last_letter = false;
    let foreign = |letter: char| {
        let again = std::mem::replace(&mut last_letter, letter.is_ascii_alphabetic()) && last_letter;
        let single = matches!(letter, 'A'..='M');
        letter.is_alphabetic()
            && !matches!(letter, '\u{3040}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
            && (again || !single)
    };
    !text.is_ascii() && !text.chars().any(foreign)
}

/// Text allowed between a word for the answer and the word that links it to the answer.
const GAP: &str = r#"[^.!?。\n:]{0,70}?"#;

/// Expressions for the text before a mention; each ends where the mention begins.
pub(super) struct Before {
    /// `Answer:`, also as a key.
    pub colon: Regex,
    /// `The answer is`.
    pub is: Regex,
    /// `I choose`.
    pub choose: Regex,
    /// `Answer` alone.
    pub noun: Regex,
    /// `It is`.
    pub thus: Regex,
    pub therefore: Regex,
    /// `No, wait,`.
    pub turn: Regex,
    /// `but`, after a denial.
    pub but: Regex,
    /// `may be`.
    pub maybe: Regex,
    pub option: Regex,
    /// Filler words.
    pub fill: Regex,
    pub only: Regex,
    pub not: Regex,
    pub except: Regex,
    /// A line's beginning.
    pub line: Regex,
    /// A key of a list of answers: `1.`, `Belief:`.
    pub key: Regex,
    /// `or`, between two mentions.
    pub or: Regex,
    /// `, and`, between two mentions.
    pub and: Regex,
    /// The same, or `or`, and no other word.
    pub listed: Regex,
}

/// Expressions for the text after a mention; each begins where the mention ends.
pub(super) struct After {
    /// `is correct`.
    pub right: Regex,
    /// `is wrong`.
    pub wrong: Regex,
    /// First-person verbs that follow the answer.
    pub chosen: Regex,
    /// Yes, as a verdict on a label.
    pub yes: Regex,
    /// No, as a verdict on a label.
    pub no: Regex,
    /// `only` alone.
    pub only: Regex,
    /// `rather than`.
    pub not: Regex,
    /// `excepted`.
    pub except: Regex,
    /// `says she`.
    pub says: Regex,
    /// A copula alone, as in Hindi and Japanese.
    pub is: Regex,
}

/// Expressions for a clause or a whole reply.
pub(super) struct Anywhere {
    pub not: Regex,
    /// `it is not true that`.
    pub untrue: Regex,
    pub but: Regex,
    pub maybe: Regex,
    pub suppose: Regex,
    /// `if I had to choose`: the text after it is not a supposition.
    pub forced: Regex,
    /// `it is hard to say`.
    pub undecided: Regex,
    /// `neither`, `nor`, `much less`.
    pub nor: Regex,
    /// `will`, `believes`: says what somebody does or thinks.
    pub predicts: Regex,
    /// `says`; group 1 matches if the writer says it.
    pub says: Regex,
    /// `the person who`: the statement describes somebody and is not the answer.
    pub who: Regex,
    pub therefore: Regex,
    pub turn: Regex,
    pub wrong: Regex,
    pub answer: Regex,
    pub neither: Regex,
    pub refuse: Regex,
    /// A request for more information.
    pub ask: Regex,
    /// Opens a clause that explains or concedes.
    pub because: Regex,
    pub yes: Regex,
    pub no: Regex,
}

/// The words of some languages, as expressions.
pub(super) struct Cues {
    lists: Vec<(&'static str, &'static BTreeMap<String, Vec<String>>)>,
    pub before: Before,
    pub after: After,
    pub anywhere: Anywhere,
    /// The names of the first six options and of the last.
    pub ordinals: Vec<Regex>,
}

/// Languages whose words are recognised for questions in any language, since models switch to them. Words of the others
/// are common words elsewhere (`o`, `no`, `es`), so they are recognised only in replies to questions in that language.
const EVERYWHERE: [&str; 9] = ["en", "zh", "ar", "fr", "hi", "bn", "ru", "de", "ja"];

impl Cues {
    /// The words that a reply to a question in a language may use.
    pub fn for_text(language: Language, text: &str) -> &'static Cues {
        static ALL: LazyLock<BTreeMap<&'static str, LazyLock<Cues, Box<dyn FnOnce() -> Cues + Send>>>> =
            LazyLock::new(|| {
                let make = |code: &'static str| -> Box<dyn FnOnce() -> Cues + Send> {
                    Box::new(move || Cues::new(|known| EVERYWHERE.contains(&known) || known == code))
                };
                let own = LISTS.keys().map(String::as_str).filter(|code| !EVERYWHERE.contains(code));
                own.chain([""]).map(|code| (code, LazyLock::new(make(code)))).collect()
            });
        static UNSPACED_ALONE: LazyLock<Cues> = LazyLock::new(|| Cues::new(|known| UNSPACED.contains(&known)));
        if is_unspaced(text) {
            return &UNSPACED_ALONE;
        }
        ALL.get(language.code()).unwrap_or_else(|| &ALL[""])
    }

    fn new(knows: impl Fn(&str) -> bool) -> Self {
        let lists = LISTS.iter().map(|(code, lists)| (code.as_str(), lists));
        let lists = lists.filter(|(code, _)| knows(code)).collect::<Vec<_>>();
        let any = |list: &str| any(&lists, list);
        let [answer, is, option] = ["answer", "is", "option"].map(any);
        let says = format!(r"(?:({})\s*)?{}", any("writer"), any("says"));
        // Text allowed between a cue and its target: spaces, quotes, brackets and filler words.
        let fill = format!(r#"(?:[\s"'(\[:<{{]|{})*"#, any("fill"));
        let ending = |before: &str| regex(&format!("(?i){before}{fill}$"));
        let before = Before {
            colon: ending(&format!(r#"{answer}[^\n:.!?。]{{0,40}}?\s*(?::|=|→|->|=>|\]|\s-+\s)+\s*"#)),
            is: ending(&format!(r#"(?:{answer}){GAP}(?:{is})(?:\s*:)?"#)),
            choose: ending(&any("choose")),
            noun: ending(&answer),
            thus: ending(&any("thus")),
            therefore: ending(&format!("{}[\\s,:-]*", any("therefore"))),
            turn: ending(&format!("{}[\\s,:.!-]*", any("turn"))),
            but: ending(&format!("{}[\\s,]*", any("but"))),
            maybe: ending(&any("maybe")),
            option: regex(&format!(r#"(?i)(?:{option})[\s"'(\[:#]*$"#)),
            fill: ending(""),
            only: ending(&any("only")),
            // A colon after a denial ends it.
            not: regex(&format!("(?i)(?:{}|{}){}$", any("not"), any("nor"), fill.replace(":<", "<"))),
            except: ending(&any("except")),
            line: regex(r#"(?:^|\n)(?:\d{1,2}[.)])?[ \-"'(\[{<]*$"#),
            key: regex(
                r#"(?:^|[\n,;{(。]|[.)] |\s)\s*[-"'(\[]*((?:[\w&/#-]+ ?){1,5}?)["')\]]*\s*(?::|=|→|->|=>|[.)、]|\s-\s|\s(?:is|are)\s|は)["'(\[\s:]*$"#,
            ),
            or: regex(&format!(r#"(?i)^["')\].,\s]*(?:{}|/|\|){fill}$"#, any("or"))),
            and: regex(&format!(r#"(?i)^["')\]\s]*(?:[,、;&+/\s]|{})+{fill}[-"'(\[\s]*$"#, any("and"))),
            listed: regex(&format!(
                r#"(?i)^["')\]\s,]*(?:(?:{}|{}|{}|、|&)[\s,]*){{0,2}}[\s"'(\[]*$"#,
                any("and"),
                any("or"),
                any("nor")
            )),
        };
        let closing = r#"["')\].:,\s-]*"#;
        let judged = |verdict: &str, marks: &str| {
            regex(&format!(r#"(?i)^["')\]\s.|]*(?:[:=→(|?-]>?[\s"'(\[]*{}|[{marks}])"#, any(verdict)))
        };
        let beginning = |after: &str| regex(&format!("(?i)^{closing}(?:{after})"));
        let after = After {
            right: beginning(&any("right")),
            wrong: beginning(&any("wrong")),
            chosen: beginning(&any("chosen")),
            yes: judged("yes", "✓✔✅☑√○"),
            no: judged("no", "✗✘❌✖×"),
            only: beginning(&any("only")),
            not: regex(
                r"(?i)^,?\s*(?:rather than|instead of|and not|not\b|plutôt que|au lieu de|statt\b|anstatt|en (?:lugar|vez) de|em vez de|invece di|anziché|yerine|thay vì)",
            ),
            except: beginning(&any("except")),
            says: regex(&format!(r#"(?i)^["')\].,!\s-]*{}"#, any("says"))),
            is: regex(r"^\s*(?:입니다|이다|예요|이에요|'?d[ıi]r|है|हैं|होगा|হবে|হয়|だ|です|吧|。|sein\b|que\b)"),
        };
        let anywhere = |list: &str| regex(&format!("(?i){}", any(list)));
        let anywhere = Anywhere {
            not: anywhere("not"),
            untrue: anywhere("untrue"),
            but: anywhere("but"),
            maybe: anywhere("maybe"),
            suppose: anywhere("suppose"),
            forced: anywhere("forced"),
            undecided: anywhere("undecided"),
            nor: anywhere("nor"),
            predicts: anywhere("predicts"),
            says: regex(&format!("(?i){says}")),
            who: anywhere("who"),
            therefore: anywhere("therefore"),
            turn: regex(&format!("(?i)(?:^|[\\s.!?。,\"]){}", any("turn"))),
            wrong: anywhere("wrong"),
            answer: anywhere("answer"),
            neither: anywhere("neither"),
            refuse: anywhere("refuse"),
            ask: anywhere("ask"),
            because: anywhere("because"),
            yes: whole(&any("yes")),
            no: whole(&any("no")),
        };
        let ordinal = |which: usize| {
            let names = bounded(
                lists
                    .iter()
                    .filter_map(|(language, lists)| Some((*language, lists.get("ordinal")?.get(which)?.as_str()))),
            );
            regex(&format!(
                r"(?i)(?:{names})\s*(?:(?:个|項|项|の|one\b|ones\b|的)\s*)?(?:{option})|(?:{option})\s*(?:{names})|(?:{names})\s*(?:one\b|个|项)|({names})"
            ))
        };
        let ordinals = (0..7).map(ordinal).collect();
        Cues { lists, before, after, anywhere, ordinals }
    }

    /// Words that an option text may lose at its beginning (`lead`) or end (`tail`).
    pub fn losable(&self, list: &str) -> Vec<String> {
        self.lists.iter().filter_map(|(_, lists)| lists.get(list)).flatten().map(|word| normal::normal(word)).collect()
    }
}

/// Index of a key among the three slots of a negotiation, if it names one.
pub(super) fn rank(key: &str) -> Option<usize> {
    static RANKS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
        let names = |which: usize| {
            let all = LISTS.values().filter_map(|lists| lists.get("rank")?.get(which).cloned());
            regex(&format!("(?i)^(?:{})$", all.collect::<Vec<_>>().join("|")))
        };
        (0..3).map(names).collect()
    });
    RANKS.iter().position(|names| names.is_match(key.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;

    #[test]
    fn every_language_has_every_list_and_every_list_compiles() {
        let names: Vec<&String> = LISTS["en"].keys().collect();
        assert_eq!(LISTS.len(), EVERYWHERE.len() + 6);
        for (language, lists) in LISTS.iter() {
            assert_eq!(lists.keys().collect::<Vec<_>>(), names, "{language}");
            assert_eq!(lists["ordinal"].len(), 7, "{language}");
            assert_eq!(Cues::for_text(language.parse().unwrap(), "").ordinals.len(), 7, "{language}");
        }
        for entry in LISTS.values().flat_map(|lists| lists.values()).flatten() {
            assert!(!regex(&format!("^(?:{entry})$")).is_match(""), "{entry} is nothing at all");
        }
        assert_eq!((rank("High"), rank("中"), rank("low"), rank("water")), (Some(0), Some(1), Some(2), None));
    }

    #[test]
    fn a_list_without_entries_matches_nothing() {
        let lists = BTreeMap::from([("lead".to_string(), Vec::new())]);
        let found = regex(&format!("(?i)x?{}$", any(&[("en", &lists)], "lead")));
        assert!(!["", "x", "any text"].iter().any(|text| found.is_match(text)));
    }

    #[test]
    fn cues_are_known_in_every_language() {
        for (language, cue) in [
            ("es", "La respuesta correcta es la "),
            ("es", "Respuesta: "),
            ("pt", "A resposta certa é a "),
            ("pt", "Gabarito: "),
            ("it", "La risposta giusta è la "),
            ("it", "Risposta: "),
            ("ko", "정답은 "),
            ("ko", "정답: "),
            ("tr", "Cevap: "),
            ("tr", "Doğru seçenek: "),
            ("vi", "Đáp án đúng là "),
            ("vi", "Trả lời: "),
        ] {
            let (cues, before) = (Cues::for_text(language.parse().unwrap(), ""), normal::normal(cue));
            assert!(cues.before.colon.is_match(&before) || cues.before.is.is_match(&before), "{cue}");
        }
        let cues = Cues::for_text(Language::En, "");
        for cue in [
            "The correct answer is ",
            "Answer: ",
            "正确答案是",
            "答案：",
            "الإجابة هي ",
            "الجواب: ",
            "La réponse est ",
            "Réponse : ",
            "सही उत्तर: ",
            "সঠিক উত্তর হল ",
            "Правильный ответ — ",
            "Ответ: ",
            "Die Antwort ist ",
            "Antwort: ",
            "正解は",
            "答え：",
            "{\"answer\": \"",
            "Final answer (one letter): ",
        ] {
            let before = normal::normal(cue);
            assert!(cues.before.colon.is_match(&before) || cues.before.is.is_match(&before), "{cue}");
        }
        for cue in ["The answer is not ", "The question: ", "It is "] {
            let before = normal::normal(cue);
            assert!(!cues.before.colon.is_match(&before) && !cues.before.is.is_match(&before), "{cue}");
        }
    }
}
