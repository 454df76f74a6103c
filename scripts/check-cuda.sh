#!/usr/bin/env bash
# Type-check the CUDA build without a GPU and without a CUDA installation: the compiler and headers come from PyPI wheels in
# a throw-away environment, the build goes to a target folder of its own.
#
#   scripts/check-cuda.sh [further cargo arguments]
#
# Needs python3 with venv, network access to PyPI, and about 5 GB of disk. TARGET_CUDA names another target folder.
set -euo pipefail

cd "$(dirname "$0")/.."
environment=$(mktemp -d)
trap 'rm -rf "$environment"' EXIT

python3 -m venv "$environment"
"$environment/bin/pip" install --quiet --disable-pip-version-check \
    'nvidia-cuda-nvcc==13.0.*' 'nvidia-cuda-crt==13.0.*' 'nvidia-nvvm==13.0.*' 'nvidia-cuda-cccl==13.0.*' \
    'nvidia-cuda-runtime==13.0.*' 'nvidia-curand' 'nvidia-cublas==13.0.*'

CUDA_HOME=$(dirname "$("$environment/bin/python" -c 'import nvidia.cu13, os; print(os.path.join(list(nvidia.cu13.__path__)[0], "x"))')")
export CUDA_HOME CUDA_PATH="$CUDA_HOME" CUDA_ROOT="$CUDA_HOME" CUDA_TOOLKIT_ROOT_DIR="$CUDA_HOME"
export PATH="$CUDA_HOME/bin:$PATH" LD_LIBRARY_PATH="$CUDA_HOME/lib:${LD_LIBRARY_PATH:-}"
export CUDA_COMPUTE_CAP=${CUDA_COMPUTE_CAP:-80}
export CARGO_TARGET_DIR=${TARGET_CUDA:-target/cuda}

cargo check --features cuda "$@"
