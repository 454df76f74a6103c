"""The package against the program that it comes with. The demo model must be in the cache, or the Hub be reachable."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
import tomeval

MODEL = "smollm2-135m-instruct"
SMALL = {"model": MODEL, "benchmark": "demo", "language": "en", "orders": "random:2", "no_pmi": True}


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("runs") / "one"


@pytest.fixture(scope="session")
def run(folder):
    return tomeval.run(**SMALL, limit=6, out=folder, progress=False, frames="dicts")


def test_the_program_is_that_of_this_environment():
    if "TOMEVAL_PROGRAM" not in os.environ:
        assert Path(tomeval.find_program()).is_relative_to(sys.prefix)


def test_the_program_is_found_beside_a_target_folder(tmp_path, monkeypatch):
    from tomeval import _program

    monkeypatch.delenv("TOMEVAL_PROGRAM", raising=False)
    monkeypatch.setattr(_program, "__file__", str(tmp_path / "tomeval" / "_program.py"))
    program = tmp_path / "bin" / _program.NAME
    program.parent.mkdir()
    program.touch()
    assert tomeval.find_program() == str(program)


def test_a_run_is_read_as_rows(run):
    assert len(run.items) == 6
    assert {"id", "choice", "right", "margin"} <= set(run.items[0])
    assert len({row["id"] for row in run.trials}) == 6
    values = run.tables["tasks"]
    assert {row["column"] for row in values} >= {"FBT", "AVG"}
    measured = [row for row in values if row["value"] is not None]
    assert measured and all(row["low"] <= row["value"] <= row["high"] for row in measured)
    assert run.provenance["model"] == MODEL
    assert json.loads(Path(run.places[0], "results.json").read_text("utf-8"))["results"] == run.results["results"]


@pytest.mark.parametrize("kind", ["pandas", "polars", "dicts"])
def test_rows_become_frames_of_what_is_installed(run, monkeypatch, kind):
    for other in {"pandas", "polars"} - {kind}:
        monkeypatch.setitem(sys.modules, other, None)
    if kind != "dicts":
        pytest.importorskip(kind)
    read = tomeval.load(*run.places)
    for found, rows in [(read.items, run.items), (read.trials, run.trials), (read.tables["tasks"], run.tables["tasks"])]:
        assert type(found).__module__.split(".")[0] == {"dicts": "builtins"}.get(kind, kind)
        assert len(found) == len(rows)
    if kind != "dicts":
        assert list(read.items["id"]) == [row["id"] for row in run.items]
        assert "facets.task" in read.items.columns


def test_a_headline_shows_and_a_page_is_written(run, tmp_path):
    shown = run._repr_html_()
    assert "Demo inventory" in shown and "AVG" in shown and MODEL in shown
    page = run.page(tmp_path / "a page.html")
    assert page.path.read_text("utf-8").count("tomeval canary") >= 1
    assert "a%20page.html" in page._repr_html_() and "<iframe" not in page._repr_html_()
    assert "data:text/html;base64," in run.page(tmp_path / "b.html", embed=True)._repr_html_()


def test_large_pages_are_not_embedded(run, tmp_path, monkeypatch):
    monkeypatch.setattr("tomeval._run.MOST_EMBEDDED", 1000)
    with pytest.raises(ValueError, match="as a link"):
        run.page(tmp_path / "page.html", embed=True)


def test_runs_are_compared_and_planned(run, tmp_path):
    other = tomeval.run(**{**SMALL, "orders": "identity"}, limit=6, out=tmp_path / "other", progress=False)
    compared = run.compare(other)
    assert compared == tomeval.compare(run.places[0], other.places[0])
    assert "comparisons" in compared or len(compared) > 1
    planned = tomeval.plan(**SMALL, limit=6)
    assert json.dumps(planned).count("trials")


def test_several_scorings_are_read_side_by_side(tmp_path):
    both = tomeval.run(**SMALL, limit=2, scoring=["letter", "text"], out=tmp_path / "both", progress=False)
    assert len(both.places) == 2
    assert len(both.results["results"]) >= 1


ITEMS = [
    {"id": "a", "context": "Anna puts the key under the mat.", "question": "Where is the key?", "options": ["mat", "box"], "answer": 0},
    {"id": "b", "context": "Ben eats the last cake.", "question": "Is there cake?", "options": ["yes", "no"], "answer": 1},
]


def test_answers_are_scored():
    scored = tomeval.score(ITEMS, [{"id": "a", "choice": 0}, {"id": "b", "choice": 0}])
    cells = [cell for result in scored["results"] for table in result["tables"] for row in table["rows"] for cell in row["cells"]]
    assert any(cell["value"] == 50.0 and cell["n"] == 2 for cell in cells)
    with pytest.raises(tomeval.TomevalError, match="nobody"):
        tomeval.score(ITEMS, [{"id": "a", "choice": 0}, {"id": "nobody", "choice": 0}])


def test_continuations_are_scored():
    rows = [{"id": "1", "prompt": "The sun rises in the", "continuations": [" east", " soup"]}]
    (found,) = tomeval.logprob(rows, model=MODEL, progress=False)
    east, soup = (sum(one["logprobs"]) for one in found["results"])
    assert east > soup


def test_a_refusal_is_an_exception_with_the_program_s_words(tmp_path):
    with pytest.raises(tomeval.TomevalError, match="no-such") as caught:
        tomeval.run(model=MODEL, benchmark="no-such-benchmark", out=tmp_path / "none", progress=False)
    assert caught.value.code == 2
    with pytest.raises(FileNotFoundError, match="nowhere"):
        tomeval.load(tmp_path / "nowhere")


@pytest.mark.skipif(sys.platform == "win32", reason="signals of other systems")
def test_an_interrupt_keeps_what_is_finished_and_the_same_call_goes_on(tmp_path):
    out = tmp_path / "stopped"
    call = f"tomeval.run(model={MODEL!r}, benchmark='demo', orders='random:40', batch_tokens=200, out={str(out)!r}, progress=False)"
    program = f"import tomeval\ntry:\n    {call}\nexcept KeyboardInterrupt:\n    print('interrupted')\n"
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE, text=True)
    trials = out / "trials.jsonl"
    end = time.monotonic() + 60
    while not (trials.is_file() and trials.stat().st_size) and time.monotonic() < end:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    printed, _ = process.communicate(timeout=60)
    assert printed.strip() == "interrupted"
    kept = trials.read_text("utf-8").count("\n")
    assert kept > 0
    found = tomeval.load(out, frames="dicts")
    with pytest.warns(tomeval.Incomplete):
        assert found.results["unfinished"]["done"] == kept


def test_every_document_of_keywords_is_an_argument():
    from tomeval._process import arguments

    given = arguments({"limit": 20, "no_pmi": True, "language": ["en", "zh"], "shots": None, "tables": False, "data": Path("d")})
    assert list(given) == ["--limit=20", "--no-pmi", "--language=en", "--language=zh", "--data=d"]
