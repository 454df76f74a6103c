//! Packing, sharing and moving cached rows change nothing: random tries against each path on its own, by bits where the
//! decoder promises it.

use crate::support::fixture;

use candle_core::Device;
use proptest::prelude::*;
use tomeval::internal::{Branch, RowRanges};
use tomeval::{Decoder, KvCache, ModelFiles, Pass, Precision};

/// Largest absolute difference of hidden states: summation orders differ, nothing else.
const TOLERANCE: f32 = 2e-5;

fn load(family: &str, plain: bool) -> Decoder {
    let (spec, weights) = ModelFiles::from_path(&fixture(family)).unwrap().open().unwrap();
    let load = if plain { Decoder::load_portable } else { Decoder::load };
    load(spec, weights, &Device::Cpu, Precision::F32).unwrap()
}

/// What is done to the cache before a node's pass.
#[derive(Debug, Clone, Copy)]
enum Before {
    Nothing,
    /// Reverse the order of two halves of the rows.
    Swap,
    /// Compute something and take it back.
    Truncate,
}

#[derive(Debug, Clone)]
struct Node {
    /// Which earlier node it hangs under: this number modulo one more than the earlier nodes.
    parent: usize,
    tokens: Vec<u32>,
    /// Whether a pass ends before this node, and what happens then.
    cut: Option<Before>,
}

fn nodes() -> impl Strategy<Value = Vec<Node>> {
    let lengths = prop_oneof![Just(1usize), Just(2), 1usize..12, Just(33), 30usize..45];
    let tokens = lengths.prop_flat_map(|length| prop::collection::vec(0u32..320, length));
    let before = prop_oneof![
        3 => Just(None),
        2 => Just(Some(Before::Nothing)),
        1 => Just(Some(Before::Swap)),
        1 => Just(Some(Before::Truncate))
    ];
    let node = (any::<u8>(), tokens, before).prop_map(|(parent, tokens, cut)| Node {
        parent: usize::from(parent),
        tokens,
        cut,
    });
    prop::collection::vec(node, 1..7)
}

/// Rows of the cache that hold a path, token by token.
fn ranges(rows: &[usize]) -> RowRanges {
    rows.iter().map(|&row| row..row + 1).collect()
}

fn hidden(decoder: &Decoder, cache: &mut KvCache, pass: &Pass) -> Vec<Vec<f32>> {
    decoder.forward(cache, pass).unwrap().hidden.to_vec2().unwrap()
}

fn check(decoder: &Decoder, nodes: &[Node]) -> Result<(), TestCaseError> {
    let limit = decoder.spec().max_position;
    let mut cache = decoder.cache();
    // Tokens and cache rows of the path that ends with each node.
    let mut paths: Vec<(Vec<u32>, Vec<usize>)> = Vec::new();
    let mut pass = Pass::default();
    // What each row gives on its own, and whether its bits must be the same.
    let mut expected: Vec<(Vec<f32>, bool)> = Vec::new();
    for (number, node) in nodes.iter().enumerate() {
        if node.cut.is_some() && !pass.tokens.is_empty() {
            compare(decoder, &mut cache, &mut pass, &mut expected)?;
        }
        let rows = cache.rows();
        match node.cut {
            Some(Before::Swap) if rows > 1 => {
                let middle = rows / 2;
                cache.keep(&[middle..rows, 0..middle].into_iter().collect());
                for row in paths.iter_mut().flat_map(|(_, rows)| rows) {
                    *row = if *row < middle { *row + rows - middle } else { *row - middle };
                }
            }
            Some(Before::Truncate) => {
                hidden(decoder, &mut cache, &Pass { rows: vec![0], ..Pass::sequence(&[7; 5], 0) });
                cache.truncate(rows);
            }
            _ => {}
        }
        let (mut tokens, mut rows) = match node.parent % (number + 1) {
            0 => (Vec::new(), Vec::new()),
            parent => paths[parent - 1].clone(),
        };
        if tokens.len() + node.tokens.len() > limit {
            (tokens, rows) = (Vec::new(), Vec::new());
        }
        let start = pass.tokens.len();
        pass.branches.push(Branch { tokens: start..start + node.tokens.len(), prefix: ranges(&rows) });
        pass.tokens.extend(&node.tokens);
        pass.rows.extend(start..pass.tokens.len());
        rows.extend(cache.rows() + start..cache.rows() + pass.tokens.len());
        tokens.extend(&node.tokens);
        let alone = hidden(decoder, &mut decoder.cache(), &Pass::sequence(&tokens, 0));
        // Keys are summed in the order of the cache; a path that was swapped has another order.
        let exact = decoder.rows_are_independent() && rows.is_sorted();
        expected.extend(alone[alone.len() - node.tokens.len()..].iter().map(|row| (row.clone(), exact)));
        paths.push((tokens, rows));
    }
    compare(decoder, &mut cache, &mut pass, &mut expected)
}

/// Run the pass gathered so far and compare it with what each path gave on its own.
fn compare(
    decoder: &Decoder,
    cache: &mut KvCache,
    pass: &mut Pass,
    expected: &mut Vec<(Vec<f32>, bool)>,
) -> Result<(), TestCaseError> {
    let rows = cache.rows();
    let packed = hidden(decoder, cache, pass);
    prop_assert_eq!(cache.rows(), rows + pass.tokens.len());
    for (row, (packed, (alone, exact))) in packed.iter().zip(&*expected).enumerate() {
        let bits = |row: &[f32]| row.iter().map(|value| value.to_bits()).collect::<Vec<u32>>();
        prop_assert!(!exact || bits(packed) == bits(alone), "row {}: other bits", row);
        for (packed, alone) in packed.iter().zip(alone) {
            prop_assert!((packed - alone).abs() <= TOLERANCE, "row {}: {} packed, {} alone", row, packed, alone);
        }
    }
    prop_assert_eq!(packed.len(), expected.len());
    *pass = Pass::default();
    expected.clear();
    Ok(())
}

fn check_tries(family: &str, plain: bool, cases: u32) {
    let decoder = load(family, plain);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig { cases, ..ProptestConfig::default() });
    if let Err(failure) = runner.run(&nodes(), |nodes| check(&decoder, &nodes)) {
        panic!("{family}: {failure}");
    }
}

#[test]
fn random_tries_equal_separate_paths() {
    check_tries("llama", false, 48);
}

#[test]
fn random_tries_equal_separate_paths_on_plain_tensors() {
    check_tries("llama", true, 24);
}

#[test]
fn random_tries_of_every_kind_of_layer_equal_separate_paths() {
    // Biases and shared key heads, norms of queries and keys, norms after each block, fused weights.
    for family in ["qwen2", "qwen3", "olmo2", "phi3", "granite", "smollm3"] {
        check_tries(family, false, 12);
    }
}

#[test]
fn rows_are_independent_in_f32_where_the_processor_has_the_instructions() {
    #[cfg(target_arch = "x86_64")]
    assert_eq!(load("llama", false).rows_are_independent(), is_x86_feature_detected!("avx2"));
    assert!(!load("llama", true).rows_are_independent());
    let (spec, weights) = ModelFiles::from_path(&fixture("llama")).unwrap().open().unwrap();
    assert!(!Decoder::load(spec, weights, &Device::Cpu, Precision::BF16).unwrap().rows_are_independent());
}

#[test]
fn random_tries_equal_separate_paths_with_a_window() {
    check_tries("mistral", false, 48);
}

#[test]
fn random_tries_equal_separate_paths_with_windows_on_some_layers_and_soft_caps() {
    check_tries("gemma2", false, 24);
    check_tries("gemma3_text", true, 12);
}

#[test]
fn keeping_rows_that_do_not_exist_is_refused() {
    let decoder = load("llama", false);
    let mut cache = decoder.cache();
    hidden(&decoder, &mut cache, &Pass::sequence(&[1, 2, 3], 0));
    let outcome =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| cache.keep(&std::iter::once(2..4).collect())));
    assert!(outcome.is_err());
}
