#!/usr/bin/env python3
"""Pack a built program into a wheel, so that `pip install` puts it on PATH; needs the standard library alone.

    python3 scripts/wheel.py --program target/release/tomeval --as tomeval --tag manylinux_2_28_x86_64
    python3 scripts/wheel.py --program target/cuda/release/tomeval-cuda --as tomeval-cuda13 --tag manylinux_2_28_x86_64

The wheel of `tomeval` holds the Python package too; that of `tomeval-cuda13` requires NVIDIA's libraries. The same program gives the
same bytes, at the time that SOURCE_DATE_EPOCH names. TAG is the platform on which the program runs: `auditwheel show` tells it.
"""

import argparse
import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Largest wheel that is passed on, in bytes.
MOST = 40_000_000
# Name of the wheel: name of the program, what it requires besides, whether the Python package is in it.
WHEELS = {
    "tomeval": ("tomeval", [], True),
    "tomeval-cuda13": (
        "tomeval-cuda",
        ["nvidia-cuda-runtime==13.*", "nvidia-cublas==13.*", "nvidia-curand==10.4.*"],
        False,
    ),
}
LICENCES = ["LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY.md"]


def of_manifest(key):
    section = (ROOT / "Cargo.toml").read_text("utf-8").split("[features]")[0]
    return re.search(rf'^{key} = "(.*)"$', section, re.MULTILINE).group(1)


def metadata(name, version, required):
    readme = (ROOT / "README.md").read_text("utf-8")
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {name}",
        f"Version: {version}",
        f"Summary: {of_manifest('description')}",
        f"License-Expression: {of_manifest('license')}",
        *(f"License-File: {licence}" for licence in LICENCES),
        f"Project-URL: Source, {of_manifest('repository')}",
        "Classifier: Programming Language :: Rust",
        "Classifier: Topic :: Scientific/Engineering :: Artificial Intelligence",
        "Requires-Python: >=3.9",
        *(f"Requires-Dist: {one}" for one in required),
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(lines) + f"\n\n{readme}"


def stripped(program):
    """Bytes of the program without symbols, if `strip` is there."""
    if not shutil.which("strip"):
        print("wheel.py: no `strip`: the program stays as it is", file=sys.stderr)
        return program.read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder, "program")
        shutil.copyfile(program, copy)
        subprocess.run(["strip", copy], check=True)
        return copy.read_bytes()


def pack(program, name, tag, out):
    """Writes the wheel and returns its path."""
    version = of_manifest("version")
    script, required, with_package = WHEELS[name]
    stem = f"{name.replace('-', '_')}-{version}"
    about = f"{stem}.dist-info"
    files = [(f"{stem}.data/scripts/{script}", stripped(program), 0o755)]
    if with_package:
        package = ROOT / "python"
        sources = sorted(path for path in (package / "tomeval").rglob("*") if path.suffix == ".py" or path.name == "py.typed")
        files += [(path.relative_to(package).as_posix(), path.read_bytes(), 0o644) for path in sources]
    files += [(f"{about}/licenses/{licence}", (ROOT / licence).read_bytes(), 0o644) for licence in LICENCES]
    wheel = f"Wheel-Version: 1.0\nGenerator: tomeval {version}\nRoot-Is-Purelib: false\nTag: py3-none-{tag}\n"
    files += [
        (f"{about}/METADATA", metadata(name, version, required).encode(), 0o644),
        (f"{about}/WHEEL", wheel.encode(), 0o644),
    ]
    record = "".join(f"{path},sha256={digest(content)},{len(content)}\n" for path, content, _ in files)
    files.append((f"{about}/RECORD", f"{record}{about}/RECORD,,\n".encode(), 0o644))
    # Archives of this format begin with the year 1980.
    moment = time.gmtime(max(315532800, int(os.environ.get("SOURCE_DATE_EPOCH", "0"))))[:6]
    out.mkdir(parents=True, exist_ok=True)
    place = out / f"{stem}-py3-none-{tag}.whl"
    with zipfile.ZipFile(place, "w") as archive:
        for path, content, mode in files:
            entry = zipfile.ZipInfo(path, moment)
            entry.external_attr = (0o100000 | mode) << 16
            entry.create_system = 3
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED, 9)
    return place


def digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", required=True, type=pathlib.Path, help="the built program")
    parser.add_argument("--as", required=True, dest="name", choices=WHEELS, help="name of the wheel")
    parser.add_argument("--tag", required=True, help="platform tag, as manylinux_2_28_x86_64")
    parser.add_argument("--out", default=ROOT / "target" / "wheels", type=pathlib.Path, help="folder of the wheel")
    parser.add_argument("--any-size", action="store_true", help=f"allow more than {MOST:,} bytes, as of a debug build")
    given = parser.parse_args()
    if not given.program.is_file():
        sys.exit(f"wheel.py: {given.program} is no file; build it first: cargo build --release")
    place = pack(given.program, given.name, given.tag, given.out)
    size = place.stat().st_size
    print(f"{place} ({size / 1e6:.1f} MB)")
    if size > MOST and not given.any_size:
        sys.exit(f"wheel.py: {size:,} bytes are more than {MOST:,}; build with --release")


if __name__ == "__main__":
    main()
