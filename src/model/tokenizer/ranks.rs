//! Converts byte vocabularies by rank, as in tiktoken and Tekken files, to a pipeline of the `tokenizers` library.
//!
//! In each word, tiktoken joins the two neighbours whose joined bytes are the token of the lowest rank, the first such
//! pair on ties, until no pair is a token; a word that is a token is taken whole. The library joins pairs in the order
//! of a list. So the list here has, for each token in the order of ranks, all pairs of tokens that form it. Among
//! several pairs for one token the library joins the earlier in its list, tiktoken the earlier in the text: this never
//! differs where a token's parts have lower ranks than itself, as training makes them, because then only one of its
//! pairs is ever formed.

use std::collections::HashMap;

use tokenizers::AddedToken;
use tokenizers::decoders::byte_level::ByteLevel as ByteLevelDecoder;
use tokenizers::models::bpe::{BPE, Vocab};

use super::TokenizerError;
use super::pipeline::Pipeline;
use super::pretokenizer::ByteLevelParts;

/// Maximum sum of the squared lengths of all tokens; known vocabularies have ten million.
const MOST_WORK: usize = 1 << 28;
/// Maximum bytes of all pairs; known vocabularies have five million.
const MOST_PAIR_BYTES: usize = 256 << 20;
/// Maximum number of ids; known vocabularies have 200 thousand.
pub(super) const MOST_IDS: usize = 10_000_000;

/// Tokens by rank, without duplicates, including all single bytes.
#[derive(Debug)]
pub(super) struct Ranks(Vec<Vec<u8>>);

impl Ranks {
    /// Check tokens in the order of their ranks. `place` gives the location of a rank's token in its file.
    pub(super) fn new(tokens: Vec<Vec<u8>>, place: impl Fn(usize) -> String) -> Result<Self, String> {
        let mut seen: HashMap<&[u8], usize> = HashMap::with_capacity(tokens.len());
        let mut work = 0usize;
        for (rank, token) in tokens.iter().enumerate() {
            if token.is_empty() {
                return Err(format!("{}: the token has no bytes", place(rank)));
            }
            if let Some(earlier) = seen.insert(token, rank) {
                return Err(format!("{}: the token occurs twice, with the ranks {earlier} and {rank}", place(rank)));
            }
            work = work.saturating_add(token.len().saturating_mul(token.len()));
            if work > MOST_WORK {
                return Err(format!("{}: its tokens are too long for a vocabulary", place(rank)));
            }
        }
        match (0..=u8::MAX).find(|byte| !seen.contains_key([*byte].as_slice())) {
            Some(byte) => Err(format!("no token for the byte 0x{byte:02X}; the file is cut short or not a vocabulary")),
            None => Ok(Ranks(tokens)),
        }
    }

    /// The number of tokens.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The pipeline in which ids are ranks offset by `first_id`, with special tokens at their own ids.
    pub(super) fn into_pipeline(
        self,
        first_id: u32,
        special: Vec<(u32, AddedToken)>,
        parts: ByteLevelParts,
    ) -> Result<Pipeline, TokenizerError> {
        let spelled: Vec<String> = self.0.iter().map(|token| token.iter().copied().map(letter).collect()).collect();
        let mut vocabulary: Vocab = (first_id..).zip(&spelled).map(|(id, token)| (token.clone(), id)).collect();
        for (id, token) in &special {
            if let Some(other) = vocabulary.insert(token.content.clone(), *id) {
                let problem =
                    format!("the special token {:?} with the id {id} is also the token {other}", token.content);
                return Err(TokenizerError::encode(problem));
            }
        }
        let model = BPE::builder()
            .vocab_and_merges(vocabulary, self.pairs(&spelled).map_err(TokenizerError::encode)?)
            .ignore_merges(true)
            .build()
            .map_err(TokenizerError::encode)?;
        let mut inner = Pipeline::new(model.into());
        inner.with_normalizer(parts.normalizer).map_err(TokenizerError::encode)?;
        inner.with_pre_tokenizer(Some(parts.pre_tokenizer));
        inner.with_decoder(Some(ByteLevelDecoder::default()));
        inner.add_tokens(special.into_iter().map(|(_, token)| token)).map_err(TokenizerError::encode)?;
        Ok(inner)
    }

    /// All pairs of tokens that form a token, in the order of its rank.
    fn pairs(&self, spelled: &[String]) -> Result<Vec<(String, String)>, String> {
        let ranks: HashMap<&[u8], usize> = (0..).zip(&self.0).map(|(rank, token)| (token.as_slice(), rank)).collect();
        let (mut pairs, mut bytes) = (Vec::new(), 0);
        for token in &self.0 {
            let halves = (1..token.len()).filter_map(|at| {
                let (left, right) = token.split_at(at);
                Some((*ranks.get(left)?, *ranks.get(right)?))
            });
            let mut halves: Vec<_> = halves.collect();
            halves.sort_unstable();
            bytes += halves.len() * token.len();
            if bytes > MOST_PAIR_BYTES {
                return Err("its tokens have too many possible merges".to_string());
            }
            pairs.extend(halves.into_iter().map(|(left, right)| (spelled[left].clone(), spelled[right].clone())));
        }
        Ok(pairs)
    }
}

/// The letter for a byte in byte-level vocabularies: itself if visible, else one from U+0100 on, in order. Source: the
/// `bytes_to_unicode` of GPT-2, which all of them follow.
fn letter(byte: u8) -> char {
    let hidden = match byte {
        0..=0x20 => u32::from(byte),
        0x7F..=0xA0 => u32::from(byte) - 0x7F + 0x21,
        0xAD => 0x43,
        seen => return char::from(seen),
    };
    char::from_u32(0x100 + hidden).unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::super::pretokenizer;
    use super::*;
    use proptest::prelude::*;
    use tokenizers::pre_tokenizers::byte_level::ByteLevel;

    #[test]
    fn bytes_are_spelled_as_the_library_spells_them() {
        let alphabet = ByteLevel::alphabet();
        let ours: std::collections::HashSet<char> = (0..=u8::MAX).map(letter).collect();
        assert_eq!(ours.len(), 256);
        assert!(ours.iter().all(|letter| alphabet.contains(letter)));
        assert_eq!((letter(b' '), letter(b'\n'), letter(0xAD), letter(b'A')), ('\u{120}', '\u{10a}', '\u{143}', 'A'));
    }

    /// Ranks as training makes them: each token joins two earlier ones.
    fn trained() -> impl Strategy<Value = Vec<Vec<u8>>> {
        prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..60).prop_map(|joins| {
            let letters: Vec<Vec<u8>> = b"abc ".iter().map(|byte| vec![*byte]).collect();
            let mut tokens = letters.clone();
            for (left, right) in joins {
                let joined = [left.get(&tokens).as_slice(), right.get(&tokens).as_slice()].concat();
                if joined.len() <= 12 && !tokens.contains(&joined) {
                    tokens.push(joined);
                }
            }
            let rest = (0..=u8::MAX).map(|byte| vec![byte]).filter(|byte| !letters.contains(byte));
            rest.chain(tokens).collect()
        })
    }

    /// The definition: the lowest rank first, of equal ones the first.
    fn by_definition(tokens: &[Vec<u8>], word: &[u8]) -> Vec<u32> {
        let rank = |bytes: &[u8]| tokens.iter().position(|token| token == bytes);
        let mut parts: Vec<Vec<u8>> = match rank(word) {
            Some(_) => vec![word.to_vec()],
            None => word.iter().map(|byte| vec![*byte]).collect(),
        };
        while let Some((_, at)) =
            (1..parts.len()).filter_map(|at| Some((rank(&[&parts[at - 1][..], &parts[at]].concat())?, at))).min()
        {
            let right = parts.remove(at);
            parts[at - 1].extend(right);
        }
        parts.iter().map(|part| rank(part).expect("a token") as u32).collect()
    }

    proptest! {
        #[test]
        fn the_lowest_rank_is_joined_first(tokens in trained(), text in "[abc ]{0,24}") {
            let parts = pretokenizer::by_name("llama3").expect("a known name");
            let ranks = Ranks::new(tokens.clone(), |_| String::new()).expect("sound");
            let pipeline = ranks.into_pipeline(0, Vec::new(), parts).expect("a pipeline");
            let found = pipeline.encode_fast(text.as_str(), false).expect("text can be tokenized");
            let words = fancy_regex::Regex::new(r"[^\r\n\p{L}\p{N}]?\p{L}+|\s+(?!\S)|\s+").expect("an expression");
            let words = words.find_iter(&text).map(|word| word.expect("short").as_str());
            let expected: Vec<u32> = words.flat_map(|word| by_definition(&tokens, word.as_bytes())).collect();
            prop_assert_eq!(found.get_ids(), expected);
        }
    }

    #[test]
    fn tokens_that_are_doubled_empty_missing_or_endless_are_refused() {
        let bytes: Vec<Vec<u8>> = (0..=u8::MAX).map(|byte| vec![byte]).collect();
        let refused = |more: &[Vec<u8>]| {
            let tokens = [&bytes[..], more].concat();
            Ranks::new(tokens, |rank| format!("line {}", rank + 1)).map(drop).expect_err("refused")
        };
        assert_eq!(
            refused(&[b"ab".to_vec(), b"ab".to_vec()]),
            "line 258: the token occurs twice, with the ranks 256 and 257"
        );
        assert_eq!(refused(&[Vec::new()]), "line 257: the token has no bytes");
        assert!(refused(&[vec![b'a'; 20_000]]).contains("too long"));
        let problem = Ranks::new(bytes[..100].to_vec(), |_| String::new()).map(drop).expect_err("refused");
        assert!(problem.contains("0x64"), "{problem}");
    }
}
