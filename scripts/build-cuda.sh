#!/usr/bin/env bash
# Build the program for NVIDIA GPUs, `tomeval-cuda`, on a machine without a GPU, a driver or a CUDA installation: compiler,
# headers and libraries come from PyPI wheels, and a list of the driver's functions stands for the driver while linking.
#
#   scripts/build-cuda.sh [further cargo arguments]           # target/cuda/release/tomeval-cuda
#   scripts/build-cuda.sh --check [further cargo arguments]   # type-check only
#
# Needs python3 with venv, a C and C++ compiler, network access to PyPI, and about 4 GB of disk. CUDA_COMPUTE_CAP names the
# lowest compute capability without its point (80 if absent), TARGET_CUDA another target folder.
set -euo pipefail

cd "$(dirname "$0")/.."
export CARGO_TARGET_DIR=${TARGET_CUDA:-target/cuda}
export CUDA_COMPUTE_CAP=${CUDA_COMPUTE_CAP:-80}

# The wheels stay where they are: a build in another folder would compile all kernels again.
mkdir -p "$CARGO_TARGET_DIR"
toolkit=$(cd "$CARGO_TARGET_DIR" && pwd)/toolkit
[ -x "$toolkit/bin/python" ] || python3 -m venv "$toolkit"
"$toolkit/bin/python" -m pip install --quiet --disable-pip-version-check \
    'nvidia-cuda-nvcc==13.0.*' 'nvidia-cuda-crt==13.0.*' 'nvidia-nvvm==13.0.*' 'nvidia-cuda-cccl==13.0.*' \
    'nvidia-cuda-runtime==13.0.*' 'nvidia-cuda-nvrtc==13.0.*' 'nvidia-cublas==13.0.*' 'nvidia-curand==10.4.*'

CUDA_HOME=$("$toolkit/bin/python" -c 'import nvidia.cu13; print(list(nvidia.cu13.__path__)[0])')
export CUDA_HOME CUDA_PATH="$CUDA_HOME" CUDA_ROOT="$CUDA_HOME" CUDA_TOOLKIT_ROOT_DIR="$CUDA_HOME"
export PATH="$CUDA_HOME/bin:$PATH" LD_LIBRARY_PATH="$CUDA_HOME/lib:${LD_LIBRARY_PATH:-}"

if [ "${1:-}" = --check ]; then
    exec cargo check --features cuda "${@:2}"
fi

# The linker asks for names without version, which wheels leave out.
for library in cudart cublas cublasLt curand nvrtc; do
    found=$(cd "$CUDA_HOME/lib" && ls "lib$library".so.[0-9]* | head -n 1)
    ln -sf "$found" "$CUDA_HOME/lib/lib$library.so"
done

# A library with the driver's name and functions: only the linker sees it. Each answers CUDA_ERROR_STUB_LIBRARY.
mkdir -p "$CUDA_HOME/lib/stubs"
"$toolkit/bin/python" - > "$CUDA_HOME/lib/stubs/cuda.c" <<'PYTHON'
import json, pathlib, re, subprocess

command = ["cargo", "metadata", "--format-version", "1", "--features", "cuda"]
packages = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)["packages"]
sources = pathlib.Path(next(one["manifest_path"] for one in packages if one["name"] == "cudarc")).parent / "src/driver/sys"
names = set()
for source in sorted(sources.rglob("*.rs")):
    names |= set(re.findall(r"\bfn (cu[A-Z]\w*)\s*\(", source.read_text()))
print("\n".join(f"int {name}(void) {{ return 34; }}" for name in sorted(names)))
PYTHON
"${CC:-cc}" -shared -fPIC -Wl,-soname,libcuda.so.1 -o "$CUDA_HOME/lib/stubs/libcuda.so" "$CUDA_HOME/lib/stubs/cuda.c"

export CARGO_PROFILE_RELEASE_STRIP=${CARGO_PROFILE_RELEASE_STRIP:-symbols}
cargo build --release --features cuda --bin tomeval "$@"
program=$CARGO_TARGET_DIR/release/tomeval-cuda
cp "$CARGO_TARGET_DIR/release/tomeval" "$program"
cp THIRD-PARTY.md "$CARGO_TARGET_DIR/release/"

cat <<END

$program, $(du -h "$program" | cut -f 1)
Needs a GPU of compute capability ${CUDA_COMPUTE_CAP%?}.${CUDA_COMPUTE_CAP: -1} or higher (the driver compiles its kernels for newer ones at their first use),
and a driver of release 580 or newer, the first for CUDA 13. Libraries that it looks for when it starts:
$(readelf -d "$program" | sed -n 's/.*NEEDED.*\[\(lib\(cu\|nv\).*\)\]/  \1/p')
Put it beside \`tomeval\`, which runs it for --device cuda, and pass THIRD-PARTY.md on with it. docs/gpu.md tells where its libraries are found.
END
