#!/usr/bin/env bash
# All checks of the project, on a fresh machine: format, lints, the demo model, tests. Ends with the test summary.
set -euo pipefail
cd "$(dirname "$0")/.."

missing=$(for tool in cargo cc python3; do command -v "$tool" >/dev/null || echo "$tool"; done)
if [ -n "$missing" ]; then
  echo "check.sh: not found: $missing. Install Rust (https://rustup.rs), a C compiler and Python 3 with pip." >&2
  exit 2
fi
cargo fmt --version >/dev/null 2>&1 || rustup component add rustfmt
cargo clippy --version >/dev/null 2>&1 || rustup component add clippy

cargo fmt --check
python3 scripts/third-party.py --check
cargo clippy --workspace --all-targets --quiet -- -D warnings
# A build without the optional features must stand, too.
cargo check --no-default-features --quiet

# Tests that run a model must not pass by being skipped. Those that need released benchmark files may be, unless
# TOMEVAL_REQUIRE_DATA=1; how many were is said before the last summary.
cargo test --test '*' --no-run
program=${CARGO_TARGET_DIR:-target}/debug/tomeval
"$program" models pull smollm2-135m-instruct
TOMEVAL_SKIPPED=$(mktemp)
export TOMEVAL_SKIPPED TOMEVAL_REQUIRE_MODEL=1
trap 'rm -f "$TOMEVAL_SKIPPED"' EXIT
tests=0
bash scripts/python-tests.sh "$program" || tests=$?
# Tests of single parts compute little: building them optimised costs more than it gives.
cargo --config profile.dev.package.tomeval.opt-level=0 test --workspace --no-fail-fast --lib "$@" || tests=$?
cargo test --no-fail-fast --test '*' "$@" || tests=$?
echo "skipped for want of files: $(wc -l <"$TOMEVAL_SKIPPED")"
sort -u "$TOMEVAL_SKIPPED"
cargo test --workspace --doc
exit "$tests"
