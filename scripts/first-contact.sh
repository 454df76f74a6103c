#!/usr/bin/env bash
# What to run first on a machine with an NVIDIA GPU: does it compute what transformers computes, and how fast. Under ten
# minutes; every step has a limit of its own, and the next is taken whatever became of it.
#
#   scripts/first-contact.sh PROGRAM OUT [STEP...]    # PROGRAM: tomeval-cuda; OUT: folder for what is found; all steps if none
#
# Needs the program and, for the steps that compare with them, Python 3 with torch and transformers; CUDA's libraries are
# torch's where no toolkit is installed. DEMO names the demo model's file, TRIE the prompts of a run (`tomeval plan --trie`). Writes
# steps.tsv (step, exit code, seconds), log.txt and a JSON file a measurement.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
program=$(realpath "$1") out=$(realpath -m "$2")
gpu=(--device cuda:0 --progress none)

# The shape of CARD with random weights.
shape() { "$program" bench --shape "$1" --random --seed 1 --repeat "${repeat:-3}" --generate 16 --json "${gpu[@]}" "${@:2}" > "$out/bench-$1.json"; }

environment() {
    nvidia-smi
    uname -a
    nproc
    "$program" --version
}
doctor() { "$program" doctor --device cuda:0; }
selftest() { "$program" selftest "${gpu[@]}" --json > "$out/selftest.json"; }
torch() { python3 "$here/contact.py" torch | tee "$out/torch.json"; }

# Log-probabilities of models that transformers has written, in both types, and the comparison.
written() {
    python3 "$here/contact.py" write "$scratch"
    for model in "$scratch"/*/; do
        for dtype in f32 bf16; do
            "$program" logprob --model "$model" --input "$scratch/prompts.jsonl" --dtype $dtype "${gpu[@]}" > "$model/$dtype.jsonl"
        done
    done
    python3 "$here/contact.py" compare "$scratch" | tee "$out/written.json"
}
small() { shape qwen2.5-0.5b-instruct --prompt 512,2048,8192 --batch 1,32; }
large() { shape llama-3.1-8b-instruct --check --prompt 512,2048,4096,8192 --batch 1,8,32,128; }
mixture() { repeat=1 shape qwen3-30b-a3b --prompt 512,4096 --batch 1,32 --no-score --profile; }

# All prompts of a run, and where the time goes.
trie() {
    "$program" bench --shape llama-3.1-8b-instruct --random --repeat 1 --prompt 4096 --batch 1,32 --generate 8 --trie "$TRIE" --profile \
        --out "$out/trie.json" "${gpu[@]}"
}

# Attention of a run's prompts on the GPU beside the CPU's, of a random model.
attend() {
    python3 "$here/contact.py" write "$scratch" qwen2-0.5b
    for device in cpu cuda:0; do
        "$program" run --benchmark demo --limit 4 --model "$scratch/qwen2-0.5b" --dtype f32 --device $device --out "$scratch/run-$device" \
            --progress none
        "$program" attend --run "$scratch/run-$device" --device $device --dtype f32 --deletion-draws 0 --progress none --json > "$scratch/attend-$device.json"
    done
    python3 "$here/contact.py" apart "$scratch/attend-cpu.json" "$scratch/attend-cuda:0.json"
}

# Its own kernels, compiled by the machine's nvcc.
ptx() {
    nvcc -ptx -arch="sm_$("$program" doctor --device cuda:0 --json | python3 -c 'import json, sys
print(json.load(sys.stdin)["checked"][0]["gpu"]["capability"].replace(".", ""))')" -o "$scratch/kernels.ptx" \
        "$here/../src/core/decoder/portable/kernels/kernels.cu"
    TOMEVAL_PTX=$scratch "$program" selftest "${gpu[@]}"
}

demo() {
    "$program" run --benchmark demo --model "$DEMO" --dtype f32 --out "$scratch/cpu" --device cpu --progress none
    for dtype in f32 bf16 f16; do
        "$program" run --benchmark demo --model "$DEMO" --dtype $dtype --out "$scratch/$dtype" "${gpu[@]}"
        "$program" compare "$scratch/cpu" "$scratch/$dtype"
    done
}

sanitizer() {
    compute-sanitizer --error-exitcode 9 "$program" bench --shape smollm2-135m-instruct --random --check --repeat 1 --prompt 96 \
        --generate 4 --batch 3 "${gpu[@]}"
}

if [ "${CONTACT_STEP:-}" ]; then
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    "$CONTACT_STEP"
    exit
fi

libraries=$(python3 -c 'import nvidia.cu13; print(list(nvidia.cu13.__path__)[0] + "/lib")' 2>/dev/null)
export LD_LIBRARY_PATH=${libraries:+$libraries:}${LD_LIBRARY_PATH:-}
mkdir -p "$out"
: > "$out/steps.tsv"
: > "$out/log.txt"
while read -r name limit; do
    [[ $# -le 2 || " ${*:3} " == *" $name "* ]] || continue
    [[ $name != demo || ${DEMO:-} ]] && [[ $name != trie || ${TRIE:-} ]] || continue
    printf '\n==== %s\n' "$name" >> "$out/log.txt"
    start=${EPOCHREALTIME/./}
    CONTACT_STEP=$name timeout --kill-after=5 "$limit" bash "$0" "$program" "$out" >> "$out/log.txt" 2>&1 < /dev/null
    code=$? spent=$(((${EPOCHREALTIME/./} - start) / 1000))
    printf '%s\t%s\t%d.%03d\n' "$name" $code $((spent / 1000)) $((spent % 1000)) | tee -a "$out/steps.tsv"
done <<'STEPS'
environment 15
doctor 60
selftest 90
torch 60
written 90
small 60
large 150
trie 120
mixture 120
attend 60
ptx 60
sanitizer 60
demo 60
STEPS
