#!/usr/bin/env python3
"""Write THIRD-PARTY.md: every crate that the programs are built of, with its licence and the texts that come with it.

    python3 scripts/third-party.py            write the file
    python3 scripts/third-party.py --check    fail where it is not that of Cargo.lock

Crates and features are those of `cargo metadata` with all features, for the platform of this machine; crates for tests alone are
left out. A text that several crates share stands once.
"""

import hashlib
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = ROOT / "THIRD-PARTY.md"
NAMES = re.compile(r"^(licen[cs]e|copying|notice|unlicense|copyright)", re.IGNORECASE)
# Licences of examples, benchmarks and the like are of no part of the program.
ASIDE = {"tests", "test", "examples", "benches", "target", ".git", "docs"}

# Of the feature `schema` of tomeval-core, which tests alone have.
FOR_TESTS = "schemars"


def lock_hash():
    return hashlib.sha256((ROOT / "Cargo.lock").read_bytes()).hexdigest()


def metadata():
    version = subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout
    host = re.search(r"^host: (.*)$", version, re.MULTILINE).group(1)
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--all-features", "--filter-platform", host]
    return json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)


def built_of(found):
    """The packages that the root is built of, build scripts and macros among them, without those of this project."""
    nodes = {node["id"]: node for node in found["resolve"]["nodes"]}
    root = found["resolve"]["root"]
    seen, open_ = set(), [root]
    while open_:
        for dependency in nodes[open_.pop()]["deps"]:
            kinds = {kind["kind"] for kind in dependency["dep_kinds"]}
            if kinds != {"dev"} and dependency["name"] != FOR_TESTS and dependency["pkg"] not in seen:
                seen.add(dependency["pkg"])
                open_.append(dependency["pkg"])
    packages = [package for package in found["packages"] if package["id"] in seen and package["source"]]
    return sorted(packages, key=lambda package: (package["name"], package["version"]))


def texts(folder):
    """Licence texts of a crate and of what it bundles, by their places in it."""
    for path in sorted(folder.rglob("*")):
        place = path.relative_to(folder)
        if len(place.parts) > 4 or ASIDE & set(place.parts[:-1]) or not path.is_file() or not NAMES.match(path.name):
            continue
        if path.suffix.lower() in {"", ".txt", ".md", ".apache", ".mit"} or NAMES.match(path.stem):
            if path.suffix.lower() not in {".rs", ".c", ".h", ".py", ".toml", ".json", ".html"}:
                yield place.as_posix(), path.read_text("utf-8", "replace").replace("\r\n", "\n").strip("\n")


def document():
    rows, shared, written, without = [], {}, {}, []
    for package in built_of(metadata()):
        name = f"{package['name']} {package['version']}"
        folder = pathlib.Path(package["manifest_path"]).parent
        own = list(texts(folder))
        without.extend([] if own else [name])
        for place, text in own:
            # The same words in lines of another length are the same text.
            shared.setdefault(written.setdefault(" ".join(text.split()), text), []).append(f"{name} ({place})")
        licence = package["license"] or package["license_file"] or "see its text"
        rows.append(f"| {name} | {licence} | {package['repository'] or '-'} |")
    parts = [
        "# Third-party software\n",
        "Made by `python3 scripts/third-party.py`; do not edit. What the programs of this project are built of, with the licences",
        "that come with it.\n",
        f"Cargo.lock: {lock_hash()}\n",
        "| crate | licence | source |\n|---|---|---|",
        *rows,
        f"\nNo text comes with {', '.join(without)}: their licences are those that the table names.",
        "\n## Texts",
    ]
    for text, crates in sorted(shared.items(), key=lambda entry: (-len(entry[1]), entry[1])):
        longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
        fence = "`" * max(3, longest + 1)
        parts.append(f"\n{', '.join(crates)}:\n\n{fence}text\n{text}\n{fence}")
    return "\n".join(parts) + "\n"


def main():
    if sys.argv[1:] == ["--check"]:
        written = TARGET.read_text("utf-8") if TARGET.is_file() else ""
        if f"\nCargo.lock: {lock_hash()}\n" not in written:
            sys.exit("THIRD-PARTY.md is not of this Cargo.lock: run python3 scripts/third-party.py")
        return
    TARGET.write_text(document(), "utf-8")


main()
