//! Forwards of a model of SmolLM2-135M's shape with random weights, in f32: prefill of one sequence, a packed pass as the
//! scoring engine makes them, decoding of one token per branch, and the head. Throughput is in tokens.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;

use tomeval::Pass;
use tomeval::internal::{Branch, RowRanges};

mod smollm2;

use smollm2::{decoder, tokens};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// `branches` branches of `length` tokens under one prefix of `prefix` cached rows.
fn bundle(branches: usize, length: usize, prefix: usize) -> Pass {
    let branch =
        |number: usize| Branch { tokens: number * length..(number + 1) * length, prefix: RowRanges::first(prefix) };
    Pass {
        tokens: tokens(branches * length),
        branches: (0..branches).map(branch).collect(),
        rows: (0..branches).map(|number| (number + 1) * length - 1).collect(),
        ..Pass::default()
    }
}

fn forward(criterion: &mut Criterion) {
    let decoder = decoder();
    let mut group = criterion.benchmark_group("forward");
    group.sample_size(10);
    for length in [128, 512, 2048] {
        group.throughput(Throughput::Elements(length as u64));
        let mut pass = Pass::sequence(&tokens(length), 0);
        pass.rows = vec![length - 1];
        group.bench_function(BenchmarkId::new("prefill", length), |bencher| {
            let mut cache = decoder.cache();
            bencher.iter(|| {
                cache.truncate(0);
                black_box(decoder.forward(&mut cache, &pass).expect("the pass is sound"))
            });
        });
    }
    for (name, branches, length, prefix) in [("packed 16 x 60 over", 16, 60, 300), ("decode 8 x 1 over", 8, 1, 300)] {
        let pass = bundle(branches, length, prefix);
        group.throughput(Throughput::Elements(pass.tokens.len() as u64));
        group.bench_function(BenchmarkId::new(name, prefix), |bencher| {
            let mut cache = decoder.cache();
            decoder.forward(&mut cache, &Pass::sequence(&tokens(prefix), 0)).expect("the prefix is sound");
            bencher.iter(|| {
                cache.truncate(prefix);
                black_box(decoder.forward(&mut cache, &pass).expect("the pass is sound"))
            });
        });
    }
    let hidden =
        decoder.forward(&mut decoder.cache(), &Pass::sequence(&tokens(64), 0)).expect("the pass is sound").hidden;
    for rows in [1, 8, 64] {
        let targets: Vec<(usize, u32)> = (0..rows).map(|row| (row, 1000 + row as u32)).collect();
        group.throughput(Throughput::Elements(rows as u64));
        group.bench_function(BenchmarkId::new("head", rows), |bencher| {
            bencher.iter(|| black_box(decoder.log_probs(&hidden, &targets).expect("the targets are sound")));
        });
    }
    group.finish();
}

criterion_group!(benches, forward);
criterion_main!(benches);
