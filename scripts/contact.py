"""Torch's side of first-contact.sh: what the card can do, and models with random weights by transformers.

    contact.py torch              # JSON: a large product, a copy, attention at the shape of an 8B model
    contact.py write FOLDER [NAME]  # models, prompts and transformers' log-probabilities of them; all models without a name
    contact.py compare FOLDER     # JSON: the program's f32.jsonl and bf16.jsonl of each model beside them
    contact.py apart FILE FILE    # JSON: how far the numbers of two JSON documents of equal keys are apart
"""

import json
import math
import pathlib
import random
import shutil
import sys

import torch

FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "tests/fixtures"
# A tokenizer whose ids all models have rows for.
TOKENIZER = FIXTURES / "qwen2"
PROMPTS = 16


def seconds(compute, repeat=10):
    """Median of some runs by the device's own clock."""
    for _ in range(3):
        compute()
    times = []
    for _ in range(repeat):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        compute()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end) / 1000)
    return sorted(times)[len(times) // 2]


def card():
    found = {"torch": torch.__version__, "card": torch.cuda.get_device_name()}
    for dtype in (torch.bfloat16, torch.float32):
        one, other = (torch.randn(8192, 8192, device="cuda", dtype=dtype) for _ in range(2))
        found[f"tflops_{dtype}"] = 2 * 8192**3 / seconds(lambda: one @ other, 5) / 1e12
    large = torch.randn(1 << 29, device="cuda")
    into = torch.empty_like(large)
    found["copy_gb_s"] = 2 * large.numel() * 4 / seconds(lambda: into.copy_(large)) / 1e9
    found["attention_ms"] = {}
    for tokens in (512, 2048, 4096, 8192):
        q = torch.randn(1, 32, tokens, 128, device="cuda", dtype=torch.bfloat16)
        k, v = (torch.randn(1, 8, tokens, 128, device="cuda", dtype=torch.bfloat16) for _ in range(2))
        attend = torch.nn.functional.scaled_dot_product_attention
        found["attention_ms"][tokens] = 1000 * seconds(lambda: attend(q, k, v, is_causal=True, enable_gqa=True))
    return found


def write(folder, wanted=None):
    import transformers

    vocabulary = json.loads((TOKENIZER / "config.json").read_text())["vocab_size"]
    common = dict(vocab_size=vocabulary, max_position_embeddings=4096, initializer_range=0.06, tie_word_embeddings=False)
    models = {
        "qwen2-0.5b": transformers.Qwen2Config(
            hidden_size=896, intermediate_size=4864, num_hidden_layers=24, num_attention_heads=14, num_key_value_heads=2,
            rope_theta=1e6, **common),
        "llama-8b-4-layers": transformers.LlamaConfig(
            hidden_size=4096, intermediate_size=14336, num_hidden_layers=4, num_attention_heads=32, num_key_value_heads=8,
            rope_theta=5e5, **common),
    }
    words = (FIXTURES / "corpus.txt").read_text().split()
    drawn = random.Random(1)
    text = lambda count: " ".join(drawn.choice(words) for _ in range(count))
    prompts = [{"id": at, "prompt": text(20 + 15 * at), "continuations": [" " + text(6), " " + text(3)]} for at in range(PROMPTS)]
    (folder / "prompts.jsonl").write_text("".join(json.dumps(prompt) + "\n" for prompt in prompts))
    tokenizer = transformers.AutoTokenizer.from_pretrained(TOKENIZER)
    for name, config in models.items():
        if wanted not in (None, name):
            continue
        torch.manual_seed(1)
        with torch.device("cuda"):
            transformers.AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16).save_pretrained(folder / name)
        for file in ("tokenizer.json", "tokenizer_config.json"):
            shutil.copy(TOKENIZER / file, folder / name)
        for dtype in ("bfloat16", "float32"):
            # Loaded anew: a model that is cast casts its rotary frequencies too.
            model = transformers.AutoModelForCausalLM.from_pretrained(folder / name, dtype=getattr(torch, dtype)).cuda().eval()
            rows = []
            for prompt in prompts:
                start = tokenizer(prompt["prompt"], add_special_tokens=False)["input_ids"]
                for continuation in prompt["continuations"]:
                    end = tokenizer(continuation, add_special_tokens=False)["input_ids"]
                    with torch.no_grad():
                        logits = model(torch.tensor([start + end], device="cuda")).logits[0].float()
                    found = logits.log_softmax(-1)[len(start) - 1:-1].gather(1, torch.tensor(end, device="cuda")[:, None])
                    rows.append([end, found[:, 0].tolist()])
            (folder / name / f"transformers-{dtype}.json").write_text(json.dumps(rows))


def compare(folder):
    """Distances in nats of single tokens from transformers' f32."""
    found = {}
    for config in sorted(folder.glob("*/config.json")):
        model = config.parent
        exact = json.loads((model / "transformers-float32.json").read_text())
        theirs = {"transformers bf16": json.loads((model / "transformers-bfloat16.json").read_text())}
        for dtype in ("f32", "bf16"):
            lines = [json.loads(line) for line in (model / f"{dtype}.jsonl").read_text().splitlines()]
            theirs[dtype] = [[one["token_ids"], one["logprobs"]] for line in lines for one in line["results"]]
        for name, rows in theirs.items():
            if [row[0] for row in rows] != [row[0] for row in exact]:
                found[f"{model.name}, {name}"] = "other tokens"
                continue
            apart = sorted(abs(a - b) for one, other in zip(rows, exact) for a, b in zip(one[1], other[1]))
            found[f"{model.name}, {name}"] = {
                "tokens": len(apart), "mean": math.fsum(apart) / len(apart), "largest": apart[-1],
                "99th percentile": apart[int(0.99 * (len(apart) - 1))],
            }
    return found


def apart(one, other):
    """Numbers by their keys: how many, and the largest difference."""
    found = {}

    def walk(a, b, key):
        if isinstance(a, dict) and isinstance(b, dict):
            for name in a.keys() | b.keys():
                walk(a.get(name), b.get(name), name)
        elif isinstance(a, list) and isinstance(b, list):
            for x, y in zip(a, b):
                walk(x, y, key)
            if len(a) != len(b):
                found.setdefault(f"{key}: lengths", [0, 0])[0] += 1
        elif isinstance(a, float) and isinstance(b, float):
            entry = found.setdefault(key, [0, 0.0])
            entry[0] += 1
            entry[1] = max(entry[1], abs(a - b))
        elif a != b:
            found.setdefault(f"{key}: values that differ", [0, 0])[0] += 1

    walk(one, other, "")
    return dict(sorted(found.items()))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["torch"]:
            print(json.dumps(card(), indent=1))
        case ["write", folder, *wanted]:
            torch.backends.cuda.matmul.allow_tf32 = False
            write(pathlib.Path(folder), *wanted)
        case ["compare", folder]:
            print(json.dumps(compare(pathlib.Path(folder)), indent=1))
        case ["apart", one, other]:
            print(json.dumps(apart(*(json.loads(pathlib.Path(file).read_text()) for file in (one, other))), indent=1))
        case _:
            sys.exit(__doc__)
