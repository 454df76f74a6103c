#!/usr/bin/env python3
"""Compares two builds of the program: every command of a corpus, its output, its exit code and every file it writes.

    python3 scripts/net.py                   the development build against the one of BASELINE, which is built where it is not there
    python3 scripts/net.py OLD NEW           two programs
    python3 scripts/net.py --only attend     the commands whose name holds a text, with what they need
    python3 scripts/net.py --all             every difference, not the first alone

Both programs run the corpus side by side, each in an empty folder of the same name length. Prints `equal`, or the first
difference, and then exits 1. Not compared are (`MASKS`, `NOT_COMPARED`): when a run was created and the checksum
of its manifest, the program's version and commit, what is measured (times, rates, memory), files of these, and nothing else; the folder's own name is replaced on both sides.
A command of the corpus that the old program refuses, other than a `refusal`, is an error of the corpus and ends the comparison.

Runs are killed under the old program and finished by both; shards of the old are merged by both; a run of the first
format is read by both. A server on this machine answers requests by fixed rules. The demo model is used where it is on
this machine (`tomeval models pull smollm2-135m-instruct`); it is said where it is not.
"""

import argparse
import hashlib
import http.server
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The program before the code was moved: its outputs are those to keep.
BASELINE = "a70e1a2"
DEMO = "smollm2-135m-instruct"

TINY = "--model tiny --benchmark demo --language en"
SERVED = "--model openai:http://127.0.0.1:{port}#fixed --chat-template tiny --benchmark demo --language en --limit 8 --concurrency 1"
OWN = "--data data/own"

# (name, command line). A later command may read what an earlier one wrote. `{port}` is the server's.
CORPUS = [
    # Every scoring and style, kept and not.
    ("run letter kept", f"run {TINY} --limit 8 --out letter"),
    ("run letter not kept", f"run {TINY} --limit 8"),
    ("run letter tables", f"run {TINY} --limit 8 --tables"),
    ("run text", f"run {TINY} --limit 8 --scoring text --out text"),
    ("run hybrid", f"run {TINY} --limit 8 --scoring hybrid --orders cyclic --out hybrid"),
    ("run written", f"run {TINY} --limit 4 --scoring generate --orders identity --max-new-tokens 12 --out written"),
    ("run written not kept", f"run {TINY} --limit 2 --scoring generate --orders identity --max-new-tokens 8"),
    ("run reasoned", f"run {TINY} --limit 3 --scoring letter,generate --style vanilla,cot --after-reasoning --max-new-tokens 8"
                     " --orders random:2 --out reasoned"),
    ("run shots", f"run {TINY} --limit 4 --shots 2 --orders random:2 --out shots"),
    ("run orders drawn twice", f"run {TINY} --limit 8 --orders random:40 --out drawn-twice"),
    ("run chinese", "run --model tiny --benchmark demo --language zh --limit 6 --instructions both --out zh"),
    ("run llama", "run --model tiny-llama --benchmark demo --language en --limit 6 --out llama"),
    ("run quantised", f"run {TINY} --limit 6 --dtype q8_0 --out q8"),
    ("run half", f"run {TINY} --limit 6 --dtype bf16 --out bf16"),
    ("run workers", f"run {TINY} --limit 8 --device cpu --workers 2 --out workers"),
    ("run adapter", f"run --model adapted --adapter lora --benchmark demo --language en --limit 4 --out adapted-run"),
    ("run tombench", "run --model tiny --benchmark tombench --data data/tombench --orders random:2 --out tombench"),
    ("run tomi", "run --model tiny --benchmark tomi --data data/tomi --limit 12 --orders identity --out tomi"),
    ("run xtom", "run --model tiny --benchmark xtomi,xfantom,xnegotiationtom --data data/xtom --limit 3 --orders identity --out xtom"),
    ("run fantom", "run --model tiny --benchmark fantom --data data/fantom --limit 6 --orders identity --out fantom"),
    ("run negotiation", "run --model tiny --benchmark negotiationtom --data data/negotiationtom --limit 6 --orders identity --out neg"),
    ("run tomvalley", "run --model tiny --benchmark tomvalley --data data/tomvalley --limit 6 --orders identity --out valley"),
    ("run multi-tom", "run --model tiny --benchmark multi-tom --data data/multi-tom --limit 6 --orders identity --out multi"),
    ("run own", f"run --model tiny {OWN}/questions.csv --by level --out own"),
    ("run own card", f"run --model tiny {OWN}/questions.csv --card data/own/card.toml --out card"),
    ("run together", f"run --model tiny --benchmark tomvalley --data data/tomvalley --limit 4 --scoring generate"
                     " --questions-per-prompt all --max-new-tokens 8 --orders identity --out together"),
    ("run verified", f"run {TINY} --limit 3 --verify-batching 3 --orders identity"),
    ("run shard 1", f"run {TINY} --limit 8 --shard 1/2 --out shard-1"),
    ("run shard 2", f"run {TINY} --limit 8 --shard 2/2 --out shard-2"),
    ("merge", "merge shard-1 shard-2 --out merged"),
    ("run again", f"run {TINY} --limit 8 --out letter"),
    ("demo run", f"run --model {DEMO} --benchmark demo --limit 8 --orders random:2 --out demo-run"),
    ("demo written", f"run --model {DEMO} --benchmark demo --limit 2 --scoring generate --orders identity --max-new-tokens 16"
                     " --out demo-written"),
    ("demo quantised", f"run --model {DEMO} --dtype quantized --benchmark demo --limit 4 --orders identity --out demo-q"),
    # Served.
    ("inspect server", "models inspect openai:http://127.0.0.1:{port}"),
    ("plan served", f"plan {SERVED}"),
    ("run served", f"run {SERVED} --orders random:2 --out served"),
    ("run served written", f"run {SERVED} --scoring generate --style cot --orders identity --out served-written"),
    ("run served not kept", f"run {SERVED} --orders identity"),
    ("probe served", f"probe recall {SERVED}"),
    # Reports.
    *[(f"report {kind}", f"report letter text --format {kind}") for kind in
      ["terminal", "markdown", "csv", "json", "latex", "items", "html"]],
    *[(f"report {name} latex", f"report {name} --format latex") for name in ["tombench", "xtom", "valley", "multi", "fantom", "neg"]],
    *[(f"report {name} json", f"report {name} --format json") for name in ["reasoned", "tomi", "together", "card", "served-written"]],
    ("report items of orders drawn twice", "report drawn-twice --format items"),
    ("report every-eval-ever", "report letter text --format every-eval-ever --output every"),
    ("report parquet", "report letter --format parquet --output frames"),
    ("report figures", "report tombench xtom --data data --figures figures"),
    ("report without texts", "report written --format html --no-texts --output no-texts.html"),
    ("report by", "report own --by level --format markdown --data data/own/questions.csv"),
    ("report released", "report served-written --extract released --format json"),
    ("report format 1", "report format-1"),
    # Comparisons.
    ("compare", "compare letter text --flips 3"),
    ("compare json", "compare letter text --json"),
    ("compare latex", "compare letter text --format latex"),
    ("compare languages", "compare xtom --between language --format csv --data data/xtom --common"),
    # Attention.
    ("attend", "attend --model tiny --benchmark demo --item demo/cake-tin/0/en"),
    ("attend json", "attend --model tiny --benchmark demo --language en --limit 3 --json"),
    ("attend files", "attend --model tiny --benchmark demo --language en --limit 3 --csv words.csv --latex words.tex --roles --head-maps scope"
                     " --roles-csv roles.csv --heads-csv heads.csv --html page.html --lens --contributions"),
    ("attend contrast", "attend --model tiny --benchmark demo --item demo/cake-tin/0/en --contrast options --json"),
    ("attend group", "attend --model tiny --benchmark tomi --data data/tomi --limit 8 --group tom --deletion-draws 0 --html group.html"),
    ("attend figure", "attend --model tiny --benchmark demo --item demo/cake-tin/0/en --deletion-draws 0 --figure person --svg person.svg"
                      " --pdf person.pdf"),
    ("attend prompt", "attend --model tiny --benchmark demo --item demo/cake-tin/0/en --deletion-draws 2 --figure prompt --svg prompt.svg"),
    ("attend orders", "attend --model tiny --benchmark demo --language en --limit 2 --deletion-draws 0 --orders random:2 --sensitivity"),
    ("attend measures", "attend --model tiny --benchmark demo --language en --limit 2 --measure rollout --json --deletion-draws 0"),
    ("attend occlusion", "attend --model tiny --benchmark demo --language en --limit 1 --measure occlusion --json --deletion-draws 0"),
    ("attend off", "attend --model tiny --benchmark demo --language en --limit 2 --knock-out heads=0.0 --random-heads 2 --deletion-draws 0"
                   " --json"),
    ("attend kept", "attend --model tiny --benchmark demo --language en --limit 4 --deletion-draws 0 --out attention"),
    ("attend run", "attend --run letter --limit 2 --deletion-draws 0"),
    ("attend written", "attend --run written --written --limit 2 --deletion-draws 0"),
    ("attend shard 1", "attend --model tiny --benchmark demo --language en --limit 4 --deletion-draws 0 --shard 1/2 --out part-1"),
    ("attend shard 2", "attend --model tiny --benchmark demo --language en --limit 4 --deletion-draws 0 --shard 2/2 --out part-2"),
    ("attend merge", "merge part-1 part-2 --out joined"),
    ("demo attend", f"attend --model {DEMO} --benchmark demo --item demo/cake-tin/0/en --deletion-draws 2 --json"),
    # People.
    ("annotate answer", "annotate answer --benchmark demo --language en --limit 6 --people 3 --per-item 2 --blind --out answer.html"),
    ("annotate mark", "annotate mark --benchmark demo --language en --limit 4 --out mark.html"),
    ("annotate judge", "annotate judge --scheme hi-tom-errors --run served-written --people 2 --out judge.html"),
    ("annotate schemes", "annotate schemes"),
    ("annotate read errors", "annotate read data/annotate/errors-p1.jsonl data/annotate/errors-p2.jsonl --figures people"),
    ("annotate read marks", "annotate read data/annotate/mark-p1.jsonl data/annotate/mark-p2.jsonl --keywords keywords.json"),
    ("annotate read mqm", "annotate read data/annotate/mqm-p1.jsonl data/annotate/mqm-p2.jsonl --format latex"),
    ("attend human", "attend --model tiny --benchmark demo --item demo/cake-tin/0/en --human keywords.json --deletion-draws 0"),
    # Answers and replies from elsewhere.
    ("score", "score --benchmark demo --language en --answers data/annotate/answer-p1.jsonl --answers data/annotate/answer-p2.jsonl"),
    ("score json", "score --benchmark demo --language en --answers data/annotate/answer-p1.jsonl --json"),
    ("extract", "extract --input replies.jsonl --output read.jsonl"),
    ("extract released", "extract --input data/replies/real.jsonl --rules released --json --output released.jsonl"),
    ("logprob", "logprob --model tiny --input prompts.jsonl"),
    # Probes, plans, data.
    ("probe orders", "probe orders --model tiny --benchmark demo --language en"),
    ("probe recall", "probe recall --model tiny --benchmark tomi --data data/tomi --limit 2 --out recalled.jsonl"),
    ("probe min-k", "probe min-k --model tiny --benchmark tomi --data data/tomi --limit 4"),
    ("make hi-tom", "make hi-tom --stories 2 --out made"),
    ("make tomi", "make tomi --stories 2 --out made-tomi"),
    ("make tomvalley", "make tomvalley --sketch data/tomvalley/sketch.json --out made-valley.json"),
    ("run hi-tom", "run --model tiny --benchmark hi-tom --data made --limit 6 --orders identity --out hi-tom"),
    ("report hi-tom", "report hi-tom --format json"),
    ("plan", f"plan {TINY} --calibrate"),
    ("plan generate", f"plan {TINY} --scoring generate --json"),
    ("data list", "data list"),
    ("data check", "data check --data data/own/questions.csv --card data/own/card.toml"),
    ("data check tombench", "data check --benchmark tombench --data data/tombench"),
    ("data items", "data items --benchmark demo"),
    ("data stats", "data stats --benchmark xtomi --data data/xtom"),
    ("data audit", "data audit --benchmark hi-tom --data made"),
    ("prompts list", "prompts list"),
    ("prompts show", "prompts show --benchmark demo --item demo/cake-tin/0/en"),
    ("prompts export", "prompts export packs"),
    # Models.
    ("models list", "models list"),
    ("models show", "models show qwen3-8b"),
    ("models inspect", "models inspect tiny"),
    ("selftest", "selftest --device cpu"),
    # Refusals.
    *[(f"refusal {number}", line) for number, line in enumerate([
        "run --model nowhere", "run --benchmark nothing", "run --model tiny --limit 0", "run --orders random:0", "run --orders sideways",
        "run --scoring aloud", "run --model tiny --data nowhere.csv", "run --model tiny --language xx", "run --model tiny --dtype int3",
        "run --model tiny --shard 3/2 --out x", "models inspect llama-3.1-8b-instruct --offline", "run --model tiny --where a", "run --model tiny --style none",
        "run --model tiny --device cuda:9", "run --model openai:ftp://x#y", "run --model tiny --after-reasoning",
        "run --model tiny --out letter --seed 5", "report nowhere", "report letter --format parquet", "compare letter calibrated",
        "compare letter", "compare letter tomi", "attend --model tiny --benchmark demo --item demo/none", "attend --run nowhere",
        "attend --model tiny --benchmark demo --heads 99:99 --limit 1", "annotate read nowhere.jsonl", "score --benchmark demo",
        "extract --input nowhere.jsonl", "merge letter --out again", "merge shard-1 letter --out mixed", "models show nothing",
        "make hi-tom --stories 0 --out none", "probe recall --model tiny --benchmark demo --limit 0", "plan --model tiny --data data/own/labels.jsonl"
        " --column x=y", "logprob --model tiny --input nowhere.jsonl", "prompts show --benchmark demo --item none", "nothing",
    ])],
]

HELPS = ["", "run", "plan", "report", "compare", "score", "extract", "probe", "probe orders", "probe min-k", "probe recall", "attend",
         "annotate", "annotate answer", "annotate mark", "annotate judge", "annotate read", "annotate schemes", "bench", "bench compare",
         "bench drift", "make", "make hi-tom", "make tomi", "make tomvalley", "data", "data list", "data check", "data items",
         "data stats", "data audit", "prompts", "prompts list", "prompts show", "prompts export", "models", "models list", "models show",
         "models pull", "models inspect", "logprob", "doctor", "selftest", "merge", "completions"]
CORPUS += [(f"help {command}".strip(), f"{command} --help".strip()) for command in HELPS]

# Killed under the old program when the file has so many lines; then finished by both.
KILLED = [
    ("killed run", f"run {TINY} --out killed", "killed/trials.jsonl", 20),
    ("killed written run", f"run {TINY} --limit 20 --scoring generate --orders identity --max-new-tokens 40 --out killed-written",
     "killed-written/trials.jsonl", 2),
    ("killed served run", f"run {SERVED.replace('--limit 8', '--limit 30')} --out killed-served", "killed-served/trials.jsonl", 5),
    ("killed attend", "attend --model tiny --benchmark demo --language en --limit 12 --out killed-attention",
     "killed-attention/items.jsonl", 2),
]
# Made by the old program alone, joined by both.
SHARDS = [
    ("shards of the old", [f"run {TINY} --limit 8 --shard {index}/2 --out old-{index}" for index in (1, 2)],
     ["old-1", "old-2"], "merge old-1 old-2 --out old-merged"),
]


class Fixed(http.server.BaseHTTPRequestHandler):
    """An OpenAI-compatible server whose answers follow from what is asked alone."""

    def log_message(self, *_):
        pass

    def reply(self, document):
        body = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if self.path == "/v1/models":
            return self.reply({"object": "list", "data": [{"id": "fixed", "max_model_len": 16000}]})
        self.send_error(404)

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = json.dumps(asked.get("messages", asked.get("prompt")), sort_keys=True, ensure_ascii=False)
        digest = hashlib.sha256(text.encode()).digest()
        order = sorted("ABCD", key=lambda letter: digest[ord(letter) - ord("A")])
        top = [{"token": letter, "logprob": -0.5 - place - digest[place] / 512, "bytes": [ord(letter)]} for place, letter in enumerate(order)]
        best = order[0]
        one = asked.get("max_tokens", asked.get("max_completion_tokens", 16)) <= 4
        written = best if one else f"Step {digest[0]}: she did not see it moved.\n\nSo the answer is [[{best}]]."
        common = {"id": "fixed", "model": "fixed", "created": 0, "usage": {"prompt_tokens": len(text) // 4, "completion_tokens": 8}}
        if self.path == "/v1/chat/completions":
            choice = {"index": 0, "message": {"role": "assistant", "content": written}, "finish_reason": "length" if one else "stop"}
            if asked.get("logprobs"):
                choice["logprobs"] = {"content": [{**top[0], "top_logprobs": top}]}
            return self.reply({**common, "object": "chat.completion", "choices": [choice]})
        if self.path == "/v1/completions":
            choice = {"index": 0, "text": written, "finish_reason": "length"}
            if asked.get("logprobs"):
                choice["logprobs"] = {"tokens": [best], "token_logprobs": [top[0]["logprob"]], "text_offset": [0],
                                      "top_logprobs": [{one["token"]: one["logprob"] for one in top}]}
            return self.reply({**common, "object": "text_completion", "choices": [choice]})
        self.send_error(404)


def built(commit):
    """The development build of a commit, in the target folder."""
    folder = ROOT / "target" / "net" / commit
    program = folder / "tomeval"
    if not program.exists():
        tree = Path(tempfile.mkdtemp(prefix="tomeval-net-"))
        print(f"building {commit} …", file=sys.stderr)
        subprocess.run(["git", "worktree", "add", "--detach", "--force", tree, commit], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        try:
            subprocess.run(["cargo", "build", "--quiet", "--bin", "tomeval"], cwd=tree, check=True,
                           env={**os.environ, "CARGO_TARGET_DIR": str(folder / "target")})
            shutil.copy2(folder / "target" / "debug" / "tomeval", program)
            shutil.rmtree(folder / "target")
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", tree], cwd=ROOT, check=True)
    return program


def laid_out(folder):
    """What the corpus needs, in an empty folder."""
    folder.mkdir(parents=True)
    fixtures = ROOT / "tests" / "fixtures"
    shutil.copytree(ROOT / "tests" / "data", folder / "data")
    for name, family in [("tiny", "qwen3"), ("tiny-llama", "llama"), ("adapted", "llama")]:
        shutil.copytree(fixtures / family, folder / name)
        config = folder / name / "config.json"
        settings = json.loads(config.read_text())
        settings["max_position_embeddings"] = 16384
        config.write_text(json.dumps(settings))
    adapter = fixtures / "adapters" / "llama"
    shutil.copytree(adapter if (adapter / "adapter_config.json").exists() else next(adapter.glob("*/adapter_config.json")).parent,
                    folder / "lora")
    shutil.copytree(ROOT / "tests" / "data" / "run-format-1", folder / "format-1")
    kept = [json.loads(line) for line in (folder / "data" / "replies" / "written.jsonl").open()]
    asked = ("id", "language", "kind", "labels", "options", "text", "count", "cut")
    with (folder / "replies.jsonl").open("w") as out:
        for row in kept:
            out.write(json.dumps({key: row[key] for key in asked if key in row}, ensure_ascii=False) + "\n")
    with (folder / "prompts.jsonl").open("w") as out:
        for number in range(4):
            out.write(json.dumps({"prompt": f"The cat number {number} sat on the", "continuations": [" mat", " red sofa"]}) + "\n")


class Side:
    """One program and its folder."""

    def __init__(self, program, folder, port):
        self.program, self.folder, self.port = Path(program).resolve(), folder, port
        laid_out(folder)

    def words(self, line):
        import shlex
        return [str(self.program), "--progress", "none", *shlex.split(line.replace("{port}", str(self.port)))]

    def environment(self):
        kept = {name: value for name, value in os.environ.items() if not name.startswith("TOMEVAL_")}
        return {**kept, "COLUMNS": "100", "NO_COLOR": "1", "RAYON_NUM_THREADS": "2"}

    def run(self, line):
        done = subprocess.run(self.words(line), cwd=self.folder, capture_output=True, env=self.environment(), timeout=600,
                              stdin=subprocess.DEVNULL)
        return {"exit code": str(done.returncode).encode(), "stdout": done.stdout, "stderr": done.stderr}

    def killed(self, line, file, lines):
        """Start a command and kill it once the file has so many lines; returns how many it had then."""
        process = subprocess.Popen(self.words(line), cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env=self.environment(), start_new_session=True)
        path = self.folder / file
        count = 0
        while process.poll() is None:
            count = path.read_bytes().count(b"\n") if path.exists() else 0
            if count >= lines:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                break
            time.sleep(0.002)
        return path.read_bytes().count(b"\n") if path.exists() else 0, process.returncode

    def masked(self, content):
        for place, by in [(self.folder, b"FOLDER"), (self.program, b"PROGRAM"), (self.program.parent, b"PROGRAMS")]:
            content = content.replace(str(place).encode(), by)
        for pattern, by in MASKS:
            content = re.sub(pattern, by, content)
        return content

    def files(self):
        """Every file below the folder, masked."""
        found = {}
        for path in sorted(self.folder.rglob("*")):
            name = path.relative_to(self.folder)
            if path.is_symlink():
                found[str(name)] = os.readlink(path).encode()
            elif path.is_file() and name.parts[0] not in UNTOUCHED and not any(re.search(rule, str(name)) for rule in NOT_COMPARED):
                found[str(name)] = self.masked(path.read_bytes())
        return found


MASKS = [
    (rb'("created": ?")[^"]*', rb"\1CREATED"),
    # A manifest's own checksum, which is over when it was created too.
    (rb'(\n  "sha256": ")[0-9a-f]{64}("\n\})', rb"\1SUM\2"),
    (rb'("(?:version|commit|tomeval)": ?")[^"]*', rb"\1VERSION"),
    (rb"[\d.]+ tokens/s", b"N tokens/s"),
    (rb"Time [^\n]*", b"Time T"),
    (rb"Passes took [^\n]*", b"Passes took T"),
    (rb"requests in [^\n]*", b"requests in T"),
    (rb"[\d.]+ MiB", b"N MiB"),
    (rb'("(?:process_bytes|seconds|tokens_per_second)": ?)[\d.e-]+', rb"\1N"),
]
UNTOUCHED = {"data", "tiny", "tiny-llama", "adapted", "lora"}
# A PDF is drawn from the SVG beside it by a library that numbers its parts anew each time.
NOT_COMPARED = [r"(^|/)timings", r"(^|/)spent", r"\.lock$", r"\.pdf$"]


def difference(name, old, new):
    """The first line in which two contents differ, as text; `None` where they are equal."""
    if old == new:
        return None
    if old is None or new is None:
        return f"{name}: only the {'new' if old is None else 'old'} program has it"
    old, new = (content.decode(errors="backslashreplace").splitlines() for content in (old, new))
    for number, (one, other) in enumerate(zip(old, new), 1):
        if one != other:
            at = next((place for place, pair in enumerate(zip(one, other)) if pair[0] != pair[1]), min(len(one), len(other)))
            cut = slice(max(0, at - 80), at + 120)
            return f"{name}, line {number}:\n  old: {one[cut]}\n  new: {other[cut]}"
    return f"{name}: {len(old)} lines against {len(new)}"


class Net:
    def __init__(self, old, new, everything):
        self.old, self.new, self.everything = old, new, everything
        self.pool = ThreadPoolExecutor(2)
        self.differences = 0

    def both(self, act):
        return list(self.pool.map(act, (self.old, self.new)))

    def say(self, text):
        self.differences += 1
        print(text, flush=True)
        if not self.everything:
            sys.exit(1)

    def outputs(self, name, line):
        started = time.monotonic()
        results = self.both(lambda side: {key: side.masked(value) for key, value in side.run(line).items()})
        for key in ["exit code", "stdout", "stderr"]:
            told = difference(f"{name} (`tomeval {line}`), {key}", results[0][key], results[1][key])
            if told:
                self.say(told)
        code = int(results[0]["exit code"])
        if (code == 2) != name.startswith("refusal"):
            self.say(f"{name} (`tomeval {line}`): exit code {code} in the old program:\n{results[0]['stderr'].decode()[:400]}")
        return code, time.monotonic() - started

    def files(self, after):
        old, new = self.both(lambda side: side.files())
        for name in sorted(old.keys() | new.keys()):
            told = difference(f"{name} (after {after})", old.get(name), new.get(name))
            if told:
                self.say(told)
        return len(old)

    def carry(self, folder):
        shutil.copytree(self.old.folder / folder, self.new.folder / folder)


def main():
    parser = argparse.ArgumentParser(description="Compare two builds of the program.")
    parser.add_argument("old", nargs="?", help=f"[default: the development build of {BASELINE}]")
    parser.add_argument("new", nargs="?", default=ROOT / "target" / "debug" / "tomeval")
    parser.add_argument("--only", default="", help="commands whose name matches this expression, after all `run` commands they may need")
    parser.add_argument("--all", action="store_true", help="print every difference")
    parser.add_argument("--times", action="store_true", help="print what each command took")
    arguments = parser.parse_args()
    wanted = re.compile(arguments.only)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Fixed)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    work = Path(tempfile.mkdtemp(prefix="tomeval-net-"))
    try:
        port = server.server_address[1]
        old = Side(arguments.old or built(BASELINE), work / "old", port)
        net = Net(old, Side(arguments.new, work / "new", port), arguments.all)
        demo = old.run(f"models inspect {DEMO} --offline")["exit code"] == b"0"
        if not demo:
            print(f"left out: the commands of the demo model, which is not on this machine", file=sys.stderr)
        codes = []
        for name, line in CORPUS:
            needed = not arguments.only or wanted.search(name) or name.startswith("run ") or name.startswith("make ")
            if needed and (demo or not name.startswith("demo ")):
                code, seconds = net.outputs(name, line)
                codes.append(code)
                if arguments.times:
                    print(f"{seconds:6.1f} s  exit {code}  {name}", file=sys.stderr)
        if not arguments.only:
            for name, line, file, lines in KILLED:
                had, code = net.old.killed(line, file, lines)
                if code != -signal.SIGKILL:
                    sys.exit(f"{name}: it ended by itself ({code}, {had} lines) before it could be killed")
                net.carry(file.split("/")[0])
                codes.append(net.outputs(f"{name}, after {had} lines", line)[0])
            for name, lines, folders, joined in SHARDS:
                for line in lines:
                    net.old.run(line)
                for folder in folders:
                    net.carry(folder)
                codes.append(net.outputs(name, joined)[0])
        files = net.files("all commands")
        counts = ", ".join(f"{codes.count(code)} with exit code {code}" for code in sorted(set(codes)))
        if net.differences:
            sys.exit(f"{net.differences} differences in {len(codes)} commands")
        print(f"equal: {len(codes)} commands ({counts}), {files} files")
    finally:
        server.shutdown()
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
