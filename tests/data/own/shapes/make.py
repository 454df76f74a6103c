#!/usr/bin/env python3
"""Write the files of this folder: the same invented questions in the shapes and formats that people have. Needs pyarrow."""

import csv
import json
import pathlib

import pyarrow
import pyarrow.parquet

HERE = pathlib.Path(__file__).resolve().parent

FOUR = [
    ("Where will Mia look for the key?", ["in the box", "on the hook", "under the mat", "in her coat"], 0),
    ("What does Ben, who yawns, want?", ["a drink", "a walk", "a book", "a rest"], 3),
    ("Who knows of the fox?", ["Ada", "Kim", "Ono", "nobody"], 1),
]
TWO = [
    ("Keep a secret from Lars.", ["Tell it to Lars.", "Tell it to nobody."], 1),
    ("Let Tove win.", ["Lose on purpose.", "Win by far."], 0),
]
LETTERS = "ABCD"


def columns(named, rows):
    """Rows as dictionaries."""
    return [dict(zip(named, row)) for row in rows]


def write(name, rows, formats, task=None):
    """Write rows in each format; of Parquet, with the compression after the hyphen."""
    for form in formats.split():
        path = HERE / f"{name}.{form}"
        if form in ("csv", "tsv"):
            with path.open("w", newline="") as file:
                out = csv.DictWriter(file, rows[0].keys(), delimiter="," if form == "csv" else "\t", lineterminator="\n")
                out.writeheader()
                texts = lambda value: value if isinstance(value, (str, int)) else json.dumps(value)
                out.writerows({key: texts(value) for key, value in row.items()} for row in rows)
        elif form == "jsonl":
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        elif form == "json":
            path.write_text(json.dumps({**task, "examples": rows} if task else rows, indent=2) + "\n")
        else:
            compression = form.removesuffix(".parquet")
            pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path, compression=compression)


def headless(name, rows):
    for form, delimiter in (("csv", ","), ("tsv", "\t")):
        with (HERE / f"{name}.{form}").open("w", newline="") as file:
            csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows(rows)


def main():
    rows = columns(["Question", *LETTERS, "Answer"], [[q, *o, LETTERS[a]] for q, o, a in FOUR])
    write("letters", rows, "csv tsv json jsonl snappy.parquet")
    named = ["Level of Belief", "Question", "Choice 1", "Choice 2", "Choice 3", "Choice 4", "Correct"]
    write("numbered", columns(named, [[a + 1, q, *o, a + 1] for q, o, a in FOUR]), "csv tsv json jsonl gzip.parquet")
    headless("headless", [[q, *o, LETTERS[a]] for q, o, a in FOUR])
    rows = columns(["question", "subject", "choices", "answer"], [[q, "beliefs", o, a] for q, o, a in FOUR])
    write("choices", rows, "csv json jsonl zstd.parquet")

    labels = [list(LETTERS), list("1234"), list("DCBA")]
    rows = [
        {"id": f"Mercury_{at}", "question": q, "choices": {"text": o, "label": own}, "answerKey": own[a]}
        for at, ((q, o, a), own) in enumerate(zip(FOUR, labels))
    ]
    write("arc", rows, "json jsonl snappy.parquet zstd.parquet gzip.parquet none.parquet brotli.parquet")
    rows = [
        {
            "id": row["id"],
            "question": {
                "stem": row["question"],
                "choices": [{"text": t, "label": l} for t, l in zip(row["choices"]["text"], row["choices"]["label"])],
            },
            "answerKey": row["answerKey"],
        }
        for row in rows
    ]
    write("arc-as-released", rows, "jsonl")

    rows = [
        {"ind": 7, "activity_label": "Waiting", "ctx_a": q, "ctx_b": "", "ctx": q, "endings": o, "label": str(a), "split": "val"}
        for q, o, a in FOUR
    ]
    write("hellaswag", rows, "csv json jsonl zstd.parquet")
    write("piqa", columns(["goal", "sol1", "sol2", "label"], [[q, *o, a] for q, o, a in TWO]), "csv tsv json jsonl gzip.parquet")
    named = ["qID", "sentence", "option1", "option2", "answer"]
    rows = [[f"w{at}", "Lars thanked Tove because _ had helped.", "Lars", "Tove", 1 + (at == 0)] for at in range(2)]
    write("winogrande", columns(named, rows), "csv tsv json jsonl snappy.parquet")

    right = lambda a: [int(at == a) for at in range(4)]
    rows = [
        {
            "question": q,
            "mc1_targets": {"choices": o, "labels": right(a)},
            "mc2_targets": {"choices": o, "labels": [1, 1, 0, 0]},
        }
        for q, o, a in FOUR
    ]
    write("truthfulqa", rows, "json jsonl zstd.parquet")
    scored = [{"question": q, "mc1_targets": dict(zip(o, right(a))), "mc2_targets": dict.fromkeys(o, 1)} for q, o, a in FOUR]
    write("truthfulqa-as-released", scored, "json")
    task = {"name": "beliefs", "description": "Invented.", "keywords": ["theory of mind"], "metrics": ["multiple_choice_grade"]}
    rows = [{"input": q, "target_scores": dict(zip(o, right(a)))} for q, o, a in FOUR]
    write("bigbench", rows, "json jsonl", task)
    rows = [
        {"idx": 5, "inputs": q, "targets": [o[a]], "multiple_choice_targets": o, "multiple_choice_scores": right(a)}
        for q, o, a in FOUR
    ]
    write("bigbench-lists", rows, "jsonl snappy.parquet")

    wrong = lambda o, a: [text for at, text in enumerate(o) if at != a]
    named = ["question", "correct", "distractor1", "distractor2", "distractor3"]
    write("distractors", columns(named, [[q, o[a], *wrong(o, a)] for q, o, a in FOUR]), "csv tsv json jsonl snappy.parquet")
    named = ["Question", "Correct Answer", "Incorrect Answer 1", "Incorrect Answer 2", "Incorrect Answer 3"]
    write("incorrect", columns(named, [[q, o[a], *wrong(o, a)] for q, o, a in FOUR]), "csv")


main()
