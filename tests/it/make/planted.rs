//! Planted faults: clean pairs are changed in one way each, and the right check must name it.

use std::collections::BTreeSet;

use serde_json::Value;

use super::planted_words::{PAST, WORDS, Words};
use super::stories::{Story, TARGETS, Texts, stories, write};
use crate::support::context::{Run, TestContext};
use crate::support::released::released;

/// Faults of each kind.
const EACH: usize = 20;

/// Faults planted in one set, each in another story. Names and the usual length are learned from the whole set, so few of their
/// faults stand among otherwise clean stories.
fn at_once(check: &str) -> usize {
    match check {
        "name" | "cut" => 4,
        _ => EACH,
    }
}

/// The findings of `tomeval make check` in a file with both languages: item, check.
fn findings(
    context: &TestContext,
    stories: &[Story],
    (from, to): (&str, &str),
    more: &[&str],
) -> Vec<(String, String)> {
    let both = [from, to].map(|language| {
        let file = write(context, &format!("{language}.jsonl"), stories, language);
        std::fs::read_to_string(context.path(file)).unwrap()
    });
    context.write("both.jsonl", both.concat());
    let check = ["make", "check", "--data", "both.jsonl", "--from", from, "--to", to, "--json"];
    let found = context.run(&[&check[..], more].concat()).json_lines();
    let text = |value: &Value| value.as_str().unwrap().to_string();
    found.iter().map(|line| (text(&line["item"]), text(&line["check"]))).collect()
}

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
            let short = story.texts(words.from).all()[place].chars().count() <= if place == 0 { 115 } else { 120 };
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
        let in_one_script = [words.from, words.language].contains(&"fr");
        each(story, words, |place, _, text| {
            let source = story.texts(words.from).all()[place];
            match (in_one_script, place) {
                (true, 0) => {
                    let left = source.split_inclusive(". ").max_by_key(|sentence| sentence.len()).unwrap();
                    vec![format!("{text} {left}")]
                }
                (false, 1) => {
                    let spaces = source.char_indices().rev().filter(|(_, letter)| *letter == ' ');
                    let left = spaces.map(|(at, _)| at).take(3).last().unwrap();
                    vec![format!("{text}{}", &source[left..])]
                }
                _ => Vec::new(),
            }
        })
    }),
    ("the wrong language", "language", |story, words| {
        whole_story(story, words, |_| story.texts(words.from).story.clone())
    }),
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

/// Plants all faults in the translations of one language: the kinds that are missed too often, and the clean items that are flagged.
fn plant(clean: &[Story], words: &Words) -> (Vec<String>, BTreeSet<String>) {
    let context = TestContext::new();
    let pair = (words.from, words.language);
    let name = format!("{} to {}", words.from, words.language);
    let found = findings(&context, clean, pair, &[]);
    println!("{name}: findings in clean items: {found:?}");
    let flagged = found.into_iter().map(|(item, _)| item).collect();
    let mut missed = Vec::new();
    for (kind, check, fault) in FAULTS {
        let planted = spread(clean, words, fault);
        assert_eq!(planted.len(), EACH, "{name}, {kind}: too few places");
        let mut named = 0;
        for some in planted.chunk_by(|(one, _), (next, _)| next > one).flat_map(|round| round.chunks(at_once(check))) {
            let mut all = clean.to_vec();
            for (at, texts) in some {
                *all[*at].texts_mut(words.language) = texts.clone();
            }
            let found = findings(&context, &all, pair, &[]);
            for (at, texts) in some {
                let own = format!("/{}/", clean[*at].id);
                let is_named = found.iter().any(|(item, named)| item.contains(&own) && named == check);
                if !is_named {
                    println!("{name}, {kind}: not named: {texts:?}");
                }
                named += usize::from(is_named);
            }
        }
        println!("{name}, {kind}: {named} of {EACH} named");
        if 100 * named < 95 * EACH {
            missed.push(format!("{name}, {kind}: {named}"));
        }
    }
    (missed, flagged)
}

#[test]
fn planted_faults_are_named_in_both_directions_of_three_languages_and_clean_texts_are_not() {
    let clean = stories();
    let (mut missed, mut flagged) = (Vec::new(), Vec::new());
    std::thread::scope(|scope| {
        let work = WORDS.each_ref().map(|words| scope.spawn(|| plant(&clean, words)));
        for done in work {
            let (kinds, items) = done.join().unwrap();
            missed.extend(kinds);
            flagged.extend(items);
        }
    });
    assert!(missed.is_empty(), "{missed:?}");
    let items: usize = clean.iter().map(|story| story.gold.len()).sum();
    assert!(50 * flagged.len() <= items * WORDS.len(), "{flagged:?}");
}

/// Two people of a story exchanged in its translation: fluent, and about the wrong one.
fn exchanged_people(story: &Story, words: &Words) -> Vec<Texts> {
    let text = &story.texts(words.language).story;
    let here: Vec<&str> = words.names.iter().map(|(_, name)| *name).filter(|name| text.contains(name)).collect();
    let [one, other, ..] = here[..] else { return Vec::new() };
    let exchanged = |text: &str| text.replace(one, "\u{1}").replace(other, one).replace('\u{1}', other);
    whole_story(story, words, exchanged)
}

#[test]
fn sense_that_changes_without_a_trace_is_seen_by_no_rule() {
    let clean = stories();
    for words in &WORDS {
        let context = TestContext::new();
        let name = format!("{} to {}", words.from, words.language);
        let planted = spread(&clean, words, exchanged_people);
        let mut all = clean.to_vec();
        for (at, texts) in &planted {
            *all[*at].texts_mut(words.language) = texts.clone();
        }
        let found = findings(&context, &all, (words.from, words.language), &[]);
        println!("{name}: of {} stories with two people exchanged rules name {}", planted.len(), found.len());
        assert!(planted.len() >= 10 && found.is_empty(), "{name}, {}: {found:?}", planted.len());
    }
}

#[test]
fn exchanged_options_of_translations_that_are_there_are_named_by_back_translations() {
    let clean = stories();
    // In other words than the source, and exchanged as the translation is.
    let with_back = |context: &TestContext, stories: &[Story], language: &str| {
        let back: Vec<Story> =
            stories.iter().map(|story| Story { en: story.translated_back(), ..story.clone() }).collect();
        write(context, "back.jsonl", &back, "en");
        findings(context, stories, ("en", language), &["--back", "back.jsonl"])
    };
    for language in TARGETS {
        let context = TestContext::new();
        assert_eq!(with_back(&context, &clean, language), [], "{language}");
        let mut exchanged = clean.clone();
        for story in exchanged.iter_mut().take(EACH) {
            story.texts_mut(language).questions[0].1.swap(0, 1);
            story.back[0].swap(0, 1);
        }
        let found = with_back(&context, &exchanged, language);
        let is_named = |story: &&Story| {
            let item = format!("custom/{}/0/en", story.id);
            found.iter().any(|(named, check)| *named == item && check == "options-swapped")
        };
        let named = exchanged.iter().take(EACH).filter(is_named).count();
        println!("{language}: {named} of {EACH} exchanged pairs of options named");
        assert!(100 * named >= 95 * EACH, "{found:?}");
        let of_clean =
            |(item, _): &&(String, String)| clean[EACH..].iter().any(|story| item.contains(&format!("/{}/", story.id)));
        assert_eq!(found.iter().filter(of_clean).count(), 0, "{found:?}");
    }
    let context = TestContext::new();
    write(&context, "other.jsonl", &clean[..1], "en");
    let both: Vec<Story> = clean[1..].to_vec();
    let files = ["en", "zh"].map(|language| {
        let file = write(&context, &format!("{language}.jsonl"), &both, language);
        std::fs::read_to_string(context.path(file)).unwrap()
    });
    context.write("both.jsonl", files.concat());
    let other = context.run(&["make", "check", "--data", "both.jsonl", "--to", "zh", "--back", "other.jsonl"]).code(2);
    assert!(other.stderr.contains("--back other.jsonl: has none of these items"), "{}", other.stderr);
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
