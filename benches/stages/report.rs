//! Records to results, with votes and intervals, and results to text.

use std::hint::black_box;

use criterion::{Criterion, Throughput};
use indexmap::IndexMap;
use tomeval::{
    Benchmark, Format, Layout, Normalisation, Report, Respondent, Setting, Ties, View, evaluate, outcomes, render,
};

use super::workload::Workload;

pub fn report(criterion: &mut Criterion) {
    let workload = Workload::new();
    let records = workload.records();
    let layout = Layout::parse(Benchmark::Demo.card_text()).expect("the card is sound");
    let setting = Setting {
        benchmark: Benchmark::Demo,
        title: "Demo",
        by: Respondent { label: "model", answers: "letters" },
        items: &workload.items,
        layout: &layout,
        seed: 0,
    };
    let results = || {
        let outcomes = outcomes(&records, &workload.items, Normalisation::Sum, Ties::default())
            .expect("every record belongs to an item");
        evaluate(&setting, &outcomes)
    };
    let mut group = criterion.benchmark_group("report");
    group.throughput(Throughput::Elements(records.len() as u64));
    group.bench_function("evaluate", |bencher| bencher.iter(|| black_box(results())));

    let report = Report::new("model", IndexMap::from([("model".to_string(), "model".to_string())]), vec![results()]);
    for format in Format::ALL {
        let draw = || render(&report, format, &View::WHOLE);
        group.throughput(Throughput::Bytes(draw().len() as u64));
        group.bench_function(format.name(), |bencher| bencher.iter(|| black_box(draw())));
    }
    group.finish();
}
