#!/usr/bin/env bash
# split_neovim.sh BRANCH
# Makes BRANCH the history of editors/neovim alone, as a plugin's own repository, with the licence on top:
#   tools/release/split_neovim.sh neovim-plugin && git push URL_OF_THE_PLUGIN neovim-plugin:main
# The working tree and HEAD stay as they are.
set -euo pipefail

(($# == 1)) || { sed -n '2,5s/^# //p' "$0" >&2; exit 2; }
cd "$(git rev-parse --show-toplevel)"
[[ $1 != "$(git branch --show-current)" ]] || { echo "$1 is checked out" >&2; exit 1; }
top=$(git subtree split -q --prefix=editors/neovim HEAD)
index=$(mktemp -u)
trap 'rm -f "$index"' EXIT
GIT_INDEX_FILE=$index git read-tree "$top"
GIT_INDEX_FILE=$index git update-index --add --cacheinfo "100644,$(git rev-parse HEAD:LICENSE),LICENSE"
tree=$(GIT_INDEX_FILE=$index git write-tree)
commit=$(GIT_AUTHOR_DATE=$(git show -s --format=%aI HEAD) GIT_COMMITTER_DATE=$(git show -s --format=%cI HEAD) \
  git commit-tree "$tree" -p "$top" -m "Add the licence")
git update-ref "refs/heads/$1" "$commit"
echo "$1: $commit"
