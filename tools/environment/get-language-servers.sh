#!/usr/bin/env bash
# get-language-servers.sh FOLDER
# Puts basedpyright (from PyPI) and typescript-language-server (from npm) into FOLDER/bin, for tests of evidence:
#   tools/environment/get-language-servers.sh .venv/editors/language-servers
# Needs npm and Python. They lie in the cache (tools/environment/cached), and what is there is not fetched again.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
script=$here/get-language-servers.sh
basedpyright=1.40.2 server=5.3.0 typescript=5.9.3

if [[ ${1:-} == --fetch ]]; then # as tools/environment/cached calls it
  python3 -m pip install --quiet --target "$2/python" "basedpyright==$basedpyright" >&2
  npm install --silent --prefix "$2/node" --ignore-scripts "typescript-language-server@$server" "typescript@$typescript" >&2
  exit
fi

(($# == 1)) || { sed -n '2,5s/^# //p' "$0" >&2; exit 2; }
key=$(git hash-object "$script" | cut -c 1-12)
fetched=$("$here/cached" "language-servers-$key" "$script" --fetch)
mkdir -p "$1/bin"
cat >"$1/bin/basedpyright-langserver" <<END
#!/bin/sh
PYTHONPATH="$fetched/python" exec python3 -c "from basedpyright.langserver import main; main()" "\$@"
END
chmod +x "$1/bin/basedpyright-langserver"
ln -sf "$fetched/node/node_modules/.bin/typescript-language-server" "$1/bin"
