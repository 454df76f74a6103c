#!/usr/bin/env bash
#SBATCH --job-name=tomeval
#SBATCH --output=tomeval-%A-%a.log
#SBATCH --gres=gpu:1
#SBATCH --cpus-per-task=8
#SBATCH --mem=48G
#SBATCH --time=12:00:00
#
# One part of a run for each task of an array:
#   sbatch --array=0-7 scripts/slurm/run.sh MODEL BENCHMARK DATA OUT [more arguments of tomeval run]
# A task that was stopped goes on when the same array is submitted again. scripts/slurm/merge.sh joins the parts.
set -euo pipefail

model=$1 benchmark=$2 data=$3 out=$4
shift 4
part=$((SLURM_ARRAY_TASK_ID - ${SLURM_ARRAY_TASK_MIN:-0} + 1))-of-$SLURM_ARRAY_TASK_COUNT

# Slurm ends a job with SIGTERM first: passed on, it stops the run after what it is at.
"${TOMEVAL:-tomeval}" run --offline --progress lines \
    --model "$model" --benchmark "$benchmark" --data "$data" \
    --shard auto --out "$out.parts/$part" "$@" &
run=$!
trap 'kill -TERM $run' TERM
code=0
wait $run || code=$?
# A signal ends the first wait before the run.
if kill -0 $run 2>/dev/null; then
    wait $run || code=$?
fi
# 1: all is done and some items failed, which the report tells; the merge need not wait for anything.
[ "$code" -le 1 ] || exit "$code"
