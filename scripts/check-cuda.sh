#!/usr/bin/env bash
# Type-check the CUDA build without a GPU and without a CUDA installation; what it needs: scripts/build-cuda.sh.
#
#   scripts/check-cuda.sh [further cargo arguments]
exec bash "$(dirname "$0")/build-cuda.sh" --check "$@"
