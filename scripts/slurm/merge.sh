#!/usr/bin/env bash
#SBATCH --job-name=tomeval-merge
#SBATCH --output=tomeval-merge-%j.log
#SBATCH --cpus-per-task=2
#SBATCH --mem=8G
#SBATCH --time=00:30:00
#
# Join the parts of a run that scripts/slurm/run.sh made, after all of them:
#   sbatch --dependency=afterok:JOB scripts/slurm/merge.sh OUT [arguments of tomeval report]
set -euo pipefail

out=$1
shift
"${TOMEVAL:-tomeval}" merge "$out".parts/*-of-* --out "$out"
"${TOMEVAL:-tomeval}" report "$out" "$@" || [ $? -eq 1 ]
