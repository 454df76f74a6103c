//! Token trie and packed passes: the whole plan, and each packing on its own.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput};
use tomeval::internal::{MemoryCosts, Packing, Plan};

use super::workload::Workload;

/// The demo model's sizes, which decide the counts of bytes alone.
const COSTS: MemoryCosts = MemoryCosts {
    kv_bytes_per_token: 46_080,
    activation_bytes_per_token: 31_488,
    row_bytes: 0,
    mask_bytes_per_pair: 0,
    score_bytes_per_pair: 0,
    most_score_bytes: 0,
    head_bytes: 12_582_912,
    stages: None,
};

pub fn plan(criterion: &mut Criterion) {
    let workload = Workload::new();
    let trials = workload.prepare(&workload.asks()).requests;
    let mut group = criterion.benchmark_group("plan");
    let shared = Packing::default();
    let packings = [
        ("shared", shared),
        ("small passes", Packing { pass_tokens: 64, ..shared }),
        ("small batches", Packing { batch_tokens: 256, ..shared }),
        ("prompt by prompt", Packing { sharing: false, ..shared }),
    ];
    for (name, packing) in packings {
        let tokens = Plan::new(&trials, packing, &COSTS).counts.prompt_by_prompt;
        group.throughput(Throughput::Elements(tokens as u64));
        group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
            bencher.iter(|| black_box(Plan::new(&trials, packing, &COSTS)));
        });
    }
    group.finish();
}
