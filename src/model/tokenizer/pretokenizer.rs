//! Splits text into words before byte pairs are merged within them.
//!
//! GGUF files name the method (`tokenizer.ggml.pre`), `tokenizer.json` files spell it out. The expressions below are
//! those that the models' own tokenizers were trained with; names and groups follow llama.cpp.

use tokenizers::normalizers::{NFC, NormalizerWrapper};
use tokenizers::pre_tokenizers::PreTokenizerWrapper;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::digits::Digits;
use tokenizers::pre_tokenizers::sequence::Sequence;
use tokenizers::pre_tokenizers::split::{Split, SplitPattern};
use tokenizers::tokenizer::SplitDelimiterBehavior;

use super::TokenizerError;
use super::pipeline::PreTokenization;

const GPT2: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";
const GPT2_LETTERS_FIRST: &str = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";
const LLAMA3: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const LLAMA3_SPELLED: &str = r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const QWEN2: &str =
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const QWEN2_SPELLED: &str = r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const TEKKEN: &str = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const GPT4O: &str = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const DEEPSEEK_NUMBERS: &str = r"\p{N}{1,3}";
const DEEPSEEK_EAST_ASIAN: &str = r"[一-龥぀-ゟ゠-ヿ]+";
const DEEPSEEK_WORDS: &str = r##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"##;
const DEEPSEEK_WORDS_ESCAPED: &str = r##"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"##;
const DIGITS: &str = r"\p{N}";
const DEFAULT_PUNCTUATION: &str = r"[\p{P}\$\+<=>\^~\|]+";
const FALCON_PUNCTUATION: &str = r"[\p{P}\$\+<=>\^~\|`]+";
const THREE_DIGITS: &str = r"[0-9][0-9][0-9]";

/// Expressions that always cut after a line break followed by a letter: no alternative consumes a line break together
/// with a letter after it, none looks more than one character ahead, none looks back.
const CUT_BEFORE_LETTER: [&str; 10] = [
    GPT2,
    GPT2_LETTERS_FIRST,
    LLAMA3,
    LLAMA3_SPELLED,
    QWEN2,
    QWEN2_SPELLED,
    TEKKEN,
    GPT4O,
    DEEPSEEK_WORDS,
    DEEPSEEK_WORDS_ESCAPED,
];

/// Expressions that consume no line break and cut only around their matches.
const NO_LINE_BREAK: [&str; 6] =
    [DEEPSEEK_NUMBERS, DEEPSEEK_EAST_ASIAN, DIGITS, DEFAULT_PUNCTUATION, FALCON_PUNCTUATION, THREE_DIGITS];

/// All known expressions.
#[cfg(test)]
pub(super) fn expressions() -> Vec<&'static str> {
    [&CUT_BEFORE_LETTER[..], &NO_LINE_BREAK[..]].concat()
}

/// A splitting method by its name in GGUF metadata.
struct Named {
    names: &'static [&'static str],
    splits: &'static [&'static str],
    /// Whether a word that is a token is taken whole, regardless of its merges.
    whole_words: bool,
    /// Whether text is normalised to NFC first, as by the family's own tokenizer; GGUF has no field for it.
    nfc: bool,
    /// Whether BOS comes first unless the file says otherwise.
    bos: bool,
}

const NAMED: [Named; 9] = [
    Named {
        names: &["llama3", "llama-v3", "llama-bpe", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2"],
        splits: &[LLAMA3],
        whole_words: true,
        nfc: false,
        bos: true,
    },
    Named {
        names: &["qwen2", "stablelm2", "deepseek-r1-qwen", "megrez", "kormo"],
        splits: &[QWEN2],
        whole_words: false,
        nfc: true,
        bos: false,
    },
    Named {
        names: &["smollm", "starcoder", "refact", "command-r", "codeshell", "exaone", "minerva-7b"],
        splits: &[DIGITS, GPT2],
        whole_words: false,
        nfc: false,
        bos: false,
    },
    Named {
        names: &["gpt-2", "gpt2", "phi-2", "olmo", "mpt", "jais", "trillion", "gigachat", "roberta-bpe"],
        splits: &[GPT2],
        whole_words: false,
        nfc: false,
        bos: false,
    },
    Named {
        names: &["chatglm-bpe", "glm4", "dbrx", "smaug-bpe"],
        splits: &[LLAMA3],
        whole_words: false,
        nfc: false,
        bos: false,
    },
    Named { names: &["tekken"], splits: &[TEKKEN], whole_words: true, nfc: false, bos: true },
    Named { names: &["gpt-4o", "llama4"], splits: &[GPT4O], whole_words: false, nfc: false, bos: false },
    Named {
        names: &["deepseek-v3", "hunyuan-dense"],
        splits: &[DEEPSEEK_NUMBERS, DEEPSEEK_EAST_ASIAN, DEEPSEEK_WORDS],
        whole_words: false,
        nfc: false,
        bos: false,
    },
    Named {
        names: &["falcon"],
        splits: &[FALCON_PUNCTUATION, GPT2, THREE_DIGITS],
        whole_words: false,
        nfc: false,
        bos: false,
    },
];

/// llama.cpp's splitting for files without a name: punctuation separately, GPT-2 words, digits in threes.
const UNNAMED: Named = Named {
    names: &["default"],
    splits: &[DEFAULT_PUNCTUATION, GPT2, DIGITS, THREE_DIGITS],
    whole_words: false,
    nfc: false,
    bos: false,
};

/// The parts of a byte-level pipeline that depend on the name of its pre-tokenizer.
pub(super) struct ByteLevelParts {
    pub normalizer: Option<NormalizerWrapper>,
    pub pre_tokenizer: PreTokenizerWrapper,
    pub whole_words: bool,
    pub bos: bool,
}

/// The parts for a name of `tokenizer.ggml.pre`; an absent name is `default`.
pub(super) fn by_name(name: &str) -> Result<ByteLevelParts, TokenizerError> {
    let all = || NAMED.iter().chain([&UNNAMED]);
    let named = all().find(|named| named.names.contains(&name)).ok_or_else(|| TokenizerError::UnknownPreTokenizer {
        name: name.to_string(),
        known: all().flat_map(|named| named.names).copied().collect::<Vec<_>>().join(", "),
    })?;
    parts(named)
}

/// The parts for an expression in a file, for a vocabulary of bytes by rank.
pub(super) fn by_expression(expression: &str) -> Result<ByteLevelParts, TokenizerError> {
    Ok(ByteLevelParts {
        normalizer: None,
        pre_tokenizer: Sequence::new(vec![split_at(expression)?, ByteLevel::new(false, false, false).into()]).into(),
        whole_words: true,
        bos: true,
    })
}

fn split_at(expression: &str) -> Result<PreTokenizerWrapper, TokenizerError> {
    let pattern = SplitPattern::Regex(expression.to_string());
    let split = Split::new(pattern, SplitDelimiterBehavior::Isolated, false).map_err(TokenizerError::encode)?;
    Ok(split.into())
}

fn parts(named: &Named) -> Result<ByteLevelParts, TokenizerError> {
    let mut steps = Vec::new();
    for split in named.splits {
        steps.push(match *split {
            DIGITS => Digits::new(true).into(),
            expression => split_at(expression)?,
        });
    }
    steps.push(ByteLevel::new(false, false, false).into());
    Ok(ByteLevelParts {
        normalizer: named.nfc.then(|| NFC.into()),
        pre_tokenizer: Sequence::new(steps).into(),
        whole_words: named.whole_words,
        bos: named.bos,
    })
}

/// A pre-tokenizer's treatment of a line break followed by a letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineBreak {
    /// Always cuts there.
    Cut,
    /// Leaves it to the model.
    Kept,
    /// Not known.
    Unknown,
}

/// A pre-tokenizer's treatment of a line break followed by a letter.
pub(super) fn line_break(pre_tokenizer: Option<&PreTokenization>) -> LineBreak {
    use PreTokenization::{Plain, Split, Steps};
    match pre_tokenizer {
        None | Some(Plain(PreTokenizerWrapper::Metaspace(_) | PreTokenizerWrapper::Digits(_))) => LineBreak::Kept,
        Some(Plain(PreTokenizerWrapper::ByteLevel(byte_level))) if byte_level.use_regex => LineBreak::Cut,
        Some(Plain(PreTokenizerWrapper::ByteLevel(_))) => LineBreak::Kept,
        Some(Split(split, _)) => {
            let isolated = split.behavior == SplitDelimiterBehavior::Isolated && !split.invert;
            match &split.pattern {
                _ if !isolated => LineBreak::Unknown,
                SplitPattern::Regex(expression) if NO_LINE_BREAK.contains(&expression.as_str()) => LineBreak::Kept,
                SplitPattern::Regex(expression) if CUT_BEFORE_LETTER.contains(&expression.as_str()) => LineBreak::Cut,
                _ => LineBreak::Unknown,
            }
        }
        Some(Steps(steps)) => {
            let steps: Vec<LineBreak> = steps.iter().map(|step| line_break(Some(step))).collect();
            if steps.contains(&LineBreak::Unknown) {
                LineBreak::Unknown
            } else if steps.contains(&LineBreak::Cut) {
                LineBreak::Cut
            } else {
                LineBreak::Kept
            }
        }
        Some(Plain(_)) => LineBreak::Unknown,
    }
}
