//! The fused operations of the CPU against the portable ones, one by one, on random values.
//!
//! Tolerance: 1e-5 absolute for values of the order of one. Both compute in f32 and differ in the order of sums and in
//! the exponential function.

use candle_core::{DType, Device, Tensor};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::capture::OngoingCapture;
use super::cpu::{Cpu, Rows};
use super::ops::{AttentionInput, FeedForward, FeedForwardBlock, GatedNetwork, Heads, Logits, Ops, Weight};
use super::pass::{Branch, Layout, Pass};
use super::portable::{Activations, Array, Portable};
use super::rotary::{Angles, Pairing, Rotary, Scaling};
use super::spec::Activation;
use super::weights::{Matrix, Stack};
use super::{Capture, Precision};

const TOLERANCE: f32 = 1e-5;

fn both() -> (Cpu, Portable) {
    (Cpu::new(Precision::F32), Portable::new(Device::Cpu, DType::F32))
}

struct Draw(ChaCha8Rng);

impl Draw {
    fn new(seed: u64) -> Draw {
        Draw(ChaCha8Rng::seed_from_u64(seed))
    }

    fn values(&mut self, count: usize) -> Vec<f32> {
        (0..count).map(|_| self.0.random_range(-2.0..2.0)).collect()
    }

    /// The same random activations in both forms.
    fn rows(&mut self, rows: usize, width: usize) -> (Rows, Activations) {
        let values = self.values(rows * width);
        let tensor = Tensor::from_slice(&values, (rows, width), &Device::Cpu).unwrap();
        (Rows::new(values, width), Array::from(tensor).into())
    }
}

fn copy(rows: &Rows) -> Rows {
    Rows { values: Rows::new(rows.values.to_vec(), rows.stride).values, ..*rows }
}

fn dense(values: Vec<f32>, outputs: usize) -> Weight {
    let shape = [outputs, values.len() / outputs];
    Weight::Dense(Stack::new(Matrix::plain(values, &shape)))
}

#[track_caller]
fn assert_close(what: &str, fused: &Rows, plain: &Activations) {
    let plain: Vec<Vec<f32>> = plain.whole(DType::F32).unwrap().into_tensor().to_vec2().unwrap();
    assert_eq!(fused.len(), plain.len());
    let mut largest = 0.0f32;
    for (row, plain) in plain.iter().enumerate() {
        assert_eq!(fused.row(row).len(), plain.len());
        for (fused, plain) in fused.row(row).iter().zip(plain) {
            let difference = (fused - plain).abs();
            assert!(difference <= TOLERANCE, "{what}: fused {fused}, plain {plain}");
            largest = largest.max(difference);
        }
    }
    println!("{what}: largest difference {largest:.1e}");
}

#[test]
fn norms_agree() {
    let ((cpu, portable), mut draw) = (both(), Draw::new(1));
    for (rows, width) in [(1, 8), (3, 50), (400, 576)] {
        let (x, y) = draw.rows(rows, width);
        let weight = draw.values(width);
        let norms = (cpu.norm_weight(weight.clone(), 1e-3).unwrap(), portable.norm_weight(weight, 1e-3).unwrap());
        assert_close("norm", &cpu.norm(&x, &norms.0).unwrap(), &portable.norm(&y, &norms.1).unwrap());
    }
    for width in [20, 60] {
        let (mut x, mut y) = draw.rows(7, 100);
        let weight = draw.values(width);
        let norms = (cpu.norm_weight(weight.clone(), 1e-3).unwrap(), portable.norm_weight(weight, 1e-3).unwrap());
        cpu.norm_columns(&mut x, 20..80, width, &norms.0).unwrap();
        portable.norm_columns(&mut y, 20..80, width, &norms.1).unwrap();
        assert_close("norm of columns", &x, &y);
    }
}

#[test]
fn products_agree() {
    let ((cpu, portable), mut draw) = (both(), Draw::new(2));
    for (rows, inputs, outputs, biased) in [(1, 64, 96, false), (5, 33, 17, true), (150, 64, 200, true)] {
        let (x, y) = draw.rows(rows, inputs);
        let weights: Vec<f32> = draw.values(inputs * outputs).iter().map(|value| value / inputs as f32).collect();
        let bias = biased.then(|| draw.values(outputs));
        // One matrix, and the same matrix in two parts.
        let whole = |values: &[f32]| vec![dense(values.to_vec(), outputs)];
        let first = outputs / 3;
        let parts = |values: &[f32]| {
            let (a, b) = values.split_at(first * inputs);
            vec![dense(a.to_vec(), first), dense(b.to_vec(), outputs - first)]
        };
        let plain = portable.linear(whole(&weights), inputs, bias.clone()).unwrap();
        for split in [false, true] {
            let weights = if split { parts(&weights) } else { whole(&weights) };
            let fused = cpu.linear(weights, inputs, bias.clone()).unwrap();
            assert_close(
                "product",
                &cpu.product(&x, None, &fused).unwrap(),
                &portable.product(&y, None, &plain).unwrap(),
            );
            let norms = draw.values(inputs);
            let norms = (cpu.norm_weight(norms.clone(), 1e-3).unwrap(), portable.norm_weight(norms, 1e-3).unwrap());
            let of_normed = cpu.product(&x, Some(&norms.0), &fused).unwrap();
            assert_close("product of normed", &of_normed, &portable.product(&y, Some(&norms.1), &plain).unwrap());
            let (mut r, mut s) = draw.rows(rows, outputs);
            cpu.add_product(&mut r, &x, &fused, 0.7).unwrap();
            portable.add_product(&mut s, &y, &plain, 0.7).unwrap();
            assert_close("product added", &r, &s);
        }
    }
}

#[test]
fn feed_forwards_agree() {
    let ((cpu, portable), mut draw) = (both(), Draw::new(7));
    let (hidden, inner) = (48, 72);
    // Few rows, and enough for computing block by block from norm to addition.
    for rows in [5, 60 * rayon::current_num_threads()] {
        for (biased, before, after) in
            [(false, true, false), (true, true, false), (true, false, false), (false, true, true)]
        {
            let mut draw_scaled =
                |count: usize| draw.values(count).iter().map(|value| value / 48.0).collect::<Vec<f32>>();
            let (gate_up, down) = (draw_scaled(2 * inner * hidden), draw_scaled(inner * hidden));
            let biases = biased.then(|| (draw.values(2 * inner), draw.values(hidden)));
            let norm = draw.values(hidden);
            fn mlp<O: Ops>(
                ops: &O,
                [gate_up, down]: [Weight; 2],
                biases: Option<(Vec<f32>, Vec<f32>)>,
                norm: &[f32],
                [before, after]: [bool; 2],
            ) -> FeedForwardBlock<O> {
                let (of_gate_up, of_down) = biases.unzip();
                let norm = |wanted: bool| wanted.then(|| ops.norm_weight(norm.to_vec(), 1e-3).unwrap());
                FeedForwardBlock {
                    before: norm(before),
                    network: FeedForward::Dense(GatedNetwork {
                        gate_up: ops.linear(vec![gate_up], 48, of_gate_up).unwrap(),
                        down: ops.linear(vec![down], 72, of_down).unwrap(),
                    }),
                    after: norm(after),
                }
            }
            let weights = || [dense(gate_up.clone(), 2 * inner), dense(down.clone(), hidden)];
            let fused = mlp(&cpu, weights(), biases.clone(), &norm, [before, after]);
            let plain = mlp(&portable, weights(), biases, &norm, [before, after]);
            let (mut x, mut y) = draw.rows(rows, hidden);
            let mut stepwise = copy(&x);
            cpu.feed_forward(&mut x, &fused, Activation::Silu, 0.7).unwrap();
            portable.feed_forward(&mut y, &plain, Activation::Silu, 0.7).unwrap();
            assert_close("feed-forward", &x, &y);
            fused.forward(&cpu, &mut stepwise, Activation::Silu, 0.7).unwrap();
            assert_close("feed-forward, step by step", &stepwise, &y);
        }
    }
}

#[test]
fn gates_agree() {
    let ((cpu, portable), mut draw) = (both(), Draw::new(3));
    for activation in [Activation::Silu, Activation::GeluTanh] {
        for (rows, width) in [(1, 6), (9, 50), (200, 1000)] {
            let (x, y) = draw.rows(rows, width);
            let fused = cpu.gate(x, activation).unwrap();
            assert_close("gate", &fused, &portable.gate(y, activation).unwrap());
            // The result is a view within wider rows: a product must follow the stride.
            let weight = || vec![dense(vec![1e-3; width / 2 * 3], 3)];
            let product = cpu.product(&fused, None, &cpu.linear(weight(), width / 2, None).unwrap()).unwrap();
            let sum: f32 = fused.row(rows - 1).iter().sum();
            assert!((product.row(rows - 1)[2] - sum * 1e-3).abs() < TOLERANCE);
        }
    }
}

#[test]
fn rotations_agree() {
    let ((cpu, portable), mut draw) = (both(), Draw::new(4));
    let heads = Heads { heads: 4, kv_heads: 2, head_dim: 12, value_dim: 12, scale: 1.0, cap: None };
    for pairing in [Pairing::Halves, Pairing::Interleaved] {
        for width in [12, 6] {
            let rotary = Rotary { width, theta: 100.0, pairing, scaling: Scaling::Unscaled };
            let (mut x, mut y) = draw.rows(5, 8 * 12);
            let before = copy(&x);
            let positions = [0, 1, 2, 700, 3];
            let angles = || Angles::at(&rotary, &positions, &[]);
            cpu.rotate(&mut x, &cpu.angles(angles()).unwrap(), pairing, &heads).unwrap();
            portable.rotate(&mut y, &portable.angles(angles()).unwrap(), pairing, &heads).unwrap();
            assert_close("rotation", &x, &y);
            assert_eq!(x.row(0), before.row(0), "position 0 is not rotated");
            assert_eq!(x.row(3)[heads.values()], before.row(3)[heads.values()], "values are not rotated");
            assert_ne!(x.row(3)[heads.keys()], before.row(3)[heads.keys()]);
        }
    }
}

/// A pass over 40 cached rows: long and short branches, one below another, one without a prefix.
fn trie() -> Pass {
    let branch = |tokens: std::ops::Range<usize>, prefix: &[std::ops::Range<usize>]| Branch {
        tokens,
        prefix: prefix.iter().cloned().collect(),
    };
    let branches = vec![
        branch(0..70, &[0..40]),
        branch(70..71, &[0..13, 20..33]),
        branch(71..80, &[0..40, 40..105]),
        branch(80..113, &[]),
        branch(113..114, &[0..40, 40..110, 111..120]),
    ];
    Pass { tokens: vec![0; 114], branches, ..Pass::default() }
}

#[test]
fn attention_and_captured_rows_agree() {
    let ((cpu, portable), mut draw) = (both(), Draw::new(5));
    let pass = trie();
    let layout = Layout::check(&pass, 40, 1).unwrap();
    for (heads, kv_heads, head_dim) in [(6, 2, 20), (3, 3, 16), (4, 1, 8), (14, 1, 40), (3, 1, 64)] {
        for (window, cap) in [(None, None), (Some(7), None), (Some(50), Some(2.0)), (Some(1), None)] {
            let heads = Heads { heads, kv_heads, head_dim, value_dim: head_dim, scale: 0.3, cap };
            let width = heads.values().end;
            let (mut fused, mut plain) = (cpu.layer_cache(&heads), portable.layer_cache(&heads));
            for rows in [40, 114] {
                let (x, y) = draw.rows(rows, width);
                cpu.store(&mut fused, &x, &heads).unwrap();
                portable.store(&mut plain, &y, &heads).unwrap();
                if rows == 40 {
                    continue;
                }
                let plans =
                    (cpu.plan(&layout, &heads, window).unwrap(), portable.plan(&layout, &heads, window).unwrap());
                let inputs = (
                    AttentionInput { qkv: &x, cache: &fused, heads: &heads },
                    AttentionInput { qkv: &y, cache: &plain, heads: &heads },
                );
                let a = cpu.attend(&inputs.0, &plans.0).unwrap();
                let b = portable.attend(&inputs.1, &plans.1).unwrap();
                assert_close(&format!("attention {heads:?} {window:?}"), &a, &b);

                let width = heads.queries().len();
                let weight = draw.values(30 * width);
                let output = || vec![dense(weight.clone(), 30)];
                let outputs =
                    (cpu.linear(output(), width, None).unwrap(), portable.linear(output(), width, None).unwrap());
                let asked = Capture { queries: vec![69, 70, 79, 113], value_norms: true, ..Capture::default() };
                let begin = || OngoingCapture::begin(&asked, 1, heads.heads, &layout.positions).unwrap();
                let (mut one, mut two) = (begin(), begin());
                cpu.capture(one.queries(0, &layout, window), &inputs.0, Some(&outputs.0)).unwrap();
                portable.capture(two.queries(0, &layout, window), &inputs.1, Some(&outputs.1)).unwrap();
                for (one, two) in one.answer.queries.iter().zip(&two.answer.queries) {
                    let norms = (one.value_norms.as_ref().unwrap(), two.value_norms.as_ref().unwrap());
                    for (one, two) in one.weights.iter().zip(&two.weights).chain(norms.0.iter().zip(norms.1)) {
                        assert!((one - two).abs() < 5.0 * TOLERANCE, "captured: {one} {two}");
                    }
                    // The captured row is the one the forward used: it reproduces the mixed values.
                    let path = layout.branch_of(one.token).path.slice(0..one.keys);
                    let mixed: f32 = path
                        .rows()
                        .zip(one.row(0, 0, heads.heads))
                        .map(|(row, weight)| weight * fused.values[row * fused.width])
                        .sum();
                    assert!((mixed - a.row(one.token)[0]).abs() < TOLERANCE);
                }
            }
        }
    }
}

#[test]
fn heads_agree() {
    let ((cpu, portable), mut draw) = (both(), Draw::new(6));
    let (vocab, width) = (2500, 24);
    let values = draw.values(vocab * width);
    for logits in [Logits { scale: 1.0, cap: None }, Logits { scale: 0.5, cap: Some(3.0) }] {
        let weight = || dense(values.clone(), vocab);
        let tables = (cpu.table(weight(), width).unwrap(), portable.table(weight(), width).unwrap());
        let fused = [cpu.head(weight(), width).unwrap(), cpu.tied(&tables.0).unwrap()];
        let plain = portable.tied(&tables.1).unwrap();
        for rows in [1, 3, 200] {
            let hidden = draw.rows(rows, width).1.whole(DType::F32).unwrap().into_tensor();
            let targets: Vec<(usize, u32)> =
                (0..rows * 2).map(|number| ((number * 7) % rows, draw.0.random_range(0..vocab as u32))).collect();
            let expected = portable.log_probs(&hidden, &plain, &logits, &targets).unwrap();
            let all = portable.logits(&hidden, &plain, &logits).unwrap();
            for fused in &fused {
                let scored = cpu.log_probs(&hidden, fused, &logits, &targets).unwrap();
                for (scored, expected) in scored.iter().zip(&expected) {
                    assert!((scored - expected).abs() < 5.0 * TOLERANCE, "{scored} {expected}");
                }
                let difference = (cpu.logits(&hidden, fused, &logits).unwrap() - &all).unwrap();
                let largest: f32 = difference.abs().unwrap().max_all().unwrap().to_scalar().unwrap();
                assert!(largest < 5.0 * TOLERANCE, "logits differ by {largest}");
            }
        }
    }
}
