//! Planted faults: clean pairs are changed in one way each, and the right check must name it.

use std::collections::BTreeSet;

use serde_json::Value;

use super::stories::{Story, TARGETS, Texts, stories, write};
use crate::support::context::{Run, TestContext};
use crate::support::released::released;

/// Faults of each kind.
const EACH: usize = 20;

/// Faults planted in one set.
const AT_ONCE: usize = 4;

/// The findings of `tomeval make check` in a file with both languages: item, check.
fn findings(context: &TestContext, stories: &[Story], language: &str) -> Vec<(String, String)> {
    let [en, other] = ["en", language].map(|language| {
        let file = write(context, &format!("{language}.jsonl"), stories, language);
        std::fs::read_to_string(context.path(file)).unwrap()
    });
    context.write("both.jsonl", en + &other);
    let found = context.run(&["make", "check", "--data", "both.jsonl", "--to", language, "--json"]).json_lines();
    let text = |value: &Value| value.as_str().unwrap().to_string();
    found.iter().map(|line| (text(&line["item"]), text(&line["check"]))).collect()
}

/// What a language has for faults to be planted with: what stands for what, first come first.
struct Words {
    language: &'static str,
    /// English, here.
    names: [(&'static str, &'static str); 7],
    /// The value, a form of it here, a form of another number.
    numbers: &'static [(&'static str, &'static str, &'static str)],
    some: &'static str,
    negations: &'static [(&'static str, &'static str)],
    marked: &'static str,
    refusal: &'static str,
}

const WORDS: [Words; 3] = [
    Words {
        language: "zh",
        names: [
            ("Nora", "娜拉"),
            ("Piet", "皮特"),
            ("Omar", "奥马尔"),
            ("Lena", "莉娜"),
            ("Tilda", "蒂尔达"),
            ("Ines", "伊内丝"),
            ("Karl", "卡尔"),
        ],
        numbers: &[
            ("3", "3", "5"),
            ("3", "三", "四"),
            ("7", "7", "9"),
            ("2", "2", "3"),
            ("12", "12", "22"),
            ("10", "10", "11"),
            ("14", "14", "17"),
            ("16", "16", "19"),
            ("20", "20", "30"),
            ("8", "8", "6"),
            ("8", "八", "六"),
            ("6", "6", "9"),
            ("5", "5", "7"),
            ("5", "五", "七"),
            ("15", "15", "50"),
            ("9", "9", "19"),
            ("4", "4", "14"),
            ("0", "0", "1"),
        ],
        some: "几",
        negations: &[("没有尝过", "尝过"), ("没有", "有"), ("没人", "有人"), ("不", "")],
        marked: "（正确答案）",
        refusal: "抱歉，我无法翻译这个故事，因为它涉及个人信息。",
    },
    Words {
        language: "fr",
        names: [
            ("Nora", "Nora"),
            ("Piet", "Piet"),
            ("Omar", "Omar"),
            ("Lena", "Lena"),
            ("Tilda", "Tilda"),
            ("Ines", "Ines"),
            ("Karl", "Karl"),
        ],
        numbers: &[
            ("3", "trois", "quatre"),
            ("3", "Trois", "Quatre"),
            ("7", "sept", "neuf"),
            ("2", "deux", "trois"),
            ("12", "douze", "treize"),
            ("10", "10", "11"),
            ("12", "12", "13"),
            ("14", "14", "17"),
            ("14", "Quatorze", "Treize"),
            ("16", "16", "19"),
            ("20", "vingt", "trente"),
            ("20", "Vingt", "Trente"),
            ("8", "huit", "six"),
            ("8", "Huit", "Six"),
            ("6", "six", "neuf"),
            ("5", "cinq", "sept"),
            ("5", "Cinq", "Sept"),
            ("15", "quinze", "cinquante"),
            ("9", "neuf", "dix-neuf"),
            ("4", "quatre", "quatorze"),
            ("0", "0", "1"),
        ],
        some: "quelques",
        negations: &[
            ("Personne n'a", "Quelqu'un a"),
            ("Que personne n'aime", "Que tout le monde aime"),
            ("personne ne le", "quelqu'un le"),
            ("ne faudrait pas", "faudrait"),
            ("Non, personne", "Oui, quelqu'un"),
            ("ne s'en souvient pas", "s'en souvient"),
            ("ne le sait pas", "le sait"),
            ("n'est-il pas", "est-il"),
            ("n'est pas", "est"),
            ("n'es pas", "es"),
            ("ne veut pas", "veut"),
            ("ne craignent pas", "craignent"),
            ("sans fenêtre", "avec fenêtre"),
            ("Rien", "Tout"),
            ("ne l'a pas goûtée", "l'a goûtée"),
            ("Non", "Oui"),
        ],
        marked: " (bonne réponse)",
        refusal: "Je suis désolé, mais je ne peux pas traduire cette histoire.",
    },
    Words {
        language: "ar",
        names: [
            ("Nora", "نورا"),
            ("Piet", "بيتر"),
            ("Omar", "عمر"),
            ("Lena", "لينا"),
            ("Tilda", "تيلدا"),
            ("Ines", "إيناس"),
            ("Karl", "كارل"),
        ],
        numbers: &[
            ("3", "ثلاث", "خمس"),
            ("3", "ثلاثة", "خمسة"),
            ("7", "سبعة", "تسعة"),
            ("2", "أسبوعين", "ثلاثة أسابيع"),
            ("12", "اثنا عشر", "أربعة عشر"),
            ("12", "الاثني عشر", "الأربعة عشر"),
            ("10", "١٠", "١١"),
            ("12", "١٢", "١٣"),
            ("14", "١٤", "١٧"),
            ("14", "أربعة عشر", "ثلاثة عشر"),
            ("16", "١٦", "١٩"),
            ("20", "عشرون", "ثلاثون"),
            ("8", "ثمانية", "ستة"),
            ("6", "ستة", "تسعة"),
            ("15", "خمسة عشر", "خمسون"),
            ("5", "خمسة", "سبعة"),
            ("5", "خمس", "سبع"),
            ("9", "تسعة", "سبعة"),
            ("4", "أربع", "خمس"),
            ("0", "٠", "٣"),
        ],
        some: "بعض",
        negations: &[
            ("لم يُرِ أحد", "أرى الجميعُ"),
            ("لا أحد سيخرج", "الجميع سيخرج"),
            ("لا أحد يحب", "الجميع يحب"),
            ("لا، لا أحد", "نعم، أحدهم"),
            ("لا شيء", "كل شيء"),
            ("لم يتذوقه", "تذوقه"),
            ("ليس متعبًا", "متعب جدًا"),
            ("غير سعيد", "سعيد"),
            ("ليست", "هي"),
            ("لست", "أنت"),
            ("بلا نافذة", "مع نافذة"),
            ("لا ينبغي", "ينبغي"),
            ("لا يعرف", "يعرف"),
            ("لا تتذكر", "تتذكر"),
            ("لا يريد", "يريد"),
            ("لا تنزعج", "تنزعج"),
            ("لا", "نعم"),
        ],
        marked: " (الإجابة الصحيحة)",
        refusal: "عذرًا، لا أستطيع ترجمة هذه القصة لأنها تتضمن معلومات شخصية.",
    },
];

/// Replaces a stretch where it stands as a word of its own, or anywhere in Chinese.
fn change(text: &str, old: &str, new: &str) -> Option<String> {
    let is_digit = |letter: char| letter.is_ascii_digit();
    let goes_on = |letter: Option<char>| {
        letter.is_some_and(|letter| letter.is_alphanumeric() && is_digit(letter) == old.starts_with(is_digit))
    };
    let anywhere = old.contains(|letter: char| ('\u{4e00}'..='\u{9fff}').contains(&letter));
    let at = text.match_indices(old).map(|(at, _)| at).find(|&at| {
        let (before, after) = (text[..at].chars().next_back(), text[at + old.len()..].chars().next());
        anywhere || !goes_on(before) && !goes_on(after)
    })?;
    Some(format!("{}{new}{}", &text[..at], &text[at + old.len()..]))
}

/// Numbers of an English text from three on, and all in digits.
fn numbers_in(english: &str) -> Vec<String> {
    let words = [("three", "3"), ("five", "5"), ("eight", "8")];
    let runs = english.split(|letter: char| !letter.is_alphanumeric());
    runs.filter_map(|run| {
        let word = words.iter().find(|(word, _)| run.eq_ignore_ascii_case(word)).map(|(_, value)| value.to_string());
        word.or_else(|| run.parse::<u64>().ok().map(|_| run.to_string()))
    })
    .collect()
}

const DENYING: [&str; 9] = ["not", "no", "nobody", "nothing", "without", "never", "hasn't", "doesn't", "isn't"];

/// All ways to plant a fault of a kind into a story's translation, in a text each.
type Fault = fn(&Story, &Words) -> Vec<Texts>;

/// The translation with a text changed, for each text that can be: `change` gets the English and the translation.
fn each(story: &Story, words: &Words, change: impl Fn(usize, &str, &str) -> Vec<String>) -> Vec<Texts> {
    let clean = story.texts(words.language);
    let pairs = story.en.all().into_iter().zip(clean.all()).enumerate();
    let changed =
        pairs.flat_map(|(place, (en, text))| change(place, en, text).into_iter().map(move |new| (place, new)));
    let with = |(place, new): (usize, String)| {
        let mut texts = clean.clone();
        *texts.at_mut(place) = new;
        texts
    };
    changed.map(with).collect()
}

/// Other names in a text: each of the names that stand there, by one that does not.
fn renamed(words: &Words, en: &str, text: &str) -> Vec<String> {
    let here = |(english, _): &(&str, &str)| en.contains(english);
    let stranger = |at: usize| (1..7).map(|step| words.names[(at + step) % 7]).find(|name| !here(name)).unwrap().1;
    let named = words.names.iter().enumerate().filter(|(_, name)| here(name) && text.contains(name.1));
    named.map(|(at, (_, own))| text.replace(own, stranger(at))).collect()
}

fn renumbered(words: &Words, en: &str, text: &str, other: impl Fn(&'static str) -> &'static str) -> Vec<String> {
    let here = numbers_in(en);
    let known = words.numbers.iter().filter(|(value, ..)| here.iter().any(|here| here == value));
    known.filter_map(|(_, form, new)| change(text, form, other(new))).take(1).collect()
}

/// The translation with the options of each question changed.
fn options_of(story: &Story, words: &Words, change: impl Fn(usize, &mut Vec<String>)) -> Vec<Texts> {
    let clean = story.texts(words.language);
    let changed = |question: usize| {
        let mut texts = clean.clone();
        change(question, &mut texts.questions[question].1);
        texts
    };
    (0..clean.questions.len()).map(changed).collect()
}

fn whole_story(story: &Story, words: &Words, change: impl Fn(&str) -> String) -> Vec<Texts> {
    let clean = story.texts(words.language);
    vec![Texts { story: change(&clean.story), ..clean.clone() }]
}

/// Kinds of faults with the check that must name each.
const FAULTS: [(&str, &str, Fault); 14] = [
    ("a name changed", "name", |story, words| {
        each(story, words, |place, en, text| if place == 0 { renamed(words, en, text) } else { Vec::new() })
    }),
    ("a name inconsistent", "name", |story, words| {
        each(story, words, |place, en, text| if place > 0 { renamed(words, en, text) } else { Vec::new() })
    }),
    ("a number changed", "number", |story, words| {
        each(story, words, |_, en, text| renumbered(words, en, text, |new| new))
    }),
    ("a number lost", "number", |story, words| {
        each(story, words, |_, en, text| renumbered(words, en, text, |_| words.some))
    }),
    ("a negation dropped", "negation", |story, words| {
        each(story, words, |place, en, text| {
            let denies = en
                .to_lowercase()
                .split(|letter: char| !letter.is_alphanumeric() && letter != '\'')
                .any(|word| DENYING.contains(&word));
            // A long story denies much; what it loses among that is for people.
            let short = en.chars().count() <= if place == 0 { 115 } else { 120 };
            let dropped = |(old, new): &(&str, &str)| change(text, old, new);
            words.negations.iter().filter(|_| denies && short).find_map(dropped).into_iter().collect()
        })
    }),
    ("options equal", "options-equal", |story, words| {
        options_of(story, words, |_, options| options[1] = options[0].clone())
    }),
    ("an option missing", "option-missing", |story, words| {
        let changed = options_of(story, words, |_, options| drop(options.pop()));
        // A question of one option is none, and its line is refused when it is read.
        changed.into_iter().filter(|texts| texts.questions.iter().all(|(_, options)| options.len() > 1)).collect()
    }),
    ("gold marked", "option-marked", |story, words| {
        options_of(story, words, |question, options| options[story.gold[question]].push_str(words.marked))
    }),
    ("a span untranslated", "untranslated", |story, words| {
        // In one script five words in a row tell, in another one word does.
        each(story, words, |place, en, text| match (words.language, place) {
            ("fr", 0) => {
                let left = en.split_inclusive(". ").max_by_key(|sentence| sentence.len()).unwrap();
                vec![format!("{text} {left}")]
            }
            ("zh" | "ar", 1) => {
                let (left, _) = en.char_indices().rev().filter(|(_, letter)| *letter == ' ').nth(2).unwrap();
                vec![format!("{text}{}", &en[left..])]
            }
            _ => Vec::new(),
        })
    }),
    ("the wrong language", "language", |story, words| whole_story(story, words, |_| story.en.story.clone())),
    ("a refusal", "refusal", |story, words| whole_story(story, words, |_| words.refusal.to_string())),
    ("a text cut", "cut", |story, words| {
        let half = |text: &str| text.chars().take(text.chars().count() * 3 / 5).collect();
        whole_story(story, words, half)
    }),
    ("a tag left", "tag", |story, words| {
        each(story, words, |place, _, text| if place == 1 { vec![format!("###QUESTION 1 {text}")] } else { Vec::new() })
    }),
    ("marks of direction", "direction-marks", |story, words| {
        options_of(story, words, |_, options| options[0].insert(0, '\u{202e}'))
    }),
];

/// Up to [`EACH`] faults, spread over the stories: the number of the story and its changed texts.
fn spread(clean: &[Story], words: &Words, fault: Fault) -> Vec<(usize, Texts)> {
    let ways: Vec<Vec<Texts>> = clean.iter().map(|story| fault(story, words)).collect();
    let most = ways.iter().map(Vec::len).max().unwrap_or(0);
    let of_round =
        |round: usize| ways.iter().enumerate().filter_map(move |(at, ways)| Some((at, ways.get(round)?.clone())));
    (0..most).flat_map(of_round).take(EACH).collect()
}

#[test]
fn planted_faults_are_named_in_three_languages_and_clean_texts_are_not() {
    let clean = stories();
    let (mut missed, mut flagged) = (Vec::new(), Vec::new());
    let items: usize = clean.iter().map(|story| story.gold.len()).sum();
    for words in &WORDS {
        let context = TestContext::new();
        let found = findings(&context, &clean, words.language);
        let here: BTreeSet<&String> = found.iter().map(|(item, _)| item).collect();
        println!("{}: {} of {items} clean items flagged: {found:?}", words.language, here.len());
        flagged.extend(here.into_iter().cloned());
        for (kind, check, fault) in FAULTS {
            let planted = spread(&clean, words, fault);
            assert_eq!(planted.len(), EACH, "{}, {kind}: too few places", words.language);
            // A name is learned from the whole set, so each fault stands alone among otherwise clean stories; of others, a few.
            let at_once = if check == "name" { 1 } else { AT_ONCE };
            let mut named = 0;
            for some in planted.chunk_by(|(one, _), (next, _)| next > one).flat_map(|round| round.chunks(at_once)) {
                let mut all = clean.clone();
                for (at, texts) in some {
                    *all[*at].texts_mut(words.language) = texts.clone();
                }
                let found = findings(&context, &all, words.language);
                for (at, texts) in some {
                    let own = format!("/{}/", clean[*at].id);
                    let is_named = found.iter().any(|(item, named)| item.contains(&own) && named == check);
                    if !is_named {
                        println!("{}, {kind}: not named: {texts:?}", words.language);
                    }
                    named += usize::from(is_named);
                }
            }
            println!("{}, {kind}: {named} of {EACH} named", words.language);
            if 100 * named < 95 * EACH {
                missed.push((words.language, kind, named));
            }
        }
    }
    assert!(missed.is_empty(), "{missed:?}");
    assert!(50 * flagged.len() <= items * TARGETS.len(), "{flagged:?}");
}

#[test]
fn few_released_translations_have_findings() {
    let Some(folder) = released("tombench") else { return };
    let context = TestContext::new();
    let arguments = ["make", "check", "-b", "tombench", "--to", "zh", "--json", "--data"];
    let mut command = context.command(&arguments);
    let found = command.arg(folder).run().json_lines();
    let flagged: BTreeSet<&str> = found.iter().filter_map(|line| line["item"].as_str()).collect();
    println!("{} of 2860 released items have findings", flagged.len());
    assert!(flagged.len() < 400, "{}", flagged.len());
}

/// Present forms of the stories' narration with their past.
const PAST: [(&str, &str); 62] = [
    ("are", "were"),
    ("is", "was"),
    ("has", "had"),
    ("have", "had"),
    ("puts", "put"),
    ("leaves", "left"),
    ("moves", "moved"),
    ("share", "shared"),
    ("goes", "went"),
    ("takes", "took"),
    ("hangs", "hung"),
    ("sees", "saw"),
    ("meets", "met"),
    ("says", "said"),
    ("falls", "fell"),
    ("gives", "gave"),
    ("breaks", "broke"),
    ("tells", "told"),
    ("waits", "waited"),
    ("comes", "came"),
    ("looks", "looked"),
    ("calls", "called"),
    ("asks", "asked"),
    ("hold", "held"),
    ("holds", "held"),
    ("guesses", "guessed"),
    ("bakes", "baked"),
    ("tastes", "tasted"),
    ("trains", "trained"),
    ("smiles", "smiled"),
    ("hand", "handed"),
    ("drops", "dropped"),
    ("laughs", "laughed"),
    ("gets", "got"),
    ("may", "might"),
    ("wants", "wanted"),
    ("thinks", "thought"),
    ("likes", "liked"),
    ("cooks", "cooked"),
    ("hides", "hid"),
    ("knows", "knew"),
    ("believes", "believed"),
    ("hears", "heard"),
    ("winks", "winked"),
    ("walks", "walked"),
    ("opens", "opened"),
    ("steps", "stepped"),
    ("will", "would"),
    ("cannot", "could"),
    ("sells", "sold"),
    ("carries", "carried"),
    ("runs", "ran"),
    ("does", "did"),
    ("feels", "felt"),
    ("finds", "found"),
    ("makes", "made"),
    ("keeps", "kept"),
    ("brings", "brought"),
    ("lends", "lent"),
    ("sits", "sat"),
    ("needs", "needed"),
    ("turns", "turned"),
];

#[test]
fn stories_told_in_the_past_are_noted_and_no_failure() {
    // Stories that are noted, items with other findings, and what is printed.
    let notes = |stories: &[Story]| -> (usize, usize, String) {
        let context = TestContext::new();
        let files = ["en", "zh"].map(|language| {
            let file = write(&context, &format!("{language}.jsonl"), stories, language);
            std::fs::read_to_string(context.path(file)).unwrap()
        });
        context.write("both.jsonl", files.concat());
        let check = ["make", "check", "--data", "both.jsonl", "--from", "zh", "--to", "en", "--present-tense"];
        let found = context.run(&[&check[..], &["--json"]].concat()).json_lines();
        let items = |is_note: bool| found.iter().filter(move |line| (line["check"] == "tense") == is_note);
        let id = |line: &Value| line["item"].as_str().unwrap().to_string();
        let of_stories: BTreeSet<String> =
            items(true).map(|line| id(line).split('/').nth(1).unwrap().to_string()).collect();
        let others: BTreeSet<String> = items(false).map(id).collect();
        (of_stories.len(), others.len(), context.run(&check).stdout)
    };
    let present = stories();
    let (noted, others, printed) = notes(&present);
    assert_eq!((noted, others), (0, 0), "{printed}");
    let mut past = present.clone();
    for story in &mut past {
        let word = |word: &str| {
            let plain = word.trim_end_matches(['.', ',', ';', ':']);
            let found = PAST.iter().find(|(present, _)| *present == plain);
            found.map_or(word.to_string(), |(_, past)| word.replacen(plain, past, 1))
        };
        story.en.story = story.en.story.split(' ').map(word).collect::<Vec<_>>().join(" ");
    }
    let (noted, others, told) = notes(&past);
    println!("{noted} of {} stories told in the past are noted", past.len());
    assert!(100 * noted >= 95 * past.len(), "{told}");
    assert!(told.contains(&format!("{others} of 27 items")), "a note is no finding that fails: {told}");
}
