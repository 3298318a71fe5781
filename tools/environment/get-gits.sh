#!/usr/bin/env bash
# get-gits.sh [SUITE...]
# Puts the gits of other Debian suites (default: bullseye trixie sid) into .venv/gits, for tests/programs. That of bullseye,
# 2.30, fetches missing objects whatever the environment says.
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
(($#)) || set -- bullseye trixie sid
for suite; do
  made=$top/.venv/gits/.$suite
  "$top/tools/environment/get-debian-tool.sh" "$made" "$suite" git git >/dev/null
  run=$(sed -n 's/ "\$@"$//; s/^exec //p' "$made/bin/git")
  root=${run##*\"git\" \"}
  root=${root%/usr/bin/git*}
  version=$(cut -d _ -f 2 "$made/version" | sed 's/^.*%3a//; s/-.*//')
  mkdir -p "$made/exec" "$top/.venv/gits/$version"
  cp -a "$root/usr/lib/git-core/." "$made/exec/"
  # What git starts is git again, which needs the same loader.
  rm -f "$made/exec/git"
  if [[ $suite == bullseye ]]; then cp "$root/usr/bin/git" "$made/exec/git"; else
    printf '#!/bin/sh\nexec %s "$@"\n' "$run" >"$made/exec/git"
    chmod +x "$made/exec/git"
  fi
  printf '#!/bin/sh\nexport GIT_EXEC_PATH="%s"\nexec "%s" "$@"\n' "$made/exec" "$made/exec/git" >"$top/.venv/gits/$version/git"
  chmod +x "$top/.venv/gits/$version/git"
done
