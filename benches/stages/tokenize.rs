//! Texts to tokens: one long text, and all trials with their prompts.

use std::hint::black_box;

use criterion::{Criterion, Throughput};

use super::workload::Workload;

pub fn tokenize(criterion: &mut Criterion) {
    let workload = Workload::new();
    let mut group = criterion.benchmark_group("tokenize");

    let stories: Vec<&str> =
        workload.items.iter().flat_map(|item| &item.context).map(|segment| &*segment.text).collect();
    let text = stories.join("\n");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("stories", |bencher| {
        bencher.iter(|| black_box(workload.tokenizer.encode(&text, true).expect("the text is plain")));
    });

    group.throughput(Throughput::Elements(workload.trials.len() as u64));
    group.bench_function("trials", |bencher| {
        bencher.iter(|| black_box(workload.prepare(&workload.asks())));
    });
    group.finish();
}
