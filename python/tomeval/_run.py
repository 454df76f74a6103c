"""Runs, their items, trials and tables, and the commands that make them."""

import base64
import html
import json
import os
import tempfile
import webbrowser
from functools import cached_property
from pathlib import Path

from ._frames import frame
from ._process import call

#: Largest page that is put into a notebook, in bytes.
MOST_EMBEDDED = 5_000_000


class Run:
    """Runs that were read with :func:`load`, side by side if there are several.

    Frames are pandas or polars frames, whichever is installed, else lists of dicts; `frames` names one of
    "pandas", "polars" and "dicts".
    """

    def __init__(self, places, frames=None):
        self.places = [os.fspath(place) for place in places]
        self._frames = frames

    @cached_property
    def results(self):
        """All results, as `tomeval report --json` gives them (docs/formats.md)."""
        return json.loads(call("report", *self.places, progress=False, format="json").text)

    @property
    def provenance(self):
        """How the numbers came about: model, data, prompts, orders, seed, version."""
        return self.results["provenance"]

    @cached_property
    def items(self):
        """One row an item and way of asking: choice, gold answer, votes, margin, facets."""
        text = call("report", *self.places, progress=False, format="items").text
        return frame(_lines(text), self._frames)

    @cached_property
    def trials(self):
        """One row a trial: option order, prompts, log-probabilities or reply. Folders have them, bundles do not."""
        rows = []
        for place in self.places:
            path = Path(place, "trials.jsonl")
            if not path.is_file():
                raise FileNotFoundError(f"{path}: trials are read from run folders")
            run = {} if len(self.places) == 1 else {"run": place}
            rows.extend({**run, **row} for row in _lines(path.read_text("utf-8")))
        return frame(rows, self._frames)

    @cached_property
    def tables(self):
        """Tables by name, one row a value: run, key, column, value, interval, n, chance. A name that several benchmarks
        share begins with the benchmark's."""
        found = {}
        results = self.results["results"]
        names = [table["id"] for result in results for table in result["tables"]]
        for result in results:
            for table in result["tables"]:
                name = table["id"]
                name = name if names.count(name) == 1 else f"{result['benchmark']}/{name}"
                found[name] = frame(list(_values(table)), self._frames)
        return found

    def compare(self, *others, **keywords):
        """Differences to other runs on the same items, with intervals and tests (`tomeval compare --json`)."""
        places = [place for other in others for place in (other.places if isinstance(other, Run) else [other])]
        return json.loads(call("compare", *self.places, *places, progress=False, json=True, **keywords).text)

    def page(self, path=None, embed=False, open_=False):
        """Writes the page of the runs, and returns what a notebook shows: a link to it, or the page itself.

        A page that is embedded carries all texts into the notebook, with the line that keeps benchmarks out of training
        data; it may have at most 5 MB.
        """
        path = Path(path) if path else Path(tempfile.mkdtemp(prefix="tomeval-"), "report.html")
        call("report", *self.places, progress=False, format="html", output=path)
        if open_:
            webbrowser.open(path.resolve().as_uri())
        if embed and path.stat().st_size > MOST_EMBEDDED:
            raise ValueError(f"{path} has {path.stat().st_size:,} bytes, more than {MOST_EMBEDDED:,}; show it as a link")
        return Page(path, embed)

    def __repr__(self):
        return f"<tomeval.Run {', '.join(self.places)}>"

    def _repr_html_(self):
        rows = []
        for result in self.results["results"]:
            for table in result["tables"][:1]:
                for row in table["rows"]:
                    column = table["columns"].index("AVG") if "AVG" in table["columns"] else len(table["columns"]) - 1
                    cell = row["cells"][column]
                    named = [result["title"], ", ".join(row["key"].values()), row["label"], table["columns"][column]]
                    rows.append([*named, _number(cell["value"]), _interval(cell), str(cell["n"]), _number(cell["chance"])])
        head = ["benchmark", "row", "run", "column", "value", "95 % interval", "n", "chance"]
        unfinished = self.results.get("unfinished")
        note = f"<p>Unfinished: {unfinished['done']} of {unfinished['planned']} trials.</p>" if unfinished else ""
        return note + _table(head, rows)


class Page:
    """A written page. Notebooks show a link, or the page itself."""

    def __init__(self, path, embed):
        self.path, self._embed = path, embed

    def __repr__(self):
        return str(self.path)

    def _repr_html_(self):
        if self._embed:
            data = base64.b64encode(self.path.read_bytes()).decode()
            return f'<iframe src="data:text/html;base64,{data}" width="100%" height="720" style="border:0"></iframe>'
        address = html.escape(self.path.resolve().as_uri(), quote=True)
        return f'<a href="{address}" target="_blank" rel="noopener">{html.escape(str(self.path))}</a>'


def _lines(text):
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def _values(table):
    for row in table["rows"]:
        named = {"run": row["label"], "style": row["style"], "condition": row["condition"], **row["key"]}
        for column, cell in zip(table["columns"], row["cells"]):
            low, high = cell.get("interval") or (None, None)
            yield {
                **named,
                "column": column,
                "value": cell["value"],
                "low": low,
                "high": high,
                "n": cell["n"],
                "chance": cell["chance"],
                "reason": cell["reason"],
            }


def _number(value):
    return "-" if value is None else f"{value:.1f}"


def _interval(cell):
    return "-" if not cell.get("interval") else " to ".join(map(_number, cell["interval"]))


def _table(head, rows):
    def line(tag, cells):
        return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    return f"<table><thead>{line('th', head)}</thead><tbody>{''.join(line('td', row) for row in rows)}</tbody></table>"


def load(*places, frames=None):
    """Reads run folders, folders of them, or bundles."""
    if not places:
        raise ValueError("no run was named")
    for place in places:
        if not Path(str(place).split(".zip/")[0]).exists() and ".zip/" not in str(place):
            raise FileNotFoundError(f"{os.fspath(place)} does not exist")
    return Run(places, frames)


def run(*, frames=None, progress=True, **keywords):
    """Evaluates a model: the arguments of `tomeval run` as keywords, as `run(model="...", benchmark="demo", limit=20)`.

    Several styles, scorings or adapters make several runs, which are read side by side. An interrupt keeps what is
    finished; the same call continues.
    """
    output = call("run", progress=progress, **keywords)
    return load(*dict.fromkeys(output.folders), frames=frames)


def study(file, *arguments, frames=None, progress=True, **keywords):
    """Runs models x tasks from a file (docs/study.md), and reads all runs."""
    output = call("study", file, *arguments, progress=progress, **keywords)
    return load(*dict.fromkeys(output.folders), frames=frames)


def plan(**keywords):
    """Shows what a run would need: items, tokens, memory, time, as `tomeval plan --json` gives it."""
    return json.loads(call("plan", progress=False, json=True, **keywords).text)


def compare(*places, **keywords):
    """Compares runs with the first on the same items (`tomeval compare --json`)."""
    return load(*places[:1]).compare(*places[1:], **keywords)


def score(items, replies, **keywords):
    """Scores answers given elsewhere: lists of dicts as in docs/elsewhere.md, `items` in the format of own data, or the
    name of a benchmark. Returns results as `tomeval score --json` gives them."""
    with tempfile.TemporaryDirectory(prefix="tomeval-") as folder:
        answers = _written(folder, "answers.jsonl", replies)
        if isinstance(items, str):
            return json.loads(call("score", progress=False, json=True, benchmark=items, answers=answers, **keywords).text)
        data = _written(folder, "items.jsonl", items)
        output = call("score", progress=False, json=True, benchmark="custom", data=data, answers=answers, **keywords)
        return json.loads(output.text)


def logprob(rows, *, model, progress=True, **keywords):
    """Scores continuations of prompts by log-likelihood: dicts with `id`, `messages` or `prompt`, and `continuations`.
    Returns one dict a row."""
    with tempfile.TemporaryDirectory(prefix="tomeval-") as folder:
        rows = _written(folder, "rows.jsonl", rows)
        return _lines(call("logprob", progress=progress, input=rows, model=model, **keywords).text)


def _written(folder, name, rows):
    path = Path(folder, name)
    with path.open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    return path
