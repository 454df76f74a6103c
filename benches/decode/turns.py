"""Decoding by this program and by llama.cpp, in turns on one machine: tokens per second, and the ratio of medians.

    python turns.py TOMEVAL LLAMA_BATCHED_BENCH MODEL.gguf [--turns N] [--threads N] [--tokens N] [-- MORE]

MORE goes to `tomeval bench`, such as `--dtype quantized`. Both write so many tokens for 1, 8 and 32 sequences of a prompt
of one token. The load of the machine is printed with each turn: figures taken under load mean little.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys

BATCHES = [1, 8, 32]


def ours(arguments, batch):
    command = [arguments.tomeval, "bench", "--model", arguments.model, "--threads", str(arguments.threads), "--prompt", "8"]
    command += ["--generate", str(arguments.tokens), "--batch", str(batch), "--repeat", "1", "--no-score", "--json"]
    document = json.loads(subprocess.check_output(command + arguments.more, stderr=subprocess.DEVNULL))
    stack = [document]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            if isinstance(value.get("case"), dict) and value["case"].get("kind") == "decode":
                return value["rate"]["median"]
            stack += value.values()
        elif isinstance(value, list):
            stack += value
    raise SystemExit("the document of `tomeval bench` has no decode case")


def theirs(arguments, batch):
    threads = ["-t", str(arguments.threads), "-tb", str(arguments.threads)]
    lengths = ["-npp", "1", "-ntg", str(arguments.tokens), "-npl", str(batch), "-c", str(batch * (arguments.tokens + 32))]
    command = [arguments.llama, "-m", arguments.model, *threads, *lengths]
    lines = subprocess.check_output(command, stderr=subprocess.DEVNULL, text=True).splitlines()
    rows = [line.split("|") for line in lines if line.startswith("|") and line.split("|")[1].strip().isdigit()]
    return float(rows[0][8])  # S_TG t/s


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tomeval")
    parser.add_argument("llama")
    parser.add_argument("model")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--tokens", type=int, default=64)
    given = sys.argv[1:]
    end = given.index("--") if "--" in given else len(given)
    arguments = parser.parse_args(given[:end])
    arguments.more = given[end + 1 :]
    rates = {batch: ([], []) for batch in BATCHES}
    for turn in range(arguments.turns):
        for batch, (mine, others) in rates.items():
            mine.append(ours(arguments, batch))
            others.append(theirs(arguments, batch))
            load = os.getloadavg()[0]
            print(f"turn {turn}, {batch} side by side: {mine[-1]:.1f} and {others[-1]:.1f} tokens/s, load {load:.1f}", flush=True)
    for batch, (mine, others) in rates.items():
        middle = statistics.median(mine), statistics.median(others)
        spread = [f"{min(rates):.1f} to {max(rates):.1f}" for rates in (mine, others)]
        ratios = sorted(one / other for one, other in zip(mine, others))
        print(
            f"{batch}: {middle[0]:.1f} ({spread[0]}) and {middle[1]:.1f} ({spread[1]}) tokens/s, ratio of medians "
            f"{middle[0] / middle[1]:.2f}, of turns {ratios[0]:.2f} to {ratios[-1]:.2f}"
        )


if __name__ == "__main__":
    main()
