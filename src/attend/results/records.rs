//! Converts the results of a prompt to the records of a [`Document`](super::Document).

use super::document::{
    ContrastRecord, HeadsMap, HumanRecord, KeywordRecord, PartRecord, QueryRecord, TokenRecord, WordMass, WordRecord,
};
use crate::attend::measure::{Capture, TokensRead, reduce};
use crate::attend::prompts::{AnnotatedPrompt, Merge};
use crate::attend::words::{
    Deletion, DeletionRecord, Effect, EffectRecord, Keyword, KeywordOptions, Match, Ranking, Reader, Scope, agreement,
    contrast, keywords,
};
use crate::stats::{jaccard_by_chance, overlap_by_chance};

/// Persistence of the rank-biased overlap with human keywords.
pub const PERSISTENCE: f64 = 0.9;

/// Layers and heads to average, and how keywords are selected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reduction {
    /// How keywords are selected.
    pub keywords: KeywordOptions,
    /// Numbers of the layers averaged.
    pub layers: Vec<usize>,
    /// Numbers of the heads averaged.
    pub heads: Vec<usize>,
}

/// Measurement of one query position.
#[derive(Debug, Clone, PartialEq)]
pub enum Evidence {
    /// Attention, or shares of value-weighted norms, of every layer and head.
    Capture(Capture),
    /// One weight per position, summing to 1: rollout.
    Profile(Vec<f64>),
    /// Fall of the choice's log-odds when each word is left out, one per word; `None` for words not tried.
    Drops(Vec<Option<f64>>),
}

/// Reduces the evidence of one query position to word weights and keywords.
pub fn query_record(
    prompt: &AnnotatedPrompt,
    query: &str,
    position: usize,
    evidence: &Evidence,
    reduction: &Reduction,
) -> (QueryRecord, Ranking) {
    let options = reduction.keywords;
    let mut averaged = (Vec::new(), Vec::new());
    let mut drops = Vec::new();
    let mut heads_map = None;
    let ranking = match evidence {
        Evidence::Capture(capture) => {
            let captured = capture.layers();
            let layers: Vec<usize> =
                (0..captured.len()).filter(|&index| reduction.layers.contains(&captured[index])).collect();
            let profile = reduce::profile(capture, &layers, &reduction.heads);
            heads_map = Some(map_heads(prompt, capture, options));
            averaged = (layers.iter().map(|&index| captured[index]).collect(), reduction.heads.clone());
            keywords::rank(prompt, &profile, options)
        }
        Evidence::Profile(profile) => keywords::rank(prompt, profile, options),
        Evidence::Drops(found) => {
            let falls: Vec<f64> = found.iter().map(|drop| drop.unwrap_or(0.0).max(0.0)).collect();
            let total: f64 = falls.iter().sum();
            let shares: Vec<f64> = falls.iter().map(|fall| if total > 0.0 { fall / total } else { 0.0 }).collect();
            drops = found.iter().map(|drop| drop.map(rounded)).collect();
            keywords::rank_weights(prompt, &shares, &shares, 0.0, KeywordOptions { keep_sink: false, ..options })
        }
    };
    let record = QueryRecord {
        query: query.to_string(),
        position,
        layers: averaged.0,
        heads: averaged.1,
        weights: ranking.weights.iter().copied().map(rounded).collect(),
        ranking: ranking.words.iter().map(keyword_record).collect(),
        sink: rounded(ranking.account.sink),
        special: rounded(ranking.account.special),
        parts: ranking.account.parts.iter().copied().map(rounded).collect(),
        on_words: rounded(ranking.account.words),
        on_marks: rounded(ranking.account.marks),
        entropy_bits: rounded(ranking.entropy_bits),
        half_way: ranking.half_way.map(rounded),
        tenths: ranking.tenths.map(rounded),
        drops,
        heads_map,
    };
    (record, ranking)
}

/// Records of a prompt's parts, words and tokens.
pub fn text_records(prompt: &AnnotatedPrompt, scope: Scope) -> (Vec<PartRecord>, Vec<WordRecord>, Vec<TokenRecord>) {
    let parts = prompt.parts().iter().map(|part| PartRecord {
        name: part.kind.name(),
        in_scope: scope.holds(part.kind),
        start: part.range.start,
        end: part.range.end,
    });
    let words = prompt.words().iter().map(|word| WordRecord {
        start: word.range.start,
        end: word.range.end,
        kind: word.kind,
        part: word.part,
    });
    let tokens = prompt.tokens().iter().map(|token| TokenRecord {
        id: token.id,
        start: token.range.start,
        end: token.range.end,
    });
    (parts.collect(), words.collect(), tokens.collect())
}

/// Compares a reader's marks with the first `top` words of a ranking.
pub fn human_record(
    reader: &Reader,
    prompt: &AnnotatedPrompt,
    ranking: &Ranking,
    top: usize,
    options: KeywordOptions,
) -> HumanRecord {
    let marks = reader.marks(prompt, options);
    let all = keys(ranking, usize::MAX);
    let first: Vec<String> = all.iter().take(top).cloned().collect();
    HumanRecord {
        reader: reader.name.clone(),
        overlap: agreement::overlap_at(&first, &marks.keys, top).map(rounded),
        overlap_by_chance: overlap_by_chance(first.len(), marks.keys.len().min(top), all.len()).map(rounded),
        jaccard: agreement::jaccard(&first, &marks.keys).map(rounded),
        jaccard_by_chance: jaccard_by_chance(first.len(), marks.keys.len(), all.len()).map(rounded),
        rank_biased_overlap: agreement::rank_biased_overlap(&all, &marks.keys, PERSISTENCE).map(rounded),
        rank_biased_overlap_by_chance: agreement::rank_biased_overlap_by_chance(
            all.len(),
            marks.keys.len(),
            all.len(),
            PERSISTENCE,
        )
        .map(rounded),
        keywords: marks.keys,
        missing: marks.missing,
        words: marks.words.iter().map(|word| word.0).collect(),
        half_way: marks.half_way.map(rounded),
        read_to: marks.read_to.map(rounded),
        read_to_missing: marks.read_to_missing,
        deletion: None,
    }
}

/// Compares two queries, each given by case and row.
pub fn contrast_record(
    name: &str,
    first: ((usize, usize), &AnnotatedPrompt, &Ranking),
    second: ((usize, usize), &AnnotatedPrompt, &Ranking),
    scope: Scope,
) -> ContrastRecord {
    let found = contrast::compare((first.1, first.2), (second.1, second.2), scope);
    ContrastRecord {
        name: name.to_string(),
        first: first.0,
        second: second.0,
        differences: found.pairs.iter().map(|pair| (pair.first.0, pair.second.0, rounded(pair.difference))).collect(),
        only_first: found.only_first.iter().map(|word| word.0).collect(),
        only_second: found.only_second.iter().map(|word| word.0).collect(),
        distance: rounded(found.distance),
    }
}

/// Record of a deletion check.
pub fn deletion_record(option: &str, matched: &[Match], found: &Deletion, tokens_read: TokensRead) -> DeletionRecord {
    DeletionRecord {
        option: option.to_string(),
        log_odds: rounded(found.whole.log_odds),
        probability: rounded(found.whole.probability),
        label_mass: rounded(found.whole.label_mass),
        words: found.types,
        occurrences: found.occurrences,
        tokens: rounded(found.tokens),
        matched: matched.iter().map(|matched| matched.name().to_string()).collect(),
        random_tokens: rounded(found.random_tokens),
        shared: rounded(found.shared),
        tokens_read,
        without: effect_record(&found.without),
        only: effect_record(&found.only),
    }
}

fn effect_record(found: &Effect) -> EffectRecord {
    EffectRecord {
        fall: rounded(found.fall),
        probability: rounded(found.outcome.probability),
        label_mass: rounded(found.outcome.label_mass),
        flips: found.flips,
        random: found.random.iter().map(|draw| rounded(draw.fall)).collect(),
        described: found.described,
        mean: rounded(found.mean),
        interval: rounded_ends(found.interval),
        rare: rounded(found.rare),
        random_flips: found.random_flips(),
        p: rounded(found.p),
        smallest_p: rounded(found.smallest_p),
        counted: found.counted,
        ended_early: found.ended_early,
    }
}

/// Folded forms of the first `top` words, without duplicates.
pub fn keys(ranking: &Ranking, top: usize) -> Vec<String> {
    let mut keys: Vec<String> = Vec::new();
    for word in &ranking.words {
        if keys.len() < top && !keys.contains(&word.key) {
            keys.push(word.key.clone());
        }
    }
    keys
}

fn keyword_record(word: &Keyword) -> KeywordRecord {
    KeywordRecord {
        text: word.text.clone(),
        key: word.key.clone(),
        weight: rounded(word.weight),
        words: word.occurrences.iter().map(|word| word.0).collect(),
    }
}

fn map_heads(prompt: &AnnotatedPrompt, capture: &Capture, options: KeywordOptions) -> HeadsMap {
    let narrow = |values: Vec<f64>| values.into_iter().map(|value| value as f32).collect();
    let mut share = prompt.token_shares(|word| options.scope.holds(prompt.part_kind(word)));
    if !options.keep_sink {
        share[0] = 0.0;
    }
    let lines = capture.layers().len() * capture.heads();
    let mut words = Vec::with_capacity(lines * prompt.words().len());
    let mut account: Vec<f64> = Vec::with_capacity(lines * (prompt.parts().len() + 2));
    for layer in 0..capture.layers().len() {
        for head in 0..capture.heads() {
            let mut row: Vec<f64> = capture.row(layer, head).iter().map(|&weight| f64::from(weight)).collect();
            let first = row[0];
            if !options.keep_sink {
                row[0] = 0.0;
            }
            let masses = prompt.word_weights(&row, Merge::Sum);
            let (parts, special) = prompt.part_masses(&masses);
            account.extend([first, special].into_iter().chain(parts));
            words.extend(masses.into_iter().map(|weight| weight as f32));
        }
    }
    HeadsMap {
        layers: capture.layers().to_vec(),
        heads: capture.heads(),
        sink: narrow(reduce::head_sink(capture)),
        entropy_bits: narrow(reduce::head_entropy(capture)),
        scope: narrow(reduce::head_map(capture, &share)),
        account: narrow(account),
        words: WordMass::Full(words),
    }
}

/// Rounds to seven decimals: finer than f32 attention, and short in JSON.
pub fn rounded(value: f64) -> f64 {
    (value * 1e7).round() / 1e7
}

/// Rounds both ends of an interval.
pub fn rounded_ends((low, high): (f64, f64)) -> (f64, f64) {
    (rounded(low), rounded(high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attend::prompts::annotated::tests::{STORY, prompt};
    use crate::attend::prompts::{PartKind, WordIx};
    use crate::language::Language;

    fn averaging(layers: &[usize]) -> Reduction {
        Reduction { keywords: KeywordOptions::default(), layers: layers.to_vec(), heads: vec![0] }
    }

    fn example() -> (AnnotatedPrompt, Capture) {
        let parts = [(PartKind::Template, "<s>"), (STORY, "Ann saw Bob"), (PartKind::Question, "Who")];
        let prompt = prompt(&parts, &[3, 3, 4, 4, 3], Language::En);
        let weights = vec![
            0.6, 0.1, 0.1, 0.1, 0.1, // layer 0
            0.2, 0.4, 0.0, 0.2, 0.2, // layer 1
        ];
        (prompt, Capture::new(vec![0, 1], 1, 5, weights).unwrap())
    }

    #[test]
    fn a_row_averages_the_chosen_layers_only() {
        let (prompt, capture) = example();
        let evidence = Evidence::Capture(capture);
        let (last, ranking) = query_record(&prompt, "answer", 4, &evidence, &averaging(&[1]));
        assert_eq!(last.layers, [1]);
        assert_eq!((last.sink, last.on_words), (0.2, 0.6));
        let top: Vec<(&str, f64)> = last.ranking.iter().map(|word| (word.text.as_str(), word.weight)).collect();
        assert_eq!(top, [("Ann", 0.6666667), ("Bob", 0.3333333), ("saw", 0.0)]);
        let heaviest: Vec<WordIx> = ranking.words[..2].iter().flat_map(|word| word.occurrences.clone()).collect();
        assert_eq!(heaviest, [WordIx(3), WordIx(7)]);
        let (all, _) = query_record(&prompt, "answer", 4, &evidence, &averaging(&[0, 1]));
        assert_eq!((all.sink, all.layers.len()), (0.4, 2));
    }

    #[test]
    fn the_heads_map_has_every_layer_and_word() {
        let (prompt, capture) = example();
        let (record, _) = query_record(&prompt, "answer", 4, &Evidence::Capture(capture), &averaging(&[1]));
        let map = record.heads_map.unwrap();
        assert_eq!(map.layers, [0, 1]);
        assert_eq!(map.sink, [0.6, 0.2]);
        assert!((map.scope[0] - 0.3).abs() < 1e-6 && (map.scope[1] - 0.6).abs() < 1e-6);
        let WordMass::Full(words) = &map.words else { panic!("heads are kept apart") };
        assert_eq!(words.len(), 2 * prompt.words().len());
        let second = &words[prompt.words().len()..];
        assert!((second.iter().sum::<f32>() - 0.8).abs() < 1e-6, "all but the first token");
        assert_eq!(map.account.len(), 2 * (2 + prompt.parts().len()));
        let line = &map.account[2 + prompt.parts().len()..];
        let expected = [0.2, 0.0, 0.0, 0.6, 0.2];
        assert!(line.iter().zip(expected).all(|(found, wanted)| (found - wanted).abs() < 1e-6), "{line:?}");
    }

    #[test]
    fn condensed_rows_keep_means_over_heads_and_over_the_chosen_layers() {
        let (prompt, _) = example();
        let weights = vec![
            0.6, 0.1, 0.1, 0.1, 0.1, // layer 0, head 0
            0.2, 0.4, 0.0, 0.2, 0.2, // layer 0, head 1
            0.0, 0.5, 0.5, 0.0, 0.0, // layer 1, head 0
            0.0, 0.0, 0.0, 0.5, 0.5, // layer 1, head 1
        ];
        let capture = Capture::new(vec![0, 1], 2, 5, weights).unwrap();
        let reduction = Reduction { heads: vec![0, 1], ..averaging(&[1]) };
        let (mut record, _) = query_record(&prompt, "answer", 4, &Evidence::Capture(capture), &reduction);
        assert_eq!(record.full_values(), 4 * prompt.words().len());
        record.condense();
        assert_eq!(record.full_values(), 0);
        let WordMass::Means { layers, heads } = record.heads_map.unwrap().words else { panic!("means are kept") };
        let width = prompt.words().len();
        // `Ann` is the first token after the special one.
        let ann = (0..width).find(|&word| prompt.word_text(WordIx(word)) == "Ann").unwrap();
        assert!((layers[ann] - 0.25).abs() < 1e-6 && (layers[width + ann] - 0.25).abs() < 1e-6);
        assert!((heads[ann] - 0.5).abs() < 1e-6 && heads[width + ann] == 0.0, "of layer 1 alone");
    }

    #[test]
    fn occlusion_ranks_by_fall_and_keeps_rises() {
        let (prompt, _) = example();
        let mut drops = vec![None; prompt.words().len()];
        for word in keywords::candidates(&prompt, KeywordOptions::default()) {
            drops[word.0] = Some(match prompt.word_text(word) {
                "Ann" => 0.5,
                "saw" => -0.25,
                _ => 1.5,
            });
        }
        let (record, _) = query_record(&prompt, "answer", 4, &Evidence::Drops(drops), &averaging(&[0, 1]));
        let top: Vec<(&str, f64)> = record.ranking.iter().map(|word| (word.text.as_str(), word.weight)).collect();
        assert_eq!(top, [("Bob", 0.75), ("Ann", 0.25), ("saw", 0.0)]);
        assert_eq!(record.drops.iter().flatten().copied().fold(0.0, f64::min), -0.25);
        assert!(record.heads_map.is_none());
        assert_eq!((record.sink, record.on_words), (0.0, 1.0), "falls in nats become shares");
    }

    #[test]
    fn humans_are_compared_at_the_same_depth() {
        let (prompt, capture) = example();
        let (_, ranking) = query_record(&prompt, "answer", 4, &Evidence::Capture(capture), &averaging(&[1]));
        let reader = Reader {
            name: "author".into(),
            keywords: vec!["Bob".into(), "left".into()],
            read_to: None,
            roles: Default::default(),
        };
        let record = human_record(&reader, &prompt, &ranking, 2, KeywordOptions::default());
        assert_eq!(record.overlap, Some(1.0));
        assert_eq!(record.jaccard, Some(0.5));
        assert_eq!(record.missing, ["left"]);
    }
}
