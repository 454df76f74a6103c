//! Inputs that are small, or say that they are, and want much memory or time: each costs at most twelve times its size or 256 MB,
//! and is read, or refused by name.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use parquet::basic::{Compression, Encoding};
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::writer::{SerializedFileWriter, SerializedPageWriter, TrackedWrite};
use parquet::schema::parser::parse_message_type;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use tomeval::internal::CANARY;
use tomeval::internal::seeded;
use tomeval::internal::{AnnotationExport, MarkedWords};
use tomeval::{Benchmark, LoadOptions};

use crate::support::context::TestContext;
use crate::support::files::edit_json;
use crate::support::model_server::{Reply, TOP, serve_changed};
use crate::support::peak::{Measured, measured};
use crate::support::tiny_models::{shared_tiny_model, tiny_model_of};

/// What reading so many bytes may take.
fn bound(bytes: u64) -> u64 {
    (12 * bytes).max(256 << 20)
}

/// Run a command that reads so many bytes; it ends by itself and within bounds.
fn within(name: &str, command: &mut Command, bytes: u64, code: &[i32]) -> Measured {
    let found = measured(command);
    println!("{name}: {} MB of memory, {:.1?}, for {bytes} bytes", found.peak >> 20, found.computed);
    let rendered: String = found.rendered.chars().take(2000).collect();
    assert!(found.status.code().is_some_and(|found| code.contains(&found)), "{name}: {:?}: {rendered}", found.status);
    assert!(!found.rendered.contains("panicked"), "{name}: {rendered}");
    assert!(found.peak <= bound(bytes), "{name}: {} MB: {rendered}", found.peak >> 20);
    assert!(found.computed < Duration::from_secs(60), "{name}: {:?}: {rendered}", found.computed);
    assert!(found.rendered.len() < 100_000, "{name}: a message of {} bytes", found.rendered.len());
    found
}

/// What a page exports of marks: lines that carry the check of the one before.
fn export(rater: &str, records: &[Value]) -> String {
    let header = json!({
        "format": "tomeval-annotation/1", "canary": CANARY, "program": "tomeval", "mode": "mark", "page": "0", "rater": rater,
        "benchmarks": ["demo"], "interface": "en", "items": records.len(), "done": records.len(),
    });
    let end = json!({ "end": records.len() });
    let (mut text, mut check) = (String::new(), String::new());
    for value in [&header].into_iter().chain(records).chain([&end]) {
        let line = value.to_string();
        let body = line.strip_suffix('}').unwrap();
        let mut crc = flate2::Crc::new();
        crc.update(check.as_bytes());
        crc.update(body.as_bytes());
        check = format!("{:08x}", crc.sum());
        text += &format!("{body},\"check\":\"{check}\"}}\n");
    }
    text
}

fn mark(rater: &str, words: u64) -> Value {
    let place = |first: u64, last: u64| json!({"text": "x", "part": "story", "occurrence": 1, "words": [first, last]});
    let keywords = [place(0, words.saturating_sub(1)), place(2, 3)];
    json!({"id": "demo/cake-tin/1/en", "rater": rater, "keywords": keywords, "words": words, "seconds": 4.0})
}

#[test]
fn a_mark_of_an_item_of_ten_million_words() {
    let context = TestContext::new();
    let model = shared_tiny_model();
    for words in [900_000, 10_000_000, 1 << 60, u64::MAX] {
        let files: Vec<PathBuf> = ["p1", "p2"]
            .map(|rater| context.write(format!("{rater}.jsonl"), export(rater, &[mark(rater, words)])))
            .into();
        let code = if words > 1_000_000 { 2 } else { 0 };
        let found = within("marks", context.command(&["annotate", "read"]).args(&files), 600, &[code]);
        assert!(code == 0 || found.rendered.contains("no item has more than 1000000"), "{}", found.rendered);
        let mut attend =
            context.command(&["attend", "--offline", "--benchmark", "demo", "--limit", "1", "--deletion-draws", "0"]);
        attend.arg("--model").arg(model).arg("--human").arg(&files[0]);
        within("marks beside a model", &mut attend, 600, &[0, 1, 2]);
    }
}

#[test]
fn ten_thousand_damaged_exports_of_marks() {
    let place = |random: &mut ChaCha8Rng| json!({"text": "x", "part": "story", "occurrence": extreme(random), "words": [extreme(random), extreme(random)]});
    for draw in 0..10_000 {
        let mut random = seeded(1, "marks", draw);
        let exports: Vec<AnnotationExport> = ["p1", "p2"]
            .iter()
            .filter_map(|rater| {
                let mut record = mark(rater, random.random_range(0..50));
                for _ in 0..random.random_range(0..3) {
                    record["keywords"].as_array_mut().unwrap().push(place(&mut random));
                }
                if random.random_bool(0.3) {
                    record["words"] = json!(extreme(&mut random));
                }
                if random.random_bool(0.3) {
                    record["read_to"] = place(&mut random);
                }
                let mut text = export(rater, &[record]).into_bytes();
                if random.random_bool(0.2) {
                    let at = random.random_range(0..text.len());
                    text[at] = random.random();
                }
                AnnotationExport::read(&String::from_utf8_lossy(&text)).ok()
            })
            .collect();
        let _ = MarkedWords::from_exports(&exports).keywords();
    }
}

fn extreme(random: &mut ChaCha8Rng) -> u64 {
    let known = [0, 1, 5, 40, 999_999, 1_000_000, 1_000_001, 1 << 32, 1 << 60, u64::MAX];
    known[random.random_range(0..known.len())]
}

/// A server that answers every request with a body as it stands on the line.
fn answering(headers: &'static str, body: Vec<u8>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let body = body.clone();
            std::thread::spawn(move || {
                let _ = stream.read(&mut [0; 4096]);
                let head =
                    format!("HTTP/1.1 200 OK\r\nConnection: close\r\n{headers}Content-Length: {}\r\n\r\n", body.len());
                // Whoever has read enough goes away.
                let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
            });
        }
    });
    format!("openai:http://{address}#m")
}

fn inspect(context: &TestContext, server: &str) -> Command {
    context.command(&["models", "inspect", server, "--offline", "--retries", "0"])
}

fn compressed(beginning: &str, unit: &[u8], times: usize) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    gzip.write_all(beginning.as_bytes()).unwrap();
    (0..times).for_each(|_| gzip.write_all(unit).unwrap());
    gzip.finish().unwrap()
}

#[test]
fn a_body_of_three_megabytes_that_becomes_three_gigabytes() {
    let context = TestContext::new();
    let blanks = compressed("{\"data\": ", &[b' '; 1 << 20], 3000);
    let text = compressed("{\"data\": \"", &[b'x'; 1 << 20], 3000);
    for body in [blanks, text] {
        let bytes = body.len() as u64;
        assert!(bytes < 4 << 20, "{bytes}");
        let server = answering("Content-Encoding: gzip\r\n", body);
        let found = within("gzip", &mut inspect(&context, &server), bytes, &[2, 3]);
        assert!(found.rendered.contains("it has no end") || found.rendered.contains("of memory"), "{}", found.rendered);
    }
}

#[test]
fn a_list_of_empty_objects_and_others_like_it() {
    let context = TestContext::new();
    for unit in ["{},", "[],", "0,", "\"\",", "{\"\":0},", "[[]],"] {
        let body = format!("{{\"data\": [{}0]}}", unit.repeat((72 << 20) / unit.len()));
        // Refused long before its end.
        let found = within(unit, &mut inspect(&context, &answering("", body.into_bytes())), 0, &[2, 3]);
        assert!(found.rendered.contains("of memory"), "{unit}: {}", found.rendered);
    }
}

#[test]
fn such_lists_for_eight_requests_at_a_time() {
    let context = TestContext::new();
    let model = tiny_model_of(context.folder(), "llama");
    let server = serve_changed(&model, TOP, |asked, honest| match asked.is_of_a_trial() {
        true => Reply::Status(200, Vec::new(), format!("{{\"choices\": [{}0]}}", "{},".repeat(8 << 20))),
        false => Reply::Json(honest),
    });
    let mut run = context.command(&["run", "--offline", "--retry-wait", "0.01", "--retries", "0"]);
    run.args(["--concurrency", "8", "--scoring", "letter", "--benchmark", "demo", "--language", "en"]);
    run.args(["--limit", "8", "--orders", "identity", "--no-pmi"]);
    run.args(["--model", &server.name(), "--tokenizer"]).arg(&model).arg("--out").arg(context.path("run"));
    within("eight lists", &mut run, 24 << 20, &[1, 2, 3]);
}

#[test]
fn a_list_of_three_hundred_thousand_models() {
    let context = TestContext::new();
    let models: Vec<Value> = (0..300_000).map(|n| json!({"id": format!("m{n}")})).collect();
    let body = json!({"object": "list", "data": models}).to_string();
    let bytes = body.len() as u64;
    let server = answering("", body.into_bytes()).replace("#m", "#none");
    let found = within("models", &mut inspect(&context, &server), bytes, &[2, 3]);
    assert!(
        found.rendered.len() < 2000 && found.rendered.contains("and 299980 more"),
        "{} bytes",
        found.rendered.len()
    );
}

#[test]
fn a_key_file_without_an_end() {
    let context = TestContext::new();
    let server = answering("", b"{}".to_vec());
    let found = within("key", inspect(&context, &server).args(["--api-key-file", "/dev/zero"]), 0, &[2]);
    assert!(found.rendered.contains("does not hold an API key"), "{}", found.rendered);
}

/// A model whose tokenizer is changed.
fn with_tokenizer(folder: &Path, change: impl FnOnce(&mut Value)) -> PathBuf {
    let model = tiny_model_of(folder, "llama");
    edit_json(&model.join("tokenizer.json"), change);
    model
}

fn logprob(context: &TestContext, model: &Path, folder: &Path, text: &str) -> Command {
    let rows = folder.join("rows.jsonl");
    fs::write(&rows, json!({"id": "a", "prompt": text, "continuations": [" A", " B"]}).to_string()).unwrap();
    let mut command = context.command(&["logprob", "--offline", "--device", "cpu", "--model"]);
    command.arg(model).arg("--input").arg(&rows);
    command
}

#[test]
fn a_character_map_that_says_it_is_four_gigabytes() {
    let context = TestContext::new();
    for map in [vec![0xff; 4], [vec![0xfc, 0xff, 0xff, 0xff], vec![0; 1000]].concat()] {
        let text = base64::prelude::BASE64_STANDARD.encode(map);
        let model = with_tokenizer(context.folder(), |json| {
            json["normalizer"] = json!({"type": "Precompiled", "precompiled_charsmap": text});
        });
        let found = within("character map", &mut logprob(&context, &model, context.folder(), "a"), 0, &[2, 3]);
        assert!(found.rendered.contains("character map announces"), "{}", found.rendered);
    }
}

#[test]
fn expressions_that_look_at_all_of_the_text_at_each_letter() {
    let context = TestContext::new();
    for pattern in ["[^x]*x|.", r"(?:[^x]*x|[^z]*z)(?!y)|.", r"\p{N}{1,3}(?=(?:\p{N}{3})*(?:\P{N}|$))"] {
        let model = with_tokenizer(context.folder(), |json| {
            json["normalizer"] = Value::Null;
            json["pre_tokenizer"] =
                json!({"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": false});
        });
        let text = "1".repeat(200_000);
        let found = within(pattern, &mut logprob(&context, &model, context.folder(), &text), 200_000, &[0, 1, 2, 3]);
        assert!(found.computed < Duration::from_secs(30), "{pattern}: {:?}", found.computed);
    }
}

#[test]
fn a_story_of_a_hundred_megabytes() {
    let context = TestContext::new();
    let model = shared_tiny_model();
    let story = "Anne puts the ball into the red box and leaves the room. ".repeat(100_000_000 / 57);
    let row = |story: &str| {
        json!({"story": story, "question": "Where is the ball?", "option_a": "in the box", "option_b": "here", "answer": "A"}).to_string()
    };
    let data = context.write("long.jsonl", format!("{}\n{}\n", row("Anne leaves."), row(&story)));
    let bytes = fs::metadata(&data).unwrap().len();
    drop(story);
    let out = context.path("run");
    let mut run = context.command(&["run", "--offline", "--device", "cpu", "--orders", "identity", "--data"]);
    run.arg(&data).arg("--model").arg(model).arg("--out").arg(&out);
    within("a long story in a run", &mut run, bytes, &[1]);
    let failures = || {
        let records = fs::read_to_string(out.join("trials.jsonl")).unwrap();
        let record = |line: &str| serde_json::from_str::<Value>(line).unwrap();
        records
            .lines()
            .map(|line| record(line)["failure"]["kind"].clone())
            .filter(|kind| !kind.is_null())
            .collect::<Vec<Value>>()
    };
    assert_eq!(failures(), [json!("too-long")]);
    let mut attend = context.command(&["attend", "--offline", "--device", "cpu", "--deletion-draws", "0", "--data"]);
    attend.arg(&data).arg("--model").arg(model);
    let found = within("a long story in attend", &mut attend, bytes, &[1]);
    assert!(
        found.rendered.contains("at least") && found.rendered.contains("tokens, but the model takes"),
        "{}",
        found.rendered
    );
}

#[test]
fn a_million_rows_of_csv() {
    let context = TestContext::new();
    let data = context.path("rows.csv");
    let row = |n: usize| {
        format!(
            "{n},\"Anne puts ball {n} into the red box, leaves the room and comes back later.\",Where will she look for it?,in the red box,in the basket,A,{}\n",
            n % 7
        )
    };
    let rows: String = (0..1_000_000).map(row).collect();
    fs::write(&data, format!("id,story,question,option_a,option_b,answer,level\n{rows}")).unwrap();
    let bytes = fs::metadata(&data).unwrap().len();
    let mut check = context.command(&["data", "check", "--benchmark", "custom", "--data"]);
    within("rows of CSV", check.arg(&data), bytes, &[0, 1]);
}

#[test]
fn rows_of_three_bytes() {
    let context = TestContext::new();
    for (name, text) in [
        ("objects.json", format!("[{}{{}}]", "{},".repeat(24 << 20))),
        ("numbers.json", format!("[{}0]", "0,".repeat(36 << 20))),
        ("lines.jsonl", "{}\n".repeat(24 << 20)),
        ("nothing.jsonl", "0\n".repeat(36 << 20)),
    ] {
        let data = context.path(name);
        fs::write(&data, &text).unwrap();
        let mut check = context.command(&["data", "check", "--benchmark", "custom", "--data"]);
        within(name, check.arg(&data), text.len() as u64, &[1, 2]);
    }
}

/// The pages of one column, as they are given, and what the file says of them.
struct Column {
    schema: &'static str,
    compression: Compression,
    pages: Vec<CompressedPage>,
    rows: i64,
}

const TEXTS: &str = "message m { required binary question (UTF8); }";
const LISTS: &str =
    "message m { optional group choices (LIST) { repeated group list { optional binary element (UTF8); } } }";

impl Column {
    fn of_texts(compression: Compression, pages: Vec<CompressedPage>) -> Self {
        Self { schema: TEXTS, compression, pages, rows: 1 }
    }

    fn write(self, context: &TestContext, path: &Path) {
        let schema = Arc::new(parse_message_type(self.schema).unwrap());
        let mut file = SerializedFileWriter::new(fs::File::create(path).unwrap(), schema, Default::default()).unwrap();
        let chunk = context.path("chunk");
        let mut sink = TrackedWrite::new(fs::File::create(&chunk).unwrap());
        let mut bytes_written = 0;
        for page in self.pages {
            bytes_written += SerializedPageWriter::new(&mut sink).write_page(page).unwrap().bytes_written;
        }
        sink.flush().unwrap();
        let metadata = ColumnChunkMetaData::builder(file.schema_descr().column(0))
            .set_compression(self.compression)
            .set_encodings(vec![Encoding::PLAIN, Encoding::RLE])
            .set_num_values(self.rows)
            .set_total_compressed_size(bytes_written as i64)
            .set_total_uncompressed_size(1000)
            .build()
            .unwrap();
        let mut group = file.next_row_group().unwrap();
        let close = ColumnCloseResult {
            bytes_written,
            rows_written: self.rows as u64,
            metadata,
            bloom_filter: None,
            column_index: None,
            offset_index: None,
        };
        group.append_column(&fs::File::open(&chunk).unwrap(), close).unwrap();
        group.close().unwrap();
        file.close().unwrap();
    }
}

/// A page that says it unpacks to 100 bytes.
fn page(buf: Vec<u8>, encoding: Encoding) -> CompressedPage {
    let buf = buf.into();
    let (def_level_encoding, rep_level_encoding) = (Encoding::RLE, Encoding::RLE);
    let page =
        Page::DataPage { buf, num_values: 1, encoding, def_level_encoding, rep_level_encoding, statistics: None };
    CompressedPage::new(page, 100)
}

/// A number as Parquet's headers have it: seven bits a byte, the lowest first.
fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

#[test]
fn parquet_that_says_less_than_it_holds() {
    let context = TestContext::new();
    let zeros = vec![0; 600 << 20];
    let zstd = zstd::encode_all(&zeros[..], 3).unwrap();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&zeros).unwrap();
    // One list of a billion nulls: runs of levels, each a length and a value.
    let nulls = 1 << 30;
    let lists = [varint(1 << 1), vec![0], varint((nulls - 1) << 1), vec![1]].concat();
    let values = [varint(nulls << 1), vec![2]].concat();
    let levels = Page::DataPageV2 {
        buf: [&lists[..], &values].concat().into(),
        num_values: nulls as u32,
        encoding: Encoding::PLAIN,
        num_nulls: nulls as u32,
        num_rows: 1,
        def_levels_byte_len: values.len() as u32,
        rep_levels_byte_len: lists.len() as u32,
        is_compressed: false,
        statistics: None,
    };
    let entries = Page::DictionaryPage {
        buf: vec![1, 0, 0, 0, b'x'].into(),
        num_values: i32::MAX as u32,
        encoding: Encoding::PLAIN,
        is_sorted: false,
    };
    // Lengths of texts in deltas: blocks of 128 in 4 parts, so many lengths, the first of them 0.
    let deltas = [varint(128), varint(4), varint(1 << 38), varint(0)].concat();
    let none = Compression::UNCOMPRESSED;
    for (name, column, said) in [
        (
            "zstd",
            Column::of_texts(Compression::ZSTD(Default::default()), vec![page(zstd, Encoding::PLAIN)]),
            "column `question`: it unpacks to 64 MB and more",
        ),
        (
            "gzip",
            Column::of_texts(
                Compression::GZIP(Default::default()),
                vec![page(gzip.finish().unwrap(), Encoding::PLAIN)],
            ),
            "column `question`: it unpacks to 64 MB and more",
        ),
        (
            "snappy",
            Column::of_texts(
                Compression::SNAPPY,
                vec![page([varint(0xffff_fff0), vec![0; 9]].concat(), Encoding::PLAIN)],
            ),
            "column `question`: it unpacks to 64 MB and more",
        ),
        (
            "nulls",
            Column { schema: LISTS, compression: none, pages: vec![CompressedPage::new(levels, 100)], rows: 1 },
            "1073741824 values in so few bytes",
        ),
        (
            "entries",
            Column::of_texts(none, vec![CompressedPage::new(entries, 5), page(vec![0; 9], Encoding::PLAIN)]),
            "2147483647 values in so few bytes",
        ),
        ("deltas", Column::of_texts(none, vec![page(deltas, Encoding::DELTA_LENGTH_BYTE_ARRAY)]), "delta-encoded text"),
    ] {
        let path = context.path(format!("{name}.parquet"));
        column.write(&context, &path);
        let bytes = fs::metadata(&path).unwrap().len();
        let found = within(name, context.command(&["data", "items", "--data"]).arg(&path), bytes, &[2]);
        assert!(found.rendered.contains(said), "{name}: {}", found.rendered);
    }
}

#[test]
fn a_text_that_parquet_repeats_twenty_thousand_times() {
    let context = TestContext::new();
    let path = context.path("repeated.parquet");
    let schema = Arc::new(parse_message_type(TEXTS).unwrap());
    let mut file = SerializedFileWriter::new(fs::File::create(&path).unwrap(), schema, Default::default()).unwrap();
    let mut group = file.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let text = ByteArray::from(vec![b'x'; 64 << 10]);
    for _ in 0..20 {
        column.typed::<ByteArrayType>().write_batch(&vec![text.clone(); 1000], None, None).unwrap();
    }
    column.close().unwrap();
    group.close().unwrap();
    file.close().unwrap();
    let bytes = fs::metadata(&path).unwrap().len();
    assert!(bytes < 1 << 20, "{bytes}");
    let found = within("repeated", context.command(&["data", "items", "--data"]).arg(&path), bytes, &[2]);
    assert!(found.rendered.contains("the file unpacks to 64 MB and more, many times the file"), "{}", found.rendered);
}

#[test]
fn ten_thousand_damaged_files_of_rows() {
    let context = TestContext::new();
    let csv =
        "id,story,question,option_a,option_b,answer\n1,Anne leaves.,Where?,box,bed,A\n2,\"Bob, too\",Why?,fun,fear,1\n";
    let line = json!({"question": "Who?", "options": ["x", "y"], "answer": 1, "meta": {"level": 2}});
    let lines = format!("{line}\n{line}\n");
    let list = json!([line, line, 3]).to_string();
    for draw in 0..10_000 {
        let mut random = seeded(1, "rows", draw);
        let (name, text) = [("a.csv", csv), ("a.jsonl", &lines), ("a.json", &list)][draw % 3];
        let mut bytes = text.as_bytes().to_vec();
        for _ in 0..random.random_range(1..4) {
            // Damage may leave nothing to damage.
            let at = random.random_range(0..bytes.len().max(1));
            match random.random_range(0..4) {
                _ if bytes.is_empty() => bytes.push(random.random()),
                0 => bytes[at] = random.random(),
                1 => bytes[at] = b",\"{}[]\n\r0:"[random.random_range(0..10)],
                2 => drop(bytes.remove(at)),
                _ => bytes.truncate(at.max(1)),
            }
        }
        let path = context.path(name);
        fs::write(&path, bytes).unwrap();
        let _ = Benchmark::Custom.load(&path, &LoadOptions::default());
    }
}

/// A model of some hundred megabytes, all zeros, so that its file takes no room.
fn large_model(folder: &Path) -> (PathBuf, PathBuf) {
    let model = tiny_model_of(folder, "llama");
    const INNER: usize = 200_000;
    edit_json(&model.join("config.json"), |config| config["intermediate_size"] = json!(INNER));
    let weights = model.join("model.safetensors");
    let bytes = fs::read(&weights).unwrap();
    let header = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let mut table: serde_json::Map<String, Value> = serde_json::from_slice(&bytes[8..8 + header]).unwrap();
    let mut end = 0;
    for (name, tensor) in table.iter_mut().filter(|(name, _)| *name != "__metadata__") {
        let mut shape: Vec<usize> = serde_json::from_value(tensor["shape"].clone()).unwrap();
        if name.contains(".mlp.") {
            let inner = usize::from(name.contains("down_proj"));
            shape[inner] = INNER;
        }
        let start = end;
        end += 4 * shape.iter().product::<usize>();
        *tensor = json!({"dtype": "F32", "shape": shape, "data_offsets": [start, end]});
    }
    let table = Value::Object(table).to_string();
    fs::write(&weights, [&(table.len() as u64).to_le_bytes()[..], table.as_bytes()].concat()).unwrap();
    let file = fs::File::options().write(true).open(&weights).unwrap();
    file.set_len((8 + table.len() + end) as u64).unwrap();
    (model, weights)
}

#[test]
fn a_model_file_that_is_cut_while_it_is_read() {
    let context = TestContext::new();
    let (model, weights) = large_model(context.folder());
    let whole = fs::metadata(&weights).unwrap().len();
    let sound = measured(&mut logprob(&context, &model, context.folder(), "in the"));
    println!("a model of {} MB: {} MB of memory, {:.2?}", whole >> 20, sound.peak >> 20, sound.took);
    assert!(sound.status.success(), "{}", sound.rendered);
    let mut refused = 0;
    const CUTS: u32 = 16;
    for cut in 0..CUTS {
        let file = fs::File::options().write(true).open(&weights).unwrap();
        file.set_len(whole).unwrap();
        let after = sound.took * cut / CUTS;
        let cutting = std::thread::spawn(move || {
            std::thread::sleep(after);
            file.set_len(whole / 3).unwrap();
        });
        let found = measured(&mut logprob(&context, &model, context.folder(), "in the"));
        cutting.join().unwrap();
        // Ended by a signal, it would have no code.
        assert!(found.status.code().is_some(), "{cut}: {:?}: {}", found.status, found.rendered);
        if !found.status.success() {
            assert!(found.rendered.contains("cut short"), "{cut}: {}", found.rendered);
            refused += 1;
        }
    }
    assert!(refused > 0, "no cut fell into the reading");
}
