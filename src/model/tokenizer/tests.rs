use super::*;
use std::path::Path;

use proptest::prelude::*;

fn fixture(family: &str) -> Tokenizer {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(family);
    Tokenizer::from_folder(&folder).expect("a fixture's tokenizer")
}

/// A fixture with added tokens that make cutting hard: one that contains another, one that consumes the white space
/// after it, one that must be a word of its own.
fn with_hard_tokens(family: &str) -> Tokenizer {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(family);
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    for name in ["tokenizer.json", "tokenizer.model"] {
        if source.join(name).is_file() {
            std::fs::copy(source.join(name), folder.path().join(name)).expect("the fixture can be copied");
        }
    }
    let first = fixture(family).vocab_size();
    let tokens = [("B</s>C", false, false), ("<|strip|>", true, false), ("word", false, true)];
    let added: serde_json::Map<String, serde_json::Value> = (first..)
        .zip(tokens)
        .map(|(id, (content, rstrip, single_word))| {
            let token = serde_json::json!({ "content": content, "rstrip": rstrip, "single_word": single_word });
            (id.to_string(), token)
        })
        .collect();
    let config = serde_json::json!({ "added_tokens_decoder": added });
    std::fs::write(folder.path().join("tokenizer_config.json"), config.to_string()).expect("a file can be written");
    let tokenizer = Tokenizer::from_folder(folder.path()).expect("a valid tokenizer");
    assert_eq!(tokenizer.vocab_size(), first + tokens.len());
    tokenizer
}

const WITH_HARD_TOKENS: [&str; 2] = ["llama", "spm/bpe"];

/// The definition: everything as one text, scored from the first token that the context alone does not have.
fn by_definition(tokenizer: &Tokenizer, context: &str, continuation: &str, add_special: bool) -> Sequence {
    let alone = tokenizer.encode(context, add_special).expect("text can be tokenized");
    let tokens = tokenizer.encode(&format!("{context}{continuation}"), add_special).expect("text can be tokenized");
    let scored_from = alone.iter().zip(&tokens).take_while(|(one, other)| one == other).count();
    Sequence { tokens, scored_from }
}

/// Pieces that meet at boundaries where ids depend on both sides.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("\n"),
        Just("\n\n"),
        Just(" "),
        Just("  "),
        Just("\t"),
        Just("\r\n"),
        Just("A"),
        Just("the"),
        Just("they'll"),
        Just("12"),
        Just("3456"),
        Just("."),
        Just(" ?!"),
        Just("..."),
        Just("</"),
        Just("<"),
        Just("/"),
        Just("s>"),
        Just("<s>"),
        Just("</s>"),
        Just("[INST]"),
        Just("<|im_start|>"),
        Just("<|im_end|>"),
        Just("<|im"),
        Just("|>"),
        Just("<unk>"),
        Just("<|user|>"),
        Just("<|end"),
        Just("of"),
        Just("text|>"),
        Just("é"),
        Just("e\u{301}"),
        Just("小明"),
        Just("。"),
        Just("球"),
        Just("राम"),
        Just("أين"),
        Just("🙂"),
        Just("\u{1161}"),
        Just("한"),
        Just("B</s>"),
        Just("C"),
        Just("<|strip|>"),
        Just("word"),
    ];
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

fn check_continuation(tokenizer: &Tokenizer, context: &str, continuation: &str, add_special: bool) {
    let encoded = tokenizer.context(context, add_special).expect("text can be tokenized");
    assert_eq!(encoded.ids(), tokenizer.encode(context, add_special).expect("text can be tokenized"));
    let expected = by_definition(tokenizer, context, continuation, add_special);
    match encoded.continue_with(continuation) {
        Ok(sequence) => assert_eq!(sequence, expected, "{context:?} + {continuation:?}"),
        Err(TokenizerError::EmptyContinuation { .. }) => assert_eq!(expected.scored_from, expected.tokens.len()),
        Err(TokenizerError::NoContext { .. }) => assert_eq!(expected.scored_from, 0),
        Err(error) => panic!("{error}"),
    }
}

const FAMILIES: [&str; 14] = [
    "llama",
    "qwen2",
    "mistral",
    "gemma2",
    "deepseek_v3",
    "glm",
    "phi3",
    "spm/bpe",
    "spm/unigram",
    "spm/chatglm",
    "ranks/qwen",
    "ranks/llama3",
    "ranks/glm4",
    "ranks/tekken",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn a_continuation_has_the_ids_of_the_whole_text(
        context in pieces(),
        continuation in pieces(),
        add_special: bool,
        family in 0..FAMILIES.len() + WITH_HARD_TOKENS.len(),
    ) {
        thread_local! {
            static TOKENIZERS: Vec<Tokenizer> =
                FAMILIES.into_iter().map(fixture).chain(WITH_HARD_TOKENS.into_iter().map(with_hard_tokens)).collect();
        }
        TOKENIZERS.with(|tokenizers| check_continuation(&tokenizers[family], &context, &continuation, add_special));
    }
}

#[test]
fn added_tokens_at_a_cut_keep_their_right() {
    for tokenizer in WITH_HARD_TOKENS.map(with_hard_tokens) {
        for context in ["in B</s>", "in <|strip|>\nAnswer", "in <|strip|>", "a\nword", "a </s>word", "in <|strip|>\n"] {
            for continuation in ["C", "C the", "\nthe", " the", "s", "</s>C"] {
                check_continuation(&tokenizer, context, continuation, true);
            }
        }
    }
}

#[test]
fn the_boundary_moves_to_the_last_common_token() {
    let tokenizer = fixture("llama");
    // The fixture's vocabulary merges "t" and "he", so the context's last token does not survive.
    let context = tokenizer.context("in t", true).expect("text can be tokenized");
    let moved = context.continue_with("he").expect("something follows");
    assert!(moved.scored_from < context.ids().len());
    assert_eq!(moved.tokens, tokenizer.encode("in the", true).expect("text can be tokenized"));
    let kept = context.continue_with(" he").expect("something follows");
    assert_eq!(kept.scored_from, context.ids().len());
}

#[test]
fn a_continuation_without_tokens_or_context_is_refused() {
    let tokenizer = fixture("llama");
    let context = tokenizer.context("in", true).expect("text can be tokenized");
    assert!(matches!(context.continue_with(""), Err(TokenizerError::EmptyContinuation { .. })));
    let nothing = tokenizer.context("", false).expect("text can be tokenized");
    assert!(matches!(nothing.continue_with("A"), Err(TokenizerError::NoContext { .. })));
    let begin = tokenizer.context("", true).expect("text can be tokenized");
    assert_eq!(begin.continue_with("A").map(|sequence| sequence.scored_from).ok(), Some(1));
}

#[test]
fn only_the_tail_of_a_chat_is_tokenized_again() {
    let tokenizer = fixture("qwen2");
    let context = "<|im_start|>user\nWhere is the ball?<|im_end|>\n<|im_start|>assistant\n";
    let encoded = tokenizer.context(context, false).expect("text can be tokenized");
    assert!(encoded.text_after_cut().starts_with("<|im_start|>assistant"), "{:?}", encoded.text_after_cut());
    let raw = tokenizer.context("A story.\nIt has lines.\nAnswer:", true).expect("text can be tokenized");
    assert_eq!(raw.text_after_cut(), "\nAnswer:");
}

#[test]
fn offsets_cover_the_text() {
    let tokenizer = fixture("llama");
    let text = "Sally puts  the ball\nin the basket.";
    let tokens = tokenizer.encode_with_offsets(text, true).expect("text can be tokenized");
    assert_eq!(tokens[0].1, 0..0);
    let joined: String = tokens.iter().map(|(_, range)| &text[range.clone()]).collect();
    assert_eq!(joined, text);
}

#[test]
fn tokens_can_be_shown_one_by_one() {
    let tokenizer = fixture("llama");
    let ids = tokenizer.encode("in the end", false).expect("text can be tokenized");
    let texts: Option<String> = ids.iter().map(|&id| tokenizer.token_text(id)).collect();
    assert_eq!(texts.as_deref(), Some("in the end"));
    assert_eq!(tokenizer.token_text(1_000_000), None);
    assert!(matches!(tokenizer.decode(&[1_000_000]), Err(TokenizerError::UnknownId { .. })));
}

#[test]
fn a_model_with_too_few_rows_is_refused() {
    let tokenizer = fixture("llama");
    assert!(tokenizer.check_model(tokenizer.vocab_size()).is_ok());
    let error = tokenizer.check_model(tokenizer.vocab_size() - 1);
    assert!(matches!(error, Err(TokenizerError::VocabularyMismatch { .. })));
}

#[test]
fn special_tokens_and_stops_come_from_the_configuration() {
    let llama = fixture("llama");
    assert_eq!((llama.bos(), llama.stop_ids()), (Some(1), &[2][..]));
    assert_eq!(fixture("gemma2").stop_ids(), [1, 5]);
    assert_eq!(fixture("qwen2").bos(), None);
}

#[test]
fn an_unknown_pretokenizer_is_an_error_that_names_it() {
    let error = pretokenizer::by_name("klingon").map(drop).expect_err("no such name").to_string();
    assert!(error.contains("`klingon`") && error.contains("llama-bpe"), "{error}");
}

#[derive(serde::Deserialize)]
struct Expected {
    bpe: Vec<ExpectedText>,
    unigram: Vec<ExpectedText>,
}

#[derive(serde::Deserialize)]
struct ExpectedText {
    text: String,
    ids: Vec<u32>,
    decoded: String,
}

/// Output of sentencepiece itself for the vocabularies of `tests/fixtures/spm`.
fn expected() -> Expected {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/spm/expected.json");
    serde_json::from_slice(&std::fs::read(path).expect("the file can be read")).expect("the file is as documented")
}

fn spm_gguf() -> Tokenizer {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/spm/bpe.gguf");
    let mut file = std::fs::File::open(path).expect("the file can be read");
    let content = candle_core::quantized::gguf_file::Content::read(&mut file).expect("a GGUF file");
    Tokenizer::from_gguf(&content).expect("a tokenizer")
}

#[test]
fn sentencepiece_bpe_gives_the_ids_of_sentencepiece() {
    for tokenizer in [fixture("spm/bpe"), spm_gguf()] {
        assert_eq!(tokenizer.kind(), TokenizerKind::CharacterBpe);
        assert_eq!((tokenizer.bos(), tokenizer.stop_ids(), tokenizer.vocab_size()), (Some(1), &[2][..], 700));
        for case in expected().bpe {
            let ids = tokenizer.encode(&case.text, false).expect("text can be tokenized");
            assert_eq!(ids, case.ids, "{:?}", case.text);
            assert_eq!(tokenizer.decode(&ids).ok(), Some(case.decoded));
            let with_bos = tokenizer.encode(&case.text, true).expect("text can be tokenized");
            assert_eq!(with_bos, [&[1], &ids[..]].concat());
        }
    }
}

#[test]
fn sentencepiece_unigram_gives_the_ids_of_sentencepiece() {
    let tokenizer = fixture("spm/unigram");
    assert_eq!(tokenizer.kind(), TokenizerKind::Unigram);
    for case in expected().unigram {
        assert_eq!(tokenizer.encode(&case.text, false).ok(), Some(case.ids), "{:?}", case.text);
    }
}

#[test]
fn chatglm_counts_its_own_tokens_after_the_vocabulary() {
    let tokenizer = fixture("spm/chatglm");
    let first = 700;
    let leading = tokenizer.encode("", true).expect("text can be tokenized");
    assert_eq!(leading, [first + 1, first + 3]);
    // As the released program builds it: the role's token, then "\n" and the text as two texts of their own.
    let part = |text| tokenizer.encode(text, false).expect("text can be tokenized");
    let prompt = part("[gMASK]<sop><|user|>\n Where is the ball?<|assistant|>");
    let expected = [&leading[..], &[first + 6], &part("\n"), &part("Where is the ball?"), &[first + 7]].concat();
    assert_eq!(prompt, expected);
    assert!(!part("sophisticated eop").contains(&(first + 3)));
}

#[test]
fn line_breaks_cut_sentencepiece_texts_too() {
    let tokenizer = fixture("spm/bpe");
    let context = tokenizer.context("A story.\nIt has lines.\nAnswer:", true).expect("text can be tokenized");
    assert_eq!(context.text_after_cut(), "\nAnswer:");
    // This vocabulary's normalisation turns line breaks into spaces, so nothing can be cut.
    let unigram = fixture("spm/unigram");
    let context = unigram.context("A story.\nAnswer:", true).expect("text can be tokenized");
    assert_eq!(context.text_after_cut(), "A story.\nAnswer:");
}

/// A prompt after one with the same beginning has the ids, the bytes and the continuations that it has alone.
fn check_like(tokenizer: &Tokenizer, earlier: &str, text: &str, continuation: &str, add_special: bool) {
    let before = tokenizer.context(earlier, add_special).expect("text can be tokenized");
    let like = tokenizer.context_like(&before, text, add_special).expect("text can be tokenized");
    let alone = tokenizer.context(text, add_special).expect("text can be tokenized");
    assert_eq!(like.ids(), alone.ids(), "{text:?} after {earlier:?}");
    assert_eq!(like.end(), alone.end(), "{text:?} after {earlier:?}");
    let continued =
        |context: &super::EncodedContext| context.continue_with(continuation).map_err(|error| error.to_string());
    assert_eq!(continued(&like), continued(&alone), "{text:?} after {earlier:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn a_prompt_like_an_earlier_one_has_its_own_ids(
        common in pieces(),
        ends in (pieces(), pieces(), pieces()),
        add_special: bool,
        family in 0..FAMILIES.len() + WITH_HARD_TOKENS.len(),
    ) {
        thread_local! {
            static TOKENIZERS: Vec<Tokenizer> =
                FAMILIES.into_iter().map(fixture).chain(WITH_HARD_TOKENS.into_iter().map(with_hard_tokens)).collect();
        }
        let (first, second, continuation) = ends;
        let texts = [first, second].map(|end| format!("{common}{end}"));
        TOKENIZERS.with(|tokenizers| check_like(&tokenizers[family], &texts[0], &texts[1], &continuation, add_special));
    }
}

#[test]
fn a_common_beginning_is_not_tokenized_again() {
    let tokenizer = fixture("qwen2");
    let story = "Ann hides the tea.\n".repeat(50);
    let earlier = tokenizer.context(format!("{story}\nWhere is it?\nA. here"), false).expect("text can be tokenized");
    // If the story were tokenized again, its ids would not be these.
    let next = tokenizer.context_like(&earlier.with_ids(7), format!("{story}\nWho hides it?\nA. Bo"), false);
    let kept = next.expect("text can be tokenized").ids().iter().take_while(|&&id| id == 7).count();
    assert!(kept > 200, "{kept}");
}

#[test]
fn a_vocabulary_of_characters_may_have_the_letter_that_bytes_spell_the_space_with() {
    use tokenizers::models::bpe::BPE;
    let kind = |tokens: &[&str]| {
        let vocabulary: tokenizers::models::bpe::Vocab =
            (0..).zip(tokens).map(|(id, token)| (token.to_string(), id)).collect();
        let inner = Pipeline::new(BPE::builder().vocab_and_merges(vocabulary, Vec::new()).build().unwrap().into());
        kind_of(&inner, &inner.get_vocab(true))
    };
    assert_eq!(kind(&["a", "\u{120}"]), TokenizerKind::ByteLevelBpe);
    assert_eq!(kind(&["a", "\u{120}", "\u{2581}"]), TokenizerKind::CharacterBpe);
    assert_eq!(kind(&["a", "\u{2581}"]), TokenizerKind::CharacterBpe);
}

/// Output of tiktoken and mistral-common for the vocabularies of `tests/fixtures/ranks`.
#[test]
fn ranks_give_the_ids_of_their_own_encoders() {
    #[derive(serde::Deserialize)]
    struct Case {
        text: String,
        ids: Vec<u32>,
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/ranks/expected.json");
    let expected: std::collections::BTreeMap<String, Vec<Case>> =
        serde_json::from_slice(&std::fs::read(path).expect("the file can be read")).expect("the file is as documented");
    assert_eq!(expected.len(), 5);
    for (name, cases) in expected {
        let tokenizer = fixture(&format!("ranks/{name}"));
        assert_eq!(tokenizer.kind(), TokenizerKind::ByteLevelBpe, "{name}");
        assert!(cases.len() > 15);
        for Case { text, ids } in cases {
            assert_eq!(tokenizer.encode(&text, false).ok().as_ref(), Some(&ids), "{name}: {text:?}");
            // Only the first Qwen composes characters.
            if text.contains('\u{301}') && name == "qwen" {
                continue;
            }
            assert_eq!(tokenizer.decode(&ids).ok().as_ref(), Some(&text), "{name}");
            let tokens = tokenizer.encode_with_offsets(&text, false).expect("text can be tokenized");
            let mut end = 0;
            for (_, range) in tokens {
                assert!(range.start <= end && range.end >= end, "{name}: {text:?} at {end}");
                end = range.end;
            }
            assert_eq!(end, text.len(), "{name}: {text:?}");
        }
    }
}

#[test]
fn families_of_ranks_have_their_own_first_and_last_tokens() {
    let facts = |name: &str| {
        let tokenizer = fixture(&format!("ranks/{name}"));
        let leading = tokenizer.encode("", true).expect("text can be tokenized");
        (leading, tokenizer.stop_ids().to_vec(), tokenizer.bos(), tokenizer.vocab_size())
    };
    assert_eq!(facts("qwen"), (vec![], vec![460, 462, 461], None, 460 + 208));
    assert_eq!(facts("llama3"), (vec![460], vec![461, 469], Some(460), 460 + 256));
    assert_eq!(facts("glm4"), (vec![462, 464], vec![460, 467, 469], None, 460 + 14));
    assert_eq!(facts("tekken"), (vec![1], vec![2], Some(1), 460 + 30));
}

#[test]
fn line_breaks_cut_texts_of_ranks() {
    for name in ["qwen", "llama3", "glm4", "tekken"] {
        let tokenizer = fixture(&format!("ranks/{name}"));
        let context = tokenizer.context("A story.\nIt has lines.\nAnswer:", true).expect("text can be tokenized");
        assert_eq!(context.text_after_cut(), "\nAnswer:", "{name}");
    }
}

#[test]
fn ranks_of_no_known_family_are_refused_with_what_to_do() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file can be written");
    let problem = || Tokenizer::from_folder(folder.path()).map(drop).expect_err("refused").to_string();
    write("tokenizer.model", "AA== 0\nAQ== 1\n");
    assert!(problem().contains("no config.json beside it"), "{}", problem());
    write("config.json", r#"{"model_type": "kimi"}"#);
    let rendered = problem();
    for part in ["tokenizer.model", "\"kimi\"", "qwen, llama, chatglm", "put a tokenizer.json beside it"] {
        assert!(rendered.contains(part), "{rendered}");
    }
    write("qwen.tiktoken", "AA== 0\nA?== 1\n");
    assert!(problem().contains("qwen.tiktoken: line 2: "), "{}", problem());
    write("tekken.json", "{}");
    assert!(problem().contains("tekken.json: missing field"), "{}", problem());
}

#[test]
fn of_several_tokenizer_files_one_is_read_and_the_others_named() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let ranks = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/ranks");
    for from in ["qwen/qwen.tiktoken", "glm4/tokenizer.model", "tekken/tekken.json"] {
        let name = from.rsplit('/').next().expect("a name");
        std::fs::copy(ranks.join(from), folder.path().join(name)).expect("the fixture can be copied");
    }
    let tokenizer = Tokenizer::from_folder(folder.path()).expect("a valid tokenizer");
    assert!(tokenizer.file().ends_with("tekken.json"));
    assert_eq!(tokenizer.passed_over(), ["qwen.tiktoken", "tokenizer.model"]);
}
