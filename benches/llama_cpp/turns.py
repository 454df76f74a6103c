"""This program and llama.cpp on one machine, in turns: tokens per second of prefill and decoding, and their ratios.

    python turns.py TOMEVAL LLAMA_BATCHED_BENCH MODEL.gguf [--turns N] [--threads N] [-- MORE]

Prefill of 128, 512 and 2048 tokens, and 32 tokens each for 1, 8 and 32 sequences of one token. MORE goes to `tomeval bench`,
such as `--dtype quantized`. A line of Markdown per workload: medians with the least and the most, ratio of medians, ratios of
turns, share of the machine's ceiling. The load of the machine is printed with each turn: figures taken under load mean little.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys

PREFILL, BATCHES, TOKENS = [128, 512, 2048], [1, 8, 32], 32


def numbers(values):
    return ",".join(map(str, values))


def ours(arguments):
    command = [arguments.tomeval, "bench", "--model", arguments.model, "--threads", str(arguments.threads), "--no-score", "--json"]
    command += ["--prompt", numbers(PREFILL), "--generate", str(TOKENS), "--batch", numbers(BATCHES), "--repeat", "1"]
    document = json.loads(subprocess.check_output(command + arguments.more, stderr=subprocess.DEVNULL))
    rates, shares = {}, {}
    for measure in document["measured"]["measures"]:
        case = measure["case"]
        key = ("prefill", case["tokens"]) if case["kind"] == "prefill" else ("decode", case["batch"])
        rates[key], shares[key] = measure["rate"]["median"], measure["roofline"]["share"]
    return rates, shares


def theirs(arguments):
    def rows(prompt, generate, batches, context):
        command = [arguments.llama, "-m", arguments.model, "-t", str(arguments.threads), "-tb", str(arguments.threads)]
        command += ["-npp", numbers(prompt), "-ntg", str(generate), "-npl", numbers(batches), "-c", str(context), "-b", "2048", "-ub", "512"]
        lines = subprocess.check_output(command, stderr=subprocess.DEVNULL, text=True).splitlines()
        cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line.startswith("|")]
        return [row for row in cells if row[0].isdigit()]

    rates = {("prefill", int(row[0])): float(row[5]) for row in rows(PREFILL, 1, [1], max(PREFILL) + 32)}
    decoded = rows([1], TOKENS, BATCHES, max(BATCHES) * (TOKENS + 32))
    return rates | {("decode", int(row[2])): float(row[7]) for row in decoded}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tomeval")
    parser.add_argument("llama")
    parser.add_argument("model")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    given = sys.argv[1:]
    end = given.index("--") if "--" in given else len(given)
    arguments = parser.parse_args(given[:end])
    arguments.more = given[end + 1 :]
    turns = []
    for turn in range(arguments.turns):
        load = os.getloadavg()[0]
        turns.append((*ours(arguments), theirs(arguments)))
        print(f"turn {turn + 1}, load {load:.1f} before it", file=sys.stderr, flush=True)
    print("| workload | this program, tokens/s | llama.cpp, tokens/s | ratio | of turns | share |")
    print("|---|---|---|---|---|---|")
    for key in [("prefill", tokens) for tokens in PREFILL] + [("decode", batch) for batch in BATCHES]:
        mine, others = [turn[0][key] for turn in turns], [turn[2][key] for turn in turns]
        ratios = sorted(one / other for one, other in zip(mine, others))
        cells = [f"{statistics.median(rates):.1f} ({min(rates):.1f} to {max(rates):.1f})" for rates in (mine, others)]
        ratio = f"{statistics.median(mine) / statistics.median(others):.2f} | {ratios[0]:.2f} to {ratios[-1]:.2f}"
        share = statistics.median(turn[1][key] for turn in turns)
        print(f"| {key[0]} {key[1]} | {cells[0]} | {cells[1]} | {ratio} | {100 * share:.0f} % |")


if __name__ == "__main__":
    main()
