#!/usr/bin/env bash
# Pack what first-contact.sh needs for a machine with a GPU that has neither Rust nor a network.
#
#   scripts/pack-contact.sh FOLDER [DEMO.gguf]    # after scripts/build-cuda.sh, CUDA_COMPUTE_CAP=90 for H100 and H200
#
# FOLDER then holds the program, scripts and fixtures (25 MB), the prompts of a run that TRIE names, and of a demo model its parts
# of 48 MiB each. There, in FOLDER: bash run.sh OUT [STEP...]
set -euo pipefail
folder=$(realpath -m "$1") demo=${2:+$(realpath "$2")} trie=${TRIE:+$(realpath "$TRIE")}
cd "$(dirname "$0")/.."

program=${TARGET_CUDA:-target/cuda}/release/tomeval-cuda
[ -x "$program" ] || { echo "pack-contact.sh: not found: $program; run scripts/build-cuda.sh" >&2; exit 2; }
kernels=src/core/decoder/portable/kernels
mkdir -p "$folder/scripts" "$folder/tests/fixtures/qwen2" "$folder/$kernels"
cp $kernels/kernels.cu "$folder/$kernels/"
[ -z "$trie" ] || cp "$trie" "$folder/trie.csv"
cp scripts/first-contact.sh scripts/contact.py "$folder/scripts/"
cp tests/fixtures/corpus.txt "$folder/tests/fixtures/"
cp tests/fixtures/qwen2/{config,tokenizer,tokenizer_config}.json "$folder/tests/fixtures/qwen2/"
xz -5 -T0 -c "$program" > "$folder/tomeval-cuda.xz"
[ -z "$demo" ] || split --bytes=48M "$demo" "$folder/demo.gguf."

cat > "$folder/run.sh" <<'RUN'
#!/usr/bin/env bash
# Unpack, and run scripts/first-contact.sh: bash run.sh OUT [STEP...]
set -euo pipefail
out=$(realpath -m "$1")
cd "$(dirname "$0")"
sha256sum --quiet --check SHA256SUMS
[ -x tomeval-cuda ] || { xz -dkc -T0 tomeval-cuda.xz > tomeval-cuda.new && chmod +x tomeval-cuda.new && mv tomeval-cuda.new tomeval-cuda; }
if compgen -G 'demo.gguf.*' > /dev/null; then
    cat demo.gguf.* > demo.gguf
    export DEMO=$PWD/demo.gguf
fi
[ ! -f trie.csv ] || export TRIE=$PWD/trie.csv
exec bash scripts/first-contact.sh ./tomeval-cuda "$out" "${@:2}"
RUN
(cd "$folder" && find . -type f ! -name SHA256SUMS -print0 | sort -z | xargs -0 sha256sum > SHA256SUMS)
du -sh "$folder"
