//! Prompt packs: the styles of one benchmark or family of benchmarks, from one TOML file.

use indexmap::IndexSet;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::error::PackError;
use super::style::{Placeholders, Style, Wanted, Written};
use super::{Instructions, Scoring};
use crate::benchmark::{Benchmark, Item};
use crate::language::Language;
use crate::parse_error::in_words;

/// Built-in packs with wordings of this project, by file stem.
const BUILT_IN: [(&str, &str); 7] = [
    ("custom", include_str!("../../datasets/prompts/custom.toml")),
    ("demo", include_str!("../../datasets/prompts/demo.toml")),
    ("tombench", include_str!("../../datasets/prompts/tombench.toml")),
    ("hi-tom", include_str!("../../datasets/prompts/hi-tom.toml")),
    ("multi-tom", include_str!("../../datasets/prompts/multi-tom.toml")),
    ("xtom", include_str!("../../datasets/prompts/xtom.toml")),
    ("tomvalley", include_str!("../../datasets/prompts/tomvalley.toml")),
];

/// The styles of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pack {
    /// Name of the benchmark or family, as given in the file.
    pub benchmark: String,
    /// The styles, in file order.
    pub styles: Vec<Style>,
    /// Assumed part of a family of benchmarks of the items.
    subset: Option<String>,
    /// Text in front of the system turn of every style.
    system: Option<String>,
    file: String,
    text: String,
    sha256: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    benchmark: String,
    source: String,
    system: Option<String>,
    style: Vec<Written>,
}

impl Pack {
    /// The built-in pack of a benchmark.
    pub fn built_in(benchmark: Benchmark) -> Pack {
        let stem = benchmark.card().prompts.pack;
        let built_in = BUILT_IN.iter().find(|(known, _)| *known == stem).map(|(_, text)| {
            Pack::parse(&format!("built-in {stem}.toml"), text, Placeholders::OfItems)
                .map(|pack| pack.serving(benchmark))
        });
        built_in.expect("a test finds the pack of every card").expect("a test parses the packs in `datasets/prompts`")
    }

    /// File name and text of every built-in pack.
    pub fn built_in_files() -> impl Iterator<Item = (String, &'static str)> {
        BUILT_IN.iter().map(|(stem, text)| (format!("{stem}.toml"), *text))
    }

    /// The styles for the selected part of the family, in file order.
    pub fn served(&self) -> impl Iterator<Item = &Style> {
        self.styles.iter().filter(|style| style.subset.is_none() || style.subset == self.subset)
    }

    /// Selects the part of the family that the benchmark's card names for looking up styles.
    pub fn serving(self, benchmark: Benchmark) -> Pack {
        Pack { subset: benchmark.card().prompts.subset, ..self }
    }

    /// Parses a pack. `file` is its name in messages.
    pub fn parse(file: &str, text: &str, allowed: Placeholders) -> Result<Pack, PackError> {
        let parsed: File = toml::from_str(text)
            .map_err(|error| PackError::Syntax { file: file.to_string(), message: in_words(error) })?;
        let system = parsed.system.as_deref();
        let styles = parsed
            .style
            .iter()
            .map(|written| {
                let is_first = parsed.style.iter().any(|other| other.first.as_ref() == Some(&written.name));
                let written = written.clone().completed(file, &parsed.style)?;
                written.checked(file, &parsed.source, system, allowed, is_first)
            })
            .collect::<Result<Vec<Style>, PackError>>()?;
        for (at, style) in styles.iter().enumerate() {
            if styles[..at].iter().any(|other| style.rivals(other)) {
                return Err(PackError::Twice { place: style.to_string() });
            }
            let wrong = |message| Err(PackError::Key { place: style.to_string(), key: "first", message });
            if let Some(other) = styles.iter().find(|other| other.name == style.name && other.first != style.first) {
                return wrong(format!("{other} has another first phase; styles of one name have the same, or none"));
            }
            if let Some(first) = &style.first
                && !styles.iter().any(|other| other.name == *first && other.covers(style))
            {
                return wrong(format!(
                    "no style `{first}` has the same language and is for the same items; add it, or name another one"
                ));
            }
        }
        let sha256 = hex::encode(Sha256::digest(text.as_bytes()));
        Ok(Pack {
            benchmark: parsed.benchmark,
            styles,
            subset: None,
            system: parsed.system,
            file: file.to_string(),
            text: text.to_string(),
            sha256,
        })
    }

    /// Returns the pack with a text in front of the system turn of every style, or as the system turn where a style has
    /// none. The text stands in the pack's file as its key `system`, so that runs keep it with their prompts.
    pub fn with_system(self, system: &str) -> Result<Pack, PackError> {
        if self.system.is_some() {
            return Err(PackError::Key {
                place: self.file,
                key: "system",
                message: "is set in the pack already; leave out --system, or the key".to_string(),
            });
        }
        let text = format!("system = {}\n{}", toml::Value::from(system), self.text.trim_start_matches('\u{feff}'));
        self.parsed_again(&text)
    }

    /// The pack with another text.
    pub(super) fn parsed_again(self, text: &str) -> Result<Pack, PackError> {
        let pack = Pack::parse(&self.file, text, Placeholders::OfItems)?;
        Ok(Pack { subset: self.subset, ..pack })
    }

    /// The style with its instruction in another wording; `None` stands for the first one, the style itself.
    pub fn worded<'p>(&'p self, style: &'p Style, wording: Option<usize>) -> Result<&'p Style, PackError> {
        let Some(wording) = wording else { return Ok(style) };
        let mut others = self.styles.iter().filter(|other| other.rewords(style));
        others
            .find(|other| other.wording == Some(wording))
            .ok_or_else(|| PackError::NoWording { place: style.to_string(), wording })
    }

    /// File name, or `built-in` and a file name.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The text of the file.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// SHA-256 of the file's bytes, in hexadecimal.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// The style for an item. Answers are scored directly after the prompt: a style that requests reasoning first
    /// serves written answers only ([`Style::scorable`]).
    pub fn style_for(
        &self,
        item: &Item,
        name: &str,
        scoring: Scoring,
        instructions: Instructions,
    ) -> Result<&Style, PackError> {
        let style = self.style_of(&Wanted::by(item, self.subset.as_deref(), name, scoring, instructions))?;
        style.scorable(scoring, false)?;
        Ok(style)
    }

    /// The style that puts an item's question into one prompt with others about the same context, for one written
    /// reply.
    pub fn style_for_several(&self, item: &Item, name: &str, instructions: Instructions) -> Result<&Style, PackError> {
        let wanted = Wanted::by(item, self.subset.as_deref(), name, Scoring::Generate, instructions);
        self.style_of(&Wanted { several: true, ..wanted })
    }

    /// The style for an item whose answers are scored after the model's own reasoning.
    pub fn style_after_reasoning(
        &self,
        item: &Item,
        name: &str,
        scoring: Scoring,
        instructions: Instructions,
    ) -> Result<&Style, PackError> {
        let wanted = Wanted::by(item, self.subset.as_deref(), name, scoring, instructions);
        self.style(&wanted).ok_or_else(|| self.no_style(&wanted))
    }

    /// Whether a style of this name has a system turn.
    pub fn has_system(&self, name: &str) -> bool {
        self.named(name).any(|style| style.system.is_some())
    }

    /// The text in front of the system turn of every style, if any.
    pub fn system(&self) -> Option<&str> {
        self.system.as_deref()
    }

    /// Whether a style of this name makes the model reason before it answers, where its answers are asked for in this
    /// way.
    pub fn reasons(&self, name: &str, scoring: Scoring) -> bool {
        let mut serving = self.named(name).filter(|style| style.scoring.contains(&scoring)).peekable();
        match serving.peek() {
            Some(_) => serving.any(|style| style.reasoning),
            None => self.named(name).any(|style| style.reasoning),
        }
    }

    /// The styles of this name.
    pub fn named(&self, name: &str) -> impl Iterator<Item = &Style> {
        self.styles.iter().filter(move |style| style.name == name)
    }

    /// The first phase of a style for an item: the style whose reply its prompt contains. `None` for a style in one phase.
    pub fn first_of(
        &self,
        style: &Style,
        item: &Item,
        instructions: Instructions,
    ) -> Result<Option<&Style>, PackError> {
        let first = style.first.as_ref();
        first.map(|first| self.style_for(item, first, Scoring::Generate, instructions)).transpose()
    }

    /// The style that serves the request, or the reason why no style does.
    fn style_of(&self, wanted: &Wanted) -> Result<&Style, PackError> {
        self.style(wanted).ok_or_else(|| {
            // For a style with another scoring, its reasoning explains the mismatch better than its list of scorings.
            let fitting = self.styles.iter().filter(|style| wanted.fits(style));
            let refused = fitting.filter_map(|style| style.scorable(wanted.scoring, false).err()).next();
            refused.unwrap_or_else(|| self.no_style(wanted))
        })
    }

    /// The style that serves the request: in its language, otherwise in English; among several, the most specific one
    /// (subset before dimension before option count before kind of answer).
    fn style(&self, wanted: &Wanted) -> Option<&Style> {
        let particular = |style: &&Style| {
            (style.subset.is_some(), style.dimension.is_some(), style.options.is_some(), style.answer.is_some())
        };
        [wanted.language, Language::En].into_iter().find_map(|language| {
            let serving = |style: &&Style| {
                style.language == language && wanted.fits(style) && style.scoring.contains(&wanted.scoring)
            };
            self.styles.iter().filter(serving).max_by_key(particular)
        })
    }

    fn no_style(&self, wanted: &Wanted) -> PackError {
        let named: Vec<&Style> = self.named(wanted.name).collect();
        let known: IndexSet<String> = match named.is_empty() {
            true => self.styles.iter().map(|style| format!("`{}`", style.name)).collect(),
            false => named.iter().map(|style| style.to_string().replace(&format!("{}: ", self.file), "")).collect(),
        };
        let other_number =
            |style: &&Style| !wanted.several && style.asks_several() && style.language == wanted.language;
        let mend = match named.iter().find(|style| wanted.fits(style)) {
            Some(other) => {
                let names: Vec<&str> = other.scoring.iter().map(|scoring| scoring.name()).collect();
                format!("; use --scoring {}, or leave out --prompts", names.join(" or "))
            }
            None if wanted.several => "; leave out --questions-per-prompt to ask each question on its own".to_string(),
            None if named.iter().copied().any(|style| other_number(&style)) => {
                "; add --questions-per-prompt for a style of several questions, or leave out --prompts".to_string()
            }
            None => String::new(),
        };
        PackError::NoStyle {
            file: self.file.clone(),
            wanted: wanted.to_string(),
            known: known.into_iter().collect::<Vec<_>>().join("; "),
            mend,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pack(styles: &str) -> Result<Pack, PackError> {
        Pack::parse("p.toml", &format!("benchmark = \"b\"\nsource = \"s\"\n{styles}"), Placeholders::OfItems)
    }

    fn style(keys: &str) -> String {
        format!("[[style]]\nname = \"vanilla\"\nuser = \"{{question}}\"\n{keys}\n")
    }

    fn wanted(language: Language) -> Wanted<'static> {
        let (name, answer, scoring) = ("vanilla", "single", Scoring::Letter);
        Wanted {
            name,
            language,
            subset: Some("a"),
            dimension: Some("belief".into()),
            options: 4,
            answer,
            scoring,
            several: false,
        }
    }

    #[test]
    fn built_in_packs_parse() {
        for (stem, text) in BUILT_IN {
            let pack = Pack::parse(stem, text, Placeholders::OfItems).unwrap();
            assert_eq!((pack.benchmark.as_str(), pack.sha256().len()), (stem, 64));
        }
    }

    #[test]
    fn every_benchmark_has_a_pack_with_styles_of_its_part() {
        for benchmark in Benchmark::ALL {
            let pack = Pack::built_in(benchmark);
            assert!(pack.styles.iter().any(|style| style.subset == pack.subset), "{benchmark}");
        }
    }

    #[test]
    fn the_most_particular_style_of_the_language_is_found() {
        let keys = [
            "language = \"en\"\nsource = \"any\"",
            "language = \"en\"\noptions = 4\nsource = \"four\"",
            "language = \"en\"\nsubset = \"a\"\nsource = \"subset\"",
            "language = \"en\"\nsubset = \"b\"\noptions = 4\nsource = \"other subset\"",
            "language = \"zh\"\noptions = 2\nsource = \"zh two\"",
        ];
        let pack = pack(&keys.map(style).concat()).unwrap();
        let source = |wanted: &Wanted| pack.style(wanted).unwrap().source.clone();
        assert_eq!(source(&wanted(Language::En)), "subset");
        assert_eq!(source(&Wanted { subset: None, ..wanted(Language::En) }), "four");
        assert_eq!(source(&Wanted { subset: None, options: 3, ..wanted(Language::En) }), "any");
        assert_eq!(source(&Wanted { subset: None, options: 2, ..wanted(Language::Zh) }), "zh two");
        assert_eq!(source(&wanted(Language::Zh)), "subset", "English where the language has no style for the item");
    }

    #[test]
    fn a_system_text_stands_in_front_of_every_system_turn() {
        let styles = style("language = \"en\"\nsystem = \"Choose.\"") + &style("language = \"zh\"");
        let pack = pack(&styles).unwrap().with_system("Be {brief}.\n\n\"Now\".").unwrap();
        let question = || vec![(crate::prompt::SpanKind::Question, "?".to_string())];
        let filled = |style: &Style| style.fill(|_| Some(question())).unwrap().messages;
        let turns = pack.styles.iter().map(filled).map(|turns| turns[0].content.clone()).collect::<Vec<_>>();
        assert_eq!(turns, ["Be {brief}.\n\n\"Now\".\n\nChoose.", "Be {brief}.\n\n\"Now\"."]);
        // The text of the pack is all that a run keeps of it.
        let kept = Pack::parse("p.toml", pack.text(), Placeholders::OfItems).unwrap();
        assert_eq!(kept, pack);
        assert!(pack.has_system("vanilla") && pack.system().is_some_and(|text| text.starts_with("Be")));
        let error = pack.with_system("again").unwrap_err().to_string();
        assert_eq!(error, "p.toml: `system`: is set in the pack already; leave out --system, or the key");
    }

    #[test]
    fn what_is_missing_is_named_with_a_way_out() {
        let pack = pack(&style("language = \"en\"")).unwrap();
        let text = pack.style_of(&Wanted { scoring: Scoring::Text, ..wanted(Language::En) }).unwrap_err().to_string();
        insta::assert_snapshot!(text, @"p.toml: no match for style `vanilla`, language en, subset a, dimension belief, 4 options, single answer, text scoring; it has style `vanilla`, language en; use --scoring letter or hybrid or generate, or leave out --prompts");
        let text = pack.style_of(&Wanted { name: "cot", ..wanted(Language::En) }).unwrap_err().to_string();
        insta::assert_snapshot!(text, @"p.toml: no match for style `cot`, language en, subset a, dimension belief, 4 options, single answer, letter scoring; it has `vanilla`");
    }

    #[test]
    fn a_log_likelihood_where_reasoning_begins_is_refused() {
        let named = |name: &str, keys: &str| style(keys).replace("vanilla", name);
        let lookup = |styles: &str, scoring| {
            let pack = pack(styles).unwrap();
            let found = pack.style_of(&Wanted { name: "cot", scoring, ..wanted(Language::En) });
            found.and_then(|style| style.scorable(scoring, false)).map_err(|error| error.to_string())
        };
        let silent = named("cot", "language = \"en\"");
        for scoring in [Scoring::Letter, Scoring::Text, Scoring::Hybrid] {
            let error = lookup(&silent, scoring).unwrap_err();
            assert!(error.contains("--scoring generate, or --after-reasoning"), "{scoring}: {error}");
        }
        assert_eq!(lookup(&silent, Scoring::Generate), Ok(()));
        let answer_first = named("cot", "language = \"en\"\nreasoning = false");
        assert_eq!(lookup(&answer_first, Scoring::Letter), Ok(()));
        assert!(lookup(&answer_first, Scoring::Text).unwrap_err().contains("use --scoring letter or hybrid"));

        let pack =
            pack(&(silent + &named("slow", "language = \"en\"\nreasoning = true\nmax_new_tokens = 90"))).unwrap();
        let [cot, slow] = &pack.styles[..] else { panic!("two styles") };
        assert!(slow.scorable(Scoring::Letter, false).is_err() && slow.scorable(Scoring::Letter, true).is_ok());
        assert_eq!((cot.max_new_tokens, slow.max_new_tokens), (512, 90));
    }

    #[test]
    fn a_style_like_another_changes_what_it_states_and_nothing_else() {
        let base = style(
            "language = \"en\"\nsubset = \"a\"\nlabels = [\"x\", \"y\"]\nanswer_prefix = \"<\"\nsystem = \"one\"",
        );
        let text_only = style("language = \"en\"\nsubset = \"a\"\nscoring = [\"text\"]");
        let like =
            "[[style]]\nname = \"cot\"\nlanguage = \"en\"\nsubset = \"a\"\nlike = \"vanilla\"\nsystem = \"two\"\n";
        let read = pack(&[like, &text_only, &base].concat()).unwrap();
        let [cot, _, vanilla] = &read.styles[..] else { panic!("three styles") };
        assert_eq!(
            (&cot.user, &cot.labels, &cot.answer_prefix),
            (&vanilla.user, &vanilla.labels, &vanilla.answer_prefix)
        );
        assert_ne!(cot.system, vanilla.system);
        assert_eq!((cot.reasoning, vanilla.reasoning), (true, false));
        let error = pack(&[like, &text_only].concat()).unwrap_err().to_string();
        assert!(error.contains("style `cot`, language en, subset a: `like`: no style `vanilla`"), "{error}");
    }

    #[test]
    fn a_first_phase_is_found_for_the_items_of_its_style() {
        let first = style("language = \"en\"").replace("vanilla", "look");
        let second = style("language = \"en\"\nfirst = \"look\"").replace("{question}", "{first_reply}");
        let read = pack(&(first.clone() + &second)).unwrap();
        let [look, vanilla] = &read.styles[..] else { panic!("two styles") };
        assert!(look.is_first && !vanilla.is_first && vanilla.first.as_deref() == Some("look"));
        assert_eq!((&look.scoring[..], look.max_new_tokens), (&[Scoring::Generate][..], 512));
        assert!(vanilla.scoring.contains(&Scoring::Letter) && vanilla.max_new_tokens == 128);

        let check = |first: &str, second: &str, expected: &str| {
            let error = pack(&format!("{first}{second}")).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        check("", &second, "style `vanilla`, language en: `first`: no style `look` has the same language");
        check(&first.replace("\"en\"", "\"zh\""), &second, "no style `look` has the same language");
        check(&style("language = \"en\"\nsubset = \"a\"").replace("vanilla", "look"), &second, "no style `look`");
        check(&first, &second.replace("first_reply", "question"), "write both or neither");
        check(&first, &second.replace("first = \"look\"", ""), "write both or neither");
        check(
            &first.replace("{question}", "{question} {options}"),
            &second,
            "style `look`, language en: `user`: a first phase shows no options",
        );
        check(&first.replace("{question}", "{option_a}"), &second, "shows no options");
        check(
            &style("language = \"en\"\nscoring = [\"text\"]").replace("vanilla", "look"),
            &second,
            "`scoring`: the reply to a first phase",
        );
        let third = second.replace("vanilla", "last").replace("look", "vanilla");
        check(&(first.clone() + &second), &third, "at most two phases");
        let other = first.replace("look", "see") + &second.replace("look", "see").replace("\"en\"", "\"zh\"");
        check(
            &(first + &second),
            &(other.replace("language = \"en\"", "language = \"zh\"")),
            "has another first phase",
        );
    }

    #[test]
    fn mistakes_are_named_by_style_and_key() {
        let check = |keys: &str, expected: &str| {
            let error = pack(&style(keys)).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        check(
            "language = \"en\"\nsystem = \"{storry}\"",
            "style `vanilla`, language en: `system`: unknown placeholder",
        );
        check("language = \"en\"\nsystem = \"{\"", "`system`: `{` without `}`");
        check("language = \"en\"\nlabels = [\"A\", \"A\"]", "`labels`: duplicate `A`");
        check("language = \"en\"\noptions = 3\nlabels = [\"A\"]", "1 label for 3 options");
        check("language = \"en\"\nanswer = \"many\"", "unknown kind `many`");
        check("language = \"en\"\nsystem = \"{option}\"", "`yes_no`");
        check("language = \"en\"\nyes_no = [\"a\", \"a\"]", "`yes_no`");
        check("language = \"en\"\nmax_new_tokens = 0", "`max_new_tokens`: is 0");
        check("language = \"xx\"", "xx");
        check("language = \"en\"\nsytem = \"x\"", "sytem");
        let without_user = pack("[[style]]\nname = \"vanilla\"\nlanguage = \"en\"\n").unwrap_err().to_string();
        assert!(without_user.contains("`user`: is missing"), "{without_user}");
        let twice = style("language = \"en\"").repeat(2);
        assert!(pack(&twice).unwrap_err().to_string().contains("defined twice"));
        let apart = style("language = \"en\"") + &style("language = \"en\"\nscoring = [\"text\"]");
        assert_eq!(pack(&apart).unwrap().styles.len(), 2);
    }
}
