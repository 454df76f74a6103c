//! Trial records to lines of a file, and back.

use std::hint::black_box;
use std::io::{Seek, SeekFrom, Write};

use criterion::{Criterion, Throughput};
use tomeval::TrialRecord;

use super::workload::Workload;

pub fn records(criterion: &mut Criterion) {
    let records = Workload::new().records();
    let lines: Vec<String> = records.iter().map(TrialRecord::to_line).collect();
    let mut group = criterion.benchmark_group("records");
    group.throughput(Throughput::Bytes(lines.iter().map(|line| line.len() as u64 + 1).sum()));
    group.bench_function("write", |bencher| {
        let mut file = tempfile::tempfile().expect("a temporary file can be made");
        bencher.iter(|| {
            file.seek(SeekFrom::Start(0)).expect("a file can be rewound");
            let text: String = records.iter().map(|record| record.to_line() + "\n").collect();
            file.write_all(text.as_bytes()).expect("there is room for the records");
        });
    });
    group.bench_function("read", |bencher| {
        bencher.iter(|| {
            for line in &lines {
                black_box(TrialRecord::parse(line).expect("the line was written as a record"));
            }
        });
    });
    group.finish();
}
