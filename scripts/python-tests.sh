#!/usr/bin/env bash
# Test the Python package in an environment of its own, with a wheel of a built program.
#
#   scripts/python-tests.sh [PROGRAM]     # target/debug/tomeval
set -euo pipefail
cd "$(dirname "$0")/.."
program=${1:-${CARGO_TARGET_DIR:-target}/debug/tomeval}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
platform=$(python3 -c 'import sysconfig; print(sysconfig.get_platform().replace("-", "_").replace(".", "_"))')
python3 scripts/wheel.py --program "$program" --as tomeval --tag "$platform" --out "$folder" --any-size
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check pytest pandas polars nbclient ipykernel uv "$folder"/*.whl
env -u TOMEVAL_PROGRAM "$folder/venv/bin/python" -m pytest --quiet -p no:cacheprovider python/tests
