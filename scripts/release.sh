#!/usr/bin/env bash
# Build what a release for Linux on x86-64 consists of, in target/dist: a wheel and an archive of the program, and their
# checksums. Nothing is published.
#
#   scripts/release.sh           # the program for CPUs
#   scripts/release.sh --cuda    # with the wheel `tomeval-cuda13` of the program for NVIDIA GPUs besides
#
# Needs cargo, python3 with venv, `strip`, and network access to PyPI, from where zig comes as the linker: it links to glibc
# 2.28, so that the program starts on Debian 10, RHEL 8, Ubuntu 20.04 and newer. The wheel's tag is the one that auditwheel
# proves. The same program gives the same bytes.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p "${CARGO_TARGET_DIR:-target}"
target=$(cd "${CARGO_TARGET_DIR:-target}" && pwd)
out=$target/dist
tools=$target/tools
triple=x86_64-unknown-linux-gnu
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
export SOURCE_DATE_EPOCH

[ -x "$tools/bin/python" ] || python3 -m venv "$tools"
"$tools/bin/python" -m pip install --quiet --disable-pip-version-check 'ziglang==0.14.*' 'cargo-zigbuild>=0.20,<1' 'auditwheel>=6,<7'
export PATH="$tools/bin:$PATH"

# pack NAME PROGRAM: the wheel of a program, under the tag that its symbols allow.
pack() {
    local trial found
    trial=$(mktemp -d)
    python3 scripts/wheel.py --program "$2" --as "$1" --tag linux_x86_64 --out "$trial" >/dev/null
    found=$(auditwheel show --disable-isa-ext-check "$trial"/*.whl)
    rm -r "$trial"
    echo "$found"
    found=$(grep -oE 'manylinux_2_[0-9]+_x86_64' <<<"$found" | sort -V | head -n 1)
    python3 scripts/wheel.py --program "$2" --as "$1" --tag "${found:?auditwheel allows no manylinux tag}" --out "$out"
}

rm -rf "$out"
cargo zigbuild --release --locked --bin tomeval --target "$triple.2.28"
program=$target/$triple/release/tomeval
pack tomeval "$program"
if [ "${1:-}" = --cuda ]; then
    bash scripts/build-cuda.sh
    pack tomeval-cuda13 "${TARGET_CUDA:-target/cuda}/release/tomeval-cuda"
fi

version=$("$program" -V | cut -d ' ' -f 2)
folder=$out/tomeval-$version-x86_64-linux
mkdir -p "$folder/completions"
install -m 755 -s "$program" "$folder/tomeval"
cp README.md LICENSE-APACHE LICENSE-MIT THIRD-PARTY.md "$folder"
cp completions/* "$folder/completions"
"$program" completions --man "$folder/man/man1" >/dev/null
tar --sort=name --owner=0 --group=0 --numeric-owner --mode=u+w,go-w --mtime="@$SOURCE_DATE_EPOCH" -C "$out" -cJf "$folder.tar.xz" "$(basename "$folder")"
rm -r "$folder"
(cd "$out" && sha256sum -- *.whl *.tar.xz | tee SHA256SUMS)
ls -l "$out"
