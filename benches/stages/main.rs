//! Every stage beside the decoder (which `forward` measures) on the demo inventory: all English questions, letters, five
//! orders, with the tokenizer of a test fixture.

use criterion::{criterion_group, criterion_main};

mod plan;
mod records;
mod report;
mod tokenize;
mod workload;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

criterion_group! {
    name = stages;
    config = criterion::Criterion::default().sample_size(20);
    targets = tokenize::tokenize, plan::plan, records::records, report::report
}
criterion_main!(stages);
