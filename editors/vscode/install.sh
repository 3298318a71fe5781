#!/usr/bin/env bash
# install.sh
# Installs what package-lock.json pins in the cache (tools/environment/cached) and links editors/vscode/node_modules to it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

if [[ ${1:-} == --fetch ]]; then # as tools/environment/cached calls it
  mkdir -p "$2"
  cp package.json package-lock.json "$2"
  npm ci --silent --ignore-scripts --prefix "$2"
  exit
fi

key=$({ node --version; cat install.sh package-lock.json; } | git hash-object --stdin | cut -c 1-12)
fetched=$(../../tools/environment/cached "vscode-modules-$key" "$PWD/install.sh" --fetch)
rm -rf node_modules
ln -s "$fetched/node_modules" node_modules
